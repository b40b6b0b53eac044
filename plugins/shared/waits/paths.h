/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The names of call paths, for reports: the call tree as it is at the end. */
#ifndef TCFLOW_WAITS_PATHS_H
#define TCFLOW_WAITS_PATHS_H

#include "../regions/region_names.h"

/* The paths own `same`, `order`, `place` and `names`, until paths_free(). Numbers of nodes depend on which location
 * came first: what must depend on the trace alone, sums of floating point numbers and rows that are equal otherwise,
 * goes by `order`. */
struct paths {
    tcf_self *self;
    const tcf_callpath *nodes;
    uint32_t n;
    uint32_t *same;           /* by node: the first one with the same names */
    uint32_t *order, n_order; /* those that are the first of their names, by depth, parent and region */
    uint32_t *place;          /* by node: that of the first one with the same names in `order` */
    path_names names;
    int out_of_memory;
};
/* Only in end(). TCF_ERROR: out of memory, told by host->fail(). */
tcf_status paths_begin(struct paths *p, tcf_self *self);
void paths_free(struct paths *p);
/* "main/solve/MPI_Recv"; valid until the next call. The root is no call: "". Without memory "", and out_of_memory is
 * set. */
const char *path_text(struct paths *p, uint32_t callpath);

#endif
