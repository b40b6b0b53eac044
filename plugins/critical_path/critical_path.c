/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* critical_path: the chain of calls, from process to process, that determines the run time of a program; the share of
 * each call path in it, and what its imbalance costs. Events pass unchanged.
 *
 * One pass finds the path: each location knows the path that would be critical if the program ended there, and messages
 * carry references to such paths. README.md defines the path, and says how little of it is kept. */
#include "critical_path.h"

#include <stdlib.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, top, TCF_INT, "0", "Only so many call paths, those with the largest share; 0: all",
              .min = "0"),
    TCF_PARAM(struct conf, bins, TCF_INT, "0",
              "Bins of time at most, for the table of which locations the path runs on when; 0: no such table",
              .min = "0", .max = "1048576"),
    TCF_PARAM(struct conf, by_location, TCF_BOOL, "no", "Table of each location too: which of them the path runs on"),
    TCF_PARAM(struct conf, all, TCF_BOOL, "no", "Rows of call paths, too, that are not on the path"),
    TCF_PARAM(struct conf, scans, TCF_BOOL, "no",
              "A scan may wait for the lower ranks, too; Scalasca's path goes on where it is"),
    TCF_PARAM(
        struct conf, max_open, TCF_INT, "262144",
        "Cap of the messages and members of operations that are followed at a time; at the cap the oldest is let go",
        .min = "16", .max = "1073741824"),
    TCF_PARAM(struct conf, max_kept, TCF_INT, "16777216",
              "When more than this are kept for paths that may be the critical one, the older half of what is followed "
              "is let go",
              .min = "1024", .max = "1073741824", .unit = "times of call paths"),
};

static tcf_status init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    st->open.max_open = (uint32_t)conf->max_open;
    st->open.oldest = st->open.newest = NONE;
    st->tree.max_kept = (uint64_t)conf->max_kept;
    if (conf->bins == 1)
        return self->host->fail(self, "bins = 1: there are at least two, or 0 for none");
    st->finalize.node = NONE;
    gather_init(self, 25);
    return TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    st->tree.bins = time_bins_new((uint32_t)conf->bins, self->defs->clock.global_offset);
    st->column = self->host->column(self, columns[0].name);
    if (centre_begin(self) != TCF_OK)
        return TCF_ERROR;
    st->region = calloc(self->defs->n_regions + 1u, 1);
    for (uint32_t r = 0; st->region && r < self->defs->n_regions; r++) {
        uint8_t kind;
        waits_classify_region(tcf_region_at(self->defs, r), &kind, &st->region[r]);
        st->region[r] |= kind == WAIT_IDLE ? IS_IDLE : 0;
        st->has_idle |= kind == WAIT_IDLE;
    }
    st->open.team = malloc((self->defs->n_comms + 1u) * sizeof *st->open.team);
    if (!st->open.team || !st->region)
        return self->host->fail(self, "out of memory for %u teams and %u regions", self->defs->n_comms,
                                self->defs->n_regions);
    for (uint32_t t = 0; t <= self->defs->n_comms; t++) {
        st->open.team[t].fork.at = st->open.team[t].join.at = (struct cause){.node = NONE, .location = NONE};
        st->open.team[t].fork.number = st->open.team[t].join.number = UINT64_MAX;
    }
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    return open_end(self) == TCF_OK ? report(self) : TCF_ERROR;
}

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++) {
        struct place *k = place_of(self, l);
        path_cells_free(&k->cells);
        free(k->touched);
    }
    free(st->region);
    free(st->members.of);
    gather_free(&st->gather);
    open_free(self);
    tree_free(&st->tree);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "critical_path",
    .version = "1.0",
    .summary = "The critical path: which calls the run time consists of, and what their imbalance costs",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "Follows the chain of calls that determines how long a program ran: from its end back, and wherever a call "
        "waited on to the process that it waited for. Shortening what is not on this path makes no program faster. For "
        "each call path the report has its share of the critical path, how much of that is imbalance (more than the "
        "average process spends there), and the time that all processes together lose by it, with Scalasca's names.\n"
        "\n"
        "One pass is enough: messages carry references to the paths that lead to them, and paths that can't become the "
        "critical one any more are dropped.\n"
        "\n"
        "Clocks have to be right before (presync, clc_forward, clc_backward): what came before what it waited for is "
        "counted, and the path doesn't follow it. Put behind `overhead` it shows the path without measurement.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place),
    .message_bytes = MESSAGE_BYTES,
    .member_bytes = sizeof(struct member),
    .needs = TCF_NEED_EDGES | TCF_NEED_CALLPATH | TCF_NEED_PROGRAM,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(columns),
    .span = span,
    .arrive = arrive,
    .init = init,
    .begin = begin,
    .collective_complete = complete,
    .location_end = location_end,
    .pack = centre_pack,
    .absorb = centre_absorb,
    .end = end,
    .fini = fini,
};
