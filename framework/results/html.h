/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes all tables of a run to an HTML page with charts; doc/html-report.md describes it. */
#ifndef TCFLOW_FRAMEWORK_HTML_H
#define TCFLOW_FRAMEWORK_HTML_H

#include "results.h"

/* The version of D3 in the page; NULL: tcflow was built without it. */
const char *html_d3_version(void);
extern const results_file html_file;

#endif
