/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * pi by Monte-Carlo, master and workers, as in the paper: the master sends packets of random numbers to whom asks for
 * them; get_coords() is called for each point; after each packet the workers agree on how far they are.
 *
 *   pi [packets] [points a packet] [refinements a point]
 *
 * With refinements each point costs some 10 ns more a piece, all of it independent of the point before: work that a
 * processor overlaps from point to point, as long as nothing is recorded in between. */
#include "program.h"

#include <math.h>

enum { ASK = 1, PACKET, DONE };

struct coords {
    double x, y;
};

void get_coords(const int *number, struct coords *at, long refinements);
long inside(const int *packet, long points, long refinements);
void serve(int workers, long points);
double work(MPI_Comm workers, int master, long rounds, long points, long refinements);
int main(int argc, char **argv);

NOT_INLINE void get_coords(const int *number, struct coords *at, long refinements)
{
    at->x = (double)number[0] / RAND_MAX * 2 - 1;
    at->y = (double)number[1] / RAND_MAX * 2 - 1;
    for (long i = 0; i < refinements; i++) { /* the same point, by its distance and angle */
        double r = sqrt(at->x * at->x + at->y * at->y) + 1e-300, c = at->x / r;
        at->y = copysign(r * sqrt(fmax(1 - c * c, 0)), at->y);
    }
    takes(6e-9 + 10e-9 * (double)refinements);
}

NOT_INLINE long inside(const int *packet, long points, long refinements)
{
    long n = 0;
    for (long i = 0; i < points; i++) {
        struct coords at;
        get_coords(&packet[2 * i], &at, refinements);
        n += at.x * at.x + at.y * at.y <= 1;
    }
    return n;
}

NOT_INLINE void serve(int workers, long points)
{
    int *packet = malloc((size_t)points * 2 * sizeof *packet);
    uint64_t state = 88172645463325252ULL;
    MPI_Status asked;
    while (workers > 0) {
        int tag;
        MPI_Recv(&tag, 1, MPI_INT, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &asked);
        if (tag == DONE) {
            workers--;
            continue;
        }
        for (long i = 0; i < 2 * points; i++)
            packet[i] = (int)(draw(&state) * RAND_MAX);
        takes(2e-9 * 2 * (double)points);
        MPI_Send(packet, (int)(2 * points), MPI_INT, asked.MPI_SOURCE, PACKET, MPI_COMM_WORLD);
    }
    free(packet);
}

NOT_INLINE double work(MPI_Comm workers, int master, long rounds, long points, long refinements)
{
    int *packet = malloc((size_t)points * 2 * sizeof *packet);
    long mine[2] = {0, 0}, all[2] = {0, 1};
    int tag = PACKET;
    for (long round = 0; round < rounds; round++) {
        MPI_Send(&tag, 1, MPI_INT, master, ASK, MPI_COMM_WORLD);
        MPI_Recv(packet, (int)(2 * points), MPI_INT, master, PACKET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        mine[0] += inside(packet, points, refinements);
        mine[1] += points;
        MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, workers);
    }
    tag = DONE;
    MPI_Send(&tag, 1, MPI_INT, master, ASK, MPI_COMM_WORLD);
    free(packet);
    return 4.0 * (double)all[0] / (double)all[1];
}

int main(int argc, char **argv)
{
    int rank, ranks;
    double pi = 0, begin;
    MPI_Comm workers;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long rounds = argument(argc, argv, 1, 200) / (ranks > 1 ? ranks - 1 : 1), points = argument(argc, argv, 2, 10000);
    long refinements = argc > 3 ? argument(argc, argv, 3, 1) : 0;
    int master = ranks - 1;
    MPI_Comm_split(MPI_COMM_WORLD, rank == master ? MPI_UNDEFINED : 0, rank, &workers);
    begin = begin_of_work();
    if (rank == master)
        serve(master, points);
    else
        pi = work(workers, master, rounds, points, refinements);
    end_of_work(begin, "pi", pi);
    return MPI_Finalize();
}
