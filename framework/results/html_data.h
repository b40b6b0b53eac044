/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The data of an HTML report: JSON for a script element. */
#ifndef TCFLOW_FRAMEWORK_HTML_DATA_H
#define TCFLOW_FRAMEWORK_HTML_DATA_H

#include "results.h"
#include <stdio.h>

/* Limits of a page. Rows beyond them are left out: the last ones of the largest tables. */
enum {
    HTML_ROWS = 200000,          /* of a table */
    HTML_BYTES = 8 * 1024 * 1024 /* of all data, approximately */
};

/* Writes the object that framework/results/html/data.js reads:
 *
 *   {"version": 1, "tables": [{"place", "instance", "filter", "name", "title", "n_rows",
 *                              "columns": [{"name", "type", "unit", "help", "detail", "values": [...]}]}],
 *    "texts": [...]}
 *
 * A column's values are those of JSON, but texts, which are positions in `texts`, and integers beyond 2^53, which are
 * strings of digits: JavaScript would round them. n_rows counts the rows of the report, of which the columns may have
 * fewer. Detail columns in ticks are left out: they repeat columns in seconds. No byte of it ends the element, or is
 * invalid UTF-8. Logs what was left out. */
tcf_status html_data_write(FILE *out, const results *r);
/* The same with other limits. */
tcf_status html_data_write_within(FILE *out, const results *r, size_t rows, size_t bytes);

#endif
