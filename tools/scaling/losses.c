/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Costs and losses of vertices over the sizes. The costs of all vertices, together with the waits that nobody caused,
 * are the time of all processes; so the losses add up to what the program loses. */
#include "scaling.h"

#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------------- sizes -- */

static const struct sums no_sums;

const struct sums *sums_of(const struct run *r, uint32_t vertex)
{
    return vertex < r->n_vertices ? &r->of[vertex] : &no_sums;
}

/* The median over the runs of a size of the double at this offset of their sums. */
static double median_at(const struct study *s, const struct size *z, uint32_t vertex, size_t offset, double *values)
{
    for (uint32_t r = 0; r < z->n; r++)
        memcpy(&values[r], (const char *)sums_of(&s->run[z->first + r], vertex) + offset, sizeof *values);
    return median_of(values, z->n);
}

static void find_medians(const struct study *s, struct size *z)
{
    double *values = allocate(z->n, sizeof *values);
    z->total = z->apart = 0;
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        for (size_t at = 0; at < sizeof *z->of; at += sizeof(double)) {
            double median = median_at(s, z, v, at, values);
            memcpy((char *)&z->of[v] + at, &median, sizeof median);
        }
        *(s->vertex[v].apart ? &z->apart : &z->total) += cost_of(&z->of[v]);
    }
    for (uint32_t r = 0; r < z->n; r++)
        values[r] = s->run[z->first + r].unknown;
    z->unknown = median_of(values, z->n);
    z->total += z->unknown;
    free(values);
}

void find_sizes(struct study *s)
{
    s->size = allocate(s->n_runs, sizeof *s->size);
    for (uint32_t r = 0; r < s->n_runs; r++) {
        if (r == 0 || s->run[r].processes != s->run[r - 1].processes)
            s->size[s->n_sizes++] = (struct size){.processes = s->run[r].processes, .first = r};
        s->size[s->n_sizes - 1].n++;
    }
    for (uint32_t z = 0; z < s->n_sizes; z++) {
        s->size[z].of = allocate(s->n_vertices, sizeof *s->size[z].of);
        find_medians(s, &s->size[z]);
        if (!(s->size[z].total > 0))
            fail("'%s' has no time in any vertex but MPI_Init and MPI_Finalize", s->run[s->size[z].first].path);
    }
}

/* ------------------------------------------------------------------------------------------------------- the law -- */

struct vote {
    double exponent, weight;
};

static int compare_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    return TCF_ORDER(x->exponent, y->exponent);
}

/* How the time of all processes in most of the computing grows from the smallest size to the next: where a loss has
 * hardly begun. Each vertex counts by its time at the smallest size. */
static double typical_exponent(const struct study *s)
{
    const struct size *a = &s->size[0], *b = &s->size[1];
    struct vote *votes = allocate(s->n_vertices, sizeof *votes);
    double step = log((double)b->processes / a->processes), sum = 0, exponent = NAN;
    uint32_t n = 0;
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (!s->vertex[v].communication && !s->vertex[v].apart && a->of[v].own > 0 && b->of[v].own > 0) {
            votes[n++] = (struct vote){log(b->of[v].own / a->of[v].own) / step, a->of[v].own};
            sum += a->of[v].own;
        }
    tcf_sort(votes, n, sizeof *votes, compare_votes);
    double below = 0;
    for (uint32_t i = 0; i < n && isnan(exponent); i++)
        if ((below += votes[i].weight) >= sum / 2)
            exponent = votes[i].exponent;
    free(votes);
    return exponent;
}

/* ------------------------------------------------------------------------------------------------- moving work -- */

/* Own time beyond the ideal: losses and gains of the nodes of a function. */
struct sides {
    double lost, gained;
};

/* The same work may stand behind another call where a process has no neighbour, or is the root, so with more processes
 * it moves from one computation node of its function to another. What some nodes of a function lose and others gain
 * cancel. sides: room for one of each vertex. */
static void settle_run(const struct study *s, struct run *r, double growth, const double *ideal, struct sides *sides)
{
    memset(sides, 0, s->n_vertices * sizeof *sides);
    for (uint32_t v = 0; v < r->n_vertices; v++) {
        double loss = r->of[v].own - ideal[v] * growth;
        struct sides *f = &sides[function_of(s, v)];
        *(loss > 0 ? &f->lost : &f->gained) += fabs(loss);
    }
    for (uint32_t v = 0; v < r->n_vertices; v++) {
        const struct sides *f = &sides[function_of(s, v)];
        double loss = r->of[v].own - ideal[v] * growth, side = loss > 0 ? f->lost : f->gained;
        if (side > 0)
            r->of[v].own -= loss * (fmin(f->lost, f->gained) / side);
    }
}

static void settle_all(struct study *s)
{
    double *ideal = allocate(s->n_vertices, sizeof *ideal);
    struct sides *sides = allocate(s->n_vertices, sizeof *sides);
    for (uint32_t v = 0; v < s->n_vertices; v++)
        ideal[v] = s->size[0].of[v].own;
    for (uint32_t z = 0; z < s->n_sizes; z++) {
        for (uint32_t r = 0; r < s->size[z].n; r++)
            settle_run(s, &s->run[s->size[z].first + r], s->size[z].growth, ideal, sides);
        find_medians(s, &s->size[z]);
    }
    free(ideal);
    free(sides);
}

void decide_law(struct study *s)
{
    s->weak = s->options->law == WEAK;
    if (s->options->law == AUTO) {
        s->exponent = typical_exponent(s);
        s->weak = s->exponent > 0.5;
    }
    for (uint32_t z = 0; z < s->n_sizes; z++)
        s->size[z].growth = s->weak ? (double)s->size[z].processes / s->size[0].processes : 1;
    settle_all(s);
    for (uint32_t z = 0; z < s->n_sizes; z++) {
        struct size *size = &s->size[z];
        size->efficiency = s->size[0].total * size->growth / size->total;
    }
}

/* -------------------------------------------------------------------------------------------------------- losses -- */

/* Values of one process over the runs, as points of a power law. */
struct points {
    double *x, *y;
};

static struct points points_of(const struct study *s)
{
    struct points p = {allocate(s->n_runs, sizeof *p.x), allocate(s->n_runs, sizeof *p.y)};
    for (uint32_t r = 0; r < s->n_runs; r++)
        p.x[r] = s->run[r].processes;
    return p;
}

static void free_points(struct points p)
{
    free(p.x);
    free(p.y);
}

/* The mean of the largest of n normal variates in units of their deviation, by Blom's approximation. */
static double expected_largest(uint32_t n)
{
    if (n < 2)
        return 0;
    double p = (n - 0.375) / (n + 0.25), t = sqrt(-2 * log(1 - p));
    return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/* The smallest size at which processes communicate. */
static const struct size *base_of_natural(const struct study *s)
{
    return s->size[0].processes == 1 && s->n_sizes > 2 ? &s->size[1] : &s->size[0];
}

/* What grows in any program. A process' calls of MPI take as much longer as a tree is deeper. Waits for processes which
 * come late by turns grow as the largest of so many random numbers does; what one process does longer in all is no
 * matter of turns. */
static double natural_growth(const struct study *s, uint32_t vertex)
{
    const struct size *a = base_of_natural(s), *b = largest(s);
    const struct sums *x = &a->of[vertex], *y = &b->of[vertex];
    double work = b->growth / a->growth;
    if (a->processes < 2 || a == b)
        return 0;
    if (s->vertex[vertex].communication) {
        double calls = x->visits > 0 ? y->visits / x->visits : 1, more = (double)b->processes / a->processes;
        double grown = x->own * ((calls < more ? calls : more) * log(b->processes) / log(a->processes) - work);
        return grown > 0 ? grown : 0;
    }
    double moving = x->delay - x->excess;
    return moving > 0 ? moving * work * (expected_largest(b->processes) / expected_largest(a->processes) - 1) : 0;
}

/* Costs that first fall and then rise fit no line. Are they more at the largest size than at each other one, by
 * --least? */
static bool is_worst_at_end(const struct study *s, uint32_t vertex)
{
    const struct size *b = largest(s);
    for (const struct size *z = s->size; z < b; z++)
        if (cost_of(&b->of[vertex]) - cost_of(&z->of[vertex]) * b->growth / z->growth < least_loss(s))
            return false;
    return true;
}

/* Can the repetitions of the smallest and the largest size have the same costs, or is there no growth beyond the error
 * of the exponent? */
static bool is_noise(const struct study *s, const struct loss *l)
{
    const struct size *a = smallest(s), *b = largest(s);
    double ideal = s->weak ? 0 : -1;
    if (a->n > 1 || b->n > 1) {
        double low = INFINITY, high = 0;
        for (uint32_t r = 0; r < b->n; r++) {
            double cost = cost_of(sums_of(&s->run[b->first + r], l->vertex));
            low = cost < low ? cost : low;
        }
        for (uint32_t r = 0; r < a->n; r++) {
            double cost = cost_of(sums_of(&s->run[a->first + r], l->vertex));
            high = cost > high ? cost : high;
        }
        if (low <= high * b->growth)
            return true;
    }
    return l->fit.n > 2 && l->fit.exponent - ideal <= l->fit.error && !is_worst_at_end(s, l->vertex);
}

static struct power_law fit_costs(const struct study *s, uint32_t vertex, struct points p)
{
    for (uint32_t r = 0; r < s->n_runs; r++)
        p.y[r] = cost_of(sums_of(&s->run[r], vertex)) / s->run[r].processes;
    return power_law_fit(p.x, p.y, s->n_runs);
}

void find_losses(struct study *s)
{
    const struct size *a = smallest(s), *b = largest(s);
    struct points points = points_of(s);
    double sum = 0, lost = 0;
    s->loss = allocate(s->n_vertices, sizeof *s->loss);
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        struct loss *l = &s->loss[v];
        l->vertex = v;
        l->cost = cost_of(&b->of[v]);
        l->own = b->of[v].own - a->of[v].own * b->growth;
        l->delay = b->of[v].delay - a->of[v].delay * b->growth;
        l->loss = l->own + l->delay;
        if (s->vertex[v].apart)
            continue;
        l->fit = fit_costs(s, v, points);
        l->natural = natural_growth(s, v);
        l->within_noise = is_noise(s, l);
        sum += l->loss;
        lost += l->loss > 0 ? l->loss : 0;
    }
    double unknown = b->unknown - a->unknown * b->growth;
    sum += unknown;
    lost += unknown > 0 ? unknown : 0;
    s->lost = sum > 0 ? sum : 0;
    /* Gains may be only that waits are charged to other vertices: losses share what is lost in the end. */
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (s->loss[v].loss > 0 && !s->vertex[v].apart)
            s->loss[v].explains = s->loss[v].loss * (s->lost / lost);
    free_points(points);
}

/* --------------------------------------------------------------------------------------------------- predictions -- */

/* Costs of all processes; those of a vertex without a law stay what they are of one process. */
static double predicted_cost(const struct study *s, uint32_t vertex, uint32_t processes, double *factor)
{
    const struct power_law *fit = &s->loss[vertex].fit;
    *factor = NAN;
    if (fit->n < 2 || isnan(fit->exponent))
        return s->loss[vertex].cost / largest(s)->processes * processes;
    return power_law_at(fit, processes, factor) * processes;
}

struct predicted predict(const struct study *s, uint32_t vertex, uint32_t processes)
{
    double rest = 0, factor, other;
    double cost = predicted_cost(s, vertex, processes, &factor);
    for (uint32_t v = 0; v < s->n_vertices; v++)
        if (v != vertex && !s->vertex[v].apart)
            rest += predicted_cost(s, v, processes, &other);
    return (struct predicted){cost / (cost + rest), cost / factor / (cost / factor + rest),
                              cost * factor / (cost * factor + rest)};
}

/* -------------------------------------------------------------------------------------------------- non-scalable -- */

static int compare_non_scalable(const void *a, const void *b)
{
    const struct non_scalable *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->loss, x->loss), TCF_ORDER(x->vertex, y->vertex));
}

/* Vertices whose time, waits included, grows beyond the ideal and matters. */
void find_non_scalable(struct study *s)
{
    const struct size *a = smallest(s), *b = largest(s);
    struct points p = points_of(s);
    double ideal = s->weak ? 0 : -1;
    s->non_scalable = allocate(s->n_vertices, sizeof *s->non_scalable);
    for (uint32_t v = 0; v < s->n_vertices; v++) {
        struct non_scalable n = {.vertex = v};
        n.loss = b->of[v].combined * b->processes - a->of[v].combined * a->processes * b->growth;
        n.share = b->of[v].combined * b->processes / b->total;
        if (s->vertex[v].apart || !(100 * n.loss >= s->options->least * b->total))
            continue;
        for (uint32_t r = 0; r < s->n_runs; r++)
            p.y[r] = sums_of(&s->run[r], v)->combined;
        n.fit = power_law_fit(p.x, p.y, s->n_runs);
        if (!(n.fit.n > 2 && n.fit.exponent - ideal <= n.fit.error))
            s->non_scalable[s->n_non_scalable++] = n;
    }
    tcf_sort(s->non_scalable, s->n_non_scalable, sizeof *s->non_scalable, compare_non_scalable);
    free_points(p);
}
