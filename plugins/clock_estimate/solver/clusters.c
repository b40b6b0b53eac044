/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See clusters.h. Two clusters with a strong tie are merged again and again; the result counts as a level if the ties
 * between its clusters weigh much less than those of the last level. The equations of a cluster are those of its
 * clocks, which all move alike (aggregation); the preconditioner adds the solutions of the levels (Bramble, Pasciak and
 * Xu). */
#include "clusters.h"
#include "bands.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CLUSTER = UINT32_MAX };

/* The most weight of the ties between the clusters of a level, as a fraction of that of the level before. */
static const double most_left = 0.5;

/* The neighbours of each cluster, one after another. */
struct neighbours {
    uint32_t n;
    size_t *first; /* n + 1 */
    uint32_t *to;
    double *weight;
};

/* The clusters under construction; arrays have room for all clocks. */
struct making {
    struct tie *tie;
    size_t n_ties;
    struct neighbours near;
    double *sum;    /* by cluster: scratch, all 0 */
    uint32_t *next; /* by cluster: the cluster that it becomes a part of */
    uint32_t *of;   /* by cluster of the last level: the present cluster that it is part of */
    uint32_t n, n_of;
};

static void making_free(struct making *m)
{
    free(m->tie);
    free(m->near.first);
    free(m->near.to);
    free(m->near.weight);
    free(m->sum);
    free(m->next);
    free(m->of);
}

static int making_init(struct making *m, uint32_t n, const struct tie *tie, size_t n_ties)
{
    *m = (struct making){.tie = malloc((n_ties + 1) * sizeof *m->tie),
                         .n_ties = n_ties,
                         .near = {.first = malloc(((size_t)n + 2) * sizeof *m->near.first),
                                  .to = malloc((2 * n_ties + 1) * sizeof *m->near.to),
                                  .weight = malloc((2 * n_ties + 1) * sizeof *m->near.weight)},
                         .sum = calloc((size_t)n + 1, sizeof *m->sum),
                         .next = malloc(((size_t)n + 1) * sizeof *m->next),
                         .of = malloc(((size_t)n + 1) * sizeof *m->of),
                         .n = n,
                         .n_of = n};
    if (!m->tie || !m->near.first || !m->near.to || !m->near.weight || !m->sum || !m->next || !m->of)
        return -1;
    memcpy(m->tie, tie, n_ties * sizeof *tie);
    for (uint32_t i = 0; i < n; i++)
        m->of[i] = i;
    return 0;
}

static void add_neighbour(struct neighbours *g, uint32_t from, uint32_t to, double weight)
{
    size_t at = --g->first[from];
    g->to[at] = to;
    g->weight[at] = weight;
}

/* Merges the entries of equal neighbours. */
static void unite_entries(struct neighbours *g, double *sum)
{
    size_t kept = 0, i = 0;
    for (uint32_t a = 0; a < g->n; a++) {
        size_t first = kept, end = g->first[a + 1];
        for (; i < end; i++) {
            uint32_t b = g->to[i];
            if (sum[b] == 0)
                g->to[kept++] = b;
            sum[b] += g->weight[i];
        }
        g->first[a] = first;
        for (size_t k = first; k < kept; k++) {
            g->weight[k] = sum[g->to[k]];
            sum[g->to[k]] = 0;
        }
    }
    g->first[g->n] = kept;
}

static void find_neighbours(struct making *m)
{
    struct neighbours *g = &m->near;
    g->n = m->n;
    memset(g->first, 0, ((size_t)g->n + 1) * sizeof *g->first);
    for (size_t i = 0; i < m->n_ties; i++) {
        g->first[m->tie[i].a]++;
        g->first[m->tie[i].b]++;
    }
    for (uint32_t a = 1; a <= g->n; a++)
        g->first[a] += g->first[a - 1]; /* the end, until entries are added */
    for (size_t i = m->n_ties; i-- > 0;) {
        add_neighbour(g, m->tie[i].a, m->tie[i].b, m->tie[i].weight);
        add_neighbour(g, m->tie[i].b, m->tie[i].a, m->tie[i].weight);
    }
    unite_entries(g, m->sum);
}

/* The neighbour with the strongest tie to `a`, of those that are free, or of all. */
static uint32_t closest(const struct making *m, uint32_t a, int of_all)
{
    const struct neighbours *g = &m->near;
    uint32_t best = NO_CLUSTER;
    double most = 0;
    for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
        uint32_t b = g->to[i];
        if ((of_all || m->next[b] == NO_CLUSTER) && (g->weight[i] > most || (g->weight[i] == most && b < best))) {
            most = g->weight[i];
            best = b;
        }
    }
    return best;
}

/* Makes pairs; a cluster without a free neighbour joins the pair with the strongest tie. Returns the number of sets. */
static uint32_t make_pairs(struct making *m)
{
    uint32_t n = 0;
    memset(m->next, 0xff, m->n * sizeof *m->next);
    for (uint32_t a = 0; a < m->n; a++) {
        if (m->next[a] != NO_CLUSTER)
            continue;
        uint32_t b = closest(m, a, 0);
        if (b != NO_CLUSTER)
            m->next[a] = m->next[b] = n++;
    }
    for (uint32_t a = 0; a < m->n; a++)
        if (m->next[a] == NO_CLUSTER) {
            uint32_t b = closest(m, a, 1);
            m->next[a] = b != NO_CLUSTER ? m->next[b] : n++;
        }
    return n;
}

/* Merges the clusters into those of m->next. Returns the weight of the ties between them. */
static double merge(struct making *m, uint32_t n)
{
    const struct neighbours *g = &m->near;
    double left = 0;
    m->n_ties = 0;
    for (uint32_t a = 0; a < m->n; a++)
        for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
            uint32_t b = g->to[i];
            if (a > b || m->next[a] == m->next[b])
                continue;
            m->tie[m->n_ties++] = (struct tie){m->next[a], m->next[b], g->weight[i]};
            left += g->weight[i];
        }
    for (uint32_t i = 0; i < m->n_of; i++)
        m->of[i] = m->next[m->of[i]];
    m->n = n;
    return left;
}

static int add_level(struct clusters *c, struct making *m)
{
    struct cluster_level *l = &c->level[c->n_levels++];
    size_t values = (size_t)m->n * c->knots;
    *l = (struct cluster_level){.n = m->n,
                                .of = malloc(((size_t)m->n_of + 1) * sizeof *l->of),
                                .alone = malloc((size_t)m->n + 1),
                                .band = calloc(BAND * values + 2 * BAND, sizeof *l->band),
                                .x = malloc((values + 1) * sizeof *l->x)};
    if (!l->of || !l->alone || !l->band || !l->x)
        return -1;
    memcpy(l->of, m->of, m->n_of * sizeof *l->of);
    memset(l->alone, 1, m->n);
    for (size_t i = 0; i < m->n_ties; i++)
        l->alone[m->tie[i].a] = l->alone[m->tie[i].b] = 0;
    for (uint32_t i = 0; i < m->n; i++)
        m->of[i] = i;
    m->n_of = m->n;
    return 0;
}

static int find_levels(struct clusters *c, struct making *m)
{
    double last = 0;
    for (size_t i = 0; i < m->n_ties; i++)
        last += m->tie[i].weight;
    while (c->n_levels < MOST_LEVELS) {
        find_neighbours(m);
        uint32_t n = make_pairs(m);
        if (n == m->n)
            return 0;
        double left = merge(m, n);
        if (!(left > 0))
            return 0;
        if (left > most_left * last)
            continue;
        if (add_level(c, m) != 0)
            return -1;
        last = left;
    }
    return 0;
}

int clusters_init(struct clusters *c, uint32_t n_clocks, uint32_t knots, const struct tie *tie, size_t n_ties)
{
    struct making m;
    *c = (struct clusters){.n_clocks = n_clocks, .knots = knots};
    int status = making_init(&m, n_clocks, tie, n_ties) == 0 ? find_levels(c, &m) : -1;
    making_free(&m);
    return status;
}

void clusters_free(struct clusters *c)
{
    for (uint32_t i = 0; i < c->n_levels; i++) {
        free(c->level[i].of);
        free(c->level[i].alone);
        free(c->level[i].band);
        free(c->level[i].x);
    }
    c->n_levels = 0;
}

uint32_t clusters_meet(const struct clusters *c, uint32_t a, uint32_t b, uint32_t *cluster)
{
    uint32_t level = 0;
    for (; level < c->n_levels; level++) {
        a = c->level[level].of[a];
        b = c->level[level].of[b];
        if (a == b)
            break;
    }
    *cluster = a;
    return level;
}

/* Adds the values of each of n clusters to those of the cluster that it is part of. */
static void sum_up(uint32_t n, const uint32_t *of, size_t values, const double *x, double *y)
{
    for (uint32_t i = 0; i < n; i++) {
        double *to = y + of[i] * values;
        for (size_t k = 0; k < values; k++)
            to[k] += x[i * values + k];
    }
}

void clusters_factorise(struct clusters *c, const double *band)
{
    uint32_t n = c->n_clocks;
    for (uint32_t i = 0; i < c->n_levels; i++) {
        struct cluster_level *l = &c->level[i];
        sum_up(n, l->of, BAND * (size_t)c->knots, band, l->band);
        n = l->n;
        band = l->band;
    }
    for (uint32_t i = 0; i < c->n_levels; i++)
        for (uint32_t k = 0; k < c->level[i].n; k++) {
            double *b = c->level[i].band + BAND * (size_t)k * c->knots;
            band_loosen(b, c->knots);
            band_factorise(b, c->knots);
        }
}

/* The k-th of n parts of a number of things. */
static uint32_t part_of(uint32_t things, uint32_t k, uint32_t n)
{
    return (uint32_t)((uint64_t)things * k / n);
}

void clusters_sum_up(const struct clusters *c, const double *x, uint32_t k, uint32_t n)
{
    const uint32_t first = part_of(c->knots, k, n), end = part_of(c->knots, k + 1, n);
    uint32_t parts = c->n_clocks;
    for (uint32_t i = 0; i < c->n_levels; x = c->level[i].x, parts = c->level[i].n, i++) {
        const struct cluster_level *l = &c->level[i];
        for (uint32_t j = 0; j < l->n; j++)
            memset(l->x + (size_t)j * c->knots + first, 0, (end - first) * sizeof *l->x);
        for (uint32_t j = 0; j < parts; j++) {
            double *to = l->x + (size_t)l->of[j] * c->knots;
            const double *from = x + (size_t)j * c->knots;
            for (uint32_t at = first; at < end; at++)
                to[at] += from[at];
        }
    }
}

void clusters_find(const struct clusters *c, uint32_t k, uint32_t n)
{
    for (uint32_t i = 0; i < c->n_levels; i++) {
        const struct cluster_level *l = &c->level[i];
        const uint32_t first = part_of(l->n, k, n), end = part_of(l->n, k + 1, n);
        bands_solve(l->band + BAND * (size_t)first * c->knots, c->knots, end - first, l->x + (size_t)first * c->knots);
        for (uint32_t j = first; j < end; j++)
            if (l->alone[j])
                memset(l->x + (size_t)j * c->knots, 0, c->knots * sizeof *l->x);
    }
}

void clusters_hand_down(const struct clusters *c, double *y, uint32_t k, uint32_t n)
{
    const uint32_t first = part_of(c->knots, k, n), end = part_of(c->knots, k + 1, n);
    for (uint32_t i = c->n_levels; i-- > 0;) {
        const struct cluster_level *l = &c->level[i];
        const uint32_t parts = i > 0 ? c->level[i - 1].n : c->n_clocks;
        double *x = i > 0 ? c->level[i - 1].x : y;
        for (uint32_t j = 0; j < parts; j++) {
            const double *found = l->x + (size_t)l->of[j] * c->knots;
            double *to = x + (size_t)j * c->knots;
            for (uint32_t at = first; at < end; at++)
                to[at] += found[at];
        }
    }
}
