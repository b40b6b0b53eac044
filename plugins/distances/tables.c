/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of distances: the trace and its clock, then a row a group. */
#include "distances.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const tcf_table_column trace_columns[] = {
    {"events", TCF_CELL_UINT, NULL, "Events"},
    {"locations", TCF_CELL_UINT, NULL, "Locations with events"},
    {"left_out", TCF_CELL_UINT, NULL, "Distances that there was no room for"},
    {"resolution", TCF_CELL_UINT, "Hz", "Ticks per second"},
    {"step", TCF_CELL_DOUBLE, "ticks", "In which the clock advances, as far as distances tell"},
};

static const tcf_table_column columns[] = {
    {"kind", TCF_CELL_TEXT, NULL, "Kind of the event"},
    {"after", TCF_CELL_TEXT, NULL, "Kind of the event before it"},
    {"in_run", TCF_CELL_TEXT, NULL, "In a run of empty calls?"},
    {"attributes", TCF_CELL_UINT, NULL, "Attributes of the event; 255: or more"},
    {"values", TCF_CELL_UINT, NULL, "Values of a METRIC; 255: or more"},
    {"samples", TCF_CELL_UINT | TCF_CELL_LEADS, NULL, "Distances"},
    {"min", TCF_CELL_DOUBLE, "s", "The shortest"},
    {"p1", TCF_CELL_DOUBLE, "s", "1 % are not longer"},
    {"p5", TCF_CELL_DOUBLE, "s", "5 % are not longer"},
    {"p25", TCF_CELL_DOUBLE, "s", "25 % are not longer"},
    {"median", TCF_CELL_DOUBLE, "s", "Half of them are not longer"},
    {"p75", TCF_CELL_DOUBLE, "s", "75 % are not longer"},
    {"p95", TCF_CELL_DOUBLE, "s", "95 % are not longer"},
    {"p99", TCF_CELL_DOUBLE, "s", "99 % are not longer"},
    {"max", TCF_CELL_DOUBLE, "s", "The longest"},
    {"mean", TCF_CELL_DOUBLE, "s", "Their mean"},
    {"typical", TCF_CELL_DOUBLE, "s", "The mean without interruptions"},
    {"interruptions", TCF_CELL_UINT, NULL, "Distances longer than `cut` medians and steps"},
    {"region", TCF_CELL_TEXT, NULL, "Entered, left, or else around the event"},
};

static const double percentiles[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

static const char *const kinds[256] = {
#define E(number, NAME, Name, name, FIELDS) [number] = #NAME,
    TCF_EVENT_TABLE(E, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef E
};

static const char *kind_name(uint8_t kind)
{
    return kinds[kind] ? kinds[kind] : "(unknown)";
}

static void report_group(tcf_self *self, tcf_table *table, uint32_t group, double step)
{
    const struct state *st = self->state;
    const struct conf *conf = self->conf;
    const tcf_definitions *defs = self->defs;
    const struct group *g = &st->total.group[group];
    const char *region = g->key.region < defs->n_regions ? tcf_region_at(defs, g->key.region)->name : NULL;
    tcf_cell cells[sizeof columns / sizeof columns[0]] = {tcf_text(kind_name(g->key.kind)),
                                                          tcf_text(kind_name(g->key.after)),
                                                          tcf_text(g->key.in_run ? "yes" : "no"),
                                                          tcf_uint(g->key.attributes),
                                                          tcf_uint(g->key.values),
                                                          tcf_uint(g->n),
                                                          tcf_seconds(self, (double)g->min)};
    uint32_t n = 7;
    for (uint32_t p = 0; p < sizeof percentiles / sizeof percentiles[0]; p++)
        cells[n++] = tcf_seconds(self, (double)tally_quantile(&st->total, group, percentiles[p]));
    cells[n++] = tcf_seconds(self, (double)g->max);
    cells[n++] = tcf_seconds(self, (double)g->sum / (double)g->n);
    double median = (double)tally_quantile(&st->total, group, 0.5);
    uint64_t interruptions;
    cells[n++] = tcf_seconds(self, tally_mean(&st->total, group, (double)conf->cut * (median > step ? median : step),
                                              &interruptions));
    cells[n++] = tcf_uint(interruptions);
    cells[n] = tcf_text(region ? region : "");
    self->host->row(table, cells);
}

/* By samples, most first; then by what they are of. */
struct order {
    uint64_t n;
    const struct key *key;
    uint32_t at;
};

static int compare_keys(const struct key *x, const struct key *y)
{
    const uint32_t a[] = {x->kind, x->after, x->region, x->in_run, x->attributes, x->values},
                   b[] = {y->kind, y->after, y->region, y->in_run, y->attributes, y->values};
    uint32_t i = 0;
    while (i + 1 < TCF_COUNT(a) && a[i] == b[i])
        i++;
    return (a[i] > b[i]) - (a[i] < b[i]);
}

static int compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return compare_keys(x->key, y->key);
}

tcf_status distances_report(tcf_self *self)
{
    struct state *st = self->state;
    struct tally *t = &st->total;
    struct order *order = calloc(t->n_groups + 1u, sizeof *order);
    if (!order)
        return self->host->fail(self, "out of memory for the order of %u rows", t->n_groups);
    tally_sort(t);
    const double step = tally_step(t);
    tcf_table *trace =
        self->host->table(self, "trace", "Trace", trace_columns, sizeof trace_columns / sizeof trace_columns[0]);
    self->host->row(trace, (tcf_cell[]){tcf_uint(st->events), tcf_uint(st->locations), tcf_uint(t->left_out),
                                        tcf_uint(self->defs->clock.resolution), tcf_double(step)});
    tcf_table *table = self->host->table(self, "distances", "Distances between consecutive events", columns,
                                         sizeof columns / sizeof columns[0]);
    for (uint32_t g = 0; g < t->n_groups; g++)
        order[g] = (struct order){t->group[g].n, &t->group[g].key, g};
    qsort(order, t->n_groups, sizeof *order, compare);
    for (uint32_t g = 0; g < t->n_groups && order[g].n > 0; g++)
        report_group(self, table, order[g].at, step);
    free(order);
    if (t->left_out > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%" PRIu64 " distances left out: more than %lld groups or different distances (max_distances)",
                        t->left_out, (long long)((const struct conf *)self->conf)->max_distances);
    return TCF_OK;
}
