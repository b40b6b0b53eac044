/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Forgets what no wait goes back to any more: where all locations have met, nothing before that is compared again. So
 * what is kept of programs with operations of all processes stays in the cache. Results are those of a log that keeps
 * everything.
 *
 * All have met in an operation if each location took part, each in a call of its own, and the last one entered before
 * the first one left. Any two of them have last met then, or later; also for a wait that is still to be judged, if it
 * began behind the operation on its location. Its cause came after it began, so behind the operation as well. */
#include "root_cause.h"

#include <stdlib.h>

enum { DROPPED = NONE - 1 }; /* waited.shares: it had some */

static const meeting *find_meeting(const struct place *p, const meeting *of, uint32_t *index)
{
    for (uint32_t i = p->meetings.n; i-- > 0;) {
        const meeting *x = ring_at(&p->meetings, i);
        if (x->number == of->number && x->comm == of->comm && x->kind == of->kind) {
            *index = i;
            return x;
        }
    }
    return NULL;
}

static uint8_t extra_of(const tcf_self *self, uint32_t region)
{
    const struct waits *w = ((const waits_user *)self->state)->waits;
    return region < self->defs->n_regions ? w->extra_of_region[region] : WAITS_REGION_PLAIN;
}

/* Is it a call that communicates, and none around it can turn out to do so, too? */
static int is_alone(const tcf_self *self, uint32_t callpath)
{
    uint32_t n;
    const tcf_callpath *nodes = self->host->callpaths(self, &n);
    if (callpath == 0 || callpath >= n || extra_of(self, nodes[callpath].region) == WAITS_REGION_USER)
        return 0;
    for (uint32_t c = nodes[callpath].parent; c != 0; c = nodes[c].parent)
        if (extra_of(self, nodes[c].region) != WAITS_REGION_USER)
            return 0;
    return 1;
}

/* When the location left the operation, whose call is one stretch; 0: it hasn't, or that can't be told. */
static uint64_t left_in(const tcf_self *self, const struct place *p, const meeting *x)
{
    const uint32_t at = log_stretch_at(p, x->from);
    const stretch *s = at < p->stretches.n ? ring_at(&p->stretches, at) : NULL;
    return s && s->callpath == x->callpath && log_start_of(p, at) == x->from && is_alone(self, x->callpath) ? s->end
                                                                                                            : 0;
}

/* When the first location left the operation; 0: not all have met in it. */
static uint64_t all_met(const tcf_self *self, const meeting *of)
{
    uint64_t last_enter = 0, first_leave = UINT64_MAX;
    uint32_t at;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        if (tcf_location_at(self->defs, l)->silent)
            continue;
        const meeting *x = find_meeting(p, of, &at);
        if (!x)
            return 0;
        last_enter = max_u64(last_enter, x->from);
        first_leave = min_u64(first_leave, left_in(self, p, x));
    }
    return first_leave > last_enter ? first_leave : 0;
}

/* Have all waits been judged that began earlier? */
static int is_settled(const tcf_self *self, uint64_t until)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        for (uint32_t i = 0; i < p->n_pending; i++)
            if (p->pending[p->first_pending + i].from < until)
                return 0;
    }
    return 1;
}

static void forget_before(tcf_self *self, struct place *p, uint32_t at)
{
    struct state *st = self->state;
    const uint64_t from = ((const meeting *)ring_at(&p->meetings, at))->from;
    ring_drop(&p->meetings, at);
    log_forget(p, from);
    p->forgotten = p->waits.first + log_forgotten(p);
    for (; log_forgotten(p) < p->waits.n; p->forgotten++) {
        waited *x = ring_at(&p->waits, log_forgotten(p));
        if (x->key.from >= from)
            break;
        costs_passed_on(self, p->location, x);
        shares_drop(&st->shares, x->shares);
        shares_drop(&st->shares, x->hidden);
        x->passed_on = 0;
        x->shares = x->shares == NONE ? NONE : DROPPED;
        x->hidden = NONE;
    }
    if (((const struct conf *)self->conf)->worst == 0) /* no chain goes back to them */
        ring_drop(&p->waits, log_forgotten(p));
}

/* Of the last operation of all it isn't known yet what follows; so it is the one before that counts. */
void forget(tcf_self *self)
{
    struct met *m = &((struct state *)self->state)->met;
    const uint64_t left = m->has_before ? all_met(self, &m->before) : 0;
    uint32_t at;
    m->is_due = 0;
    if (left > 0 && !is_settled(self, left))
        return;
    for (uint32_t l = 0; l < self->defs->n_locations && left > 0; l++) {
        struct place *p = tcf_location_state(self, l);
        if (find_meeting(p, &m->before, &at))
            forget_before(self, p, at);
    }
    m->before = m->latest;
    m->has_before = 1;
}

/* Threads of a process meet elsewhere, too, and wait for locks since calls that they entered long before. */
tcf_status forget_begin(tcf_self *self)
{
    const tcf_definitions *d = self->defs;
    struct met *m = &((struct state *)self->state)->met;
    unsigned char *has = calloc(d->n_location_groups + 1u, 1);
    if (!has)
        return self->host->fail(self, "out of memory for %u processes", d->n_location_groups);
    for (uint32_t l = 0; l < d->n_locations; l++) {
        const tcf_location *x = tcf_location_at(d, l);
        if (x->silent)
            continue;
        m->n_all++;
        m->never |= x->group >= d->n_location_groups || has[x->group];
        if (!m->never)
            has[x->group] = 1;
    }
    free(has);
    return TCF_OK;
}
