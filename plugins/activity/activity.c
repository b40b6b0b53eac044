/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* activity: what each location did over the whole run: the exclusive time of its regions in bins of time.
 *
 * The time between two enters or leaves of a location belongs to the innermost region that is open, and to the bins
 * that it lies in, by parts. Where a region around decides what that time is (region_kinds.h: MPI, idle, ...), it is
 * counted apart from the region's other time, by the key of both. A location sums up the bin at hand in a few places of
 * its own; full places, and bins that are over, go to the cells of all (time_cells.h), which bound the memory. */
#include "../shared/patterns/region_kinds.h"
#include "../shared/regions/region_names.h"
#include "../shared/regions/region_stack.h"
#include "../shared/regions/same_regions.h"
#include "../shared/time_cells/time_cells.h"

#include <tcflow/map.h>
#include <tcflow/order.h>

#include <stdlib.h>

typedef struct conf {
    int64_t bins, cells, rows;
} conf;

enum { OPEN_PLACES = 8, AT_CELL = 8 /* bits */ };

/* Time in a region within the bin at hand. */
typedef struct open_cell {
    uint64_t ticks;
    uint32_t key;
} open_cell;

/* State of a location. */
typedef struct place {
    region_stack stack;   /* a frame's row: the kept class, and from AT_CELL on the open cell of the last time */
    uint64_t since, last; /* times of the last enter or leave, and of the last event */
    uint64_t end;         /* of the bin at hand */
    int64_t bin;          /* its number, of bins of 2^level ticks */
    uint32_t level;
    uint32_t n_open;
    open_cell open[OPEN_PLACES];
    uint8_t started;
} place;

typedef struct state {
    time_cells cells;
    time_rows rows;
    uint32_t *same;       /* by region: the first one that is the same */
    uint8_t *class_;      /* by region, with the bits of region_kinds.h */
    uint64_t not_counted; /* visits too deep for the stack */
    uint32_t packed;      /* regions of the domain whose part is absorbed */
} state;

/* ---------------------------------------------------------------------------------------------------------- keys --
 *
 * The key of time in a region: the region, or where another one decides what that time is, its class as well. */

enum { KEYS = 1 + REGION_CLASSES }; /* of a region */

/* Do keys of n regions fit in front of the numbers of undefined ones? With 56 million regions they don't; their time
 * is of their own class then. */
static inline int has_keys(uint32_t n)
{
    return n < TCF_DANGLING / KEYS;
}

static inline uint32_t key_of(const tcf_self *self, const region_frame *f)
{
    const state *st = self->state;
    const uint32_t n = self->defs->n_regions, class_ = f->row & REGION_VALUE;
    return f->region >= n || class_ == (st->class_[f->region] & REGION_VALUE) || !has_keys(n)
               ? f->region
               : f->region + (class_ + 1) * n;
}

static inline int is_decided(uint32_t n, uint32_t key)
{
    return key >= n && has_keys(n) && key / KEYS < n;
}

static inline uint32_t region_of(uint32_t n, uint32_t key)
{
    return is_decided(n, key) ? key % n : key;
}

/* ---------------------------------------------------------------------------------------------------------- time -- */

/* Hands on the bin at hand. */
static int flush(state *st, uint32_t row, place *p)
{
    int failed = 0;
    for (uint32_t i = 0; i < p->n_open; i++)
        time_cells_fetch(&st->cells, row, p->open[i].key, p->bin, p->level);
    for (uint32_t i = 0; i < p->n_open; i++)
        if (p->open[i].ticks > 0)
            failed |= time_cells_put(&st->cells, row, p->open[i].key, p->bin, p->level, p->open[i].ticks);
    p->n_open = 0;
    return failed;
}

/* The bin of a time becomes the one at hand. */
static void open_bin(const state *st, place *p, uint64_t time)
{
    const time_bins *b = &st->cells.time;
    const uint64_t width = UINT64_C(1) << b->level;
    p->level = b->level;
    p->bin = time_cells_bin(&st->cells, time);
    const uint64_t begin = b->origin + ((uint64_t)p->bin << b->level);
    p->end = begin > UINT64_MAX - width ? UINT64_MAX : begin + width;
}

/* The open cell of a key; NULL: out of memory. */
static open_cell *open_of(state *st, uint32_t row, place *p, uint32_t key)
{
    for (uint32_t i = 0; i < p->n_open; i++)
        if (p->open[i].key == key)
            return &p->open[i];
    if (p->n_open == OPEN_PLACES && flush(st, row, p) != 0)
        return NULL;
    p->open[p->n_open] = (open_cell){0, key};
    return &p->open[p->n_open++];
}

/* The time since the last enter or leave crosses bins. */
static __attribute__((noinline)) int pass_bins(const tcf_self *self, uint32_t row, place *p, uint64_t time)
{
    state *st = self->state;
    int failed = flush(st, row, p) || time_cells_reach(&st->cells, time);
    if (!failed && p->stack.depth > 0 && time > p->since)
        failed = time_cells_add(&st->cells, row, key_of(self, &p->stack.open[p->stack.depth - 1]), p->since, time);
    open_bin(st, p, time);
    return failed;
}

/* The time up to now belongs to the innermost open region. */
static inline int pass(const tcf_self *self, uint32_t row, place *p, uint64_t time)
{
    int failed = 0;
    if (__builtin_expect(time >= p->end || time < p->since, 0)) {
        failed = pass_bins(self, row, p, time);
    } else if (p->stack.depth > 0) {
        const region_frame *f = &p->stack.open[p->stack.depth - 1];
        const uint32_t key = key_of(self, f), at = f->row >> AT_CELL;
        open_cell *c = at < p->n_open ? &p->open[at] : NULL;
        if (__builtin_expect(!c || c->key != key, 0))
            c = open_of(self->state, row, p, key);
        if (c)
            c->ticks += time - p->since;
        failed = !c;
    }
    p->since = time;
    return failed;
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

/* Of regions that are the same the first one stands on the stack. */
static inline uint32_t region_at(const tcf_self *self, const state *st, const tcf_slice *s, uint32_t i)
{
    const uint32_t region = tcf_region_of_event(self->defs, s, i);
    return region < self->defs->n_regions ? st->same[region] : region;
}

static inline int enter(const tcf_self *self, uint32_t row, place *p, uint32_t region, uint64_t time)
{
    const state *st = self->state;
    const uint32_t own = region < self->defs->n_regions ? st->class_[region] : WAIT_COMPUTATION;
    const uint32_t around = p->stack.depth > 0 ? p->stack.open[p->stack.depth - 1].row & UINT8_MAX : 0;
    region_frame f = {region, region_within(around, own)};
    uint32_t at = 0;
    if (pass(self, row, p, time) != 0)
        return -1;
    for (const uint32_t key = key_of(self, &f); at < p->n_open && p->open[at].key != key;)
        at++;
    f.row |= at << AT_CELL;
    return region_stack_enter(&p->stack, f);
}

static tcf_status activity_slice(tcf_self *self, tcf_slice *s)
{
    state *st = self->state;
    place *p = tcf_location_state(self, s->location);
    const uint32_t row = st->rows.of[s->location];
    int failed = 0;

    if (s->n == 0)
        return TCF_OK;
    failed |= time_cells_reach(&st->cells, s->time[0]) | time_cells_reach(&st->cells, s->time[s->n - 1]);
    if (!p->started)
        open_bin(st, p, s->time[0]);
    p->started = 1;
    for (uint32_t i = 0; i < s->n; i++) {
        if (tcf_is_enter(s->kind[i])) {
            failed |= enter(self, row, p, region_at(self, st, s, i), s->time[i]);
        } else if (tcf_is_leave(s->kind[i])) {
            failed |= pass(self, row, p, s->time[i]);
            region_stack_leave(&p->stack, region_at(self, st, s, i));
        }
    }
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u cells of time", st->cells.n) : TCF_OK;
}

/* Visits that are still open end with the last event. */
static tcf_status activity_location_end(tcf_self *self, uint32_t location)
{
    state *st = self->state;
    place *p = tcf_location_state(self, location);
    if (!p->started)
        return TCF_OK;
    const uint32_t row = st->rows.of[location];
    const int failed = pass(self, row, p, p->last) || flush(st, row, p);
    st->not_counted += p->stack.not_counted;
    region_stack_free(&p->stack);
    return failed ? self->host->fail(self, "out of memory for %u cells of time", st->cells.n) : TCF_OK;
}

static tcf_status activity_begin(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    st->cells = time_cells_new((uint32_t)c->bins, (uint32_t)c->cells, self->defs->clock.global_offset);
    st->same = same_regions(self->defs);
    st->class_ = malloc(self->defs->n_regions + 1ul);
    for (uint32_t r = 0; st->class_ && r < self->defs->n_regions; r++) {
        const tcf_region *region = tcf_region_at(self->defs, r);
        uint8_t kind, extra;
        waits_classify_region(region, &kind, &extra);
        st->class_[r] = region_class(region, kind) | region_nesting(region, kind);
    }
    if (!st->same || !st->class_ || time_rows_find(&st->rows, self->defs, (uint32_t)c->rows) != 0)
        return self->host->fail(self, "out of memory for %u regions and %u locations", self->defs->n_regions,
                                self->defs->n_locations);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- reports -- */

typedef struct row {
    uint64_t region, ticks, id;
    const char *name, *kind, *title;
} row;

#define AT(member) TCF_AT(row, member)

/* Exclusive time of a region that is of one class. */
typedef struct total {
    uint64_t ticks;
    uint32_t key;
} total;

static int most_first(const void *a, const void *b)
{
    const total *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->ticks, x->ticks), TCF_ORDER(x->key, y->key));
}

/* Sums by key, in place of the cells' order: totals[0 .. n - 1]. NULL: out of memory. */
static total *totals_of(const time_cells *c, uint32_t *n)
{
    tcf_map at = {NULL, 0, 0};
    total *of = malloc((c->n + 1ul) * sizeof *of);
    int failed = !of;
    *n = 0;
    for (uint32_t i = 0; i < c->n && !failed; i++) {
        uint32_t k = tcf_map_get(&at, c->at[i].key, 0);
        if (k == TCF_MAP_ABSENT) {
            of[k = (*n)++] = (total){0, c->at[i].key};
            failed = tcf_map_put(&at, c->at[i].key, 0, k);
        }
        of[k].ticks = tcf_ticks_sum(of[k].ticks, c->at[i].ticks);
    }
    tcf_map_free(&at);
    if (failed) {
        free(of);
        return NULL;
    }
    tcf_sort(of, *n, sizeof *of, most_first);
    return of;
}

/* The class of time by its key. */
static const wait_pattern_row *class_of(const tcf_self *self, uint32_t key)
{
    const state *st = self->state;
    const uint32_t n = self->defs->n_regions;
    return region_class_row((uint8_t)(is_decided(n, key) ? key / n - 1
                                      : key < n          ? st->class_[key] & REGION_VALUE
                                                         : WAIT_COMPUTATION));
}

static tcf_status report_regions(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"region", AT(region), NULL, "Its number in `cells`; 2^32 - 1: those beyond the budget of cells"},
         {"name", AT(name), NULL, "Name of the region"},
         {"class", AT(kind), NULL,
          "What its time is: a pattern of time, as wait_states names it, accelerator, or communication without MPI; a "
          "region has a row for each"},
         {"class_title", AT(title), NULL, "The same for people"},
         {"exclusive", AT(ticks) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Time in the region itself, of all rows"},
         {"exclusive_ticks", AT(ticks) | TCF_CELL_DETAIL, "ticks", "exclusive in ticks"},
         {"region_id", AT(id) | TCF_CELL_DETAIL, NULL, "Id of the region, the first one of its kind; 2^32 - 1: none"}};
    const tcf_definitions *defs = self->defs;
    const state *st = self->state;
    uint32_t n;
    char text[REGION_NAME];
    total *of = totals_of(&st->cells, &n);
    if (!of)
        return self->host->fail(self, "out of memory for the table of regions");
    tcf_table *t = TCF_TABLE(self, "regions", "Regions of the timeline", columns);
    for (uint32_t i = 0; i < n; i++) {
        const int is_one = of[i].key != TIME_CELLS_OTHERS;
        const wait_pattern_row *of_class = class_of(self, of[i].key);
        const uint32_t region = region_of(defs->n_regions, of[i].key);
        tcf_row(self, t,
                &(row){.region = is_one ? of[i].key : UINT32_MAX,
                       .name = is_one ? region_name_of(defs, region, NULL, text) : "(others)",
                       .kind = of_class->name,
                       .title = of_class->title,
                       .ticks = of[i].ticks,
                       .id = is_one ? tcf_id(defs, TCF_REF_REGION, region, UINT32_MAX) : UINT32_MAX});
    }
    free(of);
    return TCF_OK;
}

static tcf_status activity_report(tcf_self *self)
{
    state *st = self->state;
    if (time_cells_finish(&st->cells) != 0)
        return self->host->fail(self, "out of memory for %u cells of time", st->cells.n);
    if (report_regions(self) != TCF_OK ||
        time_cells_report(self, &st->cells, &st->rows, "region", "Number of the region") != TCF_OK)
        return TCF_ERROR;
    tcf_warn(self, st->not_counted, "visits deeper than any sane stack were not counted");
    tcf_warn(self, st->cells.others, "times stand in '(others)', for there are more rows and regions than 'cells'");
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status activity_pack(tcf_self *self, tcf_pack *pack)
{
    const state *st = self->state;
    self->host->put(pack, &st->not_counted, sizeof st->not_counted);
    self->host->put(pack, &self->defs->n_regions, sizeof self->defs->n_regions);
    time_cells_pack(self, pack, &st->cells);
    return TCF_OK;
}

/* The key here of one of the domain whose part is absorbed: of the same region and class. */
static uint32_t own_key(const tcf_self *self, tcf_pack *pack, uint32_t key)
{
    const uint32_t n = ((const state *)self->state)->packed, own = self->defs->n_regions;
    const uint32_t region = self->host->taken_index(pack, TCF_REF_REGION, region_of(n, key));
    return is_decided(n, key) && region < own && has_keys(own) ? region + key / n * own : region;
}

static tcf_status activity_absorb(tcf_self *self, tcf_pack *pack)
{
    state *st = self->state;
    uint64_t not_counted;
    self->host->take(pack, &not_counted, sizeof not_counted);
    self->host->take(pack, &st->packed, sizeof st->packed);
    st->not_counted += not_counted;
    return time_cells_absorb(self, pack, &st->cells, own_key);
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void activity_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        region_stack_free(&((place *)tcf_location_state(self, l))->stack);
    time_cells_free(&st->cells);
    time_rows_free(&st->rows);
    free(st->same);
    free(st->class_);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, bins, TCF_INT, "4096", "Bins of time at most", .min = "2", .max = "1048576"),
    TCF_PARAM(conf, cells, TCF_INT, "262144",
              "Cells at most, of all rows together, 24 bytes each in up to three places: bins get wider until they "
              "suffice",
              .min = "64", .max = "67108864"),
    TCF_PARAM(conf, rows, TCF_INT, "4096",
              "Rows at most: locations; where there are more, processes, then nodes, then neighbours of these together",
              .min = "1", .max = "1048576"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "activity",
    .version = "1.0",
    .summary = "What each location did over the whole run: time of its regions in bins of time, in bounded memory",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "For drawing a timeline of the whole run. The time between two enters or leaves of a location belongs to the "
        "innermost region that is open, and to the bins of time that it lies in, by parts; over all bins that is the "
        "exclusive time of profile, to the tick. What is called from MPI, from an idle region, or while waiting for "
        "locks or accelerators, is of the class of that region, and stands apart. A row is a location, or with many of "
        "them a process, a node or "
        "several of these, whose times are added up.\n\n"
        "All bins have one width, a power of two ticks: the smallest with which `bins` hold the run from its first to "
        "its last event, and the cells (a row and region with time in a bin) are no more than `cells`. So the memory, "
        "and the size of the tables, is the same for 10,000 processes as for 100, and the result depends on the trace "
        "alone. A row with one bin and a cell for each region stays in any case, for up to 8 times as many cells.\n\n"
        "Bins are counted from the start of the trace as the archive states it. Where clocks were not synchronised, "
        "put a correction in front.\n\n"
        "Tables: regions, rows, bins (begin, width, number), and cells, in which bins in a row that are alike are one.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .location_more = 136,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = activity_slice,
    .begin = activity_begin,
    .location_end = activity_location_end,
    .end = activity_report,
    .fini = activity_fini,
    .pack = activity_pack,
    .absorb = activity_absorb,
};
