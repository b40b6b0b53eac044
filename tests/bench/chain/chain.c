/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A filter for tests/bench/domains.sh: how often domains have to wait for each other one after another, whatever
 * the machine. Of a trace over so many domains, alike in numbers of locations, it logs the longest chain of steps from
 * domain to domain each of which depends on the one before: a message counts as one, an operation of a communicator as
 * two, to its owner and from there, or as one where its root tells all. */
#include <tcflow/filter.h>

struct conf {
    int64_t domains;
};

static const tcf_param params[] = {
    TCF_PARAM(struct conf, domains, TCF_INT, "64", "Domains", .min = "1"),
};

static uint64_t domain_of(const tcf_self *self, uint64_t location)
{
    const struct conf *conf = self->conf;
    return location * (uint64_t)conf->domains / self->defs->n_locations;
}

/* Steps that what leaves this source has to go. */
static uint64_t steps(const tcf_self *self, uint32_t location, const tcf_edge *e)
{
    const struct conf *conf = self->conf;

    if (e->class_ == TCF_CLASS_P2P)
        return e->peer < self->defs->n_locations && domain_of(self, e->peer) != domain_of(self, location);
    if (conf->domains == 1 || tcf_is_message(e))
        return 0;
    return e->class_ == TCF_CLASS_ONE_TO_N ? 1 : 2;
}

static tcf_status span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    uint64_t *depth = tcf_location_state(self, s->location), latest;

    for (uint32_t i = from; i < to; i++)
        for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e)) {
            if (e->flags & (TCF_EDGE_GONE | TCF_EDGE_UNMATCHED))
                continue;
            if (e->flags & TCF_EDGE_TARGET && self->host->latest(self, e, 0, &latest) && latest > *depth)
                *depth = latest;
            if (e->flags & TCF_EDGE_SOURCE)
                self->host->publish(self, e, 0, *depth + steps(self, s->location, e));
        }
    return TCF_OK;
}

static tcf_status end(tcf_self *self)
{
    uint64_t longest = 0;

    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const uint64_t *depth = tcf_location_state(self, l);
        longest = *depth > longest ? *depth : longest;
    }
    self->host->log(self, TCF_LOG_INFO, "%llu steps from domain to domain, one after another",
                    (unsigned long long)longest);
    return TCF_OK;
}

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "chain",
    .version = "1.0",
    .summary = "How often domains have to wait for each other one after another",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(struct conf),
    .location_size = sizeof(uint64_t),
    .span = span,
    .end = end,
};
