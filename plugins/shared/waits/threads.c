/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Threads: locks that another thread holds, and threads between teams. */
#include "internal.h"

/* The numbers that a fork publishes. */
enum { FORK_CALLPATH, PROCESS_BEGIN };

static uint32_t lock_pattern(const waits *w, const waits_call *c)
{
    switch (w->kind_of_region[c->region]) {
    case WAIT_OMP_CRITICAL:
    case WAIT_OMP_ORDERED:
        return WAIT_OMP_LOCK_CRITICAL;
    case WAIT_PTHREAD_CONDITIONAL:
        return WAIT_PTHREAD_LOCK_CONDITION;
    case WAIT_PTHREAD_LOCK_API:
        return WAIT_PTHREAD_LOCK_MUTEX;
    default:
        return WAIT_OMP_LOCK_CONTENTION;
    }
}

static tcf_status acquire(const waits_at *at, const tcf_edge *e)
{
    tcf_self *self = at->self;
    const waits_message *m = self->host->payload(self, e);
    const waits_call *c = innermost(at->w, at->k);
    if (!m || !m->is_there || m->location == at->s->location)
        return TCF_OK;
    const int reversed = m->time > at->now;
    at->w->counts.edges[WAITS_THREAD]++;
    at->w->counts.reversed[WAITS_THREAD] += (uint64_t)reversed;
    const uint64_t until = min_u64(m->time, at->now);
    if (!c || c->region >= self->defs->n_regions || until <= c->enter)
        return TCF_OK;
    const wait found = {.pattern = lock_pattern(at->w, c),
                        .location = at->s->location,
                        .callpath = c->callpath,
                        .from = c->enter,
                        .length = until - c->enter,
                        .cause_location = m->location,
                        .cause_callpath = m->callpath,
                        .cause_time = m->time,
                        .reversed = (uint8_t)reversed,
                        .kind = waits_kind_of(at->w, c->callpath)};
    return report_found(self, &found);
}

tcf_status lock_edge(const waits_at *at, const tcf_edge *e)
{
    if (e->flags & TCF_EDGE_UNMATCHED)
        return TCF_OK;
    if (e->flags & TCF_EDGE_TARGET)
        return acquire(at, e);
    waits_message *m = e->flags & TCF_EDGE_SOURCE ? at->self->host->payload(at->self, e) : NULL;
    if (m)
        *m = message_at(at, innermost(at->w, at->k));
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- teams -- */

static tcf_status idle(tcf_self *self, uint32_t location, uint32_t callpath, uint64_t from, uint64_t to)
{
    if (to <= from)
        return TCF_OK;
    const wait found = {.pattern = WAIT_IDLE_THREADS,
                        .location = location,
                        .callpath = callpath,
                        .from = from,
                        .length = to - from,
                        .cause_location = TCF_NONE,
                        .cause_callpath = TCF_NONE};
    return report_found(self, &found);
}

/* A thread joins a team that another thread forked: it was idle until now. */
static tcf_status begin_team(const waits_at *at, const tcf_edge *e)
{
    waits_track *k = at->k;
    uint64_t callpath = 0, begin = at->now;
    if (k->teams++ > 0 || !(e->flags & TCF_EDGE_TARGET) || e->flags & TCF_EDGE_UNMATCHED)
        return TCF_OK;
    const tcf_host *host = at->self->host;
    if (!host->latest(at->self, e, FORK_CALLPATH, &callpath) || !host->latest(at->self, e, PROCESS_BEGIN, &begin))
        return TCF_OK;
    const uint64_t since = k->is_worker ? k->idle_since : min_u64(begin, k->first);
    k->is_worker = 1;
    return idle(at->self, at->s->location, (uint32_t)callpath, since, at->now);
}

tcf_status team_edge(const waits_at *at, const tcf_edge *e)
{
    const tcf_host *host = at->self->host;
    const waits_call *c = innermost(at->w, at->k);
    switch (at->s->kind[at->i]) {
    case TCF_THREAD_FORK:
    case TCF_OMP_FORK:
        if (e->flags & TCF_EDGE_SOURCE) {
            host->publish(at->self, e, FORK_CALLPATH, c ? c->callpath : 0);
            host->publish(at->self, e, PROCESS_BEGIN, at->k->first);
        }
        return TCF_OK;
    case TCF_THREAD_TEAM_BEGIN:
        return begin_team(at, e);
    case TCF_THREAD_TEAM_END:
        if (at->k->teams > 0 && --at->k->teams == 0)
            at->k->idle_since = at->now;
        return TCF_OK;
    default:
        return TCF_OK;
    }
}

/* The forking thread is busy with its team from the fork to the team's begin, and from the team's end to the join, if
 * it is in no other call meanwhile. */
tcf_status team_management(const waits_at *at)
{
    waits_track *k = at->k;
    const uint8_t kind = at->s->kind[at->i];
    const waits_call *c = innermost(at->w, k);
    const int begins = kind == TCF_THREAD_TEAM_BEGIN, ends = kind == TCF_THREAD_JOIN || kind == TCF_OMP_JOIN;
    const uint64_t since = k->team_step.since;
    const int fits =
        (begins && k->team_step.kind == TCF_THREAD_FORK) || (ends && k->team_step.kind == TCF_THREAD_TEAM_END);
    const int same_call = c && c->enter <= since && c->inner == k->team_step.inner && k->depth == k->team_step.depth;
    k->team_step.kind = 0;
    if (!begins && !ends) {
        k->team_step.kind = kind == TCF_THREAD_TEAM_END ? TCF_THREAD_TEAM_END : TCF_THREAD_FORK;
        k->team_step.since = at->now;
        k->team_step.inner = c ? c->inner : 0;
        k->team_step.depth = k->depth;
        return TCF_OK;
    }
    if (!fits || !same_call || at->now <= since)
        return TCF_OK;
    const wait found = {.pattern = begins ? WAIT_OMP_FORK : WAIT_OMP_JOIN,
                        .location = at->s->location,
                        .callpath = c->callpath,
                        .from = since,
                        .length = at->now - since,
                        .cause_location = TCF_NONE,
                        .cause_callpath = TCF_NONE,
                        .kind = waits_kind_of(at->w, c->callpath)};
    return report_found(at->self, &found);
}

/* A thread is idle from its last team to the end of its process, too. */
tcf_status threads_end(tcf_self *self)
{
    waits *w = waits_of(self);
    const tcf_definitions *d = self->defs;
    for (uint32_t p = 0; p < d->n_location_groups; p++)
        w->of_process[p] = 0;
    for (uint32_t l = 0; l < d->n_locations; l++)
        if (tcf_location_at(d, l)->group < d->n_location_groups && tcf_location_at(d, l)->type == TCF_CPU_THREAD)
            w->of_process[tcf_location_at(d, l)->group] =
                max_u64(w->of_process[tcf_location_at(d, l)->group], waits_track_of(self, l)->last);
    for (uint32_t l = 0; l < d->n_locations; l++) {
        const waits_track *k = waits_track_of(self, l);
        if (k->is_worker && k->teams == 0 && tcf_location_at(d, l)->group < d->n_location_groups &&
            idle(self, l, 0, k->idle_since, w->of_process[tcf_location_at(d, l)->group]) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}
