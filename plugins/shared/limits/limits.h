/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The table `limits` of a report: the caps that the filter reached, and what it leaves out by design. */
#ifndef TCFLOW_LIMITS_LIMITS_H
#define TCFLOW_LIMITS_LIMITS_H

#include <tcflow/filter.h>

struct limit {
    const char *name, *meaning; /* meaning: what it means for the results */
    uint64_t count;             /* 0: no row */
    int warns;                  /* also logged as a warning */
};

/* For end() only. Warnings have `verb` behind the name: " reached", or "". */
void report_limit_rows(tcf_self *self, const struct limit *limit, uint32_t n, const char *verb);

/* The table `clocks`: of messages, collectives and threads how many targets there are, and how many of them come before
 * what they wait for, which `help` says. Returns how many these are in all. */
uint64_t report_relations(tcf_self *self, const char *help, const uint64_t targets[3], const uint64_t reversed[3]);

#endif
