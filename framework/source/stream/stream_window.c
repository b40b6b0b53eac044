/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Reads the events of a window, block by block, into the columns of a slice. A window may be larger than a slice, so
 * each block has a position of its own, where the next slice goes on. */
#include "framework/base/error.h"
#include "stream_internal.h"

#include <private/roles.h>

/* ------------------------------------------------------------------------------------------------------- records -- */

/* Copies the elements of a record's array to the slice's arena. 0: there are none, or the stream is bad. */
static uint32_t get_types(tcf_cursor *c, slice *s, uint64_t length)
{
    const uint8_t *from = tcf_get_bytes(c, length);
    uint32_t offset = from && length > 0 ? slice_arena(s, length) : 0;

    if (offset)
        memcpy(tcf_at(&s->v, offset), from, length);
    c->bad |= offset == 0 && length > 0;
    return offset;
}

static uint32_t get_values(tcf_cursor *c, slice *s, uint64_t length)
{
    enum { BYTES = sizeof(uint64_t) };
    const uint8_t *from = length <= tcf_left(c) / BYTES ? tcf_get_bytes(c, length * BYTES) : NULL;
    uint32_t offset = from && length > 0 ? slice_arena(s, length * BYTES) : 0;

    for (uint64_t i = 0; offset && i < length; i++)
        ((uint64_t *)tcf_at(&s->v, offset))[i] = tcf_get_u64(from + i * BYTES);
    c->bad |= offset == 0 && length > 0;
    return offset;
}

static uint32_t get_strings(definitions *defs, tcf_cursor *c, slice *s, uint64_t length)
{
    uint32_t offset = length > 0 && length <= tcf_left(c) ? slice_arena(s, length * sizeof(uint32_t)) : 0;

    c->bad |= offset == 0 && length > 0;
    for (uint64_t i = 0; offset && i < length; i++)
        ((uint32_t *)tcf_at(&s->v, offset))[i] = stream_reference(defs, c, TCF_REF_STRING);
    return offset;
}

static inline uint64_t get_field(definitions *defs, tcf_cursor *c, int role, uint64_t most)
{
    return role == ROLE_PLAIN ? tcf_get_most(c, most) : stream_reference(defs, c, (tcf_ref_kind)role);
}

#define GET_u8(role) (uint8_t) get_field(defs, c, ROLE_##role, UINT8_MAX)
#define GET_u32(role) (uint32_t) get_field(defs, c, ROLE_##role, UINT32_MAX)
#define GET_u64(role) get_field(defs, c, ROLE_##role, UINT64_MAX)
#define GET_id8(role) (uint32_t) get_field(defs, c, ROLE_##role, UINT32_MAX)
#define GET_i64(role) tcf_unzigzag(tcf_get_varint(c))
#define ARRAY_TYPE get_types(c, s, length)
#define ARRAY_METRIC_VALUE get_values(c, s, length)
#define ARRAY_STRING get_strings(defs, c, s, length)

/* hot */
static inline __attribute__((always_inline)) void get_record(definitions *defs, tcf_cursor *c, uint8_t kind,
                                                             tcf_rec *rec, slice *s)
{
    uint64_t length = 0;

    if (__builtin_expect(kind == TCF_ENTER || kind == TCF_LEAVE, 1)) { /* most events by far */
        rec->enter.region = stream_reference(defs, c, TCF_REF_REGION);
        return;
    }
    switch (kind) {
#define FIELD(record, ctype, role, field)                                                                              \
    rec->record.field = GET_##ctype(role);                                                                             \
    length = (uint64_t)rec->record.field;
#define FIELD_ARRAY(record, ctype, role, field) rec->record.field = ARRAY_##role;
#define FIELD_NONE(record)
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case number:                                                                                                       \
        FIELDS(void) length;                                                                                           \
        break;
        TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E
    default:
        c->bad = 1;
    }
}

void stream_get_record(definitions *defs, tcf_cursor *c, uint8_t kind, tcf_rec *rec, slice *s)
{
    get_record(defs, c, kind, rec, s);
}

uint32_t stream_get_attributes(definitions *defs, tcf_cursor *c, slice *s)
{
    uint64_t n = tcf_get_varint(c);

    if (n == 0)
        return 0;
    uint32_t offset = n <= tcf_left(c) / 3 ? slice_arena(s, sizeof(tcf_attributes) + n * sizeof(tcf_attribute)) : 0;
    if (offset == 0) {
        c->bad = 1;
        return 0;
    }
    tcf_attributes *attributes = tcf_at(&s->v, offset);
    attributes->n = (uint32_t)n;
    attributes->reserved = 0;
    for (uint64_t k = 0; k < n; k++) {
        memset(&attributes->at[k], 0, sizeof attributes->at[k]);
        attributes->at[k].attribute = stream_reference(defs, c, TCF_REF_ATTRIBUTE);
        attributes->at[k].type = tcf_get_u8(c);
        attributes->at[k].value = tcf_get_varint(c);
    }
    return offset;
}

/* -------------------------------------------------------------------------------------------------------- blocks -- */

static tcf_cursor *block_of(stream_source *src, window *w, uint8_t id)
{
    switch (id) {
    case TCF_BLOCK_TIME:
        return &w->time;
    case TCF_BLOCK_KIND:
        return &w->kind;
    case TCF_BLOCK_RECORD:
        return &w->record;
    case TCF_BLOCK_ATTRIBUTES:
        return &w->attributes;
    case TCF_BLOCK_EDGES:
        return src->has_edges ? &w->edges : NULL;
    default:
        return id >= TCF_BLOCK_COLUMN && id - TCF_BLOCK_COLUMN < (int)src->n_columns ? &w->column[id - TCF_BLOCK_COLUMN]
                                                                                     : NULL;
    }
}

static int split_blocks(stream_source *src, window *w, tcf_cursor *c)
{
    while (tcf_left(c) > 0 && !c->bad) {
        uint8_t id = tcf_get_u8(c);
        const uint8_t *length = tcf_get_bytes(c, sizeof(uint32_t));
        uint32_t bytes = length ? tcf_get_u32(length) : 0;
        const uint8_t *at = tcf_get_bytes(c, bytes);
        tcf_cursor *to = block_of(src, w, id);
        if (!at || !to || to->at)
            return 0; /* too short, unknown, or twice */
        *to = (tcf_cursor){.at = at, .end = at + bytes};
    }
    return !c->bad;
}

/* Are the blocks long enough for the counts that the window states? */
static int plausible(const stream_source *src, const window *w)
{
    if (w->n > 0 && (tcf_left(&w->kind) != w->n || tcf_left(&w->time) < w->n))
        return 0;
    for (uint32_t i = 0; i < src->n_columns; i++) {
        uint64_t entries = src->columns[i].at_edges ? w->n_edges : w->n;
        uint64_t least = src->columns[i].bytes == sizeof(uint64_t) ? entries : entries * src->columns[i].bytes;
        if (tcf_left(&w->column[i]) < least)
            return 0;
    }
    return 1;
}

tcf_status stream_open_window(stream_source *src, frame *f)
{
    window *w = &f->window;
    tcf_cursor c = {.at = f->bytes, .end = f->bytes + f->n};

    memset(w, 0, sizeof *w);
    w->location = (uint32_t)tcf_get_most(&c, UINT32_MAX);
    w->n = (uint32_t)tcf_get_most(&c, TCF_FRAME_LARGEST);
    w->first = tcf_get_varint(&c);
    if (c.bad || w->location >= src->defs->v.n_locations || !split_blocks(src, w, &c))
        return stream_bad(src, f, "blocks that do not fit together");
    w->next_attr = tcf_left(&w->attributes) > 0 ? tcf_get_varint(&w->attributes) : w->n;
    if (w->next_attr > w->n || w->attributes.bad)
        return stream_bad(src, f, "attributes of no event");
    if (stream_read_kinds(src, f) != TCF_OK)
        return TCF_ERROR;
    if (!plausible(src, w))
        return stream_bad(src, f, "blocks that are too short");
    return TCF_OK;
}

/* Hot: reads kinds and records of up to `most` events; returns the number that has fit. */
static uint32_t get_records(definitions *defs, window *w, slice *s, uint32_t at, uint32_t most)
{
    const uint8_t *kind = w->kind.at;

    for (uint32_t i = 0; i < most; i++) {
        s->v.kind[at + i] = kind[i];
        s->v.attr[at + i] = 0;
        get_record(defs, &w->record, kind[i], &s->v.rec[at + i], s);
        if (__builtin_expect(w->done + i == w->next_attr, 0)) {
            s->v.attr[at + i] = stream_get_attributes(defs, &w->attributes, s);
            uint64_t step = tcf_left(&w->attributes) > 0 ? tcf_get_varint(&w->attributes) : w->n;
            w->attributes.bad |= step == 0;
            w->next_attr = step < w->n ? w->next_attr + step : w->n;
        }
        if (slice_arena_full(s))
            return i + 1;
    }
    return most;
}

/* Reads a varint; most have up to two bytes, which are read here. */
static inline uint64_t get_step(tcf_cursor *c)
{
    if (__builtin_expect(c->end - c->at >= 2, 1)) {
        uint64_t first = c->at[0], second = c->at[1];
        if (first < 0x80) {
            c->at += 1;
            return first;
        }
        if (second < 0x80) {
            c->at += 2;
            return (first & 0x7f) | second << 7;
        }
    }
    return tcf_get_varint(c);
}

/* hot */
static void get_times(window *w, uint64_t *time, uint32_t n)
{
    tcf_cursor c = w->time;
    uint64_t last = w->last_time;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t step = get_step(&c);
        if (__builtin_expect(last + step < last, 0))
            c.bad = 1;
        time[i] = last += step;
    }
    w->last_time = last;
    w->time = c;
}

static void get_column(window *w, uint32_t which, const stream_column *c, void *to, uint32_t n)
{
    tcf_cursor *from = &w->column[which];
    uint64_t *value = to;

    if (c->bytes == sizeof *value) {
        for (uint32_t i = 0; i < n; i++)
            value[i] = w->column_last[which] += (uint64_t)tcf_unzigzag(tcf_get_varint(from));
        return;
    }
    const uint8_t *bytes = tcf_get_bytes(from, (uint64_t)n * c->bytes);
    if (bytes)
        memcpy(to, bytes, (size_t)n * c->bytes);
}

static int dense_columns(stream_source *src, window *w, slice *s, uint32_t at, uint32_t n)
{
    int bad = 0;

    for (uint32_t i = 0; i < src->n_columns; i++) {
        const stream_column *c = &src->columns[i];
        if (!c->wanted || c->at_edges)
            continue;
        get_column(w, i, c, (uint8_t *)s->v.columns[c->number] + (size_t)at * c->bytes, n);
        bad |= w->column[i].bad;
    }
    return bad;
}

tcf_status stream_read_window(stream_source *src, frame *f, slice *s, uint32_t max)
{
    window *w = &f->window;
    uint32_t at = s->v.n, most = w->n - w->done < max ? w->n - w->done : max;
    uint32_t n = get_records(src->defs, w, s, at, most);

    if (src->defs->overflow)
        return definitions_fail_overflow(src->defs);
    if (n > 0) /* a window without events may have no kind block */
        w->kind.at += n;
    get_times(w, s->v.time + at, n);
    int bad = dense_columns(src, w, s, at, n);
    if (bad || w->record.bad || w->attributes.bad || w->time.bad)
        return stream_bad(src, f, "an event that cannot be");
    if (at == 0)
        s->v.first = w->first + w->done;
    s->v.n = at + n;
    if (stream_read_edges(src, f, w->done, w->done + n, at) != TCF_OK)
        return TCF_ERROR;
    w->done += n;
    if (w->done == w->n && (tcf_left(&w->record) > 0 || tcf_left(&w->time) > 0 || tcf_left(&w->attributes) > 0))
        return stream_bad(src, f, "more in its blocks than events");
    return TCF_OK;
}

tcf_status stream_edge_columns(source *base, slice *s)
{
    stream_source *src = (stream_source *)base;
    window *w = src->last_frame ? &src->last_frame->window : NULL;

    for (uint32_t i = 0; w && i < src->n_columns; i++) {
        const stream_column *c = &src->columns[i];
        if (!c->wanted || !c->at_edges)
            continue;
        get_column(w, i, c, s->v.columns[c->number], s->v.n_edges);
        if (w->column[i].bad)
            return stream_bad(src, src->last_frame, "a column that is too short");
    }
    return TCF_OK;
}
