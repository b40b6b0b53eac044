/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Makes each kind of MPI call that the recorder records, and each region, for the test of the recorder: at least two
 * processes. The test counts what is in the trace: a change here is one there. */
#include "program.h"
#include "recorder_region.h"

enum { N = 64, SMALL = 16 };

static int rank, ranks, *out, *in, *counts, *at;

void point_to_point(void);
void non_blocking(void);
void persistent(void);
void communicators(void);
void collective(MPI_Comm comm);
void non_blocking_collective(void);
int main(int argc, char **argv);

NOT_INLINE void point_to_point(void)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, flag = 0;
    MPI_Status status;
    takes(1e-6 * (rank + 1));
    if (rank == 0) { /* whoever comes, in the order of arrival */
        for (int i = 1; i < ranks; i++)
            MPI_Recv(in, N, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Send(out, SMALL, MPI_INT, 0, rank, MPI_COMM_WORLD);
    }
    MPI_Sendrecv(out, SMALL, MPI_INT, next, 1, in, N, MPI_INT, before, 1, MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(in, SMALL, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(out, SMALL, MPI_INT, rank + 1 < ranks ? next : MPI_PROC_NULL, 3, in, N, MPI_INT,
                 rank > 0 ? before : MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    if (rank == 0) {
        MPI_Ssend(out, SMALL, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else if (rank == 1) {
        while (!flag)
            MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, &status);
        MPI_Probe(0, 4, MPI_COMM_WORLD, &status);
        MPI_Recv(in, N, MPI_INT, 0, 4, MPI_COMM_WORLD, &status);
    }
}

/* Each way to complete four requests: two receives, two sends. SMPI's MPI_Testany doesn't find sends that wait for
 * nobody. */
NOT_INLINE void non_blocking(void)
{
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, index, indices[4], n, flag;
    MPI_Request request[4];
    MPI_Status status[4];
    for (int way = 0; way < 8; way++) {
        MPI_Irecv(in, N, MPI_INT, before, MPI_ANY_TAG, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(in + N, N, MPI_INT, MPI_ANY_SOURCE, 100 + way, MPI_COMM_WORLD, &request[1]);
        (way == 6 ? MPI_Issend : MPI_Isend)(out, SMALL, MPI_INT, next, way, MPI_COMM_WORLD, &request[2]);
        MPI_Issend(out, SMALL, MPI_INT, next, 100 + way, MPI_COMM_WORLD, &request[3]);
        for (int left = 4; left > 0;) {
            n = 1;
            switch (way) {
            case 0:
                MPI_Wait(&request[4 - left], MPI_STATUS_IGNORE);
                break;
            case 1:
                MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
                n = 4;
                break;
            case 2:
                MPI_Waitany(4, request, &index, status);
                break;
            case 3:
                MPI_Waitsome(4, request, &n, indices, status);
                break;
            case 4:
                MPI_Test(&request[4 - left], &n, status);
                break;
            case 5:
                MPI_Testall(4, request, &flag, status);
                n = flag ? 4 : 0;
                break;
            case 6:
                MPI_Testany(4, request, &index, &n, MPI_STATUS_IGNORE);
                break;
            default:
                MPI_Testsome(4, request, &n, indices, MPI_STATUSES_IGNORE);
                break;
            }
            left -= n;
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Irecv(in, N, MPI_INT, before, 9, MPI_COMM_WORLD, &request[0]); /* nobody sends it */
    MPI_Cancel(&request[0]);
    MPI_Wait(&request[0], status);
}

NOT_INLINE void persistent(void)
{
    MPI_Request request[2];
    MPI_Recv_init(in, N, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(out, SMALL, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &request[1]);
    for (int i = 0; i < 3; i++) {
        if (i < 2) {
            MPI_Startall(2, request);
        } else {
            MPI_Start(&request[1]);
            MPI_Start(&request[0]);
        }
        takes(1e-6);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

NOT_INLINE void communicators(void)
{
    MPI_Comm copy, half, some, same, grid, row;
    MPI_Group world, group;
    int sizes[2] = {ranks / 2, 2}, periodic[2] = {0, 0}, keep[2] = {0, 1}, first = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % 2, -rank, &half);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_excl(world, 1, &first, &group);
    MPI_Comm_create(MPI_COMM_WORLD, group, &some);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periodic, 0, &grid);
    if (grid != MPI_COMM_NULL) {
        MPI_Cart_sub(grid, keep, &row);
        MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, row);
        MPI_Comm_free(&row);
        MPI_Comm_free(&grid);
    }
    if (some != MPI_COMM_NULL) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 6, &same);
        MPI_Comm_free(&same);
        MPI_Barrier(some);
        MPI_Comm_free(&some);
    }
    MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, half);
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

NOT_INLINE void collective(MPI_Comm comm)
{
    for (int i = 0; i < ranks; i++) {
        counts[i] = i + 1;
        at[i] = i * ranks;
    }
    MPI_Barrier(comm);
    MPI_Bcast(out, SMALL, MPI_INT, 1, comm);
    MPI_Reduce(out, in, SMALL, MPI_INT, MPI_SUM, 1, comm);
    MPI_Allreduce(out, in, SMALL, MPI_INT, MPI_SUM, comm);
    MPI_Scan(out, in, SMALL, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(out, in, SMALL, MPI_INT, MPI_SUM, comm);
    MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
    MPI_Gatherv(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, 0, comm);
    MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
    MPI_Scatterv(out, counts, at, MPI_INT, in, rank + 1, MPI_INT, 0, comm);
    MPI_Allgather(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    MPI_Allgatherv(out, rank + 1, MPI_INT, in, counts, at, MPI_INT, comm);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1;
        at[i] = i;
    }
    MPI_Alltoallv(out, counts, at, MPI_INT, in, counts, at, MPI_INT, comm);
    MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, 1, MPI_INT, MPI_SUM, comm);
}

NOT_INLINE void non_blocking_collective(void)
{
    MPI_Request request[3];
    MPI_Ibarrier(MPI_COMM_WORLD, &request[0]);
    MPI_Iallreduce(out, in, SMALL, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[1]);
    MPI_Ibcast(out, SMALL, MPI_INT, 0, MPI_COMM_WORLD, &request[2]);
    takes(1e-6);
    MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    size_t n = (size_t)(ranks * ranks + 2 * N);
    out = calloc(n, sizeof *out); /* under SMPI a static has one address in all ranks */
    in = calloc(n, sizeof *in);
    counts = calloc((size_t)ranks, sizeof *counts);
    at = calloc((size_t)ranks, sizeof *at);
    for (int step = 0; step < 2; step++) {
        LOOP("step");
        {
            REGION("messages");
            point_to_point();
            non_blocking();
            persistent();
        }
        communicators();
        collective(MPI_COMM_WORLD);
        non_blocking_collective();
    }
    free(out);
    free(in);
    free(counts);
    free(at);
    return MPI_Finalize();
}
