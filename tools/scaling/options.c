/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-scaling. */
#include "framework/base/error.h"
#include "framework/base/units.h"
#include "scaling.h"
#include "tools/shared/traces.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static tcf_status take_percent(void *to, const char *what, const char *value)
{
    double percent = 0;
    if (read_percent(value, &percent) != 0 || percent < 0 || percent > 100)
        return error_usage("%s '%s': expected a number of percent, from 0 to 100", what, value);
    *(double *)to = percent;
    return TCF_OK;
}

static tcf_status take_predict(void *conf, const char *what, const char *value)
{
    struct options *o = conf;
    for (const char *word = value;; word++) {
        char *end;
        unsigned long n = *word >= '0' && *word <= '9' ? strtoul(word, &end, 10) : 0;
        if (n < 1 || n > INT32_MAX || (*end != ',' && *end != '\0'))
            return error_usage("%s '%s': expected numbers of processes, separated by commas", what, value);
        if (o->n_predict == MOST_PREDICTED)
            return error_usage("%s '%s': expected at most %d numbers", what, value, MOST_PREDICTED);
        o->predict[o->n_predict++] = (uint32_t)n;
        word = end;
        if (*word == '\0')
            return TCF_OK;
    }
}

#define AT(member) .offset = offsetof(struct options, member)
static const option_row rows[] = {
    {.help = "What is expected"},
    {0, "scaling", "strong|weak|auto",
     "the same work for all processes together, or for each; auto: by how most of the computing grows", TCF_ENUM,
     AT(law), .default_value = "auto", .choices = "strong|weak|auto"},
    {0, "least", "PERCENT", "of the processes' time at the largest size that a cause has to explain", AT(least),
     .take = take_percent, .default_value = "5"},
    {0, "abnormal", "FACTOR", "a process is abnormal from so many times the median over processes on", TCF_DOUBLE,
     AT(abnormal), .default_value = "1.3", .min = "1"},
    {.help = "Vertices that don't scale"},
    {0, "aggregate", "HOW",
     "their time by: mean, median, maximum of the processes, process (see --rank), or clusters: the slower ones of two",
     TCF_ENUM, AT(aggregate), .default_value = "mean", .choices = "mean|median|maximum|process|clusters"},
    {0, "rank", "N", "the one process that --aggregate process takes", TCF_SIZE, AT(process), .default_value = "0",
     .max = "4294967294"},
    {0, "predict", "N[,N...]", "shares at these numbers of processes, with the bounds of nine in ten",
     .take = take_predict},
    {.help = "Input and output"},
    {'c', "config", "FILE", "the pipeline that makes databases of traces (the preset scaling)", TCF_INPUT_PATH,
     AT(config)},
    {0, "keep", "FOLDER", "leave these databases here, and not in a temporary folder", TCF_OUTPUT_PATH, AT(keep)},
    {0, "instance", "NAME", "the filter instance to take where a run has several (the first of the chain)",
     AT(instances), .take = take_name},
    {0, "format", "text|json", "for people, or all that was found", TCF_ENUM, AT(form), .default_value = "text",
     .choices = "text|json"},
    {0, "html", "FILE", "a page besides that needs nothing else; -: it alone, to standard output", TCF_OUTPUT_PATH,
     AT(html)},
    {0, "overwrite", NULL, "replace the page, and databases of --keep, if they exist", AT(overwrite)},
    {0, "source", "FOLDER", "the page shows the lines of causes from the program's source below this folder",
     TCF_INPUT_PATH, AT(source)},
    {0, "top", "N", "causes and vertices in text; 0: all", TCF_SIZE, AT(top), .default_value = "5",
     .max = "4294967295"},
    {0, "fail-above", "PERCENT",
     "exit status 3 when a cause explains more than PERCENT of the processes' time at the largest size", AT(fail_above),
     .take = take_percent},
    {.help = ""},
};
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above = "Usage: tcflow-scaling [options] FILE FILE...\n"
             "\n"
             "Finds what keeps a program from scaling, and where in it: from traces (*.otf2) of runs with different "
             "numbers\n"
             "of processes, or from databases of results that `tcflow -c scaling` has made of them. Runs with\n"
             "the same number of processes are repetitions, which tell what is noise.\n"
             "\n",
    .below =
        "\n"
        "The time of all processes is charged to the vertices of the call tree: own time to its vertex, waits to the\n"
        "vertices that caused them. A vertex loses what its costs at the largest size are beyond those at the\n"
        "smallest, times the growth of the work. A cause is what loses --least or more, grows with the number of\n"
        "processes, and is neither noise nor the growth that every program has. doc/scaling.md tells the method.\n"
        "\n"
        "Example: tcflow-scaling --html scaling.html run4/traces.otf2 run8/traces.otf2 run16/traces.otf2\n"
        "Exit status: 0 done, also when nothing stands out, 1 it failed, 2 usage or runs that do not fit together,\n"
        "3 a cause is beyond --fail-above, 130 interrupted.\n",
};

static bool any_trace(const struct options *o)
{
    for (uint32_t i = 0; i < o->n_arguments; i++)
        if (is_trace(o->argument[i]))
            return true;
    return false;
}

void parse_options(struct options *o, int argc, char **argv)
{
    struct stat st;
    *o = (struct options){.fail_above = NAN};
    int first = take_options(&table, o, argc, argv);
    o->argument = argv + first;
    o->n_arguments = (uint32_t)(argc - first);
    if (o->n_arguments < 2)
        usage("expected traces or databases of two runs or more, with different numbers of processes");
    if (o->process != 0 && o->aggregate != PROCESS)
        usage("--rank is for --aggregate process");
    if (o->html && strcmp(o->html, "-") == 0 && o->form != TEXT)
        usage("--html - and --format json cannot both go to standard output");
    if ((o->keep || o->config) && !any_trace(o))
        usage("%s is for traces: files with the extension .otf2", o->keep ? "--keep" : "--config");
    if (o->source && !o->html)
        usage("--source is for --html");
    if (o->source && (stat(o->source, &st) != 0 || !S_ISDIR(st.st_mode)))
        usage("--source '%s': there is no such folder", o->source);
}
