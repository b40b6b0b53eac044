/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Time and memory that this process has used. Times are of a clock that nobody sets. */
#ifndef TCFLOW_FRAMEWORK_RESOURCES_H
#define TCFLOW_FRAMEWORK_RESOURCES_H

#include <stdint.h>
#include <time.h>

/* Seconds since an arbitrary start: only differences mean something. */
double now_seconds(void);
/* So many nanoseconds from now, for functions that wait until a time of CLOCK_MONOTONIC. */
struct timespec time_in(uint64_t ns);
double now_cpu_seconds(void);
/* Largest resident set so far, in bytes. */
uint64_t peak_bytes(void);
/* Returns memory that was freed to the system; with glibc, which else keeps much of it. */
void give_back_memory(void);

#endif
