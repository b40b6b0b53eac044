/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-synth. Times have units, numbers may have k, M or G; what makes no sense is refused with
 * what was expected. */
#include "synth.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: tcflow-synth [options] FOLDER\n"
    "\n"
    "Simulates an MPI program and writes its trace to FOLDER/traces.otf2, with clocks as wrong as you like and the "
    "true\n"
    "times known. Memory does not depend on the length of the trace.\n"
    "\n"
    "Output\n"
    "      --true-trace FOLDER  the same events with true times, as a second archive\n"
    "      --truth FILE         the clocks as knots: location,time,true_time in ticks (CSV)\n"
    "      --overwrite          replace older archives in these folders\n"
    "      --shuffle            define the locations in random order\n"
    "      --sparse             sparse location ids\n"
    "Program\n"
    "      --ranks N            MPI ranks (4)\n"
    "      --threads N          OpenMP threads of a rank (1; more than 1 adds the pattern omp)\n"
    "      --nodes N            nodes that the ranks are spread over, in blocks (2, or 1 for one rank)\n"
    "      --events N           about this many events in all (100k)\n"
    "      --duration TIME      or: this long\n"
    "      --seed N             of all random numbers (1)\n"
    "      --pattern LIST       phases, repeated in turn: ring halo sendrecv master pairs latesender imbalance\n"
    "                           collectives nonblocking omp locks rma (ring,halo,collectives)\n"
    "      --compute TIME[:F]   mean computation between communication, and its relative deviation (100us:0.2)\n"
    "      --imbalance F        the last rank computes (1 + F) times as long as the first (0)\n"
    "      --late F[:TIME]      pattern latesender: fraction of late senders, and by how much (0.3:1ms)\n"
    "      --bytes N            mean size of messages (8k)\n"
    "Machine\n"
    "      --latency T[,T[,T]]  least time of a message: between nodes, in a node, in a process (2us,500ns,100ns)\n"
    "      --jitter T[,T[,T]]   mean of the exponentially distributed time on top (1us,200ns,20ns)\n"
    "      --bandwidth N        bytes per second (10G)\n"
    "      --overhead TIME      mean time between two events of a call (100ns)\n"
    "      --recording TIME     on top of it: what it costs to record an event (0)\n"
    "Clocks\n"
    "      --resolution N       ticks per second, 1 to 10G (1G)\n"
    "      --base TIME|N        true time of the program's start, or tick (1000s, more where offsets are large)\n"
    "      --clock KEY=VALUE,...  offset=TIME   standard deviation over the clocks (0)\n"
    "                           drift=PPM     likewise (0)\n"
    "                           sine=TIME:PERIOD   amplitude and period, random phase\n"
    "                           walk=TIME     random walk: deviation after one second\n"
    "                           jumps=RATE:TIME    jumps per second, standard deviation\n"
    "                           step=TIME     clocks are linear between multiples of it (10ms)\n"
    "      --clock-per node|process   who has a clock of its own (node)\n"
    "      --wrong-reference    the clock of rank 0 deviates, too; otherwise it shows true time\n"
    "      --measure none|start|both  clock offsets in the trace, against rank 0 (none)\n"
    "      --pings N            of a measurement; the fastest one counts (10)\n"
    "\n"
    "      --version, -h, --help\n"
    "\n"
    "Example: tcflow-synth --ranks 16 --events 1M --clock offset=1ms,drift=10,sine=50us:60s --measure both \\\n"
    "             --true-trace true skewed\n"
    "Exit status: 0 done, 1 it failed, 2 usage.\n";

enum {
    TRUE_TRACE = 256,
    TRUTH,
    OVERWRITE,
    SHUFFLE,
    SPARSE,
    O_RANKS,
    THREADS,
    NODES,
    EVENTS,
    DURATION,
    SEED,
    PATTERN,
    COMPUTE,
    O_IMBALANCE,
    LATE,
    BYTES,
    LATENCY,
    JITTER,
    BANDWIDTH,
    OVERHEAD,
    RECORDING,
    RESOLUTION,
    BASE,
    CLOCK,
    CLOCK_PER,
    WRONG_REFERENCE,
    MEASURE,
    PINGS,
    VERSION
};

static const struct option long_options[] = {
    {"true-trace", required_argument, NULL, TRUE_TRACE},
    {"truth", required_argument, NULL, TRUTH},
    {"overwrite", no_argument, NULL, OVERWRITE},
    {"shuffle", no_argument, NULL, SHUFFLE},
    {"sparse", no_argument, NULL, SPARSE},
    {"ranks", required_argument, NULL, O_RANKS},
    {"threads", required_argument, NULL, THREADS},
    {"nodes", required_argument, NULL, NODES},
    {"events", required_argument, NULL, EVENTS},
    {"duration", required_argument, NULL, DURATION},
    {"seed", required_argument, NULL, SEED},
    {"pattern", required_argument, NULL, PATTERN},
    {"compute", required_argument, NULL, COMPUTE},
    {"imbalance", required_argument, NULL, O_IMBALANCE},
    {"late", required_argument, NULL, LATE},
    {"bytes", required_argument, NULL, BYTES},
    {"latency", required_argument, NULL, LATENCY},
    {"jitter", required_argument, NULL, JITTER},
    {"bandwidth", required_argument, NULL, BANDWIDTH},
    {"overhead", required_argument, NULL, OVERHEAD},
    {"recording", required_argument, NULL, RECORDING},
    {"resolution", required_argument, NULL, RESOLUTION},
    {"base", required_argument, NULL, BASE},
    {"clock", required_argument, NULL, CLOCK},
    {"clock-per", required_argument, NULL, CLOCK_PER},
    {"wrong-reference", no_argument, NULL, WRONG_REFERENCE},
    {"measure", required_argument, NULL, MEASURE},
    {"pings", required_argument, NULL, PINGS},
    {"version", no_argument, NULL, VERSION},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* ------------------------------------------------------------------------------------------------------- numbers -- */

typedef struct suffix {
    const char *text;
    double factor;
} suffix;

static const suffix times[] = {
    {"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}, {"min", 60e12}, {"h", 3600e12}, {NULL, 0},
};
static const suffix multiples[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {NULL, 0}};

/* Is TEXT a number, not negative, with one of these suffixes? */
static bool parse_with(const char *text, const suffix *known, double *value)
{
    char *end;
    double number = strtod(text, &end);

    if (end == text || !isfinite(number) || number < 0 || *text == '-')
        return false;
    for (; known->text; known++)
        if (strcmp(end, known->text) == 0) {
            *value = number * known->factor;
            return isfinite(*value);
        }
    *value = 0;
    return number == 0 && *end == '\0';
}

static double to_time(const char *option, const char *text)
{
    double ps;

    if (!parse_with(text, times, &ps) || ps > 1e19)
        synth_usage("%s '%s': expected a time such as 100us (ps, ns, us, ms, s, min, h; at most 100 days)", option,
                    text);
    return ps;
}

static double to_real(const char *option, const char *text, double most)
{
    double value;

    if (!parse_with(text, multiples, &value) || value > most)
        synth_usage("%s '%s': expected a number from 0 to %g", option, text, most);
    return value;
}

static uint64_t to_whole(const char *option, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    double value = 0;
    bool ok;

    errno = 0;
    uint64_t exact = strtoull(text, &end, 10);
    ok = *end == '\0' && end != text && errno == 0 && *text >= '0' && *text <= '9';
    if (!ok) {
        ok = parse_with(text, multiples, &value) && value < 0x1p63;
        exact = ok ? (uint64_t)value : 0;
    }
    if (!ok || exact < least || exact > most)
        synth_usage("%s '%s': expected a whole number from %" PRIu64 " to %" PRIu64, option, text, least, most);
    return exact;
}

/* Cuts TEXT at the first SEPARATOR and returns what is behind it, or NULL. */
static char *cut(char *text, char separator)
{
    char *at = text ? strchr(text, separator) : NULL;

    if (at == NULL)
        return NULL;
    *at = '\0';
    return at + 1;
}

/* ------------------------------------------------------------------------------------------------------- options -- */

static void to_patterns(options *o, char *text)
{
    static const char *const names[PATTERNS] = {
        [RING] = "ring",
        [HALO] = "halo",
        [SENDRECV] = "sendrecv",
        [MASTER] = "master",
        [PAIRS] = "pairs",
        [LATE_SENDER] = "latesender",
        [IMBALANCE] = "imbalance",
        [COLLECTIVES] = "collectives",
        [NONBLOCKING] = "nonblocking",
        [OMP] = "omp",
        [LOCKS] = "locks",
        [RMA] = "rma",
    };

    o->n_phases = 0;
    while (text) {
        char *next = cut(text, ',');
        uint32_t p = 0;
        while (p < PATTERNS && strcmp(text, names[p]) != 0)
            p++;
        if (p == PATTERNS)
            synth_usage("--pattern: '%s' is no pattern; --help lists them", text);
        if (o->n_phases == MOST_PHASES - 1)
            synth_usage("--pattern: more than %d phases", MOST_PHASES - 1);
        o->phases[o->n_phases++] = (enum pattern)p;
        text = next;
    }
}

/* One value is for messages between nodes; others follow. */
static void to_distances(const char *option, double *values, char *text)
{
    for (int d = OTHER_NODE; d >= SAME_PROCESS && text; d--) {
        char *next = cut(text, ',');
        values[d] = to_time(option, text);
        text = next;
    }
    if (text)
        synth_usage("%s: at most three times: between nodes, in a node, in a process", option);
}

static void to_clock(clock_model *m, char *text)
{
    while (text) {
        char *next = cut(text, ','), *value = cut(text, '='), *second = cut(value, ':');
        bool wants_second = strcmp(text, "sine") == 0 || strcmp(text, "jumps") == 0;
        if (value == NULL || wants_second != (second != NULL))
            synth_usage(
                "--clock '%s': expected offset=TIME, drift=PPM, sine=TIME:PERIOD, walk=TIME, jumps=RATE:TIME or "
                "step=TIME",
                text);
        if (strcmp(text, "offset") == 0) {
            m->offset = to_time("--clock offset", value);
        } else if (strcmp(text, "drift") == 0) {
            m->drift = to_real("--clock drift", value, 1e6) * 1e-6;
        } else if (strcmp(text, "sine") == 0) {
            m->sine = to_time("--clock sine", value);
            m->sine_period = to_time("--clock sine", second);
            if (m->sine_period <= 0)
                synth_usage("--clock sine: the period must be more than 0");
        } else if (strcmp(text, "walk") == 0) {
            m->walk = to_time("--clock walk", value);
        } else if (strcmp(text, "jumps") == 0) {
            m->jump_rate = to_real("--clock jumps", value, 1e6) / PS_PER_SECOND;
            m->jump = to_time("--clock jumps", second);
        } else if (strcmp(text, "step") == 0) {
            m->step = to_time("--clock step", value);
            if (m->step < 1e6)
                synth_usage("--clock step: at least 1us");
        } else {
            synth_usage("--clock: '%s' is unknown; expected offset, drift, sine, walk, jumps or step", text);
        }
        text = next;
    }
}

static void take_program(options *o, int option, char *text)
{
    char *second;

    switch (option) {
    case O_RANKS:
        o->ranks = (uint32_t)to_whole("--ranks", text, 1, MOST_RANKS);
        break;
    case THREADS:
        o->threads = (uint32_t)to_whole("--threads", text, 1, MOST_THREADS);
        break;
    case NODES:
        o->nodes = (uint32_t)to_whole("--nodes", text, 1, MOST_RANKS);
        break;
    case EVENTS:
        o->events = to_whole("--events", text, 1, INT64_MAX);
        break;
    case DURATION:
        o->duration = (uint64_t)to_time("--duration", text);
        if (o->duration == 0 || o->duration > (uint64_t)4 << 60)
            synth_usage("--duration '%s': expected more than 0 and at most 50 days", text);
        break;
    case SEED:
        o->seed = to_whole("--seed", text, 0, UINT64_MAX);
        break;
    case PATTERN:
        to_patterns(o, text);
        break;
    case COMPUTE:
        second = cut(text, ':');
        o->compute = to_time("--compute", text);
        if (second)
            o->compute_variation = to_real("--compute", second, 10);
        break;
    case O_IMBALANCE:
        o->imbalance = to_real("--imbalance", text, 1e6);
        break;
    case LATE:
        second = cut(text, ':');
        o->late_fraction = to_real("--late", text, 1);
        if (second)
            o->late = to_time("--late", second);
        break;
    default:
        o->bytes = to_whole("--bytes", text, 0, (uint64_t)1 << 40);
        break;
    }
}

static void take_base(options *o, const char *text)
{
    double ps;

    o->has_base = true;
    if (strspn(text, "0123456789") == strlen(text)) {
        o->base = to_whole("--base", text, 0, UINT64_MAX - 1);
        return;
    }
    /* Known in ticks only when the resolution is. */
    if (!parse_with(text, times, &ps))
        synth_usage("--base '%s': expected a time such as 1000s, or a whole number of ticks", text);
    o->has_base = false;
    o->base = (uint64_t)fmin(ps / PS_PER_SECOND, 1e18);
    if (o->base == 0 && ps > 0)
        synth_usage("--base '%s': expected whole seconds, or ticks", text);
}

static void take_machine(options *o, int option, char *text)
{
    double value;

    switch (option) {
    case LATENCY:
        to_distances("--latency", o->latency, text);
        break;
    case JITTER:
        to_distances("--jitter", o->jitter, text);
        break;
    case BANDWIDTH:
        value = to_real("--bandwidth", text, 1e18);
        if (value < 1)
            synth_usage("--bandwidth '%s': at least 1 byte per second", text);
        o->ps_per_byte = PS_PER_SECOND / value;
        break;
    case OVERHEAD:
        o->overhead = to_time("--overhead", text);
        break;
    case RECORDING:
        o->recording = (uint64_t)to_time("--recording", text);
        break;
    case RESOLUTION:
        o->resolution = to_whole("--resolution", text, 1, 10000000000);
        break;
    case BASE:
        take_base(o, text);
        break;
    case CLOCK:
        to_clock(&o->clock, text);
        break;
    case CLOCK_PER:
        o->per_process = strcmp(text, "process") == 0;
        if (!o->per_process && strcmp(text, "node") != 0)
            synth_usage("--clock-per '%s': expected node or process", text);
        break;
    case MEASURE:
        o->measure = strcmp(text, "both") == 0    ? MEASURE_BOTH
                     : strcmp(text, "start") == 0 ? MEASURE_START
                                                  : MEASURE_NONE;
        if (o->measure == MEASURE_NONE && strcmp(text, "none") != 0)
            synth_usage("--measure '%s': expected none, start or both", text);
        break;
    default:
        o->pings = (uint32_t)to_whole("--pings", text, 1, 100000);
        break;
    }
}

_Noreturn static void say_and_leave(const char *text)
{
    if (fputs(text, stdout) == EOF || fflush(stdout) != 0)
        synth_fail("cannot write to standard output: %s", strerror(errno));
    exit(EXIT_SUCCESS);
}

static void take_option(options *o, int option, char *text)
{
    switch (option) {
    case TRUE_TRACE:
        o->true_output = text;
        break;
    case TRUTH:
        o->truth = text;
        break;
    case OVERWRITE:
        o->overwrite = true;
        break;
    case SHUFFLE:
        o->shuffle = true;
        break;
    case SPARSE:
        o->sparse = true;
        break;
    case WRONG_REFERENCE:
        o->clock.reference_is_wrong = true;
        break;
    case VERSION:
        say_and_leave("tcflow-synth (" PACKAGE_STRING ")\n");
    case 'h':
        say_and_leave(help_text);
    case '?':
        fputs("Try 'tcflow-synth --help'.\n", stderr);
        exit(EXIT_USAGE);
    default:
        if (option <= BYTES)
            take_program(o, option, text);
        else
            take_machine(o, option, text);
    }
}

/* What options say together. */
static void complete(options *o, bool has_nodes)
{
    double seconds = (double)o->base;

    if (!has_nodes)
        o->nodes = o->ranks > 1 ? 2 : 1;
    if (o->nodes > o->ranks)
        synth_usage("--nodes %" PRIu32 ": there are not more than %" PRIu32 " ranks", o->nodes, o->ranks);
    if ((uint64_t)o->ranks * o->threads > MOST_RANKS)
        synth_usage("%" PRIu32 " ranks with %" PRIu32 " threads: at most %d locations in all", o->ranks, o->threads,
                    MOST_RANKS);
    if (o->events > 0 && o->duration > 0)
        synth_usage("--events or --duration, not both");
    if (o->events == 0 && o->duration == 0)
        o->events = 100000;
    if (o->true_output && strcmp(o->true_output, o->output) == 0)
        synth_usage("both traces go to '%s'", o->output);
    bool has_omp = false;
    for (uint32_t i = 0; i < o->n_phases; i++)
        has_omp = has_omp || o->phases[i] == OMP || o->phases[i] == LOCKS;
    if (o->threads > 1 && !has_omp)
        o->phases[o->n_phases++] = OMP;
    if (o->clock.offset > 1e17 || o->clock.sine > 1e17)
        synth_usage("--clock: offsets of more than a day");
    if (o->has_base)
        return;
    if (seconds == 0)
        seconds = fmax(1000, ceil(10 * (o->clock.offset + o->clock.sine) / PS_PER_SECOND));
    if (seconds * (double)o->resolution > 1.8e19)
        synth_usage("--base: %g s are more than 2^64 ticks of a clock with %" PRIu64 " ticks per second", seconds,
                    o->resolution);
    o->base = (uint64_t)seconds * o->resolution;
}

void parse_options(options *o, int argc, char **argv)
{
    bool has_nodes = false;

    *o = (options){.ranks = 4,
                   .threads = 1,
                   .pings = 10,
                   .seed = 1,
                   .resolution = 1000000000,
                   .bytes = 8000,
                   .phases = {RING, HALO, COLLECTIVES},
                   .n_phases = 3,
                   .compute = 100e6,
                   .compute_variation = 0.2,
                   .late_fraction = 0.3,
                   .late = 1e9,
                   .latency = {100e3, 500e3, 2e6},
                   .jitter = {20e3, 200e3, 1e6},
                   .ps_per_byte = 100,
                   .overhead = 100e3,
                   .clock = {.step = 10e9}};
    for (int option; (option = getopt_long(argc, argv, "h", long_options, NULL)) != -1;) {
        has_nodes = has_nodes || option == NODES;
        take_option(o, option, optarg);
    }
    if (optind + 1 != argc)
        synth_usage(optind == argc ? "where to? Name the folder of the trace" : "more than one folder");
    o->output = argv[optind];
    complete(o, has_nodes);
}
