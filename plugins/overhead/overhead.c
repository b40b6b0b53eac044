/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* overhead: takes the overhead of measurement out of a trace. Every event moves to where it would have been without
 * recording, as far as the trace shows that. README.md has the algorithm; events.c handles events between edges,
 * edges.c those with edges. */
#include "overhead.h"

#include <stdlib.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, event, TCF_DURATION, "0", "Overhead of recording an event, O of the paper", .min = "0"),
    TCF_PARAM(struct conf, kinds, TCF_LIST, "",
              "Overhead of events of some kinds, where it differs: ENTER:45ns METRIC:1.2us"),
    TCF_PARAM(struct conf, attribute, TCF_DURATION, "0", "What each attribute of an event costs on top of it",
              .min = "0"),
    TCF_PARAM(struct conf, metric_value, TCF_DURATION, "0", "What each value of a METRIC event costs on top of it",
              .min = "0"),
    TCF_PARAM(struct conf, carry, TCF_DURATION, "10us",
              "Overhead for which there was no time before an event is taken from the time behind it, up to so much: "
              "costs are means, of which one event takes less and another more",
              .min = "0"),
    TCF_PARAM(struct conf, handover, TCF_DURATION, "10us",
              "The longest time from a thread's release of a lock, fork or end until another thread goes on that waits "
              "for it",
              .min = "0"),
    TCF_PARAM(struct conf, rendezvous, TCF_STRING, "no",
              "Which sends wait until their receive is posted: a size, like 64KiB, from which the MPI library sends no "
              "message before that; those of MPI_Ssend and MPI_Issend always wait, and with `synchronous` these alone"),
    TCF_PARAM(struct conf, handshake, TCF_DURATION, "10us",
              "The longest time that the sender and the receiver of such a message need to know of each other",
              .min = "0"),
    TCF_PARAM(struct conf, copy, TCF_LIST, "",
              "Time that a message of a size needs to be copied: 8:20ns 64KiB:6us 1MiB:130us; linear between the "
              "sizes, proportional to size outside of them"),
    TCF_PARAM(struct conf, copy_file, TCF_INPUT_PATH, "",
              "The same as a file, a size and a duration a line, # for comments"),
    TCF_PARAM(struct conf, mode, TCF_ENUM, "likely",
              "Where a trace leaves open when something arrived: the earliest or the latest time that an event can "
              "have (lower, upper), the middle of both (mean), or likely: the earliest, but a call that waits for "
              "several messages waits for the one that was sent last",
              .choices = "likely|lower|upper|mean"),
    TCF_PARAM(struct conf, synchronised, TCF_ENUM, "each",
              "Operations from all to all: each process leaves at its own time (eq. 13), or all at one (eq. 12)",
              .choices = "each|common"),
    TCF_PARAM(struct conf, paper, TCF_BOOL, "no",
              "The paper's equations literally: the overhead of other locations stays in the time of messages and "
              "operations, and copying costs what the table says even where less was measured"),
    TCF_PARAM(
        struct conf, remove_off, TCF_BOOL, "yes",
        "Is the time between MEASUREMENT_ON_OFF off and on, and in the region MEASUREMENT OFF, overhead? It is when "
        "the measurement system was busy then, it is not when the program ran on unmeasured"),
    TCF_PARAM(struct conf, again, TCF_BOOL, "no",
              "Go on where the archive states (property TCFLOW::OVERHEAD_REMOVED) that overhead was removed already"),
};

/* Handles the first event of a location where it depends on no others. */
static void start(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i)
{
    k->last = k->begin = (struct times){s->time[i], follow(self, k, s->location, s->time[i])};
    k->started = 1;
    s->time[i] = k->last.a;
}

/* Events [i, to), all without edges. */
static tcf_status between(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    if (k->is_device)
        return follow_all(self, k, s, i, to, first);
    if (i < to && !k->started) {
        const uint8_t what = st->what[s->kind[i]];
        const uint64_t cost = whole_ticks(&k->account, cost_of(st, k, s, i, what));
        start(self, k, s, i);
        if (what & IS_COMPLETION)
            note_completion(k, first + i, cost, (struct times){k->last.m, 0});
        if (note(self, k, s, i, what, k->last) != TCF_OK)
            return TCF_ERROR;
        i++;
    }
    for (; k->several.is_open && i < to; i++) {
        if (!(st->what[s->kind[i]] & IS_COMPLETION))
            release(self->conf, k);
        if (independent(self, k, s, i, i + 1, first) != TCF_OK)
            return TCF_ERROR;
    }
    return independent(self, k, s, i, to, first);
}

static tcf_status overhead_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const struct state *st = self->state;
    struct track *k = tcf_location_state(self, s->location);
    const uint64_t first =
        k->events - from; /* number of the slice's event 0 among the events seen here; may wrap around */
    uint32_t n = from == 0 ? 0 : k->edge, i = from;
    if (!k->started)
        k->is_device = tcf_location_at(self->defs, s->location)->type != TCF_CPU_THREAD;
    if (st->leads[s->location]) {
        k->has_previous = k->started;
        k->previous = k->last;
        k->previous_m = k->end_m;
    }
    if (to > from)
        k->end_m = s->time[to - 1];
    while (n < s->n_edges && s->edges[n].pos < to) {
        uint32_t at = n, pos = s->edges[n].pos;
        while (n < s->n_edges && s->edges[n].pos == pos)
            n++;
        if (between(self, k, s, i, pos, first) != TCF_OK || meet(self, k, s, pos, at, n, first) != TCF_OK)
            return TCF_ERROR;
        i = pos + 1;
    }
    k->edge = n;
    k->events += to - from;
    return between(self, k, s, i, to, first);
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static void name_kinds(struct state *st)
{
    st->what[TCF_ENTER] = st->what[TCF_CALLING_CONTEXT_ENTER] = IS_ENTER;
    st->what[TCF_LEAVE] = st->what[TCF_CALLING_CONTEXT_LEAVE] = IS_LEAVE;
    st->what[TCF_MPI_RECV] = st->what[TCF_MPI_IRECV] = st->what[TCF_MPI_ISEND_COMPLETE] = IS_COMPLETION;
    st->what[TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = IS_COMPLETION;
    st->what[TCF_METRIC] = IS_METRIC;
    st->what[TCF_BUFFER_FLUSH] = IS_FLUSH;
    st->what[TCF_MEASUREMENT_ON_OFF] = IS_ON_OFF;
}

static tcf_status overhead_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    name_kinds(self->state);
    if (conf->synchronised == EXIT_COMMON)
        self->needs |= TCF_NEED_ENDS;
    if (conf->paper)
        self->needs |= TCF_NEED_SOURCE_AT_LEAVE;
    return settings_of_sends(self) == TCF_OK ? settings_parse(self) : TCF_ERROR;
}

static tcf_status overhead_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    const struct state *st = self->state;
    if (conf->mode != MODE_UPPER && st->n_copy == 0)
        self->host->log(self, TCF_LOG_INFO,
                        "no table of copying (copy, copy_file): the lower bound of messages has them "
                        "arrive at once");
    return settings_to_ticks(self) == TCF_OK ? mark_archive(self) : TCF_ERROR;
}

/* Calls that are still open end with the last event of the location. */
static tcf_status overhead_location_end(tcf_self *self, uint32_t location)
{
    struct track *k = tcf_location_state(self, location);
    while (k->depth > 0)
        leave_call(k, (struct times){k->end_m, k->last.a});
    k->ended = 1;
    return TCF_OK;
}

enum { FOUND = offsetof(struct track, last) }; /* of a track, from there on: what is packed */

static tcf_status overhead_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    self->host->put(pack, &st->too_deep, sizeof st->too_deep);
    self->host->put_locations(self, pack, FOUND, sizeof(struct track) - FOUND);
    return TCF_OK;
}

static tcf_status overhead_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    uint64_t too_deep;
    self->host->take(pack, &too_deep, sizeof too_deep);
    st->too_deep += too_deep;
    self->host->take_locations(self, pack, FOUND, sizeof(struct track) - FOUND);
    return TCF_OK;
}

static void overhead_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++)
        free(((struct track *)tcf_location_state(self, l))->frame);
    free(st->region);
    free(st->leads);
    free(st->copy);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "overhead",
    .version = "1.0",
    .summary = "Takes the overhead of measurement out: events move to where they had been without it",
    .topic = TCF_TOPIC_OVERHEAD,
    .help =
        "Recording an event takes time, which delays everything behind it, and other processes through messages. This "
        "filter approximates the run without it (Wolf, Malony, Shende, Morris: Trace-Based Parallel Performance "
        "Overhead Compensation). Events that depend on no other location lose their overhead one by one, and so do "
        "BUFFER_FLUSHes, regions of the measurement system and the time in which measurement was off, as a whole. A "
        "receive comes when its message has arrived, the end of a collective operation when those have begun that it "
        "depends on: the times that this took are kept as measured where the receiver certainly waited. Elsewhere the "
        "trace leaves open when the message arrived, and `mode` says whether the lower or the upper bound counts, or "
        "what lies between.\n"
        "\n"
        "Overhead and the cost of copying are constants of a platform and have to be measured there; without any, and "
        "mode = upper, nothing changes. Events keep their order, and nothing comes before what it depends on. Clocks "
        "have to be right before (presync, clc_forward). The report has by location how much was removed, how run "
        "time and the shares of computation, communication and waiting have changed, and how many dependent events "
        "were decided in which way: m.1, m.2, a.1, a.2 of the paper.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct track),
    .member_bytes = sizeof(struct member),
    .numbers = 4, /* see edges.c */
    .needs = TCF_NEED_EDGES | TCF_NEED_LEADER_FIRST,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .writes = TCF_WRITES_TIME | TCF_WRITES_REC,
    .span = overhead_span,
    .init = overhead_init,
    .begin = overhead_begin,
    .location_end = overhead_location_end,
    .pack = overhead_pack,
    .absorb = overhead_absorb,
    .end = report,
    .fini = overhead_fini,
};
