/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Inside of the solver: the estimate from coarse to fine, and what the files share, by file. levels.c runs the search:
 * it finds piecewise linear corrections under which slacks are positive and alike in both directions, and which are as
 * smooth as the data allow. bars.c computes how far the true clocks may be away. choose.c decides which correction each
 * unit gets. */
#ifndef TCFLOW_CLOCK_ESTIMATE_PROBLEM_H
#define TCFLOW_CLOCK_ESTIMATE_PROBLEM_H

#include "bounds.h"

/* Bends of a clock that exceed their uncertainty so many times are no chance. */
static const double stands_out = 1.5;
/* The standard deviation of the rates of clocks, ticks a tick. It matters where hardly anything determines them. */
static const double usual_rate = 2e-5;

/* The variance to expect of a rate whose estimate has this square: Student's t-distribution of four degrees of freedom.
 * The usual rate counts as much as four clocks, so rates far beyond it are possible but must stand out. With a lower
 * count, a rate follows noise, and the further it follows the less it is held. */
static inline double expected_rate(double square)
{
    enum { USUAL_COUNTS = 4 };
    return (USUAL_COUNTS * usual_rate * usual_rate + square) / (USUAL_COUNTS + 1);
}

/* -------------------------------------------------------------------------------------------------------- rows.c -- */

/* Corrections as values at the knots of a grid, each unit on its own clock: knot k of unit u stands at
 * start[u] + k * step. */
struct grid {
    uint32_t gaps;         /* knots are one more */
    double step, per_step; /* 1 / step */
    double *start;
    double *z; /* n_units x (gaps + 1) */
};

/* A place on the grid: the value there is (1 - part) * z[at] + part * z[at + 1]. */
struct place {
    uint32_t at;
    float part;
};

/* One bound of the least squares: the tightest message of a pair in an interval. */
struct row {
    struct place from, to;
    uint32_t from_unit, to_unit;
    uint32_t pair; /* NO_PAIR: the row is of a collective bound */
    uint32_t class_;
    uint32_t interval;
    uint32_t point;      /* the pair's message, or the collective */
    double slack;        /* under the current corrections, without the time that the bytes take */
    double weight, want; /* want: the change of the slack that the search asks for */
};

/* Classes of rows with similar delays: messages and collectives by kind, between machines and inside one (class
 * 2 * kind + in_node); and collective bounds. */
enum { CLASSES = 2 * KINDS + 1, COLLECTIVES = CLASSES - 1 };

/* The slacks of a class: a peak of messages whose receiver was waiting, and a tail of messages whose receiver came
 * late. */
struct noise {
    double delay, scatter;  /* of the peak */
    double part;            /* of the rows, that is in the peak */
    double tail;            /* its width */
    double special_scatter; /* how much the delays of pairs, or collectives, differ */
    double uneven;          /* how much the two directions of a pair differ from their mean; 0: they are alike */
    double settled;         /* pairs whose delay both directions show */
    double messages;        /* of which the slacks are the tightest ones */
    uint32_t n;             /* slacks; 0: there are none */
};

struct pair_delay {
    double delay;   /* of a message whose receiver was waiting */
    double scatter; /* of the slacks about the delay */
    double special; /* if the delay floats: its difference from that of the class */
    double uneven;  /* if not: its difference from the mean of both directions; the other direction has the opposite */
    uint8_t floats; /* the delay is an unknown of the least squares */
};

struct problem {
    struct bounds *b;
    struct noise noise[CLASSES];
    double per_byte[CLASSES]; /* ticks a byte; 0: not known */
    uint8_t bytes_move;       /* per_byte has just changed */
    double scatter;           /* of the peaks of all classes */
    const struct settings *settings;
    struct grid grid;
    uint32_t intervals;
    struct row *row;
    uint32_t n_rows, row_capacity;
    uint32_t *first_row; /* by pair, n_pairs + 1 */
    struct pair_delay *of_pair;
    double misfit;          /* root mean square of what slacks are below the delays; the scatter at least */
    double line_misfit;     /* the same, when clocks were lines */
    double *usual_bend;     /* by unit: of the coarser level */
    double *variance;       /* by unit: mean over its knots, as the equations leave it if all other clocks are known */
    double *likely;         /* by unit: square of the likely error of the estimate */
    uint8_t *class_of_pair; /* apart, because searches for the pairs of a class read all of it */
    uint8_t *bad;           /* by pair: its messages contradict each other */
    uint8_t seeking;        /* leave out what is settled */
    uint8_t any_rate;       /* no rate is unlikely */
    uint8_t skimming;       /* read a part of the messages of a pair with many messages an interval */
    uint8_t *settled;       /* by component: its clocks are right as they are */
    double *bend;           /* n_units x (gaps + 1): expected second difference at a knot */
    double *possible_bend;  /* likewise, where clocks are taken for lines, which bends their noise hides; or NULL */
    float *determined;      /* likewise: which fraction of it the equations determine */
    uint32_t *component;    /* by unit */
    uint32_t *origin_of;    /* by component: its own reference unit */
    uint32_t components;
    double most_rate;   /* the setting, or a larger rate that the trace shows; from bars_compute() on */
    double *prior_line; /* by unit, at both ends of the grid; NULL: too few measured offsets */
    double *scratch;
    uint32_t contradictory;
    uint64_t work; /* equations and unknowns that the search went through */
};

/* Is the search to end? Long loops ask, and fail. */
static inline int problem_interrupted(const struct problem *p)
{
    return p->settings->interrupted && p->settings->interrupted(p->settings->data);
}

/* As settings.divide(). */
static inline void problem_divide(const struct problem *p, void (*work)(void *what, uint32_t k), void *what, uint32_t n)
{
    if (p->settings->threads > 1)
        p->settings->divide(p->settings->data, work, what, n);
    else
        for (uint32_t k = 0; k < n; k++)
            work(what, k);
}

/* Pairs fall into blocks, which are divided; sums over pairs are those of the blocks, in order. */
enum { PAIR_BLOCKS = 64 };
static inline uint32_t problem_pair_block(const struct problem *p, uint32_t block)
{
    return (uint32_t)((uint64_t)p->b->n_pairs * block / PAIR_BLOCKS);
}

static inline uint32_t class_of(const struct problem *p, uint32_t pair)
{
    return p->class_of_pair[pair];
}

/* Which of n parts x lies in, from 0 on: the first or last one where it lies outside, the first one where it is no
 * number. */
static inline uint32_t part_at(double x, uint32_t n)
{
    return !(x > 0) ? 0 : x >= n ? n - 1 : (uint32_t)x;
}

struct place grid_place(const struct grid *g, uint32_t unit, double time);
double grid_value(const struct grid *g, uint32_t unit, double time);
/* Rows of the current grid: the tightest message of each pair and interval, and some collectives. -1: out of memory. */
int problem_rows(struct problem *p, uint32_t intervals);
/* The same for half as many intervals, made of the present rows; corrections must not have changed since. */
int problem_coarser_rows(struct problem *p);
/* Sums of both directions' slacks, as many as returned. */
uint32_t round_trips(struct problem *p, uint32_t pair, double *sum);
/* The value with `part` of the numbers below it; changes their order. */
double quantile(double *x, uint32_t n, double part);

/* ------------------------------------------------------------------------------------------------------ delays.c -- */

/* Finds the least delay of each pair, the scatter of its delays, and, for the next rows, the time that bytes take. */
int problem_judge(struct problem *p);
/* The standard deviation of an exponential distribution, in mean absolute deviations. */
static const double deviation_of_exponential = 1.36;
/* A peak and its tail, as punctual() needs it. */
struct peak {
    double part, per_scatter, tail, below;
};
/* A slack that is below the peak by so many times its scatter contradicts the clocks for certain. */
static const double certain = 3;
static inline struct peak peak_of(const struct noise *noise, double scatter)
{
    return (struct peak){noise->part, 1 / scatter, 2 * scatter * (1 - noise->part) / noise->tail, -certain * scatter};
}
/* About exp(-x), and 0 from 32 on. */
static inline double decay(double x)
{
    double y = x < 32 ? 1 - x / 32 : 0;
    y *= y;
    y *= y;
    y *= y;
    y *= y;
    return y * y;
}
/* The probability that the receiver was waiting for a message whose slack is `excess` above the delay. */
static inline double punctual(const struct peak *peak, double excess)
{
    double x = excess < 0 ? -excess : excess, in_peak = peak->part * decay(x * peak->per_scatter);
    return excess < peak->below ? 1 : in_peak / (in_peak + peak->tail + 1e-300);
}

/* ----------------------------------------------------------------------------------------------------- weights.c -- */

/* Sets `want` and `weight` of each row. -1: out of memory. */
int problem_weigh(struct problem *p);

/* ----------------------------------------------------------------------------------------------------- connect.c -- */

/* Where the search for a unit's correction starts: `offset` at its base, and `rate` ticks a tick from there. */
struct rough {
    double offset, rate;
};

/* Finds components, their origins, and where the search starts. -1: out of memory. */
int connect_units(struct problem *p, struct rough *rough);

/* ------------------------------------------------------------------------------------------------------- lines.c -- */

/* Do messages of both directions show that the two clocks have different rates? Then the correction of `to` less that
 * of `from` is about constant + slope * time, on the clock of `from`, since its base. */
int line_between(const struct bounds *b, uint32_t from, uint32_t to, double *constant, double *slope);

/* ------------------------------------------------------------------------------------------------------- prior.c -- */

/* The measured offsets, interpolated and extrapolated, and the error bar of that without messages. Outside of the
 * measurements the rate is off by `most`, or by what they leave open. */
double measured_at(const struct unit *u, double time);
double measured_bar(const struct problem *p, uint32_t unit, double time, double most);
/* The error bar of the rate between the first and the last measurement; INFINITY: they are of one time. */
double measured_rate_bar(const struct unit *u);
/* Lays lines through the measured offsets, if all clocks of the reference's component have them; the search starts
 * there. The grid has one gap. */
int prior_find(struct problem *p);
/* The line at a part of the grid's time. */
double prior_value(const struct problem *p, uint32_t unit, double part);
/* The distance of the clocks from their lines, root mean square, in the end. */
double prior_deviation(const struct problem *p);
static inline int has_prior(const struct problem *p, uint32_t unit)
{
    return p->prior_line && p->component[unit] == 0 && p->b->unit[unit].seen;
}

/* ------------------------------------------------------------------------------------------------------ levels.c -- */

int problem_init(struct problem *p, struct bounds *b, const struct settings *settings);
void problem_free(struct problem *p);
int problem_solve(struct problem *p);

/* ------------------------------------------------------------------------------------------------------- bends.c -- */

/* Up to so many gaps clocks may bend by half of the misfit at least. Otherwise no clock would ever follow a change that
 * is too short for the coarser levels. On finer grids expectations come from evidence. */
enum { BENDS_FREE_GAPS = 32 };
double bend_at(const struct grid *g, uint32_t unit, uint32_t k);
/* Updates the expected bends after a step, by the ratio of found to expected bends as far as the equations determine
 * them: near each knot, with the clock's ratio as a prior, with that of all clocks as its prior. -1: out of memory. */
int bends_judge(struct problem *p);
/* The expected bends of each clock on the next level, n_units x (fine->gaps + 1): those near the same place on this
 * one, times the ratio of this level to the one before. -1: out of memory. */
int bends_expect(struct problem *p, const struct grid *fine, double *bend);
/* Would a finer level change the clocks by little, compared with their uncertainty, and no single clock by much? */
int bends_below_noise(const struct problem *p);
/* Are clocks lines, because all of them together leave lines by less than their uncertainty, and none by much more? */
int bends_are_noise(const struct problem *p);
/* Expects no bends from now on; possible_bend keeps those expected so far. -1: out of memory. */
int bends_straighten(struct problem *p);

/* ----------------------------------------------------------------------------------------------- least_squares.c -- */

/* One step of weighted least squares: changes grid.z, at most by `change`. -1: out of memory. */
int least_squares_step(struct problem *p, uint32_t most_rounds, double *change);

/* -------------------------------------------------------------------------------------------------------- bars.c -- */

/* Half error bars at all knots, n_units x (gaps + 1); INFINITY where nothing bounds the clock. -1: out of memory. */
int bars_compute(struct problem *p, double *bar);

/* ------------------------------------------------------------------------------------------------------ likely.c -- */

/* Finds the likely error of each unit's estimate, as the last step of the search left its equations. -1: out of memory,
 * or interrupted. */
int likely_compute(struct problem *p);
/* That of the result, whose origin and bar are known: 95 % of its times are off by no more. */
double likely_error(const struct problem *p, uint32_t unit, const struct unit_result *r);

/* ------------------------------------------------------------------------------------------------------ choose.c -- */

/* Settles the components whose clocks are right as they are; their corrections keep the clocks unchanged. */
int choose_right(struct problem *p, struct rough *rough);
int choose_results(struct problem *p, const double *bar, struct solution *result);

#endif
