/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums up the samples of one metric member in one location, in constant memory. Integers stay exact; differences and
 * sums wrap at 64 bits. */
#ifndef TCFLOW_NUMBERS_SERIES_H
#define TCFLOW_NUMBERS_SERIES_H

#include <math.h>
#include <stdint.h>

/* OTF2_Type of a metric's values, and OTF2_MetricMode. */
enum { TYPE_UINT64 = 4, TYPE_INT64 = 8, TYPE_DOUBLE = 10 };
enum { MODE_ACCUMULATED = 0, MODE_ABSOLUTE = 1, MODE_RELATIVE = 2, MODE_VALUE = 0x0f };
enum { MODE_START = 0x00, MODE_LAST = 0x20, MODE_NEXT = 0x30, MODE_TIMING = 0xf0 };

typedef union number {
    int64_t i;
    uint64_t u;
    double d;
} number;

/* How the increase follows from the values: it is the difference from the value before; or each value is an amount
 * that counts at its sample, or, as the amount of the time after it, at the next sample. */
enum increase { BY_DIFFERENCE, BY_AMOUNT, BY_NEXT_AMOUNT };

typedef struct series {
    uint32_t metric, position; /* of the member in it */
    uint32_t row;              /* where the last sample was counted by call path */
    uint8_t type;              /* OTF2_Type; 0: no sample yet */
    uint8_t increase_;         /* enum increase */
    uint8_t held_before;       /* a value holds for the time before its sample, else for the time after it */
    uint64_t samples, decreases;
    uint64_t left_out; /* values that are no numbers, or of another type */
    number first, last, min, max, increase;
    double sum, weighted; /* of values, and of values times ticks */
    uint64_t first_time, last_time;
} series;

/* Sets what follows from the OTF2_MetricMode, in a series without samples. */
static inline void series_mode(series *s, uint8_t mode)
{
    const int timing = mode & MODE_TIMING, kind = mode & MODE_VALUE;
    s->held_before = timing == MODE_LAST;
    if (timing == MODE_NEXT && kind != MODE_ABSOLUTE)
        s->increase_ = BY_NEXT_AMOUNT;
    else if (timing != MODE_START && (kind == MODE_RELATIVE || (kind == MODE_ACCUMULATED && timing == MODE_LAST)))
        s->increase_ = BY_AMOUNT;
}

static inline double value_as_double(uint8_t type, number v)
{
    return type == TYPE_DOUBLE ? v.d : type == TYPE_UINT64 ? (double)v.u : (double)v.i;
}

static inline int value_less(uint8_t type, number a, number b)
{
    return type == TYPE_DOUBLE ? a.d < b.d : type == TYPE_UINT64 ? a.u < b.u : a.i < b.i;
}

static inline void value_add(uint8_t type, number *to, number v)
{
    if (type == TYPE_DOUBLE)
        to->d += v.d;
    else
        to->u += v.u;
}

static inline number value_difference(uint8_t type, number a, number b)
{
    return type == TYPE_DOUBLE ? (number){.d = a.d - b.d} : (number){.u = a.u - b.u};
}

/* *by becomes what the sample adds to the increase. To be called before series_sample(). 0: the sample adds nothing. */
static inline int series_increase(const series *s, number v, number *by)
{
    if (s->increase_ == BY_AMOUNT) {
        *by = v;
        return 1;
    }
    if (s->samples == 0)
        return 0;
    *by = s->increase_ == BY_DIFFERENCE ? value_difference(s->type, v, s->last) : s->last;
    return 1;
}

static inline int series_takes(const series *s, uint8_t type, number v)
{
    if (type != s->type)
        return 0;
    return type == TYPE_DOUBLE ? isfinite(v.d) : type == TYPE_UINT64 || type == TYPE_INT64;
}

/* Adds a sample that series_takes(). */
static inline void series_sample(series *s, uint64_t time, number v)
{
    const double x = value_as_double(s->type, v);
    if (s->samples++ == 0) {
        s->first = s->min = s->max = v;
        s->first_time = s->last_time = time;
    }
    if (value_less(s->type, v, s->min))
        s->min = v;
    if (value_less(s->type, s->max, v))
        s->max = v;
    if (s->samples > 1) {
        const double held = s->held_before ? x : value_as_double(s->type, s->last);
        s->weighted += held * (double)(time - s->last_time);
        s->decreases += s->increase_ == BY_DIFFERENCE && value_less(s->type, v, s->last);
    }
    s->sum += x;
    s->last = v;
    s->last_time = time;
}

#endif
