/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* lateness: what its parts share. What is computed is defined in README.md.
 *
 *     centre.c   several domains: the first one sums up the operations of all
 *     walk.c     events: which operations there are, and their steps (the logical clock)
 *     steps.c    the table of steps: the earliest completion of each, and operations that wait for it to be known
 *     sums.c     where operations are summed up once their lateness is known
 *     report.c   the tables of results */
#ifndef TCFLOW_LATENESS_H
#define TCFLOW_LATENESS_H

#include "../shared/gather/gather.h"
#include "../shared/numbers/min_max.h"
#include "../shared/time_bins/time_bins.h"
#include <tcflow/filter.h>

enum { NONE = UINT32_MAX, MOST_OPEN = 16 };

struct conf {
    int64_t worst, top, bins, max_steps, max_pending;
};

/* What comes with a message: the operation that sent it. */
struct sender {
    uint64_t step, end; /* of the operation, once it is over: `known` */
    uint32_t depth;     /* of its call */
    uint32_t known;
};

/* An operation that an operation depends on, whose step isn't closed. */
struct source {
    uint64_t step, end;
    uint32_t next; /* in st->sources, NONE */
};

/* An operation under way: a visit of a region that has communicated. */
struct call {
    uint64_t step;
    uint64_t inherited; /* ticks: largest lateness of sources in closed steps */
    uint32_t sources;   /* the others: list in st->sources */
    uint32_t callpath, depth;
    uint32_t nested; /* visits inside of it with the same call path: beyond max_callpaths */
};

/* An operation that is over, and waits for the earliest completion of its step to be certain. */
struct operation {
    uint64_t end, inherited;
    uint32_t location, callpath;
    uint32_t sources, next;
};

/* A step in the table. */
struct step {
    uint64_t number;
    uint64_t earliest;    /* completion */
    uint32_t first, last; /* its operations, in the order of their ends by location */
};

struct sums {
    uint64_t operations, lateness, differential; /* ticks */
    uint64_t most_late, most_differential;
};

/* Sums by step, or by time of completion. */
struct bin {
    struct sums sums;
    uint64_t earliest, latest; /* completions */
};

struct series {
    time_bins range;
    struct bin *at, *spare;
};

struct instance {
    uint64_t step, end, lateness, differential;
    uint32_t location, callpath;
};

/* State of a location. */
struct lane {
    uint64_t clock;    /* the step that it has reached */
    uint64_t lateness; /* of its last operation in a closed step */
    uint64_t last;     /* time of its last event */
    uint32_t edge;     /* in the list of the slice */
    uint32_t n_open;
    struct call open[MOST_OPEN];
    struct sums sums;
    uint8_t takes_part, ended;
    /* In domains. */
    uint64_t told;       /* steps_bound(), as the first one knows it */
    uint8_t has_sources; /* in the first one: of an operation that is to come */
};

struct counts {
    uint64_t forced, behind, fell_out, forgotten, no_room, too_deep;
};

struct state {
    gather gather;
    const tcf_callpath *paths; /* as they are during a span */
    uint32_t n_paths;

    struct step *steps; /* max_steps, that of number n at n % max_steps */
    uint64_t newest;    /* the largest number in it, 0: none */
    uint64_t open_from; /* steps below are closed */
    struct operation *operations;
    struct source *sources;
    uint32_t free_operation, free_source; /* lists */
    uint32_t used_operations, used_sources;
    uint32_t pending, look_at; /* operations in the table; at how many to look for steps that can be closed */

    struct sums *by_path; /* by call path */
    uint32_t n_by_path;
    struct series over_steps, over_time;
    struct instance *worst; /* largest differential lateness first */
    uint32_t n_worst;
    int out_of_memory;
    struct counts counts;
};

static inline gather *gather_of(const tcf_self *self)
{
    return &((struct state *)self->state)->gather;
}

/* centre.c */
tcf_status centre_begin(tcf_self *self);
/* In a further domain: records an operation that is over, and how far its location is. */
tcf_status centre_record(tcf_self *self, uint32_t location, const struct call *c, uint64_t end);
tcf_status centre_span(tcf_self *self, uint32_t location);
tcf_status centre_location_end(tcf_self *self, uint32_t location);
tcf_status centre_pack(tcf_self *self, tcf_pack *pack);
tcf_status centre_absorb(tcf_self *self, tcf_pack *pack);

/* walk.c */
tcf_status lateness_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to);
tcf_status lateness_location_end(tcf_self *self, uint32_t location);

/* steps.c. steps_begin() returns -1 when memory is out; steps_free() frees the table in any case. */
int steps_begin(tcf_self *self);
void steps_free(struct state *st);
/* Notes that a call depends on an operation. */
void steps_depend(tcf_self *self, struct call *c, uint64_t step, uint64_t end);
/* Takes a call that is over. */
void steps_complete(tcf_self *self, uint32_t location, const struct call *c, uint64_t end);
/* Drops the list of what a call depends on. */
void steps_forget(struct state *st, uint32_t sources);
/* No operation of this location will be completed in an earlier step than this. */
uint64_t steps_bound(const struct lane *k);
/* Closes all steps; to be called when all locations have ended. */
void steps_end(tcf_self *self);

/* sums.c */
int sums_begin(tcf_self *self);
void sums_free(struct state *st);
/* Adds the operations of one sum to another. */
void sums_join(struct sums *to, const struct sums *from);
void sums_add(tcf_self *self, const struct instance *x);

/* report.c */
tcf_status report(tcf_self *self);

#endif
