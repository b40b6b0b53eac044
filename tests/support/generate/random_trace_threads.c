/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Threads of random traces: OpenMP regions, locks, threads that are created and waited for. */
#include "random_trace_world.h"

#include <inttypes.h>

enum { OPENMP_LOCK = 0, PTHREAD_LOCK = 1 };

static struct location *team_thread(struct world *w, uint32_t rank, uint32_t i)
{
    return rt_thread(w, rank, rt_team_slot(w, w->team_size, i));
}

static uint32_t team_ref(const struct world *w, uint32_t rank)
{
    return w->team_size == w->options->omp_threads ? rt_team_ref(w, rank, false)
                                                   : rt_small_team_ref(w, rank, w->team_size);
}

static void work_in_regions(struct world *w, struct location *l)
{
    uint32_t n = rt_below(w, 4);

    rt_work(w, l);
    for (uint32_t i = 0; i < n; i++) {
        rt_enter(w, l, R_USER_FIRST + rt_below(w, R_USER_LAST - R_USER_FIRST + 1));
        rt_work(w, l);
        rt_leave(w, l);
    }
}

/* Those of OTF2 1.0, which writers may use still. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static bool old_records(struct world *w)
{
    return rt_has(w, RT_OLD_OPENMP) && rt_chance(w, 0.5);
}

/* The whole critical section of one thread. Acquisitions are numbered per lock and process. */
static void hold_lock(struct world *w, struct location *l, int lock, uint32_t region)
{
    struct rank *rank = &w->ranks[l->rank];
    OTF2_Paradigm model = lock == OPENMP_LOCK ? OTF2_PARADIGM_OPENMP : OTF2_PARADIGM_PTHREAD;
    uint32_t id = 100 + (uint32_t)lock + 2 * (l->rank % w->options->ranks_per_process),
             order = ++rank->lock_order[lock];

    rt_enter(w, l, region);
    rt_wait_until(l, rank->lock_free[lock] + 20);
    bool old = lock == OPENMP_LOCK && old_records(w);
    int64_t acquired =
        old ? RT_PUT(w, l, OmpAcquireLock, id, order) : RT_PUT(w, l, ThreadAcquireLock, model, id, order);
    if (rank->lock_owner[lock] != NULL && acquired >= 0 && rank->lock_index[lock] >= 0)
        rt_edge(w, "lock", id, rank->lock_owner[lock], rank->lock_index[lock], l, acquired);
    rt_work(w, l);
    rank->lock_index[lock] =
        old ? RT_PUT(w, l, OmpReleaseLock, id, order) : RT_PUT(w, l, ThreadReleaseLock, model, id, order);
    rank->lock_owner[lock] = l;
    rank->lock_free[lock] = l->now;
    rt_leave(w, l);
}

/* Everybody in the order in which they come to the lock. */
static void critical(struct world *w, uint32_t rank)
{
    bool done[MAX_OMP] = {false};

    for (uint32_t turn = 0; turn < w->team_size; turn++) {
        uint32_t next = MAX_OMP;
        for (uint32_t i = 0; i < w->team_size; i++)
            if (!done[i] && (next == MAX_OMP || team_thread(w, rank, i)->now < team_thread(w, rank, next)->now))
                next = i;
        done[next] = true;
        hold_lock(w, team_thread(w, rank, next), OPENMP_LOCK, R_CRITICAL);
    }
}

static void barrier(struct world *w, uint32_t rank, uint32_t region)
{
    int64_t entered[MAX_OMP];
    uint64_t last = 0, instance = w->barriers++;

    for (uint32_t i = 0; i < w->team_size; i++) {
        struct location *l = team_thread(w, rank, i);
        entered[i] = rt_enter(w, l, region);
        last = l->now > last ? l->now : last;
    }
    for (uint32_t i = 0; i < w->team_size; i++) {
        struct location *l = team_thread(w, rank, i);
        rt_wait_until(l, last + 50 + rt_below(w, 300));
        int64_t left = rt_leave(w, l);
        if (entered[i] >= 0 || left >= 0)
            fprintf(w->truth, "barrier,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRIu32 "\n", instance, l->ref,
                    entered[i], left, team_ref(w, rank));
    }
}

static void fork_team(struct world *w, uint32_t rank)
{
    struct location *master = rt_thread(w, rank, SLOT_MASTER);
    uint32_t team = team_ref(w, rank);
    int64_t forked = old_records(w) ? RT_KEEP(w, master, OmpFork, w->team_size)
                                    : RT_KEEP(w, master, ThreadFork, OTF2_PARADIGM_OPENMP, w->team_size);
    uint64_t fork_time = master->now;

    for (uint32_t i = 0; i < w->team_size; i++) {
        struct location *l = team_thread(w, rank, i);
        rt_start(w, l, fork_time + (i > 0 ? 200u : 0u) + rt_below(w, 2000));
        int64_t began = RT_KEEP(w, l, ThreadTeamBegin, team);
        if (i > 0 && forked >= 0 && began >= 0)
            rt_edge(w, "fork", team, master, forked, l, began);
        rt_enter(w, l, R_PARALLEL);
    }
}

static void join_team(struct world *w, uint32_t rank)
{
    struct location *master = rt_thread(w, rank, SLOT_MASTER);
    uint32_t team = team_ref(w, rank);
    int64_t ended[MAX_OMP];
    uint64_t last = 0;

    for (uint32_t i = 0; i < w->team_size; i++) {
        struct location *l = team_thread(w, rank, i);
        rt_leave(w, l);
        ended[i] = RT_KEEP(w, l, ThreadTeamEnd, team);
        last = l->now > last ? l->now : last;
    }
    rt_wait_until(master, last + 200);
    int64_t joined =
        old_records(w) ? RT_KEEP(w, master, OmpJoin) : RT_KEEP(w, master, ThreadJoin, OTF2_PARADIGM_OPENMP);
    for (uint32_t i = 1; i < w->team_size; i++)
        if (ended[i] >= 0 && joined >= 0)
            rt_edge(w, "join", team, team_thread(w, rank, i), ended[i], master, joined);
}

void rt_op_parallel(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks), most = w->options->omp_threads;

    rt_work(w, rt_thread(w, rank, SLOT_MASTER));
    w->team_rank = rank;
    w->team_size = rt_has(w, RT_TEAM_SIZES) ? 1 + rt_below(w, most) : most;
    fork_team(w, rank);
    for (uint32_t i = 0; i < w->team_size; i++) {
        rt_enter(w, team_thread(w, rank, i), R_FOR);
        work_in_regions(w, team_thread(w, rank, i));
    }
    if (rt_has(w, RT_LOCKS) && rt_chance(w, 0.5))
        critical(w, rank);
    uint32_t inside = rt_has(w, RT_ANY_THREAD) ? 12 : rt_has(w, RT_MPI_INSIDE) ? 4 : 0;
    for (uint32_t n = inside > 0 ? rt_below(w, inside) : 0; n > 0; n--) {
        w->inside = true;
        rt_do_something(w);
        w->inside = false;
    }
    if (rt_has(w, RT_NESTED) && (w->team_size > 1 || most == 1))
        rt_nested_team(w, rank);
    if (rt_chance(w, 0.3))
        barrier(w, rank, R_OMP_BARRIER);
    for (uint32_t i = 0; i < w->team_size; i++)
        work_in_regions(w, team_thread(w, rank, i));
    barrier(w, rank, R_IMPLICIT_BARRIER);
    for (uint32_t i = 0; i < w->team_size; i++)
        rt_leave(w, team_thread(w, rank, i));
    join_team(w, rank);
    w->team_size = 0;
}

/* ---- threads that are created ---- */

/* What happens at the start and end of a thread; returns its sequence count. */
static uint64_t create_thread(struct world *w, struct location *creator, struct location *l)
{
    uint32_t contingent = rt_team_ref(w, creator->rank, true);
    uint64_t sequence = ++w->ranks[creator->rank].thread_sequence;

    rt_enter(w, creator, R_THREAD_CREATE);
    int64_t created = RT_PUT(w, creator, ThreadCreate, contingent, sequence);
    rt_start(w, l, creator->now + 500 + rt_below(w, 5000));
    rt_leave(w, creator);
    int64_t began = RT_PUT(w, l, ThreadBegin, contingent, sequence);
    if (created >= 0 && began >= 0)
        rt_edge(w, "create", contingent, creator, created, l, began);
    rt_enter(w, l, R_THREAD_BODY);
    return sequence;
}

static void wait_for_thread(struct world *w, struct location *waiter, struct location *l, uint64_t sequence)
{
    uint32_t contingent = rt_team_ref(w, waiter->rank, true);

    rt_leave(w, l);
    int64_t ended = RT_PUT(w, l, ThreadEnd, contingent, sequence);
    rt_enter(w, waiter, R_THREAD_JOIN);
    rt_wait_until(waiter, l->now + 300);
    int64_t waited = RT_PUT(w, waiter, ThreadWait, contingent, sequence);
    if (ended >= 0 && waited >= 0)
        rt_edge(w, "wait", contingent, l, ended, waiter, waited);
    rt_leave(w, waiter);
}

void rt_op_short_thread(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks);
    struct location *master = rt_thread(w, rank, SLOT_MASTER), *l = rt_thread(w, rank, SLOT_SHORT);
    uint64_t sequence = create_thread(w, master, l);

    work_in_regions(w, l);
    work_in_regions(w, master);
    if (rt_has(w, RT_LOCKS) && rt_chance(w, 0.5)) {
        bool first = l->now < master->now;
        hold_lock(w, first ? l : master, PTHREAD_LOCK, R_MUTEX_LOCK);
        hold_lock(w, first ? master : l, PTHREAD_LOCK, R_MUTEX_LOCK);
    }
    wait_for_thread(w, master, l, sequence);
}

/* The master and the thread that communicates compete for a lock, whenever they come. */
void rt_op_mutex(struct world *w)
{
    struct location *l = rt_pick_thread(w, rt_below(w, w->options->ranks));

    rt_work(w, l);
    hold_lock(w, l, PTHREAD_LOCK, R_MUTEX_LOCK);
}

/* A kernel is launched behind those of its stream; now and then the master waits for all of them, or is far ahead. */
void rt_op_kernels(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks), n = 1 + rt_below(w, 3);
    struct location *master = rt_thread(w, rank, SLOT_MASTER), *stream = rt_thread(w, rank, SLOT_STREAM);

    for (uint32_t i = 0; i < n; i++) {
        rt_enter(w, master, R_LAUNCH);
        rt_work(w, master);
        uint64_t launched = master->now;
        rt_leave(w, master);
        rt_start(w, stream, launched + rt_below(w, 3000));
        rt_enter(w, stream, R_KERNEL);
        rt_work(w, stream);
        rt_leave(w, stream);
    }
    if (rt_chance(w, 0.5))
        return;
    rt_enter(w, master, R_SYNCHRONISE);
    rt_wait_until(master, stream->now);
    rt_leave(w, master);
}

void rt_op_lone_thread(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks);
    struct location *master = rt_thread(w, rank, SLOT_MASTER), *l = rt_thread(w, rank, SLOT_LONE);

    rt_start(w, l, master->now + rt_below(w, 20000));
    rt_enter(w, l, R_THREAD_BODY);
    work_in_regions(w, l);
    rt_leave(w, l);
}

void rt_start_mpi_threads(struct world *w)
{
    for (uint32_t r = 0; r < w->options->ranks; r++)
        create_thread(w, rt_thread(w, r, SLOT_MASTER), rt_thread(w, r, SLOT_MPI));
}

/* They were the first of their rank. */
void rt_stop_mpi_threads(struct world *w)
{
    for (uint32_t r = 0; r < w->options->ranks; r++)
        wait_for_thread(w, rt_thread(w, r, SLOT_MASTER), rt_thread(w, r, SLOT_MPI), 1);
}
