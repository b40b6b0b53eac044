/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which records stay when communicators are selected, or messages by the location of their other end.
 *
 * A send says at once where it belongs, and its completion shares its fate. A posted receive, a non-blocking or begun
 * collective operation says it only with its completion: until then the records of the posting stand undecided in
 * slices that are held. What isn't completed within REQUEST_LOOKAHEAD events stays, as it does when it is never
 * completed or is cancelled. So the result depends on the trace alone, not on the size of slices. */
#include "select.h"

#include <tcflow/grow.h>

#include <stdlib.h>
#include <string.h>

enum { FREE, RECEIVE, SEND, COLLECTIVE, BLOCKING, RMA }; /* families; of the last two one is open at a time */

/* MOST: requests remembered of a location. Only sends whose completion is never recorded come near it. */
enum { FIRST_REQUESTS = 32, MOST_REQUESTS = 1 << 16 };

/* --------------------------------------------------------------------------------------------- table of requests -- */

static uint32_t home(const place *p, uint64_t id, uint8_t family)
{
    return (uint32_t)((id * 8 + family) * 0x9e3779b97f4a7c15u >> 40) & (p->requests_capacity - 1);
}

static request *find(const place *p, uint64_t id, uint8_t family)
{
    if (p->n_requests == 0)
        return NULL;
    for (uint32_t at = home(p, id, family);; at = (at + 1) & (p->requests_capacity - 1)) {
        request *r = &p->requests[at];
        if (r->family == FREE)
            return NULL;
        if (r->id == id && r->family == family)
            return r;
    }
}

static int grow(place *p)
{
    uint32_t old = p->requests_capacity, capacity = old ? 2 * old : FIRST_REQUESTS;
    request *before = p->requests, *requests = calloc(capacity, sizeof *requests);

    if (!requests)
        return -1;
    p->requests = requests;
    p->requests_capacity = capacity;
    for (uint32_t i = 0; i < old; i++) {
        if (before[i].family == FREE)
            continue;
        uint32_t at = home(p, before[i].id, before[i].family);
        while (requests[at].family != FREE)
            at = (at + 1) & (capacity - 1);
        requests[at] = before[i];
    }
    free(before);
    return 0;
}

/* Takes away an entry; those behind it that would no longer be found move up. */
static void forget(place *p, request *gone)
{
    uint32_t mask = p->requests_capacity - 1, hole = (uint32_t)(gone - p->requests);

    for (uint32_t at = (hole + 1) & mask; p->requests[at].family != FREE; at = (at + 1) & mask) {
        uint32_t wanted = home(p, p->requests[at].id, p->requests[at].family);
        if (((at - wanted) & mask) < ((at - hole) & mask))
            continue;
        p->requests[hole] = p->requests[at];
        hole = at;
    }
    p->requests[hole].family = FREE;
    p->n_requests--;
}

/* A new entry; NULL: out of memory, or too many (then *full is 1). */
static request *remember(place *p, uint64_t id, uint8_t family, int *full)
{
    *full = p->n_requests >= MOST_REQUESTS;
    if (*full) {
        p->forgotten++;
        return NULL;
    }
    if (p->n_requests * 2 >= p->requests_capacity && grow(p) != 0)
        return NULL;
    uint32_t at = home(p, id, family);
    while (p->requests[at].family != FREE)
        at = (at + 1) & (p->requests_capacity - 1);
    p->requests[at] = (request){.id = id, .family = family};
    p->n_requests++;
    return &p->requests[at];
}

/* ----------------------------------------------------------------------------------------------------- followers -- */

/* One more record that waits for the request to be decided. -1: out of memory. */
static int follow(place *p, request *r, uint32_t pos)
{
    uint32_t at = p->free_followers;

    if (at == 0) {
        if (TCF_GROW(&p->followers, &p->followers_capacity, p->n_followers) != 0)
            return -1;
        at = ++p->n_followers;
    } else {
        p->free_followers = p->followers[at - 1].next;
    }
    p->followers[at - 1] = (follower){.next = r->first, .pos = pos, .slice = p->n_slices};
    r->first = at;
    p->undecided++;
    return 0;
}

/* The request is decided, and with it all that follow it; those in slices that have gone on have stayed. */
static void decide(place *p, request *r, int keep)
{
    uint64_t oldest = p->n_slices - p->n_held;

    for (uint32_t at = r->first; at != 0;) {
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
    forget(p, r);
}

/* ------------------------------------------------------------------------------------------------------ families -- */

/* A request is posted. It replaces an older one of the same id, whose records stay. */
static int post(place *p, uint64_t id, uint8_t family, uint64_t number, uint32_t pos)
{
    request *r = find(p, id, family);
    int full;

    if (r)
        decide(p, r, 1);
    r = remember(p, id, family, &full);
    if (!r)
        return full ? 1 : -1;
    r->number = number;
    return follow(p, r, pos) == 0 ? 1 : -1;
}

/* It is completed: its posting stays or goes with the completion. */
static int complete(place *p, uint64_t id, uint8_t family, uint64_t number, int keep)
{
    request *r = find(p, id, family);

    if (r)
        decide(p, r, keep || number - r->number > REQUEST_LOOKAHEAD);
    return keep;
}

static int send(place *p, uint64_t id, int keep)
{
    request *r = find(p, id, SEND);
    int full;

    if (r && keep)
        forget(p, r);
    if (r || keep)
        return keep;
    r = remember(p, id, SEND, &full);
    if (!r)
        return full ? 0 : -1;
    r->dropped = 1;
    return 0;
}

static int send_complete(place *p, uint64_t id)
{
    request *r = find(p, id, SEND);

    if (!r)
        return 1;
    forget(p, r);
    return 0;
}

static int test(place *p, uint64_t id, uint32_t pos)
{
    request *r = find(p, id, RECEIVE);

    if (!r)
        r = find(p, id, COLLECTIVE);
    if (r)
        return follow(p, r, pos) == 0 ? 1 : -1;
    return find(p, id, SEND) == NULL;
}

static int cancel(place *p, uint64_t id)
{
    request *r = find(p, id, RECEIVE);

    if (r)
        decide(p, r, 1);
    if ((r = find(p, id, COLLECTIVE)) != NULL)
        decide(p, r, 1);
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
        return test(p, rec->mpi_request_test.request_id, i);
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
    free(p->requests);
    free(p->followers);
    p->requests = NULL;
    p->followers = NULL;
    p->n_requests = p->requests_capacity = p->n_followers = p->followers_capacity = p->free_followers = 0;
}
