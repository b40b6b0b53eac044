/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Bytes that wait, beside an array for each location: random ones are added, replaced and taken, in memory that is too
 * small for all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../../../plugins/otf2_write/waiting.h"

enum { LOCATIONS = 40, MEMORY = 256 << 10, LONGEST = 1500, ROUNDS = 200000, UNIT = 512 };

static uint32_t state;

static uint32_t draw(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)state * n >> 32);
}

typedef struct expected {
    uint8_t bytes[WAITING_MOST];
    uint32_t n;
} expected;

static uint64_t units(const expected *all)
{
    uint64_t n = 0;

    for (uint32_t l = 0; l < LOCATIONS; l++)
        n += (all[l].n + UNIT - 1) / UNIT;
    return n;
}

static void take(waiting *w, expected *all, uint32_t location)
{
    uint8_t to[WAITING_MOST];
    const uint32_t n = waiting_take(w, location, to);

    assert_int_equal(n, all[location].n);
    assert_memory_equal(to, all[location].bytes, n);
    all[location].n = 0;
}

/* *dry counts how often there was no room. */
static void add(waiting *w, expected *all, uint32_t location, uint32_t *dry)
{
    expected *x = &all[location];
    const uint32_t n = 1 + draw(LONGEST);

    if (x->n + n > WAITING_MOST)
        take(w, all, location);
    while (!waiting_has_room(w, location, n)) {
        const uint64_t needed = units(all) + (x->n + n + UNIT - 1) / UNIT - (x->n + UNIT - 1) / UNIT;
        assert_true(needed > MEMORY / UNIT);
        const uint32_t large = waiting_large(w);
        assert_true(large < LOCATIONS && all[large].n > 0);
        take(w, all, large);
        ++*dry;
    }
    for (uint32_t i = 0; i < n; i++)
        x->bytes[x->n + i] = (uint8_t)draw(256);
    waiting_add(w, location, x->bytes + x->n, n);
    x->n += n;
    assert_true(units(all) <= MEMORY / UNIT);
}

static void replace(waiting *w, expected *all, uint32_t location)
{
    expected *x = &all[location];
    uint8_t bytes[8];

    if (x->n < sizeof bytes)
        return;
    const uint32_t at = draw(x->n - (uint32_t)sizeof bytes + 1);
    for (uint32_t i = 0; i < sizeof bytes; i++)
        bytes[i] = x->bytes[at + i] = (uint8_t)draw(256);
    waiting_replace(w, location, at, bytes, sizeof bytes);
}

static void random_bytes(void **unused)
{
    static expected all[LOCATIONS];
    waiting w;
    uint32_t dry = 0;
    (void)unused;

    assert_int_equal(waiting_init(&w, LOCATIONS, MEMORY), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t location = draw(LOCATIONS), what = draw(100);
        if (what < 1)
            take(&w, all, location);
        else if (what < 20)
            replace(&w, all, location);
        else
            add(&w, all, location, &dry);
        assert_int_equal(waiting_of(&w, location), all[location].n);
    }
    for (uint32_t l = 0; l < LOCATIONS; l++)
        take(&w, all, l);
    assert_true(dry > 1000);
    assert_int_equal(waiting_large(&w), UINT32_MAX);
    waiting_free(&w);
}

/* What is taken for want of room is larger than an equal share: here by half of it, at least. */
static void large_pieces(void **unused)
{
    enum { ROOM = 96 << 10, MANY = 32, SHARE = ROOM / MANY };
    static const uint8_t bytes[100];
    static uint8_t to[WAITING_MOST];
    waiting w;
    uint64_t taken = 0, pieces = 0;
    (void)unused;

    assert_int_equal(waiting_init(&w, MANY, ROOM), 0);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        while (!waiting_has_room(&w, i % MANY, sizeof bytes)) {
            taken += waiting_take(&w, waiting_large(&w), to);
            pieces++;
        }
        waiting_add(&w, i % MANY, bytes, sizeof bytes);
    }
    assert_true(pieces > 0 && taken / pieces > SHARE * 3 / 2);
    waiting_free(&w);
}

/* All of a location fits, however little memory is asked for. */
static void least_memory(void **unused)
{
    static const uint8_t bytes[WAITING_MOST];
    static uint8_t to[WAITING_MOST];
    waiting w;
    (void)unused;

    assert_int_equal(waiting_init(&w, 3, 0), 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(waiting_has_room(&w, 2, WAITING_MOST));
        waiting_add(&w, 2, bytes, WAITING_MOST);
        assert_int_equal(waiting_large(&w), 2);
        assert_int_equal(waiting_take(&w, 2, to), WAITING_MOST);
        assert_int_equal(waiting_take(&w, 2, to), 0);
    }
    waiting_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_bytes),
        cmocka_unit_test(large_pieces),
        cmocka_unit_test(least_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
