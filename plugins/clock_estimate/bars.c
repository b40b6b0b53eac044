/* Error bars: how far a true clock can be away from the estimate without contradicting a message.
 *
 * If the correction of i is d(i) too small, a message from i to j with slack f says d(i) - d(j) <= f. So d(i) is at most
 * the length of the shortest path to i from the reference, which is right by definition; the same the other way
 * round. Nodes are units in intervals of time; neighbouring intervals of a unit are joined by edges as long as the
 * clock can bend between them. Measurements are edges from the reference.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rates are wrong by so many times what they must be for messages to be reversed. */
static const double times_reversed = 8;

struct arc {
    uint32_t to; /* node */
    double length;
};

/* A unit's nodes, one an interval, stand one after another. */
struct graph {
    uint32_t nodes, intervals;
    struct arc *arc;     /* those of messages, by the node they start at */
    uint32_t *first_arc; /* nodes + 1 */
    double *drift;       /* by unit: length of an arc to the interval before and after */
    double *bend;        /* by unit: how far it may leave the estimate inside an interval */
    double *misfit;      /* by node: what comes on top of both */
    double *distance;
    uint32_t *heap, *place, n_heap; /* place: 1 + position in the heap */
};

static void heap_set(struct graph *g, uint32_t position, uint32_t node)
{
    g->heap[position] = node;
    g->place[node] = position + 1;
}

static void heap_up(struct graph *g, uint32_t node)
{
    uint32_t i = g->place[node] - 1;
    while (i > 0 && g->distance[g->heap[(i - 1) / 2]] > g->distance[node]) {
        heap_set(g, i, g->heap[(i - 1) / 2]);
        i = (i - 1) / 2;
    }
    heap_set(g, i, node);
}

static uint32_t heap_pop(struct graph *g)
{
    uint32_t top = g->heap[0], node = g->heap[--g->n_heap], i = 0;
    g->place[top] = 0;
    if (g->n_heap == 0)
        return top;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child + 1 < g->n_heap && g->distance[g->heap[child + 1]] < g->distance[g->heap[child]])
            child++;
        if (child >= g->n_heap || g->distance[g->heap[child]] >= g->distance[node])
            break;
        heap_set(g, i, g->heap[child]);
        i = child;
    }
    heap_set(g, i, node);
    return top;
}

static void reach(struct graph *g, uint32_t node, double distance)
{
    if (distance >= g->distance[node])
        return;
    g->distance[node] = distance;
    if (!g->place[node]) {
        g->place[node] = ++g->n_heap;
        g->heap[g->n_heap - 1] = node;
    }
    heap_up(g, node);
}

/* To a neighbouring interval of the same unit. */
static void reach_beside(struct graph *g, uint32_t node, uint32_t beside)
{
    reach(g, beside, g->distance[node] + g->drift[node / g->intervals] + fmax(g->misfit[node], g->misfit[beside]));
}

static void shortest_paths(struct graph *g)
{
    while (g->n_heap > 0) {
        uint32_t node = heap_pop(g);
        if (node % g->intervals > 0)
            reach_beside(g, node, node - 1);
        if ((node + 1) % g->intervals > 0)
            reach_beside(g, node, node + 1);
        for (uint32_t a = g->first_arc[node]; a < g->first_arc[node + 1]; a++)
            reach(g, g->arc[a].to, g->distance[node] + g->arc[a].length);
    }
}

/* ------------------------------------------------------------------------------------------------ the problem -- */

static uint32_t node_of(const struct problem *p, uint32_t unit, const struct place *place)
{
    double x = ((double)place->at + (double)place->part) / p->grid.gaps * p->intervals;
    return unit * p->intervals + (x < 0 ? 0 : x >= p->intervals ? p->intervals - 1 : (uint32_t)x);
}

/* How far a clock may leave the estimate inside an interval: twice what it is seen to bend. */
static double bending(const struct problem *p, uint32_t unit)
{
    const struct grid *g = &p->grid;
    double sum = 0, width = g->step * g->gaps / p->intervals;
    const double *z = g->z + (size_t)unit * (g->gaps + 1);
    for (uint32_t k = 1; k < g->gaps; k++)
        sum += pow(z[k - 1] - 2 * z[k] + z[k + 1], 2);
    return g->gaps > 1 ? 2 * sqrt(sum / (g->gaps - 1)) * width / g->step : 0;
}

/* By how much messages are still reversed, at most. */
static double most_reversed(const struct problem *p)
{
    double most = 0;
    for (uint32_t i = 0; i < p->n_rows; i++)
        most = fmax(most, -p->row[i].slack);
    return most;
}

/* What a clock's rate may be that nothing tells, if others are seen to have such rates: the fewer there are, the less likely it is
 * that one of them has the largest. And where messages are still reversed, the estimate is wrong; if by rates, then by what that
 * makes in the run at least, and by several times that as a rule, for it has come towards those messages. */
static double find_most_rate(const struct problem *p)
{
    double most = 0, clocks = 0, length = p->grid.step * p->grid.gaps;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const double *z = p->grid.z + (size_t)u * (p->grid.gaps + 1);
        most = fmax(most, fabs(z[p->grid.gaps] - z[0]) / length);
        clocks += p->b->unit[u].seen;
    }
    return fmax(p->settings->most_rate, fmax((1.5 + 6 / fmax(clocks, 1)) * most, times_reversed * most_reversed(p) / length));
}

/* How far the rate of the estimate may be off, for few messages or those of one direction don't tell it: all of it. Where it was
 * measured, no more than what is usual, or what that leaves, if it isn't more than usual itself. */
static double uncertain_rate(const struct problem *p, uint32_t unit, double rate)
{
    const struct unit *u = &p->b->unit[unit];
    if (!has_prior(p, unit))
        return fmax(p->most_rate, usual_rate + rate);
    return fmax(fmax(usual_rate, rate), u->n_measured > 0 ? fmin(measured_rate_bar(u), p->most_rate) : 0);
}

/* And how far from one interval to the next, where nothing holds it: as its rate is seen to differ from its mean, and as that may be
 * wrong. What is to be expected of any clock comes on top. */
static double wander(const struct problem *p, uint32_t unit)
{
    const struct grid *g = &p->grid;
    double sum = 0, width = g->step * g->gaps / p->intervals;
    const double *z = g->z + (size_t)unit * (g->gaps + 1), mean = (z[g->gaps] - z[0]) / g->gaps;
    for (uint32_t k = 0; k < g->gaps; k++)
        sum += pow(z[k + 1] - z[k] - mean, 2);
    double seen = 2 * sqrt(sum / g->gaps) * width / g->step, rate = uncertain_rate(p, unit, fabs(mean) * g->per_step);
    return fmax(seen, bending(p, unit)) + rate * width + (g->gaps >= 8 ? 1 : 10) * p->settings->least_wander * width;
}

/* The nodes of a unit that lie between the neighbours of a knot. */
static void nodes_near(const struct problem *p, uint32_t knot, uint32_t *from, uint32_t *to)
{
    uint32_t gaps = p->grid.gaps, before = knot > 0 ? knot - 1 : 0, after = knot < gaps ? knot + 1 : gaps;
    *from = (uint32_t)((uint64_t)before * p->intervals / gaps);
    *to = (uint32_t)((uint64_t)after * p->intervals / gaps);
}

/* By how much messages are reversed at a node: there the clock does what the line between knots can't follow. Likewise where it bends
 * by more than elsewhere: nobody knows when a jump was, between two messages. */
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
            double *here = misfit + (size_t)u * p->intervals, more = fabs(bend_at(&p->grid, u, k)) - bend[u];
            uint32_t from, to;
            nodes_near(p, k, &from, &to);
            for (; from < to; from++)
                here[from] = fmax(here[from], more);
        }
}

/* An arc for each row: against the message's direction, when the corrections' upper bounds are sought. */
static void lay_arcs(const struct problem *p, struct graph *g, int upper)
{
    memset(g->first_arc, 0, ((size_t)g->nodes + 1) * sizeof *g->first_arc);
    for (uint32_t i = 0; i < p->n_rows; i++) {
        const struct row *r = &p->row[i];
        g->first_arc[upper ? node_of(p, r->to_unit, &r->to) : node_of(p, r->from_unit, &r->from)]++;
    }
    for (uint32_t i = 1; i <= g->nodes; i++)
        g->first_arc[i] += g->first_arc[i - 1]; /* its end, as yet */
    for (uint32_t i = 0; i < p->n_rows; i++) {
        const struct row *r = &p->row[i];
        uint32_t from = node_of(p, r->from_unit, &r->from), to = node_of(p, r->to_unit, &r->to);
        double slack = (r->slack > 0 ? r->slack : 0) + 1; /* a timestamp may be anywhere in its tick */
        g->arc[--g->first_arc[upper ? to : from]] = (struct arc){upper ? from : to, slack};
    }
}

static void start_paths(const struct problem *p, struct graph *g)
{
    double deviation = fmax(prior_deviation(p), p->line_misfit);
    for (uint32_t i = 0; i < g->nodes; i++)
        g->distance[i] = INFINITY;
    for (uint32_t c = 0; c < p->components; c++)
        for (uint32_t m = 0; m < p->intervals; m++)
            reach(g, p->origin_of[c] * p->intervals + m, 0);
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
            reach(g, u * p->intervals + m, off + measured_bar(p, u, time, p->most_rate) + SIGMAS * deviation);
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
    free(g->heap);
    free(g->place);
}

static int graph_init(struct graph *g, const struct problem *p)
{
    uint32_t units = p->b->n_units, nodes = units * p->intervals;
    *g = (struct graph){.nodes = nodes, .intervals = p->intervals};
    g->arc = malloc(((size_t)p->n_rows + 1) * sizeof *g->arc);
    g->first_arc = malloc(((size_t)nodes + 1) * sizeof *g->first_arc);
    g->drift = calloc((size_t)units + 1, sizeof *g->drift);
    g->bend = calloc((size_t)units + 1, sizeof *g->bend);
    g->misfit = calloc((size_t)nodes + 1, sizeof *g->misfit);
    g->distance = malloc(((size_t)nodes + 1) * sizeof *g->distance);
    g->heap = malloc(((size_t)nodes + 1) * sizeof *g->heap);
    g->place = calloc((size_t)nodes + 1, sizeof *g->place);
    if (!g->arc || !g->first_arc || !g->drift || !g->bend || !g->misfit || !g->distance || !g->heap || !g->place)
        return -1;
    for (uint32_t u = 0; u < units; u++) {
        g->drift[u] = wander(p, u);
        g->bend[u] = bending(p, u);
    }
    find_misfits(p, g->bend, g->misfit);
    return 0;
}

/* By node; NULL: out of memory. */
static double *node_bars(struct problem *p)
{
    struct graph g;
    double *bar = calloc((size_t)p->b->n_units * p->intervals + 1, sizeof *bar);
    if (graph_init(&g, p) != 0 || !bar) {
        graph_free(&g);
        free(bar);
        return NULL;
    }
    for (int upper = 0; upper < 2; upper++) {
        lay_arcs(p, &g, upper);
        start_paths(p, &g);
        shortest_paths(&g);
        for (uint32_t i = 0; i < g.nodes; i++)
            bar[i] = fmax(bar[i], g.distance[i] + g.bend[i / p->intervals] + g.misfit[i]);
    }
    for (uint32_t c = 0; c < p->components; c++)
        for (uint32_t m = 0; m < p->intervals; m++)
            bar[p->origin_of[c] * p->intervals + m] = 0;
    graph_free(&g);
    return bar;
}

/* Of the intervals between a knot's neighbours. */
static double largest_near(const struct problem *p, const double *node, uint32_t k)
{
    uint32_t from, to;
    double largest = 0;
    nodes_near(p, k, &from, &to);
    for (; from < to; from++)
        largest = fmax(largest, node[from]);
    return largest;
}

int bars_compute(struct problem *p, double *bar)
{
    uint32_t knots = p->grid.gaps + 1, intervals = p->grid.gaps < 8 ? 8 : p->grid.gaps;
    memset(p->per_byte, 0, sizeof p->per_byte); /* a guarantee, whatever bytes take */
    if (problem_rows(p, intervals) != 0)
        return -1;
    p->most_rate = find_most_rate(p);
    double *node = node_bars(p);
    if (!node)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 0; k < knots; k++)
            bar[(size_t)u * knots + k] = largest_near(p, node + (size_t)u * intervals, k);
    free(node);
    return 0;
}
