/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Values as people write them; see units.h. scan_number() checks the form of a number before strtod() reads it,
 * because strtod() also accepts "inf", "nan", hexadecimal numbers and leading blanks. */
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <private/time_units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { NUMBER_BYTES = 64 };

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Returns the length of the decimal number at the start of text, or 0. *whole says whether it has neither fraction
 * nor exponent. */
static size_t scan_number(const char *text, int *whole)
{
    size_t i = 0, digits = 0;

    *whole = 1;
    if (text[i] == '-' || text[i] == '+')
        i++;
    for (; is_digit(text[i]); i++)
        digits++;
    if (text[i] == '.') {
        *whole = 0;
        for (i++; is_digit(text[i]); i++)
            digits++;
    }
    if (digits == 0)
        return 0;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t e = i + 1;
        if (text[e] == '-' || text[e] == '+')
            e++;
        if (is_digit(text[e])) {
            *whole = 0;
            while (is_digit(text[e]))
                e++;
            i = e;
        }
    }
    return i;
}

/* Returns the message about a decimal comma where `rest`, which follows a number, begins with one; else NULL. */
static const char *decimal_comma(const char *rest)
{
    return rest[0] == ',' && is_digit(rest[1]) ? "has a comma: fractions are written with a point, such as 1.5" : NULL;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Reads the number in text[0..length). */
static const char *convert(const char *text, size_t length, double *to)
{
    char copy[NUMBER_BYTES];
    const struct lconv *locale = localeconv();
    char *end, *point;

    if (length >= sizeof copy)
        return "has too many digits";
    memcpy(copy, text, length);
    copy[length] = '\0';
    if ((point = strchr(copy, '.')) && locale->decimal_point[0] && !locale->decimal_point[1])
        *point = locale->decimal_point[0];
    double value = strtod(copy, &end);
    if (*end)
        return "is not a number";
    if (!isfinite(value))
        return "is too large";
    *to = value;
    return NULL;
}

const char *units_bool(const char *text, int *to)
{
    static const char *const word[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (strcasecmp(text, word[i]) == 0) {
            *to = (int)(i & 1);
            return NULL;
        }
    return "is neither yes nor no";
}

const char *units_int(const char *text, int64_t *to)
{
    int whole;
    size_t length = scan_number(text, &whole);

    if (length == 0 || text[length])
        return "is not a whole number";
    if (!whole)
        return "is not a whole number (neither fraction nor exponent can be used here)";
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno == ERANGE)
        return "is beyond what 64 bits can hold";
    *to = value;
    return NULL;
}

const char *units_double(const char *text, double *to)
{
    int whole;
    size_t length = scan_number(text, &whole);

    if (length > 0 && decimal_comma(text + length))
        return decimal_comma(text + length);
    if (length == 0 || text[length])
        return "is not a number";
    return convert(text, length, to);
}

/* Returns 0 for an unknown unit. */
static uint64_t unit_bytes(const char *name)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } unit[] = {
        {"", 1},
        {"B", 1},
        {"k", 1000u},
        {"K", 1000u},
        {"kB", 1000u},
        {"KB", 1000u},
        {"M", 1000000u},
        {"MB", 1000000u},
        {"G", 1000000000u},
        {"GB", 1000000000u},
        {"Ki", 1u << 10},
        {"KiB", 1u << 10},
        {"Mi", 1u << 20},
        {"MiB", 1u << 20},
        {"Gi", 1u << 30},
        {"GiB", 1u << 30},
        {"T", UINT64_C(1000000000000)},
        {"TB", UINT64_C(1000000000000)},
        {"Ti", UINT64_C(1) << 40},
        {"TiB", UINT64_C(1) << 40},
    };

    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (strcmp(name, unit[i].name) == 0)
            return unit[i].bytes;
    return 0;
}

static const char *whole_size(const char *text, uint64_t factor, uint64_t *to)
{
    errno = 0;
    uint64_t value = strtoull(text, NULL, 10);
    if (errno == ERANGE || __builtin_mul_overflow(value, factor, to))
        return "is beyond what 64 bits can hold";
    return NULL;
}

static const char *broken_size(const char *text, size_t length, uint64_t factor, uint64_t *to)
{
    double bytes;
    const char *wrong = convert(text, length, &bytes);

    if (wrong)
        return wrong;
    bytes *= (double)factor;
    if (bytes >= 9007199254740992.0) /* 2^53: beyond it a double no longer counts single bytes */
        return "is too large for a size with a fraction";
    *to = (uint64_t)bytes;
    return (double)*to == bytes ? NULL : "is not a whole number";
}

const char *units_size(const char *text, uint64_t *to)
{
    int whole;
    size_t length = scan_number(text, &whole);
    const char *name = skip_blanks(text + length), *wrong;
    uint64_t value;

    if (length == 0)
        return "is no whole number or size: expected one with or without k, M, G, T, KiB, MiB, GiB or TiB, such as "
               "64MiB";
    if (decimal_comma(name))
        return decimal_comma(name);
    uint64_t factor = unit_bytes(name);
    if (factor == 0)
        return "has an unknown unit: expected k, M, G, T (powers of 1000) or KiB, MiB, GiB, TiB (of 1024)";
    if (text[0] == '-')
        return "is negative";
    wrong = whole ? whole_size(text, factor, &value) : broken_size(text, length, factor, &value);
    if (!wrong)
        *to = value;
    return wrong;
}

/* Reads a duration in 1/scale seconds, or in ticks where `in_ticks` isn't NULL. */
static const char *read_time(const char *text, double scale, double *to, int *in_ticks)
{
    int whole;
    size_t length = scan_number(text, &whole);
    const char *name = skip_blanks(text + length), *wrong;
    double value;

    if (length == 0)
        return "is not a duration: expected a number with ns, us, ms, s, min, h or ticks, such as 1us";
    if ((wrong = convert(text, length, &value)))
        return wrong;
    if (decimal_comma(name))
        return decimal_comma(name);
    int ticks = in_ticks && (strcmp(name, "ticks") == 0 || strcmp(name, "tick") == 0);
    if (ticks && (value != floor(value) || fabs(value) > 9007199254740992.0))
        return "is not a whole number of ticks";
    if (!*name && value != 0)
        return "lacks a unit: expected ns, us, ms, s, min, h or ticks, such as 1us";
    if (*name && !ticks && !tcf_time_from(name, scale, &value))
        return "has an unknown unit: expected ns, us, ms, s, min, h or ticks";
    if (!isfinite(value))
        return "is too large";
    *to = *name ? value : 0;
    if (in_ticks)
        *in_ticks = ticks;
    return NULL;
}

const char *units_duration(const char *text, tcf_duration *to)
{
    return read_time(text, 1, &to->value, &to->in_ticks);
}

const char *units_time(const char *text, double scale, double *to)
{
    return read_time(text, scale, to, NULL);
}

const char *units_grouped(uint64_t n, char to[32])
{
    char digits[24], *t = to;
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *t++ = ',';
        *t++ = digits[i];
    }
    *t = '\0';
    return to;
}
