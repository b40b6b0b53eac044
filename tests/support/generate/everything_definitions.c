/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Every kind of definition in every variant, for `trace everything`.
 *
 * The same code writes the global definitions and a local file: libotf2 has a function of the same
 * name and arguments for both. Extremes, undefined and dangling references, and duplicates are meant. */
#include "everything.h"

#include <float.h>
#include <math.h>
#include <string.h>

const OTF2_LocationRef everything_locations[7] = {L_PLAIN, L_DENSE, L_SPARSE, L_STREAM, L_METRIC, L_EXTREME, L_EMPTY};

struct definer {
    struct trace *trace;
    OTF2_DefWriter *local; /* NULL: the global definitions */
    const uint64_t *events;
};

/* DEFINE(String, id, text) and so on. */
#define DEFINE(Name, ...)                                                                                              \
    expect(d->trace,                                                                                                   \
           d->local ? OTF2_DefWriter_Write##Name(d->local, __VA_ARGS__)                                                \
                    : OTF2_GlobalDefWriter_Write##Name(d->trace->global, __VA_ARGS__),                                 \
           #Name)
#define DEFINE_GLOBAL(Name, ...) TRACE_DEFINE(d->trace, Name, __VA_ARGS__)

static const uint32_t refs[] = {0, 1, SPARSE_REF, LAST_REF};
enum { REFS = sizeof refs / sizeof *refs };

OTF2_AttributeValue sample_value(OTF2_Type type, unsigned variant)
{
    static const double reals[3] = {0.0, -2.718281828459045, DBL_MAX};
    static const uint64_t unsigneds[3] = {0, 42, UINT64_MAX};
    static const int64_t signeds[3] = {0, -42, INT64_MIN};
    OTF2_AttributeValue value;

    memset(&value, 0, sizeof value);
    switch (type) {
    case OTF2_TYPE_UINT8:
        value.uint8 = (uint8_t)unsigneds[variant];
        break;
    case OTF2_TYPE_UINT16:
        value.uint16 = (uint16_t)unsigneds[variant];
        break;
    case OTF2_TYPE_UINT64:
        value.uint64 = unsigneds[variant];
        break;
    case OTF2_TYPE_INT8:
        value.int8 = variant == 2 ? INT8_MIN : (int8_t)signeds[variant];
        break;
    case OTF2_TYPE_INT16:
        value.int16 = variant == 2 ? INT16_MIN : (int16_t)signeds[variant];
        break;
    case OTF2_TYPE_INT32:
        value.int32 = variant == 2 ? INT32_MIN : (int32_t)signeds[variant];
        break;
    case OTF2_TYPE_INT64:
        value.int64 = signeds[variant];
        break;
    case OTF2_TYPE_FLOAT:
        value.float32 = variant == 2 ? -FLT_MAX : (float)reals[variant];
        break;
    case OTF2_TYPE_DOUBLE:
        value.float64 = reals[variant];
        break;
    case OTF2_TYPE_LOCATION:
        value.locationRef = variant == 1 ? L_SPARSE : unsigneds[variant];
        break;
    case OTF2_TYPE_STRING:
        value.stringRef = variant == 1 ? S_UTF8 : (uint32_t)unsigneds[variant];
        break;
    case OTF2_TYPE_NONE:
        break;
    default:
        value.uint32 = variant == 1 ? 1 : (uint32_t)unsigneds[variant];
        break; /* UINT32 and references */
    }
    return value;
}

static void define_strings(const struct definer *d)
{
    char text[10001];

    for (int i = 0; i < 10000; i++)
        text[i] = (char)('!' + i % 90);
    text[10000] = '\0';
    DEFINE(String, S_SPARSE, "out of order: the highest ids come first");
    DEFINE(String, S_LAST, "last id");
    DEFINE(String, S_EMPTY, "");
    DEFINE(String, S_NAME, "name");
    DEFINE(String, S_UTF8,
           "\xc3\xa4\xc3\xb6\xc3\xbc \xe2\x82\xac \xf0\x9f\x90\x99 \"quoted\" <tag> a,b;c\tnew\nline \\n");
    DEFINE(String, S_LONG, text);
    DEFINE(String, S_TWICE, "twice");
    DEFINE(String, S_TWICE, "twice");
    DEFINE(String, S_CHANGED, "first text");
    DEFINE(String, S_CHANGED, "second text");
}

static void define_paradigms(const struct definer *d)
{
    const OTF2_AttributeValue template = {.stringRef = S_NAME}, yes = {.uint8 = 1};
    const OTF2_IoParadigmProperty property = OTF2_IO_PARADIGM_PROPERTY_VERSION;
    const OTF2_Type type = OTF2_TYPE_STRING;

    for (unsigned i = 0; i <= OTF2_PARADIGM_KOKKOS; i++)
        DEFINE_GLOBAL(Paradigm, (OTF2_Paradigm)i, i % 2 ? S_NAME : S_UTF8, (OTF2_ParadigmClass)(i % 4));
    DEFINE_GLOBAL(ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, type, template);
    DEFINE_GLOBAL(ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE, type, template);
    DEFINE_GLOBAL(ParadigmProperty, OTF2_PARADIGM_SHMEM, OTF2_PARADIGM_PROPERTY_RMA_ONLY, OTF2_TYPE_UINT8, yes);
    DEFINE_GLOBAL(IoParadigm, 0, S_NAME, S_UTF8, OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 1, &property,
                  &type, &template);
    DEFINE_GLOBAL(IoParadigm, 1, S_EMPTY, S_LONG, OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0, NULL,
                  NULL, NULL);
    DEFINE_GLOBAL(IoParadigm, 254, S_NAME, S_LAST, OTF2_IO_PARADIGM_CLASS_SERIAL, 0, 0, NULL, NULL, NULL);
}

static void define_attributes(const struct definer *d)
{
    for (OTF2_Type type = 0; type < TYPES; type++)
        DEFINE(Attribute, type, S_NAME, type % 2 ? S_UTF8 : S_EMPTY, type);
    DEFINE(Attribute, SPARSE_REF, S_DANGLING, OTF2_UNDEFINED_STRING, OTF2_TYPE_UINT64);
    DEFINE(Attribute, LAST_REF, S_LONG, S_LONG, OTF2_TYPE_DOUBLE);
}

static void define_system_tree(const struct definer *d)
{
    DEFINE(SystemTreeNode, 0, S_NAME, S_NAME, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(SystemTreeNode, 1, S_NAME, S_UTF8, 0);
    DEFINE(SystemTreeNode, SPARSE_REF, S_EMPTY, S_LONG, 1);
    DEFINE(SystemTreeNode, LAST_REF, S_UTF8, S_EMPTY, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (OTF2_SystemTreeDomain i = 0; i <= OTF2_SYSTEM_TREE_DOMAIN_NETWORKING_DEVICE; i++)
        DEFINE(SystemTreeNodeDomain, i % 2, i);
    for (OTF2_Type type = 1; type < TYPES; type++)
        for (unsigned v = 0; v < 3; v++)
            DEFINE(SystemTreeNodeProperty, v % 2, S_NAME, type, sample_value(type, v));
}

static void define_locations(const struct definer *d)
{
    static const OTF2_LocationGroupRef groups[7] = {0, 0, 1, SPARSE_REF, 0, LAST_REF, 1};
    static const OTF2_LocationType types[7] = {OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_LOCATION_TYPE_CPU_THREAD,
                                               OTF2_LOCATION_TYPE_CPU_THREAD, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                               OTF2_LOCATION_TYPE_METRIC,     OTF2_LOCATION_TYPE_UNKNOWN,
                                               OTF2_LOCATION_TYPE_CPU_THREAD};

    DEFINE(LocationGroup, 0, S_NAME, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
    DEFINE(LocationGroup, 1, S_UTF8, OTF2_LOCATION_GROUP_TYPE_PROCESS, 1, OTF2_UNDEFINED_LOCATION_GROUP);
    DEFINE(LocationGroup, SPARSE_REF, S_NAME, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 0);
    DEFINE(LocationGroup, LAST_REF, S_EMPTY, OTF2_LOCATION_GROUP_TYPE_UNKNOWN, OTF2_UNDEFINED_SYSTEM_TREE_NODE,
           OTF2_UNDEFINED_LOCATION_GROUP);
    for (int i = 0; i < 7; i++)
        DEFINE(Location, everything_locations[i], i % 3 ? S_NAME : S_UTF8, types[i], d->events[i], groups[i]);
    DEFINE(Location, everything_locations[5], S_NAME, types[5], d->events[5], groups[5]); /* twice */
    for (OTF2_Type type = 1; type < TYPES; type++)
        for (unsigned v = 0; v < 3; v++) {
            DEFINE(LocationGroupProperty, v % 2, S_NAME, type, sample_value(type, v));
            DEFINE(LocationProperty, everything_locations[v], S_UTF8, type, sample_value(type, v));
        }
}

static void define_regions(const struct definer *d)
{
    for (uint32_t i = 0; i <= OTF2_REGION_ROLE_FILE_IO_METADATA; i++)
        DEFINE(Region, i, S_NAME, S_UTF8, i % 2 ? S_EMPTY : S_LONG, (OTF2_RegionRole)i, (OTF2_Paradigm)(i % 25), i % 4,
               S_NAME, i, 2 * i);
    DEFINE(Region, SPARSE_REF, S_NAME, S_NAME, S_NAME, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
           OTF2_REGION_FLAG_PHASE, S_SPARSE, 0, UINT32_MAX);
    DEFINE(Region, LAST_REF, S_LAST, S_DANGLING, OTF2_UNDEFINED_STRING, UINT8_MAX, UINT8_MAX, UINT32_MAX, S_DANGLING,
           UINT32_MAX, UINT32_MAX);
    DEFINE(Region, LAST_REF - 1, OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_STRING,
           OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_UNKNOWN, 0, OTF2_UNDEFINED_STRING, 0, 0);
    DEFINE(Region, 0, S_NAME, S_UTF8, S_LONG, OTF2_REGION_ROLE_UNKNOWN, OTF2_PARADIGM_UNKNOWN, 0, S_NAME, 0, 0);
    for (int i = 0; i < REFS; i++) {
        DEFINE(SourceCodeLocation, refs[i], i % 2 ? S_NAME : S_LAST, i % 2 ? UINT32_MAX : 7);
        DEFINE(Callpath, refs[i], i == 0 ? OTF2_UNDEFINED_CALLPATH : refs[i - 1], refs[i]);
        DEFINE(CallingContext, refs[i], refs[i], refs[i], i == 0 ? OTF2_UNDEFINED_CALLING_CONTEXT : refs[i - 1]);
        DEFINE(InterruptGenerator, refs[i], S_NAME, (OTF2_InterruptGeneratorMode)(i % 2), (OTF2_Base)(i / 2),
               i % 2 ? INT64_MIN : -9, i % 2 ? UINT64_MAX : 1);
        DEFINE(Parameter, refs[i], S_NAME, (OTF2_ParameterType)(i % 3));
    }
    for (OTF2_Type type = 1; type < TYPES; type++)
        for (unsigned v = 0; v < 3; v++) {
            DEFINE(CallingContextProperty, refs[v], S_NAME, type, sample_value(type, v));
            DEFINE(CallpathParameter, refs[v], 1, type, sample_value(type, v));
        }
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void define_callsites(const struct definer *d)
{
    DEFINE(Callsite, 0, S_NAME, 12, 1, 2);
    DEFINE(Callsite, LAST_REF, S_DANGLING, UINT32_MAX, OTF2_UNDEFINED_REGION, DANGLING_REF);
}
#pragma GCC diagnostic pop

static void define_groups(const struct definer *d)
{
    const uint64_t locations[3] = {L_PLAIN, L_DENSE, L_SPARSE}, ranks[3] = {0, 1, 2};
    const uint64_t members[4] = {0, 1, DANGLING_REF, LAST_REF}, last[1] = {UINT64_MAX};

    DEFINE(Group, 0, S_NAME, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3, locations);
    DEFINE(Group, 1, S_NAME, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 3, ranks);
    DEFINE(Group, 2, S_EMPTY, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL);
    DEFINE(Group, 3, S_UTF8, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_GLOBAL_MEMBERS, 2,
           locations);
    DEFINE(Group, 4, S_NAME, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_UNKNOWN, OTF2_GROUP_FLAG_NONE, 3, locations);
    DEFINE(Group, 5, S_NAME, OTF2_GROUP_TYPE_REGIONS, OTF2_PARADIGM_NONE, OTF2_GROUP_FLAG_NONE, 4, members);
    DEFINE(Group, 6, S_NAME, OTF2_GROUP_TYPE_METRIC, OTF2_PARADIGM_HARDWARE, OTF2_GROUP_FLAG_NONE, 2, members);
    DEFINE(Group, 7, S_NAME, OTF2_GROUP_TYPE_UNKNOWN, OTF2_PARADIGM_KOKKOS, UINT32_MAX, 1, last);
    DEFINE(Group, 8, S_NAME, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 2, locations);
    DEFINE(Group, 9, S_NAME, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 2, ranks);
    DEFINE(Group, SPARSE_REF, S_NAME, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 2,
           ranks + 1);
    DEFINE(Group, LAST_REF, S_DANGLING, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, 0, NULL);
}

static void define_communicators(const struct definer *d)
{
    DEFINE(Comm, 0, S_NAME, 1, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(Comm, 1, S_UTF8, 3, 0, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    DEFINE(Comm, 2, S_EMPTY, 2, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE);
    DEFINE(Comm, 3, S_NAME, 9, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE); /* a thread team */
    DEFINE(Comm, SPARSE_REF, S_NAME, SPARSE_REF, 1, OTF2_COMM_FLAG_NONE);
    DEFINE(Comm, LAST_REF, OTF2_UNDEFINED_STRING, OTF2_UNDEFINED_GROUP, OTF2_UNDEFINED_COMM, UINT32_MAX);
    DEFINE(InterComm, 4, S_NAME, 1, SPARSE_REF, 0, OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS);
    DEFINE(InterComm, 5, S_DANGLING, OTF2_UNDEFINED_GROUP, OTF2_UNDEFINED_GROUP, OTF2_UNDEFINED_COMM, 0);
    DEFINE(RmaWin, 0, S_NAME, 0, OTF2_RMA_WIN_FLAG_NONE);
    DEFINE(RmaWin, 1, S_UTF8, 1, OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    DEFINE(RmaWin, SPARSE_REF, S_NAME, 2, 0);
    DEFINE(RmaWin, LAST_REF, S_LONG, OTF2_UNDEFINED_COMM, UINT32_MAX);
}

static void define_topologies(const struct definer *d)
{
    OTF2_CartDimensionRef dimensions[255];
    uint32_t coordinates[255];

    for (uint32_t i = 0; i < 255; i++) {
        dimensions[i] = i == 254 ? LAST_REF : i;
        coordinates[i] = i == 254 ? UINT32_MAX : i;
        DEFINE(CartDimension, dimensions[i], S_NAME, i == 254 ? UINT32_MAX : i, (OTF2_CartPeriodicity)(i % 2));
    }
    DEFINE(CartTopology, 0, S_NAME, 0, 2, dimensions);
    DEFINE(CartTopology, 1, S_NAME, 1, 255, dimensions);
    DEFINE(CartTopology, LAST_REF, S_DANGLING, OTF2_UNDEFINED_COMM, 1, dimensions + 254);
    DEFINE(CartCoordinate, 0, 0, 2, coordinates);
    DEFINE(CartCoordinate, 0, 2, 2, coordinates + 1);
    DEFINE(CartCoordinate, 1, 1, 255, coordinates);
}

/* Metric members 0..254: all value types, modes and sources in turn; members 255 and LAST_REF are odd. */
static void define_metrics(const struct definer *d)
{
    static const OTF2_Type types[3] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE};
    static const OTF2_MetricMode modes[10] = {OTF2_METRIC_ACCUMULATED_START, OTF2_METRIC_ACCUMULATED_POINT,
                                              OTF2_METRIC_ACCUMULATED_LAST,  OTF2_METRIC_ACCUMULATED_NEXT,
                                              OTF2_METRIC_ABSOLUTE_POINT,    OTF2_METRIC_ABSOLUTE_LAST,
                                              OTF2_METRIC_ABSOLUTE_NEXT,     OTF2_METRIC_RELATIVE_POINT,
                                              OTF2_METRIC_RELATIVE_LAST,     OTF2_METRIC_RELATIVE_NEXT};
    OTF2_MetricMemberRef members[255];

    for (uint32_t i = 0; i < 255; i++) {
        members[i] = i;
        DEFINE(MetricMember, i, S_NAME, S_UTF8, (OTF2_MetricType)(i % 4), modes[i % 10], types[i % 3],
               (OTF2_Base)(i % 2),
               i == 7   ? INT64_MIN
               : i == 8 ? INT64_MAX
                        : (int64_t)i - 100,
               S_NAME);
    }
    DEFINE(MetricMember, LAST_REF, S_DANGLING, OTF2_UNDEFINED_STRING, UINT8_MAX, UINT8_MAX, UINT8_MAX, UINT8_MAX, 0,
           OTF2_UNDEFINED_STRING);
    DEFINE(MetricClass, 0, 3, members, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
    DEFINE(MetricClass, 1, 255, members, OTF2_METRIC_SYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
    DEFINE(MetricClass, 2, 1, members + 2, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_GPU);
    DEFINE(MetricClass, 3, 0, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_UNKNOWN);
    DEFINE(MetricInstance, 4, 2, L_METRIC, OTF2_SCOPE_LOCATION, L_SPARSE);
    DEFINE(MetricInstance, 5, 2, L_METRIC, OTF2_SCOPE_LOCATION_GROUP, 1);
    DEFINE(MetricInstance, 6, 2, L_METRIC, OTF2_SCOPE_SYSTEM_TREE_NODE, 0);
    DEFINE(MetricInstance, 7, 2, L_METRIC, OTF2_SCOPE_GROUP, 4);
    DEFINE(MetricInstance, SPARSE_REF, 1, L_PLAIN, OTF2_SCOPE_LOCATION, L_PLAIN);
    DEFINE(MetricInstance, LAST_REF, DANGLING_REF, OTF2_UNDEFINED_LOCATION, UINT8_MAX, UINT64_MAX);
    DEFINE(MetricClassRecorder, 2, L_METRIC);
    DEFINE(MetricClassRecorder, DANGLING_REF, OTF2_UNDEFINED_LOCATION);
}

static void define_io(const struct definer *d)
{
    DEFINE(IoRegularFile, 0, S_NAME, 0);
    DEFINE(IoDirectory, 1, S_UTF8, 1);
    DEFINE(IoRegularFile, SPARSE_REF, S_LONG, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(IoDirectory, LAST_REF, S_LAST, DANGLING_REF);
    for (OTF2_Type type = 1; type < TYPES; type++)
        for (unsigned v = 0; v < 3; v++)
            DEFINE(IoFileProperty, v % 2, S_NAME, type, sample_value(type, v));
    DEFINE(IoHandle, 0, S_NAME, 0, 0, OTF2_IO_HANDLE_FLAG_PRE_CREATED, OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
    DEFINE(IoHandle, 1, S_UTF8, 1, 1, OTF2_IO_HANDLE_FLAG_ALL_PROXY, 0, 0);
    DEFINE(IoHandle, SPARSE_REF, S_EMPTY, 0, 0, OTF2_IO_HANDLE_FLAG_NONE, 1, 1);
    DEFINE(IoHandle, LAST_REF, S_LAST, OTF2_UNDEFINED_IO_FILE, OTF2_UNDEFINED_IO_PARADIGM, UINT32_MAX, DANGLING_REF,
           DANGLING_REF);
    for (OTF2_IoAccessMode mode = 0; mode <= OTF2_IO_ACCESS_MODE_SEARCH_ONLY; mode++)
        DEFINE(IoPreCreatedHandleState, 0, mode, mode == 0 ? UINT32_MAX : mode);
}

void write_all_definitions(struct trace *t, OTF2_DefWriter *local, const uint64_t events[7])
{
    const struct definer definer = {t, local, events}, *d = &definer;

    if (local == NULL)
        DEFINE_GLOBAL(ClockProperties, UINT64_C(1000000000), 0, UINT64_MAX - 2, 1700000000000000000);
    define_strings(d);
    if (local == NULL)
        define_paradigms(d);
    define_attributes(d);
    define_system_tree(d);
    define_locations(d);
    define_regions(d);
    define_callsites(d);
    define_groups(d);
    define_communicators(d);
    define_topologies(d);
    define_metrics(d);
    define_io(d);
}
