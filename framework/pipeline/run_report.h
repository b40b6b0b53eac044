/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of the framework's own that stand beside those of the filters in the files with all results. */
#ifndef TCFLOW_FRAMEWORK_RUN_REPORT_H
#define TCFLOW_FRAMEWORK_RUN_REPORT_H

#include "stages.h"

/* run, parameters, locations, notes, losses, of a run whose filters have ended; to be deleted. NULL: see the cause. */
report *run_report_new(session *s);

#endif
