/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* efficiency's tables of results. Runs once, at the end. */
#include "efficiency.h"

#include <math.h>
#include <stdlib.h>
#include <tcflow/times.h>

static const char *const scope_names[] = {[WHOLE] = "whole", [PROGRAM] = "program"};

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *scope;
    tcf_process_names process;
    double parallel, load_balance, communication, serialisation, transfer, accelerator, threads_busy;
    double useful_mean, begin;
    uint64_t run_time, ideal_time, useful_max, useful_total, processes, threads, sends;
    struct sums of;
} row;

#define AT(member) TCF_AT(row, member)

/* The processes of a scope together. */
struct whole {
    uint64_t begin, end, ideal, n, most;
    tcf_ticks_total total, accelerator;
};

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 100;
}

/* Of loads: where there are none, nothing is balanced. */
static double balance(double mean, double most)
{
    return most > 0 ? 100 * mean / most : (double)NAN;
}

static struct whole add_up(tcf_self *self, enum scope scope)
{
    struct whole w = {.begin = UINT64_MAX};
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct lane *k = tcf_location_state(self, l);
        const struct sums *s = &k->in[scope];
        if (!k->stands || !k->used)
            continue;
        w.n++;
        w.begin = s->begin < w.begin ? s->begin : w.begin;
        w.end = s->end > w.end ? s->end : w.end;
        w.ideal = s->ideal > w.ideal ? s->ideal : w.ideal;
        w.most = useful_of(s) > w.most ? useful_of(s) : w.most;
        w.total += useful_of(s);
        w.accelerator += s->of[ACCELERATOR];
    }
    return w;
}

static void scope_row(tcf_self *self, tcf_table *t, enum scope scope)
{
    const struct whole w = add_up(self, scope);
    if (w.n == 0)
        return;
    const uint64_t run = w.end - w.begin, ideal = w.ideal - w.begin;
    const double mean = (double)w.total / (double)w.n;
    tcf_row(self, t,
            &(row){.scope = scope_names[scope],
                   .parallel = percent(mean, (double)run),
                   .load_balance = balance(mean, (double)w.most),
                   .communication = percent((double)w.most, (double)run),
                   .serialisation = percent((double)w.most, (double)ideal),
                   .transfer = percent((double)ideal, (double)run),
                   .accelerator = run > 0 ? 100 * (double)w.accelerator / (double)w.n / (double)run : 0,
                   .run_time = run,
                   .ideal_time = ideal,
                   .useful_max = w.most,
                   .useful_mean = mean,
                   .processes = w.n});
}

static const tcf_table_column scope_columns[] = {
    {"scope", AT(scope), NULL, "whole: from the first to the last event; program: between MPI_Init and MPI_Finalize"},
    {"parallel", AT(parallel), "%", "Parallel efficiency: mean useful time / run time; load_balance x communication"},
    {"load_balance", AT(load_balance), "%", "Mean / largest useful time"},
    {"communication", AT(communication), "%", "Largest useful time / run time; serialisation x transfer"},
    {"serialisation", AT(serialisation) | TCF_CELL_FOLLOWS, "%", "Largest useful time / run time on an ideal network"},
    {"transfer", AT(transfer) | TCF_CELL_FOLLOWS, "%", "Run time on an ideal network / run time"},
    {"accelerator", AT(accelerator), "%", "Of the run time, mean: calls for accelerators"},
    {"run_time", AT(run_time) | TCF_CELL_SECONDS, "s", "From the first begin to the last end of a process"},
    {"ideal_time", AT(ideal_time) | TCF_CELL_SECONDS | TCF_CELL_FOLLOWS, "s",
     "The same, were all communication instantaneous"},
    {"useful_max", AT(useful_max) | TCF_CELL_SECONDS, "s", "Largest useful time of a process"},
    {"useful_mean", AT(useful_mean) | TCF_CELL_SECONDS, "s", "Mean over all processes"},
    {"processes", AT(processes), NULL, "How many processes there are"},
    {"run_time_ticks", AT(run_time) | TCF_CELL_DETAIL, "ticks", "run_time in ticks"},
    {"ideal_time_ticks", AT(ideal_time) | TCF_CELL_DETAIL | TCF_CELL_FOLLOWS, "ticks", "ideal_time in ticks"},
    {"useful_max_ticks", AT(useful_max) | TCF_CELL_DETAIL, "ticks", "useful_max in ticks"},
};

/* ----------------------------------------------------------------------------------------------------- processes -- */

static const tcf_table_column process_columns[] = {
    {"rank", AT(process.rank), NULL, "World rank of the process; -1: none"},
    {"process", AT(process.name), NULL, "Name of the location group"},
    {"useful", AT(of.of[USEFUL]) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Computes"},
    {"threading", AT(of.of[THREADING]) | TCF_CELL_SECONDS, "s", "Waits for its threads, or manages them"},
    {"communication", AT(of.of[COMMUNICATION]) | TCF_CELL_SECONDS, "s", "In calls of MPI"},
    {"accelerator", AT(of.of[ACCELERATOR]) | TCF_CELL_SECONDS, "s",
     "In calls for accelerators: waits, copies, launches"},
    {"other", AT(of.of[OTHER]) | TCF_CELL_SECONDS, "s", "Files by MPI, measurement, a runtime system that calls tasks"},
    {"idle", AT(of.of[IDLE]) | TCF_CELL_SECONDS, "s", "Has nothing to do"},
    {"threads", AT(threads), NULL, "Threads with events"},
    {"threads_busy", AT(threads_busy), "%", "Useful time of all threads / (threads x useful and threading)"},
    {"waiting_sends", AT(sends) | TCF_CELL_FOLLOWS, NULL,
     "Calls that waited until receives of what they sent were posted"},
    {"begin", AT(of.begin) | TCF_CELL_WHEN, "s", "When the program began, since the start of the trace"},
    {"useful_ticks", AT(of.of[USEFUL]) | TCF_CELL_DETAIL, "ticks", "useful in ticks"},
    {"threading_ticks", AT(of.of[THREADING]) | TCF_CELL_DETAIL, "ticks", "threading in ticks"},
    {"communication_ticks", AT(of.of[COMMUNICATION]) | TCF_CELL_DETAIL, "ticks", "communication in ticks"},
    {"accelerator_ticks", AT(of.of[ACCELERATOR]) | TCF_CELL_DETAIL, "ticks", "accelerator in ticks"},
    {"other_ticks", AT(of.of[OTHER]) | TCF_CELL_DETAIL, "ticks", "other in ticks"},
    {"ideal_ticks", AT(of.ideal) | TCF_CELL_DETAIL | TCF_CELL_FOLLOWS, "ticks",
     "When it would end, were all communication instantaneous"},
    {"end_ticks", AT(of.end) | TCF_CELL_DETAIL, "ticks", "When it ends"},
    {"idle_ticks", AT(of.of[IDLE]) | TCF_CELL_DETAIL, "ticks", "idle in ticks"},
    {"process_id", AT(process.id) | TCF_CELL_DETAIL, NULL, "Id of the location group; 2^32 - 1: none"},
};

/* Threads of a process, and how long they compute in all. */
struct team {
    uint64_t threads, useful;
};

static struct team *find_teams(tcf_self *self)
{
    const struct state *st = self->state;
    struct team *teams = calloc(st->processes.n + 1ul, sizeof *teams);
    for (uint32_t l = 0; teams && l < self->defs->n_locations; l++) {
        const struct lane *k = tcf_location_state(self, l);
        struct team *t = &teams[st->processes.of[l]];
        t->threads += k->used;
        t->useful += k->used ? k->in[PROGRAM].of[USEFUL] : 0;
    }
    return teams;
}

static void process_row(tcf_self *self, tcf_table *t, uint32_t process, const struct team *team)
{
    const struct state *st = self->state;
    const struct lane *k = tcf_location_state(self, st->processes.at[process].location);
    if (!k->stands || !k->used)
        return;
    tcf_row(self, t,
            &(row){.process = tcf_process_names_of(&st->processes, self->defs, process),
                   .of = k->in[PROGRAM],
                   .threads = team->threads,
                   .sends = k->sends,
                   .threads_busy =
                       percent((double)team->useful, (double)team->threads * (double)useful_of(&k->in[PROGRAM]))});
}

/* ----------------------------------------------------------------------------------------------------- over time -- */

typedef struct bin_row {
    tcf_process_names process;
    double from, useful, load_balance, mean;
    uint64_t width, most;
} bin_row;

static const tcf_table_column bin_columns[] = {
    {"from", TCF_AT(bin_row, from), "s", "Start of the bin, since the start of the trace"},
    {"width", TCF_AT(bin_row, width) | TCF_CELL_SECONDS, "s", "Its length"},
    {"useful", TCF_AT(bin_row, useful), "%", "Mean useful time of a process / width"},
    {"load_balance", TCF_AT(bin_row, load_balance), "%", "Mean / largest useful time of a process"},
    {"mean", TCF_AT(bin_row, mean) | TCF_CELL_SECONDS, "s", "Mean useful time of a process"},
    {"most", TCF_AT(bin_row, most) | TCF_CELL_SECONDS, "s", "Largest useful time of a process"},
    {"most_rank", TCF_AT(bin_row, process.rank), NULL, "World rank of that process; -1: none"},
    {"most_process", TCF_AT(bin_row, process.name), NULL, "Name of its location group"},
};

static int takes_part(const tcf_self *self, uint32_t process)
{
    const struct state *st = self->state;
    const struct lane *k = tcf_location_state(self, st->processes.at[process].location);
    return k->stands && k->used;
}

static void bin_row_of(tcf_self *self, tcf_table *t, const struct series *all, uint32_t bin)
{
    const struct state *st = self->state;
    const double width = (double)((uint64_t)1 << all->range.level);
    uint64_t n = 0, most = 0;
    uint32_t of_most = TCF_NONE;
    tcf_ticks_total total = 0;
    for (uint32_t p = 0; p < st->processes.n; p++) {
        if (!takes_part(self, p))
            continue;
        const uint64_t useful = series_of(all, &st->series[p], bin);
        n++;
        total += useful;
        if (of_most == TCF_NONE || useful > most) {
            most = useful;
            of_most = p;
        }
    }
    if (n == 0)
        return;
    const double mean = (double)total / (double)n;
    tcf_row(self, t,
            &(bin_row){.process = tcf_process_names_of(&st->processes, self->defs, of_most),
                       .from = tcf_seconds(self, (double)time_bins_start(&all->range, bin)).d,
                       .width = (uint64_t)1 << all->range.level,
                       .useful = 100 * (double)total / (double)n / width,
                       .load_balance = balance(mean, (double)most),
                       .mean = mean,
                       .most = most});
}

static void report_over_time(tcf_self *self)
{
    const struct state *st = self->state;
    struct series all;
    series_start(&all, self->defs->clock.global_offset);
    for (uint32_t p = 0; p < st->processes.n; p++)
        if (takes_part(self, p))
            series_reach(&all, &st->series[p]);
    tcf_table *t =
        TCF_TABLE(self, "efficiency_over_time", "Useful time over time, and which process has most of it", bin_columns);
    for (uint32_t k = 0; k < time_bins_in_use(&all.range); k++)
        bin_row_of(self, t, &all, k);
}

/* ---------------------------------------------------------------------------------------------------- iterations -- */

typedef struct range_row {
    tcf_process_names process;
    double parallel, load_balance, communication, serialisation, transfer, useful_mean;
    uint64_t first, iterations, begin, run_time, ideal_time, useful_max, processes;
} range_row;

#define OF_RANGE(member) TCF_AT(range_row, member)

static const tcf_table_column range_columns[] = {
    {"first", OF_RANGE(first), NULL, "First iteration of the range, from 0 on"},
    {"iterations", OF_RANGE(iterations), NULL, "How many it has"},
    {"from", OF_RANGE(begin) | TCF_CELL_WHEN, "s", "When the first process began it, since the start of the trace"},
    {"parallel", OF_RANGE(parallel), "%", "Parallel efficiency: mean useful time / run time"},
    {"load_balance", OF_RANGE(load_balance), "%", "Mean / largest useful time"},
    {"communication", OF_RANGE(communication), "%", "Largest useful time / run time; serialisation x transfer"},
    {"serialisation", OF_RANGE(serialisation) | TCF_CELL_FOLLOWS, "%",
     "Largest useful time / run time on an ideal network"},
    {"transfer", OF_RANGE(transfer) | TCF_CELL_FOLLOWS, "%", "Run time on an ideal network / run time"},
    {"run_time", OF_RANGE(run_time) | TCF_CELL_SECONDS, "s", "The longest that a process took for it"},
    {"ideal_time", OF_RANGE(ideal_time) | TCF_CELL_SECONDS | TCF_CELL_FOLLOWS, "s",
     "The same, were all communication instantaneous"},
    {"useful_max", OF_RANGE(useful_max) | TCF_CELL_SECONDS, "s", "Largest useful time of a process"},
    {"useful_mean", OF_RANGE(useful_mean) | TCF_CELL_SECONDS, "s", "Mean over the processes"},
    {"most_rank", OF_RANGE(process.rank), NULL, "World rank of the process with the largest; -1: none"},
    {"most_process", OF_RANGE(process.name), NULL, "Name of its location group"},
    {"processes", OF_RANGE(processes), NULL, "How many processes have all of the range"},
    {"run_time_ticks", OF_RANGE(run_time) | TCF_CELL_DETAIL, "ticks", "run_time in ticks"},
    {"ideal_time_ticks", OF_RANGE(ideal_time) | TCF_CELL_DETAIL | TCF_CELL_FOLLOWS, "ticks", "ideal_time in ticks"},
    {"useful_max_ticks", OF_RANGE(useful_max) | TCF_CELL_DETAIL, "ticks", "useful_max in ticks"},
};

static void range_row_of(tcf_self *self, tcf_table *t, uint32_t range)
{
    const struct state *st = self->state;
    range_row x = {.first = st->loop.first[range],
                   .iterations = st->loop.first[range + 1] - st->loop.first[range],
                   .begin = UINT64_MAX};
    uint32_t most = TCF_NONE;
    tcf_ticks_total total = 0;
    for (uint32_t p = 0; p < st->processes.n; p++) {
        const struct range *r = range_of(st, p, range);
        if (r->length == 0)
            continue;
        x.processes++;
        x.begin = r->begin < x.begin ? r->begin : x.begin;
        x.run_time = r->length > x.run_time ? r->length : x.run_time;
        x.ideal_time = r->ideal > x.ideal_time ? r->ideal : x.ideal_time;
        total += r->useful;
        if (most == TCF_NONE || r->useful > x.useful_max) {
            x.useful_max = r->useful;
            most = p;
        }
    }
    if (x.processes == 0)
        return;
    x.process = tcf_process_names_of(&st->processes, self->defs, most);
    x.useful_mean = (double)total / (double)x.processes;
    x.parallel = percent(x.useful_mean, (double)x.run_time);
    x.load_balance = balance(x.useful_mean, (double)x.useful_max);
    x.communication = percent((double)x.useful_max, (double)x.run_time);
    x.serialisation = percent((double)x.useful_max, (double)x.ideal_time);
    x.transfer = percent((double)x.ideal_time, (double)x.run_time);
    tcf_row(self, t, &x);
}

/* Without a survey that has found the main loop there is no such table. */
static void report_iterations(tcf_self *self)
{
    const struct state *st = self->state;
    if (st->loop.n == 0)
        return;
    if (self->changed & TCF_WRITES_EVENTS) { /* the survey has counted others */
        self->host->log(self, TCF_LOG_WARNING,
                        "filters in front have dropped or inserted events, so iterations of the "
                        "survey can't be found again: no efficiency by iteration");
        return;
    }
    tcf_table *t = TCF_TABLE(self, "efficiency_iterations", "Efficiency by iteration of the main loop", range_columns);
    for (uint32_t r = 0; r < st->loop.n; r++)
        range_row_of(self, t, r);
}

tcf_status efficiency_report(tcf_self *self)
{
    const struct state *st = self->state;
    struct team *teams = find_teams(self);
    uint64_t reversed = 0;
    if (!teams)
        return self->host->fail(self, "out of memory for %u processes", st->processes.n);
    tcf_table *t = TCF_TABLE(self, "efficiency", "Parallel efficiency and its factors (POP)", scope_columns);
    scope_row(self, t, WHOLE);
    scope_row(self, t, PROGRAM);
    t = TCF_TABLE(self, "efficiency_processes", "What each process does between MPI_Init and MPI_Finalize",
                  process_columns);
    for (uint32_t p = 0; p < st->processes.n; p++)
        process_row(self, t, p, &teams[p]);
    free(teams);
    accelerators_report(self);
    report_over_time(self);
    report_iterations(self);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        reversed += ((const struct lane *)tcf_location_state(self, l))->reversed;
    tcf_warn(self, reversed,
             "receives, ends and the like come before what they depend on, which falsifies the ideal run time; "
             "correct the clocks before (presync, clc_forward, clc_backward)");
    return TCF_OK;
}
