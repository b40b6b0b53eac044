/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Amounts as people read them: three significant digits, and a prefix of the unit. */
#ifndef TCFLOW_SCALED_H
#define TCFLOW_SCALED_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { TCF_SCALED_BYTES = 48 };

/* Writes "65.6 us", and returns that; of a unit "s" without kilo and beyond. `step`: 1000, or 1024 for KiB and beyond,
 * which have nothing below 1. */
static inline const char *tcf_scaled(double x, const char *unit, double step, char to[TCF_SCALED_BYTES])
{
    static const char *const prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T", "P"};
    enum { ONE = 4, LAST = 9 };
    const int binary = step > 1000, largest = unit[0] == 's' && unit[1] == '\0' ? ONE : LAST;
    int k = ONE;

    for (; k < largest && fabs(x) >= (binary ? step : 999.5); k++)
        x /= step;
    for (; k > (binary ? ONE : 0) && x != 0 && fabs(x) < 0.9995; k--)
        x *= step;
    const int digits = (binary && k == ONE) || x == 0 ? 0 : fabs(x) < 9.995 ? 2 : fabs(x) < 99.95 ? 1 : 0;
    snprintf(to, TCF_SCALED_BYTES, "%.*f %s%s%s", digits, x, binary && k == ONE + 1 ? "K" : prefixes[k],
             binary && k > ONE ? "i" : "", unit);
    return to;
}

/* Seconds: "65.6 us". */
static inline const char *tcf_scaled_seconds(double seconds, char to[TCF_SCALED_BYTES])
{
    return tcf_scaled(seconds, "s", 1000, to);
}

#endif
