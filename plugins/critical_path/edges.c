/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What messages, threads and requests mean for the path: a source leaves a ticket to the begin of its stretch, and a
 * target may have waited until then. A blocking send may have waited for its receiver, which is known later. */
#include "critical_path.h"

#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------- idle --
 *
 * An idle stretch may have waited for the message that is received next. So it ends with a question, which that message
 * answers, or that the location goes on without one. */

tcf_status idle_begin(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    if (idle_over(self, location) != TCF_OK)
        return TCF_ERROR;
    k->was_idle = k->idles = 1;
    if (is_recorded(self))
        return record_named(self, location, RECORD_IDLE, 0, 0);
    k->idle = ask(self, location);
    return k->idle == NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status answer_idle(tcf_self *self, uint32_t location, const struct cause *c)
{
    struct place *k = place_of(self, location);
    if (!k->was_idle) {
        path_drop(self, c->node, 0);
        return TCF_OK;
    }
    k->was_idle = 0;
    return answer(self, k->idle, c);
}

tcf_status idle_over(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    const struct cause nobody = {.node = NONE};
    if (!k->was_idle || !is_recorded(self))
        return answer_idle(self, location, &nobody);
    k->was_idle = 0;
    return record_named(self, location, RECORD_BUSY, 0, 0);
}

/* The sender of ticket x as the cause of the idle stretch that has ended before the receive; held. Node NONE: it is
 * none. */
static struct cause idle_for(tcf_self *self, const struct event *v, const tcf_edge *e, const struct ticket *x)
{
    struct state *st = state_of(self);
    const struct place *k = place_of(self, v->location);
    struct cause c = {.node = NONE};
    if (!k->was_idle || k->question == k->idle || e->class_ != TCF_CLASS_P2P || x->at.location == v->location ||
        x->event > v->time || x->at.time >= st->open.question[k->idle].end)
        return c;
    c = x->at;
    path_hold(&st->tree, c.node);
    return c;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static tcf_status forget(tcf_self *self, tcf_map *map, uint32_t location, uint64_t id);

static tcf_status leave_message(tcf_self *self, const struct event *v)
{
    struct open *open = &state_of(self)->open;
    const int is_request = v->kind == TCF_MPI_ISEND;
    if (is_request && forget(self, &open->requests, v->location, v->request) != TCF_OK)
        return TCF_ERROR;
    if (!v->name)
        return TCF_OK;
    const uint32_t t = leave_ticket(self, v->location, v->time, IS_ON_ITS_WAY);
    if (t == NONE || ticket_name(self, t, v->name) != TCF_OK)
        return TCF_ERROR;
    if (is_request) {
        open->ticket[t].state |= IS_REQUESTED;
        return ticket_request(self, t, &open->requests, v->location, v->request);
    }
    const uint8_t region = region_of(self, v->location);
    if (v->kind != TCF_MPI_SEND || region == WAITS_REGION_NO_BLOCK || region == WAITS_REGION_EXCHANGE ||
        region == WAITS_REGION_USER)
        return TCF_OK;
    const uint32_t q = ask(self, v->location);
    open->ticket[t].question = q;
    return q == NONE ? TCF_ERROR : TCF_OK;
}

/* May the sender have waited for a receive that was posted at this time? */
static int is_late(const tcf_self *self, uint32_t location, const struct ticket *x, uint64_t time)
{
    if (x->at.location == location)
        return 0;
    if (x->question == NONE)
        return x->state & IS_REQUESTED && time > x->at.time;
    const struct question *q = &state_of(self)->open.question[x->question];
    return time > q->start && (!q->ended || (time < q->end && !q->fixed && !(x->completes && q->is_late)));
}

/* Offers the sender of ticket x as the cause of the receiver's stretch. */
static void note_sender(tcf_self *self, const struct event *v, const tcf_edge *e, struct ticket *x)
{
    struct state *st = state_of(self);
    struct place *k = place_of(self, v->location);
    const struct cause c = x->at;
    const int is_elsewhere = c.location != v->location, is_thread = e->class_ != TCF_CLASS_P2P;
    const int reversed = (is_elsewhere || !is_thread) && count(st, is_thread ? THREADS : MESSAGES, x->event, v->time);
    x->at.node = NONE;
    if (!is_elsewhere || reversed || (!is_thread && only_tests(self, v->location))) {
        path_drop(self, c.node, 0);
        return;
    }
    k->is_late |= !is_thread && c.time > k->start;
    offer(self, &k->best, k->start, k->is_first && e->class_ == TCF_CLASS_THREAD_CREATE, &c);
}

/* Answers the sender of ticket t: who posted the receive, and when. Takes over the reference. */
static tcf_status tell_sender(tcf_self *self, uint32_t t, const struct cause *post)
{
    struct ticket *x = &state_of(self)->open.ticket[t];
    const uint32_t q = x->question;
    x->question = NONE;
    if (q != NONE)
        return answer_within(self, q, t, post);
    if (post->node != NONE && x->state & IS_REQUESTED) {
        x->at = *post;
        x->state = IS_REQUESTED;
        return TCF_OK;
    }
    path_drop(self, post->node, 0);
    ticket_free(self, t);
    return TCF_OK;
}

/* The location that posted the receive at event i; held. A blocking receive has the node NONE: its call posted it. */
static struct cause posted_at(tcf_self *self, const struct event *v)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = v->kind == TCF_MPI_IRECV ? ticket_take(self, &open->posted, v->location, v->request) : NONE;
    struct cause post = {.node = NONE, .location = v->location, .time = place_of(self, v->location)->start};
    if (t != NONE) {
        post = open->ticket[t].at;
        ticket_free(self, t);
    }
    return post;
}

static tcf_status take_message(tcf_self *self, const struct event *v, const tcf_edge *e)
{
    struct open *open = &state_of(self)->open;
    const uint64_t name = v->name ? *v->name : 0;
    struct cause post = posted_at(self, v);
    uint32_t t = ticket_find(self, name);
    const int is_late_receiver = t != NONE && is_late(self, v->location, &open->ticket[t], post.time);
    if (is_late_receiver && post.node == NONE) {
        if (mark_here(self, v->location) != TCF_OK)
            return TCF_ERROR;
        t = ticket_find(self, name); /* making room for the mark may have dropped the ticket */
        post = here(self, v->location);
    }
    struct cause sender = {.node = NONE};
    if (t == NONE) {
        open->not_followed += name != 0;
        path_drop(self, post.node, 0);
    } else {
        sender = idle_for(self, v, e, &open->ticket[t]);
        note_sender(self, v, e, &open->ticket[t]);
        if (!is_late_receiver) {
            path_drop(self, post.node, 0);
            post.node = NONE;
        }
        if (tell_sender(self, t, &post) != TCF_OK)
            return TCF_ERROR;
    }
    return e->class_ == TCF_CLASS_P2P ? answer_idle(self, v->location, &sender) : TCF_OK;
}

tcf_status message_edge(tcf_self *self, const struct event *v, const tcf_edge *e)
{
    if (e->flags & TCF_EDGE_TARGET)
        return take_message(self, v, e);
    return e->flags & TCF_EDGE_SOURCE ? leave_message(self, v) : TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ requests -- */

/* Drops the ticket of a request whose id another request has now, or that was cancelled. */
static tcf_status forget(tcf_self *self, tcf_map *map, uint32_t location, uint64_t id)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = ticket_take(self, map, location, id);
    if (t == NONE || (map == &open->requests && open->ticket[t].state & IS_ON_ITS_WAY))
        return TCF_OK;
    open->ticket[t].state |= IS_ON_ITS_WAY; /* keeps it in use until it is dropped */
    return ticket_let_go(self, t);
}

static tcf_status post(tcf_self *self, const struct event *v)
{
    struct open *open = &state_of(self)->open;
    const uint64_t id = v->request;
    if (forget(self, &open->posted, v->location, id) != TCF_OK)
        return TCF_ERROR;
    const uint32_t t = leave_ticket(self, v->location, v->time, IS_POSTED);
    return t == NONE ? TCF_ERROR : ticket_request(self, t, &open->posted, v->location, id);
}

/* A non-blocking send is complete: the call may have waited until the receive was posted. */
static tcf_status complete_send(tcf_self *self, const struct event *v)
{
    struct open *open = &state_of(self)->open;
    const uint32_t t = ticket_take(self, &open->requests, v->location, v->request);
    if (t == NONE)
        return TCF_OK;
    struct ticket *x = &open->ticket[t];
    const int is_received = !(x->state & IS_ON_ITS_WAY);
    x->state |= IS_ON_ITS_WAY; /* keeps it in use */
    if (only_tests(self, v->location) || (is_received && x->at.time <= place_of(self, v->location)->start))
        return is_received ? ticket_let_go(self, t) : TCF_OK;
    const uint32_t q = ask(self, v->location);
    if (q == NONE)
        return TCF_ERROR;
    x->completes = 1;
    if (!is_received) {
        x->question = q;
        return TCF_OK;
    }
    const struct cause receiver = x->at;
    x->at.node = NONE;
    return answer_within(self, q, t, &receiver);
}

tcf_status request(tcf_self *self, const struct event *v)
{
    struct open *open = &state_of(self)->open;
    const uint64_t id = v->request;
    switch (v->kind) {
    case TCF_MPI_IRECV_REQUEST:
        return post(self, v);
    case TCF_MPI_ISEND_COMPLETE:
        return complete_send(self, v);
    default:
        return forget(self, &open->requests, v->location, id) == TCF_OK ? forget(self, &open->posted, v->location, id)
                                                                        : TCF_ERROR;
    }
}

/* --------------------------------------------------------------------------------------------------------- teams -- */

tcf_status team_edge(tcf_self *self, const struct event *v, const tcf_edge *e)
{
    struct state *st = state_of(self);
    struct place *k = place_of(self, v->location);
    const int is_fork = e->class_ == TCF_CLASS_FORK;
    if (e->peer >= self->defs->n_comms || e->flags & TCF_EDGE_UNMATCHED)
        return TCF_OK;
    struct team *team = &st->open.team[e->peer];
    struct team_event *last = is_fork ? &team->fork : &team->join;
    if (e->flags & TCF_EDGE_SOURCE) {
        if (!is_fork && team->fork.number == e->number && team->fork.at.location == v->location)
            return TCF_OK; /* the forking thread itself */
        if (!is_fork && last->number == e->number && last->at.node != NONE &&
            (last->at.time > k->start || (last->at.time == k->start && last->at.location < v->location)))
            return TCF_OK;
        if (mark_here(self, v->location) != TCF_OK)
            return TCF_ERROR;
        path_drop(self, last->at.node, 0);
        *last = (struct team_event){.number = e->number, .event = v->time, .at = here(self, v->location)};
    } else if (e->flags & TCF_EDGE_TARGET && last->at.location != v->location) {
        if (last->number != e->number || last->at.node == NONE) {
            st->open.not_followed++;
            return TCF_OK;
        }
        const struct cause c = last->at;
        path_hold(&st->tree, c.node);
        if (count(st, THREADS, last->event, v->time))
            path_drop(self, c.node, 0);
        else
            offer(self, &k->best, k->start, is_fork && k->is_first, &c);
    }
    return TCF_OK;
}
