/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `clock_report`: corrections.c follows how far each location's times have been moved, order.c
 * the clock condition before and after, tables.c reports; clock_report.c ties them together.
 *
 * "Raw" is what the source read (column time_raw), everything else is as it arrives here. */
#ifndef TCFLOW_CLOCK_REPORT_H
#define TCFLOW_CLOCK_REPORT_H

#include <tcflow/clocks.h>

struct conf {
    tcf_duration mu;
    int64_t buckets, worst;
};

/* Collectives of RMA windows are classes of their own, behind the classes of edges. */
enum { RMA_CLASSES = TCF_CLASSES, CLASSES = 2 * TCF_CLASSES };

/* --------------------------------------------------------------------------------------------------- corrections -- */

/* Distortion |dL - dC| / dC of an interval that was dC long and is dL now: [0] below 1e-9, then by decades, the last
 * one open. Besides: intervals that have not changed, and those that had no length, or a negative one, and now have
 * another. */
enum { DECADES = 12, FIRST_DECADE = -9 };

struct distortion {
    uint64_t unchanged, undefined;
    uint64_t shorter[DECADES], longer[DECADES];
};

__extension__ typedef __int128 wide;

/* Corrections, time - raw, of some events; relative to that of the location's first event. The sum is exact, so that it
 * is the same in any order. */
struct spread {
    uint64_t n;
    int64_t min, max;
    wide sum;
};

struct location {
    uint32_t edge;   /* the next entry of the slice's list of edges */
    uint32_t shift;  /* a bucket is 2^shift ticks long */
    uint64_t origin; /* time of the first event: where bucket 0 begins */
    uint64_t base;   /* correction of the first event, modulo 2^64 */
    uint64_t last, last_raw;
    uint64_t moved; /* events with another time than they had */
    struct spread all;
    struct spread *bucket;
    struct {
        uint64_t size, event, time, raw;
    } largest;
};

/* Events [from, to) of a slice. */
void corrections_add(struct location *l, struct distortion *d, uint32_t buckets, const tcf_slice *s,
                     const uint64_t *raw, uint32_t from, uint32_t to);
void distortion_add(struct distortion *d, int64_t before, int64_t after);
void distortion_join(struct distortion *to, const struct distortion *more);
/* Buckets of twice the length. */
void corrections_fold(struct location *l, uint32_t buckets);
void spread_add(struct spread *to, const struct spread *more);

/* --------------------------------------------------------------------------------------------------------- order -- */

struct condition {
    uint64_t targets, violated, below; /* below: earlier than the minimum delay allows */
    uint64_t largest;                  /* violation, ticks */
    int64_t smallest;                  /* delay, ticks; INT64_MAX: none */
};

struct tally {
    struct condition raw, now; /* `now` doesn't have the targets whose instance lacks members */
    uint64_t mu;
};

struct report {
    struct tally tally[CLASSES][TCF_DISTANCES];
    struct distortion intervals, messages;
    uint8_t *comm_distance;    /* by communicator */
    struct spread *buckets;    /* of all locations */
    tcf_clock_source *sources; /* by location, or NULL: nothing was learned */
    uint64_t alone;            /* receives whose send isn't known */
    int raw_column;
};

enum { MESSAGE_BYTES = 24, MEMBER_BYTES = 24, NUMBERS = 2 };

tcf_status order_begin(tcf_self *self);
void order_pass_edge(tcf_self *self, const tcf_slice *s, const uint64_t *raw, const tcf_edge *e);
void condition_add(struct condition *to, const struct condition *more);
tcf_status order_complete(tcf_self *self, const tcf_collective *instance);

/* -------------------------------------------------------------------------------------------------------- tables -- */

tcf_status report_tables(tcf_self *self);

#endif
