/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The view of definitions that filters get: arrays by index, with indices for references. communicators.c resolves the
 * communicators. */
#include "definitions.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>

/* Undefined and dangling strings read as "". */
static const char *text_of(const definitions *d, uint32_t string)
{
    uint32_t index = definitions_find(d, TCF_REF_STRING, string);
    return index == TCF_NONE ? "" : d->v.strings[index];
}

static tcf_status resolve_strings(definitions *d, const definitions_defined *k)
{
    const char **strings = definitions_memory(d, k->n * sizeof *strings);

    if (strings == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < k->n; i++)
        strings[i] = d->records[k->record[i]].as.def_string->string;
    d->v.strings = strings;
    d->v.n_strings = (uint32_t)k->n;
    return TCF_OK;
}

static tcf_status resolve_system(definitions *d, const definitions_defined kinds[TCF_REF_KINDS])
{
    const definitions_defined *k = &kinds[TCF_REF_SYSTEM_TREE_NODE];
    const definitions_defined *groups = &kinds[TCF_REF_LOCATION_GROUP], *locations = &kinds[TCF_REF_LOCATION];
    tcf_system_tree_node *node = definitions_memory(d, k->n * sizeof *node);
    tcf_location_group *group = definitions_memory(d, groups->n * sizeof *group);
    tcf_location *location = definitions_memory(d, locations->n * sizeof *location);

    if (node == NULL || group == NULL || location == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < k->n; i++) {
        const tcf_def_system_tree_node *r = d->records[k->record[i]].as.def_system_tree_node;
        node[i] = (tcf_system_tree_node){.id = r->self,
                                         .name = text_of(d, r->name),
                                         .class_name = text_of(d, r->class_name),
                                         .parent = definitions_index(d, TCF_REF_SYSTEM_TREE_NODE, r->parent)};
    }
    for (uint64_t i = 0; i < groups->n; i++) {
        const tcf_def_location_group *r = d->records[groups->record[i]].as.def_location_group;
        group[i] =
            (tcf_location_group){.id = r->self,
                                 .name = text_of(d, r->name),
                                 .system_tree_node =
                                     definitions_index(d, TCF_REF_SYSTEM_TREE_NODE, r->system_tree_parent),
                                 .creator = definitions_index(d, TCF_REF_LOCATION_GROUP, r->creating_location_group),
                                 .type = r->location_group_type};
    }
    for (uint64_t i = 0; i < locations->n; i++) {
        const tcf_def_location *r = d->records[locations->record[i]].as.def_location;
        location[i] = (tcf_location){.id = r->self,
                                     .name = text_of(d, r->name),
                                     .events = r->number_of_events,
                                     .group = definitions_index(d, TCF_REF_LOCATION_GROUP, r->location_group),
                                     .node = TCF_NONE,
                                     .leader = TCF_NONE,
                                     .type = r->location_type};
    }
    d->v.system_tree_nodes = node;
    d->v.n_system_tree_nodes = (uint32_t)k->n;
    d->v.location_groups = group;
    d->v.n_location_groups = (uint32_t)groups->n;
    d->v.locations = location;
    d->v.n_locations = (uint32_t)locations->n;
    return TCF_OK;
}

static tcf_status resolve_code(definitions *d, const definitions_defined kinds[TCF_REF_KINDS])
{
    const definitions_defined *k = &kinds[TCF_REF_REGION], *contexts = &kinds[TCF_REF_CALLING_CONTEXT];
    tcf_region *region = definitions_memory(d, k->n * sizeof *region);
    tcf_calling_context *context = definitions_memory(d, contexts->n * sizeof *context);

    if (region == NULL || context == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < k->n; i++) {
        const tcf_def_region *r = d->records[k->record[i]].as.def_region;
        region[i] = (tcf_region){.id = r->self,
                                 .name = text_of(d, r->name),
                                 .canonical_name = text_of(d, r->canonical_name),
                                 .file = text_of(d, r->source_file),
                                 .begin_line = r->begin_line_number,
                                 .end_line = r->end_line_number,
                                 .flags = r->region_flags,
                                 .role = r->region_role,
                                 .paradigm = r->paradigm};
    }
    for (uint64_t i = 0; i < contexts->n; i++) {
        const tcf_def_calling_context *r = d->records[contexts->record[i]].as.def_calling_context;
        context[i] = (tcf_calling_context){.id = r->self,
                                           .region = definitions_index(d, TCF_REF_REGION, r->region),
                                           .parent = definitions_index(d, TCF_REF_CALLING_CONTEXT, r->parent),
                                           .source_code_location = definitions_index(d, TCF_REF_SOURCE_CODE_LOCATION,
                                                                                     r->source_code_location)};
    }
    d->v.regions = region;
    d->v.n_regions = (uint32_t)k->n;
    d->v.calling_contexts = context;
    d->v.n_calling_contexts = (uint32_t)contexts->n;
    return TCF_OK;
}

static tcf_status class_members(definitions *d, const tcf_def_metric_class *r, tcf_metric *metric)
{
    uint32_t *member = definitions_memory(d, r->number_of_metrics * sizeof *member);

    if (member == NULL)
        return TCF_ERROR;
    for (uint32_t i = 0; i < r->number_of_metrics; i++)
        member[i] = definitions_index(d, TCF_REF_METRIC_MEMBER, r->metric_members[i]);
    metric->member = member;
    metric->n_members = r->number_of_metrics;
    return TCF_OK;
}

static tcf_status resolve_metrics(definitions *d, const definitions_defined kinds[TCF_REF_KINDS])
{
    const definitions_defined *members = &kinds[TCF_REF_METRIC_MEMBER], *k = &kinds[TCF_REF_METRIC];
    tcf_metric_member *member = definitions_memory(d, members->n * sizeof *member);
    tcf_metric *metric = definitions_memory(d, k->n * sizeof *metric);

    if (member == NULL || metric == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < members->n; i++) {
        const tcf_def_metric_member *r = d->records[members->record[i]].as.def_metric_member;
        member[i] = (tcf_metric_member){.id = r->self,
                                        .name = text_of(d, r->name),
                                        .description = text_of(d, r->description),
                                        .unit = text_of(d, r->unit),
                                        .exponent = r->exponent,
                                        .type = r->metric_type,
                                        .mode = r->metric_mode,
                                        .value_type = r->value_type,
                                        .base = r->base};
    }
    for (uint64_t i = 0; i < k->n; i++) { /* classes first: an instance may stand before its class */
        const tcf_definition *record = &d->records[k->record[i]];
        metric[i].id = (uint32_t)k->id[i];
        metric[i].recorder = TCF_NONE;
        if (record->kind == TCF_DEF_METRIC_CLASS && class_members(d, record->as.def_metric_class, &metric[i]) != TCF_OK)
            return TCF_ERROR;
    }
    for (uint64_t i = 0; i < k->n; i++) {
        const tcf_definition *record = &d->records[k->record[i]];
        if (record->kind != TCF_DEF_METRIC_INSTANCE)
            continue;
        const tcf_def_metric_instance *r = record->as.def_metric_instance;
        uint32_t class_ = definitions_find(d, TCF_REF_METRIC, r->metric_class);
        metric[i].instance = 1;
        metric[i].recorder = definitions_index(d, TCF_REF_LOCATION, r->recorder);
        if (class_ != TCF_NONE) {
            metric[i].member = metric[class_].member;
            metric[i].n_members = metric[class_].n_members;
        }
    }
    d->v.metric_members = member;
    d->v.n_metric_members = (uint32_t)members->n;
    d->v.metrics = metric;
    d->v.n_metrics = (uint32_t)k->n;
    return TCF_OK;
}

static tcf_status resolve_windows(definitions *d, const definitions_defined *k)
{
    tcf_rma_win *win = definitions_memory(d, k->n * sizeof *win);

    if (win == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < k->n; i++) {
        const tcf_def_rma_win *r = d->records[k->record[i]].as.def_rma_win;
        win[i] = (tcf_rma_win){.id = r->self,
                               .name = text_of(d, r->name),
                               .comm = definitions_index(d, TCF_REF_COMM, r->comm)};
    }
    d->v.rma_wins = win;
    d->v.n_rma_wins = (uint32_t)k->n;
    return TCF_OK;
}

/* Records without an id: the clock, and which system tree nodes share memory. */
static void resolve_rest(definitions *d)
{
    tcf_system_tree_node *node = (tcf_system_tree_node *)d->v.system_tree_nodes;
    int clock = 0;

    d->v.clock = (tcf_clock){.resolution = 1, .realtime = UINT64_MAX};
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        const tcf_definition *record = &d->records[r];
        if (record->kind == TCF_DEF_CLOCK_PROPERTIES && !clock) {
            const tcf_def_clock_properties *c = record->as.def_clock_properties;
            d->v.clock = (tcf_clock){.resolution = c->timer_resolution ? c->timer_resolution : 1,
                                     .global_offset = c->global_offset,
                                     .length = c->trace_length,
                                     .realtime = c->realtime_timestamp};
            clock = 1;
        } else if (record->kind == TCF_DEF_SYSTEM_TREE_NODE_DOMAIN) {
            const tcf_def_system_tree_node_domain *s = record->as.def_system_tree_node_domain;
            uint32_t i = definitions_find(d, TCF_REF_SYSTEM_TREE_NODE, s->system_tree_node);
            if (i != TCF_NONE && s->system_tree_domain == 1 /* OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY */)
                node[i].shared_memory = 1;
        }
    }
    if (!clock)
        error_log(TCF_LOG_WARNING, "%s: no clock properties; a tick is taken as a second", d->v.archive);
}

/* The system tree node that stands for the machine of a location group. */
static uint32_t machine_of(const tcf_definitions *v, uint32_t group)
{
    uint32_t parent = group < v->n_location_groups ? v->location_groups[group].system_tree_node : TCF_NONE, i = parent;

    for (uint32_t steps = 0; i < v->n_system_tree_nodes && steps <= v->n_system_tree_nodes; steps++) {
        const tcf_system_tree_node *node = &v->system_tree_nodes[i];
        if (node->shared_memory || (node->class_name && strcmp(node->class_name, "node") == 0))
            return i;
        i = node->parent;
    }
    return parent < v->n_system_tree_nodes ? parent : TCF_NONE;
}

static void resolve_machines(definitions *d)
{
    tcf_location *location = (tcf_location *)d->v.locations;

    for (uint32_t i = 0; i < d->v.n_locations; i++)
        location[i].node = machine_of(&d->v, location[i].group);
}

static tcf_status resolve_view(definitions *d, const definitions_defined kinds[TCF_REF_KINDS])
{
    if (resolve_strings(d, &kinds[TCF_REF_STRING]) != TCF_OK || resolve_system(d, kinds) != TCF_OK ||
        resolve_code(d, kinds) != TCF_OK || resolve_metrics(d, kinds) != TCF_OK ||
        resolve_windows(d, &kinds[TCF_REF_RMA_WIN]) != TCF_OK)
        return TCF_ERROR;
    resolve_rest(d);
    resolve_machines(d);
    return TCF_OK;
}

/* Counts the references of definitions to undefined ids. */
static void count_dangling(definitions *d)
{
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        const tcf_definition *record = &d->records[r];
        uint64_t length = 0;

        switch (record->kind) {
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        const tcf_##name *def = record->as.name;                                                                       \
        FIELDS(void) length;                                                                                           \
        break;                                                                                                         \
    }
#define REFERENCE(role, value)                                                                                         \
    if (ROLE_##role >= 0 && (value) != record_undefined((tcf_ref_kind)ROLE_##role) &&                                  \
        definitions_find(d, (tcf_ref_kind)ROLE_##role, value) == TCF_NONE)                                             \
        d->v.n_dangling++;
#define F(record, ctype, role, field)                                                                                  \
    REFERENCE(role, (uint64_t)def->field)                                                                              \
    length = (uint64_t)def->field;
#define A(record, ctype, role, field)                                                                                  \
    for (uint64_t i = 0; i < length; i++)                                                                              \
    REFERENCE(role, def->field[i])
#define S(record, field)
            TCF_DEFINITION_TABLE(D, F, A, S)
#undef D
#undef REFERENCE
#undef F
#undef A
#undef S
        }
    }
}

tcf_status definitions_resolve(definitions *d)
{
    definitions_defined kinds[TCF_REF_KINDS] = {{0}};
    tcf_status status = definitions_number(d, kinds);

    if (status == TCF_OK)
        status = resolve_view(d, kinds);
    if (status == TCF_OK)
        status = definitions_resolve_comms(d, kinds[TCF_REF_COMM].record, (uint32_t)kinds[TCF_REF_COMM].n);
    if (status == TCF_OK) {
        count_dangling(d);
        if (d->overflow)
            status = definitions_fail_overflow(d);
    }
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        free(kinds[kind].id);
        free(kinds[kind].record);
    }
    return status;
}
