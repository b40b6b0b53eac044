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
    tcf_list of[ACTIVITIES]; /* names or globs of regions that are this, whatever else they look like */
    int64_t max_requests, max_pending;
} conf;

/* State of a location. */
typedef struct place {
    sweep own;
    region_stack stack;   /* rows are activities */
    uint64_t last;        /* time of the last event */
    uint64_t flush_until; /* 0: no flush is under way */
    uint32_t process;     /* where it counts besides */
    uint32_t running;     /* a thread of the program, or in so many teams: outside of all regions it computes */
    uint32_t forks;       /* teams that it has forked and not joined */
    uint8_t activity;     /* ACTIVITIES: before its first event */
    uint8_t manages;      /* a team of its own is about to begin, or has ended and is about to be joined */
    uint8_t off;          /* measurement is */
    uint8_t left_out;     /* a location of metrics */
} place;

/* A change in a location that its process has not been told of yet. */
typedef struct change {
    uint64_t time, a, b;
    uint32_t location, number; /* number: among those of the process, for events of one time and location */
    uint8_t what, from, to;
} change;

enum { CHANGE_ACTIVITY, CHANGE_POST, CHANGE_JOIN, CHANGE_COMPLETE, CHANGE_CANCEL };

/* A process, as processes.h has it. Where it has one location, its sweep is that of the location. */
typedef struct process {
    sweep all;
    change *pending;
    uint32_t n, capacity, look_at; /* look_at: how many it takes to look what can be settled */
    uint32_t numbers;
    uint32_t n_locations, location; /* with events; location: one of them */
    uint64_t hurried;               /* changes that were settled before their time, at max_pending */
} process;

typedef struct state {
    uint8_t *activity; /* by region */
    tcf_processes known;
    process *processes; /* as many */
} state;

/* By region: what a location does in it. The caller's to free; NULL: out of memory. */
uint8_t *classify_regions(const tcf_self *self);

/* Tells a process of several locations. -1: out of memory. */
int process_add(const tcf_self *self, process *p, change c);
/* All changes before a time. */
int process_settle(process *p, uint64_t before);

/* All tables. */
tcf_status comm_comp_report(tcf_self *self);

#endif
