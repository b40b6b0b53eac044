/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The longest waits of a trace: the table that wait_states leaves in a survey (host->learn(), host->learned() of
 * filter.h) to filters of the main chain that look at what happened around them. */
#ifndef TCFLOW_WORST_WAITS_H
#define TCFLOW_WORST_WAITS_H

#include <stdint.h>

typedef struct tcf_worst_wait {
    uint64_t from, length;   /* ticks, by the times of the survey: since when it waited, and how long; length > 0 */
    uint64_t cause_time;     /* when the one that it waited for entered its call, released the lock, ... */
    uint32_t location;       /* index: the location that waited */
    uint32_t cause_location; /* the location that it waited for; TCF_NONE: none in particular, and no cause_time */
    char pattern[40];        /* name, as wait_states reports it */
} tcf_worst_wait;
/* Table of tcf_worst_wait: of each pattern as many as `worst` of wait_states. The longest comes first; of equal ones
 * the earlier, then that of the lower location, then that of the pattern further up in wait_states' list. */
#define TCF_WORST_WAITS "worst_waits"

#endif
