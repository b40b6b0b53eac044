/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up costs by cause, and waits by place. */
#include "root_cause.h"

#include <tcflow/grow.h>
#include <tcflow/times.h>

#include <stdlib.h>

static struct costs *costs_of(tcf_self *self)
{
    return &((struct state *)self->state)->costs;
}

enum { FIRST_PLACES = 256 };

/* Few sums stay in the cache, which one for each of many locations does not. */
static inline uint32_t summed_as(const tcf_self *self, uint32_t location)
{
    return ((const struct conf *)self->conf)->by_location ? location : 0;
}

/* The place at which the search for a cause begins. Call paths with neighbouring numbers, which are mostly charged
 * together, have neighbouring places. */
static inline uint32_t home_of(const costs *c, uint32_t pattern, uint64_t cause)
{
    return ((uint32_t)tcf_map_hash(cause >> 2, pattern) & c->mask & ~3u) | (cause & 3);
}

/* The place of a cause, or the free one that it would take. */
static inline cost *place_for(const costs *c, uint32_t pattern, uint64_t cause)
{
    const uint32_t location = (uint32_t)(cause >> 32), callpath = (uint32_t)cause;
    for (uint32_t i = home_of(c, pattern, cause);; i = (i + 1) & c->mask) {
        cost *x = &c->cost[i];
        if (x->of.callpath == NONE ||
            (x->of.callpath == callpath && x->of.location == location && x->of.pattern == pattern))
            return x;
    }
}

static int grow_costs(costs *c)
{
    const uint32_t before = c->cost ? c->mask + 1 : 0, places = before ? 2 * before : FIRST_PLACES;
    cost *old = c->cost, *fresh = malloc(places * sizeof *fresh);
    if (!fresh)
        return -1;
    for (uint32_t i = 0; i < places; i++)
        fresh[i].of.callpath = NONE;
    c->cost = fresh;
    c->mask = places - 1;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].of.callpath != NONE)
            *place_for(c, old[i].of.pattern, (uint64_t)old[i].of.location << 32 | old[i].of.callpath) = old[i];
    free(old);
    return 0;
}

void costs_fetch(const tcf_self *self, uint32_t pattern, uint64_t cause)
{
    const costs *c = &((const struct state *)self->state)->costs;
    if (c->cost && ((const struct conf *)self->conf)->by_location)
        __builtin_prefetch(&c->cost[home_of(c, pattern, cause)], 1);
}

/* NULL: the cap is reached, or out of memory, which *status says. */
static cost *cost_for(tcf_self *self, uint32_t pattern, uint64_t cause, tcf_status *status)
{
    costs *c = costs_of(self);
    cause = (uint64_t)summed_as(self, (uint32_t)(cause >> 32)) << 32 | (uint32_t)cause;
    if ((!c->cost || c->n_costs > c->mask / 3 * 2) && grow_costs(c) != 0) {
        *status = self->host->fail(self, "out of memory for %u causes", c->n_costs);
        return NULL;
    }
    cost *x = place_for(c, pattern, cause);
    if (x->of.callpath != NONE)
        return x;
    if (c->n_costs >= (uint64_t)((const struct conf *)self->conf)->max_costs) {
        c->without_place++;
        return NULL;
    }
    c->n_costs++;
    *x = (cost){.of = {pattern, (uint32_t)(cause >> 32), (uint32_t)cause}};
    return x;
}

void costs_list(costs *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; c->cost && i <= c->mask; i++)
        if (c->cost[i].of.callpath != NONE)
            c->cost[n++] = c->cost[i];
}

tcf_status costs_add(tcf_self *self, uint32_t pattern, uint64_t cause, cost_sum short_term, cost_sum long_term)
{
    tcf_status status = TCF_OK;
    struct pattern_sum *sum = &costs_of(self)->of[pattern];
    sum->short_term += short_term;
    sum->long_term += long_term;
    cost *c = cost_for(self, pattern, cause, &status);
    if (c) {
        c->short_term += short_term;
        c->long_term += long_term;
    }
    return status;
}

static uint64_t key_of_wait(const sum_of *of)
{
    return (uint64_t)of->location << 32 | of->callpath;
}

/* NULL: there is none for waits of the pattern here. */
static wait_sum *wait_for(tcf_self *self, uint32_t pattern, uint32_t location, uint32_t callpath)
{
    costs *c = costs_of(self);
    const sum_of of = {pattern, summed_as(self, location), callpath};
    const uint32_t found = tcf_map_get(&c->wait_of, key_of_wait(&of), pattern);
    return found == TCF_MAP_ABSENT ? NULL : &c->wait[found];
}

tcf_status costs_wait(tcf_self *self, const wait *w)
{
    costs *c = costs_of(self);
    wait_sum *s = wait_for(self, w->pattern, w->location, w->callpath);
    c->of[w->pattern].count++;
    c->of[w->pattern].time = tcf_ticks_sum(c->of[w->pattern].time, w->length);
    if (!s && c->n_waits < (uint64_t)((const struct conf *)self->conf)->max_costs) {
        const sum_of of = {w->pattern, summed_as(self, w->location), w->callpath};
        if (TCF_GROW(&c->wait, &c->waits_capacity, c->n_waits) != 0 ||
            tcf_map_put(&c->wait_of, key_of_wait(&of), of.pattern, c->n_waits) != 0)
            return self->host->fail(self, "out of memory for sums of waits");
        s = &c->wait[c->n_waits++];
        *s = (wait_sum){.of = of};
    }
    if (!s) {
        c->without_place++;
        return TCF_OK;
    }
    s->count++;
    s->time = tcf_ticks_sum(s->time, w->length);
    return TCF_OK;
}

void costs_unknown(tcf_self *self, const wait *w)
{
    costs *c = costs_of(self);
    wait_sum *s = wait_for(self, w->pattern, w->location, w->callpath);
    c->of[w->pattern].unknown = tcf_ticks_sum(c->of[w->pattern].unknown, w->length);
    c->of[w->pattern].unknown_count++;
    if (s)
        s->unknown = tcf_ticks_sum(s->unknown, w->length);
}

void costs_indirect(tcf_self *self, const wait *w, cost_sum indirect)
{
    costs *c = costs_of(self);
    wait_sum *s = wait_for(self, w->pattern, w->location, w->callpath);
    c->of[w->pattern].indirect += indirect;
    if (s)
        s->indirect += indirect;
}

void costs_passed_on(tcf_self *self, uint32_t location, const waited *x)
{
    costs *c = costs_of(self);
    wait_sum *s = wait_for(self, x->key.pattern, location, x->callpath);
    const cost_sum passed_on = (cost_sum)(x->key.until - x->key.from) * x->passed_on >> (SHARE_BITS - COST_BITS);
    c->of[x->key.pattern].passed_on += passed_on;
    if (s)
        s->passed_on += passed_on;
}

void costs_free(costs *c)
{
    tcf_map_free(&c->wait_of);
    free(c->cost);
    free(c->wait);
}
