/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Work that several threads share: each part is done once, and all of them are when team_run() returns, however many
 * helpers there are, and whether they look for work or sleep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <time.h>

#include "framework/base/team.h"

enum { MOST = 64, WORKS = 20000 };

struct work {
    uint32_t done[MOST];
    uint32_t input; /* written between works, read by all parts */
    uint32_t output[MOST];
};

static void do_part(void *data, uint32_t k)
{
    struct work *w = data;
    w->done[k]++;
    w->output[k] = w->input + k;
}

static void run(team *t, uint32_t works)
{
    struct work w = {.input = 0};
    for (uint32_t i = 0; i < works; i++) {
        const uint32_t n = i % (MOST + 1);
        memset(w.done, 0, sizeof w.done);
        w.input = i;
        team_run(t, do_part, &w, n);
        for (uint32_t k = 0; k < MOST; k++) {
            assert_int_equal(w.done[k], k < n);
            if (k < n)
                assert_int_equal(w.output[k], i + k);
        }
        if (i % 1000 == 999) /* helpers sleep */
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

static void alone(void **state)
{
    (void)state;
    run(NULL, MOST + 1);
}

static void helped(void **state)
{
    (void)state;
    for (uint32_t helpers = 0; helpers < 4; helpers++) {
        team *t = team_new(helpers);
        assert_non_null(t);
        run(t, WORKS);
        team_delete(t);
    }
}

/* Helpers that have never had work, asleep or on their way. */
static void idle(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 50; i++) {
        team *t = team_new(3);
        assert_non_null(t);
        if (i % 2)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        team_delete(t);
    }
    team_delete(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(helped),
        cmocka_unit_test(idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
