/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The table of channels, and the number of collectives of each member on each channel. */
#include "match_internal.h"

#include <tcflow/grow.h>

enum { KEPT_A_LOCATION = 4 };

static void channel_key(const channel *c, uint64_t *a, uint64_t *b)
{
    *a = (uint64_t)c->type << 60 | (uint64_t)(c->comm & 0x0fffffff) << 32 | c->tag;
    *b = (uint64_t)c->a << 32 | c->b;
}

/* A channel can be forgotten when it has as many sends as receives and nothing open on it. When the trace comes to it
 * again it gets a new entry, whose numbers begin behind all numbers of forgotten channels (m->numbers): a later process
 * may still work on messages that have the old numbers. */
static int forgettable(const channel *c)
{
    int counted_by_member = c->type >= TCF_CHANNEL_COLLECTIVE && c->type <= TCF_CHANNEL_PROGRAM;
    return c->open == 0 && !counted_by_member && c->sends == c->receives && c->type != UINT8_MAX;
}

static uint32_t forget_channels(matcher *m)
{
    uint32_t forgotten = 0;
    for (uint32_t i = 0; i < m->n_channels; i++) {
        channel *c = &m->channels[i];
        if (!forgettable(c))
            continue;
        uint64_t a, b;
        channel_key(c, &a, &b);
        map_remove(&m->channel_of, a, b);
        m->numbers = c->sends > m->numbers ? c->sends : m->numbers;
        c->type = UINT8_MAX;
        c->a = m->free_channel;
        m->free_channel = i;
        forgotten++;
    }
    return forgotten;
}

/* Makes room for more channels, up to the cap. */
static void grow_channels(matcher *m)
{
    uint32_t capacity = m->channels_capacity ? m->channels_capacity * 2 : 1024;
    if (capacity > m->options.max_channels)
        capacity = m->options.max_channels;
    if (capacity <= m->channels_capacity)
        return;
    channel *grown = realloc(m->channels, capacity * sizeof *grown);
    if (!grown) {
        m->out_of_memory = 1;
        return;
    }
    m->channels = grown;
    m->channels_capacity = capacity;
}

/* A program that communicates with the same partners again and again keeps its channels: for so many a location the
 * table grows. Then channels are forgotten. The search for them takes time in proportion to the table. Where it finds
 * fewer than a quarter of the channels the table grows; at the cap the next search waits until an eighth as many
 * channels were turned down. */
static uint32_t new_channel(matcher *m)
{
    if (m->free_channel == TCF_NONE && m->n_channels == m->channels_capacity) {
        if (m->turned_down > 0 && --m->turned_down > 0)
            return TCF_NONE;
        if (m->n_channels < (uint64_t)KEPT_A_LOCATION * m->defs->n_locations)
            grow_channels(m);
        if (m->n_channels == m->channels_capacity && (forget_channels(m) < m->n_channels / 4 || m->n_channels == 0))
            grow_channels(m);
        if (m->free_channel == TCF_NONE && m->n_channels == m->channels_capacity) {
            m->turned_down = m->n_channels / 8;
            return TCF_NONE;
        }
    }
    uint32_t i = m->free_channel;
    if (i != TCF_NONE) {
        m->free_channel = m->channels[i].a;
        return i;
    }
    return m->n_channels++;
}

/* Is the other side of the channel in another domain? */
static int leads_elsewhere(const matcher *m, const tcf_channel *of)
{
    const letters *x = m->options.letters;
    return x && (of->type == TCF_CHANNEL_MESSAGE || of->type == TCF_CHANNEL_POST) && x->of[of->a] != x->of[of->b];
}

/* Index of the channel, made when it is new; TCF_NONE: the table is full, or m->out_of_memory. */
uint32_t match_get_channel(matcher *m, tcf_channel of)
{
    channel key = {.comm = of.comm, .a = of.a, .b = of.b, .tag = of.tag, .type = of.type};
    uint64_t k, l;
    channel_key(&key, &k, &l);
    uint32_t i = map_get(&m->channel_of, k, l);
    if (i != MAP_ABSENT)
        return i;
    i = new_channel(m);
    if (i == TCF_NONE) {
        m->counts.channels_full++;
        return TCF_NONE;
    }
    if (map_put(&m->channel_of, k, l, i) != 0) {
        m->out_of_memory = 1;
        return TCF_NONE;
    }
    m->channels[i] = key;
    if (leads_elsewhere(m, &of))
        m->channels[i].open++; /* never forgotten: the other side counts from 0 on */
    else if (of.type == TCF_CHANNEL_MESSAGE || of.type >= TCF_CHANNEL_THREAD)
        m->channels[i].sends = m->channels[i].receives = m->numbers;
    return i;
}

uint32_t matcher_find_channel(matcher *m, tcf_channel of, int *failed)
{
    const uint32_t found = match_get_channel(m, of);
    *failed = m->out_of_memory;
    return found;
}

/* Counts of a new entry begin behind those of forgotten channels: where `sends` is 0 the channel never had a send. */
static match_distrust distrust_of(const uint32_t *dead_receives, const channel *c)
{
    if (c->type != TCF_CHANNEL_MESSAGE)
        return TRUSTED;
    if (c->sends == 0)
        return c->receives > 0 ? NO_SEND : TRUSTED;
    return c->sends != c->receives && dead_receives[c->b] > 0 ? PAIRS_UNKNOWN : TRUSTED;
}

match_distrusted *matcher_distrusted(const matcher *m, uint32_t *n)
{
    *n = 0;
    for (uint32_t i = 0; i < m->n_channels; i++)
        *n += distrust_of(m->dead_receives, &m->channels[i]) != TRUSTED;
    match_distrusted *rows = *n > 0 ? malloc(*n * sizeof *rows) : NULL, *next = rows;
    for (uint32_t i = 0; rows && i < m->n_channels; i++) {
        const channel *c = &m->channels[i];
        match_distrust why = distrust_of(m->dead_receives, c);
        if (why != TRUSTED)
            *next++ = (match_distrusted){c->comm, c->a, c->b, c->tag, why};
    }
    return rows;
}

match_channels matcher_known_channels(const matcher *m)
{
    return (match_channels){m->channels, m->n_channels, m->dead_receives};
}

/* A channel between domains has its sends in the domain of the sender, and its receives in that of the receiver. */
tcf_status matcher_add_channels(matcher *m, const match_channels *of)
{
    m->options.max_channels = UINT32_MAX; /* no event is matched any more; each domain has had its cap */
    for (uint32_t l = 0; l < m->defs->n_locations; l++)
        m->dead_receives[l] += of->dead_receives[l];
    for (uint32_t i = 0; i < of->n; i++) {
        const channel *c = &of->channels[i];
        const tcf_channel key = {.type = c->type, .comm = c->comm, .a = c->a, .b = c->b, .tag = c->tag};
        const int is_split = c->type == TCF_CHANNEL_MESSAGE && leads_elsewhere(m, &key);
        if (!is_split && distrust_of(of->dead_receives, c) == TRUSTED)
            continue;
        const uint32_t mine = match_get_channel(m, key);
        if (mine == TCF_NONE || m->out_of_memory)
            return match_out_of_memory();
        m->channels[mine].sends = (is_split ? m->channels[mine].sends : 0) + c->sends;
        m->channels[mine].receives = (is_split ? m->channels[mine].receives : 0) + c->receives;
    }
    return TCF_OK;
}

tcf_status matcher_distrust(matcher *m, const match_distrusted *rows, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        const match_distrusted *row = &rows[i];
        uint32_t c =
            match_get_channel(m, (tcf_channel){TCF_CHANNEL_MESSAGE, row->comm, row->sender, row->receiver, row->tag});
        if (m->out_of_memory)
            return match_out_of_memory();
        if (c == TCF_NONE)
            return error_fail("the table of channels has no room for those that are not trusted: raise max_channels");
        m->channels[c].distrust = (uint8_t)row->why;
        m->channels[c].open++; /* never forgotten */
    }
    return TCF_OK;
}

/* NULL: m->out_of_memory. */
uint64_t *match_member_count(matcher *m, uint32_t channel_index, uint32_t member)
{
    uint32_t i = map_get(&m->count_of, channel_index, member);
    if (i != MAP_ABSENT)
        return &m->counts_at[i];
    if (TCF_GROW(&m->counts_at, &m->counts_capacity, m->n_counts) != 0 ||
        map_put(&m->count_of, channel_index, member, m->n_counts) != 0) {
        m->out_of_memory = 1;
        return NULL;
    }
    m->counts_at[m->n_counts] = 0;
    return &m->counts_at[m->n_counts++];
}

uint64_t *match_collective_count(matcher *m, uint32_t location, uint32_t channel_index)
{
    recent_collective *r = &m->locations[location].collective;
    if (r->channel == channel_index && r->count != TCF_NONE)
        return &m->counts_at[r->count];
    const channel *c = &m->channels[channel_index];
    uint32_t comm = c->type == TCF_CHANNEL_RMA ? canonical(m, m->defs->rma_wins[c->comm].comm) : c->comm;
    uint64_t *count = match_member_count(m, channel_index, membership_member(m->members, comm, location));
    if (count && r->channel == channel_index)
        r->count = (uint32_t)(count - m->counts_at);
    return count;
}
