/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Slices and their pool: views of a split block, the list of edges cut with it, the arena, and running dry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "framework/trace/slice.h"

static const slice_layout layout = {
    .capacity = 100,
    .arena = 256,
    .edges = 1,
    .callpath = 1,
    .n_columns = 2,
    .column = {{.name = "jump", .bytes = 8}, {.name = "at_edges", .bytes = 4, .at_edges = 1}},
};

/* 100 events; those at multiples of 7 have an edge, at multiples of 21 two. */
static slice *filled(pool *p)
{
    slice *s = slice_get(p, 3);
    assert_non_null(s);
    s->v.n = 100;
    s->v.first = 1000;
    for (uint32_t i = 0; i < 100; i++) {
        s->v.time[i] = i * 10;
        s->v.kind[i] = (uint8_t)(i + 1);
        s->v.rec[i].enter.region = i;
        s->v.attr[i] = 0;
        s->v.callpath[i] = i;
        ((uint64_t *)s->v.columns[0])[i] = i * 3;
        s->v.match[i] = 0;
        for (uint32_t k = 0; i % 7 == 0 && k <= (i % 21 == 0); k++) {
            s->v.edges[s->v.n_edges] = (tcf_edge){.pos = i, .number = i + k};
            ((uint32_t *)s->v.columns[1])[s->v.n_edges++] = i + k;
            if (k == 0)
                s->v.match[i] = s->v.n_edges;
        }
    }
    return s;
}

/* s has the events from..to of filled(). */
static void check(const slice *s, uint32_t from, uint32_t to)
{
    uint32_t edges = 0;
    assert_int_equal(s->v.location, 3);
    assert_int_equal(s->v.n, to - from);
    assert_int_equal(s->v.first, 1000 + from);
    for (uint32_t i = from; i < to; i++) {
        assert_int_equal(s->v.time[i - from], i * 10);
        assert_int_equal(s->v.kind[i - from], i + 1);
        assert_int_equal(s->v.rec[i - from].enter.region, i);
        assert_int_equal(s->v.callpath[i - from], i);
        assert_int_equal(((const uint64_t *)s->v.columns[0])[i - from], i * 3);
        const tcf_edge *e = tcf_edge_of(&s->v, i - from);
        assert_true((e != NULL) == (i % 7 == 0));
        for (uint32_t k = 0; e && k <= (i % 21 == 0); k++, e++, edges++) {
            assert_ptr_equal(e, &s->v.edges[edges]);
            assert_int_equal(e->pos, i - from);
            assert_int_equal(e->number, i + k);
            assert_int_equal(((const uint32_t *)s->v.columns[1])[edges], i + k);
        }
    }
    assert_int_equal(s->v.n_edges, edges);
}

static void split(void **state)
{
    (void)state;
    pool *p = pool_new(&layout, 2);
    for (uint32_t at = 1; at < 100; at++) {
        slice *s = filled(p);
        slice *rest = slice_split(p, s, at);
        assert_non_null(rest);
        check(s, 0, at);
        check(rest, at, 100);
        assert_int_equal(pool_available(p), 1);
        slice_put(p, s);
        assert_int_equal(pool_available(p), 1);
        check(rest, at, 100);
        if (at < 98) { /* once more */
            slice *last = slice_split(p, rest, 2);
            check(rest, at, at + 2);
            check(last, at + 2, 100);
            slice_put(p, last);
        }
        slice_put(p, rest);
        assert_int_equal(pool_available(p), 2);
    }
    pool_delete(p);
}

/* The rest as a copy: in memory of its own, and whole. */
static void copied_rest(void **state)
{
    (void)state;
    pool *p = pool_new(&layout, 2);
    for (uint32_t at = 1; at < 100; at++) {
        slice *s = filled(p);
        slice *first = at > 30 ? s : NULL;
        if (first && !(s = slice_split(p, first, 20))) /* also where the slice is a part of a block */
            fail();
        const uint32_t from = first ? 20 : 0;
        slice *rest = slice_copy_rest(p, s, at - from);
        assert_non_null(rest);
        assert_int_equal(rest->v.location, s->v.location);
        assert_int_equal(rest->v.first, s->v.first + at - from);
        assert_ptr_not_equal(rest->block, s->block);
        check(s, from, at);
        memset(s->v.time, 0xff, (at - from) * sizeof *s->v.time);
        memset(s->v.edges, 0xff, s->v.n_edges * sizeof *s->v.edges);
        slice_put(p, s);
        if (first)
            slice_put(p, first);
        assert_int_equal(pool_available(p), 1);
        check(rest, at, 100);
        slice_put(p, rest);
        assert_int_equal(pool_available(p), 2);
    }
    pool_delete(p);
}

/* What can't be copied stays as it was. */
static void no_copied_rest(void **state)
{
    (void)state;
    slice_layout with = layout;
    pool *p = pool_new(&with, 1);
    slice *s = filled(p);
    assert_null(slice_copy_rest(p, s, 40)); /* no block is left */
    check(s, 0, 100);
    slice_put(p, s);
    pool_delete(p);
    p = pool_new(&with, 2);
    s = filled(p);
    assert_true(slice_arena(s, 8) > 0);
    assert_null(slice_copy_rest(p, s, 40)); /* something lies in the arena */
    check(s, 0, 100);
    slice_put(p, s);
    pool_delete(p);
    with.many = 1;
    p = pool_new(&with, 1);
    s = slice_get_sized(p, 0, SLICE_MANY);
    s->v.n = layout.capacity + 2;
    assert_null(slice_copy_rest(p, s, 1)); /* it doesn't fit */
    assert_int_equal(s->v.n, layout.capacity + 2);
    slice_put(p, s);
    pool_delete(p);
}

static void dry(void **state)
{
    (void)state;
    pool *p = pool_new(&layout, 3);
    slice *s[3];
    for (int i = 0; i < 3; i++)
        assert_non_null(s[i] = slice_get(p, 0));
    assert_int_equal(pool_available(p), 0);
    assert_null(slice_get(p, 0));
    slice_put(p, s[1]);
    assert_non_null(s[1] = slice_get(p, 0));
    s[0]->v.n = 50;
    uint32_t parts = 0;
    while (parts < 40 && slice_split(p, s[0], 1)) { /* a block cut into as many views as there are */
        parts++;
        s[0]->v.n = 50;
    }
    assert_true(parts >= 3 && parts < 40);
    pool_delete(p);
}

/* Blocks of few and of many events, and the usual ones where those are in use. */
static void sizes(void **state)
{
    (void)state;
    slice_layout with = layout;
    with.few = 2;
    with.many = 1;
    pool *p = pool_new(&with, 2);
    assert_int_equal(pool_available(p), 3);
    assert_int_equal(pool_events(p), 2 * SLICE_FEW_EVENTS + SLICE_MANY_EVENTS + 2 * layout.capacity);
    const slice_size asked[] = {SLICE_FEW, SLICE_MANY, SLICE_MANY, SLICE_FEW, SLICE_FEW};
    const uint32_t events[] = {SLICE_FEW_EVENTS, SLICE_MANY_EVENTS, layout.capacity, SLICE_FEW_EVENTS, layout.capacity},
                   left[] = {3, 2, 1, 1, 0};
    slice *s[5];
    for (int i = 0; i < 5; i++) {
        assert_non_null(s[i] = slice_get_sized(p, 7, asked[i]));
        assert_int_equal(s[i]->block->capacity, events[i]);
        assert_int_equal(pool_available(p), left[i]);
        for (uint32_t k = 0; k < events[i]; k++) { /* none lies in another */
            s[i]->v.time[k] = (uint64_t)i << 32 | k;
            ((uint64_t *)s[i]->v.columns[0])[k] = (uint64_t)i << 48 | k;
        }
    }
    for (int i = 0; i < 5; i++)
        for (uint32_t k = 0; k < events[i]; k++) {
            assert_int_equal(s[i]->v.time[k], (uint64_t)i << 32 | k);
            assert_int_equal(((const uint64_t *)s[i]->v.columns[0])[k], (uint64_t)i << 48 | k);
        }
    assert_null(slice_get_sized(p, 7, SLICE_FEW));
    slice_put(p, s[1]);
    assert_int_equal(pool_available(p), 1);
    assert_non_null(s[1] = slice_get(p, 7)); /* the last one, whatever its size */
    assert_int_equal(s[1]->block->capacity, SLICE_MANY_EVENTS);
    for (int i = 0; i < 5; i++)
        slice_put(p, s[i]);
    assert_int_equal(pool_available(p), 3);
    pool_delete(p);
}

static void arena(void **state)
{
    (void)state;
    pool *p = pool_new(&layout, 1);
    slice *s = slice_get(p, 0);
    uint32_t a = slice_arena(s, 5), b = slice_arena(s, 100);
    assert_true(a > 0 && a % 8 == 0 && b % 8 == 0 && b >= a + 5);
    memset(tcf_at(&s->v, b), 'x', 100);
    assert_false(slice_arena_full(s));
    uint32_t c = slice_arena(s, 100000); /* grows, what is in it stays */
    assert_true(c > b);
    memset(tcf_at(&s->v, c), 'y', 100000);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(((const char *)tcf_at(&s->v, b))[i], 'x');
    assert_int_equal(slice_arena(s, UINT32_MAX), 0); /* more than an offset can be */
    assert_true(slice_arena(s, 8) > c);
    slice_put(p, s);
    s = slice_get(p, 0);
    assert_int_equal(slice_arena(s, 8), a); /* empty again, but as large */
    assert_false(slice_arena_full(s));
    slice_put(p, s);
    pool_delete(p);
}

/* A block may be left when all slices view other ones. */
static void no_view_is_left(void **state)
{
    (void)state;
    pool *p = pool_new(&layout, 2);
    slice *s = filled(p), *last = NULL, *rest;
    while ((rest = slice_split(p, s, s->v.n - 1)))
        last = rest;
    assert_non_null(last);
    assert_int_equal(pool_available(p), 1);
    assert_null(slice_get(p, 0));
    slice_put(p, last);
    assert_non_null(slice_get(p, 0));
    pool_delete(p);
}

/* All that a block has, full to its end: each part and each block has memory of its own. */
static void blocks_lie_apart(void **state)
{
    enum { BLOCKS = 3, PARTS = 11 };
    (void)state;
    pool *p = pool_new(&layout, BLOCKS);
    unsigned char *part[BLOCKS][PARTS];
    size_t bytes[PARTS];
    for (int b = 0; b < BLOCKS; b++) {
        const slice *s = slice_get(p, 0);
        const size_t n = layout.capacity, edges = s->block->edges_capacity;
        const struct {
            const void *at;
            size_t bytes;
        } parts[PARTS] = {{s->v.time, n * sizeof *s->v.time},
                          {s->v.kind, n},
                          {s->v.rec, n * sizeof *s->v.rec},
                          {s->v.attr, n * sizeof *s->v.attr},
                          {s->v.edge, n},
                          {s->v.match, n * sizeof *s->v.match},
                          {s->v.callpath, n * sizeof *s->v.callpath},
                          {s->v.edges, edges * sizeof *s->v.edges},
                          {s->v.columns[0], n * layout.column[0].bytes},
                          {s->v.columns[1], edges * layout.column[1].bytes},
                          {s->v.arena, layout.arena}};
        assert_true(edges >= n / 4);
        for (int k = 0; k < PARTS; k++) {
            part[b][k] = (unsigned char *)(uintptr_t)parts[k].at;
            bytes[k] = parts[k].bytes;
            memset(part[b][k], b * PARTS + k, bytes[k]);
        }
    }
    for (int b = 0; b < BLOCKS; b++)
        for (int k = 0; k < PARTS; k++)
            for (size_t i = 0; i < bytes[k]; i++)
                assert_int_equal(part[b][k][i], b * PARTS + k);
    pool_delete(p);
}

static void columns(void **state)
{
    static const slice_layout least = {.capacity = 7, .arena = 0};
    (void)state;
    pool *p = pool_new(&least, 2);
    slice *s = slice_get(p, 1);
    assert_non_null(s->v.time);
    assert_non_null(s->v.rec);
    assert_null(s->v.edge);
    assert_null(s->v.match);
    assert_null(s->v.edges);
    assert_null(s->v.callpath);
    assert_true(slice_block_bytes(&least) < slice_block_bytes(&layout));
    s->v.n = 7;
    slice *rest = slice_split(p, s, 4);
    assert_ptr_equal(rest->v.time, s->v.time + 4);
    slice_put(p, s);
    slice_put(p, rest);
    assert_int_equal(pool_available(p), 2);
    pool_delete(p);
}

/* What a location is said to take is what its columns need, and what describes them. */
static void bytes(void **state)
{
    (void)state;
    const slice_layout plain = {.capacity = 100, .arena = 8}, edges = {.capacity = 100, .arena = 8, .edges = 1};
    const size_t needed = 100 * (sizeof(uint64_t) + sizeof(uint8_t) + sizeof(tcf_rec) + sizeof(uint32_t));
    assert_true(slice_block_bytes(&plain) >= needed + sizeof(block) + 4 * sizeof(slice)); /* views of it */
    assert_true(slice_block_bytes(&plain) <= 2 * (needed + sizeof(block) + sizeof(slice)));
    assert_true(slice_block_bytes(&edges) >= slice_block_bytes(&plain) + 100 * (sizeof(uint8_t) + sizeof(uint32_t)));
}

/* How many of the pages from `from` to `to` are in memory. */
static size_t resident(const void *from, const void *to)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)from + page - 1) / page * page, end = (uintptr_t)to / page * page;
    unsigned char in_memory[64];
    size_t n = 0;
    assert_true(end > begin && (end - begin) / page <= sizeof in_memory);
    assert_int_equal(mincore((void *)begin, end - begin, in_memory), 0);
    for (size_t i = 0; i < (end - begin) / page; i++)
        n += in_memory[i] & 1;
    return n;
}

/* Memory goes back to the system where no slice is in use, and not before. */
static void rest(void **state)
{
    enum { BLOCKS = 64, EVENTS = 20000 };
    static const slice_layout large = {.capacity = EVENTS, .arena = 8};
    (void)state;
    pool *p = pool_new(&large, BLOCKS); /* more than 16 MiB: a mapping of its own */
    slice *first = slice_get(p, 0), *second = slice_get(p, 1);
    uint64_t *times = first->v.time, *others = second->v.time;
    for (uint32_t i = 0; i < EVENTS; i++)
        first->v.time[i] = second->v.time[i] = i + 1;
    slice_put(p, second);
    pool_rest(p);
    for (uint32_t i = 0; i < EVENTS; i++)
        assert_int_equal(times[i], i + 1);
    slice_put(p, first);
    assert_true(resident(times, times + EVENTS) > 0 && resident(others, others + EVENTS) > 0);
    pool_rest(p);
    assert_int_equal(resident(times, times + EVENTS) + resident(others, others + EVENTS), 0);
    first = slice_get(p, 2); /* and is there again when it is needed */
    first->v.time[EVENTS - 1] = 5;
    slice_put(p, first);
    pool_delete(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split),           cmocka_unit_test(dry),
        cmocka_unit_test(arena),           cmocka_unit_test(blocks_lie_apart),
        cmocka_unit_test(no_view_is_left), cmocka_unit_test(columns),
        cmocka_unit_test(bytes),           cmocka_unit_test(rest),
        cmocka_unit_test(sizes),           cmocka_unit_test(copied_rest),
        cmocka_unit_test(no_copied_rest),
    };
    return cmocka_run_group_tests_name("slice", tests, NULL, NULL);
}
