/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace quiet: one location has few events and its neighbours very many: do the few dam the stream?
 *
 * Ranks 0 and 1 exchange messages; rank 2 gets one message from rank 0 at the start, one in the middle, one at the end,
 * about 60 events in all. With --lost the send of the first message to rank 2 is missing, so that its last receive
 * finds no partner. With --untold there are no messages to rank 2, and the archive states that it has no events. */
#include "kinds.h"
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>

enum { RANKS = 3, FIRST_TIME = 1000 };
enum region { MAIN, SEND, RECEIVE, REGIONS };

struct options {
    const char *directory;
    uint64_t events;
    int lost, untold;
};

static const option_row rows[] = {
    {0, "events", "N", "about, in all", TCF_SIZE, AT(events), "1000"},
    {0, "lost", NULL, "the first message to the quiet location lacks its send", TCF_BOOL, AT(lost)},
    {0, "untold", NULL, "no messages to the quiet location, which is said to have no events", TCF_BOOL, AT(untold)},
};

struct writer {
    struct trace trace;
    OTF2_EvtWriter *out[RANKS];
    uint64_t now, count[RANKS];
};

/* At the next time: RANK has one event more. */
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

static void send(struct writer *w, uint32_t from, uint32_t to, uint32_t tag, bool write)
{
    enter(w, from, SEND);
    if (write)
        expect(&w->trace, OTF2_EvtWriter_MpiSend(w->out[from], NULL, stamp(w, from), to, 0, tag, 8), "MpiSend");
    leave(w, from, SEND);
}

static void receive(struct writer *w, uint32_t at, uint32_t from, uint32_t tag)
{
    enter(w, at, RECEIVE);
    expect(&w->trace, OTF2_EvtWriter_MpiRecv(w->out[at], NULL, stamp(w, at), from, 0, tag, 8), "MpiRecv");
    leave(w, at, RECEIVE);
}

/* What the quiet rank, 2, does. */
static void quiet_step(struct writer *w, const struct options *o, bool first)
{
    if (!o->untold)
        send(w, 0, 2, 9, !(o->lost && first));
    for (int i = 0; i < 8; i++) {
        enter(w, 2, MAIN);
        leave(w, 2, MAIN);
    }
    if (!o->untold)
        receive(w, 2, 0, 9);
}

static void write_events(struct writer *w, const struct options *o)
{
    const uint64_t steps = o->events / 14;

    for (uint32_t r = 0; r < RANKS; r++)
        w->out[r] = trace_events(&w->trace, r);
    for (uint32_t r = 0; r < RANKS; r++)
        enter(w, r, MAIN);
    for (uint64_t k = 0; k < steps && !w->trace.failed; k++) {
        if (k == 0 || k == steps / 2 || k + 1 == steps)
            quiet_step(w, o, k == 0);
        send(w, 0, 1, 1, true);
        receive(w, 1, 0, 1);
        send(w, 1, 0, 2, true);
        receive(w, 0, 1, 2);
        enter(w, 0, MAIN);
        leave(w, 0, MAIN);
    }
    for (uint32_t r = 0; r < RANKS; r++)
        leave(w, r, MAIN);
    for (uint32_t r = 0; r < RANKS; r++)
        trace_close_events(&w->trace, w->out[r]);
}

static void define(struct writer *w, bool untold)
{
    static const char *const strings[] = {"",        "main",   "MPI_Send", "MPI_Recv", "node",
                                          "machine", "rank 0", "rank 1",   "rank 2",   "MPI_COMM_WORLD"};
    static const uint64_t members[RANKS] = {0, 1, 2};
    static const struct trace_group groups[] = {
        {0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, RANKS, members},
        {1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, RANKS, members},
    };
    struct trace *t = &w->trace;

    trace_clock(t, (struct trace_clock){1000000000, FIRST_TIME, w->now - FIRST_TIME});
    trace_strings(t, 0, strings, TCF_COUNT(strings));
    for (uint32_t r = 0; r < REGIONS; r++)
        trace_region(t, &(struct trace_region){r, r + 1, OTF2_REGION_ROLE_FUNCTION,
                                               r == MAIN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, 0, 0, 0});
    TRACE_DEFINE(t, SystemTreeNode, 0, 4, 5, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t r = 0; r < RANKS; r++) {
        trace_process(t, r, 6 + r, 0);
        trace_thread(t, r, 6 + r, untold && r == 2 ? 0 : w->count[r], r);
    }
    trace_groups(t, groups, TCF_COUNT(groups));
    trace_comm(t, 0, 9, 1, OTF2_UNDEFINED_COMM);
}

int write_quiet(const struct command *c)
{
    struct options o = {0};
    struct writer w = {.now = FIRST_TIME};

    take_options(c, rows, TCF_COUNT(rows), &o);
    if (!trace_open(&w.trace, o.directory, 1 << 20))
        return 1;
    write_events(&w, &o);
    define(&w, o.untold);
    if (trace_close(&w.trace) != 0)
        return 1;
    printf("%" PRIu64 " events\n", w.count[0] + w.count[1] + w.count[2]);
    return 0;
}
