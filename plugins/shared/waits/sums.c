/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See sums.h. */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

static int by_callpath(const void *a, const void *b)
{
    const sum_of *x = a, *y = b;
    if (x->pattern != y->pattern)
        return x->pattern < y->pattern ? -1 : 1;
    if (x->callpath != y->callpath)
        return x->callpath < y->callpath ? -1 : 1;
    return x->location < y->location ? -1 : x->location > y->location;
}

uint32_t sums_unite(void *sums, uint32_t n, size_t bytes, const struct paths *paths,
                    void (*add)(void *to, const void *from))
{
    char *const at = sums;
    uint32_t united = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum_of *x = (sum_of *)(at + i * bytes);
        x->callpath = paths->same[x->callpath];
    }
    if (n > 0)
        qsort(sums, n, bytes, by_callpath);
    for (uint32_t i = 0; i < n; i++) {
        const sum_of *x = (const sum_of *)(at + i * bytes);
        sum_of *last = united > 0 ? (sum_of *)(at + (united - 1) * bytes) : NULL;
        if (last && last->pattern == x->pattern && last->callpath == x->callpath) {
            add(last, x);
            continue;
        }
        sum_of *next = (sum_of *)(at + united++ * bytes);
        memmove(next, x, bytes);
        next->location = 0;
    }
    return united;
}

void sums_rows(const void *sums, uint32_t n, size_t bytes, uint64_t top, void (*row)(void *data, const void *sum),
               void *data)
{
    const char *const at = sums;
    uint32_t pattern = 0, first = 0;
    for (uint32_t i = 0; i < n; i++) {
        const sum_of *x = (const sum_of *)(at + i * bytes);
        if (i == 0 || x->pattern != pattern) {
            pattern = x->pattern;
            first = i;
        }
        if (top == 0 || i - first < top)
            row(data, x);
    }
}
