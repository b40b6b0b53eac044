/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* diagnosis on small traces: costs worked out by hand, what isn't told twice, what is not certain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <string.h>
#include <tcflow/clocks.h>

#include "tests/support/harness.h"

/* Filters that say how uncertain the clocks of all locations are. */
static tcf_status learn(tcf_self *self, double likely)
{
    tcf_clock_source sources[8];
    const uint32_t n = self->defs->n_locations;
    assert_true(n <= TCF_COUNT(sources));
    for (uint32_t l = 0; l < n; l++)
        sources[l] = (tcf_clock_source){.location = l, .error = 100, .likely = likely, .origin = TCF_CLOCK_MESSAGES};
    return self->host->learn(self, TCF_CLOCK_SOURCES, sizeof *sources, sources, n);
}

static tcf_status bars_begin(tcf_self *self)
{
    return learn(self, 30);
}

static tcf_status equal_begin(tcf_self *self)
{
    return learn(self, 0);
}

static tcf_status bars_slice(tcf_self *self, tcf_slice *s)
{
    (void)self;
    (void)s;
    return TCF_OK;
}

static const tcf_filter bars = {
    .head = TCF_FILTER_HEAD,
    .name = "bars",
    .version = "1.0",
    .summary = "Clocks that are off by 30 ticks",
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .can = TCF_CAN_SURVEY,
    .slice = bars_slice,
    .begin = bars_begin,
};

static const tcf_filter equal = {
    .head = TCF_FILTER_HEAD,
    .name = "equal",
    .version = "1.0",
    .summary = "Clocks that are one",
    .writes = TCF_WRITES_TIME | TCF_WRITES_CLOCK,
    .can = TCF_CAN_SURVEY,
    .slice = bars_slice,
    .begin = equal_begin,
};

#define CHAIN "wait_states root_cause efficiency profile load_imbalance message_histogram diagnosis"

static const char *diagnose(tcfh *h, const char *first, const char *parameters)
{
    tcfh_run(h,
             "[pipeline]\nchain = %s " CHAIN "\nreports = diagnosis\n[root_cause]\nby_location = yes\n[diagnosis]\n"
             "output = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n%s",
             first, parameters);
    return tcfh_text(h, "report");
}

/* With the main loop from a survey. */
static const char *diagnose_steps(tcfh *h)
{
    tcfh_run(h, "[pipeline]\nsurvey = iterations\nchain = " CHAIN
                "\nreports = diagnosis\n[root_cause]\nby_location = yes\n"
                "[diagnosis]\noutput = ${SCRATCH}/report\noverwrite = yes\nformat = csv\n");
    return tcfh_text(h, "report");
}

/* There is a finding of this rank and rule, with this text in its line. */
static void finds(const char *text, int rank, const char *rule, const char *words)
{
    char begin[64];
    snprintf(begin, sizeof begin, "\n%d,%s,", rank, rule);
    const char *line = strstr(text, begin), *end = line ? strchr(line + 1, '\n') : NULL;
    const char *at = line ? strstr(line, words) : NULL;
    if (!at || (end && at > end))
        fail_msg("no finding %s...%s in:\n%s", begin + 1, words, text);
}

enum { EACH = -1, MOSTLY_2 = -2 };

/* In each of `rounds` rounds of 1000 ticks one rank computes for `longer` ticks, the others for `shorter`, and all meet
 * in a barrier. The rank is `who`, or each in turn (EACH), or rank 2, but in each fourth round rank 0 (MOSTLY_2). */
static void meet(tcfh *h, uint32_t ranks, uint32_t rounds, int who, uint64_t longer, uint64_t shorter)
{
    const uint32_t main_ = tcfh_region(h, "main"), work = tcfh_region(h, "work"),
                   barrier = tcfh_region(h, "MPI_Barrier");
    for (uint32_t l = 0; l < ranks; l++) {
        tcfh_enter(h, l, 0, main_);
        for (uint32_t k = 0; k < rounds; k++) {
            const uint32_t slow = who >= 0 ? (uint32_t)who : who == EACH ? k % ranks : k % 4 == 3 ? 0 : 2;
            const uint64_t t = 1000ull * k, until = t + (l == slow ? longer : shorter);
            tcfh_enter(h, l, t, work);
            tcfh_leave(h, l, until, work);
            tcfh_enter(h, l, until, barrier);
            tcfh_collective(h, l, until, t + 1000, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
            tcfh_leave(h, l, t + 1000, barrier);
        }
        tcfh_leave(h, l, 1000ull * rounds, main_);
    }
}

/* Rank 2 of 4 computes 1000 of 1000 ticks, the others 600: (1000 - 700) x 4 of 4000 in each round, 30 %. The barrier's
 * waits are just that, and no finding of their own. */
static void one_is_slow(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    meet(h, 4, 40, 2, 1000, 600);
    const char *text = diagnose(h, "", "");
    finds(text, 0, "verdict", "Parallel efficiency is 70 %");
    finds(text, 1, "load_imbalance", "costs 30 % of the processes' time (48.0 us): rank 2 computes 1.43 times");
    finds(text, 1, "load_imbalance", "`main/work` on rank 2");
    finds(text, 1, "load_imbalance", "Wait at Barrier 30 %");
    finds(text, 1, "load_imbalance", "efficiency_efficiency_processes,rank = 2");
    harness_no_line(text, "2,");
    finds(diagnose(h, "", "least = 31\n"), 0, "nothing", "Nothing stands out");
    tcfh_delete(h);
}

/* Ranks 1 and 2 of 4 are slow alike: 1 computes for 900 ticks, 2 for 890, and is in MPI for another 20. So all wait for
 * 2, and 1, which computes most, causes nothing. */
static void two_are_slow(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    const uint32_t work = tcfh_region(h, "work"), barrier = tcfh_region(h, "MPI_Barrier"),
                   type = tcfh_region(h, "MPI_Type_commit"), send = tcfh_region(h, "MPI_Send"),
                   receive = tcfh_region(h, "MPI_Recv");
    for (uint32_t l = 0; l < 4; l++)
        for (uint64_t t = 0; t < 40000; t += 1000) {
            const int message = t == 0 && l % 3 == 0; /* one, from 3 to 0, which waits for 8 ticks */
            uint64_t now = t + (l == 1 ? 900 : l == 2 ? 890 : message ? (l == 3 ? 598 : 590) : 600);
            tcfh_enter(h, l, t, work);
            tcfh_leave(h, l, now, work);
            if (l == 2) {
                tcfh_enter(h, l, now, type);
                tcfh_leave(h, l, now += 20, type);
            }
            if (message) {
                tcfh_enter(h, l, now, l == 3 ? send : receive);
                if (l == 3)
                    tcfh_send(h, l, 599, 0, 7, 8);
                else
                    tcfh_receive(h, l, 600, 3, 7, 8);
                tcfh_leave(h, l, now = 600, l == 3 ? send : receive);
            }
            tcfh_enter(h, l, now, barrier);
            tcfh_collective(h, l, now, t + 910, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
            tcfh_leave(h, l, t + 910, barrier);
        }
    const char *text = diagnose(h, "", "");
    finds(text, 1, "load_imbalance",
          "rank 1 computes 1.18 times as long as the mean, and 1 other nearly as long, in `work` on rank 2");
    finds(text, 1, "load_imbalance", "; the others wait (Wait at Barrier 16 %)."); /* of that Late Sender is no part */
    finds(text, 1, "load_imbalance", ",rank 1 and 1 other,");
    tcfh_delete(h);
}

/* One computation, of 400, 600, ... 1000 ticks, and one barrier: the later, the fewer compute, yet nothing grows. */
static void one_meeting(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    const uint32_t work = tcfh_region(h, "work"), barrier = tcfh_region(h, "MPI_Barrier");
    for (uint32_t l = 0; l < 4; l++) {
        const uint64_t until = 400 + 200 * l;
        tcfh_enter(h, l, 0, work);
        tcfh_leave(h, l, until, work);
        tcfh_enter(h, l, until, barrier);
        tcfh_collective(h, l, until, 1000, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
        tcfh_leave(h, l, 1000, barrier);
    }
    finds(diagnose(h, "", ""), 1, "load_imbalance",
          "Load imbalance costs 30 % of the processes' time (1.20 us): rank 3");
    tcfh_delete(h);
}

/* Each is slow in turn: none has more to do than others, and still 30 % are lost. */
static void each_in_turn(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    meet(h, 4, 40, EACH, 1000, 600);
    const char *text = diagnose(h, "", "");
    finds(text, 1, "varying_load", "Wait at Barrier costs 30 % of the processes' time (48.0 us)");
    finds(text, 1, "varying_load", "pattern = 'mpi_barrier_wait'");
    harness_no_line(text, "2,");
    tcfh_delete(h);
}

/* Useful are 900, 700, 600 and 600 of 1000: 4 x (900 - 700) of 4000 are imbalance. The 30 % of waiting are 10 more. */
static void some_of_it_is_told_above(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    meet(h, 4, 40, MOSTLY_2, 1000, 600);
    const char *text = diagnose(h, "", "");
    finds(text, 1, "load_imbalance", "costs 20 % of the processes' time (32.0 us): rank 2");
    finds(text, 2, "barrier", "costs 10 % of the processes' time (16.0 us; 48.0 us with what other findings tell)");
    tcfh_delete(h);
}

/* What is known of the clocks is told as what it is. */
static void how_well_clocks_agree(void **state)
{
    static const char *const said[][2] = {{"", "how well the clocks agree is unknown"},
                                          {"bars", "clocks are off by no more than 30.0 ns"},
                                          {"equal", "the processes have one clock"}};
    (void)state;
    tcfh *h = harness_new();
    tcfh_filter(h, &bars);
    tcfh_filter(h, &equal);
    tcfh_processes(h, 4, 1);
    meet(h, 4, 40, EACH, 1000, 600);
    for (size_t i = 0; i < TCF_COUNT(said); i++)
        finds(diagnose(h, said[i][0], ""), 1, "varying_load", said[i][1]);
    tcfh_delete(h);
}

/* The same with waits of 20 ticks, which clocks that are off by 30 could have made up. Waits of 40 are certain. */
static void shorter_than_the_error(void **state)
{
    (void)state;
    for (int certain = 0; certain < 2; certain++) {
        tcfh *h = harness_new();
        tcfh_filter(h, &bars);
        tcfh_processes(h, 4, 1);
        meet(h, 4, 40, EACH, 1000, certain ? 960 : 980);
        finds(diagnose(h, "", "least = 1\n"), 1, "varying_load", "Wait at Barrier");
        const char *text = diagnose(h, "bars", "least = 1\n");
        if (certain)
            finds(text, 1, "varying_load", "Wait at Barrier");
        else
            finds(text, 0, "nothing", "Nothing stands out");
        tcfh_delete(h);
    }
}

/* Twelve steps of 112 in two processes. In `slow` of them, from number 7 on, process 1 computes `longer` instead of
 * 100: these steps take longer / 100 times as long or so, and the other process waits. Then all have less to do there,
 * and nothing stands out. */
static const char *steps(tcfh *h, uint64_t longer, int slow)
{
    tcfh_processes(h, 2, 1);
    const uint32_t step = tcfh_region(h, "step"), barrier = tcfh_region(h, "MPI_Barrier");
    for (uint32_t l = 0; l < 2; l++) {
        uint64_t now = 1000;
        for (int i = 0; i <= 12; i++) {
            const int is_slow = i >= 7 && i < 7 + slow;
            const uint64_t longest = is_slow && longer > 100 ? longer : 100, own = is_slow && l == 1 ? longer : 100;
            tcfh_enter(h, l, now, step);
            tcfh_enter(h, l, now + own, barrier);
            tcfh_collective(h, l, now + own, now + longest + 12, OTF2_COLLECTIVE_OP_BARRIER, 0,
                            OTF2_COLLECTIVE_ROOT_NONE);
            tcfh_leave(h, l, now + longest + 12, barrier);
            tcfh_leave(h, l, now + longest + 12, step);
            now += longest + 12;
        }
    }
    return diagnose_steps(h);
}

static void one_step_stands_out(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    const char *text = steps(h, 500, 1);
    /* Useful: 300 on average of 512 ticks. 500 / 512 is what computation takes of it, so the network has no part. */
    finds(text, 0, "verdict", "Iteration 7 of 12 stands out: it takes 512 ns, 4.6 times as long as the median one");
    finds(text, 0, "verdict", "parallel efficiency is 59 % there (load balance 60 %).");
    tcfh_delete(h);
    h = harness_new();
    finds(steps(h, 500, 3), 0, "verdict", "Iteration 7 of 12 stands out (and 2 others): it takes 512 ns, 4.6 times");
    tcfh_delete(h);
    h = harness_new();
    text = steps(h, 130, 1);
    assert_null(strstr(text, "stands out:"));
    tcfh_delete(h);
}

/* A master with many short iterations, and a worker with few long ones: they lie in the first range of the master's
 * alone, or in some of its ranges. */
static void other_numbers_of_iterations(void **state)
{
    (void)state;
    for (uint64_t few = 5; few <= 40; few += 35) {
        tcfh *h = harness_new();
        tcfh_processes(h, 2, 1);
        const uint32_t task = tcfh_region(h, "task");
        const struct {
            uint64_t n, each;
        } of[] = {{160, 100}, {few, 16000 / few}};
        for (uint32_t l = 0; l < 2; l++)
            for (uint64_t i = 0; i <= of[l].n; i++) {
                tcfh_enter(h, l, 1000 + of[l].each * i, task);
                tcfh_leave(h, l, 1000 + of[l].each * (i + 1) - 10, task);
            }
        const char *text = diagnose_steps(h);
        if (strstr(text, "Iterations"))
            fail_msg("iterations of which one process has far fewer stand out:\n%s", text);
        tcfh_delete(h);
    }
}

/* The imbalance begins with the program, though the first bin of time lies partly before it. */
static void begins_with_the_program(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    const char *text = steps(h, 3000, 1);
    double begin = -1, end = -1;
    const char *row = strstr(text, "\n1,");
    assert_non_null(row);
    const char *at = strstr(row, "efficiency_efficiency_processes,");
    assert_non_null(at);
    at = strchr(at, ',') + 1;
    at = strchr(at, ',') + 1;
    assert_int_equal(sscanf(at, "%lf,%lf", &begin, &end), 2);
    /* 12 steps of 112 ticks and one of 3012, from 1000 on. */
    assert_true(begin >= 1000e-9 - 1e-12 && begin < end && end <= 5356e-9 + 1e-12);
    tcfh_delete(h);
}

/* Two processes of two threads: MPI_Init for 600 ticks, a team for 200, 200 of the first thread alone, MPI_Finalize for
 * 400. The second thread is idle for 1200 of them, and for 200 of 2 x 400 in the program. */
static void idle_in_the_program(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 2);
    const uint32_t work = tcfh_region(h, "work"), init = tcfh_region(h, "MPI_Init"),
                   exit_ = tcfh_region(h, "MPI_Finalize");
    for (uint32_t first = 0; first < 4; first += 2) {
        const uint32_t team = tcfh_team(h, 2, (uint32_t[]){first, first + 1});
        tcfh_enter(h, first, 0, init);
        tcfh_leave(h, first, 600, init);
        tcfh_enter(h, first, 600, work);
        tcfh_event(h, first, 600, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
        for (uint32_t l = first; l < first + 2; l++) {
            tcfh_event(h, l, 600, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
            tcfh_enter(h, l, 600, work);
            tcfh_leave(h, l, 800, work);
            tcfh_event(h, l, 800, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
        }
        tcfh_event(h, first, 800, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
        tcfh_leave(h, first, 1000, work);
        tcfh_enter(h, first, 1000, exit_);
        tcfh_leave(h, first, 1400, exit_);
    }
    const char *text = diagnose(h, "", "");
    finds(text, 1, "start", "takes 71 % of the run (1.00 us of 1.40 us)");
    finds(text, 2, "idle_threads", "Idleness of threads costs 25 % of the threads' time (400 ns)");
    tcfh_delete(h);
}

/* Of 1000 ticks two processes are in calls for accelerators for 400: 300 of each wait. */
static void accelerators(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t main_ = tcfh_region(h, "main"), spin = tcfh_region(h, "cuCtxSynchronize"),
                   launch = tcfh_region_as(h, "launch", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, main_);
        tcfh_enter(h, l, 100, launch);
        tcfh_leave(h, l, 200, launch);
        tcfh_enter(h, l, 500, spin);
        tcfh_leave(h, l, 800, spin);
        tcfh_leave(h, l, 1000, main_);
    }
    const char *text = diagnose(h, "", "");
    finds(text, 1, "accelerator", "takes 40 % of the processes' time (800 ns): `cuCtxSynchronize` takes 600 ns of it.");
    finds(text, 1, "accelerator", "efficiency_efficiency_accelerators,region_id = ");
    tcfh_delete(h);
}

/* One process, whose second thread computes for 250 of the 1000 ticks of the first one. */
static void one_process(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 2);
    const uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 0, work);
    tcfh_leave(h, 0, 1000, work);
    tcfh_enter(h, 1, 100, work);
    tcfh_leave(h, 1, 350, work);
    finds(diagnose(h, "", ""), 0, "nothing",
          "There is one process; its 2 threads are busy 62 % of the time in which it computes.");
    tcfh_delete(h);
}

/* Both wait for 900 of 1000 ticks, for messages whose sends and receives nothing pairs. */
static void open_messages(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t main_ = tcfh_region(h, "main"), wait = tcfh_region(h, "MPI_Wait");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, main_);
        tcfh_enter(h, l, 50, wait);
        tcfh_send(h, l, 50, 1 - l, 0, 8);
        tcfh_leave(h, l, 950, wait);
        tcfh_leave(h, l, 1000, main_);
    }
    const char *text = diagnose(h, "", "");
    finds(text, 1, "transfer", "Transfer of data, or waiting that the trace doesn't show, costs 90 % of");
    finds(text, 1, "transfer", "and of 2 of them nothing says which receive is theirs");
    tcfh_delete(h);
}

/* Both are in a call for 850 of 1000 ticks, of which the trace has no message and no operation, then in a barrier. */
static void calls_without_records(void **state)
{
    (void)state;
    static const char *const names[] = {"MPI_Sendrecv_replace", "MPI_Comm_split"};
    for (size_t i = 0; i < TCF_COUNT(names); i++) {
        tcfh *h = harness_new();
        tcfh_processes(h, 2, 1);
        const uint32_t main_ = tcfh_region(h, "main"), call = tcfh_region(h, names[i]),
                       barrier = tcfh_region(h, "MPI_Barrier");
        for (uint32_t l = 0; l < 2; l++) {
            tcfh_enter(h, l, 0, main_);
            tcfh_enter(h, l, 50, call);
            tcfh_leave(h, l, 900, call);
            tcfh_enter(h, l, 900, barrier);
            tcfh_collective(h, l, 900, 950, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_COLLECTIVE_ROOT_NONE);
            tcfh_leave(h, l, 950, barrier);
            tcfh_leave(h, l, 1000, main_);
        }
        finds(diagnose(h, "", ""), 1, "transfer", "Transfer of data, or waiting that the trace doesn't show, costs");
        tcfh_delete(h);
    }
}

/* Two processes compute for 100 ticks; then both are idle until 400, where 1 computes for 100 more: of 2 x 500 ticks
 * 300 are computation, 30 %, and 700 idle; that 1 has more to do explains few of these. */
static void idle_time(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t work = tcfh_region(h, "work"), poll = tcfh_region(h, "poll"), idle = tcfh_region(h, "Idle");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, work);
        tcfh_leave(h, l, 100, work);
        tcfh_enter(h, l, 100, idle);
        tcfh_enter(h, l, 200, poll);
        tcfh_leave(h, l, 300, poll);
        tcfh_leave(h, l, l == 0 ? 500 : 400, idle);
    }
    tcfh_enter(h, 1, 400, work);
    tcfh_leave(h, 1, 500, work);
    const char *text = diagnose(h, "", "");
    finds(text, 0, "verdict", "1 finding. Parallel efficiency is 30 %: load balance 75 %");
    finds(text, 1, "idle",
          "Idle time costs 70 % of the processes' time (700 ns): rank 0 has nothing to do for longest (400 ns");
    tcfh_delete(h);
}

/* Rank 0 computes for 100 ticks, 1 for 70 and is idle then. (100 - 85) x 2 of 200 ticks: the imbalance is all of it. */
static void idle_by_imbalance(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t work = tcfh_region(h, "work"), idle = tcfh_region(h, "Idle");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, work);
        tcfh_leave(h, l, l == 0 ? 100 : 70, work);
    }
    tcfh_enter(h, 1, 70, idle);
    tcfh_leave(h, 1, 100, idle);
    const char *text = diagnose(h, "", "");
    finds(text, 0, "verdict", "1 finding. Parallel efficiency is 85 %");
    finds(text, 1, "load_imbalance", "costs 15 % of the processes' time (30.0 ns): rank 0 computes 1.18 times");
    finds(text, 1, "load_imbalance", "the others are idle (15 %)");
    tcfh_delete(h);
}

/* What none of the filters reports isn't judged, and told. */
static void nothing_to_judge(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 4, 1);
    meet(h, 4, 4, 2, 1000, 600);
    tcfh_run(h, "[pipeline]\nchain = diagnosis\n[diagnosis]\noutput = ${SCRATCH}/report\nformat = csv\n");
    finds(tcfh_text(h, "report"), 0, "nothing", "No filter in front has reported");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_slow),
        cmocka_unit_test(two_are_slow),
        cmocka_unit_test(one_meeting),
        cmocka_unit_test(each_in_turn),
        cmocka_unit_test(some_of_it_is_told_above),
        cmocka_unit_test(how_well_clocks_agree),
        cmocka_unit_test(shorter_than_the_error),
        cmocka_unit_test(one_step_stands_out),
        cmocka_unit_test(other_numbers_of_iterations),
        cmocka_unit_test(begins_with_the_program),
        cmocka_unit_test(accelerators),
        cmocka_unit_test(one_process),
        cmocka_unit_test(open_messages),
        cmocka_unit_test(calls_without_records),
        cmocka_unit_test(idle_time),
        cmocka_unit_test(idle_by_imbalance),
        cmocka_unit_test(idle_in_the_program),
        cmocka_unit_test(nothing_to_judge),
    };
    return cmocka_run_group_tests_name("diagnosis", tests, NULL, NULL);
}
