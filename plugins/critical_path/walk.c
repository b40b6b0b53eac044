/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The walk over a location's events: ends stretches, and sums up the time of each call path. */
#include "critical_path.h"

#include <tcflow/grow.h>

/* begin, end: of the program; instant: the begin or the end of others, the own end, a send of no call; idles: the
 * stretch that begins is idle */
enum { IS_ENTER = 1, IS_LEAVE = 2, IS_BEGIN = 4, IS_END = 8, IS_REQUEST = 16, IS_INSTANT = 32, IDLES = 64 };

const tcf_named_column columns[] = {{.name = "critical_path_step", .bytes = 1}};

static const uint8_t what[256] = {
    [TCF_ENTER] = IS_ENTER,
    [TCF_LEAVE] = IS_LEAVE,
    [TCF_CALLING_CONTEXT_ENTER] = IS_ENTER,
    [TCF_CALLING_CONTEXT_LEAVE] = IS_LEAVE,
    [TCF_PROGRAM_BEGIN] = IS_BEGIN,
    [TCF_PROGRAM_END] = IS_END,
    [TCF_MPI_IRECV_REQUEST] = IS_REQUEST,
    [TCF_MPI_ISEND_COMPLETE] = IS_REQUEST,
    [TCF_MPI_REQUEST_CANCELLED] = IS_REQUEST,
    [TCF_THREAD_FORK] = IS_INSTANT,
    [TCF_OMP_FORK] = IS_INSTANT,
    [TCF_THREAD_CREATE] = IS_INSTANT,
    [TCF_THREAD_TEAM_END] = IS_INSTANT,
    [TCF_THREAD_END] = IS_INSTANT,
};

/* What a region is: WAITS_REGION_*, and IS_IDLE; outside of any call code of the user. */
static inline uint8_t of_path(const tcf_self *self, const tcf_callpath *nodes, uint32_t callpath)
{
    const uint32_t region = nodes[callpath].region;
    return callpath == 0                    ? WAITS_REGION_USER
           : region < self->defs->n_regions ? state_of(self)->region[region]
                                            : WAITS_REGION_PLAIN;
}

/* A leave of a region that is not the one of its call path leaves nothing. */
tcf_status arrive(tcf_self *self, tcf_slice *s)
{
    uint8_t *step = s->columns[state_of(self)->column];
    const int has_idle = state_of(self)->has_idle;
    uint32_t n_nodes;
    const tcf_callpath *nodes = self->host->callpaths(self, &n_nodes);
    if (s->n > 0 && !is_recorded(self)) {
        tree_reach(&state_of(self)->tree, s->time[0]);
        tree_reach(&state_of(self)->tree, s->time[s->n - 1]);
    }
    for (uint32_t i = 0; i < s->n; i++) {
        step[i] = what[s->kind[i]];
        if (step[i] & IS_LEAVE) {
            const uint32_t region = nodes[s->callpath[i]].region;
            if (region != tcf_region_of_event(self->defs, s, i) && (region != TCF_NONE || s->callpath[i] == 0))
                step[i] = 0;
        }
        if (s->kind[i] == TCF_MPI_SEND || s->kind[i] == TCF_MPI_ISEND)
            step[i] = of_path(self, nodes, s->callpath[i]) == WAITS_REGION_USER ? IS_INSTANT : 0;
        if (__builtin_expect(has_idle, 0) && step[i] & (IS_ENTER | IS_LEAVE)) {
            const uint32_t to = step[i] & IS_LEAVE ? nodes[s->callpath[i]].parent : s->callpath[i];
            step[i] |= of_path(self, nodes, to) & IS_IDLE ? IDLES : 0;
        }
    }
    return TCF_OK;
}

/* The path goes on with `ticks` in a call path, in which the location itself spent `total`. */
static inline tcf_status go_on(tcf_self *self, struct place *k, uint32_t callpath, uint64_t total, uint64_t ticks)
{
    struct cell *c = cell_of(self, k, callpath);
    if (__builtin_expect(!c, 0))
        return TCF_ERROR;
    if (c->epoch != k->epoch) {
        if (TCF_GROW(&k->touched, &k->touched_capacity, k->n_touched) != 0)
            return self->host->fail(self, "out of memory for the time of call paths");
        k->touched[k->n_touched++] = callpath;
        c->epoch = k->epoch;
        c->before = c->total;
    }
    c->total += total;
    c->before += total - ticks; /* modulo 2^64 */
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- stretches -- */

tcf_status walk_add(tcf_self *self, uint32_t location, uint32_t callpath, uint64_t ticks)
{
    return go_on(self, place_of(self, location), callpath, ticks, ticks);
}

/* Ends a stretch that may have waited. */
static tcf_status end_special(tcf_self *self, struct place *k, uint32_t location, uint64_t end)
{
    const uint64_t own = end - k->start;
    const uint32_t question = k->question;
    if (is_recorded(self))
        return gather_put_time(self, gather_of(self), location, RECORD_END, k->callpath, end);
    if (question != NONE) {
        if (mark_here(self, location) != TCF_OK || end_question(self, location, end) != TCF_OK)
            return TCF_ERROR;
        if (state_of(self)->tree.node[k->path].open == question) { /* decide() adds the time to the path */
            struct cell *c = cell_of(self, k, k->callpath);
            if (!c)
                return TCF_ERROR;
            c->total += own;
            start_over(k, end);
            return TCF_OK;
        }
    }
    if (k->best.node == NONE || k->begins) {
        path_drop(self, k->best.node, 0);
        k->best.node = NONE;
        return go_on(self, k, k->callpath, own, own);
    }
    start_over(k, k->best.time);
    path_drop(self, k->path, 0);
    k->path = k->best.node;
    k->best.node = NONE;
    k->jumps = 1;
    if (go_on(self, k, k->callpath, own, end - k->best.time) != TCF_OK)
        return TCF_ERROR;
    if (k->best.time > k->start)
        cell_of(self, k, k->callpath)->waited += k->best.time - k->start;
    return TCF_OK;
}

static inline tcf_status end_stretch(tcf_self *self, struct place *k, uint32_t location, uint64_t end)
{
    if (__builtin_expect(k->callpath == 0 && !k->in_program, 0))
        k->outside += end - k->start;
    const int goes_on = __builtin_expect(k->was_idle, 0) && end > k->start && k->callpath != 0 && !k->idles;
    if (k->is_special) {
        if (end_special(self, k, location, end) != TCF_OK)
            return TCF_ERROR;
        k->is_special = k->here = k->begins = k->is_late = 0;
    } else if (go_on(self, k, k->callpath, end - k->start, end - k->start) != TCF_OK) {
        return TCF_ERROR;
    }
    k->start = end;
    k->is_first = k->idles = 0;
    return goes_on && !k->is_elsewhere ? idle_over(self, location) : TCF_OK;
}

tcf_status walk_end_stretch(tcf_self *self, uint32_t location, uint64_t end)
{
    return end_stretch(self, place_of(self, location), location, end);
}

/* Something happens in the stretch at hand by which it may have waited, or others may wait for it. */
static inline tcf_status begin_special(tcf_self *self, struct place *k, uint32_t location)
{
    const int is_known = k->is_special;
    k->is_special = 1;
    return is_known || !is_recorded(self) ? TCF_OK : record_stretch(self, location);
}

static struct event event_at(const tcf_slice *s, uint32_t i)
{
    const tcf_rec *r = &s->rec[i];
    struct event v = {.location = s->location, .kind = s->kind[i], .time = s->time[i]};
    switch (v.kind) {
    case TCF_MPI_ISEND:
        v.request = r->mpi_isend.request_id;
        break;
    case TCF_MPI_ISEND_COMPLETE:
        v.request = r->mpi_isend_complete.request_id;
        break;
    case TCF_MPI_IRECV:
        v.request = r->mpi_irecv.request_id;
        break;
    case TCF_MPI_IRECV_REQUEST:
        v.request = r->mpi_irecv_request.request_id;
        break;
    case TCF_MPI_REQUEST_CANCELLED:
        v.request = r->mpi_request_cancelled.request_id;
        break;
    default:
        break;
    }
    return v;
}

static tcf_status meet_request(tcf_self *self, struct place *k, const tcf_slice *s, uint32_t i)
{
    const struct event v = event_at(s, i);
    if (begin_special(self, k, s->location) != TCF_OK)
        return TCF_ERROR;
    return is_recorded(self) ? record_edge(self, &v, NULL) : request(self, &v);
}

/* Events [i, to), all without edges: the only loop over every event. */
static tcf_status between(tcf_self *self, struct place *k, const tcf_slice *s, uint32_t i, uint32_t to)
{
    const uint8_t *step = s->columns[state_of(self)->column];
    const tcf_callpath *nodes = state_of(self)->nodes;
    for (; i < to; i++) {
        const uint8_t is = step[i];
        if (is == 0)
            continue;
        if (is & IS_REQUEST) {
            if (meet_request(self, k, s, i) != TCF_OK)
                return TCF_ERROR;
            continue;
        }
        if (__builtin_expect(end_stretch(self, k, s->location, s->time[i]) != TCF_OK, 0))
            return TCF_ERROR;
        if (is & (IS_BEGIN | IS_END))
            k->in_program = is & IS_BEGIN;
        k->callpath = is & IS_LEAVE ? nodes[s->callpath[i]].parent : s->callpath[i];
        if (__builtin_expect(is & IDLES, 0) &&
            (begin_special(self, k, s->location) != TCF_OK || idle_begin(self, s->location) != TCF_OK))
            return TCF_ERROR;
    }
    return TCF_OK;
}

tcf_status walk_edge(tcf_self *self, const struct event *v, const tcf_edge *e)
{
    if (is_recorded(self)) {
        place_of(self, v->location)->was_idle &= !(e->class_ == TCF_CLASS_P2P && e->flags & TCF_EDGE_TARGET);
        return record_edge(self, v, e);
    }
    return tcf_is_message(e) ? message_edge(self, v, e) : team_edge(self, v, e);
}

/* In domains the domain of a source chooses the name of its ticket. */
static tcf_status message(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    struct event v = event_at(s, i);
    v.name = e->flags & TCF_EDGE_UNMATCHED ? NULL : self->host->payload(self, e);
    if (v.name && (e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_TARGET)) == TCF_EDGE_SOURCE)
        *v.name = new_name(self, s->location);
    return walk_edge(self, &v, e);
}

static tcf_status edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    if (e->flags & TCF_EDGE_GONE)
        return TCF_OK;
    switch (e->class_) {
    case TCF_CLASS_P2P:
    case TCF_CLASS_LOCK:
    case TCF_CLASS_THREAD_CREATE:
    case TCF_CLASS_THREAD_WAIT:
        return message(self, s, i, e);
    case TCF_CLASS_FORK:
    case TCF_CLASS_JOIN:
        return walk_edge(self, &(struct event){.location = s->location, .time = s->time[i]}, e);
    case TCF_CLASS_NONE:
    case TCF_CLASS_RMA:
        return TCF_OK;
    default:
        return member_edge(self, s, i, e);
    }
}

/* Event i with the edges [from, to). Edges of a leave belong to the stretch that it ends. */
static tcf_status meet(tcf_self *self, struct place *k, const tcf_slice *s, uint32_t i, uint32_t from, uint32_t to)
{
    const uint8_t is = ((const uint8_t *)s->columns[state_of(self)->column])[i];
    if (is & (IS_ENTER | IS_BEGIN | IS_REQUEST | IS_INSTANT) && between(self, k, s, i, i + 1) != TCF_OK)
        return TCF_ERROR;
    if (begin_special(self, k, s->location) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t n = from; n < to; n++)
        if (edge(self, s, i, &s->edges[n]) != TCF_OK)
            return TCF_ERROR;
    return is & (IS_LEAVE | IS_END) ? between(self, k, s, i, i + 1) : TCF_OK;
}

void walk_begin(struct place *k, uint64_t time)
{
    k->started = k->is_first = 1;
    k->start = k->first = k->since = time;
    k->path = k->question = k->best.node = NONE;
    k->epoch = 1;
}

tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct place *k = place_of(self, s->location);
    uint32_t n = from == 0 ? 0 : k->edge, i = from, n_nodes;
    state_of(self)->nodes = self->host->callpaths(self, &n_nodes);
    if (to > from && !k->started) {
        walk_begin(k, s->time[from]);
        if (is_recorded(self) &&
            gather_put_time(self, gather_of(self), s->location, RECORD_BEGIN, 0, s->time[from]) != TCF_OK)
            return TCF_ERROR;
    }
    while (n < s->n_edges && s->edges[n].pos < to) {
        const uint32_t at = n, pos = s->edges[n].pos;
        while (n < s->n_edges && s->edges[n].pos == pos)
            n++;
        if (between(self, k, s, i, pos) != TCF_OK || meet(self, k, s, pos, at, n) != TCF_OK)
            return TCF_ERROR;
        i = pos + 1;
    }
    k->edge = n;
    if (between(self, k, s, i, to) != TCF_OK)
        return TCF_ERROR;
    if (to > from)
        k->last = s->time[to - 1];
    return gather_tell(self, gather_of(self));
}

static tcf_status end_path(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    if (!k->started)
        return TCF_OK;
    if (idle_over(self, location) != TCF_OK || end_stretch(self, k, location, k->last) != TCF_OK)
        return TCF_ERROR;
    return is_recorded(self) ? record_last(self, location) : mark_here(self, location);
}

tcf_status location_end(tcf_self *self, uint32_t location)
{
    return end_path(self, location) == TCF_OK ? gather_tell(self, gather_of(self)) : TCF_ERROR;
}
