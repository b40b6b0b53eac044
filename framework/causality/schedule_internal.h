/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of a segment's scheduler, shared by schedule.c, schedule_lanes.c and follow.c. Nobody else includes it. */
#ifndef TCFLOW_FRAMEWORK_SCHEDULE_INTERNAL_H
#define TCFLOW_FRAMEWORK_SCHEDULE_INTERNAL_H

#include "schedule.h"

#define NOWHERE UINT32_MAX
enum { WOKEN = 64, AHEAD = 4 }; /* WOKEN: a power of two; AHEAD: edges */

typedef enum lane_state {
    LANE_RUNNABLE, /* in the heap */
    LANE_STARVED,  /* not in the heap: waits for a slice */
    LANE_PARKED,   /* on an edge */
    LANE_BLOCKED,  /* on the time of another location of its process (follow.c) */
    LANE_ENDED
} lane_state;

/* One location on its way through the segment. */
typedef struct lane {
    slice *head, *tail;
    uint32_t at;   /* events of the head slice that have passed */
    uint32_t edge; /* edges of the head slice that have passed */
    uint32_t heap; /* position in the heap, or NOWHERE */
    uint8_t state;
    uint8_t upstream_ended;
    uint64_t key;
    uint64_t parked_since;               /* turn */
    uint64_t parked_at;                  /* slices that had come by then */
    uint64_t backlog;                    /* events in its slices */
    uint64_t frontier;                   /* behind its slices, as it was told */
    uint32_t leader, followers, sibling; /* locations, or NOWHERE; `followers` is the first one of a list */
    uint8_t started;                     /* an event of it has passed: */
    uint64_t passed;                     /* the last one's time, as it came to the segment */
    uint8_t is_free;                     /* runs on although it is blocked */
} lane;

struct segment {
    const tcf_definitions *defs;
    matcher *m;
    pool *pool;
    segment_options options;
    segment_client client;
    exchange *x;
    lane *lanes;
    uint32_t *heap;
    uint32_t n_heap, n_parked, n_blocked, n_live;
    uint64_t *origin; /* by location group, and one for locations without */
    uint8_t *has_origin;
    uint64_t turns, pushes;
    uint8_t is_full;       /* stopped since no slot was left for a message */
    uint32_t full_turns;   /* in a row, of locations that found no slot for a message */
    uint32_t woken[WOKEN]; /* the last ones that were woken, a ring */
    uint32_t n_woken;      /* grows; entries below oldest_woken are used up or overwritten */
    uint32_t oldest_woken;
    double ticks_an_event; /* running mean over slices pushed, for the automatic quantum */
};

/* Of the location's process, in ticks: what its times are told from. */
static inline uint64_t *segment_origin(const segment *g, uint32_t location)
{
    uint32_t group = g->defs->locations[location].group;
    return &g->origin[group < g->defs->n_location_groups ? group : g->defs->n_location_groups];
}

/* By which locations stand in the heap. */
static inline uint64_t segment_key(const segment *g, uint32_t location, uint64_t time)
{
    uint64_t origin = *segment_origin(g, location);
    return time > origin ? time - origin : 0;
}

static inline int lane_is_before(const segment *g, uint32_t a, uint32_t b)
{
    return g->lanes[a].key < g->lanes[b].key || (g->lanes[a].key == g->lanes[b].key && a < b);
}

/* ---------------------------------------------------------------------------------------------- schedule_lanes.c -- */

void segment_heap_add(segment *g, uint32_t location);
void segment_heap_remove(segment *g, uint32_t location);
/* Its key has changed; nothing happens where it isn't in the heap. */
void segment_heap_moved(segment *g, uint32_t location);
/* From exchange.c: what the location waited for is there. */
void segment_wake(void *g, uint32_t location);
/* The head slice has passed. */
tcf_status segment_send_head(segment *g, uint32_t location);
/* The location is done: nobody waits for it any more. */
tcf_status segment_end_lane(segment *g, uint32_t location);

/* ------------------------------------------------------------------------------------------------------ follow.c -- */

/* With options.follows: who follows whom. */
void follow_set_up(segment *g);
/* May the location's next event pass? *limit: those behind it may up to that time. */
int follow_limit(const segment *g, uint32_t location, uint64_t *limit);
void follow_block(segment *g, uint32_t location);
/* Something has become known of a location (it has run on, has got a slice, has ended): those that wait for that may
 * run. */
void follow_moved(segment *g, uint32_t location);
/* Nobody can run: looks at all that are blocked. */
void follow_look_again(segment *g);
/* The earliest one that is blocked runs on all the same. 0: there is none. */
int follow_give_up(segment *g);

#endif
