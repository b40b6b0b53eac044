/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clocks from messages: the solver behind the filter `clock_estimate`. It knows nothing of traces.
 *
 * A unit is what shares one clock. A message from unit i, sent at s by i's clock, to unit j, received at r by j's, says
 *
 *     s + z_i(s) <= r + z_j(r)
 *
 * where z is the correction of a clock. The difference of the two sides is the message's slack. bounds.c keeps the
 * tightest messages of each directed pair, in buckets of time that grow with the trace, so memory has a cap. levels.c
 * finds piecewise linear corrections under which slacks are positive, alike in both directions, and the corrections as
 * smooth as the data allow (network.c solves the least squares). bars.c computes how far the true clocks may be away;
 * choose.c decides for each unit what is used in the end. README.md in this folder tells why.
 *
 * Times are ticks. Inside, they count from the first one seen on the unit (its base). */
#ifndef TCFLOW_CLOCK_ESTIMATE_SOLVER_H
#define TCFLOW_CLOCK_ESTIMATE_SOLVER_H

#include <stddef.h>
#include <stdint.h>

/* ------------------------------------------------------------------------------------------------------ bounds.c -- */

/* A message, as times since the bases of sender and receiver (once they are known: from bounds_link() on). */
struct point {
    int64_t sent, received;
};

enum kind { MESSAGE, FROM_ROOT, TO_ROOT, COLLECTIVE, SCAN, KINDS };

/* Messages, or what collectives stand for, from one unit to another. The bucket of a point is its time of sending >>
 * shift; points are in order of it. */
struct pair {
    uint32_t from, to;
    uint32_t reverse; /* the pair of the other direction, or NO_PAIR; set by bounds_link() */
    uint32_t n, capacity;
    uint32_t shift;
    uint8_t kind;
    uint8_t in_node; /* both units are on one; set by bounds_link() */
    int64_t least;   /* received - sent of the message with the smallest one */
    uint64_t stay;   /* of operations in which all wait for all: the shortest one of `from` where it came last */
    uint64_t messages;
    struct point *point;
    uint32_t *bytes; /* of the points' messages; apart, for points are gone through over and over */
};

/* An instance of a collective in which all wait for all: a message at `sent` from the unit that came last to all
 * others. */
struct star {
    int64_t sent;
    uint64_t first; /* of its ends */
    uint64_t key;
    uint32_t last, n;
};

struct star_end {
    int64_t received;
    uint32_t unit;
};

enum { NO_PAIR = UINT32_MAX, NO_UNIT = UINT32_MAX };
enum { SIGMAS = 3 }; /* the error bar of a measurement, in standard deviations */
/* Rates of clocks differ by about this, ticks a tick; it matters where there is hardly anything to tell them from. */
static const double usual_rate = 2e-5;
/* The square that is to be expected of a rate of which `square` is seen. What is usual counts as much as four clocks
 * (Student's t-distribution of four degrees of freedom): rates far beyond it are possible, but must be seen clearly.
 * Did what is seen count as much as what is usual, a rate would follow noise, the farther the more it has been loosened
 * for having done so. */
static inline double expected_rate(double square)
{
    enum { USUAL_COUNTS = 4 };
    return (USUAL_COUNTS * usual_rate * usual_rate + square) / (USUAL_COUNTS + 1);
}

/* A clock offset that was measured: at `time`, `offset` is to be added. */
struct measured {
    uint64_t time;
    double offset; /* relative to the reference, filled in by the solver */
    int64_t raw;   /* as given */
    double error;
};

struct unit {
    uint64_t base, end;  /* its first and last time seen */
    int64_t first, last; /* the same since base; set by bounds_link() */
    uint32_t node;       /* units of one node may share a clock */
    uint8_t seen;
    struct measured *measured;
    uint32_t n_measured;
};

struct bounds {
    struct unit *unit;
    uint32_t n_units;
    struct pair *pair;
    uint32_t n_pairs, pair_capacity;
    uint32_t *hash; /* 1 + pair, 0: free */
    uint32_t hash_mask;
    uint32_t per_pair;          /* points that a pair may have */
    struct point *packed_point; /* of all pairs, from bounds_link() on */
    uint32_t *packed_bytes;
    uint64_t points, most_points;
    uint32_t most_pairs;
    struct star *star; /* in order of `sent` from bounds_link() on */
    struct star_end *end;
    uint32_t n_stars, star_capacity;
    uint64_t n_ends, end_capacity, most_ends;
    uint32_t star_level;             /* one in 2 to the power of it is kept */
    uint64_t highest_rank;           /* pairs above it are turned down */
    uint64_t messages, turned_down;  /* turned_down: of pairs that found no place; set by bounds_link() */
    uint64_t starved, starved_stars; /* messages and collectives for which no memory was to be had */
};

int bounds_init(struct bounds *b, uint32_t n_units, uint64_t memory);
void bounds_free(struct bounds *b);
/* A time on a unit's clock: widens the span. */
void bounds_seen(struct bounds *b, uint32_t unit, uint64_t time);
/* NULL: there was no place for it. */
struct pair *bounds_add(struct bounds *b, enum kind kind, uint32_t from, uint64_t sent, uint32_t to, uint64_t received,
                        uint32_t bytes);
/* The number of a pair; NO_PAIR: there is none. */
uint32_t bounds_find(const struct bounds *b, uint32_t from, uint32_t to, enum kind kind);
static inline void bounds_message(struct bounds *b, uint32_t from, uint64_t sent, uint32_t to, uint64_t received)
{
    bounds_add(b, MESSAGE, from, sent, to, received, 0);
}

/* Times are kept like this until bounds_link(): in order as signed numbers, too. */
static inline int64_t bounds_time(uint64_t time)
{
    return (int64_t)(time - ((uint64_t)1 << 63));
}

/* A part of bounds_link(), see collectives.c. */
void stars_settle(struct bounds *b);
int bounds_measured(struct bounds *b, uint32_t unit, uint64_t time, int64_t offset, double error);

/* When all messages are in, once: orders the pairs by units, finds the other directions, and makes times count from the
 * units' bases. */
void bounds_link(struct bounds *b);

/* A member of a collective operation; all zeros: not there. */
struct member {
    uint64_t begin, end;
    uint32_t unit;
    uint8_t gives; /* others wait for its begin */
    uint8_t gets;  /* its end waits for others */
    uint8_t side;  /* those of one side don't wait for each other; 0: there are no sides */
};
enum shape { ALL_TO_ALL, ONE_TO_ALL, ALL_TO_ONE, LOWER_TO_HIGHER };
/* The messages that a collective stands for, O(n) of them. `number`: so many were there before, with these members.
 * Members stand `stride` bytes apart, by rank. */
void bounds_collective(struct bounds *b, enum shape shape, uint64_t number, const void *members, size_t stride,
                       uint32_t n);

/* ------------------------------------------------------------------------------------------------------ solution -- */

struct settings {
    uint32_t reference;    /* unit */
    uint32_t most_gaps;    /* between knots; a power of two */
    uint64_t memory;       /* bytes, for the equations */
    double measured_error; /* ticks: standard deviation of an offset's measurement, at least */
    uint64_t length;       /* of the run, ticks, as the archive states it; 0: unknown */
    double least_wander;   /* how fast a clock's rate is expected to be off, ticks a tick */
    double most_rate;      /* by what rates of clocks hardly differ where nothing tells, ticks a tick */
};

enum origin { FROM_NOTHING, FROM_MEASURED, FROM_MESSAGES, FROM_UNCONNECTED };

struct knot {
    uint64_t time;
    int64_t offset;
    double error;
};

struct unit_result {
    enum origin origin;
    uint32_t component;
    uint32_t first_knot, n_knots;
    double error; /* largest of its knots */
    double rms;   /* of the correction, about its mean */
};

struct solution {
    struct unit_result *unit;
    struct knot *knot;
    uint32_t n_knots;
    uint32_t components, gaps, contradictory; /* pairs */
    uint64_t work;                            /* equations and unknowns that were gone through */
};

/* 0, or -1: out of memory. */
int estimate_clocks(struct bounds *b, const struct settings *settings, struct solution *result);
void solution_free(struct solution *s);

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
    uint32_t pair; /* NO_PAIR: a star's */
    uint32_t class_;
    uint32_t interval;
    uint32_t point;      /* the pair's message, or the star */
    double slack;        /* under the current corrections, without what the bytes take */
    double weight, want; /* want: how the slack shall change */
};

/* Pairs whose delays are alike: messages and collectives, between machines and within one; and stars. */
enum { CLASSES = 2 * KINDS + 1, STARS = CLASSES - 1 };

/* Slacks of a class: a peak of messages that were taken off at once, and a tail of those that were not. */
struct noise {
    double delay, scatter;  /* of the peak */
    double part;            /* of all that are in it */
    double tail;            /* its width */
    double special_scatter; /* how much the delays of pairs, or stars, differ */
    double uneven;          /* how much the two ways of a pair differ from their mean; 0: they are taken to be alike */
    double settled;         /* pairs whose delay is known from both directions */
    double messages;        /* of which the slacks are the tightest ones */
    uint32_t n;             /* slacks; 0: there are none */
};

struct pair_delay {
    double delay;   /* usually, when nobody is late */
    double scatter; /* of its slacks about it */
    double special; /* where it floats: what it is above the delay of its class */
    double uneven;  /* where it doesn't: what it is above the mean of both ways; the opposite of the other way's */
    double lag;     /* where the pair has lost its peak: how far above the delay its slacks are */
    uint8_t floats; /* the delay is an unknown of the least squares */
};

struct problem {
    struct bounds *b;
    struct noise noise[CLASSES];
    double per_byte[CLASSES]; /* what a byte more takes, ticks; 0: not known */
    uint8_t bytes_move;       /* that has just changed by more than a fiftieth */
    double scatter;           /* of the peaks of all classes */
    const struct settings *settings;
    struct grid grid;
    uint32_t intervals;
    struct row *row;
    uint32_t n_rows, row_capacity;
    uint32_t *first_row; /* by pair, n_pairs + 1 */
    struct pair_delay *of_pair;
    double misfit;          /* by how much slacks are below the delays, root mean square; the scatter at least */
    double line_misfit;     /* the same, when clocks were lines */
    double *usual_bend;     /* by unit: of the coarser level */
    double *variance;       /* by unit: of its knots, mean, as the equations leave it when all other clocks are known */
    uint8_t *class_of_pair; /* apart, for pairs are gone through over and over to look for those of a class */
    uint8_t *bad;           /* by pair: contradicts others */
    uint8_t seeking;        /* leave out what is settled */
    uint8_t any_rate;       /* nothing is expected of rates */
    uint8_t skimming;       /* where a pair has many messages for an interval, a part of them will do */
    uint8_t *settled;       /* by component: its clocks are right as they are */
    double *bend;           /* n_units x (gaps + 1): expected second difference at a knot */
    float *told;            /* likewise: how much of it the equations tell, of 1 */
    uint32_t *component;    /* by unit */
    uint32_t *origin_of;    /* by component: its own reference unit */
    uint32_t components;
    double most_rate;   /* the setting, or what rates are seen to be; from bars_compute() on */
    double *prior_line; /* by unit, at both ends of the grid; NULL: there are no measured offsets to go by */
    double *scratch;
    uint32_t contradictory;
    uint64_t work; /* equations and unknowns that were gone through, in all */
};

static inline uint32_t class_of(const struct problem *p, uint32_t pair)
{
    return p->class_of_pair[pair];
}

struct place grid_place(const struct grid *g, uint32_t unit, double time);
double grid_value(const struct grid *g, uint32_t unit, double time);
/* Rows of the current grid: the tightest message of each pair and interval, and some stars. -1: out of memory. */
int problem_rows(struct problem *p, uint32_t intervals);
/* The same for half as many intervals, from the rows that there are; corrections must not have changed since. */
int problem_coarser_rows(struct problem *p);
/* Sums of both directions' slacks, as many as returned. */
uint32_t round_trips(struct problem *p, uint32_t pair, double *sum);
/* What a part of the numbers is below of; changes their order. */
double quantile(double *x, uint32_t n, double part);

/* ------------------------------------------------------------------------------------------------------ delays.c -- */

/* The least delay of each pair, how much its delays scatter, and, for the next rows, what bytes take. */
int problem_judge(struct problem *p);
/* A peak and its tail, as messages are judged by it. */
struct peak {
    double part, per_scatter, tail, below;
};
static inline struct peak peak_of(const struct noise *noise, double scatter)
{
    return (struct peak){noise->part, 1 / scatter, 2 * scatter * (1 - noise->part) / noise->tail, -3 * scatter};
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
/* How likely it is that a message was taken off at once, whose slack is `excess` above the delay. */
static inline double punctual(const struct peak *peak, double excess)
{
    double x = excess < 0 ? -excess : excess, in_peak = peak->part * decay(x * peak->per_scatter);
    return excess < peak->below ? 1 : in_peak / (in_peak + peak->tail + 1e-300);
}

/* ----------------------------------------------------------------------------------------------------- weights.c -- */

/* What the slack of each row ought to be, and how much that counts. -1: out of memory. */
int problem_weigh(struct problem *p);

/* ----------------------------------------------------------------------------------------------------- connect.c -- */

/* Where the correction of a unit is looked for at first: `offset` at its base, and `rate` ticks a tick from there. */
struct rough {
    double offset, rate;
};

/* The member that stands for the set of one: sets are trees of members, and who stands for one is its own parent. */
static inline uint32_t set_of(uint32_t *parent, uint32_t member)
{
    while (parent[member] != member)
        member = parent[member] = parent[parent[member]];
    return member;
}

/* Components and their origins, and where to look at first. */
int connect_units(struct problem *p, struct rough *rough);

/* ------------------------------------------------------------------------------------------------------- lines.c -- */

/* Do messages of both ways say that the two clocks have different rates? Then the correction of `to` less that of
 * `from` is about constant + slope * time, on the clock of `from`, since its base. */
int line_between(const struct bounds *b, uint32_t from, uint32_t to, double *constant, double *slope);

/* ------------------------------------------------------------------------------------------------------- prior.c -- */

/* What measured offsets say, between and around them; the bar knows nothing of messages. Outside of them rates are off
 * by `most`, or what the measurements leave. */
double measured_at(const struct unit *u, double time);
double measured_bar(const struct problem *p, uint32_t unit, double time, double most);
/* How far a rate may be off that the first and the last one of them tell; INFINITY: there is only one time. */
double measured_rate_bar(const struct unit *u);
/* Lines through the measured offsets, if all clocks of the reference have them, as corrections to start with. The grid
 * has one gap. */
int prior_find(struct problem *p);
/* By part of the grid's time: where the line is. */
double prior_value(const struct problem *p, uint32_t unit, double part);
/* How far clocks are off it, root mean square; when all is solved. */
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

/* Up to so many gaps clocks may bend as much as half of what is not explained yet. Were they held to what still coarser
 * levels show, none of them would ever follow what is too short for those. From there on expectations come from
 * evidence. */
enum { BENDS_FREE_GAPS = 32 };
double bend_at(const struct grid *g, uint32_t unit, uint32_t k);
/* What is to be expected of bends, after a step: what was, times how much more or less they have bent, as far as the
 * equations tell: about each knot, beside that as the clock does, beside that as all clocks do. -1: out of memory. */
int bends_judge(struct problem *p);
/* How much each clock is to be expected to bend at a knot of the next level: as much as near that place on this one,
 * times what it became less by from the level before. n_units x (fine->gaps + 1); -1: out of memory. */
int bends_expect(struct problem *p, const struct grid *fine, double *bend);
/* Would a finer level tell little, beside what is uncertain anyway, of the clocks in all, and not much of any? */
int bends_below_noise(const struct problem *p);

/* ----------------------------------------------------------------------------------------------------- network.c -- */

/* One step of weighted least squares: changes grid.z, at most by `change`. */
int network_step(struct problem *p, uint32_t most_rounds, double *change);

/* -------------------------------------------------------------------------------------------------------- bars.c -- */

/* Half error bars at all knots, n_units x (gaps + 1); INFINITY where nothing bounds the clock. */
int bars_compute(struct problem *p, double *bar);

/* ------------------------------------------------------------------------------------------------------ choose.c -- */

/* Settles the components whose clocks are right as they are, and makes their corrections so. */
int choose_right(struct problem *p, struct rough *rough);
int choose_results(struct problem *p, const double *bar, struct solution *result);

#endif
