/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* accuracy [SEEDS [RANKS [TRAFFIC]]]: a table of what the solver reaches over simulated clocks and traffic, beside
 * linear interpolation of offsets measured at both ends to a microsecond. Times in microseconds. */
#include "simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void one_line(struct scenario s, uint32_t seeds)
{
    double square = 0, linear = 0, covered = 0, bars = 0, seconds = 0, worst_ratio = 0, worse = -1, violations = 0,
           least = 1;
    uint32_t gaps = 0, origins[4] = {0}, bad = 0;
    for (uint32_t seed = 1; seed <= seeds; seed++) {
        struct outcome o;
        s.seed = seed;
        if (simulate(&s, &o) != 0)
            exit(1);
        square += o.rms * o.rms / seeds;
        linear += o.linear_rms * o.linear_rms / seeds;
        covered += o.covered / seeds;
        least = fmin(least, o.covered);
        bars += o.bar_rms * o.bar_rms / seeds;
        seconds += o.seconds / seeds;
        violations += o.violations / seeds;
        worst_ratio = fmax(worst_ratio, o.rms / o.linear_rms);
        worse = fmax(worse, o.worse);
        bad += o.worse > 0;
        gaps += o.gaps;
        origins[0] += o.raw, origins[1] += o.measured, origins[2] += o.estimated, origins[3] += o.unconnected;
    }
    printf("%-8s %-14s %3u %2s %9.3f %9.3f %7.4f %7.3f %9.3f %6.2f%% %6.2f%% %8.3f %3u %6.3f%% %4u %5.2f %u/%u/%u/%u\n",
           drift_names[s.drift], traffic_names[s.traffic], s.ranks, s.measured ? "m" : "-", 1e6 * sqrt(linear),
           1e6 * sqrt(square), sqrt(square / linear), worst_ratio, 1e6 * sqrt(bars), 100 * covered, 100 * least,
           1e6 * worse, bad, 100 * violations, gaps / seeds, seconds, origins[0], origins[1], origins[2], origins[3]);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t seeds = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 3,
             ranks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 4;
    int only = argc > 3 ? (int)strtol(argv[3], NULL, 10) : -1;
    puts("drift    traffic        ranks  m linear      rms   ratio   worst   bars   covered  least  worse-by bad  "
         "reversed gaps cpu raw/measured/estimated/unconnected");
    for (int m = 0; m < 2; m++)
        for (int d = 0; d < DRIFTS; d++)
            for (int t = 0; t < TRAFFICS; t++) {
                struct scenario s = {.drift = (enum drift)d,
                                     .traffic = (enum traffic)t,
                                     .ranks = ranks,
                                     .seconds = 100,
                                     .every = t == SPARSE  ? 2.0
                                              : ranks > 32 ? ranks * 6e-5
                                                           : 0.002,
                                     .amplitude = 50e-6,
                                     .period = 60,
                                     .frequency = 1e9,
                                     .measured = m};
                if (only >= 0 && t != only)
                    continue;
                one_line(s, seeds);
            }
    return 0;
}
