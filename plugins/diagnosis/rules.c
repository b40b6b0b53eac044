/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The rules. Each looks at the facts and, where its loss is large enough, adds a finding. Costs are told once: what the
 * imbalance of processes explains is taken off the waits that it shows in. README.md has the thresholds and why they
 * are what they are. */
#include "rules.h"
#include "../shared/patterns/region_kinds.h"
#include "diagnosis.h"

#include <private/scaled.h>
#include <tcflow/order.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_share(const void *a, const void *b)
{
    const finding *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->share, x->share), strcmp(x->rule, y->rule));
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

static double share_of(const judgement *j, enum waiting w)
{
    const facts *f = j->f;
    const double base = wait_rules[w].of_threads ? f->thread_time : f->process_time;
    return base > 0 ? j->left[w] / base : 0;
}

/* Are waits longer than clocks are uncertain? Those of threads of a process are by one clock. */
static int is_certain(const facts *f, enum waiting w)
{
    const wait_fact *of = &f->waits[w];
    if (wait_rules[w].of_threads || isnan(f->clock_error) || of->count <= 0)
        return 1;
    return of->seconds / of->count > f->clock_error;
}

static void say_uncertainty(const facts *f, enum waiting w, finding *x)
{
    const wait_fact *of = &f->waits[w];
    char mean[WORD_BYTES], error[WORD_BYTES];
    if (of->count > 0)
        SAY(x->uncertainty, "a wait takes %s on average; ", words_time(of->seconds / of->count, mean));
    if (wait_rules[w].of_threads)
        SAY(x->uncertainty, "threads of a process have one clock");
    else if (isnan(f->clock_error))
        SAY(x->uncertainty, "how well the clocks agree is unknown");
    else if (!(f->clock_error > 0))
        SAY(x->uncertainty, "the processes have one clock");
    else
        SAY(x->uncertainty, "clocks are off by no more than %s", words_time(f->clock_error, error));
}

static void say_cause(const judgement *j, enum waiting w, finding *x)
{
    const facts *f = j->f;
    const cause waits = waiter_of(f, w), causes = cause_of(f, w);
    char a[WORD_BYTES], b[WORD_BYTES], c[WORD_BYTES];
    if (waits.path)
        SAY(x->sentence, ": mostly in %s, %s waits most (%s)", words_path(waits.path, a),
            words_who(f, waits.location, b), words_time(waits.of_location * waits.total, c));
    if (w == W_IDLE_THREADS) {
        SAY(x->sentence, ": outside of parallel regions one thread of a process works, or few");
        return;
    }
    if (!causes.path) {
        SAY(x->sentence, "; what causes it is unknown");
        return;
    }
    SAY(x->sentence, "; its cause is %s on %s", words_path(causes.path, a), words_who(f, causes.location, b));
    SAY(x->sentence, " (root cause %s, %s of all)", words_time(causes.seconds, a),
        words_share(causes.seconds / causes.total, b));
    SAY(x->processes, "%s", words_who(f, causes.location, b));
}

/* Many processes cause the waits at collective operations, none much more than the others. */
static int varies(const facts *f, enum waiting w, const cause *c)
{
    if ((w != W_BARRIER && w != W_N_TO_N) || !c->path || f->n < 3 || c->of_path < 0.5)
        return 0;
    return c->of_location < 2.5 / f->n && strncmp(words_leaf(c->path), "MPI_", 4) != 0;
}

/* Threads that pass a lock one after another come to the next barrier one after another: the first ones wait there, in
 * sum as long as the last ones did at the lock. */
static void join_locks(judgement *j)
{
    const double at_barrier = fmin(j->left[W_LOCK], j->left[W_THREAD_BARRIER]);
    if (!is_large(j, share_of(j, W_LOCK)))
        return;
    j->left[W_LOCK] += at_barrier;
    j->left[W_THREAD_BARRIER] -= at_barrier;
}

static void judge_waits(judgement *j, enum waiting w)
{
    const facts *f = j->f;
    const wait_fact *of = &f->waits[w];
    const double share = share_of(j, w);
    const cause c = cause_of(f, w);
    const int turns = varies(f, w, &c);
    char a[WORD_BYTES], b[WORD_BYTES];
    if (!is_large(j, share) || !is_certain(f, w))
        return;
    finding *x = add_finding(j, turns ? "varying_load" : wait_rules[w].rule, j->left[w], share);
    if (!x)
        return;
    SAY(x->sentence, "%s costs %s of the %s' time (%s", wait_rules[w].title, words_share(share, a),
        wait_rules[w].of_threads ? "threads" : "processes", words_time(j->left[w], b));
    if (j->left[w] < 0.95 * of->seconds)
        SAY(x->sentence, "; %s with what other findings tell", words_time(of->seconds, a));
    SAY(x->sentence, ")");
    say_cause(j, w, x);
    if (turns)
        SAY(x->sentence, "; which process is late changes from one to the next, none causes more than %s",
            words_share(c.of_location, a));
    SAY(x->sentence, ".");
    say_uncertainty(f, w, x);
    SAY(x->evidence_table, "wait_states_patterns");
    SAY(x->evidence_key, "pattern = '%s'", of->pattern ? of->pattern : "");
    x->begin = of->begin;
    x->end = of->begin + of->longest;
}

/* ------------------------------------------------------------------------------------------------------ transfer -- */

static int is_alltoall(const char *region)
{
    return strstr(region, "lltoall") != NULL;
}

static int is_of_messages(const char *region)
{
    static const char *const begins[] = {"MPI_Send", "MPI_Recv",     "MPI_Isend", "MPI_Irecv", "MPI_Ssend",
                                         "MPI_Wait", "MPI_Sendrecv", "MPI_Test",  "MPI_Bsend", "MPI_Rsend"};
    for (size_t i = 0; i < TCF_COUNT(begins); i++)
        if (strncmp(region, begins[i], strlen(begins[i])) == 0)
            return 1;
    return 0;
}

/* Messages of less than this are as fast as the latency of a network allows, however large its bandwidth: 1 us at
 * 4 GB/s. */
enum { SMALL_MESSAGE = 4096 };
/* No network needs longer for one of them. What does is not lost to their number. */
static const double longest_latency = 100e-6;

/* How much of the waits that are left comes from what others did in calls of MPI, beyond waiting: these are late since
 * communication takes its time. By kind of wait. */
static double caused_by_calls(const judgement *j, double of[WAITINGS])
{
    const places *caused = &j->f->caused;
    double total[WAITINGS] = {0}, sum = 0;
    memset(of, 0, WAITINGS * sizeof *of);
    for (uint32_t i = 0; i < caused->n; i++) {
        const place_sum *x = &caused->at[i];
        const char *leaf = words_leaf(x->path);
        total[x->what] += x->seconds;
        if (strncmp(leaf, "MPI_", 4) == 0 && strncmp(leaf, "MPI_Init", 8) != 0 && strcmp(leaf, "MPI_Finalize") != 0)
            of[x->what] += x->seconds;
    }
    for (int w = 0; w < WAITINGS; w++) {
        of[w] = total[w] > 0 && w != W_LATE_RECEIVER ? j->left[w] * of[w] / total[w] : 0;
        sum += of[w];
    }
    return sum;
}

/* What calls wait for which complete messages that the trace doesn't have the other side of, looks like transfer. So
 * does all of what calls take that it has no records of. */
static int is_open_in(const facts *f, const char *region)
{
    if (is_of_messages(region) && f->messages > 0)
        return f->messages - f->received > 0.05 * f->messages;
    if (!f->has_waits || !*region)
        return 0;
    for (uint32_t i = 0; i < f->waited.n; i++)
        if (strcmp(words_leaf(f->waited.at[i].path), region) == 0)
            return 0;
    return 1;
}

static void judge_transfer(judgement *j)
{
    const facts *f = j->f;
    const char *region = f->calls.n > 0 ? f->calls.at[0].path : "";
    double cost = (1 - f->transfer) * f->process_time, in_calls, waits[WAITINGS];
    char a[WORD_BYTES], b[WORD_BYTES];
    if (!f->has_efficiency)
        return;
    in_calls = caused_by_calls(j, waits);
    for (uint32_t i = 0; i < f->calls.n; i++)
        in_calls += f->calls.at[i].seconds;
    if (f->calls.n > 0 && in_calls < cost)
        cost = in_calls;
    const double share = cost / f->process_time;
    const double mean = f->messages > 0 ? f->message_bytes / f->messages : 0;
    const int is_open = is_open_in(f, region);
    const int is_small = is_of_messages(region) && f->messages > 0 && mean < SMALL_MESSAGE &&
                         cost < longest_latency * f->messages && !is_open;
    if (!is_large(j, share))
        return;
    finding *x = add_finding(j,
                             is_alltoall(region) ? "alltoall"
                             : is_small          ? "small_messages"
                                                 : "transfer",
                             cost, share);
    if (!x)
        return;
    SAY(x->sentence, "%s costs %s of the processes' time (%s)",
        is_alltoall(region) ? "All-to-all communication"
        : is_small          ? "The number of small messages"
        : is_open           ? "Transfer of data, or waiting that the trace doesn't show,"
                            : "Transfer of data",
        words_share(share, a), words_time(cost, b));
    if (*region)
        SAY(x->sentence, ": calls of `%s` take %s beyond waiting for others", region,
            words_time(f->calls.at[0].seconds, a));
    if (is_of_messages(region) && f->messages > 0 && !isnan(mean))
        SAY(x->sentence, "; %.0f messages have %s on average", f->messages, tcf_scaled(mean, "B", 1024, a));
    if (is_open && f->messages > 0 && is_of_messages(region))
        SAY(x->sentence, ", and of %.0f of them nothing says which receive is theirs", f->messages - f->received);
    SAY(x->sentence, ". With a network without any delay the run would take %s instead of %s.",
        words_time(f->transfer * f->run_time, a), words_time(f->run_time, b));
    for (int w = 0; w < WAITINGS; w++)
        j->left[w] -= waits[w];
    j->idle -= fmin(j->idle, cost);
    SAY(x->uncertainty,
        "waiting for processes that computed for longer is not in it; calls of MPI that compute or copy are");
    if (is_of_messages(region) && f->messages > 0 && mean < SMALL_MESSAGE && !is_small)
        SAY(x->uncertainty,
            "; %s a message is more than a network takes: processes may share cores, or MPI make no "
            "progress while they compute",
            words_time(cost / f->messages, a));
    SAY(x->evidence_table, "efficiency_efficiency");
    SAY(x->evidence_key, "scope = 'program'");
    SAY(x->processes, "all");
}

/* --------------------------------------------------------------------------------------------------------- start -- */

static void judge_start(judgement *j)
{
    const facts *f = j->f;
    const double lost = f->whole_run_time - f->run_time;
    char a[WORD_BYTES], b[WORD_BYTES], c[WORD_BYTES];
    if (!f->has_efficiency || !(f->whole_run_time > 0) ||
        100 * lost / f->whole_run_time < ((const conf *)f->self->conf)->start)
        return;
    finding *x = add_finding(j, "start", lost * f->n, lost / f->whole_run_time);
    if (!x)
        return;
    SAY(x->sentence,
        "Starting and ending the program, up to the end of MPI_Init and from MPI_Finalize on, takes %s of the run (%s "
        "of %s); all other shares are of the rest.",
        words_share(x->share, a), words_time(lost, b), words_time(f->whole_run_time, c));
    SAY(x->uncertainty, "a longer run spends a smaller share there");
    SAY(x->evidence_table, "efficiency_efficiency");
    SAY(x->evidence_key, "scope = 'whole'");
    SAY(x->processes, "all");
}

/* Time that is neither useful nor communication. NULL: it is too short for a finding. */
static finding *judge_rest(judgement *j, const char *rule, const char *title, double cost, const char *column)
{
    const facts *f = j->f;
    const double share = cost / f->process_time;
    char a[WORD_BYTES], b[WORD_BYTES];
    if (!f->has_efficiency || !is_large(j, share))
        return NULL;
    finding *x = add_finding(j, rule, cost, share);
    if (!x)
        return NULL;
    SAY(x->sentence, "%s takes %s of the processes' time (%s)", title, words_share(share, a), words_time(cost, b));
    SAY(x->uncertainty, "by paradigms and names of calls; the time is that of the processes' main threads");
    SAY(x->evidence_table, "efficiency_efficiency_processes");
    SAY(x->evidence_key, "%s > 0", column);
    SAY(x->processes, "all");
    return x;
}

static void judge_accelerators(judgement *j)
{
    const facts *f = j->f;
    char a[WORD_BYTES];
    finding *x = judge_rest(j, "accelerator", "Work with accelerators (waiting for them, copying, starting kernels)",
                            f->accelerator, "accelerator");
    if (x && f->accelerator_call) {
        SAY(x->sentence, ": `%.100s` takes %s of it", f->accelerator_call, words_time(f->of_accelerator_call, a));
        *x->evidence_table = *x->evidence_key = '\0';
        SAY(x->evidence_table, "efficiency_efficiency_accelerators");
        SAY(x->evidence_key, "region_id = %" PRIu64, f->accelerator_region);
    }
    if (x)
        SAY(x->sentence, ".");
}

static void judge_other(judgement *j)
{
    finding *x =
        judge_rest(j, "other",
                   regions_have_tasks(j->f->self->defs) ? "The runtime system, outside of the tasks that it calls,"
                                                        : "Reading and writing files by MPI, and measurement itself,",
                   j->f->other, "other");
    if (x)
        SAY(x->sentence, ".");
}

/* A process is idle where it has nothing to do, or waits for messages by a runtime system that says no more. */
static void judge_idle(judgement *j)
{
    const facts *f = j->f;
    const double share = j->idle / f->process_time;
    const load_fact *longest = f->loads;
    char a[WORD_BYTES], b[WORD_BYTES];
    if (!f->has_efficiency || f->n_loads == 0 || !is_large(j, share))
        return;
    for (uint32_t i = 0; i < f->n_loads; i++)
        longest = f->loads[i].idle > longest->idle ? &f->loads[i] : longest;
    finding *x = add_finding(j, "idle", j->idle, share);
    if (!x)
        return;
    SAY(x->sentence, "Idle time costs %s of the processes' time (%s)", words_share(share, a), words_time(j->idle, b));
    SAY(x->sentence, ": %s has nothing to do for longest (%s of %s)", words_process(f, longest->process, a),
        words_time(longest->idle, b), words_time(f->run_time, (char[WORD_BYTES]){0}));
    SAY(x->sentence,
        f->messages_unknown ? "; the trace has no messages, so whether it waits for some is unknown." : ".");
    SAY(x->uncertainty,
        "idle is what the recorder has called so; too little work, and work that comes late, look alike");
    SAY(x->evidence_table, "efficiency_efficiency_processes");
    SAY(x->evidence_key, "idle > 0");
    SAY(x->processes, "%s", words_process(f, longest->process, a));
}

/* POP regards a parallel efficiency of 80 % as acceptable. What is lost beyond that and has no finding is told, too. */
static void judge_unexplained(judgement *j)
{
    const facts *f = j->f;
    double told = 0;
    char a[WORD_BYTES], b[WORD_BYTES];
    for (uint32_t i = 0; i < j->to->n; i++)
        told += strcmp(j->to->at[i].rule, "start") != 0 ? j->to->at[i].share : 0;
    const double lost = f->has_efficiency ? 1 - f->parallel - told : 0;
    if (lost < 0.2 || !is_large(j, lost))
        return;
    finding *x = add_finding(j, "unexplained", lost * f->process_time, lost);
    if (!x)
        return;
    SAY(x->uncertainty, "what is lost: 1 - parallel efficiency, without what other findings tell");
    if (f->messages_unknown) {
        SAY(x->sentence,
            "%s of the processes' time (%s) is lost in calls that communicate. The format of the trace has no messages "
            "and collective operations, so what these calls wait for can't be told.",
            words_share(lost, a), words_time(x->cost, b));
        SAY(x->evidence_table, "efficiency_efficiency_processes");
        SAY(x->evidence_key, "communication > 0");
    } else {
        SAY(x->sentence,
            "%s of the processes' time (%s) is lost to what no rule tells: none of its parts is large enough.",
            words_share(lost, a), words_time(x->cost, b));
        SAY(x->evidence_table, "efficiency_efficiency");
        SAY(x->evidence_key, "scope = 'program'");
    }
    SAY(x->processes, "all");
}

/* ----------------------------------------------------------------------------------------------------------- all -- */

void rules_apply(const facts *f, findings *to)
{
    judgement j = {.f = f, .to = to, .idle = f->idle};
    to->n = 0;
    for (int w = 0; w < WAITINGS; w++)
        j.left[w] = f->waits[w].seconds;
    judge_imbalance(&j);
    judge_pipeline(&j);
    judge_transfer(&j);
    join_locks(&j);
    for (int w = 0; w < WAITINGS; w++)
        judge_waits(&j, (enum waiting)w);
    judge_idle(&j);
    judge_accelerators(&j);
    judge_other(&j);
    judge_start(&j);
    judge_unexplained(&j);
    tcf_sort(to->at, to->n, sizeof *to->at, by_share);
}
