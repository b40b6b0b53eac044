/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the command says of a run, to standard error: the line of progress while it goes on, what was lost or given up,
 * and the summary. */
#ifndef TCFLOW_FRAMEWORK_SUMMARY_H
#define TCFLOW_FRAMEWORK_SUMMARY_H

#include "framework/pipeline/session.h"

typedef struct progress {
    int shown;
    double started, last, every; /* seconds */
} progress;

/* For session_hooks: `data` is a progress. */
void show_progress(void *data, const session_progress *p);
/* What was lost is told in every case, what was given up or capped unless -q, or unless nobody wanted the rest. */
void tell_losses(const session_summary *s, int unread);
void summary_text(const session_summary *s);
/* `status`: how the run ended, in a word. */
void summary_json(const session *p, const session_summary *s, const char *status);

#endif
