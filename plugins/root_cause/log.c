/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The log of a location: what it did lately, as stretches between marks, and the waits and meetings in them. Marks are
 * set at the enter and leave of each call that communicates (the enter only if no other call was made inside before),
 * and where locks are got and released. What is older than the window is dropped. */
#include "root_cause.h"

#include <tcflow/grow.h>

#include <stdlib.h>

enum { MOST_AHEAD = 1 << 20 }; /* stretches of all locations that are kept beyond their windows */

static tcf_status out_of_memory(tcf_self *self)
{
    return self->host->fail(self, "out of memory for what locations did lately");
}

/* -------------------------------------------------------------------------------------- time since the last mark -- */

static int touch(struct place *p, uint32_t callpath)
{
    if (TCF_GROW(&p->touched, &p->touched_capacity, p->n_touched) != 0)
        return -1;
    p->touched[p->n_touched++] = callpath;
    return 0;
}

static inline int add_time(struct place *p, uint32_t callpath, uint64_t time)
{
    if (time == 0)
        return 0;
    if (TCF_GROW_ZEROED(&p->time, &p->n_time, callpath) != 0 || (p->time[callpath] == 0 && touch(p, callpath) != 0))
        return -1;
    p->time[callpath] += time;
    return 0;
}

/* How much of the time of the call at this depth is logged. An earlier call with the same enter and call path took no
 * time, so the two may be confused. */
static inline logged *logged_of(struct place *p, uint32_t depth, const waits_call *c)
{
    logged *l = &p->open[depth];
    if (l->enter != c->enter || l->callpath != c->callpath)
        *l = (logged){c->enter, 0, c->callpath, 0};
    return l;
}

/* Logs the own time of an open call, of which it has `own` by now. */
static inline int log_own(struct place *p, logged *l, uint64_t own)
{
    if (add_time(p, l->node > 0 ? l->node : l->callpath, own - l->time) != 0)
        return -1;
    l->time = own;
    return 0;
}

/* Logs open calls up to a mark. The call on top of the stack has just ended, so a call around it has done nothing
 * between the enter of the next inner call and the mark. */
static int log_open_calls(struct place *p, uint64_t time)
{
    const waits_track *k = p->track;
    for (uint32_t d = k->depth; d-- > 0;) {
        const waits_call *c = &k->call[d];
        const int is_top = d + 1 == k->depth;
        if (!is_top && c[1].enter < p->mark)
            break; /* since the last mark the location was inside of the next call, so this one did nothing */
        const uint64_t own = (is_top ? time : c[1].enter) - c->enter - c->inner;
        if (log_own(p, logged_of(p, d, c), own) != 0)
            return -1;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- stretches -- */

static void drop_stretch(struct place *p)
{
    p->log_start = log_start_of(p, 1);
    ring_drop(&p->parts, log_first_part(p, 1) - p->parts.first);
    ring_drop(&p->stretches, 1);
}

void log_forget(struct place *p, uint64_t from)
{
    const uint32_t n = log_stretch_at(p, from);
    p->log_start = p->forgotten_until = log_start_of(p, n);
    ring_drop(&p->parts, log_first_part(p, n) - p->parts.first);
    ring_drop(&p->stretches, n);
}

int log_push_part(tcf_self *self, struct place *p, uint32_t callpath, uint64_t time)
{
    if (is_recorded(self))
        return gather_put_time(self, gather_of(self), p->location, RECORD_PART, callpath, time) == TCF_OK ? 0 : -1;
    part *x = ring_push(&p->parts);
    if (!x)
        return -1;
    *x = (part){time, callpath};
    return 0;
}

/* How far the location is that is behind all others. */
static uint64_t slowest(tcf_self *self)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        if (!p->ended && !tcf_location_at(self->defs, l)->silent)
            least = min_u64(least, place_last(p));
    }
    return least;
}

/* A location that has come far ahead of others, as one that only sends, is compared with them when they follow: its log
 * keeps what it did since, and a window before that, as far as MOST_AHEAD goes. */
static void make_room(tcf_self *self, struct place *p)
{
    struct state *st = self->state;
    ring *const all[] = {&p->stretches, &p->parts, &p->waits, &p->outers, &p->meetings};
    if (p->stretches.n < p->stretches.most || p->stretches.n > MOST_AHEAD - st->ahead)
        return;
    const stretch *s = ring_at(&p->stretches, st->window + st->put_off);
    if (s->end <= st->slowest || s->end <= (st->slowest = slowest(self)))
        return;
    st->ahead += p->stretches.n;
    for (uint32_t i = 0; i < TCF_COUNT(all); i++)
        all[i]->most *= 2;
}

/* A call that is a window back, and all locations have passed, but may still turn out to have waited, as a send whose
 * receive is missing, is waited for no longer: what follows it would be judged when its log is gone. */
static void give_up_pending(tcf_self *self, struct place *p, int *knows_slowest)
{
    struct state *st = self->state;
    const uint32_t n = p->stretches.n, compared = st->window + st->put_off;
    if (n < compared || p->pending[p->first_pending].since >= log_start_of(p, n - compared))
        return;
    if (!*knows_slowest)
        st->slowest = slowest(self);
    *knows_slowest = 1;
    const uint64_t until = min_u64(log_start_of(p, n - compared), st->slowest);
    for (; p->n_pending > 0 && p->pending[p->first_pending].since < until; p->first_pending++, p->n_pending--)
        st->unanswered++;
    ready_touch(self, p->location);
}

/* Looks for such calls now and then, at all locations: one may have run ahead, and has ended. Few have any. */
static void look_for_unanswered(tcf_self *self)
{
    struct state *st = self->state;
    int knows_slowest = 0;
    if (++st->pushed < self->defs->n_locations + st->window / 8)
        return;
    st->pushed = 0;
    for (uint32_t w = 0; w < words_of(self->defs->n_locations); w++)
        for (uint64_t left = st->has_pending[w]; left; left &= left - 1) {
            struct place *p = tcf_location_state(self, 64 * w + (uint32_t)__builtin_ctzll(left));
            if (p->n_pending > 0)
                give_up_pending(self, p, &knows_slowest);
            if (p->n_pending == 0)
                st->has_pending[w] &= ~(left & -left);
        }
}

/* Waits are judged before a location has so many new stretches that it may drop one which they need. */
static void count_new(struct state *st, struct place *p)
{
    p->n_new = p->of_round == st->round ? p->n_new + 1 : 1;
    p->of_round = st->round;
    st->is_due |= p->n_new >= st->put_off;
}

int log_push_stretch(tcf_self *self, struct place *p, uint64_t end, uint32_t callpath)
{
    if (is_recorded(self)) {
        p->mark = end;
        return gather_put_time(self, gather_of(self), p->location, RECORD_STRETCH, callpath, end) == TCF_OK ? 0 : -1;
    }
    count_new(self->state, p);
    make_room(self, p);
    look_for_unanswered(self);
    while (p->stretches.n > 0 && (p->stretches.n == p->stretches.most || p->parts.n > p->parts.most))
        drop_stretch(p);
    stretch *s = ring_push(&p->stretches);
    if (s)
        *s = (stretch){.end = end, .first_part = p->parts.first + p->parts.n, .callpath = callpath};
    p->mark = end;
    return s ? 0 : -1;
}

/* What is left of the time since the mark was outside of all calls. */
static tcf_status close_stretch(tcf_self *self, struct place *p, uint64_t time)
{
    uint64_t outside = time > p->mark ? time - p->mark : 0;
    if (outside == 0 && p->n_touched == 0)
        return TCF_OK;
    if (log_push_stretch(self, p, time, NONE) != 0)
        return out_of_memory(self);
    for (uint32_t i = 0; i < p->n_touched; i++) {
        const uint32_t callpath = p->touched[i];
        const uint64_t own = min_u64(p->time[callpath], outside);
        p->time[callpath] = 0;
        outside -= own;
        if (own > 0 && log_push_part(self, p, callpath, own) != 0)
            return out_of_memory(self);
    }
    p->n_touched = 0;
    return outside == 0 || log_push_part(self, p, p->outside, outside) == 0 ? TCF_OK : out_of_memory(self);
}

/* Keeps a call around others when it is left. */
int log_push_outer(tcf_self *self, struct place *p, const outer *o)
{
    if (is_recorded(self))
        return gather_put_copy(self, gather_of(self), p->location, RECORD_OUTER, o, sizeof *o) == TCF_OK ? 0 : -1;
    if (p->outers.n == p->outers.most)
        ring_drop(&p->outers, 1);
    outer *kept = ring_push(&p->outers);
    if (!kept)
        return -1;
    *kept = *o;
    p->longest_outer = max_u64(p->longest_outer, o->leave - o->enter);
    if (o->is_around)
        p->longest_around = max_u64(p->longest_around, o->leave - o->enter);
    return 0;
}

static tcf_status mark_call(tcf_self *self, struct place *p, const waits_call *call, uint64_t time)
{
    if (log_open_calls(p, time) != 0)
        return out_of_memory(self);
    const outer around = {call->enter, time, call->callpath, call->enter < p->mark};
    if (call->inner > 0 || around.is_around)
        return log_push_outer(self, p, &around) == 0 ? close_stretch(self, p, time) : out_of_memory(self);
    if (close_stretch(self, p, call->enter) != TCF_OK)
        return TCF_ERROR;
    const uint64_t length = time - p->mark;
    if (log_push_stretch(self, p, time, call->callpath) != 0 ||
        (length > 0 && log_push_part(self, p, call->callpath, length) != 0))
        return out_of_memory(self);
    return TCF_OK;
}

void log_begin(struct place *p)
{
    p->begun = 1;
    p->mark = p->log_start = place_first(p);
}

static inline tcf_status make_ready(tcf_self *self, struct place *p)
{
    if (TCF_GROW_ZEROED(&p->open, &p->n_open, p->track->depth) != 0)
        return out_of_memory(self);
    if (p->begun)
        return TCF_OK;
    log_begin(p);
    return is_recorded(self) ? record_span(self, p, RECORD_BEGIN) : TCF_OK;
}

/* A call that communicates was left: from now on a computation node has the own time of the call around it. Outside of
 * all calls the log gets a mark, as a stretch has one part of that time. */
static tcf_status begin_computation(tcf_self *self, struct place *p, const waits_call *call, uint64_t time)
{
    const uint32_t depth = p->track->depth;
    const waits_call *around = depth > 0 ? &p->track->call[depth - 1] : NULL;
    const uint32_t callpath = around ? around->callpath : 0, node = waits_computation(self, callpath, call);
    if (node == NONE)
        return TCF_ERROR;
    if (node == callpath)
        return TCF_OK;
    if (!around) {
        const tcf_status status = close_stretch(self, p, time);
        p->outside = node;
        return status;
    }
    logged *l = logged_of(p, depth - 1, around);
    if (log_own(p, l, time - around->enter - around->inner) != 0)
        return out_of_memory(self);
    l->node = node;
    return TCF_OK;
}

tcf_status log_call(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time)
{
    struct place *p = tcf_location_state(self, location);
    if (make_ready(self, p) != TCF_OK)
        return TCF_ERROR;
    const uint64_t own = time - call->enter - call->inner;
    logged *l = logged_of(p, p->track->depth, call);
    const int is_leaf = call->used && call->inner == 0 && call->enter >= p->mark;
    if (!is_leaf && own > l->time && log_own(p, l, own) != 0)
        return out_of_memory(self);
    *l = (logged){0};
    if (call->used && mark_call(self, p, call, time) != TCF_OK)
        return TCF_ERROR;
    const uint64_t mark = p->mark;
    if (((const struct conf *)self->conf)->computation && !call->is_bare &&
        begin_computation(self, p, call, time) != TCF_OK)
        return TCF_ERROR;
    if (call->used || p->mark > mark)
        ready_touch(self, location);
    return TCF_OK;
}

tcf_status log_used(tcf_self *self, uint32_t location, const waits_call *call)
{
    const uint32_t callpath = call->is_bare ? NONE : call->callpath;
    if (is_recorded(self) &&
        gather_put_time(self, gather_of(self), location, RECORD_USED, callpath, call->enter) != TCF_OK)
        return TCF_ERROR;
    return call->inner == 0 ? log_mark(self, location, call->enter) : TCF_OK;
}

tcf_status log_mark(tcf_self *self, uint32_t location, uint64_t time)
{
    struct place *p = tcf_location_state(self, location);
    if (make_ready(self, p) != TCF_OK)
        return TCF_ERROR;
    if (time <= p->mark)
        return TCF_OK;
    if (log_open_calls(p, time) != 0)
        return out_of_memory(self);
    if (close_stretch(self, p, time) != TCF_OK)
        return TCF_ERROR;
    ready_touch(self, location);
    return TCF_OK;
}

tcf_status log_end(tcf_self *self, uint32_t location)
{
    struct place *p = tcf_location_state(self, location);
    p->ended = 1;
    if (p->begun && p->track->last > p->mark && close_stretch(self, p, p->track->last) != TCF_OK)
        return TCF_ERROR;
    if (is_recorded(self))
        return record_span(self, p, RECORD_END);
    ready_touch(self, location);
    return TCF_OK;
}

/* The call around others of this call path that t lies in. */
static const outer *outer_at(const struct place *p, uint64_t t, uint32_t callpath)
{
    const uint64_t latest = t < UINT64_MAX - p->longest_outer ? t + p->longest_outer : UINT64_MAX;
    for (uint32_t i = ring_up_to(&p->outers, offsetof(outer, leave), latest); i-- > 0;) {
        const outer *o = ring_at(&p->outers, i);
        if (o->leave < t)
            break;
        if (o->enter <= t && o->callpath == callpath)
            return o;
    }
    return NULL;
}

/* Calls without length may begin at the same time: the longest call counts. */
uint64_t log_left(const struct place *p, uint64_t enter, uint32_t callpath)
{
    const uint32_t at = log_stretch_at(p, enter);
    if (at < p->stretches.n) {
        const stretch *s = ring_at(&p->stretches, at);
        if (s->callpath == callpath && log_start_of(p, at) == enter)
            return s->end;
    }
    for (uint32_t i = at; i-- > 0;) {
        const stretch *s = ring_at(&p->stretches, i);
        if (log_start_of(p, i) < enter)
            break;
        if (s->callpath == callpath)
            return s->end;
    }
    const outer *o = outer_at(p, enter, callpath);
    if (o)
        return o->leave;
    return at < p->stretches.n ? ((const stretch *)ring_at(&p->stretches, at))->end : enter;
}

/* Is a call of this call path open that communicates and was entered by then? */
static int is_open(const struct place *p, uint64_t from, uint32_t callpath)
{
    for (uint32_t d = p->track ? p->track->depth : 0; d-- > 0;)
        if (p->track->call[d].used && p->track->call[d].callpath == callpath && p->track->call[d].enter <= from)
            return 1;
    for (uint32_t d = p->known.n_used; d-- > 0;)
        if (p->known.used[d].callpath == callpath && p->known.used[d].enter <= from)
            return 1;
    return 0;
}

uint64_t log_call_counts_from(const struct place *p, uint64_t from, uint32_t callpath)
{
    const outer *o = outer_at(p, from, callpath);
    if (o)
        return o->is_around ? o->leave : from;
    return is_open(p, from, callpath) ? max_u64(from, p->mark) : from; /* it is left at the mark or later */
}

uint64_t log_counts_from(const struct place *p, const waited *x)
{
    return log_is_lock(x->key.pattern) ? x->counts_from : log_call_counts_from(p, x->key.from, x->callpath);
}

/* ----------------------------------------------------------------------------------------------- waits, meetings -- */

int log_is_lock(uint32_t pattern)
{
    return pattern == WAIT_OMP_LOCK_CRITICAL || pattern == WAIT_OMP_LOCK_CONTENTION ||
           pattern == WAIT_PTHREAD_LOCK_MUTEX || pattern == WAIT_PTHREAD_LOCK_CONDITION;
}

wait_key log_key(const tcf_self *self, const wait *w)
{
    const struct state *st = self->state;
    return (wait_key){.from = w->from,
                      .until = w->from + w->length,
                      .cause_time = w->cause_time,
                      .path = st->shares.hash_of[w->callpath],
                      .pattern = w->pattern,
                      .cause_location = w->cause_location};
}

static int compare_keys(const wait_key *a, const wait_key *b)
{
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->until != b->until)
        return a->until > b->until ? -1 : 1;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    if (a->cause_location != b->cause_location)
        return a->cause_location < b->cause_location ? -1 : 1;
    if (a->cause_time != b->cause_time)
        return a->cause_time < b->cause_time ? -1 : 1;
    return a->path < b->path ? -1 : a->path > b->path;
}

static void drop_wait(tcf_self *self, struct place *p, uint32_t location)
{
    struct state *st = self->state;
    const waited *x = ring_at(&p->waits, 0);
    if (log_forgotten(p) == 0) {
        costs_passed_on(self, location, x);
        shares_drop(&st->shares, x->shares);
        shares_drop(&st->shares, x->hidden);
    }
    ring_drop(&p->waits, 1);
}

tcf_status log_wait(tcf_self *self, const wait *w)
{
    struct place *p = tcf_location_state(self, w->location);
    if (shares_hash(self) != TCF_OK)
        return TCF_ERROR;
    const waited x = {.key = log_key(self, w),
                      .counts_from = max_u64(w->from, p->mark), /* a wait for a lock is found when the lock is got */
                      .hop_location = NONE,
                      .cause_callpath = w->cause_callpath,
                      .callpath = w->callpath,
                      .shares = NONE,
                      .hidden = NONE};
    if (p->waits.n == p->waits.most)
        drop_wait(self, p, w->location);
    if (!ring_push(&p->waits))
        return out_of_memory(self);
    uint32_t i = p->waits.n - 1;
    for (; i > 0; i--) {
        const waited *before = ring_at(&p->waits, i - 1);
        if (compare_keys(&before->key, &x.key) <= 0)
            break;
        *(waited *)ring_at(&p->waits, i) = *before;
    }
    *(waited *)ring_at(&p->waits, i) = x;
    p->longest_wait = max_u64(p->longest_wait, w->length);
    if (log_is_lock(w->pattern) && x.counts_from > w->from)
        p->longest_around = max_u64(p->longest_around, w->length);
    return TCF_OK;
}

waited *log_find(struct place *p, const wait_key *key)
{
    for (uint32_t i = ring_before(&p->waits, offsetof(waited, key.from), key->from); i < p->waits.n; i++) {
        waited *x = ring_at(&p->waits, i);
        const int order = compare_keys(&x->key, key);
        if (order >= 0)
            return order == 0 ? x : NULL;
    }
    return NULL;
}

/* Operations that all members go through together, such as barriers, whether any member waits or not. */
static int is_meeting(const tcf_collective *in)
{
    return in->class_ == TCF_CLASS_BARRIER || in->class_ == TCF_CLASS_N_TO_N || in->class_ == TCF_CLASS_OMP_BARRIER ||
           (in->class_ == TCF_CLASS_UNORDERED && (in->op == TCF_OP_INIT || in->op == TCF_OP_FINALIZE));
}

/* What is known of an operation comes member by member, and that of no other one in between. */
static void count_member(struct met *m, const meeting *x)
{
    const int is_same =
        m->n > 0 && m->latest.number == x->number && m->latest.comm == x->comm && m->latest.kind == x->kind;
    m->n = is_same ? m->n + 1 : 1;
    m->latest = *x;
    m->is_due |= m->n == m->n_all && !m->never;
}

tcf_status log_push_meeting(tcf_self *self, struct place *p, const meeting *x)
{
    count_member(&((struct state *)self->state)->met, x);
    if (p->meetings.n == p->meetings.most)
        ring_drop(&p->meetings, 1);
    if (!ring_push(&p->meetings))
        return out_of_memory(self);
    uint32_t i = p->meetings.n - 1;
    for (; i > 0 && ((const meeting *)ring_at(&p->meetings, i - 1))->from > x->from; i--)
        *(meeting *)ring_at(&p->meetings, i) = *(const meeting *)ring_at(&p->meetings, i - 1);
    meeting *kept = ring_at(&p->meetings, i);
    *kept = *x;
    kept->callpath = gather_callpath(self, gather_of(self), p->location, x->callpath);
    return TCF_OK;
}

tcf_status log_meeting(tcf_self *self, const tcf_collective *in)
{
    if (!is_meeting(in) || in->n_members < 2 ||
        in->n_arrived < in->n_members) /* a location alone on a communicator of its own, which may have the same id in
                                        * all processes, meets none */
        return TCF_OK;
    for (uint32_t r = 0; r < in->n_members; r++) {
        const waits_member *m = tcf_member(in, r);
        if (m->end == 0 || m->enter != m->from || m->begin_callpath != m->end_callpath)
            continue; /* the operation was completed by another call, whose leave is no meeting */
        if (in->class_ != TCF_CLASS_UNORDERED && !waits_is_bound(m))
            continue; /* it gives no data and gets none */
        const meeting x = {m->from, in->number, in->comm, m->end_callpath, (uint16_t)(in->class_ << 8 | in->op)};
        if ((is_recorded(self) ? gather_put_copy(self, gather_of(self), m->location, RECORD_MEETING, &x, sizeof x)
                               : log_push_meeting(self, tcf_location_state(self, m->location), &x)) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

void log_free(struct place *p)
{
    free(p->stretches.item);
    free(p->parts.item);
    free(p->waits.item);
    free(p->meetings.item);
    free(p->outers.item);
    free(p->open);
    free(p->time);
    free(p->touched);
    free(p->pending);
    free(p->known.used);
}
