/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Overhead compensation, event by event over the whole trace: plugins/overhead/README.md and the paper read aloud.
 * Events are taken in any order in which the sources of an event come before it. Every event asks the trace for all it
 * needs to know: calls are looked for backward and forward, nothing is carried along but the times of the events
 * before. */
#include "overhead_run.h"

#include <stdlib.h>

/* ---- followers ---- */

static bool is_rank(const struct o_trace *trace, uint64_t location)
{
    const struct o_group *group = trace->groups.item;
    for (size_t i = 0; i < trace->groups.n; i++)
        for (size_t k = 0; k < group[i].n; k++)
            if (group[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group[i].paradigm == OTF2_PARADIGM_MPI &&
                group[i].member[k] == location)
                return true;
    return false;
}

bool o_is_thread(const struct o_trace *trace, size_t l)
{
    return trace->location[l].type == OTF2_LOCATION_TYPE_CPU_THREAD;
}

/* The thread of a location group that the others follow. */
static size_t leader_of_group(const struct o_trace *trace, uint64_t group)
{
    size_t best = O_NONE;
    for (int ranks = 1; ranks >= 0 && best == O_NONE; ranks--)
        for (size_t l = 0; l < trace->n_locations; l++) {
            const struct o_location *location = &trace->location[l];
            if (location->group == group && location->n > 0 && o_is_thread(trace, l) &&
                is_rank(trace, location->def.id) == ranks &&
                (best == O_NONE || location->def.id < trace->location[best].def.id))
                best = l;
        }
    return best;
}

static void find_leaders(struct run *r)
{
    const struct o_trace *trace = r->m->trace;
    r->leader = o_alloc(trace->n_locations, sizeof *r->leader);
    for (size_t l = 0; l < trace->n_locations; l++) {
        const struct o_location *location = &trace->location[l];
        r->leader[l] = o_is_thread(trace, l) && is_rank(trace, location->def.id)
                           ? O_NONE
                           : leader_of_group(trace, location->group);
        if (r->leader[l] == l)
            r->leader[l] = O_NONE;
    }
}

/* Does the event go where its leader's time goes? */
static bool follows(const struct run *r, size_t l, size_t e)
{
    unsigned kind = event_at(r, l, e)->kind;
    if (!o_is_thread(r->m->trace, l))
        return true;
    return e == 0 && r->leader[l] != O_NONE && !r->is_target[l][0] && kind != O_THREAD_BEGIN &&
           kind != O_THREAD_TEAM_BEGIN;
}

/* How many of the leader's events are no later than a time. */
static size_t leader_events(const struct run *r, size_t l, big time)
{
    size_t n = 0;
    while (n < r->m->trace->location[r->leader[l]].n && measured(r, r->leader[l], n) <= time)
        n++;
    return n;
}

static bool is_leader_there(const struct run *r, size_t l, size_t e)
{
    size_t leader = r->leader[l];
    if (leader == O_NONE || !follows(r, l, e))
        return true;
    size_t needed = leader_events(r, l, measured(r, l, e)) + 1, all = r->m->trace->location[leader].n;
    return r->next[leader] >= (needed < all ? needed : all);
}

/* Operations that run on a stream just before an event. */
static size_t running(const struct run *r, size_t l, size_t e)
{
    size_t n = 0;
    for (size_t i = 0; i < e; i++) {
        const struct o_event *event = event_at(r, l, i);
        if (enters(event) || event->kind == O_RMA_PUT || event->kind == O_RMA_GET || event->kind == O_RMA_ATOMIC)
            n++;
        else if (n > 0 && (leaves(event) || event->kind == O_RMA_OP_COMPLETE_BLOCKING ||
                           event->kind == O_RMA_OP_COMPLETE_NON_BLOCKING || event->kind == O_RMA_OP_COMPLETE_REMOTE))
            n--;
    }
    return n;
}

/* Where a follower's event goes: with the leader's time around it. */
static big followed(const struct run *r, size_t l, size_t e)
{
    const big never = (big)1 << 100;
    big time = measured(r, l, e), a = time, low = 0, high = never;
    size_t leader = r->leader[l], n = leader == O_NONE ? 0 : leader_events(r, l, time);
    size_t all = leader == O_NONE ? 0 : r->m->trace->location[leader].n;
    if (n > 0) {
        low = approximated(r, leader, n - 1);
        a = low + largest(time - o_begin_of_time(r, leader, n - 1), 0);
        high = n == all ? never : time == measured(r, leader, n - 1) ? low : approximated(r, leader, n);
        a = smallest(a, high);
    } else if (all > 0) {
        high = approximated(r, leader, 0);
        a = largest(high - (measured(r, leader, 0) - time), 0);
    }
    big before = e > 0 ? approximated(r, l, e - 1) : 0;
    if (e > 0 && running(r, l, e) > 0)
        a = largest(low, smallest(high, before + largest(time - o_begin_of_time(r, l, e - 1), 0)));
    return largest(a, before);
}

static big latest_of(const struct run *r, const struct cause *cause, size_t n)
{
    big latest = 0;
    for (size_t i = 0; i < n; i++)
        latest = largest(latest, approximated(r, cause[i].edge.source_location, cause[i].edge.source));
    return latest;
}

static void take(struct run *r, size_t l, size_t e, const struct cause *cause, size_t n)
{
    bool thread = o_is_thread(r->m->trace, l);
    big waited_for = !thread ? -1 : o_bound(r, l, e, cause, n);
    uint64_t time = waited_for >= 0    ? (uint64_t)waited_for
                    : follows(r, l, e) ? (uint64_t)largest(followed(r, l, e), thread ? 0 : latest_of(r, cause, n))
                                       : (uint64_t)o_independent(r, l, e);
    r->result->approximated[l][e] = time;
    if (event_at(r, l, e)->kind == O_BUFFER_FLUSH)
        r->result->stop[l][e] = time;
}

/* ---- all of them ---- */

static bool add_cause(void *user, const struct o_edge *edge)
{
    struct run *r = user;
    *(struct cause *)o_push(&r->causes, sizeof(struct cause)) =
        (struct cause){edge->target_location, edge->target, *edge};
    return true;
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    int order = o_compare_u64(x->location, y->location);
    if (!order)
        order = o_compare_u64(x->event, y->event);
    return order ? order : o_compare_u64(x->edge.class, y->edge.class);
}

static void collect(struct run *r)
{
    const struct o_relation *relation = r->m->relations.item;
    const struct o_participant *p = r->m->participants.item;
    r->is_target = o_no_times(r->m->trace, 0);
    for (size_t i = 0; i < r->m->relations.n; i++) {
        if (relation[i].class == O_RMA_OP)
            continue;
        o_each_edge(r->m, &relation[i], add_cause, r);
        for (size_t k = 0; k < relation[i].n; k++)
            if (p[relation[i].first + k].target != O_NONE)
                r->is_target[p[relation[i].first + k].location][p[relation[i].first + k].target] = 1;
    }
    for (size_t l = 0; l < r->m->trace->n_locations; l++)
        for (size_t e = 0; e < r->m->trace->location[l].n; e++)
            r->is_target[l][e] |= receives(event_at(r, l, e));
    if (r->causes.n)
        qsort(r->causes.item, r->causes.n, sizeof(struct cause), compare_causes);
}

/* Does the next event wait for a receive to be posted? */
static bool is_post_to_come(const struct run *r, size_t l)
{
    const struct o_post *post = r->next[l] < r->m->trace->location[l].n ? o_post_for(r, l, r->next[l]) : NULL;
    return post && post->source >= r->next[post->source_location];
}

/* All events wait: of the sends that wait for a receive to be posted the earliest one goes on without. */
static bool give_up_post(struct run *r)
{
    size_t earliest = O_NONE;
    for (size_t l = 0; l < r->m->trace->n_locations; l++)
        if (is_post_to_come(r, l) &&
            (earliest == O_NONE || event_at(r, l, r->next[l])->time < event_at(r, earliest, r->next[earliest])->time))
            earliest = l;
    if (earliest != O_NONE)
        o_post_for(r, earliest, r->next[earliest])->given_up = true;
    return earliest != O_NONE;
}

/* Takes what can be taken of a location; *at is its first cause that has not been looked at. */
static size_t advance(struct run *r, size_t l, size_t *at)
{
    const struct cause *cause = r->causes.item;
    size_t begin = r->next[l];
    for (; r->next[l] < r->m->trace->location[l].n && is_leader_there(r, l, r->next[l]); r->next[l]++) {
        size_t n = 0;
        for (; *at + n < r->causes.n && cause[*at + n].location == l && cause[*at + n].event == r->next[l]; n++)
            if (cause[*at + n].edge.source >= r->next[cause[*at + n].edge.source_location])
                return r->next[l] - begin;
        if (is_post_to_come(r, l))
            return r->next[l] - begin;
        take(r, l, r->next[l], cause + *at, n);
        *at += n;
    }
    return r->next[l] - begin;
}

bool o_compensate(const struct o_matching *m, const struct o_overhead_options *options, struct o_compensation *result)
{
    struct run r = {.m = m, .o = options, .result = result};
    const struct o_trace *trace = m->trace;
    *result = (struct o_compensation){.approximated = o_no_times(trace, 0), .stop = o_no_times(trace, 0)};
    r.next = o_alloc(trace->n_locations, sizeof *r.next);
    r.owed = o_no_times(trace, 0);
    r.spent = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++)
        for (size_t e = 1; e < trace->location[l].n; e++)
            r.spent[l][e] = r.spent[l][e - 1] + (uint64_t)o_cost_of(&r, l, e - 1);
    size_t *at = o_alloc(trace->n_locations, sizeof *at), taken, left = 0;
    collect(&r);
    find_leaders(&r);
    if (options->sends_wait)
        o_match_posts(m, options->rendezvous, &r.posts);
    const struct cause *cause = r.causes.item;
    for (size_t l = 0; l < trace->n_locations; l++)
        while (at[l] < r.causes.n && cause[at[l]].location < l)
            at[l]++;
    do {
        taken = left = 0;
        for (size_t l = 0; l < trace->n_locations; l++) {
            taken += advance(&r, l, &at[l]);
            left += trace->location[l].n - r.next[l];
        }
    } while (taken || give_up_post(&r));
    if (left)
        fprintf(stderr, "oracle: %zu events wait for each other\n", left);
    free(at);
    free(r.next);
    free(r.leader);
    free(r.causes.item);
    free(r.posts.item);
    o_free_times(trace, r.is_target);
    o_free_times(trace, r.owed);
    o_free_times(trace, r.spent);
    return left == 0;
}

void o_compensation_free(const struct o_trace *trace, struct o_compensation *result)
{
    o_free_times(trace, result->approximated);
    o_free_times(trace, result->stop);
}
