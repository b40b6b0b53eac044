/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Symmetric matrices of one clock's knots, which couple knots at most two apart: three numbers a knot, what stands in
 * its column on the diagonal and one and two below. */
#ifndef TCFLOW_CLOCK_ESTIMATE_BANDS_H
#define TCFLOW_CLOCK_ESTIMATE_BANDS_H

#include <stdint.h>

enum { BAND = 3 };

/* Adds `weight` times the square of the value at a place: `part` of the way from knot `at` to the next. */
static inline void band_add(double *band, uint32_t at, float part, double weight)
{
    double t = (double)part, *b = band + BAND * at;
    b[0] += weight * (1 - t) * (1 - t);
    b[1] += weight * (1 - t) * t;
    b[3] += weight * t * t;
}

/* Adds the squares of the differences between neighbours, and of the bends at inner knots, times their weights. */
void band_add_smoothness(double *band, uint32_t knots, double rate_weight, const double *bend_weight);
/* What nothing ties keeps its value; weak enough not to matter otherwise. */
void band_loosen(double *band, uint32_t knots);
/* Cholesky in place: column k then holds 1 / l[k][k], l[k+1][k], l[k+2][k]. */
void band_factorise(double *band, uint32_t knots);
/* x becomes the solution. */
void band_solve(const double *band, uint32_t knots, double *x);
/* Of a factor: the mean variance of the knots, and how much of each bend the equations tell, of 1; the rest is as
 * expected. */
double band_uncertainty(const double *band, uint32_t knots, const double *bend_weight, float *determined);

#endif
