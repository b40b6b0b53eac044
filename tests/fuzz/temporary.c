/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* For fuzzers, framework/source/foreign/temporary.h by memory: making a file and unlinking it takes longer than most
 * readers do for an input. Memory stays for the next file, unless it is much. One thread. */
#include "framework/source/foreign/temporary.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 8, ROOM_FIRST = 1 << 16, ROOM_KEPT = 1 << 20 };

static struct {
    unsigned char *at;
    size_t room;
    int is_open;
} files[FILES];

static tcf_status open_file(temporary *t)
{
    for (t->file = 0; files[t->file].is_open;)
        if (++t->file == FILES)
            abort();
    files[t->file].is_open = t->is_open = 1;
    return TCF_OK;
}

static tcf_status make_room(int file, size_t end)
{
    size_t room = files[file].room ? files[file].room : ROOM_FIRST;

    while (room < end)
        room *= 2;
    unsigned char *at = room > files[file].room ? realloc(files[file].at, room) : files[file].at;
    if (!at)
        return error_fail("out of memory for a temporary file");
    files[file].at = at;
    files[file].room = room;
    return TCF_OK;
}

tcf_status temporary_write(temporary *t, const void *data, size_t bytes, uint64_t at)
{
    if ((!t->is_open && open_file(t) != TCF_OK) || make_room(t->file, at + bytes) != TCF_OK)
        return TCF_ERROR;
    if (at > t->bytes) /* what a file has there */
        memset(files[t->file].at + t->bytes, 0, at - t->bytes);
    memcpy(files[t->file].at + at, data, bytes);
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
    if (bytes > 0 && (!t->is_open || at > t->bytes || bytes > t->bytes - at))
        return error_fail("a temporary file cannot be read: it has become shorter");
    if (bytes > 0)
        memcpy(data, files[t->file].at + at, bytes);
    return TCF_OK;
}

void temporary_close(temporary *t)
{
    if (t->is_open) {
        files[t->file].is_open = 0;
        if (files[t->file].room > ROOM_KEPT) {
            free(files[t->file].at);
            files[t->file].at = NULL;
            files[t->file].room = 0;
        }
    }
    *t = (temporary){0};
}
