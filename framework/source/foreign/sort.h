/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sorts any number of records of one size in bounded memory: what doesn't fit is written to a temporary file as sorted
 * runs, which are merged as the records are taken. No two records may be equal. */
#ifndef TCFLOW_FRAMEWORK_FOREIGN_SORT_H
#define TCFLOW_FRAMEWORK_FOREIGN_SORT_H

#include <tcflow/filter.h>

typedef struct sorter sorter;
typedef int (*sorter_compare)(const void *a, const void *b); /* as for qsort() */

/* Where a record belongs roughly, below SORTER_BUCKETS: of two records the one of the lower bucket comes first. Records
 * which come in order within their buckets are sorted in linear time. */
enum { SORTER_BUCKETS = 1 << 16 };
typedef uint32_t (*sorter_bucket)(const void *record);

/* Takes about `memory` bytes. bucket: NULL, where nothing is known that parts the records. NULL: out of memory (the
 * cause is recorded). */
sorter *sorter_new(size_t record_bytes, size_t memory, sorter_compare compare, sorter_bucket bucket);
void sorter_delete(sorter *s);
tcf_status sorter_add(sorter *s, const void *record);
/* No more records will be added. */
tcf_status sorter_finish(sorter *s);
/* The next record, which lasts until the next call; NULL: *status is TCF_OK where that was all. */
const void *sorter_next(sorter *s, tcf_status *status);
/* Bytes written to temporary files so far. */
uint64_t sorter_written(const sorter *s);

#endif
