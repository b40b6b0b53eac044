/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The scheduler of one causal segment: neighbouring `span` filters, which see every source before its targets.
 *
 * Slices come in (segment_push) in the order of each location. A turn takes the location whose next event is earliest.
 * It runs the location up to its next target that is not ready, at most for a quantum of time, and calls the filters
 * once for this span. A slice goes out when its last span has passed; a part of it goes out where a stage behind waits.
 * Turns are cheap. Where a turn needs another slice of a location it returns SEGMENT_WANTS. */
#ifndef TCFLOW_FRAMEWORK_SCHEDULE_H
#define TCFLOW_FRAMEWORK_SCHEDULE_H

#include "exchange.h"

typedef struct segment segment;

typedef struct segment_client {
    void *data;
    tcf_status (*process)(void *data, tcf_slice *s, uint32_t from, uint32_t to); /* all filters of the segment */
    tcf_status (*complete)(void *data, const tcf_collective *instance);
    tcf_status (*out)(void *data, slice *s);
    tcf_status (*location_end)(void *data, uint32_t location); /* after its last slice went out */
    /* No event of the location that goes out from now on is earlier than `time`. */
    void (*frontier)(void *data, uint32_t location, uint64_t time);
    /* No event of the location that comes in from now on is earlier than this. */
    uint64_t (*arrives)(void *data, uint32_t location);
} segment_client;

typedef struct segment_options {
    exchange_options exchange;
    uint32_t lookahead;
    uint32_t slices;   /* in use from which on locations keep close together */
    int live;          /* locations always keep close together: somebody waits for what has passed */
    uint64_t quantum;  /* ticks, 0: see segment_quantum() */
    int sourced;       /* the first segment: a location without slices may ask for more */
    int one_clock;     /* a filter in front has brought all times to one clock: clock offsets no longer apply */
    int follows;       /* TCF_NEED_LEADER_FIRST: locations of a process keep together */
    int posts_by_time; /* with exchange.posts: an end of a send waits for no post that comes later in time */
    int moves_time;    /* its filters may move events to earlier times: only passed events make a frontier */
} segment_options;

segment *segment_new(const tcf_definitions *defs, matcher *m, pool *p, const segment_options *options,
                     const segment_client *client);
void segment_delete(segment *g);

void segment_push(segment *g, slice *s);
/* No event of the location that comes in from now on is earlier than `time`: other locations may run that far. */
void segment_frontier(segment *g, uint32_t location, uint64_t time);
/* No more slices of the location will be pushed. */
tcf_status segment_upstream_end(segment *g, uint32_t location);

typedef enum segment_state {
    SEGMENT_ERROR,
    SEGMENT_RAN,     /* an event has passed, or can pass: call again */
    SEGMENT_YIELDED, /* nothing has passed: a location without room for its message lets others run first; call again */
    SEGMENT_WANTS,   /* the segment needs a slice of *wanted */
    SEGMENT_STUCK,   /* no location can go on: slices are missing, or the trace is incomplete */
    SEGMENT_DONE     /* all locations have ended */
} segment_state;

segment_state segment_turn(segment *g, uint32_t *wanted);

/* May another turn do more? */
static inline int segment_goes_on(segment_state state)
{
    return state == SEGMENT_RAN || state == SEGMENT_YIELDED;
}

/* Has a location events that may pass, without another slice? It is not certain that they do. */
int segment_can_run(const segment *g);

/* Slices that have come and not left. */
uint32_t segment_slices(const segment *g);

/* What an attempt to make room, or to go on, has led to. */
typedef enum outcome {
    OUTCOME_FAILED,  /* see the cause */
    OUTCOME_NOTHING, /* nothing could be done */
    OUTCOME_MOVED    /* there is more room than before, or an event that waited may pass */
} outcome;

/* Out of turn: the location whose turn it is waits for a slice, and the pool is dry. The locations that have slices run
 * until a slice has come free. */
outcome segment_run_others(segment *g);
/* The same, but no event passes early where all wait for slots. */
outcome segment_run_ready(segment *g);

/* Sends out the passed parts of slices that still have other events. */
tcf_status segment_send_parts(segment *g);
/* Before an event goes on as unmatched. Some collectives need not wait for members that contribute nothing (Gatherv):
 * this looks for such members in what has been decoded. SEGMENT_RAN: a location can run again. SEGMENT_WANTS: reading
 * *wanted further, within the look-ahead, may help. SEGMENT_STUCK: no such member helps. for_others: an end of another
 * domain may wait for them. */
segment_state segment_look_for_empty_members(segment *g, int for_others, uint32_t *wanted);
/* An event that waits goes on as unmatched: the one that has waited for longest, where at least `patience` slices have
 * come since it was parked; with patience 0 the earliest. */
outcome segment_proceed(segment *g, uint64_t patience);
/* In a segment behind another one. Where all locations wait for each other, no slice that comes helps: members that
 * contribute nothing release ends, or the earliest end of a send passes that waits for its receive to be posted. A
 * wrong guess of which sends wait leads there. OUTCOME_NOTHING: no such send waits, or the look-ahead reaches further.
 */
outcome segment_clear_jam(segment *g);
exchange *segment_exchange(segment *g);

/* With letters: what segment_proceed(g, 0) would do, or what the segment waits for. */
void segment_rest(segment *g, resting *how);
/* Of a segment behind: adds to *behind, whose `stage` is STAGES_TOLD at first. The two others do what
 * segment_clear_jam() does, where it is known of all domains that they wait. */
void segment_rest_behind(segment *g, uint32_t stage, jam *behind);
tcf_status segment_look_behind(segment *g);
outcome segment_pass_without_post(segment *g);
tcf_status segment_take_letter(segment *g, const letter *l, uint32_t from);

#endif
