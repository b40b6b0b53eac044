/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Clocks from messages: the solver behind the filter `clock_estimate`. It knows nothing of traces.
 *
 * A unit is a set of locations which share one clock. The caller reports times, messages and collectives (bounds_*), in
 * any order, then calls estimate_clocks() once. The result is a correction for each unit: knots, points between which
 * the offset to add to the clock is linear, each with an error bar.
 *
 * Times are ticks. README.md in the folder above explains the method. */
#ifndef TCFLOW_CLOCK_ESTIMATE_SOLVER_H
#define TCFLOW_CLOCK_ESTIMATE_SOLVER_H

#include <stddef.h>
#include <stdint.h>

/* --------------------------------------------------------------------------------------------------------- input -- */

/* A clock offset that was measured: at `time`, `offset` is to be added. */
struct measured {
    uint64_t time;
    double offset; /* relative to the reference; the solver fills it in */
    int64_t raw;   /* as given */
    double error;
};

struct unit {
    uint64_t base, end;  /* its first and last time seen */
    int64_t first, last; /* the same since base; set by the solver */
    uint32_t node;       /* the machine */
    uint8_t seen;
    struct measured *measured;
    uint32_t n_measured;
};

/* The tightest messages of each pair of units, and the tightest collectives; bounded memory. */
struct bounds;

/* NULL: out of memory. */
struct bounds *bounds_new(uint32_t n_units, uint64_t memory);
void bounds_free(struct bounds *b);
struct unit *bounds_unit(struct bounds *b, uint32_t unit);
/* A time on a unit's clock: widens the span. */
void bounds_seen(struct bounds *b, uint32_t unit, uint64_t time);
/* -1: out of memory. */
int bounds_measured(struct bounds *b, uint32_t unit, uint64_t time, int64_t offset, double error);
void bounds_message(struct bounds *b, uint32_t from, uint64_t sent, uint32_t to, uint64_t received, uint32_t bytes);

/* A member of a collective operation; all zeros: not there. */
struct member {
    uint64_t begin, end;
    uint32_t unit;
    uint8_t gives; /* others wait for its begin */
    uint8_t gets;  /* its end waits for others */
    uint8_t side;  /* members of one side don't wait for each other; 0: there are no sides */
};
enum shape { ALL_TO_ALL, ONE_TO_ALL, ALL_TO_ONE, LOWER_TO_HIGHER };
/* `number`: how many collectives there were before, with these members. Members stand `stride` bytes apart, by rank. */
void bounds_collective(struct bounds *b, enum shape shape, uint64_t number, const void *members, size_t stride,
                       uint32_t n);

/* Where what bounds hold goes to, or comes from, byte by byte. */
struct bounds_stream {
    void *data;
    void (*put)(void *data, const void *bytes, size_t n);
    void (*take)(void *data, void *bytes, size_t n);
};

/* Adds what other bounds of the same units and memory have put: the result is as if all had been reported to one. */
void bounds_put(const struct bounds *b, const struct bounds_stream *to);
void bounds_take(struct bounds *b, const struct bounds_stream *from);
/* The same for collectives, behind that. */
void collectives_put(const struct bounds *b, const struct bounds_stream *to);
void collectives_take(struct bounds *b, const struct bounds_stream *from);

/* ------------------------------------------------------------------------------------------------------ settings -- */

struct settings {
    uint32_t reference;    /* unit */
    uint32_t most_gaps;    /* between knots; a power of two */
    uint64_t memory;       /* bytes, for the equations */
    double measured_error; /* ticks: least standard deviation of a measured offset */
    uint64_t length;       /* of the run, ticks, as the archive states it; 0: unknown */
    double drift_rate;     /* how fast a clock's rate is expected to be off unseen, ticks a tick */
    double most_rate;      /* the rate difference of two clocks hardly exceeds this, ticks a tick */
    double widest;         /* units whose messages leave more between their clocks aren't shown to share one, ticks */
    uint32_t threads;      /* that divide() has; with one, or none, nothing is divided. Results don't depend on them */
    /* Calls work(what, k) for each k below n, in any order and thread; returns when all calls have. */
    void (*divide)(const void *data, void (*work)(void *what, uint32_t k), void *what, uint32_t n);
    int (*interrupted)(const void *data); /* is the search to end? May be NULL */
    const void *data;
};

/* ------------------------------------------------------------------------------------------------- shared clocks -- */

/* What shows that the units of a group share a clock; of several links the weakest one. */
enum proof {
    ALONE,         /* a group of one unit */
    BY_MESSAGES,   /* messages between them, both ways */
    BY_ONE_WAY,    /* messages between them, one way, that take next to no time */
    BY_THIRD,      /* messages of both with a third unit, both ways */
    BY_MEASURED,   /* measured offsets that agree at both ends of the run */
    BY_OTHER_ONES, /* the machine, while other units of machines are shown to share clocks, and none not to */
};

struct clock_group {
    uint32_t units;
    enum proof proof;
    uint64_t messages; /* between its units */
    double width;      /* ticks: the most that the messages of a link leave between two clocks; 0: there are none */
};

struct sharing {
    uint32_t *group_of; /* by unit; the units of the bounds are these groups from then on */
    struct clock_group *group;
    uint32_t n_groups;
    int one_clock;          /* messages show that all groups share a clock, whatever their machines */
    struct clock_group all; /* then: of all units */
};

/* Finds the units of one machine that share a clock, and makes one unit of them, a group; groups are in the order of
 * their first units. Call it when all is reported, before estimate_clocks(), which takes the new number of the
 * reference. -1: out of memory. */
int share_clocks(struct bounds *b, const struct settings *settings, struct sharing *s);
void sharing_free(struct sharing *s);

/* -------------------------------------------------------------------------------------------------------- output -- */

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
    double error;  /* largest of its knots */
    double likely; /* 95 % of its times are off by no more, if noise is what it seems; at most `error` */
    double rms;    /* of the correction, about its mean */
};

struct solution {
    struct unit_result *unit;
    struct knot *knot;
    uint32_t n_knots;
    uint32_t components, gaps;
    uint32_t pairs, contradictory;   /* pairs of units: with messages; left out */
    uint64_t messages, without_room; /* seen; left out for lack of configured memory */
    uint64_t work;                   /* equations and unknowns that the search went through */
};

/* Fills the result; call it once for the bounds. -1: out of memory, or interrupted. */
int estimate_clocks(struct bounds *b, const struct settings *settings, struct solution *result);
void solution_free(struct solution *s);

#endif
