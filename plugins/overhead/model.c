/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The equations of dependent events (Wolf, Malony, Shende, Morris: "Trace-Based Parallel Performance Overhead
 * Compensation"), literally with paper = yes. Otherwise an event comes between the bounds that follow from all times at
 * which what it waited for can have arrived: see README.md. */
#include "overhead.h"

#include <tcflow/times.h>

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

static uint64_t middle(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned __int128)a + b) / 2);
}

/* eq. 11 */
static struct outcome choose(const struct conf *conf, struct outcome lower, struct outcome upper)
{
    if (conf->mode == MODE_UPPER)
        return upper;
    if (conf->mode != MODE_MEAN)
        return lower;
    return (struct outcome){middle(lower.a, upper.a), middle(lower.alone, upper.alone)};
}

static void count(struct decisions *d, int overlaps, int waits)
{
    d->m1 += overlaps != 0;
    d->m2 += !overlaps;
    d->a1 += overlaps && waits;
    d->a2 += overlaps && !waits;
}

/* eq. 2 to 11 as the paper has them. */
static struct outcome receive_literally(const struct state *st, const struct conf *conf, const struct transfer *t,
                                        struct decisions *d)
{
    const uint64_t comm = less(t->recv_m, t->send.m), copy = copy_time(st, t->size); /* eq. 2, 5 */
    const uint64_t arrival = plus(t->send.a, comm), earliest = plus(t->enter.a, copy);
    const int overlaps = !t->exit_known || t->enter.m <= t->exit_m, waits = arrival > t->enter.a;
    count(d, overlaps, waits);
    if (overlaps)
        return (struct outcome){waits ? arrival : earliest, earliest};                            /* eq. 3, 4 */
    return choose(conf, (struct outcome){max_u64(plus(t->send.a, 2 * copy), earliest), earliest}, /* eq. 8, 9 */
                  (struct outcome){max_u64(arrival, earliest), earliest});                        /* eq. 8, 10 */
}

/* When an event comes that was `done` with what it waited for, if that had arrived at `arrival`. Times but those in
 * send and enter are measured ones. */
static struct outcome with_arrival(struct times send, struct times enter, uint64_t done, uint64_t arrival)
{
    const uint64_t after = less(done, max_u64(enter.m, arrival));
    const uint64_t arrives = plus(send.a, arrival - send.m);
    return (struct outcome){plus(max_u64(enter.a, arrives), after), plus(enter.a, after)};
}

struct bounds {
    struct outcome lower, upper;
};

static struct bounds all_arrivals(struct times send, struct times enter, uint64_t done, uint64_t copy, uint64_t longest)
{
    copy = min_u64(copy, less(done, max_u64(enter.m, send.m)));
    const uint64_t latest = max_u64(send.m, min_u64(less(done, copy), plus(send.m, longest)));
    const uint64_t earliest = min_u64(plus(send.m, copy), latest);
    const struct outcome first = with_arrival(send, enter, done, earliest),
                         last = with_arrival(send, enter, done, latest);
    return (struct bounds){first.a < last.a ? first : last,
                           with_arrival(send, enter, done, min_u64(max_u64(enter.m, earliest), latest))};
}

struct outcome approximate_arrival(const struct conf *conf, struct times send, struct times enter, uint64_t done,
                                   uint64_t copy, uint64_t longest)
{
    const struct bounds b = all_arrivals(send, enter, done, copy, longest);
    return choose(conf, b.lower, b.upper);
}

struct outcome approximate_send(const struct conf *conf, struct times post, struct times own, uint64_t done,
                                uint64_t before, uint64_t behind)
{
    const uint64_t back = min_u64(before, min_u64(post.m, post.a));
    const struct times known = {post.m - back, post.a - back};
    const uint64_t latest = max_u64(known.m, min_u64(done, plus(post.m, behind)));
    const struct outcome first = with_arrival(known, own, done, known.m), last = with_arrival(known, own, done, latest);
    if (conf->mode == MODE_LIKELY)
        return with_arrival(known, own, done, min_u64(post.m, latest));
    return choose(conf, first.a < last.a ? first : last,
                  with_arrival(known, own, done, min_u64(max_u64(own.m, known.m), latest)));
}

static void join_group(struct group *g, struct times send, struct times enter, uint64_t done)
{
    const int64_t shift = tcf_time_distance(send.m, send.a);
    if (!g->is_open)
        *g = (struct group){.is_open = 1, .send = send, .least = shift, .largest = shift};
    g->send = (struct times){max_u64(g->send.m, send.m), max_u64(g->send.a, send.a)};
    g->least = shift < g->least ? shift : g->least;
    g->largest = shift > g->largest ? shift : g->largest;
    g->enter = enter;
    g->done = done;
}

static uint64_t latest_release(const struct group *g)
{
    return max_u64(tcf_time_shifted(g->done, g->largest),
                   plus(g->enter.a, less(g->done, max_u64(g->enter.m, g->send.m))));
}

uint64_t approximate_release(const struct conf *conf, const struct group *g)
{
    const uint64_t first = max_u64(g->enter.a, g->send.a);
    const uint64_t at_once = plus(first, less(g->done, max_u64(g->enter.m, g->send.m)));
    const int waited = g->enter.m <= g->send.m;
    if (conf->mode == MODE_LIKELY)
        return waited ? at_once : first;
    const struct outcome lower = {waited ? min_u64(at_once, max_u64(first, tcf_time_shifted(g->done, g->least)))
                                         : first,
                                  0};
    return choose(conf, lower, (struct outcome){latest_release(g), 0}).a;
}

struct outcome approximate_receive(const struct state *st, const struct conf *conf, const struct transfer *t,
                                   struct group *several, struct decisions *d)
{
    d->reversed += t->recv_m < t->send.m;
    if (conf->paper)
        return receive_literally(st, conf, t, d);
    const uint64_t done = less(t->recv_m, t->path), cost = copy_time(st, t->size), comm = less(done, t->send.m);
    const uint64_t copy = min_u64(cost, less(done, max_u64(t->enter.m, t->send.m)));
    const uint64_t arrival = plus(t->send.a, comm), earliest = plus(t->enter.a, copy);
    const struct outcome shortest = {max_u64(plus(t->send.a, min_u64(2 * cost, comm)), earliest), earliest};
    const int waited = t->enter.m <= t->send.m;
    count(d, waited, arrival > earliest);
    if (!several && (waited || !t->posted)) {
        struct bounds b = all_arrivals(t->send, t->enter, done, t->longest < UINT64_MAX ? 0 : cost, t->longest);
        if (t->passed_on && !waited && conf->mode != MODE_LIKELY && shortest.a < b.lower.a)
            b.lower = shortest;
        return choose(conf, b.lower, b.upper);
    }
    if (!several) {
        const uint64_t whole = plus(t->enter.a, less(done, t->enter.m));
        return choose(conf, shortest, (struct outcome){max_u64(arrival, whole), whole});
    }
    join_group(several, t->send, t->enter, done);
    return choose(conf, shortest, (struct outcome){max_u64(latest_release(several), arrival), earliest});
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
