/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages by channel: how many are on their way, how many are known to be lost.
 *
 * That a send stays without receive shows only at the end, so every send counts up its channel and its receive counts
 * it down; receives may be counted first. The table grows to a cap; before it grows, channels on which everything has
 * arrived are removed. Messages on channels without a place are counted together, so the totals stay right. */
#include "check.h"

#include <tcflow/grow.h>

enum { SMALLEST = 512 };

void channels_free(struct channels *t)
{
    free(t->at);
    free(t->hints);
    tcf_map_free(&t->of);
}

static uint64_t what_of(const struct channel *c)
{
    return (uint64_t)c->key.comm << 32 | c->key.tag;
}

static uint64_t ends_of(const struct channel *c)
{
    return (uint64_t)c->key.sender << 32 | c->key.receiver;
}

static int settled(const struct channel *c)
{
    return c->open == 0 && c->lost_sends == 0 && c->lost_receives == 0;
}

/* Makes room: removes settled channels, and lets the table grow, as what is settled mostly comes again. 0: it stays
 * full. */
static int make_room(struct channels *t)
{
    const int is_largest = t->room == t->most;
    const uint32_t before = t->n;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < before; i++) {
        const struct channel c = t->at[i];
        tcf_map_remove(&t->of, what_of(&c), ends_of(&c));
        if (settled(&c))
            continue;
        tcf_map_put(&t->of, what_of(&c), ends_of(&c), kept); /* needs no memory: one place has become free */
        t->at[kept++] = c;
    }
    t->n = kept;
    t->room = 2 * before < SMALLEST ? SMALLEST : 2 * before < t->most ? 2 * before : t->most;
    if (!is_largest || kept < t->most / 4 * 3)
        return 1;
    t->patience = t->most / 4; /* sweeping again and again would cost more than it brings */
    return 0;
}

/* The channel of a message, made when it is new; NULL: the table is full. */
static struct channel *find(struct channels *t, const struct channel *c)
{
    const uint32_t found = tcf_map_get(&t->of, what_of(c), ends_of(c));
    if (found != TCF_MAP_ABSENT)
        return &t->at[found];
    if (t->n >= t->room && ((t->patience > 0 && t->patience--) || !make_room(t)))
        return NULL;
    if (TCF_GROW(&t->at, &t->capacity, t->n) != 0 || tcf_map_put(&t->of, what_of(c), ends_of(c), t->n) != 0) {
        t->out_of_memory = 1;
        return NULL;
    }
    t->at[t->n] = *c;
    return &t->at[t->n++];
}

/* The same with what is known of the edge. Keys are compared, so a hint that is wrong does no harm. */
static struct channel *find_of_edge(struct channels *t, const struct channel *c, uint32_t edge_channel)
{
    const uint32_t hint = edge_channel < t->n_hints ? t->hints[edge_channel] : t->n;
    if (hint < t->n && what_of(&t->at[hint]) == what_of(c) && ends_of(&t->at[hint]) == ends_of(c))
        return &t->at[hint];
    struct channel *found = find(t, c);
    if (!found || edge_channel == TCF_NONE)
        return found;
    if (edge_channel >= t->n_hints) {
        if (TCF_GROW(&t->hints, &t->hints_capacity, edge_channel) != 0)
            return found; /* it works without */
        while (t->n_hints <= edge_channel)
            t->hints[t->n_hints++] = UINT32_MAX;
    }
    t->hints[edge_channel] = (uint32_t)(found - t->at);
    return found;
}

void channels_count(struct channels *t, const struct channel *c, uint32_t edge_channel, int by)
{
    struct channel *found = find_of_edge(t, c, edge_channel);
    if (found) {
        found->open += by;
        return;
    }
    t->turned_down++;
    t->other_open += by;
}

void channels_lost(struct channels *t, const struct channel *c, int sent)
{
    struct channel *found = find(t, c);
    if (!found) {
        t->other_open -= sent ? 1 : -1;
        t->other_sends += sent != 0;
        t->other_receives += !sent;
        return;
    }
    found->open -= sent ? 1 : -1;
    found->lost_sends += sent != 0;
    found->lost_receives += !sent;
}

void channels_add(struct channels *t, const struct channel *c)
{
    struct channel empty = *c, *found;
    empty.open = 0;
    empty.lost_sends = empty.lost_receives = 0;
    if ((found = find(t, &empty))) {
        found->open += c->open;
        found->lost_sends += c->lost_sends;
        found->lost_receives += c->lost_receives;
        return;
    }
    t->turned_down += (uint64_t)(c->open < 0 ? -c->open : c->open);
    t->other_open += c->open;
    t->other_sends += c->lost_sends;
    t->other_receives += c->lost_receives;
}

uint64_t channels_lost_sends(const struct channels *t)
{
    int64_t lost = t->other_open + (int64_t)t->other_sends;
    for (uint32_t i = 0; i < t->n; i++)
        lost += t->at[i].open + (int64_t)t->at[i].lost_sends;
    return lost > 0 ? (uint64_t)lost : 0;
}

uint64_t channels_lost_receives(const struct channels *t)
{
    uint64_t lost = t->other_receives;
    for (uint32_t i = 0; i < t->n; i++)
        lost += t->at[i].lost_receives;
    return lost;
}
