/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of tcflow-report. main.c: the command line and the file; data.c: the tables as JSON for a script element;
 * page/: the page around them, which the build embeds. */
#ifndef TCFLOW_TOOLS_REPORT_H
#define TCFLOW_TOOLS_REPORT_H

#include "tools/shared/database.h"
#include "tools/shared/pair.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Limits of a page. Rows beyond them are left out: the last ones of the largest tables. */
struct limits {
    uint64_t rows;  /* of a table */
    uint64_t bytes; /* of all data, approximately */
    bool quiet;     /* about what is left out */
};

/* Writes the object that page/data.js reads:
 *
 *   {"version": 3, "tables": [{"place", "instance", "filter", "name", "title", "n_rows", "rows",
 *                              "columns": [{"name", "type", "unit", "help", "detail", "values": [...]}]}],
 *    "texts": [...]}
 *
 * A column's values are those of JSON, but texts, which are positions in `texts`, and integers beyond 2^53, which are
 * strings of digits: JavaScript would round them. A column that gets shorter by it has, instead of `values`, a text
 * `packed`: base64 of the differences of successive integers within 2^51, the first one from 0, each as 2 d or -2 d - 1
 * in LEB128. The integers are the values; of texts the positions, -1 for null; with `scale` the values are the integers
 * divided by it, exactly. n_rows counts the rows of the report, `rows` those of the columns, which may be
 * fewer. Detail columns in
 * ticks are left out: they repeat columns in seconds. No byte of it ends the element, or is invalid UTF-8. Warns of
 * what was left out. */
void data_write(FILE *out, struct database *d, const struct limits *limits);

/* The page in front of the data, and behind; embed.sh makes them. */
extern const unsigned char page_before[], page_after[];
extern const size_t page_before_bytes, page_after_bytes;

#endif
