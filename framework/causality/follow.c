/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Keeps locations of a process together (TCF_NEED_LEADER_FIRST): streams of accelerators, and all other locations that
 * are not threads, depend on a thread of their process, the lead thread. A thread depends on the lead thread up to its
 * first event, unless that event is the target of an edge.
 *
 * The next event of a dependent, at time t, passes once an event of the lead thread behind t has passed. The lead
 * thread stops behind its first event behind t. So a filter need keep only the last two events of the lead thread,
 * whatever the schedule and however dense the events are. All times are those with which events came to the segment.
 *
 * Where the next event of a dependent is not known yet, a lower bound of its time takes its place, which only grows. */
#include "schedule_internal.h"

static uint32_t lead_of(const tcf_definitions *defs, uint32_t location)
{
    return defs->locations[location].leader == TCF_NONE ? NOWHERE : defs->locations[location].leader;
}

int follow_set_up(segment *g)
{
    if (!g->options.follows)
        return 0;
    g->follow = malloc((g->defs->n_locations + 1u) * sizeof *g->follow);
    if (!g->follow)
        return -1;
    for (uint32_t k = 0; k < g->defs->n_locations; k++)
        g->follow[k] = (followers){NOWHERE, NOWHERE, NOWHERE};
    for (uint32_t k = g->defs->n_locations; k-- > 0;) {
        followers *f = &g->follow[k];
        f->lead = lead_of(g->defs, k);
        if (f->lead == NOWHERE)
            continue;
        f->next_dependent = g->follow[f->lead].dependents;
        g->follow[f->lead].dependents = k;
    }
    return 0;
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
    const lane *l = &g->lanes[location];
    if (g->follow[location].lead == NOWHERE || l->state == LANE_ENDED)
        return 0;
    return g->defs->locations[location].type != TCF_CPU_THREAD || (!l->started && !begins_with_target(l));
}

/* A lower bound of the time of the location's next event. */
static uint64_t next_time(const segment *g, uint32_t location)
{
    const lane *l = &g->lanes[location];
    const tcf_slice *s = slice_at_hand(l);
    if (s)
        return s->time[l->at];
    if (!l->head && l->upstream_ended)
        return UINT64_MAX;
    uint64_t least = g->client.arrives(g->client.data, location);
    return least > l->passed ? least : l->passed;
}

int follow_limit(const segment *g, uint32_t location, uint64_t *limit)
{
    *limit = UINT64_MAX;
    if (!g->follow)
        return 1;
    const lane *l = &g->lanes[location];
    const followers *f = &g->follow[location];
    const tcf_slice *s = slice_at_hand(l);
    if ((f->lead == NOWHERE && f->dependents == NOWHERE) || !s)
        return 1;
    if (l->is_free) {
        *limit = g->options.sourced ? s->time[l->at] : UINT64_MAX;
        return 1;
    }
    if (depends(g, location)) {
        const lane *lead = &g->lanes[f->lead];
        if (lead->state != LANE_ENDED && (!lead->started || lead->passed <= s->time[l->at]))
            return 0;
        if (lead->state != LANE_ENDED)
            *limit = lead->passed - 1;
    }
    for (uint32_t k = f->dependents; k != NOWHERE; k = g->follow[k].next_dependent) {
        uint64_t next = depends(g, k) ? next_time(g, k) : UINT64_MAX;
        if (l->started && l->passed > next)
            return 0;
        *limit = next < *limit ? next : *limit;
    }
    return 1;
}

void follow_block(segment *g, uint32_t location)
{
    g->lanes[location].state = LANE_BLOCKED;
    g->n_blocked++;
    segment_heap_remove(g, location);
}

static void unblock(segment *g, uint32_t location)
{
    g->lanes[location].state = LANE_RUNNABLE;
    g->n_blocked--;
    segment_heap_add(g, location);
}

static void look_again(segment *g, uint32_t location)
{
    uint64_t limit;
    if (location != NOWHERE && g->lanes[location].state == LANE_BLOCKED && follow_limit(g, location, &limit))
        unblock(g, location);
}

void follow_moved(segment *g, uint32_t location)
{
    if (g->n_blocked == 0)
        return;
    const followers *f = &g->follow[location];
    look_again(g, f->lead);
    for (uint32_t k = f->dependents; k != NOWHERE; k = g->follow[k].next_dependent)
        look_again(g, k);
}

void follow_look_again(segment *g)
{
    for (uint32_t k = 0; g->n_blocked > 0 && k < g->defs->n_locations; k++)
        look_again(g, k);
}

uint32_t follow_first(const segment *g)
{
    uint32_t earliest = NOWHERE;
    for (uint32_t k = 0; g->n_blocked > 0 && k < g->defs->n_locations; k++)
        if (g->lanes[k].state == LANE_BLOCKED && (earliest == NOWHERE || g->lanes[k].key < g->lanes[earliest].key))
            earliest = k;
    return earliest;
}

int follow_proceed(segment *g)
{
    const uint32_t earliest = follow_first(g);
    if (earliest == NOWHERE)
        return 0;
    g->lanes[earliest].is_free = 1;
    unblock(g, earliest);
    return 1;
}
