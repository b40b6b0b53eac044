/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The lanes of a segment, one a location: the way of slices in and out. */
#include "schedule_internal.h"

/* ---------------------------------------------------------------------------------------------------- in and out -- */

void segment_wake(void *data, uint32_t location)
{
    segment *g = data;
    lane *l = segment_lane(g, location);
    if (l->state != LANE_PARKED)
        return;
    __builtin_prefetch(l->head);
    __builtin_prefetch(l->next_edge);
    __builtin_prefetch(l->next_time);
    l->state = LANE_RUNNABLE;
    g->has_looked = 0;
    const uint32_t partner = g->parked[l->parked].partner;
    g->n_with_lengths -= g->parked[l->parked].has_lengths;
    if (partner != IN_OPERATION)
        --*segment_waiters(g, partner);
    segment_senders_remove(g, location);
    const parked_location last = g->parked[--g->n_parked];
    g->parked[l->parked] = last;
    segment_lane(g, last.location)->parked = l->parked;
    segment_heap_add(g, location);
    g->woken[g->n_woken++ % WOKEN] = location;
    if (g->n_woken - g->oldest_woken > WOKEN)
        g->oldest_woken = g->n_woken - WOKEN;
}

outcome segment_pass_parked(segment *g, uint32_t location, int lasting)
{
    const lane *l = segment_lane(g, location);
    if (exchange_proceed(g->x, location, &l->head->v.edges[l->edge], lasting) != TCF_OK)
        return OUTCOME_FAILED;
    segment_wake(g, location);
    return OUTCOME_MOVED;
}

static void note_density(segment *g, const tcf_slice *s)
{
    if (s->n < 2)
        return;
    double ticks = (double)(s->time[s->n - 1] - s->time[0]) / s->n;
    const double part = (double)s->n / pool_layout(g->pool)->capacity, weight = (part < 1 ? part : 1) / 8;
    g->ticks_an_event += g->ticks_an_event == 0 ? ticks : (ticks - g->ticks_an_event) * weight;
}

/* Is the time known that is 0 in keys of the location's process? That of its first event, unless the archive says it.
 */
static int find_origin(segment *g, uint32_t location, const tcf_slice *s)
{
    lane *l = segment_lane(g, location);
    if (l->has_origin)
        return 1;
    uint32_t group = g->defs->locations[location].group;
    group = group < g->defs->n_location_groups ? group : g->defs->n_location_groups;
    if (!g->has_origin[group] && s && s->n > 0) {
        g->origin[group] = s->time[0];
        g->has_origin[group] = 1;
    }
    l->origin = g->origin[group];
    return l->has_origin = g->has_origin[group];
}

void segment_push(segment *g, slice *s)
{
    uint32_t location = s->v.location;
    lane *l = segment_lane(g, location);
    lane_rest *rest = segment_lane_rest(g, location);
    s->next = NULL;
    if (l->head)
        rest->tail->next = s;
    else
        l->head = s;
    rest->tail = s;
    g->pushes++;
    g->n_slices++;
    note_density(g, &s->v);
    if (l->head != s)
        return;
    l->at = l->edge = 0;
    find_origin(g, location, &s->v);
    if (s->v.n > 0) {
        segment_set_key(g, location, segment_key(l, s->v.time[0]));
        segment_heap_moved(g, location);
    }
    if (l->state == LANE_STARVED) {
        l->state = LANE_RUNNABLE;
        segment_heap_add(g, location);
    }
    follow_moved(g, location);
}

void segment_frontier(segment *g, uint32_t location, uint64_t time)
{
    const lane *l = segment_lane(g, location);
    lane_rest *rest = segment_lane_rest(g, location);
    if (time != UINT64_MAX && time > rest->frontier)
        rest->frontier = time;
    if (!g->options.sourced || l->head || g->place[location] == NOWHERE || time == UINT64_MAX ||
        !find_origin(g, location, NULL))
        return;
    uint64_t key = segment_key(l, time);
    if (key > l->key) {
        segment_set_key(g, location, key);
        segment_heap_moved(g, location);
    }
}

/* All locations have ended that represent this member, or its process: wakes the locations that may wait for it. */
static void wake_parked(segment *g, uint32_t member)
{
    if (*segment_waiters(g, member) == 0 && *segment_waiters(g, NOWHERE) == 0)
        return;                                /* as mostly */
    for (uint32_t i = g->n_parked; i-- > 0;) { /* the last one takes the place of one that wakes */
        const parked_location p = g->parked[i];
        const lane *l = segment_lane(g, p.location);
        if (p.partner != NOWHERE && p.partner != member)
            continue;
        exchange_unpark(g->x, p.location, &l->head->v.edges[l->edge]);
        segment_wake(g, p.location);
    }
}

tcf_status segment_ended_elsewhere(segment *g, uint32_t location)
{
    const uint32_t member = g->defs->mpi_member[location];
    if (exchange_location_end(g->x, location) != TCF_OK)
        return TCF_ERROR;
    if (exchange_was_last(g->x, location))
        wake_parked(g, member == TCF_NONE ? location : member);
    return TCF_OK;
}

tcf_status segment_end_lane(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    segment_heap_remove(g, location);
    l->state = LANE_ENDED;
    g->n_live--;
    if (segment_ended_elsewhere(g, location) != TCF_OK)
        return TCF_ERROR;
    follow_moved(g, location);
    return g->client.location_end(g->client.data, location);
}

tcf_status segment_upstream_end(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    l->upstream_ended = 1;
    return l->head || l->state == LANE_ENDED ? TCF_OK : segment_end_lane(g, location);
}

tcf_status segment_send_head(segment *g, uint32_t location)
{
    lane *l = segment_lane(g, location);
    slice *s = l->head;
    l->head = s->next;
    l->at = l->edge = 0;
    g->n_slices--;
    s->next = NULL;
    if (l->head && l->head->v.n > 0)
        segment_set_key(g, location, segment_key(l, l->head->v.time[0]));
    else if (s->v.n > 0)
        segment_set_key(g, location, segment_key(l, s->v.time[s->v.n - 1]));
    if (s->yields && g->options.sourced)
        segment_yield(g, location);
    return g->client.out(g->client.data, s);
}

/* Passes on that no event of the location is earlier than `last`, or than its next event. */
static void send_frontier(segment *g, uint32_t location, uint64_t last)
{
    const lane *l = segment_lane(g, location);
    if (!g->options.moves_time && l->head && l->at < l->head->v.n)
        last = l->head->v.time[l->at];
    g->client.frontier(g->client.data, location, last);
}

tcf_status segment_send_parts(segment *g)
{
    for (uint32_t k = g->first; k < g->end; k++) {
        lane *l = segment_lane(g, k);
        lane_rest *behind = segment_lane_rest(g, k);
        if (!l->head && behind->frontier > 0 && !g->options.moves_time)
            g->client.frontier(g->client.data, k,
                               behind->frontier); /* all its events have passed, and later ones are not earlier */
        if (!l->head || l->at >= l->head->v.n)
            continue;
        if (l->at == 0) { /* nothing to send, but the time of the next event is known */
            if (!g->options.moves_time)
                send_frontier(g, k, 0);
            continue;
        }
        slice *part = l->head;
        uint64_t last = part->v.time[l->at - 1];
        slice *rest = slice_split(g->pool, part, l->at);
        if (!rest)
            return TCF_OK; /* no slice is left for the rest; slices that are out will come back */
        rest->next = part->next;
        l->head = rest;
        if (behind->tail == part)
            behind->tail = rest;
        l->at = 0;
        l->edge -= part->v.n_edges; /* edges at the cut may have passed already, in front of a waiting edge */
        part->next = NULL;
        if (g->client.out(g->client.data, part) != TCF_OK)
            return TCF_ERROR;
        send_frontier(g, k, last);
    }
    return TCF_OK;
}
