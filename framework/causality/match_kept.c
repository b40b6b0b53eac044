/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Prematched edges: the writer of the stream that is read has matched them. They get channels of this process, and keep
 * their numbers. */
#include "match_internal.h"

#include <tcflow/grow.h>

#include <string.h>

/* Finds the channels of the kinds of edges. -1: out of memory. The look-up of a channel may forget channels without
 * open edges, so the channels are held until the slice's edges hold them. */
static int find_channels(matcher *m, const prematched_edges *kept)
{
    if (kept->n_kinds > 0 && TCF_GROW(&m->prematched, &m->prematched_capacity, kept->n_kinds - 1) != 0)
        return -1;
    for (uint32_t i = 0; i < kept->n_kinds; i++) {
        m->prematched[i] = kept->kinds[i].matched ? match_get_channel(m, kept->kinds[i].channel) : TCF_NONE;
        hold(m, m->prematched[i]);
    }
    return 0;
}

static void unhold(matcher *m, uint32_t n_kinds)
{
    for (uint32_t i = 0; i < n_kinds; i++)
        if (m->prematched[i] != TCF_NONE)
            m->channels[m->prematched[i]].open--;
}

/* Counts sends and receives of a channel: it may be forgotten when it has as many of both, since no message of it is in
 * flight then. Its numbers come from another process, so a later channel of the same meaning may have them again. An
 * unmatched edge is never in flight and does not count. */
static void count_message(channel *c, const prematched_edge *edge)
{
    if ((c->type != TCF_CHANNEL_MESSAGE && c->type < TCF_CHANNEL_THREAD) || edge->flags & TCF_EDGE_UNMATCHED)
        return;
    c->sends += (edge->flags & TCF_EDGE_SOURCE) != 0;
    c->receives += (edge->flags & TCF_EDGE_TARGET) != 0;
}

static void fill(matcher *m, tcf_edge *e, const prematched_kind *kind, const prematched_edge *edge)
{
    uint32_t channel_index = m->prematched[edge->kind];
    *e = (tcf_edge){.pos = edge->pos,
                    .peer = kind->peer,
                    .number = edge->number,
                    .channel = TCF_NONE,
                    .slot = TCF_NONE,
                    .rank = kind->rank,
                    .class_ = kind->class_,
                    .flags = edge->flags,
                    .op = kind->op,
                    .side = kind->side};
    if (channel_index != TCF_NONE) {
        count_message(&m->channels[channel_index], edge);
        number_edge(m, e, channel_index, edge->number);
    } else if (kind->matched) { /* the table of channels is full */
        no_edge(e, tcf_is_message(e) ? (uint8_t)(e->flags | TCF_EDGE_UNMATCHED) : 0);
    }
}

tcf_status matcher_take_prematched(matcher *m, slice *s, const prematched_edges *kept)
{
    uint32_t n = s->v.n, index;
    memset(s->v.edge, 0, n);
    memset(s->v.match, 0, n * sizeof *s->v.match);
    if (find_channels(m, kept) != 0)
        return match_out_of_memory();
    for (uint32_t i = 0; i < kept->n_edges; i++) {
        const prematched_edge *edge = &kept->edges[i];
        int gone = (edge->flags & TCF_EDGE_GONE) != 0;
        tcf_edge *e = gone ? slice_add_gone(m->pool, s, edge->pos) : slice_add_edge(m->pool, s, edge->pos, &index);
        if (!e)
            return match_out_of_memory();
        if (!gone)
            s->v.edge[edge->pos] = TCF_EDGE_MEMBER;
        fill(m, e, &kept->kinds[edge->kind], edge);
    }
    unhold(m, kept->n_kinds);
    match_show_edges(s);
    return m->out_of_memory ? match_out_of_memory() : TCF_OK;
}
