/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle's side of clocks: minimum delays, piecewise linear pre-synchronisation, the controlled logical clock, and
 * questions to corrected archives. The definition of the correction is doc/clock-correction.md. Times are a matrix
 * [location][event] beside the trace, so that what is matched and what is measured need not be the same times. */
#ifndef TCFLOW_TESTS_ORACLE_CLOCKS_H
#define TCFLOW_TESTS_ORACLE_CLOCKS_H

#include "oracle.h"

#define O_NO_LIMIT UINT64_MAX

/* ---- times: times.c ---- */

/* The times of a trace (o_time()); free with o_free_times(). */
uint64_t **o_times(const struct o_trace *trace);
uint64_t **o_no_times(const struct o_trace *trace, uint64_t value); /* a matrix filled with a value */
void o_free_times(const struct o_trace *trace, uint64_t **times);
/* The times of another archive with the same numbers of events by location id; NULL (and a message) when they
 * differ. */
uint64_t **o_times_of(const struct o_trace *trace, const struct o_trace *other);
/* The stop times of BUFFER_FLUSH, 0 elsewhere. */
uint64_t **o_stops(const struct o_trace *trace);
/* Lines `location index time`, with ` BUFFER_FLUSH stopTime=N` behind where the event is one. */
void o_print_times(const struct o_trace *trace, uint64_t *const *times, uint64_t *const *stops);

/* Sums that stay at 2^64 - 1, differences that stay at 0. */
static inline uint64_t o_add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t o_subtract(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

/* ---- minimum delays: delays.c ---- */

enum o_distance { O_SAME_PROCESS, O_SAME_NODE, O_OTHER_NODE, O_DISTANCES };

/* By class (RMA collectives count as MPI's, O_CLASSES stands for MPI_Barrier) and distance. All zero: no delay. */
struct o_delays {
    uint64_t ticks[O_CLASSES + 1][O_DISTANCES];
};

/* TICKS: of messages and collectives, at every distance. */
bool o_set_delay(struct o_delays *delays, const char *ticks);
/* CLASS:DISTANCE:TICKS; the distance is same_process, same_node, other_node or any. */
bool o_set_class_delay(struct o_delays *delays, const char *text);
enum o_distance o_distance_of(const struct o_trace *trace, size_t a, size_t b);
uint64_t o_delay(const struct o_matching *matching, const struct o_delays *delays, const struct o_edge *edge);

/* ---- violations.c ---- */

struct o_tally {
    uint64_t edges, violated, targets, targets_violated, largest;
};

/* Counts into tally[O_CLASSES] the edges of the chosen classes (NULL: all). */
void o_count_violations(const struct o_matching *matching, uint64_t *const *times, const struct o_delays *delays,
                        const bool *classes, struct o_tally *tally);
void o_print_violations(const struct o_matching *matching, uint64_t *const *times, const struct o_delays *delays,
                        const bool *classes);
/* A comma-separated list of class names; all classes without one. */
bool o_choose_classes(bool classes[O_CLASSES], const char *list);

/* ---- pre-synchronisation: presync.c ---- */

struct o_knots {
    struct o_list *of; /* [location]: struct o_knot, by time */
};

bool o_archive_knots(const struct o_trace *trace, struct o_knots *knots);
/* A CSV file `location,time,offset,error`; false after a message. */
bool o_read_knots(const struct o_trace *trace, const char *file, struct o_knots *knots);
void o_free_knots(const struct o_trace *trace, struct o_knots *knots);
/* Where a location's clock is at a time; n > 0 knots. */
uint64_t o_presync(const struct o_knot *knot, size_t n, uint64_t time);
uint64_t **o_presync_times(const struct o_trace *trace, const struct o_knots *knots);
/* The same of the stop times. */
void o_presync_stops(const struct o_trace *trace, const struct o_knots *knots, uint64_t **stops);

/* ---- the controlled logical clock: clc.c ---- */

struct o_clc_options {
    struct o_delays delays;
    uint64_t delta, gamma, slope, max_interval; /* gamma and slope times 2^32 */
    uint64_t max_events;                        /* of the location, before a jump */
    uint64_t decay;                             /* gamma = auto; 0: gamma is what it is */
};

/* gamma = auto: what a location knows. */
struct o_control {
    bool measured;
    uint64_t c, ahead, drift, gamma;
};

/* The part of an event in one relation. */
struct o_end {
    size_t location, event, relation, participant;
};

struct o_clc {
    const struct o_matching *m;
    struct o_clc_options options;
    uint64_t **recorded;       /* C; not owned */
    uint64_t **forward;        /* L */
    uint64_t **jump;           /* Delta */
    struct o_control *control; /* [location] */
    bool **source;             /* others may wait for the event */
    uint64_t **limit;          /* of sources, from o_clc_forward() on; O_NO_LIMIT */
    uint64_t **current;        /* A, after o_clc_backward() */
    uint64_t **stop;           /* of BUFFER_FLUSH: recorded, forward, or current; owned */
    struct o_list targets;     /* struct o_end, by location and event */
    struct o_list sources;     /* the same */
    struct o_list given_up;    /* struct o_edge: edges of cycles */
    uint64_t saturated;        /* sums that would have passed 2^64 - 1 */
};

void o_clc_defaults(struct o_clc_options *options);
bool o_fraction(const char *text, bool zero_allowed, uint64_t *fraction); /* a number in [0, 1] times 2^32 */
void o_clc_forward(struct o_clc *clc, const struct o_matching *matching, uint64_t **recorded, uint64_t **stops,
                   const struct o_clc_options *options);
void o_clc_backward(struct o_clc *clc);
void o_clc_free(struct o_clc *clc);
void o_print_jumps(const struct o_clc *clc);
void o_print_clc_notes(const struct o_clc *clc); /* lines that start with '#' */

/* ---- compare.c ---- */

struct o_difference {
    uint64_t events, moved, earlier, decreasing; /* decreasing: events of B before the one that they follow */
    uint64_t largest;
    long double sum, squares;
};

/* Are the two events the same but for their times? */
bool o_same_event(const struct o_location *a, const struct o_location *b, size_t event);
/* Of all locations, by id; prints a line for each that is another. */
bool o_same_events(const struct o_trace *a, const struct o_trace *b);
void o_compare_location(const struct o_location *a, const struct o_location *b, struct o_difference *difference);
/* 0: the same events, 1: not */
int o_print_comparison(const struct o_trace *a, const struct o_trace *b);

#endif
