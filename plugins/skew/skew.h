/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of skew share: skew.c (the filter), model.c (what a bad clock reads), tables.c (the files it
 * writes). */
#ifndef SKEW_H
#define SKEW_H

#include "../shared/clocks/correction.h"

enum per { PER_PROCESS, PER_NODE, PER_LOCATION };

struct conf {
    int per, reference, overwrite;
    int64_t seed;
    tcf_duration offset, sine, sine_period, walk, jump, measurement_error;
    double drift, jumps;
    const char *measurements, *truth;
};

/* The parameters of all clocks; amounts are ticks. */
struct model {
    uint64_t origin; /* where drift, waves and walks start: the stated begin of the trace */
    uint64_t step;   /* distance of the nodes between which an error is straight */
    uint64_t cell;   /* length of the intervals with one jump each; 0: no jumps */
    double offset, drift, sine, omega, walk, jump; /* omega: radians a tick; walk: of one step */
    int64_t shift;
};

/* One clock. */
struct skewed {
    uint64_t key; /* the seed of its random numbers */
    double offset, drift, phase;
    int right; /* it is the reference, which has no error */
};

/* A straight piece of a clock: what it reads from `first` to piece.last of true time, but no less than `floor`. */
struct stretch {
    clock_piece piece;
    uint64_t first, floor;
};

struct state {
    struct model model;
};

struct location {
    struct skewed clock;
    struct stretch now; /* of the last event; first > piece.last: no event yet */
    uint64_t unit;      /* the owner of the clock; see unit_of() */
    int any;
    uint64_t first, last; /* true times */
    uint64_t read;        /* the largest reading so far */
};

/* model.c */
enum { MODEL_FAR = 62 }; /* times may be 2^62 ticks from the origin */
uint64_t skew_hash(uint64_t key, uint64_t number);
double skew_normal(uint64_t key, uint64_t number);
void skew_clock(const struct model *m, uint64_t key, int right, struct skewed *to);
/* Finds the stretch of a time. 0: the time is too far from the origin, or its reading is negative or beyond 64 bits. */
int skew_stretch(const struct model *m, const struct skewed *c, uint64_t time, struct stretch *to);
/* The reading of the clock at a time of the stretch. */
uint64_t skew_reading(const struct model *m, const struct stretch *s, uint64_t time);

/* tables.c. Writes the files that the parameters name. */
tcf_status tables_write(tcf_self *self);

#endif
