/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* load_imbalance on a small trace, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

/* Four processes; work takes 10, 20, 30 and 60 of which the last has 20 in a second thread: mean 30, imbalance 2. Only
 * the first enters MPI_Recv, in work, for 5, and is idle for a third. */
static void four_processes(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 4, 2);
    uint32_t work = tcfh_region(h, "work"), recv = tcfh_region(h, "MPI_Recv");
    for (uint32_t p = 0; p < 4; p++) {
        static const uint64_t length[] = {15, 20, 30, 40};
        tcfh_enter(h, 2 * p, 100, work);
        if (p == 0) {
            tcfh_enter(h, 0, 105, recv);
            tcfh_leave(h, 0, 110, recv);
        }
        tcfh_leave(h, 2 * p, 100 + length[p], work);
    }
    tcfh_enter(h, 7, 100, work);
    tcfh_leave(h, 7, 120, work);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = harness_report(h, "load_imbalance", "worst = 2\n");
        harness_has(text, "load_imbalance,2,2,6e-08,3e-08,1.2e-07,4,60,120,", ",work");
        harness_has(text, "load_imbalance,4,1,5e-09,1.25e-09,5e-09,1,5,5,", ",MPI_Recv");
        harness_has(text, "worst_processes,1,3,rank 3,6e-08,60,", ",work");
        harness_has(text, "worst_processes,2,2,rank 2,3e-08,30,", ",work");
        harness_no_line(text, "worst_processes,3,");
        harness_has(text, "worst_processes,1,0,rank 0,5e-09,5,", ",MPI_Recv");
        harness_no_line(text, "worst_processes,2,1,rank 1,");
        assert_non_null(strstr(text, "\nidle_time,0,rank 0,5e-09,33.3333"));
        assert_non_null(strstr(text, "\nidle_time,3,rank 3,0,0,6e-08,0,60,"));
    }
    tcfh_delete(h);
}

/* Idle are the list's regions, also by the names that HPCToolkit has for them, and what is called from there. Another
 * function whose name begins like one isn't. */
static void idle_by_other_names(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    const uint32_t recv = tcfh_region(h, "PMPI_Recv [libmpi.so.12]"), inside = tcfh_region(h, "MPID_Recv"),
                   other = tcfh_region(h, "MPI_Recv2");
    tcfh_enter(h, 0, 0, recv);
    tcfh_enter(h, 0, 1, inside);
    tcfh_leave(h, 0, 9, inside);
    tcfh_leave(h, 0, 10, recv);
    tcfh_enter(h, 0, 10, other);
    tcfh_leave(h, 0, 40, other);
    const char *text = harness_report(h, "load_imbalance", "");
    assert_non_null(strstr(text, "\nidle_time,0,rank 0,1e-08,25,4e-08,10,40,"));
    tcfh_delete(h);
}

/* One group with two ranks and a thread of neither: three processes, of which each has a load of its own. */
static void several_ranks(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 2);
    tcfh_processes(h, 1, 3);
    uint32_t work = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_enter(h, l, 100, work);
        tcfh_leave(h, l, 110 + 10 * l, work);
    }
    const char *text = harness_report(h, "load_imbalance", "");
    harness_has(text, "load_imbalance,1.5,1.5,3e-08,2e-08,6e-08,3,30,60,", ",work");
    harness_has(text, "worst_processes,1,-1,rank 0,3e-08,30,", ",work");
    harness_has(text, "worst_processes,2,1,rank 0,2e-08,20,", ",work");
    harness_has(text, "worst_processes,3,0,rank 0,1e-08,10,", ",work");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_processes),
        cmocka_unit_test(idle_by_other_names),
        cmocka_unit_test(several_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
