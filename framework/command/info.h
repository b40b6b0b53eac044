/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a trace is, by its definitions and the ends of its event files; with `count` by all of its events, which are
 * read then. */
#ifndef TCFLOW_FRAMEWORK_INFO_H
#define TCFLOW_FRAMEWORK_INFO_H

#include "framework/pipeline/session.h"

/* The filter that counts; a chain of its name goes with info_filters. */
#define INFO_FILTER "count_events"
extern const tcf_filter *const info_filters[];

/* Prints what definitions and event files say. TCF_ERROR: out of memory. */
tcf_status info_print(FILE *out, const session *s);

#endif
