/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Waits of collective operations, windows and threads in the filter `wait_states` on small traces, worked out by hand
 * from plugins/wait_states/README.md. */
#include "expect.h"

/* --------------------------------------------------------------------------------------------------- collectives -- */

static void collective_in(tcfh *h, uint32_t location, uint64_t enter, uint64_t end, uint8_t op, uint32_t comm,
                          uint32_t root)
{
    tcfh_enter(h, location, enter, mpi_call);
    tcfh_collective(h, location, enter + 1, end, op, comm, root);
    tcfh_leave(h, location, end + 1, mpi_call);
}

/* Four members enter at 100, 400, 300, 200 and end at 450 to 480. */
static tcfh *four(uint8_t op, uint32_t root)
{
    static const uint64_t enter[] = {100, 400, 300, 200}, end[] = {450, 460, 470, 480};
    tcfh *h = processes(4, 1);
    for (uint32_t l = 0; l < 4; l++)
        collective_in(h, l, enter[l], end[l], op, 0, root);
    return h;
}

static void barrier(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_barrier_wait", 0, 100, 300, 1, 400, 0}, {"mpi_barrier_wait", 2, 300, 100, 1, 400, 0},
           {"mpi_barrier_wait", 3, 200, 200, 1, 400, 0}, {"mpi_barrier_completion", 1, 450, 10, 0, 450, 0},
           {"mpi_barrier_completion", 2, 450, 20, 0, 450, 0}, {"mpi_barrier_completion", 3, 450, 30, 0, 450, 0});
    tcfh_delete(h);
}

static void n_to_n(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 300, 1, 400, 0}, {"mpi_wait_nxn", 2, 300, 100, 1, 400, 0},
           {"mpi_wait_nxn", 3, 200, 200, 1, 400, 0}, {"mpi_nxn_completion", 1, 450, 10, 0, 450, 0},
           {"mpi_nxn_completion", 2, 450, 20, 0, 450, 0}, {"mpi_nxn_completion", 3, 450, 30, 0, 450, 0});
    tcfh_delete(h);
}

static void broadcast(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_BCAST, 2); /* rank 1 comes after its root */
    EXPECT(h, "", {"mpi_latebroadcast", 0, 100, 200, 2, 300, 0}, {"mpi_latebroadcast", 3, 200, 100, 2, 300, 0});
    tcfh_delete(h);
}

static void reduce(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_REDUCE, 0);
    EXPECT(h, "", {"mpi_earlyreduce", 0, 100, 300, 1, 400, 0});
    tcfh_delete(h);
    h = four(OTF2_COLLECTIVE_OP_REDUCE, 1); /* the root comes last */
    expect_none(h, "");
    tcfh_delete(h);
}

static void scan(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_SCAN, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_earlyscan", 2, 300, 100, 1, 400, 0}, {"mpi_earlyscan", 3, 200, 200, 1, 400, 0});
    tcfh_delete(h);
}

/* Rank 1 has nothing to give, rank 2 gets nothing. */
static void nothing_to_give(void **state)
{
    (void)state;
    static const uint64_t enter[] = {100, 400, 300, 200}, bytes[4][2] = {{8, 8}, {0, 8}, {8, 0}, {8, 8}};
    tcfh *h = processes(4, 1);
    for (uint32_t l = 0; l < 4; l++) {
        tcfh_enter(h, l, enter[l], mpi_call);
        tcfh_collective_begin(h, l, enter[l] + 1);
        tcfh_collective_end(h, l, 500,
                            (tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLTOALLV, 0, OTF2_UNDEFINED_UINT32,
                                                        bytes[l][0], bytes[l][1]});
        tcfh_leave(h, l, 500, mpi_call);
    }
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 200, 2, 300, 0}, {"mpi_wait_nxn", 3, 200, 100, 2, 300, 0});
    tcfh_delete(h);
}

static void inter_communicator(void **state)
{
    (void)state;
    tcfh *h = processes(4, 1);
    uint32_t inter = tcfh_inter_comm(h, "inter", 2, (uint32_t[]){0, 1}, 2, (uint32_t[]){2, 3});
    static const uint64_t enter[] = {100, 200, 300, 400};
    for (uint32_t l = 0; l < 4; l++)
        collective_in(h, l, enter[l], 500 + l, OTF2_COLLECTIVE_OP_ALLREDUCE, inter, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_wait_nxn", 0, 100, 300, 3, 400, 0}, {"mpi_wait_nxn", 1, 200, 200, 3, 400, 0},
           {"mpi_nxn_completion", 1, 500, 1, 0, 500, 0}, {"mpi_nxn_completion", 3, 502, 1, 2, 502, 0});
    tcfh_delete(h);
}

static void reversed_collectives_are_cut(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    collective_in(h, 0, 100, 150, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    collective_in(h, 1, 400, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    EXPECT(h, "", {"mpi_barrier_wait", 0, 100, 50, 1, 400, 1}, {"mpi_barrier_completion", 1, 400, 50, 0, 150, 0});
    harness_line(tcfh_text(h, "report"), "clocks,collectives,2,1");
    tcfh_delete(h);
}

static void incomplete_operations_count_for_nothing(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    collective_in(h, 0, 100, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    collective_in(h, 1, 400, 450, OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32);
    tcfh_enter(h, 2, 10, work);
    expect_none(h, "");
    tcfh_delete(h);
}

/* Two non-blocking operations that one call completes: the longer wait counts, from when the call was entered. */
static void non_blocking(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    static const uint64_t post[2][2] = {{100, 120}, {300, 500}}, complete[] = {200, 510};
    for (uint32_t l = 0; l < 2; l++) {
        for (uint64_t r = 0; r < 2; r++) {
            tcfh_enter(h, l, post[l][r], mpi_call);
            tcfh_event(h, l, post[l][r] + 1, TCF_NON_BLOCKING_COLLECTIVE_REQUEST,
                       &(tcf_ev_non_blocking_collective_request){r});
            tcfh_leave(h, l, post[l][r] + 2, mpi_call);
        }
        tcfh_enter(h, l, complete[l], mpi_call);
        for (uint64_t r = 0; r < 2; r++)
            tcfh_event(h, l, 600 + r, TCF_NON_BLOCKING_COLLECTIVE_COMPLETE,
                       &(tcf_ev_non_blocking_collective_complete){r ? OTF2_COLLECTIVE_OP_BARRIER
                                                                    : OTF2_COLLECTIVE_OP_ALLREDUCE,
                                                                  0, OTF2_UNDEFINED_UINT32, 8, 8, r});
        tcfh_leave(h, l, 610, mpi_call);
    }
    EXPECT(h, "", {"mpi_barrier_wait", 0, 200, 300, 1, 500, 0});
    tcfh_delete(h);
}

/* 2^63 bytes sent and as many received are an exchange, not an operation without data. */
static void large_sizes(void **state)
{
    (void)state;
    static const uint64_t half = UINT64_C(1) << 63;
    tcfh *h = processes(2, 1);
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 100, mpi_call);
        tcfh_event(h, l, 100, TCF_MPI_COLLECTIVE_BEGIN, &(tcf_ev_mpi_collective_begin){0});
        tcfh_event(h, l, 200, TCF_MPI_COLLECTIVE_END,
                   &(tcf_ev_mpi_collective_end){OTF2_COLLECTIVE_OP_ALLTOALL, 0, OTF2_UNDEFINED_UINT32, half, half});
        tcfh_leave(h, l, 210, mpi_call);
    }
    run(h, "");
    if (!strstr(tcfh_text(h, "report"), ",2,occ,comms_cxch,"))
        fail_msg("no two exchanges in:\n%s", tcfh_text(h, "report"));
    tcfh_delete(h);
}

/* A call of two that takes 2^62 ticks waits all of that but 7 in a barrier: 10 ticks in both are what is left to
 * completing it. */
static void long_waits(void **state)
{
    (void)state;
    static const uint64_t far = UINT64_C(1) << 62;
    tcfh *h = processes(2, 1);
    const uint32_t begins = tcfh_region(h, "MPI_Ibarrier"), waits = tcfh_region(h, "MPI_Wait");
    const uint64_t begin[] = {100, far + 200}, wait[] = {200, far + 203}, leave[] = {far + 207, far + 206};
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, begin[l], begins);
        tcfh_event(h, l, begin[l], TCF_NON_BLOCKING_COLLECTIVE_REQUEST, &(tcf_ev_non_blocking_collective_request){1});
        tcfh_leave(h, l, begin[l] + 1, begins);
        tcfh_enter(h, l, wait[l], waits);
        tcfh_event(h, l, far + 205, TCF_NON_BLOCKING_COLLECTIVE_COMPLETE,
                   &(tcf_ev_non_blocking_collective_complete){OTF2_COLLECTIVE_OP_BARRIER, 0, OTF2_UNDEFINED_UINT32, 0,
                                                              0, 1});
        tcfh_leave(h, l, leave[l], waits);
    }
    EXPECT(h, "", {"mpi_barrier_wait", 0, 200, UINT64_C(1) << 62, 1, (UINT64_C(1) << 62) + 200, 0});
    const char *text = tcfh_text(h, "report");
    if (!strstr(text, ",mpi_point2point,mpi_communication,s,10,"))
        fail_msg("no 10 ticks of mpi_point2point in:\n%s", text);
    tcfh_delete(h);
}

static void init_and_finalize(void **state)
{
    (void)state;
    tcfh *h = processes(3, 1);
    uint32_t init = tcfh_region(h, "MPI_Init"), finalize = tcfh_region(h, "MPI_Finalize");
    static const uint64_t left[] = {50, 40, 70}, last[] = {300, 100, 200};
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_enter(h, l, 10 + 20 * (l == 2), init);
        tcfh_leave(h, l, left[l], init);
        tcfh_enter(h, l, last[l], finalize);
        tcfh_leave(h, l, 400, finalize);
    }
    EXPECT(h, "", {"mpi_init_completion", 0, 40, 10, 1, 40, 0}, {"mpi_init_completion", 2, 40, 30, 1, 40, 0},
           {"mpi_finalize_wait", 1, 100, 200, 0, 300, 0}, {"mpi_finalize_wait", 2, 200, 100, 0, 300, 0});
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- windows -- */

static void window_op(tcfh *h, uint32_t location, uint64_t enter, uint64_t end, uint32_t region, uint32_t window,
                      uint8_t op, uint32_t level)
{
    tcfh_enter(h, location, enter, region);
    tcfh_event(h, location, enter + 1, TCF_RMA_COLLECTIVE_BEGIN, &(tcf_ev_rma_collective_begin){0});
    tcfh_event(h, location, end, TCF_RMA_COLLECTIVE_END, &(tcf_ev_rma_collective_end){op, level, window, 0, 0, 0});
    tcfh_leave(h, location, end + 1, region);
}

static void windows_made_fenced_and_freed(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    uint32_t window = tcfh_window(h, 0), create = tcfh_region(h, "MPI_Win_create"),
             fence = tcfh_region(h, "MPI_Win_fence"), end = tcfh_region(h, "MPI_Win_free");
    for (uint32_t l = 0; l < 2; l++) {
        window_op(h, l, 100 + 50 * l, 200, create, window, OTF2_COLLECTIVE_OP_CREATE_HANDLE, OTF2_RMA_SYNC_LEVEL_NONE);
        window_op(h, l, 340 - 40 * l, 400, fence, window, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS);
        window_op(h, l, 500 + 30 * l, 600, end, window, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, OTF2_RMA_SYNC_LEVEL_NONE);
    }
    EXPECT(h, "", {"mpi_rma_wait_at_create", 0, 100, 50, 1, 150, 0}, {"mpi_rma_wait_at_fence", 1, 300, 40, 0, 340, 0},
           {"mpi_rma_wait_at_free", 0, 500, 30, 1, 530, 0});
    tcfh_delete(h);
}

enum { POST, START, COMPLETE, WAIT, SYNCS, RANKS = 4 };

/* What all events of windows refer to. */
struct windows {
    uint32_t region[SYNCS], put, window, of[RANKS]; /* of: the group of one rank */
};

static uint32_t group_index(tcfh *h, uint32_t id)
{
    const tcf_ids *ids = &tcfh_definitions(h)->ids[TCF_REF_GROUP];
    uint32_t i = 0;
    while (i < ids->n && ids->id[i] != id)
        i++;
    return i;
}

static struct windows define_windows(tcfh *h, uint32_t ranks)
{
    static const char *const name[SYNCS] = {"MPI_Win_post", "MPI_Win_start", "MPI_Win_complete", "MPI_Win_wait"};
    static uint64_t member[RANKS];
    struct windows w = {.window = tcfh_window(h, 0), .put = tcfh_region(h, "MPI_Put")};
    for (int i = 0; i < SYNCS; i++)
        w.region[i] = tcfh_region(h, name[i]);
    for (uint32_t r = 0; r < ranks; r++) {
        member[r] = r;
        tcfh_define(h, TCF_DEF_GROUP,
                    &(tcf_def_group){.self = 700 + r,
                                     .name = OTF2_UNDEFINED_STRING,
                                     .group_type = OTF2_GROUP_TYPE_COMM_GROUP,
                                     .paradigm = OTF2_PARADIGM_MPI,
                                     .number_of_members = 1,
                                     .members = &member[r]});
    }
    for (uint32_t r = 0; r < ranks; r++)
        w.of[r] = group_index(h, 700 + r);
    return w;
}

/* With the other side's rank. */
static void group_sync(tcfh *h, const struct windows *w, uint32_t location, int what, uint64_t enter, uint64_t leave,
                       uint32_t other)
{
    tcfh_enter(h, location, enter, w->region[what]);
    tcfh_event(h, location, enter, TCF_RMA_GROUP_SYNC,
               &(tcf_ev_rma_group_sync){OTF2_RMA_SYNC_LEVEL_PROCESS, w->window, w->of[other]});
    tcfh_leave(h, location, leave, w->region[what]);
}

/* Two epochs: in the first the start waits for the post, in the second the complete does. The target waits for both. */
static void two_epochs(tcfh *h, const struct windows *w, uint32_t origin, uint32_t target, uint64_t t)
{
    group_sync(h, w, origin, START, t + 100, t + 210, target); /* waits for the post */
    tcfh_enter(h, origin, t + 220, w->put);
    tcfh_event(h, origin, t + 230, TCF_RMA_PUT, &(tcf_ev_rma_put){w->window, target, 8, 1});
    tcfh_leave(h, origin, t + 240, w->put);
    group_sync(h, w, origin, COMPLETE, t + 300, t + 310, target);
    group_sync(h, w, origin, START, t + 400, t + 410, target); /* doesn't */
    group_sync(h, w, origin, COMPLETE, t + 450, t + 520, target);

    group_sync(h, w, target, POST, t + 200, t + 205, origin);
    group_sync(h, w, target, WAIT, t + 206, t + 320, origin);
    group_sync(h, w, target, POST, t + 500, t + 505, origin);
    group_sync(h, w, target, WAIT, t + 506, t + 530, origin);
}

#define OF_TWO_EPOCHS(origin, target, t)                                                                               \
    {"mpi_rma_sync_late_post", origin, t + 100, 100, target, t + 200, 0},                                              \
        {"mpi_rma_early_wait", target, t + 206, 94, origin, t + 300, 0},                                               \
        {"mpi_rma_late_complete", target, t + 240, 60, origin, t + 300, 0},                                            \
    {                                                                                                                  \
        "mpi_rma_sync_late_post", origin, t + 450, 50, target, t + 500, 0                                              \
    }

static void post_start_complete_wait(void **state)
{
    (void)state;
    tcfh *h = processes(2, 1);
    const struct windows w = define_windows(h, 2);
    two_epochs(h, &w, 0, 1, 0);
    EXPECT(h, "", OF_TWO_EPOCHS(0, 1, 0));
    tcfh_delete(h);
}

/* Four ranks are threads of one process: each waits for its own partner, though the other ones do the same earlier. */
static void windows_of_ranks_of_a_process(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 4);
    tcfh_processes(h, 1, 4);
    const struct windows w = define_windows(h, 4);
    two_epochs(h, &w, 0, 1, 17);
    two_epochs(h, &w, 2, 3, 0);
    EXPECT(h, "", OF_TWO_EPOCHS(0, 1, 17), OF_TWO_EPOCHS(2, 3, 0));
    tcfh_delete(h);
}

/* ------------------------------------------------------------------------------------------------------- threads -- */

/* A row of `patterns` has these ticks. */
static void is_time(tcfh *h, const char *name, uint64_t ticks)
{
    char middle[64], end[32];
    snprintf(middle, sizeof middle, ",%s,", name);
    snprintf(end, sizeof end, ",s,%llu,", (unsigned long long)ticks);
    const char *text = tcfh_text(h, "report");
    for (const char *line = strstr(text, "\npatterns,"); line; line = strstr(line + 1, "\npatterns,")) {
        char row[256] = "";
        memcpy(row, line + 1, strcspn(line + 1, "\r\n") < sizeof row - 1 ? strcspn(line + 1, "\r\n") : sizeof row - 1);
        const char *at = strstr(row, middle);
        if (at && strchr(at + 1, ',') && strstr(at, end))
            return;
    }
    fail_msg("%s is not %llu in\n%s", name, (unsigned long long)ticks, text);
}

/* Another call in between: what is of the fork, and what is of that call, nobody knows, so nothing is a fork's. */
static void call_between_fork_and_team(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t team = tcfh_team(h, 2, (uint32_t[]){0, 1});
    tcfh_enter(h, 0, 10, work);
    for (uint64_t t = 20; t <= 220; t += 200) {
        tcfh_event(h, 0, t, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
        if (t == 20) {
            tcfh_enter(h, 0, 22, mpi_call);
            tcfh_leave(h, 0, 24, mpi_call);
        }
        tcfh_event(h, 0, t + 10, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        tcfh_event(h, 0, t + 50, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
        tcfh_event(h, 0, t + 53, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    }
    tcfh_leave(h, 0, 500, work);
    EXPECT(h, "", {"omp_fork", 0, 220, 10, NOBODY, 0, 0}, {"omp_join", 0, 70, 3, NOBODY, 0, 0},
           {"omp_join", 0, 270, 3, NOBODY, 0, 0});
    is_time(h, "omp_management", 16);
    is_time(h, "comp", 490 - 2 - 16);
    tcfh_delete(h);
}

static void team_of_three(void **state)
{
    (void)state;
    tcfh *h = processes(1, 3);
    uint32_t team = tcfh_team(h, 3, (uint32_t[]){0, 1, 2});
    uint32_t barriers[] = {tcfh_region_as(h, "barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP),
                           tcfh_region_as(h, "implicit", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_OPENMP)};
    static const uint64_t enter[2][3] = {{100, 300, 200}, {500, 400, 600}};
    tcfh_enter(h, 0, 10, work);
    tcfh_event(h, 0, 20, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 3});
    for (uint32_t l = 0; l < 3; l++) {
        tcfh_event(h, l, 25 + l, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
        for (int b = 0; b < 2; b++) {
            tcfh_enter(h, l, enter[b][l], barriers[b]);
            tcfh_leave(h, l, b ? 610 : 310, barriers[b]);
        }
        tcfh_event(h, l, 620, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    }
    tcfh_event(h, 0, 630, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    tcfh_leave(h, 0, 700, work);
    EXPECT(h, "", {"omp_ebarrier_wait", 0, 100, 200, 1, 300, 0}, {"omp_ebarrier_wait", 2, 200, 100, 1, 300, 0},
           {"omp_ibarrier_wait", 0, 500, 100, 2, 600, 0}, {"omp_ibarrier_wait", 1, 400, 200, 2, 600, 0},
           {"omp_idle_threads", 1, 10, 16, NOBODY, 0, 0}, {"omp_idle_threads", 2, 10, 17, NOBODY, 0, 0},
           {"omp_idle_threads", 1, 620, 80, NOBODY, 0, 0}, {"omp_idle_threads", 2, 620, 80, NOBODY, 0, 0},
           {"omp_fork", 0, 20, 5, NOBODY, 0, 0}, {"omp_join", 0, 620, 10, NOBODY, 0, 0});
    /* The master's 690 without its barriers (210, 110), of which forking and joining are no computation. */
    is_time(h, "comp", 355);
    is_time(h, "omp_management", 15);
    tcfh_delete(h);
}

static void lock(tcfh *h, uint32_t location, uint32_t region, uint64_t enter, uint64_t acquire, uint64_t release,
                 uint32_t order, uint32_t id)
{
    tcfh_enter(h, location, enter, region);
    tcfh_event(h, location, acquire, TCF_THREAD_ACQUIRE_LOCK,
               &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_OPENMP, id, order});
    tcfh_leave(h, location, acquire + 1, region);
    tcfh_enter(h, location, release - 1, region);
    tcfh_event(h, location, release, TCF_THREAD_RELEASE_LOCK,
               &(tcf_ev_thread_release_lock){OTF2_PARADIGM_OPENMP, id, order});
    tcfh_leave(h, location, release + 1, region);
}

static void locks(void **state)
{
    (void)state;
    tcfh *h = processes(1, 2);
    uint32_t regions[] = {tcfh_region_as(h, "critical", OTF2_REGION_ROLE_CRITICAL, OTF2_PARADIGM_OPENMP),
                          tcfh_region_as(h, "omp_set_lock", OTF2_REGION_ROLE_WRAPPER, OTF2_PARADIGM_OPENMP),
                          tcfh_region_as(h, "pthread_mutex_lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD),
                          tcfh_region_as(h, "pthread_cond_wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD),
                          tcfh_region_as(h, "pthread_rwlock_wrlock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_PTHREAD)};
    for (uint32_t i = 0; i < TCF_COUNT(regions); i++) {
        uint64_t t = 1000 * i;
        lock(h, 0, regions[i], t + 100, t + 110, t + 300, 1, i);
        lock(h, 1, regions[i], t + 200, t + 310, t + 400, 2, i); /* waits for 100 */
        lock(h, 0, regions[i], t + 450, t + 460, t + 470, 3, i); /* free by then */
    }
    EXPECT(h, "", {"omp_lock_contention_critical", 1, 200, 100, 0, 300, 0},
           {"omp_lock_contention_api", 1, 1200, 100, 0, 1300, 0},
           {"pthread_lock_contention_mutex_lock", 1, 2200, 100, 0, 2300, 0},
           {"pthread_lock_contention_mutex_lock", 1, 4200, 100, 0, 4300, 0},
           {"pthread_lock_contention_conditional", 1, 3200, 100, 0, 3300, 0});
    tcfh_delete(h);
}

static void severities_have_a_cap(void **state)
{
    (void)state;
    tcfh *h = four(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32);
    run(h, "max_severities = 2\nby_location = yes\n");
    const char *text = tcfh_text(h, "report");
    assert_int_equal(rows(text, "limits,max_severities,4,"), 1);
    assert_int_equal(rows(text, "instances,mpi_barrier_wait,"), 3);
    tcfh_delete(h);
    h = four(OTF2_COLLECTIVE_OP_BARRIER, OTF2_UNDEFINED_UINT32);
    run(h, "max_severities = 2\n"); /* two patterns, of which locations have no rows */
    assert_int_equal(rows(tcfh_text(h, "report"), "limits,max_severities,"), 0);
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
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
        cmocka_unit_test(long_waits),
        cmocka_unit_test(large_sizes),
        cmocka_unit_test(init_and_finalize),
        cmocka_unit_test(windows_made_fenced_and_freed),
        cmocka_unit_test(post_start_complete_wait),
        cmocka_unit_test(windows_of_ranks_of_a_process),
        cmocka_unit_test(call_between_fork_and_team),
        cmocka_unit_test(team_of_three),
        cmocka_unit_test(locks),
        cmocka_unit_test(severities_have_a_cap),
    };
    return cmocka_run_group_tests_name("wait_states: operations", tests, NULL, NULL);
}
