/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* mu_estimate: the smallest time that an edge of each class takes over each distance, for clc_forward with mu = auto.
 *
 * Where no edge of the trace is violated, that is the smallest time seen, so that nothing has a reason to move. Where
 * clocks are wrong, the time that an edge seems to take is not known; the smallest round trip is known all the same,
 * and a part of half of it is taken. The help text has the rule of each class; the result is never more than the
 * smallest time seen in a class without violation.
 *
 * Only edges are looked at. Messages leave their time in the slot, begins of collectives publish theirs; members of
 * n-to-n instances leave how long they were in it. */
#include "mu_estimate.h"
#include "../shared/clocks/distance.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct conf {
    tcf_duration interval, most;
    double safety;
    int64_t stretches;
};

/* In a message's slot: what the receiver must know of the sender. */
struct sender {
    uint64_t time;
    uint32_t location;
};

/* A member of a collective instance. */
struct member {
    uint64_t begin, duration;
    uint8_t flags; /* TCF_EDGE_SOURCE: has begun as one; TCF_EDGE_TARGET: has ended as one */
};

struct location {
    uint32_t edge; /* the next entry of the slice's list of edges */
};

/* What is known of a class and distance. */
struct tally {
    uint64_t targets, violated;
    uint64_t unmatched; /* targets without partner, which are none of those */
    uint64_t smallest;  /* time seen where it isn't negative, ticks; UINT64_MAX: none */
    uint64_t round_trips;
    int64_t round_trip; /* the smallest, ticks */
};

struct state {
    struct tally tally[TCF_CLASSES][TCF_DISTANCES];
    struct stretches stretches;
    uint8_t *comm_distance; /* by canonical communicator */
};

/* How a minimum was found. */
enum rule { OBSERVED, ROUND_TRIP, UNKNOWN };

/* --------------------------------------------------------------------------------------------------------- edges -- */

static int is_exchange(const tcf_edge *e)
{
    return e->class_ == TCF_CLASS_N_TO_N || e->class_ == TCF_CLASS_BARRIER;
}

static uint32_t distance_of(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    return edge_distance(self->defs, ((const struct state *)self->state)->comm_distance, s->location, e);
}

static void note_delay(struct tally *t, uint64_t source, uint64_t target)
{
    t->targets++;
    if (target < source)
        t->violated++;
    else if (target - source < t->smallest)
        t->smallest = target - source;
}

static void note_round_trips(struct tally *t, uint64_t n, int64_t smallest)
{
    if (n > 0 && (t->round_trips == 0 || smallest < t->round_trip))
        t->round_trip = smallest;
    t->round_trips += n;
}

static void receive(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    struct state *st = self->state;
    const tcf_definitions *defs = self->defs;
    const struct sender *sender = self->host->payload(self, e);
    if (!sender || (e->class_ == TCF_CLASS_LOCK && sender->location == s->location))
        return; /* a location that gets its own lock back waits for no other */
    uint32_t distance = distance_of(self, s, e);
    struct tally *t = &st->tally[e->class_][distance];
    note_delay(t, sender->time, s->time[e->pos]);
    if (e->class_ != TCF_CLASS_P2P || distance == TCF_SAME_PROCESS)
        return;
    uint32_t from = tcf_location_at(defs, sender->location)->group, to = tcf_location_at(defs, s->location)->group;
    if (from >= defs->n_location_groups || to >= defs->n_location_groups || from == to)
        return;
    /* By ids: the order of definitions must not matter. */
    stretches_message(&st->stretches, &(struct message){.sent = sender->time,
                                                        .received = s->time[e->pos],
                                                        .from = from,
                                                        .to = to,
                                                        .distance = (uint8_t)distance,
                                                        .from_second = tcf_location_group_at(defs, from)->id >
                                                                       tcf_location_group_at(defs, to)->id});
}

static void begin_member(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    struct member *m = is_exchange(e) ? self->host->payload(self, e) : NULL;
    if (e->flags & TCF_EDGE_SOURCE)
        self->host->publish(self, e, 0, s->time[e->pos]);
    if (m)
        *m = (struct member){.begin = s->time[e->pos], .flags = e->flags & TCF_EDGE_SOURCE};
}

static void end_member(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    struct state *st = self->state;
    uint64_t latest;
    struct member *m = is_exchange(e) ? self->host->payload(self, e) : NULL;
    if (m) {
        m->duration = s->time[e->pos] - m->begin;
        m->flags |= e->flags & TCF_EDGE_TARGET;
    }
    if (e->flags & TCF_EDGE_TARGET && self->host->latest(self, e, 0, &latest))
        note_delay(&st->tally[e->class_][distance_of(self, s, e)], latest, s->time[e->pos]);
}

static void pass_edge(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    struct state *st = self->state;
    if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_LEFT) || e->class_ == TCF_CLASS_NONE || e->class_ == TCF_CLASS_UNORDERED ||
        e->class_ >= TCF_CLASSES)
        return;
    if (e->flags & TCF_EDGE_UNMATCHED) {
        st->tally[e->class_][distance_of(self, s, e)].unmatched += (e->flags & TCF_EDGE_TARGET) != 0;
    } else if (!tcf_is_message(e)) {
        if (e->flags & TCF_EDGE_BEGIN)
            begin_member(self, s, e);
        else
            end_member(self, s, e);
    } else if (e->flags & TCF_EDGE_TARGET) {
        receive(self, s, e);
    } else if (e->flags & TCF_EDGE_SOURCE) {
        struct sender *sender = self->host->payload(self, e);
        if (sender)
            *sender = (struct sender){s->time[e->pos], s->location};
    }
}

static tcf_status out_of_memory(const tcf_self *self)
{
    const struct state *st = self->state;
    return st->stretches.out_of_memory
               ? self->host->fail(self, "out of memory for the round trips of messages (%u)", st->stretches.n)
               : TCF_OK;
}

static tcf_status mu_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct location *l = tcf_location_state(self, s->location);
    if (from == 0)
        l->edge = 0;
    for (; l->edge < s->n_edges && s->edges[l->edge].pos < to; l->edge++)
        pass_edge(self, s, &s->edges[l->edge]);
    return out_of_memory(self);
}

/* In an n-to-n instance every member's end follows every other one's begin. For two of them, the times from the begin
 * of the one to the end of the other add up to how long they were in it, each by its own clock: the round trip of the
 * two members that were in it for the shortest time is the smallest. */
static tcf_status mu_collective_complete(tcf_self *self, const tcf_collective *instance)
{
    struct state *st = self->state;
    const tcf_comm *c = tcf_comm_at(self->defs, instance->comm);
    uint64_t shortest[2] = {UINT64_MAX, UINT64_MAX}; /* of all; in an inter-communicator of each side */
    if (instance->class_ != TCF_CLASS_N_TO_N && instance->class_ != TCF_CLASS_BARRIER)
        return TCF_OK;
    for (uint32_t r = 0; r < instance->n_members; r++) {
        const struct member *m = tcf_member(instance, r);
        if (m->flags != (TCF_EDGE_SOURCE | TCF_EDGE_TARGET))
            continue;
        if (c->inter) {
            uint64_t *mine = &shortest[r >= c->size];
            *mine = m->duration < *mine ? m->duration : *mine;
        } else if (m->duration < shortest[0]) {
            shortest[1] = shortest[0];
            shortest[0] = m->duration;
        } else if (m->duration < shortest[1]) {
            shortest[1] = m->duration;
        }
    }
    if (shortest[0] < INT64_MAX / 2 && shortest[1] < INT64_MAX / 2)
        note_round_trips(&st->tally[instance->class_][st->comm_distance[instance->comm]], 1,
                         (int64_t)(shortest[0] + shortest[1]));
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ decision -- */

static int any_violation(const struct state *st)
{
    uint64_t violated = 0;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++)
            violated += st->tally[c][d].violated;
    return violated > 0;
}

/* A round trip is no shorter than the two minimum delays, but it may be much longer, where receivers come late, or
 * members wait for each other. Too small a minimum delay does no harm, too large a one moves events without reason. So
 * the smallest round trip that there is bounds them all; a collective doesn't take less time than a message for want of
 * samples. */
static uint64_t bound_of_round_trips(const struct state *st, double safety, uint64_t most)
{
    uint64_t bound = most;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = TCF_SAME_PROCESS + 1; d < TCF_DISTANCES; d++) {
            const struct tally *t = &st->tally[c][d];
            if (t->round_trips == 0)
                continue;
            uint64_t half = t->round_trip > 0 ? (uint64_t)((double)t->round_trip * (safety / 2)) : 0;
            bound = half < bound ? half : bound;
        }
    return bound;
}

/* The times seen are to be trusted where nothing contradicts the clocks: of the whole trace, or of the one process.
 * Then they bound all edges, unless some were not seen: which events are given up where something is lost depends on
 * times, so with other times than here an edge may have its partner that takes less. */
static enum rule decide(const struct tally *t, uint32_t distance, int wrong_clocks, uint64_t bound, uint64_t *ticks)
{
    if (distance == TCF_SAME_PROCESS ? t->violated == 0 : !wrong_clocks) {
        *ticks = t->unmatched == 0 ? t->smallest : 0;
        return t->unmatched == 0 ? OBSERVED : UNKNOWN;
    }
    *ticks = 0;
    if (distance == TCF_SAME_PROCESS || t->round_trips == 0)
        return UNKNOWN;
    *ticks = t->violated == 0 && t->smallest < bound ? t->smallest : bound;
    return ROUND_TRIP;
}

/* Once clocks are corrected, what was seen by them holds no longer: a message to a clock that was ahead seems to take
 * long. Sums of both ways hold. */
static uint32_t sure(const struct tally *t, uint32_t distance, uint64_t bound, uint64_t ticks)
{
    uint64_t least = distance == TCF_SAME_PROCESS || ticks < bound ? ticks : bound;
    if (distance != TCF_SAME_PROCESS && t->round_trips == 0)
        return 0;
    return least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

struct row {
    const char *class_, *distance, *rule;
    double smallest, round_trip; /* NaN: none */
    struct tally tally;
    tcf_minimum_delay delay;
};

#define AT(member) TCF_AT(struct row, member)

static void report_row(const tcf_self *self, tcf_table *table, const tcf_minimum_delay *delay, enum rule rule)
{
    static const char *const rules[] = {"observed", "round_trip", "unknown"};
    const struct tally *t = &((const struct state *)self->state)->tally[delay->class_][delay->distance];
    const double none = __builtin_nan("");
    tcf_row(self, table,
            &(struct row){tcf_edge_class_name(delay->class_), tcf_distance_name(delay->distance), rules[rule],
                          t->smallest != UINT64_MAX ? (double)t->smallest : none,
                          t->round_trips > 0 ? (double)t->round_trip : none, *t, *delay});
}

static void note_round_trips_of_messages(struct state *st)
{
    int64_t round_trip;
    for (uint32_t i = 0; i < st->stretches.n; i++)
        if (stretches_round_trip(&st->stretches.at[i], &round_trip))
            note_round_trips(&st->tally[TCF_CLASS_P2P][st->stretches.at[i].distance], 1, round_trip);
}

static tcf_status mu_end(tcf_self *self)
{
    static const tcf_table_column columns[] = {
        {"class", AT(class_), NULL, "What orders the events"},
        {"distance", AT(distance), NULL, "Between the two locations, or the largest one in the communicator"},
        {"minimum", AT(delay.ticks) | TCF_CELL_SECONDS, "s", "The minimum delay found"},
        {"minimum_ticks", AT(delay.ticks) | TCF_CELL_DETAIL, "ticks", "The same in ticks"},
        {"rule", AT(rule), NULL, "observed: the smallest seen; round_trip: a part of one; unknown: 0"},
        {"edges", AT(tally.targets), NULL, "Events that depend on others"},
        {"violated", AT(tally.violated), NULL, "Those that come before what they depend on"},
        {"smallest_seen", AT(smallest) | TCF_CELL_SECONDS, "s",
         "Of those that are not violated, by the clocks as they are"},
        {"round_trips", AT(tally.round_trips), NULL, "Stretches of time of two processes and collectives with one"},
        {"round_trip", AT(round_trip) | TCF_CELL_SECONDS, "s", "The smallest of them"},
        {"unmatched", AT(tally.unmatched), NULL, "Other events, without partner: how long they took isn't known"},
        {"sure", AT(delay.sure) | TCF_CELL_DETAIL, "ticks",
         "What of the minimum holds whatever the clocks are: all of it that counts behind a presync that changes "
         "times"},
    };
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    tcf_minimum_delay rows[TCF_CLASSES * TCF_DISTANCES];
    uint64_t n = 0;
    note_round_trips_of_messages(st);
    int wrong = any_violation(st);
    uint64_t bound = bound_of_round_trips(st, conf->safety, self->host->ticks(self, conf->most));
    tcf_table *table = TCF_TABLE(self, "minimum_delays", "Minimum delays", columns);
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            const struct tally *t = &st->tally[c][d];
            if (t->targets == 0)
                continue;
            tcf_minimum_delay *row = &rows[n++];
            *row = (tcf_minimum_delay){.samples = t->targets, .class_ = (uint8_t)c, .distance = (uint8_t)d};
            enum rule rule = decide(t, d, wrong, bound, &row->ticks);
            row->sure = sure(t, d, bound, row->ticks);
            report_row(self, table, row, rule);
        }
    if (st->stretches.thinning > 0)
        self->host->log(self, TCF_LOG_INFO,
                        "round trips of messages were searched for in one of %" PRIu64
                        " stretches of time: there is room "
                        "for %" PRIu32 " (stretches)",
                        UINT64_C(1) << st->stretches.thinning, st->stretches.most);
    /* In the main chain the table of the survey stays, because filters behind this one may use it. */
    uint64_t already;
    return self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *rows, &already)
               ? TCF_OK
               : self->host->learn(self, TCF_MINIMUM_DELAYS, sizeof *rows, rows, n);
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

static tcf_status mu_pack(tcf_self *self, tcf_pack *pack)
{
    const struct state *st = self->state;
    self->host->put(pack, st->tally, sizeof st->tally);
    self->host->put(pack, &st->stretches.thinning, sizeof st->stretches.thinning);
    self->host->put(pack, &st->stretches.n, sizeof st->stretches.n);
    self->host->put(pack, st->stretches.at, st->stretches.n * sizeof *st->stretches.at);
    return TCF_OK;
}

static void add_tally(struct tally *t, const struct tally *more)
{
    t->targets += more->targets;
    t->violated += more->violated;
    t->unmatched += more->unmatched;
    t->smallest = more->smallest < t->smallest ? more->smallest : t->smallest;
    note_round_trips(t, more->round_trips, more->round_trip);
}

static tcf_status mu_absorb(tcf_self *self, tcf_pack *pack)
{
    struct state *st = self->state;
    uint32_t thinning, n;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++) {
            struct tally more;
            self->host->take(pack, &more, sizeof more);
            add_tally(&st->tally[c][d], &more);
        }
    self->host->take(pack, &thinning, sizeof thinning);
    self->host->take(pack, &n, sizeof n);
    stretches_join(&st->stretches, thinning);
    for (uint32_t i = 0; i < n; i++) {
        struct stretch s;
        self->host->take(pack, &s, sizeof s);
        stretches_add(&st->stretches, &s);
    }
    return out_of_memory(self);
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status mu_begin(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    for (uint32_t c = 0; c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++)
            st->tally[c][d].smallest = UINT64_MAX;
    st->comm_distance = comm_distances(self->defs);
    st->stretches = stretches_new((uint32_t)conf->stretches, self->host->ticks(self, conf->interval));
    if (!st->comm_distance)
        return self->host->fail(self, "out of memory for the distances within communicators");
    return TCF_OK;
}

static void mu_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    stretches_free(&st->stretches);
    free(st->comm_distance);
}

static const tcf_param params[] = {
    TCF_PARAM(struct conf, safety, TCF_DOUBLE, "0.5",
              "Where clocks are wrong: the part of half the smallest round trip that is taken as minimum delay",
              .min = "0", .max = "1"),
    TCF_PARAM(struct conf, most, TCF_DURATION, "1us",
              "Where clocks are wrong: the largest minimum delay that is believed; too large a one moves events "
              "without reason, too small a one does no harm",
              .min = "0"),
    TCF_PARAM(struct conf, interval, TCF_DURATION, "1ms",
              "Two messages in opposite directions make a round trip when they are at most this far apart (rounded up "
              "to a power of two of ticks); clocks should not drift much in it",
              .min = "0"),
    TCF_PARAM(struct conf, stretches, TCF_INT, "262144",
              "How many stretches of time of `interval` each, of all pairs of processes, are searched for round trips; "
              "of more a part is, evenly; at no more than 104 bytes each",
              .min = "1", .max = "16777216", .unit = "stretches"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "mu_estimate",
    .version = "1.0",
    .summary = "Finds the minimum delay of messages and collectives by class and distance, for the survey",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "Made for `survey`, in front of a chain whose clc_forward has mu = auto. For each class of edges and each "
        "distance (same process, same node, other node; of a collective: the largest in its communicator) it finds a "
        "delay that no edge falls short of.\n"
        "\n"
        "When no event of the trace comes before what it depends on, that is the smallest delay seen, and a correction "
        "has no reason to move anything. When clocks are wrong, delays between processes are not known, but sums of "
        "two in opposite directions are, for the offset of the clocks cancels out. Of messages it is the sum of two, "
        "one each way between two processes within `interval`; of barriers and other n-to-n collectives the time that "
        "the two fastest members of an instance spent in it, together. Half of the smallest round trip of all classes, "
        "times `safety`, at most `most`, is the minimum delay of these classes; never more than the smallest delay "
        "seen in a class without violation. For late receivers make round trips long, never too short.\n"
        "\n"
        "One-to-n, n-to-one and scan when clocks are wrong: 0, for there is no way back. Edges within a process, which "
        "has one clock: the smallest seen unless the class has a violation, else 0. Where nothing is known: 0. Edges "
        "without partner are left out; where clocks are right and a class has such, 0 too, since with other times "
        "others may be without, and how long these take isn't known.\n"
        "\n"
        "Between processes the smallest delay seen holds as long as clocks stay as they are. Where presync changes "
        "them, filters behind it use what round trips have shown: clocks that are wrong need not put any message into "
        "the wrong order.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct location),
    .message_bytes = sizeof(struct sender),
    .member_bytes = sizeof(struct member),
    .can = TCF_CAN_REPORT | TCF_CAN_SURVEY | TCF_CAN_SKIP_NON_EDGES | TCF_CAN_DOMAINS,
    .span = mu_span,
    .begin = mu_begin,
    .collective_complete = mu_collective_complete,
    .end = mu_end,
    .fini = mu_fini,
    .pack = mu_pack,
    .absorb = mu_absorb,
};
