/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of distances: the trace and its clock, then a row a group. */
#include "distances.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tcflow/order.h>

/* A row of either table: of the trace, or of a group. */
typedef struct row {
    uint64_t events, locations, left_out, resolution;
    const char *kind, *after, *in_run, *region;
    struct group group;
    uint64_t quantile[7], interruptions;
    double step, mean, typical;
} row;

#define AT(member) TCF_AT(row, member)

static const tcf_table_column trace_columns[] = {
    {"events", AT(events), NULL, "Events"},
    {"locations", AT(locations), NULL, "Locations with events"},
    {"left_out", AT(left_out), NULL, "Distances that there was no room for"},
    {"resolution", AT(resolution), "Hz", "Ticks per second"},
    {"step", AT(step), "ticks", "In which the clock advances, as far as distances tell"},
};

static const tcf_table_column columns[] = {
    {"kind", AT(kind), NULL, "Kind of the event"},
    {"after", AT(after), NULL, "Kind of the event before it"},
    {"in_run", AT(in_run), NULL, "In a run of empty calls?"},
    {"attributes", AT(group.key.attributes), NULL, "Attributes of the event; 255: or more"},
    {"values", AT(group.key.values), NULL, "Values of a METRIC; 255: or more"},
    {"samples", AT(group.n) | TCF_CELL_LEADS, NULL, "Distances"},
    {"min", AT(group.min) | TCF_CELL_SECONDS, "s", "The shortest"},
    {"p1", AT(quantile[0]) | TCF_CELL_SECONDS, "s", "1 % are not longer"},
    {"p5", AT(quantile[1]) | TCF_CELL_SECONDS, "s", "5 % are not longer"},
    {"p25", AT(quantile[2]) | TCF_CELL_SECONDS, "s", "25 % are not longer"},
    {"median", AT(quantile[3]) | TCF_CELL_SECONDS, "s", "Half of them are not longer"},
    {"p75", AT(quantile[4]) | TCF_CELL_SECONDS, "s", "75 % are not longer"},
    {"p95", AT(quantile[5]) | TCF_CELL_SECONDS, "s", "95 % are not longer"},
    {"p99", AT(quantile[6]) | TCF_CELL_SECONDS, "s", "99 % are not longer"},
    {"max", AT(group.max) | TCF_CELL_SECONDS, "s", "The longest"},
    {"mean", AT(mean) | TCF_CELL_SECONDS, "s", "Their mean"},
    {"typical", AT(typical) | TCF_CELL_SECONDS, "s",
     "The mean without interruptions, from bins of 0.1 % where distances are 1,024 ticks or more"},
    {"interruptions", AT(interruptions), NULL, "Distances longer than `cut` medians and steps"},
    {"region", AT(region), NULL, "Entered, left, or else around the event"},
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
    row r = {.kind = kind_name(g->key.kind),
             .after = kind_name(g->key.after),
             .in_run = g->key.in_run ? "yes" : "no",
             .group = *g,
             .mean = (double)g->sum / (double)g->n,
             .region = region ? region : ""};
    for (uint32_t p = 0; p < TCF_COUNT(percentiles); p++)
        r.quantile[p] = tally_quantile(&st->total, group, percentiles[p]);
    const double median = (double)r.quantile[3];
    r.typical = tally_mean(&st->total, group, (double)conf->cut * (median > step ? median : step), &r.interruptions);
    tcf_row(self, table, &r);
}

/* Groups come by the number of samples, the most first; then by key, as tally_sort() has put them. */
struct order {
    uint64_t n;
    uint32_t at;
};

static int compare(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->n, x->n), TCF_ORDER(x->at, y->at));
}

tcf_status distances_report(tcf_self *self)
{
    struct state *st = self->state;
    struct tally *t = &st->total;
    struct order *order = calloc(t->n_groups + 1u, sizeof *order);
    if (!order || tally_sort(t) != 0) {
        free(order);
        return self->host->fail(self, "out of memory for the order of %u rows", t->n_groups);
    }
    const double step = tally_step(t);
    tcf_row(self, TCF_TABLE(self, "trace", "Trace", trace_columns),
            &(row){st->events, st->locations, t->left_out, self->defs->clock.resolution, .step = step});
    tcf_table *table = TCF_TABLE(self, "distances", "Distances between consecutive events", columns);
    for (uint32_t g = 0; g < t->n_groups; g++)
        order[g] = (struct order){t->group[g].n, g};
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
