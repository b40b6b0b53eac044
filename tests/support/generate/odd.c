/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace odd: a random trace that need not make sense.
 *
 * Regions are entered and left in any order: unbalanced, recursive, undefined; ordinary ones and calling contexts.
 * Requests of all families, on several communicators, are completed late or never, cancelled, tested, their ids
 * reused. Many events share their time. For filters that have to do the same whatever they are given: the tests
 * compare them with programs that look at the trace as a whole. Two locations are one process; ids are sparse. */
#include "kinds.h"
#include "trace.h"

#include <stdio.h>
#include <string.h>

enum {
    REGIONS = 14,
    CONTEXTS = 6,
    WORLD = 10,
    HALF = 20,
    SELF = 30,
    TEAM = 40, /* ids of communicators */
    WINDOW = 3,
    HALF_WINDOW = 4,
    OPEN = 24, /* requests at a time */
    TICKS_PER_SECOND = 1000000
};

enum strings {
    EMPTY,
    MACHINE,
    NODE,
    PROCESS,
    THREAD,
    WORLD_NAME,
    HALF_NAME,
    SELF_NAME,
    TEAM_NAME,
    FILE_A,
    FILE_B,
    TEXT,
    FIRST_REGION
};
static const char *const texts[FIRST_REGION] = {"",     "machine", "node", "Process", "Thread, \"odd\"", "WORLD",
                                                "HALF", "SELF",    "TEAM", "src/a.c", "src/b.c",         "text"};
/* The last two of the same name; MPI's do not count as instrumented by the user. */
static const char *const regions[REGIONS] = {"main",         "solve", "MPI_Send", "MPI_Recv", "MPI_Barrier",
                                             "f(int, char)", "g",     "h",        "io",       "std::sort<a, b>",
                                             "inner",        "outer", "twin",     "twin"};
static const uint64_t start = 5000000;

struct options {
    const char *directory;
    uint64_t seed, locations, events, deep;
};

static const option_row rows[] = {
    {0, "seed", "N", "another trace for each", TCF_SIZE, AT(seed), "1"},
    {0, "locations", "N", "1 to 128", TCF_SIZE, AT(locations), "4", "1", "128"},
    {0, "events", "N", "steps of a location, of about one event each; every fifth location has 3", TCF_SIZE, AT(events),
     "1000"},
    {0, "deep", "N", "the first location then enters a region N times without leaving it, and leaves it as often",
     TCF_SIZE, AT(deep), "0"},
};

struct request {
    uint64_t id;
    int family;
    uint32_t comm;
};

struct location {
    struct trace *trace;
    OTF2_EvtWriter *out;
    OTF2_AttributeList *list;
    uint64_t state, time;
    uint32_t depth;
    struct request open[OPEN];
    uint32_t n_open;
};

static uint64_t draw(struct location *l, uint64_t n)
{
    l->state = l->state * 6364136223846793005u + 1442695040888963407u;
    return (l->state >> 33) % n;
}

static uint64_t tick(struct location *l)
{
    if (draw(l, 3) != 0)
        l->time += draw(l, 20) + (draw(l, 50) == 0 ? 500 : 0);
    return l->time;
}

static OTF2_AttributeList *attributes(struct location *l)
{
    if (draw(l, 9) == 0)
        OTF2_AttributeList_AddUint64(l->list, 0, draw(l, 1000));
    return l->list;
}

#define PUT(Name, ...)                                                                                                 \
    do {                                                                                                               \
        OTF2_AttributeList *list_ = attributes(l);                                                                     \
        uint64_t time_ = tick(l);                                                                                      \
        expect(l->trace, OTF2_EvtWriter_##Name(l->out, list_, time_, ##__VA_ARGS__), #Name);                           \
        OTF2_AttributeList_RemoveAllAttributes(list_);                                                                 \
    } while (0)

static uint32_t any_region(struct location *l)
{
    uint64_t kind = draw(l, 60);
    return kind == 0 ? OTF2_UNDEFINED_REGION : kind == 1 ? 5000 : (uint32_t)(3 * draw(l, REGIONS));
}

/* Mostly balanced, since a random leave would soon leave everything; deep at times. */
static void put_region(struct location *l)
{
    bool context = draw(l, 8) == 0;
    uint32_t id = context ? (uint32_t)(draw(l, 40) == 0 ? 77 : draw(l, CONTEXTS)) : any_region(l);

    if (draw(l, 40) < (l->depth < 3 ? 30u : l->depth > 40 ? 5u : 20u)) {
        l->depth++;
        if (context)
            PUT(CallingContextEnter, id, 1);
        else
            PUT(Enter, id);
    } else {
        l->depth -= l->depth > 0;
        if (context)
            PUT(CallingContextLeave, id);
        else
            PUT(Leave, id);
    }
}

/* Enters, something in between, the leave of the same region: what programs do. */
static void put_call(struct location *l)
{
    uint32_t region = 3 * (uint32_t)draw(l, REGIONS);

    PUT(Enter, region);
    if (draw(l, 2) == 0) {
        PUT(Enter, region);
        PUT(Leave, region);
    }
    PUT(Leave, region);
}

static uint32_t any_comm(struct location *l)
{
    static const uint32_t comms[] = {WORLD, WORLD, HALF, HALF, SELF, 99};
    return comms[draw(l, draw(l, 30) == 0 ? 6 : 5)];
}

enum { RECEIVE, SEND, COLLECTIVE };

static void post(struct location *l)
{
    struct request r = {draw(l, 40), (int)draw(l, 3), any_comm(l)};

    if (r.family == RECEIVE)
        PUT(MpiIrecvRequest, r.id);
    else if (r.family == SEND)
        PUT(MpiIsend, (uint32_t)draw(l, 2), r.comm, (uint32_t)draw(l, 5), draw(l, 999), r.id);
    else
        PUT(NonBlockingCollectiveRequest, r.id);
    if (l->n_open < OPEN)
        l->open[l->n_open++] = r;
}

static void complete(struct location *l)
{
    if (l->n_open == 0)
        return;
    uint32_t at = (uint32_t)draw(l, l->n_open);
    struct request r = l->open[at];
    uint64_t how = draw(l, 20);

    if (how < 3) {
        PUT(MpiRequestTest, r.id);
        return;
    }
    l->open[at] = l->open[--l->n_open];
    if (how == 3)
        return; /* never */
    if (how == 4)
        PUT(MpiRequestCancelled, r.id);
    else if (r.family == RECEIVE)
        PUT(MpiIrecv, (uint32_t)draw(l, 2), r.comm, (uint32_t)draw(l, 5), draw(l, 999), r.id);
    else if (r.family == SEND)
        PUT(MpiIsendComplete, r.id);
    else
        PUT(NonBlockingCollectiveComplete, OTF2_COLLECTIVE_OP_ALLREDUCE, r.comm, OTF2_COLLECTIVE_ROOT_NONE, 8, 8, r.id);
}

static void put_collective(struct location *l)
{
    uint64_t how = draw(l, 8);

    if (how == 0)
        PUT(MpiCollectiveBegin);
    else if (how == 1)
        PUT(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, any_comm(l), OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    else if (how == 2)
        PUT(RmaCollectiveBegin);
    else if (how == 3)
        PUT(RmaCollectiveEnd, OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, (uint32_t)(WINDOW + draw(l, 3)),
            OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    else if (how < 6)
        PUT(RmaPut, (uint32_t)(WINDOW + draw(l, 3)), 0, 8, draw(l, 9));
    else if (how == 6)
        PUT(ThreadTeamBegin, TEAM);
    else
        PUT(CommCreate, any_comm(l));
}

static void put_event(struct location *l)
{
    static const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64};
    const OTF2_MetricValue values[] = {{.unsigned_int = draw(l, 1000)}, {.signed_int = 5}};

    switch (draw(l, 12)) {
    case 0:
        PUT(MpiSend, (uint32_t)draw(l, 2), any_comm(l), 1, 8);
        break;
    case 1:
        PUT(MpiRecv, (uint32_t)draw(l, 2), any_comm(l), 1, 8);
        break;
    case 2:
        post(l);
        break;
    case 3:
        complete(l);
        break;
    case 4:
        put_collective(l);
        break;
    case 5:
        PUT(Metric, 0, 2, types, values);
        break;
    case 6:
        PUT(ParameterInt, 0, -1);
        break;
    case 7:
        put_call(l);
        break;
    default:
        put_region(l);
        break;
    }
}

static void dive(struct location *l, uint64_t deep)
{
    for (uint64_t i = 0; i < deep && !l->trace->failed; i++)
        PUT(Enter, 0);
    for (uint64_t i = 0; i < deep && !l->trace->failed; i++)
        PUT(Leave, 0);
}

static uint64_t location_id(uint64_t i)
{
    return i * 4294967296u + i * 7;
}

/* Returns the time of its last event. */
static uint64_t write_location(struct trace *t, uint64_t i, const struct options *o)
{
    struct location l = {.trace = t,
                         .out = trace_events(t, location_id(i)),
                         .list = OTF2_AttributeList_New(),
                         .state = o->seed * 1000003u + i,
                         .time = start};
    uint64_t n = i % 5 == 4 ? 3 : o->events; /* some are short */

    for (uint64_t k = 0; k < n && !t->failed; k++)
        put_event(&l);
    if (i == 0)
        dive(&l, o->deep);
    OTF2_AttributeList_Delete(l.list);
    trace_close_events(t, l.out);
    const struct trace_measurement m[2] = {{start, (int64_t)(i * 1000), 0.0},
                                           {l.time + 1, (int64_t)(i * 1000 + i), 0.0}};
    trace_measurements(t, location_id(i), m, 2);
    return l.time;
}

static void define_communicators(struct trace *t, uint32_t processes)
{
    uint64_t all[64] = {0}, ranks[64] = {0};
    const struct trace_group groups[] = {
        {1, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, processes, all},
        {2, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, processes, ranks},
        {3, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, processes > 1 ? 2 : 1, ranks},
        {4, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, NULL},
        {5, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_OPENMP, processes, all},
        {6, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP, 1, ranks},
    };

    for (uint32_t i = 0; i < processes; i++) {
        all[i] = location_id(2 * i);
        ranks[i] = i;
    }
    trace_groups(t, groups, TCF_COUNT(groups));
    trace_comm(t, WORLD, WORLD_NAME, 2, OTF2_UNDEFINED_COMM);
    trace_comm(t, HALF, HALF_NAME, 3, WORLD);
    trace_comm(t, SELF, SELF_NAME, 4, OTF2_UNDEFINED_COMM);
    trace_comm(t, TEAM, TEAM_NAME, 6, OTF2_UNDEFINED_COMM);
    TRACE_DEFINE(t, RmaWin, WINDOW, EMPTY, WORLD, 0);
    TRACE_DEFINE(t, RmaWin, HALF_WINDOW, EMPTY, HALF, 0);
}

static void define_regions(struct trace *t)
{
    trace_strings(t, FIRST_REGION, regions, REGIONS);
    for (uint32_t i = 0; i < REGIONS; i++) {
        bool mpi = strncmp(regions[i], "MPI_", 4) == 0;
        OTF2_StringRef file = mpi ? EMPTY : i < 12 && i % 2 ? FILE_A : FILE_B;
        trace_region(t, &(struct trace_region){3 * i, FIRST_REGION + i, OTF2_REGION_ROLE_FUNCTION,
                                               mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_COMPILER, file, i < 12 ? i : 12,
                                               99});
    }
    for (uint32_t i = 0; i < CONTEXTS; i++)
        TRACE_DEFINE(t, CallingContext, i, i == 5 ? OTF2_UNDEFINED_REGION : 3 * i, OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                     OTF2_UNDEFINED_CALLING_CONTEXT);
}

static void define_locations(struct trace *t, const struct options *o)
{
    char text[32];

    TRACE_DEFINE(t, SystemTreeNode, 0, NODE, MACHINE, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    for (uint32_t i = 0; i < o->locations; i++) {
        if (i % 2 == 0) {
            snprintf(text, sizeof text, "Process %u", i / 2);
            TRACE_DEFINE(t, String, 1000 + i, text);
            trace_process(t, 100 + i, 1000 + i, 0);
        }
        trace_thread(t, location_id(i), THREAD, o->events, 100 + i / 2 * 2);
    }
    define_communicators(t, (uint32_t)(o->locations + 1) / 2);
}

static void define(struct trace *t, const struct options *o, uint64_t end)
{
    static const OTF2_MetricMemberRef members[] = {0, 0};

    trace_clock(t, (struct trace_clock){TICKS_PER_SECOND, start, end - start});
    trace_strings(t, 0, texts, FIRST_REGION);
    define_regions(t);
    TRACE_DEFINE(t, Attribute, 0, TEXT, TEXT, OTF2_TYPE_UINT64);
    TRACE_DEFINE(t, MetricMember, 0, TEXT, TEXT, OTF2_METRIC_TYPE_OTHER, OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_UINT64,
                 OTF2_BASE_DECIMAL, 0, TEXT);
    TRACE_DEFINE(t, MetricClass, 0, 2, members, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
    TRACE_DEFINE(t, Parameter, 0, TEXT, OTF2_PARAMETER_TYPE_INT64);
    define_locations(t, o);
}

int write_odd(const struct command *c)
{
    struct options o = {0};
    struct trace t;
    uint64_t end = start + 1;

    take_options(c, rows, TCF_COUNT(rows), &o);
    if (!trace_open(&t, o.directory, OTF2_CHUNK_SIZE_MIN))
        return 1;
    OTF2_Archive_OpenDefFiles(t.archive);
    for (uint64_t i = 0; i < o.locations; i++) {
        uint64_t last = write_location(&t, i, &o);
        end = last > end ? last : end;
    }
    OTF2_Archive_CloseDefFiles(t.archive);
    define(&t, &o, end);
    return trace_close(&t);
}
