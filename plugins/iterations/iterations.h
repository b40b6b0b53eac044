/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations: what its parts share. README.md has the definitions.
 *
 *     walk.c     events: visits, and how the children of each follow one another
 *     runs.c     what is measured of a run of iterations
 *     domains.c  what one domain has found goes to another one
 *     choose.c   which run is the main loop, of a location and of all
 *     learn.c    what a survey leaves of the main loop
 *     report.c   the tables of results, with series.c */
#ifndef TCFLOW_ITERATIONS_H
#define TCFLOW_ITERATIONS_H

#include "../shared/regions/region_stack.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>
#include <tcflow/times.h>

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

/* Sums of a location up to some time. */
struct totals {
    uint64_t mpi; /* ticks */
    uint64_t sent, received, collectives;
    tcf_ticks_total sent_bytes, received_bytes; /* an iteration has the difference of two of them */
};

/* Iterations side by side: 2^level of them a bin. */
struct bin {
    uint64_t n, ticks, longest;
    uint64_t which, begin; /* iteration, and time */
    uint64_t enter;        /* number of the enter with which the first of them begins */
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
        common; /* other call paths entered since the last enter, and those of them in the iteration before */
    uint64_t kinds_before; /* in the iteration before */
    double alike;          /* sum over iterations of how much each is like the one before; see likeness */
    struct totals at_first, at_last;
    struct { /* of a run of bursts: the enters that begin none, their pauses, and the times since the enters before them
              */
        uint64_t n, pauses, ticks;
    } inside;
    struct bin *bins;
    uint32_t binned; /* bins are in use, from min_iterations or EARLY enters on */
    struct early {
        uint64_t time, number;
    } early[EARLY]; /* the first enters */
    uint32_t level; /* of the bins */
};

/* A call path of a location, or the bursts in which it is entered: a child of the same parent, beside it. */
struct node {
    uint32_t parent, region, depth;
    uint32_t rank;         /* 0: the call path, 1: its bursts, 2: bursts of these */
    uint32_t bursts;       /* the node with the next rank; NONE */
    uint32_t child, after; /* the child entered last; the sibling that came after this one the last time: guesses */
    uint32_t visits;       /* how many, which numbers them */
    uint32_t of_visit;     /* number of the parent's visit to which `run` and `next` belong */
    uint32_t front,
        next; /* list of the children in this visit, the one entered last in front; next in the parent's list */
    uint32_t n_children;
    uint64_t most;        /* enters of a child in this visit */
    struct run run, best; /* run: in the open visit of the parent; best: the longest of earlier visits */
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
    uint32_t mpi_depth;    /* of the outermost open call of MPI, 0: none */
    struct run marked;     /* of the anchor that the user gave */
    uint32_t marked_depth; /* of its outermost open visit, 0: none */
    uint64_t first, last;  /* times of events */
    int used;

    struct candidate *found; /* once the location has ended */
    uint32_t n_found, loop;  /* loop: of the candidates; NONE */
    uint8_t votes;           /* speaks for its process in the choice of the main loop */
};

/* A call path, or its bursts, by names: one for all locations. */
struct path {
    uint32_t parent, region, rank;
};

struct counts {
    uint64_t paths, children, kept;
};

struct state {
    uint32_t *same;  /* by region: the first one of its name */
    uint8_t *is_mpi; /* by region */
    uint8_t *marks;  /* by region: is it the anchor that the user gave? NULL: auto */
    uint64_t least;  /* enters that a run has at least */
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
void run_clear(struct run *r); /* starts a new run in the same memory */
void run_free(struct run *r);

/* walk.c */
tcf_status walk_slice(tcf_self *self, tcf_slice *s);
/* Closes all open visits. */
void walk_end(tcf_self *self, struct place *p);
void walk_free(struct place *p);

/* choose.c */
/* The path of a region below another path; NONE: out of memory. */
uint32_t intern_path(struct state *st, uint32_t parent, uint32_t region, uint32_t rank);
/* The root, which comes first. It has a rank that no call path has: a call of an undefined region is another path. */
uint32_t intern_root(struct state *st);
tcf_status choose_location_end(tcf_self *self, uint32_t location);
int is_eligible(const struct conf *conf, const struct place *p, const struct run *r);
double evenness_of(const struct run *r);
double likeness_of(const struct run *r);
tcf_status choose(tcf_self *self);

/* domains.c */
tcf_status iterations_pack(tcf_self *self, tcf_pack *pack);
tcf_status iterations_absorb(tcf_self *self, tcf_pack *pack);

/* learn.c: leaves the main loop to filters of the main chain; see private/main_loop.h. In a survey. */
tcf_status learn_main_loop(tcf_self *self);

/* report.c */
tcf_status report(tcf_self *self);

#endif
