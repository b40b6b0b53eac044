/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* nsight: messages and collective operations of MPI.
 *
 * MPI_RANKS says which process has which rank, MPI_COMMUNICATORS what the handles of a process stand for, one row for
 * each process and communicator. The rows of calls come by process and time, so that a request is complete in the last
 * call that waits for it or tests it before its handle is used anew. What is a message's partner the framework finds,
 * by the ranks. */
#include "nsight.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <stdio.h>

enum { MOST_ROWS = 1 << 20, MPICH_WORLD = 0x44000000, NAME_MOST = 64 };

/* A handle of a process, from a time on. */
typedef struct handle {
    uint64_t process, handle, from; /* process: bits */
    uint32_t communicator, rank;
} handle;

/* A request that is open, or persistent. */
typedef struct request {
    uint32_t location, vacant; /* vacant: 1 + index of another one; 0: none */
    uint8_t kind;              /* enum kind */
    uint8_t is_persistent, is_active, is_done;
    tcf_message message;
    tcf_operation operation;
} request;

enum kind { KIND_SEND, KIND_RECEIVE, KIND_COLLECTIVE, KIND_OTHER };
enum { FROM_P2P, FROM_COLLECTIVES, FROM_WAITS };

typedef struct nsight_mpi {
    tcf_map rank_of, process_of; /* process bits: rank; rank: index of `processes` */
    uint64_t *processes;         /* bits */
    handle *handles;             /* sorted once all are there */
    tcf_map unknown;             /* process bits: 1 + index of `strays` */
    struct stray {
        uint64_t handle;
        int several;
    } * strays;   /* the handle without a row that a process uses */
    tcf_map open; /* process bits, handle of a request: index of `requests` */
    request *requests;
    uint32_t n_processes, n_handles, n_strays, n_requests;
    uint32_t processes_room, handles_room, strays_room, requests_room;
    uint32_t world, vacant; /* vacant: 1 + index of a request that isn't used */
    uint64_t no_communicator, open_sides, incomplete;
} nsight_mpi;

static nsight_mpi *of(const tcf_reader *self)
{
    return ((nsight_state *)self->state)->mpi;
}

static tcf_status no_room(const tcf_reader *self)
{
    return self->host->fail(self, "out of memory for MPI's communicators and requests");
}

static uint64_t id_at(sqlite3_stmt *s, int column)
{
    return (uint64_t)sqlite3_column_int64(s, column);
}

/* ----------------------------------------------------------------------------------------------- ranks and handles --
 */

/* globalTid, rank */
static tcf_status take_rank(tcf_reader *self, sqlite3_stmt *s)
{
    nsight_mpi *m = of(self);
    const uint64_t bits = nsight_process_bits(id_at(s, 0));
    const int64_t rank = sqlite3_column_int64(s, 1);

    if (rank < 0 || rank >= UINT32_MAX)
        return self->host->fail(self, "MPI_RANKS: the rank %" PRId64 " is none", rank);
    if (tcf_map_get(&m->rank_of, bits, 0) != TCF_MAP_ABSENT)
        return TCF_OK;
    if (TCF_GROW(&m->processes, &m->processes_room, m->n_processes) != 0 ||
        tcf_map_put(&m->rank_of, bits, 0, (uint32_t)rank) != 0 ||
        tcf_map_put(&m->process_of, (uint64_t)rank, 0, m->n_processes) != 0)
        return no_room(self);
    m->processes[m->n_processes++] = bits;
    return TCF_OK;
}

/* rank, timestamp, commHandle, localRank, size, groupRoot, groupRootUid, commUid */
static tcf_status take_communicator(tcf_reader *self, sqlite3_stmt *s)
{
    const tcf_source_host *host = self->host;
    nsight_mpi *m = of(self);
    const uint32_t p = tcf_map_get(&m->process_of, id_at(s, 0), 0);
    const int has_uid = sqlite3_column_type(s, 7) != SQLITE_NULL;
    const int64_t size = sqlite3_column_int64(s, 4), local = sqlite3_column_int64(s, 3);
    tcf_pair_key key = {has_uid ? 1 : 2 + id_at(s, 5), has_uid ? id_at(s, 7) : id_at(s, 6)};
    char name[NAME_MOST];

    if (p == TCF_MAP_ABSENT || size <= 0 || local < 0 || local >= size || size >= UINT32_MAX ||
        sqlite3_column_type(s, 2) == SQLITE_NULL || (!has_uid && sqlite3_column_type(s, 6) == SQLITE_NULL))
        return TCF_OK; /* its handles count as those without a row */
    if (m->n_handles == MOST_ROWS)
        return host->fail(self, "MPI_COMMUNICATORS has more than %d rows", (int)MOST_ROWS);
    if (TCF_GROW(&m->handles, &m->handles_room, m->n_handles) != 0)
        return no_room(self);
    snprintf(name, sizeof name, has_uid ? "MPI communicator %" PRIu64 : "MPI communicator %" PRIu64 " of rank %" PRIu64,
             key.b, id_at(s, 5));
    handle *h = &m->handles[m->n_handles++];
    *h = (handle){m->processes[p], id_at(s, 2), id_at(s, 1), TCF_NONE, (uint32_t)local};
    h->communicator = host->communicator(self, host->across(self, key), name, (uint32_t)size, TCF_PARADIGM_MPI);
    return h->communicator == TCF_NONE
               ? TCF_ERROR
               : host->member(self, h->communicator, h->rank, nsight_process(self, h->process << 24));
}

static int compare_handles(const void *x, const void *y)
{
    const handle *a = x, *b = y;

    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->handle != b->handle)
        return a->handle < b->handle ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* What the handle stands for at a time; NULL: no row says that. The first one counts from the begin on: handles of
 * predefined communicators may have a later time than calls. */
static const handle *find_handle(const nsight_mpi *m, uint64_t process, uint64_t number, uint64_t time)
{
    const handle wanted = {.process = process, .handle = number, .from = time};
    uint32_t low = 0, high = m->n_handles;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (compare_handles(&m->handles[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const handle *before = low > 0 ? &m->handles[low - 1] : NULL,
                 *behind = low < m->n_handles ? &m->handles[low] : NULL;
    if (before && before->process == process && before->handle == number)
        return before;
    return behind && behind->process == process && behind->handle == number ? behind : NULL;
}

/* globalTid, commHandle: once each. Notes the handles without a row. */
static tcf_status take_handle(tcf_reader *self, sqlite3_stmt *s)
{
    nsight_mpi *m = of(self);
    const uint64_t bits = nsight_process_bits(id_at(s, 0)), number = id_at(s, 1);
    uint32_t at = tcf_map_get(&m->unknown, bits, 0);

    if (find_handle(m, bits, number, UINT64_MAX))
        return TCF_OK;
    if (at == TCF_MAP_ABSENT) {
        at = m->n_strays;
        if (TCF_GROW(&m->strays, &m->strays_room, at) != 0 || tcf_map_put(&m->unknown, bits, 0, at) != 0)
            return no_room(self);
        m->strays[m->n_strays++] = (struct stray){number, 0};
    }
    struct stray *stray = &m->strays[at];
    if (number == stray->handle || stray->handle == MPICH_WORLD)
        return TCF_OK;
    stray->several = number != MPICH_WORLD;
    stray->handle = number == MPICH_WORLD ? number : stray->handle;
    return TCF_OK;
}

/* The communicator of a call. TCF_NONE: isn't known, or *status says a failure. */
static uint32_t communicator_of(tcf_reader *self, uint64_t bits, sqlite3_stmt *s, int column, uint64_t time,
                                tcf_status *status)
{
    const tcf_source_host *host = self->host;
    nsight_mpi *m = of(self);
    const handle *h = find_handle(m, bits, id_at(s, column), time);
    const uint32_t stray = tcf_map_get(&m->unknown, bits, 0), rank = tcf_map_get(&m->rank_of, bits, 0);

    *status = TCF_OK;
    if (h)
        return h->communicator;
    if (stray == TCF_MAP_ABSENT || m->strays[stray].several || m->strays[stray].handle != id_at(s, column) ||
        rank == TCF_MAP_ABSENT || sqlite3_column_type(s, column) == SQLITE_NULL) {
        m->no_communicator++;
        return TCF_NONE;
    }
    *status = host->member(self, m->world, rank, nsight_process(self, bits << 24));
    return *status == TCF_OK ? m->world : TCF_NONE;
}

/* --------------------------------------------------------------------------------------------------- what calls do --
 */

static const char *behind_mpi(const char *name)
{
    name += *name == 'P';
    return strncmp(name, "MPI_", 4) == 0 ? name + 4 : "";
}

static int is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static int ends(const char *name, const char *ending)
{
    const size_t n = strlen(name), m = strlen(ending);
    return n >= m && strcmp(name + n - m, ending) == 0;
}

/* Which side of a message the call is; *at_once: a request completes it. */
static enum kind side_of(const char *name, int *at_once)
{
    static const char *const sends[] = {"Send",       "Bsend",      "Ssend",      "Rsend", "Send_init",
                                        "Bsend_init", "Ssend_init", "Rsend_init", NULL};
    static const char *const isends[] = {"Isend", "Ibsend", "Issend", "Irsend", NULL};
    static const char *const receives[] = {"Recv", "Mrecv", "Recv_init", NULL};
    static const char *const ireceives[] = {"Irecv", "Imrecv", NULL};

    *at_once = is_one_of(name, isends) || is_one_of(name, ireceives) || ends(name, "_init");
    return is_one_of(name, sends) || is_one_of(name, isends)         ? KIND_SEND
           : is_one_of(name, receives) || is_one_of(name, ireceives) ? KIND_RECEIVE
                                                                     : KIND_OTHER;
}

/* OTF2's number of the operation; -1: none that moves data. `rooted`: has a root. */
static int operation_of(const char *name, int *at_once, int *rooted)
{
    static const struct {
        const char *name;
        int rooted;
    } known[] = {{"barrier", 0},
                 {"bcast", 1},
                 {"gather", 1},
                 {"gatherv", 1},
                 {"scatter", 1},
                 {"scatterv", 1},
                 {"allgather", 0},
                 {"allgatherv", 0},
                 {"alltoall", 0},
                 {"alltoallv", 0},
                 {"alltoallw", 0},
                 {"allreduce", 0},
                 {"reduce", 1},
                 {"reduce_scatter", 0},
                 {"scan", 0},
                 {"exscan", 0},
                 {"reduce_scatter_block", 0}};
    char low[NAME_MOST];
    size_t n = strlen(name);

    if (n == 0 || n >= sizeof low)
        return -1;
    *at_once = *name == 'I';
    snprintf(low, sizeof low, "%s", name + *at_once);
    if (*low >= 'A' && *low <= 'Z')
        *low = (char)(*low - 'A' + 'a');
    for (size_t i = 0; i < TCF_COUNT(known); i++)
        if (strcmp(low, known[i].name) == 0) {
            *rooted = known[i].rooted;
            return (int)i;
        }
    return -1;
}

/* ------------------------------------------------------------------------------------------------------- requests --
 */

/* Tells the framework of what the request did, if that is known. */
static tcf_status finish(tcf_reader *self, request *r)
{
    const tcf_source_host *host = self->host;
    tcf_status status = TCF_OK;

    if (!r->is_active)
        return TCF_OK;
    r->is_active = 0;
    r->message.is_request = r->operation.is_request = 1;
    if (r->kind == KIND_SEND) { /* complete or not, it was sent */
        r->message.is_request = r->is_done;
        return host->send_to(self, r->location, &r->message);
    }
    if (!r->is_done)
        of(self)->incomplete++;
    else if (r->kind == KIND_RECEIVE)
        status = host->receive_from(self, r->location, &r->message);
    else
        status = host->collective(self, r->location, &r->operation);
    return status;
}

static tcf_status keep(tcf_reader *self, uint64_t bits, sqlite3_stmt *s, int column, const request *r)
{
    nsight_mpi *m = of(self);
    const uint64_t number = id_at(s, column);
    uint32_t at = tcf_map_get(&m->open, bits, number);

    if (sqlite3_column_type(s, column) == SQLITE_NULL) {
        m->incomplete++;
        return TCF_OK;
    }
    if (at == TCF_MAP_ABSENT) {
        at = m->vacant ? m->vacant - 1 : m->n_requests;
        if (at == MOST_ROWS)
            return self->host->fail(self, "the calls of MPI have more than %d requests at a time", (int)MOST_ROWS);
        if (TCF_GROW(&m->requests, &m->requests_room, at) != 0 || tcf_map_put(&m->open, bits, number, at) != 0)
            return no_room(self);
        if (m->vacant)
            m->vacant = m->requests[at].vacant;
        else
            m->n_requests++;
    } else if (finish(self, &m->requests[at]) != TCF_OK) {
        return TCF_ERROR;
    }
    m->requests[at] = *r;
    return TCF_OK;
}

/* A call that starts a persistent request, waits for one, or tests it. */
static tcf_status take_wait(tcf_reader *self, uint64_t bits, const char *name, sqlite3_stmt *s, int column,
                            uint64_t begin, uint64_t end)
{
    nsight_mpi *m = of(self);
    const uint32_t at =
        sqlite3_column_type(s, column) == SQLITE_NULL ? TCF_MAP_ABSENT : tcf_map_get(&m->open, bits, id_at(s, column));
    request *r = at == TCF_MAP_ABSENT ? NULL : &m->requests[at];

    if (!r)
        return TCF_OK;
    if (strncmp(name, "Start", 5) == 0) {
        if (!r->is_persistent)
            return TCF_OK;
        if (finish(self, r) != TCF_OK)
            return TCF_ERROR;
        r->is_active = 1;
        r->is_done = 0;
        r->message.posted = begin;
        return TCF_OK;
    }
    if (r->is_active && (strncmp(name, "Wait", 4) == 0 || strncmp(name, "Test", 4) == 0)) {
        r->is_done = 1;
        r->message.completed = r->operation.end = end;
    }
    if (!r->is_done || r->is_persistent || (strcmp(name, "Wait") != 0 && strcmp(name, "Waitall") != 0))
        return TCF_OK;
    if (finish(self, r) != TCF_OK) /* surely complete: the handle is free again */
        return TCF_ERROR;
    tcf_map_remove(&m->open, bits, id_at(s, column));
    r->vacant = m->vacant;
    m->vacant = at + 1;
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------------ rows --
 *
 * start, end, globalTid, name, commHandle, tag, remoteRank or rootRank, size, recvSize, requestHandle, FROM_... */
enum { NAME = 3, HANDLE, TAG, RANK, SIZE, RECEIVED, REQUEST, FROM };

static tcf_status take_message(tcf_reader *self, uint64_t bits, const char *name, sqlite3_stmt *s, uint64_t begin,
                               uint64_t end)
{
    const tcf_source_host *host = self->host;
    const int64_t rank = sqlite3_column_int64(s, RANK), tag = sqlite3_column_int64(s, TAG);
    int at_once = 0;
    tcf_status status;
    request r = {.kind = (uint8_t)side_of(name, &at_once)};

    if (strncmp(name, "Sendrecv", 8) == 0 || strncmp(name, "Isendrecv", 9) == 0)
        of(self)->open_sides += 2;
    if (r.kind == KIND_OTHER)
        return TCF_OK;
    if (rank < 0 && r.kind == KIND_SEND) /* to MPI_PROC_NULL */
        return TCF_OK;
    if (rank < 0 || tag < 0 || rank >= UINT32_MAX || tag >= UINT32_MAX || sqlite3_column_type(s, RANK) == SQLITE_NULL ||
        sqlite3_column_type(s, TAG) == SQLITE_NULL) {
        of(self)->open_sides++;
        return TCF_OK;
    }
    const int64_t size = sqlite3_column_int64(s, SIZE);
    r.message = (tcf_message){.peer = (uint32_t)rank,
                              .tag = (uint32_t)tag,
                              .bytes = size > 0 ? (uint64_t)size : 0,
                              .posted = begin,
                              .completed = end};
    r.message.communicator = communicator_of(self, bits, s, HANDLE, begin, &status);
    if (r.message.communicator == TCF_NONE)
        return status;
    r.location = nsight_thread(self, id_at(s, 2));
    r.is_persistent = (uint8_t)ends(name, "_init");
    r.is_active = !r.is_persistent;
    if (at_once)
        return keep(self, bits, s, REQUEST, &r);
    return (r.kind == KIND_SEND ? host->send_to : host->receive_from)(self, r.location, &r.message);
}

/* What this member sends and receives, where a table has one size for all. */
static void set_sizes(tcf_operation *o, sqlite3_stmt *s, int rooted, int is_root, const char *name)
{
    const int64_t size = sqlite3_column_int64(s, SIZE), received = sqlite3_column_int64(s, RECEIVED);
    const uint64_t one = size > 0 ? (uint64_t)size : 0, other = received > 0 ? (uint64_t)received : one;

    o->sent = one;
    o->received = other;
    if (strstr(name, "cast")) {
        o->sent = is_root ? one : 0;
        o->received = is_root ? 0 : other;
    } else if (rooted && strstr(name, "catter")) {
        o->sent = is_root ? one : 0;
    } else if (rooted) {
        o->received = is_root ? other : 0;
    }
}

static tcf_status take_collective(tcf_reader *self, uint64_t bits, const char *name, sqlite3_stmt *s, uint64_t begin,
                                  uint64_t end)
{
    nsight_mpi *m = of(self);
    const int64_t root = sqlite3_column_int64(s, RANK);
    int at_once = 0, rooted = 0;
    tcf_status status;
    const int operation = operation_of(name, &at_once, &rooted);
    request r = {.kind = KIND_COLLECTIVE, .is_active = 1};

    if (operation < 0)
        return TCF_OK;
    if (rooted && (root < 0 || root >= UINT32_MAX || sqlite3_column_type(s, RANK) == SQLITE_NULL)) {
        m->open_sides++;
        return TCF_OK;
    }
    r.operation = (tcf_operation){.root = rooted ? (uint32_t)root : TCF_NONE,
                                  .operation = (uint8_t)operation,
                                  .begin = begin,
                                  .end = end};
    r.operation.communicator = communicator_of(self, bits, s, HANDLE, begin, &status);
    if (r.operation.communicator == TCF_NONE)
        return status;
    const handle *h = find_handle(m, bits, id_at(s, HANDLE), begin);
    const uint32_t own = h ? h->rank : tcf_map_get(&m->rank_of, bits, 0);
    set_sizes(&r.operation, s, rooted, own == (uint32_t)root, name);
    r.location = nsight_thread(self, id_at(s, 2));
    return at_once ? keep(self, bits, s, REQUEST, &r) : self->host->collective(self, r.location, &r.operation);
}

static tcf_status take_call(tcf_reader *self, sqlite3_stmt *s)
{
    const char *text = (const char *)sqlite3_column_text(s, NAME), *name = behind_mpi(text ? text : "");
    const uint64_t bits = nsight_process_bits(id_at(s, 2));
    uint64_t begin, end;

    if (nsight_times(self, s, &begin, &end) != TCF_OK)
        return TCF_ERROR;
    if (sqlite3_column_type(s, 1) == SQLITE_NULL || !*name)
        return TCF_OK;
    switch (sqlite3_column_int(s, FROM)) {
    case FROM_P2P:
        return take_message(self, bits, name, s, begin, end);
    case FROM_COLLECTIVES:
        return take_collective(self, bits, name, s, begin, end);
    default:
        return take_wait(self, bits, name, s, REQUEST, begin, end);
    }
}

/* ------------------------------------------------------------------------------------------------------------- all --
 */

#define OF_CALL "SELECT start, \"end\", globalTid, n.value, "
#define TEXTS " LEFT JOIN StringIds AS n ON n.id = textId "
#define P2P OF_CALL "commHandle, tag, remoteRank, size, NULL, requestHandle, 0 FROM MPI_P2P_EVENTS" TEXTS
#define COLLECTIVES                                                                                                    \
    OF_CALL "commHandle, NULL, rootRank, size, recvSize, requestHandle, 1 FROM MPI_COLLECTIVES_EVENTS" TEXTS
#define WAITS OF_CALL "NULL, NULL, NULL, NULL, NULL, requestHandle, 2 FROM MPI_START_WAIT_EVENTS" TEXTS
#define COMMUNICATORS(uid)                                                                                             \
    "SELECT rank, timestamp, commHandle, localRank, size, groupRoot, groupRootUid, " uid " FROM MPI_COMMUNICATORS"

static tcf_status read_communicators(tcf_reader *self)
{
    nsight_mpi *m = of(self);
    const int with_uid =
        nsight_has(self, "MPI_COMMUNICATORS", "commHandle localRank size groupRoot groupRootUid commUid");
    const int without =
        with_uid ? with_uid : nsight_has(self, "MPI_COMMUNICATORS", "commHandle localRank size groupRoot groupRootUid");
    tcf_status status = without < 0 ? TCF_ERROR : TCF_OK;

    if (status == TCF_OK && without)
        status = nsight_query(self, "MPI_COMMUNICATORS", with_uid ? COMMUNICATORS("commUid") : COMMUNICATORS("NULL"),
                              take_communicator);
    if (m->n_handles > 0)
        qsort(m->handles, m->n_handles, sizeof *m->handles, compare_handles);
    return status;
}

static void tell(const tcf_reader *self)
{
    const nsight_mpi *m = of(self);
    const tcf_source_host *host = self->host;

    if (m->no_communicator > 0)
        host->log(
            self, TCF_LOG_WARNING,
            "%" PRIu64
            " messages' ends and collective operations are left out, for the export doesn't say which communicator or "
            "rank they have",
            m->no_communicator);
    if (m->open_sides > 0)
        host->log(
            self, TCF_LOG_WARNING,
            "%" PRIu64
            " ends of messages (MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_Sendrecv) and collective operations without a root "
            "are left out, for the export doesn't say what they belong to",
            m->open_sides);
    if (m->incomplete > 0)
        host->log(self, TCF_LOG_WARNING,
                  "%" PRIu64 " receives and collective operations are left out, for no call completes their requests",
                  m->incomplete);
}

/* The queries of tables that are there with what is needed, in one, by process and time. */
static tcf_status read_calls(tcf_reader *self, int p2p, int collectives, int waits)
{
    nsight_mpi *m = of(self);
    char query[1200], handles[400];

    snprintf(handles, sizeof handles, "%s%s%s",
             p2p ? "SELECT globalTid, commHandle FROM MPI_P2P_EVENTS WHERE commHandle IS NOT NULL" : "",
             p2p && collectives ? " UNION " : "",
             collectives ? "SELECT globalTid, commHandle FROM MPI_COLLECTIVES_EVENTS WHERE commHandle IS NOT NULL"
                         : "");
    snprintf(query, sizeof query, "SELECT * FROM (%s%s%s%s%s) ORDER BY globalTid >> 24, start, \"end\"", p2p ? P2P : "",
             p2p && collectives ? "UNION ALL " : "", collectives ? COLLECTIVES : "", waits ? "UNION ALL " : "",
             waits ? WAITS : "");
    tcf_status status = nsight_query(self, "MPI's tables", handles, take_handle);
    if (status == TCF_OK)
        status = nsight_query(self, "MPI's tables", query, take_call);
    for (uint32_t i = 0; i < m->n_requests && status == TCF_OK; i++)
        status = finish(self, &m->requests[i]);
    return status;
}

tcf_status nsight_read_mpi(tcf_reader *self)
{
    static const tcf_pair_key world = {0x4d50495f434f4d4du, 0x574f524c44u};
    static const char p2p_columns[] = "commHandle tag remoteRank size requestHandle textId";
    static const char collectives_columns[] = "commHandle rootRank size recvSize requestHandle textId";
    nsight_state *st = self->state;
    const int ranks = nsight_has(self, "MPI_RANKS", "globalTid rank"),
              p2p = nsight_has(self, "MPI_P2P_EVENTS", p2p_columns),
              collectives = nsight_has(self, "MPI_COLLECTIVES_EVENTS", collectives_columns),
              waits = nsight_has(self, "MPI_START_WAIT_EVENTS", "requestHandle textId");

    if (ranks < 0 || p2p < 0 || collectives < 0 || waits < 0)
        return TCF_ERROR;
    if (!ranks || (!p2p && !collectives))
        return TCF_OK;
    if (!(st->mpi = calloc(1, sizeof *st->mpi)))
        return no_room(self);
    st->mpi->world =
        self->host->communicator(self, self->host->across(self, world), "MPI_COMM_WORLD", 0, TCF_PARADIGM_MPI);
    if (st->mpi->world == TCF_NONE ||
        nsight_query(self, "MPI_RANKS", "SELECT globalTid, rank FROM MPI_RANKS", take_rank) != TCF_OK ||
        read_communicators(self) != TCF_OK || read_calls(self, p2p, collectives, waits) != TCF_OK)
        return TCF_ERROR;
    tell(self);
    return TCF_OK;
}

void nsight_free_mpi(tcf_reader *self)
{
    nsight_mpi *m = of(self);

    if (!m)
        return;
    tcf_map_free(&m->rank_of);
    tcf_map_free(&m->process_of);
    tcf_map_free(&m->unknown);
    tcf_map_free(&m->open);
    free(m->processes);
    free(m->handles);
    free(m->strays);
    free(m->requests);
    free(m);
    ((nsight_state *)self->state)->mpi = NULL;
}
