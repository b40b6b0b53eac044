/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* `verify = yes`: sums over the columns that filters may write; they show undeclared changes. A sum is
 * made of a number for each event and its position, so that it can be taken apart: what a span adds or takes away is
 * known without looking at the rest of the slice. */
#ifndef TCFLOW_FRAMEWORK_VERIFY_H
#define TCFLOW_FRAMEWORK_VERIFY_H

#include <tcflow/filter.h>

typedef struct verify_sums {
    uint64_t time, kind, rec, attr;
} verify_sums;

/* A location in a causal segment: the slice that is passing. */
typedef struct verify_lane {
    verify_sums passed; /* of the events that have passed and are still here */
    verify_sums rest;   /* of the others, as they came */
    uint32_t left;      /* how many these are */
    uint64_t base;      /* events of the slice that have been split off and sent on */
} verify_lane;

/* Of events [from, to); `base` counts those before event 0. */
verify_sums verify_sum(const tcf_slice *s, uint32_t from, uint32_t to, uint64_t base);
/* May a filter that writes these columns make the one from the other? */
int verify_agree(const verify_sums *a, const verify_sums *b, uint32_t writes);

/* A span is about to pass. Returns its sums. */
verify_sums verify_enter(verify_lane *lane, const tcf_slice *s, uint32_t from, uint32_t to);
/* It has; `sums` are what they are by now. */
void verify_leave(verify_lane *lane, const verify_sums *sums, uint32_t events);
/* All of a slice, or a part that was split off, leaves the segment. 0: events were changed when they did not pass. */
int verify_out(verify_lane *lane, const tcf_slice *s);

#endif
