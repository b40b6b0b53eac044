/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A growing array with an element for each key, a pair of numbers.
 *
 *     keyed by = {0};
 *     uint32_t i = KEYED_FIND(&array, &by, a, b);      TCF_NONE: out of memory
 *     array[i]...                                      the element; of a new key it is the last one, and all zero
 *     by.index.n                                       the number of elements
 *     keyed_free(array, &by); */
#ifndef TCFLOW_PLACES_KEYED_H
#define TCFLOW_PLACES_KEYED_H

#include <tcflow/filter.h>
#include <tcflow/grow.h>
#include <tcflow/map.h>

/* All zero: empty. */
typedef struct keyed {
    tcf_map index; /* key -> element */
    uint32_t capacity;
} keyed;

#define KEYED_FIND(array, by, a, b) keyed_find((array), (by), (a), (b), sizeof **(array))

static inline uint32_t keyed_find(void *array, keyed *by, uint64_t a, uint64_t b, size_t bytes)
{
    const uint32_t found = tcf_map_get(&by->index, a, b), n = by->index.n;
    char *elements;
    if (found != TCF_MAP_ABSENT)
        return found;
    if (tcf_grow(array, &by->capacity, n, bytes) != 0 || tcf_map_put(&by->index, a, b, n) != 0)
        return TCF_NONE;
    memcpy(&elements, array, sizeof elements);
    memset(elements + n * bytes, 0, bytes);
    return n;
}

static inline void keyed_free(void *array, keyed *by)
{
    free(array);
    tcf_map_free(&by->index);
    by->capacity = 0;
}

#endif
