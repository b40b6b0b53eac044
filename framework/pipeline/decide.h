/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What is next when all domains rest and no letter is under way. Transports find out that it is so; what is decided
 * then is the same for all of them. */
#ifndef TCFLOW_FRAMEWORK_DECIDE_H
#define TCFLOW_FRAMEWORK_DECIDE_H

#include "framework/causality/letters.h"

enum { DECIDED_FOR_ALL = -1 };

typedef struct decision_state {
    uint64_t watermark[WATERMARKS]; /* the least of all domains, as of the last VERDICT_WATERMARK */
    uint64_t n;
    int has_looked; /* by VERDICT_LOOK, and nothing has moved since */
} decision_state;

/* A domain has come to rest; has something moved there since it rested last? */
static inline void decide_moved(decision_state *d, int has_moved)
{
    if (has_moved)
        d->has_looked = 0;
}

/* how: of each domain, [n]. *who: the domain that the verdict is for, or DECIDED_FOR_ALL. */
verdict decide(decision_state *d, const resting *how, uint32_t n, int64_t *who);

#endif
