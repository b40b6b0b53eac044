/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The bounds as equations: the tightest message of each pair and interval under the corrections so far, how far it is
 * to be trusted, and what its slack ought to be. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------------- grid -- */

struct place grid_place(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    uint32_t k = part_at(x, g->gaps);
    return (struct place){k, (float)(x - k)};
}

double grid_value(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    uint32_t k = part_at(x, g->gaps);
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + k;
    return z[0] + (x - k) * (z[1] - z[0]);
}

enum { COLLECTIVES_AN_INTERVAL = 2, SKIMMED = 16 /* messages a pair and interval */ };

/* Room for n rows. -1: out of memory. */
static int reserve_rows(struct problem *p, uint64_t n)
{
    if (n <= p->row_capacity)
        return 0;
    struct row *grown = n <= UINT32_MAX ? realloc(p->row, n * sizeof *grown) : NULL;
    if (!grown)
        return -1;
    p->row = grown;
    p->row_capacity = (uint32_t)n;
    return 0;
}

static struct row *add_row(struct problem *p)
{
    if (p->n_rows == p->row_capacity && reserve_rows(p, 2 * (uint64_t)p->row_capacity) != 0)
        return NULL;
    return &p->row[p->n_rows++];
}

/* How a pair's messages fall into intervals. */
struct reading {
    double start, per_step, per_gap;
    uint32_t intervals, stride;
};

static struct reading reading_of(const struct problem *p, const struct pair *q)
{
    const uint32_t intervals = p->intervals, skimmed = SKIMMED * intervals;
    return (struct reading){.start = p->grid.start[q->from],
                            .per_step = p->grid.per_step,
                            .per_gap = (double)intervals / p->grid.gaps,
                            .intervals = intervals,
                            .stride = p->skimming && q->n > skimmed ? q->n / skimmed : 1};
}

/* In gaps since the start of the grid. */
static inline double place_in(const struct reading *r, const struct point *point)
{
    return ((double)point->sent - r->start) * r->per_step;
}

static inline uint32_t interval_in(const struct reading *r, double place)
{
    return part_at(place * r->per_gap, r->intervals);
}

static uint32_t count_rows(const struct problem *p, const struct pair *q)
{
    const struct reading r = reading_of(p, q);
    uint32_t n = 0, last = UINT32_MAX;
    for (uint32_t k = 0; k < q->n; k += r.stride) {
        uint32_t interval = interval_in(&r, place_in(&r, &q->point[k]));
        n += interval != last;
        last = interval;
    }
    return n;
}

/* The rows of one pair: the tightest message of each interval. */
static void find_rows(struct problem *p, uint32_t i)
{
    const struct grid *g = &p->grid;
    const struct pair *q = &p->b->pair[i];
    const struct reading r = reading_of(p, q);
    const double *z = g->z + (size_t)q->from * (g->gaps + 1), per_byte = p->per_byte[class_of(p, i)];
    struct row *row = p->row + p->first_row[i] - 1, *end = p->row + p->first_row[i + 1];
    uint32_t last = UINT32_MAX;
    for (uint32_t k = 0; k < q->n; k += r.stride) {
        const struct point *point = &q->point[k];
        double x = place_in(&r, point);
        uint32_t gap = part_at(x, g->gaps), interval = interval_in(&r, x);
        double slack = (double)bounds_delay(point) + grid_value(g, q->to, (double)point->received) -
                       (z[gap] + (x - gap) * (z[gap + 1] - z[gap]));
        if (per_byte > 0)
            slack -= per_byte * q->bytes[k];
        if (interval != last) {
            last = interval;
            *++row = (struct row){.from_unit = q->from,
                                  .to_unit = q->to,
                                  .pair = i,
                                  .class_ = class_of(p, i),
                                  .interval = interval,
                                  .slack = INFINITY};
        }
        if (slack < row->slack) {
            row->slack = slack;
            row->from = (struct place){gap, (float)(x - gap)};
            row->point = k;
        }
    }
    for (row = p->row + p->first_row[i]; row < end; row++)
        row->to = grid_place(g, q->to, (double)q->point[row->point].received);
}

static int is_left_out(const struct problem *p, uint32_t unit)
{
    return p->seeking && p->settled[p->component[unit]];
}

static uint32_t interval_at(const struct problem *p, uint32_t unit, double time, uint32_t intervals)
{
    const struct grid *g = &p->grid;
    double x = (time - g->start[unit]) * g->per_step * intervals / g->gaps;
    return part_at(x, intervals);
}

static int add_collective(struct problem *p, uint32_t collective, uint32_t interval)
{
    const struct collective *s = &p->b->collective[collective];
    const struct grid *g = &p->grid;
    double sent = (double)s->sent, z = grid_value(g, s->last, sent);
    struct place from = grid_place(g, s->last, sent);
    for (uint64_t k = s->first; k < s->first + s->n; k++) {
        const struct collective_end *e = &p->b->end[k];
        struct row *row = add_row(p);
        if (!row)
            return -1;
        double slack =
            (double)tcf_offset_difference(e->received, s->sent) + grid_value(g, e->unit, (double)e->received) - z;
        *row = (struct row){.from = from,
                            .to = grid_place(g, e->unit, (double)e->received),
                            .from_unit = s->last,
                            .to_unit = e->unit,
                            .pair = NO_PAIR,
                            .point = collective,
                            .class_ = COLLECTIVES,
                            .interval = interval,
                            .slack = slack};
    }
    return 0;
}

/* Evenly spread numbers: multiples of the golden section. Every n-th collective would not do, because it may always be
 * the same one of those that a program repeats. */
static uint32_t spread(uint32_t k)
{
    return k * 0x9e3779b9u;
}

/* Adds rows of the collectives of each interval, evenly selected, a few for each unit. Collectives are nearly in
 * order of time: in that of their senders, whose clocks differ. */
static int add_collectives(struct problem *p, uint32_t intervals)
{
    const struct bounds *b = p->b;
    uint64_t enough = (uint64_t)COLLECTIVES_AN_INTERVAL * b->n_units;
    for (uint32_t i = 0, end; i < b->n_collectives; i = end) {
        uint32_t interval = interval_at(p, b->collective[i].last, (double)b->collective[i].sent, intervals);
        uint64_t ends = 0;
        for (end = i; end < b->n_collectives &&
                      interval_at(p, b->collective[end].last, (double)b->collective[end].sent, intervals) == interval;)
            ends += b->collective[end++].n;
        uint32_t share = ends > enough ? (uint32_t)(0x1p32 * (double)enough / (double)ends) : UINT32_MAX;
        for (uint32_t k = i; k < end; k++)
            if (spread(k - i) <= share && !is_left_out(p, b->collective[k].last) && add_collective(p, k, interval) != 0)
                return -1;
    }
    return 0;
}

static void count_block(void *data, uint32_t block)
{
    struct problem *p = data;
    for (uint32_t i = problem_pair_block(p, block); i < problem_pair_block(p, block + 1); i++)
        p->first_row[i + 1] = p->bad[i] || is_left_out(p, p->b->pair[i].from) ? 0 : count_rows(p, &p->b->pair[i]);
}

static void find_block(void *data, uint32_t block)
{
    struct problem *p = data;
    for (uint32_t i = problem_pair_block(p, block); i < problem_pair_block(p, block + 1); i++)
        if (p->first_row[i] < p->first_row[i + 1])
            find_rows(p, i);
}

int problem_rows(struct problem *p, uint32_t intervals)
{
    uint64_t n = 0;
    p->intervals = intervals;
    problem_divide(p, count_block, p, PAIR_BLOCKS);
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        n += p->first_row[i + 1];
        p->work += p->first_row[i + 1] > 0 ? p->b->pair[i].n : 0;
        p->first_row[i + 1] = (uint32_t)n;
    }
    if (reserve_rows(p, n) != 0)
        return -1;
    problem_divide(p, find_block, p, PAIR_BLOCKS);
    p->n_rows = (uint32_t)n;
    if (add_collectives(p, intervals) != 0)
        return -1;
    p->work += p->n_rows;
    return 0;
}

int problem_coarser_rows(struct problem *p)
{
    uint32_t kept = 0;
    p->work += p->n_rows;
    for (uint32_t i = 0, k = 0; i < p->b->n_pairs; i++) {
        uint32_t first = kept;
        for (p->first_row[i] = first; k < p->first_row[i + 1]; k++) {
            struct row row = p->row[k];
            row.interval /= 2;
            if (kept == first || p->row[kept - 1].interval != row.interval)
                p->row[kept++] = row;
            else if (row.slack < p->row[kept - 1].slack)
                p->row[kept - 1] = row;
        }
    }
    p->first_row[p->b->n_pairs] = p->n_rows = kept;
    p->intervals /= 2;
    return add_collectives(p, p->intervals);
}

/* --------------------------------------------------------------------------------------------------------- trust -- */

static void swap(double *a, double *b)
{
    double c = *a;
    *a = *b;
    *b = c;
}

/* The k-th smallest, by Hoare's method; x changes its order. */
static double select_kth(double *x, int64_t n, int64_t k)
{
    for (int64_t low = 0, high = n - 1; low < high;) {
        double pivot = x[k];
        int64_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i <= j)
                swap(&x[i++], &x[j--]);
        }
        low = j < k ? i : low;
        high = k < i ? j : high;
    }
    return x[k];
}

double quantile(double *x, uint32_t n, double part)
{
    return n == 0 ? 0 : select_kth(x, n, (int64_t)(part * (n - 1)));
}

/* Over intervals with messages of both directions. The smallest sum is twice the least delay, whatever the corrections
 * are. */
uint32_t round_trips(struct problem *p, uint32_t pair, double *sum)
{
    uint32_t a = p->first_row[pair], a_end = p->first_row[pair + 1], n = 0;
    uint32_t reverse = p->b->pair[pair].reverse;
    if (reverse == NO_PAIR)
        return 0;
    for (uint32_t b = p->first_row[reverse]; a < a_end && b < p->first_row[reverse + 1];) {
        if (p->row[a].interval == p->row[b].interval)
            sum[n++] = p->row[a++].slack + p->row[b++].slack;
        else if (p->row[a].interval < p->row[b].interval)
            a++;
        else
            b++;
    }
    return n;
}
