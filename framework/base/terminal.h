/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is known of a terminal, and lines that fit it. */
#ifndef TCFLOW_FRAMEWORK_TERMINAL_H
#define TCFLOW_FRAMEWORK_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

/* Letters in a line: of the terminal, else what COLUMNS says; 0: unknown. */
size_t terminal_width(int fd);
/* Is it a terminal that shows colours, and NO_COLOR isn't set? */
int terminal_has_colours(int fd);
/* Writes a text in lines of at most `width` characters, broken at blanks, but not between a number and its unit,
 * the later ones behind `indent` blanks. The last line is not ended. */
void terminal_put_wrapped(FILE *out, const char *text, size_t width, size_t indent);

#endif
