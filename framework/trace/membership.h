/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The ranks of members in communicators. Members are locations. In communicators of MPI a thread that is not listed
 * represents the listed location of its process (tcf_definitions.mpi_member). */
#ifndef TCFLOW_FRAMEWORK_MEMBERSHIP_H
#define TCFLOW_FRAMEWORK_MEMBERSHIP_H

#include "framework/base/map.h"
#include <tcflow/filter.h>

typedef struct membership {
    const tcf_definitions *defs;
    map ranks; /* (canonical comm, location) -> rank, side in bit 31 */
    int gaps;  /* a rank has no member: its group names an unknown location, or one that has a lower rank */
} membership;

int membership_init(membership *m, const tcf_definitions *defs);
void membership_free(membership *m);

/* The member that `location` is, or represents, in a communicator. TCF_NONE: none. */
static inline uint32_t membership_member(const membership *m, uint32_t comm, uint32_t location)
{
    return m->defs->comms[comm].paradigm == TCF_PARADIGM_MPI ? m->defs->mpi_member[location] : location;
}

/* Rank of a member; *side: 0, or 1 for group B of an inter-communicator. TCF_NONE: it is no member. A location that is
 * listed twice has its first rank, and the other rank has no member. */
uint32_t membership_rank(const membership *m, uint32_t comm, uint32_t member, uint8_t *side);

/* Number of members, of both groups of an inter-communicator together. */
static inline uint32_t membership_size(const tcf_comm *c)
{
    return c->self ? 1 : c->size + (c->inter ? c->remote_size : 0);
}

#endif
