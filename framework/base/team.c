/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See team.h. The thread that has work takes parts of it like its helpers, so that it never waits for a helper that
 * gets no core. A helper without work looks for some for a while before it sleeps, since the next work is often near.
 */
#include "team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { LOOKS = 4096, BRIEF = 20000 /* ns */ };

struct team {
    /* Parts that nobody has taken, and above them the number of the work: who takes one takes it of that work. */
    _Atomic uint64_t left;
    void (*work)(void *data, uint32_t k);
    void *data;
    atomic_uint done; /* parts */
    atomic_uint n_asleep;
    atomic_int ends;
    pthread_mutex_t lock;
    pthread_cond_t come;
    uint32_t n;
    pthread_t thread[];
};

/* Takes a part and does it; 0: there is none. */
static int do_part(team *t)
{
    uint64_t left = atomic_load(&t->left);

    do
        if ((uint32_t)left == 0)
            return 0;
    while (!atomic_compare_exchange_weak(&t->left, &left, left - 1));
    t->work(t->data, (uint32_t)left - 1);
    atomic_fetch_add(&t->done, 1);
    return 1;
}

static int is_idle(team *t)
{
    return (uint32_t)atomic_load(&t->left) == 0 && !atomic_load(&t->ends);
}

static void sleep_until_work(team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->n_asleep, 1); /* before it looks: team_run() looks for sleepers behind the work */
    while (is_idle(t))
        pthread_cond_wait(&t->come, &t->lock);
    atomic_fetch_sub(&t->n_asleep, 1);
    pthread_mutex_unlock(&t->lock);
}

static void *help(void *data)
{
    team *t = data;

    while (!atomic_load(&t->ends)) {
        if (do_part(t))
            continue;
        for (uint32_t k = 0; k < LOOKS && is_idle(t); k++)
            pause_briefly();
        if (is_idle(t))
            sleep_until_work(t);
    }
    return NULL;
}

static void wake(team *t)
{
    if (atomic_load(&t->n_asleep) == 0)
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_broadcast(&t->come);
    pthread_mutex_unlock(&t->lock);
}

/* Signals come to the threads that were there before. */
team *team_new(uint32_t helpers)
{
    team *t = calloc(1, sizeof *t + helpers * sizeof *t->thread);
    sigset_t all, before;

    if (!t)
        return NULL;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->come, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (t->n < helpers && pthread_create(&t->thread[t->n], NULL, help, t) == 0)
        t->n++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return t;
}

void team_delete(team *t)
{
    if (!t)
        return;
    atomic_store(&t->ends, 1);
    wake(t);
    for (uint32_t k = 0; k < t->n; k++)
        pthread_join(t->thread[k], NULL);
    pthread_cond_destroy(&t->come);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

void team_run(team *t, void (*work)(void *data, uint32_t k), void *data, uint32_t n)
{
    const struct timespec brief = {0, BRIEF};

    if (!t || t->n == 0 || n < 2) {
        for (uint32_t k = 0; k < n; k++)
            work(data, k);
        return;
    }
    t->work = work;
    t->data = data;
    atomic_store(&t->done, 0);
    atomic_store(&t->left, ((atomic_load(&t->left) >> 32) + 1) << 32 | n);
    wake(t);
    while (do_part(t))
        ;
    for (uint32_t k = 0; atomic_load(&t->done) < n; k++)
        if (k < LOOKS)
            pause_briefly();
        else
            nanosleep(&brief, NULL);
}
