/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * A measurement system as small as can be, for the validation of overhead compensation: it records the functions of a
 * program that is compiled with -finstrument-functions, and the MPI calls that the programs here make, into an OTF2
 * archive (recorder_archive.c). recorder_functions.c and recorder_mpi.c are what the program calls instead.
 *
 * One thread a process; timestamps are CLOCK_MONOTONIC, so ranks of one host share a clock. Environment: RECORDER_OUT
 * is the folder of the archive (default "recorded"); RECORDER_CHUNKS how many chunks of 1 MiB a process has (default
 * 96); when they are full it writes them to disk, which is recorded as BUFFER_FLUSH. */
#ifndef TCFLOW_TESTS_RECORDER_H
#define TCFLOW_TESTS_RECORDER_H

#include <mpi.h>
#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Regions of MPI; those of the program follow as their offset in its image, which is larger. */
enum recorder_region {
    RECORDER_INIT,
    RECORDER_FINALIZE,
    RECORDER_COMM_SPLIT,
    RECORDER_SEND,
    RECORDER_RECV,
    RECORDER_SENDRECV,
    RECORDER_ISEND,
    RECORDER_IRECV,
    RECORDER_WAIT,
    RECORDER_WAITALL,
    RECORDER_BARRIER,
    RECORDER_BCAST,
    RECORDER_REDUCE,
    RECORDER_ALLREDUCE,
    RECORDER_MPI_REGIONS
};
enum { RECORDER_IMAGE_BYTES = 1 << 22 };

struct recorder {
    OTF2_EvtWriter *writer;             /* NULL: nothing is recorded, not yet or no longer */
    uint64_t begin;                     /* of MPI_Init */
    char *image;                        /* where the program was loaded */
    uint8_t seen[RECORDER_IMAGE_BYTES]; /* is there a function that was called? by offset */
};
extern struct recorder recorder;

static inline uint64_t recorder_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline void recorder_enter(uint32_t region)
{
    OTF2_EvtWriter_Enter(recorder.writer, NULL, recorder_now(), region);
}

static inline void recorder_leave(uint32_t region)
{
    OTF2_EvtWriter_Leave(recorder.writer, NULL, recorder_now(), region);
}

/* Both collective over MPI_COMM_WORLD. After recorder_open() events are recorded; recorder_close() writes the
 * archive. */
void recorder_open(void);
void recorder_close(void);

/* The communicator's number in the archive. */
OTF2_CommRef recorder_comm(MPI_Comm comm);
/* Gives a new communicator a number; collective over its parent. */
void recorder_add_comm(MPI_Comm parent, MPI_Comm comm);

#endif
