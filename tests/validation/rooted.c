/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operations with a root, which is another rank in each step: it prepares a block, broadcasts it, and reduces what all
 * have made of it. Shares are not equal, and all ranks agree after each tenth step alone, so some run ahead.
 *
 *   rooted [steps] [items of all a step] */
#include "program.h"

enum { BLOCK = 128 };

double advance(double x);
double process(double x, long items);
double run(long steps, long items, int rank, int ranks);
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

NOT_INLINE double run(long steps, long items, int rank, int ranks)
{
    double *block = calloc(2 * BLOCK, sizeof *block), x = rank;
    for (long step = 0; step < steps; step++) {
        int root = (int)(step % ranks);
        if (rank == root)
            block[0] = process(x, items / ranks / 8 + 1);
        MPI_Bcast(block, BLOCK, MPI_DOUBLE, root, MPI_COMM_WORLD);
        block[BLOCK] = process(block[0], items / ranks + (rank + step) % ranks * 8);
        MPI_Reduce(block + BLOCK, block, BLOCK, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
        if (step % 10 == 9)
            MPI_Allreduce(MPI_IN_PLACE, block, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    x = block[0];
    free(block);
    return x;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long steps = argument(argc, argv, 1, 50), items = argument(argc, argv, 2, 4000);
    double begin = begin_of_work();
    double x = run(steps, items, rank, ranks);
    end_of_work(begin, "x", x);
    return MPI_Finalize();
}
