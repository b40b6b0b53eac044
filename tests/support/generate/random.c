/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace random: one random trace and DIR/truth.csv; see random_trace.h.
 *
 * Every field of struct random_trace_options is an option of the same name, dashes for underscores. */
#include "framework/base/error.h"
#include "framework/base/units.h"
#include "kinds.h"
#include "random_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bit;
} features[] = {
    {"p2p", RT_P2P},
    {"sendrecv", RT_SENDRECV},
    {"nonblocking", RT_NONBLOCKING},
    {"cancel", RT_CANCEL},
    {"any-source", RT_ANY_SOURCE},
    {"collectives", RT_COLLECTIVES},
    {"v-collectives", RT_V_COLLECTIVES},
    {"nb-collectives", RT_NB_COLLECTIVES},
    {"subcomms", RT_SUBCOMMS},
    {"dup", RT_DUP},
    {"self", RT_SELF},
    {"intercomm", RT_INTERCOMM},
    {"openmp", RT_OPENMP},
    {"locks", RT_LOCKS},
    {"pthreads", RT_PTHREADS},
    {"mpi-threads", RT_MPI_THREADS},
    {"attributes", RT_ATTRIBUTES},
    {"metrics", RT_METRICS},
    {"all", RT_ALL},
    {"counters", RT_COUNTERS},
    {"io", RT_IO},
    {"rma", RT_RMA},
    {"streams", RT_STREAMS},
    {"flushes", RT_FLUSHES},
    {"window-collectives", RT_WINDOW_COLLECTIVES},
    {"old-openmp", RT_OLD_OPENMP},
    {"nested", RT_NESTED},
    {"mpi-inside", RT_MPI_INSIDE},
    {"nonsense", RT_NONSENSE},
    {"any-thread", RT_ANY_THREAD},
    {"team-sizes", RT_TEAM_SIZES},
    {"crossed", RT_CROSSED},
    {"persistent", RT_PERSISTENT},
};
enum { FEATURES = sizeof features / sizeof *features };

static tcf_status take_features(void *to, const char *what, const char *list)
{
    uint32_t *bits = to;

    *bits = 0;
    while (*list != '\0') {
        bool off = *list == '-';
        size_t n = strcspn(list += off, ",");
        int i = 0;
        while (i < FEATURES && (strlen(features[i].name) != n || strncmp(features[i].name, list, n) != 0))
            i++;
        if (i == FEATURES)
            return error_usage("%s: no feature is named '%.*s'; trace random --help lists them", what, (int)n, list);
        *bits = off ? *bits & ~features[i].bit : *bits | features[i].bit;
        list += n + (list[n] == ',');
    }
    return TCF_OK;
}

static tcf_status take_uint32(void *to, const char *what, const char *value)
{
    uint64_t number;

    if (units_size(value, &number) != NULL || number > UINT32_MAX)
        return error_usage("%s '%s': expected a whole number, at most 4294967295", what, value);
    *(uint32_t *)to = (uint32_t)number;
    return TCF_OK;
}

#define OPTION(member) .offset = offsetof(struct random_trace_options, member)
static const option_row rows[] = {
    {0, "seed", "N", "another trace for each (1)", TCF_SIZE, OPTION(seed)},
    {0, "ranks", "N", "1 to 4096 (4)", OPTION(ranks), .take = take_uint32},
    {0, "events", "N", "written, about (10000)", TCF_SIZE, OPTION(events)},
    {0, "features", "LIST",
     "comma-separated; all,-NAME: but for NAME (all); of p2p, sendrecv, nonblocking, cancel, any-source, collectives, "
     "v-collectives, nb-collectives, subcomms, dup, self, intercomm, openmp, locks, pthreads, mpi-threads, attributes, "
     "metrics, which are all, and counters, io, rma, streams, flushes, window-collectives, old-openmp, nested, "
     "mpi-inside, nonsense, any-thread, team-sizes, crossed, persistent",
     OPTION(features), .take = take_features},
    {0, "omp-threads", "N", "per rank, the master included (3)", OPTION(omp_threads), .take = take_uint32},
    {0, "ranks-per-node", "N", "nearer to each other (2)", OPTION(ranks_per_node), .take = take_uint32},
    {0, "ranks-per-process", "N", "of one location group, with one clock (1)", OPTION(ranks_per_process),
     .take = take_uint32},
    {0, "ticks-per-second", "N", "1 to 100G (1G)", TCF_SIZE, OPTION(ticks_per_second)},
    {0, "shift-ticks", "N", "added to all times, modulo 2^64 (0)", TCF_SIZE, OPTION(shift_ticks)},
    {0, "equal-timestamps", "P", "probability that an event has the time of the one before (0.05)", TCF_DOUBLE,
     OPTION(equal_timestamps)},
    {0, "epochs", NULL, "rma: windows are posted, started, completed, waited for, too", TCF_BOOL, OPTION(epochs)},
    {0, "passive", NULL, "rma: windows of other processes are locked, too", TCF_BOOL, OPTION(passive)},
    {0, "empty-collectives", NULL, "collectives whose sizes are all 0 now and then", TCF_BOOL,
     OPTION(empty_collectives)},
    {0, "reuse-comms", NULL, "communicators that have been freed are made again, under their old ids", TCF_BOOL,
     OPTION(reuse_comms)},
    {0, "contexts", NULL, "enters and leaves are those of calling contexts", TCF_BOOL, OPTION(contexts)},
    {0, "idle", NULL, "some user regions are idle, tasks, or waits for them", TCF_BOOL, OPTION(idle)},
    {0, "max-delay", "N", "events after which a request is completed at the latest (500)", OPTION(max_delay),
     .take = take_uint32},
    {.help = "Clocks, one per process"},
    {0, "clock-offset-ns", "X", "largest (0)", TCF_DOUBLE, OPTION(clock_offset_ns)},
    {0, "clock-drift-ppm", "X", "largest (0)", TCF_DOUBLE, OPTION(clock_drift_ppm)},
    {0, "clock-jumps", "N", "of each clock, 0 to 8 (0)", OPTION(clock_jumps), .take = take_uint32},
    {0, "clock-jump-ns", "X", "largest (0)", TCF_DOUBLE, OPTION(clock_jump_ns)},
    {0, "clock-offset-records", "N", "measurements in the trace (2)", OPTION(clock_offset_records),
     .take = take_uint32},
    {0, "clock-offset-error-ns", "X", "largest error of a measurement (0)", TCF_DOUBLE, OPTION(clock_offset_error_ns)},
    {0, "lose-measurements", "P", "of a location's clock", TCF_DOUBLE, OPTION(lose_measurements)},
    {.help = "What the measurement system left out: probabilities"},
    {0, "lose-sends", "P", "of a message", TCF_DOUBLE, OPTION(lose_sends)},
    {0, "lose-receives", "P", "of a message", TCF_DOUBLE, OPTION(lose_receives)},
    {0, "never-complete", "P", "an MPI_IRECV_REQUEST without MPI_IRECV", TCF_DOUBLE, OPTION(never_complete)},
    {0, "ambiguous-loss", NULL, "also on channels with other messages: truth is not decidable then", TCF_BOOL,
     OPTION(ambiguous_loss)},
    {0, "end-early", "P", "share of the processes, and of other threads, that stop half-way", TCF_DOUBLE,
     OPTION(end_early)},
    {0, "begin-late", "P", "share of the threads whose first events are missing: no truth then", TCF_DOUBLE,
     OPTION(begin_late)},
    {0, "lose-any", "P", "of any event but those that number collectives and teams: no truth then", TCF_DOUBLE,
     OPTION(lose_any)},
    {0, "empty-locations", "N", "with an event file but no event", OPTION(empty_locations), .take = take_uint32},
    {0, "missing-locations", "N", "without an event file", OPTION(missing_locations), .take = take_uint32},
    {.help = "How the archive is written"},
    {0, "sparse-locations", NULL, "ids of locations far apart", TCF_BOOL, OPTION(sparse_locations)},
    {0, "sparse-regions", NULL, "ids of regions far apart", TCF_BOOL, OPTION(sparse_regions)},
    {0, "regions-per-rank", NULL, "a region id of its own in every process", TCF_BOOL, OPTION(regions_per_rank)},
    {0, "comms-per-rank", NULL, "a communicator id of its own in every process", TCF_BOOL, OPTION(comms_per_rank)},
    {0, "shuffle-definitions", NULL, "in any order", TCF_BOOL, OPTION(shuffle_definitions)},
    {0, "repeat-definitions", NULL, "some of them twice", TCF_BOOL, OPTION(repeat_definitions)},
    {0, "wrong-event-counts", NULL, "in the definitions of locations", TCF_BOOL, OPTION(wrong_event_counts)},
    {0, "wrong-clock-properties", NULL, "the trace is said to begin and end at other times", TCF_BOOL,
     OPTION(wrong_clock_properties)},
    {0, "chunk-bytes", "N", "of event files", TCF_SIZE, OPTION(chunk_bytes)},
};

int write_random(const struct command *c)
{
    struct random_trace_options options;
    struct random_trace_result result;

    random_trace_defaults(&options);
    take_options(c, rows, TCF_COUNT(rows), &options);
    if (random_trace_write(&options, &result) != 0)
        return 1;
    printf("locations %" PRIu64 " events %" PRIu64 " messages %" PRIu64 " collectives %" PRIu64 "\n", result.locations,
           result.events, result.messages, result.collectives);
    return 0;
}
