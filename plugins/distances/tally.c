/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Distances by key: counts, extremes, and a histogram that is exact for short distances. Memory depends on the number
 * of different keys and buckets, which has a cap. Distances beyond it are counted. */
#include "distances.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

#include <math.h>

static uint64_t key_text(const struct key *k)
{
    return (uint64_t)k->region << 32 | (uint64_t)k->kind << 24 | (uint64_t)k->after << 16 | (uint64_t)k->in_run << 8 |
           k->attributes;
}

/* Finds or makes the group of a key. TCF_MAP_ABSENT: the cap is reached, or with *failed = -1 there is no memory. */
static uint32_t group_of(struct tally *t, const struct key *key, int *failed)
{
    uint64_t a = key_text(key), b = key->values;
    uint32_t g = tcf_map_get(&t->groups, a, b);
    if (g != TCF_MAP_ABSENT || t->n_groups == t->most)
        return g;
    *failed = TCF_GROW(&t->group, &t->group_capacity, t->n_groups);
    if (*failed != 0 || (*failed = tcf_map_put(&t->groups, a, b, t->n_groups)) != 0)
        return TCF_MAP_ABSENT;
    t->group[t->n_groups] = (struct group){.key = *key, .min = UINT64_MAX};
    return t->n_groups++;
}

/* Adds n to a bucket. 1: the cap of buckets is reached; -1: out of memory. */
static int count(struct tally *t, uint32_t group, uint32_t bucket, uint64_t n)
{
    uint32_t c = tcf_map_get(&t->cells, group, bucket);
    if (c == TCF_MAP_ABSENT) {
        if (t->n_cells == t->most)
            return 1;
        if (TCF_GROW(&t->cell, &t->cell_capacity, t->n_cells) != 0 ||
            tcf_map_put(&t->cells, group, bucket, t->n_cells) != 0)
            return -1;
        c = t->n_cells++;
        t->cell[c] = (struct cell){.group = group, .bucket = bucket};
    }
    t->cell[c].n += n;
    return 0;
}

int tally_add(struct tally *t, const struct key *key, uint64_t ticks)
{
    int failed = 0;
    uint32_t at = group_of(t, key, &failed);
    if (at != TCF_MAP_ABSENT)
        failed = count(t, at, bucket_of(ticks), 1);
    if (at == TCF_MAP_ABSENT || failed != 0) {
        t->left_out += failed >= 0;
        return failed < 0 ? -1 : 0;
    }
    struct group *g = &t->group[at];
    g->n++;
    g->sum = tcf_ticks_sum(g->sum, ticks);
    g->min = ticks < g->min ? ticks : g->min;
    g->max = ticks > g->max ? ticks : g->max;
    return 0;
}

int tally_merge(struct tally *to, const struct tally *from)
{
    int failed = 0;
    uint32_t *now = malloc((from->n_groups + 1u) * sizeof *now);
    if (!now)
        return -1;
    for (uint32_t i = 0; i < from->n_groups && failed >= 0; i++) {
        const struct group *f = &from->group[i];
        now[i] = group_of(to, &f->key, &failed);
        if (now[i] == TCF_MAP_ABSENT) {
            to->left_out += f->n;
            continue;
        }
        struct group *g = &to->group[now[i]];
        g->n += f->n;
        g->sum = tcf_ticks_sum(g->sum, f->sum);
        g->min = f->min < g->min ? f->min : g->min;
        g->max = f->max > g->max ? f->max : g->max;
    }
    for (uint32_t c = 0; c < from->n_cells && failed >= 0; c++) {
        const struct cell *f = &from->cell[c];
        if (now[f->group] == TCF_MAP_ABSENT)
            continue;
        failed = count(to, now[f->group], f->bucket, f->n);
        if (failed > 0) {
            to->group[now[f->group]].n -= f->n;
            to->left_out += f->n;
        }
    }
    free(now);
    to->left_out += from->left_out;
    return failed < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

void tally_put(const tcf_host *host, tcf_pack *pack, const struct tally *t)
{
    host->put(pack, &t->left_out, sizeof t->left_out);
    host->put(pack, &t->n_groups, sizeof t->n_groups);
    host->put(pack, &t->n_cells, sizeof t->n_cells);
    host->put(pack, t->group, t->n_groups * sizeof *t->group);
    host->put(pack, t->cell, t->n_cells * sizeof *t->cell);
}

int tally_take(const tcf_host *host, tcf_pack *pack, struct tally *to)
{
    struct tally t = {0};
    host->take(pack, &t.left_out, sizeof t.left_out);
    host->take(pack, &t.n_groups, sizeof t.n_groups);
    host->take(pack, &t.n_cells, sizeof t.n_cells);
    t.group = malloc((t.n_groups + 1ul) * sizeof *t.group);
    t.cell = malloc((t.n_cells + 1ul) * sizeof *t.cell);
    int failed = !t.group || !t.cell;
    if (!failed) {
        host->take(pack, t.group, t.n_groups * sizeof *t.group);
        host->take(pack, t.cell, t.n_cells * sizeof *t.cell);
        failed = tally_merge(to, &t);
    }
    tally_free(&t);
    return failed ? -1 : 0;
}

/* ------------------------------------------------------------------------------------------------------- results -- */

static int compare_groups(const void *a, const void *b)
{
    const struct key *x = &((const struct group *)a)->key, *y = &((const struct group *)b)->key;
    return TCF_FIRST(TCF_ORDER(x->kind, y->kind), TCF_ORDER(x->after, y->after), TCF_ORDER(x->region, y->region),
                     TCF_ORDER(x->in_run, y->in_run), TCF_ORDER(x->attributes, y->attributes),
                     TCF_ORDER(x->values, y->values));
}

static int compare_cells(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->group, y->group), TCF_ORDER(x->bucket, y->bucket));
}

int tally_sort(struct tally *t)
{
    uint32_t *now = malloc((t->n_groups + 1u) * sizeof *now);
    if (!now)
        return -1;
    for (uint32_t g = 0; g < t->n_groups; g++)
        t->group[g].first = g;
    tcf_sort(t->group, t->n_groups, sizeof *t->group, compare_groups);
    for (uint32_t g = 0; g < t->n_groups; g++)
        now[t->group[g].first] = g;
    for (uint32_t c = 0; c < t->n_cells; c++)
        t->cell[c].group = now[t->cell[c].group];
    free(now);
    tcf_sort(t->cell, t->n_cells, sizeof *t->cell, compare_cells);
    tcf_map_free(&t->groups);
    tcf_map_free(&t->cells);
    for (uint32_t c = t->n_cells; c-- > 0;)
        t->group[t->cell[c].group].first = c;
    return 0;
}

uint64_t tally_quantile(const struct tally *t, uint32_t group, double p)
{
    const struct group *g = &t->group[group];
    uint64_t rank = (uint64_t)ceil(p * (double)g->n), sum = 0, ticks = 0;
    for (uint32_t c = t->group[group].first; c < t->n_cells && t->cell[c].group == group; c++) {
        sum += t->cell[c].n;
        ticks = ticks_of(t->cell[c].bucket);
        if (sum >= rank)
            break;
    }
    if (ticks < g->min)
        return g->min;
    return ticks > g->max ? g->max : ticks;
}

double tally_mean(const struct tally *t, uint32_t group, double most, uint64_t *longer)
{
    double sum = 0;
    uint64_t n = 0;
    *longer = 0;
    for (uint32_t c = t->group[group].first; c < t->n_cells && t->cell[c].group == group; c++) {
        double ticks = (double)ticks_of(t->cell[c].bucket);
        if (ticks > most) {
            *longer += t->cell[c].n;
            continue;
        }
        sum += ticks * (double)t->cell[c].n;
        n += t->cell[c].n;
    }
    return n > 0 ? sum / (double)n : 0;
}

/* How far distances lie from multiples of `step` on average, in ticks, if nearly all up to 12 steps lie next to one,
 * and on several of them; otherwise more than 1. Longer distances don't tell: `step` may be wrong by 1/16 of a tick.
 * The distances are those of n cells, in order of their length; whole: how many there are of all lengths. */
static double deviation(const struct cell *cell, uint32_t n, double step, uint64_t whole)
{
    uint64_t on[13] = {0}, off = 0, fit = 0;
    uint32_t multiples = 0, most = (uint32_t)(12 * step) < EXACT - 1 ? (uint32_t)(12 * step) : EXACT - 1;
    double sum = 0;
    for (uint32_t c = 0; c < n && cell[c].bucket <= most; c++) {
        double k = floor(cell[c].bucket / step + 0.5), d = fabs(cell[c].bucket - k * step);
        if (d <= 1)
            on[(uint32_t)k] += cell[c].n;
        else
            off += cell[c].n;
        sum += d <= 1 ? d * (double)cell[c].n : 0;
    }
    for (uint32_t k = 0; k <= 12; k++)
        fit += on[k];
    for (uint32_t k = 0; k <= 12; k++)
        multiples += on[k] > fit / 50;
    return multiples >= 2 && off <= (fit + off) / 50 && fit >= whole / 2 ? sum / (double)fit : 2;
}

/* Where most distances are 0 and most others alike, these are one step. 0: it isn't so. */
static double step_beside_zeros(const struct tally *t)
{
    uint64_t zeros = 0, others = 0, most = 0;
    double step = 0;
    for (uint32_t c = 0; c < t->n_cells; c++) {
        const struct cell *cell = &t->cell[c];
        if (t->group[cell->group].max == 0)
            continue; /* events of one time stamp by intention */
        zeros += cell->bucket == 0 ? cell->n : 0;
        others += cell->bucket > 0 ? cell->n : 0;
        if (cell->bucket > 0 && cell->n > most) {
            most = cell->n;
            step = (double)ticks_of(cell->bucket);
        }
    }
    uint64_t alike = 0;
    for (uint32_t c = 0; c < t->n_cells; c++)
        alike += fabs((double)ticks_of(t->cell[c].bucket) - step) <= 1 ? t->cell[c].n : 0;
    return zeros > others && alike > others / 2 ? step : 0;
}

/* The group with the most distances; events of one time stamp by intention don't count. */
static uint32_t largest_group(const struct tally *t)
{
    uint32_t largest = 0;
    for (uint32_t g = 1; g < t->n_groups; g++)
        if (t->group[g].max > 0 && (t->group[largest].max == 0 || t->group[g].n > t->group[largest].n))
            largest = g;
    return largest;
}

/* Of the steps that fit the distances of the largest group, the best one near the largest: parts of a step fit as well.
 * One group, as two of constant distances would look like steps. */
double tally_step(const struct tally *t)
{
    double step = step_beside_zeros(t), best = 2, largest = 0;
    if (step > 1 || t->n_groups == 0)
        return step > 1 ? step : 1;
    step = 1;
    const uint32_t group = largest_group(t), first = t->group[group].first;
    uint64_t whole = 0;
    uint32_t n = 0;
    for (; first + n < t->n_cells && t->cell[first + n].group == group; n++)
        whole += t->cell[first + n].n;
    for (double s = 256; s >= 4 && s > 0.9 * largest && whole > 0; s -= 0.125) {
        double d = deviation(t->cell + first, n, s, whole);
        largest = d < 2 && largest == 0 ? s : largest;
        if (d < best) {
            best = d;
            step = s;
        }
    }
    return step;
}

void tally_free(struct tally *t)
{
    free(t->group);
    free(t->cell);
    tcf_map_free(&t->groups);
    tcf_map_free(&t->cells);
    *t = (struct tally){0};
}
