/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A temporary file without a name, in TMPDIR or /tmp; it vanishes with the process. It is made by the first write. */
#ifndef TCFLOW_FRAMEWORK_FOREIGN_TEMPORARY_H
#define TCFLOW_FRAMEWORK_FOREIGN_TEMPORARY_H

#include <tcflow/filter.h>

typedef struct temporary {
    int is_open, file;
    uint64_t bytes; /* where append() goes on */
} temporary;

tcf_status temporary_append(temporary *t, const void *data, size_t bytes);
tcf_status temporary_write(temporary *t, const void *data, size_t bytes, uint64_t at);
tcf_status temporary_read(const temporary *t, void *data, size_t bytes, uint64_t at);
void temporary_close(temporary *t);

#endif
