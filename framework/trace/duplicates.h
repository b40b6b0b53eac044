/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Duplicate definitions: ids that an archive defines more than once. The first definition counts; only one with another
 * content needs a note to the user. */
#ifndef TCFLOW_FRAMEWORK_DUPLICATES_H
#define TCFLOW_FRAMEWORK_DUPLICATES_H

#include <tcflow/filter.h>

typedef struct duplicate_ids {
    uint64_t same;      /* same content as the first one of the id, or a COMM_LOCATIONS and a COMM_GROUP (EZTrace) */
    uint64_t different; /* another content */
    tcf_ref_kind kind;  /* of the first of `different` */
    uint64_t id;
} duplicate_ids;

/* TCF_ERROR: out of memory. */
tcf_status duplicates_find(const tcf_definitions *defs, duplicate_ids *found);

#endif
