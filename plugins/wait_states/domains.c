/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is found in several domains becomes one. Waits are packed with call paths as the domains of their locations
 * number them; settle_callpaths() makes them those of the first domain, behind all. */
#include "wait_states.h"

#include "../shared/largest/largest.h"

#include <private/domains_host.h>

static const uint32_t none = TCF_NONE; /* ends a list */

/* The times of a location, by call path. */
static void pack_cells(tcf_self *self, tcf_pack *pack, uint32_t location)
{
    const path_cells *cells = &((const struct place *)tcf_location_state(self, location))->cells;
    self->host->put(pack, &location, sizeof location);
    for (uint32_t n = 0; n < cells->n_chunks * CELLS_A_CHUNK; n++) {
        const struct cell *c = path_cell_at(cells, n, sizeof *c);
        if (!c || (c->visits == 0 && c->exclusive == 0))
            continue;
        self->host->put(pack, &n, sizeof n);
        self->host->put(pack, c, sizeof *c);
    }
    self->host->put(pack, &none, sizeof none);
}

static int absorb_cells(tcf_self *self, tcf_pack *pack, path_cells *cells)
{
    struct cell more;
    for (uint32_t n; self->host->take(pack, &n, sizeof n), n != TCF_NONE;) {
        struct cell *c = path_cell(cells, self->host->taken_callpath(pack, n), sizeof *c);
        self->host->take(pack, &more, sizeof more);
        if (!c)
            return -1;
        c->visits += more.visits;
        c->exclusive += more.exclusive;
    }
    return 0;
}

tcf_status pack_found(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    const tcf_host *host = self->host;
    if (waits_pack(self, pack) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (host->has(self, l))
            pack_cells(self, pack, l);
    host->put(pack, &none, sizeof none);
    host->put(pack, &st->n_severities, sizeof st->n_severities);
    host->put(pack, st->severities, st->n_severities * sizeof *st->severities);
    host->put(pack, &st->without_place, sizeof st->without_place);
    host->put(pack, st->total, sizeof st->total);
    host->put(pack, st->visits_beyond, sizeof st->visits_beyond);
    host->put(pack, st->moved, sizeof st->moved);
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++) {
        host->put(pack, &st->n_worst[i], sizeof st->n_worst[i]);
        host->put(pack, st->worst[i], st->n_worst[i] * sizeof *st->worst[i]);
    }
    return TCF_OK;
}

static void absorb_sums(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    const tcf_host *host = self->host;
    struct severity total[WAIT_PATTERNS];
    uint64_t visits_beyond[WAIT_TIMES];
    tcf_ticks_total moved[WAIT_TIMES];
    uint64_t without_place;
    host->take(pack, &without_place, sizeof without_place);
    host->take(pack, total, sizeof total);
    host->take(pack, visits_beyond, sizeof visits_beyond);
    host->take(pack, moved, sizeof moved);
    st->without_place += without_place;
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        add_severities(&st->total[i], &total[i]);
    for (uint32_t i = 0; i < WAIT_TIMES; i++) {
        st->visits_beyond[i] += visits_beyond[i];
        st->moved[i] += moved[i];
    }
}

tcf_status absorb_found(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    struct severity more;
    wait worst;
    uint32_t n;
    if (waits_absorb(self, pack) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l; host->take(pack, &l, sizeof l), l < self->defs->n_locations;)
        if (absorb_cells(self, pack, &((struct place *)tcf_location_state(self, l))->cells) != 0)
            return host->fail(self, "out of memory for the time of call paths");
    host->take(pack, &n, sizeof n);
    for (uint32_t i = 0; i < n; i++) {
        host->take(pack, &more, sizeof more);
        if (join_severity(self, &more) != TCF_OK)
            return TCF_ERROR;
    }
    absorb_sums(self, pack);
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++) {
        host->take(pack, &n, sizeof n);
        for (uint32_t k = 0; k < n; k++) {
            host->take(pack, &worst, sizeof worst);
            if (keep_worst(self, &worst) != TCF_OK)
                return TCF_ERROR;
        }
    }
    return TCF_OK;
}

static uint32_t settled(const tcf_self *self, uint32_t location, uint32_t callpath)
{
    const tcf_domains_host *domains = tcf_domains_host_of(self);
    return location < self->defs->n_locations ? tcf_callpath_here(self, domains->of(self, location), callpath)
                                              : callpath;
}

void settle_callpaths(tcf_self *self)
{
    struct state *st = self->state;
    const int by_location = ((const struct conf *)self->conf)->by_location;
    for (uint32_t i = 0; i < st->n_severities; i++) {
        sum_of *x = &st->severities[i].of;
        x->callpath =
            by_location ? settled(self, x->location, x->callpath) : tcf_callpath_here(self, x->location, x->callpath);
    }
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        for (uint32_t k = 0; k < st->n_worst[i]; k++) {
            wait *w = &st->worst[i][k];
            w->callpath = settled(self, w->location, w->callpath);
            w->cause_callpath = settled(self, w->cause_location, w->cause_callpath);
        }
}
