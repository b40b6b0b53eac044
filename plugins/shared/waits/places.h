/* Cells for people: whose location it is, and when, in seconds that begin with the trace, as viewers count them. */
#ifndef TCFLOW_WAITS_PLACES_H
#define TCFLOW_WAITS_PLACES_H

#include "waits.h"

static inline uint64_t location_id(const tcf_self *self, uint32_t location)
{
    return location < self->defs->n_locations ? self->defs->locations[location].id : UINT64_MAX;
}

/* The name of a location's group; none: "". */
static inline tcf_cell process_name(const tcf_self *self, uint32_t location)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t group = location < defs->n_locations ? defs->locations[location].group : TCF_NONE;
    return tcf_text(group < defs->n_location_groups ? defs->location_groups[group].name : "");
}

/* The time of the first event of all; not the start that the definitions state, which filters in front may have moved. */
static inline uint64_t first_time(tcf_self *self)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t k = 0; k < self->defs->n_locations; k++) {
        const waits_track *t = waits_track_of(self, k);
        first = t->started && t->first < first ? t->first : first;
    }
    return first;
}

#endif
