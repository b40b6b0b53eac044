/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is not in a report, as its table `limits`: caps that were reached, and what is left out on purpose. */
#ifndef TCFLOW_WAITS_LIMITS_H
#define TCFLOW_WAITS_LIMITS_H

#include <tcflow/filter.h>

struct limit {
    const char *name, *meaning; /* of the results */
    uint64_t count;             /* 0: not told */
    int warns;                  /* people are told, too, not only programs that read the table */
};

/* Only in end(). `verb` stands behind the name in warnings: " reached", or nothing. */
void report_limit_rows(tcf_self *self, const struct limit *limit, uint32_t n, const char *verb);

/* The table `clocks`: of messages, collectives and threads how many targets there were, and how many came before what
 * they wait for, which `help` says. Returns how many these are in all. */
uint64_t report_relations(tcf_self *self, const char *help, const uint64_t targets[3], const uint64_t reversed[3]);

#endif
