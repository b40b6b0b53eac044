/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which row of the time hierarchy (patterns.h, below WAIT_TIMES) a region's time belongs to, and what a call of it does
 * where the meaning of the MPI or OpenMP function has to be known. */
#ifndef TCFLOW_REGION_KINDS_H
#define TCFLOW_REGION_KINDS_H

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
    WAITS_REGION_TEST,     /* looks whether something is complete, and doesn't wait for it */
    WAITS_REGION_NO_BLOCK, /* sends without waiting for the receiver, or with a receive in the same call */
    WAITS_REGION_IMPLICIT_BARRIER,
    WAITS_REGION_USER /* no call that communicates or synchronises */
};
/* kind: the row; extra: WAITS_REGION_*. */
void waits_classify_region(const tcf_region *region, uint8_t *kind, uint8_t *extra);

#endif
