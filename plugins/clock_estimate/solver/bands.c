/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See bands.h. */
#include "bands.h"

#include <math.h>

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

void band_factorise(double *band, uint32_t knots)
{
    for (uint32_t k = 0; k < knots; k++) {
        double *b = band + BAND * k;
        double inverse = b[0] > 0 ? 1 / sqrt(b[0]) : 1;
        b[0] = inverse;
        b[1] = k + 1 < knots ? b[1] * inverse : 0;
        b[2] = k + 2 < knots ? b[2] * inverse : 0;
        if (k + 1 < knots) {
            b[3] -= b[1] * b[1];
            b[4] -= b[1] * b[2];
        }
        if (k + 2 < knots)
            b[6] -= b[2] * b[2];
    }
}

void band_solve(const double *band, uint32_t knots, double *x)
{
    double one = 0, two = 0; /* terms of the columns before */
    for (uint32_t k = 0; k < knots; k++) {
        const double *b = band + BAND * k;
        double v = (x[k] - one) * b[0];
        x[k] = v;
        one = two + b[1] * v;
        two = b[2] * v;
    }
    double next = 0, after = 0;
    for (uint32_t k = knots; k-- > 0;) {
        const double *b = band + BAND * k;
        double v = (x[k] - b[2] * after - b[1] * next) * b[0];
        x[k] = v;
        after = next;
        next = v;
    }
}

/* Takahashi's recursion, from the last knot to the first. */
double band_uncertainty(const double *band, uint32_t knots, const double *bend_weight, float *determined)
{
    double one = 0, two = 0, between = 0, sum = 0; /* variances and covariance of the next two knots */
    for (uint32_t k = knots; k-- > 0;) {
        const double *b = band + BAND * k;
        double l1 = b[1] * b[0], l2 = b[2] * b[0];
        double with_one = -(l1 * one + l2 * between), with_two = -(l1 * between + l2 * two);
        double own = b[0] * b[0] - l1 * with_one - l2 * with_two;
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
