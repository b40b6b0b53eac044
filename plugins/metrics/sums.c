/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics: the sums over locations: rows by call path, cells by bin of time. */
#include "metrics.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

uint32_t member_of(const tcf_self *self, const series *s)
{
    const tcf_definitions *defs = self->defs;
    if (s->metric >= defs->n_metrics || s->position >= tcf_metric_at(defs, s->metric)->n_members)
        return TCF_NONE;
    const uint32_t member = tcf_metric_at(defs, s->metric)->member[s->position];
    return member < defs->n_metric_members ? member : TCF_NONE;
}

/* --------------------------------------------------------------------------------------------------------- cells -- */

void cell_add(uint8_t type, cell *to, const cell *from)
{
    if (from->samples > 0) {
        if (to->samples == 0 || value_less(type, from->min, to->min))
            to->min = from->min;
        if (to->samples == 0 || value_less(type, to->max, from->max))
            to->max = from->max;
    }
    to->samples += from->samples;
    to->sum += from->sum;
    value_add(type, &to->increase, from->increase);
}

void cells_move(uint8_t type, cell *cells, cell *spare, uint32_t n, const time_bins_move *m)
{
    memcpy(spare, cells, n * sizeof *cells);
    memset(cells, 0, n * sizeof *cells);
    for (uint32_t k = 0; k < n; k++)
        if (spare[k].samples > 0)
            cell_add(type, &cells[time_bins_moved(m, k)], &spare[k]);
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

void rows_free(rows *r)
{
    free(r->at);
    tcf_map_free(&r->index);
    *r = (rows){0};
}

uint32_t rows_find(rows *r, uint32_t location, uint32_t callpath, uint32_t member, uint8_t type, uint32_t n,
                   uint32_t most)
{
    const uint64_t a = (uint64_t)location << 32 | callpath, b = (uint64_t)type << 32 | member;
    uint32_t first = tcf_map_get(&r->index, a, b);
    if (first != TCF_MAP_ABSENT)
        return first;
    if (r->n >= most && callpath != BEYOND) {
        r->is_full = 1;
        return rows_find(r, location, BEYOND, member, type, n, most);
    }
    if (TCF_GROW(&r->at, &r->capacity, (uint64_t)r->n + n) != 0 || tcf_map_put(&r->index, a, b, r->n) != 0)
        return TCF_NONE;
    first = r->n;
    for (uint32_t k = 0; k < n; k++)
        r->at[r->n++] = (row){.location = location, .callpath = callpath, .member = member + k, .type = type};
    return first;
}

/* Adds the rows of a location. There `member` is the number of a series. */
static int sum_rows(const tcf_self *self, const place *p, uint32_t location)
{
    const conf *c = self->conf;
    state *st = self->state;
    for (uint32_t i = 0; i < p->rows.n; i++) {
        const row *from = &p->rows.at[i];
        const series *s = &p->series[from->member];
        const uint32_t member = member_of(self, s);
        if (from->samples == 0)
            continue;
        const uint32_t at = rows_find(&st->rows, location, from->callpath, member, s->type, 1, (uint32_t)c->max_rows);
        if (at == TCF_NONE)
            return -1;
        st->rows.at[at].samples += from->samples;
        value_add(s->type, &st->rows.at[at].increase, from->increase);
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------- bins of time -- */

static int reach(state *st, uint64_t time)
{
    time_bins_move m;
    if (!time_bins_reach(&st->time, time, &m))
        return 0;
    cell *spare = malloc(st->time.n * sizeof *spare);
    for (uint32_t g = 0; spare && g < st->by.index.n; g++)
        cells_move(st->grids[g].type, st->grids[g].cells, spare, st->time.n, &m);
    free(spare);
    return spare ? 0 : -1;
}

/* The grid of a series. NULL: out of memory, or, with *full, there are `most` grids already. */
static grid *find_grid(state *st, uint32_t location, uint32_t member, uint8_t type, uint32_t most, int *full)
{
    const uint64_t b = (uint64_t)type << 32 | member;
    *full = st->by.index.n >= most && tcf_map_get(&st->by.index, location, b) == TCF_MAP_ABSENT;
    const uint32_t at = *full ? TCF_NONE : KEYED_FIND(&st->grids, &st->by, location, b);
    if (at == TCF_NONE)
        return NULL;
    grid *g = &st->grids[at];
    *g = (grid){location, member, type, g->cells ? g->cells : calloc(st->time.n, sizeof *g->cells)};
    return g->cells ? g : NULL;
}

static int sum_bins(const tcf_self *self, const place *p, uint32_t location)
{
    const conf *c = self->conf;
    state *st = self->state;
    if (reach(st, p->time.origin + (uint64_t)p->time.low) != 0 ||
        reach(st, p->time.origin + (uint64_t)p->time.high) != 0)
        return -1;
    const time_bins_move m = time_bins_into(&p->time, &st->time);
    for (uint32_t i = 0; i < p->n; i++) {
        const series *s = &p->series[i];
        int full;
        if (s->samples == 0)
            continue;
        grid *g = find_grid(st, location, member_of(self, s), s->type, (uint32_t)c->max_series, &full);
        st->no_grid += (uint64_t)full;
        if (full)
            continue;
        if (!g)
            return -1;
        for (uint32_t k = 0; k < p->time.n; k++)
            if (cells_of(p, i)[k].samples > 0)
                cell_add(s->type, &g->cells[time_bins_moved(&m, k)], &cells_of(p, i)[k]);
    }
    return 0;
}

int sum_location(const tcf_self *self, const place *p, uint32_t location)
{
    const conf *c = self->conf;
    const uint32_t whose = c->by_location ? location : TCF_NONE;
    if (c->callpaths && sum_rows(self, p, whose) != 0)
        return -1;
    return p->time.used && sum_bins(self, p, whose) != 0 ? -1 : 0;
}
