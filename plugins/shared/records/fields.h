/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The record tables as data: which fields a record has, where they stand, what they mean. Filters that show any record
 * use these descriptions, so a new record in include/tcflow needs no change there. A new role must be added below; the
 * compiler asks for it. */
#ifndef TCFLOW_RECORDS_FIELDS_H
#define TCFLOW_RECORDS_FIELDS_H

#include <tcflow/filter.h>

#include <string.h>

/* References to definitions. Their role is the tcf_ref_kind. */
/* clang-format off */
#define RECORD_REFERENCES(R)                                                                                            \
    R(STRING) R(ATTRIBUTE) R(SYSTEM_TREE_NODE) R(LOCATION_GROUP) R(LOCATION) R(REGION) R(GROUP) R(COMM) R(PARAMETER)   \
    R(METRIC) R(METRIC_MEMBER) R(RMA_WIN) R(CALLING_CONTEXT) R(SOURCE_CODE_LOCATION) R(INTERRUPT_GENERATOR)            \
    R(IO_PARADIGM) R(IO_FILE) R(IO_HANDLE) R(CALLSITE) R(CALLPATH) R(CART_DIMENSION) R(CART_TOPOLOGY)
/* Enumerations. */
#define RECORD_ENUMERATIONS(R)                                                                                          \
    R(MEASUREMENT_MODE) R(COLLECTIVE_OP) R(LOCK_TYPE) R(RMA_SYNC_TYPE) R(RMA_ATOMIC_TYPE) R(PARADIGM)                  \
    R(IO_ACCESS_MODE) R(IO_SEEK_OPTION) R(IO_OPERATION_MODE) R(TYPE) R(PARADIGM_CLASS) R(PARADIGM_PROPERTY)            \
    R(IO_PARADIGM_CLASS) R(IO_PARADIGM_PROPERTY) R(LOCATION_GROUP_TYPE) R(LOCATION_TYPE) R(REGION_ROLE) R(GROUP_TYPE)  \
    R(METRIC_TYPE) R(METRIC_MODE) R(BASE) R(METRIC_OCCURRENCE) R(RECORDER_KIND) R(METRIC_SCOPE) R(PARAMETER_TYPE)      \
    R(SYSTEM_TREE_DOMAIN) R(CART_PERIODICITY) R(INTERRUPT_GENERATOR_MODE)
#define RECORD_SETS(R)                                                                                                  \
    R(RMA_SYNC_LEVEL) R(IO_CREATION_FLAG) R(IO_STATUS_FLAG) R(IO_OPERATION_FLAG) R(IO_PARADIGM_FLAG) R(REGION_FLAG)    \
    R(GROUP_FLAG) R(COMM_FLAG) R(RMA_WIN_FLAG) R(IO_HANDLE_FLAG)

enum role {
#define R(name) ROLE_##name = TCF_REF_##name,
    RECORD_REFERENCES(R)
#undef R
    FIRST_ENUMERATION = TCF_REF_KINDS - 1,
#define R(name) ROLE_##name,
    RECORD_ENUMERATIONS(R)
    FIRST_SET,
    BEFORE_SETS = FIRST_SET - 1,
    RECORD_SETS(R)
#undef R
    ROLE_NUMBER,
    ROLE_TIME,
    ROLE_RANK,
    ROLE_REQUEST,
    ROLE_METRIC_VALUE,
    ROLE_ATTRIBUTE_VALUE,
    ROLES
};
/* clang-format on */

static inline int is_reference(unsigned role)
{
    return role < TCF_REF_KINDS;
}

static inline int is_enumeration(unsigned role)
{
    return role >= TCF_REF_KINDS && role < FIRST_SET;
}

static inline int is_set(unsigned role)
{
    return role >= FIRST_SET && role < ROLE_NUMBER;
}

enum shape { SHAPE_PLAIN, SHAPE_ARRAY, SHAPE_TEXT };

struct field {
    const char *name; /* NULL: the end of the list */
    uint16_t offset;  /* in the record */
    uint8_t size;     /* in bytes; of an array: that of an element */
    uint8_t role;
    uint8_t is_signed;
    uint8_t shape; /* the length of all arrays of a record is the field before its first array */
};

struct record {
    const char *name; /* ENTER, REGION, ... */
    const struct field *fields;
};

extern const struct record event_records[TCF_EVENT_KINDS + 1];
extern const struct record definition_records[TCF_DEFINITION_KINDS + 1];
/* The name of a role's enumeration, for host->enum_name(). */
extern const char *const role_names[ROLES];

/* The value of a plain field, or of element `i` of an array that starts at `from`. */
static inline uint64_t field_value(const struct field *f, const void *from, uint64_t i)
{
    const unsigned char *at = (const unsigned char *)from + (f->shape == SHAPE_ARRAY ? i * f->size : f->offset);
    uint64_t u64;
    uint32_t u32;
    switch (f->size) {
    case 1:
        return *at;
    case 4:
        memcpy(&u32, at, sizeof u32);
        return u32;
    default:
        memcpy(&u64, at, sizeof u64);
        return u64;
    }
}
/* The field of that name, or NULL. */
const struct field *field_named(const struct record *r, const char *name);

#endif
