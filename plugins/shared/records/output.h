/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A large buffer in front of a file, and numbers formatted into it.
 *
 * Calls take the place to write to (`at`) and return the next one, so that it stays in a register. The caller first
 * asks for room; one room() is enough for a label, a name and a number. */
#ifndef TCFLOW_RECORDS_OUTPUT_H
#define TCFLOW_RECORDS_OUTPUT_H

#include <stdint.h>
#include <string.h>

enum {
    OUTPUT_BYTES = 256 * 1024, /* stays in the L2 cache */
    ROOM = 256,                /* what put_*() may write after one room() */
    BLOCK = 64,                /* short texts are copied as a whole block, so both sides must have that many bytes */
    HALF = 32                  /* the same for very short texts */
};

struct output {
    char *buffer, *at, *end;
    int fd;
    int error;        /* errno of the first write that failed; later bytes are dropped */
    uint64_t written; /* bytes */
};

int output_init(struct output *o, int fd);
void output_free(struct output *o);
/* Writes the bytes before `at`. Returns where to go on. */
char *output_flush(struct output *o, char *at);
/* Bytes of any length. */
char *output_bytes(struct output *o, char *at, const char *from, size_t n);
/* A text in quotes. What must not go to a terminal (private/terminal.h) is escaped; with json as JSON wants it, bytes
 * that are no UTF-8 replaced by U+FFFD, else as \x1b or \u202e. */
char *put_quoted(struct output *o, char *at, int json, const char *text);

/* Makes room for ROOM more bytes. */
static inline char *room(struct output *o, char *at)
{
    return __builtin_expect(o->end - at >= ROOM, 1) ? at : output_flush(o, at);
}

/* A constant text, readable for BLOCK bytes even where it is shorter. */
struct name {
    const char *text;
    size_t n;
};

/* Uses up the room: the caller asks for room before and after it. */
static inline char *put_name(struct output *o, char *at, const struct name *name)
{
    if (__builtin_expect(name->n > BLOCK, 0))
        return output_bytes(o, at, name->text, name->n);
    memcpy(at, name->text, BLOCK);
    return at + name->n;
}

/* The same for texts that mostly are very short. */
static inline char *put_short(struct output *o, char *at, const struct name *name)
{
    if (__builtin_expect(name->n > HALF, 0))
        return put_name(o, at, name);
    memcpy(at, name->text, HALF);
    return at + name->n;
}

static inline char *put_literal(char *at, const char *text, size_t n)
{
    memcpy(at, text, n);
    return at + n;
}
#define PUT(at, literal) put_literal(at, literal, sizeof(literal) - 1)

static inline char *put_two(char *at, uint32_t value)
{
    static const char digits[] =
        "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243"
        "4445464748495051525354555657585960616263646566676869707172737475767778798081828384858687"
        "888990919293949596979899";
    memcpy(at, digits + 2 * value, 2);
    return at + 2;
}

/* Exactly eight digits. */
static inline char *put_eight(char *at, uint32_t value)
{
    uint32_t high = value / 10000, low = value % 10000;
    at = put_two(at, high / 100);
    at = put_two(at, high % 100);
    at = put_two(at, low / 100);
    return put_two(at, low % 100);
}

/* The following functions write at most 24 characters. */
char *put_big(char *at, uint64_t value);

static inline char *put_u64(char *at, uint64_t value)
{
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 100)
        return put_two(at, (uint32_t)value);
    return put_big(at, value);
}

static inline char *put_i64(char *at, int64_t value)
{
    if (value >= 0)
        return put_u64(at, (uint64_t)value);
    *at = '-';
    return put_u64(at + 1, 0 - (uint64_t)value);
}

/* With the fewest digits that read back as the same number; nan, inf, -inf. */
char *put_double(char *at, double value);
char *put_float(char *at, float value);

#endif
