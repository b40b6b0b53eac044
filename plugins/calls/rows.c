/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* calls: keeps rows. Blocks of rows are appended to a temporary file without a name; each states the place of the next
 * one of its location, which is filled in when that one is written. */
#define _GNU_SOURCE
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <private/file_bytes.h>
#include <private/temporary_file.h>
#include <stdio.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 256 << 10,
    MEMORY = 32 << 20, /* of all locations; a block has at least LEAST_ROWS */
    LEAST_ROWS = 4,
    MOST_ROWS = 256
};

typedef struct block {
    uint64_t next; /* place of the location's next block, + 1; 0: none */
    uint64_t n;
} block;

static tcf_status failed(const tcf_self *self, int error)
{
    return self->host->fail(self, "a temporary file in %s: %s (TMPDIR names another folder)", tcf_temporary_folder(),
                            strerror(error));
}

tcf_status rows_start(tcf_self *self)
{
    state *st = self->state;
    const uint64_t rows = MEMORY / sizeof(row) / (self->defs->n_locations + 1u);

    st->rows_of_block = rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : (uint32_t)rows;
    st->rows.file = tcf_unnamed_file(tcf_temporary_folder());
    if (st->rows.file < 0)
        return failed(self, errno);
    st->rows.buffer = malloc(BUFFER_BYTES);
    return st->rows.buffer ? TCF_OK : self->host->fail(self, "out of memory for the rows");
}

static tcf_status write_at(tcf_self *self, const void *data, uint64_t bytes, uint64_t at)
{
    const state *st = self->state;
    return tcf_write_at(st->rows.file, at, data, bytes) == 0 ? TCF_OK : failed(self, errno);
}

/* Bytes that are in the file. */
static uint64_t flushed(const state *st)
{
    return st->rows.end - st->rows.n_used;
}

static tcf_status flush(tcf_self *self)
{
    state *st = self->state;
    const tcf_status status = write_at(self, st->rows.buffer, st->rows.n_used, flushed(st));

    st->rows.n_used = 0;
    return status;
}

static tcf_status append(tcf_self *self, const void *data, size_t bytes)
{
    state *st = self->state;

    if (st->rows.n_used + bytes > BUFFER_BYTES && flush(self) != TCF_OK)
        return TCF_ERROR;
    memcpy(st->rows.buffer + st->rows.n_used, data, bytes);
    st->rows.n_used += bytes;
    st->rows.end += bytes;
    return TCF_OK;
}

/* Fills in where the block behind the one at `at` stands. */
static tcf_status link_block(tcf_self *self, uint64_t at, uint64_t next)
{
    const state *st = self->state;

    if (at < flushed(st))
        return write_at(self, &next, sizeof next, at);
    memcpy(st->rows.buffer + (at - flushed(st)), &next, sizeof next);
    return TCF_OK;
}

static tcf_status write_block(tcf_self *self, place *p)
{
    const state *st = self->state;
    const block b = {0, p->n_rows};
    const uint64_t here = st->rows.end + 1;

    if (!p->first_block)
        p->first_block = here;
    else if (link_block(self, p->last_block - 1, here) != TCF_OK)
        return TCF_ERROR;
    p->last_block = here;
    p->n_rows = 0;
    return append(self, &b, sizeof b) == TCF_OK ? append(self, p->rows, b.n * sizeof *p->rows) : TCF_ERROR;
}

tcf_status rows_add(tcf_self *self, uint32_t location, const row *r)
{
    state *st = self->state;
    place *p = place_of(self, location);

    if (!p->rows && !(p->rows = malloc(st->rows_of_block * sizeof *p->rows)))
        return self->host->fail(self, "out of memory for the rows of a location");
    p->rows[p->n_rows++] = *r;
    st->n_rows++;
    return p->n_rows == st->rows_of_block ? write_block(self, p) : TCF_OK;
}

static tcf_status read_at(const tcf_self *self, void *data, size_t bytes, uint64_t at)
{
    const state *st = self->state;
    const ssize_t n = tcf_read_at(st->rows.file, at, data, bytes);

    return n == (ssize_t)bytes ? TCF_OK : failed(self, n < 0 ? errno : EIO);
}

tcf_status rows_each(tcf_self *self, uint32_t location, tcf_status (*each)(void *data, const row *r), void *data)
{
    place *p = place_of(self, location);
    tcf_status status = TCF_OK;
    block b;

    if (!p->rows)
        return TCF_OK;
    if (p->n_rows > 0)
        status = write_block(self, p);
    if (status == TCF_OK)
        status = flush(self);
    for (uint64_t at = p->first_block; at && status == TCF_OK; at = b.next) {
        status = read_at(self, &b, sizeof b, at - 1);
        if (status == TCF_OK)
            status = read_at(self, p->rows, b.n * sizeof *p->rows, at - 1 + sizeof b);
        for (uint64_t i = 0; status == TCF_OK && i < b.n; i++)
            status = each(data, &p->rows[i]);
    }
    free(p->rows);
    p->rows = NULL;
    return status;
}

void rows_free(tcf_self *self)
{
    state *st = self->state;

    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        free(place_of(self, l)->rows);
    free(st->rows.buffer);
    if (st->rows.buffer || st->rows.file > 0)
        close(st->rows.file);
}

const char *calls_name(const tcf_self *self, uint64_t what, char scratch[64])
{
    const uint32_t region = call_region(self->defs, what);
    const char *name = region < self->defs->n_regions ? tcf_region_at(self->defs, region)->name : NULL;

    if (name && *name)
        return name;
    if (region == TCF_NONE)
        return "(undefined)";
    snprintf(scratch, 64, "REGION %" PRIu64, tcf_id(self->defs, TCF_REF_REGION, region, UINT64_MAX));
    return scratch;
}

uint64_t calls_partner(const tcf_self *self, const row *r)
{
    const conf *c = self->conf;

    return c->max_calls > 0 && r->partner_call >= (uint64_t)c->max_calls ? UNKNOWN : r->partner_call;
}
