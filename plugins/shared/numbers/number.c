/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See number.h. */
#include "number.h"

#include <private/time_units.h>
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

int duration_of(const char *text, tcf_duration *to)
{
    double value = 0;
    const size_t n = number_at(text, &value);
    const char *unit = text + n + strspn(text + n, " ");
    const int in_ticks = strcmp(unit, "ticks") == 0 || strcmp(unit, "tick") == 0 || (!*unit && value == 0);

    if (n == 0 || (!in_ticks && !tcf_time_from(unit, 1, &value)))
        return 0;
    *to = (tcf_duration){value, in_ticks};
    return 1;
}
