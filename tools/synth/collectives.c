/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Collective operations: each member leaves as soon as the class of the operation allows it, plus the time of one or
 * more messages. One-to-n and n-to-one operations use binomial trees; operations of all with all take log2(members)
 * stages. Members that send nothing delay no other member, members that receive nothing wait for none; barriers bind
 * all. */
#include "synth.h"

enum class { ONE_TO_N, N_TO_ONE, N_TO_N, SCAN, EXSCAN };

typedef struct operation {
    OTF2_CollectiveOp op;
    enum class class;
    enum region region;
    bool some_send, some_receive; /* v-operations: members may send, or receive, nothing */
} operation;

static const operation operations[] = {
    {OTF2_COLLECTIVE_OP_BARRIER, N_TO_N, R_BARRIER, false, false},
    {OTF2_COLLECTIVE_OP_BCAST, ONE_TO_N, R_BCAST, false, false},
    {OTF2_COLLECTIVE_OP_ALLREDUCE, N_TO_N, R_ALLREDUCE, false, false},
    {OTF2_COLLECTIVE_OP_GATHERV, N_TO_ONE, R_GATHERV, true, false},
    {OTF2_COLLECTIVE_OP_SCATTER, ONE_TO_N, R_SCATTER, false, false},
    {OTF2_COLLECTIVE_OP_REDUCE, N_TO_ONE, R_REDUCE, false, false},
    {OTF2_COLLECTIVE_OP_SCAN, SCAN, R_SCAN, false, false},
    {OTF2_COLLECTIVE_OP_ALLTOALLV, N_TO_N, R_ALLTOALLV, true, true},
    {OTF2_COLLECTIVE_OP_ALLTOALL, N_TO_N, R_ALLTOALL, false, false},
    {OTF2_COLLECTIVE_OP_SCATTERV, ONE_TO_N, R_SCATTERV, false, true},
    {OTF2_COLLECTIVE_OP_GATHER, N_TO_ONE, R_GATHER, false, false},
    {OTF2_COLLECTIVE_OP_ALLGATHER, N_TO_N, R_ALLGATHER, false, false},
    {OTF2_COLLECTIVE_OP_EXSCAN, EXSCAN, R_EXSCAN, false, false},
    {OTF2_COLLECTIVE_OP_ALLGATHERV, N_TO_N, R_ALLGATHERV, true, false},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, N_TO_N, R_REDUCE_SCATTER, false, false},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, N_TO_N, R_ALLTOALLW, true, true},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, N_TO_N, R_REDUCE_SCATTER_BLOCK, false, false},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

/* Of each member; in s->arrival, four words a rank. */
enum { BEGIN, SENT, RECEIVED, WORDS = 4 };

/* The times of an instance. */
typedef struct instance {
    const operation *what;
    comm in;
    uint32_t root, hops; /* hops: stages that all members wait for */
    uint32_t senders, receivers;
    uint64_t latest;  /* begin of those that send */
    uint64_t running; /* begin of the lower ranks */
} instance;

uint32_t family_size(const synth *s, enum family family)
{
    switch (family) {
    case ROWS:
        return s->rows;
    case COLUMNS:
        return s->columns;
    case SELVES:
        return (uint32_t)s->opt.ranks;
    default:
        return 1;
    }
}

comm comm_of_family(const synth *s, enum family family, uint32_t i)
{
    comm c = {COMM_WORLD, family_size(s, SELVES), 0, 1, SAME_PROCESS};

    if (family == ROWS)
        c = (comm){COMM_FIRST_ROW + i, s->columns, i * s->columns, 1, SAME_PROCESS};
    else if (family == COLUMNS)
        c = (comm){COMM_FIRST_ROW + s->rows + i, s->rows, i, s->columns, SAME_PROCESS};
    else if (family == SELVES)
        c = (comm){COMM_SELF, 1, i, 1, SAME_PROCESS};
    c.distance = distance_of(s, c.first, c.first + (c.size - 1) * c.stride);
    return c;
}

static location *member(const synth *s, const comm *in, uint32_t i)
{
    return rank_of(s, in->first + i * in->stride);
}

static uint64_t *words(synth *s, const comm *in, uint32_t i)
{
    return &s->arrival[(uint64_t)(in->first + i * in->stride) * WORDS];
}

static uint32_t log2_up(uint32_t n)
{
    return n > 1 ? 32 - (uint32_t)__builtin_clz(n - 1) : 0;
}

/* --------------------------------------------------------------------------------------------------------- sizes -- */

static void choose_members(synth *s, instance *c)
{
    c->senders = c->receivers = 0;
    for (uint32_t i = 0; i < c->in.size; i++) {
        uint64_t *w = words(s, &c->in, i);
        bool sends = c->what->class != ONE_TO_N || i == c->root, receives = c->what->class != N_TO_ONE || i == c->root;
        w[SENT] = sends && !(c->what->some_send && rng_below(&s->random, 3) == 0);
        w[RECEIVED] = receives && !(c->what->some_receive && rng_below(&s->random, 3) == 0);
        c->senders += w[SENT] != 0;
        c->receivers += w[RECEIVED] != 0;
    }
}

/* Bytes as measurement systems count them. Where nobody sends, nobody receives, and the other way round. */
static void set_sizes(synth *s, instance *c)
{
    uint64_t bytes = c->what->op == OTF2_COLLECTIVE_OP_BARRIER ? 0 : s->bytes;
    uint32_t n = c->in.size;

    choose_members(s, c);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t *w = words(s, &c->in, i);
        bool sends = w[SENT], receives = w[RECEIVED];
        switch (c->what->class) {
        case ONE_TO_N:
        case N_TO_ONE:
        case N_TO_N:
            w[SENT] = sends ? bytes * c->receivers : 0;
            w[RECEIVED] = receives ? bytes * c->senders : 0;
            break;
        case SCAN:
            w[SENT] = bytes * (n - i);
            w[RECEIVED] = bytes * (i + 1);
            break;
        case EXSCAN:
            w[SENT] = bytes * (n - i - 1);
            w[RECEIVED] = bytes * i;
            break;
        }
    }
}

/* --------------------------------------------------------------------------------------------------------- order -- */

/* How many messages lie between the root and a member of a binomial tree. */
static uint32_t tree_hops(const instance *c, uint32_t i)
{
    return (uint32_t)__builtin_popcount((i + c->in.size - c->root) % c->in.size);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void note_begin(synth *s, instance *c, uint32_t i, uint64_t now)
{
    uint64_t *w = words(s, &c->in, i), hops = c->what->class == N_TO_ONE ? tree_hops(c, i) : c->hops;

    w[BEGIN] = now;
    if ((w[SENT] > 0 || c->what->op == OTF2_COLLECTIVE_OP_BARRIER) && !(c->what->class == N_TO_ONE && i == c->root))
        c->latest = later(c->latest, now + (uint64_t)((double)hops * s->opt.latency[c->in.distance]));
}

/* From when on a member may end; 0: it waits for nobody. Members are asked in order of rank. */
static uint64_t ready(synth *s, instance *c, uint32_t i)
{
    const uint64_t *w = words(s, &c->in, i);
    double hop = s->opt.latency[c->in.distance];
    uint64_t time = 0;

    switch (c->what->class) {
    case ONE_TO_N:
        if (i != c->root && w[RECEIVED] > 0)
            time = words(s, &c->in, c->root)[BEGIN] + (uint64_t)(hop * (tree_hops(c, i) - 1));
        break;
    case N_TO_ONE:
        time = i == c->root ? c->latest : 0;
        break;
    case N_TO_N:
        time = w[RECEIVED] > 0 || c->what->op == OTF2_COLLECTIVE_OP_BARRIER ? c->latest : 0;
        break;
    case SCAN:
    case EXSCAN:
        time = c->running;
        c->running = later(c->running, w[BEGIN]);
        break;
    }
    return time > 0 && c->in.size > 1 ? time + travel(s, c->in.distance, 0) : 0;
}

static instance new_instance(synth *s, const operation *what, comm in)
{
    bool rooted = what->class == ONE_TO_N || what->class == N_TO_ONE;
    uint32_t hops = log2_up(in.size);

    return (instance){.what = what,
                      .in = in,
                      .root = rooted ? (uint32_t)(s->collectives % in.size) : 0,
                      .hops = hops > 0 ? hops - 1 : 0};
}

/* Members of a non-blocking operation compute between the request and MPI_Wait. */
static void run(synth *s, const operation *what, comm in, bool nonblocking)
{
    instance c = new_instance(s, what, in);
    uint32_t root = what->class == ONE_TO_N || what->class == N_TO_ONE ? c.root : OTF2_COLLECTIVE_ROOT_NONE;
    enum region begins = !nonblocking                             ? what->region
                         : what->op == OTF2_COLLECTIVE_OP_BARRIER ? R_IBARRIER
                                                                  : R_IALLREDUCE;

    set_sizes(s, &c);
    for (uint32_t i = 0; i < in.size; i++) {
        location *l = member(s, &in, i);
        put_enter(s, l, begins);
        if (nonblocking)
            PUT(s, l, NonBlockingCollectiveRequest, l->requests);
        else
            PUT(s, l, MpiCollectiveBegin);
        note_begin(s, &c, i, l->now);
        if (nonblocking) {
            put_leave(s, l, begins);
            compute(s, l);
            put_enter(s, l, R_WAIT);
        }
    }
    for (uint32_t i = 0; i < in.size; i++) {
        location *l = member(s, &in, i);
        const uint64_t *w = words(s, &in, i);
        wait_until(l, ready(s, &c, i));
        if (nonblocking)
            PUT(s, l, NonBlockingCollectiveComplete, what->op, in.ref, root, w[SENT], w[RECEIVED], l->requests);
        else
            PUT(s, l, MpiCollectiveEnd, what->op, in.ref, root, w[SENT], w[RECEIVED]);
        l->requests += nonblocking;
        put_leave(s, l, nonblocking ? R_WAIT : begins);
    }
}

static void compute_all(synth *s)
{
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        compute(s, rank_of(s, r));
}

/* The next operation on the communicators of the next family: world, rows, columns, now and then self. */
void phase_collectives(synth *s)
{
    static const enum family families[] = {WORLD, ROWS, WORLD, COLUMNS, WORLD, ROWS, COLUMNS, WORLD, SELVES};
    enum family family = families[s->collectives % (sizeof families / sizeof *families)];

    compute_all(s);
    for (uint32_t i = 0; i < family_size(s, family); i++)
        run(s, &operations[s->collectives % OPERATIONS], comm_of_family(s, family, i), false);
    s->collectives++;
}

/* Members with more work keep the others waiting. */
void phase_imbalance(synth *s)
{
    double imbalance = s->opt.imbalance;

    s->opt.imbalance = imbalance > 0 ? imbalance : 0.5;
    compute_all(s);
    s->opt.imbalance = imbalance;
    run(s, &operations[0], comm_of_family(s, WORLD, 0), false);
}

/* The same operation on all ranks, with rank 0 as root, each time. */
static void run_on_world(synth *s, OTF2_CollectiveOp op)
{
    for (uint32_t i = 0; i < OPERATIONS; i++)
        if (operations[i].op == op)
            run(s, &operations[i], comm_of_family(s, WORLD, 0), false);
}

static void compute_and(synth *s, OTF2_CollectiveOp op)
{
    compute_all(s);
    run_on_world(s, op);
}

void phase_barrier(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_BARRIER);
}

void phase_broadcast(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_BCAST);
}

void phase_reduce(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_REDUCE);
}

void phase_allreduce(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_ALLREDUCE);
}

void phase_alltoall(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_ALLTOALL);
}

/* What rank 0 alone does takes as long as --delay says. */
static void alone(synth *s, enum region region)
{
    put_enter(s, rank_of(s, 0), region);
    put_leave(s, rank_of(s, 0), region);
}

/* Rank 0 does something for all, who wait for it in a broadcast. */
void phase_serial(synth *s)
{
    compute_all(s);
    alone(s, R_SERIAL);
    run_on_world(s, OTF2_COLLECTIVE_OP_BCAST);
}

/* Rank 0 gathers results and writes them, while the others wait. */
void phase_output(synth *s)
{
    compute_and(s, OTF2_COLLECTIVE_OP_GATHER);
    alone(s, R_WRITE);
    run_on_world(s, OTF2_COLLECTIVE_OP_BARRIER);
}

void phase_nonblocking(synth *s)
{
    enum family family = (enum family)(s->collectives % 3);
    const operation *what = &operations[s->collectives % 2 ? 2 : 0];

    for (uint32_t i = 0; i < family_size(s, family); i++)
        run(s, what, comm_of_family(s, family, i), true);
    s->collectives++;
}

/* ------------------------------------------------------------------------------------- communicators and windows -- */

/* Makes all members wait for all, as implementations do, though the standard doesn't ask for it. */
static void handle_operation(synth *s, enum region region, OTF2_CollectiveOp op, bool window)
{
    comm world = comm_of_family(s, WORLD, 0);
    uint64_t last = 0;

    for (uint32_t r = 0; r < world.size; r++) {
        location *l = rank_of(s, r);
        put_enter(s, l, region);
        if (window)
            PUT(s, l, RmaCollectiveBegin);
        else
            PUT(s, l, MpiCollectiveBegin);
        last = later(last, l->now);
    }
    for (uint32_t r = 0; r < world.size; r++) {
        location *l = rank_of(s, r);
        wait_until(l, last + travel(s, world.distance, 0));
        if (region == R_WIN_CREATE)
            PUT(s, l, RmaWinCreate, WINDOW);
        if (region == R_WIN_FREE)
            PUT(s, l, RmaWinDestroy, WINDOW);
        if (window)
            PUT(s, l, RmaCollectiveEnd, op, OTF2_RMA_SYNC_LEVEL_MEMORY | OTF2_RMA_SYNC_LEVEL_PROCESS, WINDOW,
                OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        else
            PUT(s, l, MpiCollectiveEnd, op, world.ref, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
        put_leave(s, l, region);
    }
}

void split_communicators(synth *s)
{
    handle_operation(s, R_COMM_SPLIT, OTF2_COLLECTIVE_OP_CREATE_HANDLE, false);
    handle_operation(s, R_COMM_SPLIT, OTF2_COLLECTIVE_OP_CREATE_HANDLE, false);
}

void create_window(synth *s, bool create)
{
    handle_operation(s, create ? R_WIN_CREATE : R_WIN_FREE,
                     create ? OTF2_COLLECTIVE_OP_CREATE_HANDLE : OTF2_COLLECTIVE_OP_DESTROY_HANDLE, true);
}

static void complete_transfer(synth *s, location *l, uint32_t remote)
{
    l->now += travel(s, distance_of(s, l->rank, remote), s->bytes);
    PUT(s, l, RmaOpCompleteBlocking, WINDOW, l->requests);
    l->requests++;
}

/* A put to the right and a get from the left between two fences. */
void phase_rma(synth *s)
{
    compute_all(s);
    handle_operation(s, R_WIN_FENCE, OTF2_COLLECTIVE_OP_BARRIER, true);
    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        location *l = rank_of(s, r);
        uint32_t n = (uint32_t)s->opt.ranks, right = (r + 1) % n, left = (r + n - 1) % n;
        put_enter(s, l, R_PUT);
        PUT(s, l, RmaPut, WINDOW, right, s->bytes, l->requests);
        complete_transfer(s, l, right);
        put_leave(s, l, R_PUT);
        put_enter(s, l, R_GET);
        PUT(s, l, RmaGet, WINDOW, left, s->bytes, l->requests);
        complete_transfer(s, l, left);
        put_leave(s, l, R_GET);
    }
    handle_operation(s, R_WIN_FENCE, OTF2_COLLECTIVE_OP_BARRIER, true);
}
