/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Indices of definitions (dense, sparse, dangling, defined twice), and communicators: who their members are, and which
 * definitions mean the same one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "defined.h"
#include "framework/base/error.h"
#include "framework/trace/definitions.h"
#include "framework/trace/duplicates.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define BLOCK 536870911u /* ids of one process, as EZTrace numbers them */

static definitions *start(void)
{
    definitions *d = definitions_new();
    assert_non_null(d);
    d->v.archive = "test";
    tcf_def_clock_properties clock = {.timer_resolution = 1000, .realtime_timestamp = UINT64_MAX};
    assert_int_equal(definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &clock), TCF_OK);
    return d;
}

static void group(definitions *d, uint32_t self, uint8_t type, uint8_t paradigm, uint32_t flags,
                  const uint64_t *members, uint32_t n)
{
    tcf_def_group g = {.self = self,
                       .name = TCF_NONE,
                       .group_type = type,
                       .paradigm = paradigm,
                       .group_flags = flags,
                       .number_of_members = n,
                       .members = members};
    assert_int_equal(definitions_add(d, TCF_DEF_GROUP, &g), TCF_OK);
}

static void comm(definitions *d, uint32_t self, uint32_t of_group, uint32_t parent)
{
    tcf_def_comm c = {.self = self, .name = TCF_NONE, .group = of_group, .parent = parent};
    assert_int_equal(definitions_add(d, TCF_DEF_COMM, &c), TCF_OK);
}

static const tcf_comm *comm_of(definitions *d, uint32_t id)
{
    uint32_t index = definitions_index(d, TCF_REF_COMM, id);
    assert_true(tcf_defined(index));
    return &d->v.comms[index];
}

static void members_are(const tcf_comm *c, const uint32_t *location, uint32_t n)
{
    assert_int_equal(c->size, n);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(c->location[i], location[i]);
}

/* ------------------------------------------------------------------------------------------------------- indices -- */

static void dense_and_sparse(void **state)
{
    static const uint32_t ids[][4] = {{0, 1, 2, 3},
                                      {7, 3, 5, 4},
                                      {0, BLOCK, 2 * BLOCK, 7 * BLOCK},
                                      {4294967294u, 0, 9, 1}};
    (void)state;
    for (size_t k = 0; k < COUNT(ids); k++) {
        definitions *d = start();
        char text[16];
        for (uint32_t i = 0; i < 4; i++) {
            snprintf(text, sizeof text, "r%u", i);
            region(d, ids[k][i], 100 + i); /* before its name */
            string(d, 100 + i, text);
        }
        assert_int_equal(definitions_resolve(d), TCF_OK);
        assert_int_equal(d->v.n_regions, 4);
        for (uint32_t i = 0; i < 4; i++) {
            snprintf(text, sizeof text, "r%u", i);
            assert_int_equal(definitions_index(d, TCF_REF_REGION, ids[k][i]), i);
            assert_string_equal(d->v.regions[i].name, text);
            assert_int_equal(tcf_id(&d->v, TCF_REF_REGION, i, TCF_NONE), ids[k][i]);
        }
        assert_int_equal(d->v.n_duplicate + d->v.n_dangling, 0);
        definitions_delete(d);
    }
}

/* Shares find undefined ids by themselves, beside those that were known when they were made. */
static void shares(void **state)
{
    (void)state;
    definitions *d = start();
    string(d, 0, "name");
    region(d, 3, 0);
    region(d, 4000000000u, 0); /* ids of regions are sparse */
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(definitions_index(d, TCF_REF_REGION, 7), TCF_DANGLING);
    definitions *a = definitions_share(d), *b = definitions_share(d);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(definitions_index(a, TCF_REF_REGION, 7), TCF_DANGLING);
    assert_int_equal(definitions_index(a, TCF_REF_REGION, 9), TCF_DANGLING | 1);
    assert_int_equal(definitions_index(b, TCF_REF_REGION, 8), TCF_DANGLING | 1);
    assert_int_equal(definitions_index(b, TCF_REF_REGION, 9), TCF_DANGLING | 2);
    assert_int_equal(definitions_index(b, TCF_REF_REGION, 4000000000u), 1);
    assert_int_equal(tcf_id(&b->v, TCF_REF_REGION, TCF_DANGLING | 2, TCF_NONE), 9);
    assert_int_equal(definitions_index_of_share(d, b, TCF_REF_REGION, TCF_DANGLING), TCF_DANGLING);
    assert_int_equal(definitions_index_of_share(d, b, TCF_REF_REGION, TCF_DANGLING | 2), TCF_DANGLING | 1);
    assert_int_equal(definitions_index_of_share(d, b, TCF_REF_REGION, TCF_DANGLING | 1), TCF_DANGLING | 2);
    assert_int_equal(definitions_index_of_share(d, a, TCF_REF_REGION, TCF_DANGLING | 1), TCF_DANGLING | 1);
    assert_int_equal(definitions_index_of_share(d, a, TCF_REF_REGION, 1), 1);
    assert_int_equal(definitions_index_of_share(d, a, TCF_REF_REGION, TCF_NONE), TCF_NONE);
    definitions_delete(a);
    definitions_delete(b);
    assert_int_equal(definitions_index(d, TCF_REF_REGION, 3), 0);
    definitions_delete(d);
}

static void undefined_and_dangling(void **state)
{
    (void)state;
    definitions *d = start();
    string(d, 0, "name");
    region(d, 3, 0);
    region(d, 4, 77); /* no such string */
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_dangling, 2); /* both names */
    assert_string_equal(d->v.regions[1].name, "");
    assert_int_equal(definitions_index(d, TCF_REF_REGION, TCF_NONE), TCF_NONE);
    assert_int_equal(tcf_id(&d->v, TCF_REF_REGION, TCF_NONE, TCF_NONE), TCF_NONE);
    uint32_t hole = definitions_index(d, TCF_REF_REGION, 0), far = definitions_index(d, TCF_REF_REGION, 4000000000u);
    assert_int_equal(hole, TCF_DANGLING);
    assert_int_equal(far, TCF_DANGLING | 1);
    assert_int_equal(definitions_index(d, TCF_REF_REGION, 0), hole);
    assert_int_equal(tcf_id(&d->v, TCF_REF_REGION, hole, TCF_NONE), 0);
    assert_int_equal(tcf_id(&d->v, TCF_REF_REGION, far, TCF_NONE), 4000000000u);
    assert_int_equal(definitions_find(d, TCF_REF_REGION, 4000000000u), TCF_NONE);
    assert_int_equal(definitions_index(d, TCF_REF_COMM, 4000000000u), TCF_DANGLING); /* each kind counts its own */
    definitions_delete(d);
}

/* Each entry of a list counts, the first one, too. */
static void dangling_in_lists(void **state)
{
    static const uint32_t members[] = {5, 6};
    (void)state;
    definitions *d = start();
    tcf_def_metric_class class_ = {.self = 0, .number_of_metrics = 2, .metric_members = members};
    assert_int_equal(definitions_add(d, TCF_DEF_METRIC_CLASS, &class_), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_dangling, 2);
    assert_int_equal(d->v.metrics[0].member[0], TCF_DANGLING);
    assert_int_equal(d->v.metrics[0].member[1], TCF_DANGLING | 1);
    definitions_delete(d);
}

static void too_many_dangling(void **state)
{
    (void)state;
    definitions *d = start();
    assert_int_equal(definitions_resolve(d), TCF_OK);
    for (uint32_t i = 0; i < DEFINITIONS_DANGLING_CAP; i++)
        assert_int_equal(definitions_index(d, TCF_REF_REGION, i), TCF_DANGLING | i);
    assert_int_equal(d->overflow, 0);
    assert_int_equal(definitions_index(d, TCF_REF_REGION, DEFINITIONS_DANGLING_CAP), TCF_NONE);
    assert_int_equal(definitions_fail_overflow(d), TCF_ERROR);
    assert_non_null(strstr(error_text(), "region"));
    definitions_delete(d);
}

static void defined_twice(void **state)
{
    (void)state;
    definitions *d = start();
    string(d, 5, "first");
    string(d, 5, "second");
    region(d, 0, 5);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_duplicate, 1);
    assert_int_equal(d->v.n_strings, 1);
    assert_int_equal(d->v.n_records, 4); /* nothing is lost */
    assert_string_equal(d->v.regions[0].name, "first");
    definitions_delete(d);
}

/* What is defined again alike needs no warning, nor do lists of locations beside groups; what contradicts is named. */
static void defined_again(void **state)
{
    static const uint64_t all[] = {0, 1}, one[] = {1};
    (void)state;
    definitions *d = start();
    duplicate_ids ids;
    string(d, 5, "first");
    string(d, 5, "first");
    group(d, 7, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, all, 2);
    group(d, 7, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 2);
    region(d, 3, 5);
    region(d, 3, 5);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(duplicates_find(&d->v, &ids), TCF_OK);
    assert_int_equal(ids.same, 3);
    assert_int_equal(ids.different, 0);
    definitions_delete(d);

    d = start();
    group(d, 7, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 2);
    group(d, 7, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, one, 1);
    string(d, 5, "first");
    string(d, 5, "second");
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(duplicates_find(&d->v, &ids), TCF_OK);
    assert_int_equal(ids.same, 0);
    assert_int_equal(ids.different, 2);
    assert_int_equal(ids.kind, TCF_REF_GROUP);
    assert_int_equal(ids.id, 7);
    definitions_delete(d);
}

/* ----------------------------------------------------------------------------------- clocks, machines, metrics -- */

static void clocks(void **state)
{
    (void)state;
    tcf_def_clock_properties clock = {.timer_resolution = 0, .global_offset = 7, .trace_length = 9};
    definitions *d = definitions_new(); /* none: a tick is a second */
    d->v.archive = "test";
    region(d, 0, 77); /* the first of all records counts, too */
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_dangling, 2);
    assert_int_equal(d->v.clock.resolution, 1);
    assert_int_equal(d->v.clock.realtime, UINT64_MAX);
    definitions_delete(d);

    d = definitions_new(); /* a resolution that nothing can be divided by */
    assert_int_equal(definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &clock), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.clock.resolution, 1);
    assert_int_equal(d->v.clock.global_offset, 7);
    assert_int_equal(d->v.clock.length, 9);
    definitions_delete(d);

    d = start(); /* of two the first */
    assert_int_equal(definitions_add(d, TCF_DEF_CLOCK_PROPERTIES, &clock), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.clock.resolution, 1000);
    assert_int_equal(d->v.clock.global_offset, 0);
    definitions_delete(d);
}

static void node(definitions *d, uint32_t self, uint32_t class_name, uint32_t parent)
{
    tcf_def_system_tree_node n = {.self = self, .name = TCF_NONE, .class_name = class_name, .parent = parent};
    assert_int_equal(definitions_add(d, TCF_DEF_SYSTEM_TREE_NODE, &n), TCF_OK);
}

static void process_at(definitions *d, uint32_t self, uint32_t parent)
{
    tcf_def_location_group g = {.self = self,
                                .name = TCF_NONE,
                                .system_tree_parent = parent,
                                .creating_location_group = TCF_NONE};
    tcf_def_location l = {.self = self, .name = TCF_NONE, .location_group = self};
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION_GROUP, &g), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION, &l), TCF_OK);
}

/* The machine of a location is the nearest node above it that shares memory or is of the class "node"; where there is
 * none it is the one right above. */
static void machines(void **state)
{
    enum { SHARED_MEMORY = 1, OTHER_DOMAIN = 0, NODE = 0, RACK = 1, SOCKET = 2 };
    static const uint32_t parent[] = {2, 4, 8, 5, 9, 6, TCF_NONE, 99},
                          machine[] = {1, 4, 4, 5, 9, 6, TCF_NONE, TCF_NONE};
    (void)state;
    definitions *d = start();
    string(d, NODE, "node");
    string(d, RACK, "rack");
    string(d, SOCKET, "socket");
    node(d, 0, RACK, TCF_NONE);
    node(d, 1, NODE, 0);
    node(d, 2, SOCKET, 1);
    node(d, 3, RACK, 0);
    node(d, 4, SOCKET, 3); /* shares memory, by a record of its own */
    node(d, 5, SOCKET, 3); /* shares something else */
    node(d, 6, SOCKET, 7); /* their parents go round in a circle */
    node(d, 7, SOCKET, 6);
    node(d, 8, SOCKET, 4);
    node(d, 9, SOCKET, 5);
    const tcf_def_system_tree_node_domain domains[] = {{4, SHARED_MEMORY}, {5, OTHER_DOMAIN}, {99, SHARED_MEMORY}};
    for (size_t i = 0; i < COUNT(domains); i++)
        assert_int_equal(definitions_add(d, TCF_DEF_SYSTEM_TREE_NODE_DOMAIN, &domains[i]), TCF_OK);
    for (uint32_t i = 0; i < COUNT(parent); i++)
        process_at(d, i, parent[i]);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    for (uint32_t i = 0; i < COUNT(parent); i++)
        assert_int_equal(d->v.locations[i].node, machine[i]);
    definitions_delete(d);
}

/* An instance has the metrics of its class, which may be defined behind it. */
static void metrics(void **state)
{
    static const uint32_t members[] = {9, 8, 77};
    (void)state;
    definitions *d = start();
    process(d, 0, 40);
    tcf_def_metric_instance early = {.self = 5, .metric_class = 6, .recorder = 40};
    tcf_def_metric_class class_ = {.self = 6, .number_of_metrics = 3, .metric_members = members};
    tcf_def_metric_instance stray = {.self = 7, .metric_class = 99, .recorder = 41};
    assert_int_equal(definitions_add(d, TCF_DEF_METRIC_INSTANCE, &early), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_METRIC_CLASS, &class_), TCF_OK);
    assert_int_equal(definitions_add(d, TCF_DEF_METRIC_INSTANCE, &stray), TCF_OK);
    for (uint32_t i = 0; i < 2; i++) {
        tcf_def_metric_member m = {.self = 8 + i, .name = TCF_NONE, .description = TCF_NONE, .unit = TCF_NONE};
        assert_int_equal(definitions_add(d, TCF_DEF_METRIC_MEMBER, &m), TCF_OK);
    }
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_metrics, 3);
    for (uint32_t i = 0; i < 2; i++) {
        const tcf_metric *m = &d->v.metrics[i];
        assert_int_equal(m->id, 5 + i);
        assert_int_equal(m->instance, i == 0);
        assert_int_equal(m->recorder, i == 0 ? 0 : TCF_NONE);
        assert_int_equal(m->n_members, 3);
        assert_int_equal(m->member[0], 1);
        assert_int_equal(m->member[1], 0);
        assert_int_equal(m->member[2], TCF_DANGLING);
    }
    assert_int_equal(d->v.metrics[2].instance, 1);
    assert_int_equal(d->v.metrics[2].n_members, 0);
    assert_int_equal(d->v.metrics[2].recorder, TCF_DANGLING);
    definitions_delete(d);
}

/* Behind the regions nothing is written: an instance whose class isn't defined has no members. */
static void metrics_behind_regions(void **state)
{
    (void)state;
    definitions *d = start();
    region(d, 0, 77);
    tcf_def_metric_instance stray = {.self = 7, .metric_class = 99, .recorder = 41};
    assert_int_equal(definitions_add(d, TCF_DEF_METRIC_INSTANCE, &stray), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_equal(d->v.n_metrics, 1);
    assert_int_equal(d->v.metrics[0].n_members, 0);
    assert_null(d->v.metrics[0].member);
    definitions_delete(d);
}

/* ------------------------------------------------------------------------------------------------- communicators -- */

/* The first list of locations that names some is that of its paradigm. */
static void an_empty_list(void **state)
{
    static const uint64_t locations[] = {6, 5}, both[] = {0, 1};
    (void)state;
    definitions *d = start();
    process(d, 0, 5);
    process(d, 1, 6);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, NULL, 0);
    group(d, 1, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, locations, 2);
    group(d, 2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, both, 2);
    comm(d, 0, 2, TCF_NONE);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    members_are(comm_of(d, 0), (const uint32_t[]){1, 0}, 2);
    assert_int_equal(d->v.mpi_member[0], 0);
    assert_int_equal(d->v.mpi_member[1], 1);
    definitions_delete(d);
}

/* Ids of locations that no communicator's id can reach are no blocks of ids. */
static void large_ids_are_no_blocks(void **state)
{
    static const uint64_t locations[] = {0, BLOCK, UINT64_C(1) << 40}, all[] = {0, 1, 2};
    (void)state;
    definitions *d = start();
    for (uint32_t i = 0; i < 3; i++)
        process(d, i, locations[i]);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, locations, 3);
    group(d, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 3);
    comm(d, 0, 1, TCF_NONE);
    comm(d, 10, 1, 0);
    comm(d, BLOCK + 10, 1, 0);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    assert_int_not_equal(comm_of(d, 10)->canonical, comm_of(d, BLOCK + 10)->canonical);
    definitions_delete(d);
}

static void eztrace_groups(void **state)
{
    static const uint64_t locations[] = {0, BLOCK, 2 * BLOCK}, all[] = {0, 1, 2}, turned[] = {2, 0};
    (void)state;
    definitions *d = start();
    for (uint32_t i = 0; i < 3; i++)
        process(d, i, i * (uint64_t)BLOCK);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, locations, 3);
    group(d, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 3);
    comm(d, 0, 0, TCF_NONE);
    group(d, 8, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, turned, 2);
    comm(d, 8, 8, 0);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    members_are(comm_of(d, 0), (const uint32_t[]){0, 1, 2}, 3);
    members_are(comm_of(d, 8), (const uint32_t[]){2, 0}, 2);
    assert_int_equal(comm_of(d, 8)->process[0], 2);
    assert_int_equal(comm_of(d, 0)->paradigm, OTF2_PARADIGM_MPI);
    definitions_delete(d);
}

/* The processes 0..3, defined in any order, define each communicator that they are in; world is defined once. */
static void by_block(const uint32_t *order)
{
    static const uint64_t locations[] = {0, BLOCK, 2 * (uint64_t)BLOCK, 3 * (uint64_t)BLOCK};
    static const uint64_t all[] = {0, 1, 2, 3}, even[] = {0, 2}, odd[] = {1, 3}, master[] = {0}, others[] = {1, 2, 3},
                          low[] = {0, 1}, high[] = {2, 3}, with_0[] = {0, 3}, with_1[] = {1, 3},
                          alone[][2] = {{3, 0}, {3, 1}, {3, 2}};
    definitions *d = start();
    for (uint32_t i = 0; i < 4; i++)
        process(d, order[i], locations[order[i]]);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, locations, 4);
    group(d, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 4);
    group(d, 2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, even, 2);
    group(d, 3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, odd, 2);
    group(d, 4, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, master, 1);
    group(d, 5, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, others, 3);
    group(d, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, low, 2);
    group(d, 7, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, high, 2);
    group(d, 8, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, with_0, 2);
    group(d, 9, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, with_1, 2);
    for (uint32_t i = 0; i < COUNT(alone); i++) { /* lists of which one process alone knows */
        group(d, 10 + i, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, alone[i], 2);
        comm(d, 3 * BLOCK + 17 + i, 10 + i, 0);
    }
    comm(d, 0, 1, TCF_NONE);
    for (uint32_t i = 0; i < 4; i++) { /* 0 and 3, 1 and 3: lists that begin alone with another rank */
        if (i % 3 == 0)
            comm(d, i * BLOCK + 15, 8, 0);
        if (i % 2 == 1)
            comm(d, i * BLOCK + 16, 9, 0);
    }
    for (uint32_t i = 0; i < 4; i++) /* a list of each process's own, which another one has, too */
        group(d, 20 + i, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, i % 2 ? odd : even, 2);
    for (uint32_t i = 0; i < 4; i++) {
        comm(d, i * BLOCK + 10, 1, 0);             /* a duplicate of world */
        comm(d, i * BLOCK + 11, i % 2 ? 3 : 2, 0); /* odd or even */
        comm(d, i * BLOCK + 12, 1, 0);             /* another duplicate */
        tcf_def_inter_comm inter = {.self = i * BLOCK + 13, .name = TCF_NONE, .group_a = 4, .group_b = 5};
        assert_int_equal(definitions_add(d, TCF_DEF_INTER_COMM, &inter), TCF_OK); /* one process and the others */
        inter = (tcf_def_inter_comm){.self = i * BLOCK + 14, .name = TCF_NONE, .group_a = 6, .group_b = 7};
        assert_int_equal(definitions_add(d, TCF_DEF_INTER_COMM, &inter), TCF_OK); /* the same ranks, split elsewhere */
        comm(d, i * BLOCK + 30, 20 + i, 0);
    }
    assert_int_equal(definitions_resolve(d), TCF_OK);
    uint32_t world = comm_of(d, 0)->canonical, first = comm_of(d, 10)->canonical, second = comm_of(d, 12)->canonical;
    assert_int_equal(world, definitions_index(d, TCF_REF_COMM, 0));
    assert_true(first != world && second != world && first != second);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(comm_of(d, i * BLOCK + 10)->canonical, first);
        assert_int_equal(comm_of(d, i * BLOCK + 12)->canonical, second);
        assert_int_equal(comm_of(d, i * BLOCK + 13)->canonical, comm_of(d, 13)->canonical);
        assert_int_equal(comm_of(d, i * BLOCK + 14)->canonical, comm_of(d, 14)->canonical);
        assert_int_equal(comm_of(d, i * BLOCK + 11)->canonical, comm_of(d, (i % 2) * BLOCK + 11)->canonical);
        assert_int_equal(comm_of(d, i * BLOCK + 30)->canonical, comm_of(d, (i % 2) * BLOCK + 30)->canonical);
    }
    assert_int_not_equal(comm_of(d, 11)->canonical, comm_of(d, BLOCK + 11)->canonical);
    assert_int_not_equal(comm_of(d, 13)->canonical, comm_of(d, 14)->canonical);
    assert_int_equal(comm_of(d, 3 * BLOCK + 15)->canonical, comm_of(d, 15)->canonical);
    assert_int_equal(comm_of(d, 3 * BLOCK + 16)->canonical, comm_of(d, BLOCK + 16)->canonical);
    assert_int_not_equal(comm_of(d, 15)->canonical, comm_of(d, BLOCK + 16)->canonical);
    for (uint32_t i = 0; i < COUNT(alone); i++)
        assert_int_equal(comm_of(d, 3 * BLOCK + 17 + i)->canonical,
                         definitions_index(d, TCF_REF_COMM, 3 * BLOCK + 17 + i));
    definitions_delete(d);
}

static void communicators_by_block(void **state)
{
    static const uint32_t orders[][4] = {{0, 1, 2, 3}, {2, 0, 3, 1}};
    (void)state;
    for (size_t i = 0; i < COUNT(orders); i++)
        by_block(orders[i]);
}

/* Ids are global: two communicators of the same members are two. */
static void communicators_stay_apart(void **state)
{
    static const uint64_t locations[] = {0, 10}, all[] = {0, 1};
    static const uint32_t ids[] = {0, 5, 15, 1000000}; /* between those of locations, and behind */
    (void)state;
    definitions *d = start();
    process(d, 0, 0);
    process(d, 1, 10);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, locations, 2);
    group(d, 1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, all, 2);
    for (uint32_t i = 0; i < 4; i++)
        comm(d, ids[i], 1, i ? 0 : TCF_NONE);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(d->v.comms[i].canonical, i);
    definitions_delete(d);
}

static void kinds_of_groups(void **state)
{
    static const uint64_t processes[] = {0, 2}, threads[] = {0, 1, 2}, team[] = {1, 0}, some[] = {2, 99},
                          global[] = {2};
    (void)state;
    definitions *d = start();
    process(d, 0, 0);
    tcf_def_location thread = {.self = 1, .name = TCF_NONE, .location_group = 0};
    assert_int_equal(definitions_add(d, TCF_DEF_LOCATION, &thread), TCF_OK);
    process(d, 1, 2);
    group(d, 0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, processes, 2);
    group(d, 1, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, threads, 3);
    group(d, 2, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, NULL, 0);
    group(d, 3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 0, team, 2);
    group(d, 4, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN, 0, some, 2);
    group(d, 5, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_GLOBAL_MEMBERS, global, 1);
    group(d, 6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_CUDA, 0, team, 2); /* no list of CUDA's locations */
    for (uint32_t i = 0; i < 7; i++)
        comm(d, i, i, TCF_NONE);
    comm(d, 7, 55, TCF_NONE); /* no such group */
    comm(d, 9, 3, TCF_NONE);  /* a group that another one has, too: the list is there once */
    tcf_def_inter_comm inter = {.self = 8, .name = TCF_NONE, .group_a = 0, .group_b = 3, .common_communicator = 0};
    assert_int_equal(definitions_add(d, TCF_DEF_INTER_COMM, &inter), TCF_OK);
    assert_int_equal(definitions_resolve(d), TCF_OK);
    members_are(comm_of(d, 0), (const uint32_t[]){0, 2}, 2);
    assert_int_equal(comm_of(d, 0)->process[1], 1);
    assert_true(comm_of(d, 2)->self);
    assert_int_equal(comm_of(d, 2)->size, 0);
    members_are(comm_of(d, 3), (const uint32_t[]){1, 0}, 2);
    assert_int_equal(comm_of(d, 3)->process[0], 0);
    assert_ptr_equal(comm_of(d, 9)->location, comm_of(d, 3)->location);
    members_are(comm_of(d, 4), (const uint32_t[]){2, TCF_NONE}, 2);
    members_are(comm_of(d, 5), (const uint32_t[]){TCF_NONE, TCF_NONE, 2}, 3);
    members_are(comm_of(d, 6), (const uint32_t[]){TCF_NONE, TCF_NONE}, 2);
    assert_int_equal(comm_of(d, 7)->size, 0);
    assert_true(comm_of(d, 8)->inter);
    assert_int_equal(comm_of(d, 8)->size, 2);
    assert_int_equal(comm_of(d, 8)->remote_location[0], 1);
    definitions_delete(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse),
        cmocka_unit_test(undefined_and_dangling),
        cmocka_unit_test(dangling_in_lists),
        cmocka_unit_test(too_many_dangling),
        cmocka_unit_test(defined_twice),
        cmocka_unit_test(defined_again),
        cmocka_unit_test(eztrace_groups),
        cmocka_unit_test(communicators_by_block),
        cmocka_unit_test(communicators_stay_apart),
        cmocka_unit_test(kinds_of_groups),
        cmocka_unit_test(shares),
        cmocka_unit_test(clocks),
        cmocka_unit_test(machines),
        cmocka_unit_test(metrics),
        cmocka_unit_test(metrics_behind_regions),
        cmocka_unit_test(an_empty_list),
        cmocka_unit_test(large_ids_are_no_blocks),
    };
    return cmocka_run_group_tests_name("definitions", tests, NULL, NULL);
}
