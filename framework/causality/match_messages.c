/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges of point-to-point messages, and of sends at the leave of their call (source_at_leave). */
#include "match_internal.h"

#include <string.h>

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
    return membership_rank(m->members, comm, member, &its_side) == rank && its_side == b ? member : TCF_NONE;
}

/* Looks up the channel of a message; TCF_NONE: it has none, which has been counted. *rank, *side: of the location in
 * the communicator, *peer: the member on the other side, TCF_NONE where there is none. */
static uint32_t look_up(matcher *m, uint32_t location, message_key key, uint32_t *peer, uint32_t *rank, uint8_t *side)
{
    uint32_t me = TCF_NONE, c = canonical(m, key.comm);
    *peer = *rank = TCF_NONE;
    *side = 0;
    if (c != TCF_NONE) {
        me = membership_member(m->members, c, location);
        *rank = membership_rank(m->members, c, me, side);
    }
    if (*rank != TCF_NONE)
        *peer = member_with(m, c, *side, me, key.other);
    if (*peer == TCF_NONE) {
        m->counts.bad_rank++;
        return TCF_NONE;
    }
    const uint32_t found = match_get_channel(m, (tcf_channel){.type = TCF_CHANNEL_MESSAGE,
                                                              .comm = c,
                                                              .a = key.sending ? me : *peer,
                                                              .b = key.sending ? *peer : me,
                                                              .tag = key.tag});
    if (found == TCF_NONE)
        return TCF_NONE;
    channel *of = &m->channels[found];
    if (of->distrust != TRUSTED) {
        *(of->distrust == NO_SEND ? &m->counts.starved : &m->counts.distrusted) += 1;
        return TCF_NONE;
    }
    of->rank_a = key.sending ? *rank : key.other;
    of->rank_b = key.sending ? key.other : *rank;
    of->side = (uint8_t)(key.sending ? *side : m->defs->comms[c].inter ? !*side : *side);
    return found;
}

/* Is it the channel of the key? The hash has told most others. */
static int is_channel_of(const matcher *m, const channel *c, uint32_t location, message_key key)
{
    const uint32_t comm = canonical(m, key.comm);
    return c->type == TCF_CHANNEL_MESSAGE && comm != TCF_NONE && c->comm == comm && c->tag == key.tag &&
           (key.sending ? c->rank_b : c->rank_a) == key.other &&
           (key.sending ? c->a : c->b) == membership_member(m->members, comm, location);
}

/* Fills class, flags, peer and rank of a message's edge; returns its channel, or TCF_NONE, which has been counted. */
static uint32_t message_channel(matcher *m, uint32_t location, tcf_edge *e, message_key key)
{
    const uint32_t mixed = (key.other * 2 + key.sending) * 0x9e3779b1u ^ key.tag * 0x85ebca77u ^ key.comm * 0xc2b2ae35u;
    const uint16_t hash = (uint16_t)(mixed | 1);
    recent_channels *set = &m->recent[location * (size_t)m->recent_places + ((mixed >> 16) & (m->recent_places - 1))];
    uint32_t found = TCF_NONE;
    for (int k = WAYS; k-- > 0;)
        found = set->hash[k] == hash ? set->channel[k] : found;
    e->class_ = TCF_CLASS_P2P;
    e->flags = key.sending ? TCF_EDGE_SOURCE : TCF_EDGE_TARGET;
    if (found != TCF_NONE && is_channel_of(m, &m->channels[found], location, key)) {
        const channel *c = &m->channels[found];
        e->rank = key.sending ? c->rank_a : c->rank_b;
        e->side = (uint8_t)(m->defs->comms[c->comm].inter && !key.sending ? !c->side : c->side);
        e->peer = key.sending ? c->b : c->a;
        return found;
    }
    found = look_up(m, location, key, &e->peer, &e->rank, &e->side);
    if (found == TCF_NONE) { /* it is looked up and counted every time */
        e->flags |= TCF_EDGE_UNMATCHED;
        return TCF_NONE;
    }
    memmove(&set->channel[1], set->channel, (WAYS - 1) * sizeof *set->channel);
    memmove(&set->hash[1], set->hash, (WAYS - 1) * sizeof *set->hash);
    set->channel[0] = found;
    set->hash[0] = hash;
    return found;
}

/* Remembers a send that counts only when its call is left. */
static void remember_source(matcher *m, match_location *loc, tcf_edge *e, uint32_t position)
{
    if (!m->options.source_at_leave || loc->n_sources == MAX_CALL_SOURCES || loc->depth == 0)
        return;
    match_rare *rare = match_get_rare(loc);
    if (!rare || TCF_GROW(&rare->sources, &rare->sources_capacity, loc->n_sources) != 0) {
        m->out_of_memory = 1;
        return;
    }
    e->flags |= TCF_EDGE_LEAVES;
    hold(m, e->channel);
    rare->sources[loc->n_sources++] = (call_source){loc->depth, e->channel, e->number, position, *e};
}

/* Sends of calls at depth `depth` or deeper count from event i on: an edge there says so. */
tcf_status match_leave_sources(matcher *m, match_location *loc, slice *s, uint32_t i, uint32_t depth)
{
    while (loc->n_sources > 0 && loc->rare->sources[loc->n_sources - 1].depth >= depth) {
        call_source *src = &loc->rare->sources[--loc->n_sources];
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
        pending_op *p = pending_at(&loc->queue[SENDS], src->pending);
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
    uint32_t position = loc->queue[SENDS].tail;
    if (loc->siblings) {
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
