/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The MPI calls of the programs here, recorded as Score-P does: MPI_SEND before the message is handed over, MPI_RECV
 * and completions when they are back, collective operations between COLLECTIVE_BEGIN and COLLECTIVE_END. */
#include "recorder.h"

#include <stdio.h>
#include <stdlib.h>

#define W recorder.writer

static uint64_t bytes_of(int count, MPI_Datatype type)
{
    int size;
    PMPI_Type_size(type, &size);
    return (uint64_t)count * (uint64_t)size;
}

/* What was received, of a status. */
static uint64_t received(const MPI_Status *status)
{
    int count;
    PMPI_Get_count(status, MPI_BYTE, &count);
    return (uint64_t)count;
}

int MPI_Init(int *argc, char ***argv)
{
    recorder.begin = recorder_now();
    int result = PMPI_Init(argc, argv);
    recorder_open();
    OTF2_EvtWriter_Enter(W, NULL, recorder.begin, RECORDER_INIT);
    recorder_leave(RECORDER_INIT);
    return result;
}

int MPI_Finalize(void)
{
    recorder_enter(RECORDER_FINALIZE);
    PMPI_Barrier(MPI_COMM_WORLD);
    recorder_leave(RECORDER_FINALIZE);
    recorder_close();
    return PMPI_Finalize();
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    recorder_enter(RECORDER_COMM_SPLIT);
    int result = PMPI_Comm_split(comm, color, key, made);
    recorder_add_comm(comm, *made);
    recorder_leave(RECORDER_COMM_SPLIT);
    return result;
}

/* ---- blocking ---- */

static void note_recv(MPI_Comm comm, const MPI_Status *status)
{
    if (status->MPI_SOURCE >= 0)
        OTF2_EvtWriter_MpiRecv(W, NULL, recorder_now(), (uint32_t)status->MPI_SOURCE, recorder_comm(comm),
                               (uint32_t)status->MPI_TAG, received(status));
}

static void note_send(int to, MPI_Comm comm, int tag, uint64_t bytes)
{
    if (to >= 0)
        OTF2_EvtWriter_MpiSend(W, NULL, recorder_now(), (uint32_t)to, recorder_comm(comm), (uint32_t)tag, bytes);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    recorder_enter(RECORDER_SEND);
    note_send(to, comm, tag, bytes_of(count, type));
    int result = PMPI_Send(buffer, count, type, to, tag, comm);
    recorder_leave(RECORDER_SEND);
    return result;
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    recorder_enter(RECORDER_RECV);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = PMPI_Recv(buffer, count, type, from, tag, comm, status);
    note_recv(comm, status);
    recorder_leave(RECORDER_RECV);
    return result;
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int out_tag, void *in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
    MPI_Status own;
    recorder_enter(RECORDER_SENDRECV);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    note_send(to, comm, out_tag, bytes_of(out_count, out_type));
    int result =
        PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
    note_recv(comm, status);
    recorder_leave(RECORDER_SENDRECV);
    return result;
}

/* ---- non-blocking ---- */

/* Requests under way; their numbers are given once each. */
static struct request {
    MPI_Request request;
    MPI_Comm comm;
    uint64_t number;
    int receives;
} requests[256];
static int n_requests;
static uint64_t last_request;

static uint64_t note_request(MPI_Request request, MPI_Comm comm, int receives)
{
    if (n_requests == (int)(sizeof requests / sizeof requests[0])) {
        fprintf(stderr, "recorder: more than %d requests under way\n", n_requests);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    requests[n_requests++] = (struct request){request, comm, ++last_request, receives};
    return last_request;
}

static struct request take_request(MPI_Request request)
{
    for (int i = 0; i < n_requests; i++)
        if (requests[i].request == request) {
            struct request found = requests[i];
            requests[i] = requests[--n_requests];
            return found;
        }
    return (struct request){.request = MPI_REQUEST_NULL};
}

static void note_completion(MPI_Request request, const MPI_Status *status)
{
    struct request r = take_request(request);
    if (r.request == MPI_REQUEST_NULL)
        return;
    if (!r.receives)
        OTF2_EvtWriter_MpiIsendComplete(W, NULL, recorder_now(), r.number);
    else
        OTF2_EvtWriter_MpiIrecv(W, NULL, recorder_now(), (uint32_t)status->MPI_SOURCE, recorder_comm(r.comm),
                                (uint32_t)status->MPI_TAG, received(status), r.number);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    recorder_enter(RECORDER_ISEND);
    if (to >= 0)
        OTF2_EvtWriter_MpiIsend(W, NULL, recorder_now(), (uint32_t)to, recorder_comm(comm), (uint32_t)tag,
                                bytes_of(count, type), last_request + 1);
    int result = PMPI_Isend(buffer, count, type, to, tag, comm, request);
    if (to >= 0)
        note_request(*request, comm, 0);
    recorder_leave(RECORDER_ISEND);
    return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    recorder_enter(RECORDER_IRECV);
    int result = PMPI_Irecv(buffer, count, type, from, tag, comm, request);
    if (from != MPI_PROC_NULL)
        OTF2_EvtWriter_MpiIrecvRequest(W, NULL, recorder_now(), note_request(*request, comm, 1));
    recorder_leave(RECORDER_IRECV);
    return result;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    MPI_Request before = *request;
    recorder_enter(RECORDER_WAIT);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    int result = PMPI_Wait(request, status);
    note_completion(before, status);
    recorder_leave(RECORDER_WAIT);
    return result;
}

enum { MOST_AT_ONCE = 64 };

int MPI_Waitall(int n, MPI_Request request[], MPI_Status status[])
{
    MPI_Status own[MOST_AT_ONCE];
    MPI_Request before[MOST_AT_ONCE];
    recorder_enter(RECORDER_WAITALL);
    if (n > MOST_AT_ONCE) {
        fprintf(stderr, "recorder: MPI_Waitall over %d requests\n", n);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < n; i++)
        before[i] = request[i];
    if (status == MPI_STATUSES_IGNORE)
        status = own;
    int result = PMPI_Waitall(n, request, status);
    for (int i = 0; i < n; i++)
        note_completion(before[i], &status[i]);
    recorder_leave(RECORDER_WAITALL);
    return result;
}

/* ---- collective ---- */

static void begin_collective(uint32_t region)
{
    recorder_enter(region);
    OTF2_EvtWriter_MpiCollectiveBegin(W, NULL, recorder_now());
}

static void end_collective(uint32_t region, OTF2_CollectiveOp op, MPI_Comm comm, uint32_t root, uint64_t sent,
                           uint64_t got)
{
    OTF2_EvtWriter_MpiCollectiveEnd(W, NULL, recorder_now(), op, recorder_comm(comm), root, sent, got);
    recorder_leave(region);
}

int MPI_Barrier(MPI_Comm comm)
{
    begin_collective(RECORDER_BARRIER);
    int result = PMPI_Barrier(comm);
    end_collective(RECORDER_BARRIER, OTF2_COLLECTIVE_OP_BARRIER, comm, OTF2_UNDEFINED_UINT32, 0, 0);
    return result;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int rank;
    uint64_t bytes = bytes_of(count, type);
    begin_collective(RECORDER_BCAST);
    int result = PMPI_Bcast(buffer, count, type, root, comm);
    PMPI_Comm_rank(comm, &rank);
    end_collective(RECORDER_BCAST, OTF2_COLLECTIVE_OP_BCAST, comm, (uint32_t)root, rank == root ? bytes : 0, bytes);
    return result;
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
    int rank;
    uint64_t bytes = bytes_of(count, type);
    begin_collective(RECORDER_REDUCE);
    int result = PMPI_Reduce(in, out, count, type, op, root, comm);
    PMPI_Comm_rank(comm, &rank);
    end_collective(RECORDER_REDUCE, OTF2_COLLECTIVE_OP_REDUCE, comm, (uint32_t)root, bytes, rank == root ? bytes : 0);
    return result;
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    uint64_t bytes = bytes_of(count, type);
    begin_collective(RECORDER_ALLREDUCE);
    int result = PMPI_Allreduce(in, out, count, type, op, comm);
    end_collective(RECORDER_ALLREDUCE, OTF2_COLLECTIVE_OP_ALLREDUCE, comm, OTF2_UNDEFINED_UINT32, bytes, bytes);
    return result;
}
