/* A cell for people: whose location it is. */
#ifndef TCFLOW_WAITS_PLACES_H
#define TCFLOW_WAITS_PLACES_H

#include "waits.h"

/* The name of a location's group; none: "". */
static inline tcf_cell process_name(const tcf_self *self, uint32_t location)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t group = location < defs->n_locations ? defs->locations[location].group : TCF_NONE;
    return tcf_text(group < defs->n_location_groups ? defs->location_groups[group].name : "");
}

#endif
