/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Round trips of messages. The clocks of two processes differ by an unknown offset, so the time that a message took
 * cannot be read off its two timestamps. But the offset cancels out of the sum of two differences in opposite
 * directions, and what the clocks drift apart in between hardly counts where both messages are close in time. So the
 * time of each pair of processes, by the clock of the first one, is cut into stretches.
 *
 * Differences are taken modulo 2^64: clocks may be any distance apart. */
#include "mu_estimate.h"

#include <tcflow/grow.h>

enum { MAX_SHIFT = 63 };

struct pairs pairs_new(uint32_t most, uint64_t interval)
{
    struct pairs t = {.most = most};
    while (t.shift < MAX_SHIFT && 1ull << t.shift < interval)
        t.shift++;
    return t;
}

void pairs_free(struct pairs *t)
{
    free(t->at);
    tcf_map_free(&t->of);
}

/* NULL: there is no room for one more. */
static struct pair *get(struct pairs *t, uint32_t first, uint32_t second)
{
    const uint32_t found = tcf_map_get(&t->of, first, second);
    if (found != TCF_MAP_ABSENT)
        return &t->at[found];
    if (t->n == t->most || TCF_GROW(&t->at, &t->capacity, t->n) != 0 || tcf_map_put(&t->of, first, second, t->n) != 0)
        return NULL;
    t->at[t->n] = (struct pair){0};
    return &t->at[t->n++];
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
