/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Loaded in front of tcflow or one of its tools (LD_PRELOAD): one allocation fails, that with the number FAILING (from
 * 1 on), of the program, of a plugin, or of the C library for one of them (asprintf(), open_memstream(), fopen());
 * other libraries have all memory. OF: only those of objects whose path holds this text, as "/plugins/". At the end the
 * number of allocations goes to the file ALLOCATIONS, in its second line the number of those before the sandbox, which
 * begins with a folder of temporary files, and in its third line the numbers of the first and the last allocation of
 * each place: places are different where their stacks are. What destructors allocate isn't counted: where coverage is
 * measured, gcov's are among them. */
#define _GNU_SOURCE /* dladdr(), RTLD_NEXT */
#include "../support/places.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned long failing, before_sandbox;
static atomic_ulong count;    /* of all threads */
static atomic_int left_alone; /* destructors run, or another library has called the C library */
static const char *to, *of;
static int out = -1; /* opened at the start: later the sandbox is in the way */

__attribute__((constructor)) static void start(void)
{
    places_start();
    const char *number = getenv("FAILING");
    to = getenv("ALLOCATIONS");
    of = getenv("OF");
    failing = number ? strtoul(number, NULL, 10) : 0;
    if (strncmp(program_invocation_short_name, "tcflow", 6) != 0)
        to = NULL; /* `env`, a shell */
    else
        unsetenv("LD_PRELOAD"); /* programs that it starts have all memory */
    out = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;
}

__attribute__((destructor)) static void end(void)
{
    if (out < 0)
        return;
    to = NULL;
    dprintf(out, "%lu\n%lu\n", atomic_load(&count), before_sandbox);
    places_write(out);
    close(out);
}

static void leave_alone(void)
{
    atomic_fetch_add(&left_alone, 1);
}

/* Registered by the program's first allocation, so that it runs before destructors do. */
static void leave_the_end_alone(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;

    if (!atomic_flag_test_and_set(&done))
        atexit(leave_alone);
}

int dlclose(void *handle)
{
    int (*next)(void *);

    *(void **)&next = dlsym(RTLD_NEXT, "dlclose");
    leave_alone();
    const int result = next(handle);
    atomic_fetch_sub(&left_alone, 1);
    return result;
}

static int fails(const void *caller)
{
    Dl_info in;
    if (!to || !dladdr(caller, &in) || !in.dli_fname)
        return 0;
    const char *slash = strrchr(in.dli_fname, '/'), *name = slash ? slash + 1 : in.dli_fname;
    if (strncmp(name, "tcflow", 6) != 0 && strncmp(name, "libc.so", 7) != 0 && !strstr(in.dli_fname, "/plugins/"))
        return 0;
    if (strncmp(name, "tcflow", 6) == 0)
        leave_the_end_alone();
    if (atomic_load(&left_alone) > 0 || (of && !strstr(in.dli_fname, of)))
        return 0;
    const unsigned long number = atomic_fetch_add(&count, 1) + 1;
    if (failing == 0)
        places_note(number);
    if (number != failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

/* What another library has from the C library in there is the other library's. libotf2 calls gethostid() where it
 * writes an anchor file; of an allocation that fails in it glibc 2.36 dies (NSS looks the host's name up). ncurses
 * reads what it knows of a terminal in newterm(), and keeps in a tree what it has found out of sequences: without
 * memory it takes the terminal for an unknown one, or moves the cursor to a wrong place, and says neither. */
long gethostid(void)
{
    long (*next)(void);

    *(void **)&next = dlsym(RTLD_NEXT, "gethostid");
    leave_alone();
    const long id = next();
    atomic_fetch_sub(&left_alone, 1);
    return id;
}

void *newterm(const char *kind, FILE *to_terminal, FILE *from_terminal)
{
    void *(*next)(const char *, FILE *, FILE *);

    *(void **)&next = dlsym(RTLD_NEXT, "newterm");
    leave_alone();
    void *screen = next(kind, to_terminal, from_terminal);
    atomic_fetch_sub(&left_alone, 1);
    return screen;
}

void *tsearch(const void *key, void **root, int (*compare)(const void *, const void *))
{
    void *(*next)(const void *, void **, int (*)(const void *, const void *));

    *(void **)&next = dlsym(RTLD_NEXT, "tsearch");
    leave_alone();
    void *found = next(key, root, compare);
    atomic_fetch_sub(&left_alone, 1);
    return found;
}

/* MPI's own beginning and end, of which its messages are. */
int MPI_Init_thread(void *argc, void *argv, int wanted, void *provided)
{
    int (*next)(void *, void *, int, void *);

    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Init_thread");
    leave_alone();
    const int result = next(argc, argv, wanted, provided);
    atomic_fetch_sub(&left_alone, 1);
    return result;
}

int MPI_Finalize(void)
{
    int (*next)(void);

    *(void **)&next = dlsym(RTLD_NEXT, "MPI_Finalize");
    leave_alone();
    return next();
}

char *mkdtemp(char *template)
{
    char *(*next)(char *);

    *(void **)&next = dlsym(RTLD_NEXT, "mkdtemp");
    if (before_sandbox == 0)
        before_sandbox = atomic_load(&count);
    return next(template);
}

#include "../support/allocations.h"
