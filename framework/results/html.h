/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All tables of a run in one HTML page with charts; what is on it is told in doc/html-report.md. */
#ifndef TCFLOW_FRAMEWORK_HTML_H
#define TCFLOW_FRAMEWORK_HTML_H

#include "results.h"

/* The version of D3 that pages are written with; NULL: built without it. */
const char *html_d3_version(void);
/* Refuses (tcf_usage()) what cannot be written or may not be replaced; to be called before the first event flows. */
tcf_status html_check(const char *path, int overwrite);
/* Writes the page to PATH.incomplete, and gives it its name if the run is complete. What could not be written to its
 * end is removed. */
tcf_status html_write(const char *path, int overwrite, const results *r);

#endif
