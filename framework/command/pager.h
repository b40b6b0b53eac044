/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The pager in front of a terminal. The process has one standard output, and one pager. */
#ifndef TCFLOW_FRAMEWORK_PAGER_H
#define TCFLOW_FRAMEWORK_PAGER_H

#include <tcflow/filter.h>

/* Names the program (framework/base/programs.h), as git finds it: TCFLOW_PAGER, else PAGER, else less, which ends at
 * once where all fits. None where standard output is no terminal, or the pager is "" or "cat". */
tcf_status pager_name(void);
/* Has what is written to standard output from now on shown by the pager that was named; without one, or where it can't
 * be started, the terminal shows it. Text that follows is lost only where the reader has left the pager:
 * pager_ended_early(). */
void pager_begin(void);
/* Waits until the reader is done; standard output is the terminal again. */
void pager_end(void);
/* Has the reader left a pager before all was written? */
int pager_ended_early(void);

#endif
