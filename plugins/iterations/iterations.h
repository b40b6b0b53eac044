/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations: what its parts share. What is computed is defined in README.md.
 *
 *     walk.c     events: visits, and how the children of each follow one another
 *     runs.c     what is measured of a run of iterations
 *     choose.c   which run is the main loop, of a location and of all
 *     report.c   the tables of results, with series.c */
#ifndef TCFLOW_ITERATIONS_H
#define TCFLOW_ITERATIONS_H

#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>

enum {
    NONE = UINT32_MAX,
    ROOT = 0,
    MOST_KEPT = 128, /* runs of a location that may become its loop */
    EARLY = 8,
    MOST_RANK = 2
};

struct conf {
    const char *anchor;
    int64_t min_iterations, bins, worst, max_paths, max_children;
    double min_share, evenness, likeness, outlier;
};

/* What a location has done up to some time. */
struct totals {
    uint64_t mpi; /* ticks */
    uint64_t sent, sent_bytes, received, received_bytes, collectives;
};

/* Iterations side by side: 2^level of them a bin. */
struct bin {
    uint64_t n, ticks, longest;
    uint64_t which, begin; /* iteration, and time */
};

/* A run of iterations: enters of one call path within one visit of its parent. */
struct run {
    uint64_t n;                   /* enters; n - 1 whole iterations */
    uint64_t first, before, last; /* numbers of enters, of all in the location: the first and the last two */
    uint64_t first_time, last_time;
    uint64_t shortest, longest; /* ticks */
    uint64_t which;             /* is the longest, from 0 on */
    double mean, squares;       /* of the durations, and sum of squared distances from it */
    double roots;               /* sum of the square roots of the durations */
    double logs;                /* sum that tells which pause begins a burst; see begins_burst() */
    uint64_t kinds,
        common; /* different other children entered since the last enter; those also in the iteration before */
    uint64_t kinds_before; /* in the iteration before */
    double alike;          /* sum of the similarities of iterations to those before them */
    struct totals at_first, at_last;
    struct { /* of a run of bursts: the enters that begin none, their pauses, and the times since the enters before them
              */
        uint64_t n, pauses, ticks;
    } inside;
    struct bin *bins;
    uint32_t binned;       /* they are in use: once there are min_iterations, or EARLY */
    uint64_t early[EARLY]; /* times of the first enters */
    uint32_t level;        /* of the bins */
};

/* A call path of a location, or the bursts in which it is entered: a child of the same parent, beside it. */
struct node {
    uint32_t parent, region, depth;
    uint32_t rank;         /* 0: the call path, 1: its bursts, 2: bursts of these */
    uint32_t bursts;       /* the node with the next rank; NONE */
    uint32_t child, after; /* guesses: entered last in it; entered last after it by its parent */
    uint32_t visits;       /* their number, which tells those of children apart */
    uint32_t of_visit;     /* the parent's visit that `run` and `next` are of */
    uint32_t front,
        next; /* children in this visit, the one entered last in front; and its place among those of the parent */
    uint32_t n_children;
    uint64_t most;        /* enters of a child in this visit */
    struct run run, best; /* in the visit that is open; the longest of those that are over */
};

/* A run that may be the loop of a location. */
struct candidate {
    uint32_t path; /* in st->paths */
    uint32_t depth;
    struct run run;
};

/* State of a location. */
struct place {
    struct node *nodes;
    uint32_t n, capacity;
    tcf_map index; /* (parent, region): node */
    region_stack stack;
    uint64_t enters;
    uint64_t quiet_since; /* time of the last enter or leave */
    struct totals totals;
    uint64_t mpi_since;
    uint32_t mpi_depth;    /* of the outermost visit of MPI, 0: none */
    struct run marked;     /* with an anchor that is given */
    uint32_t marked_depth; /* of the anchor that is open, 0: none */
    uint64_t first, last;  /* times of events */
    int used;

    struct candidate *found; /* when it has ended; of these the loop */
    uint32_t n_found, loop;
    uint8_t votes; /* for the main loop */
};

/* A call path by names, of all locations. */
struct path {
    uint32_t parent, region, rank;
};

struct counts {
    uint64_t paths, children, kept;
};

struct state {
    uint32_t *same;  /* by region: the first one of its name */
    uint8_t *is_mpi; /* by region */
    uint8_t *marks;  /* by region: it is the anchor; NULL: auto */
    uint64_t least;  /* enters that make a run */
    struct path *paths;
    uint32_t n_paths, paths_capacity;
    tcf_map path_of;                         /* (parent, rank and region) */
    uint32_t main_path;                      /* NONE: nothing repeats */
    uint32_t processes, processes_with_main; /* with events */
    struct counts counts;
};

static inline uint64_t run_span(const struct run *r)
{
    return r->n > 1 ? r->last_time - r->first_time : 0;
}

/* runs.c. -1: out of memory. */
int run_enter(struct run *r, uint64_t number, uint64_t time, const struct totals *totals, const struct conf *conf,
              uint64_t least);
void run_clear(struct run *r); /* starts anew, and keeps the memory */
void run_free(struct run *r);

/* walk.c */
tcf_status walk_slice(tcf_self *self, tcf_slice *s);
/* Everything that is open is left. */
void walk_end(tcf_self *self, struct place *p);
void walk_free(struct place *p);

/* choose.c */
tcf_status choose_location_end(tcf_self *self, uint32_t location);
int is_eligible(const struct conf *conf, const struct place *p, const struct run *r);
double evenness_of(const struct run *r);
double likeness_of(const struct run *r);
tcf_status choose(tcf_self *self);

/* report.c */
tcf_status report(tcf_self *self);

#endif
