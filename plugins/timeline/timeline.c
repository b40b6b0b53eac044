/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline: shows what happened around the longest waits: the calls of the locations involved and of their
 * neighbours, and the messages between them. */
#include "timeline.h"

#include <inttypes.h>
#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------- calls -- */

static tcf_status show_call(tcf_self *self, uint32_t location, const item *call)
{
    const conf *c = self->conf;
    state *st = self->state;
    for (uint32_t i = 0; i < st->n_windows; i++) {
        window *w = &st->windows[i];
        const uint32_t row = w->row[location];
        if (row == TCF_NONE || call->begin > w->end || call->end < w->begin)
            continue;
        item x = *call;
        const uint64_t from = x.begin > w->begin ? x.begin : w->begin;
        x.length = (x.end < w->end ? x.end : w->end) - from;
        if (keep(&w->calls[row], (uint32_t)c->max_intervals, &x) != 0)
            return self->host->fail(self, "out of memory for the calls of a window");
    }
    return TCF_OK;
}

/* Ends the innermost call. */
static tcf_status end_call(tcf_self *self, uint32_t location, place *p, uint64_t time)
{
    const open_call *c = &p->calls.open[--p->calls.depth];
    if (__builtin_expect(time < p->begin || c->enter > p->end, 1))
        return TCF_OK;
    const item call = {.begin = c->enter, .end = time, .order = c->number, .what = c->what, .depth = p->calls.depth};
    return show_call(self, location, &call);
}

static inline tcf_status leave(tcf_self *self, uint32_t location, place *p, uint64_t time, uint64_t what)
{
    if (call_stack_left_too_deep(&p->calls))
        return TCF_OK;
    for (uint32_t n = call_stack_left(&p->calls, what); n > 0; n--)
        if (end_call(self, location, p, time) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static tcf_status look_at_calls(tcf_self *self, const tcf_slice *s, place *p)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const uint64_t time = s->time[i];
        if (tcf_is_enter(s->kind[i])) {
            if (call_stack_enter(&p->calls, call_of_event(s, i), time) < 0)
                return self->host->fail(self, "out of memory for the open calls of a location");
        } else if (tcf_is_leave(s->kind[i])) {
            if (leave(self, s->location, p, time, call_of_event(s, i)) != TCF_OK)
                return TCF_ERROR;
        }
    }
    return TCF_OK;
}

static tcf_status timeline_arrive(tcf_self *self, tcf_slice *s)
{
    place *p = place_of(self, s->location);
    if (s->n == 0)
        return TCF_OK;
    if (!p->started)
        p->first = s->time[0];
    p->started = 1;
    p->last = s->time[s->n - 1];
    return p->is_shown ? look_at_calls(self, s, p) : TCF_OK;
}

/* Calls that are still open end with the last event. */
static tcf_status timeline_location_end(tcf_self *self, uint32_t location)
{
    place *p = place_of(self, location);
    while (p->calls.depth > 0)
        if (end_call(self, location, p, p->last) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ messages -- */

static tcf_status show_message(tcf_self *self, uint32_t receiver, const sent *m, uint64_t time, uint64_t bytes)
{
    const conf *c = self->conf;
    state *st = self->state;
    const uint64_t first = m->time < time ? m->time : time, last = m->time < time ? time : m->time;
    const item x = {.length = last == time ? last - first : 0,
                    .begin = m->time,
                    .end = time,
                    .bytes = bytes,
                    .order = (uint64_t)m->location << 32 | receiver};
    for (uint32_t i = 0; i < st->n_windows; i++) {
        window *w = &st->windows[i];
        if (w->row[receiver] == TCF_NONE || w->row[m->location] == TCF_NONE || first > w->end || last < w->begin)
            continue;
        if (keep(&w->messages, (uint32_t)c->max_messages, &x) != 0)
            return self->host->fail(self, "out of memory for the messages of a window");
    }
    return TCF_OK;
}

static tcf_status meet(tcf_self *self, const tcf_slice *s, const tcf_edge *e)
{
    if (e->class_ != TCF_CLASS_P2P || e->flags & (TCF_EDGE_GONE | TCF_EDGE_UNMATCHED | TCF_EDGE_LEFT))
        return TCF_OK;
    sent *m = self->host->payload(self, e);
    if (m && e->flags & TCF_EDGE_SOURCE)
        *m = (sent){s->time[e->pos], s->location, 1};
    if (m && e->flags & TCF_EDGE_TARGET && m->is_there)
        return show_message(self, s->location, m, s->time[e->pos], s->rec[e->pos].mpi_recv.msg_length);
    return TCF_OK;
}

static tcf_status timeline_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    place *p = place_of(self, s->location);
    uint32_t n = from == 0 ? 0 : p->edge;
    tcf_status status = TCF_OK;
    for (; n < s->n_edges && s->edges[n].pos < to && status == TCF_OK; n++)
        if (p->is_shown)
            status = meet(self, s, &s->edges[n]);
    p->edge = n;
    return status;
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status timeline_begin(tcf_self *self)
{
    uint64_t n;
    const tcf_worst_wait *waits = self->host->learned(self, TCF_WORST_WAITS, sizeof *waits, &n);
    if (!waits)
        return self->host
            ->refuse(self, "nobody has told the longest waits: put wait_states into 'survey' of [pipeline], behind "
                           "the same filters of clocks as here");
    return windows_choose(self, waits, n);
}

static void timeline_fini(tcf_self *self, int complete)
{
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++)
        call_stack_free(&place_of(self, l)->calls);
    windows_free(self);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, windows, TCF_INT, "5", "Windows at most", .min = "1", .max = "1024"),
    TCF_PARAM(conf, locations, TCF_INT, "16", "Locations of a window at most", .min = "2", .max = "65536"),
    TCF_PARAM(conf, padding, TCF_DOUBLE, "0.1", "What is shown before and after, as a share of the time between",
              .min = "0", .max = "100"),
    TCF_PARAM(conf, max_intervals, TCF_INT, "1000",
              "Calls of a location in a window at most, 56 bytes each; the longest are kept", .min = "1",
              .max = "16777216"),
    TCF_PARAM(conf, max_messages, TCF_INT, "1000", "Messages of a window at most; those longest on their way are kept",
              .min = "1", .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "timeline",
    .version = "1.0",
    .summary = "What happened around the longest waits: calls and messages in windows of time",
    .topic = TCF_TOPIC_WAITS,
    .help =
        "For drawing timelines of what is worth to be looked at. wait_states in a survey finds the longest waits, so "
        "many of each pattern as its `worst` says; this filter shows what happened around them. Times have to be the "
        "same in both, so filters of clocks that change them stand in survey and chain; where those need a survey of "
        "their own, that of the waits is a second one: `survey = clock_estimate | sync wait_states`.\n\n"
        "Windows: waits are gone through from the longest on (of equal ones the earlier first, then that of the "
        "lower location). One that is seen already is skipped: its location is shown in a window chosen before, and "
        "some of the wait lies in that window's time. A window reaches from the begin of the wait, or from the time "
        "of its cause if that was earlier, but not by more than the wait is long, to the end of the wait; and by "
        "`padding` of that time further at both sides. Locations of a window are who waited, whom it waited for, and "
        "their nearest neighbours: in order of definition, the lower one of two equally near; without those that "
        "have no events.\n\n"
        "Calls are shown that lie in a window at least in part. A leave ends the innermost open call of its region, "
        "and those inside of that; what is never left ends with the last event of the location. Messages are shown "
        "between locations of the window if they were on their way at some time of it. Beyond max_intervals and "
        "max_messages the longest are kept (of a call what lies in the window), of equal ones the earlier; a warning "
        "tells how many were left out.\n\n"
        "Tables: windows, locations, intervals and messages. Locations are told by their ids.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .message_bytes = sizeof(sent),
    .needs = TCF_NEED_EDGES,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .span = timeline_span,
    .arrive = timeline_arrive,
    .begin = timeline_begin,
    .location_end = timeline_location_end,
    .pack = timeline_pack,
    .absorb = timeline_absorb,
    .end = timeline_report,
    .fini = timeline_fini,
};
