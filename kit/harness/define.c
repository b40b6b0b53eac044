/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Definitions of a harness: what tests state, and what every archive has. */
#include "internal.h"

#include <otf2/OTF2_Definitions.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORLD_GROUP = 70, MPI_LIST = 71, OMP_LIST = 72, FIRST_GROUP = 80 };

void tcfh_define(tcfh *h, enum tcf_definition_kind kind, const void *record)
{
    if (h->resolved)
        harness_fail(h, "definitions come before events");
    if (definitions_add(h->defs, kind, record) != TCF_OK)
        harness_fail(h, "%s", error_text());
}

static uint32_t add_string(tcfh *h, const char *text)
{
    tcf_def_string s = {.self = 500 + h->strings++, .string = text};
    tcfh_define(h, TCF_DEF_STRING, &s);
    return s.self;
}

static uint32_t add_group(tcfh *h, uint32_t id, uint8_t type, uint8_t paradigm, uint32_t n, const uint64_t *members)
{
    tcf_def_group g = {.self = id,
                       .name = add_string(h, "group"),
                       .group_type = type,
                       .paradigm = paradigm,
                       .number_of_members = n,
                       .members = members};
    tcfh_define(h, TCF_DEF_GROUP, &g);
    return id;
}

static uint32_t add_comm(tcfh *h, const char *name, uint32_t group, uint32_t parent)
{
    tcf_def_comm c = {.self = 200 + h->comms, .name = add_string(h, name), .group = group, .parent = parent};
    tcfh_define(h, TCF_DEF_COMM, &c);
    return h->comms++;
}

/* A group of ranks of MPI_COMM_WORLD, or of locations (OpenMP). */
static uint32_t add_members(tcfh *h, uint8_t paradigm, uint32_t n, const uint32_t *members)
{
    uint64_t *wide = harness_checked(h, calloc(n + 1u, sizeof *wide));
    for (uint32_t i = 0; i < n; i++)
        wide[i] = members[i];
    uint32_t id = add_group(h, FIRST_GROUP + h->groups++, OTF2_GROUP_TYPE_COMM_GROUP, paradigm, n, wide);
    free(wide);
    return id;
}

uint64_t tcfh_location_id(const tcfh *h, uint32_t location)
{
    return 1000 * (location / h->threads + 1u) + location % h->threads;
}

static void define_locations(tcfh *h)
{
    char name[32];
    for (uint32_t p = 0; p < h->processes; p++) {
        snprintf(name, sizeof name, "rank %u", p);
        tcf_def_location_group g = {.self = 30 + p,
                                    .name = add_string(h, name),
                                    .location_group_type = OTF2_LOCATION_GROUP_TYPE_PROCESS,
                                    .system_tree_parent = 9,
                                    .creating_location_group = OTF2_UNDEFINED_LOCATION_GROUP};
        tcfh_define(h, TCF_DEF_LOCATION_GROUP, &g);
        for (uint32_t t = 0; t < h->threads; t++) {
            snprintf(name, sizeof name, "thread %u:%u", p, t);
            tcf_def_location l = {.self = tcfh_location_id(h, p * h->threads + t),
                                  .name = add_string(h, name),
                                  .location_type = t > 0 && t + h->streams >= h->threads
                                                       ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
                                                       : OTF2_LOCATION_TYPE_CPU_THREAD,
                                  .location_group = g.self};
            tcfh_define(h, TCF_DEF_LOCATION, &l);
        }
    }
}

void tcfh_streams(tcfh *h, uint32_t streams)
{
    if (h->processes)
        harness_fail(h, "tcfh_streams() comes before tcfh_processes()");
    h->streams = streams;
}

void tcfh_ranks(tcfh *h, uint32_t ranks)
{
    if (h->processes)
        harness_fail(h, "tcfh_ranks() comes before tcfh_processes()");
    h->ranks = ranks;
}

void tcfh_processes(tcfh *h, uint32_t processes, uint32_t threads)
{
    uint32_t n = processes * threads, of_each = h->ranks ? h->ranks : 1, ranks = processes * of_each;
    uint64_t *list = harness_checked(h, calloc(n + 1u, sizeof *list));
    if (h->processes || h->regions)
        harness_fail(h, "tcfh_processes() comes first, once");
    h->processes = processes;
    h->threads = threads;
    h->lanes = harness_checked(h, calloc(n + 1u, sizeof *h->lanes));
    h->offsets = harness_checked(h, calloc(n + 1u, sizeof *h->offsets));
    h->has_offset = harness_checked(h, calloc(n + 1u, 1));

    tcf_def_clock_properties clock = {.timer_resolution = 1000000000, .realtime_timestamp = UINT64_MAX};
    tcfh_define(h, TCF_DEF_CLOCK_PROPERTIES, &clock);
    tcf_def_system_tree_node node = {.self = 9,
                                     .name = add_string(h, "node"),
                                     .class_name = add_string(h, "machine"),
                                     .parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE};
    tcfh_define(h, TCF_DEF_SYSTEM_TREE_NODE, &node);
    define_locations(h);
    for (uint32_t r = 0; r < ranks; r++)
        list[r] = tcfh_location_id(h, r / of_each * threads + r % of_each);
    add_group(h, MPI_LIST, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, ranks, list);
    for (uint32_t l = 0; l < n; l++)
        list[l] = tcfh_location_id(h, l);
    add_group(h, OMP_LIST, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, n, list);
    for (uint32_t r = 0; r < ranks; r++)
        list[r] = r;
    add_group(h, WORLD_GROUP, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, ranks, list);
    add_comm(h, "MPI_COMM_WORLD", WORLD_GROUP, OTF2_UNDEFINED_COMM);
    free(list);
}

uint32_t tcfh_region_as(tcfh *h, const char *name, uint8_t role, uint8_t paradigm)
{
    uint32_t text = add_string(h, name);
    tcf_def_region r = {.self = 300 + 2 * h->regions,
                        .name = text,
                        .canonical_name = text,
                        .description = text,
                        .region_role = role,
                        .paradigm = paradigm,
                        .source_file = OTF2_UNDEFINED_STRING};
    tcfh_define(h, TCF_DEF_REGION, &r);
    return h->regions++;
}

uint32_t tcfh_region(tcfh *h, const char *name)
{
    return tcfh_region_as(h, name, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER);
}

uint32_t tcfh_comm(tcfh *h, const char *name, uint32_t n, const uint32_t *world_ranks)
{
    return add_comm(h, name, add_members(h, OTF2_PARADIGM_MPI, n, world_ranks), 200);
}

uint32_t tcfh_inter_comm(tcfh *h, const char *name, uint32_t n_a, const uint32_t *a, uint32_t n_b, const uint32_t *b)
{
    tcf_def_inter_comm c = {.self = 200 + h->comms,
                            .name = add_string(h, name),
                            .group_a = add_members(h, OTF2_PARADIGM_MPI, n_a, a),
                            .group_b = add_members(h, OTF2_PARADIGM_MPI, n_b, b),
                            .common_communicator = 200};
    tcfh_define(h, TCF_DEF_INTER_COMM, &c);
    return h->comms++;
}

uint32_t tcfh_self_comm(tcfh *h)
{
    uint32_t group = add_group(h, FIRST_GROUP + h->groups++, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, NULL);
    return add_comm(h, "MPI_COMM_SELF", group, OTF2_UNDEFINED_COMM);
}

uint32_t tcfh_team(tcfh *h, uint32_t n, const uint32_t *locations)
{
    return add_comm(h, "team", add_members(h, OTF2_PARADIGM_OPENMP, n, locations), OTF2_UNDEFINED_COMM);
}

uint32_t tcfh_window(tcfh *h, uint32_t comm)
{
    tcf_def_rma_win w = {.self = 40 + h->windows, .name = add_string(h, "window"), .comm = 200 + comm};
    tcfh_define(h, TCF_DEF_RMA_WIN, &w);
    return h->windows++;
}

uint32_t tcfh_metric(tcfh *h, const char *name, uint8_t type)
{
    uint32_t text = add_string(h, name);
    tcf_def_metric_member m = {.self = 50 + h->metrics,
                               .name = text,
                               .description = text,
                               .value_type = type,
                               .metric_mode = OTF2_METRIC_ABSOLUTE_POINT,
                               .unit = add_string(h, "#")};
    tcfh_define(h, TCF_DEF_METRIC_MEMBER, &m);
    tcf_def_metric_class c = {.self = 60 + h->metrics, .number_of_metrics = 1, .metric_members = &m.self};
    tcfh_define(h, TCF_DEF_METRIC_CLASS, &c);
    return h->metrics++;
}

uint32_t tcfh_attribute(tcfh *h, const char *name, uint8_t type)
{
    uint32_t text = add_string(h, name);
    tcf_def_attribute a = {.self = 90 + h->attributes, .name = text, .description = text, .type = type};
    tcfh_define(h, TCF_DEF_ATTRIBUTE, &a);
    return h->attributes++;
}

void tcfh_clock_offset(tcfh *h, uint32_t location, uint64_t time, int64_t offset)
{
    h->offsets[location] = (tcf_clock_offset){time, offset, 0};
    h->has_offset[location] = 1;
}

const tcf_definitions *tcfh_definitions(tcfh *h)
{
    if (h->resolved)
        return &h->defs->v;
    if (definitions_resolve(h->defs) != TCF_OK || definitions_find_lead_threads(h->defs) != TCF_OK)
        harness_fail(h, "%s", error_text());
    for (uint32_t l = 0; l < harness_locations(h); l++)
        if (h->has_offset[l] && definitions_set_clock_offsets(h->defs, l, &h->offsets[l], 1) != TCF_OK)
            harness_fail(h, "%s", error_text());
    h->resolved = 1;
    return &h->defs->v;
}
