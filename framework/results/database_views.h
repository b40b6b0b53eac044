/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The views of a database of results: what people ask for first. The framework knows filters by name nowhere else. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_VIEWS_H
#define TCFLOW_FRAMEWORK_DATABASE_VIEWS_H

#include <stddef.h>

/* A view is there when the filter is in the run; it shows the tables of this name of all instances of the filter, one
 * below the other, with the instance in front. */
typedef struct database_view {
    const char *name, *filter, *table;
    const char *select; /* the columns, between SELECT and FROM */
    const char *where;  /* what follows FROM, "": all rows in their order */
} database_view;

extern const database_view database_views[];
extern const size_t n_database_views;

#endif
