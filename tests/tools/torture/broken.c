/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter that keeps every rule, and with -DBREAK_RULE breaks that one: test_torture.sh makes one plugin of each. */
#include <tcflow/filter.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef NEEDS
#define NEEDS 0
#endif
#ifndef CAN
#define CAN 0
#endif
#ifndef WRITES
#define WRITES 0
#endif

struct conf {
    const char *path;
    int64_t n;
};

struct state {
    uint64_t events, calls, *sums;
    tcf_slice *held[4096];
    uint32_t n_held;
    uint64_t *before;
    FILE *file;
};

struct lane {
    uint64_t events;
};

static const tcf_param params[] = {
#if defined BREAK_WRITTEN || defined BREAK_CHECKING
    {.key = "path", .type = TCF_OUTPUT_PATH, .offset = offsetof(struct conf, path), .help = "A file"},
#endif
    {.key = "n", .type = TCF_INT, .offset = offsetof(struct conf, n), .default_value = "3", .help = "A number"},
};

static void spoil(unsigned char *at, size_t bytes)
{
    memset(at, 1, bytes);
}

#ifdef BREAK_GLOBAL
static unsigned calls_so_far;
#endif

static tcf_status init(tcf_self *self)
{
#ifdef BREAK_WHEN
    self->host->learned(self, "nothing", 8, &(uint64_t){0});
#endif
#ifdef INSERTS
    self->can |= TCF_CAN_INSERT;
#endif
#ifdef BREAK_CONF
    spoil((unsigned char *)(uintptr_t)self->conf + sizeof(struct conf), 4);
#endif
    (void)self;
    return TCF_OK;
}

#ifdef BREAK_LOCATIONS
enum { SUM_BYTES = 80 };
#else
enum { SUM_BYTES = sizeof(uint64_t) };
#endif

static tcf_status begin(tcf_self *self)
{
    struct state *st = self->state;
    if (!(st->sums = calloc(self->defs->n_locations + 1u, SUM_BYTES)))
#ifdef BREAK_MEMORY
        return TCF_OK;
#elif defined BREAK_CRASH
        st->sums[0] = 1;
#elif defined BREAK_REASON
        return TCF_ERROR;
#else
        return self->host->fail(self, "out of memory");
#endif
#ifdef BREAK_IGNORED
    self->host->set_property(self, "TORTURE::TEST", "yes");
#elif defined BREAK_PROPERTY
    if (self->host->set_property(self, "test", "yes") != TCF_OK)
        return TCF_ERROR;
#endif
#ifdef BREAK_CHECKING
    FILE *f = fopen(((const struct conf *)self->conf)->path, "w");
    if (!f)
        return self->host->fail(self, "no file");
    fputs("here", f);
    fclose(f);
#endif
    return TCF_OK;
}

static tcf_status let_go(tcf_self *self, uint32_t least)
{
    struct state *st = self->state;
    while (st->n_held > least) {
        tcf_slice *s = st->held[0];
        memmove(st->held, st->held + 1, --st->n_held * sizeof st->held[0]);
        if (self->host->release(self, s) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

/* What breaks rules at events. */
static tcf_status spoil_events(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    struct state *st = self->state;
#if defined BREAK_WRITES
    s->rec[from].enter.region ^= 1;
#elif defined BREAK_SPAN
    if (to < s->n)
        s->rec[to].enter.region ^= 1;
#elif defined BREAK_SLICE
    s->edge[from] ^= TCF_EDGE_SOURCE;
#elif defined BREAK_BEYOND
    s->time[s->n] = 77;
#elif defined BREAK_ORDER
    if (to - from > 2)
        s->time[from + 1] = s->time[to - 1] + 1;
#elif defined BREAK_LATER
    for (uint32_t i = from; i < to; i++)
        s->time[i] -= 5;
#elif defined BREAK_KIND
    s->kind[from] = 200;
#elif defined BREAK_PASSED
    if (st->before)
        ++*st->before;
    st->before = &s->time[s->n - 1];
#elif defined BREAK_DROPS
    unsigned char keep[8192];
    memset(keep, 1, sizeof keep);
    keep[0] = 0;
    self->host->compact(self, s, keep);
#elif defined BREAK_INSERTS
    uint32_t room;
    tcf_slice *own = self->host->slice_new(self, s->location, &room);
    if (!own || self->host->emit(self, own) != TCF_OK)
        return TCF_ERROR;
#elif defined INSERTS /* breaks nothing: one event in front of each location's first, and not after another instance   \
                       */
    uint32_t room;
    const struct lane *lane = tcf_location_state(self, s->location);
    if (lane->events != to - from || self->changed & TCF_WRITES_EVENTS)
        return TCF_OK;
    tcf_slice *own = self->host->slice_new(self, s->location, &room);
    if (!own)
        return TCF_ERROR;
    own->time[0] = s->time[0];
    own->kind[0] = TCF_MEASUREMENT_ON_OFF;
    own->rec[0].measurement_on_off.measurement_mode = 1;
    own->n = 1;
    if (self->host->emit(self, own) != TCF_OK)
        return TCF_ERROR;
#elif defined BREAK_NEEDS
    uint32_t n;
    self->host->callpaths(self, &n);
#elif defined BREAK_EDGE
    for (uint32_t i = 0; i < s->n_edges; i++)
        self->host->payload(self, &s->edges[i]);
#elif defined BREAK_NUMBERS
    for (uint32_t i = 0; i < s->n_edges; i++)
        if (s->edges[i].pos >= from && s->edges[i].pos < to && s->edges[i].flags & TCF_EDGE_SOURCE)
            self->host->publish(self, &s->edges[i], 1, 7);
#elif defined BREAK_PAYLOAD
    for (uint32_t i = 0; i < s->n_edges; i++)
        if (s->edges[i].pos >= from && s->edges[i].pos < to && tcf_is_message(&s->edges[i])) {
            unsigned char *at = self->host->payload(self, &s->edges[i]);
            if (at)
                spoil(at, 12);
        }
#elif defined BREAK_STATE
    spoil((unsigned char *)self->state + sizeof *st, 1);
#elif defined BREAK_LOCATION
    spoil((unsigned char *)tcf_location_state(self, s->location) + sizeof(struct lane), 4);
#elif defined BREAK_GLOBAL
    calls_so_far++;
#endif
    (void)spoil, (void)self, (void)s, (void)from, (void)to, (void)st;
    return TCF_OK;
}

static void count(tcf_self *self, const tcf_slice *s, uint32_t from, uint32_t to)
{
    struct state *st = self->state;
    struct lane *lane = tcf_location_state(self, s->location);
    lane->events += to - from;
    st->calls++;
    if (st->sums)
        st->sums[s->location] += to - from;
}

#ifdef SPAN
static tcf_status on_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    count(self, s, from, to);
    return from < to ? spoil_events(self, s, from, to) : TCF_OK;
}
#else
static tcf_status on_slice(tcf_self *self, tcf_slice *s)
{
    struct state *st = self->state;
    count(self, s, 0, s->n);
    if (s->n > 0 && spoil_events(self, s, 0, s->n) != TCF_OK)
        return TCF_ERROR;
#if defined BREAK_STATUS
    return (tcf_status)7;
#elif defined BREAK_HOLDS
    if (self->host->release(self, s) != TCF_OK)
        return TCF_ERROR;
    return TCF_HELD;
#elif defined BREAK_RELEASE
    st->held[st->n_held++] = s;
    if (st->n_held < 4)
        return TCF_HELD;
    tcf_slice *first = st->held[0];
    st->held[0] = st->held[1];
    st->held[1] = first;
    return let_go(self, 0) == TCF_OK ? TCF_HELD : TCF_ERROR;
#else
    if (!(self->can & TCF_CAN_HOLD))
        return TCF_OK;
    st->held[st->n_held++] = s;
    return let_go(self, 5) == TCF_OK ? TCF_HELD : TCF_ERROR;
#endif
}
#endif

#ifdef BREAK_ARRIVE
static tcf_status arrive(tcf_self *self, tcf_slice *s)
{
    (void)self;
    if (s->n > 0)
        s->time[s->n - 1]++;
    return TCF_OK;
}
#endif

static tcf_status location_end(tcf_self *self, uint32_t location)
{
    const struct lane *lane = tcf_location_state(self, location);
#ifdef BREAK_RUN
    if (lane->events == 0)
        return self->host->fail(self, "a location without events");
#endif
#ifdef BREAK_ENDLESS
    for (volatile int i = 0;; i ^= 1)
        ;
#endif
    (void)lane;
    return TCF_OK;
}

static tcf_status flush(tcf_self *self)
{
    struct state *st = self->state;
#ifdef BREAK_FLUSH
    (void)st;
    return TCF_OK;
#else
    return st->n_held ? let_go(self, st->n_held - 1) : TCF_OK;
#endif
}

static tcf_status end(tcf_self *self)
{
    static const tcf_table_column columns[] = {{"location", TCF_CELL_UINT, NULL, "Its index"},
                                               {"events", TCF_CELL_UINT, NULL, "How many"}};
    struct state *st = self->state;
#ifndef BREAK_KEPT
    if (let_go(self, 0) != TCF_OK)
        return TCF_ERROR;
#endif
#ifdef BREAK_WRITTEN
    FILE *f = fopen(((const struct conf *)self->conf)->path, "w");
    if (f) {
        fputs("lost in silence\n", f);
        fclose(f);
    }
#endif
#ifdef BREAK_LEAK_FILE
    st->file = fopen("/dev/null", "r");
#endif
    tcf_table *t = self->host->table(self, "events", "Events", columns, TCF_COUNT(columns));
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        TCF_ROW(self, t, tcf_uint(l), tcf_uint(st->sums ? st->sums[l] : 0));
#ifdef BREAK_WINDOWS
    TCF_ROW(self, t, tcf_uint(999), tcf_uint(st->calls));
#endif
#ifdef BREAK_AGAIN
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    TCF_ROW(self, t, tcf_uint(999), tcf_uint((uint64_t)now.tv_nsec));
#endif
    return TCF_OK;
}

#ifdef DOMAINS
static tcf_status pack(tcf_self *self, tcf_pack *to)
{
    const struct state *st = self->state;
    self->host->put(to, st->sums, self->defs->n_locations * sizeof *st->sums);
    return TCF_OK;
}

static tcf_status absorb(tcf_self *self, tcf_pack *from)
{
    struct state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        uint64_t more;
        self->host->take(from, &more, sizeof more);
#ifdef BREAK_DOMAINS
        st->sums[l] = more;
#else
        st->sums[l] += more;
#endif
    }
    return TCF_OK;
}
#endif

static void fini(tcf_self *self, int complete)
{
    struct state *st = self->state;
    (void)complete;
#ifndef BREAK_LEAK
    free(st->sums);
#endif
    st->sums = NULL;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
#ifdef BREAK_LOAD
    .name = "Not A Name",
#else
    .name = "broken",
#endif
    .version = "1.0",
    .summary = "Breaks a rule",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .state_size = sizeof(struct state),
    .location_size = sizeof(struct lane),
#if defined SPAN && !defined BREAK_EDGE
    .message_bytes = 8,
#endif
    .needs = NEEDS,
    .can = TCF_CAN_REPORT | CAN,
    .writes = WRITES,
#ifdef SPAN
    .span = on_span,
#else
    .slice = on_slice,
#endif
#ifdef BREAK_ARRIVE
    .arrive = arrive,
#endif
    .init = init,
    .begin = begin,
    .location_end = location_end,
    .flush = flush,
    .end = end,
    .fini = fini,
#ifdef DOMAINS
    .pack = pack,
    .absorb = absorb,
#endif
};
