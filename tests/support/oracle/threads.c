/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Happened-before relations inside a process (D12 to D16 of oracle.h): fork and join of thread teams, creation of and
 * waiting for threads, locks, OpenMP barriers, and RMA operations up to their completion. */
#include "oracle.h"

#include <stdlib.h>

/* One event of a relation: events with equal keys belong together, ordinals pair them. */
struct knot {
    uint64_t key[5];
    uint64_t time;
    size_t location, event;
    bool target;
};

static int compare_keys(const struct knot *x, const struct knot *y)
{
    int order = 0;
    for (int i = 0; i < 5 && !order; i++)
        order = o_compare_u64(x->key[i], y->key[i]);
    return order;
}

static int compare_knots(const void *a, const void *b)
{
    const struct knot *x = a, *y = b;
    int order = compare_keys(x, y);
    if (!order)
        order = (int)x->target - (int)y->target;
    if (!order)
        order = o_compare_u64(x->time, y->time);
    if (!order)
        order = o_compare_u64(x->location, y->location);
    return order ? order : o_compare_u64(x->event, y->event);
}

static void add_edge(struct o_matching *m, enum o_class class, const struct knot *source, const struct knot *target)
{
    struct o_thread_edge *edge = o_push(&m->thread_edges, sizeof *edge);
    *edge = (struct o_thread_edge){class, source->location, source->event, target->location, target->event};
    o_begin_relation(m, class, O_ALL);
    if (class == O_FORK || class == O_JOIN)
        o_relate_in(m, o_canon_of(m, source->key[0]), false);
    o_add_participant(m,
                      &(struct o_participant){.location = source->location, .source = source->event, .target = O_NONE});
    o_add_participant(m,
                      &(struct o_participant){.location = target->location, .source = O_NONE, .target = target->event});
}

static struct knot *add_knot(struct o_matching *m, struct o_list *knots, size_t l, size_t e, bool target)
{
    struct knot *knot = o_push(knots, sizeof *knot);
    *knot = (struct knot){.location = l, .event = e, .target = target, .time = m->running[l][e]};
    return knot;
}

/* Within each key: the i-th source with the i-th target, or every source with every target; both on one location only
 * where threads are created. */
static void join_knots(struct o_matching *m, struct o_list *knots, enum o_class class, bool every)
{
    struct knot *knot = knots->item;
    if (knots->n)
        qsort(knot, knots->n, sizeof *knot, compare_knots);
    for (size_t i = 0; i < knots->n;) {
        size_t end = i, targets;
        while (end < knots->n && !compare_keys(&knot[i], &knot[end]))
            end++;
        for (targets = i; targets < end && !knot[targets].target;)
            targets++;
        for (size_t s = i; s < targets; s++)
            for (size_t t = targets; t < end; t++)
                if ((every || s - i == t - targets) &&
                    (class == O_CREATE || class == O_WAIT || knot[s].location != knot[t].location))
                    add_edge(m, class, &knot[s], &knot[t]);
        i = end;
    }
    free(knots->item);
    *knots = (struct o_list){0};
}

/* ---- teams ---- */

/* Ordinals of THREAD_TEAM_BEGIN by team on one location. */
struct counter {
    uint64_t team;
    size_t n;
};

static size_t count_team(struct o_list *counters, uint64_t team)
{
    struct counter *counter = counters->item;
    for (size_t i = 0; i < counters->n; i++)
        if (counter[i].team == team)
            return counter[i].n++;
    counter = o_push(counters, sizeof *counter);
    *counter = (struct counter){team, 1};
    return 0;
}

static void set_team(struct knot *knot, uint64_t team, size_t number)
{
    knot->key[0] = team;
    knot->key[1] = number;
}

static bool is_member(const struct o_matching *m, uint64_t team, size_t l)
{
    struct o_place place;
    return o_is_team(m, team) && o_comm_place(m->trace, &m->comms, team, l, &place);
}

/* A team whose end is joined, or that is open. */
struct instance {
    uint64_t team;
    size_t number;
    bool known;
};

static void team_end(struct o_matching *m, size_t l, size_t e, const struct instance *ended, struct o_list *joins)
{
    if (ended->known && is_member(m, m->trace->location[l].event[e].field[0], l))
        set_team(add_knot(m, joins, l, e, false), ended->team, ended->number);
}

static void team_knots(struct o_matching *m, size_t l, struct o_list *forks, struct o_list *joins)
{
    const struct o_location *location = &m->trace->location[l];
    struct o_list counters = {0}, open = {0};
    struct instance *begun, last = {0};
    size_t fork = O_NONE;
    for (size_t e = 0; e < location->n; e++) {
        uint64_t team = location->event[e].field[0];
        switch (location->event[e].kind) {
        case O_THREAD_FORK:
        case O_OMP_FORK:
            fork = e;
            break;
        case O_THREAD_TEAM_BEGIN:
            begun = o_push(&open, sizeof *begun);
            *begun = (struct instance){team, count_team(&counters, team), o_is_team(m, team)};
            if (is_member(m, team, l))
                set_team(add_knot(m, forks, l, e, true), team, begun->number);
            if (begun->known && fork != O_NONE && e - fork <= m->lookahead && is_member(m, team, l))
                set_team(add_knot(m, forks, l, fork, false), team, begun->number);
            fork = O_NONE;
            break;
        case O_THREAD_TEAM_END:
            if (!open.n)
                break;
            last = ((struct instance *)open.item)[--open.n];
            team_end(m, l, e, &last, joins);
            break;
        case O_THREAD_JOIN:
        case O_OMP_JOIN:
            if (last.known && is_member(m, last.team, l))
                set_team(add_knot(m, joins, l, e, true), last.team, last.number);
            last.known = false;
            break;
        default:
            break;
        }
    }
    free(counters.item);
    free(open.item);
}

/* ---- creation and locks ---- */

static void create_knots(struct o_matching *m, size_t l, struct o_list *creates, struct o_list *waits)
{
    const struct o_location *location = &m->trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        bool create = event->kind == O_THREAD_CREATE, begin = event->kind == O_THREAD_BEGIN;
        bool end = event->kind == O_THREAD_END, wait = event->kind == O_THREAD_WAIT;
        if (!(create || begin || end || wait) || !o_is_known(m, event->field[0]))
            continue;
        struct knot *knot = add_knot(m, create || begin ? creates : waits, l, e, begin || wait);
        knot->key[0] = location->group;
        knot->key[1] = event->field[0];
        knot->key[2] = event->field[1];
    }
}

static void lock_knots(struct o_matching *m, size_t l, struct o_list *locks)
{
    const struct o_location *location = &m->trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        bool omp = event->kind == O_OMP_ACQUIRE_LOCK || event->kind == O_OMP_RELEASE_LOCK;
        bool acquire = event->kind == O_OMP_ACQUIRE_LOCK || event->kind == O_THREAD_ACQUIRE_LOCK;
        if (!omp && !acquire && event->kind != O_THREAD_RELEASE_LOCK)
            continue;
        const uint64_t *field = event->field + (omp ? 0 : 1); /* lock, acquisition order */
        struct knot *knot = add_knot(m, locks, l, e, acquire);
        knot->key[0] = location->group;
        knot->key[1] = omp ? OTF2_PARADIGM_OPENMP : event->field[0];
        knot->key[2] = field[0];
        knot->key[3] = acquire ? field[1] : field[1] + 1; /* order of the acquisition that follows */
    }
}

void o_match_threads(struct o_matching *m)
{
    struct o_list forks = {0}, joins = {0}, creates = {0}, waits = {0}, locks = {0};
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        team_knots(m, l, &forks, &joins);
        create_knots(m, l, &creates, &waits);
        lock_knots(m, l, &locks);
    }
    join_knots(m, &forks, O_FORK, true);
    join_knots(m, &joins, O_JOIN, true);
    join_knots(m, &creates, O_CREATE, false);
    join_knots(m, &waits, O_WAIT, false);
    join_knots(m, &locks, O_LOCK, false);
}

/* ---- OpenMP barriers ---- */

/* An open team of the location that is replayed. */
struct team {
    uint64_t id;
    size_t number, barriers;
    size_t open;     /* index of its open barrier in matching->barriers, O_NONE */
    uint64_t region; /* the region of that barrier, */
    size_t depth;    /* and how often it is entered */
};

static bool is_barrier_region(const struct o_trace *trace, uint64_t id)
{
    const struct o_region *region = o_find(&trace->regions, sizeof *region, id);
    return region && region->paradigm == OTF2_PARADIGM_OPENMP &&
           (region->role == OTF2_REGION_ROLE_BARRIER || region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER);
}

static void barrier_enter(struct o_matching *m, struct team *team, size_t l, size_t e, uint64_t region)
{
    if (team->open != O_NONE) {
        team->depth += region == team->region;
        return;
    }
    if (!is_member(m, team->id, l) || !is_barrier_region(m->trace, region))
        return;
    struct o_barrier *barrier = o_push(&m->barriers, sizeof *barrier);
    *barrier = (struct o_barrier){team->id, team->number, team->barriers++, l, e, O_NONE};
    team->open = m->barriers.n - 1;
    team->region = region;
    team->depth = 1;
}

static void barrier_leave(struct o_matching *m, struct team *team, size_t e, uint64_t region)
{
    if (team->open == O_NONE || region != team->region || --team->depth > 0)
        return;
    ((struct o_barrier *)m->barriers.item)[team->open].leave = e;
    team->open = O_NONE;
}

static void walk_barriers(struct o_matching *m, size_t l)
{
    const struct o_location *location = &m->trace->location[l];
    struct o_list teams = {0}, counters = {0};
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        uint64_t region;
        if (event->kind == O_THREAD_TEAM_BEGIN) {
            size_t number = count_team(&counters, event->field[0]);
            struct team *team = o_push(&teams, sizeof *team);
            *team = (struct team){.id = event->field[0], .number = number, .open = O_NONE};
        } else if (event->kind == O_THREAD_TEAM_END) {
            teams.n -= teams.n > 0;
        } else if (teams.n && o_region_of(m->trace, event, &region)) {
            struct team *innermost = (struct team *)teams.item + teams.n - 1;
            if (event->kind == O_ENTER || event->kind == O_CALLING_CONTEXT_ENTER)
                barrier_enter(m, innermost, l, e, region);
            else
                barrier_leave(m, innermost, e, region);
        }
    }
    free(teams.item);
    free(counters.item);
}

static int compare_instances(const struct o_barrier *x, const struct o_barrier *y)
{
    int order = o_compare_u64(x->team, y->team);
    if (!order)
        order = o_compare_u64(x->number, y->number);
    return order ? order : o_compare_u64(x->ordinal, y->ordinal);
}

static int compare_barriers(const void *a, const void *b)
{
    const struct o_barrier *x = a, *y = b;
    int order = compare_instances(x, y);
    return order ? order : o_compare_u64(x->location, y->location);
}

void o_match_barriers(struct o_matching *m)
{
    for (size_t l = 0; l < m->trace->n_locations; l++)
        walk_barriers(m, l);
    struct o_barrier *barrier = m->barriers.item;
    if (m->barriers.n)
        qsort(barrier, m->barriers.n, sizeof *barrier, compare_barriers);
    for (size_t i = 0; i < m->barriers.n; i++) {
        if (i == 0 || compare_instances(&barrier[i - 1], &barrier[i])) {
            o_begin_relation(m, O_BARRIER, O_ALL);
            o_relate_in(m, o_canon_of(m, barrier[i].team), false);
        }
        o_add_participant(m, &(struct o_participant){.location = barrier[i].location,
                                                     .source = barrier[i].enter,
                                                     .target = barrier[i].leave});
    }
}

/* ---- RMA operations: both sides on one location ---- */

static void rma_knots(struct o_matching *m, size_t l, struct o_list *knots)
{
    const struct o_location *location = &m->trace->location[l];
    for (size_t e = 0; e < location->n; e++) {
        const struct o_event *event = &location->event[e];
        bool op = event->kind == O_RMA_PUT || event->kind == O_RMA_GET || event->kind == O_RMA_ATOMIC;
        if (!op && event->kind != O_RMA_OP_COMPLETE_BLOCKING && event->kind != O_RMA_OP_COMPLETE_NON_BLOCKING)
            continue;
        struct knot *knot = add_knot(m, knots, l, e, !op);
        knot->key[0] = event->field[0];
        knot->key[1] = event->field[event->kind == O_RMA_ATOMIC ? 5 : op ? 3 : 1];
    }
}

static int compare_by_event(const void *a, const void *b)
{
    const struct knot *x = a, *y = b;
    int order = compare_keys(x, y);
    return order ? order : o_compare_u64(x->event, y->event);
}

void o_match_rma(struct o_matching *m)
{
    for (size_t l = 0; l < m->trace->n_locations; l++) {
        struct o_list knots = {0};
        rma_knots(m, l, &knots);
        struct knot *knot = knots.item;
        if (knots.n)
            qsort(knot, knots.n, sizeof *knot, compare_by_event);
        const struct knot *completion = NULL;
        for (size_t i = knots.n; i-- > 0;) { /* from behind: the completion that comes next */
            if (completion && compare_keys(completion, &knot[i]))
                completion = NULL;
            if (knot[i].target)
                completion = &knot[i];
            else if (completion)
                add_edge(m, O_RMA_OP, &knot[i], completion);
        }
        free(knots.item);
    }
}
