/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Classifies regions: which row of time (patterns.h, below WAIT_TIMES) a region's time belongs to, and what its calls
 * do where the detection of waits depends on the MPI or OpenMP function. */
#ifndef TCFLOW_PATTERNS_REGION_KINDS_H
#define TCFLOW_PATTERNS_REGION_KINDS_H

#include <tcflow/filter.h>

#include "patterns.h"

enum {
    WAITS_REGION_PLAIN,
    WAITS_REGION_WIN_CREATE,
    WAITS_REGION_WIN_FREE,
    WAITS_REGION_WIN_POST,
    WAITS_REGION_WIN_START,
    WAITS_REGION_WIN_COMPLETE,
    WAITS_REGION_WIN_WAIT,
    WAITS_REGION_WIN_TEST,
    WAITS_REGION_TEST,     /* asks whether something is complete, and returns at once */
    WAITS_REGION_NO_BLOCK, /* sends without waiting for the receiver */
    WAITS_REGION_EXCHANGE, /* sends and receives */
    WAITS_REGION_IMPLICIT_BARRIER,
    WAITS_REGION_USER /* a region that neither communicates nor synchronises */
};
/* kind: the row of time; extra: WAITS_REGION_*. */
void waits_classify_region(const tcf_region *region, uint8_t *kind, uint8_t *extra);
/* Is it a call of MPI, by its name or paradigm, or of another library by which processes communicate? `kind`: the row
 * of time. */
int waits_is_communication(const tcf_region *region, uint8_t kind);
/* What a region has to do with accelerators: its paradigm says that it belongs to them, and where a recorder states
 * none its name does. Only names tell calls which wait, or copy, from others: those that launch, manage, or are
 * kernels. */
enum accelerator_call { ACCELERATOR_NONE, ACCELERATOR_WAIT, ACCELERATOR_COPY, ACCELERATOR_OTHER };
enum accelerator_call accelerator_call(const tcf_region *region);

#endif
