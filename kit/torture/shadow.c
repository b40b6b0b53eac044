/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Copies of slices, and what has changed since. Two filters of the torture's own stand around the plugin. */
#include "torture.h"

#include <stdlib.h>
#include <string.h>

/* Copies a column into the shadow's memory. */
static void *keep(unsigned char **at, const void *column, size_t bytes)
{
    void *copy = *at;
    if (!column)
        return NULL;
    if (bytes)
        memcpy(copy, column, bytes);
    *at += (bytes + 15u) & ~(size_t)15u;
    return copy;
}

shadow *shadow_new(tcf_slice *s)
{
    const block *b = ((const slice *)s)->block;
    /* One event behind the last, as far as it belongs to this slice and not to its other half. */
    uint32_t start = (uint32_t)(s->time - b->time), room = b->capacity - start - s->n;
    uint32_t beyond = b->references == 1 && room > 0, n = s->n + beyond;
    size_t bytes = sizeof(shadow) + 256 + (size_t)n * (sizeof *s->time + 1 + sizeof *s->rec + 3 * sizeof *s->attr + 1) +
                   s->n_edges * sizeof *s->edges + b->arena_used + 15;
    shadow *c = calloc(1, bytes);
    if (!c)
        abort();
    unsigned char *at = (unsigned char *)c + ((sizeof *c + 15u) & ~(size_t)15u);
    *c = (shadow){.slice = s, .was = *s, .arena_used = b->arena_used, .beyond = beyond};
    c->was.time = keep(&at, s->time, n * sizeof *s->time);
    c->was.rec = keep(&at, s->rec, n * sizeof *s->rec);
    c->was.kind = keep(&at, s->kind, n);
    c->was.attr = keep(&at, s->attr, s->n * sizeof *s->attr);
    c->was.edge = keep(&at, s->edge, s->n);
    c->was.match = keep(&at, s->match, s->n * sizeof *s->match);
    c->was.callpath = keep(&at, s->callpath, s->n * sizeof *s->callpath);
    c->was.edges = keep(&at, s->edges, s->n_edges * sizeof *s->edges);
    c->was.arena = keep(&at, s->arena, b->arena_used);
    return c;
}

shadow **shadow_find(shadow **list, const tcf_slice *s)
{
    while (*list && (*list)->slice != s)
        list = &(*list)->next;
    return list;
}

static void compare_frame(watch *w, const shadow *c)
{
    const tcf_slice *s = c->slice, *was = &c->was;
    if (s->n != was->n || s->location != was->location || s->first != was->first || s->n_edges != was->n_edges)
        watch_find(w, RULE_SLICE, was, 0, "n, location, first or n_edges of the slice has changed (n: %u to %u)",
                   was->n, s->n);
    else if (s->columns != was->columns)
        watch_find(w, RULE_SLICE, was, 0, "the slice points to other columns");
    else if (!c->held && was->edges && was->n_edges &&
             memcmp(s->edges, was->edges, was->n_edges * sizeof *s->edges) != 0)
        watch_find(w, RULE_SLICE, was, 0, "an entry of 'edges' has changed");
}

static void compare_beyond(watch *w, const shadow *c)
{
    const tcf_slice *s = c->slice, *was = &c->was;
    if (c->beyond && (s->time[was->n] != was->time[was->n] || s->kind[was->n] != was->kind[was->n] ||
                      memcmp(&s->rec[was->n], &was->rec[was->n], sizeof *s->rec) != 0))
        watch_find(w, RULE_BEYOND, was, was->n, "entry %u of a slice of %u events was written", was->n, was->n);
}

static enum rule rule_here(const watch *w, uint32_t i, uint32_t from, uint32_t to)
{
    if (w->in == CALL_ARRIVE)
        return RULE_ARRIVE;
    return w->in == CALL_SPAN && (i < from || i >= to) ? RULE_SPAN : RULE_WRITES;
}

void shadow_compare(watch *w, const shadow *c, uint32_t from, uint32_t to, uint32_t writes)
{
    const tcf_slice *s = c->slice, *was = &c->was;
    compare_frame(w, c);
    compare_beyond(w, c);
    for (uint32_t i = 0; i < was->n && i < s->n; i++) {
        uint32_t may = i >= from && i < to ? writes : 0;
        if (s->time[i] != was->time[i] && !(may & TCF_WRITES_TIME))
            watch_find(w, rule_here(w, i, from, to), was, i, "time has changed from %llu to %llu",
                       (unsigned long long)was->time[i], (unsigned long long)s->time[i]);
        if ((may & TCF_WRITES_TIME) && (may & TCF_WRITES_LATER) && s->time[i] < was->time[i])
            watch_find(w, RULE_LATER, was, i, "the time has gone from %llu back to %llu",
                       (unsigned long long)was->time[i], (unsigned long long)s->time[i]);
        if (s->kind[i] != was->kind[i] && !(may & TCF_WRITES_KIND))
            watch_find(w, rule_here(w, i, from, to), was, i, "kind has changed from %u to %u", was->kind[i],
                       s->kind[i]);
        if (s->kind[i] < 1 || s->kind[i] > TCF_EVENT_KINDS)
            watch_find(w, RULE_KIND, was, i, "there is no kind %u", s->kind[i]);
        if (!(may & (TCF_WRITES_REC | TCF_WRITES_KIND)) && memcmp(&s->rec[i], &was->rec[i], sizeof *s->rec) != 0)
            watch_find(w, rule_here(w, i, from, to), was, i, "rec (of kind %u) has changed", was->kind[i]);
        if (s->attr[i] != was->attr[i] && !(may & TCF_WRITES_ATTR))
            watch_find(w, rule_here(w, i, from, to), was, i, "attr has changed");
        if (!c->held && ((was->edge && s->edge[i] != was->edge[i]) || (was->match && s->match[i] != was->match[i]) ||
                         (was->callpath && s->callpath[i] != was->callpath[i])))
            watch_find(w, RULE_SLICE, was, i, "edge, match or callpath has changed");
    }
    if (!(writes & (TCF_WRITES_REC | TCF_WRITES_KIND | TCF_WRITES_ATTR)) &&
        s->arena == ((const slice *)s)->block->arena && c->arena_used > 8 &&
        memcmp(s->arena + 8, was->arena + 8, c->arena_used - 8) != 0)
        watch_find(w, RULE_WRITES, was, 0, "what stands in the arena (attributes, values) has changed");
}

void shadow_check_order(watch *w, const tcf_slice *s, uint32_t from, uint32_t to)
{
    if (!w->last_time || s->location >= w->self->defs->n_locations)
        return;
    uint64_t *last = &w->last_time[s->location];
    for (uint32_t i = from; i < to; i++) {
        if (s->time[i] < *last)
            watch_find(w, RULE_ORDER, s, i, "time %llu after %llu", (unsigned long long)s->time[i],
                       (unsigned long long)*last);
        *last = s->time[i];
    }
}

/* --------------------------------------------------------------------------------------------------- hold_filter -- */

/* What has come, in order; `changed` is looked at when a slice goes on. */
struct holding {
    shadow *first, **last;
    uint32_t n;
};

static tcf_status let_go(tcf_self *self)
{
    struct holding *k = self->state;
    shadow *c = k->first;
    const tcf_slice *s = c->slice, *was = &c->was;
    const guard *g = NULL;
    const tcf_self *other;
    for (uint32_t i = 0; (other = observer_neighbour(self, i)) != NULL; i++)
        if (other->host != &pipeline_host) /* the plugin's has one of its own */
            g = watch_of(other)->guard;
    if (g && (s->n != was->n || memcmp(s->time, was->time, s->n * sizeof *s->time) != 0 ||
              memcmp(s->kind, was->kind, s->n) != 0 || memcmp(s->rec, was->rec, s->n * sizeof *s->rec) != 0))
        report_finding(g->board, RULE_PASSED, CALL_NONE, self->defs->locations[s->location].id, s->first,
                       "a slice of %u events has changed after it was passed on", was->n);
    k->first = c->next;
    if (!k->first)
        k->last = &k->first;
    k->n--;
    tcf_slice *out = c->slice;
    free(c);
    return self->host->release(self, out);
}

static tcf_status hold_init(tcf_self *self)
{
    struct holding *k = self->state;
    k->last = &k->first;
    return TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    struct holding *k = self->state;
    *k->last = shadow_new(s);
    k->last = &(*k->last)->next;
    if (++k->n > 24 && let_go(self) != TCF_OK)
        return TCF_ERROR;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    return ((struct holding *)self->state)->n ? let_go(self) : TCF_OK;
}

static tcf_status hold_end(tcf_self *self)
{
    while (((struct holding *)self->state)->n)
        if (let_go(self) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

static void hold_fini(tcf_self *self, int complete)
{
    struct holding *k = self->state;
    (void)complete;
    for (shadow *next; k->first; k->first = next) {
        next = k->first->next;
        free(k->first);
    }
}

const tcf_filter hold_filter = {
    .head = TCF_FILTER_HEAD,
    .name = "torture_hold",
    .version = "1",
    .summary = "Holds slices for a while",
    .state_size = sizeof(struct holding),
    .can = TCF_CAN_HOLD,
    .init = hold_init,
    .slice = hold_slice,
    .flush = hold_flush,
    .end = hold_end,
    .fini = hold_fini,
};

static tcf_status together_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

const tcf_filter together_filter = {
    .head = TCF_FILTER_HEAD,
    .name = "torture_together",
    .version = "1",
    .summary = "Makes locations advance together",
    .needs = TCF_NEED_TOGETHER,
    .slice = together_slice,
};
