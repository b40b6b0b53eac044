/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The controlled logical clock, backward amortization: doc/clock-correction.md, section "Backward". One jump after the
 * other, each over all events of the location before it. What must hold by then is checked, and ends the program. */
#include "clocks.h"

#include <inttypes.h>
#include <stdlib.h>

struct point {
    uint64_t x, w;
};

static void must(bool holds, const char *what, const struct o_clc *clc, size_t l, size_t e)
{
    if (holds)
        return;
    fprintf(stderr, "oracle: location %" PRIu64 ", event %zu: %s\n", clc->m->trace->location[l].def.id, e, what);
    exit(4);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Delta / slope, rounded up. */
static uint64_t interval(const struct o_clc_options *options, uint64_t delta)
{
    unsigned __int128 length = (((unsigned __int128)delta << 32) + options->slope - 1) / options->slope;
    return length > options->max_interval ? options->max_interval : (uint64_t)length;
}

/* Between points a and b, rounded down. */
static uint64_t between(struct point a, struct point b, uint64_t x)
{
    return a.w + (uint64_t)((unsigned __int128)(b.w - a.w) * (x - a.x) / (b.x - a.x));
}

/* A point goes where there is none of its abscissa. */
static size_t put_point(struct point *point, size_t n, struct point p)
{
    if (n && point[n - 1].x == p.x)
        return n;
    point[n] = p;
    return n + 1;
}

/* The first event that the jump moves: behind x0. */
static size_t first_moved(const struct o_clc *clc, size_t l, size_t r, uint64_t x0)
{
    size_t i = r;
    while (i > 0 && clc->current[l][i - 1] > x0)
        i--;
    return i;
}

/* least[j]: the smallest room of the sources from j to r. */
static void least_room(const struct o_clc *clc, size_t l, size_t first, size_t r, uint64_t *least)
{
    uint64_t so_far = UINT64_MAX;
    for (size_t j = r; j-- > first;) {
        must(clc->source[l][j] || clc->limit[l][j] == O_NO_LIMIT, "has a limit but is no source", clc, l, j);
        if (clc->limit[l][j] != O_NO_LIMIT)
            so_far = smaller(so_far, o_subtract(clc->limit[l][j], clc->current[l][j]));
        least[j] = so_far;
    }
}

/* The polyline of the jump at event r; returns the number of points. */
static size_t polyline(const struct o_clc *clc, size_t l, size_t r, uint64_t x0, struct point *point)
{
    const uint64_t *a = clc->current[l];
    const struct point start = {x0, 0}, end = {clc->forward[l][r] - clc->jump[l][r], clc->jump[l][r]};
    size_t first = first_moved(clc, l, r, x0), n = put_point(point, 0, start);
    uint64_t *least = o_alloc(r, sizeof *least);
    least_room(clc, l, first, r, least);
    for (size_t j = first; j < r; j++)
        if (clc->source[l][j])
            n = put_point(point, n, (struct point){a[j], smaller(between(start, end, a[j]), least[j])});
    free(least);
    return put_point(point, n, end);
}

static uint64_t offset_at(const struct point *point, size_t n, uint64_t x)
{
    size_t low = 1, high = n; /* the first point that is not before x */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (point[middle].x < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n ? between(point[low - 1], point[low], x) : point[n - 1].w;
}

/* Of a flush at time a, before an event at time next. One that ends before it begins moves with its event, one that
 * ends behind the next event as that. */
static void move_stop(uint64_t *stop, uint64_t a, uint64_t next, uint64_t x0, const struct point *point, size_t n)
{
    uint64_t at = *stop < a ? a : smaller(*stop, next);
    if (at > x0)
        *stop = o_add(*stop, offset_at(point, n, at));
}

static void amortize(struct o_clc *clc, size_t l, size_t r, struct point *point)
{
    uint64_t *a = clc->current[l];
    uint64_t delta = clc->jump[l][r], x1 = clc->forward[l][r] - delta;
    uint64_t x0 = o_subtract(x1, interval(&clc->options, delta));
    size_t earliest = r > clc->options.max_events ? r - clc->options.max_events : 0;
    if (x0 < a[earliest])
        x0 = a[earliest];
    if (x0 >= x1)
        return;
    must(a[r - 1] <= x1, "stands behind the jump that follows", clc, l, r - 1);
    size_t n = polyline(clc, l, r, x0, point);
    size_t first = first_moved(clc, l, r, x0);
    for (size_t i = first > 0 ? first - 1 : 0; i < r; i++) {
        if (clc->m->trace->location[l].event[i].kind == O_BUFFER_FLUSH)
            move_stop(&clc->stop[l][i], a[i], a[i + 1], x0, point, n);
        if (a[i] <= x0)
            continue;
        uint64_t to = a[i] + offset_at(point, n, a[i]);
        must(to >= a[i] && to <= a[r], "moved beyond the jump", clc, l, i);
        must(to <= clc->limit[l][i] || to == a[i], "passes its limit", clc, l, i);
        a[i] = to;
        must(i == 0 || a[i] >= a[i - 1], "local order is lost", clc, l, i);
    }
}

void o_clc_backward(struct o_clc *clc)
{
    const struct o_trace *trace = clc->m->trace;
    clc->current = o_no_times(trace, 0);
    for (size_t l = 0; l < trace->n_locations; l++) {
        size_t n = trace->location[l].n;
        struct point *point = o_alloc(n + 2, sizeof *point);
        for (size_t e = 0; e < n; e++)
            clc->current[l][e] = clc->forward[l][e];
        for (size_t r = 0; r < n; r++)
            if (clc->jump[l][r])
                amortize(clc, l, r, point);
        free(point);
    }
}
