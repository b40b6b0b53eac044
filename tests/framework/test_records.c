/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Records of event files, of all kinds, in either byte order, from a table of their fields: fields that fit their
 * record become an event with these values, references by mapping tables; fields that don't, and numbers that are none,
 * are damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <private/otf2_format.h>
#include <private/roles.h>
#include <string.h>

#include "framework/base/error.h"
#include "framework/source/otf2/otf2_internal.h"

enum { LOCAL = 3, GLOBAL = 5, MOST = 96 };

typedef enum shape { KIND, BYTE, NUMBER, TIME, ARRAY } shape;
typedef struct row {
    shape shape;
    uint8_t kind; /* of KIND, whose fields follow it */
    size_t at, bytes;
    int role;
    const char *name;
} row;

#define SHAPE_u8(role) BYTE
#define SHAPE_id8(role) BYTE
#define SHAPE_u32(role) NUMBER
#define SHAPE_i64(role) NUMBER
#define SHAPE_u64(role) SHAPE_##role
#define SHAPE_NUMBER NUMBER
#define SHAPE_REQUEST NUMBER
#define SHAPE_TIME TIME
#define E(number, NAME, Name, name_, FIELDS) {.shape = KIND, .kind = number, .name = #name_}, FIELDS
#define F(record, ctype, r, field)                                                                                     \
    {.shape = SHAPE_##ctype(r),                                                                                        \
     .at = offsetof(tcf_rec, record.field),                                                                            \
     .bytes = sizeof((tcf_rec *)0)->record.field,                                                                      \
     .role = ROLE_##r,                                                                                                 \
     .name = #field},
#define A(record, ctype, r, field) {.shape = ARRAY, .role = ROLE_PLAIN, .name = #field},
#define N(record)
static const row rows[] = {TCF_EVENT_TABLE(E, F, A, N){.shape = KIND}};
#undef E
#undef F
#undef A
#undef N

#define EACH_KIND(k) (const row *k = rows; k->kind; k = next_kind(k))
#define EACH_FIELD(f, k) (const row *f = (k) + 1; f->shape != KIND; f++)

static const row *next_kind(const row *k)
{
    do
        k++;
    while (k->shape != KIND);
    return k;
}

/* The field in front of the first array is the length of its arrays: none has elements here. */
static int is_length(const row *f)
{
    return f[1].shape == ARRAY;
}

static uint64_t value_of(const row *f)
{
    return is_length(f) ? 0 : LOCAL;
}

/* Puts the fields of a record. */
static uint8_t *put_fields(uint8_t *at, const row *kind, int swap)
{
    for
        EACH_FIELD(f, kind)
        {
            if (f->shape == NUMBER)
                *at++ = 1;
            if (f->shape == TIME) {
                memset(at, 0, 8);
                at[(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swap ? 0 : 7] = LOCAL;
                at += 8;
            } else if (f->shape != ARRAY) {
                *at++ = (uint8_t)value_of(f);
            }
        }
    return at;
}

static struct {
    definitions *defs;
    pool *slices;
    uint8_t bytes[MOST + EVENT_SLACK];
} with;

/* A record with these bytes of fields, which its length says to be `length`; *damage: what is wrong with it. Returns
 * how many events it has become, the one in *rec. */
static uint32_t decode(const row *kind, const uint8_t *fields, size_t n, size_t length, const id_maps *maps, int swap,
                       tcf_rec *rec, const char **damage)
{
    slice *s = slice_get(with.slices, 0);
    decoder d = {.defs = with.defs, .maps = maps};
    uint8_t *at = with.bytes;

    memset(with.bytes, 0, sizeof with.bytes);
    *at++ = (uint8_t)(FIRST_EVENT - 1 + kind->kind);
    if (!has_no_length(kind->kind))
        *at++ = (uint8_t)length;
    memcpy(at, fields, n);
    event_bytes b = {.at = with.bytes, .end = at + length, .swap = swap, .records = 1};
    decoder_begin(&d, s);
    otf2_decode_events(&d, &b, 1);
    assert_false(d.out_of_memory);
    *damage = b.damage;
    if (d.n > 0) {
        assert_int_equal(s->v.kind[0], kind->kind);
        *rec = s->v.rec[0];
    }
    const uint32_t events = d.n;
    slice_put(with.slices, s);
    return events;
}

static uint64_t stored(const tcf_rec *rec, const row *f)
{
    const unsigned char *at = (const unsigned char *)rec + f->at;

    switch (f->bytes) {
    case 1:
        return *at;
    case 4:
        return *(const uint32_t *)(const void *)at;
    default:
        return *(const uint64_t *)(const void *)at;
    }
}

/* What nothing defines gets an index by which its id is found. */
static void expect(const row *kind, const tcf_rec *rec, uint64_t mapped)
{
    for
        EACH_FIELD(f, kind)
        {
            if (f->shape == ARRAY)
                continue;
            const uint64_t value = stored(rec, f);
            const int is_mapped =
                f->role != TCF_REF_IO_PARADIGM; /* the only kind in events that OTF2 has no tables for */
            if (f->role < 0
                    ? value != value_of(f)
                    : tcf_id(&with.defs->v, (tcf_ref_kind)f->role, (uint32_t)value, 0) != (is_mapped ? mapped : LOCAL))
                fail_msg("%s.%s", kind->name, f->name);
        }
}

static void fields_that_fit(void **state)
{
    static const uint64_t dense[] = {0, 1, 2, GLOBAL}, local[] = {1, LOCAL, 9}, global[] = {7, GLOBAL, 7};
    static const id_map tables[] = {{4, NULL, dense}, {3, local, global}, {2, NULL, dense}};
    static const id_maps none;
    uint8_t fields[MOST];

    (void)state;
    for
        EACH_KIND(kind)
    for (int swap = 0; swap < 2; swap++)
        for (int table = -2; table < 3;
             table++) { /* no tables; none of these kinds; dense, sparse, one that ends before */
            const size_t n = (size_t)(put_fields(fields, kind, swap) - fields);
            const char *damage;
            id_maps all = none;
            tcf_rec rec;
            for (int i = 0; i < OTF2_MAPPING_MAX && table >= 0; i++)
                all.of[i] = &tables[table];
            assert_int_equal(decode(kind, fields, n, n, table == -2 ? NULL : &all, swap, &rec, &damage), 1);
            assert_null(damage);
            expect(kind, &rec, table == 0 || table == 1 ? GLOBAL : LOCAL);
        }
}

/* Each length that is too short by some bytes. What has no length is damaged where the bytes end. */
static void fields_that_do_not_fit(void **state)
{
    uint8_t fields[MOST];

    (void)state;
    for
        EACH_KIND(kind)
    for (int swap = 0; swap < 2; swap++) {
        const size_t n = (size_t)(put_fields(fields, kind, swap) - fields);
        for (size_t length = 0; length < n; length++) {
            const char *damage;
            tcf_rec rec;
            if (decode(kind, fields, n, length, NULL, swap, &rec, &damage) != 0 || !damage)
                fail_msg("%s, %zu of %zu bytes", kind->name, length, n);
        }
    }
}

static void numbers_that_are_none(void **state)
{
    uint8_t fields[MOST];

    (void)state;
    for
        EACH_KIND(kind)
    for (int swap = 0; swap < 2; swap++) {
        size_t n = (size_t)(put_fields(fields, kind, swap) - fields), at = 0;
            for
                EACH_FIELD(f, kind)
                {
                    const char *damage;
                    tcf_rec rec;
                    const uint8_t size = fields[at];
                    if (f->shape == NUMBER) {
                        fields[at] = 200; /* bytes of a number */
                        if (decode(kind, fields, n, n, NULL, swap, &rec, &damage) != 0 || !damage)
                            fail_msg("%s.%s", kind->name, f->name);
                        fields[at] = size;
                    }
                    at += f->shape == NUMBER ? 2 : f->shape == TIME ? 8 : f->shape == BYTE ? 1 : 0;
                }
            assert_int_equal(at, n);
    }
}

static int set_up(void **state)
{
    const slice_layout layout = {.capacity = 16, .arena = 4096};

    (void)state;
    error_verbosity = TCF_LOG_ERROR; /* there is no clock */
    with.slices = pool_new(&layout, 1);
    with.defs = definitions_new();
    return with.slices && with.defs && definitions_resolve(with.defs) == TCF_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pool_delete(with.slices);
    definitions_delete(with.defs);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_fit),
        cmocka_unit_test(fields_that_do_not_fit),
        cmocka_unit_test(numbers_that_are_none),
    };
    return cmocka_run_group_tests_name("records", tests, set_up, tear_down);
}
