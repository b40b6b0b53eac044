/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How far apart the two sides of an edge are. Minimum delays are kept by this distance and the class of the edge. The
 * distances within communicators are computed once, because a communicator may have as many members as there are
 * locations. */
#ifndef TCFLOW_CLOCKS_DISTANCE_H
#define TCFLOW_CLOCKS_DISTANCE_H

#include <tcflow/clocks.h>

#include <stdlib.h>

/* By canonical communicator. The caller frees it. NULL: out of memory. */
static inline uint8_t *comm_distances(const tcf_definitions *defs)
{
    uint8_t *distance = malloc(defs->n_comms + 1u);
    for (uint32_t c = 0; distance && c < defs->n_comms; c++)
        distance[c] = tcf_comm_at(defs, c)->canonical == c ? (uint8_t)tcf_comm_distance(defs, c) : TCF_OTHER_NODE;
    return distance;
}

static inline uint32_t edge_distance(const tcf_definitions *defs, const uint8_t *comms, uint32_t location,
                                     const tcf_edge *e)
{
    switch (e->class_) {
    case TCF_CLASS_P2P:
        return tcf_distance_of(defs, location, e->peer);
    case TCF_CLASS_THREAD_CREATE:
    case TCF_CLASS_THREAD_WAIT:
    case TCF_CLASS_LOCK:
        return TCF_SAME_PROCESS;
    default:
        return e->peer < defs->n_comms ? comms[e->peer] : TCF_SAME_PROCESS;
    }
}

#endif
