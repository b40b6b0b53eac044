/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sleep. MPI's own waiting takes a whole core, and MPI wakes nobody that sleeps. So the processes of a node have memory
 * in common (node.c), with a semaphore for each of them, and how many notes have been sent to it: a process that has
 * sent something to another one wakes it. Nobody can wake a process from another node, so a sleep is short.
 *
 * Where all processes are on this node, one asks MPI for notes when some have been sent. MPI that finds nothing gives
 * the core away where there are more processes than cores. MPI may have to go on with what this process sends, too, so
 * behind a sleep that nobody has ended it is asked in any case. */
#define _GNU_SOURCE /* sem_clockwait() */
#include "framework/base/resources.h"
#include "world.h"

int sleep_is_announced(world *w)
{
    return atomic_exchange(&w->own->sleeps, 1);
}

int sleep_may_have_notes(const world *w)
{
    return !w->all_here || w->has_slept || atomic_load(&w->own->notes) != w->n_notes;
}

void sleep_is_over(const world *w, uint32_t process)
{
    neighbour *s = w->neighbours[process];

    atomic_thread_fence(memory_order_seq_cst); /* it looks behind its announcement */
    if (s && atomic_load(&s->sleeps) && atomic_exchange(&s->sleeps, 0))
        sem_post(&s->wakes);
}

void sleep_has_note(const world *w, uint32_t process)
{
    if (w->neighbours[process])
        atomic_fetch_add(&w->neighbours[process]->notes, 1);
    sleep_is_over(w, process);
}

void sleep_wake_own(void *data)
{
    sem_post(&((world *)data)->own->wakes);
}

void sleep_for(void *data, uint64_t ns)
{
    world *w = data;
    const struct timespec until = time_in(ns);

    w->has_slept = sem_clockwait(&w->own->wakes, CLOCK_MONOTONIC, &until) != 0;
}
