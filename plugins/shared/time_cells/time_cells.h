/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Time by row (a location, a process, a node), key (a region, a pattern) and bin of time, for a whole run in bounded
 * memory: a budget of cells for all rows together. Only cells with time in them count. All bins have one width, a power
 * of two ticks, and grow with the run: it is the smallest width with which the bins suffice and the cells fit the
 * budget. So counts are exact, and depend neither on the order in which times come nor on who has collected them.
 * Where one or two bins hold the run there may be more cells than the budget, up to TIME_CELLS_BEYOND times as many;
 * the time of keys beyond goes to the key TIME_CELLS_OTHERS of the row.
 *
 *     time_cells c = time_cells_new(bins, budget, defs->clock.global_offset);
 *     time_cells_reach(&c, time);                 of the first and last event of each location
 *     if (time_cells_add(&c, row, key, from, to) != 0)
 *         ...out of memory
 *     time_cells_finish(&c);                      then c.at[0 .. c.n - 1], by row, bin, key
 *     time_cells_free(&c); */
#ifndef TCFLOW_PLUGINS_TIME_CELLS_H
#define TCFLOW_PLUGINS_TIME_CELLS_H

#include "../time_bins/time_bins.h"

#include <tcflow/filter.h>

enum { TIME_CELLS_BEYOND = 8 };
#define TIME_CELLS_OTHERS (TCF_NONE - 1u)

typedef struct time_cell {
    int64_t bin; /* distance from the origin >> time.level */
    uint64_t ticks;
    uint32_t row; /* TCF_NONE: free */
    uint32_t key;
} time_cell;

/* Owns `at`. */
typedef struct time_cells {
    time_bins time;
    time_cell *at;    /* a hash table of mask + 1 places, until time_cells_finish() */
    uint32_t mask, n; /* n cells; mask: 0 where there are no places yet */
    uint32_t budget;
    uint64_t others; /* times that went to TIME_CELLS_OTHERS */
} time_cells;

/* bins: at least 2; budget: at least 1, at most 2^26. */
time_cells time_cells_new(uint32_t bins, uint32_t budget, uint64_t origin);
void time_cells_free(time_cells *c);
/* The run has an event then. -1: out of memory. */
int time_cells_reach(time_cells *c, uint64_t time);
/* Adds the time from `from` to `to`, which isn't earlier; both are reached. -1: out of memory. */
int time_cells_add(time_cells *c, uint32_t row, uint32_t key, uint64_t from, uint64_t to);
/* Adds ticks, at least one, to a bin whose number is one of bins of 2^level ticks, level <= time.level. -1: out of
 * memory. */
int time_cells_put(time_cells *c, uint32_t row, uint32_t key, int64_t bin, uint32_t level, uint64_t ticks);
/* Brings the cell that time_cells_put() is going to look for into the cache: for several in a row. */
void time_cells_fetch(const time_cells *c, uint32_t row, uint32_t key, int64_t bin, uint32_t level);
/* Sorts. -1: out of memory. */
int time_cells_finish(time_cells *c);

/* The bin of a time, and where it ends. */
static inline int64_t time_cells_bin(const time_cells *c, uint64_t time)
{
    return tcf_time_distance(c->time.origin, time) >> c->time.level;
}

/* The part of another domain: packs it, and adds what another one has packed, whose keys key_of(pack, key) are this
 * one's. TCF_ERROR: out of memory. */
void time_cells_pack(tcf_self *self, tcf_pack *pack, const time_cells *c);
tcf_status time_cells_absorb(tcf_self *self, tcf_pack *pack, time_cells *c,
                             uint32_t (*key_of)(const tcf_self *self, tcf_pack *pack, uint32_t key));

/* ---------------------------------------------------------------------------------------------------------- rows -- */

/* Which row a location belongs to. Rows are locations; where these are more than `most`, processes; where these are,
 * nodes; where these are, 2, 4, 8, ... neighbours of those together. Owns its arrays. */
typedef struct time_rows {
    uint32_t *of;        /* by location */
    uint32_t *first;     /* by row: a location of it */
    uint32_t *locations; /* by row: how many it has */
    uint32_t n;
    uint8_t by;    /* TIME_ROWS_* */
    uint32_t fold; /* so many of these are one row */
} time_rows;
enum { TIME_ROWS_LOCATION, TIME_ROWS_PROCESS, TIME_ROWS_NODE };

/* -1: out of memory. */
int time_rows_find(time_rows *rows, const tcf_definitions *defs, uint32_t most);
void time_rows_free(time_rows *rows);

/* The tables `rows` (those that have cells) and `bins` (one row), then `cells`, whose keys name(self, key) calls; cells
 * have been finished. TCF_ERROR: out of memory. */
tcf_status time_cells_report(tcf_self *self, const time_cells *c, const time_rows *rows, const char *key_name,
                             const char *key_help);

#endif
