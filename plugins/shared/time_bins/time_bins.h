/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bins of time for runs of unknown start and end: bins start one tick wide, and double in width whenever the run gets
 * longer than they reach. Two neighbours become one, so all counts stay exact. The result depends on the times alone:
 * the width is the smallest power of two ticks with which at most n bins hold all times. Bin k of width w holds the
 * times from origin + k w on; the origin is the start of the trace as the archive states it. Times may come in any
 * order, also from before the origin; those more than 2^63 ticks from it count in the first or last bin.
 *
 * Each location has bins of its own; in the end they are added to those of all locations:
 *
 *     time_bins b = time_bins_new(n, defs->clock.global_offset);
 *     time_bins_move m;
 *     if (time_bins_reach(&b, time, &m))
 *         for each k < n: move the counts of bin k to time_bins_moved(&m, k), which is at most k unless times went back
 *     count in time_bins_position(&b, time) */
#ifndef TCFLOW_PLUGINS_TIME_BINS_H
#define TCFLOW_PLUGINS_TIME_BINS_H

#include <tcflow/times.h>

/* Times and bin numbers relative to the origin. */
typedef struct time_bins {
    uint64_t origin; /* ticks */
    int64_t low, high;
    int64_t first;  /* number of the first bin */
    uint32_t level; /* bins are 2^level ticks wide */
    uint32_t n;
    int used; /* at least one time was reached */
} time_bins;

typedef struct time_bins_move {
    int64_t from, to; /* first bins before and after */
    uint32_t shift;
} time_bins_move;

/* n: at least 2, because any two times may lie on both sides of a border. */
static inline time_bins time_bins_new(uint32_t n, uint64_t origin)
{
    return (time_bins){.n = n, .origin = origin};
}

/* For times that time_bins_reach() was called with. */
static inline uint32_t time_bins_position(const time_bins *b, uint64_t time)
{
    return (uint32_t)((tcf_time_distance(b->origin, time) >> b->level) - b->first);
}

static inline uint32_t time_bins_moved(const time_bins_move *m, uint32_t position)
{
    return (uint32_t)(((m->from + (int64_t)position) >> m->shift) - m->to);
}

/* Unsigned, because the difference of two times may need all 64 bits. */
static inline uint64_t time_bins_between(int64_t low, int64_t high, uint32_t level)
{
    return (uint64_t)(high >> level) - (uint64_t)(low >> level);
}

/* Makes the bins reach a time. 1: they have moved, by *m. */
static inline int time_bins_reach(time_bins *b, uint64_t time, time_bins_move *m)
{
    const int64_t t = tcf_time_distance(b->origin, time);
    if (__builtin_expect(b->used && t >= b->low, 1)) {
        b->high = t > b->high ? t : b->high;
        if (__builtin_expect(time_bins_between(b->first, t >> b->level, 0) < b->n, 1))
            return 0;
    }
    const time_bins old = *b;
    b->low = !old.used || t < old.low ? t : old.low;
    b->high = !old.used || t > old.high ? t : old.high;
    b->used = 1;
    while (time_bins_between(b->low, b->high, b->level) >= b->n)
        b->level++;
    b->first = b->low >> b->level;
    *m = (time_bins_move){.from = old.used ? old.first : b->first, .to = b->first, .shift = b->level - old.level};
    return old.used && (b->level != old.level || b->first != old.first);
}

/* How to move the bins of a location to those of all locations, which have reached both ends of it. */
static inline time_bins_move time_bins_into(const time_bins *part, const time_bins *all)
{
    return (time_bins_move){.from = part->first, .to = all->first, .shift = all->level - part->level};
}

/* How many bins, from the first on, begin no later than the last time. */
static inline uint32_t time_bins_in_use(const time_bins *b)
{
    return b->used ? (uint32_t)(time_bins_between(b->low, b->high, b->level) + 1) : 0;
}

/* The start of bin k, relative to the origin. */
static inline int64_t time_bins_start(const time_bins *b, uint32_t k)
{
    return (int64_t)(((uint64_t)b->first + k) << b->level);
}

#endif
