/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* distances where leaves don't fit, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

/* How many rows have this text at their begin and this region. */
static int rows(const char *text, const char *begin, const char *region)
{
    char end[64];
    int n = 0;
    snprintf(end, sizeof end, ",%s", region);
    for (const char *line = strstr(text, "\ndistances,"); line; line = strstr(line + 1, "\ndistances,")) {
        const size_t length = strcspn(line + 1, "\r\n"), tail = strlen(end);
        n += strncmp(line + 1, begin, strlen(begin)) == 0 && strncmp(line + 1 + length - tail, end, tail) == 0;
    }
    return n;
}

/*    0 enter A    10 enter B    20 leave A: ends B, too    30 a parameter: outside of all calls
 *   40 enter C    50 leave B: is not open, ends nothing    60 a parameter: in C                  70 leave C */
static void leaves_that_do_not_fit(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    const uint32_t a = tcfh_region(h, "A"), b = tcfh_region(h, "B"), c = tcfh_region(h, "C");
    const tcf_ev_parameter_int parameter = {TCF_NONE, 1};
    tcfh_enter(h, 0, 0, a);
    tcfh_enter(h, 0, 10, b);
    tcfh_leave(h, 0, 20, a);
    tcfh_event(h, 0, 30, TCF_PARAMETER_INT, &parameter);
    tcfh_enter(h, 0, 40, c);
    tcfh_leave(h, 0, 50, b);
    tcfh_event(h, 0, 60, TCF_PARAMETER_INT, &parameter);
    tcfh_leave(h, 0, 70, c);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = harness_report(h, "distances", "");
        assert_int_equal(rows(text, "distances,PARAMETER_INT,LEAVE,no,0,0,1,", ""), 1);
        assert_int_equal(rows(text, "distances,PARAMETER_INT,LEAVE,no,0,0,1,", "C"), 1);
        assert_int_equal(rows(text, "distances,PARAMETER_INT,", "A"), 0);
    }
    tcfh_delete(h);
}

/* Calls of B, each entered and left at once, make a run from the second on (run = 1). The leave of A, which is around
 * them, ends the open call of B with it: that is no empty call, and the run is over. */
static void no_empty_call(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    const uint32_t a = tcfh_region(h, "A"), b = tcfh_region(h, "B");
    tcfh_enter(h, 0, 0, a);
    for (uint64_t t = 10; t < 40; t += 10) {
        tcfh_enter(h, 0, t, b);
        tcfh_leave(h, 0, t + 3, b);
    }
    tcfh_enter(h, 0, 40, b);
    tcfh_leave(h, 0, 44, a);
    tcfh_enter(h, 0, 50, b);
    tcfh_leave(h, 0, 53, b);
    const char *text = harness_report(h, "distances", "run = 1\n");
    assert_int_equal(rows(text, "distances,LEAVE,ENTER,yes,0,0,2,", "B"), 1); /* at 23 and 33 */
    assert_int_equal(rows(text, "distances,LEAVE,ENTER,no,0,0,2,", "B"), 1);  /* at 13 and 53 */
    assert_int_equal(rows(text, "distances,LEAVE,ENTER,no,0,0,1,", "A"), 1);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_that_do_not_fit),
        cmocka_unit_test(no_empty_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
