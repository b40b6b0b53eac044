/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of time cells. */
#include "time_cells.h"

#include <tcflow/processes.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct row {
    uint64_t row, location, locations, bins, from, width, bin, run, key, ticks;
    const char *name, *process, *node, *kind;
    int64_t rank;
} row;

#define AT(member) TCF_AT(row, member)

static const char *node_name(const tcf_definitions *defs, uint32_t location)
{
    const uint32_t node = tcf_location_at(defs, location)->node;
    return node < defs->n_system_tree_nodes ? tcf_system_tree_node_at(defs, node)->name : NULL;
}

static const char *kind_of(const tcf_definitions *defs, const time_rows *rows, uint32_t location)
{
    if (rows->by != TIME_ROWS_LOCATION)
        return rows->by == TIME_ROWS_PROCESS ? "process" : "node";
    const uint8_t type = tcf_location_at(defs, location)->type;
    return type == TCF_ACCELERATOR_STREAM ? "accelerator" : type == TCF_METRIC_LOCATION ? "metric" : "thread";
}

static void report_row(tcf_self *self, tcf_table *t, const time_rows *rows, const tcf_processes *all, uint32_t k)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t l = rows->first[k], several = rows->locations[k] > 1 || rows->fold > 1;
    const tcf_process_names process = tcf_process_names_of(all, defs, all->of[l]);
    char name[256];
    const char *node = node_name(defs, l), *own = tcf_location_at(defs, l)->name;

    if (rows->by == TIME_ROWS_NODE)
        own = node;
    else if (rows->by == TIME_ROWS_PROCESS)
        own = process.name;
    snprintf(name, sizeof name, "%s%s", own ? own : "", rows->fold > 1 ? " ..." : "");
    tcf_row(self, t,
            &(row){.row = k,
                   .name = name,
                   .kind = kind_of(defs, rows, l),
                   .process = rows->by == TIME_ROWS_NODE ? NULL : process.name,
                   .rank = rows->by == TIME_ROWS_NODE ? -1 : process.rank,
                   .node = node,
                   .location = several ? UINT64_MAX : tcf_location_at(defs, l)->id,
                   .locations = rows->locations[k]});
}

static tcf_status report_rows(tcf_self *self, const time_cells *c, const time_rows *rows)
{
    static const tcf_table_column columns[] =
        {{"row", AT(row), NULL, "Its number; other tables name it by this"},
         {"name", AT(name), NULL, "Name of the location, process or node; of several together, of the first"},
         {"kind", AT(kind), NULL, "thread, accelerator, metric (a location each), process or node"},
         {"rank", AT(rank), NULL, "World rank of the process; -1: none"},
         {"process", AT(process), NULL, "Name of the process"},
         {"node", AT(node), NULL, "Name of the node"},
         {"location", AT(location) | TCF_CELL_OPTIONAL, NULL, "Id of the location, where the row is one"},
         {"locations", AT(locations), NULL, "How many locations the row has"}};
    tcf_processes all = {0};
    if (tcf_processes_find(&all, self->defs) != 0) {
        tcf_processes_free(&all);
        return self->host->fail(self, "out of memory for the processes");
    }
    tcf_table *t = TCF_TABLE(self, "rows", "Rows of the timeline", columns);
    for (uint32_t i = 0; i < c->n; i++)
        if (i == 0 || c->at[i].row != c->at[i - 1].row)
            report_row(self, t, rows, &all, c->at[i].row);
    tcf_processes_free(&all);
    return TCF_OK;
}

static void report_bins(tcf_self *self, const time_cells *c)
{
    static const tcf_table_column columns[] =
        {{"bins", AT(bins), NULL, "How many bins the run has, of equal width; they count from 0"},
         {"from", AT(from) | TCF_CELL_WHEN, "s", "Begin of bin 0, since the start of the trace"},
         {"width", AT(width) | TCF_CELL_SECONDS, "s", "Width of a bin"},
         {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "from as a timestamp of the trace"},
         {"width_ticks", AT(width), "ticks", "width in ticks"}};
    tcf_table *t = TCF_TABLE(self, "bins", "Bins of time", columns);
    if (c->time.used)
        tcf_row(self, t,
                &(row){.bins = time_bins_in_use(&c->time),
                       .from = c->time.origin + (uint64_t)time_bins_start(&c->time, 0),
                       .width = UINT64_C(1) << c->time.level});
}

/* Is the cell all of its row's bin? */
static int is_alone(const time_cells *c, uint32_t i)
{
    const time_cell *x = &c->at[i];
    return (i == 0 || x[-1].row != x->row || x[-1].bin != x->bin) &&
           (i + 1 == c->n || x[1].row != x->row || x[1].bin != x->bin);
}

/* How many bins from cell i on, each with one cell, are alike. */
static uint32_t run_of(const time_cells *c, uint32_t i)
{
    const time_cell *x = &c->at[i];
    uint32_t n = 1;
    if (!is_alone(c, i))
        return 1;
    while (i + n < c->n && x[n].row == x->row && x[n].key == x->key && x[n].ticks == x->ticks &&
           x[n].bin == x->bin + n && is_alone(c, i + n))
        n++;
    return n;
}

tcf_status time_cells_report(tcf_self *self, const time_cells *c, const time_rows *rows, const char *key_name,
                             const char *key_help)
{
    const tcf_table_column columns[] = {{"row", AT(row), NULL, "Number of the row"},
                                        {"bin", AT(bin), NULL, "Number of the first bin"},
                                        {"run", AT(run), NULL, "So many bins in a row are alike"},
                                        {key_name, AT(key), NULL, key_help},
                                        {"ticks", AT(ticks) | TCF_CELL_LEADS, "ticks", "Time in each of these bins"}};
    if (report_rows(self, c, rows) != TCF_OK)
        return TCF_ERROR;
    report_bins(self, c);
    tcf_table *t = TCF_TABLE(self, "cells", "Time by row and bin", columns);
    for (uint32_t i = 0, run; i < c->n; i += run) {
        const time_cell *x = &c->at[i];
        run = run_of(c, i);
        tcf_row(self, t,
                &(row){.row = x->row,
                       .bin = (uint64_t)(x->bin - c->time.first),
                       .run = run,
                       .key = x->key == TIME_CELLS_OTHERS ? UINT32_MAX : x->key,
                       .ticks = x->ticks});
    }
    return TCF_OK;
}
