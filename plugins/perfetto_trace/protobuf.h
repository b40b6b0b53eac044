/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The wire format of protocol buffers, as far as it is needed: a field is its key (number and wire type) as a varint,
 * then a varint, eight bytes, or a length and bytes. The length of a message stands before it; where that isn't known
 * beforehand, a varint of fixed width is left free and filled in behind the message. */
#ifndef TCFLOW_PERFETTO_PROTOBUF_H
#define TCFLOW_PERFETTO_PROTOBUF_H

#include "../shared/records/output.h"

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES };

static inline char *put_varint(char *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (char)(value | 0x80);
        value >>= 7;
    }
    *at++ = (char)value;
    return at;
}

static inline char *put_key(char *at, uint32_t field, enum wire_type type)
{
    return put_varint(at, (uint64_t)field << 3 | type);
}

static inline char *put_number(char *at, uint32_t field, uint64_t value)
{
    return put_varint(put_key(at, field, WIRE_VARINT), value);
}

static inline char *put_fixed64(char *at, uint32_t field, uint64_t value)
{
    at = put_key(at, field, WIRE_FIXED64);
    for (int i = 0; i < 8; i++)
        *at++ = (char)(value >> 8 * i);
    return at;
}

/* The key of a message and room for its length in `width` bytes; *start is for end_message(). */
static inline char *begin_message(char *at, uint32_t field, unsigned width, char **start)
{
    at = put_key(at, field, WIRE_BYTES);
    *start = at;
    return at + width;
}

/* The message that began at `start` ends at `end` and is shorter than 2^(7 width) bytes. */
static inline void end_message(char *start, unsigned width, const char *end)
{
    uint64_t n = (uint64_t)(end - start) - width;
    for (unsigned i = 0; i + 1 < width; i++, n >>= 7)
        start[i] = (char)(n | 0x80);
    start[width - 1] = (char)n;
}

#endif
