/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: the path, its call paths, what its imbalance costs; the order of clocks; limits. */
#include "critical_path.h"

#include "../shared/limits/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

/* A call path (the first one with the same names). In ticks. */
struct share {
    uint64_t on_path;
    tcf_ticks_total busy;     /* summed over the threads, without waits */
    tcf_ticks_total activity; /* the part of `busy` up to the path's time in it, thread by thread */
    double intra_and_inter, inter;
};

/* Where and when the path ends. */
struct finish {
    uint32_t location, node;
    uint64_t time, jumps;
    int is_finalize;
};

struct work {
    tcf_self *self;
    struct paths names;
    struct share *share;
    uint64_t *busy;     /* of the thread at hand */
    struct entry *part; /* the path by call path and location; behind them, by bin of time and location */
    uint32_t n_parts, n_places, parts_capacity;
    uint64_t length;
    uint32_t n_threads;
    struct finish finish;
};

/* What rows of the tables have, each of them some of it. Ticks. */
typedef struct row {
    const char *title, *metric, *help, *call_path;
    uint64_t location, on_path, from, to, width, changes;
    double time, share, imbalance, activity, both, inter, other;
} row;

#define AT(member) TCF_AT(row, member)

/* ------------------------------------------------------------------------------------------------------ the path -- */

static int is_thread(const tcf_self *self, uint32_t location)
{
    return tcf_location_at(self->defs, location)->type == TCF_CPU_THREAD && place_of(self, location)->started;
}

/* The path ends where the last process enters MPI_Finalize; else at the last event, of a thread if there is any. */
static struct finish find_finish(const tcf_self *self)
{
    const struct state *st = state_of(self);
    struct finish f = {.location = NONE, .node = NONE};
    if (st->finalize.node != NONE)
        return (struct finish){st->finalize.location, st->finalize.node, st->finalize.time, 0, 1};
    for (int only_threads = 1; only_threads >= 0 && f.location == NONE; only_threads--)
        for (uint32_t l = 0; l < self->defs->n_locations; l++) {
            const struct place *k = place_of(self, l);
            if (!k->started || (only_threads && !is_thread(self, l)) || (f.location != NONE && k->last <= f.time))
                continue;
            f = (struct finish){.location = l, .node = k->path, .time = k->last};
        }
    return f;
}

static int by_key(const void *a, const void *b)
{
    return TCF_ORDER(((const struct entry *)a)->key, ((const struct entry *)b)->key);
}

/* Collects the entries of all nodes of the path. Call paths with the same names become one. */
static tcf_status collect_path(struct work *w)
{
    const struct tree *tree = &state_of(w->self)->tree;
    for (uint32_t n = w->finish.node; n != NONE; n = tree->node[n].parent)
        w->parts_capacity += tree->node[n].n;
    w->part = malloc((w->parts_capacity + 1u) * sizeof *w->part);
    if (!w->part)
        return w->self->host->fail(w->self, "out of memory for the critical path");
    for (uint32_t n = w->finish.node; n != NONE; n = tree->node[n].parent) {
        for (uint32_t i = 0; i < tree->node[n].n; i++) {
            struct entry e = tree->entry[tree->node[n].first + i];
            if (e.key & IS_PLACE) {
                w->part[w->n_parts++] = e;
                continue;
            }
            const uint32_t same = w->names.same[(uint32_t)e.key];
            w->share[same].on_path += e.ticks;
            w->length += e.ticks;
            e.key = (e.key >> 32 << 32) | w->names.place[same];
            w->part[w->n_parts++] = e;
        }
        w->finish.jumps += tree->node[n].jumps;
    }
    tcf_sort(w->part, w->n_parts, sizeof *w->part, by_key);
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n_parts; i++)
        if (n > 0 && w->part[n - 1].key == w->part[i].key)
            w->part[n - 1].ticks += w->part[i].ticks;
        else if (w->part[i].ticks > 0)
            w->part[n++] = w->part[i];
    w->n_parts = 0;
    while (w->n_parts < n && !(w->part[w->n_parts].key & IS_PLACE))
        w->n_parts++;
    w->n_places = n - w->n_parts;
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

/* Finds what a thread did in each call path, without waits. */
static void find_busy(const struct work *w, uint32_t location)
{
    const struct place *k = place_of(w->self, location);
    memset(w->busy, 0, w->names.n * sizeof *w->busy);
    for (uint32_t n = 0; n < w->names.n; n++) {
        const struct cell *c = cell_at(k, n);
        if (!c)
            continue;
        const uint64_t total = c->total - (n == 0 ? k->outside : 0);
        w->busy[w->names.same[n]] += tcf_time_since(c->waited, total);
    }
}

/* Adds a thread's share in the costs of the imbalance: the time that the thread had to spare over the whole path is
 * distributed over the call paths in which it was shorter than the path; `inter` over those that it was never in. */
static void add_thread(struct work *w)
{
    tcf_ticks_total own = 0, shorter = 0, own_or_path = 0, absent = 0;
    for (uint32_t i = 0; i < w->names.n_order; i++) {
        const uint32_t n = w->names.order[i];
        const uint64_t path = w->share[n].on_path, busy = w->busy[n];
        own += busy;
        shorter += tcf_time_since(busy, path);
        own_or_path += busy > 0 ? max_u64(path, busy) : 0;
        absent += busy > 0 ? 0 : path;
    }
    for (uint32_t n = 0; n < w->names.n; n++) {
        struct share *s = &w->share[n];
        const uint64_t path = s->on_path, busy = w->busy[n];
        s->busy += busy;
        s->activity += min_u64(path, busy);
        if (shorter > 0)
            s->intra_and_inter += (double)tcf_time_since(busy, path) * (double)(w->length - own) / (double)shorter;
        if (absent > 0 && busy == 0)
            s->inter += (double)path * (double)(w->length - own_or_path) / (double)absent;
    }
}

static double above_zero(double x)
{
    return x > 0 ? x : 0;
}

/* The rest of `busy`. */
static double other_of(const struct share *s)
{
    return (double)(s->busy - s->activity);
}

static double imbalance_of(const struct work *w, const struct share *s)
{
    const uint32_t n = w->n_threads > 0 ? w->n_threads : 1;
    return above_zero((double)((tcf_ticks_total)s->on_path * n - s->busy) / n);
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

static void report_path(const struct work *w)
{
    static const tcf_table_column columns_of_path[] =
        {{"length", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s", "Of the critical path"},
         {"from", AT(from) | TCF_CELL_DETAIL, "ticks", "begin as a timestamp"},
         {"to", AT(to) | TCF_CELL_DETAIL, "ticks", "end as a timestamp"},
         {"last_location", AT(location), NULL, "Id of the location on which it ends"},
         {"changes", AT(changes) | TCF_CELL_FOLLOWS, NULL, "How often it changes the location"},
         {"ticks", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "length in ticks"},
         {"begin", AT(from) | TCF_CELL_WHEN, "s",
          "Where it begins, since the start of the trace: its location enters MPI_Init, or the location's begin"},
         {"end", AT(to) | TCF_CELL_WHEN, "s",
          "Where it ends, in the same way: the last process enters MPI_Finalize, or the last event"}};
    const struct finish *f = &w->finish;
    tcf_table *t = TCF_TABLE(w->self, "path", "The critical path", columns_of_path);
    if (f->location != NONE)
        tcf_row(w->self, t,
                &(row){.on_path = w->length,
                       .from = f->time - w->length,
                       .to = f->time,
                       .location = tcf_location_at(w->self->defs, f->location)->id,
                       .changes = f->jumps});
}

/* Sums, with Scalasca's names. */
static void report_totals(const struct work *w)
{
    static const tcf_table_column columns_of_totals[] =
        {{"title", AT(title), NULL, "What it is called"},
         {"time", AT(time) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s", "Sum over all call paths"},
         {"metric", AT(metric), NULL, "Its name, the one that Scalasca has for it"},
         {"ticks", AT(time) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"help", AT(help) | TCF_CELL_DETAIL, NULL, "What is meant"}};
    static const char *const text[][3] =
        {{"Critical path", "critical_path", "Time of call paths on the critical path"},
         {"Imbalance on it", "critical_path_imbalance", "What call paths take there beyond the average of all threads"},
         {"Activity impact", "critical_path_activities",
          "Time of all threads in the calls of the path, for each at most as "
          "long as the path is in them"},
         {"Imbalance impact", "critical_imbalance_impact",
          "Time that all threads waited, laid to the calls on the path in which "
          "they were shorter than the path"},
         {"  Intra-partition", "intra_partition_imbalance", "Of that, among threads that do the same calls"},
         {"  Inter-partition", "inter_partition_imbalance", "Of that, among threads that do other calls"},
         {"Other activities", "non_critical_path_activities",
          "Time of all threads beyond what the path is in the same calls"}};
    tcf_ticks_total on_path = 0, activity = 0, busy = 0;
    double sum[TCF_COUNT(text)] = {0};
    for (uint32_t i = 0; i < w->names.n_order; i++) {
        const struct share *s = &w->share[w->names.order[i]];
        on_path += s->on_path;
        activity += s->activity;
        busy += s->busy;
        sum[1] += s->on_path > 0 ? imbalance_of(w, s) : 0;
        sum[3] += above_zero(s->intra_and_inter);
        sum[5] += above_zero(s->inter);
    }
    sum[0] = (double)on_path;
    sum[2] = (double)activity;
    sum[4] = sum[3] - sum[5];
    sum[6] = (double)(busy - activity);
    tcf_table *t = TCF_TABLE(w->self, "totals", "What it costs", columns_of_totals);
    for (uint32_t i = 0; i < TCF_COUNT(text); i++)
        tcf_row(w->self, t, &(row){.title = text[i][0], .time = sum[i], .metric = text[i][1], .help = text[i][2]});
}

/* In percent, to two decimals. */
static double percent(double part, double whole)
{
    return whole > 0 ? 1e-2 * (double)(int64_t)(1e4 * part / whole + 0.5) : 0;
}

static void path_row(struct work *w, tcf_table *t, uint32_t n)
{
    const struct share *s = &w->share[n];
    tcf_row(w->self, t,
            &(row){.on_path = s->on_path,
                   .share = percent((double)s->on_path, (double)w->length),
                   .imbalance = s->on_path > 0 ? imbalance_of(w, s) : 0,
                   .activity = (double)s->activity,
                   .both = above_zero(s->intra_and_inter),
                   .inter = above_zero(s->inter),
                   .other = other_of(s),
                   .call_path = path_text(&w->names, n)});
}

/* Order of rows: the largest share of the path first, then the most other time, then by names. */
struct rank {
    uint64_t on_path;
    double other;
    uint32_t place;
};

static int by_share(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->on_path, x->on_path), TCF_ORDER(y->other, x->other), TCF_ORDER(x->place, y->place));
}

static tcf_status report_callpaths(struct work *w)
{
    static const tcf_table_column columns_of_callpaths[] = {
        {"time", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "On the critical path"},
        {"share", AT(share) | TCF_CELL_FOLLOWS, "%", "Of the critical path, to two decimals"},
        {"imbalance", AT(imbalance) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s",
         "Of time, what is more than the average of all threads"},
        {"activity", AT(activity) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s",
         "Time of all threads in it, for each at most as long as the path is in it"},
        {"imbalance_impact", AT(both) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s",
         "Time that all threads waited because the path was longer in it than they"},
        {"inter_partition", AT(inter) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s",
         "Of that, of threads that never were in it"},
        {"other", AT(other) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS, "s",
         "Time of all threads in it beyond that of the path"},
        {"ticks", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "time in ticks"},
        {"imbalance_ticks", AT(imbalance) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "imbalance in ticks"},
        {"activity_ticks", AT(activity) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "activity in ticks"},
        {"imbalance_impact_ticks", AT(both) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "imbalance_impact in ticks"},
        {"inter_partition_ticks", AT(inter) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "inter_partition in ticks"},
        {"other_ticks", AT(other) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "other in ticks"},
        {"call_path", AT(call_path), NULL, "Empty: outside of any call"}};
    const struct conf *conf = w->self->conf;
    struct rank *rank = malloc((w->names.n + 1u) * sizeof *rank);
    tcf_table *t = TCF_TABLE(w->self, "callpaths", "The critical path by call path", columns_of_callpaths);
    uint32_t rows = 0;
    for (uint32_t i = 0; rank && i < w->names.n_order; i++) {
        const struct share *s = &w->share[w->names.order[i]];
        if (s->on_path > 0 || (conf->all && s->busy > 0))
            rank[rows++] = (struct rank){s->on_path, other_of(s), i};
    }
    tcf_sort(rank, rows, sizeof *rank, by_share);
    for (uint32_t i = 0; rank && i < rows && (conf->top == 0 || i < conf->top); i++)
        path_row(w, t, w->names.order[rank[i].place]);
    free(rank);
    return rank ? TCF_OK : w->self->host->fail(w->self, "out of memory for %u call paths", w->names.n);
}

static void report_locations(struct work *w)
{
    static const tcf_table_column columns_of_locations[] =
        {{"location", AT(location), NULL, "Id of the location"},
         {"time", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "On the critical path"},
         {"share", AT(share) | TCF_CELL_FOLLOWS, "%", "Of the critical path, to two decimals"},
         {"ticks", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"call_path", AT(call_path), NULL, "Empty: outside of any call"}};
    tcf_table *t = TCF_TABLE(w->self, "locations", "The critical path by location", columns_of_locations);
    for (const struct entry *e = w->part; e < w->part + w->n_parts; e++)
        tcf_row(w->self, t,
                &(row){.location = tcf_location_at(w->self->defs, (uint32_t)(e->key >> 32))->id,
                       .on_path = e->ticks,
                       .share = percent((double)e->ticks, (double)w->length),
                       .call_path = path_text(&w->names, w->names.order[(uint32_t)e->key])});
}

static void report_over_time(const struct work *w)
{
    static const tcf_table_column columns_of_bins[] =
        {{"from", AT(from) | TCF_CELL_WHEN, "s", "Begin of the bin, since the start of the trace"},
         {"width", AT(width) | TCF_CELL_SECONDS, "s", "Its width"},
         {"location", AT(location), NULL, "Id of the location"},
         {"time", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
          "How long the critical path is on the location within the bin"},
         {"from_ticks", AT(from) | TCF_CELL_DETAIL, "ticks", "from as a timestamp"},
         {"width_ticks", AT(width) | TCF_CELL_DETAIL, "ticks", "width in ticks"},
         {"ticks", AT(on_path) | TCF_CELL_FOLLOWS | TCF_CELL_DETAIL, "ticks", "time in ticks"}};
    const time_bins *bins = &state_of(w->self)->tree.bins;
    tcf_table *t = TCF_TABLE(w->self, "over_time", "The critical path over time", columns_of_bins);
    for (const struct entry *e = w->part + w->n_parts; e < w->part + w->n_parts + w->n_places; e++)
        tcf_row(w->self, t,
                &(row){.from = bins->origin + (uint64_t)time_bins_start(bins, (uint32_t)(e->key >> 32 & INT32_MAX)),
                       .width = UINT64_C(1) << bins->level,
                       .location = tcf_location_at(w->self->defs, (uint32_t)e->key)->id,
                       .on_path = e->ticks});
}

static void report_clocks(const struct work *w)
{
    const struct state *st = state_of(w->self);
    const uint64_t reversed =
        report_relations(w->self,
                         "Those that came before what they wait for: clocks are not right, the path does not follow",
                         st->edges, st->reversed);
    if (reversed > 0)
        w->self->host
            ->log(w->self, TCF_LOG_WARNING,
                  "clocks are not right: %" PRIu64 " of %" PRIu64
                  " receives, ends and the like came before what they wait for; the path does not follow these, and "
                  "others may mislead it. Correct the clocks before: presync, clc_forward",
                  reversed, st->edges[MESSAGES] + st->edges[COLLECTIVES] + st->edges[THREADS]);
}

static void report_limits(const struct work *w)
{
    const struct state *st = state_of(w->self);
    const struct limit rows[] =
        {{"max_open",
          "messages and members of operations were let go when max_open were followed: the path may go on where it "
          "should have left",
          st->open.let_go, 1},
         {"max_kept", "of them were let go because max_kept times of call paths were kept: the same",
          st->open.let_go_for_room, 1},
         {"not_followed", "receives and ends found what they waited for let go", st->open.not_followed, 0}};
    w->self->host->log(w->self, TCF_LOG_DEBUG, "at most %u paths and %" PRIu64 " times of call paths were kept",
                       st->tree.n_nodes, st->tree.most_entries);
    report_limit_rows(w->self, rows, TCF_COUNT(rows), " reached");
}

static tcf_status make_tables(struct work *w)
{
    report_path(w);
    report_totals(w);
    if (report_callpaths(w) != TCF_OK)
        return TCF_ERROR;
    if (((const struct conf *)w->self->conf)->by_location)
        report_locations(w);
    if (((const struct conf *)w->self->conf)->bins > 0)
        report_over_time(w);
    report_clocks(w);
    report_limits(w);
    return TCF_OK;
}

tcf_status report(tcf_self *self)
{
    struct work w = {.self = self, .finish = find_finish(self)};
    if (paths_begin(&w.names, self) != TCF_OK)
        return TCF_ERROR;
    w.share = calloc(w.names.n + 1u, sizeof *w.share);
    w.busy = calloc(w.names.n + 1u, sizeof *w.busy);
    tcf_status status =
        w.share && w.busy ? collect_path(&w) : self->host->fail(self, "out of memory for %u call paths", w.names.n);
    for (uint32_t l = 0; l < self->defs->n_locations && status == TCF_OK; l++)
        if (is_thread(self, l)) {
            w.n_threads++;
            find_busy(&w, l);
            add_thread(&w);
        }
    if (status == TCF_OK)
        status = make_tables(&w);
    if (status == TCF_OK && w.names.out_of_memory)
        status = self->host->fail(self, "out of memory for the names of call paths");
    free(w.share);
    free(w.busy);
    free(w.part);
    paths_free(&w.names);
    return status;
}
