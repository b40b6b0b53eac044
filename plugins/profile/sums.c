/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* profile's reductions; see sums.h. */
#include "sums.h"
#include "../shared/regions/same_regions.h"

#include <tcflow/grow.h>
#include <tcflow/order.h>
#include <tcflow/times.h>

#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------- sums -- */

void sums_free(sums *s)
{
    free(s->at);
    tcf_map_free(&s->map);
    *s = (sums){0};
}

/* The entry of a region below a parent; a missing one is made. 0: out of memory. */
static uint32_t sums_entry(sums *s, uint32_t parent, uint32_t region)
{
    if (TCF_GROW(&s->at, &s->capacity, s->n) != 0)
        return 0;
    if (s->n == 0)
        s->at[s->n++] = (entry){.region = NO_REGION};
    uint32_t i = tcf_map_get(&s->map, parent, region);
    if (i != TCF_MAP_ABSENT)
        return i;
    if (tcf_map_put(&s->map, parent, region, s->n) != 0)
        return 0;
    s->at[s->n] = (entry){.parent = parent, .region = region, .depth = s->at[parent].depth + 1, .min = UINT64_MAX};
    return s->n++;
}

static void add(entry *e, const node *x, uint64_t inclusive, uint64_t exclusive)
{
    e->visits += x->visits;
    e->inclusive = tcf_ticks_sum(e->inclusive, inclusive);
    e->exclusive = tcf_ticks_sum(e->exclusive, exclusive);
    e->min = x->min < e->min ? x->min : e->min;
    e->max = x->max > e->max ? x->max : e->max;
}

/* ------------------------------------------------------------------------------------------- nodes of a location -- */

/* Fills w->exclusive and the lists of children. Parents come before their children. */
void relate(work *w, const place *p)
{
    for (uint32_t i = 0; i < p->n; i++) {
        w->exclusive[i] = p->nodes[i].inclusive - p->nodes[i].below;
        w->first_child[i] = w->next_sibling[i] = ROOT;
    }
    for (uint32_t i = p->n; i-- > 1;) {
        uint32_t parent = scope_of(&p->nodes[i]);
        if (parent == FLAT)
            continue;
        w->exclusive[parent] -= p->nodes[i].inclusive;
        w->next_sibling[i] = w->first_child[parent];
        w->first_child[parent] = i;
    }
}

static uint32_t region_in(const work *w, uint32_t region, int merge)
{
    return merge && region < w->self->defs->n_regions ? w->same[region] : region;
}

/* Adds a location to a flat profile. Walks down the tree and up again, and counts in `open` the entered nodes of
 * each region. A call path inside of one that ends in the same region adds no inclusive time, because that one has
 * it already. */
void add_flat(work *w, const place *p, sums *flat, int merge)
{
    uint32_t at = ROOT;

    for (uint32_t i = 1; i < p->n; i++) {
        const node *x = &p->nodes[i];
        w->to[i] = sums_entry(flat, 0, region_in(w, region_of(x), merge));
        if (w->to[i] == 0) {
            w->out_of_memory = 1;
            return;
        }
        w->open[w->to[i]] = 0;
        if (scope_of(x) == FLAT)
            add(&flat->at[w->to[i]], x, x->outermost, w->exclusive[i]);
    }
    for (;;) {
        if (w->first_child[at] != ROOT) {
            at = w->first_child[at];
        } else {
            while (at != ROOT && w->next_sibling[at] == ROOT) {
                at = scope_of(&p->nodes[at]);
                if (at != ROOT)
                    w->open[w->to[at]]--;
            }
            if (at == ROOT)
                return;
            at = w->next_sibling[at];
        }
        const node *x = &p->nodes[at];
        add(&flat->at[w->to[at]], x, w->open[w->to[at]] == 0 ? x->inclusive : 0, w->exclusive[at]);
        if (w->first_child[at] != ROOT)
            w->open[w->to[at]]++;
    }
}

void add_tree(work *w, const place *p, sums *tree, int merge)
{
    w->to[ROOT] = 0;
    for (uint32_t i = 1; i < p->n; i++) {
        const node *x = &p->nodes[i];
        uint32_t scope = scope_of(x);
        uint32_t parent = scope == FLAT ? sums_entry(tree, 0, BEYOND) : w->to[scope];
        w->to[i] = scope == FLAT && parent == 0 ? 0 : sums_entry(tree, parent, region_in(w, region_of(x), merge));
        if (w->to[i] == 0) {
            w->out_of_memory = 1;
            return;
        }
        uint64_t inclusive = scope == FLAT ? x->outermost : x->inclusive;
        add(&tree->at[w->to[i]], x, inclusive, w->exclusive[i]);
        if (scope == FLAT)
            add(&tree->at[parent], x, w->exclusive[i], 0);
    }
}

/* --------------------------------------------------------------------------------------------------------- order -- */

/* By parent, then largest value first, then in the order of entries. */
static int compare_orders(const void *a, const void *b)
{
    const order *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->parent, y->parent), TCF_ORDER(y->value, x->value), TCF_ORDER(x->at, y->at));
}

order *sorted(const sums *s, int by_parent, int by_exclusive)
{
    order *o = malloc((s->n + 1) * sizeof *o);

    for (uint32_t i = 1; o && i < s->n; i++)
        o[i - 1] = (order){by_parent ? s->at[i].parent : 0, i, by_exclusive ? s->at[i].exclusive : s->at[i].inclusive};
    if (o && s->n > 1)
        qsort(o, s->n - 1, sizeof *o, compare_orders);
    return o;
}

/* See sums.h. */
int mark(sums *s, int64_t top, int by_exclusive)
{
    order *o = sorted(s, 0, by_exclusive);

    if (!o)
        return -1;
    for (uint32_t i = 0; i + 1 < s->n && (top == 0 || i < top); i++)
        for (uint32_t at = o[i].at; at != 0 && !s->at[at].shown; at = s->at[at].parent)
            s->at[at].shown = 1;
    free(o);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- buffers -- */

/* Makes buffers for the nodes of one location, the one with the most; `open` has room for the entries of all. */
int work_start(work *w, tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    size_t n = 1, all = 1;

    *w = (work){.self = self};
    for (uint32_t l = 0; l < defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        n = p->n > n ? p->n : n;
        all += p->n;
    }
    w->same = same_regions(defs);
    w->to = malloc(n * sizeof *w->to);
    w->open = malloc((all + 1) * sizeof *w->open);
    w->exclusive = malloc(n * sizeof *w->exclusive);
    w->first_child = malloc(n * sizeof *w->first_child);
    w->next_sibling = malloc(n * sizeof *w->next_sibling);
    return w->same && w->to && w->open && w->exclusive && w->first_child && w->next_sibling ? 0 : -1;
}

void work_free(work *w)
{
    free(w->same);
    free(w->to);
    free(w->open);
    free(w->exclusive);
    free(w->first_child);
    free(w->next_sibling);
}
