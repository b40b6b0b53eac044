/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The views of a database of results: answers to the most common questions. Only here does the framework name
 * filters. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_VIEWS_H
#define TCFLOW_FRAMEWORK_DATABASE_VIEWS_H

#include <stddef.h>

/* A view of the tables of this name of all instances of a filter, one below the other, with the instance as first
 * column. It exists when the filter is in the run. */
typedef struct database_view {
    const char *name, *filter, *table;
    const char *select; /* the columns, between SELECT and FROM */
    const char *where;  /* what follows FROM; "": all rows in their order */
} database_view;

extern const database_view database_views[];
extern const size_t n_database_views;

#endif
