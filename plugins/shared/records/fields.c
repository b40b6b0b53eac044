/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Expands the record tables into descriptions; see fields.h. */
#include "fields.h"

#include <string.h>

enum { SIGNED_u8 = 0, SIGNED_u32 = 0, SIGNED_u64 = 0, SIGNED_i64 = 1, SIGNED_id8 = 0, SIGNED_value = 0 };

/* -------------------------------------------------------------------------------------------------------- events -- */

#define F(record, ctype, role, field)                                                                                  \
    {#field, offsetof(tcf_ev_##record, field), sizeof(TCF_MEMORY_##ctype), ROLE_##role, SIGNED_##ctype, SHAPE_PLAIN},
#define A(record, ctype, role, field)                                                                                  \
    {#field, offsetof(tcf_ev_##record, field), sizeof(TCF_MEMORY_##ctype), ROLE_##role, SIGNED_##ctype, SHAPE_ARRAY},
#define N(record)
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    static const struct field fields_of_##name[] = {FIELDS{NULL, 0, 0, 0, 0, 0}};
TCF_EVENT_TABLE(E, F, A, N)
#undef E
#undef F
#undef A
#undef N

const struct record event_records[TCF_EVENT_KINDS + 1] = {
#define E(number, NAME, Name, name, FIELDS) [number] = {#NAME, fields_of_##name},
    TCF_EVENT_TABLE(E, TCF_NOTHING, TCF_NOTHING, TCF_NOTHING)
#undef E
};

const char *event_name_of_otf2_print(uint32_t kind)
{
    switch (kind) {
    case TCF_PARAMETER_INT:
        return "PARAMETER_INT64";
    case TCF_PARAMETER_UNSIGNED_INT:
        return "PARAMETER_UINT64";
    case TCF_IO_CHANGE_STATUS_FLAGS:
        return "IO_CHANGE_FLAGS";
    default:
        return event_records[kind].name;
    }
}

/* --------------------------------------------------------------------------------------------------- definitions -- */

#define F(record, ctype, role, field)                                                                                  \
    {#field, offsetof(tcf_##record, field), sizeof(TCF_RAW_##ctype), ROLE_##role, SIGNED_##ctype, SHAPE_PLAIN},
#define A(record, ctype, role, field)                                                                                  \
    {#field, offsetof(tcf_##record, field), sizeof(TCF_RAW_##ctype), ROLE_##role, SIGNED_##ctype, SHAPE_ARRAY},
#define S(record, field) {#field, offsetof(tcf_##record, field), 0, ROLE_NUMBER, 0, SHAPE_TEXT},
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    static const struct field fields_of_##name[] = {FIELDS{NULL, 0, 0, 0, 0, 0}};
TCF_DEFINITION_TABLE(D, F, A, S)
#undef D
#undef F
#undef A
#undef S

const struct record definition_records[TCF_DEFINITION_KINDS + 1] = {
#define D(number, NAME, Name, name, FIELDS) [number] = {#NAME, fields_of_##name},
    TCF_DEFINITION_TABLE(D, TCF_SKIP, TCF_SKIP, TCF_SKIP)
#undef D
};

const char *const role_names[ROLES] = {
#define R(name) [ROLE_##name] = #name,
    TCF_REFERENCE_ROLES(R) TCF_ENUMERATION_ROLES(R) TCF_SET_ROLES(R)
#undef R
};

const struct field *field_named(const struct record *r, const char *name)
{
    for (const struct field *f = r->fields; f->name; f++)
        if (strcmp(f->name, name) == 0)
            return f;
    return NULL;
}
