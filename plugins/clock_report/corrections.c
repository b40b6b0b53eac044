/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How far the events of a location have been moved: over time, in buckets that double their length when the time runs
 * out of them, and how much that has changed the lengths of intervals.
 *
 * Corrections change little from one event to the next, so the loop over all events asks first whether they are all the
 * same. All differences are taken modulo 2^64, relative to the location's first correction, which may be any size. */
#include "clock_report.h"

#include <string.h>

void spread_add(struct spread *to, const struct spread *more)
{
    if (more->n == 0)
        return;
    if (to->n == 0) {
        *to = *more;
        return;
    }
    to->n += more->n;
    to->sum += more->sum;
    to->min = more->min < to->min ? more->min : to->min;
    to->max = more->max > to->max ? more->max : to->max;
}

/* ---------------------------------------------------------------------------------------------------- distortion -- */

static const double decade_begins[DECADES] = {0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10};

/* ratio > 0, normal. 1233 / 4096 is log10(2), well enough for the exponents that matter. */
static inline uint32_t decade_of(double ratio)
{
    uint64_t bits;
    memcpy(&bits, &ratio, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent < -30 || exponent > 3)
        return exponent < 0 ? 0 : DECADES - 1;
    uint32_t decade = (uint32_t)(exponent * 1233 + (1 - FIRST_DECADE) * 4096) >> 12; /* of the power of two below it */
    return decade + (decade + 1 < DECADES && ratio >= decade_begins[decade + 1]);
}

void distortion_add(struct distortion *d, int64_t before, int64_t after)
{
    if (before == after) {
        d->unchanged++;
        return;
    }
    if (before <= 0) {
        d->undefined++;
        return;
    }
    int shorter = after < before;
    uint64_t change = shorter ? (uint64_t)before - (uint64_t)after : (uint64_t)after - (uint64_t)before;
    double ratio = (double)change / (double)before;
    uint32_t decade = decade_of(ratio);
    (shorter ? d->shorter : d->longer)[decade]++;
}

void distortion_join(struct distortion *to, const struct distortion *more)
{
    to->unchanged += more->unchanged;
    to->undefined += more->undefined;
    for (uint32_t i = 0; i < DECADES; i++) {
        to->shorter[i] += more->shorter[i];
        to->longer[i] += more->longer[i];
    }
}

/* ------------------------------------------------------------------------------------------------------- buckets -- */

void corrections_fold(struct location *l, uint32_t buckets)
{
    for (uint32_t i = 0; i < buckets; i++) {
        struct spread folded = {0};
        for (uint32_t k = 2 * i; k < 2 * i + 2 && k < buckets; k++)
            spread_add(&folded, &l->bucket[k]);
        l->bucket[i] = folded;
    }
    l->shift++;
}

static uint64_t bucket_of(const struct location *l, uint64_t time)
{
    return time < l->origin ? 0 : (time - l->origin) >> l->shift;
}

/* The first event from `from` on that lies in another bucket; times don't decrease. */
static uint32_t end_of_bucket(const struct location *l, const uint64_t *time, uint32_t from, uint32_t to)
{
    uint64_t bucket = bucket_of(l, time[from]);
    if (bucket_of(l, time[to - 1]) == bucket)
        return to;
    uint32_t low = from; /* is in it; `to` isn't */
    while (to - low > 1) {
        uint32_t middle = low + (to - low) / 2;
        if (bucket_of(l, time[middle]) == bucket)
            low = middle;
        else
            to = middle;
    }
    return to;
}

/* ------------------------------------------------------------------------------------------ the loop over events -- */

/* Are all corrections of n > 0 events the same? */
static int same_correction(const uint64_t *time, const uint64_t *raw, uint32_t n)
{
    uint64_t first = time[0] - raw[0], other = 0;
    for (uint32_t i = 1; i < n; i++)
        other |= (time[i] - raw[i]) ^ first;
    return other == 0;
}

/* Adds to *moved how many events have another time than they had. */
static struct spread spread_of(const uint64_t *time, const uint64_t *raw, uint32_t n, uint64_t base, uint64_t *moved)
{
    int64_t min = INT64_MAX, max = INT64_MIN;
    uint64_t others = 0;
    wide sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        int64_t correction = (int64_t)(time[i] - raw[i] - base);
        min = correction < min ? correction : min;
        max = correction > max ? correction : max;
        sum += correction;
        others += time[i] != raw[i];
    }
    *moved += others;
    return (struct spread){n, min, max, sum};
}

/* The intervals that end at events [0, n); last: the event before them. */
static void distort(struct distortion *d, const uint64_t *time, const uint64_t *raw, uint32_t n, uint64_t last,
                    uint64_t last_raw)
{
    uint64_t unchanged = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t before = raw[i] - last_raw, after = time[i] - last;
        if (before == after)
            unchanged++;
        else
            distortion_add(d, (int64_t)before, (int64_t)after);
        last = time[i];
        last_raw = raw[i];
    }
    d->unchanged += unchanged;
}

static uint64_t size_of(int64_t correction)
{
    return correction < 0 ? 0 - (uint64_t)correction : (uint64_t)correction;
}

static uint64_t larger(uint64_t size, int64_t correction)
{
    return size_of(correction) > size ? size_of(correction) : size;
}

/* The size of the largest correction of events [from, to). */
static uint64_t largest_of(const struct location *l, const tcf_slice *s, const uint64_t *raw, uint32_t from,
                           uint32_t to, const struct spread *of)
{
    int64_t low, high;
    uint64_t size = 0;
    if (!__builtin_add_overflow(of->min, (int64_t)l->base, &low) &&
        !__builtin_add_overflow(of->max, (int64_t)l->base, &high))
        return larger(size_of(low), high);
    for (uint32_t i = from; i < to; i++) /* too far apart for numbers relative to the base */
        size = larger(size, (int64_t)(s->time[i] - raw[i]));
    return size;
}

static void note_largest(struct location *l, const tcf_slice *s, const uint64_t *raw, uint32_t from, uint32_t to,
                         const struct spread *of)
{
    const uint64_t size = largest_of(l, s, raw, from, to, of);
    if (size <= l->largest.size)
        return;
    uint32_t i = from;
    while (i + 1 < to && size_of((int64_t)(s->time[i] - raw[i])) != size)
        i++;
    l->largest.size = size;
    l->largest.event = l->all.n - of->n + (i - from);
    l->largest.time = s->time[i];
    l->largest.raw = raw[i];
}

/* Events [from, to), all of one bucket. */
static void add_to_bucket(struct location *l, struct distortion *d, struct spread *bucket, const tcf_slice *s,
                          const uint64_t *raw, uint32_t from, uint32_t to)
{
    const uint64_t *time = s->time + from, *before = raw + from;
    uint32_t n = to - from;
    struct spread these;
    if (same_correction(time, before, n)) {
        int64_t correction = (int64_t)(time[0] - before[0] - l->base);
        these = (struct spread){n, correction, correction, (wide)correction * n};
        l->moved += time[0] != before[0] ? n : 0;
        distort(d, time, before, 1, l->last, l->last_raw);
        d->unchanged += n - 1;
    } else {
        these = spread_of(time, before, n, l->base, &l->moved);
        distort(d, time, before, n, l->last, l->last_raw);
    }
    l->last = time[n - 1];
    l->last_raw = before[n - 1];
    spread_add(bucket, &these);
    spread_add(&l->all, &these);
    note_largest(l, s, raw, from, to, &these);
}

void corrections_add(struct location *l, struct distortion *d, uint32_t buckets, const tcf_slice *s,
                     const uint64_t *raw, uint32_t from, uint32_t to)
{
    if (l->all.n == 0 && from < to) { /* the first event ends no interval */
        l->origin = l->last = s->time[from];
        l->last_raw = raw[from];
        l->base = s->time[from] - raw[from];
        d->unchanged--;
    }
    while (from < to) {
        uint32_t end = end_of_bucket(l, s->time, from, to);
        uint64_t bucket = bucket_of(l, s->time[from]);
        if (bucket >= buckets) {
            corrections_fold(l, buckets);
            continue;
        }
        add_to_bucket(l, d, &l->bucket[bucket], s, raw, from, end);
        from = end;
    }
}
