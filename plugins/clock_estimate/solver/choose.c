/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Decides for each component which correction its units get: none, the measured offsets, or the estimate.
 *
 * None, if no message of the component is reversed and no measurement contradicts the clocks. The measured offsets, if
 * no message contradicts them, the estimate is near them, and either it is as near as its own noise or its bars aren't
 * clearly smaller. Otherwise the estimate, with as few knots as describe it. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>

/* The estimate replaces measured offsets which no message contradicts if its bars are smaller than this part of
 * theirs. */
static const double clearly = 0.75;
/* Knots on a line are left out; the line may be off by this part of their standard deviation. */
static const double part_of_deviation = 0.25;

enum verdict { KEEP_RAW, USE_MEASURED, USE_ESTIMATE };

struct facts {
    uint8_t reversed;           /* a message contradicts the clocks as they are */
    uint8_t differ;             /* a measurement does, or a message would have taken longer than the run */
    uint8_t nodes;              /* there are several machines */
    uint8_t unmeasured;         /* a unit has no measurement */
    uint8_t refuted;            /* messages contradict the measurements, or these are far outside of its bar */
    double bars, measured_bars; /* sums: of the estimate and of the measurements */
    double apart, variance;     /* sums of squares: their difference, and the uncertainty of both */
    double own;                 /* likewise: the uncertainty of the estimate alone */
    double bent;                /* likewise: their difference, about the line of each clock that is nearest to it */
};

static double correction_by_measurement(const struct problem *p, uint32_t unit, double time)
{
    const struct unit *u = &p->b->unit[unit];
    return unit == p->settings->reference || u->n_measured == 0 ? 0 : measured_at(u, time);
}

/* z of a clock that is right as it is. */
static double raw_correction(const struct problem *p, uint32_t unit)
{
    const struct unit *origin = &p->b->unit[p->origin_of[p->component[unit]]];
    return (double)((__int128)p->b->unit[unit].base - origin->base);
}

/* Whether the clocks are right as they are needs no estimate. */
static void look_at_raw_pair(const struct problem *p, uint32_t i, struct facts *f)
{
    const struct pair *q = &p->b->pair[i];
    const struct unit *from = &p->b->unit[q->from], *to = &p->b->unit[q->to];
    __int128 least = (__int128)q->least + to->base - from->base;
    if (least < 0)
        f->reversed = 1;
    /* A delay longer than the run: first and last may be those of few messages, hence the stated length. */
    if (least > (__int128)(from->last - from->first) + (to->last - to->first) + p->settings->length)
        f->differ = f->nodes = 1;
}

static void look_at_raw_unit(const struct problem *p, uint32_t u, int communicates, struct facts *f)
{
    const struct unit *unit = &p->b->unit[u];
    f->nodes |= unit->node != p->b->unit[p->origin_of[p->component[u]]].node;
    f->unmeasured |= unit->n_measured == 0 && u != p->settings->reference;
    for (uint32_t k = 0; k < unit->n_measured; k++) {
        double apart = fabs(unit->measured[k].offset - raw_correction(p, u));
        f->differ |= apart > SIGMAS * unit->measured[k].error;
        f->nodes |= f->differ && !communicates; /* no message supports the clock as it is */
    }
}

static int is_right(const struct problem *p, const struct facts *f)
{
    return !f->reversed && (p->b->one_clock || !f->nodes || !f->differ);
}

static void look_at_pair(const struct problem *p, uint32_t i, struct facts *f)
{
    const struct pair *q = &p->b->pair[i];
    for (uint32_t k = 0; k < q->n && !f->refuted && !f->unmeasured; k++) {
        double sent = (double)q->point[k].sent, received = (double)q->point[k].received;
        double slack = (double)bounds_delay(&q->point[k]) + correction_by_measurement(p, q->to, received) -
                       correction_by_measurement(p, q->from, sent);
        f->refuted = slack < -1;
    }
}

/* Sums of a difference and its products with the number of the knot, to lay a line through it. */
struct line_sums {
    double n, x, y, xx, xy, yy;
};

static void add_to_line(struct line_sums *s, double x, double y)
{
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->xy += x * y;
    s->yy += y * y;
}

/* The squares that the line leaves. */
static double about_line(const struct line_sums *s)
{
    double xx = s->xx - s->x * s->x / s->n, xy = s->xy - s->x * s->y / s->n, yy = s->yy - s->y * s->y / s->n;
    return s->n > 2 ? fmax(yy - xy * xy / xx, 0) : 0;
}

static void look_at_unit(const struct problem *p, uint32_t u, const double *bar, struct facts *f)
{
    struct line_sums line = {0};
    const struct unit *unit = &p->b->unit[u];
    uint32_t origin = p->origin_of[p->component[u]];
    if (unit->n_measured == 0 || origin == u)
        return;
    for (uint32_t k = 0; k <= p->grid.gaps; k++) {
        double time = p->grid.start[u] + k * p->grid.step;
        double by_messages = bar[(size_t)u * (p->grid.gaps + 1) + k];
        f->bars += by_messages;
        double measured = measured_bar(p, u, time, usual_rate);
        double apart = p->grid.z[(size_t)u * (p->grid.gaps + 1) + k] - correction_by_measurement(p, u, time);
        add_to_line(&line, k, apart);
        apart = fabs(apart);
        f->measured_bars += measured_bar(p, u, time, p->most_rate);
        f->apart += apart * apart;
        f->own += p->variance[u] + p->variance[origin];
        f->variance += measured * measured / (SIGMAS * SIGMAS) + p->variance[u] + p->variance[origin];
        f->refuted |= apart > fmax(SIGMAS * measured, by_messages);
    }
    f->bent += about_line(&line);
}

/* The estimate explains what contradicts the measurements, unless it differs from them by its own noise only. */
static int are_refuted(const struct facts *f)
{
    return f->refuted && f->apart > f->own;
}

/* Messages of one direction show how clocks bend, but can't contradict a measurement. With few messages, the estimates
 * of some of many clocks are off by chance, so the sum over all clocks decides. Few of its terms are independent, for
 * the error of the reference is in all of them. */
static int are_bent(const struct facts *f)
{
    return f->apart > f->variance || f->bent > stands_out * stands_out * f->own;
}

/* Where the estimate is much surer. */
static int is_better(const struct facts *f)
{
    return f->bars < clearly * f->measured_bars;
}

static enum verdict decide(const struct problem *p, const struct facts *f)
{
    if (is_right(p, f))
        return KEEP_RAW;
    return f->unmeasured || are_refuted(f) || are_bent(f) || is_better(f) ? USE_ESTIMATE : USE_MEASURED;
}

/* --------------------------------------------------------------------------------------------------------- knots -- */

/* Adds a knot, unless corrected time would run backwards before it. */
static void add_knot(struct solution *s, const struct problem *p, uint32_t unit, double time, double z, double error)
{
    const struct unit *u = &p->b->unit[unit];
    const struct unit *origin = &p->b->unit[p->origin_of[p->component[unit]]];
    const struct knot *before = s->n_knots > s->unit[unit].first_knot ? &s->knot[s->n_knots - 1] : NULL;
    __int128 at = (__int128)u->base + llrint(time), offset = (__int128)origin->base - u->base + llrint(z);
    if (offset < INT64_MIN || offset > INT64_MAX)
        return;
    if (before && (at <= before->time || at + offset <= (__int128)before->time + before->offset))
        return;
    s->knot[s->n_knots++] = (struct knot){.time = (uint64_t)at, .offset = (int64_t)offset, .error = error};
}

/* Knots of the grid may lie outside of the range of timestamps. */
static double possible_time(const struct unit *u, double time)
{
    double least = -(double)u->base, most = (double)(UINT64_MAX - u->base);
    time = time < least + 1 ? least + 1 : time;
    return time > most - 4096 ? most - 4096 : time;
}

/* Is the line from knot a to knot c as good for all knots between? */
static int straight(const double *z, double tolerance, uint32_t a, uint32_t c)
{
    for (uint32_t b = a + 1; b < c; b++) {
        double on_line = z[a] + (z[c] - z[a]) * (double)(b - a) / (double)(c - a);
        if (fabs(z[b] - on_line) > tolerance)
            return 0;
    }
    return 1;
}

static void estimated_knots(struct solution *s, const struct problem *p, uint32_t unit, const double *bar)
{
    uint32_t knots = p->grid.gaps + 1;
    const double *z = p->grid.z + (size_t)unit * knots, *b = bar + (size_t)unit * knots;
    double tolerance = part_of_deviation * sqrt(p->variance[unit]);
    double before = 0;
    for (uint32_t k = 0; k < knots;) {
        double time = possible_time(&p->b->unit[unit], p->grid.start[unit] + k * p->grid.step), after = b[k];
        uint32_t next = k + 1;
        while (next + 1 < knots && next - k < 64 && straight(z, tolerance, k, next + 1))
            next++;
        for (uint32_t i = k; i <= next && i < knots; i++)
            after = fmax(after, b[i]);
        add_knot(s, p, unit, time, grid_value(&p->grid, unit, time), fmax(before, after));
        before = after;
        k = next;
    }
}

/* How far the measured offsets may be off by the bars of the estimate, anywhere. */
static double bar_about_measured(const struct problem *p, uint32_t unit, const double *bar)
{
    double largest = 0;
    for (uint32_t k = 0; k <= p->grid.gaps; k++) {
        size_t at = (size_t)unit * (p->grid.gaps + 1) + k;
        double measured = measured_at(&p->b->unit[unit], p->grid.start[unit] + k * p->grid.step);
        largest = fmax(largest, bar[at] + fabs(p->grid.z[at] - measured));
    }
    return largest;
}

/* A knot of the measured offsets. Its error is at most `by_estimate`, and, unless messages contradict them, what they
 * state, which grows with the distance from them. */
static void measured_knot(struct solution *s, const struct problem *p, uint32_t unit, double time, double by_estimate,
                          const struct facts *f)
{
    double error = f->refuted ? by_estimate : fmin(by_estimate, measured_bar(p, unit, time, p->most_rate));
    add_knot(s, p, unit, time, measured_at(&p->b->unit[unit], time), error);
}

static void measured_knots(struct solution *s, const struct problem *p, uint32_t unit, const double *bar,
                           const struct facts *f)
{
    const struct unit *u = &p->b->unit[unit];
    double by_estimate = bar_about_measured(p, unit, bar);
    if (u->n_measured > 0 && u->base < u->measured[0].time)
        measured_knot(s, p, unit, 0, by_estimate, f);
    for (uint32_t k = 0; k < u->n_measured; k++) {
        double time = (double)(int64_t)(u->measured[k].time - u->base);
        measured_knot(s, p, unit, time, by_estimate, f);
        if (k + 1 == u->n_measured)
            break;
        /* The error is largest halfway. */
        time += (double)(u->measured[k + 1].time - u->measured[k].time) / 2;
        measured_knot(s, p, unit, time, by_estimate, f);
    }
    if (u->n_measured > 0 && u->end > u->measured[u->n_measured - 1].time)
        measured_knot(s, p, unit, (double)(u->end - u->base), by_estimate, f);
}

/* About the estimate, or about the clock as it is. */
static double largest_bar(const struct problem *p, uint32_t unit, const double *bar, int raw)
{
    double largest = 0;
    for (uint32_t k = 0; k <= p->grid.gaps; k++) {
        size_t at = (size_t)unit * (p->grid.gaps + 1) + k;
        largest = fmax(largest, bar[at] + (raw ? fabs(p->grid.z[at] - raw_correction(p, unit)) : 0));
    }
    return largest;
}

static double rms_of(const struct problem *p, uint32_t unit)
{
    const double *z = p->grid.z + (size_t)unit * (p->grid.gaps + 1);
    double mean = 0, sum = 0, n = p->grid.gaps + 1;
    for (uint32_t k = 0; k <= p->grid.gaps; k++)
        mean += z[k] / n;
    for (uint32_t k = 0; k <= p->grid.gaps; k++)
        sum += (z[k] - mean) * (z[k] - mean) / n;
    return sqrt(sum);
}

/* What a clock must be off by to be corrected, if its messages all go one way: by more than they take, on a way over
 * all clocks, because nothing tells late receivers from a clock that is off by as much. */
static double least_one_way(const struct problem *p)
{
    double clocks = 0, longest = 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        longest = p->noise[c].n > 0 ? fmax(longest, p->noise[c].delay + p->noise[c].scatter) : longest;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        clocks += p->b->unit[u].seen && p->origin_of[p->component[u]] != u;
    return clocks * longest;
}

/* Messages of one direction bound a clock on one side only, and late ones put it anywhere on the other. If nobody has
 * measured it, either, it stays as it is, unless it shows another time than that of the run. */
static int is_guess(const struct problem *p, uint32_t unit, double bar)
{
    const struct grid *g = &p->grid;
    double off = fabs(grid_value(g, unit, g->start[unit]) - raw_correction(p, unit));
    return p->component[unit] == 0 && p->b->unit[unit].n_measured == 0 && !isfinite(bar) && off < g->gaps * g->step &&
           off <= least_one_way(p);
}

static void result_of(struct solution *s, const struct problem *p, uint32_t unit, const struct facts *f,
                      const double *bar)
{
    enum verdict verdict = decide(p, f);
    struct unit_result *r = &s->unit[unit];
    int is_origin = p->origin_of[p->component[unit]] == unit;
    *r = (struct unit_result){.component = p->component[unit], .first_knot = s->n_knots};
    r->error = is_origin ? 0 : largest_bar(p, unit, bar, verdict == KEEP_RAW);
    if (p->component[unit] != 0 && p->b->unit[unit].seen) {
        r->error = INFINITY;
        r->origin = FROM_UNCONNECTED;
    }
    if (verdict == KEEP_RAW || is_origin || !p->b->unit[unit].seen || is_guess(p, unit, r->error))
        return;
    if (r->origin != FROM_UNCONNECTED)
        r->origin = verdict == USE_MEASURED ? FROM_MEASURED : FROM_MESSAGES;
    r->rms = rms_of(p, unit);
    if (verdict == USE_MEASURED)
        measured_knots(s, p, unit, bar, f);
    else
        estimated_knots(s, p, unit, bar);
    r->n_knots = s->n_knots - r->first_knot;
    for (uint32_t k = 0; k < r->n_knots && verdict == USE_MEASURED; k++)
        r->error = fmax(k ? r->error : 0, s->knot[r->first_knot + k].error);
}

/* ------------------------------------------------------------------------------------------------ possible times -- */

static __int128 corrected(const struct problem *p, uint32_t unit, int64_t since)
{
    const struct unit *origin = &p->b->unit[p->origin_of[p->component[unit]]];
    return (__int128)origin->base + since + llrint(grid_value(&p->grid, unit, (double)since));
}

/* The shift of all clocks of a component after which no timestamp is below 0 or above 64 bits. */
static void find_shifts(const struct problem *p, int64_t *shift, __int128 *low, __int128 *high)
{
    for (uint32_t c = 0; c < p->components; c++) {
        low[c] = 0;
        high[c] = UINT64_MAX;
    }
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        uint32_t c = p->component[u];
        __int128 first = corrected(p, u, p->b->unit[u].first) - 2, last = corrected(p, u, p->b->unit[u].last) + 2;
        if (!p->b->unit[u].seen)
            continue;
        low[c] = first < low[c] ? first : low[c];
        high[c] = last > high[c] ? last : high[c];
    }
    for (uint32_t c = 0; c < p->components; c++) {
        __int128 by = low[c] < 0 ? -low[c] : (__int128)UINT64_MAX - high[c];
        shift[c] = by > INT64_MAX || by < INT64_MIN ? 0 : (int64_t)by;
    }
}

/* There is room for one more knot of each unit. */
static void shift_knots(struct solution *s, struct unit_result *r, int64_t by)
{
    if (r->n_knots == 0) {
        r->origin = r->origin == FROM_NOTHING ? FROM_MESSAGES : r->origin;
        s->knot[r->first_knot = s->n_knots++] = (struct knot){.error = r->error};
        r->n_knots = 1;
    }
    for (uint32_t k = r->first_knot; k < r->first_knot + r->n_knots; k++)
        s->knot[k].offset += by;
}

/* Drops a shift that would make an offset too large for 64 bits. */
static void drop_overflows(const struct solution *s, const struct problem *p, int64_t *shift)
{
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = s->unit[u].first_knot; k < s->unit[u].first_knot + s->unit[u].n_knots; k++) {
            int64_t sum;
            if (__builtin_add_overflow(s->knot[k].offset, shift[p->component[u]], &sum))
                shift[p->component[u]] = 0;
        }
}

static int shift_all(struct solution *s, const struct problem *p, const struct facts *facts)
{
    int64_t *shift = calloc((size_t)p->components + 1, sizeof *shift);
    __int128 *ends = calloc(2 * (size_t)p->components + 1, sizeof *ends);
    if (shift && ends) {
        find_shifts(p, shift, ends, ends + p->components);
        drop_overflows(s, p, shift);
    }
    for (uint32_t u = 0; shift && ends && u < p->b->n_units; u++)
        if (shift[p->component[u]] != 0 && decide(p, &facts[p->component[u]]) != KEEP_RAW && p->b->unit[u].seen)
            shift_knots(s, &s->unit[u], shift[p->component[u]]);
    int status = shift && ends ? 0 : -1;
    free(shift);
    free(ends);
    return status;
}

/* Facts by component which need no estimate. */
static struct facts *raw_facts(const struct problem *p)
{
    const struct bounds *b = p->b;
    struct facts *facts = calloc((size_t)p->components + 1, sizeof *facts);
    uint8_t *communicates = calloc((size_t)b->n_units + 1, 1);
    if (!facts || !communicates) {
        free(facts);
        free(communicates);
        return NULL;
    }
    for (uint32_t i = 0; i < b->n_pairs; i++) {
        look_at_raw_pair(p, i, &facts[p->component[b->pair[i].from]]);
        communicates[b->pair[i].from] = communicates[b->pair[i].to] = 1;
    }
    for (uint32_t u = 0; u < b->n_units; u++)
        if (b->unit[u].seen)
            look_at_raw_unit(p, u, communicates[u], &facts[p->component[u]]);
    free(communicates);
    return facts;
}

int choose_right(struct problem *p, struct rough *rough)
{
    struct facts *facts = raw_facts(p);
    if (!facts)
        return -1;
    for (uint32_t c = 0; c < p->components; c++)
        p->settled[c] = (uint8_t)is_right(p, &facts[c]);
    for (uint32_t u = 0; u < p->b->n_units; u++)
        if (p->settled[p->component[u]] && p->b->unit[u].seen)
            rough[u] = (struct rough){raw_correction(p, u), 0};
    free(facts);
    return 0;
}

int choose_results(struct problem *p, const double *bar, struct solution *s)
{
    const struct bounds *b = p->b;
    size_t most = 1;
    for (uint32_t u = 0; u < b->n_units; u++)
        most += p->grid.gaps + 4 + 2 * (size_t)b->unit[u].n_measured;
    struct facts *facts = raw_facts(p);
    s->unit = calloc((size_t)b->n_units + 1, sizeof *s->unit);
    s->knot = calloc(most, sizeof *s->knot);
    if (!facts || !s->unit || !s->knot) {
        free(facts);
        return -1;
    }
    for (uint32_t i = 0; i < b->n_pairs; i++)
        look_at_pair(p, i, &facts[p->component[b->pair[i].from]]);
    for (uint32_t u = 0; u < b->n_units; u++)
        if (b->unit[u].seen)
            look_at_unit(p, u, bar, &facts[p->component[u]]);
    for (uint32_t u = 0; u < b->n_units; u++) {
        result_of(s, p, u, &facts[p->component[u]], bar);
        s->unit[u].likely = likely_error(p, u, &s->unit[u]);
    }
    s->components = p->components;
    s->gaps = p->grid.gaps;
    s->pairs = b->n_pairs;
    s->contradictory = p->contradictory;
    s->messages = b->messages;
    s->without_room = b->without_room;
    s->work = p->work;
    int status = shift_all(s, p, facts);
    free(facts);
    return status;
}
