/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A file that a reader (a plugin, <tcflow/source.h>) parses, as a source: it can be read in any order of locations, and
 * again. */
#ifndef TCFLOW_FRAMEWORK_FOREIGN_SOURCE_H
#define TCFLOW_FRAMEWORK_FOREIGN_SOURCE_H

#include "framework/trace/source.h"

/* Has options->format's reader parse the whole file, and sorts what it says. NULL: failed (the cause is recorded). */
source *foreign_source_open(const char *path, const source_options *options);

#endif
