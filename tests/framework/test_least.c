/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* framework/base/least.h against a look at all numbers, while they grow at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "framework/base/least.h"

enum { MOST = 5000 };

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % below;
}

static uint32_t first_of(const uint64_t *value, uint32_t n)
{
    uint32_t first = 0;

    for (uint32_t k = 1; k < n; k++)
        if (value[k] < value[first])
            first = k;
    return first;
}

static void same_as_a_look_at_all(void **state)
{
    static const uint32_t sizes[] = {1,   2,    63,   64,  65,
                                     200, 4096, 4097, MOST}; /* groups that are full, and that aren't */
    static uint64_t value[MOST];

    (void)state;
    for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const uint32_t n = sizes[s];
        least l;
        assert_int_equal(least_init(&l, n), 0);
        for (uint32_t k = 0; k < n; k++)
            value[k] = 0;
        for (uint32_t step = 0; step < 4 * n + 400; step++) {
            assert_int_equal(least_first(&l), first_of(value, n));
            for (uint32_t raised = draw(4); raised > 0;
                 raised--) { /* the least one more often than others, some to the end */
                const uint32_t k = draw(3) ? first_of(value, n) : draw(n);
                const uint64_t to = draw(n) == 0 ? UINT64_MAX : draw(3) == 0 ? 0 : value[k] + draw(4);
                least_raise(&l, k, to);
                value[k] = to > value[k] ? to : value[k];
                assert_int_equal(l.value[k], value[k]);
            }
        }
        least_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_a_look_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
