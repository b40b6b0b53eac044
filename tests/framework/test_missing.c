/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Small programs in which members end, never come, or wait for each other, with what each event is to find, worked out
 * by hand: in any slices, and in one domain or several. test_exchange_limits.c has caps, test_letters.c many members.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <stdatomic.h>
#include <string.h>

#include "tests/support/harness.h"

enum { MOST = 8, EVENTS = 64, LONG = 100 /* bytes of messages that wait for their receives */ };

/* ------------------------------------------------------------------------------------------------------- filters -- */

/* What was found at each of a location's first events. */
static struct found {
    uint32_t turn; /* of all events */
    uint8_t flags;
    uint64_t latest, first_end, posted; /* 0: none */
} found[MOST][EVENTS];
static atomic_uint turns, complete, arrived;

static void look_at(tcf_self *self, const tcf_slice *s, const tcf_edge *e, struct found *f)
{
    const uint64_t time = s->time[e->pos];
    if (tcf_post_of(e) == TCF_POST_WAITED)
        self->host->latest(self, e, 0, &f->posted);
    else if (tcf_post_of(e) == TCF_POST_POSTED || e->flags & TCF_EDGE_SOURCE)
        self->host->publish(self, e, 0, time);
    else if (e->flags & TCF_EDGE_TARGET)
        self->host->latest(self, e, 0, &f->latest);
    if (e->flags & TCF_EDGE_TARGET && !tcf_is_message(e))
        self->host->first_end(self, e, &f->first_end);
    f->flags |= e->flags;
}

static tcf_status watch_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        struct found unused = {0}, *f = s->first + i < EVENTS ? &found[s->location][s->first + i] : &unused;
        f->turn = ++turns;
        for (const tcf_edge *e = tcf_edge_of(s, i); e; e = tcf_next_edge(s, e))
            look_at(self, s, e, f);
    }
    return TCF_OK;
}

static tcf_status watch_complete(tcf_self *self, const tcf_collective *of)
{
    (void)self;
    complete++;
    arrived += of->n_arrived;
    return TCF_OK;
}

static tcf_status waits_init(tcf_self *self)
{
    self->needs |= TCF_NEED_POSTS;
    self->rendezvous = LONG;
    return TCF_OK;
}

#define WATCH(what, its_needs, its_init)                                                                               \
    static const tcf_filter what = {                                                                                   \
        .head = TCF_FILTER_HEAD,                                                                                       \
        .name = #what,                                                                                                 \
        .version = "1",                                                                                                \
        .summary = "Notes what it finds",                                                                              \
        .needs = its_needs,                                                                                            \
        .can = TCF_CAN_DOMAINS,                                                                                        \
        .span = watch_span,                                                                                            \
        .collective_complete = watch_complete,                                                                         \
        .init = its_init,                                                                                              \
    }
WATCH(watch, TCF_NEED_EDGES, NULL);
WATCH(ends, TCF_NEED_ENDS, NULL);
WATCH(waits, TCF_NEED_EDGES, waits_init);
WATCH(leaves, TCF_NEED_SOURCE_AT_LEAVE, NULL);
WATCH(program, TCF_NEED_PROGRAM, NULL);

static tcf_status pass_span(tcf_self *self, tcf_slice *s, uint32_t from, uint32_t to)
{
    (void)self, (void)s, (void)from, (void)to;
    return TCF_OK;
}

static tcf_status pass_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}

static const tcf_filter passes = {
    .head = TCF_FILTER_HEAD,
    .name = "passes",
    .version = "1",
    .summary = "A causal segment of its own",
    .can = TCF_CAN_DOMAINS,
    .span = pass_span,
};

static const tcf_filter parts = {
    .head = TCF_FILTER_HEAD,
    .name = "parts",
    .version = "1",
    .summary = "Parts two segments",
    .can = TCF_CAN_DOMAINS,
    .slice = pass_slice,
};

/* ---------------------------------------------------------------------------------------------------------- runs -- */

static tcfh *make(uint32_t processes, uint32_t threads)
{
    tcfh *h = tcfh_new();
    tcfh_processes(h, processes, threads);
    tcfh_filter(h, &watch);
    tcfh_filter(h, &ends);
    tcfh_filter(h, &waits);
    tcfh_filter(h, &leaves);
    tcfh_filter(h, &program);
    tcfh_filter(h, &passes);
    tcfh_filter(h, &parts);
    tcfh_region(h, "work");
    return h;
}

/* Clocks of all processes begin together. */
static void begin_all(tcfh *h, uint32_t locations)
{
    for (uint32_t l = 0; l < locations; l++)
        tcfh_enter(h, l, 1, 0);
}

static uint32_t max_messages = 10;

/* Runs the chain in slices of several sizes, in one domain and in more, and checks each time what was found. */
static void each_run(tcfh *h, const char *chain, void (*check)(void), uint32_t given_up, uint32_t incomplete)
{
    static const struct {
        uint32_t slice, threads;
    } ways[] = {{1, 1}, {3, 1}, {64, 1}, {1, 2}, {64, 2}, {3, 3}, {64, 4}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        memset(found, 0, sizeof found);
        turns = complete = arrived = 0;
        tcfh_run(h,
                 "[pipeline]\nchain = %s\nslice = %u\nthreads = %u\nquantum = 1 ticks\nlookahead = 31\n"
                 "max_messages = %u\nmemory = 1MiB\n",
                 chain, ways[i].slice, ways[i].threads, max_messages);
        tcfh_unchanged(h);
        check();
        assert_int_equal(tcfh_note(h, "given_up"), given_up);
        assert_int_equal(tcfh_note(h, "incomplete_instances"), incomplete);
        assert_int_equal(tcfh_note(h, "dropped_messages"), 0);
    }
}

static int is_unmatched(uint32_t location, uint32_t event)
{
    return (found[location][event].flags & TCF_EDGE_UNMATCHED) != 0;
}

/* ------------------------------------------------------------------------------------------------- members that end --
 */

/* A rank that is left alone waits for nobody, and has nobody's number. */
static void check_alone(void)
{
    assert_true(is_unmatched(0, 2));
    assert_int_equal(found[0][2].latest, 0);
    assert_int_equal(arrived, 1);
}

static void the_last_one(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    begin_all(h, 2);
    tcfh_collective(h, 0, 10, 20, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    each_run(h, "watch", check_alone, 0, 1);
    tcfh_delete(h);
}

/* What is missing matters to higher ranks of a scan alone. */
static void check_scan_without_middle(void)
{
    assert_false(is_unmatched(0, 2));
    assert_int_equal(found[0][2].latest, 0);
    assert_false(is_unmatched(2, 2));
    assert_int_equal(found[2][2].latest, 10);
}

static void check_scan_without_first(void)
{
    assert_true(is_unmatched(1, 2));
    assert_int_equal(found[1][2].latest, 0);
    assert_false(is_unmatched(2, 2));
    assert_int_equal(found[2][2].latest, 11);
}

static void scans(void **state)
{
    (void)state;
    for (uint32_t missing = 0; missing < 2; missing++) {
        tcfh *h = make(3, 1);
        begin_all(h, 3);
        for (uint32_t l = 0; l < 3; l++)
            if (l != missing)
                tcfh_collective(h, l, 10 + l, 20 + l, OTF2_COLLECTIVE_OP_SCAN, 0, 0);
        each_run(h, "watch", missing ? check_scan_without_middle : check_scan_without_first, 0, 1);
        tcfh_delete(h);
    }
}

/* Rank 1 of a scan waits for rank 0, which ends without it; rank 2 comes when it has heard of rank 1. */
static void check_scan_goes_on(void)
{
    assert_true(is_unmatched(1, 2));
    assert_int_equal(found[2][1].latest, 30);
    assert_int_equal(found[2][3].latest, 10);
}

static void a_scan_that_waits(void **state)
{
    (void)state;
    tcfh *h = make(3, 1);
    begin_all(h, 3);
    tcfh_enter(h, 0, 100, 0);
    tcfh_collective(h, 1, 10, 12, OTF2_COLLECTIVE_OP_EXSCAN, 0, 0);
    tcfh_send(h, 1, 30, 2, 1, 8);
    tcfh_receive(h, 2, 35, 1, 1, 8);
    tcfh_collective(h, 2, 40, 50, OTF2_COLLECTIVE_OP_EXSCAN, 0, 0);
    each_run(h, "watch", check_scan_goes_on, 0, 1);
    tcfh_delete(h);
}

/* Ends that wait for all ends wait for those that come, and know the earliest of them. */
static void check_first_end(void)
{
    for (uint32_t l = 0; l < 2; l++) {
        assert_false(is_unmatched(l, 2));
        assert_int_equal(found[l][2].first_end, 20);
        assert_int_equal(found[l][2].latest, 11 - l);
    }
}

static void ends_of_those_who_come(void **state)
{
    (void)state;
    tcfh *h = make(3, 1);
    begin_all(h, 3);
    for (uint32_t l = 0; l < 2; l++)
        tcfh_collective(h, l, 10 + l, 20 + 10 * l, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    each_run(h, "ends", check_first_end, 0, 1);
    tcfh_delete(h);
}

/* One group of an inter-communicator is larger than the other, whose last rank ends without coming. That wakes who
 * waits for this group, though the other one is not there yet: its last rank waits for a message of one of them. */
static void check_groups(void)
{
    for (uint32_t l = 0; l < 2; l++) {
        assert_false(is_unmatched(l, 2));
        assert_int_equal(found[l][2].latest, 13);
    }
    assert_int_equal(found[2][1].latest, 30);
    assert_int_equal(found[2][3].latest, 13);
    assert_int_equal(found[3][2].latest, 40);
    assert_int_equal(arrived, 4);
}

static void a_group_without_its_last(void **state)
{
    (void)state;
    tcfh *h = make(5, 1);
    const uint32_t comm = tcfh_inter_comm(h, "groups", 3, (const uint32_t[]){0, 1, 2}, 2, (const uint32_t[]){3, 4});
    begin_all(h, 5);
    for (uint32_t l = 0; l < 2; l++)
        tcfh_collective(h, l, 10, 12, OTF2_COLLECTIVE_OP_ALLTOALL, comm, 0);
    tcfh_send(h, 0, 30, 2, 1, 8);
    tcfh_receive(h, 2, 35, 0, 1, 8);
    tcfh_collective(h, 2, 40, 50, OTF2_COLLECTIVE_OP_ALLTOALL, comm, 0);
    tcfh_collective(h, 3, 13, 60, OTF2_COLLECTIVE_OP_ALLTOALL, comm, 0);
    tcfh_enter(h, 4, 100, 0);
    each_run(h, "watch", check_groups, 0, 1);
    tcfh_delete(h);
}

/* Rank 1 of group B comes when rank 2, which never comes, has ended: then group A waits for nobody. */
static void check_behind_one_that_ended(void)
{
    for (uint32_t k = 0; k < 4; k++) {
        assert_int_equal(found[0][10 + 2 * k].latest, 200 + 10 * k);
        assert_int_equal(found[1][10 + 2 * k].latest, 100 + 10 * k);
    }
    assert_int_equal(arrived, 8);
}

static void behind_one_that_ended(void **state)
{
    (void)state;
    tcfh *h = make(3, 1);
    const uint32_t comm = tcfh_inter_comm(h, "groups", 1, (const uint32_t[]){0}, 2, (const uint32_t[]){1, 2});
    begin_all(h, 3);
    for (uint32_t k = 0; k < 4; k++) { /* rank 2 has time to end */
        tcfh_send(h, 0, 10 + 10 * k, 1, 1, 8);
        tcfh_receive(h, 1, 12 + 10 * k, 0, 1, 8);
        tcfh_send(h, 1, 14 + 10 * k, 0, 1, 8);
        tcfh_receive(h, 0, 16 + 10 * k, 1, 1, 8);
    }
    for (uint32_t k = 0; k < 4; k++) { /* each domain is in charge of one of them */
        tcfh_collective(h, 0, 100 + 10 * k, 105 + 10 * k, OTF2_COLLECTIVE_OP_ALLTOALL, comm, 0);
        tcfh_collective(h, 1, 200 + 10 * k, 205 + 10 * k, OTF2_COLLECTIVE_OP_ALLTOALL, comm, 0);
    }
    each_run(h, "watch", check_behind_one_that_ended, 0, 4);
    tcfh_delete(h);
}

/* A rank that no location represents never comes. */
static void check_gap(void)
{
    for (uint32_t l = 0; l < 2; l++) {
        assert_false(is_unmatched(l, 2));
        assert_int_equal(found[l][2].latest, 11 - l);
    }
}

static void a_rank_that_is_nowhere(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    const uint32_t comm = tcfh_comm(h, "odd", 3, (const uint32_t[]){0, 99, 1});
    begin_all(h, 2);
    for (uint32_t l = 0; l < 2; l++)
        tcfh_collective(h, l, 10 + l, 20 + l, OTF2_COLLECTIVE_OP_ALLREDUCE, comm, 0);
    each_run(h, "watch", check_gap, 0, 1);
    tcfh_delete(h);
}

/* Who brings nothing to a collective, and whether all do. Operations with lengths are judged by member, and barriers
 * carry nothing. */
static void check_complete(void)
{
    assert_int_equal(complete, 6);
}

static void collectives_without_data(void **state)
{
    (void)state;
    static const struct {
        uint8_t op;
        uint32_t bring; /* so many ranks, from 0 on, bring data */
    } collectives[] = {{OTF2_COLLECTIVE_OP_BCAST, 4},   {OTF2_COLLECTIVE_OP_ALLREDUCE, 0},
                       {OTF2_COLLECTIVE_OP_BCAST, 0},   {OTF2_COLLECTIVE_OP_ALLTOALLV, 0},
                       {OTF2_COLLECTIVE_OP_BARRIER, 0}, {OTF2_COLLECTIVE_OP_ALLREDUCE, 1}};
    tcfh *h = make(4, 1);
    begin_all(h, 4);
    for (uint64_t k = 0; k < sizeof collectives / sizeof *collectives; k++)
        for (uint32_t l = 0; l < 4; l++) {
            const uint64_t bytes = l < collectives[k].bring ? 8 : 0;
            tcfh_collective_begin(h, l, 100 * k + 10 + l);
            tcfh_collective_end(h, l, 100 * k + 20 + l,
                                (tcf_ev_mpi_collective_end){collectives[k].op, 0, 0, bytes, bytes});
        }
    each_run(h, "watch", check_complete, 0, 0);
    assert_int_equal(tcfh_note(h, "empty_collectives"), 2);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        tcfh_run(h, "[pipeline]\nchain = ends\nthreads = %u\n", threads);
        assert_int_equal(tcfh_note(h, "empty_collectives"), 2);
    }
    tcfh_delete(h);
}

/* --------------------------------------------------------------------------------- those who wait for each other -- */

/* Rank 0 waits at its end for that of rank 1, which waits for a message that rank 0 sends afterwards. The end goes on:
 * not without its sources, but without the other end. */
static void check_without_ends(void)
{
    assert_false(is_unmatched(0, 2));
    assert_int_equal(found[0][2].latest, 11);
    assert_int_equal(found[1][2].latest, 30);
    assert_false(is_unmatched(1, 3));
    assert_int_equal(found[1][3].latest, 10);
}

static void ends_that_wait(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    begin_all(h, 2);
    tcfh_collective(h, 0, 10, 20, OTF2_COLLECTIVE_OP_BARRIER, 0, 0);
    tcfh_send(h, 0, 30, 1, 1, 8);
    tcfh_collective_begin(h, 1, 11);
    tcfh_receive(h, 1, 22, 0, 1, 8);
    tcfh_collective_end(h, 1, 25, (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_BARRIER, 0, 0, 0, 0});
    each_run(h, "ends", check_without_ends, 0, 1);
    tcfh_delete(h);
}

/* Who waits at a collective that is given up goes on with the others, whatever comes before its turn. */
static void check_all_of_them(void)
{
    assert_true(is_unmatched(0, 2));
    assert_true(is_unmatched(1, 2));
    assert_int_equal(found[2][1].latest, 30);
    assert_false(is_unmatched(2, 3));
    assert_int_equal(found[2][3].latest, 11);
}

static void all_that_wait_go_on(void **state)
{
    (void)state;
    tcfh *h = make(3, 1);
    begin_all(h, 3);
    for (uint32_t l = 0; l < 2; l++)
        tcfh_collective(h, l, 10 + l, l == 0 ? 20 : 45, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    tcfh_send(h, 0, 30, 2, 1, 8);
    tcfh_receive(h, 2, 32, 0, 1, 8);
    tcfh_collective(h, 2, 40, 50, OTF2_COLLECTIVE_OP_ALLREDUCE, 0, 0);
    each_run(h, "watch", check_all_of_them, 2, 1);
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------- windows and teams -- */

/* Two of three ranks meet on a window of their own, which has the number of another communicator. */
static void check_windows(void)
{
    assert_int_equal(complete, 2);
    assert_int_equal(arrived, 5);
    assert_int_equal(found[1][2].latest, 12);
    assert_int_equal(found[2][2].latest, 11);
    for (uint32_t l = 0; l < 3; l++)
        assert_int_equal(found[l][l > 0 ? 4 : 2].latest, l == 2 ? 31 : 32);
}

static void windows(void **state)
{
    (void)state;
    tcfh *h = make(3, 1);
    const uint32_t two = tcfh_comm(h, "two", 2, (const uint32_t[]){1, 2}),
                   window[] = {tcfh_window(h, two), tcfh_window(h, 0)};
    begin_all(h, 3);
    for (uint32_t l = 0; l < 3; l++)
        for (uint32_t k = l > 0 ? 0 : 1; k < 2; k++) {
            tcfh_event(h, l, 10 + 20 * k + l, TCF_RMA_COLLECTIVE_BEGIN, &(tcf_ev_rma_collective_begin){0});
            tcfh_event(h, l, 20 + 20 * k + l, TCF_RMA_COLLECTIVE_END,
                       &(tcf_ev_rma_collective_end){OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, window[k],
                                                    0, 0, 0});
        }
    each_run(h, "watch", check_windows, 0, 0);
    tcfh_delete(h);
}

/* Threads of a team begin behind the fork and end before the join, whatever their clocks say. */
static void check_team(void)
{
    for (uint32_t l = 0; l < 3; l++) {
        const uint32_t begin = l == 0 ? 2 : 1;
        assert_true(found[l][begin].turn > found[0][1].turn);
        assert_int_equal(found[l][begin].latest, l > 0 ? 100 : 0);
        assert_true(found[l][begin + 1].turn < found[0][4].turn);
    }
    assert_int_equal(found[0][4].latest, 1002);
}

static void a_team(void **state)
{
    (void)state;
    tcfh *h = make(1, 3);
    const uint32_t team = tcfh_team(h, 3, (const uint32_t[]){0, 1, 2});
    begin_all(h, 3);
    tcfh_event(h, 0, 100, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_event(h, l, l > 0 ? 10 * l : 101, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, l, l > 0 ? 1000 + l : 102, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    tcfh_event(h, 0, 103, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    each_run(h, "watch", check_team, 0, 0);
    tcfh_delete(h);
}

/* A thread begins behind its creation, and is waited for behind its end; a lock is taken behind its release. */
static void check_threads(void)
{
    assert_int_equal(found[1][1].latest, 100);
    assert_true(found[1][1].turn > found[0][1].turn);
    assert_int_equal(found[0][2].latest, 300);
    assert_true(found[0][2].turn > found[1][4].turn);
    assert_int_equal(found[2][1].latest, 200);
    assert_true(found[2][1].turn > found[1][3].turn);
    assert_false(is_unmatched(1, 1) || is_unmatched(0, 2) || is_unmatched(2, 1));
}

static void threads_and_a_lock(void **state)
{
    (void)state;
    for (int omp = 0; omp < 2; omp++) {
        const enum tcf_kind acquire = omp ? TCF_OMP_ACQUIRE_LOCK : TCF_THREAD_ACQUIRE_LOCK,
                            release = omp ? TCF_OMP_RELEASE_LOCK : TCF_THREAD_RELEASE_LOCK;
        const tcf_ev_thread_acquire_lock of_threads[] = {{OTF2_PARADIGM_PTHREAD, 7, 1}, {OTF2_PARADIGM_PTHREAD, 7, 2}};
        const tcf_ev_omp_acquire_lock of_openmp[] = {{7, 1}, {7, 2}};
        const void *lock[] = {omp ? (const void *)&of_openmp[0] : &of_threads[0],
                              omp ? (const void *)&of_openmp[1] : &of_threads[1]};
        tcfh *h = make(1, 3);
        const tcf_ev_thread_create thread = {tcfh_team(h, 3, (const uint32_t[]){0, 1, 2}), 1};
        begin_all(h, 3);
        tcfh_event(h, 0, 100, TCF_THREAD_CREATE, &thread);
        tcfh_event(h, 0, 110, TCF_THREAD_WAIT, &thread);
        tcfh_event(h, 1, 10, TCF_THREAD_BEGIN, &thread);
        tcfh_event(h, 1, 20, acquire, lock[0]);
        tcfh_event(h, 1, 200, release, lock[0]);
        tcfh_event(h, 1, 300, TCF_THREAD_END, &thread);
        tcfh_event(h, 2, 15, acquire, lock[1]);
        tcfh_event(h, 2, 30, release, lock[1]);
        each_run(h, "watch", check_threads, 0, 0);
        tcfh_delete(h);
    }
}

/* -------------------------------------------------------------------------------------------------------- calls -- */

/* A send counts when its call is left: not at another event in the call, nor where a call inside it is left. */
static void check_left(void)
{
    assert_true(found[1][1].turn > found[0][6].turn);
    assert_int_equal(found[1][1].latest, 12);
    for (uint32_t i = 0; i < 8; i++)
        assert_true(!(found[0][i].flags & TCF_EDGE_LEFT) == (i != 6));
}

static void a_call_with_other_events(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    const uint32_t metric = tcfh_metric(h, "cycles", OTF2_TYPE_UINT64), call = tcfh_region(h, "MPI_Send");
    begin_all(h, 2);
    tcfh_enter(h, 0, 11, call);
    tcfh_send(h, 0, 12, 1, 1, 8);
    tcfh_metric_value(h, 0, 13, metric, OTF2_TYPE_UINT64, 1);
    tcfh_enter(h, 0, 14, 0);
    tcfh_leave(h, 0, 15, 0);
    tcfh_leave(h, 0, 16, call);
    tcfh_enter(h, 0, 17, 0);
    tcfh_receive(h, 1, 5, 0, 1, 8);
    each_run(h, "leaves", check_left, 0, 0);
    tcfh_delete(h);
}

/* MPI_Init is a collective for filters that want it as one. Regions may have no name. */
static void check_no_program(void)
{
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < 4; i++)
            assert_int_equal(found[l][i].flags, 0);
    assert_int_equal(complete, 0);
}

static void check_program(void)
{
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t i = 0; i < 4; i++)
            assert_true((found[l][i].flags != 0) == (i == 2 || i == 3));
    assert_int_equal(complete, 1);
    assert_int_equal(arrived, 2);
}

static void the_program(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    const uint32_t init = tcfh_region(h, "MPI_Init");
    const tcf_def_region nameless = {.self = 999,
                                     .name = 7777777,
                                     .canonical_name = 7777777,
                                     .source_file = UINT32_MAX};
    tcfh_define(h, TCF_DEF_REGION, &nameless);
    begin_all(h, 2);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 10, init + 1);
        tcfh_enter(h, l, 20, init);
        tcfh_leave(h, l, 30, init);
    }
    each_run(h, "watch", check_no_program, 0, 0);
    each_run(h, "program", check_program, 0, 0);
    tcfh_delete(h);
}

/* Each receive waits for a send that waits for what comes behind the receive. It goes on alone, and leaves nothing when
 * its send has come: neither in its domain, nor in that of the send. */
static void check_before_their_sends(void)
{
    for (uint32_t k = 0; k < 15; k++) {
        assert_true(is_unmatched(0, 2 * k + 2) && is_unmatched(1, 2 * k + 1));
        assert_int_equal(found[0][2 * k + 1].latest, 100 * k + 30);
    }
}

static void receives_before_their_sends(void **state)
{
    (void)state;
    tcfh *h = make(2, 1);
    begin_all(h, 2);
    for (uint64_t k = 0; k < 50; k++) {
        tcfh_receive(h, 1, 100 * k + 20, 0, 5, 8);
        tcfh_send(h, 1, 100 * k + 30, 0, 1, 8);
        tcfh_receive(h, 0, 100 * k + 35, 1, 1, 8);
        tcfh_send(h, 0, 100 * k + 40, 1, 5, 8);
    }
    each_run(h, "watch", check_before_their_sends, 50, 0);
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------ sends that wait -- */

static const char *const chains[] = {"waits", "passes parts waits"};
static uint32_t send_call, receive_call;

static tcfh *make_calls(uint32_t processes)
{
    tcfh *h = make(processes, 1);
    send_call = tcfh_region(h, "MPI_Send");
    receive_call = tcfh_region(h, "MPI_Recv");
    return h;
}

static void send_in_call(tcfh *h, uint32_t from, uint64_t enter, uint64_t leave, uint32_t to)
{
    tcfh_enter(h, from, enter, send_call);
    tcfh_send(h, from, enter + 1, to, 7, LONG);
    tcfh_leave(h, from, leave, send_call);
}

static void receive_in_call(tcfh *h, uint32_t at, uint64_t enter, uint64_t leave, uint32_t from)
{
    tcfh_enter(h, at, enter, receive_call);
    tcfh_receive(h, at, leave - 1, from, 7, LONG);
    tcfh_leave(h, at, leave, receive_call);
}

/* Both send before they receive, so no send can have waited for its receive. The earliest end goes on, and the other
 * one finds what is posted behind that. */
static void check_earliest(void)
{
    assert_int_equal(found[1][3].posted, 0);
    assert_int_equal(found[0][3].posted, 28);
    for (uint32_t l = 0; l < 2; l++)
        assert_int_equal(found[l][5].latest, 11);
}

static void the_earliest_guess_is_wrong(void **state)
{
    (void)state;
    tcfh *h = make_calls(2);
    begin_all(h, 2);
    for (uint32_t l = 0; l < 2; l++) {
        send_in_call(h, l, 10, l == 0 ? 25 : 20, 1 - l);
        receive_in_call(h, l, l == 0 ? 30 : 28, 40, 1 - l);
    }
    for (size_t i = 0; i < 2; i++)
        each_run(h, chains[i], check_earliest, 0, 0);
    tcfh_delete(h);
}

/* The root of a Gatherv posts a receive behind it, for which rank 1 waits; rank 2, which comes when it has heard of the
 * root, has nothing to give. That is found before the guess that rank 1 waits is given up. */
static void check_post_behind_root(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(found[1][5 + 5 * k].posted, 1000 * k + 30);
        assert_int_equal(found[2][1 + 23 * k].latest, 1000 * k + 21);
        assert_int_equal(found[0][5 + 6 * k].latest, 1000 * k + 11);
    }
}

/* Or it has, and comes when it has heard of rank 1: then rank 1 can't have waited. */
static void check_guess_behind_root(void)
{
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(found[1][5 + 6 * k].posted, 0);
        assert_int_equal(found[2][1 + 23 * k].latest, 1000 * k + 14);
        assert_int_equal(found[0][5 + 6 * k].latest, 1000 * k + 11);
    }
}

static void gatherv(tcfh *h, uint32_t rank, uint64_t begin, uint64_t end, uint64_t sent)
{
    tcfh_collective_begin(h, rank, begin);
    tcfh_collective_end(h, rank, end,
                        (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_GATHERV, 0, 0, sent, rank == 0 ? 16 : 0});
}

static void a_root_that_is_awaited(void **state)
{
    (void)state;
    max_messages = 100;
    for (int gives = 0; gives < 2; gives++) {
        tcfh *h = make_calls(3);
        begin_all(h, 3);
        for (uint64_t t = 0; t < 12000; t += 1000) {
            gatherv(h, 0, t + 5, t + 20, 8);
            if (!gives)
                tcfh_send(h, 0, t + 21, 2, 1, 8);
            else
                tcfh_enter(h, 0, t + 21, 0);
            receive_in_call(h, 0, t + 30, t + 41, 1);
            gatherv(h, 1, t + 6, t + 7, 8);
            send_in_call(h, 1, t + 10, t + 12, 0);
            if (gives)
                tcfh_send(h, 1, t + 14, 2, 1, 8);
            tcfh_receive(h, 2, t + 22, gives ? 1 : 0, 1, 8);
            for (uint32_t i = 0; i < 20; i++)
                tcfh_enter(h, 2, t + 24 + i, 0);
            gatherv(h, 2, t + 50, t + 51, gives ? 8 : 0);
        }
        for (size_t i = 0; i < 2; i++)
            each_run(h, chains[i], gives ? check_guess_behind_root : check_post_behind_root, 0, 0);
        tcfh_delete(h);
    }
    max_messages = 10;
}

/* Receives whose sender has ended are posted for nobody: they take no room from a send that waits. */
static void check_late_post(void)
{
    assert_int_equal(found[2][3].posted, 500);
}

static void posts_for_nobody(void **state)
{
    (void)state;
    tcfh *h = make_calls(3);
    begin_all(h, 3);
    for (uint64_t k = 0; k < 50; k++) {
        tcfh_event(h, 1, 100 + 4 * k, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){k});
        tcfh_event(h, 1, 101 + 4 * k, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){0, 0, 3, 8, k});
    }
    receive_in_call(h, 1, 500, 600, 2);
    send_in_call(h, 2, 450, 590, 1);
    for (size_t i = 0; i < 2; i++)
        each_run(h, chains[i], check_late_post, 0, 0);
    tcfh_delete(h);
}

/* What is posted for a rank that ends without sending takes no room from what is posted next. */
static void the_one_post(void **state)
{
    (void)state;
    tcfh *h = make_calls(3);
    begin_all(h, 3);
    tcfh_event(h, 0, 10, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){1});
    tcfh_receive(h, 0, 20, 1, 1, 8); /* the last event of rank 1 but one */
    tcfh_send(h, 1, 15, 0, 1, 8);
    tcfh_enter(h, 1, 25, 0);
    tcfh_receive(h, 0, 100, 2, 1, 8);
    receive_in_call(h, 0, 200, 300, 2);
    tcfh_event(h, 0, 310, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 7, LONG, 1}); /* never sent */
    tcfh_send(h, 2, 90, 0, 1, 8);
    send_in_call(h, 2, 250, 290, 0);
    memset(found, 0, sizeof found);
    tcfh_run(h, "[pipeline]\nchain = waits\nquantum = 1 ticks\nmax_messages = 1\n");
    assert_int_equal(found[2][4].posted, 200);
    assert_int_equal(tcfh_note(h, "given_up") + tcfh_note(h, "dropped_messages"), 0);
    tcfh_delete(h);
}

/* Posts that have come from another domain take no room from messages. */
static void check_posts_from_afar(void)
{
    for (uint32_t k = 0; k < 10; k++)
        assert_int_equal(found[1][12 + k].latest, 200);
    for (uint32_t k = 0; k < 6; k++)
        assert_int_equal(found[1][24 + 3 * k].posted, 10 + k);
}

static void posts_from_afar(void **state)
{
    (void)state;
    tcfh *h = make_calls(2);
    begin_all(h, 2);
    for (uint64_t k = 0; k < 6; k++)
        tcfh_event(h, 0, 10 + k, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){k});
    tcfh_send(h, 0, 20, 1, 1, 8);
    for (uint64_t k = 0; k < 6; k++)
        tcfh_event(h, 0, 900 + k, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){1, 0, 7, LONG, k});
    tcfh_receive(h, 1, 100, 0, 1, 8);
    for (uint32_t k = 0; k < 10; k++)
        tcfh_send(h, 1, 200, 1, 2, 8);
    for (uint32_t k = 0; k < 10; k++)
        tcfh_receive(h, 1, 300, 1, 2, 8);
    for (uint32_t k = 0; k < 6; k++)
        send_in_call(h, 1, 400 + 10 * k, 405 + 10 * k, 0);
    for (size_t i = 0; i < 2; i++)
        each_run(h, chains[i], check_posts_from_afar, 0, 0);
    tcfh_delete(h);
}

/* Wrong guesses one after another are given up in time, the earliest first: slices don't pile up behind them. */
static void guesses_take_no_memory(void **state)
{
    (void)state;
    for (uint32_t ranks = 1; ranks <= 2; ranks++) {
        tcfh *h = make_calls(ranks);
        begin_all(h, ranks);
        for (uint64_t k = 0; k < 4000; k++)
            for (uint32_t l = 0; l < ranks; l++) {
                send_in_call(h, l, 100 * k + 10, 100 * k + 21 - l, (l + 1) % ranks);
                receive_in_call(h, l, 100 * k + 30, 100 * k + 40, (l + 1) % ranks);
            }
        for (uint32_t threads = 1; threads <= ranks; threads++) {
            memset(found, 0, sizeof found);
            tcfh_run(h, "[pipeline]\nchain = passes parts waits\nthreads = %u\nmemory = 512KiB\n", threads);
            assert_int_equal(tcfh_note(h, "released_early") + tcfh_note(h, "given_up"), 0);
            for (uint32_t k = 0; 6 * k + 3 < EVENTS; k++)
                for (uint32_t l = 0; l < ranks; l++)
                    assert_int_equal(found[l][6 * k + 3].posted, l == 0 && ranks > 1 ? 100 * k + 30 : 0);
        }
        tcfh_delete(h);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_one),
        cmocka_unit_test(scans),
        cmocka_unit_test(a_scan_that_waits),
        cmocka_unit_test(ends_of_those_who_come),
        cmocka_unit_test(a_group_without_its_last),
        cmocka_unit_test(behind_one_that_ended),
        cmocka_unit_test(a_rank_that_is_nowhere),
        cmocka_unit_test(collectives_without_data),
        cmocka_unit_test(ends_that_wait),
        cmocka_unit_test(all_that_wait_go_on),
        cmocka_unit_test(windows),
        cmocka_unit_test(a_team),
        cmocka_unit_test(threads_and_a_lock),
        cmocka_unit_test(a_call_with_other_events),
        cmocka_unit_test(the_program),
        cmocka_unit_test(receives_before_their_sends),
        cmocka_unit_test(the_earliest_guess_is_wrong),
        cmocka_unit_test(a_root_that_is_awaited),
        cmocka_unit_test(posts_for_nobody),
        cmocka_unit_test(the_one_post),
        cmocka_unit_test(posts_from_afar),
        cmocka_unit_test(guesses_take_no_memory),
    };
    return cmocka_run_group_tests_name("what is missing", tests, NULL, NULL);
}
