/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* wait_states: which calls waited, how long, and for which location, by pattern, call path and location; the hierarchy
 * of times around these waits; the longest instances. Events pass unchanged.
 *
 * plugins/shared/waits finds the waits, instance by instance; this filter sums them up and reports. */
#include "wait_states.h"

#include <stdlib.h>

#define PATTERN(ID, name, parent, unit, title, help) "\n\n" name " (" title "): " help "."

static const tcf_param params[] = {
    TCF_PARAM(struct conf, worst, TCF_INT, "5", "So many of the longest instances of each pattern are listed",
              .min = "0", .max = "65536"),
    TCF_PARAM(struct conf, top, TCF_INT, "0",
              "Only so many call paths of each pattern, those with the longest waits; 0: all", .min = "0"),
    TCF_PARAM(struct conf, by_location, TCF_BOOL, "no",
              "Table of each location too, besides the totals over all locations"),
    TCF_PARAM(struct conf, all, TCF_BOOL, "no", "Rows of patterns and times, too, of which the trace has none"),
    TCF_PARAM(
        struct conf, max_severities, TCF_INT, "1048576",
        "Cap of the sums by pattern and call path, with by_location for each location; waits beyond are counted by "
        "pattern alone",
        .min = "1", .max = "1073741824"),
    TCF_PARAM(struct conf, max_open, TCF_INT, "262144",
              "Cap of the messages and requests that are followed at a time; at the cap the oldest is let go",
              .min = "16", .max = "1073741824"),
    TCF_PARAM(struct conf, max_undecided, TCF_INT, "65536",
              "Cap of the late senders of which it is not known yet whether they came in wrong order; at the cap all "
              "are taken for in order",
              .min = "1", .max = "1073741824"),
};

static const waits_listener listener = {.found = add_severity, .left = add_call};

static tcf_status init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    waits_init(self, &listener, conf->max_open, conf->max_undecided);
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    if (waits_end(self) != TCF_OK)
        return TCF_ERROR;
    settle_callpaths(self);
    return leave_worst(self) == TCF_OK ? report(self) : TCF_ERROR;
}

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++)
        path_cells_free(&((struct place *)tcf_location_state(self, l))->cells);
    for (uint32_t i = 0; i < WAIT_PATTERNS; i++)
        free(st->worst[i]);
    free(st->severities);
    tcf_map_free(&st->severity_of);
    waits_free(self);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "wait_states",
    .version = "1.0",
    .summary = "Wait states: late senders and receivers, waits at collectives, locks and barriers",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "Finds where a program waited: a receive whose sender came late, a send whose receiver came late, collective "
        "operations, barriers and fences until the last one has come, locks that others hold, idle threads. Each "
        "instance is counted at the call path and location that waited, and in the tree of times that users of "
        "Scalasca know, with its names. The longest instances of each pattern are listed with both sides; in a survey "
        "they are left to `timeline` as well.\n"
        "\n"
        "Clocks have to be right before (presync, clc_forward, clc_backward): a wait that ends after what it was "
        "waited with is cut there and counted as reversed. Durations are never negative. Behind `overhead` it shows "
        "how long the program would have waited without measurement.\n"
        "\n"
        "Patterns:" WAITS_WAIT_TABLE(PATTERN),
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place),
    .location_more = 136,
    .message_bytes = WAITS_MESSAGE_BYTES,
    .member_bytes = WAITS_MEMBER_BYTES,
    .numbers = WAITS_NUMBERS,
    .needs = WAITS_NEEDS,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(waits_columns),
    .span = waits_span,
    .arrive = waits_arrive,
    .init = init,
    .begin = waits_begin,
    .collective_complete = waits_complete,
    .location_end = waits_location_end,
    .pack = pack_found,
    .absorb = absorb_found,
    .end = end,
    .fini = fini,
};
