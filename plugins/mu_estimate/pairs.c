/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Round trips of messages. The clocks of two processes differ by an unknown offset, so the time that a message took
 * cannot be read off its two timestamps. But the offset cancels out of the sum of two differences in opposite
 * directions, and what the clocks drift apart in between hardly counts where both messages are close in time. So the
 * time of each pair of processes, by the clock of the first one, is cut into stretches.
 *
 * There is room for `most` stretches of all pairs. When that is used up, a hash drops half of them, and those that come
 * later and would have been dropped. So which ones stay depends on the set of messages only, not on their order.
 *
 * Differences are taken modulo 2^64: clocks may be any distance apart. */
#include "mu_estimate.h"

#include <tcflow/grow.h>

enum { MAX_SHIFT = 63 };

struct stretches stretches_new(uint32_t most, uint64_t interval)
{
    struct stretches t = {.most = most};
    while (t.shift < MAX_SHIFT && 1ull << t.shift < interval)
        t.shift++;
    return t;
}

void stretches_free(struct stretches *t)
{
    free(t->at);
    tcf_map_free(&t->of);
}

static uint64_t pair_of(const struct stretch *s)
{
    return (uint64_t)s->first << 32 | s->second;
}

/* The map uses the low bits of the hash. */
static int stays(const struct stretch *s, uint32_t thinning)
{
    return thinning == 0 || tcf_map_hash(pair_of(s), s->number) >> (64 - thinning) == 0;
}

static void thin_out(struct stretches *t)
{
    uint32_t kept = 0;
    t->thinning++;
    for (uint32_t i = 0; i < t->n; i++) {
        const struct stretch s = t->at[i];
        tcf_map_remove(&t->of, pair_of(&s), s.number);
        if (!stays(&s, t->thinning))
            continue;
        tcf_map_put(&t->of, pair_of(&s), s.number, kept); /* needs no memory: one place has become free */
        t->at[kept++] = s;
    }
    t->n = kept;
}

void stretches_add(struct stretches *t, const struct stretch *s)
{
    if (!stays(s, t->thinning))
        return;
    const uint32_t found = tcf_map_get(&t->of, pair_of(s), s->number);
    if (found != TCF_MAP_ABSENT) {
        struct stretch *old = &t->at[found];
        for (int way = 0; way < 2; way++)
            if (s->seen & 1 << way && (!(old->seen & 1 << way) || s->smallest[way] < old->smallest[way]))
                old->smallest[way] = s->smallest[way];
        old->seen |= s->seen;
        return;
    }
    while (t->n == t->most && stays(s, t->thinning))
        thin_out(t);
    if (!stays(s, t->thinning))
        return;
    if (TCF_GROW(&t->at, &t->capacity, t->n) != 0 || tcf_map_put(&t->of, pair_of(s), s->number, t->n) != 0)
        t->out_of_memory = 1;
    else
        t->at[t->n++] = *s;
}

void stretches_message(struct stretches *t, const struct message *m)
{
    const int back = m->from_second;
    struct stretch s = {.number = (back ? m->received : m->sent) >> t->shift,
                        .first = back ? m->to : m->from,
                        .second = back ? m->from : m->to,
                        .seen = (uint8_t)(1 << back),
                        .distance = m->distance};
    s.smallest[back] = (int64_t)(m->received - m->sent);
    stretches_add(t, &s);
}

void stretches_join(struct stretches *t, uint32_t thinning)
{
    while (t->thinning < thinning)
        thin_out(t);
}

int stretches_round_trip(const struct stretch *s, int64_t *round_trip)
{
    *round_trip = (int64_t)((uint64_t)s->smallest[0] + (uint64_t)s->smallest[1]);
    return s->seen == 3;
}
