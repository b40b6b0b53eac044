/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See decide.h. */
#include "decide.h"

static int goes_first(const resting *a, const resting *b)
{
    if (a->wish != b->wish)
        return a->wish < b->wish;
    return a->key != b->key ? a->key < b->key : a->location < b->location;
}

/* Has the least watermark of all domains moved since it was told? */
static int watermark_moves(decision_state *d, const resting *how, uint32_t n)
{
    int moves = 0;

    for (uint32_t i = 0; i < WATERMARKS; i++) {
        uint64_t least = UINT64_MAX;
        for (uint32_t k = 0; k < n; k++)
            least = how[k].watermark[i] < least ? how[k].watermark[i] : least;
        moves |= least > d->watermark[i];
        d->watermark[i] = least > d->watermark[i] ? least : d->watermark[i];
    }
    return moves;
}

verdict decide(decision_state *d, const resting *how, uint32_t n, int64_t *who)
{
    uint32_t least = 0;
    int look = 0, credit = 0, untold = 0;

    d->n++;
    for (uint32_t k = 0; k < n; k++) {
        look |= how[k].wants_look;
        credit |= how[k].on_credit;
        untold |= how[k].has_untold;
        if (goes_first(&how[k], &how[least]))
            least = k;
    }
    *who = DECIDED_FOR_ALL;
    if (untold)
        return VERDICT_TELL;
    if (how[least].wish == WISH_DONE)
        return VERDICT_DONE;
    if (credit)
        return VERDICT_CREDIT;
    if (how[least].wish == WISH_ROOM && watermark_moves(d, how, n))
        return VERDICT_WATERMARK;
    if (how[least].wish == WISH_ROOM) {
        *who = least;
        return VERDICT_GRANTED;
    }
    if (look && !d->has_looked) {
        d->has_looked = 1;
        return VERDICT_LOOK;
    }
    if (how[least].wish == WISH_NOTHING)
        return VERDICT_STUCK;
    d->has_looked = 0;
    *who = least;
    return VERDICT_GRANTED;
}
