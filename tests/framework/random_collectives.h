/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Random collective operations of six processes, and what holds of each by the definition of the operation: intra- and
 * inter-communicators, blocking or not, with lengths of 0. */
#ifndef TCFLOW_TESTS_RANDOM_COLLECTIVES_H
#define TCFLOW_TESTS_RANDOM_COLLECTIVES_H

#include <tcflow/harness.h>

enum { MOST = 8, COLLECTIVES = 600 };

/* An instance as the generator made it. Members by rank, of an inter-communicator those of group A first. */
struct instance {
    uint32_t n, n_a, member[MOST];
    uint64_t begin[MOST];
    uint32_t end_event[MOST]; /* number of its end in the location */
    uint64_t end[MOST];
    uint8_t source[MOST], target[MOST];
    uint8_t op, inter, scan, to_all, completed;
};

/* By location, its ends in their order. */
struct location_ends {
    uint32_t instance[COLLECTIVES], rank[COLLECTIVES], n;
    uint32_t begun[COLLECTIVES], begun_rank[COLLECTIVES], n_begun; /* the same for begins */
    uint32_t seen_ends[2];                                         /* by instance of the filter */
    _Atomic uint64_t processed;                                    /* events that both have seen */
};

/* Those of the last random_collectives(). */
extern struct instance instances[COLLECTIVES];
extern struct location_ends at[MOST];

void random_collectives(tcfh *h, uint64_t seed, uint32_t n, int blocking);
/* The largest (smallest) begin that must precede the end of a member. 0: there is none. */
int expect(const struct instance *i, uint32_t me, uint64_t *value);
/* The smallest time of an end that depends on rank me's begin. */
uint64_t first_dependent(const struct instance *i, uint32_t me);

#endif
