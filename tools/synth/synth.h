/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* tcflow-synth: what its parts share. The simulation advances all ranks phase by phase, in picoseconds of true time,
 * and writes each event as it happens, so memory depends on the number of locations alone.
 *
 * main.c       options, the run            program.c     the simulated program from MPI_Init to MPI_Finalize
 * options.c    the command line            messages.c    point-to-point patterns
 * clock.c      clocks and measurements     collectives.c collective operations, blocking and not, and windows
 * archive.c    archives and events         threads.c     OpenMP
 * definitions.c                            outputs.c     files and folders, and removing them after a failure or signal
 * random.h     random numbers */
#ifndef TCFLOW_SYNTH_H
#define TCFLOW_SYNTH_H

#include "random.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PS_PER_SECOND 1000000000000

enum { EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_SIGNAL = 128 };
enum { MOST_PHASES = 64, MOST_THREADS = 1024, MOST_RANKS = 1 << 20 };

/* How far apart two locations are; latency and jitter have a value for each. */
enum distance { SAME_PROCESS, SAME_NODE, OTHER_NODE, DISTANCES };

enum pattern {
    RING,
    HALO,
    SENDRECV,
    MASTER,
    PAIRS,
    LATE_SENDER,
    IMBALANCE,
    COLLECTIVES,
    NONBLOCKING,
    OMP,
    LOCKS,
    RMA,
    PATTERNS
};

enum measure { MEASURE_NONE, MEASURE_START, MEASURE_BOTH };

/* How clocks deviate; offset and drift are standard deviations over the clocks. In picoseconds. */
typedef struct clock_model {
    double offset, drift; /* drift: ps per ps */
    double sine, sine_period;
    double walk;            /* after one second */
    double jump, jump_rate; /* jumps per ps */
    double step;            /* the clock is linear between multiples of it */
    int reference_is_wrong; /* yes or no */
} clock_model;

typedef struct options {
    const char *output, *true_output, *truth;
    int overwrite, per_process, shuffle, sparse; /* yes or no */
    uint32_t ranks, threads, nodes, pings;
    uint64_t events, duration; /* whichever is not 0; duration in ps */
    uint64_t seed, resolution, base, bytes;
    bool has_base;
    enum pattern phases[MOST_PHASES];
    uint32_t n_phases;
    double compute, compute_variation; /* ps; fraction */
    double late_fraction, late, imbalance;
    double latency[DISTANCES], jitter[DISTANCES], ps_per_byte, overhead;
    uint64_t recording; /* ps, before each event */
    clock_model clock;
    enum measure measure;
} options;

/* A clock, as one location follows it: locations that share a clock replay the same one. In [from, until) it deviates
 * from true time by start + slope * (t - from). */
typedef struct clock {
    uint64_t from, until; /* ps */
    double start, end, slope;
    double offset, drift, phase, walk, jumps, next_jump;
    rng random;
} clock;

typedef struct location {
    uint64_t now; /* true time of its last event, ps after the start of the program */
    clock clock;
    OTF2_EvtWriter *writer[2];
    uint64_t stamp[2];         /* last timestamps: recorded, true */
    uint64_t first[2];         /* first ones */
    uint64_t events, requests; /* requests: next id */
    OTF2_LocationRef ref;
    uint32_t rank, thread;
} location;

typedef struct measurement {
    uint64_t time; /* local */
    int64_t offset;
    double deviation;
} measurement;

typedef struct synth {
    options opt;
    OTF2_Archive *archive[2]; /* recorded, true */
    uint32_t n_archives;
    FILE *truth;
    location *locations;    /* by rank, then thread */
    uint32_t columns, rows; /* the grid of ranks; a rank is row * columns + column */
    uint64_t events;
    int64_t ps_per_tick; /* 0: not a whole number */
    rng random;          /* of the program; clocks and measurements have their own */
    uint64_t round, collectives, bytes;
    uint64_t *arrival;        /* 4 a rank: messages of the current phase */
    uint32_t *order;          /* scratch, one a rank or thread */
    uint32_t *lock_order;     /* acquisitions so far, one a rank */
    measurement *measured[2]; /* at start and end, one a rank */
    bool has_window, has_teams;
} synth;

/* Regions; the string of a region's name is its number + 1. */
enum region {
    R_MAIN,
    R_COMPUTE,
    R_DELAY,
    R_INIT,
    R_FINALIZE,
    R_COMM_SPLIT,
    R_SEND,
    R_RECV,
    R_SENDRECV,
    R_ISEND,
    R_IRECV,
    R_WAIT,
    R_WAITALL,
    R_BARRIER,
    R_BCAST,
    R_SCATTER,
    R_SCATTERV,
    R_GATHER,
    R_GATHERV,
    R_REDUCE,
    R_ALLREDUCE,
    R_ALLGATHER,
    R_ALLGATHERV,
    R_ALLTOALL,
    R_ALLTOALLV,
    R_ALLTOALLW,
    R_REDUCE_SCATTER,
    R_REDUCE_SCATTER_BLOCK,
    R_SCAN,
    R_EXSCAN,
    R_IBARRIER,
    R_IALLREDUCE,
    R_WIN_CREATE,
    R_WIN_FREE,
    R_WIN_FENCE,
    R_PUT,
    R_GET,
    R_PARALLEL,
    R_FOR,
    R_IMPLICIT_BARRIER,
    R_CRITICAL,
    REGIONS
};

/* Communicators. A family are communicators that are used at the same time and share no member. */
enum { COMM_WORLD, COMM_SELF, COMM_FIRST_ROW, WINDOW = 0, OPENMP_LOCK = 1 };
enum family { WORLD, ROWS, COLUMNS, SELVES };

typedef struct comm {
    OTF2_CommRef ref;
    uint32_t size, first, stride; /* member i is rank first + i * stride */
    enum distance distance;       /* the largest between its members */
} comm;

/* main.c: ends the program after a message. */
_Noreturn void synth_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void synth_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* outputs.c: when the program fails, new outputs are removed. These functions end the program when they fail. */
void outputs_open_folder(const options *o, const char *folder); /* for an archive; an older one goes */
FILE *outputs_open_file(const options *o, const char *path);
void outputs_heed_signals(void); /* ends the program after a signal */
void outputs_keep(void);         /* the outputs are complete */

/* options.c */
void parse_options(options *o, int argc, char **argv);

/* clock.c */
void clock_start(clock *c, const options *o, uint32_t number);
uint64_t clock_read(synth *s, location *l, uint64_t now); /* may go backwards, as clocks do */
uint64_t true_tick(const synth *s, uint64_t now);
void clock_finish(synth *s, location *l);
/* Measures all ranks' clocks against rank 0's, beginning at START; returns the time at which that is done. */
uint64_t measure_clocks(synth *s, uint64_t start, uint32_t which);

/* archive.c */
void archives_open(synth *s);
void archives_close(synth *s);
void archive_check(OTF2_ErrorCode status, const char *doing);
void put_enter(synth *s, location *l, enum region region);
void put_leave(synth *s, location *l, enum region region);
void put_program(synth *s, location *l, bool begin);
void put_send(synth *s, location *l, OTF2_CommRef comm, uint32_t to, uint32_t tag);
void put_recv(synth *s, location *l, OTF2_CommRef comm, uint32_t from, uint32_t tag);
void put_isend(synth *s, location *l, OTF2_CommRef comm, uint32_t to, uint32_t tag, uint64_t request);
void put_isend_complete(synth *s, location *l, uint64_t request);
void put_irecv_request(synth *s, location *l, uint64_t request);
void put_irecv(synth *s, location *l, OTF2_CommRef comm, uint32_t from, uint32_t tag, uint64_t request);
void put_collective_begin(synth *s, location *l);
void put_collective_end(synth *s, location *l, OTF2_CollectiveOp op, OTF2_CommRef comm, uint32_t root, uint64_t sent,
                        uint64_t received);
void put_collective_request(synth *s, location *l, uint64_t request);
void put_collective_complete(synth *s, location *l, OTF2_CollectiveOp op, OTF2_CommRef comm, uint64_t sent,
                             uint64_t received, uint64_t request);
void put_rma_begin(synth *s, location *l);
void put_rma_end(synth *s, location *l, OTF2_CollectiveOp op);
void put_rma_window(synth *s, location *l, bool create);
void put_rma_transfer(synth *s, location *l, uint32_t remote, bool put);
void put_fork(synth *s, location *l);
void put_join(synth *s, location *l);
void put_team(synth *s, location *l, bool begin);
void put_lock(synth *s, location *l, uint32_t order, bool acquire);

/* definitions.c */
void write_definitions(synth *s);

/* program.c */
void run_program(synth *s);
void compute(synth *s, location *l);
uint32_t node_of(const synth *s, uint32_t rank);
enum distance distance_of(const synth *s, uint32_t rank_a, uint32_t rank_b);
/* The time that something of BYTES takes over a distance: minimum, bandwidth and jitter, each drawn anew. */
uint64_t travel(synth *s, enum distance distance, uint64_t bytes);

/* messages.c */
void phase_ring(synth *s);
void phase_halo(synth *s);
void phase_sendrecv(synth *s);
void phase_master(synth *s);
void phase_pairs(synth *s);
void phase_late_sender(synth *s);

/* collectives.c */
comm comm_of_family(const synth *s, enum family family, uint32_t i);
uint32_t family_size(const synth *s, enum family family);
void phase_collectives(synth *s);
void phase_nonblocking(synth *s);
void phase_imbalance(synth *s);
void split_communicators(synth *s);
void phase_rma(synth *s);
void create_window(synth *s, bool create);

/* threads.c */
void phase_omp(synth *s);
void phase_locks(synth *s);

static inline location *thread_of(const synth *s, uint32_t rank, uint32_t thread)
{
    return &s->locations[(uint64_t)rank * s->opt.threads + thread];
}

static inline location *rank_of(const synth *s, uint32_t rank)
{
    return thread_of(s, rank, 0);
}

static inline void wait_until(location *l, uint64_t time)
{
    if (l->now < time)
        l->now = time;
}

#endif
