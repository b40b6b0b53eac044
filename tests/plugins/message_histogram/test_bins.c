/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* message_histogram on small traces, worked out by hand; and bins of time against sums over lists of times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/shared/time_bins/time_bins.h"
#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "message_histogram", options);
}

/* Sizes 0, 1, 3, 4 and 7 are sent; 3 is lost. */
static tcfh *five_messages(void)
{
    static const uint64_t bytes[] = {0, 1, 3, 4, 7};
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    for (uint64_t i = 0; i < 5; i++) {
        tcfh_send(h, 0, 10 + i, 1, 7, bytes[i]);
        if (i != 2)
            tcfh_receive(h, 1, 70 + i, 0, 7, bytes[i]);
    }
    return h;
}

static void sizes(void **state)
{
    (void)state;
    tcfh *h = five_messages();
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        harness_line(text, "sizes,0,0,1,1,0,0");
        harness_line(text, "sizes,1,1,1,1,1,1");
        harness_line(text, "sizes,2,3,1,0,3,0");
        harness_line(text, "sizes,4,7,2,2,11,11");
        harness_no_line(text, "sizes,8,");
        text = run(h, "bin_bytes = 3\nmax_bins = 2\n");
        harness_line(text, "sizes,0,2,2,2,1,1");
        harness_line(text, "sizes,3,18446744073709551615,3,2,14,11");
    }
    tcfh_delete(h);
}

/* Rank 0 has what is sent, rank 1 what is received. */
static void by_process(void **state)
{
    (void)state;
    tcfh *h = five_messages();
    const char *text = run(h, "by_process = yes\ntime_bins = 2\n");
    harness_line(text, "sizes,2,3,1,0,3,0,0,30,rank 0");
    harness_line(text, "sizes,4,7,2,0,11,0,0,30,rank 0");
    harness_line(text, "sizes,4,7,0,2,0,11,1,31,rank 1");
    harness_line(text, "sizes,2,3,0,0,0,0,1,31,rank 1");
    harness_line(text, "over_time,0,6.4e-08,5,0,15,0,0,64,0,30,rank 0");
    harness_line(text, "over_time,6.4e-08,6.4e-08,0,4,0,12,64,64,1,31,rank 1");
    tcfh_delete(h);
}

/* Times 10 to 14 and 70 to 74: as the harness' traces start at 0, two bins hold them when they are 64 wide, five of
 * 16. */
static void over_time(void **state)
{
    (void)state;
    tcfh *h = five_messages();
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "time_bins = 2\n");
        harness_line(text, "over_time,0,6.4e-08,5,0,15,0,0,64");
        harness_line(text, "over_time,6.4e-08,6.4e-08,0,4,0,12,64,64");
        harness_no_line(text, "over_time,1.28");
        text = run(h, "time_bins = 5\n");
        harness_line(text, "over_time,0,1.6e-08,5,0,15,0,0,16");
        harness_line(text, "over_time,1.6e-08,1.6e-08,0,0,0,0,16,16");
        harness_line(text, "over_time,6.4e-08,1.6e-08,0,4,0,12,64,16");
    }
    tcfh_delete(h);
}

static void no_events(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    const char *text = run(h, "");
    harness_no_line(text, "sizes,");
    harness_no_line(text, "over_time,");
    tcfh_delete(h);
}

/* -------------------------------------------------------------------------------------------------- bins of time -- */

enum { TIMES = 60, MOST = 9 };

static uint64_t random_state;

static uint64_t draw(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return random_state >> 11;
}

/* How far behind the origin a time is; 2^63 ticks and more are the furthest that can be told. */
static int64_t behind(uint64_t origin, uint64_t time)
{
    if (time >= origin)
        return time - origin > INT64_MAX ? INT64_MAX : (int64_t)(time - origin);
    return origin - time > INT64_MAX ? INT64_MIN : -(int64_t)(origin - time);
}

/* The bins' counts are those of a look at all times, whatever their order; also far before and behind the origin. */
static void any_times(uint32_t n, uint64_t origin, unsigned spread)
{
    uint64_t time[TIMES], count[2 * MOST] = {0};
    time_bins b = time_bins_new(n, origin);
    time_bins_move m;
    for (int i = 0; i < TIMES; i++) {
        time[i] = origin + (draw() << 11 >> spread) - (UINT64_C(1) << 63 >> spread);
        if (time_bins_reach(&b, time[i], &m)) {
            memcpy(count + MOST, count, MOST * sizeof *count);
            memset(count, 0, MOST * sizeof *count);
            for (uint32_t k = 0; k < n; k++)
                if (count[MOST + k] > 0)
                    count[time_bins_moved(&m, k)] += count[MOST + k];
        }
        assert_true(time_bins_position(&b, time[i]) < n);
        count[time_bins_position(&b, time[i])]++;
    }
    uint64_t sum = 0, width = UINT64_C(1) << b.level;
    for (uint32_t k = 0; k < time_bins_in_use(&b); k++) {
        const uint64_t from = (uint64_t)time_bins_start(&b, k);
        uint64_t expected = 0;
        for (int i = 0; i < TIMES; i++)
            expected += (uint64_t)behind(origin, time[i]) - from < width;
        assert_int_equal(count[k], expected);
        sum += expected;
    }
    assert_int_equal(sum, TIMES);
    assert_true(time_bins_in_use(&b) <= n && (b.level == 0 || 2 * time_bins_in_use(&b) >= n));
}

static void bins_of_any_times(void **state)
{
    (void)state;
    for (random_state = 1; random_state < 40;) {
        uint64_t seed = random_state;
        for (uint32_t n = 2; n <= MOST; n++)
            for (unsigned spread = 0; spread < 64; spread += 7)
                any_times(n, spread % 2 ? 1000 : UINT64_C(1) << 63, spread);
        random_state = seed + 1;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),     cmocka_unit_test(by_process),        cmocka_unit_test(over_time),
        cmocka_unit_test(no_events), cmocka_unit_test(bins_of_any_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
