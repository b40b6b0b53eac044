/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the filters of clocks agree on: knots of a correction, minimum delays, jumps. A table is what a survey leaves to
 * the main chain (host->learn(), host->learned() of filter.h), a column what one filter leaves to the next in a
 * slice. */
#ifndef TCFLOW_CLOCKS_H
#define TCFLOW_CLOCKS_H

#include <tcflow/filter.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A knot of a location's clock correction: at time `time`, as read, `offset` is to be added. Between two knots the
 * offset is linear; before the first and behind the last one the first and last pieces go on; one knot alone is a
 * constant. The same rule as libotf2's for its clock offsets: t + offset + rint(slope * (t - time)). */
typedef struct tcf_clock_knot {
    uint64_t time;  /* ticks */
    int64_t offset; /* ticks */
    double error;   /* half the error bar of the offset, ticks; INFINITY: unknown */
    uint32_t location;
    uint32_t reserved;
} tcf_clock_knot;
#define TCF_CLOCK_KNOTS "clock_knots" /* table of tcf_clock_knot, ordered by location, then time */

/* Where the knots of a location come from. */
enum tcf_clock_origin {
    TCF_CLOCK_RAW,         /* the clock is right as it is: no knots */
    TCF_CLOCK_MEASURED,    /* clock offsets of the archive */
    TCF_CLOCK_FILE,        /* measurements that the user gave */
    TCF_CLOCK_MESSAGES,    /* messages and collectives of the trace */
    TCF_CLOCK_UNCONNECTED, /* nothing ties it to the reference */
    TCF_CLOCK_ORIGINS
};

/* What shows that the locations of a group have one clock: the weakest evidence of its members. */
enum tcf_clock_evidence {
    TCF_SHARED_IN_PROCESS,  /* they are of one process */
    TCF_SHARED_AS_STATED,   /* a parameter says so */
    TCF_SHARED_BY_MESSAGES, /* no message between them is reversed, and those both ways leave little between them */
    TCF_SHARED_BY_ONE_WAY,  /* their messages in one direction take next to no time, all through the run */
    TCF_SHARED_BY_THIRD,    /* the same of their messages with a third one */
    TCF_SHARED_BY_MEASURED, /* their measured clock offsets agree at both ends of the run */
    TCF_SHARED_AS_OTHERS,   /* they are of one machine, and others of one machine are shown to share clocks */
    TCF_CLOCK_EVIDENCES
};

typedef struct tcf_clock_source {
    uint32_t location;
    uint32_t component; /* locations of one number have been brought to a common clock, those of different ones not */
    double error;       /* the largest half error bar of its knots, ticks; INFINITY: unknown */
    double likely;      /* some 95 % of its times are off by no more, ticks; at most `error` */
    double apart;       /* what messages leave between the clocks of its group, ticks; 0: nothing is known of that */
    uint32_t clock;     /* locations of one number have one and the same clock: a group */
    uint8_t origin;     /* tcf_clock_origin */
    uint8_t evidence;   /* tcf_clock_evidence, of the group */
    uint8_t reserved[2];
} tcf_clock_source;
#define TCF_CLOCK_SOURCES "clock_sources" /* table of tcf_clock_source, one row a location, in order */

/* How far apart the two sides of an edge are. */
enum tcf_distance { TCF_SAME_PROCESS, TCF_SAME_NODE, TCF_OTHER_NODE, TCF_DISTANCES };

static inline uint32_t tcf_distance_of(const tcf_definitions *defs, uint32_t a, uint32_t b)
{
    if (a >= defs->n_locations || b >= defs->n_locations)
        return TCF_OTHER_NODE;
    if (tcf_location_at(defs, a)->group == tcf_location_at(defs, b)->group)
        return TCF_SAME_PROCESS;
    return tcf_location_at(defs, a)->node == tcf_location_at(defs, b)->node ? TCF_SAME_NODE : TCF_OTHER_NODE;
}

/* The largest distance between members of a communicator. */
static inline uint32_t tcf_comm_distance(const tcf_definitions *defs, uint32_t comm)
{
    uint32_t distance = TCF_SAME_PROCESS, first = TCF_NONE;
    const tcf_comm *c = comm < defs->n_comms ? tcf_comm_at(defs, comm) : NULL;
    for (uint32_t i = 0; c && i < c->size + c->remote_size; i++) {
        uint32_t location = i < c->size ? c->location[i] : c->remote_location[i - c->size];
        if (first == TCF_NONE)
            first = location;
        uint32_t here = location == TCF_NONE ? 0 : tcf_distance_of(defs, first, location);
        distance = here > distance ? here : distance;
    }
    return distance;
}

/* Edges among the threads of a process, from fork to OpenMP barrier: their delays are close to 0, and a
 * minimum delay that is given for messages and collectives isn't theirs. */
static inline int tcf_between_threads(uint32_t class_)
{
    return class_ == TCF_CLASS_FORK || class_ == TCF_CLASS_JOIN || class_ == TCF_CLASS_THREAD_CREATE ||
           class_ == TCF_CLASS_THREAD_WAIT || class_ == TCF_CLASS_LOCK || class_ == TCF_CLASS_OMP_BARRIER;
}

static inline const char *tcf_distance_name(uint32_t distance)
{
    static const char *const names[TCF_DISTANCES] = {"same_process", "same_node", "other_node"};
    return distance < TCF_DISTANCES ? names[distance] : "?";
}

/* NULL: there is no such origin. */
static inline const char *tcf_clock_origin_name(uint32_t origin)
{
    static const char *const names[TCF_CLOCK_ORIGINS] = {
        [TCF_CLOCK_RAW] = "raw",           [TCF_CLOCK_MEASURED] = "measured",       [TCF_CLOCK_FILE] = "file",
        [TCF_CLOCK_MESSAGES] = "messages", [TCF_CLOCK_UNCONNECTED] = "unconnected",
    };
    return origin < TCF_CLOCK_ORIGINS ? names[origin] : NULL;
}

/* NULL: there is no such evidence. */
static inline const char *tcf_clock_evidence_name(uint32_t evidence)
{
    static const char *const names[TCF_CLOCK_EVIDENCES] = {
        [TCF_SHARED_IN_PROCESS] = "one process",
        [TCF_SHARED_AS_STATED] = "as stated",
        [TCF_SHARED_BY_MESSAGES] = "messages",
        [TCF_SHARED_BY_ONE_WAY] = "messages one way",
        [TCF_SHARED_BY_THIRD] = "messages with a third clock",
        [TCF_SHARED_BY_MEASURED] = "measured offsets",
        [TCF_SHARED_AS_OTHERS] = "one machine, as others",
    };
    return evidence < TCF_CLOCK_EVIDENCES ? names[evidence] : NULL;
}

static inline const char *tcf_edge_class_name(uint32_t class_)
{
    static const char *const names[TCF_CLASSES] = {
        [TCF_CLASS_NONE] = "none",
        [TCF_CLASS_P2P] = "p2p",
        [TCF_CLASS_ONE_TO_N] = "one_to_n",
        [TCF_CLASS_N_TO_ONE] = "n_to_one",
        [TCF_CLASS_N_TO_N] = "n_to_n",
        [TCF_CLASS_BARRIER] = "barrier",
        [TCF_CLASS_SCAN] = "scan",
        [TCF_CLASS_EXSCAN] = "exscan",
        [TCF_CLASS_UNORDERED] = "unordered",
        [TCF_CLASS_FORK] = "fork",
        [TCF_CLASS_JOIN] = "join",
        [TCF_CLASS_THREAD_CREATE] = "thread_create",
        [TCF_CLASS_THREAD_WAIT] = "thread_wait",
        [TCF_CLASS_LOCK] = "lock",
        [TCF_CLASS_OMP_BARRIER] = "omp_barrier",
        [TCF_CLASS_RMA] = "rma_operation",
    };
    return class_ < TCF_CLASSES ? names[class_] : "?";
}

/* The smallest time that an edge of a class takes over a distance. */
typedef struct tcf_minimum_delay {
    uint64_t ticks;   /* by the clocks as they were; a filter that corrects them replaces the table by one of `sure` */
    uint64_t samples; /* edges that it was seen on */
    uint8_t class_;   /* tcf_edge_class */
    uint8_t distance; /* tcf_distance: of the two locations of a message, else of the communicator */
    uint8_t reserved[2];
    uint32_t sure; /* ticks: what holds whatever the clocks are; at most `ticks` */
} tcf_minimum_delay;
#define TCF_MINIMUM_DELAYS "minimum_delays" /* table of tcf_minimum_delay, one row for each class and distance seen */

/* What clc_forward leaves at edges: doc/clock-correction.md, "Forward". */
typedef struct tcf_jump {
    uint64_t ticks; /* Delta: by how much the target had to jump; 0: it didn't */
    uint64_t limit; /* at a target L(target) - mu, of a moved target at least 1 less than it: no source of it may be
                     * moved beyond; UINT64_MAX: none. At a source the longest mu that targets of it may have */
} tcf_jump;
#define TCF_JUMP "jump" /* column of tcf_jump, at edges */

/* By how much events of a location were moved behind the correction of its clock, at most. */
typedef struct tcf_clock_move {
    uint64_t ticks;
} tcf_clock_move;
#define TCF_CLOCK_MOVES "clock_moves" /* table of tcf_clock_move, one row a location; there is none before end() */

#define TCF_TIME_RAW "time_raw" /* column of uint64_t, every event: the timestamp that the source read */

#ifdef __cplusplus
}
#endif
#endif
