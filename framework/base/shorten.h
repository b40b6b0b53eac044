/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Texts that are too long for a column, as call paths are. What is left out of the middle stands as two dots. Of texts
 * which would look the same then, the places where they differ are kept, too. */
#ifndef TCFLOW_FRAMEWORK_SHORTEN_H
#define TCFLOW_FRAMEWORK_SHORTEN_H

#include <stddef.h>

/* Replaces those of n texts that take more than `width` columns of a terminal by shortened copies, which the caller
 * frees by shorten_free(); made[i] is the copy of texts[i], or NULL. -1: out of memory, and nothing has changed. */
int shorten(const char **texts, char **made, size_t n, size_t width);
void shorten_free(char **made, size_t n);

#endif
