/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Writes all tables of a run to an SQLite file; doc/results.md describes the schema. */
#ifndef TCFLOW_FRAMEWORK_DATABASE_H
#define TCFLOW_FRAMEWORK_DATABASE_H

#include "results.h"

/* DATABASE_SCHEMA is the file's user_version; it rises when something is renamed or removed. */
enum { DATABASE_SCHEMA = 1, DATABASE_APPLICATION = 0x7463666c /* "tcfl", the file's application_id */ };

/* SQLite's version; NULL: tcflow was built without it. */
const char *database_version(void);
/* Refuses (error_usage()) a path that cannot be written or must not be replaced. To be called before the first event
 * flows. */
tcf_status database_check(const char *path, int overwrite);
/* Writes all results to PATH.incomplete, and renames it when the run is complete. A file that cannot be finished is
 * removed. */
tcf_status database_write(const char *path, int overwrite, const results *r);

#endif
