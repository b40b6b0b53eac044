/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What a value refers to whose type, or scope, stands beside it: attribute values, metadata, markers.
 *
 * The tables have rows R(number, name), the number being libotf2's. framework/records.c makes sure of the numbers, so
 * that this header needs none of libotf2's. */
#ifndef TCFLOW_REFERENCES_H
#define TCFLOW_REFERENCES_H

#include <tcflow/definitions.h>

#include <stdint.h>

#define TCF_TYPE_REFERENCES(R)                                                                                         \
    R(11, STRING)                                                                                                      \
    R(12, ATTRIBUTE)                                                                                                   \
    R(13, LOCATION)                                                                                                    \
    R(14, REGION)                                                                                                      \
    R(15, GROUP)                                                                                                       \
    R(16, METRIC)                                                                                                      \
    R(17, COMM)                                                                                                        \
    R(18, PARAMETER)                                                                                                   \
    R(19, RMA_WIN)                                                                                                     \
    R(20, SOURCE_CODE_LOCATION)                                                                                        \
    R(21, CALLING_CONTEXT)                                                                                             \
    R(22, INTERRUPT_GENERATOR)                                                                                         \
    R(23, IO_FILE)                                                                                                     \
    R(24, IO_HANDLE)                                                                                                   \
    R(25, LOCATION_GROUP)
#define TCF_MARKER_SCOPE_REFERENCES(R)                                                                                 \
    R(1, LOCATION)                                                                                                     \
    R(2, LOCATION_GROUP)                                                                                               \
    R(3, SYSTEM_TREE_NODE)                                                                                             \
    R(4, GROUP)                                                                                                        \
    R(5, COMM)

#define TCF_REFERENCE_CASE(number, NAME)                                                                               \
    case number:                                                                                                       \
        return TCF_REF_##NAME;

/* The tcf_ref_kind that a value of an OTF2_Type refers to; -1: none. */
static inline int tcf_ref_of_type(uint8_t type)
{
    switch (type) {
        TCF_TYPE_REFERENCES(TCF_REFERENCE_CASE)
    default:
        return -1;
    }
}

/* The same of a marker's scope_ref, by its OTF2_MarkerScope. */
static inline int tcf_ref_of_marker_scope(uint8_t scope)
{
    switch (scope) {
        TCF_MARKER_SCOPE_REFERENCES(TCF_REFERENCE_CASE)
    default:
        return -1;
    }
}

#undef TCF_REFERENCE_CASE

#endif
