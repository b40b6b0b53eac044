/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* hpctoolkit: bytes of a database's files. Each offset and length in them is checked before it is used. */
#define _GNU_SOURCE /* asprintf() */
#include "hpctoolkit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <private/file_bytes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tcflow/grow.h>
#include <unistd.h>

enum { HEAD_BYTES = 16, MAJOR = 4, TEXT_MOST = 1 << 20 };

tcf_status db_fail(const db_file *f, uint64_t at, const char *what)
{
    return f->self->host->fail(f->self, "%s, byte %" PRIu64 ": %s", f->name, at, what);
}

tcf_status db_check(const db_file *f, uint64_t at, uint64_t bytes, const char *what)
{
    if (at <= f->size && bytes <= f->size - at)
        return TCF_OK;
    return f->self->host->fail(f->self,
                               "%s: %s: %" PRIu64 " bytes at byte %" PRIu64
                               " reach beyond the file's end, which is at %" PRIu64,
                               f->name, what, bytes, at, f->size);
}

static tcf_status fill_window(db_file *f, uint64_t at)
{
    const ssize_t n = tcf_read_at(f->file, at, f->window, FILES_WINDOW);

    f->window_at = at;
    f->window_n = n < 0 ? 0 : (size_t)n;
    if (n < 0)
        return f->self->host->fail(f->self, "%s, byte %" PRIu64 ": %s", f->name, at, strerror(errno));
    return TCF_OK;
}

const unsigned char *db_bytes(db_file *f, uint64_t at, size_t n, const char *what)
{
    if (at >= f->window_at && at - f->window_at <= f->window_n && n <= f->window_n - (at - f->window_at))
        return f->window + (at - f->window_at);
    if (db_check(f, at, n, what) != TCF_OK || fill_window(f, at) != TCF_OK)
        return NULL;
    if (n <= f->window_n)
        return f->window;
    db_fail(f, at, "the file has become shorter while it is read");
    return NULL;
}

tcf_status db_text(db_file *f, uint64_t at, char **text, uint32_t *room)
{
    for (uint32_t n = 0; n < TEXT_MOST; n++) {
        const unsigned char *c = db_bytes(f, at + n, 1, "a name");
        if (!c)
            return TCF_ERROR;
        const char byte = (char)*c;
        if (TCF_GROW(text, room, n) != 0)
            return f->self->host->fail(f->self, "out of memory for names");
        (*text)[n] = byte;
        if (byte == '\0')
            return TCF_OK;
    }
    return db_fail(f, at, "a name of more than 1 MiB");
}

/* ------------------------------------------------------------------------------------------------------- the file --
 */

static tcf_status check_head(db_file *f, const char *kind, const char *end)
{
    const size_t n_end = strlen(end);
    const unsigned char *head = db_bytes(f, 0, HEAD_BYTES, "the head");

    if (!head)
        return TCF_ERROR;
    if (memcmp(head, "HPCTOOLKIT", 10) != 0 || memcmp(head + 10, kind, 4) != 0)
        return f->self->host->fail(f->self, "%s does not begin with HPCTOOLKIT%s", f->name, kind);
    if (head[14] != MAJOR)
        return f->self->host->fail(f->self, "%s is of version %d.%d; this reader knows version %d", f->name, head[14],
                                   head[15], (int)MAJOR);
    const unsigned char *last = f->size < n_end ? NULL : db_bytes(f, f->size - n_end, n_end, "the end");
    if (!last || memcmp(last, end, n_end) != 0)
        return f->self->host->fail(f->self, "%s does not end with %s; was it cut?", f->name, end);
    return TCF_OK;
}

tcf_status db_open(tcf_reader *self, db_file *f, const char *name, const char *kind, const char *end)
{
    const state *st = self->state;
    struct stat about;
    char *path = NULL;

    *f = (db_file){.self = self, .name = name, .window = malloc(FILES_WINDOW)};
    if (!f->window || asprintf(&path, "%s/%s", st->folder, name) < 0)
        return self->host->fail(self, "out of memory");
    f->file = open(path, O_RDONLY | O_CLOEXEC);
    f->is_open = f->file >= 0;
    free(path);
    if (!f->is_open || fstat(f->file, &about) != 0)
        return self->host->fail(self, "%s cannot be opened: %s%s", name, strerror(errno),
                                strcmp(kind, "trce") == 0 ? "; was the run measured without traces (hpcrun -t)?" : "");
    if (!S_ISREG(about.st_mode))
        return self->host->fail(self, "%s is no file", name);
    f->size = (uint64_t)about.st_size;
    return check_head(f, kind, end);
}

void db_close(db_file *f)
{
    if (f->is_open)
        close(f->file);
    free(f->window);
    *f = (db_file){.file = -1};
}
