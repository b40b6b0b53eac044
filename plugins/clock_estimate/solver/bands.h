/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Symmetric band matrices over the knots of one clock, which couple knots at most two apart: three numbers a knot, its
 * column on the diagonal and one and two below. */
#ifndef TCFLOW_CLOCK_ESTIMATE_BANDS_H
#define TCFLOW_CLOCK_ESTIMATE_BANDS_H

#include <stdint.h>

enum { BAND = 3 };

/* Adds `weight` times the square of the value at a place, which is `part` of the way from knot `at` to the next. */
static inline void band_add(double *band, uint32_t at, float part, double weight)
{
    double t = (double)part, *b = band + BAND * at;
    b[0] += weight * (1 - t) * (1 - t);
    b[1] += weight * (1 - t) * t;
    b[3] += weight * t * t;
}

/* Adds the weighted squares of the differences between neighbours and of the bends at inner knots. */
void band_add_smoothness(double *band, uint32_t knots, double rate_weight, const double *bend_weight);
/* Adds a weak diagonal, so that an unknown without equations keeps its value. */
void band_loosen(double *band, uint32_t knots);
/* L D L' in place: 1 / d[k], l[k][k-1] and l[k][k-2] then stand at knot k. Behind the last of several factors are two
 * knots of zeros. */
void band_factorise(double *band, uint32_t knots);
/* `n` factors behind each other and as many right-hand sides x, which become the solutions. */
void bands_solve(const double *band, uint32_t knots, uint32_t n, double *x);
/* From a factor: returns the mean variance of the knots, and sets the fraction of each bend that the equations
 * determine; the expectation determines the rest. */
double band_uncertainty(const double *band, uint32_t knots, const double *bend_weight, float *determined);

#endif
