/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the processes of a run agree upon. All of them call these functions in the same order. */
#ifndef TCFLOW_FRAMEWORK_AGREE_H
#define TCFLOW_FRAMEWORK_AGREE_H

#include "peers.h"

#include <tcflow/filter.h>

/* Where any process has failed, all fail, with the reason of the first one that has one of its own. told: this one has
 * failed since others, or the user, have stopped it. peers NULL: there are no others. */
tcf_status agree(const peers *p, tcf_status mine, int told);

/* What processes must have in common, to work on one trace. */
typedef struct agree_run {
    uint64_t settings; /* a hash; without the input's name, which may differ */
    uint64_t trace_id, locations, bytes, definitions;
    uint64_t files; /* a hash of which location has how large an event file */
} agree_run;
/* Fails in all of them where one has something else. */
tcf_status agree_on_run(const peers *p, const agree_run *mine);

#endif
