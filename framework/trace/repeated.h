/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Ids that an archive defines more than once. The first definition counts, so another one that says the same is nothing
 * that anybody has to know of; one that says something else is. */
#ifndef TCFLOW_FRAMEWORK_REPEATED_H
#define TCFLOW_FRAMEWORK_REPEATED_H

#include <tcflow/filter.h>

typedef struct repeated_ids {
    uint64_t same; /* definitions that say what the first one of their id does, or are told apart from it: the list of
                    * locations of a paradigm, and a group of its members (EZTrace) */
    uint64_t different; /* definitions that say something else */
    tcf_ref_kind kind;  /* of the first of these */
    uint64_t id;
} repeated_ids;

/* TCF_ERROR: out of memory. */
tcf_status repeated_find(const tcf_definitions *defs, repeated_ids *found);

#endif
