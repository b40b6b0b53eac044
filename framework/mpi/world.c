/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Waiting, and sends that have been started. Nothing here waits inside of MPI: processes that have nothing to do look a
 * while, then sleep (sleep.c), longer each time. sched_yield() would cost all of the time that other programs on the
 * core may take at once. */
#include "world.h"
#include "framework/base/error.h"

#include <stdlib.h>
#include <string.h>
#include <tcflow/grow.h>

/* ns; what comes from another node has to be looked for. */
enum { LEAST_SLEEP = 1000000, MOST_SLEEP = 8000000, LEAST_OF_NODES = 20000, MOST_OF_NODES = 1000000 };

void world_give_up(const char *what)
{
    error_log(TCF_LOG_ERROR, "%s: all processes end; outputs are incomplete", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    abort();
}

void *world_memory(void *old, size_t bytes)
{
    void *memory = realloc(old, bytes > 0 ? bytes : 1);

    if (!memory)
        world_give_up("out of memory for what goes between processes");
    return memory;
}

void *world_zeroed(size_t n, size_t bytes)
{
    void *memory = world_memory(NULL, n * bytes);
    return memset(memory, 0, n * bytes);
}

uint64_t world_wait_awake(void *data, uint32_t *turns)
{
    world *w = data;
    const uint32_t turn = (*turns)++;

    const uint32_t often = turn < w->looks_waiting ? 64 : 8;

    if (w->idle && turn % often == often - 1)
        w->idle(w->idle_data);
    if (turn < w->looks_waiting || !sleep_is_announced(w))
        return 0;
    const uint64_t longer = (uint64_t)(turn - w->looks_waiting) * (w->all_here ? LEAST_SLEEP : LEAST_OF_NODES);
    const uint64_t most = w->all_here ? MOST_SLEEP : MOST_OF_NODES;
    return longer < most ? longer : most;
}

void world_wait(world *w, uint32_t *turns)
{
    const uint64_t ns = world_wait_awake(w, turns);

    if (ns == 0)
        return;
    sleep_for(w, ns);
    if (!w->has_slept)
        *turns = 0; /* somebody has woken it, so that what it waits for is near */
}

/* ------------------------------------------------------------------------------------------------- started sends -- */

static started *start(world *w)
{
    const uint32_t capacity = w->started_capacity;

    if (TCF_GROW(&w->started, &w->started_capacity, w->n_started) != 0)
        world_give_up("out of memory for what goes between processes");
    if (w->started_capacity != capacity) {
        w->requests = world_memory(w->requests, w->started_capacity * sizeof *w->requests);
        w->completed = world_memory(w->completed, w->started_capacity * sizeof *w->completed);
        w->statuses = world_memory(w->statuses, w->started_capacity * sizeof *w->statuses);
    }
    return &w->started[w->n_started];
}

/* Synchronous: when the send is complete, the message is being received. */
void world_start_letters(world *w, uint32_t to, uint32_t number, letter_batch *b, uint32_t bytes)
{
    *start(w) = (started){.batch = b, .to = to, .number = number};
    w->bytes_started += b->capacity;
    w->n_under_way++;
    MPI_Issend(b->bytes, (int)bytes, MPI_BYTE, (int)to, TAG, w->letters, &w->requests[w->n_started++]);
    sleep_is_over(w, to);
}

void world_start_note(world *w, uint32_t to, const note *what)
{
    const size_t bytes = note_bytes(what->n);
    note *copy = memcpy(world_memory(NULL, bytes), what, bytes);

    *start(w) = (started){.note = copy, .to = to};
    w->notes_sent[to]++;
    MPI_Isend(copy, (int)bytes, MPI_BYTE, (int)to, TAG, w->notes, &w->requests[w->n_started++]);
    sleep_has_note(w, to);
}

void world_spare(world *w, letter_batch *b)
{
    enum { MOST_SPARE = 64 };

    if (w->n_spare == MOST_SPARE) {
        free(b);
        return;
    }
    b->next = w->spare;
    w->spare = b;
    w->n_spare++;
}

letter_batch *world_room(world *w, uint32_t bytes)
{
    for (letter_batch **at = &w->spare; *at; at = &(*at)->next) {
        letter_batch *b = *at;
        if (b->capacity < bytes)
            continue;
        *at = b->next;
        w->n_spare--;
        return b;
    }
    letter_batch *b = world_memory(NULL, sizeof *b + bytes);
    b->capacity = bytes;
    return b;
}

static void end_send(world *w, const started *s)
{
    free(s->note);
    if (!s->batch)
        return;
    w->n_under_way--;
    w->bytes_started -= s->batch->capacity;
    world_spare(w, s->batch);
}

void world_complete(world *w)
{
    enum { FEW = 8 };
    int n = 0;
    uint32_t left = 0;

    if (w->n_started == 0 || (w->all_here && !w->has_slept && !w->settling && w->n_started < FEW))
        return;
    MPI_Testsome((int)w->n_started, w->requests, &n, w->completed, w->statuses);
    if (n <= 0)
        return;
    for (int i = 0; i < n; i++)
        end_send(w, &w->started[w->completed[i]]);
    for (uint32_t i = 0; i < w->n_started; i++)
        if (w->requests[i] != MPI_REQUEST_NULL) {
            w->requests[left] = w->requests[i];
            w->started[left++] = w->started[i];
        }
    w->n_started = left;
}
