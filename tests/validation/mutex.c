/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Locks and unlocks a mutex with some work in between, for a measurement system that is not the recorder here: EZTrace
 * records calls of pthreads. Says how long it took, from the first call to the last.
 *
 *   mutex [rounds] [steps of work a round] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    long rounds = argc > 1 ? atol(argv[1]) : 300000, steps = argc > 2 ? atol(argv[2]) : 30;
    volatile double x = 1;
    double begin = now();
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&mutex);
        for (long k = 0; k < steps; k++)
            x = x * 1.0000001 + 1;
        pthread_mutex_unlock(&mutex);
    }
    printf("seconds %.6f x %g\n", now() - begin, x);
    return 0;
}
