/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The detection in domains: what those of other domains tell it, and what it has counted. */
#include "internal.h"

#include <tcflow/times.h>

#include <stdlib.h>

tcf_status waits_told(tcf_self *self, uint32_t from, const void *letter)
{
    waits *w = waits_of(self);
    w->nodes = self->host->callpaths(self, &w->n_nodes);
    switch (*(const uint8_t *)letter) {
    case LETTER_ANSWER:
        return reply_told(self, letter);
    case LETTER_SYNC:
        return windows_told(self, &((const sync_letter *)letter)->sync);
    case LETTER_ASK:
        return order_asked(self, from);
    default:
        return order_told(self, letter);
    }
}

tcf_status domains_begin(tcf_self *self)
{
    waits *w = waits_of(self);
    w->domains = tcf_domains_host_of(self);
    w->domain = w->domains->number(self);
    w->domains->listen(self, waits_told);
    w->in_flight = malloc((self->defs->n_locations + 1ul) * sizeof *w->in_flight);
    return w->in_flight ? TCF_OK : self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
}

tcf_status waits_pack(tcf_self *self, tcf_pack *pack)
{
    const waits *w = waits_of(self);
    if (w->owner != self)
        return TCF_OK;
    if (waits_end(self) != TCF_OK)
        return TCF_ERROR;
    self->host->put(pack, &w->counts, sizeof w->counts);
    for (uint32_t l = 0; l < self->defs->n_locations; l++)
        self->host->put(pack, &w->tracks[l].started, 1);
    return TCF_OK;
}

tcf_status waits_absorb(tcf_self *self, tcf_pack *pack)
{
    waits *w = waits_of(self);
    waits_counts more;
    if (w->owner != self)
        return TCF_OK;
    self->host->take(pack, &more, sizeof more);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        uint8_t started;
        self->host->take(pack, &started, 1);
        w->tracks[l].started |= started;
    }
    for (int i = 0; i < WAITS_EDGES; i++) {
        w->counts.edges[i] += more.edges[i];
        w->counts.reversed[i] += more.reversed[i];
    }
    for (int i = 0; i < WAITS_COUNTS; i++)
        w->counts.of[i] = tcf_bytes_sum(w->counts.of[i], more.of[i]); /* some are bytes */
    w->counts.no_call += more.no_call;
    w->counts.no_partner += more.no_partner;
    w->counts.let_go += more.let_go;
    w->counts.decided_early += more.decided_early;
    w->counts.too_deep += more.too_deep;
    return TCF_OK;
}
