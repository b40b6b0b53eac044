/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The simulated program: starts on all ranks, repeats its phases until it is long enough, and ends. */
#include "synth.h"

#include <string.h>

uint32_t node_of(const synth *s, uint32_t rank)
{
    return (uint32_t)(rank * s->opt.nodes / s->opt.ranks);
}

enum distance distance_of(const synth *s, uint32_t rank_a, uint32_t rank_b)
{
    if (rank_a == rank_b)
        return SAME_PROCESS;
    return node_of(s, rank_a) == node_of(s, rank_b) ? SAME_NODE : OTHER_NODE;
}

uint64_t travel(synth *s, enum distance d, uint64_t bytes)
{
    double jitter = rng_exponential(&s->random, s->opt.jitter[d]);

    return (uint64_t)(s->opt.latency[d] + (double)bytes * (PS_PER_SECOND / (double)s->opt.bandwidth) + jitter);
}

void compute(synth *s, location *l)
{
    const options *o = &s->opt;
    double share = o->ranks > 1 ? (double)l->rank / (double)(o->ranks - 1) : 0;
    double factor = 1 + o->compute_variation * rng_normal(&s->random);

    put_enter(s, l, R_COMPUTE);
    l->now += (uint64_t)(o->compute * (1 + o->imbalance * share) * (factor > 0.05 ? factor : 0.05));
    put_leave(s, l, R_COMPUTE);
}

static uint64_t latest(const synth *s)
{
    uint64_t now = 0;

    for (uint32_t r = 0; r < s->opt.ranks; r++)
        if (rank_of(s, r)->now > now)
            now = rank_of(s, r)->now;
    return now;
}

/* All ranks go on from here, after clocks have been measured. That takes the same time whether it is recorded or
 * not, so the program stays the same. */
static void measure(synth *s, uint32_t which)
{
    uint64_t done = measure_clocks(s, latest(s), which);

    for (uint32_t r = 0; r < s->opt.ranks; r++)
        wait_until(rank_of(s, r), done + travel(s, OTHER_NODE, 0));
}

static const pattern patterns[] = {
    {"ring", phase_ring, ROWS_AND_COLUMNS},
    {"halo", phase_halo, 0},
    {"sendrecv", phase_sendrecv, 0},
    {"master", phase_master, 0},
    {"pairs", phase_pairs, 0},
    {"latesender", phase_late_sender, 0},
    {"latereceiver", phase_late_receiver, 0},
    {"imbalance", phase_imbalance, 0},
    {"collectives", phase_collectives, ROWS_AND_COLUMNS},
    {"nonblocking", phase_nonblocking, ROWS_AND_COLUMNS},
    {"omp", phase_omp, TEAMS},
    {"locks", phase_locks, TEAMS},
    {"rma", phase_rma, A_WINDOW},
    {"barrier", phase_barrier, 0},
    {"broadcast", phase_broadcast, 0},
    {"reduce", phase_reduce, 0},
    {"allreduce", phase_allreduce, 0},
    {"alltoall", phase_alltoall, 0},
    {"serial", phase_serial, 0},
    {"output", phase_output, 0},
    {"wrongorder", phase_wrong_order, 0},
};

const pattern *find_pattern(const char *name)
{
    for (size_t i = 0; i < TCF_COUNT(patterns); i++)
        if (strcmp(patterns[i].name, name) == 0)
            return &patterns[i];
    return NULL;
}

static void start_program(synth *s)
{
    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        location *l = rank_of(s, r);
        l->now = (uint64_t)rng_exponential(&s->random, 10 * s->opt.overhead);
        PUT(s, l, ProgramBegin, (OTF2_StringRef)(R_MAIN + 1), 0, NULL);
        put_enter(s, l, R_MAIN);
        put_enter(s, l, R_INIT);
    }
    measure(s, 0);
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        put_leave(s, rank_of(s, r), R_INIT);
    for (uint32_t i = 0; i < s->opt.n_phases; i++)
        s->needs |= s->opt.phases[i]->needs;
    if (s->needs & ROWS_AND_COLUMNS)
        split_communicators(s);
    if (s->needs & A_WINDOW)
        create_window(s, true);
}

static void end_program(synth *s)
{
    if (s->needs & A_WINDOW)
        create_window(s, false);
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        put_enter(s, rank_of(s, r), R_FINALIZE);
    measure(s, 1);
    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        location *l = rank_of(s, r);
        put_leave(s, l, R_FINALIZE);
        put_leave(s, l, R_MAIN);
        PUT(s, l, ProgramEnd, 0);
    }
}

static bool is_long_enough(const synth *s)
{
    if (s->opt.events > 0)
        return s->events + 4 * s->opt.ranks >= s->opt.events;
    return latest(s) >= s->opt.duration;
}

void run_program(synth *s)
{
    start_program(s);
    uint64_t now = 0;
    for (; !is_long_enough(s); s->round++) {
        if (s->opt.duration > 0 && s->round % s->opt.n_phases == 0) {
            if (s->round > 0 && latest(s) == now)
                fail("nothing in this program takes time; ask for --events instead of --duration");
            now = latest(s);
        }
        s->bytes = 1 + (uint64_t)(2 * (double)s->opt.bytes * rng_uniform(&s->random));
        s->opt.phases[s->round % s->opt.n_phases]->run(s);
    }
    end_program(s);
}
