/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The program tcflow-mpi: tcflow's command, run by several processes together. All of them read the command line, the
 * settings and the definitions; standard output, messages about the run and all outputs are the first one's. */
#include "framework/base/output.h"
#include "framework/command/command.h"
#include "world.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    int provided, status = 1;

    output_reserve_standard(); /* Open MPI's helper takes numbers 0 to 2 for what they usually are, and does not end */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    world *w = world_new();
    if (w->me > 0 && !freopen("/dev/null", "w", stdout))
        world_give_up("/dev/null cannot be opened");
    status = command_main(argc, argv, &w->table);
    world_delete(w);
    MPI_Finalize();
    return status;
}
