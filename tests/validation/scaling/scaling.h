/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * What the programs of this folder share: how much a process computes, and how neighbours talk to each other. Nothing
 * here is recorded as a function; MPI calls belong to the region around.
 *
 *   PROGRAM AMPLITUDE UNIT
 *
 * AMPLITUDE: the strength of the cause at the largest size, in seconds, or calls a step; with 0 the program has none.
 * UNIT: seconds that a process computes in a step, at the largest size. Each process prints when it was done. */
#ifndef TCFLOW_TESTS_SCALING_H
#define TCFLOW_TESTS_SCALING_H

#include "program.h"
#include "recorder_region.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 17, MOST_NEIGHBOURS = 4 };

static int rank, ranks, columns, neighbours, neighbour[MOST_NEIGHBOURS]; /* columns: of the grid of ranks */
static double amplitude, unit, jitter, speed;
static uint64_t random_state;
static char *block_out, *block_in; /* on the heap: MPI must not get the address of a static variable */
static MPI_Comm row;               /* of the grid of ranks */

/* Neighbours on a line of ranks, or on a grid, without periodic boundaries. */
NOT_RECORDED void find_neighbours(int dimensions)
{
    int side = (int)floor(sqrt((double)ranks));
    while (ranks % side != 0)
        side--;
    columns = dimensions == 1 ? ranks : ranks / side;
    if (rank % columns > 0)
        neighbour[neighbours++] = rank - 1;
    if (rank % columns < columns - 1)
        neighbour[neighbours++] = rank + 1;
    if (rank >= columns)
        neighbour[neighbours++] = rank - columns;
    if (rank + columns < ranks)
        neighbour[neighbours++] = rank + columns;
}

/* `drift`: by how much all computing of a run is faster or slower than that of others, at most. */
NOT_RECORDED void begin(int argc, char **argv, uint64_t seed, int dimensions, double most_jitter, double drift)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    amplitude = argc > 1 ? strtod(argv[1], NULL) : 0;
    unit = argc > 2 ? strtod(argv[2], NULL) : 1e-3;
    jitter = most_jitter;
    random_state = seed * 1000003 + (uint64_t)rank * 7919 + 1;
    for (int i = 0; i < 8; i++) /* seeds that are alike give numbers that aren't */
        draw(&random_state);
    uint64_t run_state = seed * 7919 + (uint64_t)ranks;
    draw(&run_state);
    speed = 1 + drift * (2 * draw(&run_state) - 1);
    size_t bytes = BLOCK_BYTES * (size_t)ranks / 8 + BLOCK_BYTES * MOST_NEIGHBOURS;
    block_out = calloc(2, bytes);
    block_in = block_out + bytes;
    find_neighbours(dimensions);
}

NOT_RECORDED int end(void)
{
    printf("seconds %.9f\n", MPI_Wtime());
    free(block_out);
    return MPI_Finalize();
}

/* Computes that long, more or less. */
NOT_RECORDED void work(double seconds)
{
    if (seconds > 0)
        takes(speed * seconds * (1 + jitter * (2 * draw(&random_state) - 1)));
}

/* How the time of a cause depends on the number of ranks: 1 at `most`, and a power of it elsewhere. */
NOT_RECORDED double grown(double exponent, int most)
{
    return pow((double)ranks / most, exponent);
}

/* Shifts to the west, the east, the north and the south. */
NOT_RECORDED void halo_sendrecv(int bytes)
{
    int west = rank % columns > 0 ? rank - 1 : MPI_PROC_NULL, north = rank >= columns ? rank - columns : MPI_PROC_NULL;
    int east = rank % columns < columns - 1 ? rank + 1 : MPI_PROC_NULL;
    int south = rank + columns < ranks ? rank + columns : MPI_PROC_NULL;
    const int to[] = {west, east, north, south}, from[] = {east, west, south, north};
    for (int i = 0; i < (columns < ranks ? 4 : 2); i++)
        MPI_Sendrecv(block_out, bytes, MPI_BYTE, to[i], 1, block_in, bytes, MPI_BYTE, from[i], 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

NOT_RECORDED int halo_post(int bytes, MPI_Request *request)
{
    for (int i = 0; i < neighbours; i++)
        MPI_Irecv(block_in + (size_t)i * BLOCK_BYTES, bytes, MPI_BYTE, neighbour[i], 2, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < neighbours; i++)
        MPI_Isend(block_out, bytes, MPI_BYTE, neighbour[i], 2, MPI_COMM_WORLD, &request[neighbours + i]);
    return 2 * neighbours;
}

/* Non-blocking messages to and from the neighbours, with work meanwhile. */
NOT_RECORDED void halo_nonblocking(int bytes, double meanwhile)
{
    MPI_Request request[2 * MOST_NEIGHBOURS];
    int n = halo_post(bytes, request);
    work(meanwhile);
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

/* Non-blocking receives, blocking sends. */
NOT_RECORDED void halo_send(int bytes)
{
    MPI_Request request[MOST_NEIGHBOURS];
    for (int i = 0; i < neighbours; i++)
        MPI_Irecv(block_in + (size_t)i * BLOCK_BYTES, bytes, MPI_BYTE, neighbour[i], 3, MPI_COMM_WORLD, &request[i]);
    for (int i = 0; i < neighbours; i++)
        MPI_Send(block_out, bytes, MPI_BYTE, neighbour[i], 3, MPI_COMM_WORLD);
    MPI_Waitall(neighbours, request, MPI_STATUSES_IGNORE);
}

/* Front from the first rank of the grid to the last one, block by block. */
NOT_RECORDED void wavefront(int blocks, int bytes, double seconds_a_block)
{
    for (int b = 0; b < blocks; b++) {
        for (int i = 0; i < neighbours; i++)
            if (neighbour[i] < rank)
                MPI_Recv(block_in, bytes, MPI_BYTE, neighbour[i], 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        work(seconds_a_block);
        for (int i = 0; i < neighbours; i++)
            if (neighbour[i] > rank)
                MPI_Send(block_out, bytes, MPI_BYTE, neighbour[i], 4, MPI_COMM_WORLD);
    }
}

/* Rank 0 hands out tasks, `rounds` to each worker, whoever asks first. */
NOT_RECORDED void farm_master(int rounds)
{
    for (int i = 0; i < rounds * (ranks - 1); i++) {
        MPI_Status status;
        MPI_Recv(block_in, 64, MPI_BYTE, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
        MPI_Send(block_out, 256, MPI_BYTE, status.MPI_SOURCE, 6, MPI_COMM_WORLD);
    }
}
NOT_RECORDED void farm_task(void)
{
    MPI_Send(block_out, 64, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
    MPI_Recv(block_in, 256, MPI_BYTE, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each process and each other one, pair by pair. */
NOT_RECORDED void exchange_with_all(int bytes)
{
    for (int i = 1; i < ranks; i++)
        MPI_Sendrecv(block_out, bytes, MPI_BYTE, (rank + i) % ranks, 11, block_in, bytes, MPI_BYTE,
                     (rank + ranks - i) % ranks, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Makes communicators of the rows of the grid, once. */
NOT_RECORDED void make_rows(void)
{
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
}

NOT_RECORDED double allreduce_in(MPI_Comm comm, double value)
{
    double *buffer = (double *)(void *)block_in;
    buffer[0] = value;
    MPI_Allreduce(buffer, buffer + 1, 1, MPI_DOUBLE, MPI_MAX, comm);
    return buffer[1];
}

/* A broadcast with work meanwhile. MPI_Ibarrier is none in SMPI: ranks leave it before others have come. */
NOT_RECORDED void bcast_nonblocking(double meanwhile)
{
    MPI_Request request;
    MPI_Ibcast(block_in, 64, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    work(meanwhile);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

NOT_RECORDED double allreduce(double value)
{
    return allreduce_in(MPI_COMM_WORLD, value);
}

#endif
