/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Events in a row, to measure what recording one costs: calls of a function that does nothing.
 *
 *   empty [calls] */
#include "program.h"

void nothing(void);
void calls(long n);
int main(int argc, char **argv);

NOT_INLINE void nothing(void)
{
    __asm__ volatile("");
}

NOT_INLINE void calls(long n)
{
    for (long i = 0; i < n; i++)
        nothing();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    double begin = begin_of_work();
    long n = argument(argc, argv, 1, 1000000);
    calls(n);
    end_of_work(begin, "calls", (double)n);
    return MPI_Finalize();
}
