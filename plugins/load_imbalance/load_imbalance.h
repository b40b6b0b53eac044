/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* load_imbalance: what its two sides share, collecting (load_imbalance.c) and reporting (tables.c). */
#ifndef TCFLOW_LOAD_IMBALANCE_H
#define TCFLOW_LOAD_IMBALANCE_H

#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/processes.h>

enum { IDLE = 1, KEPT_FROM = 24 /* bits of a frame's row; there are fewer shares of a location */ };
#define BEYOND (TCF_NONE - 1u) /* a region: all that have no row of their own */

typedef struct conf {
    tcf_list idle;
    int64_t worst, max_regions, top;
} conf;

/* Exclusive ticks of a region in a location or process; UINT64_MAX: or more. */
typedef struct share {
    uint32_t process, region;
    uint64_t ticks;
} share;

typedef struct shares {
    share *at;
    uint32_t n, capacity;
    tcf_map index; /* (process, region) */
} shares;

/* State of a location. */
typedef struct place {
    shares shares;        /* all of process 0 */
    region_stack stack;   /* rows are those of the shares, and above them what is kept of being idle */
    uint64_t since, last; /* times of the last enter or leave, and of the last event */
    uint64_t idle;        /* ticks so far */
    int used;
} place;

typedef struct state {
    tcf_processes processes;
    shares all;          /* of the locations that have ended */
    tcf_map counts;      /* (process, 0): it has entered a region */
    uint32_t *same;      /* by region: the first one that differs in nothing but its id */
    uint8_t *idle;       /* by region: IDLE, with the bits of region_kinds.h */
    uint64_t *idle_time; /* by process; ticks of the locations that have ended */
    uint64_t not_counted;
} state;

/* All tables. */
tcf_status imbalance_report(tcf_self *self);

#endif
