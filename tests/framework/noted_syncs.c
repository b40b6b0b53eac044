/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of a program (LD_PRELOAD): appends a line for each file or folder that it syncs and each name that it
 * gives to the file SYNCS: "sync NAME", "rename NAME NAME". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int syncs = -1; /* opened at the start: later the sandbox is in the way */

__attribute__((constructor)) static void start(void)
{
    const char *to = getenv("SYNCS");
    syncs = to ? open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
}

static void note(const char *what, const char *a, const char *b)
{
    char line[2 * PATH_MAX + 16];
    int n = snprintf(line, sizeof line, "%s %s%s%s\n", what, a, *b ? " " : "", b);
    if (syncs >= 0 && write(syncs, line, (size_t)n) != n)
        abort();
}

static void note_descriptor(int fd)
{
    char link[64], name[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, name, sizeof name - 1);
    name[n > 0 ? n : 0] = '\0';
    note("sync", name, "");
}

int fsync(int fd)
{
    note_descriptor(fd);
    return (int)syscall(SYS_fsync, fd);
}

int syncfs(int fd)
{
    note_descriptor(fd);
    return 0;
}

int rename(const char *from, const char *to)
{
    note("rename", from, to);
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int in, const char *from, int of, const char *to, unsigned flags)
{
    note("rename", from, to);
    return (int)syscall(SYS_renameat2, in, from, of, to, flags);
}
