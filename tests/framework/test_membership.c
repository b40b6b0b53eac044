/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Whose rank a location has: processes of several ranks, threads that stand for one or for nobody, ranks that are
 * nobody's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <string.h>

#include "tests/support/harness.h"

enum { MOST = 64 };

/* What came of the messages: at a receive the time of its send, at a send 1; 0: unmatched. */
static struct {
    uint64_t time, of;
    uint32_t location;
} met[MOST];
static uint32_t n_met, n_complete, n_arrived, n_unmatched_ends;

static tcf_status look_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const tcf_edge *e = tcf_edge_of(s, i);
        if (!e || e->class_ == TCF_CLASS_NONE)
            continue;
        if (e->class_ != TCF_CLASS_P2P) {
            n_unmatched_ends += (e->flags & TCF_EDGE_UNMATCHED) != 0;
            continue;
        }
        uint64_t *payload = self->host->payload(self, e);
        if (payload && e->flags & TCF_EDGE_SOURCE)
            *payload = s->time[i];
        assert_true(n_met < MOST);
        met[n_met].time = s->time[i];
        met[n_met].location = s->location;
        met[n_met++].of = !payload ? 0 : e->flags & TCF_EDGE_SOURCE ? 1 : *payload;
    }
    return TCF_OK;
}

static tcf_status look_complete(tcf_self *self, const tcf_collective *i)
{
    (void)self;
    n_complete++;
    n_arrived += i->n_arrived;
    return TCF_OK;
}

static const tcf_filter look = {
    .head = TCF_FILTER_HEAD,
    .name = "look",
    .version = "1",
    .summary = "Notes who met whom",
    .message_bytes = 8,
    .span = look_span,
    .collective_complete = look_complete,
};

static tcfh *make(uint32_t processes, uint32_t threads, uint32_t ranks)
{
    tcfh *h = tcfh_new();
    tcfh_filter(h, &look);
    tcfh_ranks(h, ranks);
    tcfh_processes(h, processes, threads);
    tcfh_region(h, "work");
    return h;
}

static void run(tcfh *h)
{
    memset(met, 0, sizeof met);
    n_met = n_complete = n_arrived = n_unmatched_ends = 0;
    tcfh_run(h, "[pipeline]\nchain = look\nslice = 2\n");
}

/* The message of a location at a time. */
static uint64_t of(uint32_t location, uint64_t time)
{
    for (uint32_t i = 0; i < n_met; i++)
        if (met[i].location == location && met[i].time == time)
            return met[i].of;
    fail_msg("no message of location %u at %u", location, (unsigned)time);
    return 0;
}

/* Ranks 0 and 1 are locations 0 and 1 of one process, 2 and 3 are 3 and 4 of the other; 2 and 5 are nobody. Messages of
 * one tag to both ranks of a process stay apart, though the second one receives first. */
static void ranks_of_a_process(void **state)
{
    (void)state;
    tcfh *h = make(2, 3, 2);
    tcfh_send(h, 3, 10, 0, 7, 8);
    tcfh_send(h, 3, 20, 1, 7, 8);
    tcfh_send(h, 3, 30, 0, 7, 8);
    tcfh_receive(h, 1, 40, 2, 7, 8);
    tcfh_receive(h, 0, 50, 2, 7, 8);
    tcfh_receive(h, 0, 60, 2, 7, 8);
    tcfh_send(h, 1, 70, 2, 7, 8); /* and the other way */
    tcfh_send(h, 0, 80, 2, 7, 8);
    tcfh_receive(h, 3, 90, 0, 7, 8);
    tcfh_receive(h, 3, 100, 1, 7, 8);
    tcfh_send(h, 0, 110, 1, 7, 8); /* between ranks of one process */
    tcfh_receive(h, 1, 120, 0, 7, 8);
    run(h);
    assert_int_equal(of(1, 40), 20);
    assert_int_equal(of(0, 50), 10);
    assert_int_equal(of(0, 60), 30);
    assert_int_equal(of(3, 90), 80);
    assert_int_equal(of(3, 100), 70);
    assert_int_equal(of(1, 120), 110);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* To oneself: on MPI_COMM_SELF, of which every rank has its own, and on MPI_COMM_WORLD. */
static void to_oneself(void **state)
{
    (void)state;
    tcfh *h = make(1, 2, 2);
    uint32_t self = tcfh_self_comm(h);
    tcfh_send_on(h, 0, 10, self, 0, 1);
    tcfh_send_on(h, 1, 20, self, 0, 1);
    tcfh_receive_on(h, 1, 30, self, 0, 1);
    tcfh_receive_on(h, 0, 40, self, 0, 1);
    tcfh_send(h, 1, 50, 1, 1, 8);
    tcfh_send(h, 0, 60, 0, 1, 8);
    tcfh_receive(h, 0, 70, 0, 1, 8);
    tcfh_receive(h, 1, 80, 1, 1, 8);
    tcfh_send_on(h, 0, 90, self, 1, 1);
    tcfh_collective(h, 0, 100, 110, OTF2_COLLECTIVE_OP_BARRIER, self, OTF2_COLLECTIVE_ROOT_NONE);
    tcfh_collective(h, 1, 200, 210, OTF2_COLLECTIVE_OP_BARRIER, self, OTF2_COLLECTIVE_ROOT_NONE);
    run(h);
    assert_int_equal(of(1, 30), 20);
    assert_int_equal(of(0, 40), 10);
    assert_int_equal(of(0, 70), 60);
    assert_int_equal(of(1, 80), 50);
    assert_int_equal(of(0, 90), 0);
    assert_int_equal(n_complete, 2);
    assert_int_equal(n_arrived, 2);
    tcfh_delete(h);
}

/* A thread of a process of two ranks may be anybody's; where there is one rank only, it is that one's. */
static void threads_that_are_not_listed(void **state)
{
    (void)state;
    tcfh *h = make(2, 3, 2);
    tcfh_send(h, 2, 10, 3, 7, 8);
    tcfh_receive(h, 5, 20, 0, 7, 8);
    tcfh_collective(h, 2, 30, 31, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
    run(h);
    assert_int_equal(of(2, 10), 0);
    assert_int_equal(of(5, 20), 0);
    assert_int_equal(n_complete, 0);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    assert_int_equal(tcfh_note(h, "bad_rank"), 3);
    tcfh_delete(h);

    h = make(2, 3, 1);
    tcfh_send(h, 2, 10, 1, 7, 8);
    tcfh_send(h, 0, 12, 1, 7, 8);
    tcfh_receive(h, 5, 20, 0, 7, 8);
    tcfh_receive(h, 3, 22, 0, 7, 8);
    run(h);
    assert_int_equal(of(5, 20), 10);
    assert_int_equal(of(3, 22), 12);
    tcfh_delete(h);
}

/* Streams of accelerators don't call MPI, whoever has recorded so. */
static void streams(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_filter(h, &look);
    tcfh_streams(h, 1);
    tcfh_processes(h, 2, 2);
    tcfh_region(h, "work");
    tcfh_send(h, 1, 10, 1, 7, 8);
    tcfh_send(h, 0, 12, 1, 7, 8);
    tcfh_receive(h, 2, 20, 0, 7, 8);
    run(h);
    assert_int_equal(of(1, 10), 0);
    assert_int_equal(of(2, 20), 12);
    tcfh_delete(h);
}

/* Who is no member of a communicator neither sends nor receives on it. */
static void no_members(void **state)
{
    (void)state;
    tcfh *h = make(2, 2, 2);
    uint32_t odd = tcfh_comm(h, "odd", 2, (const uint32_t[]){1, 3});
    tcfh_send_on(h, 0, 10, odd, 1, 7); /* no member, though of a member's process */
    tcfh_send_on(h, 1, 20, odd, 1, 7);
    tcfh_receive_on(h, 3, 30, odd, 0, 7);
    tcfh_receive_on(h, 2, 40, odd, 0, 7);
    tcfh_collective(h, 1, 50, 60, OTF2_COLLECTIVE_OP_BARRIER, odd, OTF2_COLLECTIVE_ROOT_NONE);
    tcfh_collective(h, 0, 52, 54, OTF2_COLLECTIVE_OP_BARRIER, odd, OTF2_COLLECTIVE_ROOT_NONE);
    tcfh_collective(h, 3, 51, 61, OTF2_COLLECTIVE_OP_BARRIER, odd, OTF2_COLLECTIVE_ROOT_NONE);
    run(h);
    assert_int_equal(of(0, 10), 0);
    assert_int_equal(of(1, 20), 1);
    assert_int_equal(of(3, 30), 20);
    assert_int_equal(of(2, 40), 0);
    assert_int_equal(n_complete, 1);
    assert_int_equal(n_arrived, 2);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* Both groups of an inter-communicator in one process. */
static void both_sides(void **state)
{
    (void)state;
    tcfh *h = make(1, 4, 4);
    uint32_t inter = tcfh_inter_comm(h, "inter", 2, (const uint32_t[]){0, 2}, 2, (const uint32_t[]){3, 1});
    tcfh_send_on(h, 0, 10, inter, 1, 7); /* to rank 1 of B: location 1 */
    tcfh_send_on(h, 1, 20, inter, 0, 7); /* to rank 0 of A */
    tcfh_receive_on(h, 1, 30, inter, 0, 7);
    tcfh_receive_on(h, 0, 40, inter, 1, 7);
    for (uint32_t l = 0; l < 4; l++)
        tcfh_collective(h, l, 50 + l, 60, OTF2_COLLECTIVE_OP_BARRIER, inter, OTF2_COLLECTIVE_ROOT_NONE);
    run(h);
    assert_int_equal(of(1, 30), 10);
    assert_int_equal(of(0, 40), 20);
    assert_int_equal(n_complete, 1);
    assert_int_equal(n_arrived, 4);
    tcfh_delete(h);
}

/* A location that a communicator names twice has its first rank; nobody has the other, and nobody waits for it. */
static void named_twice(void **state)
{
    (void)state;
    tcfh *h = make(2, 1, 1);
    uint32_t twice = tcfh_comm(h, "twice", 3, (const uint32_t[]){0, 1, 0});
    tcfh_send_on(h, 1, 10, twice, 2, 7);
    tcfh_send_on(h, 1, 20, twice, 0, 7);
    tcfh_receive_on(h, 0, 30, twice, 1, 7);
    tcfh_send_on(h, 0, 40, twice, 1, 7);
    tcfh_receive_on(h, 1, 50, twice, 2, 7);
    tcfh_receive_on(h, 1, 60, twice, 0, 7);
    for (uint32_t l = 0; l < 2; l++)
        tcfh_collective(h, l, 70 + l, 80, OTF2_COLLECTIVE_OP_BARRIER, twice, OTF2_COLLECTIVE_ROOT_NONE);
    for (uint32_t k = 0; k < 20; k++)
        tcfh_enter(h, 0, 90 + k, 0), tcfh_leave(h, 0, 90 + k, 0);
    run(h);
    assert_int_equal(of(1, 10), 0);
    assert_int_equal(of(0, 30), 20);
    assert_int_equal(of(1, 50), 0);
    assert_int_equal(of(1, 60), 40);
    assert_int_equal(n_complete, 1);
    assert_int_equal(n_unmatched_ends, 0);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* A rank has ended when its own locations have, though others of its process go on. */
static void ranks_end_by_themselves(void **state)
{
    (void)state;
    tcfh *h = make(2, 2, 2);
    tcfh_send(h, 0, 10, 1, 7, 8);
    tcfh_receive(h, 1, 20, 0, 7, 8);
    for (uint32_t k = 0; k < 50; k++)
        tcfh_enter(h, 1, 30 + k, 0), tcfh_leave(h, 1, 30 + k, 0);
    tcfh_receive(h, 1, 90, 0, 8, 8); /* that rank 0 never sends */
    tcfh_send(h, 1, 95, 2, 7, 8);
    tcfh_receive(h, 2, 99, 1, 7, 8);
    run(h);
    assert_int_equal(of(1, 20), 10);
    assert_int_equal(of(1, 90), 0);
    assert_int_equal(of(2, 99), 95);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

/* Collectives of a window are counted by member, whichever thread calls them. */
static void windows(void **state)
{
    (void)state;
    tcfh *h = make(2, 2, 1);
    uint32_t window = tcfh_window(h, 0);
    for (uint32_t l = 0; l < 4; l++) {
        uint64_t begin = 10 + 100 * (l % 2);
        tcf_ev_rma_collective_end r = {.collective_op = OTF2_COLLECTIVE_OP_BARRIER,
                                       .win = window,
                                       .sync_level = OTF2_RMA_SYNC_LEVEL_PROCESS,
                                       .root = OTF2_COLLECTIVE_ROOT_NONE};
        tcfh_event(h, l, begin, TCF_RMA_COLLECTIVE_BEGIN, NULL);
        tcfh_event(h, l, begin + 5, TCF_RMA_COLLECTIVE_END, &r);
    }
    run(h);
    assert_int_equal(n_complete, 2);
    assert_int_equal(n_arrived, 4);
    assert_int_equal(tcfh_note(h, "given_up"), 0);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_of_a_process),
        cmocka_unit_test(to_oneself),
        cmocka_unit_test(threads_that_are_not_listed),
        cmocka_unit_test(streams),
        cmocka_unit_test(no_members),
        cmocka_unit_test(both_sides),
        cmocka_unit_test(named_twice),
        cmocka_unit_test(ranks_end_by_themselves),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests_name("membership", tests, NULL, NULL);
}
