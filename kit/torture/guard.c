/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The guard: a filter that calls the plugin's callbacks, and looks at what each of them has done. */
#include "torture.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* ------------------------------------------------------------------------------------------------------ canaries -- */

static int intact(const unsigned char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (at[i] != CANARY_BYTE)
            return 0;
    return 1;
}

static void check_canaries(watch *w, const tcf_slice *s)
{
    const tcf_filter *of = w->guard->of;
    tcf_self *self = w->self;
    if (!intact((const unsigned char *)self->conf + of->conf_size, CANARY))
        watch_find(w, RULE_CONF, s, 0, "something was written behind the %zu bytes of the parameters", of->conf_size);
    if (!intact((const unsigned char *)self->state + of->state_size, CANARY))
        watch_find(w, RULE_STATE, s, 0, "something was written behind the %zu bytes of the state", of->state_size);
    for (uint32_t l = 0; w->has_locations && l < self->defs->n_locations; l++)
        if ((!s || s->location == l) &&
            !intact(self->location + (size_t)l * self->location_size + of->location_size, CANARY)) {
            watch_find(w, RULE_LOCATION, s, 0, "something was written behind the %zu bytes of location %llu",
                       of->location_size, (unsigned long long)self->defs->locations[l].id);
            break;
        }
    for (uint32_t i = 0; i < w->n_payloads; i++)
        if (!intact(w->payloads[i].at + w->payloads[i].bytes, PAYLOAD_CANARY))
            watch_find(w, RULE_PAYLOAD, s, 0, "something was written behind a payload of %zu bytes",
                       w->payloads[i].bytes);
    w->n_payloads = 0;
}

/* --------------------------------------------------------------------------------------------------------- calls -- */

typedef struct before {
    enum callback in;
    int failed;
} before;

/* 1: this call is to fail. */
static int enter(watch *w, enum callback c, const tcf_slice *s, before *b)
{
    guard *g = w->guard;
    *b = (before){w->in, w->failed};
    w->in = c;
    w->failed = 0;
    if (c != CALL_FINI) /* which may follow a failure */
        error_clear();
    w->n_payloads = 0;
    g->board->callback = c;
    g->board->location = s && w->self->defs ? w->self->defs->locations[s->location].id : NO_EVENT;
    g->board->event = s ? s->first : NO_EVENT;
    return ++g->calls[c] == g->plan.fail_callback_at && c == g->plan.fail_callback;
}

static void leave(watch *w, const before *b)
{
    w->in = b->in;
    w->failed = b->failed;
    w->guard->board->callback = b->in;
}

static tcf_status refuse(watch *w, const before *b)
{
    enum callback c = w->in;
    w->guard->injected = 1;
    leave(w, b);
    return error_fail("the torture lets %s() fail", callback_names[c]);
}

/* Checks what holds for every callback. */
static tcf_status judge(watch *w, const tcf_slice *s, tcf_status status, const before *b)
{
    if (status != TCF_OK && status != TCF_ERROR && !(status == TCF_HELD && w->in == CALL_SLICE))
        watch_find(w, RULE_STATUS, s, 0, "it returned %d", (int)status);
    if (status == TCF_ERROR && !w->failed && *error_text())
        w->failed = 2; /* a function of an extension */
    if (status == TCF_ERROR && !w->failed)
        watch_find(w, RULE_REASON, s, 0, "it returned TCF_ERROR, and nobody knows why");
    if (status != TCF_ERROR && w->failed)
        watch_find(w, RULE_IGNORED, s, 0, "it returned %s though %s", status == TCF_HELD ? "TCF_HELD" : "TCF_OK",
                   w->failed == 2 ? "a function of the host had failed" : "it had called host->fail()");
    check_canaries(w, s);
    if (status == TCF_ERROR && !w->guard->failed_in)
        w->guard->failed_in = w->in;
    if (status == TCF_ERROR && !w->failed)
        error_fail("%s() failed without a reason", callback_names[w->in]);
    leave(w, b);
    return status;
}

/* Puts canaries behind parameters and state before the first call. */
static watch *watch_new(tcf_self *self)
{
    guard *g = (guard *)(uintptr_t)observer_filter(self);
    watch *w = calloc(1, sizeof *w);
    if (!w)
        abort();
    guard_host_fill(&w->host);
    w->guard = g;
    w->self = self;
    w->next = g->watches;
    g->watches = w;
    self->host = &w->host;
    memset((unsigned char *)observer_conf(self) + g->of->conf_size, CANARY_BYTE, CANARY);
    memset((unsigned char *)self->state + g->of->state_size, CANARY_BYTE, CANARY);
    return w;
}

static tcf_status guard_init(tcf_self *self)
{
    watch *w = watch_new(self);
    before b;
    if (w->guard->plan.no_files)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, RLIM_INFINITY});
    if (enter(w, CALL_INIT, NULL, &b))
        return refuse(w, &b);
    tcf_status status = w->guard->of->init ? w->guard->of->init(self) : TCF_OK;
    w->guard->can = self->can;
    w->guard->writes = self->writes;
    return judge(w, NULL, status, &b);
}

static tcf_status guard_begin(tcf_self *self)
{
    watch *w = watch_of(self);
    const tcf_filter *of = w->guard->of;
    before b;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        memset(self->location + (size_t)l * self->location_size + of->location_size, CANARY_BYTE, CANARY);
    w->has_locations = 1;
    if (of->writes & TCF_WRITES_TIME || self->can & TCF_CAN_INSERT)
        w->last_time = calloc(self->defs->n_locations + 1u, sizeof *w->last_time);
    if (enter(w, CALL_BEGIN, NULL, &b))
        return refuse(w, &b);
    return judge(w, NULL, of->begin ? of->begin(self) : TCF_OK, &b);
}

static uint32_t count(const shadow *list)
{
    uint32_t n = 0;
    for (; list; list = list->next)
        n++;
    return n;
}

static tcf_status guard_flush(tcf_self *self)
{
    watch *w = watch_of(self);
    before b;
    uint32_t held = count(w->held);
    if (enter(w, CALL_FLUSH, NULL, &b))
        return refuse(w, &b);
    tcf_status status = w->guard->of->flush(self);
    if (status == TCF_OK && held > 0 && count(w->held) >= held)
        watch_find(w, RULE_FLUSH, w->held->slice, 0, "it released none of %u slices", held);
    return judge(w, NULL, status, &b);
}

static void after_slice(watch *w, tcf_slice *s, tcf_status status)
{
    shadow **at = shadow_find(&w->held, s), *c = *at;
    if (status == TCF_HELD && !(w->self->can & TCF_CAN_HOLD))
        watch_find(w, RULE_HOLDS, s, 0, "slice() returned TCF_HELD");
    if (status == TCF_HELD && c)
        c->held = 1;
    if (status != TCF_OK)
        return;
    if (!c) {
        watch_find(w, RULE_RELEASE, NULL, 0, "the slice was released, but slice() returned TCF_OK");
        return;
    }
    for (const shadow *k = w->held; k != c; k = k->next)
        if (k->slice->location == s->location) {
            watch_find(w, RULE_RELEASE, s, 0,
                       "slice() let it pass while an earlier slice of the location is still held");
            break;
        }
    shadow_compare(w, c, 0, s->n, w->guard->of->writes);
    shadow_check_order(w, s, 0, s->n);
    *at = c->next;
    free(c);
}

static tcf_status guard_slice(tcf_self *self, tcf_slice *s)
{
    watch *w = watch_of(self);
    guard *g = w->guard;
    before b;
    if (enter(w, CALL_SLICE, s, &b))
        return refuse(w, &b);
    w->slice = s;
    *shadow_find(&w->held, NULL) = shadow_new(s);
    tcf_status status = g->of->slice(self, s);
    w->slice = NULL;
    after_slice(w, s, status);
    int released = status == TCF_HELD && !*shadow_find(&w->held, s);
    status = judge(w, released ? NULL : s, status, &b);
    if (status != TCF_ERROR && g->plan.flush_every && g->of->flush && w->held &&
        g->calls[CALL_SLICE] % g->plan.flush_every == 0 && guard_flush(self) != TCF_OK)
        return TCF_ERROR;
    return status;
}

static tcf_status guard_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_SPAN, s, &b))
        return refuse(w, &b);
    w->guard->board->event = s->first + from;
    shadow *c = shadow_new(s);
    w->slice = s;
    w->from = from;
    w->to = to;
    tcf_status status = w->guard->of->span(self, s, from, to);
    w->slice = NULL;
    if (status == TCF_OK) {
        shadow_compare(w, c, from, to, w->guard->of->writes);
        shadow_check_order(w, s, from, to);
    }
    free(c);
    return judge(w, s, status, &b);
}

static tcf_status guard_arrive(tcf_self *self, tcf_slice *s)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_ARRIVE, s, &b))
        return refuse(w, &b);
    shadow *c = shadow_new(s);
    tcf_status status = w->guard->of->arrive(self, s);
    if (status == TCF_OK)
        shadow_compare(w, c, 0, 0, 0);
    free(c);
    return judge(w, s, status, &b);
}

static tcf_status guard_complete(tcf_self *self, const tcf_collective *complete)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_COMPLETE, NULL, &b))
        return refuse(w, &b);
    return judge(w, NULL, w->guard->of->collective_complete(self, complete), &b);
}

static tcf_status guard_location_end(tcf_self *self, uint32_t location)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_LOCATION_END, NULL, &b))
        return refuse(w, &b);
    w->guard->board->location = self->defs->locations[location].id;
    return judge(w, NULL, w->guard->of->location_end(self, location), &b);
}

static uint64_t guard_frontier(const tcf_self *self, uint32_t location, uint64_t time)
{
    return watch_of(self)->guard->of->frontier(self, location, time);
}

static tcf_status guard_heartbeat(tcf_self *self)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_HEARTBEAT, NULL, &b))
        return refuse(w, &b);
    return judge(w, NULL, w->guard->of->heartbeat(self), &b);
}

static tcf_status guard_end(tcf_self *self)
{
    watch *w = watch_of(self);
    before b;
    if (enter(w, CALL_END, NULL, &b))
        return refuse(w, &b);
    tcf_status status = w->guard->of->end ? w->guard->of->end(self) : TCF_OK;
    if (status == TCF_OK && w->held)
        watch_find(w, RULE_KEPT, w->held->slice, 0, "%u slices are still held", count(w->held));
    if (status == TCF_OK && w->made)
        watch_find(w, RULE_KEPT, NULL, 0, "%u slices of slice_new() were not emitted", count(w->made));
    return judge(w, NULL, status, &b);
}

static void guard_fini(tcf_self *self, int complete)
{
    watch *w = watch_of(self);
    before b;
    enter(w, CALL_FINI, NULL, &b);
    if (w->guard->of->fini)
        w->guard->of->fini(self, complete);
    check_canaries(w, NULL);
    leave(w, &b);
}

guard *guard_new(const tcf_filter *of, board *b, const plan *p)
{
    guard *g = calloc(1, sizeof *g);
    if (!g)
        abort();
    *g = (guard){.filter = *of, .of = of, .board = b, .plan = *p};
    tcf_filter *f = &g->filter;
    f->conf_size += CANARY;
    f->state_size += CANARY;
    f->location_size += CANARY;
    f->message_bytes += of->message_bytes ? PAYLOAD_CANARY : 0;
    f->member_bytes += of->member_bytes ? PAYLOAD_CANARY : 0;
    f->init = guard_init;
    f->begin = guard_begin;
    f->end = guard_end;
    f->fini = guard_fini;
    f->slice = of->slice ? guard_slice : NULL;
    f->span = of->span ? guard_span : NULL;
    f->arrive = of->arrive ? guard_arrive : NULL;
    f->collective_complete = of->collective_complete ? guard_complete : NULL;
    f->location_end = of->location_end ? guard_location_end : NULL;
    f->flush = of->flush ? guard_flush : NULL;
    f->frontier = of->frontier ? guard_frontier : NULL;
    f->heartbeat = of->heartbeat ? guard_heartbeat : NULL;
    return g;
}

static void forget(shadow *list)
{
    for (shadow *next; list; list = next) {
        next = list->next;
        free(list);
    }
}

void guard_delete(guard *g)
{
    for (watch *w = g->watches, *next; w; w = next) {
        next = w->next;
        forget(w->held);
        forget(w->made);
        free(w->last_time);
        free(w);
    }
    free(g);
}
