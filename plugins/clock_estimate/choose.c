/* What each unit gets in the end: nothing, its measured offsets, or the estimate.
 *
 * Nothing, when no message of the component is received before it was sent and no measurement says that the clocks
 * differ after all. The measured offsets, when no message contradicts them and the estimate, into which they went, is
 * the same within their error. Else the estimate, with as few knots as describe it.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>

enum verdict { KEEP_RAW, USE_MEASURED, USE_ESTIMATE };

struct facts {
    uint8_t reversed;   /* a message contradicts the clocks as they are */
    uint8_t differ;     /* a measurement does */
    uint8_t nodes;      /* there are several */
    uint8_t unmeasured; /* a unit has no measurement */
    uint8_t refuted;    /* messages contradict the measurements */
};

static double measured_at(const struct unit *u, double time)
{
    uint32_t i = 0;
    while (i + 2 < u->n_measured && (double)(int64_t)(u->measured[i + 1].time - u->base) < time)
        i++;
    const struct measured *a = &u->measured[i], *b = &u->measured[i + (u->n_measured > 1)];
    double start = (double)(int64_t)(a->time - u->base), span = (double)(b->time - a->time);
    return span > 0 ? a->offset + (b->offset - a->offset) / span * (time - start) : a->offset;
}

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

static void look_at_pair(const struct problem *p, uint32_t i, struct facts *f)
{
    const struct pair *q = &p->b->pair[i];
    const struct unit *from = &p->b->unit[q->from], *to = &p->b->unit[q->to];
    if ((__int128)q->least + to->base - from->base < 0)
        f->reversed = 1;
    for (uint32_t k = 0; k < q->n && !f->refuted; k++) {
        double sent = (double)q->point[k].sent, received = (double)q->point[k].received;
        double slack = (double)(q->point[k].received - q->point[k].sent) +
                       correction_by_measurement(p, q->to, received) - correction_by_measurement(p, q->from, sent);
        f->refuted = slack < -1;
    }
}

static void look_at_unit(const struct problem *p, uint32_t u, struct facts *f)
{
    const struct unit *unit = &p->b->unit[u];
    f->nodes |= unit->node != p->b->unit[p->origin_of[p->component[u]]].node;
    f->unmeasured |= unit->n_measured == 0 && u != p->settings->reference;
    for (uint32_t k = 0; k < unit->n_measured; k++) {
        double apart = fabs(unit->measured[k].offset - raw_correction(p, u));
        f->differ |= apart > 3 * unit->measured[k].error;
    }
    double knots = p->grid.gaps + 1;
    for (uint32_t k = 0; k < p->grid.gaps + 1 && !f->unmeasured && !f->refuted; k++) {
        double time = p->grid.start[u] + k * p->grid.step;
        double apart = fabs(p->grid.z[(size_t)u * (size_t)knots + k] - correction_by_measurement(p, u, time));
        double error = unit->n_measured ? unit->measured[0].error : p->settings->measured_error;
        f->refuted |= apart > 2 * error;
    }
}

static enum verdict decide(const struct facts *f)
{
    if (!f->reversed && (!f->nodes || !f->differ))
        return KEEP_RAW;
    return f->unmeasured || f->refuted ? USE_ESTIMATE : USE_MEASURED;
}

/* ------------------------------------------------------------------------------------------------------- knots -- */

static struct knot *add_knot(struct solution *s, const struct problem *p, uint32_t unit, double time, double z,
                             double error)
{
    const struct unit *u = &p->b->unit[unit];
    const struct unit *origin = &p->b->unit[p->origin_of[p->component[unit]]];
    struct knot *k = &s->knot[s->n_knots++];
    __int128 at = (__int128)u->base + llrint(time), offset = (__int128)origin->base - u->base + llrint(z);
    k->time = at < 0 ? 0 : at > UINT64_MAX ? UINT64_MAX : (uint64_t)at;
    k->offset = offset < INT64_MIN ? INT64_MIN : offset > INT64_MAX ? INT64_MAX : (int64_t)offset;
    k->error = error;
    return k;
}

/* Is the line from knot a to knot c as good for all knots between? */
static int straight(const double *z, const double *bar, uint32_t a, uint32_t c)
{
    for (uint32_t b = a + 1; b < c; b++) {
        double on_line = z[a] + (z[c] - z[a]) * (double)(b - a) / (double)(c - a);
        double tolerance = isfinite(bar[b]) ? bar[b] / 100 : 0;
        if (fabs(z[b] - on_line) > (tolerance > 0.25 ? tolerance : 0.25))
            return 0;
    }
    return 1;
}

static void estimated_knots(struct solution *s, const struct problem *p, uint32_t unit, const double *bar)
{
    uint32_t knots = p->grid.gaps + 1;
    const double *z = p->grid.z + (size_t)unit * knots, *b = bar + (size_t)unit * knots;
    for (uint32_t k = 0; k < knots;) {
        add_knot(s, p, unit, p->grid.start[unit] + k * p->grid.step, z[k], b[k]);
        uint32_t next = k + 1;
        while (next + 1 < knots && next - k < 64 && straight(z, b, k, next + 1))
            next++;
        k = next;
    }
}

static void measured_knots(struct solution *s, const struct problem *p, uint32_t unit)
{
    const struct unit *u = &p->b->unit[unit];
    for (uint32_t k = 0; k < u->n_measured; k++) {
        double time = (double)(int64_t)(u->measured[k].time - u->base);
        add_knot(s, p, unit, time, u->measured[k].offset, u->measured[k].error);
    }
}

static double largest_bar(const struct problem *p, uint32_t unit, const double *bar)
{
    double largest = 0;
    for (uint32_t k = 0; k <= p->grid.gaps; k++)
        largest = fmax(largest, bar[(size_t)unit * (p->grid.gaps + 1) + k]);
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

static void result_of(struct solution *s, const struct problem *p, uint32_t unit, enum verdict verdict,
                      const double *bar)
{
    struct unit_result *r = &s->unit[unit];
    int is_origin = p->origin_of[p->component[unit]] == unit;
    *r = (struct unit_result){.component = p->component[unit], .first_knot = s->n_knots};
    r->error = is_origin ? 0 : largest_bar(p, unit, bar);
    if (p->component[unit] != 0 && p->b->unit[unit].seen) {
        r->error = INFINITY;
        r->origin = FROM_UNCONNECTED;
    }
    if (verdict == KEEP_RAW) {
        if (p->b->unit[unit].node == p->b->unit[p->settings->reference].node && isinf(r->error) && r->origin == FROM_NOTHING)
            r->error = INFINITY;
        return;
    }
    if (is_origin || !p->b->unit[unit].seen)
        return;
    if (r->origin != FROM_UNCONNECTED)
        r->origin = verdict == USE_MEASURED ? FROM_MEASURED : FROM_MESSAGES;
    r->rms = rms_of(p, unit);
    if (verdict == USE_MEASURED)
        measured_knots(s, p, unit);
    else
        estimated_knots(s, p, unit, bar);
    r->n_knots = s->n_knots - r->first_knot;
    for (uint32_t k = 0; k < r->n_knots && verdict == USE_MEASURED; k++)
        r->error = fmax(k ? r->error : 0, s->knot[r->first_knot + k].error);
}

int choose_results(struct problem *p, const double *bar, struct solution *s)
{
    const struct bounds *b = p->b;
    size_t most = 1;
    for (uint32_t u = 0; u < b->n_units; u++)
        most += p->grid.gaps + 1 + b->unit[u].n_measured;
    struct facts *facts = calloc((size_t)p->components + 1, sizeof *facts);
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
            look_at_unit(p, u, &facts[p->component[u]]);
    for (uint32_t u = 0; u < b->n_units; u++)
        result_of(s, p, u, decide(&facts[p->component[u]]), bar);
    s->components = p->components;
    s->gaps = p->grid.gaps;
    s->contradictory = p->contradictory;
    free(facts);
    return 0;
}

void solution_free(struct solution *s)
{
    free(s->unit);
    free(s->knot);
    *s = (struct solution){0};
}

int estimate_clocks(struct bounds *b, const struct settings *settings, struct solution *result)
{
    struct problem p;
    double *bar = NULL;
    int status = -1;
    *result = (struct solution){0};
    if (problem_init(&p, b, settings) == 0 && problem_solve(&p) == 0) {
        bar = calloc((size_t)b->n_units * (p.grid.gaps + 1) + 1, sizeof *bar);
        if (bar && bars_compute(&p, bar) == 0)
            status = choose_results(&p, bar, result);
    }
    free(bar);
    problem_free(&p);
    if (status != 0)
        solution_free(result);
    return status;
}
