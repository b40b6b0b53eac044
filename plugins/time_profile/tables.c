/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* time_profile's table of results. Runs once, at the end. */
#include "../shared/regions/region_names.h"
#include "time_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct row {
    uint64_t from, width, region_id;
    uint64_t ticks;
    const char *region;
    tcf_process_names process;
} row;

#define AT(member) TCF_AT(row, member)

static const tcf_table_column columns[] = {
    {"from", AT(from) | TCF_CELL_WHEN, "s", "Start of the bin, since the start of the trace"},
    {"width", AT(width) | TCF_CELL_SECONDS, "s", "Its length"},
    {"exclusive", AT(ticks) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
     "Time in the region itself, within the bin, of all locations"},
    {"exclusive_ticks", AT(ticks) | TCF_CELL_DETAIL, "ticks", "exclusive in ticks"},
    {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", AT(width) | TCF_CELL_DETAIL, "ticks", "width in ticks"},
    {"region_id", AT(region_id) | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind; 2^32 - 1: none"},
    {"region", AT(region), NULL, "Name of the region"},
    /* With by_process: */
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
};

enum { COLUMNS = TCF_COUNT(columns), PROCESS_COLUMNS = 3 };

/* A row of the grid with what rows are sorted by. */
typedef struct ranked {
    uint64_t total;
    uint32_t row, region, process;
} ranked;

static int order_rows(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->process, y->process), TCF_ORDER(y->total, x->total), TCF_ORDER(x->region, y->region));
}

/* The rows by process, most time first. The caller frees them. NULL: out of memory. */
static ranked *rank_rows(const grid *g)
{
    ranked *rows = calloc(g->n + 1ul, sizeof *rows);
    for (uint32_t r = 0; rows && r < g->n; r++) {
        rows[r].row = r;
        rows[r].region = g->of[r].region;
        rows[r].process = g->of[r].process;
        for (uint32_t k = 0; k < g->time.n; k++)
            rows[r].total = tcf_ticks_sum(rows[r].total, row_at(g, r)[k]);
    }
    if (rows)
        tcf_sort(rows, g->n, sizeof *rows, order_rows);
    return rows;
}

static void write_cell(const tcf_self *self, tcf_table *t, uint32_t k, uint64_t ticks, const ranked *of,
                       const char *name)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t region = of->region;
    const tcf_processes *all = &((const state *)self->state)->processes;
    const time_bins *b = &((const state *)self->state)->all.time;
    const uint64_t id = region == BEYOND ? UINT32_MAX : tcf_id(defs, TCF_REF_REGION, region, UINT32_MAX);
    char text[REGION_NAME];
    row r = {.from = b->origin + (uint64_t)time_bins_start(b, k),
             .width = UINT64_C(1) << b->level,
             .ticks = ticks,
             .region_id = id,
             .region = name ? name : region_name_of(defs, region, NULL, text)};
    if (all->n > 0)
        r.process = tcf_process_names_of(all, defs, of->process);
    tcf_row(self, t, &r);
}

/* Writes bin k of n rows of one process; all rows but the first `shown` are added up as one. */
static void write_bin(const tcf_self *self, tcf_table *t, const ranked *rows, uint32_t n, uint32_t shown, uint32_t k)
{
    const grid *g = &((const state *)self->state)->all;
    uint64_t others = 0;
    for (uint32_t r = 0; r < n; r++) {
        const uint64_t ticks = row_at(g, rows[r].row)[k];
        if (r >= shown)
            others = tcf_ticks_sum(others, ticks);
        else if (ticks != 0)
            write_cell(self, t, k, ticks, &rows[r], rows[r].region == BEYOND ? "(beyond max_regions)" : NULL);
    }
    if (others != 0)
        write_cell(self, t, k, others, &(ranked){.region = BEYOND, .process = rows[0].process}, "(others)");
}

static void write_process(const tcf_self *self, tcf_table *t, const ranked *rows, uint32_t n)
{
    const conf *c = self->conf;
    const grid *g = &((const state *)self->state)->all;
    const uint32_t shown = c->top > 0 && c->top < (int64_t)n ? (uint32_t)c->top : n;
    for (uint32_t k = 0; k < time_bins_in_use(&g->time); k++)
        write_bin(self, t, rows, n, shown, k);
}

static int is_full(const grid *g)
{
    for (uint32_t r = 0; r < g->n; r++)
        if (g->of[r].region == BEYOND)
            return 1;
    return 0;
}

static void warn(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    tcf_warn(self, st->not_counted, "visits deeper than any sane stack were not counted");
    if (is_full(&st->all))
        self->host->log(self, TCF_LOG_WARNING,
                        "there are more regions than max_regions = %" PRId64
                        "; the time of those beyond stands in '(beyond max_regions)'",
                        c->max_regions);
}

tcf_status time_profile_report(tcf_self *self)
{
    const conf *c = self->conf;
    const grid *g = &((const state *)self->state)->all;
    ranked *rows = rank_rows(g);
    tcf_table *t = self->host->table(self, "time_profile", "Exclusive time by region over time", columns,
                                     c->by_process ? COLUMNS : COLUMNS - PROCESS_COLUMNS);
    if (!rows)
        return self->host->fail(self, "out of memory for the table of results");
    for (uint32_t r = 0, end; r < g->n; r = end) {
        for (end = r; end < g->n && rows[end].process == rows[r].process;)
            end++;
        write_process(self, t, rows + r, end - r);
    }
    free(rows);
    warn(self);
    return TCF_OK;
}
