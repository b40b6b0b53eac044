/* Weighted least squares over all units and knots at once: conjugate gradients, preconditioned with the exact solution of each unit
 * by itself (its equations couple knots at most two apart, so that is a banded Cholesky factor), and of clusters of units.
 *
 * The unknowns are the changes of all knots' values, and the least delay of pairs that talk in one direction only. The
 * equations are the rows (slack shall become the least delay), the measured offsets, and the smoothness of each clock.
 */
#include "bands.h"
#include "clusters.h"
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double precision = 1e-4;
/* The search ends when it is this far from the solution, in standard deviations of what is solved for. */
static const double exactness = 0.01;
/* Clocks hardly go wrong by more. */
static const double any_rate = 0.01;
/* How far clocks may leave the line through their measurements, in misfits of such lines. */
static const double freedom = 2;
enum { LOOK_BACK = 4, PLACES = 16 /* where that is said */ };

/* What a unit's correction should be at a place, beyond that of its component's origin. */
struct anchor {
    uint32_t unit, origin;
    struct place place;
    double weight, want;
};

/* A row in the form that the search reads over and over. */
struct equation {
    uint32_t from, to; /* unknowns: the knots before the message's ends */
    float from_part, to_part;
    double weight;
};

/* What is unknown of the delay of a group's rows: that of the whole group, which is near the usual one of its class, or by how
 * much the two ways of a pair differ. */
struct lever {
    size_t at;     /* the unknown; two ways share that of the pair with the smaller number */
    double sign;   /* by which the delay goes with it; 0: nothing is unknown */
    double weight; /* of what is known beforehand; each way brings half of that */
    size_t usual;  /* where it is the whole delay, the unknown that is the usual one of the class; else 0 */
};

enum { VECTORS = 5 }; /* of all unknowns: the solution, and what the search needs */

struct network {
    struct problem *p;
    uint32_t knots; /* of a unit */
    size_t n;       /* unknowns */
    size_t delays;  /* the first unknown that is the delay of a group */
    size_t classes; /* the first one that is the usual delay of a class */
    struct anchor *anchor;
    uint32_t n_anchors;
    struct equation *equation; /* those of rows that count, in their order */
    uint32_t groups;           /* of equations that share a delay: pairs, then stars */
    uint32_t *first_equation;  /* by group, groups + 1 */
    struct lever *lever;       /* by group */
    double *rate_weight; /* by unit */
    double special_weight[CLASSES], uneven_weight[CLASSES];
    double class_diagonal[CLASSES];
    double *bend_weight; /* by unit and knot */
    double *band;        /* by unit and knot, see bands.h */
    struct clusters clusters;
    double *delay;       /* diagonal of the least delays */
    double *vector[VECTORS];
};

/* Values at places. */
static double at(const double *x, const struct network *w, uint32_t unit, const struct place *place)
{
    const double *z = x + (size_t)unit * w->knots + place->at;
    return z[0] + (double)place->part * (z[1] - z[0]);
}

static void add_at(double *x, const struct network *w, uint32_t unit, const struct place *place, double value)
{
    double *z = x + (size_t)unit * w->knots + place->at;
    z[0] += (1 - (double)place->part) * value;
    z[1] += (double)place->part * value;
}

static int is_fixed(const struct problem *p, uint32_t unit)
{
    return p->settled[p->component[unit]];
}

static void clear_fixed(const struct network *w, double *x)
{
    for (uint32_t u = 0; u < w->p->b->n_units; u++)
        if (is_fixed(w->p, u))
            memset(x + (size_t)u * w->knots, 0, w->knots * sizeof *x);
}

/* --------------------------------------------------------------------------------------------------- equations -- */

/* Rows of one group whose delay is off by `delay`: y += A x. Returns what the delay gets of it. */
static double multiply_rows(const struct network *w, uint32_t first, uint32_t end, double delay, const double *x,
                            double *y)
{
    double sum = 0;
    for (uint32_t i = first; i < end;) {
        uint32_t from_at = w->equation[i].from, to_at = w->equation[i].to;
        const double *from = x + from_at, *to = x + to_at;
        double from_gets[2] = {0}, to_gets[2] = {0}; /* neighbours mostly lie between the same knots */
        for (; i < end && w->equation[i].from == from_at && w->equation[i].to == to_at; i++) {
            const struct equation *e = &w->equation[i];
            double f = (double)e->from_part, t = (double)e->to_part;
            double v = to[0] + t * (to[1] - to[0]) - from[0] - f * (from[1] - from[0]);
            v = (v - delay) * e->weight;
            to_gets[0] += v - t * v;
            to_gets[1] += t * v;
            from_gets[0] += v - f * v;
            from_gets[1] += f * v;
            sum += v;
        }
        y[to_at] += to_gets[0];
        y[to_at + 1] += to_gets[1];
        y[from_at] -= from_gets[0];
        y[from_at + 1] -= from_gets[1];
    }
    return sum;
}

static uint32_t group_of(const struct problem *p, const struct row *r)
{
    return r->pair == NO_PAIR ? p->b->n_pairs + r->point : r->pair;
}

static uint32_t group_class(const struct problem *p, uint32_t group)
{
    return group < p->b->n_pairs ? class_of(p, group) : STARS;
}

static int has_equations(const struct network *w, uint32_t group)
{
    return w->first_equation[group] < w->first_equation[group + 1];
}

static struct lever find_lever(const struct network *w, uint32_t group)
{
    const struct problem *p = w->p;
    uint32_t class_ = group_class(p, group);
    struct lever none = {.at = w->delays + group};
    if (group >= p->b->n_pairs || p->of_pair[group].floats)
        return has_equations(w, group) ? (struct lever){w->delays + group, 1, w->special_weight[class_], w->classes + class_} : none;
    uint32_t reverse = p->b->pair[group].reverse;
    if (reverse == NO_PAIR || !(w->uneven_weight[class_] > 0))
        return none;
    double weight = has_equations(w, group) ? w->uneven_weight[class_] / 2 : 0;
    return group < reverse ? (struct lever){w->delays + group, 1, weight, 0} : (struct lever){w->delays + reverse, -1, weight, 0};
}

static void multiply_group(const struct network *w, uint32_t group, const double *x, double *y)
{
    struct lever l = w->lever[group];
    double sum = multiply_rows(w, w->first_equation[group], w->first_equation[group + 1], l.sign * x[l.at], x, y);
    double v = l.weight * (x[l.at] - (l.usual ? x[l.usual] : 0));
    y[l.at] += v - l.sign * sum;
    if (l.usual)
        y[l.usual] -= v;
}

/* The smoothness of a clock: y += sign A x. */
static void multiply_smooth(const struct network *w, uint32_t unit, double sign, const double *x, double *y)
{
    const double *z = x + (size_t)unit * w->knots, *weight = w->bend_weight + (size_t)unit * w->knots;
    double *out = y + (size_t)unit * w->knots;
    for (uint32_t k = 0; k + 1 < w->knots; k++) {
        double v = sign * w->rate_weight[unit] * (z[k + 1] - z[k]);
        out[k] -= v;
        out[k + 1] += v;
    }
    for (uint32_t k = 1; k + 1 < w->knots; k++) {
        double v = sign * weight[k] * (z[k - 1] - 2 * z[k] + z[k + 1]);
        out[k - 1] += v;
        out[k] -= 2 * v;
        out[k + 1] += v;
    }
}

/* y = A x, A being the normal matrix. */
static void multiply(const struct network *w, const double *x, double *y)
{
    const struct problem *p = w->p;
    memset(y, 0, w->n * sizeof *y);
    for (uint32_t i = 0; i < w->groups; i++)
        if (has_equations(w, i))
            multiply_group(w, i, x, y);
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] += p->noise[c].settled * w->special_weight[c] * x[w->classes + c];
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        double v = a->weight * (at(x, w, a->unit, &a->place) - at(x, w, a->origin, &a->place));
        add_at(y, w, a->unit, &a->place, v);
        add_at(y, w, a->origin, &a->place, -v);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        multiply_smooth(w, u, 1, x, y);
    clear_fixed(w, y);
}

/* The right-hand side. */
static void demands(const struct network *w, double *y)
{
    const struct problem *p = w->p;
    memset(y, 0, w->n * sizeof *y);
    for (uint32_t i = 0; i < p->n_rows; i++) {
        const struct row *r = &p->row[i];
        double v = r->weight * r->want;
        add_at(y, w, r->to_unit, &r->to, v);
        add_at(y, w, r->from_unit, &r->from, -v);
        struct lever l = w->lever[group_of(p, r)];
        y[l.at] -= l.sign * v;
    }
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        struct lever l = w->lever[i];
        double v = l.weight * (l.usual ? p->of_pair[i].special : l.sign * p->of_pair[i].uneven);
        y[l.at] -= v;
        if (l.usual)
            y[l.usual] += v;
    }
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        add_at(y, w, a->unit, &a->place, a->weight * a->want);
        add_at(y, w, a->origin, &a->place, -a->weight * a->want);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        multiply_smooth(w, u, -1, p->grid.z, y);
    clear_fixed(w, y);
}

/* --------------------------------------------------------------------------------------------- preconditioner -- */

static double *band_of(const struct network *w, uint32_t unit)
{
    return w->band + BAND * (size_t)unit * w->knots;
}

static void add_equation(struct network *w, const struct row *r, uint32_t i)
{
    band_add(band_of(w, r->to_unit), r->to.at, r->to.part, r->weight);
    band_add(band_of(w, r->from_unit), r->from.at, r->from.part, r->weight);
    w->equation[i] = (struct equation){r->from_unit * w->knots + r->from.at, r->to_unit * w->knots + r->to.at,
                                       r->from.part, r->to.part, r->weight};
}

/* Rates are near the usual ones, unless messages have shown them to be others already, or nothing is expected of them but to be
 * rates of clocks. */
static void weigh_rates(struct network *w)
{
    const struct grid *g = &w->p->grid;
    for (uint32_t u = 0; u < w->p->b->n_units; u++) {
        const double *z = g->z + (size_t)u * w->knots;
        double sum = 0;
        for (uint32_t k = 0; k < g->gaps; k++)
            sum += (z[k + 1] - z[k]) * (z[k + 1] - z[k]);
        double expected = w->p->any_rate ? any_rate * any_rate : expected_rate(sum / (g->gaps * g->step * g->step));
        w->rate_weight[u] = 1 / (g->step * g->step * g->gaps * expected);
    }
}

/* All that ties two clocks, but for what is the same group of equations. */
static size_t collect_ties(const struct network *w, struct tie *tie)
{
    const struct problem *p = w->p;
    size_t n = 0;
    for (uint32_t i = 0; i < w->groups; i++) {
        const struct equation *e = w->equation + w->first_equation[i], *end = w->equation + w->first_equation[i + 1];
        for (size_t first = n; e < end; e++)
            if (i < p->b->n_pairs && n > first)
                tie[n - 1].weight += e->weight;
            else
                tie[n++] = (struct tie){e->from / w->knots, e->to / w->knots, e->weight};
    }
    for (uint32_t i = 0; i < w->n_anchors; i++)
        tie[n++] = (struct tie){w->anchor[i].unit, w->anchor[i].origin, w->anchor[i].weight};
    return n;
}

/* What lies inside of a cluster doesn't hold it. */
static void take_off(const struct network *w, uint32_t a, uint32_t b, uint32_t a_at, float a_part, uint32_t b_at, float b_part,
                     double weight)
{
    uint32_t cluster, level = clusters_meet(&w->clusters, a, b, &cluster);
    if (level == w->clusters.n_levels)
        return;
    double *band = w->clusters.level[level].band + BAND * (size_t)cluster * w->knots;
    band_add(band, a_at, a_part, -weight);
    band_add(band, b_at, b_part, -weight);
}

static int prepare_clusters(struct network *w)
{
    uint32_t n = w->first_equation[w->groups];
    struct tie *tie = malloc(((size_t)n + w->n_anchors + 1) * sizeof *tie);
    int status = tie ? clusters_init(&w->clusters, w->p->b->n_units, w->knots, tie, collect_ties(w, tie)) : -1;
    free(tie);
    if (status != 0)
        return -1;
    for (uint32_t i = 0; i < n && w->clusters.n_levels > 0; i++) {
        const struct equation *e = &w->equation[i];
        take_off(w, e->from / w->knots, e->to / w->knots, e->from % w->knots, e->from_part, e->to % w->knots, e->to_part, e->weight);
    }
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        take_off(w, a->unit, a->origin, a->place.at, a->place.part, a->place.at, a->place.part, a->weight);
    }
    clusters_factorise(&w->clusters, w->band);
    return 0;
}

static int prepare(struct network *w)
{
    const struct problem *p = w->p;
    weigh_rates(w);
    for (size_t k = 0; k < w->delays; k++)
        w->bend_weight[k] = 1 / (p->bend[k] * p->bend[k]);
    uint32_t n = 0, group = 0;
    for (uint32_t k = 0; k < p->n_rows; k++) {
        if (!(p->row[k].weight > 0))
            continue;
        for (; group <= group_of(p, &p->row[k]); group++)
            w->first_equation[group] = n;
        add_equation(w, &p->row[k], n++);
    }
    for (; group <= w->groups; group++)
        w->first_equation[group] = n;
    for (uint32_t i = 0; i < w->groups; i++) {
        struct lever l = w->lever[i] = find_lever(w, i);
        w->delay[l.at - w->delays] += l.weight;
        for (uint32_t k = w->first_equation[i]; k < w->first_equation[i + 1]; k++)
            w->delay[l.at - w->delays] += w->equation[k].weight;
        if (l.usual)
            w->class_diagonal[l.usual - w->classes] += l.weight;
    }
    for (uint32_t c = 0; c < CLASSES; c++)
        w->class_diagonal[c] += p->noise[c].settled * w->special_weight[c] + 1e-30;
    for (uint32_t i = 0; i < w->n_anchors; i++) {
        const struct anchor *a = &w->anchor[i];
        band_add(band_of(w, a->unit), a->place.at, a->place.part, a->weight);
        band_add(band_of(w, a->origin), a->place.at, a->place.part, a->weight);
    }
    for (uint32_t u = 0; u < p->b->n_units; u++)
        band_add_smoothness(band_of(w, u), w->knots, w->rate_weight[u], w->bend_weight + (size_t)u * w->knots);
    if (prepare_clusters(w) != 0)
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        band_loosen(band_of(w, u), w->knots);
        band_factorise(band_of(w, u), w->knots);
    }
    return 0;
}

static void precondition(const struct network *w, const double *x, double *y)
{
    const struct problem *p = w->p;
    memcpy(y, x, w->n * sizeof *y);
    for (uint32_t u = 0; u < p->b->n_units; u++)
        band_solve(band_of(w, u), w->knots, y + (size_t)u * w->knots);
    clusters_solve(&w->clusters, x, y);
    for (uint32_t i = 0; i < w->groups; i++)
        y[w->delays + i] = w->delay[i] > 0 ? x[w->delays + i] / w->delay[i] : 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        y[w->classes + c] = x[w->classes + c] / w->class_diagonal[c];
    clear_fixed(w, y);
}

/* -------------------------------------------------------------------------------------------------------- step -- */

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* What is missing to the solution: the gains of rounds to come, if they go on to become less as they did between the last ones and
 * those before; but no less than the last ones, for what was quick to find says nothing of what is slow. It is weighed by the
 * equations: 1 an unknown is one standard deviation. */
static int is_exact(const struct network *w, const double *gain, uint32_t round)
{
    double before = 0, last = 0, enough = exactness * exactness * (double)w->n;
    if (round < 2 * LOOK_BACK)
        return 0;
    for (uint32_t i = 1; i <= LOOK_BACK; i++) {
        last += gain[(round - i) % (2 * LOOK_BACK)];
        before += gain[(round - LOOK_BACK - i) % (2 * LOOK_BACK)];
    }
    return last < enough && last < before && last * last / (before - last) < enough;
}

/* The number of rounds that it took. */
static uint32_t conjugate_gradients(struct network *w, uint32_t most_rounds)
{
    double *x = w->vector[0], *r = w->vector[1], *s = w->vector[2], *d = w->vector[3], *ad = w->vector[4];
    double gain[2 * LOOK_BACK] = {0};
    uint32_t i = 0;
    demands(w, r);
    precondition(w, r, s);
    memcpy(d, s, w->n * sizeof *d);
    double rs = dot(r, s, w->n), first = rs;
    for (; i < most_rounds && rs > precision * precision * first && rs > 0 && !is_exact(w, gain, i); i++) {
        multiply(w, d, ad);
        double curvature = dot(d, ad, w->n);
        if (!(curvature > 0))
            break;
        double step = rs / curvature;
        gain[i % (2 * LOOK_BACK)] = step * rs;
        for (size_t k = 0; k < w->n; k++) {
            x[k] += step * d[k];
            r[k] -= step * ad[k];
        }
        precondition(w, r, s);
        double next = dot(r, s, w->n), beta = next / rs;
        for (size_t k = 0; k < w->n; k++)
            d[k] = s[k] + beta * d[k];
        rs = next;
    }
    return i;
}

static int collect_anchors(struct network *w)
{
    const struct problem *p = w->p;
    uint32_t n = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        n += p->b->unit[u].n_measured + (has_prior(p, u) ? w->knots : 0);
    if (!(w->anchor = malloc((n + 1) * sizeof *w->anchor)))
        return -1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const struct unit *unit = &p->b->unit[u];
        uint32_t origin = p->origin_of[p->component[u]];
        if (is_fixed(p, u) || !unit->seen || u == origin)
            continue;
        for (uint32_t k = 0; k < unit->n_measured; k++) {
            const struct measured *m = &unit->measured[k];
            double time = (double)(int64_t)(m->time - unit->base);
            struct place place = grid_place(&p->grid, u, time);
            double off = m->offset - at(p->grid.z, w, u, &place) + at(p->grid.z, w, origin, &place), e = m->error;
            double far = fabs(off) > 3 * e ? fabs(off) / 3 : e; /* a measurement may be plain wrong */
            w->anchor[w->n_anchors++] = (struct anchor){u, origin, place, 1 / (e * far), off};
        }
        for (uint32_t k = 0; k < w->knots && has_prior(p, u) && p->line_misfit > 0; k++) {
            if (p->grid.gaps > PLACES && k % (p->grid.gaps / PLACES) != 0)
                continue;
            double part = (double)k / p->grid.gaps, e = freedom * p->line_misfit + SIGMAS * unit->measured[0].error;
            double off = prior_value(p, u, part) - p->grid.z[(size_t)u * w->knots + k] +
                         p->grid.z[(size_t)origin * w->knots + k];
            struct place place = k < p->grid.gaps ? (struct place){k, 0} : (struct place){k - 1, 1};
            w->anchor[w->n_anchors++] = (struct anchor){u, origin, place, 1 / (e * e), off};
        }
    }
    return 0;
}

static void network_free(struct network *w)
{
    clusters_free(&w->clusters);
    free(w->anchor);
    free(w->band);
    free(w->rate_weight);
    free(w->delay);
    free(w->bend_weight);
    free(w->equation);
    free(w->first_equation);
    free(w->lever);
    free(w->vector[0]);
}

static int network_init(struct network *w, struct problem *p)
{
    *w = (struct network){.p = p, .knots = p->grid.gaps + 1};
    w->delays = (size_t)p->b->n_units * w->knots;
    w->groups = p->b->n_pairs + p->b->n_stars;
    w->classes = w->delays + w->groups;
    w->n = w->classes + CLASSES;
    for (uint32_t c = 0; c < CLASSES; c++) {
        w->special_weight[c] = 1 / (p->noise[c].special_scatter * p->noise[c].special_scatter + 1);
        w->uneven_weight[c] = p->noise[c].uneven > 0 ? 1 / (p->noise[c].uneven * p->noise[c].uneven) : 0;
    }
    w->band = calloc(BAND * w->delays + 2 * BAND, sizeof *w->band);
    w->rate_weight = calloc((size_t)p->b->n_units + 1, sizeof *w->rate_weight);
    w->delay = calloc((size_t)w->groups + 1, sizeof *w->delay);
    w->bend_weight = malloc((w->delays + 1) * sizeof *w->bend_weight);
    w->equation = malloc(((size_t)p->n_rows + 1) * sizeof *w->equation);
    w->first_equation = malloc(((size_t)w->groups + 1) * sizeof *w->first_equation);
    w->lever = malloc(((size_t)w->groups + 1) * sizeof *w->lever);
    double *vectors = calloc(VECTORS * w->n + 1, sizeof *vectors);
    for (uint32_t i = 0; i < VECTORS; i++)
        w->vector[i] = vectors ? vectors + i * w->n : NULL;
    return w->band && w->rate_weight && w->delay && w->bend_weight && w->equation && w->first_equation && w->lever && vectors &&
                   collect_anchors(w) == 0
               ? 0
               : -1;
}

/* What was found goes to the corrections and to the delays of pairs. The largest change of a correction. */
static double take_solution(const struct network *w)
{
    const double *found = w->vector[0];
    struct problem *p = w->p;
    double change = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        size_t at = (size_t)u * w->knots;
        p->variance[u] = band_uncertainty(band_of(w, u), w->knots, w->bend_weight + at, p->told + at);
    }
    for (size_t k = 0; k < w->delays; k++) {
        p->grid.z[k] += found[k];
        change = fmax(change, fabs(found[k]));
    }
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        if (p->of_pair[i].floats)
            p->of_pair[i].special += found[w->delays + i] - found[w->classes + class_of(p, i)];
        else
            p->of_pair[i].uneven += w->lever[i].sign * found[w->lever[i].at];
    }
    return change;
}

int network_step(struct problem *p, uint32_t most_rounds, double *change)
{
    struct network w;
    int status = network_init(&w, p);
    if (status == 0)
        status = prepare(&w);
    if (status == 0) {
        p->work += ((uint64_t)w.first_equation[w.groups] + w.n) * conjugate_gradients(&w, most_rounds);
        *change = take_solution(&w);
    }
    network_free(&w);
    return status;
}
