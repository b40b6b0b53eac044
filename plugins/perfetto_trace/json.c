/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* perfetto_trace: writes Chrome's JSON, one event a line. Times are microseconds with three digits behind the point. */
#include "perfetto_trace.h"

#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>

/* Writes nanoseconds as microseconds, the unit of Chrome's "ts". */
static char *put_time(char *at, uint64_t time)
{
    at = put_u64(at, time / 1000);
    *at++ = '.';
    *at++ = (char)('0' + time % 1000 / 100);
    return put_two(at, (uint32_t)(time % 100));
}

/* Writes the begin of a line: {"ph":"B","pid":1,"tid":2,"ts":3.456 */
static char *start_line(const pen *w, char phase, uint64_t time)
{
    const state *st = w->self->state;
    char *at = room(&w->f->out, w->f->out.at);
    at = PUT(at, ",\n{\"ph\":\"");
    *at++ = phase;
    at = put_u64(PUT(at, "\",\"pid\":"), st->pid[w->location]);
    at = put_u64(PUT(at, ",\"tid\":"), st->tid[w->location]);
    return put_time(PUT(at, ",\"ts\":"), time);
}

static char *put_string(struct output *o, char *at, const char *text)
{
    return put_quoted(o, room(o, at), 1, text);
}

/* The categories of a call are paradigm and role of its region. */
static char *put_names(const tcf_self *self, struct output *o, char *at, uint64_t what)
{
    const uint32_t region = call_region(self->defs, what);
    const tcf_region *r = region < self->defs->n_regions ? tcf_region_at(self->defs, region) : NULL;
    const char *paradigm = r ? self->host->enum_name("PARADIGM", r->paradigm) : NULL;
    const char *role = r ? role_of(self, r) : NULL;
    char scratch[64], both[128];
    snprintf(both, sizeof both, "%s%s%s", paradigm ? paradigm : "(unknown paradigm)", role ? "," : "",
             role ? role : "");
    at = put_string(o, PUT(at, ",\"name\":"), call_name(self, what, scratch));
    return put_string(o, PUT(at, ",\"cat\":"), both);
}

static char *start_metadata(struct output *o, uint32_t pid, uint32_t tid, const char *what, const char *about)
{
    char *at = put_u64(PUT(room(o, o->at), ",\n{\"ph\":\"M\",\"pid\":"), pid);
    at = put_u64(PUT(at, ",\"tid\":"), tid);
    at = PUT(put_literal(PUT(at, ",\"name\":\""), what, strlen(what)), "_");
    return put_literal(at, about, strlen(about));
}

/* Writes the name of a process or thread, and its place in the order of the trace. */
static void describe(struct output *o, uint32_t pid, uint32_t tid, const char *what, const char *name, uint32_t index)
{
    char *at = start_metadata(o, pid, tid, what, "name");
    o->at = PUT(put_string(o, PUT(at, "\",\"args\":{\"name\":"), name), "}}");
    at = start_metadata(o, pid, tid, what, "sort_index");
    o->at = PUT(put_u64(PUT(at, "\",\"args\":{\"sort_index\":"), index), "}}");
}

static void json_start(const tcf_self *self, part *f)
{
    const state *st = self->state;
    struct output *o = &f->out;
    char scratch[64];
    o->at = PUT(room(o, o->at),
                "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                "{\"ph\":\"M\",\"pid\":0,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"markers\"}}");
    for (uint32_t p = 0; p < st->n_processes; p++)
        describe(o, 1 + p, 1 + p, "process", st->process_names[p], p);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        describe(o, st->pid[l], st->tid[l], "thread", record_name(self, TCF_REF_LOCATION, l, scratch), l);
}

static char *put_arguments(struct output *o, char *at, const arguments *a)
{
    at = PUT(at, ",\"args\":{");
    for (uint32_t i = 0; i < a->n; i++) {
        const argument *x = &a->at[i];
        if (i > 0)
            *at++ = ',';
        at = room(o, put_string(o, at, x->key));
        *at++ = ':';
        at = x->type == ARGUMENT_UINT  ? put_u64(at, x->number)
             : x->type == ARGUMENT_INT ? put_i64(at, (int64_t)x->number)
                                       : put_string(o, at, x->text);
    }
    return PUT(room(o, at), "}}");
}

static void json_begin(const pen *w, uint64_t time, uint64_t what, const arguments *a)
{
    struct output *o = &w->f->out;
    char *at = put_names(w->self, o, start_line(w, 'B', time), what);
    o->at = a ? put_arguments(o, at, a) : PUT(at, "}");
}

static void json_end(const pen *w, uint64_t time)
{
    w->f->out.at = PUT(start_line(w, 'E', time), "}");
}

static void put_flow(const pen *w, uint64_t time, flow arrow)
{
    char *at = start_line(w, arrow.ends ? 'f' : 's', time);
    at = put_u64(PUT(at, ",\"name\":\"message\",\"cat\":\"message\",\"id\":\""), arrow.id);
    w->f->out.at = arrow.ends ? PUT(at, "\",\"bp\":\"e\"}") : PUT(at, "\"}");
}

static void json_instant(const pen *w, uint64_t time, uint8_t kind, const arguments *a, flow arrow)
{
    struct output *o = &w->f->out;
    char *at = start_line(w, 'i', time);
    at = put_string(o, PUT(at, ",\"s\":\"t\",\"name\":"), event_records[kind].name);
    o->at = put_arguments(o, at, a);
    if (arrow.id)
        put_flow(w, time, arrow);
}

/* Chrome's counters belong to processes, so an id distinguishes those of the locations. */
static void json_count(const pen *w, uint64_t time, uint32_t metric, uint32_t member, uint8_t type, uint64_t value)
{
    const state *st = w->self->state;
    const uint32_t index = tcf_metric_at(w->self->defs, metric)->member[member];
    struct output *o = &w->f->out;
    char scratch[128];
    double d = 0;
    memcpy(&d, &value, sizeof d);
    if (type == OTF2_TYPE_DOUBLE && d - d != 0)
        return; /* JSON has neither infinity nor NaN */
    char *at = start_line(w, 'C', time);
    at = put_string(o, PUT(at, ",\"name\":"), record_name(w->self, TCF_REF_METRIC_MEMBER, index, scratch));
    at = put_u64(PUT(at, ",\"id\":\""), st->tid[w->location]);
    *at++ = '"';
    const char *unit =
        index < w->self->defs->n_metric_members ? unit_of(tcf_metric_member_at(w->self->defs, index), scratch) : "";
    at = put_string(o, PUT(at, ",\"args\":{"), *unit ? unit : "value");
    *at++ = ':';
    at = type == OTF2_TYPE_DOUBLE  ? put_double(at, d)
         : type == OTF2_TYPE_INT64 ? put_i64(at, (int64_t)value)
                                   : put_u64(at, value);
    o->at = PUT(at, "}}");
}

static void json_marker(const tcf_self *self, part *f, uint64_t time, const char *name, const arguments *a)
{
    struct output *o = &f->out;
    (void)self;
    char *at = put_time(PUT(room(o, o->at), ",\n{\"ph\":\"i\",\"s\":\"g\",\"pid\":0,\"tid\":0,\"ts\":"), time);
    o->at = put_arguments(o, put_string(o, PUT(at, ",\"name\":"), name), a);
}

static void json_finish(part *f)
{
    f->out.at = PUT(room(&f->out, f->out.at), "\n]}\n");
}

const writer json_writer = {.start = json_start,
                            .begin = json_begin,
                            .end = json_end,
                            .instant = json_instant,
                            .count = json_count,
                            .marker = json_marker,
                            .finish = json_finish};
