/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a survey hands to the filters of the main chain: named tables of plain rows; see learn() in filter.h. */
#ifndef TCFLOW_FRAMEWORK_LEARNED_H
#define TCFLOW_FRAMEWORK_LEARNED_H

#include <private/stream_host.h>
#include <tcflow/filter.h>

typedef struct learned learned;

/* NULL: out of memory (the cause is recorded). */
learned *learned_new(void);
void learned_delete(learned *l);
/* Copies the rows; replaces a table of the same name. */
tcf_status learned_put(learned *l, const char *table, size_t row_bytes, const void *rows, uint64_t n);
/* The rows, owned by `l`, and their number. NULL: there is no such table, or its rows have another size. */
const void *learned_get(const learned *l, const char *table, size_t row_bytes, uint64_t *n);
/* Sets *table to the i-th table in the order in which they were first put; returns 0 behind the last. */
int learned_at(const learned *l, uint32_t i, tcf_learned_table *table);

#endif
