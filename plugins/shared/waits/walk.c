/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The walk over a location's events: keeps the open calls, and hands events with edges on.
 *
 * Some measurement systems record MPI's events but not its calls as regions. Such an event stands directly in a region
 * of the user's. It counts as a call of its own, a *bare* call, which ends with the event's record. A record that
 * begins something is a call without length. At a record that ends something, the location may have waited since it was
 * last known to do something else in that region. */
#include "internal.h"

#include <tcflow/grow.h>
#include <tcflow/times.h>

#include <otf2/OTF2_Events.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 65536 };

/* What to do at an event. waits_arrive() puts it into a column while the records are in the cache. */
enum {
    IS_ENTER = 1,
    IS_LEAVE = 2,
    IS_OTHER = 4,
    COMMUNICATES = 8,
    FITS = 16,   /* a leave of the region of its call path */
    BEGINS = 32, /* begins something that a later record may end */
    ENDS = 64,   /* ends something */
    SENDS = COMMUNICATES | BEGINS
};

static const uint8_t what[256] = {
    [TCF_ENTER] = IS_ENTER,
    [TCF_LEAVE] = IS_LEAVE,
    [TCF_CALLING_CONTEXT_ENTER] = IS_ENTER,
    [TCF_CALLING_CONTEXT_LEAVE] = IS_LEAVE,
    [TCF_MPI_ISEND_COMPLETE] = IS_OTHER | ENDS,
    [TCF_MPI_IRECV_REQUEST] = IS_OTHER | BEGINS,
    [TCF_MPI_REQUEST_CANCELLED] = IS_OTHER | ENDS,
    [TCF_MPI_REQUEST_TEST] = ENDS,
    [TCF_NON_BLOCKING_COLLECTIVE_REQUEST] = BEGINS,
    [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = IS_OTHER | COMMUNICATES | ENDS,
    [TCF_MPI_COLLECTIVE_BEGIN] = BEGINS,
    [TCF_MPI_COLLECTIVE_END] = COMMUNICATES | ENDS,
    [TCF_MPI_SEND] = SENDS,
    [TCF_MPI_ISEND] = SENDS,
    [TCF_MPI_RECV] = COMMUNICATES | ENDS,
    [TCF_MPI_IRECV] = COMMUNICATES | ENDS,
    [TCF_THREAD_FORK] = IS_OTHER,
    [TCF_OMP_FORK] = IS_OTHER,
    [TCF_THREAD_TEAM_BEGIN] = IS_OTHER,
    [TCF_THREAD_TEAM_END] = IS_OTHER,
    [TCF_THREAD_JOIN] = IS_OTHER,
    [TCF_OMP_JOIN] = IS_OTHER,
    [TCF_RMA_PUT] = IS_OTHER | BEGINS,
    [TCF_RMA_GET] = IS_OTHER | BEGINS,
    [TCF_RMA_ATOMIC] = IS_OTHER | BEGINS,
    [TCF_RMA_GROUP_SYNC] = IS_OTHER | ENDS,
    [TCF_RMA_OP_COMPLETE_BLOCKING] = ENDS,
    [TCF_RMA_OP_COMPLETE_NON_BLOCKING] = ENDS,
    [TCF_RMA_OP_COMPLETE_REMOTE] = ENDS,
    [TCF_RMA_COLLECTIVE_BEGIN] = BEGINS,
    [TCF_RMA_COLLECTIVE_END] = ENDS,
    [TCF_THREAD_ACQUIRE_LOCK] = ENDS,
    [TCF_THREAD_RELEASE_LOCK] = ENDS,
    [TCF_OMP_ACQUIRE_LOCK] = ENDS,
    [TCF_OMP_RELEASE_LOCK] = ENDS,
};

/* --------------------------------------------------------------------------------------------------------- calls -- */

static tcf_status out_of_memory(tcf_self *self)
{
    return self->host->fail(self, "out of memory for open calls");
}

static inline tcf_status enter(tcf_self *self, waits *w, waits_track *k, const tcf_slice *s, uint32_t i)
{
    if (__builtin_expect(k->depth == k->capacity, 0)) {
        if (k->depth == MOST_CALLS) {
            w->counts.too_deep++;
            return TCF_OK;
        }
        if (TCF_GROW(&k->call, &k->capacity, k->depth) != 0)
            return out_of_memory(self);
    }
    waits_call *c = &k->call[k->depth++];
    c->enter = c->busy = s->time[i];
    c->inner = 0;
    c->is_bare = 0;
    c->callpath = s->callpath[i];
    c->region = w->nodes[c->callpath].region;
    if (__builtin_expect(c->region == TCF_NONE, 0)) /* beyond max_callpaths */
        c->region = tcf_region_of_event(self->defs, s, i);
    c->used = 0;
    return TCF_OK;
}

/* Ends the innermost call. */
static inline tcf_status end_call(tcf_self *self, const waits *w, waits_track *k, uint32_t location, uint64_t now)
{
    waits_call *c = &k->call[k->depth - 1];
    if (c->used && message_leave(self, location, c, now) != TCF_OK)
        return TCF_ERROR;
    if (k->depth > 1) {
        c[-1].inner += now - c->enter;
        c[-1].busy = now;
    }
    k->depth--;
    return report_left(w, location, c, now);
}

/* Event i leaves the call path of its column, and the calls inside of that. It leaves nothing where its region is not
 * open. */
static tcf_status leave_slowly(tcf_self *self, waits *w, waits_track *k, const tcf_slice *s, uint32_t i, uint8_t is)
{
    uint32_t left = s->callpath[i];
    if (w->nodes[left].region != TCF_NONE && !(is & FITS))
        return TCF_OK;
    uint32_t depth = k->depth;
    /* A call beyond MOST_CALLS was never noted. It lies below the innermost one, so the number of its path is larger,
     * or it is one beyond max_callpaths. */
    const uint32_t top = depth == MOST_CALLS ? k->call[depth - 1].callpath : left;
    if (left > top || (left != top && left != 0 && w->nodes[left].region == TCF_NONE))
        return TCF_OK;
    while (depth > 0 && k->call[depth - 1].callpath != left)
        depth--;
    while (depth > 0 && k->depth >= depth)
        if (end_call(self, w, k, s->location, s->time[i]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static inline tcf_status leave(tcf_self *self, waits *w, waits_track *k, const tcf_slice *s, uint32_t i, uint8_t is)
{
    const waits_call *c = innermost(w, k);
    if (c && is & FITS && c->callpath == s->callpath[i])
        return end_call(self, w, k, s->location, s->time[i]);
    return leave_slowly(self, w, k, s, i, is);
}

/* Event i begins or ends something outside of any MPI call: makes a bare call of it. */
static void begin_bare(tcf_self *self, waits *w, waits_track *k, const tcf_slice *s, uint32_t i, uint8_t is)
{
    waits_call *c = innermost(w, k);
    if (!c || extra_of(self, c) != WAITS_REGION_USER)
        return;
    w->bare = (waits_call){.enter = is & ENDS ? c->busy : s->time[i],
                           .callpath = c->callpath,
                           .region = c->region,
                           .is_bare = 1};
    c->busy = s->time[i];
    k->is_bare = 1;
}

/* A bare call that communicates counts as a call inside of its region. */
static tcf_status end_bare(tcf_self *self, waits *w, waits_track *k, uint32_t location, uint64_t now)
{
    waits_call *bare = &w->bare;
    k->is_bare = 0;
    if (!bare->used)
        return TCF_OK;
    if (message_leave(self, location, bare, now) != TCF_OK)
        return TCF_ERROR;
    innermost(w, k)->inner += now - bare->enter;
    return report_left(w, location, bare, now);
}

static void count_collective(uint64_t *of, uint8_t op, uint64_t out, uint64_t in)
{
    if (op >= OTF2_COLLECTIVE_OP_CREATE_HANDLE) /* from there on handles and memory, without data */
        return;
    of[WAITS_BYTES_COUT] = tcf_bytes_sum(of[WAITS_BYTES_COUT], out);
    of[WAITS_BYTES_CIN] = tcf_bytes_sum(of[WAITS_BYTES_CIN], in);
    of[op == OTF2_COLLECTIVE_OP_BARRIER || (out | in) == 0 ? WAITS_SYNCS_COLL
       : in == 0                                           ? WAITS_COMMS_CSRC
       : out == 0                                          ? WAITS_COMMS_CDST
                                                           : WAITS_COMMS_CXCH]++;
}

static void count_message(uint64_t *of, uint64_t bytes, wait_count empty, wait_count full, wait_count sum)
{
    of[bytes > 0 ? full : empty]++;
    of[sum] = tcf_bytes_sum(of[sum], bytes);
}

static void count_communication(waits *w, uint8_t kind, const tcf_rec *r)
{
    uint64_t *of = w->counts.of;
    switch (kind) {
    case TCF_MPI_SEND:
    case TCF_MPI_ISEND:
        count_message(of, r->mpi_send.msg_length, WAITS_SYNCS_SEND, WAITS_COMMS_SEND, WAITS_BYTES_SENT);
        return;
    case TCF_MPI_RECV:
    case TCF_MPI_IRECV:
        count_message(of, r->mpi_recv.msg_length, WAITS_SYNCS_RECV, WAITS_COMMS_RECV, WAITS_BYTES_RCVD);
        return;
    default: /* blocking and non-blocking operations */
        count_collective(of, r->mpi_collective_end.collective_op, r->mpi_collective_end.size_sent,
                         r->mpi_collective_end.size_received);
    }
}

/* A call path's own, with that around it: parents have lower numbers. */
static uint8_t kept_of(const tcf_self *self, const waits *w, uint32_t path)
{
    const uint32_t region = w->nodes[path].region;
    const uint8_t around = path > 0 ? w->kept_of_path[w->nodes[path].parent] : 0;
    if (region == TCF_NONE) /* the root, or beyond max_callpaths */
        return 0;
    return (uint8_t)region_within(around, region < self->defs->n_regions
                                              ? w->kind_of_region[region] | w->nesting_of_region[region]
                                              : WAIT_COMPUTATION);
}

tcf_status waits_know_paths(tcf_self *self)
{
    waits *w = waits_of(self);
    w->nodes = self->host->callpaths(self, &w->n_nodes);
    for (; w->n_kept < w->n_nodes; w->n_kept++) {
        if (TCF_GROW(&w->kept_of_path, &w->kept_capacity, w->n_kept) != 0)
            return self->host->fail(self, "out of memory for %u call paths", w->n_nodes);
        w->kept_of_path[w->n_kept] = kept_of(self, w, w->n_kept);
    }
    return TCF_OK;
}

tcf_status waits_arrive(tcf_self *self, tcf_slice *s)
{
    waits *w = waits_of(self);
    if (w->owner != self)
        return TCF_OK;
    if (waits_know_paths(self) != TCF_OK)
        return TCF_ERROR;
    uint8_t *step = s->columns[w->column];
    const tcf_callpath *nodes = w->nodes;
    for (uint32_t i = 0; i < s->n; i++) {
        const uint8_t is = what[s->kind[i]];
        step[i] = is;
        if (is & IS_LEAVE && nodes[s->callpath[i]].region == tcf_region_of_event(self->defs, s, i))
            step[i] = is | FITS;
        else if (is & COMMUNICATES)
            count_communication(w, s->kind[i], &s->rec[i]);
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static tcf_status other(const waits_at *at)
{
    const tcf_rec *r = &at->s->rec[at->i];
    const uint8_t kind = at->s->kind[at->i];
    waits_call *c;
    switch (kind) {
    case TCF_MPI_ISEND_COMPLETE:
        message_completed_send(at);
        return TCF_OK;
    case TCF_MPI_IRECV_REQUEST:
        return message_posted_receive(at);
    case TCF_MPI_REQUEST_CANCELLED:
        reply_cancel(at->w, at->s->location, r->mpi_request_cancelled.request_id);
        message_forget_receive(at->w, at->s->location, r->mpi_request_cancelled.request_id);
        return TCF_OK;
    case TCF_RMA_GROUP_SYNC:
        return at->w->windows ? windows_sync(at) : TCF_OK;
    case TCF_THREAD_FORK:
    case TCF_OMP_FORK:
    case TCF_THREAD_TEAM_BEGIN:
    case TCF_THREAD_TEAM_END:
    case TCF_THREAD_JOIN:
    case TCF_OMP_JOIN:
        return team_management(at);
    default:
        if ((c = call_of(at)) == NULL)
            return TCF_OK;
        c->collectives += kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
        c->accesses |= kind != TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
        return TCF_OK;
    }
}

static tcf_status edge(const waits_at *at, const tcf_edge *e)
{
    if (e->flags & TCF_EDGE_GONE)
        return TCF_OK;
    switch (e->class_) {
    case TCF_CLASS_P2P:
        return message_edge(at, e);
    case TCF_CLASS_LOCK:
        return lock_edge(at, e);
    case TCF_CLASS_FORK:
    case TCF_CLASS_JOIN:
        return team_edge(at, e);
    case TCF_CLASS_NONE:
    case TCF_CLASS_THREAD_CREATE:
    case TCF_CLASS_THREAD_WAIT:
        return TCF_OK;
    default:
        return member_edge(at, e);
    }
}

/* Event i with the edges [from, to). Its edges belong to the call that it enters or leaves. */
static tcf_status meet(tcf_self *self, waits *w, waits_track *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to)
{
    const waits_at at = {.self = self, .w = w, .k = k, .s = s, .i = i, .now = s->time[i]};
    const uint8_t is = ((const uint8_t *)s->columns[w->column])[i];
    if (is & (BEGINS | ENDS))
        begin_bare(self, w, k, s, i, is);
    if (is & IS_ENTER && enter(self, w, k, s, i) != TCF_OK)
        return TCF_ERROR;
    /* A send that is never received communicates, too: whether that is known yet depends on how far its receiver is. */
    if ((is & SENDS) == SENDS)
        (void)call_of(&at);
    if (is & IS_OTHER && other(&at) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t n = from; n < to; n++)
        if (edge(&at, &s->edges[n]) != TCF_OK)
            return TCF_ERROR;
    if (k->is_bare && end_bare(self, w, k, s->location, at.now) != TCF_OK)
        return TCF_ERROR;
    return is & IS_LEAVE ? leave(self, w, k, s, i, is) : TCF_OK;
}

/* Events [i, to), all without edges: the only loop over every event. */
static tcf_status between(tcf_self *self, waits *w, waits_track *k, tcf_slice *s, uint32_t i, uint32_t to)
{
    const uint8_t *step = s->columns[w->column];
    for (; i < to; i++) {
        const uint8_t is = step[i];
        tcf_status status = TCF_OK;
        if (__builtin_expect(is & (BEGINS | ENDS), 0))
            status = meet(self, w, k, s, i, 0, 0);
        else if (is & IS_ENTER)
            status = enter(self, w, k, s, i);
        else if (is & IS_LEAVE)
            status = leave(self, w, k, s, i, is);
        else if (is & IS_OTHER)
            status = other(&(waits_at){.self = self, .w = w, .k = k, .s = s, .i = i, .now = s->time[i]});
        if (__builtin_expect(status != TCF_OK, 0))
            return status;
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- for the filters -- */

uint32_t waits_computation(tcf_self *self, uint32_t callpath, const waits_call *call)
{
    waits *w = waits_of(self);
    const uint32_t around = w->nodes[callpath].region, n = self->defs->n_regions;
    if (call->region >= n || !w->communicates[call->region] || (around < n && w->communicates[around]))
        return callpath;
    const uint32_t node = self->host->computation(self, callpath, call->region);
    w->nodes = self->host->callpaths(self, &w->n_nodes); /* the tree may have moved */
    return node;
}

/* Prefetches the columns of a span, which were decoded long ago, so that their cache lines load together. */
static void fetch(const waits *w, const tcf_slice *s, uint32_t from, uint32_t to)
{
    enum { LINE = 64, MOST = 256 };
    const uint8_t *step = s->columns[w->column];
    to = to - from > MOST ? from + MOST : to;
    for (uint32_t i = from; i < to; i += LINE / sizeof *s->time)
        __builtin_prefetch(&s->time[i]);
    for (uint32_t i = from; i < to; i += LINE / sizeof *s->callpath)
        __builtin_prefetch(&s->callpath[i]);
    for (uint32_t i = from; i < to; i += LINE)
        __builtin_prefetch(&step[i]);
}

tcf_status waits_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    waits *w = waits_of(self);
    if (w->owner != self)
        return TCF_OK;
    fetch(w, s, from, to);
    waits_track *k = waits_track_of(self, s->location);
    uint32_t n = from == 0 ? 0 : k->edge, i = from;
    w->nodes = self->host->callpaths(self, &w->n_nodes);
    if (to > from && !k->started) {
        k->started = 1;
        k->first = s->time[from];
    }
    while (n < s->n_edges && s->edges[n].pos < to) {
        uint32_t at = n, pos = s->edges[n].pos;
        if (n + 2 < s->n_edges)
            __builtin_prefetch(&s->rec[s->edges[n + 2].pos]);
        while (n < s->n_edges && s->edges[n].pos == pos)
            n++;
        if (between(self, w, k, s, i, pos) != TCF_OK || meet(self, w, k, s, pos, at, n) != TCF_OK)
            return TCF_ERROR;
        for (; at < n; at++)
            if (s->edges[at].class_ == TCF_CLASS_LOCK && !(s->edges[at].flags & TCF_EDGE_GONE) &&
                report_locked(self, s, &s->edges[at]) != TCF_OK)
                return TCF_ERROR;
        i = pos + 1;
    }
    k->edge = n;
    if (between(self, w, k, s, i, to) != TCF_OK)
        return TCF_ERROR;
    if (to > from)
        k->last = s->time[to - 1];
    return TCF_OK;
}

/* Calls that are still open end with the last event of the location. */
tcf_status waits_location_end(tcf_self *self, uint32_t location)
{
    waits *w = waits_of(self);
    waits_track *k = waits_track_of(self, location);
    if (w->owner != self)
        return TCF_OK;
    w->nodes = self->host->callpaths(self, &w->n_nodes); /* the last span may be long ago */
    while (k->depth > 0)
        if (end_call(self, w, k, location, k->last) != TCF_OK)
            return TCF_ERROR;
    k->ended = 1;
    return order_end(self, location);
}

tcf_status waits_end(tcf_self *self)
{
    if (waits_of(self)->owner != self)
        return TCF_OK;
    return replies_end(self) == TCF_OK ? threads_end(self) : TCF_ERROR;
}
