/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `root_cause`. root_cause.c is the filter, report.c makes the tables. The others call one way,
 * from the first to the last: centre.c has the first domain judge for all, by records of records.c; queue.c decides
 * which waits can be judged; forget.c drops what no wait goes back to; judge.c finds the causes of a wait; chains.c
 * keeps the longest waits with their causes; log.c has what locations did lately; ready.c computes how far a location
 * is known; costs.c and shares.c add up; ring.c keeps queues. plugins/shared/waits finds the waits. README.md has the
 * definitions. */
#ifndef TCFLOW_ROOT_CAUSE_H
#define TCFLOW_ROOT_CAUSE_H

#include "../shared/gather/gather.h"
#include "../shared/numbers/min_max.h"
#include "../shared/waits/sums.h"
#include "../shared/waits/waits.h"
#include <stddef.h>

#define NONE UINT32_MAX

/* Shares of a wait and costs in ticks are fixed-point numbers, so that sums don't depend on the order in which waits
 * are judged. */
enum { SHARE_BITS = 40, COST_BITS = 16 };
#define SHARE_ONE ((uint64_t)1 << SHARE_BITS)
__extension__ typedef unsigned __int128 cost_sum;

struct conf {
    int64_t window, causes, worst, top, max_stretches, max_costs, max_waiting, max_open;
    int by_location, computation, compare;
    tcf_list ignore;
};

/* -------------------------------------------------------------------------------------------------------- ring.c -- */

/* A queue that drops its oldest item when it is full. An item has an index from the oldest on, which changes, and a
 * number, first + index, which stays. */
typedef struct ring {
    unsigned char *item;
    size_t bytes; /* of an item */
    uint32_t capacity, most, first, n;
} ring;

static inline void *ring_at(const ring *r, uint32_t i)
{
    return r->item + (size_t)((r->first + i) & (r->capacity - 1)) * r->bytes;
}

int ring_grow(ring *r);

/* Adds an item at the end. The caller keeps the number of items below `most`. NULL: out of memory. */
static inline void *ring_push(ring *r)
{
    if (__builtin_expect(r->n == r->capacity, 0) && ring_grow(r) != 0)
        return NULL;
    unsigned char *item = ring_at(r, r->n++);
    __builtin_prefetch(item + r->bytes + 64, 1); /* of the next ones; what is there has left the cache */
    return item;
}

/* Drops the `n` oldest items. */
static inline void ring_drop(ring *r, uint32_t n)
{
    r->first += n;
    r->n -= n;
}

/* How many items have a time of at most t at this place; items are in its order. Most times that are looked for are of
 * late, so the search begins at the end, which the cache has. */
static inline uint32_t ring_up_to(const ring *r, size_t place, uint64_t t)
{
    uint32_t from = r->n, to = r->n;
    for (uint32_t back = 1; from > 0; back *= 2) {
        from = r->n > back ? r->n - back : 0;
        if (*(const uint64_t *)((const unsigned char *)ring_at(r, from) + place) <= t)
            break;
        to = from;
    }
    while (from < to) {
        const uint32_t mid = from + (to - from) / 2;
        if (*(const uint64_t *)((const unsigned char *)ring_at(r, mid) + place) > t)
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* How many items have an earlier time there. */
static inline uint32_t ring_before(const ring *r, size_t place, uint64_t t)
{
    return t > 0 ? ring_up_to(r, place, t - 1) : 0;
}

/* --------------------------------------------------------------------------------------------------------- log.c -- */

/* The time of a call path. */
typedef struct part {
    uint64_t time;
    uint32_t callpath;
} part;

/* What a location did between two marks. A stretch begins where the one before it ends, and so do its parts. */
typedef struct stretch {
    uint64_t end;
    uint32_t first_part; /* a number in `parts` (ring) */
    uint32_t callpath;   /* of the one call that communicates, if the stretch is one; else NONE */
} stretch;

/* Identifies a wait of a location. */
typedef struct wait_key {
    uint64_t from, until, cause_time;
    uint64_t path; /* hash of its call path, the same in every run */
    uint32_t pattern, cause_location;
} wait_key;

/* A wait that was found. */
typedef struct waited {
    wait_key key;
    uint64_t counts_from;  /* for a lock: see log_counts_from() */
    uint64_t passed_on;    /* the largest share that any later wait inherited */
    wait_key hop;          /* the wait that is the largest part of its cause, */
    uint64_t hop_time;     /* the length of that part, */
    uint32_t hop_location; /* and its location. NONE: the largest part is what the other location did itself, most of it
                            * in */
    uint32_t hop_callpath;
    uint32_t cause_callpath, callpath;
    uint32_t shares; /* first chunk; NONE */
    uint32_t hidden; /* what its location had done more than the other one since they had last met, by call path, with
                      * COST_BITS: first chunk; NONE */
    uint64_t since;  /* when that was */
} waited;

/* An operation that all its members go through together. */
typedef struct meeting {
    uint64_t from, number;
    uint32_t comm, callpath;
    uint16_t kind;
} meeting;

/* A call that communicates and has other calls inside of it. */
typedef struct outer {
    uint64_t enter, leave;
    uint32_t callpath;
    uint8_t is_around; /* some of them communicate as well */
} outer;

/* An open call, and how much of its own time is logged. */
typedef struct logged {
    uint64_t enter, time;
    uint32_t callpath;
    uint32_t node; /* the computation node that has its own time now; 0: the call path itself */
} logged;

/* What the first domain knows of a location of another one instead of its waits_track. */
typedef struct known {
    uint64_t first, last; /* times of its first and latest event */
    struct used_call {
        uint64_t enter;
        uint32_t callpath;
    } * used; /* its open calls that communicate, the innermost last */
    uint32_t n_used, used_capacity;
} known;

struct place {
    uint32_t location;
    const waits_track *track; /* waits.h; NULL: `known` instead */
    known known;
    ring stretches, parts, waits, meetings, outers;
    uint64_t log_start, mark; /* begin and end of the log */
    uint32_t outside;         /* the call path of time outside of all calls: the root, or a computation node */
    logged *open;
    uint64_t *time; /* by call path, since the mark */
    uint32_t *touched;
    uint32_t n_open, n_time, n_touched, touched_capacity;
    uint64_t longest_wait, longest_outer;
    uint64_t longest_around; /* calls around others that communicate, and waits for locks in them */
    struct pending {
        uint64_t since, from; /* since: from when on it counts */
    } * pending; /* from first_pending on, n_pending waits that are not judged, or not even found yet; by since,
                  * ascending */
    uint32_t first_pending, n_pending, pending_capacity;
    uint32_t forgotten;       /* the number of the first wait that is not forgotten; see forget.c */
    uint64_t forgotten_until; /* the log is without what was before, since nobody goes back to it */
    uint32_t parked;          /* root of the heap of waits that need to know more of this location; NONE */
    uint32_t next_ready;
    uint32_t n_new, of_round; /* stretches since waits were judged last, if that is the queue's round */
    uint8_t begun, ended, is_ready;
};

/* When the first and the latest event of the location came. */
static inline uint64_t place_first(const struct place *p)
{
    return p->track ? p->track->first : p->known.first;
}

static inline uint64_t place_last(const struct place *p)
{
    return p->track ? p->track->last : p->known.last;
}

/* ------------------------------------------------------------------------------------------------------- ready.c -- */

/* The time up to which all that the location did is known, waits included. */
uint64_t ready_until(const struct place *p);
/* Puts the location on the list st->ready if a wait parked there can go on. */
void ready_touch(tcf_self *self, uint32_t location);

/* --------------------------------------------------------------------------------------------------------- log.c -- */

/* The innermost call communicates. */
tcf_status log_used(tcf_self *self, uint32_t location, const waits_call *call);
tcf_status log_call(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time);
/* Sets a mark at a time at which the innermost call is open. */
tcf_status log_mark(tcf_self *self, uint32_t location, uint64_t time);
tcf_status log_end(tcf_self *self, uint32_t location);
tcf_status log_wait(tcf_self *self, const wait *w);
/* All members of a collective have ended: those for which it is a meeting. */
tcf_status log_meeting(tcf_self *self, const tcf_collective *in);
/* What records of other domains say. The location has a track or what is `known`. */
void log_begin(struct place *p);
int log_push_stretch(tcf_self *self, struct place *p, uint64_t end, uint32_t callpath);
int log_push_part(tcf_self *self, struct place *p, uint32_t callpath, uint64_t time);
int log_push_outer(tcf_self *self, struct place *p, const outer *o);
tcf_status log_push_meeting(tcf_self *self, struct place *p, const meeting *x);
wait_key log_key(const tcf_self *self, const wait *w); /* valid after log_wait() */
/* NULL: it was dropped. */
waited *log_find(struct place *p, const wait_key *key);
/* From which time on a wait counts as a meeting and as a cause of other waits; and the same for a call of that call
 * path around `from`. That is its begin. But a call that communicates and has calls inside that do so, too, counts from
 * its leave on, because until then more may come in it. */
uint64_t log_counts_from(const struct place *p, const waited *x);
uint64_t log_call_counts_from(const struct place *p, uint64_t from, uint32_t callpath);
int log_is_lock(uint32_t pattern);
/* When the call that was entered at this time was left; or the end of the stretch in which it was left. */
uint64_t log_left(const struct place *p, uint64_t enter, uint32_t callpath);
/* The index of the stretch in which t lies; stretches.n: t is behind the log. */
static inline uint32_t log_stretch_at(const struct place *p, uint64_t t)
{
    return ring_up_to(&p->stretches, offsetof(stretch, end), t);
}
/* When stretch i begins; of stretches.n: the end of the log. */
static inline uint64_t log_start_of(const struct place *p, uint32_t i)
{
    return i > 0 ? ((const stretch *)ring_at(&p->stretches, i - 1))->end : p->log_start;
}
/* The number of the first part of stretch i; of stretches.n: of the next part that is logged. */
static inline uint32_t log_first_part(const struct place *p, uint32_t i)
{
    return i < p->stretches.n ? ((const stretch *)ring_at(&p->stretches, i))->first_part : p->parts.first + p->parts.n;
}
/* Drops the stretches before this begin of one. */
void log_forget(struct place *p, uint64_t from);
/* So many of the waits that are kept are forgotten: the first ones. */
static inline uint32_t log_forgotten(const struct place *p)
{
    const int32_t n = (int32_t)(p->forgotten - p->waits.first);
    return n > 0 ? (uint32_t)n : 0;
}
void log_free(struct place *p);

/* ------------------------------------------------------------------------------------------------------ forget.c -- */

/* The latest operation that all locations had part in, and the one before that is to be forgotten up to. */
struct met {
    meeting latest, before;
    uint32_t n, n_all; /* locations that are known to have had part in `latest`; all of them */
    uint8_t has_before, is_due, never;
};

tcf_status forget_begin(tcf_self *self);
/* Forgets what was before the last operation of all but one, if that can be told. */
void forget(tcf_self *self);

/* ------------------------------------------------------------------------------------------------------- queue.c -- */

/* A wait in the heap of the location that has to come further first: that with the smallest need is its root. */
typedef struct parked {
    wait found;           /* of location NONE: free */
    uint64_t need;        /* up to when that location has to be known */
    uint32_t left, right; /* NONE; left of a free one: the next free one */
} parked;

void queue_begin(tcf_self *self);
/* A wait was found. */
tcf_status queue_found(tcf_self *self, const wait *w);
/* See waits_listener. */
tcf_status queue_pending(tcf_self *self, uint32_t location, uint64_t from);
void queue_settled(tcf_self *self, uint32_t location, uint64_t from);
/* Judges the waits that can be judged, when there are many: what that reads is in the cache then. A domain that waits
 * for others does so meanwhile. */
tcf_status queue_run(tcf_self *self);
/* The end of the run: judges all waits that remain. */
tcf_status queue_end(tcf_self *self);

/* ----------------------------------------------------------------------------------------------------- records.c -- */

/* What another domain than the first one tells it of its locations: each call of a function of log.c or queue.c that
 * changes what the first one keeps is a record. */
enum {
    RECORD_SPAN = 1, /* record_span: how far the location is */
    RECORD_BEGIN,    /* record_span: its log begins */
    RECORD_USED,     /* of: call path, NONE for a bare call; time: its enter */
    RECORD_STRETCH,  /* of: call path or NONE; time: end. A call path ends the innermost call of RECORD_USED */
    RECORD_PART,     /* of: call path; time */
    RECORD_OUTER,    /* an outer; ends the innermost call of RECORD_USED */
    RECORD_END,      /* the location has ended */
    RECORD_PENDING,  /* time: since when a wait may still be found */
    RECORD_SETTLED,  /* the same */
    RECORD_WAIT,     /* a wait */
    RECORD_MEETING   /* a meeting */
};

struct record_span {
    gather_record head;
    uint64_t first, last;
};

tcf_status record_span(tcf_self *self, const struct place *p, uint8_t kind);

/* ------------------------------------------------------------------------------------------------------ centre.c -- */

tcf_status centre_begin(tcf_self *self);
/* A span of the location has passed. */
tcf_status centre_span(tcf_self *self, uint32_t location);
tcf_status centre_pack(tcf_self *self, tcf_pack *pack);
tcf_status centre_absorb(tcf_self *self, tcf_pack *pack);

/* ------------------------------------------------------------------------------------------------------ shares.c -- */

typedef struct share {
    uint64_t cause; /* location << 32 | call path; of what a wait hid the call path alone */
    uint64_t size;
} share;
enum { SHARES_A_CHUNK = 7 };
typedef struct chunk {
    share share[SHARES_A_CHUNK];
    uint32_t n, next;
    uint32_t next_list; /* of the lists that were dropped */
} chunk;

/* A cause in the sum at hand: what it has, and what remains of that, with COST_BITS; in the end as a share. */
typedef struct summed {
    uint64_t cause, size, rest; /* size 0: a free place */
} summed;

typedef struct shares {
    chunk *chunks;
    uint32_t n_chunks, chunks_capacity;
    uint32_t free_chunk; /* a list of free chunks; where it is empty, */
    uint32_t free_lists; /* the first one of these is the next */
    /* The sum at hand: a hash table with open addressing. */
    summed *sum;
    uint32_t *used, n_used, mask, used_capacity;
    uint64_t *hash_of; /* by call path: a hash that is the same in every run */
    uint32_t n_hashes;
} shares;

tcf_status shares_add(tcf_self *self, uint64_t cause, uint64_t size);
/* NULL: the sum at hand does not have the cause. */
summed *shares_find(const shares *s, uint64_t cause);
tcf_status shares_append(tcf_self *self, share x, uint32_t *first);
/* Keeps the largest shares of the sum at hand as chunks, and clears the sum. */
tcf_status shares_keep(tcf_self *self, uint32_t *first);
uint64_t share_of(uint64_t length, uint64_t size, uint64_t whole);
void shares_clear(shares *s);
void shares_drop(shares *s, uint32_t first);
tcf_status shares_hash(tcf_self *self);
void shares_free(shares *s);

/* ------------------------------------------------------------------------------------------------------- costs.c -- */

/* What a call path of a location cost others, in waits of a pattern; without `by_location` of all locations, as 0. */
typedef struct cost {
    sum_of of;
    uint32_t order; /* order of equal rows: by call path, the same in every run */
    cost_sum short_term, long_term;
} cost;

/* Waits of a pattern in a call path of a location; the same. */
typedef struct wait_sum {
    sum_of of;
    uint32_t order; /* see cost.order */
    uint64_t count, time;
    uint64_t unknown; /* ticks of waits whose cause is unknown */
    cost_sum indirect, passed_on;
} wait_sum;

typedef struct costs {
    cost *cost; /* a hash table with mask + 1 places; callpath NONE: a free one */
    uint32_t n_costs, mask;
    tcf_map wait_of;
    wait_sum *wait;
    uint32_t n_waits, waits_capacity;
    struct pattern_sum {
        uint64_t count, time, unknown, unknown_count;
        cost_sum short_term, long_term, indirect, passed_on;
    } of[WAIT_PATTERNS];
    uint64_t without_place;
} costs;

/* Fetches into the cache what costs_add() will use soon. */
void costs_fetch(const tcf_self *self, uint32_t pattern, uint64_t cause);
tcf_status costs_add(tcf_self *self, uint32_t pattern, uint64_t cause, cost_sum short_term, cost_sum long_term);
tcf_status costs_wait(tcf_self *self, const wait *w);
void costs_unknown(tcf_self *self, const wait *w);
void costs_indirect(tcf_self *self, const wait *w, cost_sum indirect);
void costs_passed_on(tcf_self *self, uint32_t location, const waited *x);
/* Makes of the table the array cost[0], ..., cost[n_costs - 1]. Nothing can be added any more. */
void costs_list(costs *c);
void costs_free(costs *c);

/* ------------------------------------------------------------------------------------------------------ chains.c -- */

enum { HOPS = 12 };
typedef struct hop {
    uint32_t pattern; /* of a wait; WAIT_PATTERNS: what a location did itself */
    uint32_t location, callpath;
    uint64_t from, until, time; /* of a wait; how much of it counts for the hop before */
} hop;
typedef struct chain {
    uint64_t from, length, cause_time; /* as in wait */
    uint32_t location, cause_location, pattern;
    uint32_t n;
    hop hop[HOPS];
} chain;
tcf_status chains_add(tcf_self *self, const wait *w, const waited *x);
int chains_compare(const void *a, const void *b); /* Orders the longest first. */

/* ------------------------------------------------------------------------------------------------------- judge.c -- */

/* Time by call path. */
typedef struct times {
    uint64_t *of;
    uint32_t *touched; /* the call paths that have any */
    uint32_t n;
} times;

/* Times have `bits` behind the tick, but for `begin`: COST_BITS, fewer where the two met days ago or never. */
struct judging {
    uint32_t bits;
    times theirs, mine;   /* what the two did */
    times caused, passed; /* what their waits were caused by */
    times rest;           /* of `caused`, beyond what `me` did or had as a cause of its waits */
    times moved;
    uint32_t n_paths;
    struct of_wait {
        waited *wait;
        uint64_t begin;
        uint64_t length; /* with what the wait hid */
    } * inherited;       /* waits of the other location, and from n_theirs on those of `me` */
    uint32_t n_inherited, n_theirs, inherited_capacity;
};

/* Finds the causes of a wait, and charges them. */
tcf_status judge(tcf_self *self, const wait *w);
void judge_free(struct judging *j);

struct state {
    waits_user use; /* first: waits.h */
    gather gather;
    struct judging judging;
    shares shares;
    costs costs;
    chain *chains; /* a heap, the shortest on top */
    uint32_t n_chains;
    parked *parked;
    uint32_t n_parked, parked_capacity, free_parked, waiting;
    uint32_t ready;                               /* first location on the list of ready_touch() */
    uint32_t window;                              /* as far as max_stretches goes */
    uint64_t slowest;                             /* all locations have come that far; see log.c */
    uint32_t ahead;                               /* stretches that may be kept beyond the windows */
    uint64_t cut, fallen, forced, cycles, merged; /* waits that limits affected */
    uint64_t unanswered;                          /* see give_up_pending() in log.c */
    uint32_t pushed;                              /* stretches since it was called */
    uint64_t *has_pending;                        /* a bit a location: place.n_pending may be above 0 */
    struct met met;
    uint32_t put_off; /* judging waits until a location has got so many stretches */
    uint32_t round;   /* all waits that could be judged were, so often */
    uint8_t is_due;   /* judging waits no longer */
    uint8_t ignored[WAIT_PATTERNS];
    uint64_t reversed, nobody, no_difference;
    int has_failed; /* in callbacks that return no status */
};

/* Of a bit a location. */
static inline uint32_t words_of(uint32_t locations)
{
    return locations / 64 + 1;
}

static inline gather *gather_of(const tcf_self *self)
{
    return &((struct state *)self->state)->gather;
}

/* Does the first domain judge, which is another one? */
static inline int is_recorded(const tcf_self *self)
{
    return gather_records(gather_of(self));
}

/* report.c */
tcf_status report(tcf_self *self);
/* Scalasca's name for the costs of a pattern; NULL: it has none. */
const char *delay_name(uint32_t pattern);

#endif
