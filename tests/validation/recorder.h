/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * A small measurement system for C programs, under any MPI and under SimGrid's SMPI. It writes an OTF2 archive with a
 * location a rank: functions of a program that is compiled with -finstrument-functions (recorder_functions.c), blocks
 * that the program names (recorder_region.h), and MPI calls (recorder_mpi.c, whose table says which).
 * recorder_archive.c writes the archive. README.md shows how a program is built with it.
 *
 * One thread a process. Timestamps are CLOCK_MONOTONIC, or under SMPI the simulated time; either is one clock for all
 * ranks. Environment: RECORDER_OUT is the folder of the archive (default "recorded").
 *
 * Not under SMPI: RECORDER_CHUNKS is how many chunks of 1 MiB a process has (default 96); when they are full it writes
 * them to disk, which is recorded as BUFFER_FLUSH. Under SMPI a flush takes no time and isn't recorded.
 *
 * SMPI alone: RECORDER_COST is what recording an event costs, in simulated seconds: "BEFORE:BEHIND[:SPREAD]", the times
 * before and behind the timestamp is taken. With SPREAD each cost is drawn evenly from (1 - SPREAD) to (1 + SPREAD)
 * times its mean. Default: nothing. */
#ifndef TCFLOW_TESTS_RECORDER_H
#define TCFLOW_TESTS_RECORDER_H

#include <mpi.h>
#include <otf2/otf2.h>
#include <stddef.h>
#include <stdint.h>

#ifdef SMPI_H
#include <simgrid/engine.h>
#else
#include <time.h>
#endif

/* A region's number is the offset in the program's image of its function, or of its name: the same for all processes,
 * wherever the image was loaded. */
extern const char recorder_image[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

/* What stands at an offset: nothing that was called, a function, or a name; a name has the region's OTF2_RegionRole. */
enum { NOT_SEEN = 0, SEEN_FUNCTION = 255, MOST_OPEN = 4096 };

/* Statics are a rank's own, under SMPI, too; but no MPI call may get the address of one there. */
struct recorder {
    OTF2_EvtWriter *writer; /* NULL: nothing is recorded, not yet or no longer */
    uint8_t *seen;          /* by offset in the image */
    size_t bytes;           /* of the image */
    uint64_t begin;         /* of MPI_Init */
    double before, behind, spread;
    uint64_t random;
    uint32_t depth, open[MOST_OPEN]; /* functions and blocks, without MPI */
};
extern struct recorder recorder;

#ifdef SMPI_H
static inline void recorder_spend(double seconds)
{
    if (seconds <= 0)
        return;
    recorder.random = recorder.random * 6364136223846793005u + 1442695040888963407u;
    smpi_execute(seconds * (1 + recorder.spread * ((double)(recorder.random >> 11) * 0x1p-52 - 1)));
}

static inline uint64_t recorder_now(void)
{
    return (uint64_t)(simgrid_get_clock() * 1e9 + 0.5);
}
#else
static inline void recorder_spend(double seconds)
{
    (void)seconds;
}

static inline uint64_t recorder_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
#endif

/* Writes an event of any kind: RECORD(MpiSend, receiver, ...) */
#define RECORD(kind, ...)                                                                                              \
    do {                                                                                                               \
        recorder_spend(recorder.before);                                                                               \
        OTF2_EvtWriter_##kind(recorder.writer, NULL, recorder_now(), ##__VA_ARGS__);                                   \
        recorder_spend(recorder.behind);                                                                               \
    } while (0)

static inline uint32_t recorder_offset(const void *at)
{
    return (uint32_t)((const char *)at - recorder_image);
}

/* Both collective over MPI_COMM_WORLD. After recorder_open() events are recorded; recorder_close() writes the
 * archive. */
void recorder_open(void);
void recorder_close(void);

/* The communicator's number in the archive. */
OTF2_CommRef recorder_comm(MPI_Comm comm);
/* Gives a new communicator a number and returns it; collective over the communicator. */
OTF2_CommRef recorder_add_comm(MPI_Comm comm);

/* Ends the program with a message. */
void recorder_give_up(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
