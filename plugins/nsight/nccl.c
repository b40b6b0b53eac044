/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* nsight: collective operations and messages of NCCL.
 *
 * NCCL's calls are NVTX ranges with payloads. NVTX_PAYLOAD_SCHEMA_ENTRIES says where a payload has what, by the names
 * that NCCL gives to its fields (NCCL, src/include/nvtx_payload_schemas.h); types are those of NVTX's header
 * nvToolsExtPayload.h. A call returns at once, so the operation is the kernel that it launches: the one whose launch
 * stands in the call, or in the end of the group around it. Where several operations share a group, or kernels, nothing
 * says which is which. Members are streams; what belongs together the framework finds, by communicator and order. */
#include "nsight.h"

#include <tcflow/grow.h>

#include <inttypes.h>
#include <otf2/OTF2_Events.h>
#include <stdlib.h>

enum { NCCL_CUDA = 5 /* OTF2_PARADIGM_CUDA */, NCCL_MOST = 1 << 20, NCCL_NAME_MOST = 64 };

/* What a payload may say. */
enum field { COMMUNICATOR, RANKS, OWN_RANK, BYTES, ROOT, PEER, FIELDS };

typedef struct schema {
    struct {
        uint32_t at, bytes; /* bytes 0: it doesn't say that */
    } field[FIELDS];
    uint32_t end; /* of its last entry so far */
} schema;

typedef struct payload {
    uint64_t value[FIELDS];
    uint8_t has[FIELDS];
} payload;

typedef struct member {
    uint32_t communicator, rank, size;
} member;

/* An operation, as its call says. */
typedef struct operation {
    char name[NCCL_NAME_MOST];
    uint64_t process;
    payload p;
} operation;

/* A kernel on its stream. */
typedef struct kernel {
    uint64_t begin, end;
    uint32_t stream;
} kernel;

/* The time in which a thread launches what it has called: one call, or a group of them. */
typedef struct window {
    uint64_t thread, end; /* end: of the call, or of the group's last one */
    uint32_t depth;       /* of groups that have begun */
    uint32_t operations, kernels;
    operation first;
    kernel first_kernel;
} window;

typedef struct nsight_nccl {
    tcf_map schema_ids, member_ids; /* (domain, schema), (process bits, communicator's id) */
    schema *schemas;
    member *members;
    uint32_t n_schemas, n_members, schemas_room, members_room;
    window at;
    uint64_t without_payload, without_communicator, unclear, unknown;
} nsight_nccl;

static nsight_nccl *nccl_of(const tcf_reader *self)
{
    return ((nsight_state *)self->state)->nccl;
}

static tcf_status no_nccl_room(const tcf_reader *self)
{
    return self->host->fail(self, "out of memory for NCCL's communicators");
}

static uint64_t nccl_id(sqlite3_stmt *s, int column)
{
    return (uint64_t)sqlite3_column_int64(s, column);
}

/* -------------------------------------------------------------------------------------------------------- payloads --
 */

/* Bytes of a type of NVTX; 0: no whole number. */
static uint32_t bytes_of_type(int64_t type)
{
    static const uint8_t bytes[] =
        {[1] = 1,  [2] = 1,  [3] = 2,  [4] = 2,  [5] = 4,  [6] = 4,  [7] = 8,  [8] = 8,  [9] = 8,  [10] = 8,
         [11] = 1, [12] = 1, [13] = 2, [14] = 2, [15] = 4, [16] = 4, [17] = 8, [18] = 8, [22] = 8, [23] = 8};
    return type >= 0 && type < (int64_t)sizeof bytes ? bytes[type] : 0;
}

static enum field field_named(const char *name)
{
    static const char *const names[FIELDS] =
        {[COMMUNICATOR] = "NCCL communicator ID", [RANKS] = "No. of ranks", [OWN_RANK] = "Rank",
         [BYTES] = "Message size [bytes]",        [ROOT] = "Root",          [PEER] = "Peer rank"};
    int f = 0;

    while (f < FIELDS && strcmp(names[f], name) != 0)
        f++;
    return (enum field)f;
}

/* domainId, schemaId, type, name, offset: by schema and number. An entry without an offset stands behind the one
 * before, aligned as its size. */
static tcf_status take_entry(tcf_reader *self, sqlite3_stmt *s)
{
    nsight_nccl *n = nccl_of(self);
    const char *name = (const char *)sqlite3_column_text(s, 3);
    const enum field f = field_named(name ? name : "");
    const uint32_t bytes = bytes_of_type(sqlite3_column_int64(s, 2));
    uint32_t i = tcf_map_get(&n->schema_ids, nccl_id(s, 0), nccl_id(s, 1));

    if (i == TCF_MAP_ABSENT) {
        i = n->n_schemas;
        if (i == NCCL_MOST)
            return self->host->fail(self, "NVTX_PAYLOAD_SCHEMA_ENTRIES is of more than %d schemas", (int)NCCL_MOST);
        if (TCF_GROW(&n->schemas, &n->schemas_room, i) != 0 ||
            tcf_map_put(&n->schema_ids, nccl_id(s, 0), nccl_id(s, 1), i) != 0)
            return no_nccl_room(self);
        n->schemas[n->n_schemas++] = (schema){.end = 0};
    }
    schema *x = &n->schemas[i];
    const uint32_t aligned = bytes > 0 ? (x->end + bytes - 1) / bytes * bytes : x->end;
    const int64_t stated = sqlite3_column_int64(s, 4);
    if (stated < 0 || stated > INT32_MAX)
        return TCF_OK;
    const uint32_t at = sqlite3_column_type(s, 4) == SQLITE_NULL ? aligned : (uint32_t)stated;
    x->end = at + bytes;
    if (f < FIELDS && bytes > 0) {
        x->field[f].at = at;
        x->field[f].bytes = bytes;
    }
    return TCF_OK;
}

static uint64_t little_endian(const unsigned char *at, uint32_t n)
{
    uint64_t value = 0;

    while (n-- > 0)
        value = value << 8 | at[n];
    return value;
}

/* Reads a payload: 32 bytes with the domain, the schema (both in the low half of eight bytes) and the size, and what
 * the schema says. 0: it is none. */
static int read_payload(const nsight_nccl *n, sqlite3_stmt *s, int column, payload *p)
{
    enum { HEAD = 32 };
    const unsigned char *data = sqlite3_column_blob(s, column);
    const int length = sqlite3_column_bytes(s, column);

    *p = (payload){.has = {0}};
    if (!data || length < HEAD)
        return 0;
    const uint32_t i = tcf_map_get(&n->schema_ids, little_endian(data, 4), little_endian(data + 8, 4));
    const uint64_t size = little_endian(data + 16, 8), there = (uint64_t)length - HEAD;
    if (i == TCF_MAP_ABSENT || size > there)
        return 0;
    for (int f = 0; f < FIELDS; f++) {
        const uint32_t at = n->schemas[i].field[f].at, bytes = n->schemas[i].field[f].bytes;
        p->has[f] = bytes > 0 && (uint64_t)at + bytes <= size;
        p->value[f] = p->has[f] ? little_endian(data + HEAD + at, bytes) : 0;
    }
    return 1;
}

/* --------------------------------------------------------------------------------------------------- communicators --
 *
 * globalTid, binaryData: of the calls that make and free communicators. */
static tcf_status take_nccl_communicator(tcf_reader *self, sqlite3_stmt *s)
{
    const tcf_source_host *host = self->host;
    nsight_nccl *n = nccl_of(self);
    const uint64_t process = nsight_process_bits(nccl_id(s, 0));
    char name[NCCL_NAME_MOST];
    payload p;

    if (!read_payload(n, s, 1, &p) || !p.has[COMMUNICATOR] || !p.has[RANKS] || !p.has[OWN_RANK] ||
        p.value[COMMUNICATOR] == 0 || p.value[RANKS] == 0 || p.value[RANKS] > INT32_MAX ||
        p.value[OWN_RANK] >= p.value[RANKS])
        return TCF_OK;
    const tcf_pair_key key = {UINT64_C(0x4e43434c) /* of NCCL */, p.value[COMMUNICATOR]};
    const uint32_t known = tcf_map_get(&n->member_ids, process, key.b);
    if (known != TCF_MAP_ABSENT) /* a second rank of the process is a contradiction */
        return host->member(self, n->members[known].communicator, (uint32_t)p.value[OWN_RANK],
                            nsight_process(self, nccl_id(s, 0)));
    if (n->n_members == NCCL_MOST)
        return host->fail(self, "NVTX_EVENTS has more than %d communicators of NCCL", (int)NCCL_MOST);
    if (TCF_GROW(&n->members, &n->members_room, n->n_members) != 0 ||
        tcf_map_put(&n->member_ids, process, key.b, n->n_members) != 0)
        return no_nccl_room(self);
    snprintf(name, sizeof name, "NCCL communicator %#" PRIx64, key.b);
    member *m = &n->members[n->n_members++];
    m->rank = (uint32_t)p.value[OWN_RANK];
    m->size = (uint32_t)p.value[RANKS];
    m->communicator = host->communicator(self, host->across(self, key), name, m->size, NCCL_CUDA);
    return m->communicator == TCF_NONE
               ? TCF_ERROR
               : host->member(self, m->communicator, m->rank, nsight_process(self, nccl_id(s, 0)));
}

/* ----------------------------------------------------------------------------------------------------- operations --
 */

/* A message, or what the member does in a collective operation, at the time of the kernel. */
static tcf_status add_message(tcf_reader *self, const operation *o, const kernel *k, const member *m, int sends)
{
    const tcf_message x = {.communicator = m->communicator,
                           .peer = (uint32_t)o->p.value[PEER],
                           .bytes = o->p.value[BYTES],
                           .posted = k->begin,
                           .completed = k->end};

    if (!o->p.has[PEER] || o->p.value[PEER] >= m->size) {
        nccl_of(self)->unknown++;
        return TCF_OK;
    }
    return (sends ? self->host->send_to : self->host->receive_from)(self, k->stream, &x);
}

/* Bytes are what each member gives (AllGather) or gets (ReduceScatter), else all of the operation. */
static tcf_status add_collective(tcf_reader *self, const operation *o, const kernel *k, const member *m)
{
    static const struct {
        const char *name;
        uint8_t operation, rooted;
    } known[] = {{"ncclAllReduce", OTF2_COLLECTIVE_OP_ALLREDUCE, 0},
                 {"ncclBroadcast", OTF2_COLLECTIVE_OP_BCAST, 1},
                 {"ncclBcast", OTF2_COLLECTIVE_OP_BCAST, 1},
                 {"ncclReduce", OTF2_COLLECTIVE_OP_REDUCE, 1},
                 {"ncclAllGather", OTF2_COLLECTIVE_OP_ALLGATHER, 0},
                 {"ncclReduceScatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, 0}};
    const uint64_t bytes = o->p.value[BYTES], all = bytes < UINT64_MAX / m->size ? bytes * m->size : 0;
    tcf_operation x = {.communicator = m->communicator, .root = TCF_NONE, .begin = k->begin, .end = k->end};
    size_t i = 0;

    while (i < TCF_COUNT(known) && strcmp(known[i].name, o->name) != 0)
        i++;
    if (i == TCF_COUNT(known) || (known[i].rooted && (!o->p.has[ROOT] || o->p.value[ROOT] >= m->size))) {
        nccl_of(self)->unknown++;
        return TCF_OK;
    }
    x.operation = known[i].operation;
    x.root = known[i].rooted ? (uint32_t)o->p.value[ROOT] : TCF_NONE;
    const int is_root = x.root == m->rank;
    x.sent = x.operation == OTF2_COLLECTIVE_OP_BCAST                  ? (is_root ? bytes : 0)
             : x.operation == OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK ? all
                                                                      : bytes;
    x.received = x.operation == OTF2_COLLECTIVE_OP_BCAST       ? (is_root ? 0 : bytes)
                 : x.operation == OTF2_COLLECTIVE_OP_REDUCE    ? (is_root ? bytes : 0)
                 : x.operation == OTF2_COLLECTIVE_OP_ALLGATHER ? all
                                                               : bytes;
    return self->host->collective(self, k->stream, &x);
}

static tcf_status add_operation(tcf_reader *self, const operation *o, const kernel *k)
{
    nsight_nccl *n = nccl_of(self);
    const uint32_t i =
        o->p.has[COMMUNICATOR] ? tcf_map_get(&n->member_ids, o->process, o->p.value[COMMUNICATOR]) : TCF_MAP_ABSENT;

    if (i == TCF_MAP_ABSENT) {
        n->without_communicator++;
        return TCF_OK;
    }
    if (strcmp(o->name, "ncclSend") == 0 || strcmp(o->name, "ncclRecv") == 0)
        return add_message(self, o, k, &n->members[i], o->name[4] == 'S');
    return add_collective(self, o, k, &n->members[i]);
}

static tcf_status close_window(tcf_reader *self)
{
    nsight_nccl *n = nccl_of(self);
    window *w = &n->at;
    tcf_status status = TCF_OK;

    if (w->operations == 1 && w->kernels == 1)
        status = add_operation(self, &w->first, &w->first_kernel);
    else
        n->unclear += w->operations;
    *w = (window){.thread = w->thread};
    return status;
}

/* --------------------------------------------------------------------------------------------------- calls, kernels --
 *
 * Rows of calls, and of launches of NCCL's kernels, by thread and time: start, end, globalTid, name (NULL: a launch),
 * binaryData; of the kernel start, end, globalPid, deviceId, contextId, streamId. */
enum { CALL_NAME = 3, PAYLOAD, KERNEL_START, KERNEL_END, PROCESS, DEVICE, CONTEXT, STREAM };

static tcf_status take_launch(tcf_reader *self, sqlite3_stmt *s)
{
    window *w = &nccl_of(self)->at;
    const int64_t begin = sqlite3_column_int64(s, KERNEL_START), end = sqlite3_column_int64(s, KERNEL_END);

    if (w->kernels++ > 0)
        return TCF_OK;
    if (begin < 0 || end < begin)
        return nsight_fail_in_row(self, "the time of a kernel is negative, or it ends before it begins");
    w->first_kernel =
        (kernel){(uint64_t)begin, (uint64_t)end,
                 nsight_stream(self, nccl_id(s, PROCESS), nccl_id(s, DEVICE), nccl_id(s, CONTEXT), nccl_id(s, STREAM))};
    return w->first_kernel.stream == TCF_NONE ? TCF_ERROR : TCF_OK;
}

static void take_nccl_call(tcf_reader *self, sqlite3_stmt *s, const char *name, uint64_t end)
{
    nsight_nccl *n = nccl_of(self);
    window *w = &n->at;
    payload p;

    if (strncmp(name, "ncclGroupStart", 14) == 0) {
        w->depth++;
        w->end = UINT64_MAX;
    } else if (strncmp(name, "ncclGroupEnd", 12) == 0) {
        w->depth -= w->depth > 0;
        w->end = w->depth == 0 ? end : w->end;
    } else if (read_payload(n, s, PAYLOAD, &p) && p.has[BYTES]) {
        if (w->operations++ == 0) {
            w->first.p = p;
            w->first.process = nsight_process_bits(nccl_id(s, 2));
            snprintf(w->first.name, sizeof w->first.name, "%s", name);
        }
        w->end = end > w->end ? end : w->end;
    } else {
        n->without_payload += sqlite3_column_type(s, PAYLOAD) != SQLITE_NULL && !p.has[RANKS];
    }
}

static tcf_status take_nccl_row(tcf_reader *self, sqlite3_stmt *s)
{
    window *w = &nccl_of(self)->at;
    const char *name = (const char *)sqlite3_column_text(s, CALL_NAME);
    const uint64_t thread = nccl_id(s, 2);
    uint64_t begin, end;

    if (nsight_times(self, s, &begin, &end) != TCF_OK ||
        ((thread != w->thread || begin > w->end) && close_window(self) != TCF_OK))
        return TCF_ERROR;
    w->thread = thread;
    if (!name)
        return take_launch(self, s);
    take_nccl_call(self, s, name, end);
    return TCF_OK;
}

static tcf_status read_nccl(tcf_reader *self)
{
    static const char entries[] = "SELECT DISTINCT domainId, schemaId, type, name, \"offset\", idx FROM "
                                  "NVTX_PAYLOAD_SCHEMA_ENTRIES ORDER BY 1, 2, idx";
    static const char communicators[] =
        "SELECT e.globalTid, e.binaryData FROM NVTX_EVENTS AS e LEFT JOIN StringIds AS n ON n.id = e.textId WHERE "
        "e.binaryData IS NOT NULL AND coalesce(e.text, n.value) GLOB 'ncclComm*' ORDER BY e.globalTid, e.start";
    static const char operations[] =
        "SELECT e.start, e.\"end\", e.globalTid, coalesce(e.text, n.value) AS name, e.binaryData, NULL, NULL, NULL, "
        "NULL, NULL, NULL FROM NVTX_EVENTS AS e LEFT JOIN StringIds AS n ON n.id = e.textId WHERE e.eventType = 59 AND "
        "e.\"end\" IS NOT NULL AND coalesce(e.text, n.value) GLOB 'nccl*' UNION ALL "
        "SELECT r.start, r.\"end\", r.globalTid, NULL, NULL, k.start, k.\"end\", k.globalPid, k.deviceId, k.contextId, "
        "k.streamId FROM CUPTI_ACTIVITY_KIND_KERNEL AS k JOIN CUPTI_ACTIVITY_KIND_RUNTIME AS r ON r.correlationId = "
        "k.correlationId AND r.globalTid >> 24 = k.globalPid >> 24 JOIN StringIds AS n ON n.id = k.shortName WHERE "
        "n.value GLOB 'nccl*' ORDER BY 3, 1, 2 DESC, 4 DESC";

    if (nsight_query(self, "NVTX_PAYLOAD_SCHEMA_ENTRIES", entries, take_entry) != TCF_OK ||
        nsight_query(self, "NVTX_EVENTS", communicators, take_nccl_communicator) != TCF_OK ||
        nsight_query(self, "NVTX_EVENTS and CUPTI_ACTIVITY_KIND_KERNEL", operations, take_nccl_row) != TCF_OK)
        return TCF_ERROR;
    return close_window(self);
}

static void tell_nccl(const tcf_reader *self)
{
    const nsight_nccl *n = nccl_of(self);
    const struct {
        uint64_t n;
        const char *what;
    } losses[] = {
        {n->without_payload, "for their payload is of another layout than this reader knows"},
        {n->without_communicator, "for their communicator was made before the recording, or isn't stated"},
        {n->unclear, "for it isn't known which kernel they are: several share a group, or no launch stands in them"},
        {n->unknown, "for their kind isn't known, or their root or the other side isn't stated"},
    };

    for (size_t i = 0; i < TCF_COUNT(losses); i++)
        if (losses[i].n > 0)
            self->host->log(self, TCF_LOG_WARNING, "%" PRIu64 " operations of NCCL are left out, %s", losses[i].n,
                            losses[i].what);
}

tcf_status nsight_read_nccl(tcf_reader *self)
{
    nsight_state *st = self->state;
    static const struct {
        const char *table, *columns;
    } needed[] = {{"NVTX_EVENTS", "globalTid binaryData"},
                  {"NVTX_PAYLOAD_SCHEMA_ENTRIES", "domainId schemaId idx type name offset"},
                  {"CUPTI_ACTIVITY_KIND_KERNEL", "globalPid correlationId shortName"},
                  {"CUPTI_ACTIVITY_KIND_RUNTIME", "globalTid correlationId"}};

    for (size_t i = 0; i < TCF_COUNT(needed); i++) {
        const int there = nsight_has(self, needed[i].table, needed[i].columns);
        if (there <= 0)
            return there < 0 ? TCF_ERROR : TCF_OK;
    }
    if (!(st->nccl = calloc(1, sizeof *st->nccl)))
        return no_nccl_room(self);
    if (read_nccl(self) != TCF_OK)
        return TCF_ERROR;
    tell_nccl(self);
    return TCF_OK;
}

void nsight_free_nccl(tcf_reader *self)
{
    nsight_nccl *n = nccl_of(self);

    if (!n)
        return;
    tcf_map_free(&n->schema_ids);
    tcf_map_free(&n->member_ids);
    free(n->schemas);
    free(n->members);
    free(n);
    ((nsight_state *)self->state)->nccl = NULL;
}
