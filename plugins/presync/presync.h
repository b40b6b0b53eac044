/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of presync share: presync.c (the filter, and the loop over slices), sources.c (where the knots come
 * from and who shares them), summary.c (the report). */
#ifndef PRESYNC_H
#define PRESYNC_H

#include "../shared/clocks/correction.h"
#include <tcflow/clocks.h>

enum method { METHOD_AUTO, METHOD_ARCHIVE, METHOD_FILE, METHOD_SURVEY, METHOD_NONE };
enum unsynchronised { UNSYNCHRONISED_STOP, UNSYNCHRONISED_KEEP };

struct conf {
    int method;
    const char *file;
    int unsynchronised;
    tcf_duration shift;
};

struct state {
    enum method method;    /* the one that was chosen */
    tcf_clock_knot *knots; /* ordered by location, then time; no two of one location and time */
    uint64_t n_knots;
    clock_piece *pieces;
    clock_piece identity; /* of locations without knots */
    int64_t shift;        /* is added to all times */
    uint32_t n_unsynchronised;
    uint8_t nothing_known; /* no two processes are tied to each other: there is nothing to synchronise */
};

struct location {
    const clock_piece *pieces;
    uint32_t n_pieces;
    uint32_t near;               /* the piece of the last slice */
    const tcf_clock_knot *knots; /* its own, or those of `speaker` */
    uint32_t n_knots;
    uint32_t speaker; /* the location that the knots were given for; TCF_NONE: there are none */
    uint8_t origin;   /* tcf_clock_origin */
    uint8_t unsynchronised;
    double error;     /* the largest of its knots; INFINITY: unknown */
    uint64_t reached; /* the last event's corrected time */
    uint64_t events;
    int64_t first, last, least, most; /* corrections that were made */
};

/* sources.c. Chooses the method, finds each location's knots, and notes which locations are not synchronised. */
tcf_status sources_find(tcf_self *self);

/* summary.c */
tcf_status summary_report(tcf_self *self);

#endif
