/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The program $TCFLOW_LOOP that tcflow-calibrate records: a row of calls that do nothing, so that the time between
 * their events is the cost of recording.
 *
 * First come empty functions, for measurement systems that see the compiler's instrumentation (-finstrument-
 * functions, scorep); then a mutex is locked and unlocked, for systems that only wrap libraries. TCFLOW_CALLS is the
 * number of each. */
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
