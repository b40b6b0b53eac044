/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The parts of the filter `wait_states`: wait_states.c is the filter, severities.c sums up, domains.c joins what
 * domains have found, learn.c publishes the longest instances, report.c makes the tables. plugins/shared/waits finds
 * the waits. README.md has the definitions. */
#ifndef TCFLOW_WAIT_STATES_H
#define TCFLOW_WAIT_STATES_H

#include "../shared/callpaths/path_cells.h"
#include "../shared/waits/sums.h"
#include "../shared/waits/waits.h"

#include <tcflow/times.h>

struct conf {
    int64_t top, worst, max_severities, max_open, max_undecided;
    int by_location, all;
};

/* Of a call path on a location. */
struct cell {
    uint64_t visits, exclusive; /* ticks */
};

struct place {
    path_cells cells; /* struct cell */
};

/* The waits of a pattern at a call path of a location; without `by_location` of all locations of a domain, whose number
 * stands for the location. */
struct severity {
    sum_of of;      /* call paths as the domain of the location numbers them, until settle_callpaths() */
    uint32_t order; /* of equal rows: by call path, the same in every run */
    uint64_t sum, count, longest, reversed; /* sum: as tcf_ticks_sum() */
};

struct state {
    waits_user use;      /* first: waits.h */
    tcf_map severity_of; /* (of.location, call path; pattern) -> index */
    struct severity *severities;
    uint32_t n_severities, severities_capacity;
    uint64_t without_place; /* waits beyond max_severities, counted by pattern alone */
    struct severity total[WAIT_PATTERNS];
    uint64_t visits_beyond[WAIT_TIMES]; /* of calls beyond max_callpaths, by kind */
    /* What is added to the exclusive times of call paths, by kind: that of calls beyond max_callpaths, and waits whose
     * call is of another kind than the pattern's parent. */
    tcf_ticks_total moved[WAIT_TIMES];
    wait *worst[WAIT_PATTERNS]; /* heaps of the longest instances, the shortest of them on top */
    uint32_t n_worst[WAIT_PATTERNS];
};

/* severities.c: the functions of the waits_listener. The order of the waits doesn't matter for sums. */
tcf_status add_call(tcf_self *self, uint32_t location, const waits_call *call, uint64_t time);
tcf_status add_severity(tcf_self *self, const wait *w);
/* The same for a sum, and for one of the longest instances. */
tcf_status join_severity(tcf_self *self, const struct severity *more);
tcf_status keep_worst(tcf_self *self, const wait *w);
/* Adds up two of the same pattern and call path. */
void add_severities(void *to, const void *from);
/* For tcf_sort(): the longest wait first, then the earliest, then by location and pattern. */
int longest_first(const void *a, const void *b);

/* domains.c */
tcf_status pack_found(tcf_self *self, tcf_pack *pack);
tcf_status absorb_found(tcf_self *self, tcf_pack *pack);
/* Behind all absorb(): call paths are those of this domain from now on. No wait comes behind it. */
void settle_callpaths(tcf_self *self);

/* learn.c: publishes the longest instances for the main chain. */
tcf_status leave_worst(tcf_self *self);

/* report.c */
tcf_status report(tcf_self *self);

#endif
