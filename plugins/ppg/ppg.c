/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* ppg: the program performance graph. Vertices are call paths by location, the own time between calls that communicate
 * included; edges say who waited for whom. Events pass unchanged.
 *
 * Memory grows with call paths, locations and distinct edges, which have caps, and not with the length of the trace. */
#include "ppg.h"

#include <stdlib.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, max_vertices, TCF_INT, "16384",
              "So many vertices, those with the most time, with the call paths around them; the rest is one vertex",
              .min = "1", .max = "1073741824"),
    TCF_PARAM(struct conf, max_edges, TCF_INT, "1048576",
              "Cap of the edges by location; and of traffic and order together, and of counters by location; waits "
              "beyond are counted by pattern alone",
              .min = "1", .max = "1073741824"),
    TCF_PARAM(struct conf, max_open, TCF_INT, "262144",
              "Cap of the messages and requests that are followed at a time; at the cap the oldest is let go",
              .min = "16", .max = "1073741824"),
};

static const waits_listener listener = {.found = edges_found,
                                        .left = graph_left,
                                        .received = edges_received,
                                        .is_alone = 1};

static tcf_status init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    waits_init(self, &listener, conf->max_open, 0); /* wrong order makes no difference here */
    return TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    if (waits_begin(self) != TCF_OK)
        return TCF_ERROR;
    ((struct state *)self->state)->domain = tcf_domains_host_of(self)->number(self);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        ((struct place *)tcf_location_state(self, l))->track = waits_track_of(self, l);
    return TCF_OK;
}

/* A sample is counted where the location is at that time. */
static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; self->defs->n_metrics > 0 && i < to; i++) {
        if (s->kind[i] != TCF_METRIC)
            continue;
        if (waits_span(self, s, from, i + 1) != TCF_OK || counters_sample(self, s, i) != TCF_OK)
            return TCF_ERROR;
        from = i + 1;
    }
    return waits_span(self, s, from, to);
}

static tcf_status location_end(tcf_self *self, uint32_t location)
{
    if (waits_location_end(self, location) != TCF_OK)
        return TCF_ERROR;
    counters_end(self, location);
    return graph_end(self, location);
}

static tcf_status end(tcf_self *self)
{
    return waits_end(self) == TCF_OK && settle_callpaths(self) == TCF_OK ? report(self) : TCF_ERROR;
}

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        path_cells_free(&p->cells);
        free(p->open);
        keyed_free(p->sampled, &p->sampled_by);
    }
    free(st->nodes);
    free(st->spots);
    keyed_free(st->pairs, &st->pair_by);
    keyed_free(st->edges, &st->edge_by);
    keyed_free(st->counters, &st->counter_by);
    waits_free(self);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "ppg",
    .version = "1.0",
    .summary = "Program performance graph: time and waits by call path and location, who waited for whom",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "The graph of ScalAna (Jin et al., SC 2020), in one pass: a vertex is a call path, and its values are those of "
        "each location (thread, stream): visits, exclusive time, and how much of it went by waiting. What a function "
        "does between two calls of MPI is a vertex of its own, main/(after MPI_Recv), so that a cause has a place "
        "even where only MPI was recorded. Edges say who waited for whom, and in which call that was; traffic sums up "
        "all communication, order says which child of a call path follows which, and metrics how counters grew.\n"
        "\n"
        "Graphs of runs of several sizes are what tcflow-scaling compares: write each to a database.\n"
        "\n"
        "Waits are those of `wait_states`. Clocks have to be right before (presync, clc_forward, clc_backward). Behind "
        "`overhead` it is the graph of the program without measurement.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place),
    .location_more = 248,
    .message_bytes = WAITS_MESSAGE_BYTES,
    .member_bytes = WAITS_MEMBER_BYTES,
    .numbers = WAITS_NUMBERS,
    .needs = WAITS_NEEDS,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(waits_columns),
    .span = span,
    .arrive = waits_arrive,
    .init = init,
    .begin = begin,
    .collective_complete = waits_complete,
    .location_end = location_end,
    .pack = pack_found,
    .absorb = absorb_found,
    .end = end,
    .fini = fini,
};
