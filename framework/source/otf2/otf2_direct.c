/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The direct reader: event files are read with pread() and decoded by otf2_events.c.
 *
 * A location costs an offset in its file and the time of its last record. All locations share a buffer, which a core's
 * cache keeps: so many bytes are read into it as a slice presumably needs. More would be lost, for other locations are
 * read before this one again. Each of many locations has a buffer of its own besides, a window: it is read for several
 * short slices at once, and has what was read for a long one and is left of it; bytes take less memory than the events
 * that are decoded of them. For that, too, slices of many locations end in front of the begin of a collective
 * operation, at whose end each location waits for all others. */
#define _GNU_SOURCE /* O_NOATIME */
#include "framework/base/error.h"
#include "framework/base/large_pages.h"
#include "otf2_bytes.h"
#include "otf2_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum {
    LEAST_BYTES = 4096,
    MOST_BYTES = 128 << 10, /* at once, where it isn't known that more are needed; fits into a core's cache */
    RESERVE_BYTES = 512,    /* behind the events that a slice presumably needs */
    MANY_LOCATIONS = 128,   /* so that what is decoded of all of them fills a core's cache */
    LEAST_EVENTS = 64,      /* of a slice that ends in front of a collective operation */
    RECORD_BYTES = 16,      /* of an event, as long as nothing is known of a location */
    END_BYTES = 64,         /* suffice to look at the end of a chunk */
    MORE_BYTES = 1024,      /* at least, behind a record that isn't complete */
    /* Of the windows of all locations, and of one. */
    WINDOWS_BYTES = 48 << 20,
    LEAST_WINDOW = 2048,
    MOST_WINDOW = 16 << 10
};

/* Makes room in the buffer for `bytes` bytes behind the first `kept`, and the slack. */
static tcf_status grow_buffer(event_buffer *b, uint64_t kept, uint64_t bytes)
{
    if (b->capacity >= bytes)
        return TCF_OK;
    uint64_t capacity = bytes + bytes / 4;
    uint8_t *larger = malloc(capacity + EVENT_SLACK);
    if (larger == NULL)
        return error_fail("out of memory for %llu bytes of an event file", (unsigned long long)bytes);
    if (kept > 0)
        memcpy(larger, b->bytes + b->start, kept);
    free(b->bytes);
    b->bytes = larger;
    b->capacity = capacity;
    b->start = 0;
    return TCF_OK;
}

static int has_many_locations(const otf2_source *src)
{
    return !src->options.sequential && src->defs->v.n_locations >= MANY_LOCATIONS;
}

int otf2_direct_end_at_operations(otf2_source *src, int on)
{
    src->decoder.least = on && has_many_locations(src) ? LEAST_EVENTS : 0;
    return src->decoder.least > 0;
}

slice_size otf2_direct_next_size(const otf2_location *l)
{
    return l->state == LOCATION_UNOPENED ? SLICE_FEW : (slice_size)l->next_size;
}

/* How many bytes of its file a location may have in memory; 0: none of its own. */
static uint64_t window_capacity(const otf2_source *src)
{
    if (!has_many_locations(src))
        return 0;
    const uint64_t share = WINDOWS_BYTES / src->defs->v.n_locations / 1024 * 1024,
                   capacity = share < MOST_WINDOW ? share : MOST_WINDOW;
    return capacity < LEAST_WINDOW ? 0 : capacity;
}

/* Of a window in memory, with what is known of it. */
static uint64_t window_bytes(const otf2_source *src)
{
    enum { LINE = 64 };
    return (sizeof(event_buffer) + window_capacity(src) + EVENT_SLACK + LINE - 1) / LINE * LINE;
}

/* Windows of all locations share large pages, for each is left for long, and would cost misses in the TLB besides.
 * Without memory for them locations have none. */
static void make_windows(otf2_source *src)
{
    if (window_capacity(src) == 0)
        return;
    src->windows_bytes = window_bytes(src) * src->defs->v.n_locations;
    src->windows = large_pages_alloc(src->windows_bytes);
    if (src->windows)
        large_pages_want(src->windows, src->windows_bytes);
}

/* Files are opened when their events are read. */
static tcf_status open_reader(otf2_source *src)
{
    if (!src->whole && !src->options.sequential) {
        make_windows(src);
        src->ahead = otf2_ahead_new(src);
    }
    src->reads_at_once = src->ahead != NULL;
    return TCF_OK;
}

static void close_reader(otf2_source *src)
{
    if (!src->whole) {
        otf2_ahead_delete(src->ahead);
        large_pages_free(src->windows, src->windows_bytes);
    }
    handles_close_all(&src->handles);
    free(src->buffer.bytes);
}

static void close_location(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    l->window = NULL;
    handles_close(&src->handles, location, l->handle);
}

static tcf_status keep_wanted(otf2_source *src, const source_wanted *wanted)
{
    src->decoder.wanted = wanted ? src->wanted.kinds : NULL;
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- buffer -- */

/* Opens the event file of a location, without noting when it was read: that takes time with each read. Only the owner
 * may do so. */
static int open_events(otf2_source *src, uint32_t location, const char *path)
{
    otf2_location *l = &src->locations[location];

#ifdef O_NOATIME
    if (!src->is_foreign) {
        const int fd = handles_open(&src->handles, location, path, O_RDONLY | O_NOATIME, &l->handle);
        if (fd >= 0 || errno != EPERM)
            return fd;
        src->is_foreign = 1;
    }
#endif
    return handles_open(&src->handles, location, path, O_RDONLY, &l->handle);
}

static int handle_of(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];
    char path[OTF2_PATH_BYTES];
    int fd = handles_find(&src->handles, location, l->handle);

    if (fd >= 0)
        return fd;
    if (!src->handles.files &&
        handles_init(&src->handles, src->defs->v.n_locations, src->file_shares, src->options.is_copied ? 7 : 8) != 0) {
        error_fail("out of memory for %u locations", src->defs->v.n_locations);
        return -1;
    }
    otf2_event_path(src, location, path);
    fd = open_events(src, location, path);
    if (fd < 0)
        error_fail("cannot open '%s': %s", path, strerror(errno));
    else
        event_file_goes_on(fd);
    return fd;
}

/* Offset of the end of the current chunk. */
static uint64_t chunk_end(const otf2_location *l)
{
    uint64_t end = l->chunk * l->file.chunk_bytes;
    return end < l->file.size ? end : l->file.size;
}

/* Bytes that `events` further events of the location presumably take. */
static uint64_t expected_bytes(const otf2_location *l, uint32_t events)
{
    double each = l->events > 0 ? (double)l->offset / (double)l->events : RECORD_BYTES;
    double bytes = each * events * 1.0625;

    return bytes < 8 * MOST_BYTES ? (uint64_t)bytes : 8 * MOST_BYTES;
}

/* A collective operation has ended a slice. Of runs that differ the long ones are remembered. */
static void note_operation(event_buffer *window, uint64_t offset)
{
    const uint64_t run = offset - window->operation, before = window->run - window->run / 4;

    window->run = (uint32_t)(run > UINT32_MAX ? 0 : run > before ? run : before);
    window->operation = offset;
}

/* At most so many bytes are of use: those in front of the next collective operation, and of those behind it what the
 * window keeps. */
static uint64_t useful_bytes(const otf2_location *l)
{
    const event_buffer *window = l->window;
    const uint64_t run = window ? (uint64_t)window->run + window->run / 16 : 0,
                   passed = window ? l->offset - window->operation : 0;

    return passed < run ? run - passed + window->capacity : UINT64_MAX;
}

/* Reads bytes of a location's file. Where some of them have to come from the disk, so will further ones. */
static uint64_t read_file(otf2_source *src, uint32_t location, int fd, uint64_t offset, uint8_t *to, uint64_t bytes)
{
    int waits = 0;
    uint64_t n = src->reads_at_once ? otf2_pread_at_once(fd, offset, to, bytes, &waits) : 0;

    src->reads_at_once = src->reads_at_once && waits >= 0;
    src->is_cold = src->is_cold || waits > 0;
    if (n < bytes)
        n += otf2_pread(fd, offset + n, to + n, bytes - n);
    if (src->is_cold && src->ahead)
        otf2_ahead_wish(src->ahead, location, offset + n);
    return n;
}

static event_buffer *begin_window(const otf2_source *src, uint32_t location)
{
    event_buffer *window = (event_buffer *)(src->windows + window_bytes(src) * location);
    *window = (event_buffer){.bytes = (uint8_t *)(window + 1), .capacity = window_capacity(src), .location = location};
    return window;
}

/* The buffer which has what has been read for this slice; or the location's window, if it has room for `least` bytes;
 * else the buffer of all locations. */
static event_buffer *buffer_of(otf2_source *src, uint32_t location, uint64_t least)
{
    otf2_location *l = &src->locations[location];

    if (!src->windows || window_capacity(src) < least || (src->buffer.location == location && src->buffer.n > 0))
        return &src->buffer;
    if (l->window == NULL)
        l->window = begin_window(src, location);
    return l->window;
}

/* Copies bytes of the location's file from a buffer to another one, in which nothing is: as many as it has room for. */
static void pass_on(const event_buffer *b, event_buffer *to)
{
    to->location = b->location;
    to->start = 0;
    to->n = b->n < to->capacity ? b->n : to->capacity;
    to->offset = b->offset;
    memcpy(to->bytes, b->bytes + b->start, to->n);
    memset(to->bytes + to->n, 0, EVENT_SLACK);
}

/* Takes up in a buffer what it has from the location's offset on. */
static void move_up(event_buffer *b, uint32_t location, uint64_t offset)
{
    const uint64_t passed = offset - b->offset;

    if (b->location == location && b->offset <= offset && passed <= b->n) {
        b->start += passed;
        b->n -= passed;
    } else {
        b->n = 0;
    }
    b->location = location;
    b->offset = offset;
}

/* Behind a slice: the buffer of all locations is to be another one's. */
static void keep_rest(otf2_source *src, uint32_t location)
{
    const otf2_location *l = &src->locations[location];

    if (l->window == NULL || src->buffer.location != location || src->buffer.n == 0)
        return;
    move_up(&src->buffer, location, l->offset);
    pass_on(&src->buffer, l->window);
    src->buffer.n = 0;
}

/* Makes the bytes from the location's offset on available in a buffer, up to the end of its chunk: at least `least`
 * of them, and about those of `events` events where the file is read. NULL: failed. */
static event_buffer *fill(otf2_source *src, uint32_t location, uint64_t least, uint32_t events)
{
    const otf2_location *l = &src->locations[location];
    event_buffer *b = buffer_of(src, location, least);
    uint64_t rest = chunk_end(l) > l->offset ? chunk_end(l) - l->offset : 0;

    if (b->bytes == NULL && grow_buffer(b, 0, LEAST_BYTES) != TCF_OK)
        return NULL;
    move_up(b, location, l->offset);
    if (b->n >= least || b->n >= rest)
        return b;
    uint64_t want = src->options.sequential ? MOST_BYTES : expected_bytes(l, events) + RESERVE_BYTES;
    const uint64_t fewest = b == l->window ? b->capacity : LEAST_BYTES, useful = useful_bytes(l);
    want = want < useful ? want : useful;
    want = want < fewest ? fewest : want;
    want = want < least ? least : want;
    want = want < rest ? want : rest;
    if (b == l->window && want > b->capacity) {
        if (grow_buffer(&src->buffer, 0, want) != TCF_OK)
            return NULL;
        pass_on(b, &src->buffer);
        b->n = 0;
        b = &src->buffer;
    }
    const uint64_t kept = b->n;
    if (grow_buffer(b, kept, want) != TCF_OK)
        return NULL;
    memmove(b->bytes, b->bytes + b->start, kept);
    b->start = 0;
    int fd = handle_of(src, location);
    if (fd < 0)
        return NULL;
    b->n = kept + read_file(src, location, fd, l->offset + kept, b->bytes + kept, want - kept);
    memset(b->bytes + b->n, 0, EVENT_SLACK);
    return b;
}

/* ------------------------------------------------------------------------------------------------------- reading -- */

static cursor cursor_at(const event_buffer *b, int swap)
{
    return (cursor){b->bytes + b->start, b->bytes + b->start + b->n, swap, 0};
}

static tcf_status next_chunk(otf2_source *src, uint32_t location, uint32_t room)
{
    otf2_location *l = &src->locations[location];
    event_chunk chunk;

    l->offset = l->chunk * l->file.chunk_bytes;
    l->chunk++;
    if (l->chunk > l->file.chunks)
        return otf2_damaged(src, location, "the file ends before its last record");
    const event_buffer *b = fill(src, location, HEADER_BYTES, room);
    if (b == NULL)
        return TCF_ERROR;
    cursor c = cursor_at(b, 0);
    const char *damage = event_chunk_header(&c, &l->file, l->chunk, l->position + 1, &chunk);
    tcf_status status = otf2_begin_chunk(src, location, &chunk, damage);
    if (status != TCF_OK || l->state != LOCATION_OPEN)
        return status;
    l->swap = (uint8_t)c.swap;
    l->offset += HEADER_BYTES;
    return TCF_OK;
}

/* Checks what stands behind the last record of the chunk. */
static tcf_status end_chunk(otf2_source *src, uint32_t location)
{
    otf2_location *l = &src->locations[location];

    const event_buffer *b = fill(src, location, END_BYTES, 0);
    if (b == NULL)
        return TCF_ERROR;
    cursor c = cursor_at(b, l->swap);
    const char *damage = event_chunk_end(&c, &l->file, l->chunk);
    if (damage)
        return otf2_damaged(src, location, damage);
    if (l->last)
        l->state = LOCATION_ENDED;
    return TCF_OK;
}

/* Decodes up to `room` events of the current chunk. *more: the slice can take further ones. */
static tcf_status read_batch(otf2_source *src, uint32_t location, slice *s, uint32_t room, int *more)
{
    otf2_location *l = &src->locations[location];
    decoder *d = &src->decoder;
    uint32_t before = d->n;
    uint64_t least = 1;

    for (;;) {
        const event_buffer *b = fill(src, location, least, room);
        if (b == NULL)
            return TCF_ERROR;
        event_bytes in = {.at = b->bytes + b->start,
                          .end = b->bytes + b->start + b->n,
                          .swap = l->swap,
                          .check = src->options.salvage,
                          .time = l->last_time,
                          .records = l->limit - l->position};
        uint64_t records = in.records;
        otf2_decode_events(d, &in, before + room);
        l->position += records - in.records;
        l->offset += (uint64_t)(in.at - (b->bytes + b->start));
        l->last_time = in.time;
        l->events += d->n - s->v.n;
        s->v.n = d->n;
        if (d->out_of_memory)
            return error_fail("out of memory for the attributes of a slice");
        if (src->defs->overflow)
            return definitions_fail_overflow(src->defs);
        if (in.is_at_operation) {
            l->next_size = SLICE_FEW;
            if (l->window)
                note_operation(l->window, l->offset);
        }
        *more = !in.full && !in.is_at_operation;
        if (!in.damage)
            return TCF_OK;
        uint64_t rest = (uint64_t)(in.end - in.at);
        if (l->offset + rest >= chunk_end(l) || (records > in.records ? 0 : b->n < least))
            return otf2_damaged(src, location, in.damage);
        least = rest + MORE_BYTES;
        if (rest > MORE_BYTES)
            least += chunk_end(l) - l->offset; /* damage, or a record of unusual length */
    }
}

static tcf_status open_location(otf2_source *src, uint32_t location, uint32_t room)
{
    if (src->options.sequential)
        otf2_begins_ahead(src, location);
    tcf_status status = otf2_begin_location(src, location);
    return status == TCF_OK && src->locations[location].state == LOCATION_OPEN ? next_chunk(src, location, room)
                                                                               : status;
}

static tcf_status read_location(otf2_source *src, uint32_t location, slice *s, uint32_t room)
{
    otf2_location *l = &src->locations[location];
    uint32_t most = s->v.n + room;
    tcf_status status = TCF_OK;
    int more = 1;

    src->decoder.maps = l->maps;
    l->next_size = otf2_direct_next_size(l) == SLICE_FEW ? SLICE_USUAL : SLICE_MANY;
    if (l->state == LOCATION_UNOPENED)
        status = open_location(src, location, room);
    while (status == TCF_OK && more && l->state == LOCATION_OPEN) {
        if (l->position < l->limit) {
            if (s->v.n == most)
                break;
            status = read_batch(src, location, s, most - s->v.n, &more);
        } else {
            status = end_chunk(src, location);
            if (status != TCF_OK || l->state != LOCATION_OPEN || s->v.n == most)
                break;
            status = next_chunk(src, location, most - s->v.n);
        }
    }
    keep_rest(src, location);
    return status;
}

const event_reader otf2_direct_reader = {.name = "direct",
                                         .open = open_reader,
                                         .close = close_reader,
                                         .close_location = close_location,
                                         .keep = keep_wanted,
                                         .read = read_location};
