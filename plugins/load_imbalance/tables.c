/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* load_imbalance's tables of results. Runs once, at the end. */
#include "load_imbalance.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const tcf_table_column region_columns[] = {
    {"imbalance", TCF_CELL_DOUBLE, NULL, "Largest load, divided by the mean over all processes"},
    {"imbalance_inside", TCF_CELL_DOUBLE, NULL, "The same over the processes that entered the region"},
    {"max", TCF_CELL_DOUBLE, "s", "Largest load of a process"},
    {"mean", TCF_CELL_DOUBLE, "s", "Mean over all processes"},
    {"total", TCF_CELL_DOUBLE, "s", "Of all processes together"},
    {"processes", TCF_CELL_UINT, NULL, "How many processes entered the region"},
    {"max_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As max"},
    {"total_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As total"},
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    {"region", TCF_CELL_TEXT, NULL, "Name of the region"},
};

static const tcf_table_column worst_columns[] = {
    {"place", TCF_CELL_UINT, NULL, "1: the process with the largest load in the region"},
    TCF_PROCESS_RANK_COLUMN,
    TCF_PROCESS_NAME_COLUMN,
    {"load", TCF_CELL_DOUBLE, "s", "Exclusive time in the region"},
    {"load_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As load"},
    TCF_PROCESS_ID_COLUMN("process_id"),
    {"region_id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    {"region", TCF_CELL_TEXT, NULL, "Name of the region"},
};

static const tcf_table_column idle_columns[] = {
    TCF_PROCESS_RANK_COLUMN,
    TCF_PROCESS_NAME_COLUMN,
    {"idle", TCF_CELL_DOUBLE, "s", "Time in idle regions"},
    {"share", TCF_CELL_DOUBLE, "%", "Of the time in all regions"},
    {"time", TCF_CELL_DOUBLE, "s", "Time in all regions, of all locations of the process"},
    {"idle_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As idle"},
    {"time_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "As time"},
    TCF_PROCESS_ID_COLUMN("process_id"),
};

/* Shares [from, to) of a region, sorted by load. */
typedef struct range {
    uint32_t from, to;
    int64_t total;
} range;

typedef struct idler {
    uint32_t process;
    int64_t idle, all;
} idler;

/* --------------------------------------------------------------------------------------------------------- names -- */

static uint64_t region_id(const tcf_self *self, uint32_t region)
{
    return region == BEYOND ? UINT32_MAX : tcf_id(self->defs, TCF_REF_REGION, region, UINT32_MAX);
}

static const char *region_name(const tcf_self *self, uint32_t region, char buffer[32])
{
    if (region == BEYOND)
        return "(beyond max_regions)";
    if (region < self->defs->n_regions && tcf_region_at(self->defs, region)->name)
        return tcf_region_at(self->defs, region)->name;
    snprintf(buffer, 32, "region#%" PRIu64, region_id(self, region));
    return buffer;
}

/* --------------------------------------------------------------------------------------------------------- order -- */

static int order_shares(const void *a, const void *b)
{
    const share *x = a, *y = b;
    if (x->region != y->region)
        return x->region < y->region ? -1 : 1;
    if (x->ticks != y->ticks)
        return x->ticks > y->ticks ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

static int order_ranges(const void *a, const void *b)
{
    const range *x = a, *y = b;
    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static int order_idlers(const void *a, const void *b)
{
    const idler *x = a, *y = b;
    if (x->idle != y->idle)
        return x->idle > y->idle ? -1 : 1;
    return x->process < y->process ? -1 : x->process > y->process;
}

/* Sorts the shares; their ranges by region, most time first. The caller's to free. */
static range *find_ranges(shares *s, uint32_t *n)
{
    range *all = malloc((s->n + 1ul) * sizeof *all);
    *n = 0;
    if (!all)
        return NULL;
    if (s->n > 0)
        qsort(s->at, s->n, sizeof *s->at, order_shares);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i == 0 || s->at[i].region != s->at[i - 1].region)
            all[(*n)++] = (range){.from = i};
        all[*n - 1].to = i + 1;
        all[*n - 1].total += s->at[i].ticks;
    }
    if (*n > 0)
        qsort(all, *n, sizeof *all, order_ranges);
    return all;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static double ratio(int64_t max, uint64_t n, int64_t total)
{
    return total != 0 ? (double)max * (double)n / (double)total : 1;
}

static void region_row(const tcf_self *self, tcf_table *t, const range *r)
{
    const state *st = self->state;
    const share *x = &st->all.at[r->from];
    const uint64_t inside = r->to - r->from, all = st->counts.n;
    char buffer[32];
    const tcf_cell cells[TCF_COUNT(region_columns)] = {
        tcf_double(ratio(x->ticks, all, r->total)),
        tcf_double(ratio(x->ticks, inside, r->total)),
        tcf_seconds(self, (double)x->ticks),
        tcf_seconds(self, (double)r->total / (double)all),
        tcf_seconds(self, (double)r->total),
        tcf_uint(inside),
        tcf_int(x->ticks),
        tcf_int(r->total),
        tcf_uint(region_id(self, x->region)),
        tcf_text(region_name(self, x->region, buffer)),
    };
    self->host->row(t, cells);
}

static void worst_rows(const tcf_self *self, tcf_table *t, const range *r)
{
    const state *st = self->state;
    const int64_t most = ((const conf *)self->conf)->worst;
    for (uint32_t i = r->from; i < r->to && i - r->from < most; i++) {
        const share *x = &st->all.at[i];
        char buffer[32];
        const tcf_cell cells[TCF_COUNT(worst_columns)] = {
            tcf_uint(i - r->from + 1),
            tcf_process_rank_cell(&st->processes, x->process),
            tcf_process_name_cell(&st->processes, self->defs, x->process),
            tcf_seconds(self, (double)x->ticks),
            tcf_int(x->ticks),
            tcf_process_id_cell(&st->processes, self->defs, x->process),
            tcf_uint(region_id(self, x->region)),
            tcf_text(region_name(self, x->region, buffer)),
        };
        self->host->row(t, cells);
    }
}

static int is_idle(const tcf_self *self, uint32_t region)
{
    const tcf_list *idle = &((const conf *)self->conf)->idle;
    char buffer[32];
    for (uint32_t i = 0; i < idle->n && region != BEYOND; i++)
        if (fnmatch(idle->item[i], region_name(self, region, buffer), 0) == 0)
            return 1;
    return 0;
}

static void add_idle(const tcf_self *self, const range *ranges, uint32_t n, idler *idlers)
{
    const state *st = self->state;
    for (uint32_t r = 0; r < n; r++) {
        const int idle = is_idle(self, st->all.at[ranges[r].from].region);
        for (uint32_t i = ranges[r].from; i < ranges[r].to; i++) {
            const share *x = &st->all.at[i];
            idler *of = &idlers[x->process];
            of->all += x->ticks;
            of->idle += idle ? x->ticks : 0;
        }
    }
}

static int write_idle(tcf_self *self, const range *ranges, uint32_t n)
{
    const state *st = self->state;
    const uint32_t processes = st->processes.n;
    tcf_table *t =
        self->host->table(self, "idle_time", "Idle time of each process", idle_columns, TCF_COUNT(idle_columns));
    idler *idlers = calloc(processes + 1ul, sizeof *idlers);
    if (idlers) {
        for (uint32_t i = 0; i < processes; i++)
            idlers[i].process = i;
        add_idle(self, ranges, n, idlers);
        qsort(idlers, processes, sizeof *idlers, order_idlers);
    }
    for (uint32_t i = 0; t && idlers && i < processes; i++) {
        const idler *x = &idlers[i];
        if (tcf_map_get(&st->counts, x->process, 0) == TCF_MAP_ABSENT)
            continue;
        const tcf_cell cells[TCF_COUNT(idle_columns)] = {
            tcf_process_rank_cell(&st->processes, x->process),
            tcf_process_name_cell(&st->processes, self->defs, x->process),
            tcf_seconds(self, (double)x->idle),
            tcf_double(x->all != 0 ? 100 * (double)x->idle / (double)x->all : 0),
            tcf_seconds(self, (double)x->all),
            tcf_int(x->idle),
            tcf_int(x->all),
            tcf_process_id_cell(&st->processes, self->defs, x->process),
        };
        self->host->row(t, cells);
    }
    free(idlers);
    return t && idlers ? 0 : -1;
}

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    int beyond = 0;
    for (uint32_t i = 0; i < st->all.n; i++)
        beyond |= st->all.at[i].region == BEYOND;
    if (st->not_counted > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " visits deeper than any sane stack were not counted",
                        st->not_counted);
    if (beyond)
        self->host->log(self, TCF_LOG_WARNING,
                        "a location has more regions than max_regions = %" PRId64
                        "; the time of those beyond stands in \"(beyond max_regions)\"",
                        ((const conf *)self->conf)->max_regions);
}

tcf_status imbalance_report(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    uint32_t n;
    range *ranges = find_ranges(&st->all, &n);
    tcf_table *regions = self->host->table(self, "load_imbalance", "Load imbalance by region", region_columns,
                                           TCF_COUNT(region_columns));
    tcf_table *worst = self->host->table(self, "worst_processes", "Processes with the largest load of each region",
                                         worst_columns, TCF_COUNT(worst_columns));
    for (uint32_t r = 0; ranges && regions && worst && r < n && (c->top == 0 || r < c->top); r++) {
        region_row(self, regions, &ranges[r]);
        worst_rows(self, worst, &ranges[r]);
    }
    const int failed = !ranges || !regions || !worst || write_idle(self, ranges, n) != 0;
    free(ranges);
    if (failed)
        return self->host->fail(self, "out of memory for the tables of results");
    tell(self);
    return TCF_OK;
}
