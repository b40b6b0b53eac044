/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Ranks of locations in communicators. Built once from the definitions, read-only afterwards. Members are locations; in
 * communicators of MPI a thread that isn't listed stands for the listed location of its process
 * (tcf_definitions.mpi_member). */
#ifndef TCFLOW_FRAMEWORK_MEMBERSHIP_H
#define TCFLOW_FRAMEWORK_MEMBERSHIP_H

#include "framework/base/map.h"
#include <tcflow/filter.h>

typedef struct membership {
    const tcf_definitions *defs;
    map ranks; /* (canonical comm, location) -> rank, side in bit 31 */
    int gaps;  /* a rank without a location: the group names an undefined location, or one twice */
} membership;

int membership_init(membership *m, const tcf_definitions *defs);
void membership_free(membership *m);

/* The location that stands for `location` in a communicator: itself, or the member of its process. TCF_NONE: none. */
static inline uint32_t membership_member(const membership *m, uint32_t comm, uint32_t location)
{
    return m->defs->comms[comm].paradigm == TCF_PARADIGM_MPI ? m->defs->mpi_member[location] : location;
}

/* Rank of a member (see above), or TCF_NONE; *side is 1 for group B of an inter-communicator, else 0. A location that
 * is listed twice has its first rank. */
uint32_t membership_rank(const membership *m, uint32_t comm, uint32_t member, uint8_t *side);

/* Number of members, of both groups of an inter-communicator together. */
static inline uint32_t membership_size(const tcf_comm *c)
{
    return c->self ? 1 : c->size + (c->inter ? c->remote_size : 0);
}

#endif
