/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See private/handles_host.h. The reader of event files uses them, and by way of the host table their writer. */
#ifndef TCFLOW_FRAMEWORK_HANDLES_H
#define TCFLOW_FRAMEWORK_HANDLES_H

#include <private/handles_host.h>

/* Raises the limit of open files, and takes of it what the list may have at most: so many eighths of what one of
 * `shares` readers, each with its writer, may have (0: the only one), and what the other one of both, with as many
 * locations, doesn't need. -1: out of memory. */
int handles_init(tcf_handles *h, uint32_t locations, uint32_t shares, uint32_t eighths);
void handles_close_all(tcf_handles *h);

/* The handle of a location's file where it is open, else -1. `place` is the location's own: where the list had it. */
int handles_find(const tcf_handles *h, uint32_t location, uint32_t place);
/* Opens it; where there are too many, another one is closed. -1: errno says why. */
int handles_open(tcf_handles *h, uint32_t location, const char *path, int flags, uint32_t *place);
/* Closes it where it is open. -1: what was written to it may be lost; errno says why. */
int handles_close(tcf_handles *h, uint32_t location, uint32_t place);

extern const tcf_handles_host handles_host;

#endif
