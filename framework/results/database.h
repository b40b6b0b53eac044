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
extern const results_file database_file;

#endif
