/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: writes Perfetto's protocol buffers. A file is a Trace, a list of TracePackets. Descriptors of all
 * processes and locations come first, in a sequence of their own; then each location's packets in its own sequence. The
 * first packet of a sequence clears the sequence's state and makes the location's track the default. A name gets a
 * number (iid) in a packet just before the one that uses it first. */
#include "perfetto_trace.h"
#include "protobuf.h"

#include <private/perfetto_fields.h>
#include <private/utf8.h>

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>

enum { INTERNED_CATEGORIES = 1, INTERNED_EVENTS = 2, INTERNED_ARGUMENTS = 3, INTERNED_TEXTS = 29 };
enum { ROLES_FROM = 257 /* categories that are roles; paradigms come before */ };
enum { ROOT_TRACK = 0 };
enum { CHILDREN_EXPLICIT = 3, PROCESSES_EXPLICIT = 1, THREADS_EXPLICIT = 1, MERGE_NONE = 2 };
/* Bytes reserved for the length of a message: of a packet with names, and of one with numbers only. */
enum { LONG = 3, SHORT = 1 };

/* ------------------------------------------------------------------------------------------------- tracks, texts -- */

static uint64_t process_track(uint32_t process)
{
    return 1ull + process;
}

static uint64_t location_track(const tcf_self *self, uint32_t location)
{
    return 1ull + ((const state *)self->state)->n_processes + location;
}

static uint64_t marker_track(const tcf_self *self)
{
    return location_track(self, self->defs->n_locations);
}

static uint64_t counter_track(const tcf_self *self, uint32_t location, uint32_t metric, uint32_t member)
{
    const state *st = self->state;
    return marker_track(self) + 1 + location * st->members + st->first_member[metric] + member;
}

enum { SHARED_SEQUENCE = 1 }; /* descriptors, markers */

static uint32_t sequence_of(uint32_t location)
{
    return 2 + location;
}

/* Makes room for a packet of the largest size. */
static inline char *need(struct output *o, size_t n)
{
    return (size_t)(o->end - o->at) >= n ? o->at : output_flush(o, o->at);
}

/* Protocol buffers require UTF-8, so invalid bytes become U+FFFD. A text ends after TEXT_MOST bytes. */
static char *put_text(char *at, uint32_t field, const char *text)
{
    char *start, *most;
    at = begin_message(at, field, LONG, &start);
    most = at + TEXT_MOST - 4;
    for (const unsigned char *c = (const unsigned char *)text; *c && at < most;) {
        const size_t n = tcf_utf8_bytes(c);
        at = n ? put_literal(at, (const char *)c, n) : PUT(at, "\xef\xbf\xbd");
        c += n ? n : 1;
    }
    end_message(start, LONG, at);
    return at;
}

/* ------------------------------------------------------------------------------------------------------- packets -- */

static char *start_packet(char *at, uint32_t sequence, uint32_t flags, char **start)
{
    at = begin_message(at, TRACE_PACKET, LONG, start);
    at = put_number(at, PACKET_SEQUENCE, sequence);
    return put_number(at, PACKET_FLAGS, flags);
}

/* Writes a packet that gives a text its number, if the sequence doesn't have it yet. */
static void intern(const pen *w, uint32_t bit, uint32_t table, uint32_t iid, const char *text)
{
    struct output *o = &w->f->out;
    char *packet, *data, *entry;
    if (!is_new(w->p, bit))
        return;
    set_known(w->p, bit);
    char *at = start_packet(need(o, PACKET_MOST), sequence_of(w->location), FLAG_NEEDS_STATE, &packet);
    at = begin_message(at, PACKET_INTERNED, LONG, &data);
    at = begin_message(at, table, LONG, &entry);
    at = put_number(at, INTERNED_IID, iid);
    at = put_text(at, INTERNED_TEXT, text);
    end_message(entry, LONG, at);
    end_message(data, LONG, at);
    end_message(packet, LONG, at);
    o->at = at;
}

/* Begins an event's packet, up to its type. end_event() fills in the lengths of its two messages. */
static inline char *start_event(char *at, uint32_t sequence, uint64_t time, unsigned type, unsigned width,
                                char *start[2])
{
    at = begin_message(at, TRACE_PACKET, width, &start[0]);
    at = put_number(at, PACKET_TIMESTAMP, time);
    at = put_number(at, PACKET_SEQUENCE, sequence);
    at = put_number(at, PACKET_FLAGS, FLAG_NEEDS_STATE);
    at = begin_message(at, PACKET_TRACK_EVENT, width, &start[1]);
    return put_number(at, EVENT_TYPE, type);
}

static inline void end_event(struct output *o, char *start[2], unsigned width, char *at)
{
    end_message(start[1], width, at);
    end_message(start[0], width, at);
    o->at = at;
}

/* --------------------------------------------------------------------------------------------------- descriptors -- */

/* Begins the packet of a track's descriptor; end_event() ends it. */
static char *start_track(struct output *o, uint32_t sequence, uint32_t flags, uint64_t track, char *start[2])
{
    char *at = start_packet(need(o, PACKET_MOST), sequence, flags, &start[0]);
    return put_number(begin_message(at, PACKET_TRACK, LONG, &start[1]), TRACK_UUID, track);
}

/* Makes Perfetto show processes and threads in the order of the trace. */
static void describe_root(struct output *o)
{
    char *start[2];
    char *at = start_track(o, SHARED_SEQUENCE, FLAG_CLEARED, ROOT_TRACK, start);
    at = put_number(at, TRACK_PROCESS_ORDERING, PROCESSES_EXPLICIT);
    at = put_number(at, TRACK_THREAD_ORDERING, THREADS_EXPLICIT);
    end_event(o, start, LONG, at);
}

static void describe_process(const state *st, struct output *o, uint32_t of)
{
    char *start[2], *process;
    char *at = start_track(o, SHARED_SEQUENCE, 0, process_track(of), start);
    at = put_number(at, TRACK_RANK, of);
    at = put_number(at, TRACK_CHILD_ORDERING, CHILDREN_EXPLICIT);
    at = begin_message(at, TRACK_PROCESS, LONG, &process);
    at = put_number(at, PROCESS_PID, 1ull + of);
    at = put_text(at, PROCESS_NAME, st->process_names[of]);
    end_message(process, LONG, at);
    end_event(o, start, LONG, at);
}

/* CPU threads of a process are Perfetto's threads. Streams of an accelerator are tracks of the process, and MERGE_NONE
 * keeps those with equal names apart. */
static void describe_location(const tcf_self *self, struct output *o, uint32_t location)
{
    const state *st = self->state;
    const tcf_location *l = tcf_location_at(self->defs, location);
    const uint32_t process = process_of(st, location);
    char *start[2], *thread, scratch[64];
    const char *name = record_name(self, TCF_REF_LOCATION, location, scratch);
    char *at = start_track(o, SHARED_SEQUENCE, 0, location_track(self, location), start);
    at = put_number(at, TRACK_RANK, location);
    if (process != TCF_NONE)
        at = put_number(at, TRACK_PARENT, process_track(process));
    if (process != TCF_NONE && l->type == TCF_CPU_THREAD) {
        at = begin_message(at, TRACK_THREAD, LONG, &thread);
        at = put_number(at, THREAD_PID, st->pid[location]);
        at = put_number(at, THREAD_TID, st->tid[location]);
        at = put_text(at, THREAD_NAME, name);
        end_message(thread, LONG, at);
    } else {
        at = put_text(at, TRACK_NAME, name);
        at = put_number(at, TRACK_MERGE_BEHAVIOR, MERGE_NONE);
    }
    end_event(o, start, LONG, at);
}

static void describe_markers(const tcf_self *self, struct output *o)
{
    char *start[2];
    char *at = start_track(o, SHARED_SEQUENCE, 0, marker_track(self), start);
    at = put_text(at, TRACK_NAME, "markers");
    end_event(o, start, LONG, at);
}

static void packets_start(const tcf_self *self, part *f)
{
    describe_root(&f->out);
    describe_markers(self, &f->out);
    const state *st = self->state;
    for (uint32_t p = 0; p < st->n_processes; p++)
        describe_process(st, &f->out, p);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        describe_location(self, &f->out, l);
}

static void packets_join(const pen *w)
{
    char *packet, *defaults, *event;
    char *at =
        start_packet(need(&w->f->out, PACKET_MOST), sequence_of(w->location), FLAG_CLEARED | FLAG_NEEDS_STATE, &packet);
    at = begin_message(at, PACKET_DEFAULTS, LONG, &defaults);
    at = begin_message(at, DEFAULTS_TRACK_EVENT, LONG, &event);
    at = put_number(at, EVENT_TRACK, location_track(w->self, w->location));
    end_message(event, LONG, at);
    end_message(defaults, LONG, at);
    end_message(packet, LONG, at);
    w->f->out.at = at;
}

/* ----------------------------------------------------------------------------------------------------- arguments -- */

/* An argument's name is numbered by its bit. */
static uint32_t argument_iid(const state *st, const argument *x)
{
    return 1 + x->key_bit - st->bits.fields;
}

static void intern_arguments(const pen *w, const arguments *a)
{
    const state *st = w->self->state;
    for (uint32_t i = 0; i < a->n; i++) {
        const argument *x = &a->at[i];
        intern(w, x->key_bit, INTERNED_ARGUMENTS, argument_iid(st, x), x->key);
        if (x->type == ARGUMENT_COMM)
            intern(w, st->bits.comms + (uint32_t)x->number, INTERNED_TEXTS, 1 + (uint32_t)x->number, x->text);
    }
}

static char *put_arguments(const state *st, char *at, const arguments *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const argument *x = &a->at[i];
        char *start;
        at = begin_message(at, EVENT_ARGUMENT, LONG, &start);
        at = x->key_bit == NO_BIT ? put_text(at, ARGUMENT_NAME, x->key)
                                  : put_number(at, ARGUMENT_NAME_IID, argument_iid(st, x));
        at = x->type == ARGUMENT_UINT   ? put_number(at, VALUE_UINT, x->number)
             : x->type == ARGUMENT_INT  ? put_number(at, VALUE_INT, x->number)
             : x->type == ARGUMENT_COMM ? put_number(at, VALUE_TEXT_IID, 1 + x->number)
                                        : put_text(at, VALUE_TEXT, x->text);
        end_message(start, LONG, at);
    }
    return at;
}

/* --------------------------------------------------------------------------------------------------------- calls -- */

static __attribute__((noinline)) void intern_region(const pen *w, uint32_t region)
{
    const state *st = w->self->state;
    const tcf_region *r = tcf_region_at(w->self->defs, region);
    const uint8_t paradigm = r->paradigm;
    const char *category = w->self->host->enum_name("PARADIGM", paradigm), *role = role_of(w->self, r);
    char scratch[64];
    intern(w, region, INTERNED_EVENTS, 1 + region, record_name(w->self, TCF_REF_REGION, region, scratch));
    intern(w, st->bits.categories + paradigm, INTERNED_CATEGORIES, 1u + paradigm,
           category ? category : "(unknown paradigm)");
    if (role)
        intern(w, st->bits.roles + r->role, INTERNED_CATEGORIES, ROLES_FROM + r->role, role);
}

/* Name and categories of a call of a defined region, which have been interned. */
static inline char *put_region(const tcf_self *self, char *at, uint32_t region)
{
    const tcf_region *r = tcf_region_at(self->defs, region);
    at = put_number(at, EVENT_NAME_IID, 1 + region);
    at = put_number(at, EVENT_CATEGORY_IID, 1u + r->paradigm);
    return has_role(r) ? put_number(at, EVENT_CATEGORY_IID, ROLES_FROM + r->role) : at;
}

/* A call of an undefined region has no number, so its packet has the name itself. */
static char *put_call_name(const tcf_self *self, char *at, uint64_t what)
{
    const uint32_t region = call_region(self->defs, what);
    char scratch[64];
    if (region >= self->defs->n_regions)
        return put_text(at, EVENT_NAME, call_name(self, what, scratch));
    return put_region(self, at, region);
}

/* Begins a call whose packet may become long: it has a name or arguments. */
static __attribute__((noinline)) void begin_long(const pen *w, uint64_t time, uint64_t what, const arguments *a)
{
    const uint32_t region = call_region(w->self->defs, what);
    char *start[2];
    if (a)
        intern_arguments(w, a);
    if (region < w->self->defs->n_regions)
        intern_region(w, region);
    char *at =
        start_event(need(&w->f->out, PACKET_MOST), sequence_of(w->location), time, TYPE_SLICE_BEGIN, LONG, start);
    at = put_call_name(w->self, at, what);
    if (a)
        at = put_arguments(w->self->state, at, a);
    end_event(&w->f->out, start, LONG, at);
}

static void packets_begin(const pen *w, uint64_t time, uint64_t what, const arguments *a)
{
    const uint32_t region = call_region(w->self->defs, what);
    char *start[2];
    if (__builtin_expect(a || region >= w->self->defs->n_regions, 0)) {
        begin_long(w, time, what, a);
        return;
    }
    if (__builtin_expect(is_new(w->p, region), 0))
        intern_region(w, region);
    char *at = start_event(need(&w->f->out, ROOM), sequence_of(w->location), time, TYPE_SLICE_BEGIN, SHORT, start);
    at = put_region(w->self, at, region);
    end_event(&w->f->out, start, SHORT, at);
}

static void packets_end(const pen *w, uint64_t time)
{
    char *start[2];
    char *at = start_event(need(&w->f->out, ROOM), sequence_of(w->location), time, TYPE_SLICE_END, SHORT, start);
    end_event(&w->f->out, start, SHORT, at);
}

static void packets_instant(const pen *w, uint64_t time, uint8_t kind, const arguments *a, flow arrow)
{
    const state *st = w->self->state;
    char *start[2];
    const uint32_t name = st->bits.kinds + kind;
    intern(w, name, INTERNED_EVENTS, 1 + name, event_records[kind].name);
    intern_arguments(w, a);
    char *at = start_event(need(&w->f->out, PACKET_MOST), sequence_of(w->location), time, TYPE_INSTANT, LONG, start);
    at = put_number(at, EVENT_NAME_IID, 1 + name);
    if (arrow.id)
        at = put_fixed64(at, arrow.ends ? EVENT_LAST_FLOW : EVENT_FLOW, arrow.id);
    at = put_arguments(st, at, a);
    end_event(&w->f->out, start, LONG, at);
}

/* ------------------------------------------------------------------------------------------------------- metrics -- */

static void describe_counter(const pen *w, uint32_t metric, uint32_t k)
{
    const tcf_definitions *defs = w->self->defs;
    const uint32_t member = tcf_metric_at(defs, metric)->member[k];
    const uint64_t track = counter_track(w->self, w->location, metric, k);
    char *start[2], *counter, scratch[128];
    char *at = start_track(&w->f->out, sequence_of(w->location), FLAG_NEEDS_STATE, track, start);
    at = put_number(at, TRACK_PARENT, location_track(w->self, w->location));
    at = put_text(at, TRACK_NAME, record_name(w->self, TCF_REF_METRIC_MEMBER, member, scratch));
    at = put_number(at, TRACK_MERGE_BEHAVIOR, MERGE_NONE);
    at = begin_message(at, TRACK_COUNTER, LONG, &counter);
    if (member < defs->n_metric_members)
        at = put_text(at, COUNTER_UNIT_NAME, unit_of(tcf_metric_member_at(defs, member), scratch));
    end_message(counter, LONG, at);
    end_event(&w->f->out, start, LONG, at);
}

static __attribute__((noinline)) void describe_counters(const pen *w, uint32_t metric)
{
    const state *st = w->self->state;
    set_known(w->p, st->bits.metrics + metric);
    for (uint32_t k = 0; k < tcf_metric_at(w->self->defs, metric)->n_members; k++)
        describe_counter(w, metric, k);
}

static void packets_count(const pen *w, uint64_t time, uint32_t metric, uint32_t member, uint8_t type, uint64_t value)
{
    const state *st = w->self->state;
    char *start[2];
    if (is_new(w->p, st->bits.metrics + metric))
        describe_counters(w, metric);
    char *at = start_event(need(&w->f->out, ROOM), sequence_of(w->location), time, TYPE_COUNTER, SHORT, start);
    at = put_number(at, EVENT_TRACK, counter_track(w->self, w->location, metric, member));
    if (type == OTF2_TYPE_UINT64 && value > INT64_MAX) { /* Perfetto's integers are signed */
        const double d = (double)value;
        memcpy(&value, &d, sizeof value);
        type = OTF2_TYPE_DOUBLE;
    }
    at = type == OTF2_TYPE_DOUBLE ? put_fixed64(at, EVENT_COUNT_DOUBLE, value) : put_number(at, EVENT_COUNT, value);
    end_event(&w->f->out, start, SHORT, at);
}

/* ------------------------------------------------------------------------------------------------------- markers -- */

static void packets_marker(const tcf_self *self, part *f, uint64_t time, const char *name, const arguments *a)
{
    char *start[2];
    char *at = start_event(need(&f->out, PACKET_MOST), SHARED_SEQUENCE, time, TYPE_INSTANT, LONG, start);
    at = put_text(at, EVENT_NAME, name);
    at = put_number(at, EVENT_TRACK, marker_track(self));
    end_event(&f->out, start, LONG, put_arguments(self->state, at, a));
}

const writer packets_writer = {.start = packets_start,
                               .begin = packets_begin,
                               .end = packets_end,
                               .instant = packets_instant,
                               .count = packets_count,
                               .marker = packets_marker,
                               .join = packets_join};
