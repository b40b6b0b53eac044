/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* nsight: reads the SQLite export of Nsight Systems, a table after the other. Which tables and columns there are
 * depends on the version and on what was recorded: a table that isn't there is passed over, a column that must be there
 * is missed. */
#include "nsight.h"

#include <inttypes.h>
#include <stdio.h>

enum { CUDA = 5 /* OTF2_PARADIGM_CUDA */, LOW_BITS = 24, RANGE = 59, START_END = 60, MARK = 34 };

typedef struct conf {
    int launches, kernels;
} conf;

enum { KERNELS_DEMANGLED };

typedef nsight_state state;

/* Of a table that may not be there. */
static tcf_status each_row(tcf_reader *self, const char *table, const char *query, nsight_take take)
{
    const int there = nsight_has(self, table, "");
    return there < 0 ? TCF_ERROR : there == 0 ? TCF_OK : nsight_query(self, table, query, take);
}

static const char *text_at(sqlite3_stmt *s, int column, const char *otherwise)
{
    const char *text = (const char *)sqlite3_column_text(s, column);
    return text ? text : otherwise;
}

/* ------------------------------------------------------------------------------------------------------ the tables --
 */

static tcf_status take_process_name(tcf_reader *self, sqlite3_stmt *s)
{
    const uint32_t process = nsight_process(self, (uint64_t)sqlite3_column_int64(s, 0));
    char name[512];

    snprintf(name, sizeof name, "%.480s, process %" PRId64, text_at(s, 1, ""),
             (int64_t)sqlite3_column_int64(s, 0) >> LOW_BITS & 0xffffff);
    return process == TCF_NONE ? TCF_ERROR : self->host->rename_process(self, process, name);
}

static tcf_status take_thread_name(tcf_reader *self, sqlite3_stmt *s)
{
    const uint32_t thread = nsight_thread(self, (uint64_t)sqlite3_column_int64(s, 0));
    char name[512];

    snprintf(name, sizeof name, "%.480s, thread %" PRId64, text_at(s, 1, ""),
             (int64_t)sqlite3_column_int64(s, 0) & 0xffffff);
    return thread == TCF_NONE ? TCF_ERROR : self->host->rename_location(self, thread, name, TCF_CPU_THREAD);
}

static tcf_pair_key launch_key(uint64_t id, sqlite3_stmt *s, int column)
{
    return (tcf_pair_key){nsight_process_bits(id), (uint64_t)sqlite3_column_int64(s, column)};
}

/* start, end, globalTid, name, paradigm, correlationId */
static tcf_status take_thread_call(tcf_reader *self, sqlite3_stmt *s)
{
    const conf *c = self->conf;
    const uint64_t id = (uint64_t)sqlite3_column_int64(s, 2);
    const tcf_region_name region = {.name = text_at(s, 3, "(no name)"), .paradigm = (uint8_t)sqlite3_column_int(s, 4)};
    uint64_t begin, end;

    if (nsight_times(self, s, &begin, &end) != TCF_OK)
        return TCF_ERROR;
    const uint32_t thread = nsight_thread(self, id);
    if (sqlite3_column_type(s, 1) == SQLITE_NULL) {
        ((state *)self->state)->unfinished++;
        return self->host->enter(self, thread, begin, self->host->region(self, &region));
    }
    if (self->host->call(self, thread, begin, end, self->host->region(self, &region)) != TCF_OK)
        return TCF_ERROR;
    return c->launches && sqlite3_column_type(s, 5) == SQLITE_INTEGER
               ? self->host->send(self, thread, begin, 0, 0, launch_key(id, s, 5))
               : TCF_OK;
}

/* start, end, globalTid, text, eventType */
static tcf_status take_nvtx(tcf_reader *self, sqlite3_stmt *s)
{
    const tcf_source_host *host = self->host;
    const int type = sqlite3_column_int(s, 4);
    const tcf_region_name region = {.name = text_at(s, 3, "(no name)")};
    uint64_t begin, end;

    if (type != RANGE && type != START_END && type != MARK) /* domains and categories are defined so */
        return TCF_OK;
    if (nsight_times(self, s, &begin, &end) != TCF_OK)
        return TCF_ERROR;
    const uint32_t thread = nsight_thread(self, (uint64_t)sqlite3_column_int64(s, 2));
    if (type == MARK)
        return host->note(self, thread, begin, host->note_kind(self, "NVTX mark"), region.name);
    if (sqlite3_column_type(s, 1) == SQLITE_NULL) {
        ((state *)self->state)->unfinished++;
        return host->enter(self, thread, begin, host->region(self, &region));
    }
    return host->call(self, thread, begin, end, host->region(self, &region));
}

/* start, end, globalPid, deviceId, contextId, streamId, name, correlationId, bytes, role; 0: a function */
static tcf_status take_stream_call(tcf_reader *self, sqlite3_stmt *s)
{
    const conf *c = self->conf;
    const tcf_source_host *host = self->host;
    const uint64_t id = (uint64_t)sqlite3_column_int64(s, 2);
    const tcf_region_name region = {.name = text_at(s, 6, "(no name)"),
                                    .paradigm = CUDA,
                                    .role = (uint8_t)sqlite3_column_int(s, 9)};
    uint64_t begin, end;

    if (nsight_times(self, s, &begin, &end) != TCF_OK)
        return TCF_ERROR;
    if (sqlite3_column_type(s, 1) == SQLITE_NULL)
        return nsight_fail_in_row(self, "it has no end");
    const uint32_t stream = nsight_stream(self, id, (uint64_t)sqlite3_column_int64(s, 3),
                                          (uint64_t)sqlite3_column_int64(s, 4), (uint64_t)sqlite3_column_int64(s, 5));
    if (host->call(self, stream, begin, end, host->region(self, &region)) != TCF_OK)
        return TCF_ERROR;
    if (sqlite3_column_type(s, 8) == SQLITE_INTEGER && sqlite3_column_int64(s, 8) < 0)
        return nsight_fail_in_row(self, "its bytes are negative");
    if (sqlite3_column_type(s, 8) == SQLITE_INTEGER &&
        host->count(self, stream, begin, host->counter(self, "bytes of copies and memsets", "B"), TCF_COUNT_UINT,
                    (uint64_t)sqlite3_column_int64(s, 8)) != TCF_OK)
        return TCF_ERROR;
    return c->launches && sqlite3_column_type(s, 7) == SQLITE_INTEGER
               ? host->receive(self, stream, begin, launch_key(id, s, 7))
               : TCF_OK;
}

#define NAMED "LEFT JOIN StringIds AS n ON n.id = "
#define COPY_KINDS                                                                                                     \
    "CASE copyKind WHEN 1 THEN 'Memcpy HtoD' WHEN 2 THEN 'Memcpy DtoH' WHEN 3 THEN 'Memcpy HtoA' WHEN 4 THEN "         \
    "'Memcpy AtoH' WHEN 5 THEN 'Memcpy AtoA' WHEN 6 THEN 'Memcpy AtoD' WHEN 7 THEN 'Memcpy DtoA' WHEN 8 THEN "         \
    "'Memcpy DtoD' WHEN 9 THEN 'Memcpy HtoH' WHEN 10 THEN 'Memcpy PtoP' WHEN 11 THEN 'Unified memory HtoD' WHEN 12 "   \
    "THEN 'Unified memory DtoH' WHEN 13 THEN 'Unified memory DtoD' ELSE 'Memcpy' END"
#define SYNC_KINDS                                                                                                     \
    "CASE syncType WHEN 1 THEN 'Event sync' WHEN 2 THEN 'Stream wait event' WHEN 3 THEN 'Stream sync' WHEN 4 THEN "    \
    "'Context sync' ELSE 'Sync' END"
/* The roles at the end of rows are those of tcf_region_role: a copy, and a wait for an accelerator. */
_Static_assert(TCF_ROLE_DATA_TRANSFER == 30 && TCF_ROLE_THREAD_WAIT == 33, "roles in queries");
#define STREAM "SELECT start, \"end\", globalPid, deviceId, contextId, streamId, "
#define THREAD "SELECT start, \"end\", globalTid, n.value, "

/* In this order, so that results don't depend on the file. */
static const struct {
    const char *table, *query;
    nsight_take take;
    int kernels; /* 1 + the value of `kernels` that it is for; 0: any */
} tables[] = {
    {"PROCESSES", "SELECT globalPid, name FROM PROCESSES WHERE name IS NOT NULL", take_process_name, 0},
    {"ThreadNames", "SELECT globalTid, n.value FROM ThreadNames " NAMED "nameId", take_thread_name, 0},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", THREAD "5, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME " NAMED "nameId",
     take_thread_call, 0},
    {"NVTX_EVENTS",
     "SELECT start, \"end\", globalTid, coalesce(text, n.value), eventType FROM NVTX_EVENTS " NAMED "textId", take_nvtx,
     0},
    {"MPI_P2P_EVENTS", THREAD "4, NULL FROM MPI_P2P_EVENTS " NAMED "textId", take_thread_call, 0},
    {"MPI_COLLECTIVES_EVENTS", THREAD "4, NULL FROM MPI_COLLECTIVES_EVENTS " NAMED "textId", take_thread_call, 0},
    {"MPI_START_WAIT_EVENTS", THREAD "4, NULL FROM MPI_START_WAIT_EVENTS " NAMED "textId", take_thread_call, 0},
    {"MPI_OTHER_EVENTS", THREAD "4, NULL FROM MPI_OTHER_EVENTS " NAMED "textId", take_thread_call, 0},
    {"OSRT_API", THREAD "0, NULL FROM OSRT_API " NAMED "nameId", take_thread_call, 0},
    {"CUBLAS_EVENTS", THREAD "5, NULL FROM CUBLAS_EVENTS " NAMED "nameId", take_thread_call, 0},
    {"CUDNN_EVENTS", THREAD "5, NULL FROM CUDNN_EVENTS " NAMED "nameId", take_thread_call, 0},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     STREAM "n.value, correlationId, NULL, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL " NAMED "demangledName", take_stream_call,
     1},
    {"CUPTI_ACTIVITY_KIND_KERNEL",
     STREAM "n.value, correlationId, NULL, 0 FROM CUPTI_ACTIVITY_KIND_KERNEL " NAMED "shortName", take_stream_call, 2},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", STREAM COPY_KINDS ", correlationId, bytes, 30 FROM CUPTI_ACTIVITY_KIND_MEMCPY",
     take_stream_call, 0},
    {"CUPTI_ACTIVITY_KIND_MEMSET", STREAM "'Memset', correlationId, bytes, 0 FROM CUPTI_ACTIVITY_KIND_MEMSET",
     take_stream_call, 0},
    {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     "SELECT start, \"end\", globalPid, deviceId, contextId, 4294967295, " SYNC_KINDS
     ", NULL, NULL, 33 FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
     take_stream_call, 0},
};

static tcf_status read_tables(tcf_reader *self)
{
    const conf *c = self->conf;
    int any = nsight_has(self, "StringIds", "");
    tcf_status status = TCF_OK;

    if (any < 0)
        return TCF_ERROR;
    if (any == 0)
        return self->host->fail(self, "the database has no table StringIds, so it is no export of Nsight Systems");
    for (size_t i = 0; i < TCF_COUNT(tables) && status == TCF_OK; i++)
        if (tables[i].kernels == 0 || tables[i].kernels == 1 + c->kernels)
            status = each_row(self, tables[i].table, tables[i].query, tables[i].take);
    return status;
}

static int is_interrupted(void *self)
{
    return ((const tcf_reader *)self)->host->interrupted(self);
}

/* Of sqlite3_set_authorizer(): a view reads nothing. */
static int is_allowed(void *data, int action, const char *a, const char *b, const char *database, const char *view)
{
    (void)data, (void)action, (void)a, (void)b, (void)database;
    return view ? SQLITE_DENY : SQLITE_OK;
}

/* A stranger's file may have views in the place of tables, which compute without end, and cells of any size. */
static void restrict_database(tcf_reader *self, sqlite3 *db)
{
    enum { MOST_CELL = 16 << 20, STEPS = 100000 };

    sqlite3_set_authorizer(db, is_allowed, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, MOST_CELL);
    sqlite3_progress_handler(db, STEPS, is_interrupted, self);
}

static tcf_status nsight_read(tcf_reader *self)
{
    state *st = self->state;

    if (sqlite3_open_v2(self->path, &st->db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        return st->db ? nsight_fail_in_database(self, NULL) : self->host->fail(self, "out of memory");
    restrict_database(self, st->db);
    if (read_tables(self) != TCF_OK || nsight_read_mpi(self) != TCF_OK || nsight_read_nccl(self) != TCF_OK)
        return TCF_ERROR;
    if (st->unfinished > 0)
        self->host->log(self, TCF_LOG_INFO, "%" PRIu64 " ranges have no end and stay open", st->unfinished);
    return TCF_OK;
}

static void nsight_fini(tcf_reader *self)
{
    state *st = self->state;

    nsight_free_mpi(self);
    nsight_free_nccl(self);
    sqlite3_finalize(st->columns);
    sqlite3_close(st->db);
    tcf_map_free(&st->processes);
    tcf_map_free(&st->locations);
}

/* What is in the database only its tables say. */
static int nsight_probe(const tcf_probe *probe)
{
    static const char head[16] = "SQLite format 3";
    return probe->n >= sizeof head && memcmp(probe->first, head, sizeof head) == 0 ? 50 : 0;
}

static const tcf_param params[] = {
    TCF_PARAM(conf, kernels, TCF_ENUM, "demangled",
              "Names of kernels: with the types of templates and arguments, or the function's name alone",
              .choices = "demangled|short"),
    TCF_PARAM(conf, launches, TCF_BOOL, "no",
              "A message from each call of CUDA to the kernel, copy or memset that it launched, from begin to begin"),
};

TCF_SOURCE = {
    .head = TCF_SOURCE_HEAD,
    .name = "nsight",
    .version = "1.0",
    .summary = "Reads SQLite exports of Nsight Systems (nsys export --type sqlite)",
    .help =
        "Calls of CUDA, MPI, the system's libraries (OSRT), cuBLAS and cuDNN, and NVTX ranges are calls of their "
        "threads; kernels, copies, memsets and synchronisations are calls of streams of accelerators, one for each "
        "device, context and stream. Where calls of one location overlap, as ranges by start and end may, further "
        "locations are made. Bytes of copies and memsets are a counter of the stream, NVTX marks string parameters. "
        "Times are nanoseconds.\n\n"
        "Messages and collective operations of MPI are those of its tables: by communicator, ranks and tag, and by "
        "requests and the calls that wait for them. Processes get ranks by MPI_RANKS, communicators members by "
        "MPI_COMMUNICATORS; a handle that isn't there is MPI_COMM_WORLD, if it is the only one. Calls that leave a "
        "side open (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Sendrecv) and inter-communicators are left out, and counted; so "
        "is what cannot belong together: more sends than receives, other operations than on the other members, members "
        "without a file.\n\n"
        "Collective operations and messages of NCCL are those of its calls' payloads (NVTX_PAYLOAD_SCHEMA_ENTRIES), at "
        "the times of the kernels that the calls launch: by communicator, and by rank where the recording has the "
        "calls "
        "that made the communicator. Of groups of several operations nothing says which is which kernel, so these are "
        "left out, and counted.\n\n"
        "Several files, as one of each rank, are one run, with clocks of their own. Tables of other things (samples, "
        "graphics, network, OpenACC) are not read.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .probe = nsight_probe,
    .read = nsight_read,
    .fini = nsight_fini,
};
