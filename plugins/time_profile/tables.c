/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* time_profile's table of results. Runs once, at the end. */
#include "time_profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const tcf_table_column columns[] = {
    {"from", TCF_CELL_DOUBLE, "s", "Start of the bin, since the start of the trace"},
    {"width", TCF_CELL_DOUBLE, "s", "Its length"},
    {"exclusive", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Time in the region itself, within the bin, of all locations"},
    {"exclusive_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As exclusive"},
    {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As width"},
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind; 2^32 - 1: none"},
    {"region", TCF_CELL_TEXT, NULL, "Name of the region"},
    /* With by_process: */
    TCF_PROCESS_RANK_COLUMN,
    TCF_PROCESS_ID_COLUMN("process_id"),
    TCF_PROCESS_NAME_COLUMN,
};

enum { COLUMNS = TCF_COUNT(columns), PROCESS_COLUMNS = 3 };

/* A row of the grid where it stands among the others. */
typedef struct ranked {
    int64_t total;
    uint32_t row, region, process;
} ranked;

static int order_rows(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->region < y->region ? -1 : x->region > y->region;
}

/* By process, most time first. The caller's to free; NULL: out of memory. */
static ranked *rank_rows(const grid *g)
{
    ranked *rows = calloc(g->n + 1ul, sizeof *rows);
    for (uint32_t r = 0; rows && r < g->n; r++) {
        rows[r].row = r;
        rows[r].region = g->of[r].region;
        rows[r].process = g->of[r].process;
        for (uint32_t k = 0; k < g->time.n; k++)
            rows[r].total += row_at(g, r)[k];
    }
    if (rows && g->n > 0)
        qsort(rows, g->n, sizeof *rows, order_rows);
    return rows;
}

static void write_cell(const tcf_self *self, tcf_table *t, uint32_t k, int64_t ticks, const ranked *of,
                       const char *name)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t region = of->region;
    const tcf_processes *all = &((const state *)self->state)->processes;
    const time_bins *b = &((const state *)self->state)->all.time;
    const int64_t from = time_bins_start(b, k);
    const uint64_t width = UINT64_C(1) << b->level;
    const uint64_t id = region == BEYOND ? UINT32_MAX : tcf_id(defs, TCF_REF_REGION, region, UINT32_MAX);
    char text[32];
    if (!name && region < defs->n_regions)
        name = tcf_region_at(defs, region)->name;
    if (!name) {
        snprintf(text, sizeof text, "region#%" PRIu64, id);
        name = text;
    }
    tcf_cell cells[COLUMNS] = {
        tcf_when(self, b->origin + (uint64_t)from),
        tcf_seconds(self, (double)width),
        tcf_seconds(self, (double)ticks),
        tcf_int(ticks),
        tcf_uint(b->origin + (uint64_t)from),
        tcf_uint(width),
        tcf_uint(id),
        tcf_text(name),
    };
    if (all->n > 0) {
        cells[COLUMNS - 3] = tcf_process_rank_cell(all, of->process);
        cells[COLUMNS - 2] = tcf_process_id_cell(all, defs, of->process);
        cells[COLUMNS - 1] = tcf_process_name_cell(all, defs, of->process);
    }
    self->host->row(t, cells);
}

/* n rows of one process, of which so many are shown by themselves. */
static void write_bin(const tcf_self *self, tcf_table *t, const ranked *rows, uint32_t n, uint32_t shown, uint32_t k)
{
    const grid *g = &((const state *)self->state)->all;
    int64_t others = 0;
    for (uint32_t r = 0; r < n; r++) {
        const int64_t ticks = row_at(g, rows[r].row)[k];
        if (r >= shown)
            others += ticks;
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

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    if (st->not_counted > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " visits deeper than any sane stack were not counted",
                        st->not_counted);
    if (is_full(&st->all))
        self->host->log(self, TCF_LOG_WARNING,
                        "there are more regions than max_regions = %" PRId64
                        "; the time of those beyond stands in \"(beyond max_regions)\"",
                        c->max_regions);
}

tcf_status time_profile_report(tcf_self *self)
{
    const conf *c = self->conf;
    const grid *g = &((const state *)self->state)->all;
    ranked *rows = rank_rows(g);
    tcf_table *t = self->host->table(self, "time_profile", "Exclusive time by region over time", columns,
                                     c->by_process ? COLUMNS : COLUMNS - PROCESS_COLUMNS);
    if (!rows || !t) {
        free(rows);
        return self->host->fail(self, "out of memory for the table of results");
    }
    for (uint32_t r = 0, end; r < g->n; r = end) {
        for (end = r; end < g->n && rows[end].process == rows[r].process;)
            end++;
        write_process(self, t, rows + r, end - r);
    }
    free(rows);
    tell(self);
    return TCF_OK;
}
