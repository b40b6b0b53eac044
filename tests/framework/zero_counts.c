/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collectives with counts of 0, from which members return at once, among collectives that carry data. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, n, data[64] = {0};
    double mine = 1, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < 35; i++) {
        usleep((useconds_t)(500 + (rank * 37 + i * 91) % 17 * 1000));
        MPI_Bcast(data, 0, MPI_INT, i % n, MPI_COMM_WORLD);
        usleep((useconds_t)((rank * 17 + i * 31) % 7 * 500));
        MPI_Reduce(&mine, &sum, 0, MPI_DOUBLE, MPI_SUM, (i + 1) % n, MPI_COMM_WORLD);
        MPI_Allreduce(&mine, &sum, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        MPI_Alltoall(data, 0, MPI_INT, data + 32, 0, MPI_INT, MPI_COMM_WORLD);
        if (i % 5 == 0)
            MPI_Bcast(data, 16, MPI_INT, 0, MPI_COMM_WORLD);
        if (i % 7 == 0)
            MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
