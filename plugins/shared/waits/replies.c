/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Replies and gathers: what calls hear from other locations, whichever of call and answer comes first. A reply lives
 * from its send (or non-blocking operation) until both sides are done with it. A gather lives as long as a call that
 * was left waits for replies. */
#include "internal.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

/* The list by age that a reply is in. */
static inline waits_ages *ages_of(waits *w, const waits_reply *x)
{
    return &w->ages[(x->state & IS_LISTED) != 0];
}

static void link_reply(waits *w, uint32_t r)
{
    waits_reply *x = &w->replies[r];
    waits_ages *ages = ages_of(w, x);
    x->older = ages->newest;
    x->newer = NONE;
    *(ages->newest != NONE ? &w->replies[ages->newest].newer : &ages->oldest) = r;
    ages->newest = r;
}

static void unlink_reply(waits *w, uint32_t r)
{
    const waits_reply *x = &w->replies[r];
    waits_ages *ages = ages_of(w, x);
    *(x->older != NONE ? &w->replies[x->older].newer : &ages->oldest) = x->newer;
    *(x->newer != NONE ? &w->replies[x->newer].older : &ages->newest) = x->older;
}

void reply_done(waits *w, uint32_t r)
{
    waits_reply *x = &w->replies[r];
    if (x->state & (IS_IN_FLIGHT | IS_REQUESTED | IS_LISTED | IS_EXPECTED))
        return;
    unlink_reply(w, r);
    x->generation++;
    x->state = 0;
    x->next = w->free_reply;
    w->free_reply = r;
}

/* ------------------------------------------------------------------------------------------------------- gathers -- */

/* Orders waits of a call, of which the longest counts. Of equals it is the one for the location that entered last, then
 * for the location that is defined first, then of the first pattern in the table. 0: equal. */
static int compare(const wait *a, const wait *b)
{
    return TCF_FIRST(TCF_ORDER(a->length, b->length), TCF_ORDER(a->cause_time, b->cause_time),
                     TCF_ORDER(b->cause_location, a->cause_location), TCF_ORDER(b->pattern, a->pattern));
}

/* A blocked send ends after its receiver came, and the start of an epoch after its targets came. If the call ended
 * earlier, it did not wait. */
static int may_be_over(uint8_t pattern)
{
    return pattern == WAIT_LATE_RECEIVER || pattern == WAIT_LATE_RECEIVER_COMPLETION ||
           pattern == WAIT_LATE_RECEIVER_EXCHANGE || pattern == WAIT_LATE_POST;
}

/* Takes an answered reply into account for the call of a gather. Of equal ones the last reply of the call says where
 * its cause was. */
static void consider(waits_gather *g, const waits_reply *x)
{
    wait *best = &g->best;
    const uint64_t from = g->from, leave = g->leave;
    if (x->time <= from || (may_be_over(x->pattern) && x->time >= leave) || leave <= from)
        return;
    const wait found = {.pattern = x->pattern,
                        .location = g->location,
                        .callpath = g->callpath,
                        .from = from,
                        .length = min_u64(x->time, leave) - from,
                        .cause_location = x->cause_location,
                        .cause_callpath = x->cause_callpath,
                        .cause_time = x->time,
                        .since = x->since,
                        .bytes = x->bytes,
                        .reversed = x->reversed || (x->pattern == WAIT_EARLY_WAIT && x->time > leave)};
    int order = best->length == 0 ? 1 : compare(&found, best);
    if (order > 0) {
        *best = found;
        g->place = x->place;
    } else if (order == 0) {
        best->reversed |= found.reversed;
        best->bytes = max_u64(best->bytes, found.bytes);
        if (x->place > g->place) {
            best->cause_callpath = found.cause_callpath;
            best->since = found.since;
            g->place = x->place;
        }
    }
}

/* All replies of a call are there: reports its wait. */
static tcf_status report_best(tcf_self *self, const wait *best)
{
    if (best->length == 0)
        return TCF_OK;
    wait late = *best;
    late.kind = waits_kind_of(waits_of(self), best->callpath);
    if (report_found(self, &late) != TCF_OK)
        return TCF_ERROR;
    const uint64_t since = max_u64(best->since, best->from), until = best->from + best->length;
    if (best->pattern != WAIT_EARLY_WAIT || since >= until)
        return TCF_OK;
    late.pattern = WAIT_LATE_COMPLETE;
    late.from = since;
    late.length = until - since;
    return report_found(self, &late);
}

/* One reply of the gather came, or never will. */
static tcf_status gather_settle(tcf_self *self, uint32_t index)
{
    waits *w = waits_of(self);
    waits_gather *g = &w->gathers[index];
    if (--g->pending > 0)
        return TCF_OK;
    const wait best = g->best;
    const uint32_t location = g->location;
    const uint64_t from = g->from;
    PLACES_GIVE_BACK(w->gathers, &w->gather_places, index);
    if (report_best(self, &best) != TCF_OK)
        return TCF_ERROR;
    report_settled(self, location, from);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- replies -- */

/* At the cap: drops the oldest reply that is in no open call's list. */
static tcf_status let_go(tcf_self *self)
{
    waits *w = waits_of(self);
    uint32_t r = w->ages[0].oldest;
    w->counts.let_go++;
    if (r == NONE)
        return TCF_OK;
    waits_reply *x = &w->replies[r];
    if (x->state & IS_REQUESTED)
        tcf_map_remove(&w->requests, x->location, x->request);
    uint32_t gather = x->gather;
    x->state = 0;
    reply_done(w, r);
    return gather == NONE ? TCF_OK : gather_settle(self, gather);
}

tcf_status reply_new(tcf_self *self, uint8_t state, uint32_t *fresh)
{
    waits *w = waits_of(self);
    *fresh = NONE;
    if (w->free_reply == NONE && w->n_replies == w->max_open && let_go(self) != TCF_OK)
        return TCF_ERROR;
    uint32_t r = w->free_reply, generation = 1;
    if (r != NONE) {
        w->free_reply = w->replies[r].next;
        generation = w->replies[r].generation;
    } else if (w->n_replies == w->max_open) {
        return TCF_OK;
    } else {
        if (TCF_GROW(&w->replies, &w->replies_capacity, w->n_replies) != 0)
            return self->host->fail(self, "out of memory for messages in flight");
        r = w->n_replies++;
    }
    w->replies[r] =
        (waits_reply){.generation = generation, .state = state, .gather = NONE, .next = NONE, .process = NONE};
    link_reply(w, r);
    *fresh = r;
    return TCF_OK;
}

uint64_t reply_handle(const waits *w, uint32_t r)
{
    return r == NONE ? NONE : (uint64_t)w->replies[r].generation << 32 | r;
}

/* NONE: it was dropped. */
static uint32_t reply_find(const waits *w, uint64_t handle)
{
    uint32_t r = (uint32_t)handle;
    return handle != 0 && r < w->n_replies && w->replies[r].generation == handle >> 32 ? r : NONE;
}

static tcf_status answer(tcf_self *self, uint32_t r, const waits_answer *a)
{
    waits *w = waits_of(self);
    waits_reply *x = &w->replies[r];
    x->state = (uint8_t)((x->state & ~(IS_IN_FLIGHT | IS_EXPECTED)) | IS_ANSWERED);
    x->time = a->time;
    x->since = a->since;
    x->reversed = a->reversed;
    x->cause_location = a->location;
    x->cause_callpath = a->callpath;
    uint32_t gather = x->gather;
    if (gather != NONE) {
        consider(&w->gathers[gather], x);
    }
    reply_done(w, r);
    return gather == NONE ? TCF_OK : gather_settle(self, gather);
}

tcf_status reply_told(tcf_self *self, const answer_letter *l)
{
    waits *w = waits_of(self);
    const uint32_t r = reply_find(w, l->reply);
    return r == NONE ? TCF_OK : answer(self, r, &l->answer);
}

tcf_status reply_tell(tcf_self *self, uint32_t home, uint64_t handle, const waits_answer *answer)
{
    const waits *w = waits_of(self);
    const answer_letter l = {.kind = LETTER_ANSWER, .answer = *answer, .reply = handle};
    if (waits_is_here(self, home))
        return reply_told(self, &l);
    return handle == 0 || handle == NONE ? TCF_OK : w->domains->tell(self, w->domains->of(self, home), &l, sizeof l);
}

tcf_status reply_request(tcf_self *self, uint32_t r, uint32_t location, uint64_t request)
{
    waits *w = waits_of(self);
    uint32_t before = tcf_map_get(&w->requests, location, request);
    if (before != TCF_MAP_ABSENT) { /* it was never completed */
        w->replies[before].state &= (uint8_t)~IS_REQUESTED;
        reply_done(w, before);
    }
    w->replies[r].request = request;
    if (tcf_map_put(&w->requests, location, request, r) != 0)
        return self->host->fail(self, "out of memory for %u open requests", w->requests.n);
    return TCF_OK;
}

uint32_t reply_complete(waits *w, uint32_t location, uint64_t request)
{
    uint32_t r = tcf_map_get(&w->requests, location, request);
    if (r == TCF_MAP_ABSENT)
        return NONE;
    tcf_map_remove(&w->requests, location, request);
    w->replies[r].state &= (uint8_t)~IS_REQUESTED;
    return r;
}

void reply_cancel(waits *w, uint32_t location, uint64_t request)
{
    uint32_t r = reply_complete(w, location, request);
    if (r != NONE)
        reply_done(w, r);
}

void reply_list(waits *w, uint32_t r, uint32_t *list)
{
    unlink_reply(w, r);
    w->replies[r].state |= IS_LISTED;
    link_reply(w, r);
    w->replies[r].place = *list == NONE ? 0 : w->replies[*list].place + 1;
    w->replies[r].next = *list;
    *list = r;
}

tcf_status reply_close(tcf_self *self, uint32_t location, const waits_call *c, uint32_t list, uint64_t from,
                       uint64_t leave, int counts)
{
    waits *w = waits_of(self);
    waits_gather known = {.from = from, .leave = leave, .location = location, .callpath = c->callpath};
    uint32_t gather = NONE;
    for (uint32_t r = list, next; r != NONE; r = next) {
        waits_reply *x = &w->replies[r];
        next = x->next;
        unlink_reply(w, r);
        x->state &= (uint8_t)~IS_LISTED;
        link_reply(w, r);
        if (counts && x->state & IS_ANSWERED) {
            consider(&known, x);
        } else if (counts) {
            if (gather == NONE && (gather = PLACES_TAKE(&w->gathers, &w->gather_places)) == NONE)
                return self->host->fail(self, "out of memory for calls that wait for an answer");
            x->gather = gather;
            known.pending++;
        }
        reply_done(w, r);
    }
    if (gather != NONE) {
        w->gathers[gather] = known;
        return report_pending(self, location, from);
    }
    return report_best(self, &known.best);
}

tcf_status replies_end(tcf_self *self)
{
    waits *w = waits_of(self);
    for (int listed = 0; listed < 2; listed++)
        for (uint32_t r = w->ages[listed].oldest; r != NONE; r = w->replies[r].newer) {
            uint32_t gather = w->replies[r].gather;
            w->replies[r].gather = NONE;
            if (gather != NONE && gather_settle(self, gather) != TCF_OK)
                return TCF_ERROR;
        }
    return TCF_OK;
}
