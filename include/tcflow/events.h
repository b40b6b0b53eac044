/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The event records of OTF2 3.0: one table, from which the structs below, the reader, the writer, the
 * printer and the stream format are made.
 *
 * A row is E(number, NAME, Name, name, FIELDS): the kind's number in tcflow, its constant, libotf2's name, the
 * member of tcf_rec. A field is F(record, ctype, role, field), a variable-length field A(record, ctype, role,
 * field), whose length is the field before the first A; N(record) stands where a record has no field.
 *
 * ctype is the width in the archive: u8 u32 u64 i64, id8 (an 8-bit reference). role says what the number means: a
 * reference to a definition (REGION, COMM, ...: in memory the dense index of definitions.h), an enumeration or a
 * flag set of libotf2 (COLLECTIVE_OP, LOCK_TYPE, ...), a TIME, a RANK in the record's communicator, a REQUEST id,
 * or a plain NUMBER.
 *
 * Some records begin alike, so the fields of one can be read as those of the other: Enter and Leave; MpiSend and
 * MpiIsend; MpiRecv and MpiIrecv; MpiCollectiveEnd and NonBlockingCollectiveComplete. */
#ifndef TCFLOW_EVENTS_H
#define TCFLOW_EVENTS_H

#include <stdint.h>

/* clang-format off */
#define TCF_EVENT_TABLE(E, F, A, N) \
    E(1, BUFFER_FLUSH, BufferFlush, buffer_flush, \
      F(buffer_flush, u64, TIME, stop_time)) \
    E(2, MEASUREMENT_ON_OFF, MeasurementOnOff, measurement_on_off, \
      F(measurement_on_off, u8, MEASUREMENT_MODE, measurement_mode)) \
    E(3, ENTER, Enter, enter, \
      F(enter, u32, REGION, region)) \
    E(4, LEAVE, Leave, leave, \
      F(leave, u32, REGION, region)) \
    E(5, MPI_SEND, MpiSend, mpi_send, \
      F(mpi_send, u32, RANK, receiver) \
      F(mpi_send, u32, COMM, communicator) \
      F(mpi_send, u32, NUMBER, msg_tag) \
      F(mpi_send, u64, NUMBER, msg_length)) \
    E(6, MPI_ISEND, MpiIsend, mpi_isend, \
      F(mpi_isend, u32, RANK, receiver) \
      F(mpi_isend, u32, COMM, communicator) \
      F(mpi_isend, u32, NUMBER, msg_tag) \
      F(mpi_isend, u64, NUMBER, msg_length) \
      F(mpi_isend, u64, REQUEST, request_id)) \
    E(7, MPI_ISEND_COMPLETE, MpiIsendComplete, mpi_isend_complete, \
      F(mpi_isend_complete, u64, REQUEST, request_id)) \
    E(8, MPI_IRECV_REQUEST, MpiIrecvRequest, mpi_irecv_request, \
      F(mpi_irecv_request, u64, REQUEST, request_id)) \
    E(9, MPI_RECV, MpiRecv, mpi_recv, \
      F(mpi_recv, u32, RANK, sender) \
      F(mpi_recv, u32, COMM, communicator) \
      F(mpi_recv, u32, NUMBER, msg_tag) \
      F(mpi_recv, u64, NUMBER, msg_length)) \
    E(10, MPI_IRECV, MpiIrecv, mpi_irecv, \
      F(mpi_irecv, u32, RANK, sender) \
      F(mpi_irecv, u32, COMM, communicator) \
      F(mpi_irecv, u32, NUMBER, msg_tag) \
      F(mpi_irecv, u64, NUMBER, msg_length) \
      F(mpi_irecv, u64, REQUEST, request_id)) \
    E(11, MPI_REQUEST_TEST, MpiRequestTest, mpi_request_test, \
      F(mpi_request_test, u64, REQUEST, request_id)) \
    E(12, MPI_REQUEST_CANCELLED, MpiRequestCancelled, mpi_request_cancelled, \
      F(mpi_request_cancelled, u64, REQUEST, request_id)) \
    E(13, MPI_COLLECTIVE_BEGIN, MpiCollectiveBegin, mpi_collective_begin, N(mpi_collective_begin)) \
    E(14, MPI_COLLECTIVE_END, MpiCollectiveEnd, mpi_collective_end, \
      F(mpi_collective_end, u8, COLLECTIVE_OP, collective_op) \
      F(mpi_collective_end, u32, COMM, communicator) \
      F(mpi_collective_end, u32, RANK, root) \
      F(mpi_collective_end, u64, NUMBER, size_sent) \
      F(mpi_collective_end, u64, NUMBER, size_received)) \
    E(15, OMP_FORK, OmpFork, omp_fork, \
      F(omp_fork, u32, NUMBER, number_of_requested_threads)) \
    E(16, OMP_JOIN, OmpJoin, omp_join, N(omp_join)) \
    E(17, OMP_ACQUIRE_LOCK, OmpAcquireLock, omp_acquire_lock, \
      F(omp_acquire_lock, u32, NUMBER, lock_id) \
      F(omp_acquire_lock, u32, NUMBER, acquisition_order)) \
    E(18, OMP_RELEASE_LOCK, OmpReleaseLock, omp_release_lock, \
      F(omp_release_lock, u32, NUMBER, lock_id) \
      F(omp_release_lock, u32, NUMBER, acquisition_order)) \
    E(19, OMP_TASK_CREATE, OmpTaskCreate, omp_task_create, \
      F(omp_task_create, u64, NUMBER, task_id)) \
    E(20, OMP_TASK_SWITCH, OmpTaskSwitch, omp_task_switch, \
      F(omp_task_switch, u64, NUMBER, task_id)) \
    E(21, OMP_TASK_COMPLETE, OmpTaskComplete, omp_task_complete, \
      F(omp_task_complete, u64, NUMBER, task_id)) \
    E(22, METRIC, Metric, metric, \
      F(metric, u32, METRIC, metric) \
      F(metric, u8, NUMBER, number_of_metrics) \
      A(metric, u8, TYPE, type_ids) \
      A(metric, u64, METRIC_VALUE, metric_values)) \
    E(23, PARAMETER_STRING, ParameterString, parameter_string, \
      F(parameter_string, u32, PARAMETER, parameter) \
      F(parameter_string, u32, STRING, string)) \
    E(24, PARAMETER_INT, ParameterInt, parameter_int, \
      F(parameter_int, u32, PARAMETER, parameter) \
      F(parameter_int, i64, NUMBER, value)) \
    E(25, PARAMETER_UNSIGNED_INT, ParameterUnsignedInt, parameter_unsigned_int, \
      F(parameter_unsigned_int, u32, PARAMETER, parameter) \
      F(parameter_unsigned_int, u64, NUMBER, value)) \
    E(26, RMA_WIN_CREATE, RmaWinCreate, rma_win_create, \
      F(rma_win_create, u32, RMA_WIN, win)) \
    E(27, RMA_WIN_DESTROY, RmaWinDestroy, rma_win_destroy, \
      F(rma_win_destroy, u32, RMA_WIN, win)) \
    E(28, RMA_COLLECTIVE_BEGIN, RmaCollectiveBegin, rma_collective_begin, N(rma_collective_begin)) \
    E(29, RMA_COLLECTIVE_END, RmaCollectiveEnd, rma_collective_end, \
      F(rma_collective_end, u8, COLLECTIVE_OP, collective_op) \
      F(rma_collective_end, u32, RMA_SYNC_LEVEL, sync_level) \
      F(rma_collective_end, u32, RMA_WIN, win) \
      F(rma_collective_end, u32, RANK, root) \
      F(rma_collective_end, u64, NUMBER, bytes_sent) \
      F(rma_collective_end, u64, NUMBER, bytes_received)) \
    E(30, RMA_GROUP_SYNC, RmaGroupSync, rma_group_sync, \
      F(rma_group_sync, u32, RMA_SYNC_LEVEL, sync_level) \
      F(rma_group_sync, u32, RMA_WIN, win) \
      F(rma_group_sync, u32, GROUP, group)) \
    E(31, RMA_REQUEST_LOCK, RmaRequestLock, rma_request_lock, \
      F(rma_request_lock, u32, RMA_WIN, win) \
      F(rma_request_lock, u32, RANK, remote) \
      F(rma_request_lock, u64, NUMBER, lock_id) \
      F(rma_request_lock, u8, LOCK_TYPE, lock_type)) \
    E(32, RMA_ACQUIRE_LOCK, RmaAcquireLock, rma_acquire_lock, \
      F(rma_acquire_lock, u32, RMA_WIN, win) \
      F(rma_acquire_lock, u32, RANK, remote) \
      F(rma_acquire_lock, u64, NUMBER, lock_id) \
      F(rma_acquire_lock, u8, LOCK_TYPE, lock_type)) \
    E(33, RMA_TRY_LOCK, RmaTryLock, rma_try_lock, \
      F(rma_try_lock, u32, RMA_WIN, win) \
      F(rma_try_lock, u32, RANK, remote) \
      F(rma_try_lock, u64, NUMBER, lock_id) \
      F(rma_try_lock, u8, LOCK_TYPE, lock_type)) \
    E(34, RMA_RELEASE_LOCK, RmaReleaseLock, rma_release_lock, \
      F(rma_release_lock, u32, RMA_WIN, win) \
      F(rma_release_lock, u32, RANK, remote) \
      F(rma_release_lock, u64, NUMBER, lock_id)) \
    E(35, RMA_SYNC, RmaSync, rma_sync, \
      F(rma_sync, u32, RMA_WIN, win) \
      F(rma_sync, u32, RANK, remote) \
      F(rma_sync, u8, RMA_SYNC_TYPE, sync_type)) \
    E(36, RMA_WAIT_CHANGE, RmaWaitChange, rma_wait_change, \
      F(rma_wait_change, u32, RMA_WIN, win)) \
    E(37, RMA_PUT, RmaPut, rma_put, \
      F(rma_put, u32, RMA_WIN, win) \
      F(rma_put, u32, RANK, remote) \
      F(rma_put, u64, NUMBER, bytes) \
      F(rma_put, u64, NUMBER, matching_id)) \
    E(38, RMA_GET, RmaGet, rma_get, \
      F(rma_get, u32, RMA_WIN, win) \
      F(rma_get, u32, RANK, remote) \
      F(rma_get, u64, NUMBER, bytes) \
      F(rma_get, u64, NUMBER, matching_id)) \
    E(39, RMA_ATOMIC, RmaAtomic, rma_atomic, \
      F(rma_atomic, u32, RMA_WIN, win) \
      F(rma_atomic, u32, RANK, remote) \
      F(rma_atomic, u8, RMA_ATOMIC_TYPE, type) \
      F(rma_atomic, u64, NUMBER, bytes_sent) \
      F(rma_atomic, u64, NUMBER, bytes_received) \
      F(rma_atomic, u64, NUMBER, matching_id)) \
    E(40, RMA_OP_COMPLETE_BLOCKING, RmaOpCompleteBlocking, rma_op_complete_blocking, \
      F(rma_op_complete_blocking, u32, RMA_WIN, win) \
      F(rma_op_complete_blocking, u64, NUMBER, matching_id)) \
    E(41, RMA_OP_COMPLETE_NON_BLOCKING, RmaOpCompleteNonBlocking, rma_op_complete_non_blocking, \
      F(rma_op_complete_non_blocking, u32, RMA_WIN, win) \
      F(rma_op_complete_non_blocking, u64, NUMBER, matching_id)) \
    E(42, RMA_OP_TEST, RmaOpTest, rma_op_test, \
      F(rma_op_test, u32, RMA_WIN, win) \
      F(rma_op_test, u64, NUMBER, matching_id)) \
    E(43, RMA_OP_COMPLETE_REMOTE, RmaOpCompleteRemote, rma_op_complete_remote, \
      F(rma_op_complete_remote, u32, RMA_WIN, win) \
      F(rma_op_complete_remote, u64, NUMBER, matching_id)) \
    E(44, THREAD_FORK, ThreadFork, thread_fork, \
      F(thread_fork, u8, PARADIGM, model) \
      F(thread_fork, u32, NUMBER, number_of_requested_threads)) \
    E(45, THREAD_JOIN, ThreadJoin, thread_join, \
      F(thread_join, u8, PARADIGM, model)) \
    E(46, THREAD_TEAM_BEGIN, ThreadTeamBegin, thread_team_begin, \
      F(thread_team_begin, u32, COMM, thread_team)) \
    E(47, THREAD_TEAM_END, ThreadTeamEnd, thread_team_end, \
      F(thread_team_end, u32, COMM, thread_team)) \
    E(48, THREAD_ACQUIRE_LOCK, ThreadAcquireLock, thread_acquire_lock, \
      F(thread_acquire_lock, u8, PARADIGM, model) \
      F(thread_acquire_lock, u32, NUMBER, lock_id) \
      F(thread_acquire_lock, u32, NUMBER, acquisition_order)) \
    E(49, THREAD_RELEASE_LOCK, ThreadReleaseLock, thread_release_lock, \
      F(thread_release_lock, u8, PARADIGM, model) \
      F(thread_release_lock, u32, NUMBER, lock_id) \
      F(thread_release_lock, u32, NUMBER, acquisition_order)) \
    E(50, THREAD_TASK_CREATE, ThreadTaskCreate, thread_task_create, \
      F(thread_task_create, u32, COMM, thread_team) \
      F(thread_task_create, u32, NUMBER, creating_thread) \
      F(thread_task_create, u32, NUMBER, generation_number)) \
    E(51, THREAD_TASK_SWITCH, ThreadTaskSwitch, thread_task_switch, \
      F(thread_task_switch, u32, COMM, thread_team) \
      F(thread_task_switch, u32, NUMBER, creating_thread) \
      F(thread_task_switch, u32, NUMBER, generation_number)) \
    E(52, THREAD_TASK_COMPLETE, ThreadTaskComplete, thread_task_complete, \
      F(thread_task_complete, u32, COMM, thread_team) \
      F(thread_task_complete, u32, NUMBER, creating_thread) \
      F(thread_task_complete, u32, NUMBER, generation_number)) \
    E(53, THREAD_CREATE, ThreadCreate, thread_create, \
      F(thread_create, u32, COMM, thread_contingent) \
      F(thread_create, u64, NUMBER, sequence_count)) \
    E(54, THREAD_BEGIN, ThreadBegin, thread_begin, \
      F(thread_begin, u32, COMM, thread_contingent) \
      F(thread_begin, u64, NUMBER, sequence_count)) \
    E(55, THREAD_WAIT, ThreadWait, thread_wait, \
      F(thread_wait, u32, COMM, thread_contingent) \
      F(thread_wait, u64, NUMBER, sequence_count)) \
    E(56, THREAD_END, ThreadEnd, thread_end, \
      F(thread_end, u32, COMM, thread_contingent) \
      F(thread_end, u64, NUMBER, sequence_count)) \
    E(57, CALLING_CONTEXT_ENTER, CallingContextEnter, calling_context_enter, \
      F(calling_context_enter, u32, CALLING_CONTEXT, calling_context) \
      F(calling_context_enter, u32, NUMBER, unwind_distance)) \
    E(58, CALLING_CONTEXT_LEAVE, CallingContextLeave, calling_context_leave, \
      F(calling_context_leave, u32, CALLING_CONTEXT, calling_context)) \
    E(59, CALLING_CONTEXT_SAMPLE, CallingContextSample, calling_context_sample, \
      F(calling_context_sample, u32, CALLING_CONTEXT, calling_context) \
      F(calling_context_sample, u32, NUMBER, unwind_distance) \
      F(calling_context_sample, u32, INTERRUPT_GENERATOR, interrupt_generator)) \
    E(60, IO_CREATE_HANDLE, IoCreateHandle, io_create_handle, \
      F(io_create_handle, u32, IO_HANDLE, handle) \
      F(io_create_handle, u8, IO_ACCESS_MODE, mode) \
      F(io_create_handle, u32, IO_CREATION_FLAG, creation_flags) \
      F(io_create_handle, u32, IO_STATUS_FLAG, status_flags)) \
    E(61, IO_DESTROY_HANDLE, IoDestroyHandle, io_destroy_handle, \
      F(io_destroy_handle, u32, IO_HANDLE, handle)) \
    E(62, IO_DUPLICATE_HANDLE, IoDuplicateHandle, io_duplicate_handle, \
      F(io_duplicate_handle, u32, IO_HANDLE, old_handle) \
      F(io_duplicate_handle, u32, IO_HANDLE, new_handle) \
      F(io_duplicate_handle, u32, IO_STATUS_FLAG, status_flags)) \
    E(63, IO_SEEK, IoSeek, io_seek, \
      F(io_seek, u32, IO_HANDLE, handle) \
      F(io_seek, i64, NUMBER, offset_request) \
      F(io_seek, u8, IO_SEEK_OPTION, whence) \
      F(io_seek, u64, NUMBER, offset_result)) \
    E(64, IO_CHANGE_STATUS_FLAGS, IoChangeStatusFlags, io_change_status_flags, \
      F(io_change_status_flags, u32, IO_HANDLE, handle) \
      F(io_change_status_flags, u32, IO_STATUS_FLAG, status_flags)) \
    E(65, IO_DELETE_FILE, IoDeleteFile, io_delete_file, \
      F(io_delete_file, id8, IO_PARADIGM, io_paradigm) \
      F(io_delete_file, u32, IO_FILE, file)) \
    E(66, IO_OPERATION_BEGIN, IoOperationBegin, io_operation_begin, \
      F(io_operation_begin, u32, IO_HANDLE, handle) \
      F(io_operation_begin, u8, IO_OPERATION_MODE, mode) \
      F(io_operation_begin, u32, IO_OPERATION_FLAG, operation_flags) \
      F(io_operation_begin, u64, NUMBER, bytes_request) \
      F(io_operation_begin, u64, NUMBER, matching_id)) \
    E(67, IO_OPERATION_TEST, IoOperationTest, io_operation_test, \
      F(io_operation_test, u32, IO_HANDLE, handle) \
      F(io_operation_test, u64, NUMBER, matching_id)) \
    E(68, IO_OPERATION_ISSUED, IoOperationIssued, io_operation_issued, \
      F(io_operation_issued, u32, IO_HANDLE, handle) \
      F(io_operation_issued, u64, NUMBER, matching_id)) \
    E(69, IO_OPERATION_COMPLETE, IoOperationComplete, io_operation_complete, \
      F(io_operation_complete, u32, IO_HANDLE, handle) \
      F(io_operation_complete, u64, NUMBER, bytes_result) \
      F(io_operation_complete, u64, NUMBER, matching_id)) \
    E(70, IO_OPERATION_CANCELLED, IoOperationCancelled, io_operation_cancelled, \
      F(io_operation_cancelled, u32, IO_HANDLE, handle) \
      F(io_operation_cancelled, u64, NUMBER, matching_id)) \
    E(71, IO_ACQUIRE_LOCK, IoAcquireLock, io_acquire_lock, \
      F(io_acquire_lock, u32, IO_HANDLE, handle) \
      F(io_acquire_lock, u8, LOCK_TYPE, lock_type)) \
    E(72, IO_RELEASE_LOCK, IoReleaseLock, io_release_lock, \
      F(io_release_lock, u32, IO_HANDLE, handle) \
      F(io_release_lock, u8, LOCK_TYPE, lock_type)) \
    E(73, IO_TRY_LOCK, IoTryLock, io_try_lock, \
      F(io_try_lock, u32, IO_HANDLE, handle) \
      F(io_try_lock, u8, LOCK_TYPE, lock_type)) \
    E(74, PROGRAM_BEGIN, ProgramBegin, program_begin, \
      F(program_begin, u32, STRING, program_name) \
      F(program_begin, u32, NUMBER, number_of_arguments) \
      A(program_begin, u32, STRING, program_arguments)) \
    E(75, PROGRAM_END, ProgramEnd, program_end, \
      F(program_end, i64, NUMBER, exit_status)) \
    E(76, NON_BLOCKING_COLLECTIVE_REQUEST, NonBlockingCollectiveRequest, non_blocking_collective_request, \
      F(non_blocking_collective_request, u64, REQUEST, request_id)) \
    E(77, NON_BLOCKING_COLLECTIVE_COMPLETE, NonBlockingCollectiveComplete, non_blocking_collective_complete, \
      F(non_blocking_collective_complete, u8, COLLECTIVE_OP, collective_op) \
      F(non_blocking_collective_complete, u32, COMM, communicator) \
      F(non_blocking_collective_complete, u32, RANK, root) \
      F(non_blocking_collective_complete, u64, NUMBER, size_sent) \
      F(non_blocking_collective_complete, u64, NUMBER, size_received) \
      F(non_blocking_collective_complete, u64, REQUEST, request_id)) \
    E(78, COMM_CREATE, CommCreate, comm_create, \
      F(comm_create, u32, COMM, communicator)) \
    E(79, COMM_DESTROY, CommDestroy, comm_destroy, \
      F(comm_destroy, u32, COMM, communicator))
/* clang-format on */

#define TCF_EVENT_KINDS 79

#define TCF_NOTHING(...)

enum tcf_kind {
#define TCF_X_EVENT(number, NAME, Name, name, FIELDS) TCF_##NAME = number,
    TCF_EVENT_TABLE(TCF_X_EVENT, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef TCF_X_EVENT
};

/* In memory every reference is a 32-bit index, whatever its width in the archive. The elements of an array stand in
 * the slice's arena, at the offset that the record holds (see tcf_at()). */
#define TCF_MEMORY_u8 uint8_t
#define TCF_MEMORY_u32 uint32_t
#define TCF_MEMORY_u64 uint64_t
#define TCF_MEMORY_i64 int64_t
#define TCF_MEMORY_id8 uint32_t

#define TCF_X_EVENT(number, NAME, Name, name, FIELDS)                                                                  \
    typedef struct tcf_ev_##name {                                                                                     \
        FIELDS                                                                                                         \
    } tcf_ev_##name;
#define TCF_X_FIELD(record, ctype, role, field) TCF_MEMORY_##ctype field;
#define TCF_X_ARRAY(record, ctype, role, field) uint32_t field;
#define TCF_X_NONE(record) char none;
TCF_EVENT_TABLE(TCF_X_EVENT, TCF_X_FIELD, TCF_X_ARRAY, TCF_X_NONE)
#undef TCF_X_EVENT
#undef TCF_X_FIELD
#undef TCF_X_ARRAY
#undef TCF_X_NONE

/* The record of one event; the kind column says which member counts. */
typedef union tcf_rec {
#define TCF_X_EVENT(number, NAME, Name, name, FIELDS) tcf_ev_##name name;
    TCF_EVENT_TABLE(TCF_X_EVENT, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef TCF_X_EVENT
} tcf_rec;

/* One attribute of an event's attribute list. `value` holds the bits of the OTF2 attribute value; references in it
 * (types STRING, REGION, ...) are the ids of the archive, not indices. */
typedef struct tcf_attribute {
    uint64_t value;
    uint32_t attribute; /* index of the attribute's definition */
    uint8_t type;       /* OTF2_Type */
} tcf_attribute;

/* What an event's entry in the attr column points to; n > 0. */
typedef struct tcf_attributes {
    uint32_t n;
    uint32_t reserved;
    tcf_attribute at[];
} tcf_attributes;

#endif
