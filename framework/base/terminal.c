/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See terminal.h. */
#include "terminal.h"

#include <private/terminal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t terminal_width(int fd)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");

    if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    const long n = columns ? strtol(columns, NULL, 10) : 0;
    return n > 0 && n < 100000 ? (size_t)n : 0;
}

int terminal_has_colours(int fd)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fd) && !(no && *no) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* The columns of a word. out NULL: it is counted alone, else written as far as it may be shown. */
static size_t put_word(FILE *out, const char *word, size_t bytes)
{
    char character[8];
    size_t columns = 0;

    for (uint32_t bad; bytes > 0; columns++) {
        const size_t n = tcf_terminal_next(word, &bad);
        snprintf(character, sizeof character, "%.*s", (int)n, word);
        if (out)
            tcf_terminal_put(out, character, "");
        word += n;
        bytes -= n;
    }
    return columns;
}

/* Bytes that stay together: a word, or a number and its unit. */
static size_t word_bytes(const char *text)
{
    static const char *const units[] = {"%", "s", "ms", "us", "ns", "B", "KiB", "MiB", "GiB"};
    const size_t n = strcspn(text, " ");
    const char *next = text + n + (text[n] != '\0');
    const size_t letters = strcspn(next, " ,;:.)");

    if (n == 0 || text[n - 1] < '0' || text[n - 1] > '9')
        return n;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i]) == letters && strncmp(next, units[i], letters) == 0)
            return n + 1 + strcspn(next, " ");
    return n;
}

void terminal_put_wrapped(FILE *out, const char *text, size_t width, size_t indent)
{
    for (size_t at = 0; *text;) {
        const size_t blanks = strspn(text, " "), bytes = word_bytes(text + blanks);
        const size_t columns = put_word(NULL, text + blanks, bytes);
        const int breaks = at > 0 && blanks > 0 && at + blanks + columns > width;
        if (breaks)
            putc('\n', out);
        fprintf(out, "%*s", (int)(breaks ? indent : blanks), "");
        put_word(out, text + blanks, bytes);
        at = breaks ? columns : at + blanks + columns;
        text += blanks + bytes;
    }
}
