/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables: patterns, causes, waits, the longest waits with their chains, limits. */
#include "root_cause.h"

#include "../shared/limits/limits.h"
#include "../shared/waits/places.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    tcf_self *self;
    struct paths paths;
} work;

const char *delay_name(uint32_t pattern)
{
    switch (pattern) {
    case WAIT_LATE_SENDER:
        return "delay_latesender";
    case WAIT_LATE_RECEIVER:
        return "delay_latereceiver";
    case WAIT_BARRIER_WAIT:
        return "delay_barrier";
    case WAIT_WAIT_NXN:
        return "delay_n2n";
    case WAIT_LATE_BROADCAST:
        return "delay_12n";
    case WAIT_EARLY_REDUCE:
        return "delay_n21";
    case WAIT_OMP_EBARRIER_WAIT:
        return "delay_ompbarrier_explicit";
    case WAIT_OMP_IBARRIER_WAIT:
        return "delay_ompbarrier_implicit";
    default:
        return NULL;
    }
}

static double ticks(cost_sum sum)
{
    return (double)sum / (double)(1 << COST_BITS);
}

/* ------------------------------------------------------------------------------------------------------ patterns -- */

static tcf_status report_patterns(work *w)
{
    static const tcf_table_column columns[] =
        {{"title", TCF_CELL_TEXT, NULL, "What it is called"},
         {"waits", TCF_CELL_UINT, NULL, "Instances"},
         {"time", TCF_CELL_DOUBLE, "s", "How long they waited in all"},
         {"short_term", TCF_CELL_DOUBLE, "s", "Costs of what the ones waited for did: direct waits"},
         {"long_term", TCF_CELL_DOUBLE, "s",
          "Costs of what those did that the ones waited for had waited for: indirect waits with a known cause"},
         {"indirect", TCF_CELL_DOUBLE, "s", "Time of waits that were handed on by earlier ones"},
         {"propagating", TCF_CELL_DOUBLE, "s", "Time of waits that was handed on to later ones"},
         {"unknown", TCF_CELL_DOUBLE, "s", "Time of waits for which no cause was found"},
         {"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern, as in wait_states"},
         {"costs", TCF_CELL_TEXT, NULL, "Name of its costs, where Scalasca has it the one there"},
         {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As time"},
         {"short_term_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As short_term"},
         {"long_term_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As long_term"}};
    const costs *c = &((const struct state *)w->self->state)->costs;
    tcf_table *t = w->self->host->table(w->self, "patterns", "Costs of delays", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++) {
        const struct pattern_sum *s = &c->of[i];
        const char *name = delay_name(i);
        if (s->count == 0)
            continue;
        const tcf_cell cells[] = {tcf_text(wait_patterns[i].title),
                                  tcf_uint(s->count),
                                  tcf_seconds(w->self, (double)s->time),
                                  tcf_seconds(w->self, ticks(s->short_term)),
                                  tcf_seconds(w->self, ticks(s->long_term)),
                                  tcf_seconds(w->self, ticks(s->indirect)),
                                  tcf_seconds(w->self, ticks(s->passed_on)),
                                  tcf_seconds(w->self, (double)s->unknown),
                                  tcf_text(wait_patterns[i].name),
                                  tcf_text(name ? name : ""),
                                  tcf_uint(s->time),
                                  tcf_double(ticks(s->short_term)),
                                  tcf_double(ticks(s->long_term))};
        w->self->host->row(t, cells);
    }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- causes -- */

/* A table of sums, for each location or for all together. */
typedef struct sum_table {
    work *work;
    tcf_table *table;
    int of_location;
} sum_table;

/* The order of sums of a pattern that are equal in size. */
static int by_place(const sum_of *x, uint32_t order, const sum_of *y, uint32_t order2)
{
    if (x->location != y->location)
        return x->location < y->location ? -1 : 1;
    return order < order2 ? -1 : order > order2;
}

static int cost_by_size(const void *a, const void *b)
{
    const cost *x = a, *y = b;
    const cost_sum s = x->short_term + x->long_term, t = y->short_term + y->long_term;
    if (x->of.pattern != y->of.pattern)
        return x->of.pattern < y->of.pattern ? -1 : 1;
    return s != t ? (s > t ? -1 : 1) : by_place(&x->of, x->order, &y->of, y->order);
}

#define COST_COLUMNS                                                                                                   \
    {"short_term", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s",                                                              \
     "Waits for this location that come from what it did there longer than who waited"},                               \
        {"long_term", TCF_CELL_DOUBLE, "s", "Waits for others that had waited for it because of that"},                \
        {"short_term_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As short_term"},                             \
        {"long_term_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As long_term"},                               \
    {                                                                                                                  \
        "call_path", TCF_CELL_TEXT, NULL,                                                                              \
            "The call that others waited for, and what called it; empty: outside of any call"                          \
    }

static void cost_row(void *data, const void *sum)
{
    const sum_table *r = data;
    const cost *c = sum;
    tcf_self *self = r->work->self;
    tcf_cell cells[7];
    uint32_t k = 0;
    cells[k++] = tcf_text(wait_patterns[c->of.pattern].name);
    if (r->of_location)
        cells[k++] = tcf_uint(location_id(self, c->of.location));
    cells[k++] = tcf_seconds(self, ticks(c->short_term));
    cells[k++] = tcf_seconds(self, ticks(c->long_term));
    cells[k++] = tcf_double(ticks(c->short_term));
    cells[k++] = tcf_double(ticks(c->long_term));
    cells[k++] = tcf_text(path_text(&r->work->paths, c->of.callpath));
    self->host->row(r->table, cells);
}

static void cost_rows(work *w, tcf_table *t, cost *c, uint32_t n, int of_location)
{
    sum_table r = {w, t, of_location};
    if (n > 0)
        qsort(c, n, sizeof *c, cost_by_size);
    sums_rows(c, n, sizeof *c, (uint64_t)((const struct conf *)w->self->conf)->top, cost_row, &r);
}

static void add_cost(void *to, const void *from)
{
    cost *x = to;
    const cost *y = from;
    x->short_term += y->short_term;
    x->long_term += y->long_term;
}

static tcf_status report_cause_locations(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the waits' pattern"},
                                               {"location", TCF_CELL_UINT, NULL, "Id of the location that caused them"},
                                               COST_COLUMNS};
    costs *c = &((struct state *)w->self->state)->costs;
    tcf_table *t = w->self->host->table(w->self, "locations", "What caused waits, by call path and location", columns,
                                        TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    cost_rows(w, t, c->cost, c->n_costs, 1);
    return TCF_OK;
}

static tcf_status report_causes(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the waits' pattern"},
                                               COST_COLUMNS};
    costs *c = &((struct state *)w->self->state)->costs;
    tcf_table *t =
        w->self->host->table(w->self, "causes", "What caused waits, by call path", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    cost_rows(w, t, c->cost, sums_unite(c->cost, c->n_costs, sizeof *c->cost, &w->paths, add_cost), 0);
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------------- waits -- */

static int wait_by_size(const void *a, const void *b)
{
    const wait_sum *x = a, *y = b;
    if (x->of.pattern != y->of.pattern)
        return x->of.pattern < y->of.pattern ? -1 : 1;
    return x->time != y->time ? (x->time > y->time ? -1 : 1) : by_place(&x->of, x->order, &y->of, y->order);
}

#define WAIT_COLUMNS                                                                                                   \
    {"time", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "How long it waited"},                                             \
        {"count", TCF_CELL_UINT, NULL, "Instances"},                                                                   \
        {"direct", TCF_CELL_DOUBLE, "s", "Of that, because the ones waited for did more"},                             \
        {"indirect", TCF_CELL_DOUBLE, "s", "Of that, because the ones waited for had waited themselves"},              \
        {"propagating", TCF_CELL_DOUBLE, "s", "Of that, what was handed on to waits of others"},                       \
        {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As time"},                                                \
        {"indirect_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As indirect"},                                 \
        {"propagating_ticks", TCF_CELL_DOUBLE | TCF_CELL_DETAIL, "ticks", "As propagating"},                           \
        {"unknown_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "Of the waits without a known cause"},             \
    {                                                                                                                  \
        "call_path", TCF_CELL_TEXT, NULL, "The call that waited, and what called it"                                   \
    }

static void wait_row(void *data, const void *sum)
{
    const sum_table *r = data;
    const wait_sum *s = sum;
    tcf_self *self = r->work->self;
    const double indirect = ticks(s->indirect), direct = (double)(s->time - s->unknown) - indirect;
    tcf_cell cells[12];
    uint32_t k = 0;
    cells[k++] = tcf_text(wait_patterns[s->of.pattern].name);
    if (r->of_location)
        cells[k++] = tcf_uint(location_id(self, s->of.location));
    cells[k++] = tcf_seconds(self, (double)s->time);
    cells[k++] = tcf_uint(s->count);
    cells[k++] = tcf_seconds(self, direct > 0 ? direct : 0);
    cells[k++] = tcf_seconds(self, indirect);
    cells[k++] = tcf_seconds(self, ticks(s->passed_on));
    cells[k++] = tcf_uint(s->time);
    cells[k++] = tcf_double(indirect);
    cells[k++] = tcf_double(ticks(s->passed_on));
    cells[k++] = tcf_uint(s->unknown);
    cells[k++] = tcf_text(path_text(&r->work->paths, s->of.callpath));
    self->host->row(r->table, cells);
}

static void wait_rows(work *w, tcf_table *t, wait_sum *s, uint32_t n, int of_location)
{
    sum_table r = {w, t, of_location};
    if (n > 0)
        qsort(s, n, sizeof *s, wait_by_size);
    sums_rows(s, n, sizeof *s, (uint64_t)((const struct conf *)w->self->conf)->top, wait_row, &r);
}

static void add_wait(void *to, const void *from)
{
    wait_sum *x = to;
    const wait_sum *y = from;
    x->time += y->time;
    x->count += y->count;
    x->unknown += y->unknown;
    x->indirect += y->indirect;
    x->passed_on += y->passed_on;
}

static tcf_status report_wait_locations(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern"},
                                               {"location", TCF_CELL_UINT, NULL, "Id of the location that waited"},
                                               WAIT_COLUMNS};
    costs *c = &((struct state *)w->self->state)->costs;
    tcf_table *t =
        w->self->host->table(w->self, "wait_locations", "Direct and indirect waits, by call path and location", columns,
                             TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    wait_rows(w, t, c->wait, c->n_waits, 1);
    return TCF_OK;
}

static tcf_status report_waits(work *w)
{
    static const tcf_table_column columns[] = {{"pattern", TCF_CELL_TEXT, NULL, "Name of the pattern"}, WAIT_COLUMNS};
    costs *c = &((struct state *)w->self->state)->costs;
    tcf_table *t =
        w->self->host->table(w->self, "waits", "Direct and indirect waits, by call path", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    wait_rows(w, t, c->wait, sums_unite(c->wait, c->n_waits, sizeof *c->wait, &w->paths, add_wait), 0);
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- chains -- */

static tcf_status report_chains(work *w)
{
    static const tcf_table_column columns[] =
        {{"wait", TCF_CELL_UINT, NULL, "Number of the wait, the longest one first"},
         {"hop", TCF_CELL_UINT, NULL, "0: the wait itself; then what the one before comes from"},
         {"what", TCF_CELL_TEXT, NULL, "Pattern of a wait; delay: what a location did longer than the one that waited"},
         {"location", TCF_CELL_UINT, NULL, "Id of the location"},
         {"from", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks",
          "When a wait began, by the times of the trace at this place of the chain; 0 for delays"},
         {"time", TCF_CELL_DOUBLE, "s", "How much of it counts for the hop before"},
         {"ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "As time"},
         {"process", TCF_CELL_TEXT, NULL, "Name of the location group"},
         {"begin", TCF_CELL_DOUBLE, "s", "When a wait began, since the start of the trace; none for delays"},
         {"call_path", TCF_CELL_TEXT, NULL, "The call that waited, or that was waited for"}};
    struct state *st = w->self->state;
    tcf_table *t =
        w->self->host->table(w->self, "chains", "What the longest waits come from", columns, TCF_COUNT(columns));
    if (!t)
        return TCF_ERROR;
    if (st->n_chains > 0)
        qsort(st->chains, st->n_chains, sizeof *st->chains, chains_compare);
    for (uint32_t i = 0; i < st->n_chains; i++)
        for (uint32_t k = 0; k < st->chains[i].n; k++) {
            const hop *h = &st->chains[i].hop[k];
            const tcf_cell cells[] = {tcf_uint(i + 1),
                                      tcf_uint(k),
                                      tcf_text(h->pattern < WAIT_PATTERNS ? wait_patterns[h->pattern].name : "delay"),
                                      tcf_uint(location_id(w->self, h->location)),
                                      tcf_uint(h->from),
                                      tcf_seconds(w->self, (double)h->time),
                                      tcf_uint(h->time),
                                      process_name(w->self, h->location),
                                      h->pattern < WAIT_PATTERNS ? tcf_when(w->self, h->from) : tcf_double(NAN),
                                      tcf_text(path_text(&w->paths, h->callpath))};
            w->self->host->row(t, cells);
        }
    return TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- limits -- */

static tcf_status report_limits(work *w)
{
    const struct state *st = w->self->state;
    const struct limit rows[] = {
        {"window", "waits were compared over the window alone, as the two had not met in it", st->cut, 0},
        {"fallen", "waits were compared over less than the window: one side was too far ahead", st->fallen, 1},
        {"max_waiting", "waits were judged before all was known of their causes", st->forced, 1},
        {"causes", "waits handed on their largest causes alone", st->merged, 0},
        {"max_costs", "costs and waits are counted by pattern alone", st->costs.without_place, 1},
        {"max_open", "messages and requests were let go: late receivers and non-blocking operations may be missing",
         st->waits.counts.let_go, 1},
        {"no_difference", "waits have no cause: the one waited for did nothing longer than the one that waited",
         st->no_difference, 0},
        {"nobody", "waits were for nobody in particular, or for oneself", st->nobody, 0},
        {"reversed", "waits end after what they waited with: no cause was sought", st->reversed, 0},
        {"cycles", "waits wait for each other, clocks are not right: judged before all was known of their causes",
         st->cycles, 1},
    };
    return report_limit_rows(w->self, rows, TCF_COUNT(rows), "");
}

static void warn_of_clocks(const work *w)
{
    const struct state *st = w->self->state;
    uint64_t reversed = 0;
    for (int i = 0; i < WAITS_EDGES; i++)
        reversed += st->waits.counts.reversed[i];
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
    for (uint32_t i = 0; i < st->costs.n_costs; i++)
        st->costs.cost[i].order = (uint32_t)(st->shares.hash_of[st->costs.cost[i].of.callpath] >> 32);
    for (uint32_t i = 0; i < st->costs.n_waits; i++)
        st->costs.wait[i].order = (uint32_t)(st->shares.hash_of[st->costs.wait[i].of.callpath] >> 32);
    int failed = report_patterns(&w) != TCF_OK || report_chains(&w) != TCF_OK || report_limits(&w) != TCF_OK ||
                 (conf->by_location && (report_cause_locations(&w) != TCF_OK || report_wait_locations(&w) != TCF_OK)) ||
                 report_causes(&w) != TCF_OK || report_waits(&w) != TCF_OK;
    failed |= w.paths.out_of_memory;
    paths_free(&w.paths);
    if (failed)
        return self->host->fail(self, "out of memory for the tables of results");
    warn_of_clocks(&w);
    return TCF_OK;
}
