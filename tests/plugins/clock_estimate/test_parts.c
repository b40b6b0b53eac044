/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bounds that were collected in parts, put and taken together, are those that one has collected, in any order: also
 * where there are too many messages, pairs or collectives for the memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../plugins/clock_estimate/solver/bounds.h"

static uint64_t state;

static uint32_t below(uint32_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % n);
}

/* A queue of bytes. */
struct bytes {
    unsigned char *at;
    size_t n, taken;
};

static void put(void *data, const void *bytes, size_t n)
{
    struct bytes *b = data;
    b->at = realloc(b->at, b->n + n + 1);
    assert_non_null(b->at);
    if (n > 0)
        memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

static void take(void *data, void *bytes, size_t n)
{
    struct bytes *b = data;
    assert_true(b->taken + n <= b->n);
    if (n > 0)
        memcpy(bytes, b->at + b->taken, n);
    b->taken += n;
}

/* What is reported: a message, or a collective of all units. */
struct report {
    uint64_t time, delay;
    uint32_t from, to;
    uint32_t collective; /* 0: a message; else 1 + its number */
};

enum { MEMBERS = 24 };

static void report_to(struct bounds *b, const struct report *r, uint32_t units)
{
    struct member member[MEMBERS];
    if (!r->collective) {
        bounds_message(b, r->from, r->time, r->to, r->time + r->delay, r->from + 7);
        return;
    }
    for (uint32_t u = 0; u < MEMBERS; u++)
        member[u] = (struct member){.begin = r->time + (u * 7919 + r->from) % 3000,
                                    .end = r->time + 4000 + (u * 104729 + r->to) % 500,
                                    .unit = u % units,
                                    .gives = 1,
                                    .gets = u % 5 != 4};
    bounds_collective(b, ALL_TO_ALL, r->collective - 1, member, sizeof *member, MEMBERS);
}

static void same(struct bounds *a, struct bounds *b)
{
    bounds_link(a);
    bounds_link(b);
    collectives_link(a);
    collectives_link(b);
    assert_int_equal(a->per_pair, b->per_pair);
    assert_int_equal(a->highest_rank, b->highest_rank);
    assert_int_equal(a->thinning, b->thinning);
    assert_int_equal(a->messages, b->messages);
    assert_int_equal(a->without_room, b->without_room);
    assert_int_equal(a->n_pairs, b->n_pairs);
    for (uint32_t i = 0; i < a->n_pairs; i++) {
        const struct pair *p = &a->pair[i], *q = &b->pair[i];
        assert_true(p->from == q->from && p->to == q->to && p->kind == q->kind && p->shift == q->shift);
        assert_true(p->n == q->n && p->least == q->least && p->stay == q->stay && p->messages == q->messages);
        assert_memory_equal(p->point, q->point, p->n * sizeof *p->point);
        assert_memory_equal(p->bytes, q->bytes, p->n * sizeof *p->bytes);
    }
    for (uint32_t u = 0; u < a->n_units; u++)
        assert_true(a->unit[u].base == b->unit[u].base && a->unit[u].end == b->unit[u].end);
    assert_int_equal(a->n_collectives, b->n_collectives);
    assert_int_equal(a->n_ends, b->n_ends);
    for (uint32_t i = 0; i < a->n_collectives; i++) {
        const struct collective *c = &a->collective[i], *d = &b->collective[i];
        assert_true(c->sent == d->sent && c->last == d->last && c->n == d->n && c->key == d->key);
        for (uint32_t k = 0; k < c->n; k++) {
            const struct collective_end *e = &a->end[c->first + k], *f = &b->end[d->first + k];
            assert_true(e->received == f->received && e->unit == f->unit);
        }
    }
}

static void shuffle(struct report *r, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = below(i);
        const struct report swapped = r[i - 1];
        r[i - 1] = r[k];
        r[k] = swapped;
    }
}

/* Messages of `units` units, the first ones having most of them; every 50th report is a collective. */
static void make(struct report *r, uint32_t n, uint32_t units, int collectives)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t from = below(1 + below(units)), to = below(units);
        r[i] = (struct report){.time = 1000 + (uint64_t)below(1u << 30) * (1 + below(3)),
                               .delay = below(5000),
                               .from = from,
                               .to = to,
                               .collective = collectives && i % 50 == 0 ? 1 + i / 50 : 0};
    }
}

/* Returns what there was no room for. */
enum { FEWER_POINTS = 1, FEWER_COLLECTIVES = 2, FEWER_PAIRS = 4 };

static int parts(uint32_t units, uint32_t n, uint64_t memory, uint32_t n_parts, int collectives)
{
    struct report *r = calloc(n, sizeof *r);
    struct bounds *whole = bounds_new(units, memory), *part[8];
    assert_non_null(r);
    assert_non_null(whole);
    make(r, n, units, collectives);
    for (uint32_t i = 0; i < n; i++)
        report_to(whole, &r[i], units);
    shuffle(r, n);
    for (uint32_t k = 0; k < n_parts; k++)
        assert_non_null(part[k] = bounds_new(units, memory));
    for (uint32_t i = 0; i < n; i++)
        report_to(part[r[i].collective ? i % n_parts : r[i].to * n_parts / units], &r[i], units);
    for (uint32_t k = 1; k < n_parts; k++) {
        struct bytes bytes = {0};
        const struct bounds_stream stream = {.data = &bytes, .put = put, .take = take};
        bounds_put(part[k], &stream);
        collectives_put(part[k], &stream);
        bounds_take(part[0], &stream);
        collectives_take(part[0], &stream);
        assert_int_equal(bytes.taken, bytes.n);
        free(bytes.at);
        bounds_free(part[k]);
    }
    same(whole, part[0]);
    const int lack = (whole->per_pair < 4096 ? FEWER_POINTS : 0) | (whole->thinning > 0 ? FEWER_COLLECTIVES : 0) |
                     (whole->highest_rank < UINT64_MAX ? FEWER_PAIRS : 0);
    bounds_free(part[0]);
    bounds_free(whole);
    free(r);
    return lack;
}

static void one_part(void **unused)
{
    (void)unused;
    for (state = 1; state < 5; state += 1)
        assert_int_equal(parts(24, 5000, 1 << 22, 1, 1), 0);
}

static void several_parts(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 8; n++)
        parts(24, 5000, 1 << 22, n, 1);
}

/* A pair's table is full, and all tables shrink. */
static void many_messages(void **unused)
{
    (void)unused;
    parts(3, 60000, 1 << 22, 3, 1);
    for (uint32_t n = 2; n <= 8; n += 3) {
        assert_int_equal(parts(24, 60000, 1 << 19, n, 1), FEWER_POINTS | FEWER_COLLECTIVES);
        assert_int_equal(parts(9, 60000, 1 << 17, n, 1), FEWER_POINTS | FEWER_COLLECTIVES);
    }
}

/* Pairs are left out. */
static void many_pairs(void **unused)
{
    (void)unused;
    for (uint32_t n = 2; n <= 8; n += 3)
        assert_int_equal(parts(200, 60000, 1 << 17, n, 0), FEWER_POINTS | FEWER_PAIRS);
}

/* Times that lie 2^63 ticks and more apart count from the units' first ones without a change of sign, in their order.
 */
static void times_far_apart(void **unused)
{
    struct bounds *b = bounds_new(2, 1 << 20);
    (void)unused;
    assert_non_null(b);
    bounds_message(b, 0, 0, 1, 5, 0);
    bounds_message(b, 0, UINT64_C(1) << 63, 1, (UINT64_C(1) << 63) + 9, 0);
    bounds_message(b, 0, UINT64_MAX - 4, 1, UINT64_MAX, 0);
    bounds_link(b);
    const struct pair *p = &b->pair[bounds_find(b, 0, 1, MESSAGE)];
    assert_int_equal(p->n, 3);
    assert_true(p->point[0].sent == 0 && p->point[0].received == 0);
    for (uint32_t i = 1; i < p->n; i++)
        assert_true(p->point[i].sent == INT64_MAX && p->point[i].received > INT64_MAX - 6);
    assert_int_equal(p->least, -1); /* 4 ticks, from the two first times, of which the later one is 5 */
    bounds_free(b);
}

/* The cost of an operation grows as n log n with its members, also where they are of few clocks. */
static void many_members_of_few_units(void **unused)
{
    static struct member members[2000];
    struct bounds *b = bounds_new(3, 1 << 24);
    (void)unused;
    assert_non_null(b);
    for (uint32_t i = 0; i < 2000; i++)
        members[i] = (struct member){.unit = i % 3, .begin = 100 + i, .end = 5000 + i, .gives = 1, .gets = 1};
    bounds_collective(b, ALL_TO_ALL, 0, members, sizeof *members, 2000);
    assert_in_range(b->messages, 1, 2 * 11);
    bounds_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_part),   cmocka_unit_test(several_parts),   cmocka_unit_test(many_messages),
        cmocka_unit_test(many_pairs), cmocka_unit_test(times_far_apart), cmocka_unit_test(many_members_of_few_units),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
