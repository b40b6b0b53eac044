/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* What the events of an input refer to, in terms of the union of all. Nothing is done where the definitions of the
 * input are those of the union, as those of parts are that were split off one trace. */
#include "framework/base/error.h"
#include "merge_internal.h"

#include <tcflow/roles.h>

enum { STRAYS_CAP = TCF_REF_KINDS * DEFINITIONS_DANGLING_CAP };

/* May something that the input does not define be called so? */
static int is_free(const definitions *d, const merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    return definitions_find(d, kind, id) == TCF_NONE && map_get(&in->names.called, id, kind) == MAP_ABSENT;
}

/* One that nobody defines, looked for from the last one down. Where it begins depends on the id, so that seldom two of
 * them meet, and what they are called not on which comes first. All are taken: it is undefined. */
static uint64_t free_id(const definitions *d, const merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    const uint64_t last = record_undefined(kind) - 1, most = (uint64_t)d->v.ids[kind].n + in->names.n_strays;
    uint64_t from = last - definitions_find(d, kind, id) % last;

    for (uint64_t tries = 0; tries <= most && tries <= last; tries++) {
        if (is_free(d, in, kind, from))
            return from;
        from = from == 0 ? last : from - 1;
    }
    return record_undefined(kind);
}

/* What an id that the input does not define is called: as it is, unless that means something else in the union. Its
 * locations may be those of another input. */
static uint64_t name_stray(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    merge_names *names = &in->names;
    uint32_t stray = map_get(&names->strays, id, kind);

    if (stray != MAP_ABSENT)
        return names->stray[stray];
    if (kind == TCF_REF_LOCATION || id == record_undefined(kind))
        return id;
    uint64_t name = is_free(d, in, kind, id) ? id : free_id(d, in, kind, id);
    if (names->n_strays < STRAYS_CAP && name != record_undefined(kind))
        (void)merge_names_stray(names, kind, id, name); /* out of memory: another one may be called so, too */
    return name;
}

uint64_t merge_id(const definitions *d, merge_input *in, tcf_ref_kind kind, uint64_t id)
{
    uint32_t index = map_get(&in->names.find, id, kind);

    if (index == MAP_ABSENT)
        return name_stray(d, in, kind, id);
    uint32_t to = in->names.index[kind][index];
    return tcf_defined(to) ? d->v.ids[kind].id[to] : id;
}

static uint64_t rewrite_value(const definitions *d, merge_input *in, uint8_t type, uint64_t value)
{
    int kind = tcf_ref_of_type(type);
    return kind < 0 ? value : merge_id(d, in, (tcf_ref_kind)kind, value);
}

static uint32_t stray_index(definitions *d, merge_input *in, tcf_ref_kind kind, uint32_t index)
{
    return definitions_index(d, kind, name_stray(d, in, kind, tcf_id(in->defs, kind, index, record_undefined(kind))));
}

static inline uint32_t rewrite(definitions *d, merge_input *in, tcf_ref_kind kind, uint32_t index)
{
    if (__builtin_expect(index < in->defs->ids[kind].n, 1))
        return in->names.index[kind][index];
    return index == TCF_NONE ? TCF_NONE : stray_index(d, in, kind, index);
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

/* Arrays: the only ones with references are those of ProgramBegin. */
#define ARRAY_TYPE(offset)
#define ARRAY_METRIC_VALUE(offset)
#define ARRAY_STRING(offset) rewrite_strings(d, in, tcf_at(arena, offset), length);

/* hot, where definitions differ */
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

/* Has the input met ids that it does not define? Their indices are numbered as they come. */
static int has_strays(const merge_input *in)
{
    uint32_t any = 0;

    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        any |= in->defs->ids[kind].n_dangling;
    return any != 0;
}

tcf_status merge_rewrite_events(definitions *d, merge_input *in, slice *s, uint32_t from, uint32_t to)
{
    int same = in->names.same_indices && !has_strays(in);
    if (same && in->names.same_ids && in->names.all)
        return TCF_OK;
    for (uint32_t i = from; i < to; i++) {
        uint8_t kind = s->v.kind[i];
        if (!same && (kind == TCF_ENTER || kind == TCF_LEAVE)) /* most events by far */
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
    if ((in->names.same_indices && in->names.same_ids && in->names.all && !has_strays(in)) || r->kind == 0 ||
        r->kind == UINT8_MAX)
        return TCF_OK;
    *rec = *r->rec;
    to->rec = rec;
    rewrite_record(d, in, r->kind, rec, r->arena);
    if (r->attributes) /* of the slice that the input has unpacked it to; nobody else looks at it */
        rewrite_attributes(d, in, (tcf_attributes *)r->attributes);
    return d->overflow ? definitions_fail_overflow(d) : TCF_OK;
}
