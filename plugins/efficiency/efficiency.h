/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* efficiency: what its parts share: the replay (efficiency.c), what a region is (regions.c), sends that waited
 * (sends.c), calls for accelerators (accelerators.c),
 * iterations (ranges.c), useful time over the run (series.c), reporting (tables.c). */
#ifndef TCFLOW_EFFICIENCY_H
#define TCFLOW_EFFICIENCY_H

#include "../shared/regions/region_stack.h"
#include "../shared/time_bins/time_bins.h"
#include <private/main_loop.h>
#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/processes.h>

/* What a location does: by its open regions, as region_kinds.h has it. */
enum activity {
    USEFUL,        /* computes */
    THREADING,     /* waits for threads of its own process, or manages them */
    ACCELERATOR,   /* in a call of an interface to accelerators */
    OTHER,         /* files by MPI, measurement, a runtime system that calls tasks */
    IDLE,          /* has nothing to do: takes no time in the replay where it waited for something */
    COMMUNICATION, /* calls of MPI: takes no time in the replay, but for what they wait for */
    ACTIVITIES,
    OUTSIDE = ACTIVITIES /* of all regions, where that isn't computation */
};

/* What else a region is: where a scope begins and ends, a send that always waits for its receive. */
enum { IS_INIT = 1, IS_FINALIZE = 2, IS_SYNCHRONOUS = 4 };

/* The run as a whole, the program between MPI_Init and MPI_Finalize, and the range of iterations that the location is
 * in. */
enum scope { WHOLE, PROGRAM, RANGE, SCOPES };

/* Numbers that are published: the ideal times by scope, and where a receive is posted the recorded time. */
enum { POSTED = SCOPES, NUMBERS };

/* What a location does in a scope. Ticks. */
struct sums {
    uint64_t of[ACTIVITIES]; /* time by activity */
    uint64_t begin, end;     /* as recorded */
    uint64_t ideal;          /* when it would be where it is, or was in the end, were all communication instantaneous */
    uint64_t idle;           /* latest idle time, of which it is open whether it waited for something; not in `ideal` */
};

/* The outermost open call of MPI, as far as sends that waited go. */
struct call {
    uint64_t entered;
    uint64_t posted[SCOPES]; /* ideal times of the latest of its receives that were posted meanwhile; 0: of none */
    uint8_t synchronous;     /* MPI_Ssend */
    uint8_t hears;           /* it also receives, or takes part in a collective */
    uint8_t sends;           /* a send has ended in it that waited, if the call hears nothing */
};

/* Where a process is in its iterations. */
struct position {
    const tcf_loop_mark *next; /* where the next range begins; NULL: no range begins any more */
    uint64_t enters;           /* so far */
};

/* A process in a range of iterations. Ticks. */
struct range {
    uint64_t begin, length, ideal, useful;
};

/* The main loop, as a survey has left it. All zero: no survey has. */
struct loop {
    const tcf_loop_mark *marks;
    uint64_t n_marks;
    uint32_t n;       /* ranges */
    uint64_t *first;  /* by range, and one more: its first iteration */
    struct range *of; /* by process, then by range; length 0: none */
};

/* Time of the program in calls for accelerators, by region. All zero: none. Owns its arrays. */
struct accelerators {
    tcf_map at; /* region -> index */
    struct accelerator_time {
        uint64_t ticks, region;
    } * of;
    uint32_t n, capacity;
};

/* State of a location. */
struct lane {
    struct sums in[SCOPES];
    uint64_t last;     /* time of the last event */
    uint64_t reversed; /* targets that come before what they depend on */
    uint64_t sends;    /* that the replay has wait for their receives */
    uint8_t used;      /* has events */
    uint8_t ended;     /* bits of the scopes that have */
    /* Up to here packed. */
    uint8_t stands;   /* for its process: its time is the process's */
    uint8_t left_out; /* no thread of a process */
    uint8_t activity; /* now */
    uint8_t bound;    /* something has come that it depends on */
    uint32_t running; /* teams that it is in, and threads begun */
    uint32_t edge;    /* the next one in the slice */
    struct call call;
    struct position at;
    struct series *series;            /* NULL: it doesn't stand for its process */
    struct accelerators accelerators; /* if it does */
    region_stack stack;               /* rows are activities, with the bits of region_kinds.h */
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
    struct loop loop;
    uint32_t scopes;                  /* in use: without iterations there is no RANGE */
    uint8_t *activity;                /* by region, with the bits of region_kinds.h */
    uint8_t outside;                  /* what a thread does that is in no region */
    uint8_t *bounds;                  /* by region: IS_INIT, IS_FINALIZE */
    struct accelerators accelerators; /* of all processes */
};

/* series.c. Origin: see time_bins_new(). */
void series_start(struct series *x, uint64_t origin);
void series_add(struct series *x, uint64_t from, uint64_t to);
/* Makes the bins of all reach as far as those of a part; then how much the part has in a bin of all. */
void series_reach(struct series *all, const struct series *part);
uint64_t series_of(const struct series *all, const struct series *part, uint32_t bin);

/* ranges.c */
/* Does this domain have a state of the location? Of others it touches none. */
int is_kept(const tcf_self *self, uint32_t location);
/* Does the location stand for its process? Its time is the process's. */
int stands_for_process(const tcf_self *self, uint32_t location);
/* A scope begins now, and ends now, for this location. */
void scope_start(struct lane *k, enum scope scope, uint64_t time);
void scope_stop(struct lane *k, enum scope scope, uint64_t time);
/* -1: out of memory. */
int ranges_begin(tcf_self *self);
void ranges_free(struct state *st);
/* The location's mark: the range ends that it is in, and the next one begins. */
void range_next(const tcf_self *self, uint32_t location, uint64_t time);
static inline const struct range *range_of(const struct state *st, uint32_t process, uint32_t range)
{
    return &st->loop.of[(size_t)process * st->loop.n + range];
}

/* accelerators.c. -1: out of memory. */
int accelerators_add(struct accelerators *c, uint32_t region, uint64_t ticks);
void accelerators_free(struct accelerators *c);
void accelerators_report(tcf_self *self);

/* sends.c: sends that waited for their receives to be posted. At TCF_POST_POSTED, where a receive is posted. */
void sends_publish(tcf_self *self, const struct lane *k, const tcf_slice *s, const tcf_edge *e);
/* At TCF_POST_WAITED, the end of a send: notes what it waited for, if it did. */
void sends_end(tcf_self *self, struct lane *k, const tcf_edge *e, uint64_t time);
/* The outermost call of MPI is left at `time`: it was no earlier over than the posts of what it sent. */
void sends_leave(struct lane *k, uint64_t time);

/* Time that a process spends outside of MPI, as its own: with that of its threads, whose efficiency stands apart. */
static inline uint64_t useful_of(const struct sums *s)
{
    return s->of[USEFUL] + s->of[THREADING];
}

/* Fills `activity` and `bounds`. -1: out of memory. */
int classify_regions(const tcf_self *self);

/* All tables. */
tcf_status efficiency_report(tcf_self *self);

#endif
