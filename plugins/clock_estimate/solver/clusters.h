/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clusters of clocks that share equations, in levels: a cluster of one level is a set of clusters of the level before.
 *
 * A preconditioner that solves for each clock alone removes errors that differ between neighbours. It hardly touches
 * errors that build up slowly along a chain of clocks, or across a grid of them. A cluster, taken as one clock,
 * corrects those: in a chain, few equations connect it with others. Where all clocks communicate with all, nearly all
 * equations do; then clusters bring nothing, and there are no levels. */
#ifndef TCFLOW_CLOCK_ESTIMATE_CLUSTERS_H
#define TCFLOW_CLOCK_ESTIMATE_CLUSTERS_H

#include <stddef.h>
#include <stdint.h>

enum { MOST_LEVELS = 24 };

/* Two clocks, and the weight of the equations between them. */
struct tie {
    uint32_t a, b;
    double weight;
};

struct cluster_level {
    uint32_t n;
    uint32_t *of;   /* by cluster of the level before, by clock on the first */
    uint8_t *alone; /* by cluster: no equation connects it with another, so its position as a whole is free */
    double *band;   /* by cluster and knot, see bands.h */
    double *x;      /* by cluster and knot */
};

struct clusters {
    uint32_t n_clocks, knots, n_levels;
    struct cluster_level level[MOST_LEVELS];
};

/* Finds the levels. Ties may repeat, in any order. -1: out of memory. */
int clusters_init(struct clusters *c, uint32_t n_clocks, uint32_t knots, const struct tie *tie, size_t n_ties);
void clusters_free(struct clusters *c);
/* Returns the first level that has both clocks in one cluster, and sets the cluster; n_levels: there is none. Before
 * clusters_factorise(), the caller subtracts from that cluster's band what an equation between the two clocks has added
 * to theirs, because the equation doesn't depend on the cluster as a whole. */
uint32_t clusters_meet(const struct clusters *c, uint32_t a, uint32_t b, uint32_t *cluster);
/* Makes the bands from those of the clocks, n_clocks x knots, which are not factorised yet. */
void clusters_factorise(struct clusters *c, const double *band);
/* Solves for the right-hand side x, and adds the solution to y; both n_clocks x knots. Each step has n parts, k of
 * them, which may be done at the same time, and ends before the next one: adds up the right-hand sides of the clusters,
 * finds their solutions, adds those to what they consist of. */
void clusters_sum_up(const struct clusters *c, const double *x, uint32_t k, uint32_t n);
void clusters_find(const struct clusters *c, uint32_t k, uint32_t n);
void clusters_hand_down(const struct clusters *c, double *y, uint32_t k, uint32_t n);

#endif
