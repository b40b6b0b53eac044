/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Point-to-point messages of random traces: posting, matching, completing.
 *
 * A channel is (communicator, sender, receiver, tag) with world ranks, the unit in which MPI promises
 * order. A send takes the oldest open receive of its channel or waits there; a receive takes the
 * oldest message or, when it is non-blocking, waits there. Threads of one rank that share a channel
 * post on it at different times, so that the trace shows who was first. */
#include "random_trace_world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STAR_TAG = 50, UNIQUE_TAG = 1000 };
#define PERSISTENT_IDS (UINT64_C(1) << 60) /* above all ids of other requests */

struct open_receive {
    struct location *location;
    uint64_t serial;
};

struct channel {
    const struct comm *comm;
    uint32_t source, target, tag; /* world ranks */
    struct turn sends, receives;
    uint64_t last_arrival;
    struct message *messages; /* sent, not received: a queue */
    uint32_t first_message, message_count, message_capacity;
    struct open_receive *open; /* posted, not sent */
    uint32_t first_open, open_count, open_capacity;
};

/* What becomes of a message. */
struct fate {
    bool lose_send, lose_receive, never_complete;
};

/* One message: the two members and the threads that speak for them. */
struct pair {
    const struct comm *comm;
    uint32_t source, target; /* members */
    struct location *from, *to;
    uint32_t tag;
};

/* ---- channels ---- */

static uint32_t world_rank(const struct pair *p, bool target)
{
    return (target ? p->to : p->from)->rank;
}

static size_t hash(const struct comm *comm, uint32_t source, uint32_t target, uint32_t tag)
{
    uint64_t x = ((uint64_t)comm->number * 4099 + source) * 4099 + target;

    x = (x * 0x100000001b3u + tag) * 0x9e3779b97f4a7c15u;
    return (size_t)(x >> 20);
}

static struct channel **find_slot(const struct world *w, const struct comm *comm, uint32_t source, uint32_t target,
                                  uint32_t tag)
{
    size_t i = hash(comm, source, target, tag) & (w->channel_capacity - 1);

    for (;; i = (i + 1) & (w->channel_capacity - 1)) {
        struct channel *c = w->channels[i];
        if (c == NULL || (c->comm == comm && c->source == source && c->target == target && c->tag == tag))
            return &w->channels[i];
    }
}

static bool grow_table(struct world *w)
{
    struct channel **old = w->channels;
    size_t old_capacity = w->channel_capacity;
    size_t capacity = old_capacity ? 2 * old_capacity : 1024;

    w->channels = calloc(capacity, sizeof *w->channels);
    if (w->channels == NULL) {
        w->channels = old;
        return false;
    }
    w->channel_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            *find_slot(w, old[i]->comm, old[i]->source, old[i]->target, old[i]->tag) = old[i];
    free(old);
    return true;
}

static void out_of_memory(void)
{
    fprintf(stderr, "random_trace: out of memory\n");
    abort(); /* a test program: nothing to save */
}

static struct channel *channel(struct world *w, const struct pair *p)
{
    if (2 * w->channel_count >= w->channel_capacity && !grow_table(w))
        out_of_memory();
    struct channel **slot = find_slot(w, p->comm, world_rank(p, false), world_rank(p, true), p->tag);
    if (*slot != NULL)
        return *slot;
    *slot = calloc(1, sizeof **slot);
    if (*slot == NULL)
        out_of_memory();
    (*slot)->comm = p->comm;
    (*slot)->source = world_rank(p, false);
    (*slot)->target = world_rank(p, true);
    (*slot)->tag = p->tag;
    w->channel_count++;
    return *slot;
}

void rt_free_channels(struct world *w)
{
    for (size_t i = 0; i < w->channel_capacity; i++)
        if (w->channels[i] != NULL) {
            free(w->channels[i]->messages);
            free(w->channels[i]->open);
            free(w->channels[i]);
        }
    free(w->channels);
}

/* Makes room at the end of a queue; what was taken from its front goes first. */
static void *make_room(void *items, size_t size, uint32_t *first, uint32_t count, uint32_t *capacity)
{
    if (*first + count < *capacity)
        return items;
    if (*first > 0 && *first >= count) {
        memmove(items, (char *)items + *first * size, count * size);
        *first = 0;
        return items;
    }
    *capacity = *capacity ? 2 * *capacity : 4;
    items = realloc(items, *capacity * size);
    if (items == NULL)
        out_of_memory();
    return items;
}

/* A channel that holds messages is listed at its receiver, once a message. */
static void note_pending(struct world *w, struct channel *c)
{
    struct rank *rank = &w->ranks[c->target];

    if (rank->pending_count == rank->pending_capacity) {
        rank->pending_capacity = rank->pending_capacity ? 2 * rank->pending_capacity : 16;
        rank->pending = realloc(rank->pending, rank->pending_capacity * sizeof *rank->pending);
        if (rank->pending == NULL)
            out_of_memory();
    }
    rank->pending[rank->pending_count++] = c;
}

static struct request *find_request(struct location *l, uint64_t serial)
{
    for (uint32_t i = 0; i < l->outstanding; i++)
        if (l->requests[i].serial == serial)
            return &l->requests[i];
    return NULL;
}

static void fill(struct request *request, const struct message *message)
{
    request->message = *message;
    request->ready = message->arrival;
}

static void deliver(struct world *w, struct channel *c, const struct message *message)
{
    if (c->open_count > 0) {
        struct open_receive o = c->open[c->first_open++];
        c->open_count--;
        struct request *request = find_request(o.location, o.serial);
        if (request != NULL)
            fill(request, message);
        return;
    }
    c->messages =
        make_room(c->messages, sizeof *c->messages, &c->first_message, c->message_count, &c->message_capacity);
    c->messages[c->first_message + c->message_count++] = *message;
    note_pending(w, c);
}

static struct message take(struct channel *c)
{
    c->message_count--;
    return c->messages[c->first_message++];
}

/* ---- events ---- */

/* Where a trace shows when calls were recorded, not when they were made, one thread may be first and seem second. */
static void take_turn(struct world *w, const struct turn *side, struct location *l)
{
    if (!rt_has(w, RT_CROSSED) || rt_chance(w, 0.8))
        rt_take_turn(w, side, l);
}

static struct fate pick_fate(struct world *w)
{
    const struct random_trace_options *o = w->options;

    return (struct fate){rt_chance(w, o->lose_sends), rt_chance(w, o->lose_receives), rt_chance(w, o->never_complete)};
}

static bool spared(const struct fate *f)
{
    return !f->lose_send && !f->lose_receive && !f->never_complete;
}

/* Where every loss must be decidable, only channels of their own lose messages (see op_message). */
static struct fate pick_ordinary_fate(struct world *w)
{
    return w->options->ambiguous_loss ? pick_fate(w) : (struct fate){false, false, false};
}

static uint64_t pick_bytes(struct world *w)
{
    return rt_chance(w, 0.1) ? 0 : rt_below(w, UINT32_C(1) << (1 + rt_below(w, 20)));
}

/* Records the send and delivers the message. A REQUEST makes it an Isend. */
static void send(struct world *w, const struct pair *p, struct request *request, struct fate fate)
{
    struct channel *c = channel(w, p);
    struct location *l = p->from;
    struct message m = {.source = l, .source_index = -1, .bytes = pick_bytes(w), .lost_receive = fate.lose_receive};
    uint32_t receiver = rt_member_rank(p->comm, p->target);
    uint32_t ref = rt_comm_ref(w, p->comm, l->rank);

    m.sender = rt_member_rank(p->comm, p->source);
    take_turn(w, &c->sends, l);
    if (fate.lose_send)
        ;
    else if (request != NULL)
        m.source_index = RT_PUT(w, l, MpiIsend, receiver, ref, p->tag, m.bytes, request->id);
    else
        m.source_index = RT_PUT(w, l, MpiSend, receiver, ref, p->tag, m.bytes);
    rt_had_turn(w, &c->sends, l);
    m.arrival = l->now + rt_latency(w, l->rank, p->to->rank);
    if (m.arrival < c->last_arrival) /* one does not overtake the other */
        m.arrival = c->last_arrival;
    c->last_arrival = m.arrival;
    if (request != NULL) {
        request->comm = p->comm;
        request->ready = l->now + rt_below(w, 5000);
    }
    deliver(w, c, &m);
}

static void tell_truth(struct world *w, const struct comm *comm, const struct message *m, const struct location *l,
                       int64_t index)
{
    if (m->source_index >= 0 && index >= 0) {
        rt_edge(w, "p2p", comm->number, m->source, m->source_index, l, index);
        w->messages++;
    } else if (m->source_index >= 0) {
        fprintf(w->truth, "unmatched,%" PRIu32 ",%" PRIu64 ",%" PRId64 "\n", comm->number, m->source->ref,
                m->source_index);
    } else if (index >= 0) {
        fprintf(w->truth, "unmatched,%" PRIu32 ",%" PRIu64 ",%" PRId64 "\n", comm->number, l->ref, index);
    }
}

/* The receive event of a blocking call, for the oldest message of the channel. */
static void receive(struct world *w, struct channel *c, struct location *l)
{
    struct message m = take(c);
    int64_t index = -1;

    rt_wait_until(l, m.arrival);
    take_turn(w, &c->receives, l);
    if (!m.lost_receive)
        index = RT_PUT(w, l, MpiRecv, m.sender, rt_comm_ref(w, c->comm, l->rank), c->tag, m.bytes);
    rt_had_turn(w, &c->receives, l);
    tell_truth(w, c->comm, &m, l, index);
}

static void call_receive(struct world *w, struct channel *c, struct location *l)
{
    rt_enter(w, l, R_RECV);
    receive(w, c, l);
    rt_leave(w, l);
}

/* ---- requests ---- */

/* Either a running number, or what looks like an address and is used again as soon as it is free. */
static uint64_t new_request_id(struct world *w, uint32_t rank)
{
    struct rank *r = &w->ranks[rank];
    uint64_t id = r->next_request;

    if (id < UINT64_C(100000000000000))
        return r->next_request++;
    for (bool used = true; used; id += used ? 4096 : 0) {
        used = false;
        for (uint32_t s = 0; s < SLOTS; s++)
            for (uint32_t i = 0; i < r->threads[s].outstanding; i++)
                used = used || r->threads[s].requests[i].id == id;
    }
    return id;
}

struct request *rt_new_request(struct world *w, struct location *l, enum request_kind kind)
{
    if (l->outstanding == MAX_OUTSTANDING)
        rt_complete_all(w, l);
    uint64_t id = new_request_id(w, l->rank);
    struct request *request = &l->requests[l->outstanding++];
    *request =
        (struct request){.kind = kind, .id = id, .serial = w->next_serial++, .posted = l->events, .ready = UINT64_MAX};
    return request;
}

/* Records MPI_IRECV_REQUEST. */
static void record_receive(struct world *w, struct location *l, struct request *request, const struct comm *comm,
                           uint32_t tag, struct channel *c, bool never_complete)
{
    request->comm = comm;
    request->tag = tag;
    request->member = never_complete; /* unused by receives otherwise */
    if (c != NULL)
        take_turn(w, &c->receives, l);
    RT_PUT(w, l, MpiIrecvRequest, request->id);
    if (c != NULL)
        rt_had_turn(w, &c->receives, l);
    if (c != NULL && c->message_count > 0) {
        struct message m = take(c);
        fill(request, &m);
    } else if (c != NULL) {
        c->open = make_room(c->open, sizeof *c->open, &c->first_open, c->open_count, &c->open_capacity);
        c->open[c->first_open + c->open_count++] = (struct open_receive){l, request->serial};
    }
}

/* A call of its own. C == NULL: from any source, whoever posts it gives it a message later. */
static struct request *post_receive(struct world *w, struct location *l, const struct comm *comm, uint32_t tag,
                                    struct channel *c, bool never_complete)
{
    struct request *request = rt_new_request(w, l, REQUEST_RECEIVE);

    rt_enter(w, l, R_IRECV);
    record_receive(w, l, request, comm, tag, c, never_complete);
    rt_leave(w, l);
    return request;
}

static void complete_receive(struct world *w, struct location *l, const struct request *r)
{
    const struct message *m = &r->message;
    int64_t index = -1;

    if (!m->lost_receive && !r->member)
        index = RT_PUT(w, l, MpiIrecv, m->sender, rt_comm_ref(w, r->comm, l->rank), r->tag, m->bytes, r->id);
    tell_truth(w, r->comm, m, l, index);
}

/* Completes and forgets the I-th request in a Wait or Test call of its thread or, but for collectives, of another. */
static void complete_by(struct world *w, struct location *l, uint32_t i, struct location *by)
{
    struct request r = l->requests[i];

    by = r.kind == REQUEST_COLLECTIVE ? l : by;
    rt_wait_until(by, r.ready);
    switch (r.kind) {
    case REQUEST_SEND:
        RT_PUT(w, by, MpiIsendComplete, r.id);
        break;
    case REQUEST_RECEIVE:
        complete_receive(w, by, &r);
        break;
    case REQUEST_COLLECTIVE:
        rt_finish_collective(w, by, &r);
        break;
    }
    l->outstanding--;
    memmove(&l->requests[i], &l->requests[i + 1], (l->outstanding - i) * sizeof r);
}

static void complete(struct world *w, struct location *l, uint32_t i)
{
    complete_by(w, l, i, l);
}

static bool known(const struct request *r)
{
    return r->ready != UINT64_MAX;
}

/* The requests that will complete some day, in a random or in their own order. */
static uint32_t completable(struct world *w, const struct location *l, uint64_t serials[MAX_OUTSTANDING])
{
    uint32_t order[MAX_OUTSTANDING], n = 0;

    for (uint32_t i = 0; i < l->outstanding; i++)
        if (known(&l->requests[i]))
            order[n++] = i;
    if (rt_chance(w, 0.5))
        rt_shuffle(w, order, n);
    for (uint32_t i = 0; i < n; i++)
        serials[i] = l->requests[order[i]].serial;
    return n;
}

static void complete_serial(struct world *w, struct location *l, uint64_t serial)
{
    complete(w, l, (uint32_t)(find_request(l, serial) - l->requests));
}

void rt_complete_all(struct world *w, struct location *l)
{
    uint64_t serials[MAX_OUTSTANDING];
    uint32_t n = completable(w, l, serials);

    if (n == 0)
        return;
    rt_enter(w, l, R_WAITALL);
    for (uint32_t i = 0; i < n; i++)
        complete_serial(w, l, serials[i]);
    rt_leave(w, l);
}

void rt_complete_rank(struct world *w, uint32_t rank)
{
    for (uint32_t s = 0; s < SLOTS; s++)
        if (s == SLOT_MASTER || s == SLOT_MPI || rt_thread(w, rank, s)->outstanding > 0)
            rt_complete_all(w, rt_thread(w, rank, s));
}

/* Waitany takes the first that is ready, Waitsome all that are ready by then. */
static void wait_for_first(struct world *w, struct location *l, bool some)
{
    uint64_t first = UINT64_MAX;

    for (uint32_t i = 0; i < l->outstanding; i++)
        if (l->requests[i].ready < first)
            first = l->requests[i].ready;
    rt_enter(w, l, some ? R_WAITSOME : R_WAITANY);
    rt_wait_until(l, first);
    uint64_t until = some ? l->now : first;
    for (uint32_t i = l->outstanding; i-- > 0;) /* the last posted first */
        if (l->requests[i].ready <= until) {
            complete(w, l, i);
            if (!some)
                break;
        }
    rt_leave(w, l);
}

/* Tests a few times in vain, then successfully. */
static void test(struct world *w, struct location *l, uint64_t serial)
{
    for (int i = 0; i < 3 && find_request(l, serial)->ready > l->now; i++) {
        rt_enter(w, l, R_TEST);
        RT_PUT(w, l, MpiRequestTest, find_request(l, serial)->id);
        rt_leave(w, l);
        rt_work(w, l);
    }
    rt_wait_until(l, find_request(l, serial)->ready);
    rt_enter(w, l, R_TEST);
    complete_serial(w, l, serial);
    rt_leave(w, l);
}

static void wait_for(struct world *w, struct location *l, uint64_t serial)
{
    struct location *by = rt_has(w, RT_CROSSED) ? rt_pick_thread(w, l->rank) : l;
    struct request *r = find_request(l, serial);

    by = r->kind == REQUEST_COLLECTIVE ? l : by;
    rt_wait_until(by, l->now);
    rt_enter(w, by, R_WAIT);
    complete_by(w, l, (uint32_t)(r - l->requests), by);
    rt_leave(w, by);
}

static void complete_some(struct world *w, struct location *l)
{
    uint64_t serials[MAX_OUTSTANDING];
    uint32_t n = completable(w, l, serials);

    if (n == 0)
        return;
    switch (rt_below(w, 5)) {
    case 0:
        wait_for(w, l, serials[0]);
        break;
    case 1:
        rt_complete_all(w, l);
        break;
    case 2:
        wait_for_first(w, l, false);
        break;
    case 3:
        wait_for_first(w, l, true);
        break;
    default:
        test(w, l, serials[n - 1]);
        break;
    }
}

struct location *rt_pick_thread(struct world *w, uint32_t rank)
{
    struct location *mpi = rt_thread(w, rank, SLOT_MPI);

    if (rt_has(w, RT_ANY_THREAD) && w->team_size > 0 && w->team_rank == rank && rt_chance(w, 0.7))
        return rt_thread(w, rank, rt_team_slot(w, w->team_size, rt_below(w, w->team_size)));
    return mpi->writer != NULL && rt_chance(w, 0.35) ? mpi : rt_thread(w, rank, SLOT_MASTER);
}

void rt_op_complete(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks);

    for (uint32_t i = 0; i < w->options->ranks && i < 8; i++) {
        struct location *l = rt_pick_thread(w, (rank + i) % w->options->ranks);
        if (l->outstanding > 0) {
            complete_some(w, l);
            return;
        }
    }
}

void rt_complete_old(struct world *w)
{
    for (uint32_t r = 0; r < w->options->ranks; r++)
        for (uint32_t s = SLOT_MASTER; s < SLOTS; s++) {
            struct location *l = rt_thread(w, r, s);
            if (l->outstanding > 0 && l->events - l->requests[0].posted > w->options->max_delay)
                rt_complete_all(w, l);
        }
}

/* ---- operations ---- */

/* In an inter-communicator the partner is in the other group. */
static void pick_pair(struct world *w, const struct comm *comm, struct pair *p)
{
    p->comm = comm;
    p->source = rt_below(w, comm->size);
    if (!comm->inter)
        p->target = rt_chance(w, 0.05) ? p->source : rt_below(w, comm->size);
    else if (p->source < comm->size_a)
        p->target = comm->size_a + rt_below(w, comm->size - comm->size_a);
    else
        p->target = rt_below(w, comm->size_a);
    uint32_t self = rt_below(w, w->options->ranks);
    p->from = rt_pick_thread(w, comm->self ? self : comm->member[p->source]);
    p->to = rt_pick_thread(w, comm->self ? self : comm->member[p->target]);
    p->tag = rt_below(w, TAGS);
}

/* A synchronous send can be left when the receive has begun. */
static void leave_send(struct world *w, struct location *l, bool synchronous, const struct location *receiver)
{
    if (synchronous)
        rt_wait_until(l, receiver->now + rt_latency(w, receiver->rank, l->rank));
    rt_leave(w, l);
}

void rt_op_message(struct world *w)
{
    bool nonblocking = rt_has(w, RT_NONBLOCKING);
    struct pair p;
    struct fate fate = pick_fate(w);
    uint32_t which = rt_has(w, RT_SELF) && rt_chance(w, 0.05) ? 1 : rt_pick_comm(w, 2, false);

    if (w->comms[which].size < 2 && which != 1)
        return; /* a single rank */
    pick_pair(w, &w->comms[which], &p);
    if (!w->options->ambiguous_loss && !spared(&fate))
        p.tag = w->next_unique_tag++;
    rt_work(w, p.from);
    rt_work(w, p.to);

    struct channel *c = channel(w, &p);
    bool isend = nonblocking && rt_chance(w, 0.5);
    bool irecv = nonblocking && (fate.never_complete || rt_chance(w, 0.5));
    bool early = irecv && rt_chance(w, 0.5);
    bool now = irecv || rt_chance(w, 0.6);
    bool synchronous = !isend && now && c->message_count == 0 && p.from != p.to && rt_chance(w, 0.3);
    static const uint32_t modes[3] = {R_SEND, R_BSEND, R_RSEND};

    if (p.from->outstanding + 2 > MAX_OUTSTANDING)
        rt_complete_all(w, p.from);
    if (p.to->outstanding + 2 > MAX_OUTSTANDING)
        rt_complete_all(w, p.to);
    if (early)
        post_receive(w, p.to, p.comm, p.tag, c, fate.never_complete);
    struct request *request = isend ? rt_new_request(w, p.from, REQUEST_SEND) : NULL;
    rt_enter(w, p.from, isend ? R_ISEND : synchronous ? R_SSEND : modes[rt_below(w, 3)]);
    send(w, &p, request, fate);
    if (!synchronous)
        rt_leave(w, p.from);
    if (irecv && !early)
        post_receive(w, p.to, p.comm, p.tag, c, fate.never_complete);
    else if (now && !irecv)
        call_receive(w, c, p.to);
    if (synchronous)
        leave_send(w, p.from, true, p.to);
}

/* All members shift to the right: MPI_SEND and MPI_RECV inside one region. */
void rt_op_sendrecv(struct world *w)
{
    const struct comm *comm = &w->comms[rt_pick_comm(w, 2, true)];
    uint32_t n = comm->size, tag = rt_below(w, TAGS);
    uint32_t distance = 1 + (n > 1 ? rt_below(w, n - 1) : 0);

    if (comm->self)
        return;
    for (uint32_t i = 0; i < n; i++) {
        struct pair p = {comm,
                         i,
                         (i + distance) % n,
                         rt_thread(w, comm->member[i], SLOT_MASTER),
                         rt_thread(w, comm->member[(i + distance) % n], SLOT_MASTER),
                         tag};
        rt_work(w, p.from);
        rt_enter(w, p.from, R_SENDRECV);
        send(w, &p, NULL, pick_ordinary_fate(w));
    }
    for (uint32_t i = 0; i < n; i++) {
        struct pair p = {comm, (i + n - distance % n) % n, i, NULL, rt_thread(w, comm->member[i], SLOT_MASTER), tag};
        p.from = rt_thread(w, comm->member[p.source], SLOT_MASTER);
        receive(w, channel(w, &p), p.to);
        rt_leave(w, p.to);
    }
}

/* Every member exchanges with both neighbours, non-blocking. Often completed only by later operations. */
void rt_op_halo(struct world *w)
{
    const struct comm *comm = &w->comms[rt_pick_comm(w, 2, true)];
    uint32_t n = comm->size, tag = rt_below(w, TAGS);
    bool complete_now = rt_chance(w, 0.5);

    if (comm->self)
        return;
    for (uint32_t i = 0; i < n; i++) {
        struct location *l = rt_thread(w, comm->member[i], SLOT_MASTER);
        rt_complete_all(w, l);
        rt_work(w, l);
        for (uint32_t side = 1; side <= 2; side++) {
            uint32_t other = (side == 1 ? i + n - 1 : i + 1) % n;
            struct pair p = {comm, other, i, rt_thread(w, comm->member[other], SLOT_MASTER), l, tag + side};
            post_receive(w, l, comm, p.tag, channel(w, &p), pick_ordinary_fate(w).never_complete);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t side = 1; side <= 2; side++) {
            uint32_t other = (side == 1 ? i + 1 : i + n - 1) % n;
            struct pair p = {comm,
                             i,
                             other,
                             rt_thread(w, comm->member[i], SLOT_MASTER),
                             rt_thread(w, comm->member[other], SLOT_MASTER),
                             tag + side};
            struct request *request = rt_new_request(w, p.from, REQUEST_SEND);
            rt_enter(w, p.from, R_ISEND);
            send(w, &p, request, pick_ordinary_fate(w));
            rt_leave(w, p.from);
        }
    for (uint32_t i = 0; i < n && complete_now; i++)
        rt_complete_all(w, rt_thread(w, comm->member[i], SLOT_MASTER));
}

/* One of four persistent requests of a member: 0 and 1 receive from its neighbours, 2 and 3 send to them. */
static void start_request(struct world *w, const struct comm *comm, uint32_t i, uint32_t which)
{
    uint32_t n = comm->size, side = 1 + which % 2;
    uint32_t other = ((which == 0 || which == 3) ? i + n - 1 : i + 1) % n;
    struct location *l = rt_thread(w, comm->member[i], SLOT_MASTER);
    struct location *partner = rt_thread(w, comm->member[other], SLOT_MASTER);
    struct request *request = rt_new_request(w, l, which < 2 ? REQUEST_RECEIVE : REQUEST_SEND);
    struct pair p =
        which < 2 ? (struct pair){comm, other, i, partner, l, side} : (struct pair){comm, i, other, l, partner, side};

    request->id = PERSISTENT_IDS + 4 * comm->number + which;
    if (which < 2)
        record_receive(w, l, request, comm, p.tag, channel(w, &p), pick_ordinary_fate(w).never_complete);
    else
        send(w, &p, request, pick_ordinary_fate(w));
}

/* Every member exchanges with both neighbours by its persistent requests, which have the same ids each time: all
 * started in one call, or each in its own. Completed here or by later operations, before they are started again. */
void rt_op_persistent(struct world *w)
{
    const struct comm *comm = &w->comms[rt_pick_comm(w, 2, true)];
    bool in_one = rt_chance(w, 0.6), complete_now = rt_chance(w, 0.4);

    if (comm->self)
        return;
    for (uint32_t i = 0; i < comm->size; i++)
        rt_complete_all(w, rt_thread(w, comm->member[i], SLOT_MASTER));
    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = rt_thread(w, comm->member[i], SLOT_MASTER);
        uint32_t order[4] = {0, 1, 2, 3};
        rt_shuffle(w, order, 4);
        rt_work(w, l);
        if (in_one)
            rt_enter(w, l, R_STARTALL);
        for (uint32_t k = 0; k < 4; k++) {
            if (!in_one)
                rt_enter(w, l, R_START);
            start_request(w, comm, i, order[k]);
            if (!in_one)
                rt_leave(w, l);
        }
        if (in_one)
            rt_leave(w, l);
    }
    for (uint32_t i = 0; i < comm->size && complete_now; i++)
        rt_complete_all(w, rt_thread(w, comm->member[i], SLOT_MASTER));
}

struct arrival {
    struct channel *channel;
    uint64_t time;
    uint32_t order;
};

static int by_arrival(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

/* Everybody sends ROUNDS messages to the root, which receives them as they come (MPI_ANY_SOURCE). */
void rt_op_star(struct world *w)
{
    const struct comm *comm = &w->comms[rt_pick_comm(w, 2, true)];
    uint32_t n = comm->size, root = rt_below(w, n), rounds = 1 + rt_below(w, 3), count = 0;
    uint32_t total = (n - 1) * rounds;
    uint64_t posted[MAX_OUTSTANDING];

    if (comm->self || total == 0)
        return;
    struct location *l = rt_thread(w, comm->member[root], SLOT_MASTER);
    struct arrival *arrivals = calloc(total, sizeof *arrivals);
    if (arrivals == NULL)
        out_of_memory();
    rt_complete_all(w, l);
    bool irecv = rt_has(w, RT_NONBLOCKING) && total <= MAX_OUTSTANDING && rt_chance(w, 0.5);
    for (uint32_t i = 0; irecv && i < total; i++)
        posted[i] = post_receive(w, l, comm, STAR_TAG, NULL, false)->serial;
    for (uint32_t i = 0; i < total; i++) {
        uint32_t member = (root + 1 + i % (n - 1)) % n;
        struct pair p = {comm, member, root, rt_thread(w, comm->member[member], SLOT_MASTER), l, STAR_TAG};
        rt_work(w, p.from);
        rt_enter(w, p.from, R_SEND);
        send(w, &p, NULL, pick_ordinary_fate(w));
        rt_leave(w, p.from);
        struct channel *c = channel(w, &p);
        arrivals[count] = (struct arrival){c, c->last_arrival, count};
        count++;
    }
    qsort(arrivals, total, sizeof *arrivals, by_arrival);
    for (uint32_t i = 0; i < total; i++) {
        if (irecv) { /* the i-th posted gets the i-th that comes */
            struct message m = take(arrivals[i].channel);
            fill(find_request(l, posted[i]), &m);
        } else {
            call_receive(w, arrivals[i].channel, l);
        }
    }
    free(arrivals);
    if (irecv && rt_chance(w, 0.7))
        rt_complete_all(w, l);
}

/* A request that nobody answers, cancelled: an Irecv, or an Isend whose event stays unmatched. */
void rt_op_cancel(struct world *w)
{
    const struct comm *comm = &w->comms[0];
    uint32_t rank = rt_below(w, comm->size), other = rt_below(w, comm->size), tag = w->next_unique_tag++;
    struct location *l = rt_thread(w, rank, SLOT_MASTER);
    bool is_send = rt_chance(w, 0.3);

    rt_work(w, l);
    struct request *request = rt_new_request(w, l, is_send ? REQUEST_SEND : REQUEST_RECEIVE);
    uint64_t serial = request->serial, id = request->id;
    rt_enter(w, l, is_send ? R_ISEND : R_IRECV);
    if (is_send) {
        int64_t index = RT_PUT(w, l, MpiIsend, other, rt_comm_ref(w, comm, rank), tag, 8, id);
        if (index >= 0)
            fprintf(w->truth, "unmatched,%" PRIu32 ",%" PRIu64 ",%" PRId64 "\n", comm->number, l->ref, index);
    } else {
        RT_PUT(w, l, MpiIrecvRequest, id);
    }
    rt_leave(w, l);
    rt_enter(w, l, R_CANCEL);
    rt_leave(w, l);
    rt_enter(w, l, R_WAIT);
    RT_PUT(w, l, MpiRequestCancelled, id);
    rt_leave(w, l);
    uint32_t i = (uint32_t)(find_request(l, serial) - l->requests);
    l->outstanding--;
    memmove(&l->requests[i], &l->requests[i + 1], (l->outstanding - i) * sizeof *request);
}

/* Receives one of the messages that some rank has not asked for yet, not always the oldest. */
static bool receive_pending(struct world *w, uint32_t rank)
{
    struct rank *r = &w->ranks[rank];

    while (r->pending_count > 0) {
        uint32_t i = rt_below(w, (uint32_t)r->pending_count);
        struct channel *c = r->pending[i];
        r->pending[i] = r->pending[--r->pending_count];
        if (c->message_count == 0)
            continue; /* received by now */
        struct location *l = rt_pick_thread(w, rank);
        if (rt_has(w, RT_NONBLOCKING) && c->tag < UNIQUE_TAG && rt_chance(w, 0.3))
            post_receive(w, l, c->comm, c->tag, c, false);
        else
            call_receive(w, c, l);
        return true;
    }
    return false;
}

void rt_op_receive_pending(struct world *w)
{
    uint32_t rank = rt_below(w, w->options->ranks);

    for (uint32_t i = 0; i < w->options->ranks && i < 8; i++)
        if (receive_pending(w, (rank + i) % w->options->ranks))
            return;
}

bool rt_has_messages(const struct world *w, const struct comm *comm)
{
    for (uint32_t r = 0; r < w->options->ranks; r++)
        for (size_t i = 0; i < w->ranks[r].pending_count; i++)
            if (w->ranks[r].pending[i]->comm == comm && w->ranks[r].pending[i]->message_count > 0)
                return true;
    return false;
}

void rt_finish_messages(struct world *w)
{
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        while (receive_pending(w, r))
            ;
        rt_complete_rank(w, r);
    }
}
