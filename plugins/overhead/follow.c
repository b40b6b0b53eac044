/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Locations that follow the leader of their process (tcf_location.leader): those that are no threads, such as streams
 * of accelerators, and threads up to their first event. A call of the process started what they do, but no edge names
 * it. So their events move as the leader's time moves around them. With TCF_NEED_LEADER_FIRST the schedule delivers
 * them when the leader's last two events are those before and behind the event at hand. README.md has the
 * definition. */
#include "overhead.h"

/* A measured time as the leader's events place it, and the bounds set by the events around it. */
struct place {
    uint64_t a, low, high;
};

static struct place place_of(tcf_self *self, struct track *k, uint32_t location, uint64_t m)
{
    uint32_t leader = tcf_location_at(self->defs, location)->leader;
    const struct track *l = leader == TCF_NONE ? NULL : tcf_location_state(self, leader);
    if (!l || !l->started)
        return (struct place){m, 0, UINT64_MAX};
    if (m >= l->end_m) {
        k->late += !l->ended;
        return (struct place){plus(l->last.a, less(m, l->last.m)), l->last.a, UINT64_MAX};
    }
    if (!l->has_previous)
        return (struct place){less(l->last.a, l->end_m - m), 0, l->last.a};
    k->late += m < l->previous_m;
    uint64_t high = m <= l->previous_m ? l->previous.a : l->last.a;
    return (struct place){min_u64(plus(l->previous.a, less(m, l->previous.m)), high), l->previous.a, high};
}

uint64_t follow(tcf_self *self, struct track *k, uint32_t location, uint64_t m)
{
    struct place at = place_of(self, k, location, m);
    uint64_t a = at.a, before = k->started ? k->last.a : 0;
    if (k->running > 0) { /* recorded afterwards, so an operation keeps its measured length */
        uint64_t wanted = plus(before, less(m, k->last.m));
        a = max_u64(min_u64(wanted, at.high), at.low);
        k->shortened += less(wanted, a);
        k->lengthened += less(a, wanted);
    }
    return max_u64(a, before);
}

void note_operation(struct track *k, uint8_t kind)
{
    switch (kind) {
    case TCF_ENTER:
    case TCF_CALLING_CONTEXT_ENTER:
    case TCF_RMA_PUT:
    case TCF_RMA_GET:
    case TCF_RMA_ATOMIC:
        k->running++;
        break;
    case TCF_LEAVE:
    case TCF_CALLING_CONTEXT_LEAVE:
    case TCF_RMA_OP_COMPLETE_BLOCKING:
    case TCF_RMA_OP_COMPLETE_NON_BLOCKING:
    case TCF_RMA_OP_COMPLETE_REMOTE:
        k->running -= k->running > 0;
        break;
    default:
        break;
    }
}

tcf_status follow_all(tcf_self *self, struct track *k, tcf_slice *s, uint32_t i, uint32_t to, uint64_t first)
{
    const struct state *st = self->state;
    for (; i < to; i++) {
        const struct times at = {s->time[i], follow(self, k, s->location, s->time[i])};
        const uint8_t what = st->what[s->kind[i]];
        if (!k->started)
            k->begin = at;
        k->started = 1;
        k->last = at;
        s->time[i] = at.a;
        note_operation(k, s->kind[i]);
        if (what & IS_COMPLETION)
            note_completion(k, first + i, 0, at);
        if (what && note(self, k, s, i, what, at) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}
