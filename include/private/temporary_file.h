/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Temporary files. */
#ifndef TCFLOW_PRIVATE_TEMPORARY_FILE_H
#define TCFLOW_PRIVATE_TEMPORARY_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Where they go if nothing else is said. */
static inline const char *tcf_temporary_folder(void)
{
    const char *named = getenv("TMPDIR");
    return named && *named ? named : "/tmp";
}

/* Creates a file that has no name, so it is gone with its descriptor. -1: errno. */
static inline int tcf_unnamed_file(const char *folder)
{
    char name[4096];
    const int n = snprintf(name, sizeof name, "%s/tcflow.XXXXXX", folder);

    if (n < 0 || (size_t)n >= sizeof name)
        return errno = ENAMETOOLONG, -1;
    const int fd = mkstemp(name);
    if (fd < 0 || (fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && unlink(name) == 0))
        return fd;
    const int reason = errno;
    close(fd);
    return errno = reason, -1;
}

#endif
