/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* presync: the report. Each location's correction, and how far two clocks may still be apart. */
#include "../shared/clocks/stated.h"
#include "presync.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const char *const method_names[] = {[METHOD_AUTO] = "auto",
                                           [METHOD_ARCHIVE] = "clock offsets of the archive",
                                           [METHOD_FILE] = "file",
                                           [METHOD_SURVEY] = "survey",
                                           [METHOD_NONE] = "none"};

static double seconds(const tcf_self *self, double ticks)
{
    return isfinite(ticks) ? ticks / (double)self->defs->clock.resolution : (double)NAN;
}

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"location", TCF_CELL_UINT, NULL, "Id of the location"},
         {"name", TCF_CELL_TEXT, NULL, "Its name"},
         {"process", TCF_CELL_TEXT, NULL, "Name of its process"},
         {"origin", TCF_CELL_TEXT, NULL, "Where its knots come from; raw: its times are right as they are"},
         {"knots", TCF_CELL_UINT, NULL, "Knots of its correction"},
         {"first", TCF_CELL_INT, "ticks", "Correction of the first event"},
         {"last", TCF_CELL_INT, "ticks", "Correction of the last event"},
         {"least", TCF_CELL_INT, "ticks", "Smallest correction"},
         {"most", TCF_CELL_INT, "ticks", "Largest correction"},
         {"error", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s",
          "Half the error bar of the correction, the largest of all knots; -: unknown"}};
    const tcf_definitions *defs = self->defs;
    tcf_table *table =
        self->host->table(self, "clocks", "Clock corrections by location", columns, sizeof columns / sizeof columns[0]);

    for (uint32_t i = 0; i < defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        uint32_t g = tcf_location_at(defs, i)->group;
        tcf_cell row[] = {{.u = tcf_location_at(defs, i)->id},
                          {.text = tcf_location_at(defs, i)->name},
                          {.text = g < defs->n_location_groups ? tcf_location_group_at(defs, g)->name : NULL},
                          {.text = tcf_clock_origin_name(l->origin)},
                          {.u = l->n_knots},
                          {.i = l->first},
                          {.i = l->last},
                          {.i = l->least},
                          {.i = l->most},
                          {.d = seconds(self, l->error)}};
        self->host->row(table, row);
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

/* The residual in seconds; NAN: nobody has said. */
static double known_residual(const tcf_self *self)
{
    const struct state *st = self->state;

    return st->n_knots == 0 && st->method != METHOD_SURVEY ? (double)NAN : seconds(self, residual(self));
}

/* Has the archive clock offsets that go no further than here? */
static int takes_offsets_out(const tcf_self *self)
{
    for (uint32_t i = 0; i < self->defs->n_locations; i++)
        if (tcf_location_at(self->defs, i)->n_clock_offsets > 0)
            return !(self->changed & TCF_WRITES_CLOCK);
    return 0;
}

/* What is written says how far its clocks may still be apart, all of them: of one that nothing ties to the others
 * nobody knows. Where neither times nor clock offsets were touched, what the archive has said before stays. */
static tcf_status state_uncertainty(tcf_self *self, int any_unsynchronised)
{
    double error = any_unsynchronised ? (double)NAN : known_residual(self);
    char text[64] = "unknown";

    if (isfinite(error))
        snprintf(text, sizeof text, "%.3g s", error);
    return self->host->set_property(self, CLOCKS_STATED, text);
}

tcf_status summary_report(tcf_self *self)
{
    static const tcf_table_column columns[] =
        {{"method", TCF_CELL_TEXT, NULL, "Where the corrections come from"},
         {"knots", TCF_CELL_UINT, NULL, "Knots of all corrections"},
         {"corrected", TCF_CELL_UINT, NULL, "Locations whose times were changed"},
         {"unsynchronised", TCF_CELL_UINT, NULL,
          "Locations with events that nothing ties to the others: their times mean nothing "
          "beside those of the others"},
         {"shift", TCF_CELL_INT, "ticks", "What was added to all times, so that none becomes negative"},
         {"residual", TCF_CELL_DOUBLE, "s",
          "How far the clocks of two synchronised processes may still be apart at the knots, by "
          "the stated errors; -: unknown"}};
    const struct state *st = self->state;
    uint64_t corrected = 0, unsynchronised = 0;

    for (uint32_t i = 0; i < self->defs->n_locations; i++) {
        const struct location *l = tcf_location_state(self, i);
        corrected += l->least != 0 || l->most != 0;
        unsynchronised += l->unsynchronised && l->events > 0;
    }
    tcf_table *table =
        self->host->table(self, "presync", "Clock synchronisation", columns, sizeof columns / sizeof columns[0]);
    tcf_cell row[] = {{.text = method_names[st->method]},
                      {.u = st->n_knots},
                      {.u = corrected},
                      {.u = unsynchronised},
                      {.i = st->shift},
                      {.d = known_residual(self)}};
    self->host->row(table, row);
    report_locations(self);
    if ((corrected > 0 || takes_offsets_out(self)) && state_uncertainty(self, unsynchronised > 0) != TCF_OK)
        return TCF_ERROR;
    if (unsynchronised > st->n_unsynchronised) /* which the archive has not let expect */
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "nothing ties %llu location%s to the others, so their times mean nothing beside those of the others",
                  (unsigned long long)unsynchronised, unsynchronised == 1 ? "" : "s");
    return TCF_OK;
}
