/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The matches in a window. Scheduler and exchange rely on edges whose class and channel go together, on canonical
 * communicators, and on ranks of members; all of that is checked here. */
#include "framework/base/error.h"
#include "framework/trace/membership.h"
#include "stream_internal.h"

#include <tcflow/grow.h>

static uint32_t get_optional(tcf_cursor *c)
{
    return (uint32_t)tcf_get_most(c, (uint64_t)UINT32_MAX + 1) - 1u; /* 0: TCF_NONE */
}

/* May an edge of this class have a channel of this type? */
static int goes_with(uint8_t class_, uint8_t type)
{
    switch (class_) {
    case TCF_CLASS_P2P:
        return type == TCF_CHANNEL_MESSAGE;
    case TCF_CLASS_THREAD_CREATE:
        return type == TCF_CHANNEL_THREAD;
    case TCF_CLASS_THREAD_WAIT:
        return type == TCF_CHANNEL_THREAD_END;
    case TCF_CLASS_LOCK:
        return type == TCF_CHANNEL_LOCK;
    case TCF_CLASS_FORK:
    case TCF_CLASS_JOIN:
        return type == TCF_CHANNEL_TEAM;
    case TCF_CLASS_OMP_BARRIER:
        return type == TCF_CHANNEL_BARRIER;
    case TCF_CLASS_UNORDERED:
        return type == TCF_CHANNEL_COLLECTIVE || type == TCF_CHANNEL_RMA || type == TCF_CHANNEL_PROGRAM;
    case TCF_CLASS_NONE:
    case TCF_CLASS_RMA:
        return 0;
    default:
        return type == TCF_CHANNEL_COLLECTIVE || type == TCF_CHANNEL_RMA;
    }
}

static int is_canonical(const tcf_definitions *defs, uint32_t comm)
{
    return comm < defs->n_comms && defs->comms[comm].canonical == comm;
}

static int is_member(const tcf_comm *c, const prematched_kind *k)
{
    uint32_t size = c->self ? 1 : c->inter && k->side & 1 ? c->remote_size : c->size;
    return k->rank < size;
}

static int good_channel(const tcf_definitions *defs, const prematched_kind *k)
{
    const tcf_channel *c = &k->channel;

    if (!goes_with(k->class_, c->type))
        return 0;
    switch (c->type) {
    case TCF_CHANNEL_MESSAGE:
        return is_canonical(defs, c->comm) && c->a < defs->n_locations && c->b < defs->n_locations &&
               (k->peer == TCF_NONE || k->peer < defs->n_locations);
    case TCF_CHANNEL_THREAD:
    case TCF_CHANNEL_THREAD_END:
    case TCF_CHANNEL_LOCK:
        return k->peer == TCF_NONE || k->peer < defs->n_comms;
    case TCF_CHANNEL_RMA: /* an instance has the size of the window's communicator */
        return c->comm < defs->n_rma_wins && is_canonical(defs, k->peer) &&
               defs->rma_wins[c->comm].comm < defs->n_comms &&
               defs->comms[defs->rma_wins[c->comm].comm].canonical == k->peer &&
               (k->rank == TCF_NONE || is_member(&defs->comms[k->peer], k));
    default:
        return is_canonical(defs, c->comm) && (k->peer == TCF_NONE || k->peer < defs->n_comms) &&
               (k->rank == TCF_NONE || is_member(&defs->comms[c->comm], k));
    }
}

static int get_kind(const tcf_definitions *defs, tcf_cursor *c, prematched_kind *k)
{
    memset(k, 0, sizeof *k);
    k->class_ = tcf_get_u8(c);
    k->op = tcf_get_u8(c);
    k->side = tcf_get_u8(c);
    k->channel.type = tcf_get_u8(c);
    k->rank = get_optional(c);
    k->peer = get_optional(c);
    k->matched = k->channel.type != UINT8_MAX;
    if (c->bad || k->class_ >= TCF_CLASSES || k->side > TCF_STREAM_SIDE)
        return 0;
    if (!k->matched)
        return k->peer == TCF_NONE || k->peer < (k->class_ == TCF_CLASS_P2P ? defs->n_locations : defs->n_comms);
    k->channel.comm = get_optional(c);
    k->channel.a = (uint32_t)tcf_get_most(c, UINT32_MAX);
    k->channel.b = (uint32_t)tcf_get_most(c, UINT32_MAX);
    k->channel.tag = (uint32_t)tcf_get_most(c, UINT32_MAX);
    return !c->bad && good_channel(defs, k);
}

/* -------------------------------------------------------------------------------------------------------- window -- */

tcf_status stream_read_kinds(stream_source *src, frame *f)
{
    window *w = &f->window;
    tcf_cursor *c = &w->edges;

    if (!src->options.edges)
        *c = (tcf_cursor){.at = c->end, .end = c->end};
    if (tcf_left(c) == 0)
        return TCF_OK;
    w->n_kinds = (uint32_t)tcf_get_most(c, UINT32_MAX);
    w->n_edges = (uint32_t)tcf_get_most(c, UINT32_MAX);
    if (c->bad || w->n_kinds > tcf_left(c) || w->n_edges > tcf_left(c) / 4)
        return stream_bad(src, f, "more edges than there is room for");
    return TCF_OK;
}

static int room_for_kinds(frame *f, uint32_t n)
{
    if (n <= f->kinds_capacity)
        return 1;
    prematched_kind *kinds = realloc(f->kinds, n * sizeof *kinds);
    if (kinds)
        f->kinds = kinds;
    uint64_t *last = realloc(f->last_number, n * sizeof *last);
    if (last)
        f->last_number = last;
    f->kinds_capacity = kinds && last ? n : f->kinds_capacity;
    return kinds && last;
}

/* The kinds of a window precede its edges; they are read with its first events. */
static tcf_status take_kinds(stream_source *src, frame *f)
{
    window *w = &f->window;

    if (!room_for_kinds(f, w->n_kinds))
        return error_fail("out of memory for the edges of a window");
    for (uint32_t i = 0; i < w->n_kinds; i++) {
        if (!get_kind(&src->defs->v, &w->edges, &f->kinds[i]))
            return stream_bad(src, f, "an edge that cannot be");
        f->last_number[i] = 0;
    }
    return TCF_OK;
}

/* Only an edge of an instance may begin one, or be a member of one. */
static int flags_go_with(uint8_t flags, uint8_t class_)
{
    const tcf_edge e = {.class_ = class_};
    return !(flags & (TCF_EDGE_MEMBER | TCF_EDGE_BEGIN)) || !tcf_is_message(&e);
}

/* Positions ascend; only a tombstone (TCF_EDGE_GONE) may stand behind the last event. */
static int get_edge(frame *f, uint64_t pos, prematched_edge *e)
{
    const window *w = &f->window;
    tcf_cursor *c = &f->window.edges;

    e->kind = (uint32_t)tcf_get_most(c, w->n_kinds - 1u);
    e->flags = tcf_get_u8(c);
    if (c->bad)
        return 0;
    e->number = f->last_number[e->kind] += (uint64_t)tcf_unzigzag(tcf_get_varint(c));
    e->pos = (uint32_t)pos;
    return !c->bad && flags_go_with(e->flags, f->kinds[e->kind].class_) && e->number != UINT64_MAX &&
           (pos < w->n || (pos == w->n && e->flags & TCF_EDGE_GONE));
}

static prematched_edge *room_for_edge(stream_source *src)
{
    if (TCF_GROW(&src->edges, &src->edges_capacity, src->kept.n_edges) != 0)
        return NULL;
    return &src->edges[src->kept.n_edges++];
}

/* The event of the next edge, without reading it; UINT64_MAX: it is bad. */
static uint64_t next_position(const window *w)
{
    tcf_cursor ahead = w->edges;
    uint64_t step = tcf_get_varint(&ahead);
    return ahead.bad || step > w->n ? UINT64_MAX : w->last_pos + step;
}

/* Appends the window's kinds to those of earlier windows of the slice. */
static tcf_status append_kinds(stream_source *src, const frame *f)
{
    uint32_t n = src->kept.n_kinds + f->window.n_kinds;

    if (n > 0 && TCF_GROW(&src->kinds, &src->kinds_capacity, n - 1) != 0)
        return error_fail("out of memory for the edges of a window");
    memcpy(src->kinds + src->kept.n_kinds, f->kinds, f->window.n_kinds * sizeof *f->kinds);
    src->kept.n_kinds = n;
    return TCF_OK;
}

tcf_status stream_read_edges(stream_source *src, frame *f, uint32_t from, uint32_t to, uint32_t at)
{
    window *w = &f->window;
    uint32_t kinds_before = src->kept.n_kinds;

    src->last_frame = f;
    if (w->n_edges == 0)
        return TCF_OK;
    if ((from == 0 && take_kinds(src, f) != TCF_OK) || (w->n_kinds > 0 && append_kinds(src, f) != TCF_OK))
        return TCF_ERROR;
    while (w->edges_done < w->n_edges) {
        uint64_t pos = next_position(w);
        if (pos != UINT64_MAX && pos >= to && to < w->n)
            break;
        prematched_edge *e = room_for_edge(src);
        if (!e)
            return error_fail("out of memory for the edges of a window");
        (void)tcf_get_varint(&w->edges);
        if (pos == UINT64_MAX || w->n_kinds == 0 || !get_edge(f, pos, e))
            return stream_bad(src, f, "an edge that cannot be");
        w->last_pos = (uint32_t)pos;
        e->pos = at + (e->pos - from);
        e->kind += kinds_before;
        w->edges_done++;
    }
    src->kept.kinds = src->kinds;
    src->kept.edges = src->edges;
    return TCF_OK;
}
