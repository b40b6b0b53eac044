/* Moves clocks that have measured offsets to where no message is reversed, as little as it takes.
 *
 * The bounds of an interval are difference constraints on the changes d of the clocks: a message from a to b with slack f
 * says d(a) - d(b) <= f; the reference doesn't change, and all stay within the band around their measured offsets. The
 * largest and the smallest changes that fulfil all of them are shortest paths from the reference. Of what lies between,
 * those nearest to none are taken: the mean of what is found by lowering clocks only, and by raising them only. All
 * solutions make a convex set, so a mean of two is one.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 12, PASSES = 100, TOLERANCES = 8 };

struct changes {
    struct problem *p;
    uint32_t *order, *end; /* rows by interval */
    double *most, *least;          /* by unit: what its band leaves it */
    double *upper, *lower, *x, *y; /* by unit */
    double *change;        /* by unit and interval */
};

/* Lowers senders (1) or raises receivers (0) until no row contradicts by more than what is tolerated. 0: there is no
 * end to it, or the reference would change, or a clock leave its band. */
static int relax(struct changes *c, uint32_t m, int lower, double tolerance, double *x)
{
    struct problem *p = c->p;
    uint32_t start = m ? c->end[m - 1] : 0, pass = 0;
    for (int changed = 1; changed && pass < PASSES; pass++) {
        changed = 0;
        p->work += c->end[m] - start;
        for (uint32_t i = start; i < c->end[m]; i++) {
            const struct row *r = &p->row[c->order[i]];
            uint32_t a = p->b->pair[r->pair].from, b = p->b->pair[r->pair].to;
            double most = r->slack + tolerance;
            if (x[a] - x[b] <= most + 0.01)
                continue;
            if (lower)
                x[a] = x[b] + most;
            else
                x[b] = x[a] - most;
            if (lower ? x[a] < c->least[a] - 0.1 : x[b] > c->most[b] + 0.1)
                return 0;
            changed = 1;
        }
    }
    return pass < PASSES;
}

/* Changes of one interval; 0: there are none. */
static int solve_interval(struct changes *c, uint32_t m, double tolerance)
{
    uint32_t n = c->p->b->n_units;
    memcpy(c->upper, c->most, n * sizeof *c->upper);
    memcpy(c->lower, c->least, n * sizeof *c->lower);
    if (!relax(c, m, 1, tolerance, c->upper) || !relax(c, m, 0, tolerance, c->lower))
        return 0;
    for (uint32_t u = 0; u < n; u++)
        c->x[u] = c->y[u] = fmax(c->lower[u], fmin(c->upper[u], 0));
    return relax(c, m, 1, tolerance, c->x) && relax(c, m, 0, tolerance, c->y);
}

/* Clocks that bend within the interval contradict themselves a little. */
static void change_interval(struct changes *c, uint32_t m)
{
    struct problem *p = c->p;
    uint32_t n = p->b->n_units, i = 0;
    double part = (m + 0.5) / p->intervals, band = WIDER_BAND * prior_band(p, part), tolerance = 0;
    for (uint32_t u = 0; u < n; u++) {
        double time = p->grid.start[u] + part * p->grid.gaps * p->grid.step;
        int free = has_prior(p, u) && u != p->settings->reference;
        double off = free ? grid_value(&p->grid, u, time) - prior_value(p, u, part) : 0;
        c->most[u] = free ? band - off : 0;
        c->least[u] = free ? -band - off : 0;
    }
    while (i < TOLERANCES && !solve_interval(c, m, tolerance))
        tolerance = band / (1u << (TOLERANCES - ++i));
    for (uint32_t u = 0; u < n && i < TOLERANCES; u++)
        c->change[(size_t)u * p->intervals + m] = (c->x[u] + c->y[u]) / 2;
}

static double reversed(const struct problem *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n_rows; i++)
        sum += p->row[i].slack < 0 ? -p->row[i].slack : 0;
    return sum;
}

/* Intervals are as wide as gaps, or parts of them. A knot takes the mean of all that is near it, by how near. */
static void change_knots(struct changes *c)
{
    struct grid *g = &c->p->grid;
    double per_interval = (double)g->gaps / c->p->intervals;
    for (uint32_t u = 0; u < c->p->b->n_units; u++) {
        const double *change = c->change + (size_t)u * c->p->intervals;
        double *z = g->z + (size_t)u * (g->gaps + 1);
        uint32_t m = 0;
        for (uint32_t k = 0; k <= g->gaps; k++) {
            double sum = 0, weight = 0;
            while ((m + 0.5) * per_interval <= (double)k - 1)
                m++;
            for (uint32_t i = m; i < c->p->intervals && (i + 0.5) * per_interval < (double)k + 1; i++) {
                double near = 1 - fabs((i + 0.5) * per_interval - k);
                sum += near * change[i];
                weight += near;
            }
            z[k] += weight > 0 ? sum / weight : 0;
        }
    }
}

/* What has left the band has gone astray: there were too few tight messages for the number of loose ones. */
static void stay_in_band(struct problem *p)
{
    uint32_t gaps = p->grid.gaps;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 0; k <= gaps && has_prior(p, u) && u != p->settings->reference; k++) {
            double part = (double)k / gaps, line = prior_value(p, u, part), band = WIDER_BAND * prior_band(p, part);
            double *z = &p->grid.z[(size_t)u * (gaps + 1) + k];
            *z = fmax(line - band, fmin(line + band, *z));
        }
}

static int rounds(struct changes *c, uint32_t intervals, double *best)
{
    struct problem *p = c->p;
    size_t bytes = (size_t)p->b->n_units * (p->grid.gaps + 1) * sizeof *best;
    double least = INFINITY;
    stay_in_band(p);
    for (uint32_t i = 0; i <= ROUNDS; i++) {
        if (problem_rows(p, intervals) != 0)
            return -1;
        double now = reversed(p);
        if (now < least) {
            least = now;
            memcpy(best, p->grid.z, bytes);
        }
        if (now == 0 || i == ROUNDS)
            break;
        uint32_t *order = realloc(c->order, ((size_t)p->n_rows + 1) * sizeof *order);
        if (!order)
            return -1;
        c->order = order;
        rows_by_interval(p, c->order, c->end);
        memset(c->change, 0, (size_t)p->b->n_units * intervals * sizeof *c->change);
        for (uint32_t m = 0; m < intervals; m++)
            change_interval(c, m);
        change_knots(c);
    }
    memcpy(p->grid.z, best, bytes);
    return 0;
}

int make_feasible(struct problem *p, uint32_t intervals)
{
    size_t units = (size_t)p->b->n_units + 1;
    double *best = malloc(units * (p->grid.gaps + 1) * sizeof *best), *x = malloc(6 * units * sizeof *x);
    struct changes c = {.p = p, .upper = x, .lower = x + units, .x = x + 2 * units, .y = x + 3 * units};
    c.most = x + 4 * units;
    c.least = x + 5 * units;
    c.end = malloc(((size_t)intervals + 1) * sizeof *c.end);
    c.change = malloc(units * intervals * sizeof *c.change);
    int status = best && x && c.end && c.change ? rounds(&c, intervals, best) : -1;
    free(best);
    free(x);
    free(c.order);
    free(c.end);
    free(c.change);
    return status;
}
