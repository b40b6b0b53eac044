/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Judges a wait as soon as everything is known that the two locations did before, the causes of earlier waits included.
 * Until then the wait is parked at the location that has to come further first. So the order in which waits are found
 * doesn't matter. */
#include "root_cause.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- pending -- */

static tcf_status pending_add(tcf_self *self, struct place *p, uint64_t since, uint64_t from)
{
    if (p->first_pending > p->n_pending) { /* half of the array is free in front */
        memmove(p->pending, &p->pending[p->first_pending], p->n_pending * sizeof *p->pending);
        p->first_pending = 0;
    }
    if (TCF_GROW(&p->pending, &p->pending_capacity, p->first_pending + p->n_pending) != 0)
        return self->host->fail(self, "out of memory for waits that are not over");
    struct pending *all = &p->pending[p->first_pending];
    uint32_t i = p->n_pending++;
    for (; i > 0 && all[i - 1].since > since; i--)
        all[i] = all[i - 1];
    all[i] = (struct pending){since, from};
    ((struct state *)self->state)->has_pending[p->location / 64] |= UINT64_C(1) << p->location % 64;
    return TCF_OK;
}

/* The call is open, or is just being left. */
tcf_status queue_pending(tcf_self *self, uint32_t location, uint64_t from)
{
    struct place *p = tcf_location_state(self, location);
    if (is_recorded(self))
        return gather_put_time(self, gather_of(self), location, RECORD_PENDING, NONE, from);
    return pending_add(self, p, max_u64(from, p->mark), from);
}

static tcf_status pending_wait(tcf_self *self, const wait *w)
{
    struct place *p = tcf_location_state(self, w->location);
    const wait_key key = log_key(self, w);
    const waited *x = log_find(p, &key);
    return pending_add(self, p, x ? log_counts_from(p, x) : w->from, w->from);
}

/* Of several waits in one call the first entry is removed, so the others are listed at their time or later. */
void queue_settled(tcf_self *self, uint32_t location, uint64_t from)
{
    struct place *p = tcf_location_state(self, location);
    uint32_t i = 0;
    if (is_recorded(self)) {
        ((struct state *)self->state)->has_failed |=
            gather_put_time(self, gather_of(self), location, RECORD_SETTLED, NONE, from) != TCF_OK;
        return;
    }
    struct pending *all = &p->pending[p->first_pending];
    while (i < p->n_pending && all[i].from != from)
        i++;
    if (i == p->n_pending)
        return;
    memmove(&all[1], all, i * sizeof *all); /* most are settled in their order */
    p->first_pending++;
    p->n_pending--;
    ready_touch(self, location);
}

/* ------------------------------------------------------------------------------------------------------- parking -- */

static uint32_t parked_new(tcf_self *self)
{
    struct state *st = self->state;
    uint32_t i = st->free_parked;
    if (i != NONE) {
        st->free_parked = st->parked[i].left;
        return i;
    }
    if (TCF_GROW(&st->parked, &st->parked_capacity, st->n_parked) != 0) {
        self->host->fail(self, "out of memory for %u waits that cannot be judged yet", st->n_parked);
        return NONE;
    }
    return st->n_parked++;
}

/* The location whose log has to come further before the wait can be judged, and up to when; NONE: it can be judged. */
static uint32_t blocked_at(tcf_self *self, const wait *w, uint64_t *need)
{
    if (ready_until(tcf_location_state(self, w->cause_location)) < w->cause_time) {
        *need = w->cause_time;
        return w->cause_location;
    }
    *need = w->from;
    return ready_until(tcf_location_state(self, w->location)) < w->from ? w->location : NONE;
}

/* Joins two heaps as skew heaps are joined: what is inserted or taken out costs the logarithm of their size on average.
 */
static uint32_t join(parked *all, uint32_t a, uint32_t b)
{
    uint32_t root, *to = &root;
    while (a != NONE && b != NONE) {
        const int b_first = all[b].need < all[a].need;
        const uint32_t first = b_first ? b : a, right = all[first].right;
        b = b_first ? a : b;
        all[first].right = all[first].left;
        *to = first;
        to = &all[first].left;
        a = right;
    }
    *to = a != NONE ? a : b;
    return root;
}

static void park_at(tcf_self *self, uint32_t index, uint32_t location, uint64_t need)
{
    struct state *st = self->state;
    struct place *p = tcf_location_state(self, location);
    parked *x = &st->parked[index];
    x->need = need;
    x->left = x->right = NONE;
    p->parked = join(st->parked, p->parked, index);
}

static wait take_out(struct state *st, uint32_t index)
{
    parked *x = &st->parked[index];
    const wait w = x->found;
    x->found.location = NONE;
    x->left = st->free_parked;
    st->free_parked = index;
    st->waiting--;
    return w;
}

static tcf_status judge_parked(tcf_self *self, uint32_t index)
{
    const wait w = take_out(self->state, index);
    if (judge(self, &w) != TCF_OK)
        return TCF_ERROR;
    queue_settled(self, w.location, w.from);
    return TCF_OK;
}

/* Judges the waits that are parked at a location and can be judged. */
static tcf_status run_place(tcf_self *self, struct place *p)
{
    struct state *st = self->state;
    for (uint32_t i; (i = p->parked) != NONE && st->parked[i].need <= ready_until(p);) {
        uint64_t need;
        p->parked = join(st->parked, st->parked[i].left, st->parked[i].right);
        const uint32_t at = blocked_at(self, &st->parked[i].found, &need);
        if (at != NONE)
            park_at(self, i, at, need);
        else if (judge_parked(self, i) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Those of so many locations. */
static tcf_status run_places(tcf_self *self, uint32_t most)
{
    struct state *st = self->state;
    for (; st->ready != NONE && most > 0; most--) {
        struct place *p = tcf_location_state(self, st->ready);
        st->ready = p->next_ready;
        p->is_ready = 0;
        if (run_place(self, p) != TCF_OK)
            return TCF_ERROR;
    }
    if (st->ready != NONE)
        return TCF_OK;
    st->round++;
    st->is_due = 0;
    if (st->met.is_due && st->unanswered == 0) /* a wait of a call that is waited for no longer may still be found */
        forget(self);
    return TCF_OK;
}

static tcf_status in_spare_time(tcf_self *self, int *moved)
{
    enum { LOCATIONS = 8 };
    const struct state *st = self->state;
    *moved = st->ready != NONE || (st->met.is_due && st->unanswered == 0);
    return *moved ? run_places(self, LOCATIONS) : TCF_OK;
}

/* While this domain judges, others wait for its messages: there more is left to spare time. */
void queue_begin(tcf_self *self)
{
    enum { SHARE = 8, SHARE_BESIDE_OTHERS = 2 };
    struct state *st = self->state;
    if (!is_recorded(self))
        tcf_domains_host_of(self)->in_spare_time(self, in_spare_time);
    st->put_off = st->window / (gather_of(self)->host ? SHARE_BESIDE_OTHERS : SHARE);
}

tcf_status queue_run(tcf_self *self)
{
    const struct state *st = self->state;
    const int64_t most = ((const struct conf *)self->conf)->max_waiting / 2;
    return !st->is_due && st->waiting < most ? TCF_OK : run_places(self, NONE);
}

/* ------------------------------------------------------------------------------------------------- without order -- */

static int by_time(const void *a, const void *b)
{
    const wait *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->from, y->from), TCF_ORDER(x->location, y->location), TCF_ORDER(x->length, y->length),
                     TCF_ORDER(x->pattern, y->pattern));
}

/* Judges all parked waits, the earliest first. */
static tcf_status force(tcf_self *self)
{
    struct state *st = self->state;
    uint32_t n = 0;
    wait *all = malloc((st->waiting + 1u) * sizeof *all);
    if (!all)
        return self->host->fail(self, "out of memory for %u waits", st->waiting);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        ((struct place *)tcf_location_state(self, l))->parked = NONE;
    for (uint32_t i = 0; i < st->n_parked; i++)
        if (st->parked[i].found.location != NONE)
            all[n++] = take_out(st, i);
    tcf_sort(all, n, sizeof *all, by_time);
    tcf_status status = TCF_OK;
    for (uint32_t i = 0; i < n && status == TCF_OK; i++) {
        status = judge(self, &all[i]);
        queue_settled(self, all[i].location, all[i].from);
    }
    free(all);
    return status;
}

static tcf_status queue_wait(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    if (pending_wait(self, w) != TCF_OK)
        return TCF_ERROR;
    if (st->waiting >= (uint64_t)((const struct conf *)self->conf)->max_waiting) {
        st->forced += st->waiting;
        if (force(self) != TCF_OK)
            return TCF_ERROR;
    }
    const uint32_t i = parked_new(self);
    if (i == NONE)
        return TCF_ERROR;
    st->parked[i].found = *w;
    st->waiting++;
    park_at(self, i, w->location, 0);
    ready_touch(self, w->location);
    return TCF_OK;
}

static tcf_status take_wait(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    if (costs_wait(self, w) != TCF_OK || log_wait(self, w) != TCF_OK)
        return TCF_ERROR;
    if (!w->reversed && w->cause_location < self->defs->n_locations && w->cause_location != w->location)
        return queue_wait(self, w);
    st->reversed += w->reversed;
    st->nobody += !w->reversed;
    costs_unknown(self, w);
    return TCF_OK;
}

tcf_status queue_found(tcf_self *self, const wait *w)
{
    const struct state *st = self->state;
    if (!wait_is_for_others(w->pattern) || st->ignored[w->pattern])
        return TCF_OK;
    if (is_recorded(self))
        return gather_put_copy(self, gather_of(self), w->location, RECORD_WAIT, w, sizeof *w);
    wait found = *w;
    found.callpath = gather_callpath(self, &st->gather, w->location, w->callpath);
    found.cause_callpath = gather_callpath(self, &st->gather, w->cause_location, w->cause_callpath);
    return take_wait(self, &found);
}

/* At the end of the run only parked waits are pending. Those that remain after the last run wait for each other, which
 * is a sign of wrong clocks. */
tcf_status queue_end(tcf_self *self)
{
    struct state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        ((struct place *)tcf_location_state(self, l))->n_pending = 0;
    for (uint32_t i = 0; i < st->n_parked; i++)
        if (st->parked[i].found.location != NONE && pending_wait(self, &st->parked[i].found) != TCF_OK)
            return TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        ready_touch(self, l);
    if (run_places(self, NONE) != TCF_OK)
        return TCF_ERROR;
    st->cycles = st->waiting;
    return force(self);
}
