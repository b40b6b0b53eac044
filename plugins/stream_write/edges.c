/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: packs the edges of a window. They share a few kinds (class, channel, peer and the like), which are
 * packed once. An edge is packed as its position, its kind, its flags, and its number, which is one more than the
 * last of its kind in most cases. */
#include "stream_write.h"

/* Packs an edge without its position, flags and number. TCF_NONE is packed as 0. */
static void pack_kind(tcf_pack *p, const tcf_edge *e, int matched, const tcf_channel *c)
{
    tcf_pack_u8(p, e->class_);
    tcf_pack_u8(p, e->op);
    tcf_pack_u8(p, e->side & TCF_STREAM_SIDE);
    tcf_pack_u8(p, matched ? c->type : UINT8_MAX);
    tcf_pack_varint(p, e->rank + 1u);
    tcf_pack_varint(p, e->peer + 1u);
    if (!matched)
        return;
    tcf_pack_varint(p, c->comm + 1u);
    tcf_pack_varint(p, c->a);
    tcf_pack_varint(p, c->b);
    tcf_pack_varint(p, c->tag);
}

/* Two numbers that distinguish a kind from all others of the location. */
static void key_of(const tcf_edge *e, uint64_t *a, uint64_t *b)
{
    *a = (uint64_t)e->channel << 32 | e->peer;
    *b = (uint64_t)e->rank << 32 | (uint32_t)e->class_ << 16 | (uint32_t)e->op << 8 | (e->side & TCF_STREAM_SIDE);
}

/* The number of the edge's kind in this window. A new kind is packed into `kinds`. TCF_NONE: out of memory. */
static uint32_t kind_of(tcf_self *self, tcf_pack *kinds, const tcf_edge *e)
{
    struct state *state = self->state;
    uint64_t a, b;
    tcf_channel channel;

    key_of(e, &a, &b);
    const uint32_t before = state->by.index.n, number = KEYED_FIND(&state->last_number, &state->by, a, b);
    if (number == before)
        pack_kind(kinds, e, stream_host(self)->channel(self, e, &channel), &channel);
    return number;
}

static void forget_kinds(struct state *state)
{
    tcf_map *kinds = &state->by.index;
    if (kinds->n > 1024) { /* clearing a large map for few entries would cost more than a new one */
        tcf_map_free(kinds);
    } else if (kinds->entries) {
        for (uint32_t i = 0; i <= kinds->mask; i++)
            kinds->entries[i].value = TCF_MAP_ABSENT;
        kinds->n = 0;
    }
}

/* hot */
tcf_status pack_edges(tcf_self *self, tcf_pack *p, const tcf_slice *s)
{
    struct state *state = self->state;
    tcf_pack *kinds = &state->kinds;
    uint32_t last_pos = 0;

    forget_kinds(state);
    kinds->n = 0;
    state->list.n = 0;
    for (uint32_t k = 0; k < s->n_edges; k++) {
        const tcf_edge *e = &s->edges[k];
        uint32_t kind = kind_of(self, kinds, e);
        uint8_t *at = tcf_pack_room(&state->list, 1 + 3 * TCF_VARINT_MOST);
        if (kind == TCF_NONE || !at)
            return self->host->fail(self, "out of memory for the edges of a window");
        at = tcf_put_varint(at, e->pos - last_pos);
        at = tcf_put_varint(at, kind);
        *at++ = e->flags;
        at = tcf_put_varint(at, tcf_zigzag((int64_t)(e->number - state->last_number[kind])));
        state->list.n = (size_t)(at - state->list.at);
        state->last_number[kind] = e->number;
        last_pos = e->pos;
    }
    if (kinds->failed)
        return self->host->fail(self, "out of memory for the edges of a window");
    size_t block = block_begin(p, TCF_BLOCK_EDGES);
    tcf_pack_varint(p, state->by.index.n);
    tcf_pack_varint(p, s->n_edges);
    tcf_pack_bytes(p, kinds->at, kinds->n);
    tcf_pack_bytes(p, state->list.at, state->list.n);
    block_end(p, block);
    return TCF_OK;
}
