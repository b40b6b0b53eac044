/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The delay of a message whose receiver is waiting, and its scatter: they turn a slack into a statement about clocks.
 *
 * A slack is the delay of its message, plus the present error of the clocks, plus any time by which the receiver came
 * late. So slacks are a mixture: a narrow peak of messages whose receiver was waiting, and a broad tail above it. Both
 * are fitted to all pairs of a class together, because a single pair may have few messages, and none in the
 * peak. A pair departs from its class as far as its own messages show. Where both directions do, their mean doesn't
 * depend on the clocks; otherwise the delay is an unknown of the least squares (equations.c). */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE = 2048, FEWEST = 8, STEPS = 15, PAIR_STEPS = 3, WIDER = 8 };
/* From so many gaps on, and so many rows, the time that bytes take is measured. On coarser grids the errors of the
 * clocks, more than sizes, determine which messages are the tightest. */
enum { FINE = 32, MANY = 20 };
/* The class counts as much as so many messages of the pair. */
static const double prior_messages = 2;
/* The least difference of the delays of pairs, as a fraction of the scatter. */
static const double special_part = 0.25;
/* The fraction of a class in its peak, if nearly all receivers are late. */
static const double least_part = 0.01;
/* A peak is trusted if it has this fraction of the rows of the largest one. */
static const double trusted_part = 0.25;
/* The least fraction of messages whose receiver is waiting. */
static const double punctual_messages = 0.05;

/* A peak starts with this scatter below its densest slacks, and this one above. */
enum { SCATTERS_BELOW = 4, SCATTERS_ABOVE = 8 };
/* Most rows are in the peak: more than this part. */
static const double mostly = 0.5;
/* Where the slacks of a pair begin, those of a class end, and which of the differences of pairs is the usual one:
 * parts of them that are smaller. */
static const double low_end = 0.1, high_end = 0.95, usual_special = 0.6;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Where sorted numbers are densest: the narrowest half, of that the narrowest half, and so on (half-sample mode). */
static double densest(const double *x, uint32_t n)
{
    uint32_t first = 0;
    while (n > FEWEST) {
        uint32_t half = (n + 1) / 2, best = first;
        for (uint32_t i = first; i + half <= first + n; i++)
            if (x[i + half - 1] - x[i] < x[best + half - 1] - x[best])
                best = i;
        first = best;
        n = half;
    }
    return x[first + n / 2];
}

/* The range of sorted numbers, without the largest ones. */
static double width(const double *x, uint32_t n)
{
    return x[(uint32_t)(high_end * (n - 1))] - x[0] + 1;
}

/* Fits the peak and the tail of sorted slacks by expectation and maximisation. */
static void fit(struct noise *noise, const double *x, uint32_t n, double lowest_part)
{
    noise->delay = densest(x, n);
    noise->tail = width(x, n);
    noise->part = 0.5;
    noise->scatter = fabs(noise->delay - x[0]) / SCATTERS_BELOW + 1;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct peak peak = peak_of(noise, noise->scatter);
        double sum = 0, off = 0, below = 0;
        uint32_t middle = 0;
        for (uint32_t i = 0; i < n; i++) {
            double excess = x[i] - noise->delay, share = punctual(&peak, excess);
            sum += share;
            off += share * fabs(excess);
        }
        if (!(sum > 1))
            break;
        while (middle + 1 < n && (below += punctual(&peak, x[middle] - noise->delay)) < sum / 2)
            middle++;
        noise->part = fmax(lowest_part, fmin(sum / n, 0.99));
        noise->scatter = off / sum + 1;
        noise->delay = x[middle];
    }
    noise->delay = noise->delay > 0 ? noise->delay : 0;
}

/* How many rows of a class are in its peak. */
static double known(const struct noise *noise)
{
    return noise->part > least_part ? noise->n * noise->part : 0;
}

/* May a class between machines take over the peak of this class? Ranks of one machine often share a clock: then
 * slacks inside of it are free of the errors of clocks, and their narrow peak is no measure of those between machines.
 */
static int is_inside(uint32_t class_)
{
    return class_ < COLLECTIVES && class_ % 2;
}

/* The narrowest of the peaks with many rows; that of few rows may be chance. The ends of a collective are late
 * together, so their peak looks too narrow. NULL: there is none. */
static const struct noise *trusted_peak(const struct problem *p, int inside)
{
    const struct noise *narrow = NULL;
    double most = 0;
    for (uint32_t c = 0; c < COLLECTIVES; c++)
        if (inside || !is_inside(c))
            most = fmax(most, known(&p->noise[c]));
    for (uint32_t c = 0; c < COLLECTIVES; c++) {
        if (is_inside(c) && !inside)
            continue;
        const struct noise *noise = &p->noise[c];
        if (noise->n >= FEWEST && known(noise) > 0 && known(noise) >= trusted_part * most &&
            (!narrow || noise->scatter < narrow->scatter))
            narrow = noise;
    }
    return narrow ? narrow : p->noise[COLLECTIVES].n >= FEWEST ? &p->noise[COLLECTIVES] : NULL;
}

/* A class in which hardly any receiver waits, such as messages to a root, has no peak of its own: the densest slacks
 * are late ones, and far wider than the peaks of others. It takes over a trusted peak. */
static void borrow_peaks(struct problem *p)
{
    const struct noise *lenders[2] = {trusted_peak(p, 0), trusted_peak(p, 1)};
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct noise *noise = &p->noise[c];
        const struct noise *trusted = lenders[is_inside(c)];
        if (!trusted || noise->n == 0 || noise->scatter < WIDER * trusted->scatter)
            continue;
        noise->delay = trusted->delay;
        noise->scatter = trusted->scatter;
        noise->part = least_part;
    }
}

/* Where each row is the tightest of many messages, most rows are in the peak, or above it by the present error of the
 * clocks, which is at most what the usual rate makes in a gap. Rows further up are late. x: n slacks of the class,
 * sorted. */
static void fit_class(struct noise *noise, const double *x, uint32_t n, double step)
{
    double reach = usual_rate * step + SCATTERS_ABOVE * noise->scatter;
    uint32_t near = 0;
    while (near < n && x[near] <= x[0] + reach)
        near++;
    double lowest_part = 1 - pow(1 - punctual_messages, noise->messages / noise->n);
    if (near < FEWEST || lowest_part < mostly) {
        fit(noise, x, n, 0);
        return;
    }
    fit(noise, x, near, lowest_part);
    noise->part *= (double)near / n;
    noise->tail = width(x, n);
}

struct sample {
    double *x; /* the class's part of `scratch` */
    uint32_t n, every, skip;
};

static void take_sample(struct sample *s, const struct row *row, uint32_t n)
{
    uint32_t k = s->skip;
    for (; k < n; k += s->every)
        s->x[s->n++] = row[k].slack;
    s->skip = k - n;
}

/* Takes samples of all classes in one pass, side by side in `scratch`, which has room for all rows. */
static void fit_classes(struct problem *p)
{
    struct sample sample[CLASSES];
    double *next = p->scratch;
    uint32_t collectives = p->first_row[p->b->n_pairs];
    for (uint32_t c = 0; c < CLASSES; c++) {
        sample[c] = (struct sample){.x = next, .every = p->noise[c].n / SAMPLE + 1};
        next += (p->noise[c].n + sample[c].every - 1) / sample[c].every;
    }
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        take_sample(&sample[class_of(p, i)], p->row + p->first_row[i], p->first_row[i + 1] - p->first_row[i]);
    take_sample(&sample[COLLECTIVES], p->row + collectives, p->n_rows - collectives);
    for (uint32_t c = 0; c < CLASSES; c++)
        if (sample[c].n > 0) {
            qsort(sample[c].x, sample[c].n, sizeof *sample[c].x, compare_doubles);
            fit_class(&p->noise[c], sample[c].x, sample[c].n, p->grid.step);
        }
}

static void count_rows(struct problem *p)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        p->noise[c].n = 0;
        p->noise[c].messages = 0;
    }
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        struct noise *noise = &p->noise[class_of(p, i)];
        uint32_t n = p->first_row[i + 1] - p->first_row[i];
        noise->n += n;
        noise->messages += n > 0 ? (double)p->b->pair[i].messages : 0;
    }
    p->noise[COLLECTIVES].n = p->n_rows - p->first_row[p->b->n_pairs];
    p->noise[COLLECTIVES].messages = p->noise[COLLECTIVES].n;
}

static void class_noise(struct problem *p)
{
    double sum = 0, all = 0;
    count_rows(p);
    fit_classes(p);
    borrow_peaks(p);
    for (uint32_t c = 0; c < CLASSES; c++) {
        sum += p->noise[c].n * p->noise[c].part * p->noise[c].scatter;
        all += p->noise[c].n * p->noise[c].part;
    }
    p->scatter = all > 0 ? sum / all : p->scatter;
}

/* ------------------------------------------------------------------------------------------------------ of pairs -- */

/* Of a pair and, if there is one, the pair of the other direction. */
struct slacks {
    double *x[2]; /* in `scratch` */
    uint32_t n[2];
};

static struct slacks slacks_of_pair(const struct problem *p, uint32_t i)
{
    struct slacks s = {{p->scratch, p->scratch}, {0, 0}};
    uint32_t pair[2] = {i, p->b->pair[i].reverse};
    for (int way = 0; way < 2 && pair[way] != NO_PAIR; way++) {
        const struct row *row = p->row + p->first_row[pair[way]];
        s.x[way] = p->scratch + p->first_row[pair[way]];
        s.n[way] = p->first_row[pair[way] + 1] - p->first_row[pair[way]];
        for (uint32_t k = 0; k < s.n[way]; k++)
            s.x[way][k] = row[k].slack;
    }
    return s;
}

/* How well a delay explains the slacks. */
static double support(const struct noise *noise, const struct slacks *s, double delay)
{
    double per_scatter = 1 / noise->scatter, sum = prior_messages * decay(fabs(delay - noise->delay) * per_scatter);
    for (int way = 0; way < 2; way++)
        for (uint32_t k = 0; k < s->n[way]; k++)
            sum += decay(fabs(s->x[way][k] - delay) * per_scatter);
    return sum;
}

/* The low end of the pair's own slacks, as a mean of both directions. */
static double own_delay(const struct slacks *s)
{
    return (quantile(s->x[0], s->n[0], low_end) + quantile(s->x[1], s->n[1], low_end)) / 2;
}

/* Of the slacks above a delay, by direction: how many are in the peak, and their sum; returns the sum of their absolute
 * values. */
static double sum_up(const struct noise *noise, const struct slacks *s, double delay, double scatter, double *sum,
                     double *mean)
{
    struct peak peak = peak_of(noise, scatter);
    double off = 0;
    for (int way = 0; way < 2; way++) {
        sum[way] = mean[way] = 0;
        for (uint32_t k = 0; k < s->n[way]; k++) {
            double excess = s->x[way][k] - delay, share = punctual(&peak, excess);
            sum[way] += share;
            mean[way] += share * excess;
            off += share * fabs(excess);
        }
    }
    return off;
}

/* Half of the difference of the two directions' delays, for the first one. A delay is a least one plus an exponential
 * rest, so the mean of the peak is above the least delay by as much as the peak scatters; that is more in a direction
 * whose rows are the tightest of fewer messages. */
static double unlike(const struct noise *noise, const struct slacks *s, double delay, double scatter, const double *sum,
                     const double *mean)
{
    struct peak peak = peak_of(noise, scatter);
    double off[2] = {0};
    for (int way = 0; way < 2; way++) {
        double middle = mean[way] / sum[way];
        for (uint32_t k = 0; k < s->n[way]; k++) {
            double excess = s->x[way][k] - delay;
            off[way] += punctual(&peak, excess) * fabs(excess - middle);
        }
        off[way] *= deviation_of_exponential / (sum[way] + prior_messages);
    }
    return (off[0] - off[1]) / 2;
}

/* The delay of a pair with slacks in the peak in both directions, else -1; and the scatter, and by how much the first
 * direction takes longer than the mean. */
static double judge_slacks(const struct noise *noise, struct slacks *s, double *scatter, double *longer)
{
    double sum[2], mean[2], own = s->n[0] > 0 && s->n[1] > 0 ? own_delay(s) : noise->delay;
    int both = 0;
    *scatter = noise->scatter;
    *longer = 0;
    if (s->n[0] + s->n[1] == 0)
        return -1;
    double delay = support(noise, s, own) > support(noise, s, noise->delay) ? own : noise->delay;
    for (uint32_t step = 0; step < PAIR_STEPS; step++) {
        double off = sum_up(noise, s, delay, *scatter, sum, mean), all = sum[0] + sum[1];
        both = sum[0] > 1 && sum[1] > 1;
        /* Both directions count alike, because errors of clocks have opposite signs in them. */
        double change = both ? all * (mean[0] / sum[0] + mean[1] / sum[1]) / 2 : 0;
        delay =
            both ? delay + (change + prior_messages * (noise->delay - delay)) / (all + prior_messages) : noise->delay;
        *scatter = (off + prior_messages * noise->scatter) / (all + prior_messages);
    }
    if (both)
        *longer = unlike(noise, s, delay, *scatter, sum, mean);
    return !both ? -1 : delay > 0 ? delay : 0;
}

static void judge_pair(struct problem *p, uint32_t i)
{
    const struct noise *noise = &p->noise[class_of(p, i)];
    struct slacks s = slacks_of_pair(p, i);
    double scatter, longer, delay = judge_slacks(noise, &s, &scatter, &longer);
    uint32_t pair[2] = {i, p->b->pair[i].reverse};
    for (int way = 0; way < 2 && pair[way] != NO_PAIR; way++) {
        struct pair_delay *d = &p->of_pair[pair[way]];
        d->floats = delay < 0;
        d->special = d->floats ? d->special : 0;
        d->uneven = d->floats ? 0 : d->uneven;
        d->delay = d->floats ? noise->delay + d->special : way == 0 ? delay + longer : delay - longer;
        d->delay += d->uneven;
        d->scatter = scatter + 1;
    }
}

static void judge_pairs(void *data, uint32_t block)
{
    struct problem *p = data;
    for (uint32_t i = problem_pair_block(p, block); i < problem_pair_block(p, block + 1); i++) {
        uint32_t reverse = p->b->pair[i].reverse;
        if ((reverse == NO_PAIR || i < reverse) && p->noise[class_of(p, i)].n > 0)
            judge_pair(p, i);
    }
}

/* Collects the differences of a class's known delays from the usual one; and sums the squared differences of the two
 * directions. */
static uint32_t known_delays(struct problem *p, uint32_t class_, double *uneven)
{
    uint32_t n = 0, kind = class_ / 2;
    *uneven = 0;
    if (kind != MESSAGE && kind != COLLECTIVE) /* the two directions of others are different operations */
        return 0;
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        if (class_of(p, i) == class_ && !p->of_pair[i].floats && p->first_row[i] < p->first_row[i + 1]) {
            p->scratch[n++] = fabs(p->of_pair[i].delay - p->noise[class_].delay);
            *uneven += p->of_pair[i].uneven * p->of_pair[i].uneven;
        }
    return n;
}

/* Sums of products, weighted by how likely rows are in the peak. */
struct slope {
    double n, x, y, xx, xy;
};

/* Adds the sums of products about the means. */
static void add_about_means(struct slope *sum, const struct slope *s)
{
    if (!(s->n > 1))
        return;
    sum->n += s->n - 1;
    sum->xx += s->xx - s->x * s->x / s->n;
    sum->xy += s->xy - s->x * s->y / s->n;
}

static void add_slope(const struct problem *p, uint32_t i, struct slope *sum)
{
    const struct noise *noise = &p->noise[class_of(p, i)];
    const struct pair *q = &p->b->pair[i];
    const struct pair_delay *d = &p->of_pair[i];
    struct peak peak = peak_of(noise, d->scatter);
    struct slope part = {0};
    uint32_t first = p->first_row[i], end = p->first_row[i + 1];
    double usual = first < end ? q->bytes[p->row[first].point] : 0;
    for (uint32_t k = first; k < end; k++) {
        double y = p->row[k].slack - d->delay, x = q->bytes[p->row[k].point] - usual, w = punctual(&peak, y);
        part.n += w;
        part.x += w * x;
        part.y += w * y;
        part.xx += w * x * x;
        part.xy += w * x * y;
    }
    add_about_means(sum, &part);
}

/* How much the known delays of a class differ. The delay of a collective is what all its messages have in common: how
 * late the operation began to end, and the error of the clock of the last member. */
static void class_specials(struct problem *p)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct noise *noise = &p->noise[c];
        double uneven;
        uint32_t n = known_delays(p, c, &uneven);
        noise->settled = n / 2.0;
        noise->uneven = fmax(special_part * noise->scatter, n > FEWEST ? sqrt(uneven / n) : 0);
        noise->special_scatter =
            fmax(special_part * noise->scatter, n > FEWEST ? quantile(p->scratch, n, usual_special) : 0);
    }
}

/* The time that a byte takes: the slope of slacks over sizes, by least squares over the rows of a class's peak. Both
 * are about the means of a pair, so differences of pairs don't count. */
static void judge_bytes(struct problem *p)
{
    struct slope sum[CLASSES] = {{0}};
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        if (p->b->pair[i].kind == MESSAGE)
            add_slope(p, i, &sum[class_of(p, i)]);
    p->bytes_move = 0;
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct slope *s = &sum[c];
        if (!(s->xx > 0) || s->n < MANY)
            continue;
        double found = fmax(p->per_byte[c] + s->xy / s->xx, 0);
        p->bytes_move |= found != p->per_byte[c];
        p->per_byte[c] = found;
    }
}

int problem_judge(struct problem *p)
{
    size_t most = p->n_rows > p->b->n_pairs ? p->n_rows : p->b->n_pairs;
    double *scratch = realloc(p->scratch, (most + 1) * sizeof *scratch);
    if (!scratch)
        return -1;
    p->scratch = scratch;
    class_noise(p);
    problem_divide(p, judge_pairs, p, PAIR_BLOCKS);
    class_specials(p);
    if (p->grid.gaps >= FINE)
        judge_bytes(p);
    p->work += p->n_rows;
    return 0;
}
