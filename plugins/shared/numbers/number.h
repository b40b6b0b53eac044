/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads numbers with units, and durations. For parameters that allow more than a duration, which the framework cannot
 * read. */
#ifndef TCFLOW_PLUGINS_NUMBER_H
#define TCFLOW_PLUGINS_NUMBER_H

#include <tcflow/filter.h>

/* Reads the number at the start of a text. Returns its length; 0: there is none. A number consists of digits with at
 * most one point, without sign, exponent or hexadecimal digits. */
size_t number_at(const char *text, double *value);

/* Reads a text that is a duration and nothing else: a number with its unit, which may be ticks; 0 needs no unit. 0: the
 * text is no duration. */
int duration_of(const char *text, tcf_duration *to);

#endif
