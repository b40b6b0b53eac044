/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Says what regions are: the only place which looks at names, roles and paradigms for that. Each filter takes from here
 * what it distinguishes:
 *
 * - the row of time (patterns.h, below WAIT_TIMES) that a region's time belongs to, and what its calls do where the
 *   detection of waits depends on the MPI or OpenMP function;
 * - what it has to do with communication and accelerators;
 * - what that means for the regions that are called from it. */
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
 * kernels. Kernels of NCCL and RCCL copy from accelerator to accelerator. */
enum accelerator_call { ACCELERATOR_NONE, ACCELERATOR_WAIT, ACCELERATOR_COPY, ACCELERATOR_OTHER };
enum accelerator_call accelerator_call(const tcf_region *region);

/* Does a runtime system call the program's code as tasks, as Charm++ does? Outside of all regions it is this system
 * that is at work then, else the program. */
int regions_have_tasks(const tcf_definitions *defs);

/* Classes, for people: the rows of time, and what is apart from computation there. */
enum { REGION_ACCELERATOR = WAIT_TIMES, REGION_COMMUNICATION, REGION_CLASSES };
/* kind: the row of time. */
uint8_t region_class(const tcf_region *region, uint8_t kind);
/* Name and title of a class. */
const wait_pattern_row *region_class_row(uint8_t class_);

/* ------------------------------------------------------------------------------------------------------- nesting --
 *
 * What a location does at a moment is decided by one of its open regions: the outermost one that *encloses* what is
 * called from it, else the innermost one. A function that runs in MPI_Recv is time in MPI, one that a thread calls
 * while it is idle is idle time. A task *stands apart*: of its own regions alone follows what it does, wherever it
 * runs; the code of tasks may run while a thread waits. So does measurement, which is nobody's wait.
 *
 * A filter keeps for each region what it makes of it, together with these bits, and for each open region:
 *
 *     kept = region_within(kept of the region around, kept by region)     without one around: 0
 *     what the location does: kept & REGION_VALUE */
enum { REGION_ENCLOSES = 0x80, REGION_STANDS_APART = 0x40, REGION_VALUE = 0x3f };
_Static_assert((int)REGION_CLASSES <= (int)REGION_VALUE, "a class has room beside the bits");

/* REGION_ENCLOSES: calls of MPI and of what is alike, idle regions, waits for locks of POSIX threads, waits for
 * accelerators and copies. REGION_STANDS_APART: tasks, measurement. 0: others, of which constructs of OpenMP run code
 * of the user. */
uint8_t region_nesting(const tcf_region *region, uint8_t kind);

static inline uint32_t region_within(uint32_t around, uint32_t own)
{
    return around & REGION_ENCLOSES && !(own & REGION_STANDS_APART) ? around : own;
}

#endif
