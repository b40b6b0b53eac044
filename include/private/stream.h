/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The stream format: how slices and definitions go from one process to another. doc/stream-format.md has all of it;
 * here stand its numbers, and how integers are packed, for programs that write or read it in C.
 *
 * A stream is a header and frames. A frame is its head (tcf_frame_head) and `bytes` bytes; the checksum is zlib's crc32
 * of the head without its last member, then the bytes. Integers of fixed size have their lowest byte first, on every
 * machine. Most integers are varints: 7 bits a byte, the lowest first, the top bit set in all but the last. */
#ifndef TCFLOW_STREAM_H
#define TCFLOW_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first byte is no ASCII, and the line ends do not survive a transfer as text. */
#define TCF_STREAM_MAGIC "\x89TCF\r\n\x1a\n"

enum { TCF_STREAM_MAJOR = 1, TCF_STREAM_MINOR = 3 };
enum { TCF_STREAM_LITTLE = 1, TCF_STREAM_BIG = 2 };

/* Header and head of a frame as they stand in memory; tcf_put_header() and the functions like it convert them to the
 * bytes of a stream. */
typedef struct tcf_stream_header {
    uint8_t magic[8];
    uint8_t
        order; /* of bytes in the writer's memory: TCF_STREAM_LITTLE or _BIG. Of the rows of TCF_FRAME_LEARNED alone */
    uint8_t major, minor;
    uint8_t reserved;  /* 0 */
    uint32_t checksum; /* of what stands before */
} tcf_stream_header;

typedef enum tcf_frame_type {
    TCF_FRAME_ARCHIVE = 1,     /* what the anchor of an archive says; named columns; what was changed */
    TCF_FRAME_DEFINITIONS = 2, /* definition records, in the archive's order */
    TCF_FRAME_LOCATIONS = 3,   /* clock offsets of locations */
    TCF_FRAME_LEARNED = 4,     /* a table of a survey */
    TCF_FRAME_READY = 5,       /* end of the definitions */
    TCF_FRAME_WINDOW = 16,     /* events of one location */
    TCF_FRAME_FRONTIERS = 17,  /* no location has an event before its frontier any more */
    TCF_FRAME_LOCATION_END = 18,
    TCF_FRAME_ALTERED = 19,  /* since 1.1: events of a location were dropped or inserted in front */
    TCF_FRAME_SNAPSHOT = 32, /* a record of a location's snapshots, before the location's end */
    TCF_FRAME_MARKER = 33,
    TCF_FRAME_THUMBNAIL = 34,
    TCF_FRAME_END = 64,  /* totals; nothing follows */
    TCF_FRAME_ABORT = 65 /* the writer's run has failed or was interrupted; nothing follows */
} tcf_frame_type;

enum { TCF_FRAME_ZSTD = 1 }; /* flag: the bytes are the size (u32) of what zstd made the rest of */

enum { TCF_HEADER_BYTES = 16, TCF_HEAD_BYTES = 16, TCF_SUMMED_BYTES = 12 /* of either, in front of the checksum */ };

typedef struct tcf_frame_head {
    uint32_t bytes;
    uint8_t type, flags;
    uint16_t reserved; /* 0 */
    uint32_t number;   /* of the frame, from 0 on */
    uint32_t checksum;
} tcf_frame_head;

enum { TCF_FRAME_LARGEST = 64 << 20 }; /* bytes; also when unpacked */

/* Blocks of a window. */
enum {
    TCF_BLOCK_TIME = 1,
    TCF_BLOCK_KIND = 2,
    TCF_BLOCK_RECORD = 3,
    TCF_BLOCK_ATTRIBUTES = 4,
    TCF_BLOCK_EDGES = 5,
    TCF_BLOCK_COLUMN = 16 /* + number of the column in the archive frame */
};

/* Bits of the archive frame. */
enum {
    TCF_STREAM_EDGES = 1,  /* windows have their edges, matched, with the ends of sending calls and MPI_Init/Finalize */
    TCF_STREAM_DEPENDS = 2 /* its writer waits for what the writers of other streams of the run write (since 1.3) */
};

/* Bits of a location: it has no events; it has, but none of them passes (since 1.1). */
enum { TCF_STREAM_SILENT = 1, TCF_STREAM_LEFT_OUT = 2 };

enum { TCF_STREAM_SIDE = 7 }; /* what of tcf_edge.side is not of the process alone */

/* References: 0 undefined, 1 and then the id of something that no definition defines, else index + 2. */
enum { TCF_PACKED_NONE = 0, TCF_PACKED_ID = 1, TCF_PACKED_INDEX = 2 };

static inline uint8_t tcf_stream_byte_order(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one ? TCF_STREAM_LITTLE : TCF_STREAM_BIG;
}

/* ---------------------------------------------------------------------------------------- integers of fixed size -- */

/* Compilers make one instruction of each, where the machine's order is the same. */
static inline void tcf_put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t tcf_get_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline void tcf_put_u64(uint8_t *at, uint64_t value)
{
    tcf_put_u32(at, (uint32_t)value);
    tcf_put_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t tcf_get_u64(const uint8_t *at)
{
    return tcf_get_u32(at) | (uint64_t)tcf_get_u32(at + 4) << 32;
}

static inline void tcf_put_header(uint8_t at[TCF_HEADER_BYTES], const tcf_stream_header *h)
{
    memcpy(at, h->magic, 8);
    at[8] = h->order;
    at[9] = h->major;
    at[10] = h->minor;
    at[11] = h->reserved;
    tcf_put_u32(at + TCF_SUMMED_BYTES, h->checksum);
}

static inline void tcf_get_header(const uint8_t at[TCF_HEADER_BYTES], tcf_stream_header *h)
{
    memcpy(h->magic, at, 8);
    h->order = at[8];
    h->major = at[9];
    h->minor = at[10];
    h->reserved = at[11];
    h->checksum = tcf_get_u32(at + TCF_SUMMED_BYTES);
}

static inline void tcf_put_head(uint8_t at[TCF_HEAD_BYTES], const tcf_frame_head *h)
{
    tcf_put_u32(at, h->bytes);
    at[4] = h->type;
    at[5] = h->flags;
    at[6] = (uint8_t)h->reserved;
    at[7] = (uint8_t)(h->reserved >> 8);
    tcf_put_u32(at + 8, h->number);
    tcf_put_u32(at + TCF_SUMMED_BYTES, h->checksum);
}

static inline void tcf_get_head(const uint8_t at[TCF_HEAD_BYTES], tcf_frame_head *h)
{
    h->bytes = tcf_get_u32(at);
    h->type = at[4];
    h->flags = at[5];
    h->reserved = (uint16_t)(at[6] | at[7] << 8);
    h->number = tcf_get_u32(at + 8);
    h->checksum = tcf_get_u32(at + TCF_SUMMED_BYTES);
}

/* Signed numbers of small magnitude as small unsigned ones. */
static inline uint64_t tcf_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t tcf_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

/* ------------------------------------------------------------------------------------------------------- packing -- */

enum { TCF_VARINT_MOST = 10 }; /* bytes of one */

/* Bytes that grow. All zero at first; free(at) at the end. */
typedef struct tcf_pack {
    uint8_t *at;
    size_t n, capacity;
    int failed; /* out of memory; what was packed since is lost */
} tcf_pack;

/* Makes room for `more` bytes behind what is there and returns their place; NULL: out of memory. */
static inline uint8_t *tcf_pack_room(tcf_pack *p, size_t more)
{
    if (p->capacity - p->n < more) {
        size_t capacity = p->capacity * 2 + more + 256;
        uint8_t *grown = (uint8_t *)realloc(p->at, capacity);
        if (!grown) {
            p->failed = 1;
            return NULL;
        }
        p->at = grown;
        p->capacity = capacity;
    }
    return p->at + p->n;
}

static inline void tcf_pack_bytes(tcf_pack *p, const void *bytes, size_t n)
{
    uint8_t *to = tcf_pack_room(p, n);
    if (to && n > 0) {
        memcpy(to, bytes, n);
        p->n += n;
    }
}

static inline void tcf_pack_u8(tcf_pack *p, uint8_t value)
{
    tcf_pack_bytes(p, &value, 1);
}

/* Where there is room for TCF_VARINT_MOST bytes; returns the place behind. */
static inline uint8_t *tcf_put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

static inline void tcf_pack_varint(tcf_pack *p, uint64_t value)
{
    uint8_t *to = tcf_pack_room(p, TCF_VARINT_MOST);
    if (to)
        p->n = (size_t)(tcf_put_varint(to, value) - p->at);
}

/* A text: its length, then its bytes without the final 0. NULL is "". */
static inline void tcf_pack_text(tcf_pack *p, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    tcf_pack_varint(p, n);
    tcf_pack_bytes(p, text, n);
}

/* ----------------------------------------------------------------------------------------------------- unpacking -- */

/* What is left to read. Reading beyond the end yields 0 and sets `bad`, which has to be looked at once in the end. */
typedef struct tcf_cursor {
    const uint8_t *at, *end;
    int bad;
} tcf_cursor;

static inline uint64_t tcf_get_long_varint(tcf_cursor *c)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; c->at < c->end && shift < 64; shift += 7) {
        uint8_t byte = *c->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    c->bad = 1;
    c->at = c->end;
    return 0;
}

static inline uint64_t tcf_get_varint(tcf_cursor *c)
{
    if (c->at < c->end && *c->at < 0x80)
        return *c->at++;
    return tcf_get_long_varint(c);
}

/* A number that must not be larger than `most`. */
static inline uint64_t tcf_get_most(tcf_cursor *c, uint64_t most)
{
    uint64_t value = tcf_get_varint(c);
    if (value <= most)
        return value;
    c->bad = 1;
    return 0;
}

static inline uint8_t tcf_get_u8(tcf_cursor *c)
{
    if (c->at < c->end)
        return *c->at++;
    c->bad = 1;
    return 0;
}

/* The next n bytes; NULL: there are not as many. */
static inline const uint8_t *tcf_get_bytes(tcf_cursor *c, uint64_t n)
{
    if ((uint64_t)(c->end - c->at) < n) {
        c->bad = 1;
        c->at = c->end;
        return NULL;
    }
    const uint8_t *bytes = c->at;
    if (n > 0) /* a cursor over nothing may be NULL */
        c->at += n;
    return bytes;
}

/* Bytes that are left: no count of things can be larger. */
static inline uint64_t tcf_left(const tcf_cursor *c)
{
    return (uint64_t)(c->end - c->at);
}

#ifdef __cplusplus
}
#endif
#endif
