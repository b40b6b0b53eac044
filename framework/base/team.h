/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Threads that help one thread with work which falls into parts. What a part does and writes must not depend on other
 * parts of the same work; then results don't depend on the number of threads. */
#ifndef TCFLOW_FRAMEWORK_TEAM_H
#define TCFLOW_FRAMEWORK_TEAM_H

#include <stdint.h>

/* What a thread that waits does between two looks at memory: the core's other thread goes on meanwhile. */
static inline void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

typedef struct team team;

/* With so many helpers at most, fewer where no more threads can be started. NULL: out of memory. */
team *team_new(uint32_t helpers);
void team_delete(team *t);
/* Calls work(data, k) for each k below n, in any order, some of them at the same time; returns when all have returned.
 * One thread calls it. NULL: one after another. */
void team_run(team *t, void (*work)(void *data, uint32_t k), void *data, uint32_t n);

#endif
