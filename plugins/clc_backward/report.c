/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clc_backward has done, in all and by location. */
#include "clc_backward.h"

static tcf_status report_sums(tcf_self *self, const struct place *sum)
{
    static const tcf_table_column columns[] = {
        {"what", TCF_CELL_TEXT, NULL, "What is counted"},
        {"count", TCF_CELL_UINT, NULL, "How often"},
        {"meaning", TCF_CELL_TEXT, NULL, "In words"},
    };
    tcf_table *t = self->host->table(self, "jumps", "Jumps and what became of them", columns, TCF_COUNT(columns));
    const struct {
        const char *name;
        uint64_t count;
        const char *meaning;
    } rows[] = {
        {"jumps", sum->jumps, "all of them"},
        {"full", sum->full, "spread along a straight line of the given slope"},
        {"limited", sum->limited, "bent below the line by sources that may not move so far"},
        {"shortened", sum->shortened, "steeper: the interval ends at max_interval or at the first event"},
        {"truncated", sum->truncated, "steeper: for want of memory, events before had been released"},
        {"unspread", sum->none, "no event could be moved"},
        {"guessed_sources", sum->guessed,
         "sources that moved less than they might: memory ran out before their targets came"},
        {"moved", sum->moved, "moves of an event"},
    };
    for (uint32_t i = 0; i < TCF_COUNT(rows); i++)
        self->host->row(t,
                        (const tcf_cell[]){tcf_text(rows[i].name), tcf_uint(rows[i].count), tcf_text(rows[i].meaning)});
    return TCF_OK;
}

static tcf_status report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", TCF_CELL_UINT, NULL, "Its id"},
        {"group", TCF_CELL_TEXT, NULL, "Its location group"},
        {"jumps", TCF_CELL_UINT, NULL, "All of them"},
        {"full", TCF_CELL_UINT, NULL, "Spread along a straight line of the given slope"},
        {"limited", TCF_CELL_UINT, NULL, "Bent below the line by sources that may not move so far"},
        {"shortened", TCF_CELL_UINT, NULL, "Steeper: the interval ends at max_interval or at the first event"},
        {"truncated", TCF_CELL_UINT, NULL, "Steeper: for want of memory, events before had been released"},
        {"unspread", TCF_CELL_UINT, NULL, "No event could be moved"},
        {"moved", TCF_CELL_UINT, NULL,
         "Moves of an event; one that lies in front of several jumps moves several times"},
        {"largest_jump", TCF_CELL_DOUBLE | TCF_CELL_LEADS, "s", "The largest one"},
        {"longest_interval", TCF_CELL_DOUBLE, "s", "Over which a jump was spread"},
    };
    const tcf_definitions *defs = self->defs;
    tcf_table *t = self->host->table(self, "locations", "Jumps by location", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        uint32_t group = tcf_location_at(defs, l)->group;
        self->host->row(t, (const tcf_cell[]){tcf_uint(tcf_location_at(defs, l)->id),
                                              tcf_text(group < defs->n_location_groups
                                                           ? tcf_location_group_at(defs, group)->name
                                                           : NULL),
                                              tcf_uint(p->jumps), tcf_uint(p->full), tcf_uint(p->limited),
                                              tcf_uint(p->shortened), tcf_uint(p->truncated), tcf_uint(p->none),
                                              tcf_uint(p->moved), tcf_seconds(self, (double)p->largest),
                                              tcf_seconds(self, (double)p->longest)});
    }
    return TCF_OK;
}

tcf_status report(tcf_self *self)
{
    struct place sum = {0};
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        sum.jumps += p->jumps;
        sum.full += p->full;
        sum.limited += p->limited;
        sum.shortened += p->shortened;
        sum.truncated += p->truncated;
        sum.none += p->none;
        sum.guessed += p->guessed;
        sum.moved += p->moved;
    }
    if (sum.moved == 0)
        self->writes &= ~(uint32_t)(TCF_WRITES_TIME | TCF_WRITES_REC);
    if (sum.truncated + sum.guessed > 0)
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "for want of memory %llu of %llu jumps were cut short and %llu sources moved less than they might: "
                  "raise memory in [pipeline], or lower max_interval",
                  (unsigned long long)sum.truncated, (unsigned long long)sum.jumps, (unsigned long long)sum.guessed);
    return report_sums(self, &sum) == TCF_OK ? report_locations(self) : TCF_ERROR;
}
