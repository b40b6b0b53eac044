/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The patterns: the one table that reports, JSON and documentation are made of.
 *
 * A row is P(ID, name, parent, unit, title, help). Names and parents are Scalasca's where Scalasca has the pattern.
 * Titles are unique. Rows stand below their parents. Values are inclusive: a row contains what the rows below it have.
 *
 * The rows of the first part hold time, by kind of region (region_kinds.h). The rows of the second part hold waits, by
 * instance. A wait is a part of its parent's time and adds nothing to it. */
#ifndef TCFLOW_PATTERNS_PATTERNS_H
#define TCFLOW_PATTERNS_PATTERNS_H

/* clang-format off */
#define WAITS_TIME_TABLE(P) \
    P(TIME, "time", TIME, "s", "Time", "All time inside of recorded regions, and that of idle threads") \
    P(EXECUTION, "execution", TIME, "s", "Execution", "Time without idle threads, idle regions and overhead") \
    P(COMPUTATION, "comp", EXECUTION, "s", "Computation", "Time outside of MPI, OpenMP and POSIX threads") \
    P(MPI, "mpi", EXECUTION, "s", "MPI", "Time in calls of MPI") \
    P(MPI_MANAGEMENT, "mpi_management", MPI, "s", "MPI management", \
      "Setting up and ending MPI, communicators, files and windows") \
    P(MPI_INIT_EXIT, "mpi_init_exit", MPI_MANAGEMENT, "s", "MPI init/finalize", \
      "MPI_Init, MPI_Init_thread and MPI_Finalize") \
    P(MPI_MGMT_COMM, "mpi_mgmt_comm", MPI_MANAGEMENT, "s", "MPI communicator management", \
      "Making and freeing communicators") \
    P(MPI_MGMT_FILE, "mpi_mgmt_file", MPI_MANAGEMENT, "s", "MPI file management", \
      "Opening and closing files, setting views") \
    P(MPI_MGMT_WIN, "mpi_mgmt_win", MPI_MANAGEMENT, "s", "MPI window management", "Making and freeing windows") \
    P(MPI_SYNCHRONIZATION, "mpi_synchronization", MPI, "s", "MPI synchronization", \
      "MPI without payload: barriers, and synchronization of windows") \
    P(MPI_SYNC_COLLECTIVE, "mpi_sync_collective", MPI_SYNCHRONIZATION, "s", "MPI collective synchronization", \
      "Barriers") \
    P(MPI_RMA_SYNCHRONIZATION, "mpi_rma_synchronization", MPI_SYNCHRONIZATION, "s", "MPI one-sided synchronization", \
      "Synchronization of windows") \
    P(MPI_RMA_SYNC_ACTIVE, "mpi_rma_sync_active", MPI_RMA_SYNCHRONIZATION, "s", "MPI active target synchronization", \
      "Fences, post, start, complete and wait") \
    P(MPI_RMA_SYNC_PASSIVE, "mpi_rma_sync_passive", MPI_RMA_SYNCHRONIZATION, "s", \
      "MPI passive target synchronization", \
      "Locks and flushes") \
    P(MPI_COMMUNICATION, "mpi_communication", MPI, "s", "MPI communication", "MPI calls that communicate") \
    P(MPI_POINT2POINT, "mpi_point2point", MPI_COMMUNICATION, "s", "MPI point-to-point communication", \
      "Sending, receiving, and completing either") \
    P(MPI_COLLECTIVE, "mpi_collective", MPI_COMMUNICATION, "s", "MPI collective communication", \
      "Collective operations with data") \
    P(MPI_RMA_COMMUNICATION, "mpi_rma_communication", MPI_COMMUNICATION, "s", "MPI one-sided communication", \
      "Put, get, accumulate and the like") \
    P(MPI_IO, "mpi_io", MPI, "s", "MPI file I/O", "Reading and writing files with MPI") \
    P(MPI_IO_INDIVIDUAL, "mpi_io_individual", MPI_IO, "s", "MPI individual file I/O", "By each process for itself") \
    P(MPI_IO_COLLECTIVE, "mpi_io_collective", MPI_IO, "s", "MPI collective file I/O", "By all processes together") \
    P(OMP, "omp_time", EXECUTION, "s", "OpenMP", \
      "Time in constructs and calls of OpenMP, but not in the user's code inside of them") \
    P(OMP_MANAGEMENT, "omp_management", OMP, "s", "OpenMP management", "Making teams and tasks") \
    P(OMP_SYNCHRONIZATION, "omp_synchronization", OMP, "s", "OpenMP synchronization", \
      "Barriers, critical sections, locks, ordered") \
    P(OMP_BARRIER, "omp_barrier", OMP_SYNCHRONIZATION, "s", "OpenMP barrier", "Barriers of threads") \
    P(OMP_EBARRIER, "omp_ebarrier", OMP_BARRIER, "s", "OpenMP explicit barrier", "Barriers that the program has") \
    P(OMP_IBARRIER, "omp_ibarrier", OMP_BARRIER, "s", "OpenMP implicit barrier", "Barriers at the end of constructs") \
    P(OMP_CRITICAL, "omp_critical", OMP_SYNCHRONIZATION, "s", "OpenMP critical section", \
      "Entering and leaving critical sections") \
    P(OMP_LOCK_API, "omp_lock_api", OMP_SYNCHRONIZATION, "s", "OpenMP lock API", "Calls that set and unset locks") \
    P(OMP_ORDERED, "omp_ordered", OMP_SYNCHRONIZATION, "s", "OpenMP ordered section", \
      "Entering and leaving ordered sections") \
    P(PTHREAD, "pthread_time", EXECUTION, "s", "POSIX threads", "Time in calls of POSIX threads") \
    P(PTHREAD_MANAGEMENT, "pthread_management", PTHREAD, "s", "POSIX threads management", \
      "Making threads and joining them") \
    P(PTHREAD_SYNCHRONIZATION, "pthread_synchronization", PTHREAD, "s", "POSIX threads synchronization", \
      "Mutexes and other locks, conditions, barriers") \
    P(PTHREAD_LOCK_API, "pthread_lock_api", PTHREAD_SYNCHRONIZATION, "s", "POSIX threads mutex", \
      "Locking and unlocking mutexes and other locks") \
    P(PTHREAD_CONDITIONAL, "pthread_conditional", PTHREAD_SYNCHRONIZATION, "s", "POSIX threads condition", \
      "Waiting for conditions and signalling them") \
    P(OVERHEAD, "overhead", TIME, "s", "Overhead", "Regions in which the measurement system was busy with itself") \
    P(IDLE, "idle", TIME, "s", "Idle", "Regions in which a thread has nothing to do until work comes")

#define WAITS_WAIT_TABLE(P) \
    P(INIT_COMPLETION, "mpi_init_completion", MPI_INIT_EXIT, "s", "Init completion", \
      "In MPI_Init after the first process has left it") \
    P(FINALIZE_WAIT, "mpi_finalize_wait", MPI_INIT_EXIT, "s", "Wait at Finalize", \
      "In MPI_Finalize until the last process has entered it") \
    P(BARRIER_WAIT, "mpi_barrier_wait", MPI_SYNC_COLLECTIVE, "s", "Wait at Barrier", \
      "In a barrier until the last process has entered it") \
    P(BARRIER_COMPLETION, "mpi_barrier_completion", MPI_SYNC_COLLECTIVE, "s", "Barrier completion", \
      "In a barrier after the first process has got through it") \
    P(WAIT_AT_CREATE, "mpi_rma_wait_at_create", MPI_MGMT_WIN, "s", "Wait at window creation", \
      "Making a window until the last process has begun to") \
    P(WAIT_AT_FREE, "mpi_rma_wait_at_free", MPI_MGMT_WIN, "s", "Wait at window free", \
      "Freeing a window until the last process has begun to") \
    P(WAIT_AT_FENCE, "mpi_rma_wait_at_fence", MPI_RMA_SYNC_ACTIVE, "s", "Wait at fence", \
      "In a fence until the last process has entered it") \
    P(LATE_POST, "mpi_rma_sync_late_post", MPI_RMA_SYNC_ACTIVE, "s", "Late post", \
      "In MPI_Win_start, or MPI_Win_complete, until the last target has entered MPI_Win_post") \
    P(EARLY_WAIT, "mpi_rma_early_wait", MPI_RMA_SYNC_ACTIVE, "s", "Early wait", \
      "In MPI_Win_wait until the last origin has entered MPI_Win_complete") \
    P(LATE_COMPLETE, "mpi_rma_late_complete", EARLY_WAIT, "s", "Late complete", \
      "The part of it after that origin had left its last access to the window") \
    P(LATE_SENDER, "mpi_latesender", MPI_POINT2POINT, "s", "Late Sender", \
      "In a call that receives, or completes receives, until the sender has entered its call") \
    P(LATE_SENDER_WO, "mpi_latesender_wo", LATE_SENDER, "s", "Late Sender in wrong order", \
      "Those while another message to this receiver, sent earlier, was on its way") \
    P(LSWO_DIFFERENT, "mpi_lswo_different", LATE_SENDER_WO, "s", "Late Sender in wrong order (different sources)", \
      "None of the earlier ones came from the process waited for") \
    P(LSWO_SAME, "mpi_lswo_same", LATE_SENDER_WO, "s", "Late Sender in wrong order (same source)", \
      "One of the earlier ones came from the process waited for") \
    P(LATE_RECEIVER, "mpi_latereceiver", MPI_POINT2POINT, "s", "Late Receiver", \
      "In a blocking send until the receiver has posted its receive") \
    P(LATE_RECEIVER_COMPLETION, "mpi_latereceiver_completion", MPI_POINT2POINT, "s", "Late Receiver at completion", \
      "In a call that completes nothing but sends until the receiver has posted its receive") \
    P(LATE_RECEIVER_EXCHANGE, "mpi_latereceiver_exchange", MPI_POINT2POINT, "s", "Late Receiver in an exchange", \
      "In MPI_Sendrecv, from the end of its wait for the sender until the receiver has posted its receive") \
    P(EARLY_REDUCE, "mpi_earlyreduce", MPI_COLLECTIVE, "s", "Early Reduce", \
      "At the root of a reduction or gather until the last of the others has entered it") \
    P(EARLY_SCAN, "mpi_earlyscan", MPI_COLLECTIVE, "s", "Early Scan", \
      "In a scan until the last of the lower ranks has entered it") \
    P(LATE_BROADCAST, "mpi_latebroadcast", MPI_COLLECTIVE, "s", "Late Broadcast", \
      "In a broadcast or scatter until the root has entered it") \
    P(WAIT_NXN, "mpi_wait_nxn", MPI_COLLECTIVE, "s", "Wait at N x N", \
      "In an operation from all to all until the last process has entered it") \
    P(NXN_COMPLETION, "mpi_nxn_completion", MPI_COLLECTIVE, "s", "N x N completion", \
      "In an operation from all to all after the first process has got through it") \
    P(OMP_FORK, "omp_fork", OMP_MANAGEMENT, "s", "OpenMP fork", \
      "In the forking thread, from the fork to the begin of its team") \
    P(OMP_JOIN, "omp_join", OMP_MANAGEMENT, "s", "OpenMP join", \
      "In the forking thread, from the end of its team to the join") \
    P(OMP_EBARRIER_WAIT, "omp_ebarrier_wait", OMP_EBARRIER, "s", "Wait at explicit OpenMP barrier", \
      "In a barrier of threads until the last one has entered it") \
    P(OMP_IBARRIER_WAIT, "omp_ibarrier_wait", OMP_IBARRIER, "s", "Wait at implicit OpenMP barrier", \
      "At the end of a construct until the last thread has come to it") \
    P(OMP_LOCK_CRITICAL, "omp_lock_contention_critical", OMP_CRITICAL, "s", "OpenMP critical section contention", \
      "Until the thread in the critical section has left it") \
    P(OMP_LOCK_CONTENTION, "omp_lock_contention_api", OMP_LOCK_API, "s", "OpenMP lock API contention", \
      "Until the thread that holds the lock has unset it") \
    P(PTHREAD_LOCK_MUTEX, "pthread_lock_contention_mutex_lock", PTHREAD_LOCK_API, "s", \
      "POSIX threads mutex contention", \
      "Until the thread that holds the mutex has unlocked it") \
    P(PTHREAD_LOCK_CONDITION, "pthread_lock_contention_conditional", PTHREAD_CONDITIONAL, "s", \
      "POSIX threads condition contention", \
      "Until the thread that holds a condition's mutex has unlocked it") \
    P(IDLE_THREADS, "omp_idle_threads", TIME, "s", "OpenMP idle threads", \
      "Threads between the teams they take part in, from the begin of their process to its end")

/* Further counts: C(ID, name, unit, title, help). */
#define WAITS_COUNT_TABLE(C) \
    C(SYNCS_SEND, "syncs_send", "occ", "Empty messages sent", "Messages sent without content") \
    C(SYNCS_RECV, "syncs_recv", "occ", "Empty messages received", "Messages received without content") \
    C(SYNCS_COLL, "syncs_coll", "occ", "Collective synchronizations", \
      "Members of barriers, and of operations without data for them") \
    C(COMMS_SEND, "comms_send", "occ", "Messages sent", "Messages sent with content") \
    C(COMMS_RECV, "comms_recv", "occ", "Messages received", "Messages received with content") \
    C(COMMS_CXCH, "comms_cxch", "occ", "Collective exchanges", \
      "Members of collective operations that sent and received") \
    C(COMMS_CSRC, "comms_csrc", "occ", "Collective sends", "Members of collective operations that only sent") \
    C(COMMS_CDST, "comms_cdst", "occ", "Collective receives", "Members of collective operations that only received") \
    C(BYTES_SENT, "bytes_sent", "bytes", "Message bytes sent", "In messages") \
    C(BYTES_RCVD, "bytes_rcvd", "bytes", "Message bytes received", "In messages") \
    C(BYTES_COUT, "bytes_cout", "bytes", "Collective bytes sent", \
      "In collective operations, by what each member sent") \
    C(BYTES_CIN, "bytes_cin", "bytes", "Collective bytes received", \
      "In collective operations, by what each member received")
/* clang-format on */

typedef enum wait_pattern {
#define P(ID, name, parent, unit, title, help) WAIT_##ID,
    WAITS_TIME_TABLE(P) WAIT_TIMES, /* the number of rows of time */
    WAIT_BEFORE_FIRST = WAIT_TIMES - 1,
    WAITS_WAIT_TABLE(P) WAIT_PATTERNS
#undef P
} wait_pattern;

typedef struct wait_pattern_row {
    const char *name;
    unsigned parent; /* the root is its own parent */
    const char *unit, *title, *help;
} wait_pattern_row;

extern const wait_pattern_row wait_patterns[WAIT_PATTERNS];

/* Does a location wait for what others do? Parts of other waits don't count, nor does time that no location caused. */
int wait_is_for_others(unsigned pattern);

typedef enum wait_count {
#define C(ID, name, unit, title, help) WAITS_##ID,
    WAITS_COUNT_TABLE(C) WAITS_COUNTS
#undef C
} wait_count;

extern const wait_pattern_row wait_count_rows[WAITS_COUNTS]; /* counts have no parents */

#endif
