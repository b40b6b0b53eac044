/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rows of reports from sums by pattern, location and call path: one row for each location or for all together, and for
 * each pattern only the first ones. */
#ifndef TCFLOW_WAITS_SUMS_H
#define TCFLOW_WAITS_SUMS_H

#include "../callpaths/paths.h"

/* What a sum belongs to; the first member of any sum. */
typedef struct sum_of {
    uint32_t pattern, location, callpath;
} sum_of;

/* Adds up n sums of `bytes` each over all locations, in place, and returns how many remain. Call paths with the same
 * names become one; location is 0. */
uint32_t sums_unite(void *sums, uint32_t n, size_t bytes, const struct paths *paths,
                    void (*add)(void *to, const void *from));
/* Calls row() for the first `top` sums of each pattern (0: all). The sums are ordered by pattern first. */
void sums_rows(const void *sums, uint32_t n, size_t bytes, uint64_t top, void (*row)(void *data, const void *sum),
               void *data);

#endif
