/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations: what one domain has found goes to another one: call paths, and the candidates of its locations. */
#include "iterations.h"

#include <stdlib.h>

/* --------------------------------------------------------------------------------------------------------- pack -- */

static void put_candidate(const tcf_self *self, tcf_pack *pack, const struct candidate *x)
{
    const size_t bins = (size_t)((const struct conf *)self->conf)->bins;
    self->host->put(pack, x, sizeof *x);
    if (x->run.bins)
        self->host->put(pack, x->run.bins, bins * sizeof *x->run.bins);
}

tcf_status iterations_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const struct state *st = self->state;
    const uint32_t none = NONE;
    host->put(pack, &st->counts, sizeof st->counts);
    host->put(pack, &st->n_paths, sizeof st->n_paths);
    host->put(pack, st->paths, st->n_paths * sizeof *st->paths);
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const struct place *p = tcf_location_state(self, l);
        if (!p->used)
            continue;
        host->put(pack, &l, sizeof l);
        host->put(pack, &p->first, sizeof p->first);
        host->put(pack, &p->last, sizeof p->last);
        host->put(pack, &p->stack.not_counted, sizeof p->stack.not_counted);
        host->put(pack, &p->n_found, sizeof p->n_found);
        for (uint32_t i = 0; i < p->n_found; i++)
            put_candidate(self, pack, &p->found[i]);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- absorb -- */

/* now: by path of the domain. A parent comes before its children. -1: out of memory. */
static int take_paths(const tcf_self *self, tcf_pack *pack, uint32_t n, uint32_t *now)
{
    struct path x;
    int failed = intern_root(self->state) == NONE;
    for (uint32_t i = 0; i < n && !failed; i++) {
        self->host->take(pack, &x, sizeof x);
        x.region = self->host->taken_index(pack, TCF_REF_REGION, x.region);
        now[i] = i == ROOT ? ROOT : intern_path(self->state, now[x.parent], x.region, x.rank);
        failed = now[i] == NONE;
    }
    return failed ? -1 : 0;
}

static int take_candidate(const tcf_self *self, tcf_pack *pack, const uint32_t *now, struct candidate *x)
{
    const size_t bins = (size_t)((const struct conf *)self->conf)->bins;
    self->host->take(pack, x, sizeof *x);
    x->path = now[x->path];
    if (!x->run.bins)
        return 0;
    if (!(x->run.bins = malloc(bins * sizeof *x->run.bins)))
        return -1;
    self->host->take(pack, x->run.bins, bins * sizeof *x->run.bins);
    return 0;
}

static int take_location(const tcf_self *self, tcf_pack *pack, const uint32_t *now, struct place *p)
{
    const tcf_host *host = self->host;
    uint32_t n;
    int failed = 0;
    p->used = 1;
    host->take(pack, &p->first, sizeof p->first);
    host->take(pack, &p->last, sizeof p->last);
    host->take(pack, &p->stack.not_counted, sizeof p->stack.not_counted);
    host->take(pack, &n, sizeof n);
    p->found = n > 0 ? calloc(n, sizeof *p->found) : NULL;
    failed = n > 0 && !p->found;
    for (; p->n_found < n && !failed; p->n_found++)
        failed = take_candidate(self, pack, now, &p->found[p->n_found]);
    return failed;
}

tcf_status iterations_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    struct state *st = self->state;
    struct counts counts;
    uint32_t n, l;
    host->take(pack, &counts, sizeof counts);
    st->counts.paths += counts.paths;
    st->counts.children += counts.children;
    st->counts.kept += counts.kept;
    host->take(pack, &n, sizeof n);
    uint32_t *now = malloc((n + 1ul) * sizeof *now);
    int failed = !now || take_paths(self, pack, n, now) != 0;
    if (!failed)
        for (host->take(pack, &l, sizeof l); l < self->defs->n_locations && !failed; host->take(pack, &l, sizeof l))
            failed = take_location(self, pack, now, tcf_location_state(self, l));
    free(now);
    return failed ? host->fail(self, "out of memory for the loops of all locations") : TCF_OK;
}
