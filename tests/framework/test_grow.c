/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* <tcflow/grow.h>: what is kept, how often an array moves, and where it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <tcflow/grow.h>

typedef struct wide {
    uint64_t number;
    char rest[40];
} wide;

static void one_after_another(void **state)
{
    wide *at = NULL;
    uint32_t n = 0, capacity = 0, grown = 0;

    (void)state;
    for (; n < 100000; n++) {
        const uint32_t before = capacity;
        assert_int_equal(TCF_GROW(&at, &capacity, n), 0);
        assert_true(capacity > n);
        grown += capacity != before;
        at[n] = (wide){n, "kept"};
    }
    assert_true(grown <= 14); /* 16 * 2^13 > 100000 */
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(at[i].number, i);
        assert_string_equal(at[i].rest, "kept");
    }
    free(at);
}

static void far_ahead(void **state)
{
    uint16_t *at = NULL;
    uint32_t capacity = 0;

    (void)state;
    assert_int_equal(TCF_GROW(&at, &capacity, 0), 0);
    at[0] = 7;
    assert_int_equal(TCF_GROW(&at, &capacity, 12345), 0);
    assert_true(capacity > 12345);
    at[12345] = 8;
    assert_int_equal(at[0], 7);
    const uint16_t *where = at;
    const uint32_t room = capacity;
    assert_int_equal(TCF_GROW(&at, &capacity, 99), 0); /* is there */
    assert_ptr_equal(at, where);
    assert_int_equal(capacity, room);
    free(at);
}

/* Refused is what can't be, before anything is allocated; then array and capacity are as they were. */
static void what_no_array_can_be(void **state)
{
    char *at = NULL;
    uint32_t capacity = 0;

    (void)state;
    assert_int_equal(TCF_GROW(&at, &capacity, UINT32_MAX), -1);
    assert_int_equal(TCF_GROW(&at, &capacity, UINT64_MAX), -1);
    assert_int_equal(tcf_grow(&at, &capacity, 3, SIZE_MAX / 2), -1);
    assert_int_equal(tcf_grow(&at, &capacity, 0, SIZE_MAX / TCF_GROW_FIRST + 1), -1);
    assert_null(at);
    assert_int_equal(capacity, 0);
    assert_int_equal(TCF_GROW(&at, &capacity, 0), 0);
    const char *where = at;
    const uint32_t room = capacity;
    assert_int_equal(TCF_GROW(&at, &capacity, UINT32_MAX), -1);
    assert_ptr_equal(at, where);
    assert_int_equal(capacity, room);
    free(at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_after_another),
        cmocka_unit_test(far_ahead),
        cmocka_unit_test(what_no_array_can_be),
    };
    return cmocka_run_group_tests_name("arrays that grow", tests, NULL, NULL);
}
