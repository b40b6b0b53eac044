/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Corrections from coarse to fine: a constant for each unit, a line, then piecewise linear with twice as many gaps each
 * time.
 *
 * A step on a level finds the tightest message of each pair and interval under the present corrections, judges which of
 * them to trust, and solves the least squares for better corrections. The changes of rates on the coarser levels
 * determine how smooth clocks should be on the finer one, so that a fine grid doesn't follow noise. */
#include "problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_ROUNDS = 12, BYTE_ROUNDS = 4, SEARCH = 200, ORIGIN_STEPS = 4 };
/* The widest interval, in gaps. */
enum { WIDEST = 8 };
enum { FEWEST_INTERVALS = 8, WIDE = 64, NARROW = 256, MOST_RIGHT = 32, LEAST_STEP = 32 /* ticks */ };

/* The most work of a solution, in equations and unknowns read (some 3 ns each). A step gets a fraction of the rest, but
 * not fewer rounds than are of use. */
enum { WORK = 64000000, WORK_PER_UNIT = 500000, PART = 16, FEWEST_ROUNDS = 16 };
/* The memory of the equations, in bytes: a row, a row with a weight (that of a collective stands twice), an unknown. */
enum { ROW_BYTES = sizeof(struct row), EQUATION_BYTES = 56, UNKNOWN_BYTES = 128 };

/* Unrestricted rates are kept if slacks scatter by less than this part of their scatter with usual rates. */
static const double far_below = 0.1;
/* Unrestricted rates are tried if slacks scatter by more than so many times the usual rate makes in the run. */
static const double unusual = 5;
/* Clocks bend on as long as more than this part of the rows is reversed. */
static const double few_reversed = 0.02;
/* The two directions of a pair contradict each other: by so many ticks at least, and by this part at least of what they
 * do in wider intervals; in an interval of so many with both directions. */
static const double clear_ticks = 10, as_wide = 0.6;
enum { FEWEST_TRIPS = 4 };

static uint64_t work_left(const struct problem *p)
{
    uint64_t most = WORK + (uint64_t)WORK_PER_UNIT * p->b->n_units;
    return p->work < most ? most - p->work : 0;
}

/* The most rounds of a step. A chain of units takes as many rounds as there are units. */
static uint32_t most_rounds(const struct problem *p)
{
    uint64_t round = (uint64_t)p->n_rows + (uint64_t)p->b->n_units * (p->grid.gaps + 1) + 1;
    uint64_t affordable = work_left(p) / PART / round, useful = SEARCH + 4 * (uint64_t)p->b->n_units;
    return (uint32_t)(affordable < FEWEST_ROUNDS ? FEWEST_ROUNDS : affordable < useful ? affordable : useful);
}

/* -------------------------------------------------------------------------------------------------------- levels -- */

/* The grid covers all times of a component, on every clock. */
static void lay_grid(struct problem *p, const struct rough *rough)
{
    const struct bounds *b = p->b;
    double length = 1;
    double *first = p->bend; /* by component */
    for (uint32_t c = 0; c < p->components; c++)
        first[c] = INFINITY;
    for (uint32_t u = 0; u < b->n_units; u++) {
        double start = (double)b->unit[u].first + rough[u].offset;
        if (b->unit[u].seen && start < first[p->component[u]])
            first[p->component[u]] = start;
    }
    for (uint32_t u = 0; u < b->n_units; u++) {
        double start = isfinite(first[p->component[u]]) ? first[p->component[u]] : 0;
        p->grid.start[u] = (start - rough[u].offset) / (1 + rough[u].rate);
        double end = (double)b->unit[u].last - p->grid.start[u];
        length = b->unit[u].seen && end > length ? end : length;
    }
    for (uint32_t u = 0; u < b->n_units; u++)
        for (int end = 0; end < 2; end++)
            p->grid.z[2 * u + (uint32_t)end] = rough[u].offset + rough[u].rate * (p->grid.start[u] + end * length);
    p->grid.gaps = 1;
    p->grid.step = length;
    p->grid.per_step = 1 / length;
}

static int step(struct problem *p, uint32_t intervals, double *change)
{
    if (problem_rows(p, intervals) != 0 || problem_judge(p) != 0 || problem_weigh(p) != 0)
        return -1;
    return least_squares_step(p, most_rounds(p), change);
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
    float *determined = calloc(n + 1, sizeof *determined);
    fine.z = malloc((n + 1) * sizeof *fine.z);
    if (!bend || !determined || !fine.z || bends_expect(p, &fine, bend) != 0) {
        free(bend);
        free(determined);
        free(fine.z);
        return -1;
    }
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        const double *z = p->grid.z + (size_t)u * (p->grid.gaps + 1);
        for (uint32_t k = 0; k <= fine.gaps; k++)
            fine.z[(size_t)u * (fine.gaps + 1) + k] = k % 2 ? (z[k / 2] + z[k / 2 + 1]) / 2 : z[k / 2];
    }
    free(p->grid.z);
    free(p->bend);
    free(p->determined);
    p->bend = bend;
    p->determined = determined;
    p->grid = fine;
    return 0;
}

/* The number of rows that show where clocks are: those in peaks; or those that are reversed, if the clocks bend by so
 * much that no peak is seen yet. */
static double telling_rows(const struct problem *p)
{
    double in_peaks = 0, reversed = 0;
    for (uint32_t c = 0; c < CLASSES; c++)
        in_peaks += p->noise[c].n * p->noise[c].part;
    for (uint32_t i = 0; i < p->n_rows; i++)
        reversed += p->row[i].slack < -1;
    return fmax(in_peaks, reversed);
}

static uint64_t most_rows(const struct problem *p)
{
    uint64_t all = p->b->n_ends;
    for (uint32_t i = 0; i < p->b->n_pairs; i++)
        all += p->b->pair[i].n;
    return 2 * (uint64_t)p->n_rows < all ? 2 * (uint64_t)p->n_rows : all;
}

/* Are there enough rows, time and memory for twice as many knots? Rows show what clocks are beside that of the
 * origin. */
static int worth_refining(const struct problem *p, uint64_t work_of_level)
{
    uint64_t clocks = 0, unknowns = (uint64_t)p->b->n_units * 2 * p->grid.gaps;
    for (uint32_t u = 0; u < p->b->n_units; u++)
        clocks += p->b->unit[u].seen && p->origin_of[p->component[u]] != u;
    if (p->grid.gaps >= p->settings->most_gaps || p->grid.step < LEAST_STEP || work_left(p) < work_of_level)
        return 0;
    if (most_rows(p) * (ROW_BYTES + EQUATION_BYTES) + unknowns * UNKNOWN_BYTES > p->settings->memory)
        return 0;
    return telling_rows(p) > (double)(clocks * p->grid.gaps);
}

/* The median sum of both directions' slacks in an interval, by pair; 0: too few. */
static int usual_round_trips(struct problem *p, double *usual)
{
    double *scratch = realloc(p->scratch, ((size_t)p->n_rows + 1) * sizeof *scratch);
    if (!scratch)
        return -1;
    p->scratch = scratch;
    for (uint32_t i = 0; i < p->b->n_pairs; i++) {
        uint32_t n = round_trips(p, i, p->scratch);
        usual[i] = n < FEWEST_TRIPS ? 0 : quantile(p->scratch, n, 0.5);
    }
    return 0;
}

/* Leaves out pairs whose two directions contradict each other: their messages are mismatched, or their times wrong.
 * Messages also contradict where the corrections don't follow the clocks yet, but by less in narrower intervals. */
static int drop_contradictions(struct problem *p)
{
    double *wide = calloc(2 * (size_t)p->b->n_pairs + 1, sizeof *wide), *narrow = wide + p->b->n_pairs;
    int status = wide && problem_rows(p, NARROW) == 0 ? usual_round_trips(p, narrow) : -1;
    while (status == 0 && p->intervals > WIDE)
        status = problem_coarser_rows(p);
    if (status == 0)
        status = usual_round_trips(p, wide);
    for (uint32_t i = 0; i < p->b->n_pairs && status == 0; i++) {
        uint32_t reverse = p->b->pair[i].reverse;
        if (reverse == NO_PAIR || reverse < i || narrow[i] > -clear_ticks || narrow[i] > as_wide * wide[i])
            continue;
        p->bad[i] = p->bad[reverse] = 1;
        p->contradictory += 2;
    }
    free(wide);
    return status;
}

/* Convergence: stop refining when clocks are lines, or when a finer level would change little and few messages are
 * reversed. */
static int is_smooth(const struct problem *p)
{
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < p->n_rows; i++)
        reversed += p->row[i].slack < -1;
    return (p->grid.gaps == BENDS_FREE_GAPS && bends_are_noise(p)) ||
           (reversed <= few_reversed * p->n_rows && bends_below_noise(p));
}

static uint32_t finest_intervals(const struct problem *p)
{
    return 2 * p->grid.gaps < FEWEST_INTERVALS ? FEWEST_INTERVALS : 2 * p->grid.gaps;
}

/* Lines never explain clocks that bend. Convergence: stop when a step changes less than a tick. */
static int seek_lines(struct problem *p)
{
    double change = INFINITY;
    for (uint32_t i = 0; i < LINE_ROUNDS && change > 0.5; i++)
        if (step(p, FEWEST_INTERVALS, &change) != 0)
            return -1;
    return 0;
}

/* What a search for lines changes, besides rows. */
struct lines {
    double *z;
    struct pair_delay *of_pair;
    struct noise noise[CLASSES];
};

/* -1: out of memory. */
static int lines_keep(struct lines *l, const struct problem *p)
{
    const size_t values = 2 * (size_t)p->b->n_units, pairs = p->b->n_pairs;
    l->z = malloc((values + 1) * sizeof *l->z);
    l->of_pair = malloc((pairs + 1) * sizeof *l->of_pair);
    if (!l->z || !l->of_pair)
        return -1;
    memcpy(l->z, p->grid.z, values * sizeof *l->z);
    memcpy(l->of_pair, p->of_pair, pairs * sizeof *l->of_pair);
    memcpy(l->noise, p->noise, sizeof l->noise);
    return 0;
}

static void lines_restore(const struct lines *l, struct problem *p)
{
    memcpy(p->grid.z, l->z, 2 * (size_t)p->b->n_units * sizeof *l->z);
    memcpy(p->of_pair, l->of_pair, p->b->n_pairs * sizeof *l->of_pair);
    memcpy(p->noise, l->noise, sizeof l->noise);
}

/* Rates far from the usual ones, where messages go one way: the prior holds rates near the usual ones, and the
 * error looks like scatter, which gives the messages little weight. So this searches once more without the prior. Only
 * if slacks scatter by far less then, and still do with the prior, the result is kept; else the search goes on where it
 * was. */
static int seek_any_lines(struct problem *p)
{
    struct lines held = {0};
    double change;
    const double most = far_below * p->scatter;
    int status = lines_keep(&held, p);
    p->any_rate = 1;
    if (status == 0)
        status = seek_lines(p);
    p->any_rate = 0;
    if (status == 0 && p->scatter <= most)
        status = seek_lines(p);
    if (status == 0 && p->scatter > most) {
        lines_restore(&held, p);
        status = step(p, FEWEST_INTERVALS, &change);
    }
    free(held.z);
    free(held.of_pair);
    return status;
}

static int line(struct problem *p)
{
    p->skimming = 1;
    int status = seek_lines(p);
    if (status == 0 && p->scatter > unusual * usual_rate * p->grid.step)
        status = seek_any_lines(p);
    p->line_misfit = p->misfit;
    return status;
}

/* What the origin shows when a clock whose correction is z shows `time`; the origin has a correction of its own. */
static double shown_by_origin(const struct grid *g, uint32_t origin, double time, double z)
{
    double shown = time + z;
    for (int i = 0; i < ORIGIN_STEPS; i++)
        shown = time + z - grid_value(g, origin, shown);
    return isfinite(shown) ? shown : time + z; /* no clock: its correction grows by more than its time */
}

/* Makes corrections relative to the clock of each component's origin. During the search it is one clock among
 * others: no clock shows the true time, and if all others bend alike, it is the origin that bends. */
static void refer_to_origins(struct problem *p)
{
    struct grid *g = &p->grid;
    uint32_t knots = g->gaps + 1;
    for (uint32_t u = 0; u < p->b->n_units; u++) {
        uint32_t origin = p->origin_of[p->component[u]];
        for (uint32_t k = 0; k < knots && u != origin; k++) {
            double *z = &g->z[(size_t)u * knots + k], time = g->start[u] + k * g->step;
            *z = shown_by_origin(g, origin, time, *z) - time;
        }
    }
    for (uint32_t c = 0; c < p->components; c++)
        memset(g->z + (size_t)p->origin_of[c] * knots, 0, knots * sizeof *g->z);
}

/* The information in the rows of pairs: the sum of their inverse variances. */
static double information(const struct problem *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < p->first_row[p->b->n_pairs]; i++)
        sum += p->row[i].weight;
    return sum;
}

/* The number of intervals whose rows have the most information, at most that of the last step, whose rows they are made
 * of. The tightest of n messages scatters by 1/n, so few rows of many messages are better, as
 * long as the corrections follow the clocks in an interval. 0: out of memory. */
static uint32_t best_intervals(struct problem *p)
{
    uint32_t best = p->intervals;
    double now = information(p), most = now;
    while (p->intervals > FEWEST_INTERVALS && p->intervals > p->grid.gaps / WIDEST) {
        if (problem_coarser_rows(p) != 0 || problem_judge(p) != 0 || problem_weigh(p) != 0)
            return 0;
        now = information(p);
        best = now > most ? p->intervals : best;
        most = fmax(now, most);
    }
    return best;
}

/* The last steps, on the finest grid. The time that bytes take comes first, because without it the tightest messages
 * are the small ones. */
static int settle(struct problem *p)
{
    double change;
    p->bytes_move = 1;
    for (uint32_t i = 0; i < BYTE_ROUNDS && p->bytes_move; i++)
        if (step(p, finest_intervals(p), &change) != 0)
            return -1;
    uint32_t intervals = best_intervals(p);
    return intervals > 0 ? step(p, intervals, &change) : -1;
}

static int levels(struct problem *p)
{
    double change;
    uint64_t work_of_level = 0;
    if (line(p) != 0)
        return -1;
    while (worth_refining(p, work_of_level) && !is_smooth(p)) {
        uint64_t before = p->work;
        p->skimming = 2 * p->grid.gaps < BENDS_FREE_GAPS;
        if (refine(p) != 0 || step(p, finest_intervals(p), &change) != 0 || bends_judge(p) != 0)
            return -1;
        if (p->grid.gaps == 4 && drop_contradictions(p) != 0)
            return -1;
        work_of_level = p->work - before;
        /* The last level gets another step. */
        if (!worth_refining(p, 2 * work_of_level) && step(p, finest_intervals(p), &change) != 0)
            return -1;
    }
    p->skimming = 0;
    if (p->grid.gaps <= BENDS_FREE_GAPS && bends_are_noise(p) && bends_straighten(p) != 0)
        return -1;
    if (p->grid.gaps > 1 && settle(p) != 0)
        return -1;
    refer_to_origins(p);
    return 0;
}

int problem_init(struct problem *p, struct bounds *b, const struct settings *settings)
{
    size_t units = (size_t)b->n_units + 1, pairs = (size_t)b->n_pairs + 1;
    *p = (struct problem){.b = b, .settings = settings, .row_capacity = 1024};
    p->row = malloc(p->row_capacity * sizeof *p->row); /* never NULL, also where there are no rows */
    p->grid.start = calloc(units, sizeof *p->grid.start);
    p->grid.z = calloc(2 * units, sizeof *p->grid.z);
    p->bend = calloc(2 * units, sizeof *p->bend);
    p->determined = calloc(2 * units, sizeof *p->determined);
    p->usual_bend = calloc(units, sizeof *p->usual_bend);
    p->variance = calloc(units, sizeof *p->variance);
    p->likely = calloc(units, sizeof *p->likely);
    p->first_row = calloc(pairs + 1, sizeof *p->first_row);
    p->of_pair = calloc(pairs, sizeof *p->of_pair);
    p->class_of_pair = malloc(pairs);
    p->bad = calloc(pairs, 1);
    p->settled = calloc(units, 1);
    p->component = calloc(units, sizeof *p->component);
    p->origin_of = calloc(units, sizeof *p->origin_of);
    return p->row && p->grid.start && p->grid.z && p->bend && p->determined && p->usual_bend && p->variance &&
                   p->likely && p->first_row && p->of_pair && p->class_of_pair && p->bad && p->settled &&
                   p->component && p->origin_of
               ? 0
               : -1;
}

void problem_free(struct problem *p)
{
    free(p->grid.start);
    free(p->grid.z);
    free(p->bend);
    free(p->possible_bend);
    free(p->determined);
    free(p->usual_bend);
    free(p->variance);
    free(p->likely);
    free(p->row);
    free(p->first_row);
    free(p->of_pair);
    free(p->class_of_pair);
    free(p->bad);
    free(p->settled);
    free(p->component);
    free(p->origin_of);
    free(p->prior_line);
    free(p->scratch);
}

/* If all clocks are right as they are: makes a grid for the error bars, as fine as there are messages. */
static int lay_right_grid(struct problem *p)
{
    do {
        if (refine(p) != 0 || problem_rows(p, p->grid.gaps) != 0)
            return -1;
    } while (p->grid.gaps < FEWEST_INTERVALS || (p->grid.gaps < MOST_RIGHT && p->grid.gaps < p->settings->most_gaps &&
                                                 p->n_rows > 2 * (uint64_t)p->b->n_units * p->grid.gaps));
    return 0;
}

static int solve(struct problem *p, struct rough *rough)
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
    p->seeking = 1;
    int status = levels(p);
    p->seeking = 0;
    return status;
}

int problem_solve(struct problem *p)
{
    struct rough *rough = calloc((size_t)p->b->n_units + 1, sizeof *rough);
    int status = rough ? solve(p, rough) : -1;
    free(rough);
    return status;
}
