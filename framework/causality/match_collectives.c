/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges of collective operations: of MPI, blocking or not, and of RMA windows. */
#include "match_internal.h"

#include <otf2/OTF2_Events.h>

static tcf_edge_class class_of(uint8_t op)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_BARRIER:
        return TCF_CLASS_BARRIER;
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_SCATTERV:
        return TCF_CLASS_ONE_TO_N;
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_GATHERV:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return TCF_CLASS_N_TO_ONE;
    case OTF2_COLLECTIVE_OP_ALLGATHER:
    case OTF2_COLLECTIVE_OP_ALLGATHERV:
    case OTF2_COLLECTIVE_OP_ALLTOALL:
    case OTF2_COLLECTIVE_OP_ALLTOALLV:
    case OTF2_COLLECTIVE_OP_ALLTOALLW:
    case OTF2_COLLECTIVE_OP_ALLREDUCE:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK:
        return TCF_CLASS_N_TO_N;
    case OTF2_COLLECTIVE_OP_SCAN:
        return TCF_CLASS_SCAN;
    case OTF2_COLLECTIVE_OP_EXSCAN:
        return TCF_CLASS_EXSCAN;
    default:
        return TCF_CLASS_UNORDERED;
    }
}

int match_has_lengths(uint8_t op)
{
    return op == OTF2_COLLECTIVE_OP_GATHERV || op == OTF2_COLLECTIVE_OP_SCATTERV ||
           op == OTF2_COLLECTIVE_OP_ALLGATHERV || op == OTF2_COLLECTIVE_OP_ALLTOALLV ||
           op == OTF2_COLLECTIVE_OP_ALLTOALLW || op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
}

int match_may_carry_data(uint8_t class_)
{
    return class_ == TCF_CLASS_ONE_TO_N || class_ == TCF_CLASS_N_TO_ONE || class_ == TCF_CLASS_N_TO_N ||
           class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN;
}

/* What the record of a collective's end says. */
typedef struct collective {
    uint64_t sent, received;
    uint32_t comm, root; /* comm: canonical */
    uint32_t on;         /* as in tcf_channel.comm: comm, or the window of RMA */
    tcf_channel_type type;
    uint8_t op;
    uint8_t class_;
    uint8_t non_blocking;
    uint8_t empty; /* EDGE_EMPTY, or 0 */
} collective;

/* The flags of a member's begin and end: which of them are source and target. */
static void collective_flags(const tcf_comm *c, const collective *op, uint32_t rank, uint8_t *begin, uint8_t *end)
{
    int is_root = c->inter ? op->root == OTF2_COLLECTIVE_ROOT_SELF : op->root == rank || c->self;
    /* In an inter-communicator the root's own group takes no part in rooted operations. */
    int other = c->inter ? op->root < OTF2_COLLECTIVE_ROOT_THIS_GROUP : !is_root;
    int source = 0, target = 0;
    switch (op->class_) {
    case TCF_CLASS_ONE_TO_N:
        source = is_root;
        target = other;
        break;
    case TCF_CLASS_N_TO_ONE:
        source = other;
        target = is_root;
        break;
    case TCF_CLASS_BARRIER:
    case TCF_CLASS_N_TO_N:
        source = target = 1;
        break;
    case TCF_CLASS_SCAN:
    case TCF_CLASS_EXSCAN:
        source = rank + 1 < c->size;
        target = rank > 0;
        break;
    default:
        break;
    }
    if (match_has_lengths(op->op)) {
        source = source && op->sent > 0;
        target = target && op->received > 0;
    }
    *begin = (uint8_t)(TCF_EDGE_MEMBER | TCF_EDGE_BEGIN | (source ? TCF_EDGE_SOURCE : 0));
    *end = (uint8_t)(TCF_EDGE_MEMBER | (target ? TCF_EDGE_TARGET : 0));
}

static void describe_member(tcf_edge *e, const collective *op, uint32_t rank, uint8_t side, uint8_t flags)
{
    e->class_ = op->class_;
    e->op = op->op;
    e->peer = op->comm;
    e->rank = rank;
    e->side = (uint8_t)(side | op->empty | (op->non_blocking ? EDGE_NON_BLOCKING : 0));
    e->flags = (uint8_t)(flags | (e->flags & TCF_EDGE_GONE)); /* a filter may have dropped it already */
}

/* Which member of a communicator or window a location is. Programs mostly use the same one again. */
static const recent_collective *look_up(matcher *m, uint32_t location, const collective *op)
{
    recent_collective *r = &m->locations[location].collective;
    if (r->channel != TCF_NONE && r->key == op->on && r->type == op->type)
        return r;
    *r = (recent_collective){.key = op->on, .type = (uint8_t)op->type, .channel = TCF_NONE, .count = TCF_NONE};
    const uint32_t member = membership_member(m->members, op->comm, location);
    r->rank = membership_rank(m->members, op->comm, member, &r->side);
    if (r->rank != TCF_NONE)
        r->channel = match_get_channel(m, (tcf_channel){.type = (uint8_t)op->type,
                                                        .comm = op->on,
                                                        .a = m->defs->comms[op->comm].self ? member : 0});
    return r;
}

/* At the end of a collective all of it is known: describes both edges, and gives the pending operation its channel. */
static void finish_collective(matcher *m, uint32_t location, pending_op *p, tcf_edge *end, const collective *op)
{
    const recent_collective *r = look_up(m, location, op);
    uint8_t begin_flags, end_flags;
    collective_flags(&m->defs->comms[op->comm], op, r->rank, &begin_flags, &end_flags);
    p->channel = r->channel;
    hold(m, p->channel);
    if (r->rank == TCF_NONE)
        m->counts.bad_rank++;
    describe_member(end, op, r->rank, r->side, end_flags);
    for (int k = 0; k < p->n_edges; k++) /* the begin, if it is within the look-ahead */
        describe_member(edge_at(p->edge[k]), op, r->rank, r->side, begin_flags);
}

tcf_status match_feed_collective_begin(matcher *m, slice *s, uint32_t i, int rma)
{
    uint32_t location = s->v.location;
    edge_ref where;
    if (!match_add_edge(m, s, i, &where))
        return match_out_of_memory();
    pending_op *p = match_add_pending(m, location, COLLECTIVES, s, i);
    if (!p)
        return match_out_of_memory();
    p->state = OPEN;
    p->edge[p->n_edges++] = where;
    match_location *loc = &m->locations[location];
    loc->begin[rma] = loc->queue[COLLECTIVES].tail - 1;
    loc->is_open[rma] = 1;
    return TCF_OK;
}

/* The pending operation of the blocking collective that ends at event i. */
static pending_op *take_begun(matcher *m, slice *s, uint32_t i, int rma)
{
    match_location *loc = &m->locations[s->v.location];
    queue *q = &loc->queue[COLLECTIVES];
    if (loc->is_open[rma]) { /* it is still pending */
        pending_op *p = pending_at(q, loc->begin[rma]);
        loc->is_open[rma] = 0;
        if (p->state == OPEN && s->v.first + i - p->event <= m->options.lookahead) {
            p->state = KNOWN;
            return p;
        }
        if (p->state == OPEN)
            m->counts.beyond_lookahead++;
        p->state = DEAD;
    }
    return match_add_pending(m, s->v.location, COLLECTIVES, s, i);
}

static tcf_status feed_collective_end(matcher *m, slice *s, uint32_t i, const collective *op, pending_op *p)
{
    match_location *loc = &m->locations[s->v.location];
    if (loc->n_sources && match_leave_sources(m, loc, s, i, loc->depth) != TCF_OK)
        return TCF_ERROR;
    edge_ref where;
    tcf_edge *end = match_add_edge(m, s, i, &where);
    if (!end || !p)
        return match_out_of_memory();
    if (op->comm == TCF_NONE) {
        m->counts.bad_rank++;
        p->channel = TCF_NONE;
    } else {
        finish_collective(m, s->v.location, p, end, op);
    }
    p->edge[p->n_edges++] = where;
    return TCF_OK;
}

tcf_status match_feed_collective_request(matcher *m, slice *s, uint32_t i)
{
    edge_ref where;
    if (!match_add_edge(m, s, i, &where))
        return match_out_of_memory();
    if (match_feed_request(m, s, i, COLLECTIVES, s->v.rec[i].non_blocking_collective_request.request_id) != TCF_OK)
        return TCF_ERROR;
    const queue *q = &m->locations[s->v.location].queue[COLLECTIVES];
    pending_op *p = pending_at(q, q->tail - 1);
    p->edge[p->n_edges++] = where;
    return TCF_OK;
}

void matcher_release_empty(matcher *m, uint32_t ops)
{
    m->released_ops = ops;
}

/* The end of a collective of MPI; both kinds of records begin alike. */
static collective ended_collective(matcher *m, const tcf_ev_mpi_collective_end *r, int non_blocking)
{
    uint32_t comm = canonical(m, r->communicator);
    collective op = {.sent = r->size_sent,
                     .received = r->size_received,
                     .comm = comm,
                     .root = r->root,
                     .on = comm,
                     .type = TCF_CHANNEL_COLLECTIVE,
                     .op = r->collective_op,
                     .class_ = (uint8_t)class_of(r->collective_op),
                     .non_blocking = (uint8_t)non_blocking};

    if (r->size_sent > 0 || r->size_received > 0 || !match_may_carry_data(op.class_))
        return op;
    op.empty = EDGE_EMPTY;
    if (op.op < 32 && m->released_ops >> op.op & 1) {
        op.class_ = TCF_CLASS_UNORDERED;
        m->counts.without_data++;
    }
    return op;
}

tcf_status match_feed_mpi_end(matcher *m, slice *s, uint32_t i)
{
    collective op = ended_collective(m, &s->v.rec[i].mpi_collective_end, 0);
    return feed_collective_end(m, s, i, &op, take_begun(m, s, i, 0));
}

tcf_status match_feed_non_blocking_complete(matcher *m, slice *s, uint32_t i)
{
    collective op = ended_collective(m, &s->v.rec[i].mpi_collective_end, 1);
    return feed_collective_end(m, s, i, &op,
                               match_take_completed(m, s, i, COLLECTIVES,
                                                    &s->v.rec[i].non_blocking_collective_complete.request_id));
}

tcf_status match_feed_rma_end(matcher *m, slice *s, uint32_t i)
{
    const tcf_ev_rma_collective_end *r = &s->v.rec[i].rma_collective_end;
    uint32_t comm = r->win < m->defs->n_rma_wins ? canonical(m, m->defs->rma_wins[r->win].comm) : TCF_NONE;
    collective op = {.sent = r->bytes_sent,
                     .received = r->bytes_received,
                     .comm = comm,
                     .root = r->root,
                     .on = r->win,
                     .type = TCF_CHANNEL_RMA,
                     .op = r->collective_op,
                     .class_ = (uint8_t)class_of(r->collective_op)};
    if (!(r->sync_level & OTF2_RMA_SYNC_LEVEL_PROCESS))
        op.class_ = TCF_CLASS_UNORDERED;
    return feed_collective_end(m, s, i, &op, take_begun(m, s, i, 1));
}
