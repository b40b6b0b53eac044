/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All results of a run, as the files get them that hold all of them: the SQLite database, the HTML report. */
#ifndef TCFLOW_FRAMEWORK_RESULTS_H
#define TCFLOW_FRAMEWORK_RESULTS_H

#include "report.h"

/* The tables of one instance. */
typedef struct results_part {
    report *report;
    const char *filter; /* NULL: the framework's own, whose tables have plain names */
    int survey;         /* its instance stands in the survey, else in the chain */
} results_part;

typedef struct results {
    const results_part *parts; /* the framework's own first, then survey and chain in their order */
    size_t n;
    int complete; /* the run is; else the file stays NAME.incomplete */
} results;

/* Where a part comes from: "framework", "survey", "chain". */
const char *results_place(const results_part *part);
size_t results_count_tables(const results *r);

#endif
