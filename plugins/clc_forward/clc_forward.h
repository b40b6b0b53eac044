/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `clc_forward`: clc_forward.c computes the clock, settings.c turns parameters into ticks and
 * factors, report.c reports what was changed. */
#ifndef TCFLOW_CLC_FORWARD_H
#define TCFLOW_CLC_FORWARD_H

#include <tcflow/clocks.h>

struct conf {
    const char *mu, *gamma;
    tcf_duration delta, decay;
    int64_t disbelief;
};

/* The clock of a location, and what was done to it. */
struct clock {
    uint64_t c, l;   /* before and after, of the event before; only while ahead */
    uint64_t g;      /* gamma in units of 2^-32 */
    uint32_t edge;   /* first edge of the slice that has not been seen */
    uint8_t ahead;   /* l > c */
    uint8_t jumped;  /* there was a jump before, so jump_c is set */
    uint64_t jump_c; /* for gamma = auto: C and L - C when the drift was measured last, and that drift in units of
                      * 2^-32 */
    uint64_t jump_ahead, drift;
    uint64_t least_g;

    uint64_t events, moved, jumps;
    uint64_t largest_jump, largest; /* ticks; of L - C */
    unsigned __int128 jumped_by;    /* sum of the jumps */
    unsigned __int128 moved_by;     /* sum of L - C over the events */
};

/* Of a class of edges. */
struct tally {
    uint64_t targets, violated, jumps, unbound, largest;
    uint64_t disbelieved, largest_disbelieved; /* targets, and ticks by which one of them breaks the clock condition */
    unsigned __int128 jumped_by;
};

struct state {
    uint64_t mu[TCF_CLASSES][TCF_DISTANCES]; /* ticks */
    uint64_t delta, decay;
    uint64_t g;   /* of gamma = N */
    int control;  /* gamma = auto */
    int mu_given; /* mu = DURATION */
    tcf_duration mu_fixed;
    int column; /* TCF_JUMP */
    uint8_t *comm_distance;
    double *bar;   /* by location: error bar of its clock in ticks, INFINITY: unknown; NULL: every edge is believed */
    double widest; /* the largest of them */
    struct tally tally[TCF_CLASSES];
};

/* ---------------------------------------------------------------------------------------------------- settings.c -- */

enum { G_BITS = 32 };
#define G_ONE ((uint64_t)1 << G_BITS)

tcf_status settings_parse(tcf_self *self); /* in init() */
void settings_to_ticks(tcf_self *self);    /* in begin() */
/* In begin(): the error bars of the clocks, where a filter in front has applied what the survey has learned. */
tcf_status settings_take_bars(tcf_self *self);

/* ------------------------------------------------------------------------------------------------------ report.c -- */

tcf_status report(tcf_self *self);
tcf_status report_pack(tcf_self *self, tcf_pack *pack);
tcf_status report_absorb(tcf_self *self, tcf_pack *pack);

#endif
