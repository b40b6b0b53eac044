/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What tcflow-diff says of two databases, for the page of tcflow-report; tools/diff/pair.c does it. */
#ifndef TCFLOW_TOOLS_PAIR_H
#define TCFLOW_TOOLS_PAIR_H

#include <stdio.h>

/* Two databases of a page, FILE or LABEL=FILE each; texts last until the end. */
struct comparison;
struct pair {
    const char *path[2], *label[2];
    struct comparison *comparison;
};
void compare_begin(struct pair *pair, char **arguments);
/* Reads what is compared. Anything unexpected ends the program. */
void compare_load(const struct pair *pair);
/* Writes the tables of tcflow-diff, from the first database to the second, as script elements of the class `table`. */
void compare_write(FILE *out, const struct pair *pair);

#endif
