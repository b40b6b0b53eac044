/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What clc_forward has found and changed: by class of edges and by location, and the minimum delays that it used. */
#include "../shared/clocks/moves.h"
#include "../shared/numbers/min_max.h"
#include "clc_forward.h"

#include <private/results_host.h>
#include <private/scaled.h>
#include <stdio.h>

/* What rows of the tables have, each of them some of it. */
typedef struct row {
    const char *class_, *distance, *group;
    struct tally tally;
    struct clock clock;
    uint64_t location, mu;
    double jumped_by, mean, at_end, least_gamma;
} row;

#define AT(member) TCF_AT(row, member)

static void report_classes(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(class_), NULL, "What orders the events"},
        {"targets", AT(tally.targets), NULL, "Events that depend on others: receives, ends of collectives, ..."},
        {"violated", AT(tally.violated), NULL,
         "Those whose time as it was comes before the corrected time of what they depend on, plus the minimum delay"},
        {"jumps", AT(tally.jumps), NULL,
         "Those at which the clock had to jump; the others were late enough by the correction of events before them"},
        {"largest_jump", AT(tally.largest) | TCF_CELL_SECONDS, "s", "By how much at most"},
        {"summed_jumps", AT(jumped_by) | TCF_CELL_SECONDS, "s", "All jumps together"},
        {"unbound", AT(tally.unbound), NULL,
         "Targets whose sources are missing, were dropped, or came too late to be waited for"},
        {"disbelieved", AT(tally.disbelieved), NULL,
         "Targets left as they are: they contradict the error bars of the clocks by far (disbelief)"},
        {"largest_disbelieved", AT(tally.largest_disbelieved) | TCF_CELL_SECONDS, "s",
         "By how much one of them breaks the clock condition at most"},
    };
    const struct state *st = self->state;
    uint64_t violated = 0;
    char sentence[80];
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        violated += st->tally[c].violated;
    snprintf(sentence, sizeof sentence, "%llu violation%s of the clock condition corrected",
             (unsigned long long)violated, violated == 1 ? "" : "s");
    tcf_results_host_of(self)->say(self, sentence);
    tcf_table *t = TCF_TABLE(self, "classes", "Violations corrected by class", columns);
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        if (st->tally[c].targets + st->tally[c].unbound + st->tally[c].disbelieved > 0)
            tcf_row(self, t,
                    &(row){.class_ = tcf_edge_class_name(c),
                           .tally = st->tally[c],
                           .jumped_by = (double)st->tally[c].jumped_by});
}

static void report_locations(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"location", AT(location), NULL, "Its id"},
        {"group", AT(group), NULL, "Its location group"},
        {"events", AT(clock.events), NULL, "All of them"},
        {"moved", AT(clock.moved), NULL, "Those that are later now"},
        {"jumps", AT(clock.jumps), NULL, "Times that the clock had to jump"},
        {"largest_jump", AT(clock.largest_jump) | TCF_CELL_SECONDS | TCF_CELL_LEADS, "s", "By how much at most"},
        {"summed_jumps", AT(jumped_by) | TCF_CELL_SECONDS, "s", "All jumps together"},
        {"largest", AT(clock.largest) | TCF_CELL_SECONDS, "s", "The largest correction of an event"},
        {"mean", AT(mean), "s", "The mean correction of the events moved"},
        {"at_end", AT(at_end) | TCF_CELL_SECONDS, "s", "The correction of the last event: what has not decayed"},
        {"least_gamma", AT(least_gamma), NULL, "The slowest speed that the clock was set to while ahead"},
    };
    tcf_table *t = TCF_TABLE(self, "locations", "Corrections by location", columns);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct clock *k = tcf_location_state(self, l);
        tcf_row(self, t,
                &(row){.location = tcf_location_at(self->defs, l)->id,
                       .group = tcf_process_name(self->defs, l, NULL),
                       .clock = *k,
                       .jumped_by = (double)k->jumped_by,
                       .mean = tcf_seconds(self, (double)k->moved_by).d / (k->moved > 0 ? (double)k->moved : 1),
                       .at_end = (double)(k->ahead ? k->l - k->c : 0),
                       .least_gamma = (double)k->least_g / (double)G_ONE});
    }
}

static void report_delays(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(class_), NULL, "What orders the events"},
        {"distance", AT(distance), NULL, "Of the two sides, or of the members of the communicator"},
        {"mu", AT(mu) | TCF_CELL_SECONDS, "s", "Minimum delay from an event to what it causes"},
        {"mu_ticks", AT(mu) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
    };
    const struct state *st = self->state;
    tcf_table *t = NULL;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            if (st->mu[c][d] == 0 || st->tally[c].targets == 0)
                continue;
            if (!t)
                t = TCF_TABLE(self, "delays", "Minimum delays, where not 0", columns);
            tcf_row(self, t,
                    &(row){.class_ = tcf_edge_class_name(c), .distance = tcf_distance_name(d), .mu = st->mu[c][d]});
        }
}

static void warn_of_disbelieved(const tcf_self *self)
{
    const struct state *st = self->state;
    uint64_t n = 0;
    uint32_t worst = 0;
    char amount[TCF_SCALED_BYTES];
    for (uint32_t c = 0; c < TCF_CLASSES; c++) {
        n += st->tally[c].disbelieved;
        if (st->tally[c].largest_disbelieved > st->tally[worst].largest_disbelieved)
            worst = c;
    }
    if (n > 0)
        self->host->log(self, TCF_LOG_WARNING,
                        "%llu targets contradict the error bars of the clocks by more than %lld times (disbelief), and "
                        "are left as they are; the largest by %s, of class %s",
                        (unsigned long long)n, (long long)((const struct conf *)self->conf)->disbelief,
                        tcf_scaled_seconds(tcf_seconds(self, (double)st->tally[worst].largest_disbelieved).d, amount),
                        tcf_edge_class_name(worst));
}

/* Where no event was moved, the filter has written nothing. */
static void withhold_unchanged(tcf_self *self)
{
    uint64_t moved = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        moved += ((const struct clock *)tcf_location_state(self, l))->moved;
    if (moved == 0)
        self->writes &= ~(uint32_t)(TCF_WRITES_TIME | TCF_WRITES_REC);
}

static uint64_t moved(const tcf_self *self, uint32_t location)
{
    return ((const struct clock *)tcf_location_state(self, location))->largest;
}

tcf_status report(tcf_self *self)
{
    withhold_unchanged(self);
    warn_of_disbelieved(self);
    report_classes(self);
    report_locations(self);
    report_delays(self);
    return moves_learn(self, moved, 1);
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

tcf_status report_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    self->host->put(pack, st->tally, sizeof st->tally);
    self->host->put_locations(self, pack, 0, sizeof(struct clock));
    return TCF_OK;
}

tcf_status report_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    struct tally more[TCF_CLASSES];
    self->host->take(pack, more, sizeof more);
    for (uint32_t c = 0; c < TCF_CLASSES; c++) {
        struct tally *y = &st->tally[c];
        y->targets += more[c].targets;
        y->violated += more[c].violated;
        y->jumps += more[c].jumps;
        y->unbound += more[c].unbound;
        y->largest = max_u64(y->largest, more[c].largest);
        y->disbelieved += more[c].disbelieved;
        y->largest_disbelieved = max_u64(y->largest_disbelieved, more[c].largest_disbelieved);
        y->jumped_by += more[c].jumped_by;
    }
    self->host->take_locations(self, pack, 0, sizeof(struct clock));
    return TCF_OK;
}
