/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See sums.h. */
#include "sums.h"

#include <string.h>
#include <tcflow/order.h>

static int by_callpath(const void *a, const void *b)
{
    const sum_of *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->pattern, y->pattern), TCF_ORDER(x->callpath, y->callpath),
                     TCF_ORDER(x->location, y->location));
}

/* Makes of n sums those of all locations together, in place; returns how many. Call paths with the same names become
 * one, location 0. */
static uint32_t unite(const struct sum_tables *kind, const struct paths *paths, char *at, uint32_t n)
{
    const size_t bytes = kind->bytes;
    uint32_t united = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum_of *x = (sum_of *)(at + i * bytes);
        x->callpath = paths->same[x->callpath];
    }
    tcf_sort(at, n, bytes, by_callpath);
    for (uint32_t i = 0; i < n; i++) {
        const sum_of *x = (const sum_of *)(at + i * bytes);
        sum_of *last = united > 0 ? (sum_of *)(at + (united - 1) * bytes) : NULL;
        if (last && last->pattern == x->pattern && last->callpath == x->callpath) {
            kind->add(last, x);
            continue;
        }
        sum_of *next = (sum_of *)(at + united++ * bytes);
        memmove(next, x, bytes);
        next->location = 0;
    }
    return united;
}

void sums_report(const struct sum_tables *kind, struct paths *paths, void *sums, uint32_t n, int64_t top,
                 int by_location)
{
    enum { MOST_COLUMNS = 16 };
    tcf_table_column columns[MOST_COLUMNS];
    uint32_t first = 0, n_columns = 0;
    for (uint32_t i = 0; i < kind->n_columns; i++)
        if (i != 1 || by_location)
            columns[n_columns++] = kind->columns[i];
    if (!by_location)
        n = unite(kind, paths, sums, n);
    tcf_sort(sums, n, kind->bytes, kind->order);
    tcf_table *t =
        paths->self->host->table(paths->self, by_location ? kind->by_location.name : kind->all.name,
                                 by_location ? kind->by_location.title : kind->all.title, columns, n_columns);
    for (uint32_t i = 0; i < n; i++) {
        const sum_of *x = (const sum_of *)((const char *)sums + i * kind->bytes);
        if (x->pattern != ((const sum_of *)((const char *)sums + first * kind->bytes))->pattern)
            first = i;
        if (top == 0 || i - first < top)
            kind->row(paths, t, x);
    }
}
