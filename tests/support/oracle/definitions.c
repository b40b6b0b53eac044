/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Reads the global definitions of an archive: keeps what matching and profiles need, and of every other definition
 * its id and the ids that it refers to, so that `oracle health` can find dangling references. Definitions
 * may come in any order and more than once; nothing is looked up before all of them are read. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct o_trace *trace;
    size_t order;
};

static void defined(struct reading *r, enum o_ref kind, uint64_t id)
{
    struct o_def *def = o_push(&r->trace->ids[kind], sizeof *def);
    def->id = id;
    def->order = r->order++;
}

static void refers(struct reading *r, enum o_ref from, enum o_ref to, uint64_t id)
{
    if (o_undefined_value(to, id))
        return;
    struct o_def_ref *ref = o_push(&r->trace->refs, sizeof *ref);
    *ref = (struct o_def_ref){.from = from, .to = to, .id = id};
}

static void *keep(struct reading *r, struct o_list *list, size_t size, uint64_t id)
{
    struct o_def *def = o_push(list, size);
    def->id = id;
    def->order = r->order++;
    return def;
}

/* A typed value may be a reference, too. */
static void refers_value(struct reading *r, enum o_ref from, OTF2_Type type, OTF2_AttributeValue value)
{
    enum o_ref to = o_type_ref(type);
    if (to != O_REF_NONE && to != O_REF_SIGNED)
        refers(r, from, to, to == O_REF_LOCATION ? value.locationRef : value.uint32);
}

static OTF2_CallbackCode on_unknown(void *user)
{
    struct reading *r = user;
    r->trace->unknown_definitions++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length, uint64_t realtime)
{
    struct reading *r = user;
    (void)length, (void)realtime;
    r->trace->ticks_per_second = resolution;
    r->trace->origin = offset;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm(void *user, OTF2_Paradigm paradigm, OTF2_StringRef name, OTF2_ParadigmClass class)
{
    (void)paradigm, (void)class;
    refers(user, O_REF_NONE, O_REF_STRING, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_paradigm_property(void *user, OTF2_Paradigm paradigm, OTF2_ParadigmProperty property,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
    (void)paradigm, (void)property;
    refers_value(user, O_REF_NONE, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_paradigm(void *user, OTF2_IoParadigmRef self, OTF2_StringRef identification,
                                        OTF2_StringRef name, OTF2_IoParadigmClass class, OTF2_IoParadigmFlag flags,
                                        uint8_t n, const OTF2_IoParadigmProperty *properties, const OTF2_Type *types,
                                        const OTF2_AttributeValue *values)
{
    struct reading *r = user;
    struct o_io_paradigm *paradigm = keep(r, &r->trace->io_paradigms, sizeof *paradigm, self);
    (void)class, (void)flags, (void)properties;
    paradigm->identification = identification;
    defined(user, O_REF_IO_PARADIGM, self);
    refers(user, O_REF_IO_PARADIGM, O_REF_STRING, identification);
    refers(user, O_REF_IO_PARADIGM, O_REF_STRING, name);
    for (uint8_t i = 0; i < n; i++)
        refers_value(user, O_REF_IO_PARADIGM, types[i], values[i]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
    struct reading *r = user;
    struct o_string *string = keep(r, &r->trace->strings, sizeof *string, self);
    string->text = o_alloc(strlen(text) + 1, 1);
    memcpy(string->text, text, strlen(text));
    defined(r, O_REF_STRING, self);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
    (void)type;
    defined(user, O_REF_ATTRIBUTE, self);
    refers(user, O_REF_ATTRIBUTE, O_REF_STRING, name);
    refers(user, O_REF_ATTRIBUTE, O_REF_STRING, description);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_system_tree_node(void *user, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                             OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    struct reading *r = user;
    struct o_node *node = keep(r, &r->trace->nodes, sizeof *node, self);
    node->class_name = class;
    node->parent = parent;
    defined(user, O_REF_SYSTEM_TREE_NODE, self);
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_STRING, name);
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_STRING, class);
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_SYSTEM_TREE_NODE, parent);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group(void *user, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                           OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                           OTF2_LocationGroupRef creator)
{
    struct reading *r = user;
    (void)type;
    struct o_location_group *group = keep(r, &r->trace->location_groups, sizeof *group, self);
    group->name = name;
    group->parent = parent;
    group->creator = creator;
    defined(r, O_REF_LOCATION_GROUP, self);
    refers(r, O_REF_LOCATION_GROUP, O_REF_STRING, name);
    refers(r, O_REF_LOCATION_GROUP, O_REF_SYSTEM_TREE_NODE, parent);
    refers(r, O_REF_LOCATION_GROUP, O_REF_LOCATION_GROUP, creator);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t n_events, OTF2_LocationGroupRef group)
{
    struct reading *r = user;
    struct o_trace *trace = r->trace;
    bool twice = false;
    for (size_t i = 0; i < trace->n_locations && !twice; i++)
        twice = trace->location[i].def.id == self;
    if (!twice) {
        trace->location = o_grow(trace->location, trace->n_locations, &trace->cap_locations, sizeof *trace->location);
        struct o_location *location = &trace->location[trace->n_locations++];
        *location = (struct o_location){.def = {.id = self, .order = r->order++},
                                        .group = group,
                                        .type = type,
                                        .declared = n_events};
    }
    defined(r, O_REF_LOCATION, self);
    refers(r, O_REF_LOCATION, O_REF_STRING, name);
    refers(r, O_REF_LOCATION, O_REF_LOCATION_GROUP, group);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef canonical,
                                   OTF2_StringRef description, OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin, uint32_t end)
{
    struct reading *r = user;
    (void)flags, (void)begin, (void)end;
    struct o_region *region = keep(r, &r->trace->regions, sizeof *region, self);
    region->name = name;
    region->role = role;
    region->paradigm = paradigm;
    defined(r, O_REF_REGION, self);
    refers(r, O_REF_REGION, O_REF_STRING, name);
    refers(r, O_REF_REGION, O_REF_STRING, canonical);
    refers(r, O_REF_REGION, O_REF_STRING, description);
    refers(r, O_REF_REGION, O_REF_STRING, file);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_callsite(void *user, OTF2_CallsiteRef self, OTF2_StringRef file, uint32_t line,
                                     OTF2_RegionRef entered, OTF2_RegionRef left)
{
    (void)line;
    defined(user, O_REF_CALLSITE, self);
    refers(user, O_REF_CALLSITE, O_REF_STRING, file);
    refers(user, O_REF_CALLSITE, O_REF_REGION, entered);
    refers(user, O_REF_CALLSITE, O_REF_REGION, left);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_callpath(void *user, OTF2_CallpathRef self, OTF2_CallpathRef parent, OTF2_RegionRef region)
{
    defined(user, O_REF_CALLPATH, self);
    refers(user, O_REF_CALLPATH, O_REF_CALLPATH, parent);
    refers(user, O_REF_CALLPATH, O_REF_REGION, region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name, OTF2_GroupType type,
                                  OTF2_Paradigm paradigm, OTF2_GroupFlag flags, uint32_t n, const uint64_t *members)
{
    struct reading *r = user;
    struct o_group *group = keep(r, &r->trace->groups, sizeof *group, self);
    group->type = type;
    group->paradigm = paradigm;
    group->flags = flags;
    group->n = n;
    group->member = o_alloc(n, sizeof *group->member);
    enum o_ref of = type == OTF2_GROUP_TYPE_LOCATIONS || type == OTF2_GROUP_TYPE_COMM_LOCATIONS ? O_REF_LOCATION
                    : type == OTF2_GROUP_TYPE_REGIONS                                           ? O_REF_REGION
                    : type == OTF2_GROUP_TYPE_METRIC                                            ? O_REF_METRIC
                                                                                                : O_REF_NONE;
    for (uint32_t i = 0; i < n; i++) {
        group->member[i] = members[i];
        if (of != O_REF_NONE)
            refers(r, O_REF_GROUP, of, members[i]);
    }
    defined(r, O_REF_GROUP, self);
    refers(r, O_REF_GROUP, O_REF_STRING, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_member(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                          OTF2_StringRef description, OTF2_MetricType type, OTF2_MetricMode mode,
                                          OTF2_Type value_type, OTF2_Base base, int64_t exponent, OTF2_StringRef unit)
{
    struct reading *r = user;
    struct o_metric_member *member = keep(r, &r->trace->metric_members, sizeof *member, self);
    (void)type, (void)value_type;
    member->name = name;
    member->mode = mode;
    member->base = base;
    member->exponent = exponent;
    defined(user, O_REF_METRIC_MEMBER, self);
    refers(user, O_REF_METRIC_MEMBER, O_REF_STRING, name);
    refers(user, O_REF_METRIC_MEMBER, O_REF_STRING, description);
    refers(user, O_REF_METRIC_MEMBER, O_REF_STRING, unit);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_class(void *user, OTF2_MetricRef self, uint8_t n,
                                         const OTF2_MetricMemberRef *members, OTF2_MetricOccurrence occurrence,
                                         OTF2_RecorderKind recorder)
{
    struct reading *r = user;
    struct o_metric *metric = keep(r, &r->trace->metrics, sizeof *metric, self);
    (void)occurrence, (void)recorder;
    metric->n = n;
    metric->member = o_alloc(n, sizeof *metric->member);
    for (uint8_t i = 0; i < n; i++)
        metric->member[i] = members[i];
    defined(user, O_REF_METRIC, self);
    for (uint8_t i = 0; i < n; i++)
        refers(user, O_REF_METRIC, O_REF_METRIC_MEMBER, members[i]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_instance(void *user, OTF2_MetricRef self, OTF2_MetricRef class,
                                            OTF2_LocationRef recorder, OTF2_MetricScope scope_kind, uint64_t scope)
{
    enum o_ref of = scope_kind == OTF2_SCOPE_LOCATION           ? O_REF_LOCATION
                    : scope_kind == OTF2_SCOPE_LOCATION_GROUP   ? O_REF_LOCATION_GROUP
                    : scope_kind == OTF2_SCOPE_SYSTEM_TREE_NODE ? O_REF_SYSTEM_TREE_NODE
                                                                : O_REF_GROUP;
    struct reading *r = user;
    struct o_metric *metric = keep(r, &r->trace->metrics, sizeof *metric, self);
    metric->instance = true;
    metric->class = class;
    defined(user, O_REF_METRIC, self);
    refers(user, O_REF_METRIC, O_REF_METRIC, class);
    refers(user, O_REF_METRIC, O_REF_LOCATION, recorder);
    refers(user, O_REF_METRIC, of, scope);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_metric_class_recorder(void *user, OTF2_MetricRef metric, OTF2_LocationRef recorder)
{
    refers(user, O_REF_METRIC, O_REF_METRIC, metric);
    refers(user, O_REF_METRIC, O_REF_LOCATION, recorder);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef group,
                                 OTF2_CommRef parent, OTF2_CommFlag flags)
{
    struct reading *r = user;
    (void)flags;
    struct o_comm *comm = keep(r, &r->trace->comms, sizeof *comm, self);
    comm->group[0] = comm->group[1] = group;
    comm->alone = parent == OTF2_UNDEFINED_COMM;
    defined(r, O_REF_COMM, self);
    refers(r, O_REF_COMM, O_REF_STRING, name);
    refers(r, O_REF_COMM, O_REF_GROUP, group);
    refers(r, O_REF_COMM, O_REF_COMM, parent);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_inter_comm(void *user, OTF2_CommRef self, OTF2_StringRef name, OTF2_GroupRef a,
                                       OTF2_GroupRef b, OTF2_CommRef common, OTF2_CommFlag flags)
{
    struct reading *r = user;
    (void)flags;
    struct o_comm *comm = keep(r, &r->trace->comms, sizeof *comm, self);
    comm->inter = true;
    comm->group[0] = a;
    comm->group[1] = b;
    comm->alone = common == OTF2_UNDEFINED_COMM;
    defined(r, O_REF_COMM, self);
    refers(r, O_REF_COMM, O_REF_STRING, name);
    refers(r, O_REF_COMM, O_REF_GROUP, a);
    refers(r, O_REF_COMM, O_REF_GROUP, b);
    refers(r, O_REF_COMM, O_REF_COMM, common);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_parameter(void *user, OTF2_ParameterRef self, OTF2_StringRef name, OTF2_ParameterType type)
{
    (void)type;
    defined(user, O_REF_PARAMETER, self);
    refers(user, O_REF_PARAMETER, O_REF_STRING, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_rma_win(void *user, OTF2_RmaWinRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                    OTF2_RmaWinFlag flags)
{
    struct reading *r = user;
    (void)flags;
    struct o_win *win = keep(r, &r->trace->wins, sizeof *win, self);
    win->comm = comm;
    defined(r, O_REF_RMA_WIN, self);
    refers(r, O_REF_RMA_WIN, O_REF_STRING, name);
    refers(r, O_REF_RMA_WIN, O_REF_COMM, comm);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_property(void *user, OTF2_SystemTreeNodeRef node, OTF2_StringRef name, OTF2_Type type,
                                          OTF2_AttributeValue value)
{
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_SYSTEM_TREE_NODE, node);
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_STRING, name);
    refers_value(user, O_REF_SYSTEM_TREE_NODE, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_node_domain(void *user, OTF2_SystemTreeNodeRef node, OTF2_SystemTreeDomain domain)
{
    struct reading *r = user;
    if (domain == OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY)
        keep(r, &r->trace->memory_domains, sizeof(struct o_def), node);
    refers(user, O_REF_SYSTEM_TREE_NODE, O_REF_SYSTEM_TREE_NODE, node);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_group_property(void *user, OTF2_LocationGroupRef group, OTF2_StringRef name,
                                                    OTF2_Type type, OTF2_AttributeValue value)
{
    refers(user, O_REF_LOCATION_GROUP, O_REF_LOCATION_GROUP, group);
    refers(user, O_REF_LOCATION_GROUP, O_REF_STRING, name);
    refers_value(user, O_REF_LOCATION_GROUP, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location_property(void *user, OTF2_LocationRef location, OTF2_StringRef name,
                                              OTF2_Type type, OTF2_AttributeValue value)
{
    refers(user, O_REF_LOCATION, O_REF_LOCATION, location);
    refers(user, O_REF_LOCATION, O_REF_STRING, name);
    refers_value(user, O_REF_LOCATION, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cart_dimension(void *user, OTF2_CartDimensionRef self, OTF2_StringRef name, uint32_t size,
                                           OTF2_CartPeriodicity periodicity)
{
    (void)size, (void)periodicity;
    defined(user, O_REF_CART_DIMENSION, self);
    refers(user, O_REF_CART_DIMENSION, O_REF_STRING, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cart_topology(void *user, OTF2_CartTopologyRef self, OTF2_StringRef name, OTF2_CommRef comm,
                                          uint8_t n, const OTF2_CartDimensionRef *dimensions)
{
    defined(user, O_REF_CART_TOPOLOGY, self);
    refers(user, O_REF_CART_TOPOLOGY, O_REF_STRING, name);
    refers(user, O_REF_CART_TOPOLOGY, O_REF_COMM, comm);
    for (uint8_t i = 0; i < n; i++)
        refers(user, O_REF_CART_TOPOLOGY, O_REF_CART_DIMENSION, dimensions[i]);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_cart_coordinate(void *user, OTF2_CartTopologyRef topology, uint32_t rank, uint8_t n,
                                            const uint32_t *coordinates)
{
    (void)rank, (void)n, (void)coordinates;
    refers(user, O_REF_CART_TOPOLOGY, O_REF_CART_TOPOLOGY, topology);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_source_code(void *user, OTF2_SourceCodeLocationRef self, OTF2_StringRef file, uint32_t line)
{
    (void)line;
    defined(user, O_REF_SOURCE_CODE_LOCATION, self);
    refers(user, O_REF_SOURCE_CODE_LOCATION, O_REF_STRING, file);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context(void *user, OTF2_CallingContextRef self, OTF2_RegionRef region,
                                    OTF2_SourceCodeLocationRef source, OTF2_CallingContextRef parent)
{
    struct reading *r = user;
    struct o_context *context = keep(r, &r->trace->contexts, sizeof *context, self);
    context->region = region;
    defined(r, O_REF_CALLING_CONTEXT, self);
    refers(r, O_REF_CALLING_CONTEXT, O_REF_REGION, region);
    refers(r, O_REF_CALLING_CONTEXT, O_REF_SOURCE_CODE_LOCATION, source);
    refers(r, O_REF_CALLING_CONTEXT, O_REF_CALLING_CONTEXT, parent);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_property(void *user, OTF2_CallingContextRef context, OTF2_StringRef name,
                                             OTF2_Type type, OTF2_AttributeValue value)
{
    refers(user, O_REF_CALLING_CONTEXT, O_REF_CALLING_CONTEXT, context);
    refers(user, O_REF_CALLING_CONTEXT, O_REF_STRING, name);
    refers_value(user, O_REF_CALLING_CONTEXT, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_interrupt(void *user, OTF2_InterruptGeneratorRef self, OTF2_StringRef name,
                                      OTF2_InterruptGeneratorMode mode, OTF2_Base base, int64_t exponent,
                                      uint64_t period)
{
    (void)mode, (void)base, (void)exponent, (void)period;
    defined(user, O_REF_INTERRUPT_GENERATOR, self);
    refers(user, O_REF_INTERRUPT_GENERATOR, O_REF_STRING, name);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_file_property(void *user, OTF2_IoFileRef file, OTF2_StringRef name, OTF2_Type type,
                                             OTF2_AttributeValue value)
{
    refers(user, O_REF_IO_FILE, O_REF_IO_FILE, file);
    refers(user, O_REF_IO_FILE, O_REF_STRING, name);
    refers_value(user, O_REF_IO_FILE, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

/* Regular files and directories share their ids. */
static OTF2_CallbackCode on_io_file(void *user, OTF2_IoFileRef self, OTF2_StringRef name, OTF2_SystemTreeNodeRef scope)
{
    struct reading *r = user;
    struct o_io_file *file = keep(r, &r->trace->io_files, sizeof *file, self);
    file->name = name;
    defined(user, O_REF_IO_FILE, self);
    refers(user, O_REF_IO_FILE, O_REF_STRING, name);
    refers(user, O_REF_IO_FILE, O_REF_SYSTEM_TREE_NODE, scope);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_handle(void *user, OTF2_IoHandleRef self, OTF2_StringRef name, OTF2_IoFileRef file,
                                      OTF2_IoParadigmRef paradigm, OTF2_IoHandleFlag flags, OTF2_CommRef comm,
                                      OTF2_IoHandleRef parent)
{
    struct reading *r = user;
    struct o_io_handle *handle = keep(r, &r->trace->io_handles, sizeof *handle, self);
    handle->name = name;
    handle->file = file;
    handle->paradigm = paradigm;
    handle->flags = flags;
    defined(user, O_REF_IO_HANDLE, self);
    refers(user, O_REF_IO_HANDLE, O_REF_STRING, name);
    refers(user, O_REF_IO_HANDLE, O_REF_IO_FILE, file);
    refers(user, O_REF_IO_HANDLE, O_REF_IO_PARADIGM, paradigm);
    refers(user, O_REF_IO_HANDLE, O_REF_COMM, comm);
    refers(user, O_REF_IO_HANDLE, O_REF_IO_HANDLE, parent);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_io_state(void *user, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                     OTF2_IoStatusFlag flags)
{
    (void)mode, (void)flags;
    refers(user, O_REF_IO_HANDLE, O_REF_IO_HANDLE, handle);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_callpath_parameter(void *user, OTF2_CallpathRef callpath, OTF2_ParameterRef parameter,
                                               OTF2_Type type, OTF2_AttributeValue value)
{
    refers(user, O_REF_CALLPATH, O_REF_CALLPATH, callpath);
    refers(user, O_REF_CALLPATH, O_REF_PARAMETER, parameter);
    refers_value(user, O_REF_CALLPATH, type, value);
    return OTF2_CALLBACK_SUCCESS;
}

static void set_callbacks(OTF2_GlobalDefReaderCallbacks *c)
{
    OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(c, on_unknown);
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
    OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(c, on_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetParadigmPropertyCallback(c, on_paradigm_property);
    OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(c, on_io_paradigm);
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
    OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(c, on_system_tree_node);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(c, on_location_group);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
    OTF2_GlobalDefReaderCallbacks_SetCallsiteCallback(c, on_callsite);
    OTF2_GlobalDefReaderCallbacks_SetCallpathCallback(c, on_callpath);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
    OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_metric_member);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_metric_class);
    OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(c, on_metric_instance);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
    OTF2_GlobalDefReaderCallbacks_SetParameterCallback(c, on_parameter);
    OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(c, on_rma_win);
    OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(c, on_metric_class_recorder);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(c, on_node_property);
    OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(c, on_node_domain);
    OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(c, on_location_group_property);
    OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(c, on_location_property);
    OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(c, on_cart_dimension);
    OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(c, on_cart_topology);
    OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(c, on_cart_coordinate);
    OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(c, on_source_code);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(c, on_context);
    OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(c, on_context_property);
    OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(c, on_interrupt);
    OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback(c, on_io_file_property);
    OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(c, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(c, on_io_file);
    OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(c, on_io_handle);
    OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback(c, on_io_state);
    OTF2_GlobalDefReaderCallbacks_SetCallpathParameterCallback(c, on_callpath_parameter);
    OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_inter_comm);
}

static void sort_all(struct o_trace *trace)
{
    o_sort_defs(&trace->strings, sizeof(struct o_string));
    o_sort_defs(&trace->nodes, sizeof(struct o_node));
    o_sort_defs(&trace->memory_domains, sizeof(struct o_def));
    o_sort_defs(&trace->location_groups, sizeof(struct o_location_group));
    o_sort_defs(&trace->regions, sizeof(struct o_region));
    o_sort_defs(&trace->groups, sizeof(struct o_group));
    o_sort_defs(&trace->comms, sizeof(struct o_comm));
    o_sort_defs(&trace->wins, sizeof(struct o_win));
    o_sort_defs(&trace->metric_members, sizeof(struct o_metric_member));
    o_sort_defs(&trace->metrics, sizeof(struct o_metric));
    o_sort_defs(&trace->io_paradigms, sizeof(struct o_io_paradigm));
    o_sort_defs(&trace->io_files, sizeof(struct o_io_file));
    o_sort_defs(&trace->io_handles, sizeof(struct o_io_handle));
    o_sort_defs(&trace->contexts, sizeof(struct o_context));
    for (int i = 0; i < O_REFS; i++)
        o_sort_defs(&trace->ids[i], sizeof(struct o_def));
}

bool o_read_definitions(struct o_trace *trace, OTF2_Reader *reader)
{
    struct reading r = {.trace = trace};
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    if (!definitions)
        return false;
    OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
    set_callbacks(callbacks);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &r);
    OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
    uint64_t n;
    OTF2_ErrorCode status = OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n);
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    sort_all(trace);
    return status == OTF2_SUCCESS;
}

void o_free_definitions(struct o_trace *trace)
{
    struct o_string *string = trace->strings.item;
    for (size_t i = 0; i < trace->strings.n; i++)
        free(string[i].text);
    struct o_group *group = trace->groups.item;
    for (size_t i = 0; i < trace->groups.n; i++)
        free(group[i].member);
    struct o_metric *metric = trace->metrics.item;
    for (size_t i = 0; i < trace->metrics.n; i++)
        free(metric[i].member);
    struct o_list *lists[] = {&trace->strings,         &trace->nodes,      &trace->memory_domains,
                              &trace->location_groups, &trace->regions,    &trace->groups,
                              &trace->comms,           &trace->wins,       &trace->contexts,
                              &trace->metric_members,  &trace->metrics,    &trace->io_paradigms,
                              &trace->io_files,        &trace->io_handles, &trace->refs};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        free(lists[i]->item);
    for (int i = 0; i < O_REFS; i++)
        free(trace->ids[i].item);
}
