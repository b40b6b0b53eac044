/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sums of doubles that don't depend on the order: reproducible_sum.h beside a sum that counts every bit of every
 * summand, in any order and in any parts; and reports of metrics, which are the same in any number of domains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/shared/numbers/reproducible_sum.h"
#include "tests/support/harness.h"

enum { SUMMANDS = 300, BITS = 2200, ROUNDS = 300 };

static uint64_t seed = 1;

static uint64_t draw(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % n;
}

/* A number of up to 53 bits, of a size between 2^from and 2^(from + span). */
static double number_of(int from, int span)
{
    const double digits = (double)draw(UINT64_C(1) << 31) * 0x1p22 + (double)draw(1 << 22);
    return ldexp(draw(2) ? digits : -digits, from - 53 + (int)draw((uint64_t)span + 1));
}

/* The sum, as a count of every bit; its absolute error is at most 2^-60 of the result. */
static double slow_sum(const double *x, uint32_t n)
{
    static int64_t count[BITS];
    long double sum = 0;

    memset(count, 0, sizeof count);
    for (uint32_t i = 0; i < n; i++) {
        int exponent;
        const double digits = frexp(fabs(x[i]), &exponent);
        const uint64_t whole = (uint64_t)ldexp(digits, 53);
        for (int b = 0; b < 53; b++)
            if (whole >> b & 1)
                count[exponent - 53 + b + 1130] += x[i] < 0 ? -1 : 1;
    }
    for (int b = 0; b + 1 < BITS; b++) {
        const int64_t carry = count[b] / 2; /* towards 0, so that bits may have either sign */
        count[b + 1] += carry;
        count[b] -= 2 * carry;
    }
    for (int b = BITS; b-- > 0;) /* the highest first: what follows is smaller */
        sum += ldexpl((long double)count[b], b - 1130);
    return (double)sum;
}

static void shuffle(double *x, uint32_t n)
{
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t k = (uint32_t)draw(i);
        const double y = x[k];
        x[k] = x[i - 1];
        x[i - 1] = y;
    }
}

/* Adds them in parts, which are joined. */
static double in_parts(const double *x, uint32_t n, uint32_t parts)
{
    reproducible_sum part[8] = {{{0}, 0, 0, 0}}, all = {{0}, 0, 0, 0};
    for (uint32_t i = 0; i < n; i++)
        sum_add(&part[draw(parts)], x[i]);
    for (uint32_t k = parts; k-- > 0;)
        sum_join(&all, &part[k]);
    return sum_value(&all);
}

static void any_order(void **state)
{
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        static double x[SUMMANDS];
        const int from = (int)draw(1900) - 1000, span = (int)draw(100);
        double largest = 0;
        const uint32_t n = 1 + (uint32_t)draw(SUMMANDS);
        for (uint32_t i = 0; i < n; i++) {
            x[i] = number_of(from, span);
            largest = fmax(largest, fabs(x[i]));
        }
        const double first = in_parts(x, n, 1), exact = slow_sum(x, n);
        const double bound = fabs(exact) * 0x1p-52 + n * largest * 0x1p-71;
        if (!(fabs(first - exact) <= bound))
            fail_msg("round %u: %.17g instead of %.17g", round, first, exact);
        for (uint32_t parts = 1; parts <= 8; parts++) {
            shuffle(x, n);
            const double again = in_parts(x, n, parts);
            if (memcmp(&again, &first, sizeof first) != 0)
                fail_msg("round %u, %u parts: %.17g and %.17g", round, parts, again, first);
        }
    }
}

/* One summand is itself; what is taken away again leaves nothing; the smallest and the largest have a place. */
static void one_of(double x)
{
    reproducible_sum s = {{0}, 0, 0, 0};
    sum_add(&s, x);
    const double value = sum_value(&s);
    assert_memory_equal(&value, &x, sizeof x);
    sum_add(&s, -x);
    assert_true(sum_value(&s) == 0);
}

static void one_summand(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 1000; i++)
        one_of(number_of((int)draw(2000) - 1000, 0) + 0x1p-1000);
    one_of(0x1p-1074);
    one_of(-0x1.fffffffffffffp+1023);
    one_of(0x1p-1022);
}

static void no_numbers(void **state)
{
    (void)state;
    reproducible_sum s = {{0}, 0, 0, 0}, t = {{0}, 0, 0, 0};
    assert_true(sum_value(&s) == 0);
    sum_add(&s, (double)INFINITY);
    sum_add(&s, -1e300);
    assert_true(isinf(sum_value(&s)) && sum_value(&s) > 0);
    sum_add(&t, -(double)INFINITY);
    assert_true(isinf(sum_value(&t)) && sum_value(&t) < 0);
    sum_join(&s, &t);
    assert_true(isnan(sum_value(&s)));
    t = (reproducible_sum){{0}, 0, 0, 0};
    sum_add(&t, (double)NAN);
    assert_true(isnan(sum_value(&t)));
}

/* ------------------------------------------------------------------------------------------------------ in a run -- */

enum { PROCESSES = 7 };

/* Metrics whose sums over the processes depend on the order, if they are made one by one. */
static void reports(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, PROCESSES, 1);
    const uint32_t outer = tcfh_region(h, "main"), power = tcfh_metric(h, "power", OTF2_TYPE_DOUBLE);
    for (uint32_t l = 0; l < PROCESSES; l++) {
        for (uint64_t i = 0; i < 20; i++) {
            const double x = number_of(-20, 60);
            uint64_t bits;
            memcpy(&bits, &x, sizeof bits);
            tcfh_metric_value(h, l, 10 * (i + 1), power, OTF2_TYPE_DOUBLE, bits);
            if (i == 9)
                tcfh_enter(h, l, 10 * (i + 1), outer);
        }
        tcfh_leave(h, l, 1000, outer);
    }
    char *expected = NULL;
    for (uint32_t threads = 1; threads <= PROCESSES; threads++) {
        tcfh_run(h,
                 "[pipeline]\nchain = metrics\nthreads = %u\n[metrics]\noutput = ${SCRATCH}/report\noverwrite = yes\n"
                 "format = csv\ntime_bins = 4\n",
                 threads);
        if (expected)
            assert_string_equal(tcfh_text(h, "report"), expected);
        else
            assert_non_null(expected = strdup(tcfh_text(h, "report")));
    }
    harness_has(expected, "callpaths,", ",-,main");
    free(expected);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order),
        cmocka_unit_test(one_summand),
        cmocka_unit_test(no_numbers),
        cmocka_unit_test(reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
