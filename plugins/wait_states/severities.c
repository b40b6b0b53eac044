/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up waits by pattern, call path and location, and keeps the longest instances of each pattern. */
#include "wait_states.h"

#include "../shared/largest/largest.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>

#include <stdlib.h>

/* -------------------------------------------------------------------------------------------------- time, visits -- */

/* The call path of all calls beyond max_callpaths: the node behind the root. */
enum { BEYOND = 1 };

static void add_beyond(tcf_self *self, const waits_call *call, uint64_t exclusive)
{
    struct state *st = self->state;
    const uint32_t kind =
        call->region < self->defs->n_regions ? st->use.waits->kind_of_region[call->region] : WAIT_COMPUTATION;
    st->visits_beyond[kind] += !call->is_bare;
    st->moved[kind] += exclusive;
}

tcf_status add_call(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time)
{
    struct place *p = tcf_location_state(self, location);
    struct cell *c = path_cell(&p->cells, call->callpath, sizeof *c);
    if (__builtin_expect(!c, 0))
        return self->host->fail(self, "out of memory for the time of call paths");
    const uint64_t exclusive = time - call->enter - call->inner;
    if (__builtin_expect(call->callpath == BEYOND, 0)) {
        add_beyond(self, call, exclusive);
        return TCF_OK;
    }
    c->visits += !call->is_bare;
    c->exclusive += exclusive;
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

int longest_first(const void *a, const void *b)
{
    const wait *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->length, x->length), TCF_ORDER(x->from, y->from), TCF_ORDER(x->location, y->location),
                     TCF_ORDER(x->pattern, y->pattern), TCF_ORDER(x->cause_time, y->cause_time),
                     TCF_ORDER(x->cause_location, y->cause_location));
}

static int is_longer(const void *a, const void *b)
{
    return longest_first(a, b) < 0;
}

/* Keeps the longest instances of a pattern. */
tcf_status keep_worst(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    wait **heap = &st->worst[w->pattern];
    uint32_t *n = &st->n_worst[w->pattern], most = (uint32_t)conf->worst;
    if (most > 0 && !*heap && !(*heap = malloc(most * sizeof **heap)))
        return self->host->fail(self, "out of memory for the worst instances");
    largest_keep(*heap, n, most, w, &(item_order){sizeof *w, is_longer});
    return TCF_OK;
}

static void add(struct severity *s, const wait *w)
{
    s->sum = tcf_ticks_sum(s->sum, w->length);
    s->count++;
    s->longest = w->length > s->longest ? w->length : s->longest;
    s->reversed += w->reversed;
}

/* *s: NULL: there are max_severities others. */
static tcf_status severity_of(tcf_self *self, const sum_of *of, struct severity **s)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    const uint64_t place = (uint64_t)of->location << 32 | of->callpath;
    const uint32_t found = tcf_map_get(&st->severity_of, place, of->pattern);
    *s = found != TCF_MAP_ABSENT ? &st->severities[found] : NULL;
    if (*s || st->n_severities >= (uint64_t)conf->max_severities)
        return TCF_OK;
    if (TCF_GROW(&st->severities, &st->severities_capacity, st->n_severities) != 0 ||
        tcf_map_put(&st->severity_of, place, of->pattern, st->n_severities) != 0)
        return self->host->fail(self, "out of memory for %u severities", st->n_severities);
    *s = &st->severities[st->n_severities++];
    **s = (struct severity){.of = *of};
    return TCF_OK;
}

void add_severities(void *to, const void *from)
{
    struct severity *x = to;
    const struct severity *y = from;
    x->sum = tcf_ticks_sum(x->sum, y->sum);
    x->count += y->count;
    x->longest = y->longest > x->longest ? y->longest : x->longest;
    x->reversed += y->reversed;
}

tcf_status join_severity(tcf_self *self, const struct severity *more)
{
    struct severity *s;
    if (severity_of(self, &more->of, &s) != TCF_OK)
        return TCF_ERROR;
    if (s)
        add_severities(s, more);
    else
        ((struct state *)self->state)->without_place += more->count;
    return TCF_OK;
}

/* A wait is a part of its parent's time. Where the call is of another kind, as when MPI_Wait completes a barrier, the
 * time of the wait moves to the parent. */
static void move_time(struct state *st, const wait *w)
{
    const uint32_t parent = wait_patterns[w->pattern].parent;
    uint32_t at = w->kind;
    if (parent >= WAIT_TIMES || w->pattern == WAIT_IDLE_THREADS || w->kind == 0)
        return; /* a part of another wait, or outside of all calls, or unknown */
    while (at != parent && at != WAIT_TIME)
        at = wait_patterns[at].parent;
    if (at == parent)
        return;
    st->moved[w->kind] -= w->length;
    st->moved[parent] += w->length;
}

/* Few sums stay in the cache, which one for each of many locations does not. */
static uint32_t summed_as(const tcf_self *self, uint32_t location)
{
    const struct state *st = self->state;
    const struct conf *conf = self->conf;
    const tcf_domains_host *domains = st->use.waits->domains;
    return conf->by_location ? location : domains ? domains->of(self, location) : 0;
}

tcf_status add_severity(tcf_self *self, const wait *w)
{
    struct state *st = self->state;
    struct severity *s;
    add(&st->total[w->pattern], w);
    move_time(st, w);
    if (severity_of(self, &(sum_of){w->pattern, summed_as(self, w->location), w->callpath}, &s) != TCF_OK)
        return TCF_ERROR;
    if (s)
        add(s, w);
    else
        st->without_place++;
    return keep_worst(self, w);
}
