/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The results of the filter `clock_estimate`: tables for the main chain, a report, a file of knots. */
#include "../shared/clocks/knot_file.h"
#include "../shared/clocks/stated.h"
#include "clock_estimate.h"

#include <inttypes.h>
#include <math.h>
#include <private/domains_host.h>
#include <stdlib.h>

/* Processes whose messages leave more than so many seconds between their clocks aren't shown to share one. */
static const double widest_shared = 1e-4;

static uint32_t unit_of(const tcf_self *self, uint32_t location)
{
    return ((const struct place_in_trace *)tcf_location_state(self, location))->unit;
}

/* A location without times has no wrong ones. */
static enum tcf_clock_origin origin_of(const tcf_self *self, const struct solution *s, uint32_t location)
{
    static const enum tcf_clock_origin origins[] = {TCF_CLOCK_RAW, TCF_CLOCK_MEASURED, TCF_CLOCK_MESSAGES,
                                                    TCF_CLOCK_UNCONNECTED};
    const struct state *st = self->state;
    uint32_t unit = unit_of(self, location);
    return bounds_unit(st->bounds, unit)->seen ? origins[s->unit[unit].origin] : TCF_CLOCK_RAW;
}

/* -------------------------------------------------------------------------------------------------------- tables -- */

/* The knots of all locations, in the order of their indices or ids. NULL: out of memory. */
static tcf_clock_knot *all_knots(const tcf_self *self, const struct solution *s, int by_id, uint64_t *n)
{
    const struct state *st = self->state;
    *n = 0;
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        *n += s->unit[unit_of(self, k)].n_knots;
    tcf_clock_knot *rows = calloc(*n + 1, sizeof *rows), *next = rows;
    for (uint32_t k = 0; rows && k < self->defs->n_locations; k++) {
        uint32_t location = by_id ? st->by_id[k].location : k;
        const struct unit_result *u = &s->unit[unit_of(self, location)];
        for (uint32_t i = u->first_knot; i < u->first_knot + u->n_knots; i++)
            *next++ = (tcf_clock_knot){s->knot[i].time, s->knot[i].offset, s->knot[i].error, location, 0};
    }
    return rows;
}

static tcf_status learn_knots(tcf_self *self, const struct solution *s)
{
    uint64_t n;
    tcf_clock_knot *rows = all_knots(self, s, 0, &n);
    if (!rows)
        return self->host->fail(self, "out of memory for %" PRIu64 " knots", n);
    tcf_status status = self->host->learn(self, TCF_CLOCK_KNOTS, sizeof *rows, rows, n);
    free(rows);
    return status;
}

/* The locations that have one clock, by messages or as stated. */
struct shared {
    uint32_t clock;
    enum tcf_clock_evidence evidence;
    uint64_t processes, locations, messages;
    double apart; /* ticks; 0: unknown */
    const char *process, *shown_by;
};

static struct shared shared_by(const tcf_self *self, uint32_t location)
{
    static const enum tcf_clock_evidence evidence[] =
        {[ALONE] = TCF_SHARED_IN_PROCESS,        [BY_MESSAGES] = TCF_SHARED_BY_MESSAGES,
         [BY_ONE_WAY] = TCF_SHARED_BY_ONE_WAY,   [BY_THIRD] = TCF_SHARED_BY_THIRD,
         [BY_MEASURED] = TCF_SHARED_BY_MEASURED, [BY_OTHER_ONES] = TCF_SHARED_AS_OTHERS};
    const struct state *st = self->state;
    const struct conf *conf = self->conf;
    const struct sharing *s = &st->sharing;
    uint32_t unit = unit_of(self, location);
    const struct clock_group *g = s->one_clock ? &s->all : s->group ? &s->group[unit] : NULL;
    if (g)
        return (struct shared){.clock = s->one_clock ? 0 : unit,
                               .evidence = evidence[g->proof],
                               .messages = g->messages,
                               .apart = g->width};
    return (struct shared){.clock = unit,
                           .evidence = conf->clocks == BY_NODE ? TCF_SHARED_AS_STATED : TCF_SHARED_IN_PROCESS};
}

static tcf_status learn_sources(tcf_self *self, const struct solution *s)
{
    uint32_t n = self->defs->n_locations;
    tcf_clock_source *rows = calloc((size_t)n + 1, sizeof *rows);
    if (!rows)
        return self->host->fail(self, "out of memory for %u locations", n);
    for (uint32_t k = 0; k < n; k++) {
        const struct unit_result *u = &s->unit[unit_of(self, k)];
        struct shared with = shared_by(self, k);
        rows[k] = (tcf_clock_source){.location = k,
                                     .component = u->component,
                                     .error = u->error,
                                     .likely = u->likely,
                                     .apart = with.apart,
                                     .clock = with.clock,
                                     .origin = (uint8_t)origin_of(self, s, k),
                                     .evidence = (uint8_t)with.evidence};
        if (u->component != 0) { /* even without events in the archive: the main chain may find some */
            rows[k].origin = TCF_CLOCK_UNCONNECTED;
            rows[k].error = rows[k].likely = (double)INFINITY;
        }
    }
    tcf_status status = self->host->learn(self, TCF_CLOCK_SOURCES, sizeof *rows, rows, n);
    free(rows);
    return status;
}

/* ---------------------------------------------------------------------------------------------------------- file -- */

tcf_status check_knot_file(tcf_self *self)
{
    const struct conf *conf = self->conf;
    char why[KNOT_FILE_WHY];
    if (!conf->knots || knot_file_may_be(conf->knots, conf->overwrite_knots, "overwrite_knots", why))
        return TCF_OK;
    return self->host->fail(self, "knots = %s: %s", conf->knots, why);
}

static tcf_status write_knots(tcf_self *self, const struct solution *s)
{
    const struct conf *conf = self->conf;
    uint64_t n;
    if (!conf->knots)
        return TCF_OK;
    tcf_clock_knot *rows = all_knots(self, s, 1, &n);
    if (!rows)
        return self->host->fail(self, "out of memory for %" PRIu64 " knots", n);
    for (uint64_t i = 0; i < n; i++)
        rows[i].error = ceil(rows[i].error); /* whole ticks */
    tcf_status status = knot_file_write(self, conf->knots, conf->overwrite_knots, NULL, rows, n);
    free(rows);
    return status;
}

/* -------------------------------------------------------------------------------------------------------- report -- */

struct clock_row {
    uint64_t location;
    const char *process, *origin;
    struct unit_result of;
};

static void report_locations(tcf_self *self, const struct solution *s)
{
    static const tcf_table_column columns[] =
        {{"location", TCF_AT(struct clock_row, location), NULL, "id"},
         {"process", TCF_AT(struct clock_row, process), NULL, "its location group"},
         {"origin", TCF_AT(struct clock_row, origin), NULL, "what its correction comes from"},
         {"component", TCF_AT(struct clock_row, of.component), NULL, "locations of one number have a common clock"},
         {"knots", TCF_AT(struct clock_row, of.n_knots), NULL, "points of the correction"},
         {"error", TCF_AT(struct clock_row, of.error) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
          "half the largest error bar; -: unknown"},
         {"likely_error", TCF_AT(struct clock_row, of.likely) | TCF_CELL_SECONDS, "s",
          "within which 95 % of its times are expected, by the noise of messages and measurements; -: unknown"},
         {"rms", TCF_AT(struct clock_row, of.rms) | TCF_CELL_SECONDS, "s",
          "of the correction about its mean: how far the clock is from a constant offset"}};
    const tcf_definitions *defs = self->defs;
    tcf_table *t = TCF_TABLE(self, "clocks", "Clocks of the locations", columns);
    for (uint32_t k = 0; k < defs->n_locations; k++) {
        const char *process = tcf_process_name(defs, k, NULL);
        tcf_row(self, t,
                &(struct clock_row){tcf_location_at(defs, k)->id, process ? process : "unknown",
                                    tcf_clock_origin_name(origin_of(self, s, k)), s->unit[unit_of(self, k)]});
    }
}

/* The clocks that several processes have. */
static int report_groups(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"clock", TCF_AT(struct shared, clock), NULL, "number of the clock"},
         {"process", TCF_AT(struct shared, process), NULL, "the first process that has it"},
         {"processes", TCF_AT(struct shared, processes), NULL, "how many have it"},
         {"locations", TCF_AT(struct shared, locations), NULL, "and their locations"},
         {"evidence", TCF_AT(struct shared, shown_by), NULL, "what shows it; of several links the weakest one"},
         {"messages", TCF_AT(struct shared, messages), NULL, "messages that do"},
         {"apart", TCF_AT(struct shared, apart) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
          "what they leave between two clocks; -: nothing is known of that"}};
    const tcf_definitions *defs = self->defs;
    const struct state *st = self->state;
    struct shared *all = calloc((size_t)st->n_units + 1, sizeof *all);                     /* by clock */
    uint8_t *counted = calloc((size_t)defs->n_locations + defs->n_location_groups + 1, 1); /* by process */
    for (uint32_t k = 0; all && counted && k < defs->n_locations; k++) {
        uint32_t location = st->by_id[k].location, process = tcf_process_of(defs, location);
        struct shared with = shared_by(self, location), *one = &all[with.clock];
        with.processes = one->processes;
        with.locations = one->locations + 1;
        with.process = one->processes > 0 ? one->process : tcf_process_name(defs, location, NULL);
        with.apart = with.apart > 0 ? with.apart : (double)NAN;
        with.shown_by = tcf_clock_evidence_name(with.evidence);
        uint8_t *seen = &counted[process < defs->n_location_groups ? process : defs->n_location_groups + location];
        with.processes += !*seen;
        *seen = 1;
        *one = with;
    }
    tcf_table *t = NULL;
    for (uint32_t c = 0; all && counted && c < st->n_units; c++) {
        if (all[c].processes < 2)
            continue;
        t = t ? t : TCF_TABLE(self, "shared", "Clocks that several processes have", columns);
        tcf_row(self, t, &all[c]);
    }
    int done = all && counted;
    free(all);
    free(counted);
    return done;
}

struct total {
    const char *name;
    uint64_t count;
    const char *meaning;
};

static void report_totals(tcf_self *self, const struct solution *s)
{
    static const tcf_table_column columns[] = {{"what", TCF_AT(struct total, name), NULL, "What is counted"},
                                               {"count", TCF_AT(struct total, count), NULL, "How many"},
                                               {"meaning", TCF_AT(struct total, meaning), NULL, "In words"}};
    const struct state *st = self->state;
    const struct total totals[] = {
        {"messages", s->messages, "messages, each of which bounds the difference of two clocks"},
        {"collectives", st->collectives, "collective operations, which bound differences likewise"},
        {"pairs", s->pairs, "pairs of clocks between which there are messages"},
        {"contradictory_pairs", s->contradictory, "pairs left out: their messages contradict each other"},
        {"messages_without_room", s->without_room, "messages left out: of more pairs than fit in 'memory'"},
        {"components", s->components, "groups of clocks that are connected with each other"},
        {"intervals", s->gaps, "intervals of the run in which each clock has a rate of its own"},
    };
    self->host->rows(TCF_TABLE(self, "totals", "What the clocks were estimated from", columns), totals,
                     TCF_COUNT(totals), sizeof *totals);
}

static void warn(tcf_self *self, const struct solution *s)
{
    uint32_t unconnected = 0;
    for (uint32_t k = 0; k < self->defs->n_locations; k++)
        unconnected += origin_of(self, s, k) == TCF_CLOCK_UNCONNECTED;
    tcf_warn(self, unconnected,
             "locations are connected with the reference by no message, collective or clock offset; their clocks are "
             "unknown");
    tcf_warn(self, s->contradictory, "pairs of processes have messages that contradict each other; they were left out");
    tcf_warn(self, s->without_room, "messages between more pairs of processes than fit in 'memory' were left out");
}

/* Marks the clocks of locations with events but without edges as seen: no slice comes of them where only edges are
 * decoded, but the archive states their number of events. Their times are unknown; those of their measurements stand
 * for them. */
static void mark_clocks_without_edges(tcf_self *self)
{
    struct state *st = self->state;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct place_in_trace *l = tcf_location_state(self, k);
        const tcf_location *def = tcf_location_at(self->defs, k);
        const struct unit *u = bounds_unit(st->bounds, l->unit);
        if (l->has_events || def->events == 0 || def->silent || u->seen)
            continue;
        bounds_seen(st->bounds, l->unit, u->n_measured > 0 ? u->measured[0].time : self->defs->clock.global_offset);
        if (u->n_measured > 0)
            bounds_seen(st->bounds, l->unit, u->measured[u->n_measured - 1].time);
    }
}

/* The first clock that ticks. */
static void choose_reference(struct state *st)
{
    uint32_t u = st->reference;
    while (u < st->n_units && !bounds_unit(st->bounds, u)->seen)
        u++;
    if (u < st->n_units)
        st->reference = u;
}

/* The difference of two clocks that an earlier correction has stated in the archive, in ticks; NAN: none, or
 * unknown. */
static double stated_before(const tcf_self *self)
{
    const char *stated = clocks_stated(self->defs->properties, self->defs->n_properties);
    char *end = NULL;
    double seconds = stated ? strtod(stated, &end) : (double)NAN;
    return seconds >= 0 && end != stated ? seconds * (double)self->defs->clock.resolution : (double)NAN;
}

/* Connects components to the reference's if an earlier correction has stated that it brought all clocks together,
 * perhaps by measurements which the archive has lost. A component whose clocks need a correction again stays
 * unconnected. 0: out of memory. */
static int tie_as_stated(tcf_self *self, struct solution *s)
{
    struct state *st = self->state;
    double stated = stated_before(self);
    uint8_t *corrected = isfinite(stated) ? calloc((size_t)st->n_units + 1, 1) : NULL; /* by component */
    for (uint32_t u = 0; corrected && u < st->n_units; u++)
        corrected[s->unit[u].component] |= s->unit[u].n_knots > 0;
    for (uint32_t u = 0; corrected && u < st->n_units; u++) {
        struct unit_result *r = &s->unit[u];
        if (r->component == 0 || corrected[r->component] & 1)
            continue;
        s->components -= corrected[r->component] == 0;
        corrected[r->component] = 2;
        r->component = 0;
        r->origin = FROM_NOTHING;
        r->error = r->likely = stated / 2;
    }
    int done = corrected || !isfinite(stated);
    free(corrected);
    return done;
}

static int is_interrupted(const void *data)
{
    const tcf_self *self = data;
    return self->host->interrupted(self);
}

static void divide(const void *data, void (*work)(void *what, uint32_t k), void *what, uint32_t n)
{
    const tcf_self *self = data;
    tcf_domains_host_of(self)->divide(self, work, what, n);
}

/* Finds processes that share a clock; then units are these groups. 0: out of memory. */
static int find_shared(tcf_self *self, struct settings *settings)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    if (conf->clocks != FOUND || st->n_units == 0)
        return 1;
    if (share_clocks(st->bounds, settings, &st->sharing) != 0)
        return 0;
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        struct place_in_trace *l = tcf_location_state(self, k);
        l->unit = st->sharing.group_of[l->unit];
    }
    st->n_units = st->sharing.n_groups;
    st->reference = settings->reference = st->sharing.group_of[st->reference];
    return 1;
}

tcf_status report_clocks(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    struct solution s;
    if (!conf->reference)
        choose_reference(st); /* a clock that communicates, if there is one */
    mark_clocks_without_edges(self);
    if (!conf->reference)
        choose_reference(st);
    struct settings settings = {.reference = st->reference,
                                .length = self->defs->clock.length,
                                .most_gaps = (uint32_t)conf->most_knots,
                                .memory = st->memory - st->memory / 4,
                                .measured_error = (double)self->host->ticks(self, conf->measured_error),
                                .drift_rate = conf->drift_rate,
                                .most_rate = conf->most_rate,
                                .threads = tcf_domains_host_of(self)->threads(self),
                                .divide = divide,
                                .interrupted = is_interrupted,
                                .data = self,
                                .widest = widest_shared * (double)self->defs->clock.resolution};
    if (!(settings.measured_error >= 1))
        settings.measured_error = 1;
    if (!find_shared(self, &settings))
        return self->host->fail(self, "out of memory for the clocks of %u processes", st->n_units);
    if (estimate_clocks(st->bounds, &settings, &s) != 0)
        return is_interrupted(self)
                   ? self->host->fail(self, "interrupted")
                   : self->host->fail(self, "out of memory for the clocks of %u processes", st->n_units);
    tcf_status status =
        tie_as_stated(self, &s) ? TCF_OK : self->host->fail(self, "out of memory for %u clocks", st->n_units);
    if (status == TCF_OK)
        warn(self, &s);
    if (status == TCF_OK)
        status = learn_knots(self, &s);
    if (status == TCF_OK)
        status = learn_sources(self, &s);
    if (status == TCF_OK)
        status = write_knots(self, &s);
    report_locations(self, &s);
    if (status == TCF_OK && !report_groups(self))
        status = self->host->fail(self, "out of memory for the report");
    report_totals(self, &s);
    solution_free(&s);
    return status;
}
