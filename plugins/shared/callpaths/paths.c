/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Call paths as text, and which of them have the same names: some measurement systems define each region once for every
 * process. */
#include "paths.h"

#include <tcflow/map.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *region_name(const struct paths *p, uint32_t region, char number[24])
{
    const tcf_definitions *d = p->self->defs;
    if (region < d->n_regions && d->regions[region].name)
        return d->regions[region].name;
    if (region == TCF_NONE)
        return "(beyond max_callpaths)";
    snprintf(number, 24, "region#%" PRIu64, tcf_id(d, TCF_REF_REGION, region, UINT32_MAX));
    return number;
}

const char *path_text(struct paths *p, uint32_t callpath)
{
    char number[24];
    size_t length = 0;
    if (callpath >= p->n)
        return "";
    for (uint32_t n = callpath; n != 0; n = p->nodes[n].parent)
        length += strlen(region_name(p, p->nodes[n].region, number)) + 1;
    if (length + 1 > p->text_bytes) {
        char *grown = realloc(p->text, 2 * length + 64);
        if (!grown) {
            p->out_of_memory = 1;
            return "";
        }
        p->text = grown;
        p->text_bytes = 2 * length + 64;
    }
    p->text[length > 0 ? length - 1 : 0] = '\0';
    for (uint32_t n = callpath; n != 0; n = p->nodes[n].parent) {
        const char *name = region_name(p, p->nodes[n].region, number);
        size_t l = strlen(name);
        length -= l + 1;
        memcpy(p->text + length, name, l);
        if (length > 0)
            p->text[length - 1] = '/';
    }
    return p->text;
}

/* ----------------------------------------------------------------------------------------------- same call paths -- */

static int compare_text(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static int compare_regions(const void *a, const void *b)
{
    const tcf_region *const *p = a, *const *q = b, *x = *p, *y = *q;
    int order = compare_text(x->name, y->name);
    if (order == 0)
        order = compare_text(x->file, y->file);
    if (order == 0 && x->begin_line != y->begin_line)
        order = x->begin_line < y->begin_line ? -1 : 1;
    if (order == 0 && x->role != y->role)
        order = x->role < y->role ? -1 : 1;
    return order != 0 ? order : (x->paradigm > y->paradigm) - (x->paradigm < y->paradigm);
}

/* For each region the number of the first equal one. NULL: out of memory. */
static uint32_t *same_regions(const tcf_definitions *d)
{
    uint32_t *same = malloc((d->n_regions + 1u) * sizeof *same);
    const tcf_region **sorted = malloc((d->n_regions + 1u) * sizeof *sorted);
    for (uint32_t r = 0; same && sorted && r < d->n_regions; r++)
        sorted[r] = &d->regions[r];
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

/* Relies on parents standing before their children. */
static int find_same(struct paths *p, const uint32_t *region)
{
    tcf_map seen = {0};
    int status = 0;
    for (uint32_t n = 0; n < p->n && status == 0; n++) {
        uint32_t r = p->nodes[n].region, kind = r < p->self->defs->n_regions ? region[r] : r;
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
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return (x->kind > y->kind) - (x->kind < y->kind);
}

static int compare_depths(const void *a, const void *b)
{
    const struct position *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

/* Goes through the tree level by level, because the place of a node depends on that of its parent. */
static int find_order(struct paths *p, const uint32_t *region)
{
    struct position *at = calloc(p->n + 1u, sizeof *at);
    uint32_t *depth = p->place; /* holds depths until the places are known */
    for (uint32_t n = 0; at && n < p->n; n++) {
        uint32_t r = p->nodes[n].region;
        depth[n] = n == 0 ? 0 : depth[p->nodes[n].parent] + 1;
        if (p->same[n] == n)
            at[p->n_order++] = (struct position){depth[n], 0, r < p->self->defs->n_regions ? region[r] : r, n};
    }
    if (!at)
        return -1;
    if (p->n_order > 0)
        qsort(at, p->n_order, sizeof *at, compare_depths);
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
    *p = (struct paths){.self = self};
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
    free(p->text);
    p->same = p->order = p->place = NULL;
    p->text = NULL;
}
