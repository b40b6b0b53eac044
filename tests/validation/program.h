/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the programs of the validation share: a known amount of work, and the time that counts. That is from when the
 * first process leaves the barrier before the work to when the last one leaves the barrier behind it; in a trace, the
 * same two MPI_Barriers are the last two. */
#ifndef TCFLOW_TESTS_PROGRAM_H
#define TCFLOW_TESTS_PROGRAM_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOT_INLINE __attribute__((noinline))
#define NOT_RECORDED __attribute__((no_instrument_function)) static inline

/* xorshift64*, as a number in [0, 1) */
NOT_RECORDED double draw(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return (double)((x * 0x2545f4914f6cdd1dULL) >> 11) * 0x1p-53;
}

/* The time that the work around takes under SMPI, where computing takes none unless it is declared. */
NOT_RECORDED void takes(double seconds)
{
#ifdef SMPI_H
    smpi_execute(seconds);
#else
    (void)seconds;
#endif
}

/* The N-th argument, a number of at least 1. */
NOT_RECORDED long argument(int argc, char **argv, int n, long otherwise)
{
    long value = argc > n ? strtol(argv[n], NULL, 10) : otherwise;
    return value < 1 ? 1 : value;
}

NOT_RECORDED double begin_of_work(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

/* Says how long the work took: CLOCK_MONOTONIC is one clock for all processes of a host. */
NOT_RECORDED void end_of_work(double begin, const char *result, double value)
{
    double first, last, end;
    int rank;
    MPI_Barrier(MPI_COMM_WORLD);
    end = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&begin, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("seconds %.9f %s %.12g\n", last - first, result, value);
}

#endif
