/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Filters that hold slices, drop events and look at what passes, and events to feed them, for tests behind cmocka and
 * harness.h. */
#ifndef TCFLOW_TESTS_PASSING_H
#define TCFLOW_TESTS_PASSING_H

#include "tests/support/harness.h"

#include <stdlib.h>

enum { MOST = 16, SLICES = 8192 };

/* What the filters below saw; one run at a time. */
static struct {
    uint32_t flushes, early, in_end;
    struct {
        uint64_t events, ends, out_of_order;
    } at[MOST];
    uint64_t seen[2][MOST]; /* by instance of watch and location: events */
    uint64_t wrong[2], matched[2], unmatched[2], receives[2];
} saw;

static uint64_t random_state;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* -------------------------------------------------------------------------------------------------- test filters -- */

/* Holds every slice until the watermark has passed it; with `hoard` until it is made to release it. */
struct hold_conf {
    int hoard;
};

static struct {
    tcf_slice *slice[SLICES];
    uint64_t age[SLICES];
    uint32_t head, tail;
} queues[MOST];
static uint64_t age;

static const tcf_param hold_params[] = {
    TCF_PARAM(struct hold_conf, hoard, TCF_BOOL, "no", "Never release."),
};

static tcf_status hold_begin(tcf_self *self)
{
    (void)self;
    memset(queues, 0, sizeof queues);
    age = 0;
    return TCF_OK;
}

static tcf_status release_one(tcf_self *self, uint32_t l)
{
    tcf_slice *s = queues[l].slice[queues[l].head++ % SLICES];
    saw.early += s->n > 0 && s->time[s->n - 1] > self->host->watermark(self);
    return self->host->release(self, s);
}

static tcf_status release_passed(tcf_self *self, int *any)
{
    *any = 0;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        while (queues[l].head < queues[l].tail) {
            const tcf_slice *s = queues[l].slice[queues[l].head % SLICES];
            if (s->n > 0 && s->time[s->n - 1] >= self->host->watermark(self))
                break;
            *any = 1;
            if (release_one(self, l) != TCF_OK)
                return TCF_ERROR;
        }
    return TCF_OK;
}

static tcf_status hold_slice(tcf_self *self, tcf_slice *s)
{
    const struct hold_conf *conf = self->conf;
    uint32_t l = s->location, i = queues[l].tail % SLICES;
    int any;
    if (!conf->hoard && release_passed(self, &any) != TCF_OK)
        return TCF_ERROR;
    queues[l].slice[i] = s;
    queues[l].age[i] = age++;
    queues[l].tail++;
    return TCF_HELD;
}

static tcf_status hold_flush(tcf_self *self)
{
    uint32_t oldest = MOST;
    int any;
    saw.flushes++;
    if (release_passed(self, &any) != TCF_OK || any)
        return any ? TCF_OK : TCF_ERROR;
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        if (queues[l].head < queues[l].tail && (oldest == MOST || queues[l].age[queues[l].head % SLICES] <
                                                                      queues[oldest].age[queues[oldest].head % SLICES]))
            oldest = l;
    return oldest == MOST ? TCF_OK : release_one(self, oldest);
}

static tcf_status hold_end(tcf_self *self)
{
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        while (queues[l].head < queues[l].tail) {
            saw.in_end++;
            if (release_one(self, l) != TCF_OK)
                return TCF_ERROR;
        }
    return TCF_OK;
}

static const tcf_filter hold = {
    .head = TCF_FILTER_HEAD,
    .name = "hold",
    .version = "1",
    .summary = "Holds slices",
    .params = TCF_ROWS(hold_params),
    .conf_size = sizeof(struct hold_conf),
    .needs = TCF_NEED_TOGETHER,
    .can = TCF_CAN_HOLD,
    .slice = hold_slice,
    .begin = hold_begin,
    .flush = hold_flush,
    .end = hold_end,
};

/* Counts events and checks that a location's end comes once, after its last event. */
static tcf_status ends_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    saw.at[s->location].out_of_order += saw.at[s->location].ends > 0;
    saw.at[s->location].events += s->n;
    return TCF_OK;
}

static tcf_status ends_location_end(tcf_self *self, uint32_t location)
{
    (void)self;
    saw.at[location].ends++;
    return TCF_OK;
}

static const tcf_filter ends = {
    .head = TCF_FILTER_HEAD,
    .name = "ends",
    .version = "1",
    .summary = "Looks at ends",
    .slice = ends_slice,
    .location_end = ends_location_end,
};

/* Drops sends (or receives) with tag 66, and events of regions with an odd index. */
struct drop_conf {
    int sends, receives, regions;
};

static const tcf_param drop_params[] = {
    TCF_PARAM(struct drop_conf, sends, TCF_BOOL, "no", "Drop sends."),
    TCF_PARAM(struct drop_conf, receives, TCF_BOOL, "no", "Drop receives."),
    TCF_PARAM(struct drop_conf, regions, TCF_BOOL, "no", "Drop regions."),
};

static tcf_status drop_slice(tcf_self *self, tcf_slice *s)
{
    const struct drop_conf *conf = self->conf;
    uint8_t *keep = malloc(s->n + 1u);
    if (!keep)
        return (self->host->fail)(self, "out of memory");
    for (uint32_t i = 0; i < s->n; i++) {
        const tcf_rec *r = &s->rec[i];
        keep[i] = !((conf->sends && s->kind[i] == TCF_MPI_SEND && r->mpi_send.msg_tag == 66) ||
                    (conf->receives && s->kind[i] == TCF_MPI_RECV && r->mpi_recv.msg_tag == 66) ||
                    (conf->regions && (s->kind[i] == TCF_ENTER || s->kind[i] == TCF_LEAVE) && r->enter.region % 2));
    }
    self->host->compact(self, s, keep);
    free(keep);
    return TCF_OK;
}

static const tcf_filter drop = {
    .head = TCF_FILTER_HEAD,
    .name = "drop",
    .version = "1",
    .summary = "Drops events",
    .params = TCF_ROWS(drop_params),
    .conf_size = sizeof(struct drop_conf),
    .can = TCF_CAN_DROP,
    .slice = drop_slice,
};

/* In causal order: every event once; a receive finds the message with its number, which stands in msg_length. */
static tcf_status watch_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    int me = strcmp(self->name, "second") == 0;
    saw.seen[me][s->location] += to - from;
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        if (s->kind[i] == TCF_MPI_RECV)
            saw.receives[me]++;
        if (!e)
            continue;
        uint64_t *payload = self->host->payload(self, e), value = 0;
        if (s->kind[i] == TCF_MPI_SEND && payload) {
            *payload = s->rec[i].mpi_send.msg_length;
            self->host->publish(self, e, 0, *payload * 3);
        } else if (s->kind[i] == TCF_MPI_RECV && payload) {
            int there = self->host->latest(self, e, 0, &value);
            saw.wrong[me] += *payload != s->rec[i].mpi_recv.msg_length || !there || value != *payload * 3;
            saw.matched[me]++;
        } else if (s->kind[i] == TCF_MPI_RECV) {
            saw.wrong[me] += !(s->edge[i] & TCF_EDGE_UNMATCHED) || self->host->latest(self, e, 0, &value);
            saw.unmatched[me]++;
        }
    }
    return TCF_OK;
}

static const tcf_filter watch = {
    .head = TCF_FILTER_HEAD,
    .name = "watch",
    .version = "1",
    .summary = "Checks the causal order",
    .message_bytes = 8,
    .span = watch_span,
};

/* ----------------------------------------------------------------------------------------------------- the input -- */

/* Processes of a thread each, two regions, and these filters. */
static tcfh *with_filters(uint32_t processes, const tcf_filter *const *filters, size_t n)
{
    tcfh *h = tcfh_new();
    memset(&saw, 0, sizeof saw);
    for (size_t i = 0; i < n; i++)
        tcfh_filter(h, filters[i]);
    tcfh_processes(h, processes, 1);
    tcfh_region(h, "even");
    tcfh_region(h, "odd");
    return h;
}

/* Regions alone: n events a location, at a pace of its own. */
static void feed_regions(tcfh *h, uint32_t locations, uint32_t n)
{
    for (uint32_t l = 0; l < locations; l++)
        for (uint32_t i = 0; i < n; i++)
            (i % 2 ? tcfh_leave : tcfh_enter)(h, l, 10 + i * (1 + 3 * l), i / 2 % 2);
}

/* Random messages, numbered by their length, among other events; every clock starts at a time of its own. Sends of
 * one channel are received in order. Tag 66 is as good as any. */
static uint32_t feed_messages(tcfh *h, uint32_t processes, uint32_t events, uint64_t seed)
{
    enum { PENDING = 64 };
    struct {
        uint32_t from, to, tag, id;
    } pending[PENDING];
    uint32_t n = 0, id = 0;
    uint64_t clock[MOST];
    random_state = seed;
    for (uint32_t p = 0; p < processes; p++)
        clock[p] = 100 + draw(1000);
    while (events > 0 || n > 0) {
        uint32_t from = draw(processes), to = draw(processes), k;
        clock[from] += draw(9);
        if (events > 0 && draw(3) == 0) {
            tcfh_enter(h, from, clock[from], draw(2));
            events--;
        } else if (events > 0 && n < PENDING && draw(2) == 0) {
            pending[n].from = from, pending[n].to = to;
            pending[n].tag = draw(2) ? 66 : 1;
            pending[n].id = ++id;
            tcfh_send(h, from, clock[from], to, pending[n++].tag, id);
            events--;
        } else if (n > 0) { /* the first message that is pending on some channel */
            for (k = draw(n); k > 0; k--) {
                uint32_t j = 0;
                while (j < k && (pending[j].from != pending[k].from || pending[j].to != pending[k].to ||
                                 pending[j].tag != pending[k].tag))
                    j++;
                if (j == k)
                    break;
            }
            clock[pending[k].to] += draw(9);
            tcfh_receive(h, pending[k].to, clock[pending[k].to], pending[k].from, pending[k].tag, pending[k].id);
            memmove(&pending[k], &pending[k + 1], (--n - k) * sizeof pending[0]);
        }
    }
    return id;
}
#endif
