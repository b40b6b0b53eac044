/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A location's clock correction as a list of straight pieces, and its application to a column of times.
 *
 * Shared source of the filters that correct or spoil clocks, no filter itself. The arithmetic is that of libotf2's own
 * correction, tick for tick: t + offset + rint(slope * (t - begin)), where the slope comes from the two knots of the
 * interval, an interval includes its last tick, the first and last pieces go on to the left and right, and one knot
 * alone is a constant. Times and offsets stay integers; only the part that grows with time passes through a double. */
#ifndef CLOCKS_CORRECTION_H
#define CLOCKS_CORRECTION_H

#include <tcflow/clocks.h>

typedef struct clock_piece {
    uint64_t begin; /* the slope counts from here */
    uint64_t last;  /* last time that belongs to the piece; of the last piece UINT64_MAX */
    int64_t offset;
    double slope;
} clock_piece;

/* The pieces of the interval between knots k and k + 1, and so on: n_knots - 1 of them, or one for a single knot. The
 * knots are ordered by time. NULL, or why there is no such correction; *at is the knot where the bad interval
 * starts. */
const char *clock_pieces(const tcf_clock_knot *knots, uint32_t n_knots, clock_piece *to, uint32_t *at);

/* The piece that a time belongs to. `near` is where to look first. */
uint32_t clock_piece_of(const clock_piece *pieces, uint32_t n, uint32_t near, uint64_t time);

/* The corrected time: 1, or 0 when it doesn't fit into 64 bits unsigned. `shift` is added to all. */
int clock_time(const clock_piece *piece, int64_t shift, uint64_t time, uint64_t *to);
/* By how many ticks the corrected time would be less than 0. */
uint64_t clock_below_zero(const clock_piece *piece, int64_t shift, uint64_t time);
/* What is added at `time`, the shift excepted. */
int64_t clock_correction(const clock_piece *piece, uint64_t time);

/* Corrects times[0..n), which don't decrease and belong to this piece all. 1, or 0 when the first or the last one
 * doesn't fit; then nothing is changed. */
int clock_apply(const clock_piece *piece, int64_t shift, uint64_t *times, uint32_t n);

/* How many of times[0..n), which don't decrease, are no later than `last`; the first one counts in any case. */
uint32_t clock_run(const uint64_t *times, uint32_t n, uint64_t last);

#endif
