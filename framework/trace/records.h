/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The record tables of events.h and definitions.h on the framework's side: names of references and of libotf2's
 * enumerations, and the value that means "undefined" for each kind of reference. */
#ifndef TCFLOW_FRAMEWORK_RECORDS_H
#define TCFLOW_FRAMEWORK_RECORDS_H

#include <private/roles.h>
#include <tcflow/definitions.h>
#include <tcflow/events.h>

/* The archive's "undefined" of a kind of reference (OTF2_UNDEFINED_*). */
static inline uint64_t record_undefined(tcf_ref_kind kind)
{
    return kind == TCF_REF_LOCATION ? UINT64_MAX : kind == TCF_REF_IO_PARADIGM ? UINT8_MAX : UINT32_MAX;
}

/* For messages: "region", "communicator", ... */
const char *record_ref_name(tcf_ref_kind kind);

/* The name of a value of one of libotf2's enumerations, named as in the role column of the record tables; NULL when
 * there is none. Flag sets are joined with '|' in a buffer of the thread. */
const char *otf2_enum_name(const char *enumeration, uint64_t value);

#endif
