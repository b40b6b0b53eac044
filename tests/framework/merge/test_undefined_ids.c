/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Ids that an input does not define, in the union of several: whatever others define, they stay undefined, and stay
 * apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "framework/base/error.h"
#include "framework/source/merge/merge_internal.h"
#include "tests/framework/defined.h"

enum { INPUTS = 2 };

static definitions *start(uint32_t number)
{
    definitions *d = definitions_new();
    tcf_def_clock_properties clock = {.timer_resolution = 1000, .realtime_timestamp = UINT64_MAX};

    d->v.archive = d->v.creator = d->v.description = d->v.machine = "test";
    assert_int_equal(definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &clock), TCF_OK);
    process(d, number, number);
    return d;
}

static void paradigm(definitions *d, uint8_t self)
{
    tcf_def_io_paradigm p = {.self = self, .identification = TCF_NONE, .name = TCF_NONE};
    assert_int_equal(definitions_add(d, TCF_DEF_IO_PARADIGM, &p), TCF_OK);
}

static definitions *unite(merge_input in[INPUTS], definitions *first, definitions *second)
{
    memset(in, 0, INPUTS * sizeof *in);
    assert_int_equal(definitions_resolve(first), TCF_OK);
    assert_int_equal(definitions_resolve(second), TCF_OK);
    in[0] = (merge_input){.name = "first", .defs = &first->v};
    in[1] = (merge_input){.name = "second", .defs = &second->v};
    definitions *all = merge_definitions(in, INPUTS, NULL);
    if (!all)
        fail_msg("%s", error_text());
    return all;
}

static void finish(merge_input in[INPUTS], definitions *first, definitions *second, definitions *all)
{
    for (int p = 0; p < INPUTS; p++)
        merge_names_free(&in[p].names);
    definitions_delete(first);
    definitions_delete(second);
    definitions_delete(all);
}

/* None of them is defined, and no two are the same. */
static void undefined_and_apart(const definitions *all, tcf_ref_kind kind, const uint64_t *id, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (definitions_find(all, kind, id[i]) != TCF_NONE)
            fail_msg("number %u is called %llu, which is defined", i, (unsigned long long)id[i]);
        for (uint32_t k = 0; k < i; k++)
            if (id[k] == id[i])
                fail_msg("numbers %u and %u are both called %llu", k, i, (unsigned long long)id[i]);
    }
}

/* Regions that only the first input defines, entered in the second one; in either order, and again. */
static void of_events(void **state)
{
    (void)state;
    static const uint32_t orders[][6] = {{6, 5, 4, 7, 4294967294, 4294967293}, {4294967293, 4, 4294967294, 5, 6, 7}};
    for (int order = 0; order < 2; order++) {
        enum { EVENTS = 12, REGIONS = 6 };
        definitions *first = start(0), *second = start(1);
        merge_input in[INPUTS];
        uint8_t kind[EVENTS];
        tcf_rec rec[EVENTS];
        uint32_t attr[EVENTS] = {0};
        uint64_t id[EVENTS];
        string(first, 0, "a");
        string(first, 1, "b");
        region(first, 5, 0);
        region(first, 6, 1);
        definitions *all = unite(in, first, second);
        for (uint32_t i = 0; i < EVENTS; i++) {
            kind[i] = TCF_ENTER;
            rec[i].enter.region = definitions_index(second, TCF_REF_REGION, orders[order][i % REGIONS]);
        }
        slice s = {.v = {.kind = kind, .rec = rec, .attr = attr, .n = EVENTS}};
        assert_int_equal(merge_rewrite_events(all, &in[1], &s, 0, EVENTS), TCF_OK);
        for (uint32_t i = 0; i < EVENTS; i++)
            id[i] = tcf_id(&all->v, TCF_REF_REGION, rec[i].enter.region, UINT32_MAX);
        undefined_and_apart(all, TCF_REF_REGION, id, REGIONS);
        assert_memory_equal(id, id + REGIONS, REGIONS * sizeof *id);
        for (uint32_t i = 0; i < REGIONS; i++)
            if (orders[order][i] == 4 || orders[order][i] == 7)
                assert_int_equal(id[i], orders[order][i]); /* nobody else is called so */
        finish(in, first, second, all);
    }
}

/* Strings that definitions of the second input refer to: one that the first defines, and those with ids that this might
 * be given; then a definition of the second that needs a new id, too. */
static void of_definitions(void **state)
{
    (void)state;
    enum { REGIONS = 3 };
    static const uint32_t orders[][REGIONS] = {{1, 3, 2}, {2, 3, 1}, {1, 2, 3}};
    for (int order = 0; order < 3; order++) {
        definitions *first = start(0), *second = start(1);
        merge_input in[INPUTS];
        uint64_t id[REGIONS] = {0};
        string(first, 0, "a");
        string(first, 1, "b");
        for (uint32_t i = 0; i < REGIONS; i++)
            region(second, i, orders[order][i]);
        string(second, 0, "c");
        definitions *all = unite(in, first, second);
        for (uint64_t r = 0; r < all->v.n_records; r++)
            if (all->v.records[r].kind == TCF_DEF_REGION)
                id[all->v.records[r].as.def_region->self] = all->v.records[r].as.def_region->name;
        undefined_and_apart(all, TCF_REF_STRING, id, REGIONS);
        finish(in, first, second, all);
    }
}

/* Values of attributes, markers and thumbnails have ids of the archive. */
static void of_values(void **state)
{
    (void)state;
    definitions *first = start(0), *second = start(1);
    merge_input in[INPUTS];
    string(first, 0, "a");
    string(first, 3, "b");
    definitions *all = unite(in, first, second);
    const uint64_t id[] = {merge_id(all, &in[1], TCF_REF_STRING, 0), merge_id(all, &in[1], TCF_REF_STRING, 3),
                           merge_id(all, &in[1], TCF_REF_STRING, 9)};
    undefined_and_apart(all, TCF_REF_STRING, id, 3);
    assert_int_equal(id[2], 9);
    assert_int_equal(merge_id(all, &in[1], TCF_REF_STRING, 3), id[1]);
    assert_int_equal(merge_id(all, &in[1], TCF_REF_STRING, UINT32_MAX), UINT32_MAX);
    assert_int_equal(merge_id(all, &in[1], TCF_REF_LOCATION, 0), 0); /* the first input's */
    finish(in, first, second, all);
}

/* Where ids have 8 bits there may be no other one. */
static void no_id_left(void **state)
{
    (void)state;
    definitions *first = start(0), *second = start(1);
    merge_input in[INPUTS];
    for (unsigned i = 0; i < 253; i++)
        paradigm(first, (uint8_t)i);
    definitions *all = unite(in, first, second);
    uint64_t id[] = {merge_id(all, &in[1], TCF_REF_IO_PARADIGM, 7), merge_id(all, &in[1], TCF_REF_IO_PARADIGM, 254)};
    undefined_and_apart(all, TCF_REF_IO_PARADIGM, id, 2);
    assert_int_equal(merge_id(all, &in[1], TCF_REF_IO_PARADIGM, 8), UINT8_MAX);
    assert_int_equal(merge_id(all, &in[1], TCF_REF_IO_PARADIGM, 7), id[0]);
    finish(in, first, second, all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_events),
        cmocka_unit_test(of_definitions),
        cmocka_unit_test(of_values),
        cmocka_unit_test(no_id_left),
    };
    return cmocka_run_group_tests_name("strays", tests, NULL, NULL);
}
