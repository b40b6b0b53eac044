/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a report is made of, for those that render it: report.c (CSV, JSON), report_text.c,
 * database.c and html_data.c. Nobody else includes
 * this. */
#ifndef TCFLOW_FRAMEWORK_REPORT_TABLES_H
#define TCFLOW_FRAMEWORK_REPORT_TABLES_H

#include "report.h"

#include <stdio.h>

/* With strings of our own. */
struct column {
    const char *name, *unit, *help;
    int type; /* tcf_cell_type, without TCF_CELL_DETAIL and TCF_CELL_LEADS */
    int detail, leads;
};

struct tcf_table {
    report *owner;
    struct tcf_table *next;
    char *name, *title;
    struct column *columns;
    uint32_t n_columns;
    tcf_cell *cells; /* n_rows x n_columns; texts are our own */
    size_t n_rows, capacity;
};

struct report {
    char *instance, *output;
    char *heading; /* of text on standard output, may be NULL */
    size_t rows;   /* of a table, of text on standard output; 0: all */
    int format, overwrite;
    int out_of_memory; /* a row got lost; report_finish() fails */
    tcf_table *first, **last;
};

/* "text", "int", ...: by type. */
extern const char *const report_type_names[];

enum { REPORT_CELL_BYTES = 64 };

/* A cell as text that people read; numbers go to `buffer`. */
const char *report_readable(const struct column *column, tcf_cell cell, char buffer[REPORT_CELL_BYTES]);
/* A column's name with its unit. */
void report_header(const struct column *column, char *to, size_t capacity);
/* A table as text, with at most so many rows (0: all). */
tcf_status report_text(FILE *out, const tcf_table *t, size_t rows);

#endif
