/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The case of Zeus-MP in the paper: every eighth rank has a boundary loop, behind which three phases of non-blocking
 * messages and an MPI_Allreduce make all others wait. Strong scaling; the boundary doesn't shrink. The fix: threads in
 * that loop, of which AMPLITUDE says how many a process has: 1 before, 8 behind. */
#include "scaling.h"

void bval3d(void);
void hsmoc(void);
void nudt(void);

NOT_INLINE void bval3d(void)
{
    if (rank % 8 == 0) {
        LOOP("boundary loop");
        work(0.2 * unit / amplitude);
    }
}

NOT_INLINE void hsmoc(void)
{
    work(unit * 64 / ranks);
}

NOT_INLINE void nudt(void)
{
    for (int phase = 0; phase < 3; phase++)
        halo_nonblocking(2000, 0.02 * unit * 64 / ranks);
    allreduce(rank);
}

int main(int argc, char **argv)
{
    begin(argc, argv, 1, 1, 0.005, 0);
    for (int i = 0; i < 10; i++) {
        LOOP("time step");
        hsmoc();
        bval3d();
        nudt();
    }
    return end();
}
