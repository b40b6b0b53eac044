/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* lateness' tables of results. Runs once, at the end. */
#include "lateness.h"

#include "../shared/callpaths/paths.h"
#include "../shared/limits/limits.h"

#include <stdlib.h>

#include <tcflow/order.h>

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *process, *location, *callpath;
    uint64_t location_id, last_step, from, width;
    double mean;
    struct bin bin;
    struct instance instance;
} row;

#define AT(member) TCF_AT(row, member)

#define SUMS_COLUMNS                                                                                                   \
    {"operations", AT(bin.sums.operations), NULL, "How many"},                                                         \
        {"mean", AT(mean) | TCF_CELL_SECONDS, "s", "Mean lateness"},                                                   \
        {"max", AT(bin.sums.most_late) | TCF_CELL_SECONDS, "s", "Largest lateness"},                                   \
        {"differential", AT(bin.sums.differential) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",                           \
         "Sum of differential lateness"},                                                                              \
        {"max_differential", AT(bin.sums.most_differential) | TCF_CELL_SECONDS, "s", "The largest"},                   \
        {"lateness_ticks", AT(bin.sums.lateness) | TCF_CELL_DETAIL, "ticks", "Sum of lateness"},                       \
        {"max_ticks", AT(bin.sums.most_late) | TCF_CELL_DETAIL, "ticks", "max in ticks"},                              \
        {"differential_ticks", AT(bin.sums.differential) | TCF_CELL_DETAIL, "ticks", "differential in ticks"},         \
    {                                                                                                                  \
        "max_differential_ticks", AT(bin.sums.most_differential) | TCF_CELL_DETAIL, "ticks",                           \
            "max_differential in ticks"                                                                                \
    }

static void add_row(const tcf_self *self, tcf_table *t, const struct sums *s, row r)
{
    if (s->operations == 0)
        return;
    r.bin.sums = *s;
    r.mean = (double)s->lateness / (double)s->operations;
    tcf_row(self, t, &r);
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"process", AT(process), NULL, "Name of the location group"},
        {"location", AT(location), NULL, "Name of the location"},
        SUMS_COLUMNS,
        {"last_step", AT(last_step), NULL, "The step that the location has come to"},
        {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
    };
    tcf_table *t = TCF_TABLE(self, "lateness", "Lateness by location", columns);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct lane *k = tcf_location_state(self, l);
        add_row(self, t, &k->sums,
                (row){.process = tcf_process_name(self->defs, l, "(unknown)"),
                      .location = tcf_location_at(self->defs, l)->name,
                      .last_step = k->clock,
                      .location_id = tcf_location_at(self->defs, l)->id});
    }
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

typedef struct ranked {
    struct sums sums;
    uint32_t callpath, place;
} ranked;

static int order_paths(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->sums.differential, x->sums.differential),
                     TCF_ORDER(y->sums.lateness, x->sums.lateness), TCF_ORDER(x->place, y->place));
}

/* Sums by call path, those of the same names as one. The caller frees them. NULL: out of memory. */
static ranked *rank_paths(const struct state *st, const struct paths *p, uint32_t *n)
{
    ranked *rows = calloc(p->n + 1ul, sizeof *rows);
    *n = 0;
    for (uint32_t i = 0; rows && i < p->n; i++)
        rows[i] = (ranked){.callpath = i, .place = p->place[i]};
    for (uint32_t i = 0; rows && i < p->n && i < st->n_by_path; i++)
        sums_join(&rows[p->same[i]].sums, &st->by_path[i]);
    for (uint32_t i = 0; rows && i < p->n; i++)
        if (rows[i].sums.operations > 0)
            rows[(*n)++] = rows[i];
    tcf_sort(rows, *n, sizeof *rows, order_paths);
    return rows;
}

static int report_calls(tcf_self *self, struct paths *p)
{
    static const tcf_table_column columns[] = {
        SUMS_COLUMNS,
        {"callpath", AT(callpath), NULL, "Call path of the operation; empty: outside of any region"},
    };
    const struct conf *conf = self->conf;
    uint32_t n;
    ranked *rows = rank_paths(self->state, p, &n);
    tcf_table *t = TCF_TABLE(self, "calls", "Lateness by call path", columns);
    for (uint32_t i = 0; rows && i < n && (conf->top == 0 || i < conf->top); i++)
        add_row(self, t, &rows[i].sums, (row){.callpath = path_text(p, rows[i].callpath)});
    free(rows);
    return rows ? 0 : -1;
}

/* -------------------------------------------------------------------------------------------------------- series -- */

/* Bins from `origin` on. */
static void add_series(const tcf_self *self, tcf_table *t, const struct series *of, uint64_t origin)
{
    for (uint32_t i = 0; i < time_bins_in_use(&of->range); i++)
        add_row(self, t, &of->at[i].sums,
                (row){.from = origin + (uint64_t)time_bins_start(&of->range, i),
                      .width = UINT64_C(1) << of->range.level,
                      .bin = of->at[i]});
}

static void report_steps(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"from_step", AT(from), NULL, "First step of the bin"},
        {"steps", AT(width), NULL, "How many steps it has"},
        {"earliest", AT(bin.earliest) | TCF_CELL_WHEN, "s",
         "First completion of an operation, since the start of the trace"},
        {"latest", AT(bin.latest) | TCF_CELL_WHEN, "s", "Last completion"},
        SUMS_COLUMNS,
        {"earliest_ticks", AT(bin.earliest) | TCF_CELL_DETAIL, "ticks",
         "First completion, as a timestamp of the trace"},
        {"latest_ticks", AT(bin.latest) | TCF_CELL_DETAIL, "ticks", "Last completion, likewise"},
    };
    tcf_table *t = TCF_TABLE(self, "steps", "Lateness over logical steps", columns);
    add_series(self, t, &((const struct state *)self->state)->over_steps, 0);
}

static void report_times(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"from", AT(from) | TCF_CELL_WHEN, "s", "Start of the bin, since the start of the trace"},
        {"width", AT(width) | TCF_CELL_SECONDS, "s", "Its length"},
        SUMS_COLUMNS,
        {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
        {"width_ticks", AT(width) | TCF_CELL_DETAIL, "ticks", "width in ticks"},
    };
    const struct series *of = &((const struct state *)self->state)->over_time;
    tcf_table *t = TCF_TABLE(self, "over_time", "Lateness over time, operations by their completion", columns);
    add_series(self, t, of, of->range.origin);
}

/* --------------------------------------------------------------------------------------------------------- worst -- */

static void report_worst(tcf_self *self, struct paths *p)
{
    static const tcf_table_column columns[] = {
        {"differential", AT(instance.differential) | TCF_CELL_SECONDS, "s", "Differential lateness"},
        {"lateness", AT(instance.lateness) | TCF_CELL_SECONDS, "s", "Lateness"},
        {"step", AT(instance.step), NULL, "Logical step"},
        {"completed", AT(instance.end) | TCF_CELL_WHEN, "s", "Completion, since the start of the trace"},
        {"process", AT(process), NULL, "Name of the location group"},
        {"differential_ticks", AT(instance.differential) | TCF_CELL_DETAIL, "ticks", "differential in ticks"},
        {"lateness_ticks", AT(instance.lateness) | TCF_CELL_DETAIL, "ticks", "lateness in ticks"},
        {"completed_ticks", AT(instance.end) | TCF_CELL_DETAIL, "ticks", "Completion as a timestamp of the trace"},
        {"location_id", AT(location_id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
        {"callpath", AT(callpath), NULL, "Call path of the operation; empty: outside of any region"},
    };
    const struct state *st = self->state;
    tcf_table *t = TCF_TABLE(self, "worst", "Operations with the largest differential lateness", columns);
    for (const struct instance *x = st->worst; x < st->worst + st->n_worst; x++)
        tcf_row(self, t,
                &(row){.instance = *x,
                       .process = tcf_process_name(self->defs, x->location, "(unknown)"),
                       .location_id = tcf_location_at(self->defs, x->location)->id,
                       .callpath = path_text(p, x->callpath)});
}

static void report_limits(tcf_self *self)
{
    const struct counts *n = &((const struct state *)self->state)->counts;
    const struct limit rows[] = {
        {"max_steps",
         "steps were closed before all locations had passed them (max_steps, max_pending): their lateness "
         "may be larger than stated",
         n->forced, 1},
        {"behind", "operations came to steps that were closed, and count with what was known there", n->behind, 1},
        {"fell_out", "operations came to steps that have left the table, and are not counted", n->fell_out, 1},
        {"forgotten", "messages come from steps that have left the table: differential lateness may be too large",
         n->forgotten, 1},
        {"max_pending", "messages had no room: differential lateness may be too large", n->no_room, 1},
        {"depth", "records stand in operations that were nested too deeply, and were taken for part of another one",
         n->too_deep, 1},
    };
    report_limit_rows(self, rows, TCF_COUNT(rows), " reached");
}

tcf_status report(tcf_self *self)
{
    struct paths p;
    if (paths_begin(&p, self) != TCF_OK)
        return TCF_ERROR;
    report_locations(self);
    const int failed = report_calls(self, &p);
    report_steps(self);
    report_times(self);
    report_worst(self, &p);
    report_limits(self);
    paths_free(&p);
    return failed || p.out_of_memory ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
