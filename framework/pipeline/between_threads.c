/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See between_threads.h. One lock guards all queues and who rests. That nothing is under way is known exactly: all
 * domains rest, and all queues are empty. The one that comes to rest last decides what is next. */
#include "between_threads.h"
#include "framework/base/error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct queue {
    between_threads *all;
    uint32_t domain;
    atomic_int any; /* is `first` there? */
    letter_batch *first, **last;
    pthread_cond_t changed;
    resting how;
    verdict found; /* what it rests for; VERDICT_LETTERS: nothing yet */
    uint8_t rests;
} queue;

struct between_threads {
    pthread_mutex_t lock;
    uint32_t n, n_resting, n_full; /* n_full: queues with batches */
    int stop, has_looked;
    uint64_t watermark[WATERMARKS]; /* written while all domains rest */
    queue at[];
};

between_threads *between_threads_new(uint32_t domains)
{
    between_threads *t = calloc(1, sizeof *t + domains * sizeof *t->at);

    if (!t) {
        error_fail("out of memory for %u domains", domains);
        return NULL;
    }
    t->n = domains;
    pthread_mutex_init(&t->lock, NULL);
    for (uint32_t k = 0; k < domains; k++) {
        t->at[k].all = t;
        t->at[k].domain = k;
        t->at[k].last = &t->at[k].first;
        pthread_cond_init(&t->at[k].changed, NULL);
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
        pthread_cond_destroy(&t->at[k].changed);
    }
    pthread_mutex_destroy(&t->lock);
    free(t);
}

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
        if (q->rests)
            pthread_cond_signal(&q->changed);
    }
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

static void wake(between_threads *t, queue *q, verdict found)
{
    if (!q->rests)
        return;
    q->rests = 0;
    q->found = found;
    t->n_resting--;
    pthread_cond_signal(&q->changed);
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
    int look = 0, credit = 0;

    for (uint32_t k = 0; k < t->n; k++) {
        const resting *r = &t->at[k].how;
        look |= r->wants_look;
        credit |= r->on_credit;
        if (goes_first(r, &least->how))
            least = &t->at[k];
    }
    if (least->how.wish == WISH_DONE) {
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
    verdict found = VERDICT_LETTERS;

    pthread_mutex_lock(&t->lock);
    q->how = *how;
    q->rests = 1;
    q->found = VERDICT_LETTERS;
    t->n_resting++;
    if (how->has_moved)
        t->has_looked = 0;
    while (q->rests && !q->first && !t->stop) {
        if (t->n_resting == t->n && t->n_full == 0)
            decide(t);
        else
            pthread_cond_wait(&q->changed, &t->lock);
    }
    if (q->rests) {
        q->rests = 0;
        t->n_resting--;
    }
    found = t->stop ? VERDICT_STOP : q->found;
    pthread_mutex_unlock(&t->lock);
    return found;
}

static const uint64_t *watermark(void *data)
{
    return ((queue *)data)->all->watermark;
}

transport between_threads_transport(between_threads *t, uint32_t k)
{
    return (transport){&t->at[k], send, has_come, take, rest, watermark};
}

void between_threads_stop(between_threads *t)
{
    pthread_mutex_lock(&t->lock);
    t->stop = 1;
    for (uint32_t k = 0; k < t->n; k++)
        pthread_cond_signal(&t->at[k].changed);
    pthread_mutex_unlock(&t->lock);
}
