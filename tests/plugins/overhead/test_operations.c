/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collective operations, threads, and streams that follow a process. */
#include "by_hand.h"

static void barrier(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++)
        plain(h, l, 0);
    plain(h, 1, 100);
    tcfh_collective(h, 0, 100, 230, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    tcfh_collective(h, 1, 200, 220, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    tcfh_collective(h, 2, 150, 240, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(0, 0, 90, 210); /* eq. 13: 180 + 230 - 200 */
        TIMES(1, 0, 90, 180, 200);
        TIMES(2, 0, 140, 220);
    }
    IN_ALL_CUTS(h, O PAPER "synchronised = common\n")
    {
        TIMES(0, 0, 90, 200); /* eq. 12: 180 + 220 - 200 */
        TIMES(1, 0, 90, 180, 200);
        TIMES(2, 0, 140, 200);
    }
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 200);
        TIMES(1, 0, 90, 180, 190);
        TIMES(2, 0, 140, 210);
    }
    /* Who is last changes: 0, 100 -> 5, 150 -> 140. */
    IN_ALL_CUTS(h, PAPER "kinds = PARAMETER_INT:95ticks MPI_COLLECTIVE_BEGIN:100ticks\n")
    {
        TIMES(0, 0, 0, 80); /* begins at 0, 5 + 0, 50: 50 + 230 - 200 */
        TIMES(1, 0, 5, 5, 70);
        TIMES(2, 0, 50, 90);
    }
    tcfh_delete(h);
}

static void broadcast(void **state)
{
    (void)state;
    tcfh *h = processes(4, 1);
    plain(h, 0, 0);
    tcfh_collective(h, 0, 100, 120, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 1, 50, 130, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 2, 125, 180, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    tcfh_collective(h, 3, 110, 150, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(0, 0, 90, 100);
        TIMES(1, 50, 120);  /* waits: 90 + 30 */
        TIMES(2, 125, 125); /* comes after the root has left: m.2 */
        TIMES(3, 110, 140); /* comes while the root is there: m.1 */
    }
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 50, 110);
        TIMES(2, 125, 160); /* 90 + 180 - 100 - 10 */
        TIMES(3, 110, 130);
    }
    IN_ALL_CUTS(h, O "mode = lower\n") /* 2 and 3 may have waited for each other to pass the data on */
    {
        TIMES(1, 50, 110);
        TIMES(2, 125, 125);
        TIMES(3, 110, 110);
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 50, 110);
        TIMES(2, 125, 170); /* begins at 125 and takes 180 - 125 - 10 */
        TIMES(3, 110, 140);
    }
    tcfh_delete(h);
}

/* A root that waits for others before its end must not keep them waiting: the calls overlap then. */
static void root_that_receives(void **state)
{
    (void)state;
    for (int receives = 0; receives < 2; receives++) {
        tcfh *h = processes(3, 1);
        tcfh_collective_begin(h, 0, 100);
        if (receives)
            tcfh_receive(h, 0, 150, 1, 7, 100);
        tcfh_collective_end(h, 0, 160, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BCAST, 0, 0, 8, 8});
        tcfh_collective(h, 1, 110, 120, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
        if (receives)
            tcfh_send(h, 1, 130, 0, 7, 100);
        tcfh_collective(h, 2, 170, 180, OTF2_COLLECTIVE_OP_BCAST, 0, 0);
        IN_ALL_CUTS(h, PAPER)
        {
            TIMES(2, 170, receives ? 180 : 170);
            assert_int_equal(tcfh_note(h, "given_up"), 0);
        }
        tcfh_delete(h);
    }
}

static void reduce_and_scan(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++)
        plain(h, l, 0);
    tcfh_collective(h, 0, 100, 250, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 1, 200, 215, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 2, 150, 165, OTF2_COLLECTIVE_OP_REDUCE, 0, 0);
    tcfh_collective(h, 0, 300, 320, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    tcfh_collective(h, 1, 400, 440, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    tcfh_collective(h, 2, 330, 450, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 230, 270, 280); /* 190 + 50 - 10 */
        TIMES(1, 0, 190, 195, 370, 400);
        TIMES(2, 0, 140, 145, 300, 410); /* 370 + 450 - 400 - 10 */
    }
    tcfh_delete(h);
}

static void threads_follow(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    const tcf_ev_thread_team_begin in = {team};
    plain(h, 0, 0);
    tcfh_event(h, 0, 100, TCF_THREAD_FORK, &(tcf_ev_thread_fork){TCF_PARADIGM_OPENMP, 2});
    tcfh_event(h, 0, 110, TCF_THREAD_TEAM_BEGIN, &in);
    tcfh_event(h, 0, 200, TCF_THREAD_TEAM_END, &in);
    tcfh_event(h, 0, 230, TCF_THREAD_JOIN, &(tcf_ev_thread_join){TCF_PARADIGM_OPENMP});
    tcfh_event(h, 1, 120, TCF_THREAD_TEAM_BEGIN, &in);
    tcfh_event(h, 1, 210, TCF_THREAD_TEAM_END, &in);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 90, 170, 190); /* the join: 180 + 230 - 210 - 10 */
        TIMES(1, 100, 180);            /* 90 + 120 - 100 - 10 */
    }
    tcfh_delete(h);
}

/* A lock that the other thread has released: it was waited for or not. */
static void locks_have_bounds(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    for (uint64_t t = 0; t <= 40; t += 10)
        plain(h, 0, t);
    tcfh_event(h, 0, 50, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 0, 100, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){TCF_PARADIGM_OPENMP, 1, 1}); /* 40 */
    plain(h, 1, 0);
    plain(h, 1, 110); /* 100 */
    tcfh_event(h, 1, 160, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 2});
    tcfh_event(h, 1, 170, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){TCF_PARADIGM_OPENMP, 1, 2});
    plain(h, 1, 190);
    tcfh_event(h, 1, 220, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 1, 3});
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 0, 0, 0, 0, 0, 40);
        TIMES(1, 0, 100, 100, 100, 110, 130); /* it took until 150, which is 90: by then it is free */
    }
    IN_ALL_CUTS(h, O "handover = 30 ticks\n")
    {
        TIMES(1, 0, 100, 120, 120, 130, 150); /* until 130, and 20 behind that */
    }
    IN_ALL_CUTS(h, O "handover = 0\n")
    {
        TIMES(1, 0, 100, 140, 140, 150, 170); /* it was free: eq. 1 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 0, 100, 140, 140, 150, 170); /* and for the last one it waited for nobody */
    }
    tcfh_delete(h);
}

static tcfh *process_with_stream(uint32_t processes)
{
    tcfh *h = tcfh_new();
    tcfh_streams(h, 1);
    tcfh_processes(h, processes, 2);
    work = tcfh_region(h, "work");
    return h;
}

static void kernel(tcfh *h, uint32_t location, uint64_t begin, uint64_t end)
{
    tcfh_enter(h, location, begin, work);
    tcfh_leave(h, location, end, work);
}

/* What runs on an accelerator is not held up by the recording of it, and stays between the events of its process. */
static void streams_follow(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(2);
    uint32_t metric = tcfh_metric(h, "m", 6);
    for (uint32_t l = 0; l < 4; l++) {
        kernel(h, l, 100, 105);
        tcfh_metric_value(h, l, 200, metric, 6, 7);
    }
    IN_ALL_CUTS(h, O "metric_value = 5 ticks\ncarry = 1ms\n")
    {
        TIMES(0, 100, 100, 175);
        TIMES(1, 100, 100, 175);
        TIMES(2, 100, 100, 175);
        TIMES(3, 100, 100, 175);
    }
    tcfh_delete(h);
}

static void kernels_keep_their_length(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(1);
    const uint64_t host[] = {50, 100, 150, 200, 400, 600, 620, 700};
    for (size_t i = 0; i < COUNT(host); i++)
        plain(h, 0, host[i]); /* 50 90 130 170 360 550 560 630 */
    kernel(h, 1, 40, 45);     /* before the leader */
    kernel(h, 1, 160, 380);   /* launched at 150, waited for until 400 */
    kernel(h, 1, 390, 399);   /* 170 + 190, 9 behind that is too late */
    kernel(h, 1, 500, 650);   /* goes on for as long as there is room up to 700 */
    kernel(h, 1, 700, 1000);  /* behind the leader */
    plain(h, 1, 1100);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 50, 90, 130, 170, 360, 550, 560, 630);
        TIMES(1, 40, 45, 140, 360, 360, 360, 460, 610, 630, 930, 1030);
        if (!strstr(tcfh_text(h, "report"), ",11,9e-09,0,0"))
            fail_msg("%s", tcfh_text(h, "report"));
    }
    tcfh_delete(h);
}

/* Copies; a process that waits for longer than it did; a flush of its thread. */
static void streams_bend(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(2);
    plain(h, 2, 0);
    plain(h, 2, 10);
    tcfh_send(h, 2, 300, 0, 7, 8); /* 280 */
    plain(h, 0, 0);
    for (uint64_t t = 20; t <= 100; t += 20)
        plain(h, 0, t);
    tcfh_enter(h, 0, 120, work);                                          /* 60 */
    tcfh_receive(h, 0, 400, 1, 7, 8);                                     /* 280 + 400 - 300 - 10 = 370 */
    tcfh_leave(h, 0, 420, work);                                          /* 380 */
    tcfh_event(h, 0, 450, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){600}); /* 400 */
    plain(h, 0, 640);                                                     /* 430 */
    tcfh_event(h, 1, 30, TCF_RMA_PUT, &(tcf_ev_rma_put){TCF_NONE, 0, 8, 1});
    tcfh_event(h, 1, 200, TCF_RMA_OP_COMPLETE_BLOCKING, &(tcf_ev_rma_op_complete_blocking){TCF_NONE, 1});
    kernel(h, 1, 410, 415); /* 370 + 10 */
    kernel(h, 1, 500, 620);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 10, 20, 30, 40, 50, 60, 370, 380, 400, 430);
        TIMES(1, 20, 190, 380, 380, 400, 430);
    }
    tcfh_delete(h);
}

/* An edge from a stream to an earlier event of its leader: the stream goes on without it. */
static void stream_and_leader_wait_for_each_other(void **state)
{
    (void)state;
    tcfh *h = process_with_stream(1);
    plain(h, 0, 0);
    plain(h, 0, 100);
    tcfh_event(h, 0, 300, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_CUDA, 1, 2});
    plain(h, 0, 400);
    tcfh_event(h, 1, 500, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_CUDA, 1, 1});
    plain(h, 1, 600);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 490, 580);
        TIMES(1, 490, 780); /* 580 + 200, which was known by then */
        if (!strstr(tcfh_text(h, "report"), ",2,0,0,1"))
            fail_msg("%s", tcfh_text(h, "report"));
    }
    tcfh_delete(h);
}

/* A thread of which no record says that it was created begins when its process had come to that. */
static void threads_of_unknown_origin(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    plain(h, 0, 0);
    plain(h, 0, 100); /* 90 */
    plain(h, 0, 200); /* 180 */
    plain(h, 0, 900);
    plain(h, 1, 150); /* 90 + 50 */
    plain(h, 1, 250); /* 230 */
    plain(h, 1, 950);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 0, 90, 180, 870);
        TIMES(1, 140, 230, 920);
    }
    tcfh_delete(h);
}

/* What waits in MPI_Finalize for a process with much overhead: the run ends when that one is there, and 20 behind. */
static void run_ends_behind_the_last_finalize(void **state)
{
    (void)state;
    for (int finalizes = 0; finalizes < 2; finalizes++) {
        tcfh *h = processes(2, 1);
        uint32_t last = tcfh_region(h, finalizes ? "MPI_Finalize" : "finish");
        plain(h, 0, 0);
        tcfh_enter(h, 0, 100, last); /* 90 */
        tcfh_leave(h, 0, 610, last); /* 590 */
        for (uint64_t t = 0; t < 600; t += 20)
            plain(h, 1, t);
        tcfh_enter(h, 1, 600, last); /* 300 */
        tcfh_leave(h, 1, 620, last); /* 310 */
        IN_ALL_CUTS(h, O)
        {
            TIMES(0, 0, 90, 590);
            assert_decisions(h, finalizes ? ",6.2e-07,3.2e-07," : ",6.2e-07,5.9e-07,");
        }
        tcfh_delete(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(barrier),
        cmocka_unit_test(broadcast),
        cmocka_unit_test(root_that_receives),
        cmocka_unit_test(reduce_and_scan),
        cmocka_unit_test(threads_follow),
        cmocka_unit_test(locks_have_bounds),
        cmocka_unit_test(streams_follow),
        cmocka_unit_test(kernels_keep_their_length),
        cmocka_unit_test(streams_bend),
        cmocka_unit_test(stream_and_leader_wait_for_each_other),
        cmocka_unit_test(threads_of_unknown_origin),
        cmocka_unit_test(run_ends_behind_the_last_finalize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
