/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* message_histogram's tables of results: sums over locations. Runs once, at the end. */
#include "message_histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    uint64_t from, to, width;
    flow of[2];
    tcf_process_names process;
} row;

#define AT(member) TCF_AT(row, member)

/* With by_process alone: the columns of the process, the last ones. */
static const tcf_table_column size_columns[] = {
    {"from", AT(from), "bytes", "Smallest size of the bin"},
    {"to", AT(to), "bytes", "Largest size of the bin; 2^64 - 1: no limit"},
    {"sent", AT(of[SENT].messages), "messages", "Messages as senders recorded them"},
    {"received", AT(of[RECEIVED].messages), "messages", "Messages as receivers recorded them"},
    {"bytes_sent", AT(of[SENT].bytes) | TCF_CELL_LEADS, "bytes", "Bytes of the messages sent"},
    {"bytes_received", AT(of[RECEIVED].bytes), "bytes", "Bytes of the messages received"},
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
};

static const tcf_table_column time_columns[] = {
    {"from", AT(from) | TCF_CELL_WHEN, "s", "Start of the bin, since the start of the trace"},
    {"width", AT(width) | TCF_CELL_SECONDS, "s", "Its length"},
    {"sent", AT(of[SENT].messages), "messages", "Messages as senders recorded them"},
    {"received", AT(of[RECEIVED].messages), "messages", "Messages as receivers recorded them"},
    {"bytes_sent", AT(of[SENT].bytes) | TCF_CELL_LEADS, "bytes", "Bytes of the messages sent"},
    {"bytes_received", AT(of[RECEIVED].bytes), "bytes", "Bytes of the messages received"},
    {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "Start of the bin as a timestamp of the trace"},
    {"width_ticks", AT(width) | TCF_CELL_DETAIL, "ticks", "width in ticks"},
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
};

enum { PROCESS_COLUMNS = 3 };

typedef struct work {
    tcf_self *self;
    const conf *conf;
    flow (*sizes)[2], (*over_time)[2]; /* of all, or of the process at hand */
    time_bins time;                    /* of all */
    tcf_processes processes;
    uint32_t process; /* the one at hand; TCF_NONE: all of them */
    tcf_table *by_size, *by_time;
} work;

static void add_row(const work *w, tcf_table *t, const flow f[2], row r)
{
    memcpy(r.of, f, sizeof r.of);
    if (w->process != TCF_NONE)
        r.process = tcf_process_names_of(&w->processes, w->self->defs, w->process);
    tcf_row(w->self, t, &r);
}

/* Makes the bins of time reach over the whole run. */
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
        flows_add(w->sizes[k], p->sizes[k]);
    for (uint32_t k = 0; k < time_bins_in_use(&p->time); k++)
        flows_add(w->over_time[time_bins_moved(&m, k)], p->over_time[k]);
}

static uint64_t smallest_in(const conf *c, uint32_t bin)
{
    if (c->bin_bytes > 0)
        return bin * c->bin_bytes;
    return bin == 0 ? 0 : UINT64_C(1) << (bin - 1);
}

/* The first bin of sizes that holds anything; their number: there are no messages. */
static uint32_t smallest_bin(const work *w)
{
    uint32_t first = 0;
    while (first < size_bins(w->conf) && is_empty(w->sizes[first]))
        first++;
    return first;
}

/* All bins from the first to the last one that holds anything. */
static void size_rows(const work *w)
{
    const uint32_t first = smallest_bin(w), all = size_bins(w->conf);
    uint32_t end = all;
    while (end > first && is_empty(w->sizes[end - 1]))
        end--;
    for (uint32_t k = first; k < end; k++)
        add_row(w, w->by_size, w->sizes[k],
                (row){.from = smallest_in(w->conf, k),
                      .to = k + 1 < all ? smallest_in(w->conf, k + 1) - 1 : UINT64_MAX});
}

/* The whole run, unless there are no messages. */
static void time_rows(const work *w)
{
    const time_bins *b = &w->time;
    if (smallest_bin(w) == size_bins(w->conf))
        return;
    for (uint32_t k = 0; k < time_bins_in_use(b); k++)
        if (!w->conf->by_process || !is_empty(w->over_time[k]))
            add_row(w, w->by_time, w->over_time[k],
                    (row){.from = b->origin + (uint64_t)time_bins_start(b, k), .width = UINT64_C(1) << b->level});
}

static void start_tables(work *w)
{
    const tcf_host *host = w->self->host;
    const uint32_t less = w->conf->by_process ? 0 : PROCESS_COLUMNS;
    w->by_size = host->table(w->self, "sizes", "Messages by size", size_columns, TCF_COUNT(size_columns) - less);
    w->by_time = host->table(w->self, "over_time", "Messages over time", time_columns, TCF_COUNT(time_columns) - less);
}

typedef struct member {
    uint32_t process, location;
} member;

static int order_members(const void *a, const void *b)
{
    const member *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->process, y->process), TCF_ORDER(x->location, y->location));
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
    if (members)
        tcf_sort(members, n, sizeof *members, order_members);
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

/* Warns of messages that did not fit into the bins that were asked for. */
static void warn(const work *w)
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
        start_tables(&w);
        failed = c->by_process && write_processes(&w) != 0;
        clear(&w);
        add_all(&w);
        if (!failed && !c->by_process) {
            size_rows(&w);
            time_rows(&w);
        }
        warn(&w);
    }
    tcf_processes_free(&w.processes);
    free(w.sizes);
    free(w.over_time);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
