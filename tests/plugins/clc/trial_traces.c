/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The traces of trials: their kinds, drawn at random or as asked for, simulated programs, damage. See trials.h. */
#include "trials.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct kind trial_kinds[] = {
    {"messages", 0, {.features = MESSAGES}},
    {"collectives", 0, {.features = COLLECTIVES}},
    {"threads", 0, {.features = RT_P2P | RT_COLLECTIVES | THREADS}},
    {"threads that communicate", REMATCHED, {.features = COMMUNICATING}},
    {"everything", 0, {.features = SINGLE | THREADS | RT_ATTRIBUTES | RT_METRICS}},
    {"losses",
     0,
     {.features = SINGLE, .lose_sends = 0.05, .lose_receives = 0.05, .never_complete = 0.05, .end_early = 0.2}},
    {"locations that end early", 0, {.features = SINGLE | THREADS, .end_early = 0.2}},
    {"damaged files", DAMAGED, {.features = SINGLE}},
    {"odd archives",
     0,
     {.features = SINGLE, .sparse_locations = 1, .comms_per_rank = 1, .repeat_definitions = 1, .empty_locations = 1}},
    {"processes of several ranks", 0, {.features = SINGLE | THREADS, .ranks_per_process = 2}},
    {"anything", ANYTHING, {0}},
    {"what few traces have", 0, {.features = SINGLE | THREADS | RARE}},
    {"anything, and what few traces have", ANYTHING | UNUSUAL, {0}},
    {"teams of all sizes",
     0,
     {.features = SINGLE | THREADS | RT_NESTED | RT_MPI_INSIDE | RT_TEAM_SIZES,
      .omp_threads = 5,
      .lose_measurements = 0.3}},
    {"any thread of a process",
     REMATCHED,
     {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES}},
    {"calls of threads that cross",
     REMATCHED | MISLEADING,
     {.features = SINGLE | THREADS | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES | RT_CROSSED}},
    {"anything, and any thread", REMATCHED | MISLEADING | ANYTHING | UNUSUAL | ANY_THREAD, {0}},
    {"persistent requests", 0, {.features = SINGLE | RT_PERSISTENT}},
    {"anything, and persistent requests", ANYTHING | UNUSUAL | PERSISTENT, {0}},
    {"locks of windows", 0, {.features = SINGLE | RT_RMA | RT_WINDOW_COLLECTIVES, .epochs = 1, .passive = 1}},
    {"communicators made again", 0, {.features = SINGLE, .reuse_comms = 1}},
    {"collectives without data", 0, {.features = COLLECTIVES | RT_P2P, .empty_collectives = 1}},
    {"calling contexts", 0, {.features = SINGLE | THREADS, .contexts = 1}},
    {"anything, and what is seen seldom", ANYTHING | UNUSUAL | SELDOM, {0}},
};

const size_t n_trial_kinds = sizeof trial_kinds / sizeof *trial_kinds;

uint64_t draw(uint64_t *state)
{
    uint64_t h = *state += 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9u;
    h = (h ^ h >> 27) * 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

static int one_in(uint64_t *state, uint64_t n)
{
    return draw(state) % n == 0;
}

#define ONE_OF(state, ...) DRAWN(double, state, __VA_ARGS__)

/* Clocks begin near 0, near 2^64, or anywhere; none of them comes to an end. */
static uint64_t draw_shift(uint64_t *h, const struct random_trace_options *o)
{
    double ticks = (double)o->ticks_per_second * 1e-9, margin = 1e10 + o->clock_offset_ns + 9 * o->clock_jump_ns;
    uint64_t most = (uint64_t)((1e12 + margin) * ticks) + 1000000,
             least = (uint64_t)((1e12 - o->clock_offset_ns) * ticks);
    switch (draw(h) % 4) {
    case 0:
        return UINT64_MAX - most;
    case 1:
        return 1 - least;
    case 2:
        return draw(h) % (UINT64_MAX - most);
    default:
        return 0;
    }
}

static void draw_clocks(uint64_t *h, struct random_trace_options *o, int wrong_clocks)
{
    o->ticks_per_second = (uint64_t)ONE_OF(h, 1e9, 1e9, 1e9, 1, 10, 1000, 1e6, 2.4e9, 1e11);
    o->equal_timestamps = ONE_OF(h, 0.05, 0, 0.2, 0.5, 0.95, 1);
    o->clock_offset_records = (uint32_t)ONE_OF(h, 0, 0, 1, 2, 3, 7);
    double offset = ONE_OF(h, 0, 300, 3e4, 3e4, 1e6, 1e9, 5e11), drift = ONE_OF(h, 0, 10, 100, 1000, 5e4);
    uint32_t jumps = (uint32_t)ONE_OF(h, 0, 0, 1, 3, 8);
    double jump = ONE_OF(h, 500, 4000, 1e5, 1e7), error = ONE_OF(h, 0, 0, 500, 1e4);
    if (wrong_clocks) {
        o->clock_offset_ns = offset;
        o->clock_drift_ppm = drift;
        o->clock_jumps = jumps;
        o->clock_jump_ns = jump;
        o->clock_offset_error_ns = error;
    }
    o->shift_ticks = draw_shift(h, o);
}

/* Losses that mislead the matching are mistakes of clocks, too. */
static void draw_losses(uint64_t *h, struct random_trace_options *o, int misleading)
{
    o->lose_sends = ONE_OF(h, 0, 0.01, 0.1);
    o->lose_receives = ONE_OF(h, 0, 0.01, 0.1);
    o->never_complete = ONE_OF(h, 0, 0.05, 0.3);
    o->ambiguous_loss = one_in(h, 2) && misleading;
    o->end_early = ONE_OF(h, 0, 0.2, 0.7);
}

void draw_options(struct random_trace_options *o, uint64_t seed, int wrong_clocks)
{
    uint64_t h = seed ^ 0x5eed;
    random_trace_defaults(o);
    o->features = (uint32_t)draw(&h) & (uint32_t)(MESSAGES | COLLECTIVES | THREADS | RT_ATTRIBUTES | RT_METRICS |
                                                  RT_COUNTERS | RT_IO | RT_RMA | RT_STREAMS);
    o->features |= one_in(&h, 2) ? RT_P2P : RT_COLLECTIVES;
    o->ranks = (uint32_t)ONE_OF(&h, 1, 2, 3, 4, 5, 6, 7, 9, 13);
    o->omp_threads = (uint32_t)ONE_OF(&h, 1, 2, 3, 5);
    o->ranks_per_node = (uint32_t)ONE_OF(&h, 1, 2, 3, 100);
    o->ranks_per_process = (uint32_t)ONE_OF(&h, 1, 1, 1, 2, 3, 100);
    o->max_delay = (uint32_t)ONE_OF(&h, 500, 5, 50, 5000);
    draw_clocks(&h, o, wrong_clocks);
    if (one_in(&h, 3))
        draw_losses(&h, o, wrong_clocks);
    o->empty_locations = (uint32_t)ONE_OF(&h, 0, 0, 1, 3);
    o->sparse_locations = one_in(&h, 2);
    o->sparse_regions = one_in(&h, 2);
    o->regions_per_rank = one_in(&h, 3);
    o->comms_per_rank = one_in(&h, 3);
    o->shuffle_definitions = one_in(&h, 3);
    o->repeat_definitions = one_in(&h, 3);
    o->wrong_event_counts = one_in(&h, 3);
}

void draw_unusual(struct random_trace_options *o, uint64_t seed, int wrong_clocks)
{
    uint64_t h = seed ^ 0xaced;
    o->features |= (uint32_t)draw(&h) & (uint32_t)RARE;
    if (wrong_clocks && one_in(&h, 2)) {
        o->lose_any = ONE_OF(&h, 0.001, 0.01, 0.1);
        o->begin_late = ONE_OF(&h, 0, 0.2, 0.5);
    }
}

void draw_threads(struct random_trace_options *o, uint64_t seed)
{
    uint64_t h = seed ^ 0xfade;
    o->features |= (uint32_t)draw(&h) & (uint32_t)(RT_P2P | RT_OPENMP | RT_MPI_THREADS | RT_ANY_THREAD | RT_TEAM_SIZES);
    o->features |= o->features & RT_ANY_THREAD ? RT_CROSSED : 0;
    o->lose_measurements = ONE_OF(&h, 0, 0.3, 0.9);
}

static void draw_seldom(struct random_trace_options *o, uint64_t seed)
{
    uint64_t h = seed ^ 0xbade;
    o->epochs = one_in(&h, 2);
    o->passive = one_in(&h, 2);
    o->reuse_comms = one_in(&h, 2);
    o->empty_collectives = one_in(&h, 2);
    o->contexts = one_in(&h, 2);
}

/* Sets what is 0 and may not be, or is not by default. */
static void fill_options(struct random_trace_options *o, uint64_t ranks)
{
    struct random_trace_options usual;
    random_trace_defaults(&usual);
    o->ranks = (uint32_t)ranks;
    o->omp_threads += o->omp_threads ? 0 : usual.omp_threads;
    o->ranks_per_node = usual.ranks_per_node;
    o->ranks_per_process += !o->ranks_per_process;
    o->ticks_per_second = usual.ticks_per_second;
    o->equal_timestamps += o->equal_timestamps > 0 ? 0 : usual.equal_timestamps;
    o->max_delay = usual.max_delay;
    o->clock_offset_records += o->clock_offset_records ? 0 : usual.clock_offset_records;
    o->chunk_bytes = usual.chunk_bytes;
}

void options_of(const struct kind *k, uint64_t seed, uint64_t ranks, int wrong_clocks, struct random_trace_options *o)
{
    if (k->how & ANYTHING) {
        draw_options(o, seed, wrong_clocks);
        o->features |= k->how & THREADED ? RT_MPI_THREADS : 0;
        if (k->how & UNUSUAL)
            draw_unusual(o, seed, wrong_clocks);
        if (k->how & ANY_THREAD)
            draw_threads(o, seed);
        o->features |= k->how & PERSISTENT ? RT_PERSISTENT : 0;
        if (k->how & SELDOM)
            draw_seldom(o, seed);
    } else {
        *o = k->options;
        fill_options(o, ranks);
    }
}

const char *write_trace(const struct trial *t, struct random_trace_options *o, const char *folder)
{
    static char anchor[600];
    o->directory = in_work(folder);
    remove_all(o->directory);
    snprintf(anchor, sizeof anchor, "%s/traces.otf2", o->directory);
    if (random_trace_write(o, NULL) == 0)
        return anchor;
    wrong(t, "not generated");
    return NULL;
}

const char *made(const struct trial *t, const struct kind *k, uint64_t events, int how)
{
    struct random_trace_options o;
    options_of(k, t->seed, t->seed % 5 + 2, how & WRONG_CLOCKS, &o);
    o.seed = t->seed;
    o.events = events;
    o.shuffle_definitions ^= (how & SHUFFLED) != 0;
    if (!(k->how & ANYTHING))
        o.equal_timestamps = 0.2;
    if (how & WRONG_CLOCKS && !(k->how & ANYTHING)) {
        o.clock_offset_ns = 30000;
        o.clock_drift_ppm = 100;
        o.clock_jumps = 2;
        o.clock_jump_ns = 4000;
    }
    return write_trace(t, &o, how & SHUFFLED ? "shuffled" : "trace");
}

int simulate(const struct trial *t, const char *options, const char *truth, const char *recorded)
{
    char command[2400], with_truth[700] = "";
    const char *build = getenv("top_builddir");
    if (truth)
        snprintf(with_truth, sizeof with_truth, "--true-trace '%s'", in_work(truth));
    snprintf(command, sizeof command, "'%s/tcflow-synth' --overwrite %s %s '%s' >/dev/null", build ? build : ".",
             options, with_truth, in_work(recorded));
    if (system(command) == 0)
        return 1;
    wrong(t, "not made: %s", command);
    return 0;
}

void damage(const struct trial *t, const char *anchor)
{
    struct o_trace *whole = o_load(anchor, false);
    size_t n = whole ? whole->n_locations : 0;
    for (size_t k = 0; k < n && k < (t->seed % 3 ? 1 : 2); k++) {
        char path[700];
        struct stat st;
        snprintf(path, sizeof path, "%.*s/%" PRIu64 ".evt", (int)(strlen(anchor) - strlen(".otf2")), anchor,
                 whole->location[(t->seed / 3 + k) % n].def.id);
        if (k == 0 && t->seed % 4 && stat(path, &st) == 0) {
            off_t left = st.st_size * (off_t)(20 + t->seed * 7 % 75) / 100;
            if (truncate(path, left) != 0)
                wrong(t, "%s cannot be cut off", path);
        } else {
            unlink(path);
        }
    }
    o_unload(whole);
}
