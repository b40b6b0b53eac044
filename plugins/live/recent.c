/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums over the last seconds: stretches of equal width in a ring, so what is old goes away by itself. */
#include "live.h"

/* The place of a stretch, emptied if it has an older one; NULL: it has a younger one. */
static uint64_t *place(recent *r, uint64_t stretch, uint64_t **count)
{
    const uint32_t i = (uint32_t)(stretch % BUCKETS);
    if (r->at[i].number > stretch + 1)
        return NULL;
    if (r->at[i].number < stretch + 1) {
        r->at[i].number = stretch + 1;
        r->at[i].ticks = r->at[i].count = 0;
    }
    *count = &r->at[i].count;
    return &r->at[i].ticks;
}

void recent_add(recent *r, uint64_t width, uint64_t from, uint64_t to)
{
    const uint64_t last = to / width, first = from / width;
    uint64_t *count;
    for (uint64_t k = last;; k--) {
        const uint64_t begin = k > first ? k * width : from, end = k < last ? (k + 1) * width : to;
        uint64_t *ticks = place(r, k, &count);
        if (ticks)
            *ticks += end - begin;
        if (ticks && k == last)
            ++*count;
        if (k == first || last - k == BUCKETS - 1)
            return;
    }
}

static int is_recent(const recent *r, uint32_t i, uint64_t stretch)
{
    return r->at[i].number > 0 && r->at[i].number + BUCKETS > stretch + 1 && r->at[i].number <= stretch + 1;
}

uint64_t recent_ticks(const recent *r, uint64_t width, uint64_t now)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BUCKETS; i++)
        sum += is_recent(r, i, now / width) ? r->at[i].ticks : 0;
    return sum;
}

uint64_t recent_count(const recent *r, uint64_t width, uint64_t now)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < BUCKETS; i++)
        sum += is_recent(r, i, now / width) ? r->at[i].count : 0;
    return sum;
}
