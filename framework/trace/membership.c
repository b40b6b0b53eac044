/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See membership.h. */
#include "membership.h"
#include "framework/base/error.h"

#define SIDE_B 0x80000000u

static int add_group(membership *m, uint32_t comm, const uint32_t *members, uint32_t n, uint32_t side)
{
    for (uint32_t rank = 0; rank < n; rank++) {
        if (members[rank] == TCF_NONE || map_get(&m->ranks, comm, members[rank]) != MAP_ABSENT)
            m->gaps = 1;
        else if (map_put(&m->ranks, comm, members[rank], rank | side) != 0)
            return -1;
    }
    return 0;
}

int membership_init(membership *m, const tcf_definitions *defs)
{
    *m = (membership){.defs = defs};
    for (uint32_t i = 0; i < defs->n_comms; i++) {
        const tcf_comm *c = &defs->comms[i];
        if (c->canonical != i || c->self)
            continue;
        if (add_group(m, i, c->location, c->size, 0) != 0 ||
            (c->inter && add_group(m, i, c->remote_location, c->remote_size, SIDE_B) != 0)) {
            error_fail("out of memory for the members of %u communicators", defs->n_comms);
            return -1;
        }
    }
    return 0;
}

void membership_free(membership *m)
{
    map_free(&m->ranks);
}

uint32_t membership_rank(const membership *m, uint32_t comm, uint32_t member, uint8_t *side)
{
    *side = 0;
    const tcf_comm *c = &m->defs->comms[comm];
    if (c->self)
        return member == TCF_NONE ? TCF_NONE : 0;
    if (member < c->size && c->location[member] == member && !m->gaps) /* as in MPI_COMM_WORLD mostly */
        return member;
    uint32_t rank = map_get(&m->ranks, comm, member);
    if (rank == MAP_ABSENT)
        return TCF_NONE;
    *side = (rank & SIDE_B) != 0;
    return rank & ~SIDE_B;
}
