/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_comp on small traces, worked out by hand. */
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

static const char *run(tcfh *h, const char *options)
{
    return harness_report(h, "comm_comp", options);
}

/* The ticks of the n-th row of a table: computation, overlapped, communication, io, synchronisation, management,
 * measurement, idle. */
static void row_is(const char *text, const char *table, int n, const char *ticks)
{
    char begin[64], got[200] = "none";
    snprintf(begin, sizeof begin, "%s,", table);
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        if (strncmp(line, begin, strlen(begin)) != 0 || n-- > 0)
            continue;
        const char *at = line;
        for (int field = 0; field < 11; field++)
            at = strchr(at, ',') + 1;
        snprintf(got, sizeof got, "%s", at);
        break;
    }
    if (strncmp(got, ticks, strlen(ticks)) != 0 || got[strlen(ticks)] != ',')
        fail_msg("%s: %.80s instead of %s in:\n%s", table, got, ticks, text);
}

static void isend(tcfh *h, uint64_t time, uint64_t request)
{
    tcfh_event(h, 0, time, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){.receiver = 1, .msg_length = 8, .request_id = request});
}

static void isend_complete(tcfh *h, uint64_t time, uint64_t request)
{
    tcfh_event(h, 0, time, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){.request_id = request});
}

/* The four parts of Pipit's breakdown: main computes from 0 to 100 but for calls in 10-20, 40-50 and 90-95. The
 * message of the first is completed in the second: computation in 20-40 is overlapped. That of the second never is. */
static void one_message(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "main"), call = tcfh_region(h, "MPI_Isend"), wait = tcfh_region(h, "MPI_Wait");
    tcfh_enter(h, 0, 0, work);
    tcfh_enter(h, 0, 10, call);
    isend(h, 15, 1);
    tcfh_leave(h, 0, 20, call);
    tcfh_enter(h, 0, 40, wait);
    isend_complete(h, 45, 1);
    isend(h, 46, 2);
    tcfh_leave(h, 0, 50, wait);
    tcfh_enter(h, 0, 90, wait);
    tcfh_leave(h, 0, 95, wait);
    tcfh_leave(h, 0, 100, work);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        row_is(text, "comm_comp", 0, "55,20,25,0,0,0,0,0");
        row_is(text, "totals", 0, "55,20,25,0,0,0,0,0");
        row_is(text, "locations", 0, "55,20,25,0,0,0,0,0");
        assert_non_null(strstr(text, "\noperations,2,1,0,0,1,0,0,"));
    }
    tcfh_delete(h);
}

/* Operations that overlap each other count once: 10-40 and 20-60; a third one, from 5 on, is cancelled, and one posted
 * at 50 is posted again at 70 and completed at 80. */
static void several_messages(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 2, 1);
    uint32_t work = tcfh_region(h, "main");
    tcfh_enter(h, 0, 0, work);
    isend(h, 5, 3);
    isend(h, 10, 1);
    isend(h, 20, 2);
    isend_complete(h, 40, 1);
    isend(h, 50, 4);
    isend_complete(h, 60, 2);
    isend(h, 70, 4);
    tcfh_event(h, 0, 75, TCF_MPI_REQUEST_CANCELLED, &(tcf_ev_mpi_request_cancelled){.request_id = 3});
    isend_complete(h, 80, 4);
    tcfh_leave(h, 0, 100, work);
    row_is(run(h, ""), "comm_comp", 0, "40,60,0,0,0,0,0,0");
    tcfh_delete(h);
}

/* A thread computes in 20-60 while the other one is in MPI in 30-50, and idle after it. */
static void threads(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 2);
    uint32_t work = tcfh_region(h, "work"), call = tcfh_region(h, "MPI_Recv");
    uint32_t barrier = tcfh_region_as(h, "barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP);
    tcfh_enter(h, 0, 30, call);
    tcfh_leave(h, 0, 50, call);
    tcfh_enter(h, 0, 50, barrier);
    tcfh_leave(h, 0, 90, barrier);
    tcfh_enter(h, 1, 20, work);
    tcfh_leave(h, 1, 60, work);
    tcfh_enter(h, 1, 80, barrier);
    tcfh_leave(h, 1, 95, barrier);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        row_is(text, "comm_comp", 0, "20,20,0,0,35,0,0,0");
        row_is(text, "locations", 0, "0,0,20,0,40,0,0,0");
        row_is(text, "locations", 1, "40,0,0,0,15,0,0,20");
    }
    tcfh_delete(h);
}

/* A kernel runs on a stream in 10-50, a copy in 60-70 and in 40-45; the host waits for the stream in 20-80. */
static void streams(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_streams(h, 1);
    tcfh_processes(h, 1, 2);
    uint32_t window = tcfh_window(h, 0);
    uint32_t work = tcfh_region(h, "main"), kernel = tcfh_region(h, "kernel");
    uint32_t wait = tcfh_region(h, "cudaStreamSynchronize"), copy = tcfh_region(h, "cudaMemcpyAsync");
    tcfh_enter(h, 0, 0, work);
    tcfh_enter(h, 0, 5, copy);
    tcfh_leave(h, 0, 8, copy);
    tcfh_enter(h, 0, 20, wait);
    tcfh_leave(h, 0, 80, wait);
    tcfh_leave(h, 0, 100, work);
    tcfh_enter(h, 1, 10, kernel);
    tcfh_event(h, 1, 40, TCF_RMA_PUT, &(tcf_ev_rma_put){.win = window, .matching_id = 42});
    tcfh_event(h, 1, 45, TCF_RMA_OP_COMPLETE_BLOCKING,
               &(tcf_ev_rma_op_complete_blocking){.win = window, .matching_id = 42});
    tcfh_leave(h, 1, 50, kernel);
    tcfh_event(h, 1, 60, TCF_RMA_GET, &(tcf_ev_rma_get){.win = window, .matching_id = 42});
    tcfh_event(h, 1, 70, TCF_RMA_OP_COMPLETE_BLOCKING,
               &(tcf_ev_rma_op_complete_blocking){.win = window, .matching_id = 42});
    const char *text = run(h, "");
    row_is(text, "locations", 0, "37,0,3,0,60,0,0,0");
    row_is(text, "locations", 1, "35,5,10,0,0,0,0,10");
    row_is(text, "comm_comp", 0, "62,5,13,0,20,0,0,0");
    tcfh_delete(h);
}

/* Files, measurement that is off, a flush, and what the user calls idle. */
static void the_rest(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 1);
    uint32_t work = tcfh_region(h, "main"), file = tcfh_region(h, "MPI_File_write"), rest = tcfh_region(h, "usleep");
    tcfh_enter(h, 0, 0, work);
    tcfh_enter(h, 0, 10, file);
    tcfh_leave(h, 0, 15, file);
    tcfh_event(h, 0, 20, TCF_MEASUREMENT_ON_OFF,
               &(tcf_ev_measurement_on_off){.measurement_mode = OTF2_MEASUREMENT_OFF});
    tcfh_event(h, 0, 40, TCF_MEASUREMENT_ON_OFF, &(tcf_ev_measurement_on_off){.measurement_mode = OTF2_MEASUREMENT_ON});
    tcfh_event(h, 0, 50, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){.stop_time = 53});
    tcfh_enter(h, 0, 60, rest);
    tcfh_leave(h, 0, 69, rest);
    tcfh_leave(h, 0, 100, work);
    row_is(run(h, "idle = usleep\n"), "comm_comp", 0, "63,0,0,5,0,0,23,9");
    row_is(run(h, "io = usleep\n"), "comm_comp", 0, "63,0,0,14,0,0,23,0");
    tcfh_delete(h);
}

/* A thread computes in 0-50000, but for flushes in 10-20, 60-70, and so on, of which nothing says that they are over
 * until 45, 95. The other one is in a barrier in 5-22, 25-42, 55-72, and so on. They come so often that their process
 * has to look at what has passed, in between. */
static void flushes_of_a_thread(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 2);
    const uint32_t work = tcfh_region(h, "work"), step = tcfh_region(h, "step");
    const uint32_t barrier = tcfh_region_as(h, "barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP);
    tcfh_enter(h, 0, 0, work);
    for (uint64_t t = 0; t < 50000; t += 50) {
        tcfh_event(h, 0, t + 10, TCF_BUFFER_FLUSH, &(tcf_ev_buffer_flush){.stop_time = t + 20});
        tcfh_enter(h, 0, t + 45, step);
        tcfh_leave(h, 0, t + 46, step);
        for (uint64_t at = t; at < t + 40; at += 20) {
            tcfh_enter(h, 1, at + 5, barrier);
            tcfh_leave(h, 1, at + 22, barrier);
        }
    }
    tcfh_leave(h, 0, 50000, work);
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        row_is(text, "locations", 0, "40000,0,0,0,0,0,10000,0");
        row_is(text, "comm_comp", 0, "40000,0,0,0,10000,0,0,0");
    }
    tcfh_delete(h);
}

/* What OTF2 states with the role or paradigm, and what MPI's functions are: of each region 10 ticks. */
static void kinds_of_regions(void **state)
{
    static const struct {
        const char *name;
        uint8_t role, paradigm, what; /* what: the column, 0 computation to 7 idle */
    } of[] = {
        {"MPI_Init", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, 5},
        {"MPI_Comm_split", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 5},
        {"MPI_Win_allocate", OTF2_REGION_ROLE_ALLOCATE, OTF2_PARADIGM_MPI, 5},
        {"MPI_Wtime", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, 5},
        {"MPI_Wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, 2},
        {"MPI_Barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_MPI, 2},
        {"MPI_New_send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI, 2},
        {"MPI_File_sync", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI, 3},
        {"shmem_put", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SHMEM, 2},
        {"read", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_NONE, 3},
        {"BUFFER FLUSH", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_CUDA, 6},
        {"flush_cupti_activity_buffer", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_CUDA, 6},
        {"MEASUREMENT OFF", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_USER, 6},
        {"!$omp offloading flush", OTF2_REGION_ROLE_FLUSH, OTF2_PARADIGM_MEASUREMENT_SYSTEM, 6},
        {"COMPUTE_IDLE", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_CUDA, 7},
        {"!$omp idle", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_OPENMP, 7},
        {"cudaSynchronize", OTF2_REGION_ROLE_IMPLICIT_BARRIER, OTF2_PARADIGM_CUDA, 4},
        {"pthread_create", OTF2_REGION_ROLE_THREAD_CREATE, OTF2_PARADIGM_PTHREAD, 5},
        {"pthread_join", OTF2_REGION_ROLE_THREAD_WAIT, OTF2_PARADIGM_PTHREAD, 4},
        {"pthread_barrier_wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"pthread_spin_lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"pthread_rwlock_rdlock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"pthread_mutex_lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"!$omp task", OTF2_REGION_ROLE_TASK_CREATE, OTF2_PARADIGM_OPENMP, 5},
        {"OpenMP implicit barrier", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"OpenMP barrier", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"OpenMP acquire mutex", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"OpenMP Task wait", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"OpenMP Set Nest Lock", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 4},
        {"OpenMP Untied Task create", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 5},
        {"OpenMP Task run", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0},
        {"OpenMP parallel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0},
        {"OpenMP implicit task", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0},
        {"!$omp parallel", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP, 0},
        {"_kernel", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA, 0},
        {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", OTF2_REGION_ROLE_FUNCTION,
         OTF2_PARADIGM_CUDA, 2},
        {"ncclKernel_Broadcast_RING_LL_Sum_int8_t", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_HIP, 2},
        {"ncclAllReduce", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        tcfh *h = tcfh_new();
        tcfh_processes(h, 1, 1);
        uint32_t region = tcfh_region_as(h, of[i].name, of[i].role, of[i].paradigm);
        tcfh_enter(h, 0, 0, region);
        tcfh_leave(h, 0, 10, region);
        char row[8][3] = {"0", "0", "0", "0", "0", "0", "0", "0"}, ticks[32] = "";
        strcpy(row[of[i].what], "10");
        for (int k = 0; k < 8; k++)
            sprintf(ticks + strlen(ticks), k ? ",%s" : "%s", row[k]);
        row_is(run(h, ""), "comm_comp", 0, ticks);
        tcfh_delete(h);
    }
}

/* The master forks at 20, its team begins at 30 and ends at 60, and is joined at 65: 15 of its 100 ticks are
 * management. The worker is in the team in 25-55, and idle else, so of the process 20-25 and 60-65 are management
 * alone. A second fork at 80 calls something at 84: what comes behind that is computation. */
static void teams(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_processes(h, 1, 2);
    uint32_t work = tcfh_region(h, "main"), team = tcfh_team(h, 2, (uint32_t[]){0, 1});
    tcfh_enter(h, 0, 0, work);
    tcfh_event(h, 0, 20, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
    tcfh_event(h, 0, 30, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    tcfh_event(h, 0, 60, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    tcfh_event(h, 0, 65, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
    tcfh_event(h, 0, 80, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, 2});
    tcfh_enter(h, 0, 84, work);
    tcfh_leave(h, 0, 86, work);
    tcfh_leave(h, 0, 100, work);
    tcfh_event(h, 1, 25, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    tcfh_event(h, 1, 55, TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){team});
    tcfh_event(h, 1, 100, TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){team});
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = run(h, "");
        row_is(text, "locations", 0, "81,0,0,0,0,19,0,0");
        row_is(text, "locations", 1, "30,0,0,0,0,0,0,45");
        row_is(text, "comm_comp", 0, "86,0,0,0,0,14,0,0");
    }
    tcfh_delete(h);
}

/* A group of two ranks and two other threads: each rank computes outside of all regions, the rest only where it is in a
 * team, for none of them is the first thread of the group. */
static void several_ranks(void **state)
{
    (void)state;
    tcfh *h = tcfh_new();
    tcfh_ranks(h, 2);
    tcfh_processes(h, 1, 4);
    uint32_t recv = tcfh_region(h, "MPI_Recv"), work = tcfh_region(h, "work");
    for (uint32_t l = 0; l < 2; l++) {
        tcfh_enter(h, l, 0, recv);
        tcfh_leave(h, l, 10, recv);
        tcfh_enter(h, l, 50 + 10 * l, recv);
        tcfh_leave(h, l, 100, recv);
    }
    for (uint32_t l = 2; l < 4; l++) {
        tcfh_enter(h, l, 0, work);
        tcfh_leave(h, l, 30 * (l - 1), work);
        tcfh_enter(h, l, 90, recv);
        tcfh_leave(h, l, 100, recv);
    }
    const char *text = run(h, "");
    row_is(text, "comm_comp", 0, "40,0,60,0,0,0,0,0");
    row_is(text, "comm_comp", 1, "50,0,50,0,0,0,0,0");
    row_is(text, "comm_comp", 2, "60,0,10,0,0,0,0,30");
    row_is(text, "totals", 0, "150,0,120,0,0,0,0,30");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message),
        cmocka_unit_test(several_messages),
        cmocka_unit_test(threads),
        cmocka_unit_test(streams),
        cmocka_unit_test(several_ranks),
        cmocka_unit_test(the_rest),
        cmocka_unit_test(flushes_of_a_thread),
        cmocka_unit_test(kinds_of_regions),
        cmocka_unit_test(teams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
