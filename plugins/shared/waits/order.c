/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Late senders in wrong order. A late sender is in wrong order if a later call of its receiver gets a message that was
 * sent earlier. It stays undecided as long as such a message may come: until no message to the receiver's process that
 * was sent earlier is in flight, and all locations have passed that time. Other domains are asked for what they know of
 * that, and tell it. */
#include "internal.h"

#include <tcflow/grow.h>

#include <stdlib.h>

static tcf_status report_as(tcf_self *self, const waits_undecided *u, uint32_t pattern)
{
    wait found = u->found;
    found.pattern = pattern;
    return report_found(self, &found);
}

/* Finds the earliest and the latest send of those that are undecided. */
static void find_range(waits_track *k)
{
    k->earliest_undecided = UINT64_MAX;
    k->latest_undecided = 0;
    for (uint32_t i = 0; i < k->n_undecided; i++) {
        k->earliest_undecided = min_u64(k->earliest_undecided, k->undecided[i].send);
        k->latest_undecided = max_u64(k->latest_undecided, k->undecided[i].send);
    }
}

/* Decides the late senders whose messages were sent up to a time: no earlier message can come any more. They have left
 * the cache, so those are not looked at that stay, nor those of which nothing is reported. */
static tcf_status decide(tcf_self *self, waits_track *k, uint64_t until)
{
    waits *w = waits_of(self);
    const int is_silent = k->latest_undecided <= until && !k->has_different;
    uint32_t kept = 0;
    if (k->n_undecided == 0 || k->earliest_undecided > until)
        return TCF_OK;
    for (uint32_t i = 0; !is_silent && i < k->n_undecided; i++) {
        const waits_undecided *u = &k->undecided[i];
        if (u->send > until)
            k->undecided[kept++] = *u;
        else if (u->different && report_as(self, u, WAIT_LSWO_DIFFERENT) != TCF_OK)
            return TCF_ERROR;
    }
    w->n_undecided -= k->n_undecided - kept;
    k->n_undecided = kept;
    k->has_different &= kept > 0;
    find_range(k);
    return TCF_OK;
}

/* The earliest time at which a message of this domain may still be sent; with all = 0, by locations that have sent
 * before. */
static uint64_t earliest_send(const tcf_self *self, int all)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const waits_track *k = waits_track_of(self, l);
        if (!k->ended && tcf_location_at(self->defs, l)->type == TCF_CPU_THREAD && (all || k->has_sent) &&
            waits_is_here(self, l))
            least = min_u64(least, k->last);
    }
    return least;
}

/* Lowers w->of_process to the earliest message of this domain that is in flight to each process. */
static void find_in_flight(const waits *w, uint32_t processes)
{
    for (int listed = 0; listed < 2; listed++)
        for (uint32_t r = w->ages[listed].oldest; r != NONE; r = w->replies[r].newer) {
            const waits_reply *x = &w->replies[r];
            if (x->state & IS_IN_FLIGHT && x->process < processes)
                w->of_process[x->process] = min_u64(w->of_process[x->process], x->send);
        }
}

static tcf_status decide_all(tcf_self *self, int all)
{
    const waits *w = waits_of(self);
    const uint32_t processes = self->defs->n_locations;
    uint64_t earliest = earliest_send(self, all);
    if (w->domains)
        earliest = min_u64(earliest, w->may_send[all]);
    for (uint32_t p = 0; p < processes; p++)
        w->of_process[p] = w->domains ? min_u64(earliest, w->in_flight[p]) : earliest;
    find_in_flight(w, processes);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        waits_track *k = waits_track_of(self, l);
        if (decide(self, k, w->of_process[waits_process(self, l)]) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* The list is long: decides what can be decided, and at the cap all of it. */
static tcf_status look(tcf_self *self)
{
    waits *w = waits_of(self);
    if (decide_all(self, 1) != TCF_OK)
        return TCF_ERROR;
    if (w->n_undecided > w->max_undecided / 2 && decide_all(self, 0) != TCF_OK)
        return TCF_ERROR;
    if (w->n_undecided >= w->max_undecided) {
        w->counts.decided_early += w->n_undecided;
        for (uint32_t l = 0; l < self->defs->n_locations; l++)
            if (decide(self, waits_track_of(self, l), UINT64_MAX) != TCF_OK)
                return TCF_ERROR;
    }
    w->look_at = min_u64(max_u64(w->look_at, 2 * w->n_undecided), w->max_undecided);
    return TCF_OK;
}

/* Asks the other domains what they may still send; when all have told it, look() goes on. */
static tcf_status ask(tcf_self *self)
{
    waits *w = waits_of(self);
    const uint32_t n = w->domains->count(self);
    const uint8_t l[8] = {LETTER_ASK};
    if (w->asked > 0) {
        if (w->n_undecided >= w->max_undecided)
            w->domains->set_short(self, TCF_SHORT_OF_ANSWERS, 1);
        return TCF_OK;
    }
    w->may_send[0] = w->may_send[1] = UINT64_MAX;
    for (uint32_t p = 0; p < self->defs->n_locations; p++)
        w->in_flight[p] = UINT64_MAX;
    for (uint32_t k = 0; k < n; k++)
        if (k != w->domain && w->domains->tell(self, k, l, sizeof l) != TCF_OK)
            return TCF_ERROR;
    w->asked = n - 1;
    return TCF_OK;
}

tcf_status order_asked(tcf_self *self, uint32_t by)
{
    const waits *w = waits_of(self);
    const uint32_t processes = self->defs->n_locations;
    uint32_t n = 0;
    for (uint32_t p = 0; p < processes; p++)
        w->of_process[p] = UINT64_MAX;
    find_in_flight(w, processes);
    for (uint32_t p = 0; p < processes; p++)
        n += w->of_process[p] < UINT64_MAX && w->domains->of(self, p) == by;
    const size_t bytes = sizeof(may_send_letter) + n * sizeof(in_flight);
    may_send_letter *l = malloc(bytes);
    if (!l)
        return self->host->fail(self, "out of memory for %u messages in flight", n);
    *l = (may_send_letter){.kind = LETTER_MAY_SEND, .earliest = {earliest_send(self, 0), earliest_send(self, 1)}};
    for (uint32_t p = 0; p < processes; p++)
        if (w->of_process[p] < UINT64_MAX && w->domains->of(self, p) == by)
            l->at[l->n++] = (in_flight){p, w->of_process[p]};
    const tcf_status status = w->domains->tell(self, by, l, bytes);
    free(l);
    return status;
}

tcf_status order_told(tcf_self *self, const may_send_letter *l)
{
    waits *w = waits_of(self);
    for (int all = 0; all < 2; all++)
        w->may_send[all] = min_u64(w->may_send[all], l->earliest[all]);
    for (uint32_t i = 0; i < l->n; i++)
        w->in_flight[l->at[i].process] = min_u64(w->in_flight[l->at[i].process], l->at[i].earliest);
    if (--w->asked > 0)
        return TCF_OK;
    w->domains->set_short(self, TCF_SHORT_OF_ANSWERS, 0);
    return look(self);
}

tcf_status order_add(tcf_self *self, const wait *found, uint64_t send)
{
    waits *w = waits_of(self);
    waits_track *k = waits_track_of(self, found->location);
    if (w->max_undecided == 0)
        return TCF_OK;
    if (w->n_undecided >= w->look_at && (w->domains ? ask(self) : look(self)) != TCF_OK)
        return TCF_ERROR;
    if (TCF_GROW(&k->undecided, &k->undecided_capacity, k->n_undecided) != 0)
        return self->host->fail(self, "out of memory for late senders that are undecided");
    k->earliest_undecided = k->n_undecided > 0 ? min_u64(k->earliest_undecided, send) : send;
    k->latest_undecided = max_u64(k->latest_undecided, send);
    k->undecided[k->n_undecided++] = (waits_undecided){.send = send, .found = *found};
    w->n_undecided++;
    return TCF_OK;
}

tcf_status order_receive(const waits_at *at, const waits_message *m)
{
    waits_track *k = at->k;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < k->n_undecided; i++) {
        waits_undecided *u = &k->undecided[i];
        if (u->send > m->time) {
            if (waits_process(at->self, u->found.cause_location) == waits_process(at->self, m->location)) {
                if (report_as(at->self, u, WAIT_LSWO_SAME) != TCF_OK)
                    return TCF_ERROR;
                at->w->n_undecided--;
                continue;
            }
            u->different = k->has_different = 1;
        }
        k->undecided[kept++] = *u;
    }
    k->n_undecided = kept;
    find_range(k);
    return TCF_OK;
}

tcf_status order_end(tcf_self *self, uint32_t location)
{
    return decide(self, waits_track_of(self, location), UINT64_MAX);
}
