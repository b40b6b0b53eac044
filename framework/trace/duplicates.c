/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See duplicates.h. Records are compared field by field, by their ids in the archive. */
#include "duplicates.h"

#include "definitions.h"
#include "framework/base/error.h"
#include "framework/base/map.h"

#include <string.h>

enum { COMM_LOCATIONS = 4 }; /* OTF2_GroupType */

static int are_equal(const tcf_definition *a, const tcf_definition *b)
{
    uint64_t length = 0;

    if (a->kind != b->kind)
        return 0;
    switch (a->kind) {
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        const tcf_##name *x = a->as.name, *y = b->as.name;                                                             \
        FIELDS(void) length;                                                                                           \
        return 1;                                                                                                      \
    }
#define F(record, ctype, role, field)                                                                                  \
    if (x->field != y->field)                                                                                          \
        return 0;                                                                                                      \
    length = (uint64_t)x->field;
#define A(record, ctype, role, field)                                                                                  \
    if (length > 0 && memcmp(x->field, y->field, length * sizeof *x->field) != 0)                                      \
        return 0;
#define S(record, field)                                                                                               \
    if (strcmp(x->field, y->field) != 0)                                                                               \
        return 0;
        TCF_DEFINITION_TABLE(D, F, A, S)
#undef D
#undef F
#undef A
#undef S
    }
    return 0;
}

/* Is exactly one of two records a group of COMM_LOCATIONS? Then look-ups by id and kind find the right one
 * (communicators.c). */
static int differ_in_group_kind(const tcf_definition *a, const tcf_definition *b)
{
    return a->kind == TCF_DEF_GROUP && b->kind == TCF_DEF_GROUP &&
           (a->as.def_group->group_type == COMM_LOCATIONS) != (b->as.def_group->group_type == COMM_LOCATIONS);
}

/* Counts a definition that isn't the first one of its id. */
static void count_duplicate(const tcf_definitions *defs, uint64_t first, uint64_t later, duplicate_ids *found)
{
    const tcf_definition *a = &defs->records[first], *b = &defs->records[later];
    uint64_t id = 0;

    if (are_equal(a, b) || differ_in_group_kind(a, b)) {
        found->same++;
        return;
    }
    if (found->different++ == 0) {
        found->kind = (tcf_ref_kind)definitions_defines(b, &id);
        found->id = id;
    }
}

tcf_status duplicates_find(const tcf_definitions *defs, duplicate_ids *found)
{
    map first = {0};
    tcf_status status = TCF_OK;

    *found = (duplicate_ids){0};
    for (uint64_t r = 0; defs->n_duplicate > 0 && r < defs->n_records && status == TCF_OK; r++) {
        uint64_t id;
        const int kind = definitions_defines(&defs->records[r], &id);
        if (kind < 0)
            continue;
        const uint32_t at = map_get(&first, id, (uint64_t)kind);
        if (at != MAP_ABSENT)
            count_duplicate(defs, at, r, found);
        else if (map_put(&first, id, (uint64_t)kind, (uint32_t)r) != 0)
            status = error_fail("out of memory for the ids of definitions");
    }
    map_free(&first);
    return status;
}
