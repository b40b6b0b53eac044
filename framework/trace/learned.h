/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a survey leaves to the filters of the main chain: named tables of plain rows; see learn() in filter.h. */
#ifndef TCFLOW_FRAMEWORK_LEARNED_H
#define TCFLOW_FRAMEWORK_LEARNED_H

#include <tcflow/filter.h>

typedef struct learned learned;

/* NULL: out of memory (the cause is recorded). */
learned *learned_new(void);
void learned_delete(learned *l);
/* Copies the rows; a table of the same name is replaced. */
tcf_status learned_put(learned *l, const char *table, size_t row_bytes, const void *rows, uint64_t n);
/* NULL: there is no such table, or its rows have another size. Owned by `l`. */
const void *learned_get(const learned *l, const char *table, size_t row_bytes, uint64_t *n);
/* The tables by number, in the order in which they were first put; 0: there are no more. */
int learned_at(const learned *l, uint32_t i, tcf_learned_table *table);

#endif
