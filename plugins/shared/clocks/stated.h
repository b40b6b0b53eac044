/* How far any two clocks may be apart, as an archive says that a correction has left them: a property of it, "1.5e-06 s" or
 * "unknown".
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
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

#endif
