/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Definitions of all kinds, field by field, from a table of their fields: records are kept whole, definitions of one id
 * are compared by all that they say, each reference to nothing is counted, and where there is no memory, that is said.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <private/roles.h>
#include <stdlib.h>
#include <string.h>

#include "framework/base/error.h"
#include "framework/trace/definitions.h"
#include "framework/trace/duplicates.h"

/* --------------------------------------------------------------------------------------------------- allocations -- */

/* The linker directs the calls of this program and of the framework in it to these (--wrap). Definitions are kept in
 * blocks, which are large; what else is allocated here is small. */
enum { LARGE = 32 << 10 };
static struct {
    uint64_t n, failing;   /* of all allocations; failing: number of the one that fails, from 1 on; 0: none */
    uint64_t n_large;      /* of large ones */
    int large_fail, fails; /* fails: so many have */
} memory;

static int fails(size_t bytes)
{
    const int large = bytes >= LARGE && bytes < 2 * LARGE + 4096, now = ++memory.n == memory.failing;
    memory.n_large += (uint64_t)large;
    const int fail = now || (large && memory.large_fail);
    memory.fails += fail;
    return fail;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t n, size_t bytes);
void *__real_realloc(void *p, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t n, size_t bytes);
void *__wrap_realloc(void *p, size_t bytes);

void *__wrap_malloc(size_t bytes)
{
    return fails(bytes) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t n, size_t bytes)
{
    return fails(n * bytes) ? NULL : __real_calloc(n, bytes);
}

void *__wrap_realloc(void *p, size_t bytes)
{
    return fails(bytes) ? NULL : __real_realloc(p, bytes);
}

/* -------------------------------------------------------------------------------------------------------- fields -- */

enum shape { RECORD, PLAIN, ARRAY, TEXT };
typedef struct row {
    enum shape shape;
    enum tcf_definition_kind kind; /* of a RECORD, whose fields follow it */
    size_t at, bytes;              /* of a RECORD: all of it; of an ARRAY: an element */
    int role;
    const char *name;
} row;

#define D(number, NAME, Name, name_, FIELDS)                                                                           \
    {.shape = RECORD, .kind = TCF_DEF_##NAME, .bytes = sizeof(tcf_##name_), .name = #name_}, FIELDS
#define F(record, ctype, r, field)                                                                                     \
    {.shape = PLAIN,                                                                                                   \
     .at = offsetof(tcf_##record, field),                                                                              \
     .bytes = sizeof(TCF_RAW_##ctype),                                                                                 \
     .role = ROLE_##r,                                                                                                 \
     .name = #field},
#define A(record, ctype, r, field)                                                                                     \
    {.shape = ARRAY,                                                                                                   \
     .at = offsetof(tcf_##record, field),                                                                              \
     .bytes = sizeof(TCF_RAW_##ctype),                                                                                 \
     .role = ROLE_##r,                                                                                                 \
     .name = #field},
#define S(record, field) {.shape = TEXT, .at = offsetof(tcf_##record, field), .role = ROLE_PLAIN, .name = #field},
static const row rows[] = {TCF_DEFINITION_TABLE(D, F, A, S){.shape = RECORD}};
#undef D
#undef F
#undef A
#undef S

#define EACH_RECORD(r) (const row *r = rows; r->kind; r = next_record(r))
#define EACH_FIELD(f, r) (const row *f = (r) + 1; f->shape != RECORD; f++)

static const row *next_record(const row *r)
{
    do
        r++;
    while (r->shape != RECORD);
    return r;
}

static int is_length(const row *f)
{
    return f->shape == PLAIN && f[1].shape == ARRAY;
}

static int is_own_id(const row *f)
{
    return strcmp(f->name, "self") == 0;
}

static int has_own_id(const row *r)
{
    return is_own_id(&r[1]);
}

/* A record and what it points to. Where it refers to others, they are undefined. */
enum { OWN = 5, LENGTH = 3, MOST_ARRAYS = 3 };
typedef struct made {
    union {
        unsigned char bytes[128];
        uint64_t aligned;
        const void *pointer;
    } record;
    uint64_t array[MOST_ARRAYS][LENGTH];
    char text[16];
} made;

static void set(void *at, size_t bytes, uint64_t value)
{
    if (bytes == sizeof(uint8_t))
        *(uint8_t *)at = (uint8_t)value;
    else if (bytes == sizeof(uint32_t))
        *(uint32_t *)at = (uint32_t)value;
    else
        *(uint64_t *)at = value;
}

static void *field_of(made *m, const row *f)
{
    return m->record.bytes + f->at;
}

/* Where the element i of an array is. */
static void *element_of(made *m, const row *f, uint32_t i)
{
    unsigned char *array;
    memcpy(&array, field_of(m, f), sizeof array);
    return array + i * f->bytes;
}

static void make(made *m, const row *r)
{
    uint32_t arrays = 0;

    memset(m, 0, sizeof *m);
    assert_true(r->bytes <= sizeof m->record);
    for
        EACH_FIELD(f, r)
        {
            const uint64_t value = is_own_id(f) ? OWN : is_length(f) ? LENGTH : f->role >= 0 ? UINT64_MAX : 1;
            const void *to = f->shape == TEXT ? (void *)m->text : m->array[arrays];
            if (f->shape == PLAIN) {
                set(field_of(m, f), f->bytes, value);
                continue;
            }
            memcpy(field_of(m, f), &to, sizeof to);
            if (f->shape == TEXT) {
                strcpy(m->text, "text");
                continue;
            }
            assert_true(arrays++ < MOST_ARRAYS);
            for (uint32_t i = 0; i < LENGTH; i++)
                set(element_of(m, f, i), f->bytes, value);
        }
}

/* How many bytes the definitions need for a copy: each part begins at a multiple of 8. */
static size_t bytes_of(const row *r)
{
    size_t n = (r->bytes + 7) / 8 * 8;

    for
        EACH_FIELD(f, r)
    n += f->shape == ARRAY ? (LENGTH * f->bytes + 7) / 8 * 8 : f->shape == TEXT ? 8 : 0;
    return n;
}

static definitions *start(void)
{
    definitions *d = definitions_new();
    const tcf_def_clock_properties clock = {.timer_resolution = 1000, .realtime_timestamp = UINT64_MAX};

    assert_non_null(d);
    d->v.archive = "test";
    assert_int_equal(definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &clock), TCF_OK);
    return d;
}

/* ------------------------------------------------------------------------------------------------------- records -- */

static void kept_whole(void **state)
{
    (void)state;
    for
        EACH_RECORD(r)
        {
            definitions *d = start();
            made m, same;
            make(&m, r);
            make(&same, r);
            assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
            memset(&m, 0xee, sizeof m); /* the copy owns all that it has */
            const tcf_definition *kept = &d->v.records[d->v.n_records - 1];
            assert_int_equal(kept->kind, r->kind);
        for
            EACH_FIELD(f, r)
            {
                const unsigned char *at = (const unsigned char *)kept->as.any + f->at;
                const void *pointed;
                memcpy(&pointed, at, f->shape == PLAIN ? 1 : sizeof pointed);
                if (f->shape == PLAIN)
                    assert_memory_equal(at, field_of(&same, f), f->bytes);
                else if (f->shape == ARRAY)
                    assert_memory_equal(pointed, element_of(&same, f, 0), LENGTH * f->bytes);
                else
                    assert_string_equal(pointed, same.text);
            }
        definitions_delete(d);
        }
}

/* What a block of the definitions holds. */
static size_t block_bytes(void)
{
    definitions *d = definitions_new();
    size_t n = 0;

    assert_non_null(definitions_memory(d, 8));
    for (const uint64_t before = memory.n_large; memory.n_large == before; n += 8)
        assert_non_null(definitions_memory(d, 8));
    definitions_delete(d);
    return n;
}

/* There are so many bytes left, and no more will be. */
static void leave(definitions *d, size_t block, size_t left)
{
    for (const uint64_t before = memory.n_large; memory.n_large == before;)
        assert_non_null(definitions_memory(d, 8));
    assert_non_null(definitions_memory(d, block - 8 - left));
    error_clear();
    memory.large_fail = 1;
}

static void no_memory_for_a_record(void **state)
{
    const size_t block = block_bytes();
    (void)state;
    for
        EACH_RECORD(r)
    for (size_t left = 0; left <= bytes_of(r); left += 8) {
        definitions *d = start();
        made m;
        make(&m, r);
        leave(d, block, left);
        const tcf_status status = definitions_add(d, r->kind, &m.record);
        memory.large_fail = 0;
        assert_int_equal(status, left < bytes_of(r) ? TCF_ERROR : TCF_OK);
        assert_int_equal(d->v.n_records, status == TCF_OK ? 2 : 1);
        assert_true(status == TCF_OK || strstr(error_text(), "out of memory for the definitions"));
        definitions_delete(d);
    }
}

/* ---------------------------------------------------------------------------------------------------- duplicates -- */

/* Two definitions of one id, of which the second one differs in `f`; NULL: in nothing. */
static duplicate_ids compare(const row *r, const row *f)
{
    definitions *d = start();
    duplicate_ids found;
    made m;

    make(&m, r);
    assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
    if (f && f->shape == PLAIN)
        set(field_of(&m, f), f->bytes, 2);
    else if (f && f->shape == ARRAY)
        set(element_of(&m, f, LENGTH - 1), f->bytes, 2);
    else if (f)
        strcpy(m.text, "other");
    assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_duplicate, has_own_id(r));
    assert_int_equal(duplicates_find(&d->v, &found), TCF_OK);
    definitions_delete(d);
    return found;
}

static void compared_by_all_fields(void **state)
{
    (void)state;
    for
        EACH_RECORD(r)
        {
            duplicate_ids found = compare(r, NULL);
            assert_int_equal(found.same, has_own_id(r));
            assert_int_equal(found.different, 0);
        for
            EACH_FIELD(f, r)
            {
                if (is_own_id(f))
                    continue;
                found = compare(r, f);
                if (found.same != 0 || found.different != (uint64_t)has_own_id(r))
                    fail_msg("%s.%s", r->name, f->name);
                if (has_own_id(r)) {
                    assert_int_equal(found.kind, r[1].role);
                    assert_int_equal(found.id, OWN);
                }
            }
        }
}

/* Lists without elements are equal. */
static void compared_by_empty_lists(void **state)
{
    (void)state;
    for
        EACH_RECORD(r)
        {
            definitions *d = start();
            duplicate_ids found;
            made m;
            make(&m, r);
        for
            EACH_FIELD(f, r)
        if (is_length(f))
            set(field_of(&m, f), f->bytes, 0);
        for (int twice = 0; twice < 2; twice++)
            assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
        assert_int_equal(definitions_resolve(d), TCF_OK);
        assert_int_equal(duplicates_find(&d->v, &found), TCF_OK);
        assert_int_equal(found.same, has_own_id(r));
        definitions_delete(d);
        }
}

/* ---------------------------------------------------------------------------------------------------- references -- */

/* A record in which field `f` refers to `id`, beside a definition of each kind with the id OWN: how many of its
 * references are to nothing. */
static uint64_t dangling(const row *r, const row *f, uint64_t id)
{
    definitions *d = start();
    made m;

    for
        EACH_RECORD(other)
        {
            make(&m, other);
            assert_int_equal(definitions_add(d, other->kind, &m.record), TCF_OK);
        }
    make(&m, r);
    set(f->shape == ARRAY ? element_of(&m, f, 1) : field_of(&m, f), f->bytes, id);
    assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    const uint64_t n = d->v.n_dangling;
    definitions_delete(d);
    return n;
}

static void references_to_nothing(void **state)
{
    (void)state;
    for
        EACH_RECORD(r)
        for
            EACH_FIELD(f, r)
        if (f->role >= 0 && !is_own_id(f)) {
            if (dangling(r, f, OWN) != 0 || dangling(r, f, UINT64_MAX) != 0 || dangling(r, f, OWN + 1) != 1)
                fail_msg("%s.%s", r->name, f->name);
        }
}

/* -------------------------------------------------------------------------------------------------------- memory -- */

/* A trace of two processes that has definitions of all kinds, some of them twice, ids of all sizes, communicators, and
 * more nodes of machines than locations: memory that the former want is enough for the latter. */
static definitions *all_kinds(void)
{
    static const uint64_t locations[] = {OWN, 4000000000u}, first[] = {0}, both[] = {0, 1};
    const tcf_def_group groups[] =
        {{.self = 6, OWN, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 2, locations},
         {.self = 7, OWN, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 1, first},
         {.self = 8, OWN, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_GLOBAL_MEMBERS, 2, both},
         {.self = 9, OWN, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0, first}};
    definitions *d = start();
    made m;

    for (int twice = 0; twice < 2; twice++)
        for
            EACH_RECORD(r)
            {
                make(&m, r);
                assert_int_equal(definitions_add(d, r->kind, &m.record), TCF_OK);
            }
    for (uint32_t i = 0; i < sizeof groups / sizeof *groups; i++) {
        const tcf_def_comm comm = {10 + i, OWN, groups[i].self, UINT32_MAX, 0};
        assert_int_equal(definitions_add(d, TCF_DEF_GROUP, &groups[i]), TCF_OK);
        assert_int_equal(definitions_add(d, TCF_DEF_COMM, &comm), TCF_OK);
    }
    const tcf_def_inter_comm between = {20, OWN, 7, 8, 10, 0};
    const tcf_def_location_group process = {9, OWN, 0, OWN, UINT32_MAX};
    const tcf_def_location there = {4000000000u, OWN, TCF_CPU_THREAD, 1, 9}, thread = {3, OWN, TCF_CPU_THREAD, 1, 9};
    assert_int_equal(definitions_add(d, TCF_DEF_INTER_COMM, &between), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION_GROUP, &process), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION, &there), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION, &thread), TCF_OK);
    for (uint32_t i = 0; i < 30; i++) {
        const tcf_def_system_tree_node node = {.self = 100 + i, .name = OWN, .class_name = OWN, .parent = OWN};
        assert_int_equal(definitions_add(d, TCF_DEF_SYSTEM_TREE_NODE, &node), TCF_OK);
    }
    return d;
}

/* All that is computed of definitions. */
typedef struct computed {
    uint64_t dangling, same, different, locations, comms, leader;
    int64_t offset;
} computed;

static tcf_status compute(definitions *d, computed *c)
{
    const tcf_clock_offset offset = {.time = 1, .offset = 7};
    duplicate_ids found;

    if (definitions_resolve(d) != TCF_OK || duplicates_find(&d->v, &found) != TCF_OK ||
        definitions_set_clock_offsets(d, 0, &offset, 1) != TCF_OK || definitions_find_lead_threads(d) != TCF_OK)
        return TCF_ERROR;
    (void)definitions_index(d, TCF_REF_REGION, 77);
    if (d->overflow)
        return definitions_fail_overflow(d);
    definitions *share = definitions_share(d);
    if (!share)
        return TCF_ERROR;
    definitions_delete(share);
    *c = (computed){d->v.n_dangling,
                    found.same,
                    found.different,
                    d->v.n_locations,
                    d->v.n_comms,
                    d->v.locations[2].leader,
                    d->v.locations[0].clock_offsets->offset};
    return TCF_OK;
}

static void judge(tcf_status status, const computed *c, const computed *expected)
{
    if (status == TCF_OK)
        assert_memory_equal(c, expected, sizeof *c);
    else
        assert_non_null(strstr(error_text(), "out of memory"));
}

static void undisturbed(computed *expected)
{
    definitions *d = all_kinds();

    memset(expected, 0, sizeof *expected);
    assert_int_equal(compute(d, expected), TCF_OK);
    assert_int_equal(expected->dangling, 0);
    assert_true(expected->same > 20);
    assert_int_equal(expected->locations, 3);
    assert_int_equal(expected->leader, 1); /* of the other thread, which is a rank */
    assert_int_equal(expected->offset, 7);
    definitions_delete(d);
}

/* Each piece of what is computed is the first for which no block is left. */
static void no_memory_for_blocks(void **state)
{
    const size_t block = block_bytes();
    computed expected, c = {0};
    tcf_status status = TCF_ERROR;
    size_t left = 0;

    (void)state;
    undisturbed(&expected);
    for (; status != TCF_OK; left += 8) {
        assert_true(left < block);
        definitions *d = all_kinds();
        leave(d, block, left);
        memset(&c, 0, sizeof c);
        status = compute(d, &c);
        memory.large_fail = 0;
        judge(status, &c, &expected);
        definitions_delete(d);
    }
    assert_true(left > 1000);
}

static void no_memory_for_the_rest(void **state)
{
    computed expected, c = {0};
    uint64_t tried = 0;

    (void)state;
    undisturbed(&expected);
    for (int failed = 1; failed; tried++) {
        definitions *d = all_kinds();
        memset(&c, 0, sizeof c);
        error_clear();
        memory.fails = 0;
        memory.failing = memory.n + 1 + tried;
        const tcf_status status = compute(d, &c);
        failed = memory.fails;
        memory.failing = 0;
        judge(status, &c, &expected);
        assert_true(failed || status == TCF_OK);
        definitions_delete(d);
    }
    assert_true(tried > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_whole),
        cmocka_unit_test(no_memory_for_a_record),
        cmocka_unit_test(compared_by_all_fields),
        cmocka_unit_test(compared_by_empty_lists),
        cmocka_unit_test(references_to_nothing),
        cmocka_unit_test(no_memory_for_blocks),
        cmocka_unit_test(no_memory_for_the_rest),
    };
    return cmocka_run_group_tests_name("kinds of definitions", tests, NULL, NULL);
}
