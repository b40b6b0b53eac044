/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace everything: an archive that holds every kind of record that OTF2 3.0 can write.
 *
 * All 79 event kinds (ordinary, zero, extreme, undefined and dangling values; with and without
 * attribute lists of every type), every definition kind, local definitions with dense and sparse
 * mapping tables of every type and clock offsets, markers, snapshots, thumbnails and properties.
 * The program that it "records" makes no sense; it is a touchstone for lossless reading and writing. */
#include "everything.h"

#include "kinds.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The values that one pass over all event kinds writes: references by type, and numbers. */
struct fields {
    uint32_t region, group, comm, parameter, window, context, interrupt, file, handle, string;
    uint32_t metric_of_3, metric_of_255;
    uint8_t io_paradigm, u8;
    uint32_t u32;
    uint64_t u64;
    int64_t i64;
};

/* One location while its events are written. */
struct location {
    struct trace *trace;
    OTF2_LocationRef ref;
    OTF2_EvtWriter *writer;
    OTF2_AttributeList *list;
    const struct fields *fields;
    unsigned attributes;      /* attributes on every event from here on */
    unsigned next_type;       /* of those attributes, in turn */
    uint32_t attribute_shift; /* what the location's mapping table undoes */
    uint64_t time, step;
    uint64_t events;
};

/* Ids as a location with a mapping table writes them: local id -> global id, per mapping type. */
static const uint64_t dense_ids[4] = {1, 0, SPARSE_REF, LAST_REF}; /* of local ids 0, 1, 2, 3 */
#define LOCAL_SPARSE UINT32_C(5000000) /* means SPARSE_REF; LOCAL_SPARSE + 1 means 1, + 2 means 0 */

#define ALIKE(ref) (ref), (ref), (ref), (ref), (ref), (ref), (ref), (ref), (ref) /* the first nine */

static const struct fields plain_fields = {1, 1, 0, 1, 1, 1, 1, 0, 1, S_UTF8, 0, 1, 0, 7, 1000, 100000, -77};
static const struct fields dense_fields = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 7, 1000, 100000, 77};
static const struct fields sparse_fields =
    {ALIKE(LOCAL_SPARSE), LOCAL_SPARSE, LOCAL_SPARSE + 2, LOCAL_SPARSE + 1, 1, 7, 1000, 100000, 77};
static const struct fields zero_fields = {.metric_of_3 = 0, .metric_of_255 = 1};
static const struct fields last_fields = {ALIKE(LAST_REF), S_LAST,         0,        SPARSE_REF, 254, 254,
                                          UINT32_MAX - 1,  UINT64_MAX - 1, INT64_MAX};
static const struct fields dangling_fields = {ALIKE(DANGLING_REF), S_DANGLING, DANGLING_REF, DANGLING_REF, 99, 1, 65536,
                                              UINT64_C(1) << 40,   -1};
static const struct fields undefined_fields = {ALIKE(UINT32_MAX), UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT8_MAX,
                                               UINT8_MAX,         UINT32_MAX, UINT64_MAX, INT64_MIN};

/* ---- events ---- */

/* Every third event has the time of the one before it. */
static uint64_t tick(struct location *l)
{
    if (l->events++ % 3 != 2)
        l->time += l->step;
    return l->time;
}

static uint32_t attribute_id(const struct location *l, unsigned type)
{
    return (type + l->attribute_shift) % TYPES;
}

static OTF2_AttributeList *attributes(struct location *l)
{
    if (l->attributes == 0)
        return NULL;
    for (unsigned i = 0; i < l->attributes; i++) {
        OTF2_Type type = (OTF2_Type)(l->next_type % TYPES);
        OTF2_AttributeValue value = sample_value(type, l->next_type / TYPES % 3);
        expect(l->trace, OTF2_AttributeList_AddAttribute(l->list, attribute_id(l, type), type, value), "attribute");
        l->next_type++;
    }
    return l->list;
}

/* In this order: attributes() must not be evaluated after tick(), and no event without a time. */
#define PUT(Name, ...)                                                                                                 \
    do {                                                                                                               \
        OTF2_AttributeList *list_ = attributes(l);                                                                     \
        expect(l->trace, OTF2_EvtWriter_##Name(l->writer, list_, tick(l), ##__VA_ARGS__), #Name);                      \
    } while (0)

static void put_mpi(struct location *l, const struct fields *f)
{
    PUT(MpiSend, f->u32, f->comm, f->u32, f->u64);
    PUT(MpiIsend, f->u32, f->comm, f->u32, f->u64, f->u64);
    PUT(MpiIsendComplete, f->u64);
    PUT(MpiIrecvRequest, f->u64);
    PUT(MpiRecv, f->u32, f->comm, f->u32, f->u64);
    PUT(MpiIrecv, f->u32, f->comm, f->u32, f->u64, f->u64);
    PUT(MpiRequestTest, f->u64);
    PUT(MpiRequestCancelled, f->u64);
    PUT(MpiCollectiveBegin);
    PUT(MpiCollectiveEnd, f->u8, f->comm, f->u32, f->u64, f->u64);
    PUT(NonBlockingCollectiveRequest, f->u64);
    PUT(NonBlockingCollectiveComplete, f->u8, f->comm, f->u32, f->u64, f->u64, f->u64);
    PUT(CommCreate, f->comm);
    PUT(CommDestroy, f->comm);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void put_openmp(struct location *l, const struct fields *f)
{
    PUT(OmpFork, f->u32);
    PUT(OmpJoin);
    PUT(OmpAcquireLock, f->u32, f->u32);
    PUT(OmpReleaseLock, f->u32, f->u32);
    PUT(OmpTaskCreate, f->u64);
    PUT(OmpTaskSwitch, f->u64);
    PUT(OmpTaskComplete, f->u64);
}
#pragma GCC diagnostic pop

static void put_threads(struct location *l, const struct fields *f)
{
    PUT(ThreadFork, f->u8, f->u32);
    PUT(ThreadJoin, f->u8);
    PUT(ThreadTeamBegin, f->comm);
    PUT(ThreadTeamEnd, f->comm);
    PUT(ThreadAcquireLock, f->u8, f->u32, f->u32);
    PUT(ThreadReleaseLock, f->u8, f->u32, f->u32);
    PUT(ThreadTaskCreate, f->comm, f->u32, f->u32);
    PUT(ThreadTaskSwitch, f->comm, f->u32, f->u32);
    PUT(ThreadTaskComplete, f->comm, f->u32, f->u32);
    PUT(ThreadCreate, f->comm, f->u64);
    PUT(ThreadBegin, f->comm, f->u64);
    PUT(ThreadWait, f->comm, f->u64);
    PUT(ThreadEnd, f->comm, f->u64);
}

static void put_rma(struct location *l, const struct fields *f)
{
    PUT(RmaWinCreate, f->window);
    PUT(RmaWinDestroy, f->window);
    PUT(RmaCollectiveBegin);
    PUT(RmaCollectiveEnd, f->u8, f->u32, f->window, f->u32, f->u64, f->u64);
    PUT(RmaGroupSync, f->u32, f->window, f->group);
    PUT(RmaRequestLock, f->window, f->u32, f->u64, f->u8);
    PUT(RmaAcquireLock, f->window, f->u32, f->u64, f->u8);
    PUT(RmaTryLock, f->window, f->u32, f->u64, f->u8);
    PUT(RmaReleaseLock, f->window, f->u32, f->u64);
    PUT(RmaSync, f->window, f->u32, f->u8);
    PUT(RmaWaitChange, f->window);
    PUT(RmaPut, f->window, f->u32, f->u64, f->u64);
    PUT(RmaGet, f->window, f->u32, f->u64, f->u64);
    PUT(RmaAtomic, f->window, f->u32, f->u8, f->u64, f->u64, f->u64);
    PUT(RmaOpCompleteBlocking, f->window, f->u64);
    PUT(RmaOpCompleteNonBlocking, f->window, f->u64);
    PUT(RmaOpTest, f->window, f->u64);
    PUT(RmaOpCompleteRemote, f->window, f->u64);
}

static void put_io(struct location *l, const struct fields *f)
{
    PUT(IoCreateHandle, f->handle, f->u8, f->u32, f->u32);
    PUT(IoDestroyHandle, f->handle);
    PUT(IoDuplicateHandle, f->handle, f->handle, f->u32);
    PUT(IoSeek, f->handle, f->i64, f->u8, f->u64);
    PUT(IoChangeStatusFlags, f->handle, f->u32);
    PUT(IoDeleteFile, f->io_paradigm, f->file);
    PUT(IoOperationBegin, f->handle, f->u8, f->u32, f->u64, f->u64);
    PUT(IoOperationTest, f->handle, f->u64);
    PUT(IoOperationIssued, f->handle, f->u64);
    PUT(IoOperationComplete, f->handle, f->u64, f->u64);
    PUT(IoOperationCancelled, f->handle, f->u64);
    PUT(IoAcquireLock, f->handle, f->u8);
    PUT(IoReleaseLock, f->handle, f->u8);
    PUT(IoTryLock, f->handle, f->u8);
}

/* Types go round as in the metric members' definitions: uint64, int64, double. */
static void put_metrics(struct location *l, const struct fields *f)
{
    static const OTF2_Type kinds[3] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    const double reals[5] = {0.1, -0.0, NAN, -INFINITY, DBL_MIN};
    OTF2_Type types[255];
    OTF2_MetricValue values[255];

    for (int i = 0; i < 255; i++) {
        types[i] = kinds[i % 3];
        if (types[i] == OTF2_TYPE_UINT64)
            values[i].unsigned_int = f->u64;
        else if (types[i] == OTF2_TYPE_INT64)
            values[i].signed_int = f->i64;
        else
            values[i].floating_point = reals[i / 3 % 5];
    }
    PUT(Metric, f->metric_of_3, 3, types, values);
    PUT(Metric, f->metric_of_255, 255, types, values);
    PUT(Metric, f->metric_of_3, 0, NULL, NULL);
}

static void put_other(struct location *l, const struct fields *f)
{
    OTF2_StringRef arguments[300];

    for (int i = 0; i < 300; i++)
        arguments[i] = f->string;
    PUT(BufferFlush, l->time + 3 * l->step);
    PUT(MeasurementOnOff, f->u8);
    PUT(ParameterString, f->parameter, f->string);
    PUT(ParameterInt, f->parameter, f->i64);
    PUT(ParameterUnsignedInt, f->parameter, f->u64);
    PUT(CallingContextEnter, f->context, f->u32);
    PUT(CallingContextLeave, f->context);
    PUT(CallingContextSample, f->context, f->u32, f->interrupt);
    PUT(ProgramBegin, f->string, 0, NULL);
    PUT(ProgramBegin, f->string, 2, arguments);
    PUT(ProgramBegin, f->string, 300, arguments);
    PUT(ProgramEnd, f->i64);
}

static void put_all_kinds(struct location *l, const struct fields *f)
{
    PUT(Enter, f->region);
    put_mpi(l, f);
    put_openmp(l, f);
    put_threads(l, f);
    put_rma(l, f);
    put_io(l, f);
    put_metrics(l, f);
    put_other(l, f);
    PUT(Leave, f->region);
}

/* Every value of every enumeration that an event can hold; the fields that have no enum stay ordinary. */
static void put_enumerations(struct location *l, const struct fields *f)
{
    static const uint32_t roots[4] = {0, OTF2_COLLECTIVE_ROOT_NONE, OTF2_COLLECTIVE_ROOT_SELF,
                                      OTF2_COLLECTIVE_ROOT_THIS_GROUP};

    for (OTF2_CollectiveOp op = 0; op <= OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE; op++) {
        PUT(MpiCollectiveBegin);
        PUT(MpiCollectiveEnd, op, f->comm, roots[op % 4], op, 0);
        PUT(NonBlockingCollectiveRequest, op);
        PUT(NonBlockingCollectiveComplete, op, f->comm, roots[op % 4], 0, op, op);
        PUT(RmaCollectiveEnd, op, op % 4, f->window, roots[op % 4], 1, 2);
    }
    for (uint8_t i = 0; i <= OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE; i++) {
        PUT(RmaAtomic, f->window, 1, i, 8, 8, i);
        PUT(RmaSync, f->window, 1, (OTF2_RmaSyncType)(i % 3));
        PUT(RmaRequestLock, f->window, 1, i, (OTF2_LockType)(i % 2));
        PUT(IoAcquireLock, f->handle, (OTF2_LockType)(i % 2));
    }
    for (uint8_t i = 0; i <= OTF2_IO_ACCESS_MODE_SEARCH_ONLY; i++) {
        PUT(IoCreateHandle, f->handle, i, UINT32_C(1) << i, UINT32_C(1) << i);
        PUT(IoSeek, f->handle, -5, i, 5);
        PUT(IoOperationBegin, f->handle, (OTF2_IoOperationMode)(i % 3), i % 4, 100, i);
    }
    for (uint8_t i = 0; i <= OTF2_PARADIGM_KOKKOS; i++) {
        PUT(ThreadFork, i, 2);
        PUT(ThreadJoin, i);
    }
    PUT(MeasurementOnOff, OTF2_MEASUREMENT_OFF);
    PUT(MeasurementOnOff, OTF2_MEASUREMENT_ON);
}

/* An attribute list longer than a small record: 26 attributes at once, and one value of each type thrice. */
static void put_attributes(struct location *l, const struct fields *f)
{
    l->attributes = TYPES;
    for (int i = 0; i < 3; i++)
        PUT(Enter, f->region);
    l->attributes = 1;
    for (unsigned i = 0; i < 3 * TYPES; i++)
        PUT(Leave, f->region);
    l->attributes = 3;
    put_all_kinds(l, f);
    l->attributes = 0;
}

static void put_main(struct location *l)
{
    put_all_kinds(l, l->fields);
    put_enumerations(l, l->fields);
    put_attributes(l, l->fields);
    put_all_kinds(l, &zero_fields);
    put_all_kinds(l, &last_fields); /* also ids that no mapping table holds */
    put_all_kinds(l, &dangling_fields);
}

/* Synchronous metrics of a stream, and a few plain events. */
static void put_stream(struct location *l)
{
    PUT(Enter, 2);
    PUT(RmaPut, 0, 1, 4096, 1);
    put_metrics(l, &plain_fields);
    PUT(RmaOpCompleteBlocking, 0, 1);
    PUT(Leave, 2);
}

/* Asynchronous metrics: instances 4 to 7 of class 2, which has one member, a double. */
static void put_asynchronous_metrics(struct location *l)
{
    const OTF2_Type type = OTF2_TYPE_DOUBLE;

    for (uint32_t i = 0; i < 20; i++) {
        OTF2_MetricValue value = {.floating_point = 0.25 * i};
        PUT(Metric, 4 + i % 4, 1, &type, &value);
    }
    PUT(Metric, 3, 0, NULL, NULL);
}

/* From time 0 to the largest time, in strides. */
static void put_extremes(struct location *l)
{
    PUT(Enter, LAST_REF);
    put_all_kinds(l, &undefined_fields);
    l->time = UINT64_MAX - 1;
    l->step = 0;
    PUT(Leave, LAST_REF);
}

static uint64_t write_events(struct trace *t, OTF2_LocationRef ref)
{
    struct location l = {.trace = t,
                         .ref = ref,
                         .writer = trace_events(t, ref),
                         .list = OTF2_AttributeList_New(),
                         .time = 1000000,
                         .step = 1000};

    if (ref == L_PLAIN) {
        l.fields = &plain_fields;
        put_main(&l);
    } else if (ref == L_DENSE) {
        l.fields = &dense_fields;
        l.attribute_shift = 1;
        put_main(&l);
    } else if (ref == L_SPARSE) {
        l.fields = &sparse_fields;
        l.attribute_shift = 3;
        put_main(&l);
    } else if (ref == L_STREAM) {
        put_stream(&l);
    } else if (ref == L_METRIC) {
        put_asynchronous_metrics(&l);
    } else if (ref == L_EXTREME) {
        l.time = 0;
        l.step = UINT64_C(1) << 56;
        put_extremes(&l);
    }
    OTF2_AttributeList_Delete(l.list);
    trace_close_events(t, l.writer);
    return l.events;
}

/* ---- local definitions ---- */

/* The global id that stands for the I-th local one. */
static uint64_t global_id(OTF2_MappingType type, unsigned i)
{
    static const uint64_t strings[4] = {S_UTF8, S_EMPTY, S_SPARSE, S_LAST};
    static const uint64_t locations[4] = {L_SPARSE, L_PLAIN, L_METRIC, L_STREAM};

    return type == OTF2_MAPPING_STRING ? strings[i] : type == OTF2_MAPPING_LOCATION ? locations[i] : dense_ids[i];
}

static void write_map(struct trace *t, OTF2_DefWriter *out, OTF2_MappingType type, OTF2_IdMap *map)
{
    expect(t, OTF2_DefWriter_WriteMappingTable(out, type, map), "mapping table");
    OTF2_IdMap_Free(map);
}

static void write_dense_maps(struct trace *t, OTF2_DefWriter *out)
{
    for (OTF2_MappingType type = 0; type < OTF2_MAPPING_MAX; type++) {
        unsigned n = type == OTF2_MAPPING_ATTRIBUTE ? TYPES : 4;
        OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_DENSE, n);
        for (unsigned i = 0; i < n; i++)
            OTF2_IdMap_AddIdPair(map, i, type == OTF2_MAPPING_ATTRIBUTE ? (i + TYPES - 1) % TYPES : global_id(type, i));
        write_map(t, out, type, map);
    }
}

/* Local ids LOCAL_SPARSE, + 1, + 2 mean the sparse id, 1, and 0. */
static void write_sparse_maps(struct trace *t, OTF2_DefWriter *out)
{
    static const unsigned means[3] = {2, 0, 1};

    for (OTF2_MappingType type = 0; type < OTF2_MAPPING_MAX; type++) {
        OTF2_IdMap *map = OTF2_IdMap_Create(OTF2_ID_MAP_SPARSE, TYPES);
        if (type == OTF2_MAPPING_ATTRIBUTE)
            for (unsigned i = 0; i < TYPES; i++)
                OTF2_IdMap_AddIdPair(map, i, (i + TYPES - 3) % TYPES);
        else
            for (unsigned i = 0; i < 3; i++)
                OTF2_IdMap_AddIdPair(map, LOCAL_SPARSE + i, global_id(type, means[i]));
        write_map(t, out, type, map);
    }
}

/* Small ones where there are events (time must not turn back), extreme ones on the location without any. */
static void write_clock_offsets(struct trace *t, OTF2_DefWriter *out, OTF2_LocationRef ref)
{
    if (ref == L_PLAIN || ref == L_SPARSE) {
        expect(t, OTF2_DefWriter_WriteClockOffset(out, 1000, ref == L_PLAIN ? 0 : -500, 0.0), "clock offset");
        expect(t, OTF2_DefWriter_WriteClockOffset(out, 1200000, 250, 1e-9), "clock offset");
        expect(t, OTF2_DefWriter_WriteClockOffset(out, 3000000, 700, 0.5), "clock offset");
    } else if (ref == L_EMPTY) {
        expect(t, OTF2_DefWriter_WriteClockOffset(out, 0, INT64_MIN + 1, DBL_MAX), "clock offset");
        expect(t, OTF2_DefWriter_WriteClockOffset(out, UINT64_MAX - 1, INT64_MAX, DBL_MIN), "clock offset");
    }
}

/* Every location has a local file but L_METRIC's, which has none. */
static void write_local_definitions(struct trace *t, OTF2_LocationRef ref, const uint64_t events[7])
{
    if (ref == L_METRIC)
        return;
    OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(t->archive, ref);
    if (ref == L_DENSE)
        write_dense_maps(t, out);
    else if (ref == L_SPARSE)
        write_sparse_maps(t, out);
    else if (ref == L_STREAM)
        write_all_definitions(t, out, events);
    write_clock_offsets(t, out, ref);
    expect(t, OTF2_Archive_CloseDefWriter(t->archive, out), "closing a definition writer");
}

/* ---- markers, snapshots, thumbnails, texts ---- */

static void write_markers(struct trace *t)
{
    static const OTF2_MarkerScope scopes[6] = {OTF2_MARKER_SCOPE_GLOBAL,         OTF2_MARKER_SCOPE_LOCATION,
                                               OTF2_MARKER_SCOPE_LOCATION_GROUP, OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE,
                                               OTF2_MARKER_SCOPE_GROUP,          OTF2_MARKER_SCOPE_COMM};
    OTF2_MarkerWriter *out = OTF2_Archive_GetMarkerWriter(t->archive);
    char text[10001];

    memset(text, 'x', 10000);
    text[10000] = '\0';
    for (OTF2_MarkerSeverity i = OTF2_SEVERITY_NONE; i <= OTF2_SEVERITY_HIGH; i++)
        expect(t, OTF2_MarkerWriter_WriteDefMarker(out, i, i % 2 ? "group" : "", "category \xc3\xa4", i), "DefMarker");
    expect(t, OTF2_MarkerWriter_WriteDefMarker(out, LAST_REF, "far", text, OTF2_SEVERITY_HIGH), "DefMarker");
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t scope = scopes[i] == OTF2_MARKER_SCOPE_GLOBAL     ? OTF2_UNDEFINED_UINT64
                         : scopes[i] == OTF2_MARKER_SCOPE_LOCATION ? L_SPARSE
                                                                   : 1;
        expect(t, OTF2_MarkerWriter_WriteMarker(out, 1000000 + i, i * 100, i % 4, scopes[i], scope, "marker"),
               "Marker");
    }
    expect(t, OTF2_MarkerWriter_WriteMarker(out, 0, 0, 0, OTF2_MARKER_SCOPE_GLOBAL, 0, ""), "Marker");
    expect(t,
           OTF2_MarkerWriter_WriteMarker(out, UINT64_MAX - 1, UINT64_MAX, LAST_REF, OTF2_MARKER_SCOPE_LOCATION,
                                         L_EXTREME, text),
           "Marker");
    expect(t, OTF2_MarkerWriter_WriteMarker(out, 500, 1, DANGLING_REF, OTF2_MARKER_SCOPE_COMM, DANGLING_REF, "?"),
           "Marker");
    expect(t, OTF2_Archive_CloseMarkerWriter(t->archive, out), "closing the marker writer");
}

#define SNAP(Name, ...) expect(t, OTF2_SnapWriter_##Name(out, NULL, at, __VA_ARGS__), "snapshot " #Name)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void write_snapshot(struct trace *t, OTF2_SnapWriter *out, uint64_t at, const struct fields *f)
{
    const OTF2_Type types[3] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    const OTF2_MetricValue values[3] = {{.unsigned_int = UINT64_MAX},
                                        {.signed_int = INT64_MIN},
                                        {.floating_point = -1.5}};

    SNAP(SnapshotStart, 19);
    SNAP(MeasurementOnOff, at - 90, OTF2_MEASUREMENT_ON);
    SNAP(Enter, at - 80, f->region);
    SNAP(MpiSend, at - 70, f->u32, f->comm, f->u32, f->u64);
    SNAP(MpiIsend, at - 69, f->u32, f->comm, f->u32, f->u64, f->u64);
    SNAP(MpiIsendComplete, at - 68, f->u64);
    SNAP(MpiRecv, at - 67, f->u32, f->comm, f->u32, f->u64);
    SNAP(MpiIrecvRequest, at - 66, f->u64);
    SNAP(MpiIrecv, at - 65, f->u32, f->comm, f->u32, f->u64, f->u64);
    expect(t, OTF2_SnapWriter_MpiCollectiveBegin(out, NULL, at, at - 64), "snapshot MpiCollectiveBegin");
    SNAP(MpiCollectiveEnd, at - 63, OTF2_COLLECTIVE_OP_BCAST, f->comm, f->u32, f->u64, f->u64);
    SNAP(OmpFork, at - 62, f->u32);
    SNAP(OmpAcquireLock, at - 61, f->u32, f->u32);
    SNAP(OmpTaskCreate, at - 60, f->u64);
    SNAP(OmpTaskSwitch, at - 59, f->u64);
    SNAP(Metric, at - 58, f->metric_of_3, 3, types, values);
    SNAP(ParameterString, at - 57, f->parameter, f->string);
    SNAP(ParameterInt, at - 56, f->parameter, f->i64);
    SNAP(ParameterUnsignedInt, at - 55, f->parameter, f->u64);
    SNAP(SnapshotEnd, 1);
}
#pragma GCC diagnostic pop

/* otf2-print gives up unless every location has a snapshot file once there are any. */
static void write_snapshots(struct trace *t)
{
    static const struct fields *const fields[7] = {&plain_fields, &dense_fields, &sparse_fields};

    expect(t, OTF2_Archive_SetNumberOfSnapshots(t->archive, 2), "number of snapshots");
    expect(t, OTF2_Archive_OpenSnapFiles(t->archive), "opening snapshot files");
    for (int i = 0; i < 7; i++) {
        OTF2_SnapWriter *out = OTF2_Archive_GetSnapWriter(t->archive, everything_locations[i]);
        if (fields[i] != NULL) {
            write_snapshot(t, out, 1000000, fields[i]);
            write_snapshot(t, out, 1100000, &undefined_fields);
        } else {
            expect(t, OTF2_SnapWriter_SnapshotStart(out, NULL, 1000000, 0), "empty snapshot");
            expect(t, OTF2_SnapWriter_SnapshotEnd(out, NULL, 1000000, 0), "empty snapshot");
        }
        expect(t, OTF2_Archive_CloseSnapWriter(t->archive, out), "closing a snapshot writer");
    }
    expect(t, OTF2_Archive_CloseSnapFiles(t->archive), "closing snapshot files");
}

/*
 * libotf2 3.0.2 writes thumbnails but cannot read them: its reader looks for the header before it has
 * opened the file. It also leaks the file's name on writing; hence --no-thumbnails for leak checkers. */
static void write_thumbnails(struct trace *t)
{
    static const OTF2_ThumbnailType types[3] = {OTF2_THUMBNAIL_TYPE_REGION, OTF2_THUMBNAIL_TYPE_METRIC,
                                                OTF2_THUMBNAIL_TYPE_ATTRIBUTES};
    static const uint64_t refs[3] = {0, 1, UINT64_MAX};

    for (uint32_t i = 0; i < 3; i++) {
        OTF2_ThumbWriter *out = OTF2_Archive_GetThumbWriter(t->archive, i ? "thumb" : "", "description \xe2\x82\xac",
                                                            types[i], 4, i + 1, refs);
        for (uint64_t sample = 0; sample < 4; sample++) {
            const uint64_t values[3] = {sample, 0, UINT64_MAX};
            expect(t, OTF2_ThumbWriter_WriteSample(out, sample == 3 ? UINT64_MAX : sample, i + 1, values), "thumbnail");
        }
    }
}

static void write_texts(struct trace *t)
{
    OTF2_Archive *a = t->archive;

    expect(t, OTF2_Archive_SetMachineName(a, "machine \xc3\xa4"), "machine name");
    expect(t, OTF2_Archive_SetDescription(a, "line one\nline two, \"quoted\""), "description");
    expect(t, OTF2_Archive_SetCreator(a, "everything 1.0"), "creator");
    expect(t, OTF2_Archive_SetBoolProperty(a, "OTF2::MPI_COMMUNICATION_COMPLETE", false, true), "property");
    expect(t, OTF2_Archive_SetBoolProperty(a, "OTF2::THREAD_LOCK_EVENT_COMPLETE", true, true), "property");
    expect(t, OTF2_Archive_SetProperty(a, "TCFLOW_TEST::TEXT", "value with \xc3\xbc and = ; #", true), "property");
    expect(t, OTF2_Archive_SetProperty(a, "TCFLOW_TEST::DEEPER::NUMBER", "0", true), "property");
}

static void write_archive(struct trace *t, bool thumbnails)
{
    uint64_t events[7];

    write_texts(t);
    for (int i = 0; i < 7; i++)
        events[i] = write_events(t, everything_locations[i]);
    expect(t, OTF2_Archive_OpenDefFiles(t->archive), "opening definition files");
    for (int i = 0; i < 7; i++)
        write_local_definitions(t, everything_locations[i], events);
    expect(t, OTF2_Archive_CloseDefFiles(t->archive), "closing definition files");
    write_snapshots(t);
    write_markers(t);
    if (thumbnails)
        write_thumbnails(t);
    write_all_definitions(t, NULL, events);
    for (int i = 0; i < 7; i++)
        printf("location %" PRIu64 " events %" PRIu64 "\n", everything_locations[i], events[i]);
}

struct options {
    const char *directory;
    int no_thumbnails;
};

static const option_row rows[] = {
    {0, "no-thumbnails", NULL, "libotf2 leaks memory as it writes them", TCF_BOOL, AT(no_thumbnails)},
};

int write_everything(const struct command *c)
{
    struct options o = {0};
    struct trace t;

    take_options(c, rows, TCF_COUNT(rows), &o);
    if (!trace_open(&t, o.directory, OTF2_CHUNK_SIZE_MIN))
        return 1;
    write_archive(&t, !o.no_thumbnails);
    return trace_close(&t);
}
