/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The longest waits with their chains: from a wait to the largest part of its cause, which may be a wait again, to the
 * call path that caused it all. */
#include "root_cause.h"

#include "../shared/largest/largest.h"

#include <stdlib.h>
#include <tcflow/order.h>

int chains_compare(const void *a, const void *b)
{
    const chain *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(y->length, x->length), TCF_ORDER(x->from, y->from), TCF_ORDER(x->location, y->location),
                     TCF_ORDER(x->pattern, y->pattern), TCF_ORDER(x->cause_time, y->cause_time),
                     TCF_ORDER(x->cause_location, y->cause_location));
}

static int is_longer(const void *a, const void *b)
{
    return chains_compare(a, b) < 0;
}

static void follow(tcf_self *self, chain *c, const waited *x)
{
    while (c->n < HOPS) {
        if (x->hop_location == NONE) {
            c->hop[c->n++] = (hop){WAIT_PATTERNS, x->key.cause_location, x->hop_callpath, 0, 0, x->hop_time};
            return;
        }
        const uint32_t location = x->hop_location;
        const uint64_t time = x->hop_time;
        x = log_find(tcf_location_state(self, location), &x->hop);
        if (!x)
            return;
        c->hop[c->n++] = (hop){x->key.pattern, location, x->callpath, x->key.from, x->key.until, time};
        if (x->hop_location == NONE && x->shares == NONE)
            return; /* without a cause */
    }
}

tcf_status chains_add(tcf_self *self, const wait *w, const waited *x)
{
    struct state *st = self->state;
    const uint32_t most = (uint32_t)((const struct conf *)self->conf)->worst;
    chain c = {.from = w->from,
               .length = w->length,
               .cause_time = w->cause_time,
               .location = w->location,
               .cause_location = w->cause_location,
               .pattern = w->pattern,
               .n = 1};
    if (most == 0 || (st->n_chains == most && !is_longer(&c, &st->chains[0])))
        return TCF_OK;
    if (!st->chains && !(st->chains = malloc(most * sizeof *st->chains)))
        return self->host->fail(self, "out of memory for the longest waits");
    c.hop[0] = (hop){w->pattern, w->location, w->callpath, w->from, w->from + w->length, w->length};
    follow(self, &c, x);
    largest_keep(st->chains, &st->n_chains, most, &c, &(item_order){sizeof c, is_longer});
    return TCF_OK;
}
