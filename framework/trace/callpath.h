/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The call tree of a run, one tree for all locations, and the callpath column of each slice. Filters that drop or
 * insert events invalidate the column: another stage of this kind behind them fills it again. */
#ifndef TCFLOW_FRAMEWORK_CALLPATH_H
#define TCFLOW_FRAMEWORK_CALLPATH_H

#include "slice.h"

typedef struct callpaths callpaths;

/* `cap`: largest number of nodes. Call paths beyond it share one node without a region, below the root. */
callpaths *callpaths_new(const tcf_definitions *defs, uint32_t cap);
void callpaths_delete(callpaths *c);
const tcf_callpath *callpaths_nodes(const callpaths *c, uint32_t *n);
/* The computation node of a parent behind calls of a region (host->computation()). The parent itself: the tree is full.
 * TCF_NONE: out of memory, recorded by error_fail(). */
uint32_t callpaths_computation(callpaths *c, uint32_t parent, uint32_t region);
/* Number of enters that share this node. */
uint64_t callpaths_overflow(const callpaths *c);

/* A tree of another domain. */
typedef struct callpaths_part {
    const tcf_callpath *nodes;
    uint32_t n;
    uint64_t overflow;
    const tcf_definitions
        *defs; /* a share of the definitions of the tree that it joins; `dangling` alone is looked at */
} callpaths_part;
callpaths_part callpaths_as_part(const callpaths *c);
/* By node of another tree, its node in this one: of the first n. The owner frees `of`. */
typedef struct callpaths_numbers {
    uint32_t *of, n, capacity;
} callpaths_numbers;
/* Adds the node of another tree that follows those in *to; `region` as this tree numbers it. Beyond the cap, too, for
 * each of the trees has kept to it. */
tcf_status callpaths_adopt(callpaths *c, callpaths_numbers *to, uint32_t parent, uint32_t region);
/* Adds the nodes of `other` that *to doesn't have, and its overflow. */
tcf_status callpaths_join(callpaths *c, const callpaths_part *other, callpaths_numbers *to);

/* The current call path of each location. */
typedef struct callpath_stage callpath_stage;
callpath_stage *callpath_stage_new(callpaths *c);
void callpath_stage_delete(callpath_stage *stage);
/* Fills the callpath column. An unbalanced leave unwinds to the nearest region of that name on the path; where there is
 * none it has no effect. */
tcf_status callpath_fill(callpath_stage *stage, slice *s);

#endif
