/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Comparisons for qsort(), by several members:
 *
 *     return TCF_FIRST(TCF_ORDER(x->process, y->process), TCF_ORDER(y->ticks, x->ticks), TCF_ORDER(x->file, y->file));
 *
 * sorts by process; those of one process by ticks, most first; those of as many by file. */
#ifndef TCFLOW_ORDER_H
#define TCFLOW_ORDER_H

#include <stdlib.h>

/* -1, 0 or 1, for numbers of any type; each is evaluated twice. */
#define TCF_ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* The first of several comparisons that isn't 0; all are evaluated. */
#define TCF_FIRST(...) tcf_first((const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static inline int tcf_first(const int *sign, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (sign[i] != 0)
            return sign[i];
    return 0;
}

/* qsort(), which must not get NULL, for arrays that may be empty. */
static inline void tcf_sort(void *array, size_t n, size_t bytes, int (*comparison)(const void *, const void *))
{
    if (n > 0)
        qsort(array, n, bytes, comparison);
}

#endif
