/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `mu_estimate`: mu_estimate.c looks at edges and decides, pairs.c finds round trips of
 * messages. */
#ifndef TCFLOW_MU_ESTIMATE_H
#define TCFLOW_MU_ESTIMATE_H

#include <tcflow/clocks.h>
#include <tcflow/map.h>

/* A stretch of the first process' clock: the smallest difference of timestamps, receive - send, in each direction. */
struct stretch {
    uint64_t number;
    int64_t smallest[2]; /* 0: from the first process to the second one */
    uint8_t seen;        /* bits 1, 2: of which direction there is one */
};

enum { STRETCHES = 4 }; /* the latest ones of a pair: messages come nearly in order */

/* Two processes that have exchanged messages. */
struct pair {
    struct stretch stretch[STRETCHES];
};

struct pairs {
    struct pair *at;
    uint32_t n, capacity, most;
    uint32_t shift; /* a stretch is 2^shift ticks long */
    tcf_map of;     /* (first process, second process), first < second */
    uint64_t turned_down;
};

struct pairs pairs_new(uint32_t most, uint64_t interval);
void pairs_free(struct pairs *t);

/* Adds a message. Returns whether its stretch has a round trip now; *round_trip is the smallest one of the stretch. */
struct message {
    uint64_t sent, received;
    uint32_t from, to; /* processes, by their ids */
};
enum found { NO_ROUND_TRIP, SAME_ROUND_TRIP, NEW_ROUND_TRIP };
enum found pairs_message(struct pairs *t, const struct message *m, int64_t *round_trip);

#endif
