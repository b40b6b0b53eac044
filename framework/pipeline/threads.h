/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The transport of letters (causality/letters.h) between domains that are threads of one process: queues in memory,
 * with a lock a batch. What is sent to a domain comes in the order of sending, whoever sent it. */
#ifndef TCFLOW_FRAMEWORK_THREADS_H
#define TCFLOW_FRAMEWORK_THREADS_H

#include "framework/causality/letters.h"

typedef struct threads threads;

/* NULL: out of memory, see the cause. */
threads *threads_new(uint32_t domains);
void threads_delete(threads *t);
/* What domain k, in its thread, sends and receives by. */
transport threads_transport(threads *t, uint32_t k);
/* All domains that rest, or come to rest, are to stop. */
void threads_stop(threads *t);

#endif
