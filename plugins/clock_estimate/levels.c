/* Corrections from coarse to fine: a constant a unit, a line, then piecewise linear with twice as many knots each time.
 *
 * On each level, in turn: find the tightest message of each pair and interval under the corrections so far; judge how
 * far it is to be trusted; solve the least squares for better corrections. What the coarser level shows of a clock's
 * changes of rate says how smooth it is to be expected on the finer one, so that a fine grid doesn't follow the noise.
 */
#include "solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROUNDS = 12, ROUNDS = 8, FEWEST_INTERVALS = 8, SEARCH = 60, LEAST_STEP = 32 /* ticks */, WIDE = 64, NARROW = 256, RIGHT_ROUNDS = 8 };

/* A change of rate between two gaps of the coarsest grids, before anything is known. */
static const double first_bend = 1e-3;

/* -------------------------------------------------------------------------------------------------------- grid -- */

struct place grid_place(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    double k = x < 0 ? 0 : x >= g->gaps ? g->gaps - 1 : floor(x);
    return (struct place){(uint32_t)k, (float)(x - k)};
}

double grid_value(const struct grid *g, uint32_t unit, double time)
{
    double x = (time - g->start[unit]) * g->per_step;
    double k = x < 0 ? 0 : x >= g->gaps ? g->gaps - 1 : floor(x);
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + (uint32_t)k;
    return z[0] + (x - k) * (z[1] - z[0]);
}

double problem_slack(const struct problem *p, uint32_t pair, const struct point *point)
{
    const struct pair *q = &p->b->pair[pair];
    return (double)(point->received - point->sent) + grid_value(&p->grid, q->to, (double)point->received) -
           grid_value(&p->grid, q->from, (double)point->sent);
}

static uint32_t interval_of(const struct problem *p, uint32_t unit, int64_t time, uint32_t intervals)
{
    double x = ((double)time - p->grid.start[unit]) * p->grid.per_step / p->grid.gaps * intervals;
    return x < 0 ? 0 : x >= intervals ? intervals - 1 : (uint32_t)x;
}

static struct row *add_row(struct problem *p)
{
    if (p->n_rows == p->row_capacity) {
        uint32_t capacity = p->row_capacity ? 2 * p->row_capacity : 1024;
        struct row *grown = realloc(p->row, capacity * sizeof *grown);
        if (!grown)
            return NULL;
        p->row = grown;
        p->row_capacity = capacity;
    }
    return &p->row[p->n_rows++];
}

int problem_rows(struct problem *p, uint32_t intervals)
{
    p->n_rows = 0;
    p->intervals = intervals;
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        const struct pair *q = &p->b->pair[i];
        struct row *row = NULL;
        const struct point *best = NULL;
        p->first_row[i] = p->n_rows;
        for (uint32_t k = 0; k < q->n && !p->bad[i]; k++) {
            uint32_t interval = interval_of(p, q->from, q->point[k].sent, intervals);
            double slack = problem_slack(p, i, &q->point[k]);
            if (!row || row->interval != interval) {
                if (!(row = add_row(p)))
                    return -1;
                *row = (struct row){.pair = i, .interval = interval, .slack = INFINITY};
            }
            if (slack < row->slack) {
                row->slack = slack;
                best = &q->point[k];
                row->from = grid_place(&p->grid, q->from, (double)best->sent);
                row->to = grid_place(&p->grid, q->to, (double)best->received);
            }
        }
    }
    p->first_row[p->b->n_pairs] = p->n_rows;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------ trust -- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double quantile(const double *sorted, uint32_t n, double part)
{
    return n == 0 ? 0 : sorted[(uint32_t)(part * (n - 1))];
}

/* Sums of the slacks of both directions in intervals that have both, in order; their least is twice the least delay,
 * whatever the corrections are. */
static uint32_t round_trips(struct problem *p, uint32_t pair, double *sum)
{
    uint32_t a = p->first_row[pair], a_end = p->first_row[pair + 1], n = 0;
    uint32_t reverse = p->b->pair[pair].reverse;
    if (reverse == NO_PAIR)
        return 0;
    for (uint32_t b = p->first_row[reverse]; a < a_end && b < p->first_row[reverse + 1];) {
        if (p->row[a].interval == p->row[b].interval)
            sum[n++] = p->row[a++].slack + p->row[b++].slack;
        else if (p->row[a].interval < p->row[b].interval)
            a++;
        else
            b++;
    }
    qsort(sum, n, sizeof *sum, compare_doubles);
    return n;
}

static uint32_t slacks(const struct problem *p, uint32_t pair, double *slack)
{
    uint32_t n = 0;
    for (uint32_t i = p->first_row[pair]; i < p->first_row[pair + 1]; i++)
        slack[n++] = p->row[i].slack;
    qsort(slack, n, sizeof *slack, compare_doubles);
    return n;
}

/* What a small part of the slacks is below of: a smaller one where each of them comes from few messages. */
static double tight(const struct problem *p, uint32_t pair, const double *sorted, uint32_t n)
{
    double each = n ? (double)p->b->pair[pair].messages / n : 0;
    return quantile(sorted, n, each < 10 ? 0.01 * each : 0.1);
}

/* The least delay of each pair, and how much the delays scatter. */
static void judge_pair(struct problem *p, uint32_t i)
{
    uint32_t reverse = p->b->pair[i].reverse, n = slacks(p, i, p->scratch);
    double low = tight(p, i, p->scratch, n), spread = quantile(p->scratch, n, 0.5) - low;
    p->floats[i] = 0;
    if (reverse != NO_PAIR) {
        uint32_t both = round_trips(p, i, p->scratch);
        if (both >= 4) {
            low = quantile(p->scratch, both, 0.1) / 2;
            double alike = (quantile(p->scratch, both, 0.5) / 2 - low);
            spread = alike < spread ? alike : spread;
        } else {
            n = slacks(p, reverse, p->scratch);
            low = (low + tight(p, reverse, p->scratch, n)) / 2;
        }
        p->least_delay[i] = low > 0 ? low : 0;
    } else if (p->tied[p->b->pair[i].from] && p->tied[p->b->pair[i].to]) {
        /* Others say where the clocks are; this pair only how they move. */
        p->floats[i] = p->least_delay[i] >= 0;
        p->least_delay[i] = p->least_delay[i] > 0 ? p->least_delay[i] : 0;
    }
    p->spread[i] = spread + 1;
}

/* A delay below the least one contradicts, one above it is only loose. */
static void weigh(struct problem *p, double blur)
{
    for (uint32_t i = 0; i < p->n_rows; i++) {
        struct row *r = &p->row[i];
        double excess = r->slack - p->least_delay[r->pair], s = p->spread[r->pair] + blur;
        r->want = -excess;
        r->weight = 1 / (s * s + (excess > 0 ? excess * excess : excess * excess / 64));
    }
}

static double typical_excess(struct problem *p)
{
    for (uint32_t i = 0; i < p->n_rows; i++)
        p->scratch[i] = fabs(p->row[i].slack - p->least_delay[p->row[i].pair]);
    qsort(p->scratch, p->n_rows, sizeof *p->scratch, compare_doubles);
    return quantile(p->scratch, p->n_rows, 0.5);
}

static int step(struct problem *p, uint32_t intervals, double *blur, double *change)
{
    if (problem_rows(p, intervals) != 0)
        return -1;
    double *scratch = realloc(p->scratch, ((size_t)p->n_rows + 1) * sizeof *scratch);
    if (!scratch)
        return -1;
    p->scratch = scratch;
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        judge_pair(p, i);
    if (blur && *blur < 0)
        *blur = typical_excess(p);
    weigh(p, blur ? *blur : 0);
    return network_step(p, SEARCH + 4 * p->b->n_units, change);
}

/* --------------------------------------------------------------------------------------- what is connected -- */

static uint32_t root_of(uint32_t *parent, double *offset, uint32_t u)
{
    while (parent[u] != u) {
        uint32_t up = parent[u];
        if (parent[up] != up) {
            offset[u] += offset[up];
            parent[u] = parent[up];
        } else {
            u = up;
        }
    }
    return u;
}

struct link {
    uint32_t a, b;
    double difference, error; /* z[a] - z[b] */
};

static int compare_links(const void *a, const void *b)
{
    double x = ((const struct link *)a)->error, y = ((const struct link *)b)->error;
    return x < y ? -1 : x > y;
}

static struct link link_of(const struct bounds *b, uint32_t i)
{
    const struct pair *p = &b->pair[i];
    if (p->reverse == NO_PAIR)
        return (struct link){p->from, p->to, (double)p->least, 1e30};
    double back = (double)b->pair[p->reverse].least;
    return (struct link){p->from, p->to, ((double)p->least - back) / 2, fabs((double)p->least + back)};
}

/* Rough constants, by a spanning tree of the best links; the components come along. */
static int align(struct problem *p, double *rough)
{
    struct bounds *b = p->b;
    uint32_t n = 0, anchored = NO_UNIT;
    struct link *link = malloc(((size_t)b->n_pairs + b->n_units + 1) * sizeof *link);
    uint32_t *parent = malloc(((size_t)b->n_units + 1) * sizeof *parent);
    if (!link || !parent) {
        free(link);
        free(parent);
        return -1;
    }
    for (uint32_t i = 0; i < b->n_pairs; i++)
        if (!p->bad[i])
            link[n++] = link_of(b, i);
    if (b->unit[p->settings->reference].n_measured)
        anchored = p->settings->reference;
    for (uint32_t u = 0; u < b->n_units; u++) {
        const struct unit *unit = &b->unit[u];
        parent[u] = u;
        rough[u] = 0;
        if (unit->n_measured == 0 || !unit->seen)
            continue;
        if (anchored == NO_UNIT)
            anchored = u;
        if (u != anchored)
            link[n++] = (struct link){u, anchored, unit->measured[0].offset - b->unit[anchored].measured[0].offset, 0};
    }
    qsort(link, n, sizeof *link, compare_links);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = root_of(parent, rough, link[i].a), c = root_of(parent, rough, link[i].b);
        if (a == c)
            continue;
        double za = a == link[i].a ? 0 : rough[link[i].a], zc = c == link[i].b ? 0 : rough[link[i].b];
        parent[a] = c;
        rough[a] = link[i].difference + zc - za;
    }
    for (uint32_t u = 0; u < b->n_units; u++) {
        p->component[u] = root_of(parent, rough, u);
        if (p->component[u] == u)
            rough[u] = 0;
    }
    free(link);
    free(parent);
    return 0;
}

/* Numbers the components, that of the reference first; each gets an origin, its first unit or the reference. */
static void number_components(struct problem *p, double *rough)
{
    uint32_t n = p->b->n_units;
    uint32_t *number = p->origin_of;
    for (uint32_t u = 0; u < n; u++)
        number[u] = NO_UNIT;
    number[p->component[p->settings->reference]] = 0;
    p->components = 1;
    for (uint32_t u = 0; u < n; u++) {
        if (number[p->component[u]] == NO_UNIT)
            number[p->component[u]] = p->components++;
        p->component[u] = number[p->component[u]];
    }
    for (uint32_t u = 0; u < n; u++)
        p->origin_of[u] = NO_UNIT;
    p->origin_of[0] = p->settings->reference;
    for (uint32_t u = 0; u < n; u++)
        if (p->origin_of[p->component[u]] == NO_UNIT)
            p->origin_of[p->component[u]] = u;
    double *shift = p->bend; /* not in use yet */
    for (uint32_t c = 0; c < p->components; c++)
        shift[c] = rough[p->origin_of[c]];
    for (uint32_t u = 0; u < n; u++)
        rough[u] -= shift[p->component[u]];
}

/* Marks what is tied to its origin by messages both ways, or by measurements. */
static void find_tied(struct problem *p, uint8_t *reached)
{
    const struct bounds *b = p->b;
    for (uint32_t u = 0; u < b->n_units; u++)
        reached[u] = (uint8_t)(p->origin_of[p->component[u]] == u ? 3 : 0);
    for (int changed = 1; changed;) {
        changed = 0;
        uint8_t anchors = 0;
        for (uint32_t u = 0; u < b->n_units; u++)
            anchors |= (uint8_t)(b->unit[u].n_measured && b->unit[u].seen ? reached[u] : 0);
        for (uint32_t u = 0; u < b->n_units; u++)
            if (b->unit[u].n_measured && b->unit[u].seen && (reached[u] | anchors) != reached[u]) {
                reached[u] |= anchors;
                changed = 1;
            }
        for (uint32_t i = 0; i < b->n_pairs; i++) {
            if (p->bad[i])
                continue;
            uint8_t *from = &reached[b->pair[i].from], *to = &reached[b->pair[i].to];
            uint8_t f = *from | (*to & 2), t = *to | (*from & 1);
            changed |= f != *from || t != *to;
            *from = f;
            *to = t;
        }
    }
    for (uint32_t u = 0; u < b->n_units; u++)
        p->tied[u] = reached[u] == 3;
}

/* ------------------------------------------------------------------------------------------------------ levels -- */

/* Offsets of measurements relative to the reference's own, on the clocks' bases. */
static void relate_measurements(struct problem *p)
{
    struct bounds *b = p->b;
    const struct unit *ref = &b->unit[p->settings->reference];
    for (uint32_t u = 0; u < b->n_units; u++)
        for (uint32_t k = 0; k < b->unit[u].n_measured; k++) {
            struct measured *m = &b->unit[u].measured[k];
            __int128 global = (__int128)m->time + m->raw;
            double mine = 0;
            if (ref->n_measured > 0) {
                uint32_t i = 0;
                while (i + 2 < ref->n_measured && (__int128)ref->measured[i + 1].time + ref->measured[i + 1].raw < global)
                    i++;
                const struct measured *x = &ref->measured[i], *y = &ref->measured[i + (ref->n_measured > 1)];
                double span = (double)(y->time - x->time);
                mine = (double)x->raw;
                if (span > 0)
                    mine += (double)(y->raw - x->raw) * (double)(global - x->raw - x->time) / span;
            }
            __int128 bases = (__int128)b->unit[u].base - ref->base;
            m->offset = (double)(m->raw + bases) - mine;
            if (!(m->error > p->settings->measured_error))
                m->error = p->settings->measured_error;
        }
}

/* The grid covers all times of a component, on every clock. */
static void lay_grid(struct problem *p, const double *rough)
{
    const struct bounds *b = p->b;
    double length = 1;
    double *first = p->bend; /* by component */
    for (uint32_t c = 0; c < p->components; c++)
        first[c] = INFINITY;
    for (uint32_t u = 0; u < b->n_units; u++) {
        double start = (double)b->unit[u].first + rough[u];
        if (b->unit[u].seen && start < first[p->component[u]])
            first[p->component[u]] = start;
    }
    for (uint32_t u = 0; u < b->n_units; u++) {
        double start = isfinite(first[p->component[u]]) ? first[p->component[u]] : 0;
        double end = (double)b->unit[u].last + rough[u] - start;
        p->grid.start[u] = start - rough[u];
        length = b->unit[u].seen && end > length ? end : length;
        p->grid.z[2 * u] = p->grid.z[2 * u + 1] = rough[u];
    }
    p->grid.gaps = 1;
    p->grid.step = length;
    p->grid.per_step = 1 / length;
}

static double bend_at(const struct grid *g, uint32_t unit, uint32_t k)
{
    const double *z = g->z + (size_t)unit * (g->gaps + 1) + k;
    return z[-1] - 2 * z[0] + z[1];
}

/* How much each clock is to be expected to bend at a knot of the next level. */
static void expect_bends(struct problem *p, const struct grid *fine, double *bend)
{
    const struct grid *g = &p->grid;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        double sum = 0, least = p->settings->least_wander * fine->step + 0.05;
        for (uint32_t k = 1; k < g->gaps; k++)
            sum += bend_at(g, u, k) * bend_at(g, u, k);
        double usual = g->gaps > 3 ? sqrt(sum / (g->gaps - 1)) : fmax(sqrt(sum), first_bend * fine->step);
        for (uint32_t k = 0; k <= fine->gaps; k++) {
            double here = 0;
            for (uint32_t i = k / 2 > 1 ? k / 2 - 1 : 1; i <= k / 2 + 2 && i < g->gaps; i++)
                here = fmax(here, fabs(bend_at(g, u, i)));
            bend[(size_t)u * (fine->gaps + 1) + k] = fmax(least, fmax(here, 0.5 * usual) / 2);
        }
    }
}

/* Twice as many knots, the same corrections. */
static int refine(struct problem *p)
{
    struct grid fine = p->grid;
    fine.gaps *= 2;
    fine.step /= 2;
    fine.per_step *= 2;
    size_t n = (size_t)p->b->n_units * (fine.gaps + 1);
    double *bend = malloc((n + 1) * sizeof *bend);
    fine.z = malloc((n + 1) * sizeof *fine.z);
    if (!bend || !fine.z) {
        free(bend);
        free(fine.z);
        return -1;
    }
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const double *z = p->grid.z + (size_t)u * (p->grid.gaps + 1);
        for (uint32_t k = 0; k <= fine.gaps; k++)
            fine.z[(size_t)u * (fine.gaps + 1) + k] = k % 2 ? (z[k / 2] + z[k / 2 + 1]) / 2 : z[k / 2];
    }
    expect_bends(p, &fine, bend);
    free(p->grid.z);
    free(p->bend);
    p->bend = bend;
    p->grid = fine;
    return 0;
}

/* Is there enough traffic for twice as many knots? */
static int worth_refining(const struct problem *p)
{
    uint32_t units = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        units += p->b->unit[u].seen;
    uint64_t unknowns = (uint64_t)p->b->n_units * 2 * p->grid.gaps;
    if (p->grid.gaps >= p->settings->most_gaps || p->grid.step < LEAST_STEP)
        return 0;
    if ((uint64_t)p->n_rows * 2 * sizeof(struct row) + unknowns * 128 > p->settings->memory)
        return 0;
    return (uint64_t)p->n_rows > (uint64_t)units * p->grid.gaps;
}

/* The usual sum of both directions' slacks in narrow intervals, by pair; 0 where little is known. */
static int usual_round_trips(struct problem *p, uint32_t intervals, double *usual)
{
    if (problem_rows(p, intervals) != 0)
        return -1;
    double *scratch = realloc(p->scratch, ((size_t)p->n_rows + 1) * sizeof *scratch);
    if (!scratch)
        return -1;
    p->scratch = scratch;
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        uint32_t n = round_trips(p, i, p->scratch);
        usual[i] = n < 4 ? 0 : quantile(p->scratch, n, 0.5);
    }
    return 0;
}

/* Pairs whose two directions contradict each other are not to be trusted: their messages are not what they seem to be.
 * Clocks that the corrections don't follow yet contradict, too, but the less the narrower one looks. */
static int drop_contradictions(struct problem *p)
{
    double *wide = calloc(2 * (size_t)p->b->n_pairs + 1, sizeof *wide), *narrow = wide + p->b->n_pairs;
    int status = wide ? usual_round_trips(p, WIDE, wide) : -1;
    if (status == 0)
        status = usual_round_trips(p, NARROW, narrow);
    for (uint32_t i = 0; i < p->b->n_pairs && status == 0; i++) {
        uint32_t reverse = p->b->pair[i].reverse;
        if (reverse == NO_PAIR || reverse < i || narrow[i] > -10 || narrow[i] > 0.6 * wide[i])
            continue;
        p->bad[i] = p->bad[reverse] = 1;
        p->contradictory += 2;
    }
    free(wide);
    return status;
}

/* The error that still matters: a part of the usual least delay, which is about what error bars are. */
static double small_error(struct problem *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->b->n_pairs && i < p->n_rows; i++)
        p->scratch[n++] = p->least_delay[i];
    qsort(p->scratch, n, sizeof *p->scratch, compare_doubles);
    return 0.02 * quantile(p->scratch, n, 0.5) + 0.5;
}

/* Clocks between two knots aren't far from the line: not farther than an eighth of the bend there. And no message says
 * otherwise. */
static int is_smooth(const struct problem *p, double small)
{
    double largest = 0;
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < p->n_rows; i++)
        reversed += p->row[i].slack < -small - 1;
    if (reversed > p->n_rows / 50)
        return 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        for (uint32_t k = 1; k < p->grid.gaps; k++)
            largest = fmax(largest, fabs(bend_at(&p->grid, u, k)));
    return p->grid.gaps >= 8 && largest / 8 < small;
}

static uint32_t finest_intervals(const struct problem *p)
{
    return 2 * p->grid.gaps < FEWEST_INTERVALS ? FEWEST_INTERVALS : 2 * p->grid.gaps;
}

/* By how much messages are reversed, in all; and the equations by which they wouldn't be while all else stays. */
static double weigh_reversed(struct problem *p)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->n_rows; k++) {
        struct row *r = &p->row[k];
        double s = p->spread[r->pair];
        int wrong = r->slack < -0.5;
        sum += wrong ? -r->slack : 0;
        r->want = wrong ? -r->slack : 0;
        r->weight = (wrong ? 100 : 1) / (s * s + (wrong ? 0 : r->slack * r->slack));
    }
    memset(p->floats, 0, p->b->n_pairs);
    return sum;
}

/* Where messages are still reversed, few tight ones have been outvoted by many loose ones. Moves the clocks as little as
 * it takes. Where that doesn't get most of them right, clocks do what no line between knots can follow: then not. */
static int put_right(struct problem *p)
{
    size_t bytes = (size_t)p->b->n_units * (p->grid.gaps + 1) * sizeof *p->grid.z;
    double *before = malloc(bytes + 1), change, reversed = 0, at_first = 0;
    if (!before)
        return -1;
    memcpy(before, p->grid.z, bytes);
    int status = problem_rows(p, finest_intervals(p));
    for (uint32_t i = 0; i <= RIGHT_ROUNDS && status == 0; i++) {
        reversed = weigh_reversed(p);
        at_first = i == 0 ? reversed : at_first;
        if (reversed == 0 || i == RIGHT_ROUNDS)
            break;
        status = network_step(p, SEARCH + 4 * p->b->n_units, &change);
        if (status == 0)
            status = problem_rows(p, finest_intervals(p));
    }
    if (reversed > 0.1 * at_first)
        memcpy(p->grid.z, before, bytes);
    free(before);
    return status;
}

static int levels(struct problem *p)
{
    double blur = -1, change;
    change = INFINITY;
    for (uint32_t i = 0; i < LINE_ROUNDS && (i < LINE_ROUNDS / 3 || change > 0.5); i++, blur /= 3)
        if (step(p, FEWEST_INTERVALS, &blur, &change) != 0)
            return -1;
    double small = small_error(p);
    while (worth_refining(p) && !is_smooth(p, small)) {
        if (refine(p) != 0)
            return -1;
        uint32_t intervals = finest_intervals(p);
        change = INFINITY;
        for (uint32_t i = 0; i < ROUNDS && change > small; i++)
            if (step(p, intervals, NULL, &change) != 0)
                return -1;
        small = small_error(p);
        if (p->grid.gaps == 4 && drop_contradictions(p) != 0)
            return -1;
    }
    return put_right(p);
}

int problem_init(struct problem *p, struct bounds *b, const struct settings *settings)
{
    size_t units = (size_t)b->n_units + 1, pairs = (size_t)b->n_pairs + 1;
    *p = (struct problem){.b = b, .settings = settings};
    p->grid.start = calloc(units, sizeof *p->grid.start);
    p->grid.z = calloc(2 * units, sizeof *p->grid.z);
    p->bend = calloc(2 * units, sizeof *p->bend);
    p->first_row = calloc(pairs + 1, sizeof *p->first_row);
    p->least_delay = calloc(pairs, sizeof *p->least_delay);
    p->spread = calloc(pairs, sizeof *p->spread);
    p->floats = calloc(pairs, 1);
    p->bad = calloc(pairs, 1);
    p->tied = calloc(units, 1);
    p->component = calloc(units, sizeof *p->component);
    p->origin_of = calloc(units, sizeof *p->origin_of);
    return p->grid.start && p->grid.z && p->bend && p->first_row && p->least_delay && p->spread && p->floats &&
                   p->bad && p->tied && p->component && p->origin_of
               ? 0
               : -1;
}

void problem_free(struct problem *p)
{
    free(p->grid.start);
    free(p->grid.z);
    free(p->bend);
    free(p->row);
    free(p->first_row);
    free(p->least_delay);
    free(p->spread);
    free(p->floats);
    free(p->bad);
    free(p->tied);
    free(p->component);
    free(p->origin_of);
    free(p->scratch);
}

int problem_solve(struct problem *p)
{
    struct bounds *b = p->b;
    double *rough = calloc((size_t)b->n_units + 1, sizeof *rough);
    int status = -1;
    if (!rough)
        return -1;
    bounds_link(b);
    relate_measurements(p);
    if (align(p, rough) == 0) {
        number_components(p, rough);
        lay_grid(p, rough);
        find_tied(p, p->tied);
        status = levels(p);
    }
    free(rough);
    return status;
}
