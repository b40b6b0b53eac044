/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The part of protocol buffers' wire format that packets.c needs. A field is its key (number and wire type) as a
 * varint, then a varint, eight bytes, or a length and bytes. A message's length stands before it, as a varint of fixed
 * width that is filled in when the message ends. */
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

/* Writes the key of a message, and reserves `width` bytes for its length. *start is for end_message(). */
static inline char *begin_message(char *at, uint32_t field, unsigned width, char **start)
{
    at = put_key(at, field, WIRE_BYTES);
    *start = at;
    return at + width;
}

/* Fills in the length of the message that began at `start` and ends at `end`. It is less than 2^(7 width). */
static inline void end_message(char *start, unsigned width, const char *end)
{
    uint64_t n = (uint64_t)(end - start) - width;
    for (unsigned i = 0; i + 1 < width; i++, n >>= 7)
        start[i] = (char)(n | 0x80);
    start[width - 1] = (char)n;
}

#endif
