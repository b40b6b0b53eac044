/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The piecewise linear function of Fig. 1 of the extended CLC, and its application to times: arithmetic only, tick for
 * tick as doc/clock-correction.md has it. It is built from the jump to the left, because a source's limit also binds
 * all events before it. */
#ifndef TCFLOW_CLC_AMORTISE_H
#define TCFLOW_CLC_AMORTISE_H

#include <tcflow/filter.h>

#include <stddef.h>

typedef struct knot {
    uint64_t x, w; /* time before this amortization, offset to be added */
} knot;

typedef struct polyline {
    uint64_t x0, x1, delta; /* the straight line: from (x0, 0) to (x1, delta) */
    uint64_t room;          /* the least of the sources added so far */
    knot *at;               /* from right to left; kept for the next jump */
    uint32_t n, capacity;
    uint8_t limited; /* a source has bent the line */
} polyline;

/* floor(a * b / c), b <= c. */
static inline uint64_t share_of(uint64_t a, uint64_t b, uint64_t c)
{
    if (((a | b) >> 32) == 0)
        return a * b / c;
    return (uint64_t)((unsigned __int128)a * b / c);
}

static inline uint64_t polyline_line(const polyline *p, uint64_t x)
{
    return share_of(p->delta, x - p->x0, p->x1 - p->x0);
}

/* x0 < x1. -1: out of memory, as below. */
int polyline_begin(polyline *p, uint64_t x0, uint64_t x1, uint64_t delta);
/* A source at time x, x0 < x <= x1, that may be moved by `room`: a knot, even where it is on the line. Sources come in
 * reverse order. 0: nothing at or before x moves, the polyline is complete. */
int polyline_source(polyline *p, uint64_t x, uint64_t room);
int polyline_end(polyline *p);
void polyline_free(polyline *p);

/* Events at or before this time don't move. */
static inline uint64_t polyline_start(const polyline *p)
{
    return p->at[p->n - 1].x;
}

/* The offset at a time behind polyline_start(); beyond x1 it is that at x1. */
uint64_t polyline_offset(const polyline *p, uint64_t x);

/* How far a polyline has been applied to the events of a location, from right to left. */
typedef struct polyline_sweep {
    const polyline *line;
    uint32_t piece; /* begins with 0: the piece on the right */
    uint64_t next;  /* time before the move of the event on the right; begins with UINT64_MAX: none */
    uint64_t moved; /* events */
} polyline_sweep;

/* Moves events [0, n) of a slice. The slices of a location come from right to left. 0: an event at or before the
 * start has been met; further left nothing moves. */
int polyline_apply(polyline_sweep *sweep, tcf_slice *s, uint32_t n);

#endif
