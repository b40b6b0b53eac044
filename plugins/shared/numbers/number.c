/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See number.h. */
#include "number.h"

#include <stdlib.h>
#include <string.h>

size_t number_at(const char *text, double *value)
{
    char *end;
    const size_t whole = strspn(text, "0123456789");
    size_t n = whole;

    if (text[n] == '.')
        n += 1 + strspn(text + n + 1, "0123456789");
    if (n == 0 || (n == 1 && whole == 0))
        return 0;
    *value = strtod(text, &end);
    return end == text + n ? n : 0;
}

int to_seconds(const char *unit, double *value)
{
    /* Dividing by a power of ten is exact: 250/1e9 is the double nearest to 250 ns, 250*1e-9 need not be. */
    static const struct {
        const char *name;
        double times, per;
    } units[] = {{"ps", 1, 1e12}, {"ns", 1, 1e9}, {"us", 1, 1e6}, {"\xc2\xb5s", 1, 1e6}, {"\xce\xbcs", 1, 1e6},
                 {"ms", 1, 1e3},  {"s", 1, 1},    {"min", 60, 1}, {"h", 3600, 1}};

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *value = *value * units[i].times / units[i].per;
            return 1;
        }
    return 0;
}

int duration_of(const char *text, tcf_duration *to)
{
    double value = 0;
    const size_t n = number_at(text, &value);
    const char *unit = text + n + strspn(text + n, " ");
    const int in_ticks = strcmp(unit, "ticks") == 0 || strcmp(unit, "tick") == 0 || (!*unit && value == 0);

    if (n == 0 || (!in_ticks && !to_seconds(unit, &value)))
        return 0;
    *to = (tcf_duration){value, in_ticks};
    return 1;
}
