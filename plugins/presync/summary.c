/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* presync: the report. Each location's correction, and how far two clocks may still be apart. */
#include "../shared/clocks/stated.h"
#include "presync.h"

#include <math.h>
#include <private/extent_host.h>
#include <stddef.h>
#include <stdio.h>

static const char *const method_names[] = {[METHOD_AUTO] = "auto",
                                           [METHOD_ARCHIVE] = "clock offsets of the archive",
                                           [METHOD_FILE] = "file",
                                           [METHOD_SURVEY] = "survey",
                                           [METHOD_NONE] = "none"};

struct location_row {
    uint64_t id;
    const char *name, *process, *origin;
    struct location of;
};

struct summary_row {
    const char *method;
    uint64_t corrected, unsynchronised;
    double residual;
    struct state of;
};

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"location", TCF_AT(struct location_row, id), NULL, "Id of the location"},
         {"name", TCF_AT(struct location_row, name), NULL, "Its name"},
         {"process", TCF_AT(struct location_row, process), NULL, "Name of its process"},
         {"origin", TCF_AT(struct location_row, origin), NULL,
          "Where its knots come from; raw: its times are right as they are"},
         {"knots", TCF_AT(struct location_row, of.n_knots), NULL, "Knots of its correction"},
         {"first", TCF_AT(struct location_row, of.first) | TCF_CELL_DETAIL, "ticks", "first_s in ticks"},
         {"last", TCF_AT(struct location_row, of.last) | TCF_CELL_DETAIL, "ticks", "last_s in ticks"},
         {"least", TCF_AT(struct location_row, of.least) | TCF_CELL_DETAIL, "ticks", "Smallest correction"},
         {"most", TCF_AT(struct location_row, of.most) | TCF_CELL_DETAIL, "ticks", "Largest correction"},
         {"error", TCF_AT(struct location_row, of.error) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s",
          "Half the error bar of the correction, the largest of all knots; -: unknown"},
         {"first_s", TCF_AT(struct location_row, of.first) | TCF_CELL_SECONDS, "s", "Correction of the first event"},
         {"last_s", TCF_AT(struct location_row, of.last) | TCF_CELL_SECONDS, "s", "Correction of the last event"}};
    tcf_table *t = TCF_TABLE(self, "clocks", "Clock corrections by location", columns);

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const tcf_location *def = tcf_location_at(self->defs, i);
        const struct location *l = tcf_location_state(self, i);
        tcf_row(self, t,
                &(struct location_row){def->id, def->name, tcf_process_name(self->defs, i, NULL),
                                       tcf_clock_origin_name(l->origin), *l});
    }
}

/* How far the times of two synchronised processes may be apart, at the knots. */
static double residual(const tcf_self *self)
{
    two_clocks two = {.process = TCF_NONE};

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        if (!l->unsynchronised && l->events > 0)
            two_clocks_add(&two, tcf_location_at(self->defs, i)->group, l->error);
    }
    return two.largest + two.second;
}

/* The residual in ticks; not finite: it is unknown. */
static double known_residual(const tcf_self *self)
{
    const struct state *st = self->state;

    return st->n_knots == 0 && st->method != METHOD_SURVEY ? (double)NAN : residual(self);
}

/* An archive that is written states how far any two of its clocks may still be apart; that is unknown where nothing
 * ties a location to the others. Where neither times nor clock offsets were changed, an earlier statement stays. */
static tcf_status state_uncertainty(tcf_self *self, int any_unsynchronised)
{
    double error = any_unsynchronised ? (double)NAN : known_residual(self);
    char text[64] = "unknown";

    if (isfinite(error))
        snprintf(text, sizeof text, "%.3g s", tcf_seconds(self, error).d);
    return self->host->set_property(self, CLOCKS_STATED, text);
}

tcf_status summary_report(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"method", TCF_AT(struct summary_row, method), NULL, "Where the corrections come from"},
         {"knots", TCF_AT(struct summary_row, of.n_knots), NULL, "Knots of all corrections"},
         {"corrected", TCF_AT(struct summary_row, corrected), NULL, "Locations whose times were changed"},
         {"unsynchronised", TCF_AT(struct summary_row, unsynchronised), NULL,
          "Locations with events that nothing ties to the others: their times mean nothing "
          "beside those of the others"},
         {"shift", TCF_AT(struct summary_row, of.shift) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
         {"residual", TCF_AT(struct summary_row, residual) | TCF_CELL_SECONDS, "s",
          "How far the clocks of two synchronised processes may still be apart at the knots, by "
          "the stated errors; -: unknown"},
         {"shift_s", TCF_AT(struct summary_row, of.shift) | TCF_CELL_SECONDS, "s",
          "What was added to all times, so that none becomes negative"}};
    const struct state *st = self->state;
    uint64_t corrected = 0, unsynchronised = 0;

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        corrected += l->least != 0 || l->most != 0;
        unsynchronised += l->unsynchronised && l->events > 0;
    }
    tcf_row(self, TCF_TABLE(self, "presync", "Clock synchronisation", columns),
            &(struct summary_row){method_names[st->method], corrected, unsynchronised, known_residual(self), *st});
    report_locations(self);
    if ((corrected > 0 || tcf_offsets_wait(self)) && state_uncertainty(self, unsynchronised > 0) != TCF_OK)
        return TCF_ERROR;
    if (unsynchronised > st->n_unsynchronised) /* more than the archive's counts of events have shown in begin() */
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "nothing ties %llu location%s to the others, so their times mean nothing beside those of the others",
                  (unsigned long long)unsynchronised, unsynchronised == 1 ? "" : "s");
    return TCF_OK;
}
