/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Weighted least squares over all units and knots at once, by conjugate gradients. The preconditioner is the exact
 * solution of each unit alone (its equations couple knots at most two apart, so that is a banded Cholesky factor), and
 * that of clusters of units.
 *
 * The unknowns are the changes of the values at all knots, and the delays of pairs with messages of one direction only.
 * The equations are the rows (the slack should become the delay), the measured offsets, and the smoothness of each
 * clock. */
#include "equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double precision = 1e-4;
/* Convergence: stop when the distance from the solution is this part of a standard deviation. */
static const double exactness = 0.01;
enum { LOOK_BACK = 4 };

void network_demands(const struct network *w, double *y)
{
    const struct problem *p = w->p;
    memset(y, 0, w->n * sizeof *y);
    const struct group *g;
    for (g = w->group; g < w->group + w->n_groups; g++)
        for (uint32_t i = g->first; i < g->end; i++)
            network_demand(w, g, i, w->equation[i].weight * w->want[i], y);
    for (g = w->group; g < w->group + w->n_groups && g->number < p->b->n_pairs; g++) {
        struct lever l = g->lever;
        double v = l.weight * (l.usual ? p->of_pair[g->number].special : l.sign * p->of_pair[g->number].uneven);
        y[l.at] -= v;
        if (l.usual)
            y[l.usual] += v;
    }
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        network_add(y, w, a->unit, &a->place, a->weight * a->want);
        network_add(y, w, a->origin, &a->place, -a->weight * a->want);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        network_smooth(w, u, -1, p->grid.z, y);
    network_clear_fixed(w, y);
}

/* ------------------------------------------------------------------------------------------------ preconditioner -- */

/* What the threads of a round have in common. */
struct rounds {
    const struct network *w;
    double step, beta;
    double of_block[BLOCKS]; /* r s, of its clocks */
};

/* x += step d, r -= step A d, and s becomes r, preconditioned by each clock alone: by few clocks at a time, whose
 * values stay in the cache. */
static void advance_block(void *data, uint32_t block)
{
    enum { CLOCKS = 8 };
    const struct rounds *q = data;
    const struct network *w = q->w;
    double *restrict x = w->vector[0], *restrict r = w->vector[1], *restrict s = w->vector[2];
    const double *restrict d = w->vector[3], *restrict ad = w->vector[4];
    const double step = q->step;
    const uint32_t last = network_block(w, block + 1);
    for (uint32_t u = network_block(w, block), n; u < last; u += n) {
        n = last - u < CLOCKS ? last - u : CLOCKS;
        const size_t first = (size_t)u * w->knots, end = first + (size_t)n * w->knots;
        for (size_t k = first; k < end; k++) {
            x[k] += step * d[k];
            s[k] = r[k] -= step * ad[k];
        }
        bands_solve(band_of(w, u), w->knots, n, s + first);
    }
}

static double advance_delays(const struct network *w, double step)
{
    double *x = w->vector[0], *r = w->vector[1], *s = w->vector[2], sum = 0;
    const double *d = w->vector[3], *ad = w->vector[4];
    for (size_t k = w->delays; k < w->n; k++) {
        double by = k < w->classes ? w->delay[k - w->delays] : w->class_diagonal[k - w->classes];
        x[k] += step * d[k];
        r[k] -= step * ad[k];
        s[k] = by > 0 ? r[k] / by : 0;
        sum += r[k] * s[k];
    }
    return sum;
}

static void sum_up_clusters(void *data, uint32_t k)
{
    const struct rounds *q = data;
    clusters_sum_up(&q->w->clusters, q->w->vector[1], k, q->w->n_parts);
}

static void find_clusters(void *data, uint32_t k)
{
    const struct rounds *q = data;
    clusters_find(&q->w->clusters, k, q->w->n_parts);
}

static void hand_down_clusters(void *data, uint32_t k)
{
    const struct rounds *q = data;
    clusters_hand_down(&q->w->clusters, q->w->vector[2], k, q->w->n_parts);
}

static void finish_block(void *data, uint32_t block)
{
    struct rounds *q = data;
    const struct network *w = q->w;
    const size_t first = (size_t)network_block(w, block) * w->knots,
                 end = (size_t)network_block(w, block + 1) * w->knots;
    q->of_block[block] = network_dot(w->vector[1] + first, w->vector[2] + first, end - first);
}

static void turn_block(void *data, uint32_t block)
{
    const struct rounds *q = data;
    const struct network *w = q->w;
    const size_t first = (size_t)network_block(w, block) * w->knots,
                 end = (size_t)network_block(w, block + 1) * w->knots;
    double *restrict d = w->vector[3];
    const double *restrict s = w->vector[2];
    for (size_t k = first; k < end; k++)
        d[k] = s[k] + q->beta * d[k];
}

/* Goes on by `step`; s becomes r, preconditioned. Returns r s. */
static double advance(struct rounds *q, double step)
{
    const struct network *w = q->w;
    q->step = step;
    network_divide(w, advance_block, q, BLOCKS);
    double sum = advance_delays(w, step);
    if (w->clusters.n_levels > 0) {
        network_divide(w, sum_up_clusters, q, w->n_parts);
        network_divide(w, find_clusters, q, w->n_parts);
        network_divide(w, hand_down_clusters, q, w->n_parts);
    }
    network_clear_fixed(w, w->vector[2]);
    network_divide(w, finish_block, q, BLOCKS);
    for (uint32_t block = 0; block < BLOCKS; block++)
        sum += q->of_block[block];
    return sum;
}

/* The next direction. */
static void turn(struct rounds *q, double beta)
{
    const struct network *w = q->w;
    q->beta = beta;
    network_divide(w, turn_block, q, BLOCKS);
    for (size_t k = w->delays; k < w->n; k++)
        w->vector[3][k] = w->vector[2][k] + beta * w->vector[3][k];
}

/* ---------------------------------------------------------------------------------------------------------- step -- */

/* Convergence: stop when the gains of all further rounds are small. They are extrapolated from the ratio of the last
 * gains to those before, and are at least the last gains. A gain of 1 an unknown is one standard deviation. */
static int is_exact(double enough, const double *gain, uint32_t round)
{
    double before = 0, last = 0;
    if (round < 2 * LOOK_BACK)
        return 0;
    for (uint32_t i = 1; i <= LOOK_BACK; i++) {
        last += gain[(round - i) % (2 * LOOK_BACK)];
        before += gain[(round - LOOK_BACK - i) % (2 * LOOK_BACK)];
    }
    return last < enough && last < before && last * last / (before - last) < enough;
}

double network_solve(struct network *w, struct exactness until, uint32_t most_rounds)
{
    double *d = w->vector[3], *ad = w->vector[4];
    double gain[2 * LOOK_BACK] = {0}, all = 0;
    struct rounds q = {.w = w};
    uint32_t i = 0;
    memset(w->vector[0], 0, w->n * sizeof *d);
    memset(d, 0, w->n * sizeof *d);
    memset(ad, 0, w->n * sizeof *ad);
    double rs = advance(&q, 0), first = rs;
    turn(&q, 0);
    for (; i < most_rounds && rs > precision * precision * first && rs > 0 &&
           !is_exact(fmax(until.rest, until.part * (until.whole - all)), gain, i) && !problem_interrupted(w->p);
         i++) {
        double curvature = network_multiply(w, d, ad);
        if (!(curvature > 0))
            break;
        double step = rs / curvature;
        gain[i % (2 * LOOK_BACK)] = step * rs;
        all += step * rs;
        double next = advance(&q, step);
        turn(&q, next / rs);
        rs = next;
    }
    w->p->work += ((uint64_t)w->n_equations + w->n) * i;
    return all;
}

/* Adds the solution to the corrections and to the delays of pairs. Returns the largest change of a correction. */
static double take_solution(const struct network *w)
{
    const double *found = w->vector[0];
    struct problem *p = w->p;
    double change = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        size_t at = (size_t)u * w->knots;
        p->variance[u] = band_uncertainty(band_of(w, u), w->knots, w->bend_weight + at, p->determined + at);
    }
    for (size_t k = 0; k < w->delays; k++) {
        p->grid.z[k] += found[k];
        change = fmax(change, fabs(found[k]));
    }
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        uint32_t reverse = p->b->pair[i].reverse, own = w->group_of[i],
                 other = reverse == NO_PAIR ? NO_GROUP : w->group_of[reverse];
        if (p->of_pair[i].floats)
            p->of_pair[i].special +=
                (own != NO_GROUP ? found[w->group[own].lever.at] : 0) - found[w->classes + class_of(p, i)];
        else if (own != NO_GROUP)
            p->of_pair[i].uneven += w->group[own].lever.sign * found[w->group[own].lever.at];
        else if (other != NO_GROUP)
            p->of_pair[i].uneven -= w->group[other].lever.sign * found[w->group[other].lever.at];
    }
    return change;
}

int least_squares_step(struct problem *p, uint32_t most_rounds, double *change)
{
    struct network w;
    int status = equations_init(&w, p);
    if (status == 0) {
        network_demands(&w, w.vector[1]);
        network_solve(&w, (struct exactness){.rest = exactness * exactness * (double)w.n}, most_rounds);
        *change = take_solution(&w);
    }
    equations_free(&w);
    return problem_interrupted(p) ? -1 : status;
}
