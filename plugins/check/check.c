/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* check: the health of a trace. Which events contradict the order that they must have had (the clock condition), which
 * messages have no partner, which regions are entered and never left, where time runs backwards, what refers to
 * something undefined.
 *
 * What concerns a location alone is done when a slice arrives: one loop replays enters and leaves, messages are
 * counted. In causal order only edges are looked at: a sender leaves time and place in the message's slot, the begins
 * of a collective publish their times and an end asks for the latest one. The member that published it is looked up
 * when all members have ended. */
#include "check.h"

#include <private/extent_host.h>
#include <tcflow/clocks.h>
#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

#define EVENT_NOTES "check_notes"

/* A pathological trace of enters without leaves must not take all memory. */
enum { MAX_DEPTH = 65536, STEP = 128, NO_REGION = 0xfffffffe };

/* --------------------------------------------------------------------------------------------- enters and leaves -- */

/* Room for `more` regions on top. 0: out of memory. */
static int reserve(struct location *l, uint32_t more)
{
    if (TCF_GROW(&l->stack, &l->capacity, (uint64_t)l->depth + more) != 0)
        return 0;
    if (l->depth == 0)
        l->stack[l->depth++] = NO_REGION;
    return 1;
}

static uint32_t top(const struct location *l)
{
    return l->depth > 1 ? l->stack[l->depth - 1] : TCF_NONE;
}

static __attribute__((noinline)) void enter(struct location *l, uint32_t region)
{
    if (l->depth > MAX_DEPTH)
        l->too_deep++;
    else
        l->stack[l->depth++] = region;
}

/* A leave of a region that isn't on top closes the regions above it; a leave of a region that isn't open is ignored. */
static __attribute__((noinline)) void leave(struct location *l, uint32_t region)
{
    if (l->too_deep > 0) {
        l->too_deep--;
        return;
    }
    uint32_t depth = l->depth - 1;
    while (depth > 0 && l->stack[depth] != region)
        depth--;
    if (depth == 0) {
        l->ignored++;
        return;
    }
    l->unwound += l->depth - 1 - depth;
    l->depth = depth;
}

/* Everything but the enter or leave of a plain region that balances. */
static __attribute__((noinline)) uint32_t replay_rest(tcf_self *self, struct location *l, uint32_t depth, uint8_t kind,
                                                      uint32_t region)
{
    l->depth = depth;
    if (tcf_is_enter(kind))
        enter(l, kind == TCF_ENTER ? region : tcf_region_of_context(self->defs, region));
    else
        leave(l, kind == TCF_LEAVE ? region : tcf_region_of_context(self->defs, region));
    return l->depth;
}

/* Events [from, to) of a slice, at most STEP: the hot loop. */
static void replay(tcf_self *self, struct location *l, const tcf_slice *s, uint32_t from, uint32_t to)
{
    uint64_t last = l->last_time, decreasing = 0;
    uint32_t *stack = l->stack, depth = l->depth;
    for (uint32_t i = from; i < to; i++) {
        uint8_t kind = s->kind[i];
        uint32_t region = s->rec[i].enter.region; /* or the context: all these records start alike */
        decreasing += s->time[i] < last;
        last = s->time[i];
        if (__builtin_expect(s->attr[i] != 0, 0))
            check_attributes(self, tcf_attributes_of(s, i));
        if (kind == TCF_ENTER && depth <= MAX_DEPTH)
            stack[depth++] = region;
        else if (kind == TCF_LEAVE && stack[depth - 1] == region && depth <= MAX_DEPTH)
            depth--;
        else if (tcf_is_enter(kind) || tcf_is_leave(kind))
            depth = replay_rest(self, l, depth, kind, region);
    }
    l->depth = depth;
    l->last_time = last;
    l->decreasing += decreasing;
}

static tcf_status replay_all(tcf_self *self, struct location *l, const tcf_slice *s, uint32_t from, uint32_t to)
{
    while (from < to) {
        uint32_t n = to - from < STEP ? to - from : STEP;
        if (!reserve(l, STEP + 1))
            return self->host->fail(self, "out of memory for the regions of a location, %u deep", l->depth);
        replay(self, l, s, from, from + n);
        from += n;
    }
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------- clock condition -- */

static const struct event_note *note_of(const struct check *c, const tcf_slice *s, const tcf_edge *e)
{
    return (const struct event_note *)s->columns[c->notes] + (e - s->edges);
}

/* When the edge's event was by the trace's clock. */
static uint64_t time_of(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const struct check *c = self->state;
    const uint64_t time = s->time[e->pos];
    if (c->above_zero == 0)
        return time;
    return (uint64_t)tcf_global_time(tcf_location_at(self->defs, s->location), time) + c->above_zero;
}

static struct side side_of(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const struct check *c = self->state;
    const struct location *l = tcf_location_state(self, s->location);
    return (struct side){time_of(self, s, e), l->passed + e->pos, s->location, note_of(c, s, e)->region};
}

/* The fork, end of a team or enter of a barrier that came at `time`; of several, that of the first location. */
static struct side find_thread(const tcf_self *self, const tcf_edge *e, uint64_t time, uint32_t location)
{
    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const struct location *l = tcf_location_state(self, k);
        for (uint32_t b = 0; k != location && l->begins && b < BEGINS; b++) {
            const struct begin *begin = &l->begins[b];
            if (begin->side.time == time && begin->channel == e->channel && begin->number == e->number &&
                begin->class_ == e->class_)
                return begin->side;
        }
    }
    return (struct side){time, 0, TCF_NONE, TCF_NONE};
}

/* 0: out of memory. */
static int note_source(tcf_self *self, struct location *l, const tcf_slice *s, const tcf_edge *e)
{
    void *payload = self->host->payload(self, e);
    if (tcf_is_message(e)) {
        if (payload)
            *(struct side *)payload = side_of(self, s, e);
        return 1;
    }
    self->host->publish(self, e, 0, time_of(self, s, e));
    if (tcf_between_threads(e->class_)) {
        if (!l->begins && !(l->begins = calloc(BEGINS, sizeof *l->begins)))
            return 0;
        l->begins[l->next_begin++ % BEGINS] = (struct begin){side_of(self, s, e), e->number, e->channel, e->class_};
    } else if (payload) {
        struct member *member = payload;
        member->begin = side_of(self, s, e);
        member->is_source = 1;
    }
    return 1;
}

static void check_target(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    struct check *c = self->state;
    void *payload = self->host->payload(self, e);
    const struct side *sender = tcf_is_message(e) ? payload : NULL;
    uint64_t latest, time = time_of(self, s, e);
    if (tcf_is_message(e)) {
        if (!sender || (e->class_ == TCF_CLASS_LOCK && sender->location == s->location))
            return;
        latest = sender->time;
    } else if (!self->host->latest(self, e, 0, &latest)) {
        return;
    }
    const uint32_t class_ = e->class_ + (note_of(c, s, e)->rma ? RMA_CLASSES : 0u);
    struct tally *t = &c->tally[class_];
    uint64_t mu = tcf_between_threads(e->class_) ? 0 : c->mu;
    uint64_t earliest = latest + mu < latest ? UINT64_MAX : latest + mu;
    t->targets++;
    if (time >= earliest)
        return;
    struct violation v = {.size = earliest - time, .to = side_of(self, s, e)};
    t->violated++;
    if (v.size > t->largest)
        t->largest = v.size;
    if (!tcf_is_message(e) && !tcf_between_threads(e->class_)) { /* listed when all members are known */
        struct member *member = payload;
        if (member)
            member->end = v.to, member->too_early = v.size, member->tally = (uint8_t)class_;
        return;
    }
    if (!worst_has_room(c, t, v.size))
        return;
    v.from = sender ? *sender : find_thread(self, e, latest, s->location);
    worst_note(c, t, &v);
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static int is_send(uint8_t kind)
{
    return kind == TCF_MPI_SEND || kind == TCF_MPI_ISEND;
}

static int is_message_event(uint8_t kind)
{
    return is_send(kind) || kind == TCF_MPI_RECV || kind == TCF_MPI_IRECV;
}

/* The location that communicates as this process: MPI's, if it has a rank. */
static uint32_t process_of(const tcf_definitions *defs, uint32_t location, uint32_t rank)
{
    const uint32_t member = location < defs->n_locations ? defs->mpi_member[location] : TCF_NONE;
    return tcf_defined(member)            ? member
           : location < defs->n_locations ? location
                                          : TCF_DANGLING | (rank & ~TCF_DANGLING);
}

static struct channel channel_of(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const tcf_definitions *defs = self->defs;
    /* The four records start with the same three fields. */
    const tcf_ev_mpi_send *r = &s->rec[e->pos].mpi_send;
    uint32_t comm = r->communicator, me = process_of(defs, s->location, e->rank);
    uint32_t other = process_of(defs, e->peer, r->receiver);
    struct channel channel = {
        .key = {.comm = comm < defs->n_comms ? tcf_comm_at(defs, comm)->canonical : comm, .tag = r->msg_tag}};
    if (is_send(s->kind[e->pos])) {
        channel.key.sender = me, channel.sender_rank = e->rank;
        channel.key.receiver = other, channel.receiver_rank = r->receiver;
    } else {
        channel.key.sender = other, channel.sender_rank = r->receiver;
        channel.key.receiver = me, channel.receiver_rank = e->rank;
    }
    return channel;
}

/* 0: out of memory. */
static int pass_edge(tcf_self *self, struct location *l, const tcf_slice *s, const tcf_edge *e)
{
    struct check *c = self->state;
    if (e->flags & TCF_EDGE_GONE || !(e->flags & (TCF_EDGE_SOURCE | TCF_EDGE_TARGET)) ||
        e->class_ == TCF_CLASS_UNORDERED || e->class_ == TCF_CLASS_NONE)
        return 1;
    if (e->flags & TCF_EDGE_UNMATCHED) {
        if (e->class_ == TCF_CLASS_P2P) {
            struct channel channel = channel_of(self, s, e);
            channels_lost(&c->channels, &channel, (e->flags & TCF_EDGE_SOURCE) != 0);
        }
        if (tcf_is_message(e))
            return 1;
        c->ends_without_begins++;
    }
    if (e->flags & TCF_EDGE_TARGET) {
        struct member *member = tcf_is_message(e) ? NULL : self->host->payload(self, e);
        if (member)
            member->waited = !(e->flags & TCF_EDGE_UNMATCHED);
        if (!(e->flags & TCF_EDGE_UNMATCHED)) /* some of its sources may have passed */
            check_target(self, s, e);
    }
    return !(e->flags & TCF_EDGE_SOURCE) || note_source(self, l, s, e);
}

static tcf_status check_complete(tcf_self *self, const tcf_collective *instance)
{
    struct check *c = self->state;
    worst_of_instance(self, instance);
    for (uint32_t r = 0; instance->n_arrived < instance->n_members && r < instance->n_members; r++)
        c->ends_without_begins +=
            ((const struct member *)tcf_member(instance, r))->waited; /* these waited only for the members that came */
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

/* The region that is entered or left, or that the event is in; all events before it have been replayed. */
static uint32_t region_at(const tcf_self *self, const struct location *l, const tcf_slice *s, uint32_t i)
{
    const uint8_t kind = i < s->n ? s->kind[i] : 0;
    return tcf_is_enter(kind) || tcf_is_leave(kind) ? tcf_region_of_event(self->defs, s, i) : top(l);
}

/* Notes what the span needs of the event of an edge; all events before it have been replayed. Messages are counted as
 * if all of them had partners; pass_edge() corrects the count for those that have none. */
static void note_event(tcf_self *self, const struct location *l, const tcf_slice *s, const tcf_edge *e)
{
    struct check *c = self->state;
    uint8_t kind = e->pos < s->n ? s->kind[e->pos] : 0;
    struct event_note *note = (struct event_note *)s->columns[c->notes] + (e - s->edges);
    note->region = region_at(self, l, s, e->pos);
    note->rma = kind == TCF_RMA_COLLECTIVE_END;
    if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_LEFT) || tcf_post_of(e) != TCF_POST_NONE ||
        !is_message_event(kind)) /* a send may be left where another call receives */
        return;
    struct channel channel = channel_of(self, s, e);
    channels_count(&c->channels, &channel, e->channel, is_send(kind) ? 1 : -1);
}

static tcf_status check_arrive(tcf_self *self, tcf_slice *s)
{
    struct location *l = tcf_location_state(self, s->location);
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        if (replay_all(self, l, s, at, e->pos) != TCF_OK)
            return TCF_ERROR;
        at = e->pos;
        note_event(self, l, s, e);
    }
    if (replay_all(self, l, s, at, s->n) != TCF_OK)
        return TCF_ERROR;
    if (any_dangling(self->defs))
        for (uint32_t i = 0; i < s->n; i++)
            check_references(self->state, s, i);
    return TCF_OK;
}

static tcf_status check_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct location *l = tcf_location_state(self, s->location);
    if (from == 0)
        l->edge = 0;
    l->passed -= from;
    for (; l->edge < s->n_edges && s->edges[l->edge].pos < to; l->edge++)
        if (!pass_edge(self, l, s, &s->edges[l->edge]))
            return self->host->fail(self, "out of memory for the forks and barriers of a location");
    l->passed += to;
    return TCF_OK;
}

static tcf_status check_begin(tcf_self *self)
{
    struct check *c = self->state;
    const struct conf *conf = self->conf;
    c->mu = self->host->ticks(self, conf->mu);
    c->worst = (uint32_t)conf->worst;
    c->notes = self->host->column(self, EVENT_NOTES);
    c->channels.most = (uint32_t)conf->channels;
    c->above_zero = conf->clock_offsets && tcf_offsets_wait(self) ? UINT64_C(1) << 63 : 0;
    for (uint32_t k = 0; k < CLASSES; k++)
        if (!(c->tally[k].worst = calloc(c->worst + 1u, sizeof *c->tally[k].worst)))
            return self->host->fail(self, "out of memory for the lists of violations");
    return TCF_OK;
}

static tcf_status check_location_end(tcf_self *self, uint32_t location)
{
    struct location *l = tcf_location_state(self, location);
    l->never_left = (l->depth > 1 ? l->depth - 1 : 0) + l->too_deep;
    free(l->stack);
    l->stack = NULL;
    l->depth = l->capacity = 0;
    return TCF_OK;
}

static void check_fini(tcf_self *self, int complete)
{
    struct check *c = self->state;
    (void)complete;
    for (uint32_t k = 0; self->defs && self->location && k < self->defs->n_locations; k++) {
        struct location *l = tcf_location_state(self, k);
        if (!self->host->has(self, k))
            continue;
        free(l->stack);
        free(l->begins);
    }
    for (uint32_t k = 0; k < CLASSES; k++)
        free(c->tally[k].worst);
    channels_free(&c->channels);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, mu, TCF_DURATION, "0",
              "Minimum delay of messages and collective operations; less than that is a violation. Among the threads "
              "of a process it is 0",
              .min = "0"),
    TCF_PARAM(struct conf, worst, TCF_INT, "10",
              "Length of the lists of the largest violations (of each class) and of unmatched messages", .min = "0",
              .max = "1000", .unit = "entries"),
    TCF_PARAM(struct conf, channels, TCF_INT, "65536",
              "How many combinations of communicator, sender, receiver and tag with messages under way are followed",
              .min = "1024", .max = "16777216", .unit = "channels"),
    TCF_PARAM(struct conf, clock_offsets, TCF_BOOL, "yes",
              "Where no filter in front has corrected the clocks, apply the archive's clock offsets before times of "
              "different locations are compared, as viewers do; no: by the clocks as they were read"),
};

static const tcf_named_column columns[] = {{.name = EVENT_NOTES, .bytes = sizeof(struct event_note), .at_edges = 1}};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "check",
    .version = "1.0",
    .summary = "Reports what is wrong with a trace: clock condition, lost messages, balance, dangling references",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "An event that depends on others must not come before them. For each class of such edges the report says how "
        "many events depend on others (targets), how many of them come too early, and which are the worst: a receive "
        "before its send, the end of a collective operation before the begin of a member that it must have waited for, "
        "and so on for threads, locks and OpenMP barriers. A member's own begin never counts against its own end. "
        "Dependent events are counted, not pairs: an end of a barrier that comes before three begins is one violation "
        "here, where a list of all pairs of members would have three.\n\n"
        "Besides: messages without partner by communicator, sender, receiver and tag; regions that are left without "
        "having been entered, or never left; timestamps that decrease; references to something that no definition "
        "defines. Events pass unchanged. Tables that would be empty are left out of the report.\n\n"
        "Times in an archive are of each process' own clock. The offsets that the archive has for them are applied to "
        "what is compared and reported here, as viewers do, unless a filter in front (presync) has done so; the "
        "events themselves stay as they are.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct check),
    .location_size = sizeof(struct location),
    .message_bytes = sizeof(struct side),
    .member_bytes = sizeof(struct member),
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .provides = TCF_ROWS(columns),
    .span = check_span,
    .arrive = check_arrive,
    .collective_complete = check_complete,
    .begin = check_begin,
    .location_end = check_location_end,
    .end = report_findings,
    .fini = check_fini,
    .pack = check_pack,
    .absorb = check_absorb,
};
