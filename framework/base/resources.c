/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See resources.h. */
#include "resources.h"

#include <sys/resource.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct timespec time_in(uint64_t ns)
{
    const uint64_t second = 1000000000;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t behind = (uint64_t)t.tv_nsec + ns;
    t.tv_sec += (time_t)(behind / second);
    t.tv_nsec = (long)(behind % second);
    return t;
}

double now_cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

uint64_t peak_bytes(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)u.ru_maxrss * 1024;
}

void give_back_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
