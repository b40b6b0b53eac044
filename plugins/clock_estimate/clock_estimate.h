/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The filter `clock_estimate`: clock_estimate.c passes edges to the solver, results.c hands on its results. */
#ifndef TCFLOW_CLOCK_ESTIMATE_H
#define TCFLOW_CLOCK_ESTIMATE_H

#include <tcflow/clocks.h>

#include "solver/solver.h"

enum shares { FOUND, BY_PROCESS, BY_NODE, BY_LOCATION };

struct conf {
    int clocks; /* enum shares */
    const char *reference;
    uint64_t memory; /* bytes; 0: as many as the number of clocks asks for */
    int64_t most_knots;
    tcf_duration measured_error;
    double drift_rate;
    double most_rate;
    const char *knots;
    int overwrite_knots;
};

/* In the slot of a message. */
struct sender {
    uint64_t time;
    uint32_t unit;
};

struct place_in_trace {
    uint32_t unit;
    uint32_t edge; /* the next entry of the slice's list of edges */
    uint8_t has_events;
};

struct by_id {
    uint64_t id;
    uint32_t location;
};

struct state {
    struct bounds *bounds;
    struct sharing sharing; /* clocks = auto: units that share a clock, which are one unit then */
    struct by_id *by_id;    /* all locations */
    uint32_t n_units;
    uint32_t reference;
    uint64_t memory;
    uint64_t collectives;
    int sizes; /* number of the column */
};

/* In init(): is there a file already that must not be replaced? */
tcf_status check_knot_file(tcf_self *self);
tcf_status report_clocks(tcf_self *self);

#endif
