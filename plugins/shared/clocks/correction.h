/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The correction of a location's clock as a list of straight pieces, and how to apply it to a column of times.
 *
 * The arithmetic is that of libotf2's own correction, tick for tick: t + offset + rint(slope * (t - begin)). The slope
 * comes from the two knots of an interval, which includes its last tick. The first and last pieces extend to the left
 * and right; a single knot is a constant. Times and offsets stay integers; only the part that grows with time passes
 * through a double. */
#ifndef TCFLOW_CLOCKS_CORRECTION_H
#define TCFLOW_CLOCKS_CORRECTION_H

#include <tcflow/clocks.h>

typedef struct clock_piece {
    uint64_t begin; /* the slope counts from here */
    uint64_t last;  /* last time that belongs to the piece; UINT64_MAX for the last piece */
    int64_t offset;
    double slope;
} clock_piece;

/* Makes a piece of each interval between knots k and k + 1 (n_knots - 1 pieces), or one piece of a single knot. The
 * knots are ordered by time. Returns NULL, or why the knots make no correction; then *at is the knot where the bad
 * interval starts. */
const char *clock_pieces(const tcf_clock_knot *knots, uint32_t n_knots, clock_piece *to, uint32_t *at);

/* The piece that a time belongs to. The search begins at `near`. */
uint32_t clock_piece_of(const clock_piece *pieces, uint32_t n, uint32_t near, uint64_t time);

/* The corrected time, plus `shift`. Returns 1, or 0 when it doesn't fit into 64 bits unsigned. */
int clock_time(const clock_piece *piece, int64_t shift, uint64_t time, uint64_t *to);
/* By how many ticks the corrected time would fall below 0. */
uint64_t clock_below_zero(const clock_piece *piece, int64_t shift, uint64_t time);
/* What the piece adds at `time`, without `shift`. */
int64_t clock_correction(const clock_piece *piece, uint64_t time);

/* Corrects times[0..n), which are ascending and belong to this piece. They stay ascending: 2^53 ticks and more from
 * `begin` the double rounds by several ticks, and where that alone would turn time back, it stands still. Returns 1, or
 * 0 when the first or the last one doesn't fit; then the times stay unchanged. */
int clock_apply(const clock_piece *piece, int64_t shift, uint64_t *times, uint32_t n);

/* How many of times[0..n), which are ascending, are no later than `last`. The first one counts in any case. */
uint32_t clock_run(const uint64_t *times, uint32_t n, uint64_t last);

#endif
