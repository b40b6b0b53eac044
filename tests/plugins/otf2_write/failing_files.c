/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow (LD_PRELOAD): one operation on a file that is being written fails, that with the number
 * FAILING (from 1 on), for the reason REASON, a number of errno. The operations are open(), pwrite() and close(); their
 * number goes to the file OPERATIONS. With SHORT set no call writes more than so many bytes, and every other one is
 * interrupted in front of that. access() of a path that ends like UNSEEN fails for REASON. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { HANDLES = 4096 };

static unsigned long failing, most;
static atomic_ulong count;
static int reason;
static const char *unseen;
static FILE *out;             /* opened at the start: later the sandbox is in the way */
static char written[HANDLES]; /* is it a handle of a file that is being written? */

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAILING"), *why = getenv("REASON"), *bytes = getenv("SHORT");
    const char *to = getenv("OPERATIONS");
    unseen = getenv("UNSEEN");
    out = to ? fopen(to, "w") : NULL;
    failing = number ? strtoul(number, NULL, 10) : 0;
    reason = why ? atoi(why) : EIO;
    most = bytes ? strtoul(bytes, NULL, 10) : 0;
}

__attribute__((destructor)) static void end(void)
{
    if (out) {
        fprintf(out, "%lu\n", atomic_load(&count));
        fclose(out);
    }
}

static int fails(void)
{
    if (atomic_fetch_add(&count, 1) + 1 != failing)
        return 0;
    errno = reason;
    return 1;
}

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    int writes = (flags & O_ACCMODE) == O_WRONLY && strcmp(path, "/dev/null") != 0;
    va_list arguments;

    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (writes && fails())
        return -1;
    int fd = next(path, flags, mode);
    if (fd >= 0 && fd < HANDLES)
        written[fd] = (char)writes;
    return fd;
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    ssize_t (*next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");

    if (fails())
        return -1;
    if (most > 0 && count % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    return next(fd, bytes, most > 0 && n > most ? most : n, offset);
}

int close(int fd)
{
    int (*next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
    int bad = fd >= 0 && fd < HANDLES && written[fd] && fails();

    if (fd >= 0 && fd < HANDLES)
        written[fd] = 0;
    int status = next(fd);
    if (!bad)
        return status;
    errno = reason;
    return -1;
}

int access(const char *path, int mode)
{
    int (*next)(const char *, int) = (int (*)(const char *, int))dlsym(RTLD_NEXT, "access");
    const size_t n = strlen(path), last = unseen ? strlen(unseen) : 0;

    if (!unseen || n < last || strcmp(path + n - last, unseen) != 0)
        return next(path, mode);
    errno = reason;
    return -1;
}
