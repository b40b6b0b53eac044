/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clc_backward has done, in all and by location. */
#include "../shared/clocks/moves.h"
#include "clc_backward.h"

struct count {
    const char *what;
    uint64_t count;
    const char *meaning;
};

struct row {
    uint64_t location;
    const char *group;
    struct place place;
};

#define AT(member) TCF_AT(struct row, member)

static void report_sums(tcf_self *self, const struct counts *sum)
{
    static const tcf_table_column columns[] = {
        {"what", TCF_AT(struct count, what), NULL, "What is counted"},
        {"count", TCF_AT(struct count, count), NULL, "How often"},
        {"meaning", TCF_AT(struct count, meaning), NULL, "In words"},
    };
    const struct count rows[] = {
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
    self->host->rows(TCF_TABLE(self, "jumps", "Jumps and what became of them", columns), rows, TCF_COUNT(rows),
                     sizeof *rows);
}

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", AT(location), NULL, "Its id"},
        {"group", AT(group), NULL, "Its location group"},
        {"jumps", AT(place.counts.jumps), NULL, "All of them"},
        {"full", AT(place.counts.full), NULL, "Spread along a straight line of the given slope"},
        {"limited", AT(place.counts.limited), NULL, "Bent below the line by sources that may not move so far"},
        {"shortened", AT(place.counts.shortened), NULL,
         "Steeper: the interval ends at max_interval or at the first event"},
        {"truncated", AT(place.counts.truncated), NULL, "Steeper: for want of memory, events before had been released"},
        {"unspread", AT(place.counts.none), NULL, "No event could be moved"},
        {"moved", AT(place.counts.moved), NULL,
         "Moves of an event; one that lies in front of several jumps moves several times"},
        {"largest_jump", AT(place.counts.largest) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "The largest one"},
        {"longest_interval", AT(place.counts.longest) | TCF_CELL_SECONDS, "s", "Over which a jump was spread"},
    };
    tcf_table *t = TCF_TABLE(self, "locations", "Jumps by location", columns);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        tcf_row(self, t,
                &(struct row){tcf_location_at(self->defs, l)->id, tcf_process_name(self->defs, l, NULL),
                              *(const struct place *)tcf_location_state(self, l)});
}

/* An event moves at most by the largest jump behind it. */
static uint64_t moved(const tcf_self *self, uint32_t location)
{
    return ((const struct place *)tcf_location_state(self, location))->counts.largest;
}

tcf_status report(tcf_self *self)
{
    struct counts sum = {0};
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        sum.jumps += p->counts.jumps;
        sum.full += p->counts.full;
        sum.limited += p->counts.limited;
        sum.shortened += p->counts.shortened;
        sum.truncated += p->counts.truncated;
        sum.none += p->counts.none;
        sum.guessed += p->counts.guessed;
        sum.moved += p->counts.moved;
    }
    if (sum.moved == 0)
        self->writes &= ~(uint32_t)(TCF_WRITES_TIME | TCF_WRITES_REC);
    if (sum.truncated + sum.guessed > 0)
        self->host
            ->log(self, TCF_LOG_WARNING,
                  "for want of memory %llu of %llu jumps were cut short and %llu sources moved less than they might: "
                  "raise memory in [pipeline], or lower max_interval",
                  (unsigned long long)sum.truncated, (unsigned long long)sum.jumps, (unsigned long long)sum.guessed);
    report_sums(self, &sum);
    report_locations(self);
    return moves_learn(self, moved, 0);
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

tcf_status report_pack(tcf_self *self, tcf_pack *pack)
{
    self->host->put_locations(self, pack, TCF_MEMBERS(struct place, counts, counts));
    return TCF_OK;
}

tcf_status report_absorb(tcf_self *self, tcf_pack *pack)
{
    self->host->take_locations(self, pack, TCF_MEMBERS(struct place, counts, counts));
    return TCF_OK;
}
