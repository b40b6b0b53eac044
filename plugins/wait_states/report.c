/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: patterns, call paths, worst instances, order of clocks. */
#include "wait_states.h"

#include "../shared/limits/limits.h"
#include "../shared/waits/places.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    tcf_self *self;
    double inclusive[WAIT_PATTERNS]; /* ticks; rows of time hold their own time until sum_up() */
    uint64_t count[WAIT_PATTERNS], reversed[WAIT_PATTERNS];
    struct paths paths;
    int out_of_memory;
} work;

/* ------------------------------------------------------------------------------------------------------ patterns -- */

/* Adds the exclusive times and visits of a location, by kind of region. */
static void add_location(work *w, const struct place *p)
{
    const struct state *st = w->self->state;
    for (uint32_t n = 0; n < w->paths.n; n++) {
        const struct cell *cell = path_cell_at(&p->cells, n, sizeof *cell);
        if (!cell)
            continue;
        uint32_t region = w->paths.nodes[n].region;
        uint32_t kind = region < w->self->defs->n_regions ? st->waits.kind_of_region[region] : WAIT_COMPUTATION;
        w->inclusive[kind] += (double)cell->exclusive;
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
        double time = w->inclusive[i] + (double)st->beyond[i].exclusive + (double)st->moved[i];
        w->inclusive[i] = time > 0 ? time : 0;
        w->count[i] += st->beyond[i].visits;
    }
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        w->inclusive[i] = (double)st->total[i].sum;
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
    const wait_pattern_row *p = &wait_patterns[i];
    const double whole = w->inclusive[WAIT_TIME];
    const uint32_t depth = depth_of(i);
    char title[128];
    snprintf(title, sizeof title, "%*s%s", (int)(2 * depth), "", p->title);
    const tcf_cell cells[] = {tcf_text(title),
                              tcf_seconds(w->self, w->inclusive[i]),
                              tcf_double(whole > 0 ? 1e-2 * (double)(int64_t)(1e4 * w->inclusive[i] / whole + 0.5) : 0),
                              tcf_uint(w->count[i]),
                              tcf_seconds(w->self, (double)st->total[i].longest),
                              tcf_uint(w->reversed[i]),
                              tcf_text(p->name),
                              tcf_text(wait_patterns[p->parent].name),
                              tcf_text(p->unit),
                              tcf_double(w->inclusive[i]),
                              tcf_text(p->help)};
    w->self->host->row(t, cells);
}

/* Writes the tree, depth first. */
static void pattern_rows(work *w, tcf_table *t, uint32_t parent)
{
    const struct conf *conf = w->self->conf;
    for (uint32_t i = 1; i < WAIT_PATTERNS; i++)
        if (wait_patterns[i].parent == parent && (conf->all || w->count[i] > 0)) {
            pattern_row(w, t, i);
            pattern_rows(w, t, i);
        }
}

static tcf_status report_patterns(work *w)
{
    static const tcf_table_column columns[] =
        {{"title", TCF_CELL_TEXT, NULL, "What it is called, moved to the right below what it is a part of"},
         {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Sum over all locations, with what stands below"},
         {"share", TCF_CELL_DOUBLE, "%", "Of all time, to two decimals"},
         {"count", TCF_CELL_UINT, NULL, "Instances; of rows that are no waits visits of their regions"},
         {"longest", TCF_CELL_DOUBLE, "s", "The longest instance"},
         {"reversed", TCF_CELL_UINT, NULL, "Instances in which the clock condition is violated: they were cut"},
         {"pattern", TCF_CELL_TEXT, NULL, "Its name, where Scalasca has it the one there"},
         {"parent", TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, "What it is a part of"},
         {"unit", TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, "Of time and longest"},
         {"ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As time"},
         {"help", TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, "What is counted"}};
    tcf_table *t = w->self->host->table(w->self, "patterns", "Times and wait states", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    pattern_row(w, t, WAIT_TIME);
    pattern_rows(w, t, WAIT_TIME);
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- call paths -- */

/* A table of severities, for each location or for all together. */
typedef struct sum_table {
    work *work;
    tcf_table *table;
    int of_location;
} sum_table;

static int by_sum(const void *a, const void *b)
{
    const struct severity *x = a, *y = b;
    if (x->of.pattern != y->of.pattern)
        return x->of.pattern < y->of.pattern ? -1 : 1;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    if (x->of.location != y->of.location)
        return x->of.location < y->of.location ? -1 : 1;
    return x->of.callpath < y->of.callpath ? -1 : x->of.callpath > y->of.callpath;
}

static void path_row(void *data, const void *sum)
{
    const sum_table *r = data;
    const struct severity *s = sum;
    tcf_self *self = r->work->self;
    tcf_cell cells[9];
    uint32_t n = 0;
    cells[n++] = tcf_text(wait_patterns[s->of.pattern].name);
    if (r->of_location)
        cells[n++] = tcf_uint(location_id(self, s->of.location));
    cells[n++] = tcf_seconds(self, (double)s->sum);
    cells[n++] = tcf_uint(s->count);
    cells[n++] = tcf_seconds(self, (double)s->longest);
    cells[n++] = tcf_uint(s->reversed);
    cells[n++] = tcf_uint(s->sum);
    cells[n++] = tcf_text(path_text(&r->work->paths, s->of.callpath));
    self->host->row(r->table, cells);
}

#define SEVERITY_COLUMNS                                                                                               \
    {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Sum of the waits"}, {"count", TCF_CELL_UINT, NULL, "Instances"},  \
        {"longest", TCF_CELL_DOUBLE, "s", "The longest one"},                                                          \
        {"reversed", TCF_CELL_UINT, NULL, "Instances in which the clock condition is violated"},                       \
        {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As time"},                                                \
    {                                                                                                                  \
        "call_path", TCF_CELL_TEXT, NULL, "The call that waited, and what called it"                                   \
    }

static void path_rows(work *w, tcf_table *t, struct severity *s, uint32_t n, int of_location)
{
    sum_table r = {w, t, of_location};
    if (n > 0)
        qsort(s, n, sizeof *s, by_sum);
    sums_rows(s, n, sizeof *s, (uint64_t)((const struct conf *)w->self->conf)->top, path_row, &r);
}

static void add_severities(void *to, const void *from)
{
    struct severity *x = to;
    const struct severity *y = from;
    x->sum += y->sum;
    x->count += y->count;
    x->longest = y->longest > x->longest ? y->longest : x->longest;
    x->reversed += y->reversed;
}

static tcf_status report_locations(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern"},
                                               {"location", TCF_CELL_UINT, NULL, "Id of the location that waited"},
                                               SEVERITY_COLUMNS};
    struct state *st = w->self->state;
    tcf_table *t = w->self->host->table(w->self, "locations", "Wait states by call path and location", columns,
                                        TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    path_rows(w, t, st->severities, st->n_severities, 1);
    return TCF_OK;
}

static tcf_status report_paths(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern"},
                                               SEVERITY_COLUMNS};
    struct state *st = w->self->state;
    tcf_table *t = w->self->host->table(w->self, "callpaths", "Wait states by call path", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    uint32_t n = sums_unite(st->severities, st->n_severities, sizeof *st->severities, &w->paths, add_severities);
    path_rows(w, t, st->severities, n, 0);
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- instances -- */

static int longest_first(const void *a, const void *b)
{
    return is_longer(a, b) ? -1 : is_longer(b, a);
}

static void instance_row(work *w, tcf_table *t, const wait *x)
{
    char *cause = strdup(path_text(&w->paths, x->cause_callpath));
    if (!cause)
        w->out_of_memory = 1;
    const int has_cause = x->cause_location != TCF_NONE;
    char of[24] = "";
    if (has_cause)
        snprintf(of, sizeof of, "%" PRIu64, location_id(w->self, x->cause_location));
    const tcf_cell cells[] = {tcf_text(wait_patterns[x->pattern].name),
                              tcf_seconds(w->self, (double)x->length),
                              tcf_uint(location_id(w->self, x->location)),
                              tcf_uint(x->from),
                              tcf_uint(x->length),
                              tcf_text(of),
                              tcf_uint(has_cause ? x->cause_time : 0),
                              tcf_uint(x->reversed),
                              process_name(w->self, x->location),
                              tcf_when(w->self, x->from),
                              has_cause ? process_name(w->self, x->cause_location) : tcf_text(""),
                              tcf_text(path_text(&w->paths, x->callpath)),
                              tcf_text(cause)};
    w->self->host->row(t, cells);
    free(cause);
}

static tcf_status report_instances(work *w)
{
    static const tcf_table_column columns[] =
        {{"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern"},
         {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "How long it waited"},
         {"location", TCF_CELL_UINT, NULL, "Id of the location that waited"},
         {"from", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks",
          "Since when, by the times of the trace at this place of the chain"},
         {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As time"},
         {"cause", TCF_CELL_TEXT, NULL, "Id of the location that it waited for"},
         {"cause_time", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks",
          "When that one entered its call, released the lock, or was first through"},
         {"reversed", TCF_CELL_UINT | TCF_CELL_DETAIL, NULL, "1: the clock condition is violated"},
         {"process", TCF_CELL_TEXT, NULL, "Name of the location group that waited"},
         {"begin", TCF_CELL_DOUBLE, "s", "Since when, since the start of the trace"},
         {"cause_process", TCF_CELL_TEXT, NULL, "Name of the location group that it waited for"},
         {"call_path", TCF_CELL_TEXT, NULL, "The call that waited"},
         {"cause_path", TCF_CELL_TEXT, NULL, "The call that it waited for"}};
    const struct state *st = w->self->state;
    tcf_table *t = w->self->host->table(w->self, "instances", "The longest waits", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        if (st->n_worst[i] > 0)
            qsort(st->worst[i], st->n_worst[i], sizeof(wait), longest_first);
        for (uint32_t k = 0; k < st->n_worst[i]; k++)
            instance_row(w, t, &st->worst[i][k]);
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- counts -- */

static tcf_status report_counts(work *w)
{
    static const tcf_table_column columns[] = {{"title", TCF_CELL_TEXT, NULL, "What is counted"},
                                               {"count", TCF_CELL_UINT, NULL, "In units of its own"},
                                               {"unit", TCF_CELL_TEXT, NULL, "occ: occurrences"},
                                               {"name", TCF_CELL_TEXT, NULL, "Its name, the one of Scalasca"},
                                               {"help", TCF_CELL_TEXT | TCF_CELL_DETAIL, NULL, "What is counted"}};
    const struct conf *conf = w->self->conf;
    const uint64_t *of = ((const struct state *)w->self->state)->waits.counts.of;
    tcf_table *t = w->self->host->table(w->self, "counts", "Communication", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    for (int i = 0; i < WAITS_COUNTS; i++) {
        const wait_pattern_row *p = &wait_count_rows[i];
        if (conf->all || of[i] > 0)
            w->self->host->row(t, (const tcf_cell[]){tcf_text(p->title), tcf_uint(of[i]), tcf_text(p->unit),
                                                     tcf_text(p->name), tcf_text(p->help)});
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- clocks -- */

static tcf_status report_clocks(work *w)
{
    static const char *const of[WAITS_EDGES] = {"messages", "collectives", "threads"};
    static const tcf_table_column columns[] = {{"relation", TCF_CELL_TEXT, NULL, "Between what"},
                                               {"targets", TCF_CELL_UINT, NULL,
                                                "Receives, ends and the like that wait for others"},
                                               {"reversed", TCF_CELL_UINT, NULL,
                                                "Those that came before what they wait for: clocks are not right"}};
    const waits_counts *n = &((const struct state *)w->self->state)->waits.counts;
    tcf_table *t = w->self->host->table(w->self, "clocks", "The clock condition", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    for (int i = 0; i < WAITS_EDGES; i++)
        w->self->host->row(t, (const tcf_cell[]){tcf_text(of[i]), tcf_uint(n->edges[i]), tcf_uint(n->reversed[i])});
    return TCF_OK;
}

/* What is left out or cut short: rows for programs, warnings for people. */
static tcf_status report_limits(work *w)
{
    const struct state *st = w->self->state;
    const waits_counts *n = &st->waits.counts;
    const struct limit rows[] = {
        {"max_open", "messages and requests were let go: late receivers and non-blocking operations may be missing",
         n->let_go, 1},
        {"max_undecided", "late senders were taken for in order before that was certain", n->decided_early, 1},
        {"max_severities", "waits are counted by their pattern alone", st->without_place, 1},
        {"depth", "calls were nested too deeply and are not counted", n->too_deep, 1},
        {"no_partner", "receives have no send in the trace, and count for nothing", n->no_partner, 0},
        {"no_call", "receives stand outside of any call, and wait for nothing", n->no_call, 0},
    };
    return report_limit_rows(w->self, rows, TCF_COUNT(rows), " reached");
}

static void warn_of_clocks(const work *w)
{
    const struct state *st = w->self->state;
    const waits_counts *n = &st->waits.counts;
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
    if (paths_begin(&w.paths, self) != TCF_OK)
        return TCF_ERROR;
    sum_up(&w);
    int failed = report_patterns(&w) != TCF_OK || report_counts(&w) != TCF_OK || report_instances(&w) != TCF_OK ||
                 report_clocks(&w) != TCF_OK || report_limits(&w) != TCF_OK ||
                 (conf->by_location && report_locations(&w) != TCF_OK) || report_paths(&w) != TCF_OK;
    w.out_of_memory |= w.paths.out_of_memory;
    paths_free(&w.paths);
    if (failed || w.out_of_memory)
        return self->host->fail(self, "out of memory for the tables of results");
    warn_of_clocks(&w);
    return TCF_OK;
}
