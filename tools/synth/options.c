/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command line of tcflow-synth. */
#include "framework/base/error.h"
#include "framework/base/units.h"
#include "synth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- numbers -- */

enum { VALUE_BYTES = 1024 };

/* Copies a value, to be cut into pieces. */
static tcf_status to_pieces(const char *option, const char *value, char to[VALUE_BYTES])
{
    int n = snprintf(to, VALUE_BYTES, "%s", value);
    return n < VALUE_BYTES ? TCF_OK : error_usage("%s: the value is too long", option);
}

static tcf_status take_time(void *to, const char *what, const char *value)
{
    double ps;

    if (*value == '-' || units_time(value, PS_PER_SECOND, &ps) || ps > 1e19)
        return error_usage("%s '%s': expected a time such as 100us (ps, ns, us, ms, s, min, h; at most 100 days)", what,
                           value);
    *(double *)to = ps;
    return TCF_OK;
}

static tcf_status to_real(const char *option, const char *text, double most, double *to)
{
    double value;

    if (*text == '-' || units_double(text, &value) || value > most)
        return error_usage("%s '%s': expected a number from 0 to %g", option, text, most);
    *to = value;
    return TCF_OK;
}

/* Times of messages between nodes, in a node and in a process; the last ones may be missing. */
static tcf_status take_distances(void *to, const char *what, const char *value)
{
    double *values = to;
    char list[VALUE_BYTES], *rest = list;

    if (to_pieces(what, value, list) != TCF_OK)
        return TCF_ERROR;
    for (int d = OTHER_NODE; d >= SAME_PROCESS && rest; d--)
        if (take_time(&values[d], what, strsep(&rest, ",")) != TCF_OK)
            return TCF_ERROR;
    return rest ? error_usage("%s: at most three times: between nodes, in a node, in a process", what) : TCF_OK;
}

static tcf_status take_number(void *to, const char *what, const char *value)
{
    return to_real(what, value, 1e6, to);
}

/* KEY=VALUE of --clock, or KEY=VALUE:VALUE. */
typedef tcf_status take_function(void *to, const char *what, const char *value);
#define AT(member) offsetof(clock_model, member)
static const struct {
    const char *key;
    take_function *take[2];
    size_t at[2];
} clock_keys[] = {
    {"offset", {take_time}, {AT(offset)}},
    {"drift", {take_number}, {AT(drift)}},
    {"sine", {take_time, take_time}, {AT(sine), AT(sine_period)}},
    {"walk", {take_time}, {AT(walk)}},
    {"jumps", {take_number, take_time}, {AT(jump_rate), AT(jump)}},
    {"step", {take_time}, {AT(step)}},
};
#undef AT

/* ------------------------------------------------------------------------------------------------------- options -- */

static tcf_status take_patterns(void *conf, const char *what, const char *value)
{
    options *o = conf;
    char list[VALUE_BYTES], *rest = list;

    if (to_pieces(what, value, list) != TCF_OK)
        return TCF_ERROR;
    o->n_phases = 0;
    for (char *text; (text = strsep(&rest, ",")) != NULL;) {
        const pattern *found = find_pattern(text);
        if (!found)
            return error_usage("%s: '%s' is no pattern; --help lists them", what, text);
        if (o->n_phases == MOST_PHASES - 1)
            return error_usage("%s: more than %d phases", what, MOST_PHASES - 1);
        o->phases[o->n_phases++] = found;
    }
    return TCF_OK;
}

/* `second`: what stands behind a colon in the value, or NULL. */
static tcf_status to_clock(clock_model *m, const char *key, const char *value, const char *second)
{
    char what[64];
    size_t i = 0;

    snprintf(what, sizeof what, "--clock %.20s", key);
    while (i < TCF_COUNT(clock_keys) && strcmp(clock_keys[i].key, key) != 0)
        i++;
    if (!value || (i < TCF_COUNT(clock_keys) ? clock_keys[i].take[1] != NULL : 0) != (second != NULL))
        return error_usage(
            "--clock '%s': expected offset=TIME, drift=PPM, sine=TIME:PERIOD, walk=TIME, jumps=RATE:TIME "
            "or step=TIME",
            key);
    if (i == TCF_COUNT(clock_keys))
        return error_usage("--clock: '%s' is unknown; expected offset, drift, sine, walk, jumps or step", key);
    for (int k = 0; k < 2 && clock_keys[i].take[k]; k++)
        if (clock_keys[i].take[k]((char *)m + clock_keys[i].at[k], what, k ? second : value) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static tcf_status take_clock(void *conf, const char *what, const char *value)
{
    char list[VALUE_BYTES], *rest = list;

    if (to_pieces(what, value, list) != TCF_OK)
        return TCF_ERROR;
    for (char *of; (of = strsep(&rest, ",")) != NULL;) {
        const char *key = strsep(&of, "="), *first = strsep(&of, ":");
        if (to_clock(&((options *)conf)->clock, key, first, of) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status take_duration(void *conf, const char *what, const char *value)
{
    double ps = 0;

    if (take_time(&ps, what, value) != TCF_OK)
        return TCF_ERROR;
    ((options *)conf)->duration = (uint64_t)ps;
    if (ps < 1 || ps > (double)((uint64_t)4 << 60))
        return error_usage("%s '%s': expected more than 0 and at most 50 days", what, value);
    return TCF_OK;
}

static tcf_status take_compute(void *conf, const char *what, const char *value)
{
    options *o = conf;
    char both[VALUE_BYTES], *variation = both;

    if (to_pieces(what, value, both) != TCF_OK)
        return TCF_ERROR;
    strsep(&variation, ":");
    if (variation && to_real(what, variation, 10, &o->compute_variation) != TCF_OK)
        return TCF_ERROR;
    return take_time(&o->compute, what, both);
}

static tcf_status take_late(void *conf, const char *what, const char *value)
{
    options *o = conf;
    char both[VALUE_BYTES], *late = both;

    if (to_pieces(what, value, both) != TCF_OK)
        return TCF_ERROR;
    strsep(&late, ":");
    if (late && take_time(&o->late, what, late) != TCF_OK)
        return TCF_ERROR;
    return to_real(what, both, 1, &o->late_fraction);
}

/* Cuts RANK: and the name of a region, which may have colons itself, off `text`; the region is REGIONS if there is
 * none. */
static uint32_t cut_region(char **text)
{
    static const char *const names[] = {
#define NAME(number, name, role, paradigm) name,
        REGIONS_LIST(NAME)
#undef NAME
    };
    uint32_t region = 0;
    size_t n = 0;

    for (; region < REGIONS; region++) {
        n = strlen(names[region]);
        if (*text && strncmp(*text, names[region], n) == 0 && (*text)[n] == ':')
            break;
    }
    *text = region < REGIONS ? *text + n + 1 : NULL;
    return region;
}

static tcf_status take_delay(void *conf, const char *what, const char *value)
{
    options *o = conf;
    delay *d = &o->delays[o->n_delays];
    char all[VALUE_BYTES], *rest = all;
    uint64_t rank;

    if (to_pieces(what, value, all) != TCF_OK)
        return TCF_ERROR;
    if (o->n_delays == MOST_DELAYS)
        return error_usage("%s: more than %d delays", what, MOST_DELAYS);
    const char *number = strsep(&rest, ":");
    if (units_size(number, &rank) || rank >= MOST_RANKS || (d->region = cut_region(&rest)) == REGIONS)
        return error_usage("%s '%s': expected RANK:REGION:TIME[:FROM[:TO]] with a region of this program, such as "
                           "3:compute:5ms:1s",
                           what, value);
    d->rank = (uint32_t)rank;
    const char *time = strsep(&rest, ":"), *from = strsep(&rest, ":");
    d->to = INFINITY;
    if (take_time(&d->time, what, time) != TCF_OK || (from && take_time(&d->from, what, from) != TCF_OK) ||
        (rest && take_time(&d->to, what, rest) != TCF_OK))
        return TCF_ERROR;
    o->n_delays++;
    return TCF_OK;
}

static tcf_status take_base(void *conf, const char *what, const char *value)
{
    options *o = conf;
    double ps = 0;

    o->has_base = strspn(value, "0123456789") == strlen(value);
    if (o->has_base) {
        const char *wrong = units_size(value, &o->base);
        if (wrong || o->base == UINT64_MAX)
            return error_usage("%s '%s' %s", what, value, wrong ? wrong : "is too large");
        return TCF_OK;
    }
    /* complete() turns seconds into ticks, when the resolution is known. */
    if (*value == '-' || units_time(value, PS_PER_SECOND, &ps))
        return error_usage("%s '%s': expected a time such as 1000s, or a whole number of ticks", what, value);
    o->base = (uint64_t)fmin(ps / PS_PER_SECOND, 1e18);
    if (o->base == 0 && ps > 0)
        return error_usage("%s '%s': expected whole seconds, or ticks", what, value);
    return TCF_OK;
}

#define AT(member) .offset = offsetof(options, member)
#define NUMBER(member, least, most) TCF_SIZE, AT(member), .min = least, .max = most
static const option_row rows[] = {
    {.help = "Output"},
    {0, "true-trace", "FOLDER", "the same events with true times, as a second archive", TCF_OUTPUT_PATH,
     AT(true_output)},
    {0, "truth", "FILE", "the clocks as knots: location,time,true_time in ticks (CSV)", TCF_OUTPUT_PATH, AT(truth)},
    {0, "overwrite", NULL, "replace older archives in these folders", AT(overwrite)},
    {0, "shuffle", NULL, "define the locations in random order", AT(shuffle)},
    {0, "sparse", NULL, "sparse location ids", AT(sparse)},
    {.help = "Program"},
    {0, "ranks", "N", "MPI ranks", NUMBER(ranks, "1", "1048576"), .default_value = "4"},
    {0, "threads", "N", "OpenMP threads of a rank; more than 1 adds the pattern omp", NUMBER(threads, "1", "1024"),
     .default_value = "1"},
    {0, "nodes", "N", "nodes that the ranks are spread over, in blocks (2, or 1 for one rank)",
     NUMBER(nodes, "1", "1048576")},
    {0, "events", "N", "about this many events in all (100k)", NUMBER(events, "1", "9223372036854775807")},
    {0, "duration", "TIME", "or: this long", .take = take_duration},
    {0, "seed", "N", "of all random numbers", NUMBER(seed, NULL, NULL), .default_value = "1"},
    {0, "pattern", "LIST",
     "phases, repeated in turn: ring halo sendrecv master pairs latesender latereceiver\n"
     "imbalance collectives nonblocking omp locks rma\n"
     "barrier broadcast reduce allreduce alltoall serial output wrongorder",
     .take = take_patterns, .default_value = "ring,halo,collectives"},
    {0, "compute", "TIME[:F]", "mean computation between communication, and its relative deviation",
     .take = take_compute, .default_value = "100us:0.2"},
    {0, "imbalance", "F", "the last rank computes (1 + F) times as long as the first", TCF_DOUBLE, AT(imbalance),
     .default_value = "0", .min = "0", .max = "1e6"},
    {0, "late", "F[:TIME]", "pattern latesender: fraction of late senders, and by how much", .take = take_late,
     .default_value = "0.3:1ms"},
    {0, "delay", "RANK:REGION:TIME[:FROM[:TO]]",
     "the rank takes TIME longer whenever it enters the region, from FROM after the start\n"
     "on, up to TO; may be repeated",
     .take = take_delay},
    {0, "bytes", "N", "mean size of messages", NUMBER(bytes, NULL, "1TiB"), .default_value = "8k"},
    {.help = "Machine"},
    {0, "latency", "T[,T[,T]]", "least time of a message: between nodes, in a node, in a process", AT(latency),
     .take = take_distances, .default_value = "2us,500ns,100ns"},
    {0, "jitter", "T[,T[,T]]", "mean of the exponentially distributed time on top", AT(jitter), .take = take_distances,
     .default_value = "1us,200ns,20ns"},
    {0, "bandwidth", "N", "bytes per second", NUMBER(bandwidth, "1", "1000000T"), .default_value = "10G"},
    {0, "overhead", "TIME", "mean time between two events of a call", AT(overhead), .take = take_time,
     .default_value = "100ns"},
    {0, "recording", "TIME", "on top of it: what it costs to record an event", AT(recording), .take = take_time,
     .default_value = "0"},
    {.help = "Clocks"},
    {0, "resolution", "N", "ticks per second, 1 to 10G", NUMBER(resolution, "1", "10G"), .default_value = "1G"},
    {0, "base", "TIME|N", "true time of the program's start, or tick (1000s, more where offsets are large)",
     .take = take_base},
    {0, "clock", "KEY=VALUE,...",
     "offset=TIME   standard deviation over the clocks (0)\n"
     "drift=PPM     likewise (0)\n"
     "sine=TIME:PERIOD   amplitude and period, random phase\n"
     "walk=TIME     random walk: deviation after one second\n"
     "jumps=RATE:TIME    jumps per second, standard deviation\n"
     "step=TIME     clocks are linear between multiples of it (10ms)",
     .take = take_clock},
    {0, "clock-per", "node|process", "what has a clock of its own", TCF_ENUM, AT(per_process), .default_value = "node",
     .choices = "node|process"},
    {0, "wrong-reference", NULL, "the clock of rank 0 deviates, too; otherwise it shows true time",
     AT(clock.reference_is_wrong)},
    {0, "measure", "none|start|both", "clock offsets in the trace, against rank 0", TCF_ENUM, AT(measure),
     .default_value = "none", .choices = "none|start|both"},
    {0, "pings", "N", "of a measurement; the fastest one counts", NUMBER(pings, "1", "100000"), .default_value = "10"},
    {.help = ""},
};
#undef NUMBER
#undef AT

static const option_table table = {
    .program = program_name,
    .rows = rows,
    .n_rows = TCF_COUNT(rows),
    .above = "Usage: tcflow-synth [options] FOLDER\n"
             "\n"
             "Simulates an MPI program and writes its trace to FOLDER/traces.otf2, with clocks as wrong as you like\n"
             "and the true times known. Memory does not depend on the length of the trace.\n"
             "\n",
    .below =
        "\n"
        "Example: tcflow-synth --ranks 16 --events 1M --clock offset=1ms,drift=10,sine=50us:60s --measure both \\\n"
        "             --true-trace true skewed\n"
        "Exit status: 0 done, 1 it failed, 2 usage.\n",
};

_Static_assert(MOST_RANKS == 1048576 && MOST_THREADS == 1024, "the limits in the table");

/* Checks options against each other and sets the defaults that depend on others. */
static void complete(options *o)
{
    double seconds = (double)o->base;

    if (o->nodes == 0)
        o->nodes = o->ranks > 1 ? 2 : 1;
    if (o->nodes > o->ranks)
        usage("--nodes %" PRIu64 ": there are not more than %" PRIu64 " ranks", o->nodes, o->ranks);
    if (locations_of(o) > MOST_RANKS)
        usage("%" PRIu64 " ranks with %" PRIu64 " threads: at most %d locations in all", o->ranks, o->threads,
              MOST_RANKS);
    if (o->events > 0 && o->duration > 0)
        usage("--events or --duration, not both");
    if (o->events == 0 && o->duration == 0)
        o->events = 100000;
    for (uint32_t i = 0; i < o->n_delays; i++)
        if (o->delays[i].rank >= o->ranks)
            usage("--delay: there is no rank %" PRIu32 ", the last one is %" PRIu64, o->delays[i].rank, o->ranks - 1);
    if (o->true_output && strcmp(o->true_output, o->output) == 0)
        usage("both traces go to '%s'", o->output);
    bool has_omp = false;
    for (uint32_t i = 0; i < o->n_phases; i++)
        has_omp |= o->phases[i]->needs & TEAMS;
    if (o->threads > 1 && !has_omp)
        o->phases[o->n_phases++] = find_pattern("omp");
    if (o->clock.sine_period <= 0)
        usage("--clock sine: the period must be more than 0");
    if (o->clock.step < 1e6)
        usage("--clock step: at least 1us");
    o->clock.drift *= 1e-6;
    o->clock.jump_rate /= PS_PER_SECOND;
    if (o->clock.offset > 1e17 || o->clock.sine > 1e17)
        usage("--clock: offsets of more than a day");
    if (o->has_base)
        return;
    if (seconds == 0)
        seconds = fmax(1000, ceil(10 * (o->clock.offset + o->clock.sine) / PS_PER_SECOND));
    if (seconds * (double)o->resolution > 1.8e19)
        usage("--base: %g s are more than 2^64 ticks of a clock with %" PRIu64 " ticks per second", seconds,
              o->resolution);
    o->base = (uint64_t)seconds * o->resolution;
}

void parse_options(options *o, int argc, char **argv)
{
    *o = (options){.clock = {.sine_period = 1, .step = 10e9}};
    int first = take_options(&table, o, argc, argv);

    if (first + 1 != argc)
        usage(first == argc ? "where to? Name the folder of the trace" : "more than one folder");
    o->output = argv[first];
    complete(o);
}
