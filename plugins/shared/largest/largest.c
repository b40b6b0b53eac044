/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See largest.h. */
#include "largest.h"

#include <string.h>

/* Moves items down from the end until x has its place above those that are larger. */
static uint32_t sift_up(char *heap, uint32_t last, const void *x, const item_order *order)
{
    const size_t bytes = order->bytes;
    uint32_t i = last;
    for (; i > 0 && order->is_larger(heap + (i - 1) / 2 * bytes, x); i = (i - 1) / 2)
        memcpy(heap + i * bytes, heap + (i - 1) / 2 * bytes, bytes);
    return i;
}

/* Moves items up from below the top, which x replaces. */
static uint32_t sift_down(char *heap, uint32_t n, const void *x, const item_order *order)
{
    const size_t bytes = order->bytes;
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && order->is_larger(heap + child * bytes, heap + (child + 1) * bytes))
            child++;
        if (!order->is_larger(x, heap + child * bytes))
            break;
        memcpy(heap + i * bytes, heap + child * bytes, bytes);
    }
    return i;
}

int largest_keep(void *heap, uint32_t *n, uint32_t most, const void *x, const item_order *order)
{
    uint32_t i;
    if (*n < most)
        i = sift_up(heap, (*n)++, x, order);
    else if (most > 0 && order->is_larger(x, heap))
        i = sift_down(heap, most, x, order);
    else
        return 0;
    memcpy((char *)heap + i * order->bytes, x, order->bytes);
    return 1;
}
