/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the processes of a node have in common: memory with a `neighbour` for each of them. Where MPI gives none, as
 * between nodes, a process has one of its own, and the others are NULL. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

/* Has MPI made the memory for all processes of the node? Where it fails in one alone, the others wait for that one
 * inside of MPI for ever, and don't answer. error: what it returned here. The answers have a communicator of their own,
 * for what MPI does inside uses that of the memory. */
static int is_shared_by_all(MPI_Comm answering, int error)
{
    enum { LONGEST_S = 5 };
    const double since = MPI_Wtime();
    int works = error == MPI_SUCCESS, all_work = 0, has_come = 0, n;
    char reason[MPI_MAX_ERROR_STRING], what[MPI_MAX_ERROR_STRING + 128];
    MPI_Request answers;

    MPI_Iallreduce(&works, &all_work, 1, MPI_INT, MPI_MIN, answering, &answers);
    while (!has_come) {
        MPI_Test(&answers, &has_come, MPI_STATUS_IGNORE);
        if (has_come || works || MPI_Wtime() - since < LONGEST_S)
            continue;
        MPI_Error_string(error, reason, &n);
        snprintf(what, sizeof what,
                 "MPI cannot make memory for the processes of a node, as where /dev/shm or TMPDIR is full (%s)",
                 reason);
        world_give_up(what);
    }
    return all_work;
}

/* Finds the neighbours on this node; 0: they have no memory in common. */
static int share(world *w, MPI_Comm node)
{
    MPI_Group here, all;
    MPI_Comm answering;

    MPI_Comm_dup(node, &answering);
    const int error = MPI_Win_allocate_shared(sizeof *w->own, 1, MPI_INFO_NULL, node, &w->own, &w->shared);
    const int is_shared = is_shared_by_all(answering, error);
    MPI_Comm_free(&answering);
    if (!is_shared)
        return 0;
    MPI_Comm_group(node, &here);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (int k = 0; k < (int)w->n_here; k++) {
        MPI_Aint bytes;
        int unit, rank;
        MPI_Group_translate_ranks(here, 1, &k, all, &rank);
        MPI_Win_shared_query(w->shared, k, &bytes, &unit, &w->neighbours[rank]);
    }
    MPI_Group_free(&here);
    MPI_Group_free(&all);
    return 1;
}

static void make_own(neighbour *own)
{
    pthread_mutexattr_t between_processes;

    sem_init(&own->wakes, 1, 0);
    atomic_init(&own->sleeps, 0);
    atomic_init(&own->notes, 0);
    atomic_init(&own->put, 0);
    atomic_init(&own->taken, 0);
    pthread_mutexattr_init(&between_processes);
    pthread_mutexattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&own->putting, &between_processes);
    pthread_mutexattr_destroy(&between_processes);
}

void node_begin(world *w)
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
        w->own = w->alone = world_zeroed(1, sizeof *w->alone);
    make_own(w->own);
    MPI_Barrier(node); /* nobody uses what a process has not made yet */
    MPI_Comm_free(&node);
}

void node_end(world *w)
{
    if (w->shared != MPI_WIN_NULL)
        MPI_Win_free(&w->shared);
    free(w->alone);
}
