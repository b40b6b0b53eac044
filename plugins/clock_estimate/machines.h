/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

#ifndef TCFLOW_CLOCK_ESTIMATE_MACHINES_H
#define TCFLOW_CLOCK_ESTIMATE_MACHINES_H

#include <tcflow/filter.h>

/* By system tree node: the first one with its name and class, which stands for the machine. The caller frees it. NULL:
 * out of memory. */
uint32_t *machines_find(const tcf_definitions *defs);

#endif
