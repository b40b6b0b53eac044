/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The enumerations of OTF2 with the names of their values: enumerations.c, which enumerations.awk makes of OTF2's
 * headers. records.c looks names up. */
#ifndef TCFLOW_FRAMEWORK_ENUMERATIONS_H
#define TCFLOW_FRAMEWORK_ENUMERATIONS_H

#include <stddef.h>
#include <stdint.h>

struct value {
    uint64_t value;
    const char *name;
};

struct enumeration {
    const char *name; /* as the role column of the record tables has it: COLLECTIVE_OP */
    const struct value *values;
    size_t n;
    int flags; /* a value is a set of bits */
};

/* In order of name. */
extern const struct enumeration enumerations[];
extern const size_t n_enumerations;

#endif
