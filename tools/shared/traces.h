/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Traces where a tool compares databases: tcflow makes a database of each. */
#ifndef TCFLOW_TOOLS_TRACES_H
#define TCFLOW_TOOLS_TRACES_H

#include <stdbool.h>

/* Is it an anchor file, by its name, or a folder? */
bool is_trace(const char *path);
/* Ends the program where there is no such file or folder, before any of several inputs is read. */
void expect_input(const char *path);
/* Has tcflow run the pipeline, a settings file or a preset, over the trace, and write its results to the database
 * `file`, whose name is told where it is `kept`. The program ends where that fails. */
void trace_to_database(const char *trace, const char *pipeline, const char *file, bool kept, bool overwrite);

#endif
