/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The table of steps. An operation that is over stands in its step until no location can complete another one there:
 * then the earliest completion is certain, the step is closed, and the lateness of its operations is known. Steps are
 * closed in order, so what an operation inherits is known by then. Closed steps stay until their places are needed, for
 * messages that are still under way.
 *
 * Both caps force the oldest steps to be closed early; an operation that comes there afterwards is compared with the
 * completions that were known. */
#include "lateness.h"

#include <stdlib.h>

enum {
    LOOK = 32768
}; /* operations that may wait before steps to be closed are looked for; short traces never have so
    * many */

static uint32_t first_look(uint32_t most)
{
    return most / 2 < LOOK ? most / 2 : LOOK;
}

int steps_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const uint32_t most = (uint32_t)conf->max_pending;
    st->steps = calloc((size_t)conf->max_steps, sizeof *st->steps);
    st->operations = malloc(most * sizeof *st->operations);
    st->sources = malloc(most * sizeof *st->sources);
    if (!st->steps || !st->operations || !st->sources)
        return -1;
    st->free_operation = st->free_source = NONE;
    st->open_from = 1;
    st->look_at = first_look(most);
    return 0;
}

void steps_free(struct state *st)
{
    free(st->steps);
    free(st->operations);
    free(st->sources);
}

/* The place of a step. NULL: it has left the table, or has not come into it yet. */
static inline struct step *find(const tcf_self *self, uint64_t number)
{
    const struct state *st = self->state;
    struct step *s = &st->steps[number % (uint64_t)((const struct conf *)self->conf)->max_steps];
    return s->number == number ? s : NULL;
}

static inline uint64_t behind(uint64_t end, uint64_t earliest)
{
    return end > earliest ? end - earliest : 0;
}

/* ------------------------------------------------------------------------------------------------------- sources -- */

void steps_forget(struct state *st, uint32_t first)
{
    while (first != NONE) {
        const uint32_t next = st->sources[first].next;
        st->sources[first].next = st->free_source;
        st->free_source = first;
        first = next;
    }
}

void steps_depend(tcf_self *self, struct call *c, uint64_t step, uint64_t end)
{
    struct state *st = self->state;
    if (step < st->open_from) {
        const struct step *s = find(self, step);
        st->counts.forgotten += s == NULL;
        c->inherited = s ? max_u64(c->inherited, behind(end, s->earliest)) : c->inherited;
        return;
    }
    for (uint32_t i = c->sources; i != NONE; i = st->sources[i].next)
        if (st->sources[i].step == step) {
            st->sources[i].end = max_u64(st->sources[i].end, end);
            return;
        }
    const uint32_t i = st->free_source != NONE ? st->free_source : st->used_sources;
    if (i == (uint32_t)((const struct conf *)self->conf)->max_pending) {
        st->counts.no_room++;
        return;
    }
    if (i == st->used_sources)
        st->used_sources++;
    else
        st->free_source = st->sources[i].next;
    st->sources[i] = (struct source){step, end, c->sources};
    c->sources = i;
}

/* The largest lateness of the operations that one of this step depends on; only those in earlier steps count. */
static uint64_t inherited(tcf_self *self, uint64_t step, uint64_t known, uint32_t sources)
{
    const struct state *st = self->state;
    struct state *counting = self->state;
    for (uint32_t i = sources; i != NONE; i = st->sources[i].next) {
        const struct source *x = &st->sources[i];
        const struct step *s = x->step < step ? find(self, x->step) : NULL;
        counting->counts.forgotten += x->step < step && !s;
        known = s ? max_u64(known, behind(x->end, s->earliest)) : known;
    }
    return known;
}

/* ------------------------------------------------------------------------------------------------------- closing -- */

/* Sums up an operation whose step is closed. */
static void settle(tcf_self *self, uint64_t step, uint64_t earliest, const struct operation *x)
{
    struct lane *k = tcf_location_state(self, x->location);
    const uint64_t lateness = behind(x->end, earliest);
    const uint64_t before = max_u64(k->lateness, inherited(self, step, x->inherited, x->sources));
    const struct instance found = {.step = step,
                                   .end = x->end,
                                   .lateness = lateness,
                                   .differential = behind(lateness, before),
                                   .location = x->location,
                                   .callpath = x->callpath};
    k->lateness = lateness;
    sums_add(self, &found);
    steps_forget(self->state, x->sources);
}

static void close_next(tcf_self *self)
{
    struct state *st = self->state;
    const struct step *s = find(self, st->open_from);
    for (uint32_t i = s ? s->first : NONE; i != NONE;) {
        struct operation *x = &st->operations[i];
        const uint32_t next = x->next;
        settle(self, s->number, s->earliest, x);
        x->next = st->free_operation;
        st->free_operation = i;
        st->pending--;
        i = next;
    }
    st->open_from++;
}

uint64_t steps_bound(const struct lane *k)
{
    if (k->ended || !k->takes_part)
        return UINT64_MAX;
    return k->n_open > 0 ? k->open[0].step : k->clock + 1;
}

static void close_ready(tcf_self *self)
{
    struct state *st = self->state;
    uint64_t bound = UINT64_MAX;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const uint64_t b = steps_bound(tcf_location_state(self, l));
        bound = b < bound ? b : bound;
    }
    while (st->open_from < bound && st->open_from <= st->newest)
        close_next(self);
}

/* Closes the oldest step before its time. */
static void force_next(tcf_self *self)
{
    struct state *st = self->state;
    const struct step *s = find(self, st->open_from);
    st->counts.forced += s && s->first != NONE;
    close_next(self);
}

/* Closes steps when enough operations wait, and sets when to look again. */
static void make_room(tcf_self *self)
{
    const uint32_t most = (uint32_t)((const struct conf *)self->conf)->max_pending;
    struct state *st = self->state;
    close_ready(self);
    while (st->pending + 1 >= most)
        force_next(self);
    const uint32_t first = first_look(most), later = st->pending + (most - st->pending) / 8 + 1;
    st->look_at = later > first ? later : first;
}

/* ---------------------------------------------------------------------------------------------------- operations -- */

/* Makes a place for each step up to this one. */
static void reach(tcf_self *self, uint64_t number)
{
    const uint64_t size = (uint64_t)((const struct conf *)self->conf)->max_steps;
    struct state *st = self->state;
    if (number <= st->newest)
        return;
    if (number >= st->open_from + size)
        close_ready(self);
    while (number >= st->open_from + size)
        force_next(self);
    if (number - st->newest > size) /* the steps between have no place any more */
        st->newest = number - size;
    while (st->newest < number) {
        st->newest++;
        st->steps[st->newest % size] = (struct step){st->newest, UINT64_MAX, NONE, NONE};
    }
}

/* Settles an operation whose step is closed already. */
static void complete_late(tcf_self *self, uint64_t step, const struct operation *x)
{
    struct state *st = self->state;
    const struct step *s = find(self, step);
    if (!s) {
        st->counts.fell_out++;
        steps_forget(st, x->sources);
        return;
    }
    st->counts.behind++;
    settle(self, step, s->earliest, x);
}

/* A place for an operation; make_room() keeps one free. Places that were never used are taken last, so that no more
 * memory is touched than needed. */
static uint32_t take_place(struct state *st)
{
    const uint32_t i = st->free_operation;
    if (i == NONE)
        return st->used_operations++;
    st->free_operation = st->operations[i].next;
    return i;
}

void steps_complete(tcf_self *self, uint32_t location, const struct call *c, uint64_t end)
{
    struct state *st = self->state;
    const struct operation x = {.end = end,
                                .inherited = c->inherited,
                                .location = location,
                                .callpath = c->callpath,
                                .sources = c->sources,
                                .next = NONE};
    reach(self, c->step);
    if (c->step < st->open_from) {
        complete_late(self, c->step, &x);
        return;
    }
    struct step *s = find(self, c->step);
    const uint32_t i = take_place(st);
    st->operations[i] = x;
    if (s->last == NONE)
        s->first = i;
    else
        st->operations[s->last].next = i;
    s->last = i;
    s->earliest = end < s->earliest ? end : s->earliest;
    if (++st->pending >= st->look_at)
        make_room(self);
}

void steps_end(tcf_self *self)
{
    struct state *st = self->state;
    while (st->open_from <= st->newest)
        close_next(self);
}
