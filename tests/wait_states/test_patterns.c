/* Each pattern of the filter `wait_states` on a small trace, with waits worked out by hand from
 * plugins/wait_states/README.md. */
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

#include "../harness.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CUTS = 5, NOBODY = 99 };

/* A wait; locations by index. */
struct expected {
    const char *pattern;
    uint32_t location;
    uint64_t from, length;
    uint32_t cause;
    uint64_t cause_time;
    int reversed;
};

static uint32_t work, recv_, send_, ssend_, isend_, irecv_, wait_, waitall_, sendrecv_;

static harness *processes(uint32_t n, uint32_t threads)
{
    harness *h = harness_new();
    harness_processes(h, n, threads);
    work = harness_region(h, "work");
    recv_ = harness_region(h, "MPI_Recv");
    send_ = harness_region(h, "MPI_Send");
    ssend_ = harness_region(h, "MPI_Ssend");
    isend_ = harness_region(h, "MPI_Isend");
    irecv_ = harness_region(h, "MPI_Irecv");
    wait_ = harness_region(h, "MPI_Wait");
    waitall_ = harness_region(h, "MPI_Waitall");
    sendrecv_ = harness_region(h, "MPI_Sendrecv");
    return h;
}

static void run(harness *h, const char *options)
{
    harness_run(
        h,
        "[pipeline]\nchain = wait_states\n[wait_states]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n"
        "worst = 1000\n%s",
        options);
}

/* Is there such a row among the instances? Seconds and call paths are left out. */
static int has(harness *h, const char *text, const struct expected *x)
{
    char head[64], tail[160], cause[32] = "";
    snprintf(head, sizeof head, "instances,%s,", x->pattern);
    if (x->cause != NOBODY)
        snprintf(cause, sizeof cause, "%llu", (unsigned long long)harness_location_id(h, x->cause));
    snprintf(tail, sizeof tail, ",%llu,%llu,%llu,%s,%llu,%d,", (unsigned long long)harness_location_id(h, x->location),
             (unsigned long long)x->from, (unsigned long long)x->length, cause, (unsigned long long)x->cause_time,
             x->reversed);
    for (const char *line = strstr(text, head); line; line = strstr(line + 1, head)) {
        const char *comma = strchr(line + strlen(head), ','), *end = strchr(line, '\n');
        if (comma && end && strncmp(comma, tail, strlen(tail)) == 0)
            return 1;
    }
    return 0;
}

static size_t rows(const char *text, const char *table)
{
    size_t n = 0;
    for (const char *line = strstr(text, table); line; line = strstr(line + 1, table))
        n += line > text && line[-1] == '\n';
    return n;
}

/* These waits and no others, however slices are cut. */
static void expect(harness *h, const char *options, const struct expected *x, size_t n)
{
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        harness_cut(h, cut);
        run(h, options);
        const char *text = harness_text(h, "report");
        assert_non_null(text);
        for (size_t i = 0; i < n; i++)
            if (!has(h, text, &x[i]))
                fail_msg("no %s of location %u since %llu for %llu in:\n%s", x[i].pattern, x[i].location,
                         (unsigned long long)x[i].from, (unsigned long long)x[i].length, text);
        if (rows(text, "instances,") != n)
            fail_msg("%zu waits instead of %zu:\n%s", rows(text, "instances,"), n, text);
        harness_unchanged(h);
    }
}

#define EXPECT(h, options, ...)                                                                                        \
    do {                                                                                                               \
        static const struct expected x_[] = {__VA_ARGS__};                                                             \
        expect(h, options, x_, COUNT(x_));                                                                             \
    } while (0)

static void expect_none(harness *h, const char *options)
{
    expect(h, options, NULL, 0);
}

/* ------------------------------------------------------------------------------------------------------- messages --
 */

static void send_in(harness *h, uint32_t location, uint32_t region, uint64_t enter, uint64_t at, uint64_t leave,
                    uint32_t to, uint32_t tag)
{
    harness_enter(h, location, enter, region);
    harness_send(h, location, at, to, tag, 8);
    harness_leave(h, location, leave, region);
}

static void receive_in(harness *h, uint32_t location, uint64_t enter, uint64_t at, uint64_t leave, uint32_t from,
                       uint32_t tag)
{
    harness_enter(h, location, enter, recv_);
    harness_receive(h, location, at, from, tag, 8);
    harness_leave(h, location, leave, recv_);
}

static void isend_in(harness *h, uint32_t location, uint64_t enter, uint64_t at, uint64_t leave, uint32_t to,
                     uint32_t tag, uint64_t request)
{
    harness_enter(h, location, enter, isend_);
    harness_event(h, location, at, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){to, 0, tag, 8, request});
    harness_leave(h, location, leave, isend_);
}

static void irecv_in(harness *h, uint32_t location, uint64_t enter, uint64_t leave, uint64_t request)
{
    harness_enter(h, location, enter, irecv_);
    harness_event(h, location, enter, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){request});
    harness_leave(h, location, leave, irecv_);
}

static void completed_send(harness *h, uint32_t location, uint64_t at, uint64_t request)
{
    harness_event(h, location, at, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){request});
}

static void completed_receive(harness *h, uint32_t location, uint64_t at, uint32_t from, uint32_t tag, uint64_t request)
{
    harness_event(h, location, at, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){from, 0, tag, 8, request});
}

static void late_sender(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 530, 540, 0, 7);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 400, 0, 500, 0});
    harness_delete(h);
}

static void sender_in_time(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 100, 110, 120, 1, 7); /* left before the receive is entered */
    receive_in(h, 1, 300, 310, 320, 0, 7);
    send_in(h, 0, send_, 400, 410, 420, 1, 7); /* entered together */
    receive_in(h, 1, 400, 415, 420, 0, 7);
    expect_none(h, "");
    harness_delete(h);
}

/* The second of two messages came later; the call is one instance. */
static void late_sender_at_waitall(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    send_in(h, 0, send_, 300, 310, 320, 2, 1);
    send_in(h, 1, send_, 450, 460, 470, 2, 1);
    irecv_in(h, 2, 10, 20, 1);
    irecv_in(h, 2, 30, 40, 2);
    harness_enter(h, 2, 200, waitall_);
    completed_receive(h, 2, 480, 0, 1, 1);
    completed_receive(h, 2, 490, 1, 1, 2);
    harness_leave(h, 2, 500, waitall_);
    EXPECT(h, "", {"mpi_latesender", 2, 200, 250, 1, 450, 0});
    harness_delete(h);
}

static void wrong_order_same_source(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 200, 210, 220, 1, 1);
    send_in(h, 0, send_, 300, 310, 320, 1, 2);
    receive_in(h, 1, 100, 330, 340, 0, 2); /* waits for the later one */
    receive_in(h, 1, 350, 360, 370, 0, 1);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 200, 0, 300, 0}, {"mpi_lswo_same", 1, 100, 200, 0, 300, 0});
    harness_delete(h);
}

static void wrong_order_different_source(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    send_in(h, 0, send_, 200, 210, 220, 2, 1);
    send_in(h, 1, send_, 300, 310, 320, 2, 1);
    receive_in(h, 2, 100, 330, 340, 1, 1);
    receive_in(h, 2, 350, 360, 370, 0, 1);
    EXPECT(h, "", {"mpi_latesender", 2, 100, 200, 1, 300, 0}, {"mpi_lswo_different", 2, 100, 200, 1, 300, 0});
    harness_delete(h);
}

/* Both at once: the one from the same source says more. */
static void wrong_order_both(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    send_in(h, 0, send_, 200, 210, 220, 2, 1);
    send_in(h, 1, send_, 230, 240, 250, 2, 1);
    send_in(h, 1, send_, 300, 310, 320, 2, 2);
    receive_in(h, 2, 100, 330, 340, 1, 2);
    receive_in(h, 2, 350, 360, 370, 0, 1);
    receive_in(h, 2, 380, 390, 400, 1, 1);
    EXPECT(h, "", {"mpi_latesender", 2, 100, 200, 1, 300, 0}, {"mpi_lswo_same", 2, 100, 200, 1, 300, 0});
    harness_delete(h);
}

/* What is received in the same call is in no order. */
static void same_call_is_no_wrong_order(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 200, 210, 220, 1, 1);
    send_in(h, 0, send_, 300, 310, 320, 1, 2);
    irecv_in(h, 1, 10, 20, 1);
    irecv_in(h, 1, 30, 40, 2);
    harness_enter(h, 1, 100, waitall_);
    completed_receive(h, 1, 330, 0, 2, 2);
    completed_receive(h, 1, 331, 0, 1, 1);
    harness_leave(h, 1, 340, waitall_);
    EXPECT(h, "", {"mpi_latesender", 1, 100, 200, 0, 300, 0});
    harness_delete(h);
}

/* With room for two late senders only: those that no message in flight can be earlier than are decided, none is lost.
 */
static void wrong_order_is_decided_in_time(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    harness *h = processes(3, 1);
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
        harness_cut(h, cut);
        run(h, "max_undecided = 64\n");
        const char *text = harness_text(h, "report");
        for (size_t i = 0; i < COUNT(x); i++)
            assert_true(has(h, text, &x[i]));
        assert_int_equal(rows(text, "limits,"), 0);
    }
    harness_delete(h);
}

/* A message that was sent before all others is received after them. */
static void wrong_order_at_the_cap(void **state)
{
    (void)state;
    enum { ROUNDS = 40 };
    harness *h = processes(3, 1);
    send_in(h, 1, send_, 10, 20, 30, 2, 9);
    for (uint64_t i = 0, t = 1000; i < ROUNDS; i++, t += 1000) {
        send_in(h, 0, send_, t + 200, t + 210, t + 220, 2, 1);
        receive_in(h, 2, t + 100, t + 330, t + 340, 0, 1);
    }
    receive_in(h, 2, 99000, 99100, 99200, 1, 9);
    run(h, "");
    assert_int_equal(rows(harness_text(h, "report"), "instances,mpi_lswo_different,"), ROUNDS);
    assert_int_equal(rows(harness_text(h, "report"), "limits,max_undecided,"), 0);
    run(h, "max_undecided = 8\n");
    assert_int_equal(rows(harness_text(h, "report"), "instances,mpi_latesender,"), ROUNDS);
    assert_int_equal(rows(harness_text(h, "report"), "limits,max_undecided,"), 1);
    harness_delete(h);
}

/* More messages than are followed: late senders are found all the same. */
static void messages_at_the_cap(void **state)
{
    (void)state;
    enum { MESSAGES = 40 };
    harness *h = processes(2, 1);
    for (uint64_t i = 0; i < MESSAGES; i++)
        isend_in(h, 0, 1000 + 10 * i, 1001 + 10 * i, 1002 + 10 * i, 1, 1, i);
    harness_enter(h, 0, 2000, waitall_);
    harness_leave(h, 0, 3000, waitall_);
    harness_enter(h, 1, 2500, work);
    harness_leave(h, 1, 2600, work);
    for (uint64_t i = 0; i < MESSAGES; i++)
        receive_in(h, 1, 2700 + 10 * i, 2701 + 10 * i, 2702 + 10 * i, 0, 1);
    expect_none(h, "max_open = 16\n");
    assert_int_equal(rows(harness_text(h, "report"), "limits,max_open,24,"), 1);
    harness_delete(h);
}

static void late_receiver(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, ssend_, 100, 110, 340, 1, 7);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    send_in(h, 0, send_, 400, 410, 420, 1, 7); /* buffered: left before the receiver comes */
    receive_in(h, 1, 420, 430, 440, 0, 7);
    EXPECT(h, "", {"mpi_latereceiver", 0, 100, 200, 1, 300, 0});
    harness_delete(h);
}

static void late_receiver_at_completion(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    isend_in(h, 0, 130, 140, 150, 2, 7, 2);
    harness_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 440, 1);
    completed_send(h, 0, 450, 2);
    harness_leave(h, 0, 460, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    receive_in(h, 2, 400, 430, 440, 0, 7);
    EXPECT(h, "", {"mpi_latereceiver_completion", 0, 200, 200, 2, 400, 0});
    harness_delete(h);
}

/* A call that also receives waits for its messages: that it sends, too, is no reason. */
static void mixed_completion_is_no_late_receiver(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    irecv_in(h, 0, 130, 140, 2);
    harness_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 540, 1);
    completed_receive(h, 0, 550, 1, 8, 2);
    harness_leave(h, 0, 560, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    send_in(h, 1, send_, 500, 510, 520, 0, 8);
    EXPECT(h, "", {"mpi_latesender", 0, 200, 300, 1, 500, 0});
    harness_delete(h);
}

/* The receive was posted in time: what completes it later holds nobody up. */
static void posted_in_time_is_no_late_receiver(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, ssend_, 100, 110, 340, 1, 7);
    irecv_in(h, 1, 90, 95, 1);
    harness_enter(h, 1, 300, wait_);
    completed_receive(h, 1, 330, 0, 7, 1);
    harness_leave(h, 1, 340, wait_);
    send_in(h, 0, ssend_, 400, 410, 640, 1, 7);
    irecv_in(h, 1, 500, 505, 1); /* it wasn't */
    harness_enter(h, 1, 600, wait_);
    completed_receive(h, 1, 630, 0, 7, 1);
    harness_leave(h, 1, 640, wait_);
    EXPECT(h, "", {"mpi_latereceiver", 0, 400, 100, 1, 500, 0});
    harness_delete(h);
}

/* Buffered and ready sends wait for nobody. */
static void unblocked_sends(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    uint32_t regions[] = {harness_region(h, "MPI_Bsend"), harness_region(h, "MPI_Rsend")};
    for (uint64_t i = 0; i < 2; i++) {
        send_in(h, 0, regions[i], 1000 * i + 100, 1000 * i + 110, 1000 * i + 340, 1, 7);
        receive_in(h, 1, 1000 * i + 300, 1000 * i + 330, 1000 * i + 340, 0, 7);
    }
    expect_none(h, "");
    harness_delete(h);
}

/* Looking whether something is complete is no waiting. */
static void tests_do_not_wait(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    uint32_t test = harness_region(h, "MPI_Testall");
    send_in(h, 0, send_, 300, 310, 320, 1, 7);
    irecv_in(h, 1, 10, 20, 1);
    harness_enter(h, 1, 200, test);
    completed_receive(h, 1, 330, 0, 7, 1);
    harness_leave(h, 1, 340, test);
    expect_none(h, "");
    harness_delete(h);
}

/* Waiting to receive is waiting to send: it is counted once. */
static void sendrecv_is_a_late_sender(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    const uint64_t enter[] = {100, 300};
    for (uint32_t l = 0; l < 2; l++) {
        harness_enter(h, l, enter[l], sendrecv_);
        harness_send(h, l, enter[l] + 10, 1 - l, 7, 8);
        harness_receive(h, l, 330, 1 - l, 7, 8);
        harness_leave(h, l, 340, sendrecv_);
    }
    EXPECT(h, "", {"mpi_latesender", 0, 100, 200, 1, 300, 0});
    harness_delete(h);
}

static void reversed_messages_are_cut(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 150, 160, 0, 7); /* before it was sent */
    EXPECT(h, "", {"mpi_latesender", 1, 100, 60, 0, 500, 1});
    harness_line(harness_text(h, "report"), "clocks,messages,1,1");
    harness_delete(h);
}

static void lost_messages_are_told(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    receive_in(h, 1, 100, 150, 160, 0, 7);
    isend_in(h, 0, 100, 110, 120, 1, 9, 1); /* never received */
    harness_enter(h, 0, 200, wait_);
    completed_send(h, 0, 440, 1);
    harness_leave(h, 0, 460, wait_);
    expect_none(h, "");
    assert_int_equal(rows(harness_text(h, "report"), "limits,no_partner,1,"), 1);
    harness_delete(h);
}

/* A call of which one message was never received still waits for the others. */
static void what_never_comes_does_not_hide_the_rest(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    isend_in(h, 0, 100, 110, 120, 1, 7, 1);
    isend_in(h, 0, 130, 140, 150, 2, 7, 2);
    harness_enter(h, 0, 200, waitall_);
    completed_send(h, 0, 440, 1);
    completed_send(h, 0, 450, 2);
    harness_leave(h, 0, 460, waitall_);
    receive_in(h, 1, 300, 330, 340, 0, 7);
    harness_enter(h, 2, 300, work);
    harness_leave(h, 2, 400, work);
    EXPECT(h, "", {"mpi_latereceiver_completion", 0, 200, 100, 1, 300, 0});
    harness_delete(h);
}

static void unbalanced_calls(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    harness_leave(h, 0, 10, work); /* never entered */
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    harness_enter(h, 1, 50, work);
    harness_enter(h, 1, 100, recv_);
    harness_receive(h, 1, 530, 0, 7, 8);
    harness_leave(h, 1, 540, work); /* and MPI_Recv with it */
    harness_enter(h, 1, 600, work); /* never left */
    EXPECT(h, "", {"mpi_latesender", 1, 100, 400, 0, 500, 0});
    harness_delete(h);
}

/* ---------------------------------------------------------------------------------------------------- collectives --
 */

static void collective_in(harness *h, uint32_t location, uint64_t enter, uint64_t end, uint8_t op, uint32_t comm,
                          uint32_t root)
{
    harness_enter(h, location, enter, work);
    harness_collective(h, location, enter + 1, end, op, comm, root);
    harness_leave(h, location, end + 1, work);
}

/* Four members enter at 100, 400, 300, 200 and end at 450 to 480. */
static harness *four(uint8_t op, uint32_t root)
{
    static const uint64_t enter[] = {100, 400, 300, 200}, end[] = {450, 460, 470, 480};
    harness *h = processes(4, 1);
    for (uint32_t l = 0; l < 4; l++)
        collective_in(h, l, enter[l], end[l], op, 0, root);
    return h;
}

static void barrier(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_barrier_wait", 0, 100, 300, 1, 400, 0}, {"mpi_barrier_wait", 2, 300, 100, 1, 400, 0},
           {"mpi_barrier_wait", 3, 200, 200, 1, 400, 0}, {"mpi_barrier_completion", 1, 450, 10, 0, 450, 0},
           {"mpi_barrier_completion", 2, 450, 20, 0, 450, 0}, {"mpi_barrier_completion", 3, 450, 30, 0, 450, 0});
    harness_delete(h);
}

static void n_to_n(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 300, 1, 400, 0}, {"mpi_wait_nxn", 2, 300, 100, 1, 400, 0},
           {"mpi_wait_nxn", 3, 200, 200, 1, 400, 0}, {"mpi_nxn_completion", 1, 450, 10, 0, 450, 0},
           {"mpi_nxn_completion", 2, 450, 20, 0, 450, 0}, {"mpi_nxn_completion", 3, 450, 30, 0, 450, 0});
    harness_delete(h);
}

static void broadcast(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_BCAST, 2); /* rank 1 comes after its root */
    EXPECT(h, "", {"mpi_latebroadcast", 0, 100, 200, 2, 300, 0}, {"mpi_latebroadcast", 3, 200, 100, 2, 300, 0});
    harness_delete(h);
}

static void reduce(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_REDUCE, 0);
    EXPECT(h, "", {"mpi_earlyreduce", 0, 100, 300, 1, 400, 0});
    harness_delete(h);
    h = four(OTF2_COLLECTIVE_OP_REDUCE, 1); /* the root comes last */
    expect_none(h, "");
    harness_delete(h);
}

static void scan(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_SCAN, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_earlyscan", 2, 300, 100, 1, 400, 0}, {"mpi_earlyscan", 3, 200, 200, 1, 400, 0});
    harness_delete(h);
}

/* Rank 1 has nothing to give, rank 2 gets nothing. */
static void nothing_to_give(void **state)
{
    (void)state;
    static const uint64_t enter[] = {100, 400, 300, 200}, bytes[4][2] = {{8, 8}, {0, 8}, {8, 0}, {8, 8}};
    harness *h = processes(4, 1);
    for (uint32_t l = 0; l < 4; l++) {
        harness_enter(h, l, enter[l], work);
        harness_begin(h, l, enter[l] + 1);
        harness_end(h, l, 500, OTF2_COLLECTIVE_OP_ALLTOALLV, 0, OTF2_UNDEFINED_UINT32, bytes[l][0], bytes[l][1]);
        harness_leave(h, l, 500, work);
    }
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 200, 2, 300, 0}, {"mpi_wait_nxn", 3, 200, 100, 2, 300, 0});
    harness_delete(h);
}

static void inter_communicator(void **state)
{
    (void)state;
    harness *h = processes(4, 1);
    uint32_t inter = harness_inter_comm(h, "inter", 2, (uint32_t[]){0, 1}, 2, (uint32_t[]){2, 3});
    static const uint64_t enter[] = {100, 200, 300, 400};
    for (uint32_t l = 0; l < 4; l++)
        collective_in(h, l, enter[l], 500 + l, OTF2_COLLECTIVE_OP_ALLREDUCE, inter, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 300, 3, 400, 0}, {"mpi_wait_nxn", 1, 200, 200, 3, 400, 0},
           {"mpi_nxn_completion", 1, 500, 1, 0, 500, 0}, {"mpi_nxn_completion", 3, 502, 1, 2, 502, 0});
    harness_delete(h);
}

static void reversed_collectives_are_cut(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    collective_in(h, 0, 100, 150, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    collective_in(h, 1, 400, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_barrier_wait", 0, 100, 50, 1, 400, 1}, {"mpi_barrier_completion", 1, 400, 50, 0, 150, 0});
    harness_line(harness_text(h, "report"), "clocks,collectives,2,1");
    harness_delete(h);
}

static void incomplete_operations_count_for_nothing(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    collective_in(h, 0, 100, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    collective_in(h, 1, 400, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    harness_enter(h, 2, 10, work);
    expect_none(h, "");
    harness_delete(h);
}

/* Two non-blocking operations that one call completes: the longer wait counts, from when the call was entered. */
static void non_blocking(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    static const uint64_t post[2][2] = {{100, 120}, {300, 500}}, complete[] = {200, 510};
    for (uint32_t l = 0; l < 2; l++) {
        for (uint64_t r = 0; r < 2; r++) {
            harness_enter(h, l, post[l][r], work);
            harness_event(h, l, post[l][r] + 1, TCF_NON_BLOCKING_COLLECTIVE_REQUEST,
                          &(tcf_ev_non_blocking_collective_request){r});
            harness_leave(h, l, post[l][r] + 2, work);
        }
        harness_enter(h, l, complete[l], waitall_);
        for (uint64_t r = 0; r < 2; r++)
            harness_event(h, l, 600 + r, TCF_NON_BLOCKING_COLLECTIVE_COMPLETE,
                          &(tcf_ev_non_blocking_collective_complete){r ? OTF2_COLLECTIVE_OP_BARRIER
                                                                       : OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                                     0, OTF2_UNDEFINED_UINT32, 8, 8, r});
        harness_leave(h, l, 610, waitall_);
    }
    EXPECT(h, "", {"mpi_barrier_wait", 0, 200, 300, 1, 500, 0});
    harness_delete(h);
}

static void init_and_finalize(void **state)
{
    (void)state;
    harness *h = processes(3, 1);
    uint32_t init = harness_region(h, "MPI_Init"), finalize = harness_region(h, "MPI_Finalize");
    static const uint64_t left[] = {50, 40, 70}, last[] = {300, 100, 200};
    for (uint32_t l = 0; l < 3; l++) {
        harness_enter(h, l, 10 + 20 * (l == 2), init);
        harness_leave(h, l, left[l], init);
        harness_enter(h, l, last[l], finalize);
        harness_leave(h, l, 400, finalize);
    }
    EXPECT(h, "", {"mpi_init_completion", 0, 40, 10, 1, 40, 0}, {"mpi_init_completion", 2, 40, 30, 1, 40, 0},
           {"mpi_finalize_wait", 1, 100, 200, 0, 300, 0}, {"mpi_finalize_wait", 2, 200, 100, 0, 300, 0});
    harness_delete(h);
}

/* -------------------------------------------------------------------------------------------------------- windows --
 */

static void window_op(harness *h, uint32_t location, uint64_t enter, uint64_t end, uint32_t region, uint32_t window,
                      uint8_t op, uint32_t level)
{
    harness_enter(h, location, enter, region);
    harness_event(h, location, enter + 1, TCF_RMA_COLLECTIVE_BEGIN, &(tcf_ev_rma_collective_begin){0});
    harness_event(h, location, end, TCF_RMA_COLLECTIVE_END, &(tcf_ev_rma_collective_end){op, level, window, 0, 0, 0});
    harness_leave(h, location, end + 1, region);
}

static void windows_made_fenced_and_freed(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    uint32_t window = harness_window(h, 0), create = harness_region(h, "MPI_Win_create"),
             fence = harness_region(h, "MPI_Win_fence"), end = harness_region(h, "MPI_Win_free");
    for (uint32_t l = 0; l < 2; l++) {
        window_op(h, l, 100 + 50 * l, 200, create, window, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_NONE);
        window_op(h, l, 340 - 40 * l, 400, fence, window, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS);
        window_op(h, l, 500 + 30 * l, 600, end, window, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_NONE);
    }
    EXPECT(h, "", {"mpi_rma_wait_at_create", 0, 100, 50, 1, 150, 0}, {"mpi_rma_wait_at_fence", 1, 300, 40, 0, 340, 0},
           {"mpi_rma_wait_at_free", 0, 500, 30, 1, 530, 0});
    harness_delete(h);
}

/* A group of the other side, as it stands in the archive. */
static uint32_t group_of(harness *h, uint32_t id, uint64_t rank)
{
    static uint64_t member[4];
    member[rank] = rank;
    harness_define(h, TCF_DEF_GROUP,
                   &(tcf_def_group){.self = id,
                                    .name = OTF2_UNDEFINED_STRING,
                                    .group_type = OTF2_GROUP_TYPE_COMM_GROUP,
                                    .paradigm = OTF2_PARADIGM_MPI,
                                    .number_of_members = 1,
                                    .members = &member[rank]});
    return id;
}

static uint32_t group_index(harness *h, uint32_t id)
{
    const tcf_ids *ids = &harness_definitions(h)->ids[TCF_REF_GROUP];
    uint32_t i = 0;
    while (i < ids->n && ids->id[i] != id)
        i++;
    return i;
}

static void group_sync(harness *h, uint32_t location, const char *const name[4], const uint32_t region[4], int what,
                       uint64_t enter, uint64_t leave, uint32_t window, uint32_t group)
{
    (void)name;
    harness_enter(h, location, enter, region[what]);
    harness_event(h, location, enter, TCF_RMA_GROUP_SYNC,
                  &(tcf_ev_rma_group_sync){OTF2_RMA_SYNC_LEVEL_PROCESS, window, group});
    harness_leave(h, location, leave, region[what]);
}

/* Two epochs: in the first the start waits for the post, in the second the complete does. The target waits for both. */
static void post_start_complete_wait(void **state)
{
    (void)state;
    static const char *const name[] = {"MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"};
    enum { POST, START, COMPLETE, WAIT };
    uint32_t region[4];
    harness *h = processes(2, 1);
    uint32_t window = harness_window(h, 0), put = harness_region(h, "MPI_Put");
    for (int i = 0; i < 4; i++)
        region[i] = harness_region(h, name[i]);
    uint32_t of_origin = group_of(h, 700, 0), of_target = group_of(h, 701, 1);
    of_origin = group_index(h, of_origin);
    of_target = group_index(h, of_target);

    group_sync(h, 0, name, region, START, 100, 210, window, of_target); /* waits for the post */
    harness_enter(h, 0, 220, put);
    harness_event(h, 0, 230, TCF_RMA_PUT, &(tcf_ev_rma_put){window, 1, 8, 1});
    harness_leave(h, 0, 240, put);
    group_sync(h, 0, name, region, COMPLETE, 300, 310, window, of_target);
    group_sync(h, 0, name, region, START, 400, 410, window, of_target); /* doesn't */
    group_sync(h, 0, name, region, COMPLETE, 450, 520, window, of_target);

    group_sync(h, 1, name, region, POST, 200, 205, window, of_origin);
    group_sync(h, 1, name, region, WAIT, 206, 320, window, of_origin);
    group_sync(h, 1, name, region, POST, 500, 505, window, of_origin);
    group_sync(h, 1, name, region, WAIT, 506, 530, window, of_origin);
    EXPECT(h, "", {"mpi_rma_sync_late_post", 0, 100, 100, 1, 200, 0}, {"mpi_rma_early_wait", 1, 206, 94, 0, 300, 0},
           {"mpi_rma_late_complete", 1, 240, 60, 0, 300, 0}, {"mpi_rma_sync_late_post", 0, 450, 50, 1, 500, 0});
    harness_delete(h);
}

/* -------------------------------------------------------------------------------------------------------- threads --
 */

static void team_of_three(void **state)
{
    (void)state;
    harness *h = processes(1, 3);
    uint32_t team = harness_team(h, 3, (uint32_t[]){0, 1, 2});
    uint32_t barriers[] = {harness_region_as(h, "barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP),
                           harness_region_as(h, "implicit", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP)};
    static const uint64_t enter[2][3] = {{100, 300, 200}, {500, 400, 600}};
    harness_enter(h, 0, 10, work);
    harness_event(h, 0, 20, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
    for (uint32_t l = 0; l < 3; l++) {
        harness_event(h, l, 25 + l, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        for (int b = 0; b < 2; b++) {
            harness_enter(h, l, enter[b][l], barriers[b]);
            harness_leave(h, l, b ? 610 : 310, barriers[b]);
        }
        harness_event(h, l, 620, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    harness_event(h, 0, 630, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    harness_leave(h, 0, 700, work);
    EXPECT(h, "", {"omp_ebarrier_wait", 0, 100, 200, 1, 300, 0}, {"omp_ebarrier_wait", 2, 200, 100, 1, 300, 0},
           {"omp_ibarrier_wait", 0, 500, 100, 2, 600, 0}, {"omp_ibarrier_wait", 1, 400, 200, 2, 600, 0},
           {"omp_idle_threads", 1, 10, 16, NOBODY, 0, 0}, {"omp_idle_threads", 2, 10, 17, NOBODY, 0, 0},
           {"omp_idle_threads", 1, 620, 80, NOBODY, 0, 0}, {"omp_idle_threads", 2, 620, 80, NOBODY, 0, 0});
    harness_delete(h);
}

static void lock(harness *h, uint32_t location, uint32_t region, uint64_t enter, uint64_t acquire, uint64_t release,
                 uint32_t order, uint32_t id)
{
    harness_enter(h, location, enter, region);
    harness_event(h, location, acquire, TCF_THREAD_ACQUIRE_LOCK,
                  &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, id, order});
    harness_leave(h, location, acquire + 1, region);
    harness_enter(h, location, release - 1, region);
    harness_event(h, location, release, TCF_THREAD_RELEASE_LOCK,
                  &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, id, order});
    harness_leave(h, location, release + 1, region);
}

static void locks(void **state)
{
    (void)state;
    harness *h = processes(1, 2);
    uint32_t regions[] = {harness_region_as(h, "critical", OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_OPENMP),
                          harness_region_as(h, "omp_set_lock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_OPENMP),
                          harness_region_as(h, "pthread_mutex_lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD),
                          harness_region_as(h, "pthread_cond_wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD)};
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t t = 1000 * i;
        lock(h, 0, regions[i], t + 100, t + 110, t + 300, 1, i);
        lock(h, 1, regions[i], t + 200, t + 310, t + 400, 2, i); /* waits for 100 */
        lock(h, 0, regions[i], t + 450, t + 460, t + 470, 3, i); /* free by then */
    }
    EXPECT(h, "", {"omp_lock_contention_critical", 1, 200, 100, 0, 300, 0},
           {"omp_lock_contention_api", 1, 1200, 100, 0, 1300, 0},
           {"pthread_lock_contention_mutex_lock", 1, 2200, 100, 0, 2300, 0},
           {"pthread_lock_contention_conditional", 1, 3200, 100, 0, 3300, 0});
    harness_delete(h);
}

/* --------------------------------------------------------------------------------------------------- report, chain --
 */

static void report_is_an_inclusive_tree(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    harness_enter(h, 0, 0, work);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    harness_leave(h, 0, 1000, work);
    receive_in(h, 1, 100, 530, 540, 0, 7);
    run(h, "by_location = yes\n");
    const char *text = harness_text(h, "report");
    harness_line(
        text,
        "patterns,Time,1.44e-06,100,3,0,0,time,time,s,1440,\"All time inside of recorded regions, and that of idle "
        "threads\"");
    harness_line(
        text, "patterns,\"    Computation\",9.8e-07,68.06,1,0,0,comp,execution,s,980,\"Time outside of MPI, OpenMP and "
              "POSIX threads\"");
    harness_line(
        text,
        "patterns,\"        Point-to-point\",4.6e-07,31.94,2,0,0,mpi_point2point,mpi_communication,s,460,\"Sending, "
        "receiving, and completing either\"");
    harness_line(text, "locations,mpi_latesender,2000,4e-07,1,4e-07,0,400,MPI_Recv");
    harness_line(text, "callpaths,mpi_latesender,4e-07,1,4e-07,0,400,MPI_Recv");
    harness_no_line(text, "patterns,\"    OpenMP\"");
    run(h, "all = yes\n");
    assert_non_null(strstr(harness_text(h, "report"), "omp_idle_threads"));
    harness_delete(h);
}

static void severities_have_a_cap(void **state)
{
    (void)state;
    harness *h = four(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32);
    run(h, "max_severities = 2\n");
    const char *text = harness_text(h, "report");
    assert_int_equal(rows(text, "limits,max_severities,4,"), 1);
    assert_int_equal(rows(text, "instances,mpi_barrier_wait,"), 3);
    harness_delete(h);
}

/* Two instances in one chain, one of them behind a filter that moves events. */
static void two_in_a_chain(void **state)
{
    (void)state;
    harness *h = processes(2, 1);
    send_in(h, 0, send_, 500, 510, 520, 1, 7);
    receive_in(h, 1, 100, 150, 160, 0, 7); /* before it was sent */
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        harness_cut(h, cut);
        harness_run(
            h, "[pipeline]\nchain = before clc_forward after\n[before]\nfilter = wait_states\nformat = csv\noverwrite "
               "= yes\n"
               "output = ${SCRATCH}/before\n[after]\nfilter = wait_states\nformat = csv\noverwrite = yes\n"
               "output = ${SCRATCH}/after\n[clc_forward]\noutput = ${SCRATCH}/clc\noverwrite = yes\nmu = 5 ticks\n");
        harness_line(harness_text(h, "before"), "clocks,messages,1,1");
        harness_line(harness_text(h, "after"), "clocks,messages,1,0");
        assert_true(has(h, harness_text(h, "before"), &(struct expected){"mpi_latesender", 1, 100, 60, 0, 500, 1}));
        assert_true(has(h, harness_text(h, "after"), &(struct expected){"mpi_latesender", 1, 100, 400, 0, 500, 0}));
    }
    harness_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(late_sender),
        cmocka_unit_test(sender_in_time),
        cmocka_unit_test(late_sender_at_waitall),
        cmocka_unit_test(wrong_order_same_source),
        cmocka_unit_test(wrong_order_different_source),
        cmocka_unit_test(wrong_order_both),
        cmocka_unit_test(same_call_is_no_wrong_order),
        cmocka_unit_test(wrong_order_is_decided_in_time),
        cmocka_unit_test(wrong_order_at_the_cap),
        cmocka_unit_test(messages_at_the_cap),
        cmocka_unit_test(late_receiver),
        cmocka_unit_test(late_receiver_at_completion),
        cmocka_unit_test(mixed_completion_is_no_late_receiver),
        cmocka_unit_test(posted_in_time_is_no_late_receiver),
        cmocka_unit_test(unblocked_sends),
        cmocka_unit_test(tests_do_not_wait),
        cmocka_unit_test(sendrecv_is_a_late_sender),
        cmocka_unit_test(reversed_messages_are_cut),
        cmocka_unit_test(lost_messages_are_told),
        cmocka_unit_test(what_never_comes_does_not_hide_the_rest),
        cmocka_unit_test(unbalanced_calls),
        cmocka_unit_test(barrier),
        cmocka_unit_test(n_to_n),
        cmocka_unit_test(broadcast),
        cmocka_unit_test(reduce),
        cmocka_unit_test(scan),
        cmocka_unit_test(nothing_to_give),
        cmocka_unit_test(inter_communicator),
        cmocka_unit_test(reversed_collectives_are_cut),
        cmocka_unit_test(incomplete_operations_count_for_nothing),
        cmocka_unit_test(non_blocking),
        cmocka_unit_test(init_and_finalize),
        cmocka_unit_test(windows_made_fenced_and_freed),
        cmocka_unit_test(post_start_complete_wait),
        cmocka_unit_test(team_of_three),
        cmocka_unit_test(locks),
        cmocka_unit_test(report_is_an_inclusive_tree),
        cmocka_unit_test(severities_have_a_cap),
        cmocka_unit_test(two_in_a_chain),
    };
    return cmocka_run_group_tests_name("wait_states", tests, NULL, NULL);
}
