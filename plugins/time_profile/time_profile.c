/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* time_profile: how the exclusive time of each region is spread over the run.
 *
 * The time between two enters or leaves of a location belongs to the innermost region that is open, and is divided
 * among the bins of time that it lies in. So the bins of a region add up to its exclusive time in profile, tick by
 * tick. Bins become wider with the run (time_bins.h). Each location counts in a grid of its own, which is added to that
 * of all when the location ends; memory is regions x bins, capped, and nothing is allocated for a single event. */
#include "time_profile.h"
#include "../shared/regions/same_regions.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROWS = 8 };

/* --------------------------------------------------------------------------------------------------------- grids -- */

static void grid_free(grid *g)
{
    free(g->cells);
    free(g->of);
    tcf_map_free(&g->row_of);
    *g = (grid){.most = g->most};
}

static int grid_grow(grid *g)
{
    const uint32_t capacity = g->capacity ? 2 * g->capacity : FIRST_ROWS;
    uint64_t *cells = realloc(g->cells, (capacity + 1ul) * g->time.n * sizeof *cells);
    if (cells)
        g->cells = cells;
    of_row *of = realloc(g->of, capacity * sizeof *of);
    if (of)
        g->of = of;
    if (!cells || !of)
        return -1;
    g->capacity = capacity;
    return 0;
}

/* The row of a region in a process; TCF_NONE: out of memory. */
static uint32_t grid_row(grid *g, uint32_t region, uint32_t process)
{
    uint32_t row = tcf_map_get(&g->row_of, region, process);
    if (row != TCF_MAP_ABSENT)
        return row;
    if (g->n >= g->most && region != BEYOND)
        return grid_row(g, BEYOND, process);
    if ((g->n == g->capacity && grid_grow(g) != 0) || tcf_map_put(&g->row_of, region, process, g->n) != 0)
        return TCF_NONE;
    memset(row_at(g, g->n), 0, g->time.n * sizeof *g->cells);
    g->of[g->n] = (of_row){region, process};
    return g->n++;
}

static __attribute__((noinline)) void grid_move(grid *g, const time_bins_move *m)
{
    const uint32_t n = g->time.n;
    uint64_t *old = g->cells ? row_at(g, g->capacity) : NULL;
    for (uint32_t r = 0; r < g->n; r++) {
        uint64_t *row = row_at(g, r);
        memcpy(old, row, n * sizeof *old);
        memset(row, 0, n * sizeof *row);
        for (uint32_t k = 0; k < n; k++)
            if (old[k] != 0)
                row[time_bins_moved(m, k)] += old[k];
    }
}

static inline void grid_reach(grid *g, uint64_t time)
{
    time_bins_move m;
    if (__builtin_expect(time_bins_reach(&g->time, time, &m), 0))
        grid_move(g, &m);
}

/* Both times have been reached, from <= to. */
static void spend_over(const time_bins *b, uint64_t *row, uint64_t from, uint64_t to)
{
    const uint32_t first = time_bins_position(b, from), last = time_bins_position(b, to);
    for (uint32_t k = first; k <= last; k++) {
        const uint64_t start = b->origin + (uint64_t)time_bins_start(b, k), end = start + (UINT64_C(1) << b->level);
        row[k] += (k == last ? to : end) - (k == first ? from : start);
    }
}

static inline void spend(const grid *g, uint32_t row, uint64_t from, uint64_t to)
{
    const time_bins *b = &g->time;
    const uint32_t k = time_bins_position(b, from);
    if (__builtin_expect(k == time_bins_position(b, to), 1))
        row_at(g, row)[k] += to - from;
    else
        spend_over(b, row_at(g, row), from, to);
}

/* Adds a location's grid to that of all, or one of several processes (process: TCF_NONE); -1: out of memory. */
static int grid_add(grid *all, const grid *part, uint32_t process, const uint32_t *same, uint32_t n_regions)
{
    grid_reach(all, part->time.origin + (uint64_t)part->time.low);
    grid_reach(all, part->time.origin + (uint64_t)part->time.high);
    const time_bins_move m = time_bins_into(&part->time, &all->time);
    for (uint32_t r = 0; r < part->n; r++) {
        const uint32_t region = part->of[r].region;
        const uint32_t row = grid_row(all, region < n_regions ? same[region] : region,
                                      process == TCF_NONE ? part->of[r].process : process);
        if (row == TCF_NONE)
            return -1;
        for (uint32_t k = 0; k < part->time.n; k++)
            if (row_at(part, r)[k] != 0) {
                uint64_t *sum = &row_at(all, row)[time_bins_moved(&m, k)];
                *sum = tcf_ticks_sum(*sum, row_at(part, r)[k]);
            }
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------- enter, leave -- */

/* The time up to now belongs to the innermost open region. */
static inline void pass(place *p, uint64_t time)
{
    grid_reach(&p->grid, time);
    if (p->stack.depth > 0)
        spend(&p->grid, p->stack.open[p->stack.depth - 1].row - 1, p->since, time);
    p->since = time;
}

static inline int enter(place *p, uint32_t region, uint64_t time)
{
    region_frame *f = region_stack_recent(&p->stack, region);
    pass(p, time);
    if (__builtin_expect(f->region != region || f->row == 0, 0)) {
        const uint32_t row = grid_row(&p->grid, region, 0);
        if (row == TCF_NONE)
            return -1;
        *f = (region_frame){region, row + 1};
    }
    return region_stack_enter(&p->stack, *f);
}

static inline void leave(place *p, uint32_t region, uint64_t time)
{
    pass(p, time);
    region_stack_leave(&p->stack, region);
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static void start(const tcf_self *self, place *p, uint64_t time)
{
    const conf *c = self->conf;
    p->grid.most = (uint32_t)c->max_regions;
    p->grid.time = time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset);
    grid_reach(&p->grid, time);
}

static tcf_status time_profile_slice(tcf_self *self, tcf_slice *s)
{
    const tcf_definitions *defs = self->defs;
    place *p = tcf_location_state(self, s->location);
    int failed = 0;
    if (s->n == 0)
        return TCF_OK;
    if (!p->grid.time.used)
        start(self, p, s->time[0]);
    for (uint32_t i = 0; i < s->n; i++) {
        if (tcf_is_enter(s->kind[i]))
            failed |= enter(p, tcf_region_of_event(defs, s, i), s->time[i]);
        else if (tcf_is_leave(s->kind[i]))
            leave(p, tcf_region_of_event(defs, s, i), s->time[i]);
    }
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u regions of a location in %u bins of time", p->grid.n,
                                     p->grid.time.n)
                  : TCF_OK;
}

static void place_free(place *p)
{
    grid_free(&p->grid);
    region_stack_free(&p->stack);
}

/* Visits that are still open end with the last event. */
static tcf_status time_profile_location_end(tcf_self *self, uint32_t location)
{
    state *st = self->state;
    place *p = tcf_location_state(self, location);
    if (!p->grid.time.used)
        return TCF_OK;
    pass(p, p->last);
    const uint32_t process = st->processes.of ? st->processes.of[location] : 0;
    const int failed = grid_add(&st->all, &p->grid, process, st->same, self->defs->n_regions);
    st->not_counted += p->stack.not_counted;
    place_free(p);
    return failed ? self->host->fail(self, "out of memory for %u regions in %u bins of time", st->all.n, st->all.time.n)
                  : TCF_OK;
}

static tcf_status time_profile_begin(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    st->all.most = (uint32_t)c->max_regions;
    st->all.time = time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset);
    st->same = same_regions(self->defs);
    if (!st->same || (c->by_process && tcf_processes_find(&st->processes, self->defs) != 0))
        return self->host->fail(self, "out of memory for %u regions and %u locations", self->defs->n_regions,
                                self->defs->n_locations);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status time_profile_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const state *st = self->state;
    const grid *g = &st->all;

    host->put(pack, &st->not_counted, sizeof st->not_counted);
    host->put(pack, &g->time, sizeof g->time);
    host->put(pack, &g->n, sizeof g->n);
    host->put(pack, g->of, g->n * sizeof *g->of);
    host->put(pack, g->cells, (size_t)g->n * g->time.n * sizeof *g->cells);
    return TCF_OK;
}

static tcf_status time_profile_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    state *st = self->state;
    uint64_t not_counted;
    grid g = {0};
    int failed;

    host->take(pack, &not_counted, sizeof not_counted);
    st->not_counted += not_counted;
    host->take(pack, &g.time, sizeof g.time);
    host->take(pack, &g.n, sizeof g.n);
    const size_t cells = (size_t)g.n * g.time.n;
    g.of = malloc((g.n + 1ul) * sizeof *g.of);
    g.cells = malloc((cells + 1) * sizeof *g.cells);
    failed = !g.of || !g.cells;
    if (!failed) {
        host->take(pack, g.of, g.n * sizeof *g.of);
        host->take(pack, g.cells, cells * sizeof *g.cells);
        for (uint32_t r = 0; r < g.n; r++)
            g.of[r].region = host->taken_index(pack, TCF_REF_REGION, g.of[r].region);
        failed = g.time.used && grid_add(&st->all, &g, TCF_NONE, st->same, self->defs->n_regions) != 0;
    }
    grid_free(&g);
    return failed ? host->fail(self, "out of memory for %u regions in %u bins of time", st->all.n, st->all.time.n)
                  : TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void time_profile_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        place_free(tcf_location_state(self, l));
    grid_free(&st->all);
    tcf_processes_free(&st->processes);
    free(st->same);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, time_bins, TCF_INT, "128",
              "Bins of time at most; at least half of them are used, unless the run has fewer ticks", .min = "2",
              .max = "65536"),
    TCF_PARAM(conf, max_regions, TCF_INT, "4096",
              "Regions of a location, and in all (of all processes, with by_process), at most; those beyond are "
              "counted as one",
              .min = "1", .max = "1048576"),
    TCF_PARAM(conf, top, TCF_INT, "0",
              "Only so many regions (of each process), those with the most time, and the others together; 0: all",
              .min = "0"),
    TCF_PARAM(conf, by_process, TCF_BOOL, "no", "Rows for each process, instead of for all together"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "time_profile",
    .version = "1.0",
    .summary = "Exclusive time of each region over the run, in bins of time, of all or of each process",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "The time between two enters or leaves of a location belongs to the innermost region that is open, and to the "
        "bins of time that it lies in, by parts. Over all bins that is the exclusive time of profile, to the tick; "
        "enters and leaves that don't fit are treated as there. Times of all locations are added up, so that a bin may "
        "hold its width times the number of locations, or with by_process those of each process (a location group, or "
        "each rank of one that has several, as in AMPI or MPC, and the rest of it). Regions that differ in nothing but "
        "their id are one.\n\n"
        "Bins are of equal width, over the whole run from the first to the last event of all locations. The width is "
        "the smallest power of two ticks with which time_bins suffice; bins are counted from the start of the trace as "
        "the archive states it. Where clocks were not synchronised, put a correction in front.\n\n"
        "Memory: 8 bytes for each region that a location uses and each bin, for the locations that are open at a time, "
        "and for each row in all.\n\n"
        "Table: time_profile, with a row for each bin and each region that had time in it; those with the most time "
        "over the run first.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = time_profile_slice,
    .begin = time_profile_begin,
    .location_end = time_profile_location_end,
    .end = time_profile_report,
    .fini = time_profile_fini,
    .pack = time_profile_pack,
    .absorb = time_profile_absorb,
};
