/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages: late senders, late receivers. */
#include "internal.h"

waits_message message_at(const waits_at *at, const waits_call *c)
{
    return (waits_message){.time = at->now,
                           .enter = c ? c->enter : at->now,
                           .location = at->s->location,
                           .callpath = c ? c->callpath : 0,
                           .is_there = 1};
}

static tcf_status send(const waits_at *at, const tcf_edge *e)
{
    tcf_self *self = at->self;
    waits_message *m = self->host->payload(self, e);
    waits_call *c = call_of(at);
    if (!m)
        return TCF_OK;
    *m = message_at(at, c);
    at->k->has_sent = 1;
    const int blocks = at->s->kind[at->i] != TCF_MPI_ISEND;
    const uint8_t region = c ? extra_of(self, c) : 0;
    uint32_t r;
    if (reply_new(self, (uint8_t)(IS_IN_FLIGHT | (blocks ? 0 : IS_REQUESTED)), &r) != TCF_OK)
        return TCF_ERROR;
    if (r == NONE)
        return TCF_OK;
    waits_reply *x = &at->w->replies[r];
    x->send = at->now;
    x->bytes = at->s->rec[at->i].mpi_send.msg_length;
    x->location = at->s->location;
    x->process = e->peer < self->defs->n_locations ? waits_process(self, e->peer) : NONE;
    x->pattern = !blocks                           ? WAIT_LATE_RECEIVER_COMPLETION
                 : region == WAITS_REGION_EXCHANGE ? WAIT_LATE_RECEIVER_EXCHANGE
                                                   : WAIT_LATE_RECEIVER;
    m->reply = reply_handle(at->w, r);
    if (!blocks)
        return reply_request(self, r, at->s->location, at->s->rec[at->i].mpi_isend.request_id);
    if (c && region != WAITS_REGION_NO_BLOCK)
        reply_list(at->w, r, &c->sends);
    return TCF_OK;
}

void message_completed_send(const waits_at *at)
{
    uint32_t r = reply_complete(at->w, at->s->location, at->s->rec[at->i].mpi_isend_complete.request_id);
    waits_call *c = call_of(at);
    if (r != NONE && c)
        reply_list(at->w, r, &c->completed_sends);
    else if (r != NONE)
        reply_done(at->w, r);
}

/* ----------------------------------------------------------------------------------------------- posted receives -- */

/* A request that is posted again was never completed. Beyond the cap the call that completes the receive stands for the
 * one that posted it. */
tcf_status message_posted_receive(const waits_at *at)
{
    waits *w = at->w;
    const uint64_t request = at->s->rec[at->i].mpi_irecv_request.request_id;
    const waits_call *c = call_of(at);
    uint32_t i = tcf_map_get(&w->posted, at->s->location, request);
    if (i == TCF_MAP_ABSENT) {
        if (w->receive_places.free == 0 && w->receive_places.n >= w->max_open) {
            w->counts.let_go++;
            return TCF_OK;
        }
        i = PLACES_TAKE(&w->receives, &w->receive_places);
        if (i == NONE || tcf_map_put(&w->posted, at->s->location, request, i) != 0)
            return at->self->host->fail(at->self, "out of memory for %u open receives", w->posted.n);
    }
    w->receives[i] = (waits_receive){.enter = c ? c->enter : at->now, .callpath = c ? c->callpath : 0};
    return TCF_OK;
}

void message_forget_receive(waits *w, uint32_t location, uint64_t request)
{
    uint32_t i = tcf_map_get(&w->posted, location, request);
    if (i == TCF_MAP_ABSENT)
        return;
    tcf_map_remove(&w->posted, location, request);
    PLACES_GIVE_BACK(w->receives, &w->receive_places, i);
}

/* The call that posted the receive which completes at event i. A blocking receive is posted by its own call. */
static waits_receive posted(const waits_at *at, const waits_call *c)
{
    waits *w = at->w;
    const waits_receive own = {.enter = c ? c->enter : at->now, .callpath = c ? c->callpath : 0};
    if (at->s->kind[at->i] != TCF_MPI_IRECV)
        return own;
    const uint64_t request = at->s->rec[at->i].mpi_irecv.request_id;
    uint32_t i = tcf_map_get(&w->posted, at->s->location, request);
    if (i == TCF_MAP_ABSENT)
        return own;
    const waits_receive found = w->receives[i];
    message_forget_receive(w, at->s->location, request);
    return found;
}

/* ------------------------------------------------------------------------------------------------------ receives -- */

/* A sender that entered its call after the receiver is late. Of all messages that a call receives, the latest sender
 * counts. */
static void note_late(waits_call *c, const waits_message *m, uint64_t bytes, int reversed)
{
    if (m->enter <= c->enter || m->enter < c->late_enter)
        return;
    if (m->enter == c->late_enter) { /* of equals the first send counts, then the location that is defined first */
        if (m->time == c->late_send && m->location == c->late_location) {
            c->late_reversed |= (uint8_t)reversed;
            c->late_bytes = max_u64(c->late_bytes, bytes);
        }
        if (m->time > c->late_send || (m->time == c->late_send && m->location >= c->late_location))
            return;
    }
    c->late_enter = m->enter;
    c->late_send = m->time;
    c->late_bytes = bytes;
    c->late_location = m->location;
    c->late_callpath = m->callpath;
    c->late_reversed = (uint8_t)reversed;
}

static tcf_status receive(const waits_at *at, const tcf_edge *e)
{
    tcf_self *self = at->self;
    waits *w = at->w;
    waits_call *c = call_of(at);
    const waits_receive post = posted(at, c);
    if (c)
        c->receives++;
    else
        w->counts.no_call++;
    const waits_message *m = e->flags & TCF_EDGE_UNMATCHED ? NULL : self->host->payload(self, e);
    if (!m || !m->is_there) {
        w->counts.no_partner++;
        return TCF_OK;
    }
    const int reversed = m->time > at->now;
    w->counts.edges[WAITS_P2P]++;
    w->counts.reversed[WAITS_P2P] += (uint64_t)reversed;
    if (at->k->n_undecided > 0 && m->time < at->k->latest_undecided && order_receive(at, m) != TCF_OK)
        return TCF_ERROR;
    const wait got = {.location = at->s->location,
                      .callpath = c ? c->callpath : 0,
                      .cause_location = m->location,
                      .cause_callpath = m->callpath,
                      .bytes = at->s->rec[at->i].mpi_recv.msg_length,
                      .reversed = (uint8_t)reversed};
    if (c)
        note_late(c, m, got.bytes, reversed);
    if (report_received(self, &got) != TCF_OK)
        return TCF_ERROR;
    return reply_tell(self, m->location, m->reply,
                      &(waits_answer){.time = post.enter,
                                      .location = at->s->location,
                                      .callpath = post.callpath,
                                      .reversed = (uint8_t)reversed});
}

tcf_status message_edge(const waits_at *at, const tcf_edge *e)
{
    if (e->flags & TCF_EDGE_SOURCE)
        return e->flags & TCF_EDGE_UNMATCHED ? TCF_OK : send(at, e);
    return e->flags & TCF_EDGE_TARGET ? receive(at, e) : TCF_OK;
}

static tcf_status late_sender(tcf_self *self, uint32_t location, const waits_call *c, uint64_t leave)
{
    const wait found = {.pattern = WAIT_LATE_SENDER,
                        .location = location,
                        .callpath = c->callpath,
                        .from = c->enter,
                        .length = min_u64(c->late_enter, leave) - c->enter,
                        .cause_location = c->late_location,
                        .cause_callpath = c->late_callpath,
                        .cause_time = c->late_enter,
                        .bytes = c->late_bytes,
                        .reversed = c->late_reversed,
                        .kind = kind_of(self, c->callpath)};
    if (found.length == 0)
        return TCF_OK;
    if (report_found(self, &found) != TCF_OK)
        return TCF_ERROR;
    return order_add(self, &found, c->late_send);
}

tcf_status message_leave(tcf_self *self, uint32_t location, waits_call *c, uint64_t leave)
{
    const uint8_t extra = extra_of(self, c);
    const int may_wait = extra != WAITS_REGION_TEST && extra != WAITS_REGION_WIN_TEST;
    uint64_t from = c->enter;
    if (c->accesses)
        waits_track_of(self, location)->accessed = leave;
    if (c->late_enter > 0 && may_wait) {
        if (late_sender(self, location, c, leave) != TCF_OK)
            return TCF_ERROR;
        from = min_u64(c->late_enter, leave); /* other waits of the same call begin after this one */
    }
    if (c->sends != NONE && reply_close(self, location, c, c->sends, from, leave, 1) != TCF_OK)
        return TCF_ERROR;
    if (c->expected != NONE && reply_close(self, location, c, c->expected, from, leave, may_wait) != TCF_OK)
        return TCF_ERROR;
    const int only_sends = may_wait && c->receives == 0 && c->collectives == 0;
    return c->completed_sends == NONE ? TCF_OK
                                      : reply_close(self, location, c, c->completed_sends, c->enter, leave, only_sends);
}
