/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The reports of a session's filters: shown, written, and collected for the files with all results. */
#ifndef TCFLOW_FRAMEWORK_REPORTS_H
#define TCFLOW_FRAMEWORK_REPORTS_H

#include "stages.h"

/* Counts the reports that go to the screen; when the chains are made. */
void reports_count(session *s);
/* Writes the reports of a pipeline whose filters have ended; of the main one also the files with all results. */
tcf_status reports_write(pipeline *p);
/* Keeps the reports of a survey for those files. */
tcf_status reports_collect(pipeline *survey);
void reports_delete(session *s);

#endif
