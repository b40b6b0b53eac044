/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The contents of a report, for the files of this room that read or write tables. */
#ifndef TCFLOW_FRAMEWORK_REPORT_TABLES_H
#define TCFLOW_FRAMEWORK_REPORT_TABLES_H

#include "report.h"

#include <stdint.h>
#include <stdio.h>

/* A column. */
struct column {
    const char *name, *unit, *help;
    int type; /* TCF_CELL_TEXT to TCF_CELL_DOUBLE */
    int detail, leads, optional;
    enum values { VALUES_ALL, VALUES_WITHOUT_ZEROS, VALUES_NONE } values; /* which of them are known */
    uint32_t declared;                                                    /* all of it, for report_rows() */
};

struct tcf_table {
    report *owner;
    struct tcf_table *next;
    char *name, *title;
    struct column *columns;
    uint32_t n_columns;
    tcf_cell *cells; /* n_rows x n_columns */
    size_t n_rows, capacity;
};

/* What a report says in words, in text alone. */
struct paragraph {
    struct paragraph *next;
    char *text;
};

struct report {
    char *instance, *output;
    report_gaps gaps;
    char *heading; /* of text on standard output; may be NULL */
    report_screen screen;
    struct paragraph *said, **last_said;
    int format, overwrite;
    int member;         /* of a document of several */
    int out_of_memory;  /* a row was lost: report_is_whole() fails */
    const char *misuse; /* of a table by a filter; NULL: none */
    const volatile sig_atomic_t *interrupted;
    tcf_clock clock;
    tcf_table *first, **last;
    string_store *texts; /* and tables, columns: all but the cells */
};

/* Is nothing to be made of further rows? For loops over them. */
static inline int report_is_stopped(const report *r)
{
    return r->interrupted && *r->interrupted;
}

/* Names of the types: "text", "int", ... */
extern const char *const report_type_names[];

/* Has a number of an optional column no value? */
static inline int report_is_absent(const struct column *column, tcf_cell cell)
{
    return column->optional && (column->type == TCF_CELL_INT || column->type == TCF_CELL_UINT) && cell.u == UINT64_MAX;
}

enum { REPORT_CELL_BYTES = 64 };

/* Has the table no column that text shows? */
static inline int report_is_for_programs(const tcf_table *t)
{
    for (uint32_t i = 0; i < t->n_columns; i++)
        if (!t->columns[i].detail)
            return 0;
    return 1;
}

/* A cell as text for people; `buffer` holds numbers. */
const char *report_readable(const struct column *column, tcf_cell cell, char buffer[REPORT_CELL_BYTES]);
/* A column's name with its unit. */
void report_header(const struct column *column, char *to, size_t capacity);
/* Writes the paragraphs of a report, in lines that fit a terminal. */
void report_paragraphs(FILE *out, const report *r);
/* Writes a table as text, with at most `rows` rows (0: all). */
tcf_status report_text(FILE *out, const tcf_table *t, size_t rows);
/* Are there rows, all amounts of which are 0? */
int report_is_of_zeros(const tcf_table *t);
/* Writes a table so that it fits a terminal. *left_out becomes 1 where not all of it is there. */
tcf_status report_brief(FILE *out, const tcf_table *t, const report_screen *screen, int *left_out);

/* Writes one field of a row, `columns` wide and two blanks from the next one; the last one has no blanks behind it. */
void report_field(FILE *out, const char *text, size_t columns, int right, int last);
/* The column whose amounts decide which rows of a long table are shown; NULL: there is none. */
const struct column *report_leading(const tcf_table *t);
/* Keeps `most` of the `n` rows (0: all), in their order: those with the largest amounts in the leading column, or the
 * first. Returns how many they are, or SIZE_MAX: out of memory. */
size_t report_top_rows(const tcf_table *t, size_t *rows, size_t n, size_t most);

#endif
