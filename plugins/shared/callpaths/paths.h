/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names of call paths, for reports: the call tree as it is at the end. */
#ifndef TCFLOW_CALLPATHS_PATHS_H
#define TCFLOW_CALLPATHS_PATHS_H

#include "../regions/region_names.h"

/* Owns `same`, `order`, `place` and `names`; paths_free() frees them. The number of a node depends on which location
 * came first. So whatever must depend on the trace alone uses `order`: sums of floating point numbers, and the order of
 * rows that are equal otherwise. */
struct paths {
    tcf_self *self;
    const tcf_callpath *nodes;
    uint32_t n;
    uint32_t *same;           /* by node: the first node with the same names */
    uint32_t *order, n_order; /* the nodes that are the first of their names, by depth, parent and region */
    uint32_t *place;          /* by node: the index in `order` of the first node with the same names */
    path_names names;
    int out_of_memory;
};
/* To be called in end() only. TCF_ERROR: out of memory, recorded by host->fail(). */
tcf_status paths_begin(struct paths *p, tcf_self *self);
void paths_free(struct paths *p);
/* "main/solve/MPI_Recv"; valid until the next call. The text of the root is "". Out of memory: "", and p->out_of_memory
 * is set. */
const char *path_text(struct paths *p, uint32_t callpath);

#endif
