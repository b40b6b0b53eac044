/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_matrix: what its two sides share, counting (comm_matrix.c) and reporting (tables.c).
 *
 * An `end` of a message is a location's index: the location itself or, with by = process, the one that stands for its
 * process (processes.h). Each location counts what it sent to and received from each partner, by its own records. */
#ifndef TCFLOW_COMM_MATRIX_H
#define TCFLOW_COMM_MATRIX_H

#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/processes.h>

/* Ends that are no index. */
#define UNKNOWN TCF_NONE       /* the record names a rank without location */
#define BEYOND (TCF_NONE - 1u) /* one of the partners beyond max_pairs */

enum { BY_PROCESS, BY_LOCATION };
/* One-sided operations are counted at the location that recorded them: bytes of PUT and ATOMIC go to the partner, those
 * of GOT and FETCHED come from there. */
enum { SENT, RECEIVED, PUT, GOT, ATOMIC, FETCHED, WAYS };
enum {
    OPERATIONS = 32,
    RECENT = 64
}; /* OTF2 3.0 has 23 operations; the last place is for all operations from there
    * on */

typedef struct conf {
    int by;
    int64_t max_pairs;
} conf;

typedef struct flow {
    uint64_t messages, bytes;
} flow;

typedef struct pair {
    uint32_t partner; /* an end */
    flow way[WAYS];   /* FETCHED: bytes of atomic operations, which ATOMIC counts */
} pair;

typedef struct operation {
    uint64_t count, sent, received;
} operation;

/* Where the messages of a communicator and rank were counted the last time. */
typedef struct recent {
    uint32_t comm, rank, pair;
} recent;

/* State of a location. */
typedef struct place {
    pair *pairs;
    uint32_t n, capacity;
    tcf_map pair_of; /* (partner, 0) */
    recent *recent;  /* RECENT of them; NULL: no message yet */
    operation operations[OPERATIONS];
    uint32_t inter; /* 1 + the inter-communicator that was looked up last, and whether its group B is the other side */
    int remote;
} place;

typedef struct state {
    tcf_processes processes;
} state;

/* The location that stands for a location's process; UNKNOWN: it has none. */
static inline uint32_t process_end(const state *st, uint32_t location)
{
    const tcf_process *p = &st->processes.at[st->processes.of[location]];
    return p->group == TCF_NONE ? UNKNOWN : p->location;
}

/* All tables of results. */
tcf_status matrix_report(tcf_self *self);

#endif
