/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reports what the filter `overhead` removed, in all and by location, and compares the run before and after. */
#include "overhead.h"

#include <stdio.h>
#include <tcflow/times.h>

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    uint64_t location;
    const char *group, *leader;
    struct sums {
        uint64_t events, clamped, held, unbound, sends_bound, sends_early;
        uint64_t removed, lost, taken_out; /* ticks */
        tcf_ticks_total run_m, run_a, communicated_m, communicated_a, waited_m, waited_a;
        struct decisions decisions;
    } of; /* a location, or all */
    double measured, approximated, computation_before, computation, communication_before, communication, waiting_before,
        waiting;
    struct track track;
} row;

#define AT(member) TCF_AT(row, member)

static void add(struct sums *to, const struct track *k)
{
    to->events += k->events;
    to->clamped += k->account.clamped;
    to->held += k->held;
    to->unbound += k->unbound;
    to->sends_bound += k->sends_bound;
    to->sends_early += k->sends_early;
    to->removed = tcf_ticks_sum(to->removed, k->removed);
    to->lost = tcf_ticks_sum(to->lost, tcf_ticks_sum(k->account.lost, k->account.owed));
    to->taken_out = tcf_ticks_sum(to->taken_out, k->taken_out);
    to->run_m += less(k->end_m, k->begin.m);
    to->run_a += less(k->last.a, k->begin.a);
    to->communicated_m += k->communicated.m;
    to->communicated_a += k->communicated.a;
    to->waited_m += k->waited.m;
    to->waited_a += k->waited.a;
    to->decisions.m1 += k->decisions.m1;
    to->decisions.m2 += k->decisions.m2;
    to->decisions.a1 += k->decisions.a1;
    to->decisions.a2 += k->decisions.a2;
    to->decisions.reversed += k->decisions.reversed;
}

/* In percent of the run time. */
static double share(tcf_ticks_total part, tcf_ticks_total run)
{
    return run > 0 ? 100 * (double)part / (double)run : 0;
}

static const tcf_table_column columns[] = {
    {"location", AT(location), NULL, "Its id"},
    {"group", AT(group), NULL, "Its location group"},
    {"events", AT(of.events), NULL, "All of them"},
    {"removed", AT(of.removed) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
     "Overhead taken from before events that depend on no other location"},
    {"taken_out", AT(of.taken_out) | TCF_CELL_SECONDS, "s",
     "Buffer flushes, regions of the measurement system, and the time in which measurement was off"},
    {"measured", AT(measured) | TCF_CELL_SECONDS, "s", "Run time as measured"},
    {"approximated", AT(approximated) | TCF_CELL_SECONDS, "s", "Run time without overhead, by the model"},
    {"computation_before", AT(computation_before), "%", "Share of the measured run time outside of communication"},
    {"computation", AT(computation), "%", "The same of the approximated one"},
    {"communication_before", AT(communication_before), "%", "Share inside of MPI and barriers, but for waiting"},
    {"communication", AT(communication), "%", "The same of the approximated run time"},
    {"waiting_before", AT(waiting_before), "%",
     "Share from entering a call of communication until what it waits for has begun elsewhere"},
    {"waiting", AT(waiting), "%", "The same of the approximated run time"},
    {"m1", AT(of.decisions.m1), NULL, "Messages received in a call that overlaps with that of the sender"},
    {"m2", AT(of.decisions.m2), NULL, "The others: how long they were on their way is bounded, not known"},
    {"a1", AT(of.decisions.a1), NULL, "Of m1: those that the receiver has to wait for without overhead"},
    {"a2", AT(of.decisions.a2), NULL, "Of m1: those that are there by then and only have to be copied"},
    {"lost", AT(of.lost) | TCF_CELL_SECONDS, "s",
     "Overhead for which there was no time: much of it shows that overhead is set too high"},
    {"clamped", AT(of.clamped), NULL, "Events that came faster than their overhead"},
    {"held", AT(of.held), NULL, "Dependent events that came no earlier than the event before them"},
    {"unbound", AT(of.unbound), NULL,
     "Dependent events whose sources are missing, were dropped, or came too late to be waited for"},
    {"reversed", AT(of.decisions.reversed), NULL,
     "Dependent events that came before their sources: clocks are not right"},
    {"sends_bound", AT(of.sends_bound), NULL, "Sends that may have waited for their receive to be posted"},
    {"sends_early", AT(of.sends_early), NULL,
     "Sends that `rendezvous` says wait, and that ended before their receive was posted"},
};
enum { OF_LOCATION = 2 }; /* the first columns, which the total does not have */

static void add_row(const tcf_self *self, tcf_table *t, double measured, double approximated, row r)
{
    const struct sums *x = &r.of;
    r.measured = measured;
    r.approximated = approximated;
    r.computation_before = share(x->run_m - x->communicated_m, x->run_m);
    r.computation = share(x->run_a - x->communicated_a, x->run_a);
    r.communication_before = share(x->communicated_m - x->waited_m, x->run_m);
    r.communication = share(x->communicated_a - x->waited_a, x->run_a);
    r.waiting_before = share(x->waited_m, x->run_m);
    r.waiting = share(x->waited_a, x->run_a);
    tcf_row(self, t, &r);
}

static struct times later(struct times x, struct times y)
{
    return (struct times){max_u64(x.m, y.m), max_u64(x.a, y.a)};
}

/* The run lasts from the first event of all locations to the last one. In MPI_Finalize processes wait for the last one
 * that comes to it, which no record of the trace says: what follows that takes as long as it was measured to. */
static void report_total(tcf_self *self)
{
    struct sums all = {0};
    struct times begin = {UINT64_MAX, UINT64_MAX}, end = {0, 0}, finalize = {0, 0};
    uint64_t finalized = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct track *k = tcf_location_state(self, l);
        if (!k->started)
            continue;
        add(&all, k);
        begin = (struct times){min_u64(begin.m, k->begin.m), min_u64(begin.a, k->begin.a)};
        end = later(end, (struct times){k->end_m, k->finalize.m > 0 ? 0 : k->last.a});
        finalize = later(finalize, k->finalize);
        if (k->finalize.m > 0)
            finalized = max_u64(finalized, k->end_m);
    }
    end.a = max_u64(end.a, plus(finalize.a, less(finalized, finalize.m)));
    tcf_table *t = self->host->table(self, "total", "Overhead removed, in all", columns + OF_LOCATION,
                                     TCF_COUNT(columns) - OF_LOCATION);
    if (all.decisions.reversed > 0)
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "%llu messages or operations end before they begin (reversed): the clocks are not right, so the "
                  "times of processes that wait for others are wrong behind this filter, too. Correct the clocks "
                  "first, in the chain (presync clc_forward overhead) or as examples/compensate.ini does",
                  (unsigned long long)all.decisions.reversed);
    if (all.sends_early > 0)
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "%llu sends that wait for their receive, as rendezvous = %s has it, ended before it was posted: "
                  "that is too small a size, or the clocks are not right",
                  (unsigned long long)all.sends_early, ((const struct conf *)self->conf)->rendezvous);
    add_row(self, t, (double)less(end.m, begin.m), (double)less(end.a, begin.a), (row){.of = all});
}

static void report_locations(tcf_self *self)
{
    tcf_table *t = TCF_TABLE(self, "locations", "Overhead removed, by location", columns);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct sums one = {0};
        add(&one, tcf_location_state(self, l));
        const char *group = tcf_process_name(self->defs, l, NULL);
        add_row(self, t, (double)one.run_m, (double)one.run_a,
                (row){tcf_location_at(self->defs, l)->id, group, .of = one});
    }
}

/* Locations that are no threads: streams of accelerators, metrics. */
static void report_followers(tcf_self *self)
{
    static const tcf_table_column of_followers[] =
        {{"location", AT(location), NULL, "Its id"},
         {"group", AT(group), NULL, "Its location group"},
         {"leader", AT(leader), NULL, "The id of the thread whose time it follows"},
         {"events", AT(track.events), NULL, "All of them"},
         {"shortened", AT(track.shortened) | TCF_CELL_SECONDS, "s",
          "By so much its operations had to be shortened, to end before what came later in the process"},
         {"lengthened", AT(track.lengthened) | TCF_CELL_SECONDS, "s",
          "By so much they had to be lengthened, to end behind what came earlier"},
         {"late", AT(track.late), NULL, "Events that had to pass before or long after the leader was there"}};
    const tcf_definitions *defs = self->defs;
    tcf_table *t = NULL;
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const struct track *k = tcf_location_state(self, l);
        const tcf_location *at = tcf_location_at(defs, l);
        char leader[24] = "";
        if (!k->is_device)
            continue;
        if (!t)
            t = TCF_TABLE(self, "followers", "Locations that are no threads, by location", of_followers);
        if (at->leader != TCF_NONE)
            snprintf(leader, sizeof leader, "%llu", (unsigned long long)tcf_location_at(defs, at->leader)->id);
        tcf_row(self, t, &(row){at->id, tcf_process_name(defs, l, NULL), leader, .track = *k});
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
    report_total(self);
    report_locations(self);
    report_followers(self);
    return keep_mark(self);
}
