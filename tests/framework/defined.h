/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Small definitions for tests, behind cmocka: what they say nothing of is undefined. */
#ifndef TCFLOW_TESTS_DEFINED_H
#define TCFLOW_TESTS_DEFINED_H

#include "framework/trace/definitions.h"

static inline void string(definitions *d, uint32_t self, const char *text)
{
    tcf_def_string s = {.self = self, .string = text};
    assert_int_equal(definitions_add(d, TCF_DEF_STRING, &s), TCF_OK);
}

static inline void region(definitions *d, uint32_t self, uint32_t name)
{
    tcf_def_region r = {.self = self,
                        .name = name,
                        .canonical_name = name,
                        .description = TCF_NONE,
                        .source_file = TCF_NONE};
    assert_int_equal(definitions_add(d, TCF_DEF_REGION, &r), TCF_OK);
}

/* A process with one location. */
static inline void process(definitions *d, uint32_t group, uint64_t location)
{
    tcf_def_location_group g = {.self = group,
                                .name = TCF_NONE,
                                .system_tree_parent = TCF_NONE,
                                .creating_location_group = TCF_NONE};
    tcf_def_location l = {.self = location, .name = TCF_NONE, .location_group = group};
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION_GROUP, &g), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION, &l), TCF_OK);
}

#endif
