/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* comm_matrix: messages and bytes from each process to each other one, as the senders and as the receivers recorded
 * them; one-sided operations; the bytes that each process moved in collective operations.
 *
 * Nothing is matched: a send counts for its sender, a receive for its receiver, so that a lost message shows as a
 * difference of the two. Memory is that of the pairs that exchange messages, at most max_pairs a location; nothing is
 * allocated for a single event. Partners beyond max_pairs are counted as one, so sums stay right. */
#include "comm_matrix.h"

#include <tcflow/grow.h>
#include <tcflow/times.h>

#include <stdlib.h>

/* ------------------------------------------------------------------------------------------------------ partners -- */

static uint32_t defined(uint32_t index, uint32_t n)
{
    return index < n ? index : UNKNOWN;
}

/* Does the group B of an inter-communicator hold the partners of a member? -1: it is in neither group. */
static int is_remote(const tcf_comm *c, uint32_t member)
{
    for (uint32_t r = 0; r < c->size && member != TCF_NONE; r++)
        if (c->location[r] == member)
            return 1;
    for (uint32_t r = 0; r < c->remote_size && member != TCF_NONE; r++)
        if (c->remote_location[r] == member)
            return 0;
    return -1;
}

/* The end that a record of the location names by a rank of a communicator. */
static uint32_t find_partner(const tcf_self *self, place *p, uint32_t location, uint32_t comm, uint32_t rank)
{
    const tcf_definitions *defs = self->defs;
    const state *st = self->state;
    const int by_process = ((const conf *)self->conf)->by == BY_PROCESS;
    if (comm >= defs->n_comms)
        return UNKNOWN;
    const tcf_comm *c = tcf_comm_at(defs, comm);
    if (c->self)
        return rank > 0     ? UNKNOWN
               : by_process ? process_end(st, location)
                            : defined(defs->mpi_member[location], defs->n_locations);
    if (c->inter && p->inter != comm + 1) {
        p->inter = comm + 1;
        p->remote = is_remote(c, defs->mpi_member[location]);
    }
    const int remote = c->inter ? p->remote : 0;
    if (remote < 0 || rank >= (remote ? c->remote_size : c->size))
        return UNKNOWN;
    const uint32_t partner = defined((remote ? c->remote_location : c->location)[rank], defs->n_locations);
    return by_process && partner != UNKNOWN ? process_end(st, partner) : partner;
}

/* ------------------------------------------------------------------------------------------------------ counting -- */

/* Where the messages with a partner are counted; NULL: out of memory. */
static pair *pair_with(place *p, uint32_t partner, uint32_t most)
{
    uint32_t at = tcf_map_get(&p->pair_of, partner, 0);
    if (at == TCF_MAP_ABSENT && p->n >= most && partner != BEYOND)
        return pair_with(p, BEYOND, most);
    if (at != TCF_MAP_ABSENT)
        return &p->pairs[at];
    if (TCF_GROW(&p->pairs, &p->capacity, p->n) != 0)
        return NULL;
    if (tcf_map_put(&p->pair_of, partner, 0, p->n) != 0)
        return NULL;
    p->pairs[p->n] = (pair){.partner = partner};
    return &p->pairs[p->n++];
}

/* Looks up the pair of a communicator and rank; -1: out of memory. */
static __attribute__((noinline)) int find_pair(const tcf_self *self, place *p, uint32_t location, uint32_t comm,
                                               uint32_t rank, recent *r)
{
    uint32_t most = (uint32_t)((const conf *)self->conf)->max_pairs;
    pair *x = pair_with(p, find_partner(self, p, location, comm, rank), most);
    if (!x)
        return -1;
    *r = (recent){.comm = comm, .rank = rank, .pair = (uint32_t)(x - p->pairs)};
    return 0;
}

static inline int count_message(const tcf_self *self, place *p, uint32_t location, int way, uint32_t comm,
                                uint32_t rank, uint64_t bytes)
{
    recent *r = &p->recent[(rank + 7 * comm) % RECENT];
    if (__builtin_expect(r->comm != comm || r->rank != rank || r->pair == TCF_NONE, 0) &&
        find_pair(self, p, location, comm, rank, r) != 0)
        return -1;
    flow *f = &p->pairs[r->pair].way[way];
    f->messages++;
    f->bytes = tcf_bytes_sum(f->bytes, bytes);
    return 0;
}

static int count_one_sided(const tcf_self *self, place *p, uint32_t location, int way, uint32_t window, uint32_t rank,
                           uint64_t bytes)
{
    const tcf_definitions *defs = self->defs;
    const uint32_t comm = window < defs->n_rma_wins ? tcf_rma_win_at(defs, window)->comm : TCF_NONE;
    return count_message(self, p, location, way, comm, rank, bytes);
}

static int count_atomic(const tcf_self *self, place *p, uint32_t location, const tcf_ev_rma_atomic *x)
{
    if (count_one_sided(self, p, location, ATOMIC, x->win, x->remote, x->bytes_sent) != 0)
        return -1;
    return x->bytes_received == 0 ? 0
                                  : count_one_sided(self, p, location, FETCHED, x->win, x->remote, x->bytes_received);
}

static inline void count_operation(place *p, uint8_t op, uint64_t sent, uint64_t received)
{
    operation *o = &p->operations[op < OPERATIONS ? op : OPERATIONS - 1];
    o->count++;
    o->sent = tcf_bytes_sum(o->sent, sent);
    o->received = tcf_bytes_sum(o->received, received);
}

static int start(place *p)
{
    p->recent = malloc(RECENT * sizeof *p->recent);
    for (uint32_t i = 0; p->recent && i < RECENT; i++)
        p->recent[i] = (recent){TCF_NONE, TCF_NONE, TCF_NONE};
    return p->recent ? 0 : -1;
}

static tcf_status matrix_slice(tcf_self *self, tcf_slice *s)
{
    const uint8_t *kind = s->kind;
    const uint32_t l = s->location;
    place *p = tcf_location_state(self, l);
    int failed = !p->recent && start(p) != 0;
    for (uint32_t i = 0; i < s->n && !failed; i++) {
        const tcf_rec *r = &s->rec[i];
        switch (kind[i]) {
        case TCF_MPI_SEND:
        case TCF_MPI_ISEND:
            failed =
                count_message(self, p, l, SENT, r->mpi_send.communicator, r->mpi_send.receiver, r->mpi_send.msg_length);
            break;
        case TCF_MPI_RECV:
        case TCF_MPI_IRECV:
            failed = count_message(self, p, l, RECEIVED, r->mpi_recv.communicator, r->mpi_recv.sender,
                                   r->mpi_recv.msg_length);
            break;
        case TCF_RMA_PUT:
            failed = count_one_sided(self, p, l, PUT, r->rma_put.win, r->rma_put.remote, r->rma_put.bytes);
            break;
        case TCF_RMA_GET:
            failed = count_one_sided(self, p, l, GOT, r->rma_get.win, r->rma_get.remote, r->rma_get.bytes);
            break;
        case TCF_RMA_ATOMIC:
            failed = count_atomic(self, p, l, &r->rma_atomic);
            break;
        case TCF_MPI_COLLECTIVE_END:
        case TCF_NON_BLOCKING_COLLECTIVE_COMPLETE:
            count_operation(p, r->mpi_collective_end.collective_op, r->mpi_collective_end.size_sent,
                            r->mpi_collective_end.size_received);
            break;
        default:
            break;
        }
    }
    return failed ? self->host->fail(self, "out of memory for %u partners of a location", p->n) : TCF_OK;
}

static tcf_status matrix_begin(tcf_self *self)
{
    if (tcf_processes_find(&((state *)self->state)->processes, self->defs) != 0)
        return self->host->fail(self, "out of memory for %u locations", self->defs->n_locations);
    return TCF_OK;
}

/* ------------------------------------------------------------------------------------------------------- domains -- */

/* By location with events: its number, its pairs, its operations. TCF_NONE is behind the last one. */
static tcf_status matrix_pack(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    const uint32_t none = TCF_NONE;
    for (uint32_t l = 0; l < self->defs->n_locations; l++) {
        const place *p = tcf_location_state(self, l);
        if (!p->recent)
            continue;
        host->put(pack, &l, sizeof l);
        host->put(pack, &p->n, sizeof p->n);
        host->put(pack, p->pairs, p->n * sizeof *p->pairs);
        host->put(pack, p->operations, sizeof p->operations);
    }
    host->put(pack, &none, sizeof none);
    return TCF_OK;
}

static tcf_status matrix_absorb(tcf_self *self, tcf_pack *pack)
{
    const tcf_host *host = self->host;
    uint32_t location;
    for (host->take(pack, &location, sizeof location); location < self->defs->n_locations;
         host->take(pack, &location, sizeof location)) {
        place *p = tcf_location_state(self, location);
        host->take(pack, &p->n, sizeof p->n);
        if (!(p->pairs = malloc((p->n + 1ul) * sizeof *p->pairs)))
            return host->fail(self, "out of memory for %u partners of a location", p->n);
        host->take(pack, p->pairs, p->n * sizeof *p->pairs);
        host->take(pack, p->operations, sizeof p->operations);
    }
    return TCF_OK;
}

/* --------------------------------------------------------------------------------------------------- description -- */

static void matrix_fini(tcf_self *self, int complete)
{
    state *st = self->state;
    (void)complete;
    for (uint32_t l = 0; self->location && self->defs && l < self->defs->n_locations; l++) {
        place *p = tcf_location_state(self, l);
        free(p->pairs);
        free(p->recent);
        tcf_map_free(&p->pair_of);
    }
    tcf_processes_free(&st->processes);
}

static const tcf_param params[] = {
    TCF_PARAM(conf, by, TCF_ENUM, "process", "What sends and receives: processes, or each location for itself",
              .choices = "process|location"),
    TCF_PARAM(conf, max_pairs, TCF_INT, "4096",
              "Partners of a location at most, each takes up to 200 bytes; those beyond are counted as one", .min = "1",
              .max = "16777216"),
};

TCF_FILTER = {
    .head = TCF_FILTER_HEAD,
    .name = "comm_matrix",
    .version = "1.0",
    .summary = "Who sends how much to whom: messages, one-sided operations and bytes by pair of processes; totals by "
               "process (comm_by_process); collectives",
    .topic = TCF_TOPIC_STATISTICS,
    .help =
        "A message that is sent is a record MPI_SEND or MPI_ISEND, one that is received an MPI_RECV or MPI_IRECV (the "
        "completion); bytes are those of the record. Each side is counted for itself and nothing is matched, so a lost "
        "or cut off message shows as more sent than received. Ranks are those of the world, positions in MPI's list of "
        "processes, whatever communicator a message went through; a process is a location group, all of its threads "
        "together. Where a group has several ranks (threads as ranks, as in AMPI or MPC) each rank is a process, and "
        "all other threads of the group are one without a rank. Rank -1: the record names a rank that its communicator "
        "does not have, or the process takes no part in MPI.\n\n"
        "With by = location the rows are locations. A record names its partner by rank only, so the other end is the "
        "location that stands for this rank in MPI's list of processes, whatever thread it was.\n\n"
        "One-sided operations have columns of their own: an RMA_PUT moves its bytes from the location that recorded it "
        "to the rank that it names, in the communicator of its window, an RMA_GET the other way round; an RMA_ATOMIC "
        "moves bytes_sent there and bytes_received back, and counts in the row of the first way. Only the origin "
        "records them. Copies to and from accelerators, which some measurement systems record like this, are of a "
        "process with itself.\n\n"
        "Tables: comm_matrix has the pairs that exchanged anything; processes the totals of each rank and of each "
        "other process that communicated (comm_by_process elsewhere), one-sided operations at their origin; "
        "collectives what each moved by operation, as MPI_COLLECTIVE_END and NON_BLOCKING_COLLECTIVE_COMPLETE state "
        "it. Messages over time are in message_histogram.",
    .params = TCF_ROWS(params),
    .conf_size = sizeof(conf),
    .state_size = sizeof(state),
    .location_size = sizeof(place),
    .location_more = 896,
    .can = TCF_CAN_REPORT | TCF_CAN_DOMAINS,
    .slice = matrix_slice,
    .begin = matrix_begin,
    .end = matrix_report,
    .fini = matrix_fini,
    .pack = matrix_pack,
    .absorb = matrix_absorb,
};
