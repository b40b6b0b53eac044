/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Takes the fields of records out of the bytes of files; private/otf2_format.h has the encoding. */
#ifndef TCFLOW_FRAMEWORK_OTF2_BYTES_H
#define TCFLOW_FRAMEWORK_OTF2_BYTES_H

#include <private/otf2_format.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The unread part of some bytes. `bad` is set when a read would pass the end or a number is malformed, and stays
 * set. */
typedef struct cursor {
    const uint8_t *at, *end;
    int swap; /* the file has the other byte order */
    int bad;
} cursor;

static inline size_t left(const cursor *c)
{
    return (size_t)(c->end - c->at);
}

static inline void skip(cursor *c, uint64_t bytes)
{
    if (bytes > left(c)) {
        c->bad = 1;
        c->at = c->end;
    } else {
        c->at += bytes;
    }
}

static inline uint8_t take_byte(cursor *c)
{
    if (c->at == c->end) {
        c->bad = 1;
        return 0;
    }
    return *c->at++;
}

static inline uint64_t take_u64(cursor *c)
{
    uint64_t value = 0;

    if (left(c) < sizeof value) {
        skip(c, sizeof value);
        return 0;
    }
    memcpy(&value, c->at, sizeof value);
    c->at += sizeof value;
    return c->swap ? __builtin_bswap64(value) : value;
}

/* A number of up to `width` bytes; UINT64_MAX: undefined. */
static inline uint64_t take_number(cursor *c, unsigned width)
{
    uint8_t size = take_byte(c);
    uint64_t value = 0;

    if (size == UINT8_MAX)
        return UINT64_MAX;
    if (size > width || size > left(c)) {
        c->bad = 1;
        return 0;
    }
    for (unsigned i = 0; i < size; i++) {
        int little = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != c->swap;
        value |= (uint64_t)c->at[i] << 8 * (little ? i : size - 1u - i);
    }
    c->at += size;
    return value;
}

static inline uint64_t take_length(cursor *c)
{
    uint64_t length = take_byte(c);
    return length == UINT8_MAX ? take_u64(c) : length;
}

/* What is wrong with a timestamp behind an earlier time and a byte `before` it that says what stood there, or NULL.
 * libotf2 takes one timestamp in front of a record; a second one is a record of an unknown kind to it, and whatever
 * stands behind it that record's length. It writes two only at the start of a chunk whose time is 0, which it then
 * can't read itself. */
static inline const char *wrong_time(uint64_t earlier, uint64_t time, unsigned before)
{
    if (time < earlier)
        return "a timestamp that goes back";
    return before == TIMESTAMP && time > 0 ? "a timestamp behind a timestamp" : NULL;
}

/* Reads the header of a chunk and sets the byte order. NULL, or what is wrong. */
static inline const char *take_header(cursor *c, uint64_t *first, uint64_t *last)
{
    if (left(c) < HEADER_BYTES)
        return "the file is cut in the header of a chunk";
    if (take_byte(c) != CHUNK_HEADER)
        return "a chunk without a header";
    uint8_t order = take_byte(c);
    if (order != LITTLE_ENDIAN_FILE && order != BIG_ENDIAN_FILE)
        return "a chunk of an unknown byte order";
    c->swap = (order == BIG_ENDIAN_FILE) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    *first = take_u64(c);
    *last = take_u64(c);
    return NULL;
}

/* Opens a file of an archive to read it. -1: that fails, or it is a pipe, on which a reader would wait for a writer. */
int otf2_open_file(const char *path);
/* Reads up to `bytes` bytes at `offset` into the buffer, fewer where the file ends, and returns their number. */
uint64_t otf2_pread(int fd, uint64_t offset, uint8_t *buffer, uint64_t bytes);
/* Reads what of these bytes is in memory, and has the system begin to read the others. *waits: 0 all are, 1 some are
 * not, -1 the system doesn't tell which are, and further files need not be asked. Returns their number. */
uint64_t otf2_pread_at_once(int fd, uint64_t offset, uint8_t *buffer, uint64_t bytes, int *waits);
/* otf2_pread() of a file that isn't open; `bad`: it cannot be opened. */
cursor otf2_read_at(const char *path, uint64_t offset, uint8_t *buffer, uint64_t bytes);

#endif
