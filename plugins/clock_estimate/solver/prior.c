/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Measured clock offsets as a prior: clocks are near the line through their measurements. The misfit of messages, when
 * all clocks are lines, shows how near. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RATE_STEPS = 20 };

double measured_at(const struct unit *u, double time)
{
    uint32_t i = 0;
    while (i + 2 < u->n_measured && (double)(int64_t)(u->measured[i + 1].time - u->base) < time)
        i++;
    const struct measured *a = &u->measured[i], *b = &u->measured[i + (u->n_measured > 1)];
    double start = (double)(int64_t)(a->time - u->base), span = (double)(b->time - a->time);
    return span > 0 ? a->offset + (b->offset - a->offset) / span * (time - start) : a->offset;
}

/* The error of the rate at a time outside of the measurements. */
static double uncertain_rate(const struct unit *u, double time, double most)
{
    const struct measured *a = &u->measured[0], *b = &u->measured[u->n_measured - 1];
    double from = (double)(int64_t)(a->time - u->base), to = (double)(int64_t)(b->time - u->base);
    return time < from || time > to || !(to > from) ? fmin(measured_rate_bar(u), most) : 0;
}

double measured_rate_bar(const struct unit *u)
{
    const struct measured *a = &u->measured[0], *b = &u->measured[u->n_measured - 1];
    return b->time > a->time ? SIGMAS * (a->error + b->error) / (double)(b->time - a->time) : INFINITY;
}

double measured_bar(const struct problem *p, uint32_t unit, double time, double most)
{
    const struct unit *u = &p->b->unit[unit];
    double nearest = INFINITY, error = 0, rate = p->settings->drift_rate;
    if (unit == p->settings->reference)
        return 0;
    for (uint32_t k = 0; k < u->n_measured; k++) {
        double apart = fabs((double)(int64_t)(u->measured[k].time - u->base) - time);
        if (apart < nearest) {
            nearest = apart;
            error = u->measured[k].error;
        }
    }
    if (u->n_measured > 0)
        rate += uncertain_rate(u, time, most);
    return SIGMAS * error + rate * nearest;
}

static int has_line(const struct problem *p, uint32_t unit)
{
    const struct unit *u = &p->b->unit[unit];
    if (unit == p->settings->reference)
        return 1;
    if (u->n_measured < 2)
        return 0;
    double span = (double)(u->measured[u->n_measured - 1].time - u->measured[0].time);
    return span > 0;
}

double prior_value(const struct problem *p, uint32_t unit, double part)
{
    const double *line = p->prior_line + 2 * (size_t)unit;
    return line[0] + part * (line[1] - line[0]);
}

/* The most likely rate, from a measured one with an error, which in a short run is far larger than the usual rate. */
static double likely_rate(double rate, double error)
{
    double likely = rate;
    for (int i = 0; i < RATE_STEPS; i++) {
        double expected = expected_rate(likely * likely);
        likely = rate * expected / (expected + error * error);
    }
    return likely;
}

/* The line of a clock with two measurements at least. */
static void lay_line(struct problem *p, uint32_t u)
{
    const struct grid *g = &p->grid;
    const struct unit *unit = &p->b->unit[u];
    const struct measured *a = &unit->measured[0], *b = &unit->measured[unit->n_measured - 1];
    double start = (double)(int64_t)(a->time - unit->base), span = (double)(b->time - a->time);
    double rate = likely_rate((b->offset - a->offset) / span, hypot(a->error, b->error) / span);
    double part =
        a->error * a->error / (a->error * a->error + b->error * b->error); /* of the way: nearer to the better one */
    double time = start + part * span, offset = a->offset + part * (b->offset - a->offset);
    for (int end = 0; end < 2; end++)
        p->prior_line[2 * (size_t)u + (size_t)end] = offset + rate * (g->start[u] + end * g->step - time);
}

/* The lines; 0: there is a clock without one. */
static int lay_lines(struct problem *p)
{
    for (uint32_t u = 0; u < p->b->n_units; u++)
        if (p->b->unit[u].seen && p->component[u] == 0 && !has_line(p, u))
            return 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        if (p->b->unit[u].seen && p->component[u] == 0 && u != p->settings->reference)
            lay_line(p, u);
    return 1;
}

int prior_find(struct problem *p)
{
    p->prior_line = calloc(2 * (size_t)p->b->n_units + 1, sizeof *p->prior_line);
    if (!p->prior_line)
        return -1;
    if (p->settled[0] || !lay_lines(p)) {
        free(p->prior_line);
        p->prior_line = NULL;
        return 0;
    }
    for (size_t u = 0; u < p->b->n_units; u++)
        if (p->component[u] == 0 && p->b->unit[u].seen)
            memcpy(p->grid.z + 2 * u, p->prior_line + 2 * u, 2 * sizeof *p->prior_line);
    return 0;
}

/* This covers the estimate's own distance from the lines; measurement errors and unseen drift come on top. */
double prior_deviation(const struct problem *p)
{
    double sum = 0, n = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 0; k <= p->grid.gaps && has_prior(p, u) && u != p->settings->reference; k++) {
            double off = p->grid.z[(size_t)u * (p->grid.gaps + 1) + k] - prior_value(p, u, (double)k / p->grid.gaps);
            sum += off * off;
            n++;
        }
    return n > 0 ? sqrt(sum / n) : 0;
}
