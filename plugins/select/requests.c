/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Decides which records stay when communicators are selected, or messages by the location of their other end.
 *
 * The record of a send names the communicator, so the completion of a send stays or goes with it. For a receive or a
 * collective operation, the record of the completion names the communicator. Until it comes, the earlier records of the
 * request are undecided, and their slices are held. They stay where the request is not completed within
 * REQUEST_LOOKAHEAD events, is never completed, or is cancelled. So the result depends on the trace alone, not on the
 * size of slices. */
#include "select.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { RECEIVE, COLLECTIVE, SEND, BLOCKING, RMA }; /* families; BLOCKING and RMA have one open request at a time */

/* Cap of the requests of a location. Only sends without recorded completions come near it. */
enum { MOST_REQUESTS = 1 << 16 };

/* ------------------------------------------------------------------------------------------------------ requests -- */

/* The value in place.requests, TCF_MAP_ABSENT: there is no such request. */
static uint32_t find(const place *p, uint64_t id, uint8_t family)
{
    return p->requests.n == 0 ? TCF_MAP_ABSENT : tcf_map_get(&p->requests, id, family);
}

/* 1: the request is remembered; 0: there are too many of them; -1: out of memory. */
static int remember(place *p, uint64_t id, uint8_t family, uint32_t first)
{
    if (p->requests.n >= MOST_REQUESTS) {
        p->count.forgotten++;
        return 0;
    }
    return tcf_map_put(&p->requests, id, family, first) == 0 ? 1 : -1;
}

/* Adds a record that waits for a decision. Returns 1 + its index; 0: out of memory. */
static uint32_t add_follower(place *p, uint64_t number, uint32_t pos, uint32_t next)
{
    uint32_t at = p->free_followers;

    if (at == 0) {
        if (TCF_GROW(&p->followers, &p->followers_capacity, p->n_followers) != 0)
            return 0;
        at = ++p->n_followers;
    } else {
        p->free_followers = p->followers[at - 1].next;
    }
    p->followers[at - 1] = (follower){.slice = p->n_slices, .number = number, .next = next, .pos = pos};
    p->undecided++;
    return at;
}

/* Decides about a request and all its records. Records in slices that were passed on before have stayed. */
static void decide(place *p, uint64_t id, uint8_t family, uint32_t first, int keep)
{
    uint64_t oldest = p->n_slices - p->n_held;

    for (uint32_t at = first; at != 0;) {
        follower *f = &p->followers[at - 1];
        uint32_t next = f->next;
        if (f->slice == p->n_slices) {
            p->keep[f->pos] &= keep != 0;
            p->undecided--;
        } else if (f->slice >= oldest) {
            held_slice *h = held_at(p, (uint32_t)(f->slice - oldest));
            h->keep[f->pos] &= keep != 0;
            h->undecided -= h->undecided > 0;
        }
        f->next = p->free_followers;
        p->free_followers = at;
        at = next;
    }
    tcf_map_remove(&p->requests, id, family);
}

/* ------------------------------------------------------------------------------------------------------ families -- */

/* A request is posted. It replaces an older one of the same id, whose records stay. */
static int post(place *p, uint64_t id, uint8_t family, uint64_t number, uint32_t pos)
{
    uint32_t first = find(p, id, family);

    if (first != TCF_MAP_ABSENT)
        decide(p, id, family, first, 1);
    int remembered = remember(p, id, family, 0);
    if (remembered <= 0)
        return remembered == 0 ? 1 : -1;
    first = add_follower(p, number, pos, 0);
    return first > 0 && tcf_map_put(&p->requests, id, family, first) == 0 ? 1 : -1;
}

/* A request is completed. Its records stay or go with the completion. */
static int complete(place *p, uint64_t id, uint8_t family, uint64_t number, int keep)
{
    uint32_t first = find(p, id, family);

    if (first != TCF_MAP_ABSENT)
        decide(p, id, family, first, keep || number - p->followers[first - 1].number > REQUEST_LOOKAHEAD);
    return keep;
}

static int send(place *p, uint64_t id, int keep)
{
    int is_known = find(p, id, SEND) != TCF_MAP_ABSENT;

    if (is_known && keep)
        tcf_map_remove(&p->requests, id, SEND);
    if (is_known || keep)
        return keep;
    return remember(p, id, SEND, 0) < 0 ? -1 : 0;
}

static int send_complete(place *p, uint64_t id)
{
    if (find(p, id, SEND) == TCF_MAP_ABSENT)
        return 1;
    tcf_map_remove(&p->requests, id, SEND);
    return 0;
}

static int test(place *p, uint64_t id, uint64_t number, uint32_t pos)
{
    uint32_t first = find(p, id, RECEIVE);

    if (first == TCF_MAP_ABSENT)
        first = find(p, id, COLLECTIVE);
    if (first == TCF_MAP_ABSENT)
        return find(p, id, SEND) == TCF_MAP_ABSENT;
    uint32_t at = add_follower(p, number, pos, p->followers[first - 1].next);
    if (at == 0)
        return -1;
    p->followers[first - 1].next = at;
    return 1;
}

static int cancel(place *p, uint64_t id)
{
    for (uint8_t family = RECEIVE; family <= COLLECTIVE; family++) {
        uint32_t first = find(p, id, family);
        if (first != TCF_MAP_ABSENT)
            decide(p, id, family, first, 1);
    }
    return send_complete(p, id);
}

/* ----------------------------------------------------------------------------------------------------- decisions -- */

static uint32_t field(const tcf_rec *rec, uint8_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)rec + offset - 1, sizeof value);
    return value;
}

static int keeps_comm(const state *st, const tcf_definitions *defs, uint32_t comm, int of_mpi)
{
    if (!st->comm)
        return 1;
    if (comm < defs->n_comms)
        return st->comm[comm];
    return !of_mpi || st->keep_other_comms;
}

/* The location of a rank as seen from `location`; TCF_NONE: unknown, or the location itself. */
static uint32_t partner(const tcf_definitions *defs, uint32_t location, uint32_t comm_index, uint32_t rank)
{
    const tcf_comm *comm = comm_index < defs->n_comms ? tcf_comm_at(defs, comm_index) : NULL;

    if (!comm || comm->self)
        return TCF_NONE;
    if (!comm->inter)
        return rank < comm->size ? comm->location[rank] : TCF_NONE;
    /* Ranks are those of the other side. */
    uint32_t me = defs->mpi_member[location];
    for (uint32_t r = 0; r < comm->remote_size && me != TCF_NONE; r++)
        if (comm->remote_location[r] == me)
            return rank < comm->size ? comm->location[rank] : TCF_NONE;
    return rank < comm->remote_size ? comm->remote_location[rank] : TCF_NONE;
}

static int keeps_message(const state *st, const tcf_definitions *defs, uint32_t location, uint32_t comm, uint32_t rank)
{
    if (!keeps_comm(st, defs, comm, 1))
        return 0;
    if (!st->partners)
        return 1;
    uint32_t other = partner(defs, location, comm, rank);
    return other >= defs->n_locations || st->location[other];
}

/* Records that name a communicator or a window, and are no part of a request. */
static int keeps_record(const state *st, const tcf_definitions *defs, uint32_t kind, const tcf_rec *rec)
{
    if (st->win_field[kind]) {
        uint32_t win = field(rec, st->win_field[kind]);
        return win >= defs->n_rma_wins || keeps_comm(st, defs, tcf_rma_win_at(defs, win)->comm, 0);
    }
    int of_mpi = kind == TCF_COMM_CREATE || kind == TCF_COMM_DESTROY || kind == TCF_MPI_COLLECTIVE_END ||
                 kind == TCF_NON_BLOCKING_COLLECTIVE_COMPLETE;
    return !st->comm_field[kind] || keeps_comm(st, defs, field(rec, st->comm_field[kind]), of_mpi);
}

int requests_keep(const tcf_self *self, place *p, const tcf_slice *s, uint32_t i)
{
    const state *st = self->state;
    const tcf_definitions *defs = self->defs;
    const tcf_rec *rec = &s->rec[i];
    uint64_t number = p->n_events + i;
    uint32_t l = s->location;

    p->keep[i] = 1; /* until the decision */
    switch (s->kind[i]) {
    case TCF_MPI_SEND:
        return keeps_message(st, defs, l, rec->mpi_send.communicator, rec->mpi_send.receiver);
    case TCF_MPI_RECV:
        return keeps_message(st, defs, l, rec->mpi_recv.communicator, rec->mpi_recv.sender);
    case TCF_MPI_ISEND:
        return send(p, rec->mpi_isend.request_id,
                    keeps_message(st, defs, l, rec->mpi_isend.communicator, rec->mpi_isend.receiver));
    case TCF_MPI_ISEND_COMPLETE:
        return send_complete(p, rec->mpi_isend_complete.request_id);
    case TCF_MPI_IRECV_REQUEST:
        return post(p, rec->mpi_irecv_request.request_id, RECEIVE, number, i);
    case TCF_MPI_IRECV:
        return complete(p, rec->mpi_irecv.request_id, RECEIVE, number,
                        keeps_message(st, defs, l, rec->mpi_irecv.communicator, rec->mpi_irecv.sender));
    case TCF_MPI_REQUEST_TEST:
        return test(p, rec->mpi_request_test.request_id, number, i);
    case TCF_MPI_REQUEST_CANCELLED:
        return cancel(p, rec->mpi_request_cancelled.request_id);
    case TCF_NON_BLOCKING_COLLECTIVE_REQUEST:
        return post(p, rec->non_blocking_collective_request.request_id, COLLECTIVE, number, i);
    case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
        return complete(p, rec->non_blocking_collective_complete.request_id, COLLECTIVE, number,
                        keeps_record(st, defs, s->kind[i], rec));
    case TCF_MPI_COLLECTIVE_BEGIN:
        return post(p, 0, BLOCKING, number, i);
    case TCF_MPI_COLLECTIVE_END:
        return complete(p, 0, BLOCKING, number, keeps_record(st, defs, s->kind[i], rec));
    case TCF_RMA_COLLECTIVE_BEGIN:
        return post(p, 0, RMA, number, i);
    case TCF_RMA_COLLECTIVE_END:
        return complete(p, 0, RMA, number, keeps_record(st, defs, s->kind[i], rec));
    default:
        return keeps_record(st, defs, s->kind[i], rec);
    }
}

void requests_free(place *p)
{
    tcf_map_free(&p->requests);
    free(p->followers);
    p->followers = NULL;
    p->n_followers = p->followers_capacity = p->free_followers = 0;
}
