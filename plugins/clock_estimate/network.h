/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The least squares of network.c as it searches them, and how they are put together from the problem. */
#ifndef TCFLOW_CLOCK_ESTIMATE_NETWORK_H
#define TCFLOW_CLOCK_ESTIMATE_NETWORK_H

#include "bands.h"
#include "clusters.h"
#include "solver.h"

/* What a unit's correction should be at a place, beyond that of its component's origin. */
struct anchor {
    uint32_t unit, origin;
    struct place place;
    double weight, want;
};

/* A row in the form that the search reads over and over. */
struct equation {
    uint32_t from, to; /* unknowns: the knots before the message's ends */
    float from_part, to_part;
    double weight;
};

/* What is unknown of the delay of a group's rows: that of the whole group, which is near the usual one of its class, or
 * by how much the two ways of a pair differ. */
struct lever {
    size_t at;     /* the unknown; two ways share it */
    double sign;   /* by which the delay goes with it; 0: nothing is unknown */
    double weight; /* of what is known beforehand; each way brings half of that */
    size_t usual;  /* where it is the whole delay, the unknown that is the usual one of the class; else 0 */
};

/* Equations that share a delay: those of a pair or a star. */
struct group {
    uint32_t number; /* of the pair; of a star, those of all pairs and its own */
    uint32_t first, end;
    struct lever lever;
};

enum { NO_GROUP = UINT32_MAX };
enum { VECTORS = 5 }; /* of all unknowns: the solution, and what the search needs */

struct network {
    struct problem *p;
    uint32_t knots; /* of a unit */
    size_t n;       /* unknowns */
    size_t
        delays; /* the first unknown that is the delay of a group: as many as there are groups, but some aren't used */
    size_t classes; /* the first one that is the usual delay of a class */
    struct anchor *anchor;
    uint32_t n_anchors;
    struct equation *equation; /* those of rows that count, in their order */
    double *want;              /* by equation: how the slack shall change */
    uint32_t n_equations;
    struct group *group; /* those that have equations, in order of their numbers */
    uint32_t n_groups;
    uint32_t *group_of;  /* by pair: which it is, or NO_GROUP */
    double *rate_weight; /* by unit */
    double special_weight[CLASSES], uneven_weight[CLASSES];
    double class_diagonal[CLASSES];
    double *bend_weight; /* by unit and knot */
    double *band;        /* by unit and knot, see bands.h */
    struct clusters clusters;
    double *delay; /* diagonal of the least delays */
    double *vector[VECTORS];
};

/* The equations of the current rows, and what is known beforehand; the solution is 0. -1: out of memory; network_free()
 * in any case. */
int network_init(struct network *w, struct problem *p);
void network_free(struct network *w);

/* The value at a place. */
static inline double network_at(const double *x, const struct network *w, uint32_t unit, const struct place *place)
{
    const double *z = x + (size_t)unit * w->knots + place->at;
    return z[0] + (double)place->part * (z[1] - z[0]);
}

static inline int is_fixed(const struct problem *p, uint32_t unit)
{
    return p->settled[p->component[unit]];
}

static inline uint32_t group_number(const struct problem *p, const struct row *r)
{
    return r->pair == NO_PAIR ? p->b->n_pairs + r->point : r->pair;
}

static inline double *band_of(const struct network *w, uint32_t unit)
{
    return w->band + BAND * (size_t)unit * w->knots;
}

#endif
