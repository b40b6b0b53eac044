/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up waits by who waited for whom, and all communication by call paths. */
#include "ppg.h"

#include <tcflow/times.h>

static void add(struct edge *e, const wait *w)
{
    e->count++;
    e->bytes = tcf_bytes_sum(e->bytes, w->bytes);
    e->waiting = tcf_ticks_sum(e->waiting, w->length);
}

struct edge *edges_of(tcf_self *self, uint32_t spot, uint32_t from, uint32_t pattern)
{
    struct state *st = self->state;
    const uint64_t key = (uint64_t)spot << 32 | from;
    uint32_t i = tcf_map_get(&st->edge_by.index, key, pattern);
    if (i == TCF_MAP_ABSENT && st->edge_by.index.n >= (uint64_t)((const struct conf *)self->conf)->max_edges)
        return &st->edges_beyond[pattern];
    if (i == TCF_MAP_ABSENT) {
        i = KEYED_FIND(&st->edges, &st->edge_by, key, pattern);
        if (i == TCF_NONE) {
            self->host->fail(self, "out of memory for %u edges", st->edge_by.index.n);
            return NULL;
        }
        st->edges[i] = (struct edge){.spot = spot, .from = from, .pattern = pattern};
    }
    return &st->edges[i];
}

tcf_status edges_found(tcf_self *self, const wait *w)
{
    if (!wait_is_for_others(w->pattern))
        return TCF_OK;
    const uint32_t spot = graph_spot(self, w->location, w->callpath);
    if (spot == NONE)
        return TCF_ERROR;
    struct cell *c = cell_of(tcf_location_state(self, w->location), w->callpath);
    c->waiting = tcf_ticks_sum(c->waiting, w->length);
    uint32_t from = NONE;
    if (w->cause_location < self->defs->n_locations &&
        (from = graph_spot(self, w->cause_location, w->cause_callpath)) == NONE)
        return TCF_ERROR;
    struct edge *e = edges_of(self, spot, from, w->pattern);
    if (!e)
        return TCF_ERROR;
    add(e, w);
    return TCF_OK;
}

/* One of the two is in another domain, or both. */
static tcf_status received_elsewhere(tcf_self *self, const wait *w)
{
    const tcf_domains_host *domains = ((const struct state *)self->state)->use.waits->domains;
    const struct pair of = {.a = w->callpath,
                            .b = w->cause_callpath,
                            .relation = RECEIVES_FROM,
                            .a_of = domains->of(self, w->location),
                            .b_of = domains->of(self, w->cause_location)};
    struct pair *found;
    if (graph_pair_of(self, &of, &found) != TCF_OK)
        return TCF_ERROR;
    if (found) {
        found->count++;
        found->bytes = tcf_bytes_sum(found->bytes, w->bytes);
    }
    return TCF_OK;
}

tcf_status edges_received(tcf_self *self, const wait *w)
{
    if (!waits_is_here(self, w->location) || !waits_is_here(self, w->cause_location))
        return received_elsewhere(self, w);
    struct node *x = graph_node(self, w->callpath);
    return x ? graph_pair(self, w->callpath, w->cause_callpath, RECEIVES_FROM, w->bytes, &x->from, &x->from_pair)
             : TCF_ERROR;
}
