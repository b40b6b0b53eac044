/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Relaxation on a grid that is cut into stripes: MPI_Sendrecv with both neighbours, a function a piece of a row, and
 * the residual of all stripes after each step. The stripes are not of one height: some processes wait for others.
 *
 *   halo [steps] [rows of all stripes] [columns] [-]
 *
 * Gauss-Seidel: each cell takes the new value of the one before, so a piece cannot begin before the last one is done.
 * With a fourth argument Jacobi: pieces are independent of each other, and a processor overlaps them as long as nothing
 * is recorded in between. */
#include "program.h"

#include <string.h>

enum { PIECE = 16 };

struct stripe {
    double *old, *new;
    long rows, columns;
    int jacobi;
};

double relax(const struct stripe *s, long row, long column);
double step(struct stripe *s);
void exchange(struct stripe *s, int rank, int ranks);
double solve(struct stripe *s, int rank, int ranks, long steps);
int main(int argc, char **argv);

/* Some cells of a row; returns how much they change. */
NOT_INLINE double relax(const struct stripe *s, long row, long column)
{
    const double *at = &s->old[row * s->columns + column];
    double *to = &s->new[row * s->columns + column], change = 0, before = s->jacobi ? at[-1] : to[-1];
    for (long i = 0; i < PIECE; i++) {
        to[i] = 0.25 * (before + at[i + 1] + at[i - s->columns] + at[i + s->columns]);
        change += (to[i] - at[i]) * (to[i] - at[i]);
        before = s->jacobi ? at[i] : to[i];
    }
    takes(55e-9);
    return change;
}

NOT_INLINE double step(struct stripe *s)
{
    double change = 0, *old = s->old;
    for (long row = 1; row <= s->rows; row++)
        for (long column = 1; column + PIECE < s->columns; column += PIECE)
            change += relax(s, row, column);
    s->old = s->new;
    s->new = old;
    return change;
}

NOT_INLINE void exchange(struct stripe *s, int rank, int ranks)
{
    int n = (int)s->columns, up = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        down = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double *first = s->old, *last = s->old + s->rows * s->columns;
    MPI_Sendrecv(first + n, n, MPI_DOUBLE, up, 1, last + n, n, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(last, n, MPI_DOUBLE, down, 2, first, n, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

NOT_INLINE double solve(struct stripe *s, int rank, int ranks, long steps)
{
    double residual = 0;
    for (long i = 0; i < steps; i++) {
        exchange(s, rank, ranks);
        double mine = step(s);
        MPI_Allreduce(&mine, &residual, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        if (i % 50 == 49)
            MPI_Bcast(&residual, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    return residual;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    long steps = argument(argc, argv, 1, 500), rows = argument(argc, argv, 2, 256);
    struct stripe s = {.columns = argument(argc, argv, 3, 512) + 2, .rows = rows / ranks, .jacobi = argc > 4};
    s.rows += rank % 2 ? s.rows / 8 : -s.rows / 8;
    size_t cells = (size_t)((s.rows + 2) * s.columns);
    s.old = calloc(cells, sizeof *s.old);
    s.new = calloc(cells, sizeof *s.new);
    for (long i = 0; i < s.columns; i++)
        s.old[i] = s.new[i] = rank == 0;
    memset(s.old + s.columns, 0, (size_t)s.columns * sizeof *s.old);
    double begin = begin_of_work();
    double residual = solve(&s, rank, ranks, steps);
    end_of_work(begin, "residual", residual);
    free(s.old);
    free(s.new);
    return MPI_Finalize();
}
