/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The transport of letters (causality/letters.h) between domains that are threads of one process: queues in memory,
 * with a lock a batch. What is sent to a domain comes in the order of sending, whoever sent it. */
#ifndef TCFLOW_FRAMEWORK_BETWEEN_THREADS_H
#define TCFLOW_FRAMEWORK_BETWEEN_THREADS_H

#include "framework/causality/letters.h"

typedef struct between_threads between_threads;

/* NULL: out of memory, see the cause. */
between_threads *between_threads_new(uint32_t domains);
void between_threads_delete(between_threads *t);
/* Around all that domain k does in its thread: it waits until a core is free for it; it uses none any more. */
void between_threads_enter(between_threads *t, uint32_t k);
void between_threads_leave(between_threads *t);
/* What domain k, in its thread, sends and receives by. */
transport between_threads_transport(between_threads *t, uint32_t k);
/* All domains that rest, or come to rest, are to stop. */
void between_threads_stop(between_threads *t);
/* Behind the end: threads that have slept, and decisions of all domains. */
void between_threads_counts(const between_threads *t, uint64_t *sleeps, uint64_t *decisions);

#endif
