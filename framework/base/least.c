/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See least.h. */
#include "least.h"

#include <assert.h>
#include <stdlib.h>

enum { GROUP = 64 };

int least_init(least *l, uint32_t n)
{
    uint64_t members = 1; /* numbers in a group */

    *l = (least){.n = n, .value = calloc(n + 1u, sizeof *l->value)};
    int failed = !l->value;
    do {
        members *= GROUP;
        const uint32_t groups = (uint32_t)((n + members - 1) / members);
        least_group *at = calloc(groups + 1u, sizeof *at);
        for (uint32_t g = 0; at && g < groups; g++)
            at[g].first = (uint32_t)(g * members);
        failed |= !at;
        l->n_groups[l->levels] = groups;
        l->groups[l->levels++] = at;
    } while (members < n);
    return failed ? -1 : 0;
}

void least_free(least *l)
{
    free(l->value);
    for (uint32_t level = 0; level < l->levels; level++)
        free(l->groups[level]);
    *l = (least){0};
}

void least_raise(least *l, uint32_t k, uint64_t value)
{
    if (value <= l->value[k])
        return;
    l->value[k] = value;
    uint32_t g = k;
    for (uint32_t level = 0; level < l->levels; level++) {
        g /= GROUP;
        if (l->groups[level][g].first != k)
            return; /* nor is it the first of a group that has this one */
        l->groups[level][g].has_grown = 1;
    }
}

static uint32_t first_of(least *l, uint32_t level, uint32_t g)
{
    least_group *at = &l->groups[level][g];

    if (!at->has_grown)
        return at->first;
    const uint32_t n = level == 0 ? l->n : l->n_groups[level - 1], from = g * GROUP;
    const uint32_t to = n - from < GROUP ? n : from + GROUP;
    uint32_t first = UINT32_MAX;
    for (uint32_t k = from; k < to; k++) {
        const uint32_t other = level == 0 ? k : first_of(l, level - 1, k);
        if (first == UINT32_MAX || l->value[other] < l->value[first])
            first = other;
    }
    at->first = first;
    at->has_grown = 0;
    return first;
}

uint32_t least_first(least *l)
{
    assert(l->n > 0);
    return first_of(l, l->levels - 1, 0);
}
