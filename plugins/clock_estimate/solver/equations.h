/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The equations of the least squares, which equations.c makes of rows and least_squares.c solves. */
#ifndef TCFLOW_CLOCK_ESTIMATE_EQUATIONS_H
#define TCFLOW_CLOCK_ESTIMATE_EQUATIONS_H

#include "bands.h"
#include "clusters.h"
#include "problem.h"

#include <string.h>

/* The correction that a unit should have at a place, relative to that of its component's origin. */
struct anchor {
    uint32_t unit, origin;
    struct place place;
    double weight, want;
};

/* A row in the form that the search reads in each round. */
struct equation {
    uint32_t from, to; /* unknowns: the knots before the message's ends */
    float from_part, to_part;
    double weight;
};

/* An equation of a collective in the order in which the search reads them: one clock after another. */
struct ending {
    uint32_t to, collective; /* the number of the group, less that of the first collective's */
    float to_part;
    double weight;
};

/* The unknown part of the delay of a group's rows: either the whole delay, which is near the usual one of its class, or
 * half of the difference between the two directions of a pair. */
struct lever {
    size_t at;     /* the unknown; two directions share it */
    double sign;   /* of the unknown in the delay; 0: the delay is known */
    double weight; /* of the prior; each of two directions brings half of it */
    size_t usual;  /* for a whole delay: the unknown which is the usual one of the class; else 0 */
};

/* Equations that share a delay: those of a pair or of a collective. */
struct group {
    uint32_t number; /* of the pair; of a collective, the number of pairs plus its own */
    uint32_t first, end;
    struct lever lever;
};

enum { NO_GROUP = UINT32_MAX };

/* Clocks fall into blocks; what is summed over clocks is the sum of the sums of blocks, in their order, whichever
 * thread has made them. */
enum { BLOCKS = 16 };

/* Rows of a pair that give to clocks of a part: to those of one side, or of both. */
enum { SHARE_FROM = 1, SHARE_TO = 2 };
struct share {
    uint32_t group, sides;
};

/* Some blocks, whose rows one thread reads. */
struct part {
    uint32_t first, end; /* blocks */
    uint32_t first_share, end_share;
};

enum { VECTORS = 5 }; /* of all unknowns: the solution, and what the search needs */

struct network {
    struct problem *p;
    uint32_t knots; /* of a unit */
    size_t n;       /* unknowns */
    size_t delays;  /* the first unknown that is a delay; there is one for each group, but not all are used */
    size_t classes; /* the first unknown that is the usual delay of a class */
    struct anchor *anchor;
    uint32_t n_anchors;
    struct equation *equation; /* of rows with a weight, in their order */
    double *want;              /* by equation: the change of the slack that the search asks for */
    uint32_t n_equations;
    struct group *group; /* those with equations, in order of their numbers: pairs, then collectives */
    uint32_t n_groups, n_collectives, n_endings;
    struct ending *ending;
    uint32_t first_ending[BLOCKS + 1]; /* by block */
    struct part part[BLOCKS + 1];
    uint32_t n_parts;
    struct share *share;  /* by part, in the order of groups */
    double *sum;          /* by group: scratch of the search */
    double *sent;         /* by collective: likewise */
    double *sum_of_block; /* by block and collective: likewise */
    uint32_t *group_of;   /* by pair; or NO_GROUP */
    double *rate_weight;  /* by unit */
    double special_weight[CLASSES], uneven_weight[CLASSES];
    double class_weight[CLASSES]; /* of what settled pairs tell of the usual delay */
    double class_diagonal[CLASSES];
    double *bend_weight; /* by unit and knot */
    double *band;        /* by unit and knot, see bands.h */
    struct clusters clusters;
    double *delay; /* diagonal of the least delays */
    double *vector[VECTORS];
};

/* Makes the equations of the current rows, and of what is known beforehand; the solution is 0. -1: out of memory. Call
 * equations_free() in any case. */
int equations_init(struct network *w, struct problem *p);
void equations_free(struct network *w);

/* The value at a place. */
static inline double network_at(const double *x, const struct network *w, uint32_t unit, const struct place *place)
{
    const double *z = x + (size_t)unit * w->knots + place->at;
    return z[0] + (double)place->part * (z[1] - z[0]);
}

/* Adds a value at a place. */
static inline void network_add(double *x, const struct network *w, uint32_t unit, const struct place *place,
                               double value)
{
    double *z = x + (size_t)unit * w->knots + place->at;
    z[0] += (1 - (double)place->part) * value;
    z[1] += (double)place->part * value;
}

static inline int is_fixed(const struct problem *p, uint32_t unit)
{
    return p->settled[p->component[unit]];
}

static inline double *band_of(const struct network *w, uint32_t unit)
{
    return w->band + BAND * (size_t)unit * w->knots;
}

/* The first unit of a block, or the end of the one before. */
static inline uint32_t network_block(const struct network *w, uint32_t block)
{
    return (uint32_t)((uint64_t)w->p->b->n_units * block / BLOCKS);
}

static inline void network_clear_fixed(const struct network *w, double *x)
{
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        if (is_fixed(w->p, u))
            memset(x + (size_t)u * w->knots, 0, w->knots * sizeof *x);
}

/* Does n parts of work, by the threads that there are; by one thread, where that takes less time than to wake others.
 */
static inline void network_divide(const struct network *w, void (*work)(void *data, uint32_t k), void *data, uint32_t n)
{
    if (w->n_parts > 1)
        problem_divide(w->p, work, data, n);
    else
        for (uint32_t k = 0; k < n; k++)
            work(data, k);
}

/* product.c. y = A x, A being the normal matrix. Returns x A x. */
double network_multiply(const struct network *w, const double *x, double *y);
double network_dot(const double *a, const double *b, size_t n);
/* The smoothness of a clock: y += sign A x. */
void network_smooth(const struct network *w, uint32_t unit, double sign, const double *x, double *y);
/* Adds to the right-hand side: `v` is the weight of equation i of a group times its slack's change. */
static inline void network_demand(const struct network *w, const struct group *g, uint32_t i, double v, double *y)
{
    const struct equation *e = &w->equation[i];
    double f = (double)e->from_part, t = (double)e->to_part;
    y[e->to] += (1 - t) * v;
    y[e->to + 1] += t * v;
    y[e->from] -= (1 - f) * v;
    y[e->from + 1] -= f * v;
    y[g->lever.at] -= g->lever.sign * v;
}

/* By how much a solution changes the slack of equation i of a group, less its delay. */
static inline double network_change(const struct network *w, const struct group *g, uint32_t i, const double *x)
{
    const struct equation *e = &w->equation[i];
    double f = (double)e->from_part, t = (double)e->to_part;
    return (1 - t) * x[e->to] + t * x[e->to + 1] - (1 - f) * x[e->from] - f * x[e->from + 1] -
           g->lever.sign * x[g->lever.at];
}

/* The right-hand side of the search. */
void network_demands(const struct network *w, double *y);
/* When is a solution exact enough? When all further rounds would gain less than `rest`, or less than `part` of what the
 * gains have left of `whole`. A gain of 1 an unknown is one standard deviation. */
struct exactness {
    double rest, part, whole;
};

/* Solves for the right-hand side in vector[1], which goes, to vector[0]. Returns the sum of gains: solution times
 * right-hand side. */
double network_solve(struct network *w, struct exactness until, uint32_t most_rounds);

#endif
