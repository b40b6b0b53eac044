/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the regions of random traces are: names, roles and paradigms, as measurement systems give them, and their
 * calling contexts. */
#include "random_trace_world.h"

#include <inttypes.h>

static const struct {
    const char *name;
    OTF2_RegionRole role;
} calls[] = {
    [R_MAIN] = {"main", OTF2_REGION_ROLE_FUNCTION},
    [R_INIT] = {"MPI_Init", OTF2_REGION_ROLE_COLL_OTHER},
    [R_FINALIZE] = {"MPI_Finalize", OTF2_REGION_ROLE_COLL_OTHER},
    [R_SEND] = {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT},
    [R_SSEND] = {"MPI_Ssend", OTF2_REGION_ROLE_POINT2POINT},
    [R_BSEND] = {"MPI_Bsend", OTF2_REGION_ROLE_POINT2POINT},
    [R_RSEND] = {"MPI_Rsend", OTF2_REGION_ROLE_POINT2POINT},
    [R_RECV] = {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT},
    [R_SENDRECV] = {"MPI_Sendrecv", OTF2_REGION_ROLE_POINT2POINT},
    [R_ISEND] = {"MPI_Isend", OTF2_REGION_ROLE_POINT2POINT},
    [R_IRECV] = {"MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT},
    [R_WAIT] = {"MPI_Wait", OTF2_REGION_ROLE_FUNCTION},
    [R_WAITALL] = {"MPI_Waitall", OTF2_REGION_ROLE_FUNCTION},
    [R_WAITANY] = {"MPI_Waitany", OTF2_REGION_ROLE_FUNCTION},
    [R_WAITSOME] = {"MPI_Waitsome", OTF2_REGION_ROLE_FUNCTION},
    [R_TEST] = {"MPI_Test", OTF2_REGION_ROLE_FUNCTION},
    [R_TESTALL] = {"MPI_Testall", OTF2_REGION_ROLE_FUNCTION},
    [R_CANCEL] = {"MPI_Cancel", OTF2_REGION_ROLE_FUNCTION},
    [R_COMM_SPLIT] = {"MPI_Comm_split", OTF2_REGION_ROLE_COLL_OTHER},
    [R_COMM_DUP] = {"MPI_Comm_dup", OTF2_REGION_ROLE_COLL_OTHER},
    [R_COMM_FREE] = {"MPI_Comm_free", OTF2_REGION_ROLE_COLL_OTHER},
    [R_INTERCOMM_CREATE] = {"MPI_Intercomm_create", OTF2_REGION_ROLE_COLL_OTHER},
    [R_PARALLEL] = {"!$omp parallel @solve.c:12", OTF2_REGION_ROLE_PARALLEL},
    [R_FOR] = {"!$omp for @solve.c:14", OTF2_REGION_ROLE_LOOP},
    [R_OMP_BARRIER] = {"!$omp barrier @solve.c:20", OTF2_REGION_ROLE_BARRIER},
    [R_IMPLICIT_BARRIER] = {"!$omp implicit barrier @solve.c:30", OTF2_REGION_ROLE_IMPLICIT_BARRIER},
    [R_CRITICAL] = {"!$omp critical @solve.c:25", OTF2_REGION_ROLE_CRITICAL},
    [R_THREAD_CREATE] = {"pthread_create", OTF2_REGION_ROLE_THREAD_CREATE},
    [R_THREAD_JOIN] = {"pthread_join", OTF2_REGION_ROLE_THREAD_WAIT},
    [R_THREAD_BODY] = {"thread_body", OTF2_REGION_ROLE_FUNCTION},
    [R_MUTEX_LOCK] = {"pthread_mutex_lock", OTF2_REGION_ROLE_WRAPPER},
    [R_OPEN] = {"open", OTF2_REGION_ROLE_FILE_IO_METADATA},
    [R_READ] = {"read", OTF2_REGION_ROLE_FILE_IO},
    [R_IREAD] = {"MPI_File_iread", OTF2_REGION_ROLE_FUNCTION},
    [R_PUT] = {"MPI_Put", OTF2_REGION_ROLE_RMA},
    [R_START] = {"MPI_Start", OTF2_REGION_ROLE_POINT2POINT},
    [R_STARTALL] = {"MPI_Startall", OTF2_REGION_ROLE_POINT2POINT},
    [R_WIN_POST] = {"MPI_Win_post", OTF2_REGION_ROLE_RMA},
    [R_WIN_START] = {"MPI_Win_start", OTF2_REGION_ROLE_RMA},
    [R_WIN_COMPLETE] = {"MPI_Win_complete", OTF2_REGION_ROLE_RMA},
    [R_WIN_WAIT] = {"MPI_Win_wait", OTF2_REGION_ROLE_RMA},
    [R_WIN_TEST] = {"MPI_Win_test", OTF2_REGION_ROLE_RMA},
    [R_WIN_LOCK] = {"MPI_Win_lock", OTF2_REGION_ROLE_RMA},
    [R_WIN_UNLOCK] = {"MPI_Win_unlock", OTF2_REGION_ROLE_RMA},
    [R_WIN_LOCK_ALL] = {"MPI_Win_lock_all", OTF2_REGION_ROLE_RMA},
    [R_WIN_UNLOCK_ALL] = {"MPI_Win_unlock_all", OTF2_REGION_ROLE_RMA},
    [R_LAUNCH] = {"cuLaunchKernel", OTF2_REGION_ROLE_FUNCTION},
    [R_SYNCHRONISE] = {"cuStreamSynchronize", OTF2_REGION_ROLE_FUNCTION},
    [R_KERNEL] = {"kernel", OTF2_REGION_ROLE_FUNCTION},
};

static const struct {
    const char *name;
    OTF2_RegionRole role;
} collectives[17] = {
    {"arrier", OTF2_REGION_ROLE_BARRIER},
    {"cast", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"ather", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"atherv", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"catter", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"catterv", OTF2_REGION_ROLE_COLL_ONE2ALL},
    {"llgather", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"llgatherv", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"lltoall", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"lltoallv", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"lltoallw", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"llreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"educe", OTF2_REGION_ROLE_COLL_ALL2ONE},
    {"educe_scatter", OTF2_REGION_ROLE_COLL_ALL2ALL},
    {"can", OTF2_REGION_ROLE_COLL_OTHER},
    {"xscan", OTF2_REGION_ROLE_COLL_OTHER},
    {"educe_scatter_block", OTF2_REGION_ROLE_COLL_ALL2ALL},
};
static const char capitals[] = "BBGGSSAAAAAARRSER", small_letters[] = "bbggssaaaaaarrser";

void rt_region_name(uint32_t i, char name[RT_NAME])
{
    if (i >= R_USER_FIRST && i <= R_USER_LAST) {
        snprintf(name, RT_NAME, "work_%" PRIu32, i - R_USER_FIRST);
    } else if (i >= R_COLLECTIVE_FIRST && i <= R_COLLECTIVE_LAST) {
        uint32_t k = i - R_COLLECTIVE_FIRST;
        snprintf(name, RT_NAME, "MPI_%c%s", capitals[k], collectives[k].name);
    } else if (i >= R_ICOLLECTIVE_FIRST && i <= R_ICOLLECTIVE_LAST) {
        uint32_t k = i - R_ICOLLECTIVE_FIRST;
        snprintf(name, RT_NAME, "MPI_I%c%s", small_letters[k], collectives[k].name);
    } else {
        snprintf(name, RT_NAME, "%s", calls[i].name);
    }
}

OTF2_RegionRole rt_region_role(uint32_t i)
{
    if (i >= R_COLLECTIVE_FIRST && i <= R_COLLECTIVE_LAST)
        return collectives[i - R_COLLECTIVE_FIRST].role;
    if (i >= R_ICOLLECTIVE_FIRST && i <= R_ICOLLECTIVE_LAST)
        return collectives[i - R_ICOLLECTIVE_FIRST].role;
    return i < R_USER_FIRST || i > R_USER_LAST ? calls[i].role : OTF2_REGION_ROLE_FUNCTION;
}

OTF2_Paradigm rt_region_paradigm(uint32_t i)
{
    return i < R_INIT            ? OTF2_PARADIGM_COMPILER
           : i < R_PARALLEL      ? OTF2_PARADIGM_MPI
           : i < R_THREAD_CREATE ? OTF2_PARADIGM_OPENMP
           : i == R_THREAD_BODY  ? OTF2_PARADIGM_COMPILER
           : i < R_LAUNCH        ? OTF2_PARADIGM_PTHREAD
           : i < R_OPEN          ? OTF2_PARADIGM_CUDA
           : i < R_IREAD         ? OTF2_PARADIGM_NONE
                                 : OTF2_PARADIGM_MPI;
}

bool rt_has_region(const struct world *w, uint32_t i)
{
    if (i >= R_WIN_LOCK)
        return w->options->passive;
    if (i >= R_WIN_POST)
        return w->options->epochs;
    return i < R_START || rt_has(w, RT_PERSISTENT);
}

/* A region has two: called from an even depth or an odd one. */
uint32_t rt_context_ref(const struct world *w, const struct location *l, uint32_t region)
{
    uint32_t set = w->options->regions_per_rank ? l->rank : 0;

    return (2 * set + l->depth % 2) * REGIONS + region;
}

void rt_define_contexts(struct world *w)
{
    uint32_t sets = w->options->regions_per_rank ? w->options->ranks : 1;

    for (uint32_t set = 0; set < sets; set++)
        for (uint32_t i = 0; i < 2 * REGIONS; i++)
            if (rt_has_region(w, i % REGIONS))
                TRACE_DEFINE(&w->trace, CallingContext, 2 * set * REGIONS + i, rt_region_ref(w, set, i % REGIONS),
                             OTF2_UNDEFINED_SOURCE_CODE_LOCATION, OTF2_UNDEFINED_CALLING_CONTEXT);
}
