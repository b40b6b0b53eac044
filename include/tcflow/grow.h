/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Arrays that grow by doubling, for filters and the framework.
 *
 *     struct pairs {
 *         pair *at;
 *         uint32_t n, capacity;       elements in use, and for how many there is room; all zero: empty
 *     };
 *
 *     if (TCF_GROW(&p->at, &p->capacity, p->n) != 0)
 *         ...out of memory, nothing has changed
 *     p->at[p->n++] = (pair){from, to};
 *     free(p->at);
 *
 * TCF_GROW(&array, &capacity, i) sees to it that array[i] is there, whether i is the next element or one further on.
 * The array is the caller's, from malloc() or NULL. It may move, so pointers into it don't last; what is new in it
 * isn't initialised (by TCF_GROW_ZEROED() it is 0). Out of memory counts, too, what no array can be: 2^32 - 1 elements
 * are the most, and bytes up to SIZE_MAX. Arrays never shrink: what grows with the length of a trace needs a cap of its
 * own. */
#ifndef TCFLOW_GROW_H
#define TCFLOW_GROW_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { TCF_GROW_FIRST = 16 /* elements that an array begins with */ };

/* A macro, so that the size is that of the elements, and a forgotten & doesn't compile. */
#define TCF_GROW(array, capacity, i) tcf_grow((array), (capacity), (i), sizeof **(array))

/* Not inline: once in a while. */
static __attribute__((noinline, unused)) int tcf_grow_to(void *array, uint32_t *capacity, uint64_t i, size_t bytes)
{
    uint64_t n = 2 * (uint64_t)*capacity;
    void *at;

    if (n < TCF_GROW_FIRST)
        n = TCF_GROW_FIRST;
    n = n < UINT32_MAX ? n : UINT32_MAX;
    if (i >= UINT32_MAX)
        return -1;
    n = i < n ? n : i + 1;
    if (n > SIZE_MAX / bytes)
        return -1;
    memcpy(&at, array, sizeof at);
    at = realloc(at, (size_t)n * bytes);
    if (!at)
        return -1;
    memcpy(array, &at, sizeof at);
    *capacity = (uint32_t)n;
    return 0;
}

/* Where only the size of the elements is known: array is the address of the pointer to the first of them. */
static inline int tcf_grow(void *array, uint32_t *capacity, uint64_t i, size_t bytes)
{
    return __builtin_expect(i < *capacity, 1) ? 0 : tcf_grow_to(array, capacity, i, bytes);
}

/* TCF_GROW() of an array in which all that is new is 0. */
#define TCF_GROW_ZEROED(array, capacity, i) tcf_grow_zeroed((array), (capacity), (i), sizeof **(array))

static inline int tcf_grow_zeroed(void *array, uint32_t *capacity, uint64_t i, size_t bytes)
{
    const uint32_t before = *capacity;
    char *at;

    if (tcf_grow(array, capacity, i, bytes) != 0)
        return -1;
    if (__builtin_expect(*capacity > before, 0)) {
        memcpy(&at, array, sizeof at);
        memset(at + before * bytes, 0, (*capacity - before) * bytes);
    }
    return 0;
}

#endif
