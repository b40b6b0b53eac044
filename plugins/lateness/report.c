/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* lateness' tables of results. Runs once, at the end. */
#include "lateness.h"

#include "../shared/callpaths/paths.h"
#include "../shared/limits/limits.h"

#include <stdlib.h>

#define SUMS_COLUMNS                                                                                                   \
    {"operations", TCF_CELL_UINT, NULL, "How many"}, {"mean", TCF_CELL_DOUBLE, "s", "Mean lateness"},                  \
        {"max", TCF_CELL_DOUBLE, "s", "Largest lateness"},                                                             \
        {"differential", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Sum of differential lateness"},                       \
        {"max_differential", TCF_CELL_DOUBLE, "s", "The largest"},                                                     \
        {"lateness_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Sum of lateness"},                               \
        {"max_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As max"},                                             \
        {"differential_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As differential"},                           \
    {                                                                                                                  \
        "max_differential_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As max_differential"                      \
    }

enum { SUMS = 9, MOST_COLUMNS = 16 };

static void sums_cells(const tcf_self *self, tcf_cell cells[SUMS], const struct sums *s)
{
    const double n = s->operations > 0 ? (double)s->operations : 1;
    cells[0] = tcf_uint(s->operations);
    cells[1] = tcf_seconds(self, (double)s->lateness / n);
    cells[2] = tcf_seconds(self, (double)s->most_late);
    cells[3] = tcf_seconds(self, (double)s->differential);
    cells[4] = tcf_seconds(self, (double)s->most_differential);
    cells[5] = tcf_uint(s->lateness);
    cells[6] = tcf_uint(s->most_late);
    cells[7] = tcf_uint(s->differential);
    cells[8] = tcf_uint(s->most_differential);
}

static tcf_cell process_name(const tcf_self *self, uint32_t location)
{
    const uint32_t group = self->defs->locations[location].group;
    return tcf_text(group < self->defs->n_location_groups ? self->defs->location_groups[group].name : "(unknown)");
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
        {"location", TCF_CELL_TEXT, NULL, "Name of the location"},
        SUMS_COLUMNS,
        {"last_step", TCF_CELL_UINT, NULL, "The step that the location has come to"},
        {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
    };
    tcf_table *t = self->host->table(self, "lateness", "Lateness by location", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; t && l < self->defs->n_locations; l++) {
        const struct lane *k = tcf_location_state(self, l);
        if (k->sums.operations == 0)
            continue;
        tcf_cell cells[MOST_COLUMNS] = {process_name(self, l), tcf_text(self->defs->locations[l].name)};
        sums_cells(self, cells + 2, &k->sums);
        cells[2 + SUMS] = tcf_uint(k->clock);
        cells[3 + SUMS] = tcf_uint(self->defs->locations[l].id);
        self->host->row(t, cells);
    }
    return t ? TCF_OK : TCF_ERROR;
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

typedef struct ranked {
    struct sums sums;
    uint32_t callpath, place;
} ranked;

static int order_paths(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->sums.differential != y->sums.differential)
        return x->sums.differential > y->sums.differential ? -1 : 1;
    if (x->sums.lateness != y->sums.lateness)
        return x->sums.lateness > y->sums.lateness ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

static void put_together(struct sums *to, const struct sums *from)
{
    to->operations += from->operations;
    to->lateness += from->lateness;
    to->differential += from->differential;
    to->most_late = from->most_late > to->most_late ? from->most_late : to->most_late;
    to->most_differential =
        from->most_differential > to->most_differential ? from->most_differential : to->most_differential;
}

/* Call paths of the same names as one. The caller's to free; NULL: out of memory. */
static ranked *rank_paths(const struct state *st, const struct paths *p, uint32_t *n)
{
    ranked *rows = calloc(p->n + 1ul, sizeof *rows);
    *n = 0;
    for (uint32_t i = 0; rows && i < p->n; i++)
        rows[i] = (ranked){.callpath = i, .place = p->place[i]};
    for (uint32_t i = 0; rows && i < p->n && i < st->n_by_path; i++)
        put_together(&rows[p->same[i]].sums, &st->by_path[i]);
    for (uint32_t i = 0; rows && i < p->n; i++)
        if (rows[i].sums.operations > 0)
            rows[(*n)++] = rows[i];
    if (*n > 0)
        qsort(rows, *n, sizeof *rows, order_paths);
    return rows;
}

static tcf_status report_calls(tcf_self *self, struct paths *p)
{
    static const tcf_table_column columns[] = {
        SUMS_COLUMNS,
        {"callpath", TCF_CELL_TEXT, NULL, "Call path of the operation; empty: outside of any region"},
    };
    const struct conf *conf = self->conf;
    uint32_t n;
    ranked *rows = rank_paths(self->state, p, &n);
    tcf_table *t = self->host->table(self, "calls", "Lateness by call path", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; rows && t && i < n && (conf->top == 0 || i < conf->top); i++) {
        tcf_cell cells[MOST_COLUMNS];
        sums_cells(self, cells, &rows[i].sums);
        cells[SUMS] = tcf_text(path_text(p, rows[i].callpath));
        self->host->row(t, cells);
    }
    free(rows);
    return rows && t && !p->out_of_memory ? TCF_OK : TCF_ERROR;
}

/* -------------------------------------------------------------------------------------------------------- series -- */

static tcf_status report_steps(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"from_step", TCF_CELL_UINT, NULL, "First step of the bin"},
        {"steps", TCF_CELL_UINT, NULL, "How many steps it has"},
        {"earliest", TCF_CELL_DOUBLE, "s", "First completion of an operation, since the start of the trace"},
        {"latest", TCF_CELL_DOUBLE, "s", "Last completion"},
        SUMS_COLUMNS,
        {"earliest_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "First completion, as a timestamp of the trace"},
        {"latest_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Last completion, likewise"},
    };
    const struct series *of = &((const struct state *)self->state)->over_steps;
    tcf_table *t = self->host->table(self, "steps", "Lateness over logical steps", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < time_bins_in_use(&of->range); i++) {
        const struct bin *b = &of->at[i];
        if (b->sums.operations == 0)
            continue;
        const uint64_t from = (uint64_t)time_bins_start(&of->range, i), width = UINT64_C(1) << of->range.level;
        tcf_cell cells[MOST_COLUMNS] = {tcf_uint(from), tcf_uint(width), tcf_when(self, b->earliest),
                                        tcf_when(self, b->latest)};
        sums_cells(self, cells + 4, &b->sums);
        cells[4 + SUMS] = tcf_uint(b->earliest);
        cells[5 + SUMS] = tcf_uint(b->latest);
        self->host->row(t, cells);
    }
    return t ? TCF_OK : TCF_ERROR;
}

static tcf_status report_times(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"from", TCF_CELL_DOUBLE, "s", "Start of the bin, since the start of the trace"},
        {"width", TCF_CELL_DOUBLE, "s", "Its length"},
        SUMS_COLUMNS,
        {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
        {"width_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As width"},
    };
    const struct series *of = &((const struct state *)self->state)->over_time;
    tcf_table *t = self->host->table(self, "over_time", "Lateness over time, operations by their completion", columns,
                                     TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < time_bins_in_use(&of->range); i++) {
        const struct bin *b = &of->at[i];
        if (b->sums.operations == 0)
            continue;
        const int64_t from = time_bins_start(&of->range, i);
        const uint64_t width = UINT64_C(1) << of->range.level;
        tcf_cell cells[MOST_COLUMNS] = {tcf_when(self, of->range.origin + (uint64_t)from),
                                        tcf_seconds(self, (double)width)};
        sums_cells(self, cells + 2, &b->sums);
        cells[2 + SUMS] = tcf_uint(of->range.origin + (uint64_t)from);
        cells[3 + SUMS] = tcf_uint(width);
        self->host->row(t, cells);
    }
    return t ? TCF_OK : TCF_ERROR;
}

/* --------------------------------------------------------------------------------------------------------- worst -- */

static tcf_status report_worst(tcf_self *self, struct paths *p)
{
    static const tcf_table_column columns[] = {
        {"differential", TCF_CELL_DOUBLE, "s", "Differential lateness"},
        {"lateness", TCF_CELL_DOUBLE, "s", "Lateness"},
        {"step", TCF_CELL_UINT, NULL, "Logical step"},
        {"completed", TCF_CELL_DOUBLE, "s", "Completion, since the start of the trace"},
        {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
        {"differential_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As differential"},
        {"lateness_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As lateness"},
        {"completed_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Completion as a timestamp of the trace"},
        {"location_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
        {"callpath", TCF_CELL_TEXT, NULL, "Call path of the operation; empty: outside of any region"},
    };
    const struct state *st = self->state;
    tcf_table *t = self->host->table(self, "worst", "Operations with the largest differential lateness", columns,
                                     TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < st->n_worst; i++) {
        const struct instance *x = &st->worst[i];
        const tcf_cell cells[] = {tcf_seconds(self, (double)x->differential),
                                  tcf_seconds(self, (double)x->lateness),
                                  tcf_uint(x->step),
                                  tcf_when(self, x->end),
                                  process_name(self, x->location),
                                  tcf_uint(x->differential),
                                  tcf_uint(x->lateness),
                                  tcf_uint(x->end),
                                  tcf_uint(self->defs->locations[x->location].id),
                                  tcf_text(path_text(p, x->callpath))};
        self->host->row(t, cells);
    }
    return t && !p->out_of_memory ? TCF_OK : TCF_ERROR;
}

static tcf_status report_limits(tcf_self *self)
{
    const struct counts *n = &((const struct state *)self->state)->counts;
    const struct limit rows[] = {
        {"max_steps",
         "steps were closed before all locations had passed them (max_steps, max_pending): their lateness "
         "may be larger than told",
         n->forced, 1},
        {"behind", "operations came to steps that were closed, and count with what was known there", n->behind, 1},
        {"fell_out", "operations came to steps that are no more in the table, and count for nothing", n->fell_out, 1},
        {"forgotten", "messages come from steps that are no more in the table: differential lateness may be too large",
         n->forgotten, 1},
        {"max_pending", "messages had no room: differential lateness may be too large", n->no_room, 1},
        {"depth", "records stand in operations that were nested too deeply, and were taken for part of another one",
         n->too_deep, 1},
    };
    return report_limit_rows(self, rows, TCF_COUNT(rows), " reached");
}

tcf_status report(tcf_self *self)
{
    struct paths p;
    if (paths_begin(&p, self) != TCF_OK)
        return TCF_ERROR;
    const int failed = report_locations(self) != TCF_OK || report_calls(self, &p) != TCF_OK ||
                       report_steps(self) != TCF_OK || report_times(self) != TCF_OK ||
                       report_worst(self, &p) != TCF_OK || report_limits(self) != TCF_OK;
    paths_free(&p);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
