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

/* ------------------------------------------------------------------------------------------------- amounts, totals --
 */

static void amount_add(uint8_t type, amount *to, number v)
{
    if (type == TYPE_DOUBLE)
        sum_add(&to->d, v.d);
    else
        to->u += v.u;
}

static void amount_join(uint8_t type, amount *to, const amount *from)
{
    if (type == TYPE_DOUBLE)
        sum_join(&to->d, &from->d);
    else
        to->u += from->u;
}

number amount_value(uint8_t type, const amount *a)
{
    return type == TYPE_DOUBLE ? (number){.d = sum_value(&a->d)} : (number){.u = a->u};
}

/* 0 and -0 are equal, and the first one of them would stay. */
static number without_sign_of_zero(uint8_t type, number v)
{
    return type == TYPE_DOUBLE && v.d == 0 ? (number){.d = 0} : v;
}

static void add_samples(uint8_t type, total_cell *to, uint64_t samples, number min, number max)
{
    if (samples == 0)
        return;
    if (to->samples == 0 || value_less(type, min, to->min))
        to->min = without_sign_of_zero(type, min);
    if (to->samples == 0 || value_less(type, to->max, max))
        to->max = without_sign_of_zero(type, max);
    to->samples += samples;
}

static void total_add(uint8_t type, total_cell *to, const cell *from)
{
    add_samples(type, to, from->samples, from->min, from->max);
    sum_add(&to->sum, from->sum);
    amount_add(type, &to->increase, from->increase);
}

static void total_join(uint8_t type, total_cell *to, const total_cell *from)
{
    add_samples(type, to, from->samples, from->min, from->max);
    sum_join(&to->sum, &from->sum);
    amount_join(type, &to->increase, &from->increase);
}

/* ---------------------------------------------------------------------------------------------------------- rows -- */

void rows_free(rows *r)
{
    free(r->at);
    tcf_map_free(&r->index);
    *r = (rows){0};
}

uint32_t rows_find(rows *r, uint32_t callpath, uint32_t from, uint32_t n, uint32_t most)
{
    uint32_t first = tcf_map_get(&r->index, callpath, from);
    if (first != TCF_MAP_ABSENT)
        return first;
    if (r->n >= most && callpath != BEYOND) {
        r->is_full = 1;
        return rows_find(r, BEYOND, from, n, most);
    }
    if (TCF_GROW(&r->at, &r->capacity, (uint64_t)r->n + n) != 0 || tcf_map_put(&r->index, callpath, from, r->n) != 0)
        return TCF_NONE;
    first = r->n;
    for (uint32_t k = 0; k < n; k++)
        r->at[r->n++] = (row){.callpath = callpath, .series = from + k};
    return first;
}

void total_rows_free(total_rows *r)
{
    keyed_free(r->at, &r->by);
    *r = (total_rows){0};
}

int total_rows_add(total_rows *r, const total_row *x, uint32_t most)
{
    const uint64_t location = (uint64_t)x->location << 32, b = (uint64_t)x->type << 32 | x->member;
    uint32_t callpath = x->callpath;
    if (r->by.index.n >= most && tcf_map_get(&r->by.index, location | callpath, b) == TCF_MAP_ABSENT)
        callpath = BEYOND;
    r->is_full |= callpath == BEYOND;
    const uint32_t at = KEYED_FIND(&r->at, &r->by, location | callpath, b);
    if (at == TCF_NONE)
        return -1;
    total_row *to = &r->at[at];
    *to = (total_row){x->location, callpath, x->member, x->type, to->samples + x->samples, to->increase};
    amount_join(x->type, &to->increase, &x->increase);
    return 0;
}

/* Adds the rows of a location. */
static int sum_rows(const tcf_self *self, const place *p, uint32_t location)
{
    const conf *c = self->conf;
    state *st = self->state;
    int failed = 0;
    for (uint32_t i = 0; i < p->rows.n && !failed; i++) {
        const row *from = &p->rows.at[i];
        const series *s = &p->series[from->series];
        if (from->samples == 0)
            continue;
        total_row x = {location, from->callpath, member_of(self, s), s->type, from->samples, {0}};
        amount_add(s->type, &x.increase, from->increase);
        failed = total_rows_add(&st->rows, &x, (uint32_t)c->max_rows);
    }
    return failed;
}

/* -------------------------------------------------------------------------------------------------- bins of time -- */

static void move_totals(grid *g, total_cell *spare, uint32_t n, const time_bins_move *m)
{
    memcpy(spare, g->cells, n * sizeof *spare);
    memset(g->cells, 0, n * sizeof *spare);
    for (uint32_t k = 0; k < n; k++)
        if (spare[k].samples > 0)
            total_join(g->type, &g->cells[time_bins_moved(m, k)], &spare[k]);
}

static int reach(state *st, uint64_t time)
{
    time_bins_move m;
    if (!time_bins_reach(&st->time, time, &m))
        return 0;
    total_cell *spare = malloc(st->time.n * sizeof *spare);
    for (uint32_t g = 0; spare && g < st->by.index.n; g++)
        move_totals(&st->grids[g], spare, st->time.n, &m);
    free(spare);
    return spare ? 0 : -1;
}

int sum_reach(state *st, const time_bins *time)
{
    return reach(st, time->origin + (uint64_t)time->low) != 0 || reach(st, time->origin + (uint64_t)time->high) != 0
               ? -1
               : 0;
}

const grid *grid_of(const state *st, uint32_t location, uint32_t member, uint8_t type)
{
    const uint32_t at = tcf_map_get(&st->by.index, location, (uint64_t)type << 32 | member);
    return at == TCF_MAP_ABSENT ? NULL : &st->grids[at];
}

/* The same, which is made where there is none; it gets n series more. NULL: out of memory, or, with *full, there
 * are max_series grids already. */
static grid *find_grid(const tcf_self *self, const grid *like, uint64_t n, int *full)
{
    state *st = self->state;
    *full = st->by.index.n >= (uint64_t)((const conf *)self->conf)->max_series &&
            !grid_of(st, like->location, like->member, like->type);
    st->no_grid += *full ? n : 0;
    const uint32_t at =
        *full ? TCF_NONE : KEYED_FIND(&st->grids, &st->by, like->location, (uint64_t)like->type << 32 | like->member);
    if (at == TCF_NONE)
        return NULL;
    grid *g = &st->grids[at];
    *g = (grid){like->location, like->member, like->type, g->series + n,
                g->cells ? g->cells : calloc(st->time.n, sizeof *g->cells)};
    return g->cells ? g : NULL;
}

static int sum_bins(const tcf_self *self, const place *p, uint32_t location)
{
    state *st = self->state;
    if (sum_reach(st, &p->time) != 0)
        return -1;
    const time_bins_move m = time_bins_into(&p->time, &st->time);
    for (uint32_t i = 0; i < p->n; i++) {
        const series *s = &p->series[i];
        int full;
        if (s->samples == 0)
            continue;
        grid *g = find_grid(self, &(grid){location, member_of(self, s), s->type, 0, NULL}, 1, &full);
        if (full)
            continue;
        if (!g)
            return -1;
        for (uint32_t k = 0; k < p->time.n; k++)
            if (cells_of(p, i)[k].samples > 0)
                total_add(s->type, &g->cells[time_bins_moved(&m, k)], &cells_of(p, i)[k]);
    }
    return 0;
}

int sum_grid(const tcf_self *self, const time_bins *time, const grid *from)
{
    state *st = self->state;
    int full;
    const time_bins_move m = time_bins_into(time, &st->time);
    grid *g = find_grid(self, from, from->series, &full);
    for (uint32_t k = 0; g && k < time->n; k++)
        if (from->cells[k].samples > 0)
            total_join(from->type, &g->cells[time_bins_moved(&m, k)], &from->cells[k]);
    return g || full ? 0 : -1;
}

int sum_location(const tcf_self *self, const place *p, uint32_t location)
{
    const conf *c = self->conf;
    const uint32_t whose = c->by_location ? location : TCF_NONE;
    if (c->callpaths && sum_rows(self, p, whose) != 0)
        return -1;
    return p->time.used && sum_bins(self, p, whose) != 0 ? -1 : 0;
}
