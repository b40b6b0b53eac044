/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics' tables of results. Runs once, at the end. */
#include "../shared/callpaths/paths.h"
#include "cells.h"

#include <inttypes.h>
#include <stdlib.h>
#include <tcflow/order.h>

#define AT(member) TCF_AT(line, member)

static const tcf_table_column series_columns[] = {
    {"samples", AT(samples), NULL, "Values recorded"},
    {"min", AT(min), NULL, "Smallest value"},
    {"max", AT(max), NULL, "Largest value"},
    {"mean", AT(mean), NULL, "Mean of the samples"},
    {"time_mean", AT(time_mean), NULL, "Mean over time"},
    {"first", AT(first), NULL, "First value"},
    {"last", AT(last), NULL, "Last value"},
    {"increase", AT(increase), NULL, "What it grew by, or the sum of the amounts"},
    {"rate", AT(rate), "1/s", "Increase by time from the first to the last sample"},
    {"decreases", AT(decreases), NULL, "How often it fell"},
    {"mode", AT(mode), NULL, "OTF2's name of what the values mean"},
    {"scope", AT(scope), NULL, "Of what the values tell: kind and name"},
    {"factor", AT(factor) | TCF_CELL_DETAIL, NULL, "What recorded values are multiplied by"},
    {"min_raw", AT(min_raw) | TCF_CELL_DETAIL, NULL, "min, exactly as recorded"},
    {"max_raw", AT(max_raw) | TCF_CELL_DETAIL, NULL, "max, exactly as recorded"},
    {"first_raw", AT(first_raw) | TCF_CELL_DETAIL, NULL, "first, exactly as recorded"},
    {"last_raw", AT(last_raw) | TCF_CELL_DETAIL, NULL, "last, exactly as recorded"},
    {"increase_raw", AT(increase_raw) | TCF_CELL_DETAIL, NULL, "increase, exactly as recorded"},
    {"ticks", AT(ticks) | TCF_CELL_DETAIL, "ticks", "From the first to the last sample"},
    {"metric_id", AT(metric_id) | TCF_CELL_DETAIL, NULL, "Id of the metric class or instance"},
    {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
    {"member_id", AT(member_id) | TCF_CELL_DETAIL, NULL, "Id of the metric member; 2^32 - 1: none"},
    {"unit", AT(unit), NULL, "Of the values"},
    {"metric", AT(metric), NULL, "Name of the metric member"},
    {"process", AT(process), NULL, "Name of the location group"},
    {"location", AT(location), NULL, "Name of the location that recorded it"},
};

static const tcf_table_column total_columns[] = {
    {"series", AT(series), NULL, "How many locations and metrics have it"},
    {"samples", AT(samples), NULL, "Values recorded"},
    {"min", AT(min), NULL, "Smallest value of any"},
    {"max", AT(max), NULL, "Largest value of any"},
    {"mean", AT(mean), NULL, "Mean of all samples"},
    {"increase", AT(increase), NULL, "Sum of what they grew by"},
    {"min_raw", AT(min_raw) | TCF_CELL_DETAIL, NULL, "min, exactly as recorded"},
    {"max_raw", AT(max_raw) | TCF_CELL_DETAIL, NULL, "max, exactly as recorded"},
    {"increase_raw", AT(increase_raw) | TCF_CELL_DETAIL, NULL, "increase, exactly as recorded"},
    {"member_id", AT(member_id) | TCF_CELL_DETAIL, NULL, "Id of the metric member; 2^32 - 1: none"},
    {"unit", AT(unit), NULL, "Of the values"},
    {"metric", AT(metric), NULL, "Name of the metric member"},
};

static const tcf_table_column row_columns[] = {
    {"samples", AT(samples), NULL, "Values recorded in the call path"},
    {"increase", AT(increase), NULL, "What it grew by there, without the calls from there"},
    {"increase_raw", AT(increase_raw) | TCF_CELL_DETAIL, NULL, "increase, exactly as recorded"},
    {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location; 2^64 - 1: all"},
    {"member_id", AT(member_id) | TCF_CELL_DETAIL, NULL, "Id of the metric member; 2^32 - 1: none"},
    {"unit", AT(unit), NULL, "Of the values"},
    {"metric", AT(metric), NULL, "Name of the metric member"},
    {"location", AT(location), NULL, "Name of the location; -: all"},
    {"call_path", AT(call_path), NULL, "Names of its regions; -: outside of all"},
};

static const tcf_table_column time_columns[] = {
    {"from", AT(from) | TCF_CELL_WHEN, "s", "Start of the bin, since the start of the trace"},
    {"width", AT(width) | TCF_CELL_SECONDS, "s", "Its length"},
    {"samples", AT(samples), NULL, "Values recorded"},
    {"min", AT(min), NULL, "Smallest value"},
    {"max", AT(max), NULL, "Largest value"},
    {"mean", AT(mean), NULL, "Mean of the samples"},
    {"increase", AT(increase), NULL, "What it grew by at these samples"},
    {"min_raw", AT(min_raw) | TCF_CELL_DETAIL, NULL, "min, exactly as recorded"},
    {"max_raw", AT(max_raw) | TCF_CELL_DETAIL, NULL, "max, exactly as recorded"},
    {"increase_raw", AT(increase_raw) | TCF_CELL_DETAIL, NULL, "increase, exactly as recorded"},
    {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", AT(width) | TCF_CELL_DETAIL, "ticks", "width in ticks"},
    {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location; 2^64 - 1: all"},
    {"member_id", AT(member_id) | TCF_CELL_DETAIL, NULL, "Id of the metric member; 2^32 - 1: none"},
    {"unit", AT(unit), NULL, "Of the values"},
    {"metric", AT(metric), NULL, "Name of the metric member"},
    {"location", AT(location), NULL, "Name of the location; -: all"},
};

/* -------------------------------------------------------------------------------------------------------- series -- */

static cell cell_of(const series *s)
{
    return (cell){.samples = s->samples, .sum = s->sum, .min = s->min, .max = s->max, .increase = s->increase};
}

static void series_row(work *w, tcf_table *t, uint32_t location, const series *s)
{
    const tcf_definitions *defs = w->self->defs;
    const uint32_t member = member_of(w->self, s);
    const char *mode =
        member != TCF_NONE ? w->self->host->enum_name("METRIC_MODE", tcf_metric_member_at(defs, member)->mode) : NULL;
    const cell c = cell_of(s);
    line l = line_of(w, location, member, s->type, &c);
    l.ticks = s->last_time - s->first_time;
    const double ticks = (double)l.ticks, seconds = ticks / (double)defs->clock.resolution;
    l.time_mean = ticks > 0 ? s->weighted / ticks * l.factor : l.mean;
    l.first = scaled(&l, s->type, s->first);
    l.last = scaled(&l, s->type, s->last);
    l.first_raw = raw(w, s->type, s->first);
    l.last_raw = raw(w, s->type, s->last);
    l.rate = seconds > 0 ? l.increase / seconds : 0;
    l.decreases = s->decreases;
    l.mode = mode ? mode : "(unknown)";
    l.scope = scope_text(w, s);
    l.metric_id = tcf_id(defs, TCF_REF_METRIC, s->metric, UINT32_MAX);
    l.process = tcf_process_name(defs, location, "(unknown)");
    tcf_row(w->self, t, &l);
}

static void write_series(work *w)
{
    tcf_table *t = TCF_TABLE(w->self, "metrics", "Metrics by location", series_columns);
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++) {
        const place *p = tcf_location_state(w->self, l);
        for (uint32_t i = 0; i < p->n; i++)
            if (p->series[i].samples > 0)
                series_row(w, t, l, &p->series[i]);
    }
}

/* -------------------------------------------------------------------------------------------------------- totals -- */

typedef struct total {
    uint32_t member;
    uint8_t type;
    uint64_t series;
    cell all;
} total;

static int write_totals(work *w)
{
    total *all = NULL;
    keyed by = {0}; /* (member, type) */
    int failed = 0;
    tcf_table *t = TCF_TABLE(w->self, "totals", "Metrics of all locations", total_columns);
    for (uint32_t l = 0; l < w->self->defs->n_locations && !failed; l++) {
        const place *p = tcf_location_state(w->self, l);
        for (uint32_t k = 0; k < p->n && !failed; k++) {
            const series *s = &p->series[k];
            const uint32_t member = member_of(w->self, s);
            const uint32_t at = s->samples > 0 ? KEYED_FIND(&all, &by, member, s->type) : 0;
            failed = at == TCF_NONE;
            if (failed || s->samples == 0)
                continue;
            const cell c = cell_of(s);
            all[at].member = member;
            all[at].type = s->type;
            all[at].series++;
            cell_add(s->type, &all[at].all, &c);
        }
    }
    for (uint32_t k = 0; !failed && k < by.index.n; k++) {
        line l = line_of(w, TCF_NONE, all[k].member, all[k].type, &all[k].all);
        l.series = all[k].series;
        tcf_row(w->self, t, &l);
    }
    keyed_free(all, &by);
    return failed;
}

/* -------------------------------------------------------------------------------------- call paths, bins of time -- */

/* Merges the rows of call paths that differ in nothing but the ids of their regions. In the merged rows `callpath`
 * is the place in paths->order. */
static int merge_rows(const struct paths *paths, const total_rows *from, total_rows *to)
{
    int failed = 0;
    for (uint32_t i = 0; i < from->by.index.n && !failed; i++) {
        total_row x = from->at[i];
        x.callpath = x.callpath < paths->n ? paths->place[x.callpath] : x.callpath;
        failed = total_rows_add(to, &x, UINT32_MAX);
    }
    return failed;
}

static int order_rows(const void *a, const void *b)
{
    const total_row *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->member, y->member), TCF_ORDER(x->type, y->type), TCF_ORDER(x->location, y->location),
                     TCF_ORDER(x->callpath, y->callpath));
}

static int write_paths(work *w)
{
    const state *st = w->self->state;
    struct paths paths;
    total_rows merged = {0};
    tcf_table *t = TCF_TABLE(w->self, "callpaths", "Increase by call path", row_columns);
    if (paths_begin(&paths, w->self) != TCF_OK)
        return -1;
    const int failed = merge_rows(&paths, &st->rows, &merged);
    const uint32_t n = merged.by.index.n;
    if (!failed)
        tcf_sort(merged.at, n, sizeof *merged.at, order_rows);
    for (uint32_t i = 0; !failed && i < n; i++) {
        const total_row *r = &merged.at[i];
        const cell c = {.samples = r->samples, .increase = amount_value(r->type, &r->increase)};
        line l = line_of(w, r->location, r->member, r->type, &c);
        l.call_path = r->callpath == BEYOND ? "(beyond max_rows)"
                      : r->callpath == 0    ? "-"
                                            : path_text(&paths, paths.order[r->callpath]);
        tcf_row(w->self, t, &l);
    }
    total_rows_free(&merged);
    const int out_of_memory = paths.out_of_memory;
    paths_free(&paths);
    return failed || out_of_memory ? -1 : 0;
}

static void grid_rows(work *w, tcf_table *t, const grid *g)
{
    const state *st = w->self->state;
    for (uint32_t k = 0; k < time_bins_in_use(&st->time); k++) {
        const total_cell *x = &g->cells[k];
        const cell c = {x->samples, sum_value(&x->sum), x->min, x->max, amount_value(g->type, &x->increase)};
        if (c.samples == 0)
            continue;
        line l = line_of(w, g->location, g->member, g->type, &c);
        l.from = st->time.origin + (uint64_t)time_bins_start(&st->time, k);
        l.width = UINT64_C(1) << st->time.level;
        tcf_row(w->self, t, &l);
    }
}

/* Grids come in the order of the locations, and in it of their series: that of the first one that has it. */
static int write_time(work *w)
{
    const tcf_self *self = w->self;
    const state *st = self->state;
    const int by_location = ((const conf *)self->conf)->by_location;
    uint8_t *written = calloc(st->by.index.n + 1ul, 1);
    tcf_table *t = TCF_TABLE(w->self, "over_time", "Metrics over time", time_columns);
    for (uint32_t l = 0; written && l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        for (uint32_t k = 0; k < p->n; k++) {
            const series *s = &p->series[k];
            const grid *g = grid_of(st, by_location ? l : TCF_NONE, member_of(self, s), s->type);
            if (s->samples == 0 || !g || written[g - st->grids])
                continue;
            written[g - st->grids] = 1;
            grid_rows(w, t, g);
        }
    }
    free(written);
    return written ? 0 : -1;
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
    tcf_warn(self, left_out,
             "values are left out: no finite numbers, or not of the type or number that their metric had at first");
    if (st->no_grid > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " series have no bins of time: there are more than max_series = %" PRId64,
                        st->no_grid, c->max_series);
    if (st->rows.is_full)
        self->host->log(self, TCF_LOG_WARNING,
                        "there are more rows by call path than max_rows = %" PRId64
                        "; those beyond stand in '(beyond max_rows)'",
                        c->max_rows);
}

tcf_status metrics_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w = {.self = self};
    int failed = find_scopes(&w);
    if (!failed) {
        write_series(&w);
        failed = write_totals(&w) != 0 || (c->callpaths && write_paths(&w) != 0);
    }
    failed = failed || (c->time_bins > 0 && write_time(&w) != 0);
    if (!failed)
        tell(&w);
    free(w.scopes);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
