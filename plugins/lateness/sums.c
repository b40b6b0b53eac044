/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Where operations are summed up: by location, by call path, by step and by time, and the worst of them. */
#include "lateness.h"

#include <tcflow/grow.h>
#include <tcflow/times.h>

#include <stdlib.h>
#include <string.h>

void sums_join(struct sums *to, const struct sums *from)
{
    to->operations += from->operations;
    to->lateness = tcf_ticks_sum(to->lateness, from->lateness);
    to->differential = tcf_ticks_sum(to->differential, from->differential);
    to->most_late = max_u64(to->most_late, from->most_late);
    to->most_differential = max_u64(to->most_differential, from->most_differential);
}

/* -------------------------------------------------------------------------------------------------------- series -- */

static int series_begin(struct series *of, uint32_t n, uint64_t origin)
{
    of->range = time_bins_new(n, origin);
    of->at = calloc(n, sizeof *of->at);
    of->spare = calloc(n, sizeof *of->spare);
    return of->at && of->spare ? 0 : -1;
}

static void merge(struct bin *to, const struct bin *from)
{
    if (to->sums.operations == 0) {
        *to = *from;
        return;
    }
    sums_join(&to->sums, &from->sums);
    to->earliest = min_u64(to->earliest, from->earliest);
    to->latest = max_u64(to->latest, from->latest);
}

static void series_move(struct series *of, const time_bins_move *m)
{
    const uint32_t n = of->range.n;
    struct bin *old = of->at;
    of->at = of->spare;
    of->spare = old;
    memset(of->at, 0, n * sizeof *of->at);
    for (uint32_t k = 0; k < n; k++)
        if (old[k].sums.operations > 0)
            merge(&of->at[time_bins_moved(m, k)], &old[k]);
}

static void series_add(struct series *of, uint64_t position, const struct bin *one)
{
    time_bins_move m;
    if (time_bins_reach(&of->range, position, &m))
        series_move(of, &m);
    merge(&of->at[time_bins_position(&of->range, position)], one);
}

/* --------------------------------------------------------------------------------------------------------- worst -- */

static int is_worse(const struct instance *a, const struct instance *b)
{
    if (a->differential != b->differential)
        return a->differential > b->differential;
    if (a->step != b->step)
        return a->step < b->step;
    return a->location != b->location ? a->location < b->location : a->end < b->end;
}

static void keep_worst(struct state *st, uint32_t most, const struct instance *x)
{
    if (x->differential == 0 || most == 0 || (st->n_worst == most && !is_worse(x, &st->worst[most - 1])))
        return;
    uint32_t i = st->n_worst < most ? st->n_worst++ : most - 1;
    for (; i > 0 && is_worse(x, &st->worst[i - 1]); i--)
        st->worst[i] = st->worst[i - 1];
    st->worst[i] = *x;
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

static struct sums *path_sums(tcf_self *self, uint32_t callpath)
{
    struct state *st = self->state;
    if (TCF_GROW_ZEROED(&st->by_path, &st->n_by_path, callpath) != 0) {
        st->out_of_memory = 1;
        return NULL;
    }
    return &st->by_path[callpath];
}

/* ------------------------------------------------------------------------------------------------------------------ */

int sums_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    const uint32_t bins = (uint32_t)conf->bins;
    st->worst = malloc(((size_t)conf->worst + 1) * sizeof *st->worst);
    if (!st->worst || series_begin(&st->over_steps, bins, 0) != 0)
        return -1;
    return series_begin(&st->over_time, bins, self->defs->clock.global_offset);
}

void sums_free(struct state *st)
{
    struct series *const of[] = {&st->over_steps, &st->over_time};
    for (uint32_t i = 0; i < TCF_COUNT(of); i++) {
        free(of[i]->at);
        free(of[i]->spare);
    }
    free(st->worst);
    free(st->by_path);
}

void sums_add(tcf_self *self, const struct instance *x)
{
    struct state *st = self->state;
    struct lane *k = tcf_location_state(self, x->location);
    struct sums *path = path_sums(self, x->callpath);
    const struct bin one = {{1, x->lateness, x->differential, x->lateness, x->differential}, x->end, x->end};
    sums_join(&k->sums, &one.sums);
    if (path)
        sums_join(path, &one.sums);
    series_add(&st->over_steps, x->step, &one);
    series_add(&st->over_time, x->end, &one);
    keep_worst(st, (uint32_t)((const struct conf *)self->conf)->worst, x);
}
