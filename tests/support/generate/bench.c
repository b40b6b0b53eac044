/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * trace bench: a long, realistic, causally valid trace.
 *
 * An iterative MPI program with one thread a rank: computation in nested user regions, then a halo
 * exchange (Isend/Irecv and Waitall or Wait), a ring shift (Send/Recv), or an Allreduce, about 45
 * events a step. Every time is a closed formula of (rank, step), so locations are written one after
 * the other in constant memory, at any length, and no receive is earlier than its send. */
#include "kinds.h"
#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The time plan of a step, in nanoseconds. */
enum {
    COMPUTE = 40000, /* the computation is over by then, on every rank */
    SPREAD = 8000,   /* communication starts up to this much later, at random */
    LATENCY = 700,   /* smallest delay of a message */
    LATENCY_SPREAD = 2500,
    PERIOD = 60000,
    STEPS_BETWEEN_REDUCTIONS = 16,
    RANKS_PER_NODE = 16,
    TICKS_PER_SECOND = 1000000000
};
static const uint64_t base = 5000000000000; /* first timestamp, an uptime of some 80 minutes */

struct options {
    const char *directory;
    uint64_t locations, events;
    uint64_t skew; /* largest clock error in ns */
    int clock_offsets;
    uint64_t chunk_kib;
    uint64_t pairs;
};

static const option_row rows[] = {
    {0, "locations", "N", "ranks, which must be given", TCF_SIZE, AT(locations), NULL, "1", "1000000"},
    {0, "events", "TOTAL", "of all locations together, about, which must be given", TCF_SIZE, AT(events), NULL, "1"},
    {0, "skew", "NS", "the clocks of the ranks are wrong, by up to so much and 1 ppm", TCF_SIZE, AT(skew), "0", "0",
     "1250000000000"}, /* base / 4 */
    {0, "clock-offsets", NULL, "the trace says how wrong they are", TCF_BOOL, AT(clock_offsets)},
    {0, "chunk-kib", "N", "size of the chunks of event files", TCF_SIZE, AT(chunk_kib)},
    {0, "pairs", "N", "communicators of two neighbours, each with a group, that are defined and not used", TCF_SIZE,
     AT(pairs), "0", "0", "1000000"},
};

enum region {
    MAIN,
    SOLVE,
    STEP,
    FLUX,
    UPDATE,
    STENCIL,
    BOUNDARY,
    EOS,
    ADVECT,
    LIMITER,
    KERNEL,
    INTERPOLATE,
    PACK,
    UNPACK,
    EXCHANGE,
    RESIDUAL,
    MPI_INIT,
    MPI_FINALIZE,
    MPI_SEND,
    MPI_RECV,
    MPI_ISEND,
    MPI_IRECV,
    MPI_WAIT,
    MPI_WAITALL,
    MPI_ALLREDUCE,
    REGIONS
};

static const struct {
    const char *name;
    OTF2_RegionRole role;
} regions[REGIONS] = {
    [MAIN] = {"main", OTF2_REGION_ROLE_FUNCTION},
    [SOLVE] = {"solve", OTF2_REGION_ROLE_FUNCTION},
    [STEP] = {"time_step", OTF2_REGION_ROLE_FUNCTION},
    [FLUX] = {"compute_flux", OTF2_REGION_ROLE_FUNCTION},
    [UPDATE] = {"update_cells", OTF2_REGION_ROLE_FUNCTION},
    [STENCIL] = {"apply_stencil", OTF2_REGION_ROLE_LOOP},
    [BOUNDARY] = {"boundary", OTF2_REGION_ROLE_FUNCTION},
    [EOS] = {"equation_of_state", OTF2_REGION_ROLE_FUNCTION},
    [ADVECT] = {"advect", OTF2_REGION_ROLE_FUNCTION},
    [LIMITER] = {"limiter", OTF2_REGION_ROLE_FUNCTION},
    [KERNEL] = {"kernel", OTF2_REGION_ROLE_FUNCTION},
    [INTERPOLATE] = {"interpolate", OTF2_REGION_ROLE_FUNCTION},
    [PACK] = {"pack_halo", OTF2_REGION_ROLE_FUNCTION},
    [UNPACK] = {"unpack_halo", OTF2_REGION_ROLE_FUNCTION},
    [EXCHANGE] = {"exchange", OTF2_REGION_ROLE_FUNCTION},
    [RESIDUAL] = {"residual", OTF2_REGION_ROLE_FUNCTION},
    [MPI_INIT] = {"MPI_Init", OTF2_REGION_ROLE_COLL_OTHER},
    [MPI_FINALIZE] = {"MPI_Finalize", OTF2_REGION_ROLE_COLL_OTHER},
    [MPI_SEND] = {"MPI_Send", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_RECV] = {"MPI_Recv", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_ISEND] = {"MPI_Isend", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_IRECV] = {"MPI_Irecv", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_WAIT] = {"MPI_Wait", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_WAITALL] = {"MPI_Waitall", OTF2_REGION_ROLE_POINT2POINT},
    [MPI_ALLREDUCE] = {"MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL},
};

/* The computation of a step: regions entered (>= 0), and LEAVE for leaving the innermost one. */
enum { LEAVE = -1, END = -2 };
static const signed char computations[][40] = {
    {FLUX,        STENCIL, KERNEL, LEAVE, KERNEL, LEAVE,  LIMITER, LEAVE, LEAVE,  BOUNDARY,
     INTERPOLATE, LEAVE,   LEAVE,  LEAVE, UPDATE, ADVECT, EOS,     LEAVE, KERNEL, LEAVE,
     LEAVE,       EOS,     LEAVE,  EOS,   LEAVE,  LEAVE,  PACK,    LEAVE, END},
    {FLUX,  STENCIL,  KERNEL,      LIMITER, LEAVE,       LEAVE,  KERNEL, LIMITER, LEAVE,
     LEAVE, LEAVE,    LEAVE,       UPDATE,  ADVECT,      KERNEL, LEAVE,  LEAVE,   EOS,
     LEAVE, BOUNDARY, INTERPOLATE, LEAVE,   INTERPOLATE, LEAVE,  LEAVE,  LEAVE,   END},
    {FLUX,  BOUNDARY, LEAVE,  STENCIL, KERNEL, LEAVE,  KERNEL,   LEAVE,  KERNEL,  LEAVE, KERNEL, LEAVE,
     LEAVE, LEAVE,    UPDATE, EOS,     LEAVE,  ADVECT, LIMITER,  LEAVE,  LIMITER, LEAVE, LEAVE,  EOS,
     LEAVE, LEAVE,    PACK,   LEAVE,   UNPACK, LEAVE,  RESIDUAL, KERNEL, LEAVE,   LEAVE, END},
};

/* One location while it is written. */
struct writer {
    struct trace *trace;
    const struct options *options;
    OTF2_EvtWriter *out;
    uint64_t rank;
    uint64_t now; /* true time since the start, ns */
    uint64_t events;
    uint64_t request;
    int64_t offset; /* of this rank's clock: offset + drift · time */
    double drift;
};

/* splitmix64: the only source of randomness, always called with what it is for. */
static uint64_t mix(uint64_t x)
{
    return trace_mix(x + 0x9e3779b97f4a7c15u);
}

static uint64_t draw(uint64_t rank, uint64_t step, unsigned purpose)
{
    return mix(rank * 0x1000003u + step * 64 + purpose);
}

/* ---- the time plan: what a partner can know without being there ---- */

static uint64_t communication_start(uint64_t rank, uint64_t step)
{
    return step * PERIOD + COMPUTE + draw(rank, step, 0) % SPREAD;
}

/* Messages a rank may send in one step, by the time after communication_start() at which it does. */
enum { HALO_RIGHT = 600, HALO_LEFT = 1000, RING = 100 };

static uint64_t arrival(uint64_t sender, uint64_t step, unsigned message)
{
    return communication_start(sender, step) + message + LATENCY + draw(sender, step, message) % LATENCY_SPREAD;
}

static uint64_t reduction_end(uint64_t rank, uint64_t step)
{
    return step * PERIOD + COMPUTE + SPREAD + LATENCY + draw(rank, step, 1) % LATENCY_SPREAD;
}

/* ---- writing ---- */

static uint64_t local_time(const struct writer *w, uint64_t t)
{
    return (uint64_t)((int64_t)(base + t) + w->offset + (int64_t)(w->drift * (double)t));
}

static uint64_t stamp(struct writer *w)
{
    w->events++;
    return local_time(w, w->now);
}

static void check(struct writer *w, OTF2_ErrorCode code)
{
    expect(w->trace, code, "writing an event");
}

/* No two calls at one time: that costs a timestamp, 9 bytes, for nearly every event, as in real traces. */
static void enter(struct writer *w, enum region region)
{
    w->now += 25;
    check(w, OTF2_EvtWriter_Enter(w->out, NULL, stamp(w), region));
}

static void leave(struct writer *w, enum region region)
{
    w->now += 20;
    check(w, OTF2_EvtWriter_Leave(w->out, NULL, stamp(w), region));
}

static void advance_to(struct writer *w, uint64_t time)
{
    if (w->now < time)
        w->now = time;
}

static void compute(struct writer *w, uint64_t step)
{
    const signed char *op = computations[step % (sizeof computations / sizeof *computations)];
    uint64_t random = draw(w->rank, step, 2);
    enum region stack[8];
    unsigned depth = 0;

    for (; *op != END; op++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        w->now += (random >> 40) % 950; /* 40 of them stay below COMPUTE */
        if (*op == LEAVE) {
            leave(w, stack[--depth]);
        } else {
            stack[depth++] = (enum region) * op;
            enter(w, stack[depth - 1]);
        }
    }
}

static uint64_t message_bytes(uint64_t step)
{
    return 64 + 8 * (mix(step) % 1000);
}

static void post_receive(struct writer *w, uint64_t request)
{
    enter(w, MPI_IRECV);
    check(w, OTF2_EvtWriter_MpiIrecvRequest(w->out, NULL, stamp(w), request));
    w->now += 80;
    leave(w, MPI_IRECV);
}

static void post_send(struct writer *w, uint64_t receiver, uint32_t tag, uint64_t bytes, uint64_t request)
{
    enter(w, MPI_ISEND);
    check(w, OTF2_EvtWriter_MpiIsend(w->out, NULL, stamp(w), (uint32_t)receiver, 0, tag, bytes, request));
    w->now += 120;
    leave(w, MPI_ISEND);
}

static void complete_receive(struct writer *w, uint64_t sender, uint32_t tag, uint64_t bytes, uint64_t request,
                             uint64_t arrived)
{
    advance_to(w, arrived);
    check(w, OTF2_EvtWriter_MpiIrecv(w->out, NULL, stamp(w), (uint32_t)sender, 0, tag, bytes, request));
}

static void complete_send(struct writer *w, uint64_t request)
{
    check(w, OTF2_EvtWriter_MpiIsendComplete(w->out, NULL, stamp(w), request));
}

/* To the right with tag 1, to the left with tag 2; a rank may be its own neighbour. */
static void exchange_halo(struct writer *w, uint64_t step)
{
    uint64_t n = w->options->locations;
    uint64_t left = (w->rank + n - 1) % n, right = (w->rank + 1) % n;
    uint64_t start = communication_start(w->rank, step), bytes = message_bytes(step);
    uint64_t request = w->request;
    bool one_wait = step % 4 == 0;

    w->request += 4;
    enter(w, EXCHANGE);
    post_receive(w, request);
    post_receive(w, request + 1);
    advance_to(w, start + HALO_RIGHT);
    post_send(w, right, 1, bytes, request + 2);
    advance_to(w, start + HALO_LEFT);
    post_send(w, left, 2, bytes, request + 3);
    w->now += 90;
    enter(w, one_wait ? MPI_WAITALL : MPI_WAIT);
    complete_receive(w, left, 1, bytes, request, arrival(left, step, HALO_RIGHT));
    if (!one_wait) {
        w->now += 60;
        leave(w, MPI_WAIT);
        enter(w, MPI_WAITALL);
    }
    complete_receive(w, right, 2, bytes, request + 1, arrival(right, step, HALO_LEFT));
    complete_send(w, request + 2);
    complete_send(w, request + 3);
    w->now += 70;
    leave(w, MPI_WAITALL);
    leave(w, EXCHANGE);
}

static void shift_ring(struct writer *w, uint64_t step)
{
    uint64_t n = w->options->locations;
    uint64_t left = (w->rank + n - 1) % n, right = (w->rank + 1) % n;
    uint64_t bytes = message_bytes(step);

    enter(w, MPI_SEND);
    advance_to(w, communication_start(w->rank, step) + RING);
    check(w, OTF2_EvtWriter_MpiSend(w->out, NULL, stamp(w), (uint32_t)right, 0, 3, bytes));
    w->now += 300;
    leave(w, MPI_SEND);
    w->now += 50;
    enter(w, MPI_RECV);
    advance_to(w, arrival(left, step, RING));
    check(w, OTF2_EvtWriter_MpiRecv(w->out, NULL, stamp(w), (uint32_t)left, 0, 3, bytes));
    w->now += 60;
    leave(w, MPI_RECV);
}

static void reduce(struct writer *w, uint64_t step)
{
    enter(w, MPI_ALLREDUCE);
    check(w, OTF2_EvtWriter_MpiCollectiveBegin(w->out, NULL, stamp(w)));
    advance_to(w, reduction_end(w->rank, step));
    check(w, OTF2_EvtWriter_MpiCollectiveEnd(w->out, NULL, stamp(w), OTF2_COLLECTIVE_OP_ALLREDUCE, 0,
                                             OTF2_COLLECTIVE_ROOT_NONE, 8, 8));
    w->now += 100;
    leave(w, MPI_ALLREDUCE);
}

static void time_step(struct writer *w, uint64_t step)
{
    advance_to(w, step * PERIOD);
    enter(w, STEP);
    compute(w, step);
    advance_to(w, communication_start(w->rank, step));
    if (step % STEPS_BETWEEN_REDUCTIONS == STEPS_BETWEEN_REDUCTIONS - 1)
        reduce(w, step);
    else if (step % 2 == 0)
        exchange_halo(w, step);
    else
        shift_ring(w, step);
    leave(w, STEP);
}

/* Every rank writes the same number of events: a step's number depends on the step alone. */
static void run_program(struct writer *w)
{
    static const OTF2_StringRef arguments[1] = {0};
    uint64_t events = w->options->events / w->options->locations;
    uint64_t step = 1; /* step 0 is the start of the program */

    check(w, OTF2_EvtWriter_ProgramBegin(w->out, NULL, stamp(w), 1, 1, arguments));
    enter(w, MAIN);
    enter(w, MPI_INIT);
    w->now = PERIOD / 2;
    leave(w, MPI_INIT);
    enter(w, SOLVE);
    for (; w->events + 5 < events && !w->trace->failed; step++)
        time_step(w, step);
    w->now = step * PERIOD;
    leave(w, SOLVE);
    enter(w, MPI_FINALIZE);
    w->now += 5000;
    leave(w, MPI_FINALIZE);
    leave(w, MAIN);
    check(w, OTF2_EvtWriter_ProgramEnd(w->out, NULL, stamp(w), 0));
}

static void set_clock(struct writer *w)
{
    uint64_t skew = w->options->skew;

    if (skew == 0)
        return;
    w->offset = (int64_t)(draw(w->rank, 0, 3) % (2 * skew + 1)) - (int64_t)skew;
    w->drift = ((double)(draw(w->rank, 0, 4) % 2001) - 1000.0) * 1e-9; /* up to 1 ppm */
}

/* Like Score-P: a measurement at the start and one at the end. */
static void write_measurements(const struct writer *w)
{
    const uint64_t times[2] = {0, w->now};
    struct trace_measurement m[2] = {{0}};

    for (int i = 0; i < 2; i++) {
        m[i].local = local_time(w, times[i]);
        m[i].offset = (int64_t)(base + times[i] - m[i].local);
    }
    trace_measurements(w->trace, w->rank, m, w->options->skew == 0 || w->options->clock_offsets ? 2 : 0);
}

/* Returns the number of events, and the end of the program in *end. */
static uint64_t write_location(struct trace *t, const struct options *options, uint64_t rank, uint64_t *end)
{
    struct writer w = {.trace = t, .options = options, .rank = rank, .out = trace_events(t, rank)};

    set_clock(&w);
    if (!t->failed)
        run_program(&w);
    trace_close_events(t, w.out);
    write_measurements(&w);
    *end = w.now;
    return w.events;
}

/* ---- definitions ---- */

/* Fixed string ids; regions and then ranks and nodes follow. */
enum strings {
    EMPTY,
    PROGRAM,
    MACHINE_NAME,
    MACHINE_CLASS,
    NODE_CLASS,
    MASTER_THREAD,
    MPI_NAME,
    COMM_TEMPLATE,
    COMM_WORLD,
    COMM_SELF,
    SOURCE_FILE,
    FIRST_REGION_NAME
};
static const char *const texts[FIRST_REGION_NAME] =
    {"",    "bench-trace", "Linux",          "machine",       "node",    "Master thread",
     "MPI", "Comm ${id}",  "MPI_COMM_WORLD", "MPI_COMM_SELF", "solver.c"};

static void define_regions(struct trace *t)
{
    for (uint32_t i = 0; i < REGIONS; i++) {
        trace_strings(t, FIRST_REGION_NAME + i, &regions[i].name, 1);
        if (i >= MPI_INIT)
            trace_region(t, &(struct trace_region){i, FIRST_REGION_NAME + i, regions[i].role, OTF2_PARADIGM_MPI,
                                                   MPI_NAME, 0, 0});
        else
            trace_region(t, &(struct trace_region){i, FIRST_REGION_NAME + i, regions[i].role, OTF2_PARADIGM_COMPILER,
                                                   SOURCE_FILE, 10 * i + 1, 10 * i + 9});
    }
}

static void define_locations(struct trace *t, uint64_t locations, uint64_t events)
{
    uint32_t string = FIRST_REGION_NAME + REGIONS;
    char text[32];

    TRACE_DEFINE(t, SystemTreeNode, 0, MACHINE_NAME, MACHINE_CLASS, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    TRACE_DEFINE(t, SystemTreeNodeDomain, 0, OTF2_SYSTEM_TREE_DOMAIN_MACHINE);
    for (uint32_t rank = 0; rank < locations; rank++) {
        uint32_t node = 1 + rank / RANKS_PER_NODE;
        if (rank % RANKS_PER_NODE == 0) {
            snprintf(text, sizeof text, "node%04" PRIu32, node - 1);
            TRACE_DEFINE(t, String, string, text);
            TRACE_DEFINE(t, SystemTreeNode, node, string++, NODE_CLASS, 0);
            TRACE_DEFINE(t, SystemTreeNodeDomain, node, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY);
        }
        snprintf(text, sizeof text, "MPI Rank %" PRIu32, rank);
        TRACE_DEFINE(t, String, string, text);
        trace_process(t, rank, string++, node);
        trace_thread(t, rank, MASTER_THREAD, events, rank);
    }
}

static void define_communicators(struct trace *t, uint32_t n, uint32_t pairs, const uint64_t *ranks)
{
    const struct trace_group groups[] = {
        {0, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, n, ranks},
        {1, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, n, ranks},
        {2, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, NULL},
    };

    trace_groups(t, groups, TCF_COUNT(groups));
    trace_comm(t, 0, COMM_WORLD, 1, OTF2_UNDEFINED_COMM);
    trace_comm(t, 1, COMM_SELF, 2, OTF2_UNDEFINED_COMM);
    for (uint32_t i = 0; i < pairs; i++) {
        const uint64_t two[] = {i % n, (i + 1) % n};
        const uint32_t id = (uint32_t)TCF_COUNT(groups) + i;
        trace_groups(t, &(struct trace_group){id, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, n > 1 ? 2 : 1, two},
                     1);
        trace_comm(t, 2 + i, COMM_TEMPLATE, id, 0);
    }
}

static void define(struct trace *t, const struct options *options, uint64_t events, uint64_t end)
{
    const OTF2_AttributeValue value = {.stringRef = COMM_TEMPLATE};
    uint64_t *ranks = malloc(options->locations * sizeof *ranks);

    expect(t, ranks ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED, "ranks");
    for (uint64_t i = 0; ranks && i < options->locations; i++)
        ranks[i] = i;
    trace_clock(t, (struct trace_clock){TICKS_PER_SECOND, base, end});
    trace_strings(t, 0, texts, FIRST_REGION_NAME);
    TRACE_DEFINE(t, Paradigm, OTF2_PARADIGM_MPI, MPI_NAME, OTF2_PARADIGM_CLASS_PROCESS);
    TRACE_DEFINE(t, ParadigmProperty, OTF2_PARADIGM_MPI, OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE, OTF2_TYPE_STRING,
                 value);
    define_regions(t);
    define_locations(t, options->locations, events);
    if (ranks)
        define_communicators(t, (uint32_t)options->locations, (uint32_t)options->pairs, ranks);
    free(ranks);
}

int write_bench(const struct command *c)
{
    struct options options = {.chunk_kib = OTF2_CHUNK_SIZE_EVENTS_DEFAULT / 1024};
    struct trace t;
    uint64_t events = 0, end = 0;

    take_options(c, rows, TCF_COUNT(rows), &options);
    if (options.locations == 0 || options.events == 0)
        wrong_usage(c, "--locations N and --events TOTAL must be given");
    if (!trace_open(&t, options.directory, 1024 * options.chunk_kib))
        return 1;
    OTF2_Archive_SetCreator(t.archive, "bench-trace");
    OTF2_Archive_OpenDefFiles(t.archive);
    for (uint64_t rank = 0; rank < options.locations && !t.failed; rank++)
        events = write_location(&t, &options, rank, &end);
    OTF2_Archive_CloseDefFiles(t.archive);
    define(&t, &options, events, end);
    if (trace_close(&t) != 0)
        return 1;
    printf("locations %" PRIu64 " events %" PRIu64 "\n", options.locations, events * options.locations);
    return 0;
}
