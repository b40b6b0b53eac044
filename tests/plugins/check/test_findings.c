/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What check says of small traces that are wrong in one known way each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

/* check's report, all of it. */
static const char *report(tcfh *h, const char *options)
{
    tcfh_run(h, "[pipeline]\nchain = check\n[check]\nformat = csv\noutput = ${SCRATCH}/out.csv\noverwrite = yes\n%s",
             options);
    return tcfh_text(h, "out.csv");
}

/* Two processes: the second one receives at time `receive` what the first one has sent at 100. */
static tcfh *one_message(uint64_t receive)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t main_region = tcfh_region(h, "main"), send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    tcfh_enter(h, 0, 10, main_region);
    tcfh_enter(h, 0, 90, send);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_leave(h, 0, 110, send);
    tcfh_leave(h, 0, 900, main_region);
    tcfh_enter(h, 1, 20, recv);
    tcfh_receive(h, 1, receive, 0, 7, 8);
    tcfh_leave(h, 1, 800, recv);
    return h;
}

static void message_in_order(void **state)
{
    tcfh *h = one_message(100); /* equality is in order */
    (void)state;
    const char *text = report(h, "");
    harness_line(text, "violations,p2p,1,0,0,0");
    harness_line(text, "verdict,clock_violations,0,events that come before something that they depend on");
    harness_no_line(text, "worst");
    harness_no_line(text, "unmatched");
    tcfh_delete(h);
}

static void message_reversed(void **state)
{
    tcfh *h = one_message(60);
    (void)state;
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "");
        harness_line(text, "violations,p2p,1,1,4e-08,40");
        harness_line(text, "worst,p2p,1,4e-08,40,1000,rank 0,2,100,MPI_Send,2000,rank 1,1,60,MPI_Recv,1e-07,6e-08");
    }
    tcfh_delete(h);
}

static void minimum_delay(void **state)
{
    tcfh *h = one_message(130);
    (void)state;
    harness_line(report(h, "mu = 30ns\n"), "violations,p2p,1,0,0,0");
    harness_line(report(h, "mu = 31 ticks\n"), "violations,p2p,1,1,1e-09,1");
    tcfh_delete(h);
}

static void messages_without_partner(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 3, 1);
    for (uint64_t i = 0; i < 4; i++)
        tcfh_send(h, 0, 100 + i, 1, 7, 8);
    tcfh_receive(h, 1, 200, 0, 7, 8);
    tcfh_receive(h, 2, 300, 1, 9, 8);
    tcfh_receive(h, 2, 301, 1, 9, 8);
    tcfh_send(h, 2, 302, 0, 5, 8);
    const char *text = report(h, "");
    harness_line(text, "verdict,unmatched_sends,4,messages that were never received");
    harness_line(text, "verdict,unmatched_receives,2,receives of messages that were never sent");
    assert_non_null(strstr(text, "unmatched,send,3,"));
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,0,rank 0,1,rank 1,7\r\n"));
    assert_non_null(strstr(text, "unmatched,receive,2,"));
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,1,rank 1,2,rank 2,9\r\n"));
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,2,rank 2,0,rank 0,5\r\n"));
    assert_true(strstr(text, "unmatched,send,3,") < strstr(text, "unmatched,receive,2,"));
    text = report(h, "worst = 1\n");
    assert_non_null(strstr(text, "unmatched,send,3,"));
    assert_null(strstr(text, "unmatched,receive,2,"));
    tcfh_delete(h);
}

/* Two ranks of one location group are two senders. */
static void messages_of_several_ranks(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_ranks(h, 2);
    tcfh_processes(h, 2, 2);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_send(h, 0, 100 + i, 2, 7, 8);
    tcfh_send(h, 1, 100, 2, 7, 8);
    const char *text = report(h, "");
    harness_line(text, "verdict,unmatched_sends,3,messages that were never received");
    assert_non_null(strstr(text, "unmatched,send,2,"));
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,0,rank 0,2,rank 1,7\r\n"));
    assert_non_null(strstr(text, "unmatched,send,1,"));
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,1,rank 0,2,rank 1,7\r\n"));
    tcfh_delete(h);
}

/* Ranks and communicators that don't exist. */
static void messages_to_nobody(void **state)
{
    tcfh *h = tcfh_new();
    tcf_ev_mpi_send send = {.receiver = 77, .communicator = 0, .msg_tag = 3};
    (void)state;
    tcfh_processes(h, 2, 1);
    tcfh_event(h, 0, 100, TCF_MPI_SEND, &send);
    send.communicator = TCF_NONE;
    tcfh_event(h, 0, 101, TCF_MPI_SEND, &send);
    const char *text = report(h, "");
    harness_line(text, "verdict,unmatched_sends,2,messages that were never received");
    assert_non_null(strstr(text, ",MPI_COMM_WORLD,0,rank 0,77,,3\r\n"));
    harness_line(text, "unmatched,send,1,-1,,-1,rank 0,77,,3");
    tcfh_delete(h);
}

/* More channels with lost messages than are listed: the totals stay right. */
static void more_channels_than_followed(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 1);
    for (uint32_t i = 0; i < 5000; i++) {
        tcfh_send(h, 0, 100 + 3 * i, 1, i, 8);
        if (i % 10 == 0) /* these arrive */
            tcfh_receive(h, 1, 101 + 3 * i, 0, i, 8);
    }
    const char *text = report(h, "channels = 1024\n");
    harness_line(text, "verdict,unmatched_sends,4500,messages that were never received");
    assert_null(strstr(text, "verdict,messages_not_followed,0,"));
    text = report(h, "");
    harness_line(text, "verdict,unmatched_sends,4500,messages that were never received");
    assert_non_null(strstr(text, "verdict,messages_not_followed,0,"));
    tcfh_delete(h);
}

/* Three processes in an allreduce; the last one begins late. */
static tcfh *one_collective(uint8_t op)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 1);
    uint32_t region = tcfh_region(h, "MPI_Allreduce");
    for (uint32_t l = 0; l < 3; l++)
        tcfh_enter(h, l, 90, region);
    tcfh_collective(h, 0, 100, 200, op, 0, 0);
    tcfh_collective(h, 1, 120, 250, op, 0, 0);
    tcfh_collective(h, 2, 240, 260, op, 0, 0);
    for (uint32_t l = 0; l < 3; l++)
        tcfh_leave(h, l, 900, region);
    return h;
}

static void collective_in_part(void **state)
{
    tcfh *h = one_collective(OTF2_COLLECTIVE_OP_ALLREDUCE);
    (void)state;
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "");
        harness_line(text, "violations,n_to_n,3,1,4e-08,40");
        harness_line(
            text,
            "worst,n_to_n,1,4e-08,40,3000,rank 2,1,240,MPI_Allreduce,1000,rank 0,2,200,MPI_Allreduce,2.4e-07,2e-07");
    }
    /* 240 + 30 > 250, but the last one's own begin doesn't count against its end at 260. */
    harness_line(report(h, "mu = 30 ticks\n"), "violations,n_to_n,3,2,7e-08,70");
    tcfh_delete(h);
}

static void classes(void **state)
{
    static const struct {
        uint8_t op;
        const char *line;
    } each[] = {
        {OTF2_COLLECTIVE_OP_BARRIER, "violations,barrier,3,1,4e-08,40"},
        {OTF2_COLLECTIVE_OP_BCAST, "violations,one_to_n,2,0,0,0"},
        {OTF2_COLLECTIVE_OP_REDUCE, "violations,n_to_one,1,1,4e-08,40"},
        {OTF2_COLLECTIVE_OP_SCAN, "violations,scan,2,0,0,0"},
        {OTF2_COLLECTIVE_OP_EXSCAN, "violations,exscan,2,0,0,0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        tcfh *h = one_collective(each[i].op);
        harness_line(report(h, ""), each[i].line);
        tcfh_delete(h);
    }
    tcfh *h = one_collective(OTF2_COLLECTIVE_OP_CREATE_HANDLE); /* in no order */
    harness_no_line(report(h, ""), "violations,");
    tcfh_delete(h);
}

/* A root may be any number of operations ahead of those that wait for it: the begin that was too late is reported all
 * the same. */
static void far_ahead(void **state)
{
    enum { OPERATIONS = 50, WORST = 7 };
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 2, 1);
    for (uint64_t i = 0; i < OPERATIONS; i++) {
        uint64_t early = i == WORST ? 100 : 50;
        tcfh_collective(h, 0, 1000 + 10 * i, 1001 + 10 * i, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
        tcfh_collective(h, 1, 800 + 10 * i, 1000 + 10 * i - early, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    }
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "");
        harness_line(text, "violations,one_to_n,50,50,1e-07,100");
        harness_line(text, "worst,one_to_n,1,1e-07,100,1000,rank 0,14,1070,,2000,rank 1,15,970,,1.07e-06,9.7e-07");
    }
    tcfh_delete(h);
}

static void incomplete_collective(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 3, 1);
    tcfh_collective(h, 0, 100, 200, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    tcfh_collective(h, 1, 220, 250, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    tcfh_send(h, 2, 50, 2, 1, 1);
    tcfh_receive(h, 2, 60, 2, 1, 1);
    const char *text = report(h, "");
    harness_line(text, "verdict,incomplete_collective_ends,2,ends of collectives that lack begins of other members");
    harness_line(text, "violations,p2p,1,0,0,0");
    tcfh_delete(h);
}

static void balance(void **state)
{
    tcfh *h = tcfh_new();
    (void)state;
    tcfh_processes(h, 1, 1);
    uint32_t a = tcfh_region(h, "a"), b = tcfh_region(h, "b"), c = tcfh_region(h, "c");
    tcfh_leave(h, 0, 1, a); /* not open */
    tcfh_enter(h, 0, 2, a);
    tcfh_enter(h, 0, 3, b);
    tcfh_enter(h, 0, 4, c);
    tcfh_leave(h, 0, 5, a); /* closes b and c */
    tcfh_enter(h, 0, 6, b);
    tcfh_leave(h, 0, 7, c); /* not open */
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        harness_line(report(h, ""), "locations,1000,rank 0,2,1,2,0");
    }
    tcfh_delete(h);
}

/* Acquiring a lock that the location itself has released depends on nobody. */
static void own_lock(void **state)
{
    tcfh *h = tcfh_new();
    tcf_ev_thread_acquire_lock acquire = {.model = TCF_PARADIGM_OPENMP, .lock_id = 5, .acquisition_order = 1};
    tcf_ev_thread_release_lock release = {.model = TCF_PARADIGM_OPENMP, .lock_id = 5, .acquisition_order = 1};
    (void)state;
    tcfh_processes(h, 1, 2);
    tcfh_event(h, 0, 10, TCF_THREAD_ACQUIRE_LOCK, &acquire);
    tcfh_event(h, 0, 20, TCF_THREAD_RELEASE_LOCK, &release);
    acquire.acquisition_order = release.acquisition_order = 2;
    tcfh_event(h, 0, 30, TCF_THREAD_ACQUIRE_LOCK, &acquire);
    tcfh_event(h, 0, 40, TCF_THREAD_RELEASE_LOCK, &release);
    acquire.acquisition_order = 3;
    tcfh_event(h, 1, 35, TCF_THREAD_ACQUIRE_LOCK, &acquire);
    harness_line(report(h, ""), "violations,lock,1,1,5e-09,5");
    tcfh_delete(h);
}

/* What another filter drops leaves its partner alone. */
static void dropped_receive(void **state)
{
    tcfh *h = one_message(60);
    (void)state;
    tcfh_run(h, "[pipeline]\nchain = select check\n[select]\nexclude_kinds = MPI_RECV\nmessages = keep\n"
                "[check]\nformat = csv\noutput = ${SCRATCH}/out.csv\noverwrite = yes\n");
    const char *text = tcfh_text(h, "out.csv");
    harness_line(text, "verdict,unmatched_sends,1,messages that were never received");
    harness_no_line(text, "violations,p2p");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(message_in_order),
        cmocka_unit_test(message_reversed),
        cmocka_unit_test(minimum_delay),
        cmocka_unit_test(messages_without_partner),
        cmocka_unit_test(messages_of_several_ranks),
        cmocka_unit_test(messages_to_nobody),
        cmocka_unit_test(more_channels_than_followed),
        cmocka_unit_test(collective_in_part),
        cmocka_unit_test(classes),
        cmocka_unit_test(far_ahead),
        cmocka_unit_test(incomplete_collective),
        cmocka_unit_test(balance),
        cmocka_unit_test(own_lock),
        cmocka_unit_test(dropped_receive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
