/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clc_forward has found and changed: by class of edges, by location, and the delays that it went by. */
#include "clc_forward.h"

#include <stdio.h>

static tcf_status report_classes(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"targets", TCF_CELL_UINT, NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated", TCF_CELL_UINT, NULL,
         "Those whose time as it was comes before the corrected time of what they depend on, plus the minimum delay"},
        {"jumps", TCF_CELL_UINT, NULL,
         "Those at which the clock had to jump; the others were late enough by the correction of events before them"},
        {"largest_jump", TCF_CELL_DOUBLE, "s", "By how much at most"},
        {"summed_jumps", TCF_CELL_DOUBLE, "s", "All jumps together"},
        {"unbound", TCF_CELL_UINT, NULL, "Targets whose sources are not in the trace or were given up"},
    };
    const struct state *st = self->state;
    uint64_t violated = 0;
    char title[160];
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        violated += st->tally[c].violated;
    snprintf(title, sizeof title, "%llu violation%s of the clock condition corrected", (unsigned long long)violated,
             violated == 1 ? "" : "s");
    tcf_table *t = self->host->table(self, "classes", title, columns, TCF_COUNT(columns));
    for (uint32_t c = 0; c < TCF_CLASSES; c++) {
        const struct tally *y = &st->tally[c];
        if (y->targets + y->unbound > 0)
            self->host->row(t, (const tcf_cell[]){tcf_text(tcf_edge_class_name(c)), tcf_uint(y->targets),
                                                  tcf_uint(y->violated), tcf_uint(y->jumps),
                                                  tcf_seconds(self, (double)y->largest),
                                                  tcf_seconds(self, (double)y->jumped_by), tcf_uint(y->unbound)});
    }
    return TCF_OK;
}

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Its id"},
        {"group", TCF_CELL_TEXT, NULL, "Its location group"},
        {"events", TCF_CELL_UINT, NULL, "All of them"},
        {"moved", TCF_CELL_UINT, NULL, "Those that are later now"},
        {"jumps", TCF_CELL_UINT, NULL, "Times that the clock had to jump"},
        {"largest_jump", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "By how much at most"},
        {"summed_jumps", TCF_CELL_DOUBLE, "s", "All jumps together"},
        {"largest", TCF_CELL_DOUBLE, "s", "The largest correction of an event"},
        {"mean", TCF_CELL_DOUBLE, "s", "The mean correction of the events moved"},
        {"at_end", TCF_CELL_DOUBLE, "s", "The correction of the last event: what has not decayed"},
        {"least_gamma", TCF_CELL_DOUBLE, NULL, "The slowest speed that the clock was set to while ahead"},
    };
    const tcf_definitions *defs = self->defs;
    tcf_table *t = self->host->table(self, "locations", "Corrections by location", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const struct clock *k = tcf_location_state(self, l);
        uint32_t group = tcf_location_at(defs, l)->group;
        tcf_cell mean = tcf_seconds(self, (double)k->moved_by);
        mean.d /= k->moved > 0 ? (double)k->moved : 1;
        self->host->row(t, (const tcf_cell[]){tcf_uint(tcf_location_at(defs, l)->id),
                                              tcf_text(group < defs->n_location_groups
                                                           ? tcf_location_group_at(defs, group)->name
                                                           : NULL),
                                              tcf_uint(k->events), tcf_uint(k->moved), tcf_uint(k->jumps),
                                              tcf_seconds(self, (double)k->largest_jump),
                                              tcf_seconds(self, (double)k->jumped_by),
                                              tcf_seconds(self, (double)k->largest), mean,
                                              tcf_seconds(self, (double)(k->ahead ? k->l - k->c : 0)),
                                              (tcf_cell){.d = (double)k->least_g / (double)G_ONE}});
    }
    return TCF_OK;
}

static tcf_status report_delays(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", TCF_CELL_TEXT, NULL, "What orders the events"},
        {"distance", TCF_CELL_TEXT, NULL, "Of the two sides, or of the members of the communicator"},
        {"mu", TCF_CELL_DOUBLE, "s", "Minimum delay from an event to what it causes"},
        {"mu_ticks", TCF_CELL_UINT | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
    };
    const struct state *st = self->state;
    tcf_table *t = NULL;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            if (st->mu[c][d] == 0 || st->tally[c].targets == 0)
                continue;
            if (!t)
                t = self->host->table(self, "delays", "Minimum delays, where not 0", columns, TCF_COUNT(columns));
            self->host->row(t, (const tcf_cell[]){tcf_text(tcf_edge_class_name(c)), tcf_text(tcf_distance_name(d)),
                                                  tcf_seconds(self, (double)st->mu[c][d]), tcf_uint(st->mu[c][d])});
        }
    return TCF_OK;
}

static void tell_whether_moved(tcf_self *self)
{
    uint64_t moved = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        moved += ((const struct clock *)tcf_location_state(self, l))->moved;
    if (moved == 0)
        self->writes &= ~(uint32_t)(TCF_WRITES_TIME | TCF_WRITES_REC);
}

tcf_status report(tcf_self *self)
{
    tell_whether_moved(self);
    if (report_classes(self) != TCF_OK || report_locations(self) != TCF_OK)
        return TCF_ERROR;
    return report_delays(self);
}
