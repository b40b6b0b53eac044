/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * A program with two causes, the same work for all ranks together, and noise. In each of 20 steps rank 2 takes
 * AMPLITUDE seconds at a boundary while all others wait for it, and rank 0 half of that for output. So with P ranks
 * they lose 20 * AMPLITUDE * (P - 4) and half of that against four. NOISE: seconds of all ranks in `cache`, in this
 * run.
 *
 *   two AMPLITUDE UNIT NOISE SEED */
#include "scaling.h"

enum { STEPS = 20 };

int main(int argc, char **argv)
{
    double noise = argc > 3 ? strtod(argv[3], NULL) : 0;
    begin(argc, argv, argc > 4 ? strtoul(argv[4], NULL, 10) : 1, 1, 0.005, 0.002);
    for (int i = 0; i < STEPS; i++) {
        LOOP("step");
        {
            REGION("compute");
            work(unit / ranks);
        }
        {
            REGION("cache");
            takes(noise / STEPS / ranks);
        }
        if (rank == 2) {
            REGION("boundary");
            takes(amplitude);
        }
        allreduce(1);
        if (rank == 0) {
            REGION("output");
            takes(amplitude / 2);
        }
        MPI_Bcast(block_in, 64, MPI_BYTE, 0, MPI_COMM_WORLD);
    }
    return end();
}
