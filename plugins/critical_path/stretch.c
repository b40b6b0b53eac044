/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The stretch at hand of a location: marks its begin, from where paths of other locations may go on, and answers what
 * edges and operations ask about it. */
#include "critical_path.h"

#include <stdlib.h>

tcf_status mark_here(tcf_self *self, uint32_t location)
{
    struct tree *p = &state_of(self)->tree;
    struct place *k = place_of(self, location);
    if (k->here)
        return TCF_OK;
    k->here = 1;
    if (k->n_touched == 0 && k->path != NONE && k->jumps == 0)
        return TCF_OK;
    struct entry *e = path_room(self, k->n_touched + tree_bins_between(p, k->since, k->start));
    const uint32_t node = e ? path_new(p, k->path) : NONE;
    if (node == NONE)
        return self->host->fail(self, "out of memory for the paths");
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_touched; i++) {
        const struct cell *c = cell_at(k, k->touched[i]);
        if (c->total != c->before)
            e[n++] = (struct entry){path_key(self, location, k->touched[i]), c->total - c->before};
    }
    n += tree_put_places(p, e + n, location, k->since, k->start);
    p->node[node].first = p->n_entries;
    p->node[node].n = n;
    p->node[node].jumps = k->jumps;
    p->n_entries += n;
    k->path = node;
    k->jumps = 0;
    start_over(k, k->start);
    return TCF_OK;
}

struct cause here(tcf_self *self, uint32_t location)
{
    struct place *k = place_of(self, location);
    path_hold(&state_of(self)->tree, k->path);
    return (struct cause){.time = k->start, .node = k->path, .location = location};
}

uint32_t leave_ticket(tcf_self *self, uint32_t location, uint64_t now, uint8_t state)
{
    const uint32_t t = mark_here(self, location) == TCF_OK ? ticket_new(self, state) : NONE;
    if (t != NONE) {
        struct ticket *x = &state_of(self)->open.ticket[t];
        x->at = here(self, location);
        x->event = now;
    }
    return t;
}

int count(struct state *st, int relation, uint64_t source, uint64_t target)
{
    st->edges[relation]++;
    st->reversed[relation] += source > target;
    return source > target;
}

uint8_t region_of(const tcf_self *self, uint32_t location)
{
    const struct state *st = state_of(self);
    const struct place *k = place_of(self, location);
    if (k->is_elsewhere)
        return k->region;
    const uint32_t region = st->nodes[k->callpath].region;
    return k->callpath == 0                 ? WAITS_REGION_USER
           : region < self->defs->n_regions ? st->region[region] & (IS_IDLE - 1)
                                            : WAITS_REGION_PLAIN;
}

int only_tests(const tcf_self *self, uint32_t location)
{
    const uint8_t region = region_of(self, location);
    return region == WAITS_REGION_TEST || region == WAITS_REGION_WIN_TEST;
}
