/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* time_profile on small traces, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

enum { CUTS = 4 };

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "time_profile", options);
}

/* Is there a bin from `from` on, of that width, with so much of the region? */
static int has(const char *text, uint64_t from, uint64_t width, int64_t ticks, const char *region)
{
    char middle[100], end[100];
    snprintf(middle, sizeof middle, ",%lld,%llu,%llu,", (long long)ticks, (unsigned long long)from,
             (unsigned long long)width);
    snprintf(end, sizeof end, ",%s\r", region);
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
        const char *at = strstr(line + 1, middle), *stop = strchr(line + 1, '\n'), *name = strstr(line + 1, end);
        if (at && name && at < stop && name < stop)
            return 1;
    }
    return 0;
}

/* Lines, without the headline. */
static int rows(const char *text)
{
    int n = -1;
    for (const char *line = strchr(text, '\n'); line; line = strchr(line + 1, '\n'))
        n++;
    return n;
}

/* main from 0 to 100, in it work from 10 to 50. Four bins of 32: main has 0-10, 50-64, 64-96 and 96-100, work 10-32,
 * 32-50. The second process is in main from 30 to 40. */
static void nested(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t main_ = tcfh_region(h, "main"), work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 0, main_);
    tcfh_enter(h, 0, 10, work);
    tcfh_leave(h, 0, 50, work);
    tcfh_leave(h, 0, 100, main_);
    tcfh_enter(h, 1, 30, main_);
    tcfh_leave(h, 1, 40, main_);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "time_bins = 4\n");
        assert_true(has(text, 0, 32, 10 + 2, "main"));
        assert_true(has(text, 0, 32, 22, "work"));
        assert_true(has(text, 32, 32, 14 + 8, "main"));
        assert_true(has(text, 32, 32, 18, "work"));
        assert_true(has(text, 64, 32, 32, "main"));
        assert_true(has(text, 96, 32, 4, "main"));
        assert_int_equal(rows(text), 6);
        text = run(h, "time_bins = 4\ntop = 1\n");
        assert_true(has(text, 0, 32, 22, "(others)"));
        text = run(h, "time_bins = 4\nmax_regions = 1\n");
        assert_true(has(text, 32, 32, 18, "(beyond max_regions)"));
    }
    tcfh_delete(h);
}

/* A leave ends what is above it; a leave of what is not open is nothing; what is never left ends with the location. */
static void unbalanced(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t a = tcfh_region(h, "a"), b = tcfh_region(h, "b"), c = tcfh_region(h, "c");
    tcfh_leave(h, 0, 0, c);
    tcfh_enter(h, 0, 1, a);
    tcfh_enter(h, 0, 3, b);
    tcfh_leave(h, 0, 4, c);
    tcfh_leave(h, 0, 6, a);
    tcfh_enter(h, 0, 8, c);
    tcfh_send(h, 0, 15, 0, 1, 1);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "time_bins = 2\n");
        assert_true(has(text, 0, 8, 2, "a"));
        assert_true(has(text, 0, 8, 3, "b"));
        assert_true(has(text, 8, 8, 7, "c"));
        assert_int_equal(rows(text), 3);
    }
    tcfh_delete(h);
}

/* Rank 0 is in main for 100, rank 1 for 10 and in work for 30 of bin 0: each process has its own rows, and its own
 * most. */
static void by_process(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t main_ = tcfh_region(h, "main"), work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 0, main_);
    tcfh_leave(h, 0, 100, main_);
    tcfh_enter(h, 1, 0, main_);
    tcfh_enter(h, 1, 10, work);
    tcfh_leave(h, 1, 40, work);
    tcfh_leave(h, 1, 40, main_);
    const char *text = run(h, "time_bins = 2\nby_process = yes\ntop = 1\n");
    assert_int_equal(rows(text), 4);
    assert_true(has(text, 0, 64, 64, "main,0,30,rank 0"));
    assert_true(has(text, 64, 64, 36, "main,0,30,rank 0"));
    assert_true(has(text, 0, 64, 30, "work,1,31,rank 1"));
    assert_true(has(text, 0, 64, 10, "(others),1,31,rank 1"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_process),
        cmocka_unit_test(nested),
        cmocka_unit_test(unbalanced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
