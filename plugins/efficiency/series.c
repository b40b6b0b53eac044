/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Useful time over the run: of each process in bins of its own, which are as wide as those of all in the end. */
#include "efficiency.h"

#include <string.h>

static void make_reach(struct series *x, uint64_t time)
{
    time_bins_move m;
    if (!time_bins_reach(&x->range, time, &m))
        return;
    uint64_t old[SERIES_BINS];
    memcpy(old, x->at, sizeof old);
    memset(x->at, 0, sizeof x->at);
    for (uint32_t k = 0; k < SERIES_BINS; k++)
        if (old[k] > 0)
            x->at[time_bins_moved(&m, k)] += old[k];
}

void series_start(struct series *x, uint64_t origin)
{
    *x = (struct series){.range = time_bins_new(SERIES_BINS, origin)};
}

void series_add(struct series *x, uint64_t from, uint64_t to)
{
    make_reach(x, from);
    make_reach(x, to);
    const uint32_t first = time_bins_position(&x->range, from), last = time_bins_position(&x->range, to);
    for (uint32_t k = first; k <= last; k++) {
        const uint64_t begins = x->range.origin + (uint64_t)time_bins_start(&x->range, k);
        const uint64_t a = k == first ? from : begins;
        const uint64_t b = k == last ? to : begins + ((uint64_t)1 << x->range.level);
        x->at[k] += b - a;
    }
}

void series_reach(struct series *all, const struct series *part)
{
    if (!part->range.used)
        return;
    make_reach(all, all->range.origin + (uint64_t)part->range.low);
    make_reach(all, all->range.origin + (uint64_t)part->range.high);
}

uint64_t series_of(const struct series *all, const struct series *part, uint32_t bin)
{
    const time_bins_move m = time_bins_into(&part->range, &all->range);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < SERIES_BINS && part->range.used; k++)
        if (part->at[k] > 0 && time_bins_moved(&m, k) == bin)
            sum += part->at[k];
    return sum;
}
