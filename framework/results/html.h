/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes all tables of a run to an HTML page with charts; doc/html-report.md describes it. */
#ifndef TCFLOW_FRAMEWORK_HTML_H
#define TCFLOW_FRAMEWORK_HTML_H

#include "results.h"

/* The version of D3 in the page; NULL: tcflow was built without it. */
const char *html_d3_version(void);
/* Refuses (error_usage()) a path that cannot be written or must not be replaced. To be called before the first event
 * flows. */
tcf_status html_check(const char *path, int overwrite);
/* Writes the page to PATH.incomplete, and renames it when the run is complete. A file that cannot be finished is
 * removed. */
tcf_status html_write(const char *path, int overwrite, const results *r);

#endif
