/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads tables of reports by the names of their columns. */
#ifndef TCFLOW_FRAMEWORK_RESULTS_READ_H
#define TCFLOW_FRAMEWORK_RESULTS_READ_H

#include "report.h"

/* The table of this name; NULL: there is none. `r` may be NULL. */
const tcf_table *read_table(const report *r, const char *name);
const char *read_instance(const report *r);
uint64_t read_rows(const tcf_table *t);
/* -1: there is none. */
int read_column(const tcf_table *t, const char *name);
/* NaN: no value, a text, or no column (-1). */
double read_number(const tcf_table *t, uint64_t row, int column);
/* UINT64_MAX: no value, no whole number without sign, or no column (-1). */
uint64_t read_whole(const tcf_table *t, uint64_t row, int column);
/* "": no value, a number, or no column (-1). */
const char *read_text(const tcf_table *t, uint64_t row, int column);

#endif
