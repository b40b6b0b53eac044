/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The functions of the host as the plugin sees them: each looks whether it may be called, calls the real one, and fails
 * when the plan says so. */
#include "torture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const host_call_names[HOST_CALLS] = {"release", "slice_new", "emit",    "learn",     "set_property",
                                                 "table",   "snapshots", "markers", "thumbnails"};

/* 1: this call is to fail; the reason is recorded. */
static int due(watch *w, enum host_call c)
{
    guard *g = w->guard;
    if (++g->host_calls[c] != g->plan.fail_host_at || c != g->plan.fail_host || !g->plan.fail_host_at)
        return 0;
    g->injected = 1;
    error_fail("the torture lets host->%s() fail", host_call_names[c]);
    return 1;
}

/* Notes a failure of the host in the callback that has called it. */
static tcf_status noted(watch *w, tcf_status status)
{
    if (status == TCF_ERROR)
        w->failed = 2;
    return status;
}

static void when(watch *w, const char *function, unsigned where)
{
    if (!(where >> w->in & 1))
        watch_find(w, RULE_WHEN, NULL, 0, "host->%s() was called in %s()", function, callback_names[w->in]);
}

static void declared(watch *w, const char *function, int is_declared, const char *name)
{
    if (!is_declared)
        watch_find(w, RULE_NEEDS, NULL, 0, "host->%s() without %s", function, name);
}

static void watched_log(const tcf_self *self, tcf_log_level level, const char *format, ...)
{
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    watch_of(self)->guard->warnings += level <= TCF_LOG_WARNING;
    pipeline_host.log(self, level, "%s", line);
}

/* Passes a reason on to host->fail() or host->refuse(). */
static tcf_status give_reason(const tcf_self *self, tcf_status (*to)(const tcf_self *, const char *, ...),
                              const char *format, va_list arguments) __attribute__((format(printf, 3, 0)));
static tcf_status give_reason(const tcf_self *self, tcf_status (*to)(const tcf_self *, const char *, ...),
                              const char *format, va_list arguments)
{
    char line[2048];
    vsnprintf(line, sizeof line, format, arguments);
    if (watch_of(self)->failed != 2)
        watch_of(self)->failed = 1;
    return to(self, "%s", line);
}

static tcf_status watched_fail(const tcf_self *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tcf_status status = give_reason(self, pipeline_host.fail, format, arguments);
    va_end(arguments);
    return status;
}

static tcf_status watched_refuse(const tcf_self *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tcf_status status = give_reason(self, pipeline_host.refuse, format, arguments);
    va_end(arguments);
    return status;
}

#define IN(c) (1u << CALL_##c)
#define ANYWHERE_FROM_BEGIN (~(IN(INIT) | IN(NONE)))

static uint64_t watched_ticks(const tcf_self *self, tcf_duration duration)
{
    when(watch_of(self), "ticks", ANYWHERE_FROM_BEGIN);
    return self->defs ? pipeline_host.ticks(self, duration) : 0;
}

static int watched_column(const tcf_self *self, const char *name)
{
    when(watch_of(self), "column", IN(BEGIN));
    return pipeline_host.column(self, name);
}

static const tcf_callpath *watched_callpaths(const tcf_self *self, uint32_t *n)
{
    declared(watch_of(self), "callpaths", (self->needs & TCF_NEED_CALLPATH) != 0, "TCF_NEED_CALLPATH");
    return pipeline_host.callpaths(self, n);
}

static uint32_t watched_computation(tcf_self *self, uint32_t callpath, uint32_t region)
{
    declared(watch_of(self), "computation", (self->needs & TCF_NEED_CALLPATH) != 0, "TCF_NEED_CALLPATH");
    return pipeline_host.computation(self, callpath, region);
}

/* --------------------------------------------------------------------------------------------------------- edges -- */

/* Is it a source or a target, as `flags` asks; posts of receives, and ends of sends that wait for them, are such as
 * well. */
static int is_of_kind(const tcf_edge *e, uint8_t flags)
{
    const tcf_post post = tcf_post_of(e);
    return (e->flags & flags) != 0 || (flags & TCF_EDGE_SOURCE && post == TCF_POST_POSTED) ||
           (flags & TCF_EDGE_TARGET && post == TCF_POST_WAITED);
}

/* Returns 0 for an edge that the function must not be called with. */
static int good_edge(watch *w, const char *function, enum callback in, const tcf_edge *e, uint8_t flags)
{
    const tcf_slice *s = w->slice;
    when(w, function, 1u << in);
    if (w->in != in || !s)
        return 0;
    if (e < s->edges || e >= s->edges + s->n_edges) {
        watch_find(w, RULE_EDGE, s, 0, "host->%s() for %s", function,
                   e ? "an edge of another slice" : "no edge (NULL)");
        return 0;
    }
    if (in == CALL_SPAN && (e->pos < w->from || e->pos > w->to || (e->pos == w->to && !(e->flags & TCF_EDGE_GONE)))) {
        watch_find(w, RULE_EDGE, s, e->pos, "host->%s() for an edge outside of the span", function);
        return 0;
    }
    if (flags && !is_of_kind(e, flags))
        watch_find(w, RULE_EDGE, s, e->pos, "host->%s() at an edge that is no %s", function,
                   flags & TCF_EDGE_SOURCE ? "source" : "target");
    return 1;
}

static void *watched_payload(const tcf_self *self, const tcf_edge *e)
{
    watch *w = watch_of(self);
    if (!good_edge(w, "payload", CALL_SPAN, e, 0))
        return NULL;
    const tcf_filter *f = w->guard->of;
    uint32_t bytes = tcf_is_message(e) ? f->message_bytes : f->member_bytes;
    if (bytes == 0)
        watch_find(w, RULE_PAYLOAD, w->slice, e->pos, "host->payload() without %s",
                   tcf_is_message(e) ? "message_bytes" : "member_bytes");
    unsigned char *at = bytes == 0 ? NULL : pipeline_host.payload(self, e);
    if (!at || w->n_payloads == sizeof w->payloads / sizeof w->payloads[0])
        return at;
    for (uint32_t i = 0; i < w->n_payloads; i++)
        if (w->payloads[i].at == at)
            return at;
    w->payloads[w->n_payloads].at = at;
    w->payloads[w->n_payloads++].bytes = bytes;
    memset(at + bytes, CANARY_BYTE, PAYLOAD_CANARY);
    return at;
}

static int good_number(watch *w, const tcf_edge *e, uint32_t which)
{
    uint32_t n = w->guard->of->numbers ? w->guard->of->numbers : 1;
    if (which >= n)
        watch_find(w, RULE_NUMBERS, w->slice, e->pos, "number %u of %u", which, n);
    return which < n;
}

static void watched_publish(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t value)
{
    uint8_t where =
        e && e->class_ == TCF_CLASS_ONE_TO_N ? 0 : TCF_EDGE_SOURCE | TCF_EDGE_LEFT; /* 0: at its root's end */
    if (good_edge(watch_of(self), "publish", CALL_SPAN, e, where) && good_number(watch_of(self), e, which))
        pipeline_host.publish(self, e, which, value);
}

static int watched_latest(const tcf_self *self, const tcf_edge *e, uint32_t which, uint64_t *value)
{
    return good_edge(watch_of(self), "latest", CALL_SPAN, e, TCF_EDGE_TARGET) &&
           good_number(watch_of(self), e, which) && pipeline_host.latest(self, e, which, value);
}

static int watched_first_end(const tcf_self *self, const tcf_edge *e, uint64_t *time)
{
    declared(watch_of(self), "first_end", (self->needs & TCF_NEED_ENDS) != 0, "TCF_NEED_ENDS");
    return good_edge(watch_of(self), "first_end", CALL_SPAN, e, TCF_EDGE_TARGET) &&
           pipeline_host.first_end(self, e, time);
}

static void watched_answer(const tcf_self *self, const tcf_edge *e, uint64_t value)
{
    declared(watch_of(self), "answer", (self->can & TCF_CAN_ANSWER) != 0, "TCF_CAN_ANSWER");
    if (good_edge(watch_of(self), "answer", CALL_SLICE, e, TCF_EDGE_TARGET))
        pipeline_host.answer(self, e, value);
}

static int watched_answered(const tcf_self *self, const tcf_edge *e, uint64_t *value)
{
    declared(watch_of(self), "answered", (self->can & TCF_CAN_ANSWER) != 0, "TCF_CAN_ANSWER");
    return pipeline_host.answered(self, e, value);
}

/* -------------------------------------------------------------------------------------------------------- slices -- */

static tcf_status watched_release(tcf_self *self, tcf_slice *s)
{
    watch *w = watch_of(self);
    shadow **at = shadow_find(&w->held, s), *c = *at;
    if (!c) {
        watch_find(w, RULE_RELEASE, NULL, 0, "host->release() for a slice that is not held (any more)");
        return noted(w, error_fail("a slice was released that is not held"));
    }
    for (const shadow *k = w->held; k != c; k = k->next)
        if (k->slice->location == s->location) {
            watch_find(w, RULE_RELEASE, s, 0, "an earlier slice of the location is still held");
            break;
        }
    if (due(w, HOST_RELEASE))
        return noted(w, TCF_ERROR);
    shadow_compare(w, c, 0, s->n, w->guard->of->writes);
    shadow_check_order(w, s, 0, s->n);
    *at = c->next;
    free(c);
    return noted(w, pipeline_host.release(self, s));
}

static tcf_slice *watched_slice_new(tcf_self *self, uint32_t location, uint32_t *capacity)
{
    watch *w = watch_of(self);
    if (!(self->can & TCF_CAN_INSERT))
        watch_find(w, RULE_INSERTS, NULL, 0, "host->slice_new() was called");
    tcf_slice *s = due(w, HOST_SLICE_NEW) ? NULL : pipeline_host.slice_new(self, location, capacity);
    if (!s) {
        noted(w, TCF_ERROR);
        return NULL;
    }
    shadow *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c = (shadow){.slice = s, .next = w->made, .room = *capacity};
    w->made = c;
    return s;
}

static tcf_status watched_emit(tcf_self *self, tcf_slice *s)
{
    watch *w = watch_of(self);
    shadow **at = shadow_find(&w->made, s), *c = *at;
    if (!(self->can & TCF_CAN_INSERT))
        watch_find(w, RULE_INSERTS, NULL, 0, "host->emit() was called");
    if (!c) {
        watch_find(w, RULE_INSERTS, NULL, 0,
                   "host->emit() for a slice that is not of slice_new(), or was emitted before");
        return noted(w, error_fail("a slice was emitted that is not of slice_new()"));
    }
    if (s->n > c->room) {
        watch_find(w, RULE_BEYOND, NULL, 0, "%u events in a slice that has room for %u", s->n, c->room);
        return noted(w, error_fail("a slice was emitted with more events than it has room for"));
    }
    if (due(w, HOST_EMIT))
        return noted(w, TCF_ERROR);
    shadow_check_order(w, s, 0, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        if (s->kind[i] < 1 || s->kind[i] > TCF_EVENT_KINDS)
            watch_find(w, RULE_KIND, s, i, "there is no kind %u", s->kind[i]);
    *at = c->next;
    free(c);
    return noted(w, pipeline_host.emit(self, s));
}

static void watched_compact(tcf_self *self, tcf_slice *s, const uint8_t *keep)
{
    watch *w = watch_of(self);
    shadow **at = shadow_find(&w->held, s), *c = *at;
    if (!(self->can & TCF_CAN_DROP))
        watch_find(w, RULE_DROPS, s, 0, "host->compact() was called");
    if (c)
        shadow_compare(w, c, 0, s->n, w->guard->of->writes);
    pipeline_host.compact(self, s, keep);
    if (!c)
        return;
    shadow *again = shadow_new(s);
    again->next = c->next;
    again->held = c->held;
    *at = again;
    free(c);
}

/* ------------------------------------------------------------------------------------------------------- results -- */

static tcf_status watched_learn(tcf_self *self, const char *table, size_t row_bytes, const void *rows, uint64_t n)
{
    watch *w = watch_of(self);
    when(w, "learn", IN(END));
    return noted(w, due(w, HOST_LEARN) ? TCF_ERROR : pipeline_host.learn(self, table, row_bytes, rows, n));
}

static const void *watched_learned(const tcf_self *self, const char *table, size_t row_bytes, uint64_t *n)
{
    when(watch_of(self), "learned", ANYWHERE_FROM_BEGIN);
    return pipeline_host.learned(self, table, row_bytes, n);
}

/* Parts of A-Z, 0-9 and _, joined by "::", at least two. */
static int good_property(const char *name)
{
    int parts = 0;
    for (;; name += 2, parts++) {
        size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        name += n;
        if (n == 0)
            return 0;
        if (*name == '\0')
            return parts > 0;
        if (strncmp(name, "::", 2) != 0)
            return 0;
    }
}

static tcf_status watched_set_property(tcf_self *self, const char *name, const char *value)
{
    watch *w = watch_of(self);
    if (!good_property(name))
        watch_find(w, RULE_PROPERTY, NULL, 0, "'%s'", name);
    return noted(w, due(w, HOST_SET_PROPERTY) ? TCF_ERROR : pipeline_host.set_property(self, name, value));
}

static tcf_table *watched_table(tcf_self *self, const char *name, const char *title, const tcf_table_column *columns,
                                uint32_t n)
{
    watch *w = watch_of(self);
    when(w, "table", IN(END));
    declared(w, "table", (self->can & TCF_CAN_REPORT) != 0, "TCF_CAN_REPORT");
    if (due(w, HOST_TABLE)) { /* what the framework does when it has no memory for it */
        observer_lose_report(self);
        return NULL;
    }
    return pipeline_host.table(self, name, title, columns, n);
}

static tcf_status watched_snapshots(tcf_self *self, uint32_t location,
                                    tcf_status (*each)(void *data, const tcf_snapshot_record *record), void *data)
{
    watch *w = watch_of(self);
    when(w, "snapshots", IN(END) | IN(LOCATION_END));
    return due(w, HOST_SNAPSHOTS) ? noted(w, TCF_ERROR) : pipeline_host.snapshots(self, location, each, data);
}

static tcf_status watched_markers(tcf_self *self, tcf_status (*each)(void *data, const tcf_marker *marker), void *data)
{
    watch *w = watch_of(self);
    when(w, "markers", IN(END));
    return due(w, HOST_MARKERS) ? noted(w, TCF_ERROR) : pipeline_host.markers(self, each, data);
}

static tcf_status watched_thumbnails(tcf_self *self, tcf_status (*each)(void *data, const tcf_thumbnail *thumbnail),
                                     void *data)
{
    watch *w = watch_of(self);
    when(w, "thumbnails", IN(END));
    return due(w, HOST_THUMBNAILS) ? noted(w, TCF_ERROR) : pipeline_host.thumbnails(self, each, data);
}

void guard_host_fill(tcf_host *h)
{
    *h = pipeline_host; /* what asks nothing but what anybody may know goes straight to the framework */
    h->log = watched_log;
    h->fail = watched_fail;
    h->refuse = watched_refuse;
    h->ticks = watched_ticks;
    h->column = watched_column;
    h->callpaths = watched_callpaths;
    h->computation = watched_computation;
    h->payload = watched_payload;
    h->publish = watched_publish;
    h->latest = watched_latest;
    h->first_end = watched_first_end;
    h->answer = watched_answer;
    h->answered = watched_answered;
    h->release = watched_release;
    h->slice_new = watched_slice_new;
    h->emit = watched_emit;
    h->compact = watched_compact;
    h->learn = watched_learn;
    h->learned = watched_learned;
    h->set_property = watched_set_property;
    h->table = watched_table;
    h->snapshots = watched_snapshots;
    h->markers = watched_markers;
    h->thumbnails = watched_thumbnails;
}
