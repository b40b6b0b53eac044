/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Takes out of the tables of other filters what the rules judge. What isn't reported is left out of the judgement. */
#include "diagnosis.h"

#include <tcflow/clocks.h>
#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const waiting_rule wait_rules[WAITINGS] = {
    [W_LATE_SENDER] = {"late_sender", "Late Sender", "mpi_latesender", 0},
    [W_WRONG_ORDER] = {"wrong_order", "Late Sender in wrong order", "mpi_lswo_different mpi_lswo_same", 0},
    [W_LATE_RECEIVER] = {"late_receiver", "Late Receiver",
                         "mpi_latereceiver mpi_latereceiver_completion mpi_latereceiver_exchange", 0},
    [W_BARRIER] = {"barrier", "Wait at Barrier", "mpi_barrier_wait", 0},
    [W_N_TO_N] = {"n_to_n", "Wait at N x N", "mpi_wait_nxn", 0},
    [W_LATE_BROADCAST] = {"late_broadcast", "Late Broadcast", "mpi_latebroadcast", 0},
    [W_EARLY_REDUCE] = {"early_reduce", "Early Reduce", "mpi_earlyreduce", 0},
    [W_SCAN] = {"early_scan", "Early Scan", "mpi_earlyscan", 0},
    [W_WINDOW] = {"window", "Waiting at one-sided synchronization",
                  "mpi_rma_wait_at_fence mpi_rma_wait_at_create mpi_rma_wait_at_free mpi_rma_sync_late_post "
                  "mpi_rma_early_wait",
                  0},
    [W_FINALIZE] = {"finalize", "Wait at Finalize", "mpi_finalize_wait", 0},
    [W_THREAD_BARRIER] = {"thread_barrier", "Imbalance between threads", "omp_ebarrier_wait omp_ibarrier_wait", 1},
    [W_LOCK] = {"lock", "Waiting for locks and critical sections",
                "omp_lock_contention_critical omp_lock_contention_api pthread_lock_contention_mutex_lock "
                "pthread_lock_contention_conditional",
                1},
    [W_IDLE_THREADS] = {"idle_threads", "Idleness of threads", "omp_idle_threads", 1},
};

enum waiting waiting_of(const char *pattern)
{
    const size_t length = strlen(pattern);
    for (int w = 0; w < WAITINGS && length > 0; w++)
        for (const char *at = wait_rules[w].patterns; *at; at += strcspn(at, " "), at += strspn(at, " "))
            if (strcspn(at, " ") == length && strncmp(at, pattern, length) == 0)
                return (enum waiting)w;
    return WAITINGS;
}

/* -------------------------------------------------------------------------------------------------------- places -- */

static int by_seconds(const void *a, const void *b)
{
    const place_sum *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->seconds, x->seconds), TCF_ORDER(x->location, y->location), strcmp(x->path, y->path));
}

static int place_add(places *to, place_sum x)
{
    if (!(x.seconds > 0))
        return 0;
    if (TCF_GROW(&to->at, &to->capacity, to->n) != 0)
        return -1;
    to->at[to->n++] = x;
    return 0;
}

static uint32_t location_of(const facts *f, uint64_t id)
{
    return f->self->host->find(f->self, TCF_REF_LOCATION, id);
}

/* ---------------------------------------------------------------------------------------------------- efficiency -- */

static void take_efficiency(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    if (!r->find(f->self, "efficiency", "efficiency", &t))
        return;
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const char *scope = r->text(&t, i, r->column(&t, "scope"));
        const double run = r->number(&t, i, r->column(&t, "run_time"));
        if (strcmp(scope, "whole") == 0)
            f->whole_run_time = run;
        if (strcmp(scope, "program") != 0)
            continue;
        f->has_efficiency = run > 0;
        f->run_time = run;
        f->parallel = r->number(&t, i, r->column(&t, "parallel")) / 100;
        f->load_balance = r->number(&t, i, r->column(&t, "load_balance")) / 100;
        f->communication = r->number(&t, i, r->column(&t, "communication")) / 100;
        f->serialisation = r->number(&t, i, r->column(&t, "serialisation")) / 100;
        f->transfer = r->number(&t, i, r->column(&t, "transfer")) / 100;
        f->n = r->number(&t, i, r->column(&t, "processes"));
        f->process_time = f->n * run;
    }
}

/* The process by what a table says of it: its rank, else its group. Looked for from `first` on, around. */
static uint32_t process_of(const facts *f, uint32_t first, double rank, uint64_t group)
{
    for (uint32_t i = 0; i < f->processes.n; i++) {
        const uint32_t p = (first + i) % f->processes.n;
        const tcf_process_names names = tcf_process_names_of(&f->processes, f->self->defs, p);
        if (rank >= 0 ? (double)names.rank == rank : names.rank < 0 && names.id == group)
            return p;
    }
    return TCF_NONE;
}

static int take_loads(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    if (!r->find(f->self, "efficiency", "efficiency_processes", &t))
        return 0;
    f->loads = calloc(t.n_rows + 1, sizeof *f->loads);
    for (uint64_t i = 0, next = 0; f->loads && i < t.n_rows; i++) {
        const uint32_t p = process_of(f, (uint32_t)next, r->number(&t, i, r->column(&t, "rank")),
                                      r->whole(&t, i, r->column(&t, "process_id")));
        next = p != TCF_NONE ? p + 1ul : next;
        f->accelerator += r->number(&t, i, r->column(&t, "accelerator"));
        f->other += r->number(&t, i, r->column(&t, "other"));
        f->communicating += r->number(&t, i, r->column(&t, "communication"));
        const double idle = r->number(&t, i, r->column(&t, "idle"));
        f->idle += idle;
        f->threads = r->number(&t, i, r->column(&t, "threads"));
        f->threads_busy = r->number(&t, i, r->column(&t, "threads_busy")) / 100;
        if (p != TCF_NONE)
            f->loads[f->n_loads++] =
                (load_fact){p, r->number(&t, i, r->column(&t, "useful")) + r->number(&t, i, r->column(&t, "threading")),
                            idle};
    }
    return f->loads ? 0 : -1;
}

/* The first row takes most. */
static void take_accelerators(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    if (!r->find(f->self, "efficiency", "efficiency_accelerators", &t) || t.n_rows == 0)
        return;
    f->accelerator_call = r->text(&t, 0, r->column(&t, "region"));
    f->of_accelerator_call = r->number(&t, 0, r->column(&t, "time"));
    f->accelerator_region = r->whole(&t, 0, r->column(&t, "region_id"));
}

/* When the first process begins the program, since the start of the trace. */
static double program_begin(const facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    double begin = INFINITY;
    r->find(f->self, "efficiency", "efficiency_processes", &t);
    for (uint64_t i = 0; i < t.n_rows; i++)
        begin = fmin(begin, r->number(&t, i, r->column(&t, "begin")));
    return begin;
}

/* The outermost bins reach beyond the program. */
static int take_bins(facts *f)
{
    const tcf_results_host *r = f->results;
    const double begin = program_begin(f), end = begin + f->run_time;
    tcf_result t;
    if (!r->find(f->self, "efficiency", "efficiency_over_time", &t))
        return 0;
    f->bins = calloc(t.n_rows + 1, sizeof *f->bins);
    for (uint64_t i = 0; f->bins && i < t.n_rows; i++) {
        const double from = r->number(&t, i, r->column(&t, "from")),
                     to = fmin(from + r->number(&t, i, r->column(&t, "width")), end);
        f->bins[f->n_bins++] = (bin_fact){.from = fmax(from, begin),
                                          .width = to - fmax(from, begin),
                                          .most = r->number(&t, i, r->column(&t, "most")),
                                          .mean = r->number(&t, i, r->column(&t, "mean")),
                                          .most_rank = (int64_t)r->number(&t, i, r->column(&t, "most_rank"))};
    }
    return f->bins ? 0 : -1;
}

/* What fewer processes do than others is no slower than what all do: a master goes on when its workers have ended. */
static int take_ranges(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    if (!r->find(f->self, "efficiency", "efficiency_iterations", &t))
        return 0;
    const int processes = r->column(&t, "processes");
    uint64_t most = 0;
    f->ranges = calloc(t.n_rows + 1, sizeof *f->ranges);
    for (uint64_t i = 0; i < t.n_rows; i++)
        most = r->whole(&t, i, processes) > most ? r->whole(&t, i, processes) : most;
    for (uint64_t i = 0; f->ranges && i < t.n_rows; i++) {
        const range_fact x = {.first = r->whole(&t, i, r->column(&t, "first")),
                              .n = r->whole(&t, i, r->column(&t, "iterations")),
                              .run_time = r->number(&t, i, r->column(&t, "run_time")),
                              .parallel = r->number(&t, i, r->column(&t, "parallel")) / 100,
                              .load_balance = r->number(&t, i, r->column(&t, "load_balance")) / 100,
                              .serialisation = r->number(&t, i, r->column(&t, "serialisation")) / 100,
                              .transfer = r->number(&t, i, r->column(&t, "transfer")) / 100};
        f->iterations = x.first + x.n;
        if (r->whole(&t, i, processes) == most)
            f->ranges[f->n_ranges++] = x;
    }
    return f->ranges ? 0 : -1;
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

static void take_patterns(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    f->has_waits = r->find(f->self, "wait_states", "patterns", &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const char *pattern = r->text(&t, i, r->column(&t, "pattern"));
        const double seconds = r->number(&t, i, r->column(&t, "time"));
        const enum waiting w = waiting_of(pattern);
        if (strcmp(pattern, "time") == 0)
            f->thread_time = seconds;
        if (w == WAITINGS || !(seconds > 0))
            continue;
        wait_fact *of = &f->waits[w];
        of->seconds += seconds;
        of->count += r->number(&t, i, r->column(&t, "count"));
        if (seconds > of->of_pattern) {
            of->of_pattern = seconds;
            of->pattern = pattern;
        }
    }
    wait_fact *late = &f->waits[W_LATE_SENDER], *wrong = &f->waits[W_WRONG_ORDER];
    late->seconds = late->seconds > wrong->seconds ? late->seconds - wrong->seconds : 0;
    late->count = late->count > wrong->count ? late->count - wrong->count : 0;
}

static void take_counts(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    r->find(f->self, "wait_states", "counts", &t);
    for (uint64_t i = 0; i < t.n_rows; i++)
        if (strcmp(r->text(&t, i, r->column(&t, "unit")), "occ") == 0 &&
            !strstr(r->text(&t, i, r->column(&t, "name")), "_send"))
            f->met += r->number(&t, i, r->column(&t, "count"));
}

/* Threads are idle while MPI starts and ends, too. That is a finding of its own, and all other shares are of the rest.
 * Where they are, all threads of a process last as long as it does. */
static void leave_out_start(facts *f)
{
    const double lost = f->whole_run_time - f->run_time;
    wait_fact *idle = &f->waits[W_IDLE_THREADS];
    uint32_t threads = 0;
    if (!f->has_efficiency || !(lost > 0) || !(idle->seconds > 0))
        return;
    for (uint32_t l = 0; l < f->self->defs->n_locations; l++)
        threads += tcf_location_at(f->self->defs, l)->type == TCF_CPU_THREAD;
    idle->seconds = fmax(0, idle->seconds - (threads - f->n) * lost);
    f->thread_time = fmax(idle->seconds, f->thread_time - threads * lost);
}

static void take_instances(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    for (int w = 0; w < WAITINGS; w++)
        f->waits[w].begin = f->waits[w].longest = (double)NAN;
    r->find(f->self, "wait_states", "instances", &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const enum waiting w = waiting_of(r->text(&t, i, r->column(&t, "pattern")));
        const double seconds = r->number(&t, i, r->column(&t, "time"));
        if (w != WAITINGS && !(seconds <= f->waits[w].longest)) {
            f->waits[w].longest = seconds;
            f->waits[w].begin = r->number(&t, i, r->column(&t, "begin"));
        }
    }
}

static int take_places(facts *f, const char *table, const char *a, const char *b, places *to)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    r->find(f->self, "root_cause", table, &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const enum waiting w = waiting_of(r->text(&t, i, r->column(&t, "pattern")));
        const double more = b ? r->number(&t, i, r->column(&t, b)) : 0;
        const place_sum x = {.what = w,
                             .location = location_of(f, r->whole(&t, i, r->column(&t, "location"))),
                             .path = r->text(&t, i, r->column(&t, "call_path")),
                             .seconds = r->number(&t, i, r->column(&t, a)) + more};
        if (w != WAITINGS && place_add(to, x) != 0)
            return -1;
    }
    tcf_sort(to->at, to->n, sizeof *to->at, by_seconds);
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------- rest -- */

static void take_messages(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    r->find(f->self, "message_histogram", "sizes", &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        f->messages += r->number(&t, i, r->column(&t, "sent"));
        f->received += r->number(&t, i, r->column(&t, "received"));
        f->message_bytes += r->number(&t, i, r->column(&t, "bytes_sent"));
    }
}

/* How long calls of this region waited for others. */
static double waited_in(const facts *f, const char *region)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    double sum = 0;
    r->find(f->self, "wait_states", "callpaths", &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const enum waiting w = waiting_of(r->text(&t, i, r->column(&t, "pattern")));
        if (w != WAITINGS && w != W_WRONG_ORDER && /* which is a part of late sender */
            strcmp(words_leaf(r->text(&t, i, r->column(&t, "call_path"))), region) == 0)
            sum += r->number(&t, i, r->column(&t, "time"));
    }
    return sum;
}

static int take_calls(facts *f)
{
    const tcf_results_host *r = f->results;
    tcf_result t;
    r->find(f->self, "profile", "flat_profile", &t);
    for (uint64_t i = 0; i < t.n_rows; i++) {
        const char *region = r->text(&t, i, r->column(&t, "region"));
        if (strncmp(region, "MPI_", 4) != 0 || strncmp(region, "MPI_Init", 8) == 0 ||
            strcmp(region, "MPI_Finalize") == 0)
            continue;
        const double seconds = r->number(&t, i, r->column(&t, "exclusive")) - waited_in(f, region);
        if (place_add(&f->calls, (place_sum){WAITINGS, TCF_NONE, region, seconds}) != 0)
            return -1;
    }
    tcf_sort(f->calls.at, f->calls.n, sizeof *f->calls.at, by_seconds);
    return 0;
}

/* The largest likely error of a clock that a survey has learned. Where there is one clock, nothing is uncertain. */
static void take_clocks(facts *f)
{
    const tcf_self *self = f->self;
    uint64_t n = 0;
    const tcf_clock_source *sources = self->host->learned(self, TCF_CLOCK_SOURCES, sizeof *sources, &n);
    f->clock_error = (double)NAN;
    if (!sources || n == 0 || !(self->changed & TCF_WRITES_CLOCK))
        return;
    double widest = 0;
    for (uint64_t i = 0; i < n; i++)
        if (isfinite(sources[i].likely) && sources[i].likely > widest)
            widest = sources[i].likely;
        else if (!isfinite(sources[i].likely))
            return;
    f->clock_error = tcf_seconds(self, widest).d;
}

int facts_take(facts *f, tcf_self *self)
{
    *f = (facts){.self = self,
                 .results = tcf_results_host_of(self),
                 .messages_unknown = tcf_is_unknown(self->defs, TCF_UNKNOWN_MESSAGES)};
    if (tcf_processes_find(&f->processes, self->defs) != 0)
        return -1;
    take_efficiency(f);
    take_accelerators(f);
    take_patterns(f);
    take_counts(f);
    leave_out_start(f);
    take_instances(f);
    take_messages(f);
    take_clocks(f);
    if (!(f->process_time > 0))
        f->process_time = f->thread_time;
    if (take_loads(f) != 0 || take_bins(f) != 0 || take_ranges(f) != 0 || take_calls(f) != 0 ||
        take_places(f, "wait_locations", "time", NULL, &f->waited) != 0 ||
        take_places(f, "locations", "short_term", "long_term", &f->caused) != 0)
        return -1;
    f->scratch = calloc(1ul + f->processes.n + f->n_bins + f->n_ranges, sizeof *f->scratch);
    return f->scratch ? 0 : -1;
}

void facts_free(facts *f)
{
    tcf_processes_free(&f->processes);
    free(f->scratch);
    free(f->loads);
    free(f->bins);
    free(f->ranges);
    free(f->waited.at);
    free(f->caused.at);
    free(f->calls.at);
}
