/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See time_cells.h. Cells are a hash table with linear probing; when bins get wider it is built anew. The width never
 * gets larger than it has to be in the end: it grows only when the cells known so far don't fit, and more times only
 * add cells. */
#include "time_cells.h"

#include <tcflow/map.h>
#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

enum { FIRST_PLACES = 1024 };

time_cells time_cells_new(uint32_t bins, uint32_t budget, uint64_t origin)
{
    return (time_cells){.time = time_bins_new(bins, origin), .budget = budget};
}

void time_cells_free(time_cells *c)
{
    free(c->at);
    c->at = NULL;
    c->n = c->mask = 0;
}

/* Cells of NEIGHBOURS bins that follow each other are side by side, for time goes from bin to bin. */
#define NEIGHBOURS 4
static uint64_t first_place(const time_cells *c, uint32_t row, uint32_t key, int64_t bin)
{
    const uint64_t hash = tcf_map_hash((uint64_t)row << 32 | key, (uint64_t)bin / NEIGHBOURS);
    return (hash * NEIGHBOURS + (uint64_t)bin % NEIGHBOURS) & c->mask;
}

void time_cells_fetch(const time_cells *c, uint32_t row, uint32_t key, int64_t bin, uint32_t level)
{
    if (c->mask > 0)
        __builtin_prefetch(&c->at[first_place(c, row, key, bin >> (c->time.level - level))], 1);
}

static time_cell *place_of(const time_cells *c, uint32_t row, uint32_t key, int64_t bin)
{
    uint64_t i = first_place(c, row, key, bin);
    while (c->at[i].row != TCF_NONE && (c->at[i].row != row || c->at[i].key != key || c->at[i].bin != bin))
        i = (i + 1) & c->mask;
    return &c->at[i];
}

/* Moves all cells to a table of so many places, into bins `shift` doublings wider. */
static int rebuild(time_cells *c, uint32_t places, uint32_t shift)
{
    const time_cells old = *c;
    c->at = malloc(places * sizeof *c->at);
    if (!c->at) {
        c->at = old.at;
        return -1;
    }
    memset(c->at, 0xff, places * sizeof *c->at); /* TCF_NONE everywhere */
    c->mask = places - 1;
    c->n = 0;
    for (uint64_t i = 0; old.mask > 0 && i <= old.mask; i++) {
        const time_cell *from = &old.at[i];
        if (from->row == TCF_NONE)
            continue;
        time_cell *to = place_of(c, from->row, from->key, from->bin >> shift);
        if (to->row == TCF_NONE) {
            *to = *from;
            to->bin >>= shift;
            c->n++;
        } else {
            to->ticks = tcf_ticks_sum(to->ticks, from->ticks);
        }
    }
    free(old.at);
    return 0;
}

static int widen(time_cells *c, uint32_t level)
{
    const uint32_t shift = level - c->time.level;
    c->time.level = level;
    c->time.first = c->time.low >> level;
    return c->mask > 0 ? rebuild(c, c->mask + 1, shift) : 0;
}

/* More than two bins? Two may lie on both sides of the origin, and never become one. */
static int can_widen(const time_cells *c)
{
    return c->time.used && time_bins_between(c->time.low, c->time.high, c->time.level) > 1;
}

int time_cells_reach(time_cells *c, uint64_t time)
{
    const uint32_t level = c->time.level;
    time_bins_move m;
    if (__builtin_expect(time_bins_reach(&c->time, time, &m), 0) && c->time.level > level) {
        const uint32_t wanted = c->time.level;
        c->time.level = level;
        return widen(c, wanted);
    }
    return 0;
}

int time_cells_put(time_cells *c, uint32_t row, uint32_t key, int64_t bin, uint32_t level, uint64_t ticks)
{
    for (;;) {
        const int64_t at = bin >> (c->time.level - level);
        if (c->mask > 0) {
            time_cell *cell = place_of(c, row, key, at);
            if (cell->row != TCF_NONE) {
                cell->ticks = tcf_ticks_sum(cell->ticks, ticks);
                return 0;
            }
            const uint64_t places = c->mask + 1ul;
            if (c->n < c->budget || !can_widen(c)) {
                if (c->n >= (uint64_t)TIME_CELLS_BEYOND * c->budget && key != TIME_CELLS_OTHERS) {
                    c->others++;
                    key = TIME_CELLS_OTHERS;
                    continue;
                }
                if (4 * (c->n + 1ul) <= 3 * places) {
                    *cell = (time_cell){at, ticks, row, key};
                    c->n++;
                    return 0;
                }
                if (rebuild(c, (uint32_t)(2 * places), 0) != 0)
                    return -1;
                continue;
            }
            if (widen(c, c->time.level + 1) != 0)
                return -1;
        } else if (rebuild(c, FIRST_PLACES, 0) != 0) {
            return -1;
        }
    }
}

int time_cells_add(time_cells *c, uint32_t row, uint32_t key, uint64_t from, uint64_t to)
{
    while (from < to) {
        const uint32_t level = c->time.level;
        const int64_t distance = tcf_time_distance(c->time.origin, from), bin = distance >> level;
        const int is_far = distance == INT64_MAX || distance == INT64_MIN; /* all that is farther is in the same bin */
        const uint64_t left = is_far ? UINT64_MAX : ((uint64_t)(bin + 1) << level) - (uint64_t)distance;
        const uint64_t part = left < to - from ? left : to - from;
        if (time_cells_put(c, row, key, bin, level, part) != 0)
            return -1;
        from += part;
    }
    return 0;
}

static int by_row(const void *a, const void *b)
{
    const time_cell *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->row, y->row), TCF_ORDER(x->bin, y->bin), TCF_ORDER(x->key, y->key));
}

int time_cells_finish(time_cells *c)
{
    while (c->n > c->budget && can_widen(c))
        if (widen(c, c->time.level + 1) != 0)
            return -1;
    uint32_t n = 0;
    for (uint64_t i = 0; c->mask > 0 && i <= c->mask; i++)
        if (c->at[i].row != TCF_NONE)
            c->at[n++] = c->at[i];
    tcf_sort(c->at, n, sizeof *c->at, by_row);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

void time_cells_pack(tcf_self *self, tcf_pack *pack, const time_cells *c)
{
    const tcf_host *host = self->host;
    host->put(pack, &c->time, sizeof c->time);
    host->put(pack, &c->others, sizeof c->others);
    host->put(pack, &c->n, sizeof c->n);
    for (uint64_t i = 0; c->mask > 0 && i <= c->mask; i++)
        if (c->at[i].row != TCF_NONE)
            host->put(pack, &c->at[i], sizeof c->at[i]);
}

tcf_status time_cells_absorb(tcf_self *self, tcf_pack *pack, time_cells *c,
                             uint32_t (*key_of)(const tcf_self *self, tcf_pack *pack, uint32_t key))
{
    const tcf_host *host = self->host;
    time_bins theirs;
    uint64_t others;
    uint32_t n;
    int failed = 0;

    host->take(pack, &theirs, sizeof theirs);
    host->take(pack, &others, sizeof others);
    host->take(pack, &n, sizeof n);
    c->others += others;
    if (theirs.used) {
        failed = time_cells_reach(c, theirs.origin + (uint64_t)theirs.low);
        failed |= time_cells_reach(c, theirs.origin + (uint64_t)theirs.high);
        if (theirs.level > c->time.level)
            failed |= widen(c, theirs.level);
    }
    for (uint32_t i = 0; i < n; i++) {
        time_cell cell;
        host->take(pack, &cell, sizeof cell);
        const uint32_t key = cell.key == TIME_CELLS_OTHERS ? cell.key : key_of(self, pack, cell.key);
        if (!failed)
            failed = time_cells_put(c, cell.row, key, cell.bin, theirs.level, cell.ticks);
    }
    return failed ? host->fail(self, "out of memory for %u cells of time", c->n) : TCF_OK;
}
