/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* efficiency: what its parts share: the replay (efficiency.c), what a region is (regions.c), useful time over the run
 * (series.c), reporting (tables.c). */
#ifndef TCFLOW_EFFICIENCY_H
#define TCFLOW_EFFICIENCY_H

#include "../shared/regions/region_stack.h"
#include "../shared/time_bins/time_bins.h"
#include <tcflow/filter.h>
#include <tcflow/processes.h>

/* What a location does. Inside a call of MPI all is communication, whatever is called from there. */
enum activity {
    USEFUL,        /* computes */
    THREADING,     /* waits for threads of its own process, or manages them */
    ACCELERATOR,   /* waits for an accelerator, or copies to or from it */
    OTHER,         /* files by MPI, measurement */
    COMMUNICATION, /* calls of MPI: takes no time in the replay, but for what they wait for */
    ACTIVITIES,
    IDLE = ACTIVITIES /* outside of all regions, where that isn't computation */
};

/* What else a region is: where a scope begins and ends. */
enum { IS_INIT = 1, IS_FINALIZE = 2 };

/* The run as a whole, and the program between MPI_Init and MPI_Finalize. */
enum scope { WHOLE, PROGRAM, SCOPES };

/* What a location does in a scope. Ticks. */
struct sums {
    uint64_t of[ACTIVITIES]; /* time by activity */
    uint64_t begin, end;     /* as recorded */
    uint64_t ideal;          /* when it would be where it is, or was in the end, were all communication instantaneous */
};

/* State of a location. */
struct lane {
    struct sums in[SCOPES];
    uint64_t last;     /* time of the last event */
    uint64_t reversed; /* targets that come before what they depend on */
    uint8_t used;      /* has events */
    uint8_t ended;     /* bits of the scopes that have */
    /* Up to here packed. */
    uint8_t stands;        /* for its process: its time is the process's */
    uint8_t left_out;      /* no thread of a process */
    uint8_t activity;      /* now */
    uint32_t running;      /* teams that it is in, and threads begun */
    uint32_t edge;         /* the next one in the slice */
    struct series *series; /* NULL: it doesn't stand for its process */
    region_stack stack;    /* rows are activities */
};

enum { SERIES_BINS = 64 };

/* Useful time of a process in the program, over time. */
struct series {
    time_bins range;
    uint64_t at[SERIES_BINS]; /* ticks */
};

struct state {
    tcf_processes processes;
    struct series *series; /* by process */
    uint8_t *activity;     /* by region */
    uint8_t *bounds;       /* by region: IS_INIT, IS_FINALIZE */
};

/* series.c. Origin: see time_bins_new(). */
void series_start(struct series *x, uint64_t origin);
void series_add(struct series *x, uint64_t from, uint64_t to);
/* Makes the bins of all reach as far as those of a part; then how much the part has in a bin of all. */
void series_reach(struct series *all, const struct series *part);
uint64_t series_of(const struct series *all, const struct series *part, uint32_t bin);

/* Fills `activity` and `bounds`. -1: out of memory. */
int classify_regions(const tcf_self *self);

/* All tables. */
tcf_status efficiency_report(tcf_self *self);

#endif
