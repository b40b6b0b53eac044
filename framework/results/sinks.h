/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The files with all results of a run that [pipeline] asks for. */
#ifndef TCFLOW_FRAMEWORK_SINKS_H
#define TCFLOW_FRAMEWORK_SINKS_H

#include "framework/settings/settings.h"
#include "results.h"

/* Refuses (error_usage()) paths that cannot be written or must not be replaced. To be called before the first event
 * flows. */
tcf_status sinks_check(const pipeline_conf *conf);
/* Refuses (error_usage()) the output of a report that is one of these files. */
tcf_status sinks_check_output(const pipeline_conf *conf, const char *output);
/* Is any such file wanted? */
int sinks_wanted(const pipeline_conf *conf);
/* Writes all wanted files; goes on after one that fails. Sets r->database while it does. */
tcf_status sinks_write(const pipeline_conf *conf, results *r);

#endif
