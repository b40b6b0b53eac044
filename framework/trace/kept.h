/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Prematched edges: matches that an earlier process has found, and that come with a slice from its source. */
#ifndef TCFLOW_FRAMEWORK_KEPT_H
#define TCFLOW_FRAMEWORK_KEPT_H

#include <private/stream_host.h>
#include <tcflow/filter.h>

/* What several edges have in common. */
typedef struct prematched_kind {
    tcf_channel channel;
    uint32_t rank, peer;
    uint8_t matched; /* 0: `channel` has no meaning */
    uint8_t class_, op, side;
} prematched_kind;

typedef struct prematched_edge {
    uint64_t number;
    uint32_t pos;  /* in the slice; its length for a dropped event behind the last one */
    uint32_t kind; /* in kinds */
    uint8_t flags;
} prematched_edge;

/* The edges of a slice, in order of pos. */
typedef struct prematched_edges {
    const prematched_kind *kinds;
    const prematched_edge *edges;
    uint32_t n_kinds, n_edges;
} prematched_edges;

#endif
