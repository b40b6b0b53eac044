/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* In several domains each instance goes over the events of its locations; the one in the first domain follows the paths
 * of all. What other domains record it does in the order in which they have done it. */
#include "critical_path.h"

#include <tcflow/grow.h>

#include <stdlib.h>

static void begin_stretch(tcf_self *self, struct place *k, const gather_time *r, uint32_t callpath)
{
    tree_reach(&state_of(self)->tree, r->time);
    k->start = r->time;
    k->callpath = callpath;
    k->region = r->head.flags >> 1;
    k->is_first = r->head.flags & 1;
    k->is_special = 1;
}

static tcf_status take_edge(tcf_self *self, uint32_t location, const struct record_edge *r)
{
    uint64_t name = r->name;
    const struct event v = {.location = location,
                            .kind = r->kind,
                            .time = r->time,
                            .request = r->request,
                            .name = r->is_matched ? &name : NULL};
    const tcf_edge e = {.peer = r->head.of, .number = r->number, .class_ = r->class_, .flags = r->flags};
    return r->head.kind == RECORD_REQUEST ? request(self, &v) : walk_edge(self, &v, &e);
}

static tcf_status collect_member(tcf_self *self, const struct member *m)
{
    struct collected *c = &state_of(self)->members;
    if (TCF_GROW(&c->of, &c->capacity, c->n) != 0)
        return self->host->fail(self, "out of memory for an operation with %u members", c->n);
    c->of[c->n++] = *m;
    return TCF_OK;
}

static tcf_status take_complete(tcf_self *self, const struct record_complete *r)
{
    struct collected *c = &state_of(self)->members;
    const tcf_collective in = {.comm = r->head.of,
                               .class_ = r->class_,
                               .op = r->op,
                               .n_members = r->n_members,
                               .n_arrived = r->n_arrived,
                               .members = (const unsigned char *)c->of,
                               .stride = sizeof *c->of};
    c->n = 0;
    return complete(self, &in);
}

/* The last stretch has ended, and its time has come. */
static tcf_status end_location(tcf_self *self, uint32_t location, const struct record_last *r)
{
    struct place *k = place_of(self, location);
    tree_reach(&state_of(self)->tree, r->last);
    k->start = k->last = r->last;
    k->outside = r->outside;
    return mark_here(self, location);
}

static tcf_status apply(tcf_self *self, uint32_t location, const gather_record *r, uint32_t callpath)
{
    struct place *k = place_of(self, location);
    const gather_time *t = (const void *)r;
    const struct record_named *n = (const void *)r;
    uint64_t name;
    switch (r->kind) {
    case RECORD_TIME:
        return walk_add(self, location, callpath, t->time);
    case RECORD_BEGIN:
        tree_reach(&state_of(self)->tree, t->time);
        walk_begin(k, t->time);
        return TCF_OK;
    case RECORD_STRETCH:
        begin_stretch(self, k, t, callpath);
        return TCF_OK;
    case RECORD_END:
        tree_reach(&state_of(self)->tree, t->time);
        return walk_end_stretch(self, location, t->time);
    case RECORD_EDGE:
    case RECORD_REQUEST:
        return take_edge(self, location, (const void *)r);
    case RECORD_INIT:
        member_inits(self, location);
        return TCF_OK;
    case RECORD_IDLE:
        return idle_begin(self, location);
    case RECORD_BUSY:
        return idle_over(self, location);
    case RECORD_COME:
        name = n->name;
        return member_comes(self, location, n->time, &name);
    case RECORD_GO:
        name = n->name;
        return member_goes(self, location, &name);
    case RECORD_MEMBER:
        return collect_member(self, (const void *)(r + 1));
    case RECORD_COMPLETE:
        return take_complete(self, (const void *)r);
    default:
        return end_location(self, location, (const void *)r);
    }
}

static tcf_status told(tcf_self *self, uint32_t from, const void *letter)
{
    uint32_t n;
    state_of(self)->nodes = self->host->callpaths(self, &n);
    return gather_told(self, gather_of(self), from, letter);
}

tcf_status centre_begin(tcf_self *self)
{
    gather *g = gather_of(self);
    if (gather_begin(self, g, apply, told) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t l = 0; g->host && !gather_records(g) && l < self->defs->n_locations; l++)
        place_of(self, l)->is_elsewhere = !self->host->has(self, l);
    return TCF_OK;
}

tcf_status centre_pack(tcf_self *self, tcf_pack *pack)
{
    return gather_pack(self, gather_of(self), pack);
}

tcf_status centre_absorb(tcf_self *self, tcf_pack *pack)
{
    return gather_absorb(self, gather_of(self), pack);
}
