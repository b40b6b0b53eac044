/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `mu_estimate`: mu_estimate.c looks at edges and decides, pairs.c finds round trips of
 * messages. */
#ifndef TCFLOW_MU_ESTIMATE_H
#define TCFLOW_MU_ESTIMATE_H

#include <tcflow/clocks.h>
#include <tcflow/map.h>

/* The messages of two processes in a stretch of the first one's clock: the smallest difference of timestamps, receive -
 * send, in each direction. */
struct stretch {
    uint64_t number;
    int64_t smallest[2]; /* 0: from the first process to the second one */
    uint32_t first, second;
    uint8_t seen; /* bits 1, 2: of which direction there is one */
    uint8_t distance;
};

struct stretches {
    struct stretch *at;
    uint32_t n, capacity, most;
    uint32_t shift;    /* a stretch is 2^shift ticks long */
    uint32_t thinning; /* one stretch in 2 to the power of it is kept */
    tcf_map of;        /* (pair of processes, number of the stretch) */
    int out_of_memory; /* a stretch found no memory */
};

struct message {
    uint64_t sent, received;
    uint32_t from, to; /* processes */
    uint8_t distance;
    uint8_t from_second; /* the receiver is the first one of the pair */
};

struct stretches stretches_new(uint32_t most, uint64_t interval);
void stretches_free(struct stretches *t);
void stretches_message(struct stretches *t, const struct message *m);
/* Before those of a table with this `thinning` are added. */
void stretches_join(struct stretches *t, uint32_t thinning);
void stretches_add(struct stretches *t, const struct stretch *s);
/* The smallest round trip of a stretch. 0: there are messages of one direction only. */
int stretches_round_trip(const struct stretch *s, int64_t *round_trip);

#endif
