/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The equations of dependent events (Wolf, Malony, Shende, Morris: "Trace-Based Parallel Performance Overhead
 * Compensation"). With paper = yes they are used literally. Otherwise the overhead on the way is subtracted, too, and
 * the cost of copying is at most what was measured: see README.md. */
#include "overhead.h"

/* C(size) * size: linear between the given sizes, proportional to size outside of them. */
uint64_t copy_time(const struct state *st, uint64_t size)
{
    const struct copy_cost *c = st->copy;
    uint32_t low = 0, high = st->n_copy; /* the first entry that is at least `size` */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c[middle].size < size)
            low = middle + 1;
        else
            high = middle;
    }
    if (st->n_copy == 0)
        return 0;
    if (low < st->n_copy && c[low].size == size)
        return c[low].ticks;
    if (low == 0 || low == st->n_copy) {
        const struct copy_cost *end = &c[low == 0 ? 0 : low - 1];
        unsigned __int128 ticks = (unsigned __int128)end->ticks * size / end->size;
        return ticks > UINT64_MAX / 4 ? UINT64_MAX / 4 : (uint64_t)ticks;
    }
    const struct copy_cost *a = &c[low - 1], *b = &c[low];
    unsigned __int128 part = size - a->size, whole = b->size - a->size;
    if (b->ticks >= a->ticks)
        return a->ticks + (uint64_t)((b->ticks - a->ticks) * part / whole);
    return a->ticks - (uint64_t)((a->ticks - b->ticks) * part / whole);
}

struct outcome approximate_receive(const struct state *st, const struct conf *conf, const struct transfer *t,
                                   struct decisions *d)
{
    uint64_t comm = less(less(t->recv_m, t->send.m), t->path);            /* eq. 2, 5 */
    uint64_t cost = copy_time(st, t->size), copy = cost, both = 2 * cost; /* eq. 6 */
    if (!conf->paper) {
        copy = min_u64(copy, less(less(t->recv_m, t->enter.m), t->path));
        both = min_u64(both, comm);
    }
    uint64_t arrival = plus(t->send.a, comm), earliest = plus(t->enter.a, copy); /* eq. 3, 4; earliest also: eq. 8 */
    d->reversed += t->recv_m < t->send.m;
    if (overlap(t)) {
        int waits = arrival > (conf->paper ? t->enter.a : earliest);
        d->m1++;
        d->a1 += (uint64_t)waits;
        d->a2 += (uint64_t)!waits;
        if (!t->together)
            return (struct outcome){waits ? arrival : earliest, earliest};
    }
    d->m2 += !overlap(t);
    uint64_t lower = max_u64(plus(t->send.a, both), earliest), upper = max_u64(arrival, earliest); /* eq. 9, 10 */
    if (conf->mode == MODE_LOWER)
        return (struct outcome){lower, earliest};
    if (conf->mode == MODE_UPPER)
        return (struct outcome){upper, earliest};
    return (struct outcome){(uint64_t)(((unsigned __int128)lower + upper) / 2), earliest};
}

struct outcome approximate_exit(struct times latest, const struct times *own, uint64_t exit_m, uint64_t path,
                                struct decisions *d)
{
    d->reversed += exit_m < latest.m;
    if (own)
        latest = (struct times){max_u64(latest.m, own->m), max_u64(latest.a, own->a)};
    uint64_t delay = less(less(exit_m, latest.m), path);
    return (struct outcome){plus(latest.a, delay), own ? plus(own->a, delay) : 0};
}
