/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Finds the causes of a wait. Since the two locations last met, the location that was waited for (`they`) did more in
 * some call paths than the one that waited (`me`): these are direct causes. And it had waited itself: it inherits the
 * causes of these waits. */
#include "root_cause.h"

#include <tcflow/grow.h>

#include <stdlib.h>

static struct place *place_of(tcf_self *self, uint32_t location)
{
    return tcf_location_state(self, location);
}

static tcf_status out_of_memory(tcf_self *self)
{
    return self->host->fail(self, "out of memory for the cause of a wait");
}

/* ---------------------------------------------------------------------------------------------- the last meeting -- */

static uint64_t start_of(const struct place *p, uint32_t i)
{
    return i < p->stretches.n ? ((const stretch *)ring_at(&p->stretches, i))->start : p->mark;
}

/* How far back the two are compared: at most `window` stretches. *fallen: the log begins later. */
static uint64_t horizon(tcf_self *self, const struct place *p, uint64_t until, int *fallen)
{
    const uint32_t window = (uint32_t)((const struct conf *)self->conf)->window, at = log_stretch_at(p, until);
    if (at > window)
        return start_of(p, at - window);
    if (p->stretches.n == 0 || p->track.first >= start_of(p, 0))
        return 0;
    *fallen = 1;
    return start_of(p, 0);
}

static int is_over(const struct place *p, const meeting *x, uint64_t before)
{
    return x->from < before && log_call_counts_from(p, x->from, x->callpath) < before;
}

/* When the first of the two locations left operation x, which both were in, before these times; 0: there is none.
 * Meetings are in the order of their enters. That is the order of their leaves, too, except for calls around others. */
static uint64_t met_in(const struct place *a, const meeting *x, const struct place *b, uint64_t before_b)
{
    uint64_t latest = 0;
    for (uint32_t k = b->meetings.n; k-- > 0;) {
        const meeting *y = ring_at(&b->meetings, k);
        const uint64_t left = log_left(b, y->from, y->callpath);
        if (left + b->longest_around < x->from || (latest > 0 && y->from + b->longest_around < latest))
            break;
        if (y->number != x->number || y->comm != x->comm || y->kind != x->kind || !is_over(b, y, before_b))
            continue;
        const uint64_t met = min_u64(log_left(a, x->from, x->callpath), left);
        if (met >= x->from && met >= y->from)
            latest = max_u64(latest, met);
    }
    return latest;
}

/* The latest of these times, or the horizon. */
static uint64_t last_operation(const struct place *a, uint64_t before_a, const struct place *b, uint64_t before_b,
                               uint64_t horizon)
{
    uint64_t latest = horizon;
    for (uint32_t i = a->meetings.n; i-- > 0;) {
        const meeting *x = ring_at(&a->meetings, i);
        const uint64_t left = log_left(a, x->from, x->callpath);
        if (left + a->longest_around <= horizon || (latest > horizon && x->from + a->longest_around < latest))
            break;
        if (left > horizon && is_over(a, x, before_a))
            latest = max_u64(latest, met_in(a, x, b, before_b));
    }
    return latest;
}

/* Waits of one location for the other that began before: the two met when the first of them left its call or, for a
 * lock, when the lock was got. */
static uint64_t last_wait(const struct place *p, uint64_t before, const struct place *other, uint32_t other_location,
                          uint64_t before_other, uint64_t since)
{
    uint64_t first = start_of(p, log_stretch_at(p, since > 0 ? since - 1 : 0));
    for (uint32_t i = p->waits.n; i-- > 0;) {
        const waited *x = ring_at(&p->waits, i);
        if (x->key.from + p->longest_around < first)
            break;
        if (x->key.from >= before || x->key.cause_location != other_location || x->key.cause_time >= before_other ||
            log_counts_from(p, x) >= before)
            continue;
        const int is_lock = log_is_lock(x->key.pattern);
        if (!is_lock && log_call_counts_from(other, x->key.cause_time, x->cause_callpath) >= before_other)
            continue;
        const uint64_t met = is_lock ? x->key.until
                                     : min_u64(log_left(p, x->key.from, x->callpath),
                                               log_left(other, x->key.cause_time, x->cause_callpath));
        if (met > since && met >= x->key.from && met >= x->key.cause_time) {
            since = met;
            first = start_of(p, log_stretch_at(p, since - 1));
        }
    }
    return since;
}

/* The time from which on the two are compared. */
static uint64_t last_met(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    const struct place *me = place_of(self, w->location), *they = place_of(self, w->cause_location);
    int fallen = 0;
    const uint64_t mine = horizon(self, me, w->from, &fallen), theirs = horizon(self, they, w->cause_time, &fallen);
    const uint64_t limit = max_u64(mine, theirs);
    uint64_t since = last_operation(me, w->from, they, w->cause_time, limit);
    since = last_wait(me, w->from, they, w->cause_location, w->cause_time, since);
    since = last_wait(they, w->cause_time, me, w->location, w->from, since);
    if (since == limit && limit > 0) {
        st->cut += !fallen;
        st->fallen += (uint64_t)fallen;
    }
    return since > 0 ? since : min_u64(me->track.first, they->track.first);
}

/* -------------------------------------------------------------------------------------------------- who did what -- */

static tcf_status make_room(tcf_self *self)
{
    struct judging *j = &((struct state *)self->state)->judging;
    uint32_t n;
    self->host->callpaths(self, &n);
    if (n <= j->n_paths)
        return TCF_OK;
    uint32_t theirs = j->n_paths, mine = theirs, touched = theirs, touched_mine = theirs; /* all four grow alike */
    if (TCF_GROW_ZEROED(&j->theirs, &theirs, n - 1) != 0 || TCF_GROW_ZEROED(&j->mine, &mine, n - 1) != 0 ||
        TCF_GROW(&j->touched, &touched, n - 1) != 0 || TCF_GROW(&j->touched_mine, &touched_mine, n - 1) != 0)
        return out_of_memory(self);
    j->n_paths = theirs;
    return TCF_OK;
}

/* Adds what a location did between two times, by call path. Returns how many call paths are in `touched`. A stretch
 * that is partly in between counts by that part. */
static uint32_t add_profile(const struct place *p, uint64_t from, uint64_t to, uint64_t *time, uint32_t *touched)
{
    uint32_t n = 0;
    if (from < p->track.first && from < to) { /* before the first event, so outside of all calls */
        time[0] = min_u64(p->track.first, to) - from;
        touched[n++] = 0;
    }
    for (uint32_t i = log_stretch_at(p, from); i < p->stretches.n; i++) {
        const stretch *s = ring_at(&p->stretches, i);
        if (s->start >= to)
            break;
        const uint64_t whole = s->end - s->start, in = min_u64(s->end, to) - max_u64(s->start, from);
        for (uint32_t k = 0; k < s->n_parts; k++) {
            const part *x = ring_at(&p->parts, s->first_part - p->parts.first + k);
            const uint64_t own = in == whole ? x->time : (uint64_t)((cost_sum)x->time * in / whole);
            if (own > 0 && time[x->callpath] == 0)
                touched[n++] = x->callpath;
            time[x->callpath] += own;
        }
    }
    return n;
}

static tcf_status inherit(tcf_self *self, waited *x, uint64_t length)
{
    struct judging *j = &((struct state *)self->state)->judging;
    if (TCF_GROW(&j->inherited, &j->inherited_capacity, j->n_inherited) != 0)
        return out_of_memory(self);
    j->inherited[j->n_inherited++] = (struct of_wait){x, length};
    return TCF_OK;
}

/* Takes the time of waits out of a profile. Where several waits of a location overlap, the time belongs to the wait
 * that began first (of these to the longest). inherits: keeps the waits in j->inherited. Returns the sum of the waits;
 * UINT64_MAX: out of memory. */
static uint64_t take_waits(tcf_self *self, struct place *p, uint64_t from, uint64_t to, uint64_t *time, int inherits)
{
    uint32_t first = p->waits.n;
    uint64_t covered = from, sum = 0;
    while (first > 0 && ((const waited *)ring_at(&p->waits, first - 1))->key.from + p->longest_wait > from)
        first--;
    for (uint32_t i = first; i < p->waits.n; i++) {
        waited *x = ring_at(&p->waits, i);
        if (x->key.from >= to)
            break;
        const uint64_t begin = max_u64(x->key.from, covered), end = min_u64(x->key.until, to);
        if (end <= begin || log_counts_from(p, x) >= to)
            continue;
        covered = end;
        sum += end - begin;
        time[x->callpath] -= min_u64(time[x->callpath], end - begin);
        if (inherits && inherit(self, x, end - begin) != TCF_OK)
            return UINT64_MAX;
    }
    return sum;
}

/* --------------------------------------------------------------------------------------------------- the verdict -- */

static uint64_t share_of(uint64_t length, uint64_t size, uint64_t whole)
{
    return (uint64_t)((cost_sum)length * size / whole);
}

/* Charges the call paths in which the other location did more. x->hop_callpath becomes the one with the most. */
static tcf_status charge_own(tcf_self *self, const wait *w, uint64_t whole, waited *x)
{
    struct judging *j = &((struct state *)self->state)->judging;
    const shares *s = &((struct state *)self->state)->shares;
    uint64_t most = 0;
    for (uint32_t i = 0; i < j->n_touched; i++) {
        const uint32_t callpath = j->touched[i];
        const uint64_t more = j->theirs[callpath];
        const uint64_t cause = (uint64_t)w->cause_location << 32 | callpath;
        if (more == 0)
            continue;
        if (more > most || (more == most && s->hash_of[callpath] < s->hash_of[x->hop_callpath])) {
            most = more;
            x->hop_callpath = callpath;
        }
        const cost_sum sum = ((cost_sum)w->length << COST_BITS) * more / whole;
        if (costs_add(self, w->pattern, cause, sum, 0) != TCF_OK)
            return TCF_ERROR;
        if (shares_add(self, cause, share_of(more, SHARE_ONE, whole)) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Charges the causes of the waits that the other location inherits. */
static tcf_status charge_inherited(tcf_self *self, const wait *w, uint64_t whole, waited *x, uint64_t own_most)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    uint64_t most = own_most;
    for (uint32_t i = 0; i < j->n_inherited; i++) {
        waited *y = j->inherited[i].wait;
        const uint64_t length = j->inherited[i].length;
        if (length > most) {
            most = length;
            x->hop = y->key;
            x->hop_location = w->cause_location;
            x->hop_time = length;
        }
        y->passed_on = max_u64(y->passed_on, min_u64(SHARE_ONE, share_of(w->length, SHARE_ONE, whole)));
        for (uint32_t c = y->shares; c != NONE; c = st->shares.chunks[c].next)
            for (uint32_t k = 0; k < st->shares.chunks[c].n; k++) {
                const share *z = &st->shares.chunks[c].share[k];
                if (shares_add(self, z->cause, share_of(length, z->size, whole)) != TCF_OK)
                    return TCF_ERROR;
            }
    }
    const shares *s = &st->shares;
    for (uint32_t i = 0; i < s->n_used; i++) {
        const share *z = &s->sum[s->used[i]];
        const cost_sum sum = (cost_sum)w->length * z->size >> (SHARE_BITS - COST_BITS);
        if (costs_add(self, w->pattern, z->cause, 0, sum) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Charges inherited causes first, while the sum of shares holds long-term costs alone. */
static tcf_status charge(tcf_self *self, const wait *w, uint64_t own, uint64_t waiting)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    const wait_key key = log_key(self, w);
    waited nowhere = {.hop_location = NONE}, *x = log_find(place_of(self, w->location), &key);
    if (!x)
        x = &nowhere;
    uint64_t most = 0;
    for (uint32_t i = 0; i < j->n_touched; i++)
        most = max_u64(most, j->theirs[j->touched[i]]);
    x->hop_time = most;
    if (shares_hash(self) != TCF_OK || charge_inherited(self, w, own + waiting, x, most) != TCF_OK ||
        charge_own(self, w, own + waiting, x) != TCF_OK)
        return TCF_ERROR;
    costs_indirect(self, w, ((cost_sum)w->length << COST_BITS) * waiting / (own + waiting));
    if (x == &nowhere) {
        shares_clear(&st->shares);
        return TCF_OK;
    }
    shares_drop(&st->shares, x->shares); /* those of an equal wait */
    if (shares_keep(self, &x->shares) != TCF_OK)
        return TCF_ERROR;
    return chains_add(self, w, x);
}

tcf_status judge(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    struct place *me = place_of(self, w->location), *they = place_of(self, w->cause_location);
    if (make_room(self) != TCF_OK)
        return TCF_ERROR;
    const uint64_t since = last_met(self, w);
    j->n_inherited = 0;
    j->n_touched = add_profile(they, since, w->cause_time, j->theirs, j->touched);
    const uint64_t waiting = take_waits(self, they, since, w->cause_time, j->theirs, 1);
    j->n_touched_mine = add_profile(me, since, w->from, j->mine, j->touched_mine);
    if (waiting == UINT64_MAX || take_waits(self, me, since, w->from, j->mine, 0) == UINT64_MAX)
        return TCF_ERROR;
    uint64_t own = 0;
    for (uint32_t i = 0; i < j->n_touched; i++) {
        uint64_t *theirs = &j->theirs[j->touched[i]];
        *theirs -= min_u64(*theirs, j->mine[j->touched[i]]);
        own += *theirs;
    }
    tcf_status status = TCF_OK;
    if (own + waiting > 0) {
        status = charge(self, w, own, waiting);
    } else {
        st->no_difference++;
        costs_unknown(self, w);
    }
    for (uint32_t i = 0; i < j->n_touched; i++)
        j->theirs[j->touched[i]] = 0;
    for (uint32_t i = 0; i < j->n_touched_mine; i++)
        j->mine[j->touched_mine[i]] = 0;
    return status;
}

void judge_free(struct judging *j)
{
    free(j->theirs);
    free(j->mine);
    free(j->touched);
    free(j->touched_mine);
    free(j->inherited);
}
