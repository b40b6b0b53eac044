/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of filters, instances, keys and files: which ones are allowed, and which one a mistyped word is nearest to. */
#ifndef TCFLOW_FRAMEWORK_NAMES_H
#define TCFLOW_FRAMEWORK_NAMES_H

#include <stddef.h>

/* Returns the candidate with the least edit distance from `word`, or NULL when none is near. */
const char *nearest_name(const char *word, const char *const *candidates, size_t n);
/* Does `name` match [A-Za-z_][A-Za-z0-9_-]*, as instances and sections do? With `strict` [a-z][a-z0-9_]*, as filters
 * and keys do. */
int valid_name(const char *name, int strict);

#endif
