/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of libotf2's enumerations, and the checks that the constants of include/tcflow agree with libotf2.
 *
 * An enumeration is asked for by the name that it has in the role column of the record tables (COLLECTIVE_OP,
 * REGION_ROLE, ...), a value is named as otf2-print names it. The tables below are in order of name. */
#include "records.h"
#include "source.h"
#include <tcflow/references.h>

#include <otf2/OTF2_Marker.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

_Static_assert((int)TCF_PARADIGM_MPI == OTF2_PARADIGM_MPI, "paradigm");
_Static_assert((int)TCF_PARADIGM_OPENMP == OTF2_PARADIGM_OPENMP, "paradigm");
_Static_assert((int)TCF_PARADIGM_PTHREAD == OTF2_PARADIGM_PTHREAD, "paradigm");
_Static_assert((int)TCF_ROLE_BARRIER == OTF2_REGION_ROLE_BARRIER, "region role");
_Static_assert((int)TCF_ROLE_IMPLICIT_BARRIER == OTF2_REGION_ROLE_IMPLICIT_BARRIER, "region role");
_Static_assert((int)TCF_CPU_THREAD == OTF2_LOCATION_TYPE_CPU_THREAD, "location type");
_Static_assert((int)TCF_ACCELERATOR_STREAM == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, "location type");
_Static_assert((int)TCF_METRIC_LOCATION == OTF2_LOCATION_TYPE_METRIC, "location type");
_Static_assert(TCF_NONE == OTF2_UNDEFINED_UINT32, "undefined reference");
_Static_assert(sizeof(OTF2_AttributeValue) == sizeof(uint64_t), "an attribute value has 64 bits");
_Static_assert(sizeof(OTF2_MetricValue) == sizeof(uint64_t), "a metric value has 64 bits");
_Static_assert(sizeof(OTF2_Type) == 1 && sizeof(OTF2_IoParadigmRef) == 1, "bytes");
_Static_assert(sizeof(OTF2_RegionRef) == 4 && sizeof(OTF2_CommRef) == 4 && sizeof(OTF2_StringRef) == 4, "references");
_Static_assert(sizeof(OTF2_LocationRef) == 8 && sizeof(OTF2_TimeStamp) == 8, "64 bits");
#define CHECK_TYPE(number, NAME) _Static_assert((number) == OTF2_TYPE_##NAME, "type");
#define CHECK_SCOPE(number, NAME) _Static_assert((number) == OTF2_MARKER_SCOPE_##NAME, "scope of a marker");
TCF_TYPE_REFERENCES(CHECK_TYPE)
TCF_MARKER_SCOPE_REFERENCES(CHECK_SCOPE)
_Static_assert(sizeof(tcf_rec) <= 48, "the record column is meant to stay small");

struct value {
    uint64_t value;
    const char *name;
};

struct enumeration {
    const char *name;
    const struct value *values;
    size_t n;
    int flags; /* a set of bits; the first value is the empty set */
};

/* clang-format off */
static const struct value base[] = {
    { OTF2_BASE_BINARY, "BINARY" }, { OTF2_BASE_DECIMAL, "DECIMAL" },
};
static const struct value cart_periodicity[] = {
    { OTF2_CART_PERIODIC_FALSE, "FALSE" }, { OTF2_CART_PERIODIC_TRUE, "TRUE" },
};
static const struct value collective_op[] = {
    { OTF2_COLLECTIVE_OP_BARRIER, "BARRIER" }, { OTF2_COLLECTIVE_OP_BCAST, "BCAST" },
    { OTF2_COLLECTIVE_OP_GATHER, "GATHER" }, { OTF2_COLLECTIVE_OP_GATHERV, "GATHERV" },
    { OTF2_COLLECTIVE_OP_SCATTER, "SCATTER" }, { OTF2_COLLECTIVE_OP_SCATTERV, "SCATTERV" },
    { OTF2_COLLECTIVE_OP_ALLGATHER, "ALLGATHER" }, { OTF2_COLLECTIVE_OP_ALLGATHERV, "ALLGATHERV" },
    { OTF2_COLLECTIVE_OP_ALLTOALL, "ALLTOALL" }, { OTF2_COLLECTIVE_OP_ALLTOALLV, "ALLTOALLV" },
    { OTF2_COLLECTIVE_OP_ALLTOALLW, "ALLTOALLW" }, { OTF2_COLLECTIVE_OP_ALLREDUCE, "ALLREDUCE" },
    { OTF2_COLLECTIVE_OP_REDUCE, "REDUCE" }, { OTF2_COLLECTIVE_OP_REDUCE_SCATTER, "REDUCE_SCATTER" },
    { OTF2_COLLECTIVE_OP_SCAN, "SCAN" }, { OTF2_COLLECTIVE_OP_EXSCAN, "EXSCAN" },
    { OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, "REDUCE_SCATTER_BLOCK" },
    { OTF2_COLLECTIVE_OP_CREATE_HANDLE, "CREATE_HANDLE" },
    { OTF2_COLLECTIVE_OP_DESTROY_HANDLE, "DESTROY_HANDLE" }, { OTF2_COLLECTIVE_OP_ALLOCATE, "ALLOCATE" },
    { OTF2_COLLECTIVE_OP_DEALLOCATE, "DEALLOCATE" },
    { OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE, "CREATE_HANDLE_AND_ALLOCATE" },
    { OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE, "DESTROY_HANDLE_AND_DEALLOCATE" },
};
static const struct value collective_root[] = {
    { OTF2_COLLECTIVE_ROOT_NONE, "NONE" }, { OTF2_COLLECTIVE_ROOT_SELF, "SELF" },
    { OTF2_COLLECTIVE_ROOT_THIS_GROUP, "THIS_GROUP" },
};
static const struct value comm_flag[] = {
    { OTF2_COMM_FLAG_NONE, "NONE" }, { OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS, "CREATE_DESTROY_EVENTS" },
};
static const struct value group_flag[] = {
    { OTF2_GROUP_FLAG_NONE, "NONE" }, { OTF2_GROUP_FLAG_GLOBAL_MEMBERS, "GLOBAL_MEMBERS" },
};
static const struct value group_type[] = {
    { OTF2_GROUP_TYPE_UNKNOWN, "UNKNOWN" }, { OTF2_GROUP_TYPE_LOCATIONS, "LOCATIONS" },
    { OTF2_GROUP_TYPE_REGIONS, "REGIONS" }, { OTF2_GROUP_TYPE_METRIC, "METRIC" },
    { OTF2_GROUP_TYPE_COMM_LOCATIONS, "COMM_LOCATIONS" }, { OTF2_GROUP_TYPE_COMM_GROUP, "COMM_GROUP" },
    { OTF2_GROUP_TYPE_COMM_SELF, "COMM_SELF" },
};
static const struct value interrupt_generator_mode[] = {
    { OTF2_INTERRUPT_GENERATOR_MODE_TIME, "TIME" }, { OTF2_INTERRUPT_GENERATOR_MODE_COUNT, "COUNT" },
};
static const struct value io_access_mode[] = {
    { OTF2_IO_ACCESS_MODE_READ_ONLY, "READ_ONLY" }, { OTF2_IO_ACCESS_MODE_WRITE_ONLY, "WRITE_ONLY" },
    { OTF2_IO_ACCESS_MODE_READ_WRITE, "READ_WRITE" }, { OTF2_IO_ACCESS_MODE_EXECUTE_ONLY, "EXECUTE_ONLY" },
    { OTF2_IO_ACCESS_MODE_SEARCH_ONLY, "SEARCH_ONLY" },
};
static const struct value io_creation_flag[] = {
    { OTF2_IO_CREATION_FLAG_NONE, "NONE" }, { OTF2_IO_CREATION_FLAG_CREATE, "CREATE" },
    { OTF2_IO_CREATION_FLAG_TRUNCATE, "TRUNCATE" }, { OTF2_IO_CREATION_FLAG_DIRECTORY, "DIRECTORY" },
    { OTF2_IO_CREATION_FLAG_EXCLUSIVE, "EXCLUSIVE" },
    { OTF2_IO_CREATION_FLAG_NO_CONTROLLING_TERMINAL, "NO_CONTROLLING_TERMINAL" },
    { OTF2_IO_CREATION_FLAG_NO_FOLLOW, "NO_FOLLOW" }, { OTF2_IO_CREATION_FLAG_PATH, "PATH" },
    { OTF2_IO_CREATION_FLAG_TEMPORARY_FILE, "TEMPORARY_FILE" },
    { OTF2_IO_CREATION_FLAG_LARGEFILE, "LARGEFILE" }, { OTF2_IO_CREATION_FLAG_NO_SEEK, "NO_SEEK" },
    { OTF2_IO_CREATION_FLAG_UNIQUE, "UNIQUE" },
};
static const struct value io_handle_flag[] = {
    { OTF2_IO_HANDLE_FLAG_NONE, "NONE" }, { OTF2_IO_HANDLE_FLAG_PRE_CREATED, "PRE_CREATED" },
    { OTF2_IO_HANDLE_FLAG_ALL_PROXY, "ALL_PROXY" },
};
static const struct value io_operation_flag[] = {
    { OTF2_IO_OPERATION_FLAG_NONE, "NONE" }, { OTF2_IO_OPERATION_FLAG_NON_BLOCKING, "NON_BLOCKING" },
    { OTF2_IO_OPERATION_FLAG_COLLECTIVE, "COLLECTIVE" },
};
static const struct value io_operation_mode[] = {
    { OTF2_IO_OPERATION_MODE_READ, "READ" }, { OTF2_IO_OPERATION_MODE_WRITE, "WRITE" },
    { OTF2_IO_OPERATION_MODE_FLUSH, "FLUSH" },
};
static const struct value io_paradigm_class[] = {
    { OTF2_IO_PARADIGM_CLASS_SERIAL, "SERIAL" }, { OTF2_IO_PARADIGM_CLASS_PARALLEL, "PARALLEL" },
};
static const struct value io_paradigm_flag[] = {
    { OTF2_IO_PARADIGM_FLAG_NONE, "NONE" }, { OTF2_IO_PARADIGM_FLAG_OS, "OS" },
};
static const struct value io_paradigm_property[] = {
    { OTF2_IO_PARADIGM_PROPERTY_VERSION, "VERSION" },
};
static const struct value io_seek_option[] = {
    { OTF2_IO_SEEK_FROM_START, "FROM_START" }, { OTF2_IO_SEEK_FROM_CURRENT, "FROM_CURRENT" },
    { OTF2_IO_SEEK_FROM_END, "FROM_END" }, { OTF2_IO_SEEK_DATA, "DATA" }, { OTF2_IO_SEEK_HOLE, "HOLE" },
};
static const struct value io_status_flag[] = {
    { OTF2_IO_STATUS_FLAG_NONE, "NONE" }, { OTF2_IO_STATUS_FLAG_CLOSE_ON_EXEC, "CLOSE_ON_EXEC" },
    { OTF2_IO_STATUS_FLAG_APPEND, "APPEND" }, { OTF2_IO_STATUS_FLAG_NON_BLOCKING, "NON_BLOCKING" },
    { OTF2_IO_STATUS_FLAG_ASYNC, "ASYNC" }, { OTF2_IO_STATUS_FLAG_SYNC, "SYNC" },
    { OTF2_IO_STATUS_FLAG_DATA_SYNC, "DATA_SYNC" }, { OTF2_IO_STATUS_FLAG_AVOID_CACHING, "AVOID_CACHING" },
    { OTF2_IO_STATUS_FLAG_NO_ACCESS_TIME, "NO_ACCESS_TIME" },
    { OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE, "DELETE_ON_CLOSE" },
};
static const struct value location_group_type[] = {
    { OTF2_LOCATION_GROUP_TYPE_UNKNOWN, "UNKNOWN" }, { OTF2_LOCATION_GROUP_TYPE_PROCESS, "PROCESS" },
    { OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, "ACCELERATOR" },
};
static const struct value location_type[] = {
    { OTF2_LOCATION_TYPE_UNKNOWN, "UNKNOWN" }, { OTF2_LOCATION_TYPE_CPU_THREAD, "CPU_THREAD" },
    { OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, "ACCELERATOR_STREAM" }, { OTF2_LOCATION_TYPE_METRIC, "METRIC" },
};
static const struct value lock_type[] = {
    { OTF2_LOCK_EXCLUSIVE, "EXCLUSIVE" }, { OTF2_LOCK_SHARED, "SHARED" },
};
static const struct value marker_scope[] = {
    { OTF2_MARKER_SCOPE_GLOBAL, "GLOBAL" }, { OTF2_MARKER_SCOPE_LOCATION, "LOCATION" },
    { OTF2_MARKER_SCOPE_LOCATION_GROUP, "LOCATION_GROUP" },
    { OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE, "SYSTEM_TREE_NODE" }, { OTF2_MARKER_SCOPE_GROUP, "GROUP" },
    { OTF2_MARKER_SCOPE_COMM, "COMM" },
};
static const struct value marker_severity[] = {
    { OTF2_SEVERITY_NONE, "NONE" }, { OTF2_SEVERITY_LOW, "LOW" }, { OTF2_SEVERITY_MEDIUM, "MEDIUM" },
    { OTF2_SEVERITY_HIGH, "HIGH" },
};
static const struct value measurement_mode[] = {
    { OTF2_MEASUREMENT_ON, "ON" }, { OTF2_MEASUREMENT_OFF, "OFF" },
};
static const struct value metric_mode[] = {
    { OTF2_METRIC_ACCUMULATED_START, "ACCUMULATED_START" },
    { OTF2_METRIC_ACCUMULATED_POINT, "ACCUMULATED_POINT" },
    { OTF2_METRIC_ACCUMULATED_LAST, "ACCUMULATED_LAST" }, { OTF2_METRIC_ACCUMULATED_NEXT, "ACCUMULATED_NEXT" },
    { OTF2_METRIC_ABSOLUTE_POINT, "ABSOLUTE_POINT" }, { OTF2_METRIC_ABSOLUTE_LAST, "ABSOLUTE_LAST" },
    { OTF2_METRIC_ABSOLUTE_NEXT, "ABSOLUTE_NEXT" }, { OTF2_METRIC_RELATIVE_POINT, "RELATIVE_POINT" },
    { OTF2_METRIC_RELATIVE_LAST, "RELATIVE_LAST" }, { OTF2_METRIC_RELATIVE_NEXT, "RELATIVE_NEXT" },
};
static const struct value metric_occurrence[] = {
    { OTF2_METRIC_SYNCHRONOUS_STRICT, "SYNCHRONOUS_STRICT" }, { OTF2_METRIC_SYNCHRONOUS, "SYNCHRONOUS" },
    { OTF2_METRIC_ASYNCHRONOUS, "ASYNCHRONOUS" },
};
static const struct value metric_scope[] = {
    { OTF2_SCOPE_LOCATION, "LOCATION" }, { OTF2_SCOPE_LOCATION_GROUP, "LOCATION_GROUP" },
    { OTF2_SCOPE_SYSTEM_TREE_NODE, "SYSTEM_TREE_NODE" }, { OTF2_SCOPE_GROUP, "GROUP" },
};
static const struct value metric_type[] = {
    { OTF2_METRIC_TYPE_OTHER, "OTHER" }, { OTF2_METRIC_TYPE_PAPI, "PAPI" },
    { OTF2_METRIC_TYPE_RUSAGE, "RUSAGE" }, { OTF2_METRIC_TYPE_USER, "USER" },
};
static const struct value paradigm[] = {
    { OTF2_PARADIGM_UNKNOWN, "UNKNOWN" }, { OTF2_PARADIGM_USER, "USER" },
    { OTF2_PARADIGM_COMPILER, "COMPILER" }, { OTF2_PARADIGM_OPENMP, "OPENMP" }, { OTF2_PARADIGM_MPI, "MPI" },
    { OTF2_PARADIGM_CUDA, "CUDA" }, { OTF2_PARADIGM_MEASUREMENT_SYSTEM, "MEASUREMENT_SYSTEM" },
    { OTF2_PARADIGM_PTHREAD, "PTHREAD" }, { OTF2_PARADIGM_HMPP, "HMPP" }, { OTF2_PARADIGM_OMPSS, "OMPSS" },
    { OTF2_PARADIGM_HARDWARE, "HARDWARE" }, { OTF2_PARADIGM_GASPI, "GASPI" }, { OTF2_PARADIGM_UPC, "UPC" },
    { OTF2_PARADIGM_SHMEM, "SHMEM" }, { OTF2_PARADIGM_WINTHREAD, "WINTHREAD" },
    { OTF2_PARADIGM_QTTHREAD, "QTTHREAD" }, { OTF2_PARADIGM_ACETHREAD, "ACETHREAD" },
    { OTF2_PARADIGM_TBBTHREAD, "TBBTHREAD" }, { OTF2_PARADIGM_OPENACC, "OPENACC" },
    { OTF2_PARADIGM_OPENCL, "OPENCL" }, { OTF2_PARADIGM_MTAPI, "MTAPI" },
    { OTF2_PARADIGM_SAMPLING, "SAMPLING" }, { OTF2_PARADIGM_NONE, "NONE" }, { OTF2_PARADIGM_HIP, "HIP" },
    { OTF2_PARADIGM_KOKKOS, "KOKKOS" },
};
static const struct value paradigm_class[] = {
    { OTF2_PARADIGM_CLASS_PROCESS, "PROCESS" }, { OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN, "THREAD_FORK_JOIN" },
    { OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT, "THREAD_CREATE_WAIT" },
    { OTF2_PARADIGM_CLASS_ACCELERATOR, "ACCELERATOR" },
};
static const struct value paradigm_property[] = {
    { OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, "COMM_NAME_TEMPLATE" },
    { OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, "RMA_WIN_NAME_TEMPLATE" },
    { OTF2_PARADIGM_PROPERTY_RMA_ONLY, "RMA_ONLY" },
};
static const struct value parameter_type[] = {
    { OTF2_PARAMETER_TYPE_STRING, "STRING" }, { OTF2_PARAMETER_TYPE_INT64, "INT64" },
    { OTF2_PARAMETER_TYPE_UINT64, "UINT64" },
};
static const struct value recorder_kind[] = {
    { OTF2_RECORDER_KIND_UNKNOWN, "UNKNOWN" }, { OTF2_RECORDER_KIND_ABSTRACT, "ABSTRACT" },
    { OTF2_RECORDER_KIND_CPU, "CPU" }, { OTF2_RECORDER_KIND_GPU, "GPU" },
};
static const struct value region_flag[] = {
    { OTF2_REGION_FLAG_NONE, "NONE" }, { OTF2_REGION_FLAG_DYNAMIC, "DYNAMIC" },
    { OTF2_REGION_FLAG_PHASE, "PHASE" },
};
static const struct value region_role[] = {
    { OTF2_REGION_ROLE_UNKNOWN, "UNKNOWN" }, { OTF2_REGION_ROLE_FUNCTION, "FUNCTION" },
    { OTF2_REGION_ROLE_WRAPPER, "WRAPPER" }, { OTF2_REGION_ROLE_LOOP, "LOOP" },
    { OTF2_REGION_ROLE_CODE, "CODE" }, { OTF2_REGION_ROLE_PARALLEL, "PARALLEL" },
    { OTF2_REGION_ROLE_SECTIONS, "SECTIONS" }, { OTF2_REGION_ROLE_SECTION, "SECTION" },
    { OTF2_REGION_ROLE_WORKSHARE, "WORKSHARE" }, { OTF2_REGION_ROLE_SINGLE, "SINGLE" },
    { OTF2_REGION_ROLE_SINGLE_SBLOCK, "SINGLE_SBLOCK" }, { OTF2_REGION_ROLE_MASTER, "MASTER" },
    { OTF2_REGION_ROLE_CRITICAL, "CRITICAL" }, { OTF2_REGION_ROLE_CRITICAL_SBLOCK, "CRITICAL_SBLOCK" },
    { OTF2_REGION_ROLE_ATOMIC, "ATOMIC" }, { OTF2_REGION_ROLE_BARRIER, "BARRIER" },
    { OTF2_REGION_ROLE_IMPLICIT_BARRIER, "IMPLICIT_BARRIER" }, { OTF2_REGION_ROLE_FLUSH, "FLUSH" },
    { OTF2_REGION_ROLE_ORDERED, "ORDERED" }, { OTF2_REGION_ROLE_ORDERED_SBLOCK, "ORDERED_SBLOCK" },
    { OTF2_REGION_ROLE_TASK, "TASK" }, { OTF2_REGION_ROLE_TASK_CREATE, "TASK_CREATE" },
    { OTF2_REGION_ROLE_TASK_WAIT, "TASK_WAIT" }, { OTF2_REGION_ROLE_COLL_ONE2ALL, "COLL_ONE2ALL" },
    { OTF2_REGION_ROLE_COLL_ALL2ONE, "COLL_ALL2ONE" }, { OTF2_REGION_ROLE_COLL_ALL2ALL, "COLL_ALL2ALL" },
    { OTF2_REGION_ROLE_COLL_OTHER, "COLL_OTHER" }, { OTF2_REGION_ROLE_FILE_IO, "FILE_IO" },
    { OTF2_REGION_ROLE_POINT2POINT, "POINT2POINT" }, { OTF2_REGION_ROLE_RMA, "RMA" },
    { OTF2_REGION_ROLE_DATA_TRANSFER, "DATA_TRANSFER" }, { OTF2_REGION_ROLE_ARTIFICIAL, "ARTIFICIAL" },
    { OTF2_REGION_ROLE_THREAD_CREATE, "THREAD_CREATE" }, { OTF2_REGION_ROLE_THREAD_WAIT, "THREAD_WAIT" },
    { OTF2_REGION_ROLE_TASK_UNTIED, "TASK_UNTIED" }, { OTF2_REGION_ROLE_ALLOCATE, "ALLOCATE" },
    { OTF2_REGION_ROLE_DEALLOCATE, "DEALLOCATE" }, { OTF2_REGION_ROLE_REALLOCATE, "REALLOCATE" },
    { OTF2_REGION_ROLE_FILE_IO_METADATA, "FILE_IO_METADATA" },
};
static const struct value rma_atomic_type[] = {
    { OTF2_RMA_ATOMIC_TYPE_ACCUMULATE, "ACCUMULATE" }, { OTF2_RMA_ATOMIC_TYPE_INCREMENT, "INCREMENT" },
    { OTF2_RMA_ATOMIC_TYPE_TEST_AND_SET, "TEST_AND_SET" },
    { OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP, "COMPARE_AND_SWAP" }, { OTF2_RMA_ATOMIC_TYPE_SWAP, "SWAP" },
    { OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD, "FETCH_AND_ADD" },
    { OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT, "FETCH_AND_INCREMENT" },
    { OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE, "FETCH_AND_ACCUMULATE" },
};
static const struct value rma_sync_level[] = {
    { OTF2_RMA_SYNC_LEVEL_NONE, "NONE" }, { OTF2_RMA_SYNC_LEVEL_PROCESS, "PROCESS" },
    { OTF2_RMA_SYNC_LEVEL_MEMORY, "MEMORY" },
};
static const struct value rma_sync_type[] = {
    { OTF2_RMA_SYNC_TYPE_MEMORY, "MEMORY" }, { OTF2_RMA_SYNC_TYPE_NOTIFY_IN, "NOTIFY_IN" },
    { OTF2_RMA_SYNC_TYPE_NOTIFY_OUT, "NOTIFY_OUT" },
};
static const struct value rma_win_flag[] = {
    { OTF2_RMA_WIN_FLAG_NONE, "NONE" }, { OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS, "CREATE_DESTROY_EVENTS" },
};
static const struct value system_tree_domain[] = {
    { OTF2_SYSTEM_TREE_DOMAIN_MACHINE, "MACHINE" }, { OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY, "SHARED_MEMORY" },
    { OTF2_SYSTEM_TREE_DOMAIN_NUMA, "NUMA" }, { OTF2_SYSTEM_TREE_DOMAIN_SOCKET, "SOCKET" },
    { OTF2_SYSTEM_TREE_DOMAIN_CACHE, "CACHE" }, { OTF2_SYSTEM_TREE_DOMAIN_CORE, "CORE" },
    { OTF2_SYSTEM_TREE_DOMAIN_PU, "PU" }, { OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE, "ACCELERATOR_DEVICE" },
    { OTF2_SYSTEM_TREE_DOMAIN_NETWORKING_DEVICE, "NETWORKING_DEVICE" },
};
static const struct value thumbnail_type[] = {
    { OTF2_THUMBNAIL_TYPE_REGION, "REGION" }, { OTF2_THUMBNAIL_TYPE_METRIC, "METRIC" },
    { OTF2_THUMBNAIL_TYPE_ATTRIBUTES, "ATTRIBUTES" },
};
static const struct value type[] = {
    { OTF2_TYPE_NONE, "NONE" }, { OTF2_TYPE_UINT8, "UINT8" }, { OTF2_TYPE_UINT16, "UINT16" },
    { OTF2_TYPE_UINT32, "UINT32" }, { OTF2_TYPE_UINT64, "UINT64" }, { OTF2_TYPE_INT8, "INT8" },
    { OTF2_TYPE_INT16, "INT16" }, { OTF2_TYPE_INT32, "INT32" }, { OTF2_TYPE_INT64, "INT64" },
    { OTF2_TYPE_FLOAT, "FLOAT" }, { OTF2_TYPE_DOUBLE, "DOUBLE" }, { OTF2_TYPE_STRING, "STRING" },
    { OTF2_TYPE_ATTRIBUTE, "ATTRIBUTE" }, { OTF2_TYPE_LOCATION, "LOCATION" }, { OTF2_TYPE_REGION, "REGION" },
    { OTF2_TYPE_GROUP, "GROUP" }, { OTF2_TYPE_METRIC, "METRIC" }, { OTF2_TYPE_COMM, "COMM" },
    { OTF2_TYPE_PARAMETER, "PARAMETER" }, { OTF2_TYPE_RMA_WIN, "RMA_WIN" },
    { OTF2_TYPE_SOURCE_CODE_LOCATION, "SOURCE_CODE_LOCATION" },
    { OTF2_TYPE_CALLING_CONTEXT, "CALLING_CONTEXT" }, { OTF2_TYPE_INTERRUPT_GENERATOR, "INTERRUPT_GENERATOR" },
    { OTF2_TYPE_IO_FILE, "IO_FILE" }, { OTF2_TYPE_IO_HANDLE, "IO_HANDLE" },
    { OTF2_TYPE_LOCATION_GROUP, "LOCATION_GROUP" },
};

/* In order of name, for the binary search. */
static const struct enumeration enumerations[] = {
    { "BASE", base, COUNT(base), 0 },
    { "CART_PERIODICITY", cart_periodicity, COUNT(cart_periodicity), 0 },
    { "COLLECTIVE_OP", collective_op, COUNT(collective_op), 0 },
    { "COLLECTIVE_ROOT", collective_root, COUNT(collective_root), 0 },
    { "COMM_FLAG", comm_flag, COUNT(comm_flag), 1 },
    { "GROUP_FLAG", group_flag, COUNT(group_flag), 1 },
    { "GROUP_TYPE", group_type, COUNT(group_type), 0 },
    { "INTERRUPT_GENERATOR_MODE", interrupt_generator_mode, COUNT(interrupt_generator_mode), 0 },
    { "IO_ACCESS_MODE", io_access_mode, COUNT(io_access_mode), 0 },
    { "IO_CREATION_FLAG", io_creation_flag, COUNT(io_creation_flag), 1 },
    { "IO_HANDLE_FLAG", io_handle_flag, COUNT(io_handle_flag), 1 },
    { "IO_OPERATION_FLAG", io_operation_flag, COUNT(io_operation_flag), 1 },
    { "IO_OPERATION_MODE", io_operation_mode, COUNT(io_operation_mode), 0 },
    { "IO_PARADIGM_CLASS", io_paradigm_class, COUNT(io_paradigm_class), 0 },
    { "IO_PARADIGM_FLAG", io_paradigm_flag, COUNT(io_paradigm_flag), 1 },
    { "IO_PARADIGM_PROPERTY", io_paradigm_property, COUNT(io_paradigm_property), 0 },
    { "IO_SEEK_OPTION", io_seek_option, COUNT(io_seek_option), 0 },
    { "IO_STATUS_FLAG", io_status_flag, COUNT(io_status_flag), 1 },
    { "LOCATION_GROUP_TYPE", location_group_type, COUNT(location_group_type), 0 },
    { "LOCATION_TYPE", location_type, COUNT(location_type), 0 },
    { "LOCK_TYPE", lock_type, COUNT(lock_type), 0 },
    { "MARKER_SCOPE", marker_scope, COUNT(marker_scope), 0 },
    { "MARKER_SEVERITY", marker_severity, COUNT(marker_severity), 0 },
    { "MEASUREMENT_MODE", measurement_mode, COUNT(measurement_mode), 0 },
    { "METRIC_MODE", metric_mode, COUNT(metric_mode), 0 },
    { "METRIC_OCCURRENCE", metric_occurrence, COUNT(metric_occurrence), 0 },
    { "METRIC_SCOPE", metric_scope, COUNT(metric_scope), 0 },
    { "METRIC_TYPE", metric_type, COUNT(metric_type), 0 },
    { "PARADIGM", paradigm, COUNT(paradigm), 0 },
    { "PARADIGM_CLASS", paradigm_class, COUNT(paradigm_class), 0 },
    { "PARADIGM_PROPERTY", paradigm_property, COUNT(paradigm_property), 0 },
    { "PARAMETER_TYPE", parameter_type, COUNT(parameter_type), 0 },
    { "RECORDER_KIND", recorder_kind, COUNT(recorder_kind), 0 },
    { "REGION_FLAG", region_flag, COUNT(region_flag), 1 },
    { "REGION_ROLE", region_role, COUNT(region_role), 0 },
    { "RMA_ATOMIC_TYPE", rma_atomic_type, COUNT(rma_atomic_type), 0 },
    { "RMA_SYNC_LEVEL", rma_sync_level, COUNT(rma_sync_level), 1 },
    { "RMA_SYNC_TYPE", rma_sync_type, COUNT(rma_sync_type), 0 },
    { "RMA_WIN_FLAG", rma_win_flag, COUNT(rma_win_flag), 1 },
    { "SYSTEM_TREE_DOMAIN", system_tree_domain, COUNT(system_tree_domain), 0 },
    { "THUMBNAIL_TYPE", thumbnail_type, COUNT(thumbnail_type), 0 },
    { "TYPE", type, COUNT(type), 0 },
};
/* clang-format on */

static const char *value_name(const struct enumeration *e, uint64_t value)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->values[i].value == value)
            return e->values[i].name;
    return NULL;
}

/* Bits without a name are shown as a number. */
static const char *set_name(const struct enumeration *e, uint64_t set)
{
    static _Thread_local char text[512];
    size_t length = 0;
    uint64_t rest = set;

    text[0] = '\0';
    for (size_t i = 1; i < e->n && length < sizeof text; i++)
        if (set & e->values[i].value) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? "|" : "", e->values[i].name);
            rest &= ~e->values[i].value;
        }
    if (rest && length < sizeof text)
        snprintf(text + length, sizeof text - length, "%s0x%llx", length ? "|" : "", (unsigned long long)rest);
    return text;
}

const char *otf2_enum_name(const char *enumeration, uint64_t value)
{
    size_t low = 0, high = COUNT(enumerations);

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct enumeration *e = &enumerations[middle];
        int order = strcmp(enumeration, e->name);
        if (order == 0)
            return e->flags && value != 0 ? set_name(e, value) : value_name(e, value);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *record_ref_name(tcf_ref_kind kind)
{
    static const char *const names[TCF_REF_KINDS] = {
        [TCF_REF_STRING] = "string",
        [TCF_REF_ATTRIBUTE] = "attribute",
        [TCF_REF_SYSTEM_TREE_NODE] = "system tree node",
        [TCF_REF_LOCATION_GROUP] = "location group",
        [TCF_REF_LOCATION] = "location",
        [TCF_REF_REGION] = "region",
        [TCF_REF_GROUP] = "group",
        [TCF_REF_COMM] = "communicator",
        [TCF_REF_PARAMETER] = "parameter",
        [TCF_REF_METRIC] = "metric",
        [TCF_REF_METRIC_MEMBER] = "metric member",
        [TCF_REF_RMA_WIN] = "RMA window",
        [TCF_REF_CALLING_CONTEXT] = "calling context",
        [TCF_REF_SOURCE_CODE_LOCATION] = "source code location",
        [TCF_REF_INTERRUPT_GENERATOR] = "interrupt generator",
        [TCF_REF_IO_PARADIGM] = "I/O paradigm",
        [TCF_REF_IO_FILE] = "I/O file",
        [TCF_REF_IO_HANDLE] = "I/O handle",
        [TCF_REF_CALLSITE] = "call site",
        [TCF_REF_CALLPATH] = "call path",
        [TCF_REF_CART_DIMENSION] = "Cartesian dimension",
        [TCF_REF_CART_TOPOLOGY] = "Cartesian topology",
    };
    return names[kind];
}
