/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Decimal numbers as times, without the detour over double precision that would lose nanoseconds. */
#ifndef TCFLOW_NUMBERS_DECIMAL_H
#define TCFLOW_NUMBERS_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

typedef enum decimal_result { DECIMAL_GOOD, DECIMAL_NO_NUMBER, DECIMAL_NEGATIVE, DECIMAL_TOO_LARGE } decimal_result;

/* What most numbers are: at most 19 digits, point and zeros that 10^shift adds included. 0: it is another one. */
static inline int decimal_is_short(const char *text, int shift, uint64_t *value)
{
    const char *digit = text, *point = NULL;
    uint64_t v = 0;

    for (; (unsigned)(*digit - '0') < 10; digit++)
        v = v * 10 + (uint64_t)(*digit - '0');
    if (*digit == '.')
        for (point = digit++; (unsigned)(*digit - '0') < 10; digit++)
            v = v * 10 + (uint64_t)(*digit - '0');
    const int behind = point ? (int)(digit - point) - 1 : 0, digits = (int)(digit - text) - (point != NULL);
    if (*digit || digits == 0 || behind > shift || digits + shift - behind > 19)
        return 0;
    for (int i = behind; i < shift; i++)
        v *= 10;
    *value = v;
    return v <= (uint64_t)INT64_MAX;
}

/* Reads "12.5e3" times 10^shift, rounded to nearest, into *value, which is below 2^63. All of the text counts. */
static inline decimal_result decimal_read(const char *text, int shift, uint64_t *value)
{
    const uint64_t most = (uint64_t)INT64_MAX;
    int negative = *text == '-', digits = 0, exponent = 0, dropped = 0, first_dropped = 0, seen_point = 0;
    uint64_t v = 0;

    if (decimal_is_short(text, shift, value))
        return DECIMAL_GOOD;
    text += *text == '-' || *text == '+';
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !seen_point); text++) {
        if (*text == '.') {
            seen_point = 1;
            continue;
        }
        digits++;
        if (dropped == 0 && v <= (most - 9) / 10) {
            v = v * 10 + (uint64_t)(*text - '0');
            exponent -= seen_point;
        } else {
            if (dropped++ == 0)
                first_dropped = *text - '0';
            exponent += !seen_point;
        }
    }
    if (digits == 0)
        return DECIMAL_NO_NUMBER;
    if (*text == 'e' || *text == 'E') {
        int e = 0, minus = text[1] == '-';
        text += 1 + (text[1] == '-' || text[1] == '+');
        if (*text < '0' || *text > '9')
            return DECIMAL_NO_NUMBER;
        for (; *text >= '0' && *text <= '9'; text++)
            e = e < 100000 ? e * 10 + (*text - '0') : e;
        exponent += minus ? -e : e;
    }
    if (*text)
        return DECIMAL_NO_NUMBER;
    exponent += shift;
    for (; exponent > 0 && v > 0; exponent--) {
        if (v > most / 10)
            return negative ? DECIMAL_NEGATIVE : DECIMAL_TOO_LARGE;
        v = v * 10 + (uint64_t)first_dropped; /* the digits behind it are beyond what 64 bits hold */
        first_dropped = 0;
    }
    int half = exponent == 0 && first_dropped >= 5;
    for (; exponent < 0 && v > 0; exponent++) {
        half = v % 10 >= 5;
        v /= 10;
    }
    v += exponent == 0 && half;
    if (v > most)
        return negative ? DECIMAL_NEGATIVE : DECIMAL_TOO_LARGE;
    *value = v;
    return negative && v > 0 ? DECIMAL_NEGATIVE : DECIMAL_GOOD;
}

/* What is wrong with the text that decimal_read() has refused, where *value counts nanoseconds. */
static inline const char *decimal_problem(decimal_result result, const char *text)
{
    if (result == DECIMAL_NO_NUMBER)
        return *text ? "is no number" : "is missing";
    return result == DECIMAL_NEGATIVE ? "is negative" : "is beyond 2^63 - 1 ns";
}

#endif
