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
#include "tools/shared/program.h"

#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define PS_PER_SECOND 1000000000000

enum { EXIT_SIGNAL = 128 };
enum { MOST_PHASES = 64, MOST_DELAYS = 64, MOST_THREADS = 1024, MOST_RANKS = 1 << 20 };

/* How far apart two locations are; latency and jitter have a value for each. */
enum distance { SAME_PROCESS, SAME_NODE, OTHER_NODE, DISTANCES };

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

/* Each time that a location of `rank` enters `region`, at `from` or later and before `to`, `time` more passes. In
 * picoseconds. */
typedef struct delay {
    uint32_t rank, region;
    double time, from, to;
} delay;

typedef struct options {
    const char *output, *true_output, *truth;
    int overwrite, per_process, shuffle, sparse; /* yes or no */
    uint64_t ranks, threads, nodes, pings, bandwidth;
    uint64_t events, duration; /* whichever is not 0; duration in ps */
    uint64_t seed, resolution, base, bytes;
    bool has_base;
    const struct pattern *phases[MOST_PHASES];
    uint32_t n_phases, n_delays;
    delay delays[MOST_DELAYS];
    double compute, compute_variation; /* ps; fraction */
    double late_fraction, late, imbalance;
    double latency[DISTANCES], jitter[DISTANCES], overhead;
    double recording; /* ps, before each event */
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
    unsigned needs;           /* of all phases */
} synth;

/* Regions: name, role, paradigm; the string of a region's name is its number + 1. */
#define REGIONS_LIST(X)                                                                                                \
    X(R_MAIN, "main", FUNCTION, USER)                                                                                  \
    X(R_COMPUTE, "compute", FUNCTION, USER)                                                                            \
    X(R_DELAY, "delay", FUNCTION, USER)                                                                                \
    X(R_INIT, "MPI_Init", COLL_OTHER, MPI)                                                                             \
    X(R_FINALIZE, "MPI_Finalize", COLL_OTHER, MPI)                                                                     \
    X(R_COMM_SPLIT, "MPI_Comm_split", COLL_OTHER, MPI)                                                                 \
    X(R_SEND, "MPI_Send", POINT2POINT, MPI)                                                                            \
    X(R_RECV, "MPI_Recv", POINT2POINT, MPI)                                                                            \
    X(R_SSEND, "MPI_Ssend", POINT2POINT, MPI)                                                                          \
    X(R_SENDRECV, "MPI_Sendrecv", POINT2POINT, MPI)                                                                    \
    X(R_ISEND, "MPI_Isend", POINT2POINT, MPI)                                                                          \
    X(R_IRECV, "MPI_Irecv", POINT2POINT, MPI)                                                                          \
    X(R_WAIT, "MPI_Wait", POINT2POINT, MPI)                                                                            \
    X(R_WAITALL, "MPI_Waitall", POINT2POINT, MPI)                                                                      \
    X(R_BARRIER, "MPI_Barrier", BARRIER, MPI)                                                                          \
    X(R_BCAST, "MPI_Bcast", COLL_ONE2ALL, MPI)                                                                         \
    X(R_SCATTER, "MPI_Scatter", COLL_ONE2ALL, MPI)                                                                     \
    X(R_SCATTERV, "MPI_Scatterv", COLL_ONE2ALL, MPI)                                                                   \
    X(R_GATHER, "MPI_Gather", COLL_ALL2ONE, MPI)                                                                       \
    X(R_GATHERV, "MPI_Gatherv", COLL_ALL2ONE, MPI)                                                                     \
    X(R_REDUCE, "MPI_Reduce", COLL_ALL2ONE, MPI)                                                                       \
    X(R_ALLREDUCE, "MPI_Allreduce", COLL_ALL2ALL, MPI)                                                                 \
    X(R_ALLGATHER, "MPI_Allgather", COLL_ALL2ALL, MPI)                                                                 \
    X(R_ALLGATHERV, "MPI_Allgatherv", COLL_ALL2ALL, MPI)                                                               \
    X(R_ALLTOALL, "MPI_Alltoall", COLL_ALL2ALL, MPI)                                                                   \
    X(R_ALLTOALLV, "MPI_Alltoallv", COLL_ALL2ALL, MPI)                                                                 \
    X(R_ALLTOALLW, "MPI_Alltoallw", COLL_ALL2ALL, MPI)                                                                 \
    X(R_REDUCE_SCATTER, "MPI_Reduce_scatter", COLL_ALL2ALL, MPI)                                                       \
    X(R_REDUCE_SCATTER_BLOCK, "MPI_Reduce_scatter_block", COLL_ALL2ALL, MPI)                                           \
    X(R_SCAN, "MPI_Scan", COLL_OTHER, MPI)                                                                             \
    X(R_EXSCAN, "MPI_Exscan", COLL_OTHER, MPI)                                                                         \
    X(R_IBARRIER, "MPI_Ibarrier", BARRIER, MPI)                                                                        \
    X(R_IALLREDUCE, "MPI_Iallreduce", COLL_ALL2ALL, MPI)                                                               \
    X(R_WIN_CREATE, "MPI_Win_create", RMA, MPI)                                                                        \
    X(R_WIN_FREE, "MPI_Win_free", RMA, MPI)                                                                            \
    X(R_WIN_FENCE, "MPI_Win_fence", RMA, MPI)                                                                          \
    X(R_PUT, "MPI_Put", RMA, MPI)                                                                                      \
    X(R_GET, "MPI_Get", RMA, MPI)                                                                                      \
    X(R_PARALLEL, "!$omp parallel @synth.c:1", PARALLEL, OPENMP)                                                       \
    X(R_FOR, "!$omp for @synth.c:1", LOOP, OPENMP)                                                                     \
    X(R_IMPLICIT_BARRIER, "!$omp implicit barrier @synth.c:1", IMPLICIT_BARRIER, OPENMP)                               \
    X(R_CRITICAL, "!$omp critical @synth.c:1", CRITICAL, OPENMP)                                                       \
    X(R_SERIAL, "serial", FUNCTION, USER)                                                                              \
    X(R_WRITE, "write_results", FILE_IO, USER)

enum region {
#define NUMBER(number, name, role, paradigm) number,
    REGIONS_LIST(NUMBER)
#undef NUMBER
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

/* outputs.c: when the program fails, new outputs are removed. These functions end the program when they fail. */
const char *outputs_open_folder(const options *o, const char *folder); /* returns where its archive is written */
FILE *outputs_open_file(const options *o, const char *path);
void outputs_heed_signals(void);         /* ends the program after a signal */
void outputs_complete(const options *o); /* they get their names */

/* options.c */
static inline uint64_t locations_of(const options *o)
{
    return o->ranks * o->threads;
}
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
/* The next event of a location: some time passes, both timestamps are taken. */
void stamp_event(synth *s, location *l);

/* Writes one event to all archives. CALL is the name behind OTF2_EvtWriter_; a function each would be the same loop. */
#define PUT(s, l, call, ...)                                                                                           \
    do {                                                                                                               \
        stamp_event(s, l);                                                                                             \
        for (uint32_t a_ = 0; a_ < (s)->n_archives; a_++)                                                              \
            archive_check(OTF2_EvtWriter_##call((l)->writer[a_], NULL, (l)->stamp[a_], ##__VA_ARGS__),                 \
                          "writing " #call);                                                                           \
    } while (0)

static inline void put_enter(synth *s, location *l, enum region region)
{
    uint64_t begin = l->now;
    PUT(s, l, Enter, (OTF2_RegionRef)region);
    for (uint32_t i = 0; i < s->opt.n_delays; i++) {
        const delay *d = &s->opt.delays[i];
        if (d->rank == l->rank && d->region == region && (double)begin >= d->from && (double)begin < d->to)
            l->now += (uint64_t)d->time;
    }
}

static inline void put_leave(synth *s, location *l, enum region region)
{
    PUT(s, l, Leave, (OTF2_RegionRef)region);
}

/* definitions.c */
void write_definitions(synth *s);

/* program.c */
enum { ROWS_AND_COLUMNS = 1, TEAMS = 2, A_WINDOW = 4 };

/* A pattern of communication: what a phase of the program does. */
typedef struct pattern {
    const char *name;
    void (*run)(synth *s);
    unsigned needs; /* ROWS_AND_COLUMNS, ... */
} pattern;

/* NULL: there is none of this name. */
const pattern *find_pattern(const char *name);
void run_program(synth *s);
void compute(synth *s, location *l);
uint32_t node_of(const synth *s, uint32_t rank);
enum distance distance_of(const synth *s, uint32_t rank_a, uint32_t rank_b);
/* The time that something of BYTES takes over a distance: minimum, bandwidth and jitter, each drawn anew. */
uint64_t travel(synth *s, enum distance distance, uint64_t bytes);

/* messages.c, collectives.c, threads.c: the patterns */
typedef void phase(synth *s);
phase phase_ring, phase_halo, phase_sendrecv, phase_master, phase_pairs, phase_late_sender, phase_late_receiver,
    phase_imbalance, phase_collectives, phase_nonblocking, phase_omp, phase_locks, phase_rma, phase_barrier,
    phase_broadcast, phase_reduce, phase_allreduce, phase_alltoall, phase_serial, phase_output, phase_wrong_order;

/* collectives.c */
comm comm_of_family(const synth *s, enum family family, uint32_t i);
uint32_t family_size(const synth *s, enum family family);
void split_communicators(synth *s);
void create_window(synth *s, bool create);

static inline location *thread_of(const synth *s, uint32_t rank, uint32_t thread)
{
    return &s->locations[(uint64_t)rank * s->opt.threads + thread];
}

static inline location *rank_of(const synth *s, uint32_t rank)
{
    return thread_of(s, rank, 0);
}

/* The communicator of a rank's team: behind those of rows and columns. */
static inline OTF2_CommRef team_of(const synth *s, uint32_t rank)
{
    return COMM_FIRST_ROW + s->rows + s->columns + rank;
}

static inline void wait_until(location *l, uint64_t time)
{
    if (l->now < time)
        l->now = time;
}

#endif
