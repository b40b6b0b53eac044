/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Joins the parts of messages and calls, and counts what members of communicators do.
 *
 * Parts come sorted by key and time: all of one key, then those of the next. Sends and receives of a key form two
 * queues; begins of calls wait on a stack; each place of an arrow is joined with the one before. Messages are then
 * sorted by the time of their sends. The matching of a trace counts messages: the k-th send from a to b with a tag
 * belongs to the k-th receive there. So a message that overtakes another one gets a tag of its own: each (a, b) has
 * lanes, and a message goes to the first one in which all receives so far are earlier than its own. Messages between
 * ranks are counted so in the file already, and keep their tags. */
#include "foreign_internal.h"
#include "framework/base/error.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_WAITING = 1 << 20, MOST_CHANNELS = 1 << 20, MOST_TAGS = 64, FIRST_TAG = 1 << 30 };

typedef struct message {
    uint64_t sent, send_order, received, receive_order, bytes;
    uint64_t completed, posted; /* between ranks: of the send, of the receive */
    uint32_t sender, receiver, tag;
    uint32_t channel; /* TCF_NONE: between locations */
    uint8_t send_is_request, receive_is_request;
} message;

/* Parts of the key at hand that wait for others. */
typedef struct waiting {
    part *at;
    uint32_t first, n, room; /* [first, n) wait */
} waiting;

/* Messages of one tag between two locations: where the last of them was received. */
typedef struct channel {
    uint64_t received, receive_order;
    uint32_t tag, next; /* next: another one of the same two; TCF_NONE: there is none */
} channel;

typedef struct pairing {
    gather *g;
    sorter *messages;
    waiting sends, receives, begins;
    part arrow, turned; /* the place where the arrow of the key has come to; behind an end in front: the next place */
    enum { ARROW_NONE, ARROW_BEGUN, ARROW_GOES_ON, ARROW_DONE, ARROW_ENDED_EARLY, ARROW_TURNED } arrow_state;
    tcf_pair_key key;
    uint64_t operations, hash; /* of the member whose collective operations come */
    uint32_t comm;
    map by_tag; /* (sender << 32 | receiver, tag) */
    channel *channels;
    uint32_t n_channels, channels_room;
} pairing;

static int compare_messages(const void *x, const void *y)
{
    const message *a = x, *b = y;

    if (a->sent != b->sent)
        return a->sent < b->sent ? -1 : 1;
    return a->send_order < b->send_order ? -1 : a->send_order > b->send_order;
}

/* ---------------------------------------------------------------------------------------------------------- parts --
 */

static tcf_status wait_in(waiting *w, const part *p)
{
    if (w->first == w->n)
        w->first = w->n = 0;
    if (w->n == MOST_WAITING)
        return error_fail("more than %d parts of messages or calls with one key wait for their other parts",
                          (int)MOST_WAITING);
    if (TCF_GROW(&w->at, &w->room, w->n) != 0)
        return error_fail("out of memory for parts of messages and calls");
    w->at[w->n++] = *p;
    return TCF_OK;
}

static tcf_status join_message(pairing *j, const part *from, const part *to)
{
    const message m = {.sent = from->time,
                       .send_order = from->order,
                       .received = to->time,
                       .receive_order = to->order,
                       .bytes = from->bytes,
                       .sender = from->location,
                       .receiver = to->location,
                       .tag = from->what,
                       .channel = TCF_NONE};

    if (from->location == to->location) {
        j->g->lost.own_messages++;
        return TCF_OK;
    }
    return sorter_add(j->messages, &m);
}

/* A message to itself is one, as MPI has it. */
static tcf_status join_ranks(pairing *j, const part *from, const part *to)
{
    const message m = {.sent = from->time,
                       .send_order = from->order,
                       .completed = from->completed,
                       .posted = to->time,
                       .received = to->completed,
                       .receive_order = to->order,
                       .bytes = from->bytes ? from->bytes : to->bytes,
                       .sender = from->location,
                       .receiver = to->location,
                       .channel = from->what,
                       .send_is_request = from->is_request,
                       .receive_is_request = to->is_request};

    j->g->channels[m.channel].is_short |= to->bytes > 0 && to->bytes < from->bytes;
    return sorter_add(j->messages, &m);
}

static tcf_status join_call(pairing *j, const part *begin, const part *end)
{
    const event e = {.time = begin->time, .value = end->time, .what = begin->what, .type = EVENT_CALL};
    return gather_add(j->g, begin->location, &e, begin->order);
}

/* By one clock, that of the threads of a process: what comes earlier isn't the end of what comes later. */
static int is_earlier(const pairing *j, const part *p, const part *than)
{
    const foreign_location *x = &j->g->locations[p->location], *y = &j->g->locations[than->location];

    return p->time < than->time && x->process == y->process && x->type == TCF_CPU_THREAD && y->type == TCF_CPU_THREAD;
}

/* What has one place alone is no message. */
static tcf_status end_arrow(pairing *j)
{
    const int is_turned = j->arrow_state == ARROW_TURNED;

    j->g->lost.half_messages += j->arrow_state == ARROW_BEGUN || j->arrow_state == ARROW_ENDED_EARLY;
    j->arrow_state = ARROW_NONE;
    return is_turned ? join_message(j, &j->turned, &j->arrow) : TCF_OK;
}

/* Where clocks differ an end may come before its begin. Of a key with more places than these two the end is what is
 * left of an arrow that began before the trace, for the key serves several arrows. */
static tcf_status take_arrow(pairing *j, const part *p)
{
    const int ends = p->type == PART_FLOW_END;
    tcf_status status = TCF_OK;

    if (j->arrow_state == ARROW_ENDED_EARLY && !ends && !is_earlier(j, &j->arrow, p)) {
        j->arrow_state = ARROW_TURNED;
        j->turned = *p;
        return TCF_OK;
    }
    if (j->arrow_state == ARROW_TURNED) {
        j->g->lost.half_messages++;
        j->arrow = j->turned;
        j->arrow_state = ARROW_BEGUN;
    } else if (j->arrow_state == ARROW_ENDED_EARLY) {
        j->g->lost.half_messages++;
        j->arrow_state = ARROW_DONE;
    }
    if (j->arrow_state == ARROW_BEGUN || j->arrow_state == ARROW_GOES_ON) {
        status = join_message(j, &j->arrow, p);
        j->arrow_state = ends ? ARROW_DONE : ARROW_GOES_ON;
    } else if (!ends) {
        j->arrow_state = ARROW_BEGUN;
    } else if (j->arrow_state == ARROW_NONE) {
        j->arrow_state = ARROW_ENDED_EARLY;
    } else {
        j->g->lost.half_messages++;
    }
    j->arrow = *p;
    return status;
}

/* What still waits has no other part. */
static tcf_status end_key(pairing *j)
{
    const int by_ranks =
        (j->sends.n > j->sends.first && j->sends.at[j->sends.first].type == PART_SEND_TO) ||
        (j->receives.n > j->receives.first && j->receives.at[j->receives.first].type == PART_RECEIVE_FROM);

    if (end_arrow(j) != TCF_OK)
        return TCF_ERROR;
    if (j->operations > 0)
        ranks_take_member(j->g, j->comm, j->operations, j->hash);
    j->operations = j->hash = 0;
    if (!by_ranks) /* ranks.c has counted the others */
        j->g->lost.half_messages += j->sends.n - j->sends.first + j->receives.n - j->receives.first;
    j->g->lost.half_calls += j->begins.n - j->begins.first;
    j->sends.first = j->sends.n = j->receives.first = j->receives.n = j->begins.first = j->begins.n = 0;
    return TCF_OK;
}

/* The send of such a receive is not in the trace. */
static void leave_out_earlier(pairing *j, const part *sent)
{
    waiting *w = &j->receives;

    for (; w->first < w->n && is_earlier(j, &w->at[w->first], sent); w->first++)
        j->g->lost.half_messages++;
}

static void take_collective(pairing *j, const part *p)
{
    const foreign_form *form = &j->g->forms[p->what];

    j->comm = form->comm;
    j->operations++;
    j->hash = ranks_hash(form, j->hash);
}

static tcf_status take_part(pairing *j, const part *p)
{
    const int sends = p->type == PART_SEND || p->type == PART_SEND_TO,
              receives = p->type == PART_RECEIVE || p->type == PART_RECEIVE_FROM;
    waiting *others = sends ? &j->receives : receives ? &j->sends : &j->begins;

    if ((p->key.a != j->key.a || p->key.b != j->key.b) && end_key(j) != TCF_OK)
        return TCF_ERROR;
    j->key = p->key;
    if (p->type == PART_FLOW || p->type == PART_FLOW_END)
        return take_arrow(j, p);
    if (p->type == PART_COLLECTIVE) {
        take_collective(j, p);
        return TCF_OK;
    }
    if (p->type == PART_BEGIN)
        return wait_in(&j->begins, p);
    if (p->type == PART_SEND)
        leave_out_earlier(j, p);
    if (others->first == others->n) {
        if (p->type != PART_END)
            return wait_in(sends ? &j->sends : &j->receives, p);
        j->g->lost.half_calls++;
        return TCF_OK;
    }
    if (p->type == PART_END)
        return join_call(j, &others->at[--others->n], p);
    const part other = others->at[others->first++];
    if (p->type == PART_SEND_TO || p->type == PART_RECEIVE_FROM)
        return sends ? join_ranks(j, p, &other) : join_ranks(j, &other, p);
    return sends ? join_message(j, p, &other) : join_message(j, &other, p);
}

/* ------------------------------------------------------------------------------------------------------- messages --
 */

static tcf_status add_channel(pairing *j, const message *m, uint32_t tag, uint32_t *number)
{
    if (TCF_GROW(&j->channels, &j->channels_room, j->n_channels) != 0 ||
        map_put(&j->by_tag, (uint64_t)m->sender << 32 | m->receiver, tag, j->n_channels) != 0)
        return error_fail("out of memory for the channels of messages");
    j->channels[j->n_channels] = (channel){.tag = tag, .next = TCF_NONE};
    *number = j->n_channels++;
    return TCF_OK;
}

static int is_behind(const message *m, const channel *c)
{
    return m->received != c->received ? m->received > c->received : m->receive_order >= c->receive_order;
}

/* A tag between the two that no message has so far. */
static uint32_t unused_tag(const pairing *j, const message *m, uint32_t tag)
{
    while (map_get(&j->by_tag, (uint64_t)m->sender << 32 | m->receiver, tag) != MAP_ABSENT)
        tag++;
    return tag;
}

/* Chooses the tag under which counting finds the two ends of the message. */
static tcf_status choose_tag(pairing *j, message *m)
{
    uint32_t c = map_get(&j->by_tag, (uint64_t)m->sender << 32 | m->receiver, m->tag), steps = 0;

    if (c == MAP_ABSENT && j->n_channels < MOST_CHANNELS && add_channel(j, m, m->tag, &c) != TCF_OK)
        return TCF_ERROR;
    if (c == MAP_ABSENT) {
        j->g->lost.crossed_tags++;
        return TCF_OK;
    }
    while (!is_behind(m, &j->channels[c])) {
        if (j->channels[c].next == TCF_NONE) {
            uint32_t fresh;
            if (++steps > MOST_TAGS || j->n_channels >= MOST_CHANNELS) {
                j->g->lost.crossed_tags++;
                return TCF_OK;
            }
            if (add_channel(j, m, unused_tag(j, m, FIRST_TAG), &fresh) != TCF_OK)
                return TCF_ERROR;
            j->channels[c].next = fresh;
        }
        c = j->channels[c].next;
        steps++;
    }
    j->channels[c].received = m->received;
    j->channels[c].receive_order = m->receive_order;
    m->tag = j->channels[c].tag;
    return TCF_OK;
}

/* An event of a message between ranks. */
static tcf_status add_event(pairing *j, const message *m, enum event_type type, uint64_t time, uint64_t order)
{
    const int sends = type < EVENT_RECEIVE_REQUEST;
    const event e = {.time = time,
                     .value = m->bytes,
                     .what = m->channel,
                     .tag = (uint32_t)(2 * m->tag + (uint32_t)sends),
                     .type = (uint8_t)type};
    return gather_add(j->g, sends ? m->sender : m->receiver, &e, order);
}

static tcf_status add_ranks(pairing *j, message *m)
{
    gather *g = j->g;
    const uint64_t end = gather_end_order(m->send_order, m->sent, m->completed),
                   received = gather_end_order(m->receive_order, m->posted, m->received);

    m->tag = (uint32_t)g->requests++;
    if (add_event(j, m, m->send_is_request ? EVENT_ISEND_TO : EVENT_SEND_TO, m->sent, m->send_order) != TCF_OK ||
        (m->send_is_request && add_event(j, m, EVENT_SEND_COMPLETE, m->completed, end) != TCF_OK) ||
        (m->receive_is_request && add_event(j, m, EVENT_RECEIVE_REQUEST, m->posted, m->receive_order) != TCF_OK))
        return TCF_ERROR;
    return add_event(j, m, m->receive_is_request ? EVENT_IRECEIVE_FROM : EVENT_RECEIVE_FROM, m->received, received);
}

static tcf_status add_message(pairing *j, message m)
{
    if (m.channel != TCF_NONE)
        return add_ranks(j, &m);
    j->g->has_edges |= j->g->locations[m.sender].process != j->g->locations[m.receiver].process;
    if (choose_tag(j, &m) != TCF_OK)
        return TCF_ERROR;
    const event sent = {.time = m.sent, .value = m.bytes, .what = m.receiver, .tag = m.tag, .type = EVENT_SEND};
    const event received = {.time = m.received,
                            .value = m.bytes,
                            .what = m.sender,
                            .tag = m.tag,
                            .type = EVENT_RECEIVE};

    j->g->locations[m.sender].has_messages = j->g->locations[m.receiver].has_messages = 1;
    if (gather_add(j->g, m.sender, &sent, m.send_order) != TCF_OK)
        return TCF_ERROR;
    return gather_add(j->g, m.receiver, &received, m.receive_order);
}

/* ------------------------------------------------------------------------------------------------------------ all --
 */

static tcf_status take_parts(pairing *j)
{
    const part *p;
    tcf_status status = sorter_finish(j->g->parts);

    while (status == TCF_OK && (p = sorter_next(j->g->parts, &status)))
        status = take_part(j, p);
    return status == TCF_OK ? end_key(j) : status;
}

static tcf_status take_messages(pairing *j)
{
    const message *m;
    tcf_status status = sorter_finish(j->messages);

    while (status == TCF_OK && (m = sorter_next(j->messages, &status)))
        status = add_message(j, *m);
    return status;
}

tcf_status pairs_make(gather *g)
{
    pairing j = {.g = g};
    const size_t memory = g->options->memory / 4;

    j.messages = sorter_new(sizeof(message), memory, compare_messages, NULL);
    tcf_status status = j.messages ? ranks_sort(g) : TCF_ERROR;
    if (status == TCF_OK)
        status = take_parts(&j);
    sorter_delete(g->parts);
    g->parts = NULL;
    ranks_judge(g);
    if (status == TCF_OK)
        status = take_messages(&j);
    sorter_delete(j.messages);
    free(j.sends.at);
    free(j.receives.at);
    free(j.begins.at);
    free(j.channels);
    map_free(&j.by_tag);
    return status;
}
