/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random traces with a known truth: the choice of operations; see random_trace.h. */
#include "random_trace_world.h"

#include <inttypes.h>
#include <stdlib.h>

/* Operations and how often they come, in relation to each other. */
static const struct operation {
    void (*run)(struct world *w);
    uint32_t features; /* 0: always; otherwise one of these must be on */
    uint32_t weight;
} operations[] = {
    {rt_op_compute, 0, 40},
    {rt_op_message, RT_P2P, 60},
    {rt_op_receive_pending, RT_P2P, 22},
    {rt_op_complete, RT_NONBLOCKING | RT_NB_COLLECTIVES, 25},
    {rt_op_sendrecv, RT_SENDRECV, 3},
    {rt_op_halo, RT_NONBLOCKING, 3},
    {rt_op_persistent, RT_PERSISTENT, 8},
    {rt_op_star, RT_ANY_SOURCE, 2},
    {rt_op_cancel, RT_CANCEL, 2},
    {rt_op_collective, RT_COLLECTIVES, 6},
    {rt_op_nonblocking_collective, RT_NB_COLLECTIVES, 3},
    {rt_op_new_comm, RT_SUBCOMMS | RT_DUP | RT_INTERCOMM, 1},
    {rt_op_free_comm, RT_SUBCOMMS | RT_DUP | RT_INTERCOMM, 1},
    {rt_op_parallel, RT_OPENMP, 5},
    {rt_op_short_thread, RT_PTHREADS, 2},
    {rt_op_mutex, RT_LOCKS, 3},
    {rt_op_counters, RT_COUNTERS, 10},
    {rt_op_io, RT_IO, 25},
    {rt_op_rma, RT_RMA, 20},
    {rt_op_kernels, RT_STREAMS, 12},
    {rt_op_lone_thread, RT_STREAMS, 2},
    {rt_op_flush, RT_FLUSHES, 8},
    {rt_op_switch_off, RT_FLUSHES, 3},
    {rt_op_nonsense, RT_NONSENSE, 4},
    {rt_op_window_collective, RT_WINDOW_COLLECTIVES, 5},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

void random_trace_defaults(struct random_trace_options *options)
{
    *options = (struct random_trace_options){
        .seed = 1,
        .ranks = 4,
        .events = 10000,
        .features = RT_ALL,
        .omp_threads = 3,
        .ranks_per_node = 2,
        .ranks_per_process = 1,
        .ticks_per_second = UINT64_C(1000000000),
        .equal_timestamps = 0.05,
        .max_delay = 500,
        .clock_offset_records = 2,
        .chunk_bytes = OTF2_CHUNK_SIZE_MIN,
    };
}

static bool valid(const struct random_trace_options *o)
{
    const char *wrong = o->ranks < 1 || o->ranks > 4096                                           ? "ranks"
                        : o->directory == NULL                                                    ? "directory"
                        : o->omp_threads < 1 || o->omp_threads > MAX_OMP                          ? "omp_threads"
                        : o->ranks_per_node < 1                                                   ? "ranks_per_node"
                        : o->ranks_per_process < 1                                                ? "ranks_per_process"
                        : o->clock_jumps > MAX_JUMPS                                              ? "clock_jumps"
                        : o->clock_offset_ns > 0.9e12 || o->clock_offset_ns < 0                   ? "clock_offset_ns"
                        : o->clock_jump_ns > 1e10 || o->clock_jump_ns < 0                         ? "clock_jump_ns"
                        : o->clock_drift_ppm > 1e5 || o->clock_drift_ppm < 0                      ? "clock_drift_ppm"
                        : o->ticks_per_second < 1 || o->ticks_per_second > UINT64_C(100000000000) ? "ticks_per_second"
                                                                                                  : NULL;

    if (wrong != NULL)
        fprintf(stderr, "random_trace: %s is out of range\n", wrong);
    return wrong == NULL;
}

static bool uses_mpi(const struct world *w)
{
    uint32_t without = RT_OPENMP | RT_LOCKS | RT_PTHREADS | RT_ATTRIBUTES | RT_METRICS | RT_COUNTERS | RT_IO |
                       RT_STREAMS | RT_FLUSHES | RT_OLD_OPENMP | RT_NESTED | RT_MPI_INSIDE | RT_NONSENSE |
                       RT_ANY_THREAD | RT_TEAM_SIZES | RT_CROSSED;
    return w->options->features & ~without;
}

static void start_program(struct world *w)
{
    static const OTF2_StringRef arguments[2] = {0, 0};

    for (uint32_t r = 0; r < w->options->ranks; r++) {
        struct location *l = rt_thread(w, r, SLOT_MASTER);
        rt_start(w, l, 1000 + rt_below(w, 100000));
        RT_PUT(w, l, ProgramBegin, 0, 2, arguments);
        rt_enter(w, l, R_MAIN);
    }
    if (uses_mpi(w))
        rt_handle_collective(w, &w->comms[0], R_INIT, true);
    if (rt_has(w, RT_MPI_THREADS))
        rt_start_mpi_threads(w);
}

static void end_program(struct world *w)
{
    if (rt_has(w, RT_MPI_THREADS))
        rt_stop_mpi_threads(w);
    if (uses_mpi(w))
        rt_handle_collective(w, &w->comms[0], R_FINALIZE, false);
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        struct location *l = rt_thread(w, r, SLOT_MASTER);
        while (l->depth > 0)
            rt_leave(w, l);
        RT_PUT(w, l, ProgramEnd, 0);
    }
}

/* Anything that opens no region for longer, and forks no other team. */
void rt_do_something(struct world *w)
{
    static const struct operation inside[] = {
        {rt_op_message, RT_P2P, 0},
        {rt_op_receive_pending, RT_P2P, 0},
        {rt_op_complete, RT_NONBLOCKING, 0},
        {rt_op_sendrecv, RT_SENDRECV, 0},
        {rt_op_halo, RT_NONBLOCKING, 0},
        {rt_op_collective, RT_COLLECTIVES, 0},
        {rt_op_nonblocking_collective, RT_NB_COLLECTIVES, 0},
        {rt_op_window_collective, RT_WINDOW_COLLECTIVES, 0},
        {rt_op_short_thread, RT_PTHREADS, 0},
        {rt_op_mutex, RT_LOCKS, 0},
        {rt_op_flush, RT_FLUSHES, 0},
    };
    const struct operation *o = &inside[rt_below(w, sizeof inside / sizeof *inside)];

    if (rt_has(w, o->features))
        o->run(w);
}

/* How many times more than usual. */
static uint32_t often(const struct world *w, const struct operation *o)
{
    return w->options->reuse_comms && (o->run == rt_op_new_comm || o->run == rt_op_free_comm) ? 6 : 0;
}

static void run(struct world *w)
{
    const struct operation *lottery[320];
    uint32_t tickets = 0;

    for (int i = 0; i < OPERATIONS; i++)
        if (operations[i].features == 0 || rt_has(w, operations[i].features))
            for (uint32_t n = 0; n < operations[i].weight + often(w, &operations[i]); n++)
                lottery[tickets++] = &operations[i];
    start_program(w);
    for (uint64_t turn = 0; w->events < w->options->events && !w->trace.failed; turn++) {
        lottery[rt_below(w, tickets)]->run(w);
        if (turn % 8 == 0) {
            rt_complete_old(w);
            rt_end_early(w);
        }
        if (turn > 1000 + 10 * w->options->events)
            break; /* every location has ended early: nothing is written any more */
    }
    if (w->trace.failed)
        return;
    rt_finish_messages(w);
    end_program(w);
}

int random_trace_write(const struct random_trace_options *options, struct random_trace_result *result)
{
    struct world w;

    if (!valid(options) || rt_world_open(&w, options) != 0)
        return -1;
    if (!w.trace.failed)
        run(&w);
    if (result != NULL) {
        *result = (struct random_trace_result){0, w.events, w.messages, w.collectives};
        for (uint32_t r = 0; w.ranks != NULL && r < options->ranks; r++)
            for (uint32_t s = 0; s < SLOTS; s++)
                result->locations += w.ranks[r].threads[s].writer != NULL;
        result->locations += options->empty_locations + options->missing_locations;
    }
    return rt_world_close(&w);
}
