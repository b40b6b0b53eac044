/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See terminal.h. */
#include "terminal.h"

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
