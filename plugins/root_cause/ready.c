/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Up to which time a location is completely known, and which locations have come as far as a wait that is parked there
 * needs. */
#include "root_cause.h"

uint64_t ready_until(const struct place *p)
{
    const uint64_t log = p->ended ? UINT64_MAX : p->mark;
    return p->n_pending > 0 ? min_u64(log, p->pending[p->first_pending].since) : log;
}

void ready_touch(tcf_self *self, uint32_t location)
{
    struct state *st = self->state;
    struct place *p = tcf_location_state(self, location);
    if (p->is_ready || p->parked == NONE || ready_until(p) < st->parked[p->parked].need)
        return;
    p->is_ready = 1;
    p->next_ready = st->ready;
    st->ready = location;
}
