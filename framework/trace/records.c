/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Names of libotf2's enumerations, and the checks that the constants of include/tcflow agree with libotf2.
 *
 * An enumeration is asked for by the name that it has in the role column of the record tables (COLLECTIVE_OP,
 * REGION_ROLE, ...), a value is named as otf2-print names it. */
#include "records.h"
#include "framework/base/enumerations.h"
#include "source.h"
#include <tcflow/definitions.h>

#include <otf2/OTF2_Marker.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <string.h>

/* Records that begin alike: see events.h. */
#define ALIKE(a, b, last) _Static_assert(offsetof(tcf_ev_##a, last) == offsetof(tcf_ev_##b, last), #b)
ALIKE(enter, leave, region);
ALIKE(mpi_send, mpi_isend, msg_length);
ALIKE(mpi_recv, mpi_irecv, msg_length);
ALIKE(mpi_collective_end, non_blocking_collective_complete, size_received);

_Static_assert((int)TCF_PARADIGM_MPI == OTF2_PARADIGM_MPI, "paradigm");
_Static_assert((int)TCF_PARADIGM_OPENMP == OTF2_PARADIGM_OPENMP, "paradigm");
_Static_assert((int)TCF_PARADIGM_PTHREAD == OTF2_PARADIGM_PTHREAD, "paradigm");
_Static_assert((int)TCF_ROLE_FUNCTION == OTF2_REGION_ROLE_FUNCTION, "region role");
_Static_assert((int)TCF_ROLE_BARRIER == OTF2_REGION_ROLE_BARRIER, "region role");
_Static_assert((int)TCF_ROLE_IMPLICIT_BARRIER == OTF2_REGION_ROLE_IMPLICIT_BARRIER, "region role");
_Static_assert((int)TCF_ROLE_TASK == OTF2_REGION_ROLE_TASK, "region role");
_Static_assert((int)TCF_ROLE_TASK_WAIT == OTF2_REGION_ROLE_TASK_WAIT, "region role");
_Static_assert((int)TCF_ROLE_DATA_TRANSFER == OTF2_REGION_ROLE_DATA_TRANSFER, "region role");
_Static_assert((int)TCF_ROLE_THREAD_WAIT == OTF2_REGION_ROLE_THREAD_WAIT, "region role");
_Static_assert((int)TCF_CPU_THREAD == OTF2_LOCATION_TYPE_CPU_THREAD, "location type");
_Static_assert((int)TCF_ACCELERATOR_STREAM == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, "location type");
_Static_assert((int)TCF_METRIC_LOCATION == OTF2_LOCATION_TYPE_METRIC, "location type");
_Static_assert(TCF_NONE == OTF2_UNDEFINED_UINT32, "undefined reference");
_Static_assert(sizeof(OTF2_AttributeValue) == sizeof(uint64_t), "an attribute value has 64 bits");
_Static_assert(sizeof(OTF2_MetricValue) == sizeof(uint64_t), "a metric value has 64 bits");
_Static_assert(sizeof(OTF2_Type) == 1 && sizeof(OTF2_IoParadigmRef) == 1, "bytes");
_Static_assert(sizeof(OTF2_RegionRef) == 4 && sizeof(OTF2_CommRef) == 4 && sizeof(OTF2_StringRef) == 4, "references");
_Static_assert(sizeof(OTF2_LocationRef) == 8 && sizeof(OTF2_TimeStamp) == 8, "64 bits");
#define CHECK_TYPE(number, NAME) _Static_assert((number) == OTF2_TYPE_##NAME, "type");
#define CHECK_SCOPE(number, NAME) _Static_assert((number) == OTF2_MARKER_SCOPE_##NAME, "scope of a marker");
TCF_TYPE_REFERENCES(CHECK_TYPE)
TCF_MARKER_SCOPE_REFERENCES(CHECK_SCOPE)
_Static_assert(sizeof(tcf_rec) <= 48, "the record column is meant to stay small");

static const char *value_name(const struct enumeration *e, uint64_t value)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->values[i].value == value)
            return e->values[i].name;
    return NULL;
}

/* Bits without a name are shown as a number. */
static const char *set_name(const struct enumeration *e, uint64_t set)
{
    static _Thread_local char text[512];
    size_t length = 0;
    uint64_t rest = set;

    text[0] = '\0';
    for (size_t i = 0; i < e->n && length < sizeof text; i++)
        if (set & e->values[i].value) {
            length +=
                (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? "|" : "", e->values[i].name);
            rest &= ~e->values[i].value;
        }
    if (rest && length < sizeof text)
        snprintf(text + length, sizeof text - length, "%s0x%llx", length ? "|" : "", (unsigned long long)rest);
    return text;
}

const char *otf2_enum_name(const char *enumeration, uint64_t value)
{
    size_t low = 0, high = n_enumerations;

    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct enumeration *e = &enumerations[middle];
        int order = strcmp(enumeration, e->name);
        if (order == 0)
            return e->flags && value != 0 ? set_name(e, value) : value_name(e, value);
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const char *record_ref_name(tcf_ref_kind kind)
{
    static const char *const names[TCF_REF_KINDS] = {
        [TCF_REF_STRING] = "string",
        [TCF_REF_ATTRIBUTE] = "attribute",
        [TCF_REF_SYSTEM_TREE_NODE] = "system tree node",
        [TCF_REF_LOCATION_GROUP] = "location group",
        [TCF_REF_LOCATION] = "location",
        [TCF_REF_REGION] = "region",
        [TCF_REF_GROUP] = "group",
        [TCF_REF_COMM] = "communicator",
        [TCF_REF_PARAMETER] = "parameter",
        [TCF_REF_METRIC] = "metric",
        [TCF_REF_METRIC_MEMBER] = "metric member",
        [TCF_REF_RMA_WIN] = "RMA window",
        [TCF_REF_CALLING_CONTEXT] = "calling context",
        [TCF_REF_SOURCE_CODE_LOCATION] = "source code location",
        [TCF_REF_INTERRUPT_GENERATOR] = "interrupt generator",
        [TCF_REF_IO_PARADIGM] = "I/O paradigm",
        [TCF_REF_IO_FILE] = "I/O file",
        [TCF_REF_IO_HANDLE] = "I/O handle",
        [TCF_REF_CALLSITE] = "call site",
        [TCF_REF_CALLPATH] = "call path",
        [TCF_REF_CART_DIMENSION] = "Cartesian dimension",
        [TCF_REF_CART_TOPOLOGY] = "Cartesian topology",
    };
    return names[kind];
}
