/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A heap of locations by the times of their next events. Where a next event is not known yet, a lower bound of its time
 * takes its place, which only grows. So entries hold times that were right once: only the first one is looked at anew,
 * and sinks until it is right. */
#ifndef TCFLOW_CAUSALITY_NEXT_TIMES_H
#define TCFLOW_CAUSALITY_NEXT_TIMES_H

#include <stdint.h>

typedef struct next_time {
    uint64_t time;
    uint32_t location;
} next_time;

/* Of equal times that of the location comes first that is defined first. */
static inline int next_time_is_before(const next_time *a, const next_time *b)
{
    return a->time < b->time || (a->time == b->time && a->location < b->location);
}

/* Puts the first of n entries where its time belongs. */
static inline void next_time_sink(next_time *heap, uint32_t n)
{
    const next_time first = heap[0];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && next_time_is_before(&heap[child + 1], &heap[child]);
        if (!next_time_is_before(&heap[child], &first))
            break;
        heap[i] = heap[child];
    }
    heap[i] = first;
}

#endif
