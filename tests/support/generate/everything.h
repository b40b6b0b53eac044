/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Ids and small helpers that the two files of `trace everything` share.
 *
 * Ids are sparse on purpose: 0, small ones, and ones near the end of their type's range. */
#ifndef TCFLOW_TESTS_EVERYTHING_H
#define TCFLOW_TESTS_EVERYTHING_H

#include "trace.h"

/* Strings. */
#define S_EMPTY 0u
#define S_NAME 1u /* plain ASCII */
#define S_UTF8 2u
#define S_LONG 3u    /* 10,000 bytes */
#define S_TWICE 4u   /* defined twice, the same */
#define S_CHANGED 5u /* defined twice, with different texts */
#define S_SPARSE 3221225472u
#define S_LAST 4294967294u /* the largest id that is not "undefined" */
#define S_DANGLING 777777u /* nothing defines it */

/* One id of each referable kind besides 0; the last one of its type where nothing else is said. */
#define SPARSE_REF 1610612736u /* regions, communicators, groups, ... as EZTrace has them */
#define LAST_REF 4294967294u
#define DANGLING_REF 888888u

/* Locations. */
#define L_PLAIN UINT64_C(0)                 /* all events, ids as they are */
#define L_DENSE UINT64_C(1)                 /* all events, ids through dense mapping tables */
#define L_SPARSE UINT64_C(4294967297)       /* all events, ids through sparse mapping tables */
#define L_STREAM UINT64_C(9007199254740993) /* an accelerator's stream */
#define L_METRIC UINT64_C(9223372036854775808)
#define L_EXTREME UINT64_C(18446744073709551614) /* all events with every field at its maximum */
#define L_EMPTY UINT64_C(7)                      /* no event */

enum { TYPES = OTF2_TYPE_LOCATION_GROUP + 1 };

/* A value of TYPE: variant 0 is zero, 1 ordinary (references exist), 2 the largest or "undefined". */
OTF2_AttributeValue sample_value(OTF2_Type type, unsigned variant);

/* Writes every kind of definition, to the global file or (LOCAL != NULL) to a local one. */
void write_all_definitions(struct trace *t, OTF2_DefWriter *local, const uint64_t events[7]);

/* The locations in the order of EVENTS above. */
extern const OTF2_LocationRef everything_locations[7];

#endif
