/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Finds the causes of a wait. Since the two locations last met, the location that was waited for (`they`) did more in
 * some call paths than the one that waited (`me`): these are direct causes. And it had waited itself: it inherits the
 * causes of these waits, also for what it had done more before such a wait, and the wait has hidden. */
#include "root_cause.h"

#include <tcflow/grow.h>
#include <tcflow/times.h>

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

/* How far back the two are compared: at most `window` stretches. *fallen: the log begins later. */
static uint64_t horizon(tcf_self *self, const struct place *p, uint64_t until, int *fallen)
{
    const uint32_t window = ((const struct state *)self->state)->window, at = log_stretch_at(p, until);
    if (at > window)
        return log_start_of(p, at - window);
    if (p->stretches.n == 0 || max_u64(place_first(p), p->forgotten_until) >= log_start_of(p, 0))
        return 0;
    *fallen = 1;
    return log_start_of(p, 0);
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
    for (uint32_t k = ring_before(&b->meetings, offsetof(meeting, from), before_b); k-- > 0;) {
        const meeting *y = ring_at(&b->meetings, k);
        const uint64_t left = log_left(b, y->from, y->callpath);
        if (tcf_ticks_sum(left, b->longest_around) < x->from ||
            (latest > 0 && tcf_ticks_sum(y->from, b->longest_around) < latest))
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
    for (uint32_t i = ring_before(&a->meetings, offsetof(meeting, from), before_a); i-- > 0;) {
        const meeting *x = ring_at(&a->meetings, i);
        const uint64_t left = log_left(a, x->from, x->callpath);
        if (tcf_ticks_sum(left, a->longest_around) <= horizon ||
            (latest > horizon && tcf_ticks_sum(x->from, a->longest_around) < latest))
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
    uint64_t first = log_start_of(p, log_stretch_at(p, since > 0 ? since - 1 : 0));
    const uint32_t forgotten = log_forgotten(p);
    for (uint32_t i = ring_before(&p->waits, offsetof(waited, key.from), before); i-- > forgotten;) {
        const waited *x = ring_at(&p->waits, i);
        if (tcf_ticks_sum(x->key.from, p->longest_around) < first)
            break;
        if (x->key.cause_location != other_location || x->key.cause_time >= before_other ||
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
            first = log_start_of(p, log_stretch_at(p, since - 1));
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
    return since > 0 ? since : min_u64(place_first(me), place_first(they));
}

/* -------------------------------------------------------------------------------------------------- who did what -- */

static tcf_status make_room(tcf_self *self)
{
    struct judging *j = &((struct state *)self->state)->judging;
    times *all[] = {&j->theirs, &j->mine, &j->caused, &j->passed, &j->rest, &j->moved};
    uint32_t n, paths = j->n_paths;
    self->host->callpaths(self, &n);
    if (n <= j->n_paths)
        return TCF_OK;
    for (uint32_t i = 0; i < TCF_COUNT(all); i++) { /* all grow alike */
        uint32_t touched = j->n_paths;
        paths = j->n_paths;
        if (TCF_GROW_ZEROED(&all[i]->of, &paths, n - 1) != 0 || TCF_GROW(&all[i]->touched, &touched, n - 1) != 0)
            return out_of_memory(self);
    }
    j->n_paths = paths;
    return TCF_OK;
}

static inline void add(times *t, uint32_t callpath, uint64_t time)
{
    if (time > 0 && t->of[callpath] == 0)
        t->touched[t->n++] = callpath;
    t->of[callpath] += time;
}

static void clear(times *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->of[t->touched[i]] = 0;
    t->n = 0;
}

/* Adds parts [from, to), numbers in p->parts. */
static void add_parts(const struct place *p, uint32_t from, uint32_t to, times *t)
{
    for (; from != to; from++) {
        const part *x = ring_at(&p->parts, from - p->parts.first);
        add(t, x->callpath, x->time);
    }
}

/* Adds the part of stretch i that lies between two times. */
static void add_partly(const struct place *p, uint32_t i, uint64_t from, uint64_t to, times *t)
{
    const uint64_t start = log_start_of(p, i), end = log_start_of(p, i + 1), whole = end - start;
    const uint64_t in = min_u64(end, to) - max_u64(start, from);
    for (uint32_t k = log_first_part(p, i); k != log_first_part(p, i + 1); k++) {
        const part *x = ring_at(&p->parts, k - p->parts.first);
        add(t, x->callpath, in == whole ? x->time : (uint64_t)((cost_sum)x->time * in / whole));
    }
}

/* Adds what a location did between two times, by call path. A stretch that is partly in between counts by that part. */
static void add_profile(const struct place *p, uint64_t from, uint64_t to, times *t)
{
    if (from >= to) /* the last meeting ended behind the begin of the wait */
        return;
    if (from < place_first(p)) /* before the first event, so outside of all calls */
        add(t, 0, min_u64(place_first(p), to) - from);
    const uint32_t first = log_stretch_at(p, from), last = log_stretch_at(p, to);
    if (first == p->stretches.n || log_start_of(p, first) >= to)
        return;
    add_partly(p, first, from, to, t);
    if (first == last)
        return;
    add_parts(p, log_first_part(p, first + 1), log_first_part(p, last), t);
    if (last < p->stretches.n && log_start_of(p, last) < to)
        add_partly(p, last, from, to, t);
}

/* Takes the time of waits out of a profile, and keeps the waits in j->inherited. Where several waits of a location
 * overlap, the time belongs to the wait that began first (of these to the longest). */
static tcf_status take_waits(tcf_self *self, struct place *p, uint64_t from, uint64_t to, times *t)
{
    struct judging *j = &((struct state *)self->state)->judging;
    const uint64_t longest = p->longest_wait;
    uint64_t covered = from;
    uint32_t i = from >= longest ? ring_up_to(&p->waits, offsetof(waited, key.from), from - longest) : 0;
    for (i = max_u32(i, log_forgotten(p)); i < p->waits.n; i++) {
        waited *x = ring_at(&p->waits, i);
        if (x->key.from >= to)
            break;
        const uint64_t begin = max_u64(x->key.from, covered), end = min_u64(x->key.until, to);
        if (end <= begin || log_counts_from(p, x) >= to)
            continue;
        covered = end;
        t->of[x->callpath] -= min_u64(t->of[x->callpath], end - begin);
        if (TCF_GROW(&j->inherited, &j->inherited_capacity, j->n_inherited) != 0)
            return out_of_memory(self);
        j->inherited[j->n_inherited++] = (struct of_wait){x, begin, (end - begin) << j->bits};
    }
    return TCF_OK;
}

/* What each did more than the other. Returns the sum of theirs. */
static uint64_t compare_own(struct judging *j)
{
    uint64_t own = 0;
    for (uint32_t i = 0; i < j->theirs.n; i++) {
        uint64_t *theirs = &j->theirs.of[j->theirs.touched[i]], *mine = &j->mine.of[j->theirs.touched[i]];
        const uint64_t both = min_u64(*theirs, *mine);
        *theirs -= both;
        *mine -= both;
        own += *theirs;
    }
    return own;
}

/* ------------------------------------------------------------------------------------------------ what waits hid -- */

/* How much of what the wait hid was done since this time, if all was done evenly. */
static uint64_t hidden_since(const struct of_wait *y, uint64_t size, uint64_t since)
{
    if (since <= y->wait->since)
        return size;
    return y->begin > since ? share_of(size, y->begin - since, y->begin - y->wait->since) : 0;
}

/* Moves what the other location did more, and a wait of it has hidden, to that wait: of several the last one. Returns
 * how much that is. */
static uint64_t move_hidden(tcf_self *self, uint64_t since)
{
    struct judging *j = &((struct state *)self->state)->judging;
    const shares *s = &((struct state *)self->state)->shares;
    uint64_t sum = 0;
    for (uint32_t i = j->n_theirs; i-- > 0;) {
        struct of_wait *y = &j->inherited[i];
        for (uint32_t c = y->wait->hidden; c != NONE; c = s->chunks[c].next)
            for (uint32_t k = 0; k < s->chunks[c].n; k++) {
                const share *z = &s->chunks[c].share[k];
                uint64_t *theirs = &j->theirs.of[z->cause], *moved = &j->moved.of[z->cause];
                if (*theirs == 0)
                    continue;
                const uint64_t most =
                    min_u64(hidden_since(y, z->size >> (COST_BITS - j->bits), since), *theirs + *moved);
                const uint64_t more = most - min_u64(most, *moved);
                add(&j->moved, (uint32_t)z->cause, more);
                *theirs -= more;
                y->length += more;
                sum += more;
            }
    }
    clear(&j->moved);
    return sum;
}

/* Keeps what `me` did more, which this wait hides from those that wait for `me` later: at most `causes` call paths. */
static tcf_status keep_hidden(tcf_self *self, waited *x)
{
    struct state *st = self->state;
    const times *mine = &st->judging.mine;
    const uint32_t finer = COST_BITS - st->judging.bits;
    const int64_t most = ((const struct conf *)self->conf)->causes;
    shares_drop(&st->shares, x->hidden);
    x->hidden = NONE;
    for (uint32_t i = 0, n = 0; i < mine->n; i++) {
        const share hidden = {mine->touched[i], min_u64(mine->of[mine->touched[i]], UINT64_MAX >> finer) << finer};
        if (hidden.size == 0)
            continue;
        if (n++ == most) {
            st->merged++;
            break;
        }
        if (shares_append(self, hidden, &x->hidden) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------- what waits were caused by -- */

/* How much a cause has of a wait that is inherited. */
static inline uint64_t part_of(const struct of_wait *y, const share *z)
{
    return (uint64_t)((cost_sum)y->length * z->size >> SHARE_BITS);
}

/* Adds up what the other location's waits were caused by. */
static tcf_status add_causes(tcf_self *self)
{
    const struct state *st = self->state;
    for (uint32_t i = 0; i < st->judging.n_theirs; i++) {
        const struct of_wait *y = &st->judging.inherited[i];
        for (uint32_t c = y->wait->shares; c != NONE; c = st->shares.chunks[c].next)
            for (uint32_t k = 0; k < st->shares.chunks[c].n; k++) {
                const share *z = &st->shares.chunks[c].share[k];
                if (shares_add(self, z->cause, part_of(y, z)) != TCF_OK)
                    return TCF_ERROR;
            }
    }
    return TCF_OK;
}

static inline uint64_t take(uint64_t *from, uint64_t *other)
{
    const uint64_t both = min_u64(*from, *other);
    *from -= both;
    *other -= both;
    return both;
}

/* Takes what the waits of `me` were caused by out of the sum. What the sum does not have is in j->passed. */
static void take_causes(const tcf_self *self)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    for (uint32_t i = j->n_theirs; i < j->n_inherited; i++) {
        const struct of_wait *y = &j->inherited[i];
        for (uint32_t c = y->wait->shares; c != NONE; c = st->shares.chunks[c].next)
            for (uint32_t k = 0; k < st->shares.chunks[c].n; k++) {
                const share *z = &st->shares.chunks[c].share[k];
                uint64_t size = part_of(y, z);
                summed *x = shares_find(&st->shares, z->cause);
                if (x)
                    take(&x->rest, &size);
                add(&j->passed, (uint32_t)z->cause, size);
            }
    }
}

/* Compares what both locations' waits were caused by: cause by cause, then by call path, whoever did it; then each with
 * what the other location did more. Takes out of *own and *waiting what both have. */
static void compare_causes(const tcf_self *self, uint64_t *own, uint64_t *waiting)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    shares *s = &st->shares;
    take_causes(self);
    for (uint32_t i = 0; i < s->n_used; i++)
        add(&j->caused, (uint32_t)s->sum[s->used[i]].cause, s->sum[s->used[i]].rest);
    for (uint32_t i = 0; i < j->caused.n; i++) {
        const uint32_t c = j->caused.touched[i];
        uint64_t rest = j->caused.of[c];
        take(&rest, &j->passed.of[c]);
        take(&rest, &j->mine.of[c]);
        j->rest.of[c] = rest;
    }
    for (uint32_t i = 0; i < s->n_used; i++) {
        summed *x = &s->sum[s->used[i]];
        const uint64_t rest = j->rest.of[(uint32_t)x->cause], all = j->caused.of[(uint32_t)x->cause];
        if (rest < all)
            x->rest = share_of(x->rest, rest, all);
        *waiting -= x->size - x->rest;
    }
    for (uint32_t i = 0; i < j->caused.n; i++)
        j->rest.of[j->caused.touched[i]] = 0;
    for (uint32_t i = 0; i < j->passed.n; i++)
        *own -= take(&j->theirs.of[j->passed.touched[i]], &j->passed.of[j->passed.touched[i]]);
}

/* --------------------------------------------------------------------------------------------------- the verdict -- */

/* Charges the call paths in which the other location did more. x->hop_callpath becomes the one with the most. */
static tcf_status charge_own(tcf_self *self, const wait *w, uint64_t whole, waited *x)
{
    struct judging *j = &((struct state *)self->state)->judging;
    const shares *s = &((struct state *)self->state)->shares;
    uint64_t most = 0;
    for (uint32_t i = 0; i < j->theirs.n; i++) {
        const uint32_t callpath = j->theirs.touched[i];
        const uint64_t more = j->theirs.of[callpath];
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

/* How much of an inherited wait remains when it is compared by its causes. */
static uint64_t remains_of(const shares *s, const struct of_wait *y)
{
    uint64_t remains = y->length;
    for (uint32_t c = y->wait->shares; c != NONE; c = s->chunks[c].next)
        for (uint32_t k = 0; k < s->chunks[c].n; k++) {
            const share *z = &s->chunks[c].share[k];
            const summed *x = shares_find(s, z->cause);
            if (x && x->rest < x->size)
                remains -= share_of(part_of(y, z), x->size - x->rest, x->size);
        }
    return remains;
}

/* Charges the causes of the waits that the other location inherits, which become shares, and of which something `fell`
 * by comparison. */
static tcf_status charge_inherited(tcf_self *self, const wait *w, uint64_t whole, waited *x, uint64_t most, int fell)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    const shares *s = &st->shares;
    const uint64_t all = share_of(w->length << j->bits, SHARE_ONE, whole);
    for (uint32_t i = 0; i < s->n_used; i++)
        costs_fetch(self, w->pattern, s->sum[s->used[i]].cause);
    for (uint32_t i = 0; i < j->n_theirs; i++) {
        const struct of_wait *y = &j->inherited[i];
        const uint64_t remains = fell ? remains_of(s, y) : y->length;
        if (remains > most) {
            most = remains;
            x->hop = y->wait->key;
            x->hop_location = w->cause_location;
            x->hop_time = remains >> j->bits;
        }
        const uint64_t taken = fell ? share_of(all, remains, y->length) : all;
        y->wait->passed_on = max_u64(y->wait->passed_on, min_u64(SHARE_ONE, taken));
    }
    for (uint32_t i = 0; i < s->n_used; i++) {
        summed *z = &s->sum[s->used[i]];
        z->rest = share_of(z->rest, SHARE_ONE, whole);
        const cost_sum sum = (cost_sum)w->length * z->rest >> (SHARE_BITS - COST_BITS);
        if (sum > 0 && costs_add(self, w->pattern, z->cause, 0, sum) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Charges inherited causes first, while the sum of shares holds long-term costs alone. */
static tcf_status charge(tcf_self *self, const wait *w, uint64_t own, uint64_t waiting, uint64_t since, int fell)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    const wait_key key = log_key(self, w);
    waited nowhere = {.hop_location = NONE}, *x = log_find(place_of(self, w->location), &key);
    if (!x)
        x = &nowhere;
    uint64_t most = 0;
    for (uint32_t i = 0; i < j->theirs.n; i++) {
        const uint32_t callpath = j->theirs.touched[i];
        most = max_u64(most, j->theirs.of[callpath]);
        costs_fetch(self, w->pattern, (uint64_t)w->cause_location << 32 | callpath);
    }
    x->hop_time = most >> j->bits;
    if (shares_hash(self) != TCF_OK || charge_inherited(self, w, own + waiting, x, most, fell) != TCF_OK ||
        charge_own(self, w, own + waiting, x) != TCF_OK)
        return TCF_ERROR;
    costs_indirect(self, w, ((cost_sum)w->length << COST_BITS) * waiting / (own + waiting));
    if (x == &nowhere) {
        shares_clear(&st->shares);
        return TCF_OK;
    }
    x->since = since;
    shares_drop(&st->shares, x->shares); /* those of an equal wait */
    if (shares_keep(self, &x->shares) != TCF_OK)
        return TCF_ERROR;
    if (((const struct conf *)self->conf)->compare && keep_hidden(self, x) != TCF_OK)
        return TCF_ERROR;
    return chains_add(self, w, x);
}

static void refine(times *t, uint32_t bits)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->of[t->touched[i]] <<= bits;
}

/* So many bits behind the tick that sums of times up to `length` fit. */
static uint32_t bits_for(uint64_t length)
{
    uint32_t bits = COST_BITS;
    while (bits > 0 && length >> (60 - bits) > 0)
        bits--;
    return bits;
}

static tcf_status compare_and_charge(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    struct judging *j = &st->judging;
    struct place *me = place_of(self, w->location), *they = place_of(self, w->cause_location);
    const int compares = ((const struct conf *)self->conf)->compare;
    const uint64_t since = last_met(self, w);
    j->bits = bits_for(max_u64(w->length, max_u64(w->cause_time, w->from) - since));
    j->n_inherited = 0;
    add_profile(they, since, w->cause_time, &j->theirs);
    if (take_waits(self, they, since, w->cause_time, &j->theirs) != TCF_OK)
        return TCF_ERROR;
    j->n_theirs = j->n_inherited;
    add_profile(me, since, w->from, &j->mine);
    if (take_waits(self, me, since, w->from, &j->mine) != TCF_OK)
        return TCF_ERROR;
    refine(&j->theirs, j->bits);
    refine(&j->mine, j->bits);
    uint64_t own = compare_own(j), waiting = 0;
    if (compares)
        own -= move_hidden(self, since);
    for (uint32_t i = 0; i < j->n_theirs; i++)
        waiting += j->inherited[i].length;
    if (add_causes(self) != TCF_OK)
        return TCF_ERROR;
    const uint64_t all = waiting;
    if (compares)
        compare_causes(self, &own, &waiting);
    if (2 * (own + waiting) >> j->bits > 0) /* less than half a tick is rounding */
        return charge(self, w, own, waiting, since, waiting < all);
    shares_clear(&st->shares);
    st->no_difference++;
    costs_unknown(self, w);
    return TCF_OK;
}

tcf_status judge(tcf_self *self, const wait *w)
{
    struct judging *j = &((struct state *)self->state)->judging;
    times *all[] = {&j->theirs, &j->mine, &j->caused, &j->passed, &j->rest};
    if (make_room(self) != TCF_OK)
        return TCF_ERROR;
    const tcf_status status = compare_and_charge(self, w);
    for (uint32_t i = 0; i < TCF_COUNT(all); i++)
        clear(all[i]);
    return status;
}

void judge_free(struct judging *j)
{
    times *all[] = {&j->theirs, &j->mine, &j->caused, &j->passed, &j->rest, &j->moved};
    for (uint32_t i = 0; i < TCF_COUNT(all); i++) {
        free(all[i]->of);
        free(all[i]->touched);
    }
    free(j->inherited);
}
