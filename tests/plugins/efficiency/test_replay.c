/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* efficiency on small traces, worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"

/* The ticks of a scope: processes, run time, ideal run time, largest useful time. */
static void has_scope(const char *text, const char *scope, uint64_t n, uint64_t run, uint64_t ideal, uint64_t most)
{
    char begin[64], end[128];
    snprintf(begin, sizeof begin, "efficiency,%s,", scope);
    snprintf(end, sizeof end, ",%d,%d,%d,%d", (int)n, (int)run, (int)ideal, (int)most);
    harness_has(text, begin, end);
}

/* What process `rank` does: useful, threading, communication, accelerator, other, and when it would end. */
static void has_process(const char *text, int rank, const char *ticks)
{
    char begin[64], middle[160];
    snprintf(begin, sizeof begin, "efficiency_processes,%d,", rank);
    snprintf(middle, sizeof middle, ",%s,", ticks);
    for (const char *line = strstr(text, begin); line; line = strstr(line + 1, begin)) {
        const char *at = strstr(line, middle), *end = strchr(line, '\n');
        if (at && (!end || at < end))
            return;
    }
    fail_msg("no row %s...%s in:\n%s", begin, middle, text);
}

/* Process 0 computes 100, sends; 1 computes 30, receives until 150, computes 20 and sends back; 0 has computed 10 more
 * and receives until 200. On an ideal network the message is there at 100, and the answer at 120.
 *
 *     0: [compute 0-100][send 100-110][compute 110-120][recv 120-200][compute 200-205]
 *     1: [compute 0-30][recv 30-150][compute 150-170][send 170-180]
 */
static void there_and_back(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t work = tcfh_region(h, "work"), send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    tcfh_enter(h, 0, 0, work);
    tcfh_enter(h, 0, 100, send);
    tcfh_send(h, 0, 105, 1, 7, 8);
    tcfh_leave(h, 0, 110, send);
    tcfh_enter(h, 0, 120, recv);
    tcfh_receive(h, 0, 198, 1, 7, 8);
    tcfh_leave(h, 0, 200, recv);
    tcfh_leave(h, 0, 205, work);
    tcfh_enter(h, 1, 0, work);
    tcfh_enter(h, 1, 30, recv);
    tcfh_receive(h, 1, 149, 0, 7, 8);
    tcfh_leave(h, 1, 150, recv);
    tcfh_enter(h, 1, 170, send);
    tcfh_send(h, 1, 171, 0, 7, 8);
    tcfh_leave(h, 1, 180, send);
    tcfh_leave(h, 1, 180, work);
    for (uint64_t cut = 0; cut < 6; cut++) {
        tcfh_cut(h, cut);
        const char *text = harness_report(h, "efficiency", "");
        has_scope(text, "whole", 2, 205, 125, 115); /* 0 ends at 120 + 5 */
        has_scope(text, "program", 2, 205, 125, 115);
        has_process(text, 0, "115,0,90,0,0,125,205");
        has_process(text, 1, "50,0,130,0,0,120,180");
    }
    tcfh_delete(h);
}

/* A barrier that 0 enters at 10, 1 at 60, and that both leave at 75: all of them could go on at 60. In front of it
 * stands MPI_Init, which 0 leaves at 4 and 1 at 8; behind it MPI_Finalize, entered at 95 and 80. */
static void collective(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t init = tcfh_region(h, "MPI_Init"), barrier = tcfh_region(h, "MPI_Barrier"),
                   finalize = tcfh_region(h, "MPI_Finalize");
    const uint64_t begun[] = {4, 8}, entered[] = {10, 60}, ended[] = {95, 80};
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, init);
        tcfh_leave(h, l, begun[l], init);
        tcfh_enter(h, l, entered[l], barrier);
        tcfh_collective(h, l, entered[l], 75, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
        tcfh_leave(h, l, 75, barrier);
        tcfh_enter(h, l, ended[l], finalize);
        tcfh_leave(h, l, 100, finalize);
    }
    const char *text = harness_report(h, "efficiency", "");
    /* 1 comes to the barrier after 52 of its own in the whole replay; 0 has 20 more behind it. */
    has_scope(text, "whole", 2, 100, 72, 57);
    /* From 4 to 95; ideal: 60 + 20 - 4. */
    has_scope(text, "program", 2, 91, 76, 57);
    has_process(text, 0, "26,0,65,0,0,80,95");
    has_process(text, 1, "57,0,15,0,0,65,80");
    tcfh_delete(h);
}

/* What isn't useful, though outside of communication, takes its time on an ideal network, too. */
static void waits_for_devices(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    const uint32_t wait = tcfh_region(h, "cudaStreamSynchronize"), file = tcfh_region(h, "MPI_File_write"),
                   barrier = tcfh_region_as(h, "barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP),
                   launch = tcfh_region_as(h, "cuLaunchKernel", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_CUDA),
                   call = tcfh_region(h, "MPI_Allreduce"), operation = tcfh_region(h, "sum_up");
    const uint32_t regions[] = {wait, file, barrier, launch};
    for (uint32_t i = 0; i < 4; i++) {
        tcfh_enter(h, 0, 100 * i, regions[i]);
        tcfh_leave(h, 0, 100 * i + 10 * (i + 1), regions[i]);
    }
    tcfh_enter(h, 0, 400, call); /* what is called from MPI is MPI's */
    tcfh_enter(h, 0, 410, operation);
    tcfh_leave(h, 0, 430, operation);
    tcfh_leave(h, 0, 440, call);
    const char *text = harness_report(h, "efficiency", "");
    /* Between the calls: 90 + 80 + 70 + 60. */
    has_scope(text, "whole", 1, 440, 400, 330);
    has_process(text, 0, "300,30,40,50,20,400,440");
    tcfh_delete(h);
}

/* 0 sends from 10 on; 1 computes until 60 and posts its receive then. The send ends at 65: it waited. On an ideal
 * network it waits, too, until 60, while a send that had ended before, or whose receive was there, goes on at once.
 *
 *     0: [compute 0-10][send 10-65][compute 65-75]
 *     1: [compute 0-60][recv 60-70]
 */
static uint64_t ideal_of_send(const char *call, const char *receive, uint64_t posted, uint64_t end)
{
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t send = tcfh_region(h, call), recv = tcfh_region(h, receive);
    const char *text;
    uint64_t ideal = 0;
    tcfh_enter(h, 0, 0, tcfh_region(h, "work"));
    tcfh_enter(h, 0, 10, send);
    tcfh_send(h, 0, 10, 1, 7, 8);
    tcfh_leave(h, 0, end, send);
    tcfh_leave(h, 0, end + 10, tcfh_region(h, "work"));
    tcfh_enter(h, 1, 0, tcfh_region(h, "work"));
    tcfh_enter(h, 1, posted, recv);
    tcfh_receive(h, 1, 70, 0, 7, 8);
    tcfh_leave(h, 1, 70, recv);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        text = harness_report(h, "efficiency", "");
        const char *row = strstr(text, "efficiency_processes,0,"), *column = row;
        for (int i = 0; i < 18; i++)
            column = strchr(column, ',') + 1; /* ideal_ticks */
        const uint64_t found = strtoull(column, NULL, 10);
        if (cut > 0)
            assert_int_equal(found, ideal);
        ideal = found;
    }
    tcfh_delete(h);
    return ideal;
}

/* Process 1 is idle until what 0 sends at 30 comes at 50, and computes until 60: on an ideal network that comes at 30.
 * Then it is idle until 70, and nothing has come that it waited for: that time passes as recorded. It computes until
 * 80, and the idle time at its end waits for nothing known. Between idle and message it is outside of all regions. */
static void idle_until_a_message(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t work = tcfh_region(h, "work"), idle = tcfh_region(h, "Idle");
    tcfh_enter(h, 0, 0, work);
    tcfh_send(h, 0, 30, 1, 7, 8);
    tcfh_leave(h, 0, 40, work);
    tcfh_enter(h, 1, 0, idle);
    tcfh_leave(h, 1, 48, idle);
    tcfh_enter(h, 1, 50, work);
    tcfh_receive(h, 1, 50, 0, 7, 8);
    tcfh_leave(h, 1, 60, work);
    tcfh_enter(h, 1, 60, idle);
    tcfh_leave(h, 1, 70, idle);
    tcfh_enter(h, 1, 70, work);
    tcfh_leave(h, 1, 80, work);
    tcfh_enter(h, 1, 80, idle);
    tcfh_leave(h, 1, 90, idle);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = harness_report(h, "efficiency", "");
        has_process(text, 0, "40,0,0,0,0,40,40,0");
        has_process(text, 1, "22,0,0,0,0,60,90,68"); /* 30 + 10 + 10 + 10 */
        has_scope(text, "whole", 2, 90, 60, 40);
    }
    tcfh_delete(h);
}

static void sends_that_wait(void **state)
{
    (void)state;
    assert_int_equal(ideal_of_send("MPI_Send", "MPI_Recv", 60, 65), 70);
    assert_int_equal(ideal_of_send("MPI_Send", "MPI_Recv", 60, 50), 20);  /* it was over before */
    assert_int_equal(ideal_of_send("MPI_Send", "MPI_Recv", 5, 65), 20);   /* the receive was there */
    assert_int_equal(ideal_of_send("MPI_Bsend", "MPI_Recv", 60, 65), 20); /* never waits */
    assert_int_equal(ideal_of_send("MPI_Ssend", "MPI_Recv", 60, 65), 70);
    assert_int_equal(ideal_of_send("MPI_Sendrecv", "MPI_Recv", 60, 65), 70);
}

/* The same where the receiver itself had waited: 2 computes until 5 and sends, 1 has got that at 40, and computes for
 * 15 before it posts the receive of what 0 sends, at 55. On an ideal network that is at 20. The send of 0 ends in front
 * of it, and goes on at 10; or behind it, at 20. */
static void receivers_that_were_kept(void **state)
{
    static const struct {
        uint64_t end;
        const char *ticks;
    } cases[] = {{50, "20,0,40,0,0,20,60"}, {57, "20,0,47,0,0,30,67"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tcfh *h = harness_new();
        tcfh_processes(h, 3, 1);
        const uint32_t work = tcfh_region(h, "work"), send = tcfh_region(h, "MPI_Send"),
                       recv = tcfh_region(h, "MPI_Recv");
        for (uint32_t l = 0; l < 3; l++)
            tcfh_enter(h, l, 0, work);
        tcfh_enter(h, 0, 10, send);
        tcfh_send(h, 0, 10, 1, 7, 8);
        tcfh_leave(h, 0, cases[i].end, send);
        tcfh_leave(h, 0, cases[i].end + 10, work);
        tcfh_enter(h, 1, 2, recv);
        tcfh_receive(h, 1, 40, 2, 7, 8);
        tcfh_leave(h, 1, 40, recv);
        tcfh_enter(h, 1, 55, recv);
        tcfh_receive(h, 1, 58, 0, 7, 8);
        tcfh_leave(h, 1, 58, recv);
        tcfh_enter(h, 2, 5, send);
        tcfh_send(h, 2, 5, 1, 7, 8);
        tcfh_leave(h, 2, 6, send);
        has_process(harness_report(h, "efficiency", ""), 0, cases[i].ticks);
        tcfh_delete(h);
    }
}

/* Five steps of two processes, which begin with an enter of `step`: in the third one 1 computes for 30 instead of 10.
 *
 *     0: [step: compute 10, barrier]...      a step takes 12, the third one 32
 *     1: [step: compute 10 or 30, barrier]...
 */
static void iterations(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t step = tcfh_region(h, "step"), barrier = tcfh_region(h, "MPI_Barrier");
    for (uint32_t l = 0; l < 2; l++) {
        uint64_t now = 100;
        for (int i = 0; i < 6; i++) {
            const uint64_t own = i == 2 && l == 1 ? 30 : 10, longest = i == 2 ? 30 : 10;
            tcfh_enter(h, l, now, step);
            tcfh_enter(h, l, now + own, barrier);
            tcfh_collective(h, l, now + own, now + longest + 2, OTF2_COLLECTIVE_OP_BARRIER, 0,
                            OTF2_COLLECTIVE_ROOT_NONE);
            tcfh_leave(h, l, now + longest + 2, barrier);
            tcfh_leave(h, l, now + longest + 2, step);
            now += longest + 2;
        }
    }
    for (int bins = 8; bins >= 2; bins /= 2) {
        tcfh_run(
            h,
            "[pipeline]\nsurvey = iterations\nchain = efficiency\n[iterations]\nbins = %d\noutput = ${SCRATCH}/loop\n"
            "overwrite = yes\n[efficiency]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n",
            bins);
        const char *text = tcfh_text(h, "report");
        /* processes, and in ticks: run time, ideal run time, largest useful time. Of the sixth step the end is unknown.
         */
        if (bins == 8) {
            harness_has(text, "efficiency_iterations,0,1,", ",2,12,10,10");
            harness_has(text, "efficiency_iterations,2,1,", ",2,32,30,30");
            harness_has(text, "efficiency_iterations,4,1,", ",2,12,10,10");
            harness_no_line(text, "efficiency_iterations,5,");
        } else if (bins == 4) {
            harness_has(text, "efficiency_iterations,0,2,", ",2,24,20,20");
            harness_has(text, "efficiency_iterations,2,2,", ",2,44,40,40");
            harness_has(text, "efficiency_iterations,4,1,", ",2,12,10,10");
        } else {
            harness_has(text, "efficiency_iterations,0,4,", ",2,68,60,60");
            harness_has(text, "efficiency_iterations,4,1,", ",2,12,10,10");
        }
    }
    harness_no_line(harness_report(h, "efficiency", ""), "efficiency_iterations"); /* without a survey */
    tcfh_delete(h);
}

/* A receive in front of its send can't be: it is cut, and told. */
static void wrong_clocks(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    tcfh_enter(h, 0, 100, send);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_leave(h, 0, 110, send);
    tcfh_enter(h, 1, 50, recv);
    tcfh_receive(h, 1, 60, 0, 7, 8);
    tcfh_leave(h, 1, 61, recv);
    tcfh_enter(h, 1, 71, recv);
    has_scope(harness_report(h, "efficiency", ""), "whole", 2, 60, 50, 10);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back),    cmocka_unit_test(collective),
        cmocka_unit_test(waits_for_devices), cmocka_unit_test(wrong_clocks),
        cmocka_unit_test(sends_that_wait),   cmocka_unit_test(receivers_that_were_kept),
        cmocka_unit_test(iterations),        cmocka_unit_test(idle_until_a_message),
    };
    return cmocka_run_group_tests_name("efficiency", tests, NULL, NULL);
}
