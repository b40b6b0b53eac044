/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-diff. */
#include "diff.h"
#include "framework/base/error.h"
#include "framework/base/units.h"

#include <stdlib.h>
#include <string.h>

static tcf_status take_percent(void *to, const char *what, const char *value)
{
    double percent = 0;
    if (read_percent(value, &percent) != 0 || percent < 0)
        return error_usage("%s '%s': expected a number of percent, at least 0", what, value);
    *(double *)to = percent;
    return TCF_OK;
}

static tcf_status take_sections(void *conf, const char *what, const char *value)
{
    static const char *const words[N_SECTIONS] = {"runs", "scaling", "profile", "waits", "messages", "imbalance"};
    struct options *o = conf;

    memset(o->section, 0, sizeof o->section);
    o->sections_named = true;
    for (const char *word = value;; word++) {
        size_t bytes = strcspn(word, ",");
        int i = 0;
        while (i < N_SECTIONS && (strlen(words[i]) != bytes || strncmp(words[i], word, bytes) != 0))
            i++;
        if (i == N_SECTIONS)
            return error_usage("%s '%.*s': expected one of runs, scaling, profile, waits, messages, imbalance", what,
                               (int)bytes, word);
        o->section[i] = true;
        word += bytes;
        if (*word == '\0')
            return TCF_OK;
    }
}

static tcf_status take_form(void *to, const char *what, const char *value)
{
    enum form *form = to, given = strcmp(what, "--csv") == 0 ? CSV : JSON;

    (void)value;
    if (*form != TEXT && *form != given)
        return error_usage("--csv and --json exclude each other");
    *form = given;
    return TCF_OK;
}

#define AT(member) .offset = offsetof(struct options, member)
static const option_row rows[] = {
    {.help = "What is compared"},
    {0, "reference", "WHICH", "the run that others are compared with: its number, label or file (1)", TCF_STRING,
     AT(reference)},
    {0, "sections", "LIST", "of runs, scaling, profile, waits, messages, imbalance (all that are there)",
     .take = take_sections},
    {0, "by", "WHAT", "region, callpath, or both (both)", TCF_ENUM, AT(by), .choices = "region|callpath|both"},
    {0, "metric", "NAME", "exclusive, inclusive, visits, or all (exclusive; in CSV, JSON and HTML all)", TCF_ENUM,
     AT(metric), .choices = "exclusive|inclusive|visits|all"},
    {0, "region", "PATTERN",
     "regions, and call paths that end in such a region or are like PATTERN as a whole, with * and ? (all); may be "
     "there several times",
     AT(regions), .take = take_name},
    {0, "instance", "NAME", "the filter instance to take where a run has several (the first of the chain)",
     AT(instances), .take = take_name},
    {0, "top", "N", "rows of a table, those with the largest changes; 0: all (20; in HTML 2000, in CSV and JSON all)",
     TCF_SIZE, AT(top), .max = "4294967295"},
    {.help = "Scaling, when runs differ in their number of processes; relative to the run with the fewest"},
    {0, "scaling", "KIND", "strong: the same work for all processes together; weak: for each; none", TCF_ENUM,
     AT(scaling), .default_value = "strong", .choices = "strong|weak|none"},
    {0, "count", "WHAT", "processes, or locations (threads and streams)", TCF_ENUM, AT(count_locations),
     .default_value = "processes", .choices = "processes|locations"},
    {.help = "Verdict"},
    {0, "fail-above", "PERCENT",
     "exit status 3 when the duration, the time of all regions, or a region or call path has grown by more than "
     "PERCENT; not where repetitions show that it may be noise",
     AT(fail_above), .take = take_percent},
    {0, "ignore-below", "PERCENT", "regions that have grown by less than this share of all time are not judged",
     AT(ignore_below), .take = take_percent, .default_value = "1"},
    {.help = "Output"},
    {0, "csv", NULL, NULL, AT(form), .take = take_form},
    {0, "json", NULL, "instead of text", AT(form), .take = take_form},
    {0, "html", "FILE", "a page besides that needs nothing else; -: it alone, to standard output", TCF_OUTPUT_PATH,
     AT(html)},
    {0, "overwrite", NULL, "replace FILE if it exists", AT(overwrite)},
    {0, "width", "N", "columns of text (the terminal's, or $COLUMNS, or any)", TCF_SIZE, AT(width), .min = "40",
     .max = "100000"},
    {.help = ""},
};
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above =
        "Usage: tcflow-diff [options] [LABEL=]FILE[,FILE...] [LABEL=]FILE[,FILE...]...\n"
        "\n"
        "Compares runs by their traces, or by databases of results (`database = FILE` in [pipeline]).\n"
        "LABEL=FILE,FILE...: repetitions of one run; their median is compared, and their range tells what is noise.\n"
        "\n",
    .below =
        "\n"
        "Change is the difference of medians. With two or more runs on both sides it is significant (*) when their "
        "ranges\n"
        "do not overlap, and else may be noise (~). What a run does not have is missing (-), not zero.\n"
        "Speed-up is D0 / D of the durations, times N / N0 in weak scaling; efficiency is D0 N0 / (D N), or D0 / D in "
        "weak\n"
        "scaling, with N processes, 0 being the run with the fewest. The scaling loss of a region is the time A of "
        "all\n"
        "processes in it beyond that of perfect scaling: A - A0, or A - A0 N / N0 in weak scaling. The exponent is the "
        "slope\n"
        "of the line through log(A / N) over log(N), by least squares over all runs; ideally it is -1, or 0 in weak "
        "scaling.\n"
        "The residual is the root mean square of the logarithms' distances from the line. A region does not scale when "
        "its\n"
        "exponent is 0.5 or more above the ideal one, and its loss 1 % or more of all time of the largest run.\n"
        "\n"
        "Example: tcflow-diff --html diff.html before=a1.sqlite,a2.sqlite,a3.sqlite "
        "after=b1.sqlite,b2.sqlite,b3.sqlite\n"
        "Exit status: 0 done, 1 it failed, 2 usage, 3 slower than --fail-above.\n",
};

void parse_options(struct options *o, int argc, char **argv)
{
    *o = (struct options){.by = BY_DEFAULT, .metric = DEFAULT_METRICS, .top = UINT64_MAX, .fail_above = NAN};
    memset(o->section, 1, sizeof o->section);
    int first = take_options(&table, o, argc, argv);
    o->argument = argv + first;
    o->n_arguments = (uint32_t)(argc - first);
    if (o->html && strcmp(o->html, "-") == 0 && o->form != TEXT)
        usage("--html - and --csv or --json cannot both go to standard output");
    if (!isnan(o->fail_above) && !o->section[PROFILE])
        usage("--fail-above judges the section profile, which --sections leaves out");
    if (o->scaling == NO_SCALING)
        o->section[SCALING] = false;
}
