/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Inside of the oracle's overhead compensation: what its files share, by file. */
#ifndef TCFLOW_TESTS_ORACLE_OVERHEAD_RUN_H
#define TCFLOW_TESTS_ORACLE_OVERHEAD_RUN_H

#include "overhead.h"

typedef __int128 big;

/* What an event depends on. */
struct cause {
    size_t location, event;
    struct o_edge edge;
};

struct run {
    const struct o_matching *m;
    const struct o_overhead_options *o;
    struct o_compensation *result;
    struct o_list causes; /* struct cause, by location and event */
    struct o_list posts;  /* struct o_post, by target */
    uint64_t **is_target; /* is there an edge that the event may wait at? */
    uint64_t **owed;      /* behind each event: overhead for which there was no time */
    uint64_t **spent;     /* before each event: what its location's events have cost; millionths of a tick */
    size_t *leader;       /* by location, O_NONE */
    size_t *next;
};

/* Measured and approximated time. */
struct moment {
    big m, a;
};

static inline const struct o_event *event_at(const struct run *r, size_t l, size_t e)
{
    return &r->m->trace->location[l].event[e];
}

static inline big measured(const struct run *r, size_t l, size_t e)
{
    return event_at(r, l, e)->time;
}

static inline big approximated(const struct run *r, size_t l, size_t e)
{
    return r->result->approximated[l][e];
}

static inline bool enters(const struct o_event *event)
{
    return event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER;
}

static inline bool leaves(const struct o_event *event)
{
    return event->kind == O_LEAVE || event->kind == O_CALLING_CONTEXT_LEAVE;
}

static inline bool ends_non_blocking(const struct o_event *event)
{
    return event->kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static inline bool ends_collective(const struct o_event *event)
{
    return event->kind == O_MPI_COLLECTIVE_END || event->kind == O_RMA_COLLECTIVE_END || ends_non_blocking(event);
}

static inline bool receives(const struct o_event *event)
{
    return event->kind == O_MPI_RECV || event->kind == O_MPI_IRECV;
}

static inline big largest(big a, big b)
{
    return a > b ? a : b;
}

static inline big smallest(big a, big b)
{
    return a < b ? a : b;
}

/* ---- overhead_events.c: what the trace says of an event ---- */

/* That of the event before, or when the call that it ends has got all that it waited for. */
big o_approximated_before(struct run *r, size_t l, size_t e);
/* Is measurement off just before an event, or the measurement system at work? */
bool o_is_off(const struct run *r, size_t l, size_t e);
/* What an event costs, in millionths of a tick. */
big o_cost_of(const struct run *r, size_t l, size_t e);
/* The whole ticks by which it raises the sum of the costs of its location. */
big o_overhead_of(const struct run *r, size_t l, size_t e);
/* Where time that counts begins behind event e: at the event, or at the end of a flush. */
big o_begin_of_time(const struct run *r, size_t l, size_t e);
/* The enter of the call that is open at an event; O_NONE. */
size_t o_call_around(const struct run *r, size_t l, size_t e);
uint64_t o_size_of(const struct o_event *event);
/* C(size) * size */
big o_copying(const struct run *r, uint64_t size);
/* Overhead between the completion of what an event waits for and the event. */
big o_overhead_behind(const struct run *r, size_t l, size_t e);
bool o_completes(const struct o_event *event);
/* Is the event in a call that may complete several requests? */
bool o_completes_several(const struct run *r, size_t l, size_t e);
/* When the call of a send is left; false: not before its location itself receives, or not at all. */
bool o_exit_of_send(const struct run *r, size_t l, size_t e, big *exit);
/* The same of the root of a one-to-n whose begin is event e. */
bool o_exit_of_root(const struct run *r, size_t l, size_t e, big *exit);

/* ---- overhead_equations.c: when it comes ---- */

/* The post that the end of a send waits for, none that was given up; NULL: there is none. */
struct o_post *o_post_for(const struct run *r, size_t l, size_t e);
/* When the completions right before an event, in a call that completes several, were all there; 0: it waited for
 * none. */
big o_released(struct run *r, size_t l, size_t e);
/* eq. 1 */
big o_independent(struct run *r, size_t l, size_t e);
/* -1: there was nothing to wait for. */
big o_bound(struct run *r, size_t l, size_t e, const struct cause *cause, size_t n);

/* ---- overhead.c: the order of events ---- */

bool o_is_thread(const struct o_trace *trace, size_t l);

#endif
