/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics: what one domain has found goes to another one: the series of its locations, and sums over these. */
#include "metrics.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------- pack -- */

static void put_series(const tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const uint32_t none = TCF_NONE;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (p->n == 0)
            continue;
        host->put(pack, &l, sizeof l);
        host->put(pack, &p->too_many, sizeof p->too_many);
        host->put(pack, &p->n, sizeof p->n);
        host->put(pack, p->series, p->n * sizeof *p->series);
    }
    host->put(pack, &none, sizeof none);
}

tcf_status metrics_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const state *st = self->state;
    put_series(self, pack);
    host->put(pack, &st->rows.is_full, sizeof st->rows.is_full);
    host->put(pack, &st->rows.by.index.n, sizeof st->rows.by.index.n);
    host->put(pack, st->rows.at, st->rows.by.index.n * sizeof *st->rows.at);
    host->put(pack, &st->no_grid, sizeof st->no_grid);
    host->put(pack, &st->time, sizeof st->time);
    host->put(pack, &st->by.index.n, sizeof st->by.index.n);
    for (uint32_t i = 0; i < st->by.index.n; i++) {
        const grid *g = &st->grids[i];
        host->put(pack, g, sizeof *g);
        host->put(pack, g->cells, st->time.n * sizeof *g->cells);
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- absorb -- */

static int take_series(const tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    uint32_t l;
    for (host->take(pack, &l, sizeof l); l < self->defs->n_locations; host->take(pack, &l, sizeof l)) {
        place *p = tcf_location_state(self, l);
        host->take(pack, &p->too_many, sizeof p->too_many);
        host->take(pack, &p->n, sizeof p->n);
        if (!(p->series = malloc(p->n * sizeof *p->series))) {
            p->n = 0;
            return -1;
        }
        host->take(pack, p->series, p->n * sizeof *p->series);
        for (uint32_t i = 0; i < p->n; i++)
            p->series[i].metric = host->taken_index(pack, TCF_REF_METRIC, p->series[i].metric);
    }
    return 0;
}

static int take_rows(const tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    total_rows *to = &((state *)self->state)->rows;
    int is_full, failed = 0;
    uint32_t n;
    total_row x;
    host->take(pack, &is_full, sizeof is_full);
    to->is_full |= is_full;
    host->take(pack, &n, sizeof n);
    for (; n > 0 && !failed; n--) {
        host->take(pack, &x, sizeof x);
        x.callpath = host->taken_callpath(pack, x.callpath);
        failed = total_rows_add(to, &x, (uint32_t)((const conf *)self->conf)->max_rows);
    }
    return failed;
}

static int take_grids(const tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    state *st = self->state;
    uint64_t no_grid;
    uint32_t n;
    time_bins time;
    grid g;
    host->take(pack, &no_grid, sizeof no_grid);
    st->no_grid += no_grid;
    host->take(pack, &time, sizeof time);
    host->take(pack, &n, sizeof n);
    int failed = time.used && sum_reach(st, &time) != 0;
    total_cell *cells = malloc((time.n + 1ul) * sizeof *cells);
    for (; cells && n > 0 && !failed; n--) {
        host->take(pack, &g, sizeof g);
        host->take(pack, cells, time.n * sizeof *cells);
        g.cells = cells;
        failed = sum_grid(self, &time, &g);
    }
    free(cells);
    return cells ? failed : -1;
}

tcf_status metrics_absorb(tcf_self *self, tcf_pack *pack)
{
    return take_series(self, pack) == 0 && take_rows(self, pack) == 0 && take_grids(self, pack) == 0
               ? TCF_OK
               : self->host->fail(self, "out of memory for the series of all locations");
}
