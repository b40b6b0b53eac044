/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Where characters of UTF-8 end. Names in a trace are bytes of unknown origin: whoever writes them into something that
 * wants UTF-8 writes U+FFFD for each byte that belongs to no character.
 *
 *     for (const unsigned char *s = (const unsigned char *)name; *s;) {
 *         size_t n = tcf_utf8_bytes(s);
 *         put(n > 0 ? (const char *)s : "\xef\xbf\xbd", n > 0 ? n : 3);
 *         s += n > 0 ? n : 1;
 *     } */
#ifndef TCFLOW_UTF8_H
#define TCFLOW_UTF8_H

#include <stddef.h>

/* Bytes of the character at s; 0: it is none. Nothing is read behind a NUL, which is a character of one byte. */
static inline size_t tcf_utf8_bytes(const unsigned char *s)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] >= 0xa0) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] >= 0x90))
        return 0; /* too long a form, a surrogate, beyond Unicode */
    return n;
}

#endif
