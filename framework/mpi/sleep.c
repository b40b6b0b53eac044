/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sleep. MPI's own waiting takes a whole core, and MPI wakes nobody that sleeps. So the processes of a node have memory
 * in common, with a semaphore for each of them, and how much has been sent to it: a process that has sent something to
 * another one wakes it. Nobody can wake a process from another node, so a sleep is short.
 *
 * Where all processes are on this node, one asks MPI for what has come when something has been sent. MPI that finds
 * nothing gives the core away where there are more processes than cores. MPI may have to go on with what this process
 * sends, too, so behind a sleep that nobody has ended it is asked in any case. */
#define _GNU_SOURCE /* sem_clockwait() */
#include "framework/base/resources.h"
#include "world.h"

/* Finds the sleepers of the processes on this node; 0: they have no memory in common. */
static int share(world *w, MPI_Comm node)
{
    MPI_Group here, all;
    int works = MPI_Win_allocate_shared(sizeof *w->own, 1, MPI_INFO_NULL, node, &w->own, &w->shared) == MPI_SUCCESS;

    MPI_Allreduce(MPI_IN_PLACE, &works, 1, MPI_INT, MPI_MIN, node);
    if (!works)
        return 0;
    MPI_Comm_group(node, &here);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int k = 0; k < (int)w->n_here; k++) {
        MPI_Aint bytes;
        int unit, rank;
        MPI_Group_translate_ranks(here, 1, &k, all, &rank);
        MPI_Win_shared_query(w->shared, k, &bytes, &unit, &w->sleepers[rank]);
    }
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    return 1;
}

void sleep_begin(world *w)
{
    MPI_Comm node;
    int n;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_set_errhandler(node, MPI_ERRORS_RETURN);
    MPI_Comm_size(node, &n);
    w->n_here = (uint32_t)n;
    w->shared = MPI_WIN_NULL;
    w->all_here = share(w, node) && w->n_here == w->n;
    if (w->shared == MPI_WIN_NULL)
        w->own = &w->alone;
    sem_init(&w->own->wakes, 1, 0);
    atomic_init(&w->own->sleeps, 0);
    atomic_init(&w->own->sent[SENT_LETTERS], 0);
    atomic_init(&w->own->sent[SENT_NOTE], 0);
    MPI_Barrier(node); /* nobody wakes a process before its semaphore is there */
    MPI_Comm_free(&node);
}

void sleep_end(world *w)
{
    if (w->shared != MPI_WIN_NULL)
        MPI_Win_free(&w->shared);
}

int sleep_is_announced(world *w)
{
    return atomic_exchange(&w->own->sleeps, 1);
}

int sleep_may_have_come(const world *w, int kind)
{
    return !w->all_here || w->has_slept || atomic_load(&w->own->sent[kind]) != w->n_come[kind];
}

void sleep_has_sent(const world *w, uint32_t process, int kind)
{
    sleeper *s = w->sleepers[process];

    if (!s)
        return;
    if (kind < SENT_PACK)
        atomic_fetch_add(&s->sent[kind], 1);
    if (atomic_load(&s->sleeps) && atomic_exchange(&s->sleeps, 0))
        sem_post(&s->wakes);
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
