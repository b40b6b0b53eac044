/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Point-to-point patterns. Only MPI_Ssend waits for its receiver (others: eager protocol). A phase ends with all its
 * messages received, so the k-th send of a channel is the k-th receive. */
#include "synth.h"

enum { NONE = UINT32_MAX };
enum {
    TAG_RING = 1,
    TAG_TASK,
    TAG_RESULT,
    TAG_STOP,
    TAG_PAIRS,
    TAG_LATE,
    TAG_SSEND,
    TAG_FIRST,
    TAG_SECOND,
    TAG_HALO = 10,
    TAG_SENDRECV = 20
};
enum { LEFT, RIGHT, UP, DOWN, DIRECTIONS };

/* Starts from a call that is entered already; returns when the message arrives. */
static uint64_t send_in_call(synth *s, location *l, const comm *in, uint32_t to, uint32_t to_rank, uint32_t tag)
{
    PUT(s, l, MpiSend, to, in->ref, tag, s->bytes);
    return l->now + travel(s, distance_of(s, l->rank, to_rank), s->bytes);
}

static uint64_t send(synth *s, uint32_t from, uint32_t to, uint32_t tag)
{
    const comm world = comm_of_family(s, WORLD, 0);
    location *l = rank_of(s, from);

    put_enter(s, l, R_SEND);
    uint64_t arrival = send_in_call(s, l, &world, to, to, tag);
    put_leave(s, l, R_SEND);
    return arrival;
}

static void receive(synth *s, const comm *in, uint32_t from, location *l, uint32_t tag, uint64_t arrival)
{
    put_enter(s, l, R_RECV);
    wait_until(l, arrival);
    PUT(s, l, MpiRecv, from, in->ref, tag, s->bytes);
    put_leave(s, l, R_RECV);
}

/* Each rank sends to the right and receives from the left: around the world, then around each row and column. */
void phase_ring(synth *s)
{
    enum family family = (enum family)(s->round / s->opt.n_phases % 3);

    for (uint32_t c = 0; c < family_size(s, family); c++) {
        const comm in = comm_of_family(s, family, c);
        for (uint32_t i = 0; i < in.size; i++) {
            uint32_t to = (i + 1) % in.size;
            location *l = rank_of(s, in.first + i * in.stride);
            compute(s, l);
            if (in.size == 1)
                continue;
            put_enter(s, l, R_SEND);
            s->arrival[in.first + to * in.stride] = send_in_call(s, l, &in, to, in.first + to * in.stride, TAG_RING);
            put_leave(s, l, R_SEND);
        }
        for (uint32_t i = 0; i < in.size && in.size > 1; i++) {
            uint32_t rank = in.first + i * in.stride;
            receive(s, &in, (i + in.size - 1) % in.size, rank_of(s, rank), TAG_RING, s->arrival[rank]);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------- halo -- */

static uint32_t neighbour(const synth *s, uint32_t rank, uint32_t direction)
{
    uint32_t x = rank % s->columns, y = rank / s->columns;

    switch (direction) {
    case LEFT:
        return x > 0 ? rank - 1 : NONE;
    case RIGHT:
        return x + 1 < s->columns ? rank + 1 : NONE;
    case UP:
        return y > 0 ? rank - s->columns : NONE;
    default:
        return y + 1 < s->rows ? rank + s->columns : NONE;
    }
}

static uint32_t opposite(uint32_t direction)
{
    return direction ^ 1;
}

/* Arrivals are kept at the receiver, by the direction from which they come. */
static uint64_t *arrival_from(synth *s, uint32_t rank, uint32_t direction)
{
    return &s->arrival[(uint64_t)rank * DIRECTIONS + direction];
}

/* Requests of one exchange: receives by direction, then sends by direction. */
static void post_exchange(synth *s, uint32_t rank)
{
    location *l = rank_of(s, rank);

    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        if (neighbour(s, rank, d) == NONE)
            continue;
        put_enter(s, l, R_IRECV);
        PUT(s, l, MpiIrecvRequest, l->requests + d);
        put_leave(s, l, R_IRECV);
    }
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        uint32_t to = neighbour(s, rank, d);
        if (to == NONE)
            continue;
        put_enter(s, l, R_ISEND);
        PUT(s, l, MpiIsend, to, COMM_WORLD, TAG_HALO + d, s->bytes, l->requests + DIRECTIONS + d);
        *arrival_from(s, to, opposite(d)) = l->now + travel(s, distance_of(s, rank, to), s->bytes);
        put_leave(s, l, R_ISEND);
    }
}

static void complete_exchange(synth *s, uint32_t rank)
{
    location *l = rank_of(s, rank);

    put_enter(s, l, R_WAITALL);
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        if (neighbour(s, rank, d) != NONE)
            wait_until(l, *arrival_from(s, rank, d));
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        if (neighbour(s, rank, d) != NONE)
            PUT(s, l, MpiIrecv, neighbour(s, rank, d), COMM_WORLD, TAG_HALO + opposite(d), s->bytes, l->requests + d);
    for (uint32_t d = 0; d < DIRECTIONS; d++)
        if (neighbour(s, rank, d) != NONE)
            PUT(s, l, MpiIsendComplete, l->requests + DIRECTIONS + d);
    put_leave(s, l, R_WAITALL);
    l->requests += 2 * DIRECTIONS;
}

void phase_halo(synth *s)
{
    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        compute(s, rank_of(s, r));
        post_exchange(s, r);
    }
    for (uint32_t r = 0; r < s->opt.ranks; r++)
        complete_exchange(s, r);
}

/* One direction after the other: to the neighbour there, from the one opposite. */
void phase_sendrecv(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);

    for (uint32_t r = 0; r < s->opt.ranks; r++)
        compute(s, rank_of(s, r));
    for (uint32_t d = 0; d < DIRECTIONS; d++) {
        for (uint32_t r = 0; r < s->opt.ranks; r++) {
            uint32_t to = neighbour(s, r, d);
            put_enter(s, rank_of(s, r), R_SENDRECV);
            if (to != NONE)
                *arrival_from(s, to, opposite(d)) = send_in_call(s, rank_of(s, r), &world, to, to, TAG_SENDRECV + d);
        }
        for (uint32_t r = 0; r < s->opt.ranks; r++) {
            uint32_t from = neighbour(s, r, opposite(d));
            location *l = rank_of(s, r);
            if (from != NONE) {
                wait_until(l, *arrival_from(s, r, opposite(d)));
                PUT(s, l, MpiRecv, from, COMM_WORLD, TAG_SENDRECV + d, s->bytes);
            }
            put_leave(s, l, R_SENDRECV);
        }
    }
}

/* -------------------------------------------------------------------------------------------- master and workers -- */

/* A heap of workers, ordered by when their results arrive at the master, ties by rank. */
static bool is_earlier(const synth *s, uint32_t a, uint32_t b)
{
    return s->arrival[a] != s->arrival[b] ? s->arrival[a] < s->arrival[b] : a < b;
}

static void heap_push(synth *s, uint32_t size, uint32_t worker)
{
    uint32_t i = size;

    for (; i > 0 && is_earlier(s, worker, s->order[(i - 1) / 2]); i = (i - 1) / 2)
        s->order[i] = s->order[(i - 1) / 2];
    s->order[i] = worker;
}

/* Returns the first worker; SIZE - 1 are left. */
static uint32_t heap_pop(synth *s, uint32_t size)
{
    uint32_t first = s->order[0], last = s->order[size - 1], i = 0;

    for (uint32_t child; (child = 2 * i + 1) < size - 1; i = child) {
        if (child + 1 < size - 1 && is_earlier(s, s->order[child + 1], s->order[child]))
            child++;
        if (!is_earlier(s, s->order[child], last))
            break;
        s->order[i] = s->order[child];
    }
    s->order[i] = last;
    return first;
}

/* The master gives a task to a worker, who sends back its result. */
static void give_task(synth *s, uint32_t worker)
{
    const comm world = comm_of_family(s, WORLD, 0);
    uint64_t arrival = send(s, 0, worker, TAG_TASK);
    location *l = rank_of(s, worker);

    receive(s, &world, 0, l, TAG_TASK, arrival);
    compute(s, l);
    s->arrival[worker] = send(s, worker, 0, TAG_RESULT);
}

/* Rank 0 takes the results as they come (any source), and gives out three tasks a worker in all. */
void phase_master(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);
    uint32_t workers = (uint32_t)s->opt.ranks - 1, waiting = 0;
    uint64_t given = 0, tasks = 3 * (uint64_t)workers;

    if (workers == 0)
        compute(s, rank_of(s, 0));
    for (; waiting < workers; waiting++, given++) {
        give_task(s, waiting + 1);
        heap_push(s, waiting, waiting + 1);
    }
    while (waiting > 0) {
        uint32_t worker = heap_pop(s, waiting--);
        receive(s, &world, worker, rank_of(s, 0), TAG_RESULT, s->arrival[worker]);
        if (given < tasks) {
            give_task(s, worker);
            heap_push(s, waiting++, worker);
            given++;
        } else {
            receive(s, &world, 0, rank_of(s, worker), TAG_STOP, send(s, 0, worker, TAG_STOP));
        }
    }
}

/* -------------------------------------------------------------------------------------------- one direction only -- */

/* A chain of producers and consumers: nothing ever flows back. */
void phase_pairs(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);

    for (uint32_t r = 0; r < s->opt.ranks; r++) {
        if (r > 0)
            receive(s, &world, r - 1, rank_of(s, r), TAG_PAIRS, s->arrival[r]);
        compute(s, rank_of(s, r));
        if (r + 1 < s->opt.ranks)
            s->arrival[r + 1] = send(s, r, r + 1, TAG_PAIRS);
    }
}

/* Of two neighbours one sends, in turn; some senders come late. A rank without a neighbour computes. */
void phase_late_sender(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);
    uint32_t turn = (uint32_t)(s->round / s->opt.n_phases % 2);

    for (uint32_t r = 0; r + 1 < s->opt.ranks; r += 2) {
        uint32_t from = r + turn, to = r + 1 - turn;
        location *l = rank_of(s, from);
        compute(s, l);
        if (rng_uniform(&s->random) < s->opt.late_fraction) {
            put_enter(s, l, R_DELAY);
            l->now += (uint64_t)(s->opt.late * (0.5 + rng_uniform(&s->random)));
            put_leave(s, l, R_DELAY);
        }
        uint64_t arrival = send(s, from, to, TAG_LATE);
        compute(s, rank_of(s, to));
        receive(s, &world, from, rank_of(s, to), TAG_LATE, arrival);
    }
    if (s->opt.ranks % 2)
        compute(s, rank_of(s, (uint32_t)s->opt.ranks - 1));
}

/* Of two neighbours one sends, in turn, two messages with a computation between them; the other one asks for the second
 * one first. A rank without a neighbour computes. */
void phase_wrong_order(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);
    uint32_t turn = (uint32_t)(s->round / s->opt.n_phases % 2);

    for (uint32_t r = 0; r + 1 < s->opt.ranks; r += 2) {
        uint32_t from = r + turn, to = r + 1 - turn;
        location *receiver = rank_of(s, to);
        uint64_t first = send(s, from, to, TAG_FIRST);
        compute(s, rank_of(s, from));
        uint64_t second = send(s, from, to, TAG_SECOND);
        receive(s, &world, from, receiver, TAG_SECOND, second);
        receive(s, &world, from, receiver, TAG_FIRST, first);
        compute(s, receiver);
    }
    if (s->opt.ranks % 2)
        compute(s, rank_of(s, (uint32_t)s->opt.ranks - 1));
}

/* Of two neighbours one sends, in turn, and waits for the other one, which computes for longer. The message leaves when
 * the receiver has posted its receive and knows of the send. */
void phase_late_receiver(synth *s)
{
    const comm world = comm_of_family(s, WORLD, 0);
    uint32_t turn = (uint32_t)(s->round / s->opt.n_phases % 2);

    for (uint32_t r = 0; r + 1 < s->opt.ranks; r += 2) {
        uint32_t from = r + turn, to = r + 1 - turn;
        location *sender = rank_of(s, from), *receiver = rank_of(s, to);
        enum distance far = distance_of(s, from, to);
        compute(s, sender);
        for (int i = 0; i < 3; i++)
            compute(s, receiver);
        put_enter(s, sender, R_SSEND);
        PUT(s, sender, MpiSend, to, world.ref, TAG_SSEND, s->bytes);
        uint64_t leaves = sender->now + travel(s, far, 0);
        put_enter(s, receiver, R_RECV);
        leaves = receiver->now > leaves ? receiver->now : leaves;
        wait_until(receiver, leaves + travel(s, far, s->bytes));
        PUT(s, receiver, MpiRecv, from, world.ref, TAG_SSEND, s->bytes);
        put_leave(s, receiver, R_RECV);
        wait_until(sender, leaves + travel(s, far, s->bytes));
        put_leave(s, sender, R_SSEND);
    }
    if (s->opt.ranks % 2)
        compute(s, rank_of(s, (uint32_t)s->opt.ranks - 1));
}
