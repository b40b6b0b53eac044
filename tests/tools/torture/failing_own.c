/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow-torture (LD_PRELOAD), whose malloc() and the like ask the C library's own: one of these
 * allocations fails, that with the number FAILING (from 1 on), of the program or of the C library for it; plugins have
 * all memory, as torture lets theirs fail itself. Each step runs in a child of its own, which counts on from where the
 * program was, so that in each of them an allocation of that number fails. The largest number of all goes to the file
 * ALLOCATIONS. */
#define _GNU_SOURCE /* dladdr(), RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HERE = 3 /* fails(), what is in front of the C library's, and the program's malloc() */ };
static unsigned long failing, count, *most; /* most: of all processes */
static int inside;

__attribute__((constructor)) static void start(void)
{
    const char *number = getenv("FAILING");
    void *frame[1];

    if (strcmp(program_invocation_short_name, "tcflow-torture") != 0)
        return;                /* `env`, a shell */
    (void)backtrace(frame, 1); /* the first one allocates */
    failing = number ? strtoul(number, NULL, 10) : 0;
    most = mmap(NULL, sizeof *most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsetenv("LD_PRELOAD");
}

__attribute__((destructor)) static void end(void)
{
    const char *to = getenv("ALLOCATIONS");
    const int out = most && to ? open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    if (out >= 0)
        dprintf(out, "%lu\n", *most);
    most = NULL;
}

static __attribute__((noinline)) int fails(void)
{
    void *frame[HERE + 1];
    Dl_info in;

    if (!most || inside)
        return 0;
    inside = 1;
    const int known = backtrace(frame, HERE + 1) > HERE && dladdr(frame[HERE], &in) && in.dli_fname;
    inside = 0;
    const char *slash = known ? strrchr(in.dli_fname, '/') : NULL, *name = slash ? slash + 1 : "";
    if (strncmp(name, "tcflow-torture", 14) != 0 && strncmp(name, "libc.so", 7) != 0)
        return 0;
    if (++count > *most)
        *most = count;
    if (count != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

static void *next(const char *name)
{
    void *of;
    inside++;
    of = dlsym(RTLD_NEXT, name);
    inside--;
    return of;
}

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

void *__libc_malloc(size_t bytes)
{
    static void *(*real)(size_t);
    if (!real)
        *(void **)&real = next("__libc_malloc");
    return fails() ? NULL : real(bytes);
}

void *__libc_calloc(size_t n, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    if (!real)
        *(void **)&real = next("__libc_calloc");
    return fails() ? NULL : real(n, bytes);
}

void *__libc_realloc(void *p, size_t bytes)
{
    static void *(*real)(void *, size_t);
    if (!real)
        *(void **)&real = next("__libc_realloc");
    return fails() ? NULL : real(p, bytes);
}
