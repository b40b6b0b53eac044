/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Late senders and receivers of the filter `wait_states` on small traces, with waits worked out by hand from
 * plugins/wait_states/README.md; its report, and where it stands in a chain. */
#include "expect.h"

static uint32_t recv_, send_, ssend_, isend_, irecv_, wait_, waitall_, sendrecv_;

/* Processes of one thread each. */
static tcfh *with_regions(tcfh *h)
{
    recv_ = tcfh_region(h, "MPI_Recv");
    send_ = tcfh_region(h, "MPI_Send");
    ssend_ = tcfh_region(h, "MPI_Ssend");
    isend_ = tcfh_region(h, "MPI_Isend");
    irecv_ = tcfh_region(h, "MPI_Irecv");
    wait_ = tcfh_region(h, "MPI_Wait");
    waitall_ = tcfh_region(h, "MPI_Waitall");
    sendrecv_ = tcfh_region(h, "MPI_Sendrecv");
    return h;
}

static tcfh *ranks(uint32_t n)
{
    return with_regions(processes(n, 1));
}

static void send_in(tcfh *h, uint32_t location, uint32_t region, uint64_t enter, uint64_t at, uint64_t leave,
                    uint32_t to, uint32_t tag)
{
    tcfh_enter(h, location, enter, region);
    tcfh_send(h, location, at, to, tag, 8);
    tcfh_leave(h, location, leave, region);
}

static void receive_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t at, uint64_t leave, uint32_t from,
                       uint32_t tag)
{
    tcfh_enter(h, location, enter, recv_);
    tcfh_receive(h, location, at, from, tag, 8);
    tcfh_leave(h, location, leave, recv_);
}

static void isend_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t at, uint64_t leave, uint32_t to, uint32_t tag,
                     uint64_t request)
{
    tcfh_enter(h, location, enter, isend_);
    tcfh_event(h, location, at, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){to, 0, tag, 8, request});
    tcfh_leave(h, location, leave, isend_);
}

static void irecv_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint64_t request)
{
    tcfh_enter(h, location, enter, irecv_);
    tcfh_event(h, location, enter, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){request});
    tcfh_leave(h, location, leave, irecv_);
}

static void completed_send(tcfh *h, uint32_t location, uint64_t at, uint64_t request)
{
    tcfh_event(h, location, at, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){request});
}

static void completed_receive(tcfh *h, uint32_t location, uint64_t at, uint32_t from, uint32_t tag, uint64_t request)
{
    tcfh_event(h, location, at, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){from, 0, tag, 8, request});
}

static void late_sender(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 530, 540, 0, 7);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 400, 0, 500, 0});
    tcfh_delete(h);
}

static void sender_in_time(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 100, 110, 120, 1, 7); /* left before the receive is entered */
    receive_in(h, 1, 300, 310, 320, 0, 7);
    send_in(h, 0, send_, 400, 410, 420, 1, 7); /* entered together */
    receive_in(h, 1, 400, 415, 420, 0, 7);
    expect_none(h, "");
    tcfh_delete(h);
}

/* The second of two messages came later; the call is one instance. */
static void late_sender_at_waitall(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    send_in(h, 0, send_, 300, 310, 320, 2, 1);
    send_in(h, 1, send_, 450, 460, 470, 2, 1);
    irecv_in(h, 2, 10, 20, 1);
    irecv_in(h, 2, 30, 40, 2);
    tcfh_enter(h, 2, 200, waitall_);
    completed_receive(h, 2, 480, 0, 1, 1);
    completed_receive(h, 2, 490, 1, 1, 2);
    tcfh_leave(h, 2, 500, waitall_);
    EXPECT(h, "", {"mpi_latesender", 2, 200, 250, 1, 450, 0});
    tcfh_delete(h);
}

static void wrong_order_same_source(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 200, 210, 220, 1, 1);
    send_in(h, 0, send_, 300, 310, 320, 1, 2);
    receive_in(h, 1, 100, 330, 340, 0, 2); /* waits for the later one */
    receive_in(h, 1, 350, 360, 370, 0, 1);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 200, 0, 300, 0}, {"mpi_lswo_same", 1, 100, 200, 0, 300, 0});
    tcfh_delete(h);
}

static void wrong_order_different_source(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    send_in(h, 0, send_, 200, 210, 220, 2, 1);
    send_in(h, 1, send_, 300, 310, 320, 2, 1);
    receive_in(h, 2, 100, 330, 340, 1, 1);
    receive_in(h, 2, 350, 360, 370, 0, 1);
    EXPECT(h, "", {"mpi_latesender", 2, 100, 200, 1, 300, 0}, {"mpi_lswo_different", 2, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

/* Ranks that are threads of one process are sources of their own. */
static void wrong_order_of_ranks_of_a_process(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 3);
    tcfh_processes(h, 1, 3);
    with_regions(h);
    send_in(h, 0, send_, 200, 210, 220, 2, 1);
    send_in(h, 1, send_, 300, 310, 320, 2, 1);
    receive_in(h, 2, 100, 330, 340, 1, 1);
    receive_in(h, 2, 350, 360, 370, 0, 1);
    EXPECT(h, "", {"mpi_latesender", 2, 100, 200, 1, 300, 0}, {"mpi_lswo_different", 2, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

/* Both at once: the one from the same source says more. */
static void wrong_order_both(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    send_in(h, 0, send_, 200, 210, 220, 2, 1);
    send_in(h, 1, send_, 230, 240, 250, 2, 1);
    send_in(h, 1, send_, 300, 310, 320, 2, 2);
    receive_in(h, 2, 100, 330, 340, 1, 2);
    receive_in(h, 2, 350, 360, 370, 0, 1);
    receive_in(h, 2, 380, 390, 400, 1, 1);
    EXPECT(h, "", {"mpi_latesender", 2, 100, 200, 1, 300, 0}, {"mpi_lswo_same", 2, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

/* What is received in the same call is in no order. */
static void same_call_is_no_wrong_order(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 200, 210, 220, 1, 1);
    send_in(h, 0, send_, 300, 310, 320, 1, 2);
    irecv_in(h, 1, 10, 20, 1);
    irecv_in(h, 1, 30, 40, 2);
    tcfh_enter(h, 1, 100, waitall_);
    completed_receive(h, 1, 330, 0, 2, 2);
    completed_receive(h, 1, 331, 0, 1, 1);
    tcfh_leave(h, 1, 340, waitall_);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 200, 0, 300, 0});
    tcfh_delete(h);
}

/* With room for two late senders only: those that no message in flight can be earlier than are decided, none is
 * lost. */
static void wrong_order_is_decided_in_time(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    tcfh *h = ranks(3);
    struct expected x[2 * ROUNDS];
    for (uint64_t i = 0, t = 1000; i < ROUNDS; i++, t += 1000) {
        send_in(h, 0, send_, t + 200, t + 210, t + 220, 2, 1);
        send_in(h, 1, send_, t + 300, t + 310, t + 320, 2, 1);
        receive_in(h, 2, t + 100, t + 330, t + 340, 1, 1);
        receive_in(h, 2, t + 350, t + 360, t + 370, 0, 1);
        x[2 * i] = (struct expected){"mpi_latesender", 2, t + 100, 200, 1, t + 300, 0};
        x[2 * i + 1] = x[2 * i];
        x[2 * i + 1].pattern = "mpi_lswo_different";
    }
    for (uint64_t cut = 1; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        run(h, "max_undecided = 64\n");
        const char *text = tcfh_text(h, "report");
        for (size_t i = 0; i < COUNT(x); i++)
            assert_true(has(h, text, &x[i]));
        assert_int_equal(rows(text, "limits,"), 0);
    }
    tcfh_delete(h);
}

/* A message that was sent before all others is received after them. */
static void wrong_order_at_the_cap(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    tcfh *h = ranks(3);
    send_in(h, 1, send_, 10, 20, 30, 2, 9);
    for (uint64_t i = 0, t = 1000; i < ROUNDS; i++, t += 1000) {
        send_in(h, 0, send_, t + 200, t + 210, t + 220, 2, 1);
        receive_in(h, 2, t + 100, t + 330, t + 340, 0, 1);
    }
    receive_in(h, 2, 99000, 99100, 99200, 1, 9);
    run(h, "");
    assert_int_equal(rows(tcfh_text(h, "report"), "instances,mpi_lswo_different,"), ROUNDS);
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,max_undecided,"), 0);
    run(h, "max_undecided = 8\n");
    assert_int_equal(rows(tcfh_text(h, "report"), "instances,mpi_latesender,"), ROUNDS);
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,max_undecided,"), 1);
    tcfh_delete(h);
}

/* More messages than are followed: late senders are found all the same. */
static void messages_at_the_cap(void **state)
{
    (void)state;
    enum { MESSAGES = 40 };
    tcfh *h = ranks(2);
    for (uint64_t i = 0; i < MESSAGES; i++)
        isend_in(h, 0, 1000 + 10 * i, 1001 + 10 * i, 1002 + 10 * i, 1, 1, i);
    tcfh_enter(h, 0, 2000, waitall_);
    tcfh_leave(h, 0, 3000, waitall_);
    tcfh_enter(h, 1, 2500, work);
    tcfh_leave(h, 1, 2600, work);
    for (uint64_t i = 0; i < MESSAGES; i++)
        receive_in(h, 1, 2700 + 10 * i, 2701 + 10 * i, 2702 + 10 * i, 0, 1);
    expect_none(h, "max_open = 16\n");
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,max_open,24,"), 1);
    tcfh_delete(h);
}

/* So many sends in one call that none can be let go. */
static void sends_of_a_call_at_the_cap(void **state)
{
    (void)state;
    enum { MESSAGES = 40 };
    tcfh *h = ranks(2);
    tcfh_enter(h, 0, 1000, send_);
    for (uint64_t i = 0; i < MESSAGES; i++)
        tcfh_send(h, 0, 1001 + i, 1, 1, 8);
    tcfh_leave(h, 0, 3000, send_);
    for (uint64_t i = 0; i < MESSAGES; i++)
        receive_in(h, 1, 2000 + 10 * i, 2001 + 10 * i, 2002 + 10 * i, 0, 1);
    EXPECT(h, "max_open = 16\n", {"mpi_latereceiver", 0, 1000, 1150, 1, 2150, 0});
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,max_open,24,"), 1);
    tcfh_delete(h);
}

static void late_receiver(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, ssend_, 100, 110, 340, 1, 7);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    send_in(h, 0, send_, 400, 410, 420, 1, 7); /* buffered: left before the receiver comes */
    receive_in(h, 1, 420, 430, 440, 0, 7);
    EXPECT(h, "", {"mpi_latereceiver", 0, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

static void late_receiver_at_completion(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    isend_in(h, 0, 130, 140, 150, 2, 7, 2);
    tcfh_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 440, 1);
    completed_send(h, 0, 450, 2);
    tcfh_leave(h, 0, 460, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    receive_in(h, 2, 400, 430, 440, 0, 7);
    EXPECT(h, "", {"mpi_latereceiver_completion", 0, 200, 200, 2, 400, 0});
    tcfh_delete(h);
}

/* A call that also receives waits for its messages: that it sends, too, is no reason. */
static void mixed_completion_is_no_late_receiver(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    irecv_in(h, 0, 130, 140, 2);
    tcfh_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 540, 1);
    completed_receive(h, 0, 550, 1, 8, 2);
    tcfh_leave(h, 0, 560, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    send_in(h, 1, send_, 500, 510, 520, 0, 8);
    EXPECT(h, "", {"mpi_latesender", 0, 200, 300, 1, 500, 0});
    tcfh_delete(h);
}

/* The receive was posted in time: what completes it later holds nobody up. */
static void posted_in_time_is_no_late_receiver(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, ssend_, 100, 110, 340, 1, 7);
    irecv_in(h, 1, 90, 95, 1);
    tcfh_enter(h, 1, 300, wait_);
    completed_receive(h, 1, 330, 0, 7, 1);
    tcfh_leave(h, 1, 340, wait_);
    send_in(h, 0, ssend_, 400, 410, 640, 1, 7);
    irecv_in(h, 1, 500, 505, 1); /* it wasn't */
    tcfh_enter(h, 1, 600, wait_);
    completed_receive(h, 1, 630, 0, 7, 1);
    tcfh_leave(h, 1, 640, wait_);
    EXPECT(h, "", {"mpi_latereceiver", 0, 400, 100, 1, 500, 0});
    tcfh_delete(h);
}

/* Buffered and ready sends wait for nobody. */
static void unblocked_sends(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    uint32_t regions[] = {tcfh_region(h, "MPI_Bsend"), tcfh_region(h, "MPI_Rsend")};
    for (uint64_t i = 0; i < 2; i++) {
        send_in(h, 0, regions[i], 1000 * i + 100, 1000 * i + 110, 1000 * i + 340, 1, 7);
        receive_in(h, 1, 1000 * i + 300, 1000 * i + 330, 1000 * i + 340, 0, 7);
    }
    expect_none(h, "");
    tcfh_delete(h);
}

/* Looking whether something is complete is no waiting. */
static void tests_do_not_wait(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    uint32_t test = tcfh_region(h, "MPI_Testall");
    send_in(h, 0, send_, 300, 310, 320, 1, 7);
    irecv_in(h, 1, 10, 20, 1);
    tcfh_enter(h, 1, 200, test);
    completed_receive(h, 1, 330, 0, 7, 1);
    tcfh_leave(h, 1, 340, test);
    expect_none(h, "");
    tcfh_delete(h);
}

/* Waiting to receive is waiting to send: it is counted once. */
static void sendrecv_is_a_late_sender(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    const uint64_t enter[] = {100, 300};
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, enter[l], sendrecv_);
        tcfh_send(h, l, enter[l] + 10, 1 - l, 7, 8);
        tcfh_receive(h, l, 330, 1 - l, 7, 8);
        tcfh_leave(h, l, 340, sendrecv_);
    }
    EXPECT(h, "", {"mpi_latesender", 0, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

/* A ring: 0 sends to 1, which comes late, and receives from 2. `sender`: when 2 comes. */
static tcfh *ring(uint64_t sender, uint64_t leave)
{
    tcfh *h = ranks(3);
    const uint64_t enter[] = {100, 300, sender};
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_enter(h, l, enter[l], sendrecv_);
        tcfh_send(h, l, enter[l] + 5, (l + 1) % 3, 7, 8);
        tcfh_receive(h, l, leave - 5, (l + 2) % 3, 7, 8);
        tcfh_leave(h, l, leave, sendrecv_);
    }
    return h;
}

/* Its message is there, its own one is not taken: it waits for the receiver. */
static void sendrecv_waits_for_its_receiver(void **state)
{
    (void)state;
    tcfh *h = ring(90, 340);
    EXPECT(h, "", {"mpi_latesender", 2, 90, 210, 1, 300, 0}, {"mpi_latereceiver_exchange", 0, 100, 200, 1, 300, 0});
    tcfh_delete(h);
}

/* It waits for its sender first; the rest of the time it waits for its receiver. */
static void sendrecv_waits_for_both(void **state)
{
    (void)state;
    tcfh *h = ring(180, 340);
    EXPECT(h, "", {"mpi_latesender", 0, 100, 80, 2, 180, 0}, {"mpi_latereceiver_exchange", 0, 180, 120, 1, 300, 0},
           {"mpi_latesender", 2, 180, 120, 1, 300, 0});
    tcfh_delete(h);
}

static void reversed_messages_are_cut(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 150, 160, 0, 7); /* before it was sent */
    EXPECT(h, "", {"mpi_latesender", 1, 100, 60, 0, 500, 1});
    harness_line(tcfh_text(h, "report"), "clocks,messages,1,1");
    tcfh_delete(h);
}

static void lost_messages_are_told(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    receive_in(h, 1, 100, 150, 160, 0, 7);
    isend_in(h, 0, 100, 110, 120, 1, 9, 1); /* never received */
    tcfh_enter(h, 0, 200, wait_);
    completed_send(h, 0, 440, 1);
    tcfh_leave(h, 0, 460, wait_);
    expect_none(h, "");
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,no_partner,1,"), 1);
    tcfh_delete(h);
}

/* A call of which one message was never received still waits for the others. */
static void what_never_comes_does_not_hide_the_rest(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    isend_in(h, 0, 130, 140, 150, 2, 7, 2);
    tcfh_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 440, 1);
    completed_send(h, 0, 450, 2);
    tcfh_leave(h, 0, 460, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    tcfh_enter(h, 2, 300, work);
    tcfh_leave(h, 2, 400, work);
    EXPECT(h, "", {"mpi_latereceiver_completion", 0, 200, 100, 1, 300, 0});
    tcfh_delete(h);
}

static void unbalanced_calls(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    tcfh_leave(h, 0, 10, work); /* never entered */
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    tcfh_enter(h, 1, 50, work);
    tcfh_enter(h, 1, 100, recv_);
    tcfh_receive(h, 1, 530, 0, 7, 8);
    tcfh_leave(h, 1, 540, work); /* and MPI_Recv with it */
    tcfh_enter(h, 1, 600, work); /* never left */
    EXPECT(h, "", {"mpi_latesender", 1, 100, 400, 0, 500, 0});
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------- report, chain -- */

static void report_is_an_inclusive_tree(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    tcfh_enter(h, 0, 0, work);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    tcfh_leave(h, 0, 1000, work);
    receive_in(h, 1, 100, 530, 540, 0, 7);
    run(h, "by_location = yes\n");
    const char *text = tcfh_text(h, "report");
    harness_line(
        text,
        "patterns,Time,1.44e-06,100,3,0,0,time,time,s,1440,\"All time inside of recorded regions, and that of idle "
        "threads\"");
    harness_line(
        text, "patterns,\"    Computation\",9.8e-07,68.06,1,0,0,comp,execution,s,980,\"Time outside of MPI, OpenMP and "
              "POSIX threads\"");
    harness_line(text, "patterns,\"        MPI point-to-point "
                       "communication\",4.6e-07,31.94,2,0,0,mpi_point2point,mpi_communication,s,460,\"Sending, "
                       "receiving, and completing either\"");
    harness_line(text, "locations,mpi_latesender,2000,4e-07,1,4e-07,0,400,MPI_Recv");
    harness_line(text, "callpaths,mpi_latesender,4e-07,1,4e-07,0,400,MPI_Recv");
    harness_no_line(text, "patterns,\"    OpenMP\"");
    run(h, "all = yes\n");
    assert_non_null(strstr(tcfh_text(h, "report"), "omp_idle_threads"));
    tcfh_delete(h);
}

/* Two instances in one chain, one of them behind a filter that moves events. */
static void two_in_a_chain(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 150, 160, 0, 7); /* before it was sent */
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        tcfh_run(
            h, "[pipeline]\nchain = before clc_forward after\n[before]\nfilter = wait_states\nformat = csv\noverwrite "
               "= yes\n"
               "output = ${SCRATCH}/before\n[after]\nfilter = wait_states\nformat = csv\noverwrite = yes\n"
               "output = ${SCRATCH}/after\n[clc_forward]\noutput = ${SCRATCH}/clc\noverwrite = yes\nmu = 5 ticks\n");
        harness_line(tcfh_text(h, "before"), "clocks,messages,1,1");
        harness_line(tcfh_text(h, "after"), "clocks,messages,1,0");
        /* reversed, the process and its begin since the start of the trace, whom it waited for, the calls */
        assert_non_null(strstr(tcfh_text(h, "after"), ",500,0,rank 1,1e-07,rank 0,MPI_"));
        assert_true(has(h, tcfh_text(h, "before"), &(struct expected){"mpi_latesender", 1, 100, 60, 0, 500, 1}));
        assert_true(has(h, tcfh_text(h, "after"), &(struct expected){"mpi_latesender", 1, 100, 400, 0, 500, 0}));
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_sender),
        cmocka_unit_test(sender_in_time),
        cmocka_unit_test(late_sender_at_waitall),
        cmocka_unit_test(wrong_order_same_source),
        cmocka_unit_test(wrong_order_different_source),
        cmocka_unit_test(wrong_order_of_ranks_of_a_process),
        cmocka_unit_test(wrong_order_both),
        cmocka_unit_test(same_call_is_no_wrong_order),
        cmocka_unit_test(wrong_order_is_decided_in_time),
        cmocka_unit_test(wrong_order_at_the_cap),
        cmocka_unit_test(messages_at_the_cap),
        cmocka_unit_test(sends_of_a_call_at_the_cap),
        cmocka_unit_test(late_receiver),
        cmocka_unit_test(late_receiver_at_completion),
        cmocka_unit_test(mixed_completion_is_no_late_receiver),
        cmocka_unit_test(posted_in_time_is_no_late_receiver),
        cmocka_unit_test(unblocked_sends),
        cmocka_unit_test(tests_do_not_wait),
        cmocka_unit_test(sendrecv_is_a_late_sender),
        cmocka_unit_test(sendrecv_waits_for_its_receiver),
        cmocka_unit_test(sendrecv_waits_for_both),
        cmocka_unit_test(reversed_messages_are_cut),
        cmocka_unit_test(lost_messages_are_told),
        cmocka_unit_test(what_never_comes_does_not_hide_the_rest),
        cmocka_unit_test(unbalanced_calls),
        cmocka_unit_test(report_is_an_inclusive_tree),
        cmocka_unit_test(two_in_a_chain),
    };
    return cmocka_run_group_tests_name("wait_states: messages", tests, NULL, NULL);
}
