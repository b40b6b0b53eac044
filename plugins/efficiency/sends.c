/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sends that waited for their receives to be posted: on an ideal network they wait, too. No trace records which sends
 * wait, but it shows when the receive was posted: a call that nothing else kept, and during which a receive of what it
 * sent was posted, waited for that. MPI_Ssend waits by definition. */
#include "efficiency.h"

void sends_publish(tcf_self *self, const struct lane *k, const tcf_slice *s, const tcf_edge *e)
{
    const struct state *st = self->state;
    const uint8_t kind = s->kind[e->pos];
    if (e->flags & TCF_EDGE_GONE || kind == TCF_MPI_RECV || kind == TCF_MPI_IRECV)
        return; /* of these two it is unknown when they were posted */
    for (uint32_t i = 0; i < st->scopes; i++)
        self->host->publish(self, e, i, k->in[i].ideal);
    self->host->publish(self, e, POSTED, s->time[e->pos]);
}

void sends_end(tcf_self *self, struct lane *k, const tcf_edge *e, uint64_t time)
{
    const struct state *st = self->state;
    struct call *c = &k->call;
    uint64_t posted, ideal;
    if (e->flags & TCF_EDGE_GONE || k->activity != COMMUNICATION || !self->host->latest(self, e, POSTED, &posted) ||
        posted > time || (posted <= c->entered && !c->synchronous))
        return;
    c->sends = 1;
    for (uint32_t i = 0; i < st->scopes; i++)
        if (self->host->latest(self, e, i, &ideal) && ideal > c->posted[i])
            c->posted[i] = ideal;
}

void sends_leave(struct lane *k, uint64_t time)
{
    const struct call *c = &k->call;
    if (!c->sends || c->hears)
        return;
    k->sends++;
    for (int i = 0; i < SCOPES; i++) {
        const uint64_t posted = c->posted[i] < time ? c->posted[i] : time;
        if (!(k->ended >> i & 1) && posted > k->in[i].ideal)
            k->in[i].ideal = posted;
    }
}
