/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_comp's tables of results. Runs once, at the end. */
#include "comm_comp.h"

#include <inttypes.h>

#define TIMES(whose)                                                                                                   \
    {"time", TCF_CELL_DOUBLE, "s", "From the first to the last event" whose},                                          \
        {"computation", TCF_CELL_DOUBLE, "s", "Computation alone"},                                                    \
        {"overlapped", TCF_CELL_DOUBLE, "s", "Computation and communication at the same time"},                        \
        {"communication", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Communication alone"},                               \
        {"io", TCF_CELL_DOUBLE, "s", "I/O, with neither of them"},                                                     \
        {"synchronisation", TCF_CELL_DOUBLE, "s", "Synchronisation of threads, with none of these"},                   \
        {"measurement", TCF_CELL_DOUBLE, "s", "Measurement, with none of these"},                                      \
        {"idle", TCF_CELL_DOUBLE, "s", "None of these"},                                                               \
        {"hidden", TCF_CELL_DOUBLE, "%", "Share of communication that is overlapped"},                                 \
        {"computation_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As computation"},                             \
        {"overlapped_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As overlapped"},                               \
        {"communication_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As communication"},                         \
        {"io_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As io"},                                               \
        {"synchronisation_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As synchronisation"},                     \
        {"measurement_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As measurement"},                             \
    {                                                                                                                  \
        "idle_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As idle"                                              \
    }

static const tcf_table_column process_columns[] = {
    TIMES(" of the process"), {"locations", TCF_CELL_UINT, NULL, "Locations with events"},
    TCF_PROCESS_RANK_COLUMN,  TCF_PROCESS_ID_COLUMN("id"),
    TCF_PROCESS_NAME_COLUMN,
};

static const tcf_table_column total_columns[] = {
    TIMES(" of each process"),
    {"processes", TCF_CELL_UINT, NULL, "Processes with events"},
};

static const tcf_table_column location_columns[] = {
    TIMES(" of the location"),
    {"id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
    {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
    {"location", TCF_CELL_TEXT, NULL, "Name of the location"},
};

static const tcf_table_column operation_columns[] = {
    {"posted", TCF_CELL_UINT, NULL, "Non-blocking operations posted"},
    {"completed", TCF_CELL_UINT, NULL, "Completions of those"},
    {"cancelled", TCF_CELL_UINT, NULL, "Operations cancelled"},
    {"replaced", TCF_CELL_UINT, NULL, "Never completed, their id was posted again"},
    {"open", TCF_CELL_UINT, NULL, "Never completed, open at the end"},
    {"forgotten", TCF_CELL_UINT, NULL, "Let go of at max_requests"},
    {"unposted", TCF_CELL_UINT, NULL, "Completions of what wasn't posted, or was let go of"},
    {"id", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "Id of the location"},
    {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
    {"location", TCF_CELL_TEXT, NULL, "Name of the location"},
};

/* In which order the columns have them. */
static const uint8_t shown[KINDS] = {COMPUTATION, OVERLAPPED, COMMUNICATION, IO, SYNCHRONISATION, MEASUREMENT, IDLE};

enum { TIME_COLUMNS = 1 + KINDS + 1 + KINDS, MOST_COLUMNS = TIME_COLUMNS + 4 };

static void put_times(const tcf_self *self, tcf_cell *c, const uint64_t ticks[KINDS])
{
    const uint64_t communication = ticks[COMMUNICATION] + ticks[OVERLAPPED];
    uint64_t all = 0;
    for (int k = 0; k < KINDS; k++)
        all += ticks[k];
    *c++ = tcf_seconds(self, (double)all);
    for (int k = 0; k < KINDS; k++)
        *c++ = tcf_seconds(self, (double)ticks[shown[k]]);
    *c++ = tcf_double(communication > 0 ? 100.0 * (double)ticks[OVERLAPPED] / (double)communication : 0);
    for (int k = 0; k < KINDS; k++)
        *c++ = tcf_uint(ticks[shown[k]]);
}

static const sweep *sweep_of(const tcf_self *self, const process *p)
{
    const place *only = tcf_location_state(self, p->location);
    return p->n_locations > 1 ? &p->all : &only->own;
}

static int is_process(const tcf_self *self, const process *p)
{
    return p->n_locations > 0 && sweep_of(self, p)->used;
}

static tcf_cell process_name(const tcf_self *self, uint32_t number)
{
    return tcf_process_name_cell(&((const state *)self->state)->known, self->defs, number);
}

static int write_processes(tcf_self *self)
{
    const state *st = self->state;
    uint64_t total[KINDS] = {0};
    uint64_t n = 0;
    tcf_cell c[MOST_COLUMNS];
    tcf_table *t = self->host->table(self, "comm_comp", "Communication and computation by process", process_columns,
                                     TCF_COUNT(process_columns));
    for (uint32_t k = 0; t && k < st->known.n; k++) {
        const process *p = &st->processes[k];
        if (!is_process(self, p))
            continue;
        const sweep *s = sweep_of(self, p);
        for (int a = 0; a < KINDS; a++)
            total[a] += s->ticks[a];
        n++;
        put_times(self, c, s->ticks);
        c[TIME_COLUMNS] = tcf_uint(p->n_locations);
        c[TIME_COLUMNS + 1] = tcf_process_rank_cell(&st->known, k);
        c[TIME_COLUMNS + 2] = tcf_process_id_cell(&st->known, self->defs, k);
        c[TIME_COLUMNS + 3] = process_name(self, k);
        self->host->row(t, c);
    }
    tcf_table *sums = self->host->table(self, "totals", "Communication and computation of all processes together",
                                        total_columns, TCF_COUNT(total_columns));
    if (!t || !sums)
        return -1;
    put_times(self, c, total);
    c[TIME_COLUMNS] = tcf_uint(n);
    self->host->row(sums, c);
    return 0;
}

static int write_locations(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    tcf_cell c[MOST_COLUMNS];
    tcf_table *t = self->host->table(self, "locations", "Communication and computation by location", location_columns,
                                     TCF_COUNT(location_columns));
    for (uint32_t l = 0; t && l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (!p->own.used)
            continue;
        put_times(self, c, p->own.ticks);
        c[TIME_COLUMNS] = tcf_uint(tcf_location_at(defs, l)->id);
        c[TIME_COLUMNS + 1] = process_name(self, p->process);
        c[TIME_COLUMNS + 2] = tcf_text(tcf_location_at(defs, l)->name);
        self->host->row(t, c);
    }
    return t ? 0 : -1;
}

static int write_operations(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    tcf_table *t = self->host->table(self, "operations", "Non-blocking operations by location", operation_columns,
                                     TCF_COUNT(operation_columns));
    for (uint32_t l = 0; t && l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        const sweep *s = &p->own;
        const sweep_counts *n = &s->counts;
        if (n->posted == 0 && n->no_post == 0)
            continue;
        self->host->row(t,
                        (const tcf_cell[]){tcf_uint(n->posted), tcf_uint(n->completed), tcf_uint(n->cancelled),
                                           tcf_uint(n->replaced), tcf_uint(s->open.n), tcf_uint(n->forgotten),
                                           tcf_uint(n->no_post), tcf_uint(tcf_location_at(defs, l)->id),
                                           process_name(self, p->process), tcf_text(tcf_location_at(defs, l)->name)});
    }
    return t ? 0 : -1;
}

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    uint64_t posted = 0, never = 0, forgotten = 0, hurried = 0, too_deep = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        posted += p->own.counts.posted;
        never += p->own.counts.replaced + p->own.open.n;
        forgotten += p->own.counts.forgotten;
        too_deep += p->stack.not_counted;
    }
    for (uint32_t k = 0; k < st->known.n; k++) {
        forgotten += st->processes[k].all.counts.forgotten;
        hurried += st->processes[k].hurried;
    }
    if (never > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " of %" PRIu64
                        " non-blocking operations are never completed in this trace, and count as if they had not been "
                        "posted: more may have overlapped",
                        never, posted);
    if (forgotten > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " open operations were forgotten: there were more than max_requests = %" PRId64,
                        forgotten, c->max_requests);
    if (hurried > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " changes were settled before all locations of their process had come so far: "
                        "there were more than max_pending = %" PRId64,
                        hurried, c->max_pending);
    if (too_deep > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " visits deeper than any sane stack were not counted",
                        too_deep);
}

tcf_status comm_comp_report(tcf_self *self)
{
    const int failed = write_processes(self) != 0 || write_locations(self) != 0 || write_operations(self) != 0;
    if (!failed)
        tell(self);
    return failed ? self->host->fail(self, "out of memory for the tables of results") : TCF_OK;
}
