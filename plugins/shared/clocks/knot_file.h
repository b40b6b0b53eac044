/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Files of clock measurements, or of a correction's knots.
 *
 * CSV: a header line `location,time,offset,error`, then one knot a line: at `time` of the location's clock, `offset` is
 * added. The error (half the error bar) may be empty. A location is its id in the archive, or in quotes its name or
 * that of its process, where the name is unique. Times are ticks (whole numbers) or have a unit (1.5s, -20us).
 *
 * INI: a section [LOCATION] each, with lines `time = offset` or `time = offset, error`.
 *
 * In both formats, lines that start with # (or ;) are comments, and so is the rest of a line behind a blank and #. */
#ifndef TCFLOW_CLOCKS_KNOT_FILE_H
#define TCFLOW_CLOCKS_KNOT_FILE_H

#include <tcflow/clocks.h>

enum { KNOT_FILE_MOST = 16777216, KNOT_FILE_WHY = 512 };

/* From begin() on. Returns 1: *knots (the caller frees them) are ordered by location, then time, and make a correction
 * of each location (clock_pieces()); equal knots stay in. Returns 0: `why` says what is wrong and where. */
int knot_file_read(const tcf_self *self, const char *path, tcf_clock_knot **knots, uint64_t *n,
                   char why[KNOT_FILE_WHY]);

/* Checks before a run whether a file of this name can be written. An existing file is replaced only with `overwrite`,
 * which the user knows as `parameter`. Returns 1, or 0 with `why`. */
int knot_file_may_be(const char *path, int overwrite, const char *parameter, char why[KNOT_FILE_WHY]);

/* Writes a CSV file that knot_file_read() reads. A `title` becomes a comment; it may be NULL. */
tcf_status knot_file_write(const tcf_self *self, const char *path, int overwrite, const char *title,
                           const tcf_clock_knot *knots, uint64_t n);

/* Orders knots by location, then time. */
void knots_sort(tcf_clock_knot *knots, uint64_t n);

#endif
