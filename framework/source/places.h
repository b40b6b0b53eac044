/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which files, folders and sockets an input will want: for whoever restricts the process before it is opened. */
#ifndef TCFLOW_FRAMEWORK_PLACES_H
#define TCFLOW_FRAMEWORK_PLACES_H

#include <tcflow/filter.h>

typedef enum source_place {
    PLACE_READ,   /* a file, or a folder with what is below */
    PLACE_SOCKET, /* the name that a Unix socket gets */
    PLACE_NETWORK /* a listening TCP socket; no path */
} source_place;

/* Calls each() for all that `input`, as source_anchors() gives it, wants. Of an archive these are its anchor, the files
 * and the folder beside it with its name, and what symbolic links in that folder point to; of a stream its file; of
 * anything else the folder that it lies in, for readers of other formats look at files beside it. */
tcf_status source_each_place(const char *input, void (*each)(void *data, source_place place, const char *path),
                             void *data);

#endif
