/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Messages with letters where all processes are on one node: each process has an inbox in the memory that they have in
 * common, a ring of bytes. Who sends copies a message there, which takes a fraction of what MPI takes for it.
 *
 * One lock orders what is put into all inboxes: messages that leave together are put together, and each inbox is read
 * in order. So what a process sends when it has got a message comes everywhere behind what was sent before that
 * message. The process itself takes what has been put without the lock. A message that is longer than a piece is put
 * piece by piece, as there is room; its last piece counts. */
#include "world.h"

#include <string.h>

enum { PIECE = INBOX / 4 };

typedef struct piece {
    uint32_t from;        /* process */
    uint32_t bytes, left; /* left: of the message, behind this piece */
} piece;

static void copy_in(neighbour *to, uint32_t at, const void *from, uint32_t bytes)
{
    const uint32_t place = at % INBOX, first = INBOX - place < bytes ? INBOX - place : bytes;

    memcpy(to->inbox + place, from, first);
    memcpy(to->inbox, (const unsigned char *)from + first, bytes - first);
}

static void copy_out(const neighbour *from, uint32_t at, void *to, uint32_t bytes)
{
    const uint32_t place = at % INBOX, first = INBOX - place < bytes ? INBOX - place : bytes;

    memcpy(to, from->inbox + place, first);
    memcpy((unsigned char *)to + first, from->inbox, bytes - first);
}

/* Holds the lock. */
static int has_room(neighbour *to, uint32_t bytes)
{
    const uint32_t used = atomic_load_explicit(&to->put, memory_order_relaxed) - atomic_load(&to->taken);

    return INBOX - used >= bytes + sizeof(piece);
}

/* The next `bytes` of a message. Holds the lock. */
static void put(const world *w, uint32_t k, uint32_t bytes)
{
    outgoing *o = &w->out[k];
    neighbour *to = w->neighbours[k];
    const piece head = {w->me, bytes, o->bytes - o->put - bytes};
    const uint32_t at = atomic_load_explicit(&to->put, memory_order_relaxed);

    copy_in(to, at, &head, sizeof head);
    copy_in(to, at + (uint32_t)sizeof head, o->batch->bytes + o->put, bytes);
    o->put += bytes;
    atomic_store(&to->put, at + (uint32_t)sizeof head + bytes);
}

/* All but the last pieces, as far as there is room; then the last ones, where there is room for all of them. Holds the
 * lock. */
static int put_pieces(const world *w)
{
    int all = 1;

    for (uint32_t k = 0; k < w->active; k++) {
        const outgoing *o = &w->out[k];
        if (!o->batch)
            continue;
        while (o->bytes - o->put > PIECE && has_room(w->neighbours[k], PIECE))
            put(w, k, PIECE);
        all &= o->bytes - o->put <= PIECE && has_room(w->neighbours[k], o->bytes - o->put);
    }
    for (uint32_t k = 0; all && k < w->active; k++)
        if (w->out[k].batch)
            put(w, k, w->out[k].bytes - w->out[k].put);
    return all;
}

int inbox_put(world *w)
{
    pthread_mutex_t *lock = &w->neighbours[0]->putting;

    pthread_mutex_lock(lock);
    const int all = put_pieces(w);
    pthread_mutex_unlock(lock);
    for (uint32_t k = 0; k < w->active; k++)
        if (w->out[k].batch)
            sleep_is_over(w, k);
    return all;
}

letter_batch *inbox_take(world *w, uint32_t *from)
{
    neighbour *own = w->own;
    piece head;

    for (uint32_t at; (at = atomic_load_explicit(&own->taken, memory_order_relaxed)) != atomic_load(&own->put);) {
        copy_out(own, at, &head, sizeof head);
        letter_batch **coming = &w->coming[head.from], *b = *coming;
        if (!b) {
            b = *coming = world_room(w, head.bytes + head.left);
            b->n = 0;
        }
        copy_out(own, at + (uint32_t)sizeof head, b->bytes + b->n, head.bytes);
        b->n += head.bytes;
        atomic_store_explicit(&own->taken, at + (uint32_t)sizeof head + head.bytes, memory_order_release);
        if (head.left > 0)
            continue;
        *coming = NULL;
        *from = head.from;
        return b;
    }
    return NULL;
}
