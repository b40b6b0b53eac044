/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_comp's tables of results. Runs once, at the end. */
#include "comm_comp.h"

#include <inttypes.h>
#include <tcflow/times.h>

/* A row of any of the tables. */
typedef struct row {
    uint64_t time, ticks[KINDS];
    double hidden; /* % */
    uint64_t n, id, open;
    tcf_process_names process;
    const char *location;
    sweep_counts counts;
} row;

#define AT(member) TCF_AT(row, member)

#define TIMES(whose)                                                                                                   \
    {"time", AT(time) | TCF_CELL_SECONDS, "s", "From the first to the last event" whose},                              \
        {"computation", AT(ticks[COMPUTATION]) | TCF_CELL_SECONDS, "s", "Computation alone"},                          \
        {"overlapped", AT(ticks[OVERLAPPED]) | TCF_CELL_SECONDS, "s",                                                  \
         "Computation and communication at the same time"},                                                            \
        {"communication", AT(ticks[COMMUNICATION]) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Communication alone"},   \
        {"io", AT(ticks[IO]) | TCF_CELL_SECONDS, "s", "I/O, with neither of them"},                                    \
        {"synchronisation", AT(ticks[SYNCHRONISATION]) | TCF_CELL_SECONDS, "s",                                        \
         "Synchronisation of threads, with none of these"},                                                            \
        {"management", AT(ticks[MANAGEMENT]) | TCF_CELL_SECONDS, "s",                                                  \
         "Setting up and ending communication, threads and tasks, with none of these"},                                \
        {"measurement", AT(ticks[MEASUREMENT]) | TCF_CELL_SECONDS, "s", "Measurement, with none of these"},            \
        {"idle", AT(ticks[IDLE]) | TCF_CELL_SECONDS, "s", "None of these"},                                            \
        {"hidden", AT(hidden), "%", "Share of communication that is overlapped"},                                      \
        {"computation_ticks", AT(ticks[COMPUTATION]) | TCF_CELL_DETAIL, "ticks", "computation in ticks"},              \
        {"overlapped_ticks", AT(ticks[OVERLAPPED]) | TCF_CELL_DETAIL, "ticks", "overlapped in ticks"},                 \
        {"communication_ticks", AT(ticks[COMMUNICATION]) | TCF_CELL_DETAIL, "ticks", "communication in ticks"},        \
        {"io_ticks", AT(ticks[IO]) | TCF_CELL_DETAIL, "ticks", "io in ticks"},                                         \
        {"synchronisation_ticks", AT(ticks[SYNCHRONISATION]) | TCF_CELL_DETAIL, "ticks", "synchronisation in ticks"},  \
        {"management_ticks", AT(ticks[MANAGEMENT]) | TCF_CELL_DETAIL, "ticks", "management in ticks"},                 \
        {"measurement_ticks", AT(ticks[MEASUREMENT]) | TCF_CELL_DETAIL, "ticks", "measurement in ticks"},              \
    {                                                                                                                  \
        "idle_ticks", AT(ticks[IDLE]) | TCF_CELL_DETAIL, "ticks", "idle in ticks"                                      \
    }

static const tcf_table_column process_columns[] = {
    TIMES(" of the process"),
    {"locations", AT(n), NULL, "Locations with events"},
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
};

static const tcf_table_column total_columns[] = {
    TIMES(" of each process"),
    {"processes", AT(n), NULL, "Processes with events"},
};

static const tcf_table_column location_columns[] = {
    TIMES(" of the location"),
    {"id", AT(id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
    {"process", AT(process.name), NULL, "Name of the location group"},
    {"location", AT(location), NULL, "Name of the location"},
};

static const tcf_table_column operation_columns[] = {
    {"posted", AT(counts.posted), NULL, "Non-blocking operations posted"},
    {"completed", AT(counts.completed), NULL, "Completions of those"},
    {"cancelled", AT(counts.cancelled), NULL, "Operations cancelled"},
    {"replaced", AT(counts.replaced), NULL, "Never completed, their id was posted again"},
    {"open", AT(open), NULL, "Never completed, open at the end"},
    {"forgotten", AT(counts.forgotten), NULL, "Let go of at max_requests"},
    {"unposted", AT(counts.no_post), NULL, "Completions of what wasn't posted, or was let go of"},
    {"id", AT(id) | TCF_CELL_DETAIL, NULL, "Id of the location"},
    {"process", AT(process.name), NULL, "Name of the location group"},
    {"location", AT(location), NULL, "Name of the location"},
};

static void add_times(const tcf_self *self, tcf_table *t, const uint64_t ticks[KINDS], row r)
{
    const uint64_t communication = tcf_ticks_sum(ticks[COMMUNICATION], ticks[OVERLAPPED]);
    for (int k = 0; k < KINDS; k++)
        r.time = tcf_ticks_sum(r.time, r.ticks[k] = ticks[k]);
    r.hidden = communication > 0 ? 100.0 * (double)ticks[OVERLAPPED] / (double)communication : 0;
    tcf_row(self, t, &r);
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

static tcf_process_names names_of(const tcf_self *self, uint32_t number)
{
    return tcf_process_names_of(&((const state *)self->state)->known, self->defs, number);
}

static void write_processes(tcf_self *self)
{
    const state *st = self->state;
    uint64_t total[KINDS] = {0};
    uint64_t n = 0;
    tcf_table *t = TCF_TABLE(self, "comm_comp", "Communication and computation by process", process_columns);
    for (uint32_t k = 0; k < st->known.n; k++) {
        const process *p = &st->processes[k];
        if (!is_process(self, p))
            continue;
        const sweep *s = sweep_of(self, p);
        for (int a = 0; a < KINDS; a++)
            total[a] = tcf_ticks_sum(total[a], s->ticks[a]);
        n++;
        add_times(self, t, s->ticks, (row){.n = p->n_locations, .process = names_of(self, k)});
    }
    t = TCF_TABLE(self, "totals", "Communication and computation of all processes together", total_columns);
    add_times(self, t, total, (row){.n = n});
}

static void write_locations(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    tcf_table *t = TCF_TABLE(self, "locations", "Communication and computation by location", location_columns);
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (p->own.used)
            add_times(self, t, p->own.ticks,
                      (row){.id = tcf_location_at(defs, l)->id,
                            .process = names_of(self, p->process),
                            .location = tcf_location_at(defs, l)->name});
    }
}

static void write_operations(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    tcf_table *t = TCF_TABLE(self, "operations", "Non-blocking operations by location", operation_columns);
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (p->own.counts.posted > 0 || p->own.counts.no_post > 0)
            tcf_row(self, t,
                    &(row){.counts = p->own.counts,
                           .open = p->own.left,
                           .id = tcf_location_at(defs, l)->id,
                           .process = names_of(self, p->process),
                           .location = tcf_location_at(defs, l)->name});
    }
}

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    const conf *c = self->conf;
    uint64_t posted = 0, never = 0, forgotten = 0, hurried = 0, too_deep = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        posted += p->own.counts.posted;
        never += p->own.counts.replaced + p->own.left;
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
    tcf_warn(self, too_deep, "visits deeper than any sane stack were not counted");
}

tcf_status comm_comp_report(tcf_self *self)
{
    write_processes(self);
    write_locations(self);
    write_operations(self);
    tell(self);
    return TCF_OK;
}
