/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Matches that somebody has found before, and that come with a slice: from a source, for the matcher. */
#ifndef TCFLOW_FRAMEWORK_KEPT_H
#define TCFLOW_FRAMEWORK_KEPT_H

#include <tcflow/filter.h>

/* What edges have in common. */
typedef struct kept_kind {
    tcf_channel channel;
    uint32_t rank, peer;
    uint8_t matched; /* else the channel says nothing */
    uint8_t class_, op, side;
} kept_kind;

typedef struct kept_edge {
    uint64_t number;
    uint32_t pos;  /* in the slice; its length for what was dropped behind the last event */
    uint32_t kind; /* in kinds */
    uint8_t flags;
} kept_edge;

/* The edges of a slice, in order of pos. */
typedef struct kept_edges {
    const kept_kind *kinds;
    const kept_edge *edges;
    uint32_t n_kinds, n_edges;
} kept_edges;

#endif
