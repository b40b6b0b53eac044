/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Encodes events as the bytes of an event file: those that libotf2 writes for the same events. The caller divides them
 * into chunks. */
#ifndef OTF2_WRITE_ENCODE_H
#define OTF2_WRITE_ENCODE_H

#include <private/otf2_format.h>
#include <private/roles.h>
#include <string.h>
#include <tcflow/filter.h>

/* A record without attributes takes less, with its timestamp, except that of a ProgramBegin. */
enum { PLAIN_RECORD_BYTES = 4096 };
/* Bytes behind a record that encoding it may overwrite. */
enum { ENCODE_SLACK = 8 };

/* Where the next record goes, and the time of the last one. */
struct encoding {
    uint8_t *at;
    uint64_t time;
};

/* Encodes events from number `i` on. It ends where the next record may reach beyond `end`, and in front of an event
 * that encode_event() must take: with attributes, a ProgramBegin, of an unknown kind, or with a time before the last
 * one. Returns the number of the event where it has ended. */
uint32_t encode_events(const tcf_definitions *defs, const tcf_slice *s, uint32_t i, struct encoding *e,
                       const uint8_t *end);

/* The most bytes that the record of event `i` may take, its attributes included and its timestamp not; 0: its kind is
 * unknown. */
uint64_t encode_most(const tcf_slice *s, uint32_t i);

/* Encodes any event of a known kind whose time isn't before the last one. */
void encode_event(const tcf_definitions *defs, const tcf_slice *s, uint32_t i, struct encoding *e);

static inline uint8_t *put_full(uint8_t *p, uint64_t value)
{
    memcpy(p, &value, sizeof value);
    return p + sizeof value;
}

/* The count of the significant bytes, and these bytes. */
static inline uint8_t *put_significant(uint8_t *p, uint64_t value)
{
    unsigned size = value ? (71u - (unsigned)__builtin_clzll(value)) / 8 : 0;

    *p++ = (uint8_t)size;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && size > 0)
        value <<= 64 - 8 * size;
    memcpy(p, &value, sizeof value);
    return p + size;
}

static inline uint8_t *put_u32(uint8_t *p, uint32_t value)
{
    if (value != UINT32_MAX)
        return put_significant(p, value);
    *p++ = UINT8_MAX;
    return p;
}

static inline uint8_t *put_u64(uint8_t *p, uint64_t value)
{
    if (value != UINT64_MAX)
        return put_significant(p, value);
    *p++ = UINT8_MAX;
    return p;
}

static inline uint8_t *put_timestamp(uint8_t *p, uint64_t time)
{
    *p = TIMESTAMP;
    return put_full(p + 1, time);
}

#endif
