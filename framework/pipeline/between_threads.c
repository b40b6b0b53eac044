/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See between_threads.h. One lock guards all queues and who rests. That nothing is under way is known exactly: all
 * domains rest, and all queues are empty. The one that comes to rest last decides what is next.
 *
 * A thread takes the domain that is first in line, and runs it until it rests. Meanwhile others collect letters: they
 * have more to do when their turn comes. A thread that finds nobody in line looks for a while before it sleeps. */
#include "between_threads.h"
#include "decide.h"
#include "framework/base/error.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LEAST_LOOKS = 256, MOST_LOOKS = 32768 }; /* before a thread sleeps: the more, the more often it has helped */

typedef enum state { RUNS, IN_LINE, RESTS, LEFT } state;

typedef struct queue {
    between_threads *all;
    uint32_t domain;
    atomic_int any; /* is `first` there? */
    letter_batch *first, **last;
    verdict found; /* what it rests for; VERDICT_LETTERS: nothing yet */
    state state;
    struct queue *behind; /* in line */
} queue;

struct between_threads {
    pthread_mutex_t lock;
    sem_t work;
    uint32_t n, n_resting, n_left, n_full; /* n_full: queues with batches */
    queue *line, **end_of_line;
    atomic_uint n_in_line;
    uint32_t n_asleep, n_to_wake; /* threads; n_to_wake: when the lock is free */
    atomic_uint n_idle;           /* threads that have no domain to run */
    int stop, all_run;            /* all_run: at the same time, for there is a thread for each */
    decision_state decided;       /* written while all domains rest */
    resting *how;                 /* of each domain that rests */
    uint64_t n_sleeps;
    queue at[];
};

/* Holds the lock. */
static void line_up(between_threads *t, queue *q)
{
    q->state = IN_LINE;
    q->behind = NULL;
    *t->end_of_line = q;
    t->end_of_line = &q->behind;
    atomic_fetch_add_explicit(&t->n_in_line, 1, memory_order_relaxed);
    if (t->n_asleep > 0) {
        t->n_asleep--;
        t->n_to_wake++;
    }
}

/* Frees the lock first: who wakes takes it. */
static void unlock(between_threads *t)
{
    uint32_t n = t->n_to_wake;

    t->n_to_wake = 0;
    pthread_mutex_unlock(&t->lock);
    while (n-- > 0)
        sem_post(&t->work);
}

between_threads *between_threads_new(uint32_t domains, uint32_t threads)
{
    between_threads *t = calloc(1, sizeof *t + domains * sizeof *t->at);

    if (!t || !(t->how = calloc(domains, sizeof *t->how))) {
        free(t);
        error_fail("out of memory for %u domains", domains);
        return NULL;
    }
    t->n = domains;
    t->all_run = domains <= threads;
    t->end_of_line = &t->line;
    pthread_mutex_init(&t->lock, NULL);
    sem_init(&t->work, 0, 0);
    for (uint32_t k = 0; k < domains; k++) {
        t->at[k].all = t;
        t->at[k].domain = k;
        t->at[k].last = &t->at[k].first;
        line_up(t, &t->at[k]);
    }
    return t;
}

void between_threads_delete(between_threads *t)
{
    if (!t)
        return;
    for (uint32_t k = 0; k < t->n; k++)
        for (letter_batch *b = t->at[k].first, *next; b; b = next) {
            next = b->next;
            free(b);
        }
    sem_destroy(&t->work);
    pthread_mutex_destroy(&t->lock);
    free(t->how);
    free(t);
}

/* ------------------------------------------------------------------------------------------------------ who runs -- */

/* Holds the lock. */
static void wake(between_threads *t, queue *q, verdict found)
{
    if (q->state != RESTS)
        return;
    q->found = found;
    t->n_resting--;
    line_up(t, q);
}

static int is_over(between_threads *t)
{
    return t->n_left == t->n;
}

/* Looks a while whether somebody lines up, and less long the next time where that was in vain. */
static void look_around(between_threads *t, uint32_t *looks)
{
    uint32_t k = 0;

    *looks = *looks ? *looks : MOST_LOOKS;
    for (; k < *looks && atomic_load_explicit(&t->n_in_line, memory_order_relaxed) == 0; k++) {
#if defined __x86_64__ || defined __i386__
        __builtin_ia32_pause();
#elif defined __aarch64__
        __asm__ volatile("yield");
#endif
    }
    if (k < *looks)
        *looks = *looks < MOST_LOOKS / 2 ? 2 * *looks : MOST_LOOKS;
    else
        *looks = *looks > 2 * LEAST_LOOKS ? *looks / 2 : LEAST_LOOKS;
}

/* Holds the lock, but not while it waits. */
static void wait_for_work(between_threads *t, uint32_t *looks)
{
    atomic_fetch_add_explicit(&t->n_idle, 1, memory_order_relaxed);
    unlock(t);
    look_around(t, looks);
    pthread_mutex_lock(&t->lock);
    if (!t->line && !is_over(t)) {
        t->n_asleep++;
        t->n_sleeps++;
        unlock(t);
        while (sem_wait(&t->work) != 0) /* a signal has come */
            ;
        pthread_mutex_lock(&t->lock);
    }
    atomic_fetch_sub_explicit(&t->n_idle, 1, memory_order_relaxed);
}

int between_threads_next(between_threads *t, uint32_t *looks, uint32_t *k, verdict *found)
{
    pthread_mutex_lock(&t->lock);
    while (!t->line && !is_over(t))
        wait_for_work(t, looks);
    queue *q = t->line;
    if (q) {
        t->line = q->behind;
        if (!t->line)
            t->end_of_line = &t->line;
        atomic_fetch_sub_explicit(&t->n_in_line, 1, memory_order_relaxed);
        q->state = RUNS;
        *k = q->domain;
        *found = t->stop ? VERDICT_STOP : q->found;
    }
    unlock(t);
    return q != NULL;
}

void between_threads_leave(between_threads *t, uint32_t k)
{
    pthread_mutex_lock(&t->lock);
    t->at[k].state = LEFT;
    t->n_left++;
    for (; is_over(t) && t->n_asleep > 0; t->n_asleep--)
        t->n_to_wake++;
    unlock(t);
}

/* ------------------------------------------------------------------------------------------------- the transport -- */

static void send(void *data, letter_batch *list)
{
    between_threads *t = ((queue *)data)->all;

    pthread_mutex_lock(&t->lock);
    for (letter_batch *b = list, *next; b; b = next) {
        queue *q = &t->at[b->to];
        next = b->next;
        b->next = NULL;
        t->n_full += !q->first;
        *q->last = b;
        q->last = &b->next;
        atomic_store_explicit(&q->any, 1, memory_order_relaxed);
        wake(t, q, VERDICT_LETTERS);
    }
    unlock(t);
}

static int has_come(void *data)
{
    return atomic_load_explicit(&((queue *)data)->any, memory_order_relaxed);
}

static letter_batch *take(void *data)
{
    queue *q = data;
    between_threads *t = q->all;

    if (!has_come(data))
        return NULL;
    pthread_mutex_lock(&t->lock);
    letter_batch *found = q->first;
    t->n_full -= found != NULL;
    q->first = NULL;
    q->last = &q->first;
    atomic_store_explicit(&q->any, 0, memory_order_relaxed);
    unlock(t);
    return found;
}

static void wake_all(between_threads *t, verdict found)
{
    for (uint32_t k = 0; k < t->n; k++)
        wake(t, &t->at[k], found);
}

/* Nothing is under way, and nobody runs. */
static void decide_what_is_next(between_threads *t)
{
    int64_t who;
    const verdict found = decide(&t->decided, t->how, t->n, &who);

    if (who == DECIDED_FOR_ALL)
        wake_all(t, found);
    else
        wake(t, &t->at[who], found);
}

static verdict rest(void *data, const resting *how)
{
    queue *q = data;
    between_threads *t = q->all;
    verdict found = VERDICT_LETTERS;

    pthread_mutex_lock(&t->lock);
    t->how[q->domain] = *how;
    decide_moved(&t->decided, how);
    if (t->stop) {
        found = VERDICT_STOP;
    } else if (!q->first) {
        found = VERDICT_LATER;
        q->state = RESTS;
        t->n_resting++;
        if (t->n_resting == t->n && t->n_full == 0)
            decide_what_is_next(t);
    }
    unlock(t);
    return found;
}

static int is_awaited(void *data)
{
    const between_threads *t = ((queue *)data)->all;

    return t->all_run || atomic_load_explicit(&t->n_idle, memory_order_relaxed) > 0;
}

static const uint64_t *watermark(void *data)
{
    return ((queue *)data)->all->decided.watermark;
}

transport between_threads_transport(between_threads *t, uint32_t k)
{
    return (transport){&t->at[k], send, is_awaited, has_come, take, rest, watermark};
}

void between_threads_stop(between_threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = 1;
    wake_all(t, VERDICT_STOP);
    unlock(t);
}

void between_threads_counts(const between_threads *t, uint64_t *sleeps, uint64_t *decisions)
{
    *sleeps = t->n_sleeps;
    *decisions = t->decided.n;
}
