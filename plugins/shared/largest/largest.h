/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Keeps the largest of many items, in a heap with the smallest of them on top. */
#ifndef TCFLOW_LARGEST_LARGEST_H
#define TCFLOW_LARGEST_LARGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct item_order {
    size_t bytes; /* of an item */
    int (*is_larger)(const void *a, const void *b);
} item_order;

/* Puts x into a heap of *n items, of which it keeps the `most` largest. The heap has room for one more item, up to
 * `most`. Returns 1, or 0 when x is none of the largest. */
int largest_keep(void *heap, uint32_t *n, uint32_t most, const void *x, const item_order *order);

#endif
