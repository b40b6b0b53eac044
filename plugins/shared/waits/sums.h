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

/* Tables of one kind of sums: by call path and location, and by call path. */
struct sum_tables {
    struct {
        const char *name, *title;
    } all, by_location;
    const tcf_table_column *columns; /* the second one is the location, which is only in the table by location */
    uint32_t n_columns;
    size_t bytes;                               /* of a sum */
    int (*order)(const void *a, const void *b); /* by pattern first */
    void (*add)(void *to, const void *from);    /* what has the same pattern and call path */
    void (*row)(struct paths *paths, tcf_table *t, const void *sum);
};

/* A table of n sums: a row for each of the first `top` of a pattern (0: of all). Without `by_location` the sums are
 * those of all locations together, in place, afterwards. */
void sums_report(const struct sum_tables *kind, struct paths *paths, void *sums, uint32_t n, int64_t top,
                 int by_location);

#endif
