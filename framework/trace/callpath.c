/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See callpath.h. Most look-ups find the child that was entered last, which each node keeps; the others use a map from
 * (parent, region). */
#include "callpath.h"
#include "definitions.h"
#include "framework/base/error.h"
#include "framework/base/map.h"

#include <tcflow/grow.h>

#define ROOT 0u
#define OVERFLOW_NODE 1u

struct callpaths {
    const tcf_definitions *defs;
    tcf_callpath *nodes;
    uint32_t *last_child; /* by node: the child entered last; ROOT: none yet */
    uint32_t n, capacity, cap;
    map children;
    uint64_t overflow;
};

typedef struct position {
    uint32_t node;
    uint32_t beyond; /* open regions at and below the overflow node */
    uint32_t return_to;
} position;

struct callpath_stage {
    callpaths *tree;
    position at[];
};

static int grow(callpaths *c)
{
    uint32_t nodes = c->capacity, last = c->capacity;
    if (TCF_GROW(&c->nodes, &nodes, c->n) != 0 || TCF_GROW(&c->last_child, &last, c->n) != 0)
        return -1;
    c->capacity = nodes;
    return 0;
}

callpaths *callpaths_new(const tcf_definitions *defs, uint32_t cap)
{
    callpaths *c = calloc(1, sizeof *c);
    if (!c || (c->defs = defs, c->cap = cap < 2 ? 2 : cap, grow(c) != 0)) {
        callpaths_delete(c);
        error_fail("out of memory for the call tree");
        return NULL;
    }
    c->nodes[ROOT] = (tcf_callpath){ROOT, TCF_NONE, 0};
    c->nodes[OVERFLOW_NODE] = (tcf_callpath){ROOT, TCF_NONE, 1};
    c->last_child[ROOT] = c->last_child[OVERFLOW_NODE] = ROOT;
    c->n = 2;
    return c;
}

void callpaths_delete(callpaths *c)
{
    if (!c)
        return;
    free(c->nodes);
    free(c->last_child);
    map_free(&c->children);
    free(c);
}

const tcf_callpath *callpaths_nodes(const callpaths *c, uint32_t *n)
{
    *n = c->n;
    return c->nodes;
}

uint64_t callpaths_overflow(const callpaths *c)
{
    return c->overflow;
}

callpath_stage *callpath_stage_new(callpaths *c)
{
    callpath_stage *stage = calloc(1, sizeof *stage + c->defs->n_locations * sizeof *stage->at);
    if (!stage) {
        error_fail("out of memory for the call paths of %u locations", c->defs->n_locations);
        return NULL;
    }
    stage->tree = c;
    return stage;
}

void callpath_stage_delete(callpath_stage *stage)
{
    free(stage);
}

/* Finds or makes the child; OVERFLOW_NODE when the tree is full, MAP_ABSENT when out of memory. */
static uint32_t find_child(callpaths *c, uint32_t parent, uint32_t region)
{
    uint32_t child = map_get(&c->children, parent, region);
    if (child != MAP_ABSENT)
        return child;
    if (c->n >= c->cap)
        return OVERFLOW_NODE;
    if (c->n == c->capacity && grow(c) != 0)
        return MAP_ABSENT;
    child = c->n;
    if (map_put(&c->children, parent, region, child) != 0)
        return MAP_ABSENT;
    c->nodes[child] = (tcf_callpath){parent, region, c->nodes[parent].depth + 1};
    c->last_child[child] = ROOT;
    c->n++;
    return child;
}

callpaths_part callpaths_as_part(const callpaths *c)
{
    return (callpaths_part){c->nodes, c->n, c->overflow, c->defs};
}

tcf_status callpaths_adopt(callpaths *c, callpaths_numbers *to, uint32_t parent, uint32_t region)
{
    const uint32_t cap = c->cap, i = to->n;

    if (i > OVERFLOW_NODE && parent >= i)
        return error_fail("call path %u is said to be inside of call path %u; please report this", i, parent);
    c->cap = UINT32_MAX;
    const int has_room = TCF_GROW(&to->of, &to->capacity, i) == 0;
    const uint32_t node = !has_room ? MAP_ABSENT : i <= OVERFLOW_NODE ? i : find_child(c, to->of[parent], region);
    c->cap = cap;
    if (node == MAP_ABSENT)
        return error_fail("out of memory for the call tree (%u call paths)", c->n);
    to->of[to->n++] = node;
    return TCF_OK;
}

tcf_status callpaths_join(callpaths *c, const callpaths_part *other, callpaths_numbers *to)
{
    definitions *defs = (definitions *)(uintptr_t)c->defs;

    while (to->n < other->n) {
        const tcf_callpath *x = &other->nodes[to->n];
        const uint32_t region =
            tcf_is_computation(x->region)
                ? x->region
                : definitions_index_of_share(defs, (const definitions *)other->defs, TCF_REF_REGION, x->region);
        if (callpaths_adopt(c, to, x->parent, region) != TCF_OK)
            return TCF_ERROR;
    }
    c->overflow += other->overflow;
    return TCF_OK;
}

static uint32_t slow_child(callpaths *c, uint32_t parent, uint32_t region)
{
    uint32_t child = find_child(c, parent, region);
    if (child != OVERFLOW_NODE && child != MAP_ABSENT)
        c->last_child[parent] = child;
    return child;
}

uint32_t callpaths_computation(callpaths *c, uint32_t parent, uint32_t region)
{
    const uint32_t child = parent == OVERFLOW_NODE ? OVERFLOW_NODE : find_child(c, parent, region | TCF_COMPUTATION);
    if (child != MAP_ABSENT)
        return child == OVERFLOW_NODE ? parent : child;
    error_fail("out of memory for the call tree (%u call paths)", c->n);
    return TCF_NONE;
}

static inline uint32_t child_of(callpaths *c, uint32_t parent, uint32_t region)
{
    uint32_t child = c->last_child[parent];
    if (child != ROOT && c->nodes[child].region == region)
        return child;
    return slow_child(c, parent, region);
}

static int enter(callpaths *c, position *p, uint32_t region)
{
    if (p->beyond > 0) {
        p->beyond++;
        c->overflow++;
        return 0;
    }
    uint32_t child = child_of(c, p->node, region);
    if (child == MAP_ABSENT)
        return -1;
    if (child == OVERFLOW_NODE) {
        p->return_to = p->node;
        p->beyond = 1;
        c->overflow++;
    }
    p->node = child;
    return 0;
}

/* The node that is left; the current one when no region of the path matches. */
static uint32_t leave(callpaths *c, position *p, uint32_t region)
{
    uint32_t node = p->node;
    if (p->beyond > 0) {
        if (--p->beyond == 0)
            p->node = p->return_to;
        return node;
    }
    uint32_t k = node;
    while (k != ROOT && c->nodes[k].region != region)
        k = c->nodes[k].parent;
    if (k == ROOT)
        return node;
    p->node = c->nodes[k].parent;
    return k;
}

tcf_status callpath_fill(callpath_stage *stage, slice *s)
{
    callpaths *c = stage->tree;
    position *p = &stage->at[s->v.location];
    const uint8_t *kind = s->v.kind;
    const tcf_rec *rec = s->v.rec;
    uint32_t *column = s->v.callpath;
    for (uint32_t i = 0; i < s->v.n; i++) {
        int failed = 0;
        switch (kind[i]) {
        case TCF_ENTER:
            failed = enter(c, p, rec[i].enter.region);
            column[i] = p->node;
            break;
        case TCF_LEAVE:
            column[i] = leave(c, p, rec[i].leave.region);
            break;
        case TCF_CALLING_CONTEXT_ENTER:
            failed = enter(c, p, tcf_region_of_context(c->defs, rec[i].calling_context_enter.calling_context));
            column[i] = p->node;
            break;
        case TCF_CALLING_CONTEXT_LEAVE:
            column[i] = leave(c, p, tcf_region_of_context(c->defs, rec[i].calling_context_leave.calling_context));
            break;
        default:
            column[i] = p->node;
        }
        if (failed)
            return error_fail("out of memory for the call tree (%u call paths)", c->n);
    }
    return TCF_OK;
}
