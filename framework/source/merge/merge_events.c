/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Rewrites the references in an input's events to those of the union. Nothing is done where both have the same
 * definitions, as parts that were split off one trace do. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <private/roles.h>

enum { UNDEFINED_CAP = TCF_REF_KINDS * DEFINITIONS_DANGLING_CAP };

/* Is this id free in the union, for an undefined id of the input? */
static int is_free(const definitions *d, const merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    return definitions_find(d, kind, id) == TCF_NONE && map_get(&in->names.taken, id, kind) == MAP_ABSENT;
}

/* A free id for an undefined one, searched downwards from the largest. The search starts at a position computed from
 * `id`, so collisions are rare and the result hardly depends on the order of arrival. Without a free id: undefined. */
static uint64_t free_id(const definitions *d, const merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    const uint64_t last = record_undefined(kind) - 1, most = (uint64_t)d->v.ids[kind].n + in->names.n_undefined;
    uint64_t from = last - definitions_find(d, kind, id) % last;

    for (uint64_t tries = 0; tries <= most && tries <= last; tries++) {
        if (is_free(d, in, kind, from))
            return from;
        from = from == 0 ? last : from - 1;
    }
    return record_undefined(kind);
}

/* The id in the union of an undefined id of the input: the same, unless it is defined there. Locations keep theirs:
 * another input may define them. */
static uint64_t name_undefined(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    merge_names *names = &in->names;
    uint32_t position = map_get(&names->undefined, id, kind);

    if (position != MAP_ABSENT)
        return names->undefined_ids[position];
    if (kind == TCF_REF_LOCATION || id == record_undefined(kind))
        return id;
    uint64_t name = is_free(d, in, kind, id) ? id : free_id(d, in, kind, id);
    if (names->n_undefined < UNDEFINED_CAP && name != record_undefined(kind))
        (void)merge_names_undefined(names, kind, id, name); /* out of memory: another one may get the same */
    return name;
}

uint64_t merge_id(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    uint32_t index = map_get(&in->names.find, id, kind);

    if (index == MAP_ABSENT)
        return name_undefined(d, in, kind, id);
    uint32_t to = in->names.index[kind][index];
    return tcf_defined(to) ? d->v.ids[kind].id[to] : id;
}

static uint64_t rewrite_value(const definitions *d, merge_input *in, uint8_t type, uint64_t value)
{
    int kind = tcf_ref_of_type(type);
    return kind < 0 ? value : merge_id(d, in, (tcf_ref_kind)kind, value);
}

static uint32_t undefined_index(definitions *d, merge_input *in, tcf_ref_kind kind, uint32_t index)
{
    return definitions_index(d, kind,
                             name_undefined(d, in, kind, tcf_id(in->defs, kind, index, record_undefined(kind))));
}

static inline uint32_t rewrite(definitions *d, merge_input *in, tcf_ref_kind kind, uint32_t index)
{
    if (__builtin_expect(index < in->defs->ids[kind].n, 1))
        return in->names.index[kind][index];
    return index == TCF_NONE ? TCF_NONE : undefined_index(d, in, kind, index);
}

static inline uint64_t rewrite_field(definitions *d, merge_input *in, int role, uint64_t value)
{
    return role == ROLE_PLAIN ? value : rewrite(d, in, (tcf_ref_kind)role, (uint32_t)value);
}

static void rewrite_strings(definitions *d, merge_input *in, uint32_t *index, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        index[i] = rewrite(d, in, TCF_REF_STRING, index[i]);
}

/* Of all arrays only that of ProgramBegin holds references. */
#define ARRAY_TYPE(offset)
#define ARRAY_METRIC_VALUE(offset)
#define ARRAY_STRING(offset) rewrite_strings(d, in, tcf_at(arena, offset), length);

/* Hot, where definitions differ. */
static void rewrite_record(definitions *d, merge_input *in, uint8_t kind, tcf_rec *rec, const tcf_slice *arena)
{
    uint64_t length = 0;

    switch (kind) {
#define FIELD(record, ctype, role, field)                                                                              \
    rec->record.field = (TCF_MEMORY_##ctype)rewrite_field(d, in, ROLE_##role, (uint64_t)rec->record.field);            \
    length = (uint64_t)rec->record.field;
#define FIELD_ARRAY(record, ctype, role, field) ARRAY_##role(rec->record.field)
#define FIELD_NONE(record)
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        FIELDS(void) length;                                                                                           \
        break;
        TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E
    default:
        break;
    }
}

static void rewrite_attributes(definitions *d, merge_input *in, tcf_attributes *a)
{
    for (uint32_t k = 0; k < a->n; k++) {
        a->at[k].attribute = rewrite(d, in, TCF_REF_ATTRIBUTE, a->at[k].attribute);
        a->at[k].value = rewrite_value(d, in, a->at[k].type, a->at[k].value);
    }
}

/* Has the input met undefined ids? Their indices are numbered in the order in which they come, so they differ. */
static int has_undefined(const merge_input *in)
{
    uint32_t any = 0;

    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        any |= in->defs->ids[kind].n_dangling;
    return any != 0;
}

tcf_status merge_rewrite_events(definitions *d, merge_input *in, slice *s, uint32_t from, uint32_t to)
{
    int same = in->names.same_indices && !has_undefined(in);
    if (same && in->names.same_ids && in->names.all)
        return TCF_OK;
    for (uint32_t i = from; i < to; i++) {
        uint8_t kind = s->v.kind[i];
        if (!same && (kind == TCF_ENTER || kind == TCF_LEAVE)) /* most events */
            s->v.rec[i].enter.region = rewrite(d, in, TCF_REF_REGION, s->v.rec[i].enter.region);
        else if (!same)
            rewrite_record(d, in, kind, &s->v.rec[i], &s->v);
        if (s->v.attr[i])
            rewrite_attributes(d, in, tcf_at(&s->v, s->v.attr[i]));
    }
    return d->overflow ? definitions_fail_overflow(d) : TCF_OK;
}

tcf_status merge_rewrite_snapshot(definitions *d, merge_input *in, const tcf_snapshot_record *r,
                                  tcf_snapshot_record *to, tcf_rec *rec)
{
    *to = *r;
    to->location = in->names.index[TCF_REF_LOCATION][r->location];
    if ((in->names.same_indices && in->names.same_ids && in->names.all && !has_undefined(in)) || r->kind == 0 ||
        r->kind == UINT8_MAX)
        return TCF_OK;
    *rec = *r->rec;
    to->rec = rec;
    rewrite_record(d, in, r->kind, rec, r->arena);
    if (r->attributes) /* in the input's slice for this one record, so it may be changed */
        rewrite_attributes(d, in, (tcf_attributes *)r->attributes);
    return d->overflow ? definitions_fail_overflow(d) : TCF_OK;
}
