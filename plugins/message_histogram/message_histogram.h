/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* message_histogram: what its two sides share, counting (message_histogram.c) and reporting (tables.c). */
#ifndef TCFLOW_MESSAGE_HISTOGRAM_H
#define TCFLOW_MESSAGE_HISTOGRAM_H

#include "../shared/time_bins/time_bins.h"
#include <tcflow/filter.h>
#include <tcflow/processes.h>
#include <tcflow/times.h>

enum { SENT, RECEIVED };
enum { POWERS = 65 }; /* bins of powers of two: 0, 1, 2 to 3, 4 to 7, ... */

typedef struct conf {
    uint64_t bin_bytes;
    int64_t max_bins, time_bins;
    int by_process;
} conf;

typedef struct flow {
    uint64_t messages, bytes;
} flow;

/* State of a location; both arrays belong to one block of memory. */
typedef struct place {
    flow (*sizes)[2];     /* by bin of sizes; NULL: no event has come yet */
    flow (*over_time)[2]; /* by bin of time, and as many again to move them */
    time_bins time;
    uint64_t last; /* time of the last event */
} place;

static inline void flows_add(flow to[2], const flow from[2])
{
    for (int way = SENT; way <= RECEIVED; way++) {
        to[way].messages += from[way].messages;
        to[way].bytes = tcf_bytes_sum(to[way].bytes, from[way].bytes);
    }
}

static inline int is_empty(const flow f[2])
{
    return f[SENT].messages == 0 && f[RECEIVED].messages == 0;
}

/* How many bins of sizes there are. The last one of equal bins is open. */
static inline uint32_t size_bins(const conf *c)
{
    return c->bin_bytes == 0 ? (uint32_t)POWERS : (uint32_t)c->max_bins;
}

/* Both tables. */
tcf_status histogram_report(tcf_self *self);

#endif
