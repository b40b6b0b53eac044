/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* MPI ping-pong for tcflow-calibrate: pingpong SMALLEST LARGEST, in bytes, on two processes.
 *
 * A line a size, in powers of two: the size, the shortest and the median time of a round trip in seconds. Without
 * sizes (as $TCFLOW_PINGPONG) it sends many small messages, for their events to be recorded. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101, RECORDED = 5000 };

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Seconds of `times` round trips, for one. */
static double round_trip(int rank, char *buffer, int size, int times)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send(buffer, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(buffer, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(buffer, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
        }
    }
    return (MPI_Wtime() - begin) / times;
}

static void measure(int rank, char *buffer, long size)
{
    double time[ROUNDS] = {0};
    int times = size < 4096 ? 50 : size < 1 << 20 ? 5 : 1, rounds = size < 1 << 23 ? ROUNDS : 11;
    round_trip(rank, buffer, (int)size, 5); /* warms up */
    for (int i = 0; i < rounds; i++)
        time[i] = round_trip(rank, buffer, (int)size, times);
    qsort(time, (size_t)rounds, sizeof time[0], compare);
    if (rank == 0)
        printf("%ld %.12f %.12f\n", size, time[0], time[rounds / 2]);
}

int main(int argc, char **argv)
{
    int rank, size;
    long smallest = argc > 2 ? atol(argv[1]) : 8, largest = argc > 2 ? atol(argv[2]) : 8;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    char *buffer = malloc((size_t)largest);
    if (size != 2 || !buffer) {
        fprintf(stderr, "pingpong: %s\n", buffer ? "wants two processes" : "out of memory");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(buffer, 1, (size_t)largest);
    if (argc > 2) {
        for (long bytes = smallest; bytes <= largest; bytes *= 2)
            measure(rank, buffer, bytes);
    } else {
        round_trip(rank, buffer, 8, RECORDED);
        for (int i = 0; i < RECORDED; i++)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    free(buffer);
    MPI_Finalize();
    return 0;
}
