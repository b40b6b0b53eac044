/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reports what the filter `overhead` removed, in all and by location, and the run before and after. */
#include "overhead.h"

#include <stdio.h>

/* Sums of a location, or of all. */
struct sums {
    uint64_t events, clamped, held, unbound;
    double removed, lost, taken_out;
    double run_m, run_a, communicated_m, communicated_a, waited_m, waited_a; /* ticks, summed over locations */
    struct decisions decisions;
};

static struct sums sums_of(const struct track *k)
{
    return (struct sums){.events = k->events,
                         .clamped = k->account.clamped,
                         .held = k->held,
                         .unbound = k->unbound,
                         .removed = (double)k->removed,
                         .lost = (double)(k->account.lost + k->account.owed),
                         .taken_out = (double)k->taken_out,
                         .run_m = (double)less(k->end_m, k->begin.m),
                         .run_a = (double)less(k->last.a, k->begin.a),
                         .communicated_m = (double)k->communicated.m,
                         .communicated_a = (double)k->communicated.a,
                         .waited_m = (double)k->waited.m,
                         .waited_a = (double)k->waited.a,
                         .decisions = k->decisions};
}

static void add(struct sums *all, const struct sums *one)
{
    all->events += one->events;
    all->clamped += one->clamped;
    all->held += one->held;
    all->unbound += one->unbound;
    all->removed += one->removed;
    all->lost += one->lost;
    all->taken_out += one->taken_out;
    all->run_m += one->run_m;
    all->run_a += one->run_a;
    all->communicated_m += one->communicated_m;
    all->communicated_a += one->communicated_a;
    all->waited_m += one->waited_m;
    all->waited_a += one->waited_a;
    all->decisions.m1 += one->decisions.m1;
    all->decisions.m2 += one->decisions.m2;
    all->decisions.a1 += one->decisions.a1;
    all->decisions.a2 += one->decisions.a2;
    all->decisions.reversed += one->decisions.reversed;
}

/* In percent of the run time. */
static tcf_cell share(double part, double run)
{
    return tcf_double(run > 0 ? 100 * part / run : 0);
}

#define SUM_COLUMNS                                                                                                    \
    {"events", TCF_CELL_UINT, NULL, "All of them"},                                                                    \
        {"removed", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s",                                                             \
         "Overhead taken from before events that depend on no other location"},                                        \
        {"taken_out", TCF_CELL_DOUBLE, "s", "Buffer flushes, and the time in which measurement was off"},              \
        {"measured", TCF_CELL_DOUBLE, "s", "Run time as measured"},                                                    \
        {"approximated", TCF_CELL_DOUBLE, "s", "Run time without overhead, as far as the model tells"},                \
        {"computation_before", TCF_CELL_DOUBLE, "%", "Share of the measured run time outside of communication"},       \
        {"computation", TCF_CELL_DOUBLE, "%", "The same of the approximated one"},                                     \
        {"communication_before", TCF_CELL_DOUBLE, "%", "Share inside of MPI and barriers, but for waiting"},           \
        {"communication", TCF_CELL_DOUBLE, "%", "The same of the approximated run time"},                              \
        {"waiting_before", TCF_CELL_DOUBLE, "%",                                                                       \
         "Share from entering a call of communication until what it waits for has begun elsewhere"},                   \
        {"waiting", TCF_CELL_DOUBLE, "%", "The same of the approximated run time"},                                    \
        {"m1", TCF_CELL_UINT, NULL, "Messages received in a call that overlaps with that of the sender"},              \
        {"m2", TCF_CELL_UINT, NULL, "The others: how long they were on their way is bounded, not known"},              \
        {"a1", TCF_CELL_UINT, NULL, "Of m1: those that the receiver has to wait for without overhead"},                \
        {"a2", TCF_CELL_UINT, NULL, "Of m1: those that are there by then and only have to be copied"},                 \
        {"lost", TCF_CELL_DOUBLE, "s",                                                                                 \
         "Overhead for which there was no time: much of it says that it is set too high"},                             \
        {"clamped", TCF_CELL_UINT, NULL, "Events that came faster than their overhead"},                               \
        {"held", TCF_CELL_UINT, NULL, "Dependent events that came no earlier than the event before them"},             \
        {"unbound", TCF_CELL_UINT, NULL, "Dependent events whose sources are not in the trace, or were given up"},     \
    {                                                                                                                  \
        "reversed", TCF_CELL_UINT, NULL, "Dependent events that came before their sources: clocks are not right"       \
    }

enum { SUM_CELLS = 20 };

static void fill(const tcf_self *self, const struct sums *x, double measured, double approximated, tcf_cell *cells)
{
    const struct decisions *d = &x->decisions;
    const tcf_cell all[SUM_CELLS] = {
        tcf_uint(x->events),
        tcf_seconds(self, x->removed),
        tcf_seconds(self, x->taken_out),
        tcf_seconds(self, measured),
        tcf_seconds(self, approximated),
        share(x->run_m - x->communicated_m, x->run_m),
        share(x->run_a - x->communicated_a, x->run_a),
        share(x->communicated_m - x->waited_m, x->run_m),
        share(x->communicated_a - x->waited_a, x->run_a),
        share(x->waited_m, x->run_m),
        share(x->waited_a, x->run_a),
        tcf_uint(d->m1),
        tcf_uint(d->m2),
        tcf_uint(d->a1),
        tcf_uint(d->a2),
        tcf_seconds(self, x->lost),
        tcf_uint(x->clamped),
        tcf_uint(x->held),
        tcf_uint(x->unbound),
        tcf_uint(d->reversed),
    };
    for (uint32_t i = 0; i < SUM_CELLS; i++)
        cells[i] = all[i];
}

/* A run lasts from the first event of all locations to the last one. */
static tcf_status report_total(tcf_self *self)
{
    static const tcf_table_column columns[] = {SUM_COLUMNS};
    struct sums all = {0};
    struct times begin = {UINT64_MAX, UINT64_MAX}, end = {0, 0};
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct track *k = tcf_location_state(self, l);
        struct sums one = sums_of(k);
        if (!k->started)
            continue;
        add(&all, &one);
        begin = (struct times){min_u64(begin.m, k->begin.m), min_u64(begin.a, k->begin.a)};
        end = (struct times){max_u64(end.m, k->end_m), max_u64(end.a, k->last.a)};
    }
    tcf_cell cells[SUM_CELLS];
    tcf_table *t = self->host->table(self, "total", "Overhead removed, in all", columns, TCF_COUNT(columns));
    fill(self, &all, (double)less(end.m, begin.m), (double)less(end.a, begin.a), cells);
    self->host->row(t, cells);
    return TCF_OK;
}

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {{"location", TCF_CELL_UINT, NULL, "Its id"},
                                               {"group", TCF_CELL_TEXT, NULL, "Its location group"},
                                               SUM_COLUMNS};
    const tcf_definitions *defs = self->defs;
    tcf_table *t = self->host->table(self, "locations", "Overhead removed, by location", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        struct sums one = sums_of(tcf_location_state(self, l));
        uint32_t group = defs->locations[l].group;
        tcf_cell cells[2 + SUM_CELLS] = {tcf_uint(defs->locations[l].id),
                                         tcf_text(group < defs->n_location_groups ? defs->location_groups[group].name
                                                                                  : NULL)};
        fill(self, &one, one.run_m, one.run_a, cells + 2);
        self->host->row(t, cells);
    }
    return TCF_OK;
}

/* Locations that are no threads: streams of accelerators, metrics. */
static void report_followers(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"location", TCF_CELL_UINT, NULL, "Its id"},
         {"group", TCF_CELL_TEXT, NULL, "Its location group"},
         {"leader", TCF_CELL_TEXT, NULL, "The id of the thread whose time it follows"},
         {"events", TCF_CELL_UINT, NULL, "All of them"},
         {"shortened", TCF_CELL_DOUBLE, "s",
          "By so much its operations had to be shortened, to end before what came later in the process"},
         {"lengthened", TCF_CELL_DOUBLE, "s", "By so much they had to be lengthened, to end behind what came earlier"},
         {"late", TCF_CELL_UINT, NULL, "Events that had to pass before or long after the leader was there"}};
    const tcf_definitions *defs = self->defs;
    tcf_table *t = NULL;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const struct track *k = tcf_location_state(self, l);
        const tcf_location *at = &defs->locations[l];
        char leader[24] = "";
        if (!k->is_device)
            continue;
        if (!t)
            t = self->host->table(self, "followers", "Locations that are no threads, by location", columns,
                                  TCF_COUNT(columns));
        if (at->leader != TCF_NONE)
            snprintf(leader, sizeof leader, "%llu", (unsigned long long)defs->locations[at->leader].id);
        self->host->row(t, (tcf_cell[]){tcf_uint(at->id),
                                        tcf_text(at->group < defs->n_location_groups
                                                     ? defs->location_groups[at->group].name
                                                     : NULL),
                                        tcf_text(leader), tcf_uint(k->events), tcf_seconds(self, (double)k->shortened),
                                        tcf_seconds(self, (double)k->lengthened), tcf_uint(k->late)});
    }
}

tcf_status report(tcf_self *self)
{
    const struct state *st = self->state;
    if (st->too_deep > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%llu calls were nested too deeply to be remembered: what they received was "
                        "taken for received in the call around them",
                        (unsigned long long)st->too_deep);
    if (report_total(self) != TCF_OK)
        return TCF_ERROR;
    if (report_locations(self) != TCF_OK)
        return TCF_ERROR;
    report_followers(self);
    return TCF_OK;
}
