/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of `clock_report`: a verdict, then the details. Tables that would be empty are left out. */
#include "../shared/clocks/stated.h"
#include "clock_report.h"

#include <inttypes.h>
#include <math.h>
#include <private/results_host.h>
#include <private/scaled.h>
#include <stdio.h>
#include <stdlib.h>
#include <tcflow/order.h>

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *name, *what, *process;
    uint64_t unjudged, location, events, place, from, length, count, shorter, longer;
    int64_t component;
    uint64_t processes, locations;
    double error, likely, min, mean, max, smallest;
    struct tally tally;
    struct location of;
} row;

#define AT(member) TCF_AT(row, member)

enum { SENTENCE = 512 };

static const struct location *location_at(const tcf_self *self, uint32_t k)
{
    return tcf_location_state(self, k);
}

static row row_of(const tcf_self *self, uint32_t location)
{
    return (row){.location = tcf_location_at(self->defs, location)->id,
                 .process = tcf_process_name(self->defs, location, NULL)};
}

/* Does the archive have clock offsets? Viewers apply them, so they show fewer violations than its times have. */
static int clocks_are_measured(const tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (tcf_location_at(self->defs, l)->n_clock_offsets > 0)
            return 1;
    return 0;
}

/* A class over all distances. */
static struct tally of_class(const struct report *r, uint32_t c)
{
    struct tally all = {{0}, {0}, 0};
    for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
        condition_add(&all.raw, &r->tally[c][d].raw);
        condition_add(&all.now, &r->tally[c][d].now);
    }
    return all;
}

static const char *class_name(uint32_t c, char buffer[64])
{
    snprintf(buffer, 64, "%s%s", c >= RMA_CLASSES ? "rma_" : "", tcf_edge_class_name(c % TCF_CLASSES));
    return buffer;
}

/* A correction from one that is relative to the location's first. */
static double correction(const struct location *l, double relative)
{
    return (double)(int64_t)l->base + relative;
}

/* ------------------------------------------------------------------------------------------------------- verdict -- */

/* What is known of the clocks after all. */
struct clocks {
    double error;   /* ticks; the largest, INFINITY: not all are known */
    two_clocks two; /* of those that are known */
    uint64_t unknown, unconnected, components;
};

static int order_numbers(const void *a, const void *b)
{
    return TCF_ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

/* By how much filters behind the correction have moved the location's events, at most. */
static double moved_behind(const tcf_self *self, uint32_t location)
{
    uint64_t n = 0;
    const tcf_clock_move *moves = self->host->learned(self, TCF_CLOCK_MOVES, sizeof *moves, &n);
    return moves && location < n ? (double)moves[location].ticks : 0;
}

/* The error of a location's times here: its clock's, and what its events were moved behind the correction. */
static double error_here(const tcf_self *self, uint32_t location)
{
    const struct report *r = self->state;
    return r->sources[location].error + moved_behind(self, location);
}

/* Locations with events count. 0: out of memory. */
static int look_at_clocks(const tcf_self *self, struct clocks *c)
{
    const struct report *r = self->state;
    uint32_t *components = malloc((self->defs->n_locations + 1u) * sizeof *components), n = 0;
    *c = (struct clocks){.error = r->sources ? 0 : (double)INFINITY, .two.process = TCF_NONE};
    for (uint32_t k = 0; components && k < self->defs->n_locations; k++) {
        const tcf_clock_source *source = r->sources ? &r->sources[k] : NULL;
        if (location_at(self, k)->all.n == 0)
            continue;
        if (!source) {
            c->unknown++;
            continue;
        }
        components[n++] = source->component;
        c->unconnected += source->origin == TCF_CLOCK_UNCONNECTED;
        double error = error_here(self, k);
        c->unknown += isfinite(error) ? 0 : 1;
        if (!(error <= c->error))
            c->error = error;
        two_clocks_add(&c->two, tcf_location_at(self->defs, k)->group, error);
    }
    tcf_sort(components, n, sizeof *components, order_numbers);
    for (uint32_t i = 0; i < n; i++)
        c->components += i == 0 || components[i] != components[i - 1];
    int done = components != NULL;
    free(components);
    return done;
}

/* What an earlier correction of this trace has stated, where none of this run has stated it anew; NULL: nothing.
 * Messages that it has brought into order look as if the clocks had always agreed, so the error bars that a survey now
 * derives from them may be far too small. */
static const char *stated_before(const tcf_self *self)
{
    uint32_t n = 0;
    const tcf_property *now = self->host->properties(self, &n);
    return clocks_stated(now, n) ? NULL : clocks_stated(self->defs->properties, self->defs->n_properties);
}

/* A row of the table: how far times may be off. */
struct uncertainty {
    const char *of;
    double amount; /* s */
};

/* Says what is known, and gives it as rows, at most two. Returns how many they are. */
static uint32_t describe_uncertainty(const tcf_self *self, const struct clocks *c, struct uncertainty rows[2],
                                     char *buffer, size_t bytes)
{
    const char *stated = stated_before(self);
    char *end = NULL, a[TCF_SCALED_BYTES], b[TCF_SCALED_BYTES];
    double earlier = stated ? strtod(stated, &end) : 0;
    double one = c->error / (double)self->defs->clock.resolution;
    double two = (c->two.largest + c->two.second) / (double)self->defs->clock.resolution;
    int worse = stated && (end == stated || earlier > two);
    int unmeasured = !(c->error > 0) && self->defs->n_location_groups > 1; /* nobody has compared the clocks */
    if (c->components > 1) {
        snprintf(buffer, bytes, "%" PRIu64 " groups of locations have no common clock", c->components);
        return 0;
    }
    if (isfinite(c->error) && worse) {
        snprintf(buffer, bytes,
                 "residual uncertainty between two clocks, as an earlier correction has stated it: %.40s",
                 end == stated ? stated : tcf_scaled_seconds(earlier, a));
        rows[0] = (struct uncertainty){"two clocks, as stated by an earlier correction", earlier};
        return end != stated;
    }
    if (isfinite(c->error) && !unmeasured && !(one > 0) && !(two > 0)) {
        snprintf(buffer, bytes, "all locations have one clock");
        return 0;
    }
    if (isfinite(c->error) && !unmeasured) {
        snprintf(buffer, bytes, "residual uncertainty: +-%s of a single clock, %s between two",
                 tcf_scaled_seconds(one, a), tcf_scaled_seconds(two, b));
        rows[0] = (struct uncertainty){"a single clock", one};
        rows[1] = (struct uncertainty){"two clocks", two};
        return 2;
    }
    snprintf(buffer, bytes, "residual uncertainty of the clocks: not known");
    return 0;
}

struct finding {
    const char *name;
    uint64_t before, after;
    const char *meaning;
};

static tcf_status report_verdict(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"finding", TCF_AT(struct finding, name), NULL, "What was looked at"},
        {"before", TCF_AT(struct finding, before), NULL, "By the times that were read"},
        {"after", TCF_AT(struct finding, after), NULL, "By the times that arrive here"},
        {"meaning", TCF_AT(struct finding, meaning), NULL, "What is counted"},
    };
    static const tcf_table_column uncertainty_columns[] = {
        {"of", TCF_AT(struct uncertainty, of), NULL, "Of which times: of one clock, or the difference of two"},
        {"amount", TCF_AT(struct uncertainty, amount), "s", "By how much they may be off"},
    };
    const struct report *r = self->state;
    struct tally all = {{0}, {0}, 0};
    struct clocks clocks;
    struct uncertainty known[2];
    uint64_t moved = 0, events = 0;
    char sentence[SENTENCE], uncertainty[SENTENCE / 2], unjudged[64] = "", alone[64] = "";
    if (!look_at_clocks(self, &clocks))
        return self->host->fail(self, "out of memory for the report");
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct tally t = of_class(r, c);
        condition_add(&all.raw, &t.raw);
        condition_add(&all.now, &t.now);
    }
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        events += location_at(self, k)->all.n;
        moved += location_at(self, k)->moved;
    }
    const uint32_t n_known = describe_uncertainty(self, &clocks, known, uncertainty, sizeof uncertainty);
    if (all.raw.targets > all.now.targets)
        snprintf(unjudged, sizeof unjudged, " (%" PRIu64 " events not judged)", all.raw.targets - all.now.targets);
    if (r->alone > 0)
        snprintf(alone, sizeof alone, " (%" PRIu64 " receives have no known send)", r->alone);
    snprintf(sentence, sizeof sentence,
             "Violations of the clock condition: %" PRIu64 " before%s, %" PRIu64 " after%s%s; %" PRIu64 " of %" PRIu64
             " events moved; %s",
             all.raw.violated,
             clocks_are_measured(self) ? " (times as stored, without the archive's clock offsets)" : "",
             all.now.violated, unjudged, alone, moved, events, uncertainty);
    tcf_results_host_of(self)->say(self, sentence);
    const struct finding rows[] = {
        {"clock_violations", all.raw.violated, all.now.violated,
         "events that come before something that they depend on"},
        {"below_minimum", all.raw.below, all.now.below, "events that come sooner than the minimum delay allows"},
        {"targets", all.raw.targets, all.now.targets, "events that depend on others, as far as they could be judged"},
        {"alone", r->alone, r->alone, "receives that depend on a send that isn't known: not judged"},
        {"events", events, events, "all events"},
        {"moved", 0, moved, "events with another time"},
        {"unknown_clocks", clocks.unknown, clocks.unknown, "locations whose clock has no error bar"},
        {"unconnected", clocks.unconnected, clocks.unconnected, "locations that nothing ties to the reference"},
        {"common_clocks", clocks.components, clocks.components, "groups of locations that have a clock in common"},
    };
    self->host->rows(TCF_TABLE(self, "verdict", "Before and after the correction", columns), rows, TCF_COUNT(rows),
                     sizeof *rows);
    if (n_known > 0)
        self->host->rows(TCF_TABLE(self, "uncertainty", "Residual uncertainty of the clocks", uncertainty_columns),
                         known, n_known, sizeof *known);
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- clock condition -- */

static void report_violations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(name), NULL, "What orders the events"},
        {"targets", AT(tally.raw.targets), NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated_before", AT(tally.raw.violated), NULL, "Those that come too early by the times that were read"},
        {"largest_before", AT(tally.raw.largest) | TCF_CELL_SECONDS, "s", "By how much at most"},
        {"largest_before_ticks", AT(tally.raw.largest) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"violated_after", AT(tally.now.violated), NULL, "Those that come too early here"},
        {"largest_after", AT(tally.now.largest) | TCF_CELL_SECONDS, "s", "By how much at most"},
        {"largest_after_ticks", AT(tally.now.largest) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"below_minimum_before", AT(tally.raw.below), NULL,
         "Those that come sooner than the minimum delay allows, as read"},
        {"below_minimum_after", AT(tally.now.below), NULL, "The same here"},
        {"unjudged_after", AT(unjudged), NULL, "Targets of instances that never became complete"},
    };
    tcf_table *table = TCF_TABLE(self, "violations", "Clock condition by class", columns);
    for (uint32_t c = 0; c < CLASSES; c++) {
        const struct tally t = of_class(self->state, c);
        char name[64];
        if (t.raw.targets > 0)
            tcf_row(self, table,
                    &(row){.name = class_name(c, name),
                           .tally = t,
                           .unjudged = t.raw.targets > t.now.targets ? t.raw.targets - t.now.targets : 0});
    }
}

static void report_delays(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(name), NULL, "What orders the events"},
        {"distance", AT(what), NULL, "Between the two locations, or the largest one in the communicator"},
        {"targets", AT(tally.raw.targets), NULL, "Events that depend on others"},
        {"minimum", AT(tally.mu) | TCF_CELL_SECONDS, "s", "The minimum delay that was asked for, or learned"},
        {"minimum_ticks", AT(tally.mu) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"smallest_before", AT(tally.raw.smallest) | TCF_CELL_SECONDS, "s",
         "Smallest delay by the times that were read"},
        {"smallest_before_ticks", AT(tally.raw.smallest) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"smallest_after", AT(smallest) | TCF_CELL_SECONDS, "s", "Smallest delay here"},
        {"smallest_after_ticks", AT(tally.now.smallest) | TCF_CELL_DETAIL, "ticks",
         "The same in ticks; 2^63 - 1: none could be judged"},
    };
    const struct report *r = self->state;
    tcf_table *table = TCF_TABLE(self, "delays", "Smallest delays by class and distance", columns);
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            const struct tally *t = &r->tally[c][d];
            char name[64];
            if (t->raw.targets > 0)
                tcf_row(self, table,
                        &(row){.name = class_name(c, name),
                               .what = tcf_distance_name(d),
                               .tally = *t,
                               .smallest = t->now.targets ? (double)t->now.smallest : (double)NAN});
        }
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

/* A row with some of the corrections of a location. */
static void add_corrections(const tcf_self *self, tcf_table *t, const struct location *l, const struct spread *b, row r)
{
    r.of = *l;
    r.events = b->n;
    r.min = correction(l, (double)b->min);
    r.mean = correction(l, (double)b->sum / (double)b->n);
    r.max = correction(l, (double)b->max);
    tcf_row(self, t, &r);
}

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", AT(location), NULL, "Id of the location"},
        {"process", AT(process), NULL, "Name of its location group"},
        {"clock", AT(name), NULL, "Where its clock comes from: raw, measured, file, messages, unconnected"},
        {"component", AT(component), NULL, "Locations of one number have a common clock; -1: not known"},
        {"error", AT(error) | TCF_CELL_SECONDS, "s",
         "How far its times may be off: half the error bar of its clock, at most, and what its events were moved "
         "behind the correction"},
        {"likely_error", AT(likely) | TCF_CELL_SECONDS, "s",
         "Within which 95 % of its times are expected: the likely error of its clock, and what its events were moved "
         "behind the correction"},
        {"events", AT(events), NULL, "Its events"},
        {"moved", AT(of.moved), NULL, "Those that have another time"},
        {"min", AT(min) | TCF_CELL_SECONDS, "s", "Smallest correction, time after minus time before"},
        {"mean", AT(mean) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Mean correction"},
        {"max", AT(max) | TCF_CELL_SECONDS, "s", "Largest correction"},
    };
    const struct report *r = self->state;
    tcf_table *t = TCF_TABLE(self, "locations", "Corrections by location", columns);
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct location *l = location_at(self, k);
        const tcf_clock_source *source = r->sources ? &r->sources[k] : NULL;
        row x = row_of(self, k);
        if (l->all.n == 0)
            continue;
        x.name = source ? tcf_clock_origin_name(source->origin) : NULL;
        x.component = source && source->component != TCF_NONE ? (int64_t)source->component : -1;
        x.error = source ? error_here(self, k) : (double)NAN;
        x.likely = source ? source->likely + moved_behind(self, k) : (double)NAN;
        add_corrections(self, t, l, &l->all, x);
    }
}

/* The clocks that several processes have, and what shows it. 0: out of memory. */
static int report_shared(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"clock", AT(place), NULL, "Number of the clock"},
        {"process", AT(process), NULL, "The first process that has it"},
        {"processes", AT(processes), NULL, "How many have it"},
        {"locations", AT(locations), NULL, "Their locations"},
        {"evidence", AT(name), NULL, "What shows that they share it; of several links the weakest one"},
        {"apart", AT(mean) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
         "What their messages leave between two clocks; -: nothing is known of that"},
    };
    const struct report *r = self->state;
    const uint32_t n = self->defs->n_locations, groups = self->defs->n_location_groups;
    row *of = r->sources ? calloc((size_t)n + 1, sizeof *of) : NULL; /* by clock */
    uint8_t *counted = r->sources ? calloc((size_t)n + groups + 1, 1) : NULL;
    int done = !r->sources || (of && counted);
    for (uint32_t k = 0; of && counted && k < n; k++) {
        const tcf_clock_source *source = &r->sources[k];
        uint32_t process = tcf_process_of(self->defs, k);
        if (source->clock >= n || tcf_clock_evidence_name(source->evidence) == NULL)
            continue;
        row *one = &of[source->clock];
        uint8_t *seen = &counted[process < groups ? process : groups + k];
        one->process = one->locations > 0 ? one->process : row_of(self, k).process;
        one->locations++;
        one->processes += !*seen;
        one->place = source->clock;
        one->name = tcf_clock_evidence_name(source->evidence);
        one->mean = source->apart > 0 ? source->apart : (double)NAN;
        *seen = 1;
    }
    tcf_table *t = NULL;
    for (uint32_t c = 0; of && counted && c < n; c++) {
        if (of[c].processes < 2)
            continue;
        t = t ? t : TCF_TABLE(self, "shared", "Clocks that several processes have", columns);
        tcf_row(self, t, &of[c]);
    }
    free(of);
    free(counted);
    return done;
}

static void report_corrections(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", AT(location), NULL, "Id of the location"},
        {"from", AT(from) | TCF_CELL_DETAIL, "ticks", "begin as a timestamp"},
        {"length", AT(length) | TCF_CELL_DETAIL, "ticks", "duration in ticks"},
        {"events", AT(events), NULL, "Events in it"},
        {"min", AT(min) | TCF_CELL_SECONDS, "s", "Smallest correction, time after minus time before"},
        {"mean", AT(mean) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "Mean correction"},
        {"max", AT(max) | TCF_CELL_SECONDS, "s", "Largest correction"},
        {"begin", AT(from) | TCF_CELL_WHEN, "s", "Where the stretch of time begins, since the start of the trace"},
        {"duration", AT(length) | TCF_CELL_SECONDS, "s", "How long it is"},
    };
    const struct conf *conf = self->conf;
    uint32_t shift = 0, buckets = (uint32_t)conf->buckets;
    tcf_table *t = TCF_TABLE(self, "corrections", "Corrections over time", columns);
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        if (location_at(self, k)->all.n > 0 && location_at(self, k)->shift > shift)
            shift = location_at(self, k)->shift;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        struct location *l = tcf_location_state(self, k);
        while (l->shift < shift)
            corrections_fold(l, buckets);
        for (uint32_t i = 0; i < buckets; i++)
            if (l->bucket[i].n > 0)
                add_corrections(self, t, l, &l->bucket[i],
                                (row){.location = tcf_location_at(self->defs, k)->id,
                                      .from = l->origin + ((uint64_t)i << shift),
                                      .length = UINT64_C(1) << shift});
    }
}

struct worst {
    uint64_t size;
    uint32_t location;
};

static int order_worst(const void *a, const void *b)
{
    const struct worst *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->size, x->size), TCF_ORDER(x->location, y->location));
}

static tcf_status report_worst(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"place", AT(place), NULL, "1: the largest"},
        {"location", AT(location), NULL, "Id of the location"},
        {"process", AT(process), NULL, "Name of its location group"},
        {"event", AT(of.largest.event), NULL, "Number of the event in its location, from 0"},
        {"before", AT(of.largest.raw) | TCF_CELL_DETAIL, "ticks", "Its timestamp as read"},
        {"after", AT(of.largest.time) | TCF_CELL_DETAIL, "ticks", "Its timestamp here"},
        {"correction", AT(mean) | TCF_CELL_SECONDS, "s", "By how much it was moved"},
        {"when_before", AT(of.largest.raw) | TCF_CELL_WHEN, "s", "Its time as read, since the start of the trace"},
        {"when_after", AT(of.largest.time) | TCF_CELL_WHEN, "s", "Its time here, in the same way"},
    };
    const struct conf *conf = self->conf;
    uint32_t n = 0;
    struct worst *all = calloc(self->defs->n_locations + 1u, sizeof *all);
    if (!all)
        return self->host->fail(self, "out of memory for the report");
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        if (location_at(self, k)->largest.size > 0)
            all[n++] = (struct worst){location_at(self, k)->largest.size, k};
    qsort(all, n, sizeof *all, order_worst);
    tcf_table *t = NULL;
    if (n > 0 && conf->worst > 0)
        t = TCF_TABLE(self, "worst", "Largest correction of each location", columns);
    for (uint32_t i = 0; t && i < n && i < (uint64_t)conf->worst; i++) {
        row x = row_of(self, all[i].location);
        x.place = i + 1;
        x.of = *location_at(self, all[i].location);
        x.mean = (double)(int64_t)(x.of.largest.time - x.of.largest.raw);
        tcf_row(self, t, &x);
    }
    free(all);
    return TCF_OK;
}

/* ---------------------------------------------------------------------------------------------------- distortion -- */

static void distortion_rows(const tcf_self *self, tcf_table *t, const char *what, const struct distortion *d)
{
    static const char *const from[DECADES] = {"0",    "1e-9", "1e-8", "1e-7", "1e-6", "1e-5",
                                              "1e-4", "1e-3", "1e-2", "1e-1", "1",    "10"};
    if (d->unchanged > 0)
        tcf_row(self, t, &(row){.name = what, .what = "unchanged", .count = d->unchanged});
    for (uint32_t i = 0; i < DECADES; i++)
        if (d->shorter[i] + d->longer[i] > 0)
            tcf_row(self, t,
                    &(row){.name = what,
                           .what = from[i],
                           .count = d->shorter[i] + d->longer[i],
                           .shorter = d->shorter[i],
                           .longer = d->longer[i]});
    if (d->undefined > 0)
        tcf_row(self, t, &(row){.name = what, .what = "undefined", .count = d->undefined});
}

static void report_distortion(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"interval", AT(name), NULL, "local: between neighbouring events of a location; message: from send to receive"},
        {"from", AT(what), NULL,
         "Decade of |after - before| / before: from here to ten times as much (0: to 1e-9; 10: without end); "
         "undefined: was not positive before"},
        {"count", AT(count), NULL, "Intervals"},
        {"shorter", AT(shorter), NULL, "Those that are shorter now"},
        {"longer", AT(longer), NULL, "Those that are longer now"},
    };
    const struct report *r = self->state;
    tcf_table *t = TCF_TABLE(self, "distortion", "Distortion of intervals", columns);
    distortion_rows(self, t, "local", &r->intervals);
    distortion_rows(self, t, "message", &r->messages);
}

tcf_status report_tables(tcf_self *self)
{
    if (report_verdict(self) != TCF_OK)
        return TCF_ERROR;
    report_violations(self);
    report_delays(self);
    report_locations(self);
    if (!report_shared(self))
        return self->host->fail(self, "out of memory for the report");
    report_corrections(self);
    if (report_worst(self) != TCF_OK)
        return TCF_ERROR;
    report_distortion(self);
    return TCF_OK;
}
