/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Opens what `input` of [pipeline] names; the only header of this room that other rooms need. */
#ifndef TCFLOW_FRAMEWORK_OPEN_H
#define TCFLOW_FRAMEWORK_OPEN_H

#include "framework/trace/source.h"

#define SOURCE_BLANKS " \t\n" /* between several inputs: -i "$(ls *.otf2)" has line ends */

/* Opens an archive, a stream, or several of them, separated by blanks, as one source; or a file of another format,
 * where the options have its reader. NULL: failed (the cause is recorded). */
source *source_open(const char *input, const source_options *options);
/* The same input with each folder replaced by the anchor file in it, traces.otf2 or the only one there is, where it has
 * one. To be freed; NULL: out of memory. */
char *source_anchors(const char *input);
/* Does `input` name a stream, or several inputs with a stream among them? */
int source_names_stream(const char *input);
/* Does `input` name an archive, or several inputs? */
int source_names_archive(const char *input);
/* Does `input` name several files of another format than those, separated by blanks? Then there is no file with the
 * whole text for a name, and there is one with its first word. */
int source_names_files(const char *input);
/* Does `input` name several inputs? */
int source_names_several(const char *input);

#endif
