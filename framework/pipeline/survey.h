/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The surveys of a pipeline: chains that run before its own, one after another, over the same input. What their filters
 * learn is there for all that come behind. All of them do nothing where there is no survey. */
#ifndef TCF_SURVEY_H
#define TCF_SURVEY_H

#include "pipeline.h"

/* Makes the chains, as far as that is possible without definitions. */
tcf_status survey_make(pipeline *p);
/* What depends on definitions. */
tcf_status survey_build(pipeline *p);
/* Does one of them need all locations at a time? */
int survey_goes_together(const pipeline *p);
/* The same where processes have several locations. */
int survey_goes_by_process(const pipeline *p);
/* For --check. */
tcf_status survey_check(pipeline *p);
/* All of a survey's input has been matched: is it to be repeated? Yes when channels have shown only now that their
 * pairs cannot be told: then it has learned from pairs that are wrong. */
tcf_status survey_judge(pipeline *survey);
/* Runs them; the source is at its start again, and their memory free. */
tcf_status survey_run(pipeline *p);

#endif
