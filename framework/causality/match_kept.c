/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Edges that were matched before, by who wrote the stream that is read: they get channels of this process, and the
 * numbers that they have. */
#include "match_internal.h"

#include <tcflow/grow.h>

#include <string.h>

/* Indices of the kinds' channels. -1: out of memory. A look-up may make room by forgetting channels that nothing is
 * open on, so they are held until the slice's edges hold them. */
static int find_channels(matcher *m, const kept_edges *kept)
{
    if (kept->n_kinds > 0 && TCF_GROW(&m->kept, &m->kept_capacity, kept->n_kinds - 1) != 0)
        return -1;
    for (uint32_t i = 0; i < kept->n_kinds; i++) {
        m->kept[i] = kept->kinds[i].matched ? match_get_channel(m, kept->kinds[i].channel) : TCF_NONE;
        hold(m, m->kept[i]);
    }
    return 0;
}

static void let_go(matcher *m, uint32_t n_kinds)
{
    for (uint32_t i = 0; i < n_kinds; i++)
        if (m->kept[i] != TCF_NONE)
            m->channels[m->kept[i]].open--;
}

/* Only how many there are of each side counts here: a channel that has as many of both may be forgotten. Its numbers
 * are those of another process, and may come again on a channel that takes its place: so nothing may be left of it, and
 * what has no partner, which leaves nothing, doesn't count. */
static void count_message(channel *c, const kept_edge *edge)
{
    if ((c->type != TCF_CHANNEL_MESSAGE && c->type < TCF_CHANNEL_THREAD) || edge->flags & TCF_EDGE_UNMATCHED)
        return;
    c->sends += (edge->flags & TCF_EDGE_SOURCE) != 0;
    c->receives += (edge->flags & TCF_EDGE_TARGET) != 0;
}

static void fill(matcher *m, tcf_edge *e, const kept_kind *kind, const kept_edge *edge)
{
    uint32_t channel_index = m->kept[edge->kind];
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

tcf_status matcher_keep(matcher *m, slice *s, const kept_edges *kept)
{
    uint32_t n = s->v.n, index;
    memset(s->v.edge, 0, n);
    memset(s->v.match, 0, n * sizeof *s->v.match);
    if (find_channels(m, kept) != 0)
        return match_out_of_memory();
    for (uint32_t i = 0; i < kept->n_edges; i++) {
        const kept_edge *edge = &kept->edges[i];
        int gone = (edge->flags & TCF_EDGE_GONE) != 0;
        tcf_edge *e = gone ? slice_add_gone(m->pool, s, edge->pos) : slice_add_edge(m->pool, s, edge->pos, &index);
        if (!e)
            return match_out_of_memory();
        if (!gone)
            s->v.edge[edge->pos] = TCF_EDGE_MEMBER;
        fill(m, e, &kept->kinds[edge->kind], edge);
    }
    let_go(m, kept->n_kinds);
    match_show_edges(s);
    return m->out_of_memory ? match_out_of_memory() : TCF_OK;
}
