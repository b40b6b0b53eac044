/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of results, rendered as text, CSV or JSON to a file or stdout. A report is one instance's output. */
#ifndef TCFLOW_FRAMEWORK_REPORT_H
#define TCFLOW_FRAMEWORK_REPORT_H

#include "framework/settings/settings.h"

#include <tcflow/filter.h>

typedef struct report report;

/* Is it text on standard output? */
int report_is_on_screen(const report_conf *conf);
/* What text on standard output looks like: at most `rows` rows of a table (0: all), and a line above it, or NULL. */
void report_on_screen(report *r, size_t rows, const char *heading);

report *report_new(const char *instance, const report_conf *conf);
tcf_table *report_table(report *r, const char *name, const char *title, const tcf_table_column *columns,
                        uint32_t n_columns);
void report_row(tcf_table *t, const tcf_cell *cells);
/* Refuses an existing output unless `overwrite`; to be called before the first event flows. */
tcf_status report_check(const report_conf *conf);
/* Writes everything; the file appears under its name only when it is complete. */
tcf_status report_finish(report *r);
void report_delete(report *r);

#endif
