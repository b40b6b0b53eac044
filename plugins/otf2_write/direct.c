/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The direct writer: event files and the definition files of locations, byte for byte as libotf2 writes them.
 *
 * A location costs an offset in its file. All locations share one buffer, whose bytes go to the file of the location
 * that they are of, when it is full or another location's turn comes; so a chunk is written in parts. Where many
 * locations take turns with few events each, the bytes of several turns wait for each other (waiting.h). A chunk's
 * header states the number of the last event, which is known when the chunk is full: it is written then, into the
 * buffer or into the file. Few files are open at a time. */
#define _GNU_SOURCE /* asprintf */
#include "encode.h"
#include "otf2_write.h"

#include <errno.h>
#include <fcntl.h>
#include <private/file_bytes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef DIRECT_ALL_WAITING /* of the locations of all domains together; fuzzing writes many small archives */
#define DIRECT_ALL_WAITING (112 << 20) /* bytes that wait */
#endif

enum {
    BUFFER_BYTES = 128 << 10,
    PIECE_BYTES = 2 * WAITING_MOST, /* of what has waited, in one piece, and what comes behind it */
    LAST_EVENT = 10                 /* where a chunk's header states it */
};

/* ---------------------------------------------------------------------------------------------------------- file -- */

static char *path_of(const tcf_self *self, uint32_t location)
{
    const struct state *state = self->state;
    unsigned long long id = tcf_location_at(self->defs, location)->id;
    char *path;

    return asprintf(&path, "%s/traces/%llu.%s", state->folder.name, id, state->files.suffix) < 0 ? NULL : path;
}

/* Fails for the reason that errno states. The archive stays as it is on the disk. */
static tcf_status not_written(const tcf_self *self, uint32_t location)
{
    const int reason = errno;
    char *path = path_of(self, location);

    ((struct state *)self->state)->broken = 1;
    self->host->fail(self, "location %llu (%s): '%s' cannot be written: %s",
                     (unsigned long long)tcf_location_at(self->defs, location)->id,
                     tcf_location_at(self->defs, location)->name, path ? path : "its file", strerror(reason));
    free(path);
    return TCF_ERROR;
}

static tcf_status out_of_memory(const tcf_self *self, uint64_t bytes)
{
    return self->host->fail(self, "out of memory for %llu bytes of an event file", (unsigned long long)bytes);
}

/* Writes bytes to a location's file. The file is created with its first byte. */
static tcf_status write_at(const tcf_self *self, uint32_t location, uint64_t offset, const uint8_t *bytes, uint64_t n)
{
    struct files *f = &((struct state *)self->state)->files;
    struct location *l = tcf_location_state(self, location);
    int fd = f->host->find(&f->handles, location, l->handle);

    if (fd < 0) {
        char *path = path_of(self, location);
        if (path == NULL) {
            errno = ENOMEM;
            return not_written(self, location);
        }
        fd = f->host->open(&f->handles, location, path, O_WRONLY | (offset == 0 ? O_CREAT | O_EXCL : 0), &l->handle);
        free(path);
        if (fd < 0)
            return not_written(self, location);
    }
    return tcf_write_at(fd, offset, bytes, n) == 0 ? TCF_OK : not_written(self, location);
}

/* -------------------------------------------------------------------------------------------------------- buffer -- */

/* Bytes of a location in the buffer. */
static uint64_t buffered(const struct files *f, uint32_t location)
{
    return location == f->location ? f->n : 0;
}

/* Where in its file stands what waits of a location. */
static uint64_t waits_from(const tcf_self *self, uint32_t location)
{
    const struct files *f = &((struct state *)self->state)->files;
    const struct location *l = tcf_location_state(self, location);

    return l->offset - buffered(f, location) - waiting_of(&f->waiting, location);
}

static tcf_status write_waiting(const tcf_self *self, uint32_t location)
{
    struct files *f = &((struct state *)self->state)->files;
    const uint64_t from = waits_from(self, location);

    return write_at(self, location, from, f->piece, waiting_take(&f->waiting, location, f->piece));
}

/* Writes what waits of the current location, and what is in the buffer. */
static tcf_status flush(const tcf_self *self)
{
    struct files *f = &((struct state *)self->state)->files;
    const uint32_t location = f->location;

    if (location == UINT32_MAX)
        return TCF_OK;
    const uint64_t from = waits_from(self, location), n = f->n, waited = waiting_take(&f->waiting, location, f->piece),
                   room = waited > 0 ? PIECE_BYTES - waited : 0, added = n < room ? n : room;
    f->n = 0;
    memcpy(f->piece + waited, f->bytes, added);
    if (waited > 0 && write_at(self, location, from, f->piece, waited + added) != TCF_OK)
        return TCF_ERROR;
    return n == added ? TCF_OK : write_at(self, location, from + waited + added, f->bytes + added, n - added);
}

/* How many bytes of a location wait at most: twice its share, so that there is mostly room for all, or what fits. */
static uint64_t most_waiting(const tcf_self *self)
{
    const uint64_t most = 2ull * DIRECT_ALL_WAITING / self->defs->n_locations;

    return most < WAITING_MOST ? most : WAITING_MOST;
}

/* Another location's turn comes: the bytes in the buffer wait from now on, unless they are many with those that do. */
static tcf_status put_aside(const tcf_self *self)
{
    struct files *f = &((struct state *)self->state)->files;

    if (f->n == 0)
        return TCF_OK;
    if (f->n + waiting_of(&f->waiting, f->location) > most_waiting(self))
        return flush(self);
    while (!waiting_has_room(&f->waiting, f->location, f->n))
        if (write_waiting(self, waiting_large(&f->waiting)) != TCF_OK)
            return TCF_ERROR;
    waiting_add(&f->waiting, f->location, f->bytes, f->n);
    f->n = 0;
    return TCF_OK;
}

/* Makes the buffer the location's. */
static tcf_status borrow(const tcf_self *self, uint32_t location)
{
    struct files *f = &((struct state *)self->state)->files;
    tcf_status status = f->location == location ? TCF_OK : put_aside(self);

    f->location = location;
    return status;
}

/* Makes room for `bytes` bytes. */
static tcf_status reserve(const tcf_self *self, uint64_t bytes)
{
    struct files *f = &((struct state *)self->state)->files;

    if (f->capacity - f->n >= bytes)
        return TCF_OK;
    if (flush(self) != TCF_OK)
        return TCF_ERROR;
    if (f->capacity >= bytes)
        return TCF_OK;
    uint8_t *larger = realloc(f->bytes, bytes + ENCODE_SLACK);
    if (larger == NULL)
        return out_of_memory(self, bytes);
    f->bytes = larger;
    f->capacity = bytes;
    return TCF_OK;
}

/* Counts what has been put into the buffer, up to `end`. */
static void advance(struct files *f, struct location *l, const uint8_t *end)
{
    uint64_t bytes = (uint64_t)(end - (f->bytes + f->n));
    f->n += bytes;
    l->offset += bytes;
}

/* -------------------------------------------------------------------------------------------------------- chunks -- */

/* Begins a chunk at the location's offset, whose first record has this number. */
static tcf_status begin_chunk(const tcf_self *self, struct location *l, uint64_t first)
{
    struct files *f = &((struct state *)self->state)->files;

    if (reserve(self, HEADER_BYTES) != TCF_OK)
        return TCF_ERROR;
    uint8_t *p = f->bytes + f->n;
    *p++ = CHUNK_HEADER;
    *p++ = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? LITTLE_ENDIAN_FILE : BIG_ENDIAN_FILE;
    p = put_full(p, first);
    advance(f, l, put_full(p, 0));
    return TCF_OK;
}

/* States the number of a chunk's last record in its header; at: where in the file the record ends. */
static tcf_status end_chunk(const tcf_self *self, const struct location *l, uint64_t at, uint64_t last)
{
    struct files *f = &((struct state *)self->state)->files;
    const uint64_t place = at / f->chunk * f->chunk + LAST_EVENT, in_buffer = l->offset - f->n,
                   waits = in_buffer - waiting_of(&f->waiting, f->location), end = place + sizeof last;

    if (place >= in_buffer)
        put_full(f->bytes + (place - in_buffer), last);
    else if (place >= waits && end <= in_buffer)
        waiting_replace(&f->waiting, f->location, place - waits, (const uint8_t *)&last, sizeof last);
    else if (end > waits && flush(self) != TCF_OK)
        return TCF_ERROR;
    else
        return write_at(self, f->location, place, (const uint8_t *)&last, sizeof last);
    return TCF_OK;
}

/* Bytes of the current chunk that are left. */
static uint64_t chunk_left(const struct files *f, const struct location *l)
{
    return f->chunk - l->offset % f->chunk;
}

/* Ends the current chunk with record `last` and begins the next one. What is left of the chunk is a hole in the file,
 * which reads as zeros. */
static tcf_status next_chunk(const tcf_self *self, struct location *l, uint64_t last)
{
    struct files *f = &((struct state *)self->state)->files;

    if (end_chunk(self, l, l->offset, last) != TCF_OK || flush(self) != TCF_OK)
        return TCF_ERROR;
    l->offset += chunk_left(f, l);
    return begin_chunk(self, l, last + 1);
}

static tcf_status begin_file(const tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);

    if (borrow(self, location) != TCF_OK)
        return TCF_ERROR;
    l->offset = 0;
    return begin_chunk(self, l, 1);
}

/* The second byte of the end mark stands behind the chunk where the records fill it. */
static tcf_status end_file(const tcf_self *self, uint32_t location, uint64_t last)
{
    struct files *f = &((struct state *)self->state)->files;
    struct location *l = tcf_location_state(self, location);

    if (borrow(self, location) != TCF_OK || reserve(self, 2) != TCF_OK)
        return TCF_ERROR;
    const uint64_t at = l->offset;
    uint8_t *p = f->bytes + f->n;
    *p++ = END_OF_FILE;
    *p++ = END_OF_BUFFER;
    advance(f, l, p);
    if (end_chunk(self, l, at, last) != TCF_OK || flush(self) != TCF_OK)
        return TCF_ERROR;
    return f->host->close(&f->handles, location, l->handle) == 0 ? TCF_OK : not_written(self, location);
}

/* -------------------------------------------------------------------------------------------------------- events -- */

static tcf_status close_location(const tcf_self *self, uint32_t location)
{
    return end_file(self, location, ((const struct location *)tcf_location_state(self, location))->events);
}

/* Encodes events from number `i` on, as far as chunk and buffer certainly have room. */
static uint32_t write_many(const tcf_self *self, struct location *l, const tcf_slice *s, uint32_t i)
{
    struct files *f = &((struct state *)self->state)->files;
    uint64_t chunk = chunk_left(f, l), room = f->capacity - f->n < chunk ? f->capacity - f->n : chunk;
    struct encoding e = {f->bytes + f->n, l->last_time};

    if (room <= PLAIN_RECORD_BYTES)
        return i;
    uint32_t next = encode_events(self->defs, s, i, &e, e.at + room);
    l->last_time = e.time;
    l->events += next - i;
    advance(f, l, e.at);
    return next;
}

/* Encodes event `i`, in the next chunk where it might not fit into this one: by the most bytes that it may take, as
 * libotf2 does it. */
static tcf_status write_one(const tcf_self *self, struct location *l, const tcf_slice *s, uint32_t i)
{
    struct files *f = &((struct state *)self->state)->files;
    const uint64_t most = encode_most(s, i) + TIMESTAMP_BYTES;

    if (most == TIMESTAMP_BYTES || s->time[i] < l->last_time)
        return event_not_written(self, s, i, l->last_time, "its kind isn't known");
    if (most >= chunk_left(f, l)) {
        if (next_chunk(self, l, l->events) != TCF_OK || reserve(self, TIMESTAMP_BYTES) != TCF_OK)
            return TCF_ERROR;
        advance(f, l, put_timestamp(f->bytes + f->n, s->time[i]));
        l->last_time = s->time[i];
        if (most >= chunk_left(f, l))
            return event_not_written(self, s, i, l->last_time, "it may be larger than a chunk; give 'chunk' more");
    }
    if (reserve(self, most) != TCF_OK)
        return TCF_ERROR;
    struct encoding e = {f->bytes + f->n, l->last_time};
    encode_event(self->defs, s, i, &e);
    l->last_time = e.time;
    l->events++;
    advance(f, l, e.at);
    return TCF_OK;
}

static tcf_status write_slice(const tcf_self *self, const tcf_slice *s)
{
    struct location *l = tcf_location_state(self, s->location);
    tcf_status status = borrow(self, s->location);

    for (uint32_t i = 0; status == TCF_OK && i < s->n;) {
        status = reserve(self, 2 * PLAIN_RECORD_BYTES);
        i = status == TCF_OK ? write_many(self, l, s, i) : i;
        if (status == TCF_OK && i < s->n)
            status = write_one(self, l, s, i++);
    }
    return status;
}

/* --------------------------------------------------------------------------------------------- local definitions -- */

static tcf_status write_clock_offset(const tcf_self *self, struct location *l, const tcf_clock_offset *o)
{
    enum { TYPE_AND_LENGTH = 2, MOST = TYPE_AND_LENGTH + 8 + 9 + 8 };
    struct files *f = &((struct state *)self->state)->files;
    uint8_t record[MOST + ENCODE_SLACK] = {CLOCK_OFFSET}, *p = put_full(record + TYPE_AND_LENGTH, o->time);

    p = put_significant(p, (uint64_t)o->offset);
    memcpy(p, &o->standard_deviation, sizeof o->standard_deviation);
    p += sizeof o->standard_deviation;
    uint64_t n = (uint64_t)(p - record);
    record[1] = (uint8_t)(n - TYPE_AND_LENGTH);
    if ((n >= chunk_left(f, l) && next_chunk(self, l, 0) != TCF_OK) || reserve(self, n) != TCF_OK)
        return TCF_ERROR;
    memcpy(f->bytes + f->n, record, n);
    advance(f, l, f->bytes + f->n + n);
    return TCF_OK;
}

static tcf_status write_clock_offsets(const tcf_self *self, uint32_t location, uint32_t n)
{
    struct location *l = tcf_location_state(self, location);
    const tcf_clock_offset *offsets = tcf_location_at(self->defs, location)->clock_offsets;
    tcf_status status = begin_file(self, location);

    for (uint32_t i = 0; i < n && status == TCF_OK; i++)
        status = write_clock_offset(self, l, &offsets[i]);
    return status == TCF_OK ? end_file(self, location, 0) : status;
}

/* The event files are complete, so buffer, handles and offsets are free for these. */
static tcf_status local_definitions(const tcf_self *self)
{
    struct files *f = &((struct state *)self->state)->files;
    tcf_status status = TCF_OK;

    f->suffix = "def";
    f->chunk = definition_chunk(self->defs);
    for (uint32_t i = 0; i < self->defs->n_locations && status == TCF_OK; i++)
        if (self->host->has(self, i))
            status = write_clock_offsets(self, i, n_clock_offsets(self, i));
    return status;
}

/* ------------------------------------------------------------------------------------------------- start and end -- */

static void stop(const tcf_self *self)
{
    struct files *f = &((struct state *)self->state)->files;

    f->host->close_all(&f->handles);
    free(f->bytes);
    free(f->piece);
    waiting_free(&f->waiting);
}

static tcf_status start(const tcf_self *self, uint64_t chunk)
{
    struct files *f = &((struct state *)self->state)->files;

    f->host = tcf_handles_host_of(self);
    f->chunk = chunk;
    f->suffix = "evt";
    f->location = UINT32_MAX;
    f->capacity = BUFFER_BYTES;
    f->bytes = malloc(BUFFER_BYTES + ENCODE_SLACK);
    f->piece = malloc(PIECE_BYTES);
    const uint32_t n = self->defs->n_locations, own = ((const struct state *)self->state)->n_own;
    /* No more than can wait: a large page more than that would be in memory in each domain. */
    const uint64_t share = n > 0 ? (uint64_t)DIRECT_ALL_WAITING * own / n : 0, most = (uint64_t)WAITING_MOST * own;
    const int failed = waiting_init(&f->waiting, n, share < most ? share : most);
    if (f->bytes && f->piece && !failed &&
        f->host->init(&f->handles, own, tcf_domains_host_of(self)->here(self), 1) == 0) /* the reader has the others */
        return TCF_OK;
    stop(self);
    return out_of_memory(self, BUFFER_BYTES);
}

const struct event_writer direct_writer = {.name = "direct",
                                           .is_parallel = 1,
                                           .start = start,
                                           .open = begin_file,
                                           .write = write_slice,
                                           .close = close_location,
                                           .local_definitions = local_definitions,
                                           .stop = stop};
