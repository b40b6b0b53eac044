/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of tables and columns in SQLite: unique, not reserved, valid UTF-8. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_NAMES_H
#define TCFLOW_FRAMEWORK_DATABASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* The names in use. SQLite compares them without regard to the case of ASCII letters. */
typedef struct names {
    char **at;
    uint32_t n, capacity;
} names;

/* An unused name like the wanted one; owned by `taken`. NULL: out of memory. */
char *names_take(names *taken, const char *wanted);
void names_free(names *taken);
/* A copy of a text with U+FFFD for what is no UTF-8; release with sqlite3_free(). NULL: out of memory. */
char *names_clean(const char *text);

#endif
