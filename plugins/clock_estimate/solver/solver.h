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

/* -------------------------------------------------------------------------------------------------------- output -- */

struct settings {
    uint32_t reference;                   /* unit */
    uint32_t most_gaps;                   /* between knots; a power of two */
    uint64_t memory;                      /* bytes, for the equations */
    double measured_error;                /* ticks: least standard deviation of a measured offset */
    uint64_t length;                      /* of the run, ticks, as the archive states it; 0: unknown */
    double drift_rate;                    /* how fast a clock's rate is expected to be off unseen, ticks a tick */
    double most_rate;                     /* the rate difference of two clocks hardly exceeds this, ticks a tick */
    int (*interrupted)(const void *data); /* is the search to end? May be NULL */
    const void *data;
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
    uint32_t components, gaps;
    uint32_t pairs, contradictory;   /* pairs of units: with messages; left out */
    uint64_t messages, without_room; /* seen; left out for lack of configured memory */
    uint64_t work;                   /* equations and unknowns that the search went through */
};

/* Fills the result; call it once for the bounds. -1: out of memory, or interrupted. */
int estimate_clocks(struct bounds *b, const struct settings *settings, struct solution *result);
void solution_free(struct solution *s);

#endif
