/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The page of a run, which the program tcflow-report makes of its database; doc/html-report.md describes it. */
#ifndef TCFLOW_FRAMEWORK_PAGE_H
#define TCFLOW_FRAMEWORK_PAGE_H

#include "results.h"

extern const results_file page_file;

#endif
