/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#include "power_law.h"

#include <math.h>

struct power_law power_law_fit(const double *x, const double *y, uint32_t n)
{
    struct power_law p = {.exponent = NAN, .error = NAN, .residual = NAN};
    double product = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++)
        if (x[i] > 0 && y[i] > 0) {
            p.centre += log(x[i]);
            p.height += log(y[i]);
            p.n++;
        }
    p.centre /= p.n;
    p.height /= p.n;
    for (uint32_t i = 0; i < n; i++)
        if (x[i] > 0 && y[i] > 0) {
            double dx = log(x[i]) - p.centre;
            p.spread += dx * dx;
            product += dx * (log(y[i]) - p.height);
        }
    if (p.n < 2 || p.spread < 1e-12) /* there is one x only, so the rest is rounding */
        return p;
    p.exponent = product / p.spread;
    for (uint32_t i = 0; i < n; i++)
        if (x[i] > 0 && y[i] > 0) {
            double d = log(y[i]) - p.height - p.exponent * (log(x[i]) - p.centre);
            squares += d * d;
        }
    if (p.n > 2) {
        p.residual = sqrt(squares / p.n);
        p.error = sqrt(squares / (p.n - 2) / p.spread);
    }
    return p;
}

/* Student's t for nine of ten, two-sided. */
static double quantile(uint32_t degrees)
{
    static const double t[] = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833, 1.812};
    const uint32_t n = sizeof t / sizeof *t;
    return degrees <= n ? t[degrees - 1] : 1.645 + 1.6 / degrees;
}

double power_law_at(const struct power_law *p, double x, double *factor)
{
    double dx = log(x) - p->centre;
    *factor = NAN;
    if (p->n > 2) {
        double residual = p->residual * sqrt(p->n / (p->n - 2.0));
        *factor = exp(quantile(p->n - 2) * residual * sqrt(1 + 1.0 / p->n + dx * dx / p->spread));
    }
    return exp(p->height + p->exponent * dx);
}
