/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_comp: what its parts share: collecting (comm_comp.c), the processes of several locations (processes.c), what a
 * region is (regions.c) and reporting (tables.c). */
#ifndef TCFLOW_COMM_COMP_H
#define TCFLOW_COMM_COMP_H

#include "../shared/regions/region_stack.h"
#include "sweep.h"
#include <tcflow/filter.h>
#include <tcflow/processes.h>

typedef struct conf {
    tcf_list of[ACTIVITIES]; /* names or globs of regions, which decide before roles and names */
    int64_t max_requests, max_pending;
} conf;

/* State of a location. */
typedef struct place {
    sweep own;
    region_stack stack;   /* rows are activities, with the bits of region_kinds.h */
    uint64_t last;        /* time of the last event */
    uint64_t flush_until; /* 0: no flush is under way */
    uint32_t process;     /* index */
    uint32_t running;     /* teams that it is in, and threads begun; above 0 it computes outside of all regions */
    uint32_t forks;       /* teams that it has forked and not joined */
    uint8_t activity;     /* ACTIVITIES: before its first event */
    uint8_t manages;      /* a team of its own is about to begin, or has ended and is about to be joined */
    uint8_t off;          /* measurement is off */
    uint8_t left_out;     /* a location of metrics */
} place;

/* A change in what a location does, or has under way. */
typedef struct change {
    uint64_t time, a, b;
    uint32_t location, number; /* number: order of changes of a process with the same time and location */
    uint8_t what, from, to;
} change;

enum { CHANGE_ACTIVITY, CHANGE_POST, CHANGE_JOIN, CHANGE_COMPLETE, CHANGE_CANCEL };

/* A process, as processes.h has it. Where it has one location, its sweep is that of the location. */
typedef struct process {
    sweep all;
    change *pending;
    uint32_t n, capacity, look_at; /* look_at: the number at which some are settled */
    uint32_t numbers;
    uint32_t n_locations, location; /* with events; location: one of them */
    uint32_t flushing;              /* locations in a flush, whose ends are told only by their next events */
    uint64_t flushed;               /* with such ones: the earliest of these ends, or before it */
    uint64_t hurried;               /* changes settled at max_pending, before the watermark had passed them */
} process;

typedef struct state {
    uint8_t *activity; /* by region, with the same bits */
    uint8_t outside;   /* what a thread does that runs, and is in no region */
    tcf_processes known;
    process *processes; /* as many */
} state;

/* The activity by region, with the bits of region_kinds.h. The caller frees it. NULL: out of memory. */
uint8_t *classify_regions(const tcf_self *self);

/* processes.c. -1: out of memory. */
int make_change(sweep *s, const change *c);
/* Keeps a change of a process of several locations until it can be made in order. */
int process_add(const tcf_self *self, process *p, change c);
/* Makes all changes before a time. */
int process_settle(process *p, uint64_t before);

/* All tables. */
tcf_status comm_comp_report(tcf_self *self);

#endif
