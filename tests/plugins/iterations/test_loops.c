/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* iterations on small programs, worked out by hand: loops with what comes before and after, nested ones, bursts, rare
 * events, two halves of a step, processes that disagree, nothing that repeats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "iterations", options);
}

static void has(const char *text, const char *begin, const char *end)
{
    if (harness_rows(text, begin, end) != 1)
        fail_msg("no row %s ... %s in:\n%s", begin, end, text);
}

/* The main loop, without any doubt. bursts: 0 calls, 1 bursts of calls, 2 bursts of these. */
static void bursts_are(const char *text, const char *numbers, int bursts, const char *anchor)
{
    char begin[64], end[128];
    snprintf(begin, sizeof begin, "loops,%s,", numbers);
    snprintf(end, sizeof end, ",yes,,%d,%s", bursts, anchor);
    has(text, begin, end);
}

static void loop_is(const char *text, const char *numbers, const char *anchor)
{
    bursts_are(text, numbers, 0, anchor);
}

/* A visit without anything in it. */
static uint64_t visit(tcfh *h, uint32_t l, uint64_t from, uint64_t ticks, uint32_t region)
{
    tcfh_enter(h, l, from, region);
    tcfh_leave(h, l, from + ticks, region);
    return from + ticks;
}

/* Five times 70 work and 30 waiting for a message, after 100 and before 50 of something else; the third one takes 20
 * longer. */
static void plain(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t first = tcfh_region(h, "init"), work = tcfh_region(h, "work"), recv = tcfh_region(h, "MPI_Recv"),
             last = tcfh_region(h, "finish"), outer = tcfh_region(h, "main");
    uint64_t t = 1000;
    tcfh_enter(h, 0, t, outer);
    t = visit(h, 0, t, 100, first);
    for (int k = 0; k < 5; k++) {
        t = visit(h, 0, t, k == 2 ? 90 : 70, work);
        tcfh_enter(h, 0, t, recv);
        tcfh_receive(h, 0, t + 20, 0, 7, 100);
        tcfh_leave(h, 0, t + 30, recv);
        t += 30;
    }
    t = visit(h, 0, t, 50, last);
    tcfh_leave(h, 0, t, outer);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        loop_is(text, "5,1,1,5,5,1.05e-07", "main/work");
        /* 420 ticks of whole iterations: 120 of them in MPI, which is 28.57 %; the longest is number 2 */
        has(text, "iterations,rank 0,", ",1100,1520,100,120,120,1000,0,main/work");
        assert_non_null(strstr(text, ",1e-07,1.2e-07,2,28.571428571428573,0,0,1,100,0,"));
        has(text, "over_iterations,0,1,", ",1,100,100,1000");
        has(text, "over_iterations,2,1,", ",1,120,120,1000");
        assert_int_equal(harness_rows(text, "over_iterations,", ""), 4);
        assert_int_equal(harness_rows(text, "outliers,", ""), 0);
        assert_int_equal(harness_rows(text, "limits,", ""), 0);
        has(text, "candidates,5,5,1,", ",main/MPI_Recv");
    }
    has(run(h, "outlier = 1.1\n"), "outliers,1.1428571428571428,1.2e-07,2,", ",120,1300,1000,main/work");
    tcfh_delete(h);
}

/* Twenty steps with a varying number of inner ones, each level in calls of its own: the outer loop, whatever the inner
 * one does. */
static void nested(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t begin = tcfh_region(h, "begin"), solve = tcfh_region(h, "solve"), inner = tcfh_region(h, "inner"),
             outer = tcfh_region(h, "main");
    uint64_t t = 0;
    tcfh_enter(h, 0, t, outer);
    for (int k = 0; k < 20; k++) {
        t = visit(h, 0, t, 5, begin);
        tcfh_enter(h, 0, t, solve);
        for (int i = 0; i < 3 + 7 * k % 11; i++)
            t = visit(h, 0, t, 10, inner);
        tcfh_leave(h, 0, t, solve);
    }
    tcfh_leave(h, 0, t, outer);
    loop_is(run(h, ""), "20,1,1,20,20", "main/begin");
    tcfh_delete(h);
}

/* Messages in bursts of two to six, which is no iteration; and something every tenth time, which isn't either. */
static void bursts_and_rare_ones(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t send = tcfh_region(h, "MPI_Isend"), wait = tcfh_region(h, "MPI_Waitall"),
             check = tcfh_region(h, "MPI_Allreduce"), write = tcfh_region(h, "write");
    uint64_t t = 0;
    for (int k = 0; k < 100; k++) {
        for (int i = 0; i < 2 + 3 * k % 5; i++)
            t = visit(h, 0, t, 1, send);
        t = visit(h, 0, t + 100, 10, wait);
        if (k % 10 == 9)
            t = visit(h, 0, t, 20, check);
        if (k % 25 == 24)
            t = visit(h, 0, t, 40, write);
    }
    const char *text = run(h, "");
    loop_is(text, "100,1,1,100,100", "MPI_Waitall");
    has(text, "candidates,10,10,1,", ",MPI_Allreduce");
    has(text, "candidates,4,4,1,", ",write");
    tcfh_delete(h);
}

static void regular(tcfh *h, uint32_t l, uint32_t region, int n)
{
    uint64_t t = 0;
    for (int k = 0; k < n; k++)
        t = visit(h, l, t, 100, region);
}

/* ----------------------------------------------------------------------------- steps without a call of their own -- */

/* A rank that is known by its calls of MPI alone, which stand in no region of the user's. */
struct rank {
    tcfh *h;
    uint32_t l;
    uint64_t t, random;
    uint32_t irecv, send, wait, sendrecv, allreduce, waitall;
};

static struct rank rank_of(tcfh *h, uint32_t l)
{
    return (struct rank){h,
                         l,
                         1000 * l,
                         l + 1,
                         tcfh_region(h, "MPI_Irecv"),
                         tcfh_region(h, "MPI_Send"),
                         tcfh_region(h, "MPI_Wait"),
                         tcfh_region(h, "MPI_Sendrecv"),
                         tcfh_region(h, "MPI_Allreduce"),
                         tcfh_region(h, "MPI_Waitall")};
}

/* About as many ticks: up to a quarter more or less. */
static uint64_t about(struct rank *r, uint64_t ticks)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    return ticks * (48 + (r->random >> 33) % 33) / 64;
}

static void call(struct rank *r, uint32_t region, uint64_t ticks)
{
    r->t = visit(r->h, r->l, r->t, about(r, ticks), region);
}

static void compute(struct rank *r, uint64_t ticks)
{
    r->t += about(r, ticks);
}

/* An exchange with a neighbour in each of so many directions: packs, posts a receive, sends, waits, unpacks. */
static void exchange(struct rank *r, int directions)
{
    for (int i = 0; i < directions; i++) {
        compute(r, 20);
        call(r, r->irecv, 10);
        call(r, r->send, 60);
        call(r, r->wait, 200);
        compute(r, 20);
    }
}

/* Molecular dynamics: positions are exchanged with six neighbours, forces are computed and exchanged, positions are
 * integrated. Every 20th step atoms change their owners before, and lists of neighbours are made, which takes three
 * times as long as the forces; energies are summed up every 25th. All calls but these come 12 times a step. Before
 * there are set-up and a long initialisation. */
static void molecular_dynamics(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 4, 1);
    for (uint32_t l = 0; l < 4; l++) {
        struct rank r = rank_of(h, l);
        call(&r, r.allreduce, 100);
        compute(&r, 200000);
        exchange(&r, 6);
        compute(&r, 60000);
        for (int step = 0; step < 100; step++) {
            if (step % 20 == 19) {
                for (int i = 0; i < 3; i++)
                    call(&r, r.sendrecv, 300);
                exchange(&r, 6);
                compute(&r, 60000);
            } else {
                exchange(&r, 6);
            }
            compute(&r, 20000);
            exchange(&r, 6);
            compute(&r, 2000);
            if (step % 25 == 24)
                call(&r, r.allreduce, 100);
        }
    }
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        bursts_are(text, "99,4,4,99,99", 2, "MPI_Irecv"); /* the first one shows what is usual */
        assert_int_equal(harness_rows(text, "candidates,1206,1206,4,", ""), 3);
    }
    tcfh_delete(h);
}

/* What a rank does in a step, number k. */
typedef void rank_step(struct rank *r, int k);

static tcfh *steps(rank_step *one, int n)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, 3, 1);
    for (uint32_t l = 0; l < 3; l++) {
        struct rank r = rank_of(h, l);
        for (int k = 0; k < n; k++)
            one(&r, k);
    }
    return h;
}

static void six_neighbours(struct rank *r, int k)
{
    (void)k;
    for (int i = 0; i < 6; i++)
        call(r, r->sendrecv, 100);
    compute(r, 5000);
}

static void two_neighbours(struct rank *r, int k)
{
    (void)k;
    call(r, r->sendrecv, 100);
    call(r, r->sendrecv, 100);
    compute(r, 3000);
}

/* Receives and sends are posted, the inner part is computed, then the border of each side as its message has come. */
static void overlapping(struct rank *r, int k)
{
    (void)k;
    for (int i = 0; i < 4; i++)
        call(r, r->irecv, 10);
    for (int i = 0; i < 4; i++)
        call(r, r->send, 20);
    compute(r, 8000);
    for (int i = 0; i < 4; i++) {
        call(r, r->wait, 50);
        compute(r, 60);
    }
}

/* Steps that differ in how long they compute, by a factor of ten. */
static void uneven_steps(struct rank *r, int k)
{
    for (int i = 0; i < 8; i++)
        call(r, r->sendrecv, 100);
    compute(r, 2000 * (uint64_t)(1 + k * k % 10));
}

static void halos(void **state)
{
    (void)state;
    tcfh *h = steps(six_neighbours, 50);
    bursts_are(run(h, ""), "49,3,3,49,49", 1, "MPI_Sendrecv");
    tcfh_delete(h);
    h = steps(two_neighbours, 50);
    bursts_are(run(h, ""), "49,3,3,49,49", 1, "MPI_Sendrecv");
    tcfh_delete(h);
    h = steps(overlapping, 50);
    bursts_are(run(h, ""), "49,3,3,49,49", 1, "MPI_Wait");
    tcfh_delete(h);
    h = steps(uneven_steps, 50);
    bursts_are(run(h, ""), "49,3,3,49,49", 1, "MPI_Sendrecv");
    tcfh_delete(h);
}

/* Each call has its own computation before: it is the step. */
static void alone(struct rank *r, int k)
{
    (void)k;
    compute(r, 1000);
    call(r, r->sendrecv, 100);
}

/* Some compute ten times as long, one after the other, at random. */
static void ragged(struct rank *r, int k)
{
    compute(r, about(r, 64) % 8 == 0 ? 4000 : 1000);
    call(r, r->allreduce, 100);
    (void)k;
}

/* Results are written without a call of its own, every tenth time. */
static void written(struct rank *r, int k)
{
    compute(r, k % 10 == 9 ? 12000 : 1000);
    call(r, r->allreduce, 100);
}

/* A call that comes once a step, beside bursts: whatever is even. */
static void summed_up(struct rank *r, int k)
{
    six_neighbours(r, k);
    call(r, r->allreduce, 200);
    compute(r, 1000);
}

static void no_bursts(void **state)
{
    (void)state;
    tcfh *h = steps(alone, 50);
    bursts_are(run(h, ""), "50,3,3,50,50", 0, "MPI_Sendrecv");
    tcfh_delete(h);
    h = steps(ragged, 200);
    bursts_are(run(h, ""), "200,3,3,200,200", 0, "MPI_Allreduce");
    tcfh_delete(h);
    h = steps(written, 200);
    has(run(h, ""), "loops,200,3,3,200,200,", ",yes,iterations take very different times,0,MPI_Allreduce");
    tcfh_delete(h);
    h = steps(summed_up, 50);
    bursts_are(run(h, ""), "50,3,3,50,50", 0, "MPI_Allreduce");
    tcfh_delete(h);
}

/* One process of four has something that repeats; all have, but one twice as often; every second iteration takes 20
 * times as long as the others, for an evenness of ((1 + sqrt(20)) / 2)^2 / 10.5 = 0.71: a warning, and the reason. */
static void doubtful(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 4, 1);
    regular(h, 0, tcfh_region(h, "work"), 20);
    for (uint32_t l = 1; l < 4; l++)
        visit(h, l, 0, 100, tcfh_region(h, "once"));
    has(run(h, ""), "loops,20,1,1,20,20,", ",yes,fewer than half of the processes have it,0,work");
    tcfh_delete(h);
    h = tcfh_new();
    tcfh_processes(h, 4, 1);
    for (uint32_t l = 0; l < 4; l++)
        regular(h, l, tcfh_region(h, "work"), l == 3 ? 40 : 20);
    has(run(h, ""), "loops,20,4,3,20,40,",
        ",yes,locations differ by more than a quarter in how often they have it,0,work");
    tcfh_delete(h);
    h = tcfh_new();
    tcfh_processes(h, 1, 1);
    const uint32_t work = tcfh_region(h, "work");
    uint64_t t = 0;
    for (int k = 0; k < 41; k++)
        t = visit(h, 0, t, k % 2 ? 2000 : 100, work);
    has(run(h, ""), "loops,41,1,1,41,41,", ",yes,iterations take very different times,0,work");
    tcfh_delete(h);
}

/* Each step calls exchange twice, with other things in between: steps are iterations, their halves aren't. One more of
 * the first of them, before the loop, doesn't count. */
static void halves(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t region[6];
    const char *const names[] = {"step", "predict", "exchange", "correct", "limit", "advance"};
    for (int i = 0; i < 6; i++)
        region[i] = tcfh_region(h, names[i]);
    uint64_t t = visit(h, 0, 0, 10, region[0]);
    for (int k = 0; k < 12; k++) {
        t = visit(h, 0, t, 10, region[0]);
        t = visit(h, 0, t, 10, region[1]);
        t = visit(h, 0, t, 10, region[2]);
        t = visit(h, 0, t, 10, region[3]);
        t = visit(h, 0, t, 10, region[4]);
        t = visit(h, 0, t, 10, region[2]);
        t = visit(h, 0, t, 10, region[5]);
    }
    loop_is(run(h, ""), "12,1,1,12,12,7e-08", "predict"); /* step has 13 */
    tcfh_delete(h);
}

/* Four processes with 8 iterations, one with 7, one that does something else, one with nothing that repeats. */
static void processes(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 7, 1);
    uint32_t work = tcfh_region(h, "work"), serve = tcfh_region(h, "serve"), once = tcfh_region(h, "once");
    for (uint32_t l = 0; l < 5; l++)
        regular(h, l, work, l == 2 ? 7 : 8);
    regular(h, 5, serve, 30);
    visit(h, 6, 0, 100, once);
    const char *text = run(h, "");
    loop_is(text, "8,5,4,7,8,1e-07", "work");
    has(text, "loops,30,1,1,30,30,", ",no,,0,serve");
    assert_int_equal(harness_rows(text, "iterations,rank", ""), 6);
    has(text, "limits,no_loop,1,", "");
    has(text, "over_iterations,0,1,", ",5,500,100,1000");
    has(text, "over_iterations,6,1,", ",4,400,100,1000");
    tcfh_delete(h);
}

/* Each process has a loop of its own in its first thread, and three more threads that do something else more often. */
static void threads(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 4);
    uint32_t work = tcfh_region(h, "work"), task = tcfh_region(h, "task");
    for (uint32_t l = 0; l < 8; l++)
        regular(h, l, l % 4 == 0 ? work : task, l % 4 == 0 ? 8 : 20);
    const char *text = run(h, "bins = 2\n");
    loop_is(text, "8,2,2,8,8,1e-07", "work");
    has(text, "loops,20,6,6,20,20,", ",no,,0,task");
    has(text, "over_iterations,0,4,1e-07,1e-07,0,rank 0,8,800,100,", ""); /* the first of equally long ones */
    has(text, "over_iterations,4,4,1e-07,1e-07,4,rank 0,6,600,100,", "");
    tcfh_delete(h);
}

/* Three ranks in a location group: each of them votes. */
static void ranks_of_a_process(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 3);
    tcfh_processes(h, 1, 3);
    uint32_t work = tcfh_region(h, "work"), serve = tcfh_region(h, "serve");
    regular(h, 0, serve, 30);
    regular(h, 1, work, 8);
    regular(h, 2, work, 8);
    const char *text = run(h, "");
    loop_is(text, "8,2,2,8,8,1e-07", "work");
    has(text, "loops,30,1,1,30,30,", ",no,,0,serve");
    tcfh_delete(h);
}

/* Every third time something else happens: that is no part of an iteration. */
static void every_third_time(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t work = tcfh_region(h, "work"), check = tcfh_region(h, "check");
    uint64_t t = 0;
    for (int k = 0; k < 90; k++) {
        t = visit(h, 0, t, 10, work);
        t = k % 3 == 2 ? visit(h, 0, t, 3, check) : t;
    }
    loop_is(run(h, ""), "90,1,1,90,90", "work");
    tcfh_delete(h);
}

/* Twelve phases, of which four have twelve parts each: a loop, but for a third of the time. */
static void narrow(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t phase = tcfh_region(h, "phase"), part = tcfh_region(h, "part");
    for (uint64_t k = 0; k < 12; k++) {
        visit(h, 0, 100 * k, 4, phase);
        for (uint64_t i = 0; k >= 4 && k < 8 && i < 12; i++)
            visit(h, 0, 100 * k + 4 + 8 * i, 8, part);
    }
    const char *text = run(h, "");
    loop_is(text, "12,1,1,12,12,1e-07", "phase");
    has(text, "candidates,48,48,1,", ",part");
    tcfh_delete(h);
}

/* Of two visits with runs that are equally long the first one counts. */
static void twice(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t solve = tcfh_region(h, "solve"), step = tcfh_region(h, "step");
    for (uint64_t k = 0; k < 2; k++) {
        tcfh_enter(h, 0, 1000 * k, solve);
        for (uint64_t i = 0; i < 6; i++)
            visit(h, 0, 1000 * k + 100 * i, 100, step);
        tcfh_leave(h, 0, 1000 * k + 600, solve);
    }
    has(run(h, ""), "iterations,rank 0,", ",0,500,100,100,0,1000,0,solve/step");
    tcfh_delete(h);
}

/* A call of a region without definition is a part of the path. */
static void undefined_region(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t work = tcfh_region(h, "work");
    tcfh_enter(h, 0, 0, TCF_NONE);
    for (uint64_t i = 0; i < 6; i++)
        visit(h, 0, 100 * i, 100, work);
    tcfh_leave(h, 0, 600, TCF_NONE);
    loop_is(run(h, ""), "6,1,1,6,6,1e-07", "region#4294967295/work");
    tcfh_delete(h);
}

static void nothing(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint64_t t = 0;
    for (int k = 0; k < 30; k++) {
        char name[32];
        snprintf(name, sizeof name, "phase %d", k / 3); /* each three times, never again */
        t = visit(h, 0, t, 10, tcfh_region(h, name));
    }
    const char *text = run(h, "");
    assert_int_equal(harness_rows(text, "loops,", ""), 0);
    assert_int_equal(harness_rows(text, "iterations,", ""), 0);
    has(text, "limits,no_loop,1,", "");
    tcfh_delete(h);
}

/* Every enter of the region counts, wherever it stands, but inside of itself. */
static void given(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t step = tcfh_region(h, "step"), a = tcfh_region(h, "a"), b = tcfh_region(h, "b");
    for (uint64_t k = 0; k < 3; k++) {
        tcfh_enter(h, 0, 100 * k, k == 1 ? a : b);
        tcfh_enter(h, 0, 100 * k + 10, step);
        visit(h, 0, 100 * k + 20, 5, step);
        tcfh_leave(h, 0, 100 * k + 30, step);
        tcfh_leave(h, 0, 100 * k + 50, k == 1 ? a : b);
    }
    const char *text = run(h, "anchor = step\n");
    loop_is(text, "3,1,1,3,3,1e-07", "step");
    assert_int_equal(tcfh_try(h,
                              "[pipeline]\nchain = iterations\n[iterations]\nanchor = stop\noutput = ${SCRATCH}/x\n"),
                     TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "the trace has no region stop"));
    tcfh_delete(h);
}

/* Caps: what is beyond is told, and the rest is there. */
static void caps(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t a = tcfh_region(h, "a"), b = tcfh_region(h, "b"), c = tcfh_region(h, "c");
    uint64_t t = 0;
    for (int k = 0; k < 9; k++) {
        t = visit(h, 0, t, 10, a);
        t = visit(h, 0, t, 10, b);
        t = visit(h, 0, t, 10, c);
    }
    const char *text = run(h, "max_paths = 2\n");
    loop_is(text, "9,1,1,9,9,3e-08", "a");
    has(text, "limits,max_paths,9,", "");
    text = run(h, "max_children = 1\n");
    loop_is(text, "9,1,1,9,9,3e-08", "a");
    has(text, "limits,max_children,18,", "");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(nested),
        cmocka_unit_test(bursts_and_rare_ones),
        cmocka_unit_test(molecular_dynamics),
        cmocka_unit_test(halos),
        cmocka_unit_test(no_bursts),
        cmocka_unit_test(doubtful),
        cmocka_unit_test(halves),
        cmocka_unit_test(processes),
        cmocka_unit_test(undefined_region),
        cmocka_unit_test(nothing),
        cmocka_unit_test(given),
        cmocka_unit_test(caps),
        cmocka_unit_test(threads),
        cmocka_unit_test(ranks_of_a_process),
        cmocka_unit_test(every_third_time),
        cmocka_unit_test(narrow),
        cmocka_unit_test(twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
