/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* <tcflow/map.h> against a plain array, under random puts and removes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include <tcflow/map.h>

enum { KEYS = 600 };

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static void same_as_an_array(void **state)
{
    (void)state;
    for (uint32_t keys = 1; keys <= KEYS; keys = keys * 3 + 1) {
        uint64_t a[KEYS], b[KEYS];
        uint32_t value[KEYS], n = 0;
        tcf_map m = {NULL, 0, 0};
        for (uint32_t k = 0; k < keys; k++) { /* dense, strided, and wide ones; (a, b) and (b, a) are two keys */
            a[k] = k % 3 == 0 ? k : k % 3 == 1 ? (uint64_t)k << 40 : k / 2;
            b[k] = k % 3 == 0 ? k / 7 : k % 3 == 1 ? k * 536870911ull : 1000 + k;
            value[k] = TCF_MAP_ABSENT;
        }
        for (uint32_t step = 0; step < 60000; step++) {
            uint32_t k = draw(keys), filling = step / 10000 % 2 == 0; /* now it grows, now it empties */
            if (draw(4) < (filling ? 3u : 1u)) {
                n += value[k] == TCF_MAP_ABSENT;
                value[k] = draw(UINT32_MAX - 1);
                assert_int_equal(tcf_map_put(&m, a[k], b[k], value[k]), 0);
            } else {
                n -= value[k] != TCF_MAP_ABSENT;
                value[k] = TCF_MAP_ABSENT;
                tcf_map_remove(&m, a[k], b[k]);
            }
            assert_int_equal(m.n, n);
            k = draw(keys);
            assert_int_equal(tcf_map_get(&m, a[k], b[k]), value[k]);
        }
        for (uint32_t k = 0; k < keys; k++)
            assert_int_equal(tcf_map_get(&m, a[k], b[k]), value[k]);
        assert_true(keys < 64 || m.mask + 1 >= keys / 2);
        tcf_map_free(&m);
    }
}

static void empty_maps(void **state)
{
    (void)state;
    tcf_map m = {NULL, 0, 0};
    assert_int_equal(tcf_map_get(&m, 0, 0), TCF_MAP_ABSENT);
    tcf_map_remove(&m, 0, 0);
    assert_int_equal(tcf_map_put(&m, 0, 0, 0), 0);
    assert_int_equal(tcf_map_get(&m, 0, 0), 0);
    assert_int_equal(tcf_map_get(&m, 0, 1), TCF_MAP_ABSENT);
    tcf_map_remove(&m, 0, 1);
    assert_int_equal(m.n, 1);
    tcf_map_remove(&m, 0, 0);
    assert_int_equal(m.n, 0);
    tcf_map_free(&m);
    tcf_map_free(&m);
    assert_int_equal(tcf_map_get(&m, 0, 0), TCF_MAP_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_an_array), cmocka_unit_test(empty_maps)};
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
