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

enum { LINE_ROUNDS = 12, FEW_ROUNDS = 2, ROUNDS = 8, RIGHT_ROUNDS = 8, SEARCH = 60 };
enum { FEWEST_INTERVALS = 8, WIDE = 64, NARROW = 256, MOST_RIGHT = 32, LEAST_STEP = 32 /* ticks */ };

/* What a solution may cost, in equations and unknowns gone through (some 3 ns each); a step gets a part of what is left,
 * but not fewer rounds than needed to be of use. */
enum { WORK = 32000000, WORK_PER_UNIT = 160000, PART = 16, FEWEST_ROUNDS = 16 };

/* On lines weights are blurred by this part of the typical excess of slacks: clocks don't follow lines that closely. */
static const double line_blur = 0.1;

/* A change of rate between two gaps of the coarsest grids, before anything is known. */
static const double first_bend = 1e-3;

static uint64_t work_left(const struct problem *p)
{
    uint64_t most = WORK + (uint64_t)WORK_PER_UNIT * p->b->n_units;
    return p->work < most ? most - p->work : 0;
}

/* How long a step may search. Clocks of a chain of units take as many rounds as there are units. */
static uint32_t most_rounds(const struct problem *p)
{
    uint64_t round = (uint64_t)p->n_rows + (uint64_t)p->b->n_units * (p->grid.gaps + 1) + 1;
    uint64_t affordable = work_left(p) / PART / round, useful = SEARCH + 4 * (uint64_t)p->b->n_units;
    return (uint32_t)(affordable < FEWEST_ROUNDS ? FEWEST_ROUNDS : affordable < useful ? affordable : useful);
}

/* blur: how far the clocks may be off, as a part of what the slacks typically are above the least delay. */
static int step(struct problem *p, uint32_t intervals, double blur, double *change)
{
    if (problem_rows(p, intervals) != 0 || problem_judge(p) != 0)
        return -1;
    problem_weigh(p, blur > 0 ? blur * typical_excess(p) : 0);
    return network_step(p, most_rounds(p), change);
}

/* ------------------------------------------------------------------------------------------------------ levels -- */

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

/* Is there enough traffic for twice as many knots, and time for that? */
static int worth_refining(const struct problem *p, uint64_t work_of_level)
{
    uint32_t units = 0;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        units += p->b->unit[u].seen;
    uint64_t unknowns = (uint64_t)p->b->n_units * 2 * p->grid.gaps;
    if (p->grid.gaps >= p->settings->most_gaps || p->grid.step < LEAST_STEP)
        return 0;
    if ((uint64_t)p->n_rows * 2 * sizeof(struct row) + unknowns * 128 > p->settings->memory)
        return 0;
    if (work_left(p) < work_of_level)
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

/* The error that still matters: a part of the usual least delay, which is about what error bars are. Receivers that
 * always come late make it seem long; measured offsets say what bars are then. */
static double small_error(struct problem *p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->b->n_pairs && n < p->n_rows; i++)
        if (!p->unused[i])
            p->scratch[n++] = p->least_delay[i];
    double delay = quantile(p->scratch, n, 0.5);
    return 0.02 * (p->prior_line ? fmin(delay, 2 * SIGMAS * p->settings->measured_error) : delay) + 0.5;
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
        status = network_step(p, most_rounds(p), &change);
        if (status == 0)
            status = problem_rows(p, finest_intervals(p));
    }
    if (reversed > 0.1 * at_first)
        memcpy(p->grid.z, before, bytes);
    free(before);
    return status;
}

/* Rounds until nothing changes that matters. */
static int rounds(struct problem *p, uint32_t most, double small)
{
    double change = INFINITY;
    for (uint32_t i = 0; i < most && change > small; i++)
        if (step(p, finest_intervals(p), 0, &change) != 0)
            return -1;
    return 0;
}

static int line(struct problem *p)
{
    double change = INFINITY;
    for (uint32_t i = 0; i < LINE_ROUNDS && (i < LINE_ROUNDS / 3 || change > 0.5); i++)
        if (step(p, FEWEST_INTERVALS, i == 0 ? 1 : line_blur, &change) != 0)
            return -1;
    return 0;
}

static int levels(struct problem *p)
{
    if (line(p) != 0)
        return -1;
    double small = small_error(p);
    uint64_t work_of_level = 0;
    while (worth_refining(p, work_of_level) && !is_smooth(p, small)) {
        uint64_t before = p->work;
        if (refine(p) != 0 || rounds(p, FEW_ROUNDS, small) != 0)
            return -1;
        small = small_error(p);
        if (p->grid.gaps == 4 && drop_contradictions(p) != 0)
            return -1;
        work_of_level = p->work - before;
        if (worth_refining(p, 2 * work_of_level) && !is_smooth(p, small))
            continue;
        if (rounds(p, ROUNDS, small) != 0)
            return -1;
        small = small_error(p);
    }
    if (put_right(p) != 0)
        return -1;
    return p->prior_line ? make_feasible(p, finest_intervals(p)) : 0;
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
    p->unused = calloc(pairs, 1);
    p->tied = calloc(units, 1);
    p->settled = calloc(units, 1);
    p->component = calloc(units, sizeof *p->component);
    p->origin_of = calloc(units, sizeof *p->origin_of);
    return p->grid.start && p->grid.z && p->bend && p->first_row && p->least_delay && p->spread && p->floats &&
                   p->bad && p->unused && p->settled && p->tied && p->component && p->origin_of
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
    free(p->unused);
    free(p->settled);
    free(p->tied);
    free(p->component);
    free(p->origin_of);
    free(p->prior_line);
    free(p->prior_band);
    free(p->scratch);
}

/* Where all clocks are right as they are: a grid for the error bars, as fine as there are messages. */
static int lay_right_grid(struct problem *p)
{
    do {
        if (refine(p) != 0 || problem_rows(p, p->grid.gaps) != 0)
            return -1;
    } while (p->grid.gaps < FEWEST_INTERVALS || (p->grid.gaps < MOST_RIGHT && p->grid.gaps < p->settings->most_gaps &&
                                                 p->n_rows > 2 * (uint64_t)p->b->n_units * p->grid.gaps));
    return 0;
}

static int solve(struct problem *p, double *rough)
{
    uint32_t settled = 0;
    if (connect_units(p, rough) != 0 || choose_right(p, rough) != 0)
        return -1;
    for (uint32_t c = 0; c < p->components; c++)
        settled += p->settled[c];
    lay_grid(p, rough);
    if (settled == p->components)
        return lay_right_grid(p);
    if (prior_find(p) != 0)
        return -1;
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        p->unused[i] |= p->settled[p->component[p->b->pair[i].from]];
    int status = levels(p);
    memset(p->unused, 0, p->b->n_pairs);
    return status;
}

int problem_solve(struct problem *p)
{
    double *rough = calloc((size_t)p->b->n_units + 1, sizeof *rough);
    int status = rough ? solve(p, rough) : -1;
    free(rough);
    return status;
}
