/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* OpenMP: each rank forks a team, which divides a loop, meets at the implicit barrier and is joined; with locks, its
 * threads also pass a critical section one after the other. */
#include "synth.h"

static void fork_team(synth *s, uint32_t rank)
{
    location *master = rank_of(s, rank);

    PUT(s, master, ThreadFork, OTF2_PARADIGM_OPENMP, (uint32_t)s->opt.threads);
    uint64_t forked = master->now;
    for (uint32_t t = 0; t < s->opt.threads; t++) {
        location *l = thread_of(s, rank, t);
        if (t > 0)
            wait_until(l, forked + travel(s, SAME_PROCESS, 0));
        PUT(s, l, ThreadTeamBegin, team_of(s, rank));
        put_enter(s, l, R_PARALLEL);
    }
}

static void barrier(synth *s, uint32_t rank)
{
    uint64_t last = 0;

    for (uint32_t t = 0; t < s->opt.threads; t++) {
        location *l = thread_of(s, rank, t);
        put_enter(s, l, R_IMPLICIT_BARRIER);
        last = l->now > last ? l->now : last;
    }
    for (uint32_t t = 0; t < s->opt.threads; t++) {
        location *l = thread_of(s, rank, t);
        if (s->opt.threads > 1)
            wait_until(l, last + travel(s, SAME_PROCESS, 0));
        put_leave(s, l, R_IMPLICIT_BARRIER);
    }
}

static void join_team(synth *s, uint32_t rank)
{
    location *master = rank_of(s, rank);
    uint64_t last = 0;

    for (uint32_t t = 0; t < s->opt.threads; t++) {
        location *l = thread_of(s, rank, t);
        put_leave(s, l, R_PARALLEL);
        PUT(s, l, ThreadTeamEnd, team_of(s, rank));
        last = l->now > last ? l->now : last;
    }
    if (s->opt.threads > 1)
        wait_until(master, last + travel(s, SAME_PROCESS, 0));
    PUT(s, master, ThreadJoin, OTF2_PARADIGM_OPENMP);
}

static void share_loop(synth *s, uint32_t rank)
{
    for (uint32_t t = 0; t < s->opt.threads; t++) {
        location *l = thread_of(s, rank, t);
        put_enter(s, l, R_FOR);
        compute(s, l);
        put_leave(s, l, R_FOR);
    }
}

/* In the order in which the threads come to the lock. */
static void critical(synth *s, uint32_t rank)
{
    uint64_t free_at = 0;

    for (uint32_t t = 0; t < s->opt.threads; t++) {
        uint32_t i = t;
        put_enter(s, thread_of(s, rank, t), R_CRITICAL);
        for (; i > 0 && thread_of(s, rank, s->order[i - 1])->now > thread_of(s, rank, t)->now; i--)
            s->order[i] = s->order[i - 1];
        s->order[i] = t;
    }
    for (uint32_t i = 0; i < s->opt.threads; i++) {
        location *l = thread_of(s, rank, s->order[i]);
        if (i > 0)
            wait_until(l, free_at + travel(s, SAME_PROCESS, 0));
        s->lock_order[rank]++;
        PUT(s, l, ThreadAcquireLock, OTF2_PARADIGM_OPENMP, OPENMP_LOCK, s->lock_order[rank]);
        l->now += (uint64_t)(s->opt.overhead * 4 * rng_uniform(&s->random));
        PUT(s, l, ThreadReleaseLock, OTF2_PARADIGM_OPENMP, OPENMP_LOCK, s->lock_order[rank]);
        free_at = l->now;
        put_leave(s, l, R_CRITICAL);
    }
}

static void parallel(synth *s, bool locks)
{
    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        fork_team(s, r);
        share_loop(s, r);
        if (locks)
            critical(s, r);
        barrier(s, r);
        join_team(s, r);
    }
}

void phase_omp(synth *s)
{
    parallel(s, false);
}

void phase_locks(synth *s)
{
    parallel(s, true);
}
