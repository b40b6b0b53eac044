/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * Collective operations and communicators of random traces.
 *
 * A member leaves as early as the class of the operation allows: a root of a broadcast does not wait,
 * a leaf waits for the root alone, the members of a scan for the lower ranks, and members of a
 * v-operation that receive nothing (or wait for nobody who sends) for nobody. Creating and freeing
 * a communicator binds nobody. So a reader that assumes more order than there is will stumble. */
#include "random_trace_world.h"

#include <inttypes.h>
#include <stdlib.h>

/* In the order of the regions from R_COLLECTIVE_FIRST and R_ICOLLECTIVE_FIRST on. */
static const struct kind {
    OTF2_CollectiveOp op;
    enum collective_class class;
    bool v;     /* members may send or receive nothing */
    bool inter; /* may run on an inter-communicator here */
} kinds[17] = {
    {OTF2_COLLECTIVE_OP_BARRIER, N_TO_N, false, true},
    {OTF2_COLLECTIVE_OP_BCAST, ONE_TO_N, false, true},
    {OTF2_COLLECTIVE_OP_GATHER, N_TO_ONE, false, true},
    {OTF2_COLLECTIVE_OP_GATHERV, N_TO_ONE, true, false},
    {OTF2_COLLECTIVE_OP_SCATTER, ONE_TO_N, false, false},
    {OTF2_COLLECTIVE_OP_SCATTERV, ONE_TO_N, true, false},
    {OTF2_COLLECTIVE_OP_ALLGATHER, N_TO_N, false, false},
    {OTF2_COLLECTIVE_OP_ALLGATHERV, N_TO_N, true, false},
    {OTF2_COLLECTIVE_OP_ALLTOALL, N_TO_N, false, false},
    {OTF2_COLLECTIVE_OP_ALLTOALLV, N_TO_N, true, false},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, N_TO_N, true, false},
    {OTF2_COLLECTIVE_OP_ALLREDUCE, N_TO_N, false, true},
    {OTF2_COLLECTIVE_OP_REDUCE, N_TO_ONE, false, true},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, N_TO_N, true, false},
    {OTF2_COLLECTIVE_OP_SCAN, SCAN, false, false},
    {OTF2_COLLECTIVE_OP_EXSCAN, EXSCAN, false, false},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, N_TO_N, false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct location *member_thread(struct world *w, const struct comm *comm, uint32_t member, uint32_t self)
{
    return rt_thread(w, comm->self ? self : comm->member[member], comm->slot);
}

/* The same thread begins and ends; another one may come to the next instance, where it is known whose it is. */
static struct location *coming(struct world *w, struct collective *c, uint32_t member, uint32_t self)
{
    struct location **thread = &c->member[member].thread;

    if (*thread == NULL) {
        *thread = member_thread(w, c->comm, member, self);
        if (rt_has(w, RT_ANY_THREAD) && w->options->ranks_per_process == 1 && rt_chance(w, 0.4))
            *thread = rt_pick_thread(w, (*thread)->rank);
    }
    return *thread;
}

/* Before the event that gives the member's number. */
static void take_turn(struct world *w, const struct collective *c, uint32_t member, struct location *l)
{
    if (rt_has(w, RT_ANY_THREAD) && !c->comm->self)
        rt_take_turn(w, &c->comm->turn[member], l);
}

static struct collective *new_instance(struct world *w, const struct comm *comm, OTF2_CollectiveOp op,
                                       enum collective_class class, bool nonblocking)
{
    struct collective *c = calloc(1, sizeof *c + comm->size * sizeof c->member[0]);

    if (c == NULL) {
        fprintf(stderr, "random_trace: out of memory\n");
        abort();
    }
    c->instance = w->collectives++;
    c->comm = comm;
    c->op = op;
    c->class = class;
    c->nonblocking = nonblocking;
    c->root = class == ONE_TO_N || class == N_TO_ONE ? (int64_t)rt_below(w, comm->size) : -1;
    c->open = comm->size;
    for (uint32_t i = 0; i < comm->size; i++)
        c->member[i].begin_index = -1;
    return c;
}

static bool in_group_a(const struct comm *comm, int64_t member)
{
    return member < (int64_t)comm->size_a;
}

/* On an inter-communicator the group of the root only looks on. */
static bool looks_on(const struct collective *c, uint32_t i)
{
    return c->comm->inter && c->root >= 0 && i != c->root && in_group_a(c->comm, i) == in_group_a(c->comm, c->root);
}

static uint32_t recorded_root(const struct collective *c, uint32_t i)
{
    if (c->root < 0)
        return OTF2_COLLECTIVE_ROOT_NONE;
    if (!c->comm->inter)
        return (uint32_t)c->root;
    if (i == c->root)
        return OTF2_COLLECTIVE_ROOT_SELF;
    return looks_on(c, i) ? OTF2_COLLECTIVE_ROOT_THIS_GROUP : rt_member_rank(c->comm, (uint32_t)c->root);
}

/* Bytes as Score-P counts them. SENDS and RECEIVES: how much of its share a member contributes and gets. */
static void set_bytes(struct collective *c, uint64_t bytes, const bool *sends, const bool *receives)
{
    uint32_t n = c->comm->size, senders = 0, receivers = 0;

    for (uint32_t i = 0; i < n; i++) {
        senders += sends[i];
        receivers += receives[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        struct collective_member *m = &c->member[i];
        bool root = i == c->root;
        switch (c->class) {
        case ONE_TO_N:
            m->sent = root ? bytes * receivers : 0;
            m->received = receives[i] ? bytes : 0;
            break;
        case N_TO_ONE:
            m->sent = sends[i] ? bytes : 0;
            m->received = root ? bytes * senders : 0;
            break;
        case SCAN:
            m->sent = bytes * (n - i);
            m->received = bytes * (i + 1);
            break;
        case EXSCAN:
            m->sent = bytes * (n - i - 1);
            m->received = bytes * i;
            break;
        case N_TO_N:
            m->sent = sends[i] ? bytes * receivers : 0;
            m->received = receives[i] ? bytes * senders : 0;
            break;
        case FREE:
            break;
        }
    }
}

static void pick_bytes(struct world *w, struct collective *c, bool v, bool may_be_empty)
{
    uint32_t n = c->comm->size;
    bool *sends = calloc(2 * (size_t)n, sizeof *sends), *receives = sends + n;
    uint64_t bytes = c->op == OTF2_COLLECTIVE_OP_BARRIER ? 0 : 1 + rt_below(w, 4096);

    bool empty = may_be_empty && w->options->empty_collectives && rt_chance(w, 0.2);
    if (sends == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++) {
        sends[i] = !looks_on(c, i) && !(v && rt_chance(w, 0.3));
        receives[i] = !looks_on(c, i) && !(v && rt_chance(w, 0.3));
        if (c->comm->inter && i == c->root) /* the root of the other group gives or takes only */
            sends[i] = receives[i] = false;
        if (c->op == OTF2_COLLECTIVE_OP_REDUCE_SCATTER)
            sends[i] = true; /* members without a result still contribute */
        if (c->op == OTF2_COLLECTIVE_OP_ALLGATHERV)
            receives[i] = true;
    }
    set_bytes(c, bytes, sends, receives);
    for (uint32_t i = 0; i < n; i++) {
        struct collective_member *m = &c->member[i];
        m->gives = m->sent > 0 && !(v && empty);
        m->takes = m->received > 0 && !(v && empty);
        if (empty)
            m->sent = m->received = 0;
    }
    free(sends);
}

/* Who is waited for: members of a v-operation by the sizes that the trace shows, of others whatever these are; a
 * barrier moves no bytes and binds all. */
static bool is_source(const struct collective *c, uint32_t i)
{
    return c->op == OTF2_COLLECTIVE_OP_BARRIER || c->member[i].gives;
}

static bool is_target(const struct collective *c, uint32_t i)
{
    return c->op == OTF2_COLLECTIVE_OP_BARRIER || c->member[i].takes;
}

static uint64_t latest(const struct collective *c, uint32_t end)
{
    uint64_t time = 0;

    for (uint32_t i = 0; i < end; i++)
        if (is_source(c, i) && c->member[i].begin > time)
            time = c->member[i].begin;
    return time;
}

/*
 * Sets the time from which each member can leave. 1,500 ns is the smallest delay between nodes,
 * so it does as the smallest delay of any two members. */
static void set_ready(struct world *w, struct collective *c)
{
    uint64_t all = latest(c, c->comm->size), running = 0;

    for (uint32_t i = 0; i < c->comm->size; i++) {
        struct collective_member *m = &c->member[i];
        uint64_t source = 0;
        bool own = i == c->root;
        if (c->class == EXSCAN)
            source = running;
        if (is_source(c, i) && m->begin > running)
            running = m->begin;
        if (c->class == SCAN)
            source = running;
        else if (c->class == N_TO_N || (c->class == N_TO_ONE && own))
            source = all;
        else if (c->class == ONE_TO_N && !own)
            source = c->member[c->root].begin;
        if (c->class == EXSCAN ? i == 0 : !is_target(c, i))
            source = 0;
        m->ready = source == 0 ? m->begin : source + 1500 + rt_below(w, 4000);
        if (m->ready < m->begin)
            m->ready = m->begin;
    }
}

static void tell_truth(struct world *w, const struct collective *c, const struct location *l, uint32_t i, int64_t end)
{
    const struct collective_member *m = &c->member[i];

    if (m->begin_index < 0 && end < 0)
        return;
    fprintf(w->truth,
            "coll,%" PRIu64 ",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%u,%" PRId64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
            ",%" PRIu64 ",%" PRIu64 ",%d\n",
            c->instance, l->ref, m->begin_index, end, c->op, c->root, c->comm->number, i, c->comm->size, m->sent,
            m->received, c->nonblocking);
}

static void begin(struct world *w, struct collective *c, struct location *l, uint32_t i, uint32_t region)
{
    rt_enter(w, l, region);
    take_turn(w, c, i, l);
    c->member[i].begin_index = RT_PUT(w, l, MpiCollectiveBegin);
    c->member[i].begin = l->now;
    rt_had_turn(w, &c->comm->turn[i], l);
}

static void end(struct world *w, struct collective *c, struct location *l, uint32_t i)
{
    const struct collective_member *m = &c->member[i];

    rt_wait_until(l, m->ready);
    int64_t index = RT_KEEP(w, l, MpiCollectiveEnd, c->op, rt_comm_ref(w, c->comm, l->rank), recorded_root(c, i),
                            m->sent, m->received);
    tell_truth(w, c, l, i, index);
    rt_leave(w, l);
}

static uint32_t pick_kind(struct world *w, const struct comm *comm)
{
    for (;;) {
        uint32_t k = rt_below(w, KINDS);
        if (kinds[k].v && !rt_has(w, RT_V_COLLECTIVES))
            continue;
        if (!comm->inter || kinds[k].inter)
            return k;
    }
}

static const struct comm *pick_comm(struct world *w)
{
    if (rt_has(w, RT_SELF) && rt_chance(w, 0.05))
        return &w->comms[1];
    return &w->comms[rt_pick_comm(w, 1, false)];
}

void rt_op_collective(struct world *w)
{
    const struct comm *comm = pick_comm(w);
    uint32_t k = pick_kind(w, comm), self = rt_below(w, w->options->ranks);
    struct collective *c = new_instance(w, comm, kinds[k].op, kinds[k].class, false);

    pick_bytes(w, c, kinds[k].v, true);
    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = coming(w, c, i, self);
        rt_work(w, l);
        begin(w, c, l, i, R_COLLECTIVE_FIRST + k);
    }
    set_ready(w, c);
    for (uint32_t i = 0; i < comm->size; i++)
        end(w, c, coming(w, c, i, self), i);
    free(c);
}

void rt_op_nonblocking_collective(struct world *w)
{
    const struct comm *comm = pick_comm(w);
    uint32_t k = pick_kind(w, comm), self = rt_below(w, w->options->ranks);
    struct collective *c = new_instance(w, comm, kinds[k].op, kinds[k].class, true);

    pick_bytes(w, c, kinds[k].v, true);
    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = coming(w, c, i, self);
        rt_work(w, l);
        struct request *request = rt_new_request(w, l, REQUEST_COLLECTIVE);
        request->collective = c;
        request->member = i;
        request->comm = comm;
        rt_enter(w, l, R_ICOLLECTIVE_FIRST + k);
        take_turn(w, c, i, l);
        c->member[i].begin_index = RT_KEEP(w, l, NonBlockingCollectiveRequest, request->id);
        c->member[i].begin = l->now;
        rt_had_turn(w, &c->comm->turn[i], l);
        rt_leave(w, l);
    }
    set_ready(w, c);
    for (uint32_t i = 0; i < comm->size; i++) { /* each thread has posted just one in this operation */
        struct location *l = coming(w, c, i, self);
        l->requests[l->outstanding - 1].ready = c->member[i].ready;
    }
}

void rt_finish_collective(struct world *w, struct location *l, struct request *request)
{
    struct collective *c = request->collective;
    const struct collective_member *m = &c->member[request->member];
    int64_t index = RT_KEEP(w, l, NonBlockingCollectiveComplete, c->op, rt_comm_ref(w, c->comm, l->rank),
                            recorded_root(c, request->member), m->sent, m->received, request->id);

    tell_truth(w, c, l, request->member, index);
    if (--c->open == 0)
        free(c);
}

/* A collective of a window; without the synchronisation of processes nobody waits. */
void rt_op_window_collective(struct world *w)
{
    const struct comm *comm = w->options->comms_per_rank ? &w->comms[0] : &w->comms[rt_pick_comm(w, 1, true)];
    uint32_t k = pick_kind(w, comm), level = rt_chance(w, 0.8) ? OTF2_RMA_SYNC_LEVEL_PROCESS : OTF2_RMA_SYNC_LEVEL_NONE;
    struct collective *c = new_instance(w, comm, kinds[k].op, kinds[k].class, false);

    pick_bytes(w, c, kinds[k].v, false);
    if (level == OTF2_RMA_SYNC_LEVEL_NONE)
        c->class = FREE;
    level |= rt_chance(w, 0.5) ? OTF2_RMA_SYNC_LEVEL_MEMORY : 0;
    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = member_thread(w, comm, i, 0);
        rt_work(w, l);
        rt_enter(w, l, R_PUT);
        RT_PUT(w, l, RmaCollectiveBegin);
        c->member[i].begin = l->now;
    }
    set_ready(w, c);
    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = member_thread(w, comm, i, 0);
        rt_wait_until(l, c->member[i].ready);
        RT_KEEP(w, l, RmaCollectiveEnd, c->op, level, rt_window(comm), recorded_root(c, i), c->member[i].sent,
                c->member[i].received);
        rt_leave(w, l);
    }
    free(c);
}

/* ---- communicators ---- */

/* CREATE_HANDLE or DESTROY_HANDLE at all members of COMM: an instance that binds nobody. */
void rt_handle_collective(struct world *w, const struct comm *comm, uint32_t region, bool create)
{
    struct collective *c =
        new_instance(w, comm, create ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE, FREE,
                     false);

    for (uint32_t i = 0; i < comm->size; i++) {
        struct location *l = member_thread(w, comm, i, 0);
        uint32_t ref = rt_comm_ref(w, comm, l->rank);
        rt_work(w, l);
        begin(w, c, l, i, region);
        if (create)
            RT_PUT(w, l, CommCreate, ref);
        else
            RT_PUT(w, l, CommDestroy, ref);
        c->member[i].ready = l->now;
        end(w, c, l, i);
    }
    free(c);
}

/* The second thread of a rank must not use a communicator before the master has made it. */
static void tell_mpi_threads(struct world *w, const struct comm *comm)
{
    for (uint32_t i = 0; i < comm->size; i++) {
        const struct location *master = rt_thread(w, comm->member[i], SLOT_MASTER);
        struct location *l = rt_thread(w, comm->member[i], SLOT_MPI);
        if (l->writer != NULL)
            rt_later_than(w, l, rt_tick(w, l->rank, master->now));
    }
}

/* Communicators are made by masters, but may then belong to the threads that communicate. */
static void create(struct world *w, struct comm *comm, uint32_t region)
{
    rt_handle_collective(w, comm, region, true);
    tell_mpi_threads(w, comm);
    if (rt_has(w, RT_MPI_THREADS) && rt_chance(w, 0.3))
        comm->slot = SLOT_MPI;
}

static void duplicate(struct world *w, const struct comm *from)
{
    struct comm *comm = rt_add_comm(w, from->size);

    if (comm == NULL)
        return;
    for (uint32_t i = 0; i < from->size; i++)
        comm->member[i] = from->member[i];
    comm->size_a = from->size_a;
    comm->inter = from->inter;
    comm->parent = (int)from->number;
    comm->group = from->group;
    create(w, comm, R_COMM_DUP);
}

/* A random subset, sometimes in another order than in the parent. */
static void split(struct world *w, const struct comm *from)
{
    uint32_t *members = calloc(from->size, sizeof *members), n = 0;

    if (members == NULL)
        abort();
    for (uint32_t i = 0; i < from->size; i++)
        if (rt_chance(w, 0.6))
            members[n++] = from->member[i];
    if (rt_chance(w, 0.5))
        rt_shuffle(w, members, n);
    struct comm *comm = rt_add_comm(w, n);
    if (comm != NULL) {
        for (uint32_t i = 0; i < n; i++)
            comm->member[i] = members[i];
        comm->parent = (int)from->number;
        create(w, comm, R_COMM_SPLIT);
    }
    free(members);
}

/* Two disjoint parts of the parent. */
static void create_inter(struct world *w, const struct comm *from)
{
    uint32_t *members = calloc(from->size, sizeof *members), n = from->size;

    if (members == NULL)
        abort();
    for (uint32_t i = 0; i < n; i++)
        members[i] = from->member[i];
    rt_shuffle(w, members, n);
    uint32_t a = 1 + rt_below(w, n - 1);
    struct comm *comm = rt_add_comm(w, n);
    if (comm != NULL) {
        for (uint32_t i = 0; i < n; i++)
            comm->member[i] = members[i];
        comm->inter = true;
        comm->size_a = a;
        comm->parent = (int)from->number;
        create(w, comm, R_INTERCOMM_CREATE);
    }
    free(members);
}

/* One that has been freed, under its old id. Its members make it when all of them have freed it. */
static bool make_again(struct world *w)
{
    struct comm *comm = &w->comms[rt_below(w, w->comm_count)];

    if (!comm->freed || w->comms[comm->parent].freed)
        return false;
    comm->freed = false;
    comm->slot = SLOT_MASTER;
    for (uint32_t i = 0; i < comm->size; i++)
        rt_wait_until(rt_thread(w, comm->member[i], SLOT_MASTER), rt_thread(w, comm->member[i], SLOT_MPI)->now);
    create(w, comm, comm->inter ? R_INTERCOMM_CREATE : R_COMM_SPLIT);
    return true;
}

void rt_op_new_comm(struct world *w)
{
    if (w->options->reuse_comms && rt_chance(w, 0.6) && make_again(w))
        return;
    const struct comm *from = &w->comms[rt_pick_comm(w, 1, true)];
    uint32_t what = rt_below(w, 3);

    if (from->self)
        return;
    if (what == 0 && rt_has(w, RT_DUP))
        duplicate(w, from);
    else if (what == 1 && rt_has(w, RT_SUBCOMMS))
        split(w, from);
    else if (what == 2 && rt_has(w, RT_INTERCOMM) && from->size > 1)
        create_inter(w, from);
}

/* Only a communicator on which nothing is under way: no message, no request. */
static bool idle(struct world *w, const struct comm *comm)
{
    for (uint32_t r = 0; r < w->options->ranks; r++) {
        for (uint32_t s = 0; s < SLOTS; s++) {
            const struct location *l = rt_thread(w, r, s);
            for (uint32_t i = 0; i < l->outstanding; i++)
                if (l->requests[i].comm == comm)
                    return false;
        }
    }
    return true;
}

void rt_op_free_comm(struct world *w)
{
    struct comm *comm = &w->comms[rt_below(w, w->comm_count)];

    if (comm->number < 2 || comm->freed || !idle(w, comm) || rt_has_messages(w, comm))
        return;
    comm->freed = true;
    for (uint32_t i = 0; i < comm->size; i++) { /* no thread of the rank uses it afterwards */
        struct location *l = rt_thread(w, comm->member[i], comm->slot);
        rt_wait_until(l, rt_thread(w, comm->member[i], SLOT_MASTER)->now);
        rt_wait_until(l, rt_thread(w, comm->member[i], SLOT_MPI)->now);
    }
    rt_handle_collective(w, comm, R_COMM_FREE, false);
}
