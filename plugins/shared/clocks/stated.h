/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How far any two clocks may be apart, as an archive says that a correction has left them: a property of it, "1.5e-06
 * s" or "unknown". */
#ifndef CLOCKS_STATED_H
#define CLOCKS_STATED_H

#include <tcflow/filter.h>

#include <string.h>

#define CLOCKS_STATED "TCFLOW::CLOCK_UNCERTAINTY"

/* The property's value; NULL: it isn't among these. */
static inline const char *clocks_stated(const tcf_property *properties, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(properties[i].name, CLOCKS_STATED) == 0)
            return properties[i].value;
    return NULL;
}

/* How far two clocks of different processes may be apart: the two largest errors together. All zero at first, but for
 * `process`, TCF_NONE; then each location's process, or TCF_NONE, and error. */
typedef struct two_clocks {
    double largest, second;
    uint32_t process; /* of the largest */
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
