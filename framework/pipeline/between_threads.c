/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See between_threads.h. One lock guards all queues and who rests. That nothing is under way is known exactly: all
 * domains rest, and all queues are empty. The one that comes to rest last decides what is next.
 *
 * At most as many domains run as there are cores. Another one that may run waits in line, and collects letters until
 * one of those rests: it has more to do then, and nobody is interrupted. Where each domain has a core, one that comes to
 * rest looks for letters for a while before its thread sleeps. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include "between_threads.h"
#include "framework/base/error.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { LEAST_LOOKS = 64, MOST_LOOKS = 4096 }; /* before a thread sleeps: the more, the more often it has helped */

typedef enum state { RUNS, IN_LINE, RESTS } state;

typedef struct queue {
    between_threads *all;
    uint32_t domain;
    atomic_int any; /* is `first` there? */
    letter_batch *first, **last;
    sem_t woken;
    resting how;
    verdict found; /* what it rests for; VERDICT_LETTERS: nothing yet */
    atomic_int state;
    int sleeps;           /* its thread waits for `woken` */
    uint32_t looks;       /* before it sleeps */
    struct queue *behind; /* in line */
} queue;

struct between_threads {
    pthread_mutex_t lock;
    uint32_t n, n_resting, n_full; /* n_full: queues with batches */
    uint32_t cores, n_running;     /* cores: the most that run */
    atomic_uint idle;              /* cores that no domain can use */
    queue *line, **end_of_line;
    int stop, has_looked;
    uint64_t watermark[WATERMARKS]; /* written while all domains rest */
    uint64_t n_sleeps, n_decisions;
    queue at[];
};

static uint32_t count_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

between_threads *between_threads_new(uint32_t domains)
{
    between_threads *t = calloc(1, sizeof *t + domains * sizeof *t->at);

    if (!t) {
        error_fail("out of memory for %u domains", domains);
        return NULL;
    }
    t->n = domains;
    t->cores = count_cores();
    t->cores = t->cores < domains ? t->cores : domains;
    t->idle = t->cores;
    t->end_of_line = &t->line;
    pthread_mutex_init(&t->lock, NULL);
    for (uint32_t k = 0; k < domains; k++) {
        t->at[k].all = t;
        t->at[k].domain = k;
        t->at[k].last = &t->at[k].first;
        t->at[k].state = IN_LINE;
        t->at[k].looks = MOST_LOOKS;
        sem_init(&t->at[k].woken, 0, 0);
    }
    return t;
}

void between_threads_delete(between_threads *t)
{
    if (!t)
        return;
    for (uint32_t k = 0; k < t->n; k++) {
        for (letter_batch *b = t->at[k].first, *next; b; b = next) {
            next = b->next;
            free(b);
        }
        sem_destroy(&t->at[k].woken);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

/* ------------------------------------------------------------------------------------------------------ who runs -- */

/* All of these hold the lock. */

static void start(between_threads *t, queue *q)
{
    t->n_running++;
    atomic_store_explicit(&q->state, RUNS, memory_order_release);
    if (q->sleeps)
        sem_post(&q->woken);
    q->sleeps = 0;
}

static void start_next(between_threads *t)
{
    while (t->line && (t->n_running < t->cores || t->stop)) {
        queue *q = t->line;
        t->line = q->behind;
        if (!t->line)
            t->end_of_line = &t->line;
        start(t, q);
    }
    atomic_store_explicit(&t->idle, t->cores > t->n_running ? t->cores - t->n_running : 0, memory_order_relaxed);
}

static void line_up(between_threads *t, queue *q)
{
    atomic_store_explicit(&q->state, IN_LINE, memory_order_relaxed);
    q->behind = NULL;
    *t->end_of_line = q;
    t->end_of_line = &q->behind;
}

static void wake(between_threads *t, queue *q, verdict found)
{
    if (atomic_load_explicit(&q->state, memory_order_relaxed) != RESTS)
        return;
    q->found = found;
    t->n_resting--;
    line_up(t, q);
}

static int runs(queue *q)
{
    return atomic_load_explicit(&q->state, memory_order_acquire) == RUNS;
}

/* Looks a while, and less long the next time where that was in vain. The lock is free meanwhile. */
static int look_around(between_threads *t, queue *q)
{
    int found = runs(q);

    if (found || t->cores < t->n)
        return found;
    pthread_mutex_unlock(&t->lock);
    for (uint32_t k = 0; !found && k < q->looks; k++) {
#if defined __x86_64__ || defined __i386__
        __builtin_ia32_pause();
#elif defined __aarch64__
        __asm__ volatile("yield");
#endif
        found = runs(q);
    }
    pthread_mutex_lock(&t->lock);
    found = runs(q);
    if (found)
        q->looks = q->looks < MOST_LOOKS / 2 ? 2 * q->looks : MOST_LOOKS;
    else
        q->looks = q->looks > 2 * LEAST_LOOKS ? q->looks / 2 : LEAST_LOOKS;
    return found;
}

/* Until it is its turn. */
static void wait_for_turn(between_threads *t, queue *q)
{
    start_next(t);
    if (look_around(t, q))
        return;
    t->n_sleeps++;
    q->sleeps = 1;
    pthread_mutex_unlock(&t->lock);
    while (sem_wait(&q->woken) != 0) /* a signal has come */
        ;
    pthread_mutex_lock(&t->lock);
}

void between_threads_enter(between_threads *t, uint32_t k)
{
    pthread_mutex_lock(&t->lock);
    line_up(t, &t->at[k]);
    wait_for_turn(t, &t->at[k]);
    pthread_mutex_unlock(&t->lock);
}

void between_threads_leave(between_threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->n_running--;
    start_next(t);
    pthread_mutex_unlock(&t->lock);
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
    start_next(t);
    pthread_mutex_unlock(&t->lock);
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
    pthread_mutex_unlock(&t->lock);
    return found;
}

static void wake_all(between_threads *t, verdict found)
{
    for (uint32_t k = 0; k < t->n; k++)
        wake(t, &t->at[k], found);
}

static int goes_first(const resting *a, const resting *b)
{
    if (a->wish != b->wish)
        return a->wish < b->wish;
    return a->key != b->key ? a->key < b->key : a->location < b->location;
}

/* Has the least watermark of all domains moved since it was told? */
static int watermark_moves(between_threads *t)
{
    int moves = 0;

    for (uint32_t i = 0; i < WATERMARKS; i++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t k = 0; k < t->n; k++)
            least = t->at[k].how.watermark[i] < least ? t->at[k].how.watermark[i] : least;
        moves |= least > t->watermark[i];
        t->watermark[i] = least > t->watermark[i] ? least : t->watermark[i];
    }
    return moves;
}

/* Nothing is under way, and nobody runs. */
static void decide(between_threads *t)
{
    queue *least = &t->at[0];
    int look = 0, credit = 0, untold = 0;

    t->n_decisions++;
    for (uint32_t k = 0; k < t->n; k++) {
        const resting *r = &t->at[k].how;
        look |= r->wants_look;
        credit |= r->on_credit;
        untold |= r->has_untold;
        if (goes_first(r, &least->how))
            least = &t->at[k];
    }
    if (untold) {
        wake_all(t, VERDICT_TELL);
    } else if (least->how.wish == WISH_DONE) {
        wake_all(t, VERDICT_DONE);
    } else if (credit) {
        wake_all(t, VERDICT_CREDIT);
    } else if (least->how.wish == WISH_ROOM && watermark_moves(t)) {
        wake_all(t, VERDICT_WATERMARK);
    } else if (least->how.wish == WISH_ROOM) {
        wake(t, least, VERDICT_GRANTED);
    } else if (look && !t->has_looked) {
        t->has_looked = 1;
        wake_all(t, VERDICT_LOOK);
    } else if (least->how.wish == WISH_NOTHING) {
        wake_all(t, VERDICT_STUCK);
    } else {
        t->has_looked = 0;
        wake(t, least, VERDICT_GRANTED);
    }
}

static verdict rest(void *data, const resting *how)
{
    queue *q = data;
    between_threads *t = q->all;

    pthread_mutex_lock(&t->lock);
    q->how = *how;
    q->found = VERDICT_LETTERS;
    if (how->has_moved)
        t->has_looked = 0;
    if (!q->first && !t->stop) {
        atomic_store_explicit(&q->state, RESTS, memory_order_relaxed);
        t->n_resting++;
        t->n_running--;
        if (t->n_resting == t->n && t->n_full == 0)
            decide(t);
        wait_for_turn(t, q);
    }
    const verdict found = t->stop ? VERDICT_STOP : q->found;
    pthread_mutex_unlock(&t->lock);
    return found;
}

static int is_awaited(void *data)
{
    return atomic_load_explicit(&((queue *)data)->all->idle, memory_order_relaxed) > 0;
}

static const uint64_t *watermark(void *data)
{
    return ((queue *)data)->all->watermark;
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
    start_next(t);
    pthread_mutex_unlock(&t->lock);
}

void between_threads_counts(const between_threads *t, uint64_t *sleeps, uint64_t *decisions)
{
    *sleeps = t->n_sleeps;
    *decisions = t->n_decisions;
}
