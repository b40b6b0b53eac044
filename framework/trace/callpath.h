/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The call tree of a run: one tree for all locations, and for each slice the column of call paths. Where a filter
 * drops or inserts events a new stage of this kind makes the column anew behind it. */
#ifndef TCFLOW_FRAMEWORK_CALLPATH_H
#define TCFLOW_FRAMEWORK_CALLPATH_H

#include "slice.h"

typedef struct callpaths callpaths;

/* `cap`: nodes at most; what lies deeper or beyond is attributed to one node without region below the root. */
callpaths *callpaths_new(const tcf_definitions *defs, uint32_t cap);
void callpaths_delete(callpaths *c);
const tcf_callpath *callpaths_nodes(const callpaths *c, uint32_t *n);
/* Enters that did not get a node of their own since the cap was reached. */
uint64_t callpaths_overflow(const callpaths *c);

/* Where each location stands. */
typedef struct callpath_stage callpath_stage;
callpath_stage *callpath_stage_new(callpaths *c);
void callpath_stage_delete(callpath_stage *stage);
/* Fills the callpath column. An unbalanced leave unwinds to the nearest region of that name on the path, and is
 * ignored when there is none. */
tcf_status callpath_fill(callpath_stage *stage, slice *s);

#endif
