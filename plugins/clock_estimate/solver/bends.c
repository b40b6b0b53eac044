/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How much clocks bend on this level, and how much to expect of them on a finer one.
 *
 * A clock's bend at a knot is the second difference of its corrections there. The least squares pull each bend towards
 * 0, with the inverse square of the expected bend as the weight. Too small an expectation smooths away what clocks do,
 * too large a one follows noise. So the expectation comes from evidence: the mean square of the bends which the
 * equations determine should be the expected one (the fixed point of MacKay, "Bayesian Interpolation", 1992,
 * section 4.4). One step of the iteration a level is enough; more of them split the knots into those that bend and
 * those that don't. It also works on grids which are much finer than the messages resolve, where the expectation
 * determines most bends. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>

/* Evidence for a knot: of so many knots on both sides; the weights of the whole clock's and of all clocks' evidence. */
enum { NEIGHBOURS = 1, COUNTS_CLOCK = 2, COUNTS_ALL = 2 };
/* A clock whose rate changes smoothly bends by a quarter on the next level. */
static const double least_trend = 0.25;
/* The least bend to expect, in ticks. */
static const double least_bend = 0.05;
/* A change of all clocks by less standard deviations is not worth a level, unless that of a single clock stands out. */
static const double little = 0.5;
/* On coarse grids, bends are expected to be this part of the misfit, at least. */
static const double part_of_misfit = 0.5;

double bend_at(const struct grid *g, uint32_t unit, uint32_t k)
{
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + k;
    return z[-1] - 2 * z[0] + z[1];
}

/* Root mean square of the bends of a clock; on fine grids, of the expected ones. */
static double usual_bend(const struct problem *p, uint32_t unit)
{
    const struct grid *g = &p->grid;
    const double *expected = p->bend + (size_t)unit * (g->gaps + 1);
    double sum = 0;
    for (uint32_t k = 1; k < g->gaps; k++) {
        double bend = g->gaps < BENDS_FREE_GAPS ? bend_at(g, unit, k) : expected[k];
        sum += bend * bend;
    }
    return g->gaps > 1 ? sqrt(sum / (g->gaps - 1)) : 0;
}

/* ------------------------------------------------------------------------------------------------------ evidence -- */

/* The sum of squared ratios of found to expected bends, and how many bends the equations determine. */
struct evidence {
    double found, determined;
};

static struct evidence evidence_of(const struct problem *p, uint32_t unit, uint32_t first, uint32_t end)
{
    struct evidence e = {0, 0};
    size_t at = (size_t)unit * (p->grid.gaps + 1);
    for (uint32_t k = first; k < end; k++) {
        double part = bend_at(&p->grid, unit, k) / p->bend[at + k];
        e.found += part * part;
        e.determined += (double)p->determined[at + k];
    }
    return e;
}

/* The mean squared ratio of found to expected bends, with a prior that weighs `counts` bends. */
static double squares(struct evidence e, double usual, double counts)
{
    return (e.found + counts * usual) / (e.determined + counts);
}

static void judge_clock(struct problem *p, uint32_t unit, double all, double *times)
{
    uint32_t gaps = p->grid.gaps;
    double *bend = p->bend + (size_t)unit * (gaps + 1);
    double own = squares(evidence_of(p, unit, 1, gaps), all, COUNTS_ALL);
    for (uint32_t k = 0; k <= gaps; k++) {
        uint32_t first = k > NEIGHBOURS ? k - NEIGHBOURS : 1,
                 end = k + NEIGHBOURS + 1 < gaps ? k + NEIGHBOURS + 1 : gaps;
        times[k] = sqrt(squares(evidence_of(p, unit, first, end), own, COUNTS_CLOCK));
    }
    for (uint32_t k = 0; k <= gaps; k++)
        bend[k] = fmax(least_bend, bend[k] * times[k]);
}

int bends_judge(struct problem *p)
{
    if (p->grid.gaps < BENDS_FREE_GAPS)
        return 0;
    double *ratio = malloc(((size_t)p->b->n_units + 1) * sizeof *ratio);
    double *times = malloc(((size_t)p->grid.gaps + 1) * sizeof *times);
    uint32_t n = 0;
    for (uint32_t u = 0; ratio && u < p->b->n_units; u++) {
        struct evidence e = evidence_of(p, u, 1, p->grid.gaps);
        if (e.determined > 1)
            ratio[n++] = e.found / e.determined;
    }
    double all = n > 0 ? quantile(ratio, n, 0.5) : 1;
    for (uint32_t u = 0; ratio && times && u < p->b->n_units; u++)
        judge_clock(p, u, all, times);
    int status = ratio && times ? 0 : -1;
    free(ratio);
    free(times);
    return status;
}

/* --------------------------------------------------------------------------------------------------- expectation -- */

/* The median ratio of the bends of this level to those of the level before; the next level continues it. -1: out of
 * memory. */
static double find_trend(struct problem *p)
{
    double *ratio = malloc(((size_t)p->b->n_units + 1) * sizeof *ratio);
    uint32_t n = 0;
    if (!ratio)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        double usual = usual_bend(p, u);
        if (p->usual_bend[u] > 0 && usual > 0)
            ratio[n++] = usual / p->usual_bend[u];
        p->usual_bend[u] = usual;
    }
    double trend = n > 0 ? quantile(ratio, n, 0.5) : 1;
    free(ratio);
    return fmax(least_trend, fmin(trend, 1));
}

/* The bends of this level near knot k of the next one, which is at k / 2 here. */
static double bends_near(const struct problem *p, uint32_t unit, uint32_t k)
{
    const struct grid *g = &p->grid;
    const double *expected = p->bend + (size_t)unit * (g->gaps + 1) + k / 2;
    if (g->gaps >= BENDS_FREE_GAPS)
        return k % 2 ? fmax(expected[0], expected[1]) : expected[0];
    double largest = g->gaps <= 2 ? p->misfit : 0;
    for (uint32_t i = k / 2 > 1 ? k / 2 - 1 : 1; i <= k / 2 + 2 && i < g->gaps; i++)
        largest = fmax(largest, fabs(bend_at(g, unit, i)));
    return largest;
}

int bends_expect(struct problem *p, const struct grid *fine, double *bend)
{
    double trend = find_trend(p);
    if (trend < 0)
        return -1;
    double least = least_bend + (fine->gaps <= BENDS_FREE_GAPS ? part_of_misfit * p->misfit : 0);
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 0; k <= fine->gaps; k++)
            bend[(size_t)u * (fine->gaps + 1) + k] = fmax(least, bends_near(p, u, k) * trend);
    return 0;
}

/* In the middle between two knots a clock leaves the line by half of its bend on the next level; root mean square over
 * the gap, by sqrt(8 / 15) of that. */
int bends_below_noise(const struct problem *p)
{
    double now = 0, before = 0, variance = 0, most = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        double bend = usual_bend(p, u);
        now += bend * bend;
        before += p->usual_bend[u] * p->usual_bend[u];
        variance += p->variance[u];
        most = p->variance[u] > 0 ? fmax(most, bend * bend / p->variance[u]) : most;
    }
    double trend = before > 0 ? fmax(least_trend, fmin(sqrt(now / before), 1)) : 1, part = 0.5 * sqrt(8.0 / 15) * trend;
    return p->grid.gaps > BENDS_FREE_GAPS && part * part * now < little * little * variance &&
           part * sqrt(most) < stands_out;
}

/* The squares by which a clock leaves the line nearest to it, a knot. */
static double squares_about_line(const struct problem *p, uint32_t unit)
{
    const double *z = p->grid.z + (size_t)unit * (p->grid.gaps + 1);
    double n = p->grid.gaps + 1, y = 0, xx = 0, xy = 0, yy = 0;
    for (uint32_t k = 0; k <= p->grid.gaps; k++) {
        double from_middle = k - (n - 1) / 2, value = z[k] - z[0];
        y += value;
        xx += from_middle * from_middle;
        xy += from_middle * value;
        yy += value * value;
    }
    return fmax(yy - y * y / n - xy * xy / xx, 0) / n;
}

int bends_are_noise(const struct problem *p)
{
    double bent = 0, variance = 0, most = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        double squares = squares_about_line(p, u);
        bent += squares;
        variance += p->variance[u];
        most = p->variance[u] > 0 ? fmax(most, squares / p->variance[u]) : most;
    }
    return bent < variance && most < stands_out * stands_out;
}

int bends_straighten(struct problem *p)
{
    size_t n = (size_t)p->b->n_units * (p->grid.gaps + 1);
    double *bend = malloc((n + 1) * sizeof *bend);
    if (!bend)
        return -1;
    for (size_t k = 0; k < n; k++)
        bend[k] = least_bend;
    p->possible_bend = p->bend;
    p->bend = bend;
    return 0;
}
