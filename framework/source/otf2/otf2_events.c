/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Decodes the bytes of event files into the columns of a slice.
 *
 * This is the hottest code of reading: one loop over the records of a chunk, with a short way for enters and leaves
 * and a case for each other kind, expanded from the event table. The loop may read up to EVENT_SLACK bytes behind the
 * end of the bytes, so it compares its position with the end once a record, before anything of the record is kept. A
 * record that fails this, or is malformed, ends the loop in front of it: the caller supplies more bytes of the chunk or
 * reports the damage. */
#include "framework/trace/otf2_records.h"
#include "otf2_bytes.h"
#include "otf2_internal.h"

#include <stdlib.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define TYPE_OF(kind) (FIRST_EVENT - 1 + (kind))

/* ------------------------------------------------------------------------------------------------------- numbers -- */

static ALWAYS_INLINE uint64_t full(const uint8_t *at, int swap)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return swap ? __builtin_bswap64(value) : value;
}

/* Takes a number of up to `width` bytes from *at. UINT64_MAX: undefined, or malformed, which sets *bad. */
static ALWAYS_INLINE uint64_t number(const uint8_t **at, unsigned width, int swap, unsigned *bad)
{
    static const uint64_t lowest[] = {0,
                                      UINT64_MAX >> 56,
                                      UINT64_MAX >> 48,
                                      UINT64_MAX >> 40,
                                      UINT64_MAX >> 32,
                                      UINT64_MAX >> 24,
                                      UINT64_MAX >> 16,
                                      UINT64_MAX >> 8,
                                      UINT64_MAX};
    const uint8_t *p = *at;
    unsigned size = *p;

    if (UNLIKELY(size > width)) {
        *bad |= size != UINT8_MAX;
        *at = p + 1;
        return UINT64_MAX;
    }
    *at = p + 1 + size;
    uint64_t value = full(p + 1, swap);
    if ((__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swap)
        return value & lowest[size];
    return size ? value >> (64 - 8 * size) : 0;
}

/* Takes the length of a record. */
static ALWAYS_INLINE uint64_t length_of(const uint8_t **at, int swap)
{
    uint64_t length = *(*at)++;

    if (UNLIKELY(length == UINT8_MAX)) {
        length = full(*at, swap);
        *at += sizeof length;
    }
    return length;
}

/* ---------------------------------------------------------------------------------------------------- references -- */

/* The mapping table for a kind of reference; -1: OTF2 maps none of this kind. */
static ALWAYS_INLINE int mapping_of(int kind)
{
    switch (kind) {
    case TCF_REF_STRING:
        return OTF2_MAPPING_STRING;
    case TCF_REF_ATTRIBUTE:
        return OTF2_MAPPING_ATTRIBUTE;
    case TCF_REF_LOCATION:
        return OTF2_MAPPING_LOCATION;
    case TCF_REF_REGION:
        return OTF2_MAPPING_REGION;
    case TCF_REF_GROUP:
        return OTF2_MAPPING_GROUP;
    case TCF_REF_METRIC:
        return OTF2_MAPPING_METRIC;
    case TCF_REF_COMM:
        return OTF2_MAPPING_COMM;
    case TCF_REF_PARAMETER:
        return OTF2_MAPPING_PARAMETER;
    case TCF_REF_RMA_WIN:
        return OTF2_MAPPING_RMA_WIN;
    case TCF_REF_SOURCE_CODE_LOCATION:
        return OTF2_MAPPING_SOURCE_CODE_LOCATION;
    case TCF_REF_CALLING_CONTEXT:
        return OTF2_MAPPING_CALLING_CONTEXT;
    case TCF_REF_INTERRUPT_GENERATOR:
        return OTF2_MAPPING_INTERRUPT_GENERATOR;
    case TCF_REF_IO_FILE:
        return OTF2_MAPPING_IO_FILE;
    case TCF_REF_IO_HANDLE:
        return OTF2_MAPPING_IO_HANDLE;
    case TCF_REF_LOCATION_GROUP:
        return OTF2_MAPPING_LOCATION_GROUP;
    default:
        return -1;
    }
}

static uint64_t look_up(const id_map *m, uint64_t id)
{
    if (m->local == NULL)
        return id < m->n ? m->global[id] : id;
    uint64_t low = 0, high = m->n;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (m->local[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->n && m->local[low] == id ? m->global[low] : id;
}

/* The global id of a reference in the location's file. */
static ALWAYS_INLINE uint64_t global_id(const decoder *d, int kind, uint64_t id)
{
    int mapping = mapping_of(kind);
    return d->maps && mapping >= 0 && d->maps->of[mapping] ? look_up(d->maps->of[mapping], id) : id;
}

/* The value of a record's field: of a reference its index. */
static ALWAYS_INLINE uint64_t resolved(const decoder *d, int role, uint64_t raw)
{
    if (role == ROLE_PLAIN)
        return raw;
    raw = global_id(d, role, raw);
    /* References of 32 bits are undefined, not wide, where a table maps them to the undefined id. */
    return definitions_index(d->defs, (tcf_ref_kind)role, role == ROLE_LOCATION ? raw : (uint32_t)raw);
}

static ALWAYS_INLINE int is_wanted(const decoder *d, uint64_t region)
{
    uint32_t index = definitions_find(d->defs, TCF_REF_REGION, (uint32_t)global_id(d, TCF_REF_REGION, region));
    return index < d->n_regions && d->regions[index];
}

/* -------------------------------------------------------------------------------------- attributes and arrays -- */

static const char *const bad_contents = "a record whose contents don't fit its length";

static uint32_t arena(decoder *d, size_t bytes)
{
    uint32_t offset = slice_arena(d->s, bytes);
    if (offset == 0)
        d->out_of_memory = 1;
    return offset;
}

static uint64_t attribute_bits(const decoder *d, uint8_t type, const uint8_t **at, int swap, unsigned *bad)
{
    OTF2_AttributeValue value = {.uint64 = 0};
    const uint8_t *p = *at;
    int kind = tcf_ref_of_type(type);

    switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8:
        value.uint8 = *p;
        *at = p + 1;
        break;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16:
        memcpy(&value.uint16, p, sizeof value.uint16);
        if (swap)
            value.uint16 = __builtin_bswap16(value.uint16);
        *at = p + sizeof value.uint16;
        break;
    case OTF2_TYPE_FLOAT:
        memcpy(&value.uint32, p, sizeof value.uint32);
        if (swap)
            value.uint32 = __builtin_bswap32(value.uint32);
        *at = p + sizeof value.uint32;
        break;
    case OTF2_TYPE_DOUBLE:
        value.uint64 = full(p, swap);
        *at = p + sizeof value.uint64;
        break;
    case OTF2_TYPE_UINT32:
    case OTF2_TYPE_INT32:
        value.uint32 = (uint32_t)number(at, 4, swap, bad);
        break;
    default: /* types of a newer OTF2 have 64 bits */
        if (kind >= 0 && type != OTF2_TYPE_LOCATION)
            value.stringRef = (uint32_t)global_id(d, kind, (uint32_t)number(at, 4, swap, bad));
        else
            value.uint64 = global_id(d, kind, number(at, 8, swap, bad));
    }
    return otf2_value_bits(type, value);
}

static int compare_ids(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Does an attribute stand twice in a list? OTF2 forbids it. */
static int has_twin(decoder *d, const tcf_attributes *list)
{
    enum { FEW = 16 };
    int found = 0;

    if (list->n <= FEW) {
        for (uint32_t i = 1; i < list->n; i++)
            for (uint32_t k = 0; k < i; k++)
                found |= list->at[i].attribute == list->at[k].attribute;
        return found;
    }
    uint64_t *ids = malloc(list->n * sizeof *ids);
    if (!ids) {
        d->out_of_memory = 1;
        return 0;
    }
    for (uint32_t i = 0; i < list->n; i++)
        ids[i] = list->at[i].attribute;
    qsort(ids, list->n, sizeof *ids, compare_ids);
    for (uint32_t i = 1; i < list->n; i++)
        found |= ids[i] == ids[i - 1];
    free(ids);
    return found;
}

/* Decodes the lists among the bytes from `p` up to `end`, in front of event i; there may be timestamps between them.
 * NULL, or what is wrong. */
static __attribute__((noinline)) const char *decode_attributes(decoder *d, uint32_t i, const uint8_t *p,
                                                               const uint8_t *end, int swap)
{
    uint32_t offset = 0, capacity = 0;
    tcf_attributes *all = NULL;
    unsigned bad = 0;

    while (p < end) {
        if (*p++ == TIMESTAMP) {
            p += TIMESTAMP_BYTES - 1;
            continue;
        }
        uint64_t length = length_of(&p, swap);
        const uint8_t *stop = p + length;
        uint64_t n = number(&p, 4, swap, &bad);
        if (bad || p > stop || n > (uint64_t)(stop - p) / 3 || length > n * ATTRIBUTE_BYTES + LIST_BYTES)
            return bad_contents;
        if (n == 0) {
            p = stop;
            continue;
        }
        uint32_t old = all ? all->n : 0;
        uint32_t larger = arena(d, sizeof *all + (old + n) * sizeof all->at[0]);
        if (larger == 0)
            return NULL;
        all = tcf_at(&d->s->v, larger);
        all->n = 0;
        all->reserved = 0;
        capacity = (uint32_t)(old + n);
        if (old > 0)
            memcpy(all, tcf_at(&d->s->v, offset), sizeof *all + old * sizeof all->at[0]);
        offset = larger;
        while (all->n < capacity) {
            uint64_t attribute = global_id(d, TCF_REF_ATTRIBUTE, (uint32_t)number(&p, 4, swap, &bad));
            uint8_t type = *p++;
            uint64_t bits = attribute_bits(d, type, &p, swap, &bad);
            if (bad || p > stop)
                return bad_contents;
            tcf_attribute *to = &all->at[all->n++];
            memset(to, 0, sizeof *to);
            to->value = bits;
            to->attribute = definitions_index(d->defs, TCF_REF_ATTRIBUTE, (uint32_t)attribute);
            to->type = type;
        }
        p = stop;
    }
    if (all && has_twin(d, all))
        return "an attribute that stands twice in a list";
    d->attr[i] = offset;
    return NULL;
}

/* The pairs of a type and a value, in columns of their own. */
static __attribute__((noinline)) const char *decode_metrics(decoder *d, tcf_ev_metric *rec, uint64_t n,
                                                            const uint8_t *p, const uint8_t *stop, int swap)
{
    unsigned bad = 0;

    rec->type_ids = rec->metric_values = 0;
    if (n == 0)
        return NULL;
    if (!(rec->type_ids = arena(d, n)) || !(rec->metric_values = arena(d, n * sizeof(uint64_t))))
        return NULL;
    uint8_t *types = tcf_at(&d->s->v, rec->type_ids);
    uint64_t *values = tcf_at(&d->s->v, rec->metric_values);
    for (uint64_t i = 0; i < n && p < stop; i++) {
        types[i] = *p++;
        values[i] = number(&p, 8, swap, &bad);
        if (i + 1 == n && p <= stop && !bad)
            return NULL;
    }
    return bad_contents;
}

static __attribute__((noinline)) const char *decode_strings(decoder *d, uint32_t *offset, uint64_t n, const uint8_t *p,
                                                            const uint8_t *stop, int swap)
{
    unsigned bad = 0;

    *offset = 0;
    if (n > (uint64_t)(stop - p))
        return bad_contents;
    if (n == 0 || !(*offset = arena(d, n * sizeof(uint32_t))))
        return NULL;
    uint32_t *to = tcf_at(&d->s->v, *offset);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t id = number(&p, 4, swap, &bad);
        if (bad || p > stop)
            return bad_contents;
        to[i] = (uint32_t)resolved(d, ROLE_STRING, (uint32_t)id);
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- records -- */

/* Fields are taken first, as raw_<field>, and stored when all of them lie within the record. */
#define TAKE(shape, ctype, role, field) TAKE_##shape(ctype, role, field)
#define TAKE_PLAIN(ctype, role, field) uint64_t raw_##field = TAKE_##ctype(role);
#define TAKE_ARRAY(ctype, role, field)
#define TAKE_u8(role) *p++
#define TAKE_id8(role) *p++
#define TAKE_u32(role) (uint32_t) number(&p, 4, swap, &bad)
#define TAKE_i64(role) number(&p, 8, swap, &bad)
#define TAKE_u64(role) TAKE_u64_##role
#define TAKE_u64_NUMBER number(&p, 8, swap, &bad)
#define TAKE_u64_REQUEST number(&p, 8, swap, &bad)
#define TAKE_u64_TIME (p += 8, full(p - 8, swap))

#define STORE(shape, ctype, role, field) STORE_##shape(ctype, role, field)
#define STORE_PLAIN(ctype, role, field)                                                                                \
    rec->field = (TCF_MEMORY_##ctype)resolved(d, ROLE_##role, raw_##field);                                            \
    length = raw_##field;
#define STORE_ARRAY(ctype, role, field) STORE_ARRAY_##role(field)
#define STORE_ARRAY_TYPE(field) /* decode_metrics() stores them together with the values */
#define STORE_ARRAY_METRIC_VALUE(field) (void)length, b->damage = decode_metrics(d, rec, length, p, stop, swap);
#define STORE_ARRAY_STRING(field) b->damage = decode_strings(d, &rec->field, length, p, stop, swap);

#define CASE(value, NAME, name, ...)                                                                                   \
    case value: {                                                                                                      \
        tcf_ev_##name *rec = &d->rec[n].name;                                                                          \
        uint64_t length = 0;                                                                                           \
        EACH(TAKE, ##__VA_ARGS__)                                                                                      \
        if (UNLIKELY(bad || p > stop)) {                                                                               \
            b->damage = bad_contents;                                                                                  \
            break;                                                                                                     \
        }                                                                                                              \
        EACH(STORE, ##__VA_ARGS__)                                                                                     \
        (void)rec, (void)length;                                                                                       \
        break;                                                                                                         \
    }

/* What the bytes in front of a record's type hold. */
struct prefix {
    uint64_t time;
    unsigned type;
    int has_list;
};

/* Takes timestamps and attribute lists up to the type of the record behind them. NULL: they are incomplete or bad. */
static ALWAYS_INLINE const uint8_t *take_prefix(event_bytes *b, const uint8_t *p, struct prefix *front, int swap)
{
    unsigned type = END_OF_CHUNK;

    front->has_list = 0;
    for (;;) {
        const unsigned before = type;
        type = *p++;
        if (type == TIMESTAMP) {
            uint64_t time = full(p, swap);
            p += sizeof time;
            if (p <= b->end && (b->damage = wrong_time(front->time, time, before)))
                return NULL;
            front->time = time;
        } else if (type == ATTRIBUTE_LIST) {
            uint64_t length = length_of(&p, swap);
            if (p > b->end || length > (uint64_t)(b->end - p)) {
                b->damage = "a record that doesn't fit";
                return NULL;
            }
            p += length;
            front->has_list = 1;
        } else {
            front->type = type;
            return p;
        }
        if (p > b->end) {
            b->damage = "the file ends in the middle of a record";
            return NULL;
        }
    }
}

static const char *not_a_record(unsigned type)
{
    return type == END_OF_CHUNK || type == END_OF_FILE ? "a chunk with fewer records than its header states"
                                                       : "a byte where a record should start";
}

/* A record with what stands in front of it. */
struct record {
    const uint8_t *at, *body, *end;
    const uint8_t *lists_end; /* of the attribute lists in front of it; NULL: it has none */
    uint64_t time;
    unsigned kind;
    int is_open; /* it has no length, so `end` is that of all bytes */
};

/* Takes what stands in front of a record's body, from r->at on; r->time is the time before. 0: it is incomplete or
 * bad. */
static ALWAYS_INLINE int take_front(event_bytes *b, struct record *r, int swap)
{
    struct prefix front = {r->time, 0, 0};
    const uint8_t *p = take_prefix(b, r->at, &front, swap);

    if (!p)
        return 0;
    if (p > b->end || front.type < FIRST_EVENT) {
        b->damage = p > b->end ? "the file ends in the middle of a chunk" : not_a_record(front.type);
        return 0;
    }
    r->time = front.time;
    r->lists_end = front.has_list ? p - 1 : NULL;
    r->kind = front.type - TYPE_OF(0);
    r->is_open = has_no_length(r->kind);
    uint64_t length = r->is_open ? (uint64_t)(b->end - p) : length_of(&p, swap);
    if (p > b->end || length > (uint64_t)(b->end - p)) {
        b->damage = "a record that doesn't fit";
        return 0;
    }
    r->body = p;
    r->end = p + length;
    return 1;
}

/* Is it of an unknown kind, or of no use? */
static ALWAYS_INLINE int is_skipped(const decoder *d, const struct record *r, int swap)
{
    const uint8_t *p = r->body;
    unsigned bad = 0;

    if (r->kind > TCF_EVENT_KINDS || (d->wanted && !d->wanted[r->kind]))
        return 1;
    return d->regions && (r->kind == TCF_ENTER || r->kind == TCF_LEAVE) &&
           !is_wanted(d, (uint32_t)number(&p, 4, swap, &bad));
}

/* Returns the end of a record that is skipped. NULL: it is incomplete or bad. */
static const uint8_t *skip_record(event_bytes *b, const struct record *r, int swap)
{
    const uint8_t *p = r->body;
    unsigned bad = 0;

    if (b->check && (b->damage = event_record_check(r->at, r->end, swap)))
        return NULL;
    if (!r->is_open)
        return r->end;
    number(&p, 8, swap, &bad);
    if (!bad && p <= r->end)
        return p;
    b->damage = "a record that doesn't fit";
    return NULL;
}

/* Stores a record as event n, and returns its end. NULL: it is incomplete or bad. */
static ALWAYS_INLINE const uint8_t *store_record(decoder *d, event_bytes *b, const struct record *r, uint32_t n,
                                                 int swap)
{
    const uint8_t *p = r->body, *const stop = r->end;
    unsigned bad = 0;

    d->time[n] = r->time;
    d->kind[n] = (uint8_t)r->kind;
    d->attr[n] = 0;
    switch (r->kind) {
#define E(value, NAME, Name, name, FIELDS) CASE(value, NAME, name FIELDS)
        TCF_EVENT_TABLE(E, FIELD, FIELD_ARRAY, FIELD_NONE)
#undef E
    }
    if (UNLIKELY(r->lists_end != NULL) && !b->damage)
        b->damage = decode_attributes(d, n, r->at, r->lists_end, swap);
    if (UNLIKELY(b->damage != NULL))
        return NULL;
    return r->is_open ? p : r->end;
}

/* Decodes any record as event n. Returns its end and sets *stored, or NULL: it is incomplete or bad. */
static ALWAYS_INLINE const uint8_t *decode_record(decoder *d, event_bytes *b, struct record *r, uint32_t n, int *stored,
                                                  int swap)
{
    if (!take_front(b, r, swap))
        return NULL;
    *stored = !is_skipped(d, r, swap);
    const uint8_t *end = *stored ? store_record(d, b, r, n, swap) : skip_record(b, r, swap);
    d->unknown += end && r->kind > TCF_EVENT_KINDS;
    return end;
}

static ALWAYS_INLINE void decode(decoder *d, event_bytes *b, uint32_t most, int swap)
{
    const uint8_t *const end = b->end, *const wanted = d->wanted;
    int stored;

    b->damage = NULL;
    b->full = b->is_at_operation = 0;
    while (d->n < most && b->records > 0) {
        const uint8_t *p = b->at;
        unsigned bad = 0, type = *p++;
        uint64_t time = b->time;
        uint32_t n = d->n;

        if (type == TIMESTAMP) {
            time = full(p, swap);
            p += sizeof time;
            type = *p++;
        }
        if (LIKELY(type - TYPE_OF(TCF_ENTER) < 2)) {
            uint64_t region = (uint32_t)number(&p, 4, swap, &bad);
            if (UNLIKELY(p > end || bad || time < b->time)) {
                b->damage = p <= end && !bad ? "a timestamp that goes back" : "a record that doesn't fit";
                return;
            }
            stored = !wanted || (wanted[type - TYPE_OF(0)] && (!d->regions || is_wanted(d, region)));
            if (stored) {
                d->time[n] = time;
                d->kind[n] = (uint8_t)(type - TYPE_OF(0));
                d->attr[n] = 0;
                d->rec[n].enter.region = (uint32_t)resolved(d, ROLE_REGION, region);
            }
        } else if (UNLIKELY(type == TYPE_OF(TCF_MPI_COLLECTIVE_BEGIN) && d->least > 0 && n >= d->least)) {
            b->is_at_operation = 1;
            return;
        } else {
            struct record r = {.at = b->at, .time = b->time};
            uint32_t used = d->s->block->arena_used;
            p = decode_record(d, b, &r, n, &stored, swap);
            if (!p)
                return;
            time = r.time;
            b->full = d->out_of_memory || (d->s->block->arena_used > used && slice_arena_full(d->s));
        }
        b->at = p;
        b->time = time;
        b->records--;
        d->n += (uint32_t)stored;
        if (UNLIKELY(b->full))
            return;
    }
}

static __attribute__((noinline)) void decode_host_order(decoder *d, event_bytes *b, uint32_t most)
{
    decode(d, b, most, 0);
}

static __attribute__((noinline)) void decode_other_order(decoder *d, event_bytes *b, uint32_t most)
{
    decode(d, b, most, 1);
}

void otf2_decode_events(decoder *d, event_bytes *b, uint32_t most)
{
    if (b->swap)
        decode_other_order(d, b, most);
    else
        decode_host_order(d, b, most);
}
