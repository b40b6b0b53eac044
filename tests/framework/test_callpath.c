/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Call paths against a plain stack: recursion, leaves without enters, many locations, the cap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "defined.h"
#include "framework/trace/callpath.h"

enum { LOCATIONS = 3, REGIONS = 4, DEEPEST = 400, CAPACITY = 64 };

static uint64_t random_state = 5;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

/* The stack of one location. */
struct naive {
    uint32_t region[DEEPEST];
    uint32_t depth;
};

/* A call path is its regions from the root on. */
static void same_path(const callpaths *tree, uint32_t node, const struct naive *stack, uint32_t depth)
{
    uint32_t n;
    const tcf_callpath *nodes = callpaths_nodes(tree, &n);
    for (uint32_t k = depth; k > 0; k--) {
        assert_true(node < n && nodes[node].parent < node);
        assert_int_equal(nodes[node].region, stack->region[k - 1]);
        assert_int_equal(nodes[node].depth, k);
        node = nodes[node].parent;
    }
    assert_int_equal(node, 0);
}

/* One random event; the depth of the path that the column should name. `top`: with the region that is left. */
static uint32_t step(tcf_slice *s, struct naive *stack, uint32_t enters)
{
    uint32_t i = s->n++, region = draw(REGIONS), what = draw(10);
    if (what == 0) {
        s->kind[i] = TCF_MPI_SEND;
        return stack->depth;
    }
    if (what <= enters && stack->depth < DEEPEST) {
        s->kind[i] = TCF_ENTER;
        s->rec[i].enter.region = region;
        stack->region[stack->depth++] = region;
        return stack->depth;
    }
    if (draw(5) > 0 && stack->depth > 0) /* mostly balanced */
        region = stack->region[stack->depth - 1];
    s->kind[i] = TCF_LEAVE;
    s->rec[i].leave.region = region;
    for (uint32_t k = stack->depth; k > 0; k--)
        if (stack->region[k - 1] == region) {
            stack->depth = k - 1;
            return k;
        }
    return stack->depth; /* no such region is open */
}

static pool *make_pool(void)
{
    slice_layout l = {.capacity = CAPACITY, .arena = 8, .callpath = 1};
    pool *p = pool_new(&l, 1);
    assert_non_null(p);
    return p;
}

static const tcf_definitions defs = {.stride = TCF_STRIDES, .n_locations = LOCATIONS, .n_regions = REGIONS};

static void same_as_a_stack(void **state)
{
    (void)state;
    static struct naive stacks[LOCATIONS];
    memset(stacks, 0, sizeof stacks);
    pool *p = make_pool();
    callpaths *tree = callpaths_new(&defs, 1 << 20);
    callpath_stage *stage = callpath_stage_new(tree);
    for (uint32_t round = 0; round < 1500; round++) {
        uint32_t l = draw(LOCATIONS), n = draw(CAPACITY + 1), depth[CAPACITY], enters = round / 100 % 2 ? 3 : 6;
        struct naive at[CAPACITY], *stack = &stacks[l];
        slice *s = slice_get(p, l);
        for (uint32_t i = 0; i < n; i++) {
            at[i] = *stack;
            depth[i] = step(&s->v, stack, enters);
            if (s->v.kind[i] != TCF_LEAVE)
                at[i] = *stack;
        }
        assert_int_equal(callpath_fill(stage, s), TCF_OK);
        for (uint32_t i = 0; i < n; i++)
            same_path(tree, s->v.callpath[i], &at[i], depth[i]);
        slice_put(p, s);
    }
    assert_int_equal(callpaths_overflow(tree), 0);
    callpath_stage_delete(stage);
    callpaths_delete(tree);
    pool_delete(p);
}

/* n enters or leaves of a region; the column is to be read from s. */
static void feed(pool *p, callpath_stage *stage, uint8_t kind, uint32_t region, uint32_t n, uint32_t *column)
{
    for (uint32_t k = 0; k < n; k++) {
        slice *s = slice_get(p, 0);
        s->v.n = 1;
        s->v.kind[0] = kind;
        s->v.rec[0].enter.region = region;
        assert_int_equal(callpath_fill(stage, s), TCF_OK);
        column[k] = s->v.callpath[0];
        slice_put(p, s);
    }
}

static void the_cap(void **state)
{
    (void)state;
    uint32_t in[20], out[20], other, n;
    pool *p = make_pool();
    callpaths *tree = callpaths_new(&defs, 10);
    callpath_stage *stage = callpath_stage_new(tree);
    feed(p, stage, TCF_ENTER, 1, 20, in); /* recursion: 8 nodes besides the root and the one for the rest */
    const tcf_callpath *nodes = callpaths_nodes(tree, &n);
    assert_int_equal(n, 10);
    for (uint32_t k = 0; k < 8; k++)
        assert_int_equal(nodes[in[k]].depth, k + 1);
    for (uint32_t k = 8; k < 20; k++) {
        assert_int_equal(in[k], in[8]);
        assert_int_equal(nodes[in[k]].region, TCF_NONE);
        assert_int_equal(nodes[in[k]].parent, 0);
        assert_int_equal(nodes[in[k]].depth, 1);
    }
    assert_int_equal(callpaths_overflow(tree), 12);
    feed(p, stage, TCF_LEAVE, 1, 20, out); /* back the same way */
    for (uint32_t k = 0; k < 20; k++)
        assert_int_equal(out[k], in[19 - k]);
    feed(p, stage, TCF_ENTER, 2, 1, &other); /* no node is left for another one either */
    assert_int_equal(other, in[8]);
    assert_int_equal(callpaths_overflow(tree), 13);
    feed(p, stage, TCF_LEAVE, 2, 1, &other);
    feed(p, stage, TCF_ENTER, 1, 1, &other);
    assert_int_equal(other, in[0]);
    callpath_stage_delete(stage);
    callpaths_delete(tree);
    pool_delete(p);
}

static void calling_contexts(void **state)
{
    (void)state;
    static const tcf_calling_context contexts[] = {{.id = 7, .region = 3}, {.id = 8, .region = 1}};
    tcf_definitions d = defs;
    uint32_t in, out, n;
    d.calling_contexts = contexts;
    d.n_calling_contexts = 2;
    pool *p = make_pool();
    callpaths *tree = callpaths_new(&d, 100);
    callpath_stage *stage = callpath_stage_new(tree);
    feed(p, stage, TCF_CALLING_CONTEXT_ENTER, 0, 1, &in);
    assert_int_equal(callpaths_nodes(tree, &n)[in].region, 3);
    feed(p, stage, TCF_CALLING_CONTEXT_LEAVE, 1, 1, &out); /* is not open */
    assert_int_equal(out, in);
    feed(p, stage, TCF_CALLING_CONTEXT_LEAVE, 0, 1, &out);
    assert_int_equal(out, in);
    feed(p, stage, TCF_LEAVE, 3, 1, &out);
    assert_int_equal(out, 0);
    feed(p, stage, TCF_CALLING_CONTEXT_ENTER, TCF_DANGLING | 0, 1, &in); /* defined nowhere, nor is any region of it */
    assert_int_equal(callpaths_nodes(tree, &n)[in].region, TCF_NONE);
    callpath_stage_delete(stage);
    callpaths_delete(tree);
    pool_delete(p);
}

/* Computation nodes are children that no event enters; each is made once, and the parent stands for it at the cap. */
static void computation(void **state)
{
    (void)state;
    uint32_t in[2], out, n;
    pool *p = make_pool();
    callpaths *tree = callpaths_new(&defs, 6);
    callpath_stage *stage = callpath_stage_new(tree);
    feed(p, stage, TCF_ENTER, 1, 2, in);
    const uint32_t after = callpaths_computation(tree, in[0], 1);
    assert_int_equal(callpaths_nodes(tree, &n)[after].parent, in[0]);
    assert_int_equal(callpaths_nodes(tree, &n)[after].depth, 2);
    assert_int_equal(callpaths_nodes(tree, &n)[after].region, 1 | TCF_COMPUTATION);
    assert_true(tcf_is_computation(callpaths_nodes(tree, &n)[after].region));
    assert_false(tcf_is_computation(callpaths_nodes(tree, &n)[0].region));
    assert_int_equal(callpaths_computation(tree, in[0], 1), after);
    feed(p, stage, TCF_LEAVE, 1, 1, &out);
    feed(p, stage, TCF_ENTER, 1, 1, &out); /* the call of that region is another node */
    assert_int_equal(out, in[1]);
    assert_int_not_equal(callpaths_computation(tree, 0, 1), after);
    callpaths_nodes(tree, &n);
    assert_int_equal(n, 6);
    assert_int_equal(callpaths_computation(tree, in[1], 2), in[1]); /* the tree is full */
    assert_int_equal(callpaths_computation(tree, in[0], 1), after);
    assert_int_equal(callpaths_overflow(tree), 0);
    callpath_stage_delete(stage);
    callpaths_delete(tree);
    pool_delete(p);
}

/* The nodes of another domain's tree are found here by their paths, those beyond its cap by the node for the rest. */
static void joined(void **state)
{
    (void)state;
    uint32_t in[3], back[3], other[5], n_in, n, n_other;
    definitions *d = definitions_new();
    d->v.archive = "test";
    process(d, 0, 0);
    for (uint32_t r = 0; r < REGIONS; r++)
        region(d, 10 * r, TCF_NONE);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    definitions *share = definitions_share(d);
    pool *p = make_pool();
    callpaths *here = callpaths_new(&d->v, 100), *there = callpaths_new(&share->v, 6);
    callpath_stage *stage = callpath_stage_new(here), *its_stage = callpath_stage_new(there);
    feed(p, stage, TCF_ENTER, 1, 2, in);
    feed(p, its_stage, TCF_ENTER, 1, 1, other);
    feed(p, its_stage, TCF_ENTER, 2, 1, other + 1);
    feed(p, its_stage, TCF_ENTER, 3, 3, other + 2); /* room for two of them */
    assert_int_equal(callpaths_overflow(there), 1);
    callpaths_nodes(here, &n_in);
    callpaths_numbers to = {0};
    const callpaths_part part = callpaths_as_part(there);
    assert_int_equal(callpaths_join(here, &part, &to), TCF_OK);
    const tcf_callpath *nodes = callpaths_nodes(here, &n), *its = callpaths_nodes(there, &n_other);
    assert_int_equal(to.n, n_other);
    assert_int_equal(n, n_in + 3); /* the path of region 1 is in both */
    assert_int_equal(to.of[other[0]], in[0]);
    for (uint32_t k = 2; k < n_other; k++) {
        assert_int_equal(nodes[to.of[k]].region, its[k].region);
        assert_int_equal(nodes[to.of[k]].parent, to.of[its[k].parent]);
        assert_int_equal(nodes[to.of[k]].depth, its[k].depth);
    }
    assert_int_equal(nodes[to.of[other[4]]].region, TCF_NONE);
    assert_int_equal(callpaths_overflow(here), 1);
    feed(p, stage, TCF_LEAVE, 1, 2, back); /* paths of this tree are what they were */
    assert_int_equal(back[0], in[1]);
    const callpaths_numbers before = to;
    assert_int_equal(callpaths_adopt(here, &to, to.n, 1), TCF_ERROR); /* inside of one that is not there yet */
    assert_int_equal(to.n, before.n);
    free(to.of);
    callpath_stage_delete(stage);
    callpath_stage_delete(its_stage);
    callpaths_delete(here);
    callpaths_delete(there);
    pool_delete(p);
    definitions_delete(share);
    definitions_delete(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_a_stack), cmocka_unit_test(the_cap), cmocka_unit_test(calling_contexts),
        cmocka_unit_test(computation),     cmocka_unit_test(joined),
    };
    return cmocka_run_group_tests_name("callpath", tests, NULL, NULL);
}
