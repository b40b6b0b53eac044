/* Who is which rank in a communicator: processes (location groups) in MPI communicators, locations in those of
 * threads and accelerators. */
#ifndef TCFLOW_FRAMEWORK_MEMBERSHIP_H
#define TCFLOW_FRAMEWORK_MEMBERSHIP_H

#include "map.h"
#include <tcflow/filter.h>

typedef struct membership {
    const tcf_definitions *defs;
    map ranks; /* (canonical comm, process or location) -> rank, side in bit 31 */
} membership;

int membership_init(membership *m, const tcf_definitions *defs);
void membership_free(membership *m);

/* Members of MPI communicators are processes, of all others locations. */
static inline int membership_by_process(const tcf_comm *c)
{
    return c->paradigm == TCF_PARADIGM_MPI || c->inter || c->self;
}

/* The member that `location` is, or stands for, in a communicator. */
static inline uint32_t membership_member(const membership *m, uint32_t comm, uint32_t location)
{
    return membership_by_process(&m->defs->comms[comm]) ? m->defs->locations[location].group : location;
}

/* Rank of a member (see above); *side: 0, or 1 for group B of an inter-communicator. TCF_NONE: no member. */
uint32_t membership_rank(const membership *m, uint32_t comm, uint32_t member, uint8_t *side);

/* Number of members, both sides of an inter-communicator together. */
static inline uint32_t membership_size(const tcf_comm *c)
{
    return c->self ? 1 : c->size + (c->inter ? c->remote_size : 0);
}

#endif
