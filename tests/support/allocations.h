/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The C library's allocations, of which the one fails of which `fails(caller)`, which whoever includes this has
 * defined, says so. */
#ifndef TCFLOW_TESTS_ALLOCATIONS_H
#define TCFLOW_TESTS_ALLOCATIONS_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, bytes);
}

void *realloc(void *p, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **memory, size_t alignment, size_t bytes)
{
    void *p = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);

    if (p)
        *memory = p;
    return p ? 0 : ENOMEM;
}

char *strdup(const char *text)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    char *copy = __libc_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

#endif
