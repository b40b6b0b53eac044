/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The files that get all results of a run: which ones [pipeline] asks for, and what goes into them. */
#ifndef TCFLOW_FRAMEWORK_SINKS_H
#define TCFLOW_FRAMEWORK_SINKS_H

#include "framework/settings/settings.h"
#include "results.h"

/* Refuses (tcf_usage()) what cannot be written or may not be replaced; before the first event flows. */
tcf_status sinks_check(const pipeline_conf *conf);
/* A report's own output is none of these files. */
tcf_status sinks_check_output(const pipeline_conf *conf, const char *output);
/* Is there to be such a file? */
int sinks_wanted(const pipeline_conf *conf);
/* Writes all files that are wanted; goes on behind one that fails. */
tcf_status sinks_write(const pipeline_conf *conf, const results *r);

#endif
