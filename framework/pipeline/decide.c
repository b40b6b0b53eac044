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

/* Where the locations of all domains wait for each other in a segment behind: what lets one of them go on, and the
 * domain that has it. VERDICT_LATER: nothing does. */
static verdict clear_jam(const resting *how, uint32_t n, int64_t *who)
{
    uint32_t first = 0;
    jam all = {.waits = UINT32_MAX, .can_look = UINT32_MAX, .has_looked = UINT32_MAX};

    for (uint32_t k = 0; k < n; k++) {
        const jam *a = &how[k].behind, *b = &how[first].behind;
        all.waits &= a->waits;
        all.has_lengths |= a->has_lengths;
        all.can_look &= a->can_look;
        all.has_looked &= a->has_looked;
        if (a->stage != b->stage ? a->stage < b->stage
                                 : a->sent < b->sent || (a->sent == b->sent && a->sender < b->sender))
            first = k;
    }
    if (how[first].behind.stage == STAGES_TOLD)
        return VERDICT_LATER;
    const uint32_t bit = UINT32_C(1) << how[first].behind.stage;
    if (!(all.waits & bit))
        return VERDICT_LATER;
    if (all.has_lengths & bit & ~all.has_looked)
        return all.can_look & bit ? VERDICT_LOOK_BEHIND : VERDICT_LATER;
    *who = first;
    return VERDICT_POST;
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
    const verdict behind = clear_jam(how, n, who);
    if (behind != VERDICT_LATER)
        return behind;
    if (how[least].wish == WISH_ROOM && watermark_moves(d, how, n))
        return VERDICT_WATERMARK;
    if (how[least].wish == WISH_ROOM && how[least].key == 0)
        return VERDICT_ROOM;
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
