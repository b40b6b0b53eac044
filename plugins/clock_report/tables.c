/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The report of `clock_report`: a verdict, then the details. Tables that would be empty are left out. */
#include "../shared/clocks/stated.h"
#include "clock_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TITLE = 512 };

static tcf_cell seconds(const tcf_self *self, double ticks)
{
    return (tcf_cell){.d = isfinite(ticks) ? ticks / (double)self->defs->clock.resolution : (double)NAN};
}

static const struct location *location_at(const tcf_self *self, uint32_t k)
{
    return tcf_location_state(self, k);
}

static const char *process_name(const tcf_self *self, uint32_t location)
{
    uint32_t process = tcf_location_at(self->defs, location)->group;
    return process < self->defs->n_location_groups ? tcf_location_group_at(self->defs, process)->name : NULL;
}

static void condition_add(struct condition *to, const struct condition *more)
{
    to->targets += more->targets;
    to->violated += more->violated;
    to->below += more->below;
    to->largest = more->largest > to->largest ? more->largest : to->largest;
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
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
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
        c->unknown += isfinite(source->error) ? 0 : 1;
        if (!(source->error <= c->error))
            c->error = source->error;
        two_clocks_add(&c->two, tcf_location_at(self->defs, k)->group, source->error);
    }
    if (n > 0)
        qsort(components, n, sizeof *components, order_numbers);
    for (uint32_t i = 0; i < n; i++)
        c->components += i == 0 || components[i] != components[i - 1];
    int done = components != NULL;
    free(components);
    return done;
}

/* What an earlier correction of this trace has stated, where none of this run has stated it anew; NULL: nothing.
 * Messages that it has brought into order look as if the clocks had always agreed, so what a survey learns of them now
 * may be far too good. */
static const char *stated_before(const tcf_self *self)
{
    uint32_t n = 0;
    const tcf_property *now = self->host->properties(self, &n);
    return clocks_stated(now, n) ? NULL : clocks_stated(self->defs->properties, self->defs->n_properties);
}

static void describe_uncertainty(const tcf_self *self, const struct clocks *c, char *buffer, size_t bytes)
{
    const char *stated = stated_before(self);
    char *end = NULL;
    double earlier = stated ? strtod(stated, &end) : 0;
    double one = c->error / (double)self->defs->clock.resolution;
    double two = (c->two.largest + c->two.second) / (double)self->defs->clock.resolution;
    int worse = stated && (end == stated || earlier > two);
    if (c->components > 1)
        snprintf(buffer, bytes, "%" PRIu64 " groups of locations have no common clock", c->components);
    else if (isfinite(c->error) && worse)
        snprintf(buffer, bytes,
                 "residual uncertainty between two clocks, as an earlier correction has stated it: %.40s", stated);
    else if (isfinite(c->error))
        snprintf(buffer, bytes, "residual uncertainty: +-%.3g s of a single clock, %.3g s between two", one, two);
    else
        snprintf(buffer, bytes, "residual uncertainty of the clocks: not known");
}

static tcf_status report_verdict(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"finding", TCF_CELL_TEXT, NULL, "What was looked at"},
        {"before", TCF_CELL_UINT, NULL, "By the times that were read"},
        {"after", TCF_CELL_UINT, NULL, "By the times that arrive here"},
        {"meaning", TCF_CELL_TEXT, NULL, "What is counted"},
    };
    const struct report *r = self->state;
    struct tally all = {{0}, {0}, 0};
    struct clocks clocks;
    uint64_t moved = 0, events = 0;
    char title[TITLE], uncertainty[TITLE / 2], unjudged[64] = "", alone[64] = "";
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
    describe_uncertainty(self, &clocks, uncertainty, sizeof uncertainty);
    if (all.raw.targets > all.now.targets)
        snprintf(unjudged, sizeof unjudged, " (%" PRIu64 " events not judged)", all.raw.targets - all.now.targets);
    if (r->alone > 0)
        snprintf(alone, sizeof alone, " (%" PRIu64 " receives have no known send)", r->alone);
    snprintf(title, sizeof title,
             "Violations of the clock condition: %" PRIu64 " before, %" PRIu64 " after%s%s; %" PRIu64 " of %" PRIu64
             " events moved; %s",
             all.raw.violated, all.now.violated, unjudged, alone, moved, events, uncertainty);
    tcf_table *t = self->host->table(self, "verdict", title, columns, TCF_COUNT(columns));
    const struct {
        const char *finding;
        uint64_t before, after;
        const char *meaning;
    } rows[] = {
        {"clock_violations", all.raw.violated, all.now.violated,
         "events that come before something that they depend on"},
        {"below_minimum", all.raw.below, all.now.below, "events that come sooner than the minimum delay allows"},
        {"targets", all.raw.targets, all.now.targets, "events that depend on others, as far as they could be judged"},
        {"alone", r->alone, r->alone, "receives that depend on a send that isn't known: not judged"},
        {"moved", 0, moved, "events with another time"},
        {"unknown_clocks", clocks.unknown, clocks.unknown, "locations whose clock has no error bar"},
        {"unconnected", clocks.unconnected, clocks.unconnected, "locations that nothing ties to the reference"},
    };
    for (uint32_t i = 0; i < TCF_COUNT(rows); i++)
        self->host->row(t, (const tcf_cell[]){tcf_text(rows[i].finding), tcf_uint(rows[i].before),
                                              tcf_uint(rows[i].after), tcf_text(rows[i].meaning)});
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- clock condition -- */

static tcf_status report_violations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"targets", TCF_CELL_UINT, NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated_before", TCF_CELL_UINT, NULL, "Those that come too early by the times that were read"},
        {"largest_before", TCF_CELL_DOUBLE, "s", "By how much at most"},
        {"largest_before_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"violated_after", TCF_CELL_UINT, NULL, "Those that come too early here"},
        {"largest_after", TCF_CELL_DOUBLE, "s", "By how much at most"},
        {"largest_after_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"below_minimum_before", TCF_CELL_UINT, NULL, "Those that come sooner than the minimum delay allows, as read"},
        {"below_minimum_after", TCF_CELL_UINT, NULL, "The same here"},
        {"unjudged_after", TCF_CELL_UINT, NULL, "Targets of instances that were given up"},
    };
    tcf_table *table = self->host->table(self, "violations", "Clock condition by class", columns, TCF_COUNT(columns));
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct tally t = of_class(self->state, c);
        char name[64];
        if (t.raw.targets > 0)
            self->host->row(table,
                            (const tcf_cell[]){tcf_text(class_name(c, name)), tcf_uint(t.raw.targets),
                                               tcf_uint(t.raw.violated), seconds(self, (double)t.raw.largest),
                                               tcf_uint(t.raw.largest), tcf_uint(t.now.violated),
                                               seconds(self, (double)t.now.largest), tcf_uint(t.now.largest),
                                               tcf_uint(t.raw.below), tcf_uint(t.now.below),
                                               tcf_uint(t.raw.targets > t.now.targets ? t.raw.targets - t.now.targets
                                                                                      : 0)});
    }
    return TCF_OK;
}

static tcf_status report_delays(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"distance", TCF_CELL_TEXT, NULL, "Between the two locations, or the largest one in the communicator"},
        {"targets", TCF_CELL_UINT, NULL, "Events that depend on others"},
        {"minimum", TCF_CELL_DOUBLE, "s", "The minimum delay that was asked for, or learned"},
        {"minimum_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"smallest_before", TCF_CELL_DOUBLE, "s", "Smallest delay by the times that were read"},
        {"smallest_before_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"smallest_after", TCF_CELL_DOUBLE, "s", "Smallest delay here"},
        {"smallest_after_ticks", TCF_CELL_INT | TCF_CELL_DETAIL, "ticks",
         "The same in ticks; 2^63 - 1: none could be judged"},
    };
    const struct report *r = self->state;
    tcf_table *table =
        self->host->table(self, "delays", "Smallest delays by class and distance", columns, TCF_COUNT(columns));
    for (uint32_t c = 0; c < CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            const struct tally *t = &r->tally[c][d];
            char name[64];
            if (t->raw.targets > 0)
                self->host->row(table, (const tcf_cell[]){tcf_text(class_name(c, name)), tcf_text(tcf_distance_name(d)),
                                                          tcf_uint(t->raw.targets), seconds(self, (double)t->mu),
                                                          tcf_uint(t->mu), seconds(self, (double)t->raw.smallest),
                                                          tcf_int(t->raw.smallest),
                                                          seconds(self, t->now.targets ? (double)t->now.smallest
                                                                                       : (double)NAN),
                                                          tcf_int(t->now.smallest)});
        }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- locations -- */

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"clock", TCF_CELL_TEXT, NULL, "Where its clock comes from: raw, measured, file, messages, unconnected"},
        {"component", TCF_CELL_INT, NULL, "Locations of one number have a common clock; -1: not known"},
        {"error", TCF_CELL_DOUBLE, "s", "How far its clock may be off: half its error bar, at most"},
        {"events", TCF_CELL_UINT, NULL, "Its events"},
        {"moved", TCF_CELL_UINT, NULL, "Those that have another time"},
        {"min", TCF_CELL_DOUBLE, "s", "Smallest correction, time after minus time before"},
        {"mean", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Mean correction"},
        {"max", TCF_CELL_DOUBLE, "s", "Largest correction"},
    };
    const struct report *r = self->state;
    tcf_table *t = self->host->table(self, "locations", "Corrections by location", columns, TCF_COUNT(columns));
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct location *l = location_at(self, k);
        const tcf_clock_source *source = r->sources ? &r->sources[k] : NULL;
        if (l->all.n > 0)
            self->host->row(t, (const tcf_cell[]){
                                   tcf_uint(tcf_location_at(self->defs, k)->id), tcf_text(process_name(self, k)),
                                   tcf_text(source ? tcf_clock_origin_name(source->origin) : NULL),
                                   tcf_int(source && source->component != TCF_NONE ? (int64_t)source->component : -1),
                                   seconds(self, source ? source->error : (double)NAN), tcf_uint(l->all.n),
                                   tcf_uint(l->moved), seconds(self, correction(l, (double)l->all.min)),
                                   seconds(self, correction(l, l->all.sum / (double)l->all.n)),
                                   seconds(self, correction(l, (double)l->all.max))});
    }
    return TCF_OK;
}

static tcf_status report_corrections(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"from", TCF_CELL_UINT, "ticks", "Where the stretch of time begins"},
        {"length", TCF_CELL_UINT, "ticks", "How long it is"},
        {"events", TCF_CELL_UINT, NULL, "Events in it"},
        {"min", TCF_CELL_DOUBLE, "s", "Smallest correction, time after minus time before"},
        {"mean", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "Mean correction"},
        {"max", TCF_CELL_DOUBLE, "s", "Largest correction"},
    };
    const struct conf *conf = self->conf;
    uint32_t shift = 0, buckets = (uint32_t)conf->buckets;
    tcf_table *t = self->host->table(self, "corrections", "Corrections over time", columns, TCF_COUNT(columns));
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        if (location_at(self, k)->all.n > 0 && location_at(self, k)->shift > shift)
            shift = location_at(self, k)->shift;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        struct location *l = tcf_location_state(self, k);
        while (l->shift < shift)
            corrections_fold(l, buckets);
        for (uint32_t i = 0; i < buckets; i++)
            if (l->bucket[i].n > 0)
                self->host->row(t, (const tcf_cell[]){tcf_uint(tcf_location_at(self->defs, k)->id),
                                                      tcf_uint(l->origin + ((uint64_t)i << shift)),
                                                      tcf_uint(1ull << shift), tcf_uint(l->bucket[i].n),
                                                      seconds(self, correction(l, (double)l->bucket[i].min)),
                                                      seconds(self,
                                                              correction(l, l->bucket[i].sum / (double)l->bucket[i].n)),
                                                      seconds(self, correction(l, (double)l->bucket[i].max))});
    }
    return TCF_OK;
}

struct worst {
    uint64_t size;
    uint32_t location;
};

static int order_worst(const void *a, const void *b)
{
    const struct worst *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->location > y->location) - (x->location < y->location);
}

static tcf_status report_worst(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"place", TCF_CELL_UINT, NULL, "1: the largest"},
        {"location", TCF_CELL_UINT, NULL, "Id of the location"},
        {"process", TCF_CELL_TEXT, NULL, "Name of its location group"},
        {"event", TCF_CELL_UINT, NULL, "Number of the event in its location, as read"},
        {"before", TCF_CELL_UINT, "ticks", "Its time as read"},
        {"after", TCF_CELL_UINT, "ticks", "Its time here"},
        {"correction", TCF_CELL_DOUBLE, "s", "By how much it was moved"},
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
        t = self->host->table(self, "worst", "Largest correction of each location", columns, TCF_COUNT(columns));
    for (uint32_t i = 0; t && i < n && i < (uint64_t)conf->worst; i++) {
        const struct location *l = location_at(self, all[i].location);
        self->host->row(t,
                        (const tcf_cell[]){tcf_uint(i + 1u), tcf_uint(tcf_location_at(self->defs, all[i].location)->id),
                                           tcf_text(process_name(self, all[i].location)), tcf_uint(l->largest.event),
                                           tcf_uint(l->largest.raw), tcf_uint(l->largest.time),
                                           seconds(self, (double)(int64_t)(l->largest.time - l->largest.raw))});
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
        self->host->row(t, (const tcf_cell[]){tcf_text(what), tcf_text("unchanged"), tcf_uint(d->unchanged),
                                              tcf_uint(0), tcf_uint(0)});
    for (uint32_t i = 0; i < DECADES; i++)
        if (d->shorter[i] + d->longer[i] > 0)
            self->host->row(t, (const tcf_cell[]){tcf_text(what), tcf_text(from[i]),
                                                  tcf_uint(d->shorter[i] + d->longer[i]), tcf_uint(d->shorter[i]),
                                                  tcf_uint(d->longer[i])});
    if (d->undefined > 0)
        self->host->row(t, (const tcf_cell[]){tcf_text(what), tcf_text("undefined"), tcf_uint(d->undefined),
                                              tcf_uint(0), tcf_uint(0)});
}

static tcf_status report_distortion(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"interval", TCF_CELL_TEXT, NULL,
         "local: between neighbouring events of a location; message: from send to receive"},
        {"from", TCF_CELL_TEXT, NULL,
         "Decade of |after - before| / before: from here to ten times as much (0: to 1e-9; 10: without end); "
         "undefined: was not positive before"},
        {"count", TCF_CELL_UINT, NULL, "Intervals"},
        {"shorter", TCF_CELL_UINT, NULL, "Those that are shorter now"},
        {"longer", TCF_CELL_UINT, NULL, "Those that are longer now"},
    };
    const struct report *r = self->state;
    tcf_table *t = self->host->table(self, "distortion", "Distortion of intervals", columns, TCF_COUNT(columns));
    distortion_rows(self, t, "local", &r->intervals);
    distortion_rows(self, t, "message", &r->messages);
    return TCF_OK;
}

tcf_status report_tables(tcf_self *self)
{
    if (report_verdict(self) != TCF_OK || report_violations(self) != TCF_OK || report_delays(self) != TCF_OK ||
        report_locations(self) != TCF_OK || report_corrections(self) != TCF_OK || report_worst(self) != TCF_OK)
        return TCF_ERROR;
    return report_distortion(self);
}
