/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* lateness on small traces, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "lateness", options);
}

/* The operation in `worst` with these ticks. */
static void is_late(tcfh *h, const char *text, uint32_t location, uint64_t step, uint64_t end, uint64_t lateness,
                    uint64_t differential, const char *path)
{
    char begin[64], last[256];
    snprintf(begin, sizeof begin, "worst,%g,%g,%d,", 1e-9 * (double)differential, 1e-9 * (double)lateness, (int)step);
    snprintf(last, sizeof last, ",%d,%d,%d,%llu,%s", (int)differential, (int)lateness, (int)end,
             (unsigned long long)tcfh_location_id(h, location), path);
    if (harness_rows(text, begin, last) != 1)
        fail_msg("no row %s ... %s in\n%s", begin, last, text);
}

static void call(tcfh *h, uint32_t l, uint64_t enter, uint64_t leave, uint32_t region, uint8_t op)
{
    tcfh_enter(h, l, enter, region);
    tcfh_collective(h, l, enter + 1, leave - 1, op, 0, 0);
    tcfh_leave(h, l, leave, region);
}

/* Two barriers, and a message between them: steps 1 and 4 are those of all three, 2 and 3 of one each. */
static void barriers(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 1);
    uint32_t barrier = tcfh_region(h, "MPI_Barrier"), send = tcfh_region(h, "MPI_Send"),
             recv = tcfh_region(h, "MPI_Recv");
    const uint64_t first[] = {100, 103, 110}, second[] = {150, 151, 170};
    for (uint32_t l = 0; l < 3; l++) {
        call(h, l, 10, first[l], barrier, OTF2_COLLECTIVE_OP_BARRIER);
        if (l == 0) {
            tcfh_enter(h, l, 120, send);
            tcfh_send(h, l, 121, 1, 7, 8);
            tcfh_leave(h, l, 125, send);
        }
        if (l == 1) {
            tcfh_enter(h, l, 120, recv);
            tcfh_receive(h, l, 139, 0, 7, 8);
            tcfh_leave(h, l, 140, recv);
        }
        call(h, l, 145, second[l], barrier, OTF2_COLLECTIVE_OP_BARRIER);
    }
    for (uint64_t cut = 0; cut < 6; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "bins = 16\n");
        is_late(h, text, 1, 1, 103, 3, 3, "MPI_Barrier");
        is_late(h, text, 2, 1, 110, 10, 10, "MPI_Barrier");
        is_late(h, text, 1, 4, 151, 1, 1, "MPI_Barrier");
        is_late(h, text, 2, 4, 170, 20, 10, "MPI_Barrier"); /* 10 of them it has had before */
        assert_int_equal(harness_rows(text, "worst,", ""), 4);
        assert_int_equal(harness_rows(text, "calls,6,", ",34,20,24,10,MPI_Barrier"), 1);
        assert_int_equal(harness_rows(text, "calls,1,0,0,0,0,0,0,0,0,MPI_Recv", ""), 1);
        assert_int_equal(harness_rows(text, "steps,1,1,", ",100,110"), 1);
        assert_int_equal(harness_rows(text, "steps,2,1,", ",125,125"), 1);
        assert_int_equal(harness_rows(text, "steps,3,1,", ",140,140"), 1);
        assert_int_equal(harness_rows(text, "steps,4,1,", ",150,170"), 1);
        assert_int_equal(harness_rows(text, "limits,", ""), 0);
    }
    tcfh_delete(h);
}

/* 0 sends to 1, 2 to 3: 0 is 40 behind 2, of 45 that 1 is behind 3 it has got 40 with the message. */
static void with_the_message(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 4, 1);
    uint32_t send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    for (uint32_t l = 0; l < 4; l += 2) {
        tcfh_enter(h, l, 5, send);
        tcfh_send(h, l, 6, l + 1, 7, 8);
        tcfh_leave(h, l, l == 0 ? 50 : 10, send);
        tcfh_enter(h, l + 1, 5, recv);
        tcfh_receive(h, l + 1, l == 0 ? 59 : 14, l, 7, 8);
        tcfh_leave(h, l + 1, l == 0 ? 60 : 15, recv);
    }
    const char *text = run(h, "");
    is_late(h, text, 0, 1, 50, 40, 40, "MPI_Send");
    is_late(h, text, 1, 2, 60, 45, 5, "MPI_Recv");
    assert_int_equal(harness_rows(text, "worst,", ""), 2);
    tcfh_delete(h);
}

/* Both send, and receive in the same call: a step behind the other's send. What comes outside of any region is an
 * operation of its own, and over at once. */
static void in_one_call(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t sendrecv = tcfh_region(h, "MPI_Sendrecv"), work = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 1, work);
        tcfh_enter(h, l, 2, sendrecv);
        tcfh_send(h, l, 3, 1 - l, 7, 8);
        tcfh_receive(h, l, 20, 1 - l, 7, 8);
        tcfh_leave(h, l, 30 + 4 * l, sendrecv);
        tcfh_leave(h, l, 40, work);
    }
    tcfh_send(h, 0, 50, 1, 8, 8);
    tcfh_receive(h, 1, 60, 0, 8, 8);
    const char *text = run(h, "bins = 8\n");
    is_late(h, text, 1, 2, 34, 4, 4, "work/MPI_Sendrecv");
    assert_int_equal(harness_rows(text, "steps,2,1,", ",30,34"), 1);
    assert_int_equal(harness_rows(text, "steps,3,1,", ",50,50"), 1);
    assert_int_equal(harness_rows(text, "steps,4,1,", ",60,60"), 1);
    assert_int_equal(harness_rows(text, "calls,2,0,0,0,0,0,0,0,0,", "0,"), 1);
    tcfh_delete(h);
}

/* A location far ahead of the others with a table of two steps: reported, and the late ones count. */
static void caps(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    for (uint64_t k = 0; k < 40; k++) {
        tcfh_enter(h, 0, 10 * k, send);
        tcfh_send(h, 0, 10 * k + 1, 1, (uint32_t)k, 8);
        tcfh_leave(h, 0, 10 * k + 2, send);
    }
    tcfh_enter(h, 1, 500, recv);
    tcfh_receive(h, 1, 501, 0, 0, 8);
    tcfh_leave(h, 1, 502, recv);
    const char *text = run(h, "max_steps = 2\n");
    assert_int_equal(harness_rows(text, "limits,max_steps,38,", ""), 1); /* all but the last two */
    assert_int_equal(harness_rows(text, "limits,fell_out,1,", ""), 1);   /* the receive, in step 2 */
    text = run(h, "");
    is_late(h, text, 1, 2, 502, 490, 490, "MPI_Recv");
    assert_int_equal(harness_rows(text, "limits,", ""), 0);
    text = run(h, "max_pending = 16\n");
    assert_int_equal(harness_rows(text, "limits,max_steps,", ""), 1);
    is_late(h, text, 1, 2, 502, 490, 490, "MPI_Recv"); /* its step is still there */
    assert_int_equal(harness_rows(text, "limits,behind,1,", ""), 1);
    tcfh_delete(h);
}

/* Nobody waits for who has no events, or for threads that don't communicate: steps are closed as the others go on. */
static void bystanders(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 2);
    uint32_t pair = tcfh_comm(h, "pair", 2, (const uint32_t[]){0, 1}), barrier = tcfh_region(h, "MPI_Barrier"),
             work = tcfh_region(h, "work");
    tcfh_enter(h, 1, 0, work);
    tcfh_leave(h, 1, 5000, work);
    for (uint64_t k = 0; k < 100; k++)
        for (uint32_t l = 0; l < 4; l += 2) {
            tcfh_enter(h, l, 10 * k, barrier);
            tcfh_collective(h, l, 10 * k + 1, 10 * k + 4, OTF2_COLLECTIVE_OP_BARRIER, pair, 0);
            tcfh_leave(h, l, 10 * k + 5 + l, barrier);
        }
    tcfh_run(
        h, "[pipeline]\nchain = lateness\nquantum = 20 ticks\n[lateness]\noutput = ${SCRATCH}/report\noverwrite = yes\n"
           "format = csv\nmax_pending = 16\nmax_steps = 16\n");
    const char *text = tcfh_text(h, "report");
    assert_int_equal(harness_rows(text, "limits,", ""), 0);
    assert_int_equal(harness_rows(text, "calls,200,1e-09,2e-09,", ",200,2,2,2,MPI_Barrier"), 1);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barriers), cmocka_unit_test(with_the_message), cmocka_unit_test(in_one_call),
        cmocka_unit_test(caps),     cmocka_unit_test(bystanders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
