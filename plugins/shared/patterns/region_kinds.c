/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Classifies regions: by name where the name is a function of MPI or POSIX threads, because some measurement systems
 * record no roles; else by paradigm and role. */
#include "region_kinds.h"

#include <fnmatch.h>
#include <otf2/OTF2_Definitions.h>
#include <string.h>

/* What MPI functions are, by the begins of their names behind "MPI_". The longest begin of a name decides. */
static const struct {
    uint8_t kind, extra;
    const char *begins; /* separated by blanks */
} functions[] = {
    {WAIT_MPI_INIT_EXIT, WAITS_REGION_PLAIN, "Finalize Init"},
    {WAIT_MPI_MGMT_COMM, WAITS_REGION_PLAIN,
     "Cart_create Cart_sub Comm_accept Comm_connect Comm_create Comm_disconnect Comm_dup Comm_free Comm_idup "
     "Comm_join Comm_spawn Comm_split Dist_graph_create Graph_create Intercomm_create Intercomm_merge"},
    {WAIT_MPI_MGMT_FILE, WAITS_REGION_PLAIN, "File_close File_delete File_open File_preallocate File_set_"},
    {WAIT_MPI_MGMT_WIN, WAITS_REGION_WIN_CREATE, "Win_allocate Win_create"},
    {WAIT_MPI_MGMT_WIN, WAITS_REGION_PLAIN, "Win_attach Win_detach"},
    {WAIT_MPI_MGMT_WIN, WAITS_REGION_WIN_FREE, "Win_free"},
    {WAIT_MPI_SYNC_COLLECTIVE, WAITS_REGION_PLAIN, "Barrier Ibarrier"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_COMPLETE, "Win_complete"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_PLAIN, "Win_fence"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_POST, "Win_post"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_START, "Win_start"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_TEST, "Win_test"},
    {WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_WAIT, "Win_wait"},
    {WAIT_MPI_RMA_SYNC_PASSIVE, WAITS_REGION_PLAIN, "Win_flush Win_lock Win_sync Win_unlock"},
    {WAIT_MPI_POINT2POINT, WAITS_REGION_NO_BLOCK, "Bsend Rsend"},
    {WAIT_MPI_POINT2POINT, WAITS_REGION_EXCHANGE, "Sendrecv Sendrecv_replace"},
    {WAIT_MPI_POINT2POINT, WAITS_REGION_PLAIN,
     "Cancel Ibsend Improbe Imrecv Iprobe Irecv Irsend Isend Issend Mprobe Mrecv Probe Recv Request_free Send "
     "Ssend Start Wait"},
    {WAIT_MPI_POINT2POINT, WAITS_REGION_TEST, "Test"},
    {WAIT_MPI_COLLECTIVE, WAITS_REGION_PLAIN,
     "Allgather Allreduce Alltoall Bcast Exscan Gather Iallgather Iallreduce Ialltoall Ibcast Iexscan Igather "
     "Ineighbor_ Ireduce Iscan Iscatter Neighbor_ Reduce Scan Scatter"},
    {WAIT_MPI_RMA_COMMUNICATION, WAITS_REGION_PLAIN,
     "Accumulate Compare_and_swap Fetch_and_op Get Get_accumulate Put Raccumulate Rget Rput"},
    {WAIT_MPI_IO_INDIVIDUAL, WAITS_REGION_PLAIN, "File_iread File_iwrite File_read File_seek File_write"},
    {WAIT_MPI_IO_COLLECTIVE, WAITS_REGION_PLAIN,
     "File_iread_all File_iread_at_all File_iwrite_all File_iwrite_at_all File_read_all File_read_at_all "
     "File_read_ordered File_sync File_write_all File_write_at_all File_write_ordered"},
    {WAIT_MPI, WAITS_REGION_PLAIN,
     "Comm_create_errhandler Comm_create_keyval Comm_free_keyval Finalized Get_ Initialized Reduce_local "
     "Test_cancelled Win_create_errhandler Win_create_keyval Win_free_keyval"},
};

static void classify_mpi(const char *name, uint8_t *kind, uint8_t *extra)
{
    size_t longest = 0, length;
    *kind = WAIT_MPI;
    for (uint32_t i = 0; i < TCF_COUNT(functions); i++)
        for (const char *begin = functions[i].begins; *begin; begin += length + strspn(begin + length, " ")) {
            length = strcspn(begin, " ");
            if (length > longest && strncmp(name, begin, length) == 0) {
                longest = length;
                *kind = functions[i].kind;
                *extra = functions[i].extra;
            }
        }
}

static uint8_t kind_of_pthread(const char *name)
{
    static const struct {
        const char *begin;
        uint8_t kind;
    } of[] = {
        {"mutex_", WAIT_PTHREAD_LOCK_API},          {"spin_", WAIT_PTHREAD_LOCK_API},
        {"rwlock_", WAIT_PTHREAD_LOCK_API},         {"cond_", WAIT_PTHREAD_CONDITIONAL},
        {"barrier_", WAIT_PTHREAD_SYNCHRONIZATION},
    };
    for (size_t i = 0; i < TCF_COUNT(of); i++)
        if (strncmp(name, of[i].begin, strlen(of[i].begin)) == 0)
            return of[i].kind;
    return WAIT_PTHREAD_MANAGEMENT;
}

/* By role; 0: the name decides. The body of a loop, section or critical section is the user's code, so its time is
 * computation. */
static const uint8_t openmp_kinds[256] = {
    [OTF2_REGION_ROLE_BARRIER] = WAIT_OMP_EBARRIER,
    [OTF2_REGION_ROLE_IMPLICIT_BARRIER] = WAIT_OMP_IBARRIER,
    [OTF2_REGION_ROLE_CRITICAL] = WAIT_OMP_CRITICAL,
    [OTF2_REGION_ROLE_ORDERED] = WAIT_OMP_ORDERED,
    [OTF2_REGION_ROLE_TASK_CREATE] = WAIT_OMP_MANAGEMENT,
    [OTF2_REGION_ROLE_TASK_WAIT] = WAIT_OMP_SYNCHRONIZATION,
    [OTF2_REGION_ROLE_FLUSH] = WAIT_OMP,
    [OTF2_REGION_ROLE_ATOMIC] = WAIT_OMP,
};

static uint8_t kind_of_openmp(const tcf_region *r, const char *name)
{
    if (openmp_kinds[r->role] != 0)
        return openmp_kinds[r->role];
    return strncmp(name, "omp_", 4) != 0 ? WAIT_COMPUTATION : strstr(name, "_lock") ? WAIT_OMP_LOCK_API : WAIT_OMP;
}

/* EZTrace's names for constructs of OpenMP, by its modules ompt and openmp: it states neither role nor paradigm. What
 * else it has holds the user's code; so does its `OpenMP critical`, with the wait for it. */
static uint8_t kind_of_openmp_name(const char *name)
{
    static const struct {
        const char *pattern;
        uint8_t kind;
    } of[] = {
        {"barrier", WAIT_OMP_EBARRIER},
        {"implicit barrier", WAIT_OMP_IBARRIER},
        {"acquire mutex", WAIT_OMP_SYNCHRONIZATION},
        {"Task wait", WAIT_OMP_SYNCHRONIZATION},
        {"*Task create", WAIT_OMP_MANAGEMENT},
        {"*Lock", WAIT_OMP_LOCK_API},
    };
    for (size_t i = 0; i < TCF_COUNT(of); i++)
        if (fnmatch(of[i].pattern, name, 0) == 0)
            return of[i].kind;
    return WAIT_COMPUTATION;
}

/* A paradigm by which a process has threads, or an accelerator work. */
static int is_of_threads(const tcf_region *r)
{
    return r->paradigm != OTF2_PARADIGM_UNKNOWN && r->paradigm != OTF2_PARADIGM_USER &&
           r->paradigm != OTF2_PARADIGM_COMPILER && r->paradigm != OTF2_PARADIGM_SAMPLING &&
           r->paradigm != OTF2_PARADIGM_NONE;
}

static int is_task(const tcf_region *r)
{
    return r->role == OTF2_REGION_ROLE_TASK || r->role == OTF2_REGION_ROLE_TASK_UNTIED;
}

int regions_have_tasks(const tcf_definitions *defs)
{
    int any = 0;
    for (uint32_t r = 0; r < defs->n_regions; r++)
        any |= is_task(tcf_region_at(defs, r)) && !is_of_threads(tcf_region_at(defs, r));
    return any;
}

/* A thread has nothing to do there until work comes. Of OTF2's roles TASK_WAIT says so, and readers of other formats
 * state it; of a paradigm of threads it is one of its constructs, in which the thread waits for others of its process.
 * Recorders that state no such role have these names: Charm++, Score-P for CUDA, and for OpenMP. */
static int is_idle(const tcf_region *r, const char *name)
{
    return (r->role == OTF2_REGION_ROLE_TASK_WAIT && !is_of_threads(r)) || strcmp(name, "Idle") == 0 ||
           strcmp(name, "COMPUTE_IDLE") == 0 || fnmatch("*omp?idle", name, 0) == 0;
}

static int is_between_processes(uint8_t paradigm)
{
    return paradigm == OTF2_PARADIGM_MPI || paradigm == OTF2_PARADIGM_GASPI || paradigm == OTF2_PARADIGM_UPC ||
           paradigm == OTF2_PARADIGM_SHMEM;
}

int waits_is_communication(const tcf_region *region, uint8_t kind)
{
    for (; kind != WAIT_TIME; kind = (uint8_t)wait_patterns[kind].parent)
        if (kind == WAIT_MPI)
            return 1;
    return is_between_processes(region->paradigm);
}

/* A call of an interface to accelerators, or one of its kernels, as OTF2 states it. */
static int is_of_accelerators(const tcf_region *r)
{
    return r->paradigm == OTF2_PARADIGM_CUDA || r->paradigm == OTF2_PARADIGM_OPENACC ||
           r->paradigm == OTF2_PARADIGM_OPENCL || r->paradigm == OTF2_PARADIGM_HIP;
}

enum accelerator_call accelerator_call(const tcf_region *region)
{
    const char *name = region->name ? region->name : "";
    static const struct {
        const char *pattern;
        enum accelerator_call does;
    } known[] = {
        {"cu*Synchronize*", ACCELERATOR_WAIT}, {"hip*Synchronize*", ACCELERATOR_WAIT},
        {"clFinish", ACCELERATOR_WAIT},        {"clWaitForEvents", ACCELERATOR_WAIT},
        {"cu*WaitEvent*", ACCELERATOR_WAIT},   {"acc_wait*", ACCELERATOR_WAIT},
        {"cu*Memcpy*", ACCELERATOR_COPY},      {"hipMemcpy*", ACCELERATOR_COPY},
        {"clEnqueueRead*", ACCELERATOR_COPY},  {"clEnqueueWrite*", ACCELERATOR_COPY},
        {"clEnqueueCopy*", ACCELERATOR_COPY},  {"nccl*Kernel*", ACCELERATOR_COPY},
        {"rccl*Kernel*", ACCELERATOR_COPY},
    };
    for (size_t i = 0; i < TCF_COUNT(known); i++)
        if (fnmatch(known[i].pattern, name, 0) == 0)
            return known[i].does;
    return is_of_accelerators(region) ? ACCELERATOR_OTHER : ACCELERATOR_NONE;
}

/* The region is a call that communicates, or threads wait for each other in it, whatever its name is. */
static int communicates(const tcf_region *r)
{
    return is_between_processes(r->paradigm) ||
           (r->role >= OTF2_REGION_ROLE_COLL_ONE2ALL && r->role <= OTF2_REGION_ROLE_DATA_TRANSFER) ||
           r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
}

void waits_classify_region(const tcf_region *region, uint8_t *kind, uint8_t *extra)
{
    const char *name = region->name ? region->name : "";
    *kind = WAIT_COMPUTATION;
    *extra = WAITS_REGION_PLAIN;
    if (strncmp(name, "MPI_", 4) == 0)
        classify_mpi(name + 4, kind, extra);
    else if (strncmp(name, "PMPI_", 5) == 0)
        classify_mpi(name + 5, kind, extra);
    else if (strncmp(name, "pthread_", 8) == 0)
        *kind = kind_of_pthread(name + 8);
    else if (is_idle(region, name))
        *kind = WAIT_IDLE;
    else if (region->paradigm == OTF2_PARADIGM_OPENMP)
        *kind = kind_of_openmp(region, name);
    else if (region->role == OTF2_REGION_ROLE_ARTIFICIAL || region->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
        *kind = WAIT_OVERHEAD;
    else if (region->paradigm == OTF2_PARADIGM_USER && strncmp(name, "OpenMP ", 7) == 0)
        *kind = kind_of_openmp_name(name + 7);
    if (region->paradigm == OTF2_PARADIGM_OPENMP && region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER)
        *extra = WAITS_REGION_IMPLICIT_BARRIER;
    else if ((*kind == WAIT_COMPUTATION || *kind == WAIT_IDLE) && !communicates(region))
        *extra = WAITS_REGION_USER;
}

/* ------------------------------------------------------------------------------------------------ class, nesting -- */

uint8_t region_class(const tcf_region *region, uint8_t kind)
{
    return kind != WAIT_COMPUTATION                       ? kind
           : waits_is_communication(region, kind)         ? (uint8_t)REGION_COMMUNICATION
           : accelerator_call(region) != ACCELERATOR_NONE ? (uint8_t)REGION_ACCELERATOR
                                                          : kind;
}

const wait_pattern_row *region_class_row(uint8_t class_)
{
    static const wait_pattern_row others[] = {{.name = "accelerator", .title = "Accelerator"},
                                              {.name = "communication", .title = "Communication without MPI"}};
    return class_ < WAIT_TIMES ? &wait_patterns[class_] : &others[class_ - REGION_ACCELERATOR];
}

uint8_t region_nesting(const tcf_region *region, uint8_t kind)
{
    if (is_task(region) || kind == WAIT_OVERHEAD)
        return REGION_STANDS_APART;
    if (waits_is_communication(region, kind) || kind == WAIT_IDLE || kind == WAIT_PTHREAD_LOCK_API ||
        kind == WAIT_PTHREAD_CONDITIONAL || kind == WAIT_PTHREAD_SYNCHRONIZATION)
        return REGION_ENCLOSES;
    const enum accelerator_call does = accelerator_call(region);
    return does == ACCELERATOR_WAIT || does == ACCELERATOR_COPY ? REGION_ENCLOSES : 0;
}
