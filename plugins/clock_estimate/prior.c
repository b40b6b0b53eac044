/* What measured clock offsets say about the time between them: the clocks are on the line through the measurements, as
 * nearly as the messages allow. The bounds of an interval are difference constraints on what the clocks are off that
 * line; the narrowest band around it in which they have a solution is what is to be expected of the clocks.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INTERVALS = 64, DOUBLINGS = 16, PASSES = 200 };

double measured_at(const struct unit *u, double time)
{
    uint32_t i = 0;
    while (i + 2 < u->n_measured && (double)(int64_t)(u->measured[i + 1].time - u->base) < time)
        i++;
    const struct measured *a = &u->measured[i], *b = &u->measured[i + (u->n_measured > 1)];
    double start = (double)(int64_t)(a->time - u->base), span = (double)(b->time - a->time);
    return span > 0 ? a->offset + (b->offset - a->offset) / span * (time - start) : a->offset;
}

double measured_bar(const struct problem *p, uint32_t unit, double time)
{
    const struct unit *u = &p->b->unit[unit];
    double nearest = INFINITY, error = 0;
    if (unit == p->settings->reference)
        return 0;
    for (uint32_t k = 0; k < u->n_measured; k++) {
        double apart = fabs((double)(int64_t)(u->measured[k].time - u->base) - time);
        if (apart < nearest) {
            nearest = apart;
            error = u->measured[k].error;
        }
    }
    return SIGMAS * error + p->settings->least_wander * nearest;
}

static int has_line(const struct problem *p, uint32_t unit)
{
    const struct unit *u = &p->b->unit[unit];
    if (unit == p->settings->reference)
        return 1;
    if (u->n_measured < 2)
        return 0;
    double span = (double)(u->measured[u->n_measured - 1].time - u->measured[0].time);
    return span > 0.5 * p->grid.step; /* the grid has one gap yet */
}

double prior_value(const struct problem *p, uint32_t unit, double part)
{
    const double *line = p->prior_line + 2 * (size_t)unit;
    return line[0] + part * (line[1] - line[0]);
}

/* Of all clocks of the reference's component. */
double prior_band(const struct problem *p, double part)
{
    double x = part * INTERVALS;
    return p->prior_band[x < 0 ? 0 : x >= INTERVALS ? INTERVALS - 1 : (uint32_t)x];
}

/* The lines; 0: there is a clock without one. */
static int lay_lines(struct problem *p)
{
    struct grid *g = &p->grid;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        if (p->b->unit[u].seen && p->component[u] == 0 && !has_line(p, u))
            return 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        if (!p->b->unit[u].seen || p->component[u] != 0 || u == p->settings->reference)
            continue;
        const struct unit *unit = &p->b->unit[u];
        const struct measured *a = &unit->measured[0], *b = &unit->measured[unit->n_measured - 1];
        double start = (double)(int64_t)(a->time - unit->base), rate = (b->offset - a->offset) / (double)(b->time - a->time);
        for (int end = 0; end < 2; end++)
            p->prior_line[2 * (size_t)u + (size_t)end] = a->offset + rate * (g->start[u] + end * g->step - start);
    }
    return 1;
}

/* The narrowest band that there can be: the error of the measurements, and how far clocks wander in between. */
static void first_band(struct problem *p)
{
    for (uint32_t m = 0; m < INTERVALS; m++)
        p->prior_band[m] = 1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        if (!p->b->unit[u].seen || p->component[u] != 0 || u == p->settings->reference)
            continue;
        double off = 0; /* measurements between the first one and the last one */
        const struct unit *unit = &p->b->unit[u];
        for (uint32_t k = 1; k + 1 < unit->n_measured; k++) {
            double part = ((double)(int64_t)(unit->measured[k].time - unit->base) - p->grid.start[u]) / p->grid.step;
            off = fmax(off, fabs(unit->measured[k].offset - prior_value(p, u, part)));
        }
        for (uint32_t m = 0; m < INTERVALS; m++) {
            double time = p->grid.start[u] + (m + 0.5) / INTERVALS * p->grid.step;
            p->prior_band[m] = fmax(p->prior_band[m], off + measured_bar(p, u, time));
        }
    }
}

/* Can all clocks lie within a band, as far as the rows of an interval say? Largest differences from the line by
 * Bellman and Ford; the reference has none. Clocks that leave the line do so within the interval, too. */
static int fits(struct problem *p, const uint32_t *order, uint32_t n, double band, double *x)
{
    uint32_t reference = p->settings->reference, pass = 0;
    double bent = 8 * band / INTERVALS + 1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        x[u] = u == reference ? 0 : band;
    for (int changed = 1; changed && pass < PASSES; pass++) {
        changed = 0;
        p->work += n;
        for (uint32_t i = 0; i < n; i++) {
            const struct row *r = &p->row[order[i]];
            const struct pair *pair = &p->b->pair[r->pair];
            double most = x[pair->to] + r->slack + bent;
            if (most >= x[pair->from] - 0.01)
                continue;
            x[pair->from] = most;
            changed = 1;
            if (most < (pair->from == reference ? 0 : -band))
                return 0;
        }
    }
    return pass < PASSES;
}

static int widen_band(struct problem *p)
{
    uint32_t end[INTERVALS], *order = malloc(((size_t)p->n_rows + 1) * sizeof *order), k = 0;
    double *x = malloc(((size_t)p->b->n_units + 1) * sizeof *x), factor[INTERVALS], sorted[INTERVALS];
    if (!order || !x) {
        free(order);
        free(x);
        return -1;
    }
    rows_by_interval(p, order, end);
    for (uint32_t m = 0; m < INTERVALS; m++) {
        uint32_t start = m ? end[m - 1] : 0;
        for (k = k > 1 ? k - 2 : 0; k < DOUBLINGS; k++)
            if (fits(p, order + start, end[m] - start, p->prior_band[m] * (double)(1u << k), x))
                break;
        factor[m] = (double)(1u << k);
    }
    /* Clocks do so elsewhere, too, where no message tells. */
    memcpy(sorted, factor, sizeof factor);
    double usual = quantile(sorted, INTERVALS, 0.75);
    for (uint32_t m = 0; m < INTERVALS; m++) {
        double near = fmax(factor[m], fmax(factor[m ? m - 1 : 0], factor[m + 1 < INTERVALS ? m + 1 : m]));
        near = fmax(near, usual);
        p->prior_band[m] *= near;
    }
    free(order);
    free(x);
    return 0;
}

int prior_find(struct problem *p)
{
    size_t units = p->b->n_units;
    double *line = calloc(2 * units + 1, sizeof *line);
    p->prior_line = line;
    p->prior_band = calloc(INTERVALS, sizeof *p->prior_band);
    if (!line || !p->prior_band)
        return -1;
    if (p->settled[0] || !lay_lines(p)) {
        p->prior_line = NULL;
        free(line);
        return 0;
    }
    first_band(p);
    for (size_t u = 0; u < units; u++)
        if (p->component[u] == 0 && p->b->unit[u].seen)
            memcpy(p->grid.z + 2 * u, line + 2 * u, 2 * sizeof *line);
    if (problem_rows(p, INTERVALS) != 0)
        return -1;
    return widen_band(p);
}
