/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Likely errors, which the solver draws as samples, beside the whole covariance: a dense matrix of all unknowns, put
 * together from each equation by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "../../../plugins/clock_estimate/solver/equations.h"

enum { CLOCKS = 6, STEPS = 400, LENGTH = 2000000000 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static double shown(uint32_t clock, double t)
{
    return t + 1e6 + clock * (1e5 + 5e-6 * t) + 3000 * clock * sin(t / LENGTH * (2 + clock));
}

static void message(struct bounds *b, uint32_t from, uint32_t to, double t)
{
    double delay = 2000 - 500 * log(1 - uniform());
    bounds_message(b, from, (uint64_t)shown(from, t), to, (uint64_t)shown(to, t + delay), 0);
}

/* A ring, with messages both ways or one way; measured: the offsets of some clocks, to 1000 ticks. */
static struct bounds *ring(int ways, int measured)
{
    struct bounds *b = bounds_new(CLOCKS, 1 << 24);
    assert_non_null(b);
    state = 11;
    for (uint32_t c = 0; c < CLOCKS; c++) {
        bounds_unit(b, c)->node = c;
        bounds_seen(b, c, (uint64_t)shown(c, 0));
        bounds_seen(b, c, (uint64_t)shown(c, LENGTH));
        for (int end = 0; end < 2 && measured && c > 0; end++) {
            double t = end * (double)LENGTH;
            assert_int_equal(bounds_measured(b, c, (uint64_t)shown(c, t), (int64_t)(shown(0, t) - shown(c, t)), 1000),
                             0);
        }
    }
    for (uint32_t k = 0; k < STEPS; k++)
        for (uint32_t c = 0; c < CLOCKS; c++)
            for (int way = 0; way < ways; way++) {
                double t = (k + 0.9 * uniform()) * LENGTH / STEPS;
                uint32_t next = (c + 1) % CLOCKS;
                message(b, way ? next : c, way ? c : next, t);
            }
    return b;
}

/* --------------------------------------------------------------------------------------------------------- dense -- */

enum noise_of { ROWS, DELAYS, PRIORS, NOISES };

struct dense {
    size_t n;
    double *normal;        /* n x n: sum of weight times the products of an equation's coefficients */
    double *noise[NOISES]; /* likewise, of the right-hand side */
    double *row;           /* coefficients of an equation */
};

static void add_products(double *to, size_t n, const double *row, double weight)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && row[i] != 0; k++)
            to[i * n + k] += weight * row[i] * row[k];
}

/* Adds the equation whose coefficients are in `row`, and clears it. */
static void add(struct dense *d, enum noise_of kind, double weight, double wider)
{
    add_products(d->normal, d->n, d->row, weight);
    add_products(d->noise[kind], d->n, d->row, weight * wider * wider);
    for (size_t i = 0; i < d->n; i++)
        d->row[i] = 0;
}

static void add_value(struct dense *d, const struct network *w, uint32_t unit, const struct place *place, double value)
{
    d->row[unit * w->knots + place->at] += value * (1 - (double)place->part);
    d->row[unit * w->knots + place->at + 1] += value * (double)place->part;
}

/* Half of the variance of what the directions of pairs differ by is common: the vector of all of them together. */
static void add_uneven(struct dense *d, const struct network *w)
{
    const struct problem *p = w->p;
    double *common = calloc(d->n, sizeof *common);
    assert_non_null(common);
    for (uint32_t i = 0; i < w->n_groups; i++) {
        const struct lever *l = &w->group[i].lever;
        const struct noise *noise = &p->noise[class_of(p, w->group[i].number)];
        if (l->usual || !(l->weight > 0))
            continue;
        double wider = hypot(1, noise->special_scatter / noise->uneven), one = wider * sqrt(l->weight / 2);
        const struct pair *q = &p->b->pair[w->group[i].number];
        d->row[l->at] = 1;
        add(d, DELAYS, l->weight, wider / sqrt(2));
        common[l->at] += q->from < q->to ? l->sign * one : -l->sign * one;
    }
    add_products(d->noise[DELAYS], d->n, common, 1);
    free(common);
}

static void fill(struct dense *d, const struct network *w)
{
    const struct problem *p = w->p;
    for (uint32_t i = 0; i < w->n_groups; i++) {
        const struct lever *l = &w->group[i].lever;
        for (uint32_t k = w->group[i].first; k < w->group[i].end; k++) {
            const struct equation *e = &w->equation[k];
            d->row[e->to] += 1 - (double)e->to_part;
            d->row[e->to + 1] += (double)e->to_part;
            d->row[e->from] -= 1 - (double)e->from_part;
            d->row[e->from + 1] -= (double)e->from_part;
            d->row[l->at] -= l->sign;
            add(d, ROWS, e->weight, 1.36);
        }
        if (l->usual) {
            d->row[l->at] = 1;
            d->row[l->usual] = -1;
            add(d, DELAYS, l->weight, 1);
        }
    }
    add_uneven(d, w);
    for (uint32_t c = 0; c < CLASSES; c++) {
        double any = 10 * (p->noise[c].delay + p->noise[c].scatter), settled = p->noise[c].settled;
        int open = !(settled > 0) && p->noise[c].n > 0;
        d->row[w->classes + c] = 1;
        add(d, open ? PRIORS : DELAYS, open ? 1 / (any * any) : settled * w->special_weight[c] + 1e-12, 1);
    }
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        add_value(d, w, w->anchor[i].unit, &w->anchor[i].place, 1);
        add_value(d, w, w->anchor[i].origin, &w->anchor[i].place, -1);
        add(d, PRIORS, w->anchor[i].weight, 1);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        double *z = d->row + u * w->knots;
        for (uint32_t k = 0; k + 1 < w->knots; k++) {
            z[k] = -1;
            z[k + 1] = 1;
            add(d, PRIORS, w->rate_weight[u], 1);
        }
        for (uint32_t k = 1; k + 1 < w->knots; k++) {
            z[k - 1] = z[k + 1] = 1;
            z[k] = -2;
            add(d, PRIORS, w->bend_weight[u * w->knots + k], 1);
        }
    }
    for (size_t i = 0; i < d->n; i++)
        d->normal[i * d->n + i] += 1e-13; /* all clocks together, and unused unknowns */
}

/* Cholesky in place, then the solution for one right-hand side. */
static void factorise(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        for (size_t i = k; i < n; i++)
            for (size_t m = 0; m < k; m++)
                a[i * n + k] -= a[i * n + m] * a[k * n + m];
        assert_true(a[k * n + k] > 0);
        double root = sqrt(a[k * n + k]);
        for (size_t i = k; i < n; i++)
            a[i * n + k] /= root;
    }
}

static void solve(const double *a, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++)
            x[i] -= a[i * n + k] * x[k];
        x[i] /= a[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            x[i] -= a[k * n + i] * x[k];
        x[i] /= a[i * n + i];
    }
}

/* The variance of the difference of two unknowns, by kind of noise. */
static void variance(const struct dense *d, size_t plus, size_t minus, double *of)
{
    double *x = calloc(d->n, sizeof *x);
    assert_non_null(x);
    x[plus] = 1;
    x[minus] -= 1;
    solve(d->normal, d->n, x);
    for (int kind = 0; kind < NOISES; kind++)
        for (size_t i = 0; i < d->n; i++)
            for (size_t k = 0; k < d->n; k++)
                of[kind] += x[i] * d->noise[kind][i * d->n + k] * x[k];
    free(x);
}

/* By how much the variance of n rows about their fit is too small: the unknowns take the trace of covariance times
 * noise, and each pair a delay. */
static double fitted(const struct dense *d, const struct problem *p)
{
    double n = 0, taken = 0, *x = malloc(d->n * sizeof *x);
    assert_non_null(x);
    for (uint32_t i = 0; i < p->n_rows; i++)
        n += p->row[i].weight * pow(p->of_pair[p->row[i].pair].scatter, 2);
    for (size_t i = 0; i < d->n; i++) {
        for (size_t k = 0; k < d->n; k++)
            x[k] = d->noise[ROWS][k * d->n + i];
        solve(d->normal, d->n, x);
        taken += x[i] / (1.36 * 1.36);
    }
    free(x);
    return n / (n - taken - p->noise[0].settled);
}

/* The mean ratio of the samples' likely errors to those of the dense matrix, over the clocks but the reference.
 * `stiffer`: bends are expected to be so many times smaller than found; then messages determine few of them, and the
 * samples' grid is coarser. *floats: are delays unknown? Student's t of 8 samples of a correction is near 2.2. */
static double ratio_of(int ways, int measured, uint32_t gaps, double stiffer, int *floats)
{
    struct bounds *b = ring(ways, measured);
    struct settings settings = {.most_gaps = gaps,
                                .memory = 1 << 24,
                                .measured_error = 1000,
                                .drift_rate = 1e-7,
                                .most_rate = 5e-5};
    struct problem p;
    struct network w;
    double sum = 0, change;
    assert_int_equal(problem_init(&p, b, &settings), 0);
    assert_int_equal(problem_solve(&p), 0);
    assert_int_equal(p.grid.gaps, gaps);
    for (size_t i = 0; i < CLOCKS * ((size_t)gaps + 1); i++)
        p.bend[i] /= stiffer;
    assert_int_equal(least_squares_step(&p, 200, &change), 0);
    assert_int_equal(equations_init(&w, &p), 0);
    struct dense d = {.n = w.n};
    d.normal = calloc(w.n * w.n, sizeof *d.normal);
    for (int kind = 0; kind < NOISES; kind++)
        assert_non_null(d.noise[kind] = calloc(w.n * w.n, sizeof *d.normal));
    d.row = calloc(w.n, sizeof *d.row);
    assert_true(d.normal && d.row);
    fill(&d, &w);
    factorise(d.normal, w.n);
    double wider = fitted(&d, &p);
    uint32_t rows = p.n_rows;
    assert_int_equal(likely_compute(&p), 0);
    assert_true(stiffer > 1 ? p.n_rows <= rows / 2 : p.n_rows == rows);
    for (uint32_t u = 1; u < CLOCKS; u++) {
        double of[NOISES] = {0};
        for (uint32_t k = 0; k < w.knots; k++)
            variance(&d, u * w.knots + k, k, of);
        sum += sqrt(p.likely[u] / ((wider * (of[ROWS] + of[DELAYS]) + of[PRIORS]) / w.knots)) / (CLOCKS - 1);
    }
    *floats = p.of_pair[0].floats;
    free(d.normal);
    for (int kind = 0; kind < NOISES; kind++)
        free(d.noise[kind]);
    free(d.row);
    equations_free(&w);
    problem_free(&p);
    bounds_free(b);
    return sum / 2.2;
}

static void like_the_covariance(void **unused)
{
    (void)unused;
    for (int ways = 1; ways <= 2; ways++)
        for (int measured = 0; measured < 2; measured++) {
            int floats;
            double ratio = ratio_of(ways, measured, 16, 1, &floats);
            assert_int_equal(floats, ways == 1);
            if (!(ratio > 0.8 && ratio < 1.25))
                fail_msg("%d ways, measured %d: %g times as large", ways, measured, ratio);
        }
}

/* Of a grid on which messages determine few bends, the samples have a coarser one. */
static void of_a_fine_grid(void **unused)
{
    (void)unused;
    for (int ways = 1; ways <= 2; ways++) {
        int floats;
        double ratio = ratio_of(ways, 1, 64, 50, &floats);
        if (!(ratio > 0.8 && ratio < 1.25))
            fail_msg("%d ways: %g times as large", ways, ratio);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(like_the_covariance), cmocka_unit_test(of_a_fine_grid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
