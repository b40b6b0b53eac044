/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Locations of a process that keep together (TCF_FOLLOWS): streams of accelerators, and whatever else is no thread,
 * follow a thread of their process, their leader. So does a thread, up to its first event, if nothing says what made it
 * begin.
 *
 * The next event of a follower, at time t, passes once its leader has passed one behind t; and the leader stops behind
 * the first one behind t. What a filter has to know of a leader is therefore its last two events, however dense they
 * are, and whatever the schedule. All times are those that came to the segment.
 *
 * A leader need not know the next event of a follower: a lower bound of its time will do, which only grows. */
#include "schedule_internal.h"

static uint32_t leader_of(const tcf_definitions *defs, uint32_t location)
{
    return defs->locations[location].leader == TCF_NONE ? NOWHERE : defs->locations[location].leader;
}

void follow_set_up(segment *g)
{
    for (uint32_t k = 0; k < g->defs->n_locations; k++)
        g->lanes[k].leader = g->lanes[k].followers = g->lanes[k].sibling = NOWHERE;
    for (uint32_t k = g->options.follows ? g->defs->n_locations : 0; k-- > 0;) {
        lane *l = &g->lanes[k];
        l->leader = leader_of(g->defs, k);
        if (l->leader == NOWHERE)
            continue;
        l->sibling = g->lanes[l->leader].followers;
        g->lanes[l->leader].followers = k;
    }
}

static const tcf_slice *slice_at_hand(const lane *l)
{
    return l->head && l->at < l->head->v.n ? &l->head->v : NULL;
}

/* Is the first event at hand the target of an edge? */
static int begins_with_target(const lane *l)
{
    const tcf_slice *s = slice_at_hand(l);
    for (uint32_t k = 0; s && k < s->n_edges && s->edges[k].pos <= l->at; k++)
        if (s->edges[k].pos == l->at && s->edges[k].flags & TCF_EDGE_TARGET)
            return 1;
    return 0;
}

/* Does it still follow? */
static int follows(const segment *g, uint32_t location)
{
    const lane *l = &g->lanes[location];
    if (l->leader == NOWHERE || l->state == LANE_ENDED)
        return 0;
    return g->defs->locations[location].type != TCF_CPU_THREAD || (!l->started && !begins_with_target(l));
}

/* No event of a follower that has not passed is earlier. */
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
    const lane *l = &g->lanes[location];
    const tcf_slice *s = slice_at_hand(l);
    *limit = UINT64_MAX;
    if ((l->leader == NOWHERE && l->followers == NOWHERE) || !s)
        return 1;
    if (l->is_free) {
        *limit = g->options.sourced ? s->time[l->at] : UINT64_MAX;
        return 1;
    }
    if (follows(g, location)) {
        const lane *leader = &g->lanes[l->leader];
        if (leader->state != LANE_ENDED && (!leader->started || leader->passed <= s->time[l->at]))
            return 0;
        if (leader->state != LANE_ENDED)
            *limit = leader->passed - 1;
    }
    for (uint32_t k = l->followers; k != NOWHERE; k = g->lanes[k].sibling) {
        uint64_t next = follows(g, k) ? next_time(g, k) : UINT64_MAX;
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
    const lane *l = &g->lanes[location];
    if (g->n_blocked == 0)
        return;
    look_again(g, l->leader);
    for (uint32_t k = l->followers; k != NOWHERE; k = g->lanes[k].sibling)
        look_again(g, k);
}

void follow_look_again(segment *g)
{
    for (uint32_t k = 0; g->n_blocked > 0 && k < g->defs->n_locations; k++)
        look_again(g, k);
}

int follow_give_up(segment *g)
{
    uint32_t earliest = NOWHERE;
    for (uint32_t k = 0; g->n_blocked > 0 && k < g->defs->n_locations; k++)
        if (g->lanes[k].state == LANE_BLOCKED && (earliest == NOWHERE || g->lanes[k].key < g->lanes[earliest].key))
            earliest = k;
    if (earliest == NOWHERE)
        return 0;
    g->lanes[earliest].is_free = 1;
    unblock(g, earliest);
    return 1;
}
