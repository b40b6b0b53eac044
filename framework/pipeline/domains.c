/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See domains.h. How the chain is split, and what becomes of what the domains have found. */
#include "domains.h"
#include "framework/base/resources.h"
#include "framework/source/open.h"
#include "pack.h"

#include <private/scaled.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

    if ((f->self.needs & TCF_NEED_TOGETHER || f->self.can & TCF_CAN_LIVE) && !(f->self.can & TCF_CAN_DOMAINS))
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
    if (source_is_stream(s->source)) {
        snprintf(why, bytes, "the input is streams, and nothing asks for threads");
        return 1;
    }
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

/* So many are asked for; 0: the machine and the trace decide. */
static uint32_t domains_wanted(const session *s)
{
    const uint32_t each = (uint32_t)s->conf.threads;

    return s->peers ? s->peers->n * (each > 0 ? each : 1) : each;
}

/* What the first domain does for an event of another one, in thousandths of what that one does. It is known roughly,
 * for it depends on the trace how much there is to judge. So it is taken for no more than MOST: too few locations in
 * the first domain cost as much as too many. */
static uint32_t gathered_share(const pipeline *p)
{
    enum { READING_NS = 30, FILTER_NS = 10, MOST = 550 };
    uint32_t gathered = 0;

    for (uint32_t i = 0; i < p->n_instances; i++)
        gathered += p->instances[i].gathers;
    gathered = gathered * 1000 / (READING_NS + FILTER_NS * p->n_instances);
    return gathered < MOST ? gathered : MOST;
}

static int stays_in_one(const pipeline *p, domains *d)
{
    const source *src = p->session->source;

    if (source_is_stream(src) && !source_can_be_shared(src))
        snprintf(d->why, sizeof d->why, "%s",
                 source_names_several(p->session->conf.input)
                     ? "streams don't say which of them has the events of a location"
                     : "the input is a stream");
    else if (!source_can_be_shared(src))
        snprintf(d->why, sizeof d->why, "event files are read by libotf2, which has no locks");
    const char *why;
    const instance *f = *d->why ? NULL : who_needs_one(p, &why);
    if (f)
        snprintf(d->why, sizeof d->why, "'%s' %s", f->self.name, why);
    return *d->why != '\0';
}

/* Each process gets a run of domains, as many as the others or one more; where there are fewer domains than processes,
 * the first ones get one each. */
static tcf_status give_to_processes(domains *d)
{
    d->processes = d->n < d->peers->n ? d->n : d->peers->n;
    d->here = 0;
    if (!(d->process = malloc(d->n * sizeof *d->process)))
        return error_fail("out of memory for %u domains", d->n);
    for (uint32_t k = d->n; k-- > 0;) {
        d->process[k] = (uint32_t)((uint64_t)k * d->processes / d->n);
        if (d->process[k] != d->peers->me)
            continue;
        d->first = k;
        d->here++;
    }
    return TCF_OK;
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
    d->wait_outside = source_is_stream(p->session->source);
    for (uint32_t i = 0; i < p->n_instances; i++)
        d->wait_outside |= p->instances[i].waits_outside;
    d->here = d->n;
    if (d->peers && give_to_processes(d) != TCF_OK)
        return TCF_ERROR;
    if (d->here == 0)
        return TCF_OK;
    p->domain = &d->at[d->first];
    p->domain->pipeline = p;
    if (p->edges && !(d->threads = between_threads_new(d->first, d->here, domains_count_threads(d), d->peers)))
        return TCF_ERROR;
    return TCF_OK;
}

tcf_status domains_plan(pipeline *p)
{
    const session *s = p->session;
    uint32_t wanted = domains_wanted(s), processes;

    if (wanted == 1)
        return TCF_OK;
    domains *d = p->plan = calloc(1, sizeof *d);
    if (!d)
        return error_fail("out of memory for the domains");
    d->n = 1;
    pthread_mutex_init(&d->absorbing, NULL);
    pthread_mutex_init(&d->ending, NULL);
    pthread_condattr_t by_uptime; /* a clock that nobody sets */
    pthread_condattr_init(&by_uptime);
    pthread_condattr_setclock(&by_uptime, CLOCK_MONOTONIC);
    pthread_cond_init(&d->ended, &by_uptime);
    pthread_condattr_destroy(&by_uptime);
    d->peers = s->peers;
    d->cores = s->machine.cores;
    if (stays_in_one(p, d))
        return TCF_OK;
    if (wanted == 0)
        wanted = choose(s, d->why, sizeof d->why);
    if (wanted == 1)
        return TCF_OK;
    if (partition_find(s->source, wanted, gathered_share(p), &d->of, &d->n, &processes) != TCF_OK)
        return TCF_ERROR;
    if (d->n > 1)
        return count_domains(p, d);
    snprintf(d->why, sizeof d->why, processes > 1 ? "nearly all events are of one process" : "there is one process");
    if (source_is_stream(s->source))
        snprintf(d->why, sizeof d->why, "nearly all events are of one stream");
    return TCF_OK;
}

/* Which filters judge in the first domain. */
static void describe_gather(const pipeline *p, char *to, size_t bytes)
{
    const char *before = "; edges, and the time between them, are gathered in the first one for ";
    size_t n = 0;

    for (uint32_t i = 0; i < p->n_instances && n < bytes; i++) {
        if (!p->instances[i].gathers)
            continue;
        n += (size_t)snprintf(to + n, bytes - n, "%s'%s'", before, p->instances[i].self.name);
        before = ", ";
    }
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
        snprintf(where, sizeof where, "on %u threads", domains_count_threads(d));
    else if (d->processes < d->n)
        snprintf(where, sizeof where, "in %u processes", d->processes);
    int n = snprintf(to, bytes, "%s: in %u domains, %s%s%s%s; the largest has %.2f times the mean of the bytes", what,
                     d->n, where, *d->why ? " (" : "", d->why, *d->why ? ")" : "",
                     all > 0 ? (double)largest * d->n / (double)all : 1.0);
    if (gathered_share(p) > 0 && all > 0)
        n += snprintf(to + n, bytes - (size_t)n, ", the first one, which judges for all, %.2f times",
                      (double)d->facts[0].bytes * d->n / (double)all);
    if (d->facts[slowest].seconds > 0)
        n += snprintf(to + n, bytes - (size_t)n, ", domain %u took longest, %.3f s", slowest + 1,
                      d->facts[slowest].seconds);
    if ((size_t)n < bytes)
        describe_gather(p, to + n, bytes - (size_t)n);
}

/* -------------------------------------------------------------------------------------------------------- the end --
 */

void domains_tell_of_letters(const pipeline *p)
{
    const domains *d = p->plan;
    const letter_counts *l = &d->letters;
    uint64_t sleeps, decisions, messages = 0;
    char text[64] = "", times[32] = "once";

    if (!d->threads)
        return;
    between_threads_counts(d->threads, &sleeps, &decisions);
    if (d->peers) {
        d->peers->counts(d->peers->data, &messages, &decisions);
        snprintf(text, sizeof text, " and %llu messages", (unsigned long long)d->n_messages + messages);
    }
    const double events = p->n_events > 0 ? (double)p->n_events : 1;
    if (decisions != 1)
        snprintf(times, sizeof times, "%llu times", (unsigned long long)decisions);
    error_log(TCF_LOG_INFO,
              "in %u domains: %llu letters, %.4f an event, in %llu batches%s, %.3f bytes an event; %llu batches each "
              "had to wait "
              "for the one before; threads %shave slept %llu times; nobody had anything to run %s",
              d->n, (unsigned long long)l->letters, (double)l->letters / events, (unsigned long long)l->batches, text,
              (double)l->bytes / events, (unsigned long long)l->chain, d->peers ? "of process 1 " : "",
              (unsigned long long)sleeps, times);
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
    char text[512];
    domains *d = p->plan;

    domains_describe(p, text, sizeof text);
    if (!p->domain) {
        if (d && (d->peers || p->session->conf.threads > 1)) /* somebody has asked for more */
            error_log(TCF_LOG_WARNING, "%s = %lld: %s", d->peers ? "processes" : "threads",
                      d->peers ? (long long)d->peers->n : (long long)p->session->conf.threads, text);
        return stream_alone(p);
    }
    error_log(TCF_LOG_INFO, "%s", text);
    int told;
    if (domains_make(p) != TCF_OK || domains_begin(p) != TCF_OK || domains_run(p, &told) != TCF_OK)
        return TCF_ERROR;
    for (d->absorbed += d->absorbed == 0; d->absorbed < d->n; d->absorbed++)
        if (domains_absorb(p, &d->at[d->absorbed]) != TCF_OK)
            return error_while("in domain %u of %u", d->absorbed + 1, d->n);
    domains_add_letters(d, p->letters);
    domains_tell_of_letters(p);
    pipeline_set_changed(p);
    return TCF_OK;
}
