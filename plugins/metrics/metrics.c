/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics: sums up the values of metrics and their increase, over the run, in bins of time, and by call path.
 *
 * A series is the values of a metric's member in a location. Memory grows with series times bins of time, and with
 * the call paths in which they are sampled; both are capped. No event takes an allocation. */
#include "metrics.h"

#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------------- series -- */

static void start_series(const tcf_self *self, series *s, uint32_t metric, uint32_t position, uint8_t type)
{
    *s = (series){.metric = metric, .position = position, .type = type, .row = TCF_NONE};
    const uint32_t member = member_of(self, s);
    series_mode(s, member == TCF_NONE ? MODE_ACCUMULATED | MODE_START : tcf_metric_member_at(self->defs, member)->mode);
}

static int grow(place *p, uint32_t more)
{
    uint32_t capacity = p->capacity ? p->capacity : 4;
    while (capacity < p->n + more)
        capacity *= 2;
    if (capacity == p->capacity)
        return 0;
    series *grown = realloc(p->series, capacity * sizeof *grown);
    if (!grown)
        return -1;
    p->series = grown;
    if (p->time.n > 0) {
        cell *cells = realloc(p->cells, (capacity + 1ul) * p->time.n * sizeof *cells);
        if (!cells)
            return -1;
        p->cells = cells;
    }
    p->capacity = capacity;
    return 0;
}

/* Looks up the series of a metric, which has n values in this event; -1: out of memory. */
static __attribute__((noinline)) int find_series(const tcf_self *self, place *p, uint32_t metric, uint32_t n,
                                                 const uint8_t *types)
{
    uint32_t first = tcf_map_get(&p->first, metric, 0);
    if (first == TCF_MAP_ABSENT) {
        if (grow(p, n) != 0 || tcf_map_put(&p->first, metric, 0, p->n) != 0)
            return -1;
        first = p->n;
        for (uint32_t k = 0; k < n; k++)
            start_series(self, &p->series[p->n++], metric, k, types[k]);
        if (p->time.n > 0)
            memset(cells_of(p, first), 0, (size_t)n * p->time.n * sizeof *p->cells);
    }
    p->recent_metric = metric;
    p->recent_first = first;
    for (p->recent_n = 0; first + p->recent_n < p->n && p->series[first + p->recent_n].metric == metric;)
        p->recent_n++;
    p->recent_callpath = TCF_NONE;
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- samples -- */

static __attribute__((noinline)) void move_bins(place *p, const time_bins_move *m)
{
    for (uint32_t i = 0; i < p->n; i++)
        cells_move(p->series[i].type, cells_of(p, i), cells_of(p, p->capacity), p->time.n, m);
}

static inline void reach(place *p, uint64_t time)
{
    time_bins_move m;
    if (p->time.n > 0 && __builtin_expect(time_bins_reach(&p->time, time, &m), 0) && p->cells)
        move_bins(p, &m);
}

static inline void sample_bin(place *p, uint32_t at, uint64_t time, number v, const number *by)
{
    const uint8_t type = p->series[at].type;
    cell *c = &cells_of(p, at)[time_bins_position(&p->time, time)];
    if (c->samples == 0 || value_less(type, v, c->min))
        c->min = v;
    if (c->samples == 0 || value_less(type, c->max, v))
        c->max = v;
    c->samples++;
    c->sum += value_as_double(type, v);
    if (by)
        value_add(type, &c->increase, *by);
}

/* Adds a sample. Its increase belongs to the time before it, and so to the call path of the event: measurement
 * systems record values before the enter or leave that they belong to. */
static void sample(const conf *c, place *p, uint32_t at, uint32_t in_row, uint64_t time, uint8_t type, number v)
{
    series *s = &p->series[at];
    number by;
    if (!series_takes(s, type, v)) {
        s->left_out++;
        return;
    }
    const int grows = series_increase(s, v, &by);
    if (grows)
        value_add(type, &s->increase, by);
    if (c->callpaths) {
        row *r = &p->rows.at[in_row];
        r->samples++;
        if (grows)
            value_add(type, &r->increase, by);
        s->row = in_row;
    }
    if (p->time.n > 0)
        sample_bin(p, at, time, v, grows ? &by : NULL);
    series_sample(s, time, v);
}

static int metric_event(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    const conf *c = self->conf;
    const tcf_ev_metric *m = &s->rec[i].metric;
    const uint8_t *types = tcf_at(s, m->type_ids);
    const number *values = tcf_at(s, m->metric_values);
    uint32_t n = m->number_of_metrics;
    if (n == 0)
        return 0;
    if (__builtin_expect(p->n == 0 || p->recent_metric != m->metric, 0) &&
        find_series(self, p, m->metric, n, types) != 0)
        return -1;
    if (c->callpaths && (p->recent_callpath != s->callpath[i] || p->recent_callpath == TCF_NONE)) {
        p->recent_rows = rows_find(&p->rows, s->callpath[i], p->recent_first, p->recent_n, (uint32_t)c->max_rows);
        p->recent_callpath = s->callpath[i];
        if (p->recent_rows == TCF_NONE)
            return -1;
    }
    if (n > p->recent_n) {
        p->too_many += n - p->recent_n;
        n = p->recent_n;
    }
    reach(p, s->time[i]);
    for (uint32_t k = 0; k < n; k++)
        sample(c, p, p->recent_first + k, p->recent_rows + k, s->time[i], types[k], values[k]);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status metrics_slice(tcf_self *self, tcf_slice *s)
{
    place *p = tcf_location_state(self, s->location);
    const uint8_t *kind = s->kind;
    int failed = 0;
    if (s->n == 0)
        return TCF_OK;
    if (!p->time.used) {
        const conf *c = self->conf;
        p->time =
            c->time_bins > 0 ? time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset) : (time_bins){0};
        reach(p, s->time[0]);
    }
    for (uint32_t i = 0; i < s->n && !failed; i++)
        if (kind[i] == TCF_METRIC)
            failed = metric_event(self, p, s, i);
    p->last = s->time[s->n - 1];
    return failed ? self->host->fail(self, "out of memory for %u series of a location, of %u rows", p->n, p->rows.n)
                  : TCF_OK;
}

/* Adds the amounts that the last samples state for the time after them. */
static void last_amounts(place *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        series *s = &p->series[i];
        if (s->increase_ != BY_NEXT_AMOUNT || s->samples == 0)
            continue;
        value_add(s->type, &s->increase, s->last);
        if (s->row != TCF_NONE)
            value_add(s->type, &p->rows.at[s->row].increase, s->last);
        if (p->time.n > 0)
            value_add(s->type, &cells_of(p, i)[time_bins_position(&p->time, s->last_time)].increase, s->last);
    }
}

static tcf_status metrics_location_end(tcf_self *self, uint32_t location)
{
    place *p = tcf_location_state(self, location);
    if (p->time.used)
        reach(p, p->last);
    last_amounts(p);
    const int failed = sum_location(self, p, location);
    free(p->cells);
    p->cells = NULL;
    p->time.n = 0;
    rows_free(&p->rows);
    tcf_map_free(&p->first);
    return failed ? self->host->fail(self, "out of memory for the series of a location") : TCF_OK;
}

static tcf_status metrics_init(tcf_self *self)
{
    const conf *c = self->conf;
    if (c->time_bins == 1)
        return self->host->fail(self, "time_bins must be 0, or at least 2");
    if (!c->callpaths)
        self->needs &= ~(uint32_t)TCF_NEED_CALLPATH;
    return TCF_OK;
}

static tcf_status metrics_begin(tcf_self *self)
{
    const conf *c = self->conf;
    state *st = self->state;
    st->time = time_bins_new((uint32_t)c->time_bins, self->defs->clock.global_offset);
    return TCF_OK;
}

static void metrics_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        free(p->series);
        free(p->cells);
        rows_free(&p->rows);
        tcf_map_free(&p->first);
    }
    for (uint32_t g = 0; g < st->by.index.n; g++)
        free(st->grids[g].cells);
    keyed_free(st->grids, &st->by);
    total_rows_free(&st->rows);
}

/* --------------------------------------------------------------------------------------------------- description -- */

static const tcf_param params[] = {
    TCF_PARAM(conf, callpaths, TCF_BOOL, "yes", "Attribute increases to the call paths in which they happened"),
    TCF_PARAM(conf, by_location, TCF_BOOL, "no",
              "Call paths and bins of time of each location, instead of all together"),
    TCF_PARAM(conf, time_bins, TCF_INT, "128",
              "Bins of time at most, up to 150 bytes each for every series; 0: none, else at least 2", .min = "0",
              .max = "65536"),
    TCF_PARAM(conf, max_series, TCF_INT, "4096", "Series in bins of time at most; those beyond have no bins",
              .min = "1", .max = "1048576"),
    TCF_PARAM(
        conf, max_rows, TCF_INT, "65536",
        "Rows by call path at most, of a location and in all, up to 100 bytes each; what is beyond is one call path",
        .min = "1", .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "metrics",
    .version = "1.0",
    .summary = "Counters: what each metric was and how it grew, over time and by call path",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "A series is a member of a metric class or instance, as one location recorded it. Values are finite numbers "
        "of the type of the first one; others are left out and told. Of a series: samples; smallest, largest, first "
        "and last value; mean, that of the samples; time_mean, weighted with the time from one sample to the next, "
        "for which the first of them counts, or with modes that end in LAST the second; increase; and rate, increase "
        "by the time from the first to the last sample. Values are those of the unit: those recorded times the base "
        "of the member to its exponent.\n\n"
        "increase is the sum of what the samples add. With modes ACCUMULATED_LAST, RELATIVE_POINT and RELATIVE_LAST "
        "that is the value itself, with ACCUMULATED_NEXT and RELATIVE_NEXT too, but told by the next sample or the "
        "end of the location. With all others it is what the value differs by from the one before, so that all "
        "together are last - first, modulo 2^64 for integers; decreases tells how often it fell.\n\n"
        "What a sample adds is counted in the bin of time of the sample (bins: see time_profile), and in the call "
        "path that the location is in at the sample. Measurement systems record values before the enter or leave "
        "that they belong to, so this is the call path in which the value grew, without the calls from there.\n\n"
        "Tables: metrics, a row for each series; totals, for each member; callpaths and over_time, for each member, "
        "or with by_location for each series of one.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .needs = TCF_NEED_CALLPATH,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .init = metrics_init,
    .slice = metrics_slice,
    .begin = metrics_begin,
    .location_end = metrics_location_end,
    .end = metrics_report,
    .fini = metrics_fini,
    .pack = metrics_pack,
    .absorb = metrics_absorb,
};
