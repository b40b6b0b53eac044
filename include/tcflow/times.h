/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Arithmetic of times that a trace may hold: any 64 bits, as far apart as 2^64 ticks. Sums and differences that don't
 * fit become the nearest number that does, so that a long time never looks like a short or a negative one. */
#ifndef TCFLOW_TIMES_H
#define TCFLOW_TIMES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From `from` to `to`; 0 where that is earlier. */
static inline uint64_t tcf_time_since(uint64_t from, uint64_t to)
{
    return to > from ? to - from : 0;
}

/* The signed distance to - from. */
static inline int64_t tcf_time_distance(uint64_t from, uint64_t to)
{
    if (to >= from)
        return to - from > INT64_MAX ? INT64_MAX : (int64_t)(to - from);
    return from - to > INT64_MAX ? INT64_MIN : -(int64_t)(from - to);
}

/* The same as a double, which has room for all distances. */
static inline double tcf_time_apart(uint64_t from, uint64_t to)
{
    return to >= from ? (double)(to - from) : -(double)(from - to);
}

/* time + shift. */
static inline uint64_t tcf_time_shifted(uint64_t time, int64_t shift)
{
    const uint64_t size = shift < 0 ? 0 - (uint64_t)shift : (uint64_t)shift;
    if (shift < 0)
        return time > size ? time - size : 0;
    return time > UINT64_MAX - size ? UINT64_MAX : time + size;
}

/* Sums of durations, and of signed ones. */
static inline uint64_t tcf_ticks_sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Sums of bytes: a trace may say 2^64 - 1 of each message. */
static inline uint64_t tcf_bytes_sum(uint64_t a, uint64_t b)
{
    return tcf_ticks_sum(a, b);
}

static inline int64_t tcf_offset_sum(int64_t a, int64_t b)
{
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static inline int64_t tcf_offset_difference(int64_t a, int64_t b)
{
    int64_t difference;
    return __builtin_sub_overflow(a, b, &difference) ? (b > 0 ? INT64_MIN : INT64_MAX) : difference;
}

/* Sums of what 2^63 durations and more come to, and differences of such sums: exact. For results of many locations,
 * which become doubles only where they are written. */
__extension__ typedef __int128 tcf_ticks_total;

/* The nearest whole number; 0 for NaN. */
static inline int64_t tcf_offset_of(double x)
{
    if (!(x > -9223372036854775808.0))
        return x != x ? 0 : INT64_MIN;
    return x >= 9223372036854775807.0 ? INT64_MAX : (int64_t)(x < 0 ? x - 0.5 : x + 0.5);
}

#ifdef __cplusplus
}
#endif

#endif
