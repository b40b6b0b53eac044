/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The units of time that people write behind a number: one list for the framework, its programs and its filters. Not
 * installed: filters of others get durations from the framework (TCF_DURATION). */
#ifndef TCFLOW_TIME_UNITS_H
#define TCFLOW_TIME_UNITS_H

#include <stddef.h>
#include <string.h>

/* Turns *value, a number of `unit`, into a number of 1/scale seconds (scale 1: seconds, 1e12: picoseconds). 0: `unit`
 * is no unit of time, and *value stays as it is. */
static inline int tcf_time_from(const char *unit, double scale, double *value)
{
    /* A power of ten as divisor: 250/1e9 is the double nearest to 250 ns, 250*1e-9 need not be. */
    static const struct {
        const char *name;
        double times, per;
    } units[] = {{"ps", 1, 1e12}, {"ns", 1, 1e9}, {"us", 1, 1e6}, {"\xc2\xb5s", 1, 1e6}, {"\xce\xbcs", 1, 1e6},
                 {"ms", 1, 1e3},  {"s", 1, 1},    {"min", 60, 1}, {"h", 3600, 1}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            double times = units[i].times, per = units[i].per;
            *value = per > scale ? *value * times / (per / scale) : *value * (times * (scale / per));
            return 1;
        }
    return 0;
}

#endif
