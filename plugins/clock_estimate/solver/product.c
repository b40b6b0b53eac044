/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The product of the normal matrix and a vector. Each part of the clocks gets its values from all rows that touch it,
 * in their order: a row between two parts is read for both. What parts have in common, delays and the begins of
 * collectives, is added behind them. So the product is the same, bit for bit, however many parts there are. */
#include "equations.h"

#include <string.h>

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

struct product {
    const struct network *w;
    const double *x;
    double *y;
    double of_block[BLOCKS]; /* x A x, of its clocks */
};

/* Rows of a pair whose delay is off by `delay`: adds A x to the clocks of `sides`. Returns the sum for the delay's own
 * equation. */
static inline __attribute__((always_inline)) double multiply_rows(const struct product *m, const struct group *g,
                                                                  double delay, uint32_t sides)
{
    const struct equation *e = m->w->equation + g->first, *end = m->w->equation + g->end;
    const double *x = m->x;
    double *y = m->y, sum = 0;
    struct gets from = {.y = y + e->from}, to = {.y = y + e->to};
    for (; e < end; e++) {
        double v = (value_at(x + e->to, e->to_part) - value_at(x + e->from, e->from_part) - delay) * e->weight;
        if (sides & SHARE_FROM) {
            if (y + e->from != from.y)
                turn_to(&from, y + e->from);
            give(&from, (double)e->from_part, -v);
        }
        if (sides & SHARE_TO) {
            if (y + e->to != to.y)
                turn_to(&to, y + e->to);
            give(&to, (double)e->to_part, v);
        }
        sum += v;
    }
    if (sides & SHARE_FROM)
        turn_to(&from, y);
    if (sides & SHARE_TO)
        turn_to(&to, y);
    return sum;
}

static void multiply_pair(const struct product *m, const struct share *s)
{
    const struct group *g = &m->w->group[s->group];
    const double delay = g->lever.sign * m->x[g->lever.at];
    const double sum = s->sides == (SHARE_FROM | SHARE_TO) ? multiply_rows(m, g, delay, SHARE_FROM | SHARE_TO)
                       : s->sides == SHARE_FROM            ? multiply_rows(m, g, delay, SHARE_FROM)
                                                           : multiply_rows(m, g, delay, SHARE_TO);
    if (s->sides & SHARE_FROM)
        m->w->sum[s->group] = sum;
}

/* What collectives' begins are off by. */
static void find_sent(const struct product *m)
{
    const struct network *w = m->w;
    const struct group *g = w->group + w->n_groups - w->n_collectives;
    for (uint32_t c = 0; c < w->n_collectives; c++) {
        const struct equation *e = &w->equation[g[c].first]; /* all have the same begin */
        w->sent[c] = value_at(m->x + e->from, e->from_part) + g[c].lever.sign * m->x[g[c].lever.at];
    }
}

/* Rows of all collectives with a block's clocks, one clock after another: a collective alone would fetch a line of each
 * clock. */
static void multiply_endings(const struct product *m, uint32_t block)
{
    const struct network *w = m->w;
    double *y = m->y, *sum = w->sum_of_block + (size_t)block * w->n_collectives;
    struct gets to = {.y = y};
    memset(sum, 0, w->n_collectives * sizeof *sum);
    if (w->first_ending[block] == w->first_ending[block + 1])
        return;
    to.y = y + w->ending[w->first_ending[block]].to;
    for (uint32_t i = w->first_ending[block]; i < w->first_ending[block + 1]; i++) {
        const struct ending *e = &w->ending[i];
        double v = (value_at(m->x + e->to, e->to_part) - w->sent[e->collective]) * e->weight;
        if (y + e->to != to.y)
            turn_to(&to, y + e->to);
        give(&to, (double)e->to_part, v);
        sum[e->collective] += v;
    }
    turn_to(&to, y);
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

/* Several sums at a time, since each addition waits for the one before. */
double network_dot(const double *a, const double *b, size_t n)
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

static void multiply_part(void *data, uint32_t k)
{
    struct product *m = data;
    const struct network *w = m->w;
    const struct part *part = &w->part[k];
    const size_t first = (size_t)network_block(w, part->first) * w->knots,
                 end = (size_t)network_block(w, part->end) * w->knots;
    memset(m->y + first, 0, (end - first) * sizeof *m->y);
    for (uint32_t block = part->first; block < part->end; block++)
        multiply_endings(m, block);
    for (uint32_t i = part->first_share; i < part->end_share; i++)
        multiply_pair(m, &w->share[i]);
    for (uint32_t block = part->first; block < part->end; block++) {
        const uint32_t unit = network_block(w, block), last = network_block(w, block + 1);
        for (uint32_t u = unit; u < last; u++)
            network_smooth(w, u, 1, m->x, m->y);
        m->of_block[block] = network_dot(m->x + (size_t)unit * w->knots, m->y + (size_t)unit * w->knots,
                                         (size_t)(last - unit) * w->knots);
    }
}

/* Rows of collectives give to the clocks where these begin. Returns x A x of that. */
static double multiply_begins(const struct product *m)
{
    const struct network *w = m->w;
    const struct group *g = w->group + w->n_groups - w->n_collectives;
    double product = 0, *sums = w->sum + w->n_groups - w->n_collectives;
    for (uint32_t c = 0; c < w->n_collectives; c++) {
        const struct equation *e = &w->equation[g[c].first];
        double sum = 0;
        for (uint32_t block = 0; block < BLOCKS; block++)
            sum += w->sum_of_block[(size_t)block * w->n_collectives + c];
        m->y[e->from] -= (1 - (double)e->from_part) * sum;
        m->y[e->from + 1] -= (double)e->from_part * sum;
        product -= sum * value_at(m->x + e->from, e->from_part);
        sums[c] = sum;
    }
    return product;
}

static double multiply_anchors(const struct product *m)
{
    const struct network *w = m->w;
    double product = 0;
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double apart = network_at(m->x, w, a->unit, &a->place) - network_at(m->x, w, a->origin, &a->place);
        network_add(m->y, w, a->unit, &a->place, a->weight * apart);
        network_add(m->y, w, a->origin, &a->place, -a->weight * apart);
        product += a->weight * apart * apart;
    }
    return product;
}

static double multiply_delays(const struct product *m)
{
    const struct network *w = m->w;
    const double *x = m->x;
    double *y = m->y;
    memset(y + w->delays, 0, (w->n - w->delays) * sizeof *y);
    for (uint32_t i = 0; i < w->n_groups; i++) {
        struct lever l = w->group[i].lever;
        double v = l.weight * (x[l.at] - (l.usual ? x[l.usual] : 0));
        y[l.at] += v - l.sign * w->sum[i];
        if (l.usual)
            y[l.usual] -= v;
    }
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] += w->class_weight[c] * x[w->classes + c];
    return network_dot(x + w->delays, y + w->delays, w->n - w->delays);
}

double network_multiply(const struct network *w, const double *x, double *y)
{
    struct product m = {.w = w, .x = x, .y = y};
    double product = 0;
    find_sent(&m);
    network_divide(w, multiply_part, &m, w->n_parts);
    for (uint32_t block = 0; block < BLOCKS; block++)
        product += m.of_block[block];
    product += multiply_begins(&m) + multiply_anchors(&m) + multiply_delays(&m);
    network_clear_fixed(w, y);
    return product;
}
