/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Random programs: what processes, threads and accelerators do, with all that belongs to it in order, drawn step by
 * step over clocks of their own. A lost program is the same with some of its events left out. */
#include "torture.h"

#include <private/roles.h>

#include <otf2/OTF2_AttributeValue.h>
#include <otf2/OTF2_Definitions.h>
#include <otf2/OTF2_Events.h>
#include <otf2/OTF2_GeneralDefinitions.h>
#include <string.h>

enum { RANKS = 4, THREADS = 3, LOCATIONS = RANKS * THREADS, DEPTH = 6, STEPS = 110 };

struct world {
    tcfh *h;
    uint64_t random, clock[LOCATIONS];
    program_kind kind;
    uint32_t work[5], mpi_send, mpi_recv, mpi_coll, mpi_wait, mpi_init, mpi_finalize, parallel, barrier, io;
    uint32_t comm[2], team[RANKS], window, metric, attribute;
    uint32_t stack[LOCATIONS][DEPTH], depth[LOCATIONS];
    uint64_t request;
    uint32_t lock_order[RANKS][2], sequence; /* orders: of a lock of each process, and of one of OpenMP's old records */
};

static uint32_t draw(struct world *w, uint32_t below)
{
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((w->random >> 33) % below);
}

static uint64_t later(struct world *w, uint32_t l)
{
    return w->clock[l] += draw(w, 4) == 0 ? 0 : 1 + draw(w, 40);
}

/* A lost program misses one of 12 events, but no enter or leave. */
static int put(struct world *w, uint32_t l, enum tcf_kind kind, const void *record)
{
    uint64_t t = later(w, l);
    if (w->kind == PROGRAM_LOST && draw(w, 12) == 0 && kind != TCF_ENTER && kind != TCF_LEAVE)
        return 0;
    tcfh_event(w->h, l, t, kind, record);
    if (draw(w, 10) == 0)
        tcfh_attributes(w->h, l, 1,
                        &(tcf_attribute){.value = draw(w, 1000), .attribute = w->attribute, .type = OTF2_TYPE_UINT64});
    return 1;
}

static void enter(struct world *w, uint32_t l, uint32_t region)
{
    put(w, l, TCF_ENTER, &(tcf_ev_enter){region});
}

static void leave(struct world *w, uint32_t l, uint32_t region)
{
    put(w, l, TCF_LEAVE, &(tcf_ev_leave){region});
}

/* All of these go on from the latest of their times. */
static void meet(struct world *w, uint32_t n, const uint32_t *who)
{
    uint64_t latest = 0;
    for (uint32_t i = 0; i < n; i++)
        latest = w->clock[who[i]] > latest ? w->clock[who[i]] : latest;
    for (uint32_t i = 0; i < n; i++)
        w->clock[who[i]] = latest + 1;
}

static void after(struct world *w, uint32_t l, uint32_t other)
{
    if (w->clock[l] <= w->clock[other])
        w->clock[l] = w->clock[other] + 1;
}

/* --------------------------------------------------------------------------------------------------- steps of it -- */

static void compute(struct world *w)
{
    uint32_t l = draw(w, LOCATIONS), region = w->work[draw(w, 5)];
    if (w->depth[l] == DEPTH || (w->depth[l] > 0 && draw(w, 2) == 0)) {
        leave(w, l, w->stack[l][--w->depth[l]]);
        return;
    }
    w->stack[l][w->depth[l]++] = region;
    enter(w, l, region);
    if (draw(w, 2) == 0) {
        later(w, l);
        tcfh_metric_value(w->h, l, w->clock[l], w->metric, OTF2_TYPE_UINT64, draw(w, 1000));
    }
}

static void message(struct world *w)
{
    uint32_t from = draw(w, RANKS), to = draw(w, RANKS), tag = draw(w, 3), a = from * THREADS, b = to * THREADS;
    uint64_t bytes = draw(w, 5000);
    enter(w, a, w->mpi_send);
    put(w, a, TCF_MPI_SEND, &(tcf_ev_mpi_send){to, w->comm[0], tag, bytes});
    leave(w, a, w->mpi_send);
    enter(w, b, w->mpi_recv);
    after(w, b, a);
    put(w, b, TCF_MPI_RECV, &(tcf_ev_mpi_recv){from, w->comm[0], tag, bytes});
    leave(w, b, w->mpi_recv);
}

static void exchange_nonblocking(struct world *w)
{
    uint32_t from = draw(w, RANKS), to = (from + 1 + draw(w, RANKS - 1)) % RANKS, a = from * THREADS, b = to * THREADS;
    uint64_t s = ++w->request, r = ++w->request;
    enter(w, b, w->mpi_recv);
    put(w, b, TCF_MPI_IRECV_REQUEST, &(tcf_ev_mpi_irecv_request){r});
    leave(w, b, w->mpi_recv);
    enter(w, a, w->mpi_send);
    put(w, a, TCF_MPI_ISEND, &(tcf_ev_mpi_isend){to, w->comm[0], 9, 8, s});
    leave(w, a, w->mpi_send);
    enter(w, b, w->mpi_wait);
    if (draw(w, 2) == 0)
        put(w, b, TCF_MPI_REQUEST_TEST, &(tcf_ev_mpi_request_test){r});
    after(w, b, a);
    put(w, b, TCF_MPI_IRECV, &(tcf_ev_mpi_irecv){from, w->comm[0], 9, 8, r});
    leave(w, b, w->mpi_wait);
    enter(w, a, w->mpi_wait);
    put(w, a, TCF_MPI_ISEND_COMPLETE, &(tcf_ev_mpi_isend_complete){s});
    leave(w, a, w->mpi_wait);
    if (draw(w, 4) == 0)
        put(w, b, TCF_MPI_REQUEST_CANCELLED, &(tcf_ev_mpi_request_cancelled){++w->request});
}

static uint32_t root_of(uint8_t op, uint32_t drawn)
{
    switch (op) {
    case OTF2_COLLECTIVE_OP_BCAST:
    case OTF2_COLLECTIVE_OP_GATHER:
    case OTF2_COLLECTIVE_OP_SCATTER:
    case OTF2_COLLECTIVE_OP_REDUCE:
        return drawn;
    default:
        return OTF2_UNDEFINED_UINT32;
    }
}

static void collective(struct world *w)
{
    static const uint8_t ops[] = {OTF2_COLLECTIVE_OP_BARRIER,  OTF2_COLLECTIVE_OP_BCAST,     OTF2_COLLECTIVE_OP_GATHER,
                                  OTF2_COLLECTIVE_OP_SCATTER,  OTF2_COLLECTIVE_OP_ALLREDUCE, OTF2_COLLECTIVE_OP_REDUCE,
                                  OTF2_COLLECTIVE_OP_ALLTOALL, OTF2_COLLECTIVE_OP_SCAN,      OTF2_COLLECTIVE_OP_EXSCAN};
    uint32_t c = draw(w, 2), n = c == 0 ? RANKS : RANKS / 2, who[RANKS], nonblocking = draw(w, 4) == 0;
    uint8_t op = ops[draw(w, sizeof ops)];
    uint32_t root = root_of(op, draw(w, n));
    uint64_t request = w->request += RANKS;
    for (uint32_t r = 0; r < n; r++) {
        who[r] = (c == 0 ? r : 2 * r) * THREADS;
        enter(w, who[r], w->mpi_coll);
        if (nonblocking) {
            put(w, who[r], TCF_NON_BLOCKING_COLLECTIVE_REQUEST, &(tcf_ev_non_blocking_collective_request){request + r});
            leave(w, who[r], w->mpi_coll);
            enter(w, who[r], w->mpi_wait);
        } else {
            put(w, who[r], TCF_MPI_COLLECTIVE_BEGIN, NULL);
        }
    }
    meet(w, n, who);
    for (uint32_t r = 0; r < n; r++) {
        if (nonblocking)
            put(w, who[r], TCF_NON_BLOCKING_COLLECTIVE_COMPLETE,
                &(tcf_ev_non_blocking_collective_complete){op, w->comm[c], root, 8, 8, request + r});
        else
            put(w, who[r], TCF_MPI_COLLECTIVE_END, &(tcf_ev_mpi_collective_end){op, w->comm[c], root, 8, 8});
        leave(w, who[r], nonblocking ? w->mpi_wait : w->mpi_coll);
    }
    w->request += RANKS;
}

/* Draws a team of all threads of a process but the last one, which is the accelerator. */
static void parallel(struct world *w)
{
    uint32_t p = draw(w, RANKS), who[THREADS - 1];
    put(w, p * THREADS, TCF_THREAD_FORK, &(tcf_ev_thread_fork){OTF2_PARADIGM_OPENMP, THREADS - 1});
    for (uint32_t t = 0; t < THREADS - 1; t++) {
        who[t] = p * THREADS + t;
        after(w, who[t], p * THREADS);
        put(w, who[t], TCF_THREAD_TEAM_BEGIN, &(tcf_ev_thread_team_begin){w->team[p]});
        enter(w, who[t], w->parallel);
        if (draw(w, 2) == 0) {
            put(w, who[t], TCF_THREAD_TASK_CREATE, &(tcf_ev_thread_task_create){w->team[p], t, 1});
            put(w, who[t], TCF_THREAD_TASK_SWITCH, &(tcf_ev_thread_task_switch){w->team[p], t, 1});
            put(w, who[t], TCF_THREAD_TASK_COMPLETE, &(tcf_ev_thread_task_complete){w->team[p], t, 1});
        }
        enter(w, who[t], w->barrier);
    }
    meet(w, THREADS - 1, who);
    for (uint32_t t = 0; t < THREADS - 1; t++) {
        leave(w, who[t], w->barrier);
        leave(w, who[t], w->parallel);
        put(w, who[t], TCF_THREAD_TEAM_END, &(tcf_ev_thread_team_end){w->team[p]});
    }
    meet(w, THREADS - 1, who);
    put(w, p * THREADS, TCF_THREAD_JOIN, &(tcf_ev_thread_join){OTF2_PARADIGM_OPENMP});
}

static void threads(struct world *w)
{
    uint32_t p = draw(w, RANKS), a = p * THREADS, b = a + 1, s = w->sequence++;
    put(w, a, TCF_THREAD_CREATE, &(tcf_ev_thread_create){w->team[p], s});
    after(w, b, a);
    put(w, b, TCF_THREAD_BEGIN, &(tcf_ev_thread_begin){w->team[p], s});
    put(w, b, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_PTHREAD, p, ++w->lock_order[p][0]});
    put(w, b, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_PTHREAD, p, w->lock_order[p][0]});
    after(w, a, b);
    put(w, a, TCF_THREAD_ACQUIRE_LOCK, &(tcf_ev_thread_acquire_lock){OTF2_PARADIGM_PTHREAD, p, ++w->lock_order[p][0]});
    put(w, a, TCF_THREAD_RELEASE_LOCK, &(tcf_ev_thread_release_lock){OTF2_PARADIGM_PTHREAD, p, w->lock_order[p][0]});
    put(w, b, TCF_THREAD_END, &(tcf_ev_thread_end){w->team[p], s});
    after(w, a, b);
    put(w, a, TCF_THREAD_WAIT, &(tcf_ev_thread_wait){w->team[p], s});
}

static void openmp_as_before(struct world *w)
{
    uint32_t p = draw(w, RANKS), l = p * THREADS;
    put(w, l, TCF_OMP_FORK, &(tcf_ev_omp_fork){1});
    put(w, l, TCF_OMP_TASK_CREATE, &(tcf_ev_omp_task_create){7});
    put(w, l, TCF_OMP_TASK_SWITCH, &(tcf_ev_omp_task_switch){7});
    put(w, l, TCF_OMP_TASK_COMPLETE, &(tcf_ev_omp_task_complete){7});
    put(w, l, TCF_OMP_ACQUIRE_LOCK, &(tcf_ev_omp_acquire_lock){9, ++w->lock_order[p][1]});
    put(w, l, TCF_OMP_RELEASE_LOCK, &(tcf_ev_omp_release_lock){9, w->lock_order[p][1]});
    put(w, l, TCF_OMP_JOIN, NULL);
}

static void one_sided(struct world *w)
{
    uint32_t l = draw(w, RANKS) * THREADS, to = draw(w, RANKS), who[RANKS];
    uint64_t id = ++w->request;
    if (draw(w, 2) == 0)
        put(w, l, TCF_RMA_PUT, &(tcf_ev_rma_put){w->window, to, 64, id});
    else
        put(w, l, TCF_RMA_GET, &(tcf_ev_rma_get){w->window, to, 64, id});
    put(w, l, TCF_RMA_OP_COMPLETE_BLOCKING, &(tcf_ev_rma_op_complete_blocking){w->window, id});
    if (draw(w, 3) != 0)
        return;
    for (uint32_t r = 0; r < RANKS; r++) {
        who[r] = r * THREADS;
        put(w, who[r], TCF_RMA_COLLECTIVE_BEGIN, NULL);
    }
    meet(w, RANKS, who);
    for (uint32_t r = 0; r < RANKS; r++)
        put(w, who[r], TCF_RMA_COLLECTIVE_END,
            &(tcf_ev_rma_collective_end){OTF2_COLLECTIVE_OP_BARRIER, OTF2_RMA_SYNC_LEVEL_PROCESS, w->window,
                                         OTF2_UNDEFINED_UINT32, 0, 0});
}

/* Draws a call on the stream of a process; that of the last process stays without events. */
static void accelerator(struct world *w)
{
    uint32_t p = draw(w, RANKS - 1), l = p * THREADS + THREADS - 1, region = w->work[draw(w, 5)];
    after(w, l, p * THREADS);
    enter(w, l, region);
    leave(w, l, region);
}

static void file(struct world *w)
{
    uint32_t l = draw(w, RANKS) * THREADS;
    uint64_t id = ++w->request;
    enter(w, l, w->io);
    put(w, l, TCF_IO_CREATE_HANDLE, &(tcf_ev_io_create_handle){0, 0, 0, 0});
    put(w, l, TCF_IO_SEEK, &(tcf_ev_io_seek){0, 5, 0, 5});
    put(w, l, TCF_IO_OPERATION_BEGIN, &(tcf_ev_io_operation_begin){0, 0, 0, 100, id});
    put(w, l, TCF_IO_OPERATION_ISSUED, &(tcf_ev_io_operation_issued){0, id});
    put(w, l, TCF_IO_OPERATION_TEST, &(tcf_ev_io_operation_test){0, id});
    put(w, l, TCF_IO_OPERATION_COMPLETE, &(tcf_ev_io_operation_complete){0, 100, id});
    put(w, l, TCF_IO_DESTROY_HANDLE, &(tcf_ev_io_destroy_handle){0});
    leave(w, l, w->io);
}

/* A value for a field of a record without edges: a defined reference, or a small number. */
static uint32_t any(struct world *w, int role)
{
    const tcf_definitions *defs = tcfh_definitions(w->h);
    uint32_t n = role == ROLE_PLAIN ? 3 : defs->ids[role].n;
    return n > 0 ? draw(w, n) : TCF_NONE;
}

/* Draws a record of a kind that needs no other record around it. */
static void odd(struct world *w)
{
    static const uint8_t kinds[] = {TCF_MEASUREMENT_ON_OFF,
                                    TCF_PARAMETER_STRING,
                                    TCF_PARAMETER_INT,
                                    TCF_PARAMETER_UNSIGNED_INT,
                                    TCF_RMA_WIN_CREATE,
                                    TCF_RMA_WIN_DESTROY,
                                    TCF_RMA_GROUP_SYNC,
                                    TCF_RMA_REQUEST_LOCK,
                                    TCF_RMA_ACQUIRE_LOCK,
                                    TCF_RMA_TRY_LOCK,
                                    TCF_RMA_RELEASE_LOCK,
                                    TCF_RMA_SYNC,
                                    TCF_RMA_WAIT_CHANGE,
                                    TCF_RMA_ATOMIC,
                                    TCF_RMA_OP_COMPLETE_NON_BLOCKING,
                                    TCF_RMA_OP_TEST,
                                    TCF_RMA_OP_COMPLETE_REMOTE,
                                    TCF_CALLING_CONTEXT_SAMPLE,
                                    TCF_IO_DUPLICATE_HANDLE,
                                    TCF_IO_CHANGE_STATUS_FLAGS,
                                    TCF_IO_DELETE_FILE,
                                    TCF_IO_OPERATION_CANCELLED,
                                    TCF_IO_ACQUIRE_LOCK,
                                    TCF_IO_RELEASE_LOCK,
                                    TCF_IO_TRY_LOCK,
                                    TCF_PROGRAM_END,
                                    TCF_COMM_CREATE,
                                    TCF_COMM_DESTROY,
                                    TCF_BUFFER_FLUSH,
                                    TCF_PROGRAM_BEGIN};
    uint8_t kind = kinds[draw(w, sizeof kinds)];
    uint32_t l = draw(w, RANKS) * THREADS;
    tcf_rec rec;
    memset(&rec, 0, sizeof rec);
    switch (kind) {
#define E(number, NAME, Name, name, FIELDS)                                                                            \
    case TCF_##NAME:                                                                                                   \
        FIELDS                                                                                                         \
        break;
#define F(record, ctype, role, field) rec.record.field = (TCF_MEMORY_##ctype)any(w, ROLE_##role);
        TCF_EVENT_TABLE(E, F, TCF_NOTHING, TCF_NOTHING)
#undef E
#undef F
    default:
        break;
    }
    if (kind == TCF_BUFFER_FLUSH)
        rec.buffer_flush.stop_time = w->clock[l] + 60;
    if (kind == TCF_PROGRAM_BEGIN)
        rec.program_begin.number_of_arguments = 0;
    if (kind == TCF_MEASUREMENT_ON_OFF)
        rec.measurement_on_off.measurement_mode = OTF2_MEASUREMENT_ON;
    put(w, l, kind, &rec);
    if (kind == TCF_BUFFER_FLUSH)
        w->clock[l] += 60;
}

static void contexts(struct world *w)
{
    uint32_t l = draw(w, RANKS) * THREADS;
    put(w, l, TCF_CALLING_CONTEXT_ENTER, &(tcf_ev_calling_context_enter){0, 1});
    put(w, l, TCF_CALLING_CONTEXT_LEAVE, &(tcf_ev_calling_context_leave){0});
}

/* ----------------------------------------------------------------------------------------------------- the whole -- */

static void define(struct world *w)
{
    static const uint32_t even[] = {0, 2};
    tcfh *h = w->h;
    tcfh_streams(h, 1);
    tcfh_processes(h, RANKS + (w->kind == PROGRAM_WIDE ? PROGRAM_MORE / THREADS : 0), THREADS);
    static const char *const names[] = {"main", "solve", "halo", "norm", "kernel"};
    for (uint32_t i = 0; i < 5; i++)
        w->work[i] = tcfh_region(h, names[i]);
    w->mpi_init = tcfh_region_as(h, "MPI_Init", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
    w->mpi_finalize = tcfh_region_as(h, "MPI_Finalize", OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_MPI);
    w->mpi_send = tcfh_region_as(h, "MPI_Send", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
    w->mpi_recv = tcfh_region_as(h, "MPI_Recv", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
    w->mpi_wait = tcfh_region_as(h, "MPI_Wait", OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI);
    w->mpi_coll = tcfh_region_as(h, "MPI_Allreduce", OTF2_REGION_ROLE_COLL_ALL2ALL, OTF2_PARADIGM_MPI);
    w->parallel = tcfh_region_as(h, "!$omp parallel", OTF2_REGION_ROLE_PARALLEL, OTF2_PARADIGM_OPENMP);
    w->barrier = tcfh_region_as(h, "!$omp barrier", OTF2_REGION_ROLE_BARRIER, OTF2_PARADIGM_OPENMP);
    w->io = tcfh_region_as(h, "write", OTF2_REGION_ROLE_FILE_IO, OTF2_PARADIGM_USER);
    w->comm[0] = 0;
    w->comm[1] = tcfh_comm(h, "even", 2, even);
    for (uint32_t p = 0; p < RANKS; p++) {
        uint32_t members[THREADS - 1];
        for (uint32_t t = 0; t < THREADS - 1; t++)
            members[t] = p * THREADS + t;
        w->team[p] = tcfh_team(h, THREADS - 1, members);
    }
    w->window = tcfh_window(h, 0);
    w->metric = tcfh_metric(h, "PAPI_TOT_INS", OTF2_TYPE_UINT64);
    w->attribute = tcfh_attribute(h, "iteration", OTF2_TYPE_UINT64);
    static const uint8_t types[] = {OTF2_PARAMETER_TYPE_STRING, OTF2_PARAMETER_TYPE_INT64, OTF2_PARAMETER_TYPE_UINT64};
    for (uint32_t i = 0; i < 3; i++)
        tcfh_define(h, TCF_DEF_PARAMETER,
                    &(tcf_def_parameter){.self = 11 + i, .name = 500, .parameter_type = types[i]});
    tcfh_define(h, TCF_DEF_SOURCE_CODE_LOCATION,
                &(tcf_def_source_code_location){.self = 21, .file = 500, .line_number = 7});
    tcfh_define(h, TCF_DEF_CALLING_CONTEXT,
                &(tcf_def_calling_context){.self = 22,
                                           .region = 300,
                                           .source_code_location = 21,
                                           .parent = OTF2_UNDEFINED_CALLING_CONTEXT});
    tcfh_define(h, TCF_DEF_INTERRUPT_GENERATOR, &(tcf_def_interrupt_generator){.self = 23, .name = 500, .period = 100});
    tcfh_define(h, TCF_DEF_IO_PARADIGM, &(tcf_def_io_paradigm){.self = 5, .identification = 500, .name = 500});
    tcfh_define(h, TCF_DEF_IO_REGULAR_FILE, &(tcf_def_io_regular_file){.self = 24, .name = 500, .scope = 9});
    tcfh_define(h, TCF_DEF_IO_HANDLE,
                &(tcf_def_io_handle){.self = 25,
                                     .name = 500,
                                     .file = 24,
                                     .io_paradigm = 5,
                                     .comm = OTF2_UNDEFINED_COMM,
                                     .parent = OTF2_UNDEFINED_IO_HANDLE});
}

void program_draw(tcfh *h, uint64_t seed, program_kind kind)
{
    static void (*const steps[])(
        struct world *) = {compute,    compute,  compute, message,          message,   exchange_nonblocking, collective,
                           collective, parallel, threads, openmp_as_before, one_sided, accelerator,          file,
                           odd,        odd,      odd,     contexts};
    struct world w = {.h = h, .random = seed * 2654435761u + 12345, .kind = kind};
    define(&w);
    tcfh_definitions(h);
    if (kind == PROGRAM_EMPTY || kind == PROGRAM_WIDE)
        return;
    for (uint32_t l = 0; l < LOCATIONS; l++)
        w.clock[l] = 1000 + draw(&w, 100);
    for (uint32_t r = 0; r < RANKS; r++) {
        enter(&w, r * THREADS, w.mpi_init);
        leave(&w, r * THREADS, w.mpi_init);
    }
    for (uint32_t k = 0; k < STEPS; k++)
        steps[draw(&w, sizeof steps / sizeof steps[0])](&w);
    for (uint32_t l = 0; l < LOCATIONS; l++)
        while (w.depth[l] > 0)
            leave(&w, l, w.stack[l][--w.depth[l]]);
    for (uint32_t r = 0; r < RANKS; r++) {
        enter(&w, r * THREADS, w.mpi_finalize);
        leave(&w, r * THREADS, w.mpi_finalize);
    }
}
