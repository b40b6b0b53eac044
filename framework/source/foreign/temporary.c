/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See temporary.h. */
#include "temporary.h"
#include "framework/base/error.h"

#include <errno.h>
#include <private/file_bytes.h>
#include <private/temporary_file.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tcf_status open_file(temporary *t)
{
    t->file = tcf_unnamed_file(tcf_temporary_folder());
    if (t->file < 0)
        return error_fail("no temporary file can be made in %s: %s (TMPDIR names another folder)",
                          tcf_temporary_folder(), strerror(errno));
    t->is_open = 1;
    return TCF_OK;
}

tcf_status temporary_write(temporary *t, const void *data, size_t bytes, uint64_t at)
{
    if (!t->is_open && open_file(t) != TCF_OK)
        return TCF_ERROR;
    if (tcf_write_at(t->file, at, data, bytes) != 0)
        return error_fail("a temporary file in %s cannot grow beyond %llu bytes: %s (TMPDIR names another folder)",
                          tcf_temporary_folder(), (unsigned long long)t->bytes, strerror(errno));
    if (at + bytes > t->bytes)
        t->bytes = at + bytes;
    return TCF_OK;
}

tcf_status temporary_append(temporary *t, const void *data, size_t bytes)
{
    return temporary_write(t, data, bytes, t->bytes);
}

tcf_status temporary_read(const temporary *t, void *data, size_t bytes, uint64_t at)
{
    const ssize_t n = tcf_read_at(t->file, at, data, bytes);

    if (n == (ssize_t)bytes)
        return TCF_OK;
    return error_fail("a temporary file in %s cannot be read: %s", tcf_temporary_folder(),
                      n < 0 ? strerror(errno) : "it has become shorter");
}

void temporary_close(temporary *t)
{
    if (t->is_open)
        close(t->file);
    *t = (temporary){0};
}
