/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the command reports about a run on standard error: progress, losses, notes, and the summary. */
#ifndef TCFLOW_FRAMEWORK_SUMMARY_H
#define TCFLOW_FRAMEWORK_SUMMARY_H

#include "framework/pipeline/session.h"

typedef struct progress {
    int shown;
    double began, started, last, every; /* seconds; began: the first pass; started: this one */
    uint32_t pass;
    size_t width; /* of the line, in letters; 0: any */
    int no_pager;
} progress;

/* A hook of session_hooks; `data` is a progress. */
void show_progress(void *data, const session_progress *p);
/* Reports losses in any case, and notes unless -q was given. `unread`: the reader of the output has gone, so notes
 * don't matter. */
void tell_losses(const session_summary *s, int unread);
void summary_text(const session_summary *s);
/* `status` says in a word how the run ended. */
void summary_json(const session *p, const session_summary *s, const char *status);

#endif
