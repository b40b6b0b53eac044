/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a location does in a region, by the kinds that wait_states counts to. */
#include "../shared/patterns/region_kinds.h"
#include "efficiency.h"

#include <stdlib.h>
#include <string.h>

static enum activity activity_of(const tcf_region *r, uint8_t kind)
{
    const char *name = r->name ? r->name : "";
    if (kind == WAIT_MPI_MGMT_FILE || kind == WAIT_MPI_IO || kind == WAIT_MPI_IO_INDIVIDUAL ||
        kind == WAIT_MPI_IO_COLLECTIVE || kind == WAIT_OVERHEAD || strncmp(name, "MPI_File_", 9) == 0)
        return OTHER;
    if (waits_is_communication(r, kind))
        return COMMUNICATION;
    if (kind == WAIT_IDLE)
        return IDLE;
    if (kind >= WAIT_OMP && kind < WAIT_OVERHEAD)
        return THREADING;
    return accelerator_call(r) != ACCELERATOR_NONE ? ACCELERATOR : USEFUL;
}

int classify_regions(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    struct state *st = self->state;
    st->activity = malloc(defs->n_regions + 1ul);
    st->bounds = calloc(defs->n_regions + 1ul, 1);
    for (uint32_t r = 0; st->activity && st->bounds && r < defs->n_regions; r++) {
        const tcf_region *region = tcf_region_at(defs, r);
        const char *name = region->name ? region->name : "";
        uint8_t kind, extra;
        waits_classify_region(region, &kind, &extra);
        st->activity[r] = (uint8_t)(activity_of(region, kind) | region_nesting(region, kind));
        st->bounds[r] = strcmp(name, "MPI_Finalize") == 0                                       ? IS_FINALIZE
                        : strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ? IS_INIT
                        : strcmp(name, "MPI_Ssend") == 0                                        ? IS_SYNCHRONOUS
                                                                                                : 0;
    }
    return st->activity && st->bounds ? 0 : -1;
}
