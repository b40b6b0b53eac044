/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The main loop of a program: the table that iterations leaves in a survey (host->learn(), host->learned() of
 * filter.h) to filters of the main chain that tell its iterations apart. The marks are enters, counted in each
 * location, so they hold by any clock, where events are neither dropped nor inserted. */
#ifndef TCFLOW_MAIN_LOOP_H
#define TCFLOW_MAIN_LOOP_H

#include <stdint.h>

/* Where a range of iterations begins in a location. Of all locations range r has the same iterations: each is as wide
 * as the others, but the last one may be shorter. */
typedef struct tcf_loop_mark {
    uint64_t first;    /* iteration of the range, from 0 on */
    uint64_t enter;    /* the enter that begins it is the enter-th one of its location, from 1 on */
    uint32_t location; /* index */
    uint32_t range;    /* r */
} tcf_loop_mark;
/* Table of tcf_loop_mark, by location, of each by range. The last mark of a location ends its last whole iteration:
 * `first` is the number of these, and no range begins there. Locations without the main loop have none. */
#define TCF_MAIN_LOOP "main_loop"

#endif
