/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The places of a program at which something may fail, for the objects that let it fail (failing_memory.c,
 * failing_calls.c): points are of one place where their stacks are the same, down to so many callers as CALLERS in the
 * environment says (default: all). */
#ifndef TCFLOW_TESTS_PLACES_H
#define TCFLOW_TESTS_PLACES_H

#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { MOST_PLACES = 1 << 14, MOST_FRAMES = 48, OWN_FRAMES = 3 /* of what notes the place */ };
static struct place {
    uint64_t stack; /* 0: free */
    unsigned long first, last;
} * places; /* of all processes that are forked */
static atomic_flag places_are_in_use = ATOMIC_FLAG_INIT;
static int places_frames = MOST_FRAMES;

/* Takes down where the point `number` is. */
static void places_note(unsigned long number)
{
    void *frame[MOST_FRAMES];
    const int n = backtrace(frame, places_frames);
    uint64_t stack = 1;

    for (int i = 0; i < n; i++)
        stack = (stack ^ (uint64_t)(uintptr_t)frame[i]) * 0x9e3779b97f4a7c15u;
    while (atomic_flag_test_and_set(&places_are_in_use))
        ;
    for (size_t k = 0, at = stack >> 50; places && k < MOST_PLACES; k++, at = (at + 1) % MOST_PLACES) {
        struct place *p = &places[at];
        if (p->stack == 0)
            *p = (struct place){stack, number, number};
        if (p->stack == stack) {
            p->last = number > p->last ? number : p->last;
            break;
        }
    }
    atomic_flag_clear(&places_are_in_use);
}

/* Before anything is counted: the first backtrace() allocates. */
static void places_start(void)
{
    const char *callers = getenv("CALLERS");
    const int most = callers ? OWN_FRAMES + atoi(callers) : MOST_FRAMES;
    void *frame[1];

    places_frames = most < MOST_FRAMES ? most : MOST_FRAMES;
    (void)backtrace(frame, 1);
    places = mmap(NULL, MOST_PLACES * sizeof *places, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (places == MAP_FAILED)
        places = NULL;
}

/* Writes a line with the number of the first point of each place, and one with the last where there are several. */
static __attribute__((unused)) void places_write(int to)
{
    for (size_t k = 0; places && k < MOST_PLACES; k++)
        if (places[k].stack != 0)
            dprintf(to, "%lu ", places[k].first);
    dprintf(to, "\n");
    for (size_t k = 0; places && k < MOST_PLACES; k++)
        if (places[k].last > places[k].first)
            dprintf(to, "%lu ", places[k].last);
    dprintf(to, "\n");
}

#endif
