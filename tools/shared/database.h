/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads databases of results (doc/results.md). Anything unexpected ends the program with a message. */
#ifndef TCFLOW_TOOLS_DATABASE_H
#define TCFLOW_TOOLS_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;
struct names; /* program.h */

struct database {
    struct sqlite3 *db;
    const char *path;
    const struct names *instances; /* of filters, which are preferred where a run has several of a filter */
    uint32_t n_instances;          /* of the filter that have the table asked for last */
    char instance[256];            /* the one of them that is used */
};

void database_open(struct database *d, const char *path, const struct names *instances);
/* Once all databases have been opened: ends the program where none of them has one of the instances. */
void database_check_instances(const struct names *instances);
void database_close(struct database *d);
/* A query, whose text sqlite3_mprintf() makes: %Q is a text, "%w" a name. Messages call what is read `what`. */
struct sqlite3_stmt *database_ask(struct database *d, const char *what, const char *format, ...);
/* Is there such a table? Views and virtual tables, which could run anything, are none. */
bool database_has(struct database *d, const char *name);
/* Reads the next row of a query. At the end it frees the query and returns false. Messages call what is read `what`. */
bool database_row(struct database *d, const char *what, struct sqlite3_stmt *query);
/* Rows of a filter's table (NULL: one of the run itself) with the columns of these names, in order. NULL: no such
 * table. */
struct sqlite3_stmt *database_table(struct database *d, const char *filter, const char *table, const char *columns);
double database_number(struct sqlite3_stmt *row, int column);
/* UTF-8; NULL is "". To be freed. */
char *database_text(struct sqlite3_stmt *row, int column);

#endif
