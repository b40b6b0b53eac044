/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rewrites the references in an input's definition records to ids of the union, and hashes what records mean. */
#include "framework/trace/otf2_records.h"
#include "merge_internal.h"

#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <string.h>

#undef FIELD /* those of otf2_records.h make lists */
#undef FIELD_ARRAY
#undef FIELD_TEXT

/* ----------------------------------------------------------------------------------------------------- rewriting -- */

typedef struct rewriting {
    merge_reference reference;
    void *data;
    merge_record *to;
} rewriting;

static uint64_t plain(const rewriting *w, int role, uint64_t value)
{
    return role >= 0 ? w->reference(w->data, (tcf_ref_kind)role, value) : value;
}

/* Bits that the type doesn't use mean nothing. */
static uint64_t typed(const rewriting *w, uint8_t type, uint64_t value)
{
    return plain(w, tcf_ref_of_type(type), otf2_value_bits(type, (OTF2_AttributeValue){.uint64 = value}));
}

/* A copy that the record owns; NULL: out of memory. */
static void *copy_of(const rewriting *w, const void *array, uint64_t n, size_t bytes)
{
    void *copy = calloc(n + 1, bytes);

    if (copy && n > 0)
        memcpy(copy, array, n * bytes);
    if (copy)
        w->to->array[w->to->n_arrays++] = copy;
    return copy;
}

/* The kind of a group's members; those of a COMM_GROUP are positions, no references. */
static int kind_of_members(uint8_t group_type)
{
    return group_type == OTF2_GROUP_TYPE_LOCATIONS        ? TCF_REF_LOCATION
           : group_type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? TCF_REF_LOCATION
           : group_type == OTF2_GROUP_TYPE_REGIONS        ? TCF_REF_REGION
           : group_type == OTF2_GROUP_TYPE_METRIC         ? TCF_REF_METRIC
                                                          : -1;
}

static int kind_of_scope(uint8_t scope)
{
    static const int kinds[] = {[OTF2_SCOPE_LOCATION] = TCF_REF_LOCATION,
                                [OTF2_SCOPE_LOCATION_GROUP] = TCF_REF_LOCATION_GROUP,
                                [OTF2_SCOPE_SYSTEM_TREE_NODE] = TCF_REF_SYSTEM_TREE_NODE,
                                [OTF2_SCOPE_GROUP] = TCF_REF_GROUP};
    return scope < TCF_COUNT(kinds) ? kinds[scope] : -1;
}

/* Rewrites fields that are references in some records of their kind only. */
static void rewrite_special(const rewriting *w, enum tcf_definition_kind kind)
{
    if (kind == TCF_DEF_GROUP) {
        tcf_def_group *g = &w->to->as.def_group;
        uint64_t *member = w->to->array[0]; /* what g->members points to */
        for (uint32_t i = 0; i < g->number_of_members; i++)
            member[i] = plain(w, kind_of_members(g->group_type), member[i]);
    } else if (kind == TCF_DEF_METRIC_INSTANCE) {
        tcf_def_metric_instance *m = &w->to->as.def_metric_instance;
        m->scope = plain(w, kind_of_scope(m->metric_scope), m->scope);
    }
}

int merge_record_make(const tcf_definition *from, merge_reference reference, void *data, merge_record *to)
{
    rewriting w = {reference, data, to};
    uint64_t length = 0;

    memset(to, 0, sizeof *to);
    switch (from->kind) {
#define VALUE_u8(role, type) (uint8_t) plain(&w, ROLE_##role, value)
#define VALUE_u32(role, type) (uint32_t) plain(&w, ROLE_##role, value)
#define VALUE_u64(role, type) plain(&w, ROLE_##role, value)
#define VALUE_id8(role, type) (uint8_t) plain(&w, ROLE_##role, value)
#define VALUE_i64(role, type) (int64_t) value
#define VALUE_value(role, type) typed(&w, type, value)
#define TYPE_OF_ELEMENT to->as.def_io_paradigm.types[i] /* the only kind with arrays of values */
#define FIELD(record, ctype, role, field)                                                                              \
    {                                                                                                                  \
        const uint64_t value = (uint64_t)r->field;                                                                     \
        r->field = VALUE_##ctype(role, r->type);                                                                       \
        length = value;                                                                                                \
    }
#define FIELD_ARRAY(record, ctype, role, field)                                                                        \
    {                                                                                                                  \
        TCF_RAW_##ctype *array = copy_of(&w, r->field, length, sizeof *array);                                         \
        if (!array)                                                                                                    \
            return -1;                                                                                                 \
        for (uint64_t i = 0; i < length; i++) {                                                                        \
            const uint64_t value = array[i];                                                                           \
            array[i] = VALUE_##ctype(role, TYPE_OF_ELEMENT);                                                           \
        }                                                                                                              \
        r->field = array;                                                                                              \
    }
#define FIELD_TEXT(record, field)
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        tcf_##name *r = &to->as.name;                                                                                  \
        *r = *from->as.name;                                                                                           \
        FIELDS(void) length;                                                                                           \
        break;                                                                                                         \
    }
        TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D
#undef FIELD
#undef FIELD_ARRAY
#undef FIELD_TEXT
    }
    rewrite_special(&w, from->kind);
    return 0;
}

void merge_record_free(merge_record *r)
{
    for (uint32_t i = 0; i < r->n_arrays; i++)
        free(r->array[i]);
    r->n_arrays = 0;
}

/* ------------------------------------------------------------------------------------------------------- meaning -- */

static void add_text(merge_key *k, const char *text)
{
    size_t n = strlen(text);
    uint64_t word;

    merge_key_add(k, n);
    for (; n > 0; n -= n < sizeof word ? n : sizeof word) {
        word = 0;
        memcpy(&word, text, n < sizeof word ? n : sizeof word);
        merge_key_add(k, word);
        text += n < sizeof word ? n : sizeof word;
    }
}

/* A record's own id is its first field, in each kind that has one. */
merge_key merge_record_key(enum tcf_definition_kind kind, const merge_record *record, int with_id)
{
    merge_key k = {(uint64_t)kind, ~(uint64_t)kind};
    uint64_t length = 0;

    switch (kind) {
#define FIELD(record, ctype, role, field)                                                                              \
    if (with_id || (const void *)&r->field != (const void *)r)                                                         \
        merge_key_add(&k, (uint64_t)r->field);                                                                         \
    length = (uint64_t)r->field;
#define FIELD_ARRAY(record, ctype, role, field)                                                                        \
    for (uint64_t i = 0; i < length; i++)                                                                              \
        merge_key_add(&k, (uint64_t)r->field[i]);
#define FIELD_TEXT(record, field) add_text(&k, r->field);
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        const tcf_##name *r = &record->as.name;                                                                        \
        FIELDS(void) length;                                                                                           \
        break;                                                                                                         \
    }
        TCF_DEFINITION_TABLE(D, FIELD, FIELD_ARRAY, FIELD_TEXT)
#undef D
    }
    return k;
}
