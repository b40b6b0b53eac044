/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The transport of letters (causality/letters.h) between the domains of this process, which run on a few threads:
 * queues in memory, with a lock a batch. What is sent to a domain comes in the order of sending, whoever sent it.
 * Batches for domains in other processes go to these by `peers`, which one of the threads alone calls: the one that has
 * made this. */
#ifndef TCFLOW_FRAMEWORK_BETWEEN_THREADS_H
#define TCFLOW_FRAMEWORK_BETWEEN_THREADS_H

#include "peers.h"

typedef struct between_threads between_threads;

/* For domains first, first + 1, ... first + n - 1, which run on so many threads at most. with: NULL: there are no other
 * domains. NULL: out of memory, see the cause. */
between_threads *between_threads_new(uint32_t first, uint32_t n, uint32_t threads, const peers *with);
void between_threads_delete(between_threads *t);
/* A thread that runs domains; all 0 at first. */
enum { RAN_LAST = 3 };
typedef struct domain_runner {
    uint32_t number;         /* 1 + its number; 0: it has none yet */
    uint32_t looks;          /* before it sleeps */
    uint32_t last[RAN_LAST]; /* 1 + the domain, of this process, that it ran last, and so on; 0: none */
    uint32_t again;          /* how often in turn it has run one of these */
} domain_runner;

/* For a thread: the domain that it runs next, until that rests or leaves, and why it goes on (at first
 * VERDICT_LETTERS). Waits for one; 0: all have left. */
int between_threads_next(between_threads *t, domain_runner *me, uint32_t *k, verdict *found);
/* Domain k never runs again. */
void between_threads_leave(between_threads *t, uint32_t k);
/* What domain k sends and receives by. */
transport between_threads_transport(between_threads *t, uint32_t k);
/* Domains that rest look at their inputs again (VERDICT_LETTERS), or hand on what has passed (VERDICT_BEAT). */
void between_threads_wake(between_threads *t, verdict why);
/* All domains that rest, or come to rest, go on by VERDICT_STOP. */
void between_threads_stop(between_threads *t);
/* Behind the end: threads that have slept, and decisions of all domains, without those of `peers`. */
void between_threads_counts(const between_threads *t, uint64_t *sleeps, uint64_t *decisions);

#endif
