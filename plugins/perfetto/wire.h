/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The wire format of protocol buffers, read from a part of memory that is never left. A message is a list of fields; a
 * field is its key (number and type) as a varint, then a varint, eight or four bytes, or a length and bytes. */
#ifndef TCFLOW_PERFETTO_WIRE_H
#define TCFLOW_PERFETTO_WIRE_H

#include <stddef.h>
#include <stdint.h>

typedef struct wire_bytes {
    const uint8_t *at, *end; /* at = NULL: the field isn't there */
} wire_bytes;

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_FIXED32 = 5 };

typedef struct field {
    uint32_t number;
    uint8_t type;
    uint64_t value; /* WIRE_BYTES: how many */
    wire_bytes in;  /* WIRE_BYTES: what they are */
} field;

/* 1: *value is read; 0: the bytes end before; -1: it has more than 64 bits. */
static inline int wire_varint(wire_bytes *b, uint64_t *value)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (b->at == b->end)
            return 0;
        const uint8_t byte = *b->at++;
        if (shift == 63 && byte > 1)
            return -1;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = v;
            return 1;
        }
    }
    return -1;
}

static inline uint64_t wire_fixed(const uint8_t *at, unsigned n)
{
    uint64_t v = 0;

    for (unsigned i = n; i-- > 0;)
        v = v << 8 | at[i];
    return v;
}

/* The next field. 1: here it is; 0: there is no other one; -1: the bytes are no message. */
static inline int wire_next(wire_bytes *b, field *f)
{
    uint64_t key;

    if (b->at == b->end)
        return 0;
    if (wire_varint(b, &key) != 1 || key >> 3 == 0 || key >> 3 > 0x1fffffff)
        return -1;
    f->number = (uint32_t)(key >> 3);
    f->type = (uint8_t)(key & 7);
    f->in = (wire_bytes){NULL, NULL};
    const size_t left = (size_t)(b->end - b->at), fixed = f->type == WIRE_FIXED64 ? 8 : 4;
    switch (f->type) {
    case WIRE_VARINT:
        return wire_varint(b, &f->value) == 1 ? 1 : -1;
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        if (left < fixed)
            return -1;
        f->value = wire_fixed(b->at, (unsigned)fixed);
        b->at += fixed;
        return 1;
    case WIRE_BYTES:
        if (wire_varint(b, &f->value) != 1 || f->value > (uint64_t)(b->end - b->at))
            return -1;
        f->in = (wire_bytes){b->at, b->at + f->value};
        b->at = f->in.end;
        return 1;
    default:
        return -1;
    }
}

/* The values of a repeated number, which may be packed into one field. Begins with all zero. */
typedef struct repeated {
    wire_bytes left;
    int begun;
} repeated;

/* 1: *value is the next one of field `f`; 0: it has no other; -1: malformed. `type`: of the values where they are
 * packed. */
static inline int wire_repeated(const field *f, repeated *r, enum wire_type type, uint64_t *value)
{
    const int is_first = !r->begun;

    r->begun = 1;
    if (f->type != WIRE_BYTES) {
        *value = f->value;
        return is_first;
    }
    if (is_first)
        r->left = f->in;
    if (r->left.at == r->left.end)
        return 0;
    if (type == WIRE_VARINT)
        return wire_varint(&r->left, value) == 1 ? 1 : -1;
    if (r->left.end - r->left.at < 8)
        return -1;
    *value = wire_fixed(r->left.at, 8);
    r->left.at += 8;
    return 1;
}

#endif
