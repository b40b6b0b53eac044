/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What tcflow-calibrate has recorded where a command says $TCFLOW_LOOP: calls that do nothing, in a row, so that the
 * time between their events is nothing but recording.
 *
 * First empty functions, for measurement systems that see the compiler's instrumentation (-finstrument-functions,
 * scorep); then locking and unlocking a mutex, for those that wrap libraries alone. TCFLOW_CALLS says how many of
 * each. */
#include <pthread.h>
#include <stdlib.h>

/* Not static, so that measurement systems find their names. */
void tcflow_empty(void);
void tcflow_calls(long n);
void tcflow_locks(long n);

__attribute__((noinline)) void tcflow_empty(void)
{
    __asm__ volatile("");
}

__attribute__((noinline)) void tcflow_calls(long n)
{
    for (long i = 0; i < n; i++)
        tcflow_empty();
}

__attribute__((noinline)) void tcflow_locks(long n)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (long i = 0; i < n; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    const char *text = getenv("TCFLOW_CALLS");
    long n = text && atol(text) > 0 ? atol(text) : 100000;
    tcflow_calls(n);
    tcflow_locks(n / 2);
    return 0;
}
