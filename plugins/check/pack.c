/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the instances of several domains have found becomes that of one. A message whose ends are in two domains is open
 * in one of them, and less than none in the other: the sum is what one instance would have counted. */
#include "check.h"

static void put_tally(const tcf_self *self, tcf_pack *pack, const struct tally *t)
{
    self->host->put(pack, t, sizeof *t);
    self->host->put(pack, t->worst, t->n_worst * sizeof *t->worst);
}

tcf_status check_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const struct check *c = self->state;

    host->put(pack, &c->ends_without_begins, sizeof c->ends_without_begins);
    host->put(pack, c->dangling, sizeof c->dangling);
    for (uint32_t k = 0; k < CLASSES; k++)
        put_tally(self, pack, &c->tally[k]);
    host->put(pack, &c->channels, sizeof c->channels);
    host->put(pack, c->channels.at, c->channels.n * sizeof *c->channels.at);
    host->put_locations(self, pack, TCF_MEMBERS(struct location, depth, never_left));
    return TCF_OK;
}

static void take_tally(tcf_self *self, tcf_pack *pack, struct tally *t)
{
    const struct check *c = self->state;
    struct tally more;

    self->host->take(pack, &more, sizeof more);
    t->targets += more.targets;
    t->violated += more.violated;
    t->largest = more.largest > t->largest ? more.largest : t->largest;
    for (uint32_t i = 0; i < more.n_worst; i++) {
        struct violation v;
        self->host->take(pack, &v, sizeof v);
        if (worst_has_room(c, t, v.size))
            worst_note(c, t, &v);
    }
}

static void take_channels(tcf_self *self, tcf_pack *pack, struct channels *t)
{
    struct channels more;

    self->host->take(pack, &more, sizeof more);
    t->turned_down += more.turned_down;
    t->other_open += more.other_open;
    t->other_sends += more.other_sends;
    t->other_receives += more.other_receives;
    t->out_of_memory |= more.out_of_memory;
    for (uint32_t i = 0; i < more.n; i++) {
        struct channel channel;
        self->host->take(pack, &channel, sizeof channel);
        channel.key.comm = self->host->taken_index(pack, TCF_REF_COMM, channel.key.comm);
        channels_add(t, &channel);
    }
}

tcf_status check_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    struct check *c = self->state;
    uint64_t ends, dangling[TCF_EVENT_KINDS + 2][TCF_REF_KINDS];

    host->take(pack, &ends, sizeof ends);
    c->ends_without_begins += ends;
    host->take(pack, dangling, sizeof dangling);
    for (uint32_t k = 0; k < TCF_EVENT_KINDS + 2; k++)
        for (uint32_t r = 0; r < TCF_REF_KINDS; r++)
            c->dangling[k][r] += dangling[k][r];
    for (uint32_t k = 0; k < CLASSES; k++)
        take_tally(self, pack, &c->tally[k]);
    take_channels(self, pack, &c->channels);
    host->take_locations(self, pack, TCF_MEMBERS(struct location, depth, never_left));
    return TCF_OK;
}
