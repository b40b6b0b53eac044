/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a run of iterations measures at each enter of its anchor: the duration of the iteration that ends there, and the
 * location's totals. */
#include "iterations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Joins bins by twos, as iterations have outgrown them. */
static void merge_bins(struct run *r, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const struct bin from = r->bins[k];
        struct bin *to = &r->bins[k / 2];
        if (k % 2 == 0) {
            *to = from;
            continue;
        }
        to->n += from.n;
        to->ticks += from.ticks;
        if (from.longest > to->longest) {
            to->longest = from.longest;
            to->which = from.which;
            to->begin = from.begin;
        }
    }
    memset(r->bins + (n + 1) / 2, 0, (n - (n + 1) / 2) * sizeof *r->bins);
    r->level++;
}

static void count_in_bin(struct run *r, uint32_t bins, uint64_t which, struct early begin, uint64_t ticks)
{
    while (which >> r->level >= bins)
        merge_bins(r, bins);
    struct bin *b = &r->bins[which >> r->level];
    if (b->n == 0)
        b->enter = begin.number;
    if (b->n == 0 || ticks > b->longest) {
        b->longest = ticks;
        b->which = which;
        b->begin = begin.time;
    }
    b->n++;
    b->ticks += ticks;
}

static void end_iteration(struct run *r, uint64_t time)
{
    const uint64_t ticks = time - r->last_time;
    const double whole = (double)r->n, from_mean = (double)ticks - r->mean; /* r->n: with this one */
    if (r->n == 1 || ticks > r->longest) {
        r->longest = ticks;
        r->which = r->n - 1;
    }
    r->shortest = r->n == 1 || ticks < r->shortest ? ticks : r->shortest;
    r->mean += from_mean / whole;
    r->squares += from_mean * ((double)ticks - r->mean);
    r->roots += sqrt((double)ticks);
    if (r->n > 1) {
        const uint64_t gone = r->kinds_before > r->common ? r->kinds_before - r->common : 0;
        r->alike += (double)(r->common + 1) / (double)(r->kinds + gone + 1);
    }
    r->kinds_before = r->kinds;
}

/* Counts an iteration in its bin. The bins are made once the run has some length, and then get the iterations before,
 * too. -1: out of memory. */
static int count(struct run *r, uint32_t bins, uint64_t time, uint64_t least)
{
    if (r->binned) {
        count_in_bin(r, bins, r->n - 1, (struct early){r->last_time, r->last}, time - r->last_time);
        return 0;
    }
    if (r->n + 1 < (least < EARLY ? least : EARLY))
        return 0;
    if (!r->bins && !(r->bins = malloc(bins * sizeof *r->bins)))
        return -1;
    memset(r->bins, 0, bins * sizeof *r->bins);
    r->binned = 1;
    for (uint32_t k = 0; k < r->n; k++)
        count_in_bin(r, bins, k, r->early[k], r->early[k + 1].time - r->early[k].time);
    return 0;
}

int run_enter(struct run *r, uint64_t number, uint64_t time, const struct totals *totals, const struct conf *conf,
              uint64_t least)
{
    int status = 0;
    if (r->n < EARLY)
        r->early[r->n] = (struct early){time, number};
    if (r->n == 0) {
        r->first = number;
        r->first_time = time;
        r->at_first = *totals;
    } else {
        end_iteration(r, time);
        status = count(r, (uint32_t)conf->bins, time, least);
    }
    r->kinds = r->common = 0;
    r->n++;
    r->before = r->last;
    r->last = number;
    r->last_time = time;
    r->at_last = *totals;
    return status;
}

void run_clear(struct run *r)
{
    struct bin *kept = r->bins;
    *r = (struct run){.bins = kept};
}

void run_free(struct run *r)
{
    free(r->bins);
    r->bins = NULL;
}
