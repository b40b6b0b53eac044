/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Sends that wait for their receives. */
#include "by_hand.h"

#define WAITING "rendezvous = 100B\nhandshake = 0ns\n"

/* A send of 100 bytes at 110, which becomes 90, in a call that is left at `left`. */
static void late_receiver(tcfh *h, const char *call, uint64_t left)
{
    const uint32_t region = tcfh_region(h, call);
    plain(h, 0, 0);
    tcfh_enter(h, 0, 100, region);
    tcfh_send(h, 0, 110, 1, 7, 100);
    tcfh_leave(h, 0, left, region);
}

/* A receive that is posted at 200 and done at 290, behind events each of which takes 10 from 200. */
static void posted_at_200(tcfh *h, uint64_t n)
{
    const uint32_t recv = tcfh_region(h, "MPI_Recv");
    for (uint64_t i = 0; i < n; i++)
        plain(h, 1, 10 * i);
    tcfh_enter(h, 1, 200, recv);
    tcfh_receive(h, 1, 290, 0, 7, 100);
    tcfh_leave(h, 1, 300, recv);
}

/* 200 becomes 160: the sender goes on behind that, 90 later as it was measured. */
static void send_waits_for_its_receive(void **state)
{
    (void)state;
    static const char *const waits[] = {"rendezvous = 100B\n", "rendezvous = 1B\n", "rendezvous = 100B\nmode = lower\n",
                                        "rendezvous = 100B\nmode = upper\n", "rendezvous = 100B\nmode = mean\n"};
    tcfh *h = processes(2, 1);
    late_receiver(h, "MPI_Send", 300);
    plain(h, 1, 0);
    plain(h, 1, 50);
    plain(h, 1, 100);
    posted_at_200(h, 0);
    for (size_t i = 0; i < COUNT(waits); i++) {
        char options[200];
        snprintf(options, sizeof options, O "handshake = 20 ticks\n%s", waits[i]);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, 260);           /* 170 + 300 - 10 - 200 */
            TIMES(1, 0, 40, 80, 170, 250, 250); /* the message left when both were there */
        }
    }
    static const char *const waits_not[] = {"rendezvous = no\n", "rendezvous = 101B\n", "rendezvous = synchronous\n"};
    for (size_t i = 0; i < COUNT(waits_not); i++) {
        char options[200];
        snprintf(options, sizeof options, O "mode = upper\n%s", waits_not[i]);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, 270);           /* 300 - 110 - 10, as measured */
            TIMES(1, 0, 40, 80, 170, 260, 260); /* 90 + 290 - 10 - 110 */
        }
    }
    tcfh_delete(h);
}

/* MPI_Ssend waits whatever the size, MPI_Bsend and MPI_Rsend don't. */
static void which_calls_wait(void **state)
{
    (void)state;
    static const struct {
        const char *call, *rendezvous;
        uint64_t left;
    } cases[] = {{"MPI_Ssend", "synchronous", 260}, {"MPI_SSEND", "1000B", 260}, {"MPI_Bsend", "1B", 270},
                 {"MPI_Rsend", "1B", 270},          {"MPI_Send", "1B", 260},     {"MPI_Send", "synchronous", 270}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        tcfh *h = processes(2, 1);
        late_receiver(h, cases[i].call, 300);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        posted_at_200(h, 0);
        char options[200];
        snprintf(options, sizeof options, O "rendezvous = %s\n", cases[i].rendezvous);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, cases[i].left);
        }
        tcfh_delete(h);
    }
}

/* A receiver in MPI_Sendrecv posts behind the record of its own send, which takes 10 without work: 210 becomes 170. To
 * MPI_PROC_NULL nothing is sent: then it posts where it enters the call. */
static void receiver_in_sendrecv(void **state)
{
    (void)state;
    static const char *const calls[] = {"MPI_Sendrecv", "MPI_Sendrecv_replace"};
    for (size_t i = 0; i < 2 * COUNT(calls); i++) {
        const int sends = i % 2 == 0;
        tcfh *h = processes(3, 1);
        late_receiver(h, "MPI_Send", 300);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        const uint32_t call = tcfh_region(h, calls[i / 2]);
        tcfh_enter(h, 1, 200, call);
        if (sends)
            tcfh_send(h, 1, 210, 2, 7, 8);
        else
            plain(h, 1, 210);
        tcfh_receive(h, 1, 290, 0, 7, 100);
        tcfh_leave(h, 1, 300, call);
        if (sends)
            tcfh_receive(h, 2, 400, 1, 7, 8);
        IN_ALL_CUTS(h, O WAITING)
        {
            TIMES(0, 0, 90, 90, sends ? 250 : 260); /* 170 + 300 - 10 - 210, or - 200 */
            TIMES(1, 0, 40, 80, 170, 170, 240, 240);
        }
        tcfh_delete(h);
    }
}

/* 200 becomes 60, which is before the send: who waits for whom then depends on how soon one knows of the other. */
static void receiver_comes_first_without_overhead(void **state)
{
    (void)state;
    static const struct {
        const char *mode;
        uint64_t left, recv;
    } cases[] = {{"lower", 160, 170},  /* 90 + 290 - (200 + 20); 90 + 290 - 10 - 200 */
                 {"likely", 180, 170}, /* 90 + 290 - 200 */
                 {"mean", 180, 180},
                 {"upper", 200, 190}}; /* 90 + 290 - (200 - 20); 90 + 20 + 80 */
    tcfh *h = processes(2, 1);
    late_receiver(h, "MPI_Send", 300);
    posted_at_200(h, 14);
    for (size_t i = 0; i < COUNT(cases); i++) {
        char options[200];
        snprintf(options, sizeof options, O "rendezvous = 100B\nhandshake = 20 ticks\nmode = %s\n", cases[i].mode);
        IN_ALL_CUTS(h, options)
        {
            TIMES(0, 0, 90, 90, cases[i].left);
            TIMES(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 60, cases[i].recv, cases[i].recv);
        }
    }
    tcfh_delete(h);
}

/* A post that was there long before costs the sender nothing; one behind the end of the send shows that it didn't wait.
 */
static void sends_that_had_nothing_to_wait_for(void **state)
{
    (void)state;
    for (int early = 0; early < 2; early++) {
        tcfh *h = processes(2, 1);
        late_receiver(h, "MPI_Send", early ? 190 : 300);
        const uint32_t recv = tcfh_region(h, "MPI_Recv");
        tcfh_enter(h, 1, early ? 200 : 50, recv);
        tcfh_receive(h, 1, 290, 0, 7, 100);
        IN_ALL_CUTS(h, O WAITING)
        {
            TIMES(0, 0, 90, 90, early ? 160 : 270);
            assert_decisions(h, early ? ",0,1\r\n" : ",0,0\r\n");
        }
        tcfh_delete(h);
    }
}

/* MPI_Issend waits in the call that completes it, alone or with others. */
static void non_blocking_sends_wait(void **state)
{
    (void)state;
    for (int several = 0; several < 2; several++) {
        tcfh *h = processes(2, 1);
        const uint32_t issend = tcfh_region(h, "MPI_Issend"),
                       wait = tcfh_region(h, several ? "MPI_Waitall" : "MPI_Wait");
        plain(h, 0, 0);
        tcfh_enter(h, 0, 100, issend);
        tcfh_event(h, 0, 110, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){1, 0, 7, 8, 1});
        tcfh_leave(h, 0, 120, issend);
        tcfh_enter(h, 0, 130, wait); /* 90 */
        tcfh_event(h, 0, 300, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){1});
        tcfh_leave(h, 0, 320, wait);
        plain(h, 1, 0);
        plain(h, 1, 50);
        plain(h, 1, 100);
        posted_at_200(h, 0); /* 170 */
        IN_ALL_CUTS(h, O "rendezvous = synchronous\nhandshake = 0ns\n")
        {
            TIMES(0, 0, 90, 90, 90, 90, several ? 170 : 260, 270); /* 170 + 300 - 10 - 200; behind all of them */
        }
        tcfh_delete(h);
    }
}

/* The sends wait for each receive in turn; the trace has the completions in the other order. */
static void completed_in_another_order(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    const uint32_t ssend = tcfh_region(h, "MPI_Ssend"), irecv = tcfh_region(h, "MPI_Irecv");
    const uint32_t wait = tcfh_region(h, "MPI_Waitall");
    tcfh_enter(h, 0, 100, ssend);
    tcfh_send(h, 0, 110, 1, 1, 8); /* 100 */
    tcfh_leave(h, 0, 300, ssend);
    tcfh_enter(h, 0, 310, ssend);
    tcfh_send(h, 0, 320, 1, 2, 8);
    tcfh_leave(h, 0, 340, ssend);
    plain(h, 1, 0);
    tcfh_enter(h, 1, 190, irecv);
    for (uint64_t i = 1; i <= 2; i++) /* 180 */
        tcfh_event(h, 1, 190 + 10 * i, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){i});
    tcfh_leave(h, 1, 220, irecv);
    tcfh_enter(h, 1, 230, wait);
    for (uint32_t i = 2; i >= 1; i--)
        tcfh_event(h, 1, 420 - 10 * i, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, i, 8, i});
    tcfh_leave(h, 1, 430, wait);
    IN_ALL_CUTS(h, O "rendezvous = synchronous\nhandshake = 0ns\n")
    {
        TIMES(0, 100, 100, 270, 270, 270, 280); /* 180 + 290 - 200, and nothing to wait for */
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

/* Sends that `rendezvous` takes for waiting, but that can't have waited: messages keep their receives. */
static void sends_that_cannot_have_waited(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    const uint32_t send = tcfh_region(h, "MPI_Send"), recv = tcfh_region(h, "MPI_Recv");
    for (uint32_t l = 0; l < 2; l++) {
        plain(h, l, 0);
        tcfh_enter(h, l, 100, send);
        tcfh_send(h, l, 110, 1 - l, 7, 100); /* 90 */
        tcfh_leave(h, l, 130, send);         /* 100 */
        tcfh_enter(h, l, 140, recv);         /* 100 */
        tcfh_receive(h, l, 160, 1 - l, 7, 100);
        tcfh_leave(h, l, 170, recv);
    }
    tcfh_send(h, 0, 300, 1, 8, 100); /* lost */
    plain(h, 0, 350);
    IN_ALL_CUTS(h, O WAITING)
    {
        TIMES(0, 0, 90, 90, 100, 100, 110, 110, 230, 270);
        TIMES(1, 0, 90, 90, 100, 100, 110, 110);
        assert_int_equal(tcfh_note(h, "given_up"), 0);
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(send_waits_for_its_receive),
        cmocka_unit_test(which_calls_wait),
        cmocka_unit_test(receiver_in_sendrecv),
        cmocka_unit_test(receiver_comes_first_without_overhead),
        cmocka_unit_test(sends_that_had_nothing_to_wait_for),
        cmocka_unit_test(non_blocking_sends_wait),
        cmocka_unit_test(completed_in_another_order),
        cmocka_unit_test(sends_that_cannot_have_waited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
