/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Inside of the solver: the bounds on clocks, which are the tightest messages of each directed pair of units, and whole
 * collectives. A message from unit i, sent at s by i's clock, to unit j, received at r by j's clock, bounds the
 * corrections z of the two clocks:
 *
 *     s + z_i(s) <= r + z_j(r)
 *
 * The difference of the two sides is the message's slack. With the right corrections it is the message's delay. */
#ifndef TCFLOW_CLOCK_ESTIMATE_BOUNDS_H
#define TCFLOW_CLOCK_ESTIMATE_BOUNDS_H

#include "solver.h"

#include <tcflow/times.h>

/* A message. From bounds_link() on, times count from the bases of sender and receiver. */
struct point {
    int64_t sent, received;
};

enum kind { MESSAGE, FROM_ROOT, TO_ROOT, COLLECTIVE, SCAN, KINDS };

/* Messages, or what collectives stand for, from one unit to another. The bucket of a point is its time of sending >>
 * shift; points are in order of time, at most one a bucket. */
struct pair {
    uint32_t from, to;
    uint32_t reverse; /* the pair of the other direction, or NO_PAIR; set by bounds_link() */
    uint32_t n, capacity;
    uint32_t shift;
    uint8_t kind;
    uint8_t in_node; /* both units are on one machine; set by bounds_link() */
    int64_t least;   /* the smallest received - sent */
    uint64_t stay;   /* the shortest stay of `from` in operations in which all wait for all, where it came last */
    uint64_t messages;
    struct point *point; /* see bounds_table() */
    uint32_t *bytes;     /* of the points' messages; apart, because the search reads the points many times */
};

/* A collective bound: an operation in which all wait for all, as a message at `sent` from the unit which came last to
 * each other one. */
struct collective {
    int64_t sent;
    uint64_t first; /* of its ends */
    uint64_t key;
    uint64_t digest; /* of its ends: tells collectives apart that are alike otherwise */
    uint32_t last, n;
};

struct collective_end {
    int64_t received;
    uint32_t unit;
};

enum { SIGMAS = 3 }; /* the error bar of a measurement, in standard deviations */
enum { NO_PAIR = UINT32_MAX, NO_UNIT = UINT32_MAX };

struct bounds {
    struct unit *unit;
    uint32_t n_units;
    struct pair *pair;
    uint32_t n_pairs, pair_capacity;
    uint32_t *hash; /* 1 + pair, 0: free */
    uint32_t hash_mask;
    uint32_t per_pair;          /* most points of a pair */
    struct point *packed_point; /* of all pairs, from bounds_link() on */
    uint32_t *packed_bytes;
    uint64_t points, most_points;
    uint32_t most_pairs;
    struct collective *collective; /* in order of `sent` from collectives_link() on */
    struct collective_end *end;
    uint32_t n_collectives, collective_capacity;
    uint64_t n_ends, end_capacity, most_ends;
    uint32_t thinning;               /* one collective in 2 to the power of it is kept */
    uint64_t highest_rank;           /* pairs above it are left out */
    uint64_t messages, without_room; /* without_room: of pairs above highest_rank; set by bounds_link() */
    uint8_t starved;                 /* a message or collective found no memory: there is no result */
    uint8_t one_clock;               /* messages show that all units share a clock */
};

/* NULL: there was no room for the message. */
struct pair *bounds_add(struct bounds *b, enum kind kind, uint32_t from, uint64_t sent, uint32_t to, uint64_t received,
                        uint32_t bytes);
/* The number of a pair; NO_PAIR: there is none. */
uint32_t bounds_find(const struct bounds *b, uint32_t from, uint32_t to, enum kind kind);

/* The representative of the set of a member. Sets are trees of members; a representative is its own parent. */
static inline uint32_t set_of(uint32_t *parent, uint32_t member)
{
    while (parent[member] != member)
        member = parent[member] = parent[parent[member]];
    return member;
}

/* A time as it is stored until bounds_link(): signed numbers are in the same order. */
static inline int64_t bounds_time(uint64_t time)
{
    return (int64_t)(time - ((uint64_t)1 << 63));
}

/* A table of a pair, one block: points, and bytes behind them. NULL: out of memory. */
struct point *bounds_table(uint32_t capacity, uint32_t **bytes);
/* Sorts the pairs by units, so that nothing depends on the order of messages. Only before bounds_link(). */
void bounds_sort(struct bounds *b);
/* Drops all but the tightest message of each bucket of a pair whose messages are in order of time, and widens buckets
 * until they fit the cap. */
void bounds_narrow(const struct bounds *b, struct pair *p);
/* received - sent, or the nearest number that fits; may be read before bounds_link(). */
static inline int64_t bounds_delay(const struct point *p)
{
    return tcf_offset_difference(p->received, p->sent);
}

/* Once, when all messages are in: sorts the pairs by units, finds the other directions, and makes times count from the
 * units' bases. */
void bounds_link(struct bounds *b);
/* Likewise for collectives, after bounds_link(). */
void collectives_link(struct bounds *b);

#endif
