/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The inside of a segment's scheduler, shared by schedule.c, schedule_heap.c, schedule_lanes.c, follow.c and posts.c.
 * Only these files include it. */
#ifndef TCFLOW_FRAMEWORK_SCHEDULE_INTERNAL_H
#define TCFLOW_FRAMEWORK_SCHEDULE_INTERNAL_H

#include "next_times.h"
#include "schedule.h"

#define NOWHERE UINT32_MAX
#define IN_OPERATION (NOWHERE - 1) /* for members of an operation: the exchange wakes it, also as members end */
enum { WOKEN = 64, AHEAD = 4 };    /* WOKEN: a power of two; AHEAD: edges */
enum { LINE = 64 };                /* bytes of the cache */
enum { HEAP_CHILDREN = 4 };
enum { LONG_QUANTUM = 1024, SHORT_QUANTUM = 128, FEW_MESSAGES = 1 << 16 }; /* events */

typedef enum lane_state {
    LANE_RUNNABLE, /* in the heap */
    LANE_STARVED,  /* not in the heap: waits for a slice */
    LANE_PARKED,   /* waits at an edge (exchange.h) */
    LANE_BLOCKED,  /* waits for another location of its process to advance in time (follow.c) */
    LANE_ENDED
} lane_state;

typedef struct parked_location {
    uint32_t location;
    uint32_t partner;         /* the sender of the message that it waits for, or who will post the receive of its own;
                                 IN_OPERATION, NOWHERE: it waits for something else */
    uint64_t since;           /* the turn in which it was parked */
    uint64_t at : 63;         /* slices that had come in when it was parked */
    uint64_t has_lengths : 1; /* it waits at an end for members that may turn out to contribute nothing */
} parked_location;

/* One location on its way through the segment: what a turn looks at, on a line of the cache. */
typedef struct lane {
    _Alignas(LINE) slice *head;
    uint64_t key;              /* of its next event, see segment_key() */
    uint64_t origin;           /* the time that is 0 in keys of its process, where has_origin is set */
    const tcf_edge *next_edge; /* where it was parked, to be fetched into the cache before it runs: nothing else */
    const uint64_t *next_time; /* the same of the event */
    uint32_t at;               /* events of the head slice that have passed */
    uint32_t edge;             /* edges of the head slice that have passed */
    uint32_t parked; /* position in segment.parked while its state is LANE_PARKED, in .blocked while it is BLOCKED */
    uint8_t state;
    uint8_t upstream_ended;
    uint8_t has_origin;
    uint8_t started; /* an event of it has passed */
    uint8_t is_free; /* its next event passes although it was blocked */
} lane;

/* What few turns look at. */
typedef struct lane_rest {
    slice *tail;
    uint64_t frontier; /* from segment_frontier(): behind its slices */
} lane_rest;

/* A location that can run, or the sender of a message that waits for its receive to be posted. */
typedef struct heap_entry {
    uint64_t round; /* the begin of the quantum in which its key lies; of a sender the time of the event */
    uint32_t location;
} heap_entry;

/* Is all that a receiver of one domain still has to do later than the end of a send in another one? A letter, too. */
typedef struct post_question {
    uint32_t sender, receiver; /* locations */
    uint64_t time;             /* of the end */
    uint32_t from;             /* the domain of the sender */
    uint32_t unused;
} post_question;

/* With options.follows: the locations that keep together with one. */
typedef struct followers {
    uint32_t lead;     /* the location that it depends on, or NOWHERE */
    uint32_t first, n; /* those that depend on it: a heap in segment.dependents */
    uint64_t passed;   /* time of the last passed event, as it came in */
} followers;

struct segment {
    const tcf_definitions *defs;
    matcher *m;
    pool *pool;
    uint32_t blocks; /* of the pool */
    segment_options options;
    segment_client client;
    exchange *x;
    uint32_t first, end; /* this domain's locations are among [first, end) */
    lane *lanes;         /* of [first, end): see segment_lane() */
    lane_rest *rest;     /* the same: segment_lane_rest() */
    heap_entry *heap;
    uint32_t *place;   /* by location: in the heap, or NOWHERE */
    followers *follow; /* by location; NULL: none follows another */
    next_time *dependents;
    uint32_t *blocked; /* the n_blocked locations of LANE_BLOCKED */
    parked_location *parked;
    uint32_t *waiters;        /* by parked_location.partner: so many are parked; the last one: of NOWHERE */
    heap_entry *senders;      /* with options.exchange.posts: those that are parked until their receives are posted */
    uint8_t *shares_member;   /* with options.posts_by_time, by location: others post receives of its member, too */
    post_question *questions; /* with options.posts_by_time and letters: of other domains, the last one of each */
    post_question asked;      /* the one that this domain has asked last */
    uint32_t *sender_place;   /* by location: in `senders`, or NOWHERE */
    uint64_t latest_round;
    uint32_t n_heap, n_parked, n_senders, n_with_lengths, n_blocked, n_live, n_questions;
    uint32_t n_slices; /* of all lanes */
    uint64_t *origin;  /* by location group; one more for locations without a group */
    uint8_t *has_origin;
    uint64_t turns, pushes;
    uint8_t has_looked;    /* no location has moved since all were looked through for empty members */
    uint8_t is_full;       /* it stopped since no slot was left for a message */
    uint32_t full_turns;   /* turns in a row that found no slot for a message */
    uint32_t woken[WOKEN]; /* the locations that were woken last, a ring */
    uint32_t n_woken;      /* only grows; entries below oldest_woken are used up or overwritten */
    uint32_t oldest_woken;
    uint64_t quantum;      /* in this turn: see segment_quantum() */
    double ticks_an_event; /* running mean over the slices that came in, for the automatic quantum */
};

/* What counts those that are parked for a partner, which isn't IN_OPERATION. */
static inline uint32_t *segment_waiters(const segment *g, uint32_t partner)
{
    return &g->waiters[partner < g->defs->n_locations ? partner : g->defs->n_locations];
}

static inline int segment_is_here(const segment *g, uint32_t location)
{
    const letters *to_others = g->options.exchange.letters;
    return !to_others || letters_is_here(to_others, location);
}

/* Of locations of this domain. */
static inline lane *segment_lane(const segment *g, uint32_t location)
{
    return &g->lanes[location - g->first];
}

static inline lane_rest *segment_lane_rest(const segment *g, uint32_t location)
{
    return &g->rest[location - g->first];
}

/* The key of a location in the heap when its next event has this time. */
static inline uint64_t segment_key(const lane *l, uint64_t time)
{
    return time > l->origin ? time - l->origin : 0;
}

/* Within a quantum locations are ordered by their numbers. Neighbours mostly communicate with each other, so they run
 * one after another while their data are in the cache, and one wakes the other. */
static inline int runs_before(const heap_entry *a, const heap_entry *b)
{
    return a->round < b->round || (a->round == b->round && a->location < b->location);
}

/* The child of entry i that comes first, or an index beyond the n entries. */
static inline uint32_t heap_first_child(const heap_entry *heap, uint32_t n, uint32_t i)
{
    const uint32_t from = HEAP_CHILDREN * i + 1, to = from + HEAP_CHILDREN < n ? from + HEAP_CHILDREN : n;
    uint32_t first = from;
    for (uint32_t child = from + 1; child < to; child++)
        if (runs_before(&heap[child], &heap[first]))
            first = child;
    return first;
}

/* How far locations may be apart in time, in ticks. The longer the more a location does while its data are in the
 * cache; but what runs ahead has messages under way, and filters behind hold slices until the last location has caught
 * up. A quantum that is chosen here is a power of two, so that it rarely changes, and then begins where another one
 * does: locations that were put into the heap at different times are ordered by their numbers all the same. */
static inline uint64_t segment_quantum(const segment *g)
{
    uint32_t events = LONG_QUANTUM;
    if (g->options.quantum > 0)
        return g->options.quantum;
    if (g->options.live)
        events = pool_layout(g->pool)->capacity / 4;
    else if (exchange_slots_used(g->x) >= FEW_MESSAGES + 2 * (uint64_t)g->defs->n_locations ||
             g->blocks - pool_available(g->pool) >= g->options.slices)
        events = SHORT_QUANTUM;
    const double ticks = 1.5 * g->ticks_an_event * events;
    return ticks < 0x1p63 ? UINT64_C(1) << (63 - __builtin_clzll((uint64_t)ticks | 1)) : UINT64_C(1) << 63;
}

static inline void segment_set_round(segment *g, uint32_t place, uint64_t round)
{
    g->heap[place].round = round;
    if (round > g->latest_round)
        g->latest_round = round;
}

/* The location is to run behind all others that can. segment_heap_moved() is to follow. */
static inline void segment_yield(segment *g, uint32_t location)
{
    if (g->place[location] != NOWHERE)
        segment_set_round(g, g->place[location], g->latest_round + (g->latest_round < UINT64_MAX));
}

/* segment_heap_moved() is to follow. */
static inline void segment_set_key(segment *g, uint32_t location, uint64_t key)
{
    segment_lane(g, location)->key = key;
    if (g->place[location] != NOWHERE)
        segment_set_round(g, g->place[location],
                          g->options.quantum > 0 ? key - key % g->quantum : key & ~(g->quantum - 1));
}

/* schedule_heap.c */

void segment_heap_add(segment *g, uint32_t location);
void segment_heap_remove(segment *g, uint32_t location);
/* The key of the location has changed. Does nothing where the location is not in the heap. */
void segment_heap_moved(segment *g, uint32_t location);
/* With options.exchange.posts: a location is parked until the receive of its send is posted, at an event of this time;
 * it no longer is, or is not at all. */
void segment_senders_add(segment *g, uint32_t location, uint64_t time);
void segment_senders_remove(segment *g, uint32_t location);
/* For the exchange: the parked location can run again. */
void segment_wake(void *g, uint32_t location);
/* The event at which a location is parked goes on as unmatched. lasting: as in exchange_proceed(). */
outcome segment_pass_parked(segment *g, uint32_t location, int lasting);
/* The head slice has passed: it goes out. */
tcf_status segment_send_head(segment *g, uint32_t location);
/* The location has ended: no other location waits for it any more. */
tcf_status segment_end_lane(segment *g, uint32_t location);
/* A location of another domain has ended. */
tcf_status segment_ended_elsewhere(segment *g, uint32_t location);

/* ------------------------------------------------------------------------------------------------------- posts.c -- */

/* With options.posts_by_time. -1: out of memory. */
int posts_set_up(segment *g);
/* Where a sender is parked until its receive is posted, or another domain has asked: those go on that have waited for
 * no post. */
tcf_status posts_look(segment *g);
tcf_status posts_take_letter(segment *g, const letter *l);

/* ------------------------------------------------------------------------------------------------------ follow.c -- */

/* With options.follows: finds the lead thread of each location. -1: out of memory. */
int follow_set_up(segment *g);
/* May the location's next event pass? *limit: later events may pass up to this time. */
int follow_limit(segment *g, uint32_t location, uint64_t *limit);
void follow_block(segment *g, uint32_t location);
/* The location has advanced, has got a slice or has ended: locations that it has blocked may run. */
void follow_moved(segment *g, uint32_t location);
/* No location can run: tries all that are blocked. */
void follow_look_again(segment *g);
/* The earliest blocked location; NOWHERE: none. */
uint32_t follow_first(const segment *g);
/* The next event of the earliest blocked location passes. 0: no location is blocked. */
int follow_proceed(segment *g);

#endif
