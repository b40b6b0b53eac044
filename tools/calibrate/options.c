/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-calibrate. */
#include "calibrate.h"
#include "framework/base/error.h"
#include "framework/base/units.h"

#include <stdlib.h>
#include <string.h>

/* Returns the nearest power of two: 64M becomes 64 MiB. */
static uint64_t to_power(uint64_t value)
{
    uint64_t power = 1;
    while (power < value)
        power *= 2;
    return power - value > value - power / 2 ? power / 2 : power;
}

static tcf_status take_sizes(void *conf, const char *what, const char *value)
{
    struct options *o = conf;
    size_t n = strcspn(value, ":");
    char first[32];

    snprintf(first, sizeof first, "%.*s", (int)n, value);
    if (!value[n] || n >= sizeof first || units_size(first, &o->smallest) || units_size(value + n + 1, &o->largest) ||
        o->smallest < 1 || o->largest > UINT64_C(1) << 30 || o->smallest > o->largest)
        return error_usage("%s '%s': expected two sizes from 1 to 1GiB, the smaller one first, such as 8:64MiB", what,
                           value);
    o->smallest = to_power(o->smallest);
    o->largest = to_power(o->largest);
    return TCF_OK;
}

static tcf_status take_seconds(void *to, const char *what, const char *value)
{
    double seconds = 0;

    if (units_time(value, 1, &seconds) || seconds <= 0 || seconds >= 1e9)
        return error_usage("%s '%s': expected a time, such as 17.2ms or 3s", what, value);
    *(double *)to = seconds;
    return TCF_OK;
}

static tcf_status take_output(void *to, const char *what, const char *value)
{
    const char **output = to;

    (void)what;
    *output = strcmp(value, "-") == 0 ? NULL : value;
    return TCF_OK;
}

static tcf_status add_source(struct options *o, struct source source)
{
    if (o->n_sources == MOST_SOURCES)
        return error_usage("more than %d of --run, --archive and --from", MOST_SOURCES);
    o->source[o->n_sources++] = source;
    return TCF_OK;
}

static tcf_status take_source(void *conf, const char *what, const char *value)
{
    bool run = strcmp(what, "--run") == 0;
    return add_source(conf, run ? (struct source){.command = value} : (struct source){.archive = value, .from = true});
}

/* It belongs to the --run before it, unless that has one already. */
static tcf_status take_archive(void *conf, const char *what, const char *value)
{
    struct options *o = conf;
    struct source *last = o->n_sources > 0 ? &o->source[o->n_sources - 1] : NULL;

    (void)what;
    if (!last || !last->command || last->archive)
        return add_source(o, (struct source){.archive = value});
    last->archive = value;
    return TCF_OK;
}

#define AT(member) .offset = offsetof(struct options, member)
static const option_row rows[] = {
    {.help = "Overhead of recording"},
    {0, "run", "COMMAND",
     "run COMMAND by the shell: a measurement system that records a loop of empty calls. $TCFLOW_LOOP is such a "
     "program, $TCFLOW_PINGPONG one with MPI messages; the archive goes to the folder $TCFLOW_DIR",
     .take = take_source},
    {0, "archive", "PATH", "anchor file of the archive: of the --run before it, or of one recorded earlier",
     .take = take_archive},
    {0, "from", "TRACE", "estimate it from the trace of any program: the shortest distances, which are bounds",
     .take = take_source},
    {0, "own", "TRACE", "what an event costs in this very program: with it TRACE takes as long as --unmeasured says",
     TCF_INPUT_PATH, AT(own)},
    {0, "unmeasured", "TIME", "how long the program runs unmeasured, such as 17.2ms", AT(unmeasured),
     .take = take_seconds},
    {0, "check", "TRACE", "another run of this program, on which the cost is tried", TCF_INPUT_PATH, AT(check)},
    {0, "check-unmeasured", "TIME", "how long that one runs unmeasured", AT(check_unmeasured), .take = take_seconds},
    {0, "between", "REGION", "both times are those between the last two calls of REGION (all of the trace)", TCF_STRING,
     AT(between)},
    {0, "region", "NAME", "the empty calls (those of which there are the most)", TCF_STRING, AT(region)},
    {0, "calls", "N", "of $TCFLOW_LOOP", TCF_SIZE, AT(calls), .default_value = "100k", .min = "1", .max = "1G"},
    {0, "estimate", "HOW", "median, mean (without interruptions), or auto: median where the clock is fine enough",
     TCF_ENUM, AT(estimate), .default_value = "auto", .choices = "auto|median|mean"},
    {0, "percentile", "N", "of calls that are not empty, 1, 5 or 25", TCF_ENUM, AT(percentile), .default_value = "5",
     .choices = "1|5|25"},
    {.help = "Cost of copying"},
    {0, "copy", "HOW", "warm, cold: memcpy with data in the cache or not; mpi: ping-pong; none", TCF_ENUM, AT(copy),
     .default_value = "warm", .choices = "none|warm|cold|mpi"},
    {0, "sizes", "A:B", "smallest and largest size, in powers of two", .take = take_sizes, .default_value = "8:64M"},
    {0, "mpirun", "COMMAND", "that starts the ping-pong", TCF_STRING, AT(mpirun), .default_value = "mpirun -n 2"},
    {.help = "Output"},
    {'o', "output", "FILE", "write to FILE instead of standard output", AT(output), .take = take_output},
    {0, "force", NULL, "replace FILE if it exists", AT(force)},
    {0, "tcflow", "PATH", "the tcflow to read archives with (the one beside this program)", TCF_INPUT_PATH, AT(tcflow)},
    {.help = ""},
};
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above =
        "Usage: tcflow-calibrate [options]\n"
        "\n"
        "Measures what recording an event and copying a message cost, and writes a section [overhead] for tcflow.\n"
        "\n",
    .below = "\n"
             "Example: tcflow-calibrate --run 'eztrace -t pthread -o $TCFLOW_DIR $TCFLOW_LOOP' -o overhead.ini\n"
             "Exit status: 0 done, 1 it failed, 2 usage.\n",
};

/* Notes the command line for the comments of the output, without control characters. */
static void note_command(struct options *o, int argc, char **argv)
{
    size_t n = (size_t)snprintf(o->command, sizeof o->command, "%s", program_name);
    for (int i = 1; i < argc; i++) {
        bool plain = strspn(argv[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./:,+") ==
                     strlen(argv[i]);
        if (n + strlen(argv[i]) + 4 > sizeof o->command)
            break;
        n += (size_t)snprintf(o->command + n, sizeof o->command - n, plain ? " %s" : " '%s'", argv[i]);
    }
    for (char *c = o->command; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
}

void parse_options(struct options *o, int argc, char **argv)
{
    static const int percentiles[] = {1, 5, 25};

    *o = (struct options){.n_sources = 0};
    note_command(o, argc, argv);
    int first = take_options(&table, o, argc, argv);
    o->percentile = percentiles[o->percentile];
    if (first < argc)
        usage("'%s': there are no arguments beside options", argv[first]);
    if (o->n_sources == 0 && o->copy == COPY_NONE && !o->own)
        usage("nothing to measure: expected --run, --archive, --from, --own, or another --copy than none");
    if (!o->own != (o->unmeasured <= 0) || (o->between && !o->own))
        usage("--own and --unmeasured belong together, and --between to them");
    if (!o->check != (o->check_unmeasured <= 0) || (o->check && !o->own))
        usage("--check and --check-unmeasured belong together, and to --own");
}
