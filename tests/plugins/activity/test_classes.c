/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What time in nested regions is: all filters say the same, on a trace that is worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/harness.h"

static void has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("no '%s' in:\n%s", words, text);
}

static void call(tcfh *h, uint64_t begin, uint64_t end, uint32_t region)
{
    tcfh_enter(h, 0, begin, region);
    tcfh_leave(h, 0, end, region);
}

/* Of 100 ticks of process 0: 12 in MPI_Recv, 8 of these in `progress`, which also runs for 3 and 2 outside of MPI; idle
 * from 40 to 60, with `poll` in it for 4, but for 7 in a task; 6 in a lock and 10 in a wait for an accelerator, each
 * with a function inside. The rest, 59, is computation, of which 7 are the task. */
static tcfh *nested(void)
{
    tcfh *h = harness_new();
    tcfh_processes(h, 2, 1);
    const uint32_t main_ = tcfh_region(h, "main"), progress = tcfh_region(h, "progress"), poll = tcfh_region(h, "poll"),
                   recv = tcfh_region(h, "MPI_Recv"), lock = tcfh_region(h, "pthread_mutex_lock"),
                   futex = tcfh_region(h, "futex"), wait = tcfh_region(h, "cuStreamSynchronize"),
                   spin = tcfh_region(h, "spin"),
                   idle = tcfh_region_as(h, "wait for work", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_USER),
                   task = tcfh_region_as(h, "a task", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
    tcfh_enter(h, 0, 0, main_);
    tcfh_enter(h, 0, 10, recv);
    call(h, 12, 20, progress);
    tcfh_leave(h, 0, 22, recv);
    call(h, 30, 33, progress);
    tcfh_enter(h, 0, 40, idle);
    call(h, 42, 46, poll);
    tcfh_enter(h, 0, 48, task);
    call(h, 50, 52, progress);
    tcfh_leave(h, 0, 55, task);
    tcfh_leave(h, 0, 60, idle);
    tcfh_enter(h, 0, 70, lock);
    call(h, 71, 75, futex);
    tcfh_leave(h, 0, 76, lock);
    tcfh_enter(h, 0, 80, wait);
    call(h, 82, 88, spin);
    tcfh_leave(h, 0, 90, wait);
    tcfh_leave(h, 0, 100, main_);
    tcfh_enter(h, 1, 0, main_);
    tcfh_leave(h, 1, 1, main_);
    return h;
}

static void all_say_the_same(void **state)
{
    (void)state;
    tcfh *h = nested();
    for (uint64_t cut = 0; cut < 4; cut++) {
        tcfh_cut(h, cut);
        const char *text = harness_report(h, "efficiency", "");
        has(text, ",59,6,12,10,0,88,100,13,"); /* ideal: nothing that came has ended the idle time */
        text = harness_report(h, "comm_comp", "");
        has(text, ",0,59,0,12,0,16,0,0,13,");
        text = harness_report(h, "load_imbalance", "");
        has(text, "\nidle_time,0,rank 0,2.5e-08,25,1e-07,25,100,"); /* MPI_Recv is in its list */
        text = harness_report(h, "wait_states", "");
        has(text, ",mpi_point2point,mpi_communication,s,12,");
        has(text, ",pthread_lock_api,pthread_synchronization,s,6,");
        has(text, ",idle,time,s,13,");
        has(text, ",comp,execution,s,70,"); /* with the accelerator, and the tick of process 1 */
        text = harness_report(h, "activity", "");
        has(text, ",progress,mpi_point2point,MPI point-to-point communication,8e-09,8,");
        has(text, ",progress,comp,Computation,5e-09,5,");
        has(text, ",MPI_Recv,mpi_point2point,MPI point-to-point communication,4e-09,4,");
        has(text, ",poll,idle,Idle,4e-09,4,");
        has(text, ",wait for work,idle,Idle,9e-09,9,");
        has(text, ",a task,comp,Computation,5e-09,5,");
        has(text, ",futex,pthread_lock_api,POSIX threads mutex,4e-09,4,");
        has(text, ",spin,accelerator,Accelerator,6e-09,6,");
    }
    tcfh_delete(h);
}

/* What a user has listed comes before what is around. */
static void the_user_decides(void **state)
{
    (void)state;
    tcfh *h = nested();
    const char *text = harness_report(h, "comm_comp", "computation = progress\n");
    has(text, ",0,67,0,4,0,16,0,0,13,");
    tcfh_delete(h);
}

/* A name says it where no role does; a wait for tasks of OpenMP is a construct of it. */
static void names_and_roles(void **state)
{
    (void)state;
    tcfh *h = harness_new();
    tcfh_processes(h, 1, 1);
    const uint32_t regions[] = {
        tcfh_region_as(h, "Idle", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER),
        tcfh_region_as(h, "COMPUTE_IDLE", OTF2_REGION_ROLE_ARTIFICIAL, OTF2_PARADIGM_CUDA),
        tcfh_region_as(h, "!$omp idle", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_OPENMP),
        tcfh_region_as(h, "anything", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_COMPILER),
        tcfh_region_as(h, "!$omp taskwait", OTF2_REGION_ROLE_TASK_WAIT, OTF2_PARADIGM_OPENMP),
        tcfh_region_as(h, "PMPI_Wait [libmpi.so]", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER),
        tcfh_region_as(h, "Idle hands", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER),
        tcfh_region_as(h, "shmem_put", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_SHMEM),
    };
    for (uint32_t i = 0; i < TCF_COUNT(regions); i++)
        call(h, 10 * i, 10 * i + 1 + i, regions[i]);
    const char *text = harness_report(h, "activity", "");
    has(text, ",Idle,idle,Idle,1e-09,1,");
    has(text, ",COMPUTE_IDLE,idle,Idle,2e-09,2,");
    has(text, ",!$omp idle,idle,Idle,3e-09,3,");
    has(text, ",anything,idle,Idle,4e-09,4,");
    has(text, ",!$omp taskwait,omp_synchronization,OpenMP synchronization,5e-09,5,");
    has(text, ",PMPI_Wait [libmpi.so],mpi_point2point,MPI point-to-point communication,6e-09,6,");
    has(text, ",Idle hands,comp,Computation,7e-09,7,");
    has(text, ",shmem_put,communication,Communication without MPI,8e-09,8,");
    tcfh_delete(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_say_the_same),
        cmocka_unit_test(the_user_decides),
        cmocka_unit_test(names_and_roles),
    };
    return cmocka_run_group_tests_name("classes of time", tests, NULL, NULL);
}
