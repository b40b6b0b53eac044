/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Texts that are too long for a column: they fit, begin and end as they do, and those that differ look different. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <private/terminal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/shorten.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* By hand. */
static void looks(void **state)
{
    static const struct {
        size_t width;
        const char *texts[4], *look[4];
    } of[] = {
        {20, {"short", "exactly 20 columns.."}, {"short", "exactly 20 columns.."}},
        {20, {"main/compute/solve/MPI_Recv"}, {"main/comp../MPI_Recv"}},
        {20, {"abcdefghijklmnopqrstuvwxyz"}, {"abcdef..opqrstuvwxyz"}},
        {20,
         {"main/compute/solve/MPI_Recv", "main/compute/solve/MPI_Recv"},
         {"main/comp../MPI_Recv", "main/comp../MPI_Recv"}},
        {24,
         {"main/iterate/exchange_north/wait/MPI_Waitall", "main/iterate/exchange_south/wait/MPI_Waitall"},
         {"main..nort../MPI_Waitall", "main..sout../MPI_Waitall"}},
        {4, {"too narrow"}, {"too narrow"}},
        {20,
         {"\303\244\303\266\303\274/\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274\303\244/"
          "\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274"},
         {"\303\244\303\266\303\274/\303\244\303\266\303\274\303\244../"
          "\303\244\303\266\303\274\303\244\303\266\303\274\303\244\303\266\303\274"}},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(of); i++) {
        const char *texts[4];
        char *made[4];
        size_t n = 0;
        for (; n < 4 && of[i].texts[n]; n++)
            texts[n] = of[i].texts[n];
        assert_int_equal(shorten(texts, made, n, of[i].width), 0);
        for (size_t k = 0; k < n; k++)
            assert_string_equal(texts[k], of[i].look[k]);
        shorten_free(made, n);
    }
}

/* A number that the test decides on. */
static uint32_t draw(uint64_t *seed, uint32_t n)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

static int letter(uint64_t *seed)
{
    return (int)(97 + draw(seed, 20));
}

/* Is `look` what is left of the text where dots stand for something? By trying all ways. */
static int is_of(const char *look, const char *text)
{
    if (!*look)
        return !*text;
    if (strncmp(look, "..", 2) == 0)
        for (const char *t = text; *t; t++)
            if (is_of(look + 2, t + 1))
                return 1;
    return *look == *text && *text && is_of(look + 1, text + 1);
}

enum { TEXTS = 40, LONGEST = 200 };

/* Call paths that have the same begin, and differ in one name or two of the middle. */
static void random_paths(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t random = seed;
        static char of[TEXTS][LONGEST];
        const char *texts[TEXTS];
        char *made[TEXTS];
        const uint32_t width = 40 + draw(&random, 60), first = draw(&random, 12), between = draw(&random, 30);
        const uint32_t two = draw(&random, 2);
        for (uint32_t i = 0; i < TEXTS; i++) {
            snprintf(of[i], LONGEST, "main/%.*s%c%c/%.*s/part%c/%s", (int)first + 20,
                     "a_rather_long_begin_of_all_of_them", letter(&random), letter(&random), (int)between + 20,
                     "what_stands_in_between_and_may_be_longer_than_that", two ? letter(&random) : 'x',
                     "and_then_they_all_end_alike/MPI_Waitall");
            texts[i] = of[i];
        }
        assert_int_equal(shorten(texts, made, TEXTS, width), 0);
        for (uint32_t i = 0; i < TEXTS; i++) {
            assert_true(tcf_terminal_columns(texts[i]) <= width);
            if (!is_of(texts[i], of[i]))
                fail_msg("seed %d: '%s' isn't of '%s'", (int)seed, texts[i], of[i]);
            for (uint32_t k = 0; k < i; k++)
                if ((strcmp(texts[i], texts[k]) == 0) != (strcmp(of[i], of[k]) == 0))
                    fail_msg("seed %d, width %u: '%s' and '%s' look like '%s' and '%s'", (int)seed, width, of[i], of[k],
                             texts[i], texts[k]);
        }
        shorten_free(made, TEXTS);
    }
}

/* Texts of any letters in any width: nothing is written beyond, and what is shown is of the text. */
static void any_texts(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t random = seed;
        static char of[TEXTS][LONGEST];
        const char *texts[TEXTS];
        char *made[TEXTS];
        const uint32_t width = 5 + draw(&random, 40);
        for (uint32_t i = 0; i < TEXTS; i++) {
            uint32_t n = draw(&random, 60);
            for (uint32_t k = 0; k < n; k++)
                of[i][k] = "abc/"[draw(&random, 4)];
            of[i][n] = '\0';
            texts[i] = of[i];
        }
        assert_int_equal(shorten(texts, made, TEXTS, width), 0);
        for (uint32_t i = 0; i < TEXTS; i++)
            if (tcf_terminal_columns(texts[i]) > width || !is_of(texts[i], of[i]))
                fail_msg("seed %d: '%s' isn't of '%s', or wider than %u", (int)seed, texts[i], of[i], width);
        shorten_free(made, TEXTS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(looks), cmocka_unit_test(random_paths),
                                       cmocka_unit_test(any_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
