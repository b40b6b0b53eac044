/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A sum of doubles that has the same value, to the last digit, in whatever order its summands come and sums of them are
 * added: Demmel and Nguyen, "Parallel Reproducible Summation", with integers.
 *
 * A double is cut into parts of 24 bits, at places that are the same for all doubles. The parts at one place are added
 * as integers. Only the four highest places of the largest summand are kept, so the sum is exact but for what is 2^72
 * times smaller than this one. There is room for 2^38 summands. */
#ifndef TCFLOW_NUMBERS_REPRODUCIBLE_SUM_H
#define TCFLOW_NUMBERS_REPRODUCIBLE_SUM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { SUM_PLACES = 4, SUM_BITS = 24, SUM_LOWEST = -1074 /* the exponent of the smallest double */ };

/* All zero: 0. */
typedef struct reproducible_sum {
    int64_t part[SUM_PLACES]; /* part k counts 2^(SUM_BITS (top - k) + SUM_LOWEST) */
    int32_t top;              /* the highest place */
    uint8_t plus, minus;      /* summands were infinite; both: or no numbers */
} reproducible_sum;

static inline void sum_raise(reproducible_sum *s, int32_t top)
{
    const int32_t by = top - s->top;
    if (by <= 0)
        return;
    for (int32_t k = SUM_PLACES; k-- > 0;)
        s->part[k] = k >= by ? s->part[k - by] : 0;
    s->top = top;
}

static inline void sum_add(reproducible_sum *s, double x)
{
    __extension__ typedef unsigned __int128 wide;
    uint64_t bits, digits;
    memcpy(&bits, &x, sizeof bits);
    const int32_t exponent = (int32_t)(bits >> 52 & 0x7ff), lowest = exponent > 0 ? exponent - 1 : 0;
    digits = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent > 0) << 52;
    if (exponent == 0x7ff) {
        s->plus |= !(x < 0);
        s->minus |= !(x > 0);
        return;
    }
    if (digits == 0)
        return;
    sum_raise(s, (lowest + 63 - __builtin_clzll(digits)) / SUM_BITS);
    int32_t k = s->top - lowest / SUM_BITS;
    for (wide left = (wide)digits << lowest % SUM_BITS; left != 0; left >>= SUM_BITS, k--) {
        const int64_t part = (int64_t)(left & ((1u << SUM_BITS) - 1));
        if (k < SUM_PLACES)
            s->part[k] += x < 0 ? -part : part;
    }
}

static inline void sum_join(reproducible_sum *to, const reproducible_sum *from)
{
    sum_raise(to, from->top);
    for (int32_t k = to->top - from->top, i = 0; k < SUM_PLACES; k++, i++)
        to->part[k] += from->part[i];
    to->plus |= from->plus;
    to->minus |= from->minus;
}

static inline double sum_value(const reproducible_sum *s)
{
    int64_t carry = 0;
    double value = 0;
    if (s->plus || s->minus)
        return s->plus && s->minus ? (double)NAN : s->plus ? (double)INFINITY : -(double)INFINITY;
    for (int32_t k = SUM_PLACES; k-- > 0;) { /* from the smallest on; all of one sign where the parts are */
        const int64_t part = s->part[k] + carry;
        carry = k > 0 ? part / (1 << SUM_BITS) : 0;
        value += ldexp((double)(part - carry * (1 << SUM_BITS)), SUM_BITS * (s->top - k) + SUM_LOWEST);
    }
    return value;
}

#endif
