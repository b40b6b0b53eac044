/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clusters of clocks: which there are, and what they find, beside dense matrices that are put together from each
 * equation by itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../plugins/clock_estimate/solver/bands.h"
#include "../../../plugins/clock_estimate/solver/clusters.h"

enum { KNOTS = 6, MOST_CLOCKS = 256, MOST_EQUATIONS = 1024 };

struct equation {
    uint32_t clock[2], at[2];
    float part[2];
    double weight;
};

/* Clocks and the equations between them; nothing holds a clock but those and its smoothness. */
struct network {
    uint32_t n_clocks, n;
    struct equation equation[MOST_EQUATIONS];
    double rate_weight, bend_weight[KNOTS];
};

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

static void tie(struct network *w, uint32_t a, uint32_t b, double weight)
{
    assert_true(w->n < MOST_EQUATIONS);
    struct equation *e = &w->equation[w->n++];
    *e = (struct equation){{a, b}, {below(KNOTS - 1), below(KNOTS - 1)}, {0, 0}, weight};
    e->part[0] = (float)below(1000) / 1000;
    e->part[1] = (float)below(1000) / 1000;
}

static struct network *new_network(uint32_t n_clocks)
{
    struct network *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->n_clocks = n_clocks;
    w->rate_weight = 0.5;
    for (uint32_t k = 0; k < KNOTS; k++)
        w->bend_weight[k] = 1 + k;
    return w;
}

static struct network *chain(uint32_t n_clocks)
{
    struct network *w = new_network(n_clocks);
    for (uint32_t i = 0; i + 1 < n_clocks; i++)
        tie(w, i, i + 1, 4);
    return w;
}

static struct network *everybody(uint32_t n_clocks)
{
    struct network *w = new_network(n_clocks);
    for (uint32_t a = 0; a < n_clocks; a++)
        for (uint32_t b = a + 1; b < n_clocks; b++)
            tie(w, a, b, 1);
    return w;
}

/* Chains with some shortcuts, weights from 1 to 16; `parts` of them tied to nobody else. */
static struct network *anything(uint32_t n_clocks, uint32_t parts, uint32_t shortcuts)
{
    struct network *w = new_network(n_clocks);
    for (uint32_t i = parts; i < n_clocks; i++)
        tie(w, i, i - parts, 1 + below(16));
    for (uint32_t i = 0; i < shortcuts; i++) {
        uint32_t a = below(n_clocks), b = below(n_clocks / parts) * parts + a % parts;
        if (b < n_clocks && a != b)
            tie(w, a, b, 1 + below(16));
    }
    return w;
}

static void find(const struct network *w, struct clusters *c, int backwards)
{
    struct tie *ties = malloc((w->n + 1) * sizeof *ties);
    assert_non_null(ties);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct equation *e = &w->equation[backwards ? w->n - 1 - i : i];
        ties[i] = (struct tie){e->clock[backwards], e->clock[!backwards], e->weight};
    }
    assert_int_equal(clusters_init(c, w->n_clocks, KNOTS, ties, w->n), 0);
    free(ties);
}

/* The cluster of a clock on a level. */
static uint32_t cluster_of(const struct clusters *c, uint32_t level, uint32_t clock)
{
    for (uint32_t i = 0; i <= level; i++)
        clock = c->level[i].of[clock];
    return clock;
}

static void factorise(const struct network *w, struct clusters *c)
{
    double *band = calloc(BAND * (size_t)w->n_clocks * KNOTS + 2 * BAND, sizeof *band);
    assert_non_null(band);
    for (uint32_t u = 0; u < w->n_clocks; u++)
        band_add_smoothness(band + BAND * (size_t)u * KNOTS, KNOTS, w->rate_weight, w->bend_weight);
    for (uint32_t i = 0; i < w->n; i++) {
        const struct equation *e = &w->equation[i];
        uint32_t cluster, level = clusters_meet(c, e->clock[0], e->clock[1], &cluster);
        for (int end = 0; end < 2; end++) {
            band_add(band + BAND * (size_t)e->clock[end] * KNOTS, e->at[end], e->part[end], e->weight);
            if (level < c->n_levels)
                band_add(c->level[level].band + BAND * (size_t)cluster * KNOTS, e->at[end], e->part[end], -e->weight);
        }
    }
    clusters_factorise(c, band);
    free(band);
}

/* ---------------------------------------------------------------------------------------------------- the oracle -- */

typedef double matrix[KNOTS][KNOTS];

static void add_square(matrix a, const double *row, double weight)
{
    for (uint32_t i = 0; i < KNOTS; i++)
        for (uint32_t k = 0; k < KNOTS; k++)
            a[i][k] += weight * row[i] * row[k];
}

/* x becomes the solution: Gauss. */
static void solve(matrix a, double *x)
{
    for (uint32_t i = 0; i < KNOTS; i++)
        for (uint32_t k = i + 1; k < KNOTS; k++) {
            double f = a[k][i] / a[i][i];
            for (uint32_t j = i; j < KNOTS; j++)
                a[k][j] -= f * a[i][j];
            x[k] -= f * x[i];
        }
    for (uint32_t i = KNOTS; i-- > 0;) {
        for (uint32_t j = i + 1; j < KNOTS; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
}

/* What a cluster finds; 0 if no equation ties it to others. */
static void solve_cluster(const struct network *w, const struct clusters *c, uint32_t level, uint32_t cluster,
                          const double *x, double *found)
{
    matrix a = {{0}};
    uint32_t outside = 0;
    memset(found, 0, KNOTS * sizeof *found);
    for (uint32_t u = 0; u < w->n_clocks; u++) {
        if (cluster_of(c, level, u) != cluster)
            continue;
        for (uint32_t k = 0; k < KNOTS; k++)
            found[k] += x[u * KNOTS + k];
        for (uint32_t k = 0; k + 1 < KNOTS; k++) {
            double rate[KNOTS] = {0}, bend[KNOTS] = {0};
            rate[k] = -1, rate[k + 1] = 1;
            add_square(a, rate, w->rate_weight);
            if (k > 0) {
                bend[k - 1] = bend[k + 1] = 1, bend[k] = -2;
                add_square(a, bend, w->bend_weight[k]);
            }
        }
    }
    for (uint32_t i = 0; i < w->n; i++) {
        const struct equation *e = &w->equation[i];
        uint32_t of[2] = {cluster_of(c, level, e->clock[0]), cluster_of(c, level, e->clock[1])};
        for (int end = 0; end < 2 && of[0] != of[1]; end++)
            if (of[end] == cluster) {
                double row[KNOTS] = {0};
                row[e->at[end]] = 1 - (double)e->part[end];
                row[e->at[end] + 1] = (double)e->part[end];
                add_square(a, row, e->weight);
                outside++;
            }
    }
    if (outside > 0)
        solve(a, found);
    else
        memset(found, 0, KNOTS * sizeof *found);
}

static void compare(const struct network *w, struct clusters *c)
{
    size_t n = (size_t)w->n_clocks * KNOTS;
    double *x = malloc(n * sizeof *x), *y = calloc(n, sizeof *y), *expected = calloc(n, sizeof *expected), most = 0;
    assert_true(x && y && expected);
    for (size_t i = 0; i < n; i++)
        x[i] = (double)below(2001) - 1000;
    factorise(w, c);
    for (uint32_t k = 0; k < 3; k++)
        clusters_sum_up(c, x, k, 3);
    for (uint32_t k = 0; k < 3; k++)
        clusters_find(c, k, 3);
    for (uint32_t k = 0; k < 3; k++)
        clusters_hand_down(c, y, k, 3);
    for (uint32_t level = 0; level < c->n_levels; level++)
        for (uint32_t cluster = 0; cluster < c->level[level].n; cluster++) {
            double found[KNOTS];
            solve_cluster(w, c, level, cluster, x, found);
            for (uint32_t u = 0; u < w->n_clocks; u++)
                for (uint32_t k = 0; k < KNOTS && cluster_of(c, level, u) == cluster; k++)
                    expected[u * KNOTS + k] += found[k];
        }
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(y[i] - expected[i]) <= 1e-6 * most);
    free(x);
    free(y);
    free(expected);
}

/* --------------------------------------------------------------------------------------------------------- tests -- */

static void solutions(void **unused)
{
    (void)unused;
    uint32_t levels = 0;
    for (uint32_t seed = 1; seed <= 50; seed++) {
        state = seed;
        struct network *w = anything(2 + below(60), 1 + seed % 2, below(40));
        struct clusters c;
        find(w, &c, 0);
        compare(w, &c);
        levels += c.n_levels;
        clusters_free(&c);
        free(w);
    }
    assert_true(levels > 50);
}

/* Neighbours meet, level by level; each has about half of the clusters of the one before. */
static void a_chain(void **unused)
{
    (void)unused;
    struct network *w = chain(MOST_CLOCKS);
    struct clusters c;
    find(w, &c, 0);
    assert_int_equal(c.n_levels, 7);
    for (uint32_t level = 0; level < c.n_levels; level++) {
        assert_int_equal(c.level[level].n, MOST_CLOCKS >> (level + 1));
        for (uint32_t u = 0; u < MOST_CLOCKS; u++)
            assert_int_equal(cluster_of(&c, level, u), u >> (level + 1));
    }
    uint32_t cluster;
    assert_int_equal(clusters_meet(&c, 0, 1, &cluster), 0);
    assert_int_equal(clusters_meet(&c, 5, 7, &cluster), 1);
    assert_int_equal(cluster, 1);
    assert_int_equal(clusters_meet(&c, 127, 128, &cluster), c.n_levels);
    clusters_free(&c);
    free(w);
}

/* Where everybody is tied to everybody no cluster is much less tied to others than its clocks are. */
static void no_levels(void **unused)
{
    (void)unused;
    struct network *w = everybody(32);
    struct clusters c;
    find(w, &c, 0);
    for (uint32_t i = 0; i < c.n_levels; i++)
        assert_true(c.level[i].n <= 2);
    compare(w, &c);
    clusters_free(&c);
    free(w);

    w = new_network(9); /* nobody is tied to anybody */
    find(w, &c, 0);
    assert_int_equal(c.n_levels, 0);
    clusters_free(&c);
    free(w);
}

/* A tie may be there several times, from either side, at any place. */
static void any_order(void **unused)
{
    (void)unused;
    for (uint32_t seed = 1; seed <= 50; seed++) {
        state = seed;
        struct network *w = anything(2 + below(200), 1 + seed % 3, below(300));
        struct clusters a, b;
        find(w, &a, 0);
        find(w, &b, 1);
        assert_int_equal(a.n_levels, b.n_levels);
        for (uint32_t level = 0; level < a.n_levels; level++)
            for (uint32_t u = 0; u < w->n_clocks; u++)
                assert_int_equal(cluster_of(&a, level, u), cluster_of(&b, level, u));
        clusters_free(&a);
        clusters_free(&b);
        free(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions),
        cmocka_unit_test(a_chain),
        cmocka_unit_test(no_levels),
        cmocka_unit_test(any_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
