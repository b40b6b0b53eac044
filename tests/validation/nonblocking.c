/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Particles on a ring of processes: each step posts receives from and sends to both neighbours, pushes its own
 * particles meanwhile, one call of push() each, and takes in the neighbours' fields when MPI_Waitall has them. The
 * number of particles wanders around the ring, so who waits for whom changes.
 *
 *   nonblocking [steps] [particles of all] [points of a field] [-]
 *
 * With a fourth argument each particle feels the wake of the one before it: a chain of operations through all calls,
 * beside which a processor has time to record. */
#include "program.h"

enum { SUPPORT = 16 }; /* points of the field that a particle feels */

struct particle {
    double x, v;
};
struct domain {
    struct particle *particle;
    double *field, *left, *right; /* `points` and SUPPORT values each */
    long particles, points;
    int rank, ranks, wake;
};

double push(struct particle *p, const double *field, double wake, long points);
double push_all(const struct domain *d, long n);
double advance(struct domain *d, long n);
double run(struct domain *d, long steps);
int main(int argc, char **argv);

/* Returns the wake behind the particle. */
NOT_INLINE double push(struct particle *p, const double *field, double wake, long points)
{
    long cell = (long)p->x;
    double t = p->x - (double)cell, force = wake;
    for (long i = 0; i < SUPPORT; i++)
        force += field[cell + i] * (1 - t * (0.1 * (double)i));
    p->v += 1e-3 * force;
    p->x += p->v;
    if (p->x < 0 || p->x >= (double)points)
        p->x = (double)(points / 2);
    takes(17e-9);
    return 0.5 * wake + 0.5 * force;
}

NOT_INLINE double push_all(const struct domain *d, long n)
{
    double wake = 0;
    for (long i = 0; i < n; i++) {
        double behind = push(&d->particle[i], d->field, wake, d->points);
        wake = d->wake ? behind : 0;
    }
    return d->particle[0].x;
}

NOT_INLINE double advance(struct domain *d, long n)
{
    int left = (d->rank + d->ranks - 1) % d->ranks, right = (d->rank + 1) % d->ranks, points = (int)d->points;
    MPI_Request request[4];
    MPI_Irecv(d->left, points, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(d->right, points, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(d->field, points, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(d->field, points, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &request[3]);
    double x = push_all(d, n);
    MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
    for (long i = 0; i < d->points; i++)
        d->field[i] = 0.5 * d->field[i] + 0.25 * (d->left[i] + d->right[i]);
    return x;
}

NOT_INLINE double run(struct domain *d, long steps)
{
    double x = 0;
    for (long i = 0; i < steps; i++)
        x = advance(d, d->particles + ((i / 8 + d->rank) % d->ranks == 0 ? d->particles / 2 : 0));
    return x;
}

int main(int argc, char **argv)
{
    struct domain d;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &d.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &d.ranks);
    long steps = argument(argc, argv, 1, 1000);
    d.particles = argument(argc, argv, 2, 2000) / d.ranks + 1;
    d.points = argument(argc, argv, 3, 128);
    d.wake = argc > 4;
    size_t values = (size_t)(d.points + SUPPORT);
    d.particle = calloc((size_t)d.particles * 2, sizeof *d.particle);
    d.field = calloc(values * 3, sizeof *d.field);
    d.left = d.field + values;
    d.right = d.left + values;
    uint64_t state = (uint64_t)88172645463325252 + (uint64_t)d.rank;
    for (long i = 0; i < 2 * d.particles; i++)
        d.particle[i] = (struct particle){draw(&state) * (double)d.points, draw(&state) - 0.5};
    for (long i = 0; i < d.points; i++)
        d.field[i] = draw(&state) - 0.5;
    double begin = begin_of_work();
    double x = run(&d, steps);
    end_of_work(begin, "x", x);
    free(d.particle);
    free(d.field);
    return MPI_Finalize();
}
