/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Keeps the lines of many locations in one temporary file; see spool.h.
 *
 * `output` writes the text of a block in pieces. The block's header is written when the length of the text is known.
 * A block has the lines of a whole slice, so the two small writes for its header and chain cost little. */
#include "spool.h"

#include <errno.h>
#include <private/file_bytes.h>
#include <private/temporary_file.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct block {
    uint64_t next, length;
};

enum { COPY_BYTES = 64 * 1024 };

int spool_init(struct spool *s, uint32_t n_locations, const char *beside)
{
    const char *slash = beside ? strrchr(beside, '/') : NULL;
    *s = (struct spool){.folder = tcf_temporary_folder(), .end = sizeof(struct block)};
    if (beside) {
        size_t n = slash == beside ? 1 : slash ? (size_t)(slash - beside) : 0;
        if (!(s->own_folder = malloc(n + 2)))
            return s->error = ENOMEM, -1;
        snprintf(s->own_folder, n + 2, "%.*s", (int)(n > 0 ? n : 1), n > 0 ? beside : ".");
        s->folder = s->own_folder;
    }
    if (!(s->chains = calloc(n_locations + 1u, sizeof *s->chains)))
        return s->error = ENOMEM, -1;
    int fd = tcf_unnamed_file(s->folder);
    if (fd < 0)
        return s->error = errno, -1;
    if (output_init(&s->text, fd) != 0) {
        close(fd);
        return s->error = ENOMEM, -1;
    }
    return 0;
}

void spool_free(struct spool *s)
{
    if (s->text.buffer)
        close(s->text.fd);
    output_free(&s->text);
    free(s->chains);
    free(s->own_folder);
    s->chains = NULL;
    s->own_folder = NULL;
}

void spool_start(struct spool *s, uint32_t location)
{
    s->location = location;
    s->block = s->end;
    if (lseek(s->text.fd, (off_t)(s->block + sizeof(struct block)), SEEK_SET) < 0)
        s->error = errno;
    s->text.written = 0;
}

static int write_at(struct spool *s, const void *from, size_t n, uint64_t offset)
{
    if (tcf_write_at(s->text.fd, offset, from, n) == 0)
        return 0;
    s->error = errno;
    return -1;
}

int spool_finish(struct spool *s)
{
    struct spool_chain *c = &s->chains[s->location];
    s->text.at = output_flush(&s->text, s->text.at);
    if (s->text.error)
        s->error = s->text.error;
    const struct block header = {0, s->text.written};
    if (s->error || write_at(s, &header, sizeof header, s->block) != 0)
        return -1;
    if (c->last && write_at(s, &s->block, sizeof s->block, c->last + offsetof(struct block, next)) != 0)
        return -1;
    if (!c->first)
        c->first = s->block;
    c->last = s->block;
    s->end = s->block + sizeof header + header.length;
    return 0;
}

static int read_at(struct spool *s, void *to, size_t n, uint64_t offset)
{
    const ssize_t done = tcf_read_at(s->text.fd, offset, to, n);
    if (done == (ssize_t)n)
        return 0;
    s->error = done < 0 ? errno : EIO;
    return -1;
}

int spool_copy(struct spool *s, uint32_t location, struct output *to)
{
    char *buffer = malloc(COPY_BYTES);
    struct block header;
    if (!buffer)
        return s->error = ENOMEM, -1;
    for (uint64_t at = s->chains[location].first; at; at = header.next) {
        if (read_at(s, &header, sizeof header, at) != 0)
            break;
        uint64_t from = at + sizeof header, end = from + header.length;
        for (size_t n; from < end; from += n) {
            n = end - from < COPY_BYTES ? (size_t)(end - from) : COPY_BYTES;
            if (read_at(s, buffer, n, from) != 0)
                break;
            to->at = output_bytes(to, to->at, buffer, n);
        }
    }
    free(buffer);
    s->chains[location] = (struct spool_chain){0, 0};
    return s->error ? -1 : 0;
}
