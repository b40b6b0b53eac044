/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which regions are one: some measurement systems define the same region once a process. For filters that sum up over
 * locations. */
#ifndef TCFLOW_PLUGINS_SAME_REGIONS_H
#define TCFLOW_PLUGINS_SAME_REGIONS_H

#include <tcflow/filter.h>

/* By region: the first one that differs in nothing but its id. The caller's to free; NULL: out of memory. */
uint32_t *same_regions(const tcf_definitions *defs);

#endif
