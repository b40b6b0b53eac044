/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Call paths as text, and which of them have the same names: some measurement systems define each region once for every
 * process. */
#include "paths.h"

#include <tcflow/map.h>
#include <tcflow/order.h>

#include <stdlib.h>
#include <string.h>

const char *path_text(struct paths *p, uint32_t callpath)
{
    const char *text =
        callpath < p->n ? join_names(&p->names, p->self->defs, p->nodes, sizeof *p->nodes, callpath, 0) : "";
    p->out_of_memory |= !text;
    return text ? text : "";
}

/* ----------------------------------------------------------------------------------------------- same call paths -- */

static int compare_text(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_regions(const void *a, const void *b)
{
    const tcf_region *const *p = a, *const *q = b, *x = *p, *y = *q;
    return TCF_FIRST(compare_text(x->name, y->name), compare_text(x->file, y->file),
                     TCF_ORDER(x->begin_line, y->begin_line), TCF_ORDER(x->role, y->role),
                     TCF_ORDER(x->paradigm, y->paradigm));
}

/* For each region the number of the first equal one. NULL: out of memory. */
static uint32_t *same_regions(const tcf_definitions *d)
{
    uint32_t *same = malloc((d->n_regions + 1u) * sizeof *same);
    const tcf_region **sorted = malloc((d->n_regions + 1u) * sizeof *sorted);
    for (uint32_t r = 0; same && sorted && r < d->n_regions; r++)
        sorted[r] = tcf_region_at(d, r);
    if (same && sorted && d->n_regions > 0)
        qsort(sorted, d->n_regions, sizeof *sorted, compare_regions);
    for (uint32_t i = 0, first = 0; same && sorted && i < d->n_regions; i++) {
        if (compare_regions(&sorted[i], &sorted[first]) != 0)
            first = i;
        same[sorted[i] - d->regions] = first;
    }
    free(sorted);
    return sorted ? same : (free(same), NULL);
}

/* What the region of a node is called: equal for nodes of the same names, computation nodes among themselves. */
static uint32_t kind_of(const struct paths *p, const uint32_t *region, uint32_t node)
{
    const uint32_t r = p->nodes[node].region, n = p->self->defs->n_regions;
    if (tcf_is_computation(r) && (r & ~TCF_COMPUTATION) < n)
        return region[r & ~TCF_COMPUTATION] | TCF_COMPUTATION;
    return r < n ? region[r] : r;
}

/* Relies on parents standing before their children. */
static int find_same(struct paths *p, const uint32_t *region)
{
    tcf_map seen = {0};
    int status = 0;
    for (uint32_t n = 0; n < p->n && status == 0; n++) {
        uint32_t kind = kind_of(p, region, n);
        uint32_t found = n == 0 ? TCF_MAP_ABSENT : tcf_map_get(&seen, p->same[p->nodes[n].parent], kind);
        p->same[n] = found == TCF_MAP_ABSENT ? n : found;
        if (n > 0 && found == TCF_MAP_ABSENT)
            status = tcf_map_put(&seen, p->same[p->nodes[n].parent], kind, n);
    }
    tcf_map_free(&seen);
    return status;
}

struct position {
    uint32_t depth, parent, kind, n; /* parent: its index in `order` */
};

static int compare_positions(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->depth, y->depth), TCF_ORDER(x->parent, y->parent), TCF_ORDER(x->kind, y->kind));
}

static int compare_depths(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    return TCF_FIRST(TCF_ORDER(x->depth, y->depth), TCF_ORDER(x->n, y->n));
}

/* Goes through the tree level by level, because the place of a node depends on that of its parent. */
static int find_order(struct paths *p, const uint32_t *region)
{
    struct position *at = calloc(p->n + 1u, sizeof *at);
    uint32_t *depth = p->place; /* holds depths until the places are known */
    for (uint32_t n = 0; at && n < p->n; n++) {
        depth[n] = n == 0 ? 0 : depth[p->nodes[n].parent] + 1;
        if (p->same[n] == n)
            at[p->n_order++] = (struct position){depth[n], 0, kind_of(p, region, n), n};
    }
    if (!at)
        return -1;
    tcf_sort(at, p->n_order, sizeof *at, compare_depths);
    for (uint32_t from = 0, to; from < p->n_order; from = to) {
        for (to = from; to < p->n_order && at[to].depth == at[from].depth; to++)
            at[to].parent = at[to].n == 0 ? 0 : p->place[p->same[p->nodes[at[to].n].parent]];
        qsort(at + from, to - from, sizeof *at, compare_positions);
        for (uint32_t i = from; i < to; i++) {
            p->order[i] = at[i].n;
            p->place[at[i].n] = i;
        }
    }
    for (uint32_t n = 0; n < p->n; n++)
        p->place[n] = p->place[p->same[n]];
    free(at);
    return 0;
}

tcf_status paths_begin(struct paths *p, tcf_self *self)
{
    *p = (struct paths){.self = self, .names.none = "(beyond max_callpaths)"};
    p->nodes = self->host->callpaths(self, &p->n);
    p->same = malloc((p->n + 1u) * sizeof *p->same);
    p->order = malloc((p->n + 1u) * sizeof *p->order);
    p->place = malloc((p->n + 1u) * sizeof *p->place);
    uint32_t *region = same_regions(self->defs);
    int failed =
        !p->same || !p->order || !p->place || !region || find_same(p, region) != 0 || find_order(p, region) != 0;
    free(region);
    if (!failed)
        return TCF_OK;
    paths_free(p);
    return self->host->fail(self, "out of memory for the names of %u call paths", p->n);
}

void paths_free(struct paths *p)
{
    free(p->same);
    free(p->order);
    free(p->place);
    free(p->names.text);
    p->same = p->order = p->place = NULL;
    p->names.text = NULL;
}
