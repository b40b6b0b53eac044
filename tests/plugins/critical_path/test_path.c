/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The critical path of small traces, worked out by hand from plugins/critical_path/README.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

enum { CUTS = 5 };

static uint32_t work, send_, ssend_, bsend_, recv_, isend_, irecv_, wait_, waitall_, test_, barrier, reduce, scan,
    bcast, init, finalize;

static tcfh *threads(uint32_t n, uint32_t each)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, each);
    work = tcfh_region(h, "work");
    send_ = tcfh_region(h, "MPI_Send");
    ssend_ = tcfh_region(h, "MPI_Ssend");
    bsend_ = tcfh_region(h, "MPI_Bsend");
    recv_ = tcfh_region(h, "MPI_Recv");
    isend_ = tcfh_region(h, "MPI_Isend");
    irecv_ = tcfh_region(h, "MPI_Irecv");
    wait_ = tcfh_region(h, "MPI_Wait");
    waitall_ = tcfh_region(h, "MPI_Waitall");
    test_ = tcfh_region(h, "MPI_Test");
    barrier = tcfh_region(h, "MPI_Barrier");
    reduce = tcfh_region(h, "MPI_Reduce");
    scan = tcfh_region(h, "MPI_Scan");
    bcast = tcfh_region(h, "MPI_Bcast");
    init = tcfh_region(h, "MPI_Init");
    finalize = tcfh_region(h, "MPI_Finalize");
    return h;
}

static tcfh *ranks(uint32_t n)
{
    return threads(n, 1);
}

static void call(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t region)
{
    tcfh_enter(h, location, enter, region);
    tcfh_leave(h, location, leave, region);
}

static void send_in(tcfh *h, uint32_t location, uint32_t region, uint64_t enter, uint64_t leave, uint32_t to)
{
    tcfh_enter(h, location, enter, region);
    tcfh_send(h, location, enter, to, 0, 8);
    tcfh_leave(h, location, leave, region);
}

static void receive_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t from)
{
    tcfh_enter(h, location, enter, recv_);
    tcfh_receive(h, location, leave, from, 0, 8);
    tcfh_leave(h, location, leave, recv_);
}

static void isend_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint32_t to, uint64_t request)
{
    tcfh_enter(h, location, enter, isend_);
    tcfh_event(h, location, enter, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){to, 0, 0, 8, request});
    tcfh_leave(h, location, leave, isend_);
}

static void irecv_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t leave, uint64_t request)
{
    tcfh_enter(h, location, enter, irecv_);
    tcfh_event(h, location, enter, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){request});
    tcfh_leave(h, location, leave, irecv_);
}

static void sent(tcfh *h, uint32_t location, uint64_t at, uint64_t request)
{
    tcfh_event(h, location, at, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){request});
}

static void received(tcfh *h, uint32_t location, uint64_t at, uint32_t from, uint64_t request)
{
    tcfh_event(h, location, at, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){from, 0, 0, 8, request});
}

static void operation(tcfh *h, uint32_t location, uint32_t region, uint8_t op, uint64_t enter, uint64_t leave)
{
    tcfh_enter(h, location, enter, region);
    tcfh_collective(h, location, enter, leave, op, 0, 0);
    tcfh_leave(h, location, leave, region);
}

/* A part of the path. */
struct part {
    uint32_t location;
    uint64_t ticks;
    const char *callpath;
};

static const char *run(tcfh *h, uint32_t slice, const char *options)
{
    tcfh_run(
        h,
        "[pipeline]\nchain = critical_path\nslice = %u\n[critical_path]\noutput = ${SCRATCH}/report\noverwrite = yes\n"
        "format = csv\nby_location = yes\nall = yes\n%s",
        slice, options);
    const char *text = tcfh_text(h, "report");
    assert_non_null(text);
    return text;
}

static int has(tcfh *h, const char *text, const struct part *x)
{
    char head[64], tail[96];
    snprintf(head, sizeof head, "\nlocations,%llu,", (unsigned long long)tcfh_location_id(h, x->location));
    snprintf(tail, sizeof tail, ",%llu,%s\r\n", (unsigned long long)x->ticks, x->callpath);
    for (const char *line = strstr(text, head); line; line = strstr(line + 1, head)) {
        const char *end = strchr(line + 1, '\n');
        size_t n = strlen(tail);
        if (end && (size_t)(end + 1 - line) > n && strncmp(end + 1 - n, tail, n) == 0)
            return 1;
    }
    return 0;
}

/* The path consists of these parts and no others, and changes the location so often; however slices are cut. */
static void expect(tcfh *h, const char *options, uint64_t from, uint64_t to, unsigned changes, const struct part *part,
                   size_t n)
{
    char path[96];
    uint64_t length = 0;
    for (size_t i = 0; i < n; i++)
        length += part[i].ticks;
    assert_int_equal(length, to - from);
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, cut, options);
        size_t rows = 0;
        for (const char *line = strstr(text, "\nlocations,"); line; line = strstr(line + 1, "\nlocations,"))
            rows++;
        for (size_t i = 0; i < n; i++)
            if (!has(h, text, &part[i]))
                fail_msg("no part of %u, %llu ticks, %s in\n%s", part[i].location, (unsigned long long)part[i].ticks,
                         part[i].callpath, text);
        if (rows != n)
            fail_msg("%zu parts in\n%s", rows, text);
        const char *line = strstr(text, "\npath,");
        assert_non_null(line);
        snprintf(path, sizeof path, ",%llu,%llu,", (unsigned long long)from, (unsigned long long)to);
        const char *comma = strchr(line + 6, ',');
        assert_non_null(comma);
        assert_memory_equal(comma, path, strlen(path));
        snprintf(path, sizeof path, ",%u,%llu,", changes, (unsigned long long)(to - from));
        const char *rest = strstr(comma, path);
        if (!rest || rest > strchr(line + 1, '\n'))
            fail_msg("no %s in%s", path, line);
    }
}
#define EXPECT(h, options, from, to, changes, ...)                                                                     \
    expect(h, options, from, to, changes, (const struct part[]){__VA_ARGS__},                                          \
           sizeof((const struct part[]){__VA_ARGS__}) / sizeof(struct part))

/* ------------------------------------------------------------------------------------------------------ messages -- */

static void alone(void **state)
{
    (void)state;
    tcfh *h = ranks(1);
    tcfh_enter(h, 0, 10, work);
    call(h, 0, 30, 60, bcast);
    tcfh_leave(h, 0, 100, work);
    EXPECT(h, "", 10, 100, 0, {0, 60, "work"}, {0, 30, "work/MPI_Bcast"});
    tcfh_delete(h);
}

static void late_sender(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 500, work);
    send_in(h, 0, send_, 500, 520, 1);
    call(h, 1, 0, 100, work);
    receive_in(h, 1, 100, 540, 0);
    call(h, 1, 540, 600, work);
    EXPECT(h, "", 0, 600, 1, {0, 500, "work"}, {1, 40, "MPI_Recv"}, {1, 60, "work"});
    tcfh_delete(h);
}

/* Location 0 sends in a task from 0 to 50, at 30, which no call does; 1 has been idle since 10, and runs a task of that
 * message from 35 on. */
static void idle_for_a_message(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    const uint32_t task = tcfh_region_as(h, "task", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
    const uint32_t idle = tcfh_region(h, "Idle");
    tcfh_enter(h, 0, 0, task);
    tcfh_send(h, 0, 30, 1, 0, 8);
    tcfh_leave(h, 0, 50, task);
    call(h, 1, 0, 10, task);
    call(h, 1, 10, 33, idle);
    tcfh_enter(h, 1, 35, task);
    tcfh_receive(h, 1, 35, 0, 0, 8);
    tcfh_leave(h, 1, 60, task);
    EXPECT(h, "", 0, 60, 1, {0, 30, "task"}, {1, 3, "Idle"}, {1, 2, ""}, {1, 25, "task"});
    tcfh_delete(h);
}

/* As before, but 1 has run another task in between, so what it was idle for is unknown. */
static void idle_before_another_task(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    const uint32_t task = tcfh_region_as(h, "task", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
    const uint32_t idle = tcfh_region(h, "Idle");
    tcfh_enter(h, 0, 0, task);
    tcfh_send(h, 0, 30, 1, 0, 8);
    tcfh_leave(h, 0, 50, task);
    call(h, 1, 10, 33, idle);
    call(h, 1, 33, 36, task);
    tcfh_enter(h, 1, 36, task);
    tcfh_receive(h, 1, 36, 0, 0, 8);
    tcfh_leave(h, 1, 60, task);
    EXPECT(h, "", 10, 60, 0, {1, 23, "Idle"}, {1, 27, "task"});
    tcfh_delete(h);
}

/* Bins are 256 ticks wide: the smallest power of two with which four hold the run. Of the path, which changes the
 * location at 500, the second bin has parts of both. */
static void over_time(void **state)
{
    static const unsigned expected[][3] = {{0, 0, 256}, {256, 0, 244}, {256, 1, 12}, {512, 1, 88}};
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 500, work);
    send_in(h, 0, send_, 500, 520, 1);
    call(h, 1, 0, 100, work);
    receive_in(h, 1, 100, 540, 0);
    call(h, 1, 540, 600, work);
    for (uint32_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        const char *line = strstr(run(h, cut, "bins = 4\n"), "\ntable,from [s],width [s],");
        assert_non_null(line);
        for (size_t i = 0; i < TCF_COUNT(expected); i++) {
            unsigned long long location, from, width, ticks;
            line = strchr(line + 1, '\n');
            assert_int_equal(sscanf(line, "\nover_time,%*[^,],%*[^,],%llu,%*[^,],%llu,%llu,%llu", &location, &from,
                                    &width, &ticks),
                             4);
            assert_int_equal(location, tcfh_location_id(h, expected[i][1]));
            assert_int_equal(from, expected[i][0]);
            assert_int_equal(width, 256);
            assert_int_equal(ticks, expected[i][2]);
        }
        assert_null(strstr(line + 1, "\nover_time,"));
    }
    tcfh_delete(h);
}

static void sender_in_time(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, send_, 100, 120, 1);
    call(h, 1, 0, 300, work);
    receive_in(h, 1, 300, 310, 0);
    EXPECT(h, "", 0, 310, 0, {1, 300, "work"}, {1, 10, "MPI_Recv"});
    tcfh_delete(h);
}

/* What waits for a receiver goes on where the receiver was. */
static void late_receiver(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, ssend_, 100, 420, 1);
    call(h, 0, 420, 900, work);
    call(h, 1, 0, 400, work);
    receive_in(h, 1, 400, 420, 0);
    EXPECT(h, "", 0, 900, 1, {1, 400, "work"}, {0, 20, "MPI_Ssend"}, {0, 480, "work"});
    tcfh_delete(h);
}

/* A send that was left before, and one that is buffered, don't wait. */
static void no_late_receiver(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 100, work);
    send_in(h, 0, send_, 100, 400, 1);
    send_in(h, 0, bsend_, 400, 800, 1);
    call(h, 0, 800, 900, work);
    call(h, 1, 0, 400, work);
    receive_in(h, 1, 400, 450, 0);
    receive_in(h, 1, 500, 550, 0);
    EXPECT(h, "", 0, 900, 0, {0, 200, "work"}, {0, 300, "MPI_Send"}, {0, 400, "MPI_Bsend"});
    tcfh_delete(h);
}

/* The receive was posted long before it is complete. */
static void posted_receive(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    send_in(h, 0, ssend_, 100, 420, 1);
    call(h, 0, 420, 900, work);
    call(h, 1, 0, 200, work);
    irecv_in(h, 1, 200, 210, 5);
    call(h, 1, 210, 380, work);
    tcfh_enter(h, 1, 380, wait_);
    received(h, 1, 425, 0, 5);
    tcfh_leave(h, 1, 430, wait_);
    EXPECT(h, "", 0, 900, 1, {1, 200, "work"}, {0, 220, "MPI_Ssend"}, {0, 480, "work"});
    tcfh_delete(h);
}

/* A non-blocking send waits where it is completed. */
static void late_receiver_at_completion(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    isend_in(h, 0, 50, 60, 1, 9);
    tcfh_enter(h, 0, 100, wait_);
    sent(h, 0, 420, 9);
    tcfh_leave(h, 0, 420, wait_);
    call(h, 0, 420, 900, work);
    call(h, 1, 0, 400, work);
    receive_in(h, 1, 400, 420, 0);
    EXPECT(h, "", 0, 900, 1, {1, 400, "work"}, {0, 20, "MPI_Wait"}, {0, 480, "work"});
    tcfh_delete(h);
}

/* With a late message in the same call the send may have been complete long before. */
static void completion_beside_late_sender(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    isend_in(h, 0, 50, 60, 1, 9);
    irecv_in(h, 0, 60, 70, 10);
    tcfh_enter(h, 0, 100, waitall_);
    received(h, 0, 520, 2, 10);
    sent(h, 0, 520, 9);
    tcfh_leave(h, 0, 520, waitall_);
    call(h, 0, 520, 900, work);
    call(h, 1, 0, 400, work);
    receive_in(h, 1, 400, 420, 0);
    call(h, 2, 5, 300, work);
    send_in(h, 2, send_, 300, 310, 0);
    EXPECT(h, "", 5, 900, 1, {2, 295, "work"}, {0, 220, "MPI_Waitall"}, {0, 380, "work"});
    tcfh_delete(h);
}

/* The latest of several senders counts; a test waits for none. */
static void several(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    irecv_in(h, 0, 0, 10, 1);
    irecv_in(h, 0, 10, 20, 2);
    tcfh_enter(h, 0, 100, waitall_);
    received(h, 0, 500, 1, 1);
    received(h, 0, 500, 2, 2);
    tcfh_leave(h, 0, 500, waitall_);
    irecv_in(h, 0, 500, 500, 3);
    tcfh_enter(h, 0, 500, test_);
    received(h, 0, 700, 1, 3);
    tcfh_leave(h, 0, 700, test_);
    call(h, 1, 3, 400, work);
    send_in(h, 1, send_, 400, 410, 0);
    send_in(h, 1, send_, 600, 610, 0);
    call(h, 2, 0, 300, work);
    send_in(h, 2, send_, 300, 310, 0);
    EXPECT(h, "", 3, 700, 1, {1, 397, "work"}, {0, 100, "MPI_Waitall"}, {0, 200, "MPI_Test"});
    tcfh_delete(h);
}

/* The first part of the send is still without an answer when the barrier within it has one: both keep their time. */
static void within_a_send(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    const uint32_t self = tcfh_comm(h, "self", 1, (const uint32_t[]){0});
    tcfh_enter(h, 0, 100, ssend_);
    tcfh_send(h, 0, 100, 1, 0, 8);
    tcfh_enter(h, 0, 200, barrier);
    tcfh_collective(h, 0, 200, 300, OTF2_COLLECTIVE_OP_BARRIER, self, 0);
    tcfh_leave(h, 0, 300, barrier);
    tcfh_leave(h, 0, 420, ssend_);
    for (uint64_t at = 100; at < 400; at += 10)
        call(h, 1, at, at + 10, work);
    receive_in(h, 1, 400, 410, 0);
    EXPECT(h, "", 100, 420, 0, {0, 220, "MPI_Ssend"}, {0, 100, "MPI_Ssend/MPI_Barrier"});
    tcfh_delete(h);
}

/* A receive before its send is no reason to go anywhere. */
static void reversed(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 500, work);
    send_in(h, 0, send_, 500, 510, 1);
    call(h, 1, 0, 100, work);
    receive_in(h, 1, 100, 200, 0);
    call(h, 1, 200, 900, work);
    EXPECT(h, "", 0, 900, 0, {1, 800, "work"}, {1, 100, "MPI_Recv"});
    harness_line(tcfh_text(h, "report"), "clocks,messages,1,1");
    tcfh_delete(h);
}

/* Back and forth: each waits for the other one in turn. */
static void ping_pong(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 100, work);
    send_in(h, 0, send_, 100, 105, 1);
    receive_in(h, 0, 105, 320, 1);
    call(h, 0, 320, 400, work);
    receive_in(h, 1, 50, 120, 0);
    call(h, 1, 120, 300, work);
    send_in(h, 1, send_, 300, 310, 0);
    EXPECT(h, "", 0, 400, 2, {0, 180, "work"}, {1, 20, "MPI_Recv"}, {1, 180, "work"}, {0, 20, "MPI_Recv"});
    tcfh_delete(h);
}

/* ---------------------------------------------------------------------------------------------------- operations -- */

static void at_a_barrier(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    for (uint32_t l = 0; l < 3; l++) {
        call(h, l, 0, 100 + 100 * l, work);
        operation(h, l, barrier, OTF2_COLLECTIVE_OP_BARRIER, 100 + 100 * l, 310 + l);
        call(h, l, 310 + l, 500 - 10 * l, work);
    }
    EXPECT(h, "", 0, 500, 1, {2, 300, "work"}, {0, 10, "MPI_Barrier"}, {0, 190, "work"});
    tcfh_delete(h);
}

/* A broadcast waits for its root only. */
static void at_a_broadcast(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    call(h, 0, 0, 200, work);
    operation(h, 0, bcast, OTF2_COLLECTIVE_OP_BCAST, 200, 210);
    operation(h, 1, bcast, OTF2_COLLECTIVE_OP_BCAST, 150, 230);
    call(h, 1, 230, 500, work);
    operation(h, 2, bcast, OTF2_COLLECTIVE_OP_BCAST, 300, 310);
    EXPECT(h, "", 0, 500, 1, {0, 200, "work"}, {1, 30, "MPI_Bcast"}, {1, 270, "work"});
    tcfh_delete(h);
}

static void at_a_reduction(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    operation(h, 0, reduce, OTF2_COLLECTIVE_OP_REDUCE, 100, 320);
    call(h, 0, 320, 500, work);
    operation(h, 1, reduce, OTF2_COLLECTIVE_OP_REDUCE, 150, 160);
    call(h, 1, 160, 490, work);
    call(h, 2, 0, 300, work);
    operation(h, 2, reduce, OTF2_COLLECTIVE_OP_REDUCE, 300, 310);
    EXPECT(h, "", 0, 500, 1, {2, 300, "work"}, {0, 20, "MPI_Reduce"}, {0, 180, "work"});
    tcfh_delete(h);
}

/* Nobody leaves before all have come: others than the root wait, too. */
static void at_a_synchronizing_reduction(void **state)
{
    (void)state;
    tcfh *h = ranks(3);
    operation(h, 0, reduce, OTF2_COLLECTIVE_OP_REDUCE, 100, 320);
    operation(h, 1, reduce, OTF2_COLLECTIVE_OP_REDUCE, 150, 330);
    call(h, 1, 330, 500, work);
    call(h, 2, 0, 300, work);
    operation(h, 2, reduce, OTF2_COLLECTIVE_OP_REDUCE, 300, 310);
    EXPECT(h, "", 0, 500, 1, {2, 300, "work"}, {1, 30, "MPI_Reduce"}, {1, 170, "work"});
    tcfh_delete(h);
}

static void at_a_scan(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    call(h, 0, 0, 300, work);
    operation(h, 0, scan, OTF2_COLLECTIVE_OP_SCAN, 300, 310);
    call(h, 1, 4, 100, work);
    operation(h, 1, scan, OTF2_COLLECTIVE_OP_SCAN, 100, 320);
    call(h, 1, 320, 500, work);
    EXPECT(h, "", 4, 500, 0, {1, 276, "work"}, {1, 220, "MPI_Scan"});
    EXPECT(h, "scans = yes\n", 0, 500, 1, {0, 300, "work"}, {1, 20, "MPI_Scan"}, {1, 180, "work"});
    tcfh_delete(h);
}

/* From the MPI_Init of the location where the path began to the last one who enters MPI_Finalize. */
static void begin_and_end(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 10, work);
        call(h, l, 50 + 20 * l, 100, init);
        call(h, l, 300 + 50 * l, 400, finalize);
        tcfh_leave(h, l, 450 - 5 * l, work);
    }
    EXPECT(h, "", 70, 350, 0, {1, 30, "work/MPI_Init"}, {1, 250, "work"});
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

/* A worker is there because it was forked; who comes last to the end of the team is on the path. */
static void teams(void **state)
{
    (void)state;
    tcfh *h = threads(1, 2);
    const uint32_t members[] = {0, 1};
    const uint32_t team = tcfh_team(h, 2, members);
    const uint32_t loop = tcfh_region_as(h, "loop", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP);
    call(h, 0, 0, 100, work);
    tcfh_enter(h, 0, 100, loop);
    tcfh_event(h, 0, 100, TCF_THREAD_FORK,
               &(tcf_ev_thread_fork){.model = OTF2_PARADIGM_OPENMP, .number_of_requested_threads = 2});
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_event(h, l, 110, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        call(h, l, 120, 200 + 100 * l, loop);
        tcfh_event(h, l, 200 + 100 * l, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    tcfh_event(h, 0, 310, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    tcfh_leave(h, 0, 320, loop);
    call(h, 0, 320, 400, work);
    EXPECT(h, "", 0, 400, 2, {0, 180, "work"}, {1, 20, ""}, {1, 180, "loop"}, {0, 20, "loop"});
    tcfh_delete(h);
}

/* Threads without a region of their own, as measurement by a runtime's callbacks may leave them:
 *
 *                  0          180 200        500 510     600
 *     master       | work: ... fork [begin   end] join ...|
 *     worker                     |190 begin  end|450
 *
 * The master computes until the fork. Both members compute; the master ends later, so the join waits for nobody, and
 * the master is on the path from 0 to 600. With `late` the worker ends its team at 505 instead: the join waits for it
 * until 505, the worker was forked at 180, before which the path is the master's. */
static void fork_within_a_stretch(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        tcfh *h = threads(1, 2);
        const uint32_t members[] = {0, 1};
        const uint32_t team = tcfh_team(h, 2, members);
        tcfh_enter(h, 0, 0, work);
        tcfh_event(h, 0, 180, TCF_THREAD_FORK,
                   &(tcf_ev_thread_fork){.model = OTF2_PARADIGM_OPENMP, .number_of_requested_threads = 2});
        tcfh_event(h, 0, 200, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, 0, 500, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
        tcfh_event(h, 0, 510, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
        tcfh_leave(h, 0, 600, work);
        tcfh_event(h, 1, 190, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, 1, late ? 505 : 450, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
        if (late)
            EXPECT(h, "", 0, 600, 2, {0, 180 + 95, "work"}, {1, 325, ""});
        else
            EXPECT(h, "", 0, 600, 0, {0, 600, "work"});
        tcfh_delete(h);
    }
}

/* The same of a thread that its creator waits for: created at 180, ended at 505, all within one call of the creator. */
static void thread_within_a_stretch(void **state)
{
    (void)state;
    tcfh *h = threads(1, 2);
    const uint32_t members[] = {0, 1};
    const uint32_t team = tcfh_team(h, 2, members);
    tcfh_enter(h, 0, 0, work);
    tcfh_event(h, 0, 180, TCF_THREAD_CREATE, &(tcf_ev_thread_create){team, 1});
    tcfh_event(h, 0, 510, TCF_THREAD_WAIT, &(tcf_ev_thread_wait){team, 1});
    tcfh_leave(h, 0, 600, work);
    tcfh_event(h, 1, 190, TCF_THREAD_BEGIN, &(tcf_ev_thread_begin){team, 1});
    call(h, 1, 200, 400, work);
    tcfh_event(h, 1, 505, TCF_THREAD_END, &(tcf_ev_thread_end){team, 1});
    EXPECT(h, "", 0, 600, 2, {0, 180 + 95, "work"}, {1, 125, ""}, {1, 200, "work"});
    tcfh_delete(h);
}

/* The second team of a worker: between the teams it is idle, so from the end of the first one on the path is the
 * master's, which computes for long before the second fork without entering anything. */
static void second_team(void **state)
{
    (void)state;
    tcfh *h = threads(1, 2);
    const uint32_t members[] = {0, 1};
    const uint32_t team = tcfh_team(h, 2, members);
    const uint32_t loop = tcfh_region_as(h, "loop", OTF2_REGION_ROLE_LOOP, OTF2_PARADIGM_OPENMP);
    tcfh_enter(h, 0, 0, work);
    for (uint64_t t = 100; t <= 1100; t += 1000) {
        tcfh_event(h, 0, t, TCF_THREAD_FORK,
                   &(tcf_ev_thread_fork){.model = OTF2_PARADIGM_OPENMP, .number_of_requested_threads = 2});
        for (uint32_t l = 0; l < 2; l++) {
            tcfh_event(h, l, t + 10, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
            call(h, l, t + 20, t + 100 + 100 * l, loop);
            tcfh_event(h, l, t + 100 + 100 * l, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
        }
        tcfh_event(h, 0, t + 210, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    }
    tcfh_leave(h, 0, 1400, work);
    /* Master: 0 to 100, 300 to 1100 and 1300 to 1400; worker: each time 20 after the fork, then 180 in the loop. */
    EXPECT(h, "", 0, 1400, 4, {0, 1000, "work"}, {1, 40, ""}, {1, 360, "loop"});
    tcfh_delete(h);
}

/* ----------------------------------------------------------------------------------------------------- imbalance -- */

/* Two ranks compute for 100 and 300 before a barrier that ends at 310; the path is the second one's. */
static void imbalance(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    for (uint32_t l = 0; l < 2; l++) {
        call(h, l, 0, 100 + 200 * l, work);
        operation(h, l, barrier, OTF2_COLLECTIVE_OP_BARRIER, 100 + 200 * l, 310);
    }
    const char *text = run(h, 0, "");
    /* ends together: the path ends on the first. Barrier: 10 each without the wait of 200. */
    harness_line(text, "totals,Critical path,3.1e-07,critical_path,310,Time of call paths on the critical path");
    /* work: 300 on the path, 200 on average, 100 of imbalance; rank 0 has 200 to spare, all for work. */
    harness_line(text, "callpaths,3e-07,96.77,1e-07,4e-07,2e-07,0,0,300,100,400,200,0,0,work");
    harness_line(text, "callpaths,1e-08,3.23,0,2e-08,0,0,0,10,0,20,0,0,0,MPI_Barrier");
    tcfh_delete(h);
}

/* The same differences between times of 2^62 ticks. */
static void imbalance_of_long_times(void **state)
{
    (void)state;
    static const uint64_t far = UINT64_C(1) << 62;
    tcfh *h = ranks(2);
    for (uint32_t l = 0; l < 2; l++) {
        call(h, l, 0, far + 200 * l, work);
        operation(h, l, barrier, OTF2_COLLECTIVE_OP_BARRIER, far + 200 * l, far + 210);
    }
    const char *text = run(h, 0, "");
    harness_has(text, "callpaths,", ",200,0,0,work");
    if (!strstr(text, ",4611686018427388104,100,"))
        fail_msg("no 100 ticks of imbalance in:\n%s", text);
    tcfh_delete(h);
}

/* Rank 0 never does what the path consists of: its waiting is imbalance between partitions. */
static void partitions(void **state)
{
    (void)state;
    tcfh *h = ranks(2);
    const uint32_t other = tcfh_region(h, "other");
    call(h, 0, 0, 100, other);
    call(h, 1, 0, 300, work);
    for (uint32_t l = 0; l < 2; l++)
        operation(h, l, barrier, OTF2_COLLECTIVE_OP_BARRIER, 100 + 200 * l, 310);
    const char *text = run(h, 0, "");
    harness_line(text, "callpaths,3e-07,96.77,1.5e-07,3e-07,2e-07,2e-07,0,300,150,300,200,200,0,work");
    harness_line(text, "callpaths,0,0,0,0,0,0,1e-07,0,0,0,0,0,100,other");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alone),
        cmocka_unit_test(late_sender),
        cmocka_unit_test(idle_for_a_message),
        cmocka_unit_test(idle_before_another_task),
        cmocka_unit_test(over_time),
        cmocka_unit_test(sender_in_time),
        cmocka_unit_test(late_receiver),
        cmocka_unit_test(no_late_receiver),
        cmocka_unit_test(posted_receive),
        cmocka_unit_test(late_receiver_at_completion),
        cmocka_unit_test(completion_beside_late_sender),
        cmocka_unit_test(several),
        cmocka_unit_test(within_a_send),
        cmocka_unit_test(reversed),
        cmocka_unit_test(ping_pong),
        cmocka_unit_test(at_a_barrier),
        cmocka_unit_test(at_a_broadcast),
        cmocka_unit_test(at_a_reduction),
        cmocka_unit_test(at_a_synchronizing_reduction),
        cmocka_unit_test(at_a_scan),
        cmocka_unit_test(begin_and_end),
        cmocka_unit_test(teams),
        cmocka_unit_test(fork_within_a_stretch),
        cmocka_unit_test(thread_within_a_stretch),
        cmocka_unit_test(second_team),
        cmocka_unit_test(imbalance),
        cmocka_unit_test(imbalance_of_long_times),
        cmocka_unit_test(partitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
