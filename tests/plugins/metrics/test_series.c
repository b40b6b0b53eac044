/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* metrics on small traces, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "metrics", options);
}

/* A counter that only grows: 100 at 0, then main is entered; 130 at 10 before work is entered, 190 at 30 before it is
 * left, 200 at 40 before main is left. main grew by 30 + 10, work by 60. */
static void a_counter(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t outer = tcfh_region(h, "main"), inner = tcfh_region(h, "work");
    uint32_t counter = tcfh_metric(h, "instructions", OTF2_TYPE_UINT64);
    tcfh_metric_value(h, 0, 0, counter, OTF2_TYPE_UINT64, 100);
    tcfh_enter(h, 0, 0, outer);
    tcfh_metric_value(h, 0, 10, counter, OTF2_TYPE_UINT64, 130);
    tcfh_enter(h, 0, 10, inner);
    tcfh_metric_value(h, 0, 30, counter, OTF2_TYPE_UINT64, 190);
    tcfh_leave(h, 0, 30, inner);
    tcfh_metric_value(h, 0, 40, counter, OTF2_TYPE_UINT64, 200);
    tcfh_leave(h, 0, 40, outer);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "time_bins = 2\n");
        /* 4 samples from 100 to 200, mean 155; over time (100 * 10 + 130 * 20 + 190 * 10) / 40; 100 in 40 ns */
        harness_has(text, "metrics,4,100,200,155,137.5,100,200,100,2500000000,0,", "instructions,rank 0,thread 0:0");
        harness_has(text, "totals,1,4,100,200,155,100,100,200,100,", "instructions");
        harness_has(text, "callpaths,1,0,0,", ",-,-");
        harness_has(text, "callpaths,2,40,40,", ",-,main");
        harness_has(text, "callpaths,1,60,60,", ",-,main/work");
        /* bins of 32 ticks: three samples with 90, one with 10 */
        harness_has(text, "over_time,0,3.2e-08,3,100,190,140,90,100,190,90,0,32,", "instructions,-");
        harness_has(text, "over_time,3.2e-08,3.2e-08,1,200,200,200,10,200,200,10,32,32,", "instructions,-");
    }
    tcfh_delete(h);
}

/* Values of other types and no numbers are left out; a fall is told. */
static void odd_values(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t load = tcfh_metric(h, "load", OTF2_TYPE_DOUBLE);
    const double values[] = {1.5, -2.5, 4};
    const uint64_t infinite = UINT64_C(0x7ff0000000000000);
    for (int i = 0; i < 3; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        tcfh_metric_value(h, 0, 10 * (uint64_t)i, load, OTF2_TYPE_DOUBLE, bits);
        tcfh_metric_value(h, 0, 10 * (uint64_t)i, load, OTF2_TYPE_DOUBLE, infinite);
        tcfh_metric_value(h, 0, 10 * (uint64_t)i, load, OTF2_TYPE_INT64, 7);
    }
    /* 1.5 for 10, then -2.5 for 10 */
    harness_has(run(h, ""), "metrics,3,-2.5,4,1,-0.5,1.5,4,2.5,125000000,1,", "load,rank 0,thread 0:0");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counter),
        cmocka_unit_test(odd_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
