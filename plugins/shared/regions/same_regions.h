/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Finds equal regions: some measurement systems define the same region once for every process. For filters that sum up
 * over locations. */
#ifndef TCFLOW_PLUGINS_SAME_REGIONS_H
#define TCFLOW_PLUGINS_SAME_REGIONS_H

#include <tcflow/filter.h>

/* For each region the first one that differs in the id alone. The caller frees it. NULL: out of memory. */
uint32_t *same_regions(const tcf_definitions *defs);
/* For each region the first one of its name, likewise. */
uint32_t *regions_of_one_name(const tcf_definitions *defs);

#endif
