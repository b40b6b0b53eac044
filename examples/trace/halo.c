/* The program behind the trace in this folder: heat flows through a rod that is spread over MPI ranks. Each step
 * exchanges the ends of a rank's piece with its neighbours (blocking sends and receives), computes, and now and then
 * asks all ranks how much has changed. Rank 0 reads the parameters for all and collects the result.
 *
 *     mpicc -O2 halo.c -o halo && mpirun -n 4 eztrace -t openmpi ./halo */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct rod {
    int rank, ranks;
    int cells;           /* of this rank, without the two halo cells */
    double *heat, *next; /* cells + 2 */
} rod;

/* Ranks with an even number send first, the others receive first. */
static void exchange_halo(rod *r)
{
    int left = r->rank > 0 ? r->rank - 1 : MPI_PROC_NULL;
    int right = r->rank < r->ranks - 1 ? r->rank + 1 : MPI_PROC_NULL;
    double *h = r->heat;

    for (int turn = 0; turn < 2; turn++) {
        if ((r->rank + turn) % 2 == 0) {
            if (right != MPI_PROC_NULL)
                MPI_Send(&h[r->cells], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD);
            if (left != MPI_PROC_NULL)
                MPI_Send(&h[1], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD);
        } else {
            if (left != MPI_PROC_NULL)
                MPI_Recv(&h[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (right != MPI_PROC_NULL)
                MPI_Recv(&h[r->cells + 1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* One step of the heat equation; the sum of what changed. Higher ranks have more to do. */
static double compute_step(rod *r)
{
    double change = 0;

    for (int pass = 0; pass <= r->rank; pass++) {
        change = 0;
        for (int i = 1; i <= r->cells; i++) {
            r->next[i] = r->heat[i] + 0.4 * (r->heat[i - 1] - 2 * r->heat[i] + r->heat[i + 1]);
            change += fabs(r->next[i] - r->heat[i]);
        }
    }
    for (int i = 1; i <= r->cells; i++)
        r->heat[i] = r->next[i];
    return change;
}

static double global_change(double change)
{
    double sum;

    MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void solve(rod *r, int steps, int report_every)
{
    for (int step = 1; step <= steps; step++) {
        double change;

        exchange_halo(r);
        change = compute_step(r);
        if (step % report_every == 0) {
            change = global_change(change);
            if (r->rank == 0)
                printf("step %d: change %g\n", step, change);
        }
    }
}

static void collect_result(const rod *r)
{
    double mine = 0, peak, *all = r->rank == 0 ? malloc((size_t)r->ranks * sizeof *all) : NULL;

    for (int i = 1; i <= r->cells; i++)
        mine += r->heat[i];
    MPI_Gather(&mine, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &peak, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (r->rank == 0)
        printf("heat per rank: first %g, largest %g\n", all[0], peak);
    free(all);
}

int main(int argc, char **argv)
{
    rod r = {0};
    int parameters[3] = {20000, 60, 10}; /* cells a rank, steps, report every */

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    MPI_Bcast(parameters, 3, MPI_INT, 0, MPI_COMM_WORLD);

    r.cells = parameters[0];
    r.heat = calloc((size_t)r.cells + 2, sizeof *r.heat);
    r.next = calloc((size_t)r.cells + 2, sizeof *r.next);
    if (!r.heat || !r.next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (r.rank == 0)
        r.heat[1] = 1000;

    MPI_Barrier(MPI_COMM_WORLD);
    solve(&r, parameters[1], parameters[2]);
    collect_result(&r);
    MPI_Barrier(MPI_COMM_WORLD);

    free(r.heat);
    free(r.next);
    MPI_Finalize();
    return 0;
}
