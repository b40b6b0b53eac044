/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* All bytes of a file from an offset on: the system may read or write fewer than it is asked for, and a signal may come
 * in between. */
#ifndef TCFLOW_PRIVATE_FILE_BYTES_H
#define TCFLOW_PRIVATE_FILE_BYTES_H

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

/* Reads n bytes, fewer only where the file ends. Returns their number; -1: errno. */
static inline ssize_t tcf_read_at(int fd, uint64_t at, void *to, size_t n)
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

/* Writes n bytes. -1: errno; some of them may have been written. */
static inline int tcf_write_at(int fd, uint64_t at, const void *from, size_t n)
{
    size_t done = 0;

    while (done < n) {
        const ssize_t put = pwrite(fd, (const char *)from + done, n - done, (off_t)(at + done));
        if (put < 0 && errno == EINTR)
            continue;
        if (put == 0)
            errno = ENOSPC;
        if (put <= 0)
            return -1;
        done += (size_t)put;
    }
    return 0;
}

#endif
