/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Backward amortization of the controlled logical clock: sections 3.2 and 4.2 and Fig. 1 of the extended CLC,
 * as doc/clock-correction.md spells them out. The jumps that clc_forward has left are built up slowly over the events
 * in front of them; no source is moved beyond what its targets allow.
 *
 * So events are held until they are final: no jump to come can reach back to them (their location is further than
 * max_interval or max_events past them), and the jumps that have come have been amortised. A jump is amortised when the
 * limits of the sources in front of it are known: their targets have come, or will come too late to matter (the
 * watermark). The jumps of a location are treated in order. When memory runs out the interval is shortened, for all
 * locations alike, until a slice can be released; the jumps that this cuts short are counted. Where there is no jump no
 * time is touched. */
#include "clc_backward.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_PATIENCE = 8, FLUSHED_SHARE = 16 };

static const tcf_param params[] = {
    TCF_PARAM(
        struct conf, slope, TCF_DOUBLE, "0.02",
        "A jump is spread over an interval of its size divided by this: by so much clocks run fast in front of a jump",
        .min = "0.0001", .max = "1"),
    TCF_PARAM(struct conf, max_interval, TCF_DURATION, "10ms",
              "The longest such interval; events are held for so long. 0: no limit, then memory is the limit",
              .min = "0"),
    TCF_PARAM(struct conf, max_events, TCF_INT, "0",
              "As many events of a location a jump moves at most, however short they are: so many are held. 0: 524,288 "
              "for all locations that have events together, but from 64 to 65,536 for each",
              .min = "0", .max = "1073741824", .unit = "events"),
};

/* ------------------------------------------------------------------------------------------------------- release -- */

/* The last time in a slice: that of its last event or, where this is a flush, the flush's end. That moves too, no
 * further than the event behind the slice, at `next`. */
static uint64_t last_time(const tcf_slice *s, uint64_t next)
{
    uint64_t last = s->n > 0 ? s->time[s->n - 1] : 0;
    if (s->n > 0 && s->kind[s->n - 1] == TCF_BUFFER_FLUSH && s->rec[s->n - 1].buffer_flush.stop_time > last)
        return s->rec[s->n - 1].buffer_flush.stop_time < next ? s->rec[s->n - 1].buffer_flush.stop_time : next;
    return last;
}

/* The time of the first event behind held slice k; UINT64_MAX: it has not come yet. */
static uint64_t next_time(const struct place *p, uint64_t k)
{
    while (++k < p->end)
        if (held_at(p, k)->slice->n > 0)
            return held_at(p, k)->slice->time[0];
    return UINT64_MAX;
}

/* The time up to which nothing moves any more when no interval is longer than `horizon`. */
static uint64_t final_time(const tcf_self *self, const struct place *p, uint64_t horizon)
{
    const struct state *st = self->state;
    uint64_t now = p->ended ? UINT64_MAX : p->arrived > st->watermark ? p->arrived : st->watermark;
    if (p->pending && p->jump_time < now)
        now = p->jump_time;
    return now == UINT64_MAX ? now : now > horizon ? now - horizon : 0;
}

static tcf_status let_go(tcf_self *self, struct place *p)
{
    struct state *st = self->state;
    tcf_slice *s = held_at(p, p->begin++)->slice;
    st->held--;
    p->front = p->begin < p->end ? held_at(p, p->begin)->last : 0;
    if (s->n > 0) {
        p->released = s->time[s->n - 1];
        p->any_released = 1;
    }
    return self->host->release(self, s);
}

static tcf_status release_final(tcf_self *self, struct place *p, uint64_t horizon)
{
    uint64_t final = final_time(self, p, horizon);
    while (p->begin < p->end && (p->begin < p->in_reach || p->front <= final)) {
        if (p->begin >= p->in_reach && last_time(held_at(p, p->begin)->slice, next_time(p, p->begin)) > final)
            break;
        if (let_go(self, p) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* Amortises what is ready and releases what is final. */
static tcf_status advance(tcf_self *self, struct place *p, uint64_t horizon)
{
    while (p->pending && jump_ready(self, p))
        if (jump_carry_out(self, p) != TCF_OK)
            return TCF_ERROR;
    return release_final(self, p, horizon);
}

static tcf_status advance_all(tcf_self *self, uint64_t horizon)
{
    struct state *st = self->state;
    st->watermark = self->host->watermark(self);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        if (p->begin < p->end && advance(self, p, horizon) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* The same behind advance_all() with a longer horizon: a jump that wasn't ready then may only be so where slices in
 * front of it are released. */
static tcf_status shorten_all(tcf_self *self, uint64_t horizon)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        const uint64_t begin = p->begin;
        if (begin < p->end && release_final(self, p, horizon) != TCF_OK)
            return TCF_ERROR;
        if (p->begin > begin && p->begin < p->end && advance(self, p, horizon) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static int is_held_since(const struct place *p, uint64_t arrival)
{
    return p->begin < p->end && held_at(p, p->begin)->number <= arrival;
}

/* Releases the slices that were held longest, a share of all. Jumps in them are amortised first, with what is known by
 * now. */
static tcf_status force(tcf_self *self)
{
    const struct state *st = self->state;
    uint64_t oldest = st->arrivals;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        if (is_held_since(p, oldest))
            oldest = held_at(p, p->begin)->number;
    }
    oldest += (st->arrivals - oldest) / FLUSHED_SHARE;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        while (is_held_since(p, oldest)) {
            while (p->pending && p->jump.slice == p->begin)
                if (jump_carry_out(self, p) != TCF_OK)
                    return TCF_ERROR;
            if (let_go(self, p) != TCF_OK)
                return TCF_ERROR;
        }
    }
    return TCF_OK;
}

static tcf_status clc_backward_flush(tcf_self *self)
{
    const struct state *st = self->state;
    uint64_t before = st->held, horizon = st->max_interval;
    if (advance_all(self, horizon) != TCF_OK)
        return TCF_ERROR;
    if (st->held < before)
        return TCF_OK;
    /* A share of the slices at a time, because a call looks at all locations many times. */
    while (horizon > 0 && before - st->held < before / FLUSHED_SHARE + 1) {
        horizon /= 2;
        if (shorten_all(self, horizon) != TCF_OK)
            return TCF_ERROR;
    }
    return st->held < before ? TCF_OK : force(self);
}

static tcf_status clc_backward_answers_come(tcf_self *self)
{
    return advance_all(self, ((const struct state *)self->state)->max_interval);
}

/* ------------------------------------------------------------------------------------------------------- arrival -- */

static int make_room(struct place *p)
{
    if (p->end - p->begin < p->capacity)
        return 0;
    uint32_t capacity = p->capacity ? 2 * p->capacity : 4;
    struct held *ring = malloc(capacity * sizeof *ring);
    if (!ring)
        return -1;
    for (uint64_t k = p->begin; k < p->end; k++)
        ring[k & (capacity - 1)] = *held_at(p, k);
    free(p->ring);
    p->ring = ring;
    p->capacity = capacity;
    return 0;
}

/* Answers the sources of the targets in a slice with the latest time that they may move to. */
static void answer(tcf_self *self, const tcf_slice *s)
{
    const tcf_jump *jump = s->columns[((const struct state *)self->state)->column];
    for (uint32_t k = 0; k < s->n_edges; k++)
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            self->host->answer(self, &s->edges[k], jump[k].limit);
}

static void note_arrival(struct place *p, const tcf_slice *s)
{
    if (s->n == 0)
        return;
    if (!p->any_arrived)
        p->first = s->time[0];
    p->any_arrived = 1;
    p->arrived = s->time[s->n - 1];
}

/* A flush at the end of an earlier slice moves no further than the first event of this one, so neither does that
 * slice's last time. */
static void note_next(struct place *p, const tcf_slice *s)
{
    for (uint64_t k = p->end; s->n > 0 && k > p->begin && held_at(p, k - 1)->last > s->time[0]; k--)
        held_at(p, k - 1)->last = s->time[0];
    if (p->begin < p->end)
        p->front = held_at(p, p->begin)->last;
}

/* Keeps of the last slice, where it is long, what jumps to come may reach: so much memory less is held. */
static tcf_status cut_last(tcf_self *self, struct place *p)
{
    const struct state *st = self->state;
    if (p->pending || p->begin == p->end || make_room(p) != 0)
        return TCF_OK;
    struct held *h = held_at(p, p->end - 1);
    const uint64_t from = p->events > st->max_events ? p->events - st->max_events : 0;
    if (!st->cut || from < h->first + st->max_events)
        return TCF_OK;
    tcf_slice *rest = st->cut(self, h->slice, (uint32_t)(from - h->first));
    if (!rest)
        return TCF_OK;
    h->last = last_time(h->slice, rest->time[0]);
    *held_at(p, p->end++) = (struct held){rest, h->number, last_time(rest, UINT64_MAX), from, rest->n_edges};
    ((struct state *)self->state)->held++;
    jump_look_back(self, p);
    return release_final(self, p, st->max_interval);
}

static tcf_status clc_backward_slice(tcf_self *self, tcf_slice *s)
{
    struct state *st = self->state;
    struct place *p = tcf_location_state(self, s->location);
    if (make_room(p) != 0)
        return self->host->fail(self, "out of memory for the slices that wait");
    answer(self, s);
    note_arrival(p, s);
    uint32_t first = next_jump(self, s, 0);
    *held_at(p, p->end) = (struct held){s, st->arrivals++, last_time(s, UINT64_MAX), p->events, first};
    p->events += s->n;
    note_next(p, s);
    if (p->begin == p->end)
        p->front = held_at(p, p->end)->last;
    if (first < s->n_edges && !p->pending) {
        p->pending = 1;
        p->looked = 0;
        p->jump = (struct cursor){p->end, first};
        p->jump_time = jump_time(self, s, first);
    }
    p->end++;
    st->held++;
    jump_look_back(self, p);
    tcf_status status;
    if (--st->patience == 0) {
        st->patience = LEAST_PATIENCE + self->defs->n_locations / LEAST_PATIENCE;
        status = advance_all(self, st->max_interval);
    } else {
        status = advance(self, p, st->max_interval);
    }
    return status == TCF_OK && cut_last(self, p) == TCF_OK ? TCF_HELD : TCF_ERROR;
}

/* -------------------------------------------------------------------------------------------------------- filter -- */

static tcf_status clc_backward_init(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    st->slope = (uint64_t)llround(conf->slope * 4294967296.0);
    st->patience = 1;
    return TCF_OK;
}

/* So many that what is held of all locations fits into the memory that there is by default. */
static uint64_t events_of_each(const tcf_definitions *defs)
{
    enum { OF_ALL = 1 << 19, LEAST = 64, MOST = 65536 };
    uint32_t n = 0;
    for (uint32_t l = 0; l < defs->n_locations; l++)
        n += !tcf_location_at(defs, l)->silent;
    const uint32_t each = OF_ALL / (n > 0 ? n : 1);
    return each < LEAST ? LEAST : each > MOST ? MOST : each;
}

static tcf_status clc_backward_begin(tcf_self *self)
{
    const struct conf *conf = self->conf;
    struct state *st = self->state;
    st->column = self->host->column(self, TCF_JUMP);
    const tcf_hold_host *hold = tcf_hold_host_of(self);
    st->cut = hold ? hold->cut : NULL;
    st->max_interval = self->host->ticks(self, conf->max_interval);
    if (conf->max_interval.value <= 0)
        st->max_interval = UINT64_MAX;
    else if (st->max_interval == 0)
        st->max_interval = 1;
    st->max_events = conf->max_events > 0 ? (uint64_t)conf->max_events : events_of_each(self->defs);
    return TCF_OK;
}

static tcf_status clc_backward_location_end(tcf_self *self, uint32_t location)
{
    struct place *p = tcf_location_state(self, location);
    p->ended = 1;
    return TCF_OK;
}

/* All locations have ended, so all limits are known. */
static tcf_status clc_backward_end(tcf_self *self)
{
    struct state *st = self->state;
    st->watermark = UINT64_MAX;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        struct place *p = tcf_location_state(self, l);
        while (p->pending)
            if (jump_carry_out(self, p) != TCF_OK)
                return TCF_ERROR;
        while (p->begin < p->end)
            if (let_go(self, p) != TCF_OK)
                return TCF_ERROR;
    }
    return report(self);
}

static void clc_backward_fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->defs && l < self->defs->n_locations; l++)
        free(((struct place *)tcf_location_state(self, l))->ring);
    polyline_free(&st->line);
}

static const tcf_named_column columns[] = {
    {.name = TCF_JUMP, .bytes = sizeof(tcf_jump), .at_edges = 1, .of_times = 1},
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "clc_backward",
    .version = "1.0",
    .summary = "Controlled logical clock: spreads the jumps of clc_forward over the events before them",
    .topic = TCF_TOPIC_CLOCKS,
    .help =
        "Where clc_forward had to move an event later, the events before it have kept their times: the clock jumps. "
        "This filter builds the jump up slowly, over an interval of its size divided by `slope` in front of it: events "
        "move later by an offset that grows from 0 to the jump. A source of others (a send, the begin of a collective) "
        "moves by no more than its targets allow, which bends the straight line into a piecewise linear one. Extended "
        "controlled logical clock (Becker, Rabenseifner, Wolf 2007), sections 3.2 and 4.2, Fig. 1.\n"
        "\n"
        "Events move later only, keep their order, and never pass what depends on them. Where there was no jump "
        "nothing changes. The filter has to stand behind clc_forward.\n"
        "\n"
        "Events are held for max_interval, up to max_events of a location, or as long as limits of a jump are not "
        "known. Where memory is too short for that, intervals are cut: the report counts such jumps as truncated. The "
        "default slope of 2 % disturbs durations in front of a jump no more than that, and a jump of 200us still fits "
        "into the default max_interval; larger jumps are steeper.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct place),
    .needs = TCF_NEED_EDGES,
    .can = TCF_CAN_HOLD | TCF_CAN_ANSWER | TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .writes = TCF_WRITES_TIME | TCF_WRITES_LATER | TCF_WRITES_REC,
    .required = TCF_ROWS(columns),
    .slice = clc_backward_slice,
    .init = clc_backward_init,
    .begin = clc_backward_begin,
    .location_end = clc_backward_location_end,
    .flush = clc_backward_flush,
    .end = clc_backward_end,
    .fini = clc_backward_fini,
    .pack = report_pack,
    .absorb = report_absorb,
    .answers_come = clc_backward_answers_come,
};
