/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Cells of reports that name a location and its process. */
#ifndef TCFLOW_WAITS_PLACES_H
#define TCFLOW_WAITS_PLACES_H

#include "waits.h"

static inline uint64_t location_id(const tcf_self *self, uint32_t location)
{
    return location < self->defs->n_locations ? self->defs->locations[location].id : UINT64_MAX;
}

/* The name of the location's group; "" without one. */
static inline tcf_cell process_name(const tcf_self *self, uint32_t location)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t group = location < defs->n_locations ? defs->locations[location].group : TCF_NONE;
    return tcf_text(group < defs->n_location_groups ? defs->location_groups[group].name : "");
}

#endif
