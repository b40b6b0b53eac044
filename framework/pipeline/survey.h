/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The surveys of a session: pipelines that run before the main one, one after another, over the same source. What their
 * filters learn is there for all pipelines behind. */
#ifndef TCFLOW_FRAMEWORK_SURVEY_H
#define TCFLOW_FRAMEWORK_SURVEY_H

#include "stages.h"

/* Puts a pipeline for each survey in front of the session's main one. */
tcf_status survey_make(session *s);
/* The survey has matched all of the source: adds to the session the channels that it found not to be trusted and the
 * operations without data, and decides whether the survey is to be repeated, since it has learned from wrong edges. */
tcf_status survey_judge(pipeline *survey);
/* Makes the chain of the session's first pipeline, a survey, anew, to be repeated. */
tcf_status survey_make_again(session *s);
/* The operations without data that an earlier run has found, as bits 1 << op: the archive states them as a property. */
uint32_t survey_stated_ops(const tcf_definitions *defs);
/* What surveys have found about channels and operations holds for this pipeline, which has not run yet. */
tcf_status survey_hand_on(pipeline *p);

#endif
