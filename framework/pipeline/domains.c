/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See domains.h. The main thread makes the pipelines, starts their filters one after another, and then looks after the
 * threads: it shows progress, and sets `stop` when the user interrupts the run; a thread that fails sets it, too. */
#define _GNU_SOURCE /* pthread_timedjoin_np() */
#include "domains.h"
#include "framework/base/large_pages.h"
#include "framework/base/resources.h"
#include "framework/trace/definitions.h"
#include "pack.h"
#include "survey.h"

#include <errno.h>
#include <private/scaled.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>
#include <time.h>

/* --------------------------------------------------------------------------------------------------------- plans -- */

static int is_causal(const instance *f)
{
    return f->filter->span || f->self.needs & TCF_NEED_EDGES || f->self.can & TCF_CAN_ANSWER;
}

/* Why the filter keeps its chain in one domain; NULL: it doesn't. `in_front`: of causal filters; `behind`: behind one,
 * or it is one. */
static const char *needs_one(const instance *f, int in_front, int behind)
{
    const uint32_t changes = TCF_CAN_DROP | TCF_CAN_INSERT | (behind ? 0 : TCF_CAN_HOLD);

    if (f->self.needs & TCF_NEED_TOGETHER || f->self.can & TCF_CAN_LIVE)
        return "wants all processes to advance together in time";
    if (is_causal(f) && !(f->self.can & TCF_CAN_DOMAINS))
        return "follows messages and collectives from process to process";
    if (in_front && f->self.can & changes)
        return "stands in front of a filter that follows messages and collectives";
    return f->self.can & TCF_CAN_DOMAINS ? NULL : "needs all processes in one place";
}

/* The filter that keeps the chain in one domain, and why; NULL: none does. */
static const instance *who_needs_one(const pipeline *p, const char **why)
{
    uint32_t first = 0, last = p->n_instances;

    while (first < p->n_instances && !is_causal(&p->instances[first]))
        first++;
    while (last > 0 && !is_causal(&p->instances[last - 1]))
        last--;
    for (uint32_t i = 0; i < p->n_instances; i++)
        if ((*why = needs_one(&p->instances[i], i + 1 < last, i >= first)))
            return &p->instances[i];
    return NULL;
}

/* Where nothing asks for a number of threads. A domain costs some milliseconds and megabytes, which a small trace does
 * not win back. */
static uint32_t choose(const session *s, char *why, size_t bytes)
{
    enum { MOST = 16, BYTES_EACH = 32 << 20 };
    const uint32_t cores = s->machine.cores < MOST ? s->machine.cores : MOST;
    char amount[TCF_SCALED_BYTES];
    uint64_t all = 0;

    for (uint32_t l = 0; l < s->defs->n_locations; l++)
        all += source_bytes(s->source, l);
    const uint64_t most = all / BYTES_EACH;
    if (most < cores)
        snprintf(why, bytes, "event files have %s, and a domain wants %u MiB at least",
                 tcf_scaled((double)all, "B", 1024, amount), BYTES_EACH >> 20);
    else if (cores == 1)
        snprintf(why, bytes, "there is one core");
    else
        snprintf(why, bytes, "threads are chosen by the cores, up to %u", MOST);
    return most < cores ? (most > 1 ? (uint32_t)most : 1) : cores;
}

static int stays_in_one(const pipeline *p, domains *d)
{
    const source *src = p->session->source;

    if (source_is_stream(src))
        snprintf(d->why, sizeof d->why, "the input is a stream");
    else if (!source_can_be_shared(src))
        snprintf(d->why, sizeof d->why, "%s",
                 src->facts.inputs && src->facts.inputs->next ? "there are several inputs"
                                                              : "event files are read by libotf2, which has no locks");
    const char *why;
    const instance *f = *d->why ? NULL : who_needs_one(p, &why);
    if (f)
        snprintf(d->why, sizeof d->why, "'%s' %s", f->self.name, why);
    return *d->why != '\0';
}

/* Makes d->at, but for pipelines. */
static tcf_status count_domains(pipeline *p, domains *d)
{
    const tcf_definitions *defs = p->session->defs;

    d->at = calloc(d->n, sizeof *d->at);
    d->facts = calloc(d->n, sizeof *d->facts);
    d->left = calloc(2ul * p->n_instances + 1, sizeof *d->left);
    if (!d->at || !d->facts || !d->left)
        return error_fail("out of memory for %u domains", d->n);
    for (uint32_t k = 0; k < d->n; k++) {
        d->at[k].all = d;
        d->at[k].number = k;
        d->at[k].facts = &d->facts[k];
    }
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        d->facts[d->of[l]].locations++;
        d->facts[d->of[l]].bytes += source_bytes(p->session->source, l);
    }
    if (d->peers) {
        p->domain = d->peers->me < d->n ? &d->at[d->peers->me] : NULL;
        return TCF_OK;
    }
    p->domain = d->at;
    d->at[0].pipeline = p;
    if (p->edges && !(d->threads = between_threads_new(d->n, p->session->machine.cores)))
        return TCF_ERROR;
    return TCF_OK;
}

tcf_status domains_plan(pipeline *p)
{
    const session *s = p->session;
    uint32_t wanted = s->peers ? s->peers->n : (uint32_t)s->conf.threads, processes;

    if (wanted == 1)
        return TCF_OK;
    domains *d = p->plan = calloc(1, sizeof *d);
    if (!d)
        return error_fail("out of memory for the domains");
    d->n = 1;
    d->peers = s->peers;
    if (stays_in_one(p, d))
        return TCF_OK;
    if (wanted == 0)
        wanted = choose(s, d->why, sizeof d->why);
    if (wanted == 1)
        return TCF_OK;
    if (partition_find(s->source, wanted, &d->of, &d->n, &processes) != TCF_OK)
        return TCF_ERROR;
    if (d->n > 1)
        return count_domains(p, d);
    snprintf(d->why, sizeof d->why, processes > 1 ? "nearly all events are of one process" : "there is one process");
    return TCF_OK;
}

/* More threads than cores are no use, and domains that have not begun take little memory. */
static uint32_t count_threads(const pipeline *p)
{
    const uint32_t cores = p->session->machine.cores, n = p->plan->n;

    return cores < n ? cores : n;
}

void domains_describe(const pipeline *p, char *to, size_t bytes)
{
    const domains *d = p->plan;
    const char *what = pipeline_is_survey(p) ? "survey" : "chain";
    uint64_t largest = 0, all = 0;
    uint32_t slowest = 0;

    snprintf(to, bytes, "%s", "");
    if (d && !p->domain)
        snprintf(to, bytes, "%s: in one domain, %s: %s", what, d->peers ? "in the first process" : "on one thread",
                 d->why);
    if (!p->domain)
        return;
    for (uint32_t k = 0; k < d->n; k++) {
        largest = d->facts[k].bytes > largest ? d->facts[k].bytes : largest;
        slowest = d->facts[k].seconds > d->facts[slowest].seconds ? k : slowest;
        all += d->facts[k].bytes;
    }
    char where[48] = "one a process";
    if (!d->peers)
        snprintf(where, sizeof where, "on %u threads", count_threads(p));
    int n = snprintf(to, bytes, "%s: in %u domains, %s%s%s%s; the largest has %.2f times the mean of the bytes", what,
                     d->n, where, *d->why ? " (" : "", d->why, *d->why ? ")" : "",
                     all > 0 ? (double)largest * d->n / (double)all : 1.0);
    if (d->facts[slowest].seconds > 0)
        snprintf(to + n, bytes - (size_t)n, ", domain %u took longest, %.3f s", slowest + 1, d->facts[slowest].seconds);
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

/* A domain has ended; nothing of it runs any more. */
static void note_end(domain *x, tcf_status status)
{
    x->status = status == TCF_OK ? domain_holds_nothing(x->pipeline) : status;
    domain_report_progress(x->pipeline);
    x->facts->events = x->pipeline->n_events;
    pool_rest(x->pipeline->pool);
    if (x->status != TCF_OK) {
        x->error = strdup(error_text());
        x->is_usage = error_is_usage();
        domains_stop(x->all);
    }
    if (x->all->threads)
        between_threads_leave(x->all->threads, x->number);
}

/* Runs a domain, from its begin or on, until it rests or ends. */
static void run(domain *x, verdict found)
{
    pipeline *p = x->pipeline;

    for (;;) {
        const double started = now_seconds();
        const tcf_status status = x->has_begun ? pipeline_go_on(p, found) : pipeline_stream(p);
        x->has_begun = 1;
        x->facts->seconds += now_seconds() - started;
        if (status != TCF_OK || !p->rests) {
            note_end(x, status);
            return;
        }
        found = p->letters->to.rest(p->letters->to.data, &p->resting);
        if (found == VERDICT_LATER)
            return; /* another thread may run it already */
    }
}

/* A thread: runs domains one after another, to their ends, or those that have something to run. */
static void *run_domains(void *data)
{
    domains *d = data;
    uint32_t looks = 0, k;
    verdict found;

    while (!d->threads && (k = atomic_fetch_add(&d->next, 1)) < d->n)
        run(&d->at[k], VERDICT_LETTERS);
    while (d->threads && between_threads_next(d->threads, &looks, &k, &found))
        run(&d->at[k], found);
    return NULL;
}

static void look_after(const pipeline *p, uint64_t total_bytes)
{
    const session_hooks *hooks = p->session->hooks;
    session_progress sum = {.total_bytes = total_bytes};

    if (!hooks)
        return;
    pipeline_name_pass(p, &sum);
    if (hooks->interrupted && *hooks->interrupted)
        domains_stop(p->plan);
    for (uint32_t k = 0; k < p->plan->n; k++) {
        sum.events += atomic_load_explicit(&p->plan->at[k].events, memory_order_relaxed);
        sum.bytes += atomic_load_explicit(&p->plan->at[k].bytes_read, memory_order_relaxed);
    }
    if (hooks->progress)
        hooks->progress(hooks->data, &sum);
}

static void wait_for(const pipeline *p, const domain *x, uint64_t total_bytes)
{
    struct timespec until;

    do {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        look_after(p, total_bytes);
    } while (pthread_timedjoin_np(x->thread, NULL, &until) == ETIMEDOUT);
}

/* Runs all domains to their ends. Signals that end the run come to the main thread. */
static tcf_status run_all(pipeline *p)
{
    domains *d = p->plan;
    sigset_t ending, before;
    uint64_t bytes, total_bytes;
    const uint32_t n = count_threads(p);
    uint32_t started = 0;
    int failure = 0;

    source_progress(p->source, &bytes, &total_bytes);
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    d->running = 1;
    while (started < n && (failure = pthread_create(&d->at[started].thread, NULL, run_domains, d)) == 0)
        started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure)
        domains_stop(d);
    for (uint32_t k = 0; k < started; k++)
        wait_for(p, &d->at[k], total_bytes);
    d->running = 0;
    return failure ? error_fail("cannot start %u threads: %s", n, strerror(failure)) : TCF_OK;
}

/* The reason why the run failed is that of a domain that wasn't told to stop. */
static tcf_status judge(const domains *d)
{
    tcf_status status = TCF_OK;

    for (uint32_t k = 0; k < d->n; k++) {
        const domain *x = &d->at[k];
        if (x->status == TCF_OK)
            continue;
        status = TCF_ERROR;
        if (x->told)
            continue;
        error_fail("%s", x->error ? x->error : "out of memory");
        if (x->is_usage)
            error_as_usage();
        return error_while("in domain %u of %u", k + 1, d->n);
    }
    return status == TCF_OK ? TCF_OK : error_fail("interrupted");
}

/* --------------------------------------------------------------------------------------------------- the domains -- */

static tcf_status make_pipeline(const pipeline *p, domain *x)
{
    pipeline *q = x->pipeline = pipeline_new(p->session, p->chain);

    if (!q)
        return TCF_ERROR;
    q->next = p->next;
    q->domain = x;
    q->changed_before = p->changed_before;
    if (!(q->source = source_share(p->source)))
        return TCF_ERROR;
    q->defs = source_definitions(q->source);
    return pipeline_make_chain(q) == TCF_OK && pipeline_build(q) == TCF_OK ? survey_hand_on(q) : TCF_ERROR;
}

/* Filter by filter: one may replace a learned table for those behind it. */
static tcf_status begin_all(const pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++)
        for (uint32_t k = 0; k < p->plan->n; k++)
            if (pipeline_begin(p->plan->at[k].pipeline, i) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

/* By location, those of definitions first. */
static int order_losses(const void *a, const void *b)
{
    const source_loss *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->last_good != SOURCE_LOST_DEFINITIONS, y->last_good != SOURCE_LOST_DEFINITIONS),
                     TCF_ORDER(x->location, y->location));
}

static tcf_status take_losses(source *to, source *from)
{
    uint32_t n;
    const source_loss *losses = source_losses(from, &n);

    for (uint32_t i = 0; i < n; i++)
        if (source_note_loss(to, (definitions *)(uintptr_t)source_definitions(to), losses[i]) != TCF_OK)
            return TCF_ERROR;
    tcf_sort(to->losses, to->n_losses, sizeof *to->losses, order_losses);
    return TCF_OK;
}

static void add_letters(domains *d, const letters *x)
{
    d->n_letters += x ? x->n_written : 0;
    d->n_batches += x ? x->n_batches : 0;
    d->letter_bytes += x ? x->n_bytes : 0;
}

static void tell_of_letters(const pipeline *p)
{
    const domains *d = p->plan;
    uint64_t sleeps, decisions;

    if (!d->threads)
        return;
    between_threads_counts(d->threads, &sleeps, &decisions);
    const double events = p->n_events > 0 ? (double)p->n_events : 1;
    char times[32] = "once";
    if (decisions != 1)
        snprintf(times, sizeof times, "%llu times", (unsigned long long)decisions);
    error_log(
        TCF_LOG_INFO,
        "in %u domains: %llu letters, %.4f an event, in %llu batches, %.3f bytes an event; threads have slept %llu "
        "times; nobody had anything to run %s",
        d->n, (unsigned long long)d->n_letters, (double)d->n_letters / events, (unsigned long long)d->n_batches,
        (double)d->letter_bytes / events, (unsigned long long)sleeps, times);
}

/* Moves all that a domain has found into p, and deletes its pipeline. */
static tcf_status absorb(pipeline *p, domain *x)
{
    pipeline *q = x->pipeline;

    if (pack_move(p, x) != TCF_OK || take_losses(p->source, q->source) != TCF_OK)
        return TCF_ERROR;
    source_add_unknown(p->source, source_unknown_events(q->source));
    for (uint32_t i = 0; i < p->n_instances; i++) {
        instance *to = &p->instances[i];
        const instance *from = &q->instances[i];
        to->drops |= from->drops;
        for (uint32_t l = 0; to->altered && l < p->defs->n_locations; l++)
            to->altered[l] |= from->altered[l];
    }
    for (uint32_t k = 0; k < p->n_stages; k++)
        if (p->stages[k].kind == STAGE_SEGMENT)
            exchange_add_counts(segment_exchange(p->stages[k].segment),
                                exchange_get_counts(segment_exchange(q->stages[k].segment)));
    if (p->matcher)
        matcher_add_counts(p->matcher, matcher_counts(q->matcher));
    if (p->matcher && pipeline_is_survey(p)) {
        const match_channels channels = matcher_known_channels(q->matcher);
        if (matcher_add_channels(p->matcher, &channels) != TCF_OK)
            return TCF_ERROR;
    }
    add_letters(p->plan, q->letters);
    p->n_events += q->n_events;
    for (uint32_t l = 0; l < p->defs->n_locations; l++)
        if (q->ends[l][0] <= q->ends[l][1])
            memcpy(p->ends[l], q->ends[l], sizeof p->ends[l]);
    p->memory += q->memory;
    p->released_early += q->released_early;
    q->complete = 1;
    pipeline_delete(q);
    large_pages_trim();
    x->pipeline = NULL;
    return TCF_OK;
}

static tcf_status stream_alone(pipeline *p)
{
    for (uint32_t i = 0; i < p->n_instances; i++)
        if (pipeline_begin(p, i) != TCF_OK)
            return TCF_ERROR;
    return pipeline_stream(p);
}

tcf_status domains_stream(pipeline *p)
{
    char text[256];
    domains *d = p->plan;

    domains_describe(p, text, sizeof text);
    if (!p->domain) {
        if (d && (d->peers || p->session->conf.threads > 1)) /* somebody has asked for more */
            error_log(TCF_LOG_WARNING, "%s = %lld: %s", d->peers ? "processes" : "threads",
                      d->peers ? (long long)d->peers->n : (long long)p->session->conf.threads, text);
        return stream_alone(p);
    }
    error_log(TCF_LOG_INFO, "%s", text);
    for (uint32_t k = 1; k < d->n; k++)
        if (make_pipeline(p, &d->at[k]) != TCF_OK)
            return error_while("making domain %u of %u", k + 1, d->n);
    if (begin_all(p) != TCF_OK || run_all(p) != TCF_OK || judge(d) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t k = 1; k < d->n; k++)
        if (absorb(p, &d->at[k]) != TCF_OK)
            return error_while("in domain %u of %u", k + 1, d->n);
    add_letters(d, p->letters);
    tell_of_letters(p);
    pipeline_set_changed(p);
    return TCF_OK;
}
