/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All tables of a run in one SQLite file; the schema is told in doc/results.md. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_H
#define TCFLOW_FRAMEWORK_DATABASE_H

#include "results.h"

/* The schema's number, in the file's user_version: goes up when something is renamed or gone. */
enum { DATABASE_SCHEMA = 1, DATABASE_APPLICATION = 0x7463666c /* "tcfl", the file's application_id */ };

/* SQLite's version; NULL: built without it. */
const char *database_version(void);
/* Refuses (tcf_usage()) what cannot be written or may not be replaced; to be called before the first event flows. */
tcf_status database_check(const char *path, int overwrite);
/* Writes all results to PATH.incomplete, and gives it its name if the run is complete. What could not be written to its
 * end is removed. */
tcf_status database_write(const char *path, int overwrite, const results *r);

#endif
