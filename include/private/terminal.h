/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What of a text may go to a terminal. Names in a trace, and whatever else comes from outside, may have bytes that a
 * terminal obeys or that make a line look like another one: control characters (C0, DEL, C1), marks of the direction of
 * writing, separators of lines and paragraphs, bytes that are no UTF-8. Whoever writes text for people goes through it
 * by tcf_terminal_next(), or writes it by tcf_terminal_put(). */
#ifndef TCFLOW_TERMINAL_H
#define TCFLOW_TERMINAL_H

#include "utf8.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TCF_NO_CHARACTER = 0x110000 }; /* beyond Unicode */

static inline int tcf_is_obeyed(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* The number of bytes of the next character, at least 1. *bad becomes 0 where it may be shown, else its number; of a
 * byte that belongs to no character TCF_NO_CHARACTER + the byte. */
static inline size_t tcf_terminal_next(const char *text, uint32_t *bad)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *s = (const unsigned char *)text;
    const size_t n = tcf_utf8_bytes(s);
    uint32_t code = *s & lead[n];

    if (n == 0) {
        *bad = TCF_NO_CHARACTER + *s;
        return 1;
    }
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (s[i] & 0x3f);
    *bad = tcf_is_obeyed(code) ? code : 0;
    return n;
}

/* Writes a text, with '?' for each character that must not be shown, but for those of `kept` ("": none; "\n\t"). */
static inline void tcf_terminal_put(FILE *out, const char *text, const char *kept)
{
    for (uint32_t bad; *text;) {
        const size_t n = tcf_terminal_next(text, &bad);
        if (bad && !(bad < 0x80 && strchr(kept, (int)bad)))
            putc('?', out);
        else
            fwrite(text, 1, n, out);
        text += n;
    }
}

/* The columns that tcf_terminal_put() takes, where each character takes one. */
static inline size_t tcf_terminal_columns(const char *text)
{
    size_t columns = 0;
    for (uint32_t bad; *text; columns++)
        text += tcf_terminal_next(text, &bad);
    return columns;
}

#endif
