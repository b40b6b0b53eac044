/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics' tables of results. Runs once, at the end. */
#include "../shared/callpaths/paths.h"
#include "cells.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdlib.h>

#define VALUE(name, help)                                                                                              \
    {                                                                                                                  \
        name, TCF_CELL_DOUBLE, NULL, help                                                                              \
    }
#define RAW(name, help)                                                                                                \
    {                                                                                                                  \
        name, TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, help                                                              \
    }

#define NAMES                                                                                                          \
    {"member_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the metric member; 2^32 - 1: none"},                   \
        {"unit", TCF_CELL_TEXT, NULL, "Of the values"},                                                                \
    {                                                                                                                  \
        "metric", TCF_CELL_TEXT, NULL, "Name of the metric member"                                                     \
    }

static const tcf_table_column series_columns[] = {
    {"samples", TCF_CELL_UINT, NULL, "Values recorded"},
    VALUE("min", "Smallest value"),
    VALUE("max", "Largest value"),
    VALUE("mean", "Mean of the samples"),
    VALUE("time_mean", "Mean over time"),
    VALUE("first", "First value"),
    VALUE("last", "Last value"),
    VALUE("increase", "What it grew by, or the sum of the amounts"),
    {"rate", TCF_CELL_DOUBLE, "1/s", "Increase by time from the first to the last sample"},
    {"decreases", TCF_CELL_UINT, NULL, "How often it fell"},
    {"mode", TCF_CELL_TEXT, NULL, "OTF2's name of what the values mean"},
    {"scope", TCF_CELL_TEXT, NULL, "Of what the values tell: kind and name"},
    {"factor", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, NULL, "What recorded values are multiplied by"},
    RAW("min_raw", "As min, exactly as recorded"),
    RAW("max_raw", "As max"),
    RAW("first_raw", "As first"),
    RAW("last_raw", "As last"),
    RAW("increase_raw", "As increase"),
    {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "From the first to the last sample"},
    {"metric_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the metric class or instance"},
    {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
    NAMES,
    {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
    {"location", TCF_CELL_TEXT, NULL, "Name of the location that recorded it"},
};

static const tcf_table_column total_columns[] = {
    {"series", TCF_CELL_UINT, NULL, "How many locations and metrics have it"},
    {"samples", TCF_CELL_UINT, NULL, "Values recorded"},
    VALUE("min", "Smallest value of any"),
    VALUE("max", "Largest value of any"),
    VALUE("mean", "Mean of all samples"),
    VALUE("increase", "Sum of what they grew by"),
    RAW("min_raw", "As min, exactly as recorded"),
    RAW("max_raw", "As max"),
    RAW("increase_raw", "As increase"),
    NAMES,
};

static const tcf_table_column row_columns[] = {
    {"samples", TCF_CELL_UINT, NULL, "Values recorded in the call path"},
    VALUE("increase", "What it grew by there, without the calls from there"),
    RAW("increase_raw", "As increase, exactly as recorded"),
    {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location; 2^64 - 1: all"},
    NAMES,
    {"location", TCF_CELL_TEXT, NULL, "Name of the location; -: all"},
    {"call_path", TCF_CELL_TEXT, NULL, "Names of its regions; -: outside of all"},
};

static const tcf_table_column time_columns[] = {
    {"from", TCF_CELL_DOUBLE, "s", "Start of the bin, since the start of the trace"},
    {"width", TCF_CELL_DOUBLE, "s", "Its length"},
    {"samples", TCF_CELL_UINT, NULL, "Values recorded"},
    VALUE("min", "Smallest value"),
    VALUE("max", "Largest value"),
    VALUE("mean", "Mean of the samples"),
    VALUE("increase", "What it grew by at these samples"),
    RAW("min_raw", "As min, exactly as recorded"),
    RAW("max_raw", "As max"),
    RAW("increase_raw", "As increase"),
    {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As width"},
    {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location; 2^64 - 1: all"},
    NAMES,
    {"location", TCF_CELL_TEXT, NULL, "Name of the location; -: all"},
};

enum { MOST_COLUMNS = TCF_COUNT(series_columns) };

/* -------------------------------------------------------------------------------------------------------- series -- */

static void series_row(work *w, tcf_table *t, uint32_t location, const series *s)
{
    const tcf_definitions *defs = w->self->defs;
    const uint32_t member = member_of(w->self, s), group = defs->locations[location].group;
    const tcf_metric_member *m = member_at(w, member);
    const double factor = factor_of(w, member), ticks = (double)(s->last_time - s->first_time);
    const double mean = s->sum / (double)s->samples * factor, seconds = ticks / (double)defs->clock.resolution;
    const tcf_cell increase = scaled_increase(w, member, s->type, s->increase);
    const char *mode = m ? w->self->host->enum_name("METRIC_MODE", m->mode) : NULL;
    tcf_cell c[MOST_COLUMNS];
    uint32_t n = 0;
    w->n_texts = 0;
    c[n++] = tcf_uint(s->samples);
    c[n++] = scaled(w, member, s->type, s->min);
    c[n++] = scaled(w, member, s->type, s->max);
    c[n++] = tcf_double(mean);
    c[n++] = tcf_double(ticks > 0 ? s->weighted / ticks * factor : mean);
    c[n++] = scaled(w, member, s->type, s->first);
    c[n++] = scaled(w, member, s->type, s->last);
    c[n++] = increase;
    c[n++] = tcf_double(seconds > 0 ? increase.d / seconds : 0);
    c[n++] = tcf_uint(s->decreases);
    c[n++] = tcf_text(mode ? mode : "(unknown)");
    c[n++] = tcf_text(scope_text(w, s));
    c[n++] = tcf_double(factor);
    c[n++] = raw(w, s->type, s->min);
    c[n++] = raw(w, s->type, s->max);
    c[n++] = raw(w, s->type, s->first);
    c[n++] = raw(w, s->type, s->last);
    c[n++] = raw_increase(w, s->type, s->increase);
    c[n++] = tcf_uint(s->last_time - s->first_time);
    c[n++] = tcf_uint(tcf_id(defs, TCF_REF_METRIC, s->metric, UINT32_MAX));
    c[n++] = location_id(w, location);
    n += put_names(w, c + n, member);
    c[n++] = tcf_text(group < defs->n_location_groups ? defs->location_groups[group].name : "(unknown)");
    c[n++] = location_name(w, location);
    w->self->host->row(t, c);
}

static int write_series(work *w)
{
    tcf_table *t =
        w->self->host->table(w->self, "metrics", "Metrics by location", series_columns, TCF_COUNT(series_columns));
    for (uint32_t l = 0; t && l < w->self->defs->n_locations; l++) {
        const place *p = tcf_location_state(w->self, l);
        for (uint32_t i = 0; i < p->n; i++)
            if (p->series[i].samples > 0)
                series_row(w, t, l, &p->series[i]);
    }
    return t ? 0 : -1;
}

/* -------------------------------------------------------------------------------------------------------- totals -- */

typedef struct total {
    uint32_t member;
    uint8_t type;
    uint64_t series;
    cell all;
} total;

typedef struct totals {
    total *at;
    uint32_t n, capacity;
    tcf_map index; /* (member, type) */
} totals;

static int add_series(work *w, totals *all, const series *s)
{
    const uint32_t member = member_of(w->self, s);
    uint32_t at = tcf_map_get(&all->index, member, s->type);
    if (at == TCF_MAP_ABSENT) {
        if (TCF_GROW(&all->at, &all->capacity, all->n) != 0)
            return -1;
        if (tcf_map_put(&all->index, member, s->type, all->n) != 0)
            return -1;
        at = all->n++;
        all->at[at] = (total){.member = member, .type = s->type};
    }
    const cell c = {.samples = s->samples, .sum = s->sum, .min = s->min, .max = s->max, .increase = s->increase};
    cell_add(s->type, &all->at[at].all, &c);
    all->at[at].series++;
    return 0;
}

static void total_row(work *w, tcf_table *t, const total *x)
{
    tcf_cell c[MOST_COLUMNS];
    uint32_t n = 0;
    w->n_texts = 0;
    c[n++] = tcf_uint(x->series);
    c[n++] = tcf_uint(x->all.samples);
    c[n++] = scaled(w, x->member, x->type, x->all.min);
    c[n++] = scaled(w, x->member, x->type, x->all.max);
    c[n++] = tcf_double(x->all.sum / (double)x->all.samples * factor_of(w, x->member));
    c[n++] = scaled_increase(w, x->member, x->type, x->all.increase);
    c[n++] = raw(w, x->type, x->all.min);
    c[n++] = raw(w, x->type, x->all.max);
    c[n++] = raw_increase(w, x->type, x->all.increase);
    put_names(w, c + n, x->member);
    w->self->host->row(t, c);
}

static int write_totals(work *w)
{
    totals all = {0};
    int failed = 0;
    tcf_table *t =
        w->self->host->table(w->self, "totals", "Metrics of all locations", total_columns, TCF_COUNT(total_columns));
    for (uint32_t l = 0; l < w->self->defs->n_locations && !failed; l++) {
        const place *p = tcf_location_state(w->self, l);
        for (uint32_t i = 0; i < p->n && !failed; i++)
            if (p->series[i].samples > 0)
                failed = add_series(w, &all, &p->series[i]);
    }
    for (uint32_t k = 0; t && !failed && k < all.n; k++)
        total_row(w, t, &all.at[k]);
    free(all.at);
    tcf_map_free(&all.index);
    return t && !failed ? 0 : -1;
}

/* -------------------------------------------------------------------------------------- call paths, bins of time -- */

static void path_row(work *w, tcf_table *t, const row *r, const char *path)
{
    tcf_cell c[MOST_COLUMNS];
    uint32_t n = 0;
    w->n_texts = 0;
    c[n++] = tcf_uint(r->samples);
    c[n++] = scaled_increase(w, r->member, r->type, r->increase);
    c[n++] = raw_increase(w, r->type, r->increase);
    c[n++] = location_id(w, r->location);
    n += put_names(w, c + n, r->member);
    c[n++] = location_name(w, r->location);
    c[n++] = tcf_text(path);
    w->self->host->row(t, c);
}

/* Call paths that differ in nothing but the ids of their regions are one; `callpath` is its place then. */
static int merge_rows(const struct paths *paths, const rows *from, rows *to)
{
    for (uint32_t i = 0; i < from->n; i++) {
        const row *x = &from->at[i];
        const uint32_t callpath = x->callpath < paths->n ? paths->place[x->callpath] : x->callpath;
        const uint32_t at = rows_find(to, x->location, callpath, x->member, x->type, 1, UINT32_MAX);
        if (at == TCF_NONE)
            return -1;
        to->at[at].samples += x->samples;
        value_add(x->type, &to->at[at].increase, x->increase);
    }
    return 0;
}

static int order_rows(const void *a, const void *b)
{
    const row *x = a, *y = b;
    if (x->member != y->member)
        return x->member < y->member ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return x->callpath < y->callpath ? -1 : x->callpath > y->callpath;
}

static int write_paths(work *w)
{
    const state *st = w->self->state;
    struct paths paths;
    rows merged = {0};
    tcf_table *t =
        w->self->host->table(w->self, "callpaths", "Increase by call path", row_columns, TCF_COUNT(row_columns));
    if (!t || paths_begin(&paths, w->self) != TCF_OK)
        return -1;
    const int failed = merge_rows(&paths, &st->rows, &merged);
    if (!failed && merged.n > 0)
        qsort(merged.at, merged.n, sizeof *merged.at, order_rows);
    for (uint32_t i = 0; !failed && i < merged.n; i++) {
        const uint32_t path = merged.at[i].callpath;
        path_row(w, t, &merged.at[i],
                 path == BEYOND ? "(beyond max_rows)"
                 : path == 0    ? "-"
                                : path_text(&paths, paths.order[path]));
    }
    rows_free(&merged);
    const int out_of_memory = paths.out_of_memory;
    paths_free(&paths);
    return failed || out_of_memory ? -1 : 0;
}

static void time_row(work *w, tcf_table *t, const grid *g, uint32_t k)
{
    const time_bins *b = &((const state *)w->self->state)->time;
    const cell *x = &g->cells[k];
    const int64_t from = time_bins_start(b, k);
    const uint64_t width = UINT64_C(1) << b->level;
    tcf_cell c[MOST_COLUMNS];
    uint32_t n = 0;
    w->n_texts = 0;
    c[n++] = tcf_when(w->self, b->origin + (uint64_t)from);
    c[n++] = tcf_seconds(w->self, (double)width);
    c[n++] = tcf_uint(x->samples);
    c[n++] = scaled(w, g->member, g->type, x->min);
    c[n++] = scaled(w, g->member, g->type, x->max);
    c[n++] = tcf_double(x->sum / (double)x->samples * factor_of(w, g->member));
    c[n++] = scaled_increase(w, g->member, g->type, x->increase);
    c[n++] = raw(w, g->type, x->min);
    c[n++] = raw(w, g->type, x->max);
    c[n++] = raw_increase(w, g->type, x->increase);
    c[n++] = tcf_uint(b->origin + (uint64_t)from);
    c[n++] = tcf_uint(width);
    c[n++] = location_id(w, g->location);
    n += put_names(w, c + n, g->member);
    c[n++] = location_name(w, g->location);
    w->self->host->row(t, c);
}

static int write_time(work *w)
{
    const state *st = w->self->state;
    tcf_table *t =
        w->self->host->table(w->self, "over_time", "Metrics over time", time_columns, TCF_COUNT(time_columns));
    for (uint32_t g = 0; t && g < st->n; g++)
        for (uint32_t k = 0; k < time_bins_in_use(&st->time); k++)
            if (st->grids[g].cells[k].samples > 0)
                time_row(w, t, &st->grids[g], k);
    return t ? 0 : -1;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void tell(const work *w)
{
    const tcf_self *self = w->self;
    const state *st = self->state;
    const conf *c = self->conf;
    uint64_t left_out = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        left_out += p->too_many;
        for (uint32_t i = 0; i < p->n; i++)
            left_out += p->series[i].left_out;
    }
    if (left_out > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64
                        " values are left out: no finite numbers, or not of the type or number that their metric "
                        "had at first",
                        left_out);
    if (st->no_grid > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " series have no bins of time: there are more than max_series = %" PRId64,
                        st->no_grid, c->max_series);
    for (uint32_t i = 0; i < st->rows.n; i++)
        if (st->rows.at[i].callpath == BEYOND) {
            self->host->log(self, TCF_LOG_WARNING,
                            "there are more rows by call path than max_rows = %" PRId64
                            "; those beyond stand in \"(beyond max_rows)\"",
                            c->max_rows);
            break;
        }
}

tcf_status metrics_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w = {.self = self};
    int failed = find_scopes(&w) != 0 || write_series(&w) != 0 || write_totals(&w) != 0;
    if (!failed && c->callpaths)
        failed = write_paths(&w);
    if (!failed && c->time_bins > 0)
        failed = write_time(&w);
    if (!failed)
        tell(&w);
    free(w.scopes);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
