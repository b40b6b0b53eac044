/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: patterns, causes, waits, the longest waits with their chains, limits. */
#include "root_cause.h"

#include "../shared/limits/limits.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

typedef struct work {
    tcf_self *self;
    struct paths paths;
} work;

/* What rows of the tables have, each of them some of it. Ticks. */
typedef struct row {
    const char *title, *pattern, *costs, *process, *call_path;
    uint64_t location, count, time, from, unknown, wait, hop;
    double short_term, long_term, direct, indirect, passed_on, begin, length;
} row;

#define AT(member) TCF_AT(row, member)

const char *delay_name(uint32_t pattern)
{
    static const char *const names[WAIT_PATTERNS] = {
        [WAIT_LATE_SENDER] = "delay_latesender",
        [WAIT_LATE_RECEIVER] = "delay_latereceiver",
        [WAIT_BARRIER_WAIT] = "delay_barrier",
        [WAIT_WAIT_NXN] = "delay_n2n",
        [WAIT_LATE_BROADCAST] = "delay_12n",
        [WAIT_EARLY_REDUCE] = "delay_n21",
        [WAIT_OMP_EBARRIER_WAIT] = "delay_ompbarrier_explicit",
        [WAIT_OMP_IBARRIER_WAIT] = "delay_ompbarrier_implicit",
    };
    return names[pattern];
}

static double ticks(cost_sum sum)
{
    return (double)sum / (double)(1 << COST_BITS);
}

/* ------------------------------------------------------------------------------------------------------ patterns -- */

static void report_patterns(work *w)
{
    static const tcf_table_column columns[] =
        {{"title", AT(title), NULL, "What it is called"},
         {"waits", AT(count), NULL, "Instances"},
         {"time", AT(time) | TCF_CELL_SECONDS, "s", "How long they waited in all"},
         {"short_term", AT(short_term) | TCF_CELL_SECONDS, "s", "Costs of what the ones waited for did: direct waits"},
         {"long_term", AT(long_term) | TCF_CELL_SECONDS, "s",
          "Costs of what those did that the ones waited for had waited for: indirect waits with a known cause"},
         {"indirect", AT(indirect) | TCF_CELL_SECONDS, "s", "Time of waits that were handed on by earlier ones"},
         {"propagating", AT(passed_on) | TCF_CELL_SECONDS, "s", "Time of waits that was handed on to later ones"},
         {"unknown", AT(unknown) | TCF_CELL_SECONDS, "s", "Time of waits for which no cause was found"},
         {"pattern", AT(pattern), NULL, "Name of the pattern, as in wait_states"},
         {"costs", AT(costs), NULL, "Name of its costs, where Scalasca has it the one there"},
         {"ticks", AT(time) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"short_term_ticks", AT(short_term) | TCF_CELL_DETAIL, "ticks", "short_term in ticks"},
         {"long_term_ticks", AT(long_term) | TCF_CELL_DETAIL, "ticks", "long_term in ticks"}};
    const costs *c = &((const struct state *)w->self->state)->costs;
    tcf_table *t = TCF_TABLE(w->self, "patterns", "Costs of delays, sums over all waits", columns);
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        const struct pattern_sum *s = &c->of[i];
        const char *name = delay_name(i);
        if (s->count > 0)
            tcf_row(w->self, t,
                    &(row){.title = wait_patterns[i].title,
                           .count = s->count,
                           .time = s->time,
                           .short_term = ticks(s->short_term),
                           .long_term = ticks(s->long_term),
                           .indirect = ticks(s->indirect),
                           .passed_on = ticks(s->passed_on),
                           .unknown = s->unknown,
                           .pattern = wait_patterns[i].name,
                           .costs = name ? name : ""});
    }
}

/* -------------------------------------------------------------------------------------------------------- causes -- */

/* The order of sums of a pattern that are equal in size. */
static int by_place(const sum_of *x, uint32_t order, const sum_of *y, uint32_t order2)
{
    return TCF_FIRST(TCF_ORDER(x->location, y->location), TCF_ORDER(order, order2));
}

/* A row with what all sums have. */
static row row_of(struct paths *paths, const sum_of *x)
{
    return (row){.pattern = wait_patterns[x->pattern].name,
                 .location = tcf_id(paths->self->defs, TCF_REF_LOCATION, x->location, UINT64_MAX),
                 .call_path = path_text(paths, x->callpath)};
}

static int cost_by_size(const void *a, const void *b)
{
    const cost *x = a, *y = b;
    const cost_sum s = x->short_term + x->long_term, t = y->short_term + y->long_term;
    return TCF_FIRST(TCF_ORDER(x->of.pattern, y->of.pattern), TCF_ORDER(t, s),
                     by_place(&x->of, x->order, &y->of, y->order));
}

static void cost_row(struct paths *paths, tcf_table *t, const void *sum)
{
    const cost *c = sum;
    row r = row_of(paths, &c->of);
    r.short_term = ticks(c->short_term);
    r.long_term = ticks(c->long_term);
    tcf_row(paths->self, t, &r);
}

static void add_cost(void *to, const void *from)
{
    cost *x = to;
    const cost *y = from;
    x->order = y->order < x->order ? y->order : x->order;
    x->short_term += y->short_term;
    x->long_term += y->long_term;
}

static void report_causes(work *w, int by_location)
{
    static const tcf_table_column columns[] = {
        {"pattern", AT(pattern), NULL, "Name of the waits' pattern"},
        {"location", AT(location), NULL, "Id of the location that caused them"},
        {"short_term", AT(short_term) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
         "Waits for this location that come from what it did there longer than the one that waited"},
        {"long_term", AT(long_term) | TCF_CELL_SECONDS, "s", "Waits for others that had waited for it because of that"},
        {"short_term_ticks", AT(short_term) | TCF_CELL_DETAIL, "ticks", "short_term in ticks"},
        {"long_term_ticks", AT(long_term) | TCF_CELL_DETAIL, "ticks", "long_term in ticks"},
        {"call_path", AT(call_path), NULL,
         "The call that others waited for, and what called it; empty: outside of any call"},
    };
    static const struct sum_tables tables = {{"causes", "What caused waits, by call path (sums)"},
                                             {"locations", "What caused waits, by call path and location"},
                                             columns,
                                             TCF_COUNT(columns),
                                             sizeof(cost),
                                             cost_by_size,
                                             add_cost,
                                             cost_row};
    costs *c = &((struct state *)w->self->state)->costs;
    sums_report(&tables, &w->paths, c->cost, c->n_costs, ((const struct conf *)w->self->conf)->top, by_location);
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

static int wait_by_size(const void *a, const void *b)
{
    const wait_sum *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->of.pattern, y->of.pattern), TCF_ORDER(y->time, x->time),
                     by_place(&x->of, x->order, &y->of, y->order));
}

static void wait_row(struct paths *paths, tcf_table *t, const void *sum)
{
    const wait_sum *s = sum;
    row r = row_of(paths, &s->of);
    r.time = s->time;
    r.count = s->count;
    r.unknown = s->unknown;
    r.indirect = ticks(s->indirect);
    r.passed_on = ticks(s->passed_on);
    r.direct = (double)(s->time - s->unknown) - r.indirect;
    r.direct = r.direct > 0 ? r.direct : 0;
    tcf_row(paths->self, t, &r);
}

static void add_wait(void *to, const void *from)
{
    wait_sum *x = to;
    const wait_sum *y = from;
    x->order = y->order < x->order ? y->order : x->order;
    x->time = tcf_ticks_sum(x->time, y->time);
    x->count += y->count;
    x->unknown = tcf_ticks_sum(x->unknown, y->unknown);
    x->indirect += y->indirect;
    x->passed_on += y->passed_on;
}

static void report_waits(work *w, int by_location)
{
    static const tcf_table_column columns[] = {
        {"pattern", AT(pattern), NULL, "Name of the pattern"},
        {"location", AT(location), NULL, "Id of the location that waited"},
        {"time", AT(time) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "How long it waited"},
        {"count", AT(count), NULL, "Instances"},
        {"direct", AT(direct) | TCF_CELL_SECONDS, "s", "Of that, because the ones waited for did more"},
        {"indirect", AT(indirect) | TCF_CELL_SECONDS, "s",
         "Of that, because the ones waited for had waited themselves"},
        {"propagating", AT(passed_on) | TCF_CELL_SECONDS, "s", "Of that, what was handed on to waits of others"},
        {"ticks", AT(time) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
        {"indirect_ticks", AT(indirect) | TCF_CELL_DETAIL, "ticks", "indirect in ticks"},
        {"propagating_ticks", AT(passed_on) | TCF_CELL_DETAIL, "ticks", "propagating in ticks"},
        {"unknown_ticks", AT(unknown) | TCF_CELL_DETAIL, "ticks", "Of the waits without a known cause"},
        {"call_path", AT(call_path), NULL, "The call that waited, and what called it"},
    };
    static const struct sum_tables tables = {{"waits", "Direct and indirect waits, by call path (sums)"},
                                             {"wait_locations", "Direct and indirect waits, by call path and location"},
                                             columns,
                                             TCF_COUNT(columns),
                                             sizeof(wait_sum),
                                             wait_by_size,
                                             add_wait,
                                             wait_row};
    costs *c = &((struct state *)w->self->state)->costs;
    sums_report(&tables, &w->paths, c->wait, c->n_waits, ((const struct conf *)w->self->conf)->top, by_location);
}

/* -------------------------------------------------------------------------------------------------------- chains -- */

static void report_chains(work *w)
{
    static const tcf_table_column columns[] =
        {{"wait", AT(wait), NULL, "Number of the wait, the longest one first"},
         {"hop", AT(hop), NULL, "0: the wait itself; then what the one before comes from"},
         {"what", AT(pattern), NULL, "Pattern of a wait; delay: what a location did longer than the one that waited"},
         {"location", AT(location), NULL, "Id of the location"},
         {"from", AT(from) | TCF_CELL_DETAIL, "ticks",
          "When a wait began, by the times of the trace at this place of the chain; 0 for delays"},
         {"time", AT(time) | TCF_CELL_SECONDS, "s", "How much of it counts for the hop before"},
         {"ticks", AT(time) | TCF_CELL_DETAIL, "ticks", "time in ticks"},
         {"process", AT(process), NULL, "Name of the location group"},
         {"begin", AT(begin), "s", "When a wait began, since the start of the trace; none for delays"},
         {"length", AT(length), "s", "How long it was, also where less of it counts; none for delays"},
         {"call_path", AT(call_path), NULL, "The call that waited, or that was waited for"}};
    struct state *st = w->self->state;
    tcf_table *t = TCF_TABLE(w->self, "chains", "What the longest single waits come from", columns);
    tcf_sort(st->chains, st->n_chains, sizeof *st->chains, chains_compare);
    for (uint32_t i = 0; i < st->n_chains; i++)
        for (uint32_t k = 0; k < st->chains[i].n; k++) {
            const hop *h = &st->chains[i].hop[k];
            row r = row_of(&w->paths, &(sum_of){WAIT_TIME, h->location, h->callpath});
            r.pattern = h->pattern < WAIT_PATTERNS ? wait_patterns[h->pattern].name : "delay";
            r.begin = h->pattern < WAIT_PATTERNS ? tcf_when(w->self, h->from).d : (double)NAN;
            r.length = h->pattern < WAIT_PATTERNS ? tcf_seconds(w->self, (double)(h->until - h->from)).d : (double)NAN;
            r.process = tcf_process_name(w->self->defs, h->location, "");
            r.wait = i + 1;
            r.hop = k;
            r.from = h->from;
            r.time = h->time;
            tcf_row(w->self, t, &r);
        }
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static void report_limits(work *w)
{
    const struct state *st = w->self->state;
    const struct limit rows[] = {
        {"window", "waits were compared over the window alone, as the two had not met in it", st->cut, 0},
        {"fallen", "waits were compared over less than the window: one side was too far ahead", st->fallen, 1},
        {"unanswered", "waits of calls were not known a window later: what followed was judged without them",
         st->unanswered, 1},
        {"max_waiting", "waits were judged before all was known of their causes", st->forced, 1},
        {"causes", "waits had more causes than are kept: the smallest are missing from long-term costs", st->merged, 0},
        {"max_costs", "costs and waits are counted by pattern alone", st->costs.without_place, 1},
        {"max_open", "messages and requests were let go: late receivers and non-blocking operations may be missing",
         st->use.waits->counts.let_go, 1},
        {"no_difference", "waits have no cause: the one waited for did nothing longer than the one that waited",
         st->no_difference, 0},
        {"nobody", "waits have no cause in another location", st->nobody, 0},
        {"reversed", "waits end after what they waited with: no cause was sought", st->reversed, 0},
        {"cycles", "waits wait for each other, clocks are not right: judged before all was known of their causes",
         st->cycles, 1},
    };
    report_limit_rows(w->self, rows, TCF_COUNT(rows), "");
}

static void warn_of_clocks(const work *w)
{
    const struct state *st = w->self->state;
    uint64_t reversed = 0;
    for (int i = 0; i < WAITS_EDGES; i++)
        reversed += st->use.waits->counts.reversed[i];
    if (reversed > 0)
        w->self->host->log(w->self, TCF_LOG_WARNING,
                           "clocks are not right: %" PRIu64
                           " receives, ends and the like came before what they wait for, and of "
                           "%" PRIu64
                           " waits no cause was sought; correct them before (presync, clc_forward, clc_backward)",
                           reversed, st->reversed);
}

tcf_status report(tcf_self *self)
{
    const struct conf *conf = self->conf;
    work w = {.self = self};
    if (shares_hash(self) != TCF_OK || paths_begin(&w.paths, self) != TCF_OK)
        return TCF_ERROR;
    struct state *st = self->state;
    costs_list(&st->costs);
    for (uint32_t i = 0; i < st->costs.n_costs; i++)
        st->costs.cost[i].order = (uint32_t)(st->shares.hash_of[st->costs.cost[i].of.callpath] >> 32);
    for (uint32_t i = 0; i < st->costs.n_waits; i++)
        st->costs.wait[i].order = (uint32_t)(st->shares.hash_of[st->costs.wait[i].of.callpath] >> 32);
    report_patterns(&w);
    report_chains(&w);
    report_limits(&w);
    if (conf->by_location) {
        report_causes(&w, 1);
        report_waits(&w, 1);
    }
    report_causes(&w, 0);
    report_waits(&w, 0);
    paths_free(&w.paths);
    if (w.paths.out_of_memory)
        return self->host->fail(self, "out of memory for the tables of results");
    warn_of_clocks(&w);
    return TCF_OK;
}
