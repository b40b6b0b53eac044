/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The controlled logical clock with forward amortization: eq. 3' and 4 of the extended CLC, as doc/clock-correction.md
 * spells them out. C is the time of an event before, L behind this filter.
 *
 * As long as a clock is not ahead (L = C), only targets of edges can change that: events between edges are not even
 * looked at. A clock that is ahead runs with gamma until it meets C again. Every source publishes its L; every target
 * asks for the latest of its sources. At targets the filter leaves what clc_backward needs (tcf_jump). */
#include "clc_forward.h"
#include "../shared/clocks/distance.h"
#include "../shared/numbers/min_max.h"

#include <inttypes.h>

static const tcf_param params[] = {
    TCF_PARAM(struct conf, mu, TCF_STRING, "auto",
              "Minimum delay from an event to what it causes; auto: what the survey has measured by class and "
              "distance, 0 without a survey; a duration holds for messages and collectives, not for threads"),
    TCF_PARAM(struct conf, gamma, TCF_STRING, "0.99",
              "Speed of a clock that is ahead, relative to the recorded one, 0 to 1; auto: chosen at every jump so "
              "that the correction has decayed after `decay`, between 0.5 and 0.999"),
    TCF_PARAM(
        struct conf, delta, TCF_DURATION, "1 ticks",
        "Least distance of two events of a location while its clock is ahead, unless they were closer as recorded",
        .min = "0"),
    TCF_PARAM(struct conf, decay, TCF_DURATION, "10ms",
              "For gamma = auto: time in which the correction of a jump decays", .min = "0"),
    TCF_PARAM(struct conf, disbelief, TCF_INT, "1000",
              "A target that breaks the clock condition by more than so many times the error bars of both clocks, as a "
              "survey has learned them, is counted as not believed, and left as it is; 0: every target is believed",
              .min = "0"),
};

/* ----------------------------------------------------------------------------------------------------- the clock -- */

static tcf_status overflow(tcf_self *self, const tcf_slice *s, uint32_t i)
{
    return self->host
        ->fail(self,
               "event %" PRIu64 " of location %" PRIu64 " (time %" PRIu64
               ") would have to move beyond the largest time that 64 bits can hold: synchronise the clocks "
               "with presync first, or look for a wrong time on the other side of its message",
               s->first + i, tcf_location_at(self->defs, s->location)->id, s->time[i]);
}

/* By how much a clock that is ahead advances while the recorded one advances by dc: the second and third term of eq.
 * 4. */
static inline uint64_t step(uint64_t g, uint64_t delta, uint64_t dc)
{
    return max_u64(dc < delta ? dc : delta, (uint64_t)((unsigned __int128)dc * g >> G_BITS));
}

/* base(i): eq. 4 for a clock that is ahead. 0: overflow. */
static inline int advance(const struct state *st, const struct clock *k, uint64_t c, uint64_t *l)
{
    uint64_t next;
    if (__builtin_add_overflow(k->l, step(k->g, st->delta, c > k->c ? c - k->c : 0), &next))
        return 0;
    *l = max_u64(c, next);
    return 1;
}

static inline void count(struct clock *k, uint64_t by)
{
    k->moved++;
    k->moved_by += by;
    k->largest = max_u64(k->largest, by);
}

/* Moves the end of a flush as an event at that time would move. c, l: the times of the flush's event. */
static void move_stop(const struct state *st, const struct clock *k, tcf_ev_buffer_flush *flush, uint64_t c, uint64_t l)
{
    uint64_t stop = flush->stop_time, by = l - c, moved;
    if (stop >= c) {
        uint64_t caught_up = (stop - c) - step(k->g, st->delta, stop - c);
        by = by > caught_up ? by - caught_up : 0;
    }
    flush->stop_time = __builtin_add_overflow(stop, by, &moved) ? UINT64_MAX : moved;
}

/* Events [i, to), none of them an edge, of a clock that is ahead; stops where it meets the recorded time. The only loop
 * that looks at every event: what it needs is kept in registers. */
static tcf_status drift(tcf_self *self, struct clock *k, tcf_slice *s, uint32_t i, uint32_t to)
{
    const struct state *st = self->state;
    const uint64_t g = k->g, delta = st->delta;
    uint64_t *time = s->time, c = k->c, l = k->l;
    unsigned __int128 moved_by = 0;
    const uint32_t first = i;
    for (; i < to; i++) {
        uint64_t now = time[i], next;
        if (__builtin_add_overflow(l, step(g, delta, now > c ? now - c : 0), &next))
            return overflow(self, s, i);
        c = now;
        if (next <= now)
            break;
        if (s->kind[i] == TCF_BUFFER_FLUSH)
            move_stop(st, k, &s->rec[i].buffer_flush, now, next);
        moved_by += next - now;
        time[i] = l = next;
    }
    k->ahead = i == to;
    k->c = c;
    k->l = l;
    k->moved += i - first;
    k->moved_by += moved_by; /* the largest is at a jump */
    return TCF_OK;
}

/* gamma = auto, at every jump: the correction shall have decayed when `decay` has passed. It also has to decay faster
 * than clocks drift against each other, or it would be handed on from location to location for ever (the avalanche of
 * section 3.1). What the correction grew by over `decay` or longer is such a drift, and twice that is room enough;
 * growth within a shorter time depends more on the senders that the jumps come from. */
static void control(const struct state *st, struct clock *k, uint64_t c, uint64_t l)
{
    const uint64_t least = G_ONE / 1000, most = G_ONE / 2;
    uint64_t ahead = l - c;
    if (!k->jumped || c - k->jump_c >= st->decay) {
        k->drift /= 2;
        if (k->jumped && ahead > k->jump_ahead) {
            unsigned __int128 seen = ((unsigned __int128)(ahead - k->jump_ahead) << G_BITS) / (c - k->jump_c);
            k->drift = max_u64(k->drift, seen < most ? (uint64_t)seen : most);
        }
        k->jump_c = c;
        k->jump_ahead = ahead;
        k->jumped = 1;
    }
    unsigned __int128 wanted = (((unsigned __int128)ahead << G_BITS) + st->decay - 1) / st->decay;
    uint64_t rate = wanted < most ? (uint64_t)wanted : most;
    rate = max_u64(max_u64(rate, least), k->drift * 2 < most ? k->drift * 2 : most);
    k->g = G_ONE - rate;
    k->least_g = k->g < k->least_g ? k->g : k->least_g;
}

/* --------------------------------------------------------------------------------------------------------- edges -- */

static inline uint64_t mu_of(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const struct state *st = self->state;
    return st->mu[e->class_][edge_distance(self->defs, st->comm_distance, s->location, e)];
}

/* By how much each target of the source has to be later, at most. The ends of an instance may state other operations
 * than its begins, where a program is wrong. */
static uint64_t longest_mu(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const struct state *st = self->state;
    const uint32_t distance = edge_distance(self->defs, st->comm_distance, s->location, e);
    uint64_t longest = st->mu[e->class_][distance];
    if (e->class_ < TCF_CLASS_ONE_TO_N || e->class_ > TCF_CLASS_EXSCAN)
        return longest;
    for (uint32_t c = TCF_CLASS_ONE_TO_N; c <= TCF_CLASS_EXSCAN; c++)
        longest = max_u64(longest, st->mu[c][distance]);
    return longest;
}

/* A release of a lock leaves its location for the next acquire: a location that gets its own lock back waits for no
 * other. */
static void sign(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    uint32_t *releaser = self->host->payload(self, e);
    if (releaser)
        *releaser = s->location + 1;
}

static int own_lock(const tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    const uint32_t *releaser = self->host->payload(self, e);
    return releaser && *releaser == s->location + 1;
}

/* Is this target, which breaks the clock condition by so many ticks, believed to depend on its sources? Error bars hold
 * for all edges that the survey has seen. What contradicts them by far is no cause: a collective which carries no data,
 * a message that the measurement system made up. */
static int believed(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t broken_by)
{
    struct state *st = self->state;
    struct tally *y = &st->tally[e->class_];
    if (!st->bar || tcf_between_threads(e->class_))
        return 1;
    const int message = tcf_is_message(e) && e->peer < self->defs->n_locations;
    const double bars = st->bar[s->location] + (message ? st->bar[e->peer] : st->widest);
    if (bars <= 0 || (double)broken_by <= bars * (double)((const struct conf *)self->conf)->disbelief)
        return 1;
    y->disbelieved++;
    y->largest_disbelieved = max_u64(y->largest_disbelieved, broken_by);
    return 0;
}

/* 1: sources bind this target: *latest becomes the time of the last one, *l the earliest time that they allow. 0:
 * nothing binds it. -1: that time is larger than 64 bits can hold. */
static int ask(const tcf_self *self, const tcf_slice *s, const tcf_edge *e, uint64_t *latest, uint64_t *l)
{
    struct tally *y = &((struct state *)self->state)->tally[e->class_];
    if (!(e->flags & TCF_EDGE_TARGET) || e->flags & TCF_EDGE_GONE)
        return 0;
    if (e->flags & TCF_EDGE_UNMATCHED || !self->host->latest(self, e, 0, latest)) {
        y->unbound++;
        return 0;
    }
    if (e->class_ == TCF_CLASS_LOCK && own_lock(self, s, e))
        return 0;
    const uint64_t c = s->time[e->pos];
    const int overflows = __builtin_add_overflow(*latest, mu_of(self, s, e), l);
    if ((overflows || *l > c) && !believed(self, s, e, overflows ? UINT64_MAX - c : *l - c))
        return 0;
    y->targets++;
    return overflows ? -1 : 1;
}

static void note_jump(struct state *st, struct clock *k, const tcf_edge *cause, uint64_t c, uint64_t l, uint64_t jump)
{
    struct tally *y = &st->tally[cause->class_];
    y->jumps++;
    y->jumped_by += jump;
    y->largest = max_u64(y->largest, jump);
    k->jumps++;
    k->jumped_by += jump;
    k->largest_jump = max_u64(k->largest_jump, jump);
    if (st->control)
        control(st, k, c, l);
}

/* Event i, which has the edges [from, to) of the list: eq. 3'. */
static tcf_status meet(tcf_self *self, struct clock *k, tcf_slice *s, uint32_t i, uint32_t from, uint32_t to)
{
    struct state *st = self->state;
    tcf_jump *jump = s->columns[st->column];
    uint64_t c = s->time[i], base = c, latest, needed, last = 0;
    const tcf_edge *cause = NULL, *of_last = NULL;
    if (k->ahead && !advance(st, k, c, &base))
        return overflow(self, s, i);
    uint64_t l = base;
    for (uint32_t n = from; n < to; n++) {
        int bound = ask(self, s, &s->edges[n], &latest, &needed);
        if (bound < 0)
            return overflow(self, s, i);
        jump[n] = (tcf_jump){0, bound ? 0 : UINT64_MAX};
        if (!bound)
            continue;
        st->tally[s->edges[n].class_].violated += needed > c;
        if (needed > l) {
            l = needed;
            cause = &s->edges[n];
        }
        if (latest >= last) {
            last = latest;
            of_last = &s->edges[n];
        }
    }
    if (l > c && of_last && l == last) { /* a moved target stands behind its sources, where no delay is known, too */
        if (l == UINT64_MAX)
            return overflow(self, s, i);
        l++;
        cause = of_last;
    }
    for (uint32_t n = from; n < to; n++) {
        const tcf_edge *e = &s->edges[n];
        if (jump[n].limit == 0)
            jump[n].limit = l - max_u64(mu_of(self, s, e), l > c);
        if (e->flags & TCF_EDGE_SOURCE && !(e->flags & TCF_EDGE_GONE)) {
            jump[n].limit = longest_mu(self, s, e);
            self->host->publish(self, e, 0, l);
            if (e->class_ == TCF_CLASS_LOCK)
                sign(self, s, e);
        }
    }
    if (cause) {
        jump[cause - s->edges].ticks = l - base;
        note_jump(st, k, cause, c, l, l - base);
    }
    k->ahead = l > c;
    if (!k->ahead)
        return TCF_OK;
    if (s->kind[i] == TCF_BUFFER_FLUSH)
        move_stop(st, k, &s->rec[i].buffer_flush, c, l);
    count(k, l - c);
    k->c = c;
    s->time[i] = k->l = l;
    return TCF_OK;
}

static tcf_status clc_forward_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    const struct state *st = self->state;
    struct clock *k = tcf_location_state(self, s->location);
    uint32_t n = from == 0 ? 0 : k->edge, i = from;
    k->events += to - from;
    while (n < s->n_edges && s->edges[n].pos < to) {
        uint32_t first = n, pos = s->edges[n].pos;
        while (n < s->n_edges && s->edges[n].pos == pos)
            n++;
        if (k->ahead && drift(self, k, s, i, pos) != TCF_OK)
            return TCF_ERROR;
        if (meet(self, k, s, pos, first, n) != TCF_OK)
            return TCF_ERROR;
        i = pos + 1;
    }
    k->edge = n;
    if (to == s->n) /* dropped events behind the last one */
        for (; n < s->n_edges; n++)
            ((tcf_jump *)s->columns[st->column])[n] = (tcf_jump){0, UINT64_MAX};
    return k->ahead ? drift(self, k, s, i, to) : TCF_OK;
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status clc_forward_begin(tcf_self *self)
{
    struct state *st = self->state;
    settings_to_ticks(self);
    if (settings_take_bars(self) != TCF_OK)
        return TCF_ERROR;
    st->column = self->host->column(self, TCF_JUMP);
    if (!(st->comm_distance = comm_distances(self->defs)))
        return self->host->fail(self, "out of memory for the distances within communicators");
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct clock *k = tcf_location_state(self, l);
        if (!self->host->has(self, l))
            continue;
        k->g = k->least_g = st->control ? G_ONE - G_ONE / 1000 : st->g;
    }
    return TCF_OK;
}

static void clc_forward_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    free(st->comm_distance);
    free(st->bar);
}

static const tcf_named_column columns[] = {
    {.name = TCF_JUMP, .bytes = sizeof(tcf_jump), .at_edges = 1, .of_times = 1},
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "clc_forward",
    .version = "1.0",
    .summary = "Controlled logical clock: moves events later until nothing comes before what caused it",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "An event that depends on others (a receive, the end of a collective, a thread's begin, ...) must not come "
        "before them plus the minimum delay mu: the clock condition. Where the recorded times C break it, the event "
        "moves to the earliest time that fulfils it, and the clock of its location runs more slowly than recorded, "
        "by the factor gamma, until it meets the recorded one again. The events in between keep their order, and "
        "nearly their distances. This is the forward part of the extended controlled logical clock (Becker, "
        "Rabenseifner, Wolf 2007; eq. 3' and 4):\n"
        "\n"
        "L(i) = max(C(i), L(i-1) + min(delta, dC), L(i-1) + gamma * dC, L(sources) + mu), dC = C(i) - C(i-1), the "
        "second and third term only while the clock is ahead, the last one only at targets of edges.\n"
        "\n"
        "Events never move earlier. A trace that fulfils the clock condition is left as it is, and a second "
        "application changes nothing. Clocks should have been brought together before (presync): this filter repairs "
        "order, it doesn't know the time. With gamma = auto, gamma is chosen at every jump of a location: 1 - gamma "
        "is the correction divided by `decay`, at least twice the drift against other clocks that jumps `decay` or "
        "more apart have shown, at least 0.001 and at most 0.5.\n"
        "\n"
        "Behind clocks that a survey has estimated, targets that contradict the error bars by far (`disbelief`) are "
        "reported instead of repaired: no clock error explains them, and repairing one would move all that follows.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct clock),
    .message_bytes = sizeof(uint32_t),
    .needs = TCF_NEED_EDGES,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .writes = TCF_WRITES_TIME | TCF_WRITES_LATER | TCF_WRITES_REC,
    .provides = TCF_ROWS(columns),
    .span = clc_forward_span,
    .init = settings_parse,
    .begin = clc_forward_begin,
    .end = report,
    .fini = clc_forward_fini,
    .pack = report_pack,
    .absorb = report_absorb,
};
