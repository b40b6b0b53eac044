/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Files of clock measurements, or knots of corrections.
 *
 * CSV: a header line `location,time,offset,error`, then one knot a line: at `time` of the location's clock `offset` is
 * to be added. The error (half the error bar) may be empty. A location is its id in the archive, or in quotes its name
 * or that of its process, where no other one has that name. Times are ticks (whole numbers) or have a unit (1.5s,
 * -20us). INI: a section [LOCATION] each, with lines `time = offset` or `time = offset, error`. In both, lines that
 * start with # (or ;) are comments, and so is the rest of a line behind a blank and #.
 *
 * Shared source of the filters of clocks, no filter itself. */
#ifndef CLOCKS_KNOT_FILE_H
#define CLOCKS_KNOT_FILE_H

#include <tcflow/clocks.h>

enum { KNOT_FILE_MOST = 16777216, KNOT_FILE_WHY = 512 };

/* 1: *knots (to be freed) are ordered by location, then time, and make a correction of each location (clock_pieces()),
 * but for those that say the same twice; 0: `why` tells what is wrong and where. */
int knot_file_read(const char *path, const tcf_definitions *defs, tcf_clock_knot **knots, uint64_t *n,
                   char why[KNOT_FILE_WHY]);

/* To be asked before a run: can there be a file of this name? Nothing that exists is replaced unless `overwrite`, which
 * the user knows as `parameter`. 1, or 0 with `why`. */
int knot_file_may_be(const char *path, int overwrite, const char *parameter, char why[KNOT_FILE_WHY]);

/* Writes a CSV file that knot_file_read() reads; `title` becomes a comment, unless it is NULL. It has its name when it
 * is complete, until then it is called PATH.incomplete; what isn't a regular file is written to directly. 1, or 0 with
 * `why`. */
int knot_file_write(const char *path, int overwrite, const char *title, const tcf_definitions *defs,
                    const tcf_clock_knot *knots, uint64_t n, char why[KNOT_FILE_WHY]);

/* Orders knots by location, then time. */
void knots_sort(tcf_clock_knot *knots, uint64_t n);

#endif
