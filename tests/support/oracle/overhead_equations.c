/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Overhead compensation: the equations of plugins/overhead/README.md and the paper, and when a single event comes. */
#include "overhead_run.h"

/* When an event comes, and when it came if its location had nothing to wait for. */
struct outcome {
    big a, alone;
};

/* The event before an event, or before the completions in a row that it is the last one of. */
static struct moment ready(struct run *r, size_t l, size_t e)
{
    while (e > 0 && o_completes(event_at(r, l, e)) && o_completes(event_at(r, l, e - 1)))
        e--;
    if (e == 0)
        return (struct moment){measured(r, l, 0), 0};
    return (struct moment){o_begin_of_time(r, l, e - 1), o_approximated_before(r, l, e)};
}

/* What was sent arrived at some time from `first` to `last`, so an event that was done at `done` with it and with what
 * its own process did comes at some time between two bounds: those of straight lines, which change where the arrival
 * passes the process, measured or approximated. Of equal ones the latest arrival counts for the lower, the earliest for
 * the upper bound. */
static struct outcome arrive(const struct run *r, struct moment send, struct moment own, big done, big first, big last,
                             const struct outcome *least)
{
    big at[4] = {first, last, own.m, own.a - send.a + send.m};
    struct outcome lower = {-1, 0}, upper = {-1, 0};
    big lower_at = 0, upper_at = 0;
    for (int i = 0; i < 4; i++) {
        big arrival = largest(first, smallest(last, at[i]));
        big behind = largest(done - largest(own.m, arrival), 0);
        big a = largest(own.a, send.a + arrival - send.m) + behind;
        if (i == 0 || a < lower.a || (a == lower.a && arrival > lower_at)) {
            lower = (struct outcome){a, own.a + behind};
            lower_at = arrival;
        }
        if (i == 0 || a > upper.a || (a == upper.a && arrival < upper_at)) {
            upper = (struct outcome){a, own.a + behind};
            upper_at = arrival;
        }
    }
    if (least && r->o->mode != O_LIKELY && least->a < lower.a)
        lower = *least;
    if (r->o->mode == O_MEAN)
        return (struct outcome){(lower.a + upper.a) / 2, (lower.alone + upper.alone) / 2};
    return r->o->mode == O_UPPER ? upper : lower;
}

/* eq. 2 to 11; exit: NULL when it is not known. */
static struct outcome receive_literally(struct run *r, size_t l, size_t e, struct moment send, const big *exit,
                                        struct moment enter)
{
    big comm = largest(measured(r, l, e) - send.m, 0), copy = o_copying(r, o_size_of(event_at(r, l, e)));
    if (!exit || enter.m <= *exit) {
        r->result->m1++;
        bool waits = send.a + comm > enter.a;
        r->result->a1 += waits;
        r->result->a2 += !waits;
        return (struct outcome){waits ? send.a + comm : enter.a + copy, enter.a + copy};
    }
    r->result->m2++;
    big least = enter.a + copy - send.a; /* eq. 8 */
    big lower = send.a + largest(2 * copy, least), upper = send.a + largest(comm, least);
    big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
    return (struct outcome){a, enter.a + copy};
}

/* The latest of the sends that the completions in a row up to event e stand for, and when all of them can have been
 * there at the earliest and at the latest. */
struct together {
    struct moment send, own;
    big done, earliest, likely, latest; /* done < 0: there are none */
};
static struct together completed_together(struct run *r, size_t l, size_t e);

static struct outcome receive(struct run *r, size_t l, size_t e, struct moment send, bool waits_for_post, bool to_n)
{
    struct moment own = ready(r, l, e);
    big done = largest(measured(r, l, e) - o_overhead_behind(r, l, e), 0), comm = largest(done - send.m, 0);
    big cost = o_copying(r, o_size_of(event_at(r, l, e)));
    big copy = smallest(cost, largest(done - largest(own.m, send.m), 0));
    bool waited = own.m <= send.m, waits = send.a + comm > own.a + copy;
    r->result->m1 += waited;
    r->result->m2 += !waited;
    r->result->a1 += waited && waits;
    r->result->a2 += waited && !waits;
    if (event_at(r, l, e)->kind == O_MPI_IRECV && !waited && !o_completes_several(r, l, e)) {
        struct outcome lower = {largest(send.a + smallest(2 * cost, comm), own.a + copy), own.a + copy};
        big whole = own.a + largest(done - own.m, 0);
        struct outcome upper = {largest(send.a + comm, whole), whole};
        if (r->o->mode == O_MEAN)
            return (struct outcome){(lower.a + upper.a) / 2, (lower.alone + upper.alone) / 2};
        return r->o->mode == O_UPPER ? upper : lower;
    }
    if (!o_completes(event_at(r, l, e)) || !o_completes_several(r, l, e)) {
        big last = largest(send.m, done - copy);
        if (waits_for_post) /* the receiver soon knew of it; it left when both were there */
            return arrive(r, send, own, done, send.m,
                          largest(send.m, smallest(done, send.m + (big)r->o->handshake + cost)), NULL);
        /* Who passes on what the root sent may have been late: nothing is known but that it takes two copies. */
        struct outcome least = {largest(send.a + smallest(2 * cost, comm), own.a + copy), own.a + copy};
        return arrive(r, send, own, done, smallest(send.m + copy, last), last, to_n && !waited ? &least : NULL);
    }
    big lower = largest(send.a + smallest(2 * cost, comm), own.a + copy);
    big upper = largest(send.a + comm, completed_together(r, l, e).latest);
    big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
    return (struct outcome){a, own.a + copy};
}

struct o_post *o_post_for(const struct run *r, size_t l, size_t e)
{
    struct o_post *post = r->posts.item;
    for (size_t i = 0; i < r->posts.n; i++)
        if (post[i].target_location == l && post[i].target == e && !post[i].given_up)
            return &post[i];
    return NULL;
}

/* Does a post bind the end of a send? It doesn't where it came later, or so long before that nothing was to wait for.
 */
static bool is_bound_by_post(struct run *r, size_t l, size_t e, struct moment *post)
{
    const struct o_post *of = o_post_for(r, l, e);
    big reach = r->o->handshake;
    if (!of || !of->known || !o_is_thread(r->m->trace, l))
        return false;
    struct moment own = ready(r, l, e);
    *post =
        (struct moment){measured(r, of->source_location, of->source), approximated(r, of->source_location, of->source)};
    return post->m <= measured(r, l, e) && (post->m + reach > own.m || post->a + reach > own.a);
}

/* Is it one of several that a call has waited for, and not posted before the call? */
static bool is_bound_together(struct run *r, size_t l, size_t e, struct moment *post)
{
    return event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE && o_completes_several(r, l, e) &&
           is_bound_by_post(r, l, e, post) && post->m > ready(r, l, e).m;
}

/* The end of a send, which a post binds. */
static struct outcome end_of_send(struct run *r, size_t l, size_t e, struct moment post)
{
    struct moment own = ready(r, l, e), ignored;
    big done = largest(measured(r, l, e) - o_overhead_behind(r, l, e), 0);
    bool completion = event_at(r, l, e)->kind == O_MPI_ISEND_COMPLETE;
    if (is_bound_together(r, l, e, &ignored)) {
        big lower = largest(post.a, own.a);
        big upper = largest(post.a + largest(done - post.m, 0), completed_together(r, l, e).latest);
        big a = r->o->mode == O_UPPER ? upper : r->o->mode == O_MEAN ? (lower + upper) / 2 : lower;
        return (struct outcome){a, own.a};
    }
    big before = r->o->handshake, behind = r->o->handshake, last = done;
    if (!completion || post.m <= own.m)
        last = smallest(done, post.m + behind);
    if (!completion)
        before += o_copying(r, event_at(r, l, o_post_for(r, l, e)->send)->field[3]);
    big first = post.m - smallest(before, smallest(post.m, post.a));
    last = largest(first, last);
    if (r->o->mode == O_LIKELY)
        first = last = smallest(post.m, last);
    return arrive(r, post, own, done, first, last, NULL);
}

/* The earliest end of an operation of which all leave at once; O_NONE: the event is no end of such a one. */
static bool common_exit(const struct run *r, size_t l, size_t e, const struct o_relation *relation, big *exit)
{
    const struct o_event *event = event_at(r, l, e);
    const struct o_participant *p = (const struct o_participant *)r->m->participants.item + relation->first;
    if (!r->o->common || ends_non_blocking(event) || !ends_collective(event))
        return false;
    if (relation->class != O_N_TO_N && relation->class != O_RMA_N_TO_N)
        return false;
    uint64_t op = event->field[0];
    if (op == OTF2_COLLECTIVE_OP_ALLGATHERV || op == OTF2_COLLECTIVE_OP_ALLTOALLV ||
        op == OTF2_COLLECTIVE_OP_ALLTOALLW || op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER)
        return false;
    *exit = measured(r, l, e);
    for (size_t i = 0; i < relation->n; i++)
        if (p[i].target != O_NONE)
            *exit = smallest(*exit, measured(r, p[i].location, p[i].target));
    return true;
}

/* eq. 12, 13 */
static struct outcome synchronise(const struct run *r, size_t l, size_t e, struct moment latest,
                                  const struct moment *own, const struct o_relation *relation)
{
    big exit = measured(r, l, e);
    big behind = ends_collective(event_at(r, l, e)) ? o_overhead_behind(r, l, e) : o_overhead_of(r, l, e);
    common_exit(r, l, e, relation, &exit);
    if (own)
        latest = (struct moment){largest(latest.m, own->m), largest(latest.a, own->a)};
    big delay = o_is_off(r, l, e) ? 0 : largest(exit - latest.m - behind, 0);
    return (struct outcome){latest.a + delay, own ? own->a + delay : 0};
}

/* ---- one event ---- */

static struct moment moment_of(const struct run *r, size_t l, size_t e)
{
    return (struct moment){measured(r, l, e), approximated(r, l, e)};
}

/* What the paper's equations ask of something that is received like a message. */
struct reception {
    struct moment enter;
    big exit;
    bool known;
};

static struct reception reception_of(struct run *r, size_t l, size_t e, const struct cause *cause, struct moment latest)
{
    const struct o_event *event = event_at(r, l, e);
    size_t call = o_call_around(r, l, e), begin = ends_collective(event) ? o_usable_post(r->m, l, e) : O_NONE;
    bool to_n = cause->edge.class == O_ONE_TO_N || cause->edge.class == O_RMA_ONE_TO_N;
    struct reception x = {.enter = {measured(r, l, e), 0}, .exit = latest.m, .known = true};
    if (e > 0)
        x.enter = (struct moment){o_begin_of_time(r, l, e - 1), o_approximated_before(r, l, e)};
    if (call != O_NONE)
        x.enter = moment_of(r, l, call);
    if (ends_non_blocking(event))
        return x;
    if (begin != O_NONE)
        x.enter = moment_of(r, l, begin);
    x.known = (to_n ? o_exit_of_root : o_exit_of_send)(r, cause->edge.source_location, cause->edge.source, &x.exit);
    return x;
}

static bool is_like_a_message(const struct run *r, size_t l, size_t e, enum o_class class)
{
    return class == O_P2P || class == O_ONE_TO_N || class == O_RMA_ONE_TO_N || ends_non_blocking(event_at(r, l, e));
}

/* Its causes of one class, one of which is given; an event is part of one relation of a class (of a join's edges each
 * is listed as one of its own), so they belong together. */
static struct outcome dependent(struct run *r, size_t l, size_t e, const struct cause *cause, struct moment latest)
{
    enum o_class class = cause->edge.class;
    bool collective = ends_collective(event_at(r, l, e)), paper = r->o->paper && (collective || class == O_P2P);
    if (is_like_a_message(r, l, e, class) && paper) {
        struct reception x = reception_of(r, l, e, cause, latest);
        return receive_literally(r, l, e, latest, x.known ? &x.exit : NULL, x.enter);
    }
    if (is_like_a_message(r, l, e, class))
        return receive(r, l, e, latest,
                       r->o->sends_wait && class == O_P2P && event_at(r, l, e)->kind == O_MPI_RECV &&
                           o_send_waits(r->m, cause->edge.source_location, cause->edge.source, r->o->rendezvous),
                       class == O_ONE_TO_N || class == O_RMA_ONE_TO_N);
    if (class != O_N_TO_N && class != O_RMA_N_TO_N && class != O_BARRIER && e > 0 && !paper) {
        big done = measured(r, l, e) - (collective ? o_overhead_behind(r, l, e) : o_overhead_of(r, l, e));
        big last = largest(latest.m, o_is_off(r, l, e) ? 0 : done);
        if (!collective)
            last = smallest(last, latest.m + (big)r->o->handover);
        return arrive(r, latest, ready(r, l, e), o_is_off(r, l, e) ? 0 : done, latest.m, last, NULL);
    }
    size_t begin = collective ? o_usable_post(r->m, l, e) : O_NONE;
    struct moment before = {0, 0};
    if (begin != O_NONE)
        before = moment_of(r, l, begin);
    else if (e > 0)
        before = (struct moment){o_begin_of_time(r, l, e - 1), o_approximated_before(r, l, e)};
    return synchronise(r, l, e, latest, begin != O_NONE || e > 0 ? &before : NULL, cause->edge.relation);
}

/* The causes of an event. */
static const struct cause *causes_of(const struct run *r, size_t l, size_t e, size_t *n)
{
    const struct cause *cause = r->causes.item;
    size_t first = 0;
    while (first < r->causes.n && (cause[first].location < l || (cause[first].location == l && cause[first].event < e)))
        first++;
    for (*n = 0; first + *n < r->causes.n && cause[first + *n].location == l && cause[first + *n].event == e;)
        ++*n;
    return cause + first;
}

static struct together completed_together(struct run *r, size_t l, size_t e)
{
    struct together x = {.send = {-1, -1}, .done = -1};
    big least = 0, largest_shift = 0;
    for (size_t i = e + 1; i-- > 0 && o_completes(event_at(r, l, i));) {
        size_t n;
        const struct cause *cause = causes_of(r, l, i, &n);
        struct moment last = {-1, -1};
        for (size_t c = 0; c < n; c++) {
            struct moment send = moment_of(r, cause[c].edge.source_location, cause[c].edge.source);
            last = (struct moment){largest(last.m, send.m), largest(last.a, send.a)};
        }
        if (!is_bound_together(r, l, i, &last) && (n == 0 || !o_completes_several(r, l, i)))
            continue;
        big shift = last.a - last.m;
        least = x.done < 0 ? shift : smallest(least, shift);
        largest_shift = x.done < 0 ? shift : largest(largest_shift, shift);
        if (x.done < 0) {
            x.done = largest(measured(r, l, i) - o_overhead_behind(r, l, i), 0);
            x.own = ready(r, l, i);
        }
        x.send = (struct moment){largest(x.send.m, last.m), largest(x.send.a, last.a)};
    }
    big all_there = largest(x.own.a, x.send.a), behind = largest(x.done - largest(x.own.m, x.send.m), 0);
    x.likely = all_there + behind;                                       /* each of them at once */
    x.earliest = smallest(x.likely, largest(all_there, x.done + least)); /* or one of them at the end */
    if (x.own.m > x.send.m)                                              /* not certainly waited for any */
        x.likely = x.earliest = all_there;
    x.latest = largest(x.own.a + behind, x.done + largest_shift);
    return x;
}

big o_released(struct run *r, size_t l, size_t e)
{
    if (r->o->paper || e == 0 || o_completes(event_at(r, l, e)))
        return 0;
    struct together x = completed_together(r, l, e - 1);
    if (x.done < 0)
        return 0;
    if (r->o->mode == O_MEAN)
        return (x.earliest + x.latest) / 2;
    return r->o->mode == O_LIKELY ? x.likely : r->o->mode == O_LOWER ? x.earliest : x.latest;
}

/* What is owed just before an event: what the completions before it waited for has paid for some of it. */
static big owed_before(struct run *r, size_t l, size_t e)
{
    return largest((big)r->owed[l][e - 1] - (o_approximated_before(r, l, e) - approximated(r, l, e - 1)), 0);
}

big o_independent(struct run *r, size_t l, size_t e)
{
    if (e == 0)
        return measured(r, l, e);
    big owed = owed_before(r, l, e), before = o_approximated_before(r, l, e);
    big passed = o_is_off(r, l, e) ? 0 : largest(measured(r, l, e) - o_begin_of_time(r, l, e - 1), 0);
    big left = passed - o_overhead_of(r, l, e) - owed;
    r->owed[l][e] = o_is_off(r, l, e) ? (uint64_t)owed : (uint64_t)smallest(largest(-left, 0), r->o->carry);
    return before + largest(left, 0);
}

/* Did a thread's event come so long behind its cause, or was that its own, that there was nothing to wait for? */
static bool is_past(struct run *r, size_t l, size_t e, const struct o_edge *edge, struct moment cause)
{
    big handover = r->o->handover;
    if (e == 0 || is_like_a_message(r, l, e, edge->class) || ends_collective(event_at(r, l, e)))
        return false;
    return (edge->class == O_LOCK && edge->source_location == l) ||
           (cause.m + handover <= o_begin_of_time(r, l, e - 1) && cause.a + handover <= o_approximated_before(r, l, e));
}

big o_bound(struct run *r, size_t l, size_t e, const struct cause *cause, size_t n)
{
    big time = -1, alone = -1, before = e > 0 ? o_approximated_before(r, l, e) : 0;
    for (size_t i = 0; i < n;) {
        struct moment latest = {0, 0};
        size_t first = i;
        for (; i < n && cause[i].edge.class == cause[first].edge.class; i++) {
            struct moment source = moment_of(r, cause[i].edge.source_location, cause[i].edge.source);
            latest = (struct moment){largest(latest.m, source.m), largest(latest.a, source.a)};
        }
        if (is_past(r, l, e, &cause[first].edge, latest))
            continue;
        struct outcome x = dependent(r, l, e, &cause[first], latest);
        time = largest(time, x.a);
        alone = alone < 0 ? x.alone : smallest(alone, x.alone);
    }
    struct moment post;
    if (e > 0 && is_bound_by_post(r, l, e, &post)) {
        struct outcome x = end_of_send(r, l, e, post);
        time = largest(time, x.a);
        alone = alone < 0 ? x.alone : smallest(alone, x.alone);
    }
    if (time < 0)
        return -1;
    time = largest(time, before);
    big waited = smallest(time - alone, time - before);
    if (e > 0)
        r->owed[l][e] = (uint64_t)largest(owed_before(r, l, e) - largest(waited, 0), 0);
    return time;
}
