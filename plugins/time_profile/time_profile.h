/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* time_profile: what its two sides share, collecting (time_profile.c) and reporting (tables.c). */
#ifndef TCFLOW_TIME_PROFILE_H
#define TCFLOW_TIME_PROFILE_H

#include "../shared/regions/region_stack.h"
#include "../shared/time_bins/time_bins.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/processes.h>

#define BEYOND (TCF_NONE - 1u) /* a region: all that have no row of their own */

typedef struct conf {
    int64_t time_bins, max_regions, top;
    int by_process;
} conf;

/* process: 0 without by_process. */
typedef struct of_row {
    uint32_t region, process;
} of_row;

/* Exclusive ticks by region and bin of time; UINT64_MAX: or more. Owns all its arrays. */
typedef struct grid {
    time_bins time;
    uint64_t *cells; /* time.n for each row, and as many behind the last one, to move them */
    of_row *of;      /* by row */
    uint32_t n, capacity, most;
    tcf_map row_of; /* (region, process) */
} grid;

/* State of a location. */
typedef struct place {
    grid grid;
    region_stack stack;   /* rows are those of the grid */
    uint64_t since, last; /* times of the last enter or leave, and of the last event */
} place;

typedef struct state {
    tcf_processes processes; /* with by_process */
    grid all;                /* all locations that have ended */
    uint32_t *same;
    uint64_t not_counted; /* visits too deep for the stack */
} state;

static inline uint64_t *row_at(const grid *g, uint32_t row)
{
    return g->cells + (size_t)row * g->time.n;
}

/* The table. */
tcf_status time_profile_report(tcf_self *self);

#endif
