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

static void clear_fixed(const struct network *w, double *x)
{
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        if (is_fixed(w->p, u))
            memset(x + (size_t)u * w->knots, 0, w->knots * sizeof *x);
}

/* ----------------------------------------------------------------------------------------------------- equations -- */

/* Rows of one group whose delay is off by `delay`: y += A x. Returns the sum for the delay's own equation. */
static double multiply_rows(const struct network *w, uint32_t first, uint32_t end, double delay, const double *x,
                            double *y)
{
    double sum = 0;
    for (uint32_t i = first; i < end;) {
        uint32_t from_at = w->equation[i].from, to_at = w->equation[i].to;
        const double *from = x + from_at, *to = x + to_at;
        double from_gets[2] = {0}, to_gets[2] = {0}; /* neighbours are mostly between the same knots */
        for (; i < end && w->equation[i].from == from_at && w->equation[i].to == to_at; i++) {
            const struct equation *e = &w->equation[i];
            double f = (double)e->from_part, t = (double)e->to_part;
            double v = to[0] + t * (to[1] - to[0]) - from[0] - f * (from[1] - from[0]);
            v = (v - delay) * e->weight;
            to_gets[0] += v - t * v;
            to_gets[1] += t * v;
            from_gets[0] += v - f * v;
            from_gets[1] += f * v;
            sum += v;
        }
        y[to_at] += to_gets[0];
        y[to_at + 1] += to_gets[1];
        y[from_at] -= from_gets[0];
        y[from_at + 1] -= from_gets[1];
    }
    return sum;
}

static void multiply_group(const struct network *w, const struct group *g, const double *x, double *y)
{
    struct lever l = g->lever;
    double sum = multiply_rows(w, g->first, g->end, l.sign * x[l.at], x, y);
    double v = l.weight * (x[l.at] - (l.usual ? x[l.usual] : 0));
    y[l.at] += v - l.sign * sum;
    if (l.usual)
        y[l.usual] -= v;
}

void network_smooth(const struct network *w, uint32_t unit, double sign, const double *x, double *y)
{
    const double *z = x + (size_t)unit * w->knots, *weight = w->bend_weight + (size_t)unit * w->knots;
    double *out = y + (size_t)unit * w->knots;
    for (uint32_t k = 0; k + 1 < w->knots; k++) {
        double v = sign * w->rate_weight[unit] * (z[k + 1] - z[k]);
        out[k] -= v;
        out[k + 1] += v;
    }
    for (uint32_t k = 1; k + 1 < w->knots; k++) {
        double v = sign * weight[k] * (z[k - 1] - 2 * z[k] + z[k + 1]);
        out[k - 1] += v;
        out[k] -= 2 * v;
        out[k + 1] += v;
    }
}

/* y = A x, A being the normal matrix. */
static void multiply(const struct network *w, const double *x, double *y)
{
    const struct problem *p = w->p;
    memset(y, 0, w->n * sizeof *y);
    for (uint32_t i = 0; i < w->n_groups; i++)
        multiply_group(w, &w->group[i], x, y);
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] += w->class_weight[c] * x[w->classes + c];
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double v = a->weight * (network_at(x, w, a->unit, &a->place) - network_at(x, w, a->origin, &a->place));
        network_add(y, w, a->unit, &a->place, v);
        network_add(y, w, a->origin, &a->place, -v);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        network_smooth(w, u, 1, x, y);
    clear_fixed(w, y);
}

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
    clear_fixed(w, y);
}

/* ------------------------------------------------------------------------------------------------ preconditioner -- */

static void precondition(const struct network *w, const double *x, double *y)
{
    const struct problem *p = w->p;
    memcpy(y, x, w->n * sizeof *y);
    bands_solve(w->band, w->knots, p->b->n_units, y);
    clusters_solve(&w->clusters, x, y);
    for (uint32_t i = 0; i < w->n_groups; i++)
        y[w->delays + i] = w->delay[i] > 0 ? x[w->delays + i] / w->delay[i] : 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] = x[w->classes + c] / w->class_diagonal[c];
    clear_fixed(w, y);
}

/* ---------------------------------------------------------------------------------------------------------- step -- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

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

double network_solve(struct network *w, double enough, uint32_t most_rounds)
{
    double *x = w->vector[0], *r = w->vector[1], *s = w->vector[2], *d = w->vector[3], *ad = w->vector[4];
    double gain[2 * LOOK_BACK] = {0}, all = 0;
    uint32_t i = 0;
    memset(x, 0, w->n * sizeof *x);
    precondition(w, r, s);
    memcpy(d, s, w->n * sizeof *d);
    double rs = dot(r, s, w->n), first = rs;
    for (; i < most_rounds && rs > precision * precision * first && rs > 0 && !is_exact(enough, gain, i) &&
           !problem_interrupted(w->p);
         i++) {
        multiply(w, d, ad);
        double curvature = dot(d, ad, w->n);
        if (!(curvature > 0))
            break;
        double step = rs / curvature;
        gain[i % (2 * LOOK_BACK)] = step * rs;
        all += step * rs;
        for (size_t k = 0; k < w->n; k++) {
            x[k] += step * d[k];
            r[k] -= step * ad[k];
        }
        precondition(w, r, s);
        double next = dot(r, s, w->n), beta = next / rs;
        for (size_t k = 0; k < w->n; k++)
            d[k] = s[k] + beta * d[k];
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
        network_solve(&w, exactness * exactness * (double)w.n, most_rounds);
        *change = take_solution(&w);
    }
    equations_free(&w);
    return problem_interrupted(p) ? -1 : status;
}
