/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Values as people write them: numbers, sizes, durations, yes and no. A function accepts a text as a whole or not at
 * all: it refuses trailing characters, NaN, infinity and overflow; blanks may stand only between a number and its unit.
 * The decimal point is a point in every locale.
 *
 * All but the last return NULL, or what is wrong, as the end of the sentence "'TEXT' ...", and then leave *to alone. */
#ifndef TCFLOW_FRAMEWORK_UNITS_H
#define TCFLOW_FRAMEWORK_UNITS_H

#include <tcflow/filter.h>

const char *units_bool(const char *text, int *to);              /* yes no true false on off 1 0, in any case */
const char *units_int(const char *text, int64_t *to);           /* -12 */
const char *units_double(const char *text, double *to);         /* 0.99 1e-6 */
const char *units_size(const char *text, uint64_t *to);         /* 64MiB 4k 1.5G; k = 1000, Ki = 1024 */
const char *units_duration(const char *text, tcf_duration *to); /* 1us -2.5ms 3 ticks; 0 needs no unit */
/* Reads a duration in units of 1/scale seconds (scale 1: seconds, 1e12: picoseconds); ticks are refused. */
const char *units_time(const char *text, double scale, double *to);

/* Writes 12,345,678 to `to`, and returns that. */
const char *units_grouped(uint64_t n, char to[32]);

#endif
