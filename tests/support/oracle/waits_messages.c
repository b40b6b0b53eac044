/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Late senders and receivers: every message is asked what it means for the calls at both its ends. */
#include "waits.h"

#include <stdlib.h>
#include <string.h>

static bool is_matched(const struct o_message *x)
{
    return x->trusted && x->source != O_NONE && x->target != O_NONE;
}

static uint64_t bytes_of(const struct o_waits *w, const struct o_message *x)
{
    return w->m->trace->location[x->target_location].event[x->target].field[3];
}

static bool is_reversed(const struct o_waits *w, const struct o_message *x)
{
    return o_event_time(w, x->source_location, x->source) > o_event_time(w, x->target_location, x->target);
}

/* ---- late senders ---- */

/* Is message a's sender the one that a call rather waited for? */
static bool is_later_sender(const struct o_waits *w, const struct o_message *a, const struct o_message *b)
{
    struct o_spot x = o_spot(w, a->source_location, a->source), y = o_spot(w, b->source_location, b->source);
    uint64_t s = o_event_time(w, a->source_location, a->source), t = o_event_time(w, b->source_location, b->source);
    if (x.time != y.time)
        return x.time > y.time;
    return s != t ? s < t : a->source_location < b->source_location;
}

static void wrong_order(struct o_waits *w, const struct o_wait *late)
{
    const struct o_message *x = w->m->messages.item;
    const struct o_call *c = o_call(w, late->location, late->call);
    bool same = false, different = false;
    for (size_t i = 0; i < w->m->messages.n; i++) {
        if (!is_matched(&x[i]) || x[i].target_location != late->location || x[i].target <= c->last ||
            o_event_time(w, x[i].source_location, x[i].source) >= late->send)
            continue;
        if (o_are_one(w->m->trace, x[i].source_location, late->cause.location))
            same = true;
        else
            different = true;
    }
    struct o_wait wrong = *late;
    wrong.pattern = same ? "mpi_lswo_same" : "mpi_lswo_different";
    if (same || different)
        o_add_wait(w, &wrong);
}

/* The messages that are received in one call: pointers into the list. */
static void late_sender(struct o_waits *w, const struct o_message **x, size_t n)
{
    size_t l = x[0]->target_location, call = w->of_event[l][x[0]->target], best = 0;
    const struct o_call *c = o_call(w, l, call);
    for (size_t i = 1; c && i < n; i++)
        if (is_later_sender(w, x[i], x[best]))
            best = i;
    struct o_spot sender = o_spot(w, x[best]->source_location, x[best]->source);
    if (!c || sender.time <= c->enter || o_only_tests(w, l, call))
        return;
    uint64_t until = sender.time < c->leave ? sender.time : c->leave;
    struct o_wait late = {.pattern = "mpi_latesender",
                          .location = l,
                          .call = call,
                          .from = c->enter,
                          .length = until - c->enter,
                          .cause = sender,
                          .send = o_event_time(w, x[best]->source_location, x[best]->source)};
    for (size_t i = 0; i < n; i++) {
        if (is_later_sender(w, x[best], x[i]))
            continue;
        late.reversed |= is_reversed(w, x[i]);
        late.bytes = bytes_of(w, x[i]) > late.bytes ? bytes_of(w, x[i]) : late.bytes;
    }
    o_add_wait(w, &late);
    if (late.length > 0)
        wrong_order(w, &late);
}

/* ---- late receivers ---- */

/* The call that posted a receive. */
static struct o_spot receiver_of(const struct o_waits *w, const struct o_message *x)
{
    bool blocking = w->m->trace->location[x->target_location].event[x->target].kind == O_MPI_RECV;
    size_t post = blocking ? O_NONE : w->m->requests.post[x->target_location][x->target];
    return o_spot(w, x->target_location, post == O_NONE ? x->target : post);
}

/* From when on a call may wait for its receivers: it waits for its senders before. */
static uint64_t end_of_late_sender(const struct o_waits *w, size_t l, size_t call)
{
    const struct o_wait *x = w->found.item;
    for (size_t i = 0; i < w->found.n; i++)
        if (x[i].location == l && x[i].call == call && !strcmp(x[i].pattern, "mpi_latesender"))
            return x[i].from + x[i].length;
    return o_call(w, l, call)->enter;
}

/* The sends of a call, or what it completes; `blocking` says which. */
static void late_receiver(struct o_waits *w, size_t l, size_t call, const struct o_message **x, size_t n, bool blocking)
{
    const struct o_call *c = o_call(w, l, call);
    const uint64_t from = end_of_late_sender(w, l, call);
    const bool exchange = o_call_is(w, l, call, "MPI_Sendrecv") || o_call_is(w, l, call, "MPI_Sendrecv_replace");
    struct o_wait late = {.pattern = !blocking  ? "mpi_latereceiver_completion"
                                     : exchange ? "mpi_latereceiver_exchange"
                                                : "mpi_latereceiver",
                          .location = l,
                          .call = call,
                          .from = from};
    for (size_t i = 0; i < n; i++) {
        struct o_spot receiver = receiver_of(w, x[i]);
        uint64_t length = receiver.time > from && receiver.time < c->leave ? receiver.time - from : 0;
        if (length == 0 || length < late.length)
            continue;
        if (length > late.length || receiver.location < late.cause.location) {
            late.length = length;
            late.cause = receiver;
            late.reversed = false;
            late.bytes = 0;
        }
        const uint64_t sent = w->m->trace->location[l].event[x[i]->source].field[3];
        if (receiver.location != late.cause.location || receiver.time != late.cause.time)
            continue;
        late.reversed |= is_reversed(w, x[i]);
        late.bytes = sent > late.bytes ? sent : late.bytes;
    }
    o_add_wait(w, &late);
}

/* Does a call complete nothing but sends? */
static bool completes_only_sends(const struct o_waits *w, size_t l, size_t call)
{
    const struct o_location *location = &w->m->trace->location[l];
    if (o_only_tests(w, l, call))
        return false;
    for (size_t e = 0; e < location->n; e++)
        if (w->of_event[l][e] == call &&
            (location->event[e].kind == O_MPI_RECV || location->event[e].kind == O_MPI_IRECV ||
             location->event[e].kind == O_NON_BLOCKING_COLLECTIVE_COMPLETE))
            return false;
    return true;
}

/* ---- messages by call ---- */

enum by { BY_RECEIVER, BY_SENDER, BY_COMPLETION };

/* Where a message belongs to a call in this respect; O_NONE: it doesn't. */
static size_t event_of(const struct o_waits *w, const struct o_message *x, enum by by, size_t *location)
{
    *location = by == BY_RECEIVER ? x->target_location : x->source_location;
    if (by == BY_RECEIVER)
        return x->target;
    bool blocking = w->m->trace->location[x->source_location].event[x->source].kind == O_MPI_SEND;
    size_t call = w->of_event[x->source_location][x->source];
    bool waits =
        !o_call_is(w, x->source_location, call, "MPI_Bsend") && !o_call_is(w, x->source_location, call, "MPI_Rsend");
    if (by == BY_SENDER)
        return blocking && waits ? x->source : O_NONE;
    return blocking ? O_NONE : w->m->requests.done[x->source_location][x->source];
}

static void each_call(struct o_waits *w, enum by by)
{
    const struct o_message *x = w->m->messages.item;
    const size_t n_messages = w->m->messages.n;
    const struct o_message **of_call = o_alloc(n_messages + 1, sizeof *of_call);
    size_t *location = o_alloc(n_messages + 1, sizeof *location), *call = o_alloc(n_messages + 1, sizeof *call);
    for (size_t i = 0; i < n_messages; i++) {
        size_t e = is_matched(&x[i]) ? event_of(w, &x[i], by, &location[i]) : O_NONE;
        call[i] = e == O_NONE ? O_NONE : w->of_event[location[i]][e];
    }
    for (size_t i = 0; i < n_messages; i++) {
        size_t k, n = 0;
        if (call[i] == O_NONE)
            continue;
        for (k = 0; k < n_messages; k++)
            if (call[k] == call[i] && location[k] == location[i]) {
                if (k < i)
                    break; /* had its turn */
                of_call[n++] = &x[k];
            }
        if (k < n_messages)
            continue;
        if (by == BY_RECEIVER)
            late_sender(w, of_call, n);
        else if (by == BY_SENDER || completes_only_sends(w, location[i], call[i]))
            late_receiver(w, location[i], call[i], of_call, n, by == BY_SENDER);
    }
    free(of_call);
    free(location);
    free(call);
}

void o_find_message_waits(struct o_waits *w)
{
    const struct o_message *x = w->m->messages.item;
    for (size_t i = 0; i < w->m->messages.n; i++)
        if (is_matched(&x[i])) {
            w->targets[0]++;
            w->reversed[0] += is_reversed(w, &x[i]);
            *(struct o_receipt *)o_push(&w->receipts, sizeof(struct o_receipt)) =
                (struct o_receipt){x[i].target_location, w->of_event[x[i].target_location][x[i].target],
                                   o_spot(w, x[i].source_location, x[i].source), bytes_of(w, &x[i])};
        }
    each_call(w, BY_RECEIVER);
    each_call(w, BY_SENDER);
    each_call(w, BY_COMPLETION);
}
