/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The manners of files with results: nothing is replaced unless that is allowed, a file appears under its name when it
 * is complete (until then it is called NAME.incomplete), and what can be told before the first event flows is. */
#ifndef TCFLOW_FRAMEWORK_OUTPUT_H
#define TCFLOW_FRAMEWORK_OUTPUT_H

#include <tcflow/filter.h>

enum { OUTPUT_PATH_BYTES = 4096 };

/* There is something under this name that is no regular file and not to be replaced, but written to. */
int output_is_special(const char *path);
/* Can a file of this name be made? Refuses (tcf_usage()) a folder, an existing file unless `overwrite`, a folder that
 * cannot be written to. `what` names it in messages: "output". Writes nothing. */
tcf_status output_check(const char *what, const char *path, int overwrite);
/* path.incomplete; fails when that is longer than OUTPUT_PATH_BYTES. */
tcf_status output_beside(const char *what, const char *path, char to[OUTPUT_PATH_BYTES]);
/* Gives the complete file `from` its name, without replacing what came into being meanwhile unless that is allowed. */
tcf_status output_publish(const char *what, const char *from, const char *path, int overwrite);

/* A kind of file that holds the results of a whole run: a regular file of its own, which replaces its like alone. */
typedef struct output_kind {
    const char *key;    /* of [pipeline], and in messages: "database" */
    const char *called; /* "a database" */
    const char *like;   /* "SQLite database" */
    const char *start;  /* what such a file begins with */
    size_t start_bytes; /* at most 64 */
} output_kind;

/* As output_check(); refuses standard output and devices, too, and to replace what is not of this kind. */
tcf_status output_check_kind(const output_kind *kind, const char *path, int overwrite);
/* An empty file that nobody else writes to until it is closed; what was left of an earlier run is gone. -1: see the
 * cause. */
int output_create(const output_kind *kind, const char *path);

#endif
