/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is found in several domains becomes one. What belongs to a location is packed with call paths as the domain of
 * the location numbers them; settle_callpaths() makes them those of the first domain, behind all. */
#include "ppg.h"

#include <stdlib.h>
#include <tcflow/times.h>

static const uint32_t none = NONE; /* ends a list */

/* -------------------------------------------------------------------------------------------------------- cells -- */

static int is_used(const struct cell *c)
{
    return c && (c->visits > 0 || c->time > 0 || c->waiting > 0 || c->spot > 0);
}

static void pack_cells(tcf_self *self, tcf_pack *pack, uint32_t location)
{
    const path_cells *cells = &((const struct place *)tcf_location_state(self, location))->cells;
    if (cells->n_chunks == 0)
        return;
    self->host->put(pack, &location, sizeof location);
    for (uint32_t n = 0; n < cells->n_chunks * CELLS_A_CHUNK; n++) {
        const struct cell *c = path_cell_at(cells, n, sizeof *c);
        if (!is_used(c))
            continue;
        self->host->put(pack, &n, sizeof n);
        self->host->put(pack, c, sizeof *c);
    }
    self->host->put(pack, &none, sizeof none);
}

static void add_cell(struct cell *to, const struct cell *more)
{
    to->visits += more->visits;
    to->time += more->time;
    to->waiting = tcf_ticks_sum(to->waiting, more->waiting);
}

/* Spots come apart from that. */
static int absorb_cells(tcf_self *self, tcf_pack *pack, struct place *p)
{
    struct cell more;
    for (uint32_t n; self->host->take(pack, &n, sizeof n), n != NONE;) {
        struct cell *c = cell_of(p, n);
        self->host->take(pack, &more, sizeof more);
        if (!c)
            return -1;
        add_cell(c, &more);
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------- nodes, pairs -- */

static void pack_nodes(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    for (uint32_t n = 0; n < st->n_nodes; n++) {
        const uint64_t ends[2] = {st->nodes[n].first, st->nodes[n].last};
        if (ends[0] == 0 && ends[1] == 0)
            continue;
        self->host->put(pack, &n, sizeof n);
        self->host->put(pack, ends, sizeof ends);
    }
    self->host->put(pack, &none, sizeof none);
}

static tcf_status absorb_nodes(tcf_self *self, tcf_pack *pack)
{
    uint64_t ends[2];
    for (uint32_t n; self->host->take(pack, &n, sizeof n), n != NONE;) {
        struct node *x = graph_node(self, self->host->taken_callpath(pack, n));
        self->host->take(pack, ends, sizeof ends);
        if (!x)
            return TCF_ERROR;
        x->first += ends[0];
        x->last += ends[1];
    }
    return TCF_OK;
}

/* `domain` is the one that has packed. */
static tcf_status absorb_pairs(tcf_self *self, tcf_pack *pack, uint32_t domain)
{
    const tcf_host *host = self->host;
    struct pair more, *found;
    uint32_t n;
    host->take(pack, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        host->take(pack, &more, sizeof more);
        if (more.a_of == domain) {
            more.a = host->taken_callpath(pack, more.a);
            more.a_of = 0;
        }
        if (more.b_of == domain) {
            more.b = host->taken_callpath(pack, more.b);
            more.b_of = 0;
        }
        if (graph_pair_of(self, &more, &found) != TCF_OK)
            return TCF_ERROR;
        if (found) {
            found->count += more.count;
            found->bytes = tcf_bytes_sum(found->bytes, more.bytes);
        }
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- edges, counters -- */

/* spot: by number where it was packed. */
static tcf_status absorb_edges(tcf_self *self, tcf_pack *pack, const uint32_t *spot)
{
    struct state *st = self->state;
    const tcf_host *host = self->host;
    struct edge more;
    struct counter counter, *found;
    uint32_t n;
    host->take(pack, &n, sizeof n);
    for (uint32_t i = 0; i < n + WAIT_PATTERNS; i++) {
        host->take(pack, &more, sizeof more);
        struct edge *e =
            i >= n ? &st->edges_beyond[i - n]
                   : edges_of(self, spot[more.spot], more.from == NONE ? NONE : spot[more.from], more.pattern);
        if (!e)
            return TCF_ERROR;
        e->count += more.count;
        e->bytes = tcf_bytes_sum(e->bytes, more.bytes);
        e->waiting = tcf_ticks_sum(e->waiting, more.waiting);
    }
    host->take(pack, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        host->take(pack, &counter, sizeof counter);
        if (counters_of(self, spot[counter.spot], counter.member, counter.type, &found) != TCF_OK)
            return TCF_ERROR;
        if (found)
            value_add(counter.type, &found->sum, counter.sum);
    }
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------------- all -- */

tcf_status pack_found(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    const tcf_host *host = self->host;
    if (waits_pack(self, pack) != TCF_OK)
        return TCF_ERROR;
    host->put(pack, &st->domain, sizeof st->domain);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        pack_cells(self, pack, l);
    host->put(pack, &none, sizeof none);
    pack_nodes(self, pack);
    host->put(pack, &st->pair_by.index.n, sizeof(uint32_t));
    host->put(pack, st->pairs, st->pair_by.index.n * sizeof *st->pairs);
    host->put(pack, &st->n_spots, sizeof st->n_spots);
    host->put(pack, st->spots, st->n_spots * sizeof *st->spots);
    host->put(pack, &st->edge_by.index.n, sizeof(uint32_t));
    host->put(pack, st->edges, st->edge_by.index.n * sizeof *st->edges);
    host->put(pack, st->edges_beyond, sizeof st->edges_beyond);
    host->put(pack, &st->counter_by.index.n, sizeof(uint32_t));
    host->put(pack, st->counters, st->counter_by.index.n * sizeof *st->counters);
    host->put(pack, &st->limits, sizeof st->limits);
    return TCF_OK;
}

static void absorb_limits(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state, more;
    self->host->take(pack, &more.limits, sizeof more.limits);
    for (int i = 0; i < RELATIONS; i++)
        st->limits.pairs[i] += more.limits.pairs[i];
    st->limits.counters += more.limits.counters;
    st->limits.computation += more.limits.computation;
    st->limits.left_out += more.limits.left_out;
}

tcf_status absorb_found(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    uint32_t domain, n;
    if (waits_absorb(self, pack) != TCF_OK)
        return TCF_ERROR;
    host->take(pack, &domain, sizeof domain);
    for (uint32_t l; host->take(pack, &l, sizeof l), l < self->defs->n_locations;)
        if (absorb_cells(self, pack, tcf_location_state(self, l)) != 0)
            return host->fail(self, "out of memory for the vertices");
    if (absorb_nodes(self, pack) != TCF_OK || absorb_pairs(self, pack, domain) != TCF_OK)
        return TCF_ERROR;
    host->take(pack, &n, sizeof n);
    uint32_t *spot = malloc((n + 1ul) * sizeof *spot);
    if (!spot)
        return host->fail(self, "out of memory for %u vertices of locations", n);
    tcf_status status = TCF_OK;
    for (uint32_t i = 0; i < n; i++) {
        struct spot x;
        host->take(pack, &x, sizeof x);
        if ((spot[i] = graph_spot(self, x.location, x.callpath)) == NONE)
            status = TCF_ERROR;
    }
    if (status == TCF_OK)
        status = absorb_edges(self, pack, spot);
    free(spot);
    if (status == TCF_OK)
        absorb_limits(self, pack);
    return status;
}

static int settle_cells(tcf_self *self, const tcf_domains_host *domains, uint32_t location)
{
    struct place *p = tcf_location_state(self, location);
    const path_cells before = p->cells;
    int failed = 0;
    p->cells = (path_cells){0};
    for (uint32_t n = 0; n < before.n_chunks * CELLS_A_CHUNK; n++) {
        const struct cell *c = path_cell_at(&before, n, sizeof *c);
        struct cell *to = is_used(c) ? cell_of(p, tcf_callpath_here(self, domains->of(self, location), n)) : NULL;
        failed |= is_used(c) && !to;
        if (to)
            *to = *c;
    }
    path_cells_free((path_cells *)&before);
    return failed;
}

tcf_status settle_callpaths(tcf_self *self)
{
    struct state *st = self->state;
    const tcf_domains_host *domains = tcf_domains_host_of(self);
    for (uint32_t i = 0; i < st->n_spots; i++)
        st->spots[i].callpath =
            tcf_callpath_here(self, domains->of(self, st->spots[i].location), st->spots[i].callpath);
    for (uint32_t i = 0; i < st->pair_by.index.n; i++) {
        struct pair *p = &st->pairs[i];
        p->a = tcf_callpath_here(self, p->a_of, p->a);
        p->b = tcf_callpath_here(self, p->b_of, p->b);
    }
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (domains->of(self, l) > 0 && settle_cells(self, domains, l) != 0)
            return self->host->fail(self, "out of memory for the vertices");
    return TCF_OK;
}
