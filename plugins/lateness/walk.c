/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The walk over a location's events: operations, and the logical clock that gives them their steps. Only records of
 * communication are looked at and, while an operation is under way, enters and leaves, for its end. */
#include "lateness.h"

enum { RECORD = 1, ENTERS = 2, LEAVES = 4, LATER = 8 };

/* RECORD: the call that has this record is an operation. LATER: the record ends what another call has begun, so it
 * comes a step behind that. */
static const uint8_t what[256] = {
    [TCF_MPI_SEND] = RECORD,
    [TCF_MPI_ISEND] = RECORD,
    [TCF_MPI_RECV] = RECORD | LATER,
    [TCF_MPI_IRECV] = RECORD | LATER,
    [TCF_MPI_COLLECTIVE_BEGIN] = RECORD,
    [TCF_MPI_COLLECTIVE_END] = RECORD,
    [TCF_NON_BLOCKING_COLLECTIVE_REQUEST] = RECORD,
    [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = RECORD | LATER,
    [TCF_RMA_COLLECTIVE_BEGIN] = RECORD,
    [TCF_RMA_COLLECTIVE_END] = RECORD,
    [TCF_ENTER] = ENTERS,
    [TCF_LEAVE] = LEAVES,
    [TCF_CALLING_CONTEXT_ENTER] = ENTERS,
    [TCF_CALLING_CONTEXT_LEAVE] = LEAVES,
};

/* --------------------------------------------------------------------------------------------------------- calls -- */

static struct call begin_call(const struct state *st, struct lane *k, uint32_t callpath)
{
    k->takes_part = 1;
    k->clock++;
    return (struct call){.step = k->clock, .sources = NONE, .callpath = callpath, .depth = st->paths[callpath].depth};
}

/* The operation that a record in a call belongs to. */
static struct call *operation_of(struct state *st, struct lane *k, uint32_t callpath)
{
    if (k->n_open > 0 && k->open[k->n_open - 1].callpath == callpath)
        return &k->open[k->n_open - 1];
    if (k->n_open == MOST_OPEN) {
        st->counts.too_deep++;
        return &k->open[MOST_OPEN - 1];
    }
    k->open[k->n_open] = begin_call(st, k, callpath);
    return &k->open[k->n_open++];
}

static void complete(tcf_self *self, uint32_t location, const struct call *c, uint64_t end)
{
    if (!gather_records(gather_of(self)))
        steps_complete(self, location, c, end);
    else if (centre_record(self, location, c, end) != TCF_OK)
        ((struct state *)self->state)->out_of_memory = 1;
}

/* Event i leaves a region: operations in it, or further inside, are over. */
static void leave(tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t i)
{
    const struct state *st = self->state;
    const tcf_callpath *left = &st->paths[s->callpath[i]];
    if (left->region != TCF_NONE && left->region != tcf_region_of_event(self->defs, s, i))
        return; /* it leaves a region that is not open */
    while (k->n_open > 0) {
        struct call *c = &k->open[k->n_open - 1];
        if (c->callpath == s->callpath[i] && c->nested > 0) {
            c->nested--;
            return;
        }
        if (left->depth > c->depth || (left->region == TCF_NONE && c->callpath != s->callpath[i]))
            return;
        complete(self, s->location, c, s->time[i]);
        k->n_open--;
        if (left->region == TCF_NONE)
            return;
    }
}

static void enter(struct lane *k, const tcf_slice *s, uint32_t i)
{
    struct call *c = &k->open[k->n_open - 1];
    c->nested += c->callpath == s->callpath[i];
}

/* --------------------------------------------------------------------------------------------------------- edges -- */

static inline int is_message(const tcf_edge *e)
{
    return e->class_ == TCF_CLASS_P2P;
}

/* The clock reaches what the target depends on, or is a step ahead of it. */
static void ask(tcf_self *self, struct lane *k, const tcf_slice *s, const tcf_edge *e, struct call *c)
{
    uint64_t step;
    if (e->flags & TCF_EDGE_UNMATCHED || !self->host->latest(self, e, 0, &step))
        return;
    step += (what[s->kind[e->pos]] & LATER) != 0;
    k->clock = step > k->clock ? step : k->clock;
    const struct sender *from = is_message(e) && c ? self->host->payload(self, e) : NULL;
    if (from && from->known)
        steps_depend(self, c, from->step, from->end);
}

static void publish(tcf_self *self, struct lane *k, const tcf_slice *s, const tcf_edge *e, const struct call *c)
{
    self->host->publish(self, e, 0, k->clock);
    struct sender *to = is_message(e) && c ? self->host->payload(self, e) : NULL;
    if (to) /* an operation outside of any call is over at once */
        *to = (struct sender){k->clock, s->time[e->pos], c->depth, c->callpath == 0};
}

/* Notes in a message when the call of its send is left. A call that receives after the send counts as left at that
 * receive, when its end is not known yet. */
static void publish_end(tcf_self *self, struct lane *k, const tcf_slice *s, const tcf_edge *e)
{
    struct sender *to = is_message(e) ? self->host->payload(self, e) : NULL;
    if (!to || !(what[s->kind[e->pos]] & LEAVES))
        return;
    for (uint32_t n = k->n_open; n-- > 0;)
        if (k->open[n].depth == to->depth) {
            *to = (struct sender){k->open[n].step, s->time[e->pos], to->depth, 1};
            return;
        }
}

/* Event i, which has the edges [from, to) of the list. */
static void meet(tcf_self *self, struct lane *k, const tcf_slice *s, uint32_t i, uint32_t from, uint32_t to)
{
    struct state *st = self->state;
    const uint8_t is = what[s->kind[i]];
    struct call alone, *c = NULL;
    if (is & RECORD && s->callpath[i] == 0) {
        alone = begin_call(st, k, 0);
        c = &alone;
    } else if (is & RECORD) {
        c = operation_of(st, k, s->callpath[i]);
    }
    for (uint32_t n = from; n < to; n++)
        if (s->edges[n].flags & TCF_EDGE_TARGET && !(s->edges[n].flags & TCF_EDGE_GONE))
            ask(self, k, s, &s->edges[n], c);
    for (uint32_t n = from; n < to; n++) {
        const tcf_edge *e = &s->edges[n];
        if (e->flags & TCF_EDGE_GONE)
            continue;
        if (e->flags & TCF_EDGE_SOURCE)
            publish(self, k, s, e, c);
        else if (e->flags & TCF_EDGE_LEFT)
            publish_end(self, k, s, e);
    }
    if (c)
        c->step = k->clock;
    if (c == &alone)
        complete(self, s->location, c, s->time[i]);
    if (is & LEAVES && k->n_open > 0)
        leave(self, k, s, i);
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

tcf_status lateness_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct state *st = self->state;
    struct lane *k = tcf_location_state(self, s->location);
    uint32_t n = from == 0 ? 0 : k->edge;
    st->paths = self->host->callpaths(self, &st->n_paths);
    for (uint32_t i = from; i < to; i++) {
        const uint8_t is = what[s->kind[i]];
        const uint32_t first = n;
        while (n < s->n_edges && s->edges[n].pos == i)
            n++;
        if (n > first || is & RECORD)
            meet(self, k, s, i, first, n);
        else if (is & LEAVES && k->n_open > 0)
            leave(self, k, s, i);
        else if (is & ENTERS && k->n_open > 0)
            enter(k, s, i);
    }
    k->edge = n;
    if (to > from)
        k->last = s->time[to - 1];
    return st->out_of_memory ? self->host->fail(self, "out of memory for %u call paths", st->n_paths)
                             : centre_span(self, s->location);
}

/* Calls that are never left end with the last event. */
tcf_status lateness_location_end(tcf_self *self, uint32_t location)
{
    struct lane *k = tcf_location_state(self, location);
    for (; k->n_open > 0; k->n_open--)
        complete(self, location, &k->open[k->n_open - 1], k->last);
    k->ended = 1;
    return centre_location_end(self, location);
}
