/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace hostile: a small program of three ranks, with one thing that an attacker would put into an archive (--what).
 *
 * Values are as large as their fields; definitions refer to themselves and to each other in circles, are there
 * thousands of times, or lead nowhere; events begin what never ends, end what never began, or all have one number. Each
 * archive can be read: a run over it ends with a result or a message, in time and memory that fit the archive's size.
 */
#include "kinds.h"
#include "trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum { RANKS = 3, ROUNDS = 12, STEP = 1000, TICKS_PER_SECOND = 1000000000, MANY = 20000 };
enum strings { EMPTY, MACHINE, NODE, RANK, WORLD_NAME, TEXT, FIRST_NAME };
enum region { MAIN, WORK, SEND, RECEIVE, BARRIER, ALLREDUCE, WAITALL, PUT_, OPEN, REGIONS };
enum { WORLD, WINDOW = 0, ALL_LOCATIONS = 0, ALL_RANKS };

struct options {
    const char *directory, *what;
    uint64_t n;
    int list;
};

static const option_row rows[] = {
    {0, "what", "NAME", "the attack", TCF_STRING, AT(what), ""},
    {0, "n", "N", "how often, where something is there many times", TCF_SIZE, AT(n), "20000"},
    {0, "list", NULL, "print the names of attacks, and write nothing", TCF_BOOL, AT(list)},
};

struct writer {
    struct trace trace;
    OTF2_EvtWriter *out;
    uint32_t rank, n;
    uint64_t now, step, begin;
    uint64_t count[RANKS];
    /* Of the usual program, where an attack changes them. */
    uint64_t message_bytes, size, resolution, first, length, location[RANKS];
    uint32_t tag, root;
};

static uint64_t stamp(struct writer *w)
{
    w->count[w->rank]++;
    return w->now += w->step;
}

#define PUT(Name, ...) expect(&w->trace, OTF2_EvtWriter_##Name(w->out, NULL, stamp(w), ##__VA_ARGS__), #Name)
#define DEFINE(Name, ...) TRACE_DEFINE(&w->trace, Name, __VA_ARGS__)
#define MOST32 (UINT32_MAX - 1) /* the largest one that isn't "undefined" */

static OTF2_AttributeValue value_of(uint64_t bits)
{
    return (OTF2_AttributeValue){.uint64 = bits};
}

/* ------------------------------------------------------------------------------- definitions, behind the usual ones */

static void ids_at_the_end(struct writer *w)
{
    const uint64_t member[] = {0};
    const OTF2_MetricMemberRef metric = MOST32;
    DEFINE(String, MOST32, "last");
    DEFINE(Attribute, MOST32, MOST32, MOST32, OTF2_TYPE_UINT64);
    DEFINE(SystemTreeNode, MOST32, MOST32, MOST32, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    DEFINE(LocationGroup, MOST32, MOST32, OTF2_LOCATION_GROUP_TYPE_PROCESS, MOST32, OTF2_UNDEFINED_LOCATION_GROUP);
    DEFINE(Location, UINT64_MAX - 1, MOST32, OTF2_LOCATION_TYPE_CPU_THREAD, 0, MOST32);
    DEFINE(Region, MOST32, MOST32, MOST32, MOST32, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0, MOST32, MOST32,
           UINT32_MAX);
    DEFINE(Group, MOST32, MOST32, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 1, member);
    DEFINE(Comm, MOST32, MOST32, MOST32, MOST32 - 1, 0);
    DEFINE(RmaWin, MOST32, MOST32, MOST32, 0);
    DEFINE(Parameter, MOST32, MOST32, OTF2_PARAMETER_TYPE_STRING);
    DEFINE(MetricMember, MOST32, MOST32, MOST32, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
           OTF2_BASE_DECIMAL, INT64_MIN, MOST32);
    DEFINE(MetricClass, MOST32, 1, &metric, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    DEFINE(CallingContext, MOST32, MOST32, MOST32, OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void ids_at_the_end_events(struct writer *w)
{
    const OTF2_Type type = OTF2_TYPE_UINT64;
    const OTF2_MetricValue value = {.unsigned_int = UINT64_MAX};
    PUT(Enter, MOST32);
    PUT(Metric, MOST32, 1, &type, &value);
    PUT(ParameterString, MOST32, MOST32);
    PUT(MpiSend, MOST32, MOST32, MOST32, UINT64_MAX);
    PUT(RmaPut, MOST32, MOST32, UINT64_MAX, UINT64_MAX);
    PUT(CallingContextEnter, MOST32, MOST32);
    PUT(CallingContextLeave, MOST32);
    PUT(Leave, MOST32);
}

static void undefined_ids(struct writer *w)
{
    const uint64_t member[] = {UINT64_MAX};
    DEFINE(String, UINT32_MAX, "undefined");
    DEFINE(Region, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0,
           UINT32_MAX, 0, 0);
    DEFINE(LocationGroup, UINT32_MAX, UINT32_MAX, OTF2_LOCATION_GROUP_TYPE_PROCESS, UINT32_MAX, UINT32_MAX);
    DEFINE(Location, UINT64_MAX, UINT32_MAX, OTF2_LOCATION_TYPE_CPU_THREAD, 0, UINT32_MAX);
    DEFINE(Group, UINT32_MAX, UINT32_MAX, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 1, member);
    DEFINE(Comm, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 0);
}

static void undefined_ids_events(struct writer *w)
{
    PUT(Enter, UINT32_MAX);
    PUT(MpiSend, 0, UINT32_MAX, 0, 0);
    PUT(MpiCollectiveBegin);
    PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, UINT32_MAX, UINT32_MAX, 0, 0);
    PUT(Leave, UINT32_MAX);
}

static void strings_twice(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(String, TEXT, "again");
}

static void regions_twice(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(Region, WORK, TEXT, TEXT, TEXT, (OTF2_RegionRole)(i % 30), OTF2_PARADIGM_MPI, 0, EMPTY, i, i);
}

static void locations_twice(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(Location, 1, TEXT, OTF2_LOCATION_TYPE_CPU_THREAD, i, 0);
}

static void groups_twice(struct writer *w)
{
    const uint64_t member[] = {1, 0, 2};
    for (uint32_t i = 0; i < w->n; i++) {
        DEFINE(Group, ALL_RANKS, EMPTY, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, i % 4, member);
        DEFINE(Comm, WORLD, EMPTY, i % 3, WORLD, 0);
    }
}

static void clocks_twice(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(ClockProperties, i, UINT64_MAX - i, i, 0);
}

static void processes_twice(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        DEFINE(SystemTreeNode, 0, TEXT, TEXT, i);
        DEFINE(LocationGroup, 0, TEXT, (OTF2_LocationGroupType)(i % 4), i, i);
    }
}

static void tree_cycles(struct writer *w)
{
    DEFINE(SystemTreeNode, 1, TEXT, TEXT, 1);
    DEFINE(SystemTreeNode, 2, TEXT, TEXT, 3);
    DEFINE(SystemTreeNode, 3, TEXT, TEXT, 4);
    DEFINE(SystemTreeNode, 4, TEXT, TEXT, 2);
    for (uint32_t i = 0; i < 4; i++) {
        DEFINE(LocationGroup, 10 + i, TEXT, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1 + i, 10 + (i + 1) % 4);
        DEFINE(Location, 10 + i, TEXT, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 10 + i);
        DEFINE(SystemTreeNodeProperty, 1 + i, TEXT, OTF2_TYPE_STRING, value_of(MOST32));
        DEFINE(SystemTreeNodeDomain, 1 + i, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
    }
}

static void deep_tree(struct writer *w)
{
    for (uint32_t i = 1; i <= w->n; i++)
        DEFINE(SystemTreeNode, i, TEXT, TEXT, i - 1);
    for (uint32_t i = 0; i < w->n; i += 4) {
        DEFINE(LocationGroup, 10 + i, TEXT, OTF2_LOCATION_GROUP_TYPE_PROCESS, w->n - i, i ? 6 + i : 10);
        DEFINE(Location, 10 + i, TEXT, OTF2_LOCATION_TYPE_CPU_THREAD, 0, 10 + i);
    }
}

static void comm_cycles(struct writer *w)
{
    const uint64_t member[] = {0, 0, 1, 1, UINT64_MAX, 1 << 20};
    for (uint32_t i = 0; i < 4; i++) {
        DEFINE(Group, 10 + i, TEXT, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 3 + i, member);
        DEFINE(Comm, 10 + i, TEXT, 10 + i, 10 + (i + 1) % 4, 0);
        DEFINE(InterComm, 20 + i, TEXT, 10 + i, 10 + (i + 1) % 4, 20 + i, 0);
    }
    DEFINE(Comm, 30, TEXT, OTF2_UNDEFINED_GROUP, 30, 0);
    DEFINE(Group, 40, TEXT, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 6, member);
    DEFINE(Comm, 40, TEXT, 40, 40, 0);
    DEFINE(Group, 41, TEXT, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 6, member);
    DEFINE(Comm, 41, TEXT, 41, 41, 0);
    DEFINE(Group, 42, TEXT, OTF2_GROUP_TYPE_LOCATIONS, OTF2_PARADIGM_OPENMP, 0, 6, member);
    DEFINE(Comm, 42, TEXT, 42, WORLD, 0);
    DEFINE(RmaWin, 10, TEXT, 10, 0);
    DEFINE(RmaWin, 11, TEXT, 40, 0);
}

static void comm_cycles_events(struct writer *w)
{
    static const uint32_t comm[] = {10, 11, 12, 13, 20, 21, 30, 40, 41, 42};
    for (uint32_t i = 0; i < sizeof comm / sizeof *comm; i++) {
        PUT(CommCreate, comm[i]);
        PUT(Enter, BARRIER);
        PUT(MpiCollectiveBegin);
        PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, comm[i], 1, 8, 8);
        PUT(Leave, BARRIER);
        PUT(Enter, SEND);
        PUT(MpiSend, (w->rank + 1) % RANKS, comm[i], 0, 8);
        PUT(MpiSend, w->rank, comm[i], 0, 8);
        PUT(Leave, SEND);
        PUT(Enter, RECEIVE);
        PUT(MpiRecv, (w->rank + 2) % RANKS, comm[i], 0, 8);
        PUT(MpiRecv, w->rank, comm[i], 0, 8);
        PUT(Leave, RECEIVE);
        PUT(ThreadTeamBegin, comm[i]);
        PUT(ThreadTeamEnd, comm[i]);
        PUT(CommDestroy, comm[i]);
    }
    PUT(RmaWinCreate, 10);
    PUT(RmaCollectiveBegin);
    PUT(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, 0, 10, 0, 0, 0);
    PUT(RmaWinDestroy, 11);
}

static void comm_chain(struct writer *w)
{
    for (uint32_t i = 1; i <= w->n; i++)
        DEFINE(Comm, i, TEXT, ALL_RANKS, i - 1, 0);
}

static void comm_chain_events(struct writer *w)
{
    for (uint32_t i = w->n > 500 ? w->n - 500 : 1; i <= w->n; i++) {
        PUT(MpiCollectiveBegin);
        PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, i, UINT32_MAX, 0, 0);
    }
}

static void large_comms(struct writer *w)
{
    static uint64_t member[4096];
    for (uint32_t i = 0; i < 4096; i++)
        member[i] = i % RANKS;
    DEFINE(Group, 10, TEXT, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 4096, member);
    for (uint32_t i = 1; i <= w->n; i++)
        DEFINE(Comm, i, TEXT, 10, i % 7, 0);
    for (uint32_t i = 0; i < w->n / 50; i++) {
        member[i % 4096]++;
        DEFINE(Group, 11 + i, TEXT, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 4096, member);
        DEFINE(InterComm, w->n + 1 + i, TEXT, 10, 11 + i, WORLD, 0);
    }
}

static void large_comms_events(struct writer *w)
{
    for (uint32_t i = 1; i <= 200; i++) {
        PUT(MpiCollectiveBegin);
        PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLTOALL, i % 2 ? i : w->n + i, UINT32_MAX, 0, 0);
    }
}

static void context_cycles(struct writer *w)
{
    for (uint32_t i = 0; i < 4; i++) {
        DEFINE(SourceCodeLocation, i, MOST32 - i, UINT32_MAX);
        DEFINE(CallingContext, i, i == 3 ? MOST32 : i, i, (i + 1) % 4);
        DEFINE(CallingContextProperty, i, TEXT, OTF2_TYPE_REGION, value_of(UINT64_MAX));
        DEFINE(Callpath, i, (i + 1) % 4, i);
    }
    DEFINE(CallingContext, 4, MAIN, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 4);
    DEFINE(InterruptGenerator, 0, TEXT, OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_BINARY, INT64_MIN, UINT64_MAX);
    DEFINE(InterruptGenerator, 1, TEXT, OTF2_INTERRUPT_GENERATOR_MODE_COUNT, OTF2_BASE_DECIMAL, INT64_MAX, 0);
}

static void context_cycles_events(struct writer *w)
{
    for (uint32_t i = 0; i < 5; i++) {
        PUT(CallingContextEnter, i, UINT32_MAX);
        PUT(CallingContextSample, i, i, i % 2);
    }
    for (uint32_t i = 0; i < 5; i++)
        PUT(CallingContextLeave, i);
    PUT(CallingContextSample, UINT32_MAX, 0, UINT32_MAX);
}

static void deep_contexts(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(CallingContext, i, i % REGIONS, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, i ? i - 1 : UINT32_MAX);
}

static void deep_contexts_events(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        PUT(CallingContextSample, w->n - 1 - i, i, 0);
    for (uint32_t i = 0; i < w->n; i++)
        PUT(CallingContextEnter, w->n - 1, 1 + i % 3);
    for (uint32_t i = 0; i < w->n; i++)
        PUT(CallingContextLeave, w->n - 1);
}

static void files_in_circles(struct writer *w)
{
    const OTF2_IoParadigmProperty property = OTF2_IO_PARADIGM_PROPERTY_VERSION;
    const OTF2_Type type = OTF2_TYPE_STRING;
    const OTF2_AttributeValue value = value_of(MOST32);
    DEFINE(IoParadigm, 0, TEXT, MOST32, OTF2_IO_PARADIGM_CLASS_PARALLEL, 0, 1, &property, &type, &value);
    DEFINE(IoParadigm, 1, TEXT, TEXT, OTF2_IO_PARADIGM_CLASS_SERIAL, UINT32_MAX, 0, NULL, NULL, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        DEFINE(IoRegularFile, i, TEXT, MOST32);
        DEFINE(IoDirectory, i, TEXT, 0); /* the same id */
        DEFINE(IoFileProperty, i, TEXT, OTF2_TYPE_IO_FILE, value_of(i));
        DEFINE(IoHandle, i, TEXT, i, (uint8_t)(i % 3), UINT32_MAX, i % 2 ? WORLD : MOST32, (i + 1) % 4);
        DEFINE(IoPreCreatedHandleState, i, (OTF2_IoAccessMode)255, UINT32_MAX);
    }
    DEFINE(IoHandle, 4, TEXT, MOST32, 254, 0, MOST32, 4);
}

static void files_in_circles_events(struct writer *w)
{
    for (uint32_t k = 0; k < 2 * ROUNDS; k++) {
        const uint32_t i = k % 6;
        PUT(Enter, OPEN);
        PUT(IoCreateHandle, i, (OTF2_IoAccessMode)(k % 5), UINT32_MAX, UINT32_MAX);
        PUT(IoDuplicateHandle, i, i, 0);
        PUT(IoOperationBegin, i, (OTF2_IoOperationMode)(k % 4), k % 8, UINT64_MAX - k % 3, k % 5);
        PUT(IoOperationIssued, i, k % 5);
        PUT(IoOperationTest, i, UINT64_MAX);
        PUT(IoOperationComplete, i, UINT64_MAX - k % 2, k % 5);
        PUT(IoOperationCancelled, i, k % 5);
        PUT(IoSeek, i, INT64_MIN, OTF2_IO_SEEK_DATA, UINT64_MAX);
        PUT(IoAcquireLock, i, OTF2_LOCK_EXCLUSIVE);
        PUT(IoDeleteFile, (uint8_t)i, i);
        PUT(IoDestroyHandle, i);
        PUT(Leave, OPEN);
    }
}

static void metrics_at_the_end(struct writer *w)
{
    static OTF2_MetricMemberRef member[255];
    for (uint32_t i = 0; i < 255; i++)
        member[i] = i % 5;
    for (uint32_t i = 0; i < 4; i++)
        DEFINE(MetricMember, i, TEXT, TEXT, (OTF2_MetricType)(40 * i), (OTF2_MetricMode)(17 * i),
               (OTF2_Type[]){OTF2_TYPE_UINT64, OTF2_TYPE_INT64, OTF2_TYPE_DOUBLE, (OTF2_Type)200}[i],
               (OTF2_Base)(i % 3), i % 2 ? INT64_MAX : INT64_MIN, MOST32);
    DEFINE(MetricClass, 0, 255, member, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU);
    DEFINE(MetricClass, 1, 0, member, (OTF2_MetricOccurrence)9, (OTF2_RecorderKind)9);
    DEFINE(MetricInstance, 2, 0, UINT64_MAX, OTF2_SCOPE_GROUP, UINT64_MAX);
    DEFINE(MetricInstance, 3, 3, 0, (OTF2_MetricScope)77, 0);
    DEFINE(MetricInstance, 4, 2, 0, OTF2_SCOPE_LOCATION, 0);
    for (uint32_t i = 0; i < 6; i++)
        DEFINE(MetricClassRecorder, i, i);
    for (uint32_t i = 0; i < 4; i++)
        DEFINE(MetricMember, 10 + i, TEXT, TEXT, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ACCUMULATED_START + 1,
               i % 2 ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, i > 1 ? 300 : 0, TEXT);
    for (uint32_t i = 0; i < 4; i++)
        DEFINE(MetricClass, 10 + i, 1, (OTF2_MetricMemberRef[]){10 + i}, OTF2_METRIC_ASYNCHRONOUS,
               OTF2_RECORDER_KIND_CPU);
}

static void metrics_at_the_end_events(struct writer *w)
{
    static OTF2_Type type[255];
    static OTF2_MetricValue value[255];
    const double odd[] = {NAN, INFINITY, -INFINITY, 1.7e308, -1.7e308, -0.0, 5e-324};
    for (uint32_t i = 0; i < 255; i++) {
        type[i] = (OTF2_Type)(i % 30);
        value[i].unsigned_int = UINT64_MAX - i;
        if (i % 2)
            value[i].floating_point = odd[i % 7];
    }
    for (uint32_t i = 0; i < 6; i++) {
        PUT(Metric, i, 255, type, value);
        PUT(Metric, i, (uint8_t)i, type, value);
    }
    for (uint32_t i = 0; i < 14; i++) {
        const OTF2_Type t = i % 2 ? OTF2_TYPE_DOUBLE : OTF2_TYPE_UINT64;
        const OTF2_MetricValue v = i % 2 ? (OTF2_MetricValue){.floating_point = odd[i % 7]}
                                         : (OTF2_MetricValue){.unsigned_int = i % 4 ? UINT64_MAX : 0};
        PUT(Metric, 10 + i % 4, 1, &t, &v);
        PUT(Enter, WORK);
        PUT(Leave, WORK);
    }
}

static void names_are_long(struct writer *w)
{
    const size_t bytes = 200000; /* a record has to fit a chunk of definitions */
    char *name = malloc(bytes + 1);
    if (!name) {
        w->trace.failed = true;
        return;
    }
    for (uint32_t i = 0; i < 16; i++) {
        memset(name, 'a' + (int)i, bytes);
        name[bytes] = '\0';
        DEFINE(String, 100 + i, name);
        DEFINE(Region, 100 + i, 100 + i, 100 + i, 100 + i, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER, 0, 100 + i, 0,
               0);
    }
    free(name);
}

static void names_are_long_events(struct writer *w)
{
    for (uint32_t i = 0; i < 64; i++)
        PUT(Enter, 100 + i % 16);
    for (uint32_t i = 64; i-- > 0;)
        PUT(Leave, 100 + i % 16);
}

static void topologies(struct writer *w)
{
    static uint32_t dimension[255], coordinate[255];
    for (uint32_t i = 0; i < 255; i++) {
        dimension[i] = i % 3;
        coordinate[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < 2; i++)
        DEFINE(CartDimension, i, TEXT, i ? UINT32_MAX : 0, OTF2_CART_PERIODIC_TRUE);
    DEFINE(CartTopology, 0, TEXT, WORLD, 255, dimension);
    DEFINE(CartTopology, 1, TEXT, MOST32, 0, dimension);
    for (uint32_t i = 0; i < w->n; i++)
        DEFINE(CartCoordinate, i % 3, UINT32_MAX - i, 255, coordinate);
}

static void properties(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        DEFINE(LocationProperty, 1, TEXT, (OTF2_Type)(i % 40), value_of(UINT64_MAX - i));
        DEFINE(LocationGroupProperty, i, TEXT, OTF2_TYPE_STRING, value_of(MOST32));
        DEFINE(ParadigmProperty, (OTF2_Paradigm)(i % 40), OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
               value_of(MOST32));
        DEFINE(Paradigm, (OTF2_Paradigm)(i % 256), MOST32, OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN);
        DEFINE(CallpathParameter, i, i, OTF2_TYPE_STRING, value_of(MOST32));
    }
}

static void many_locations(struct writer *w)
{
    for (uint32_t i = 0; i < 4 * w->n; i++)
        DEFINE(Location, 1000 + (uint64_t)i * 0x100000001u, TEXT, OTF2_LOCATION_TYPE_CPU_THREAD, UINT64_MAX, i % RANKS);
}

static void accelerators(struct writer *w)
{
    static uint64_t member[64];
    for (uint32_t i = 0; i < 64; i++) {
        member[i] = 100 + i;
        DEFINE(LocationGroup, 100 + i, TEXT, OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, i ? 99 + i : 100 + 63);
        DEFINE(Location, 100 + i, TEXT, OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, 0, 100 + i);
    }
    DEFINE(Group, 50, TEXT, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_CUDA, 0, 64, member);
    for (uint32_t i = 0; i < 64; i++)
        member[i] = i;
    DEFINE(Group, 51, TEXT, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_CUDA, 0, 64, member);
    DEFINE(Comm, 50, TEXT, 51, UINT32_MAX, 0);
    DEFINE(RmaWin, 50, TEXT, 50, 0);
}

static void accelerators_events(struct writer *w)
{
    for (uint32_t i = 0; i < 64; i++) {
        PUT(RmaPut, 50, i, UINT64_MAX, i);
        PUT(RmaGet, 50, UINT32_MAX, UINT64_MAX, i);
        PUT(RmaOpCompleteBlocking, 50, i);
        PUT(RmaOpCompleteRemote, 50, i);
    }
}

/* --------------------------------------------------------------------------------- events, in the middle of the rest
 */

static void flushes(struct writer *w)
{
    PUT(BufferFlush, 0);
    PUT(BufferFlush, UINT64_MAX);
    PUT(BufferFlush, w->now);
    PUT(BufferFlush, w->now + 3 * STEP);
    PUT(Enter, WORK);
    PUT(BufferFlush, (uint64_t)1 << 63);
    PUT(Leave, WORK);
    for (uint32_t i = 0; i < 20; i++)
        PUT(MeasurementOnOff, (OTF2_MeasurementMode)(i % 3));
}

static void deep(struct writer *w)
{
    for (uint32_t i = 0; i < 4 * w->n; i++)
        PUT(Enter, i % 7 ? WORK : MAIN);
}

static void leaves(struct writer *w)
{
    for (uint32_t i = 0; i < 4 * w->n; i++)
        PUT(Leave, i % 7 ? WORK : MAIN);
}

static void crossing(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        PUT(Enter, i % 2);
    for (uint32_t i = 0; i < w->n; i++)
        PUT(Leave, i / 2 % 2 ? 0 : 1);
}

static void requests(struct writer *w)
{
    PUT(Enter, WAITALL);
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(MpiIrecvRequest, UINT64_MAX);
        PUT(MpiIsend, (w->rank + 1) % RANKS, WORLD, 0, 8, UINT64_MAX);
        PUT(NonBlockingCollectiveRequest, UINT64_MAX);
        PUT(MpiRequestTest, UINT64_MAX);
    }
    for (uint32_t i = 0; i < 8; i++) {
        PUT(MpiIrecv, (w->rank + 2) % RANKS, WORLD, 0, 8, UINT64_MAX);
        PUT(MpiIsendComplete, UINT64_MAX);
        PUT(MpiRequestCancelled, UINT64_MAX);
        PUT(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD, 5, 8, 8, UINT64_MAX);
    }
    PUT(Leave, WAITALL);
}

static void open_requests(struct writer *w)
{
    PUT(Enter, WAITALL);
    for (uint32_t i = 0; i < 2 * w->n; i++) {
        PUT(MpiIrecvRequest, i);
        PUT(MpiIsend, (w->rank + 1) % RANKS, WORLD, i, 8, i + 1000000000u);
        PUT(NonBlockingCollectiveRequest, i + 2000000000u);
    }
    for (uint32_t i = 0; i < 2 * w->n; i++)
        PUT(MpiRequestTest, 2 * w->n - i);
    PUT(Leave, WAITALL);
}

static void roots(struct writer *w)
{
    static const uint32_t root[] = {0, 1, 2, 3, 1 << 20, UINT32_MAX, UINT32_MAX - 1, UINT32_MAX - 2};
    for (uint32_t op = 0; op < 30; op++)
        for (uint32_t i = 0; i < sizeof root / sizeof *root; i++) {
            PUT(Enter, ALLREDUCE);
            PUT(MpiCollectiveBegin);
            PUT(MpiCollectiveEnd, (OTF2_CollectiveOp)op, WORLD, root[(i + (op > 20 ? w->rank : 0)) % 8], UINT64_MAX,
                UINT64_MAX);
            PUT(Leave, ALLREDUCE);
        }
}

static void begins(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(MpiCollectiveBegin);
        PUT(RmaCollectiveBegin);
    }
    for (uint32_t i = 0; i < 100; i++)
        PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, WORLD, UINT32_MAX, 0, 0);
}

static void locks(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, i % 3 ? i : 0, UINT32_MAX - i);
        if (i % 5)
            PUT(ThreadReleaseLock, OTF2_PARADIGM_OPENMP, i % 3 ? i : 0, i);
        PUT(RmaRequestLock, WINDOW, i % 4, i, OTF2_LOCK_EXCLUSIVE);
        PUT(RmaAcquireLock, WINDOW, UINT32_MAX, i, (OTF2_LockType)9);
        PUT(RmaReleaseLock, i % 2, i % 4, UINT64_MAX);
    }
}

static void tasks(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(ThreadTaskCreate, WORLD, UINT32_MAX - i, i);
        PUT(ThreadTaskSwitch, WORLD, i, UINT32_MAX);
        PUT(ThreadTaskComplete, UINT32_MAX, i, i);
        expect(&w->trace, OTF2_EvtWriter_OmpTaskCreate(w->out, NULL, stamp(w), UINT64_MAX - i), "OmpTaskCreate");
        expect(&w->trace, OTF2_EvtWriter_OmpTaskSwitch(w->out, NULL, stamp(w), i), "OmpTaskSwitch");
    }
}

static void threads(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(ThreadFork, OTF2_PARADIGM_OPENMP, UINT32_MAX);
        PUT(ThreadTeamBegin, WORLD);
        PUT(ThreadCreate, WORLD, UINT64_MAX);
        PUT(ThreadBegin, WORLD, i);
        PUT(ThreadWait, WORLD, UINT64_MAX - i);
        PUT(ThreadEnd, UINT32_MAX, i);
    }
    for (uint32_t i = 0; i < 100; i++) {
        PUT(ThreadTeamEnd, WORLD);
        PUT(ThreadJoin, OTF2_PARADIGM_OPENMP);
    }
}

static void windows(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(RmaPut, WINDOW, i % 5, UINT64_MAX, i);
        PUT(RmaGet, WINDOW, UINT32_MAX, UINT64_MAX, i);
        PUT(RmaAtomic, WINDOW, i % 5, (OTF2_RmaAtomicType)200, UINT64_MAX, UINT64_MAX, 7);
        PUT(RmaOpTest, WINDOW, i);
        PUT(RmaWaitChange, i);
        PUT(RmaGroupSync, OTF2_RMA_SYNC_LEVEL_PROCESS, WINDOW, i % 5);
        PUT(RmaSync, WINDOW, i % 5, (OTF2_RmaSyncType)200);
    }
    PUT(RmaOpCompleteBlocking, WINDOW, 7);
    PUT(RmaOpCompleteNonBlocking, UINT32_MAX, 7);
}

static void parameters(struct writer *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(ParameterInt, i, INT64_MIN);
        PUT(ParameterUnsignedInt, UINT32_MAX, UINT64_MAX);
        PUT(ParameterString, i, i);
    }
}

static void programs(struct writer *w)
{
    static uint32_t argument[60000];
    for (uint32_t i = 0; i < 60000; i++)
        argument[i] = i % 100;
    for (uint32_t i = 0; i < 10; i++) {
        PUT(ProgramBegin, UINT32_MAX, 60000, argument);
        PUT(ProgramEnd, INT64_MIN);
    }
}

static void attributes(struct writer *w)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    for (uint32_t i = 0; list && i < w->n / 10; i++) {
        for (uint32_t k = 0; k < 12; k++)
            OTF2_AttributeList_AddAttribute(list, k % 2 ? UINT32_MAX - k : k, (OTF2_Type)(i % 40),
                                            value_of(UINT64_MAX));
        expect(&w->trace, OTF2_EvtWriter_Enter(w->out, list, stamp(w), WORK), "Enter");
        PUT(Leave, WORK);
    }
    OTF2_AttributeList_Delete(list);
}

static void tags(struct writer *w)
{
    PUT(Enter, SEND);
    for (uint32_t i = 0; i < 2 * w->n; i++)
        PUT(MpiSend, i % 5, WORLD, i, 8);
    PUT(Leave, SEND);
    PUT(Enter, RECEIVE);
    for (uint32_t i = 0; i < w->n; i++)
        PUT(MpiRecv, i % 5, WORLD, UINT32_MAX - i, 8);
    PUT(Leave, RECEIVE);
}

static void at_one_time(struct writer *w)
{
    const uint64_t step = w->step;
    w->step = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        PUT(Enter, WORK);
        PUT(MpiSend, (w->rank + 1) % RANKS, WORLD, 1, 8);
        PUT(Leave, WORK);
        PUT(MpiRecv, (w->rank + 2) % RANKS, WORLD, 1, 8);
    }
    w->step = step;
}

/* ----------------------------------------------------------------------------------------- values of the usual program
 */

static void most_bytes(struct writer *w)
{
    w->message_bytes = w->size = UINT64_MAX;
}

static void half_bytes(struct writer *w)
{
    w->message_bytes = w->size = (uint64_t)1 << 63;
}

static void last_tag(struct writer *w)
{
    w->tag = UINT32_MAX;
    w->root = UINT32_MAX - 1;
}

static void slow_clock(struct writer *w)
{
    w->resolution = 1;
}

static void no_clock(struct writer *w)
{
    w->resolution = 0;
}

static void fast_clock(struct writer *w)
{
    w->resolution = UINT64_MAX;
}

static void late_begin(struct writer *w)
{
    w->first = w->length = UINT64_MAX;
}

static void around_half(struct writer *w)
{
    w->step = 1;
    w->begin = ((uint64_t)1 << 63) - 222;
    w->first = 0;
}

static void at_the_end(struct writer *w)
{
    w->step = 1;
    w->begin = UINT64_MAX - 222;
}

static void sparse_locations(struct writer *w)
{
    for (uint32_t i = 0; i < RANKS; i++)
        w->location[i] = UINT64_MAX - 1 - i * ((uint64_t)1 << 33);
}

/* ---------------------------------------------------------------------------------------- local definitions, and
 * others */

static void measure(struct writer *w, uint64_t time, int64_t offset, double deviation, OTF2_DefWriter *out)
{
    expect(&w->trace, OTF2_DefWriter_WriteClockOffset(out, time, offset, deviation), "ClockOffset");
}

static void steep_offsets(struct writer *w, OTF2_DefWriter *out)
{
    const int64_t sign = w->rank % 2 ? -1 : 1;
    measure(w, 0, sign * INT64_MAX, 0, out);
    measure(w, 1, -sign * INT64_MAX, INFINITY, out);
    measure(w, 2, sign * INT64_MAX, NAN, out);
    measure(w, UINT64_MAX, -sign * INT64_MAX, -1, out);
}

static void offsets_in_use(struct writer *w, OTF2_DefWriter *out)
{
    for (uint32_t i = 0; i < 40; i++) /* slopes of 10^6 ticks a tick */
        measure(w, 1000 * i, (int64_t)((i + w->rank) % 2 ? 1000000000 : -1000000000), 1e300, out);
}

static void offsets_backwards(struct writer *w, OTF2_DefWriter *out)
{
    for (uint32_t i = 0; i < 2 * w->n; i++)
        measure(w, 2 * w->n - i, (int64_t)i * 1000000007, 0, out);
}

static void offsets_at_once(struct writer *w, OTF2_DefWriter *out)
{
    for (uint32_t i = 0; i < 2 * w->n; i++)
        measure(w, 30000, i % 2 ? INT64_MIN : INT64_MAX, 0, out);
}

static void map(struct writer *w, OTF2_DefWriter *out, OTF2_MappingType type, OTF2_IdMapMode mode, uint64_t n,
                uint64_t to)
{
    OTF2_IdMap *ids = OTF2_IdMap_Create(mode, 64);
    for (uint64_t i = 0; ids && i < n; i++) {
        if (mode == OTF2_ID_MAP_DENSE)
            OTF2_IdMap_AddIdPair(ids, i, to);
        else
            OTF2_IdMap_AddIdPair(ids, i % 8, to + i);
    }
    expect(&w->trace, OTF2_DefWriter_WriteMappingTable(out, type, ids), "MappingTable");
    OTF2_IdMap_Free(ids);
}

static void maps_to_one(struct writer *w, OTF2_DefWriter *out)
{
    for (OTF2_MappingType type = 0; type < OTF2_MAPPING_MAX; type++)
        map(w, out, type, OTF2_ID_MAP_DENSE, 100, 0);
}

static void maps_to_nothing(struct writer *w, OTF2_DefWriter *out)
{
    for (OTF2_MappingType type = 0; type < OTF2_MAPPING_MAX; type++)
        map(w, out, type, OTF2_ID_MAP_DENSE, 100, MOST32);
}

static void maps_twice(struct writer *w, OTF2_DefWriter *out)
{
    for (uint32_t k = 0; k < 50; k++) {
        map(w, out, OTF2_MAPPING_REGION, OTF2_ID_MAP_DENSE, 9, k % 9);
        map(w, out, OTF2_MAPPING_COMM, OTF2_ID_MAP_DENSE, 2, k);
        map(w, out, OTF2_MAPPING_LOCATION, OTF2_ID_MAP_DENSE, 9, k);
        map(w, out, OTF2_MAPPING_STRING, OTF2_ID_MAP_SPARSE, 9, UINT32_MAX);
    }
}

static void maps_large(struct writer *w, OTF2_DefWriter *out)
{
    map(w, out, OTF2_MAPPING_REGION, OTF2_ID_MAP_DENSE, 3ull * w->n / 2, 1);
    map(w, out, OTF2_MAPPING_METRIC, OTF2_ID_MAP_SPARSE, 3ull * w->n / 2, 1);
}

static void local_definitions(struct writer *w, OTF2_DefWriter *out)
{
    const uint64_t member[] = {UINT64_MAX};
    for (uint32_t i = 0; i < w->n / 10; i++) {
        expect(&w->trace, OTF2_DefWriter_WriteString(out, i, "local"), "String");
        expect(&w->trace,
               OTF2_DefWriter_WriteGroup(out, i, 0, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 1, member),
               "Group");
        expect(&w->trace, OTF2_DefWriter_WriteLocation(out, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, UINT64_MAX, i),
               "Location");
    }
}

static void snapshots(struct writer *w)
{
    OTF2_SnapWriter *out = OTF2_Archive_GetSnapWriter(w->trace.archive, w->location[w->rank]);
    const OTF2_Type type = OTF2_TYPE_DOUBLE;
    const OTF2_MetricValue value = {.floating_point = NAN};
    for (uint32_t i = 0; i < 40; i++) {
        expect(&w->trace, OTF2_SnapWriter_SnapshotStart(out, NULL, i * STEP, i % 3 ? UINT64_MAX : 1), "SnapshotStart");
        expect(&w->trace, OTF2_SnapWriter_Enter(out, NULL, i * STEP, UINT64_MAX, MOST32), "Enter");
        expect(&w->trace, OTF2_SnapWriter_MpiSend(out, NULL, i * STEP, 0, MOST32, MOST32, MOST32, UINT64_MAX),
               "MpiSend");
        expect(&w->trace, OTF2_SnapWriter_MpiIrecvRequest(out, NULL, i * STEP, UINT64_MAX, UINT64_MAX),
               "MpiIrecvRequest");
        expect(&w->trace, OTF2_SnapWriter_Metric(out, NULL, i * STEP, 0, MOST32, 1, &type, &value), "Metric");
        if (i % 4)
            expect(&w->trace, OTF2_SnapWriter_SnapshotEnd(out, NULL, i * STEP, UINT64_MAX - i), "SnapshotEnd");
    }
    OTF2_Archive_CloseSnapWriter(w->trace.archive, out);
}

static void markers(struct writer *w)
{
    OTF2_MarkerWriter *out = OTF2_Archive_GetMarkerWriter(w->trace.archive);
    for (uint32_t i = 0; i < w->n / 10; i++) {
        expect(&w->trace,
               OTF2_MarkerWriter_WriteDefMarker(out, i % 50, "group", i % 2 ? "a" : "", (OTF2_MarkerSeverity)(i % 4)),
               "DefMarker");
        expect(&w->trace,
               OTF2_MarkerWriter_WriteMarker(out, UINT64_MAX, UINT64_MAX, MOST32 - i % 3, (OTF2_MarkerScope)(i % 7),
                                             UINT64_MAX, "text"),
               "Marker");
        expect(&w->trace,
               OTF2_MarkerWriter_WriteMarker(out, i, (uint64_t)1 << 63, i % 50, OTF2_MARKER_SCOPE_LOCATION, i % 5, ""),
               "Marker");
    }
    OTF2_Archive_CloseMarkerWriter(w->trace.archive, out);
}

static void thumbnails(struct writer *w)
{
    static uint64_t sample[1024];
    static uint64_t ref[1024];
    for (uint32_t i = 0; i < 1024; i++) {
        sample[i] = UINT64_MAX;
        ref[i] = i % 3 ? MOST32 : i;
    }
    OTF2_ThumbWriter *out =
        OTF2_Archive_GetThumbWriter(w->trace.archive, "name", "", OTF2_THUMBNAIL_TYPE_REGION, 64, 1024, ref);
    for (uint32_t i = 0; out && i < 64; i++)
        expect(&w->trace, OTF2_ThumbWriter_WriteSample(out, i % 2, 1024, sample), "Sample");
}

/* ------------------------------------------------------------------------------------------------------------ attacks
 */

static const struct attack {
    const char *name;
    void (*values)(struct writer *w);
    void (*define)(struct writer *w);
    void (*events)(struct writer *w);                       /* of each rank, in the middle */
    void (*locally)(struct writer *w, OTF2_DefWriter *out); /* of each rank */
    void (*besides)(struct writer *w);                      /* snapshots of each rank */
    void (*once)(struct writer *w);
} attacks[] = {
    {"ids-at-the-end", .define = ids_at_the_end, .events = ids_at_the_end_events},
    {"undefined-ids", .define = undefined_ids, .events = undefined_ids_events},
    {"strings-twice", .define = strings_twice},
    {"regions-twice", .define = regions_twice},
    {"locations-twice", .define = locations_twice},
    {"groups-twice", .define = groups_twice},
    {"clocks-twice", .define = clocks_twice},
    {"processes-twice", .define = processes_twice},
    {"tree-cycles", .define = tree_cycles},
    {"deep-tree", .define = deep_tree},
    {"comm-cycles", .define = comm_cycles, .events = comm_cycles_events},
    {"comm-chain", .define = comm_chain, .events = comm_chain_events},
    {"large-comms", .define = large_comms, .events = large_comms_events},
    {"context-cycles", .define = context_cycles, .events = context_cycles_events},
    {"deep-contexts", .define = deep_contexts, .events = deep_contexts_events},
    {"files-in-circles", .define = files_in_circles, .events = files_in_circles_events},
    {"metrics", .define = metrics_at_the_end, .events = metrics_at_the_end_events},
    {"long-names", .define = names_are_long, .events = names_are_long_events},
    {"topologies", .define = topologies},
    {"properties", .define = properties},
    {"many-locations", .define = many_locations},
    {"accelerators", .define = accelerators, .events = accelerators_events},
    {"flushes", .events = flushes},
    {"deep", .events = deep},
    {"leaves", .events = leaves},
    {"crossing", .events = crossing},
    {"requests", .events = requests},
    {"open-requests", .events = open_requests},
    {"roots", .events = roots},
    {"begins", .events = begins},
    {"locks", .events = locks},
    {"tasks", .events = tasks},
    {"threads", .events = threads},
    {"windows", .events = windows},
    {"parameters", .events = parameters},
    {"programs", .events = programs},
    {"attributes", .events = attributes},
    {"tags", .events = tags},
    {"at-one-time", .events = at_one_time},
    {"most-bytes", .values = most_bytes},
    {"half-bytes", .values = half_bytes},
    {"last-tag", .values = last_tag},
    {"slow-clock", .values = slow_clock},
    {"no-clock", .values = no_clock},
    {"fast-clock", .values = fast_clock},
    {"late-begin", .values = late_begin},
    {"times-around-half", .values = around_half},
    {"times-at-the-end", .values = at_the_end},
    {"sparse-locations", .values = sparse_locations},
    {"steep-offsets", .locally = steep_offsets},
    {"offsets-in-use", .locally = offsets_in_use},
    {"offsets-backwards", .locally = offsets_backwards},
    {"offsets-at-once", .locally = offsets_at_once},
    {"maps-to-one", .locally = maps_to_one},
    {"maps-to-nothing", .locally = maps_to_nothing},
    {"maps-twice", .locally = maps_twice},
    {"maps-large", .locally = maps_large},
    {"local-definitions", .locally = local_definitions},
    {"snapshots", .besides = snapshots},
    {"markers", .once = markers},
    {"thumbnails", .once = thumbnails},
};

/* ---------------------------------------------------------------------------------------------------------- the
 * program */

static void round_of(struct writer *w)
{
    const uint32_t to = (w->rank + 1) % RANKS, from = (w->rank + 2) % RANKS;
    PUT(Enter, WORK);
    w->now += w->rank * w->step / 4;
    PUT(Leave, WORK);
    PUT(Enter, SEND);
    PUT(MpiSend, to, WORLD, w->tag, w->message_bytes);
    PUT(Leave, SEND);
    PUT(Enter, RECEIVE);
    PUT(MpiRecv, from, WORLD, w->tag, w->message_bytes);
    PUT(Leave, RECEIVE);
    PUT(Enter, ALLREDUCE);
    PUT(MpiCollectiveBegin);
    PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_ALLREDUCE, WORLD, w->root, w->size, w->size);
    PUT(Leave, ALLREDUCE);
}

static void write_events(struct writer *w, const struct attack *a)
{
    for (w->rank = 0; w->rank < RANKS; w->rank++) {
        w->now = w->begin;
        w->out = trace_events(&w->trace, w->location[w->rank]);
        PUT(Enter, MAIN);
        for (uint32_t k = 0; k < ROUNDS; k++) {
            if (k == ROUNDS / 2 && a->events)
                a->events(w);
            round_of(w);
        }
        PUT(Leave, MAIN);
        trace_close_events(&w->trace, w->out);
    }
}

static void define(struct writer *w, const struct attack *a)
{
    static const char *const names[FIRST_NAME + REGIONS] =
        {"",         "machine",  "node",        "rank",          "WORLD",       "text",    "main", "work",
         "MPI_Send", "MPI_Recv", "MPI_Barrier", "MPI_Allreduce", "MPI_Waitall", "MPI_Put", "open"};
    struct trace *t = &w->trace;
    const struct trace_group groups[] = {{ALL_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, RANKS,
                                          w->location},
                                         {ALL_RANKS, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, RANKS,
                                          (const uint64_t[RANKS]){0, 1, 2}}};

    trace_clock(t, (struct trace_clock){w->resolution, w->first, w->length});
    trace_strings(t, 0, names, TCF_COUNT(names));
    for (uint32_t r = 0; r < REGIONS; r++)
        trace_region(t,
                     &(struct trace_region){r, FIRST_NAME + r, OTF2_REGION_ROLE_FUNCTION,
                                            r < SEND || r == OPEN ? OTF2_PARADIGM_USER : OTF2_PARADIGM_MPI, 0, 0, 0});
    DEFINE(SystemTreeNode, 0, NODE, MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t r = 0; r < RANKS; r++) {
        trace_process(t, r, RANK, 0);
        trace_thread(t, w->location[r], RANK, w->count[r], r);
    }
    trace_groups(t, groups, TCF_COUNT(groups));
    trace_comm(t, WORLD, WORLD_NAME, ALL_RANKS, OTF2_UNDEFINED_COMM);
    DEFINE(RmaWin, WINDOW, TEXT, WORLD, 0);
    if (a->define)
        a->define(w);
}

static void write_besides(struct writer *w, const struct attack *a)
{
    if (a->locally) {
        OTF2_Archive_OpenDefFiles(w->trace.archive);
        for (w->rank = 0; w->rank < RANKS; w->rank++) {
            OTF2_DefWriter *out = OTF2_Archive_GetDefWriter(w->trace.archive, w->location[w->rank]);
            a->locally(w, out);
            expect(&w->trace, OTF2_Archive_CloseDefWriter(w->trace.archive, out), "closing a definition writer");
        }
        OTF2_Archive_CloseDefFiles(w->trace.archive);
    }
    if (a->besides) {
        OTF2_Archive_OpenSnapFiles(w->trace.archive);
        for (w->rank = 0; w->rank < RANKS; w->rank++)
            a->besides(w);
        OTF2_Archive_CloseSnapFiles(w->trace.archive);
    }
    if (a->once)
        a->once(w);
}

int write_hostile(const struct command *c)
{
    struct options o = {0};
    const struct attack *a = NULL;

    take_options(c, rows, TCF_COUNT(rows), &o);
    for (size_t i = 0; i < TCF_COUNT(attacks); i++) {
        if (o.list)
            puts(attacks[i].name);
        else if (strcmp(attacks[i].name, o.what) == 0)
            a = &attacks[i];
    }
    if (o.list)
        return 0;
    if (!a)
        wrong_usage(c, "--what must be one of those that --list prints");
    struct writer w = {.n = (uint32_t)o.n,
                       .step = STEP,
                       .begin = STEP,
                       .message_bytes = 8,
                       .size = 8,
                       .resolution = TICKS_PER_SECOND,
                       .first = STEP,
                       .length = (uint64_t)STEP * 1000,
                       .root = UINT32_MAX,
                       .location = {0, 1, 2}};
    if (a->values)
        a->values(&w);
    if (!trace_open(&w.trace, o.directory, 1 << 20))
        return 1;
    write_events(&w, a);
    define(&w, a);
    write_besides(&w, a);
    return trace_close(&w.trace);
}
