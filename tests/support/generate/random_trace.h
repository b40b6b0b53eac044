/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Random, valid traces of parallel programs with a known truth.
 *
 * A seeded generator builds a random MPI + OpenMP + threads program, simulates it on an ideal clock,
 * and records what each thread would have seen on its own, possibly wrong, clock. What really
 * happened (which send belongs to which receive, who took part in which collective) goes to
 * DIRECTORY/truth.csv. Needs nothing but libotf2. The same options give the same trace, byte by byte
 * (but for the archive's identifier).
 *
 * truth.csv; LOCATION is the id as written, INDEX the 0-based number of the event in its location,
 * -1 where the event was left out:
 *
 *   p2p,COMM,SRC_LOCATION,SRC_INDEX,DST_LOCATION,DST_INDEX    a message; DST is MPI_RECV or MPI_IRECV
 *   unmatched,COMM,LOCATION,INDEX                             an end whose other end was left out
 *   coll,INSTANCE,LOCATION,BEGIN_INDEX,END_INDEX,OP,ROOT,COMM,MEMBER,SIZE,SENT,RECEIVED,NONBLOCKING
 *   fork|join|create|wait,COMM,SRC_LOCATION,SRC_INDEX,DST_LOCATION,DST_INDEX
 *   lock,LOCK,SRC_LOCATION,SRC_INDEX,DST_LOCATION,DST_INDEX   release to next acquisition
 *   barrier,INSTANCE,LOCATION,ENTER_INDEX,LEAVE_INDEX,COMM    an OpenMP barrier region
 *   clock,RANK,OFFSET_NS,DRIFT_PPM,JUMPS                      the error of its process' clock
 *
 * COMM is a number of its own for each communicator (0 MPI_COMM_WORLD, 1 MPI_COMM_SELF), whatever ids
 * the trace has for it. OP is OTF2's number. ROOT and MEMBER are positions in the member list (of an
 * inter-communicator: group A, then group B), ROOT -1 for none. */
#ifndef TCFLOW_TESTS_RANDOM_TRACE_H
#define TCFLOW_TESTS_RANDOM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum random_trace_feature {
    RT_P2P = 1 << 0, /* Send, Ssend, Bsend, Rsend, Recv, late receives */
    RT_SENDRECV = 1 << 1,
    RT_NONBLOCKING = 1 << 2, /* Isend, Irecv, Wait*, Test* */
    RT_CANCEL = 1 << 3,
    RT_ANY_SOURCE = 1 << 4,
    RT_COLLECTIVES = 1 << 5,
    RT_V_COLLECTIVES = 1 << 6, /* with members that send or receive nothing */
    RT_NB_COLLECTIVES = 1 << 7,
    RT_SUBCOMMS = 1 << 8, /* split: nested and overlapping */
    RT_DUP = 1 << 9,      /* same members */
    RT_SELF = 1 << 10,
    RT_INTERCOMM = 1 << 11,
    RT_OPENMP = 1 << 12,
    RT_LOCKS = 1 << 13,
    RT_PTHREADS = 1 << 14,    /* threads that come and go */
    RT_MPI_THREADS = 1 << 15, /* a second thread of each rank communicates, too */
    RT_ATTRIBUTES = 1 << 16,
    RT_METRICS = 1 << 17,
    RT_ALL = (1 << 18) - 1,          /* but for what follows */
    RT_COUNTERS = 1 << 18,           /* metrics of all modes and types, and of processes */
    RT_IO = 1 << 19,                 /* handles, and operations that block or not */
    RT_RMA = 1 << 20,                /* puts, gets and atomic operations */
    RT_STREAMS = 1 << 21,            /* a stream of an accelerator in each process, and a thread that nothing begins */
    RT_FLUSHES = 1 << 22,            /* of the buffer of events; measurement that is switched off and on */
    RT_WINDOW_COLLECTIVES = 1 << 23, /* collectives of windows, of all levels of synchronisation */
    RT_OLD_OPENMP = 1 << 24,         /* now and then the records that OTF2 1.0 had for OpenMP */
    RT_NESTED = 1 << 25,             /* teams that a worker of another one forks */
    RT_MPI_INSIDE = 1 << 26,         /* masters that communicate inside parallel regions */
    RT_NONSENSE = 1 << 27,           /* records that refer to nothing, which truth.csv leaves out */
    RT_ANY_THREAD = 1 << 28,         /* any thread communicates for its rank, OpenMP workers, too; collectives of
                                      * a communicator come from one thread or another */
    RT_TEAM_SIZES = 1 << 29,         /* teams of some of the threads of a rank, or of the master alone */
    RT_CROSSED = 1 << 30             /* threads of a rank now and then send and receive in another order than the trace
                                      * shows, and complete each other's requests; truth.csv has the real order */
};
#define RT_PERSISTENT (UINT32_C(1) << 31) /* requests that are started again and again, several in one call */

struct random_trace_options { /* each int is 0 or 1 */
    const char *directory;
    uint64_t seed;
    uint32_t ranks;  /* 1 to 4,096 */
    uint64_t events; /* written, about */
    uint32_t features;
    uint32_t omp_threads; /* per rank, the master included */
    uint32_t ranks_per_node;
    uint32_t ranks_per_process; /* of one location group, with one clock; what other threads of theirs than the
                                 * masters communicate belongs to nobody, whatever truth.csv says */
    uint64_t ticks_per_second;  /* 1 to 100,000,000,000 */
    uint64_t shift_ticks;       /* added to all times, modulo 2^64: clocks start about 1,000 s behind it */
    double equal_timestamps;    /* probability that an event has the time of the one before */
    int epochs;                 /* RT_RMA: windows are posted, started, completed, waited for, too */
    int passive;                /* RT_RMA: windows of other processes are locked, too */
    int empty_collectives; /* collectives of MPI whose sizes are all 0 now and then; only v-operations bind nobody then
                            */
    int reuse_comms;       /* communicators that have been freed are made again, under their old ids */
    int contexts;          /* enters and leaves are those of calling contexts */
    int idle;              /* some user regions are idle, tasks, or waits for them, one in another */
    uint32_t max_delay;    /* events after which a request is completed at the latest */

    /* Clocks: one per process. */
    double clock_offset_ns;        /* largest */
    double clock_drift_ppm;        /* largest */
    uint32_t clock_jumps;          /* of each clock, 0 to 8 */
    double clock_jump_ns;          /* largest */
    uint32_t clock_offset_records; /* measurements in the trace, 0 for none */
    double clock_offset_error_ns;  /* largest error of a measurement */
    double lose_measurements;      /* of a location's clock */

    /* What the measurement system left out: probabilities. */
    double lose_sends;
    double lose_receives;
    double never_complete;      /* an MPI_IRECV_REQUEST without MPI_IRECV */
    int ambiguous_loss;         /* also on channels with other messages: truth is not decidable then */
    double end_early;           /* share of the processes, and of other threads, that stop half-way */
    double begin_late;          /* share of the threads whose first events are missing; as with lose_any */
    double lose_any;            /* of any event but those that number collectives and teams: no truth then */
    uint32_t empty_locations;   /* with an event file but no event */
    uint32_t missing_locations; /* without an event file */

    /* How the archive is written. */
    int sparse_locations;
    int sparse_regions;
    int regions_per_rank; /* a region id of its own in every process */
    int comms_per_rank;   /* a communicator id of its own in every process */
    int shuffle_definitions;
    int repeat_definitions;
    int wrong_event_counts;     /* in the location definitions */
    int wrong_clock_properties; /* the trace is said to begin and end at other times */
    uint64_t chunk_bytes;
};

struct random_trace_result {
    uint64_t locations;
    uint64_t events;
    uint64_t messages;    /* p2p lines of truth.csv */
    uint64_t collectives; /* instances */
};

/* Everything on but clock errors, losses and odd archives; RT_ALL; 4 ranks, 10,000 events, seed 1. */
void random_trace_defaults(struct random_trace_options *options);

/* Returns 0, or -1 after a message on stderr. RESULT may be NULL. */
int random_trace_write(const struct random_trace_options *options, struct random_trace_result *result);

#endif
