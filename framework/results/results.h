/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All results of a run, as the writers of the SQLite database and the HTML report get them. */
#ifndef TCFLOW_FRAMEWORK_RESULTS_H
#define TCFLOW_FRAMEWORK_RESULTS_H

#include "report.h"

/* The tables of one filter instance. */
typedef struct results_part {
    report *report;
    const char *filter; /* NULL: the framework's own tables, which have plain names */
    int survey;         /* 1: the instance is part of the survey, else of the chain */
} results_part;

typedef struct results {
    const results_part *parts; /* the framework's own first, then survey and chain in their order */
    size_t n;
    int complete; /* the run is complete; else the file stays NAME.incomplete */
} results;

/* Origin of a part: "framework", "survey", "chain". */
const char *results_place(const results_part *part);
size_t results_count_tables(const results *r);

#endif
