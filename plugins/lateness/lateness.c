/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* lateness: how far operations of communication lag behind those of the same logical step in other locations.
 *
 * Steps come from a logical clock over what must precede what, in one forward pass in causal order; an operation is as
 * late as its completion lies behind the earliest one of its step (Isaacs et al., IEEE TPDS 27(3), 2016). README.md has
 * the definitions. Memory is that of the caps, whatever the length of the trace. */
#include "lateness.h"

/* Locations of MPI's communicators take part from the start: nothing is certain of a step before they have passed
 * it. */
static void take_part(tcf_self *self, const uint32_t *location, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++)
        if (location[r] < self->defs->n_locations)
            ((struct lane *)tcf_location_state(self, location[r]))->takes_part = 1;
}

static tcf_status init(tcf_self *self)
{
    gather_init(self, 3);
    return TCF_OK;
}

static tcf_status begin(tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    if (steps_begin(self) != 0 || sums_begin(self) != 0)
        return self->host->fail(self, "out of memory for the table of steps: lower max_steps or max_pending");
    if (centre_begin(self) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t c = 0; c < defs->n_comms; c++)
        if (tcf_comm_at(defs, c)->paradigm == TCF_PARADIGM_MPI && !tcf_comm_at(defs, c)->self) {
            take_part(self, tcf_comm_at(defs, c)->location, tcf_comm_at(defs, c)->size);
            take_part(self, tcf_comm_at(defs, c)->remote_location, tcf_comm_at(defs, c)->remote_size);
        }
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    const struct state *st = self->state;
    steps_end(self);
    return st->out_of_memory ? self->host->fail(self, "out of memory for %u call paths", st->n_by_path) : report(self);
}

static void fini(tcf_self *self, int complete)
{
    (void)complete;
    gather_free(gather_of(self));
    steps_free(self->state);
    sums_free(self->state);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, worst, TCF_INT, "20", "So many operations with the largest differential lateness are listed",
              .min = "0", .max = "65536"),
    TCF_PARAM(struct conf, top, TCF_INT, "0",
              "Only so many call paths, those with the most differential lateness; 0: all", .min = "0"),
    TCF_PARAM(struct conf, bins, TCF_INT, "128", "Bins of steps, and of time, at most; their width is a power of two",
              .min = "2", .max = "65536"),
    TCF_PARAM(struct conf, max_steps, TCF_INT, "65536",
              "Steps that locations may lie apart, 24 bytes each; beyond that the oldest are closed early", .min = "2",
              .max = "16777216"),
    TCF_PARAM(struct conf, max_pending, TCF_INT, "262144",
              "Operations that may wait for others of their step, 56 bytes each; beyond that the oldest steps are "
              "closed early",
              .min = "16", .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "lateness",
    .version = "1.0",
    .summary = "Lateness: physical time against logical steps, which operations lag behind and where that began",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "An operation is a visit of a region in which messages are sent or received or a collective operation is begun "
        "or ended (records of MPI, and collective ones of RMA). Its step is 1 more than that of the operation before "
        "it in its location and of those whose messages it receives; members of a blocking collective that waits for "
        "all of them have the same step, with a root or in a scan those that wait come no earlier than those that they "
        "wait for. Threads hand their steps on by fork, join, locks and barriers. Timestamps play no part in it.\n\n"
        "The lateness of an operation is its completion (the leave of the region) minus the earliest completion of any "
        "operation of the same step. Its differential lateness is what exceeds the largest lateness of those that it "
        "depends on directly: the operation before it in its location, and those whose messages it receives. So "
        "lateness shows which locations lag behind, differential lateness where that began (Isaacs et al. 2016). "
        "Clocks have to be right before (presync, clc_forward, clc_backward). The plugin's README.md has the details.\n"
        "\n"
        "Tables: lateness by location; calls by call path; steps and over_time, the same in bins of steps and of time "
        "of completion; worst, the operations with the largest differential lateness; limits, what is not in these "
        "results.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct lane),
    .message_bytes = sizeof(struct sender),
    .needs = TCF_NEED_EDGES | TCF_NEED_CALLPATH | TCF_NEED_SOURCE_AT_LEAVE,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .span = lateness_span,
    .init = init,
    .begin = begin,
    .location_end = lateness_location_end,
    .pack = centre_pack,
    .absorb = centre_absorb,
    .end = end,
    .fini = fini,
};
