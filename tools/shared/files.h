/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Where a tool finds tcflow and the files that are installed with it, and its temporary folder. */
#ifndef TCFLOW_TOOLS_FILES_H
#define TCFLOW_TOOLS_FILES_H

#include <stdio.h>

enum { PATH_BYTES = 4096 }; /* of each path that is written here */

/* Writes the path of tcflow: `given` unless it is NULL, or that beside this program, or the plain name, for PATH. */
void find_tcflow(const char *given, char *path);
/* Returns `source`, a folder of the source tree, where this program runs from the build tree; else `installed`. */
const char *bundled_folder(const char *source, const char *installed);

/* Opens a file of the machine that may be missing (NULL). Both end the program for an error that another time would not
 * have, or within the file. */
FILE *open_if_there(const char *path);
void close_whole(FILE *file, const char *path);

/* Writes the path of a file in the temporary folder, which is made when it is asked for first. */
const char *scratch_path(char *path, const char *name);
/* Removes the temporary folder; for atexit(). */
void remove_scratch(void);

#endif
