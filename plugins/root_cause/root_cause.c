/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* root_cause: finds the causes of each wait: what the location that was waited for did more than the one that waited
 * since they last met (short-term costs), and what it had waited for itself, back to the first cause (long-term costs).
 * Events pass unchanged.
 *
 * One forward pass: a wait is judged when all is known that both locations did before, and its causes are inherited by
 * the waits that it causes. */
#include "root_cause.h"

#include <stdlib.h>
#include <string.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, window, TCF_INT, "512",
              "How far back two locations are compared, in stretches between calls that communicate; twice as many are "
              "remembered",
              .min = "16", .max = "16777216"),
    TCF_PARAM(struct conf, causes, TCF_INT, "32",
              "So many causes of a wait, the largest ones, are handed on to waits that it causes", .min = "1",
              .max = "65536"),
    TCF_PARAM(struct conf, worst, TCF_INT, "10",
              "So many of the longest waits are followed back to what they come from", .min = "0", .max = "65536"),
    TCF_PARAM(struct conf, top, TCF_INT, "0",
              "Only so many call paths of each pattern, those with the highest costs; 0: all", .min = "0"),
    TCF_PARAM(struct conf, ignore, TCF_LIST, "",
              "Patterns that are no waits here but what their calls do: names as in wait_states. Scalasca does so with "
              "mpi_earlyscan"),
    TCF_PARAM(struct conf, by_location, TCF_BOOL, "no",
              "Tables of each location too, besides the totals over all locations"),
    TCF_PARAM(
        struct conf, computation, TCF_BOOL, "no",
        "A call path's own time behind a call of MPI is a call path of its own, main/(after MPI_Recv), as in ppg"),
    TCF_PARAM(struct conf, compare, TCF_BOOL, "no",
              "Waits of both locations are compared by their causes, too, and hide what was done before; no: all that "
              "the other one waited is handed on, as in Scalasca"),
    TCF_PARAM(
        struct conf, max_stretches, TCF_INT, "8388608",
        "Cap of what is remembered of all locations together: with more than 8,192 of them the window is shorter, "
        "down to 16",
        .min = "1", .max = "1073741824", .unit = "stretches"),
    TCF_PARAM(
        struct conf, max_costs, TCF_INT, "1048576",
        "Cap of the sums by pattern and call path, with by_location for each location; what is beyond is counted by "
        "pattern alone",
        .min = "1", .max = "1073741824"),
    TCF_PARAM(struct conf, max_waiting, TCF_INT, "262144",
              "Cap of the waits that cannot be judged yet; at the cap all are judged by what is known", .min = "1",
              .max = "1073741824"),
    TCF_PARAM(struct conf, max_open, TCF_INT, "262144",
              "Cap of the messages and requests that are followed at a time; at the cap the oldest is let go",
              .min = "16", .max = "1073741824"),
};

static tcf_status ignore(tcf_self *self, const char *name)
{
    struct state *st = self->state;
    for (uint32_t i = WAIT_TIMES; i < WAIT_PATTERNS; i++)
        if (wait_is_for_others(i) && strcmp(wait_patterns[i].name, name) == 0) {
            st->ignored[i] = 1;
            return TCF_OK;
        }
    return self->host->fail(self, "ignore = %s: no wait that has causes has that name (mpi_latesender, ...)", name);
}

static void used(tcf_self *self, uint32_t location, const waits_call *call)
{
    struct state *st = self->state;
    if (log_used(self, location, call) != TCF_OK)
        st->has_failed = 1;
}

/* Where a lock is got or released, the log gets a mark, whatever else the owner does in the same call. */
static tcf_status locked(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const waits_track *k = waits_track_of(self, s->location);
    const waits_call *c = k->depth > 0 ? &k->call[k->depth - 1] : NULL;
    if (e->flags & TCF_EDGE_TARGET && c && c->inner == 0 && log_mark(self, s->location, c->enter) != TCF_OK)
        return TCF_ERROR;
    return log_mark(self, s->location, s->time[e->pos]);
}

/* The meeting enters the log before the waits of its members do. */
static const waits_listener listener = {.found = queue_found,
                                        .left = log_call,
                                        .used = used,
                                        .pending = queue_pending,
                                        .settled = queue_settled,
                                        .locked = locked,
                                        .over = log_meeting};

static tcf_status init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    gather_init(self, 56);
    waits_init(self, &listener, conf->max_open, 0); /* wrong order makes no difference here */
    for (uint32_t i = 0; i < conf->ignore.n; i++)
        if (ignore(self, conf->ignore.item[i]) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* The same whatever the order of events: each location has its share. */
static uint32_t choose_window(const tcf_self *self)
{
    enum { LEAST = 16 };
    const struct conf *conf = self->conf;
    int64_t n = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        n += !tcf_location_at(self->defs, l)->silent;
    const int64_t each = n > 0 ? conf->max_stretches / (2 * n) : conf->window;
    if (each >= conf->window)
        return (uint32_t)conf->window;
    const uint32_t window = each > LEAST ? (uint32_t)each : LEAST;
    self->host->log(self, TCF_LOG_INFO, "window: %u stretches instead of %lld, for max_stretches", window,
                    (long long)conf->window);
    return window;
}

/* Of a location whose domain records, and doesn't judge, the other domains touch nothing. */
static void begin_places(tcf_self *self)
{
    const uint32_t most = 2 * ((const struct state *)self->state)->window;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        const int is_here = waits_is_here(self, l);
        if (is_recorded(self) && !is_here)
            continue;
        p->location = l;
        p->track = is_here ? waits_track_of(self, l) : NULL;
        p->parked = NONE;
        p->stretches = (ring){.bytes = sizeof(stretch), .most = most};
        p->parts = (ring){.bytes = sizeof(part), .most = 16 * most};
        p->waits = (ring){.bytes = sizeof(waited), .most = most};
        p->outers = (ring){.bytes = sizeof(outer), .most = most};
        p->meetings = (ring){.bytes = sizeof(meeting), .most = most};
    }
}

static tcf_status begin(tcf_self *self)
{
    struct state *st = self->state;
    if (waits_begin(self) != TCF_OK)
        return TCF_ERROR;
    st->window = choose_window(self);
    st->has_pending = calloc(words_of(self->defs->n_locations), sizeof *st->has_pending);
    if (!st->has_pending)
        return self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
    st->ready = st->free_parked = st->shares.free_chunk = st->shares.free_lists = NONE;
    if (forget_begin(self) != TCF_OK || centre_begin(self) != TCF_OK)
        return TCF_ERROR;
    begin_places(self);
    return TCF_OK;
}

static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    if (waits_span(self, s, from, to) != TCF_OK || ((struct state *)self->state)->has_failed)
        return TCF_ERROR;
    return centre_span(self, s->location) == TCF_OK ? queue_run(self) : TCF_ERROR;
}

static tcf_status collective_complete(tcf_self *self, const tcf_collective *in)
{
    if (waits_complete(self, in) != TCF_OK || gather_tell(self, gather_of(self)) != TCF_OK)
        return TCF_ERROR;
    return queue_run(self);
}

static tcf_status location_end(tcf_self *self, uint32_t location)
{
    if (waits_location_end(self, location) != TCF_OK || log_end(self, location) != TCF_OK ||
        gather_tell(self, gather_of(self)) != TCF_OK)
        return TCF_ERROR;
    return queue_run(self);
}

static tcf_status end(tcf_self *self)
{
    if (waits_end(self) != TCF_OK || queue_end(self) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        for (uint32_t i = 0; i < p->waits.n; i++)
            costs_passed_on(self, l, ring_at(&p->waits, i));
    }
    return report(self);
}

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && l < self->defs->n_locations; l++)
        log_free(tcf_location_state(self, l));
    judge_free(&st->judging);
    shares_free(&st->shares);
    costs_free(&st->costs);
    free(st->chains);
    free(st->parked);
    free(st->has_pending);
    gather_free(&st->gather);
    waits_free(self);
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "root_cause",
    .version = "1.0",
    .summary = "Whose doing waits are: costs of delays, by the call path that others waited for",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "For each wait, the one that was waited for is compared with the one that waited, since the two last met: what "
        "it did longer, by call path, has caused the wait (short-term costs). Where it had waited itself meanwhile, "
        "the wait was passed on, and its causes are those of the earlier one, too (long-term costs). So an imbalance "
        "is found where it arises, however far from there and how much later others wait for it. Waits are direct or "
        "indirect by where they come from; the longest ones are followed back, hop by hop.\n"
        "\n"
        "Waits are those of `wait_states`, costs have the names that users of Scalasca know. Memory is bounded: "
        "locations are compared over a window, and what falls out of it is counted. Clocks have to be right before "
        "(presync, clc_forward, clc_backward): of a wait that ends after what it was waited with no cause is sought. "
        "Costs are never negative.",
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
    .span = span,
    .arrive = waits_arrive,
    .init = init,
    .begin = begin,
    .collective_complete = collective_complete,
    .location_end = location_end,
    .pack = centre_pack,
    .absorb = centre_absorb,
    .end = end,
    .fini = fini,
};
