/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace large: few events of each kind but one, of which there are many: what does a cost grow with?
 *
 * Two ranks. Rank 0 sends N messages in one call (--messages), and rank 1 receives them afterwards, each in a call of
 * its own; so they do with messages of a tag each, which are received backwards (--tags), and with requests that are
 * all open together (--requests). Both enter a barrier of each of N communicators (--communicators). Rank 0 then calls
 * N regions (--regions) and as many call paths of few regions (--paths), one with a name of N bytes (--name), has N
 * attributes on one event (--attributes), a value of each of N metrics (--metrics), and forks N times below itself
 * (--forks); it enters a region N times below itself (--depth) and leaves it as often, and so it does with N calling
 * contexts (--contexts). In one call it begins N operations of I/O, on a file each (--operations), and N puts (--puts),
 * takes N locks (--locks), and creates N tasks (--tasks); these end in the same order. It states a value of each of N
 * parameters (--parameters). Its process lies below N nodes of the system tree (--nodes) and has N properties
 * (--properties); N markers stand in the trace (--markers). N more threads of rank 0's process send two messages each
 * (--senders). N more ranks wait for a message that nobody sends (--lonely), and of N more every second one waits in a
 * barrier to which the others don't come (--absent). Other locations have no events
 * (--silent). The clock of rank 0 is measured from 2^63 ticks behind to as many in front, that of rank 1 the other way
 * round (--offsets). */
#include "kinds.h"
#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RANKS = 2,
    FIRST_TIME = 1000,
    SENDS = 2,
    A_SEND = 3 /* events */,
    SILENT = 10 /* the first of more locations */
};
enum region { MAIN, SEND, RECEIVE, DEEP, BARRIER, LONG, REGIONS };
enum { S_LONG = 16, S_MANY = 20, G_MANY = 10 }; /* strings and groups behind those that are always there */

struct options {
    const char *directory;
    uint64_t depth, messages, tags, requests, communicators, regions, paths, name, attributes, metrics, forks, senders,
        lonely, absent, silent, contexts, operations, puts, locks, tasks, parameters, nodes, properties, markers;
    int offsets;
};

static const option_row rows[] = {
    {0, "depth", "N", "nested calls", TCF_SIZE, AT(depth), "0"},
    {0, "messages", "N", "in flight together", TCF_SIZE, AT(messages), "0"},
    {0, "tags", "N", "messages in flight together, a tag each, received backwards", TCF_SIZE, AT(tags), "0"},
    {0, "requests", "N", "messages by requests that are open together", TCF_SIZE, AT(requests), "0"},
    {0, "communicators", "N", "with a group and a barrier each", TCF_SIZE, AT(communicators), "0"},
    {0, "regions", "N", "called once each", TCF_SIZE, AT(regions), "0"},
    {0, "paths", "N", "call paths", TCF_SIZE, AT(paths), "0"},
    {0, "name", "N", "bytes of a region's name", TCF_SIZE, AT(name), "0"},
    {0, "attributes", "N", "of one event", TCF_SIZE, AT(attributes), "0"},
    {0, "metrics", "N", "with a value each", TCF_SIZE, AT(metrics), "0"},
    {0, "forks", "N", "of threads, each below the one before", TCF_SIZE, AT(forks), "0"},
    {0, "senders", "N", "threads of one process that send", TCF_SIZE, AT(senders), "0"},
    {0, "lonely", "N", "ranks that wait for a message each which never comes", TCF_SIZE, AT(lonely), "0"},
    {0, "absent", "N", "ranks of which every second one waits for the others in a barrier", TCF_SIZE, AT(absent), "0"},
    {0, "silent", "N", "locations without events", TCF_SIZE, AT(silent), "0"},
    {0, "contexts", "N", "calling contexts, each below the one before", TCF_SIZE, AT(contexts), "0"},
    {0, "operations", "N", "operations of I/O that are open together, of a file each", TCF_SIZE, AT(operations), "0"},
    {0, "puts", "N", "one-sided operations in flight together", TCF_SIZE, AT(puts), "0"},
    {0, "locks", "N", "held together", TCF_SIZE, AT(locks), "0"},
    {0, "tasks", "N", "created before the first one runs", TCF_SIZE, AT(tasks), "0"},
    {0, "parameters", "N", "with a value each", TCF_SIZE, AT(parameters), "0"},
    {0, "nodes", "N", "of the system tree, each below the one before", TCF_SIZE, AT(nodes), "0"},
    {0, "properties", "N", "of a process", TCF_SIZE, AT(properties), "0"},
    {0, "markers", "N", "in the trace", TCF_SIZE, AT(markers), "0"},
    {0, "offsets", NULL, "clocks are measured, as far apart as numbers of 64 bits can be", TCF_BOOL, AT(offsets)},
};

struct writer {
    struct trace trace;
    OTF2_EvtWriter *out[RANKS];
    uint64_t now, count[RANKS];
};

static uint64_t stamp(struct writer *w, uint32_t rank)
{
    w->count[rank]++;
    return w->now++;
}

static void enter(struct writer *w, uint32_t rank, uint32_t region)
{
    expect(&w->trace, OTF2_EvtWriter_Enter(w->out[rank], NULL, stamp(w, rank), region), "Enter");
}

static void leave(struct writer *w, uint32_t rank, uint32_t region)
{
    expect(&w->trace, OTF2_EvtWriter_Leave(w->out[rank], NULL, stamp(w, rank), region), "Leave");
}

/* An event of rank 0 or 1, by libotf2's name of it. */
#define PUT(rank, Name, ...)                                                                                           \
    expect(&w->trace, OTF2_EvtWriter_##Name(w->out[rank], NULL, stamp(w, rank), __VA_ARGS__), #Name)

static void write_messages(struct writer *w, const struct options *o)
{
    enter(w, 0, SEND);
    for (uint64_t k = 0; k < o->messages; k++)
        PUT(0, MpiSend, 1, 0, 1, 8);
    for (uint64_t k = 0; k < o->tags; k++)
        PUT(0, MpiSend, 1, 0, (uint32_t)k + 2, 8);
    for (uint64_t k = 0; k < o->requests; k++)
        PUT(0, MpiIsend, 1, 0, 1, 8, k);
    for (uint64_t k = o->requests; k-- > 0;)
        PUT(0, MpiIsendComplete, k);
    leave(w, 0, SEND);
    for (uint64_t k = 0; k < o->messages; k++) {
        enter(w, 1, RECEIVE);
        PUT(1, MpiRecv, 0, 0, 1, 8);
        leave(w, 1, RECEIVE);
    }
    enter(w, 1, RECEIVE);
    for (uint64_t k = o->tags; k-- > 0;)
        PUT(1, MpiRecv, 0, 0, (uint32_t)k + 2, 8);
    for (uint64_t k = 0; k < o->requests; k++)
        PUT(1, MpiIrecvRequest, k);
    for (uint64_t k = 0; k < o->requests; k++)
        PUT(1, MpiIrecv, 0, 0, 1, 8, k);
    leave(w, 1, RECEIVE);
}

static uint64_t first_sender(const struct options *o)
{
    return SILENT + o->silent;
}

/* All threads send in turn. */
static void write_senders(struct writer *w, const struct options *o)
{
    const uint64_t begin = w->now;

    for (uint64_t k = 0; k < o->senders; k++) {
        OTF2_EvtWriter *out = trace_events(&w->trace, first_sender(o) + k);
        for (uint64_t n = 0; n < SENDS; n++) {
            const uint64_t time = begin + A_SEND * (n * o->senders + k);
            expect(&w->trace, OTF2_EvtWriter_Enter(out, NULL, time, SEND), "Enter");
            expect(&w->trace, OTF2_EvtWriter_MpiSend(out, NULL, time + 1, 1, 0, 1, 8), "MpiSend");
            expect(&w->trace, OTF2_EvtWriter_Leave(out, NULL, time + 2, SEND), "Leave");
        }
        trace_close_events(&w->trace, out);
    }
    w->now = begin + A_SEND * SENDS * o->senders;
    enter(w, 1, RECEIVE);
    for (uint64_t k = 0; k < SENDS * o->senders; k++)
        PUT(1, MpiRecv, 0, 0, 1, 8);
    leave(w, 1, RECEIVE);
}

static uint64_t first_rank(const struct options *o)
{
    return first_sender(o) + o->senders;
}

static uint64_t more_ranks(const struct options *o)
{
    return o->lonely + o->absent;
}

static uint32_t region_of_rank(const struct options *o, uint64_t k)
{
    return k < o->lonely ? RECEIVE : k % 2 ? BARRIER : MAIN;
}

/* All of them are alike in time. */
static void write_ranks(struct writer *w, const struct options *o)
{
    for (uint64_t k = 0; k < more_ranks(o); k++) {
        OTF2_EvtWriter *out = trace_events(&w->trace, first_rank(o) + k);
        const uint32_t region = region_of_rank(o, k);
        expect(&w->trace, OTF2_EvtWriter_Enter(out, NULL, w->now, region), "Enter");
        if (region == RECEIVE)
            expect(&w->trace, OTF2_EvtWriter_MpiRecv(out, NULL, w->now + 1, 0, 0, 0, 8), "MpiRecv");
        if (region == BARRIER) {
            expect(&w->trace, OTF2_EvtWriter_MpiCollectiveBegin(out, NULL, w->now + 1), "MpiCollectiveBegin");
            expect(&w->trace,
                   OTF2_EvtWriter_MpiCollectiveEnd(out, NULL, w->now + 2, OTF2_COLLECTIVE_OP_BARRIER, 0,
                                                   OTF2_UNDEFINED_UINT32, 0, 0),
                   "MpiCollectiveEnd");
        }
        expect(&w->trace, OTF2_EvtWriter_Leave(out, NULL, w->now + 3, region), "Leave");
        trace_close_events(&w->trace, out);
    }
    w->now += more_ranks(o) > 0 ? 4 : 0;
}

static void write_barriers(struct writer *w, const struct options *o)
{
    for (uint64_t k = 0; k < o->communicators; k++)
        for (uint32_t r = 0; r < RANKS; r++) {
            enter(w, r, BARRIER);
            expect(&w->trace, OTF2_EvtWriter_MpiCollectiveBegin(w->out[r], NULL, stamp(w, r)), "MpiCollectiveBegin");
            PUT(r, MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, (uint32_t)k + 1, OTF2_UNDEFINED_UINT32, 0, 0);
            leave(w, r, BARRIER);
        }
}

/* Regions of which one calls the other; path k is the k-th pair of them. */
static uint64_t path_regions(const struct options *o)
{
    uint64_t n = 1;
    while (n * n < o->paths)
        n++;
    return o->paths ? n : 0;
}

static void write_calls(struct writer *w, const struct options *o)
{
    const uint64_t first = REGIONS + o->regions, n = path_regions(o);

    for (uint64_t k = 0; k < o->regions; k++) {
        enter(w, 0, (uint32_t)(REGIONS + k));
        leave(w, 0, (uint32_t)(REGIONS + k));
    }
    for (uint64_t k = 0; k < o->paths; k++) {
        enter(w, 0, (uint32_t)(first + k / n));
        enter(w, 0, (uint32_t)(first + k % n));
        leave(w, 0, (uint32_t)(first + k % n));
        leave(w, 0, (uint32_t)(first + k / n));
    }
    if (o->name > 0) {
        enter(w, 0, LONG);
        leave(w, 0, LONG);
    }
    for (uint64_t k = 0; k < o->depth; k++)
        enter(w, 0, DEEP);
    for (uint64_t k = 0; k < o->depth; k++)
        leave(w, 0, DEEP);
}

static void write_others(struct writer *w, const struct options *o)
{
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    const OTF2_Type type = OTF2_TYPE_UINT64;

    for (uint64_t k = 0; k < o->attributes; k++)
        OTF2_AttributeList_AddUint64(list, (uint32_t)k, k);
    expect(&w->trace, OTF2_EvtWriter_Enter(w->out[0], list, stamp(w, 0), MAIN), "Enter");
    OTF2_AttributeList_Delete(list);
    for (uint64_t k = 0; k < o->metrics; k++) {
        const OTF2_MetricValue value = {.unsigned_int = k};
        PUT(0, Metric, (uint32_t)k, 1, &type, &value);
    }
    for (uint64_t k = 0; k < o->forks; k++)
        PUT(0, ThreadFork, OTF2_PARADIGM_OPENMP, 1);
    for (uint64_t k = 0; k < o->forks; k++)
        PUT(0, ThreadJoin, OTF2_PARADIGM_OPENMP);
    leave(w, 0, MAIN);
}

/* What begins many times in one call, and then ends as often. */
static void write_open(struct writer *w, const struct options *o)
{
    enter(w, 0, MAIN);
    for (uint64_t k = 0; k < o->operations; k++)
        PUT(0, IoOperationBegin, (uint32_t)k, OTF2_IO_OPERATION_MODE_READ, OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 8, k);
    for (uint64_t k = 0; k < o->operations; k++)
        PUT(0, IoOperationComplete, (uint32_t)k, 8, k);
    for (uint64_t k = 0; k < o->puts; k++)
        PUT(0, RmaPut, 0, 1, 8, k);
    for (uint64_t k = 0; k < o->puts; k++)
        PUT(0, RmaOpCompleteNonBlocking, 0, k);
    for (uint64_t k = 0; k < o->locks; k++)
        PUT(0, ThreadAcquireLock, OTF2_PARADIGM_PTHREAD, (uint32_t)k, 1);
    for (uint64_t k = 0; k < o->locks; k++)
        PUT(0, ThreadReleaseLock, OTF2_PARADIGM_PTHREAD, (uint32_t)k, 1);
    for (uint64_t k = 0; k < o->tasks; k++)
        PUT(0, ThreadTaskCreate, OTF2_UNDEFINED_COMM, 0, (uint32_t)k + 1);
    for (uint64_t k = 0; k < o->tasks; k++) {
        PUT(0, ThreadTaskSwitch, OTF2_UNDEFINED_COMM, 0, (uint32_t)k + 1);
        PUT(0, ThreadTaskComplete, OTF2_UNDEFINED_COMM, 0, (uint32_t)k + 1);
    }
    for (uint64_t k = 0; k < o->parameters; k++)
        PUT(0, ParameterUnsignedInt, (uint32_t)k, k);
    leave(w, 0, MAIN);
}

static void write_contexts(struct writer *w, const struct options *o)
{
    for (uint64_t k = 0; k < o->contexts; k++)
        PUT(0, CallingContextEnter, (uint32_t)k, 1);
    for (uint64_t k = o->contexts; k-- > 0;)
        PUT(0, CallingContextLeave, (uint32_t)k);
}

static void write_markers(struct writer *w, const struct options *o)
{
    OTF2_MarkerWriter *out = OTF2_Archive_GetMarkerWriter(w->trace.archive);

    expect(&w->trace, OTF2_MarkerWriter_WriteDefMarker(out, 0, "group", "category", OTF2_SEVERITY_LOW), "DefMarker");
    for (uint64_t k = 0; k < o->markers; k++)
        expect(&w->trace,
               OTF2_MarkerWriter_WriteMarker(out, FIRST_TIME + k, 0, 0, OTF2_MARKER_SCOPE_LOCATION, 0, "here"),
               "Marker");
    expect(&w->trace, OTF2_Archive_CloseMarkerWriter(w->trace.archive, out), "closing the marker writer");
}

static void write_events(struct writer *w, const struct options *o)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        w->out[r] = trace_events(&w->trace, r);
        enter(w, r, MAIN);
    }
    write_messages(w, o);
    if (o->senders > 0)
        write_senders(w, o);
    write_ranks(w, o);
    write_barriers(w, o);
    if (o->attributes + o->metrics + o->forks > 0)
        write_others(w, o);
    if (o->operations + o->puts + o->locks + o->tasks + o->parameters > 0)
        write_open(w, o);
    write_calls(w, o);
    write_contexts(w, o);
    for (uint32_t r = RANKS; r-- > 0;) {
        leave(w, r, MAIN);
        trace_close_events(&w->trace, w->out[r]);
    }
}

/* Defines the next string, a name of its own for the k-th thing of a kind. */
static uint32_t name_next(struct trace *t, uint32_t *string, const char *kind, uint64_t k)
{
    char name[64];

    snprintf(name, sizeof name, "%s_%llu", kind, (unsigned long long)k);
    TRACE_DEFINE(t, String, *string, name);
    return (*string)++;
}

static void define_metric(struct trace *t, uint32_t k, uint32_t name)
{
    const OTF2_MetricMemberRef member = k;

    TRACE_DEFINE(t, MetricMember, member, name, 0, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                 OTF2_BASE_DECIMAL, 0, 0);
    TRACE_DEFINE(t, MetricClass, k, 1, &member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_UNKNOWN);
}

/* A file and a handle of it for each operation, a window for all puts. */
static void define_operations(struct trace *t, const struct options *o, uint32_t *string)
{
    if (o->operations > 0)
        TRACE_DEFINE(t, IoParadigm, 0, 0, 0, OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL, NULL,
                     NULL);
    for (uint64_t k = 0; k < o->operations; k++) {
        const uint32_t name = name_next(t, string, "file", k);
        TRACE_DEFINE(t, IoRegularFile, (uint32_t)k, name, 0);
        TRACE_DEFINE(t, IoHandle, (uint32_t)k, name, (uint32_t)k, 0, OTF2_IO_HANDLE_FLAG_NONE, OTF2_UNDEFINED_COMM,
                     OTF2_UNDEFINED_IO_HANDLE);
    }
    if (o->puts > 0)
        TRACE_DEFINE(t, RmaWin, 0, 0, 0, OTF2_RMA_WIN_FLAG_NONE);
}

/* What there is many of has names of its own. */
static void define_many(struct writer *w, const struct options *o)
{
    const uint64_t regions = o->regions + path_regions(o);
    const OTF2_AttributeValue one = {.uint64 = 1};
    struct trace *t = &w->trace;
    uint32_t string = S_MANY;

    for (uint64_t k = 0; k < regions; k++) {
        const uint32_t name = name_next(t, &string, "region", k);
        trace_region(t, &(struct trace_region){(uint32_t)(REGIONS + k), name, OTF2_REGION_ROLE_FUNCTION,
                                               OTF2_PARADIGM_USER, 0, 0, 0});
    }
    for (uint64_t k = 0; k < o->attributes; k++)
        TRACE_DEFINE(t, Attribute, (uint32_t)k, name_next(t, &string, "attribute", k), 0, OTF2_TYPE_UINT64);
    for (uint64_t k = 0; k < o->metrics; k++)
        define_metric(t, (uint32_t)k, name_next(t, &string, "metric", k));
    for (uint64_t k = 0; k < o->parameters; k++)
        TRACE_DEFINE(t, Parameter, (uint32_t)k, name_next(t, &string, "parameter", k), OTF2_PARAMETER_TYPE_UINT64);
    for (uint64_t k = 0; k < o->contexts; k++)
        TRACE_DEFINE(t, CallingContext, (uint32_t)k, DEEP, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                     k > 0 ? (uint32_t)k - 1 : OTF2_UNDEFINED_CALLING_CONTEXT);
    for (uint64_t k = 0; k < o->properties; k++)
        TRACE_DEFINE(t, LocationGroupProperty, 0, name_next(t, &string, "property", k), OTF2_TYPE_UINT64, one);
    define_operations(t, o, &string);
}

static void define_communicators(struct writer *w, const struct options *o, const uint64_t *members)
{
    for (uint64_t k = 0; k < o->communicators; k++) {
        const struct trace_group group = {(uint32_t)(G_MANY + k), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, RANKS,
                                          members};
        trace_groups(&w->trace, &group, 1);
        trace_comm(&w->trace, (uint32_t)k + 1, 0, (uint32_t)(G_MANY + k), 0);
    }
}

static void define_name(struct writer *w, const struct options *o)
{
    char *name = malloc(o->name + 1);

    if (!name) {
        w->trace.failed = true;
        return;
    }
    memset(name, 'x', o->name);
    name[o->name] = '\0';
    TRACE_DEFINE(&w->trace, String, S_LONG, name);
    free(name);
}

static void define_ranks(struct writer *w, const struct options *o)
{
    static const uint64_t events[] = {[RECEIVE] = 3, [BARRIER] = 4, [MAIN] = 2};
    const uint32_t ranks = (uint32_t)(RANKS + more_ranks(o));
    uint64_t *locations = malloc(2 * ranks * sizeof *locations), *members = locations ? locations + ranks : NULL;
    struct trace *t = &w->trace;

    for (uint32_t r = 0; locations && r < ranks; r++) {
        locations[r] = r < RANKS ? r : first_rank(o) + r - RANKS;
        members[r] = r;
        if (r < RANKS)
            continue;
        trace_process(t, r, 10, 0);
        trace_thread(t, locations[r], 10, events[region_of_rank(o, r - RANKS)], r);
    }
    if (locations) {
        const struct trace_group groups[] = {{0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, ranks, locations},
                                             {1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, ranks, members}};
        trace_groups(t, groups, TCF_COUNT(groups));
        trace_comm(t, 0, 9, 1, OTF2_UNDEFINED_COMM);
        define_communicators(w, o, members);
    }
    w->trace.failed |= !locations;
    free(locations);
}

static void define(struct writer *w, const struct options *o)
{
    static const char *const strings[] =
        {"",       "main",       "MPI_Send", "MPI_Recv", "a_function_whose_name_is_as_long_as_those_of_templates",
         "node",   "machine",    "rank 0",   "rank 1",   "MPI_COMM_WORLD",
         "silent", "MPI_Barrier"};
    static const OTF2_StringRef names[REGIONS] = {1, 2, 3, 4, 11, S_LONG};
    struct trace *t = &w->trace;

    trace_clock(t, (struct trace_clock){1000000000, FIRST_TIME, w->now - FIRST_TIME});
    trace_strings(t, 0, strings, TCF_COUNT(strings));
    define_name(w, o);
    for (uint32_t r = 0; r < REGIONS; r++) {
        const int is_mpi = r == SEND || r == RECEIVE || r == BARRIER;
        trace_region(t, &(struct trace_region){r, names[r], OTF2_REGION_ROLE_FUNCTION,
                                               is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER, 0, 0, 0});
    }
    for (uint64_t k = 0; k <= o->nodes; k++)
        TRACE_DEFINE(t, SystemTreeNode, (uint32_t)k, 5, 6, k > 0 ? (uint32_t)k - 1 : OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t r = 0; r < RANKS; r++) {
        trace_process(t, r, 7 + r, r == 0 ? (uint32_t)o->nodes : 0);
        trace_thread(t, r, 7 + r, w->count[r], r);
    }
    for (uint64_t k = 0; k < o->silent; k++)
        trace_thread(t, SILENT + k, 10, 0, 0);
    for (uint64_t k = 0; k < o->senders; k++)
        trace_thread(t, first_sender(o) + k, 10, SENDS * A_SEND, 0);
    define_ranks(w, o);
    define_many(w, o);
}

static void measure(struct writer *w)
{
    OTF2_Archive_OpenDefFiles(w->trace.archive);
    for (uint32_t r = 0; r < RANKS; r++) {
        const struct trace_measurement m[] = {{FIRST_TIME, r ? INT64_MAX : INT64_MIN, 0},
                                              {w->now, r ? INT64_MIN : INT64_MAX, 0}};
        trace_measurements(&w->trace, r, m, TCF_COUNT(m));
    }
    OTF2_Archive_CloseDefFiles(w->trace.archive);
}

int write_large(const struct command *c)
{
    struct options o = {0};
    struct writer w = {.now = FIRST_TIME};

    take_options(c, rows, TCF_COUNT(rows), &o);
    if (!trace_open(&w.trace, o.directory, 1 << 20))
        return 1;
    write_events(&w, &o);
    define(&w, &o);
    if (o.markers > 0)
        write_markers(&w, &o);
    if (o.offsets)
        measure(&w);
    return trace_close(&w.trace);
}
