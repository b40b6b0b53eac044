/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Handles of event files: those used last stay open, up to a number that leaves room below the limit of open files. */
#ifndef TCFLOW_FRAMEWORK_OTF2_HANDLES_H
#define TCFLOW_FRAMEWORK_OTF2_HANDLES_H

#include <stdint.h>

typedef struct open_file open_file;

typedef struct file_handles {
    open_file *files; /* all in a list, by last use */
    uint32_t n, capacity;
    uint32_t newest, oldest;
} file_handles;

/* Raises the limit of open files, and takes up to half of it; `shares` lists do so together, 0: one. -1: out of
 * memory. */
int handles_init(file_handles *h, uint32_t locations, uint32_t shares);
void handles_close_all(file_handles *h);

/* The handle of a location's file where it is open, else -1. `place` is the location's own: where the list had it. */
int handles_find(file_handles *h, uint32_t location, uint32_t place);
/* Opens it; the one used longest ago is closed where there are too many. -1: errno says why. */
int handles_open(file_handles *h, uint32_t location, const char *path, uint32_t *place);
/* Closes it where it is open. */
void handles_close(file_handles *h, uint32_t location, uint32_t place);

#endif
