/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What this process has used: time on the wall, time of its CPUs, memory. */
#ifndef TCFLOW_FRAMEWORK_RESOURCES_H
#define TCFLOW_FRAMEWORK_RESOURCES_H

#include <stdint.h>

/* Since whenever: of use for differences alone. */
double now_seconds(void);
double now_cpu_seconds(void);
/* The largest resident set. */
uint64_t peak_bytes(void);

#endif
