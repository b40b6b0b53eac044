/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The domains of this process, and the threads that run them; see domains.h. The main thread makes the pipelines, and
 * starts their filters one after another. Then it looks after the threads: it shows progress, and sets `stop` when the
 * user interrupts the run; a thread that fails sets it, too. Where there are other processes, it is one of these
 * threads, for it alone may speak to them. */
#include "domains.h"
#include "framework/base/resources.h"
#include "survey.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --------------------------------------------------------------------------------------------------- the domains -- */

static tcf_status make_pipeline(const pipeline *p, domain *x)
{
    pipeline *q = x->pipeline = pipeline_new(p->session, p->chain);

    if (!q)
        return TCF_ERROR;
    q->next = p->next;
    q->domain = x;
    q->changed_before = p->changed_before;
    if (!(q->source = source_share(p->source)) || source_own(q->source, x->all->of, x->number) != TCF_OK)
        return TCF_ERROR;
    q->defs = source_definitions(q->source);
    return pipeline_make_chain(q) == TCF_OK && pipeline_build(q) == TCF_OK ? survey_hand_on(q) : TCF_ERROR;
}

tcf_status domains_make(pipeline *p)
{
    const domains *d = p->plan;

    if (source_own(p->source, d->of, d->first) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t k = 1; k < d->here; k++)
        if (make_pipeline(p, &d->at[d->first + k]) != TCF_OK)
            return error_while("making domain %u of %u", d->first + k + 1, d->n);
    return TCF_OK;
}

/* Filter by filter: one may replace a learned table for those behind it. */
tcf_status domains_begin(const pipeline *p)
{
    const domains *d = p->plan;

    for (uint32_t i = 0; i < p->n_instances; i++)
        for (uint32_t k = 0; k < d->here; k++)
            if (pipeline_begin(d->at[d->first + k].pipeline, i) != TCF_OK)
                return TCF_ERROR;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

/* All domains have ended, and what runs is the end of the first one's filters: other processes of the machine wait for
 * it, so that it may use their cores, as far as it may run on them. */
uint32_t domains_count_helped(const pipeline *p)
{
    const domains *d = p->plan;

    if (!p->domain || d->running)
        return 1;
    const uint64_t beside = d->peers ? (uint64_t)d->here * d->peers->beside : d->here,
                   most = beside < d->n ? beside : d->n;
    return most < d->cores ? (uint32_t)most : d->cores;
}

void domains_divide(const pipeline *p, void (*work)(void *data, uint32_t k), void *data, uint32_t n)
{
    const uint32_t threads = domains_count_helped(p);

    if (threads > 1 && !p->plan->team)
        p->plan->team = team_new(threads - 1);
    team_run(threads > 1 ? p->plan->team : NULL, work, data, n);
}

static void note_failure(domain *x)
{
    x->status = TCF_ERROR;
    x->error = strdup(error_text());
    x->is_usage = error_is_usage();
    domains_stop(x->all);
}

/* A domain has ended; nothing of it runs any more. */
static void note_end(domain *x, tcf_status status)
{
    x->status = status == TCF_OK ? domain_holds_nothing(x->pipeline) : status;
    domain_report_progress(x->pipeline);
    x->facts->events = x->pipeline->n_events;
    pool_rest(x->pipeline->pool);
    if (x->status != TCF_OK)
        note_failure(x);
    atomic_store(&x->has_ended, 1);
    if (x->all->threads)
        between_threads_leave(x->all->threads, x->number);
}

static int can_be_absorbed(const domains *d, uint32_t k)
{
    return k < d->n && atomic_load(&d->at[k].has_ended) && d->at[k].status == TCF_OK;
}

/* Without letters nobody waits for a domain that has ended: the first one absorbs it as soon as it has ended itself, in
 * the order of domains, so that not all that they have found is there at a time. */
static void absorb_ended(domains *d)
{
    uint32_t k = 0;

    do {
        if (pthread_mutex_trylock(&d->absorbing) != 0)
            return; /* the thread that holds it looks again */
        while (can_be_absorbed(d, k = d->absorbed)) {
            if (k > 0 && domains_absorb(d->at->pipeline, &d->at[k]) != TCF_OK)
                note_failure(&d->at[k]);
            else
                d->absorbed++;
        }
        pthread_mutex_unlock(&d->absorbing);
    } while (can_be_absorbed(d, k));
}

/* Runs a domain, from its begin or on, until it rests or ends. */
static void run(domain *x, verdict found)
{
    pipeline *p = x->pipeline;

    for (;;) {
        const double started = now_seconds();
        const uint32_t turns = p->turns;
        const tcf_status status = x->has_begun ? pipeline_go_on(p, found) : pipeline_stream(p);
        x->has_begun = 1;
        x->facts->seconds += now_seconds() - started;
        if (status != TCF_OK || !p->rests) {
            note_end(x, status);
            return;
        }
        p->resting.has_run = p->turns != turns;
        found = p->letters->to.rest(p->letters->to.data, &p->resting);
        if (found == VERDICT_LATER)
            return; /* another thread may run it already */
    }
}

/* A thread: runs domains one after another, to their ends, or those that have something to run. */
static void run_domains(domains *d)
{
    domain_runner me = {0};
    uint32_t k;
    verdict found;

    while (!d->threads && (k = atomic_fetch_add(&d->next, 1)) < d->here) {
        run(&d->at[d->first + k], VERDICT_LETTERS);
        if (!d->peers && !d->wait_outside)
            absorb_ended(d);
    }
    while (d->threads && between_threads_next(d->threads, &me, &k, &found))
        run(&d->at[k], found);
}

static void *run_thread(void *data)
{
    domains *d = data;

    run_domains(d);
    pthread_mutex_lock(&d->ending);
    d->n_ended++;
    pthread_cond_signal(&d->ended);
    pthread_mutex_unlock(&d->ending);
    return NULL;
}

static void look_after(pipeline *p, uint64_t total_bytes)
{
    const session_hooks *hooks = p->session->hooks;

    if (p->plan->peers)
        domains_keep_in_touch(p);
    if (p->plan->peers || !hooks)
        return;
    if (hooks->interrupted && *hooks->interrupted)
        domains_stop(p->plan);
    const peers_progress here = domains_progress(p->plan);
    session_progress sum = {.events = here.events, .bytes = here.bytes, .total_bytes = total_bytes};
    pipeline_name_pass(p, &sum);
    if (hooks->progress)
        hooks->progress(hooks->data, &sum);
}

/* Waits until the first n threads have ended. */
static void wait_for(pipeline *p, uint32_t n, uint64_t total_bytes)
{
    enum { PERIOD_NS = 100000000, SHORT_NS = 5000000 };
    domains *d = p->plan;
    const int looks_ahead = source_reads_ahead(p->source), ticks = d->threads && (looks_ahead || p->live);

    pthread_mutex_lock(&d->ending);
    while (d->n_ended < n) {
        pthread_mutex_unlock(&d->ending);
        const struct timespec until = time_in(looks_ahead ? SHORT_NS : PERIOD_NS);
        if (ticks)
            between_threads_wake(d->threads, VERDICT_LETTERS);
        look_after(p, total_bytes);
        pthread_mutex_lock(&d->ending);
        if (d->n_ended < n)
            pthread_cond_timedwait(&d->ended, &d->ending, &until);
    }
    pthread_mutex_unlock(&d->ending);
    for (uint32_t k = 0; k < n; k++)
        pthread_join(d->at[d->first + k].thread, NULL);
}

/* Signals that end the run come to the main thread. Returns why not so many threads could be started. */
static int start_threads(domains *d, uint32_t n, uint32_t *started)
{
    sigset_t ending, before;
    int failure = 0;

    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigaddset(&ending, SIGALRM); /* behind one of these */
    pthread_sigmask(SIG_BLOCK, &ending, &before);
    for (*started = 0; *started < n; ++*started)
        if ((failure = pthread_create(&d->at[d->first + *started].thread, NULL, run_thread, d)) != 0)
            break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

/* The reason why the run failed is that of a domain that wasn't told to stop. */
static tcf_status judge(const domains *d, int *told)
{
    *told = 0;
    for (uint32_t k = d->first; k < d->first + d->here; k++) {
        const domain *x = &d->at[k];
        *told |= x->status != TCF_OK;
        if (x->status == TCF_OK || x->told)
            continue;
        *told = 0;
        error_fail("%s", x->error ? x->error : "out of memory");
        if (x->is_usage)
            error_as_usage();
        return error_while("in domain %u of %u", k + 1, d->n);
    }
    return *told ? error_fail("interrupted") : TCF_OK;
}

tcf_status domains_run(pipeline *p, int *told)
{
    domains *d = p->plan;
    uint64_t bytes, total_bytes;
    const uint32_t n = domains_count_threads(d), own = d->peers != NULL;
    uint32_t started;

    *told = 0;
    source_progress(p->source, &bytes, &total_bytes);
    d->running = 1;
    const int failure = start_threads(d, n - own, &started);
    if (failure)
        domains_stop(d);
    if (own)
        run_domains(d);
    wait_for(p, started, total_bytes);
    d->running = 0;
    return failure ? error_fail("cannot start %u threads: %s", n, strerror(failure)) : judge(d, told);
}
