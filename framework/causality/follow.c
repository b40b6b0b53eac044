/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Keeps locations of a process together (TCF_NEED_LEADER_FIRST): streams of accelerators, and all other locations that
 * are not threads, depend on a thread of their process, the lead thread. A thread depends on the lead thread up to its
 * first event, unless that event is the target of an edge.
 *
 * The next event of a dependent, at time t, passes once an event of the lead thread behind t has passed. The lead
 * thread stops behind its first event behind t. So a filter need keep only the last two events of the lead thread,
 * whatever the schedule and however dense the events are. All times are those with which events came to the segment.
 * The dependents of a lead thread are a heap of next_times.h. */
#include "schedule_internal.h"

static uint32_t lead_of(const tcf_definitions *defs, uint32_t location)
{
    return defs->locations[location].leader == TCF_NONE ? NOWHERE : defs->locations[location].leader;
}

int follow_set_up(segment *g)
{
    const uint32_t n = g->defs->n_locations;
    if (!g->options.follows)
        return 0;
    g->follow = calloc(n + 1u, sizeof *g->follow);
    g->dependents = malloc((n + 1u) * sizeof *g->dependents);
    g->blocked = malloc((g->end - g->first + 1u) * sizeof *g->blocked);
    if (!g->follow || !g->dependents || !g->blocked)
        return -1;
    for (uint32_t k = 0; k < n; k++) {
        g->follow[k].lead = lead_of(g->defs, k);
        if (g->follow[k].lead != NOWHERE)
            g->follow[g->follow[k].lead].n++;
    }
    for (uint32_t k = 0, used = 0; k < n; k++) {
        g->follow[k].first = used;
        used += g->follow[k].n;
        g->follow[k].n = 0;
    }
    for (uint32_t k = 0; k < n; k++)
        if (g->follow[k].lead != NOWHERE) {
            followers *f = &g->follow[g->follow[k].lead];
            g->dependents[f->first + f->n++] = (next_time){0, k};
        }
    return 0;
}

/* The time of its last passed event. */
static uint64_t passed(const segment *g, uint32_t location)
{
    return g->follow[location].passed;
}

static const tcf_slice *slice_at_hand(const lane *l)
{
    return l->head && l->at < l->head->v.n ? &l->head->v : NULL;
}

/* Is the next event the target of an edge? */
static int begins_with_target(const lane *l)
{
    const tcf_slice *s = slice_at_hand(l);
    for (uint32_t k = 0; s && k < s->n_edges && s->edges[k].pos <= l->at; k++)
        if (s->edges[k].pos == l->at && s->edges[k].flags & TCF_EDGE_TARGET)
            return 1;
    return 0;
}

/* Does the location still depend on its lead thread? */
static int depends(const segment *g, uint32_t location)
{
    const lane *l = segment_lane(g, location);
    if (g->follow[location].lead == NOWHERE || l->state == LANE_ENDED)
        return 0;
    return g->defs->locations[location].type != TCF_CPU_THREAD || (!l->started && !begins_with_target(l));
}

/* A lower bound of the time of the location's next event. */
static uint64_t time_of_next(const segment *g, uint32_t location)
{
    const lane *l = segment_lane(g, location);
    const tcf_slice *s = slice_at_hand(l);
    if (s)
        return s->time[l->at];
    if (!l->head && l->upstream_ended)
        return UINT64_MAX;
    uint64_t least = g->client.arrives(g->client.data, location);
    return least > passed(g, location) ? least : passed(g, location);
}

/* The earliest next event of those that depend on the location; UINT64_MAX: none does. */
static uint64_t earliest_dependent(segment *g, const followers *f)
{
    next_time *heap = &g->dependents[f->first];
    while (f->n > 0) {
        const uint64_t next = depends(g, heap->location) ? time_of_next(g, heap->location) : UINT64_MAX;
        if (next == heap->time)
            return next;
        heap->time = next;
        next_time_sink(heap, f->n);
    }
    return UINT64_MAX;
}

int follow_limit(segment *g, uint32_t location, uint64_t *limit)
{
    *limit = UINT64_MAX;
    if (!g->follow)
        return 1;
    const lane *l = segment_lane(g, location);
    const followers *f = &g->follow[location];
    const tcf_slice *s = slice_at_hand(l);
    if ((f->lead == NOWHERE && f->n == 0) || !s)
        return 1;
    if (l->is_free) {
        *limit = g->options.sourced ? s->time[l->at] : UINT64_MAX;
        return 1;
    }
    if (depends(g, location)) {
        const lane *lead = segment_lane(g, f->lead);
        if (lead->state != LANE_ENDED && (!lead->started || passed(g, f->lead) <= s->time[l->at]))
            return 0;
        if (lead->state != LANE_ENDED)
            *limit = passed(g, f->lead) - 1;
    }
    const uint64_t next = earliest_dependent(g, f);
    if (l->started && passed(g, location) > next)
        return 0;
    *limit = next < *limit ? next : *limit;
    return 1;
}

void follow_block(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    l->state = LANE_BLOCKED;
    l->parked = g->n_blocked;
    g->blocked[g->n_blocked++] = location;
    segment_heap_remove(g, location);
}

static void unblock(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    const uint32_t last = g->blocked[--g->n_blocked];
    g->blocked[l->parked] = last;
    segment_lane(g, last)->parked = l->parked;
    l->state = LANE_RUNNABLE;
    segment_heap_add(g, location);
}

static void look_again(segment *g, uint32_t location)
{
    uint64_t limit;
    if (location != NOWHERE && segment_lane(g, location)->state == LANE_BLOCKED && follow_limit(g, location, &limit))
        unblock(g, location);
}

/* Of dependent i of the lead thread and those below it in the heap, looks at all that need not wait for times behind
 * `until`. */
static void look_below(segment *g, const followers *f, uint32_t i, uint64_t until)
{
    if (i >= f->n || g->dependents[f->first + i].time > until)
        return;
    look_again(g, g->dependents[f->first + i].location);
    look_below(g, f, 2 * i + 1, until);
    look_below(g, f, 2 * i + 2, until);
}

void follow_moved(segment *g, uint32_t location)
{
    if (g->n_blocked == 0)
        return;
    const lane *l = segment_lane(g, location);
    look_again(g, g->follow[location].lead);
    look_below(g, &g->follow[location], 0, l->state == LANE_ENDED ? UINT64_MAX : passed(g, location));
}

void follow_look_again(segment *g)
{
    for (uint32_t i = g->n_blocked; i-- > 0;) /* the last one takes the place of one that goes on */
        look_again(g, g->blocked[i]);
}

uint32_t follow_first(const segment *g)
{
    uint32_t earliest = NOWHERE;
    for (uint32_t i = 0; i < g->n_blocked; i++) {
        const uint32_t k = g->blocked[i];
        const uint64_t key = segment_lane(g, k)->key,
                       least = earliest == NOWHERE ? key : segment_lane(g, earliest)->key;
        if (key < least || (key == least && k < earliest))
            earliest = k;
    }
    return earliest;
}

int follow_proceed(segment *g)
{
    const uint32_t earliest = follow_first(g);
    if (earliest == NOWHERE)
        return 0;
    segment_lane(g, earliest)->is_free = 1;
    unblock(g, earliest);
    return 1;
}
