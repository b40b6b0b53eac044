/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Tables of results, written as text, CSV or JSON to a file or stdout. A report holds the tables of one filter
 * instance. */
#ifndef TCFLOW_FRAMEWORK_REPORT_H
#define TCFLOW_FRAMEWORK_REPORT_H

#include "framework/settings/settings.h"

#include <signal.h>
#include <tcflow/filter.h>

typedef struct report report;

/* Does the report go to standard output as text? */
int report_is_on_screen(const report_conf *conf);
/* How text on standard output looks. Files have all rows, columns and digits. */
typedef struct report_screen {
    size_t rows;  /* of a table, at most; 0: all */
    int brief;    /* as report_brief.c has it: what fits a terminal */
    size_t width; /* in letters, where brief; 0: any */
    int colour;   /* where brief */
} report_screen;
/* Sets that, and a line above it, or NULL. */
void report_on_screen(report *r, const report_screen *screen, const char *heading);

/* Is it JSON that goes to standard output? */
int report_is_json_on_stdout(const report_conf *conf);
/* Makes it a member, by the instance's name, of one document with others; whoever writes the first one has written '{',
 * and writes ',' and '}' behind. */
void report_as_member(report *r);

/* A paragraph in front of the tables, in text alone. */
void report_say(report *r, const char *paragraph);

report *report_new(const char *instance, const report_conf *conf);
tcf_table *report_table(report *r, const char *name, const char *title, const tcf_table_column *columns,
                        uint32_t n_columns);
void report_row(tcf_table *t, const tcf_cell *cells);
/* The same for filters: a row of another number of cells is a misuse. */
void report_cells(tcf_table *t, const tcf_cell *cells, uint32_t n);
/* Where *interrupted (NULL: there is none) is not 0, rows are neither taken nor written any more, and report_is_whole()
 * and report_finish() fail. */
void report_heed(report *r, const volatile sig_atomic_t *interrupted);
/* Which clock the ticks of report_rows() are of; before the first table. */
void report_clock(report *r, const tcf_clock *clock);
/* What the trace leaves open. */
typedef struct report_gaps {
    int sampled;           /* its events follow from samples */
    int messages;          /* messages and collective operations are unknown */
    int sizes, some_sizes; /* their sizes, or some of them, are */
    int follows;           /* all of the report follows from messages and collective operations */
} report_gaps;
/* Of all further tables titles say so where it concerns them, and cells that are unknown have no value. */
void report_leave_open(report *r, const report_gaps *gaps);
void report_rows(tcf_table *t, const void *rows, size_t n, size_t stride);
/* Refuses (error_usage()) an existing output unless `overwrite`. To be called before the first event flows. */
tcf_status report_check(const report_conf *conf);
/* Whoever fills a report asks behind the last row, and gives a report that has lost one for want of memory to nobody:
 * filters and files with all results read tables of reports that are not written. */
tcf_status report_is_whole(const report *r);
/* Writes all tables; the file gets its name when it is complete. */
tcf_status report_finish(report *r);
/* What a filter did wrong with its tables, behind "filter 'x' "; NULL: nothing. */
const char *report_misuse(const report *r);
void report_delete(report *r);

#endif
