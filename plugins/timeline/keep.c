/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline: keeps the longest items of a set, up to a cap. */
#include "timeline.h"

#include "../shared/largest/largest.h"
#include <tcflow/grow.h>
#include <tcflow/order.h>

/* Is the first item kept rather than the second? It is if it is longer; of equal lengths, if it begins earlier, then
 * if it has the smaller `order`, then if it has more bytes. */
static int is_longer(const void *x, const void *y)
{
    const item *a = x, *b = y;
    return TCF_FIRST(TCF_ORDER(a->length, b->length), TCF_ORDER(b->begin, a->begin), TCF_ORDER(b->order, a->order),
                     TCF_ORDER(a->bytes, b->bytes)) > 0;
}

int keep(items *set, uint32_t most, const item *x)
{
    if (set->n < most && TCF_GROW(&set->at, &set->capacity, set->n) != 0)
        return -1;
    set->dropped += set->n == most;
    largest_keep(set->at, &set->n, most, x, &(item_order){sizeof *x, is_longer});
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
