/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * MPI calls, recorded as Score-P does: MPI_SEND before the message is handed over, MPI_RECV and completions when they
 * are back, collective operations between COLLECTIVE_BEGIN and COLLECTIVE_END. The bytes of a collective operation are
 * those that a member sends to all and receives from all, its own part included. To make a communicator takes a
 * broadcast more than without the recorder, and MPI_Finalize a barrier.
 *
 * A table at the end of each kind of calls has a row a function; its macro makes the function. Not recorded: one-sided
 * communication, files, neighbourhood collectives, matched probes, inter-communicators, dynamic processes. */
#include "recorder.h"

#include <stdlib.h>

#define LIST(...) __VA_ARGS__

static void enter(const char *name, OTF2_RegionRole role)
{
    recorder.seen[recorder_offset(name)] = (uint8_t)role;
    RECORD(Enter, recorder_offset(name));
}

static void leave(const char *name)
{
    RECORD(Leave, recorder_offset(name));
}

/* ---- sizes ---- */

static uint64_t bytes_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

static int size_of(MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    return size;
}

static int rank_in(MPI_Comm comm)
{
    int rank;
    PMPI_Comm_rank(comm, &rank);
    return rank;
}

/* The bytes of all members, where each has a count and, unless there is one for all, a type. */
static uint64_t sum_of(const int *counts, MPI_Datatype type, const MPI_Datatype *types, MPI_Comm comm)
{
    uint64_t sum = 0;
    for (int i = 0, n = size_of(comm); i < n; i++)
        sum += bytes_of(counts[i], types ? types[i] : type);
    return sum;
}

static uint64_t received(const MPI_Status *status)
{
    int count;
    PMPI_Get_count(status, MPI_BYTE, &count);
    return (uint64_t)count;
}

/* ---- begin and end ---- */

static const char init_name[] = "MPI_Init", init_thread_name[] = "MPI_Init_thread", finalize_name[] = "MPI_Finalize";

static void record_init(const char *name)
{
    recorder_open();
    recorder.seen[recorder_offset(name)] = OTF2_REGION_ROLE_FUNCTION;
    OTF2_EvtWriter_Enter(recorder.writer, NULL, recorder.begin, recorder_offset(name));
    leave(name);
}

int MPI_Init(int *argc, char ***argv)
{
    recorder.begin = recorder_now();
    int result = PMPI_Init(argc, argv);
    record_init(init_name);
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *given)
{
    recorder.begin = recorder_now();
    int result = PMPI_Init_thread(argc, argv, wanted, given);
    record_init(init_thread_name);
    return result;
}

int MPI_Finalize(void)
{
    enter(finalize_name, OTF2_REGION_ROLE_FUNCTION);
    PMPI_Barrier(MPI_COMM_WORLD);
    leave(finalize_name);
    recorder_close();
    return PMPI_Finalize();
}

/* ---- requests ---- */

enum request_kind { NO_REQUEST, SEND_REQUEST, RECEIVE_REQUEST, COLLECTIVE_REQUEST };

/* A request under way, or a persistent one. */
struct request {
    MPI_Request handle;
    enum request_kind kind;
    int persistent, active;
    OTF2_CommRef comm;
    uint64_t number; /* of the operation under way: given once */
    uint32_t peer, tag;
    OTF2_CollectiveOp op;
    uint32_t root;
    uint64_t sent, received;
};

enum { MOST_REQUESTS = 4096 };
static struct request *requests;
static int n_requests;
static uint64_t last_request;

/* The newest one with this handle: Open MPI gives the same handle to all sends that were over at once, and MPI may use
 * that of a request again which was freed unseen. */
static struct request *find_request(MPI_Request handle)
{
    for (int i = n_requests - 1; i >= 0; i--)
        if (requests[i].handle == handle)
            return &requests[i];
    return NULL;
}

static void add_request(struct request request)
{
    if (!requests && !(requests = malloc(MOST_REQUESTS * sizeof *requests)))
        recorder_give_up("out of memory");
    if (n_requests == MOST_REQUESTS)
        recorder_give_up("more than %d requests at a time", MOST_REQUESTS);
    requests[n_requests++] = request;
}

static void remove_request(struct request *r)
{
    n_requests--;
    for (; r < requests + n_requests; r++)
        r[0] = r[1];
}

/* What begins: of a send and a collective operation before the call, of a receive behind it. */
static void record_start(struct request *r)
{
    r->number = ++last_request;
    r->active = 1;
    if (r->kind == SEND_REQUEST)
        RECORD(MpiIsend, r->peer, r->comm, r->tag, r->sent, r->number);
    else if (r->kind == RECEIVE_REQUEST)
        RECORD(MpiIrecvRequest, r->number);
    else
        RECORD(NonBlockingCollectiveRequest, r->number);
}

static void record_completion(struct request *r, const MPI_Status *status)
{
    int cancelled = 0;
    if (r->kind != COLLECTIVE_REQUEST)
        PMPI_Test_cancelled(status, &cancelled);
    if (cancelled)
        RECORD(MpiRequestCancelled, r->number);
    else if (r->kind == SEND_REQUEST)
        RECORD(MpiIsendComplete, r->number);
    else if (r->kind == RECEIVE_REQUEST)
        RECORD(MpiIrecv, (uint32_t)status->MPI_SOURCE, r->comm, (uint32_t)status->MPI_TAG, received(status), r->number);
    else
        RECORD(NonBlockingCollectiveComplete, r->op, r->comm, r->root, r->sent, r->received, r->number);
    r->active = 0;
    if (!r->persistent)
        remove_request(r);
}

/* ---- point to point ---- */

static void record_send(int to, MPI_Comm comm, int tag, uint64_t bytes)
{
    if (to != MPI_PROC_NULL)
        RECORD(MpiSend, (uint32_t)to, recorder_comm(comm), (uint32_t)tag, bytes);
}

static void record_receive(MPI_Comm comm, const MPI_Status *status)
{
    if (status->MPI_SOURCE != MPI_PROC_NULL)
        RECORD(MpiRecv, (uint32_t)status->MPI_SOURCE, recorder_comm(comm), (uint32_t)status->MPI_TAG, received(status));
}

static struct request send_request(int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    return (struct request){.kind = to == MPI_PROC_NULL ? NO_REQUEST : SEND_REQUEST,
                            .comm = recorder_comm(comm),
                            .peer = (uint32_t)to,
                            .tag = (uint32_t)tag,
                            .sent = bytes_of(count, type)};
}

static struct request receive_request(int from, MPI_Comm comm)
{
    return (struct request){.kind = from == MPI_PROC_NULL ? NO_REQUEST : RECEIVE_REQUEST, .comm = recorder_comm(comm)};
}

static void keep_request(struct request r, MPI_Request handle, int persistent)
{
    r.handle = handle;
    r.persistent = persistent;
    if (r.kind != NO_REQUEST)
        add_request(r);
}

/* A kind of send, blocking, non-blocking and persistent. */
#define SEND(blocking, non_blocking, persistent)                                                                       \
    int blocking(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)                     \
    {                                                                                                                  \
        static const char name[] = #blocking;                                                                          \
        enter(name, OTF2_REGION_ROLE_POINT2POINT);                                                                     \
        record_send(to, comm, tag, bytes_of(count, type));                                                             \
        int result = P##blocking(buffer, count, type, to, tag, comm);                                                  \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }                                                                                                                  \
    int non_blocking(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,                 \
                     MPI_Request *request)                                                                             \
    {                                                                                                                  \
        static const char name[] = #non_blocking;                                                                      \
        struct request r = send_request(count, type, to, tag, comm);                                                   \
        enter(name, OTF2_REGION_ROLE_POINT2POINT);                                                                     \
        if (r.kind != NO_REQUEST)                                                                                      \
            record_start(&r);                                                                                          \
        int result = P##non_blocking(buffer, count, type, to, tag, comm, request);                                     \
        keep_request(r, *request, 0);                                                                                  \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }                                                                                                                  \
    int persistent(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,                   \
                   MPI_Request *request)                                                                               \
    {                                                                                                                  \
        static const char name[] = #persistent;                                                                        \
        enter(name, OTF2_REGION_ROLE_POINT2POINT);                                                                     \
        int result = P##persistent(buffer, count, type, to, tag, comm, request);                                       \
        keep_request(send_request(count, type, to, tag, comm), *request, 1);                                           \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }

SEND(MPI_Send, MPI_Isend, MPI_Send_init)
SEND(MPI_Bsend, MPI_Ibsend, MPI_Bsend_init)
SEND(MPI_Rsend, MPI_Irsend, MPI_Rsend_init)
SEND(MPI_Ssend, MPI_Issend, MPI_Ssend_init)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    static const char name[] = "MPI_Recv";
    MPI_Status own;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    enter(name, OTF2_REGION_ROLE_POINT2POINT);
    int result = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    record_receive(comm, status);
    leave(name);
    return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    static const char name[] = "MPI_Irecv";
    struct request r = receive_request(from, comm);
    enter(name, OTF2_REGION_ROLE_POINT2POINT);
    int result = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    if (r.kind != NO_REQUEST)
        record_start(&r);
    keep_request(r, *request, 0);
    leave(name);
    return result;
}

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    static const char name[] = "MPI_Recv_init";
    enter(name, OTF2_REGION_ROLE_POINT2POINT);
    int result = PMPI_Recv_init(buffer, count, type, from, tag, comm, request);
    keep_request(receive_request(from, comm), *request, 1);
    leave(name);
    return result;
}

/* A call that sends and receives. */
#define EXCHANGE(call, parameters, arguments)                                                                          \
    int call(LIST parameters)                                                                                          \
    {                                                                                                                  \
        static const char name[] = #call;                                                                              \
        MPI_Status own;                                                                                                \
        if (status == MPI_STATUS_IGNORE)                                                                               \
            status = &own;                                                                                             \
        enter(name, OTF2_REGION_ROLE_POINT2POINT);                                                                     \
        record_send(to, comm, out_tag, bytes_of(count, type));                                                         \
        int result = P##call(LIST arguments);                                                                          \
        record_receive(comm, status);                                                                                  \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }

EXCHANGE(MPI_Sendrecv,
         (const void *out, int count, MPI_Datatype type, int to, int out_tag, void *in, int in_count,
          MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status),
         (out, count, type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status))
EXCHANGE(MPI_Sendrecv_replace,
         (void *buffer, int count, MPI_Datatype type, int to, int out_tag, int from, int in_tag, MPI_Comm comm,
          MPI_Status *status),
         (buffer, count, type, to, out_tag, from, in_tag, comm, status))

/* ---- starts and completions ---- */

/* Starts persistent requests; `behind`: is the call over? */
static void record_starts(int n, const MPI_Request *handles, int behind)
{
    for (int i = 0; i < n; i++) {
        struct request *r = find_request(handles[i]);
        if (r && (r->kind == RECEIVE_REQUEST) == behind)
            record_start(r);
    }
}

/* The requests that a call is about to complete: MPI forgets their handles. */
static struct {
    MPI_Request *handles;
    MPI_Status *statuses;
    int most;
} kept;

/* Keeps the handles; returns statuses for the call: those given, or own ones if they are to be ignored. */
static MPI_Status *keep_handles(int n, const MPI_Request *handles, MPI_Status *statuses)
{
    if (n > kept.most) {
        kept.most = 2 * n;
        kept.handles = realloc(kept.handles, (size_t)kept.most * sizeof *kept.handles);
        kept.statuses = realloc(kept.statuses, (size_t)kept.most * sizeof *kept.statuses);
        if (!kept.handles || !kept.statuses)
            recorder_give_up("out of memory");
    }
    for (int i = 0; i < n; i++)
        kept.handles[i] = handles[i];
    return statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE ? kept.statuses : statuses;
}

/* Of `n` kept requests, `done` are complete: those with these indices, or all. If none is, they were tested; but SMPI's
 * MPI_Testall completes some of them, and forgets their handles, although it says that it didn't. */
static void record_completions(int n, int done, const int *indices, const MPI_Request *now, const MPI_Status *statuses)
{
    struct request *r;
    for (int i = 0; i < done; i++)
        if ((r = find_request(kept.handles[indices ? indices[i] : i])) && r->active)
            record_completion(r, &statuses[i]);
    for (int i = 0; done == 0 && i < n; i++) {
        if (!(r = find_request(kept.handles[i])) || !r->active)
            continue;
        if (now[i] == MPI_REQUEST_NULL)
            record_completion(r, &statuses[i]);
        else
            RECORD(MpiRequestTest, r->number);
    }
}

/* A call that completes requests: `done` of `n`. */
#define COMPLETION(call, n, done, indices, parameters, arguments)                                                      \
    int call(LIST parameters)                                                                                          \
    {                                                                                                                  \
        static const char name[] = #call;                                                                              \
        enter(name, OTF2_REGION_ROLE_POINT2POINT);                                                                     \
        statuses = keep_handles(n, request, statuses);                                                                 \
        int result = P##call(LIST arguments);                                                                          \
        record_completions(n, done, indices, request, statuses);                                                       \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }

COMPLETION(MPI_Wait, 1, 1, NULL, (MPI_Request * request, MPI_Status *statuses), (request, statuses))
COMPLETION(MPI_Waitall, n, n, NULL, (int n, MPI_Request request[], MPI_Status statuses[]), (n, request, statuses))
COMPLETION(MPI_Waitany, n, *index != MPI_UNDEFINED, index,
           (int n, MPI_Request request[], int *index, MPI_Status *statuses), (n, request, index, statuses))
COMPLETION(MPI_Waitsome, n, *m == MPI_UNDEFINED ? 0 : *m, indices,
           (int n, MPI_Request request[], int *m, int indices[], MPI_Status statuses[]),
           (n, request, m, indices, statuses))
COMPLETION(MPI_Test, 1, *flag != 0, NULL, (MPI_Request * request, int *flag, MPI_Status *statuses),
           (request, flag, statuses))
COMPLETION(MPI_Testall, n, *flag ? n : 0, NULL, (int n, MPI_Request request[], int *flag, MPI_Status statuses[]),
           (n, request, flag, statuses))
COMPLETION(MPI_Testany, n, *index != MPI_UNDEFINED && *flag, index,
           (int n, MPI_Request request[], int *index, int *flag, MPI_Status *statuses),
           (n, request, index, flag, statuses))
COMPLETION(MPI_Testsome, n, *m == MPI_UNDEFINED ? 0 : *m, indices,
           (int n, MPI_Request request[], int *m, int indices[], MPI_Status statuses[]),
           (n, request, m, indices, statuses))

/* A call that is recorded with its begin and end, and with what `before` and `after` record. */
#define CALL(call, role, before, after, parameters, arguments)                                                         \
    int call(LIST parameters)                                                                                          \
    {                                                                                                                  \
        static const char name[] = #call;                                                                              \
        enter(name, role);                                                                                             \
        before;                                                                                                        \
        int result = P##call(LIST arguments);                                                                          \
        after;                                                                                                         \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }

/* A freed operation under way completes unseen. */
static void forget_request(MPI_Request handle)
{
    struct request *r = find_request(handle);
    if (r)
        remove_request(r);
}

#define P2P OTF2_REGION_ROLE_POINT2POINT
CALL(MPI_Start, P2P, record_starts(1, request, 0), record_starts(1, request, 1), (MPI_Request * request), (request))
CALL(MPI_Startall, P2P, record_starts(n, request, 0), record_starts(n, request, 1), (int n, MPI_Request request[]),
     (n, request))
CALL(MPI_Request_free, P2P, forget_request(*request), , (MPI_Request * request), (request))
CALL(MPI_Cancel, P2P, , , (MPI_Request * request), (request))
CALL(MPI_Probe, P2P, , , (int from, int tag, MPI_Comm comm, MPI_Status *status), (from, tag, comm, status))
CALL(MPI_Iprobe, P2P, , , (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
     (from, tag, comm, flag, status))

/* ---- communicators ---- */

static void begin_collective(void)
{
    RECORD(MpiCollectiveBegin);
}

static void record_creation(MPI_Comm made)
{
    if (made == MPI_COMM_NULL)
        return;
    OTF2_CommRef number = recorder_add_comm(made);
    RECORD(CommCreate, number);
}

static void end_creation(MPI_Comm comm, MPI_Comm made)
{
    record_creation(made);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_CREATE_HANDLE, recorder_comm(comm), OTF2_UNDEFINED_UINT32, 0, 0);
}

/* All members of `comm` make a communicator. */
#define CREATION(call, parameters, arguments)                                                                          \
    CALL(call, OTF2_REGION_ROLE_COLL_OTHER, begin_collective(), end_creation(comm, *made), parameters, arguments)

CREATION(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
CREATION(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made))
CREATION(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made))
CREATION(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
         (comm, type, key, info, made))
CREATION(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
CREATION(MPI_Cart_create, (MPI_Comm comm, int n, const int sizes[], const int periodic[], int reorder, MPI_Comm *made),
         (comm, n, sizes, periodic, reorder, made))
CREATION(MPI_Cart_sub, (MPI_Comm comm, const int kept_dimensions[], MPI_Comm *made), (comm, kept_dimensions, made))
CALL(MPI_Comm_create_group, OTF2_REGION_ROLE_COLL_OTHER, , record_creation(*made),
     (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made), (comm, group, tag, made))

int MPI_Comm_free(MPI_Comm *comm)
{
    static const char name[] = "MPI_Comm_free";
    OTF2_CommRef number = recorder_comm(*comm);
    enter(name, OTF2_REGION_ROLE_COLL_OTHER);
    RECORD(MpiCollectiveBegin);
    RECORD(CommDestroy, number);
    int result = PMPI_Comm_free(comm);
    RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_DESTROY_HANDLE, number, OTF2_UNDEFINED_UINT32, 0, 0);
    leave(name);
    return result;
}

/* ---- collective ---- */

/* A collective operation, blocking and non-blocking. */
#define COLLECTIVE(blocking, non_blocking, role, operation, whence, bytes_out, bytes_in, parameters, arguments)        \
    int blocking(LIST parameters)                                                                                      \
    {                                                                                                                  \
        static const char name[] = #blocking;                                                                          \
        enter(name, OTF2_REGION_ROLE_##role);                                                                          \
        RECORD(MpiCollectiveBegin);                                                                                    \
        int result = P##blocking(LIST arguments);                                                                      \
        RECORD(MpiCollectiveEnd, OTF2_COLLECTIVE_OP_##operation, recorder_comm(comm), (uint32_t)whence, bytes_out,     \
               bytes_in);                                                                                              \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }                                                                                                                  \
    int non_blocking(LIST parameters, MPI_Request *request)                                                            \
    {                                                                                                                  \
        static const char name[] = #non_blocking;                                                                      \
        struct request r = {.kind = COLLECTIVE_REQUEST,                                                                \
                            .comm = recorder_comm(comm),                                                               \
                            .op = OTF2_COLLECTIVE_OP_##operation,                                                      \
                            .root = (uint32_t)whence,                                                                  \
                            .sent = bytes_out,                                                                         \
                            .received = bytes_in};                                                                     \
        enter(name, OTF2_REGION_ROLE_##role);                                                                          \
        record_start(&r);                                                                                              \
        int result = P##non_blocking(LIST arguments, request);                                                         \
        keep_request(r, *request, 0);                                                                                  \
        leave(name);                                                                                                   \
        return result;                                                                                                 \
    }

#define NO_ROOT OTF2_UNDEFINED_UINT32
#define AT_ROOT(bytes) (rank_in(comm) == root ? (bytes) : 0)
#define FOR_ALL (uint64_t) size_of(comm) *
/* A buffer in place has the size that the other side's count says. */
#define SENT(count) (out == MPI_IN_PLACE ? bytes_of(in_count, in_type) : bytes_of(count, out_type))
#define RECEIVED(count) (in == MPI_IN_PLACE ? bytes_of(out_count, out_type) : bytes_of(count, in_type))
#define OWN_SENT (out == MPI_IN_PLACE ? bytes_of(in_counts[rank_in(comm)], in_type) : bytes_of(out_count, out_type))
#define OWN_RECEIVED (in == MPI_IN_PLACE ? bytes_of(out_counts[rank_in(comm)], out_type) : bytes_of(in_count, in_type))

COLLECTIVE(MPI_Barrier, MPI_Ibarrier, BARRIER, BARRIER, NO_ROOT, 0, 0, (MPI_Comm comm), (comm))
COLLECTIVE(MPI_Bcast, MPI_Ibcast, COLL_ONE2ALL, BCAST, root, AT_ROOT(FOR_ALL bytes_of(count, type)),
           bytes_of(count, type), (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, type, root, comm))

#define PARAMETERS const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type
#define ARGUMENTS out, out_count, out_type, in, in_count, in_type
COLLECTIVE(MPI_Gather, MPI_Igather, COLL_ALL2ONE, GATHER, root, SENT(out_count),
           AT_ROOT(FOR_ALL bytes_of(in_count, in_type)), (PARAMETERS, int root, MPI_Comm comm), (ARGUMENTS, root, comm))
COLLECTIVE(MPI_Scatter, MPI_Iscatter, COLL_ONE2ALL, SCATTER, root, AT_ROOT(FOR_ALL bytes_of(out_count, out_type)),
           RECEIVED(in_count), (PARAMETERS, int root, MPI_Comm comm), (ARGUMENTS, root, comm))
COLLECTIVE(MPI_Allgather, MPI_Iallgather, COLL_ALL2ALL, ALLGATHER, NO_ROOT, FOR_ALL SENT(out_count),
           FOR_ALL bytes_of(in_count, in_type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
COLLECTIVE(MPI_Alltoall, MPI_Ialltoall, COLL_ALL2ALL, ALLTOALL, NO_ROOT, FOR_ALL SENT(out_count),
           FOR_ALL bytes_of(in_count, in_type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
#undef PARAMETERS
#undef ARGUMENTS

#define PARAMETERS                                                                                                     \
    const void *out, int out_count, MPI_Datatype out_type, void *in, const int in_counts[], const int in_at[],         \
        MPI_Datatype in_type
#define ARGUMENTS out, out_count, out_type, in, in_counts, in_at, in_type
COLLECTIVE(MPI_Gatherv, MPI_Igatherv, COLL_ALL2ONE, GATHERV, root, OWN_SENT,
           AT_ROOT(sum_of(in_counts, in_type, NULL, comm)), (PARAMETERS, int root, MPI_Comm comm),
           (ARGUMENTS, root, comm))
COLLECTIVE(MPI_Allgatherv, MPI_Iallgatherv, COLL_ALL2ALL, ALLGATHERV, NO_ROOT, FOR_ALL OWN_SENT,
           sum_of(in_counts, in_type, NULL, comm), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
#undef PARAMETERS
#undef ARGUMENTS

COLLECTIVE(MPI_Scatterv, MPI_Iscatterv, COLL_ONE2ALL, SCATTERV, root, AT_ROOT(sum_of(out_counts, out_type, NULL, comm)),
           OWN_RECEIVED,
           (const void *out, const int out_counts[], const int out_at[], MPI_Datatype out_type, void *in, int in_count,
            MPI_Datatype in_type, int root, MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_count, in_type, root, comm))
COLLECTIVE(MPI_Alltoallv, MPI_Ialltoallv, COLL_ALL2ALL, ALLTOALLV, NO_ROOT,
           sum_of(out == MPI_IN_PLACE ? in_counts : out_counts, out == MPI_IN_PLACE ? in_type : out_type, NULL, comm),
           sum_of(in_counts, in_type, NULL, comm),
           (const void *out, const int out_counts[], const int out_at[], MPI_Datatype out_type, void *in,
            const int in_counts[], const int in_at[], MPI_Datatype in_type, MPI_Comm comm),
           (out, out_counts, out_at, out_type, in, in_counts, in_at, in_type, comm))
COLLECTIVE(MPI_Alltoallw, MPI_Ialltoallw, COLL_ALL2ALL, ALLTOALLW, NO_ROOT,
           sum_of(out == MPI_IN_PLACE ? in_counts : out_counts, 0, out == MPI_IN_PLACE ? in_types : out_types, comm),
           sum_of(in_counts, 0, in_types, comm),
           (const void *out, const int out_counts[], const int out_at[], const MPI_Datatype out_types[], void *in,
            const int in_counts[], const int in_at[], const MPI_Datatype in_types[], MPI_Comm comm),
           (out, out_counts, out_at, out_types, in, in_counts, in_at, in_types, comm))

#define PARAMETERS const void *out, void *in, int count, MPI_Datatype type, MPI_Op op
#define ARGUMENTS out, in, count, type, op
COLLECTIVE(MPI_Reduce, MPI_Ireduce, COLL_ALL2ONE, REDUCE, root, bytes_of(count, type),
           AT_ROOT(FOR_ALL bytes_of(count, type)), (PARAMETERS, int root, MPI_Comm comm), (ARGUMENTS, root, comm))
COLLECTIVE(MPI_Allreduce, MPI_Iallreduce, COLL_ALL2ALL, ALLREDUCE, NO_ROOT, FOR_ALL bytes_of(count, type),
           FOR_ALL bytes_of(count, type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
COLLECTIVE(MPI_Scan, MPI_Iscan, COLL_OTHER, SCAN, NO_ROOT,
           (uint64_t)(size_of(comm) - rank_in(comm)) * bytes_of(count, type),
           (uint64_t)(rank_in(comm) + 1) * bytes_of(count, type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
COLLECTIVE(MPI_Exscan, MPI_Iexscan, COLL_OTHER, EXSCAN, NO_ROOT,
           (uint64_t)(size_of(comm) - rank_in(comm) - 1) * bytes_of(count, type),
           (uint64_t)rank_in(comm) * bytes_of(count, type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
COLLECTIVE(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, COLL_ALL2ALL, REDUCE_SCATTER_BLOCK, NO_ROOT,
           FOR_ALL bytes_of(count, type), FOR_ALL bytes_of(count, type), (PARAMETERS, MPI_Comm comm), (ARGUMENTS, comm))
#undef PARAMETERS
#undef ARGUMENTS
COLLECTIVE(MPI_Reduce_scatter, MPI_Ireduce_scatter, COLL_ALL2ALL, REDUCE_SCATTER, NO_ROOT,
           sum_of(counts, type, NULL, comm), FOR_ALL bytes_of(counts[rank_in(comm)], type),
           (const void *out, void *in, const int counts[], MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (out, in, counts, type, op, comm))
