/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a location does in a region: as the user says, else by role and paradigm, else by name. */
#include "../shared/patterns/region_kinds.h"
#include "comm_comp.h"

#include <fnmatch.h>
#include <otf2/OTF2_Definitions.h>
#include <stdlib.h>
#include <string.h>

static enum activity activity_of_accelerator(const tcf_region *r)
{
    const enum accelerator_call does = accelerator_call(r);
    return does == ACCELERATOR_WAIT ? SYNCHRONISATION : does == ACCELERATOR_COPY ? COMMUNICATION : COMPUTATION;
}

/* What OTF2 states with the role. ACTIVITIES: nothing. */
static enum activity activity_of_role(const tcf_region *r, int is_of_processes)
{
    switch (r->role) {
    case OTF2_REGION_ROLE_FILE_IO:
    case OTF2_REGION_ROLE_FILE_IO_METADATA:
        return IO;
    case OTF2_REGION_ROLE_COLL_ONE2ALL:
    case OTF2_REGION_ROLE_COLL_ALL2ONE:
    case OTF2_REGION_ROLE_COLL_ALL2ALL:
    case OTF2_REGION_ROLE_COLL_OTHER:
    case OTF2_REGION_ROLE_POINT2POINT:
    case OTF2_REGION_ROLE_RMA:
    case OTF2_REGION_ROLE_DATA_TRANSFER:
        return COMMUNICATION;
    case OTF2_REGION_ROLE_BARRIER:
    case OTF2_REGION_ROLE_IMPLICIT_BARRIER:
        return is_of_processes ? COMMUNICATION : SYNCHRONISATION;
    case OTF2_REGION_ROLE_TASK_WAIT:
    case OTF2_REGION_ROLE_THREAD_WAIT:
        return SYNCHRONISATION;
    case OTF2_REGION_ROLE_TASK_CREATE:
    case OTF2_REGION_ROLE_THREAD_CREATE:
        return MANAGEMENT;
    default:
        return ACTIVITIES;
    }
}

/* By the kind that wait_states counts it to. ACTIVITIES: computation, there. */
static enum activity activity_of_kind(uint8_t kind)
{
    switch (kind) {
    case WAIT_COMPUTATION:
        return ACTIVITIES;
    case WAIT_MPI_MGMT_FILE:
    case WAIT_MPI_IO:
    case WAIT_MPI_IO_INDIVIDUAL:
    case WAIT_MPI_IO_COLLECTIVE:
        return IO;
    case WAIT_MPI:
    case WAIT_MPI_INIT_EXIT:
    case WAIT_MPI_MGMT_COMM:
    case WAIT_MPI_MGMT_WIN:
    case WAIT_OMP_MANAGEMENT:
    case WAIT_PTHREAD_MANAGEMENT:
        return MANAGEMENT;
    case WAIT_OVERHEAD:
        return MEASUREMENT;
    case WAIT_IDLE:
        return IDLE;
    default:
        return kind < WAIT_OMP ? COMMUNICATION : SYNCHRONISATION;
    }
}

static enum activity activity_of(const tcf_region *r, uint8_t kind)
{
    const char *name = r->name ? r->name : "";
    const int is_of_processes = waits_is_communication(r, kind);
    if (kind == WAIT_IDLE)
        return IDLE;
    if (r->role == OTF2_REGION_ROLE_ARTIFICIAL || r->paradigm == OTF2_PARADIGM_MEASUREMENT_SYSTEM)
        return MEASUREMENT;
    if (strncmp(name, "MPI_File_", 9) == 0)
        return IO;
    enum activity activity = activity_of_role(r, is_of_processes);
    if (activity != ACTIVITIES)
        return activity;
    if (strcmp(name, "pthread_join") == 0) /* of recorders that state no role */
        return SYNCHRONISATION;
    activity = activity_of_kind(kind);
    return activity != ACTIVITIES ? activity : is_of_processes ? COMMUNICATION : activity_of_accelerator(r);
}

static int is_listed(const tcf_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->n; i++)
        if (fnmatch(list->item[i], name, 0) == 0)
            return 1;
    return 0;
}

uint8_t *classify_regions(const tcf_self *self)
{
    const tcf_definitions *defs = self->defs;
    const conf *c = self->conf;
    uint8_t *of = malloc(defs->n_regions + 1ul);
    for (uint32_t r = 0; of && r < defs->n_regions; r++) {
        const tcf_region *region = tcf_region_at(defs, r);
        uint8_t a = 0, kind, extra;
        while (a < ACTIVITIES && !is_listed(&c->of[a], region->name ? region->name : ""))
            a++;
        waits_classify_region(region, &kind, &extra);
        of[r] = a < ACTIVITIES ? a | REGION_STANDS_APART
                               : (uint8_t)(activity_of(region, kind) | region_nesting(region, kind));
    }
    return of;
}
