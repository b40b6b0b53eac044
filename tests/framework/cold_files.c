/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow (LD_PRELOAD): bytes that are read only if they are in memory are there as COLD says,
 * "never", or "sometimes", and in parts. Events behind the first ones of a file are read when WAIT_FOR bytes have been
 * wanted ahead. At the end the bytes that other threads than the first have wanted to be read ahead go to the file
 * COUNTED. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static FILE *out; /* opened at the start: later the sandbox is in the way */
static _Atomic unsigned asked;
static _Atomic unsigned long elsewhere;
static int never;
enum { EVENTS = 8192 }; /* bytes that are read of events at least, and of nothing else at once */
static unsigned long wait_for;

__attribute__((constructor)) static void start(void)
{
    const char *how = getenv("COLD"), *to = getenv("COUNTED");
    const char *bytes = getenv("WAIT_FOR");
    wait_for = bytes ? strtoul(bytes, NULL, 10) : 0;
    never = how && strcmp(how, "never") == 0;
    out = to ? fopen(to, "w") : NULL;
}

__attribute__((destructor)) static void end(void)
{
    if (out) {
        fprintf(out, "%lu\n", (unsigned long)elsewhere);
        fclose(out);
    }
}

ssize_t pread64(int fd, void *to, size_t bytes, off64_t at)
{
    static _Atomic unsigned tries; /* in 10 s: a lack of it shows in what is counted */
    while (at > 0 && bytes >= EVENTS && elsewhere < wait_for && tries++ < 1000)
        usleep(10000);
    return syscall(SYS_pread64, fd, to, bytes, at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
    return pread64(fd, to, bytes, at);
}

int posix_fadvise64(int fd, off64_t at, off64_t bytes, int advice)
{
    (void)fd, (void)at;
    if (advice == POSIX_FADV_WILLNEED && syscall(SYS_gettid) != getpid())
        elsewhere += (unsigned long)bytes;
    return 0;
}

int posix_fadvise(int fd, off_t at, off_t bytes, int advice)
{
    return posix_fadvise64(fd, at, bytes, advice);
}

ssize_t preadv64v2(int fd, const struct iovec *to, int n, off64_t at, int flags)
{
    const unsigned turn = asked++ % 3;
    size_t bytes = n == 1 ? to->iov_len : 0;
    (void)flags;
    if (n != 1 || never || turn == 0) {
        errno = EAGAIN;
        return -1;
    }
    if (turn == 1)
        bytes = (bytes + 1) / 2;
    return syscall(SYS_pread64, fd, to->iov_base, bytes, at);
}

ssize_t preadv2(int fd, const struct iovec *to, int n, off_t at, int flags)
{
    return preadv64v2(fd, to, n, at, flags);
}
