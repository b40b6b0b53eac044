/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rows of metrics' tables: values in their unit and as recorded, names, scopes. */
#ifndef TCFLOW_METRICS_CELLS_H
#define TCFLOW_METRICS_CELLS_H

#include "metrics.h"

enum { RAW_BYTES = 32, SCOPE_BYTES = 256 };

/* The scope of a metric instance, as its definition states it. */
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

/* A row of any of the tables; each table has columns for some of the members. */
typedef struct line {
    const char *unit, *metric, *location, *process, *mode, *scope, *call_path;
    const char *min_raw, *max_raw, *first_raw, *last_raw, *increase_raw;
    double min, max, mean, time_mean, first, last, increase, rate, factor;
    uint64_t samples, series, decreases, ticks, metric_id, member_id, location_id, from, width;
} line;

/* A value in its unit. */
double scaled(const line *l, uint8_t type, number v);
/* A value as recorded, as text. A line has at most five, which are valid until the next line. */
const char *raw(work *w, uint8_t type, number v);
/* A line with the names of a metric member and a location (TCF_NONE: all locations), and with the values of a cell.
 * An increase is signed even where the values are not. */
line line_of(work *w, uint32_t location, uint32_t member, uint8_t type, const cell *c);

/* Makes w->scopes, which the caller frees. -1: out of memory. */
int find_scopes(work *w);
/* The scope of a series: "location" for the location that recorded it, else e.g. "LOCATION_GROUP MPI Rank 0". Valid
 * until the next call. */
const char *scope_text(work *w, const series *s);

#endif
