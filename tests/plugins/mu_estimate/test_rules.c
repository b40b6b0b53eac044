/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What mu_estimate learns of small traces whose minimum delays are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"
#include <tcflow/clocks.h>

static struct {
    tcf_minimum_delay row[64];
    uint64_t n;
} learned;

static tcf_status told_begin(tcf_self *self)
{
    const tcf_minimum_delay *rows = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *rows, &learned.n);
    assert_non_null(rows);
    assert_true(learned.n <= 64);
    memcpy(learned.row, rows, learned.n * sizeof *rows);
    return TCF_OK;
}

static tcf_status told_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

/* What was learned before stays. */
static tcf_status told_end(tcf_self *self)
{
    uint64_t n;
    const tcf_minimum_delay *rows = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *rows, &n);
    assert_int_equal(n, learned.n);
    assert_memory_equal(rows, learned.row, n * sizeof *rows);
    return TCF_OK;
}

static const tcf_filter told = {
    .head = TCF_FILTER_HEAD,
    .name = "told",
    .version = "1",
    .summary = "Sees what is learned",
    .begin = told_begin,
    .slice = told_slice,
    .end = told_end,
};

/* Makes all clocks right: what happens at odd locations, 70 later. */
static tcf_status repair_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    for (uint32_t i = 0; i < s->n; i++)
        s->time[i] += s->location % 2 * 70;
    return TCF_OK;
}

static const tcf_filter repair = {
    .head = TCF_FILTER_HEAD,
    .name = "repair",
    .version = "1",
    .summary = "Moves events",
    .writes = TCF_WRITES_TIME,
    .slice = repair_slice,
};

static const char *report_in(tcfh *h, int domains, const char *options)
{
    tcfh_run(h,
             "[pipeline]\nthreads = %d\nsurvey = mu_estimate\nchain = told\n[mu_estimate]\nformat = csv\n"
             "output = ${SCRATCH}/mu.csv\noverwrite = yes\n%s",
             domains, options);
    return tcfh_text(h, "mu.csv");
}

static const char *report(tcfh *h, const char *options)
{
    return report_in(h, 1, options);
}

static void assert_learned(uint32_t class_, uint32_t distance, uint64_t ticks, uint64_t samples)
{
    for (uint64_t i = 0; i < learned.n; i++)
        if (learned.row[i].class_ == class_ && learned.row[i].distance == distance) {
            assert_int_equal(learned.row[i].ticks, ticks);
            assert_int_equal(learned.row[i].samples, samples);
            return;
        }
    fail_msg("nothing was learned of class %u, distance %u", class_, distance);
}

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    tcfh_filter(h, &told);
    tcfh_filter(h, &repair);
    return h;
}

/* Two messages, one each way. */
static tcfh *two_messages(uint64_t sent, uint64_t received, uint64_t replied, uint64_t returned)
{
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, sent, 1, 7, 8);
    tcfh_receive(h, 1, received, 0, 7, 8);
    tcfh_send(h, 1, replied, 0, 7, 8);
    tcfh_receive(h, 0, returned, 1, 7, 8);
    return h;
}

static void smallest_seen(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 130, 140, 190);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = report(h, "");
        assert_int_equal(learned.n, 1);
        assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 30, 2);
        assert_non_null(strstr(text, "\np2p,same_node,3e-08,30,observed,2,0,3e-08,1,8e-08,0,20\r\n"));
    }
    tcfh_delete(h);
}

/* Which of the receives has none depends on times where something is lost: the one without may have taken less time
 * than those that were seen. */
static void no_smallest_where_partners_are_missing(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 130, 140, 190);
    tcfh_receive(h, 1, 200, 0, 7, 8);
    const char *text = report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    assert_non_null(strstr(text, "\np2p,same_node,0,0,unknown,2,0,3e-08,1,8e-08,1,0\r\n"));
    tcfh_delete(h);
}

static void assert_sure(uint32_t class_, uint64_t ticks)
{
    for (uint64_t i = 0; i < learned.n; i++)
        if (learned.row[i].class_ == class_) {
            assert_int_equal(learned.row[i].sure, ticks);
            return;
        }
    fail_msg("nothing was learned of class %u", class_);
}

/* A clock that is ahead makes messages to it slow, and none comes too early. Only what goes both ways shows how slow
 * they are. */
static void what_holds_whatever_the_clocks_are(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 130, 140, 190);
    report(h, "");
    assert_sure(TCF_CLASS_P2P, 20); /* half of half of 80 */
    tcfh_delete(h);
    h = processes(2, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 1, 130, 0, 7, 8);
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 30, 1);
    assert_sure(TCF_CLASS_P2P, 0);
    tcfh_delete(h);
    h = processes(1, 2);
    tcfh_event(h, 0, 20, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){TCF_PARADIGM_OPENMP, 5, 1});
    tcfh_event(h, 1, 27, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){TCF_PARADIGM_OPENMP, 5, 2});
    report(h, "");
    assert_sure(TCF_CLASS_LOCK, 7); /* one clock */
    tcfh_delete(h);
}

static void equal_times_are_no_violation(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 100, 140, 190);
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    tcfh_delete(h);
}

/* 30 and 50 again, the second clock 70 behind: the sum is still 80. */
static void half_of_a_round_trip(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 60, 70, 190);
    const char *text = report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    assert_non_null(strstr(text, "\np2p,same_node,2e-08,20,round_trip,2,1,1.2e-07,1,8e-08,0,20\r\n"));
    report(h, "safety = 1\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 40, 2);
    report(h, "safety = 1\nmost = 7 ticks\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 7, 2);
    report(h, "safety = 0\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    tcfh_delete(h);
}

/* Clocks of which one has just begun and the other one is about to overflow. */
static void clocks_far_apart(void **state)
{
    (void)state;
    tcfh *h = two_messages(UINT64_MAX - 1000, 60, 70, UINT64_MAX - 910);
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    tcfh_delete(h);
}

static void too_far_apart_in_time(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 60, 1000000, 1000120); /* 100 and 1,000,120 by the first clock */
    report(h, "interval = 1000 ticks\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    report(h, "interval = 2ms\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    tcfh_delete(h);
}

/* Drift that makes a round trip negative. */
static void impossible_round_trip(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 60, 170, 190);
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    tcfh_delete(h);
}

static void one_way_only(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_send(h, 0, 110, 1, 7, 8);
    tcfh_receive(h, 1, 60, 0, 7, 8);
    tcfh_receive(h, 1, 200, 0, 7, 8);
    assert_non_null(strstr(report(h, ""), "\np2p,same_node,0,0,unknown,2,1,9e-08,0,,0,0\r\n"));
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 2);
    tcfh_delete(h);
}

static void message_to_itself(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 60, 70, 190);
    tcfh_send(h, 0, 200, 0, 3, 8);
    tcfh_receive(h, 0, 205, 0, 3, 8);
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    assert_learned(TCF_CLASS_P2P, TCF_SAME_PROCESS, 5, 1);
    tcfh_delete(h);
}

/* Where there is no room for all stretches of time, those that stay are the same in any order, and their round trips
 * are right. */
static void more_stretches_than_room(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint64_t k = 0; k < 200; k++) { /* round trips of 150, ... and of 25 with the third process */
        const uint64_t t = (k + 1) << 20;
        tcfh_send(h, 0, t, 1, 7, 8);
        tcfh_receive(h, 1, t - 40, 0, 7, 8);
        tcfh_send(h, 1, t, 0, 7, 8);
        tcfh_receive(h, 0, t + 190 + k, 1, 7, 8);
        tcfh_send(h, 2, t + 300, 0, 7, 8);
        tcfh_receive(h, 0, t + 320, 2, 7, 8);
        tcfh_send(h, 0, t + 321, 2, 7, 8);
        tcfh_receive(h, 2, t + 326, 0, 7, 8);
    }
    char first[4096];
    snprintf(first, sizeof first, "%s", report(h, "interval = 1us\nsafety = 1\n"));
    assert_non_null(strstr(first, ",400,"));
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 12, 800);
    snprintf(first, sizeof first, "%s", report(h, "interval = 1us\nsafety = 1\nstretches = 64\n"));
    assert_null(strstr(first, ",400,"));
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 12, 800);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        assert_string_equal(report_in(h, (int)cut + 1, "interval = 1us\nsafety = 1\nstretches = 64\n"), first);
    }
    tcfh_delete(h);
}

/* Three processes; clocks of the last two are 1000 behind. They are in it for 130, 110 and 35. */
static tcfh *one_collective(uint8_t op, uint64_t behind)
{
    tcfh *h = processes(3, 1);
    tcfh_collective(h, 0, 1100, 1230, op, 0, 0);
    tcfh_collective(h, 1, 1150 - behind, 1260 - behind, op, 0, 0);
    tcfh_collective(h, 2, 1210 - behind, 1245 - behind, op, 0, 0);
    return h;
}

static void collectives(void **state)
{
    static const struct {
        uint8_t op, class_;
        uint64_t right, wrong, targets; /* minimum delay with right and wrong clocks */
    } each[] = {
        /* 1230 - 1210; (35 + 110) / 4 */
        {OTF2_COLLECTIVE_OP_BARRIER, TCF_CLASS_BARRIER, 20, 36, 3},
        {OTF2_COLLECTIVE_OP_ALLREDUCE, TCF_CLASS_N_TO_N, 20, 36, 3},
        /* 1245 - 1100 */
        {OTF2_COLLECTIVE_OP_BCAST, TCF_CLASS_ONE_TO_N, 145, 0, 2},
        {OTF2_COLLECTIVE_OP_REDUCE, TCF_CLASS_N_TO_ONE, 20, 20, 1},
        /* min(1260 - 1100, 1245 - 1150) */
        {OTF2_COLLECTIVE_OP_SCAN, TCF_CLASS_SCAN, 95, 0, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        for (uint64_t behind = 0; behind <= 1000; behind += 1000) {
            tcfh *h = one_collective(each[i].op, behind);
            report(h, "");
            assert_int_equal(learned.n, 1);
            /* Reduce towards the process that is ahead: no violation, so what is seen is believed. */
            uint64_t seen = behind && each[i].class_ == TCF_CLASS_N_TO_ONE ? each[i].right + behind : each[i].right;
            uint64_t wrong = each[i].class_ == TCF_CLASS_N_TO_ONE ? seen : each[i].wrong;
            assert_learned(each[i].class_, TCF_SAME_NODE, behind ? wrong : seen, each[i].targets);
            tcfh_delete(h);
        }
}

/* The smallest round trip of all classes bounds those of each, and the smallest delay seen its own class. */
static void classes_bound_each_other(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_collective(h, 0, 1000, 1100, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    tcfh_collective(h, 1, 1060, 1104, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0); /* 1100 - 1060 = 40, 44 + 100 */
    tcfh_send(h, 0, 2000, 1, 7, 8);
    tcfh_receive(h, 1, 1960, 0, 7, 8);
    tcfh_send(h, 1, 1970, 0, 7, 8);
    tcfh_receive(h, 0, 2090, 1, 7, 8); /* -40 + 120 */
    report(h, "");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    assert_learned(TCF_CLASS_N_TO_N, TCF_SAME_NODE, 20, 2);
    report(h, "safety = 1\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 40, 2);
    assert_learned(TCF_CLASS_N_TO_N, TCF_SAME_NODE, 40, 2);
    tcfh_delete(h);
}

/* Who sends or gets nothing makes no round trip. */
static void members_without_data(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    static const uint64_t begin[] = {1100, 150, 210}, end[] = {1230, 260, 245}, sent[] = {8, 8, 0};
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_collective_begin(h, l, begin[l]);
        tcfh_collective_end(h, l, end[l], (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLTOALLV, 0, 0, sent[l], 8});
    }
    report(h, ""); /* 130 + 110 instead of 35 + 110 */
    assert_learned(TCF_CLASS_N_TO_N, TCF_SAME_NODE, 60, 3);
    tcfh_delete(h);
}

/* Edges within a process don't care for the clocks of others. A lock of its own binds nobody. */
static void threads(void **state)
{
    tcf_ev_thread_acquire_lock acquire = {.model = TCF_PARADIGM_OPENMP, .lock_id = 5, .acquisition_order = 1};
    tcf_ev_thread_release_lock release = {.model = TCF_PARADIGM_OPENMP, .lock_id = 5, .acquisition_order = 1};
    (void)state;
    for (uint64_t taken = 47; taken >= 37; taken -= 10) {
        tcfh *h = processes(2, 2);
        acquire.acquisition_order = release.acquisition_order = 1;
        tcfh_event(h, 0, 10, TCF_THREAD_ACQUIRE_LOCK, &acquire);
        tcfh_event(h, 0, 20, TCF_THREAD_RELEASE_LOCK, &release);
        acquire.acquisition_order = release.acquisition_order = 2;
        tcfh_event(h, 0, 21, TCF_THREAD_ACQUIRE_LOCK, &acquire);
        tcfh_event(h, 0, 40, TCF_THREAD_RELEASE_LOCK, &release);
        acquire.acquisition_order = 3;
        tcfh_event(h, 1, taken, TCF_THREAD_ACQUIRE_LOCK, &acquire);
        tcfh_send(h, 0, 100, 1, 7, 8);
        tcfh_receive(h, 2, 60, 0, 7, 8);
        report(h, "");
        assert_learned(TCF_CLASS_LOCK, TCF_SAME_PROCESS, taken == 47 ? 7 : 0, 1);
        assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 0, 1);
        tcfh_delete(h);
    }
}

/* Behind a correction it reports what holds there. */
static void in_the_main_chain(void **state)
{
    (void)state;
    tcfh *h = two_messages(100, 60, 70, 190);
    tcfh_run(h, "[pipeline]\nsurvey = mu_estimate\nchain = repair again told\n"
                "[mu_estimate]\noutput = ${SCRATCH}/mu.txt\n"
                "[again]\nfilter = mu_estimate\nformat = csv\noutput = ${SCRATCH}/again.csv\n");
    assert_learned(TCF_CLASS_P2P, TCF_SAME_NODE, 20, 2);
    assert_non_null(strstr(tcfh_text(h, "again.csv"), "\np2p,same_node,3e-08,30,observed,2,0,3e-08,1,8e-08,0,20\r\n"));
    tcfh_delete(h);
}

static void without_edges(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    uint32_t region = tcfh_region(h, "main");
    tcfh_enter(h, 0, 10, region);
    tcfh_leave(h, 0, 20, region);
    tcfh_send(h, 1, 10, 1, 1, 1); /* never received */
    report(h, "");
    assert_int_equal(learned.n, 0);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smallest_seen),
        cmocka_unit_test(no_smallest_where_partners_are_missing),
        cmocka_unit_test(what_holds_whatever_the_clocks_are),
        cmocka_unit_test(equal_times_are_no_violation),
        cmocka_unit_test(half_of_a_round_trip),
        cmocka_unit_test(clocks_far_apart),
        cmocka_unit_test(too_far_apart_in_time),
        cmocka_unit_test(impossible_round_trip),
        cmocka_unit_test(one_way_only),
        cmocka_unit_test(message_to_itself),
        cmocka_unit_test(more_stretches_than_room),
        cmocka_unit_test(collectives),
        cmocka_unit_test(classes_bound_each_other),
        cmocka_unit_test(members_without_data),
        cmocka_unit_test(threads),
        cmocka_unit_test(in_the_main_chain),
        cmocka_unit_test(without_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
