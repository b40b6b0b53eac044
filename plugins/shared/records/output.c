/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The buffer in front of a file, and numbers as text; see output.h. */
#include "output.h"

#include <private/terminal.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int output_init(struct output *o, int fd)
{
    *o = (struct output){.fd = fd};
    o->buffer = o->at = malloc(OUTPUT_BYTES);
    if (!o->buffer)
        return -1;
    o->end = o->buffer + OUTPUT_BYTES;
    return 0;
}

void output_free(struct output *o)
{
    free(o->buffer);
    o->buffer = o->at = o->end = NULL;
}

static void write_all(struct output *o, const char *from, size_t n)
{
    while (n > 0 && !o->error) {
        ssize_t done = write(o->fd, from, n);
        if (done < 0) {
            if (errno != EINTR)
                o->error = errno;
            continue;
        }
        from += done;
        n -= (size_t)done;
        o->written += (uint64_t)done;
    }
}

char *output_flush(struct output *o, char *at)
{
    write_all(o, o->buffer, (size_t)(at - o->buffer));
    o->at = o->buffer;
    return o->buffer;
}

char *output_bytes(struct output *o, char *at, const char *from, size_t n)
{
    if ((size_t)(o->end - at) < n + ROOM)
        at = output_flush(o, at);
    if (n + ROOM > OUTPUT_BYTES) {
        write_all(o, from, n);
        return at;
    }
    memcpy(at, from, n);
    return at + n;
}

/* ------------------------------------------------------------------------------------------------ quoted strings -- */

/* `c`: as tcf_terminal_next() has it. */
static char *put_escaped(char *at, uint32_t c, int json)
{
    static const char digits[] = "0123456789abcdef";
    static const char letters[] = "abtnvfr"; /* 7 to 13 */
    *at++ = '\\';
    if (c >= 7 && c <= 13 && !(json && (c == 7 || c == 11))) {
        *at++ = letters[c - 7];
        return at;
    }
    if (json && c >= TCF_NO_CHARACTER)
        return PUT(at, "ufffd");
    if (!json && (c < 0x80 || c >= TCF_NO_CHARACTER)) {
        at = PUT(at, "x");
    } else {
        at = PUT(at, "u");
        *at++ = digits[c >> 12 & 15];
        *at++ = digits[c >> 8 & 15];
    }
    *at++ = digits[c >> 4 & 15];
    *at++ = digits[c & 15];
    return at;
}

char *put_quoted(struct output *o, char *at, int json, const char *text)
{
    at = room(o, at);
    *at++ = '"';
    for (uint32_t bad; *text;) {
        const size_t n = tcf_terminal_next(text, &bad);
        at = room(o, at);
        if (bad) {
            at = put_escaped(at, bad, json);
        } else {
            if (json && (*text == '"' || *text == '\\'))
                *at++ = '\\';
            at = put_literal(at, text, n);
        }
        text += n;
    }
    *at++ = '"';
    return room(o, at);
}

/* ------------------------------------------------------------------------------------------------------- numbers -- */

char *put_big(char *at, uint64_t value)
{
    char digits[24], *end = digits + sizeof digits, *from = end;
    while (value >= 100000000) {
        from -= 8;
        put_eight(from, (uint32_t)(value % 100000000));
        value /= 100000000;
    }
    uint32_t rest = (uint32_t)value;
    for (; rest >= 100; rest /= 100) {
        from -= 2;
        put_two(from, rest % 100);
    }
    if (rest >= 10) {
        from -= 2;
        put_two(from, rest);
    } else {
        *--from = (char)('0' + rest);
    }
    memcpy(at, from, (size_t)(end - from));
    return at + (end - from);
}

static char *put_special(char *at, double value)
{
    if (value != value)
        return PUT(at, "nan");
    return value < 0 ? PUT(at, "-inf") : PUT(at, "inf");
}

/* Writes decimal fractions with few digits, the usual case: value = whole / 10^digits, which doubles hold exactly.
 * NULL: the value is no such fraction. */
static char *put_fraction(char *at, double value, int single)
{
    double magnitude = value < 0 ? -value : value, power = 1;
    if (magnitude >= 1e15 || (magnitude < 1e-5 && magnitude != 0))
        return NULL;
    for (int digits = 0; digits <= 15; digits++, power *= 10) {
        double scaled = magnitude * power + 0.5;
        if (scaled >= 9007199254740992.0)
            return NULL;
        uint64_t whole = (uint64_t)scaled;
        double back = (double)whole / power;
        if (single ? (float)back != (float)magnitude : back != magnitude)
            continue;
        char text[40], *end = put_u64(text, whole);
        int length = (int)(end - text);
        if (__builtin_signbit(value))
            *at++ = '-';
        if (digits == 0)
            return put_literal(at, text, (size_t)length);
        if (length <= digits) { /* 0.00ddd */
            at = PUT(at, "0.");
            for (int k = length; k < digits; k++)
                *at++ = '0';
            return put_literal(at, text, (size_t)length);
        }
        at = put_literal(at, text, (size_t)(length - digits));
        *at++ = '.';
        return put_literal(at, text + length - digits, (size_t)digits);
    }
    return NULL;
}

/* `single`: the digits distinguish numbers of single precision only. */
static char *put_real(char *at, double value, int single)
{
    const int most = single ? 9 : 17;
    if (value - value != 0)
        return put_special(at, value);
    char *end = put_fraction(at, value, single), text[40];
    if (end)
        return end;
    int n = 0;
    for (int digits = single ? 6 : 15; digits <= most; digits++) { /* rare */
        n = snprintf(text, sizeof text, "%.*g", digits, value);
        if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
            break;
    }
    return put_literal(at, text, (size_t)n);
}

char *put_double(char *at, double value)
{
    return put_real(at, value, 0);
}

char *put_float(char *at, float value)
{
    return put_real(at, (double)value, 1);
}
