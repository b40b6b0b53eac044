/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Inside of the solver: what sharing.c, which finds units that share a clock, and join.c, which makes one unit of them,
 * call of each other and of bounds.c. */
#ifndef TCFLOW_CLOCK_ESTIMATE_SHARING_H
#define TCFLOW_CLOCK_ESTIMATE_SHARING_H

#include "bounds.h"

/* Makes one unit of the units of each group, and one pair of the pairs between two groups. Messages inside of a group
 * bound nothing and are dropped. `own`: the unit whose measured offsets stand for its group; those of other groups are
 * the mean over their units. -1: out of memory. */
int bounds_join(struct bounds *b, const uint32_t *group_of, uint32_t n_groups, uint32_t own);

#endif
