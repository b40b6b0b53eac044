/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* stream_write: packs the events of a slice as a window, column by column.
 *
 * Times are packed as differences, records field by field, in the order of the event table. The memory of the frame
 * is used again for each window, so no event takes an allocation. */
#include "stream_write.h"

#include <private/roles.h>

enum { BLOCK_HEAD = 1 + sizeof(uint32_t), RECORD_MOST = 160 }; /* a record without its arrays */

/* ------------------------------------------------------------------------------------------------------- records -- */

void pack_values(tcf_pack *p, const uint64_t *value, uint64_t n)
{
    uint8_t *to = tcf_pack_room(p, n * sizeof *value);

    for (uint64_t i = 0; to && i < n; i++)
        tcf_put_u64(to + i * sizeof *value, value[i]);
    p->n += to ? n * sizeof *value : 0;
}

static void pack_strings(tcf_pack *p, const tcf_definitions *defs, const uint32_t *index, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t *to = tcf_pack_room(p, 1 + TCF_VARINT_MOST);
        if (to)
            p->n = (size_t)(put_reference(to, defs, TCF_REF_STRING, index[i]) - p->at);
    }
}

static inline uint8_t *put_field(uint8_t *at, const tcf_definitions *defs, int role, uint64_t value)
{
    return role == ROLE_PLAIN ? tcf_put_varint(at, value)
                              : put_reference(at, defs, (tcf_ref_kind)role, (uint32_t)value);
}

/* Only Metric and ProgramBegin have arrays. Arrays are the last fields of a record; the field in front of them is
 * their length. */
#define ARRAY_TYPE(offset) tcf_pack_bytes(p, tcf_at(arena, offset), length)
#define ARRAY_METRIC_VALUE(offset) pack_values(p, (const uint64_t *)tcf_at(arena, offset), length)
#define ARRAY_STRING(offset) pack_strings(p, defs, (const uint32_t *)tcf_at(arena, offset), length)

/* hot */
static inline __attribute__((always_inline)) void pack_fields(tcf_pack *p, const tcf_definitions *defs, uint8_t kind,
                                                              const tcf_rec *rec, const tcf_slice *arena)
{
    uint8_t *at = tcf_pack_room(p, RECORD_MOST);
    uint64_t length = 0;

    if (!at)
        return;
    if (__builtin_expect(kind == TCF_ENTER || kind == TCF_LEAVE, 1)) { /* most events by far */
        p->n = (size_t)(put_reference(at, defs, TCF_REF_REGION, rec->enter.region) - p->at);
        return;
    }
    switch (kind) {
#define FIELD(record, ctype, role, field)                                                                              \
    at = put_field(at, defs, ROLE_##role, PACKED_##ctype(rec->record.field));                                          \
    length = (uint64_t)rec->record.field;                                                                              \
    p->n = (size_t)(at - p->at);
#define FIELD_ARRAY(record, ctype, role, field) ARRAY_##role(rec->record.field);
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

void pack_record(tcf_pack *p, const tcf_definitions *defs, uint8_t kind, const tcf_rec *rec, const tcf_slice *arena)
{
    pack_fields(p, defs, kind, rec, arena);
}

void pack_attributes(tcf_pack *p, const tcf_definitions *defs, const tcf_attributes *attributes)
{
    tcf_pack_varint(p, attributes ? attributes->n : 0);
    for (uint32_t k = 0; attributes && k < attributes->n; k++) {
        const tcf_attribute *a = &attributes->at[k];
        uint8_t *to = tcf_pack_room(p, 2 + 2 * TCF_VARINT_MOST);
        if (!to)
            return;
        to = put_reference(to, defs, TCF_REF_ATTRIBUTE, a->attribute);
        *to++ = a->type;
        p->n = (size_t)(tcf_put_varint(to, a->value) - p->at);
    }
}

/* -------------------------------------------------------------------------------------------------------- blocks -- */

/* hot. Packs numbers that resemble their neighbours as differences, which are signed where the numbers may fall. */
static inline __attribute__((always_inline)) void pack_differences(tcf_pack *p, const uint64_t *value, uint32_t n,
                                                                   int may_fall)
{
    uint8_t *at = tcf_pack_room(p, (size_t)n * TCF_VARINT_MOST);
    uint64_t last = 0;

    for (uint32_t i = 0; at && i < n; i++) {
        at = tcf_put_varint(at, may_fall ? tcf_zigzag((int64_t)(value[i] - last)) : value[i] - last);
        last = value[i];
    }
    if (at)
        p->n = (size_t)(at - p->at);
}

/* hot */
static void pack_records(tcf_pack *p, const tcf_definitions *defs, const tcf_slice *s)
{
    size_t block = block_begin(p, TCF_BLOCK_RECORD);

    for (uint32_t i = 0; i < s->n; i++)
        pack_fields(p, defs, s->kind[i], &s->rec[i], s);
    block_end(p, block);
}

/* Packs for each event with attributes its distance from the one before and its attributes. */
static void pack_all_attributes(tcf_pack *p, const tcf_definitions *defs, const tcf_slice *s)
{
    uint32_t i = 0, last = 0;

    while (i < s->n && s->attr[i] == 0)
        i++;
    if (i == s->n)
        return;
    size_t block = block_begin(p, TCF_BLOCK_ATTRIBUTES);
    for (; i < s->n; i++) {
        if (s->attr[i] == 0)
            continue;
        tcf_pack_varint(p, i - last);
        pack_attributes(p, defs, tcf_attributes_of(s, i));
        last = i;
    }
    block_end(p, block);
}

static void pack_column(tcf_pack *p, const tcf_slice *s, const struct column *c, uint32_t number)
{
    uint32_t n = c->at_edges ? s->n_edges : s->n;
    size_t block = block_begin(p, (uint8_t)(TCF_BLOCK_COLUMN + number));

    if (c->bytes == sizeof(uint64_t))
        pack_differences(p, s->columns[c->number], n, 1);
    else
        tcf_pack_bytes(p, s->columns[c->number], (size_t)n * c->bytes);
    block_end(p, block);
}

tcf_status write_window(tcf_self *self, const tcf_slice *s)
{
    struct state *state = self->state;
    tcf_pack *p = frame_begin(self);

    tcf_pack_varint(p, s->location);
    tcf_pack_varint(p, s->n);
    tcf_pack_varint(p, s->first);
    size_t block = block_begin(p, TCF_BLOCK_TIME);
    pack_differences(p, s->time, s->n, 0);
    block_end(p, block);
    block = block_begin(p, TCF_BLOCK_KIND);
    tcf_pack_bytes(p, s->kind, s->n);
    block_end(p, block);
    pack_records(p, self->defs, s);
    pack_all_attributes(p, self->defs, s);
    if (state->matches && s->n_edges > 0 && pack_edges(self, p, s) != TCF_OK)
        return TCF_ERROR;
    for (uint32_t i = 0; i < state->n_columns; i++)
        pack_column(p, s, &state->columns[i], i);
    return frame_end(self, TCF_FRAME_WINDOW);
}
