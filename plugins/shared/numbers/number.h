/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A number at the start of a text, as people write one in front of its unit, and durations: for parameters where those
 * are not all that can be said, so that the framework cannot read them. Units of time are those of its durations. */
#ifndef TCFLOW_PLUGINS_NUMBER_H
#define TCFLOW_PLUGINS_NUMBER_H

#include <tcflow/filter.h>

/* Its length; 0: there is none. Digits with at most one point: a sign, hexadecimal digits or an exponent would be
 * strtod()'s idea of a number. */
size_t number_at(const char *text, double *value);

/* What stands behind a number as seconds. 0: it is no unit of time, and *value is left alone. */
int to_seconds(const char *unit, double *value);

/* A text that is a duration and nothing else: a number with its unit, ticks among them; 0 needs none. 0: it isn't
 * one. */
int duration_of(const char *text, tcf_duration *to);

#endif
