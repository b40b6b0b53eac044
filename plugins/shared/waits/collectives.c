/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collective operations of MPI, of windows and of teams of threads. Each member leaves in its slot when it began and
 * ended. When all members are through, their slots show which of them waited, and for which. */
#include "internal.h"

enum {
    HAS_BEGUN = 1,
    IS_SOURCE = 2, /* others wait for its begin */
    HAS_ENDED = 4,
    IS_TARGET = 8, /* its end waits for others */
    IS_WINDOW = 16,
    IS_NON_BLOCKING = 32,
    IS_PENDING = 64
};

static int is_non_blocking(uint8_t kind)
{
    return kind == TCF_NON_BLOCKING_COLLECTIVE_REQUEST || kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
}

static void begin(const waits_at *at, const tcf_edge *e, waits_member *m, const waits_call *c)
{
    m->enter = c ? c->enter : at->now;
    m->begin = at->now;
    m->begin_callpath = c ? c->callpath : 0;
    m->flags |= HAS_BEGUN | (e->flags & TCF_EDGE_SOURCE ? IS_SOURCE : 0);
}

/* The pattern of a wait in an operation of this class; WAIT_PATTERNS: none. */
static uint32_t wait_of(uint8_t class_, uint8_t op, const waits_member *m)
{
    switch (class_) {
    case TCF_CLASS_BARRIER:
        return m->flags & IS_WINDOW ? WAIT_WAIT_AT_FENCE : WAIT_BARRIER_WAIT;
    case TCF_CLASS_N_TO_N:
        return WAIT_WAIT_NXN;
    case TCF_CLASS_ONE_TO_N:
        return WAIT_LATE_BROADCAST;
    case TCF_CLASS_N_TO_ONE:
        return WAIT_EARLY_REDUCE;
    case TCF_CLASS_SCAN:
    case TCF_CLASS_EXSCAN:
        return WAIT_EARLY_SCAN;
    case TCF_CLASS_OMP_BARRIER:
        return m->extra == WAITS_REGION_IMPLICIT_BARRIER ? WAIT_OMP_IBARRIER_WAIT : WAIT_OMP_EBARRIER_WAIT;
    case TCF_CLASS_UNORDERED:
        if (op == TCF_OP_FINALIZE)
            return WAIT_FINALIZE_WAIT;
        if (m->flags & IS_WINDOW && m->extra == WAITS_REGION_WIN_CREATE)
            return WAIT_WAIT_AT_CREATE;
        return m->flags & IS_WINDOW && m->extra == WAITS_REGION_WIN_FREE ? WAIT_WAIT_AT_FREE : WAIT_PATTERNS;
    default:
        return WAIT_PATTERNS;
    }
}

/* The same for its completion. */
static uint32_t completion_of(uint8_t class_, uint8_t op, const waits_member *m)
{
    if (m->flags & (IS_WINDOW | IS_NON_BLOCKING))
        return WAIT_PATTERNS;
    if (class_ == TCF_CLASS_UNORDERED && op == TCF_OP_INIT)
        return WAIT_INIT_COMPLETION;
    return class_ == TCF_CLASS_BARRIER  ? WAIT_BARRIER_COMPLETION
           : class_ == TCF_CLASS_N_TO_N ? WAIT_NXN_COMPLETION
                                        : WAIT_PATTERNS;
}

/* A member whose end waits for others, or for all together. */
static tcf_status end_blocking(const waits_at *at, const tcf_edge *e, waits_member *m)
{
    const int is_unordered = e->class_ == TCF_CLASS_UNORDERED, can_wait = wait_of(e->class_, e->op, m) != WAIT_PATTERNS;
    const int together = e->class_ == TCF_CLASS_BARRIER || e->class_ == TCF_CLASS_N_TO_N ||
                         e->class_ == TCF_CLASS_OMP_BARRIER || (is_unordered && e->op == TCF_OP_INIT);
    if (!together && !(can_wait && (is_unordered || m->flags & IS_TARGET)))
        return TCF_OK;
    m->flags |= IS_PENDING;
    return report_pending(at->self, m->location, m->from);
}

static tcf_status end(const waits_at *at, const tcf_edge *e, waits_member *m, waits_call *c)
{
    const uint8_t kind = at->s->kind[at->i];
    m->from = c ? c->enter : at->now;
    m->end = at->now;
    m->end_callpath = c ? c->callpath : 0;
    m->kind = waits_kind_of(at->w, m->end_callpath);
    m->bytes = kind == TCF_MPI_COLLECTIVE_END || is_non_blocking(kind)
                   ? at->s->rec[at->i].mpi_collective_end.size_received
                   : 0;
    m->flags |= HAS_ENDED | (e->flags & TCF_EDGE_TARGET ? IS_TARGET : 0);
    if (kind == TCF_RMA_COLLECTIVE_END)
        m->flags |= IS_WINDOW;
    if (!is_non_blocking(kind))
        return end_blocking(at, e, m);
    m->flags |= IS_NON_BLOCKING;
    if (!c)
        return TCF_OK;
    uint32_t pattern = wait_of(e->class_, e->op, m);
    if (!(m->flags & IS_TARGET) || pattern == WAIT_PATTERNS)
        return TCF_OK;
    uint32_t r;
    if (reply_new(at->self, IS_EXPECTED, &r) != TCF_OK)
        return TCF_ERROR;
    if (r == NONE)
        return TCF_OK;
    at->w->replies[r].pattern = (uint8_t)pattern;
    at->w->replies[r].bytes = m->bytes;
    m->reply = reply_handle(at->w, r);
    reply_list(at->w, r, &c->expected);
    return TCF_OK;
}

tcf_status member_edge(const waits_at *at, const tcf_edge *e)
{
    if (!(e->flags & TCF_EDGE_MEMBER))
        return TCF_OK;
    waits_member *m = at->self->host->payload(at->self, e);
    if (!m)
        return TCF_OK;
    waits_call *c = call_of(at);
    m->location = at->s->location;
    m->extra = c ? extra_of(at->self, c) : WAITS_REGION_PLAIN;
    if (e->flags & TCF_EDGE_BEGIN) {
        begin(at, e, m, c);
        return TCF_OK;
    }
    return end(at, e, m, c);
}

int waits_is_bound(const waits_member *m)
{
    return (m->flags & (IS_SOURCE | IS_TARGET)) != 0;
}

/* ----------------------------------------------------------------------------------------------- all are through -- */

/* Of some members: the last one to enter and the latest begin, and the first one to end. */
typedef struct extremes {
    const waits_member *last, *first_out;
    uint64_t begin;
} extremes;

static void add_source(extremes *x, const waits_member *m)
{
    if (!x->last || m->enter > x->last->enter)
        x->last = m;
    x->begin = max_u64(x->begin, m->begin);
}

typedef struct operation {
    tcf_self *self;
    const tcf_collective *in;
    extremes side[2]; /* by side of an inter-communicator; else the first one */
    uint32_t size;    /* members of side 0 */
    int inter;
    int unordered; /* MPI_Init, MPI_Finalize, windows: each member waits for all */
} operation;

static const waits_member *member_at(const operation *o, uint32_t i)
{
    return (const waits_member *)(const void *)(o->in->members + i * o->in->stride);
}

static int side_of(const operation *o, uint32_t i)
{
    return o->inter && i >= o->size;
}

static int is_target(const operation *o, const waits_member *m)
{
    return m->flags & HAS_ENDED && (o->unordered || m->flags & IS_TARGET);
}

static tcf_status waited(const operation *o, const waits_member *m, const extremes *x)
{
    uint32_t pattern = wait_of(o->in->class_, o->in->op, m);
    waits *w = waits_of(o->self);
    const int reversed = !o->unordered && x->begin > m->end;
    const int is_thread = o->in->class_ == TCF_CLASS_OMP_BARRIER;
    if (!o->unordered) {
        w->counts.edges[is_thread ? WAITS_THREAD : WAITS_COLLECTIVE]++;
        w->counts.reversed[is_thread ? WAITS_THREAD : WAITS_COLLECTIVE] += (uint64_t)reversed;
    }
    const wait got = {.location = m->location,
                      .callpath = m->end_callpath,
                      .cause_location = x->last->location,
                      .cause_callpath = x->last->begin_callpath,
                      .bytes = m->bytes,
                      .reversed = (uint8_t)reversed};
    if (!o->unordered && !is_thread && report_received(o->self, &got) != TCF_OK)
        return TCF_ERROR;
    if (m->flags & IS_NON_BLOCKING)
        return reply_tell(o->self, m->location, m->reply,
                          &(waits_answer){.time = x->last->enter,
                                          .location = x->last->location,
                                          .callpath = x->last->begin_callpath,
                                          .reversed = (uint8_t)reversed});
    const uint64_t until = min_u64(x->last->enter, m->end);
    if (pattern == WAIT_PATTERNS || until <= m->from)
        return TCF_OK;
    const wait found = {.pattern = pattern,
                        .location = m->location,
                        .callpath = m->end_callpath,
                        .from = m->from,
                        .length = until - m->from,
                        .cause_location = x->last->location,
                        .cause_callpath = x->last->begin_callpath,
                        .cause_time = x->last->enter,
                        .bytes = m->bytes,
                        .reversed = (uint8_t)reversed,
                        .kind = m->kind};
    return report_found(o->self, &found);
}

/* The time in the operation after the first member has got through. */
static tcf_status completed(const operation *o, const waits_member *m, const extremes *in, const waits_member *first)
{
    uint32_t pattern = completion_of(o->in->class_, o->in->op, m);
    if (pattern == WAIT_PATTERNS || !first)
        return TCF_OK;
    const uint64_t since = max_u64(max_u64(first->end, in->last ? in->last->enter : 0), m->from);
    if (m->end <= since)
        return TCF_OK;
    const wait found = {.pattern = pattern,
                        .location = m->location,
                        .callpath = m->end_callpath,
                        .from = since,
                        .length = m->end - since,
                        .cause_location = first->location,
                        .cause_callpath = first->end_callpath,
                        .cause_time = first->end,
                        .reversed = !o->unordered && in->begin > m->end,
                        .kind = m->kind};
    return report_found(o->self, &found);
}

/* Operations in which a member waits for all sources of a side. */
static tcf_status all_to_some(operation *o)
{
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const waits_member *m = member_at(o, i);
        extremes *x = &o->side[side_of(o, i)];
        if (m->flags & HAS_BEGUN && (o->unordered || m->flags & IS_SOURCE))
            add_source(x, m);
        if (is_target(o, m) && (!x->first_out || m->end < x->first_out->end))
            x->first_out = m;
    }
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const waits_member *m = member_at(o, i);
        const int side = side_of(o, i);
        const extremes *x = &o->side[o->inter ? !side : 0];
        if (!is_target(o, m) || !x->last)
            continue;
        if (waited(o, m, x) != TCF_OK || completed(o, m, x, o->side[side].first_out) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Operations in which a member waits for the ranks below it. */
static tcf_status lower_to_higher(operation *o)
{
    extremes below = {0};
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const waits_member *m = member_at(o, i);
        if (is_target(o, m) && below.last && waited(o, m, &below) != TCF_OK)
            return TCF_ERROR;
        if (m->flags & HAS_BEGUN && m->flags & IS_SOURCE)
            add_source(&below, m);
    }
    return TCF_OK;
}

/* Where some members never came, it is unknown which members waited for them. */
tcf_status waits_complete(tcf_self *self, const tcf_collective *in)
{
    if (waits_of(self)->owner != self)
        return TCF_OK;
    if (report_over(self, in) != TCF_OK)
        return TCF_ERROR;
    const tcf_comm *c = tcf_comm_at(self->defs, in->comm);
    operation o = {.self = self,
                   .in = in,
                   .size = c->size,
                   .inter = c->inter,
                   .unordered = in->class_ == TCF_CLASS_UNORDERED};
    const int is_scan = in->class_ == TCF_CLASS_SCAN || in->class_ == TCF_CLASS_EXSCAN;
    const int is_whole = in->n_arrived == in->n_members; /* a partial operation has no waits */
    if (is_whole && (is_scan ? lower_to_higher(&o) : all_to_some(&o)) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < in->n_members; i++) {
        const waits_member *m = member_at(&o, i);
        if (m->flags & IS_PENDING)
            report_settled(self, m->location, m->from);
    }
    return TCF_OK;
}
