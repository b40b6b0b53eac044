/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* An OTF2 archive as a source: its locations can be read in any order, and again. */
#ifndef TCFLOW_FRAMEWORK_OTF2_SOURCE_H
#define TCFLOW_FRAMEWORK_OTF2_SOURCE_H

#include "framework/trace/source.h"

/* Opens an archive by its anchor file and reads all its definitions, global and local. NULL: failed (the cause is
 * recorded). */
source *otf2_source_open(const char *anchor, const source_options *options);

#endif
