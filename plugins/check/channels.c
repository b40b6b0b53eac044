/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages by channel: how many are on their way, how many are known to be lost.
 *
 * That a send stays without receive shows only at the end, so every send counts up its channel and its receive counts
 * it down; receives may be counted first. The table grows to a cap; before it grows, channels on which everything has
 * arrived are forgotten. What finds no place is counted together, so the totals stay right. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 1024 };

int channels_init(struct channels *t, uint32_t most)
{
    *t = (struct channels){.capacity = SMALLEST, .most = most};
    t->at = calloc(t->capacity, sizeof *t->at);
    return t->at ? 0 : -1;
}

void channels_free(struct channels *t)
{
    free(t->at);
    t->at = NULL;
}

static uint32_t hash(const struct channel_key *k)
{
    uint64_t h = ((uint64_t)k->comm << 32 | k->tag) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 29 ^ ((uint64_t)k->sender << 32 | k->receiver)) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)(h >> 32);
}

static int same(const struct channel_key *a, const struct channel_key *b)
{
    return a->comm == b->comm && a->tag == b->tag && a->sender == b->sender && a->receiver == b->receiver;
}

/* The place of a channel, or the free one where it belongs. */
static struct channel *place(const struct channels *t, const struct channel_key *key)
{
    uint32_t i = hash(key) & (t->capacity - 1);
    while (t->at[i].used && !same(&t->at[i].key, key))
        i = (i + 1) & (t->capacity - 1);
    return &t->at[i];
}

static int settled(const struct channel *c)
{
    return c->open == 0 && c->lost_sends == 0 && c->lost_receives == 0;
}

/* Makes room: forgets settled channels, and doubles the table when that isn't enough. 0: it stays full. */
static int make_room(struct channels *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->capacity; i++)
        kept += t->at[i].used && !settled(&t->at[i]);
    struct channels fresh = *t;
    if (kept >= t->capacity / 4) {
        if (t->capacity / 2 < t->most)
            fresh.capacity *= 2;
        else if (kept >= t->capacity / 8 * 3)
            fresh.capacity = 0; /* sweeping again and again would cost more than it brings */
    }
    fresh.at = fresh.capacity > 0 ? calloc(fresh.capacity, sizeof *fresh.at) : NULL;
    if (!fresh.at) {
        t->out_of_memory |= fresh.capacity > 0;
        t->patience = t->capacity / 8;
        return 0;
    }
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->at[i].used && !settled(&t->at[i]))
            *place(&fresh, &t->at[i].key) = t->at[i];
    fresh.used = kept;
    free(t->at);
    *t = fresh;
    return 1;
}

/* The channel of a message, made when it is new; NULL: the table is full. */
static struct channel *find(struct channels *t, const struct channel *c)
{
    struct channel *found = place(t, &c->key);
    if (found->used)
        return found;
    if (t->used >= t->capacity / 2) {
        if ((t->patience > 0 && t->patience--) || !make_room(t))
            return NULL;
        found = place(t, &c->key);
    }
    *found = *c;
    found->used = 1;
    t->used++;
    return found;
}

void channels_count(struct channels *t, const struct channel *c, int by)
{
    struct channel *found = find(t, c);
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

uint64_t channels_lost_sends(const struct channels *t)
{
    int64_t lost = t->other_open + (int64_t)t->other_sends;
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->at[i].used)
            lost += t->at[i].open + (int64_t)t->at[i].lost_sends;
    return lost > 0 ? (uint64_t)lost : 0;
}

uint64_t channels_lost_receives(const struct channels *t)
{
    uint64_t lost = t->other_receives;
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->at[i].used)
            lost += t->at[i].lost_receives;
    return lost;
}
