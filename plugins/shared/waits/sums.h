/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of what was summed up by pattern, location and call path: a row for each, or for all locations together, and
 * of each pattern only those that lead. */
#ifndef TCFLOW_WAITS_SUMS_H
#define TCFLOW_WAITS_SUMS_H

#include "../callpaths/paths.h"

/* What a sum is of: its first member. */
typedef struct sum_of {
    uint32_t pattern, location, callpath;
} sum_of;

/* Makes of n sums of `bytes` each those of all locations together, in place; returns how many. Call paths with the same
 * names become one, location 0. */
uint32_t sums_unite(void *sums, uint32_t n, size_t bytes, const struct paths *paths,
                    void (*add)(void *to, const void *from));
/* n sums in an order that goes by pattern first: a row for each of the first `top` of a pattern (0: of all). */
void sums_rows(const void *sums, uint32_t n, size_t bytes, uint64_t top, void (*row)(void *data, const void *sum),
               void *data);

#endif
