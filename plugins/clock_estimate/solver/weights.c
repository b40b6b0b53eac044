/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The weight of each row in the least squares, and the slack that it should have.
 *
 * The time of an operation with a root depends on all members on the way, and the same members delay many of its
 * messages: their errors are alike, and all point from the root or to it. No weight of single rows mends that. So these
 * rows count only where other messages don't connect the two clocks as well. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>

/* The part of its distance by which a row above the delay, or below it, is uncertain. */
static const double above = 0.5, below = 0.125;
/* Parts of the run, in each of which two clocks are tied or not. */
enum { PARTS = 8 };

/* A slack below the delay contradicts the clocks; one above it may be late. */
static void weigh(struct row *row, uint32_t n, const struct noise *noise, const struct pair_delay *d)
{
    struct peak peak = peak_of(noise, d->scatter);
    double square = d->scatter * d->scatter;
    for (struct row *r = row; r < row + n; r++) {
        double excess = r->slack - d->delay, share = punctual(&peak, excess);
        double far = excess * (excess > 0 ? above : below);
        r->want = -excess;
        r->weight = share / (square + far * far);
    }
}

static void weigh_pair(struct problem *p, uint32_t i)
{
    weigh(p->row + p->first_row[i], p->first_row[i + 1] - p->first_row[i], &p->noise[class_of(p, i)], &p->of_pair[i]);
}

static void weigh_collectives(struct problem *p)
{
    const struct noise *noise = &p->noise[COLLECTIVES];
    struct pair_delay usual = {.delay = noise->delay, .scatter = noise->scatter};
    uint32_t first = p->first_row[p->b->n_pairs];
    weigh(p->row + first, p->n_rows - first, noise, &usual);
}

/* Squares of what slacks are below the delays, of rows with a weight. */
struct misfit {
    double squares, n;
};

static void add_misfit(struct misfit *m, const struct problem *p, uint32_t first, uint32_t end)
{
    for (const struct row *r = p->row + first; r < p->row + end; r++)
        if (r->want > 0 && r->weight > 0) {
            m->squares += r->want * r->want;
            m->n++;
        }
}

/* ---------------------------------------------------------------------------------------- operations with a root -- */

struct ties {
    uint32_t *tied_to; /* by unit and part: another unit that it is tied to, or itself */
    double least;      /* weight of a row that ties two clocks */
};

/* From a root, to one, or up a scan. */
static int is_rooted(const struct problem *p, uint32_t pair)
{
    uint32_t kind = class_of(p, pair) / 2;
    return kind == FROM_ROOT || kind == TO_ROOT || kind == SCAN;
}

static uint32_t part_of(const struct problem *p, const struct row *r)
{
    return (uint32_t)((uint64_t)r->interval * PARTS / p->intervals);
}

/* The pair's next row that ties the clocks, or its end. */
static uint32_t next_tie(const struct problem *p, const struct ties *t, uint32_t pair, uint32_t row)
{
    while (row < p->first_row[pair + 1] && p->row[row].weight < t->least)
        row++;
    return row;
}

/* Ties the two clocks in those parts of the run in which there are messages both ways. */
static void tie_pair(const struct problem *p, struct ties *t, uint32_t pair)
{
    const struct pair *q = &p->b->pair[pair];
    uint32_t a = next_tie(p, t, pair, p->first_row[pair]), b = next_tie(p, t, q->reverse, p->first_row[q->reverse]);
    while (a < p->first_row[pair + 1] && b < p->first_row[q->reverse + 1]) {
        uint32_t there = part_of(p, &p->row[a]), back = part_of(p, &p->row[b]);
        if (there == back)
            t->tied_to[set_of(t->tied_to, q->from * PARTS + there)] = set_of(t->tied_to, q->to * PARTS + there);
        a = there <= back ? next_tie(p, t, pair, a + 1) : a;
        b = back <= there ? next_tie(p, t, q->reverse, b + 1) : b;
    }
}

/* Weighs rows of operations with a root. Returns the mean weight; 0: there are none. */
static double weigh_rooted(struct problem *p)
{
    double sum = 0, n = 0;
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        if (!is_rooted(p, i))
            continue;
        weigh_pair(p, i);
        for (uint32_t k = p->first_row[i]; k < p->first_row[i + 1]; k++) {
            sum += p->row[k].weight;
            n += p->row[k].weight > 0;
        }
    }
    return n > 0 ? sum / n : 0;
}

struct weighing {
    struct problem *p;
    struct misfit misfit[PAIR_BLOCKS];
};

static void weigh_block(void *data, uint32_t block)
{
    struct weighing *w = data;
    struct problem *p = w->p;
    for (uint32_t i = problem_pair_block(p, block); i < problem_pair_block(p, block + 1); i++) {
        if (is_rooted(p, i))
            continue;
        weigh_pair(p, i);
        add_misfit(&w->misfit[block], p, p->first_row[i], p->first_row[i + 1]);
    }
}

/* Weighs all other pairs; ties two clocks as soon as both directions have weights. */
static void weigh_others(struct problem *p, struct ties *t, struct misfit *m)
{
    struct weighing w = {.p = p};
    problem_divide(p, weigh_block, &w, PAIR_BLOCKS);
    for (uint32_t block = 0; block < PAIR_BLOCKS; block++) {
        m->squares += w.misfit[block].squares;
        m->n += w.misfit[block].n;
    }
    for (uint32_t i = 0; t->least > 0 && i < p->b->n_pairs; i++)
        if (!is_rooted(p, i) && p->b->pair[i].reverse < i)
            tie_pair(p, t, i);
}

static void leave_out_rooted(struct problem *p, struct ties *t, struct misfit *m)
{
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        if (!is_rooted(p, i))
            continue;
        for (uint32_t k = p->first_row[i]; k < p->first_row[i + 1]; k++) {
            struct row *r = &p->row[k];
            uint32_t part = part_of(p, r);
            if (r->weight > 0 &&
                set_of(t->tied_to, r->from_unit * PARTS + part) == set_of(t->tied_to, r->to_unit * PARTS + part))
                r->weight = 0;
        }
        add_misfit(m, p, p->first_row[i], p->first_row[i + 1]);
    }
}

int problem_weigh(struct problem *p)
{
    struct misfit misfit = {0, 0};
    struct ties t = {NULL, weigh_rooted(p)};
    size_t nodes = (size_t)p->b->n_units * PARTS;
    if (!(t.tied_to = malloc((nodes + 1) * sizeof *t.tied_to)))
        return -1;
    for (uint32_t k = 0; k < nodes; k++)
        t.tied_to[k] = k;
    weigh_others(p, &t, &misfit);
    leave_out_rooted(p, &t, &misfit);
    free(t.tied_to);
    weigh_collectives(p);
    add_misfit(&misfit, p, p->first_row[p->b->n_pairs], p->n_rows);
    p->misfit = fmax(p->scatter, misfit.n > 0 ? sqrt(misfit.squares / misfit.n) : 0);
    return 0;
}
