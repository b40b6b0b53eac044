/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges of point-to-point messages, and of sends at the leave of their call (source_at_leave). */
#include "match_internal.h"

/* The member that has a rank, from the view of the member `me` on `side`; TCF_NONE: there is none. */
static uint32_t member_with(const matcher *m, uint32_t comm, uint8_t side, uint32_t me, uint32_t rank)
{
    const tcf_comm *c = &m->defs->comms[comm];
    if (c->self)
        return rank == 0 ? me : TCF_NONE;
    int b = c->inter && side == 0; /* ranks are those of the other side */
    uint8_t its_side;
    if (rank >= (b ? c->remote_size : c->size))
        return TCF_NONE;
    uint32_t member = b ? c->remote_location[rank] : c->location[rank];
    return membership_rank(&m->members, comm, member, &its_side) == rank && its_side == b ? member : TCF_NONE;
}

/* Looks up the channel of a message, the member on its other side, and the rank on this side. */
static recent_channel look_up(matcher *m, uint32_t location, message_key key)
{
    recent_channel r = {.comm = key.comm,
                        .other = key.other,
                        .tag = key.tag,
                        .generation = m->generation,
                        .channel = TCF_NONE,
                        .peer = TCF_NONE,
                        .rank = TCF_NONE,
                        .sending = (uint8_t)key.sending};
    uint32_t me = TCF_NONE, c = canonical(m, key.comm);
    if (c != TCF_NONE) {
        me = membership_member(&m->members, c, location);
        r.rank = membership_rank(&m->members, c, me, &r.side);
    }
    if (r.rank != TCF_NONE)
        r.peer = member_with(m, c, r.side, me, key.other);
    if (r.peer == TCF_NONE)
        m->counts.bad_rank++;
    else
        r.channel = match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_MESSAGE,
                                                       .comm = c,
                                                       .a = key.sending ? me : r.peer,
                                                       .b = key.sending ? r.peer : me,
                                                       .tag = key.tag});
    match_distrust why = r.channel == TCF_NONE ? TRUSTED : (match_distrust)m->channels[r.channel].distrust;
    if (why != TRUSTED) {
        *(why == NO_SEND ? &m->counts.starved : &m->counts.distrusted) += 1;
        r.channel = TCF_NONE;
    }
    return r;
}

static inline int is_recent(const matcher *m, const recent_channel *r, message_key key)
{
    return r->generation == m->generation && r->comm == key.comm && r->other == key.other && r->tag == key.tag &&
           r->sending == key.sending;
}

/* Fills class, flags, peer and rank of a message's edge; returns its channel, or TCF_NONE, which has been counted. */
static uint32_t message_channel(matcher *m, uint32_t location, tcf_edge *e, message_key key)
{
    uint32_t home = ((key.other * 2 + key.sending) * 0x9e3779b1u ^ key.tag * 0x85ebca77u) >> 16;
    recent_channel *set = m->recent[location * (size_t)m->recent_places + home % m->recent_places], *r = set;
    if (!is_recent(m, r, key))
        r++;
    if (!is_recent(m, r, key)) {
        recent_channel found = look_up(m, location, key);
        found.generation = m->generation; /* the look-up may have forgotten channels */
        set[1] = set[0];
        r = set;
        *r = found;
        if (found.channel == TCF_NONE) /* it is looked up and counted every time */
            r->generation = 0;
    }
    e->class_ = TCF_CLASS_P2P;
    e->flags = key.sending ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET;
    e->rank = r->rank;
    e->side = r->side;
    e->peer = r->peer;
    if (r->channel == TCF_NONE)
        e->flags |= TCF_EDGE_UNMATCHED;
    return r->channel;
}

/* Remembers a send that counts only when its call is left. */
static void remember_source(matcher *m, match_location *loc, tcf_edge *e, uint64_t position)
{
    if (!m->options.source_at_leave || loc->n_sources == MAX_CALL_SOURCES || loc->depth == 0)
        return;
    if (TCF_GROW(&loc->sources, &loc->sources_capacity, loc->n_sources) != 0) {
        m->out_of_memory = 1;
        return;
    }
    e->flags |= TCF_EDGE_LEAVES;
    hold(m, e->channel);
    loc->sources[loc->n_sources++] = (call_source){loc->depth, e->channel, e->number, position, *e};
}

/* Sends of calls at depth `depth` or deeper count from event i on: an edge there says so. */
tcf_status match_leave_sources(matcher *m, match_location *loc, slice *s, uint32_t i, uint32_t depth)
{
    while (loc->n_sources > 0 && loc->sources[loc->n_sources - 1].depth >= depth) {
        call_source *src = &loc->sources[--loc->n_sources];
        edge_ref where;
        tcf_edge *e = match_add_edge(m, s, i, &where);
        if (!e)
            return match_out_of_memory();
        e->class_ = src->edge.class_;
        e->peer = src->edge.peer;
        e->rank = src->edge.rank;
        e->flags = TCF_EDGE_LEFT;
        if (src->number != UNRESOLVED) {
            number_edge(m, e, src->channel, src->number);
            m->channels[src->channel].open--; /* remember_source() has held it */
            continue;
        }
        queue *q = &loc->queue[SENDS];
        pending_op *p = &q->at[src->pending & q->mask];
        p->edge[p->n_edges++] = where;
    }
    return TCF_OK;
}

tcf_status match_feed_send(matcher *m, slice *s, uint32_t i, message_key key)
{
    uint32_t location = s->v.location;
    match_location *loc = &m->locations[location];
    edge_ref where;
    tcf_edge *e = match_add_edge(m, s, i, &where);
    if (!e)
        return match_out_of_memory();
    uint32_t ch = message_channel(m, location, e, key);
    if (ch == TCF_NONE) {
        no_edge(e, e->flags);
        return TCF_OK;
    }
    uint64_t position = loc->queue[SENDS].tail;
    if (loc->merged) {
        pending_op *p = match_add_pending(m, location, SENDS, s, i);
        if (!p)
            return match_out_of_memory();
        p->channel = ch;
        hold(m, ch);
        p->edge[p->n_edges++] = where;
    } else {
        number_edge(m, e, ch, m->channels[ch].sends++);
    }
    remember_source(m, loc, e, position);
    return m->postings ? match_post_sent(m, s, i, ch, position, e->number) : TCF_OK;
}

tcf_status match_feed_receive(matcher *m, slice *s, uint32_t i, message_key key, const uint64_t *request)
{
    uint32_t location = s->v.location;
    match_location *loc = &m->locations[location];
    if (loc->n_sources && match_leave_sources(m, loc, s, i, loc->depth) != TCF_OK)
        return TCF_ERROR;
    edge_ref where;
    tcf_edge *e = match_add_edge(m, s, i, &where);
    if (!e)
        return match_out_of_memory();
    uint32_t ch = message_channel(m, location, e, key);
    pending_op *p = match_take_completed(m, s, i, RECEIVES, request);
    if (!p)
        return match_out_of_memory();
    p->channel = ch;
    hold(m, ch);
    p->edge[p->n_edges++] = where;
    return m->postings && ch != TCF_NONE ? match_post_received(m, s, i, p, ch) : TCF_OK;
}
