/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clocks and traffic whose truth is known, for the solver behind `clock_estimate`. */
#ifndef TESTS_CLOCK_ESTIMATE_SIMULATE_H
#define TESTS_CLOCK_ESTIMATE_SIMULATE_H

#include "../../../plugins/clock_estimate/solver/solver.h"

enum drift { SHARED, OFFSETS, LINEAR, SINE, WALK, JUMPS, DRIFTS };
enum traffic { RING, HALO, MASTER, REDUCTIONS, MOSTLY_ONE_WAY, ONE_WAY, SPARSE, MIXED, TRAFFICS };
extern const char *const drift_names[DRIFTS], *const traffic_names[TRAFFICS];

struct scenario {
    enum drift drift;
    enum traffic traffic;
    uint32_t ranks;
    double seconds;   /* length of the run */
    double every;     /* seconds between steps of communication */
    double rate;      /* standard deviation of the clocks' rates; 0: 2e-6 */
    double amplitude; /* of what is not linear, seconds */
    double period;    /* of the sine, seconds */
    double frequency; /* ticks a second */
    double asymmetry; /* seconds that the way up takes longer than the way down */
    double per_byte;  /* seconds; messages have up to 16,000 bytes then */
    int unsized;      /* nobody says how many */
    double busy;      /* seconds that receivers come late, on average, besides; to reductions the last rank, always */
    uint32_t rooted;  /* after so many steps a broadcast and a reduction; 0: never */
    int measured;     /* offsets at both ends are known, to a microsecond */
    uint32_t threads; /* among which the solver divides its work; here they run one after another, the last one first */
    uint64_t seed;
};

struct outcome {
    double rms, linear_rms; /* seconds, over all ranks and times */
    double worst, bar_rms;
    double covered;    /* part of the samples within the error bar */
    double likely;     /* part of the samples within the likely error of their clock */
    double half;       /* within half of it */
    double likely_rms; /* seconds, over all clocks */
    double violations; /* part of the messages reversed afterwards */
    double worse;      /* worst rank: rms beyond that of linear by more than its largest bar, seconds; <= 0: fine */
    uint32_t gaps, raw, measured, estimated, unconnected, contradictory;
    double seconds; /* of CPU time, to solve */
    uint64_t work;
    uint64_t hash; /* of all knots and likely errors, bit by bit */
};

/* 0, or -1: out of memory. */
int simulate(const struct scenario *s, struct outcome *o);

#endif
