/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How a harness fails: its folder goes, its handler hears why, and the program ends. */
#define _GNU_SOURCE /* nftw(), asprintf() */
#include "internal.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *harness_new_folder(const char *name)
{
    const char *tmp = getenv("TMPDIR");
    char *folder;
    if (asprintf(&folder, "%s/%s.XXXXXX", tmp && *tmp ? tmp : "/tmp", name) < 0)
        return NULL;
    if (mkdtemp(folder))
        return folder;
    free(folder);
    return NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st, (void)type, (void)ftw;
    return remove(path);
}

void harness_remove_folder(const char *folder)
{
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

void harness_fail(const tcfh *h, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (h && h->folder)
        harness_remove_folder(h->folder);
    if (h && h->handler)
        h->handler(h->handler_data, text);
    fprintf(stderr, "harness: %s\n", text);
    exit(1);
}

void *harness_checked(const tcfh *h, void *p)
{
    if (!p)
        harness_fail(h, "out of memory");
    return p;
}

void *harness_bigger(const tcfh *h, void *p, size_t n, size_t *capacity, size_t bytes)
{
    if (n < *capacity)
        return p;
    *capacity = *capacity * 2 + 64;
    return harness_checked(h, realloc(p, *capacity * bytes));
}
