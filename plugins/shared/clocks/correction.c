/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See correction.h.
 *
 * The compiler must not contract a * b + c here (-ffp-contract=off), because libotf2 rounds the product first. */
#include "correction.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

/* For magnitudes below this, adding MAGIC rounds to a whole number, which stands in the low bits of the sum. */
#define SMALL 2251799813685248.0 /* 2^51 */
#define MAGIC 6755399441055744.0 /* 2^52 + 2^51 */

const char *clock_pieces(const tcf_clock_knot *knots, uint32_t n_knots, clock_piece *to, uint32_t *at)
{
    *at = 0;
    if (n_knots == 1)
        *to = (clock_piece){knots[0].time, UINT64_MAX, knots[0].offset, 0};
    for (uint32_t k = 0; k + 1 < n_knots; k++) {
        const tcf_clock_knot *a = &knots[k], *b = &knots[k + 1];
        wide rise = (wide)b->offset - a->offset;
        *at = k;
        if (b->time <= a->time)
            return "two measurements of one time";
        if (rise <= -(wide)(b->time - a->time))
            return "the correction would turn time back, for its offset falls by as many ticks as pass, or more";
        if (rise > INT64_MAX || rise < INT64_MIN)
            return "the offsets are further apart than 64 bits can hold";
        to[k] = (clock_piece){a->time, b->time, a->offset, (double)(int64_t)rise / (double)(b->time - a->time)};
    }
    if (n_knots > 1)
        to[n_knots - 2].last = UINT64_MAX;
    return NULL;
}

uint32_t clock_piece_of(const clock_piece *pieces, uint32_t n, uint32_t near, uint64_t time)
{
    uint32_t low = 0, high = n - 1; /* the piece is in [low, high] */

    for (uint32_t k = near; k < near + 2 && k < n; k++)
        if (time <= pieces[k].last && (k == 0 || time > pieces[k - 1].last))
            return k;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (time <= pieces[middle].last)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static double distance(const clock_piece *piece, uint64_t time)
{
    return time >= piece->begin ? (double)(time - piece->begin) : -(double)(piece->begin - time);
}

static wide corrected(const clock_piece *piece, int64_t shift, uint64_t time)
{
    double grown = rint(piece->slope * distance(piece, time));
    wide whole = fabs(grown) < 0x1p100 ? (wide)grown : grown < 0 ? -((wide)1 << 100) : (wide)1 << 100;

    return (wide)time + piece->offset + shift + whole;
}

int clock_time(const clock_piece *piece, int64_t shift, uint64_t time, uint64_t *to)
{
    wide t = corrected(piece, shift, time);

    *to = t < 0 ? 0 : t > UINT64_MAX ? UINT64_MAX : (uint64_t)t;
    return t >= 0 && t <= UINT64_MAX;
}

uint64_t clock_below_zero(const clock_piece *piece, int64_t shift, uint64_t time)
{
    wide t = corrected(piece, shift, time);

    return t >= 0 ? 0 : -t > UINT64_MAX ? UINT64_MAX : (uint64_t)-t;
}

int64_t clock_correction(const clock_piece *piece, uint64_t time)
{
    wide c = corrected(piece, 0, time) - time;

    return c > INT64_MAX ? INT64_MAX : c < INT64_MIN ? INT64_MIN : (int64_t)c;
}

static int is_small(const clock_piece *piece, uint64_t time)
{
    double d = distance(piece, time);

    return fabs(d) < SMALL && fabs(piece->slope * d) < SMALL;
}

/* The hot loop: converts signed whole numbers to doubles and back without a branch or a call. */
static void apply_slope(const clock_piece *piece, int64_t shift, uint64_t *times, uint32_t n)
{
    const uint64_t begin = piece->begin;
    const double slope = piece->slope;
    int64_t magic_bits;
    memcpy(&magic_bits, &(double){MAGIC}, sizeof magic_bits);
    const uint64_t add = (uint64_t)piece->offset + (uint64_t)shift - (uint64_t)magic_bits;

    for (uint32_t i = 0; i < n; i++) {
        double rounded = slope * (double)(int64_t)(times[i] - begin) + MAGIC;
        uint64_t bits;
        memcpy(&bits, &rounded, sizeof bits);
        times[i] += bits + add;
    }
}

int clock_apply(const clock_piece *piece, int64_t shift, uint64_t *times, uint32_t n)
{
    uint64_t ignored;

    if (n == 0)
        return 1;
    if (!clock_time(piece, shift, times[0], &ignored) || !clock_time(piece, shift, times[n - 1], &ignored))
        return 0;
    if (piece->slope == 0) {
        const uint64_t add = (uint64_t)piece->offset + (uint64_t)shift;
        for (uint32_t i = 0; add != 0 && i < n; i++)
            times[i] += add;
    } else if (is_small(piece, times[0]) && is_small(piece, times[n - 1])) {
        apply_slope(piece, shift, times, n);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            clock_time(piece, shift, times[i], &times[i]);
            if (i > 0 && times[i] < times[i - 1])
                times[i] = times[i - 1];
        }
    }
    return 1;
}

uint32_t clock_run(const uint64_t *times, uint32_t n, uint64_t last)
{
    uint32_t low = 1, high = n;

    if (times[n - 1] <= last)
        return n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] <= last)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
