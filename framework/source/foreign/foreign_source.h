/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A file that a reader (a plugin, <tcflow/source.h>) parses, as a source: it can be read in any order of locations, and
 * again. */
#ifndef TCFLOW_FRAMEWORK_FOREIGN_SOURCE_H
#define TCFLOW_FRAMEWORK_FOREIGN_SOURCE_H

#include "framework/trace/source.h"

/* Has options->format's reader parse the whole file, and sorts what it says. NULL: failed (the cause is recorded). */
source *foreign_source_open(const char *path, const source_options *options);
/* The same of several files of one run, which the reader parses one after another; `input` is what the user calls them.
 * Processes, and clocks, are those of each file. */
source *foreign_source_open_several(const char *const *paths, uint32_t n, const char *input,
                                    const source_options *options);

#endif
