/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Receives, alone and several in a call. */
#include "by_hand.h"

/* eq. 2, 3; also where enter.recv = exit.send */
static void receiver_waits(void **state)
{
    (void)state;
    for (uint64_t enter = 50; enter <= 230; enter += 180) {
        tcfh *h = processes(2, 1);
        sender(h);
        receiver(h, enter, 280);
        IN_ALL_CUTS(h, O PAPER)
        {
            TIMES(0, 0, 90, 180, 180, 190);
            TIMES(1, enter, 250, 250); /* Comm = 70; enter 230 < 250 */
        }
        IN_ALL_CUTS(h, O)
        {
            TIMES(1, enter, 240, 240); /* Comm = 70 - 10 */
            assert_decisions(h, enter == 50 ? ",1,0,1,0," : ",0,1,0,0,");
        }
        IN_ALL_CUTS(h, O "mode = upper\n")
        {
            if (enter == 50)
                TIMES(1, enter, 240, 240); /* was measured: no bounds */
            else
                TIMES(1, enter, 270, 270); /* may have been there at 230, and taken 280 - 230 - 10 from there */
        }
        tcfh_delete(h);
    }
}

/* eq. 4 */
static void message_is_there(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 225, 250);
    IN_ALL_CUTS(h, O PAPER "copy = 50:15ticks 150:25ticks\n")
    {
        TIMES(1, 225, 245, 245); /* 180 + 40 <= 225: a.2, C = 20 */
        assert_decisions(h, ",1,0,0,1,");
    }
    IN_ALL_CUTS(h, O "copy = 50:15ticks 150:25ticks\n")
    {
        TIMES(1, 225, 240, 240); /* the copy took no longer than 250 - 225 - 10 */
    }
    IN_ALL_CUTS(h, O "copy = 50:1ticks 150:5ticks\n")
    {
        TIMES(1, 225, 228, 228);
    }
    tcfh_delete(h);
}

/* A message that arrives while it would still be copied: literally it is waited for, and comes earlier than that. */
static void between_a1_and_a2(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 225, 260);
    IN_ALL_CUTS(h, O PAPER "copy = 100:20ticks\n")
    {
        TIMES(1, 225, 230, 230); /* 180 + 50 > 225 */
    }
    IN_ALL_CUTS(h, O "copy = 100:20ticks\n")
    {
        TIMES(1, 225, 245, 245); /* 180 + 40 < 225 + 20 */
    }
    tcfh_delete(h);
}

/* eq. 5 to 11 */
static void bounds(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    sender(h);
    receiver(h, 240, 300);
    static const struct {
        const char *options;
        uint64_t recv;
    } cases[] = {
        {PAPER "copy = 100:3ticks\nmode = lower\n", 243}, /* max(180 + 6, 240 + 3) */
        {PAPER "copy = 100:3ticks\nmode = upper\n", 270}, /* max(180 + 90, 240 + 3) */
        {PAPER "copy = 100:3ticks\nmode = mean\n", 256},
        {PAPER "copy = 100:40ticks\nmode = lower\n", 280}, /* eq. 7, 8: max(260, 280) */
        {PAPER "copy = 100:40ticks\nmode = upper\n", 280},
        {PAPER "copy = 100:100ticks\nmode = lower\n", 380},
        {"copy = 100:3ticks\nmode = lower\n", 260}, /* arrives at 287, which becomes 257, and is copied */
        {"copy = 100:3ticks\nmode = likely\n", 260},
        {"copy = 100:3ticks\nmode = upper\n", 290}, /* arrives by 240: the call takes 50 as measured */
        {"copy = 100:3ticks\nmode = mean\n", 275},
        {"copy = 100:100ticks\nmode = lower\n", 290}, /* the copy has taken the 50 of the call */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char options[200];
        snprintf(options, sizeof options, O "%s", cases[i].options);
        IN_ALL_CUTS(h, options)
        {
            TIMES(1, 240, cases[i].recv, cases[i].recv);
            assert_decisions(h, ",0,1,0,0,");
        }
    }
    tcfh_delete(h);
}

/* Whoever waits has had time for all overhead: waiting pays what is carried, as far as it goes. */
static void waiting_pays(void **state)
{
    (void)state;
    static const uint64_t times[2][6] = {{0, 5, 6, 7, 280, 300}, {0, 215, 216, 217, 250, 300}};
    for (int i = 0; i < 2; i++) {
        tcfh *h = processes(2, 1);
        sender(h);
        for (int n = 0; n < 3; n++)
            plain(h, 1, times[i][n]);
        tcfh_enter(h, 1, times[i][3], work);
        tcfh_receive(h, 1, times[i][4], 0, 7, 100);
        tcfh_leave(h, 1, times[i][5], work);
        IN_ALL_CUTS(h, O "carry = 1ms\n")
        {
            if (i == 0)
                TIMES(1, 0, 0, 0, 0, 240, 250); /* 23 are carried to where it waits for 240 */
            else
                TIMES(1, 0, 205, 205, 205, 210, 237); /* 18, and 5 of waiting: 300 - 250 - 10 - 13 */
        }
        tcfh_delete(h);
    }
}

/* MPI_Sendrecv: the call of the send itself receives, so when it is left says nothing of the send. */
static void calls_that_send_and_receive_overlap(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        tcfh *h = processes(2, 1);
        tcfh_enter(h, 0, 100, work);
        tcfh_send(h, 0, 110, 1, 7, 100);
        if (both)
            tcfh_receive(h, 0, 150, 1, 8, 100);
        tcfh_leave(h, 0, 160, work);
        tcfh_enter(h, 1, 90, work);
        tcfh_send(h, 1, 95, 0, 8, 100);
        tcfh_leave(h, 1, 96, work);
        tcfh_enter(h, 1, 300, work);
        tcfh_receive(h, 1, 310, 0, 7, 100);
        IN_ALL_CUTS(h, PAPER)
        {
            TIMES(1, 90, 95, 96, 300, both ? 310 : 300);
        }
        tcfh_delete(h);
    }
}

/* A call that sends and then receives is open for long: a receiver that comes late still need not have waited. */
static void late_in_sendrecv(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_enter(h, 0, 100, work);
    tcfh_send(h, 0, 110, 1, 7, 100); /* 100 */
    tcfh_receive(h, 0, 340, 1, 8, 100);
    tcfh_leave(h, 0, 360, work);
    tcfh_enter(h, 1, 80, work);
    tcfh_send(h, 1, 95, 0, 8, 100);
    tcfh_leave(h, 1, 110, work); /* 90 */
    tcfh_enter(h, 1, 300, work); /* 270 */
    tcfh_receive(h, 1, 320, 0, 7, 100);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 80, 85, 90, 270, 280); /* was there: 320 - 300 - 10 behind 270 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 80, 85, 90, 270, 300); /* arrived at 300 or later: 100 + 320 - 110 - 10 */
    }
    tcfh_delete(h);
}

/* What a call does before it receives, such as to send, is no time in which it waited. */
static void sends_before_it_receives(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    plain(h, 0, 0);
    tcfh_send(h, 0, 20, 1, 7, 100); /* 10 */
    plain(h, 1, 0);
    tcfh_enter(h, 1, 100, work);      /* 90 */
    tcfh_send(h, 1, 130, 0, 8, 100);  /* 110 */
    tcfh_receive(h, 1, 145, 0, 7, 8); /* was there: 5 of its own */
    tcfh_leave(h, 1, 160, work);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 0, 90, 110, 115, 120);
    }
    tcfh_delete(h);
}

/* Completions in a row: those recorded behind the arrival are on the way of the ones behind them. */
static void two_receives(tcfh *h, uint32_t call)
{
    for (uint64_t i = 0; i < 2; i++) {
        tcfh_enter(h, 0, 100 + 30 * i, work);
        tcfh_event(h, 0, 110 + 30 * i, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){1, 0, (uint32_t)i, 8, i});
        tcfh_leave(h, 0, 120 + 30 * i, work);
        tcfh_event(h, 1, 10 + i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    }
    tcfh_enter(h, 1, 50, call);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 200 + 60 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, (uint32_t)i, 8, i});
    tcfh_leave(h, 1, 275, call);
}

static void several_in_a_call(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    two_receives(h, work);
    IN_ALL_CUTS(h, O)
    {
        TIMES(0, 100, 100, 100, 100, 100, 100);
        TIMES(1, 10, 10, 39, 180, 200, 205); /* 100 + 200 - 110 - 10, 100 + 260 - 140 - 20 */
    }
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(1, 10, 10, 39, 190, 220, 225); /* 100 + 90, 100 + 120 */
    }
    tcfh_delete(h);
}

/* MPI_Waitall waits for the last one: which one the first receive waited for is not known. */
static void waiting_for_all(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    two_receives(h, tcfh_region(h, "MPI_Waitall"));
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 10, 10, 39, 100, 100, 205); /* the sends; 100 + (260 - 20) - 140, and 275 - 260 - 10 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 10, 10, 39, 180, 230, 235); /* the first one may have come last, at 240, which is 230 */
    }
    IN_ALL_CUTS(h, O PAPER)
    {
        TIMES(1, 10, 10, 39, 190, 220, 225);
    }
    tcfh_delete(h);
}

/* All was sent long before: that the call took 90 may be waiting for what the senders did behind that. */
static void posted_long_before(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        tcfh *h = processes(2, 1);
        const uint32_t wait = tcfh_region(h, several ? "MPI_Waitall" : "MPI_Wait");
        plain(h, 0, 0);
        tcfh_send(h, 0, 20, 1, 0, 8); /* 10 */
        tcfh_event(h, 1, 0, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){1});
        tcfh_enter(h, 1, 200, wait); /* 190 */
        tcfh_event(h, 1, 300, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, 0, 8, 1});
        tcfh_leave(h, 1, 320, wait);
        IN_ALL_CUTS(h, O)
        {
            TIMES(1, 0, 190, 190, 200);
        }
        IN_ALL_CUTS(h, O "mode = upper\n")
        {
            TIMES(1, 0, 190, 280, 290); /* 190 + 300 - 200 - 10 */
        }
        tcfh_delete(h);
    }
}

/* Two messages, the earlier of which lost more overhead: 110 becomes 100, 50 becomes 10. All was there at 200. */
static void which_came_last(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    plain(h, 0, 0);
    tcfh_send(h, 0, 110, 1, 0, 8);
    for (uint64_t t = 0; t <= 30; t += 10)
        plain(h, 2, t);
    tcfh_send(h, 2, 50, 1, 0, 8);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 10 + 10 * i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    const uint32_t wait = tcfh_region(h, "MPI_Waitall");
    tcfh_enter(h, 1, 40, wait);
    for (uint64_t i = 0; i < 2; i++)
        tcfh_event(h, 1, 200 + 20 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){2 * (uint32_t)i, 0, 0, 8, i});
    tcfh_leave(h, 1, 240, wait);
    IN_ALL_CUTS(h, O)
    {
        TIMES(1, 10, 10, 20, 100, 100, 200); /* likely that of 110: 100 + 90, and 10 */
    }
    IN_ALL_CUTS(h, O "mode = lower\n")
    {
        TIMES(1, 10, 10, 20, 100, 100, 170); /* that of 50: 10 + 150 */
    }
    IN_ALL_CUTS(h, O "mode = upper\n")
    {
        TIMES(1, 10, 10, 20, 180, 190, 200);
    }
    IN_ALL_CUTS(h, O "mode = mean\n")
    {
        TIMES(1, 10, 10, 20, 140, 140, 185); /* (160 + 190) / 2, and 10 */
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receiver_waits),     cmocka_unit_test(message_is_there),
        cmocka_unit_test(between_a1_and_a2),  cmocka_unit_test(bounds),
        cmocka_unit_test(waiting_pays),       cmocka_unit_test(calls_that_send_and_receive_overlap),
        cmocka_unit_test(late_in_sendrecv),   cmocka_unit_test(sends_before_it_receives),
        cmocka_unit_test(several_in_a_call),  cmocka_unit_test(waiting_for_all),
        cmocka_unit_test(posted_long_before), cmocka_unit_test(which_came_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
