/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow (LD_PRELOAD): one allocation of the program or of a plugin fails, that with the number
 * FAILING (from 1 on); libraries have all memory. At the end the number of allocations goes to the file ALLOCATIONS. */
#define _GNU_SOURCE /* dladdr() */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

static unsigned long failing, count;
static const char *to;

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAILING");
    to = getenv("ALLOCATIONS");
    failing = number ? strtoul(number, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    FILE *out = to ? fopen(to, "w") : NULL;
    if (out) {
        fprintf(out, "%lu\n", count);
        fclose(out);
    }
}

static int fails(const void *caller)
{
    Dl_info in;
    if (!to || !dladdr(caller, &in) || !in.dli_fname)
        return 0;
    const char *slash = strrchr(in.dli_fname, '/'), *name = slash ? slash + 1 : in.dli_fname;
    if (strncmp(name, "tcflow", 6) != 0 && !strstr(in.dli_fname, "/plugins/"))
        return 0;
    if (++count != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

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

char *strdup(const char *text)
{
    if (fails(__builtin_return_address(0)))
        return NULL;
    char *copy = __libc_malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}
