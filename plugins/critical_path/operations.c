/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collective operations of MPI, of windows and of teams of threads. Each member leaves in its slot when it began and
 * ended. When all members are through, their slots show who waited for whom. */
#include "critical_path.h"

#include <stdlib.h>

enum { HAS_BEGUN = 1, IS_SOURCE = 2, HAS_ENDED = 4, IS_TARGET = 8, IS_NON_BLOCKING = 16 };

/* ---------------------------------------------------------------------------------------------------- operations -- */

static int is_followed(const tcf_self *self, uint8_t class_, uint8_t op)
{
    const struct conf *conf = self->conf;
    if (class_ == TCF_CLASS_SCAN || class_ == TCF_CLASS_EXSCAN)
        return conf->scans;
    return class_ != TCF_CLASS_UNORDERED || op == TCF_OP_FINALIZE;
}

tcf_status member_comes(tcf_self *self, uint32_t location, uint64_t time, uint64_t *name)
{
    if (is_recorded(self))
        return record_named(self, location, RECORD_COME, time, *name);
    const uint32_t t = leave_ticket(self, location, time, IS_ON_ITS_WAY);
    return t == NONE ? TCF_ERROR : ticket_name(self, t, name);
}

tcf_status member_goes(tcf_self *self, uint32_t location, uint64_t *name)
{
    if (is_recorded(self))
        return record_named(self, location, RECORD_GO, 0, *name);
    uint32_t t = ticket_find(self, *name);
    if (t == NONE && ((t = ticket_new(self, IS_ON_ITS_WAY)) == NONE || ticket_name(self, t, name) != TCF_OK))
        return TCF_ERROR;
    const uint32_t q = ask(self, location);
    state_of(self)->open.ticket[t].question = q;
    return q == NONE ? TCF_ERROR : TCF_OK;
}

static tcf_status begin_member(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e, struct member *m)
{
    const int is_source = e->flags & TCF_EDGE_SOURCE;
    m->start = place_of(self, s->location)->start;
    m->begin = s->time[i];
    m->flags |= HAS_BEGUN | (is_source ? IS_SOURCE : 0);
    if (!is_source && e->class_ != TCF_CLASS_N_TO_ONE && e->class_ != TCF_CLASS_UNORDERED)
        return TCF_OK;
    m->ticket = new_name(self, s->location);
    return member_comes(self, s->location, s->time[i], &m->ticket);
}

static tcf_status end_member(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e, struct member *m)
{
    const struct place *k = place_of(self, s->location);
    m->from = k->start;
    m->end = s->time[i];
    m->callpath = k->callpath;
    m->flags |= HAS_ENDED | (e->flags & TCF_EDGE_TARGET ? IS_TARGET : 0);
    if (s->kind[i] == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE)
        m->flags |= IS_NON_BLOCKING;
    if (e->class_ == TCF_CLASS_UNORDERED || e->flags & TCF_EDGE_UNMATCHED || only_tests(self, s->location) ||
        (!(m->flags & IS_TARGET) && (e->class_ != TCF_CLASS_N_TO_ONE || m->flags & IS_NON_BLOCKING)))
        return TCF_OK;
    if (m->ticket == 0)
        m->ticket = new_name(self, s->location);
    return member_goes(self, s->location, &m->ticket);
}

/* The path begins where MPI_Init is entered. */
void member_inits(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    path_drop(self, k->path, 0);
    k->path = NONE;
    k->jumps = 0;
    start_over(k, k->start);
    k->here = 0;
    k->begins = 1;
}

tcf_status member_edge(tcf_self *self, const tcf_slice *s, uint32_t i, const tcf_edge *e)
{
    if (!(e->flags & TCF_EDGE_MEMBER))
        return TCF_OK;
    if (e->class_ == TCF_CLASS_UNORDERED && e->op == TCF_OP_INIT && e->flags & TCF_EDGE_BEGIN) {
        if (!is_recorded(self))
            member_inits(self, s->location);
        else if (record_named(self, s->location, RECORD_INIT, 0, 0) != TCF_OK)
            return TCF_ERROR;
    }
    struct member *m = is_followed(self, e->class_, e->op) ? self->host->payload(self, e) : NULL;
    if (!m)
        return TCF_OK;
    m->location = s->location;
    return e->flags & TCF_EDGE_BEGIN ? begin_member(self, s, i, e, m) : end_member(self, s, i, e, m);
}

/* ----------------------------------------------------------------------------------------------- all are through -- */

/* An instance with its members, and what their tickets held. */
struct operation {
    tcf_self *self;
    const tcf_collective *in;
    struct pending *of;
};

static const struct member *member_at(const tcf_collective *in, uint32_t i)
{
    return (const struct member *)(const void *)(in->members + i * in->stride);
}

/* The last and the last but one of some members to get there. NONE: there is none. */
struct last_two {
    uint32_t first, second;
};

static int came_later(const tcf_collective *in, uint32_t a, uint32_t b)
{
    if (b == NONE)
        return 1;
    const struct member *x = member_at(in, a), *y = member_at(in, b);
    return x->start != y->start ? x->start > y->start : x->location < y->location;
}

static void add_source(const tcf_collective *in, struct last_two *last, uint32_t i)
{
    if (came_later(in, i, last->first)) {
        last->second = last->first;
        last->first = i;
    } else if (came_later(in, i, last->second)) {
        last->second = i;
    }
}

/* The location that member i waited for; node NONE: nobody. Held. */
static struct cause cause_of(const struct operation *o, uint32_t i, uint32_t last)
{
    struct cause c = {.node = NONE};
    if (last == NONE)
        return c;
    c = o->of[last].at;
    if (c.node == NONE)
        state_of(o->self)->open.not_followed++;
    path_hold(&state_of(o->self)->tree, c.node);
    if (o->of[last].at.location == member_at(o->in, i)->location) {
        path_drop(o->self, c.node, 0);
        c.node = NONE;
    }
    return c;
}

/* Answers member i. `last` is the last of the members that it depends on. */
static tcf_status tell(const struct operation *o, uint32_t i, uint32_t last, uint32_t synchronized_by)
{
    struct state *st = state_of(o->self);
    const struct member *m = member_at(o->in, i);
    const int is_thread = o->in->class_ == TCF_CLASS_OMP_BARRIER;
    if (!(m->flags & HAS_ENDED) || !(m->flags & IS_TARGET))
        last = NONE;
    if (last != NONE && count(st, is_thread ? THREADS : COLLECTIVES, member_at(o->in, last)->begin, m->end))
        last = NONE;
    if (o->of[i].question == NONE)
        return TCF_OK;
    const struct cause c = cause_of(o, i, synchronized_by != NONE ? synchronized_by : last);
    return answer(o->self, o->of[i].question, &c);
}

/* A reduction that no member leaves before all have entered synchronizes: all wait for the last member, as in an
 * operation from all to all. Returns that member, or NONE. */
static uint32_t synchronizes(const tcf_collective *in, int inter)
{
    struct last_two last = {NONE, NONE};
    uint64_t first_end = UINT64_MAX;
    if (in->class_ != TCF_CLASS_N_TO_ONE || inter)
        return NONE;
    for (uint32_t i = 0; i < in->n_members; i++) {
        const struct member *m = member_at(in, i);
        if (m->flags & IS_NON_BLOCKING || !(m->flags & HAS_ENDED))
            return NONE;
        first_end = m->end < first_end ? m->end : first_end;
        if (m->flags & HAS_BEGUN && m->flags & (IS_SOURCE | IS_TARGET))
            add_source(in, &last, i);
    }
    return last.first != NONE && member_at(in, last.first)->start < first_end ? last.first : NONE;
}

static tcf_status all_to_some(const struct operation *o)
{
    const tcf_collective *in = o->in;
    const tcf_comm *comm = tcf_comm_at(o->self->defs, in->comm);
    const uint32_t by = synchronizes(in, comm->inter);
    struct last_two last[2] = {{NONE, NONE}, {NONE, NONE}};
    for (uint32_t i = 0; i < in->n_members; i++)
        if (member_at(in, i)->flags & HAS_BEGUN && member_at(in, i)->flags & IS_SOURCE)
            add_source(in, &last[comm->inter && i >= comm->size], i);
    for (uint32_t i = 0; i < in->n_members; i++) {
        const struct last_two *l = &last[comm->inter && i < comm->size];
        if (tell(o, i, l->first == i ? l->second : l->first, by) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}

static tcf_status lower_to_higher(const struct operation *o)
{
    struct last_two below = {NONE, NONE};
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        if (tell(o, i, below.first, NONE) != TCF_OK)
            return TCF_ERROR;
        if (member_at(o->in, i)->flags & HAS_BEGUN && member_at(o->in, i)->flags & IS_SOURCE)
            add_source(o->in, &below, i);
    }
    return TCF_OK;
}

/* Where some members never came, it is unknown who waited for them. */
static tcf_status tell_nobody(const struct operation *o)
{
    const struct cause nobody = {.node = NONE};
    for (uint32_t i = 0; i < o->in->n_members; i++)
        if (o->of[i].question != NONE && answer(o->self, o->of[i].question, &nobody) != TCF_OK)
            return TCF_ERROR;
    return TCF_OK;
}

/* The path ends where the last process enters MPI_Finalize. The other processes wait for it. */
static tcf_status finalize(const struct operation *o)
{
    struct state *st = state_of(o->self);
    uint32_t last = NONE;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const struct member *m = member_at(o->in, i);
        if (m->flags & HAS_BEGUN && (last == NONE || m->start > member_at(o->in, last)->start))
            last = i;
    }
    if (last == NONE)
        return TCF_OK;
    const uint64_t latest = member_at(o->in, last)->start;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const struct member *m = member_at(o->in, i);
        const uint64_t until = latest < m->end ? latest : m->end;
        const uint32_t callpath = gather_callpath(o->self, gather_of(o->self), m->location, m->callpath);
        struct cell *c = m->flags & HAS_ENDED ? cell_of(o->self, place_of(o->self, m->location), callpath) : NULL;
        if (m->flags & HAS_ENDED && !c)
            return TCF_ERROR;
        if (c && until > m->from)
            c->waited += until - m->from;
    }
    if (o->of[last].at.node == NONE || (st->finalize.node != NONE && st->finalize.time >= latest))
        return TCF_OK;
    path_drop(o->self, st->finalize.node, 0);
    st->finalize = o->of[last].at;
    path_hold(&st->tree, st->finalize.node);
    return TCF_OK;
}

/* Takes what the tickets of all members hold, because answers may drop tickets. */
static void collect(const struct operation *o)
{
    struct open *open = &state_of(o->self)->open;
    for (uint32_t i = 0; i < o->in->n_members; i++) {
        const uint32_t t = ticket_find(o->self, member_at(o->in, i)->ticket);
        o->of[i] = (struct pending){.at = {.node = NONE, .location = NONE}, .question = NONE};
        if (t == NONE)
            continue;
        o->of[i] = (struct pending){.at = open->ticket[t].at, .question = open->ticket[t].question};
        ticket_free(o->self, t);
    }
}

tcf_status complete(tcf_self *self, const tcf_collective *in)
{
    struct open *open = &state_of(self)->open;
    if (!is_followed(self, in->class_, in->op))
        return TCF_OK;
    if (is_recorded(self))
        return record_complete(self, in);
    if (in->n_members > open->pending_capacity) {
        struct pending *grown = realloc(open->pending, in->n_members * sizeof *grown);
        if (!grown)
            return self->host->fail(self, "out of memory for an operation with %u members", in->n_members);
        open->pending = grown;
        open->pending_capacity = in->n_members;
    }
    const struct operation o = {.self = self, .in = in, .of = open->pending};
    collect(&o);
    tcf_status status = TCF_OK;
    if (in->n_arrived < in->n_members)
        status = tell_nobody(&o);
    else if (in->class_ == TCF_CLASS_UNORDERED)
        status = finalize(&o);
    else if (in->class_ == TCF_CLASS_SCAN || in->class_ == TCF_CLASS_EXSCAN)
        status = lower_to_higher(&o);
    else
        status = all_to_some(&o);
    for (uint32_t i = 0; i < in->n_members; i++)
        path_drop(self, o.of[i].at.node, 0);
    return status;
}
