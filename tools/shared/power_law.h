/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Power laws: straight lines through log(y) over log(x), by least squares. */
#ifndef TCFLOW_TOOLS_POWER_LAW_H
#define TCFLOW_TOOLS_POWER_LAW_H

#include <stdint.h>

struct power_law {
    uint32_t n;                    /* points, those with x > 0 and y > 0 */
    double exponent;               /* the slope; NaN: fewer than two different x */
    double error;                  /* standard error of the slope; NaN: fewer than three points */
    double residual;               /* root mean square of the logarithms' distances; NaN: fewer than three points */
    double centre, height, spread; /* means of log(x) and log(y), sum of squares of log(x) - centre */
};

struct power_law power_law_fit(const double *x, const double *y, uint32_t n);

/* y at x, and the factor by which a new point lies above or below it at most, nine times of ten; factor NaN: unknown.
 */
double power_law_at(const struct power_law *p, double x, double *factor);

#endif
