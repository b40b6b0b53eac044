/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of tables and columns in SQLite: no two alike, none of SQLite's own, valid UTF-8. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_NAMES_H
#define TCFLOW_FRAMEWORK_DATABASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* Names that are taken, as SQLite compares them: without regard to the case of ASCII letters. */
typedef struct names {
    char **at;
    uint32_t n, capacity;
} names;

/* A name like the one wanted that nobody has yet; owned by `taken`. NULL: out of memory. */
char *names_take(names *taken, const char *wanted);
void names_free(names *taken);
/* A text as UTF-8, as JSON has it; to be freed with sqlite3_free(). NULL: out of memory. */
char *names_clean(const char *text);

#endif
