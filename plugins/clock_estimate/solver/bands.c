/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See bands.h. */
#include "bands.h"

#include <math.h>
#include <stddef.h>

void band_add_smoothness(double *band, uint32_t knots, double rate_weight, const double *bend_weight)
{
    for (uint32_t k = 0; k + 1 < knots; k++) {
        band[BAND * k] += rate_weight;
        band[BAND * k + 1] -= rate_weight;
        band[BAND * (k + 1)] += rate_weight;
    }
    for (uint32_t k = 1; k + 1 < knots; k++) {
        double v = bend_weight[k], *b = band + BAND * (k - 1);
        b[0] += v;
        b[1] -= 2 * v;
        b[2] += v;
        b[3] += 4 * v;
        b[4] -= 2 * v;
        b[6] += v;
    }
}

void band_loosen(double *band, uint32_t knots)
{
    for (uint32_t k = 0; k < knots; k++)
        band[BAND * k] = band[BAND * k] * (1 + 1e-9) + 1e-30;
}

/* L D L': the entries of L move from the column that they were computed in to their rows. */
void band_factorise(double *band, uint32_t knots)
{
    double one = 0, two = 0, three = 0; /* entries of row k, and of row k + 1, which earlier columns have left */
    for (uint32_t k = 0; k < knots; k++) {
        double *b = band + BAND * k;
        const double inverse = b[0] > 0 ? 1 / b[0] : 1, below = k + 1 < knots ? b[1] : 0,
                     far_below = k + 2 < knots ? b[2] : 0;
        b[0] = inverse;
        b[1] = one;
        b[2] = two;
        one = below * inverse;
        two = three;
        three = far_below * inverse;
        if (k + 1 < knots) {
            b[3] -= one * below;
            b[4] -= one * far_below;
        }
        if (k + 2 < knots)
            b[6] -= three * far_below;
    }
}

enum { LANES = 4 };

/* Each step of a solution waits for the one before; steps of several lanes, matrices of their own, wait together. What
 * a step needs of the one before comes last, for the same reason. The first rows of a factor are 0 left of it: so what
 * stands behind the last row of the one in front counts nothing. */
static inline __attribute__((always_inline)) void solve_lanes(const double *band, uint32_t knots, double *x,
                                                              uint32_t lanes)
{
    double one[LANES] = {0}, two[LANES] = {0}; /* the last solutions */
    for (uint32_t k = 0; k < knots; k++)
        for (uint32_t i = 0; i < lanes; i++) {
            const double *b = band + BAND * ((size_t)i * knots + k);
            double *v = x + (size_t)i * knots + k, found = *v - b[2] * two[i] - b[1] * one[i];
            *v = found;
            two[i] = one[i];
            one[i] = found;
        }
    for (uint32_t i = 0; i < lanes; i++)
        one[i] = two[i] = 0;
    for (uint32_t k = knots; k-- > 0;)
        for (uint32_t i = 0; i < lanes; i++) {
            const double *b = band + BAND * ((size_t)i * knots + k);
            double *v = x + (size_t)i * knots + k;
            double found = *v * b[0] - b[2 * BAND + 2] * two[i] - b[BAND + 1] * one[i];
            *v = found;
            two[i] = one[i];
            one[i] = found;
        }
}

void bands_solve(const double *band, uint32_t knots, uint32_t n, double *x)
{
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES)
        solve_lanes(band + BAND * (size_t)i * knots, knots, x + (size_t)i * knots, LANES);
    for (; i < n; i++)
        solve_lanes(band + BAND * (size_t)i * knots, knots, x + (size_t)i * knots, 1);
}

/* Takahashi's recursion, from the last knot to the first. */
double band_uncertainty(const double *band, uint32_t knots, const double *bend_weight, float *determined)
{
    double one = 0, two = 0, between = 0, sum = 0; /* variances and covariance of the next two knots */
    for (uint32_t k = knots; k-- > 0;) {
        const double *b = band + BAND * k;
        double l1 = b[BAND + 1], l2 = b[2 * BAND + 2];
        double with_one = -(l1 * one + l2 * between), with_two = -(l1 * between + l2 * two);
        double own = b[0] - l1 * with_one - l2 * with_two;
        sum += own;
        if (k + 2 < knots) {
            double bend = own + 4 * one + two - 4 * (with_one + between) + 2 * with_two;
            determined[k + 1] = (float)fmin(fmax(1 - bend_weight[k + 1] * bend, 0), 1);
        }
        two = one;
        between = with_one;
        one = own;
    }
    return sum / knots;
}
