/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-calibrate. */
#include "calibrate.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: tcflow-calibrate [options]\n"
    "\n"
    "Measures what recording an event and copying a message cost, and writes a section [overhead] for tcflow.\n"
    "\n"
    "Overhead of recording\n"
    "      --run COMMAND      run COMMAND by the shell: a measurement system that records a loop of empty calls.\n"
    "                         $TCFLOW_LOOP is such a program, $TCFLOW_PINGPONG one with MPI messages; the archive "
    "goes\n"
    "                         to the folder $TCFLOW_DIR\n"
    "      --archive PATH     anchor file of the archive: of the --run before it, or of one recorded earlier\n"
    "      --from TRACE       estimate it from the trace of any program: the shortest distances, which are bounds\n"
    "      --own TRACE        what an event costs in this very program: with it TRACE takes as long as --unmeasured "
    "says\n"
    "      --unmeasured TIME  how long the program runs unmeasured, such as 17.2ms\n"
    "      --between REGION   both times are those between the last two calls of REGION (all of the trace)\n"
    "      --region NAME      the empty calls (those of which there are the most)\n"
    "      --calls N          of $TCFLOW_LOOP (100k)\n"
    "      --estimate HOW     median, mean (without interruptions), or auto: median where the clock is fine enough "
    "(auto)\n"
    "      --percentile N     of calls that are not empty, 1, 5 or 25 (5)\n"
    "Cost of copying\n"
    "      --copy HOW         warm, cold: memcpy with data in the cache or not; mpi: ping-pong; none (warm)\n"
    "      --sizes A:B        smallest and largest size, in powers of two (8:64M)\n"
    "      --mpirun COMMAND   that starts the ping-pong (mpirun -n 2)\n"
    "Output\n"
    "  -o, --output FILE      write to FILE instead of standard output\n"
    "      --force            replace FILE if it exists\n"
    "      --tcflow PATH      the tcflow to read archives with (the one beside this program)\n"
    "\n"
    "      --version, -h, --help\n"
    "\n"
    "Example: tcflow-calibrate --run 'eztrace -t pthread -o $TCFLOW_DIR $TCFLOW_LOOP' -o overhead.ini\n"
    "Exit status: 0 done, 1 it failed, 2 usage.\n";

enum {
    RUN = 256,
    ARCHIVE,
    FROM,
    REGION,
    CALLS,
    ESTIMATE,
    PERCENTILE,
    COPY,
    SIZES,
    MPIRUN,
    OWN,
    UNMEASURED,
    BETWEEN,
    FORCE,
    TCFLOW,
    VERSION
};

static const struct option long_options[] = {
    {"run", required_argument, NULL, RUN},
    {"archive", required_argument, NULL, ARCHIVE},
    {"from", required_argument, NULL, FROM},
    {"region", required_argument, NULL, REGION},
    {"calls", required_argument, NULL, CALLS},
    {"estimate", required_argument, NULL, ESTIMATE},
    {"percentile", required_argument, NULL, PERCENTILE},
    {"copy", required_argument, NULL, COPY},
    {"sizes", required_argument, NULL, SIZES},
    {"mpirun", required_argument, NULL, MPIRUN},
    {"output", required_argument, NULL, 'o'},
    {"own", required_argument, NULL, OWN},
    {"unmeasured", required_argument, NULL, UNMEASURED},
    {"between", required_argument, NULL, BETWEEN},
    {"force", no_argument, NULL, FORCE},
    {"tcflow", required_argument, NULL, TCFLOW},
    {"version", no_argument, NULL, VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* A whole number with k, M, G (1000) or KiB, MiB, GiB behind it; *end: what follows. */
static bool to_number(const char *text, char **end, uint64_t *value)
{
    static const struct {
        const char *text;
        uint64_t factor;
    } suffixes[] = {{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
                    {"k", 1000},      {"M", 1000000},   {"G", 1000000000}};
    errno = 0;
    *value = strtoull(text, end, 10);
    if (*end == text || *text < '0' || *text > '9' || errno != 0)
        return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (strncmp(*end, suffixes[i].text, strlen(suffixes[i].text)) == 0) {
            *end += strlen(suffixes[i].text);
            return !__builtin_mul_overflow(*value, suffixes[i].factor, value);
        }
    return true;
}

static uint64_t to_whole(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value;
    if (!to_number(text, &end, &value) || *end != '\0' || value < least || value > most)
        usage("%s '%s': expected a whole number from %" PRIu64 " to %" PRIu64, option, text, least, most);
    return value;
}

/* The power of two that is meant: 64M is 64 MiB. */
static uint64_t to_power(uint64_t value)
{
    uint64_t power = 1;
    while (power < value)
        power *= 2;
    return power - value > value - power / 2 ? power / 2 : power;
}

static void to_sizes(struct options *o, const char *text)
{
    char *end;
    bool ok = to_number(text, &end, &o->smallest) && *end == ':' && o->smallest >= 1;
    ok = ok && to_number(end + 1, &end, &o->largest) && *end == '\0' && o->largest <= UINT64_C(1) << 30;
    if (!ok || o->smallest > o->largest)
        usage("--sizes '%s': expected two sizes from 1 to 1GiB, the smaller one first, such as 8:64MiB", text);
    o->smallest = to_power(o->smallest);
    o->largest = to_power(o->largest);
}

static double to_seconds(const char *option, const char *text)
{
    static const struct {
        const char *text;
        double factor;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    char *end;
    double value = strtod(text, &end);
    for (size_t i = 0; *text >= '0' && *text <= '9' && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(end, units[i].text) == 0 && value > 0 && value < 1e9)
            return value * units[i].factor;
    usage("%s '%s': expected a time, such as 17.2ms or 3s", option, text);
}

/* Position of TEXT in a list of words, from 0 on. */
static int to_choice(const char *option, const char *text, const char *const *words)
{
    char list[200] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", words[i]);
    }
    usage("%s '%s': expected one of %s", option, text, list);
}

static void add_source(struct options *o, const char *command, const char *archive, bool from)
{
    if (archive && !from && o->n_sources > 0 && o->source[o->n_sources - 1].command &&
        !o->source[o->n_sources - 1].archive) {
        o->source[o->n_sources - 1].archive = archive;
        return;
    }
    if (o->n_sources == MOST_SOURCES)
        usage("more than %d of --run, --archive and --from", MOST_SOURCES);
    o->source[o->n_sources++] = (struct source){command, archive, from};
}

static void take(struct options *o, int option, const char *text)
{
    static const char *const estimates[] = {"auto", "median", "mean", NULL};
    static const char *const percentiles[] = {"1", "5", "25", NULL};
    static const char *const copies[] = {"none", "warm", "cold", "mpi", NULL};
    static const int percents[] = {1, 5, 25};

    if (option == RUN)
        add_source(o, text, NULL, false);
    else if (option == ARCHIVE || option == FROM)
        add_source(o, NULL, text, option == FROM);
    else if (option == REGION)
        o->region = text;
    else if (option == CALLS)
        o->calls = to_whole("--calls", text, 1, 1000000000);
    else if (option == ESTIMATE)
        o->estimate = (enum estimate)to_choice("--estimate", text, estimates);
    else if (option == PERCENTILE)
        o->percentile = percents[to_choice("--percentile", text, percentiles)];
    else if (option == COPY)
        o->copy = (enum copy)to_choice("--copy", text, copies);
    else if (option == SIZES)
        to_sizes(o, text);
    else if (option == MPIRUN)
        o->mpirun = text;
    else if (option == OWN)
        o->own = text;
    else if (option == UNMEASURED)
        o->unmeasured = to_seconds("--unmeasured", text);
    else if (option == BETWEEN)
        o->between = text;
    else if (option == 'o')
        o->output = strcmp(text, "-") == 0 ? NULL : text;
    else if (option == FORCE)
        o->force = true;
    else
        o->tcflow = text;
}

/* For the comments; what no line of a file can hold is left out. */
static void note_command(struct options *o, int argc, char **argv)
{
    size_t n = (size_t)snprintf(o->command, sizeof o->command, "tcflow-calibrate");
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
    int option;
    *o = (struct options){.calls = 100000,
                          .percentile = 5,
                          .copy = COPY_WARM,
                          .smallest = 8,
                          .largest = 1 << 26,
                          .mpirun = "mpirun -n 2"};
    note_command(o, argc, argv);
    while ((option = getopt_long(argc, argv, "ho:", long_options, NULL)) != -1) {
        if (option == '?')
            usage("this is no valid command line");
        if (option == 'h' || option == VERSION) {
            fputs(option == 'h' ? help_text : "tcflow-calibrate " PACKAGE_VERSION "\n", stdout);
            exit(fflush(stdout) == 0 ? EXIT_DONE : EXIT_FAILED);
        }
        take(o, option, optarg);
    }
    if (optind < argc)
        usage("'%s': there are no arguments beside options", argv[optind]);
    if (o->n_sources == 0 && o->copy == COPY_NONE && !o->own)
        usage("nothing to measure: expected --run, --archive, --from, --own, or another --copy than none");
    if (!o->own != (o->unmeasured <= 0) || (o->between && !o->own))
        usage("--own and --unmeasured belong together, and --between to them");
}
