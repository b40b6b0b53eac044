/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* JSON's strings and numbers. Names in a trace are bytes of unknown origin: U+FFFD replaces what is no UTF-8, so the
 * output is valid JSON in every case. What a terminal would obey is escaped. */
#include "json.h"

#include <private/terminal.h>

#include <math.h>
#include <stdlib.h>

/* The code of a character that could end an element of HTML or a line of JavaScript; 0: another character. */
static unsigned ends_something(const unsigned char *s)
{
    if (*s == '<' || *s == '>' || *s == '&')
        return *s;
    if (s[0] == 0xe2 && s[1] == 0x80 && (s[2] == 0xa8 || s[2] == 0xa9))
        return 0x2000u + (s[2] & 0x3fu);
    return 0;
}

static void put_string(FILE *out, const char *text, int in_html)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    putc('"', out);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        size_t n = tcf_utf8_bytes(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            s++;
            continue;
        }
        uint32_t code = in_html ? ends_something(s) : 0, bad;
        tcf_terminal_next((const char *)s, &bad);
        code = code ? code : bad;
        if (code != 0)
            fprintf(out, "\\u%04x", (unsigned)code);
        else if (*s == '"' || *s == '\\')
            fprintf(out, "\\%c", *s);
        else
            fwrite(s, 1, n, out);
        s += n;
    }
    putc('"', out);
}

void json_string(FILE *out, const char *text)
{
    put_string(out, text, 0);
}

void json_string_in_html(FILE *out, const char *text)
{
    put_string(out, text, 1);
}

void shortest_double(char *to, double value)
{
    if (fabs(value) < 1e15 && value == (double)(int64_t)value && !signbit(value)) { /* most are whole; %g writes -0 */
        snprintf(to, 32, "%lld", (long long)value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(to, 32, "%.*g", digits, value);
        if (strtod(to, NULL) == value)
            return;
    }
}

void json_double(FILE *out, double value)
{
    char text[32];

    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    shortest_double(text, value);
    fputs(text, out);
}
