/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Frames of a stream: the list of free ones, the errors for bad ones, and the texts in them. */
#include "framework/base/error.h"
#include "stream_internal.h"

void stream_release_frame(stream_source *src, frame *f)
{
    f->next = src->free_frames;
    src->free_frames = f;
}

void stream_free_frames(frame *f)
{
    for (frame *next; f; f = next) {
        next = f->next;
        free(f->bytes);
        free(f->kinds);
        free(f->last_number);
        free(f);
    }
}

tcf_status stream_bad(const stream_source *src, const frame *f, const char *what)
{
    return error_fail("frame %llu of %s has %s; its checksum is right, so the program that wrote it is at fault",
                      (unsigned long long)f->number, src->input.name, what);
}

tcf_status stream_whole(const stream_source *src, const frame *f, const tcf_cursor *c)
{
    return c->bad || tcf_left(c) > 0 ? stream_bad(src, f, "something that cannot be in a frame of its type") : TCF_OK;
}

const char *stream_text(tcf_cursor *c, size_t *n)
{
    uint64_t bytes = tcf_get_varint(c);
    const uint8_t *text = tcf_get_bytes(c, bytes);

    *n = 0;
    if (!text || memchr(text, 0, bytes)) {
        c->bad = 1;
        return NULL;
    }
    *n = bytes;
    return (const char *)text;
}

const char *stream_keep_text(definitions *d, tcf_cursor *c)
{
    size_t n;
    const char *text = stream_text(c, &n);
    char *copy = text ? definitions_memory(d, n + 1) : NULL;

    if (copy && n > 0)
        memcpy(copy, text, n);
    return copy; /* its memory is zeroed, so the text ends */
}

void *stream_scratch_room(stream_scratch *m, size_t bytes)
{
    m->used = (m->used + 7) & ~(size_t)7;
    void *room = m->at + m->used;
    m->used += bytes;
    return room;
}

const char *stream_scratch_text(tcf_cursor *c, stream_scratch *m)
{
    size_t n;
    const char *text = stream_text(c, &n);
    char *copy = stream_scratch_room(m, n + 1);

    if (n > 0)
        memcpy(copy, text, n);
    copy[n] = '\0';
    return copy;
}
