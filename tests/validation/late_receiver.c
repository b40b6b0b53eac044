/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Sends that wait for their receivers. In each step one rank of a pair sends a block and works then; the other one
 * works first, an item a call, and receives then. Every other step is the other way round. Blocks of 64 KiB and more
 * wait under SMPI, as in most MPI libraries; so does MPI_Ssend, whatever the size.
 *
 *   late_receiver [steps] [items] [numbers a block] */
#include "program.h"

double advance(double x);
double process(double x, long items);
void send(double *block, int n, int to, long step);
double run(long steps, long items, int numbers, int rank, int ranks);
int main(int argc, char **argv);

NOT_INLINE double advance(double x)
{
    takes(20e-9);
    return 0.5 * x + 1;
}

NOT_INLINE double process(double x, long items)
{
    for (long i = 0; i < items; i++)
        x = advance(x);
    return x;
}

NOT_INLINE void send(double *block, int n, int to, long step)
{
    MPI_Request request;
    switch (step % 3) {
    case 0:
        MPI_Send(block, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Ssend(block, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
        break;
    default:
        MPI_Isend(block, n, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request);
        block[n] = process(block[n], 10);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

NOT_INLINE double run(long steps, long items, int numbers, int rank, int ranks)
{
    double *block = calloc((size_t)numbers + 1, sizeof *block), x = rank;
    const int other = rank ^ 1;
    for (long step = 0; step < steps; step++) {
        if (other < ranks && (rank + step) % 2 == 0) {
            send(block, numbers, other, step);
            takes(20e-9 * (double)items);
        } else if (other < ranks) {
            x = process(x, items + rank);
            MPI_Recv(block, numbers, MPI_DOUBLE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        if (step % 4 == 3)
            MPI_Allreduce(MPI_IN_PLACE, block + numbers, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    x += block[0];
    free(block);
    return x;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long steps = argument(argc, argv, 1, 60), items = argument(argc, argv, 2, 2000);
    int numbers = (int)argument(argc, argv, 3, 10000);
    double begin = begin_of_work();
    double x = run(steps, items, numbers, rank, ranks);
    end_of_work(begin, "x", x);
    return MPI_Finalize();
}
