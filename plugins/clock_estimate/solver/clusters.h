/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clusters of clocks that are tied to each other, in levels: those of one level are made of those of the level before.
 *
 * Whoever looks at each clock by itself sees errors that differ between neighbours, but none that build up slowly along
 * a chain of clocks, or across a grid of them. Seen as one clock, a cluster is tied to others by few equations where
 * there are chains, and by nearly all of them where everybody talks to everybody; then it tells nothing new, and there
 * are no levels. */
#ifndef TCFLOW_CLOCK_ESTIMATE_CLUSTERS_H
#define TCFLOW_CLOCK_ESTIMATE_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_LEVELS = 24 };

/* Two clocks, and the weight of the equations that tie them. */
struct tie {
    uint32_t a, b;
    double weight;
};

struct cluster_level {
    uint32_t n;
    uint32_t *of;   /* by cluster of the level before, by clock on the first */
    uint8_t *alone; /* by cluster: no equation ties it to another, so nothing says where it is as a whole */
    double *band;   /* by cluster and knot, see bands.h */
    double *x;      /* by cluster and knot */
};

struct clusters {
    uint32_t n_clocks, knots, n_levels;
    struct cluster_level level[MOST_LEVELS];
};

/* Finds the levels; the order of ties, which may be there several times, doesn't matter. 0, or -1: out of memory. */
int clusters_init(struct clusters *c, uint32_t n_clocks, uint32_t knots, const struct tie *tie, size_t n_ties);
void clusters_free(struct clusters *c);
/* The level and cluster that have both clocks first; n_levels: they never meet. What an equation between the two brings
 * to their bands has to be taken off that cluster's, for it says nothing of the cluster as a whole; before
 * clusters_factorise(). */
uint32_t clusters_meet(const struct clusters *c, uint32_t a, uint32_t b, uint32_t *cluster);
/* Makes the bands from those of the clocks, n_clocks x knots, not factorised. */
void clusters_factorise(struct clusters *c, const double *band);
/* Adds to y what the clusters find to be the solution for the right-hand side x; both n_clocks x knots. */
void clusters_solve(const struct clusters *c, const double *x, double *y);

#endif
