/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* load_imbalance's tables of results. Runs once, at the end. */
#include "../shared/regions/region_names.h"
#include "load_imbalance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcflow/times.h>

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *region;
    uint64_t region_id, place, inside;
    double imbalance, imbalance_inside, mean, share;
    uint64_t max, total, idle;
    tcf_process_names process;
} row;

#define AT(member) TCF_AT(row, member)

static const tcf_table_column region_columns[] = {
    {"imbalance", AT(imbalance), NULL, "Largest load, divided by the mean over all processes"},
    {"imbalance_inside", AT(imbalance_inside), NULL, "The same over the processes that entered the region"},
    {"max", AT(max) | TCF_CELL_SECONDS, "s", "Largest load of a process"},
    {"mean", AT(mean) | TCF_CELL_SECONDS, "s", "Mean over all processes"},
    {"total", AT(total) | TCF_CELL_SECONDS, "s", "Of all processes together"},
    {"processes", AT(inside), NULL, "How many processes entered the region"},
    {"max_ticks", AT(max) | TCF_CELL_DETAIL, "ticks", "max in ticks"},
    {"total_ticks", AT(total) | TCF_CELL_DETAIL, "ticks", "total in ticks"},
    {"region_id", AT(region_id) | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    {"region", AT(region), NULL, "Name of the region"},
};

static const tcf_table_column worst_columns[] = {
    {"place", AT(place), NULL, "1: the process with the largest load in the region"},
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
    {"load", AT(max) | TCF_CELL_SECONDS, "s", "Exclusive time in the region"},
    {"load_ticks", AT(max) | TCF_CELL_DETAIL, "ticks", "load in ticks"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"region_id", AT(region_id) | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind"},
    {"region", AT(region), NULL, "Name of the region"},
};

static const tcf_table_column idle_columns[] = {
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
    {"idle", AT(idle) | TCF_CELL_SECONDS, "s", "Time in idle regions"},
    {"share", AT(share), "%", "Of the time in all regions"},
    {"time", AT(total) | TCF_CELL_SECONDS, "s", "Time in all regions, of all locations of the process"},
    {"idle_ticks", AT(idle) | TCF_CELL_DETAIL, "ticks", "idle in ticks"},
    {"time_ticks", AT(total) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
};

/* Shares [from, to) of a region, sorted by load. */
typedef struct range {
    uint32_t from, to;
    uint64_t total;
} range;

typedef struct idler {
    uint32_t process;
    uint64_t idle, all;
} idler;

/* --------------------------------------------------------------------------------------------------------- names -- */

static uint64_t region_id(const tcf_self *self, uint32_t region)
{
    return region == BEYOND ? UINT32_MAX : tcf_id(self->defs, TCF_REF_REGION, region, UINT32_MAX);
}

static const char *region_name(const tcf_self *self, uint32_t region, char buffer[REGION_NAME])
{
    return region == BEYOND ? "(beyond max_regions)" : region_name_of(self->defs, region, NULL, buffer);
}

/* --------------------------------------------------------------------------------------------------------- order -- */

static int order_shares(const void *a, const void *b)
{
    const share *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->region, y->region), TCF_ORDER(y->ticks, x->ticks), TCF_ORDER(x->process, y->process));
}

static int order_ranges(const void *a, const void *b)
{
    const range *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->total, x->total), TCF_ORDER(x->from, y->from));
}

static int order_idlers(const void *a, const void *b)
{
    const idler *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->idle, x->idle), TCF_ORDER(x->process, y->process));
}

/* Sorts the shares, and returns their ranges by region, most time first. The caller frees them. NULL: out of memory. */
static range *find_ranges(shares *s, uint32_t *n)
{
    range *all = malloc((s->n + 1ul) * sizeof *all);
    *n = 0;
    if (!all)
        return NULL;
    tcf_sort(s->at, s->n, sizeof *s->at, order_shares);
    for (uint32_t i = 0; i < s->n; i++) {
        if (i == 0 || s->at[i].region != s->at[i - 1].region)
            all[(*n)++] = (range){.from = i};
        all[*n - 1].to = i + 1;
        all[*n - 1].total = tcf_ticks_sum(all[*n - 1].total, s->at[i].ticks);
    }
    tcf_sort(all, *n, sizeof *all, order_ranges);
    return all;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static double ratio(uint64_t max, uint64_t n, uint64_t total)
{
    return total != 0 ? (double)max * (double)n / (double)total : 1;
}

static void region_row(const tcf_self *self, tcf_table *t, const range *r)
{
    const state *st = self->state;
    const share *x = &st->all.at[r->from];
    const uint64_t inside = r->to - r->from, all = st->counts.n;
    char buffer[REGION_NAME];
    tcf_row(self, t,
            &(row){.imbalance = ratio(x->ticks, all, r->total),
                   .imbalance_inside = ratio(x->ticks, inside, r->total),
                   .max = x->ticks,
                   .mean = (double)r->total / (double)all,
                   .total = r->total,
                   .inside = inside,
                   .region_id = region_id(self, x->region),
                   .region = region_name(self, x->region, buffer)});
}

static void worst_rows(const tcf_self *self, tcf_table *t, const range *r)
{
    const state *st = self->state;
    const int64_t most = ((const conf *)self->conf)->worst;
    for (uint32_t i = r->from; i < r->to && i - r->from < most; i++) {
        const share *x = &st->all.at[i];
        char buffer[REGION_NAME];
        tcf_row(self, t,
                &(row){.place = i - r->from + 1,
                       .process = tcf_process_names_of(&st->processes, self->defs, x->process),
                       .max = x->ticks,
                       .region_id = region_id(self, x->region),
                       .region = region_name(self, x->region, buffer)});
    }
}

static int write_idle(tcf_self *self)
{
    const state *st = self->state;
    const uint32_t processes = st->processes.n;
    tcf_table *t = TCF_TABLE(self, "idle_time", "Idle time of each process", idle_columns);
    idler *idlers = calloc(processes + 1ul, sizeof *idlers);
    if (idlers) {
        for (uint32_t i = 0; i < processes; i++)
            idlers[i] = (idler){.process = i, .idle = st->idle_time[i]};
        for (uint32_t i = 0; i < st->all.n; i++) {
            idler *of = &idlers[st->all.at[i].process];
            of->all = tcf_ticks_sum(of->all, st->all.at[i].ticks);
        }
        qsort(idlers, processes, sizeof *idlers, order_idlers);
    }
    for (uint32_t i = 0; idlers && i < processes; i++) {
        const idler *x = &idlers[i];
        if (tcf_map_get(&st->counts, x->process, 0) != TCF_MAP_ABSENT)
            tcf_row(self, t,
                    &(row){.process = tcf_process_names_of(&st->processes, self->defs, x->process),
                           .idle = x->idle,
                           .share = x->all != 0 ? 100 * (double)x->idle / (double)x->all : 0,
                           .total = x->all});
    }
    free(idlers);
    return idlers ? 0 : -1;
}

static void warn(const tcf_self *self)
{
    const state *st = self->state;
    int beyond = 0;
    for (uint32_t i = 0; i < st->all.n; i++)
        beyond |= st->all.at[i].region == BEYOND;
    tcf_warn(self, st->not_counted, "visits deeper than any sane stack were not counted");
    if (beyond)
        self->host->log(self, TCF_LOG_WARNING,
                        "a location has more regions than max_regions = %" PRId64
                        "; the time of those beyond stands in '(beyond max_regions)'",
                        ((const conf *)self->conf)->max_regions);
}

tcf_status imbalance_report(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    uint32_t n;
    range *ranges = find_ranges(&st->all, &n);
    tcf_table *regions = TCF_TABLE(self, "load_imbalance", "Load imbalance by region", region_columns);
    tcf_table *worst =
        TCF_TABLE(self, "worst_processes", "Processes with the largest load of each region", worst_columns);
    for (uint32_t r = 0; ranges && r < n && (c->top == 0 || r < c->top); r++) {
        region_row(self, regions, &ranges[r]);
        worst_rows(self, worst, &ranges[r]);
    }
    const int failed = !ranges || write_idle(self) != 0;
    free(ranges);
    if (failed)
        return self->host->fail(self, "out of memory for the tables of results");
    warn(self);
    return TCF_OK;
}
