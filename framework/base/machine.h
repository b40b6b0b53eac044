/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What this process may use of the machine. */
#ifndef TCFLOW_FRAMEWORK_MACHINE_H
#define TCFLOW_FRAMEWORK_MACHINE_H

#include <stdint.h>

typedef struct machine {
    uint32_t cores;  /* that the process may run on, by its control groups' quotas rounded up; at least 1 */
    uint64_t memory; /* bytes: what there is, or less by control groups and limits; UINT64_MAX: unknown */
} machine;

/* `root`: where /proc and /sys are looked for; "" but in tests. */
machine machine_find(const char *root);

#endif
