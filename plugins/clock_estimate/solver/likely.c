/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Likely errors: 95 % of a clock's times are expected to be off by no more. Bars bound the error, whatever the noise
 * is; this is what the noise usually makes of it.
 *
 * The least squares are a Gaussian model: each equation states a standard deviation. Disturb every equation by noise of
 * that size, solve again: the solution is an error that the estimate could have (Papandreou and Yuille, "Gaussian
 * sampling by local perturbations", 2010). The mean square over some samples and the knots of a clock, relative to the
 * reference, is the variance of its correction. The noise is +1 or -1 standard deviations, which gives the same
 * variance as Gaussian noise with the least scatter (Hutchinson 1990), from a fixed seed.
 *
 * The model takes the scatter of slacks as known, and a few things for granted. So this adds:
 * - The rest of a delay is exponential, and the scatter is a mean absolute deviation.
 * - The scatter comes from the rows that the corrections were fitted to. Few rows, fitted well by as many unknowns,
 * look better than they are: the variance is that about the fit times n / (n - unknowns), and Student's t replaces the
 *   normal distribution.
 * - Where no pair of a class has messages of both directions in the peak, the usual delay of the class is known from
 *   the estimate alone. All clocks shift together with it.
 * - The differences of a pair's two directions point one way on a grid of processes, and add up: half of their variance
 *   is common to all pairs, from lower to higher units. If the delays of pairs differ, those of directions do, too.
 * - Clocks that keep their times or get the measured offsets are off by the distance to the estimate besides.
 * - Clocks that are taken for lines may bend as far as noise hides it: the model is that of bending clocks, and they
 *   are off by the distance to its solution besides.
 *
 * On a grid much finer than what the messages resolve, expectation determines nearly all bends. Then the samples have a
 * coarser grid: they show the same, in a fraction of the time. */
#include "equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples of rows and of priors, each: so many at most; fewer when they have taken this work and a part of the
 * search's; but so many at least. */
enum { MOST_SAMPLES = 8, LEAST_WORK = 1000000, PART_OF_WORK = 20, LEAST_SAMPLES = 3, MOST_ROUNDS = 200 };
/* The expectation of bends counts as much as so many found ones. */
enum { COUNTS_BENDS = 2 };
/* Convergence: one standard deviation, over all unknowns together. */
static const struct exactness sample = {.rest = 1};
/* Of a precision, which is what gains leave of a sum, this part is not worth a round. */
static const double part_of_precision = 0.005;
/* The usual delay of a class may be off by so many times itself before the equations say anything of it. */
static const double any_delay = 10;
/* An unknown of this weight, relative to its equations, doesn't move. */
static const double fixed_weight = 1e12;
/* The grid of the samples is so coarse that messages determine this part of the bends of a clock, at most. */
static const double part_determined = 1.0 / 3;
/* 95 % of a normal distribution lie within so many standard deviations. */
static const double normal_95 = 1.96;

/* ------------------------------------------------------------------------------------------------------- samples -- */

/* Random signs by splitmix64. */
struct signs {
    uint64_t state, bits;
    uint32_t left;
};

struct samples {
    struct network w;
    struct signs signs;
    uint8_t *tied;               /* by unit: do equations tie it to the reference? */
    uint8_t open[CLASSES];       /* the usual delay is known from the estimate alone */
    double *common;              /* band: the smoothness of all tied clocks together */
    double *together;            /* by knot: what all tied clocks do alike */
    double *noise;               /* by equation: that of the present sample, times its weight */
    double *of_rows, *of_priors; /* by unit: sums of mean squares */
};

static double sign_of(struct signs *s)
{
    if (s->left == 0) {
        uint64_t x = s->state += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        s->bits = x ^ x >> 31;
        s->left = 64;
    }
    double sign = s->bits & 1 ? -1 : 1;
    s->bits >>= 1;
    s->left--;
    return sign;
}

/* One standard deviation of an equation, times its weight. */
static double noise_of(struct signs *s, double weight)
{
    return sign_of(s) * sqrt(weight);
}

/* The noise of what the delay of a group departs from the usual one; `upwards` is the sign of what all pairs have in
 * common. */
static double noise_of_lever(struct samples *s, const struct group *g, double upwards)
{
    const struct problem *p = s->w.p;
    struct lever l = g->lever;
    if (l.usual || !(l.weight > 0))
        return noise_of(&s->signs, l.weight);
    const struct noise *noise = &p->noise[class_of(p, g->number)];
    const struct pair *q = &p->b->pair[g->number];
    double wider = hypot(1, noise->special_scatter / noise->uneven), way = q->from < q->to ? l.sign : -l.sign;
    return wider * sqrt(l.weight / 2) * (upwards * way + sign_of(&s->signs));
}

static void perturb_group(struct samples *s, const struct group *g, double upwards, double *y)
{
    for (uint32_t i = g->first; i < g->end; i++) {
        s->noise[i] = deviation_of_exponential * noise_of(&s->signs, s->w.equation[i].weight);
        network_demand(&s->w, g, i, s->noise[i], y);
    }
    double v = noise_of_lever(s, g, upwards);
    y[g->lever.at] += v;
    if (g->lever.usual)
        y[g->lever.usual] -= v;
}

/* What is stated by the scatter of slacks: rows, and the delays of groups and classes. */
static void perturb_rows(struct samples *s)
{
    struct network *w = &s->w;
    double *y = w->vector[1], upwards = sign_of(&s->signs);
    memset(y, 0, w->n * sizeof *y);
    for (uint32_t i = 0; i < w->n_groups; i++)
        perturb_group(s, &w->group[i], upwards, y);
    for (uint32_t c = 0; c < CLASSES; c++)
        if (!s->open[c])
            y[w->classes + c] += noise_of(&s->signs, w->class_weight[c]);
}

static void perturb_smoothness(struct samples *s, uint32_t unit, double *y)
{
    const struct network *w = &s->w;
    const double *weight = w->bend_weight + (size_t)unit * w->knots;
    double *out = y + (size_t)unit * w->knots;
    for (uint32_t k = 0; k + 1 < w->knots; k++) {
        double v = noise_of(&s->signs, w->rate_weight[unit]);
        out[k] -= v;
        out[k + 1] += v;
    }
    for (uint32_t k = 1; k + 1 < w->knots; k++) {
        double v = noise_of(&s->signs, weight[k]);
        out[k - 1] += v;
        out[k] -= 2 * v;
        out[k + 1] += v;
    }
}

/* Takes off what would move all clocks alike: nothing but smoothness holds that, so the search would take long, and it
 * changes no clock relative to another. */
static void take_off_common(struct samples *s, double *y)
{
    const struct network *w = &s->w;
    double *x = w->vector[0];
    memset(s->together, 0, w->knots * sizeof *s->together);
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        for (uint32_t k = 0; k < w->knots && s->tied[u]; k++)
            s->together[k] += y[(size_t)u * w->knots + k];
    bands_solve(s->common, w->knots, 1, s->together);
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        if (s->tied[u]) {
            memcpy(x + (size_t)u * w->knots, s->together, w->knots * sizeof *x);
            network_smooth(w, u, -1, x, y);
        }
}

/* Smoothness and measured offsets. */
static void perturb_priors(struct samples *s)
{
    struct network *w = &s->w;
    double *y = w->vector[1];
    memset(y, 0, w->n * sizeof *y);
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        if (s->tied[u])
            perturb_smoothness(s, u, y);
    take_off_common(s, y);
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double v = noise_of(&s->signs, a->weight);
        network_add(y, w, a->unit, &a->place, v);
        network_add(y, w, a->origin, &a->place, -v);
    }
}

/* ------------------------------------------------------------------------------------------------------- squares -- */

/* The knots around a unit's times. */
static void knots_of(const struct problem *p, uint32_t unit, uint32_t *first, uint32_t *end)
{
    const struct unit *u = &p->b->unit[unit];
    *first = grid_place(&p->grid, unit, (double)u->first).at;
    *end = grid_place(&p->grid, unit, (double)u->last).at + 2;
}

/* Adds the mean squares of the solution, relative to the reference, over the knots of each unit. */
static void add_squares(const struct samples *s, double part, double *to)
{
    const struct network *w = &s->w;
    const struct problem *p = w->p;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const double *x = w->vector[0] + (size_t)u * w->knots;
        const double *origin = w->vector[0] + (size_t)p->origin_of[p->component[u]] * w->knots;
        uint32_t first, end;
        knots_of(p, u, &first, &end);
        for (uint32_t k = first; k < end; k++)
            to[u] += part / (end - first) * (x[k] - origin[k]) * (x[k] - origin[k]);
    }
}

/* How many rows share the scatter: those in peaks. */
static double rows_with_scatter(const struct problem *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->n_rows; i++) {
        const struct row *r = &p->row[i];
        double scatter = r->pair == NO_PAIR ? p->noise[COLLECTIVES].scatter : p->of_pair[r->pair].scatter;
        sum += r->weight * scatter * scatter;
    }
    return sum;
}

/* How much of the rows' noise the solution takes: the trace of the matrix that makes fitted rows of rows, estimated
 * from the present sample (Hutchinson 1990). */
static double taken_by_solution(const struct samples *s)
{
    const struct network *w = &s->w;
    double sum = 0;
    for (const struct group *g = w->group; g < w->group + w->n_groups; g++)
        for (uint32_t i = g->first; i < g->end; i++)
            sum += s->noise[i] * network_change(w, g, i, w->vector[0]);
    return sum / (deviation_of_exponential * deviation_of_exponential);
}

/* 95 % of Student's t-distribution of `freedom` degrees lie within so many standard deviations; its expansion about the
 * normal distribution. */
static double student(double freedom)
{
    double f = 1 / freedom;
    return normal_95 + f * (2.37 + f * (2.82 + f * 2.6));
}

/* The usual delay of each class that no pair settles stays where it is, and so do the clocks with it. Their response to
 * a longer delay shows how well the equations determine it, and what its error adds. */
static void respond_to_classes(struct samples *s)
{
    struct network *w = &s->w;
    const struct noise *noise = w->p->noise;
    for (uint32_t c = 0; c < CLASSES; c++)
        if (!(w->class_weight[c] > 0) && noise[c].n > 0) {
            s->open[c] = 1;
            w->class_weight[c] = fixed_weight * w->class_diagonal[c];
            w->class_diagonal[c] += w->class_weight[c];
        }
    for (uint32_t c = 0; c < CLASSES; c++) {
        double by = any_delay * (noise[c].delay + noise[c].scatter), precision = 1; /* in units of 1 / by^2 */
        if (!s->open[c] || problem_interrupted(w->p))
            continue;
        memset(w->vector[1], 0, w->n * sizeof *w->vector[1]);
        for (uint32_t i = 0; i < w->n_groups; i++) {
            struct lever l = w->group[i].lever;
            if (l.usual != w->classes + c)
                continue;
            w->vector[1][l.at] += l.weight * by;
            precision += l.weight * by * by;
        }
        precision -= network_solve(w, (struct exactness){1, part_of_precision, precision}, MOST_ROUNDS);
        add_squares(s, 1 / fmax(precision, 1), w->p->likely);
    }
}

/* Draws samples of rows and of priors in turn, and sums up their squares. Returns how many of each; *taken: how many of
 * the rows the unknowns take. */
static double draw(struct samples *s, double *taken)
{
    struct network *w = &s->w;
    const uint64_t before = w->p->work, enough = before + LEAST_WORK + before / PART_OF_WORK;
    double samples = 0, all = 0;
    while ((samples < LEAST_SAMPLES || (samples < MOST_SAMPLES && w->p->work < enough)) && !problem_interrupted(w->p)) {
        perturb_rows(s);
        network_solve(w, sample, MOST_ROUNDS);
        all += taken_by_solution(s);
        add_squares(s, 1, s->of_rows);
        perturb_priors(s);
        network_solve(w, sample, MOST_ROUNDS);
        add_squares(s, 1, s->of_priors);
        samples++;
    }
    *taken = all / samples;
    return samples;
}

/* Squares of likely errors, from those of the samples; n: rows with scatter. A correction has two unknowns at least,
 * offset and rate, so a sample has two degrees of freedom. */
static void sum_up(const struct samples *s, double n, double samples, double taken)
{
    struct problem *p = s->w.p;
    double free = n - taken, freedom = 2 * samples;
    for (uint32_t c = 0; c < CLASSES; c++)
        free -= p->noise[c].settled;               /* the delay of a pair is fitted, too */
    free = fmax(free, fmax(1, sqrt(n / samples))); /* samples know it no better */
    double rows = student(1 / (1 / free + 1 / freedom)), priors = student(freedom);
    for (uint32_t u = 0; u < p->b->n_units; u++)
        p->likely[u] = !s->tied[u] ? INFINITY
                                   : normal_95 * normal_95 * p->likely[u] +
                                         rows * rows * fmax(n / free, 1) * s->of_rows[u] / samples +
                                         priors * priors * s->of_priors[u] / samples;
}

/* --------------------------------------------------------------------------------------------------------- start -- */

/* Which units do equations tie to the reference? -1: out of memory. */
static int find_tied(struct samples *s)
{
    const struct network *w = &s->w;
    const struct problem *p = w->p;
    uint32_t *set = malloc(((size_t)p->b->n_units + 1) * sizeof *set);
    if (!set)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        set[u] = u;
    for (uint32_t i = 0; i < w->n_equations; i++)
        set[set_of(set, w->equation[i].from / w->knots)] = set_of(set, w->equation[i].to / w->knots);
    for (uint32_t i = 0; i < w->n_anchors; i++)
        set[set_of(set, w->anchor[i].unit)] = set_of(set, w->anchor[i].origin);
    for (uint32_t u = 0; u < p->b->n_units; u++)
        s->tied[u] = p->component[u] == 0 && set_of(set, u) == set_of(set, p->origin_of[0]);
    free(set);
    return 0;
}

static int samples_init(struct samples *s, struct problem *p)
{
    const struct network *w = &s->w;
    *s = (struct samples){0};
    if (equations_init(&s->w, p) != 0)
        return -1;
    s->tied = calloc((size_t)p->b->n_units + 1, 1);
    s->common = calloc(BAND * (size_t)w->knots + 2 * BAND, sizeof *s->common);
    s->together = malloc(w->knots * sizeof *s->together);
    s->noise = malloc(((size_t)w->n_equations + 1) * sizeof *s->noise);
    s->of_rows = calloc((size_t)p->b->n_units + 1, sizeof *s->of_rows);
    s->of_priors = calloc((size_t)p->b->n_units + 1, sizeof *s->of_priors);
    if (!s->tied || !s->common || !s->together || !s->noise || !s->of_rows || !s->of_priors || find_tied(s) != 0)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        if (s->tied[u])
            band_add_smoothness(s->common, w->knots, w->rate_weight[u], w->bend_weight + (size_t)u * w->knots);
    band_loosen(s->common, w->knots);
    band_factorise(s->common, w->knots);
    return 0;
}

static void samples_free(struct samples *s)
{
    equations_free(&s->w);
    free(s->tied);
    free(s->common);
    free(s->together);
    free(s->noise);
    free(s->of_rows);
    free(s->of_priors);
}

/* ---------------------------------------------------------------------------------------------------- the grid -- */

/* How many bends of a clock messages determine, of that with the most. */
static double most_determined(const struct problem *p)
{
    double most = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const float *determined = p->determined + (size_t)u * (p->grid.gaps + 1);
        double sum = 0;
        for (uint32_t k = 1; k < p->grid.gaps; k++)
            sum += (double)determined[k];
        most = fmax(most, sum);
    }
    return most;
}

/* How many times as wide the gaps of the samples may be. */
static uint32_t find_width(const struct problem *p)
{
    uint32_t width = 1;
    double most = most_determined(p);
    while (p->grid.gaps / (2 * width) >= BENDS_FREE_GAPS && most <= part_determined * p->grid.gaps / (2 * width))
        width *= 2;
    return width;
}

static struct place wider_place(const struct place *place, uint32_t width)
{
    return (struct place){place->at / width, ((float)(place->at % width) + place->part) / (float)width};
}

static void add_row(struct row *to, const struct row *row)
{
    to->weight += row->weight;
    double part = row->weight / to->weight;
    to->from.part += (float)part * (row->from.part - to->from.part);
    to->to.part += (float)part * (row->to.part - to->to.part);
    to->want += part * (row->want - to->want);
}

/* Of the rows of a pair, those between the same knots become one, at their mean. */
static void widen_rows(struct problem *p, uint32_t width)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->n_rows; i++) {
        struct row row = p->row[i], *last = &p->row[kept > 0 ? kept - 1 : 0];
        if (!(row.weight > 0))
            continue;
        row.from = wider_place(&row.from, width);
        row.to = wider_place(&row.to, width);
        if (kept > 0 && row.pair != NO_PAIR && row.pair == last->pair && row.from.at == last->from.at &&
            row.to.at == last->to.at)
            add_row(last, &row);
        else
            p->row[kept++] = row;
    }
    p->n_rows = kept;
}

/* The bend to expect at a knot of the wider grid. Bends are steps of a random walk of the rate. It goes on as on the
 * fine grid if squares grow with the cube of the width; those of the fine grid count as their hats say. */
static double wider_bend(const double *bend, uint32_t gaps, uint32_t k, uint32_t width)
{
    double squares = 0;
    for (uint32_t i = k > width ? k - width + 1 : 0; i < k + width && i <= gaps; i++)
        squares += (width - (i > k ? i - k : k - i)) * bend[i] * bend[i];
    return sqrt(width * squares);
}

/* Gives p a grid with gaps that are `width` times as wide, with z and bends of its own, which the caller frees; changes
 * the rows. -1: out of memory. */
static int widen(struct problem *p, uint32_t width)
{
    struct grid *g = &p->grid;
    const uint32_t fine = g->gaps + 1, knots = g->gaps / width + 1;
    const size_t n = (size_t)p->b->n_units * knots;
    const double *fine_z = g->z, *fine_bend = p->bend;
    g->z = malloc((n + 1) * sizeof *g->z);
    p->bend = malloc((n + 1) * sizeof *p->bend);
    for (size_t i = 0; g->z && p->bend && i < n; i++) {
        const size_t unit = i / knots * fine;
        const uint32_t k = (uint32_t)(i % knots) * width;
        g->z[i] = fine_z[unit + k];
        p->bend[i] = wider_bend(fine_bend + unit, g->gaps, k, width);
    }
    g->gaps /= width;
    g->step *= width;
    g->per_step /= width;
    widen_rows(p, width);
    return g->z && p->bend ? 0 : -1;
}

/* How far the equations would move clocks that are right as they are, or taken for lines. */
static void find_distances(struct samples *s)
{
    network_demands(&s->w, s->w.vector[1]);
    network_solve(&s->w, sample, MOST_ROUNDS);
    add_squares(s, 1, s->w.p->likely);
}

/* The mean squared ratio of found to expected bends, over all clocks. */
static double squares_of_bends(struct network *w)
{
    const struct problem *p = w->p;
    double found = COUNTS_BENDS, determined = COUNTS_BENDS;
    network_demands(w, w->vector[1]);
    network_solve(w, sample, MOST_ROUNDS);
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        size_t at = (size_t)u * w->knots;
        band_uncertainty(band_of(w, u), w->knots, w->bend_weight + at, p->determined + at);
        for (size_t k = at + 1; k + 1 < at + w->knots; k++) {
            const double *z = p->grid.z + k, *x = w->vector[0] + k;
            double bend = z[-1] + x[-1] - 2 * (z[0] + x[0]) + z[1] + x[1];
            found += w->bend_weight[k] * bend * bend;
            determined += (double)p->determined[k];
        }
    }
    return found / determined;
}

/* The bends that noise may hide were expected on the way to lines; evidence shrinks them once more, as in bends.c. -1:
 * out of memory. */
static int judge_possible_bends(struct problem *p)
{
    struct network w;
    int status = equations_init(&w, p);
    double times = status == 0 ? sqrt(fmin(squares_of_bends(&w), 1)) : 1;
    for (size_t k = 0; k < w.delays; k++)
        p->bend[k] *= times;
    equations_free(&w);
    return status;
}

static int draw_from(struct problem *p, double n, int distances)
{
    struct samples s;
    double taken;
    int status = samples_init(&s, p);
    if (status == 0) {
        if (distances)
            find_distances(&s);
        respond_to_classes(&s);
        double samples = draw(&s, &taken);
        sum_up(&s, n, samples, taken);
    }
    samples_free(&s);
    return problem_interrupted(p) ? -1 : status;
}

/* The samples' problem has its own grid and expected bends; from here on the rows are its. */
static int compute(struct problem *p, int distances)
{
    struct problem of_samples = *p;
    const double n = rows_with_scatter(p);
    const uint32_t width = find_width(p);
    of_samples.bend = p->possible_bend ? p->possible_bend : p->bend;
    int status = p->possible_bend ? judge_possible_bends(&of_samples) : 0;
    if (width > 1 && widen(&of_samples, width) != 0)
        status = -1;
    if (status == 0)
        status = draw_from(&of_samples, n, distances);
    p->n_rows = of_samples.n_rows;
    p->work = of_samples.work;
    if (width > 1) {
        free(of_samples.grid.z);
        free(of_samples.bend);
    }
    return status;
}

int likely_compute(struct problem *p)
{
    uint8_t *settled = p->settled, *none = calloc((size_t)p->components + 1, 1);
    int distances = p->possible_bend != NULL, status = none ? 0 : -1;
    for (uint32_t c = 0; c < p->components; c++)
        distances |= settled[c];
    p->settled = none; /* how far would the estimate move them? */
    if (status == 0 && distances &&
        (problem_rows(p, p->intervals) != 0 || problem_judge(p) != 0 || problem_weigh(p) != 0))
        status = -1;
    if (status == 0)
        status = compute(p, distances);
    p->settled = settled;
    free(none);
    return status;
}

double likely_error(const struct problem *p, uint32_t unit, const struct unit_result *r)
{
    double far = 0;
    uint32_t first, end;
    knots_of(p, unit, &first, &end);
    for (uint32_t k = first; k < end && r->origin == FROM_MEASURED; k++) {
        double z = p->grid.z[(size_t)unit * (p->grid.gaps + 1) + k], time = p->grid.start[unit] + k * p->grid.step;
        far += pow(z - measured_at(&p->b->unit[unit], time), 2) / (end - first);
    }
    double likely = sqrt(p->likely[unit] + normal_95 * normal_95 * far);
    return isfinite(r->error) && likely < r->error ? likely : r->error;
}
