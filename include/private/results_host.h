/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables that other filters of the chain have reported, for a filter which judges results instead of events: the
 * extension TCF_RESULTS_HOST of the host table. Tables and columns are found by name; what isn't there is absent, and
 * nothing fails for it. */
#ifndef TCFLOW_PRIVATE_RESULTS_HOST_H
#define TCFLOW_PRIVATE_RESULTS_HOST_H

#include <tcflow/filter.h>

#define TCF_RESULTS_HOST "results"

/* A table of the framework; it lasts until the run ends, its rows do not change any more. */
typedef struct tcf_result {
    const tcf_table *table;
    const char *instance; /* that has reported it */
    uint64_t n_rows;
} tcf_result;

typedef struct tcf_results_host {
    /* In end(): the table of this name that a filter of this name in front has reported, the last one of several; else
     * one in the survey, whose tables are there where a file with all results is wanted. 0: there is none, *found is
     * empty. */
    int (*find)(const tcf_self *self, const char *filter, const char *table, tcf_result *found);
    /* The number of a column by its name; -1: the table has none of this name, or is empty. */
    int (*column)(const tcf_result *of, const char *name);
    /* A cell as a number; NaN: it has no value, or is a text, or `column` is -1. */
    double (*number)(const tcf_result *of, uint64_t row, int column);
    /* A cell as a whole number without sign; UINT64_MAX: it has no value, or is none. */
    uint64_t (*whole)(const tcf_result *of, uint64_t row, int column);
    /* A cell as text; "": it has none, or is a number, or `column` is -1. */
    const char *(*text)(const tcf_result *of, uint64_t row, int column);
    /* In init(): as text on standard output the report comes in front of all others. */
    void (*lead)(tcf_self *self);
    /* In end(): a paragraph of the report as text, in front of its tables; files of other formats don't have it. */
    void (*say)(tcf_self *self, const char *paragraph);
} tcf_results_host;

static inline const tcf_results_host *tcf_results_host_of(const tcf_self *self)
{
    return (const tcf_results_host *)self->host->extension(self, TCF_RESULTS_HOST);
}

#endif
