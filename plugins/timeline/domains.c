/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* timeline: in several domains each keeps the calls and messages of its locations, a message that of its receiver. All
 * have chosen the same windows. */
#include "timeline.h"

static const uint32_t none = TCF_NONE; /* ends the list of locations */

static void pack_items(const tcf_self *self, tcf_pack *pack, const items *set)
{
    self->host->put(pack, &set->dropped, sizeof set->dropped);
    self->host->put(pack, &set->n, sizeof set->n);
    self->host->put(pack, set->at, set->n * sizeof *set->at);
}

static int absorb_items(const tcf_self *self, tcf_pack *pack, items *set, int64_t most)
{
    uint64_t dropped;
    uint32_t n;
    item x;
    int failed = 0;
    self->host->take(pack, &dropped, sizeof dropped);
    self->host->take(pack, &n, sizeof n);
    set->dropped += dropped;
    for (uint32_t i = 0; i < n; i++) {
        self->host->take(pack, &x, sizeof x);
        failed |= keep(set, (uint32_t)most, &x);
    }
    return failed;
}

tcf_status timeline_pack(tcf_self *self, tcf_pack *pack)
{
    const state *st = self->state;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = place_of(self, l);
        if (!p->started)
            continue;
        self->host->put(pack, &l, sizeof l);
        self->host->put(pack, &p->first, sizeof p->first);
        self->host->put(pack, &p->last, sizeof p->last);
        self->host->put(pack, &p->calls.not_entered, sizeof p->calls.not_entered);
    }
    self->host->put(pack, &none, sizeof none);
    for (uint32_t i = 0; i < st->n_windows; i++) {
        const window *w = &st->windows[i];
        pack_items(self, pack, &w->messages);
        for (uint32_t k = 0; k < w->n_locations; k++)
            pack_items(self, pack, &w->calls[k]);
    }
    return TCF_OK;
}

tcf_status timeline_absorb(tcf_self *self, tcf_pack *pack)
{
    const conf *c = self->conf;
    const state *st = self->state;
    int failed = 0;
    for (uint32_t l; self->host->take(pack, &l, sizeof l), l < self->defs->n_locations;) {
        place *p = place_of(self, l);
        p->started = 1;
        self->host->take(pack, &p->first, sizeof p->first);
        self->host->take(pack, &p->last, sizeof p->last);
        self->host->take(pack, &p->calls.not_entered, sizeof p->calls.not_entered);
    }
    for (uint32_t i = 0; i < st->n_windows; i++) {
        window *w = &st->windows[i];
        failed |= absorb_items(self, pack, &w->messages, c->max_messages);
        for (uint32_t k = 0; k < w->n_locations; k++)
            failed |= absorb_items(self, pack, &w->calls[k], c->max_intervals);
    }
    return failed ? self->host->fail(self, "out of memory for calls and messages of a window") : TCF_OK;
}
