/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: writes the trace for Perfetto's viewer.
 *
 * Calls become slices, messages and collectives become instant events inside of them, metrics become counters.
 * Slices are written as they come, each location in its own sequence of packets (perfetto_trace.h). Only open calls
 * are kept. The two ends of a message share an id, which is made of the message's channel and number. */
#include "perfetto_trace.h"

#include <inttypes.h>
#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <strings.h>

/* -------------------------------------------------------------------------------------------------------- events -- */

static inline const writer *writer_of(const pen *w)
{
    return ((const state *)w->self->state)->writer;
}

static inline int write_enter(const pen *w, uint64_t time, uint64_t what)
{
    const int pushed = call_stack_enter(&w->p->calls, what, time);
    if (pushed != 0)
        return pushed < 0 ? -1 : 0; /* a call beyond the deepest level isn't drawn */
    const uint64_t ns = in_nanoseconds(w->self->state, time);
    writer_of(w)->begin(w, ns, what, NULL);
    return 0;
}

/* The flow between the two ends of a matched message. */
static flow flow_of(const tcf_slice *s, uint32_t i)
{
    const tcf_edge *e = s->match ? tcf_edge_of(s, i) : NULL;
    if (!e || e->class_ != TCF_CLASS_P2P || e->channel == TCF_NONE ||
        e->flags & (TCF_EDGE_UNMATCHED | TCF_EDGE_GONE | TCF_EDGE_LEFT))
        return (flow){0, 0};
    return (flow){(1ull + e->channel) << 32 | (uint32_t)e->number, (e->flags & TCF_EDGE_TARGET) != 0};
}

static __attribute__((noinline)) void write_instant(const pen *w, const tcf_slice *s, uint32_t i)
{
    arguments a;
    const uint64_t ns = in_nanoseconds(w->self->state, s->time[i]);
    const flow arrow = flow_of(s, i);
    record_arguments(w->self, s, i, &a);
    writer_of(w)->instant(w, ns, s->kind[i], &a, arrow);
}

static inline void write_leave(const pen *w, const tcf_slice *s, uint32_t i, uint64_t what)
{
    place *p = w->p;
    if (call_stack_left_too_deep(&p->calls))
        return;
    uint32_t n = call_stack_left(&p->calls, what);
    if (__builtin_expect(n == 0, 0)) {
        p->strays++;
        write_instant(w, s, i);
        return;
    }
    const uint64_t ns = in_nanoseconds(w->self->state, s->time[i]);
    p->cut += n - 1;
    p->calls.depth -= n;
    for (; n > 0; n--)
        writer_of(w)->end(w, ns);
}

/* ------------------------------------------------------------------------------------------------------- metrics -- */

static void add_bits(uint8_t type, uint64_t *sum, uint64_t value)
{
    double a, b;
    if (type != OTF2_TYPE_DOUBLE) {
        *sum += value;
        return;
    }
    memcpy(&a, sum, sizeof a);
    memcpy(&b, &value, sizeof b);
    a += b;
    memcpy(sum, &a, sizeof a);
}

/* A counter shows the value of its metric, so relative values are summed up. */
static int accumulate(const pen *w, uint32_t metric, uint32_t k, uint8_t type, uint64_t *value)
{
    const state *st = w->self->state;
    const tcf_definitions *defs = w->self->defs;
    const uint32_t member = tcf_metric_at(defs, metric)->member[k];
    if (member >= defs->n_metric_members ||
        (tcf_metric_member_at(defs, member)->mode & OTF2_METRIC_VALUE_MASK) != OTF2_METRIC_VALUE_RELATIVE)
        return 0;
    if (!w->p->sums && !(w->p->sums = calloc(st->members + 1, sizeof *w->p->sums)))
        return -1;
    uint64_t *sum = &w->p->sums[st->first_member[metric] + k];
    add_bits(type, sum, *value);
    *value = *sum;
    return 0;
}

static int write_metric(const pen *w, const tcf_slice *s, uint32_t i)
{
    const tcf_ev_metric *r = &s->rec[i].metric;
    state *st = w->self->state;
    const uint64_t ns = in_nanoseconds(st, s->time[i]);
    const uint8_t *types = tcf_at(s, r->type_ids);
    const uint64_t *values = tcf_at(s, r->metric_values);
    for (uint32_t k = 0; k < r->number_of_metrics; k++) {
        uint64_t value = values[k];
        if (r->metric >= w->self->defs->n_metrics || k >= tcf_metric_at(w->self->defs, r->metric)->n_members) {
            st->unknown_metrics++;
            continue;
        }
        if (accumulate(w, r->metric, k, types[k], &value) != 0)
            return -1;
        st->writer->count(w, ns, r->metric, k, types[k], value);
    }
    return 0;
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static const uint8_t is_communication[256] = {
    [TCF_MPI_SEND] = 1,
    [TCF_MPI_ISEND] = 1,
    [TCF_MPI_RECV] = 1,
    [TCF_MPI_IRECV] = 1,
    [TCF_MPI_COLLECTIVE_END] = 1,
    [TCF_NON_BLOCKING_COLLECTIVE_COMPLETE] = 1,
    [TCF_RMA_PUT] = 1,
    [TCF_RMA_GET] = 1,
    [TCF_RMA_ATOMIC] = 1,
    [TCF_RMA_COLLECTIVE_END] = 1,
};

/* -1: out of memory. */
static inline int write_event(const pen *w, const tcf_slice *s, uint32_t i)
{
    const conf *c = w->self->conf;
    switch (s->kind[i]) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
        return write_enter(w, s->time[i], call_of_event(s, i));
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
        write_leave(w, s, i, call_of_event(s, i));
        return 0;
    case TCF_METRIC:
        return write_metric(w, s, i);
    default:
        if (c->instants == INSTANTS_ALL || (c->instants == INSTANTS_COMMUNICATION && is_communication[s->kind[i]]))
            write_instant(w, s, i);
        return 0;
    }
}

static inline int write_events(tcf_self *self, const tcf_slice *s)
{
    pen w = pen_of(self, s->location);
    for (uint32_t i = 0; i < s->n; i++) {
        while (__builtin_expect(s->time[i] > w.f->last, 0)) {
            parts_advance(self, s->location);
            w = pen_of(self, s->location);
        }
        if (__builtin_expect(write_event(&w, s, i) != 0, 0))
            return -1;
    }
    return 0;
}

/* Prepares a location for its first event in this run. */
static int start_place(const tcf_self *self, uint32_t location)
{
    const state *st = self->state;
    const pen w = pen_of(self, location);
    w.p->known = calloc((st->bits.n + 63) / 64, sizeof *w.p->known);
    if (w.p->known && st->writer->join)
        st->writer->join(&w);
    return w.p->known ? 0 : -1;
}

static tcf_status perfetto_slice(tcf_self *self, tcf_slice *s)
{
    state *st = self->state;
    if (s->n == 0)
        return TCF_OK;
    if (!place_of(self, s->location)->known && start_place(self, s->location) != 0)
        return self->host->fail(self, "out of memory for the names that a location has used");
    if (write_events(self, s) != 0)
        return self->host->fail(self, "out of memory for the open calls of a location");
    if (s->time[s->n - 1] > st->latest)
        st->latest = s->time[s->n - 1];
    return parts_look(self);
}

/* ----------------------------------------------------------------------------------------------------- callbacks -- */

static tcf_status perfetto_init(tcf_self *self)
{
    const conf *c = self->conf;
    if (c->flows)
        self->needs |= TCF_NEED_EDGES;
    if (c->max_bytes > 0) /* one file alone needs no common time: locations may be read one after another */
        self->needs |= TCF_NEED_TOGETHER;
    return parts_check(self);
}

static int is_json(const conf *c)
{
    const char *suffix = strrchr(c->path, '.');
    return c->format == FORMAT_JSON || (c->format == FORMAT_AUTO && suffix && strcasecmp(suffix, ".json") == 0);
}

static tcf_status perfetto_begin(tcf_self *self)
{
    state *st = self->state;
    if (self->checking)
        return TCF_OK;
    if (records_init(self) != 0)
        return self->host->fail(self, "out of memory for the names of %u locations and their definitions",
                                self->defs->n_locations);
    st->writer = is_json(self->conf) ? &json_writer : &packets_writer;
    return parts_start(self);
}

static tcf_status perfetto_location_end(tcf_self *self, uint32_t location)
{
    place_of(self, location)->ended = 1;
    return TCF_OK;
}

static void tell(const tcf_self *self)
{
    const state *st = self->state;
    uint64_t strays = 0, cut = 0, not_drawn = 0, open = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = place_of(self, l);
        strays += p->strays;
        cut += p->cut;
        not_drawn += p->calls.not_entered;
        open += p->calls.depth;
    }
    if (strays + cut + open > 0)
        self->host->log(self, TCF_LOG_INFO,
                        "%" PRIu64 " leaves without an enter are instant events; %" PRIu64
                        " calls were ended by the leave of an outer one; %" PRIu64 " are never left and have no end",
                        strays, cut, open);
    if (not_drawn > 0)
        self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " calls are not drawn, for %u are open around them",
                        not_drawn, (unsigned)CALL_STACK_DEEPEST);
    tcf_warn(self, st->unknown_metrics, "values of metrics are left out, for nothing defines them");
    tcf_warn(self, st->out_of_range, "times are beyond 2^63 - 1 ns and are shown as that");
}

static tcf_status perfetto_end(tcf_self *self)
{
    if (parts_complete(self) != TCF_OK)
        return TCF_ERROR;
    tell(self);
    return TCF_OK;
}

static void perfetto_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    parts_abandon(self);
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        call_stack_free(&place_of(self, l)->calls);
        free(place_of(self, l)->known);
        free(place_of(self, l)->sums);
    }
    records_free(st, self->defs ? self->defs->n_locations : 0);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, path, TCF_OUTPUT_PATH, NULL,
              "File to write, e.g. run.pftrace; further ones are run-2.pftrace and so on"),
    TCF_PARAM(
        conf, format, TCF_ENUM, "auto",
        "Perfetto's own format, or Chrome's JSON, which other viewers read as well; auto: JSON where the path ends "
        "in .json",
        .choices = "auto|protobuf|json"),
    TCF_PARAM(conf, flows, TCF_BOOL, "yes", "Arrows from sends to receives; needs messages to be matched"),
    TCF_PARAM(conf, instants, TCF_ENUM, "communication",
              "Which other records are shown as instant events: messages, collectives and one-sided operations, or all",
              .choices = "none|communication|all"),
    TCF_PARAM(conf, max_bytes, TCF_SIZE, "1GiB",
              "A file that has grown to this is cut; 0: there is one file. Viewers load some GB at most", .min = "0"),
    TCF_PARAM(conf, overwrite, TCF_BOOL, "no", "May existing files be replaced?"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "perfetto_trace",
    .version = "1.0",
    .summary = "Writes the trace for the viewer Perfetto (ui.perfetto.dev), or as Chrome's JSON",
    .topic = TCF_TOPIC_EVENTS,
    .help =
        "A location group becomes a process, with the streams of accelerators that it created; where it has several "
        "ranks (threads as ranks, as in AMPI or MPC) each rank does, and the rest of it. A location becomes a thread "
        "of its process, or, if it is a stream of an accelerator or holds metrics, a track of it. A call is a slice "
        "from enter to leave, with paradigm and role of its region as its categories. Messages, collectives and "
        "one-sided "
        "operations are instant events named after the record, with its fields as arguments, and in addition `peer`, "
        "the process (and location, if it has several) at the other side, and `instance`, the how many-th operation "
        "of its communicator this is (from 0 on). Arrows lead from the send to the receive. A metric is a counter for "
        "each of its members and locations, with its unit; accumulated and absolute values are shown as they are, of "
        "relative ones the sum so far. Markers are instant events of a track of their own, unless times have been "
        "changed. Attribute lists are not shown, of records with arrays only the length, of texts beyond 4,096 bytes "
        "only the first of them.\n\n"
        "Times are nanoseconds, rounded down, of the clock that the events have here: put presync in front where "
        "clocks differ, and what corrects them. JSON has them as microseconds with three digits, which its readers "
        "take for double precision numbers: nanoseconds get lost there where a clock counts from more than 104 days "
        "before.\n\n"
        "A leave ends the innermost open call of its region and those inside of that; where its region isn't open it "
        "is an instant event. A call that is never left has no end, which Perfetto draws up to the end of the "
        "trace.\n\n"
        "Files: when the file has grown to max_bytes it is cut at the time of the last event written. What other "
        "locations have to say up to that time is added (as much as a window holds), and what comes later goes to the "
        "next file. Each can be viewed alone: it has all tracks, and calls that are open at the cut begin there anew, "
        "with an argument `began_ns` that tells when they really began. Arrows don't cross a cut. A file stands under "
        "its name with .incomplete until the run is complete.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .slice = perfetto_slice,
    .init = perfetto_init,
    .begin = perfetto_begin,
    .location_end = perfetto_location_end,
    .end = perfetto_end,
    .fini = perfetto_fini,
};
