/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: patterns, call paths, worst instances, order of clocks. */
#include "wait_states.h"

#include "../shared/limits/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>

typedef struct work {
    tcf_self *self;
    tcf_ticks_total inclusive[WAIT_PATTERNS]; /* rows of time hold their own time until sum_up() */
    uint64_t count[WAIT_PATTERNS], reversed[WAIT_PATTERNS];
    struct paths paths;
} work;

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *title, *pattern, *parent, *call_path, *process, *cause, *cause_process, *cause_path;
    uint64_t location, count, longest, reversed, cause_time;
    double time, share;
    wait_pattern_row of;
    struct severity sum;
    wait wait;
} row;

#define AT(member) TCF_AT(row, member)

/* ------------------------------------------------------------------------------------------------------ patterns -- */

/* Adds the exclusive times and visits of a location, by kind of region. */
static void add_location(work *w, const struct place *p)
{
    const struct state *st = w->self->state;
    for (uint32_t n = 0; n < w->paths.n; n++) {
        const struct cell *cell = path_cell_at(&p->cells, n, sizeof *cell);
        if (!cell)
            continue;
        const uint8_t of_path = waits_kind_of(st->use.waits, n), kind = of_path ? of_path : (uint8_t)WAIT_COMPUTATION;
        w->inclusive[kind] += cell->exclusive;
        w->count[kind] += cell->visits;
    }
}

/* Adds to each row what the rows below it have. */
static void sum_up(work *w)
{
    const struct state *st = w->self->state;
    for (uint32_t l = 0; l < w->self->defs->n_locations; l++)
        add_location(w, tcf_location_state(w->self, l));
    for (uint32_t i = 0; i < WAIT_TIMES; i++) {
        const tcf_ticks_total time = w->inclusive[i] + st->moved[i];
        w->inclusive[i] = time > 0 ? time : 0;
        w->count[i] += st->visits_beyond[i];
    }
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        w->inclusive[i] = st->total[i].sum;
        w->count[i] = st->total[i].count;
        w->reversed[i] = st->total[i].reversed;
    }
    const uint32_t wrong[] = {WAIT_LSWO_DIFFERENT, WAIT_LSWO_SAME};
    for (uint32_t i = 0; i < TCF_COUNT(wrong); i++) {
        w->inclusive[WAIT_LATE_SENDER_WO] += w->inclusive[wrong[i]];
        w->count[WAIT_LATE_SENDER_WO] += w->count[wrong[i]];
        w->reversed[WAIT_LATE_SENDER_WO] += w->reversed[wrong[i]];
    }
    for (uint32_t i = WAIT_TIMES; i-- > 1;) { /* parents stand above their children */
        w->inclusive[wait_patterns[i].parent] += w->inclusive[i];
        w->count[wait_patterns[i].parent] += w->count[i];
    }
    w->inclusive[WAIT_TIME] += w->inclusive[WAIT_IDLE_THREADS];
}

static uint32_t depth_of(uint32_t pattern)
{
    uint32_t depth = 0;
    for (; pattern != WAIT_TIME; pattern = wait_patterns[pattern].parent)
        depth++;
    return depth;
}

static void pattern_row(work *w, tcf_table *t, uint32_t i)
{
    const struct state *st = w->self->state;
    const double time = (double)w->inclusive[i], whole = (double)w->inclusive[WAIT_TIME];
    char title[128];
    snprintf(title, sizeof title, "%*s%s", (int)(2 * depth_of(i)), "", wait_patterns[i].title);
    tcf_row(w->self, t,
            &(row){.title = title,
                   .time = time,
                   .share = whole > 0 ? 1e-2 * (double)(int64_t)(1e4 * time / whole + 0.5) : 0,
                   .count = w->count[i],
                   .longest = st->total[i].longest,
                   .reversed = w->reversed[i],
                   .parent = wait_patterns[wait_patterns[i].parent].name,
                   .of = wait_patterns[i]});
}

/* Writes the tree, depth first. */
static void pattern_rows(work *w, tcf_table *t, uint32_t parent)
{
    const struct conf *conf = w->self->conf;
    const int all = conf->all && !tcf_is_unknown(w->self->defs, TCF_UNKNOWN_MESSAGES); /* else zeros say nothing */
    for (uint32_t i = 1; i < WAIT_PATTERNS; i++)
        if (wait_patterns[i].parent == parent && (all || w->count[i] > 0 || w->inclusive[i] > 0)) {
            pattern_row(w, t, i);
            pattern_rows(w, t, i);
        }
}

static void report_patterns(work *w)
{
    static const tcf_table_column columns[] =
        {{"title", AT(title), NULL, "What it is called, moved to the right below what it is a part of"},
         {"time", AT(time) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Sum over all locations, with what stands below"},
         {"share", AT(share), "%", "Of all time, to two decimals"},
         {"count", AT(count), NULL, "Instances; of rows that are no waits visits of their regions"},
         {"longest", AT(longest) | TCF_CELL_SECONDS, "s", "The longest instance"},
         {"reversed", AT(reversed), NULL, "Instances in which the clock condition is violated: they were cut"},
         {"pattern", AT(of.name), NULL, "Its name, where Scalasca has it the one there"},
         {"parent", AT(parent) | TCF_CELL_DETAIL, NULL, "What it is a part of"},
         {"unit", AT(of.unit) | TCF_CELL_DETAIL, NULL, "Of time and longest"},
         {"ticks", AT(time) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"help", AT(of.help) | TCF_CELL_DETAIL, NULL, "What is counted"}};
    tcf_table *t = TCF_TABLE(w->self, "patterns",
                             "Times and wait states, sums over all locations (longest: a single one)", columns);
    pattern_row(w, t, WAIT_TIME);
    pattern_rows(w, t, WAIT_TIME);
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

static int by_sum(const void *a, const void *b)
{
    const struct severity *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->of.pattern, y->of.pattern), TCF_ORDER(y->sum, x->sum),
                     TCF_ORDER(x->of.location, y->of.location), TCF_ORDER(x->order, y->order));
}

static void path_row(struct paths *paths, tcf_table *t, const void *sum)
{
    const struct severity *s = sum;
    tcf_row(paths->self, t,
            &(row){.pattern = wait_patterns[s->of.pattern].name,
                   .location = tcf_id(paths->self->defs, TCF_REF_LOCATION, s->of.location, UINT64_MAX),
                   .sum = *s,
                   .call_path = path_text(paths, s->of.callpath)});
}

static void report_paths(work *w, int by_location)
{
    static const tcf_table_column columns[] = {
        {"pattern", AT(pattern), NULL, "Name of the pattern"},
        {"location", AT(location), NULL, "Id of the location that waited"},
        {"time", AT(sum.sum) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Sum of the waits"},
        {"count", AT(sum.count), NULL, "Instances"},
        {"longest", AT(sum.longest) | TCF_CELL_SECONDS, "s", "The longest one"},
        {"reversed", AT(sum.reversed), NULL, "Instances in which the clock condition is violated"},
        {"ticks", AT(sum.sum) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
        {"call_path", AT(call_path), NULL, "The call that waited, and what called it"},
    };
    static const struct sum_tables tables =
        {{"callpaths", "Wait states by call path, sums over all locations (longest: a single one)"},
         {"locations", "Wait states by call path and location (time: sums; longest: a single one)"},
         columns,
         TCF_COUNT(columns),
         sizeof(struct severity),
         by_sum,
         add_severities,
         path_row};
    struct state *st = w->self->state;
    for (uint32_t i = 0; i < st->n_severities; i++)
        st->severities[i].order = w->paths.place[st->severities[i].of.callpath];
    sums_report(&tables, &w->paths, st->severities, st->n_severities, ((const struct conf *)w->self->conf)->top,
                by_location);
}

/* ----------------------------------------------------------------------------------------------------- instances -- */

static void instance_row(work *w, tcf_table *t, const wait *x)
{
    const tcf_definitions *defs = w->self->defs;
    const int has_cause = x->cause_location != TCF_NONE;
    char *cause_path = strdup(path_text(&w->paths, x->cause_callpath)), cause[24] = "";
    w->paths.out_of_memory |= !cause_path;
    if (has_cause)
        snprintf(cause, sizeof cause, "%" PRIu64, tcf_location_at(defs, x->cause_location)->id);
    tcf_row(w->self, t,
            &(row){.wait = *x,
                   .pattern = wait_patterns[x->pattern].name,
                   .location = tcf_location_at(defs, x->location)->id,
                   .cause = cause,
                   .cause_time = has_cause ? x->cause_time : 0,
                   .process = tcf_process_name(defs, x->location, ""),
                   .cause_process = tcf_process_name(defs, x->cause_location, ""),
                   .call_path = path_text(&w->paths, x->callpath),
                   .cause_path = cause_path});
    free(cause_path);
}

static void report_instances(work *w)
{
    static const tcf_table_column columns[] =
        {{"pattern", AT(pattern), NULL, "Name of the pattern"},
         {"time", AT(wait.length) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "How long it waited"},
         {"location", AT(location), NULL, "Id of the location that waited"},
         {"from", AT(wait.from) | TCF_CELL_DETAIL, "ticks",
          "Since when, by the times of the trace at this place of the chain"},
         {"ticks", AT(wait.length) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"cause", AT(cause), NULL, "Id of the location that it waited for"},
         {"cause_time", AT(cause_time) | TCF_CELL_DETAIL, "ticks",
          "When that one entered its call, released the lock, or was first through"},
         {"reversed", AT(wait.reversed) | TCF_CELL_DETAIL, NULL, "1: the clock condition is violated"},
         {"process", AT(process), NULL, "Name of the location group that waited"},
         {"begin", AT(wait.from) | TCF_CELL_WHEN, "s", "Since when, since the start of the trace"},
         {"cause_process", AT(cause_process), NULL, "Name of the location group that it waited for"},
         {"call_path", AT(call_path), NULL, "The call that waited"},
         {"cause_path", AT(cause_path), NULL, "The call that it waited for"}};
    const struct state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "instances", "The longest single waits", columns);
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        tcf_sort(st->worst[i], st->n_worst[i], sizeof(wait), longest_first);
        for (uint32_t k = 0; k < st->n_worst[i]; k++)
            instance_row(w, t, &st->worst[i][k]);
    }
}

/* -------------------------------------------------------------------------------------------------------- counts -- */

static void report_counts(work *w)
{
    static const tcf_table_column columns[] = {
        {"title", AT(of.title), NULL, "What is counted"},
        {"count", AT(count), NULL, "In units of its own"},
        {"unit", AT(of.unit), NULL, "occ: occurrences"},
        {"name", AT(of.name), NULL, "Its name, the one of Scalasca"},
        {"help", AT(of.help) | TCF_CELL_DETAIL, NULL, "What is counted"},
    };
    const tcf_definitions *defs = w->self->defs;
    const int all = ((const struct conf *)w->self->conf)->all && !tcf_is_unknown(defs, TCF_UNKNOWN_MESSAGES) &&
                    !tcf_is_unknown(defs, TCF_UNKNOWN_SIZES) && !tcf_is_unknown(defs, TCF_UNKNOWN_SOME_SIZES);
    const uint64_t *of = ((const struct state *)w->self->state)->use.waits->counts.of;
    tcf_table *t = TCF_TABLE(w->self, "counts", "Communication", columns);
    for (int i = 0; i < WAITS_COUNTS; i++)
        if (all || of[i] > 0)
            tcf_row(w->self, t, &(row){.of = wait_count_rows[i], .count = of[i]});
}

/* -------------------------------------------------------------------------------------------------------- clocks -- */

static void report_clocks(work *w)
{
    const waits_counts *n = &((const struct state *)w->self->state)->use.waits->counts;
    report_relations(w->self, "Those that came before what they wait for: clocks are not right", n->edges, n->reversed);
}

/* What is left out or cut short: rows for programs, warnings for people. */
static void report_limits(work *w)
{
    const struct state *st = w->self->state;
    const waits_counts *n = &st->use.waits->counts;
    const struct limit rows[] = {
        {"max_open", "messages and requests were let go: late receivers and non-blocking operations may be missing",
         n->let_go, 1},
        {"max_undecided", "late senders were taken for in order before that was certain", n->decided_early, 1},
        {"max_severities", "waits are counted by their pattern alone", st->without_place, 1},
        {"depth", "calls were nested too deeply and are not counted", n->too_deep, 1},
        {"no_partner", "receives have no send in the trace, and are not counted", n->no_partner, 0},
        {"no_call", "receives stand outside of any call, and no wait is counted for them", n->no_call, 0},
    };
    report_limit_rows(w->self, rows, TCF_COUNT(rows), " reached");
}

static void warn_of_clocks(const work *w)
{
    const struct state *st = w->self->state;
    const waits_counts *n = &st->use.waits->counts;
    uint64_t reversed = 0, cut = 0;
    for (int i = 0; i < WAITS_EDGES; i++)
        reversed += n->reversed[i];
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++)
        cut += st->total[i].reversed;
    if (reversed > 0)
        w->self->host->log(w->self, TCF_LOG_WARNING,
                           "clocks are not right: %" PRIu64
                           " receives, ends and the like came before what they wait for, which "
                           "affects %" PRIu64 " waits; correct them before (presync, clc_forward, clc_backward)",
                           reversed, cut);
}

tcf_status report(tcf_self *self)
{
    const struct conf *conf = self->conf;
    work w = {.self = self};
    if (waits_know_paths(self) != TCF_OK || paths_begin(&w.paths, self) != TCF_OK)
        return TCF_ERROR;
    sum_up(&w);
    report_patterns(&w);
    report_counts(&w);
    report_instances(&w);
    report_clocks(&w);
    report_limits(&w);
    if (conf->by_location)
        report_paths(&w, 1);
    report_paths(&w, 0);
    paths_free(&w.paths);
    if (w.paths.out_of_memory)
        return self->host->fail(self, "out of memory for the tables of results");
    warn_of_clocks(&w);
    return TCF_OK;
}
