/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* See encode.h. This is the hottest code of writing: one loop over the events of a slice, with a short way for enters
 * and leaves, and a case for each other kind, expanded from the event table as those of the reader are.
 *
 * libotf2 writes a timestamp where the time differs from that of the record before, and always where it is 0. It
 * chooses between a length of one byte and one of nine by the most bytes that the fields may take, not by those that
 * they take.
 */
#include "otf2_write.h"

#include "encode.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* ------------------------------------------------------------------------------------------------ bytes by kind -- */

/* The most bytes that the fields of each kind take, without arrays, and 1 for the record's type. */
#define MOST(record, ctype, role, field) +MOST_##ctype(role)
#define MOST_u8(role) 1
#define MOST_id8(role) 1
#define MOST_u32(role) 5
#define MOST_i64(role) 9
#define MOST_u64(role) MOST_u64_##role
#define MOST_u64_NUMBER 9
#define MOST_u64_REQUEST 9
#define MOST_u64_TIME 8
#define MOST_NOTHING(...)

static const uint8_t type_and_fields[UINT8_MAX + 1] = {
#define E(number, NAME, Name, name, FIELDS) [number] = 1 FIELDS,
    TCF_EVENT_TABLE(E, MOST, MOST_NOTHING, MOST_NOTHING)
#undef E
};

/* The most bytes that the fields of a record of a known kind take. */
static ALWAYS_INLINE uint64_t most_of_fields(unsigned kind, const tcf_rec *rec)
{
    uint64_t most = type_and_fields[kind] - 1u;

    if (kind == TCF_METRIC)
        return most + rec->metric.number_of_metrics * UINT64_C(10);
    if (kind == TCF_PROGRAM_BEGIN)
        return most + rec->program_begin.number_of_arguments * UINT64_C(5);
    return most;
}

static ALWAYS_INLINE uint64_t length_bytes(uint64_t most)
{
    return most < UINT8_MAX ? 1 : 9;
}

static uint64_t most_of_list(uint32_t n)
{
    return n * (uint64_t)ATTRIBUTE_BYTES + LIST_BYTES;
}

uint64_t encode_most(const tcf_slice *s, uint32_t i)
{
    const unsigned kind = s->kind[i];
    uint64_t list = s->attr[i] ? most_of_list(tcf_attributes_of(s, i)->n) : 0;

    if (type_and_fields[kind] == 0)
        return 0;
    uint64_t fields = most_of_fields(kind, &s->rec[i]);
    return 1 + fields + (has_no_length(kind) ? 0 : length_bytes(fields)) + (list ? 1 + length_bytes(list) + list : 0);
}

/* ------------------------------------------------------------------------------------------------------- records -- */

/* Leaves room for the length of what follows, `most` bytes at most. */
static ALWAYS_INLINE uint8_t *skip_length(uint8_t *p, uint64_t most)
{
    *p = UINT8_MAX;
    return p + length_bytes(most);
}

/* Fills in the length of what stands between `body` and `p`. */
static ALWAYS_INLINE void put_length(uint8_t *body, const uint8_t *p, uint64_t most)
{
    if (length_bytes(most) == 1)
        body[-1] = (uint8_t)(p - body);
    else
        put_full(body - 8, (uint64_t)(p - body));
}

/* -1 isn't the undefined value of a signed number. */
static ALWAYS_INLINE uint8_t *put_i64(uint8_t *p, int64_t value)
{
    return put_significant(p, (uint64_t)value);
}

static __attribute__((noinline)) uint8_t *put_metrics(uint8_t *p, const tcf_slice *s, const tcf_ev_metric *rec)
{
    const uint8_t *types = tcf_at(s, rec->type_ids);
    const uint64_t *values = tcf_at(s, rec->metric_values);

    for (unsigned i = 0; i < rec->number_of_metrics; i++) {
        *p++ = types[i];
        p = put_u64(p, values[i]);
    }
    return p;
}

static __attribute__((noinline)) uint8_t *put_strings(uint8_t *p, const tcf_definitions *defs, const uint32_t *strings,
                                                      uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        p = put_u32(p, (uint32_t)tcf_id(defs, TCF_REF_STRING, strings[i], UINT32_MAX));
    return p;
}

#define PUT(record, ctype, role, field)                                                                                \
    p = PUT_##ctype(role)(p, (TCF_RAW_##ctype)archive_id(defs, ROLE_##role, (uint64_t)rec->record.field));
#define PUT_u8(role) put_byte
#define PUT_id8(role) put_byte
#define PUT_u32(role) put_u32
#define PUT_i64(role) put_i64
#define PUT_u64(role) PUT_u64_##role
#define PUT_u64_NUMBER put_u64
#define PUT_u64_REQUEST put_u64
#define PUT_u64_TIME put_full
#define PUT_ARRAY(record, ctype, role, field) PUT_ARRAY_##role(field)
#define PUT_ARRAY_TYPE(field) /* put_metrics() puts them together with the values */
#define PUT_ARRAY_METRIC_VALUE(field) p = put_metrics(p, s, &rec->metric);
#define PUT_ARRAY_STRING(field)                                                                                        \
    p = put_strings(p, defs, tcf_at(s, rec->program_begin.field), rec->program_begin.number_of_arguments);
#define PUT_NOTHING(record)

static ALWAYS_INLINE uint8_t *put_byte(uint8_t *p, uint8_t value)
{
    *p = value;
    return p + 1;
}

/* Puts the type and the body of an event's record. */
static ALWAYS_INLINE uint8_t *put_record(uint8_t *p, const tcf_definitions *defs, const tcf_slice *s, uint32_t i)
{
    const tcf_rec *rec = &s->rec[i];

    *p++ = (uint8_t)(FIRST_EVENT - 1 + s->kind[i]);
    switch (s->kind[i]) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number: {                                                                                                     \
        const uint64_t most = most_of_fields(number, rec);                                                             \
        uint8_t *body = p = has_no_length(number) ? p : skip_length(p, most);                                          \
        FIELDS if (!has_no_length(number)) put_length(body, p, most);                                                  \
        break;                                                                                                         \
    }
        TCF_EVENT_TABLE(E, PUT, PUT_ARRAY, PUT_NOTHING)
#undef E
    }
    return p;
}

/* Puts the timestamp of a record where it has one. */
static ALWAYS_INLINE uint8_t *put_time(uint8_t *p, uint64_t time, uint64_t last)
{
    put_timestamp(p, time);
    return p + (time != last || time == 0 ? TIMESTAMP_BYTES : 0);
}

/* ---------------------------------------------------------------------------------------------------- attributes -- */

static uint8_t *put_value(uint8_t *p, uint8_t type, uint64_t bits)
{
    const OTF2_AttributeValue value = {.uint64 = bits};

    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        return put_byte(p, value.uint8);
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        memcpy(p, &value.uint16, sizeof value.uint16);
        return p + sizeof value.uint16;
    case OTF2_TYPE_FLOAT:
        memcpy(p, &value.float32, sizeof value.float32);
        return p + sizeof value.float32;
    case OTF2_TYPE_DOUBLE:
        return put_full(p, value.uint64);
    case OTF2_TYPE_INT32:
        return put_significant(p, value.uint32);
    case OTF2_TYPE_INT64:
        return put_i64(p, value.int64);
    case OTF2_TYPE_UINT32:
        return put_u32(p, value.uint32);
    default: /* types of a newer OTF2 have 64 bits, and so do references to locations */
        return tcf_ref_of_type(type) >= 0 && type != OTF2_TYPE_LOCATION ? put_u32(p, value.stringRef)
                                                                        : put_u64(p, value.uint64);
    }
}

static uint8_t *put_attributes(uint8_t *p, const tcf_definitions *defs, const tcf_attributes *list)
{
    const uint64_t most = most_of_list(list->n);

    *p++ = ATTRIBUTE_LIST;
    uint8_t *body = p = skip_length(p, most);
    p = put_u32(p, list->n);
    for (uint32_t i = 0; i < list->n; i++) {
        const tcf_attribute *a = &list->at[i];
        p = put_u32(p, (uint32_t)tcf_id(defs, TCF_REF_ATTRIBUTE, a->attribute, UINT32_MAX));
        *p++ = a->type;
        p = put_value(p, a->type, a->value);
    }
    put_length(body, p, most);
    return p;
}

/* -------------------------------------------------------------------------------------------------------- events -- */

/* hot */
uint32_t encode_events(const tcf_definitions *defs, const tcf_slice *s, uint32_t i, struct encoding *e,
                       const uint8_t *end)
{
    const uint64_t *times = s->time;
    const uint8_t *kinds = s->kind;
    const uint32_t *attr = s->attr, n = s->n;
    const uint8_t *last = end - PLAIN_RECORD_BYTES;
    uint64_t before = e->time;
    uint8_t *p = e->at;

    for (; i < n && p <= last; i++) {
        const uint64_t time = times[i];
        const unsigned kind = kinds[i];
        if (UNLIKELY(time < before || attr[i] != 0))
            break;
        if (kind - TCF_ENTER < 2) {
            p = put_time(p, time, before);
            *p++ = (uint8_t)(FIRST_EVENT - 1 + kind);
            p = put_u32(p, (uint32_t)archive_id(defs, ROLE_REGION, s->rec[i].enter.region));
        } else {
            if (UNLIKELY(kind == TCF_PROGRAM_BEGIN || type_and_fields[kind] == 0))
                break;
            p = put_record(put_time(p, time, before), defs, s, i);
        }
        before = time;
    }
    e->at = p;
    e->time = before;
    return i;
}

void encode_event(const tcf_definitions *defs, const tcf_slice *s, uint32_t i, struct encoding *e)
{
    uint8_t *p = put_time(e->at, s->time[i], e->time);

    if (s->attr[i])
        p = put_attributes(p, defs, tcf_attributes_of(s, i));
    e->at = put_record(p, defs, s, i);
    e->time = s->time[i];
}
