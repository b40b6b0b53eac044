/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Error bars: how far a true clock can be away from the estimate without contradicting a message.
 *
 * If the correction of i is d(i) too small, a message from i to j with slack f requires d(i) - d(j) <= f. So d(i) is at
 * most the length of the shortest path to i from the reference, which is right by definition; likewise for corrections
 * that are too large, with all arcs reversed. A node is a unit in an interval of time. An arc between neighbouring
 * intervals of a unit is as long as the clock can drift from one to the other. Measurements are arcs from the
 * reference. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reversed messages prove a least error of rates; bars take this many times it. */
static const double times_reversed = 8;

struct arc {
    uint32_t to; /* node */
    double length;
};

/* The nodes of an interval, one a unit, stand one after another: most arcs stay inside of an interval. */
struct graph {
    uint32_t nodes, units, intervals;
    struct arc *arc;     /* of messages, by their first node */
    uint32_t *first_arc; /* nodes + 1 */
    double *drift;       /* by unit: length of an arc to the interval before and after */
    double *bend;        /* by unit: how far the clock may leave the estimate inside an interval */
    double *misfit;      /* by node: to be added to both */
    double *distance;
    uint8_t *nearer; /* by node: its distance has shrunk since its arcs were followed */
    uint32_t n_nearer;
    uint32_t first;  /* first node of the present interval */
    uint32_t *queue; /* units: nodes of the present interval whose distance has shrunk */
    uint32_t head, n_queued;
};

static void enqueue(struct graph *g, uint32_t node)
{
    g->queue[(g->head + g->n_queued++) % g->units] = node;
}

static void reach(struct graph *g, uint32_t node, double distance)
{
    if (!(distance < g->distance[node])) /* or it is no number */
        return;
    g->distance[node] = distance;
    if (g->nearer[node])
        return;
    g->nearer[node] = 1;
    g->n_nearer++;
    if (node >= g->first && node - g->first < g->units)
        enqueue(g, node);
}

/* To a neighbouring interval of the same unit. */
static void reach_beside(struct graph *g, uint32_t node, uint32_t beside)
{
    reach(g, beside, g->distance[node] + g->drift[node % g->units] + fmax(g->misfit[node], g->misfit[beside]));
}

static void follow_arcs(struct graph *g, uint32_t node)
{
    g->nearer[node] = 0;
    g->n_nearer--;
    if (node >= g->units)
        reach_beside(g, node, node - g->units);
    if (node + g->units < g->nodes)
        reach_beside(g, node, node + g->units);
    for (uint32_t a = g->first_arc[node]; a < g->first_arc[node + 1]; a++)
        reach(g, g->arc[a].to, g->distance[node] + g->arc[a].length);
}

/* Finds the shortest paths inside of an interval from the present distances; shortens those of the neighbours. */
static void search_interval(struct graph *g, uint32_t interval)
{
    g->first = interval * g->units;
    for (uint32_t node = g->first; node < g->first + g->units; node++)
        if (g->nearer[node])
            enqueue(g, node);
    while (g->n_queued > 0) {
        uint32_t node = g->queue[g->head];
        g->head = (g->head + 1) % g->units;
        g->n_queued--;
        follow_arcs(g, node);
    }
}

/* Searches interval after interval, forward and backward, until no distance shrinks: so the search stays in the
 * cache. -1: interrupted. */
static int shortest_paths(const struct problem *p, struct graph *g)
{
    for (uint32_t k = 0; g->n_nearer > 0; k = (k + 1) % (2 * g->intervals)) {
        if (problem_interrupted(p))
            return -1;
        search_interval(g, k < g->intervals ? k : 2 * g->intervals - 1 - k);
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------- the problem -- */

static uint32_t node_of(const struct problem *p, uint32_t unit, const struct place *place)
{
    double x = ((double)place->at + (double)place->part) / p->grid.gaps * p->intervals;
    return part_at(x, p->intervals) * p->b->n_units + unit;
}

/* How far a clock may leave the estimate inside an interval: twice its root mean square bend. */
static double bending(const struct problem *p, uint32_t unit)
{
    const struct grid *g = &p->grid;
    double sum = 0, width = g->step * g->gaps / p->intervals;
    const double *z = g->z + (size_t)unit * (g->gaps + 1);
    for (uint32_t k = 1; k < g->gaps; k++)
        sum += pow(z[k - 1] - 2 * z[k] + z[k + 1], 2);
    return g->gaps > 1 ? 2 * sqrt(sum / (g->gaps - 1)) * width / g->step : 0;
}

/* The most by which a message is still reversed. */
static double most_reversed(const struct problem *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->n_rows; i++)
        most = fmax(most, -p->row[i].slack);
    return most;
}

/* The largest rate to expect of a clock without evidence, from the rates of the other clocks: of few clocks, none may
 * show the largest rate, so the margin is wider. Where messages are still reversed, the estimate is wrong, perhaps by
 * rates: by the rate which reverses them over the run at least, and usually by several times that, because the search
 * has already moved the estimate towards those messages. */
static double find_most_rate(const struct problem *p)
{
    double most = 0, clocks = 0, length = p->grid.step * p->grid.gaps;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const double *z = p->grid.z + (size_t)u * (p->grid.gaps + 1);
        most = fmax(most, fabs(z[p->grid.gaps] - z[0]) / length);
        clocks += p->b->unit[u].seen;
    }
    return fmax(p->settings->most_rate,
                fmax((1.5 + 6 / fmax(clocks, 1)) * most, times_reversed * most_reversed(p) / length));
}

/* The error of the rate of the estimate. Few messages, or messages of one direction, don't determine a rate, so all of
 * it may be wrong. With measurements it is the usual rate, or the error which the measurements leave. */
static double uncertain_rate(const struct problem *p, uint32_t unit, double rate)
{
    const struct unit *u = &p->b->unit[unit];
    if (!has_prior(p, unit))
        return fmax(p->most_rate, usual_rate + rate);
    return fmax(fmax(usual_rate, rate), u->n_measured > 0 ? fmin(measured_rate_bar(u), p->most_rate) : 0);
}

/* How far a clock may leave the estimate from one interval to the next: by twice the deviation of its rate from its
 * mean, by the error of that mean, and by the drift rate that any clock has. */
static double drift_between(const struct problem *p, uint32_t unit)
{
    const struct grid *g = &p->grid;
    double sum = 0, width = g->step * g->gaps / p->intervals;
    const double *z = g->z + (size_t)unit * (g->gaps + 1), mean = (z[g->gaps] - z[0]) / g->gaps;
    for (uint32_t k = 0; k < g->gaps; k++)
        sum += pow(z[k + 1] - z[k] - mean, 2);
    double seen = 2 * sqrt(sum / g->gaps) * width / g->step, rate = uncertain_rate(p, unit, fabs(mean) * g->per_step);
    return fmax(seen, bending(p, unit)) + rate * width + (g->gaps >= 8 ? 1 : 10) * p->settings->drift_rate * width;
}

/* The intervals that lie between the neighbours of a knot. */
static void intervals_near(const struct problem *p, uint32_t knot, uint32_t *from, uint32_t *to)
{
    uint32_t gaps = p->grid.gaps, before = knot > 0 ? knot - 1 : 0, after = knot < gaps ? knot + 1 : gaps;
    *from = (uint32_t)((uint64_t)before * p->intervals / gaps);
    *to = (uint32_t)((uint64_t)after * p->intervals / gaps);
}

/* The bend at a knot, if it is more than usual: that from knot to knot, or over two of them, if it is larger. So a jump
 * counts in full, even if the estimate takes two gaps for it. */
static double unusual_bend(const struct grid *g, uint32_t unit, uint32_t k, double usual)
{
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + k;
    double bend = fabs(bend_at(g, unit, k)), wide = 0;
    if (bend <= usual)
        return 0;
    if (k > 1 && k + 2 <= g->gaps)
        wide = fabs(z[-2] - 2 * z[0] + z[2]);
    return fmax(bend, wide);
}

/* By how much messages are reversed at a node: there the line between knots can't follow the clock. Likewise where the
 * clock bends by more than usual: a jump may be anywhere between two messages. */
static void find_misfits(const struct problem *p, const double *bend, double *misfit)
{
    for (uint32_t i = 0; i < p->n_rows; i++) {
        const struct row *r = &p->row[i];
        double *from = &misfit[node_of(p, r->from_unit, &r->from)];
        double *to = &misfit[node_of(p, r->to_unit, &r->to)];
        *from = fmax(*from, -r->slack);
        *to = fmax(*to, -r->slack);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 1; k < p->grid.gaps; k++) {
            double more = unusual_bend(&p->grid, u, k, bend[u]);
            uint32_t from, to;
            intervals_near(p, k, &from, &to);
            for (double *here = misfit + u; from < to; from++)
                here[(size_t)from * p->b->n_units] = fmax(here[(size_t)from * p->b->n_units], more);
        }
}

/* Sets the ends of a row's arc; for upper bounds of corrections it goes against the message. 0: the arc is longer than
 * the present distance of its end, so no shortest path uses it. */
static int arc_of(const struct problem *p, const struct graph *g, const struct row *r, int upper, uint32_t *from,
                  struct arc *arc)
{
    uint32_t sender = node_of(p, r->from_unit, &r->from), receiver = node_of(p, r->to_unit, &r->to);
    *from = upper ? receiver : sender;
    *arc = (struct arc){upper ? sender : receiver,
                        (r->slack > 0 ? r->slack : 0) + 1}; /* a timestamp may be anywhere in its tick */
    return arc->length < g->distance[arc->to];
}

static void lay_arcs(const struct problem *p, struct graph *g, int upper)
{
    uint32_t from;
    struct arc arc;
    memset(g->first_arc, 0, ((size_t)g->nodes + 1) * sizeof *g->first_arc);
    for (uint32_t i = 0; i < p->n_rows; i++)
        if (arc_of(p, g, &p->row[i], upper, &from, &arc))
            g->first_arc[from]++;
    for (uint32_t i = 1; i <= g->nodes; i++)
        g->first_arc[i] += g->first_arc[i - 1]; /* its end, as yet */
    for (uint32_t i = 0; i < p->n_rows; i++)
        if (arc_of(p, g, &p->row[i], upper, &from, &arc))
            g->arc[--g->first_arc[from]] = arc;
}

static void start_paths(const struct problem *p, struct graph *g)
{
    double deviation = fmax(prior_deviation(p), p->line_misfit);
    g->first = g->nodes; /* none is searched yet */
    for (uint32_t i = 0; i < g->nodes; i++)
        g->distance[i] = INFINITY;
    for (uint32_t c = 0; c < p->components; c++)
        for (uint32_t m = 0; m < p->intervals; m++)
            reach(g, m * g->units + p->origin_of[c], 0);
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const struct unit *unit = &p->b->unit[u];
        for (uint32_t k = 0; k < unit->n_measured && unit->seen; k++) {
            double time = (double)(int64_t)(unit->measured[k].time - unit->base);
            struct place place = grid_place(&p->grid, u, time);
            double off = fabs(grid_value(&p->grid, u, time) - unit->measured[k].offset);
            reach(g, node_of(p, u, &place), off + SIGMAS * unit->measured[k].error);
        }
        for (uint32_t m = 0; m < p->intervals && has_prior(p, u); m++) {
            double part = (m + 0.5) / p->intervals, time = p->grid.start[u] + part * p->grid.gaps * p->grid.step;
            double off = fabs(grid_value(&p->grid, u, time) - prior_value(p, u, part));
            reach(g, m * g->units + u, off + measured_bar(p, u, time, p->most_rate) + SIGMAS * deviation);
        }
    }
}

static void graph_free(struct graph *g)
{
    free(g->arc);
    free(g->first_arc);
    free(g->drift);
    free(g->bend);
    free(g->misfit);
    free(g->distance);
    free(g->nearer);
    free(g->queue);
}

static int graph_init(struct graph *g, const struct problem *p)
{
    uint32_t units = p->b->n_units, nodes = units * p->intervals;
    *g = (struct graph){.nodes = nodes, .units = units, .intervals = p->intervals};
    g->arc = malloc(((size_t)p->n_rows + 1) * sizeof *g->arc);
    g->first_arc = malloc(((size_t)nodes + 1) * sizeof *g->first_arc);
    g->drift = calloc((size_t)units + 1, sizeof *g->drift);
    g->bend = calloc((size_t)units + 1, sizeof *g->bend);
    g->misfit = calloc((size_t)nodes + 1, sizeof *g->misfit);
    g->distance = malloc(((size_t)nodes + 1) * sizeof *g->distance);
    g->nearer = calloc((size_t)nodes + 1, 1);
    g->queue = malloc(((size_t)units + 1) * sizeof *g->queue);
    if (!g->arc || !g->first_arc || !g->drift || !g->bend || !g->misfit || !g->distance || !g->nearer || !g->queue)
        return -1;
    for (uint32_t u = 0; u < units; u++) {
        g->drift[u] = drift_between(p, u);
        g->bend[u] = bending(p, u);
    }
    find_misfits(p, g->bend, g->misfit);
    return 0;
}

/* How far clocks may be off in one direction, and in the other. */
struct ways {
    const struct problem *p;
    struct graph graph[2];
    int status[2];
};

static void find_way(void *data, uint32_t upper)
{
    struct ways *w = data;
    struct graph *g = &w->graph[upper];
    if (w->status[upper] != 0)
        return;
    start_paths(w->p, g);
    lay_arcs(w->p, g, (int)upper);
    w->status[upper] = shortest_paths(w->p, g);
}

/* By node; NULL: out of memory, or interrupted. */
static double *node_bars(struct problem *p)
{
    struct ways w = {.p = p};
    double *bar = calloc((size_t)p->b->n_units * p->intervals + 1, sizeof *bar);
    for (int upper = 0; upper < 2; upper++)
        w.status[upper] = graph_init(&w.graph[upper], p) != 0 || !bar ? -1 : 0;
    problem_divide(p, find_way, &w, 2);
    for (int upper = 0; upper < 2; upper++) {
        const struct graph *g = &w.graph[upper];
        for (uint32_t i = 0; w.status[0] == 0 && w.status[1] == 0 && i < g->nodes; i++) {
            double most = g->distance[i] + g->bend[i % g->units] + g->misfit[i];
            bar[i] = most < INFINITY ? fmax(bar[i], most) : INFINITY; /* also where it is no number */
        }
    }
    graph_free(&w.graph[0]);
    graph_free(&w.graph[1]);
    if (w.status[0] != 0 || w.status[1] != 0) {
        free(bar);
        return NULL;
    }
    for (uint32_t c = 0; c < p->components; c++)
        for (uint32_t m = 0; m < p->intervals; m++)
            bar[m * p->b->n_units + p->origin_of[c]] = 0;
    return bar;
}

/* Of the intervals between a knot's neighbours. */
static double largest_near(const struct problem *p, const double *node, uint32_t unit, uint32_t k)
{
    uint32_t from, to;
    double largest = 0;
    intervals_near(p, k, &from, &to);
    for (; from < to; from++)
        largest = fmax(largest, node[(size_t)from * p->b->n_units + unit]);
    return largest;
}

int bars_compute(struct problem *p, double *bar)
{
    uint32_t knots = p->grid.gaps + 1, intervals = p->grid.gaps < 8 ? 8 : p->grid.gaps;
    memset(p->per_byte, 0, sizeof p->per_byte); /* the bound holds whatever time bytes take */
    if (problem_rows(p, intervals) != 0)
        return -1;
    p->most_rate = find_most_rate(p);
    double *node = node_bars(p);
    if (!node)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 0; k < knots; k++)
            bar[(size_t)u * knots + k] = largest_near(p, node, u, k);
    free(node);
    return 0;
}
