/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See between_threads.h. One lock guards all queues and who rests. That nothing is under way is known exactly: all
 * domains rest, and all queues are empty. The one that comes to rest last decides what is next.
 *
 * A thread takes a domain that has something to run, and runs it until it rests. One that it has run just before comes
 * first, whose data are still in the cache: neighbours make several steps together before others run. Then comes the
 * one that has waited for longest, of those that are the thread's own, which are neighbours. Meanwhile others collect
 * letters: they have more to do when their turn comes. A thread that finds nobody in line looks for a while before it
 * sleeps.
 *
 * With domains in other processes the thread that speaks to these looks for what they have sent every few turns of the
 * domain that it runs, and whenever it finds nobody in line. What others of its threads send to them waits for that.
 * When all domains here rest, all processes find out by `peers` that nothing is under way. */
#include "between_threads.h"
#include "decide.h"
#include "framework/base/error.h"
#include "framework/base/team.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LOOKS = 256, MOST_LOOKS = 32768 }; /* before a thread sleeps: the more, the more often it has helped */
enum { MOST_AGAIN = 64 };                       /* domains that a thread has run just before, in turn */

typedef enum state { RUNS, IN_LINE, RESTS, LEFT } state;

typedef struct queue {
    between_threads *all;
    uint32_t domain;
    atomic_int any; /* is `first` there? */
    letter_batch *first, **last;
    verdict found; /* what it rests for; VERDICT_LETTERS: nothing yet */
    state state;
    uint8_t has_run;               /* it isn't one that waits for letters of many others */
    uint32_t line;                 /* which one it stands in */
    struct queue *before, *behind; /* in line */
} queue;

typedef struct line {
    queue *first, *last;
} line;

struct between_threads {
    pthread_mutex_t lock;
    sem_t work;
    uint32_t first, n;                  /* domains */
    uint32_t n_resting, n_left, n_full; /* n_full: queues with batches */
    line *lines;                        /* [n_lines]: one a thread */
    uint32_t n_lines, n_runners;
    atomic_uint n_in_line;
    uint32_t n_asleep, n_to_wake; /* threads; n_to_wake: when the lock is free */
    atomic_uint n_idle;           /* threads that have no domain to run */
    int stop, all_run;            /* all_run: at the same time, for there is a thread for each */
    decision_state decided;       /* written while all domains rest */
    resting *how;                 /* of each domain that rests */
    uint64_t n_sleeps;

    const peers *peers;              /* NULL: all domains are here */
    int speaker_naps, wake_speaker;  /* wake_speaker: when the lock is free */
    int has_moved;                   /* as `resting` says; `peers` haven't been told */
    letter_batch *out, **end_of_out; /* for other processes */
    atomic_int any_out;              /* is `out` there? */
    atomic_int is_out_awaited;       /* as `peers` say */
    queue at[];
};

/* Holds the lock. */
static void wake_speaker(between_threads *t)
{
    t->wake_speaker |= t->speaker_naps;
    t->speaker_naps = 0;
}

/* Holds the lock. */
static void line_up(between_threads *t, queue *q)
{
    line *l = &t->lines[q->line];

    q->state = IN_LINE;
    q->before = l->last;
    q->behind = NULL;
    *(l->last ? &l->last->behind : &l->first) = q;
    l->last = q;
    atomic_fetch_add_explicit(&t->n_in_line, 1, memory_order_relaxed);
    if (t->n_asleep > 0) {
        t->n_asleep--;
        t->n_to_wake++;
    } else {
        wake_speaker(t);
    }
}

/* Holds the lock. */
static void leave_line(between_threads *t, queue *q)
{
    line *l = &t->lines[q->line];

    *(q->before ? &q->before->behind : &l->first) = q->behind;
    *(q->behind ? &q->behind->before : &l->last) = q->before;
    atomic_fetch_sub_explicit(&t->n_in_line, 1, memory_order_relaxed);
}

/* Holds the lock. */
static int anybody_in_line(const between_threads *t)
{
    return atomic_load_explicit(&t->n_in_line, memory_order_relaxed) > 0;
}

/* Frees the lock first: who wakes takes it. */
static void unlock(between_threads *t)
{
    uint32_t n = t->n_to_wake;
    const int wakes_speaker = t->wake_speaker;

    t->n_to_wake = 0;
    t->wake_speaker = 0;
    pthread_mutex_unlock(&t->lock);
    while (n-- > 0)
        sem_post(&t->work);
    if (wakes_speaker)
        t->peers->wake(t->peers->data);
}

between_threads *between_threads_new(uint32_t first, uint32_t n, uint32_t threads, const peers *with)
{
    between_threads *t = calloc(1, sizeof *t + n * sizeof *t->at);

    if (!t || !(t->how = calloc(n, sizeof *t->how)) || !(t->lines = calloc(threads, sizeof *t->lines))) {
        free(t ? t->how : NULL);
        free(t);
        error_fail("out of memory for %u domains", n);
        return NULL;
    }
    t->first = first;
    t->n = n;
    t->all_run = n <= threads;
    t->n_lines = threads;
    t->peers = with;
    t->end_of_out = &t->out;
    pthread_mutex_init(&t->lock, NULL);
    sem_init(&t->work, 0, 0);
    for (uint32_t k = 0; k < n; k++) {
        t->at[k].all = t;
        t->at[k].domain = k;
        t->at[k].last = &t->at[k].first;
        t->at[k].line = (uint32_t)((uint64_t)k * threads / n);
        line_up(t, &t->at[k]);
    }
    return t;
}

static void free_list(letter_batch *b)
{
    for (letter_batch *next; b; b = next) {
        next = b->next;
        free(b);
    }
}

void between_threads_delete(between_threads *t)
{
    if (!t)
        return;
    for (uint32_t k = 0; k < t->n; k++)
        free_list(t->at[k].first);
    free_list(t->out);
    sem_destroy(&t->work);
    pthread_mutex_destroy(&t->lock);
    free(t->lines);
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

static void wake_all(between_threads *t, verdict found)
{
    for (uint32_t k = 0; k < t->n; k++)
        wake(t, &t->at[k], found);
}

static int is_over(between_threads *t)
{
    return t->n_left == t->n;
}

/* Holds the lock. */
static void put(between_threads *t, letter_batch *b)
{
    queue *q = &t->at[b->to - t->first];

    t->n_full += !q->first;
    *q->last = b;
    q->last = &b->next;
    atomic_store_explicit(&q->any, 1, memory_order_relaxed);
    wake(t, q, VERDICT_LETTERS);
}

/* Batches for domains here, and for those of other processes. */
static void deliver(between_threads *t, letter_batch *list)
{
    pthread_mutex_lock(&t->lock);
    for (letter_batch *b = list, *next; b; b = next) {
        next = b->next;
        b->next = NULL;
        if (b->to - t->first < t->n) {
            put(t, b);
            continue;
        }
        *t->end_of_out = b;
        t->end_of_out = &b->next;
        atomic_store_explicit(&t->any_out, 1, memory_order_relaxed);
        wake_speaker(t);
    }
    unlock(t);
}

static letter_batch *take_out(between_threads *t)
{
    if (!atomic_load_explicit(&t->any_out, memory_order_relaxed))
        return NULL;
    pthread_mutex_lock(&t->lock);
    letter_batch *list = t->out;
    t->out = NULL;
    t->end_of_out = &t->out;
    atomic_store_explicit(&t->any_out, 0, memory_order_relaxed);
    unlock(t);
    return list;
}

/* Sends and receives. now: what is to be sent leaves at once. Returns whether something has come. */
static int speak(between_threads *t, int now)
{
    letter_batch *list = take_out(t);

    if (list)
        t->peers->send_letters(t->peers->data, list);
    list = t->peers->take_letters(t->peers->data, now);
    atomic_store_explicit(&t->is_out_awaited, t->peers->is_awaited(t->peers->data), memory_order_relaxed);
    if (list)
        deliver(t, list);
    return list != NULL;
}

/* Where there is a thread for each domain, one that has sent letters and rests finds the domain in line that these have
 * woken. The thread whose own that one is still looks for it, and has its data in the cache of its core: it gets the
 * time to take it. Holds the lock, but not while it waits. */
static void leave_to_others(between_threads *t, const domain_runner *me)
{
    enum { LOOKS = 64 };

    if (!t->all_run || !anybody_in_line(t) || t->lines[(me->number - 1) % t->n_lines].first)
        return;
    unlock(t);
    for (uint32_t k = 0; k < LOOKS && atomic_load_explicit(&t->n_in_line, memory_order_relaxed) > 0; k++)
        pause_briefly();
    pthread_mutex_lock(&t->lock);
}

/* Looks a while whether somebody lines up, and less long the next time where that was in vain. */
static void look_around(between_threads *t, uint32_t *looks)
{
    uint32_t k = 0;

    *looks = *looks ? *looks : MOST_LOOKS;
    while (k < *looks && atomic_load_explicit(&t->n_in_line, memory_order_relaxed) == 0) {
        pause_briefly();
        k++;
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
    if (!anybody_in_line(t) && !is_over(t)) {
        t->n_asleep++;
        t->n_sleeps++;
        unlock(t);
        while (sem_wait(&t->work) != 0) /* a signal has come */
            ;
        pthread_mutex_lock(&t->lock);
    }
    atomic_fetch_sub_explicit(&t->n_idle, 1, memory_order_relaxed);
}

/* All domains here rest, and have read what has come. */
static void rest_with_peers(between_threads *t)
{
    int64_t who;
    const verdict found = t->peers->rest(t->peers->data, t->how, &t->has_moved, t->decided.watermark, &who);

    if (found == VERDICT_LATER)
        return;
    pthread_mutex_lock(&t->lock);
    t->stop |= found == VERDICT_STOP;
    if (who == DECIDED_FOR_ALL)
        wake_all(t, found);
    else
        wake(t, &t->at[who - t->first], found);
    unlock(t);
}

static void nap(between_threads *t, uint64_t ns)
{
    pthread_mutex_lock(&t->lock);
    const int naps = t->speaker_naps = !anybody_in_line(t) && !t->out && !is_over(t);
    t->n_sleeps += (uint64_t)naps;
    unlock(t);
    if (naps)
        t->peers->sleep(t->peers->data, ns);
}

/* Of the thread that speaks to them: holds the lock, but not while it waits. */
static void wait_for_peers(between_threads *t, uint32_t *turns)
{
    const int all_rest = t->n_resting == t->n && t->n_full == 0;

    t->speaker_naps = 0;
    atomic_fetch_add_explicit(&t->n_idle, 1, memory_order_relaxed);
    unlock(t);
    const int come = speak(t, 1);
    if (!come && all_rest)
        rest_with_peers(t);
    const uint64_t ns = come ? 0 : t->peers->wait(t->peers->data, turns);
    if (ns > 0)
        nap(t, ns);
    pthread_mutex_lock(&t->lock);
    atomic_fetch_sub_explicit(&t->n_idle, 1, memory_order_relaxed);
}

/* Holds the lock. NULL: nobody is in line. */
static queue *choose(between_threads *t, domain_runner *me)
{
    me->again++;
    for (uint32_t i = 0; !t->all_run && i < RAN_LAST && me->again < MOST_AGAIN && me->last[i] > 0; i++)
        if (t->at[me->last[i] - 1].state == IN_LINE && t->at[me->last[i] - 1].has_run)
            return &t->at[me->last[i] - 1];
    me->again = 0;
    for (uint32_t i = 0; i < t->n_lines; i++) {
        queue *q = t->lines[(me->number - 1 + i) % t->n_lines].first;
        if (q)
            return q;
    }
    return NULL;
}

static void note_last(domain_runner *me, uint32_t k)
{
    uint32_t i = 0;

    while (i + 1 < RAN_LAST && me->last[i] != k + 1)
        i++;
    for (; i > 0; i--)
        me->last[i] = me->last[i - 1];
    me->last[0] = k + 1;
}

int between_threads_next(between_threads *t, domain_runner *me, uint32_t *k, verdict *found)
{
    uint32_t turns = 0;

    pthread_mutex_lock(&t->lock);
    if (me->number == 0)
        me->number = ++t->n_runners;
    do {
        while (!anybody_in_line(t) && !is_over(t))
            if (peers_hear(t->peers))
                wait_for_peers(t, &turns);
            else
                wait_for_work(t, &me->looks);
        leave_to_others(t, me);
    } while (!anybody_in_line(t) && !is_over(t));
    queue *q = choose(t, me);
    if (q) {
        leave_line(t, q);
        note_last(me, q->domain);
        q->state = RUNS;
        *k = t->first + q->domain;
        *found = t->stop ? VERDICT_STOP : q->found;
    }
    unlock(t);
    return q != NULL;
}

void between_threads_leave(between_threads *t, uint32_t k)
{
    pthread_mutex_lock(&t->lock);
    t->at[k - t->first].state = LEFT;
    t->n_left++;
    for (; is_over(t) && t->n_asleep > 0; t->n_asleep--)
        t->n_to_wake++;
    if (is_over(t))
        wake_speaker(t);
    unlock(t);
}

/* ------------------------------------------------------------------------------------------------- the transport -- */

static void send(void *data, letter_batch *list)
{
    between_threads *t = ((queue *)data)->all;

    deliver(t, list);
    if (peers_hear(t->peers))
        speak(t, 0);
}

static int has_come(void *data)
{
    queue *q = data;
    between_threads *t = q->all;

    if (peers_hear(t->peers))
        speak(t, 0);
    return atomic_load_explicit(&q->any, memory_order_relaxed);
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
    decide_moved(&t->decided, how->has_moved);
    t->has_moved |= how->has_moved;
    if (t->stop) {
        found = VERDICT_STOP;
    } else if (!q->first) {
        found = VERDICT_LATER;
        q->has_run = how->has_run;
        q->state = RESTS;
        t->n_resting++;
        if (t->n_resting == t->n && t->n_full == 0 && !t->peers)
            decide_what_is_next(t);
    }
    unlock(t);
    return found;
}

static int is_awaited(void *data)
{
    const between_threads *t = ((queue *)data)->all;

    if (atomic_load_explicit(&t->is_out_awaited, memory_order_relaxed))
        return 1;
    return t->n > 1 && (t->all_run || atomic_load_explicit(&t->n_idle, memory_order_relaxed) > 0);
}

static const uint64_t *watermark(void *data)
{
    return ((queue *)data)->all->decided.watermark;
}

transport between_threads_transport(between_threads *t, uint32_t k)
{
    return (transport){&t->at[k - t->first], send, is_awaited, has_come, take, rest, watermark};
}

void between_threads_wake(between_threads *t, verdict why)
{
    pthread_mutex_lock(&t->lock);
    wake_all(t, why);
    unlock(t);
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
