/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* message_histogram's tables of results: sums over locations. Runs once, at the end. */
#include "message_histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLOWS                                                                                                          \
    {"sent", TCF_CELL_UINT, "messages", "Messages as senders recorded them"},                                          \
        {"received", TCF_CELL_UINT, "messages", "Messages as receivers recorded them"},                                \
        {"bytes_sent", TCF_CELL_UINT | TCF_CELL_LEADS, "bytes", "Bytes of the messages sent"},                         \
    {                                                                                                                  \
        "bytes_received", TCF_CELL_UINT, "bytes", "Bytes of the messages received"                                     \
    }

/* With by_process; the last ones of a table. */
#define PROCESS TCF_PROCESS_RANK_COLUMN, TCF_PROCESS_ID_COLUMN("process_id"), TCF_PROCESS_NAME_COLUMN
enum { PROCESS_COLUMNS = 3 };

static const tcf_table_column size_columns[] = {
    {"from", TCF_CELL_UINT, "bytes", "Smallest size of the bin"},
    {"to", TCF_CELL_UINT, "bytes", "Largest size of the bin; 2^64 - 1: no limit"},
    FLOWS,
    PROCESS,
};

static const tcf_table_column time_columns[] = {
    {"from", TCF_CELL_DOUBLE, "s", "Start of the bin, since the start of the trace"},
    {"width", TCF_CELL_DOUBLE, "s", "Its length"},
    FLOWS,
    {"from_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As width"},
    PROCESS,
};

typedef struct work {
    tcf_self *self;
    const conf *conf;
    flow (*sizes)[2], (*over_time)[2]; /* of all, or of the process at hand */
    time_bins time;                    /* of all */
    tcf_processes processes;
    uint32_t process; /* the one at hand; TCF_NONE: all of them */
    tcf_table *by_size, *by_time;
} work;

static void add(flow to[2], const flow from[2])
{
    for (int way = SENT; way <= RECEIVED; way++) {
        to[way].messages += from[way].messages;
        to[way].bytes += from[way].bytes;
    }
}

static int is_empty(const flow f[2])
{
    return f[SENT].messages == 0 && f[RECEIVED].messages == 0;
}

static void put_flows(tcf_cell *c, const flow f[2])
{
    c[0] = tcf_uint(f[SENT].messages);
    c[1] = tcf_uint(f[RECEIVED].messages);
    c[2] = tcf_uint(f[SENT].bytes);
    c[3] = tcf_uint(f[RECEIVED].bytes);
}

/* The bins of time reach over the whole run. */
static void reach_all(work *w)
{
    time_bins_move m;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++) {
        const place *p = tcf_location_state(w->self, l);
        if (!p->sizes)
            continue;
        time_bins_reach(&w->time, w->time.origin + (uint64_t)p->time.low, &m);
        time_bins_reach(&w->time, w->time.origin + (uint64_t)p->time.high, &m);
    }
}

static void add_location(work *w, uint32_t location)
{
    const place *p = tcf_location_state(w->self, location);
    if (!p->sizes)
        return;
    const time_bins_move m = time_bins_into(&p->time, &w->time);
    for (uint32_t k = 0; k < size_bins(w->conf); k++)
        add(w->sizes[k], p->sizes[k]);
    for (uint32_t k = 0; k < time_bins_in_use(&p->time); k++)
        add(w->over_time[time_bins_moved(&m, k)], p->over_time[k]);
}

static uint64_t smallest_in(const conf *c, uint32_t bin)
{
    if (c->bin_bytes > 0)
        return bin * c->bin_bytes;
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

static void put_process(const work *w, tcf_cell *c)
{
    if (w->process == TCF_NONE)
        return;
    c[0] = tcf_process_rank_cell(&w->processes, w->process);
    c[1] = tcf_process_id_cell(&w->processes, w->self->defs, w->process);
    c[2] = tcf_process_name_cell(&w->processes, w->self->defs, w->process);
}

/* All bins from the first to the last one that holds anything. */
static void size_rows(const work *w)
{
    uint32_t first = 0, end = size_bins(w->conf);
    const uint32_t all = end;
    while (first < end && is_empty(w->sizes[first]))
        first++;
    while (end > first && is_empty(w->sizes[end - 1]))
        end--;
    for (uint32_t k = first; k < end; k++) {
        tcf_cell cells[TCF_COUNT(size_columns)];
        cells[0] = tcf_uint(smallest_in(w->conf, k));
        cells[1] = tcf_uint(k + 1 < all ? smallest_in(w->conf, k + 1) - 1 : UINT64_MAX);
        put_flows(cells + 2, w->sizes[k]);
        put_process(w, cells + 6);
        w->self->host->row(w->by_size, cells);
    }
}

static void time_rows(const work *w)
{
    const time_bins *b = &w->time;
    for (uint32_t k = 0; k < time_bins_in_use(b); k++) {
        const int64_t from = time_bins_start(b, k);
        const uint64_t width = UINT64_C(1) << b->level;
        tcf_cell cells[TCF_COUNT(time_columns)];
        if (w->conf->by_process && is_empty(w->over_time[k]))
            continue;
        cells[0] = tcf_when(w->self, b->origin + (uint64_t)from);
        cells[1] = tcf_seconds(w->self, (double)width);
        put_flows(cells + 2, w->over_time[k]);
        cells[6] = tcf_uint(b->origin + (uint64_t)from);
        cells[7] = tcf_uint(width);
        put_process(w, cells + 8);
        w->self->host->row(w->by_time, cells);
    }
}

static int start_tables(work *w)
{
    const tcf_host *host = w->self->host;
    const uint32_t less = w->conf->by_process ? 0 : PROCESS_COLUMNS;
    w->by_size = host->table(w->self, "sizes", "Messages by size", size_columns, TCF_COUNT(size_columns) - less);
    w->by_time = host->table(w->self, "over_time", "Messages over time", time_columns, TCF_COUNT(time_columns) - less);
    return w->by_size && w->by_time ? 0 : -1;
}

typedef struct member {
    uint32_t process, location;
} member;

static int order_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return x->location < y->location ? -1 : x->location > y->location;
}

static void clear(const work *w)
{
    memset(w->sizes, 0, size_bins(w->conf) * sizeof *w->sizes);
    memset(w->over_time, 0, (size_t)w->conf->time_bins * sizeof *w->over_time);
}

static int write_processes(work *w)
{
    const uint32_t n = w->self->defs->n_locations;
    member *members = malloc((n + 1ul) * sizeof *members);
    for (uint32_t l = 0; members && l < n; l++)
        members[l] = (member){w->processes.of[l], l};
    if (members && n > 0)
        qsort(members, n, sizeof *members, order_members);
    for (uint32_t i = 0; members && i < n;) {
        w->process = members[i].process;
        clear(w);
        for (; i < n && members[i].process == w->process; i++)
            add_location(w, members[i].location);
        size_rows(w);
        time_rows(w);
    }
    free(members);
    return members ? 0 : -1;
}

static void add_all(work *w)
{
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++)
        add_location(w, l);
}

/* What did not fit into the bins that were asked for. */
static void tell(const work *w)
{
    const conf *c = w->conf;
    const flow *last = w->sizes[size_bins(c) - 1];
    if (c->bin_bytes > 0 && !is_empty(last))
        w->self->host->log(w->self, TCF_LOG_WARNING,
                           "%" PRIu64 " sends and receives stand in the last of max_bins = %" PRId64
                           " bins, which is open: they may be larger than bin_bytes beyond its start",
                           last[SENT].messages + last[RECEIVED].messages, c->max_bins);
}

tcf_status histogram_report(tcf_self *self)
{
    const conf *c = self->conf;
    work w = {.self = self,
              .conf = c,
              .time = time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset),
              .process = TCF_NONE};
    w.sizes = calloc(size_bins(c), sizeof *w.sizes);
    w.over_time = calloc((size_t)c->time_bins, sizeof *w.over_time);
    int failed = !w.sizes || !w.over_time || tcf_processes_find(&w.processes, self->defs) != 0;
    if (!failed) {
        reach_all(&w);
        failed = start_tables(&w) != 0 || (c->by_process && write_processes(&w) != 0);
        clear(&w);
        add_all(&w);
        if (!failed && !c->by_process) {
            size_rows(&w);
            time_rows(&w);
        }
        tell(&w);
    }
    tcf_processes_free(&w.processes);
    free(w.sizes);
    free(w.over_time);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
