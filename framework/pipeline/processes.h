/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* A session that several processes run together, each of them one domain of each chain (doc/parallel.md). */
#ifndef TCFLOW_FRAMEWORK_PROCESSES_H
#define TCFLOW_FRAMEWORK_PROCESSES_H

#include "stages.h"

/* Checks that all processes have the same settings and read the same trace. */
tcf_status processes_compare(const session *s);
/* Moves all events of a chain through its filters, ends them in the first process, and writes its reports there. What a
 * survey has learned is there in all processes then. All of them return the same. */
tcf_status processes_run(pipeline *p);
/* What runs where, for --check. */
void processes_describe(const pipeline *p, FILE *to);

#endif
