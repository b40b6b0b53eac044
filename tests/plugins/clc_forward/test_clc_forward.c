/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* clc_forward on small traces, against times worked out by hand from doc/clock-correction.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>

#include <tcflow/clocks.h>

#include "tests/support/harness.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CUTS = 6 };

static uint32_t work;

static tcfh *processes(uint32_t n, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, threads);
    work = tcfh_region(h, "work");
    return h;
}

/* An event that is no edge. */
static void plain(tcfh *h, uint32_t location, uint64_t time)
{
    tcfh_enter(h, location, time, work);
}

static void run(tcfh *h, const char *options)
{
    tcfh_run(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\noutput = ${SCRATCH}/report\noverwrite = yes\n%s",
             options);
}

#define TIMES(location, ...) TCFH_TIMES(h, location, __VA_ARGS__)

/* Runs with slices cut in many ways. */
#define IN_ALL_CUTS(h, options) for (uint64_t cut = 0; cut < CUTS && (tcfh_cut(h, cut), run(h, options), 1); cut++)

/* ----------------------------------------------------------------------------------------------------------- p2p -- */

static void receive_before_send(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    plain(h, 0, 90);
    tcfh_send(h, 0, 100, 1, 7, 8);
    plain(h, 0, 110);
    plain(h, 1, 20);
    tcfh_receive(h, 1, 60, 0, 7, 8);
    plain(h, 1, 70);
    plain(h, 1, 70);
    plain(h, 1, 71);
    plain(h, 1, 151);
    plain(h, 1, 200);
    IN_ALL_CUTS(h, "gamma = 0.5\n")
    {
        TIMES(0, 90, 100, 110);
        /* a tick behind the send, 101 + 10/2 = 106, equal times stay equal, 106 + max(1, 0) = 107, 107 + 80/2 < 151 */
        TIMES(1, 20, 101, 106, 106, 107, 151, 200);
    }
    IN_ALL_CUTS(h, "gamma = 0\nmu = 5 ticks\ndelta = 4 ticks\n")
    {
        TIMES(1, 20, 105, 109, 109, 110, 151, 200); /* min(delta, dC) a step */
    }
    IN_ALL_CUTS(h, "gamma = 1\n")
    {
        TIMES(1, 20, 101, 111, 111, 112, 192, 241);
    }
    IN_ALL_CUTS(h, "gamma = 0.99\nmu = 5ns\ndelta = 0\n")
    {
        TIMES(1, 20, 105, 114, 114, 114, 193, 241); /* 9.9, 0, 0.99, 79.2, 48.51: rounded down */
    }
    tcfh_delete(h);
}

static void report_counts(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_send(h, 0, 120, 1, 7, 8);
    tcfh_receive(h, 1, 60, 0, 7, 8);
    tcfh_receive(h, 1, 70, 0, 7, 8);
    plain(h, 1, 1000);
    run(h, "gamma = 1\nformat = csv\n");
    TIMES(1, 101, 121, 1051);
    const char *text = tcfh_text(h, "report");
    assert_non_null(strstr(text, "p2p,2,2,2,4.1e-08,5.1e-08,0"));           /* jumps of 41 and 10 */
    assert_non_null(strstr(text, ",3,3,2,4.1e-08,5.1e-08,5.1e-08,4.7666")); /* ahead by 41, 51, 51 */
    assert_non_null(strstr(text, ",5.1e-08,1\r\n"));
    tcfh_delete(h);
}

/* Equality is in order: nothing is touched, with mu equal to what is there, either. */
static void in_order_is_left_alone(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    for (uint64_t t = 0; t < 50; t++) {
        tcfh_send(h, 0, 10 * t, 1, 7, 8);
        plain(h, 0, 10 * t);
        tcfh_receive(h, 1, 10 * t + 3, 0, 7, 8);
        plain(h, 1, 10 * t + 3);
        tcfh_collective(h, 0, 10 * t + 3, 10 * t + 9, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, TCF_NONE);
        tcfh_collective(h, 1, 10 * t + 3, 10 * t + 9, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, TCF_NONE);
        tcfh_collective(h, 2, 10 * t + 6, 10 * t + 9, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, TCF_NONE);
    }
    IN_ALL_CUTS(h, "")
    tcfh_unchanged(h);
    IN_ALL_CUTS(h, "mu = 3 ticks\ngamma = auto\ndelta = 100 ticks\n")
    tcfh_unchanged(h);
    tcfh_delete(h);
}

static void twice_is_once(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3; k++) {
        static const char *const options[] = {"gamma = 0.9\ndelta = 3 ticks\n", "gamma = auto\ndecay = 50 ticks\n",
                                              "gamma = 0\nmu = 4 ticks\n"};
        tcfh *h = processes(2, 1);
        uint64_t t = 1000, step = 1;
        for (uint32_t i = 0; i < 200; i++, t += step = step * 5 % 37) {
            tcfh_send(h, 0, t, 1, 7, 8);
            tcfh_receive(h, 0, t + step % 3, 1, 7, 8);
            plain(h, 0, t + step % 3);
            tcfh_send(h, 1, t - 17 + i / 10, 0, 7, 8);
            tcfh_receive(h, 1, t - 16 + i / 10, 0, 7, 8);
        }
        size_t n;
        uint64_t once[2][600];
        run(h, options[k]);
        for (uint32_t l = 0; l < 2; l++) {
            const tcfh_out *out = tcfh_output(h, l, &n);
            for (size_t i = 0; i < n; i++)
                once[l][i] = out[i].time;
        }
        tcfh_clear(h);
        for (uint32_t l = 0; l < 2; l++)
            for (uint32_t i = 0, per = l == 0 ? 3 : 2; i < 200 * per; i++) {
                if (i % per == 2)
                    plain(h, l, once[l][i]);
                else if (i % per == 0)
                    tcfh_send(h, l, once[l][i], 1 - l, 7, 8);
                else
                    tcfh_receive(h, l, once[l][i], 1 - l, 7, 8);
            }
        run(h, options[k]);
        tcfh_unchanged(h);
        tcfh_delete(h);
    }
}

static void first_event_is_a_receive(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1); /* process 2 has no events */
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 1, 0, 0, 7, 8);
    plain(h, 1, 0);
    plain(h, 1, 40);
    IN_ALL_CUTS(h, "gamma = 0.5\n")
    TIMES(1, 101, 101, 121);
    tcfh_delete(h);
}

/* One clock is nine hours ahead of the other; ticks are nanoseconds. The slow one leaps once, and follows. */
static void hours_apart(void **state)
{
    (void)state;
    const uint64_t far = 9ull * 3600 * 1000000000;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, far, 1, 7, 8);
    tcfh_receive(h, 0, far + 5000000000, 1, 7, 8);
    tcfh_receive(h, 1, 10, 0, 7, 8);
    plain(h, 1, 10 + 4000000000); /* dC needs more than 32 bits behind this one */
    tcfh_send(h, 1, 10 + 9000000000, 0, 7, 8);
    IN_ALL_CUTS(h, "gamma = 0.5\nmu = 1us\n")
    {
        TIMES(1, far + 1000, far + 2000001000, far + 4500001000);
        TIMES(0, far, far + 5000000000);
    }
    tcfh_delete(h);
}

static void at_the_end_of_time(void **state)
{
    (void)state;
    const uint64_t end = UINT64_MAX;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, end - 11, 1, 7, 8);
    tcfh_receive(h, 1, end - 50, 0, 7, 8);
    plain(h, 1, end - 45);
    plain(h, 1, end - 40);
    run(h, "gamma = 1\n");
    TIMES(1, end - 10, end - 5, end);
    run(h, "gamma = 0.5\nmu = 4 ticks\n");
    TIMES(1, end - 7, end - 5, end - 3);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\nmu = 12 ticks\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "event 0 of location"));
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\nmu = 2 ticks\ngamma = 1\n"),
                     TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "event 2 of location"));
    tcfh_delete(h);
}

static void flush_moves(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, 99, 1, 7, 8);
    tcfh_event(h, 1, 10, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){30});
    tcfh_receive(h, 1, 60, 0, 7, 8);
    tcfh_event(h, 1, 70, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){90});  /* ahead by 35: ends at 105 + 10 */
    tcfh_event(h, 1, 90, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){190}); /* ahead by 25: less than 100 / 2 */
    tcfh_event(h, 1, 90, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){80});  /* ends before it begins */
    plain(h, 1, 300);
    IN_ALL_CUTS(h, "gamma = 0.5\n")
    {
        size_t n;
        TIMES(1, 10, 100, 105, 115, 115, 300);
        const tcfh_out *out = tcfh_output(h, 1, &n);
        assert_int_equal(out[0].rec.buffer_flush.stop_time, 30);
        assert_int_equal(out[2].rec.buffer_flush.stop_time, 115);
        assert_int_equal(out[3].rec.buffer_flush.stop_time, 190);
        assert_int_equal(out[4].rec.buffer_flush.stop_time, 105);
    }
    tcfh_delete(h);
}

static void unmatched_binds_nobody(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 1, 60, 0, 9, 8); /* another tag */
    run(h, "");
    tcfh_unchanged(h);
    tcfh_delete(h);
}

/* --------------------------------------------------------------------------------------------------- collectives -- */

/* Begins at 100, 50, 10, ends at 110, 60, 20: what the ends become. */
static void collective(uint8_t op, uint32_t root, uint64_t sent1, uint64_t received1, uint64_t a, uint64_t b,
                       uint64_t c)
{
    static const uint64_t begin[] = {100, 50, 10};
    tcfh *h = processes(3, 1);
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_collective_begin(h, l, begin[l]);
        tcfh_collective_end(h, l, begin[l] + 10,
                            (tcf_ev_mpi_collective_end){op, 0, root, l == 1 ? sent1 : 8, l == 1 ? received1 : 8});
    }
    IN_ALL_CUTS(h, "mu = 3 ticks\n")
    {
        TIMES(0, 100, a);
        TIMES(1, 50, b);
        TIMES(2, 10, c);
    }
    tcfh_delete(h);
}

static void every_class(void **state)
{
    (void)state;
    collective(OTF2_COLLECTIVE_OP_BARRIER, TCF_NONE, 0, 0, 110, 103, 103);
    collective(OTF2_COLLECTIVE_OP_ALLREDUCE, TCF_NONE, 8, 8, 110, 103, 103);
    collective(OTF2_COLLECTIVE_OP_BCAST, 1, 8, 8, 110, 60, 53);
    collective(OTF2_COLLECTIVE_OP_BCAST, 0, 8, 8, 110, 103, 103);
    collective(OTF2_COLLECTIVE_OP_REDUCE, 2, 8, 8, 110, 60, 103);
    collective(OTF2_COLLECTIVE_OP_SCAN, TCF_NONE, 8, 8, 110, 103, 103);
    collective(OTF2_COLLECTIVE_OP_EXSCAN, TCF_NONE, 8, 8, 110, 103, 103);
    collective(OTF2_COLLECTIVE_OP_CREATE_HANDLE, TCF_NONE, 0, 0, 110, 60, 20);
}

static void nothing_to_give_or_get(void **state)
{
    (void)state;
    collective(OTF2_COLLECTIVE_OP_ALLGATHERV, TCF_NONE, 8, 0, 110, 60, 103);
    collective(OTF2_COLLECTIVE_OP_SCATTERV, 0, 8, 0, 110, 60, 103);
    collective(OTF2_COLLECTIVE_OP_GATHERV, 2, 0, 8, 110, 60, 103);
    tcfh *h = processes(2, 1);
    tcfh_collective_begin(h, 0, 100); /* sends nothing, so nobody waits for it */
    tcfh_collective_end(h, 0, 110, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLTOALLV, 0, TCF_NONE, 0, 8});
    tcfh_collective_begin(h, 1, 50);
    tcfh_collective_end(h, 1, 60, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLTOALLV, 0, TCF_NONE, 8, 8});
    run(h, "");
    tcfh_unchanged(h);
    tcfh_delete(h);
}

static void scan_goes_up(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    static const uint64_t begin[] = {10, 100, 50};
    for (uint32_t l = 0; l < 3; l++)
        tcfh_collective(h, l, begin[l], begin[l] + 5, OTF2_COLLECTIVE_OP_SCAN, 0, TCF_NONE);
    run(h, "");
    TIMES(0, 10, 15);
    TIMES(1, 100, 105);
    TIMES(2, 50, 101);
    tcfh_delete(h);
}

/* A correction is handed on: 0 -> 1 -> 2. */
static void chain_of_messages(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 1, 50, 0, 7, 8);
    tcfh_send(h, 1, 60, 2, 7, 8);
    tcfh_receive(h, 2, 60, 1, 7, 8);
    plain(h, 2, 80);
    IN_ALL_CUTS(h, "gamma = 0.5\nmu = 2 ticks\n")
    {
        TIMES(1, 102, 107);
        TIMES(2, 109, 119);
    }
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

static void threads(void **state)
{
    (void)state;
    tcfh *h = processes(1, 3);
    uint32_t team = tcfh_team(h, 3, (const uint32_t[]){0, 1, 2});
    static const uint64_t begin[] = {100, 40, 160}, end[] = {200, 260, 180};
    tcfh_event(h, 0, 95, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_event(h, l, begin[l], TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, l, end[l], TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    tcfh_event(h, 0, 210, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    IN_ALL_CUTS(h, "mu = 7 ticks\ngamma = 1\n")
    { /* a given mu is for messages and collectives */
        TIMES(1, 96, 316);
        TIMES(2, 160, 180);
        TIMES(0, 95, 100, 200, 317);
    }
    tcfh_delete(h);
}

/* A communicator of MPI is no team: its members are threads of other processes, which this fork hasn't started. */
static void a_team_of_processes(void **state)
{
    (void)state;
    tcfh *h = processes(2, 2);
    uint32_t world = tcfh_comm(h, "all", 2, (const uint32_t[]){0, 1});
    tcfh_event(h, 0, 95, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
    for (uint32_t l = 0; l < 4; l++) {
        tcfh_event(h, l, l == 0 ? 100 : 40, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){world});
        tcfh_event(h, l, 200, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){world});
    }
    tcfh_event(h, 0, 210, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    IN_ALL_CUTS(h, "gamma = 1\n")
    {
        TIMES(0, 95, 100, 200, 210);
        for (uint32_t l = 1; l < 4; l++)
            TIMES(l, 40, 200);
    }
    tcfh_delete(h);
}

/* The team's id has been defined by another process, too, and that definition counts: what is forked there binds
 * nobody, nor does any other fork by a thread that is no member. */
static void a_team_of_another_process(void **state)
{
    (void)state;
    tcfh *h = processes(2, 3);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){1, 2});
    for (uint32_t process = 0; process < 2; process++) {
        uint64_t fork = process == 0 ? 50 : 95;
        tcfh_event(h, 3 * process, fork, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
        tcfh_event(h, 3 * process, fork, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        for (uint32_t l = 1; l < 3; l++)
            tcfh_event(h, 3 * process + l, 40, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    }
    IN_ALL_CUTS(h, "gamma = 1\n")
    {
        TIMES(0, 50, 50);
        TIMES(1, 40);
        TIMES(2, 40);
        TIMES(3, 95, 95);
        TIMES(4, 40);
        TIMES(5, 40);
    }
    tcfh_delete(h);
}

/* A fork whose team begin comes more than the look-ahead behind it is none, however slices are cut. */
static void a_fork_too_far(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (const uint32_t[]){0, 1});
    tcfh_event(h, 0, 95, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
    for (uint32_t i = 0; i < 5; i++)
        plain(h, 0, 96 + i);
    tcfh_event(h, 0, 110, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    tcfh_event(h, 1, 40, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    for (uint32_t slice = 0; slice <= 8; slice++)
        for (uint32_t lookahead = 5; lookahead <= 6; lookahead++) {
            tcfh_run(h,
                     "[pipeline]\nchain = clc_forward\nslice = %u\nlookahead = %u\n[clc_forward]\n"
                     "output = ${SCRATCH}/report\noverwrite = yes\n",
                     slice, lookahead);
            TIMES(1, lookahead < 6 ? 40 : 96);
        }
    tcfh_delete(h);
}

/* A lock goes from 0 to 1, back to 0, and to 0 again, which waits for itself and so for nobody. */
static void locks(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    static const struct {
        uint32_t location;
        uint64_t acquired, released;
    } turns[] = {{0, 10, 100}, {1, 50, 60}, {0, 105, 120}, {0, 120, 130}};
    for (uint32_t k = 0; k < COUNT(turns); k++) {
        tcfh_event(h, turns[k].location, turns[k].acquired, TCF_THREAD_ACQUIRE_LOCK,
                   &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, k + 1});
        tcfh_event(h, turns[k].location, turns[k].released, TCF_THREAD_RELEASE_LOCK,
                   &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, 1, k + 1});
    }
    run(h, "gamma = 1\nformat = csv\n");
    TIMES(1, 101, 111);
    TIMES(0, 10, 100, 112, 127, 127, 137);
    assert_non_null(strstr(tcfh_text(h, "report"), "lock,2,2,2,"));
    tcfh_delete(h);
}

/* ---------------------------------------------------------------------------------------------- what was learned -- */

static tcf_status teach_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self, (void)s, (void)from, (void)to;
    return TCF_OK;
}

static tcf_status teach_end(tcf_self *self)
{
    static const tcf_minimum_delay delays[] = {
        {.ticks = 4, .samples = 1, .class_ = TCF_CLASS_P2P, .distance = TCF_OTHER_NODE},
        {.ticks = 4, .samples = 1, .class_ = TCF_CLASS_P2P, .distance = TCF_SAME_NODE},
        {.ticks = 9, .samples = 1, .class_ = TCF_CLASS_P2P, .distance = TCF_SAME_PROCESS},
        {.ticks = 2, .samples = 1, .class_ = TCF_CLASS_LOCK, .distance = TCF_SAME_PROCESS},
    };
    return self->host->learn(self, TCF_MINIMUM_DELAYS, sizeof delays[0], delays, COUNT(delays));
}

static const tcf_filter teach = {
    .head = TCF_FILTER_HEAD,
    .name = "teach",
    .version = "1",
    .summary = "Pretends to have measured delays",
    .can = TCF_CAN_SURVEY,
    .span = teach_span,
    .end = teach_end,
};

static void learned_delays(void **state)
{
    (void)state;
    tcfh *h = processes(2, 2);
    tcfh_filter(h, &teach);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 2, 60, 0, 7, 8);
    tcfh_event(h, 1, 10, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 1, 20, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 0, 101, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, 2});
    tcfh_run(h, "[pipeline]\nsurvey = teach\nchain = clc_forward\n[clc_forward]\noutput = ${SCRATCH}/r\n");
    TIMES(2, 104);
    TIMES(0, 100, 101);
    tcfh_run(h, "[pipeline]\nsurvey = teach\nchain = clc_forward\n"
                "[clc_forward]\nmu = 20 ticks\noutput = ${SCRATCH}/r\noverwrite = yes\n");
    TIMES(2, 120);
    TIMES(0, 100, 101);
    tcfh_delete(h);
}

/* Error bars of 1, 2 and `third` ticks, and a filter that says that it has brought the clocks together. */
static double third;

static tcf_status estimate_end(tcf_self *self)
{
    const tcf_clock_source clocks[] = {{.location = 0, .error = 1},
                                       {.location = 1, .error = 2},
                                       {.location = 2, .error = third}};
    return self->host->learn(self, TCF_CLOCK_SOURCES, sizeof clocks[0], clocks, COUNT(clocks));
}

static const tcf_filter estimate = {
    .head = TCF_FILTER_HEAD,
    .name = "estimate",
    .version = "1",
    .summary = "Pretends to know clocks",
    .can = TCF_CAN_SURVEY,
    .span = teach_span,
    .end = estimate_end,
};

static tcf_status apply_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_filter apply = {
    .head = TCF_FILTER_HEAD,
    .name = "apply",
    .version = "1",
    .summary = "Pretends to correct clocks",
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .slice = apply_slice,
};

/* A message may break the clock condition by 10 * (1 + 2) ticks, the end of a collective on location 1 by 10 * (2 + 5).
 * What breaks it by a tick more is left as it is, unless all edges are to be believed, or bars are unknown. */
static void beyond_belief(void **state)
{
    (void)state;
    static const struct {
        const char *chain, *disbelief;
        double third;
        uint64_t message, end; /* by how much each breaks the condition */
        uint64_t becomes[2];   /* from 1000 and 2000 */
        const char *row[2];
    } cases[] = {
        {"apply clc_forward", "10", 5, 30, 70, {1031, 2071}, {"classes,p2p,1,1,1,", "classes,n_to_n,2,1,1,"}},
        {"apply clc_forward",
         "10",
         5,
         31,
         71,
         {1000, 2000},
         {"classes,p2p,0,0,0,0,0,0,1,3.1e-08", "classes,n_to_n,1,0,0,0,0,0,1,7.1e-08"}},
        {"apply clc_forward", "0", 5, 31, 71, {1032, 2072}, {"classes,p2p,1,1,1,", "classes,n_to_n,2,1,1,"}},
        {"apply clc_forward",
         "10",
         INFINITY,
         31,
         71,
         {1000, 2072},
         {"classes,p2p,0,0,0,0,0,0,1,3.1e-08", "classes,n_to_n,2,1,1,"}},
        {"clc_forward", "10", 5, 31, 71, {1032, 2072}, {"classes,p2p,1,1,1,", "classes,n_to_n,2,1,1,"}},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        tcfh *h = processes(3, 1);
        tcfh_filter(h, &estimate);
        tcfh_filter(h, &apply);
        third = cases[k].third;
        uint32_t two = tcfh_comm(h, "two", 2, (const uint32_t[]){1, 2});
        tcfh_send(h, 0, 1000 + cases[k].message, 1, 7, 8);
        tcfh_receive(h, 1, 1000, 0, 7, 8);
        tcfh_collective(h, 1, 1990, 2000, OTF2_COLLECTIVE_OP_ALLREDUCE, two, TCF_NONE);
        tcfh_collective(h, 2, 2000 + cases[k].end, 2900, OTF2_COLLECTIVE_OP_ALLREDUCE, two, TCF_NONE);
        for (uint64_t cut = 0; cut < CUTS; cut++) {
            tcfh_cut(h, cut);
            tcfh_run(h,
                     "[pipeline]\nsurvey = estimate\nchain = %s\n[clc_forward]\ndisbelief = %s\ngamma = 0\n"
                     "output = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n",
                     cases[k].chain, cases[k].disbelief);
            TIMES(1, cases[k].becomes[0], 1990, cases[k].becomes[1]);
            harness_has(tcfh_text(h, "report"), cases[k].row[0], "");
            harness_has(tcfh_text(h, "report"), cases[k].row[1], "");
        }
        tcfh_delete(h);
    }
}

/* ------------------------------------------------------------------------------------------------- column, gamma -- */

static struct {
    tcf_jump target[8], other[8];
    uint32_t n_targets, n_others;
} seen;

static tcf_status look_slice(tcf_self *self, tcf_slice *s)
{
    const tcf_jump *jump = s->columns[self->host->column(self, TCF_JUMP)];
    for (uint32_t k = 0; k < s->n_edges && s->location == 1; k++) {
        if (s->edges[k].flags & TCF_EDGE_TARGET)
            seen.target[seen.n_targets++ % 8] = jump[k];
        else
            seen.other[seen.n_others++ % 8] = jump[k];
    }
    return TCF_OK;
}

static const tcf_named_column jump_column[] = {{.name = TCF_JUMP, .bytes = sizeof(tcf_jump), .at_edges = 1}};

static const tcf_filter look = {
    .head = TCF_FILTER_HEAD,
    .name = "look",
    .version = "1",
    .summary = "Looks at jumps",
    .needs = TCF_NEED_EDGES,
    .required = TCF_ROWS(jump_column),
    .slice = look_slice,
};

static void jumps_are_noted(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    tcfh_filter(h, &look);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_send(h, 0, 120, 1, 7, 8);
    tcfh_send(h, 0, 121, 1, 7, 8);
    tcfh_receive(h, 1, 50, 0, 7, 8);
    tcfh_receive(h, 1, 60, 0, 7, 8);  /* ahead: at 103 + 5 it would be too early by 15 */
    tcfh_receive(h, 1, 70, 0, 7, 8);  /* ahead: 123 + 5 is late enough */
    tcfh_receive(h, 1, 300, 0, 5, 8); /* has no partner */
    tcfh_send(h, 1, 301, 0, 7, 8);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        memset(&seen, 0, sizeof seen);
        tcfh_run(h, "[pipeline]\nchain = clc_forward look\n"
                    "[clc_forward]\ngamma = 0.5\nmu = 3 ticks\noutput = ${SCRATCH}/r\noverwrite = yes\n");
        static const tcf_jump expected[] = {{53, 100}, {15, 120}, {0, 125}, {0, UINT64_MAX}}, source = {0, 3};
        assert_int_equal(seen.n_targets, 4);
        assert_memory_equal(seen.target, expected, sizeof expected);
        assert_int_equal(seen.n_others, 1);
        assert_memory_equal(seen.other, &source, sizeof source);
    }
    tcfh_delete(h);
}

/* gamma = auto: the correction is gone after `decay`, whatever its size up to half of that. */
static void automatic_gamma(void **state)
{
    (void)state;
    for (uint64_t jump = 1; jump <= 500; jump = jump * 3 + 1) {
        tcfh *h = processes(2, 1);
        tcfh_send(h, 0, 1000 + jump, 1, 7, 8);
        tcfh_receive(h, 1, 1000, 0, 7, 8);
        for (uint64_t t = 1010; t <= 2500; t += 10)
            plain(h, 1, t);
        run(h, "gamma = auto\ndecay = 1000 ticks\n");
        size_t n;
        const tcfh_out *out = tcfh_output(h, 1, &n);
        assert_int_equal(out[0].time, 1000 + jump + 1);
        assert_true(jump < 8 || out[1].time > 1010);
        for (size_t i = 1; i < n; i++) {
            assert_true(out[i].time >= 1000 + 10 * i && out[i].time - out[i - 1].time >= 4);
            assert_true(i < 100 || out[i].time == 1000 + 10 * i);
        }
        tcfh_delete(h);
    }
}

/* Two clocks that drift apart by 1 % and talk all the time: nothing adds up. Ticks are nanoseconds. */
static void no_avalanche(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    for (uint64_t i = 1; i <= 3000; i++) {
        uint64_t t = i * 1000, fast = i < 1500 ? t + t / 100 : t + 30000 - t / 100; /* first fast, then slow */
        tcfh_send(h, 0, fast, 1, 7, 8);
        tcfh_receive(h, 0, fast + 100, 1, 7, 8);
        tcfh_send(h, 1, t, 0, 7, 8);
        tcfh_receive(h, 1, t + 100, 0, 7, 8);
    }
    run(h, "gamma = auto\ndecay = 1ms\n");
    for (uint32_t l = 0; l < 2; l++) {
        size_t n;
        const tcfh_out *out = tcfh_output(h, l, &n);
        uint64_t most = 0;
        for (size_t i = 0; i < n; i++) {
            uint64_t k = i / 2 + 1, t = k * 1000;
            uint64_t was = (l == 1 ? t : k < 1500 ? t + t / 100 : t + 30000 - t / 100) + 100 * (i % 2);
            most = out[i].time - was > most ? out[i].time - was : most;
        }
        assert_true(most <= 15100); /* as far as the clocks are ever apart, plus a message */
    }
    tcfh_delete(h);
}

/* Those of all durations. */
static void units_of_mu(void **state)
{
    (void)state;
    static const struct {
        const char *mu;
        uint64_t ticks;
    } units[] = {{"5000ps", 5},
                 {"5ns", 5},
                 {"0.25us", 250},
                 {"0.25 \xc2\xb5s", 250},
                 {"1.5 ms", 1500000},
                 {"2s", 2000000000},
                 {"1min", 60000000000},
                 {"24h", 86400000000000},
                 {"7ticks", 7},
                 {"1000000000000000 ticks", 1000000000000000},
                 {"0", 0}};
    tcfh *h = processes(2, 1);
    tcfh_send(h, 0, 100, 1, 7, 8);
    tcfh_receive(h, 1, 60, 0, 7, 8);
    for (size_t i = 0; i < COUNT(units); i++) {
        char options[64];
        snprintf(options, sizeof options, "mu = %s\n", units[i].mu);
        run(h, options);
        TIMES(1, 100 + (units[i].ticks > 0 ? units[i].ticks : 1));
    }
    tcfh_delete(h);
}

static void bad_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *option, *says;
    } bad[] = {
        {"mu = soon", "mu = soon: expected auto, or a duration"},
        {"mu = 3 parsec", "expected auto, or a duration"},
        {"mu = 5", "expected auto, or a duration"},
        {"mu = -1us", "expected auto, or a duration"},
        {"mu = 25h", "mu = 25h: expected auto, or a duration of at most 24h or 10^15 ticks"},
        {"mu = 300000000000s", "expected auto, or a duration of at most 24h"},
        {"mu = 2000000000000000 ticks", "expected auto, or a duration of at most 24h"},
        {"mu = 100000000000000000000000 ticks", "expected auto, or a duration of at most 24h"},
        {"gamma = 1.01", "gamma = 1.01: expected auto, or a number"},
        {"gamma = fast", "expected auto, or a number"},
        {"gamma = 0.5x", "expected auto, or a number"},
        {"gamma = -0.1", "expected auto, or a number"},
    };
    tcfh *h = processes(1, 1);
    plain(h, 0, 1);
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\n%s\n", bad[i].option), TCF_ERROR);
        if (!strstr(tcfh_error(h), bad[i].says))
            fail_msg("'%s' is not in: %s", bad[i].says, tcfh_error(h));
    }
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_before_send),
        cmocka_unit_test(report_counts),
        cmocka_unit_test(in_order_is_left_alone),
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(first_event_is_a_receive),
        cmocka_unit_test(hours_apart),
        cmocka_unit_test(at_the_end_of_time),
        cmocka_unit_test(flush_moves),
        cmocka_unit_test(unmatched_binds_nobody),
        cmocka_unit_test(every_class),
        cmocka_unit_test(nothing_to_give_or_get),
        cmocka_unit_test(scan_goes_up),
        cmocka_unit_test(chain_of_messages),
        cmocka_unit_test(threads),
        cmocka_unit_test(a_team_of_processes),
        cmocka_unit_test(a_team_of_another_process),
        cmocka_unit_test(a_fork_too_far),
        cmocka_unit_test(locks),
        cmocka_unit_test(learned_delays),
        cmocka_unit_test(beyond_belief),
        cmocka_unit_test(jumps_are_noted),
        cmocka_unit_test(automatic_gamma),
        cmocka_unit_test(no_avalanche),
        cmocka_unit_test(units_of_mu),
        cmocka_unit_test(bad_parameters),
    };
    return cmocka_run_group_tests_name("clc_forward", tests, NULL, NULL);
}
