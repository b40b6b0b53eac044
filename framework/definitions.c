/* Collecting definitions, and the indices of what they define; see definitions.h.
 *
 * Records are kept exactly as they came. Where an id is defined twice the first definition counts. Everything lives
 * in one growing arena, which is freed as a whole.
 *
 * Copyright (c) 2026 the tcflow authors. BSD-3-Clause, see COPYING.
 */
#include "definitions.h"
#include "error.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 64 << 10 };

/* ------------------------------------------------------------------------------------------------------ arena -- */

struct memory {
    struct memory *next;
    size_t used, capacity;
    unsigned char bytes[] __attribute__((aligned(8)));
};

void *definitions_memory(definitions *d, size_t bytes)
{
    struct memory *m = d->memory;

    bytes = (bytes + 7) & ~(size_t)7;
    if (m == NULL || m->capacity - m->used < bytes) {
        size_t capacity = bytes > MEMORY_BYTES / 4 ? bytes : MEMORY_BYTES;
        struct memory *fresh = calloc(1, sizeof *fresh + capacity);
        if (fresh == NULL) {
            tcf_fail("out of memory for the definitions");
            return NULL;
        }
        fresh->capacity = capacity;
        if (m != NULL && capacity != MEMORY_BYTES) { /* a piece of its own; the current one has room left */
            fresh->next = m->next;
            m->next = fresh;
        } else {
            fresh->next = m;
            d->memory = fresh;
        }
        m = fresh;
    }
    m->used += bytes;
    return m->bytes + m->used - bytes;
}

static const void *keep(definitions *d, const void *data, size_t bytes)
{
    void *copy = definitions_memory(d, bytes);
    if (copy != NULL && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

const char *definitions_text(definitions *d, const char *text)
{
    return text ? keep(d, text, strlen(text) + 1) : keep(d, "", 1);
}

definitions *definitions_new(void)
{
    definitions *d = calloc(1, sizeof *d);

    if (d != NULL)
        d->dangling = calloc((size_t)DEFINITIONS_DANGLING_CAP * TCF_REF_KINDS, sizeof *d->dangling);
    if (d == NULL || d->dangling == NULL) {
        free(d);
        tcf_fail("out of memory for the definitions");
        return NULL;
    }
    for (int kind = 0; kind < TCF_REF_KINDS; kind++)
        d->v.ids[kind].dangling = d->dangling + (size_t)kind * DEFINITIONS_DANGLING_CAP;
    return d;
}

void definitions_delete(definitions *d)
{
    if (d == NULL)
        return;
    while (d->memory) {
        struct memory *next = d->memory->next;
        free(d->memory);
        d->memory = next;
    }
    map_free(&d->sparse);
    free(d->dangling);
    free(d->records);
    free(d);
}

/* -------------------------------------------------------------------------------------------------- collecting -- */

/* A copy of a record; the field before the first array of a record is the arrays' length. */
static const void *keep_record(definitions *d, enum tcf_definition_kind kind, const void *record)
{
    uint64_t length = 0;

    switch (kind) {
#define D(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_DEF_##NAME: {                                                                                             \
        tcf_##name *copy = (tcf_##name *)keep(d, record, sizeof *copy);                                                \
        if (copy == NULL)                                                                                              \
            return NULL;                                                                                               \
        FIELDS(void) length;                                                                                           \
        return copy;                                                                                                   \
    }
#define F(record, ctype, role, field) length = (uint64_t)copy->field;
#define A(record, ctype, role, field)                                                                                  \
    if ((copy->field = keep(d, copy->field, length * sizeof *copy->field)) == NULL)                                    \
        return NULL;
#define S(record, field)                                                                                               \
    if ((copy->field = definitions_text(d, copy->field)) == NULL)                                                      \
        return NULL;
        TCF_DEFINITION_TABLE(D, F, A, S)
#undef D
#undef F
#undef A
#undef S
    }
    return NULL;
}

tcf_status definitions_add(definitions *d, enum tcf_definition_kind kind, const void *record)
{
    const void *copy = keep_record(d, kind, record);

    if (copy == NULL)
        return TCF_ERROR;
    if (TCF_GROW(&d->records, &d->records_capacity, d->v.n_records) != 0)
        return tcf_fail("out of memory for more than %llu definitions", (unsigned long long)d->v.n_records);
    d->v.records = d->records;
    d->records[d->v.n_records++] = (tcf_definition){.kind = kind, .as.any = copy};
    return TCF_OK;
}

tcf_status definitions_set_clock_offsets(definitions *d, uint32_t location, const tcf_clock_offset *offsets, uint32_t n)
{
    tcf_location *l = (tcf_location *)&d->v.locations[location];

    if (n == 0)
        return TCF_OK;
    l->clock_offsets = keep(d, offsets, n * sizeof *offsets);
    if (l->clock_offsets == NULL)
        return TCF_ERROR;
    l->n_clock_offsets = n;
    return TCF_OK;
}

/* ----------------------------------------------------------------------------------------------------- indices -- */

int definitions_defines(const tcf_definition *record, uint64_t *id)
{
    switch (record->kind) {
#define DEFINES(NAME, name, REF)                                                                                       \
    case TCF_DEF_##NAME:                                                                                               \
        *id = record->as.def_##name->self;                                                                             \
        return TCF_REF_##REF;
        DEFINES(STRING, string, STRING)
        DEFINES(ATTRIBUTE, attribute, ATTRIBUTE)
        DEFINES(SYSTEM_TREE_NODE, system_tree_node, SYSTEM_TREE_NODE)
        DEFINES(LOCATION_GROUP, location_group, LOCATION_GROUP)
        DEFINES(LOCATION, location, LOCATION)
        DEFINES(REGION, region, REGION)
        DEFINES(CALLSITE, callsite, CALLSITE)
        DEFINES(CALLPATH, callpath, CALLPATH)
        DEFINES(GROUP, group, GROUP)
        DEFINES(METRIC_MEMBER, metric_member, METRIC_MEMBER)
        DEFINES(METRIC_CLASS, metric_class, METRIC)
        DEFINES(METRIC_INSTANCE, metric_instance, METRIC)
        DEFINES(COMM, comm, COMM)
        DEFINES(INTER_COMM, inter_comm, COMM)
        DEFINES(PARAMETER, parameter, PARAMETER)
        DEFINES(RMA_WIN, rma_win, RMA_WIN)
        DEFINES(SOURCE_CODE_LOCATION, source_code_location, SOURCE_CODE_LOCATION)
        DEFINES(CALLING_CONTEXT, calling_context, CALLING_CONTEXT)
        DEFINES(INTERRUPT_GENERATOR, interrupt_generator, INTERRUPT_GENERATOR)
        DEFINES(IO_PARADIGM, io_paradigm, IO_PARADIGM)
        DEFINES(IO_REGULAR_FILE, io_regular_file, IO_FILE)
        DEFINES(IO_DIRECTORY, io_directory, IO_FILE)
        DEFINES(IO_HANDLE, io_handle, IO_HANDLE)
        DEFINES(CART_DIMENSION, cart_dimension, CART_DIMENSION)
        DEFINES(CART_TOPOLOGY, cart_topology, CART_TOPOLOGY)
#undef DEFINES
    default:
        return ROLE_PLAIN;
    }
}

/* The definitions of one kind, in order of definition. */
struct kind_ids {
    uint64_t n;
    uint64_t largest;
    uint64_t *id;
    uint64_t *record;
};

static tcf_status gather(const definitions *d, struct kind_ids kinds[TCF_REF_KINDS])
{
    uint64_t id;

    for (uint64_t r = 0; r < d->v.n_records; r++) {
        int kind = definitions_defines(&d->records[r], &id);
        if (kind >= 0)
            kinds[kind].n++;
    }
    for (int kind = 0; kind < TCF_REF_KINDS; kind++) {
        kinds[kind].id = calloc(kinds[kind].n + 1, sizeof *kinds[kind].id);
        kinds[kind].record = calloc(kinds[kind].n + 1, sizeof *kinds[kind].record);
        if (kinds[kind].id == NULL || kinds[kind].record == NULL)
            return tcf_fail("out of memory for the definitions");
        if (kinds[kind].n >= TCF_DANGLING)
            return tcf_fail("the archive has more than %u definitions of a %s", TCF_DANGLING,
                            record_ref_name((tcf_ref_kind)kind));
        kinds[kind].n = 0;
    }
    for (uint64_t r = 0; r < d->v.n_records; r++) {
        int kind = definitions_defines(&d->records[r], &id);
        if (kind < 0)
            continue;
        struct kind_ids *k = &kinds[kind];
        k->id[k->n] = id;
        k->record[k->n++] = r;
        if (id > k->largest)
            k->largest = id;
    }
    return TCF_OK;
}

/* Numbers the ids of one kind; afterwards k holds only the first definition of each. */
static tcf_status number(definitions *d, tcf_ref_kind kind, struct kind_ids *k)
{
    int dense = k->n > 0 && k->largest < 4 * k->n + 4096;
    uint32_t *table = NULL, n = 0;

    if (dense) {
        table = definitions_memory(d, (k->largest + 1) * sizeof *table);
        if (table == NULL)
            return TCF_ERROR;
        memset(table, 0xff, (k->largest + 1) * sizeof *table);
    }
    for (uint64_t i = 0; i < k->n; i++) {
        uint64_t id = k->id[i];
        if ((dense ? table[id] : map_get(&d->sparse, id, kind)) != DEFINITIONS_HOLE) {
            d->v.n_duplicate++;
            continue;
        }
        if (dense)
            table[id] = n;
        else if (map_put(&d->sparse, id, kind, n) != 0)
            return tcf_fail("out of memory for the definitions");
        k->id[n] = id;
        k->record[n++] = k->record[i];
    }
    k->n = n;
    d->dense[kind] = (dense_ids){table, dense ? k->largest + 1 : 0};
    d->v.ids[kind].n = n;
    d->v.ids[kind].id = keep(d, k->id, n * sizeof *k->id);
    return d->v.ids[kind].id ? TCF_OK : TCF_ERROR;
}

uint32_t definitions_find(const definitions *d, tcf_ref_kind kind, uint64_t id)
{
    if (id < d->dense[kind].n)
        return d->dense[kind].index[id]; /* a hole is TCF_NONE */
    uint32_t index = map_get(&d->sparse, id, kind);
    return tcf_defined(index) ? index : TCF_NONE;
}

uint32_t definitions_index_rest(definitions *d, tcf_ref_kind kind, uint64_t id)
{
    tcf_ids *ids = &d->v.ids[kind];

    if (id == record_undefined(kind))
        return TCF_NONE;
    uint32_t index = map_get(&d->sparse, id, kind);
    if (index != MAP_ABSENT)
        return index;
    index = TCF_DANGLING | ids->n_dangling;
    if (ids->n_dangling == DEFINITIONS_DANGLING_CAP || map_put(&d->sparse, id, kind, index) != 0) {
        d->overflow = 1 + (int)kind;
        return TCF_NONE;
    }
    d->dangling[(size_t)kind * DEFINITIONS_DANGLING_CAP + ids->n_dangling++] = id;
    return index;
}

tcf_status definitions_fail_overflow(const definitions *d)
{
    return tcf_fail("the archive refers to more than %d ids that no definition of a %s defines",
                    DEFINITIONS_DANGLING_CAP, record_ref_name((tcf_ref_kind)(d->overflow - 1)));
}

/* Counts the references of definitions that lead nowhere. */
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

/* ------------------------------------------------------------------------------------------------ resolved view -- */

/* Undefined and dangling strings read as "". */
static const char *text_of(const definitions *d, uint32_t string)
{
    uint32_t index = definitions_find(d, TCF_REF_STRING, string);
    return index == TCF_NONE ? "" : d->v.strings[index];
}

static tcf_status resolve_strings(definitions *d, const struct kind_ids *k)
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

static tcf_status resolve_system(definitions *d, const struct kind_ids kinds[TCF_REF_KINDS])
{
    const struct kind_ids *k = &kinds[TCF_REF_SYSTEM_TREE_NODE];
    const struct kind_ids *groups = &kinds[TCF_REF_LOCATION_GROUP], *locations = &kinds[TCF_REF_LOCATION];
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
        group[i] = (tcf_location_group){
            .id = r->self,
            .name = text_of(d, r->name),
            .system_tree_node = definitions_index(d, TCF_REF_SYSTEM_TREE_NODE, r->system_tree_parent),
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

static tcf_status resolve_code(definitions *d, const struct kind_ids kinds[TCF_REF_KINDS])
{
    const struct kind_ids *k = &kinds[TCF_REF_REGION], *contexts = &kinds[TCF_REF_CALLING_CONTEXT];
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
        context[i] = (tcf_calling_context){
            .id = r->self,
            .region = definitions_index(d, TCF_REF_REGION, r->region),
            .parent = definitions_index(d, TCF_REF_CALLING_CONTEXT, r->parent),
            .source_code_location = definitions_index(d, TCF_REF_SOURCE_CODE_LOCATION, r->source_code_location)};
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

static tcf_status resolve_metrics(definitions *d, const struct kind_ids kinds[TCF_REF_KINDS])
{
    const struct kind_ids *members = &kinds[TCF_REF_METRIC_MEMBER], *k = &kinds[TCF_REF_METRIC];
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
    for (uint64_t i = 0; i < k->n; i++) { /* classes first, instances may stand before their class */
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

static tcf_status resolve_windows(definitions *d, const struct kind_ids *k)
{
    tcf_rma_win *win = definitions_memory(d, k->n * sizeof *win);

    if (win == NULL)
        return TCF_ERROR;
    for (uint64_t i = 0; i < k->n; i++) {
        const tcf_def_rma_win *r = d->records[k->record[i]].as.def_rma_win;
        win[i] = (tcf_rma_win){
            .id = r->self, .name = text_of(d, r->name), .comm = definitions_index(d, TCF_REF_COMM, r->comm)};
    }
    d->v.rma_wins = win;
    d->v.n_rma_wins = (uint32_t)k->n;
    return TCF_OK;
}

/* Records without an id of their own: the clock, and which system tree nodes share memory. */
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
        tcf_log(TCF_LOG_WARNING, "%s: no clock properties; a tick is taken as a second", d->v.archive);
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

tcf_status definitions_resolve(definitions *d)
{
    struct kind_ids kinds[TCF_REF_KINDS] = {{0}};
    tcf_status status = gather(d, kinds);

    for (int kind = 0; kind < TCF_REF_KINDS && status == TCF_OK; kind++)
        status = number(d, (tcf_ref_kind)kind, &kinds[kind]);
    if (status == TCF_OK)
        status = resolve_strings(d, &kinds[TCF_REF_STRING]);
    if (status == TCF_OK)
        status = resolve_system(d, kinds);
    if (status == TCF_OK)
        status = resolve_code(d, kinds);
    if (status == TCF_OK)
        status = resolve_metrics(d, kinds);
    if (status == TCF_OK)
        status = resolve_windows(d, &kinds[TCF_REF_RMA_WIN]);
    if (status == TCF_OK)
        status = definitions_resolve_comms(d, kinds[TCF_REF_COMM].record, (uint32_t)kinds[TCF_REF_COMM].n);
    if (status == TCF_OK) {
        resolve_rest(d);
        resolve_machines(d);
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
