/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The scheduler of one causal segment: neighbouring `span` filters that see every source before its targets.
 *
 * Slices come in (segment_push) in the order of each location. A turn takes the location whose next event is
 * earliest, runs it up to its next target that is not ready, at most for a quantum of time, and calls the filters
 * once for that span. A slice goes out when its last span has passed, or, split, when somebody downstream waits.
 * Turns are cheap and never allocate. What a turn cannot do itself it asks for: another slice of some location. */
#ifndef TCFLOW_FRAMEWORK_SCHEDULE_H
#define TCFLOW_FRAMEWORK_SCHEDULE_H

#include "exchange.h"

typedef struct segment segment;

typedef struct segment_client {
    void *data;
    tcf_status (*process)(void *data, tcf_slice *s, uint32_t from, uint32_t to); /* all filters of the segment */
    tcf_status (*complete)(void *data, const tcf_instance *instance);
    tcf_status (*out)(void *data, slice *s);
    tcf_status (*location_end)(void *data, uint32_t location); /* after its last slice went out */
    /* Downstream will see no event of the location before `time`. */
    void (*frontier)(void *data, uint32_t location, uint64_t time);
    /* No event of the location that comes here from now on is earlier. */
    uint64_t (*arrives)(void *data, uint32_t location);
} segment_client;

typedef struct segment_options {
    exchange_options exchange;
    uint32_t lookahead;
    uint64_t quantum; /* ticks, 0: a quarter of a typical slice */
    int sourced;      /* slices come straight from the source: a starving location may ask for more */
    int one_clock;    /* a filter in front has brought all times to one clock: clock offsets are void */
    int follows;      /* TCF_FOLLOWS: locations of a process keep together */
    int moves_time;   /* its filters may move events earlier: frontiers are those of events that have passed */
} segment_options;

segment *segment_new(const tcf_definitions *defs, matcher *m, pool *p, const segment_options *options,
                     const segment_client *client);
void segment_delete(segment *g);

void segment_push(segment *g, slice *s);
/* No event of the location comes before `time`: until a slice of it does, the others may run that far. */
void segment_frontier(segment *g, uint32_t location, uint64_t time);
/* No more slices of the location will be pushed. */
tcf_status segment_upstream_end(segment *g, uint32_t location);

typedef enum segment_state {
    SEGMENT_ERROR,
    SEGMENT_RAN,   /* something moved: call again */
    SEGMENT_WANTS, /* a slice of *wanted before it can go on */
    SEGMENT_IDLE,  /* nothing to do until something is pushed */
    SEGMENT_STUCK, /* every location that has events waits for another: the trace is incomplete, or slices are missing
                    */
    SEGMENT_DONE   /* all locations have ended */
} segment_state;

segment_state segment_turn(segment *g, uint32_t *wanted);

/* What an attempt to make room, or to go on, has led to. */
typedef enum outcome {
    OUTCOME_FAILED,  /* see the cause */
    OUTCOME_NOTHING, /* nothing could be done */
    OUTCOME_MOVED    /* there is more room than before, or an event that waited may pass */
} outcome;

/* Out of turn: the location whose turn it is waits for a slice, and there is no room for it. The locations that have
 * slices run until one has come free. */
outcome segment_run_others(segment *g);

/* Sends out what has passed of slices that are still being worked on. */
tcf_status segment_send_parts(segment *g);
/* Before an event goes on as unmatched: a location waits for a collective in which members may have nothing to
 * contribute, and such members are not waited for once their begins have been decoded. SEGMENT_RAN: a location can run
 * again. SEGMENT_WANTS: reading *wanted further, within the look-ahead, may help. SEGMENT_STUCK: nothing helps. */
segment_state segment_look_for_absent(segment *g, uint32_t *wanted);
/* The event that has been parked for longest goes on as unmatched, when at least `patience` slices have come since
 * then. */
outcome segment_give_up(segment *g, uint64_t patience);
exchange *segment_exchange(segment *g);

#endif
