/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The places of a growing array whose elements come and go. A place that was given back is taken again first; its
 * element holds the number of the next free place meanwhile, so an element has at least 4 bytes.
 *
 *     place_list in_use = {0};
 *     uint32_t i = PLACES_TAKE(&array, &in_use);       TCF_NONE: out of memory; array[i] is not initialised
 *     PLACES_GIVE_BACK(array, &in_use, i);
 *     free(array); */
#ifndef TCFLOW_PLACES_PLACES_H
#define TCFLOW_PLACES_PLACES_H

#include <tcflow/filter.h>
#include <tcflow/grow.h>

/* All zero: none is taken. */
typedef struct place_list {
    uint32_t n, capacity; /* places that were taken at least once, and for how many there is memory */
    uint32_t free;        /* 1 + the first free place; 0: none */
} place_list;

#define PLACES_TAKE(array, p) places_take((array), *(array), (p), sizeof **(array))
#define PLACES_GIVE_BACK(array, p, i) places_give_back((array), (p), (i), sizeof *(array))

static inline uint32_t places_take(void *array, const void *elements, place_list *p, size_t bytes)
{
    if (p->free > 0) {
        const uint32_t i = p->free - 1;
        memcpy(&p->free, (const char *)elements + i * bytes, sizeof p->free);
        return i;
    }
    return tcf_grow(array, &p->capacity, p->n, bytes) == 0 ? p->n++ : TCF_NONE;
}

static inline void places_give_back(void *elements, place_list *p, uint32_t i, size_t bytes)
{
    memcpy((char *)elements + i * bytes, &p->free, sizeof p->free);
    p->free = i + 1;
}

#endif
