/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a domain has found, as bytes that go from its process to the first one. */
#ifndef TCFLOW_FRAMEWORK_FOUND_H
#define TCFLOW_FRAMEWORK_FOUND_H

#include "domains.h"
#include "framework/trace/definitions.h"

/* All but what filters pack. unknown: unknown records that this process had found before. */
void found_put(const pipeline *p, uint64_t unknown, tcf_pack *pack);
/* What comes with it: call paths and undefined ids, for what filters have packed. The caller frees it. */
typedef struct found_part {
    definitions *defs;
    callpaths_part callpaths; /* lies in the bytes of the pack */
} found_part;
/* Adds what domain x has found. Fails if memory runs out, or the bytes are not of such a domain. */
tcf_status found_take(pipeline *p, domain *x, tcf_pack *pack, found_part *part);

/* What surveys have found so far, for all processes. */
tcf_status found_put_survey(const pipeline *survey, tcf_pack *pack);
tcf_status found_take_survey(pipeline *survey, tcf_pack *pack);

#endif
