/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the parts of metrics share: metrics.c collects, sums.c adds locations up, domains.c domains, tables.c and
 * cells.c report. */
#ifndef TCFLOW_METRICS_H
#define TCFLOW_METRICS_H

#include "../shared/numbers/reproducible_sum.h"
#include "../shared/numbers/series.h"
#include "../shared/places/keyed.h"
#include "../shared/time_bins/time_bins.h"
#include <tcflow/filter.h>
#include <tcflow/map.h>

#define BEYOND (TCF_NONE - 1u) /* stands for all call paths beyond max_rows */

typedef struct conf {
    int by_location, callpaths;
    int64_t time_bins, max_rows, max_series;
} conf;

/* A series of a location in a call path: its samples and increase while the location was in the call path itself,
 * without the calls from there. */
typedef struct row {
    uint32_t series, callpath;
    uint64_t samples;
    number increase;
} row;

/* Rows, found by call path and the first series of a metric. Owns its arrays. */
typedef struct rows {
    row *at;
    uint32_t n, capacity;
    tcf_map index;
    int is_full; /* some call paths are counted in rows of BEYOND */
} rows;

/* A series of a location in a bin of time. */
typedef struct cell {
    uint64_t samples;
    double sum;
    number min, max, increase;
} cell;

/* What is summed up over locations, which come in any order. */
typedef union amount {
    uint64_t u; /* modulo 2^64 */
    reproducible_sum d;
} amount;

typedef struct total_cell {
    uint64_t samples;
    number min, max;
    reproducible_sum sum;
    amount increase;
} total_cell;

typedef struct total_row {
    uint32_t location, callpath; /* location: TCF_NONE: all */
    uint32_t member;             /* index, or TCF_NONE */
    uint8_t type;
    uint64_t samples;
    amount increase;
} total_row;

typedef struct total_rows {
    total_row *at;
    keyed by;    /* (location and call path, member and type) */
    int is_full; /* some call paths are counted in rows of BEYOND */
} total_rows;

/* State of a location. */
typedef struct place {
    series *series; /* those of a metric one behind the other */
    uint32_t n, capacity;
    tcf_map first; /* (metric, 0) -> the first of its series */
    uint32_t recent_metric, recent_first, recent_n;
    time_bins time;
    cell *cells; /* time.n for each series, and as many behind the last one, to move them */
    rows rows;
    uint32_t recent_callpath, recent_rows;
    uint64_t last;     /* time of the last event */
    uint64_t too_many; /* values of an event beyond those of the metric's first event */
} place;

/* A series in bins of time, of all locations or of one. */
typedef struct grid {
    uint32_t location, member;
    uint8_t type;
    uint64_t series; /* how many are in it */
    total_cell *cells;
} grid;

typedef struct state {
    time_bins time;
    grid *grids;
    keyed by; /* of grids: (location, member and type) */
    total_rows rows;
    uint64_t no_grid; /* series without bins of time, beyond max_series */
} state;

static inline cell *cells_of(const place *p, uint32_t at)
{
    return p->cells + (size_t)at * p->time.n;
}

/* The member of a series, by index; TCF_NONE: it isn't defined. */
uint32_t member_of(const tcf_self *self, const series *s);

void cell_add(uint8_t type, cell *to, const cell *from);
/* Puts the cells of a series where its bins are now; `spare` has as many. */
void cells_move(uint8_t type, cell *cells, cell *spare, uint32_t n, const time_bins_move *m);

/* Finds or makes the rows of a call path for n series, `from` and those behind it. Where there are `most` rows, a new
 * call path gets the rows of BEYOND instead. TCF_NONE: out of memory. */
uint32_t rows_find(rows *r, uint32_t callpath, uint32_t from, uint32_t n, uint32_t most);
void rows_free(rows *r);

number amount_value(uint8_t type, const amount *a);
/* Adds x to the row of its location, call path, member and type; with `most` as rows_find(). -1: out of memory. */
int total_rows_add(total_rows *r, const total_row *x, uint32_t most);
void total_rows_free(total_rows *r);
/* The grid of a location (TCF_NONE: all), member and type. NULL: there is none. */
const grid *grid_of(const state *st, uint32_t location, uint32_t member, uint8_t type);

/* Adds a location that has ended to the sums of all. -1: out of memory. */
int sum_location(const tcf_self *self, const place *p, uint32_t location);

/* Makes the bins of all grids reach what `time` reaches. -1: out of memory. */
int sum_reach(state *st, const time_bins *time);
/* Adds a grid with bins like `time`, which they reach. -1: out of memory. */
int sum_grid(const tcf_self *self, const time_bins *time, const grid *from);

/* domains.c. The filter's callbacks. */
tcf_status metrics_pack(tcf_self *self, tcf_pack *pack);
tcf_status metrics_absorb(tcf_self *self, tcf_pack *pack);

/* Writes all tables. */
tcf_status metrics_report(tcf_self *self);

#endif
