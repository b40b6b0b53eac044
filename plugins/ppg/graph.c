/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Follows the calls of each location: visits and own time of call paths, their order, and computation nodes. All is
 * done when a call is left: what the call around it did since its last child is then known. */
#include "ppg.h"

#include <tcflow/times.h>

#include <string.h>

/* The call path of all calls beyond max_callpaths: the node behind the root. */
enum { BEYOND = 1 };

static tcf_status out_of_memory(tcf_self *self)
{
    return self->host->fail(self, "out of memory for the vertices");
}

struct node *graph_node(tcf_self *self, uint32_t callpath)
{
    struct state *st = self->state;
    if (__builtin_expect(callpath >= st->n_nodes, 0) && TCF_GROW_ZEROED(&st->nodes, &st->n_nodes, callpath) != 0) {
        out_of_memory(self);
        return NULL;
    }
    return &st->nodes[callpath];
}

uint32_t graph_spot(tcf_self *self, uint32_t location, uint32_t callpath)
{
    struct state *st = self->state;
    struct cell *c = cell_of(tcf_location_state(self, location), callpath);
    if (c && c->spot > 0)
        return c->spot - 1;
    if (!c || TCF_GROW(&st->spots, &st->spots_capacity, st->n_spots) != 0) {
        out_of_memory(self);
        return NONE;
    }
    st->spots[st->n_spots] = (struct spot){location, callpath};
    c->spot = ++st->n_spots;
    return c->spot - 1;
}

/* --------------------------------------------------------------------------------------------------------- pairs -- */

__attribute__((noinline)) tcf_status graph_pair_of(tcf_self *self, const struct pair *of, struct pair **found)
{
    struct state *st = self->state;
    const uint64_t paths = (uint64_t)of->a << 32 | of->b;
    const uint64_t kind = (uint64_t)of->a_of << 36 | (uint64_t)of->b_of << 8 | of->relation;
    uint32_t i = tcf_map_get(&st->pair_by.index, paths, kind);
    *found = NULL;
    if (i == TCF_MAP_ABSENT && st->pair_by.index.n >= (uint64_t)((const struct conf *)self->conf)->max_edges) {
        st->limits.pairs[of->relation]++;
        return TCF_OK;
    }
    if (i == TCF_MAP_ABSENT) {
        i = KEYED_FIND(&st->pairs, &st->pair_by, paths, kind);
        if (i == TCF_NONE)
            return self->host->fail(self, "out of memory for %u pairs of vertices", st->pair_by.index.n);
        st->pairs[i] = *of;
        st->pairs[i].count = st->pairs[i].bytes = 0;
    }
    *found = &st->pairs[i];
    return TCF_OK;
}

tcf_status graph_pair(tcf_self *self, uint32_t a, uint32_t b, uint32_t relation, uint64_t bytes, uint32_t *memo,
                      uint32_t *memo_pair)
{
    struct state *st = self->state;
    if (*memo != b || *memo_pair == 0) {
        const struct pair of = {.a = a, .b = b, .relation = relation, .a_of = st->domain, .b_of = st->domain};
        struct pair *found;
        if (graph_pair_of(self, &of, &found) != TCF_OK)
            return TCF_ERROR;
        if (!found)
            return TCF_OK;
        *memo = b;
        *memo_pair = (uint32_t)(found - st->pairs) + 1;
    }
    struct pair *p = &st->pairs[*memo_pair - 1];
    p->count++;
    p->bytes = tcf_bytes_sum(p->bytes, bytes);
    return TCF_OK;
}

/* The child of an open call begins. */
static inline tcf_status follow(tcf_self *self, struct open *o, uint32_t child)
{
    struct node *nodes = ((struct state *)self->state)->nodes;
    const uint32_t before = o->last;
    o->last = child;
    if (before > 0)
        return graph_pair(self, before, child, FOLLOWED_BY, 0, &nodes[before].next, &nodes[before].next_pair);
    nodes[child].first++;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------ own time -- */

/* Counts the own time of an open call, which has `own` of it by now. */
static inline tcf_status settle(tcf_self *self, struct place *p, struct open *o, uint32_t callpath, uint64_t own)
{
    const uint64_t more = own - o->counted;
    if (more == 0)
        return TCF_OK;
    o->counted = own;
    struct cell *c = cell_of(p, o->at > 0 ? o->at : callpath);
    if (!c)
        return out_of_memory(self);
    c->time += more;
    if (o->at == 0 || o->begun)
        return TCF_OK;
    o->begun = 1;
    c->visits++;
    return follow(self, o, o->at);
}

/* The call, or the time below all calls, is over. */
static tcf_status close_open(tcf_self *self, struct place *p, struct open *o, uint32_t callpath, uint64_t own)
{
    if (settle(self, p, o, callpath, own) != TCF_OK)
        return TCF_ERROR;
    if (o->last > 0)
        ((struct state *)self->state)->nodes[o->last].last++;
    *o = (struct open){0};
    return TCF_OK;
}

/* Is it what waits_computation() gives in the call path `around`? In a damaged trace calls of the same call path may
 * stand in others than its parent. */
static inline int is_computation_of(const struct state *st, uint32_t node, uint32_t around)
{
    const tcf_callpath *nodes = st->use.waits->nodes;
    return node == around || (nodes[node].parent == around && tcf_is_computation(nodes[node].region));
}

/* A call that communicates is left: from now on another node has the own time of the call around it. */
static tcf_status begin_computation(tcf_self *self, struct open *o, uint32_t around, const waits_call *call)
{
    struct state *st = self->state;
    struct node *x = &st->nodes[call->callpath];
    uint32_t node = x->computation;
    if (node == 0 || call->callpath == BEYOND || !is_computation_of(st, node, around)) {
        node = waits_computation(self, around, call);
        if (node == NONE)
            return TCF_ERROR;
        if (!(x = graph_node(self, node)))
            return TCF_ERROR;
        st->nodes[call->callpath].computation = node;
        const uint32_t region = st->use.waits->nodes[around].region;
        const int is_inner = region < self->defs->n_regions && st->use.waits->communicates[region];
        st->limits.computation += node == around && !is_inner;
    }
    if (o->at > 0 && o->begun) {
        struct node *before = &st->nodes[o->at];
        if (graph_pair(self, o->at, call->callpath, ENDED_BY, 0, &before->ended_by, &before->ended_pair) != TCF_OK)
            return TCF_ERROR;
    }
    o->at = node == around ? 0 : node;
    o->begun = 0;
    return TCF_OK;
}

static inline uint64_t own_of(const struct place *p, uint32_t depth, uint64_t time)
{
    if (depth == 0)
        return time - p->track->first - p->inside;
    const waits_call *c = &p->track->call[depth - 1];
    return time - c->enter - c->inner;
}

/* What the call around does when one inside of it is left. */
static inline tcf_status go_on(tcf_self *self, struct place *p, const waits_call *call, uint64_t time)
{
    const struct state *st = self->state;
    const uint32_t depth = p->track->depth, around = depth > 0 ? p->track->call[depth - 1].callpath : 0;
    const int communicates = call->region < self->defs->n_regions && st->use.waits->communicates[call->region];
    struct open *o = &p->open[depth];
    if ((o->at > 0 || communicates) && settle(self, p, o, around, own_of(p, depth, time)) != TCF_OK)
        return TCF_ERROR;
    if (follow(self, o, call->callpath) != TCF_OK)
        return TCF_ERROR;
    return communicates ? begin_computation(self, o, around, call) : TCF_OK;
}

tcf_status graph_left(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time)
{
    struct place *p = tcf_location_state(self, location);
    const uint32_t depth = p->track->depth;
    if (TCF_GROW_ZEROED(&p->open, &p->n_open, depth + 1u) != 0)
        return out_of_memory(self);
    struct cell *c = cell_of(p, call->callpath);
    if (!c || !graph_node(self, call->callpath))
        return out_of_memory(self);
    if (call->is_bare) { /* a part of the call that is open */
        c->time += time - call->enter;
        return TCF_OK;
    }
    c->visits++;
    if (close_open(self, p, &p->open[depth + 1], call->callpath, time - call->enter - call->inner) != TCF_OK)
        return TCF_ERROR;
    if (depth == 0)
        p->inside += time - call->enter;
    return go_on(self, p, call, time);
}

tcf_status graph_end(tcf_self *self, uint32_t location)
{
    struct place *p = tcf_location_state(self, location);
    if (!p->track->started)
        return TCF_OK;
    if (TCF_GROW_ZEROED(&p->open, &p->n_open, 0) != 0 || !graph_node(self, 0))
        return out_of_memory(self);
    return close_open(self, p, &p->open[0], 0, own_of(p, 0, p->track->last));
}

uint32_t graph_at(const struct place *p)
{
    const uint32_t depth = p->track->depth;
    if (depth < p->n_open && p->open[depth].at > 0)
        return p->open[depth].at;
    return depth > 0 ? p->track->call[depth - 1].callpath : 0;
}
