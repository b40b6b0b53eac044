/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Measures the cost of copying a message: memcpy of all sizes, with the data in the cache or not, or half of an MPI
 * message's way. Each time is that of many copies, so that the clock's resolution doesn't matter. */
#define _GNU_SOURCE
#include "calibrate.h"

#include <tcflow/order.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 31, FEW_ROUNDS = 7, LINE = 64 };

static const uint64_t large = UINT64_C(1) << 20;        /* larger sizes get fewer rounds */
static const uint64_t most_cache = UINT64_C(128) << 20; /* larger sizes would need too much memory */
static const double long_enough = 20e-6;                /* seconds of a round, for clocks of a microsecond and better */

/* Hides from the compiler which function is called. */
static void *(*volatile copier)(void *, const void *, size_t) = memcpy;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return TCF_ORDER(*x, *y);
}

/* A region which copies visit in an order that no prefetcher foresees. */
struct walk {
    unsigned char *from, *to;
    uint64_t bytes, size, at, places, step, stride;
};

/* Returns the seconds of `times` copies. Each copy depends on a byte that the copy before has read, so they don't
 * overlap. */
static double copies(struct walk *w, uint64_t times)
{
    double begin = now();
    uint64_t at = w->at;
    for (uint64_t i = 0; i < times; i++) {
        uint64_t offset = at * w->stride;
        copier(w->to + offset, w->from + offset, w->size);
        at += w->step + (w->to[offset + w->size - 1] & 0x80); /* the region holds no such byte */
        at -= at >= w->places ? w->places : 0;
    }
    w->at = at;
    return now() - begin;
}

/* Shortest and median time of a copy. */
static void time_copies(struct walk *w, struct copy_time *to)
{
    double time[ROUNDS] = {0};
    int rounds = w->size < large ? ROUNDS : FEW_ROUNDS;
    uint64_t times = 1;
    copies(w, 1);
    while (w->size < large && copies(w, times) < long_enough)
        times *= 2;
    for (int i = 0; i < rounds; i++)
        time[i] = copies(w, times) / (double)times;
    qsort(time, (size_t)rounds, sizeof time[0], compare);
    to->least = time[0];
    to->median = time[rounds / 2];
}

static void measure(struct walk *w, struct copying *c, enum copy how)
{
    for (uint32_t i = 0; i < c->n; i++) {
        w->size = c->size[i];
        w->stride = (w->size + 4095) / 4096 * 4096 + LINE; /* a page of its own, at another place in it each time */
        w->places = how == COPY_COLD ? (w->bytes - w->size) / w->stride + 1 : 1;
        w->step = how == COPY_COLD ? (uint64_t)(0.618 * (double)w->places) : 0;
        w->at = 0;
        time_copies(w, &c->time[how][i]);
    }
}

/* Asks the kernel, which is nearer to the truth in virtual machines than the processor. */
static uint64_t last_level_cache(void)
{
    uint64_t largest = 0;
    for (int i = 0; i < 8; i++) {
        char path[80], unit = ' ';
        unsigned long long size;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        FILE *file = open_if_there(path);
        if (file && fscanf(file, "%llu%c", &size, &unit) >= 1) {
            size <<= unit == 'K' ? 10 : unit == 'M' ? 20 : 0;
            largest = size > largest ? size : largest;
        }
        close_whole(file, path);
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    long found = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (largest == 0 && found > 0)
        largest = (uint64_t)found;
#endif
    if (largest == 0)
        largest = 32 << 20;
    return largest < most_cache ? largest : most_cache;
}

/* Each of the two regions is larger than the last-level cache. */
static void measure_memcpy(struct copying *c, enum copy how)
{
    uint64_t size = c->size[c->n - 1];
    struct walk w = {.bytes = how == COPY_COLD ? 2 * c->cache + 2 * size : size};
    w.from = malloc(w.bytes);
    w.to = malloc(w.bytes);
    if (!w.from || !w.to)
        fail("out of memory: copying up to %llu bytes takes two regions of %llu; --sizes asks for less",
             (unsigned long long)size, (unsigned long long)w.bytes);
    memset(w.from, 1, w.bytes);
    memset(w.to, 2, w.bytes);
    measure(&w, c, how);
    free(w.from);
    free(w.to);
}

/* Where the network costs nothing a message is two copies (eq. 6 of the paper); a round trip is two messages. */
static void measure_mpi(struct copying *c, const struct options *o)
{
    char line[256];
    unsigned long long size;
    double least, median;
    uint32_t n = 0;
    FILE *file = open_ping_pong(o);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%llu %lf %lf", &size, &least, &median) == 3 && n < c->n && size == c->size[n])
            c->time[COPY_MPI][n++] = (struct copy_time){least / 4, median / 4};
    close_ping_pong(file);
    if (n < c->n)
        fail("the ping-pong has measured %u of %u sizes", n, c->n);
}

void copy_measure(struct copying *c, const struct options *o)
{
    c->cache = last_level_cache();
    if (o->copy == COPY_NONE)
        return;
    for (uint64_t size = o->smallest; size <= o->largest; size *= 2)
        c->size[c->n++] = size;
    measure_memcpy(c, COPY_WARM);
    measure_memcpy(c, COPY_COLD);
    if (o->copy == COPY_MPI)
        measure_mpi(c, o);
}
