/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What only some traces have: times at which the buffer of events was written, stretches without measurement, teams of
 * OpenMP that a worker of another team forks, and records that refer to nothing. */
#include "random_trace_world.h"

enum { NESTED_THREADS = 2 }; /* beside the worker that forks them, which is the last of its team */

static struct location *any_thread(struct world *w)
{
    struct location *l = rt_thread(w, rt_below(w, w->options->ranks), rt_below(w, SLOTS));

    return l->writer != NULL ? l : rt_thread(w, l->rank, SLOT_MASTER);
}

/* The stop is a time in the record; now and then one that makes no sense. */
void rt_op_flush(struct world *w)
{
    struct location *l = any_thread(w);
    uint64_t until = l->now + rt_below(w, 20000), stop = rt_tick(w, l->rank, until);

    if (rt_chance(w, 0.1))
        stop = rt_chance(w, 0.5) && stop > 100000 ? stop - rt_below(w, 100000) : stop + rt_below(w, 100000);
    RT_PUT(w, l, BufferFlush, stop);
    rt_wait_until(l, until);
}

/* Nothing is recorded meanwhile. */
void rt_op_switch_off(struct world *w)
{
    struct location *l = any_thread(w);

    RT_PUT(w, l, MeasurementOnOff, OTF2_MEASUREMENT_OFF);
    l->now += rt_below(w, 50000);
    RT_PUT(w, l, MeasurementOnOff, OTF2_MEASUREMENT_ON);
}

/* Ranks that a communicator doesn't have, communicators, teams and contingents that nothing defines, locks that nobody
 * else takes, regions that are left without having been entered. */
void rt_op_nonsense(struct world *w)
{
    struct location *l = any_thread(w);
    uint32_t unknown = 100000000 + rt_below(w, 3), beyond = w->options->ranks + rt_below(w, 3);

    rt_work(w, l);
    switch (rt_below(w, 8)) {
    case 0:
        RT_PUT(w, l, MpiSend, beyond, 0, rt_below(w, TAGS), 8);
        break;
    case 1:
        RT_PUT(w, l, MpiRecv, beyond, 0, rt_below(w, TAGS), 8);
        break;
    case 2:
        RT_PUT(w, l, MpiSend, 0, unknown, rt_below(w, TAGS), 8);
        RT_PUT(w, l, MpiRecv, 0, unknown, rt_below(w, TAGS), 8);
        break;
    case 3:
        RT_PUT(w, l, MpiCollectiveBegin);
        rt_work(w, l);
        RT_KEEP(w, l, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, unknown, OTF2_COLLECTIVE_ROOT_NONE, 8, 8);
        break;
    case 4:
        RT_KEEP(w, l, ThreadTeamBegin, unknown);
        rt_enter(w, l, R_IMPLICIT_BARRIER);
        rt_leave(w, l);
        RT_KEEP(w, l, ThreadTeamEnd, unknown);
        break;
    case 5:
        RT_PUT(w, l, ThreadCreate, unknown, 1);
        RT_PUT(w, l, ThreadBegin, unknown, 1);
        break;
    case 6:
        RT_PUT(w, l, ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, unknown + (uint32_t)w->events, rt_below(w, 2));
        RT_PUT(w, l, ThreadReleaseLock, OTF2_PARADIGM_PTHREAD, unknown + (uint32_t)w->events,
               UINT32_MAX - rt_below(w, 2));
        break;
    default:
        RT_PUT(w, l, Leave, rt_region_ref(w, l->rank, R_USER_FIRST + rt_below(w, 3)));
    }
}

bool rt_in_nested_team(const struct world *w, uint32_t slot)
{
    return slot >= w->options->omp_threads && slot < w->options->omp_threads + NESTED_THREADS && slot < MAX_OMP;
}

/* Threads that a worker waits for, while the others of its team go on. */
static void wait_for_all(struct world *w, struct location *const *team, uint32_t n)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < n; i++)
        last = team[i]->now > last ? team[i]->now : last;
    for (uint32_t i = 0; i < n; i++)
        rt_wait_until(team[i], last + 50 + rt_below(w, 300));
}

void rt_nested_team(struct world *w, uint32_t rank)
{
    uint32_t master = w->options->omp_threads - 1, ref = rt_nested_ref(w, rank), n = 1;
    struct location *team[1 + NESTED_THREADS] = {rt_thread(w, rank, master)};

    for (uint32_t s = 0; s < SLOTS; s++)
        if (rt_in_nested_team(w, s))
            team[n++] = rt_thread(w, rank, s);
    if (n == 1 || rt_chance(w, 0.5))
        return;
    RT_KEEP(w, team[0], ThreadFork, OTF2_PARADIGM_OPENMP, n);
    uint64_t forked = team[0]->now;
    for (uint32_t i = 0; i < n; i++) {
        rt_start(w, team[i], forked + (i > 0 ? 200u : 0u) + rt_below(w, 2000));
        RT_KEEP(w, team[i], ThreadTeamBegin, ref);
        rt_enter(w, team[i], R_PARALLEL);
        rt_work(w, team[i]);
        rt_enter(w, team[i], R_IMPLICIT_BARRIER);
    }
    wait_for_all(w, team, n);
    for (uint32_t i = 0; i < n; i++) {
        rt_leave(w, team[i]);
        rt_leave(w, team[i]);
        RT_KEEP(w, team[i], ThreadTeamEnd, ref);
    }
    wait_for_all(w, team, n);
    RT_KEEP(w, team[0], ThreadJoin, OTF2_PARADIGM_OPENMP);
}
