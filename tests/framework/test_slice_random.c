/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Slices against what a plain array says, at random: split, compacted and cut again; what grows, and a dry pool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "framework/trace/slice.h"

static uint64_t random_state = 3;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static pool *make(uint32_t capacity, uint32_t blocks)
{
    slice_layout l = {.capacity = capacity, .arena = 64, .edges = 1, .callpath = 1, .n_columns = 2};
    l.column[0].name = "dense";
    l.column[0].bytes = 8;
    l.column[1].name = "at edges";
    l.column[1].bytes = 4;
    l.column[1].at_edges = 1;
    pool *p = pool_new(&l, blocks);
    assert_non_null(p);
    return p;
}

/* n events; event i has time i, kind i, and `edges` edges where i is divisible by 3. All carry the number i. */
static slice *fill(pool *p, uint32_t n, uint32_t edges)
{
    slice *s = slice_get(p, 5);
    assert_non_null(s);
    memset(s->v.match, 0, n * sizeof *s->v.match);
    s->v.first = 1000;
    for (uint32_t i = 0; i < n; i++) {
        s->v.time[i] = i;
        s->v.kind[i] = (uint8_t)i;
        s->v.rec[i].metric.metric = i;
        s->v.attr[i] = i;
        s->v.edge[i] = i % 3 == 0 && edges ? TCF_EDGE_SOURCE : 0;
        ((uint64_t *)s->v.columns[0])[i] = i;
        s->v.n++;
        for (uint32_t k = 0; i % 3 == 0 && k < edges; k++) {
            uint32_t index;
            tcf_edge *e = slice_add_edge(p, s, i, &index);
            assert_non_null(e);
            assert_int_equal(index, i / 3 * edges + k);
            e->number = i;
            e->rank = k;
            ((uint32_t *)s->v.columns[1])[index] = i;
        }
    }
    return s;
}

/* Every event of s, with its edges: `event` says which events it should hold. */
static void check(const slice *s, const uint32_t *event, uint32_t n, uint32_t edges)
{
    assert_int_equal(s->v.n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = event[i];
        assert_int_equal(s->v.time[i], e);
        assert_int_equal(s->v.kind[i], (uint8_t)e);
        assert_int_equal(s->v.rec[i].metric.metric, e);
        assert_int_equal(s->v.attr[i], e);
        assert_int_equal(((const uint64_t *)s->v.columns[0])[i], e);
        const tcf_edge *first = tcf_edge_of(&s->v, i);
        if (e % 3 != 0 || edges == 0) {
            assert_null(first);
            continue;
        }
        assert_non_null(first);
        assert_int_equal(s->v.edge[i], TCF_EDGE_SOURCE);
        for (uint32_t k = 0; k < edges; k++) {
            assert_int_equal(first[k].pos, i);
            assert_int_equal(first[k].number, e);
            assert_int_equal(first[k].rank, k);
            assert_int_equal(first[k].flags & TCF_EDGE_GONE, 0);
            assert_int_equal(((const uint32_t *)s->v.columns[1])[first - s->v.edges + k], e);
        }
    }
    for (uint32_t k = 1; k < s->v.n_edges; k++)
        assert_true(s->v.edges[k].pos >= s->v.edges[k - 1].pos);
}

static void splits(void **state)
{
    (void)state;
    enum { N = 90 };
    uint32_t event[N];
    for (uint32_t i = 0; i < N; i++)
        event[i] = i;
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t edges = draw(3), from = 0;
        pool *p = make(N, 2);
        slice *s = fill(p, N, edges);
        while (s->v.n > 1 && draw(8) > 0) {
            uint32_t at = 1 + draw(s->v.n - 1);
            slice *rest = slice_split(p, s, at);
            if (!rest)
                break;
            assert_int_equal(s->v.n_edges, edges * ((from + at + 2) / 3 - (from + 2) / 3));
            check(s, event + from, at, edges);
            assert_int_equal(rest->v.location, 5);
            assert_int_equal(rest->v.first, 1000 + from + at);
            slice_put(p, s);
            assert_int_equal(pool_available(p), 1); /* the rest still looks at the block */
            from += at;
            s = rest;
        }
        check(s, event + from, N - from, edges);
        slice_put(p, s);
        assert_int_equal(pool_available(p), 2);
        pool_delete(p);
    }
}

static void tombstones(void **state)
{
    (void)state;
    enum { N = 60 };
    for (uint32_t round = 0; round < 300; round++) {
        uint32_t kept[N], n = N, all[N], gone = 0, edges = draw(3);
        pool *p = make(N, 2);
        slice *s = fill(p, N, edges);
        for (uint32_t i = 0; i < N; i++)
            all[i] = i;
        for (int again = 0; again < 2; again++) { /* dropping some, then some more */
            uint8_t keep[N + 1];
            uint32_t m = 0, some = 1 + draw(6);
            for (uint32_t i = 0; i < n; i++)
                if ((keep[i] = draw(some) > 0))
                    kept[m++] = all[i];
            keep[s->v.n] = 1; /* of no event */
            slice_compact(p, s, keep);
            memcpy(all, kept, m * sizeof *kept);
            n = m;
            check(s, all, n, edges);
        }
        assert_int_equal(s->v.n_edges, (N + 2) / 3 * edges);
        for (uint32_t k = 0; k < s->v.n_edges; k++) { /* a tombstone stands in front of the next event kept */
            const tcf_edge *e = &s->v.edges[k];
            uint32_t next = 0;
            while (next < n && all[next] < e->number)
                next++;
            assert_int_equal(e->pos, next);
            assert_int_equal(!(e->flags & TCF_EDGE_GONE), next < n && all[next] == e->number);
            gone += (e->flags & TCF_EDGE_GONE) != 0;
        }
        if (n > 1) { /* and goes with it when the slice is cut */
            uint32_t at = 1 + draw(n - 1), left = 0;
            slice *rest = slice_split(p, s, at);
            check(s, all, at, edges);
            check(rest, all + at, n - at, edges);
            for (uint32_t k = 0; k < s->v.n_edges; k++)
                left += (s->v.edges[k].flags & TCF_EDGE_GONE) != 0;
            for (uint32_t k = 0; k < rest->v.n_edges; k++)
                left += (rest->v.edges[k].flags & TCF_EDGE_GONE) != 0;
            assert_int_equal(left, gone);
            slice_put(p, rest);
        }
        slice_put(p, s);
        pool_delete(p);
    }
}

static void edges_grow(void **state)
{
    (void)state;
    pool *p = make(300, 2);
    for (int again = 0; again < 3; again++) { /* the block keeps what it has got */
        slice *s = fill(p, 300, 20);
        uint32_t event[300];
        for (uint32_t i = 0; i < 300; i++)
            event[i] = i;
        assert_int_equal(s->v.n_edges, 2000);
        check(s, event, 300, 20);
        slice_put(p, s);
    }
    pool_delete(p);
}

static void arena_grows(void **state)
{
    (void)state;
    pool *p = make(16, 1);
    for (int again = 0; again < 3; again++) {
        uint32_t offset[200];
        slice *s = slice_get(p, 0);
        assert_non_null(s);
        for (uint32_t i = 0; i < 200; i++) {
            offset[i] = slice_arena(s, 1 + i);
            assert_true(offset[i] > 0 && offset[i] % 8 == 0);
            assert_true(i == 0 || offset[i] >= offset[i - 1] + i);
            memset(tcf_at(&s->v, offset[i]), (int)i, 1 + i);
        }
        for (uint32_t i = 0; i < 200; i++)
            for (uint32_t k = 0; k <= i; k++)
                assert_int_equal(((const uint8_t *)tcf_at(&s->v, offset[i]))[k], i);
        assert_int_equal(slice_arena(s, UINT32_MAX), 0); /* more than offsets can express */
        slice_put(p, s);
    }
    slice *s = slice_get(p, 0);
    assert_false(slice_arena_full(s));
    while (!slice_arena_full(s))
        assert_true(slice_arena(s, 8) > 0);
    slice_put(p, s);
    pool_delete(p);
}

static void dry_pools(void **state)
{
    (void)state;
    enum { BLOCKS = 7 };
    slice *s[BLOCKS], *view[64];
    pool *p = make(32, BLOCKS);
    for (int again = 0; again < 3; again++) {
        assert_int_equal(pool_available(p), BLOCKS);
        for (uint32_t i = 0; i < BLOCKS; i++) {
            s[i] = slice_get(p, i);
            assert_non_null(s[i]);
            assert_int_equal(s[i]->v.location, i);
            assert_int_equal(s[i]->v.n, 0);
        }
        assert_int_equal(pool_available(p), 0);
        assert_null(slice_get(p, 0));
        slice_put(p, s[3]);
        s[3] = slice_get(p, 3);
        assert_non_null(s[3]);
        for (uint32_t i = 0; i < BLOCKS; i++)
            slice_put(p, s[i]);
    }
    slice *one = fill(p, 30, 1); /* views run out too, and come back */
    uint32_t n = 0;
    for (slice *rest; n < 28 && (rest = slice_split(p, one, one->v.n - 1)); n++)
        view[n] = rest;
    assert_true(n >= 3 * BLOCKS && n <= 4 * BLOCKS);
    while (n > 0)
        slice_put(p, view[--n]);
    assert_int_equal(pool_available(p), BLOCKS - 1);
    slice_put(p, one);
    assert_int_equal(pool_available(p), BLOCKS);
    pool_delete(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits),      cmocka_unit_test(tombstones), cmocka_unit_test(edges_grow),
        cmocka_unit_test(arena_grows), cmocka_unit_test(dry_pools),
    };
    return cmocka_run_group_tests_name("slice_random", tests, NULL, NULL);
}
