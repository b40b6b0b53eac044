/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Classifies regions: by name where the name is a function of MPI or POSIX threads, because some measurement systems
 * record no roles; else by paradigm and role. */
#include "region_kinds.h"

#include <otf2/OTF2_Definitions.h>
#include <string.h>

/* MPI functions without "MPI_", in alphabetical order. The longest prefix of a name decides. */
static const struct {
    const char *prefix;
    uint8_t kind, extra;
} functions[] = {
    {"Accumulate", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Allgather", WAIT_MPI_COLLECTIVE, 0},
    {"Allreduce", WAIT_MPI_COLLECTIVE, 0},
    {"Alltoall", WAIT_MPI_COLLECTIVE, 0},
    {"Barrier", WAIT_MPI_SYNC_COLLECTIVE, 0},
    {"Bcast", WAIT_MPI_COLLECTIVE, 0},
    {"Bsend", WAIT_MPI_POINT2POINT, WAITS_REGION_NO_BLOCK},
    {"Cancel", WAIT_MPI_POINT2POINT, 0},
    {"Cart_create", WAIT_MPI_MGMT_COMM, 0},
    {"Cart_sub", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_accept", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_connect", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_create", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_create_errhandler", WAIT_MPI, 0},
    {"Comm_create_keyval", WAIT_MPI, 0},
    {"Comm_disconnect", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_dup", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_free", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_free_keyval", WAIT_MPI, 0},
    {"Comm_idup", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_join", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_spawn", WAIT_MPI_MGMT_COMM, 0},
    {"Comm_split", WAIT_MPI_MGMT_COMM, 0},
    {"Compare_and_swap", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Dist_graph_create", WAIT_MPI_MGMT_COMM, 0},
    {"Exscan", WAIT_MPI_COLLECTIVE, 0},
    {"Fetch_and_op", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"File_close", WAIT_MPI_MGMT_FILE, 0},
    {"File_delete", WAIT_MPI_MGMT_FILE, 0},
    {"File_iread", WAIT_MPI_IO_INDIVIDUAL, 0},
    {"File_iread_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_iread_at_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_iwrite", WAIT_MPI_IO_INDIVIDUAL, 0},
    {"File_iwrite_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_iwrite_at_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_open", WAIT_MPI_MGMT_FILE, 0},
    {"File_preallocate", WAIT_MPI_MGMT_FILE, 0},
    {"File_read", WAIT_MPI_IO_INDIVIDUAL, 0},
    {"File_read_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_read_at_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_read_ordered", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_seek", WAIT_MPI_IO_INDIVIDUAL, 0},
    {"File_set_", WAIT_MPI_MGMT_FILE, 0},
    {"File_sync", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_write", WAIT_MPI_IO_INDIVIDUAL, 0},
    {"File_write_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_write_at_all", WAIT_MPI_IO_COLLECTIVE, 0},
    {"File_write_ordered", WAIT_MPI_IO_COLLECTIVE, 0},
    {"Finalize", WAIT_MPI_INIT_EXIT, 0},
    {"Finalized", WAIT_MPI, 0},
    {"Gather", WAIT_MPI_COLLECTIVE, 0},
    {"Get", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Get_", WAIT_MPI, 0},
    {"Get_accumulate", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Graph_create", WAIT_MPI_MGMT_COMM, 0},
    {"Iallgather", WAIT_MPI_COLLECTIVE, 0},
    {"Iallreduce", WAIT_MPI_COLLECTIVE, 0},
    {"Ialltoall", WAIT_MPI_COLLECTIVE, 0},
    {"Ibarrier", WAIT_MPI_SYNC_COLLECTIVE, 0},
    {"Ibcast", WAIT_MPI_COLLECTIVE, 0},
    {"Ibsend", WAIT_MPI_POINT2POINT, 0},
    {"Iexscan", WAIT_MPI_COLLECTIVE, 0},
    {"Igather", WAIT_MPI_COLLECTIVE, 0},
    {"Improbe", WAIT_MPI_POINT2POINT, 0},
    {"Imrecv", WAIT_MPI_POINT2POINT, 0},
    {"Ineighbor_", WAIT_MPI_COLLECTIVE, 0},
    {"Init", WAIT_MPI_INIT_EXIT, 0},
    {"Initialized", WAIT_MPI, 0},
    {"Intercomm_create", WAIT_MPI_MGMT_COMM, 0},
    {"Intercomm_merge", WAIT_MPI_MGMT_COMM, 0},
    {"Iprobe", WAIT_MPI_POINT2POINT, 0},
    {"Irecv", WAIT_MPI_POINT2POINT, 0},
    {"Ireduce", WAIT_MPI_COLLECTIVE, 0},
    {"Irsend", WAIT_MPI_POINT2POINT, 0},
    {"Iscan", WAIT_MPI_COLLECTIVE, 0},
    {"Iscatter", WAIT_MPI_COLLECTIVE, 0},
    {"Isend", WAIT_MPI_POINT2POINT, 0},
    {"Issend", WAIT_MPI_POINT2POINT, 0},
    {"Mprobe", WAIT_MPI_POINT2POINT, 0},
    {"Mrecv", WAIT_MPI_POINT2POINT, 0},
    {"Neighbor_", WAIT_MPI_COLLECTIVE, 0},
    {"Probe", WAIT_MPI_POINT2POINT, 0},
    {"Put", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Raccumulate", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Recv", WAIT_MPI_POINT2POINT, 0},
    {"Reduce", WAIT_MPI_COLLECTIVE, 0},
    {"Reduce_local", WAIT_MPI, 0},
    {"Request_free", WAIT_MPI_POINT2POINT, 0},
    {"Rget", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Rput", WAIT_MPI_RMA_COMMUNICATION, 0},
    {"Rsend", WAIT_MPI_POINT2POINT, WAITS_REGION_NO_BLOCK},
    {"Scan", WAIT_MPI_COLLECTIVE, 0},
    {"Scatter", WAIT_MPI_COLLECTIVE, 0},
    {"Send", WAIT_MPI_POINT2POINT, 0},
    {"Sendrecv", WAIT_MPI_POINT2POINT, WAITS_REGION_NO_BLOCK},
    {"Ssend", WAIT_MPI_POINT2POINT, 0},
    {"Start", WAIT_MPI_POINT2POINT, 0},
    {"Test", WAIT_MPI_POINT2POINT, WAITS_REGION_TEST},
    {"Test_cancelled", WAIT_MPI, 0},
    {"Wait", WAIT_MPI_POINT2POINT, 0},
    {"Win_allocate", WAIT_MPI_MGMT_WIN, WAITS_REGION_WIN_CREATE},
    {"Win_attach", WAIT_MPI_MGMT_WIN, 0},
    {"Win_complete", WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_COMPLETE},
    {"Win_create", WAIT_MPI_MGMT_WIN, WAITS_REGION_WIN_CREATE},
    {"Win_create_errhandler", WAIT_MPI, 0},
    {"Win_create_keyval", WAIT_MPI, 0},
    {"Win_detach", WAIT_MPI_MGMT_WIN, 0},
    {"Win_fence", WAIT_MPI_RMA_SYNC_ACTIVE, 0},
    {"Win_flush", WAIT_MPI_RMA_SYNC_PASSIVE, 0},
    {"Win_free", WAIT_MPI_MGMT_WIN, WAITS_REGION_WIN_FREE},
    {"Win_free_keyval", WAIT_MPI, 0},
    {"Win_lock", WAIT_MPI_RMA_SYNC_PASSIVE, 0},
    {"Win_post", WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_POST},
    {"Win_start", WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_START},
    {"Win_sync", WAIT_MPI_RMA_SYNC_PASSIVE, 0},
    {"Win_test", WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_TEST},
    {"Win_unlock", WAIT_MPI_RMA_SYNC_PASSIVE, 0},
    {"Win_wait", WAIT_MPI_RMA_SYNC_ACTIVE, WAITS_REGION_WIN_WAIT},
};

static void classify_mpi(const char *name, uint8_t *kind, uint8_t *extra)
{
    size_t longest = 0;
    *kind = WAIT_MPI;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        size_t length = strlen(functions[i].prefix);
        if (length > longest && strncmp(name, functions[i].prefix, length) == 0) {
            longest = length;
            *kind = functions[i].kind;
            *extra = functions[i].extra;
        }
    }
}

static uint8_t kind_of_pthread(const char *name)
{
    return strncmp(name, "mutex_", 6) == 0  ? WAIT_PTHREAD_LOCK_API
           : strncmp(name, "cond_", 5) == 0 ? WAIT_PTHREAD_CONDITIONAL
                                            : WAIT_PTHREAD_MANAGEMENT;
}

/* The body of a loop, section or critical section is the user's code, so its time is computation. */
static uint8_t kind_of_openmp(const tcf_region *r, const char *name)
{
    switch (r->role) {
    case OTF2_REGION_ROLE_BARRIER:
        return WAIT_OMP_EBARRIER;
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return WAIT_OMP_IBARRIER;
    case OTF2_REGION_ROLE_CRITICAL:
        return WAIT_OMP_CRITICAL;
    case OTF2_REGION_ROLE_ORDERED:
        return WAIT_OMP_ORDERED;
    case OTF2_REGION_ROLE_TASK_CREATE:
        return WAIT_OMP_MANAGEMENT;
    case OTF2_REGION_ROLE_TASK_WAIT:
        return WAIT_OMP_SYNCHRONIZATION;
    case OTF2_REGION_ROLE_FLUSH:
    case OTF2_REGION_ROLE_ATOMIC:
        return WAIT_OMP;
    default:
        return strncmp(name, "omp_", 4) != 0 ? WAIT_COMPUTATION : strstr(name, "_lock") ? WAIT_OMP_LOCK_API : WAIT_OMP;
    }
}

/* The region is a call that communicates, or threads wait for each other in it, whatever its name is. */
static int communicates(const tcf_region *r)
{
    switch (r->paradigm) {
    case OTF2_PARADIGM_MPI:
    case OTF2_PARADIGM_GASPI:
    case OTF2_PARADIGM_UPC:
    case OTF2_PARADIGM_SHMEM:
        return 1;
    default:
        return (r->role >= OTF2_REGION_ROLE_COLL_ONE2ALL && r->role <= OTF2_REGION_ROLE_DATA_TRANSFER) ||
               r->role == OTF2_REGION_ROLE_BARRIER || r->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER;
    }
}

void waits_classify_region(const tcf_region *region, uint8_t *kind, uint8_t *extra)
{
    const char *name = region->name ? region->name : "";
    *kind = WAIT_COMPUTATION;
    *extra = WAITS_REGION_PLAIN;
    if (strncmp(name, "MPI_", 4) == 0)
        classify_mpi(name + 4, kind, extra);
    else if (strncmp(name, "pthread_", 8) == 0)
        *kind = kind_of_pthread(name + 8);
    else if (region->paradigm == OTF2_PARADIGM_OPENMP)
        *kind = kind_of_openmp(region, name);
    else if (strcmp(name, "TRACE BUFFER FLUSH") == 0 || strcmp(name, "MEASUREMENT OFF") == 0)
        *kind = WAIT_OVERHEAD;
    if (region->paradigm == OTF2_PARADIGM_OPENMP && region->role == OTF2_REGION_ROLE_IMPLICIT_BARRIER)
        *extra = WAITS_REGION_IMPLICIT_BARRIER;
    else if (*kind == WAIT_COMPUTATION && !communicates(region))
        *extra = WAITS_REGION_USER;
}
