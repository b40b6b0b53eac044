/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Events that depend on no other location: takes out their overhead, flushes and the time while measurement was off
 * (eq. 1), and keeps what later events need of them: open calls, completions in a row. */
#include "overhead.h"

#include <tcflow/grow.h>

enum { MEASUREMENT_ON = 1 };

/* Makes room for another open call. Returns 1; 0: none, so the call is only counted, and its receives belong to the
 * deepest call that is kept; -1: out of memory. */
static int make_room(tcf_self *self, struct track *k)
{
    if (k->depth >= MOST_CALLS) {
        ((struct state *)self->state)->too_deep++;
        k->depth++;
        return 0;
    }
    if (TCF_GROW(&k->frame, &k->capacity, k->depth) != 0) {
        self->host->fail(self, "out of memory for the calls that are open");
        return -1;
    }
    return 1;
}

static inline int push(tcf_self *self, struct track *k, const tcf_slice *s, uint32_t i, struct times at)
{
    const struct state *st = self->state;
    if (__builtin_expect(k->depth >= k->capacity || k->depth >= MOST_CALLS, 0)) {
        int room = make_room(self, k);
        if (room <= 0)
            return room;
    }
    struct frame *f = &k->frame[k->depth++];
    uint32_t region = tcf_region_of_event(self->defs, s, i);
    uint8_t is = region < self->defs->n_regions ? st->region[region] : 0;
    f->enter = at;
    f->communication = is & REGION_COMMUNICATES ? ++k->communication : 0;
    f->several = is & REGION_COMPLETES_SEVERAL;
    f->overhead = (is & REGION_IS_OVERHEAD) != 0;
    k->overhead += f->overhead;
    if (k->communication > 0)
        f->wait = (struct times){0, 0};
    if (is & REGION_FINALIZES)
        k->finalize = at;
    return 0;
}

static inline void pop(struct track *k, struct times at)
{
    if (k->depth == 0 || --k->depth >= MOST_CALLS)
        return;
    const struct frame *f = &k->frame[k->depth];
    k->overhead -= f->overhead;
    if (k->communication == 0)
        return;
    k->waited.m += f->wait.m;
    k->waited.a += f->wait.a;
    if (f->communication == 1) { /* the outermost call */
        k->communicated.m += less(at.m, f->enter.m);
        k->communicated.a += less(at.a, f->enter.a);
    }
    k->communication -= f->communication > 0;
}

void leave_call(struct track *k, struct times at)
{
    pop(k, at);
}

/* Notes what later events need of an event; k->last has the event's time already. */
tcf_status note(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint8_t what, struct times at)
{
    const struct conf *conf = self->conf;
    if (what & IS_ENTER)
        return push(self, k, s, i, at) < 0 ? TCF_ERROR : TCF_OK;
    if (what & IS_LEAVE)
        pop(k, at);
    if (what & IS_FLUSH) { /* consists of overhead */
        tcf_ev_buffer_flush *flush = &s->rec[i].buffer_flush;
        if (flush->stop_time > k->last.m) {
            k->taken_out += flush->stop_time - k->last.m;
            k->last.m = flush->stop_time;
        }
        flush->stop_time = at.a;
    }
    if (what & IS_ON_OFF)
        k->off = conf->remove_off && s->rec[i].measurement_on_off.measurement_mode != MEASUREMENT_ON;
    return TCF_OK;
}

/* Returns the overhead on the way to a completion, that of the completions in a row in front of it included: all of
 * them were recorded when the last one was complete. */
uint64_t note_completion(struct track *k, uint64_t number, uint64_t cost, struct times before)
{
    if (k->run_end != number) {
        k->run = 0;
        k->before_run = before;
    }
    k->run += cost;
    k->run_end = number + 1;
    return k->run;
}

/* A call that waited for several messages ends after all of them. */
void release(const struct conf *conf, struct track *k)
{
    const uint64_t all = max_u64(k->last.a, approximate_release(conf, &k->several));
    k->account.owed = less(k->account.owed, all - k->last.a);
    k->last.a = all;
    k->several.is_open = 0;
}

/* Handles event i while measurement is off, or the measurement system at work. */
static tcf_status while_off(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint64_t number)
{
    const struct state *st = self->state;
    const struct times before = k->last;
    uint64_t now = s->time[i];
    k->taken_out += less(now, k->last.m);
    k->last.m = max_u64(k->last.m, now);
    s->time[i] = k->last.a;
    if (st->what[s->kind[i]] & IS_COMPLETION)
        note_completion(k, number, 0, before);
    return note(self, k, s, i, st->what[s->kind[i]], (struct times){now, k->last.a});
}

/* The location has come from `since` to `last`: counts the time that was removed. */
static inline void settle(struct track *k, struct times since, struct times last)
{
    k->removed += (last.m - since.m) - (last.a - since.a);
    k->last = last;
}

/* Events [i, to), all without edges: eq. 1. The only loop over every event; it keeps what it needs in registers. */
tcf_status independent(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    const uint8_t *kind = s->kind, costly = st->attribute > 0 ? UINT8_MAX : IS_METRIC;
    const uint64_t *costs = st->cost;
    const uint64_t carry = st->carry;
    uint64_t *time = s->time;
    struct account account = k->account;
    struct times last = k->last, since = last;
    for (; i < to; i++) {
        __builtin_prefetch(&s->rec[i + 32]); /* for push(); harmless behind the end */
        const uint8_t what = st->what[kind[i]];
        const uint64_t now = time[i];
        const struct times before = last;
        if (__builtin_expect(is_taken_out(k), 0)) {
            settle(k, since, last);
            if (while_off(self, k, s, i, first + i) != TCF_OK)
                return TCF_ERROR;
            since = last = k->last;
            continue;
        }
        const uint64_t cost =
            whole_ticks(&account,
                        __builtin_expect((what | ANY) & costly, 0) ? cost_of(st, k, s, i, what) : costs[kind[i]]);
        last.a = plus(last.a, keep(&account, less(now, last.m), cost, carry));
        last.m = max_u64(last.m, now);
        time[i] = last.a;
        if (what & IS_ENTER) {
            if (push(self, k, s, i, (struct times){now, last.a}) < 0)
                return TCF_ERROR;
        } else if (what & IS_LEAVE) {
            pop(k, (struct times){now, last.a});
        } else if (what & (IS_COMPLETION | IS_FLUSH | IS_ON_OFF)) {
            settle(k, since, last);
            if (what & IS_COMPLETION)
                note_completion(k, first + i, cost, before);
            if (note(self, k, s, i, what, (struct times){now, last.a}) != TCF_OK)
                return TCF_ERROR;
            since = last = k->last;
        }
    }
    settle(k, since, last);
    k->account = account;
    return TCF_OK;
}
