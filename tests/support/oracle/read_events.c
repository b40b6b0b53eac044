/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Loads the events of every location into memory, as stored: mapping tables applied, clock offsets not. With
 * `linear` each location is read a second time with libotf2's own interpolation of the clock offsets, for the times
 * only. A location whose file is missing or breaks off is kept as far as it goes and marked as damaged. */
#include "oracle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of kinds ---- */

const struct o_kind_info o_kinds[O_KINDS] = {
#define KIND0(N, C) [O_##N] = {#N, 0, {0}, {0}},
#define KIND1(N, C, t1, f1, r1) [O_##N] = {#N, 1, {#f1}, {O_REF_##r1}},
#define KIND2(N, C, t1, f1, r1, t2, f2, r2) [O_##N] = {#N, 2, {#f1, #f2}, {O_REF_##r1, O_REF_##r2}},
#define KIND3(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3)                                                                \
    [O_##N] = {#N, 3, {#f1, #f2, #f3}, {O_REF_##r1, O_REF_##r2, O_REF_##r3}},
#define KIND4(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4)                                                    \
    [O_##N] = {#N, 4, {#f1, #f2, #f3, #f4}, {O_REF_##r1, O_REF_##r2, O_REF_##r3, O_REF_##r4}},
#define KIND5(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4, t5, f5, r5)                                        \
    [O_##N] = {#N, 5, {#f1, #f2, #f3, #f4, #f5}, {O_REF_##r1, O_REF_##r2, O_REF_##r3, O_REF_##r4, O_REF_##r5}},
#define KIND6(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4, t5, f5, r5, t6, f6, r6)                            \
    [O_##N] = {#N,                                                                                                     \
               6,                                                                                                      \
               {#f1, #f2, #f3, #f4, #f5, #f6},                                                                         \
               {O_REF_##r1, O_REF_##r2, O_REF_##r3, O_REF_##r4, O_REF_##r5, O_REF_##r6}},
#define KINDX(N, C)
#include "kinds.def"
    [O_METRIC] = {"METRIC", 1, {"metric"}, {O_REF_METRIC}},
    [O_PROGRAM_BEGIN] = {"PROGRAM_BEGIN", 1, {"programName"}, {O_REF_STRING}},
};

const char *const o_ref_names[O_REFS] = {
    [O_REF_NONE] = "other",
    [O_REF_SIGNED] = "number",
    [O_REF_STRING] = "string",
    [O_REF_ATTRIBUTE] = "attribute",
    [O_REF_LOCATION] = "location",
    [O_REF_LOCATION_GROUP] = "location_group",
    [O_REF_REGION] = "region",
    [O_REF_GROUP] = "group",
    [O_REF_METRIC] = "metric",
    [O_REF_METRIC_MEMBER] = "metric_member",
    [O_REF_COMM] = "comm",
    [O_REF_PARAMETER] = "parameter",
    [O_REF_RMA_WIN] = "rma_win",
    [O_REF_SOURCE_CODE_LOCATION] = "source_code_location",
    [O_REF_CALLING_CONTEXT] = "calling_context",
    [O_REF_INTERRUPT_GENERATOR] = "interrupt_generator",
    [O_REF_IO_FILE] = "io_file",
    [O_REF_IO_HANDLE] = "io_handle",
    [O_REF_IO_PARADIGM] = "io_paradigm",
    [O_REF_SYSTEM_TREE_NODE] = "system_tree_node",
    [O_REF_CALLPATH] = "callpath",
    [O_REF_CALLSITE] = "callsite",
    [O_REF_CART_DIMENSION] = "cart_dimension",
    [O_REF_CART_TOPOLOGY] = "cart_topology",
};

enum o_ref o_type_ref(uint64_t type)
{
    static const enum o_ref ref[] = {
        [OTF2_TYPE_INT8] = O_REF_SIGNED,
        [OTF2_TYPE_INT16] = O_REF_SIGNED,
        [OTF2_TYPE_INT32] = O_REF_SIGNED,
        [OTF2_TYPE_INT64] = O_REF_SIGNED,
        [OTF2_TYPE_STRING] = O_REF_STRING,
        [OTF2_TYPE_ATTRIBUTE] = O_REF_ATTRIBUTE,
        [OTF2_TYPE_LOCATION] = O_REF_LOCATION,
        [OTF2_TYPE_REGION] = O_REF_REGION,
        [OTF2_TYPE_GROUP] = O_REF_GROUP,
        [OTF2_TYPE_METRIC] = O_REF_METRIC,
        [OTF2_TYPE_COMM] = O_REF_COMM,
        [OTF2_TYPE_PARAMETER] = O_REF_PARAMETER,
        [OTF2_TYPE_RMA_WIN] = O_REF_RMA_WIN,
        [OTF2_TYPE_SOURCE_CODE_LOCATION] = O_REF_SOURCE_CODE_LOCATION,
        [OTF2_TYPE_CALLING_CONTEXT] = O_REF_CALLING_CONTEXT,
        [OTF2_TYPE_INTERRUPT_GENERATOR] = O_REF_INTERRUPT_GENERATOR,
        [OTF2_TYPE_IO_FILE] = O_REF_IO_FILE,
        [OTF2_TYPE_IO_HANDLE] = O_REF_IO_HANDLE,
        [OTF2_TYPE_LOCATION_GROUP] = O_REF_LOCATION_GROUP,
    };
    return type < sizeof ref / sizeof *ref ? ref[type] : O_REF_NONE;
}

/* ---- storing events ---- */

static void put_extra(struct o_location *location, uint64_t value)
{
    location->extra = o_grow(location->extra, location->n_extra, &location->cap_extra, sizeof *location->extra);
    location->extra[location->n_extra++] = value;
}

/* The union's member by type, widened: unused bytes of the union must not get into comparisons. */
static uint64_t widen(OTF2_Type type, OTF2_AttributeValue value)
{
    uint64_t bits = 0;
    switch (type) {
    case OTF2_TYPE_NONE:
        return 0;
    case OTF2_TYPE_UINT8:
        return value.uint8;
    case OTF2_TYPE_UINT16:
        return value.uint16;
    case OTF2_TYPE_UINT64:
        return value.uint64;
    case OTF2_TYPE_INT8:
        return (uint64_t)(int64_t)value.int8;
    case OTF2_TYPE_INT16:
        return (uint64_t)(int64_t)value.int16;
    case OTF2_TYPE_INT32:
        return (uint64_t)(int64_t)value.int32;
    case OTF2_TYPE_INT64:
        return (uint64_t)value.int64;
    case OTF2_TYPE_FLOAT:
        memcpy(&bits, &value.float32, sizeof value.float32);
        return bits;
    case OTF2_TYPE_DOUBLE:
        memcpy(&bits, &value.float64, sizeof value.float64);
        return bits;
    case OTF2_TYPE_LOCATION:
        return value.locationRef;
    default:
        return value.uint32;
    }
}

static struct o_event *store(void *user, OTF2_TimeStamp time, enum o_kind kind, const uint64_t *field,
                             unsigned n_fields)
{
    struct o_location *location = user;
    location->event = o_grow(location->event, location->n, &location->cap, sizeof *location->event);
    struct o_event *event = &location->event[location->n++];
    *event = (struct o_event){.time = time, .kind = (uint16_t)kind, .extra = location->n_extra};
    for (unsigned i = 0; i < n_fields; i++)
        event->field[i] = field[i];
    return event;
}

/* Attributes follow the values, so they are stored last. */
static OTF2_CallbackCode finish(void *user, struct o_event *event, const OTF2_AttributeList *attributes)
{
    struct o_location *location = user;
    uint32_t n = OTF2_AttributeList_GetNumberOfElements(attributes);
    for (uint32_t i = 0; i < n; i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;
        OTF2_AttributeValue value;
        if (OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value) != OTF2_SUCCESS)
            continue;
        put_extra(location, attribute);
        put_extra(location, type);
        put_extra(location, widen(type, value));
        event->n_attributes++;
    }
    return OTF2_CALLBACK_SUCCESS;
}

#define CALLBACK(Name)                                                                                                 \
    static OTF2_CallbackCode on_##Name(OTF2_LocationRef id, OTF2_TimeStamp time, uint64_t position, void *user, \
                                       OTF2_AttributeList *attributes
#define STORE(N, ...)                                                                                                  \
    {                                                                                                                  \
        const uint64_t field[] = {__VA_ARGS__};                                                                        \
        (void)id, (void)position;                                                                                      \
        return finish(user, store(user, time, O_##N, field, o_kinds[O_##N].n_fields), attributes);                     \
    }
#define U(f) (uint64_t)(f)
#define KIND0(N, C) CALLBACK(C)) STORE(N, 0)
#define KIND1(N, C, t1, f1, r1) CALLBACK(C), t1 f1) STORE(N, U(f1))
#define KIND2(N, C, t1, f1, r1, t2, f2, r2) CALLBACK(C), t1 f1, t2 f2) STORE(N, U(f1), U(f2))
#define KIND3(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3)                                                                \
    CALLBACK(C), t1 f1, t2 f2, t3 f3) STORE(N, U(f1), U(f2), U(f3))
#define KIND4(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4)                                                    \
    CALLBACK(C), t1 f1, t2 f2, t3 f3, t4 f4) STORE(N, U(f1), U(f2), U(f3), U(f4))
#define KIND5(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4, t5, f5, r5)                                        \
    CALLBACK(C), t1 f1, t2 f2, t3 f3, t4 f4, t5 f5) STORE(N, U(f1), U(f2), U(f3), U(f4), U(f5))
#define KIND6(N, C, t1, f1, r1, t2, f2, r2, t3, f3, r3, t4, f4, r4, t5, f5, r5, t6, f6, r6)                            \
    CALLBACK(C), t1 f1, t2 f2, t3 f3, t4 f4, t5 f5, t6 f6) STORE(N, U(f1), U(f2), U(f3), U(f4), U(f5), U(f6))
#define KINDX(N, C)
#include "kinds.def"

CALLBACK(Metric), OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)
{
    const uint64_t field[] = {metric};
    (void)id, (void)position;
    struct o_event *event = store(user, time, O_METRIC, field, 1);
    for (uint8_t i = 0; i < n; i++) {
        put_extra(user, types[i]);
        put_extra(user, values[i].unsigned_int);
    }
    event->n_values = n;
    return finish(user, event, attributes);
}

CALLBACK(ProgramBegin), OTF2_StringRef name, uint32_t n, const OTF2_StringRef *arguments)
{
    const uint64_t field[] = {name};
    (void)id, (void)position;
    struct o_event *event = store(user, time, O_PROGRAM_BEGIN, field, 1);
    for (uint32_t i = 0; i < n; i++)
        put_extra(user, arguments[i]);
    event->n_values = n;
    return finish(user, event, attributes);
}

CALLBACK(Unknown))
{
    struct o_location *location = user;
    (void)id, (void)position, (void)time, (void)attributes;
    location->unknown++;
    return OTF2_CALLBACK_SUCCESS;
}

static void set_callbacks(OTF2_EvtReaderCallbacks *callbacks)
{
    OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks, on_Unknown);
#define KIND0(N, C, ...) OTF2_EvtReaderCallbacks_Set##C##Callback(callbacks, on_##C);
#define KIND1 KIND0
#define KIND2 KIND0
#define KIND3 KIND0
#define KIND4 KIND0
#define KIND5 KIND0
#define KIND6 KIND0
#define KINDX KIND0
#include "kinds.def"
}

/* ---- reading an archive ---- */

/* One pass over one location; `target` receives the events. */
static void read_location(OTF2_Reader *reader, struct o_location *target, bool linear)
{
    OTF2_EvtReader *events = OTF2_Reader_GetEvtReader(reader, target->def.id);
    if (!events) {
        target->damaged = true;
        return;
    }
    OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();
    set_callbacks(callbacks);
    OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, target);
    OTF2_EvtReaderCallbacks_Delete(callbacks);
    OTF2_EvtReader_ApplyMappingTables(events, true);
    OTF2_EvtReader_ApplyClockOffsets(events, linear);
    uint64_t n;
    if (OTF2_Reader_ReadAllLocalEvents(reader, events, &n) != OTF2_SUCCESS)
        target->damaged = true;
    OTF2_Reader_CloseEvtReader(reader, events);
}

static OTF2_CallbackCode on_clock_offset(void *user, OTF2_TimeStamp time, int64_t offset, double deviation)
{
    struct o_location *location = user;
    struct o_knot *knot = o_push(&location->knots, sizeof *knot);
    (void)deviation;
    *knot = (struct o_knot){time, offset};
    return OTF2_CALLBACK_SUCCESS;
}

/* The local definitions hold mapping tables, which libotf2 keeps to itself, and clock offsets. */
static void read_local_definitions(struct o_trace *trace, OTF2_Reader *reader, bool keep_offsets)
{
    OTF2_DefReaderCallbacks *callbacks = OTF2_DefReaderCallbacks_New();
    OTF2_DefReaderCallbacks_SetClockOffsetCallback(callbacks, on_clock_offset);
    bool open = OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS;
    for (size_t i = 0; open && i < trace->n_locations; i++) {
        OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, trace->location[i].def.id);
        if (!definitions)
            continue;
        if (keep_offsets)
            OTF2_Reader_RegisterDefCallbacks(reader, definitions, callbacks, &trace->location[i]);
        uint64_t n;
        OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n);
        OTF2_Reader_CloseDefReader(reader, definitions);
    }
    if (open)
        OTF2_Reader_CloseDefFiles(reader);
    OTF2_DefReaderCallbacks_Delete(callbacks);
}

static bool read_archive(struct o_trace *trace, const char *anchor, bool linear)
{
    OTF2_Reader *reader = OTF2_Reader_Open(anchor);
    if (!reader)
        return false;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    bool ok = true;
    if (!linear)
        ok = o_read_definitions(trace, reader);
    for (size_t i = 0; i < trace->n_locations; i++)
        OTF2_Reader_SelectLocation(reader, trace->location[i].def.id);
    read_local_definitions(trace, reader, !linear);
    OTF2_Reader_OpenEvtFiles(reader);
    for (size_t i = 0; i < trace->n_locations; i++) {
        struct o_location *location = &trace->location[i];
        if (!linear) {
            read_location(reader, location, false);
            continue;
        }
        struct o_location again = {.def = location->def};
        read_location(reader, &again, true);
        for (size_t e = 0; e < again.n; e++) {
            location->linear = o_grow(location->linear, e, &location->cap_linear, sizeof *location->linear);
            location->linear[location->n_linear++] = again.event[e].time;
        }
        free(again.event);
        free(again.extra);
    }
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_Reader_Close(reader);
    return ok;
}

struct o_trace *o_load(const char *anchor, bool linear)
{
    struct o_trace *trace = o_alloc(1, sizeof *trace);
    trace->linear = linear;
    /* Two readers: whether a reader interpolates has to be settled before it reads a definition. */
    if (!read_archive(trace, anchor, false) || (linear && !read_archive(trace, anchor, true))) {
        fprintf(stderr, "oracle: cannot read %s\n", anchor);
        o_unload(trace);
        return NULL;
    }
    for (size_t i = 0; i < trace->n_locations; i++)
        if (trace->location[i].damaged)
            fprintf(stderr, "oracle: location %" PRIu64 " is incomplete, %zu events read\n", trace->location[i].def.id,
                    trace->location[i].n);
    return trace;
}

void o_unload(struct o_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->n_locations; i++) {
        free(trace->location[i].event);
        free(trace->location[i].extra);
        free(trace->location[i].linear);
        free(trace->location[i].knots.item);
    }
    free(trace->location);
    o_free_definitions(trace);
    free(trace);
}

/* ---- questions to a loaded trace ---- */

uint64_t o_time(const struct o_trace *trace, size_t location, size_t event)
{
    const struct o_location *l = &trace->location[location];
    return trace->linear && event < l->n_linear ? l->linear[event] : l->event[event].time;
}

const char *o_region_name(const struct o_trace *trace, uint64_t id, char buffer[32])
{
    const struct o_region *region = o_find(&trace->regions, sizeof *region, id);
    const struct o_string *name = region ? o_find(&trace->strings, sizeof *name, region->name) : NULL;
    if (name)
        return name->text;
    snprintf(buffer, 32, "region#%" PRIu64, id);
    return buffer;
}

bool o_undefined_value(enum o_ref kind, uint64_t id)
{
    switch (kind) {
    case O_REF_LOCATION:
        return id == OTF2_UNDEFINED_LOCATION;
    case O_REF_IO_PARADIGM:
        return id == OTF2_UNDEFINED_IO_PARADIGM;
    default:
        return id == OTF2_UNDEFINED_UINT32;
    }
}

bool o_defined(const struct o_trace *trace, enum o_ref kind, uint64_t id)
{
    return o_find(&trace->ids[kind], sizeof(struct o_def), id) != NULL;
}

/* The region that an enter or leave event of either family names. */
bool o_region_of(const struct o_trace *trace, const struct o_event *event, uint64_t *region)
{
    switch (event->kind) {
    case O_ENTER:
    case O_LEAVE:
        *region = event->field[0];
        return true;
    case O_CALLING_CONTEXT_ENTER:
    case O_CALLING_CONTEXT_LEAVE: {
        const struct o_context *context = o_find(&trace->contexts, sizeof *context, event->field[0]);
        *region = context ? context->region : OTF2_UNDEFINED_REGION;
        return true;
    }
    default:
        return false;
    }
}
