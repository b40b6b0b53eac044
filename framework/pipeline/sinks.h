/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The files that get all results of a run: which ones [pipeline] asks for, and what goes into them. */
#ifndef TCFLOW_FRAMEWORK_SINKS_H
#define TCFLOW_FRAMEWORK_SINKS_H

#include "stages.h"

/* Refuses (tcf_usage()) what cannot be written or may not be replaced; before the first event flows. */
tcf_status sinks_check(const pipeline_conf *conf);
/* A report's own output is none of these files. */
tcf_status sinks_check_output(const pipeline_conf *conf, const char *output);
/* The reports that survive a survey, when a file wants them. */
tcf_status sinks_keep_reports(pipeline *survey);
void sinks_delete_kept(pipeline *p);
/* Writes all files that are wanted from the reports of all filters that have ended. Nothing in a survey, which has no
 * files of its own. One that fails costs no other. */
tcf_status sinks_write(pipeline *p);

#endif
