/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bytes of a file, as many as there are: the system may return fewer than it is asked for. */
#ifndef TCFLOW_FRAMEWORK_FILE_BYTES_H
#define TCFLOW_FRAMEWORK_FILE_BYTES_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* Reads n bytes from `at` on, fewer only where the file ends. Returns their number; -1: errno. */
static inline ssize_t file_bytes(int fd, uint64_t at, void *to, size_t n)
{
    size_t done = 0;

    while (done < n) {
        const ssize_t got = pread(fd, (char *)to + done, n - done, (off_t)(at + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

#endif
