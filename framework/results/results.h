/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All results of a run, as the writers of the SQLite database and the page get them. */
#ifndef TCFLOW_FRAMEWORK_RESULTS_H
#define TCFLOW_FRAMEWORK_RESULTS_H

#include "framework/base/output.h"
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
    int complete;         /* the run is complete; else the file stays NAME.incomplete */
    const char *database; /* where a database of all this lies; NULL: none does */
} results;

/* Origin of a part: "framework", "survey", "chain". */
const char *results_place(const results_part *part);
size_t results_count_tables(const results *r);

/* A kind of file with all results of a run. */
typedef struct results_file {
    output_kind kind;
    /* Fills the empty file; NULL: tcflow was built without the library. */
    tcf_status (*write)(int file, const char *path, const results *r);
    /* Refuses names that cannot be used, and names the program that `write` starts; NULL: neither. */
    tcf_status (*prepare)(const char *path);
    const char *library, *package; /* what it needs, and Debian's name of it */
} results_file;

/* Refuses (error_usage()) a path that cannot be written or must not be replaced. To be called before the first event
 * flows. */
tcf_status results_file_check(const results_file *f, const char *path, int overwrite);
/* Writes all results to PATH.incomplete, and renames it when the run is complete. A file that cannot be finished is
 * removed. Sets *name to where it lies, to be freed, unless it lies nowhere; name may be NULL. */
tcf_status results_file_write(const results_file *f, const char *path, int overwrite, const results *r, char **name);

#endif
