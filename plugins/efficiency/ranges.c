/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Scopes, and the ranges of iterations of the main loop, which a survey has found: where each process is in them, and
 * what it does there. */
#include "efficiency.h"

#include <private/domains_host.h>

#include <stdlib.h>
#include <string.h>

void scope_start(struct lane *k, enum scope scope, uint64_t time)
{
    if (k->ended >> scope & 1)
        return;
    if (k->series && scope == PROGRAM) {
        series_start(k->series, k->series->range.origin);
        accelerators_free(&k->accelerators);
    }
    memset(k->in[scope].of, 0, sizeof k->in[scope].of);
    k->in[scope].begin = k->in[scope].ideal = time;
    k->in[scope].idle = 0;
}

void scope_stop(struct lane *k, enum scope scope, uint64_t time)
{
    if (k->ended >> scope & 1)
        return;
    k->in[scope].end = time;
    k->ended |= (uint8_t)(1 << scope);
}

/* The first domain reports on all locations. */
int is_kept(const tcf_self *self, uint32_t location)
{
    return tcf_domains_host_of(self)->is_first(self) || self->host->has(self, location);
}

int stands_for_process(const tcf_self *self, uint32_t location)
{
    const struct state *st = self->state;
    const tcf_process *p = &st->processes.at[st->processes.of[location]];
    return p->location == location && tcf_location_at(self->defs, location)->type == TCF_CPU_THREAD &&
           (st->processes.ranks == 0 || p->rank != TCF_NONE);
}

int ranges_begin(tcf_self *self)
{
    struct state *st = self->state;
    struct loop *x = &st->loop;
    x->marks = self->host->learned(self, TCF_MAIN_LOOP, sizeof *x->marks, &x->n_marks);
    for (uint64_t i = 0; i < x->n_marks; i++)
        if (stands_for_process(self, x->marks[i].location) && x->marks[i].range > x->n)
            x->n = x->marks[i].range;
    st->scopes = x->n > 0 ? SCOPES : RANGE;
    if (x->n == 0)
        return 0;
    x->first = calloc(x->n + 1ul, sizeof *x->first);
    x->of = calloc((size_t)st->processes.n * x->n, sizeof *x->of);
    if (!x->first || !x->of)
        return -1;
    for (uint64_t i = x->n_marks; i-- > 0;) {
        const tcf_loop_mark *m = &x->marks[i];
        if (!stands_for_process(self, m->location))
            continue;
        x->first[m->range] = m->first > x->first[m->range] ? m->first : x->first[m->range];
        if (!is_kept(self, m->location))
            continue;
        struct lane *k = tcf_location_state(self, m->location);
        k->at.next = m;         /* in the end its first one */
        k->ended |= 1 << RANGE; /* until that comes */
    }
    return 0;
}

void ranges_free(struct state *st)
{
    free(st->loop.first);
    free(st->loop.of);
}

void range_next(const tcf_self *self, uint32_t location, uint64_t time)
{
    const struct state *st = self->state;
    struct lane *k = tcf_location_state(self, location);
    const tcf_loop_mark *mark = k->at.next, *end = st->loop.marks + st->loop.n_marks;
    const struct sums *s = &k->in[RANGE];
    /* The last mark of a process ends its iterations: in a range of which others have more, it has no part. */
    if (mark->range > 0 && mark->first == st->loop.first[mark->range])
        st->loop.of[(size_t)st->processes.of[location] * st->loop.n + mark->range - 1] =
            (struct range){.begin = s->begin,
                           .length = time - s->begin,
                           .ideal = s->ideal - s->begin,
                           .useful = useful_of(s)};
    const int ends = mark + 1 == end || mark[1].location != location;
    k->ended &= (uint8_t) ~(1 << RANGE);
    if (ends)
        scope_stop(k, RANGE, time);
    else
        scope_start(k, RANGE, time);
    k->at.next = ends ? NULL : mark + 1;
}
