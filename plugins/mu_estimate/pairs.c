/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Round trips of messages. The clocks of two processes differ by an unknown offset, so the time that a message took
 * cannot be read off its two timestamps. But the offset cancels out of the sum of two differences in opposite
 * directions, and what the clocks drift apart in between hardly counts where both messages are close in time. So the
 * time of each pair of processes, by the clock of the first one, is cut into stretches.
 *
 * Differences are taken modulo 2^64: clocks may be any distance apart. */
#include "mu_estimate.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 64, MAX_SHIFT = 63 };

int pairs_init(struct pairs *t, uint32_t most, uint64_t interval)
{
    *t = (struct pairs){.capacity = FIRST_CAPACITY, .most = most};
    while (t->shift < MAX_SHIFT && 1ull << t->shift < interval)
        t->shift++;
    t->at = calloc(t->capacity, sizeof *t->at);
    return t->at ? 0 : -1;
}

void pairs_free(struct pairs *t)
{
    free(t->at);
    *t = (struct pairs){0};
}

static struct pair *place_of(const struct pairs *t, uint32_t first, uint32_t second)
{
    uint64_t hash = ((uint64_t)first << 32 | second) * 0x9e3779b97f4a7c15u;
    uint32_t i = (uint32_t)(hash >> 32) & (t->capacity - 1);
    while (t->at[i].second != 0 && (t->at[i].first != first || t->at[i].second != second))
        i = (i + 1) & (t->capacity - 1);
    return &t->at[i];
}

static int grow(struct pairs *t)
{
    struct pairs bigger = *t;
    bigger.capacity *= 2;
    if (!(bigger.at = calloc(bigger.capacity, sizeof *bigger.at)))
        return 0;
    for (uint32_t i = 0; i < t->capacity; i++)
        if (t->at[i].second != 0)
            *place_of(&bigger, t->at[i].first, t->at[i].second) = t->at[i];
    free(t->at);
    *t = bigger;
    return 1;
}

/* NULL: there is no room for one more. */
static struct pair *get(struct pairs *t, uint32_t first, uint32_t second)
{
    struct pair *p = place_of(t, first, second);
    if (p->second != 0)
        return p;
    if (t->used == t->most)
        return NULL;
    if (2 * (t->used + 1) > t->capacity) {
        if (!grow(t))
            return NULL;
        p = place_of(t, first, second);
    }
    t->used++;
    *p = (struct pair){.first = first, .second = second};
    return p;
}

enum found pairs_message(struct pairs *t, const struct message *m, int64_t *round_trip)
{
    int back = m->from > m->to;
    struct pair *p = get(t, back ? m->to : m->from, back ? m->from : m->to);
    if (!p) {
        t->turned_down++;
        return NO_ROUND_TRIP;
    }
    uint64_t number = (back ? m->received : m->sent) >> t->shift;
    struct stretch *s = &p->stretch[number % STRETCHES];
    int64_t difference = (int64_t)(m->received - m->sent);
    if (s->seen && s->number > number)
        return NO_ROUND_TRIP; /* long past */
    if (!s->seen || s->number != number)
        *s = (struct stretch){.number = number};
    uint8_t bit = (uint8_t)(1 << back), had = s->seen;
    if (!(s->seen & bit) || difference < s->smallest[back])
        s->smallest[back] = difference;
    s->seen |= bit;
    *round_trip = (int64_t)((uint64_t)s->smallest[0] + (uint64_t)s->smallest[1]);
    return s->seen != 3 ? NO_ROUND_TRIP : had == 3 ? SAME_ROUND_TRIP : NEW_ROUND_TRIP;
}
