/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The jumps of a location, one after another: which sources bind them, whether their limits are known, and the walk
 * over the held slices that moves the events in front. */
#include "../shared/numbers/min_max.h"
#include "clc_backward.h"

static const tcf_jump *jumps_of(const tcf_self *self, const tcf_slice *s)
{
    return s->columns[((const struct state *)self->state)->column];
}

uint32_t next_jump(const tcf_self *self, const tcf_slice *s, uint32_t from)
{
    const tcf_jump *jump = jumps_of(self, s);
    uint32_t k = from;
    while (k < s->n_edges && (jump[k].ticks == 0 || s->edges[k].flags & TCF_EDGE_GONE))
        k++;
    return k;
}

/* The interval of a jump, in times before its amortization. */
struct interval {
    uint64_t x0, x1, delta;
    int capped, truncated; /* shorter than the slope asks for: by max_interval, max_events or the first event, by events
                            * that were released */
};

/* The number of the event behind which the pending jump, or those to come, may move events. */
static uint64_t reach(const tcf_self *self, const struct place *p)
{
    const uint64_t most = ((const struct state *)self->state)->max_events;
    uint64_t number = p->events;
    if (p->pending) {
        const struct held *h = held_at(p, p->jump.slice);
        number = h->first + h->slice->edges[p->jump.edge].pos;
    }
    return number > most ? number - most : 0;
}

void jump_look_back(const tcf_self *self, struct place *p)
{
    const uint64_t from = reach(self, p);
    if (p->in_reach < p->begin)
        p->in_reach = p->begin;
    while (p->in_reach < p->end) {
        const struct held *h = held_at(p, p->in_reach);
        if (h->first + h->slice->n > from)
            break;
        p->in_reach++;
    }
}

/* No event at or before this time is moved by the pending jump. */
static uint64_t earliest_time(const tcf_self *self, const struct place *p)
{
    const uint64_t from = reach(self, p);
    if (p->in_reach < p->begin) /* it was released for want of memory */
        return p->first;
    const struct held *h = held_at(p, p->in_reach);
    return from > 0 && from >= h->first ? h->slice->time[from - h->first] : p->first;
}

static struct interval interval_of(const tcf_self *self, const struct place *p)
{
    const struct state *st = self->state;
    const tcf_slice *s = held_at(p, p->jump.slice)->slice;
    struct interval v = {.delta = jumps_of(self, s)[p->jump.edge].ticks, .x1 = p->jump_time};
    unsigned __int128 wanted = (((unsigned __int128)v.delta << 32) + st->slope - 1) / st->slope;
    uint64_t length = wanted < st->max_interval ? (uint64_t)wanted : st->max_interval;
    uint64_t x0 = v.x1 > length ? v.x1 - length : 0;
    const uint64_t earliest = earliest_time(self, p);
    v.x0 = x0 > earliest ? x0 : earliest;
    v.capped = wanted > st->max_interval || x0 < earliest;
    v.truncated = p->any_released && p->released > v.x0;
    if (v.truncated)
        v.x0 = p->released;
    return v;
}

uint64_t jump_time(const tcf_self *self, const tcf_slice *s, uint32_t edge)
{
    return s->time[s->edges[edge].pos] - jumps_of(self, s)[edge].ticks;
}

/* Moves a cursor to the source before it. NULL: no source is left behind time x0. */
static const tcf_edge *source_before(const struct place *p, struct cursor *at, uint32_t before, uint64_t x0)
{
    for (;;) {
        const tcf_slice *s = held_at(p, at->slice)->slice;
        while (at->edge > 0) {
            const tcf_edge *e = &s->edges[--at->edge];
            if (e->pos >= before || e->pos >= s->n)
                continue;
            if (s->time[e->pos] <= x0)
                return NULL;
            if ((e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_GONE)) == TCF_EDGE_SOURCE)
                return e;
        }
        if (at->slice == p->begin || (s->n > 0 && s->time[0] <= x0))
            return NULL;
        at->slice--;
        at->edge = held_at(p, at->slice)->slice->n_edges;
        before = UINT32_MAX;
    }
}

/* The latest time that the source may be moved to. *known: no target to come can make it less than `wanted`. */
static uint64_t limit_of(tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t wanted, int *known)
{
    const struct state *st = self->state;
    uint64_t limit, bound = 0;
    /* Behind the last event no more targets come: a source that still waits for some waits for ever. */
    if (self->host->answered(self, e, &limit) || st->watermark == UINT64_MAX) {
        *known = 1;
        return limit;
    }
    /* A target to come is not earlier than the watermark; its limit is earlier than that by its minimum delay, or by a
     * tick. */
    const uint64_t delay = max_u64(jumps_of(self, s)[e - s->edges].limit, 1);
    if (st->watermark > delay)
        bound = st->watermark - delay;
    *known = bound >= wanted || limit <= s->time[e->pos];
    return limit < bound ? limit : bound;
}

static uint32_t jump_pos(const struct place *p)
{
    return held_at(p, p->jump.slice)->slice->edges[p->jump.edge].pos;
}

int jump_ready(tcf_self *self, struct place *p)
{
    struct interval v = interval_of(self, p);
    const polyline line = {.x0 = v.x0, .x1 = v.x1, .delta = v.delta};
    if (!p->looked)
        p->known_to = p->jump;
    p->looked = 1;
    if (p->known_to.slice < p->begin) /* for want of memory it was released meanwhile: all slices that are left lie
                                       * behind it */
        return 1;
    while (v.x0 < v.x1) {
        struct cursor at = p->known_to;
        const tcf_edge *e = source_before(p, &at, at.slice == p->jump.slice ? jump_pos(p) : UINT32_MAX, v.x0);
        if (!e)
            return 1;
        const tcf_slice *s = held_at(p, at.slice)->slice;
        uint64_t now = s->time[e->pos];
        int known;
        uint64_t limit = limit_of(self, s, e, now + polyline_line(&line, now), &known);
        if (!known)
            return 0;
        if (limit <= now) /* nothing before this one moves */
            return 1;
        p->known_to = at;
    }
    return 1;
}

/* The polyline of a jump. 0: nothing moves, -1: out of memory. */
static int draw(tcf_self *self, struct place *p, const struct interval *v)
{
    polyline *line = &((struct state *)self->state)->line;
    struct cursor at = p->jump;
    const tcf_edge *e;
    int more = v->x0 < v->x1 ? polyline_begin(line, v->x0, v->x1, v->delta) : 0;
    uint32_t before = jump_pos(p);
    while (more > 0 && (e = source_before(p, &at, at.slice == p->jump.slice ? before : UINT32_MAX, v->x0))) {
        const tcf_slice *s = held_at(p, at.slice)->slice;
        uint64_t now = s->time[e->pos];
        int known;
        uint64_t limit = limit_of(self, s, e, now + polyline_line(line, now), &known);
        p->counts.guessed += !known;
        more = polyline_source(line, now, limit > now ? limit - now : 0);
    }
    if (v->x0 >= v->x1)
        return 0;
    return more < 0 || polyline_end(line) < 0 ? -1 : line->n > 1;
}

static void apply(const tcf_self *self, struct place *p)
{
    polyline_sweep sweep = {.line = &((const struct state *)self->state)->line, .next = UINT64_MAX};
    uint64_t k = p->jump.slice;
    uint32_t n = jump_pos(p);
    while (polyline_apply(&sweep, held_at(p, k)->slice, n) && k > p->begin)
        n = held_at(p, --k)->slice->n;
    p->counts.moved += sweep.moved;
}

static void find_next(const tcf_self *self, struct place *p)
{
    const struct held *h = held_at(p, p->jump.slice);
    p->looked = 0;
    p->jump.edge = next_jump(self, h->slice, p->jump.edge + 1);
    while (p->jump.edge == h->slice->n_edges) {
        if (++p->jump.slice == p->end) {
            p->pending = 0;
            break;
        }
        h = held_at(p, p->jump.slice);
        p->jump.edge = h->first_jump;
    }
    if (p->pending)
        p->jump_time = jump_time(self, h->slice, p->jump.edge);
    jump_look_back(self, p);
}

tcf_status jump_carry_out(tcf_self *self, struct place *p)
{
    const struct state *st = self->state;
    struct interval v = interval_of(self, p);
    int drawn = draw(self, p, &v);
    if (drawn < 0)
        return self->host->fail(self, "out of memory for the sources in front of a jump");
    if (drawn)
        apply(self, p);
    uint64_t length = drawn ? v.x1 - polyline_start(&st->line) : 0;
    int limited = v.x0 < v.x1 && st->line.limited;
    p->counts.jumps++;
    p->counts.none += !drawn;
    p->counts.limited += (uint64_t)limited;
    p->counts.truncated += (uint64_t)v.truncated;
    p->counts.shortened += (uint64_t)(v.capped && !v.truncated);
    p->counts.full += drawn && !limited && !v.truncated && !v.capped;
    p->counts.longest = length > p->counts.longest ? length : p->counts.longest;
    p->counts.largest = v.delta > p->counts.largest ? v.delta : p->counts.largest;
    find_next(self, p);
    return TCF_OK;
}
