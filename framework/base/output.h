/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How files with results are written. An existing file is replaced only where `overwrite` allows it; a file gets its
 * name when it is complete and is called NAME.incomplete before; names are checked before the first event flows. */
#ifndef TCFLOW_FRAMEWORK_OUTPUT_H
#define TCFLOW_FRAMEWORK_OUTPUT_H

#include <tcflow/filter.h>

enum { OUTPUT_PATH_BYTES = 4096 };

/* Is there something under this name that is neither a regular file nor a folder (a pipe, /dev/null)? Such is written
 * to directly. */
int output_is_special(const char *path);
/* Can a file of this name be created? Refuses (error_usage()) a folder, an existing file unless `overwrite`, and a
 * folder without write permission. `what` names the file in messages: "output". Writes nothing. */
tcf_status output_check(const char *what, const char *path, int overwrite);
/* Sets to[] to "PATH.incomplete"; fails when that is longer than OUTPUT_PATH_BYTES. */
tcf_status output_beside(const char *what, const char *path, char to[OUTPUT_PATH_BYTES]);
/* Renames the complete file `from` to `path`. Without `overwrite` a file that has appeared there meanwhile stays, and
 * the call fails. */
tcf_status output_publish(const char *what, const char *from, const char *path, int overwrite);

/* A kind of file with the results of a whole run: a regular file, which may replace only a file of its kind. */
typedef struct output_kind {
    const char *key;    /* key in [pipeline], and name in messages: "database" */
    const char *called; /* "a database" */
    const char *like;   /* "SQLite database" */
    const char *start;  /* first bytes of such a file */
    size_t start_bytes; /* at most 64 */
} output_kind;

/* As output_check(); also refuses standard output, devices, and to replace a file of another kind. */
tcf_status output_check_kind(const output_kind *kind, const char *path, int overwrite);
/* Creates an empty file, locked until it is closed; discards the contents of an earlier one. Returns its descriptor, or
 * -1 (the cause is recorded). */
int output_create(const output_kind *kind, const char *path);

#endif
