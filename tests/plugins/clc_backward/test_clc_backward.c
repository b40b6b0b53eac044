/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* clc_backward on small traces, against times worked out by hand from doc/clock-correction.md; and what must hold for
 * any window on longer ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Events.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/harness.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { CUTS = 6 };

static uint32_t work;

static tcfh *processes(uint32_t n)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, n, 1);
    work = tcfh_region(h, "work");
    return h;
}

/* An event that is no edge. */
static void plain(tcfh *h, uint32_t location, uint64_t time)
{
    tcfh_enter(h, location, time, work);
}

/* gamma = 1 in front: what is ahead stays ahead by the same. */
static const char ini[] = "[pipeline]\nchain = clc_forward clc_backward\n%s\n"
                          "[clc_forward]\ngamma = 1\noutput = ${SCRATCH}/forward\noverwrite = yes\n"
                          "[clc_backward]\noutput = ${SCRATCH}/backward\nformat = csv\noverwrite = yes\n%s%s\n";

static void run_in(tcfh *h, const char *window, const char *options)
{
    tcfh_run(h, ini, window, strstr(options, "slope") ? "" : "slope = 0.1\n", options);
}

static void run(tcfh *h, const char *options)
{
    run_in(h, "", options);
}

#define TIMES(location, ...) TCFH_TIMES(h, location, __VA_ARGS__)

/* Runs with slices cut in many ways. */
#define IN_ALL_CUTS(h, options) for (uint64_t cut = 0; cut < CUTS && (tcfh_cut(h, cut), run(h, options), 1); cut++)

static uint64_t counted(tcfh *h, const char *what)
{
    char line[64];
    snprintf(line, sizeof line, "jumps,%s,", what);
    const char *text = tcfh_text(h, "backward"), *at = text ? strstr(text, line) : NULL;
    if (!at)
        fail_msg("no line '%s' in:\n%s", line, text ? text : "(nothing)");
    return strtoull(at + strlen(line), NULL, 10);
}

/* Location 1 receives at 1900 what was sent at 1999, and so at 2000: a jump of 100, to be spread over 1000. */
static void jump_of_100(tcfh *h)
{
    tcfh_send(h, 0, 1999, 1, 7, 8);
    tcfh_receive(h, 1, 1900, 0, 7, 8);
    plain(h, 1, 1910);
}

/* ------------------------------------------------------------------------------------------------------ one jump -- */

static void straight_line(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    for (size_t i = 0; i < 5; i++)
        plain(h, 1, (const uint64_t[]){500, 1000, 1400, 1400, 1900}[i]);
    jump_of_100(h);
    IN_ALL_CUTS(h, "")
    {
        TIMES(1, 500, 1010, 1450, 1450, 2000, 2000, 2010);
        TIMES(0, 1999);
        assert_int_equal(counted(h, "jumps"), 1);
        assert_int_equal(counted(h, "full"), 1);
        assert_int_equal(counted(h, "moved"), 4);
    }
    IN_ALL_CUTS(h, "max_interval = 500 ticks\n")
    {
        TIMES(1, 500, 1000, 1400, 1400, 2000, 2000, 2010);
        assert_int_equal(counted(h, "shortened"), 1);
    }
    IN_ALL_CUTS(h,
                "max_events = 3\n") /* from the third event in front of the jump, at 1400, so that 1900 alone moves */
    {
        TIMES(1, 500, 1000, 1400, 1400, 2000, 2000, 2010);
        assert_int_equal(counted(h, "shortened"), 1);
        assert_int_equal(counted(h, "truncated"), 0);
    }
    IN_ALL_CUTS(h, "max_events = 4\n") /* from 1000 on: 100 * 400 / 900 = 44 */
    {
        TIMES(1, 500, 1000, 1444, 1444, 2000, 2000, 2010);
        assert_int_equal(counted(h, "shortened"), 1);
    }
    IN_ALL_CUTS(h, "max_events = 5\n") /* from 900 on, by the slope */
    {
        TIMES(1, 500, 1010, 1450, 1450, 2000, 2000, 2010);
        assert_int_equal(counted(h, "full"), 1);
    }
    IN_ALL_CUTS(h, "max_interval = 0\nslope = 0.01\n")
    {
        TIMES(1, 500, 1035, 1464, 1464, 2000, 2000, 2010); /* from the first event on */
        assert_int_equal(counted(h, "shortened"), 1);
    }
    tcfh_delete(h);
}

static void send_limits(void **state)
{
    (void)state;
    tcfh *h = processes(3);
    plain(h, 1, 500);
    plain(h, 1, 1000);
    tcfh_send(h, 1, 1400, 2, 7, 8);
    tcfh_send(h, 1, 1600, 2, 8, 8);
    tcfh_send(h, 1, 1700, 2, 9, 8); /* is never received */
    plain(h, 1, 1900);
    jump_of_100(h);
    tcfh_receive(h, 2, 1420, 1, 7, 8);
    tcfh_receive(h, 2, 3000, 1, 8, 8);
    IN_ALL_CUTS(h, "")
    {
        /* (900, 0), (1400, 20) by its limit, (1600, 70) and (1700, 80) on the line, (1900, 100) */
        TIMES(1, 500, 1004, 1420, 1670, 1780, 2000, 2000, 2010);
        TIMES(2, 1420, 3000);
        assert_int_equal(counted(h, "limited"), 1);
    }
    tcfh_delete(h);
}

static void no_room(void **state)
{
    (void)state;
    tcfh *h = processes(3);
    plain(h, 1, 500);
    plain(h, 1, 1000);
    tcfh_send(h, 1, 1900, 2, 7, 8); /* at the very time that the jump starts from */
    jump_of_100(h);
    tcfh_receive(h, 2, 1900, 1, 7, 8);
    IN_ALL_CUTS(h, "")
    {
        TIMES(1, 500, 1000, 1900, 2000, 2010);
        assert_int_equal(counted(h, "limited"), 1);
    }
    tcfh_delete(h);
}

/* Members 1, 2, 3; the begin of 1 at 1400 becomes `begin`, its end at 1500 becomes `end`. */
static void collective(uint8_t op, uint32_t root, uint64_t received2, uint64_t begin, uint64_t end)
{
    tcfh *h = processes(4);
    uint32_t some = tcfh_comm(h, "some", 3, (const uint32_t[]){1, 2, 3});
    plain(h, 1, 500);
    static const uint64_t times[][2] = {{1400, 1500}, {1300, 1420}, {1350, 1440}};
    for (uint32_t m = 0; m < 3; m++) {
        tcfh_collective_begin(h, m + 1, times[m][0]);
        tcfh_collective_end(h, m + 1, times[m][1],
                            (tcf_ev_mpi_collective_end){op, some, root, 8, m == 1 ? received2 : 8});
    }
    jump_of_100(h);
    IN_ALL_CUTS(h, "")
    {
        TIMES(1, 500, begin, end, 2000, 2010);
        TIMES(2, 1300, 1420);
        TIMES(3, 1350, 1440);
    }
    tcfh_delete(h);
}

static void collectives_limit(void **state)
{
    (void)state;
    collective(OTF2_COLLECTIVE_OP_ALLREDUCE, TCF_NONE, 8, 1420, 1536);
    collective(OTF2_COLLECTIVE_OP_BARRIER, TCF_NONE, 8, 1420, 1536);
    collective(OTF2_COLLECTIVE_OP_ALLGATHERV, TCF_NONE, 0, 1440, 1552);
    collective(OTF2_COLLECTIVE_OP_BCAST, 0, 8, 1420, 1536);
    collective(OTF2_COLLECTIVE_OP_BCAST, 1, 8, 1450, 1560);
    collective(OTF2_COLLECTIVE_OP_REDUCE, 2, 8, 1440, 1552);
    collective(OTF2_COLLECTIVE_OP_REDUCE, 0, 8, 1450, 1560);
    collective(OTF2_COLLECTIVE_OP_SCAN, TCF_NONE, 8, 1420, 1536);
    collective(OTF2_COLLECTIVE_OP_EXSCAN, TCF_NONE, 8, 1420, 1536);
}

/* Threads of process 1 (location 2, 3): a lock that goes from the one with the jump to the other one. */
static void lock_limits(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 2);
    work = tcfh_region(h, "work");
    plain(h, 2, 500);
    tcfh_event(h, 2, 1000, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 2, 1400, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 3, 1410, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, 2});
    tcfh_send(h, 0, 1999, 1, 7, 8);
    tcfh_receive(h, 2, 1900, 0, 7, 8);
    IN_ALL_CUTS(h, "")
    TIMES(2, 500, 1002, 1410, 2000);
    tcfh_delete(h);
}

/* A lock that nobody takes again, of a class that no other location shows a delay of: nothing limits its release. */
static void last_release(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    plain(h, 1, 500);
    tcfh_event(h, 1, 1000, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    tcfh_event(h, 1, 1400, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, 1, 1});
    jump_of_100(h);
    IN_ALL_CUTS(h, "")
    {
        TIMES(1, 500, 1010, 1450, 2000, 2010);
        assert_int_equal(counted(h, "guessed_sources"), 0);
    }
    tcfh_delete(h);
}

static void first_event_jumps(void **state)
{
    (void)state;
    tcfh *h = processes(3); /* process 2 has no events */
    jump_of_100(h);
    IN_ALL_CUTS(h, "")
    {
        TIMES(1, 2000, 2010);
        assert_int_equal(counted(h, "unspread"), 1);
    }
    tcfh_delete(h);
}

static void flush_moves(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    tcfh_event(h, 1, 500, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){950}); /* begins in front of the interval */
    tcfh_event(h, 1, 1000, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){1200});
    tcfh_event(h, 1, 1500, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){1400}); /* ends before it begins */
    jump_of_100(h);
    IN_ALL_CUTS(h, "")
    {
        size_t n;
        TIMES(1, 500, 1010, 1560, 2000, 2010);
        const tcfh_out *out = tcfh_output(h, 1, &n);
        assert_int_equal(out[0].rec.buffer_flush.stop_time, 955);
        assert_int_equal(out[1].rec.buffer_flush.stop_time, 1230);
        assert_int_equal(out[2].rec.buffer_flush.stop_time, 1460);
    }
    tcfh_delete(h);
}

/* Nine hours between two clocks, and the end of what a timestamp can hold. */
static void far_out(void **state)
{
    (void)state;
    const uint64_t far = 9ull * 3600 * 1000000000, end = UINT64_MAX;
    tcfh *h = processes(2);
    tcfh_send(h, 0, far - 1, 1, 7, 8);
    plain(h, 1, 0);
    plain(h, 1, 500000);
    tcfh_receive(h, 1, 1000000, 0, 7, 8);
    IN_ALL_CUTS(h, "")
    TIMES(1, 0, 500000 + (far - 1000000) / 2, far);
    tcfh_delete(h);
    h = processes(2);
    tcfh_send(h, 0, end - 1, 1, 7, 8);
    plain(h, 1, end - 2000);
    plain(h, 1, end - 600);
    plain(h, 1, end - 100);
    tcfh_receive(h, 1, end - 100, 0, 7, 8);
    IN_ALL_CUTS(h, "")
    TIMES(1, end - 2000, end - 550, end, end);
    tcfh_delete(h);
}

/* ---------------------------------------------------------------------------------------------------- more jumps -- */

static void jump_after_jump(void **state)
{
    (void)state;
    tcfh *h = processes(2);
    tcfh_send(h, 0, 1539, 1, 7, 8);
    tcfh_send(h, 0, 1999, 1, 7, 8);
    plain(h, 1, 1000);
    plain(h, 1, 1300);
    tcfh_receive(h, 1, 1500, 0, 7, 8);
    tcfh_receive(h, 1, 1700, 0, 7, 8);
    IN_ALL_CUTS(h, "")
    {
        /* The first one makes 1320, 1540; the second one, of 260 at 1740, adds 112 and 189. */
        TIMES(1, 1000, 1432, 1729, 2000);
        assert_int_equal(counted(h, "jumps"), 2);
        assert_int_equal(counted(h, "moved"), 3);
    }
    tcfh_delete(h);
}

/* Drops the receives of location 1 between the two filters: nothing is left to jump for, and no limit. */
static tcf_status drop_slice(tcf_self *self, tcf_slice *s)
{
    uint8_t keep[64];
    for (uint32_t i = 0; i < s->n; i++)
        keep[i] = s->kind[i] != TCF_MPI_RECV;
    self->host->compact(self, s, keep);
    return TCF_OK;
}

static const tcf_filter drop = {
    .head = TCF_FILTER_HEAD,
    .name = "drop",
    .version = "1",
    .summary = "Drops receives",
    .can = TCF_CAN_DROP,
    .slice = drop_slice,
};

static void dropped_in_between(void **state)
{
    (void)state;
    tcfh *h = processes(3);
    tcfh_filter(h, &drop);
    plain(h, 1, 1000);
    tcfh_send(h, 1, 1400, 2, 7, 8);
    tcfh_receive(h, 2, 1410, 1, 7, 8);
    jump_of_100(h);
    for (uint64_t cut = 0; cut < CUTS; cut++) {
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nchain = clc_forward drop clc_backward\n"
                    "[clc_forward]\ngamma = 1\noutput = ${SCRATCH}/forward\noverwrite = yes\n"
                    "[clc_backward]\noutput = ${SCRATCH}/backward\noverwrite = yes\n");
        TIMES(1, 1000, 1400, 2010);
    }
    tcfh_delete(h);
}

/* ---------------------------------------------------------------------------------------------------- any window -- */

enum { RANKS = 4, STEPS = 2000, PER_STEP = 5 };

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (random_state >> 33) % below;
}

/* A ring: each rank works, sends to the next one and receives from the one before; now and then a barrier. Clocks are
 * off by up to `error`, and change. A send may be received some steps later. */
static tcfh *ring(uint64_t seed, uint64_t error, uint64_t late)
{
    tcfh *h = processes(RANKS);
    uint64_t last[RANKS] = {0}, off[RANKS];
    random_state = seed;
    for (uint32_t r = 0; r < RANKS; r++)
        off[r] = draw(error + 1);
    for (uint64_t k = 0; k < STEPS; k++)
        for (uint32_t r = 0; r < RANKS; r++) {
            uint64_t t[PER_STEP];
            off[r] = draw(50) == 0 ? draw(error + 1) : off[r];
            for (uint32_t i = 0; i < PER_STEP; i++) {
                t[i] = (k + 10) * 1000 + i * 150 + draw(100) + off[r];
                t[i] = last[r] = t[i] > last[r] ? t[i] : last[r];
            }
            plain(h, r, t[0]);
            tcfh_send(h, r, t[1], (r + 1) % RANKS, 7, 8);
            plain(h, r, t[2]);
            if (k >= late)
                tcfh_receive(h, r, t[3], (r + RANKS - 1) % RANKS, 7, 8);
            else
                plain(h, r, t[3]);
            if (k % 20 == 0)
                tcfh_collective(h, r, t[4], last[r] += 110, OTF2_COLLECTIVE_OP_BARRIER, 0, TCF_NONE);
        }
    return h;
}

/* Both ends of every message by their number, and of every barrier; `out` must not be the harness' own. */
typedef struct times {
    uint64_t *at[RANKS];
    uint8_t *kind[RANKS];
    size_t n[RANKS];
} times;

static times keep(tcfh *h)
{
    times v;
    for (uint32_t r = 0; r < RANKS; r++) {
        const tcfh_out *out = tcfh_output(h, r, &v.n[r]);
        v.at[r] = malloc(v.n[r] * sizeof *v.at[r]);
        v.kind[r] = malloc(v.n[r]);
        for (size_t i = 0; i < v.n[r]; i++) {
            v.at[r][i] = out[i].time;
            v.kind[r][i] = out[i].kind;
        }
    }
    return v;
}

static void forget(times *v)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        free(v->at[r]);
        free(v->kind[r]);
    }
}

static size_t next_of(const times *v, uint32_t r, size_t i, uint8_t kind)
{
    while (i < v->n[r] && v->kind[r][i] != kind)
        i++;
    return i;
}

/* The clock condition, looked at from outside; local order. */
static void assert_causal(const times *v)
{
    size_t begin[RANKS] = {0}, end[RANKS] = {0};
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t to = (r + 1) % RANKS;
        size_t s = next_of(v, r, 0, TCF_MPI_SEND), t = next_of(v, to, 0, TCF_MPI_RECV);
        for (; t < v->n[to]; s = next_of(v, r, s + 1, TCF_MPI_SEND), t = next_of(v, to, t + 1, TCF_MPI_RECV))
            assert_true(v->at[to][t] >= v->at[r][s]);
        for (size_t i = 1; i < v->n[r]; i++)
            assert_true(v->at[r][i] >= v->at[r][i - 1]);
    }
    for (uint32_t k = 0; k < STEPS / 20; k++) {
        uint64_t latest = 0;
        for (uint32_t r = 0; r < RANKS; r++) {
            begin[r] = next_of(v, r, begin[r], TCF_MPI_COLLECTIVE_BEGIN);
            end[r] = next_of(v, r, begin[r], TCF_MPI_COLLECTIVE_END);
            latest = v->at[r][begin[r]] > latest ? v->at[r][begin[r]] : latest;
        }
        for (uint32_t r = 0; r < RANKS; r++, begin[r - 1]++)
            assert_true(v->at[r][end[r]] >= latest);
    }
}

static void assert_same(const times *a, const times *b)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        assert_int_equal(a->n[r], b->n[r]);
        assert_memory_equal(a->at[r], b->at[r], a->n[r] * sizeof *a->at[r]);
    }
}

static void assert_later(const times *a, const times *b)
{
    for (uint32_t r = 0; r < RANKS; r++)
        for (size_t i = 0; i < a->n[r]; i++)
            assert_true(b->at[r][i] >= a->at[r][i]);
}

static times run_window(tcfh *h, const char *window, const char *options)
{
    run_in(h, window, options);
    times v = keep(h);
    assert_causal(&v);
    return v;
}

/* A window that covers what is asked for: the same with any cut, slice and memory. */
static void window_does_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        tcfh *h = ring(seed, 900, seed - 1);
        tcfh_run(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\ngamma = 1\noutput = ${SCRATCH}/forward\n");
        times forward = keep(h), whole = run_window(h, "", "max_interval = 20us\n");
        assert_causal(&forward);
        assert_later(&forward, &whole);
        assert_true(counted(h, "jumps") > 100 && counted(h, "moved") > 1000);
        assert_true(seed > 1 || counted(h, "limited") > 10); /* what is received late doesn't limit */
        for (uint64_t cut = 1; cut < 4; cut++) {
            tcfh_cut(h, cut);
            times same = run_window(h, cut == 2 ? "slice = 3\n" : "", "max_interval = 20us\n");
            assert_same(&whole, &same);
            forget(&same);
        }
        assert_int_equal(counted(h, "truncated"), 0);
        forget(&forward);
        forget(&whole);
        tcfh_delete(h);
    }
}

/* A pool that is too small, in several ways: less is smoothed and that is counted, but everything holds. */
static void dry_pool(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        tcfh *h = ring(seed, 900, seed == 3 ? 700 : 0); /* late receives: limits are long in coming */
        tcfh_run(h, "[pipeline]\nchain = clc_forward\n[clc_forward]\ngamma = 1\noutput = ${SCRATCH}/forward\n");
        times forward = keep(h);
        for (uint64_t cut = 0; cut < 2; cut++) {
            tcfh_cut(h, cut);
            times v = run_window(h, "memory = 1MiB\nlookahead = 4\nslice = 4\n", "max_interval = 0\nslope = 0.001\n");
            assert_later(&forward, &v);
            assert_true(counted(h, "truncated") > 0);
            forget(&v);
        }
        forget(&forward);
        tcfh_delete(h);
    }
}

/* A send in front of a jump is received by one whose clock is an hour behind, long after memory has run out: nobody
 * knows then how far it might move, so it stays where it is. */
static void late_limit(void **state)
{
    (void)state;
    const uint64_t hour = 3600ull * 1000000000;
    static const uint64_t stuck[] = {500, 1000, 1400, 1700, 2000}, smooth[] = {500, 1010, 1450, 1725, 2000};
    tcfh *h = processes(3);
    tcfh_send(h, 0, hour + 1999, 1, 7, 8);
    plain(h, 1, hour + 500);
    plain(h, 1, hour + 1000);
    tcfh_send(h, 1, hour + 1400, 2, 7, 8);
    plain(h, 1, hour + 1650);
    tcfh_receive(h, 1, hour + 1900, 0, 7, 8);
    for (uint64_t i = 0; i < 30000; i++) {
        plain(h, 1, hour + 3000 + 10 * i);
        plain(h, 2, 10 * i);
    }
    tcfh_receive(h, 2, hour + 400000, 1, 7, 8);
    run_in(h, "memory = 1MiB\nlookahead = 0\nslice = 16\n", "");
    size_t n;
    const tcfh_out *out = tcfh_output(h, 1, &n);
    for (size_t i = 0; i < 5; i++)
        assert_true(out[i].time == hour + stuck[i]);
    assert_int_equal(counted(h, "guessed_sources"), 1);
    run(h, "");
    out = tcfh_output(h, 1, &n);
    for (size_t i = 0; i < 5; i++)
        assert_true(out[i].time == hour + smooth[i]);
    assert_int_equal(counted(h, "full"), 1);
    tcfh_delete(h);
}

/* Many locations wait for one that is an hour behind, jump after jump: where memory is short, a share of what is held
 * goes at a time, for a slice at a time would mean a look at all locations for each. */
static void many_wait(void **state)
{
    (void)state;
    enum { WAITING = 30, BEHIND = WAITING + 1, JUMPS = 20, PLAIN = 40 };
    const uint64_t hour = 3600ull * 1000000000;
    tcfh *h = processes(BEHIND + 1);
    for (uint64_t k = 0; k < JUMPS; k++) {
        const uint64_t base = hour + 2000 * k;
        for (uint32_t l = 1; l <= WAITING; l++) {
            tcfh_send(h, 0, base + 1999 + 150 * k, l, 7, 8); /* each time a jump */
            for (uint64_t i = 0; i < PLAIN; i++)
                plain(h, l, base + 10 * i);
            tcfh_send(h, l, base + 1400, BEHIND, 7, 8);
            tcfh_receive(h, l, base + 1900, 0, 7, 8);
        }
    }
    for (uint64_t i = 0; i < 3000; i++)
        plain(h, BEHIND, 10 * i);
    for (uint64_t k = 0; k < JUMPS; k++)
        for (uint32_t l = 1; l <= WAITING; l++)
            tcfh_receive(h, BEHIND, hour + 400000, l, 7, 8);
    run_in(h, "memory = 1MiB\nlookahead = 0\nslice = 4\n", "");
    assert_true(counted(h, "guessed_sources") > 0);
    assert_true(tcfh_note(h, "released_early") > 0);
    assert_true(tcfh_note(h, "released_early") < WAITING * JUMPS); /* jumps that go in a row count once */
    tcfh_delete(h);
}

static void in_order_is_left_alone(void **state)
{
    (void)state;
    tcfh *h = ring(5, 0, 1); /* all clocks alike, and received a step later than sent */
    for (uint64_t cut = 0; cut < 3; cut++) {
        tcfh_cut(h, cut);
        run_in(h, "verify = yes\n", "max_interval = 5us\n");
        assert_int_equal(counted(h, "moved"), 0);
    }
    tcfh_delete(h);
}

/* A causal segment behind: it gets everything, in an order that it can work with. */
static void check_behind(void **state)
{
    (void)state;
    tcfh *h = ring(6, 900, 2);
    for (uint64_t cut = 0; cut < 3; cut++) {
        tcfh_cut(h, cut);
        tcfh_run(h, "[pipeline]\nchain = clc_forward clc_backward check\nmemory = 1MiB\nlookahead = 4\n"
                    "[clc_forward]\noutput = ${SCRATCH}/forward\noverwrite = yes\n"
                    "[clc_backward]\noutput = ${SCRATCH}/backward\noverwrite = yes\n"
                    "[check]\nformat = csv\noutput = ${SCRATCH}/check\noverwrite = yes\n");
        assert_non_null(strstr(tcfh_text(h, "check"), "clock_violations,0,"));
    }
    tcfh_delete(h);
}

static void needs_forward(void **state)
{
    (void)state;
    tcfh *h = processes(1);
    plain(h, 0, 1);
    assert_int_equal(tcfh_try(h, "[pipeline]\nchain = clc_backward\n"), TCF_ERROR);
    assert_non_null(strstr(tcfh_error(h), "clc_forward"));
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),
        cmocka_unit_test(send_limits),
        cmocka_unit_test(no_room),
        cmocka_unit_test(collectives_limit),
        cmocka_unit_test(lock_limits),
        cmocka_unit_test(last_release),
        cmocka_unit_test(first_event_jumps),
        cmocka_unit_test(flush_moves),
        cmocka_unit_test(far_out),
        cmocka_unit_test(jump_after_jump),
        cmocka_unit_test(dropped_in_between),
        cmocka_unit_test(window_does_not_matter),
        cmocka_unit_test(dry_pool),
        cmocka_unit_test(late_limit),
        cmocka_unit_test(many_wait),
        cmocka_unit_test(in_order_is_left_alone),
        cmocka_unit_test(check_behind),
        cmocka_unit_test(needs_forward),
    };
    return cmocka_run_group_tests_name("clc_backward", tests, NULL, NULL);
}
