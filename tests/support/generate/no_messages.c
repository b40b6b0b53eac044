/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace no-messages: processes that never communicate.
 *
 * Nobody measured their clocks; with --behind that of process i was found to be i times that many ticks behind that of
 * the first. Each has a thread, and streams of accelerators, in location groups of their own, which name the process
 * that has created them. Nothing but regions. */
#include "kinds.h"
#include "trace.h"

#include <stdint.h>

enum { CALLS = 50, EVENTS = 2 * CALLS, PERIOD = 1000 };

struct options {
    const char *directory;
    uint64_t processes, streams;
    int64_t behind; /* INT64_MIN: not measured */
};

static const option_row rows[] = {
    {0, "processes", "N", "how many", TCF_SIZE, AT(processes), "2", "1", "100000"},
    {0, "streams", "N", "of accelerators, for each process", TCF_SIZE, AT(streams), "0", "0", "1000"},
    {0, "behind", "TICKS", "measurements: how much later each clock is than the one before (none)", TCF_INT,
     AT(behind)},
};

static void record(struct trace *t, uint64_t location, uint32_t process)
{
    OTF2_EvtWriter *writer = trace_events(t, location);

    for (uint64_t k = 0; k < CALLS && !t->failed; k++) {
        expect(t, OTF2_EvtWriter_Enter(writer, NULL, PERIOD * (k + 1) + process, 0), "Enter");
        expect(t, OTF2_EvtWriter_Leave(writer, NULL, PERIOD * (k + 1) + PERIOD / 2, 0), "Leave");
    }
    trace_close_events(t, writer);
}

/* Group 0 .. processes - 1 are processes, the others streams; locations go likewise. */
static void define(struct trace *t, uint32_t processes, uint32_t streams)
{
    static const char *const strings[] = {"",        "work",          "node",    "machine",
                                          "Process", "Master thread", "Context", "Stream"};

    trace_clock(t, (struct trace_clock){1000000000, 0, PERIOD * (CALLS + 2)});
    trace_strings(t, 0, strings, TCF_COUNT(strings));
    trace_region(t,
                 &(struct trace_region){.name = 1, .role = OTF2_REGION_ROLE_FUNCTION, .paradigm = OTF2_PARADIGM_USER});
    TRACE_DEFINE(t, SystemTreeNode, 0, 2, 3, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < processes; i++) {
        trace_process(t, i, 4, 0);
        trace_thread(t, i, 5, EVENTS, i);
    }
    for (uint32_t i = processes; i < processes * (1 + streams); i++) {
        TRACE_DEFINE(t, LocationGroup, i, 6, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, i % processes);
        TRACE_DEFINE(t, Location, i, 7, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, EVENTS, i);
    }
}

static void measure(struct trace *t, uint32_t processes, int64_t behind)
{
    OTF2_Archive_OpenDefFiles(t->archive);
    for (uint32_t i = 0; i < processes; i++) {
        const struct trace_measurement m[2] = {{PERIOD, i * behind, 1.0}, {PERIOD * CALLS, i * behind, 1.0}};
        trace_measurements(t, i, m, 2);
    }
    OTF2_Archive_CloseDefFiles(t->archive);
}

int write_no_messages(const struct command *c)
{
    struct options o = {.behind = INT64_MIN};
    struct trace t;

    take_options(c, rows, TCF_COUNT(rows), &o);
    uint32_t processes = (uint32_t)o.processes, streams = (uint32_t)o.streams;
    if (!trace_open(&t, o.directory, 1 << 20))
        return 1;
    for (uint32_t i = 0; i < processes * (1 + streams); i++)
        record(&t, i, i % processes);
    define(&t, processes, streams);
    if (o.behind != INT64_MIN)
        measure(&t, processes, o.behind);
    return trace_close(&t);
}
