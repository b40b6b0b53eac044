/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Waits of threads: barriers of teams, locks, and the time between teams. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

static const struct o_region *region_of(const struct o_waits *w, const struct o_call *c)
{
    return c ? o_find(&w->m->trace->regions, sizeof(struct o_region), c->region) : NULL;
}

/* ---- barriers ---- */

static bool same_barrier(const struct o_barrier *a, const struct o_barrier *b)
{
    return a->team == b->team && a->number == b->number && a->ordinal == b->ordinal;
}

static void judge_barrier(struct o_waits *w, const struct o_barrier *b, size_t n)
{
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (b[i].leave == O_NONE)
            return;
        if (o_event_time(w, b[i].location, b[i].enter) > o_event_time(w, b[last].location, b[last].enter))
            last = i;
    }
    uint64_t latest = o_event_time(w, b[last].location, b[last].enter);
    for (size_t i = 0; i < n; i++) {
        uint64_t enter = o_event_time(w, b[i].location, b[i].enter), leave = o_event_time(w, b[i].location, b[i].leave);
        struct o_spot at = o_spot(w, b[i].location, b[i].leave);
        const struct o_region *region = region_of(w, o_call(w, b[i].location, at.call));
        bool implicit = region && region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
        uint64_t until = latest < leave ? latest : leave;
        w->targets[2]++;
        w->reversed[2] += latest > leave;
        o_add_meeting(w, b[i].location, at.call, enter, leave);
        o_add_wait(w, &(struct o_wait){.pattern = implicit ? "omp_ibarrier_wait" : "omp_ebarrier_wait",
                                       .location = b[i].location,
                                       .call = at.call,
                                       .from = enter,
                                       .length = until > enter ? until - enter : 0,
                                       .cause = o_spot(w, b[last].location, b[last].enter),
                                       .reversed = latest > leave});
    }
}

static void judge_barriers(struct o_waits *w)
{
    const struct o_barrier *b = w->m->barriers.item;
    for (size_t i = 0, n; i < w->m->barriers.n; i += n) {
        for (n = 1; i + n < w->m->barriers.n && same_barrier(&b[i], &b[i + n]);)
            n++;
        const struct o_canon *team = o_canon_of(w->m, b[i].team);
        w->operations++;
        if (team && n == team->side[0].n)
            judge_barrier(w, &b[i], n);
    }
}

/* ---- locks ---- */

static const char *lock_pattern(const struct o_waits *w, const struct o_call *c)
{
    const struct o_region *region = region_of(w, c);
    char buffer[32];
    const char *name = o_region_name(w->m->trace, c->region, buffer);
    if (!strncmp(name, "pthread_mutex_", 14) || !strncmp(name, "pthread_spin_", 13) ||
        !strncmp(name, "pthread_rwlock_", 15))
        return "pthread_lock_contention_mutex_lock";
    if (!strncmp(name, "pthread_cond_", 13))
        return "pthread_lock_contention_conditional";
    return region && region->paradigm == OTF2_PARADIGM_OPENMP &&
                   (region->role == OTF2_REGION_ROLE_CRITICAL || region->role == OTF2_REGION_ROLE_ORDERED)
               ? "omp_lock_contention_critical"
               : "omp_lock_contention_api";
}

static void judge_lock(struct o_waits *w, const struct o_thread_edge *x)
{
    uint64_t released = o_event_time(w, x->source_location, x->source),
             got = o_event_time(w, x->target_location, x->target);
    struct o_spot at = o_spot(w, x->target_location, x->target), cause = o_spot(w, x->source_location, x->source);
    const struct o_call *c = o_call(w, x->target_location, at.call);
    uint64_t until = released < got ? released : got;
    w->targets[2]++;
    w->reversed[2] += released > got;
    cause.time = released;
    if (c)
        o_add_wait(w, &(struct o_wait){.pattern = lock_pattern(w, c),
                                       .location = x->target_location,
                                       .call = at.call,
                                       .from = at.time,
                                       .length = until > at.time ? until - at.time : 0,
                                       .cause = cause,
                                       .reversed = released > got});
}

/* ---- threads without a team ---- */

/* The fork of another location that a team begin belongs to. */
static const struct o_thread_edge *fork_of(const struct o_waits *w, size_t l, size_t e)
{
    const struct o_thread_edge *x = w->m->thread_edges.item;
    for (size_t i = 0; i < w->m->thread_edges.n; i++)
        if (x[i].class == O_FORK && x[i].target_location == l && x[i].target == e)
            return &x[i];
    return NULL;
}

static void add_idle(struct o_waits *w, size_t l, struct o_spot where, uint64_t from, uint64_t to)
{
    if (to > from)
        o_add_wait(w, &(struct o_wait){.pattern = "omp_idle_threads",
                                       .location = l,
                                       .call = O_NONE,
                                       .from = from,
                                       .length = to - from,
                                       .cause = where,
                                       .is_idle = true});
}

static uint64_t end_of_process(const struct o_waits *w, size_t l)
{
    uint64_t last = 0;
    for (size_t k = 0; k < w->m->trace->n_locations; k++) {
        const struct o_location *other = &w->m->trace->location[k];
        if (other->group == w->m->trace->location[l].group && other->n && o_event_time(w, k, other->n - 1) > last)
            last = o_event_time(w, k, other->n - 1);
    }
    return last;
}

static void judge_idleness(struct o_waits *w, size_t l)
{
    const struct o_location *location = &w->m->trace->location[l];
    size_t teams = 0;
    bool is_worker = false;
    uint64_t since = 0;
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        if (event->kind == O_THREAD_TEAM_END && teams > 0 && --teams == 0)
            since = o_event_time(w, l, e);
        if (event->kind != O_THREAD_TEAM_BEGIN || teams++ > 0)
            continue;
        const struct o_thread_edge *fork = fork_of(w, l, e);
        if (!fork)
            continue;
        uint64_t begin = o_event_time(w, fork->source_location, 0), own = o_event_time(w, l, 0);
        struct o_spot where = {fork->source_location, w->of_event[fork->source_location][fork->source], 0};
        add_idle(w, l, where, is_worker ? since : begin < own ? begin : own, o_event_time(w, l, e));
        is_worker = true;
    }
    if (is_worker && teams == 0)
        add_idle(w, l, (struct o_spot){O_NONE, O_NONE, 0}, since, end_of_process(w, l));
}

/* ---- forks and joins ---- */

/* Event `to` is in the call of event `from`, and no other call has taken any time in between. */
static bool nothing_between(const struct o_waits *w, size_t l, size_t from, size_t to)
{
    const size_t call = w->call_at[l][from];
    if (call == O_NONE || w->call_at[l][to] != call)
        return false;
    for (size_t i = 0; i < w->calls[l].n; i++) {
        const struct o_call *c = o_call(w, l, i);
        if (c->parent == call && c->last > from && c->last < to && c->leave > c->enter)
            return false;
    }
    return true;
}

/* What a thread spends on its own teams: from a fork to the begin of a team, from the end of a team to a join. */
static void judge_management(struct o_waits *w, size_t l)
{
    const struct o_location *location = &w->m->trace->location[l];
    size_t forked = O_NONE, ended = O_NONE;
    for (size_t e = 0; e < location->n; e++) {
        size_t from = O_NONE;
        const char *pattern = "omp_fork";
        switch (location->event[e].kind) {
        case O_THREAD_FORK:
        case O_OMP_FORK:
            forked = e;
            ended = O_NONE;
            continue;
        case O_THREAD_TEAM_END:
            ended = e;
            forked = O_NONE;
            continue;
        case O_THREAD_TEAM_BEGIN:
            from = forked;
            break;
        case O_THREAD_JOIN:
        case O_OMP_JOIN:
            from = ended;
            pattern = "omp_join";
            break;
        default:
            continue;
        }
        forked = ended = O_NONE;
        if (from != O_NONE && nothing_between(w, l, from, e))
            o_add_wait(w, &(struct o_wait){.pattern = pattern,
                                           .location = l,
                                           .call = w->call_at[l][from],
                                           .from = o_event_time(w, l, from),
                                           .length = o_event_time(w, l, e) - o_event_time(w, l, from),
                                           .cause = {O_NONE, O_NONE, 0}});
    }
}

void o_find_thread_waits(struct o_waits *w)
{
    const struct o_thread_edge *x = w->m->thread_edges.item;
    judge_barriers(w);
    for (size_t i = 0; i < w->m->thread_edges.n; i++)
        if (x[i].class == O_LOCK)
            judge_lock(w, &x[i]);
    for (size_t l = 0; l < w->m->trace->n_locations; l++) {
        judge_idleness(w, l);
        judge_management(w, l);
    }
}
