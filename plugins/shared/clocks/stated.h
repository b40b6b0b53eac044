/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How far any two clocks may be apart after a correction. The archive states it as a property: "1.5e-06 s" or
 * "unknown". */
#ifndef TCFLOW_CLOCKS_STATED_H
#define TCFLOW_CLOCKS_STATED_H

#include <tcflow/filter.h>

#include <string.h>

#define CLOCKS_STATED "TCFLOW::CLOCK_UNCERTAINTY"

/* The property's value; NULL: there is no such property. */
static inline const char *clocks_stated(const tcf_property *properties, uint32_t n)
{
    return tcf_property_of(properties, n, CLOCKS_STATED);
}

/* How far two clocks of different processes may be apart: the sum of the two largest errors. Starts as all zero with
 * process = TCF_NONE, and takes each location's process (or TCF_NONE) and error. */
typedef struct two_clocks {
    double largest, second;
    uint32_t process; /* that of the largest error */
} two_clocks;

static inline void two_clocks_add(two_clocks *t, uint32_t process, double error)
{
    const int other = process != t->process || process == TCF_NONE;
    if (error > t->largest)
        *t = (two_clocks){error, other ? t->largest : t->second, process};
    else if (error > t->second && other)
        t->second = error;
}

#endif
