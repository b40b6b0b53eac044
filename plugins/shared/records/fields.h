/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The record tables as data: which fields a record has, where they stand, what they mean. Filters that show any record
 * use these descriptions, so a new record in include/tcflow needs no change there. A new role must be added to
 * role_lists.h; the compiler asks for it. */
#ifndef TCFLOW_RECORDS_FIELDS_H
#define TCFLOW_RECORDS_FIELDS_H

#include <private/role_lists.h>
#include <tcflow/filter.h>

#include <string.h>

/* clang-format off */
enum role {
#define R(name) ROLE_##name = TCF_REF_##name,
    TCF_REFERENCE_ROLES(R)
#undef R
    FIRST_ENUMERATION = TCF_REF_KINDS - 1,
#define R(name) ROLE_##name,
    TCF_ENUMERATION_ROLES(R)
    FIRST_SET,
    BEFORE_SETS = FIRST_SET - 1,
    TCF_SET_ROLES(R)
    FIRST_NUMBER,
    BEFORE_NUMBERS = FIRST_NUMBER - 1,
    TCF_NUMBER_ROLES(R)
#undef R
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
    return role >= FIRST_SET && role < FIRST_NUMBER;
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
/* What otf2-print and the text of `print` call a kind of event. */
const char *event_name_of_otf2_print(uint32_t kind);
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
