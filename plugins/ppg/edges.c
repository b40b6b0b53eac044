/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up waits by who waited for whom, and all communication by call paths. */
#include "ppg.h"

static void add(struct edge *e, const wait *w)
{
    e->count++;
    e->bytes += w->bytes;
    e->waiting += w->length;
}

/* Beyond max_edges the wait is counted by its pattern alone. */
static tcf_status add_edge(tcf_self *self, const wait *w, uint32_t spot, uint32_t from)
{
    struct state *st = self->state;
    const uint64_t key = (uint64_t)spot << 32 | from;
    uint32_t i = tcf_map_get(&st->edge_by.index, key, w->pattern);
    if (i == TCF_MAP_ABSENT && st->edge_by.index.n >= (uint64_t)((const struct conf *)self->conf)->max_edges) {
        add(&st->edges_beyond[w->pattern], w);
        return TCF_OK;
    }
    if (i == TCF_MAP_ABSENT) {
        i = KEYED_FIND(&st->edges, &st->edge_by, key, w->pattern);
        if (i == TCF_NONE)
            return self->host->fail(self, "out of memory for %u edges", st->edge_by.index.n);
        st->edges[i] = (struct edge){.spot = spot, .from = from, .pattern = w->pattern};
    }
    add(&st->edges[i], w);
    return TCF_OK;
}

tcf_status edges_found(tcf_self *self, const wait *w)
{
    if (!wait_is_for_others(w->pattern))
        return TCF_OK;
    const uint32_t spot = graph_spot(self, w->location, w->callpath);
    if (spot == NONE)
        return TCF_ERROR;
    cell_of(tcf_location_state(self, w->location), w->callpath)->waiting += w->length;
    uint32_t from = NONE;
    if (w->cause_location < self->defs->n_locations &&
        (from = graph_spot(self, w->cause_location, w->cause_callpath)) == NONE)
        return TCF_ERROR;
    return add_edge(self, w, spot, from);
}

tcf_status edges_received(tcf_self *self, const wait *w)
{
    struct node *x = graph_node(self, w->callpath);
    return x ? graph_pair(self, w->callpath, w->cause_callpath, RECEIVES_FROM, w->bytes, &x->from, &x->from_pair)
             : TCF_ERROR;
}
