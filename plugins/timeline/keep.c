/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline: the longest items of a set, of which there is room for so many only. */
#include "timeline.h"

#include <tcflow/order.h>

#include <stdlib.h>

/* Is a to be kept rather than b? The longer one, the earlier one of equals, then by order and bytes. */
static int is_longer(const item *a, const item *b)
{
    if (a->length != b->length)
        return a->length > b->length;
    if (a->begin != b->begin)
        return a->begin < b->begin;
    return a->order != b->order ? a->order < b->order : a->bytes > b->bytes;
}

static int grow(items *set, uint64_t most)
{
    uint64_t capacity = set->capacity ? 2ull * set->capacity : 64;
    capacity = capacity < most ? capacity : most;
    item *grown = realloc(set->at, capacity * sizeof *grown);
    if (!grown)
        return -1;
    set->at = grown;
    set->capacity = (uint32_t)capacity;
    return 0;
}

static uint32_t sift_up(items *set, const item *x)
{
    uint32_t i = set->n++;
    for (; i > 0 && is_longer(&set->at[(i - 1) / 2], x); i = (i - 1) / 2)
        set->at[i] = set->at[(i - 1) / 2];
    return i;
}

static uint32_t sift_down(items *set, const item *x)
{
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < set->n; i = child) {
        if (child + 1 < set->n && is_longer(&set->at[child], &set->at[child + 1]))
            child++;
        if (!is_longer(x, &set->at[child]))
            break;
        set->at[i] = set->at[child];
    }
    return i;
}

int keep(items *set, uint64_t most, const item *x)
{
    if (set->n == most) {
        set->dropped++;
        if (is_longer(x, &set->at[0]))
            set->at[sift_down(set, x)] = *x;
        return 0;
    }
    if (set->n == set->capacity && grow(set, most) != 0)
        return -1;
    set->at[sift_up(set, x)] = *x;
    return 0;
}

static int by_begin(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->begin, y->begin), TCF_ORDER(x->order, y->order), TCF_ORDER(x->end, y->end),
                     TCF_ORDER(x->bytes, y->bytes));
}

void sort_items(items *set)
{
    tcf_sort(set->at, set->n, sizeof *set->at, by_begin);
}
