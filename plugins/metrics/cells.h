/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rows of metrics' tables: values in their unit and as recorded, names, scopes. */
#ifndef TCFLOW_METRICS_CELLS_H
#define TCFLOW_METRICS_CELLS_H

#include "metrics.h"

enum { RAW_BYTES = 32, SCOPE_BYTES = 256 };

/* What a metric instance is about, as its definition says. */
typedef struct scope {
    uint64_t id;
    uint8_t kind, is_there;
} scope;

typedef struct work {
    tcf_self *self;
    scope *scopes; /* by metric */
    char text[5][RAW_BYTES];
    uint32_t n_texts;
    char scope[SCOPE_BYTES];
} work;

/* What rows of the tables have, each of them some of it. */
typedef struct line {
    const char *unit, *metric, *location, *process, *mode, *scope, *call_path;
    const char *min_raw, *max_raw, *first_raw, *last_raw, *increase_raw;
    double min, max, mean, time_mean, first, last, increase, rate, factor;
    uint64_t samples, series, decreases, ticks, metric_id, member_id, location_id, from, width;
} line;

/* In the unit. */
double scaled(const line *l, uint8_t type, number v);
/* As recorded. Valid until the next line, at most five: rows are copied. */
const char *raw(work *w, uint8_t type, number v);
/* A line with the names of a metric member and of a location (TCF_NONE: all of them), and what all tables have of some
 * samples. An increase has a sign, whatever the values have. */
line line_of(work *w, uint32_t location, uint32_t member, uint8_t type, const cell *c);

/* w->scopes, which is the caller's to free. -1: out of memory. */
int find_scopes(work *w);
/* "location" of what is recorded for the location itself, else as "LOCATION_GROUP MPI Rank 0"; valid until the next
 * call. */
const char *scope_text(work *w, const series *s);

#endif
