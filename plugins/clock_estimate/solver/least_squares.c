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

/* What rows give to the two knots around an end. */
struct gets {
    double *y; /* of the first knot */
    double here, next;
};

/* Adds what the knots have got, and turns to others. Neighbours mostly share knots. */
static inline void turn_to(struct gets *g, double *y)
{
    const int follows = y == g->y + 1;
    g->y[0] += g->here;
    if (!follows)
        g->y[1] += g->next;
    g->here = follows ? g->next : 0;
    g->next = 0;
    g->y = y;
}

static inline void give(struct gets *g, double part, double v)
{
    g->here += v - part * v;
    g->next += part * v;
}

static inline double value_at(const double *x, float part)
{
    return x[0] + (double)part * (x[1] - x[0]);
}

/* Rows of a pair whose delay is off by `delay`: y += A x. Returns the sum for the delay's own equation. */
static double multiply_pair(const struct network *w, const struct group *g, double delay, const double *x, double *y)
{
    const struct equation *e = w->equation + g->first, *end = w->equation + g->end;
    struct gets from = {.y = y + e->from}, to = {.y = y + e->to};
    double sum = 0;
    for (; e < end; e++) {
        double v = (value_at(x + e->to, e->to_part) - value_at(x + e->from, e->from_part) - delay) * e->weight;
        if (y + e->from != from.y)
            turn_to(&from, y + e->from);
        if (y + e->to != to.y)
            turn_to(&to, y + e->to);
        give(&from, (double)e->from_part, -v);
        give(&to, (double)e->to_part, v);
        sum += v;
    }
    turn_to(&from, y);
    turn_to(&to, y);
    return sum;
}

/* Rows of all collectives, one clock after another: a collective alone would fetch a line of each clock. */
static void multiply_collectives(const struct network *w, const double *x, double *y)
{
    const struct group *g = w->group + w->n_groups - w->n_collectives;
    struct gets to = {.y = y};
    for (uint32_t c = 0; c < w->n_collectives; c++) {
        const struct equation *e = &w->equation[g[c].first]; /* all have the same begin */
        w->sent[c] = value_at(x + e->from, e->from_part) + g[c].lever.sign * x[g[c].lever.at];
        w->sum[c] = 0;
    }
    for (const struct ending *e = w->ending, *end = e + w->n_endings; e < end; e++) {
        double v = (value_at(x + e->to, e->to_part) - w->sent[e->collective]) * e->weight;
        if (y + e->to != to.y)
            turn_to(&to, y + e->to);
        give(&to, (double)e->to_part, v);
        w->sum[e->collective] += v;
    }
    turn_to(&to, y);
    for (uint32_t c = 0; c < w->n_collectives; c++) {
        const struct equation *e = &w->equation[g[c].first];
        y[e->from] -= (1 - (double)e->from_part) * w->sum[c];
        y[e->from + 1] -= (double)e->from_part * w->sum[c];
    }
}

static void multiply_rows(const struct network *w, const double *x, double *y)
{
    const uint32_t pairs = w->n_groups - w->n_collectives;
    multiply_collectives(w, x, y);
    for (uint32_t i = 0; i < w->n_groups; i++) {
        const struct group *g = &w->group[i];
        struct lever l = g->lever;
        double sum = i < pairs ? multiply_pair(w, g, l.sign * x[l.at], x, y) : w->sum[i - pairs];
        double v = l.weight * (x[l.at] - (l.usual ? x[l.usual] : 0));
        y[l.at] += v - l.sign * sum;
        if (l.usual)
            y[l.usual] -= v;
    }
}

void network_smooth(const struct network *w, uint32_t unit, double sign, const double *x, double *y)
{
    const double *z = x + (size_t)unit * w->knots, *weight = w->bend_weight + (size_t)unit * w->knots;
    double *out = y + (size_t)unit * w->knots, rate = sign * w->rate_weight[unit];
    double slope = 0, before = 0, here = 0; /* of the gap in front of knot k; of the bends at k - 1 and k */
    uint32_t k = 0;
    for (; k + 2 < w->knots; k++) {
        double rise = z[k + 1] - z[k], next = sign * weight[k + 1] * (z[k + 2] - z[k + 1] - rise);
        out[k] += slope - rate * rise + before - 2 * here + next;
        slope = rate * rise;
        before = here;
        here = next;
    }
    double rise = z[k + 1] - z[k];
    out[k] += slope - rate * rise + before - 2 * here;
    out[k + 1] += rate * rise + here;
}

/* The sum of the products; several sums at a time, since each addition waits for the one before. */
static double dot(const double *a, const double *b, size_t n)
{
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++)
        sum[0] += a[i] * b[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* y = A x, A being the normal matrix. Returns x A x. */
static double multiply(const struct network *w, const double *x, double *y)
{
    const struct problem *p = w->p;
    memset(y, 0, w->n * sizeof *y);
    multiply_rows(w, x, y);
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] += w->class_weight[c] * x[w->classes + c];
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double v = a->weight * (network_at(x, w, a->unit, &a->place) - network_at(x, w, a->origin, &a->place));
        network_add(y, w, a->unit, &a->place, v);
        network_add(y, w, a->origin, &a->place, -v);
    }
    double product = dot(x + w->delays, y + w->delays, w->n - w->delays);
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        size_t at = (size_t)u * w->knots;
        if (is_fixed(p, u)) {
            memset(y + at, 0, w->knots * sizeof *y);
            continue;
        }
        network_smooth(w, u, 1, x, y);
        product += dot(x + at, y + at, w->knots);
    }
    return product;
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

/* x += step d, r -= step A d, and s becomes r, preconditioned: by few clocks at a time, whose values stay in the cache.
 */
static void advance(const struct network *w, double step)
{
    enum { CLOCKS = 8 };
    double *restrict x = w->vector[0], *restrict r = w->vector[1], *restrict s = w->vector[2];
    const double *restrict d = w->vector[3], *restrict ad = w->vector[4];
    const uint32_t units = w->p->b->n_units;
    for (uint32_t u = 0, n; u < units; u += n) {
        n = units - u < CLOCKS ? units - u : CLOCKS;
        const size_t first = (size_t)u * w->knots, end = first + (size_t)n * w->knots;
        for (size_t k = first; k < end; k++) {
            x[k] += step * d[k];
            s[k] = r[k] -= step * ad[k];
        }
        bands_solve(band_of(w, u), w->knots, n, s + first);
    }
    for (size_t k = w->delays; k < w->n; k++) {
        double by = k < w->classes ? w->delay[k - w->delays] : w->class_diagonal[k - w->classes];
        x[k] += step * d[k];
        r[k] -= step * ad[k];
        s[k] = by > 0 ? r[k] / by : 0;
    }
    clusters_solve(&w->clusters, r, s);
    clear_fixed(w, s);
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
    double *x = w->vector[0], *r = w->vector[1], *s = w->vector[2], *d = w->vector[3], *ad = w->vector[4];
    double gain[2 * LOOK_BACK] = {0}, all = 0;
    uint32_t i = 0;
    memset(x, 0, w->n * sizeof *x);
    memset(d, 0, w->n * sizeof *d);
    memset(ad, 0, w->n * sizeof *ad);
    advance(w, 0);
    memcpy(d, s, w->n * sizeof *d);
    double rs = dot(r, s, w->n), first = rs;
    for (; i < most_rounds && rs > precision * precision * first && rs > 0 &&
           !is_exact(fmax(until.rest, until.part * (until.whole - all)), gain, i) && !problem_interrupted(w->p);
         i++) {
        double curvature = multiply(w, d, ad);
        if (!(curvature > 0))
            break;
        double step = rs / curvature;
        gain[i % (2 * LOOK_BACK)] = step * rs;
        all += step * rs;
        advance(w, step);
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
        network_solve(&w, (struct exactness){.rest = exactness * exactness * (double)w.n}, most_rounds);
        *change = take_solution(&w);
    }
    equations_free(&w);
    return problem_interrupted(p) ? -1 : status;
}
