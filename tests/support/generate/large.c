/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace large: few events of each kind but one, of which there are many: what does a cost grow with?
 *
 * Two ranks. Rank 0 sends N messages in one call (--messages), and rank 1 receives them afterwards, each in a call of
 * its own; then rank 0 enters a region N times below itself (--depth) and leaves it as often. Other locations have no
 * events
 * (--silent). The clock of rank 0 is measured from 2^63 ticks behind to as many in front, that of rank 1 the other way
 * round (--offsets). */
#include "kinds.h"
#include "trace.h"

#include <stdio.h>

enum { RANKS = 2, FIRST_TIME = 1000, SILENT = 10 };
enum region { MAIN, SEND, RECEIVE, DEEP, REGIONS };

struct options {
    const char *directory;
    uint64_t depth, messages, silent;
    int offsets;
};

static const option_row rows[] = {
    {0, "depth", "N", "nested calls", TCF_SIZE, AT(depth), "0"},
    {0, "messages", "N", "in flight together", TCF_SIZE, AT(messages), "0"},
    {0, "silent", "N", "locations without events", TCF_SIZE, AT(silent), "0"},
    {0, "offsets", NULL, "clocks are measured, as far apart as numbers of 64 bits can be", TCF_BOOL, AT(offsets)},
};

struct writer {
    struct trace trace;
    OTF2_EvtWriter *out[RANKS];
    uint64_t now, count[RANKS];
};

static uint64_t stamp(struct writer *w, uint32_t rank)
{
    w->count[rank]++;
    return w->now++;
}

static void enter(struct writer *w, uint32_t rank, enum region region)
{
    expect(&w->trace, OTF2_EvtWriter_Enter(w->out[rank], NULL, stamp(w, rank), region), "Enter");
}

static void leave(struct writer *w, uint32_t rank, enum region region)
{
    expect(&w->trace, OTF2_EvtWriter_Leave(w->out[rank], NULL, stamp(w, rank), region), "Leave");
}

static void write_events(struct writer *w, const struct options *o)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        w->out[r] = trace_events(&w->trace, r);
        enter(w, r, MAIN);
    }
    enter(w, 0, SEND);
    for (uint64_t k = 0; k < o->messages; k++)
        expect(&w->trace, OTF2_EvtWriter_MpiSend(w->out[0], NULL, stamp(w, 0), 1, 0, 1, 8), "MpiSend");
    leave(w, 0, SEND);
    for (uint64_t k = 0; k < o->messages; k++) {
        enter(w, 1, RECEIVE);
        expect(&w->trace, OTF2_EvtWriter_MpiRecv(w->out[1], NULL, stamp(w, 1), 0, 0, 1, 8), "MpiRecv");
        leave(w, 1, RECEIVE);
    }
    for (uint64_t k = 0; k < o->depth; k++)
        enter(w, 0, DEEP);
    for (uint64_t k = 0; k < o->depth; k++)
        leave(w, 0, DEEP);
    for (uint32_t r = RANKS; r-- > 0;) {
        leave(w, r, MAIN);
        trace_close_events(&w->trace, w->out[r]);
    }
}

static void define(struct writer *w, const struct options *o)
{
    static const char *const strings[] =
        {"",      "main",    "MPI_Send", "MPI_Recv", "a_function_whose_name_is_as_long_as_those_of_templates",
         "node",  "machine", "rank 0",   "rank 1",   "MPI_COMM_WORLD",
         "silent"};
    static const uint64_t members[RANKS] = {0, 1};
    static const struct trace_group groups[] = {
        {0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, RANKS, members},
        {1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, RANKS, members},
    };
    struct trace *t = &w->trace;

    trace_clock(t, (struct trace_clock){1000000000, FIRST_TIME, w->now - FIRST_TIME});
    trace_strings(t, 0, strings, TCF_COUNT(strings));
    for (uint32_t r = 0; r < REGIONS; r++)
        trace_region(t, &(struct trace_region){r, r + 1, OTF2_REGION_ROLE_FUNCTION,
                                               r == SEND || r == RECEIVE ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, 0, 0,
                                               0});
    TRACE_DEFINE(t, SystemTreeNode, 0, 5, 6, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t r = 0; r < RANKS; r++) {
        trace_process(t, r, 7 + r, 0);
        trace_thread(t, r, 7 + r, w->count[r], r);
    }
    for (uint64_t k = 0; k < o->silent; k++)
        trace_thread(t, SILENT + k, 10, 0, 0);
    trace_groups(t, groups, TCF_COUNT(groups));
    trace_comm(t, 0, 9, 1, OTF2_UNDEFINED_COMM);
}

static void measure(struct writer *w)
{
    OTF2_Archive_OpenDefFiles(w->trace.archive);
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct trace_measurement m[] = {{FIRST_TIME, r ? INT64_MAX : INT64_MIN, 0},
                                              {w->now, r ? INT64_MIN : INT64_MAX, 0}};
        trace_measurements(&w->trace, r, m, TCF_COUNT(m));
    }
    OTF2_Archive_CloseDefFiles(w->trace.archive);
}

int write_large(const struct command *c)
{
    struct options o = {0};
    struct writer w = {.now = FIRST_TIME};

    take_options(c, rows, TCF_COUNT(rows), &o);
    if (!trace_open(&w.trace, o.directory, 1 << 20))
        return 1;
    write_events(&w, &o);
    define(&w, &o);
    if (o.offsets)
        measure(&w);
    return trace_close(&w.trace);
}
